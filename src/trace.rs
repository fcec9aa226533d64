//! A sowing seed by seed, for those who watch it: which pits each lap drops its seeds into, and what is taken at its end.
//!
//! The laps come from the rules ([`Engine::laps`]), which tell the board after each lap. Where the seeds of a lap fall
//! follows from its origin and its count alone: one pit after the other, in Ayoayo without the origin (Ayoayo 2).

use serde::Serialize;

use crate::engine::Engine;
use crate::moves::LegalMove;
use crate::position::Position;

/// A sowing that can be watched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Trace {
    /// Its laps, the first ones where there are more than were asked for.
    pub(crate) laps: Vec<TraceLap>,
    /// All laps are here.
    pub(crate) complete: bool,
    /// The pits that are emptied into the store at the end, and their seeds.
    pub(crate) taken: Vec<Taken>,
}

/// One lap, seed by seed. Pits are indices in sowing order, South's `A` being 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct TraceLap {
    /// The pit that is lifted.
    pub(crate) from: usize,
    /// The pits that get a seed each, in order.
    pub(crate) path: Vec<usize>,
}

/// Seeds that are taken from one pit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Taken {
    /// An index in sowing order, South's `A` being 0.
    pub(crate) pit: usize,
    /// How many.
    pub(crate) seeds: u8,
}

impl Trace {
    /// The sowing of a move that was played in `position`, its first `most` laps. A forced pass has none.
    pub(crate) fn new(engine: &Engine, position: &Position, played: &LegalMove, most: usize) -> Self {
        let pits = position.counts().len();
        let skips_origin = !engine.profile().rules().is_hoyito();
        let mut from = (0..pits).find(|&pit| letter(position, pit) == played.letter).unwrap_or_default();
        let mut before = *position;
        let mut laps = Vec::new();
        for lap in engine.laps(position, played.letter).take(played.laps as usize) {
            if laps.len() < most {
                let seeds = usize::from(before.counts()[from]);
                let path = (1..).map(|step| (from + step) % pits);
                let path = path.filter(|&pit| !(skips_origin && pit == from)).take(seeds).collect();
                laps.push(TraceLap { from, path });
            }
            (from, before) = (lap.last, lap.position);
        }
        let left = before.counts().iter().zip(played.position.counts()).enumerate();
        let taken = left.filter(|(_, (sown, left))| sown > left);
        Self {
            complete: laps.len() == played.laps as usize,
            laps,
            taken: taken.map(|(pit, (sown, left))| Taken { pit, seeds: sown - left }).collect(),
        }
    }
}

/// The letter of a pit given by its index in sowing order, whoever is to move.
fn letter(position: &Position, pit: usize) -> char {
    use crate::position::Side::{North, South};
    let row = position.row();
    if pit < row { South.letter(pit) } else { North.letter(pit - row) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Settings;
    use crate::moves::Options;
    use crate::notation::parse_position;
    use crate::profile::Profile;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    /// Sows a trace by hand, one seed at a time, and takes what it says is taken.
    fn sown(position: &Position, trace: &Trace) -> Vec<u8> {
        let mut counts = position.counts().to_vec();
        let mut last = None;
        for lap in &trace.laps {
            assert!(last.is_none_or(|last| last == lap.from), "a relay lifts where the last seed fell");
            assert_eq!(usize::from(std::mem::take(&mut counts[lap.from])), lap.path.len());
            lap.path.iter().for_each(|&pit| counts[pit] += 1);
            last = lap.path.last().copied();
        }
        for taken in &trace.taken {
            counts[taken.pit] -= taken.seeds;
        }
        counts
    }

    #[test]
    fn every_move_of_random_games_leads_where_the_rules_say() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        for profile in Profile::ALL {
            let engine = Engine::new(profile, &Settings { threads: 1, ..Settings::default() }).unwrap();
            let mut moves_seen = 0;
            while moves_seen < 4_000 {
                let mut position = Position::start(&profile);
                while let Options::Moves(moves) = engine.options(&position) {
                    for m in &moves {
                        let trace = Trace::new(&engine, &position, m, usize::MAX);
                        assert!(trace.complete);
                        assert_eq!(trace.laps.len(), m.laps as usize, "{profile} {position} {}", m.letter);
                        assert_eq!(
                            sown(&position, &trace),
                            m.position.counts(),
                            "{profile} {position} {}",
                            m.letter
                        );
                        let taken: u32 = trace.taken.iter().map(|taken| u32::from(taken.seeds)).sum();
                        assert_eq!(taken, m.captured);
                        moves_seen += 1;
                    }
                    if random.next_u64() % 40 == 0 {
                        break;
                    }
                    position = moves[random.next_u64() as usize % moves.len()].position;
                }
            }
        }
    }

    /// The worked examples of the rules: twelve seeds skip their origin, and a chain takes from both rows.
    #[test]
    fn worked_examples() {
        let trace = |profile: &str, position: &str, letter, most| {
            let profile: Profile = profile.parse().unwrap();
            let engine = Engine::new(profile, &Settings { threads: 1, ..Settings::default() }).unwrap();
            let position = parse_position(&profile, position).unwrap();
            let played = engine.play(&position, letter).unwrap();
            Trace::new(&engine, &position, &played, most)
        };
        let twelve = trace("ayoayo", "12-0-0-0-0-0-0-0-0-0-0-0", 'A', usize::MAX);
        assert_eq!(twelve.laps.len(), 7);
        assert_eq!(twelve.laps[0].path, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1]);
        assert_eq!(twelve.taken.iter().map(|taken| taken.seeds).sum::<u8>(), 3);
        let chain = trace("hoyito", "4-0-0-3-3-3-3-0-4-0-0-0", 'D', usize::MAX);
        assert_eq!(chain.taken, [4, 5, 6].map(|pit| Taken { pit, seeds: 4 }));
        let long = trace("ayoayo", "2-2-1-3-2-1-2-1-2-1-2-1", 'A', 100);
        assert_eq!((long.laps.len(), long.complete, long.taken.len()), (100, false, 0));
    }
}

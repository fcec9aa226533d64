//! Laps as table adds, and the relay that strings them together.
//!
//! Lifting the seeds of one pit and sowing them is one addition: for every pit and count a table
//! holds what each lane gains or loses, and where the last seed falls. Sowing takes as long for
//! two seeds as for forty. The relay is a chain of dependent loads, so the table also says where the
//! last pit's lane lies.
//!
//! The relay itself does not know the games. It asks, after each lap, what the count of the last
//! pit (that seed included) means: stop, or lift and go on.
//!
//! # Never-ending sowings
//! A relay is a function on the pairs (board, pit to lift), so a sowing never ends exactly where a
//! pair comes back. The first [`PLAIN_LAPS`] laps are not watched; after them Brent's algorithm
//! (R. P. Brent, "An improved Monte Carlo factorization algorithm", 1980) keeps one earlier pair
//! and compares: constant memory, at most three times the laps up to the end of the first period.

use crate::board::{Board, WORDS};

/// Laps played before the relay is watched for a cycle: nearly all sowings are over by then.
const PLAIN_LAPS: u32 = 64;

/// Counts a pit can have in the table's index: a power of two above 96.
const COUNTS: usize = 128;

/// Table entries: the power of two above 24 pits times [`COUNTS`].
const ENTRIES: usize = 32 * COUNTS;

/// The laps of a board of `P` pits, by the lifted pit times [`COUNTS`] plus its seeds.
///
/// One array for each field, of elements no wider than a word: an element's address is then one
/// addition away from its number, which is on the path that every lap waits for.
struct LapTable {
    /// What to add to each word of the board, wrapping: the lifted pit loses, others gain.
    delta: [[u64; ENTRIES]; WORDS],
    /// Where the last seed falls.
    last: [Last; ENTRIES],
}

/// Where the last seed of a lap falls.
#[derive(Clone, Copy)]
struct Last {
    /// Its pit times [`COUNTS`].
    base: u16,
    /// Word and bit of its lane.
    word: u8,
    shift: u8,
}

/// Whether a lap drops seeds into the pit it was lifted from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// Every lap skips its origin (Ayoayo 2).
    Skipped,
    /// A lap of `2R` seeds or more also drops into its origin (Hoyito II 1).
    Sown,
}

/// The laps of a board of `P` pits.
pub(crate) struct Laps<const P: usize>;

impl<const P: usize> Laps<P> {
    const SKIPPING: &LapTable = &lap_table::<P>(Origin::Skipped);
    const SOWING: &LapTable = &lap_table::<P>(Origin::Sown);

    #[inline(always)]
    fn table(origin: Origin) -> &'static LapTable {
        match origin {
            Origin::Skipped => Self::SKIPPING,
            Origin::Sown => Self::SOWING,
        }
    }
}

/// The lap table of a board of `P` pits. Entries past the board or past 96 seeds are never used.
const fn lap_table<const P: usize>(origin: Origin) -> LapTable {
    let mut table =
        LapTable { delta: [[0; ENTRIES]; WORDS], last: [Last { base: 0, word: 0, shift: 0 }; ENTRIES] };
    let mut pit = 0;
    while pit < P {
        let mut count = 1;
        while count <= crate::board::MAX_SEEDS as usize {
            // One full round gives every pit a seed, the origin too unless it is skipped.
            let round = match origin {
                Origin::Skipped => P - 1,
                Origin::Sown => P,
            };
            let (full, rest) = (count / round, count % round);
            let mut delta = [0u64; WORDS];
            let mut step = 1;
            while step <= round {
                let (word, shift) = Board::<P>::lane((pit + step) % P);
                let gain = full + if step <= rest { 1 } else { 0 };
                delta[word] = delta[word].wrapping_add((gain as u64) << shift);
                step += 1;
            }
            let (word, shift) = Board::<P>::lane(pit);
            delta[word] = delta[word].wrapping_sub((count as u64) << shift);
            let last = (pit + if rest == 0 { round } else { rest }) % P;
            let (word, shift) = Board::<P>::lane(last);
            let at = pit * COUNTS + count;
            let mut w = 0;
            while w < WORDS {
                table.delta[w][at] = delta[w];
                w += 1;
            }
            table.last[at] = Last { base: (last * COUNTS) as u16, word: word as u8, shift: shift as u8 };
            count += 1;
        }
        pit += 1;
    }
    table
}

/// Where a relay ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Relay<const P: usize> {
    /// The board with all seeds sown, nothing captured yet.
    pub(crate) board: Board<P>,
    /// The pit of the last seed.
    pub(crate) last: usize,
    /// Seeds in it, that seed included.
    pub(crate) count: u32,
    /// Laps sown.
    pub(crate) laps: u32,
}

/// A relay under way: the next lap lifts the `count` seeds of a pit.
#[derive(Clone, Copy)]
struct Hand<const P: usize> {
    board: Board<P>,
    /// The pit times [`COUNTS`].
    base: usize,
    count: u32,
}

impl<const P: usize> Hand<P> {
    #[inline(always)]
    fn at(board: Board<P>, pit: usize) -> Self {
        Self { board, base: pit * COUNTS, count: board.get(pit) }
    }

    /// The pit to lift next.
    #[inline(always)]
    fn pit(&self) -> usize {
        self.base / COUNTS
    }

    /// Sows one lap: afterwards the hand lies over the last seed's pit.
    #[inline(always)]
    fn sow(&mut self, table: &LapTable) {
        let at = self.base + self.count as usize;
        let last = table.last[at];
        let words = &mut self.board.words;
        words[0] = words[0].wrapping_add(table.delta[0][at]);
        words[1] = words[1].wrapping_add(table.delta[1][at]);
        let mut lane = if last.word == 0 { words[0] } else { words[1] };
        if P > 16 {
            words[2] = words[2].wrapping_add(table.delta[2][at]);
            lane = if last.word == 2 { words[2] } else { lane };
        }
        self.base = usize::from(last.base);
        self.count = (lane >> (last.shift & 63)) as u32 & 0x7f;
    }
}

/// Sows from `pit`, lap after lap, until `ends(last pit, its count)` holds. `None`: it never does.
///
/// `pit` holds at least one seed.
#[inline(always)]
pub(crate) fn relay<const P: usize>(
    board: Board<P>,
    pit: usize,
    origin: Origin,
    ends: impl Fn(usize, u32) -> bool,
) -> Option<Relay<P>> {
    let table = Laps::<P>::table(origin);
    let mut hand = Hand::at(board, pit);
    let mut laps = 0;
    while laps < PLAIN_LAPS {
        hand.sow(table);
        laps += 1;
        if ends(hand.pit(), hand.count) {
            return Some(Relay { board: hand.board, last: hand.pit(), count: hand.count, laps });
        }
    }
    watched(hand, laps, table, ends)
}

/// Goes on with a relay that has sown `laps` laps, watching for a pair that comes back.
#[cold]
#[inline(never)]
fn watched<const P: usize>(
    mut hand: Hand<P>,
    mut laps: u32,
    table: &LapTable,
    ends: impl Fn(usize, u32) -> bool,
) -> Option<Relay<P>> {
    let mut kept = (hand.board, hand.base);
    // Laps until the kept pair is replaced, doubled each time.
    let mut window = PLAIN_LAPS;
    let mut since = 0;
    loop {
        hand.sow(table);
        laps = laps.saturating_add(1);
        if ends(hand.pit(), hand.count) {
            return Some(Relay { board: hand.board, last: hand.pit(), count: hand.count, laps });
        }
        if (hand.board, hand.base) == kept {
            return None;
        }
        since += 1;
        if since == window {
            kept = (hand.board, hand.base);
            window = window.saturating_mul(2);
            since = 0;
        }
    }
}

/// The boards of a sowing after each of its laps, with the pit of that lap's last seed: what a
/// person watches. Never ends where the sowing never ends.
pub(crate) fn laps<const P: usize>(
    board: Board<P>,
    pit: usize,
    origin: Origin,
    ends: impl Fn(usize, u32) -> bool,
) -> impl Iterator<Item = (Board<P>, usize)> {
    let table = Laps::<P>::table(origin);
    let mut hand = Some(Hand::at(board, pit));
    std::iter::from_fn(move || {
        let mut now = hand?;
        now.sow(table);
        hand = (!ends(now.pit(), now.count)).then_some(now);
        Some((now.board, now.pit()))
    })
}

/// Goes back along every relay that ends with its last seed in `last`, and calls `met` with each pair (board, pit to
/// lift) on the way: exactly the pairs from which [`relay`] ends here. `board` is as sown, nothing captured yet.
///
/// Which lap was the last one? Its origin lost all seeds, or with full rounds into the origin kept exactly one for each
/// round, and every pit it passed holds at least one more than the rounds. So going back from `last` the origin
/// is the first empty pit; where laps sow into their origin and no pit is empty, the first that holds the fewest seeds
/// of all. The laps that sow their origin are thus a bijection on (board, pit). Laps that skip it can come to
/// one board with several numbers of rounds, where the origin is the only empty pit.
///
/// A pair met on the way is where another lap may have ended, unless its pit's count ends relays.
#[inline(always)]
pub(crate) fn unsow<const P: usize>(
    board: Board<P>,
    last: usize,
    origin: Origin,
    ends: impl Fn(usize, u32) -> bool,
    mut met: impl FnMut(&Board<P>, usize),
) {
    let table = Laps::<P>::table(origin);
    let (mut board, mut last) = (board, last);
    // Pairs with several rounds, to be gone back from later. Nearly always empty.
    let mut branches: Vec<(Board<P>, usize)> = Vec::new();
    loop {
        let empty = board.pits_with(0);
        let mut back = None;
        if empty != 0 {
            let (pit, steps) = first_behind::<P>(empty, last);
            back = Some((lap_back(board, pit, steps, table), pit, steps));
            if origin == Origin::Skipped && empty.is_power_of_two() {
                let most = board.fewest_but(pit);
                for rounds in 1..=most {
                    let count = steps + rounds as usize * (P - 1);
                    if count > crate::board::MAX_SEEDS as usize {
                        break;
                    }
                    // The pits of the last, partial round must hold one seed more than the rounds.
                    let holds = (1..=steps).all(|step| board.get((pit + step) % P) > rounds);
                    if holds {
                        let before = lap_back(board, pit, count, table);
                        met(&before, pit);
                        branches.push((before, pit));
                    }
                }
            }
        } else if origin == Origin::Sown {
            let fewest = board.fewest();
            let (pit, steps) = first_behind::<P>(board.pits_with(fewest), last);
            let count = steps + fewest as usize * P;
            back = Some((lap_back(board, pit, count, table), pit, count));
        }
        if let Some((before, pit, count)) = back {
            met(&before, pit);
            if !ends(pit, count as u32) {
                (board, last) = (before, pit);
                continue;
            }
        }
        match branches.pop() {
            // A lap of a full round or more never ends a relay.
            Some(branch) => (board, last) = branch,
            None => return,
        }
    }
}

/// The first pit of the set `pits` at or behind `from`, and how many steps lead from it to `from`.
#[inline(always)]
fn first_behind<const P: usize>(pits: u32, from: usize) -> (usize, usize) {
    let round = u64::from(pits) | u64::from(pits) << P;
    let behind = round & ((2u64 << (from + P)) - 1);
    let highest = 63 - behind.leading_zeros() as usize;
    (if highest >= P { highest - P } else { highest }, from + P - highest)
}

/// The board before the lap of `count` seeds from `pit`.
#[inline(always)]
fn lap_back<const P: usize>(mut board: Board<P>, pit: usize, count: usize, table: &LapTable) -> Board<P> {
    let at = pit * COUNTS + count;
    let words = &mut board.words;
    words[0] = words[0].wrapping_sub(table.delta[0][at]);
    words[1] = words[1].wrapping_sub(table.delta[1][at]);
    if P > 16 {
        words[2] = words[2].wrapping_sub(table.delta[2][at]);
    }
    board
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every lap of every table, the one that is compiled in and one made now, against seeds put down one by one.
    fn check<const P: usize>() {
        for origin in [Origin::Skipped, Origin::Sown] {
            let made = lap_table::<P>(origin);
            for pit in 0..P {
                for count in 1..=crate::board::MAX_SEEDS as usize {
                    let mut counts = [0u8; P];
                    counts[pit] = count as u8;
                    let hand = Hand::at(Board::<P>::from_counts(&counts), pit);
                    let hands = [Laps::<P>::table(origin), &made].map(|table| {
                        let mut hand = hand;
                        hand.sow(table);
                        (hand.board.counts(), hand.pit(), hand.count)
                    });
                    counts[pit] = 0;
                    let mut at = pit;
                    for _ in 0..count {
                        at = (at + 1) % P;
                        if at == pit && origin == Origin::Skipped {
                            at = (at + 1) % P;
                        }
                        counts[at] += 1;
                    }
                    let expected = (counts, at, u32::from(counts[at]));
                    assert_eq!(hands, [expected; 2], "{P} pits, {pit}, {count} seeds");
                }
            }
        }
    }

    #[test]
    fn a_lap_is_its_seeds_put_down_one_by_one() {
        check::<4>();
        check::<6>();
        check::<8>();
        check::<10>();
        check::<12>();
        check::<14>();
        check::<16>();
        check::<18>();
        check::<20>();
        check::<22>();
        check::<24>();
    }

    fn never_ends_in_hoyito(counts: [u8; 12], pit: usize) -> bool {
        relay(Board::<12>::from_counts(&counts), pit, Origin::Sown, |_, count| count == 1 || count == 4)
            .is_none()
    }

    #[test]
    fn a_period_of_64_851_laps_is_recognised() {
        // RULES.md: Hoyito, `1-0-4-3-2-11-5-7-0-2-6-3`, North, `f`, here from North's view.
        let counts = [5, 7, 0, 2, 6, 3, 1, 0, 4, 3, 2, 11];
        assert!(never_ends_in_hoyito(counts, 5));
        let board = Board::<12>::from_counts(&counts);
        let mut steps = laps(board, 5, Origin::Sown, |_, count| count == 1 || count == 4);
        // Well inside the cycle, the same (board, pit) comes back after exactly one period.
        let inside = steps.by_ref().nth(1_000_000).unwrap();
        let period = 1 + steps.position(|pair| pair == inside).unwrap();
        assert_eq!(period, 64_851);
    }

    #[test]
    fn the_short_cycles_of_the_rules_are_recognised() {
        assert!(never_ends_in_hoyito([2, 0, 1, 0, 1, 0, 1, 0, 1, 3, 2, 1], 0));
        let board = Board::<12>::from_counts(&[3, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
        assert_eq!(relay(board, 0, Origin::Skipped, |_, count| count == 1), None);
        let mut steps = laps(board, 0, Origin::Skipped, |_, count| count == 1);
        let inside = steps.by_ref().nth(1_000).unwrap();
        assert_eq!(1 + steps.position(|pair| pair == inside).unwrap(), 72);
    }
}

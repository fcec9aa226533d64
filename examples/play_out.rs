//! A game in which one side always plays a best move and the other any: the first gets at least what the position is worth.
//!
//! `cargo run --release --example play_out -- ayoayo 7`

use std::error::Error;
use std::sync::atomic::AtomicBool;

use oju::{Engine, Limits, Options, Position, Profile, Settings, Side};

/// Plays from the start, South best. Returns the value of the start, and South's seeds minus North's at the end.
fn run(profile: &str, mut random: u64) -> Result<(i32, i32), Box<dyn Error>> {
    let profile: Profile = profile.parse()?;
    let engine = Engine::new(profile, &Settings::default())?;
    let stop = AtomicBool::new(false);
    let mut position = Position::start(&profile);
    let mut worth = None;
    loop {
        let moves = match engine.options(&position) {
            Options::Moves(moves) => moves,
            Options::Over { shares } => {
                let [south, north] = position.stores();
                let margin = (south + shares[0]) as i32 - (north + shares[1]) as i32;
                return Ok((worth.ok_or("the game is over")?, margin));
            }
        };
        let letter = if position.side() == Side::South {
            let analysis = engine.analyse(&position, &Limits::none(&stop), &())?;
            worth = worth.or(analysis.value);
            analysis.moves[0].letter
        } else {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            moves[(random >> 33) as usize % moves.len()].letter
        };
        print!("{letter}");
        position = engine.play(&position, letter)?.position;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let profile = arguments.next().unwrap_or_else(|| "ayoayo".to_owned());
    let random = arguments.next().map_or(Ok(1), |number| number.parse())?;
    let (worth, margin) = run(&profile, random)?;
    println!("\nSouth could be sure of {worth:+}, and got {margin:+}.");
    Ok(())
}

#[cfg(test)]
#[test]
fn the_best_side_gets_what_the_start_is_worth() {
    for random in 1..4 {
        // A small board, so that a test build is quick.
        let (worth, margin) = run("ayoayo@2x4x3", random).unwrap();
        assert!(margin >= worth, "{margin} of {worth}");
    }
}

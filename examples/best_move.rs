//! The best move after some moves, with what is proven on the way.
//!
//! `cargo run --release --example best_move -- hoyito Af`

use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use oju::{Engine, Limits, Position, Profile, Settings, Watch};

/// Prints how the proven bounds of each move narrow.
struct Printed;

impl Watch for Printed {
    fn narrowed(&self, pit: Option<usize>, lower: i32, upper: i32, open: usize) {
        eprintln!("pit {pit:?}: {lower:+} to {upper:+}, {open} moves open");
    }
}

fn run(profile: &str, moves: &str) -> Result<String, Box<dyn Error>> {
    let profile: Profile = profile.parse()?;
    let engine = Engine::new(profile, &Settings::default())?;
    let position = engine.play_text(&Position::start(&profile), moves)?;
    let stop = AtomicBool::new(false);
    let limits = Limits { time: Some(Duration::from_secs(60)), ..Limits::none(&stop) };
    let analysis = engine.analyse(&position, &limits, &Printed)?;
    let best = analysis.moves.first().ok_or("the game is over")?;
    // From the view of the side to move, in seeds, from here on.
    Ok(match best.value {
        Some(value) => format!("{} is worth {value:+}; best play goes on {}", best.letter, analysis.line),
        None => format!("{} is worth {:+} to {:+}", best.letter, best.bounds[0], best.bounds[1]),
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let profile = arguments.next().unwrap_or_else(|| "ayoayo".to_owned());
    let moves = arguments.next().unwrap_or_default();
    println!("{}", run(&profile, &moves)?);
    Ok(())
}

#[cfg(test)]
#[test]
fn the_start_of_hoyito_is_lost_by_28() {
    // README.md: A is worth -28 to South, and so +28 to North, whose turn it is then.
    assert!(run("hoyito", "A").unwrap().contains(" is worth +28;"));
    assert!(run("hoyito", "a").is_err());
}

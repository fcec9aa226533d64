//! Endgame tables, built and asked: how many positions of each tier the side to move wins.
//!
//! `cargo run --release --example build_and_probe -- ayoayo 8 /tmp/tables`

use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use oju::build::{BuildOptions, BuildWatch, build};
use oju::index;
use oju::{Engine, Position, Profile, Settings, Side, Tables};

/// Watches nothing.
struct Quiet;

impl BuildWatch for Quiet {}

/// Wins, draws and losses of the side to move, by tier.
fn run(profile: &str, seeds: u32, dir: &Path) -> Result<Vec<[u64; 3]>, Box<dyn Error>> {
    let profile: Profile = profile.parse()?;
    let options = BuildOptions {
        dir: dir.to_owned(),
        seeds,
        forced: false,
        memory: 1 << 30,
        disk: 1 << 30,
        save_every: Duration::from_secs(300),
    };
    build(&profile, &options, &mut Quiet, &AtomicBool::new(false))?;
    let settings = Settings { tables: Tables::In(dir.to_owned()), ..Settings::default() };
    let engine = Engine::new(profile, &settings)?;
    let mut tiers = Vec::new();
    for seeds in (0..=seeds).step_by(profile.unit() as usize) {
        let mut tally = [0; 3];
        for rank in 0..index::tier_size(12, seeds) as u64 {
            let board = index::unrank::<12>(seeds, rank);
            let position = Position::from_board(&board, [0, 0], Side::South);
            let value = engine.probe(&position)?.ok_or("no table")?;
            tally[(1 - value.signum()) as usize] += 1;
        }
        tiers.push(tally);
    }
    Ok(tiers)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [profile, seeds, dir] = arguments.as_slice() else { return Err("PROFILE SEEDS DIRECTORY".into()) };
    for [wins, draws, losses] in run(profile, seeds.parse()?, Path::new(dir))? {
        println!("{wins} wins, {draws} draws, {losses} losses");
    }
    Ok(())
}

#[cfg(test)]
#[test]
fn tiers_of_ayoayo_are_those_of_an_independent_program() {
    let dir = tempfile::tempdir().unwrap();
    let tiers = run("ayoayo", 7, dir.path()).unwrap();
    assert_eq!(tiers[6..], [[7_047, 1_031, 4_298], [20_245, 0, 11_579]]);
}

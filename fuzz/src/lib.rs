//! What is fuzzed: each module takes any bytes and panics where the program breaks a promise.
//!
//! `scripts/fuzz.sh` feeds them to libFuzzer; `tests/fuzz_seeds.rs` includes this file and replays `fuzz/seeds/`, so a finding that
//! is kept there stays fixed.
#![allow(dead_code, unreachable_pub, missing_docs)]

pub mod batch_line;
#[cfg(feature = "explore")]
pub mod http_query;
#[path = "../../tests/literal/mod.rs"]
mod literal;
pub mod move_sequence;
pub mod position_text;
pub mod table_file;

use std::cell::RefCell;
use std::rc::Rc;

use oju::{Engine, MemoryTiers, Profile, Settings};

/// Engines that are kept: each has a thread.
const KEPT: usize = 12;

/// An engine that has no tables and solves nothing in memory, made once for the last few profiles.
fn engine(profile: Profile) -> Rc<Engine> {
    thread_local!(static ENGINES: RefCell<Vec<Rc<Engine>>> = const { RefCell::new(Vec::new()) });
    ENGINES.with_borrow_mut(|engines| {
        let engine = match engines.iter().position(|engine| *engine.profile() == profile) {
            Some(at) => engines.remove(at),
            None => Rc::new(Engine::new(profile, &settings()).expect("a thread")),
        };
        engines.insert(0, engine.clone());
        engines.truncate(KEPT);
        engine
    })
}

fn settings() -> Settings {
    Settings { table_bytes: 1 << 16, threads: 1, tiers: MemoryTiers::None, ..Settings::default() }
}

/// The bytes as text up to the first line end, and what follows it.
fn first_line(data: &[u8]) -> (String, &[u8]) {
    let end = data.iter().position(|&byte| byte == b'\n');
    let (line, rest) = data.split_at(end.unwrap_or(data.len()));
    (String::from_utf8_lossy(line).into_owned(), rest.get(1..).unwrap_or(&[]))
}

/// What is said to a person: one line, and nothing that could steer a terminal.
fn plain(text: &str) {
    assert!(!text.is_empty() && !text.chars().any(char::is_control), "not one plain line: {text:?}");
}

//! The inputs that fuzzing began with, and those that it found something with, once more: `fuzz/` says what is asked of each.

#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::fs;
use std::path::Path;

fn replay(target: &str, run: fn(&[u8])) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let mut seeds = 0;
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        // Shown where the test fails.
        println!("{}", path.display());
        run(&fs::read(path).unwrap());
        seeds += 1;
    }
    assert!(seeds >= 5, "{target}: the seeds are gone");
}

#[test]
fn position_text() {
    replay("position_text", targets::position_text::run);
}

#[test]
fn move_sequence() {
    replay("move_sequence", targets::move_sequence::run);
}

#[test]
fn table_file() {
    replay("table_file", targets::table_file::run);
}

#[test]
#[cfg(feature = "explore")]
fn http_query() {
    replay("http_query", targets::http_query::run);
}

#[test]
fn batch_line() {
    replay("batch_line", targets::batch_line::run);
}

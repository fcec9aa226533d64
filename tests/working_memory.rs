//! The memory that a build takes: at most 3 bytes a position of the tier being solved, plus the packed tiers below. And that a batch
//! takes, which does not grow with its input.
//!
//! Measured from outside, as the most that the whole process ever had in memory.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::process::{Command, Stdio};

use oju::index;
use wait4::{ResUse, Wait4 as _};

/// Bytes that building Hoyito II from nothing up to `seeds` seeds has in memory at most.
fn peak(seeds: u32) -> u64 {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
    command.args(["build", "hoyito", "--threads", "2", "--seeds"]).arg(seeds.to_string());
    command.arg("--tables").arg(dir.path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let ResUse { status, rusage } = command.spawn().unwrap().wait4().unwrap();
    assert!(status.success(), "{status}");
    rusage.maxrss
}

#[test]
fn a_build_takes_three_bytes_a_position() {
    let positions = |seeds| index::tier_size(12, seeds) as u64;
    // The program, its threads, and the buffers that are as large as ever from a million positions on. The 12 seeds' own
    // values and counters are none of it.
    let fixed = peak(12) - 2 * positions(12);
    // Values of fewer than 16 kinds are two to a byte.
    let below: u64 = [0, 4, 8, 12].map(|seeds| positions(seeds).div_ceil(2)).iter().sum();
    let tier = 3 * positions(16);
    let found = peak(16);
    assert!(found <= fixed + below + tier, "{found} bytes, {fixed} + {below} + {tier} allowed");
    // That it is measured at all: the tier's values and counters alone are two bytes a position.
    assert!(found >= 2 * positions(16), "{found} bytes");
}

/// Bytes that a batch over an input has in memory at most.
fn peak_of_batch(input: &std::path::Path) -> u64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
    command.args(["batch", "ayoayo@2x3x2", "--threads", "2", "--tt", "1M"]).arg(input);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let ResUse { status, rusage } = command.spawn().unwrap().wait4().unwrap();
    assert_eq!(status.code(), Some(1), "it has bad lines");
    rusage.maxrss
}

#[test]
fn a_batch_of_100_megabytes_is_a_stream() {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("in.txt");
    let piece = format!("start\n{}\n\n1-1-1-1-1-1-3-3-N\n", "x".repeat(9000));
    std::fs::write(&input, piece.repeat(10)).unwrap();
    let small = peak_of_batch(&input);
    // Ten thousand such pieces, and one line of 20 MB.
    // Written piece by piece: a new process is first as large as the one it comes from.
    let mut out = std::io::BufWriter::new(std::fs::File::create(&input).unwrap());
    for text in std::iter::repeat_n(&piece, 10_000).chain(std::iter::repeat_n(&"y".repeat(1000), 20_000)) {
        out.write_all(text.as_bytes()).unwrap();
    }
    drop(out);
    assert!(std::fs::metadata(&input).unwrap().len() > 100_000_000);
    let large = peak_of_batch(&input);
    assert!(large < small + (50 << 20), "{large} bytes, {small} for a small input");
}

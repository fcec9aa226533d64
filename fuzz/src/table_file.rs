//! Any bytes in the place of a table file: as they are, and once more with all checksums made right, so that what lies behind
//! those is met. Where the table is not refused and every number agrees with its children, every number must be right.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use oju::export::{Export, Format};
use oju::info::table_info;
use oju::verify::Verification;
use oju::{Engine, EngineError, Limits, Profile, Settings, Tables, notation};
use tempfile::TempDir;

use super::literal::{Forced, Values, Variant, solve_forced};

/// Tables of all tiers of two small boards.
const GOLDEN: [(&str, u8, &[u8]); 10] = [
    ("ayoayo@2x3x2", 0, include_bytes!("../../tests/golden/version-1/ayoayo_2x3x2-00.oju")),
    ("ayoayo@2x3x2", 1, include_bytes!("../../tests/golden/version-1/ayoayo_2x3x2-01.oju")),
    ("ayoayo@2x3x2", 2, include_bytes!("../../tests/golden/version-1/ayoayo_2x3x2-02.oju")),
    ("ayoayo@2x3x2", 3, include_bytes!("../../tests/golden/version-1/ayoayo_2x3x2-03.oju")),
    ("ayoayo@2x3x2", 4, include_bytes!("../../tests/golden/version-1/ayoayo_2x3x2-04.oju")),
    ("ayoayo@2x3x2", 5, include_bytes!("../../tests/golden/version-1/ayoayo_2x3x2-05.oju")),
    ("ayoayo@2x3x2", 6, include_bytes!("../../tests/golden/version-1/ayoayo_2x3x2-06.oju")),
    ("hoyito@2x3x2", 0, include_bytes!("../../tests/golden/version-1/hoyito_2x3x2-00.oju")),
    ("hoyito@2x3x2", 4, include_bytes!("../../tests/golden/version-1/hoyito_2x3x2-04.oju")),
    ("hoyito@2x3x2", 8, include_bytes!("../../tests/golden/version-1/hoyito_2x3x2-08.oju")),
];

/// Nodes of each analysis.
const NODES: u64 = 50;

struct Games {
    dir: TempDir,
    /// The literal values and forced intervals of each profile in [`GOLDEN`].
    values: Vec<(Profile, Values, Forced)>,
}

thread_local!(static GAMES: Games = games());

fn games() -> Games {
    // In memory where that can be had: the same file is written thousands of times a minute.
    let dir = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).expect("a directory");
    for (profile, seeds, bytes) in GOLDEN {
        fs::write(path(dir.path(), profile, seeds), bytes).expect("room");
    }
    let values = [("ayoayo@2x3x2", Variant::Ayoayo, 6), ("hoyito@2x3x2", Variant::Hoyito, 8)];
    let solve = |(name, variant, most): (&str, _, _)| {
        (name.parse().expect("a profile"), Values::solve(variant, 3, most), solve_forced(variant, 3, most))
    };
    Games { dir, values: values.map(solve).into() }
}

/// A directory with the tables as they should be, for others too.
pub fn golden_dir() -> PathBuf {
    GAMES.with(|games| games.dir.path().to_path_buf())
}

fn path(dir: &Path, profile: &str, seeds: u8) -> PathBuf {
    dir.join(format!("{}-{seeds:02}.oju", profile.replace('@', "_")))
}

pub fn run(data: &[u8]) {
    GAMES.with(|games| {
        let (name, seeds, good) = place(data);
        let path = path(games.dir.path(), name, seeds);
        let (profile, values, forced) =
            games.values.iter().find(|(profile, ..)| profile.to_string() == name).expect("both are there");
        let mut repaired = data.to_vec();
        repair(&mut repaired);
        for bytes in [data, &repaired] {
            fs::write(&path, bytes).expect("room");
            examine(games.dir.path(), profile, seeds, values, forced);
            if bytes == repaired {
                break;
            }
        }
        fs::write(&path, good).expect("room");
    });
}

/// The golden table that the bytes say they are, if they do.
fn place(data: &[u8]) -> (&'static str, u8, &'static [u8]) {
    let said = || {
        let length = usize::from(*data.get(14)?);
        let name = data.get(15..15 + length)?;
        let seeds = *data.get(15 + length + 5)?;
        GOLDEN.into_iter().find(|golden| golden.0.as_bytes() == name && golden.1 == seeds)
    };
    said().unwrap_or(GOLDEN[4])
}

/// Opens, looks at and verifies everything there is.
fn examine(dir: &Path, profile: &Profile, seeds: u8, values: &Values, forced: &Forced) {
    let stop = AtomicBool::new(false);
    let settings = Settings { tables: Tables::In(dir.to_path_buf()), ..super::settings() };
    let info = table_info(profile, dir, seeds.into());
    let verification = Verification::new(profile, dir, None, &stop).expect("tables are there");
    let sound = verification.checksums(seeds.into(), &|_, _, _| {});
    let engine = match (Engine::new(*profile, &settings), info) {
        (Ok(engine), Ok(info)) => {
            serde_json::to_string(&info).expect("plain data");
            engine
        }
        (Err(EngineError::Table(error)), Err(info)) => {
            assert!(sound.is_err(), "refused: {error}");
            super::plain(&error.to_string());
            return assert_eq!(error.to_string(), info.to_string());
        }
        (engine, info) => panic!("{:?}, {:?}", engine.err(), info.err()),
    };

    let mut verified = 0;
    let right = match verification.deep(&mut |_| verified += 1, &|_, _, _| {}) {
        Ok(None) => true,
        Ok(Some(mismatch)) => {
            super::plain(&mismatch.to_string());
            false
        }
        Err(error) => {
            super::plain(&error.to_string());
            false
        }
    };
    if right {
        assert_eq!(verified, verification.tiers().len());
        assert!(sound.is_ok(), "read in full");
    }
    if let Err(error) = sound {
        super::plain(&error.to_string());
    }

    let limits = Limits { nodes: Some(NODES), ..Limits::none(&stop) };
    for (number, (counts, value)) in values.tier(seeds.into()).enumerate() {
        let text = counts.iter().map(u32::to_string).collect::<Vec<_>>().join("-");
        let position = notation::parse_position(profile, &text).expect("a position");
        match engine.probe(&position) {
            Ok(found) => assert!(!right || found == Some(value), "{position}: {found:?}"),
            Err(error) => {
                assert!(!right, "{error}");
                super::plain(&error.to_string());
                break;
            }
        }
        if number % 97 == 0
            && let Ok(analysis) = engine.analyse(&position, &limits, &())
            && right
        {
            assert_eq!(analysis.value, Some(value), "{position}");
            if let Some(found) = analysis.forced {
                let (low, high) = forced.get(counts);
                assert_eq!(found.interval(), Some([low, high]), "{position}");
            }
        }
    }
    // A search that stands on it.
    let start = oju::Position::start(profile);
    let _ = engine.analyse_forced(&start, &limits, &());

    let export = Export::open(profile, dir, seeds.into(), &stop, &|_, _, _| {});
    if let Ok(export) = export {
        let written = export.write(Format::Csv, &mut io::sink(), "nowhere", &stop, &|_, _, _| {});
        assert!(written.is_ok() || !right);
    } else {
        assert!(!right);
    }
}

/// Makes the checksums right, as far as the bytes are those of a table at all: `src/table.rs` has the format.
fn repair(bytes: &mut [u8]) -> Option<()> {
    let header = number::<4>(bytes, 10)? as usize;
    let mut at = 15 + usize::from(*bytes.get(14)?) + 4 + 3;
    let positions = number::<8>(bytes, at)?;
    let page = number::<2>(bytes, at + 8)?.checked_mul(number::<2>(bytes, at + 10)?)?;
    let pages = positions.div_ceil(page.max(1)) as usize;
    let planes = *bytes.get(at + 12)?;
    at += 13;
    for _ in 0..planes.min(4) {
        let width = if *bytes.get(at)? == 1 { 2 } else { 1 };
        let entries = number::<4>(bytes, at + 1)? as usize;
        at = entries.checked_mul(width + 16)?.checked_add(at + 5)?;
        at = (number::<4>(bytes, at)? as usize).checked_add(at + 4)?;
        let index = number::<8>(bytes, at)? as usize;
        let end = number::<8>(bytes, at + 12)?.checked_add(number::<8>(bytes, at + 20)?)? as usize;
        repair_plane(bytes, at + 8, index, pages, end);
        at += 28;
    }
    sum(bytes, 0, header.checked_sub(4)?, header - 4)
}

/// The checksums of pages in their index, then the index's own, which stands at `place`.
fn repair_plane(bytes: &mut [u8], place: usize, index: usize, pages: usize, end: usize) -> Option<()> {
    for page in 0..pages.min(bytes.len()) {
        let entry = index.checked_add(12 * page)?;
        let offset = number::<8>(bytes, entry)? as usize;
        let next = if page + 1 < pages { number::<8>(bytes, entry + 12)? as usize } else { end };
        sum(bytes, offset, next, entry + 8);
    }
    sum(bytes, index, index.checked_add(pages.checked_mul(12)?)?, place)
}

fn sum(bytes: &mut [u8], start: usize, end: usize, place: usize) -> Option<()> {
    let sum = crc32fast::hash(bytes.get(start..end)?);
    bytes.get_mut(place..place.checked_add(4)?)?.copy_from_slice(&sum.to_le_bytes());
    Some(())
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let mut number = [0; 8];
    number[..N].copy_from_slice(bytes.get(at..at.checked_add(N)?)?);
    Some(u64::from_le_bytes(number))
}

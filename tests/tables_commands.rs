//! `oju verify`, `oju info` and `oju export` against small tables, as people meet them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use oju::build::{BuildError, BuildOptions, build};
use oju::{Profile, TableError};
use tempfile::TempDir;

struct Tables {
    dir: TempDir,
}

impl Tables {
    fn new(profiles: &[(&str, u32, bool)]) -> Self {
        let dir = TempDir::new().unwrap();
        for &(profile, seeds, forced) in profiles {
            let profile: Profile = profile.parse().unwrap();
            let options = BuildOptions {
                dir: dir.path().join("tables"),
                seeds,
                forced,
                memory: 1 << 30,
                disk: 1 << 30,
                save_every: Duration::from_secs(60),
            };
            // A command that another test starts at this moment has the last build's lock open for an instant, between
            // fork and exec.
            let built =
                (0..100).find_map(|_| match build(&profile, &options, &mut (), &AtomicBool::new(false)) {
                    Err(BuildError::Table(TableError::InUse { .. })) => {
                        std::thread::sleep(Duration::from_millis(20));
                        None
                    }
                    built => Some(built),
                });
            built.unwrap().unwrap();
        }
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("tables").join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
        command
            .args(arguments)
            .env("OJU_TABLES", self.path(""))
            .stdin(Stdio::null())
            .current_dir(self.dir.path());
        command
    }

    fn oju(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What a command prints, exit code 0.
    fn prints(&self, arguments: &[&str]) -> String {
        let output = self.oju(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    }

    /// One line on stderr that holds `reason`, exit code 2, nothing on stdout.
    fn refused(&self, arguments: &[&str], reason: &str) {
        let output = self.oju(arguments);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert_eq!(stdout(&output), "", "{arguments:?}");
        assert_eq!(said.lines().count(), 1, "{arguments:?}: {said}");
        assert!(said.contains(reason), "{arguments:?}: {said}");
    }

    /// `reason` on stdout, exit code 1.
    fn found(&self, arguments: &[&str], reason: &str) {
        let output = self.oju(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", stderr(&output));
        assert!(stdout(&output).contains(reason), "{arguments:?}: {}", stdout(&output));
        assert!(stderr(&output).contains("damaged"), "{}", stderr(&output));
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn good_tables_are_verified() {
    let tables = Tables::new(&[("ayoayo@2x3x3", 9, true), ("ayoayo", 8, false), ("hoyito", 8, true)]);
    let text = tables.prints(&["verify", "ayoayo@2x3x3"]);
    assert_eq!(text.lines().count(), 10);
    assert!(text.lines().all(|line| line.ends_with(": checksums right")), "{text}");
    let text = tables.prints(&["verify", "ayoayo", "--deep", "--threads", "2"]);
    assert_eq!(text.lines().count(), 9);
    assert!(text.contains("ayoayo,  8 seeds:          75,582 positions, "), "{text}");
    assert!(text.lines().all(|line| line.ends_with(": values and distances right")), "{text}");
    let text = tables.prints(&["verify", "hoyito", "--deep", "--sample", "5", "--seeds", "8"]);
    assert_eq!(
        text.lines().filter(|line| line.ends_with("values, distances and forced intervals right")).count(),
        3
    );
    assert!(text.contains("sample 1: 5 values equal to those of a search without tables\n"), "{text}");
    assert_eq!(tables.prints(&["verify", "hoyito", "--seeds", "7"]).lines().count(), 2);
    let more = tables.oju(&["verify", "hoyito", "--seeds", "18"]);
    assert!(more.status.success());
    let remark = "oju: hoyito has no tables here of these numbers of seeds: 12, 16\n";
    assert_eq!(stderr(&more), remark, "what was asked for and is not there is said");

    tables.refused(&["verify", "ayoayo-pratt"], "no tables of ayoayo-pratt: build them with `oju build");
    tables.refused(&["verify", "--tables", "nowhere"], "nowhere: no such directory of tables");
    tables.refused(&["verify", "--seeds", "97"], "--seeds");
    fs::remove_file(tables.path("hoyito-04.oju")).unwrap();
    tables.refused(&["verify", "hoyito", "--deep"], "hoyito-04.oju: no such table");
    assert_eq!(tables.prints(&["verify", "hoyito"]).lines().count(), 2, "of what is there");
}

#[test]
fn tables_that_are_named_and_of_no_use_are_spoken_of() {
    let tables = Tables::new(&[("ayoayo@2x3x3", 6, false)]);
    let best = |profile: &str| tables.oju(&["best", profile, "1-0-1-0-1-1-N", "--line-only"]);
    assert_eq!(stderr(&best("ayoayo@2x3x3")), "");
    let other = best("hoyito@2x3x2");
    assert!(other.status.success(), "the search does without");
    assert!(stderr(&other).contains("has no tables of hoyito@2x3x2"), "{}", stderr(&other));
    // Without the smallest one the others have nothing to stand on.
    fs::remove_file(tables.path("ayoayo_2x3x3-00.oju")).unwrap();
    assert!(stderr(&best("ayoayo@2x3x3")).contains("has no tables of ayoayo@2x3x3"));
}

#[test]
fn what_is_no_table_is_found() {
    let tables = Tables::new(&[("ayoayo@2x3x3", 6, false), ("hoyito@2x3x2", 4, false)]);
    let path = tables.path("ayoayo_2x3x3-05.oju");
    let good = fs::read(&path).unwrap();
    let everywhere = |reason: &str| {
        tables.found(&["verify", "ayoayo@2x3x3"], reason);
        tables.found(&["verify", "ayoayo@2x3x3", "--deep"], reason);
        tables.refused(&["info", "ayoayo@2x3x3"], reason);
        tables.refused(&["info", "--json"], reason);
        tables.refused(&["export", "ayoayo@2x3x3", "--seeds", "5"], reason);
        tables.refused(&["export", "ayoayo@2x3x3", "--seeds", "6"], reason);
    };
    fs::write(&path, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    everywhere("ayoayo_2x3x3-05.oju: damaged (not a table");
    let text = stdout(&tables.oju(&["verify", "ayoayo@2x3x3"]));
    assert_eq!(text.matches("checksums right").count(), 6, "the others are verified all the same");
    fs::write(&path, &good[..good.len() - 1]).unwrap();
    everywhere("cut short");
    fs::write(&path, b"").unwrap();
    everywhere("damaged (empty)");
    // A page: the header knows nothing of it.
    let mut bad = good.clone();
    *bad.last_mut().unwrap() ^= 1;
    fs::write(&path, &bad).unwrap();
    tables.found(&["verify", "ayoayo@2x3x3"], "05.oju: damaged (page 0 of distances: wrong checksum)");
    tables.found(&["verify", "ayoayo@2x3x3", "--deep"], "wrong checksum");
    tables.refused(&["export", "ayoayo@2x3x3", "--seeds", "5", "--output", "o.csv"], "wrong checksum");
    assert!(!tables.dir.path().join("o.csv").exists());
    // Good tables, of something else: nothing is damaged, nothing is verified.
    fs::copy(tables.path("ayoayo_2x3x3-04.oju"), &path).unwrap();
    tables.refused(&["info", "ayoayo@2x3x3"], "the table of 4 seeds, not of 5");
    let output = tables.oju(&["verify", "ayoayo@2x3x3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("the table of 4 seeds, not of 5"));
    fs::copy(tables.path("hoyito_2x3x2-04.oju"), &path).unwrap();
    tables.refused(&["verify", "ayoayo@2x3x3", "--deep"], "a table of hoyito@2x3x2");
    let mut other = good.clone();
    other[8] = 9;
    fs::write(&path, &other).unwrap();
    tables.refused(&["info", "ayoayo@2x3x3"], "written by format version 9, this program reads 1");
}

#[test]
fn info_says_what_is_there() {
    let tables = Tables::new(&[("ayoayo", 8, true), ("hoyito", 8, true), ("ayoayo@2x3x3", 4, false)]);
    fs::write(tables.path("notes-of-mine-08.oju"), "not a profile").unwrap();
    let json: serde_json::Value = serde_json::from_str(&tables.prints(&["info", "--json"])).unwrap();
    let table = |profile: &str, seeds: u32| {
        let all = json["tables"].as_array().unwrap();
        all.iter().find(|table| table["profile"] == profile && table["seeds"] == seeds).unwrap().clone()
    };
    // From independent programs.
    for (profile, seeds, wins, draws, losses, standoffs) in [
        ("ayoayo", 6, 7_047, 1_031, 4_298, 0),
        ("ayoayo", 7, 20_245, 0, 11_579, 0),
        ("ayoayo", 8, 32_773, 31_071, 11_738, 0),
        ("hoyito", 8, 38_988, 2_896, 33_698, 2_896),
    ] {
        let table = table(profile, seeds);
        assert_eq!(table["wins"], wins, "{profile} {seeds}");
        assert_eq!(table["draws"], draws, "{profile} {seeds}");
        assert_eq!(table["losses"], losses, "{profile} {seeds}");
        assert_eq!(table["standoffs"], standoffs, "{profile} {seeds}");
        assert_eq!(table["positions"], wins + draws + losses);
        let sum: i64 =
            table["values"].as_array().unwrap().iter().map(|v| v["positions"].as_i64().unwrap()).sum();
        assert_eq!(sum, wins + draws + losses);
        let name = format!("{profile}-{seeds:02}.oju");
        assert_eq!(table["bytes"], fs::metadata(tables.path(&name)).unwrap().len());
        let parts = &table["part_bytes"];
        let parts = ["values", "distances", "forced"].map(|part| parts[part].as_u64().unwrap());
        let rest = table["bytes"].as_u64().unwrap() - parts.iter().sum::<u64>();
        assert!(rest < 8_000, "a header of {rest} bytes");
    }
    assert!(table("ayoayo@2x3x3", 4)["standoffs"].is_null());
    assert_eq!(json["tables"].as_array().unwrap().len(), 9 + 3 + 5);

    let text = tables.prints(&["info"]);
    for part in ["38,988", "2,896", "33,698", "75,582", "ayoayo@2x3x3, rules "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = tables.prints(&["info", "hoyito"]);
    assert!(text.contains("8 seeds, by value for the side to move:"), "{text}");
    let best = |position: &str| -> serde_json::Value {
        let output = tables.oju(&["best", "hoyito", position, "--json"]);
        serde_json::from_slice(&output.stdout).unwrap()
    };
    // Every example has its value, and each distance.
    let hoyito = table("hoyito", 8);
    for value in hoyito["values"].as_array().unwrap() {
        assert!(text.contains(value["example"].as_str().unwrap()));
        assert_eq!(best(value["example"].as_str().unwrap())["value"], value["number"], "{value}");
    }
    for distance in hoyito["distances"].as_array().unwrap() {
        assert_eq!(best(distance["example"].as_str().unwrap())["distance"], distance["number"], "{distance}");
    }
    let last = hoyito["distances"].as_array().unwrap().iter().rev().find(|d| !d["number"].is_null()).unwrap();
    assert_eq!(hoyito["deepest"], last["number"]);
    let standoff = hoyito["standoff_example"].as_str().unwrap();
    assert!(text.contains(&format!("a stand-off: {standoff}")), "{text}");

    let one: serde_json::Value =
        serde_json::from_str(&tables.prints(&["info", "hoyito", "--seeds", "4", "--json"])).unwrap();
    assert_eq!(one["tables"].as_array().unwrap().len(), 1);
    tables.refused(
        &["info", "hoyito", "--seeds", "12"],
        "no table of 12 seeds: build it with `oju build hoyito --seeds 12`",
    );
    tables.refused(&["info", "hoyito12"], "no tables of hoyito12");
    tables.refused(&["info", "--seeds", "8"], "<PROFILE>");
    tables.refused(&["info", "--tables", "nowhere"], "nowhere: no such directory of tables");
}

/// All positions of `seeds` seeds in `pits` pits in lexicographic order, by plain recursion.
fn positions(pits: usize, seeds: u8) -> Vec<Vec<u8>> {
    if pits == 1 {
        return vec![vec![seeds]];
    }
    let rest = |first: u8| positions(pits - 1, seeds - first).into_iter().map(move |rest| (first, rest));
    (0..=seeds).flat_map(rest).map(|(first, rest)| [vec![first], rest].concat()).collect()
}

#[test]
fn exported_rows_are_the_positions_in_their_order() {
    for (profile, pits, seeds, forced) in [
        ("ayoayo@2x3x3", 6, 6, false),
        ("hoyito@2x3x4", 6, 8, true),
        ("hoyito@2x3x4", 6, 0, true),
        ("ayoayo@2x2x4", 4, 9, true),
    ] {
        let tables = Tables::new(&[(profile, u32::from(seeds), forced)]);
        let number = seeds.to_string();
        let export =
            |more: &[&str]| tables.prints(&[&["export", profile, "--seeds", &number], more].concat());
        let csv = export(&[]);
        assert_eq!(export(&["--format", "csv", "--output", "-", "--threads", "1"]), csv);
        let mut lines = csv.lines();
        let names = if pits == 6 { "A,B,C,a,b,c" } else { "A,B,a,b" };
        let more = if forced { ",low,high" } else { "" };
        assert_eq!(lines.next(), Some(&format!("{names},value,distance{more}")[..]));
        assert_eq!(export(&["--output", "t.npy"]), "");
        let npy = fs::read(tables.dir.path().join("t.npy")).unwrap();
        let rows = positions(pits, seeds);
        let (start, width) = npy_start(&npy, rows.len(), forced, pits);
        assert_eq!(lines.clone().count(), rows.len());
        for (at, (line, position)) in lines.zip(&rows).enumerate() {
            let cells: Vec<&str> = line.split(',').collect();
            let counts: Vec<u8> = cells[..pits].iter().map(|cell| cell.parse().unwrap()).collect();
            assert_eq!(counts, *position, "row {at}");
            let row = &npy[start + at * width..][..width];
            assert_eq!(row[..pits], *position);
            assert_eq!((row[pits] as i8).to_string(), cells[pits]);
            let distance = u16::from_le_bytes([row[pits + 1], row[pits + 2]]);
            let distance = if distance == u16::MAX { String::new() } else { distance.to_string() };
            assert_eq!(distance, cells[pits + 1]);
            for (byte, cell) in row[pits + 3..].iter().zip(&cells[pits + 2..]) {
                assert_eq!((*byte as i8).to_string(), *cell);
            }
            // The numbers, against the solver in memory: a few of them, spread over the tier.
            if at % 37 == 0 {
                let text = cells[..pits].join("-");
                let answer = tables.oju(&["best", profile, &text, "--json"]);
                let answer: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
                assert_eq!(answer["value"].to_string(), cells[pits], "{text}");
                let distance = &answer["distance"];
                let distance = if distance.is_null() { String::new() } else { distance.to_string() };
                assert_eq!(distance, cells[pits + 1], "{text}");
                if forced {
                    let ends: Vec<i32> = cells[pits + 2..].iter().map(|cell| cell.parse().unwrap()).collect();
                    let value: i32 = cells[pits].parse().unwrap();
                    assert!(ends[0] <= value && value <= ends[1]);
                }
            }
        }
    }
}

/// Where the rows of an array file begin, and how long each is.
fn npy_start(npy: &[u8], rows: usize, forced: bool, pits: usize) -> (usize, usize) {
    assert_eq!(npy[..8], *b"\x93NUMPY\x01\x00");
    let start = 10 + usize::from(u16::from_le_bytes([npy[8], npy[9]]));
    assert_eq!(start % 64, 0);
    let header = std::str::from_utf8(&npy[10..start]).unwrap();
    assert!(header.starts_with("{'descr': [('A', '|u1'), ('B', '|u1'), "), "{header}");
    assert!(header.contains("('value', '|i1'), ('distance', '<u2')"), "{header}");
    assert_eq!(header.contains("('low', '|i1'), ('high', '|i1')]"), forced);
    assert!(
        header.trim_end().ends_with(&format!("'fortran_order': False, 'shape': ({rows},), }}")),
        "{header}"
    );
    assert!(header.ends_with('\n'));
    let width = pits + 3 + if forced { 2 } else { 0 };
    assert_eq!(npy.len(), start + rows * width);
    (start, width)
}

#[test]
fn exports_are_written_whole_or_not_at_all() {
    let tables = Tables::new(&[("ayoayo@2x3x3", 6, false)]);
    let export = ["export", "ayoayo@2x3x3", "--seeds", "6", "--output"];
    let with = |more: &[&'static str]| [&export[..], more].concat();
    fs::write(tables.dir.path().join("kept.csv"), "mine").unwrap();
    tables.refused(&with(&["kept.csv"]), "kept.csv: is there already");
    assert_eq!(fs::read(tables.dir.path().join("kept.csv")).unwrap(), b"mine");
    tables.prints(&with(&["kept.csv", "--force"]));
    assert!(
        fs::read(tables.dir.path().join("kept.csv"))
            .unwrap()
            .starts_with(b"A,B,C,a,b,c,value,distance\n0,0,0,0,0,6,")
    );
    tables.refused(&with(&["no/such/directory.csv"]), "directory.csv: can not be written");
    tables.refused(&with(&["tables"]), "tables: can not be written");
    tables.refused(&with(&["-", "--format", "npy"]), "only csv can be written to stdout");
    tables.refused(&with(&["-", "--format", "xml"]), "--format");
    tables.refused(&["export", "ayoayo@2x3x3"], "--seeds");
    tables.refused(&["export", "ayoayo@2x3x3", "--seeds", "19"], "0 to 18 seeds");
    tables.refused(&["export", "hoyito", "--seeds", "6"], "a multiple of four");
    tables.refused(
        &["export", "ayoayo@2x3x3", "--seeds", "7"],
        "no such table: build it with `oju build ayoayo@2x3x3 --seeds 7`",
    );
    if !cfg!(feature = "parquet") {
        tables.refused(&with(&["t.parquet"]), "--features parquet");
    }
    let left = |dir: &Path| {
        fs::read_dir(dir)
            .unwrap()
            .filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().contains(".tmp"))
            .count()
    };
    assert_eq!(left(tables.dir.path()), 0, "no file is left unfinished");
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_none() {
    let tables = Tables::new(&[("ayoayo", 6, false)]);
    if Path::new("/dev/full").exists() {
        for ending in ["csv", "npy"] {
            let full = ["export", "--seeds", "6", "--output", "/dev/full", "--format", ending];
            tables.refused(&full, "/dev/full: can not be written");
        }
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = tables.command(&["export", "--seeds", "6"]).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("stdout: can not be written"));
    }
    let mut child = tables
        .command(&["export", "--seeds", "6"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_files_hold_the_rows_of_the_text() {
    use parquet::file::reader::{FileReader, SerializedFileReader};

    let tables = Tables::new(&[("hoyito@2x3x4", 8, true)]);
    let csv = tables.prints(&["export", "hoyito@2x3x4", "--seeds", "8"]);
    tables.prints(&["export", "hoyito@2x3x4", "--seeds", "8", "--output", "t.parquet"]);
    let file = fs::File::open(tables.dir.path().join("t.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let mut rows = reader.get_row_iter(None).unwrap();
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    for line in lines {
        let row = rows.next().unwrap().unwrap();
        let cells = row.get_column_iter().map(|(name, cell)| (name.as_str(), cell.to_string()));
        let of_text = line.split(',').map(|cell| if cell.is_empty() { "null" } else { cell }.to_string());
        assert!(cells.eq(names.iter().copied().zip(of_text)), "{row}: {line}");
    }
    assert!(rows.next().is_none());
    if Path::new("/dev/full").exists() {
        let full = ["export", "hoyito@2x3x4", "--seeds", "8", "--output", "/dev/full", "--format", "parquet"];
        tables.refused(&full, "oju: /dev/full: can not be written: No space left");
    }
}

//! Builds that are interrupted, killed, resumed, in each other's way, or out of room.
//!
//! "The same" means byte for byte what one undisturbed builder on one thread makes.
#![cfg(unix)]

mod random;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use oju::build::BuildOptions;
use random::Random;
use tempfile::TempDir;

/// Arguments of `oju build`, but for the directory and the number of threads.
type Game = &'static [&'static str];

const AYOAYO: Game = &["ayoayo@2x5x4", "--seeds", "13", "--save-every", "1ms"];
const SMALL: Game = &["ayoayo@2x5x4", "--seeds", "9", "--save-every", "1ms"];
const FORCED: Game = &["ayoayo@2x5x4", "--seeds", "10", "--forced", "--save-every", "1ms"];
const HOYITO: Game = &["hoyito@2x5x4", "--seeds", "12", "--forced", "--save-every", "1ms"];

/// How a build ended.
struct Ended {
    status: ExitStatus,
    stderr: String,
}

impl Ended {
    fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Exit code 2, and one line at the end that holds `reason`.
    fn refused(&self, reason: &str) {
        assert_eq!(self.code(), Some(2), "{}", self.stderr);
        let last = self.stderr.lines().last().unwrap_or_default();
        assert!(last.starts_with("oju: ") && last.contains(reason), "{reason}: {}", self.stderr);
    }
}

fn command(game: &[&str], dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
    command.arg("build").args(game).arg("--tables").arg(dir);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Waits for a builder. Whatever it says, it says to a file: nothing moves the cursor.
fn end(mut child: Child) -> Ended {
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert!(!stderr.contains(['\r', '\u{1b}']) && !stderr.contains("panicked"), "{stderr}");
    Ended { status: child.wait().unwrap(), stderr }
}

fn build(game: &[&str], dir: &Path) -> Ended {
    end(command(game, dir).spawn().unwrap())
}

fn built(game: &[&str], dir: &Path) -> String {
    let ended = build(game, dir);
    assert_eq!(ended.code(), Some(0), "{}", ended.stderr);
    ended.stderr
}

fn signal(child: &Child, name: &str) {
    let killed = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
}

/// All files of a directory but the lock, by name.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path));
    let read = |(name, path): (String, PathBuf)| (name, fs::read(path).unwrap());
    named.filter(|(name, _)| name != ".lock").map(read).collect()
}

/// What an undisturbed builder on one thread makes.
fn undisturbed(game: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let dir = TempDir::new().unwrap();
    built(&[game, &["--threads", "1"]].concat(), dir.path());
    let files = files(dir.path());
    assert!(files.len() > 3 && files.keys().all(|name| name.ends_with(".oju")), "{:?}", files.keys());
    files
}

/// Every file under a final name is the right one, to the last byte.
fn intact(dir: &Path, right: &BTreeMap<String, Vec<u8>>) -> usize {
    let tables: Vec<_> = files(dir).into_iter().filter(|(name, _)| !name.starts_with('.')).collect();
    for (name, bytes) in &tables {
        assert!(right.get(name) == Some(bytes), "{name} is not what an undisturbed build makes");
    }
    tables.len()
}

/// Just these files are there, nothing half-solved or unfinished.
fn complete(dir: &Path, right: &BTreeMap<String, Vec<u8>>) {
    let files = files(dir);
    assert_eq!(files.keys().collect::<Vec<_>>(), right.keys().collect::<Vec<_>>());
    intact(dir, right);
}

/// Interrupts and kills builders at random moments until `signals` have been sent. Gives how often one went on from a
/// half-solved tier.
fn disturbed(game: Game, signals: usize, longest_ms: u64, seed: u64) -> usize {
    let right = undisturbed(game);
    let mut random = Random::new(seed);
    let (mut sent, mut went_on) = (0, 0);
    while sent < signals {
        let dir = TempDir::new().unwrap();
        let mut tables = 0;
        loop {
            let threads = (1 + random.below(3)).to_string();
            let child = command(&[game, &["--threads", &threads]].concat(), dir.path()).spawn().unwrap();
            let ended = if sent < signals {
                std::thread::sleep(Duration::from_millis(random.below(longest_ms)));
                let name = ["INT", "KILL"][sent % 2];
                signal(&child, name);
                sent += 1;
                let told = Instant::now();
                let ended = end(child);
                if name == "INT" {
                    assert!(told.elapsed() < Duration::from_secs(2), "it took {:?} to end", told.elapsed());
                    // At the very beginning nothing is ready to say a word, and nothing has been said.
                    let early = ended.status.signal() == Some(2) && ended.stderr.is_empty();
                    if !early && ended.code() != Some(0) {
                        assert_eq!(ended.code(), Some(130), "{:?}: {}", ended.status, ended.stderr);
                        let last = ended.stderr.lines().last().unwrap();
                        assert!(last.contains("the same command goes on"), "{last}");
                    }
                }
                ended
            } else {
                end(child)
            };
            assert!(!ended.stderr.contains("begun anew"), "{}", ended.stderr);
            went_on += ended.stderr.matches("goes on with").count();
            if dir.path().join(".lock").exists() {
                let now = intact(dir.path(), &right);
                assert!(now >= tables, "tables vanished");
                tables = now;
            }
            if ended.code() == Some(0) {
                break;
            }
            assert!(sent < signals || ended.status.signal().is_some() || ended.code() == Some(130));
        }
        complete(dir.path(), &right);
    }
    went_on
}

#[test]
fn interrupted_builds_end_as_if_nothing_had_been() {
    let went_on = disturbed(AYOAYO, 40, 800, 1);
    assert!(went_on >= 3, "half-solved tiers were used {went_on} times only");
}

#[test]
fn interrupted_builds_of_forced_intervals_and_of_hoyito() {
    let went_on = disturbed(FORCED, 12, 500, 2) + disturbed(HOYITO, 12, 1000, 3);
    assert!(went_on >= 2, "half-solved tiers were used {went_on} times only");
}

/// Kills a builder as soon as it has saved a half-solved tier, and gives that file.
fn half_solved(game: &[&str], dir: &Path) -> (PathBuf, Vec<u8>) {
    for _ in 0..20 {
        let mut child = command(game, dir).spawn().unwrap();
        let half = loop {
            let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
            let half = entries.into_iter().find(|path| path.extension().is_some_and(|e| e == "half"));
            if half.is_some() || child.try_wait().unwrap().is_some() {
                break half;
            }
        };
        let _ = child.kill();
        end(child);
        // The tier may have been finished meanwhile.
        if let Some((path, bytes)) = half.and_then(|path| Some((path.clone(), fs::read(path).ok()?))) {
            return (path, bytes);
        }
        fs::read_dir(dir).unwrap().for_each(|entry| fs::remove_file(entry.unwrap().path()).unwrap());
    }
    panic!("no half-solved tier was ever saved");
}

#[test]
fn half_solved_tiers_are_used_or_reported_once() {
    let right = undisturbed(SMALL);
    let work = TempDir::new().unwrap();
    let (path, good) = half_solved(SMALL, work.path());
    let name = path.file_name().unwrap();
    let table = name.to_str().unwrap()[1..].strip_suffix(".half").unwrap().to_owned();
    let before: BTreeMap<_, _> =
        right.iter().filter(|(name, _)| **name < table).map(|(n, b)| (n.clone(), b.clone())).collect();
    // A directory as the killed builder left it, but for this half-solved tier.
    let left = |half: &[u8]| {
        let dir = TempDir::new().unwrap();
        before.iter().for_each(|(name, bytes)| fs::write(dir.path().join(name), bytes).unwrap());
        fs::write(dir.path().join(name), half).unwrap();
        // What killed builders leave elsewhere.
        fs::write(dir.path().join(format!(".{table}.tmp")), "unfinished").unwrap();
        fs::write(dir.path().join(format!(".{table}.half.tmp")), "unfinished").unwrap();
        fs::write(dir.path().join(".ayoayo_2x5x4-00.oju.half"), "of a finished tier").unwrap();
        dir
    };
    for threads in ["1", "3"] {
        let dir = left(&good);
        let said = built(&[SMALL, &["--threads", threads]].concat(), dir.path());
        assert!(said.contains(&format!("goes on with {}", dir.path().join(name).display())), "{said}");
        complete(dir.path(), &right);
    }
    let flipped = |share: usize| {
        let mut bytes = good.clone();
        bytes[(good.len() - 1) * share / 100] ^= 0x10;
        bytes
    };
    let foreign = TempDir::new().unwrap();
    let (_, of_pratt) = half_solved(&[&["ayoayo-pratt@2x5x4"], &SMALL[1..]].concat(), foreign.path());
    let mut bad: Vec<Vec<u8>> =
        vec![vec![], good[..good.len() / 2].to_vec(), good[..good.len() - 1].to_vec()];
    bad.extend([0, 6, 50, 99, 100].map(flipped));
    bad.extend([of_pratt, right[&table].clone(), b"\x89PNG\r\n\x1a\n".to_vec()]);
    for half in bad {
        let dir = left(&half);
        let said = built(SMALL, dir.path());
        let lines: Vec<&str> = said.lines().filter(|line| line.contains(".half")).collect();
        assert!(lines.len() == 1 && lines[0].contains("the tier is begun anew"), "{said}");
        assert!(lines[0].contains(name.to_str().unwrap()) && !said.contains("goes on"), "{said}");
        complete(dir.path(), &right);
    }
}

#[test]
fn one_builder_at_a_time_and_no_lock_survives_it() {
    let right = undisturbed(AYOAYO);
    let dir = TempDir::new().unwrap();
    let child = command(AYOAYO, dir.path()).spawn().unwrap();
    while !dir.path().join("ayoayo_2x5x4-03.oju").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let started = Instant::now();
    build(AYOAYO, dir.path()).refused("in use");
    build(HOYITO, dir.path()).refused("in use");
    assert!(started.elapsed() < Duration::from_secs(2));
    // Readers are not kept out.
    let best = Command::new(env!("CARGO_BIN_EXE_oju"))
        .args(["best", "ayoayo@2x5x4", "0-1-0-0-1-0-0-0-0-1", "--tables"])
        .arg(dir.path())
        .output()
        .unwrap();
    assert_eq!(best.status.code(), Some(0));
    signal(&child, "KILL");
    assert_eq!(end(child).status.signal(), Some(9));
    built(AYOAYO, dir.path());
    complete(dir.path(), &right);
}

#[test]
fn threads_and_missing_tables_do_not_change_a_byte() {
    for game in [SMALL, FORCED, HOYITO] {
        let right = undisturbed(game);
        for threads in ["2", "3", "8"] {
            let dir = TempDir::new().unwrap();
            built(&[game, &["--threads", threads]].concat(), dir.path());
            complete(dir.path(), &right);
            if threads == "2" {
                let middle = right.keys().nth(right.len() / 2).unwrap();
                fs::remove_file(dir.path().join(middle)).unwrap();
                let said = built(game, dir.path());
                assert_eq!(said.matches(" seeds: ").count(), 1, "only the missing tier is built: {said}");
                complete(dir.path(), &right);
            }
        }
    }
}

#[test]
fn what_can_not_be_built_is_refused_with_what_can() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("tables");
    let refused = |arguments: &[&str], reason: &str| {
        let ended = build(arguments, &path);
        ended.refused(reason);
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    };
    refused(&["ayoayo", "--seeds", "9", "--memory", "1M"], "1.00 MiB allowed: no tier would fit");
    refused(&["ayoayo", "--seeds", "20", "--memory", "70M"], "allowed: up to 12 seeds would fit");
    refused(&["hoyito12", "--seeds", "96"], "more positions than can be numbered: up to ");
    refused(&["ayoayo", "--seeds", "49"], "ayoayo has no more than 48");
    refused(&["hoyito", "--seeds", "-4"], "--seeds");
    refused(&["ayoayo", "--seeds", "97"], "0 to 96 seeds are possible");
    refused(&["chess", "--seeds", "4"], "unknown profile 'chess'");
    assert!(!path.exists(), "nothing is made by a build that is refused");
    // Nothing is built by asking what it would take either.
    let output = command(&["hoyito", "--seeds", "16", "--dry-run"], &path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().contains("13,037,895"), "C(27, 11) positions");
    assert!(!path.exists());
}

#[test]
fn a_directory_that_can_not_be_written_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    build(SMALL, &file.path().join("tables")).refused("Not a directory");
    build(SMALL, file.path()).refused(&file.path().display().to_string());
}

/// Where nothing can be written, tables are read all the same, and a build says where and why it can not.
#[test]
fn a_read_only_directory_is_named_and_its_tables_are_used() {
    let right = undisturbed(SMALL);
    let all_but_one =
        |dir: &Path| right.iter().skip(1).for_each(|(name, bytes)| fs::write(dir.join(name), bytes).unwrap());
    let check = |dir: &Path, command: &dyn Fn() -> Command, reason: &str| {
        let position = ["best", "ayoayo@2x5x4", "0-1-0-0-1-0-0-0-0-1", "--tables"];
        let best = command().args(position).arg(dir).output().unwrap();
        assert_eq!(best.status.code(), Some(0), "{}", String::from_utf8_lossy(&best.stderr));
        let mut build = command();
        build.arg("build").args(SMALL).arg("--tables").arg(dir).stderr(Stdio::piped());
        let ended = end(build.spawn().unwrap());
        ended.refused(reason);
        assert!(ended.stderr.contains(&*dir.to_string_lossy()), "{}", ended.stderr);
        assert_eq!((intact(dir, &right), files(dir).len()), (right.len() - 1, right.len() - 1));
    };

    // A directory of somebody else: root can write everywhere, so it is not root who tries.
    let place = TempDir::new().unwrap();
    let permit = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    permit(place.path(), 0o755);
    let (dir, program) = (place.path().join("tables"), place.path().join("oju"));
    fs::create_dir(&dir).unwrap();
    all_but_one(&dir);
    permit(&dir, 0o555);
    fs::copy(env!("CARGO_BIN_EXE_oju"), &program).unwrap();
    permit(&program, 0o755);
    let as_somebody = || {
        let mut command = Command::new(&program);
        if fs::metadata(place.path()).unwrap().uid() == 0 {
            command.uid(65_534);
        }
        command
    };
    check(&dir, &as_somebody, "Permission denied");
    permit(&dir, 0o755);

    let mounted = Mounted::new("size=64m");
    if let Some(Mounted(place)) = &mounted {
        all_but_one(place.path());
        let read_only = Command::new("mount").args(["-o", "remount,ro"]).arg(place.path()).status();
        assert!(read_only.unwrap().success());
        check(place.path(), &|| Command::new(env!("CARGO_BIN_EXE_oju")), "Read-only file system");
    }
}

/// A file system of its own, in memory; for root only.
struct Mounted(TempDir);

impl Mounted {
    fn new(options: &str) -> Option<Self> {
        let place = TempDir::new().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(place.path()).stderr(Stdio::null());
        let mounted = mount.status().is_ok_and(|status| status.success());
        if !mounted {
            eprintln!("skipped: no file system can be mounted here");
        }
        mounted.then(|| Self(place))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

/// Tables and exports are finished where they are to be, so it does not matter where files are begun for a while.
#[test]
fn another_file_system_is_as_good() {
    let Some(Mounted(place)) = &Mounted::new("size=64m") else { return };
    let right = undisturbed(SMALL);
    built(SMALL, place.path());
    complete(place.path(), &right);
    let table = place.path().join("table.csv");
    let mut export = Command::new(env!("CARGO_BIN_EXE_oju"));
    export.args(["export", "ayoayo@2x5x4", "--seeds", "5", "--tables"]).arg(place.path());
    let output = export.arg("--output").arg(&table).current_dir(std::env::temp_dir()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    // A header, and C(5 + 9, 9) positions.
    assert_eq!(fs::read_to_string(table).unwrap().lines().count(), 1 + 2_002);
}

/// A full disk: a file system of 1 MiB where it can be mounted, and in any case a limit of a file's length.
#[test]
fn a_full_disk_leaves_what_was_built() {
    const LARGE: Game = &["ayoayo", "--seeds", "12", "--save-every", "1ms"];
    let right = undisturbed(&["ayoayo", "--seeds", "10"]);
    let check = |dir: &Path, ended: &Ended| {
        let unwritten = ended.stderr.lines().filter(|line| line.contains("can not be written")).count();
        let tiers = files(dir).keys().filter(|name| !name.starts_with('.')).count();
        assert!((8..=11).contains(&tiers), "{tiers} tables: {}", ended.stderr);
        assert!(unwritten <= 1 + tiers, "a remark a tier: {}", ended.stderr);
        intact(dir, &right);
        assert!(!files(dir).keys().any(|name| name.ends_with(".tmp")));
    };
    let limited = TempDir::new().unwrap();
    let mut shell = Command::new("sh");
    // 100 blocks of 512 or 1,024 bytes; where the signal is ignored, the system says that the file is too large.
    shell.args(["-c", "trap '' XFSZ; ulimit -f 100; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_oju"), "build"]);
    shell.args(LARGE).arg("--tables").arg(limited.path()).stdout(Stdio::null()).stderr(Stdio::piped());
    let ended = end(shell.spawn().unwrap());
    ended.refused("File too large");
    check(limited.path(), &ended);
    // With room it goes on from there.
    built(&["ayoayo", "--seeds", "10"], limited.path());
    complete(limited.path(), &right);

    if let Some(Mounted(place)) = &Mounted::new("size=1m") {
        let ended = build(LARGE, place.path());
        // The system's word, or that of the plan where the system tells how much is free.
        let last = ended.stderr.lines().last().unwrap_or_default();
        ended.refused(if last.contains("would fit") { "are free" } else { "No space left on device" });
        // A plan that believes there is room.
        let options = BuildOptions {
            dir: place.path().to_path_buf(),
            seeds: 12,
            forced: false,
            memory: u64::MAX,
            disk: u64::MAX,
            save_every: Duration::from_millis(1),
        };
        let stop = AtomicBool::new(false);
        let error = oju::build::build(&"ayoayo".parse().unwrap(), &options, &mut (), &stop).unwrap_err();
        let source = std::error::Error::source(&error).expect("the system's error").to_string();
        assert!(source.contains("No space left on device"), "{error}: {source}");
        check(place.path(), &ended);
    }
}

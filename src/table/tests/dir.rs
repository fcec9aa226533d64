//! Directories of tables: names, the lock, builders that do not come to their end.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::*;

#[test]
fn one_builder_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let tables = dir.path().join("new/tables");
    let error = TableDir::open(&tables).unwrap_err();
    assert!(matches!(error, TableError::NoDirectory { .. }));
    assert!(error.to_string().contains("no such directory of tables"));
    let first = LockedDir::lock(&tables).unwrap();
    let error = LockedDir::lock(&tables).unwrap_err();
    assert!(matches!(error, TableError::InUse { .. }));
    assert!(
        error
            .to_string()
            .ends_with("in use by another `oju build`: wait for its end or use another directory")
    );
    // Readers do not mind.
    assert!(TableDir::open(&tables).unwrap().list("ayoayo").unwrap().is_empty());
    drop(first);
    LockedDir::lock(&tables).unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(TableDir::open(&file), Err(TableError::Io { doing: "read", .. })));
    assert!(matches!(LockedDir::lock(&file), Err(TableError::Io { doing: "created", .. })));
}

#[test]
fn what_a_killed_builder_left_is_removed_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    for name in [".ayoayo-08.oju.tmp", ".hoyito12-16.oju.tmp", "notes.tmp", "ayoayo-08.oju", ".other"] {
        fs::write(dir.path().join(name), "half").unwrap();
    }
    LockedDir::lock(dir.path()).unwrap();
    assert_eq!(names(dir.path()), [".lock", ".other", "ayoayo-08.oju", "notes.tmp"]);
}

#[test]
fn names_and_lists() {
    let custom: Profile = "ayoayo@2x4x3".parse().unwrap();
    let identity = Identity::of(&custom, 8);
    assert_eq!((identity.file_name().as_str(), identity.pits, identity.unit), ("ayoayo_2x4x3-08.oju", 8, 1));
    let hoyito = Identity::of(&"hoyito12".parse().unwrap(), 96);
    assert_eq!((hoyito.file_name().as_str(), hoyito.pits, hoyito.unit), ("hoyito12-96.oju", 24, 4));

    let dir = tempfile::tempdir().unwrap();
    for name in [
        "ayoayo-08.oju",
        "ayoayo-16.oju",
        "ayoayo-04.oju",
        "ayoayo-holder-12.oju",
        "ayoayo_2x4x3-07.oju",
        "ayoayo-9.oju",
        "ayoayo-+9.oju",
        ".ayoayo-05.oju.tmp",
        "ayoayo-06.oju.old",
    ] {
        fs::write(dir.path().join(name), "").unwrap();
    }
    let tables = TableDir::open(dir.path()).unwrap();
    assert_eq!(tables.path(), dir.path());
    assert_eq!(tables.list("ayoayo").unwrap(), [4, 8, 16]);
    assert_eq!(tables.list("ayoayo-holder").unwrap(), [12]);
    assert_eq!(tables.list("ayoayo@2x4x3").unwrap(), [7]);
    assert!(tables.list("hoyito").unwrap().is_empty());
    assert!(is_damaged(&tables.table(&Identity { seeds: 8, ..Identity::of(&"ayoayo".parse().unwrap(), 8) })));
}

#[test]
fn a_directory_that_can_not_be_written_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut permissions = fs::metadata(dir.path()).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(dir.path(), permissions).unwrap();
    // Root may write anywhere, but not make files here.
    for path in [dir.path(), Path::new("/sys/kernel")] {
        if !path.exists() || File::create(path.join("try")).is_ok() {
            continue;
        }
        let error = LockedDir::lock(path).unwrap_err();
        assert!(matches!(error, TableError::Io { .. }));
        let text = error.to_string();
        assert!(text.ends_with(".lock: can not be written, so no table can be built here"), "{text}");
    }
}

#[test]
fn a_stopped_or_failed_builder_leaves_what_was_there() {
    let dir = tempfile::tempdir().unwrap();
    let identity = Identity { pits: 12, seeds: 6, ..tiny(0) };
    let contents = Numbers::new(12_376, true, 10);
    let path = write(dir.path(), SMALL, &identity, &contents);
    let before = fs::read(&path).unwrap();
    let left = [".lock".to_string(), identity.file_name()];
    let locked = LockedDir::lock(dir.path()).unwrap();
    // In each pass, one that counts and four that encode: 516 pages of it are three slabs.
    for after in [0, 1, 2, 3, 4, 8, 11, 14] {
        let stop = AtomicBool::new(after == 0);
        let slabs = AtomicU64::new(0);
        let told = |_, _| {
            if slabs.fetch_add(1, Relaxed) + 1 == after {
                stop.store(true, Relaxed);
            }
        };
        let stopped = locked.write_shaped(SMALL, &identity, &contents, &stop, &told);
        assert!(matches!(stopped, Err(TableError::Stopped { .. })), "after {after}: {stopped:?}");
        assert_eq!(names(dir.path()), left);
    }
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let told = |done: u64, todo: u64| assert!(done < todo / 4 * 3);
        locked.write_shaped(SMALL, &identity, &contents, &running(), &told)
    }));
    assert!(panicked.is_err());
    assert_eq!(names(dir.path()), left);
    assert!(fs::read(&path).unwrap() == before);
    let stop = AtomicBool::new(true);
    let table = locked.dir().table(&identity).unwrap();
    assert!(matches!(table.check(&stop, &|_, _| ()), Err(TableError::Stopped { .. })));
}

/// Names the directory to the child of [`a_full_disk_is_an_error_that_leaves_nothing`].
const FULL: &str = "OJU_TEST_FULL_DISK";

/// The system's limit on the length of files stands for the end of the disk: writing fails the same way.
#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_that_leaves_nothing() {
    let identity = Identity { pits: 12, seeds: 8, ..tiny(0) };
    if let Some(dir) = std::env::var_os(FULL) {
        let locked = LockedDir::lock(Path::new(&dir)).unwrap();
        let contents = Numbers::new(75_582, true, 11);
        let error = locked.write(&identity, &contents, &running(), &|_, _| ()).unwrap_err();
        assert!(matches!(error, TableError::Io { doing: "written", .. }), "{error:?}");
        assert!(std::error::Error::source(&error).is_some());
        assert!(error.to_string().ends_with("08.oju: can not be written"), "{error}");
        assert_eq!(names(Path::new(&dir)), [".lock"]);
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    // The signal that comes with the limit is ignored, so that the write fails instead.
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" --exact \"$1\"";
    let (_, module) = module_path!().split_once("::").unwrap();
    let child = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().unwrap())
        .arg(format!("{module}::a_full_disk_is_an_error_that_leaves_nothing"))
        .env(FULL, dir.path())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && output.contains("1 passed"), "{output}");
    assert_eq!(names(dir.path()), [".lock"]);
}

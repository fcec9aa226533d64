//! What is written is what is read.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::*;
use crate::index;

/// Everything that a good file has stored is right, however it is asked for.
fn assert_holds(table: &TableFile, contents: &Numbers) {
    for plane in Plane::ALL {
        let Some(numbers) = contents.numbers.get(plane as usize) else {
            assert!(!table.has(plane));
            assert!(matches!(table.stored(plane, 0), Err(TableError::NoPlane { .. })));
            assert_eq!(table.counts(plane).count(), 0);
            continue;
        };
        assert_eq!(table.positions(), numbers.len() as u64);
        let mut runs = Vec::new();
        for page in 0..table.pages() {
            assert_eq!(table.page_ranks(page).start, runs.len() as u64);
            runs.extend(table.stored_run(plane, page).unwrap());
        }
        assert_eq!(runs.len(), numbers.len());
        for (rank, (&stored, &number)) in runs.iter().zip(numbers).enumerate() {
            let free = plane.may_be_free() && contents.free[plane as usize][rank];
            assert!(stored == number || free && stored < number, "{plane:?}, rank {rank}");
            if rank % 7 == 0 || rank + 30 > runs.len() {
                assert_eq!(table.stored(plane, rank as u64).unwrap(), stored, "{plane:?}, rank {rank}");
            }
        }
    }
}

#[test]
fn what_is_written_is_read_at_every_size() {
    let dir = tempfile::tempdir().unwrap();
    // One position to one more than four pages, all edges of blocks and pages between.
    for seeds in 0..=96 {
        let identity = tiny(seeds);
        let contents = Numbers::new(u64::from(seeds) + 1, seeds % 2 == 0, seeds.into());
        let path = write(dir.path(), SMALL, &identity, &contents);
        assert_holds(&verify(&path, &identity).unwrap(), &contents);
    }
    for (shape, pits, seeds) in [
        (Shape::USUAL, 12, 8),
        (Shape { block: 1, blocks: 1 }, 4, 5),
        (Shape { block: 1, blocks: 65535 }, 12, 4),
        (Shape { block: 8192, blocks: 8 }, 12, 8),
    ] {
        let identity = Identity { pits, seeds, ..tiny(0) };
        let positions = index::tier_size(pits.into(), seeds.into()) as u64;
        let contents = Numbers::new(positions, true, 1);
        let path = write(dir.path(), shape, &identity, &contents);
        assert_holds(&verify(&path, &identity).unwrap(), &contents);
    }
}

#[test]
fn numbers_at_the_ends_of_their_ranges_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let mut contents = Numbers::new(41, true, 2);
    for (plane, numbers) in contents.numbers.iter_mut().enumerate() {
        let (least, most) = Plane::ALL[plane].numbers().into_inner();
        (numbers[3], numbers[20], numbers[40]) = (least, most, most - 1);
    }
    let path = write(dir.path(), SMALL, &tiny(40), &contents);
    assert_holds(&verify(&path, &tiny(40)).unwrap(), &contents);
}

#[test]
fn the_number_of_threads_does_not_change_a_byte() {
    let dir = tempfile::tempdir().unwrap();
    let identity = Identity { pits: 12, seeds: 8, ..tiny(0) };
    let contents = Numbers::new(75_582, true, 3);
    // That smaller numbers are stored where that is allowed, else no test here would see them.
    let path = write(dir.path(), Shape::USUAL, &identity, &contents);
    let values = TableFile::open(&path, &identity).unwrap().stored_run(Plane::Values, 2).unwrap();
    assert_ne!(values, contents.numbers[0][2 * 16_384..3 * 16_384]);
    let files = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        // Pages of 48 positions: several slabs.
        let shape = Shape { block: 16, blocks: 3 };
        fs::read(pool.install(|| write(dir.path(), shape, &identity, &contents))).unwrap()
    });
    assert!(files[0] == files[1]);
}

#[test]
fn blocks_and_pages_say_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let contents = Numbers::new(91, true, 4);
    let path = write(dir.path(), SMALL, &tiny(90), &contents);
    let table = TableFile::open(&path, &tiny(90)).unwrap();
    assert_eq!((table.path(), table.identity()), (&path as &Path, &tiny(90)));
    for plane in Plane::ALL {
        let whole: Vec<i32> =
            (0..table.pages()).flat_map(|page| table.stored_run(plane, page).unwrap()).collect();
        let length = table.block_length() as usize;
        assert_eq!(table.blocks() as usize, whole.len().div_ceil(length));
        for (block, expected) in (0..).zip(whole.chunks(length)) {
            for most in [1, length / 2, length, usize::MAX] {
                let found = table.stored_block(plane, block, most).unwrap();
                assert_eq!(found, expected[..most.min(expected.len())]);
            }
        }
        let mut pairs = 0;
        for block in 0..table.blocks() {
            let ranks = block as usize * length..(block as usize + 2) * length;
            let one_page = table.page_of(ranks.start as u64) == table.page_of(ranks.end as u64 - 1);
            let expected = whole.get(ranks).filter(|_| one_page);
            assert_eq!(table.stored_pair(plane, block).unwrap().as_deref(), expected, "block {block}");
            pairs += u64::from(expected.is_some());
        }
        assert!((2..table.blocks() - 2).contains(&pairs), "{pairs} of {} blocks", table.blocks());
    }
}

#[test]
fn progress_ends_at_all_positions_of_all_passes() {
    let dir = tempfile::tempdir().unwrap();
    let identity = Identity { pits: 12, seeds: 6, ..tiny(0) };
    let contents = Numbers::new(12_376, false, 5);
    let last = AtomicU64::new(0);
    let told = |done: u64, todo: u64| {
        assert!(last.swap(done, Relaxed) < done && done <= todo && todo == 4 * 12_376);
    };
    let locked = LockedDir::lock(dir.path()).unwrap();
    let written = locked.write_shaped(SMALL, &identity, &contents, &running(), &told).unwrap();
    assert_eq!(last.load(Relaxed), 4 * 12_376);
    let shares: u64 = written.planes.iter().map(|(_, bytes)| bytes).sum();
    assert!(shares < written.bytes && written.planes.len() == 2);
}

#[test]
fn many_threads_read_one_open_file() {
    let dir = tempfile::tempdir().unwrap();
    let (path, _) = small(dir.path());
    let right = all_stored(&path);
    let table = TableFile::open(&path, &tiny(60)).unwrap();
    std::thread::scope(|scope| {
        for start in 0..16 {
            let (table, right) = (&table, &right);
            scope.spawn(move || {
                for i in 0..400 {
                    let (plane, rank) = ((start + i) % 4, (start * 7 + i * 13) % 61);
                    let stored = table.stored(Plane::ALL[plane], rank as u64).unwrap();
                    assert_eq!(stored, right[plane][rank]);
                }
            });
        }
    });
}

//! Files written, read back, and damaged in every way that can be thought of.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicU64;

use super::*;
use crate::table_dir::{LockedDir, TableDir};

/// Numbers from a fixed seed, spread as those of real tiers are: few different ones, in runs.
struct Numbers {
    /// By plane.
    numbers: Vec<Vec<i32>>,
    free: Vec<Vec<bool>>,
}

/// The splitmix generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }
}

impl Numbers {
    fn new(positions: u64, intervals: bool, seed: u64) -> Self {
        let mut random = Random(seed);
        let planes = if intervals { &Plane::ALL[..] } else { &Plane::ALL[..2] };
        let numbers = planes.iter().map(|&plane| {
            let one = |random: &mut Random| match plane {
                Plane::Distances if random.below(5) == 0 => 65535,
                Plane::Distances => (random.below(20) * random.below(20)) as i32,
                Plane::Values | Plane::Low | Plane::High => random.below(23) as i32 - 11,
            };
            let mut last = 0;
            let mut next = |_| {
                last = if random.below(3) == 0 { last } else { one(&mut random) };
                last
            };
            (0..positions).map(&mut next).collect()
        });
        let numbers = numbers.collect();
        let free = planes.iter().map(|_| (0..positions).map(|_| random.below(3) == 0).collect()).collect();
        Self { numbers, free }
    }
}

impl Contents for Numbers {
    fn intervals(&self) -> bool {
        self.numbers.len() == 4
    }

    fn fill(&self, plane: Plane, ranks: Range<u64>, numbers: &mut [i32], free: Option<&mut [bool]>) {
        let ranks = ranks.start as usize..ranks.end as usize;
        numbers.copy_from_slice(&self.numbers[plane as usize][ranks.clone()]);
        if let Some(free) = free {
            assert!(plane != Plane::Distances);
            free.copy_from_slice(&self.free[plane as usize][ranks]);
        }
    }
}

/// Blocks and pages so small that a tier of few positions has many.
const SMALL: Shape = Shape { block: 8, blocks: 3 };

/// Two pits do not make a board, but tiers of every size: `seeds` + 1 positions.
fn tiny(seeds: u8) -> Identity {
    Identity { profile: "ayoayo@2x1x9".to_string(), rules: 0x1234_5678, pits: 2, seeds, unit: 1 }
}

fn running() -> AtomicBool {
    AtomicBool::new(false)
}

fn write(dir: &Path, shape: Shape, identity: &Identity, contents: &Numbers) -> PathBuf {
    let dir = LockedDir::lock(dir).unwrap();
    let written = dir.write_shaped(shape, identity, contents, &running(), &|_, _| ()).unwrap();
    assert_eq!(written.path, dir.dir().path_of(identity));
    assert_eq!(written.bytes, fs::metadata(&written.path).unwrap().len());
    written.path
}

/// Opens and checks.
fn verify(path: &Path, identity: &Identity) -> Result<TableFile, TableError> {
    let table = TableFile::open(path, identity)?;
    table.check(&running(), &|_, _| ())?;
    Ok(table)
}

fn is_damaged<T>(result: &Result<T, TableError>) -> bool {
    matches!(result, Err(TableError::Damaged { .. }))
}

/// What there is in a directory, in order.
fn names(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

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
        for (number, count) in table.counts(plane) {
            assert_eq!(numbers.iter().filter(|&&n| n == number).count() as u64, count);
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
fn pages_that_are_kept_answer_as_the_file_does() {
    let dir = tempfile::tempdir().unwrap();
    let contents = Numbers::new(91, true, 4);
    let path = write(dir.path(), SMALL, &tiny(90), &contents);
    let table = TableFile::open(&path, &tiny(90)).unwrap();
    assert_eq!((table.path(), table.identity()), (&path as &Path, &tiny(90)));
    for plane in Plane::ALL {
        for rank in 0..91 {
            let page = table.read_page(plane, table.page_of(rank)).unwrap();
            let values = table.read_page(Plane::Values, table.page_of(rank)).unwrap();
            assert!(page.bytes() > 0);
            let kept = table.look_up(&page, Some(&values), rank).unwrap();
            assert_eq!(kept, table.stored(plane, rank).unwrap());
        }
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

/// A small file of four planes, with its contents.
fn small(dir: &Path) -> (PathBuf, Vec<u8>) {
    let path = write(dir, SMALL, &tiny(60), &Numbers::new(61, true, 6));
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() < 3000);
    (path, bytes)
}

/// Every number of a damaged file is the right one or an error. Returns the first error.
fn first_error(path: &Path, right: &[Vec<i32>]) -> Option<TableError> {
    let table = match TableFile::open(path, &tiny(60)) {
        Ok(table) => table,
        Err(error) => return Some(error),
    };
    for (plane, right) in Plane::ALL.into_iter().zip(right) {
        for (rank, &right) in right.iter().enumerate() {
            if let Ok(stored) = table.stored(plane, rank as u64) {
                assert_eq!(stored, right, "a wrong number of {plane:?}");
            }
        }
    }
    table.check(&running(), &|_, _| ()).err()
}

fn all_stored(path: &Path) -> Vec<Vec<i32>> {
    let table = TableFile::open(path, &tiny(60)).unwrap();
    let run = |page, plane| table.stored_run(plane, page).unwrap();
    Plane::ALL.map(|plane| (0..table.pages()).flat_map(|page| run(page, plane)).collect()).to_vec()
}

#[test]
fn a_flipped_byte_anywhere_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let (path, good) = small(dir.path());
    let right = all_stored(&path);
    // Only the pages are not read by opening.
    let pages = header_of(&good).planes[0].1.data as usize;
    for at in 0..good.len() {
        for flip in [1, 0x80, 0xff] {
            let mut bytes = good.clone();
            bytes[at] ^= flip;
            fs::write(&path, bytes).unwrap();
            assert_eq!(TableFile::open(&path, &tiny(60)).is_ok(), at >= pages, "byte {at}");
            match (at, first_error(&path, &right)) {
                (8 | 9, Some(TableError::OtherVersion { .. })) | (_, Some(TableError::Damaged { .. })) => {}
                (_, other) => panic!("byte {at}: {other:?}"),
            }
        }
    }
    fs::write(&path, good).unwrap();
    assert!(first_error(&path, &right).is_none());
}

#[test]
fn a_cut_or_lengthened_file_is_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let (path, good) = small(dir.path());
    for length in 0..good.len() {
        fs::write(&path, &good[..length]).unwrap();
        assert!(is_damaged(&TableFile::open(&path, &tiny(60))), "{length} bytes");
    }
    for more in [1, 16, 5000] {
        fs::write(&path, [&good[..], &vec![0; more]].concat()).unwrap();
        let error = TableFile::open(&path, &tiny(60)).err().unwrap().to_string();
        assert!(error.contains("too long"), "{error}");
    }
    // A larger one, at some places.
    let identity = Identity { pits: 12, seeds: 8, ..tiny(0) };
    let path = write(dir.path(), Shape::USUAL, &identity, &Numbers::new(75_582, false, 7));
    let good = fs::read(&path).unwrap();
    for percent in [0, 1, 50, 99] {
        fs::write(&path, &good[..good.len() * percent / 100]).unwrap();
        assert!(is_damaged(&TableFile::open(&path, &identity)), "{percent} %");
    }
}

#[test]
fn a_file_cut_while_it_is_open_is_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let (path, good) = small(dir.path());
    let table = TableFile::open(&path, &tiny(60)).unwrap();
    File::options().write(true).open(&path).unwrap().set_len(good.len() as u64 - 1).unwrap();
    assert!(is_damaged(&table.stored(Plane::High, 60)));
    assert!(table.stored(Plane::Values, 0).is_ok());
}

/// The header of a good file.
fn header_of(bytes: &[u8]) -> Header {
    let length = u32::from_le_bytes(bytes[10..14].try_into().unwrap()) as usize;
    Header::from_bytes(&bytes[..length]).ok().unwrap()
}

/// Puts right every checksum of a file whose header can be read.
fn repair(bytes: &mut [u8]) {
    let mut header = header_of(bytes);
    for (stored, sections) in &mut header.planes {
        let index = sections.index as usize..sections.index as usize + header.grid.pages() as usize * 12;
        let offsets: Vec<u64> = bytes[index.clone()]
            .chunks(12)
            .map(|entry| u64::from_le_bytes(entry[..8].try_into().unwrap()))
            .chain([stored.end])
            .collect();
        for (page, ends) in offsets.windows(2).enumerate() {
            if let Some(page_bytes) = bytes.get(ends[0] as usize..ends[1] as usize) {
                let crc = crc32fast::hash(page_bytes).to_le_bytes();
                bytes[index.start + page * 12 + 8..][..4].copy_from_slice(&crc);
            }
        }
        sections.index_crc = crc32fast::hash(&bytes[index]);
    }
    bytes[..header.length as usize].copy_from_slice(&header.to_bytes());
}

fn repair_header(bytes: &mut [u8]) {
    let length = u32::from_le_bytes(bytes[10..14].try_into().unwrap()) as usize;
    if (18..=bytes.len()).contains(&length) {
        let crc = crc32fast::hash(&bytes[..length - 4]).to_le_bytes();
        bytes[length - 4..length].copy_from_slice(&crc);
    }
}

#[test]
fn no_bytes_make_a_reader_panic_even_with_right_checksums() {
    let dir = tempfile::tempdir().unwrap();
    let (path, good) = small(dir.path());
    let mut same = good.clone();
    repair(&mut same);
    repair_header(&mut same);
    assert!(same == good, "nothing to repair");
    let header = u32::from_le_bytes(good[10..14].try_into().unwrap()) as usize;
    let mut opened = 0;
    let mut random = Random(8);
    for at in 10..good.len() {
        for flip in [1, 0x80, 0xff, good[at], random.below(256) as u8] {
            let mut bytes = good.clone();
            bytes[at] ^= flip;
            if at < header {
                repair_header(&mut bytes);
            } else {
                repair(&mut bytes);
            }
            fs::write(&path, bytes).unwrap();
            // Wrong numbers can not be told here; that they are numbers or errors is what counts.
            if let Ok(table) = TableFile::open(&path, &tiny(60)) {
                opened += 1;
                let _ = table.check(&running(), &|_, _| ());
                for plane in Plane::ALL {
                    for rank in [0, 7, 8, 30, 60] {
                        let _ = table.stored(plane, rank);
                    }
                }
            }
        }
    }
    assert!(opened > 100, "{opened}");
}

#[test]
fn what_contradicts_itself_is_damaged_even_with_right_checksums() {
    let dir = tempfile::tempdir().unwrap();
    let (path, good) = small(dir.path());
    let open = |change: &dyn Fn(&mut Header)| {
        let mut header = header_of(&good);
        change(&mut header);
        let mut bytes = good.clone();
        bytes[..header.length as usize].copy_from_slice(&header.to_bytes());
        fs::write(&path, bytes).unwrap();
        verify(&path, &tiny(60)).err().map_or(String::new(), |error| error.to_string())
    };
    assert_eq!(open(&|_| ()), "");
    let error = open(&|header| {
        header.grid.positions -= 1;
        header.planes.iter_mut().for_each(|(stored, _)| stored.counts[0] -= 1);
    });
    assert!(error.contains("damaged (60 positions, the tier has 61)"), "{error}");
    let error = open(&|header| header.planes[1].0.counts[0] += 1);
    assert!(error.contains("statistics of distances"), "{error}");
    for shape in
        [Shape { block: 0, blocks: 3 }, Shape { block: 8, blocks: 0 }, Shape { block: 2, blocks: 32769 }]
    {
        let error = open(&|header| header.grid.shape = shape);
        assert!(error.contains("can not be"), "{error}");
    }
    let error = open(&|header| header.planes[0].0.dictionary.swap(0, 1));
    assert!(error.contains("list of values is not in order"), "{error}");
    // Two planes that name each other's place.
    let error = open(&|header| {
        let (first, rest) = header.planes.split_at_mut(1);
        std::mem::swap(&mut first[0].1, &mut rest[0].1);
    });
    assert!(error.contains("do not follow one another"), "{error}");
    let error = open(&|header| header.identity.pits = 4);
    assert!(error.contains("4 pits"), "{error}");

    // A first page shorter than the lengths of its blocks.
    let mut bytes = good.clone();
    let sections = &header_of(&good).planes[0].1;
    let second = sections.index as usize + 12;
    bytes[second..second + 8].copy_from_slice(&(sections.data + 1).to_le_bytes());
    repair(&mut bytes);
    fs::write(&path, bytes).unwrap();
    let error = verify(&path, &tiny(60)).err().unwrap().to_string();
    assert!(error.contains("page 0 of values: its blocks do not fill it"), "{error}");
}

#[test]
fn no_length_in_a_header_is_believed() {
    let dir = tempfile::tempdir().unwrap();
    let (path, good) = small(dir.path());
    let header = u32::from_le_bytes(good[10..14].try_into().unwrap()) as usize;
    // Ones wherever a length, an offset or a count may be.
    for at in 10..header - 4 {
        for width in [2, 4, 8] {
            let mut bytes = good.clone();
            let end = (at + width).min(header - 4);
            bytes[at..end].fill(0xff);
            repair_header(&mut bytes);
            fs::write(&path, bytes).unwrap();
            if let Ok(table) = TableFile::open(&path, &tiny(60)) {
                let _ = table.check(&running(), &|_, _| ());
            }
        }
    }
}

#[test]
fn other_versions_rules_and_tiers_are_told_from_damage() {
    let dir = tempfile::tempdir().unwrap();
    let (path, good) = small(dir.path());
    let mut newer = good.clone();
    newer[8] += 1;
    repair_header(&mut newer);
    fs::write(&path, newer).unwrap();
    let error = TableFile::open(&path, &tiny(60)).err().unwrap();
    assert!(matches!(error, TableError::OtherVersion { found: 2, .. }));
    let text = error.to_string();
    assert!(text.ends_with(
        "ayoayo_2x1x9-60.oju: written by format version 2, this program reads 1: rebuild it with `oju build ayoayo@2x1x9 --seeds 60`"
    ), "{text}");

    fs::write(&path, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0").unwrap();
    let text = TableFile::open(&path, &tiny(60)).err().unwrap().to_string();
    assert!(text.contains("damaged (not a table") && text.contains("`oju build"), "{text}");

    fs::write(&path, &good).unwrap();
    let other = Identity { profile: "hoyito".to_string(), rules: 9, ..tiny(60) };
    let error = TableFile::open(&path, &other).err().unwrap();
    assert!(matches!(error, TableError::OtherRules { found_rules: 0x1234_5678, expected_rules: 9, .. }));
    let text = error.to_string();
    assert!(
        text.contains("a table of ayoayo@2x1x9 (rules 12345678), not of hoyito (rules 00000009)"),
        "{text}"
    );
    // Another name for the same rules is none.
    let same = Identity { profile: "ayoayo".to_string(), ..tiny(60) };
    assert!(TableFile::open(&path, &same).is_ok());

    let error = TableFile::open(&path, &tiny(59)).err().unwrap();
    assert!(matches!(error, TableError::OtherTier { found: 60, expected: 59, .. }));
    assert!(!error.to_string().contains('\n'));

    let nowhere = dir.path().join("nothing-60.oju");
    assert!(matches!(TableFile::open(&nowhere, &tiny(60)), Err(TableError::Missing { .. })));
    assert!(is_damaged(&TableFile::open(dir.path(), &tiny(60))));
}

#[test]
fn many_threads_that_open_a_damaged_file_all_get_the_error() {
    let dir = tempfile::tempdir().unwrap();
    let (path, mut bytes) = small(dir.path());
    bytes[40] ^= 4;
    fs::write(&path, bytes).unwrap();
    let errors: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..64)
            .map(|_| scope.spawn(|| TableFile::open(&path, &tiny(60)).err().unwrap().to_string()))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(errors.iter().all(|error| error == &errors[0] && error.contains("header: wrong checksum")));
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

#[test]
fn ranks_and_offsets_beyond_32_bits_work() {
    let far = 5u64 << 30;
    let pages = [Entry { offset: far, crc: 1 }, Entry { offset: far + (3 << 32), crc: u32::MAX }];
    let bytes = index_bytes(&pages);
    assert_eq!(index_entries(&bytes, far, far + (3 << 32) + 1).unwrap(), pages);
    assert!(index_entries(&bytes, far, far + (3 << 32)).is_none(), "no room for the last page");
    assert!(index_entries(&bytes, far - 1, u64::MAX).is_none());

    // A page of ranks from 2^32 on, five gigabytes into a file that is a hole for the rest.
    let grid = Grid { positions: (1 << 32) + 100, shape: Shape { block: 64, blocks: 1024 } };
    assert_eq!((grid.pages(), grid.page_ranks(1 << 16)), ((1 << 16) + 1, 1 << 32..(1 << 32) + 100));
    assert_eq!((grid.blocks_of(1 << 16), grid.positions_of(1 << 16)), (2, 100));
    let mut random = Random(9);
    let symbols: Vec<u16> = (0..100).map(|_| random.below(3) as u16).collect();
    let block = Block { symbols: &symbols[..64], free: None, hints: None };
    let model = Model::fit(3, 1, &[block]);
    let dictionary = vec![-4, 0, 4];
    let mut stored =
        Stored { plane: Plane::Values, dictionary, counts: vec![], model, pages: vec![], end: 0 };
    let bytes = stored.encode(grid, &symbols, None, None);
    stored.pages = vec![Entry { offset: 0, crc: 0 }; 1 << 16];
    stored.pages.push(Entry { offset: far, crc: crc32fast::hash(&bytes) });
    stored.end = far + bytes.len() as u64;
    let disk = Disk::new(tempfile::tempfile().unwrap());
    disk.write_all_at(&bytes, far).unwrap();
    let table = TableFile { path: PathBuf::new(), identity: tiny(0), grid, disk, planes: vec![stored] };
    for (i, &symbol) in symbols.iter().enumerate() {
        let number = i32::from(symbol) * 4 - 4;
        assert_eq!(table.stored(Plane::Values, (1 << 32) + i as u64).unwrap(), number);
    }
    assert_eq!(table.stored_run(Plane::Values, 1 << 16).unwrap().len(), 100);

    // A header of the largest tier on 2x6, whose sections lie tens of gigabytes apart.
    let grid = Grid { positions: 279_871_768_995, shape: Shape::USUAL };
    let index = grid.pages() * 12;
    let describe = |plane| {
        let counts = vec![grid.positions];
        let model = Model::fit(1, 1, &[]);
        let stored = Stored { plane, dictionary: vec![0], counts, model, pages: vec![], end: 0 };
        (stored, Sections { index: 0, index_crc: 7, data: 0, length: 1 << 36 })
    };
    let planes = vec![describe(Plane::Values), describe(Plane::Distances)];
    let mut header = Header { length: 0, identity: tiny(0), grid, planes };
    header.length = header.to_bytes().len() as u64;
    header.planes[0].1.index = header.length;
    header.planes[1].1.index = header.length + index;
    header.planes[0].1.data = header.length + 2 * index;
    header.planes[1].1.data = header.length + 2 * index + (1 << 36);
    let end = header.planes[1].1.data + (1 << 36);
    let header = Header::from_bytes(&header.to_bytes()).unwrap();
    assert_eq!(header.planes[1].0.end, end);
    assert!(header.verify_lengths(end).is_ok());
    for wrong in [end - 1, end + 1, end & 0xffff_ffff] {
        assert!(header.verify_lengths(wrong).is_err());
    }
}

#[test]
fn lengths_that_overflow_are_damage() {
    let describe = |data, length| {
        let model = Model::fit(1, 1, &[]);
        let stored = Stored {
            plane: Plane::Values,
            dictionary: vec![0],
            counts: vec![],
            model,
            pages: vec![],
            end: 0,
        };
        (stored, Sections { index: 30, index_crc: 0, data, length })
    };
    for (positions, data, length) in [(u64::MAX, 42, 1), (1, 42, u64::MAX), (1, u64::MAX, u64::MAX)] {
        let grid = Grid { positions, shape: Shape { block: 1, blocks: 1 } };
        let header = Header { length: 30, identity: tiny(0), grid, planes: vec![describe(data, length)] };
        assert!(header.verify_lengths(42).is_err());
    }
    // The last page of the largest tier does not overflow either.
    let grid = Grid { positions: u64::MAX, shape: Shape { block: 3, blocks: 7 } };
    assert_eq!(grid.page_ranks(grid.pages() - 1).end, u64::MAX);
}

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
    assert_eq!(TableDir::open(&tables).unwrap().list("ayoayo").unwrap(), []);
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
    assert_eq!(tables.list("hoyito").unwrap(), []);
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
    // In each pass: 516 pages of it are three slabs.
    for after in [0, 1, 5, 12, 13, 17, 23] {
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
        let told = |done: u64, todo: u64| assert!(done < todo / 2);
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
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" --exact table::tests::a_full_disk_is_an_error_that_leaves_nothing";
    let child = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().unwrap())
        .env(FULL, dir.path())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && output.contains("1 passed"), "{output}");
    assert_eq!(names(dir.path()), [".lock"]);
}

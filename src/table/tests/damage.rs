//! Files damaged by chance and by craft, and good files of something else.

use std::fs::File;

use super::*;
use crate::table::statistics::Tally;

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
    let mut random = Random::new(8);
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
        header.standoffs = Some(Tally::NONE);
        for (stored, _) in &mut header.planes {
            stored.tallies.iter_mut().for_each(|tally| tally.first = 0);
            stored.tallies.iter_mut().find(|tally| tally.positions > 1).unwrap().positions -= 1;
        }
    });
    assert!(error.contains("damaged (60 positions, the tier has 61)"), "{error}");
    let error = open(&|header| header.planes[1].0.tallies[0].positions += 1);
    assert!(error.contains("statistics of distances"), "{error}");
    // Examples that are not in the tier, or after which the tier has too few positions.
    for first in [u64::MAX, 61, 60] {
        let error = open(&|header| {
            let mut tallies = header.planes[3].0.tallies.iter_mut();
            tallies.find(|tally| tally.positions > 1).unwrap().first = first;
        });
        assert!(error.contains("examples of upper bounds can not be"), "{error}");
    }
    let error = open(&|header| {
        let tallies = &mut header.planes[0].0.tallies;
        tallies[1].positions += std::mem::replace(&mut tallies[0], Tally::NONE).positions;
        tallies[1].first = 0;
    });
    assert!(error.contains("examples of values can not be"), "{error}");
    assert_eq!(open(&|header| header.standoffs = Some(Tally::NONE)), "");
    for (positions, first) in [(0, 0), (1, 61), (1, u64::MAX), (2, 60), (62, 0), (u64::MAX, 0)] {
        let error = open(&|header| header.standoffs = Some(Tally { positions, first }));
        assert!(error.contains("statistics of stand-offs can not be"), "{positions}, {first}: {error}");
    }
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

//! Tiers and files larger than a test can make.

use super::*;
use crate::codec::{Block, Closeness, Model};
use crate::table::disk::Disk;
use crate::table::header::Sections;
use crate::table::page::{Entry, Grid, Stored, index_bytes, index_entries};
use crate::table::statistics::Tally;

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
    let mut random = Random::new(9);
    let symbols: Vec<u16> = (0..100).map(|_| random.below(3) as u16).collect();
    let block = Block { symbols: &symbols[..64], free: None, hints: None };
    let model = Model::fit(3, 1, &[block], Closeness::QUICK);
    let dictionary = vec![-4, 0, 4];
    let mut stored =
        Stored { plane: Plane::Values, dictionary, tallies: vec![], model, pages: vec![], end: 0 };
    let bytes = stored.encode(grid, &symbols, None, &[0; 100]);
    stored.pages = vec![Entry { offset: 0, crc: 0 }; 1 << 16];
    stored.pages.push(Entry { offset: far, crc: crc32fast::hash(&bytes) });
    stored.end = far + bytes.len() as u64;
    let disk = Disk::new(tempfile::tempfile().unwrap());
    disk.write_all_at(&bytes, far).unwrap();
    // One of a tier that has so many.
    let identity = Identity { pits: 12, seeds: 48, ..tiny(0) };
    let (path, planes) = (PathBuf::new(), vec![stored]);
    let table = TableFile { path, identity, grid, disk, planes, standoffs: None };
    for (i, &symbol) in symbols.iter().enumerate() {
        let number = i32::from(symbol) * 4 - 4;
        assert_eq!(table.stored(Plane::Values, (1 << 32) + i as u64).unwrap(), number);
    }
    assert_eq!(table.stored_run(Plane::Values, 1 << 16).unwrap().len(), 100);

    // A header of the largest tier on 2x6, whose sections lie tens of gigabytes apart.
    let grid = Grid { positions: 279_871_768_995, shape: Shape::USUAL };
    let index = grid.pages() * 12;
    let describe = |plane| {
        let tallies = vec![Tally { positions: grid.positions, first: 0 }];
        let model = Model::fit(1, 1, &[], Closeness::QUICK);
        let stored = Stored { plane, dictionary: vec![0], tallies, model, pages: vec![], end: 0 };
        (stored, Sections { index: 0, index_crc: 7, data: 0, length: 1 << 36 })
    };
    let planes = vec![describe(Plane::Values), describe(Plane::Distances)];
    let mut header = Header { length: 0, identity: tiny(0), grid, planes, standoffs: None };
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
        let model = Model::fit(1, 1, &[], Closeness::QUICK);
        let stored = Stored {
            plane: Plane::Values,
            dictionary: vec![0],
            tallies: vec![],
            model,
            pages: vec![],
            end: 0,
        };
        (stored, Sections { index: 30, index_crc: 0, data, length })
    };
    for (positions, data, length) in [(u64::MAX, 42, 1), (1, 42, u64::MAX), (1, u64::MAX, u64::MAX)] {
        let grid = Grid { positions, shape: Shape { block: 1, blocks: 1 } };
        let planes = vec![describe(data, length)];
        let header = Header { length: 30, identity: tiny(0), grid, planes, standoffs: None };
        assert!(header.verify_lengths(42).is_err());
    }
    // The last page of the largest tier does not overflow either.
    let grid = Grid { positions: u64::MAX, shape: Shape { block: 3, blocks: 7 } };
    assert_eq!(grid.page_ranks(grid.pages() - 1).end, u64::MAX);
}

//! What the codec of the values is told of each position: the counts of its last two pits, which change from one rank to
//! the next while the others stand.

use std::ops::Range;

use super::Identity;
use crate::board::MAX_PITS;
use crate::index;

/// Counts told apart, the last for all larger ones: a power of two.
const COUNTS: u16 = 8;

/// Hints are below.
pub(super) const ALPHABET: usize = (COUNTS * COUNTS) as usize;

/// Makes `hints` those of `ranks`, all of the tier.
///
/// Steps from each position to the next, for unranking each would take longer than decoding it.
pub(super) fn fill(identity: &Identity, ranks: Range<u64>, hints: &mut Vec<u16>) {
    hints.clear();
    let pits = usize::from(identity.pits);
    let mut counts = [0; MAX_PITS];
    let counts = &mut counts[..pits];
    index::unrank_counts(identity.seeds.into(), ranks.start, counts);
    let told = |count: u8| u16::from(count).min(COUNTS - 1);
    hints.extend(ranks.map(|_| {
        let hint = told(counts[pits - 1]) * COUNTS + told(counts[pits - 2]);
        index::next_counts(counts);
        hint
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All counts of `pits` pits that sum to `seeds`, in lexicographic order.
    fn boards(pits: usize, seeds: u8) -> Vec<Vec<u8>> {
        if pits == 1 {
            return vec![vec![seeds]];
        }
        let rest = |first| {
            boards(pits - 1, seeds - first).into_iter().map(move |rest| [&[first], &rest[..]].concat())
        };
        (0..=seeds).flat_map(rest).collect()
    }

    #[test]
    fn hints_are_of_the_last_two_pits_from_any_rank_on() {
        for (pits, seeds) in [(2, 96), (4, 17), (6, 11), (12, 4), (24, 3)] {
            let identity = Identity { profile: String::new(), rules: 0, pits: pits as u8, seeds, unit: 1 };
            let expected: Vec<u16> = boards(pits, seeds)
                .iter()
                .map(|board| u16::from(8 * board[pits - 1].min(7) + board[pits - 2].min(7)))
                .collect();
            assert!(expected.iter().all(|&hint| usize::from(hint) < ALPHABET));
            let mut hints = Vec::new();
            for first in [0, 1, expected.len() / 2, expected.len() - 1] {
                for end in [first + 1, (first + 40).min(expected.len()), expected.len()] {
                    fill(&identity, first as u64..end as u64, &mut hints);
                    assert_eq!(hints, expected[first..end], "{pits} pits, ranks {first}..{end}");
                }
            }
        }
    }
}

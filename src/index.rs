//! Rank and unrank of "n seeds in P pits".
//!
//! Within a tier (all boards with the same number of seeds) boards are numbered in lexicographic
//! order of their counts, the mover's first pit first: rank 0 has all seeds in the last pit. With
//! `ways(m, r)` = C(r + m - 1, m - 1), the number of ways to put r seeds into m pits, and `rem(i)`
//! the seeds in pits `i..P`, summing the boards that are smaller at each pit and applying Pascal's
//! rule once gives
//!
//! ```text
//! rank = ways(P, n) - 1 - sum over i in 1..P of ways(P - i + 1, rem(i) - 1)
//! ```
//!
//! whose `P - 1` look-ups do not depend on one another. `rem` comes from one multiplication a word.
//! Ranks are `u64` up to what 64 bits can number; [`global_rank`] adds the boards of all smaller
//! tiers and needs at most 41 bits on 2x6 up to 48 seeds, at most 84 bits on 2x12 with 96.

use crate::board::{Board, MAX_PITS, MAX_SEEDS};

const SEEDS: usize = MAX_SEEDS as usize;

/// `WAYS[m][r + 1]` = ways to put r seeds into m pits; column 0 (r = -1) is 0.
static WAYS: [[u128; SEEDS + 2]; MAX_PITS + 2] = {
    let mut ways = [[0; SEEDS + 2]; MAX_PITS + 2];
    ways[0][1] = 1;
    let mut m = 1;
    while m < MAX_PITS + 2 {
        let mut r = 0;
        while r <= SEEDS {
            ways[m][r + 1] = ways[m][r] + ways[m - 1][r + 1];
            r += 1;
        }
        m += 1;
    }
    ways
};

/// The low halves of [`WAYS`], all that ranks below 2^64 need, in half the cache.
static WAYS_LOW: [[u64; 128]; MAX_PITS + 2] = {
    let mut low = [[0; 128]; MAX_PITS + 2];
    let mut m = 0;
    while m < MAX_PITS + 2 {
        let mut r = 0;
        while r < SEEDS + 2 {
            low[m][r] = WAYS[m][r] as u64;
            r += 1;
        }
        m += 1;
    }
    low
};

/// Boards with exactly `seeds` seeds in `pits` pits: C(seeds + pits - 1, pits - 1).
///
/// # Panics
/// With more than 24 pits or 96 seeds.
pub fn tier_size(pits: usize, seeds: u32) -> u128 {
    assert!(pits <= MAX_PITS);
    WAYS[pits][seeds as usize + 1]
}

/// Boards with fewer than `seeds` seeds in `pits` pits.
fn below_tier(pits: usize, seeds: u32) -> u128 {
    WAYS[pits + 1][seeds as usize]
}

/// The number of `board` within its tier, in lexicographic order of its counts.
///
/// Right for tiers of fewer than 2^64 boards: all on 2x6, up to 58 seeds on 2x12.
#[inline]
pub fn rank<const P: usize>(board: &Board<P>) -> u64 {
    let sums = board.prefix_sums();
    let n = board.seeds() as u64;
    let mut rank = WAYS_LOW[P][(n as usize + 1) & 127].wrapping_sub(1);
    for i in 1..P {
        let (word, shift) = Board::<P>::lane(i - 1);
        let rem = n - (sums[word] >> shift & 0x7f);
        rank = rank.wrapping_sub(WAYS_LOW[P - i + 1][rem as usize & 127]);
    }
    rank
}

/// The number of a board within its tier: [`rank`] where the number of pits is known at run time only. `None` where 64 bits can not
/// number the tier.
///
/// # Panics
/// With no pits or more than 24, or more than 96 seeds.
pub fn rank_counts(counts: &[u8]) -> Option<u64> {
    let pits = counts.len();
    let seeds = counts.iter().map(|&count| u32::from(count)).sum();
    let mut rank = u64::try_from(tier_size(pits, seeds)).ok()? - 1;
    let mut rem = seeds as usize;
    for (pit, &count) in counts.iter().enumerate().take(pits - 1) {
        rem -= usize::from(count);
        // None of these is larger than the tier.
        rank -= WAYS[pits - pit][rem] as u64;
    }
    Some(rank)
}

/// The number of `board` among all boards, smaller tiers first: exact on every board.
pub fn global_rank<const P: usize>(board: &Board<P>) -> u128 {
    let sums = board.prefix_sums();
    let n = board.seeds() as usize;
    let mut rank = below_tier(P, n as u32) + WAYS[P][n + 1] - 1;
    for i in 1..P {
        let (word, shift) = Board::<P>::lane(i - 1);
        let rem = n - (sums[word] >> shift & 0x7f) as usize;
        rank -= WAYS[P - i + 1][rem];
    }
    rank
}

/// The number of `board` among all 2x6 (or smaller) boards of at most 48 seeds: below 2^41.
#[inline]
pub(crate) fn short_global_rank<const P: usize>(board: &Board<P>) -> u64 {
    WAYS_LOW[P + 1][board.seeds() as usize & 127] + rank(board)
}

/// The board with this number in the tier of `seeds` seeds.
///
/// # Panics
/// Where `rank` is not below [`tier_size`].
pub fn unrank<const P: usize>(seeds: u32, rank: u64) -> Board<P> {
    let mut counts = [0u8; P];
    unrank_counts(seeds, rank, &mut counts);
    Board::from_counts(&counts)
}

/// The counts of the board with this number in the tier of `seeds` seeds, as many pits as `counts` has: [`unrank`] where
/// the number of pits is known at run time only.
///
/// # Panics
/// Where `rank` is not below [`tier_size`].
pub fn unrank_counts(seeds: u32, rank: u64, counts: &mut [u8]) {
    let pits = counts.len();
    assert!(u128::from(rank) < tier_size(pits, seeds), "rank {rank} is not in the tier of {seeds} seeds");
    let mut rest = u128::from(rank);
    let mut left = seeds as usize;
    counts.fill(0);
    for (pit, count) in counts.iter_mut().enumerate().take(pits - 1) {
        let after = pits - pit - 1;
        // The boards with c seeds here come after those with fewer, ways(after, left - c) of them.
        while rest >= WAYS[after][left + 1] {
            rest -= WAYS[after][left + 1];
            left -= 1;
            *count += 1;
        }
    }
    counts[pits - 1] = left as u8;
}

/// Makes `counts` those of the next board in its tier, in rank order: [`successor`] where the number of pits is known at run
/// time only. False, and `counts` as they were, after the last.
pub fn next_counts(counts: &mut [u8]) -> bool {
    let Some(pit) = counts.iter().rposition(|&count| count > 0).filter(|&pit| pit > 0) else { return false };
    let moved = std::mem::take(&mut counts[pit]) - 1;
    counts[pit - 1] += 1;
    if let Some(last) = counts.last_mut() {
        *last = moved;
    }
    true
}

/// The board after `board` in its tier, in rank order; `None` after the last.
#[inline]
pub fn successor<const P: usize>(board: &Board<P>) -> Option<Board<P>> {
    let last = board.get(P - 1);
    if last > 0 {
        return Some(board.with(P - 1, last - 1).with(P - 2, board.get(P - 2) + 1));
    }
    // All of the last non-empty pit but one seed goes to the end, that one moves a pit forward.
    let pit = (1..P - 1).rev().find(|&pit| board.get(pit) > 0)?;
    let count = board.get(pit);
    Some(board.with(pit, 0).with(pit - 1, board.get(pit - 1) + 1).with(P - 1, count - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole_tiers<const P: usize>(most: u32) {
        let mut global = 0;
        for seeds in 0..=most {
            let mut board = Board::<P>::from_counts(&{
                let mut counts = [0; P];
                counts[P - 1] = seeds as u8;
                counts
            });
            let size = tier_size(P, seeds) as u64;
            for number in 0..size {
                assert_eq!(rank(&board), number, "{board:?}");
                assert_eq!(unrank::<P>(seeds, number), board);
                assert_eq!(global_rank(&board), global);
                assert_eq!(u128::from(short_global_rank(&board)), global);
                global += 1;
                let next = successor(&board);
                assert_eq!(next.is_some(), number + 1 < size);
                let mut counts = board.counts();
                assert_eq!(rank_counts(&counts), Some(number));
                assert_eq!(next_counts(&mut counts), next.is_some());
                assert_eq!(counts, next.unwrap_or(board).counts());
                if let Some(next) = next {
                    assert!(next.counts() > board.counts(), "lexicographic order");
                    board = next;
                }
            }
        }
    }

    #[test]
    fn ranks_number_every_board_once_in_lexicographic_order() {
        whole_tiers::<4>(30);
        whole_tiers::<6>(12);
        whole_tiers::<8>(9);
        whole_tiers::<10>(7);
        whole_tiers::<12>(7);
        whole_tiers::<14>(5);
        whole_tiers::<16>(5);
        whole_tiers::<18>(4);
        whole_tiers::<20>(4);
        whole_tiers::<22>(4);
        whole_tiers::<24>(4);
    }

    #[test]
    fn tier_sizes_are_the_binomials() {
        // C(19, 11), C(27, 11), C(59, 11), C(35, 23) by hand.
        assert_eq!(tier_size(12, 8), 75_582);
        assert_eq!(tier_size(12, 16), 13_037_895);
        assert_eq!(tier_size(12, 48), 279_871_768_995);
        assert_eq!(tier_size(24, 12), 834_451_800);
    }

    #[test]
    fn ranks_round_trip_past_32_bits() {
        for seeds in [27, 28, 29, 30, 31, 32, 33, 48] {
            let size = tier_size(12, seeds) as u64;
            let edges = [0, 1, size / 2, size - 2, size - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 1];
            for number in edges.into_iter().filter(|&n| n < size) {
                assert_eq!(rank(&unrank::<12>(seeds, number)), number, "{seeds} seeds");
            }
        }
        let top = unrank::<12>(48, tier_size(12, 48) as u64 - 1);
        assert!(short_global_rank(&top) < 1 << 41);
        assert_eq!(u128::from(short_global_rank(&top)), global_rank(&top));
        assert_eq!(rank_counts(&top.counts()), Some(tier_size(12, 48) as u64 - 1));
        let start = Board::<24>::from_counts(&[4; 24]);
        assert_eq!(rank_counts(&start.counts()), None, "more than 64 bits");
        assert!(global_rank(&start) < 1 << 84);
        assert!(global_rank(&start) > 1 << 80);
    }
}

//! The positions of a wave.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::zeroed;

/// Positions of a set looked through by one job, the bits of [`JOB_WORDS`] words.
pub(super) const JOB: u64 = 1 << 12;
const JOB_WORDS: usize = JOB as usize / 64;

/// A set of ranks: one bit each, and above them one bit for each [`JOB`], so that an empty part costs nothing.
pub(super) struct RankSet {
    words: Vec<AtomicU64>,
    jobs: Vec<AtomicU64>,
}

impl RankSet {
    pub(super) fn new(size: u64) -> Self {
        let jobs = size.div_ceil(JOB) as usize;
        Self { words: zeroed::vec(jobs * JOB_WORDS), jobs: zeroed::vec(jobs.div_ceil(64)) }
    }

    pub(super) fn insert(&self, rank: u64) {
        self.words[(rank / 64) as usize].fetch_or(1 << (rank % 64), Relaxed);
        let job = rank / JOB;
        let (word, bit) = (&self.jobs[(job / 64) as usize], 1 << (job % 64));
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.jobs.iter().all(|word| word.load(Relaxed) == 0)
    }

    /// Empties the set, and returns the jobs that held ranks.
    pub(super) fn take_jobs(&self) -> Vec<u64> {
        let mut jobs = Vec::new();
        for (at, word) in self.jobs.iter().enumerate() {
            let mut bits = word.swap(0, Relaxed);
            while bits != 0 {
                jobs.push(at as u64 * 64 + u64::from(bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
        jobs
    }

    /// Takes the ranks of one job out of the set.
    pub(super) fn take(&self, job: u64, mut each: impl FnMut(u64)) {
        for word in job as usize * JOB_WORDS..(job as usize + 1) * JOB_WORDS {
            let mut bits = self.words[word].load(Relaxed);
            if bits == 0 {
                continue;
            }
            self.words[word].store(0, Relaxed);
            while bits != 0 {
                each(word as u64 * 64 + u64::from(bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
    }
}

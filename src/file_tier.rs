//! A tier read from its table, block by block as positions are asked for.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::table::{Plane, TableError, TableFile};

/// Tiers up to this size are kept whatever the budget: nearly every look at captures ends in them. On 2x6 all of them
/// together take less than two megabytes, on the smallest boards, with their many small tiers, ten.
const ALWAYS_KEPT: u64 = 1 << 20;

/// Memory for blocks that have been read, shared by all tiers of an engine.
pub(crate) struct BlockBudget {
    left: AtomicUsize,
}

impl BlockBudget {
    /// `bytes` bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { left: AtomicUsize::new(bytes) }
    }

    /// Takes bytes, if there are as many left.
    fn take(&self, bytes: usize) -> bool {
        self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }
}

/// The stored numbers of a plane, a slot a block: filled by the first thread that needs it, never changed or emptied, so
/// reading takes no lock. What finds no room is decoded each time.
struct Blocks {
    plane: Plane,
    slots: Vec<OnceLock<Box<[i8]>>>,
}

/// A tier on disk.
pub(crate) struct FileTier {
    file: TableFile,
    values: Blocks,
    low: Blocks,
    high: Blocks,
}

impl FileTier {
    pub(crate) fn new(file: TableFile) -> Self {
        let blocks = |plane| {
            let count = if file.has(plane) { file.blocks() } else { 0 };
            Blocks { plane, slots: (0..count).map(|_| OnceLock::new()).collect() }
        };
        let [values, low, high] = [Plane::Values, Plane::Low, Plane::High].map(blocks);
        Self { file, values, low, high }
    }

    pub(crate) fn file(&self) -> &TableFile {
        &self.file
    }

    /// The number that a plane has stored for a rank: the true one, or a smaller one where the best exit gives it.
    #[inline]
    pub(crate) fn stored(&self, plane: Plane, rank: u64, budget: &BlockBudget) -> Result<i8, TableError> {
        let blocks = match plane {
            Plane::Low => &self.low,
            Plane::High => &self.high,
            Plane::Values | Plane::Distances => &self.values,
        };
        let length = self.file.block_length();
        let (block, within) = (rank / length, (rank % length) as usize);
        let slot = &blocks.slots[block as usize];
        match slot.get() {
            Some(numbers) => Ok(numbers[within]),
            None => self.read(blocks.plane, slot, block, within, budget),
        }
    }

    #[cold]
    fn read(
        &self,
        plane: Plane,
        slot: &OnceLock<Box<[i8]>>,
        block: u64,
        within: usize,
        budget: &BlockBudget,
    ) -> Result<i8, TableError> {
        let small = self.file.positions() <= ALWAYS_KEPT;
        let room = small || budget.take(self.file.block_length() as usize + size_of::<Box<[i8]>>());
        let length = if room { usize::MAX } else { within + 1 };
        let numbers = self.file.stored_block(plane, block, length)?;
        let number = numbers[within] as i8;
        if room {
            let _ = slot.set(numbers.into_iter().map(|number| number as i8).collect());
        }
        Ok(number)
    }

    /// Sowings until the value of a rank is converted, or [`NEVER`](crate::NEVER).
    pub(crate) fn distance(&self, rank: u64) -> Result<u16, TableError> {
        let length = self.file.block_length();
        let (block, within) = (rank / length, (rank % length) as usize);
        Ok(self.file.stored_block(Plane::Distances, block, within + 1)?[within] as u16)
    }
}

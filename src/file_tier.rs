//! A tier read from its table, block by block as positions are asked for.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering::Relaxed};

use crate::table::{Plane, TableError, TableFile};

/// Tiers up to this size are kept whatever the budget: nearly every look at captures ends in them. On 2x6 all of them
/// together take less than two megabytes, on the smallest boards, with their many small tiers, ten.
const ALWAYS_KEPT: u64 = 1 << 20;

/// Memory for blocks that have been read, shared by all tiers of an engine. The smallest tiers have their room set aside
/// before any is read: a block of theirs is asked for by captures from all tiers above, one of the largest tier seldom twice.
pub(crate) struct BlockBudget {
    left: AtomicUsize,
}

impl BlockBudget {
    /// `bytes` bytes, of which room for as many of the smallest tiers as it holds is set aside. `tiers`: from the smallest up.
    pub(crate) fn new<'a>(bytes: usize, tiers: impl Iterator<Item = &'a mut FileTier>) -> Self {
        let budget = Self { left: AtomicUsize::new(bytes) };
        tiers.take_while(|tier| budget.take(tier.all_bytes())).for_each(|tier| tier.set_aside = true);
        budget
    }

    /// Takes bytes, if there are as many left.
    fn take(&self, bytes: usize) -> bool {
        self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }

    /// Gives bytes back.
    fn give(&self, bytes: usize) {
        self.left.fetch_add(bytes, Relaxed);
    }
}

/// The numbers of a plane, a slot a block: filled by the first thread that finds room for it and never emptied, so
/// reading takes no lock. What finds no room is decoded each time, up to the position asked for.
struct Blocks {
    plane: Plane,
    slots: Vec<OnceLock<Box<[Cell]>>>,
    /// The blocks that have been asked for.
    asked: Vec<AtomicBool>,
}

/// A number as its table has stored it, or, marked, the true one, which takes a look at all captures to find.
struct Cell(AtomicU8);

/// The mark of a true number.
const TRUE: u8 = 1 << 7;

/// Numbers from minus this one to below it can be marked.
const BIAS: i8 = 1 << 6;

/// A number of a position in a table.
pub(crate) struct Probed<'a> {
    /// The true one, or a smaller one where the best exit gives it.
    pub(crate) number: i8,
    /// It is the true one.
    pub(crate) is_true: bool,
    cell: Option<&'a Cell>,
}

impl Probed<'_> {
    /// Keeps the true number for whoever asks next.
    #[inline(always)]
    pub(crate) fn keep(&self, number: i8) {
        if let Some(Cell(cell)) = self.cell {
            cell.store(number.wrapping_add(BIAS) as u8 | TRUE, Relaxed);
        }
    }
}

/// A tier on disk.
pub(crate) struct FileTier {
    file: TableFile,
    /// All its numbers can be marked.
    marks: bool,
    /// Room for all its blocks has been taken, or is not counted.
    set_aside: bool,
    values: Blocks,
    low: Blocks,
    high: Blocks,
}

impl FileTier {
    pub(crate) fn new(file: TableFile) -> Self {
        let blocks = |plane| {
            let count = if file.has(plane) { file.blocks() } else { 0 };
            let slots = (0..count).map(|_| OnceLock::new()).collect();
            Blocks { plane, slots, asked: (0..count).map(|_| AtomicBool::new(false)).collect() }
        };
        let [values, low, high] = [Plane::Values, Plane::Low, Plane::High].map(blocks);
        let marks = file.identity().seeds < BIAS as u8;
        let set_aside = file.positions() <= ALWAYS_KEPT;
        Self { file, marks, set_aside, values, low, high }
    }

    pub(crate) fn file(&self) -> &TableFile {
        &self.file
    }

    /// The number of a rank.
    #[inline]
    pub(crate) fn number(
        &self,
        plane: Plane,
        rank: u64,
        budget: &BlockBudget,
    ) -> Result<Probed<'_>, TableError> {
        let blocks = match plane {
            Plane::Low => &self.low,
            Plane::High => &self.high,
            Plane::Values | Plane::Distances => &self.values,
        };
        let length = self.file.block_length();
        let (block, within) = (rank / length, (rank % length) as usize);
        let slot = &blocks.slots[block as usize];
        match slot.get() {
            Some(cells) => Ok(self.probed(&cells[within])),
            None => self.read(blocks, block, within, budget),
        }
    }

    #[inline(always)]
    fn probed<'a>(&self, cell: &'a Cell) -> Probed<'a> {
        let byte = cell.0.load(Relaxed);
        if self.marks {
            Probed { number: (byte & !TRUE) as i8 - BIAS, is_true: byte & TRUE != 0, cell: Some(cell) }
        } else {
            Probed { number: byte as i8, is_true: false, cell: None }
        }
    }

    #[cold]
    fn read<'a>(
        &'a self,
        blocks: &'a Blocks,
        block: u64,
        within: usize,
        budget: &BlockBudget,
    ) -> Result<Probed<'a>, TableError> {
        let plane = blocks.plane;
        // To decode a whole block and keep it is for those that are asked for again, of large tiers few.
        let again = self.set_aside || blocks.asked[block as usize].swap(true, Relaxed);
        if again && self.room(budget) {
            // Its neighbour is likely to be wanted too, and comes at half the price.
            let next = blocks.slots.get((block ^ 1) as usize).filter(|next| next.get().is_none());
            let both = if next.is_some() { self.file.stored_pair(plane, block & !1)? } else { None };
            let numbers = match &both {
                Some(numbers) => {
                    let (even, odd) = numbers.split_at(numbers.len() / 2);
                    let (own, other) = if block & 1 == 0 { (even, odd) } else { (odd, even) };
                    if let Some(next) = next.filter(|_| self.room(budget)) {
                        self.keep(next, other, budget);
                    }
                    own
                }
                None => &self.file.stored_block(plane, block, usize::MAX)?,
            };
            let slot = &blocks.slots[block as usize];
            self.keep(slot, numbers, budget);
            return Ok(self.probed(&slot.get().expect("just filled")[within]));
        }
        let numbers = self.file.stored_block(plane, block, within + 1)?;
        Ok(Probed { number: numbers[within] as i8, is_true: false, cell: None })
    }

    /// Bytes of a block that is kept, which count against the budget.
    fn bytes(&self) -> usize {
        if self.set_aside { 0 } else { self.file.block_length() as usize + size_of::<Box<[Cell]>>() }
    }

    /// The same of all blocks.
    fn all_bytes(&self) -> usize {
        let blocks = [&self.values, &self.low, &self.high].map(|blocks| blocks.slots.len()).iter().sum();
        self.bytes().saturating_mul(blocks)
    }

    /// Takes room for a block, if there is any.
    fn room(&self, budget: &BlockBudget) -> bool {
        budget.take(self.bytes())
    }

    /// Fills a slot, or gives the room for it back where it was filled meanwhile.
    fn keep(&self, slot: &OnceLock<Box<[Cell]>>, numbers: &[i32], budget: &BlockBudget) {
        let bias = if self.marks { BIAS } else { 0 };
        // A table with sound checksums can hold numbers that no position of its seeds has: `verify --deep` tells, here they wrap.
        let cell = |&number: &i32| Cell(AtomicU8::new((number as i8).wrapping_add(bias) as u8));
        if slot.get().is_some() || slot.set(numbers.iter().map(cell).collect()).is_err() {
            budget.give(self.bytes());
        }
    }

    /// Sowings until the value of a rank is converted, or [`NEVER`](crate::NEVER).
    pub(crate) fn distance(&self, rank: u64) -> Result<u16, TableError> {
        let length = self.file.block_length();
        let (block, within) = (rank / length, (rank % length) as usize);
        Ok(self.file.stored_block(Plane::Distances, block, within + 1)?[within] as u16)
    }
}

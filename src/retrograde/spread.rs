//! Who holds which ranks of a tier that is being solved, and how contributions reach the holder.
//!
//! The solver does not know whether it holds the whole tier. Two facts make that possible: what a cell becomes depends only
//! on what it has received by the end of a wave, and a contribution names its cell by rank alone.

use std::ops::Range;

/// Something that a solved child does to an unsolved parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contribution {
    /// A child is lost: the parent is won.
    Win,
    /// A child is won for the other side: the parent has one hope less.
    Less,
}

/// Contributions of one kind to cells of one plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery<'a> {
    pub(crate) plane: usize,
    pub(crate) kind: Contribution,
    /// The ranks they are for, in any order, as often as they are meant.
    pub(crate) ranks: &'a [u64],
}

/// Who holds which ranks of the tier, and how contributions reach the holder.
pub(crate) trait Spread: Sync {
    /// The ranks held here, of a tier of `size` positions.
    fn held(&self, size: u64) -> Range<u64>;

    /// Sends contributions on their way; those for ranks held here may be `deliver`ed at once. Called from many threads.
    fn send(&self, what: Delivery<'_>, deliver: &dyn Fn(Delivery<'_>));

    /// Ends a wave: returns when everything that any holder sent in it has been delivered, and says whether `busy` is true for any holder
    /// then. Called from one thread.
    fn end_wave(&self, deliver: &dyn Fn(Delivery<'_>), busy: &dyn Fn() -> bool) -> bool;

    /// Given the passes (child, parent) of the positions held here, returns those whose child is held here.
    fn share_passes(&self, passes: Vec<(u64, u64)>) -> Vec<(u64, u64)>;
}

/// One process holds the whole tier.
pub(crate) struct Alone;

impl Spread for Alone {
    fn held(&self, size: u64) -> Range<u64> {
        0..size
    }

    fn send(&self, what: Delivery<'_>, deliver: &dyn Fn(Delivery<'_>)) {
        deliver(what);
    }

    fn end_wave(&self, _: &dyn Fn(Delivery<'_>), busy: &dyn Fn() -> bool) -> bool {
        busy()
    }

    fn share_passes(&self, passes: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
        passes
    }
}

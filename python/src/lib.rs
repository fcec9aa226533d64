//! oju for Python: the library's few functions, with numpy arrays where there are many positions.
//!
//! What Python sees is documented in `oju.pyi` and in the docstrings here. Everything that takes long goes through
//! [`waiting`], which leaves Python free meanwhile and lets Ctrl-C end it.

mod analysis;
mod arguments;
mod arrays;
mod build;
mod engine;
mod errors;
mod index;
mod probe;
mod tier;
mod waiting;

use pyo3::prelude::*;

/// Exact solving of two relay mancala games, Ayoayo and Hoyito II.
///
/// A position is a text: the counts of all pits in sowing order, South's row first, South's store, North's store and the side to move,
/// joined by '-'; stores and side may be left out, and 'start' is the start. Moves are pit letters such as 'CdF', '-' a forced pass.
/// Boards in arrays are rows of counts seen by the side to move, its own row first. Values are seeds that the side to move wins
/// minus seeds that it loses from there on under best play by both, stores excluded.
#[pymodule]
mod oju {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::analysis::{Analysis, Move, MoveAnalysis};
    #[pymodule_export]
    use crate::build::build;
    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::errors::{BuildError, InputError, TableError};
    #[pymodule_export]
    use crate::index::{rank, tier_size, unrank};
    #[pymodule_export]
    use crate::probe::{Probe, Probes};
    #[pymodule_export]
    use crate::tier::{Chunks, Rows, Tier};
    #[pymodule_export]
    use crate::{profiles, rules};

    /// The distance of a value that is never converted, in arrays.
    #[pymodule_export]
    const NEVER: u16 = ::oju::NEVER;
    /// The value, low or high that tables do not tell, in arrays.
    #[pymodule_export]
    const UNKNOWN: i16 = crate::probe::UNKNOWN;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// The names of the profiles. 'ayoayo@2x4x3' is a custom board: Ayoayo on two rows of four pits with three seeds in each.
#[pyfunction]
fn profiles() -> Vec<String> {
    ::oju::Profile::ALL.iter().map(ToString::to_string).collect()
}

/// The rules of a profile in words, with their fingerprint.
#[pyfunction]
fn rules(profile: &str) -> PyResult<String> {
    Ok(::oju::rules::in_words(&arguments::profile(profile)?))
}

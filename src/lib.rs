//! Exact solving of relay mancala.
pub mod analysis;
pub mod board;
mod closed_set;
pub mod engine;
pub mod index;
pub mod notation;
mod numbers;
pub mod position;
pub mod profile;
pub mod retrograde;
pub mod rules;
mod search;
mod solver;
mod sow;
mod tiers;
mod tt;

pub use analysis::{Analysis, MoveAnalysis};
pub use engine::{Engine, LegalMove, Limits, Options, Settings};
pub use position::{Position, Side};
pub use profile::{Profile, Ruleset};
pub use solver::Watch;

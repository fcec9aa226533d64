//! Exact solving of two relay mancala games, Ayoayo and Hoyito II.
//!
//! # The games in a minute
//! Two rows of pits, South's and North's, form a ring. A player lifts all seeds of one own pit and sows them one by one into the
//! following pits: a *lap*. Where the last seed falls among others, all are lifted and sown in a new lap: the *relay*. In
//! Ayoayo a sowing that ends in an empty own pit captures what lies opposite. In Hoyito II a last seed that makes four
//! captures them, and every four in an unbroken chain behind, and the player moves again. Captures never come back to the board, so
//! positions fall into *tiers* by the seeds that are left.
//!
//! # The map
//! A query goes [`Engine`] → `solver` → `narrow` (questions about each move) → `search` (one question, answered by proof) →
//! [`rules`] → `sow`, with the solved `tiers` below it (tables, or solved in memory) and the tables `tt` and `proof_numbers` beside it
//! (`knowledge`). Best play is `line`'s, and how soon a value is converted `conversion`'s.
//!
//! Many positions go through [`openings`], which shares what searches prove, or through [`batch`], where none has an influence on
//! another.
//!
//! A build goes [`build`](mod@build) → `retrograde` (one tier, from the outside in) → `edges` (a tier's moves, forward and backward) →
//! [`rules`] → `sow`, standing on `lower`, the tiers below; it ends in `table`, a file whose numbers `codec` packs. A probe of such
//! a file goes `tiers` → `file_tier` → `table` → `codec`.
//!
//! The board in the browser goes [`explore`](mod@explore) → `connections` → `guard` → `query` → `solves` → [`Engine`]; `trace` tells a sowing seed by seed.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use oju::{Engine, Limits, Position, Profile, Settings, notation};
//!
//! let profile: Profile = "ayoayo".parse()?;
//! let engine = Engine::new(profile, &Settings::default())?;
//! let position = notation::parse_position(&profile, "5-0-0-0-0-0-1-1-0-0-0-0")?;
//! let stop = AtomicBool::new(false);
//! let analysis = engine.analyse(&position, &Limits::none(&stop), &())?;
//! assert_eq!(analysis.moves.len(), 1, "only A can be played");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analysis;
pub mod batch;
pub mod board;
pub mod build;
mod closed_set;
mod codec;
mod columns;
mod conversion;
mod edges;
pub mod engine;
#[cfg(feature = "explore")]
pub mod explore;
pub mod export;
mod file_tier;
pub mod index;
pub mod info;
mod knowledge;
mod line;
mod lower;
pub mod machine;
mod memory;
pub mod moves;
mod narrow;
pub mod notation;
mod number;
mod one_turn;
pub mod openings;
mod packed;
pub mod position;
pub mod profile;
mod proof_numbers;
mod retrograde;
pub mod rules;
mod search;
mod solver;
mod sow;
mod table;
mod tiers;
#[cfg(feature = "explore")]
mod trace;
mod tt;
pub mod verify;
mod zeroed;

pub use analysis::{Analysis, Forced, MoveAnalysis};
pub use engine::{Engine, EngineError, Entry, Limits, Settings};
pub use moves::{Lap, LegalMove, MoveError, Options};
pub use position::{Position, Side};
pub use profile::{Profile, Ruleset};
pub use retrograde::{Meter, NEVER};
pub use solver::Watch;
pub use table::TableError;
pub use tiers::{MemoryTier, MemoryTiers, Tables};

/// The README's example, so that it can not go out of date.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeExamples;

//! Many positions answered at once: lines in, answers out in the same order.
//!
//! [`Lines`] reads the input as a stream, [`answer_all`] answers on many threads, [`Writer`] writes. Each line is searched on one
//! thread, by an engine that has forgotten all lines before: an answer never depends on the other lines, on how many threads
//! there are, or on the part of the input it stands in. That makes work that was cut short ([`resume`]) or done in parts
//! ([`merge`](mod@merge)) come out as if it had been done at once, byte for byte where times are left out.

mod input;
mod marker;
pub mod merge;
mod output;
#[cfg(feature = "parquet")]
mod parquet;
pub mod resume;
mod run;

pub use input::{BadLine, LONGEST_LINE, Line, Lines, Shard};
pub use marker::{Head, Tail};
pub use output::{Format, WriteError, Writer};
pub use run::{Answer, BatchError, Options, answer_all};

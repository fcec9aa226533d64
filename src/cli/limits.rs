//! How far a position is searched: the same options wherever positions are.

use std::time::Duration;

use clap::Args;

use super::values::{self, TimeLimit};

/// What is asked of each position, and when its search is to end.
#[derive(Args)]
pub(super) struct SearchLimits {
    /// Find the forced intervals too: the values if infinite play gave all seeds then left to one side or to the other
    #[arg(long)]
    pub(super) forced: bool,

    /// Time for a position, such as 20s or 2m; what is not exact then is given as proven bounds. 'none' for no limit
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = values::time, allow_hyphen_values = true)]
    time: TimeLimit,

    /// Nodes for a position, in the same way: with --time none and on one thread the same answer on every machine
    #[arg(long, value_name = "N", value_parser = values::nodes, allow_hyphen_values = true)]
    pub(super) nodes: Option<u64>,
}

impl SearchLimits {
    /// The time for a position; none for no limit.
    pub(super) fn time(&self) -> Option<Duration> {
        self.time.0
    }
}

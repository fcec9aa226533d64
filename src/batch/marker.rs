//! The first and the last line of a part of a batch: what the answers between them are a part of, and that they are complete.

use serde::{Deserialize, Serialize};

use super::input::Shard;
use crate::profile::Profile;

/// The first line of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Which part, from 1.
    pub part: u32,
    /// How many parts there are.
    pub of: u32,
    /// The profile's name.
    pub profile: String,
    /// The fingerprint of the rules.
    pub rules: String,
    /// The answers have forced intervals.
    pub forced: bool,
}

impl Head {
    /// The first line of a part of a batch.
    pub fn new(shard: Shard, profile: &Profile, forced: bool) -> Self {
        let rules = format!("{:08x}", profile.fingerprint());
        Self { part: shard.part, of: shard.of, profile: profile.to_string(), rules, forced }
    }

    /// The part it is of.
    pub fn shard(&self) -> Shard {
        Shard { part: self.part, of: self.of }
    }

    /// Whether another part belongs to the same batch.
    pub(super) fn matches(&self, other: &Self) -> bool {
        *self == Self { part: self.part, ..other.clone() }
    }
}

/// The last line of a part that is complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tail {
    /// Which part, from 1.
    pub part: u32,
    /// How many parts there are.
    pub of: u32,
    /// Answers of this part.
    pub answers: u64,
    /// Lines of the whole input that ask something.
    pub questions: u64,
    /// A checksum of the whole input, eight hexadecimal digits.
    pub input: String,
    /// A checksum of the lines before this one, eight hexadecimal digits.
    pub sum: String,
}

impl Tail {
    /// The answers that this part must have.
    pub(super) fn share(&self) -> u64 {
        (self.questions + u64::from(self.of) - u64::from(self.part)) / u64::from(self.of)
    }
}

/// What a line of CSV begins with that is a marker.
pub(super) const CSV_MARK: char = '#';

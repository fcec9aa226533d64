//! Rule profiles: which game, on which board, from which start.

use std::fmt;
use std::str::FromStr;

use crate::board::MAX_SEEDS;
use crate::notation::quoted;
use crate::rules::{Ayoayo, Hoyito};

/// The rules of a profile, without its board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Ruleset {
    Ayoayo,
    AyoayoHolder,
    AyoayoPratt,
    Hoyito,
    HoyitoOpponent,
}

impl Ruleset {
    /// All rule sets.
    pub const ALL: [Self; 5] =
        [Self::Ayoayo, Self::AyoayoHolder, Self::AyoayoPratt, Self::Hoyito, Self::HoyitoOpponent];

    /// The name, as profiles use it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ayoayo => "ayoayo",
            Self::AyoayoHolder => "ayoayo-holder",
            Self::AyoayoPratt => "ayoayo-pratt",
            Self::Hoyito => "hoyito",
            Self::HoyitoOpponent => "hoyito-opponent",
        }
    }

    /// True for the rule sets of Hoyito II, where seeds are taken by fours.
    pub fn is_hoyito(self) -> bool {
        matches!(self, Self::Hoyito | Self::HoyitoOpponent)
    }

    /// The rules of an Ayoayo rule set.
    pub(crate) fn ayoayo(self) -> Option<Ayoayo> {
        let (holder_takes_rest, capturing_seed_stays) = match self {
            Self::Ayoayo => (false, false),
            Self::AyoayoHolder => (true, false),
            Self::AyoayoPratt => (true, true),
            Self::Hoyito | Self::HoyitoOpponent => return None,
        };
        Some(Ayoayo { holder_takes_rest, capturing_seed_stays })
    }

    /// The rules of a Hoyito II rule set.
    pub(crate) fn hoyito(self) -> Option<Hoyito> {
        match self {
            Self::Hoyito => Some(Hoyito { opponent_row_only: false }),
            Self::HoyitoOpponent => Some(Hoyito { opponent_row_only: true }),
            Self::Ayoayo | Self::AyoayoHolder | Self::AyoayoPratt => None,
        }
    }

    /// Every rule parameter that can change the outcome of a sowing or of a game.
    fn parameters(self) -> String {
        if let Some(rules) = self.ayoayo() {
            format!(
                "game=ayoayo;origin=skipped;relay=occupied;capture=opposite;capturing-seed={};feeding=must;seedless={}",
                if rules.capturing_seed_stays { "stays" } else { "taken" },
                if rules.holder_takes_rest { "ends-rest-to-holder" } else { "passes-rest-to-last-mover" },
            )
        } else {
            format!(
                "game=hoyito2;origin=sown;relay=not-1-not-4;capture=chain-of-fours-{};again=yes;last-four=capturer;seedless=passes",
                if self == Self::HoyitoOpponent { "opponent-row" } else { "both-rows" },
            )
        }
    }
}

/// A game as it is played: rules, board and start.
///
/// The six named profiles are those of the rules; everything else is a custom board, whose name
/// says so: `ayoayo@2x4x3` is Ayoayo on two rows of four pits with three seeds in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    rules: Ruleset,
    row: u8,
    start: u8,
    custom: bool,
}

/// Why a profile can not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// No profile has this name.
    #[error("unknown profile '{0}': one of {names} is meant, or a custom board such as ayoayo@2x4x3", names = names())]
    Unknown(String),
    /// The board can not be built.
    #[error("'{0}' pits a row: a board has 2 to 12")]
    Pits(String),
    /// The start can not be set up.
    #[error("'{start}' seeds a pit: 1 to {most} are possible with {row} pits a row", most = MAX_SEEDS / (2 * u32::from(*row)))]
    Seeds {
        /// What was asked for.
        start: String,
        /// Pits in a row.
        row: u8,
    },
    /// Hoyito needs a multiple of four.
    #[error("{0} seeds on the board: Hoyito takes seeds by fours, so its total is a multiple of four")]
    NotByFours(u32),
}

fn names() -> String {
    Profile::ALL.map(|p| p.to_string()).join(", ")
}

impl Profile {
    const fn named(rules: Ruleset, row: u8) -> Self {
        Self { rules, row, start: 4, custom: false }
    }

    /// The six profiles of the rules.
    pub const ALL: [Self; 6] = [
        Self::named(Ruleset::Ayoayo, 6),
        Self::named(Ruleset::AyoayoHolder, 6),
        Self::named(Ruleset::AyoayoPratt, 6),
        Self::named(Ruleset::Hoyito, 6),
        Self::named(Ruleset::Hoyito, 12),
        Self::named(Ruleset::HoyitoOpponent, 6),
    ];

    /// A custom board of two rows of `row` pits with `start` seeds in each.
    ///
    /// # Errors
    /// Where the board would hold no seed or more than 96, or where Hoyito would not have a
    /// multiple of four.
    pub fn custom(rules: Ruleset, row: u8, start: u8) -> Result<Self, ProfileError> {
        if !(2..=12).contains(&row) {
            return Err(ProfileError::Pits(row.to_string()));
        }
        let seeds = 2 * u32::from(row) * u32::from(start);
        if !(1..=MAX_SEEDS).contains(&seeds) {
            return Err(ProfileError::Seeds { start: start.to_string(), row });
        }
        if rules.is_hoyito() && seeds % 4 != 0 {
            return Err(ProfileError::NotByFours(seeds));
        }
        Ok(Self { rules, row, start, custom: true })
    }

    /// The rules.
    pub fn rules(&self) -> Ruleset {
        self.rules
    }

    /// Pits in one row.
    pub fn row(&self) -> usize {
        usize::from(self.row)
    }

    /// Seeds in each pit at the start.
    pub fn start(&self) -> u32 {
        u32::from(self.start)
    }

    /// Seeds of the whole game.
    pub fn seeds(&self) -> u32 {
        2 * u32::from(self.row) * self.start()
    }

    /// True for a board that is none of the six profiles.
    pub fn is_custom(&self) -> bool {
        self.custom
    }

    /// The greatest common divisor of all captures: 4 in Hoyito II, where seeds are taken by fours, else 1. Only boards
    /// with a multiple of it can arise.
    pub fn unit(&self) -> u32 {
        if self.rules().is_hoyito() { 4 } else { 1 }
    }

    /// The fingerprint of the rules, board size included: eight hexadecimal digits when printed with
    /// [`fmt::LowerHex`] and width 8. Equal fingerprints mean equal values of all boards.
    pub fn fingerprint(&self) -> u32 {
        let rules = format!("rows=2;pits={};{};infinite=split", self.row, self.rules.parameters());
        crc32fast::hash(rules.as_bytes())
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.custom {
            write!(f, "{}@2x{}x{}", self.rules.name(), self.row, self.start)
        } else if self.row == 12 {
            f.write_str("hoyito12")
        } else {
            f.write_str(self.rules.name())
        }
    }
}

impl FromStr for Profile {
    type Err = ProfileError;

    fn from_str(name: &str) -> Result<Self, ProfileError> {
        if let Some(profile) = Self::ALL.into_iter().find(|p| p.to_string() == name) {
            return Ok(profile);
        }
        let unknown = || ProfileError::Unknown(quoted(name, 40));
        let (rules, board) = name.split_once('@').ok_or_else(unknown)?;
        let rules = Ruleset::ALL.into_iter().find(|r| r.name() == rules).ok_or_else(unknown)?;
        let mut parts = board.split('x');
        let (Some("2"), Some(row), Some(start), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(unknown());
        };
        // Plain digits only, as they are printed: the standard parser would also take a sign, and a profile has one name.
        let number = |text: &str| -> Option<u8> {
            let number: u8 = text.parse().ok()?;
            (number.to_string() == text).then_some(number)
        };
        let row = number(row).ok_or_else(|| ProfileError::Pits(quoted(row, 20)))?;
        if !(2..=12).contains(&row) {
            return Err(ProfileError::Pits(row.to_string()));
        }
        let start = number(start).ok_or_else(|| ProfileError::Seeds { start: quoted(start, 20), row })?;
        Self::custom(rules, row, start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for profile in Profile::ALL {
            assert_eq!(profile.to_string().parse(), Ok(profile));
            assert!(!profile.is_custom());
        }
        let custom: Profile = "hoyito-opponent@2x4x3".parse().unwrap();
        assert_eq!((custom.row(), custom.start(), custom.seeds()), (4, 3, 24));
        assert_eq!(custom.to_string(), "hoyito-opponent@2x4x3");
        // A custom board with the dimensions of a named profile stays a custom one.
        assert!("ayoayo@2x6x4".parse::<Profile>().unwrap().is_custom());
    }

    #[test]
    fn what_can_not_be_is_refused_with_the_reason() {
        for (name, reason) in [
            ("chess", "unknown profile 'chess'"),
            ("che\u{1b}[31m\nss", "unknown profile 'che?[31m?ss'"),
            ("ayoayo@", "unknown profile"),
            ("ayoayo@3x6x4", "unknown profile"),
            ("ayoayo@2x13x1", "'13' pits a row: a board has 2 to 12"),
            ("ayoayo@2x1x1", "'1' pits a row"),
            ("ayoayo@2x+6x4", "'+6' pits a row"),
            ("ayoayo@2x06x4", "'06' pits a row"),
            ("ayoayo@2x6x04", "'04' seeds a pit"),
            ("ayoayo@2x6x9", "'9' seeds a pit: 1 to 8"),
            ("ayoayo@2x6x0", "'0' seeds a pit: 1 to 8"),
            ("ayoayo@2x6x4294967300", "seeds a pit"),
            ("hoyito@2x3x1", "6 seeds on the board: Hoyito takes seeds by fours"),
        ] {
            let error = name.parse::<Profile>().unwrap_err().to_string();
            assert!(error.contains(reason), "{name}: {error}");
        }
    }

    #[test]
    fn fingerprints_tell_rules_and_boards_apart() {
        let prints: std::collections::HashSet<u32> = Profile::ALL.iter().map(Profile::fingerprint).collect();
        assert_eq!(prints.len(), 6);
        let same: Profile = "hoyito@2x12x2".parse().unwrap();
        assert_eq!(same.fingerprint(), "hoyito12".parse::<Profile>().unwrap().fingerprint());
    }
}

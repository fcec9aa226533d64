//! The numbers of a position, which differ in what infinite play is worth.

/// A number of a position from its side to move, in seeds (RULES.md: infinite play, forced interval).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// The value: infinite play splits what is left evenly.
    Value,
    /// The low end of the forced interval: infinite play gives what is left to the other side.
    Low,
    /// The high end: infinite play gives what is left to the side to move.
    High,
}

impl Number {
    /// What the other side calls it, with the sign turned: the ends change places.
    pub(crate) fn turned(self) -> Self {
        match self {
            Number::Value => Number::Value,
            Number::Low => Number::High,
            Number::High => Number::Low,
        }
    }

    /// What it is called after a move: by the same side where that moves `again`, else by the other.
    pub(crate) fn after(self, again: bool) -> Self {
        if again { self } else { self.turned() }
    }

    /// Whether infinite play makes the number at least `at_least`, where the seeds on the board alone do not tell.
    pub(crate) fn infinite_meets(self, at_least: i32) -> bool {
        match self {
            Number::Value => at_least <= 0,
            Number::Low => false,
            Number::High => true,
        }
    }
}

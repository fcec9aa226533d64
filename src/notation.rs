//! Reading and drawing: position text, move text, and the board as it lies on the table.

use std::fmt::Write as _;

use crate::board::MAX_PITS;
use crate::position::{Position, Side};
use crate::profile::Profile;

/// What is wrong with a position or move text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {problem}")]
pub struct NotationError {
    /// The character the problem begins at, counted from 1.
    pub column: usize,
    /// What is wrong and what would be right.
    pub problem: String,
}

/// The beginning of a text that an error quotes: without line ends, and without what could steer a terminal.
pub fn quoted(text: &str, most: usize) -> String {
    text.chars().take(most).map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// One piece of a position text.
struct Token<'a> {
    column: usize,
    text: &'a str,
}

/// Parses a position of `profile`.
///
/// The canonical text is that of [`Position`]. Counts may also be parted by spaces, commas or `/`; the
/// stores may be left out (they count from 0 then), the side too (South); `start` is the start.
///
/// # Errors
/// One that names the column, for anything that is not a position of the profile: wrong numbers of
/// counts, anything but plain decimal numbers, and totals the profile does not have.
pub fn parse_position(profile: &Profile, text: &str) -> Result<Position, NotationError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let trimmed = text.trim_end();
    if trimmed.trim_start().eq_ignore_ascii_case("start") {
        return Ok(Position::start(profile));
    }
    let mut tokens = tokens(trimmed)?;
    let end = trimmed.chars().count() + 1;
    let side = match tokens.last().map(|t| t.text) {
        Some("S" | "s") => Some(Side::South),
        Some("N" | "n") => Some(Side::North),
        _ => None,
    };
    if side.is_some() {
        tokens.pop();
    }
    let pits = 2 * profile.row();
    let total = profile.seeds();
    let mut numbers = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let what = if at < pits { "a pit" } else { "a store" };
        numbers.push(parse_count(token, what, total)?);
    }
    if numbers.len() != pits && numbers.len() != pits + 2 {
        let column = tokens.get(pits).map_or(end, |t| t.column);
        let found = numbers.len();
        let problem = format!(
            "{found} {}: {profile} has {pits} pits, and two stores may follow",
            if found == 1 { "count" } else { "counts" },
        );
        return Err(NotationError { column, problem });
    }
    let board: u32 = numbers[..pits].iter().sum();
    let problem = if numbers.len() > pits && numbers.iter().sum::<u32>() != total {
        let all: u32 = numbers.iter().sum();
        Some(format!("{all} seeds with the stores: {profile} has {total} in all"))
    } else {
        wrong_board(profile, board)
    };
    if let Some(problem) = problem {
        return Err(NotationError { column: 1, problem });
    }
    let mut counts = [0; MAX_PITS];
    for (count, &number) in counts.iter_mut().zip(&numbers[..pits]) {
        *count = number as u8;
    }
    let store = |at: usize| numbers.get(pits + at).map_or(0, |&n| n as u8);
    let (stores, side) = ([store(0), store(1)], side.unwrap_or(Side::South));
    // Stores that were given add up.
    let whole = numbers.len() > pits || board == total;
    Ok(Position { pits: pits as u8, counts, stores, side, whole })
}

/// The position in which South is to move and sees `counts`, and nobody has taken anything yet: a board as tables have it, in sowing
/// order from the side to move on.
///
/// # Errors
/// What is wrong and what would be right, where `counts` is no board of the profile.
pub fn position_of_counts(profile: &Profile, counts: &[u8]) -> Result<Position, String> {
    let pits = 2 * profile.row();
    if counts.len() != pits {
        return Err(format!("{} counts: {profile} has {pits} pits", counts.len()));
    }
    let board = counts.iter().map(|&count| u32::from(count)).sum();
    let position = Position { whole: board == profile.seeds(), ..Position::from_counts(counts) };
    wrong_board(profile, board).map_or(Ok(position), Err)
}

/// What is wrong with a board of so many seeds.
fn wrong_board(profile: &Profile, board: u32) -> Option<String> {
    let total = profile.seeds();
    if board > total {
        Some(format!("{board} seeds on the board: {profile} has {total} in all"))
    } else if !board.is_multiple_of(profile.unit()) {
        Some(format!(
            "{} on the board: Hoyito takes seeds by fours, so a multiple of four is left",
            seeds(board)
        ))
    } else {
        None
    }
}

/// Cuts a text at its separators: one of `-`, `,` and `/` with spaces around it, or spaces.
fn tokens(text: &str) -> Result<Vec<Token<'_>>, NotationError> {
    let mut tokens = Vec::new();
    // What stands between the last token and here: nothing yet, spaces, or a separator.
    let mut separator: Option<char> = None;
    let mut spaced = false;
    let mut rest = text;
    let mut column = 1;
    while let Some(first) = rest.chars().next() {
        let error = |problem: &str| Err(NotationError { column, problem: problem.to_owned() });
        if first.is_whitespace() {
            spaced = true;
            rest = &rest[first.len_utf8()..];
            column += 1;
            continue;
        }
        if matches!(first, '-' | ',' | '/') {
            let after = rest[1..].chars().next();
            if first == '-'
                && (separator.is_some() || spaced || tokens.is_empty())
                && after.is_some_and(|c| c.is_ascii_digit())
            {
                return error("a count can not be negative");
            }
            if separator.is_some() || tokens.is_empty() {
                return error("a count is missing before this separator");
            }
            separator = Some(first);
            rest = &rest[1..];
            column += 1;
            continue;
        }
        let length =
            rest.find(|c: char| c.is_whitespace() || matches!(c, '-' | ',' | '/')).unwrap_or(rest.len());
        let (token, after) = rest.split_at(length);
        tokens.push(Token { column, text: token });
        column += token.chars().count();
        rest = after;
        (separator, spaced) = (None, false);
    }
    if separator.is_some() {
        let problem = "a count is missing after the last separator".to_owned();
        return Err(NotationError { column: column - 1, problem });
    }
    if tokens.is_empty() {
        let problem = "no position: the counts of all pits are needed, or 'start'".to_owned();
        return Err(NotationError { column: 1, problem });
    }
    Ok(tokens)
}

fn parse_count(token: &Token<'_>, what: &str, total: u32) -> Result<u32, NotationError> {
    let shown = quoted(token.text, 20);
    let error = |problem: String| Err(NotationError { column: token.column, problem });
    if matches!(token.text, "S" | "N" | "s" | "n") {
        return error(format!("'{shown}': the side to move comes last"));
    }
    if !token.text.bytes().all(|b| b.is_ascii_digit()) {
        return error(format!("'{shown}' is not a count: plain digits 0 to 9 are"));
    }
    match token.text.parse() {
        Ok(count) if count <= total => Ok(count),
        _ => error(format!("'{shown}' seeds in {what}: there are {total} in all")),
    }
}

/// A move as it is written: a pit letter, or `-` for a forced pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveText {
    /// The letter or `-`.
    pub letter: char,
    /// Where it stands, counted from 1.
    pub column: usize,
}

/// Splits a text of moves, such as `CdF` or `C d - F`, into moves. Spaces and commas part moves.
pub fn split_moves(text: &str) -> Vec<MoveText> {
    text.chars()
        .enumerate()
        .filter(|(_, c)| !c.is_whitespace() && *c != ',' && *c != '\u{feff}')
        .map(|(at, letter)| MoveText { letter, column: at + 1 })
        .collect()
}

/// A number of seeds in words: `1 seed`, `2 seeds`.
pub fn seeds(number: u32) -> String {
    counted(number, "seed")
}

/// A number of things in words, however the number is written: `1 table`, `2 tables`, `1,000 positions`.
pub fn counted(number: impl std::fmt::Display, thing: &str) -> String {
    let number = number.to_string();
    let ending = if number == "1" { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

/// Draws a position as it lies on the table, South below.
///
/// Ayoayo runs counterclockwise (South's `A` at South's left), Hoyito II clockwise (South's `A` at
/// South's right). The direction is only drawing.
pub fn draw(profile: &Profile, position: &Position) -> String {
    let row = position.row();
    let counts = position.counts();
    // From left to right: South's pits below, and above each its opposite.
    let columns: Vec<usize> =
        if profile.rules().is_hoyito() { (0..row).rev().collect() } else { (0..row).collect() };
    let mut text = String::new();
    let mut line = |label: &str, cells: Vec<String>, end: String| {
        let _ = write!(text, "{label:>7}");
        for cell in cells {
            let _ = write!(text, "{cell:>4}");
        }
        let _ = writeln!(text, "{end}");
    };
    let opposite = |pit: usize| 2 * row - 1 - pit;
    let north = |pit: usize| Side::North.letter(opposite(pit) - row).to_string();
    line("", columns.iter().map(|&p| north(p)).collect(), String::new());
    line(
        "North",
        columns.iter().map(|&p| counts[opposite(p)].to_string()).collect(),
        format!("   store {}", position.stores[1]),
    );
    line(
        "South",
        columns.iter().map(|&p| counts[p].to_string()).collect(),
        format!("   store {}", position.stores[0]),
    );
    line("", columns.iter().map(|&p| Side::South.letter(p).to_string()).collect(), String::new());
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ayoayo() -> Profile {
        Profile::ALL[0]
    }

    #[test]
    fn the_ways_to_write_a_position() {
        let profile = ayoayo();
        let canonical = "1-6-6-2-7-0-0-1-6-6-6-0-7-0-N";
        let want = parse_position(&profile, canonical).unwrap();
        assert_eq!(want.to_string(), canonical);
        for text in [
            "1 6 6 2 7 0 0 1 6 6 6 0 7 0 N",
            "1,6,6,2,7,0/0,1,6,6,6,0/7,0/N",
            "1, 6, 6, 2, 7, 0 / 0, 1, 6, 6, 6, 0 / 7, 0 / n",
            "\u{feff}1-6-6-2-7-0-0-1-6-6-6-0-7-0-N\r\n",
            "  1 - 6 - 6-2-7-0/0-1-6-6-6-0/7-0-N",
        ] {
            assert_eq!(parse_position(&profile, text).as_ref(), Ok(&want), "{text}");
        }
        let bare = parse_position(&profile, "1 6 6 2 7 0 0 1 6 6 6 0").unwrap();
        assert_eq!((bare.stores(), bare.side(), bare.seeds()), ([0, 0], Side::South, 41));
        assert_eq!(bare.to_string(), "1-6-6-2-7-0-0-1-6-6-6-0-S");
        assert_eq!(parse_position(&profile, " start "), Ok(Position::start(&profile)));
        for text in ["start", "4 4 4 4 4 4 4 4 4 4 4 4"] {
            assert_eq!(parse_position(&profile, text).unwrap().to_string(), "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S");
        }
    }

    #[test]
    fn boards_are_positions_of_the_side_to_move() {
        let read = |profile: &str, counts: &[u8]| position_of_counts(&profile.parse().unwrap(), counts);
        assert_eq!(
            read("hoyito", &[1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 4]).unwrap().to_string(),
            "1-0-0-0-0-3-0-0-0-0-0-4-S"
        );
        for (profile, counts, problem) in [
            ("ayoayo", &[4; 11][..], "11 counts: ayoayo has 12 pits"),
            ("ayoayo", &[255; 12], "3060 seeds on the board: ayoayo has 48 in all"),
            ("hoyito@2x2x1", &[1, 0, 1, 0], "2 seeds on the board: Hoyito takes seeds by fours"),
        ] {
            assert!(read(profile, counts).unwrap_err().contains(problem), "{profile} {counts:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let profile = ayoayo();
        for (text, column, problem) in [
            ("", 1, "no position"),
            ("4-4-4", 6, "3 counts: ayoayo has 12 pits"),
            ("4", 2, "1 count: ayoayo has 12 pits"),
            ("4-4-4-4-4-4-4-4-4-4-4-4-0-S", 25, "13 counts"),
            ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-0-S", 25, "15 counts"),
            ("4-4-4--4-4-4-4-4-4-4-4-4", 7, "negative"),
            ("4-4-4-/4-4-4-4-4-4-4-4-4", 7, "missing before"),
            ("-4-4-4-4-4-4-4-4-4-4-4-4", 1, "negative"),
            ("4 4 -4 4 4 4 4 4 4 4 4 4", 5, "negative"),
            ("4-4-4-4-4-4-4-4-4-4-4-", 22, "missing after"),
            ("+4-4-4-4-4-4-4-4-4-4-4-4", 1, "'+4' is not a count"),
            ("0x4-4-4-4-4-4-4-4-4-4-4-4", 1, "'0x4' is not a count"),
            ("4-4294967300-4-4-4-4-4-4-4-4-4-4", 3, "'4294967300' seeds in a pit: there are 48"),
            ("4-4-٤-4-4-4-4-4-4-4-4-4", 5, "'٤' is not a count"),
            ("4-4-\u{1b}[31m-4-4-4-4-4-4-4-4-4", 5, "'?[31m' is not a count"),
            ("4-4-4.0-4-4-4-4-4-4-4-4-4", 5, "'4.0' is not a count"),
            ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-X", 29, "'X' is not a count"),
            ("4-4-S-4-4-4-4-4-4-4-4-4-0-0", 5, "the side to move comes last"),
            ("4-4-4-4-4-4-4-4-4-4-4-5", 1, "49 seeds on the board: ayoayo has 48 in all"),
            ("4-4-4-4-4-4-4-4-4-4-4-4-1-0-S", 1, "49 seeds with the stores: ayoayo has 48"),
            ("4-4-4-4-4-4-4-4-4-4-4-3-0-0-S", 1, "47 seeds with the stores: ayoayo has 48"),
            ("99-0-0-0-0-0-0-0-0-0-0-0", 1, "'99' seeds in a pit: there are 48"),
        ] {
            let error = parse_position(&profile, text).unwrap_err();
            assert_eq!(error.column, column, "{text}: {error}");
            assert!(error.problem.contains(problem), "{text}: {error}");
        }
        let hoyito: Profile = "hoyito".parse().unwrap();
        let error = parse_position(&hoyito, "4-4-4-4-4-4-4-4-4-4-4-3").unwrap_err();
        assert!(error.problem.contains("47 seeds on the board: Hoyito takes seeds by fours"), "{error}");
        let custom: Profile = "ayoayo@2x6x8".parse().unwrap();
        assert!(parse_position(&custom, "99-0-0-0-0-0-0-0-0-0-0-0").is_err());
        assert!(parse_position(&custom, "96-0-0-0-0-0-0-0-0-0-0-0-0-0-N").is_ok());
    }

    #[test]
    fn both_games_are_drawn_as_they_lie() {
        let position = parse_position(&ayoayo(), "1-2-3-4-5-6-7-8-9-0-1-0-2-0-S").unwrap();
        let drawn = draw(&ayoayo(), &position);
        assert_eq!(
            drawn,
            "          f   e   d   c   b   a\n  North   0   1   0   9   8   7   store 0\n  South   1   2   3   4   5   6   store 2\n          A   B   C   D   E   F\n"
        );
        let hoyito: Profile = "hoyito@2x2x4".parse().unwrap();
        let position = parse_position(&hoyito, "1 3 5 7").unwrap();
        assert_eq!(
            draw(&hoyito, &position),
            "          a   b\n  North   5   7   store 0\n  South   3   1   store 0\n          B   A\n"
        );
    }

    proptest! {
        #[test]
        fn printing_and_parsing_are_inverse(counts in prop::collection::vec(0u8..=4, 12), south in 0u8..=48, north: bool) {
            let board: u8 = counts.iter().sum();
            let south = south.min(48 - board);
            let mut all = [0; MAX_PITS];
            all[..12].copy_from_slice(&counts);
            let side = if north { Side::North } else { Side::South };
            let position = Position { pits: 12, counts: all, stores: [south, 48 - board - south], side, whole: true };
            prop_assert_eq!(parse_position(&ayoayo(), &position.to_string()), Ok(position));
        }

        #[test]
        fn any_text_is_answered(text in "\\PC*") {
            let _ = parse_position(&ayoayo(), &text);
            let _ = text.parse::<Profile>();
        }
    }
}

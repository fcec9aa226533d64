//! The rules in words, for people.

use std::fmt::Write as _;

use crate::profile::{Profile, Ruleset};

/// The rules of a profile in words, with its board and its fingerprint: several lines of at most 120 characters.
pub fn in_words(profile: &Profile) -> String {
    let row = profile.row();
    let rules = profile.rules();
    let game = if rules.is_hoyito() { "Hoyito II" } else { "Ayoayo" };
    let mut text = format!(
        "{profile}: {game} on two rows of {row} pits, {} seeds in each, {} in all\nfingerprint {:08x}\n\n",
        profile.start(),
        profile.seeds(),
        profile.fingerprint(),
    );
    let last = char::from(b'A' + row as u8 - 1);
    let _ = writeln!(
        text,
        "South owns the pits A to {last}, North a to {}. Seeds are sown from A to {last}, on to a, and from {} back to\nA{}. South moves first.\n",
        last.to_ascii_lowercase(),
        last.to_ascii_lowercase(),
        if rules.is_hoyito() {
            ", clockwise as the board is drawn"
        } else {
            ", counterclockwise as the board is drawn"
        },
    );
    let own = if rules.is_hoyito() { hoyito(rules, row) } else { ayoayo(rules, row) };
    for (number, rule) in own.iter().enumerate() {
        let _ = writeln!(text, "{:>2}. {}", number + 1, rule.replace('\n', "\n    "));
    }
    let _ = writeln!(
        text,
        "\nA sowing that never ends is illegal; it is recognised exactly. A player who has seeds but only such\n\
         moves passes. Where the play goes on for ever without a capture, what is left on the board is split\n\
         evenly; in a game that is drawn up at the third occurrence of a position since the last capture."
    );
    text
}

fn ayoayo(rules: Ruleset, row: usize) -> Vec<String> {
    let holder = rules != Ruleset::Ayoayo;
    let capture = if rules == Ruleset::AyoayoPratt {
        "those\nseeds go to the mover's store, and the capturing seed stays on the board"
    } else {
        "those\nseeds and the capturing seed go to the mover's store"
    };
    let end = if holder {
        "A player without seeds on turn ends the game, and so does one who has no move that feeds a player without\n\
         seeds. What is left on the board goes to the player in whose row it lies."
    } else {
        "The game is over when the board is empty, or when one player has no seeds and the other has no move that\n\
         feeds him, whoever is on turn. What is left goes to the player who made the last move: the one not on\nturn."
    };
    let mut list = vec![
        "The mover lifts all seeds of one of his pits and sows them one by one in sowing order. Stores are\nnever sown.".to_owned(),
        format!("Every lap skips its own origin, which only laps of {} seeds or more notice.", 2 * row),
        "If the last seed of a lap falls into a pit that was not empty, on either side, all its seeds are lifted,\n\
         that seed included, and sown in a new lap from there. If it was empty, the sowing ends.".to_owned(),
        format!("If the sowing ended in an empty pit of the mover's own row and the opposite pit holds seeds, {capture}."),
        "If the opponent has no seeds when the turn begins, only moves are legal after which he has at least one.\n\
         Otherwise every own pit with seeds may be played, also one that leaves him without.".to_owned(),
    ];
    if !holder {
        list.push("A player without seeds passes, as long as the other can feed him.".to_owned());
    }
    list.push(end.to_owned());
    list.push("More seeds in store wins.".to_owned());
    list
}

fn hoyito(rules: Ruleset, row: usize) -> Vec<String> {
    let opponent_only = rules == Ruleset::HoyitoOpponent;
    let (last, chain) = if opponent_only {
        (
            "exactly four, in the opponent's row: it captures, and the sowing ends; anything else, four in the own row\n\
             too: all are lifted and sown in a new lap from there.",
            "every pit of exactly four, until the first that is not, or the own row.",
        )
    } else {
        (
            "exactly four, in either row: it captures, and the sowing ends; anything else: all are lifted and sown in a new\n\
             lap from there.",
            "on either side and across the board's ends, every pit of exactly four, until the first that is not.",
        )
    };
    vec![
        format!(
            "The mover lifts all seeds of one of his pits and sows them one by one in sowing order. A lap of {} seeds or\n\
             more also drops into its origin. There are no stores on the board.",
            2 * row
        ),
        format!("The pit of the lap's last seed, that seed included, decides. One: the sowing ends, the turn passes;\n{last}"),
        format!(
            "A capture takes the four, then, going backward from that pit,\n{chain} Fours made\nor met in passing are not captured."
        ),
        "If a capture leaves exactly four seeds on the board, the capturer takes them too. When the board is empty the\ngame is over.".to_owned(),
        "A capture gives the mover another turn, any number of times.".to_owned(),
        "A player without seeds in his row passes, on an extra turn too.".to_owned(),
        "The seeds on the board are always a multiple of four.".to_owned(),
        "More seeds taken wins.".to_owned(),
    ]
}

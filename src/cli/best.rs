//! `oju best`: the value of a position and of every legal move.

use std::cmp::Ordering;
use std::fmt::Write as _;

use anyhow::Context;
use clap::Args;
use oju::{Analysis, Forced, Limits, Position, Profile, Side, analysis, notation};

use super::limits::SearchLimits;
use super::solve::Solve;
use super::{INTERRUPTED, Outcome, Resources, Subject, progress, signed, write_out};
use std::sync::atomic::Ordering::Relaxed;

/// The best moves of a position: every legal move with its exact value, and best play from there.
///
/// A value is the number of seeds the side to move will win minus those the other side will, under best play
/// by both, from the position on, stores excluded. What is not exact in time is given as proven
/// bounds, and the exit code is 1.
#[derive(Args)]
#[command(after_help = "\
Examples:
  oju best
  oju best hoyito --json
  oju best ayoayo 1-0-0-0-0-3-0-0-0-0-0-0
  oju best hoyito --moves Af
  oju best hoyito12 --time 20s
  oju best hoyito --forced
  oju best ayoayo --line-only
  oju best ayoayo --pits 4 --seeds-per-pit 3")]
pub(super) struct Best {
    #[command(flatten)]
    subject: Subject,

    #[command(flatten)]
    resources: Resources,

    #[command(flatten)]
    solve: Solve,

    /// Answer in JSON
    #[arg(long)]
    json: bool,

    /// Print nothing but the line of best play: pit letters, '-' for a pass; a line that closes a cycle ends in '…'
    #[arg(long, conflicts_with = "json")]
    line_only: bool,

    #[command(flatten)]
    search: SearchLimits,
}

impl Best {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        let engine = self.resources.engine(self.subject.profile()?)?;
        let position = self.subject.position(&engine)?;
        self.solve.check(&engine)?;
        let limits = Limits { time: self.search.time(), nodes: self.search.nodes, stop: &INTERRUPTED };
        let analysis = progress::shown(position.side(), |watch| {
            self.solve.run(&engine, self.search.forced, watch)?;
            let analysis = if self.search.forced {
                engine.analyse_forced(&position, &limits, watch)
            } else {
                engine.analyse(&position, &limits, watch)
            };
            analysis.map_err(anyhow::Error::from)
        })?;
        let text = if self.json {
            serde_json::to_string(&analysis).context("cannot write JSON")? + "\n"
        } else if self.line_only {
            format!("{}\n", analysis.line)
        } else {
            human(engine.profile(), &position, &analysis)
        };
        write_out(&text)?;
        Ok(if INTERRUPTED.load(Relaxed) {
            Outcome::Interrupted
        } else if analysis.complete() {
            Outcome::Done
        } else {
            Outcome::Incomplete
        })
    }
}

/// Moves of the best line shown to a person; JSON has all.
const LINE_SHOWN: usize = 60;

fn human(profile: &Profile, position: &Position, a: &Analysis) -> String {
    let mut text = format!("{profile}, rules {}\n\n{}\n", a.rules, notation::draw(profile, position));
    let side = position.side();
    if a.over {
        let _ = writeln!(text, "The game is over. {}", verdict(profile, position, a));
        return text;
    }
    let _ = writeln!(text, "{side} to move, {} on the board.", notation::seeds(a.seeds));
    let _ = writeln!(text, "{}", verdict(profile, position, a));
    if let Some(forced) = &a.forced {
        let _ = writeln!(text, "{}", whatever(profile, position, forced));
    }
    let forced = if a.forced.is_some() { "          forced" } else { "" };
    let _ = writeln!(text, "\n  move       value   taken    laps{forced}");
    for m in &a.moves {
        let value = range(m.bounds);
        let again = if m.again { "   moves again" } else { "" };
        let name = if m.letter == '-' { "pass".to_owned() } else { m.letter.to_string() };
        let forced = m.forced.map(|forced| format!(" {:>15}", interval(&forced))).unwrap_or_default();
        let _ = writeln!(text, "  {name:<4} {value:>11} {:>7} {:>7}{forced}{again}", m.captured, m.laps);
    }
    for letter in &a.endless {
        let _ = writeln!(text, "  {letter:<4} never ends, so it is illegal");
    }
    if !a.line.is_empty() {
        let letters: Vec<char> = a.line.chars().collect();
        let shown: String = letters.iter().take(LINE_SHOWN).collect();
        let more = match letters.len().saturating_sub(LINE_SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let what = if a.exact { "Best play" } else { "Best so far" };
        let _ = writeln!(text, "\n{what}: {shown}{more}");
    }
    let _ = writeln!(text, "{} nodes, {:.1} s", a.nodes, a.time_ms / 1000.0);
    text
}

/// A proven interval: a number where both bounds are one.
fn range([lower, upper]: [i32; 2]) -> String {
    if lower == upper { signed(lower) } else { format!("{} to {}", signed(lower), signed(upper)) }
}

/// A forced interval, its ends as far as they are proven.
fn interval(forced: &Forced) -> String {
    match forced.interval() {
        Some(ends) => range(ends),
        None => format!("({}) to ({})", range(forced.low), range(forced.high)),
    }
}

/// What holds whatever infinite play is worth.
fn whatever(profile: &Profile, position: &Position, forced: &Forced) -> String {
    let (least, most) = (forced.low[0], forced.high[1]);
    let side = position.side();
    let winner = match winner(profile, position, [least, most]) {
        Some(winner) => format!("{winner} wins whatever infinite play is worth"),
        None => "Whatever infinite play is worth".to_owned(),
    };
    let how = match forced.interval() {
        Some([low, high]) if low == high => format!("the value is {} for {side}", signed(low)),
        Some(ends) => format!("the value lies in {} for {side}: a stand-off", range(ends)),
        None => format!("proven so far: the value lies in {} for {side}", range([least, most])),
    };
    format!("{winner}: {how}.")
}

/// The side that has more seeds at the end with every value from `lower` to `upper`, if there is one; only of whole games.
fn winner(profile: &Profile, position: &Position, bounds: [i32; 2]) -> Option<Side> {
    let stores = position.stores();
    if stores[0] + stores[1] + position.seeds() != profile.seeds() {
        return None;
    }
    let ahead = bounds.map(|value| {
        let [south, north] = analysis::final_stores(position, value);
        south.cmp(&north)
    });
    match ahead {
        [Ordering::Greater, Ordering::Greater] => Some(Side::South),
        [Ordering::Less, Ordering::Less] => Some(Side::North),
        _ => None,
    }
}

/// Who has won or will win, with units, and how sure that is.
fn verdict(profile: &Profile, position: &Position, a: &Analysis) -> String {
    let stores = position.stores();
    let whole_game = stores[0] + stores[1] + position.seeds() == profile.seeds();
    let how = if a.over { "" } else { " with best play. Exact" };
    if let Some([south, north]) = a.result {
        if !whole_game {
            let left = notation::seeds(position.seeds());
            return format!("South takes {south} and North {north} of the {left} left{how}.");
        }
        return match south.cmp(&north) {
            Ordering::Greater => format!("South wins {south}–{north}{how}."),
            Ordering::Less => format!("North wins {north}–{south}{how}."),
            Ordering::Equal => format!("A draw, {south}–{north}{how}."),
        };
    }
    let proven = format!("Proven so far: value {} for {}", range(a.bounds), position.side());
    match winner(profile, position, a.bounds) {
        Some(winner) => format!("{winner} wins. {proven}."),
        None if whole_game => format!("{proven}. The winner is open."),
        None => format!("{proven}."),
    }
}

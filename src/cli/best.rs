//! `oju best`: the value of a position and of every legal move.

use std::fmt::Write as _;

use anyhow::Context;
use clap::Args;
use oju::{Analysis, Limits, Position, Profile, Side, analysis, notation};

use super::values::{self, TimeLimit};
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
  oju best ayoayo --pits 4 --seeds-per-pit 3")]
pub(super) struct Best {
    #[command(flatten)]
    subject: Subject,

    #[command(flatten)]
    resources: Resources,

    /// Answer in JSON
    #[arg(long)]
    json: bool,

    /// Stop after this time, such as 20s or 2m, with what is proven then; 'none' for no limit
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = values::time, allow_hyphen_values = true)]
    time: TimeLimit,
}

impl Best {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        let engine = self.resources.engine(self.subject.profile()?)?;
        let position = self.subject.position(&engine)?;
        let limits = Limits { time: self.time.0, stop: &INTERRUPTED };
        let analysis = progress::shown(position.side(), |watch| engine.analyse(&position, &limits, watch))?;
        let text = if self.json {
            serde_json::to_string(&analysis).context("cannot write JSON")? + "\n"
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
    let _ = writeln!(text, "{side} to move, {} seeds on the board.", a.seeds);
    let _ = writeln!(text, "{}\n", verdict(profile, position, a));
    let _ = writeln!(text, "  move       value   taken    laps");
    for m in &a.moves {
        let value = match m.value {
            Some(value) => signed(value),
            None => format!("{} to {}", signed(m.bounds[0]), signed(m.bounds[1])),
        };
        let again = if m.again { "   moves again" } else { "" };
        let name = if m.letter == '-' { "pass".to_owned() } else { m.letter.to_string() };
        let _ = writeln!(text, "  {name:<4} {value:>11} {:>7} {:>7}{again}", m.captured, m.laps);
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

/// Who has won or will win, with units, and how sure that is.
fn verdict(profile: &Profile, position: &Position, a: &Analysis) -> String {
    let stores = position.stores();
    let whole_game = stores[0] + stores[1] + position.seeds() == profile.seeds();
    let how = if a.over { "" } else { " with best play. Exact" };
    if let Some([south, north]) = a.result {
        if !whole_game {
            let n = position.seeds();
            return format!("South takes {south} and North {north} of the {n} seeds left{how}.");
        }
        return match south.cmp(&north) {
            std::cmp::Ordering::Greater => format!("South wins {south}–{north}{how}."),
            std::cmp::Ordering::Less => format!("North wins {north}–{south}{how}."),
            std::cmp::Ordering::Equal => format!("A draw, {south}–{north}{how}."),
        };
    }
    let [lower, upper] = a.bounds;
    let proven =
        format!("Proven so far: value {} to {} for {}", signed(lower), signed(upper), position.side());
    let ahead = |value| {
        let [south, north] = analysis::final_stores(position, value);
        south.cmp(&north)
    };
    match (ahead(lower), ahead(upper)) {
        _ if !whole_game => format!("{proven}."),
        (a, b) if a != b || a == std::cmp::Ordering::Equal => format!("{proven}. The winner is open."),
        (std::cmp::Ordering::Greater, _) => format!("{} wins. {proven}.", Side::South),
        _ => format!("{} wins. {proven}.", Side::North),
    }
}

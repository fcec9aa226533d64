//! `oju play`: a game at the terminal.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write as _};
use std::sync::atomic::Ordering::Relaxed;

use anyhow::Context;
use clap::{Args, ValueEnum};
use oju::{Analysis, Engine, LegalMove, Limits, Options, Position, Side, notation};

use super::values::{self, TimeLimit};
use super::{INTERRUPTED, Outcome, Resources, Subject, progress, signed, write_out};

/// Play a game: a person or the engine on each side.
///
/// The sowing of each move is shown lap by lap. At the third occurrence of a position since the last
/// capture the game is drawn up, and what is left is split evenly.
#[derive(Args)]
#[command(after_help = "\
Type a pit's letter to play it, or: undo, hint, help, quit.

Examples:
  oju play
  oju play hoyito --south engine --north human
  oju play ayoayo --south engine --time 1s")]
pub(super) struct Play {
    #[command(flatten)]
    subject: Subject,

    /// Who plays South
    #[arg(long, value_enum, default_value = "human")]
    south: Player,

    /// Who plays North
    #[arg(long, value_enum, default_value = "engine")]
    north: Player,

    /// Time for each of the engine's moves
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = values::time, allow_hyphen_values = true)]
    time: TimeLimit,

    #[command(flatten)]
    resources: Resources,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Player {
    Human,
    Engine,
}

/// Laps of one sowing that are shown one by one.
const LAPS_SHOWN: usize = 16;

const HELP: &str = "\
  a letter   play that pit; - passes, where that is forced
  undo       take back to your last move
  hint       the value of every move
  quit       leave the game
";

/// What a person typed.
enum Input {
    Move(char),
    Undo,
    Hint,
    Help,
    Quit,
    Other(String),
}

impl Input {
    fn parse(line: &str) -> Self {
        let line = line.trim();
        match line.to_ascii_lowercase().as_str() {
            "undo" | "u" => Self::Undo,
            "hint" | "h" => Self::Hint,
            "help" | "?" => Self::Help,
            "quit" | "exit" | "q" => Self::Quit,
            _ => match (line.chars().next(), line.chars().nth(1)) {
                (Some(letter), None) => Self::Move(letter),
                _ => Self::Other(notation::quoted(line, 40)),
            },
        }
    }
}

struct Game<'a> {
    play: &'a Play,
    engine: &'a Engine,
    /// All positions of the game so far, the last one on the table.
    positions: Vec<Position>,
}

impl Play {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        let engine = self.resources.engine(self.subject.profile()?)?;
        let position = self.subject.position(&engine)?;
        Game { play: self, engine: &engine, positions: vec![position] }.run()
    }
}

impl Game<'_> {
    fn position(&self) -> &Position {
        self.positions.last().expect("a game has a position")
    }

    fn player(&self, side: Side) -> Player {
        match side {
            Side::South => self.play.south,
            Side::North => self.play.north,
        }
    }

    fn run(&mut self) -> anyhow::Result<Outcome> {
        let mut input = io::stdin().lock();
        loop {
            if INTERRUPTED.load(Relaxed) {
                return Ok(Outcome::Interrupted);
            }
            let position = *self.position();
            write_out(&format!("\n{}", notation::draw(self.engine.profile(), &position)))?;
            let moves = match self.engine.options(&position) {
                Options::Over { shares } => {
                    self.end(&position, shares.map(|seeds| 2 * seeds), "The game is over.")?;
                    return Ok(Outcome::Done);
                }
                Options::Moves(moves) => moves,
            };
            if self.third_occurrence() {
                let seeds = position.seeds();
                self.end(
                    &position,
                    [seeds, seeds],
                    "A position came for the third time: what is left is split.",
                )?;
                return Ok(Outcome::Done);
            }
            if self.player(position.side()) == Player::Engine {
                let Some(m) = self.engine_move(&position, &moves)? else { return Ok(Outcome::Interrupted) };
                self.make(&position, m)?;
                continue;
            }
            // A person also sees and types a forced pass.
            if !self.ask(&mut input, &position)? {
                return Ok(Outcome::Done);
            }
        }
    }

    /// True where the position on the table has come three times since the last capture.
    fn third_occurrence(&self) -> bool {
        let last = self.position();
        // Stores only change by captures, so equal positions lie between two captures.
        self.positions.iter().filter(|&p| p == last).count() >= 3
    }

    fn end(&self, position: &Position, doubled_shares: [u32; 2], why: &str) -> anyhow::Result<()> {
        let stores = position.stores();
        let doubled = [0, 1].map(|side| (2 * stores[side] + doubled_shares[side]) as i32);
        let [south, north] = doubled.map(oju::analysis::Halves);
        let winner = match south.cmp(&north) {
            std::cmp::Ordering::Greater => format!("South wins {south}–{north}."),
            std::cmp::Ordering::Less => format!("North wins {north}–{south}."),
            std::cmp::Ordering::Equal => format!("A draw, {south}–{north}."),
        };
        write_out(&format!("{why} {winner}\n"))
    }

    fn analyse(&self, position: &Position) -> anyhow::Result<Analysis> {
        let limits = Limits { time: self.play.time.0, ..Limits::none(&INTERRUPTED) };
        Ok(progress::shown(position.side(), |watch| self.engine.analyse(position, &limits, watch))?)
    }

    fn engine_move<'m>(
        &self,
        position: &Position,
        moves: &'m [LegalMove],
    ) -> anyhow::Result<Option<&'m LegalMove>> {
        let analysis = self.analyse(position)?;
        if INTERRUPTED.load(Relaxed) {
            return Ok(None);
        }
        let best = analysis.moves.first().context("a turn has moves")?;
        Ok(moves.iter().find(|m| m.letter == best.letter))
    }

    /// Shows a move and puts its position on the table.
    fn make(&mut self, position: &Position, m: &LegalMove) -> anyhow::Result<()> {
        let mut text = String::new();
        if m.letter == '-' {
            let _ = writeln!(text, "{} passes.", position.side());
        } else {
            let _ = writeln!(text, "{} plays {}.", position.side(), m.letter);
            let row = position.row();
            let name =
                |pit: usize| if pit < row { Side::South.letter(pit) } else { Side::North.letter(pit - row) };
            for (number, lap) in self.engine.laps(position, m.letter).take(LAPS_SHOWN).enumerate() {
                let counts: Vec<String> = lap.position.counts().iter().map(u8::to_string).collect();
                let (south, north) = counts.split_at(row);
                let (south, north, last) = (south.join("-"), north.join("-"), name(lap.last));
                let _ = writeln!(text, "  lap {:>3}: {south} / {north}, last seed in {last}", number + 1);
            }
            if m.laps as usize > LAPS_SHOWN {
                let _ = writeln!(text, "  … and {} laps more", m.laps as usize - LAPS_SHOWN);
            }
            if m.captured > 0 {
                let again = if m.again && m.position.seeds() > 0 { ", and is to move again" } else { "" };
                let _ = writeln!(text, "{} takes {}{again}.", position.side(), m.captured);
            }
        }
        write_out(&text)?;
        self.positions.push(m.position);
        Ok(())
    }

    /// Asks a person for a move. False: the person leaves.
    fn ask(&mut self, input: &mut impl BufRead, position: &Position) -> anyhow::Result<bool> {
        loop {
            write_out(&format!("{}> ", position.side()))?;
            let mut line = String::new();
            if input.read_line(&mut line).context("cannot read stdin")? == 0 || INTERRUPTED.load(Relaxed) {
                write_out("\n")?;
                return Ok(false);
            }
            match Input::parse(&line) {
                Input::Quit => return Ok(false),
                Input::Help => write_out(HELP)?,
                Input::Hint => {
                    let analysis = self.analyse(position)?;
                    let mut text = String::new();
                    for m in &analysis.moves {
                        let [lower, upper] = m.bounds;
                        let value = if m.exact {
                            signed(lower)
                        } else {
                            format!("{} to {}", signed(lower), signed(upper))
                        };
                        let _ = writeln!(text, "  {} {value}", m.letter);
                    }
                    write_out(&text)?;
                }
                Input::Undo => {
                    let humans = |p: &Position| self.player(p.side()) == Player::Human;
                    let Some(back) = self.positions[..self.positions.len() - 1].iter().rposition(humans)
                    else {
                        write_out("There is nothing to take back.\n")?;
                        continue;
                    };
                    self.positions.truncate(back + 1);
                    return Ok(true);
                }
                Input::Move(letter) => {
                    let own = |c: char| match position.side() {
                        Side::South => c.to_ascii_uppercase(),
                        Side::North => c.to_ascii_lowercase(),
                    };
                    match self.engine.play(position, own(letter)) {
                        Ok(m) => {
                            self.make(position, &m)?;
                            return Ok(true);
                        }
                        Err(error) => {
                            let _ = writeln!(io::stderr(), "oju: {error}");
                        }
                    }
                }
                Input::Other(text) => {
                    let _ =
                        writeln!(io::stderr(), "oju: '{text}' is not a pit; type help for what is possible");
                }
            }
        }
    }
}

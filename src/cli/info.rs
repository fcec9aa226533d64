//! `oju info`: what tables there are, how large they are, and what is in them.

use std::fmt::Write as _;

use anyhow::{Context, bail};
use clap::Args;
use indicatif::HumanCount;
use oju::info::{TableInfo, table_info, tables_in};
use serde_json::json;

use super::tables::TablesDir;
use super::{Outcome, parse_profile, signed, values, write_out};

/// Show what tables there are: sizes, wins, draws and losses, stand-offs and depths.
///
/// With a profile, all values of one tier too, each with a position that has it. Positions are counts, the side to move first, as
/// 'oju best' takes them. Only the headers are read: 'oju verify' reads the rest.
#[derive(Args)]
#[command(after_help = "\
Examples:
  oju info
  oju info hoyito --seeds 8
  oju info ayoayo --json")]
pub(super) struct Info {
    /// The profile; all there are tables of if not given
    profile: Option<String>,

    /// The tier whose values are shown, in seeds; the largest if not given
    #[arg(long, value_name = "N", requires = "profile", value_parser = values::seeds, allow_hyphen_values = true)]
    seeds: Option<u32>,

    /// Answer in JSON: one object with everything
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    tables: TablesDir,
}

impl Info {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        let dir = self.tables.path();
        let wanted = self.profile.as_deref().map(parse_profile).transpose()?;
        let found = tables_in(&dir)?;
        // A custom board of the rules and size of a named profile has a name of its own.
        let found: Vec<_> =
            found.into_iter().filter(|(profile, _)| wanted.is_none_or(|wanted| wanted == *profile)).collect();
        if found.is_empty() {
            let of = wanted.map(|profile| format!(" of {profile}")).unwrap_or_default();
            bail!("{}: no tables{of}: `oju build` makes them", dir.display());
        }
        let mut text = String::new();
        let mut all = Vec::new();
        for (profile, tiers) in found {
            let tables: Vec<TableInfo> =
                tiers.iter().map(|&seeds| table_info(&profile, &dir, seeds)).collect::<Result<_, _>>()?;
            let detailed = match self.seeds {
                Some(seeds) => match tables.iter().find(|table| table.seeds == seeds) {
                    Some(table) => Some(table),
                    None => bail!(
                        "{}: no table of {seeds} seeds: build it with `oju build {profile} --seeds {seeds}`",
                        dir.display()
                    ),
                },
                None => tables.last().filter(|_| wanted.is_some()),
            };
            if !text.is_empty() {
                text.push('\n');
            }
            text += &overview(&tables);
            if let Some(table) = detailed {
                text += &details(table);
            }
            all.extend(
                tables.into_iter().filter(|table| self.seeds.is_none_or(|seeds| seeds == table.seeds)),
            );
        }
        if self.json {
            let answer = json!({
                "directory": dir.display().to_string(),
                "tables": all,
                "version": env!("CARGO_PKG_VERSION"),
            });
            text = serde_json::to_string(&answer).context("cannot write JSON")? + "\n";
        }
        write_out(&text)?;
        Ok(Outcome::Done)
    }
}

fn count(number: u64) -> String {
    HumanCount(number).to_string()
}

/// A line a tier, columns as wide as they need be.
fn overview(tables: &[TableInfo]) -> String {
    let mut text = String::new();
    if let Some(first) = tables.first() {
        let _ = writeln!(text, "{}, rules {}", first.profile, first.rules);
    }
    let head = [
        "seeds",
        "positions",
        "wins",
        "draws",
        "losses",
        "stand-offs",
        "deepest",
        "bytes",
        "values",
        "distances",
        "forced",
    ];
    let mut rows = vec![head.map(String::from)];
    for table in tables {
        let none = || "–".to_string();
        let bits = |bits: f64| format!("{bits:.2}");
        rows.push([
            table.seeds.to_string(),
            count(table.positions),
            count(table.wins),
            count(table.draws),
            count(table.losses),
            table.standoffs.map_or_else(none, count),
            table.deepest.map_or_else(none, |deepest| deepest.to_string()),
            count(table.bytes),
            bits(table.bits.values),
            bits(table.bits.distances),
            table.bits.forced.map_or_else(none, bits),
        ]);
    }
    for row in &rows {
        for (at, cell) in row.iter().enumerate() {
            let width = rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
            let _ = write!(text, "  {cell:>width$}");
        }
        text.push('\n');
    }
    text + "  Wins and losses are those of the side to move; values, distances and forced are bits a position.\n"
}

/// All values of a tier, and its extremes.
fn details(table: &TableInfo) -> String {
    let mut text = format!("\n{} seeds, by value for the side to move:\n", table.seeds);
    let widest = count(table.positions).len().max("positions".len());
    let _ = writeln!(text, "  {:>6}  {:>widest$}  {:>8}  the first of them", "value", "positions", "share");
    for value in table.values.iter().rev() {
        let share = value.positions as f64 * 100.0 / table.positions as f64;
        let number = value.number.map_or_else(|| "–".to_string(), signed);
        let _ = writeln!(
            text,
            "  {number:>6}  {:>widest$}  {share:>6.2} %  {}",
            count(value.positions),
            value.example
        );
    }
    if let Some(deepest) = table.distances.iter().rfind(|distance| distance.number.is_some()) {
        let _ = writeln!(
            text,
            "  deepest: {} sowings until the value is converted: {}",
            deepest.number.unwrap_or(0),
            deepest.example
        );
    }
    if let Some(standoff) = &table.standoff_example {
        let _ = writeln!(text, "  a stand-off: {standoff}");
    }
    text
}

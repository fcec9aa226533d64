//! `oju export`: a table for other programs.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{Args, ValueEnum};
use oju::export::{Export as Table, ExportError, Format};

use super::tables::{TablesDir, Threads, shown};
use super::{INTERRUPTED, Outcome, outputs, parse_profile, values};

/// Write a table as CSV, for NumPy or as Parquet: a row a position.
///
/// Row r is the position of rank r: the counts in lexicographic order, the side to move first, so row 0 has all seeds in the last
/// pit. Columns: the pits of the side to move, A and on, those of the other side, a and on; value; distance (empty, 65535 or null where
/// the value is never converted); low and high where the table holds forced intervals. Rows are written as they are made; the
/// tables of fewer seeds are needed too, and take a byte of memory a position.
#[derive(Args)]
#[command(after_help = "\
Examples:
  oju export ayoayo --seeds 6 > ayoayo-06.csv
  oju export hoyito --seeds 8 --output hoyito-08.npy
  oju export hoyito --seeds 8 --format csv --output - | head -3")]
pub(super) struct Export {
    /// The profile
    #[arg(default_value = "ayoayo")]
    profile: String,

    /// The tier, in seeds
    #[arg(long, value_name = "N", value_parser = values::seeds, allow_hyphen_values = true)]
    seeds: u32,

    /// How to write it; as the name of the output ends if not given, or else csv
    #[arg(long, value_enum)]
    format: Option<Kind>,

    /// The file to write, or - for stdout
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// Replace the file if it is there
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    tables: TablesDir,

    #[command(flatten)]
    threads: Threads,
}

/// A format by name.
#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Csv,
    Npy,
    Parquet,
}

impl Export {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        let profile = parse_profile(&self.profile)?;
        if self.seeds > profile.seeds() || !self.seeds.is_multiple_of(profile.unit()) {
            let of_fours = if profile.unit() == 1 { "" } else { ", a multiple of four" };
            bail!(
                "--seeds {}: {profile} has 0 to {} seeds on the board{of_fours}",
                self.seeds,
                profile.seeds()
            );
        }
        let format = self.format();
        let to_stdout = self.output == Path::new("-");
        if to_stdout && format != Format::Csv {
            bail!("--format: only csv can be written to stdout: name a file with --output");
        }
        if format == Format::Parquet && !cfg!(feature = "parquet") {
            return Err(ExportError::NoParquet.into());
        }
        // Whether it is there is looked at once more in the end.
        outputs::check(&self.output, self.force, false)?;
        let written = self.threads.run(|| {
            shown("exporting", |meter| {
                let progress = |seeds, done, todo| meter.tell(seeds, done, todo);
                let table = Table::open(&profile, &self.tables.path(), self.seeds, &INTERRUPTED, &progress)?;
                if to_stdout {
                    // Rows come in large pieces, which need no buffer. The lock of stdout can not go to another thread.
                    table.write(format, &mut io::stdout(), "stdout", &INTERRUPTED, &progress)
                } else {
                    table.write_file(format, &self.output, self.force, &INTERRUPTED, &progress)
                }
            })
        })?;
        match written {
            Ok(()) => Ok(Outcome::Done),
            Err(error) if error.is_stopped() => Ok(Outcome::Interrupted),
            Err(error) => Err(error.into()),
        }
    }

    fn format(&self) -> Format {
        let ending =
            || self.output.extension().and_then(|ending| Kind::from_str(ending.to_str()?, true).ok());
        match self.format.or_else(ending).unwrap_or(Kind::Csv) {
            Kind::Csv => Format::Csv,
            Kind::Npy => Format::Npy,
            Kind::Parquet => Format::Parquet,
        }
    }
}

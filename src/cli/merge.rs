//! `oju merge`: the parts of a batch put together.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use indicatif::HumanCount;
use oju::batch::merge::Parts;

use super::{Outcome, outputs};

/// Put the parts of a batch together, in the order of its input.
///
/// Parts come from 'oju batch --shard', in any order. What comes out is what one run would have written. Parts of
/// different rules or inputs, parts that are missing or there twice, cut short or damaged, are refused before anything is written.
#[derive(Args)]
#[command(after_help = "\
Examples:
  for i in 1 2 3 4; do oju batch ayoayo positions.txt --shard $i/4 -o part$i.jsonl; done
  oju merge part*.jsonl -o answers.jsonl")]
pub(super) struct Merge {
    /// All parts, in any order
    #[arg(value_name = "PART", required = true)]
    parts: Vec<PathBuf>,

    /// The file to write, or - for stdout
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// Replace the output if it is there
    #[arg(long)]
    force: bool,
}

impl Merge {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        let name = self.output.display();
        if self.output == Path::new("-") {
            let parts = Parts::open(&self.parts)?;
            // What is kept back is written, or its loss told, by `write`.
            parts.write(&mut BufWriter::new(io::stdout().lock()))?;
            return Ok(Outcome::Done);
        }
        outputs::check(&self.output, self.force, false)?;
        let parts = Parts::open(&self.parts)?;
        let write = |path: &Path| -> anyhow::Result<()> {
            let file = File::create(path).with_context(|| format!("{name}: can not be written"))?;
            Ok(parts.write(&mut BufWriter::new(file))?)
        };
        if self.output.exists() && !self.output.is_file() {
            write(&self.output)?;
        } else {
            // It appears under its name when it is complete, and a part may be what is replaced.
            let base = self.output.file_name().with_context(|| format!("{name}: not the name of a file"))?;
            let unfinished =
                self.output.with_file_name(format!(".{}.{}.tmp", base.to_string_lossy(), std::process::id()));
            let renamed = || {
                fs::rename(&unfinished, &self.output).with_context(|| format!("{name}: can not be written"))
            };
            if let Err(error) = write(&unfinished).and_then(|()| renamed()) {
                let _ = fs::remove_file(&unfinished);
                return Err(error);
            }
        }
        let _ = writeln!(
            io::stderr(),
            "oju: {} answers of {} parts",
            HumanCount(parts.answers()),
            self.parts.len()
        );
        Ok(Outcome::Done)
    }
}

//! `oju man`: the manual pages.

use std::path::PathBuf;
use std::{fs, io};

use anyhow::{Context, bail};
use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;

use super::{Cli, Outcome, write_out};

/// Print a page of the manual, or write all of them.
///
/// Pages are what 'man' shows: 'oju man best | man -l -'.
#[derive(Args)]
#[command(after_help = "\
Examples:
  oju man > oju.1
  oju man best > oju-best.1
  oju man --output ~/.local/share/man/man1")]
pub(super) struct Man {
    /// The command whose page is printed; oju's own if not given
    #[arg(conflicts_with = "output")]
    command: Option<String>,

    /// The directory to write all pages to
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Man {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        let mut oju = Cli::command().disable_help_subcommand(true);
        // Commands have their full names after this.
        oju.build();
        if let Some(dir) = &self.output {
            let write = || -> io::Result<()> {
                fs::create_dir_all(dir)?;
                for command in std::iter::once(&oju).chain(oju.get_subcommands()) {
                    let page = page(command);
                    fs::write(dir.join(page.get_filename()), text(&page)?)?;
                }
                Ok(())
            };
            write().with_context(|| format!("{}: the pages can not be written there", dir.display()))?;
            return Ok(Outcome::Done);
        }
        let command = match &self.command {
            None => &oju,
            Some(name) => match oju.find_subcommand(name) {
                Some(command) => command,
                None => bail!("'{name}' is no command: oju --help names them"),
            },
        };
        write_out(&String::from_utf8_lossy(&text(&page(command))?))?;
        Ok(Outcome::Done)
    }
}

fn page(command: &clap::Command) -> Page {
    Page::new(command.clone()).source(concat!("oju ", env!("CARGO_PKG_VERSION")))
}

fn text(page: &Page) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    page.render(&mut text)?;
    Ok(text)
}

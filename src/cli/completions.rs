//! `oju completions`: for the shell, so that it completes commands and options.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, Outcome, write_out};

/// Print what makes a shell complete commands and options.
///
/// Goes to stdout; where it belongs depends on the shell and the system.
#[derive(Args)]
#[command(after_help = "\
Examples:
  oju completions bash > ~/.local/share/bash-completion/completions/oju
  oju completions zsh > ~/.zfunc/_oju
  oju completions fish > ~/.config/fish/completions/oju.fish")]
pub(super) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "oju", &mut script);
        write_out(&String::from_utf8_lossy(&script))?;
        Ok(Outcome::Done)
    }
}

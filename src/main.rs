//! The command line program `oju`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}

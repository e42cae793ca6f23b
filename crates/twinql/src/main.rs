//! The `twinql` program.

mod args;
mod commands;
mod input;
mod output;
mod plot;
mod report;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use twinql::exit;

use args::corpus::Corpus;
use args::typed::{Cli, Command, SchemaCommand, Suite};
use output::Console;

/// Plans and graphs are many small boxes: a fifth of the time from text to score went into the
/// system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to stdout; a closed pipe there is no error.
            let _ = error.print();
            return ExitCode::from(match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => exit::DONE,
                _ => exit::COULD_NOT_RUN,
            });
        }
    };
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("TWINQL_LOG").unwrap_or_else(|_| "error".into()),
        )
        .init();
    match on_a_large_stack(cli) {
        Ok(true) => ExitCode::from(exit::DONE),
        Ok(false) => ExitCode::from(exit::CHECK_FAILED),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "twinql: error: {error:#}");
            ExitCode::from(exit::COULD_NOT_RUN)
        }
    }
}

/// Queries are nested input. Their depth is bounded, and this stack is larger than the
/// bounds need on every platform, whatever the main thread has.
const STACK: usize = 64 << 20;

fn on_a_large_stack(cli: Cli) -> anyhow::Result<bool> {
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(|| run(cli))?;
    worker.join().unwrap_or_else(|_| {
        Err(anyhow::anyhow!(
            "an internal error; please report it with the input"
        ))
    })
}

/// Runs a command; false if a check that the user asked for failed.
fn run(cli: Cli) -> anyhow::Result<bool> {
    let common = cli.common;
    args::use_threads(common.threads)?;
    let console = Console { quiet: common.quiet };
    match cli.command {
        Command::Score(typed) => commands::score::run(typed, common.seed, console),
        Command::Judge(typed) => commands::judge::run(typed, common.seed, console),
        Command::Prove(typed) => commands::prove::run(typed, common.seed, console),
        Command::Execute(typed) => commands::execute::run(typed, console),
        Command::Evaluate(typed) => commands::evaluate::run(typed, common.seed, console),
        Command::Explain(typed) => commands::explain::run(&typed, console),
        Command::Selftest(typed) => commands::selftest::run(&typed, console),
        Command::Seal(typed) => commands::seal::run(&typed, console),
        Command::Corpus {
            command: Corpus::Build(typed),
        } => commands::corpus::build(&typed, common.seed, console),
        Command::Corpus {
            command: Corpus::Relabel(typed),
        } => commands::corpus::relabel(&typed, common.seed, console),
        Command::Corpus {
            command: Corpus::Grade(typed),
        } => commands::corpus::grade(&typed, common.seed, console),
        Command::Corpus {
            command: Corpus::Stats(typed),
        } => commands::corpus::stats(&typed),
        Command::Suite {
            command: Suite::Build(typed),
        } => commands::suite::build(&typed, common.seed, console),
        Command::Suite {
            command: Suite::Run(typed),
        } => commands::suite::run(&typed, console),
        Command::Suite {
            command: Suite::Show(typed),
        } => commands::suite::show(&typed),
        Command::Schema {
            command: SchemaCommand::Show(typed),
        } => commands::schema::show(&typed),
        Command::Worker { address_space } => commands::worker::run(address_space),
        Command::Pretrain(typed) => commands::pretrain::run(&typed, common.seed, console),
        Command::Train(typed) => commands::train::run(&typed, common.seed, console),
    }
}

//! The `twinql` program as a library: its documentation is written from its commands, and its registries are shown by both.

mod args;
mod commands;
mod document;
mod external;
mod input;
mod interrupt;
mod labels;
mod output;
pub mod registries;
mod report;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _};
use twinql::exit;
use twinql::suite::worker::Program;

use args::corpus::Corpus;
use args::environment;
use args::suite::Suite;
use args::typed::{Cli, Command, SchemaCommand};
use output::Console;

/// Runs the program with the arguments of this process.
pub fn run() -> ExitCode {
    ExitCode::from(run_with(std::env::args_os()))
}

/// Runs the program within another one, such as an interpreter, by which `worker` is started: its last argument will be
/// the address space that it may use, in bytes.
pub fn run_within(arguments: impl IntoIterator<Item = OsString>, worker: Program) -> u8 {
    commands::worker::start_by(worker);
    run_with(arguments)
}

/// Runs the program and gives its exit code. Three ends are told apart: done, a check that the user asked for failed, and
/// could not run.
fn run_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match parse(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to stdout; a closed pipe there is no error.
            let _ = error.print();
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => exit::DONE,
                _ => exit::COULD_NOT_RUN,
            };
        }
    };
    let filter = match environment::log() {
        Ok(filter) => filter,
        Err(error) => return could_not_run(&error),
    };
    // The program around this one may have a log of its own.
    let _ = tracing_subscriber::fmt().with_writer(std::io::stderr).with_env_filter(filter).try_init();
    if ends_at_once(&cli.command) {
        interrupt::listen();
    }
    // A panic of the command is told as an internal error, with the status of one.
    let panicked = || anyhow::anyhow!("an internal error; please report it with the input");
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(|| run_command(cli));
    match worker.map_err(Into::into).and_then(|worker| worker.join().unwrap_or_else(|_| Err(panicked()))) {
        Ok(code) => code,
        Err(error) => could_not_run(&error),
    }
}

/// True for commands that a signal ends where they stand. Workers end when their input does: what the terminal sends is
/// not for them. A server first answers whoever has asked.
fn ends_at_once(command: &Command) -> bool {
    match command {
        Command::Worker { .. } => false,
        #[cfg(feature = "serve")]
        Command::Serve(_) => false,
        _ => true,
    }
}

/// Tells why, with the causes of the error in one line.
fn could_not_run(error: &anyhow::Error) -> u8 {
    // Nobody may be listening on stderr.
    let _ = writeln!(std::io::stderr(), "twinql: error: {error:#}");
    exit::COULD_NOT_RUN
}

/// The commands and flags of the program, each flag with its environment variable.
pub fn command() -> clap::Command {
    environment::with_variables(Cli::command())
}

/// The JSON schemas of what commands write: the name of the format, what it is, and its schema.
pub fn formats() -> Vec<(&'static str, &'static str, schemars::Schema)> {
    use commands::{audit, check_refactor, cluster, execute, prove, rerank, verdicts, witness};
    let generator = || schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut execution = generator().into_root_schema_for::<verdicts::VerdictRecord<execute::FileWitness>>();
    verdicts::over_files(&mut execution);
    vec![
        (
            "verdict",
            "a line of `judge`",
            generator().into_root_schema_for::<verdicts::VerdictRecord<witness::WitnessRecord>>(),
        ),
        ("proof", "a line of `prove`", generator().into_root_schema_for::<prove::ProofRecord>()),
        ("execution", "a line of `execute`", execution),
        ("cluster", "a line of `cluster`", generator().into_root_schema_for::<cluster::ClusterRecord>()),
        ("ranking", "a line of `rerank`", generator().into_root_schema_for::<rerank::RankRecord>()),
        ("audit", "a line of `audit`", generator().into_root_schema_for::<audit::AuditRecord>()),
        (
            "refactoring",
            "a finding of `check-refactor`",
            generator().into_root_schema_for::<check_refactor::Finding>(),
        ),
    ]
}

/// The arguments, from the command line and the environment.
fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let command = command();
    let matches = command
        .clone()
        .try_get_matches_from(arguments)
        .map_err(|error| environment::named(&command, error))?;
    environment::switches(&command, &matches)?;
    Cli::from_arg_matches(&matches)
}

/// Of the thread that runs the command. Queries are nested input. Their depth is bounded, and this stack is larger than
/// the bounds need on every platform, whatever the main thread has.
const STACK: usize = 64 << 20;

/// Runs a command; gives its exit code.
fn run_command(cli: Cli) -> anyhow::Result<u8> {
    let common = cli.common;
    args::use_threads(common.threads)?;
    let console = Console { quiet: common.quiet };
    let passed = match cli.command {
        Command::Score(typed) => commands::score::run(typed, common.seed, console),
        Command::Judge(typed) => commands::judge::run(typed, common.seed, console),
        // Nothing decided is no failed check.
        Command::CheckRefactor(typed) => return commands::check_refactor::run(typed, common.seed, console),
        Command::Audit(typed) => commands::audit::run(typed, common.seed, console),
        Command::Prove(typed) => commands::prove::run(typed, common.seed, console),
        Command::Verify(typed) => commands::verify::run(&typed, common.seed, console),
        Command::Execute(typed) => commands::execute::run(typed, console),
        Command::Evaluate(typed) => commands::evaluate::run(typed, common.seed, console),
        Command::Compare(typed) => commands::compare::run(typed, common.seed, console),
        Command::Estimate(typed) => commands::estimate::run(typed, common.seed, console),
        Command::Perturb(typed) => commands::perturb::run(&typed, common.seed, console),
        Command::Consistency(typed) => commands::consistency::run(typed, common.seed, console),
        Command::Calibrate(typed) => commands::calibrate::run(typed, common.seed, console),
        Command::Rerank(typed) => commands::rerank::run(&typed, console),
        Command::Cluster(typed) => commands::cluster::run(&typed, console),
        Command::Explain(typed) => commands::explain::run(&typed, console),
        #[cfg(feature = "serve")]
        Command::Serve(typed) => commands::serve::run(typed, common.seed, console),
        Command::Selftest(typed) => commands::selftest::run(&typed, console),
        Command::Rules(typed) => commands::registries::rules(&typed),
        Command::Checks(typed) => commands::registries::checks(&typed),
        Command::Metrics(typed) => commands::registries::metrics(&typed),
        Command::Corpus { command } => match command {
            Corpus::Build(typed) => commands::corpus::build(&typed, common.seed, console),
            Corpus::Relabel(typed) => commands::corpus::relabel(&typed, common.seed, console),
            Corpus::Grade(typed) => commands::corpus::grade(&typed, common.seed, console),
            Corpus::Share(typed) => commands::corpus::share(&typed, common.seed, console),
            Corpus::Stats(typed) => commands::corpus_stats::run(&typed),
            Corpus::Split(typed) => commands::corpus_split::run(&typed, common.seed, console),
        },
        Command::Suite { command } => match command {
            Suite::Build(typed) => commands::suite::build(&typed, common.seed, console),
            Suite::Run(typed) => commands::suite::run(&typed, console),
            Suite::Show(typed) => commands::suite_show::show(&typed),
        },
        Command::Schema { command: SchemaCommand::Show(typed) } => commands::schema::show(&typed),
        Command::Profile(typed) => commands::profile::run(&typed, console),
        Command::Worker { address_space } => commands::worker::run(address_space),
        #[cfg(feature = "train")]
        Command::Pretrain(typed) => commands::pretrain::run(&typed, common.seed, console),
        #[cfg(feature = "train")]
        Command::Train(typed) => commands::train::run(&typed, common.seed, console),
    };
    Ok(if passed? { exit::DONE } else { exit::CHECK_FAILED })
}

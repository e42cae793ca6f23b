//! Settings from the environment. What is no setting is an error that names the variable, as it is on
//! the command line.

use std::ffi::OsString;

use anyhow::{Result, bail};
use clap::builder::FalseyValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command, Error};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// Gives every flag its variable, `TWINQL_SOME_FLAG` of `--some-flag`; those that people do not type, of hidden
/// commands, have none.
pub(crate) fn with_variables(command: Command) -> Command {
    if command.is_hide_set() {
        return command;
    }
    command
        .mut_args(|arg| {
            let Some(name) = arg.get_long().map(variable_of) else {
                return arg;
            };
            let arg = arg.env(name).hide_env(true);
            match arg.get_action() {
                ArgAction::SetTrue => arg.value_parser(FalseyValueParser::new()),
                _ => arg,
            }
        })
        .mut_subcommands(with_variables)
}

/// The variable of a flag.
fn variable_of(flag: &str) -> String {
    format!("TWINQL_{}", flag.replace('-', "_").to_uppercase())
}

/// Texts that set a switch, and such that do not.
const YES: [&str; 6] = ["1", "true", "t", "yes", "y", "on"];
const NO: [&str; 7] = ["", "0", "false", "f", "no", "n", "off"];

/// Refuses a variable of a switch that says neither yes nor no.
pub(crate) fn switches(command: &Command, matches: &ArgMatches) -> Result<(), Error> {
    for (name, value) in variables(command, matches) {
        let text = value.to_string_lossy().to_lowercase();
        if !YES.contains(&text.as_str()) && !NO.contains(&text.as_str()) {
            let message = format!(
                "the environment variable {name} is {value:?}; give 1 (true, yes, on) or 0 (false, no, off)\n"
            );
            return Err(Error::raw(ErrorKind::InvalidValue, message));
        }
    }
    Ok(())
}

/// The switches of the command that was chosen that the environment sets.
fn variables(command: &Command, matches: &ArgMatches) -> Vec<(String, OsString)> {
    let mut found = Vec::new();
    let (mut command, mut matches) = (command, matches);
    loop {
        let switches = command.get_arguments().filter(|arg| matches!(arg.get_action(), ArgAction::SetTrue));
        found.extend(switches.filter_map(variable));
        let Some((name, below)) = matches.subcommand() else {
            return found;
        };
        let Some(next) = command.find_subcommand(name) else {
            return found;
        };
        (command, matches) = (next, below);
    }
}

fn variable(arg: &Arg) -> Option<(String, OsString)> {
    let name = arg.get_env()?;
    Some((name.to_string_lossy().into_owned(), std::env::var_os(name)?))
}

/// An error in a value, with the variable that it comes from, if it comes from one.
pub(crate) fn named(command: &Command, mut error: Error) -> Error {
    let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue) else {
        return error;
    };
    let Some(ContextValue::String(shown)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let Some(flag) = shown.strip_prefix("--").and_then(|s| s.split([' ', '=']).next()) else {
        return error;
    };
    let typed = |arg: &OsString| {
        let text = arg.to_string_lossy();
        text.strip_prefix("--").is_some_and(|rest| rest == flag || rest.starts_with(&format!("{flag}=")))
    };
    let name = variable_of(flag);
    let set =
        std::env::var(&name).is_ok_and(|found| found.split(',').any(|part| part == value) || found == *value);
    if set && !std::env::args_os().any(|arg| typed(&arg)) {
        let hint = format!("the value comes from the environment variable {name}");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
    error.with_cmd(command)
}

/// What the log says, from `TWINQL_LOG`: a level, or levels for parts of the program.
pub(crate) fn log() -> Result<EnvFilter> {
    let text = match std::env::var("TWINQL_LOG") {
        Ok(text) if !text.trim().is_empty() => text,
        Ok(_) | Err(std::env::VarError::NotPresent) => "error".to_owned(),
        Err(error) => bail!("TWINQL_LOG: {error}"),
    };
    // A word alone would be taken for the name of a part, of which nothing is ever logged.
    let is_level = |part: &str| part.parse::<LevelFilter>().is_ok();
    let understood = |part: &str| match part.rsplit_once('=') {
        Some((part, level)) => !part.trim().is_empty() && is_level(level.trim()),
        None => is_level(part.trim()),
    };
    match text.parse::<EnvFilter>() {
        Ok(filter) if text.split(',').all(understood) => Ok(filter),
        _ => bail!(
            "TWINQL_LOG is {text:?}; give off, error, warn, info, debug or trace, or levels of parts such as twinql_suite=debug"
        ),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::typed::Cli;

    fn check(command: &Command, seen: &mut usize) {
        for arg in command.get_arguments() {
            let Some(flag) = arg.get_long() else { continue };
            let found = arg.get_env().and_then(|v| v.to_str());
            let wanted = (!command.is_hide_set()).then(|| variable_of(flag));
            assert_eq!(found, wanted.as_deref(), "{} --{flag}", command.get_name());
            *seen += 1;
        }
        for below in command.get_subcommands() {
            check(below, seen);
        }
    }

    #[test]
    fn every_flag_has_its_variable() {
        let mut seen = 0;
        check(&with_variables(Cli::command()), &mut seen);
        assert!(seen > 100, "{seen}");
    }
}

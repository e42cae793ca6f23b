//! docs/reference/command-line.md: the help of every command.

use clap::Command;

use super::Page;
use super::tables::written_from;

/// Columns of the help texts.
const WIDTH: usize = 100;

/// The page.
pub(super) fn page() -> Page {
    let mut command = twinql_cli::command().term_width(WIDTH);
    command.build();
    let mut text = format!("# Commands and flags\n\n{}\n", written_from("the commands' own help"));
    text += "What `--help` says of every command. [The tour](../command-line.md) shows them at work.\n";
    section(&mut text, &mut command);
    Page { path: "docs/reference/command-line.md".into(), text }
}

/// A command's help, and that of its subcommands.
fn section(text: &mut String, command: &mut Command) {
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    *text += &format!("\n## {name}\n\n```text\n{}\n```\n", lines.join("\n").trim_end());
    for below in command.get_subcommands_mut().filter(|below| !below.is_hide_set()) {
        // What clap adds to each group of commands.
        if below.get_name() != "help" {
            section(text, below);
        }
    }
}

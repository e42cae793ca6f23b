//! Every command that a page or a help text shows is one that the program takes.

use std::path::{Path, PathBuf};

use clap::{CommandFactory as _, Parser as _};

use super::typed::Cli;

/// The pages for users, by path: the README and those of `docs/`.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension() {
                Some(ending) if ending == "md" => pages.push(path),
                None if path.is_dir() => folders.push(path),
                _ => {}
            }
        }
    }
    pages
}

/// The commands of a shell text: lines that end in `\`, and those within quotes, belong to what follows.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut open = String::new();
    for line in text.lines() {
        open.push_str(line);
        if let Some(begun) = open.strip_suffix('\\') {
            open.truncate(begun.len());
            continue;
        }
        let Some(words) = shlex::split(&open) else {
            open.push('\n');
            continue;
        };
        open.clear();
        // A pipe joins commands; what follows `>` is a file.
        for words in words.split(|word| matches!(word.as_str(), "|" | ";" | "&&")) {
            let end = words.iter().position(|word| word == ">" || word == "<").unwrap_or(words.len());
            found.push(words[..end].to_vec());
        }
    }
    found
}

/// The shell blocks of a page.
fn blocks(page: &str) -> String {
    let mut inside = false;
    let mut text = String::new();
    for line in page.lines() {
        match line.trim() {
            "```sh" => inside = true,
            "```" => inside = false,
            _ if inside => text.extend([line, "\n"]),
            _ => {}
        }
    }
    text
}

/// Checks the commands of a text that are twinql's own; how many there were.
fn check(place: &str, text: &str) -> usize {
    let mut checked = 0;
    for words in commands(text) {
        // Ellipses stand for what the reader adds.
        if words.first().is_none_or(|word| word != "twinql") || words.iter().any(|word| word.contains('…'))
        {
            continue;
        }
        if let Err(error) = Cli::try_parse_from(&words) {
            panic!("{place}: {}\n{error}", words.join(" "));
        }
        checked += 1;
    }
    checked
}

#[test]
fn commands_of_documents_are_understood() {
    let check =
        |path: PathBuf| check(&path.display().to_string(), &blocks(&std::fs::read_to_string(&path).unwrap()));
    let checked: usize = pages().into_iter().map(check).sum();
    assert!(checked > 60, "{checked}");
}

#[test]
fn examples_of_help_are_understood() {
    fn each(command: &clap::Command, checked: &mut usize) {
        if let Some(help) = command.get_after_help() {
            let help = help.to_string();
            let examples = help.lines().filter(|line| line.starts_with("  ")).map(|line| line.trim());
            // What explains an example stands in a column of its own.
            let examples: Vec<&str> = examples.map(|line| line.split("   ").next().unwrap_or(line)).collect();
            *checked += check(command.get_name(), &examples.join("\n"));
        }
        command.get_subcommands().for_each(|sub| each(sub, checked));
    }
    let mut checked = 0;
    each(&Cli::command(), &mut checked);
    assert!(checked > 40, "{checked}");
}

//! The copy of the workspace in which conditions can be taken out: the crates that proofs and tiny databases need, and a
//! program that runs one mutant.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::conditions::{Condition, Without, instrumented};
use crate::rules::Source;

/// The crates that are copied.
const CRATES: [&str; 3] = ["twinql-files", "twinql-sql", "twinql-suite"];

/// Where rules stand, from the root.
const RULES: &str = "crates/twinql-sql/src/normalize/rules";

/// What conditions ask.
const MUTANT: &str = r#"
/// Which condition is taken out.
#[doc(hidden)]
#[allow(missing_docs)]
pub mod mutant {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static OUT: AtomicUsize = AtomicUsize::new(usize::MAX);
    static NEEDS: OnceLock<&'static str> = OnceLock::new();

    pub fn take_out(condition: usize) {
        OUT.store(condition, Ordering::Relaxed);
    }

    pub fn take_out_needs(rule: &'static str) {
        let _ = NEEDS.set(rule);
    }

    pub fn asks(condition: usize) -> bool {
        OUT.load(Ordering::Relaxed) != condition
    }

    pub fn asks_needs(rule: &str) -> bool {
        NEEDS.get().is_none_or(|out| *out != rule)
    }
}
"#;

const RUNNER: &str = r#"[package]
name = "runner"
version = "0.1.0"
edition = "2024"
publish = false

[dependencies]
twinql-sql.workspace = true
twinql-suite.workspace = true
"#;

/// A condition of a rule.
#[derive(Debug)]
pub struct Mutant {
    /// The rule's name.
    pub rule: String,
    /// Its number, or what the rule needs of the semantics.
    pub condition: Option<usize>,
    /// Where it stands, and its text.
    pub place: String,
}

type Failed = Box<dyn std::error::Error>;

/// Makes the copy, and lists what can be taken out of it.
///
/// # Errors
/// A file that cannot be read, parsed or written; a place that is not as this tool knows it.
pub fn copy(root: &Path, to: &Path) -> Result<Vec<Mutant>, Failed> {
    let (mutants, mut changed) = instrumented_rules(&root.join(RULES))?;
    let library = "crates/twinql-sql/src/lib.rs";
    changed.insert(library.into(), std::fs::read_to_string(root.join(library))? + MUTANT);
    let driver = "crates/twinql-sql/src/normalize/mod.rs";
    let asked = "rule.needs.hold_under(weaker)";
    let asking = format!("(!crate::mutant::asks_needs(rule.name) || {asked})");
    changed.insert(driver.into(), replaced(&std::fs::read_to_string(root.join(driver))?, asked, &asking)?);
    for name in CRATES {
        copy_folder(root, to, &Path::new("crates").join(name), &changed)?;
    }
    let members = CRATES.map(|name| format!("\"crates/{name}\"")).join(", ");
    let own = format!("members = [{members}, \"runner\"]");
    let manifest = std::fs::read_to_string(root.join("Cargo.toml"))?;
    let manifest = replaced(&manifest, "members = [\"crates/*\", \"python\"]", &own)?;
    write(&to.join("Cargo.toml"), manifest.as_bytes())?;
    write(&to.join("Cargo.lock"), &std::fs::read(root.join("Cargo.lock"))?)?;
    write(&to.join("runner/Cargo.toml"), RUNNER.as_bytes())?;
    write(&to.join("runner/src/main.rs"), include_bytes!("../runner/main.rs"))?;
    Ok(mutants)
}

/// What can be taken out of the rules, and their files with a question before each condition, by path.
fn instrumented_rules(folder: &Path) -> Result<(Vec<Mutant>, BTreeMap<PathBuf, String>), Failed> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        files.push(entry?.file_name().into());
    }
    files.sort();
    let (mut found, mut texts) = (Vec::new(), BTreeMap::new());
    let mut first = 0;
    for file in files {
        let source = Source::read(folder, file)?;
        let conditions = source.conditions();
        for (rule, own) in source.rules() {
            let needs = Mutant { rule: rule.clone(), condition: None, place: "what it needs".into() };
            found.push(needs);
            found.extend(own.into_iter().map(|i| Mutant {
                rule: rule.clone(),
                condition: Some(first + i),
                place: place(&source, &conditions[i]),
            }));
        }
        texts.insert(Path::new(RULES).join(&source.path), instrumented(&source.text, &conditions, first));
        first += conditions.len();
    }
    Ok((found, texts))
}

fn place(source: &Source, c: &Condition) -> String {
    let text: Vec<&str> = source.text[c.place.clone()].split_whitespace().collect();
    let turned = if c.without == Without::False { "turned away: " } else { "" };
    format!("{}:{} {turned}{}", source.path.display(), c.line, text.join(" "))
}

/// Builds the copy's program.
///
/// # Errors
/// What the compiler says.
pub fn build(copy: &Path) -> Result<PathBuf, Failed> {
    let done = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--quiet", "--release", "--package", "runner"])
        .env("CARGO_TARGET_DIR", copy.join("target"))
        .env("RUSTFLAGS", "--cap-lints allow")
        .current_dir(copy)
        .status()?;
    if !done.success() {
        return Err("the copy does not compile: a condition is of a form that this tool does not know".into());
    }
    Ok(copy.join("target/release/runner"))
}

fn replaced(text: &str, old: &str, new: &str) -> Result<String, Failed> {
    if text.matches(old).count() != 1 {
        return Err(format!("`{old}` does not stand exactly once where it is looked for").into());
    }
    Ok(text.replace(old, new))
}

/// Writes a file where it is another one now, so that what did not change is not compiled again.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    Ok(std::fs::write(path, bytes)?)
}

/// Copies a folder below `root`, with other texts for some of its files.
fn copy_folder(
    root: &Path,
    to: &Path,
    folder: &Path,
    changed: &BTreeMap<PathBuf, String>,
) -> Result<(), Failed> {
    for entry in std::fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(root, to, &path, changed)?;
        } else {
            match changed.get(&path) {
                Some(text) => write(&to.join(&path), text.as_bytes())?,
                None => write(&to.join(&path), &std::fs::read(root.join(&path))?)?,
            }
        }
    }
    Ok(())
}

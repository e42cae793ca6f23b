//! Files before and after a change: of two places, or of a revision and the working tree.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::output::Console;

/// Two versions of a file.
pub(super) struct Versions {
    pub(super) file: String,
    pub(super) old: String,
    pub(super) new: String,
}

/// The files of two places: two files, or the files of the same path in two folders.
pub(super) fn two_places(paths: &[PathBuf]) -> Result<Vec<Versions>> {
    let [old, new] = paths else {
        bail!("give the old and the new file or folder, or --against with the files that changed");
    };
    let read =
        |path: &Path| fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    if old.is_dir() != new.is_dir() {
        bail!("{} and {} are not both files or both folders", old.display(), new.display());
    }
    if !old.is_dir() {
        return Ok(vec![Versions { file: new.display().to_string(), old: read(old)?, new: read(new)? }]);
    }
    let (before, after) = (sql_files(old)?, sql_files(new)?);
    let shared: Vec<&PathBuf> = before.intersection(&after).collect();
    if shared.is_empty() {
        bail!("{} and {} have no .sql file of the same path", old.display(), new.display());
    }
    shared
        .into_iter()
        .map(|path| {
            let file = new.join(path).display().to_string();
            Ok(Versions { file, old: read(&old.join(path))?, new: read(&new.join(path))? })
        })
        .collect()
}

/// The .sql files below a folder, by their paths in it.
fn sql_files(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let path = folder.join(&below);
        let entries = fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = below.join(entry.file_name());
            // A link is not followed: it may lead in a circle.
            match entry.file_type()? {
                kind if kind.is_dir() => open.push(name),
                kind if kind.is_file() && name.extension().is_some_and(|e| e == "sql") => {
                    found.insert(name);
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

/// Each file with what it was in a revision.
pub(super) fn against(revision: &str, paths: &[PathBuf], console: Console) -> Result<Vec<Versions>> {
    known(revision)?;
    let mut versions = Vec::new();
    for path in paths {
        let new = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let shown = path.display().to_string();
        // `./` makes git take the path from the current folder.
        let name = if path.is_absolute() { shown.clone() } else { format!("./{shown}") };
        match git(&["show", &format!("{revision}:{name}")])? {
            Some(old) => versions.push(Versions { file: shown, old, new }),
            None => console.say(format!("{shown}: not in {revision}, nothing to compare with")),
        }
    }
    Ok(versions)
}

/// Refuses what is no revision.
pub(super) fn known(revision: &str) -> Result<()> {
    // A revision is a word for git, and no option of it.
    if revision.is_empty() || revision.starts_with('-') {
        bail!("--against {revision}: give a revision of git, such as HEAD or main");
    }
    let known = git(&["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")])?;
    if known.is_none() {
        bail!("--against {revision}: git knows no such revision here");
    }
    Ok(())
}

/// The first line of `new` that `old` does not have there, from 1.
pub(super) fn first_change(old: &str, new: &str) -> usize {
    let same = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
    (same + 1).min(new.lines().count().max(1))
}

/// What git prints; none where it fails.
fn git(arguments: &[&str]) -> Result<Option<String>> {
    let output = Command::new("git").args(arguments).output().context("cannot run git")?;
    Ok(output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned()))
}

//! The files of a project, from a folder or from a revision of git.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::RefactorError;

/// Bytes of a file that are read: of larger ones, the seeds, the first lines say what they are.
const MAX_BYTES: u64 = 1 << 20;

/// Endings of the files that say something.
const ENDINGS: [&str; 4] = [".sql", ".yml", ".yaml", ".csv"];

/// Folders that dbt itself writes.
const WRITTEN: [&str; 4] = ["target", "dbt_packages", "dbt_modules", "logs"];

/// Texts by their paths below the project's folder, with `/` between folders.
pub type Tree = BTreeMap<String, String>;

fn is_read(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| lower.ends_with(ending))
        && !path.split('/').any(|part| part.starts_with('.') || WRITTEN.contains(&part))
}

/// The files of a folder as they are. Links are not followed.
///
/// # Errors
/// The folder or one of its files cannot be read.
pub fn of_folder(folder: &Path) -> Result<Tree, RefactorError> {
    let failed = |path: &Path, error: std::io::Error| {
        RefactorError::File(path.display().to_string(), error.to_string())
    };
    let mut tree = Tree::new();
    let mut open = vec![(folder.to_owned(), String::new())];
    while let Some((path, below)) = open.pop() {
        for entry in fs::read_dir(&path).map_err(|error| failed(&path, error))? {
            let entry = entry.map_err(|error| failed(&path, error))?;
            let name = format!("{below}{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type().map_err(|error| failed(&path, error))?;
            // A folder is read if a file in it would be.
            if kind.is_dir() && is_read(&format!("{name}/x.sql")) {
                open.push((entry.path(), format!("{name}/")));
            } else if kind.is_file() && is_read(&name) {
                let mut bytes = Vec::new();
                let file = fs::File::open(entry.path()).map_err(|error| failed(&entry.path(), error))?;
                file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|error| failed(&entry.path(), error))?;
                tree.insert(name, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
    Ok(tree)
}

/// The files of a folder as they were in a revision: two runs of git, however many files there are.
///
/// # Errors
/// git fails, or does not know the folder.
pub fn of_revision(folder: &Path, revision: &str) -> Result<Tree, RefactorError> {
    let git = |error: std::io::Error| RefactorError::File("git".to_owned(), error.to_string());
    let lost = || RefactorError::Revision(revision.to_owned(), folder.display().to_string());
    let listed = Command::new("git")
        .args(["ls-tree", "-r", "-z", "--full-tree", &format!("{revision}:{}", prefix(folder).map_err(git)?)])
        .current_dir(folder)
        .output()
        .map_err(git)?;
    if !listed.status.success() {
        return Err(lost());
    }
    // `100644 blob HASH\tPATH`
    let text = String::from_utf8_lossy(&listed.stdout);
    let files: Vec<(&str, &str)> = text
        .split('\0')
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(head, path)| Some((head.strip_prefix("100")?.rsplit(' ').next()?, path)))
        .filter(|(_, path)| is_read(path))
        .collect();
    let mut child = Command::new("git")
        .args(["cat-file", "--batch"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(git)?;
    let (Some(mut asks), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(lost());
    };
    let hashes: String = files.iter().map(|(hash, _)| format!("{hash}\n")).collect();
    // git answers while it is asked.
    let asking = std::thread::spawn(move || asks.write_all(hashes.as_bytes()));
    let mut answers = BufReader::new(answers);
    let mut tree = Tree::new();
    for (_, path) in &files {
        let mut head = String::new();
        answers.read_line(&mut head).map_err(git)?;
        let size: u64 = head.trim_end().rsplit(' ').next().and_then(|n| n.parse().ok()).ok_or_else(lost)?;
        let mut bytes = Vec::new();
        (&mut answers).take(size + 1).read_to_end(&mut bytes).map_err(git)?;
        bytes.truncate(size.min(MAX_BYTES) as usize);
        tree.insert((*path).to_owned(), String::from_utf8_lossy(&bytes).into_owned());
    }
    let _ = asking.join();
    let _ = child.wait();
    Ok(tree)
}

/// The path of a folder below the root of its repository.
fn prefix(folder: &Path) -> std::io::Result<String> {
    let output = Command::new("git").args(["rev-parse", "--show-prefix"]).current_dir(folder).output()?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end());
    Ok(path.to_string_lossy().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read() {
        for (path, read) in [
            ("models/a.sql", true),
            ("models/deep/schema.YML", true),
            ("seeds/kinds.csv", true),
            ("target/compiled/a.sql", false),
            (".git/x.sql", false),
            ("README.md", false),
        ] {
            assert_eq!(is_read(path), read, "{path}");
        }
    }
}

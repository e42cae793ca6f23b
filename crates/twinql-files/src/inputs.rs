//! What a command reads, which no output of it may be.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::{Destination, FileError};

/// Files that a command reads, and outputs that have their names already. A file is known by
/// what it is, not by its name: links and hard links to it are the same file.
#[derive(Debug, Default)]
pub struct Inputs {
    read: HashMap<Identity, String>,
    written: Vec<PathBuf>,
}

/// How deep a folder of inputs is looked through: Spider's `database/DB/DB.sqlite` and one more.
const DEPTH: usize = 3;

impl Inputs {
    /// Adds a file that is read, or all files of a folder. `role` is how the user named it.
    /// What is not there is no input.
    pub fn add(&mut self, role: &str, path: &Path) {
        self.add_to(role, path, DEPTH);
    }

    /// As [`Inputs::add`], for the paths that are there.
    pub fn with<'p>(mut self, named: impl IntoIterator<Item = (&'p str, Option<&'p Path>)>) -> Inputs {
        for (role, path) in named {
            if let Some(path) = path {
                self.add(role, path);
            }
        }
        self
    }

    fn add_to(&mut self, role: &str, path: &Path, depth: usize) {
        if path.is_dir() {
            let Some(depth) = depth.checked_sub(1) else { return };
            for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
                self.add_to(role, &entry.path(), depth);
            }
        } else if let Some(identity) = identity(path) {
            self.read.entry(identity).or_insert_with(|| role.to_owned());
        }
    }

    /// Where an output leads, if it may be written.
    ///
    /// # Errors
    /// It is an input, or an output that has been named before; those of [`Destination::of`].
    pub fn output(&mut self, path: &Path) -> Result<Destination, FileError> {
        let destination = self.check(path)?;
        if let Destination::Plain(plain) = &destination {
            let whole = named(plain);
            if self.written.contains(&whole) {
                return Err(FileError::Twice { path: path.to_owned() });
            }
            self.written.push(whole);
        }
        Ok(destination)
    }

    /// As [`Inputs::output`], for one of many files, whose names may come again.
    ///
    /// # Errors
    /// It is an input; those of [`Destination::of`].
    pub fn check(&self, path: &Path) -> Result<Destination, FileError> {
        let destination = Destination::of(path)?;
        if let Destination::Plain(plain) = &destination
            && let Some(role) = identity(plain).and_then(|i| self.read.get(&i))
        {
            return Err(FileError::Input { path: path.to_owned(), role: role.clone() });
        }
        Ok(destination)
    }
}

/// The path with its folder resolved, which a file that is not there yet has too.
fn named(path: &Path) -> PathBuf {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    path.file_name().map_or(folder.clone(), |name| folder.join(name))
}

/// Tells files apart, whatever their names.
#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = std::fs::metadata(path).ok()?;
    // A terminal or a pipe may well be both read and written.
    metadata.is_file().then(|| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    path.is_file().then(|| path.canonicalize().ok())?
}

//! One writer for every file that the program makes.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::NamedTempFile;

use crate::{Destination, FileError};

/// Temporary files of this process, for whoever ends it from outside the usual way.
static TEMPORARIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the temporary files of all writers that are at work, and temporary folders: for an
/// interrupt, after which nothing is dropped.
pub fn remove_temporaries() {
    for path in TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // It may have got its name just now.
        let _ = match path.is_dir() {
            true => std::fs::remove_dir_all(path),
            false => std::fs::remove_file(path),
        };
    }
}

fn listed(change: impl FnOnce(&mut Vec<PathBuf>)) {
    change(&mut TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner));
}

/// A file that is being written. A plain file takes its name in [`Whole::finish`], and is not
/// there before; what is no plain file is written to at once.
#[derive(Debug)]
pub struct Whole {
    target: Target,
    /// As the user wrote it.
    shown: PathBuf,
}

#[derive(Debug)]
enum Target {
    Stdout(io::Stdout),
    Special(File),
    Plain(Temporary),
}

/// A file beside the one that it will be.
#[derive(Debug)]
struct Temporary {
    file: NamedTempFile,
    path: PathBuf,
    _listed: Listed,
}

/// Stands in the list of temporary files as long as it lives.
#[derive(Debug)]
pub(crate) struct Listed(PathBuf);

impl Listed {
    /// Enters a file or folder.
    pub(crate) fn new(path: &Path) -> Listed {
        listed(|all| all.push(path.to_owned()));
        Listed(path.to_owned())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        listed(|all| all.retain(|t| *t != self.0));
    }
}

impl Whole {
    /// Begins a file; makes its folder. Links are followed.
    ///
    /// # Errors
    /// Those of [`Destination::of`], and what the system says.
    pub fn create(path: &Path) -> Result<Whole, FileError> {
        let target = match Destination::of(path)? {
            Destination::Stdout => Target::Stdout(io::stdout()),
            Destination::Special(at) => {
                let opened = OpenOptions::new().write(true).open(&at);
                Target::Special(opened.map_err(FileError::io("write", path))?)
            }
            Destination::Descriptor(at) => {
                let opened = OpenOptions::new().append(true).open(&at);
                Target::Special(opened.map_err(FileError::io("write", path))?)
            }
            Destination::Plain(at) => Target::Plain(Temporary::beside(&at)?),
        };
        Ok(Whole { target, shown: path.to_owned() })
    }

    /// What the system said when this file was written to, with its name.
    pub fn failed(&self, source: io::Error) -> FileError {
        FileError::io("write", &self.shown)(source)
    }

    /// Waits until everything is on disk.
    ///
    /// # Errors
    /// What the system says.
    pub fn sync(&self) -> Result<(), FileError> {
        match &self.target {
            Target::Plain(temporary) => temporary.file.as_file().sync_all().map_err(|e| self.failed(e)),
            _ => Ok(()),
        }
    }

    /// Gives a plain file its name, in the place of what had it.
    ///
    /// # Errors
    /// What the system says; the old file, if any, then stays as it was.
    pub fn finish(mut self) -> Result<(), FileError> {
        self.flush().map_err(|e| self.failed(e))?;
        let Target::Plain(Temporary { file, path, _listed }) = self.target else {
            return Ok(());
        };
        share(file.as_file(), &path);
        file.persist(&path).map_err(|e| FileError::io("write", &self.shown)(e.error))?;
        Ok(())
    }
}

impl Write for Whole {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            Target::Stdout(out) => out.write(bytes),
            Target::Special(file) => file.write(bytes),
            Target::Plain(temporary) => temporary.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Stdout(out) => out.flush(),
            Target::Special(file) => file.flush(),
            Target::Plain(temporary) => temporary.file.flush(),
        }
    }
}

impl Temporary {
    fn beside(path: &Path) -> Result<Temporary, FileError> {
        let folder = folder_of(path);
        std::fs::create_dir_all(folder).map_err(FileError::io("create the folder", folder))?;
        // A name that says what it is, should the process be killed.
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".");
        let file = tempfile::Builder::new()
            .prefix(&name)
            .suffix(".partial")
            .tempfile_in(folder)
            .map_err(FileError::io("write into the folder", folder))?;
        let listed = Listed::new(file.path());
        Ok(Temporary { file, path: path.to_owned(), _listed: listed })
    }
}

/// The folder of a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Temporary files are private; results get the permissions of what they replace, or those
/// that files usually have.
#[cfg(unix)]
fn share(file: &File, path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let usual = || std::fs::Permissions::from_mode(0o644);
    let mode = std::fs::metadata(path).map_or_else(|_| usual(), |m| m.permissions());
    // A file system without permissions is no reason to lose the results.
    let _ = file.set_permissions(mode);
}

#[cfg(not(unix))]
fn share(_: &File, _: &Path) {}

/// Writes a file whole or not at all, and waits until it is on disk.
///
/// # Errors
/// Those of [`Whole`], and of `write`; the old file, if any, then stays as it was.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    let mut whole = Whole::create(path)?;
    let mut out = io::BufWriter::new(&mut whole);
    let written = write(&mut out).and_then(|()| out.flush());
    // What is left in the buffer after an error is not written.
    drop(out.into_parts());
    written.map_err(|e| whole.failed(e))?;
    whole.sync()?;
    whole.finish()
}

//! One process at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::FileError;

/// A file that this process alone holds until the value is dropped, or the process ends in
/// whatever way.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Holds the folder `folder`, by a file `.lock` in it; makes the folder. `instead` is what
    /// the user may name instead.
    ///
    /// # Errors
    /// [`FileError::Busy`] where another process holds it; what the system says.
    pub fn folder(folder: &Path, instead: &'static str) -> Result<Lock, FileError> {
        std::fs::create_dir_all(folder).map_err(FileError::io("create the folder", folder))?;
        let path = folder.join(".lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(FileError::io("write", &path))?;
        hold(&file, folder, instead)?;
        Ok(Lock { _file: file })
    }
}

/// Locks an open file, or says that `path` is in use.
pub(crate) fn hold(file: &File, path: &Path, instead: &'static str) -> Result<(), FileError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(FileError::Busy { path: path.to_owned(), instead }),
        // A file system without locks is no reason not to work.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

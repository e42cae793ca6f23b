//! A folder for what is needed only while the process works.

use std::path::Path;

use tempfile::TempDir;

use crate::FileError;
use crate::whole::Listed;

/// A temporary folder that its user alone may read. It goes with all that is in it when it is dropped, and at an
/// interrupt ([`remove_temporaries`](crate::remove_temporaries)).
#[derive(Debug)]
pub struct Scratch {
    dir: TempDir,
    _listed: Listed,
}

impl Scratch {
    /// Makes a folder where the system keeps temporary files.
    ///
    /// # Errors
    /// What the system says.
    pub fn folder() -> Result<Scratch, FileError> {
        let parent = std::env::temp_dir();
        let mut builder = tempfile::Builder::new();
        builder.prefix("twinql-");
        // The usual permissions let everybody in.
        #[cfg(unix)]
        let builder = builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let dir = builder.tempdir_in(&parent).map_err(FileError::io("create a folder in", &parent))?;
        let listed = Listed::new(dir.path());
        Ok(Scratch { dir, _listed: listed })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_goes_with_its_value() {
        let scratch = Scratch::folder().unwrap();
        let at = scratch.path().to_owned();
        std::fs::write(at.join("copy.sqlite"), "rows").unwrap();
        drop(scratch);
        assert!(!at.exists());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let scratch = Scratch::folder().unwrap();
        assert_eq!(scratch.path().metadata().unwrap().permissions().mode() & 0o077, 0);
    }
}

//! A page of the documentation that is written, and where.

use std::path::{Path, PathBuf};

/// A page, by its path from the repository's folder.
#[derive(Debug, Clone)]
pub struct Page {
    pub path: String,
    pub text: String,
}

/// The repository's folder.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Page {
    /// Writes it, where it is not as it has to be.
    pub(crate) fn write(&self) -> std::io::Result<()> {
        let path = root().join(&self.path);
        if std::fs::read_to_string(&path).is_ok_and(|found| found == self.text) {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        println!("{}", self.path);
        std::fs::write(path, &self.text)
    }
}

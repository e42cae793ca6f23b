//! What a path is, before anything is written to it.

use std::fs::{FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::FileError;

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A regular file, or nothing yet, behind all links: replaced whole.
    Plain(PathBuf),
    /// A pipe or a character device: never replaced, written to as it is.
    Special(PathBuf),
    /// An open file of this process other than standard output (`/dev/fd/3`): appended to.
    Descriptor(PathBuf),
    /// Standard output, by one of its names.
    Stdout,
}

/// Links that may lead to each other.
const MOST_LINKS: usize = 40;

impl Destination {
    /// Follows links. Nothing is opened.
    ///
    /// # Errors
    /// A folder, a block device, a socket, links that lead nowhere in the end, or what the system says.
    pub fn of(path: &Path) -> Result<Destination, FileError> {
        let unwritable = |what| FileError::Unwritable { path: path.to_owned(), what };
        let mut at = path.to_owned();
        for _ in 0..MOST_LINKS {
            match descriptor(&at) {
                Some(1) => return Ok(Destination::Stdout),
                Some(_) => return Ok(Destination::Descriptor(at)),
                None => {}
            }
            let kind = match std::fs::symlink_metadata(&at).as_ref().map(Metadata::file_type) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Destination::Plain(at)),
                // `file/name`: the folder cannot be made, and that is said then.
                Err(e) if e.kind() == io::ErrorKind::NotADirectory => return Ok(Destination::Plain(at)),
                Err(e) => {
                    return Err(FileError::io("write", path)(io::Error::new(e.kind(), e.to_string())));
                }
                Ok(kind) => kind,
            };
            if !kind.is_symlink() {
                return match what(kind) {
                    Target::Plain => Ok(Destination::Plain(at)),
                    Target::Special => Ok(Destination::Special(at)),
                    Target::Unwritable(what) => Err(unwritable(what)),
                };
            }
            let target = std::fs::read_link(&at).map_err(FileError::io("write", path))?;
            at = match at.parent() {
                Some(folder) => folder.join(target),
                None => target,
            };
        }
        Err(unwritable("link that leads in a circle"))
    }

    /// The file that is replaced whole, if it is one.
    pub fn plain(&self) -> Option<&Path> {
        match self {
            Destination::Plain(path) => Some(path),
            _ => None,
        }
    }
}

enum Target {
    Plain,
    Special,
    Unwritable(&'static str),
}

#[cfg(unix)]
fn what(kind: FileType) -> Target {
    use std::os::unix::fs::FileTypeExt as _;
    if kind.is_dir() {
        Target::Unwritable("folder")
    } else if kind.is_block_device() {
        Target::Unwritable("block device")
    } else if kind.is_socket() {
        Target::Unwritable("socket")
    } else if kind.is_fifo() || kind.is_char_device() {
        Target::Special
    } else {
        Target::Plain
    }
}

#[cfg(not(unix))]
fn what(kind: FileType) -> Target {
    match kind.is_dir() {
        true => Target::Unwritable("folder"),
        false => Target::Plain,
    }
}

/// The number of an open file of this process, where the path is a name of one.
#[cfg(unix)]
fn descriptor(path: &Path) -> Option<u32> {
    let folder = path.parent()?;
    let own = format!("/proc/{}/fd", std::process::id());
    let named = ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd", &own];
    if path == Path::new("/dev/stdout") {
        return Some(1);
    }
    named.iter().any(|n| folder == Path::new(n)).then(|| path.file_name()?.to_str()?.parse().ok())?
}

#[cfg(not(unix))]
fn descriptor(_: &Path) -> Option<u32> {
    None
}

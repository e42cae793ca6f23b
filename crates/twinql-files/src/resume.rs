//! Finished work of a build that is not done: a file beside what is built, with a line for
//! each finished piece, from which the build goes on after it was interrupted. Each line but the
//! first begins with a checksum of the rest.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::lock::hold;
use crate::whole::folder_of;
use crate::{Destination, FileError, hex, sha256};

/// `OUT.partial`, where the finished work of a build of `out` lies.
pub fn partial_of(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    out.with_file_name(name)
}

/// Bytes of a line's SHA-256 that stand before it, as two digits each.
const CHECKED: usize = 8;

/// What stands before a line.
fn checksum(line: &[u8]) -> String {
    let mut out = hex(sha256(line));
    out.truncate(2 * CHECKED);
    out.push(' ');
    out
}

/// A line without its checksum, if that is right.
fn checked(line: &[u8]) -> Option<&[u8]> {
    let (found, text) = line.split_at_checked(2 * CHECKED + 1)?;
    (found == checksum(text).as_bytes()).then_some(text)
}

/// Opens a file of unfinished work to read it and to append to it, for this process alone.
///
/// # Errors
/// It is no plain file, another process has it, or what the system says.
pub fn open_alone(path: &Path) -> Result<File, FileError> {
    if Destination::of(path)?.plain() != Some(path) {
        return Err(FileError::Unwritable { path: path.to_owned(), what: "link or device" });
    }
    let folder = folder_of(path);
    std::fs::create_dir_all(folder).map_err(FileError::io("create the folder", folder))?;
    let file = OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .open(path)
        .map_err(FileError::io("write", path))?;
    hold(&file, path, "output")?;
    Ok(file)
}

/// The open file of finished work, held by this process alone. Its first line is a fingerprint of
/// all that the work depends on.
#[derive(Debug)]
pub struct Finished {
    path: PathBuf,
    file: File,
}

impl Finished {
    /// Begins the file, or with `resume` continues it. Work under another fingerprint is
    /// thrown away. Pieces come from `read`, given a line without its end; reading stops at
    /// the first that it does not take, or that was cut off or damaged, and what follows is dropped.
    ///
    /// # Errors
    /// The file or its folder cannot be written, or another process builds the same.
    pub fn open<T>(
        path: &Path,
        fingerprint: &str,
        resume: bool,
        read: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<(Finished, Vec<T>), FileError> {
        let fail = |e| FileError::io("write", path)(e);
        let mut file = open_alone(path)?;
        let mut old = Vec::new();
        if resume {
            file.read_to_end(&mut old).map_err(fail)?;
        }
        let mut done = Vec::new();
        let mut keep = 0;
        let mut lines = old.split_inclusive(|b| *b == b'\n');
        if let Some(first) = lines.next()
            && first.strip_suffix(b"\n") == Some(fingerprint.as_bytes())
        {
            keep = first.len();
            for line in lines {
                let Some(one) = line.strip_suffix(b"\n").and_then(checked).and_then(&read) else {
                    break;
                };
                done.push(one);
                keep += line.len();
            }
        }
        file.set_len(keep as u64).map_err(fail)?;
        if keep == 0 {
            file.write_all(format!("{fingerprint}\n").as_bytes()).map_err(fail)?;
        }
        let finished = Finished { path: path.to_owned(), file };
        Ok((finished, done))
    }

    /// What the system said when this file was written to, with its name.
    pub fn failed(&self, source: io::Error) -> FileError {
        FileError::io("write", &self.path)(source)
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds pieces, given as lines without their ends.
    ///
    /// # Errors
    /// What the system says.
    pub fn append(&mut self, lines: &[String]) -> io::Result<()> {
        // One call, so that what is cut off is a last line and nothing else.
        let text: String =
            lines.iter().map(|line| format!("{}{line}\n", checksum(line.as_bytes()))).collect();
        self.file.write_all(text.as_bytes())?;
        self.file.flush()
    }

    /// Removes the file: what was built holds the finished work.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove(self) -> io::Result<()> {
        drop(self.file);
        std::fs::remove_file(self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_whole_is_kept() {
        let folder = std::env::temp_dir().join(format!("twinql-resume-{}", std::process::id()));
        let path = partial_of(&folder.join("deep/out.gz"));
        assert!(path.ends_with("deep/out.gz.partial"));
        let open = |print: &str, resume: bool| {
            let read = |line: &[u8]| std::str::from_utf8(line).ok()?.parse::<u32>().ok();
            Finished::open(&path, print, resume, read).unwrap()
        };
        let lines = ["1", "22"].map(str::to_owned);
        open("a", false).0.append(&lines).unwrap();
        let written = std::fs::read_to_string(&path).unwrap();
        let numbers = |text: &str| text.lines().skip(1).map(|l| l[17..].to_owned()).collect::<Vec<_>>();
        assert_eq!(numbers(&written), ["1", "22"]);
        // Cut off within a line; another line follows that nobody can read, or that has no checksum.
        let odd = format!("{}x\n{}4\n", checksum(b"x"), checksum(b"4"));
        for more in ["3", &odd, "5\n", ""] {
            std::fs::write(&path, written.clone() + more).unwrap();
            assert_eq!(open("a", true).1, [1, 22], "{more:?}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), written);
        }
        // No piece is taken from a damaged line, whichever bit is wrong.
        for bit in 0..written.len() * 8 {
            let mut bad = written.clone().into_bytes();
            bad[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, bad).unwrap();
            let done = open("a", true).1;
            assert!([1, 22].starts_with(&done), "bit {bit}: {done:?}");
        }
        std::fs::write(&path, &written).unwrap();
        for (print, resume) in [("b", true), ("b", false)] {
            let (mut finished, done) = open(print, resume);
            assert!(done.is_empty());
            finished.append(&lines).unwrap();
        }
        open("b", true).0.remove().unwrap();
        assert!(!path.exists());
        let _ = std::fs::remove_dir_all(folder);
    }
}

//! Lines no longer than they may be.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::FileError;

/// Bytes of a line that are kept. No query comes near it.
pub const LONGEST_LINE: usize = 16 << 20;
/// Bytes of a line that are read at all: what is longer is no file of lines, and may never end.
const ENDLESS_LINE: u64 = 256 << 20;

/// True if a file is gzip by its name.
pub fn is_gzip(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"))
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its number, from 1.
    pub number: usize,
    /// Its text without its end, `\n` or `\r\n`, and without a byte-order mark; or how many bytes
    /// it has, where they are more than [`LONGEST_LINE`].
    pub bytes: Result<Vec<u8>, u64>,
}

impl Line {
    /// True if there is nothing in it but spaces.
    pub fn is_blank(&self) -> bool {
        matches!(&self.bytes, Ok(bytes) if bytes.iter().all(u8::is_ascii_whitespace))
    }

    /// The text, or what is wrong with it.
    ///
    /// # Errors
    /// It is none.
    pub fn text(&self) -> Result<&str, NoText> {
        match &self.bytes {
            Ok(bytes) => std::str::from_utf8(bytes).map_err(|e| NoText::Bytes { at: e.valid_up_to() }),
            Err(bytes) => Err(NoText::TooLong { bytes: *bytes }),
        }
    }
}

/// Why a line is no text; the message is the end of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoText {
    /// It is not UTF-8.
    #[error("not UTF-8 at byte {at}")]
    Bytes {
        /// The first byte that is no text.
        at: usize,
    },
    /// It is longer than [`LONGEST_LINE`].
    #[error("{bytes} bytes are more than the {LONGEST_LINE} of the longest line")]
    TooLong {
        /// Its length.
        bytes: u64,
    },
}

impl From<NoText> for String {
    fn from(why: NoText) -> String {
        why.to_string()
    }
}

/// The lines of a file, one at a time, decompressed if its name ends in `.gz`.
pub struct Lines {
    reader: Box<dyn BufRead + Send>,
    path: PathBuf,
    number: usize,
    ended: bool,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").field("path", &self.path).finish_non_exhaustive()
    }
}

/// How much is read at a time.
const PIECE: usize = 256 << 10;

impl Lines {
    /// Opens a file.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path) -> Result<Lines, FileError> {
        let file = File::open(path).map_err(FileError::io("read", path))?;
        // Opening a folder is fine on some systems, reading it nowhere.
        if path.is_dir() {
            return Err(FileError::io("read", path)(io::ErrorKind::IsADirectory.into()));
        }
        Ok(Lines::of(file, path))
    }

    /// The lines of what is open already; `path` names it.
    pub fn of(file: impl Read + Send + 'static, path: &Path) -> Lines {
        let reader: Box<dyn BufRead + Send> = match is_gzip(path) {
            true => Box::new(BufReader::with_capacity(PIECE, MultiGzDecoder::new(file))),
            false => Box::new(BufReader::with_capacity(PIECE, file)),
        };
        Lines::from_reader(reader, path)
    }

    /// As [`Lines::of`], of what is no longer compressed.
    pub fn plain(file: impl Read + Send + 'static, path: &Path) -> Lines {
        Lines::from_reader(Box::new(BufReader::with_capacity(PIECE, file)), path)
    }

    fn from_reader(reader: Box<dyn BufRead + Send>, path: &Path) -> Lines {
        Lines { reader, path: path.to_owned(), number: 0, ended: false }
    }

    /// Those in which there is more than spaces; they keep their numbers.
    pub fn filled(self) -> impl Iterator<Item = Result<Line, FileError>> {
        self.filter(|line| !line.as_ref().is_ok_and(Line::is_blank))
    }

    /// Reads one line, of which no more than the longest allowed is kept. A longer one is given as its length, for one
    /// bad line is no reason to lose the file; only where no line end comes at all is the file given up.
    fn read(&mut self) -> Result<Option<Line>, FileError> {
        let (mut bytes, mut length) = (Vec::new(), 0u64);
        self.number += 1;
        let mut some = false;
        loop {
            let piece = match self.reader.fill_buf() {
                Ok(piece) => piece,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(read_error(&self.path, e)),
            };
            if piece.is_empty() {
                if !some {
                    return Ok(None);
                }
                break;
            }
            some = true;
            let end = piece.iter().position(|b| *b == b'\n');
            let part = piece.get(..end.unwrap_or(piece.len())).unwrap_or_default();
            length += part.len() as u64;
            if length <= LONGEST_LINE as u64 {
                bytes.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
            if length > ENDLESS_LINE {
                return Err(FileError::EndlessLine {
                    path: self.path.clone(),
                    line: self.number,
                    mib: ENDLESS_LINE >> 20,
                });
            }
        }
        if length > LONGEST_LINE as u64 {
            return Ok(Some(Line { number: self.number, bytes: Err(length) }));
        }
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        if self.number == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        Ok(Some(Line { number: self.number, bytes: Ok(bytes) }))
    }
}

impl Iterator for Lines {
    type Item = Result<Line, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let line = self.read().transpose();
        self.ended = !matches!(line, Some(Ok(_)));
        line
    }
}

fn read_error(path: &Path, source: io::Error) -> FileError {
    match source.raw_os_error() {
        // The system has no objection: the content is at fault.
        None if is_gzip(path) => FileError::Gzip { path: path.to_owned(), cause: source },
        _ => FileError::io("read", path)(source),
    }
}

/// All bytes of a file that is read whole, decompressed if its name ends in `.gz`, at most
/// `mib` MiB of them. `what` is what it should hold.
///
/// # Errors
/// There is more; what the system says.
pub fn read_bounded(path: &Path, mib: u64, what: &'static str) -> Result<Vec<u8>, FileError> {
    let file = File::open(path).map_err(FileError::io("read", path))?;
    let most = mib << 20;
    let mut bytes = Vec::new();
    let read = match is_gzip(path) {
        true => MultiGzDecoder::new(file).take(most + 1).read_to_end(&mut bytes),
        false => file.take(most + 1).read_to_end(&mut bytes),
    };
    read.map_err(|e| read_error(path, e))?;
    if bytes.len() as u64 > most {
        return Err(FileError::TooLarge { path: path.to_owned(), mib, what });
    }
    Ok(bytes)
}

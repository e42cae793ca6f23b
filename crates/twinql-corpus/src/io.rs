//! Bytes in and out: gzip by extension, files written whole or not at all.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use twinql_files::{Whole, is_gzip, read_bounded};

use crate::CorpusError;

pub(crate) fn io_error(path: &Path, e: &std::io::Error) -> CorpusError {
    CorpusError::Io { file: path.display().to_string(), message: e.to_string() }
}

/// MiB of a file that is read whole.
const LARGEST: u64 = 1 << 10;

/// The bytes of a file, decompressed if its name ends in `.gz`, without a UTF-8 BOM.
///
/// # Errors
/// The file cannot be read, is not gzip although its name says so, or has no end.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, CorpusError> {
    let mut bytes = read_bounded(path, LARGEST, "file of queries")?;
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    Ok(bytes)
}

/// Lines without their ends, `\n` or `\r\n`; a last line end adds no empty line.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let empty = bytes.is_empty();
    bytes.split(|&b| b == b'\n').map(|l| l.strip_suffix(b"\r").unwrap_or(l)).skip(usize::from(empty))
}

/// Writes a file whole or not at all: into a temporary file beside it, which replaces it
/// only once everything is on disk. Compressed if the name ends in `.gz`. A link is followed; a
/// pipe or a device is written to as it is.
///
/// # Errors
/// Whatever the operating system refuses; the old file, if any, then stays as it was.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), CorpusError> {
    twinql_files::write_whole(path, |out| {
        if !is_gzip(path) {
            return write(out);
        }
        // No name and no time in the header: equal content gives equal bytes.
        let mut gzip = GzEncoder::new(out, Compression::default());
        write(&mut gzip)?;
        gzip.finish().map(|_| ())
    })?;
    Ok(())
}

/// Writes several files whole, all or none: each into a temporary file beside it, and only when all of them are
/// on disk do they get their names. Compressed where a name ends in `.gz`.
///
/// # Errors
/// Whatever the operating system refuses; the old files, if any, then stay as they were.
pub fn write_several(files: &[(&Path, Vec<u8>)]) -> Result<(), CorpusError> {
    let mut ready = Vec::with_capacity(files.len());
    for (path, bytes) in files {
        let mut file = Whole::create(path)?;
        let written = match is_gzip(path) {
            true => {
                let mut gzip = GzEncoder::new(&mut file, Compression::default());
                gzip.write_all(bytes).and_then(|()| gzip.finish().map(|_| ()))
            }
            false => file.write_all(bytes),
        };
        written.map_err(|e| file.failed(e))?;
        file.sync()?;
        ready.push(file);
    }
    ready.into_iter().try_for_each(|file| Ok(file.finish()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends() {
        for (text, expect) in [
            ("", vec![]),
            ("\n", vec![]),
            ("a", vec!["a"]),
            ("a\r\nb\n", vec!["a", "b"]),
            ("a\n\nb", vec!["a", "", "b"]),
        ] {
            let got: Vec<&[u8]> = lines(text.as_bytes()).collect();
            let expect: Vec<&[u8]> = expect.iter().map(|s: &&str| s.as_bytes()).collect();
            assert_eq!(got, expect, "{text:?}");
        }
    }

    #[test]
    fn whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["x.txt", "x.txt.gz", "new/x.gz"] {
            let path = dir.path().join(name);
            write_whole(&path, |w| w.write_all(b"\xef\xbb\xbfold")).unwrap();
            let failed = write_whole(&path, |w| {
                w.write_all(b"half")?;
                Err(std::io::Error::other("stopped"))
            });
            assert!(failed.unwrap_err().to_string().contains("stopped"));
            assert_eq!(read_bytes(&path).unwrap(), b"old");
        }
        let missing = read_bytes(&dir.path().join("none")).unwrap_err().to_string();
        assert!(missing.contains("cannot read") && missing.contains("none"));
    }
}

//! Bytes in and out: gzip by extension, files written whole or not at all.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use crate::CorpusError;

pub(crate) fn io_error(path: &Path, e: &std::io::Error) -> CorpusError {
    CorpusError::Io {
        file: path.display().to_string(),
        message: e.to_string(),
    }
}

fn is_gzip(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"))
}

/// The bytes of a file, decompressed if its name ends in `.gz`, without a UTF-8 BOM.
///
/// # Errors
/// The file cannot be read, or is not gzip although its name says so.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, CorpusError> {
    let mut file = File::open(path).map_err(|e| io_error(path, &e))?;
    let mut bytes = Vec::new();
    let read = if is_gzip(path) {
        MultiGzDecoder::new(file).read_to_end(&mut bytes)
    } else {
        file.read_to_end(&mut bytes)
    };
    read.map_err(|e| match e.raw_os_error() {
        // The system has no objection: the content is at fault.
        None if is_gzip(path) => CorpusError::File {
            file: path.display().to_string(),
            message: format!("not a whole gzip file ({e}); fetch or write it again"),
        },
        _ => io_error(path, &e),
    })?;
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    Ok(bytes)
}

/// Lines without their ends, `\n` or `\r\n`; a last line end adds no empty line.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let empty = bytes.is_empty();
    bytes
        .split(|&b| b == b'\n')
        .map(|l| l.strip_suffix(b"\r").unwrap_or(l))
        .skip(usize::from(empty))
}

/// Writes a file whole or not at all: into a temporary file beside it, which replaces it
/// only once everything is on disk. Compressed if the name ends in `.gz`.
///
/// # Errors
/// Whatever the operating system refuses; the old file, if any, then stays as it was.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), CorpusError> {
    let fail = |e: std::io::Error| io_error(path, &e);
    let folder = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder).map_err(fail)?;
    let temporary = tempfile::NamedTempFile::new_in(folder).map_err(fail)?;
    {
        let mut out = BufWriter::new(temporary.as_file());
        if is_gzip(path) {
            // No name and no time in the header: equal content gives equal bytes.
            let mut gzip = GzEncoder::new(&mut out, Compression::default());
            write(&mut gzip).map_err(fail)?;
            gzip.finish().map_err(fail)?;
        } else {
            write(&mut out).map_err(fail)?;
        }
        out.flush().map_err(fail)?;
    }
    temporary.as_file().sync_all().map_err(fail)?;
    temporary.persist(path).map_err(|e| fail(e.error))?;
    readable(path).map_err(fail)
}

/// Temporary files are private to their owner; what is left for others should not be.
#[cfg(unix)]
fn readable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
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
        assert!(missing.contains("none") && missing.contains("check the path"));
    }
}

//! Reading within bounds and writing whole, without the program around it.

#![allow(clippy::unwrap_used)]

use std::io::{Cursor, Read, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use twinql_files::{
    Destination, FileError, Inputs, LONGEST_LINE, Lines, Lock, Whole, read_bounded, write_whole,
};

fn lines(bytes: &[u8]) -> Vec<Result<Vec<u8>, u64>> {
    Lines::of(Cursor::new(bytes.to_vec()), Path::new("x")).map(|line| line.unwrap().bytes).collect()
}

#[test]
fn line_ends() {
    for (text, expect) in [
        ("", vec![]),
        ("\n", vec![""]),
        ("a", vec!["a"]),
        ("\u{feff}a\r\nb\n", vec!["a", "b"]),
        ("a\n\nb\r", vec!["a", "", "b"]),
    ] {
        let expect: Vec<_> = expect.iter().map(|s: &&str| Ok(s.as_bytes().to_vec())).collect();
        assert_eq!(lines(text.as_bytes()), expect, "{text:?}");
    }
}

#[test]
fn a_long_line_is_counted_and_not_kept() {
    let long = LONGEST_LINE + 7;
    let text = [b"a\n".to_vec(), vec![b'x'; long], b"\nb".to_vec()].concat();
    assert_eq!(lines(&text), [Ok(b"a".to_vec()), Err(long as u64), Ok(b"b".to_vec())]);
    let whole = [vec![b'x'; LONGEST_LINE], b"\n".to_vec()].concat();
    assert_eq!(lines(&whole)[0].as_ref().unwrap().len(), LONGEST_LINE);
}

#[test]
fn a_line_without_an_end_is_refused() {
    let mut endless = Lines::of(std::io::repeat(0), Path::new("endless"));
    let error = endless.next().unwrap().unwrap_err();
    assert!(matches!(error, FileError::EndlessLine { line: 1, .. }), "{error}");
    assert!(endless.next().is_none());
}

#[test]
fn gzip_by_name() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(b"a\nb\n").unwrap();
    let bytes = gzip.finish().unwrap();
    let read = |name: &str, bytes: &[u8]| -> Vec<_> {
        Lines::of(Cursor::new(bytes.to_vec()), Path::new(name)).collect()
    };
    assert_eq!(read("x.GZ", &bytes).len(), 2);
    let cut = read("x.gz", &bytes[..bytes.len() - 5]);
    assert!(matches!(cut.last(), Some(Err(FileError::Gzip { .. }))), "{cut:?}");
}

#[test]
fn whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/x");
    write_whole(&path, |out| out.write_all(b"old")).unwrap();
    let failed = write_whole(&path, |out| {
        out.write_all(&[b'n'; 100_000])?;
        Err(std::io::Error::other("stopped"))
    });
    assert!(failed.unwrap_err().to_string().contains("stopped"));
    let mut dropped = Whole::create(&path).unwrap();
    dropped.write_all(b"half").unwrap();
    drop(dropped);
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    assert!(matches!(read_bounded(&path, 0, "thing"), Err(FileError::TooLarge { .. })));
    assert_eq!(read_bounded(&path, 1, "thing").unwrap(), b"old");
}

#[cfg(unix)]
#[test]
fn inputs_are_known_by_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("in/a/b")).unwrap();
    std::fs::write(at("in/a/b/deep"), "x").unwrap();
    std::fs::write(at("free"), "x").unwrap();
    std::fs::hard_link(at("in/a/b/deep"), at("hard")).unwrap();
    std::os::unix::fs::symlink(at("hard"), at("soft")).unwrap();
    let mut inputs = Inputs::default().with([("--schemas", Some(at("in").as_path())), ("--labels", None)]);
    for name in ["in/a/b/deep", "hard", "soft", "in/../hard"] {
        let error = inputs.output(&at(name)).unwrap_err().to_string();
        assert!(error.contains("a file of --schemas"), "{error}");
    }
    assert!(matches!(inputs.output(&at("free")).unwrap(), Destination::Plain(_)));
    assert!(matches!(inputs.output(&at("in/../free")), Err(FileError::Twice { .. })));
    assert!(inputs.output(&at("new/one")).is_ok());
    assert_eq!(Destination::of(Path::new("/dev/stdout")).unwrap(), Destination::Stdout);
    assert!(matches!(Destination::of(Path::new("/dev/null")).unwrap(), Destination::Special(_)));
}

#[test]
fn a_folder_is_held_by_one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let held = Lock::folder(folder.path(), "folder").unwrap();
    let second = Lock::folder(folder.path(), "folder").unwrap_err().to_string();
    assert!(second.contains("in use by another run") && second.contains("another folder"), "{second}");
    drop(held);
    Lock::folder(folder.path(), "folder").unwrap();
    let mut empty = String::new();
    std::fs::File::open(folder.path().join(".lock")).unwrap().read_to_string(&mut empty).unwrap();
    assert!(empty.is_empty());
}

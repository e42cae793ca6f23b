//! Paths in configuration files: relative to the file that names them.

use std::path::{Component, Path, PathBuf};

/// A path that a file in `folder` names. Absolute ones stay; `..` is resolved where no link stands
/// in the way, so that `configs` and `../data` are `data`.
pub fn beside(folder: &Path, path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    if path.as_os_str().is_empty() || path.is_absolute() {
        return path.to_owned();
    }
    let mut out = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if leaves(&out) => {
                out.pop();
            }
            // Nothing lies above the root.
            Component::ParentDir if out.has_root() && out.parent().is_none() => {}
            part => out.push(part),
        }
    }
    if out.as_os_str().is_empty() {
        out.push(".");
    }
    out
}

/// Whether `..` after this path is what lies above it by name.
fn leaves(path: &Path) -> bool {
    let named = matches!(path.components().next_back(), Some(Component::Normal(_)));
    named && !std::fs::symlink_metadata(path).is_ok_and(|m| m.is_symlink())
}

/// `path` as a file in `folder` would name it; absolute where they have nothing in common, or where the
/// current folder is not known.
pub fn named_in(folder: &Path, path: &Path) -> PathBuf {
    let absolute = |path: &Path| Some(beside(&std::env::current_dir().ok()?, path));
    let (Some(from), Some(to)) = (absolute(folder), absolute(path)) else {
        return path.to_owned();
    };
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    // The root alone is nothing to go by.
    if common < 2 {
        return to;
    }
    let mut out = PathBuf::new();
    for _ in from.components().skip(common) {
        out.push("..");
    }
    out.extend(to.components().skip(common));
    if out.as_os_str().is_empty() {
        out.push(".");
    }
    out
}

/// What to say of a path that is not there, if the file in `folder` names it as it lies from the current
/// folder.
pub fn misplaced(folder: &Path, path: &Path) -> Option<String> {
    if path.as_os_str().is_empty() || path.exists() {
        return None;
    }
    let written = named_in(folder, path);
    if written.is_absolute() || !written.exists() {
        return None;
    }
    Some(format!(
        "there is no {}: paths in a configuration are relative to its own folder; write {:?} where it has {written:?}",
        path.display(),
        named_in(folder, &written)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_from_the_current_folder_is_seen() {
        // Tests run in the crate's folder.
        let folder = Path::new("src/build");
        let said = misplaced(folder, &beside(folder, "src/lib.rs")).unwrap();
        assert!(said.contains("write \"../lib.rs\" where it has \"src/lib.rs\""), "{said}");
        for path in ["nowhere", "config.rs", ""] {
            assert_eq!(misplaced(folder, &beside(folder, path)), None, "{path}");
        }
    }

    #[test]
    fn paths_stand_beside_their_file() {
        for (folder, path, expected) in [
            ("configs", "../data/x.jsonl", "data/x.jsonl"),
            ("experiments/ablations", "../../out/a", "out/a"),
            ("", "data", "data"),
            (".", "../data", "../data"),
            ("a", "./b/../c", "a/c"),
            ("a", "..", "."),
            ("a", "/tmp/x", "/tmp/x"),
            ("a", "", ""),
            ("/x/a", "../../../b", "/b"),
            ("a", "../d/*.txt", "d/*.txt"),
        ] {
            assert_eq!(beside(Path::new(folder), path), Path::new(expected), "{folder} {path}");
        }
    }

    #[test]
    fn a_path_is_named_from_another_folder() {
        for (folder, path, expected) in [
            ("out/run", "data/x", "../../data/x"),
            ("out/run", "out/run", "."),
            ("out", "out/corpus.gz", "corpus.gz"),
            ("/a/b", "/a/c/d", "../c/d"),
            ("/a/b", "/c", "/c"),
        ] {
            let found = named_in(Path::new(folder), Path::new(path));
            assert_eq!(found, Path::new(expected), "{folder} {path}");
        }
    }
}

//! Configuration files: TOML, laid over the files that they extend.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, Error};
use twinql_files::read_bounded;

use crate::CorpusError;
use crate::paths::beside;

/// How many files a file may extend, one through the other.
const MOST: usize = 8;

/// MiB of a configuration file.
const LARGEST: u64 = 16;

/// What is read of a file before the rest.
#[derive(Deserialize)]
struct Head {
    extends: Option<PathBuf>,
}

/// Reads a configuration. A file that `extends` another (a path relative to its own) is laid over it: tables are merged,
/// everything else is replaced, lists as a whole.
///
/// `paths` names the keys that hold paths, such as `data.corpora.pairs`. In each file they are relative to its own folder, and
/// `${NAME}` stands for an environment variable.
///
/// # Errors
/// A file that cannot be read or that `T` cannot be made of, with its name and the key; a variable that is not set; files that
/// extend each other.
pub fn read<T: DeserializeOwned>(path: &Path, paths: &[&str]) -> Result<T, CorpusError> {
    let mut merged = DeTable::new();
    let files = chain(path)?;
    for (path, text) in files.iter().rev() {
        let refused = |mut e: Error| {
            e.set_input(Some(text));
            wrong(path, e)
        };
        let mut own = DeTable::parse(text).map_err(refused)?;
        own.get_mut().remove("extends");
        // By itself first: of the merged table nobody could say which file and line an error is in.
        T::deserialize(Deserializer::from(own.clone())).map_err(refused)?;
        let mut own = DeValue::Table(own.into_inner());
        for key in paths {
            let key: Vec<&str> = key.split('.').collect();
            put_beside(&mut own, &key, folder_of(path)).map_err(|e| wrong(path, e))?;
        }
        if let DeValue::Table(own) = own {
            lay_over(&mut merged, own);
        }
    }
    T::deserialize(Deserializer::from(Spanned::new(0..0, merged))).map_err(|e| wrong(path, e))
}

/// The folder that paths in a file are relative to.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// The file and those that it extends, from the first to the last.
fn chain(path: &Path) -> Result<Vec<(PathBuf, String)>, CorpusError> {
    let mut files = Vec::new();
    let mut next = Some(path.to_owned());
    while let Some(path) = next {
        if files.len() > MOST {
            return Err(wrong(&path, format!("more than {MOST} files extend each other")));
        }
        let bytes = read_bounded(&path, LARGEST, "configuration")?;
        let text = String::from_utf8(bytes).map_err(|e| wrong(&path, e.utf8_error()))?;
        let head: Head = toml::from_str(&text).map_err(|e| wrong(&path, e))?;
        next = head.extends.map(|base| beside(folder_of(&path), base));
        files.push((path, text));
    }
    Ok(files)
}

/// Fills in and moves what stands under a key; of lists, in each of their items. What is not a text was refused before.
fn put_beside(value: &mut DeValue<'_>, key: &[&str], folder: &Path) -> Result<(), CorpusError> {
    match (value, key) {
        (DeValue::Array(items), _) => {
            items.iter_mut().try_for_each(|item| put_beside(item.get_mut(), key, folder))
        }
        (DeValue::Table(table), [first, rest @ ..]) => match table.get_mut(*first) {
            Some(value) => put_beside(value.get_mut(), rest, folder),
            None => Ok(()),
        },
        (DeValue::String(path), []) => {
            *path = beside(folder, expand(path)?).to_string_lossy().into_owned().into();
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Tables are merged, everything else is replaced.
fn lay_over<'t>(base: &mut DeTable<'t>, over: DeTable<'t>) {
    for (key, value) in over {
        match (base.get_mut(key.get_ref().as_ref()).map(Spanned::get_mut), value.into_inner()) {
            (Some(DeValue::Table(base)), DeValue::Table(over)) => lay_over(base, over),
            (Some(base), value) => *base = value,
            (None, value) => {
                let span = key.span();
                base.insert(key, Spanned::new(span, value));
            }
        }
    }
}

/// Fills `${NAME}` in from the environment.
fn expand(path: &str) -> Result<String, CorpusError> {
    let mut out = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, tail)) = after.split_once('}') else {
            return Err(CorpusError::Config(format!("`${{` without `}}` in {path:?}")));
        };
        let value = std::env::var(name).map_err(|_| {
            CorpusError::Config(format!("the environment variable {name} is not set, and {path:?} needs it"))
        })?;
        out.push_str(before);
        out.push_str(&value);
        rest = tail;
    }
    out.push_str(rest);
    Ok(out)
}

/// What is wrong with a file.
pub(crate) fn wrong(path: &Path, cause: impl std::fmt::Display) -> CorpusError {
    CorpusError::File { file: path.display().to_string(), message: cause.to_string() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Own {
        seed: u64,
        out: PathBuf,
        sources: Vec<Source>,
        weights: BTreeMap<String, f64>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Source {
        path: String,
    }

    const PATHS: &[&str] = &["out", "sources.path"];

    /// Reads the first of files, whose names may have a folder.
    fn of(files: &[(&str, &str)]) -> (tempfile::TempDir, Result<Own, String>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let read = read(&folder.path().join(files[0].0), PATHS);
        (folder, read.map_err(|e| e.to_string()))
    }

    #[test]
    fn a_file_is_laid_over_those_that_it_extends() {
        let (folder, read) = of(&[
            ("deep/top.toml", "extends = '../middle.toml'\nout = '../../o'\n[weights]\na = 3.0"),
            ("middle.toml", "extends = 'base.toml'\nsources = [{path = 'c'}]"),
            (
                "base.toml",
                "seed = 18446744073709551615\nout = 'p'\n[[sources]]\npath = 'a'\n[[sources]]\npath = 'b'\n[weights]\na = 1.0\nb = 2.0",
            ),
        ]);
        let at = |name: &str| folder.path().join(name);
        let expected = Own {
            seed: u64::MAX,
            out: beside(folder.path(), "../o"),
            sources: vec![Source { path: at("c").to_string_lossy().into_owned() }],
            weights: [("a".into(), 3.0), ("b".into(), 2.0)].into(),
        };
        assert_eq!(read.unwrap(), expected);
    }

    #[test]
    fn errors_name_the_file_and_the_key() {
        let top = "extends = 'base.toml'";
        for (files, parts) in [
            (vec![("top.toml", "seeds = 1")], ["top.toml", "line 1", "`seeds`"]),
            (
                vec![("top.toml", top), ("base.toml", "seed = 1\nseeds = 1")],
                ["base.toml", "line 2", "`seeds`"],
            ),
            (
                vec![("top.toml", top), ("base.toml", "[[sources]]\npat = 'x'")],
                ["base.toml", "line 2", "`pat`"],
            ),
            (
                vec![("top.toml", "extends = 'base.toml'\nseed = 'x'"), ("base.toml", "")],
                ["top.toml", "line 2", "seed"],
            ),
            (
                vec![("top.toml", "extends = 'top.toml'")],
                ["top.toml", "more than 8 files", "extend each other"],
            ),
            (vec![("top.toml", "extends = 3")], ["top.toml", "line 1", "extends"]),
            (vec![("top.toml", top)], ["cannot read", "base.toml", ""]),
            (
                vec![("top.toml", top), ("base.toml", "out = '${TWINQL_NO_SUCH}/s'")],
                ["base.toml", "TWINQL_NO_SUCH", "not set"],
            ),
            (vec![("top.toml", "sources = [{path = '${X'}]")], ["top.toml", "`${` without `}`", "${X"]),
        ] {
            let error = of(&files).1.unwrap_err();
            assert!(parts.iter().all(|part| error.contains(part)), "{parts:?}: {error}");
        }
    }
}

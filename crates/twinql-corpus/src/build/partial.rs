//! Finished work of a build that is not done: one line for each gold, beside the corpus.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::Yield;
use crate::CorpusError;
use crate::io::{io_error, lines};

pub(super) struct Partial {
    path: PathBuf,
    file: File,
    pub(super) done: Vec<Yield>,
}

impl Partial {
    /// Opens the file of finished work for `out`, or begins one. Work under another
    /// fingerprint (another configuration, other input files) is thrown away; a last line
    /// that was cut off is dropped.
    pub(super) fn open(out: &Path, fingerprint: &str) -> Result<Partial, CorpusError> {
        let mut name = out.file_name().unwrap_or_default().to_owned();
        name.push(".partial");
        let path = out.with_file_name(name);
        let fail = |e: std::io::Error| io_error(&path, &e);
        if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(fail)?;
        }
        let old = std::fs::read(&path).unwrap_or_default();
        let mut done: Vec<Yield> = Vec::new();
        let mut keep = 0;
        let mut all = lines(&old);
        if all.next() == Some(fingerprint.as_bytes()) {
            keep = fingerprint.len() + 1;
            for line in all {
                let complete = old.get(keep + line.len()) == Some(&b'\n');
                match serde_json::from_slice(line) {
                    Ok(one) if complete => done.push(one),
                    _ => break,
                }
                keep += line.len() + 1;
            }
        }
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(fail)?;
        file.set_len(keep as u64).map_err(fail)?;
        if keep == 0 {
            file.write_all(format!("{fingerprint}\n").as_bytes())
                .map_err(fail)?;
        }
        drop(file);
        let file = OpenOptions::new().append(true).open(&path).map_err(fail)?;
        Ok(Partial { path, file, done })
    }

    pub(super) fn append(&mut self, done: Vec<Yield>) -> Result<(), CorpusError> {
        let fail = |e: std::io::Error| io_error(&self.path, &e);
        let mut text = Vec::new();
        for one in &done {
            serde_json::to_writer(&mut text, one).map_err(|e| fail(e.into()))?;
            text.push(b'\n');
        }
        self.file.write_all(&text).map_err(fail)?;
        self.file.flush().map_err(fail)?;
        self.done.extend(done);
        Ok(())
    }

    /// The corpus is written: the finished work is in it.
    pub(super) fn remove(self) {
        if let Err(e) = std::fs::remove_file(&self.path) {
            tracing::warn!("{}: cannot remove it: {e}", self.path.display());
        }
    }
}

//! `twinql seal`: a checksum for checkpoints and suites that were written before files had one.
//!
//! What a file holds stays the same. A checkpoint or a suite that carries a checksum is refused where the two
//! do not agree, which a file that lost bytes on its way would otherwise not be.

use std::path::Path;

use anyhow::{Context, Result, bail};
use twinql::model;
use twinql::suite::suite::Suite;

use crate::args::typed;
use crate::output::{Console, Sink, write_file};

/// How a suite file begins: it is a gzip stream.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Gives each file its checksum; one that cannot get it does not keep the others from theirs.
pub(crate) fn run(typed: &typed::Seal, console: Console) -> Result<bool> {
    let mut sink = Sink::new(None)?;
    let mut failed = 0;
    for path in &typed.files {
        match seal(path) {
            Ok(said) => sink.line(&format!("{}: {said}", path.display()))?,
            Err(error) => {
                failed += 1;
                console.warn(format!("{error:#}"));
            }
        }
    }
    sink.finish()?;
    if failed > 0 {
        bail!("{failed} of {} files got no checksum", typed.files.len());
    }
    Ok(true)
}

/// Gives one file its checksum, in its place; says which, and whether it was there before.
fn seal(path: &Path) -> Result<String> {
    let origin = path.display().to_string();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {origin}"))?;
    let (sealed, checksum) = if bytes.starts_with(&GZIP) {
        let sealed = Suite::add_checksum(&bytes).with_context(|| origin.clone())?;
        (sealed, twinql::suite::suite::checksum(&bytes))
    } else {
        let sealed = model::add_checksum(&bytes, &origin)?;
        (sealed, model::checksum(&bytes))
    };
    Ok(match sealed {
        None => format!("has the checksum {checksum} already"),
        Some(sealed) => {
            write_file(path, &sealed)?;
            format!("now carries the checksum {checksum}")
        }
    })
}

//! What commands read, with warnings on the console.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
pub(crate) use twinql::input::{
    About, Item, Items, PairItems, Pairs, configuration, id_text, in_sqlite, open,
};
use twinql::input::{Schemas, load_schemas};
use twinql::sql::{Dialect, SchemaSet};
use twinql::suite::Files;

use crate::output::Console;

/// Warnings are shown even where nothing else is said.
const LOUD: Console = Console { quiet: false };

/// All schemas at `path`; without one, only pairs that carry theirs can be used.
pub(crate) fn schemas(path: Option<&Path>, dialect: Dialect) -> Result<Schemas> {
    Ok(Schemas::load(path, dialect, Arc::new(LOUD))?)
}

/// Schemas of pairs that are executed on files.
pub(crate) fn schemas_of_files(files: &Files, dialect: Dialect) -> Schemas {
    Schemas::of_files(files, dialect, Arc::new(LOUD))
}

/// All schemas at `path`, by `db_id`.
pub(crate) fn schema_set(path: &Path, dialect: Dialect) -> Result<SchemaSet> {
    Ok(load_schemas(path, dialect, &LOUD)?)
}

/// A file's name without its ending; the path of what has none.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| path.display().to_string(), |stem| stem.to_string_lossy().into_owned())
}

/// Says how the input was read, where that is not plain.
pub(crate) fn say(pairs: &Pairs, console: Console) {
    pairs.notes.iter().for_each(|note| console.say(note));
}

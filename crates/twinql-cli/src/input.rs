//! What commands read, with warnings on the console.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use twinql::Dialects;
pub(crate) use twinql::input::{
    About, Item, Items, PairItems, Pairs, configuration, id_text, in_sqlite, open,
};
use twinql::input::{Guessing, MOST_VOTES, Schemas, Source, load_schemas};
use twinql::sql::guess::{Guess, Votes};
use twinql::sql::prove::Side;
use twinql::sql::{Dialect, SchemaSet};
use twinql::suite::Files;

use crate::args::shared::{Named, PairDialectFlags};
use crate::output::Console;

/// Warnings are shown even where nothing else is said.
const LOUD: Console = Console { quiet: false };

/// All schemas at `path`; without one, only pairs that carry theirs can be used.
pub(crate) fn schemas(path: Option<&Path>, dialects: impl Into<Dialects>) -> Result<Schemas> {
    Ok(Schemas::load(path, dialects, Arc::new(LOUD))?)
}

/// Schemas of pairs that are executed on files.
pub(crate) fn schemas_of_files(files: &Files, dialects: impl Into<Dialects>) -> Schemas {
    Schemas::of_files(files, dialects, Arc::new(LOUD))
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

/// What dialects are guessed from over SQLite files, whose schemas every dialect reads alike.
pub(crate) fn guessing_over(folder: &Path) -> Result<Guessing> {
    // Under SQLite's dialect files are not opened.
    let read = schemas_of_files(&Files::find(folder)?, Dialect::Generic);
    Ok(Guessing::over(|_| Some(read.clone())))
}

/// The dialects that flags ask for. Where one is `auto`, the queries of `sources`, whose golds are the same, vote on it, over
/// what `guessing` reads where the DDL is in this dialect; which was taken and why is said even where nothing else is.
///
/// # Errors
/// The queries can be read only once, or not at all.
pub(crate) fn settled(
    flags: &PairDialectFlags,
    sources: &[Source],
    guessing: impl FnOnce(Option<Dialect>) -> Result<Guessing>,
) -> Result<Dialects> {
    let [gold, pred] = [flags.gold_dialect, flags.pred_dialect].map(|own| own.unwrap_or(flags.dialect));
    if ![flags.dialect, gold, pred].contains(&Named::Auto) {
        return flags.known();
    }
    if let Some(pipe) = sources.iter().flat_map(Source::files).find(|path| !path.is_file()) {
        bail!(
            "{}: to guess a dialect the queries are read twice; give a plain file, or name the dialect",
            pipe.display()
        );
    }
    let mut guessing = guessing(flags.dialect.known())?;
    let mut of = |named: Named, side: Side, sources: &[Source]| -> Result<Dialect> {
        if let Some(known) = named.known() {
            return Ok(known);
        }
        let mut votes = Votes::default();
        for source in sources {
            guessing.add(&mut votes, source, side)?;
        }
        let guess = votes.guess();
        LOUD.say(said(&guess, side));
        Ok(guess.dialect)
    };
    let gold = of(gold, Side::Gold, sources.get(..1).unwrap_or_default())?;
    let pred = of(pred, Side::Pred, sources)?;
    Ok(Dialects::new(flags.dialect.known().unwrap_or(gold), Some(gold), Some(pred)))
}

/// A guess in words.
fn said(guess: &Guess, side: Side) -> String {
    let Guess { dialect, read, decided, queries, next } = guess;
    let taken = format!("--{side}-dialect auto: taken for {dialect}");
    if *decided == 0 {
        return format!(
            "{taken}, the first of those that read as many: none of {queries} queries tells dialects apart"
        );
    }
    let names: Vec<&str> = next.iter().map(|(dialect, _)| dialect.name()).collect();
    let second = next.first().map_or(0, |(_, read)| *read);
    let most = if *queries >= MOST_VOTES { "the first " } else { "" };
    format!(
        "{taken}, which reads {read} of {most}{queries} queries ({} {second}); {decided} of them tell dialects apart",
        names.join(", ")
    )
}

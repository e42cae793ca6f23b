//! The dialects of golds and of predictions, guessed from all of them ([`twinql_sql::guess`] says how).

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use twinql_corpus::pairs::Draft;
use twinql_corpus::spider::{Cover, Golds, align};
use twinql_corpus::{Pair, predictions};
use twinql_files::Lines;
use twinql_sql::guess::Votes;
use twinql_sql::prove::Side;
use twinql_sql::{Dialect, Schema};

use super::{InputError, Schemas, Source};
use crate::progress::Silent;

/// Queries of a side that vote, in the order of the input: more of them say nothing new.
pub const MOST_VOTES: usize = 1000;

/// Lets queries vote on their dialect.
pub struct Guessing {
    /// The schemas as each dialect reads their DDL; none that cannot read it.
    schemas: HashMap<Dialect, Schemas>,
}

impl Guessing {
    /// Over the schemas that `load` reads for a dialect: of one whose DDL is in a known dialect the same for all.
    pub fn over(load: impl Fn(Dialect) -> Option<Schemas>) -> Guessing {
        Guessing { schemas: Dialect::ALL.into_iter().filter_map(|of| Some((of, load(of)?))).collect() }
    }

    /// Over the schemas at `path`, whose DDL is in `dialect`; where that is to be guessed too, each dialect reads them as
    /// its own.
    pub fn new(path: Option<&Path>, dialect: Option<Dialect>, db_id: Option<&str>) -> Guessing {
        let load =
            |of: Dialect| Schemas::load(path, of, Arc::new(Silent)).ok().map(|read| read.unnamed(db_id));
        match dialect.map(load) {
            Some(read) => Guessing::over(|_| read.clone()),
            None => Guessing::over(load),
        }
    }

    /// Lets the queries of a side vote, but for those of pairs that name its dialect themselves.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn add(&mut self, votes: &mut Votes, source: &Source, side: Side) -> Result<(), InputError> {
        let mut queries = match source {
            Source::Pairs(path) => of_pairs(path, side)?,
            Source::Lines { gold, pred } => of_lines(gold, pred, side)?,
            Source::One { gold, pred } => {
                let sql = if side == Side::Gold { gold } else { pred };
                vec![(Pair::default(), sql.clone())]
            }
        };
        queries.truncate(MOST_VOTES);
        for (over, sql) in queries {
            let read: HashMap<Dialect, Arc<Schema>> = self
                .schemas
                .iter_mut()
                .filter_map(|(dialect, schemas)| Some((*dialect, schemas.of(&over).ok()?)))
                .collect();
            votes.add(&sql, |dialect| read.get(&dialect).map(Arc::as_ref));
        }
        Ok(())
    }
}

/// Of a pair file, what each query is over, and its text.
fn of_pairs(path: &Path, side: Side) -> Result<Vec<(Pair, String)>, InputError> {
    let mut found = Vec::new();
    for line in Lines::open(path)? {
        let line = line?;
        if found.len() >= MOST_VOTES {
            break;
        }
        let Ok(text) = line.text() else { continue };
        let Pair { db_id, schema, gold, pred, gold_dialect, pred_dialect, .. } = Draft::from_json(text).pair;
        let (sql, own) = match side {
            Side::Gold => (gold, gold_dialect),
            Side::Pred => (pred, pred_dialect),
        };
        if own.is_none() && !sql.is_empty() {
            found.push((Pair { db_id, schema, ..Pair::default() }, sql));
        }
    }
    Ok(found)
}

/// Of two aligned files, likewise.
fn of_lines(gold: &Path, pred: &Path, side: Side) -> Result<Vec<(Pair, String)>, InputError> {
    let golds = Golds::new(Lines::open(gold)?).collect::<Result<Vec<_>, _>>()?;
    let over = |db_id: &str| Pair { db_id: Some(db_id.to_owned()), ..Pair::default() };
    if side == Side::Gold {
        let usable = golds.into_iter().filter(|gold| gold.unusable.is_none());
        return Ok(usable.map(|gold| (over(&gold.db_id), gold.sql)).collect());
    }
    let (gold, name) = (gold.display().to_string(), pred.display().to_string());
    let aligned = align(&golds, predictions::read(pred)?.all, Cover::All, &gold, &name)?;
    let usable = aligned.into_iter().filter(|(_, pred)| pred.unusable.is_none());
    Ok(usable.map(|(gold, pred)| (over(&gold.db_id), pred.sql)).collect())
}

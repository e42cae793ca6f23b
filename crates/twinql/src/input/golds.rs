//! Golds by themselves: of a gold file, of a pair file, or one text. The prediction of a pair may be missing.

use std::path::{Path, PathBuf};

use serde_json::Value;
use twinql_corpus::Pair;
use twinql_corpus::pairs::Draft;
use twinql_corpus::spider::{GoldCount, Golds};
use twinql_files::{Line, Lines};

use super::{About, InputError, Item, Pairs, Schemas};
use crate::dialects::Dialects;
use crate::job::{Job, Work};
use crate::record::Status;

/// Where golds come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GoldSource {
    /// A file with a query a line: SQL, a tab, db_id.
    Lines(PathBuf),
    /// A JSONL file of pairs, whose predictions are not looked at.
    Pairs(PathBuf),
    /// One query, as text.
    One(String),
}

/// Opens golds as pairs of a gold and nothing. The gold is the text as it stands, whatever its dialect;
/// [`About::print`] is the number of its line.
///
/// # Errors
/// See [`InputError`].
pub fn open_golds(source: &GoldSource, db_id: Option<&str>, schemas: Schemas) -> Result<Pairs, InputError> {
    let mut schemas = schemas.unnamed(db_id);
    match source {
        GoldSource::Lines(path) => {
            // Where one database is meant, a line need not name it.
            let only = schemas.only(db_id).ok();
            let open = || Ok::<Golds, InputError>(Golds::new(Lines::open(path)?).tabless(only.is_some()));
            let mut lines = GoldCount::default();
            for gold in open()? {
                lines.add(&gold?);
            }
            let count = lines.golds;
            // Lines that are no golds are findings of their own, but a file needs one line.
            if count == 0 {
                lines.check(path)?;
            }
            let place = path.display().to_string();
            let golds = open()?.enumerate().map(move |(number, gold)| {
                let gold = gold?;
                let named = Some(gold.db_id).filter(|id| !id.is_empty());
                let db_id = named.or_else(|| only.as_ref().map(|schema| schema.db_id.clone()));
                let work = match gold.unusable {
                    Some(why) => unusable(&format!("{place}, line {}: {why}", gold.line)),
                    None => work(schemas.get(db_id.as_deref().unwrap_or_default()), gold.sql),
                };
                let about = About { db_id, print: gold.line as u64, ..About::default() };
                Ok(Item { job: Job { id: Value::from(number.to_string()), work }, about })
            });
            Ok(Pairs::of(Box::new(golds), Some(count)))
        }
        GoldSource::Pairs(path) => {
            let lines = Lines::open(path)?;
            let path = path.clone();
            let mut number = 0;
            let items = lines.filter(|line| !line.as_ref().is_ok_and(Line::is_blank)).map(move |line| {
                let item = of_pair(&line?, number, &path, &mut schemas);
                number += 1;
                Ok(item)
            });
            Ok(Pairs::of(Box::new(items), None))
        }
        GoldSource::One(sql) => {
            let schema = schemas.only(db_id)?;
            let about = About { db_id: Some(schema.db_id.clone()), print: 1, ..About::default() };
            let job = Job { id: Value::from("0"), work: work(Ok(schema), sql.clone()) };
            let item = std::iter::once(Ok(Item { job, about }));
            Ok(Pairs { single: true, ..Pairs::of(Box::new(item), Some(1)) })
        }
    }
}

/// The gold of a pair's line.
fn of_pair(line: &Line, number: usize, path: &Path, schemas: &mut Schemas) -> Item {
    let place = format!("{}, line {}", path.display(), line.number);
    let draft = line.text().map(Draft::from_json);
    let (draft, work) = match draft {
        Err(why) => (Draft::default(), unusable(&format!("{place}: {why}"))),
        Ok(draft) => match &draft.problem {
            Some(problem) if !problem.of_prediction => {
                let work = unusable(&format!("{place}: {}", problem.message));
                (draft, work)
            }
            _ => {
                let schema = in_its_dialect(&draft.pair, schemas.dialects())
                    .and_then(|()| schemas.of(&draft.pair))
                    .map_err(|why| format!("{place}: {why}"));
                let work = work(schema, draft.pair.gold.clone());
                (draft, work)
            }
        },
    };
    let id = match draft.pair.id {
        Value::Null => Value::from(number.to_string()),
        id => id,
    };
    let about = About {
        number: draft.number,
        db_id: draft.pair.db_id,
        print: line.number as u64,
        ..About::default()
    };
    Item { job: Job { id, work }, about }
}

/// Golds are looked at as they are written, all in one dialect: refuses one that names another.
fn in_its_dialect(pair: &Pair, all: Dialects) -> Result<(), String> {
    let own = all.of_pair(pair.gold_dialect.as_deref(), None)?.gold;
    match own == all.gold {
        true => Ok(()),
        false => Err(format!(
            "gold_dialect: the gold is {own}'s, and golds are read as {0}'s: --gold-dialect says whose they all are",
            all.gold
        )),
    }
}

fn unusable(error: &str) -> Work {
    Work::Unusable { status: Status::GoldError, error: error.to_owned(), alike: false }
}

fn work(schema: Result<std::sync::Arc<crate::Schema>, String>, gold: String) -> Work {
    match schema {
        Ok(schema) => Work::Pair { schema, gold, pred: String::new() },
        Err(why) => unusable(&why),
    }
}

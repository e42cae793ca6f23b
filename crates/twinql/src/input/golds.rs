//! Golds by themselves: of a gold file, of a benchmark's JSON, of a pair file, or one text. The prediction of a pair may
//! be missing.

use std::path::{Path, PathBuf};

use serde_json::Value;
use twinql_corpus::pairs::{Draft, SEVERAL_GOLDS};
use twinql_corpus::predictions::Form;
use twinql_corpus::spider::{GoldCount, Golds};
use twinql_corpus::{Pair, bird};
use twinql_files::Lines;

use super::{About, Answers, InputError, Item, Pairs, Schemas};
use crate::dialects::Dialects;
use crate::job::{Job, Work};
use crate::record::Status;

/// Where golds come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GoldSource {
    /// A file with a query a line (SQL, a tab, db_id), or a benchmark's JSON, which has the questions too.
    Lines(PathBuf),
    /// A JSONL file of pairs, whose predictions are not looked at.
    Pairs(PathBuf),
    /// The same, where each prediction is another gold of the question.
    TwoGolds(PathBuf),
    /// One query, as text.
    One(String),
}

/// Opens golds as pairs of a gold and nothing. The gold is the text as it stands, whatever its dialect;
/// [`About::print`] is the number of its line, or of its entry in a JSON document.
///
/// # Errors
/// See [`InputError`].
pub fn open_golds(source: &GoldSource, db_id: Option<&str>, schemas: Schemas) -> Result<Pairs, InputError> {
    let schemas = schemas.unnamed(db_id);
    match source {
        GoldSource::Lines(path) => match Form::of(path, None) {
            Form::Document => {
                let golds = bird::golds(path)?;
                let count = golds.len();
                let mut reader = Reader::new(path, schemas, false);
                let items = golds.into_iter().map(move |draft| {
                    let line = reader.number + 1;
                    Ok(reader.item(Ok(draft), line))
                });
                Ok(Pairs::of(Box::new(items), Some(count)))
            }
            Form::Values => each_line(path, schemas, false, |text| {
                let entry = serde_json::from_str(text).map_err(|e| format!("not JSON: {e}"))?;
                Ok(bird::gold(entry))
            }),
            Form::Lines | Form::Table(_) => lines(path, db_id, schemas),
        },
        GoldSource::Pairs(path) => each_line(path, schemas, false, |text| Ok(Draft::from_json(text))),
        GoldSource::TwoGolds(path) => each_line(path, schemas, true, |text| Ok(Draft::from_json(text))),
        GoldSource::One(sql) => {
            let schema = schemas.only(db_id)?;
            let about = About { db_id: Some(schema.db_id.clone()), print: 1, ..About::default() };
            let job = Job::new(Value::from("0"), work(Ok(schema), sql.clone()));
            let item = std::iter::once(Ok(Item { job, about }));
            Ok(Pairs { single: true, ..Pairs::of(Box::new(item), Some(1)) })
        }
    }
}

/// Golds of a file with a query a line. Where one database is meant, a line need not name it.
fn lines(path: &Path, db_id: Option<&str>, schemas: Schemas) -> Result<Pairs, InputError> {
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
        Ok(Item { job: Job::new(Value::from(number.to_string()), work), about })
    });
    Ok(Pairs::of(Box::new(golds), Some(count)))
}

/// Golds of a file with a JSON object a line.
fn each_line(
    path: &Path,
    schemas: Schemas,
    two_golds: bool,
    draft: fn(&str) -> Result<Draft, String>,
) -> Result<Pairs, InputError> {
    let lines = Lines::open(path)?.filled();
    let mut reader = Reader::new(path, schemas, two_golds);
    let items = lines.map(move |line| {
        let line = line?;
        Ok(reader.item(line.text().map_err(Into::into).and_then(draft), line.number))
    });
    Ok(Pairs::of(Box::new(items), None))
}

/// Makes golds of what a file says of them.
struct Reader {
    place: String,
    schemas: Schemas,
    two_golds: bool,
    /// How many there were so far.
    number: usize,
}

impl Reader {
    fn new(path: &Path, schemas: Schemas, two_golds: bool) -> Reader {
        Reader { place: path.display().to_string(), schemas, two_golds, number: 0 }
    }

    /// The next gold, of a line or an entry.
    fn item(&mut self, draft: Result<Draft, String>, line: usize) -> Item {
        let place = format!("{}, line {line}", self.place);
        let (draft, work) = match draft {
            Err(why) => (Draft::default(), unusable(&format!("{place}: {why}"))),
            Ok(draft) => {
                let schema = match &draft.problem {
                    Some(problem) if !problem.of_prediction => Err(problem.message.clone()),
                    _ if !draft.pair.golds.is_empty() => Err(SEVERAL_GOLDS.to_owned()),
                    _ => in_its_dialect(&draft.pair, self.schemas.dialects())
                        .and_then(|()| self.schemas.of(&draft.pair)),
                };
                let schema = schema.map_err(|why| format!("{place}: {why}"));
                let work = work(schema, draft.pair.gold.clone());
                (draft, work)
            }
        };
        let id = match &draft.pair.id {
            Value::Null => Value::from(self.number.to_string()),
            id => id.clone(),
        };
        self.number += 1;
        let about = About {
            number: draft.number,
            print: line as u64,
            answers: self.answers(&draft.pair),
            db_id: draft.pair.db_id,
            ..About::default()
        };
        Item { job: Job::new(id, work), about }
    }

    /// What the line says of what its gold answers, if anything.
    fn answers(&self, pair: &Pair) -> Option<Box<Answers>> {
        let evidence = pair.extra.get("evidence").and_then(Value::as_str).unwrap_or_default();
        let dialects = self.schemas.dialects().of_pair(None, pair.pred_dialect.as_deref()).ok();
        let other = dialects.filter(|_| self.two_golds && !pair.pred.is_empty());
        let answers = Answers {
            question: pair.question.clone().unwrap_or_default(),
            evidence: evidence.to_owned(),
            other: other.map(|dialects| (pair.pred.clone(), dialects.pred)),
        };
        let says = !answers.question.is_empty() || answers.other.is_some();
        says.then(|| Box::new(answers))
    }
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

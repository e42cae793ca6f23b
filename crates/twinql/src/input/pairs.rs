//! Pairs of a pair file, a line at a time.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::job::{Job, Work};
use crate::record::Status;
use serde_json::Value;
use twinql_corpus::build::{EASE, SHARE};
use twinql_corpus::pairs::{Draft, Problem};
use twinql_files::{Fingerprint, Line, Lines};

use super::{About, Echo, InputError, Item, Schemas, job_of};

type Result<T, E = InputError> = std::result::Result<T, E>;

/// Lines at the beginning of which none is a JSON object, after which the file is taken for
/// something else.
const MOST_STRANGE: usize = 1000;

/// Reads a pair file.
pub struct PairItems {
    lines: Lines,
    path: PathBuf,
    schemas: Schemas,
    echo: bool,
    /// Read while the file was opened.
    first: VecDeque<Item>,
    /// Items so far.
    count: usize,
    /// Some line is a pair.
    good: bool,
    /// Some line is a JSON object.
    object: bool,
    first_bad: Option<String>,
}

impl PairItems {
    /// Opens a file and reads to its first pair. With `echo` each pair brings its queries along.
    ///
    /// # Errors
    /// The file cannot be read, or holds no pair.
    pub fn open(path: &Path, schemas: Schemas, echo: bool) -> Result<PairItems> {
        let mut items = PairItems {
            lines: Lines::open(path)?,
            path: path.to_owned(),
            schemas,
            echo,
            first: VecDeque::new(),
            count: 0,
            good: false,
            object: false,
            first_bad: None,
        };
        while !items.good && items.first.len() < MOST_STRANGE {
            match items.read() {
                Some(item) => {
                    let item = item?;
                    items.first.push_back(item);
                }
                None if items.count == 0 => return Err(InputError::Empty(path.to_owned())),
                None => break,
            }
        }
        if !items.good && (!items.object || items.first.len() < MOST_STRANGE) {
            return Err(items.no_pair());
        }
        Ok(items)
    }

    fn no_pair(&self) -> InputError {
        let lines = match self.count {
            n if n >= MOST_STRANGE && !self.object => format!("none of the first {n} lines of the file"),
            _ => "no line of the file".to_owned(),
        };
        InputError::NoPair { lines, first: self.first_bad.clone().unwrap_or_default() }
    }

    /// The next item; none at the end of the file.
    fn read(&mut self) -> Option<Result<Item>> {
        let line = self.lines.find(|line| !line.as_ref().is_ok_and(Line::is_blank))?;
        Some(line.map(|line| self.item(&line)).map_err(Into::into))
    }

    /// What a line asks for. A bad gold and a bad prediction are items too, with the status of the side that is at
    /// fault, so that every line has a result and the rest of the file is still scored.
    fn item(&mut self, line: &Line) -> Item {
        let place = format!("{}, line {}", self.path.display(), line.number);
        let draft = match line.text() {
            Ok(text) => Draft::from_json(text),
            Err(why) => {
                let problem = Problem { of_prediction: false, message: why.into() };
                Draft { problem: Some(problem), ..Draft::default() }
            }
        };
        self.object |= draft.pair != Default::default();
        let Draft { pair, number, problem } = draft;
        match &problem {
            Some(problem) if !problem.of_prediction => {
                self.first_bad.get_or_insert_with(|| format!("{place}: {}", problem.message));
            }
            _ => self.good = true,
        }
        let echo = self.echo.then(|| {
            let filled = |sql: &String| Some(sql.clone()).filter(|s| !s.is_empty());
            Box::new(Echo {
                gold: filled(&pair.gold),
                pred: match problem {
                    None => Some(pair.pred.clone()),
                    Some(_) => filled(&pair.pred),
                },
            })
        });
        let part = |key: &str| {
            let number = pair.extra.get(key).and_then(Value::as_f64);
            number.map(|share| share.clamp(0.0, 1.0) as f32)
        };
        let (ease, share) = (part(EASE), part(SHARE));
        let unusable = |status, message: &str| Work::Unusable {
            status,
            error: format!("{place}: {message}"),
            alike: false,
        };
        let about = About {
            interaction: None,
            number,
            label: pair.label.map(|l| l == 1),
            source: pair.source.clone(),
            db_id: pair.db_id.clone(),
            split: pair.split.clone(),
            ease,
            share,
            echo,
            answers: None,
            print: Fingerprint::of([line.bytes.as_deref().unwrap_or_default()]).number(),
        };
        let id = match &pair.id {
            Value::Null => Value::from(self.count.to_string()),
            id => id.clone(),
        };
        self.count += 1;
        let work = match problem {
            Some(Problem { of_prediction: false, message }) => unusable(Status::GoldError, &message),
            problem => match (self.schemas.of(&pair), problem) {
                (Err(error), _) => unusable(Status::GoldError, &error),
                (Ok(_), Some(problem)) => unusable(Status::PredError, &problem.message),
                (Ok(schema), None) => {
                    return Item { job: job_of(id, &schema, pair, self.schemas.dialects()), about };
                }
            },
        };
        Item { job: Job::new(id, work), about }
    }
}

impl Iterator for PairItems {
    type Item = Result<Item>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(item) = self.first.pop_front() {
            return Some(Ok(item));
        }
        match self.read() {
            None if !self.good => {
                // Said once: there is nothing more to read.
                self.good = true;
                Some(Err(self.no_pair()))
            }
            item => item,
        }
    }
}

//! Pairs of a gold file and a prediction file, a line of each at a time.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::job::{Job, Work};
use crate::record::Status;
use serde_json::Value;
use twinql_corpus::predictions::{self, Form};
use twinql_corpus::spider::{
    Blank, Cover, GoldCount, Golds, Prediction, PredictionCount, blank_lines, prediction,
};
use twinql_files::{FileError, Fingerprint, LONGEST_LINE, Lines};

use super::{About, Echo, InputError, Item, Schemas, work};

type Result<T, E = InputError> = std::result::Result<T, E>;

type Predictions = Box<dyn Iterator<Item = Result<Prediction, FileError>> + Send>;

/// Reads two files side by side. Both are read twice: first to see that they belong together.
pub(super) struct Aligned {
    golds: Golds,
    predictions: Predictions,
    blank: Blank,
    gold_path: PathBuf,
    pred_path: PathBuf,
    schemas: Schemas,
    echo: bool,
    /// The field of the predictions that holds their queries, where they have fields.
    key: Option<String>,
    /// The golds have interactions.
    interactive: bool,
    /// Pairs in all, and so far.
    of: usize,
    done: usize,
}

impl Aligned {
    /// Opens both files and counts their lines.
    pub(super) fn open(gold: &Path, pred: &Path, schemas: Schemas, echo: bool) -> Result<Aligned> {
        let mut gold_count = GoldCount::default();
        let (first, again) = twice(gold)?;
        for one in Golds::new(first) {
            gold_count.add(&one?);
        }
        gold_count.check(gold)?;
        let mut count = PredictionCount::default();
        let (predictions, key) = match Form::of(pred, None) {
            Form::Lines => lines(pred, &mut count)?,
            _ => whole(predictions::read(pred)?, &mut count),
        };
        let (gold_name, pred_name) = (gold.display().to_string(), pred.display().to_string());
        Ok(Aligned {
            blank: blank_lines(&gold_count, count, Cover::All, &gold_name, &pred_name)?,
            golds: Golds::new(again.open()?),
            predictions,
            gold_path: gold.to_owned(),
            pred_path: pred.to_owned(),
            schemas,
            echo,
            key,
            interactive: gold_count.interactive,
            of: gold_count.golds,
            done: 0,
        })
    }

    /// How many pairs there are.
    pub(super) fn pairs(&self) -> usize {
        self.of
    }

    /// What is to be said of how the files were read.
    pub(super) fn notes(&self) -> Vec<String> {
        let note = |key: &String| format!("{}: queries are read from {key:?}", self.pred_path.display());
        self.key.iter().map(note).collect()
    }

    /// The next gold and its prediction. The files were counted on opening and are as long as each other, blank lines
    /// apart; if one ends early now, it was changed in between, and every later pair would be a wrong one.
    fn read(&mut self) -> Result<Item> {
        let changed = || InputError::Changed { gold: self.gold_path.clone(), pred: self.pred_path.clone() };
        let gold = self.golds.next().ok_or_else(changed)??;
        let pred = loop {
            let next = self.predictions.next().ok_or_else(changed)??;
            if let Some(pred) = self.blank.kept(next) {
                break pred;
            }
        };
        let schema = match &gold.unusable {
            None => self.schemas.get(&gold.db_id),
            Some(why) => Err(why.clone()),
        };
        let echo = self.echo.then(|| {
            Box::new(Echo {
                gold: gold.unusable.is_none().then(|| gold.sql.clone()),
                pred: pred.unusable.is_none().then(|| pred.sql.clone()),
            })
        });
        let usable = [gold.unusable.is_none(), pred.unusable.is_none()].map(u8::from);
        let parts = [gold.sql.as_bytes(), gold.db_id.as_bytes(), pred.sql.as_bytes(), &usable];
        let print = Fingerprint::of(parts).number();
        let work = match (schema, pred.unusable) {
            (Err(error), _) => Work::Unusable {
                alike: false,
                status: Status::GoldError,
                error: format!("{}, line {}: {error}", self.gold_path.display(), gold.line),
            },
            (Ok(_), Some(why)) => Work::Unusable {
                alike: false,
                status: Status::PredError,
                error: format!("{}, {why}", self.pred_path.display()),
            },
            (Ok(schema), None) => work(schema, gold.sql, pred.sql, self.schemas.dialects()),
        };
        let id = Value::from(self.done.to_string());
        self.done += 1;
        Ok(Item {
            job: Job::new(id, work),
            about: About {
                db_id: Some(gold.db_id).filter(|d| !d.is_empty()),
                interaction: self.interactive.then_some(gold.interaction),
                echo,
                print,
                ..About::default()
            },
        })
    }
}

impl Iterator for Aligned {
    type Item = Result<Item>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.done < self.of).then(|| self.read())
    }
}

/// Predictions that are read as they are asked for, counted now. A file whose first line is a JSON object is one of objects.
fn lines(path: &Path, count: &mut PredictionCount) -> Result<(Predictions, Option<String>)> {
    let (first, again) = twice(path)?;
    let mut form = None;
    for line in first {
        let line = line?;
        if form.is_none() && !line.is_blank() {
            form = Some(Form::of(path, Some(&line)));
        }
        if form == Some(Form::Values) {
            return Ok(whole(predictions::values(path, again.open()?)?, count));
        }
        count.add(&prediction(&line));
    }
    let all: Predictions = Box::new(again.open()?.map(|line| Ok(prediction(&line?))));
    Ok((all, None))
}

/// Predictions that are there as a whole, with the field that they were read from.
fn whole(read: predictions::Predictions, count: &mut PredictionCount) -> (Predictions, Option<String>) {
    *count = PredictionCount::default();
    read.all.iter().for_each(|p| count.add(p));
    (Box::new(read.all.into_iter().map(Ok)), read.key)
}

/// Where lines come from the second time.
enum Again {
    File(PathBuf),
    /// What a pipe held, which can be read only once.
    Kept(File, PathBuf),
}

impl Again {
    fn open(self) -> Result<Lines> {
        Ok(match self {
            Again::File(path) => Lines::open(&path)?,
            Again::Kept(mut file, path) => {
                file.seek(SeekFrom::Start(0)).map_err(InputError::Temporary)?;
                Lines::plain(file, &path)
            }
        })
    }
}

/// The lines of a file, and the same once more; those of a pipe are kept in a temporary file.
fn twice(path: &Path) -> Result<(Lines, Again)> {
    let lines = Lines::open(path)?;
    if path.is_file() {
        return Ok((lines, Again::File(path.to_owned())));
    }
    let mut kept = std::io::BufWriter::new(tempfile::tempfile().map_err(InputError::Temporary)?);
    for line in lines {
        let line = line?;
        // Too long a line stays too long, and is as good as another one.
        let bytes = line.bytes.unwrap_or_else(|_| vec![b'?'; LONGEST_LINE + 1]);
        kept.write_all(&bytes).and_then(|()| kept.write_all(b"\n")).map_err(InputError::Temporary)?;
    }
    let mut file = kept.into_inner().map_err(|e| e.into_error()).map_err(InputError::Temporary)?;
    file.seek(SeekFrom::Start(0)).map_err(InputError::Temporary)?;
    let first = Lines::plain(file.try_clone().map_err(InputError::Temporary)?, path);
    Ok((first, Again::Kept(file, path.to_owned())))
}

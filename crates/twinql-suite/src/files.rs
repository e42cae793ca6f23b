//! Execution accuracy: two queries on a user's own SQLite files, which are never written to.
//!
//! The layout is Spider's: `FOLDER/DB/DB.sqlite`, and beside it any number of further files
//! with the same schema and other rows, as test suites have them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use twinql_sql::Semantics;

use crate::bout::{Answered, Outcome, Party, Ring, Rules, Settling, Side};
use crate::compare::Columns;
use crate::database::Row;
use crate::execute::{Answer, ExecError, Limits, Prepared, Sandbox};
use crate::lexical::{outermost_order, without_distinct};
use crate::text::ready;

/// A folder of databases that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the databases in {folder}: {message}")]
pub struct FilesError {
    /// The folder.
    pub folder: String,
    /// What is wrong, and what helps.
    pub message: String,
}

/// The database files of a folder, by `db_id`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    root: PathBuf,
    by_id: BTreeMap<String, Vec<PathBuf>>,
}

fn is_database(path: &Path) -> bool {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    matches!(extension.as_deref(), Some("sqlite" | "sqlite3" | "db"))
}

impl Files {
    /// Finds `FOLDER/DB/*.sqlite` (all of them belong to `DB`) and `FOLDER/DB.sqlite`; the
    /// extensions `sqlite3` and `db` are read too. No file is opened.
    ///
    /// # Errors
    /// The folder cannot be listed, or holds no such file.
    pub fn find(root: impl AsRef<Path>) -> Result<Files, FilesError> {
        let root = root.as_ref();
        let fail = |message: String| FilesError { folder: root.display().to_string(), message };
        let list = |folder: &Path| -> Result<Vec<PathBuf>, FilesError> {
            let mut found = std::fs::read_dir(folder)
                .and_then(|entries| entries.map(|e| Ok(e?.path())).collect::<Result<Vec<_>, _>>())
                .map_err(|e| fail(format!("{}: {e}", folder.display())))?;
            found.sort();
            Ok(found)
        };
        let name = |p: Option<&std::ffi::OsStr>| p.map(|n| n.to_string_lossy().into_owned());
        let mut by_id: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for entry in list(root)? {
            if entry.is_dir() {
                let files: Vec<PathBuf> =
                    list(&entry)?.into_iter().filter(|f| is_database(f) && !f.is_dir()).collect();
                if let Some(id) = name(entry.file_name())
                    && !files.is_empty()
                {
                    by_id.entry(id).or_default().extend(files);
                }
            } else if is_database(&entry)
                && let Some(id) = name(entry.file_stem())
            {
                by_id.entry(id).or_default().push(entry);
            }
        }
        if by_id.is_empty() {
            return Err(fail(
                "it holds no DB/DB.sqlite and no DB.sqlite; give the folder that holds one folder for each database"
                    .into(),
            ));
        }
        Ok(Files { root: root.to_owned(), by_id })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The ids, in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.by_id.keys().map(String::as_str)
    }

    /// The files of a database, in order of name.
    pub fn of(&self, db_id: &str) -> Option<&[PathBuf]> {
        self.by_id.get(db_id).map(Vec::as_slice)
    }

    /// Checks that a database has files, and that each can be read.
    ///
    /// # Errors
    /// [`ExecError::NoFile`] where there is none, and what [`Sandbox::open`] says.
    pub fn check(&self, db_id: &str, limits: Limits) -> Result<(), ExecError> {
        let Some(files) = self.of(db_id) else {
            let expected = self.root.join(db_id).join(format!("{db_id}.sqlite"));
            return Err(ExecError::NoFile {
                db_id: db_id.to_owned(),
                expected: expected.display().to_string(),
            });
        };
        files.iter().try_for_each(|file| Sandbox::open(file, limits).map(drop))
    }
}

/// What counts where a query leaves the order or choice of its rows open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// Two answers agree if each query could have given the other's.
    #[default]
    Possible,
    /// Answers are compared as SQLite returned them, as the evaluators of Spider and BIRD do.
    AsReturned,
}

/// How a pair is executed and compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileConfig {
    /// How answers are compared. What it assumes of databases is not checked: a user's file is what it is.
    pub semantics: Semantics,
    /// What ties mean.
    pub ties: Ties,
    /// Bounds on each execution.
    pub limits: Limits,
}

impl Default for FileConfig {
    fn default() -> Self {
        FileConfig::new(Semantics::default())
    }
}

impl FileConfig {
    /// The usual configuration under `semantics`: ties as returned under `spider` and `bird`.
    pub fn new(semantics: Semantics) -> FileConfig {
        FileConfig {
            ties: if semantics.ties_as_returned() { Ties::AsReturned } else { Ties::Possible },
            semantics,
            limits: Limits::for_files(),
        }
    }
}

/// Rows of an answer that a verdict keeps.
const KEPT_ROWS: usize = 20;

/// The beginning of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beginning {
    /// Number of columns.
    pub width: usize,
    /// How many rows there are.
    pub count: usize,
    /// The first 20 of them.
    #[serde(with = "crate::worker::rows")]
    pub rows: Vec<Row>,
}

impl From<Answer> for Beginning {
    fn from(mut answer: Answer) -> Beginning {
        let count = answer.rows.len();
        answer.rows.truncate(KEPT_ROWS);
        Beginning { width: answer.width, count, rows: answer.rows }
    }
}

/// What the executions of a pair found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileVerdict {
    /// The answers agree on all files.
    Same {
        /// How many files.
        files: usize,
        /// Files on which the gold answered: its answer there is not the one that it has when every
        /// table is empty.
        nonempty: usize,
    },
    /// They differ.
    Different {
        /// The first file on which they do.
        file: PathBuf,
        /// The gold's answer there.
        gold: Beginning,
        /// The prediction's answer there.
        pred: Beginning,
    },
    /// The gold cannot be executed.
    GoldError {
        /// On which file.
        file: PathBuf,
        /// What SQLite says.
        message: String,
    },
    /// The prediction cannot be executed.
    PredError {
        /// On which file.
        file: PathBuf,
        /// What SQLite says.
        message: String,
    },
    /// A query passed the limits, and no file before told the two apart.
    Timeout {
        /// Which query.
        side: Side,
        /// On which file.
        file: PathBuf,
        /// Which limit.
        message: String,
    },
    /// A file is missing, damaged or in use.
    FileError {
        /// Which, and what is wrong with it.
        message: String,
    },
    /// The answers agree on all files, and no file says that the queries are the same: the gold never
    /// answered, or never otherwise than a constant does.
    Untested {
        /// How many files.
        files: usize,
        /// Which of the two.
        reason: String,
    },
    /// The machine failed, not the queries or the files.
    MachineError {
        /// How.
        message: String,
    },
}

/// A verdict and what was done to the texts to get there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileReport {
    /// The verdict.
    pub verdict: FileVerdict,
    /// Repairs and fixed moments, `gold:` or `pred:` in front.
    pub notes: Vec<String>,
}

/// Files that a [`FileJudge`] keeps open.
const OPEN_FILES: usize = 48;

/// Executes pairs on files; keep one for each thread. Files that were used last stay open.
#[derive(Debug)]
pub struct FileJudge {
    config: FileConfig,
    open: HashMap<PathBuf, Result<Sandbox, ExecError>>,
    /// The schemas of files, without rows; none where one cannot be made.
    hollow: HashMap<PathBuf, Option<Sandbox>>,
}

/// What stands for a file that was not opened.
const NOT_OPEN: Result<Sandbox, ExecError> = Err(ExecError::NotAQuery);

/// A gold before its first answer on files of which `hollow` is the schema.
fn answered(hollow: Option<&Sandbox>, gold: &str) -> Answered {
    match hollow.map(|hollow| hollow.prepare(gold)) {
        Some(Ok(mut prepared)) => Answered::new(prepared.reads(), prepared.run(0).ok()),
        _ => Answered::new(true, None),
    }
}

/// What one file says.
enum Step {
    /// The gold's answer, which both gave.
    Agree(Answer),
    End(Box<FileVerdict>),
}

impl FileJudge {
    /// A judge with no file open.
    pub fn new(config: FileConfig) -> FileJudge {
        FileJudge { config, open: HashMap::new(), hollow: HashMap::new() }
    }

    /// Opens a file, unless it is open. Where the system has no descriptor left, the others are
    /// closed first.
    fn open(&mut self, file: &Path) {
        let limits = self.config.limits;
        let known = |opened: &Result<Sandbox, ExecError>| !matches!(opened, Err(ExecError::Machine(_)));
        if !self.open.get(file).is_some_and(known) {
            if self.open.len() >= OPEN_FILES {
                self.open.clear();
            }
            let mut opened = Sandbox::open(file, limits);
            if matches!(opened, Err(ExecError::Machine(_))) {
                self.open.clear();
                opened = Sandbox::open(file, limits);
            }
            self.open.insert(file.to_owned(), opened);
        }
    }

    /// Makes the schema of an open file without its rows, unless it is there.
    fn empty_out(&mut self, file: &Path) {
        if let Some(Ok(sandbox)) = self.open.get(file)
            && !self.hollow.contains_key(file)
        {
            if self.hollow.len() >= OPEN_FILES {
                self.hollow.clear();
            }
            self.hollow.insert(file.to_owned(), sandbox.hollow().ok());
        }
    }

    /// Why agreement on all files says nothing, if it does not. Where answers are compared as the
    /// benchmarks' own evaluators do, empty answers agree, as they do there.
    fn untested(&self, first: &Path, gold: &Answered, pair: &Pair) -> Option<String> {
        if self.config.ties == Ties::AsReturned || pair.gold == pair.pred {
            return None;
        }
        gold.untested(|| {
            let hollow = self.hollow.get(first)?.as_ref()?;
            hollow.prepare(&pair.pred).ok()?.run(0).ok()
        })
    }

    /// The configuration.
    pub fn config(&self) -> &FileConfig {
        &self.config
    }

    /// Executes a pair on each of the files, in order, until one tells the two apart.
    pub fn report(&mut self, files: &[PathBuf], gold: &str, pred: &str) -> FileReport {
        let semantics = &self.config.semantics;
        let text = |sql: &str| {
            if semantics.ignore_distinct { without_distinct(sql) } else { sql.to_owned() }
        };
        let mut pair = Pair {
            gold: text(gold),
            pred: text(pred),
            ordered: false,
            columns: None,
            notes: Vec::new(),
            config: self.config.clone(),
        };
        let mut nonempty = 0;
        let mut gold: Option<Answered> = None;
        let none = PathBuf::new();
        let first = files.first().unwrap_or(&none);
        for file in files {
            self.open(file);
            if file == first {
                self.empty_out(file);
            }
            let verdict = match self.open.get(file).unwrap_or(&NOT_OPEN) {
                Err(ExecError::Machine(message)) => FileVerdict::MachineError { message: message.clone() },
                Err(e) => FileVerdict::FileError { message: e.to_string() },
                Ok(sandbox) => match pair.on(sandbox, file) {
                    Step::Agree(answer) => {
                        let gold = match &mut gold {
                            Some(gold) => gold,
                            none => none.insert(answered(
                                self.hollow.get(first).and_then(Option::as_ref),
                                &pair.gold,
                            )),
                        };
                        nonempty += usize::from(gold.note(&answer));
                        continue;
                    }
                    Step::End(verdict) => *verdict,
                },
            };
            return FileReport { verdict, notes: pair.notes };
        }
        let verdict = if files.is_empty() {
            FileVerdict::FileError { message: "there is no database file".into() }
        } else {
            match gold.and_then(|gold| self.untested(first, &gold, &pair)) {
                Some(reason) => FileVerdict::Untested { files: files.len(), reason },
                None => FileVerdict::Same { files: files.len(), nonempty },
            }
        };
        FileReport { verdict, notes: pair.notes }
    }
}

/// A pair on its way from file to file.
struct Pair {
    gold: String,
    pred: String,
    /// The gold's outermost query has ORDER BY.
    ordered: bool,
    /// The orders of columns that all files so far allow; none before the first.
    columns: Option<Columns>,
    notes: Vec<String>,
    config: FileConfig,
}

impl Pair {
    /// Has the two meet on one file.
    fn on(&mut self, sandbox: &Sandbox, file: &Path) -> Step {
        let (gold, pred) = match self.prepare(sandbox, file) {
            Ok(both) => both,
            Err(verdict) => return Step::End(verdict),
        };
        let settling = match self.config.ties {
            Ties::AsReturned => Settling::AsReturned,
            Ties::Possible => Settling::InPlace,
        };
        let mut ring = Ring::bare(sandbox, &self.config.semantics, Rules::of(settling));
        let gold = ring.enter(Party::unread(gold, self.gold.clone()));
        let Some(pred) = pred else {
            // The same text: it only has to run.
            return match ring.answer(gold) {
                Ok(_) => Step::Agree(ring.take_answer(gold)),
                Err(e) => Step::End(failed(Side::Gold, file, e)),
            };
        };
        let pred = ring.enter(Party::unread(pred, self.pred.clone()));
        let pair = ring.pair_of(gold, pred, self.ordered);
        if let Some(columns) = self.columns.take() {
            *ring.columns(pair) = columns;
        }
        // Both run, whatever becomes of the first: what they ask of the clock and of chance is noted.
        for (side, query) in [(Side::Gold, gold), (Side::Pred, pred)] {
            let _ = ring.answer(query);
            for note in ring.party(query).notes(side) {
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
            }
        }
        let outcome = ring.loaded_bout(pair, None);
        self.columns = Some(ring.columns(pair).clone());
        let mut answer = |query| ring.take_answer(query);
        match outcome {
            Ok(Outcome::Agree(_)) => Step::Agree(answer(gold)),
            Ok(Outcome::Differ) => Step::End(Box::new(FileVerdict::Different {
                file: file.to_owned(),
                gold: answer(gold).into(),
                pred: answer(pred).into(),
            })),
            Ok(Outcome::Failed(side, e)) => Step::End(failed(side, file, &e)),
            Err(e) => Step::End(failed(Side::Gold, file, &e)),
        }
    }

    /// Compiles both; no prediction where the two texts are one. On the first file the
    /// texts may be repaired.
    fn prepare<'a>(
        &mut self,
        sandbox: &'a Sandbox,
        file: &Path,
    ) -> Result<(Prepared<'a>, Option<Prepared<'a>>), Box<FileVerdict>> {
        let first = self.columns.is_none();
        let mut compile = |side: Side, text: &mut String| -> Result<Prepared<'a>, Box<FileVerdict>> {
            match sandbox.prepare(text) {
                Ok(prepared) => Ok(prepared),
                Err(e) if !first => Err(failed(side, file, &e)),
                Err(_) => {
                    let ready = ready(sandbox, text).map_err(|e| failed(side, file, &e))?;
                    self.notes.extend(ready.notes.iter().map(|note| format!("{side}: {note}")));
                    *text = ready.sql;
                    Ok(ready.prepared)
                }
            }
        };
        let gold = compile(Side::Gold, &mut self.gold)?;
        let pred = if self.gold == self.pred { None } else { Some(compile(Side::Pred, &mut self.pred)?) };
        if first {
            self.ordered = outermost_order(&self.gold);
        }
        Ok((gold, pred))
    }
}

/// The verdict on a pair of which this side gave no answer on a file.
pub(crate) fn failed(side: Side, file: &Path, error: &ExecError) -> Box<FileVerdict> {
    let (file, message) = (file.to_owned(), error.to_string());
    Box::new(match (side, error) {
        (side, ExecError::Limit(_)) => FileVerdict::Timeout { side, file, message },
        (Side::Gold, _) => FileVerdict::GoldError { file, message },
        (Side::Pred, _) => FileVerdict::PredError { file, message },
    })
}

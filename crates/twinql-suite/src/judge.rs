//! The judge: runs two queries on one generated database after another until their
//! answers differ.

mod ease;
mod further;
mod shrink;
mod simple;
mod statements;

use serde::{Deserialize, Serialize};
use twinql_sql::{Schema, Semantics, Value};

use crate::compare::{Columns, Mode};
use crate::database::Database;
use crate::execute::{Answer, ExecError, Limits, Loader, Sandbox};
use crate::facts::Facts;
use crate::generate::Generator;
use crate::soundness::possible::Effort;
use crate::text::{Ready, ready};
pub use ease::Ease;

use shrink::Shrinking;
use statements::statements;

use crate::tested::Answered;
use crate::trial::{ARRANGEMENTS, Agreement, Party, Patience, agree, rearranged, told_apart};

/// How a pair is judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JudgeConfig {
    /// What "the same answer" means.
    pub semantics: Semantics,
    /// The seed of all databases.
    pub seed: u64,
    /// How many databases a pair has to agree on.
    pub databases: u64,
    /// Bounds on each execution.
    pub limits: Limits,
    /// Drop rows from a witness, simplify its values, and declare its keys, as long as the answers
    /// still differ.
    pub shrink: bool,
}

impl Default for JudgeConfig {
    fn default() -> Self {
        JudgeConfig {
            semantics: Semantics::default(),
            seed: 8,
            databases: 100,
            limits: Limits::default(),
            shrink: false,
        }
    }
}

/// Which of the two queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The gold query.
    Gold,
    /// The prediction.
    Pred,
}

/// A database on which the two queries differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// The number of the database under the seed.
    pub index: u64,
    /// CREATE and INSERT statements that make it.
    pub statements: String,
    /// The gold's answer.
    #[serde(with = "crate::worker::rows")]
    pub gold_rows: Vec<Vec<Value>>,
    /// The prediction's answer.
    #[serde(with = "crate::worker::rows")]
    pub pred_rows: Vec<Vec<Value>>,
    /// Number of columns of the gold's answer.
    pub gold_width: usize,
    /// Number of columns of the prediction's answer.
    pub pred_width: usize,
    /// What SQLite calls the columns of the gold's answer.
    #[serde(default)]
    pub gold_columns: Vec<String>,
    /// What SQLite calls the columns of the prediction's answer.
    #[serde(default)]
    pub pred_columns: Vec<String>,
}

/// What the judge found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// No database told them apart.
    Same {
        /// Databases on which both gave an answer.
        databases: u64,
        /// Databases on which the gold answered: its answer there is not the one that it has when
        /// every table is empty.
        nonempty: u64,
    },
    /// A database tells them apart.
    Different {
        /// That database.
        witness: Box<Witness>,
    },
    /// The gold cannot be executed.
    GoldError {
        /// What SQLite says.
        message: String,
    },
    /// The prediction cannot be executed.
    PredError {
        /// What SQLite says.
        message: String,
    },
    /// A query passed the limits on several databases, and no other told them apart.
    Timeout {
        /// Which query.
        side: Side,
    },
    /// No database told them apart, and none says that they are the same: the gold never answered, or
    /// never otherwise than a constant does.
    Untested {
        /// Databases on which both gave an answer.
        databases: u64,
        /// Which of the two, and the condition that no database met, where it is known.
        reason: String,
    },
    /// The machine failed, not the queries.
    MachineError {
        /// How.
        message: String,
    },
}

impl Verdict {
    /// 1 for the same, 0 for different or a prediction that fails; `None` where the pair
    /// has no label.
    pub fn label(&self) -> Option<u8> {
        match self {
            Verdict::Same { .. } => Some(1),
            Verdict::Different { .. } | Verdict::PredError { .. } => Some(0),
            Verdict::GoldError { .. }
            | Verdict::Timeout { .. }
            | Verdict::Untested { .. }
            | Verdict::MachineError { .. } => None,
        }
    }
}

/// A verdict and what was done to the texts to get there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// Repairs and fixed moments, `gold:` or `pred:` in front.
    pub notes: Vec<String>,
}

impl Report {
    /// The report on any pair of a schema that SQLite cannot create.
    pub fn schema_error(error: &ExecError) -> Report {
        Report {
            verdict: Verdict::GoldError {
                message: format!("the schema cannot be built in SQLite: {error}"),
            },
            notes: Vec::new(),
        }
    }
}

/// Judges pairs over one schema; keep one for each thread and schema.
#[derive(Debug)]
pub struct Judge {
    schema: Schema,
    config: JudgeConfig,
    sandbox: Sandbox,
}

/// Timeouts of one side after which a pair is given up.
const MAX_TIMEOUTS: u64 = 3;

/// Judges one pair. For many pairs over one schema make a [`Judge`].
pub fn judge(schema: &Schema, gold: &str, pred: &str, config: &JudgeConfig) -> Verdict {
    match Judge::new(schema, config.clone()) {
        Ok(judge) => judge.judge(gold, pred),
        Err(error) => Verdict::GoldError {
            message: error.to_string(),
        },
    }
}

/// What one database says.
enum Outcome {
    /// The gold's answer, which both gave.
    Agree(Answer),
    Differ(Answer, Answer),
    Failed(Side, ExecError),
}

struct Trial<'a> {
    sandbox: &'a Sandbox,
    gold: Party<'a>,
    pred: Party<'a>,
    loader: Loader<'a>,
    mode: Mode,
    schema: &'a Schema,
    /// What samples of its possible answers may still cost.
    patience: Patience,
    /// Steps that the gold and the prediction took on all databases.
    spent: [u64; 2],
    /// Steps that had been taken in the sandbox before.
    start: u64,
    /// Steps that the pair may take.
    budget: u64,
}

/// Executions at the limit of steps that one pair is worth, on each hundred databases. No pair of
/// real queries comes near it.
const WORTH: u64 = 20;

impl<'a> Trial<'a> {
    /// True once the pair has cost more than it is worth, beside samples, which have a bound of their own.
    fn exhausted(&self) -> bool {
        let all = self.gold.prepared.spent() - self.start;
        all.saturating_sub(self.patience.used()) > self.budget
    }

    fn run(&mut self, database: &Database, columns: &mut Columns) -> Outcome {
        let (gold, pred) = match self.answers(database) {
            Ok(answers) => answers,
            Err((side, e)) => return Outcome::Failed(side, e),
        };
        if self.agree(database, &gold, &pred, columns) {
            Outcome::Agree(gold)
        } else {
            Outcome::Differ(gold, pred)
        }
    }

    fn answers(&mut self, database: &Database) -> Result<(Answer, Answer), (Side, ExecError)> {
        self.loader.load(database).map_err(|e| (Side::Gold, e))?;
        let start = self.gold.prepared.spent();
        let gold = self.gold.answer(self.sandbox);
        let between = self.gold.prepared.spent();
        self.spent[0] += between - start;
        let gold = gold.map_err(|e| (Side::Gold, e))?;
        let pred = self.pred.answer(self.sandbox);
        self.spent[1] += self.pred.prepared.spent() - between;
        let pred = pred.map_err(|e| (Side::Pred, e))?;
        Ok((gold, pred))
    }

    /// Whether two answers are equal as they were returned.
    fn equal(&mut self, (gold, pred): &(Answer, Answer), columns: &mut Columns) -> bool {
        let (one, two) = ((&mut self.gold, gold), (&mut self.pred, pred));
        matches!(agree(self.sandbox, one, two, self.mode, columns), Agreement::Yes)
    }

    fn agree(&mut self, database: &Database, gold: &Answer, pred: &Answer, columns: &mut Columns) -> bool {
        let (one, two) = ((&mut self.gold, gold), (&mut self.pred, pred));
        let mut doubt = match agree(self.sandbox, one, two, self.mode, columns) {
            Agreement::Yes => return true,
            Agreement::No => return false,
            Agreement::Open(doubt) => doubt,
        };
        self.gold.open(self.sandbox, self.schema);
        self.pred.open(self.sandbox, self.schema);
        for round in 1..=ARRANGEMENTS {
            if self.loader.load(&rearranged(database, round)).is_err() {
                return false;
            }
            let (mut golds, mut preds) = (Vec::new(), Vec::new());
            if !doubt.possible {
                golds = self.gold.other_answers(self.sandbox, round);
            }
            if !doubt.returned {
                preds = self.pred.other_answers(self.sandbox, round);
            }
            doubt.look((gold, pred), &golds, &preds, self.mode, columns);
            if doubt.settled() {
                return true;
            }
        }
        !told_apart(
            &mut self.loader,
            database,
            &mut self.gold,
            &mut self.pred,
            (doubt, self.mode, columns),
            (&mut self.patience, Effort::Full),
        )
    }
}

impl Judge {
    /// A judge for one schema.
    ///
    /// # Errors
    /// Where SQLite cannot create the schema's tables (two of one name, for instance).
    pub fn new(schema: &Schema, config: JudgeConfig) -> Result<Judge, ExecError> {
        Ok(Judge {
            schema: schema.clone(),
            sandbox: Sandbox::new(schema, config.limits)?,
            config,
        })
    }

    /// The configuration.
    pub fn config(&self) -> &JudgeConfig {
        &self.config
    }

    /// Judges a pair.
    pub fn judge(&self, gold: &str, pred: &str) -> Verdict {
        self.report(gold, pred).verdict
    }

    /// Judges a pair and says what was repaired.
    pub fn report(&self, gold: &str, pred: &str) -> Report {
        self.sandbox.after_timeouts(0);
        let mut notes = Vec::new();
        let mut keep = |side: &str, from: &[String]| {
            notes.extend(from.iter().map(|n| format!("{side}: {n}")));
        };
        let gold = match ready(&self.sandbox, gold) {
            Ok(r) => r,
            Err(e) => {
                return Report {
                    verdict: Verdict::GoldError {
                        message: e.to_string(),
                    },
                    notes,
                };
            }
        };
        keep("gold", &gold.notes);
        let pred = match ready(&self.sandbox, pred) {
            Ok(r) => r,
            Err(e) => {
                return Report {
                    verdict: Verdict::PredError {
                        message: e.to_string(),
                    },
                    notes,
                };
            }
        };
        keep("pred", &pred.notes);
        let verdict = self
            .trial(gold, pred, &mut notes)
            .unwrap_or_else(|e| Verdict::GoldError {
                message: e.to_string(),
            });
        Report { verdict, notes }
    }

    /// What both queries say of the tables, and the tables that a query mentions which is not
    /// understood.
    fn read(&self, gold: &Ready<'_>, pred: &Ready<'_>) -> (Vec<Facts>, Vec<usize>) {
        let mut facts = Vec::new();
        let mut tables = Vec::new();
        for side in [gold, pred] {
            match &side.ast {
                Some(ast) => facts.push(Facts::of(&self.schema, ast)),
                None => {
                    let text = side.sql.to_ascii_lowercase();
                    tables.extend(
                        (0..self.schema.tables.len())
                            .filter(|&t| text.contains(&self.schema.tables[t].name.to_ascii_lowercase())),
                    );
                    if !self.schema.views.is_empty() {
                        tables.extend(self.sandbox.tables_of(&side.sql));
                    }
                }
            }
        }
        (facts, tables)
    }

    /// Both queries prepared over the generator's tables, and no column matched yet.
    fn start<'a>(
        &'a self,
        gold: Ready<'a>,
        pred: Ready<'a>,
        generator: &Generator<'_>,
    ) -> Result<(Trial<'a>, Columns), ExecError> {
        let semantics = &self.config.semantics;
        let gold = Party::new(&self.sandbox, gold, semantics);
        let pred = Party::new(&self.sandbox, pred, semantics);
        let fresh = Columns::new(gold.prepared.width(), semantics.any_column_order);
        let start = gold.prepared.spent();
        let hundreds = self.config.databases.div_ceil(100).max(1);
        let trial = Trial {
            sandbox: &self.sandbox,
            loader: self.sandbox.loader(generator.tables())?,
            mode: Mode::new(semantics, gold.ordering.ordered),
            gold,
            pred,
            schema: &self.schema,
            patience: Patience::new(),
            spent: [0; 2],
            start,
            budget: self
                .config
                .limits
                .steps
                .saturating_mul(WORTH.saturating_mul(hundreds)),
        };
        Ok((trial, fresh))
    }

    fn trial(&self, gold: Ready<'_>, pred: Ready<'_>, notes: &mut Vec<String>) -> Result<Verdict, ExecError> {
        let semantics = &self.config.semantics;
        let (facts, tables) = self.read(&gold, &pred);
        let identical = gold.sql == pred.sql;
        let texts = (gold.sql.clone(), pred.sql.clone());
        let generator = Generator::new(&self.schema, semantics, &facts, &tables, self.config.seed);
        let (mut trial, fresh) = self.start(gold, pred, &generator)?;
        let wanted = if identical {
            1
        } else {
            self.config.databases.max(1)
        };
        let nothing = trial.gold.over_nothing(&mut trial.loader);
        let (nothing, failed) = match nothing {
            Ok(answer) => (Some(answer), None),
            Err(error) => (None, Some(error)),
        };
        let mut course = Course::new(&fresh, Answered::new(trial.gold.prepared.reads(), nothing));
        let ended = match failed {
            Some(error @ ExecError::Limit(_)) => course.failed(Side::Gold, error),
            _ => None,
        };
        let ended = ended.or_else(|| {
            (0..wanted).find_map(|index| {
                let database = generator.database(index)?;
                self.step(&generator, &mut trial, &mut course, (index, database))
            })
        });
        let verdict = match ended {
            Some(verdict) => verdict,
            None if identical => course.verdict(),
            None => self.tested(&mut trial, &mut course, generator, texts),
        };
        notes.extend(trial.gold.notes("gold"));
        notes.extend(trial.pred.notes("pred"));
        Ok(verdict)
    }

    /// The witness that a database is; a small and plain one if that is asked for.
    fn witness(
        &self,
        index: u64,
        generator: &Generator<'_>,
        trial: &mut Trial<'_>,
        fresh: &Columns,
        (database, gold, pred): (Database, Answer, Answer),
    ) -> Witness {
        let (gold_columns, pred_columns) = (trial.gold.prepared.names(), trial.pred.prepared.names());
        let (statements, gold, pred) = if self.config.shrink {
            let mut shrinking = Shrinking {
                trial,
                generator,
                columns: fresh,
                database,
                answers: (gold, pred),
            };
            shrinking.run(self.config.limits);
            let (gold, pred) = shrinking.answers;
            let read = [shrinking.trial.gold.sql(), shrinking.trial.pred.sql()];
            (statements(&shrinking.database, &self.schema, read), gold, pred)
        } else {
            (database.to_sql(&self.schema), gold, pred)
        };
        Witness {
            index,
            statements,
            gold_width: gold.width,
            pred_width: pred.width,
            gold_rows: gold.rows,
            pred_rows: pred.rows,
            gold_columns,
            pred_columns,
        }
    }

    /// Runs a trial on one more database; a verdict where that ends it.
    fn step(
        &self,
        generator: &Generator<'_>,
        trial: &mut Trial<'_>,
        course: &mut Course<'_>,
        (index, database): (u64, Database),
    ) -> Option<Verdict> {
        self.sandbox.after_timeouts(course.timeouts.iter().sum());
        match trial.run(&database, &mut course.columns) {
            Outcome::Agree(answer) => {
                course.agreed += 1;
                course.answered += u64::from(course.gold.note(&answer));
                None
            }
            Outcome::Differ(g, p) => {
                let witness = self.witness(index, generator, trial, course.fresh, (database, g, p));
                Some(Verdict::Different {
                    witness: Box::new(witness),
                })
            }
            Outcome::Failed(side, error) => course.failed(side, error),
        }
        .or_else(|| {
            let side = if trial.spent[0] >= trial.spent[1] {
                Side::Gold
            } else {
                Side::Pred
            };
            trial.exhausted().then_some(Verdict::Timeout { side })
        })
    }
}

/// What the databases so far say of a pair.
struct Course<'c> {
    fresh: &'c Columns,
    columns: Columns,
    gold: Answered,
    /// Databases on which both gave an answer.
    agreed: u64,
    /// Of these, those on which the gold answered.
    answered: u64,
    timeouts: [u64; 2],
    failure: Option<ExecError>,
}

impl<'c> Course<'c> {
    fn new(fresh: &'c Columns, gold: Answered) -> Course<'c> {
        Course {
            fresh,
            columns: fresh.clone(),
            gold,
            agreed: 0,
            answered: 0,
            timeouts: [0; 2],
            failure: None,
        }
    }

    /// Takes note that a side gave no answer; a verdict where that ends the trial.
    fn failed(&mut self, side: Side, error: ExecError) -> Option<Verdict> {
        match (side, error) {
            (side, error) if error.is_final() => Some(Verdict::Timeout { side }),
            (side, ExecError::Limit(_)) => {
                let count = &mut self.timeouts[usize::from(side == Side::Pred)];
                *count += 1;
                (*count >= MAX_TIMEOUTS).then_some(Verdict::Timeout { side })
            }
            (Side::Gold, error) => {
                self.failure = Some(error);
                None
            }
            (Side::Pred, error) => Some(Verdict::PredError {
                message: error.to_string(),
            }),
        }
    }

    /// What is to be said where no database told the two apart.
    fn verdict(&self) -> Verdict {
        if self.agreed > 0 {
            return Verdict::Same {
                databases: self.agreed,
                nonempty: self.answered,
            };
        }
        match self.timeouts {
            [0, 0] => Verdict::GoldError {
                message: self.failure.as_ref().map_or_else(
                    || "no database meets the assumptions".to_owned(),
                    ExecError::to_string,
                ),
            },
            [0, _] => Verdict::Timeout { side: Side::Pred },
            _ => Verdict::Timeout { side: Side::Gold },
        }
    }
}

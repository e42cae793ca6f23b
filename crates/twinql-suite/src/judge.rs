//! The judge: runs two queries on one generated database after another until their
//! answers differ.

mod ease;
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

use crate::trial::{ARRANGEMENTS, Agreement, Party, Patience, agree, nonempty, rearranged, told_apart};

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
        /// Databases on which the gold's answer had a row (with more than NULL or 0 in it).
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
}

impl Verdict {
    /// 1 for the same, 0 for different or a prediction that fails; `None` where the pair
    /// has no label.
    pub fn label(&self) -> Option<u8> {
        match self {
            Verdict::Same { .. } => Some(1),
            Verdict::Different { .. } | Verdict::PredError { .. } => Some(0),
            Verdict::GoldError { .. } | Verdict::Timeout { .. } => None,
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
    Agree { nonempty: bool },
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
}

impl<'a> Trial<'a> {
    fn run(&mut self, database: &Database, columns: &mut Columns) -> Outcome {
        let (gold, pred) = match self.answers(database) {
            Ok(answers) => answers,
            Err((side, e)) => return Outcome::Failed(side, e),
        };
        if self.agree(database, &gold, &pred, columns) {
            Outcome::Agree {
                nonempty: nonempty(&gold),
            }
        } else {
            Outcome::Differ(gold, pred)
        }
    }

    fn answers(&mut self, database: &Database) -> Result<(Answer, Answer), (Side, ExecError)> {
        self.loader.load(database).map_err(|e| (Side::Gold, e))?;
        let gold = self.gold.answer(self.sandbox).map_err(|e| (Side::Gold, e))?;
        let pred = self.pred.answer(self.sandbox).map_err(|e| (Side::Pred, e))?;
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
        let trial = Trial {
            sandbox: &self.sandbox,
            loader: self.sandbox.loader(generator.tables())?,
            mode: Mode::new(semantics, gold.ordering.ordered),
            gold,
            pred,
            schema: &self.schema,
            patience: Patience::new(),
        };
        Ok((trial, fresh))
    }

    fn trial(&self, gold: Ready<'_>, pred: Ready<'_>, notes: &mut Vec<String>) -> Result<Verdict, ExecError> {
        let semantics = &self.config.semantics;
        let (facts, tables) = self.read(&gold, &pred);
        let identical = gold.sql == pred.sql;
        let generator = Generator::new(&self.schema, semantics, &facts, &tables, self.config.seed);
        let (mut trial, fresh) = self.start(gold, pred, &generator)?;
        let wanted = if identical {
            1
        } else {
            self.config.databases.max(1)
        };
        let verdict = self.decide(&generator, &mut trial, &fresh, wanted);
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
            (statements(&shrinking.database, &self.schema), gold, pred)
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

    /// Runs a trial on one database after another.
    fn decide(
        &self,
        generator: &Generator<'_>,
        trial: &mut Trial<'_>,
        fresh: &Columns,
        wanted: u64,
    ) -> Verdict {
        let mut columns = fresh.clone();
        let (mut agreed, mut nonempty) = (0, 0);
        let mut timeouts = [0u64; 2];
        let mut failure = None;
        for index in 0..wanted {
            self.sandbox.after_timeouts(timeouts.iter().sum());
            let Some(database) = generator.database(index) else {
                continue;
            };
            match trial.run(&database, &mut columns) {
                Outcome::Agree { nonempty: n } => {
                    agreed += 1;
                    nonempty += u64::from(n);
                }
                Outcome::Differ(g, p) => {
                    let witness = self.witness(index, generator, trial, fresh, (database, g, p));
                    return Verdict::Different {
                        witness: Box::new(witness),
                    };
                }
                // Only this limit depends on the machine: the pair has no label, at once.
                Outcome::Failed(side, ExecError::Limit("time")) => return Verdict::Timeout { side },
                Outcome::Failed(side, ExecError::Limit(_)) => {
                    let count = &mut timeouts[usize::from(side == Side::Pred)];
                    *count += 1;
                    if *count >= MAX_TIMEOUTS {
                        return Verdict::Timeout { side };
                    }
                }
                Outcome::Failed(Side::Gold, e) => {
                    failure = Some(e);
                }
                Outcome::Failed(Side::Pred, e) => {
                    return Verdict::PredError {
                        message: e.to_string(),
                    };
                }
            }
        }
        if agreed == 0 {
            if timeouts[0] > 0 {
                return Verdict::Timeout { side: Side::Gold };
            }
            if timeouts[1] > 0 {
                return Verdict::Timeout { side: Side::Pred };
            }
            return Verdict::GoldError {
                message: failure.map_or_else(
                    || "no database meets the assumptions".to_owned(),
                    |e| e.to_string(),
                ),
            };
        }
        Verdict::Same {
            databases: agreed,
            nonempty,
        }
    }
}

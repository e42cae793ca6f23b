//! The judge: runs two queries on one generated database after another until their
//! answers differ.

use serde::{Deserialize, Serialize};
use twinql_sql::{Schema, Semantics, Value};

use crate::clock::NOW;
use crate::compare::{Columns, Mode, equal};
use crate::database::Database;
use crate::dice::Dice;
use crate::execute::{Answer, ExecError, Limits, Loader, Prepared, Sandbox};
use crate::facts::Facts;
use crate::generate::Generator;
use crate::order::{Ordering, Runs, apply_semantics};
use crate::text::{Ready, ready};

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
    /// Drop rows from a witness as long as the answers still differ.
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
    pub gold_rows: Vec<Vec<Value>>,
    /// The prediction's answer.
    pub pred_rows: Vec<Vec<Value>>,
    /// Number of columns of the gold's answer.
    pub gold_width: usize,
    /// Number of columns of the prediction's answer.
    pub pred_width: usize,
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
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// Repairs and fixed moments, `gold:` or `pred:` in front.
    pub notes: Vec<String>,
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
/// Rearrangements of a database that are tried where an answer depends on the order of rows.
const ARRANGEMENTS: u64 = 6;

/// Judges one pair. For many pairs over one schema make a [`Judge`].
pub fn judge(schema: &Schema, gold: &str, pred: &str, config: &JudgeConfig) -> Verdict {
    match Judge::new(schema, config.clone()) {
        Ok(judge) => judge.judge(gold, pred),
        Err(error) => Verdict::GoldError {
            message: error.to_string(),
        },
    }
}

/// One query in the trial.
struct Party<'a> {
    prepared: Prepared<'a>,
    ordering: Ordering,
    keyed: Option<(Prepared<'a>, Vec<usize>)>,
    shaken: Option<Prepared<'a>>,
    /// It read the clock; it threw dice.
    fixed: (bool, bool),
}

impl<'a> Party<'a> {
    fn new(sandbox: &'a Sandbox, ready: Ready<'a>, semantics: &Semantics) -> Party<'a> {
        let mut prepared = ready.prepared;
        if let Some(sql) = ready.ast.as_ref().and_then(|q| apply_semantics(q, semantics))
            && let Ok(p) = sandbox.prepare(&sql)
        {
            prepared = p;
        }
        let ordering = ready
            .ast
            .as_ref()
            .map(|q| Ordering::of(q, prepared.width()))
            .unwrap_or_default();
        Party {
            prepared,
            ordering,
            keyed: None,
            shaken: None,
            fixed: (false, false),
        }
    }

    /// Notes what the run just done asked for that the sandbox fixes.
    fn fixes(&mut self, sandbox: &Sandbox) {
        let (clock, chance) = sandbox.fixed();
        self.fixed = (self.fixed.0 | clock, self.fixed.1 | chance);
    }

    fn notes(&self, side: &str) -> impl Iterator<Item = String> {
        let clock = self
            .fixed
            .0
            .then(|| format!("{side}: the current time is taken as {NOW} UTC"));
        let chance = self
            .fixed
            .1
            .then(|| format!("{side}: random() and randomblob() are seeded"));
        clock.into_iter().chain(chance)
    }

    /// The runs of equal sort keys on the loaded database, if they can be told.
    fn runs(&mut self, sandbox: &'a Sandbox, tolerance: f64) -> Option<Runs> {
        if self.keyed.is_none()
            && let Some((sql, places)) = self.ordering.keyed.take()
            && let Ok(p) = sandbox.prepare(&sql)
        {
            self.keyed = Some((p, places));
        }
        let (keyed, places) = self.keyed.as_mut()?;
        let answer = keyed.run(0).ok()?;
        Some(Runs::new(
            answer,
            places,
            &self.ordering,
            self.prepared.width(),
            tolerance,
        ))
    }

    /// The answer with ties broken at random.
    fn shake(&mut self, sandbox: &'a Sandbox, seed: u64) -> Option<Answer> {
        if self.shaken.is_none()
            && let Some(sql) = self.ordering.shaken.take()
        {
            self.shaken = sandbox.prepare(&sql).ok();
        }
        self.shaken.as_mut()?.run(seed).ok()
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
}

impl<'a> Trial<'a> {
    fn run(&mut self, database: &Database, columns: &mut Columns) -> Outcome {
        if let Err(e) = self.loader.load(database) {
            return Outcome::Failed(Side::Gold, e);
        }
        self.sandbox.fixed();
        let gold = self.gold.prepared.run(0);
        self.gold.fixes(self.sandbox);
        let gold = match gold {
            Ok(a) => a,
            Err(e) => return Outcome::Failed(Side::Gold, e),
        };
        let pred = self.pred.prepared.run(0);
        self.pred.fixes(self.sandbox);
        let pred = match pred {
            Ok(a) => a,
            Err(e) => return Outcome::Failed(Side::Pred, e),
        };
        if gold.width == pred.width && self.agree(database, &gold, &pred, columns) {
            let nonempty = gold
                .rows
                .iter()
                .flatten()
                .any(|v| !matches!(v, Value::Null | Value::Integer(0)));
            Outcome::Agree { nonempty }
        } else {
            Outcome::Differ(gold, pred)
        }
    }

    fn agree(&mut self, database: &Database, gold: &Answer, pred: &Answer, columns: &mut Columns) -> bool {
        let mode = self.mode;
        // Without ORDER BY any order of its rows is an answer of the prediction.
        let loose = mode.as_list && !self.pred.ordering.ordered && !self.pred.ordering.inner_order;
        if loose && gold.rows.len() > 1 && !self.order_is_moot(gold) {
            return false;
        }
        if equal(gold, pred, mode, columns) {
            return true;
        }
        let limited = self.gold.ordering.limited || self.pred.ordering.limited;
        let runs = self.gold.runs(self.sandbox, mode.tolerance);
        let possible = runs.as_ref().is_some_and(|r| r.contains(pred, mode, columns));
        if possible && !limited {
            return true;
        }
        if !self.gold.ordering.sensitive && !self.pred.ordering.sensitive {
            return false;
        }
        let back = columns.inverse();
        let returned = self
            .pred
            .runs(self.sandbox, mode.tolerance)
            .is_some_and(|r| r.contains(gold, mode, &back));
        if possible && returned {
            return true;
        }
        self.rearranged(database, gold, pred, (possible, returned), columns)
    }

    /// True if all rows of the gold's answer tie, so that their order says nothing.
    fn order_is_moot(&mut self, gold: &Answer) -> bool {
        if let Some(first) = gold.rows.first()
            && gold.rows.iter().all(|r| r == first)
        {
            return true;
        }
        self.gold
            .runs(self.sandbox, self.mode.tolerance)
            .is_some_and(|r| !r.several())
    }

    /// Compares the possible answers that other storage orders and other tie breaks show.
    fn rearranged(
        &mut self,
        database: &Database,
        gold: &Answer,
        pred: &Answer,
        known: (bool, bool),
        columns: &Columns,
    ) -> bool {
        let (mut possible, mut returned) = known;
        let mode = self.mode;
        let back = columns.inverse();
        for round in 1..=ARRANGEMENTS {
            let mut other = database.clone();
            for rows in other.tables.iter_mut().flatten() {
                if round == 1 {
                    rows.reverse();
                } else {
                    Dice::new(round, 0).shuffle(rows);
                }
            }
            if self.loader.load(&other).is_err() {
                return false;
            }
            if !possible {
                let mut seen = [self.gold.prepared.run(round).ok(), None];
                seen[1] = self.gold.shake(self.sandbox, round);
                possible = seen
                    .iter()
                    .flatten()
                    .any(|a| equal(a, pred, mode, &mut columns.clone()));
            }
            if !returned {
                let mut seen = [self.pred.prepared.run(round).ok(), None];
                seen[1] = self.pred.shake(self.sandbox, round);
                returned = seen
                    .iter()
                    .flatten()
                    .any(|a| equal(a, gold, mode, &mut back.clone()));
            }
            if possible && returned {
                return true;
            }
        }
        false
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

    fn trial(&self, gold: Ready<'_>, pred: Ready<'_>, notes: &mut Vec<String>) -> Result<Verdict, ExecError> {
        let semantics = &self.config.semantics;
        let mut facts = Vec::new();
        let mut tables = Vec::new();
        for side in [&gold, &pred] {
            match &side.ast {
                Some(ast) => facts.push(Facts::of(&self.schema, ast)),
                // Not understood: fill every table that the text mentions.
                None => {
                    let text = side.sql.to_ascii_lowercase();
                    tables.extend(
                        (0..self.schema.tables.len())
                            .filter(|&t| text.contains(&self.schema.tables[t].name.to_ascii_lowercase())),
                    );
                }
            }
        }
        let identical = gold.sql == pred.sql;
        let generator = Generator::new(&self.schema, semantics, &facts, &tables, self.config.seed);
        let gold = Party::new(&self.sandbox, gold, semantics);
        let pred = Party::new(&self.sandbox, pred, semantics);
        let mode = Mode::new(semantics, gold.ordering.ordered);
        let fresh = Columns::new(gold.prepared.width(), semantics.any_column_order);
        let mut trial = Trial {
            sandbox: &self.sandbox,
            loader: self.sandbox.loader(generator.tables())?,
            gold,
            pred,
            mode,
        };
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

    /// Runs a trial on one database after another.
    fn decide(
        &self,
        generator: &Generator<'_>,
        trial: &mut Trial<'_>,
        fresh: &Columns,
        wanted: u64,
    ) -> Verdict {
        let semantics = &self.config.semantics;
        let mut columns = fresh.clone();
        let (mut agreed, mut nonempty) = (0, 0);
        let mut timeouts = [0u64; 2];
        let mut failure = None;
        for index in 0..wanted {
            let Some(database) = generator.database(index) else {
                continue;
            };
            match trial.run(&database, &mut columns) {
                Outcome::Agree { nonempty: n } => {
                    agreed += 1;
                    nonempty += u64::from(n);
                }
                Outcome::Differ(g, p) => {
                    let (database, g, p) = if self.config.shrink {
                        shrink(&self.schema, semantics, trial, fresh, database, (g, p))
                    } else {
                        (database, g, p)
                    };
                    return Verdict::Different {
                        witness: Box::new(Witness {
                            index,
                            statements: database.to_sql(&self.schema),
                            gold_width: g.width,
                            pred_width: p.width,
                            gold_rows: g.rows,
                            pred_rows: p.rows,
                        }),
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

/// Drops rows one by one as long as the answers differ and the assumptions hold.
fn shrink(
    schema: &Schema,
    semantics: &Semantics,
    trial: &mut Trial<'_>,
    columns: &Columns,
    mut database: Database,
    mut answers: (Answer, Answer),
) -> (Database, Answer, Answer) {
    loop {
        let mut dropped = false;
        for table in 0..database.tables.len() {
            let mut row = database.rows(table).len();
            while row > 0 {
                row -= 1;
                let mut smaller = database.clone();
                if let Some(Some(rows)) = smaller.tables.get_mut(table) {
                    rows.remove(row);
                }
                if smaller.check(schema, semantics).is_ok()
                    && let Outcome::Differ(g, p) = trial.run(&smaller, &mut columns.clone())
                {
                    database = smaller;
                    answers = (g, p);
                    dropped = true;
                }
            }
        }
        if !dropped {
            return (database, answers.0, answers.1);
        }
    }
}

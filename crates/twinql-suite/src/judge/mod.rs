//! The judge: runs two queries on one generated database after another until their
//! answers differ.
//!
//! A pair that the usual databases do not tell apart is the same, if they tested it at all; if not, further
//! databases are tried, and then a proof. A database that tells it apart is the witness, which may be made small.

mod coverage;
mod ease;
mod expected;
mod further;
mod plausibility;
mod reach;
mod shelf;
mod show;
mod shrink;
mod simple;
mod statements;
mod trial;
mod verdict;

use std::cell::RefCell;
use std::sync::Arc;

use twinql_sql::Schema;

use crate::bout::{Answered, Effort, Next, Ring, Rules, Settling, Side, Standing, nonempty};
use crate::database::Database;
use crate::execute::{ExecError, Sandbox};
use crate::facts::Facts;
use crate::generate::Generator;
use crate::profile::Bound;
use crate::text::{Ready, ready};
pub use ease::Ease;
use reach::Reach;
use shelf::Shelf;
pub use show::Shown;
use shrink::Plainer;
use statements::statements;
use trial::{GOLD, PAIR, PRED, Trial, WORTH};
pub use verdict::{Expectation, JudgeConfig, Plausibility, Reason, Report, Verdict, Witness};

/// Judges pairs over one schema; keep one for each thread and schema.
#[derive(Debug)]
pub struct Judge {
    schema: Schema,
    config: JudgeConfig,
    sandbox: Sandbox,
    /// What plausible databases follow.
    profile: Option<Arc<Bound>>,
    /// Plausible databases of the pairs before.
    shelf: RefCell<Shelf>,
}

/// Judges one pair. For many pairs over one schema make a [`Judge`].
pub fn judge(schema: &Schema, gold: &str, pred: &str, config: &JudgeConfig) -> Verdict {
    match Judge::new(schema, config.clone()) {
        Ok(judge) => judge.judge(gold, pred),
        Err(error) => Verdict::failed(Side::Gold, error),
    }
}

/// What the databases so far say of a pair.
struct Course {
    standing: Standing,
    /// What the gold has answered.
    gold: Answered,
    /// How far the queries count.
    reach: Reach,
}

impl Judge {
    /// A judge for one schema.
    ///
    /// # Errors
    /// Where SQLite cannot create the schema's tables (two of one name, for instance).
    pub fn new(schema: &Schema, config: JudgeConfig) -> Result<Judge, ExecError> {
        let sandbox = Sandbox::new(schema, config.limits)?;
        Ok(Judge { schema: schema.clone(), sandbox, config, profile: None, shelf: RefCell::default() })
    }

    /// Lets plausible databases ([`Judge::expected`]) follow a profile that was bound to this judge's schema.
    #[must_use]
    pub fn following(mut self, profile: Option<Arc<Bound>>) -> Judge {
        self.profile = profile;
        self.shelf = RefCell::default();
        self
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
        let verdict = self.readied([gold, pred], &mut notes).and_then(|[gold, pred]| {
            self.trial(gold, pred, &mut notes).map_err(|e| Verdict::failed(Side::Gold, e))
        });
        let mut verdict = verdict.unwrap_or_else(|refused| refused);
        if let Verdict::Different { witness } = &mut verdict
            && let Some(found) = &mut witness.plausibility
        {
            self.count(gold, pred, found);
        }
        Report { verdict, notes }
    }

    /// Both queries compiled, and what was done to their texts; a verdict where SQLite refuses one.
    fn readied(&self, texts: [&str; 2], notes: &mut Vec<String>) -> Result<[Ready<'_>; 2], Verdict> {
        self.sandbox.forget_made_up();
        self.compiled(texts, notes).or_else(|refused| {
            let made_up = self.sandbox.make_up(texts);
            if made_up.is_empty() {
                return Err(refused);
            }
            let names: Vec<String> = made_up.into_iter().collect();
            notes.clear();
            notes.push(format!("nothing is known of {}: values are made up", names.join(", ")));
            self.compiled(texts, notes)
        })
    }

    fn compiled(&self, texts: [&str; 2], notes: &mut Vec<String>) -> Result<[Ready<'_>; 2], Verdict> {
        let mut ready = |side: Side, sql: &str| -> Result<Ready<'_>, Verdict> {
            let ready = ready(&self.sandbox, sql).map_err(|e| Verdict::failed(side, e))?;
            notes.extend(ready.notes.iter().map(|note| format!("{side}: {note}")));
            Ok(ready)
        };
        let [gold, pred] = texts;
        Ok([ready(Side::Gold, gold)?, ready(Side::Pred, pred)?])
    }

    /// What each of two queries says of the tables; none of one that is not understood, whose tables are named
    /// beside.
    fn read(&self, gold: &Ready<'_>, pred: &Ready<'_>) -> ([Option<Facts>; 2], Vec<usize>) {
        let mut tables = Vec::new();
        let facts = [gold, pred].map(|side| {
            if let Some(ast) = &side.ast {
                return Some(Facts::of(&self.schema, ast));
            }
            let text = side.sql.to_ascii_lowercase();
            let named = |t: &usize| text.contains(&self.schema.tables[*t].name.to_ascii_lowercase());
            tables.extend((0..self.schema.tables.len()).filter(named));
            if !self.schema.views.is_empty() {
                tables.extend(self.sandbox.tables_of(&side.sql));
            }
            None
        });
        (facts, tables)
    }

    /// Both queries in a ring over the generator's tables.
    fn start<'a>(
        &'a self,
        gold: Ready<'a>,
        pred: Ready<'a>,
        tables: &[usize],
        settling: Settling,
    ) -> Result<Trial<'a>, ExecError> {
        let (sandbox, config) = (&self.sandbox, &self.config);
        let mut ring = Ring::bare(sandbox, &config.semantics, Rules::of(settling));
        ring.load_into(&self.schema, tables)?;
        let (gold, pred) = (ring.enter_ready(gold), ring.enter_ready(pred));
        let pair = ring.pair(gold, pred);
        debug_assert_eq!((gold, pred, pair), (GOLD, PRED, PAIR));
        let hundreds = config.databases.div_ceil(100).max(1);
        Ok(Trial {
            sandbox,
            ring,
            start: sandbox.spent(),
            budget: config.limits.steps.saturating_mul(WORTH.saturating_mul(hundreds)),
        })
    }

    /// Has the pair meet on one database after another, beginning with empty tables, which tell
    /// when the gold answers.
    fn trial(&self, gold: Ready<'_>, pred: Ready<'_>, notes: &mut Vec<String>) -> Result<Verdict, ExecError> {
        let (facts, tables) = self.read(&gold, &pred);
        let facts: Vec<Facts> = facts.into_iter().flatten().collect();
        let identical = gold.sql == pred.sql;
        let texts = [gold.sql.clone(), pred.sql.clone()];
        let reach = Reach::of(&facts, [&gold, &pred]);
        let semantics = self.config.semantics.for_gold_text(&self.schema, &gold.sql);
        let made = || Generator::new(&self.schema, &semantics, &facts, &tables, self.config.seed);
        let generator = made();
        let settling = Settling::Rearranged(Effort::Full);
        let mut trial = self.start(gold, pred, generator.tables(), settling)?;
        let wanted = if identical { 1 } else { self.config.databases.max(1) };
        let reads = trial.ring.party(GOLD).prepared.reads();
        let (nothing, failure) = match trial.ring.over_nothing(GOLD) {
            Ok(answer) => (Some(answer), None),
            Err(error) => (None, Some(error)),
        };
        let (standing, gold) = (Standing::default(), Answered::new(reads, nothing));
        let mut course = Course { standing, gold, reach };
        let ended = match failure {
            Some(error @ ExecError::Limit(_)) => course.standing.failed(Side::Gold, error),
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
        notes.extend(trial.ring.party(GOLD).notes(Side::Gold));
        notes.extend(trial.ring.party(PRED).notes(Side::Pred));
        if self.config.coverage && matches!(verdict, Verdict::Same { .. }) {
            let generator = made();
            for (side, query) in [(Side::Gold, GOLD), (Side::Pred, PRED)] {
                let unreached = self.unreached(trial.ring.party(query).sql(), &generator);
                notes.extend(
                    coverage::says(&unreached.unwrap_or_default()).map(|said| format!("{side}: {said}")),
                );
            }
        }
        Ok(verdict)
    }

    /// Runs a trial on one more database; a verdict where that ends it.
    fn step(
        &self,
        generator: &Generator<'_>,
        trial: &mut Trial<'_>,
        course: &mut Course,
        (index, database): (u64, Database),
    ) -> Option<Verdict> {
        self.sandbox.after_timeouts(course.standing.timeouts());
        let outcome = trial.bout(&database);
        let (gold, reach, ring) = (&mut course.gold, &mut course.reach, &mut trial.ring);
        let says = || {
            ring.answer(GOLD).is_ok_and(|answer| {
                reach.note(answer);
                gold.note(answer)
            })
        };
        match course.standing.note(outcome, says) {
            Next::Another => trial.exhausted().then(|| Verdict::Timeout { side: trial.costlier() }),
            Next::Differ => Some(Verdict::Different {
                witness: Box::new(self.witness(index, generator, trial, database)),
            }),
            Next::End(verdict) => Some(verdict),
        }
    }

    /// The witness that the database of the last bout is; a small and plain one if that is asked for.
    fn witness(
        &self,
        index: u64,
        generator: &Generator<'_>,
        trial: &mut Trial<'_>,
        database: Database,
    ) -> Witness {
        let names = |query: usize| trial.ring.party(query).prepared.names();
        let (gold_columns, pred_columns) = (names(GOLD), names(PRED));
        let answers = trial.answers();
        let (statements, [gold, pred], database) = if self.config.shrink {
            let mut plainer = Plainer { trial, generator, database, answers };
            plainer.run(self.config.limits);
            let Plainer { database, answers, .. } = plainer;
            let read = [GOLD, PRED].map(|query| trial.ring.party(query).sql());
            (statements(&database, &self.schema, read), answers, database)
        } else {
            (database.to_sql(&self.schema), answers, database)
        };
        let asked = self.config.plausible > 0;
        let plausibility = asked.then(|| Plausibility {
            because: self.reasons(trial, &database, !nonempty(&gold)),
            ..Plausibility::default()
        });
        Witness {
            index,
            statements,
            gold_width: gold.width,
            pred_width: pred.width,
            gold_rows: gold.rows,
            pred_rows: pred.rows,
            gold_columns,
            pred_columns,
            plausibility,
        }
    }
}

impl Course {
    /// What is to be said where no database told the two apart.
    fn verdict(&self) -> Verdict {
        let unanswered = "no database meets the assumptions";
        self.standing.verdict(|failure| failure.map_or_else(|| unanswered.to_owned(), ExecError::to_string))
    }
}

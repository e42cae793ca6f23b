//! Small databases that show a finding: two answers that SQL allows, or a query beside the one that was most likely
//! meant.

use twinql_sql::{Schema, Semantics};
use twinql_suite::compare::{Columns, Mode, equal};
use twinql_suite::execute::{Answer, Loader, Prepared};
use twinql_suite::facts::Facts;
use twinql_suite::generate::Generator;
use twinql_suite::order::Ordering;
use twinql_suite::{Database, Dice, ExecError, Judge, JudgeConfig, Sandbox, Verdict};

use crate::finding::{Shows, Witness};
use crate::gold::Gold;

/// Databases on which a query is run, at most.
const DATABASES: u64 = 40;
/// Steps of SQLite's machine that one query may take in all.
const STEPS: u64 = 20_000_000;
/// Orders of the rows, and ways to break ties, that are tried.
const ORDERS: u64 = 4;
/// Databases on which a query meets the one that was most likely meant.
const DUELS: u64 = 40;

/// What a run is to find.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sought {
    /// A database on which SQL allows two answers.
    pub(crate) two_answers: bool,
    /// A database on which it allows two orders of the rows.
    pub(crate) two_orders: bool,
    /// A database that gives the query an answer.
    pub(crate) answer: bool,
}

/// What it found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The smallest database found on which SQL allows two answers.
    pub(crate) two_answers: Option<Witness>,
    /// The same for two orders of the rows.
    pub(crate) two_orders: Option<Witness>,
    /// No database gave anything but NULL and 0.
    pub(crate) never_answered: bool,
    /// On how many it ran.
    pub(crate) databases: u64,
}

/// Runs a query on generated databases.
#[derive(Debug)]
pub(crate) struct Search<'s> {
    /// The schema as it is declared: databases keep its keys, not those that the checks suppose.
    schema: &'s Schema,
    /// What databases keep to, and how two answers are compared.
    semantics: &'s Semantics,
    /// Where queries run; it counts the steps that they take.
    sandbox: &'s Sandbox,
    /// The query's constants and links, so that rows meet its conditions.
    facts: [Facts; 1],
    /// The text that SQLite runs, translated where the query is of another dialect.
    sql: &'s str,
    /// Of databases and of orders.
    seed: u64,
}

impl<'s> Search<'s> {
    /// A search for one gold, whose text in SQLite's SQL is `sql`.
    pub(crate) fn new(
        schema: &'s Schema,
        sandbox: &'s Sandbox,
        gold: &Gold<'s>,
        sql: &'s str,
        seed: u64,
    ) -> Search<'s> {
        // Translated, the text is parsed anew, so that the generator reads what is run.
        let facts = match twinql_sql::parse(sql) {
            Ok(parsed) => Facts::of(schema, &parsed.query),
            Err(_) => Facts::of(schema, &gold.parsed.query),
        };
        Search { schema, semantics: gold.semantics, sandbox, facts: [facts], sql, seed }
    }

    /// Runs the query on one database after another until all is found that is sought.
    pub(crate) fn run(&self, sought: Sought) -> Found {
        let generator = Generator::new(self.schema, self.semantics, &self.facts, &[], self.seed);
        let mut found = Found::default();
        let (Ok(mut loader), Ok(mut query)) =
            (self.sandbox.loader(generator.tables()), self.sandbox.prepare(self.sql))
        else {
            return found;
        };
        // Groups come out in the order of their keys, however rows are stored: ties among them are broken by chance.
        // So are those in the order of the answer, where it has a LIMIT, which here keeps all rows.
        let text = match sought.two_orders {
            true => format!("{}\nLIMIT -1", self.sql.trim_end_matches([';', ' ', '\n'])),
            false => self.sql.to_owned(),
        };
        let ordering = twinql_sql::parse(&text).ok().map(|parsed| Ordering::of(&parsed.query, query.width()));
        let mut shaken = ordering.and_then(|o| o.shaken).and_then(|sql| self.sandbox.prepare(&sql).ok());
        let mut runner = Runner {
            loader: &mut loader,
            query: &mut query,
            shaken: shaken.as_mut(),
            semantics: self.semantics,
        };
        let start = self.sandbox.spent();
        let mut answered = false;
        for index in 0..DATABASES {
            let open = sought.two_answers && found.two_answers.is_none();
            let unordered = sought.two_orders && found.two_orders.is_none();
            if !(open || unordered || (sought.answer && !answered)) || self.sandbox.spent() - start > STEPS {
                break;
            }
            let Some(database) = generator.database(index) else { continue };
            let Ok(answer) = runner.answer(&database) else { continue };
            found.databases += 1;
            answered |= says_something(&answer);
            if open && let Some(answers) = runner.both(&database, &answer, false) {
                let database = database.clone();
                found.two_answers = Some(self.shrunk(&mut runner, database, answers, false, start));
            }
            if unordered && let Some(answers) = runner.both(&database, &answer, true) {
                found.two_orders = Some(self.shrunk(&mut runner, database, answers, true, start));
            }
        }
        // Where steps ended it early nothing is known.
        found.never_answered = !answered && found.databases >= DATABASES / 2;
        found
    }

    /// The witness with as few rows as will do.
    fn shrunk(
        &self,
        runner: &mut Runner<'_, '_>,
        database: Database,
        answers: [Answer; 2],
        as_list: bool,
        start: u64,
    ) -> Witness {
        let (mut database, mut answers) = (database, answers);
        loop {
            let mut dropped = false;
            for table in 0..database.tables.len() {
                let mut row = database.rows(table).len();
                while row > 0 {
                    row -= 1;
                    if self.sandbox.spent() - start > 2 * STEPS {
                        break;
                    }
                    let mut smaller = database.clone();
                    if let Some(Some(rows)) = smaller.tables.get_mut(table) {
                        rows.remove(row);
                    }
                    // A row that another refers to has to stay, and what the semantics assumes of databases has to
                    // hold.
                    if smaller.check(self.schema, self.semantics).is_err() {
                        continue;
                    }
                    let Ok(answer) = runner.answer(&smaller) else { continue };
                    if let Some(found) = runner.both(&smaller, &answer, as_list) {
                        (database, answers, dropped) = (smaller, found, true);
                    }
                }
            }
            if !dropped {
                break;
            }
        }
        let names = runner.query.names();
        Witness {
            shows: Shows::TwoAnswers,
            statements: database.to_sql(self.schema),
            columns: [names.clone(), names],
            answers: answers.map(|a| a.rows),
        }
    }

    /// A database on which the query and the one that was most likely meant answer differently.
    pub(crate) fn against(&self, mended: &str) -> Option<Witness> {
        self.judged(mended, 0).map(|found| shown(found, Shows::Mended(mended.to_owned())))
    }

    /// A database on which the query and another gold answer differently, and whether they do so on likely data too.
    pub(crate) fn apart(&self, other: &str) -> Option<(Witness, bool)> {
        let found = self.judged(other, DUELS)?;
        let likely = found.plausibility.as_ref().is_some_and(|p| p.differ > 0);
        Some((shown(found, Shows::OtherGold(other.to_owned())), likely))
    }

    /// What tells the query from another one; `plausible` is the number of likely databases on which that is tried too.
    fn judged(&self, other: &str, plausible: u64) -> Option<Box<twinql_suite::Witness>> {
        let config = JudgeConfig {
            semantics: self.semantics.clone(),
            seed: self.seed,
            databases: DUELS,
            shrink: true,
            plausible,
            ..JudgeConfig::default()
        };
        let judge = Judge::new(self.schema, config).ok()?;
        match judge.judge(self.sql, other) {
            Verdict::Different { witness } => Some(witness),
            _ => None,
        }
    }
}

/// The judge's witness as one of a finding.
fn shown(found: Box<twinql_suite::Witness>, shows: Shows) -> Witness {
    Witness {
        shows,
        statements: found.statements,
        columns: [found.gold_columns, found.pred_columns],
        answers: [found.gold_rows, found.pred_rows],
    }
}

/// A query and what loads databases for it.
struct Runner<'r, 's> {
    /// Fills the sandbox's tables.
    loader: &'r mut Loader<'s>,
    /// The query as it stands.
    query: &'r mut Prepared<'s>,
    /// The query with ties broken by chance.
    shaken: Option<&'r mut Prepared<'s>>,
    /// How two answers are compared.
    semantics: &'r Semantics,
}

impl Runner<'_, '_> {
    /// The query's answer on a database, rows and ties as SQLite has them.
    fn answer(&mut self, database: &Database) -> Result<Answer, ExecError> {
        self.loader.load(database)?;
        self.query.run(0)
    }

    /// The answer, and another one where the same rows are stored in another order, or ties are broken otherwise. The
    /// order of the answer's own rows counts only where it is asked for: where rows tie it is open, and that changes
    /// nothing in what they are.
    fn both(&mut self, database: &Database, answer: &Answer, as_list: bool) -> Option<[Answer; 2]> {
        let mode = Mode {
            any_column_order: false,
            as_set: self.semantics.rows_as_set,
            as_list,
            tolerance: self.semantics.float_tolerance,
        };
        for round in 0..ORDERS {
            let other = self.answer(&stored_otherwise(database, round)).ok()?;
            if !equal(answer, &other, mode, &mut Columns::new(answer.width, false)) {
                return Some([answer.clone(), other]);
            }
        }
        let shaken = self.shaken.as_mut()?;
        self.loader.load(database).ok()?;
        for seed in 1..=ORDERS {
            let other = shaken.run(seed).ok()?;
            if !equal(answer, &other, mode, &mut Columns::new(answer.width, false)) {
                return Some([answer.clone(), other]);
            }
        }
        None
    }
}

/// The database with its rows in another order: first the reverse.
fn stored_otherwise(database: &Database, round: u64) -> Database {
    let mut other = database.clone();
    for rows in other.tables.iter_mut().flatten() {
        match round {
            0 => rows.reverse(),
            round => Dice::new(round, 0).shuffle(rows),
        }
    }
    other
}

/// Anything but NULL and 0.
fn says_something(answer: &Answer) -> bool {
    use twinql_sql::Value;
    answer.rows.iter().flatten().any(|v| !matches!(v, Value::Null | Value::Integer(0)))
}

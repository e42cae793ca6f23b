//! The evaluator and the probe beside SQLite: what both the tests and the program do with a pair.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;
use twinql_probe::{Order, Probe, Rows, Stop, Witness, evaluate};
use twinql_sql::{Plan, Schema, SchemaSet, Semantics, normalize, parse, plan};
use twinql_suite::compare::{Columns, Mode, equal};
use twinql_suite::execute::Answer;
use twinql_suite::facts::Facts;
use twinql_suite::generate::Generator;
use twinql_suite::{Database, Limits, Sandbox, without_distinct};

/// How often each thing happened, and what must not happen.
#[derive(Debug, Default)]
pub struct Tally {
    pub counts: BTreeMap<String, usize>,
    pub wrong: Vec<String>,
}

impl Tally {
    fn count(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }

    fn add(&mut self, other: Tally) {
        for (what, n) in other.counts {
            *self.counts.entry(what).or_default() += n;
        }
        self.wrong.extend(other.wrong);
    }

    /// What `one` counts of all pairs whose schema is known.
    pub fn over(
        pairs: &[Pair],
        schemas: &SchemaSet,
        one: impl Fn(&Schema, &Pair, &mut Tally) + Sync,
    ) -> Tally {
        let each = pairs.par_iter().map(|pair| {
            let mut tally = Tally::default();
            if let Some(schema) = schemas.get(&pair.db) {
                one(schema, pair, &mut tally);
            }
            tally
        });
        let each: Vec<Tally> = each.collect();
        let mut sum = Tally::default();
        each.into_iter().for_each(|tally| sum.add(tally));
        sum
    }

    /// The sum of all counts whose name starts so.
    pub fn of(&self, start: &str) -> usize {
        self.counts.iter().filter(|(what, _)| what.starts_with(start)).map(|(_, n)| n).sum()
    }
}

/// A pair of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    pub db: String,
    pub gold: String,
    pub pred: String,
}

/// Each `step`-th pair of a file of JSON lines.
pub fn pairs(file: &Path, step: usize) -> Vec<Pair> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let field = |pair: &serde_json::Value, key: &str| pair[key].as_str().unwrap_or_default().to_owned();
    text.lines()
        .step_by(step)
        .filter_map(|line| serde_json::from_str(line).ok())
        .map(|p| Pair { db: field(&p, "db_id"), gold: field(&p, "gold"), pred: field(&p, "pred") })
        .collect()
}

/// What is certain of an evaluated answer, and the same of what SQLite says. Columns in another order may be other
/// columns, of which only the number of rows counts.
fn certain(rows: &Rows<'_>, said: &Answer, any_order: bool) -> [Answer; 2] {
    let known = |place: usize| rows.certain.is_none() || !any_order && rows.is_certain(place);
    let places: Vec<usize> = (0..said.width).filter(|p| known(*p)).collect();
    let part = |rows: Vec<Vec<twinql_sql::Value>>| {
        let pick = |row: &Vec<_>| places.iter().filter_map(|p| row.get(*p).cloned()).collect();
        Answer { width: places.len(), rows: rows.iter().map(pick).collect() }
    };
    [part(rows.to_values()), part(said.rows.clone())]
}

/// Evaluates a query as it is planned and in its canonical form on generated databases, and compares with SQLite.
pub fn agreement(schema: &Schema, sql: &str, tally: &mut Tally) {
    let Ok(parsed) = parse(sql) else { return };
    let Ok(planned) = plan(schema, &parsed) else { return };
    let semantics = Semantics::default();
    let semantics = semantics.for_gold(schema, &planned);
    let facts = [Facts::of(schema, &parsed.query)];
    let generator = Generator::new(schema, &semantics, &facts, &[], 5);
    let Ok(sandbox) = Sandbox::new(schema, Limits::default()) else { return };
    let (Ok(mut loader), Ok(mut prepared)) = (sandbox.loader(generator.tables()), sandbox.prepare(sql))
    else {
        return;
    };
    let canonical = normalize(schema, planned.clone(), &semantics).plan;
    for index in 0..6 {
        let Some(database) = generator.database(index) else { continue };
        if loader.load(&database).is_err() {
            continue;
        }
        let Ok(expected) = prepared.run(0) else { continue };
        for (what, plan, any_order) in
            [("planned", &planned, false), ("canonical", &canonical, semantics.any_column_order)]
        {
            let plan: &Plan = plan;
            match evaluate(plan, &database, 50_000) {
                Ok(rows) => {
                    let [own, expected] = certain(&rows, &expected, any_order);
                    let mode =
                        Mode { any_column_order: any_order, as_set: false, as_list: false, tolerance: 1e-9 };
                    if equal(&expected, &own, mode, &mut Columns::new(own.width, any_order)) {
                        let part =
                            if rows.certain.is_some() { "agrees as far as it is certain" } else { "agrees" };
                        tally.count(format!("{what}: {part}"));
                    } else {
                        tally.wrong.push(format!(
                            "{what} on database {index}: {sql}\n  SQLite {:?}\n  here   {:?}",
                            expected.rows, own.rows
                        ));
                    }
                }
                Err(Stop::Unsupported(why)) => tally.count(format!("{what}: not evaluated: {why}")),
                Err(stop) => tally.count(format!("{what}: {stop:?}")),
            }
        }
    }
}

/// Probes a pair, and runs both queries by SQLite on the database that is said to tell them apart.
pub fn soundness(schema: &Schema, pair: &Pair, semantics: &Semantics, tally: &mut Tally) {
    let Ok(found) = Probe::default().texts(schema, &pair.gold, &pair.pred, semantics) else { return };
    let Some(Witness { schema, database }) = &found.witness else {
        tally.count(if found.differ > 0 { "other widths" } else { "not refuted" });
        return;
    };
    let tables: Vec<usize> = (0..schema.tables.len()).collect();
    let Ok(sandbox) = Sandbox::new(schema, Limits::default()) else { return };
    let Ok(mut loader) = sandbox.loader(&tables) else { return };
    if loader.load(database).is_err() {
        return;
    }
    let text = |sql: &str| match semantics.ignore_distinct {
        true => without_distinct(sql),
        false => sql.to_owned(),
    };
    let run = |sql: &str| sandbox.prepare(&text(sql)).and_then(|mut p| p.run(0));
    let (gold, pred) = match (run(&pair.gold), run(&pair.pred)) {
        (Ok(gold), Ok(pred)) => (gold, pred),
        (Err(error), _) | (_, Err(error)) => {
            let why = error.to_string();
            let kind = why.split([':', '"', '`', '\'']).next().unwrap_or_default();
            return tally.count(format!("not executed: {kind}"));
        }
    };
    let ordered = twinql_suite::outermost_order(&pair.gold);
    let mode = Mode::new(semantics, ordered);
    let mut columns = Columns::new(gold.width, mode.any_column_order);
    if equal(&gold, &pred, mode, &mut columns) {
        // One order of columns has to do for all databases: this one alone may allow another.
        let alone = found.agree == 0 || !semantics.any_column_order;
        if leaves_open(schema, &pair.gold, database) || leaves_open(schema, &pair.pred, database) {
            tally.count("refuted by an order or a choice that a query leaves open");
        } else if alone {
            tally.wrong.push(format!("{}\n  {}\n  both {:?}", pair.gold, pair.pred, gold.rows));
        } else {
            tally.count("refuted by the order of columns");
        }
    } else {
        tally.count("refuted");
    }
}

/// Whether SQL allows several answers of a query on a database, of which SQLite gives one: rows tie, or a limit cuts a tie.
fn leaves_open(schema: &Schema, sql: &str, database: &Database) -> bool {
    let Ok(plan) = parse(sql).and_then(|parsed| plan(schema, &parsed)) else { return false };
    match evaluate(&plan, database, 50_000) {
        Ok(rows) => {
            let tied = matches!(&rows.order, Order::Sorted(runs) if runs.windows(2).any(|two| matches!(two, [a, b] if a == b)));
            rows.certain.is_some() || tied
        }
        Err(stop) => stop == Stop::Undetermined,
    }
}

/// The schemas of a file or folder, where they can be read.
pub fn schemas(path: &Path) -> SchemaSet {
    twinql_sql::schema::load(path).unwrap_or_default()
}

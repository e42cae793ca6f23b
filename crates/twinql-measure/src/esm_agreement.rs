//! How often our forms of exact set match agree with the published scripts of Spider and ESM+, and with execution, on
//! the predictions of eight systems over Spider dev (`TWINQL_DATA`). docs/esm.md has what it prints.
//!
//! With a metric's name, each pair on which it disagrees with the script (with execution) is printed as well; with `rules`, what
//! each rule of ESM+ brings.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use twinql::metrics::{ESM_OFFICIAL, ESM_PLUS_PUBLISHED};
use twinql::{Engine, Job, Work, metrics};
use twinql_metrics::{ESM_RULES, Scored, WithoutRules, clauses_match, esm_plus};
use twinql_sql::{Parsed, Schema, SchemaSet};

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "esm-agreement",
    about: "exact set match against the published scripts and execution",
    usage: "[METRIC [exec] | rules]",
    run,
};

const SYSTEMS: [&str; 8] = ["C3", "Claude", "DAIL", "DIN", "GPT4Turbo", "Graphix", "RASAT+PICARD", "RESDSQL"];

/// A pair as a metric gets it.
struct Pair<'p> {
    /// From tables.json: Spider's script takes foreign keys from there.
    listed: &'p Schema,
    /// From the database: the ESM+ script takes keys and NOT NULL from there.
    real: &'p Schema,
    /// The same as twinql reads it: the parts of a composite key are never NULL.
    keyed: &'p Schema,
    gold: (&'p str, Option<&'p Parsed>),
    pred: (&'p str, Option<&'p Parsed>),
}

impl Pair<'_> {
    fn parsed(&self, score: impl Fn(&Parsed, &Parsed) -> Scored) -> Scored {
        match (self.gold.1, self.pred.1) {
            (Some(gold), Some(pred)) => score(gold, pred),
            _ => Scored::default(),
        }
    }

    /// The score that users get, with all that stands between them and the metric.
    fn asked(&self, metric: &'static metrics::Metric, schema: &Schema) -> Scored {
        let (gold, pred) = (self.gold.0.to_owned(), self.pred.0.to_owned());
        let work = Work::Pair { schema: Arc::new(schema.clone()), gold, pred };
        let engine = Engine::builder().metric(metric).build().expect("no network is asked for");
        let record = engine.score(&[Job::new(Value::Null, work)]).remove(0);
        Scored { score: record.score(metric.name).unwrap_or_default(), details: record.details }
    }
}

/// A metric, and the script's verdict that it is compared with.
struct Metric {
    name: &'static str,
    script: &'static str,
    /// The ESM+ script executes predictions first, and what fails there is wrong: ours does not ask.
    executes: bool,
    score: fn(&Pair<'_>) -> Scored,
}

const METRICS: [Metric; 6] = [
    Metric {
        name: "esm:official",
        script: "esm",
        executes: false,
        score: |p| p.asked(&ESM_OFFICIAL, p.listed),
    },
    Metric {
        name: "esm",
        script: "esm",
        executes: false,
        score: |p| p.parsed(|g, q| clauses_match(p.keyed, &g.query, &q.query, false)),
    },
    Metric {
        name: "esm:values",
        script: "esm",
        executes: false,
        score: |p| p.parsed(|g, q| clauses_match(p.keyed, &g.query, &q.query, true)),
    },
    Metric {
        name: "esm+:published",
        script: "esmp",
        executes: false,
        score: |p| p.asked(&ESM_PLUS_PUBLISHED, p.real),
    },
    Metric {
        name: "  our NOT NULL",
        script: "esmp",
        executes: false,
        score: |p| p.asked(&ESM_PLUS_PUBLISHED, p.keyed),
    },
    Metric {
        name: "esm+",
        script: "esmp",
        executes: true,
        score: |p| p.parsed(|g, q| esm_plus(p.keyed, &g.query, &q.query, &WithoutRules::default())),
    },
];

/// Two verdicts on the same pairs.
#[derive(Default, Clone, Copy)]
pub struct Tally {
    ours: usize,
    theirs: usize,
    /// Pairs that we alone call the same.
    pub only_ours: usize,
    only_theirs: usize,
    /// All pairs.
    pub pairs: usize,
}

impl Tally {
    fn add(&mut self, ours: bool, theirs: bool) {
        self.pairs += 1;
        self.ours += usize::from(ours);
        self.theirs += usize::from(theirs);
        self.only_ours += usize::from(ours && !theirs);
        self.only_theirs += usize::from(theirs && !ours);
    }

    /// The share of pairs on which both say the same.
    pub fn agreement(&self) -> f64 {
        1.0 - (self.only_ours + self.only_theirs) as f64 / self.pairs as f64
    }

    fn print(&self, system: &str, metric: &str) {
        let Tally { ours, theirs, only_ours, only_theirs, pairs } = self;
        let agree = 100.0 * self.agreement();
        println!(
            "{system:<13} {metric:<15} {pairs:>6} {ours:>6} {theirs:>7} {only_ours:>10} {only_theirs:>12} {agree:>8.2}"
        );
    }
}

fn heading(theirs: &str) {
    let only = format!("only {theirs}");
    println!(
        "{:<13} {:<15} {:>6} {:>6} {theirs:>7} {:>10} {only:>12} {:>8}",
        "system", "metric", "pairs", "ours", "only ours", "agree %"
    );
}

fn run(args: &[String]) -> Done {
    let Some(data) = std::env::var_os("TWINQL_DATA") else {
        eprintln!("skipped: TWINQL_DATA is not set");
        return Ok(());
    };
    let show = args.first().map(String::as_str);
    if show == Some("rules") {
        return by_rules(Path::new(&data));
    }
    let execution = args.get(1).is_some_and(|a| a == "exec");
    let measured = measure(Path::new(&data), show, execution)?;
    println!("agreement with the published scripts (esm: Spider's, esm+: that of ESM+)");
    heading("script");
    for (system, metric, tally) in &measured.scripts {
        tally.print(system, metric);
    }
    println!("\nagreement with execution on 20 databases a schema, DISTINCT kept");
    heading("exec");
    measured.executed.iter().for_each(|(metric, tally)| tally.print("all", metric));
    println!();
    for (name, time) in &measured.times {
        println!("{name:<15} {:>6.1} ms for 1,034 pairs", time.as_secs_f64() * 1e3 / SYSTEMS.len() as f64);
    }
    Ok(())
}

/// All tallies.
pub struct Measured {
    /// By system (the last is all of them) and metric: ours against the script's verdict.
    pub scripts: Vec<(&'static str, &'static str, Tally)>,
    /// By metric: ours against execution.
    pub executed: BTreeMap<&'static str, Tally>,
    times: BTreeMap<&'static str, Duration>,
}

/// A pair with what was stored of it.
struct Stored<'p> {
    pair: Pair<'p>,
    system: usize,
    /// Its line in the file, from 0, and its database.
    place: (usize, &'p str),
    /// What the scripts say of it.
    verdict: &'p Value,
    /// The prediction can be executed.
    runs: bool,
    /// Execution calls the two the same.
    executed: bool,
}

fn yes(verdict: &Value, key: &str) -> bool {
    verdict.get(key).and_then(Value::as_i64) == Some(1)
}

/// Hands out all pairs of all systems.
fn each(data: &Path, mut take: impl FnMut(&Stored<'_>)) -> Result<(), Box<dyn Error>> {
    let tables = twinql_sql::schema::load(data.join("spider/tables.json"))?;
    let golds: Vec<(String, String)> = fs::read_to_string(data.join("spider/dev_gold.sql"))?
        .lines()
        .filter_map(|l| l.split_once('\t'))
        .map(|(sql, db)| (sql.to_owned(), db.trim().to_owned()))
        .collect();
    let parsed: Vec<Option<Parsed>> = golds.iter().map(|(sql, _)| twinql_sql::parse(sql).ok()).collect();
    let keyed = databases(data, &tables, &golds, false);
    let databases = databases(data, &tables, &golds, true);
    for (at, system) in SYSTEMS.iter().enumerate() {
        let verdicts = lines(&data.join(format!("esmp_verdicts/spider_dev/{system}.jsonl")))?;
        let executions = lines(&data.join(format!("exec_verdicts/{system}_kd.jsonl")))?;
        let file = format!("predictions/spider_dev/ESMp_{}.txt", system.replace('+', "_"));
        let preds = fs::read_to_string(data.join(file))?;
        for (i, pred) in preds.lines().enumerate() {
            let (Some((gold, db)), Some(verdict), Some(executed)) =
                (golds.get(i), verdicts.get(i), executions.get(i))
            else {
                continue;
            };
            let (Some(listed), Some(real), Some(keyed)) = (tables.get(db), databases.get(db), keyed.get(db))
            else {
                continue;
            };
            let text = pred.trim().split('\t').next().unwrap_or_default();
            let read = twinql_sql::parse(text).ok();
            let gold_read = parsed.get(i).and_then(Option::as_ref);
            take(&Stored {
                pair: Pair { listed, real, keyed, gold: (gold, gold_read), pred: (text, read.as_ref()) },
                system: at,
                place: (i, db),
                verdict,
                runs: verdict.get("pred_executes").and_then(Value::as_bool) != Some(false),
                executed: yes(executed, "exec"),
            });
        }
    }
    Ok(())
}

/// Scores all pairs; of the metric named `show` it prints those that disagree with the script, or with execution.
pub fn measure(data: &Path, show: Option<&str>, execution: bool) -> Result<Measured, Box<dyn Error>> {
    let mut out = Measured { scripts: Vec::new(), executed: BTreeMap::new(), times: BTreeMap::new() };
    let mut tallies = [[Tally::default(); METRICS.len()]; SYSTEMS.len()];
    let mut all = [Tally::default(); METRICS.len()];
    each(data, |stored| {
        for (metric, (tally, all)) in METRICS.iter().zip(tallies[stored.system].iter_mut().zip(&mut all)) {
            let start = Instant::now();
            let scored = (metric.score)(&stored.pair);
            *out.times.entry(metric.name).or_default() += start.elapsed();
            let ours = scored.score == 1.0 && (stored.runs || !metric.executes);
            let theirs = yes(stored.verdict, metric.script);
            tally.add(ours, theirs);
            all.add(ours, theirs);
            out.executed.entry(metric.name).or_default().add(ours, stored.executed);
            let other = if execution { stored.executed } else { theirs };
            if ours != other && show == Some(metric.name) {
                let Stored { pair, system, place: (line, db), runs, .. } = stored;
                let (system, details) = (SYSTEMS[*system], Value::from(scored.details));
                println!("{system} {line} {db}: ours {ours}, theirs {other}, executes {runs}");
                println!("  {}\n  {}\n  {details}", pair.gold.0, pair.pred.0);
            }
        }
    })?;
    let of_all = std::iter::once(("all", all));
    for (system, tallies) in SYSTEMS.into_iter().zip(tallies).chain(of_all) {
        out.scripts.extend(METRICS.iter().zip(tallies).map(|(m, tally)| (system, m.name, tally)));
    }
    Ok(out)
}

/// Figure 7 of the ESM+ paper: of each system's predictions, the percentage that execution calls right and `esm+` wrong, with no
/// rule and as each is added, in the order of the paper's table.
fn by_rules(data: &Path) -> Done {
    let mut rules: Vec<_> = ESM_RULES.iter().collect();
    rules.sort_by_key(|rule| rule.number);
    let left_out = |kept: usize| WithoutRules::named(rules.iter().skip(kept).map(|rule| rule.name));
    let without = (0..=rules.len()).map(left_out).collect::<Result<Vec<_>, _>>()?;
    let mut missed = vec![[0_usize; SYSTEMS.len()]; without.len()];
    let mut pairs = [0_usize; SYSTEMS.len()];
    each(data, |stored| {
        pairs[stored.system] += 1;
        for (missed, without) in missed.iter_mut().zip(&without) {
            let same = |g: &Parsed, q: &Parsed| esm_plus(stored.pair.keyed, &g.query, &q.query, without);
            let same = stored.runs && stored.pair.parsed(same).score == 1.0;
            missed[stored.system] += usize::from(stored.executed && !same);
        }
    })?;
    print!("{:<23}", "rules up to");
    SYSTEMS.iter().for_each(|system| print!(" {system:>13}"));
    let names = std::iter::once("none".to_owned())
        .chain(rules.iter().map(|rule| format!("{:>2} {}", rule.number, rule.name)));
    for (name, missed) in names.zip(missed) {
        print!("\n{name:<23}");
        missed.iter().zip(&pairs).for_each(|(n, of)| print!(" {:>13.1}", 100.0 * *n as f64 / *of as f64));
    }
    println!();
    Ok(())
}

fn lines(path: &Path) -> Result<Vec<Value>, Box<dyn Error>> {
    Ok(fs::read_to_string(path)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// The schemas of the real databases, with NOT NULL as SQLite tells it or as twinql reads it.
fn databases(data: &Path, tables: &SchemaSet, golds: &[(String, String)], told: bool) -> SchemaSet {
    let mut out = SchemaSet::default();
    for (_, db) in golds {
        if out.contains_key(db) {
            continue;
        }
        let folder = data.join("spider/database").join(db);
        let file = folder.join(format!("{db}.sqlite"));
        let real = if file.exists() {
            Schema::from_sqlite(&file).ok().and_then(|mut schema| {
                if told {
                    as_sqlite_says(&file, &mut schema).ok()?;
                }
                Some(schema)
            })
        } else {
            let ddl = twinql_sql::schema::load(folder.join("schema.sql")).ok();
            ddl.and_then(|schemas| schemas.into_values().next())
        };
        if real.is_none() {
            eprintln!("{db}: no database, its schema is read from tables.json");
        }
        if let Some(schema) = real.or_else(|| tables.get(db).cloned()) {
            out.insert(db.clone(), schema);
        }
    }
    out
}

/// The script asks SQLite which columns are NOT NULL; SQLite does not say that the parts of a composite key are,
/// unless they are declared so.
fn as_sqlite_says(file: &Path, schema: &mut Schema) -> Result<(), rusqlite::Error> {
    let db = rusqlite::Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    for table in schema.tables.iter_mut().filter(|t| t.primary_key.len() > 1) {
        for part in &table.primary_key {
            let Some(column) = table.columns.get_mut(*part) else { continue };
            let sql = "SELECT \"notnull\" FROM pragma_table_info(?1) WHERE name = ?2";
            column.not_null = db.query_row(sql, [&table.name, &column.name], |row| row.get(0))?;
        }
    }
    Ok(())
}

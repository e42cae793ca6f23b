//! `twinql suite build` and `suite run`: test-suite accuracy (Zhong, Yu and Klein, EMNLP 2020).
//!
//! A suite is distilled once for a set of gold queries, from their schemas alone or with values of real
//! databases, and then run on the predictions of any system. Building may take hours, so that each schema
//! that is finished is kept in a file beside the output until the whole is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde_json::json;
use twinql::corpus::{predictions, spider};
use twinql::files::{Inputs, read_bounded};
use twinql::input::{Guessing, Schemas, pred_in_sqlite};
use twinql::judging::Workers;
use twinql::metrics::{Hardness, Interactions, OfInteractions, Resampling};
use twinql::record::Status;
use twinql::signature::{Signature, suite_hash};
use twinql::sql::prove::Side;
use twinql::sql::{Dialect, Schema};
use twinql::suite::profile::Profile;
use twinql::suite::resume::partial_of;
use twinql::suite::suite::{
    Counts, DistilConfig, RunOptions, RunPair, RunVerdict, Suite, Task, build as distil_all, read_values,
    run as run_suite, run_in_processes,
};
use twinql::suite::{Limits, VerdictBy as Verdict};
use twinql::{Dialects, status};

use crate::args::shared::{GoldDialectFlags, NeededSchemaFlags};
use crate::args::{self, DEFAULT_SEED, Source, suite};
use crate::commands::{fail_under, hardness_of, settled_profiles, worker, write_as};
use crate::input;
use crate::interrupt;
use crate::output::{Console, Sink, built_file, table, write_file};

/// Distils a suite for the gold queries of a file, schema by schema.
pub(crate) fn build(typed: &suite::SuiteBuild, seed: Option<u64>, console: Console) -> Result<bool> {
    let default = DistilConfig::default();
    let config = DistilConfig {
        semantics: typed.semantics.get()?,
        seed: seed.unwrap_or(DEFAULT_SEED),
        max_databases: typed.max_databases.unwrap_or(default.max_databases),
        aimed: typed.aimed.unwrap_or(default.aimed),
        neighbours: typed.neighbours.unwrap_or(default.neighbours),
        extra: typed.extra.unwrap_or(default.extra),
        plausible: typed.plausible,
    };
    let mut inputs = Inputs::default().with([
        ("--gold", Some(typed.gold.gold.as_path())),
        ("--schemas", Some(typed.input.schemas.as_path())),
        ("--values-from", typed.values_from.as_deref()),
        ("--profile", typed.profile.as_deref()),
    ]);
    built_file(&mut inputs, &typed.out)?;
    let mut tasks = tasks(&typed.gold.gold, &typed.input, console)?;
    if let Some(path) = &typed.values_from {
        add_values(&mut tasks, path, console)?;
    }
    let profiles =
        settled_profiles(typed.profile.as_deref(), tasks.iter().map(|task| &task.schema), console)?;
    for task in &mut tasks {
        task.profile = profiles.of(&task.schema).map(|profile| Profile::clone(profile));
    }
    let partial = partial_of(&typed.out);
    interrupt::hint(format!(
        "finished schemas are in {}; the same command with --resume goes on from there",
        partial.display()
    ));
    let bar = console.bar(Some(tasks.len() as u64), "schemas");
    let databases = AtomicU64::new(0);
    let suite = distil_all(
        &tasks,
        &config,
        Some((&partial, typed.resume)),
        &|tally| {
            // Not after each of many thousand databases.
            if databases.fetch_add(1, Ordering::Relaxed).is_multiple_of(16) {
                let tried = tally.tried.load(Ordering::Relaxed);
                let per_second = tried as f64 / bar.elapsed().as_secs_f64().max(0.001);
                bar.set_message(format!(
                    "{tried} databases, {per_second:.0}/s, {} of {} neighbours left",
                    tally.left.load(Ordering::Relaxed),
                    tally.neighbours.load(Ordering::Relaxed),
                ));
            }
        },
        &|done| bar.set_position(done as u64),
    )?;
    bar.finish_and_clear();
    let bytes = suite.to_bytes()?;
    write_file(&typed.out, &bytes)?;
    if let Err(e) = std::fs::remove_file(&partial) {
        console.warn(format!("cannot remove {}: {e}", partial.display()));
    }
    let counts = suite.counts();
    console.say(format!("wrote {}: {} bytes", typed.out.display(), bytes.len()));
    console.say(summary(&counts));
    for schema in &suite.schemas {
        if let Some(gold) = schema.golds.iter().find(|g| g.error.is_some()) {
            console.warn(format!(
                "{}: a gold query cannot be executed: {} ({})",
                schema.schema.db_id,
                gold.error.as_deref().unwrap_or_default(),
                gold.sql
            ));
        }
    }
    console.say(
        Signature::of_distilled("suite-build", &suite, &suite_hash(&bytes), typed.input.dialects.get())
            .to_string(),
    );
    Ok(true)
}

/// The gold queries of each schema, by `db_id`.
fn tasks(gold: &Path, from: &NeededSchemaFlags<GoldDialectFlags>, console: Console) -> Result<Vec<Task>> {
    let (schemas, dialects) = (&from.schemas, from.dialects.get());
    let mut set = input::schema_set(schemas, dialects.schema)?;
    let mut golds: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut lost, mut first) = (0usize, None);
    for line in spider::read_gold(gold)? {
        let sql = match (line.unusable, set.get(&line.db_id)) {
            (Some(why), _) => Err(why),
            (None, None) => Err(format!("unknown db_id {:?} in {}", line.db_id, schemas.display())),
            (None, Some(schema)) => {
                input::in_sqlite(schema, Side::Gold, &line.sql, dialects).map_err(|(_, why)| why)
            }
        };
        match sql {
            Ok(sql) => golds.entry(line.db_id).or_default().push(sql),
            Err(why) => {
                lost += 1;
                first.get_or_insert(format!("{}, line {}: {why}", gold.display(), line.line));
            }
        }
    }
    if let Some(first) = first {
        if golds.is_empty() {
            bail!("no gold query can be used; {first}");
        }
        console.warn(format!("{lost} gold queries are left out; the first: {first}"));
    }
    let task = |(db_id, golds): (String, Vec<String>)| {
        Some(Task { schema: set.shift_remove(&db_id)?, golds, values: None, profile: None })
    };
    Ok(golds.into_iter().filter_map(task).collect())
}

/// Reads real values for each schema that there is a file for.
fn add_values(tasks: &mut [Task], path: &Path, console: Console) -> Result<()> {
    let single = tasks.len() == 1;
    let mut found = 0;
    for task in tasks {
        let id = &task.schema.db_id;
        let files = if path.is_dir() {
            let names = ["sqlite", "db"].map(|e| format!("{id}.{e}"));
            names.iter().flat_map(|n| [path.join(n), path.join(id).join(n)]).collect()
        } else if single || path.file_stem().is_some_and(|s| s == id.as_str()) {
            vec![path.to_owned()]
        } else {
            Vec::new()
        };
        if let Some(file) = files.iter().find(|f| f.is_file()) {
            task.values = Some(read_values(file, &task.schema)?);
            found += 1;
        }
    }
    if found == 0 {
        bail!("--values-from {}: no SQLite file for any schema; name it db_id.sqlite", path.display());
    }
    console.say(format!("values of {found} databases are mixed in"));
    Ok(())
}

/// What a suite holds, in two lines.
fn summary(c: &Counts) -> String {
    format!(
        "{} databases with {} rows for {} gold queries over {} schemas, out of {} tried\n\
         {} neighbours: {} distinguished ({:.2} % of those not proved equal), {} proved equal, {} left",
        c.databases,
        c.rows,
        c.golds,
        c.schemas,
        c.tried,
        c.neighbours,
        c.distinguished,
        100.0 * c.share(),
        c.proved,
        c.left
    )
}

/// MiB of a suite file.
const LARGEST: u64 = 4096;

/// A suite and the bytes that it was read from, which its signature needs.
pub(super) fn read(path: &Path) -> Result<(Suite, Vec<u8>)> {
    let bytes = read_bounded(path, LARGEST, "suite")?;
    let suite = Suite::from_bytes(&bytes).with_context(|| path.display().to_string())?;
    Ok((suite, bytes))
}

/// The wire type of verdicts on a suite, one JSON object for each system and pair.
#[derive(Debug, Serialize)]
struct RunRecord<'a> {
    /// The gold query's number, from 0.
    id: String,
    system: &'a str,
    db_id: &'a str,
    /// Of the gold query; null where it cannot be parsed.
    hardness: Option<Hardness>,
    status: Status,
    /// `same`, `different`, or null where there is no verdict.
    verdict: Option<&'static str>,
    /// 1 if the prediction counts as right; null where no database says.
    score: Option<u8>,
    /// Databases on which both queries gave an answer.
    databases: Option<u64>,
    /// Of these, those on which the gold answered.
    nonempty: Option<u64>,
    /// The number of a database that tells them apart.
    witness: Option<u64>,
    /// The prediction with values, where values were put into it.
    plugged: Option<&'a str>,
    error: Option<String>,
}

/// The line of the table for one system: right ones and all, by class and in total.
#[derive(Default, Clone)]
struct Row {
    /// Predictions that count as right.
    right: [usize; 5],
    /// All of them, so that a system is measured on every gold.
    all: [usize; 5],
    /// Lines that cannot be used, which count as wrong.
    errors: usize,
    /// Pairs that no database of the suite tests: not counted as right.
    untested: usize,
    /// Where golds are turns of interactions.
    interactions: Interactions,
}

/// Where the verdict on a line stands among the pairs that ran, or why it has none.
type Place = Result<usize, (Status, String)>;

impl Row {
    /// Counts a verdict, in its class and in all.
    fn add(&mut self, record: &RunRecord<'_>, interaction: Option<usize>) {
        if let Some(interaction) = interaction {
            self.interactions.add(interaction, record.score == Some(1));
        }
        match record.status {
            Status::Ok => {}
            Status::Untested => self.untested += 1,
            _ => self.errors += 1,
        }
        let class = record.hardness.and_then(|h| Hardness::ALL.iter().position(|x| *x == h));
        for at in class.into_iter().chain([ALL]) {
            self.all[at] += 1;
            self.right[at] += usize::from(record.score == Some(1));
        }
    }

    fn whole(&self) -> Option<OfInteractions> {
        self.interactions.clone().outcome(Resampling::default().level)
    }
}

/// What a run reads, all of it before anything is executed: a file that cannot be read then costs no time.
struct Lines {
    /// The golds in SQLite's dialect, or with the reason why they cannot be used.
    golds: Vec<spider::Gold>,
    /// The lines of each system in turn: the system's number, the gold's, and the place of the verdict.
    places: Vec<(usize, usize, Place)>,
    /// The pairs that can be executed.
    pairs: Vec<RunPair>,
}

impl Lines {
    /// The gold queries and every system's predictions, in SQLite's dialect. A line that cannot be used keeps
    /// its place with the reason, so that no system is measured on fewer lines than another.
    fn read(typed: &suite::SuiteRun, suite: &Suite, dialects: Dialects, console: Console) -> Result<Lines> {
        let empty = Schema::default();
        let schema_of = |db_id: &str| suite.schema(db_id).map_or(&empty, |s| &s.schema);
        let mut golds = spider::read_gold(&typed.gold.gold)?;
        let written: Vec<String> = golds.iter().map(|gold| gold.sql.clone()).collect();
        let mut gold_statuses = vec![Status::GoldError; golds.len()];
        let usable = golds.iter_mut().zip(&mut gold_statuses).filter(|(gold, _)| gold.unusable.is_none());
        for (gold, of_gold) in usable {
            match input::in_sqlite(schema_of(&gold.db_id), Side::Gold, &gold.sql, dialects) {
                Ok(sql) => gold.sql = sql,
                Err((status, why)) => (*of_gold, gold.unusable) = (status, Some(why)),
            }
        }
        let gold_name = typed.gold.gold.display().to_string();
        let (mut pairs, mut places) = (Vec::new(), Vec::new());
        for (system, path) in typed.pred.iter().enumerate() {
            let predictions = predictions::read(path)?;
            let name = path.display().to_string();
            if let Some(key) = &predictions.key {
                console.say(format!("{name}: queries are read from {key:?}"));
            }
            let aligned = spider::align(&golds, predictions.all, spider::Cover::All, &gold_name, &name)?;
            for (i, ((gold, pred), of_gold)) in aligned.into_iter().zip(&gold_statuses).enumerate() {
                let as_written = || written.get(i).map_or("", String::as_str);
                let place = match (&gold.unusable, pred.unusable) {
                    (Some(why), _) => Err((*of_gold, format!("{gold_name}, line {}: {why}", gold.line))),
                    (None, Some(why)) => Err((Status::PredError, format!("{name}, {why}"))),
                    (None, None) => pred_in_sqlite(schema_of(&gold.db_id), as_written(), &pred.sql, dialects)
                        .map(|pred| {
                            pairs.push(RunPair {
                                db_id: Arc::from(gold.db_id.as_str()),
                                gold: Arc::from(gold.sql.as_str()),
                                pred: Arc::from(pred),
                            });
                            pairs.len() - 1
                        }),
                };
                places.push((system, i, place));
            }
        }
        Ok(Lines { golds, places, pairs })
    }
}

/// Whose SQL the queries are; where that is to be guessed, over the schemas of the suite.
fn dialects(typed: &suite::SuiteRun, suite: &Suite, console: Console) -> Result<Dialects> {
    let of_system = |pred: &PathBuf| Source::Lines { gold: typed.gold.gold.clone(), pred: pred.clone() };
    let sources: Vec<Source> = typed.pred.iter().map(of_system).collect();
    input::settled(&typed.dialects, &sources, |_| {
        let named = suite.schemas.iter().map(|s| (s.schema.db_id.clone(), Arc::new(s.schema.clone())));
        let read = Schemas::new("the suite", named, Dialect::Sqlite, console.progress());
        Ok(Guessing::over(|_| Some(read.clone())))
    })
}

/// Runs every system's predictions on the suite: a verdict a line into `--out`, and a table of accuracies, by
/// Spider's classes of hardness, on standard output.
pub(crate) fn run(typed: &suite::SuiteRun, console: Console) -> Result<bool> {
    args::limit(typed.fail_under)?;
    let mut inputs = Inputs::default()
        .with([("--suite", Some(typed.suite.as_path())), ("--gold", Some(typed.gold.gold.as_path()))])
        .with(typed.pred.iter().map(|pred| ("--pred", Some(pred.as_path()))));
    if let Some(out) = &typed.out {
        inputs.output(out)?;
    }
    let (suite, bytes) = read(&typed.suite)?;
    let dialects = dialects(typed, &suite, console)?;
    let Lines { golds, places, pairs } = Lines::read(typed, &suite, dialects, console)?;
    let systems = systems(&typed.pred);
    // A suite tells a gold from its neighbours only if it was distilled for it.
    let strangers = golds.iter().filter(|g| g.unusable.is_none() && !made_for(&suite, g)).count();
    if strangers > 0 {
        console.warn(format!(
            "the suite was not distilled for {strangers} of {} gold queries: on these its verdicts are weaker",
            golds.len()
        ));
    }
    let options = RunOptions {
        plug_values: typed.plug_values,
        limits: typed.run.limits(Limits::default())?,
        ..RunOptions::default()
    };
    let bar = console.bar(Some(pairs.len() as u64), "distinct pairs");
    let each = |n: usize| bar.inc(n as u64);
    let verdicts = match worker::workers(typed.run.workers, &options.limits)? {
        Workers::Threads => run_suite(&suite, &pairs, options, &each),
        Workers::Processes(crew) => run_in_processes(&suite, &pairs, options, crew, &each),
    };
    bar.finish_and_clear();

    // From here on the systems' lines in their order, whatever order the pairs ran in.
    let hardness: Vec<Option<Hardness>> = golds.iter().map(|gold| hardness_of(&gold.sql)).collect();
    let mut rows = vec![Row::default(); systems.len()];
    let mut sink = typed.out.as_deref().map(|out| Sink::new(Some(out))).transpose()?;
    let interactive = golds.iter().any(|gold| gold.interaction > 0);
    for (system, i, place) in &places {
        let verdict = place.as_ref().map(|at| &verdicts[*at]);
        let record = record(&systems[*system], *i, &golds[*i], hardness[*i], verdict);
        rows[*system].add(&record, interactive.then_some(golds[*i].interaction));
        if let Some(sink) = &mut sink {
            sink.line(&serde_json::to_string(&record)?)?;
        }
    }
    if let Some(sink) = sink {
        sink.finish()?;
    }
    let plugged = if typed.plug_values { "|values:plugged" } else { "" };
    let signature = Signature::of_distilled("suite-accuracy", &suite, &suite_hash(&bytes), dialects)
        .to_string()
        + plugged
        + &typed.run.in_signature();
    let of_systems = documents(&systems, &rows);
    let document =
        || json!({"format": 1, "signature": signature, "pairs": golds.len(), "systems": of_systems});
    write_as(None, typed.format.format, || text(&systems, &rows), document, &of_systems)?;
    console.say(&signature);
    let lowest = rows.iter().map(|r| r.right[ALL] as f64 / r.all[ALL].max(1) as f64).min_by(f64::total_cmp);
    Ok(fail_under(typed.fail_under, "the lowest accuracy", lowest, console))
}

/// Whether the suite was distilled for a gold, by its text as the suite keeps it.
fn made_for(suite: &Suite, gold: &spider::Gold) -> bool {
    let sql = gold.sql.trim().trim_end_matches(';').trim_end();
    suite.schema(&gold.db_id).is_some_and(|s| s.golds.iter().any(|g| g.sql == sql))
}

/// A name for each file: its stem, and its number where two have the same.
fn systems(paths: &[PathBuf]) -> Vec<String> {
    let stems: Vec<String> = paths.iter().map(|path| input::stem(path)).collect();
    let name = |(i, s): (usize, &String)| match stems.iter().filter(|t| *t == s).count() {
        1 => s.clone(),
        _ => format!("{s}#{}", i + 1),
    };
    stems.iter().enumerate().map(name).collect()
}

/// The record of one line: its own error, or the verdict. A wrong prediction and a line that cannot be used
/// score 0; where no database says anything there is no score.
fn record<'a>(
    system: &'a str,
    number: usize,
    gold: &'a spider::Gold,
    hardness: Option<Hardness>,
    verdict: Result<&'a RunVerdict, &(Status, String)>,
) -> RunRecord<'a> {
    let mut out = RunRecord {
        id: number.to_string(),
        system,
        db_id: &gold.db_id,
        hardness,
        status: Status::Ok,
        verdict: None,
        score: Some(0),
        databases: None,
        nonempty: None,
        witness: None,
        plugged: None,
        error: None,
    };
    match verdict {
        Err((status, why)) => (out.status, out.error) = (*status, Some(why.clone())),
        Ok(RunVerdict { verdict: Verdict::Same { databases, nonempty }, plugged }) => {
            (out.verdict, out.score, out.plugged) = (Some("same"), Some(1), plugged.as_deref());
            (out.databases, out.nonempty) = (Some(*databases), Some(*nonempty));
        }
        Ok(RunVerdict { verdict: Verdict::Different { witness }, .. }) => {
            (out.verdict, out.witness) = (Some("different"), Some(*witness));
        }
        Ok(RunVerdict { verdict, .. }) => {
            (out.status, out.error) = status::of_verdict(verdict);
            if let Verdict::Untested { databases, .. } = verdict {
                out.databases = Some(*databases);
            }
        }
    }
    if matches!(out.status, Status::Untested | Status::MachineError | Status::Unsupported) {
        out.score = None;
    }
    out
}

/// The columns of the table: Spider's classes of hardness in order, and [all](ALL) of them.
const CLASSES: [&str; 5] = ["easy", "medium", "hard", "extra", "all"];
/// The place of the total among the classes.
const ALL: usize = 4;

/// The table of accuracies in per cent, with the number of pairs of each class below.
fn text(systems: &[String], rows: &[Row]) -> String {
    let head = ["system"].into_iter().chain(CLASSES).chain(["untested", "errors"]).map(String::from);
    let mut lines: Vec<Vec<String>> = vec![head.collect()];
    for (system, row) in systems.iter().zip(rows) {
        let accuracy = |(right, all): (&usize, usize)| match all {
            0 => "-".into(),
            all => format!("{:.1}", 100.0 * *right as f64 / all as f64),
        };
        let mut line = vec![system.clone()];
        line.extend(row.right.iter().zip(row.all).map(accuracy));
        line.extend([row.untested, row.errors].map(|n| n.to_string()));
        lines.push(line);
    }
    let pairs =
        |row: &Row| std::iter::once("pairs".to_owned()).chain(row.all.iter().map(usize::to_string)).collect();
    lines.extend(rows.first().map(pairs));
    let mut out = table(&lines);
    for (system, row) in systems.iter().zip(rows) {
        if let Some(OfInteractions { interactions, accuracy, .. }) = row.whole() {
            let share = accuracy * 100.0;
            out.push_str(&format!(
                "{system}: every turn right in {share:.1} % of {interactions} interactions\n"
            ));
        }
    }
    out
}

/// The same as JSON, an object for each system.
fn documents(systems: &[String], rows: &[Row]) -> Vec<serde_json::Value> {
    systems
        .iter()
        .zip(rows)
        .map(|(system, row)| {
            let mut classes = serde_json::Map::new();
            for ((name, right), all) in CLASSES.iter().zip(row.right).zip(row.all) {
                let accuracy = (all > 0).then(|| right as f64 / all as f64);
                classes.insert((*name).into(), json!({"right": right, "pairs": all, "accuracy": accuracy}));
            }
            let mut document =
                json!({"system": system, "accuracy": classes, "untested": row.untested, "errors": row.errors});
            if let (Some(whole), serde_json::Value::Object(document)) = (row.whole(), &mut document) {
                document.insert("interactions".into(), json!(whole));
            }
            document
        })
        .collect()
}

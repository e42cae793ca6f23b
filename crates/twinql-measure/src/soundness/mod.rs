//! Measures the soundness of normalisation on real queries; `docs/soundness.md` says what is
//! checked, `scripts/soundness.sh` runs all of it.
//!
//! `soundness queries|pairs|provers --data DIR [--semantics default] [--databases 100]
//! [--step 1] [--offset 0] [--threads 0] [--only NAME] [--out FOUND.jsonl]`

pub(crate) mod lines;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use lines::{Family, PAIRED, benchmarks, families};
use rayon::prelude::*;
use twinql_sql::Schema;
use twinql_suite::Semantics;
use twinql_suite::soundness::{Bench, Checked, Disagreement, Fate, SoundnessConfig, Totals};

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "soundness",
    about: "the soundness of normalisation on real queries",
    usage: "queries|pairs|provers --data DIR [--semantics S] [--databases N] …",
    run,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Queries that share databases: more of them would leave too few rows to the constants of each.
const BATCH: usize = 8;
/// Predictions that share databases with their gold.
const PREDICTIONS: usize = 10;
/// Batches that one thread takes at a time.
const CHUNK: usize = 8;

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Queries,
    Pairs,
    Provers,
}

struct Options {
    part: Part,
    data: PathBuf,
    config: SoundnessConfig,
    step: usize,
    offset: usize,
    threads: usize,
    only: Option<String>,
    out: Option<PathBuf>,
}

fn options(args: &[String]) -> Result<Options> {
    let mut args = args.iter().cloned();
    let part = match args.next().as_deref() {
        Some("queries") => Part::Queries,
        Some("pairs") => Part::Pairs,
        Some("provers") => Part::Provers,
        _ => return Err("give one of: queries, pairs, provers".into()),
    };
    let mut options = Options {
        part,
        data: std::env::var_os("TWINQL_DATA").map(PathBuf::from).unwrap_or_default(),
        config: SoundnessConfig {
            databases: if part == Part::Queries { 100 } else { 300 },
            ..SoundnessConfig::default()
        },
        step: 1,
        offset: 0,
        threads: 0,
        only: None,
        out: None,
    };
    while let Some(flag) = args.next() {
        let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--data" => options.data = value.into(),
            "--semantics" => options.config.semantics = value.parse()?,
            "--databases" => options.config.databases = value.parse()?,
            "--seed" => options.config.seed = value.parse()?,
            "--step" => options.step = value.parse::<usize>()?.max(1),
            "--offset" => options.offset = value.parse()?,
            "--threads" => options.threads = value.parse()?,
            "--only" => options.only = Some(value),
            "--out" => options.out = Some(value.into()),
            _ => return Err(format!("unknown option {flag}").into()),
        }
    }
    if options.data.as_os_str().is_empty() {
        return Err("give --data, or set TWINQL_DATA; docs/soundness.md says what it holds".into());
    }
    Ok(options)
}

/// One call of the bench: texts to be checked on the same databases.
struct Batch {
    family: usize,
    schema: Arc<Schema>,
    /// For pairs and provers: what the texts are checked against.
    gold: Option<String>,
    texts: Vec<String>,
}

/// Every distinct query of a schema once, in batches; queries of one question stay together.
fn query_batches(families: &[Family]) -> Vec<Batch> {
    // Two collections may name different schemas alike.
    let mut seen: BTreeSet<(*const Schema, &str)> = BTreeSet::new();
    let mut batches = Vec::new();
    for (family, f) in families.iter().enumerate() {
        let mut waiting: BTreeMap<&str, (Arc<Schema>, Vec<String>)> = BTreeMap::new();
        for question in &f.questions {
            let schema = &question.schema;
            let (_, texts) = waiting.entry(&schema.db_id).or_insert_with(|| (Arc::clone(schema), Vec::new()));
            for text in std::iter::once(&question.gold).chain(&question.preds) {
                let text = text.trim();
                if !text.is_empty() && seen.insert((Arc::as_ptr(schema), text)) {
                    texts.push(text.to_owned());
                }
                if texts.len() == BATCH {
                    batches.push(Batch {
                        family,
                        schema: Arc::clone(schema),
                        gold: None,
                        texts: std::mem::take(texts),
                    });
                }
            }
        }
        for (schema, texts) in waiting.into_values().filter(|(_, t)| !t.is_empty()) {
            batches.push(Batch { family, schema, gold: None, texts });
        }
    }
    batches
}

/// Every distinct pair of a gold and a prediction once, those that are proved apart from the
/// rest: only they run, so that their batches hold what matters.
fn pair_batches(families: &[Family], semantics: &Semantics) -> Vec<Batch> {
    type Golds<'a> = BTreeMap<(usize, &'a str, &'a str), (Arc<Schema>, BTreeSet<&'a str>)>;
    let mut golds = Golds::new();
    for (family, f) in families.iter().enumerate() {
        for question in &f.questions {
            let schema = &question.schema;
            let (_, preds) = golds
                .entry((family, &schema.db_id, question.gold.trim()))
                .or_insert_with(|| (Arc::clone(schema), BTreeSet::new()));
            preds.extend(question.preds.iter().map(|p| p.trim()).filter(|p| !p.is_empty()));
        }
    }
    let golds: Vec<_> = golds.into_iter().collect();
    golds
        .par_iter()
        .flat_map_iter(|((family, _, gold), (schema, preds))| {
            let semantics = semantics.for_gold_text(schema, gold);
            let form = |sql: &str| twinql_sql::canonicalize(schema, sql, &semantics).ok();
            let own = form(gold);
            let (proved, others): (Vec<&str>, Vec<&str>) =
                preds.iter().partition(|pred| match (&own, form(pred)) {
                    (Some(gold), Some(pred)) => gold.plan.query == pred.plan.query,
                    _ => false,
                });
            let batch = |texts: &[&str]| Batch {
                family: *family,
                schema: Arc::clone(schema),
                gold: Some((*gold).to_owned()),
                texts: texts.iter().map(|t| (*t).to_owned()).collect(),
            };
            let mut batches: Vec<Batch> = proved.chunks(PREDICTIONS).map(batch).collect();
            if !others.is_empty() {
                batches.push(batch(&others));
            }
            batches
        })
        .collect()
}

fn check(batches: &[Batch], config: &SoundnessConfig) -> Vec<(usize, Vec<Checked>)> {
    let mut benches: BTreeMap<*const Schema, Bench> = BTreeMap::new();
    let mut all = Vec::new();
    for batch in batches {
        let schema = Arc::as_ptr(&batch.schema);
        let bench = match benches.entry(schema) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => match Bench::new(&batch.schema, config.clone()) {
                Ok(bench) => place.insert(bench),
                Err(error) => {
                    eprintln!("{}: {error}", batch.schema.db_id);
                    continue;
                }
            },
        };
        let texts: Vec<&str> = batch.texts.iter().map(String::as_str).collect();
        let outcomes = match &batch.gold {
            None => bench.queries(&texts),
            Some(gold) => bench.pairs(gold, &texts),
        };
        all.push((batch.family, outcomes));
    }
    all
}

fn table(families: &[Family], totals: &[Totals], part: Part) {
    let what = if part == Part::Queries { "queries" } else { "pairs" };
    println!(
        "| {what} of | lines | distinct | not run by SQLite | not planned | {} | agree | with rows | open | undecided | limits | no answer | databases | with rows | disagree |",
        if part == Part::Queries { "text unchanged" } else { "not proved" }
    );
    println!("|---|{}", "---|".repeat(14));
    let mut sum = Totals::default();
    let mut lines = 0;
    let row = |name: &str, lines: u64, t: &Totals| {
        let other = if part == Part::Queries { t.identical } else { t.unproved };
        println!(
            "| {name} | {lines} | {} | {} | {} | {other} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            t.checked,
            t.refused,
            t.unplanned,
            t.agreed,
            t.answered,
            t.open,
            t.undecided,
            t.limited,
            t.unanswered + t.random + t.unprintable,
            t.databases,
            t.nonempty,
            t.differ,
        );
    };
    for (family, t) in families.iter().zip(totals).filter(|(_, t)| t.checked > 0) {
        row(family.name, family.lines, t);
        sum.merge(t);
        lines += family.lines;
    }
    row("**all**", lines, &sum);
}

fn run(args: &[String]) -> Done {
    let options = options(args)?;
    if options.threads > 0 {
        rayon::ThreadPoolBuilder::new().num_threads(options.threads).build_global()?;
    }
    let started = Instant::now();
    let mut families = match options.part {
        Part::Provers => benchmarks(&options.data)?,
        Part::Queries => {
            let mut all = families(&options.data)?;
            all.extend(benchmarks(&options.data)?);
            all
        }
        Part::Pairs => families(&options.data)?.into_iter().filter(|f| PAIRED.contains(&f.name)).collect(),
    };
    if let Some(only) = &options.only {
        families.retain(|f| f.name.contains(only.as_str()));
    }
    let batches = match options.part {
        Part::Queries => query_batches(&families),
        Part::Pairs | Part::Provers => pair_batches(&families, &options.config.semantics),
    };
    let mut chosen: Vec<Batch> = batches.into_iter().skip(options.offset).step_by(options.step).collect();
    // Neighbours share a schema, and so a bench.
    chosen.sort_by(|a, b| (a.family, &a.schema.db_id).cmp(&(b.family, &b.schema.db_id)));
    eprintln!("{} batches after {:.0} s", chosen.len(), started.elapsed().as_secs_f64());
    let mut out = match &options.out {
        Some(path) => Some(std::io::BufWriter::new(std::fs::File::create(path)?)),
        None => None,
    };
    let mut totals = vec![Totals::default(); families.len()];
    // In portions, so that what was found is written while the rest runs.
    let portion = CHUNK * 64;
    for (number, part) in chosen.chunks(portion).enumerate() {
        let results: Vec<Vec<(usize, Vec<Checked>)>> =
            part.par_chunks(CHUNK).map(|chunk| check(chunk, &options.config)).collect();
        for (family, outcomes) in results.into_iter().flatten() {
            for outcome in outcomes {
                if let Some(t) = totals.get_mut(family) {
                    t.add(&outcome);
                }
                if let (Fate::Differs(found), Some(out)) = (&outcome.fate, &mut out) {
                    let mut line: BTreeMap<&str, serde_json::Value> = BTreeMap::new();
                    line.insert("source", families.get(family).map_or("", |f| f.name).into());
                    line.insert("found", serde_json::to_value::<&Disagreement>(found)?);
                    writeln!(out, "{}", serde_json::to_string(&line)?)?;
                }
            }
        }
        if let Some(out) = &mut out {
            out.flush()?;
        }
        let differ: u64 = totals.iter().map(|t| t.differ).sum();
        eprintln!(
            "{}/{} batches, {differ} disagreements, {:.0} s",
            (number * portion + part.len()),
            chosen.len(),
            started.elapsed().as_secs_f64()
        );
    }
    println!(
        "semantics {}, {} databases each, seed {}, batches {} + n·{}, {:.0} s",
        options.config.semantics,
        options.config.databases,
        options.config.seed,
        options.offset,
        options.step,
        started.elapsed().as_secs_f64()
    );
    table(&families, &totals, options.part);
    Ok(())
}

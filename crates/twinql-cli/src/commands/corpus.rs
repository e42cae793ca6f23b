//! `twinql corpus build`, `twinql corpus relabel`, `twinql corpus grade` and `twinql corpus stats`.
//!
//! All but `stats` write a file of pairs, whole or not at all. What is left out on the way is counted by its
//! reason and said, so that a corpus that is smaller than expected explains itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::json;
use twinql::Semantics;
use twinql::corpus::build::{
    BuildConfig, CHANGED_SCHEMA, EASE, Stats, SuiteOracle, gold_part, grade as add_ease, origin, sources,
    stats_path, write_stats,
};
use twinql::corpus::paths::misplaced;
use twinql::corpus::{self, pairs};
use twinql::files::Inputs;
use twinql::files::resume::partial_of;
use twinql::metrics::hardness;
use twinql::sql::Dialect;
use twinql::suite::{JudgeConfig, Limits};

use crate::args::{DEFAULT_SEED, Format, corpus as args};
use crate::input;
use crate::interrupt;
use crate::output::{Console, Sink, built_file, table};

/// Builds a corpus as a configuration says, but for what flags say otherwise.
pub(crate) fn build(typed: &args::CorpusBuild, seed: Option<u64>, console: Console) -> Result<bool> {
    let path = &typed.config;
    let text = input::configuration(path)?;
    let mut inputs = Inputs::default().with([("--config", Some(path.as_path()))]);
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut config = BuildConfig::from_toml(&text, folder).with_context(|| path.display().to_string())?;
    // A path in a configuration is meant from its own folder: one that exists from here alone is a mistake.
    if let Some(said) = config.inputs().find_map(|input| misplaced(folder, Path::new(input))) {
        bail!("{}: {said}", path.display());
    }
    config.out.clone_from(&typed.out);
    // No output may take the place of a source.
    for source in sources(&config)? {
        inputs.add("a source in --config", &source);
    }
    built_file(&mut inputs, &typed.out)?;
    inputs.output(&stats_path(&typed.out))?;
    interrupt::hint(format!(
        "finished work is in {}; the same command goes on from there",
        partial_of(&typed.out).display()
    ));
    if let Some(semantics) = &typed.semantics {
        config.semantics.clone_from(semantics);
        config.check()?;
    }
    if typed.dialect.dialect != Dialect::Sqlite {
        config.dialect = typed.dialect.dialect;
    }
    if let Some(max) = typed.max_gold {
        config.max_golds = max;
    }
    if let Some(seed) = seed {
        config.seed = seed;
    }
    let bar = console.bar(Some(0), "gold queries");
    let stats = corpus::build::build(&config, &mut |progress| {
        bar.set_length(progress.of as u64);
        bar.set_position(progress.golds as u64);
        bar.set_message(format!("{} pairs", progress.pairs));
    })?;
    bar.finish_and_clear();
    console.say(format!(
        "wrote {}: {} pairs of {} gold queries over {} databases, label 1 {}, label 0 {}, under {} semantics",
        typed.out.display(),
        stats.pairs,
        stats.golds,
        stats.databases,
        stats.labels.same,
        stats.labels.different,
        config.semantics,
    ));
    console.say(format!("left out: {}", serde_json::to_string(&stats.dropped)?));
    if stats.pairs == 0 {
        bail!("{}: no pair could be made and labelled; the counts above say why", path.display());
    }
    Ok(true)
}

/// Labels the pairs of a file anew under another semantics. The labels that were there are compared with, and
/// not used.
pub(crate) fn relabel(typed: &args::CorpusRelabel, seed: Option<u64>, console: Console) -> Result<bool> {
    let semantics: Semantics = typed.semantics.parse()?;
    let mut inputs = of_files(&typed.files);
    inputs.output(&typed.files.out)?;
    inputs.output(&stats_path(&typed.files.out))?;
    let schemas = input::schema_set(&typed.files.schemas, Dialect::Sqlite)?;
    let mut pairs = pairs::read_strict(&typed.files.pairs)?;
    // A part of the golds, with all pairs of each.
    if let Some((part, of)) = typed.golds {
        pairs.retain(|p| gold_part(p, of) == part);
    }
    let before = pairs.len();
    let own: HashMap<String, Option<u8>> = pairs.iter().map(|p| (p.id.to_string(), p.label)).collect();
    let seed = seed.unwrap_or(DEFAULT_SEED);
    let oracle = SuiteOracle::new(semantics.clone(), seed, typed.databases, MIN_NONEMPTY);
    let bar = console.bar(Some(before as u64), "pairs");
    let (done, dropped) = corpus::build::relabel(pairs, &schemas, &semantics, &oracle, &|| bar.inc(1));
    bar.finish_and_clear();
    if done.is_empty() {
        bail!(
            "{}: no pair is left ({} over databases that {} lacks)",
            typed.files.pairs.display(),
            dropped.unknown_database,
            typed.files.schemas.display()
        );
    }
    pairs::write(&typed.files.out, &done)?;
    let stats = Stats { dropped, ..Stats::of(&done) };
    write_stats(&stats_path(&typed.files.out), &stats)?;
    let changed = done.iter().filter(|p| own.get(&p.id.to_string()) != Some(&p.label));
    console.say(format!(
        "wrote {}: {} of {before} pairs, label 1 {}, label 0 {}, under {semantics} semantics; {} labels are others",
        typed.files.out.display(),
        done.len(),
        stats.labels.same,
        stats.labels.different,
        changed.count(),
    ));
    console.say(format!("left out: {}", serde_json::to_string(&stats.dropped)?));
    Ok(true)
}

/// The files that relabelling and grading read.
fn of_files(files: &args::Files) -> Inputs {
    Inputs::default()
        .with([("FILE", Some(files.pairs.as_path())), ("--schemas", Some(files.schemas.as_path()))])
}

/// Instructions that an execution may take to grade a pair: there is no early exit, and a database on
/// which a query takes longer is one less.
const GRADE_STEPS: u64 = 200_000;

/// Adds to each pair with label 0 the share of plain databases on which its queries differ: how easily it
/// shows.
pub(crate) fn grade(typed: &args::CorpusGrade, seed: Option<u64>, console: Console) -> Result<bool> {
    let semantics: Semantics = typed.semantics.parse()?;
    let mut inputs = of_files(&typed.files);
    inputs.output(&typed.files.out)?;
    let schemas = input::schema_set(&typed.files.schemas, Dialect::Sqlite)?;
    let mut pairs = pairs::read_strict(&typed.files.pairs)?;
    let config = JudgeConfig {
        semantics,
        seed: seed.unwrap_or(DEFAULT_SEED),
        databases: typed.databases,
        limits: Limits { steps: GRADE_STEPS, ..Limits::default() },
        ..JudgeConfig::default()
    };
    let bar = console.bar(Some(pairs.len() as u64), "pairs");
    add_ease(&mut pairs, &schemas, &config, &|| bar.inc(1));
    bar.finish_and_clear();
    let shares: Vec<f64> = pairs.iter().filter_map(|p| p.extra.get(EASE)?.as_f64()).collect();
    let different = pairs.iter().filter(|p| p.label == Some(0)).count();
    if different > 0 && shares.is_empty() {
        bail!(
            "none of the {different} pairs with label 0 could be run; are they over the schemas of {}?",
            typed.files.schemas.display()
        );
    }
    pairs::write(&typed.files.out, &pairs)?;
    // The smallest positive number parts 'never' from 'now and then'.
    let count = |from: f64, to: f64| shares.iter().filter(|&&s| from <= s && s < to).count();
    console.say(format!(
        "wrote {}: {} pairs, {different} with label 0; of {} such pairs plain databases say something: {} are never told apart, {} on fewer than a tenth, {} on fewer than half",
        typed.files.out.display(),
        pairs.len(),
        shares.len(),
        count(0.0, f64::MIN_POSITIVE),
        count(f64::MIN_POSITIVE, 0.1),
        count(0.1, 0.5),
    ));
    Ok(true)
}

/// Databases on which the gold has to answer with rows before agreement counts, as in
/// [`BuildConfig`].
const MIN_NONEMPTY: u64 = 3;

/// Pairs of one group by label.
#[derive(Default, Clone, Copy)]
struct Count {
    zero: usize,
    one: usize,
    none: usize,
}

impl Count {
    fn add(&mut self, label: Option<u8>) {
        *match label {
            Some(0) => &mut self.zero,
            Some(_) => &mut self.one,
            None => &mut self.none,
        } += 1;
    }

    fn total(self) -> usize {
        self.zero + self.one + self.none
    }
}

/// `301 gold queries, 12 databases`. What comes back over a changed schema is no other.
fn counted(pairs: &[corpus::Pair]) -> String {
    let changed = |p: &corpus::Pair| origin(p.source.as_deref().unwrap_or_default()) == CHANGED_SCHEMA;
    let own = || pairs.iter().filter(|p| !changed(p));
    let golds: BTreeSet<_> = own().map(|p| (&p.db_id, &p.schema, &p.gold)).collect();
    let databases: BTreeSet<_> = own().map(|p| (&p.db_id, &p.schema)).collect();
    format!("{} gold queries, {} databases", golds.len(), databases.len())
}

/// The rewrite rules, the neighbour's mutation and the schema changes that a source names, each once.
fn changes(source: &str) -> Vec<String> {
    let mut changes = BTreeSet::new();
    for step in source.split('>') {
        if let Some(rules) = step.strip_prefix("rewrite:") {
            changes.extend(rules.split('+').map(|rule| format!("rewrite {rule}")));
        } else if let Some(mutation) = step.strip_prefix("neighbour:") {
            changes.insert(format!("neighbour {mutation}"));
        } else if let Some(names) = step.strip_prefix("schema:") {
            changes.extend(names.split('+').map(|name| format!("schema {name}")));
        }
    }
    changes.into_iter().collect()
}

/// Spider's hardness of a query, numbered so that levels are listed in order.
fn level(sql: &str) -> String {
    match twinql::sql::parse(sql) {
        Ok(parsed) => {
            let level = hardness(&parsed.query);
            format!("{} {level}", level as usize + 1)
        }
        Err(_) => "(not parsed)".into(),
    }
}

/// Counts the pairs of a file by label, in all and by split, semantics, origin, change, hardness and
/// database. Long, since the table and the JSON document are made of the same counts.
pub(crate) fn stats(typed: &args::CorpusStats) -> Result<bool> {
    let file = pairs::read(&typed.pairs)?;
    if let (true, Some(bad)) = (file.pairs.is_empty(), file.bad.first()) {
        bail!(
            "no line of the file is a pair; {}, line {}: {}; give one JSON object a line, with db_id, gold and pred",
            typed.pairs.display(),
            bad.line,
            bad.message
        );
    }
    let mut all = Count::default();
    let names = ["split", "semantics", "origin", "change", "hardness", "db_id"];
    let mut groups = names.map(|name| (name, BTreeMap::<String, Count>::new()));
    for pair in &file.pairs {
        all.add(pair.label);
        let source = pair.source.as_deref();
        let semantics = pair.extra.get("semantics").and_then(|s| s.as_str());
        let keys = [
            pair.split.iter().cloned().collect(),
            semantics.iter().map(ToString::to_string).collect(),
            source.iter().map(|s| origin(s).to_owned()).collect(),
            changes(source.unwrap_or_default()),
            vec![level(&pair.gold)],
            pair.db_id.iter().cloned().collect(),
        ];
        for ((name, counts), keys) in groups.iter_mut().zip(keys) {
            // Pairs without a change are the ones without a rule: predictions.
            if keys.is_empty() && *name != "change" {
                counts.entry("(none)".into()).or_default().add(pair.label);
            }
            for key in keys {
                counts.entry(key).or_default().add(pair.label);
            }
        }
    }
    let mut sink = Sink::new(None)?;
    if typed.format.format == Format::Text {
        let row = |name: &str, c: &Count| {
            let mut cells = vec![name.to_owned()];
            cells.extend([c.total(), c.one, c.zero, c.none].map(|n| n.to_string()));
            cells
        };
        let head = |name: &str| [name, "pairs", "label 1", "label 0", "no label"].map(String::from).to_vec();
        let mut rows = vec![head(&counted(&file.pairs)), row("all", &all)];
        for (name, counts) in &groups {
            rows.push(Vec::new());
            rows.push(head(name));
            rows.extend(counts.iter().map(|(key, c)| row(key, c)));
        }
        sink.write(&table(&rows))?;
        if let Some(bad) = file.bad.first() {
            let n = file.bad.len();
            sink.line(&format!("\n{n} lines hold no pair; the first is line {}: {}", bad.line, bad.message))?;
        }
    } else {
        let one =
            |c: &Count| json!({"pairs": c.total(), "label_1": c.one, "label_0": c.zero, "no_label": c.none});
        let by = |counts: &BTreeMap<String, Count>| -> serde_json::Map<String, serde_json::Value> {
            counts.iter().map(|(key, c)| (key.clone(), one(c))).collect()
        };
        let mut document = json!({"all": one(&all), "bad_lines": file.bad.len()});
        for (name, counts) in &groups {
            document[*name] = by(counts).into();
        }
        sink.line(&serde_json::to_string_pretty(&document)?)?;
    }
    sink.finish()?;
    Ok(true)
}

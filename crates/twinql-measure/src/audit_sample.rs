//! A sample of findings in the golds of Spider, BIRD and the bundled ones, to be read, and the precision by what was
//! read: the tables in `docs/audit.md`. The words are
//!
//! - `seed=N`, `warnings=N`, `notes=N`: at most so many findings of each check are drawn, in an order by a hash;
//! - `check=ID`, `set=NAME`: only these;
//! - `unread`: without those that have a verdict;
//! - `counts`: how many findings each check has in each set, and with `witness` how many of them are shown by one;
//! - `precision`: no sample, but the share of right ones among those read, by check.
//!
//! Verdicts are in `audit_read.tsv`: set, line, check, byte of the query at which the finding starts, and right or
//! wrong, with the reason where it is wrong. Queries and questions stay where they are (`TWINQL_DATA`). A file of
//! questions that is not there leaves its golds without questions, and checks that read them silent.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};

use serde_json::Value;
use twinql_audit::{Asked, Auditor, CHECKS, Config, Severity, check};
use twinql_corpus::bird;
use twinql_corpus::spider::read_gold;
use twinql_metrics::wilson;
use twinql_sql::Schema;
use twinql_sql::hash::{FNV, finalised, fnv};

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "audit-sample",
    about: "findings in golds, to be read, and their precision by what was read",
    usage: "[WORD…]",
    run,
};

const VERDICTS: &str = include_str!("audit_read.tsv");

/// Golds, schemas, and files with the questions, below `TWINQL_DATA`; the bundled ones below the repository.
const SETS: [(&str, &str, &str, &[&str]); 6] = [
    ("bundled", "data/gold.tsv", "data/schemas", &[]),
    (
        "spider-train",
        "spider/train_gold.sql",
        "spider/tables.json",
        &["spider/train_spider.jsonl", "spider/train_others.jsonl"],
    ),
    ("spider-test", "spider/test_gold.sql", "spider/test_tables.json", &["spider/test.jsonl"]),
    ("spider-dev", "spider/dev_gold.sql", "spider/tables.json", &["spider/dev.jsonl"]),
    ("bird-train", "bird/train_gold.sql", "bird/train_tables.json", &["bird/train.json"]),
    ("bird-dev", "bird/dev_gold.sql", "bird/dev_tables.json", &["bird/dev.json"]),
];

/// A finding, by what a verdict names it by.
type Key = (String, u64, String, usize);

/// A finding as it is shown.
struct Shown {
    key: Key,
    severity: Severity,
    witness: bool,
    text: String,
}

/// Where a finding stands in the order in which findings are drawn: by a hash of its own (FNV-1a, and the finaliser of
/// SplitMix64), so that a draw keeps those it has when other findings come or go.
fn drawn_at(seed: usize, (set, line, check, start): &Key) -> u64 {
    finalised(fnv(FNV, format!("{seed} {set} {line} {check} {start}").bytes()))
}

/// What was read: whether it is right.
fn verdicts() -> Result<BTreeMap<Key, bool>, Box<dyn Error>> {
    let mut all = BTreeMap::new();
    for line in VERDICTS.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [set, line, check, start, verdict, ..] = cells[..] else {
            return Err(format!("five cells are wanted: {line}").into());
        };
        let key = (set.to_owned(), line.parse()?, check.to_owned(), start.parse()?);
        if !matches!(verdict, "right" | "wrong") || all.insert(key, verdict == "right").is_some() {
            return Err(format!("no verdict, or a second one: {set} {line} {check}").into());
        }
    }
    Ok(all)
}

/// Queries as they are compared: the files differ in blanks and in a last semicolon.
fn plain(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches([';', ' ']).to_owned()
}

/// Question and evidence.
type Words = (String, String);

/// The questions of a set, by database and query: files of questions have another order than those of golds.
fn questions(files: &[PathBuf]) -> Result<BTreeMap<(String, String), Words>, Box<dyn Error>> {
    let mut all = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_file()) {
        let text = std::fs::read_to_string(file)?;
        let entries: Vec<Value> = match serde_json::from_str(&text) {
            Ok(Value::Array(entries)) => entries,
            _ => text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?,
        };
        for pair in entries.into_iter().map(|entry| bird::gold(entry).pair) {
            let evidence = pair.extra.get("evidence").and_then(Value::as_str).unwrap_or_default();
            let words = (pair.question.unwrap_or_default(), evidence.to_owned());
            all.insert((pair.db_id.unwrap_or_default(), plain(&pair.gold)), words);
        }
    }
    Ok(all)
}

/// The tables that a text names, in a line each, with key columns marked and foreign keys behind.
fn tables(schema: &Schema, sql: &str) -> String {
    let lower = sql.to_ascii_lowercase();
    let mut out = String::new();
    for table in schema.tables.iter().filter(|t| lower.contains(&t.name.to_ascii_lowercase())) {
        let name = |i: &usize| table.columns.get(*i).map_or("", |c| c.name.as_str());
        let columns = table.columns.iter().enumerate().map(|(i, c)| {
            let mark = if table.primary_key.contains(&i) { "*" } else { "" };
            format!("{mark}{} {:?}", c.name, c.class)
        });
        let keys = table.foreign_keys.iter().map(|key| {
            let target = schema.tables.get(key.target).map_or("", |t| t.name.as_str());
            format!("{} → {target}", key.columns.iter().map(name).collect::<Vec<_>>().join(" "))
        });
        let columns: Vec<String> = columns.collect();
        let keys: Vec<String> = keys.collect();
        out.push_str(&format!("    {} ({}) {}\n", table.name, columns.join(", "), keys.join("; ")));
    }
    out
}

/// All findings of a set.
fn findings(
    (name, gold, schemas, texts): (&str, &str, &str, &[&str]),
    root: &Path,
    config: &Config,
) -> Result<Vec<Shown>, Box<dyn Error>> {
    let schemas = twinql_sql::schema::load(root.join(schemas))?;
    let questions = questions(&texts.iter().map(|file| root.join(file)).collect::<Vec<_>>())?;
    let mut auditors: BTreeMap<String, Auditor> = BTreeMap::new();
    let mut all = Vec::new();
    for gold in read_gold(root.join(gold))? {
        let Some(schema) = schemas.get(&gold.db_id) else { continue };
        if !auditors.contains_key(&gold.db_id) {
            auditors.insert(gold.db_id.clone(), Auditor::new(schema, config)?);
        }
        let Some(auditor) = auditors.get(&gold.db_id) else { continue };
        let words = questions.get(&(gold.db_id.clone(), plain(&gold.sql)));
        let (question, evidence) = words.map_or(("", ""), |(q, e)| (q.as_str(), e.as_str()));
        let audit = auditor.audit(&gold.sql, Asked { question, evidence, other: None });
        for finding in &audit.findings {
            let bytes = finding.place.bytes.clone();
            let text = format!(
                "{}: {} at `{}`\n  {}\n  {question} {evidence}\n{}  {}{}{}\n",
                gold.db_id,
                finding.severity,
                audit.text.get(bytes.clone()).unwrap_or(""),
                audit.text.trim(),
                tables(schema, &audit.text),
                finding.reason,
                finding.remedy.as_ref().map_or_else(String::new, |r| format!(" → {r}")),
                finding.mended.as_ref().map_or_else(String::new, |m| format!("\n  mended: {m}")),
            );
            let key = (name.to_owned(), gold.line as u64, finding.check.id.to_owned(), bytes.start);
            all.push(Shown { key, severity: finding.severity, witness: finding.witness.is_some(), text });
        }
    }
    Ok(all)
}

/// A row of the table: read, right, and the interval.
fn row(name: &str, found: usize, read: usize, right: usize) {
    let share = wilson(right, read, 0.95).map_or_else(String::new, |(low, high)| {
        format!("{:.2} ({low:.2} to {high:.2})", right as f64 / read as f64)
    });
    println!("| {name} | {found} | {read} | {right} | {share} |");
}

/// The share of right ones among what was read, by check, for errors with warnings and for notes; `asked` are the sets
/// whose questions are there.
fn precision(all: &[Shown], read: &BTreeMap<Key, bool>, asked: &BTreeSet<&str>) {
    for notes in [false, true] {
        println!("| check | found | read | right | share |\n|---|---:|---:|---:|---|");
        let mut by: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
        for shown in all.iter().filter(|s| (s.severity == Severity::Note) == notes) {
            let count = by.entry(&shown.key.2).or_default();
            count[0] += 1;
            if let Some(right) = read.get(&shown.key) {
                count[1] += 1;
                count[2] += usize::from(*right);
            }
        }
        for (check, [found, read, right]) in &by {
            row(check, *found, *read, *right);
        }
        let sum = |i: usize| by.values().map(|count| count[i]).sum::<usize>();
        row("all", sum(0), sum(1), sum(2));
        // As a finding drawn at random would be, with each check's share that of those read of it.
        let known = by.values().filter(|[_, read, _]| *read > 0);
        let (of, hit) = known.fold((0.0, 0.0), |(of, hit), [found, read, right]| {
            (of + *found as f64, hit + *found as f64 * *right as f64 / *read as f64)
        });
        println!("weighted by what was found: {:.3}\n", hit / of);
    }
    let keys: BTreeSet<&Key> = all.iter().map(|s| &s.key).collect();
    // Without its questions nothing can be said of a set.
    let told =
        |key: &Key| asked.contains(key.0.as_str()) || !check(&key.2).is_some_and(|c| c.reads_question());
    let gone: Vec<&Key> = read.keys().filter(|key| !keys.contains(key) && told(key)).collect();
    println!("read, and found no more: {}", gone.len());
    gone.iter().for_each(|key| println!("  {key:?}"));
}

/// How many findings each check has in each set.
fn counts(all: &[Shown], witnesses: bool) {
    let mut by: BTreeMap<(usize, &str, &str), (usize, usize)> = BTreeMap::new();
    for shown in all {
        let check = CHECKS.iter().position(|c| c.id == shown.key.2).unwrap_or(CHECKS.len());
        let count = by.entry((check, shown.severity.name(), &shown.key.0)).or_default();
        count.0 += 1;
        count.1 += usize::from(shown.witness);
    }
    let mut rows: Vec<(usize, &str)> = by.keys().map(|(check, severity, _)| (*check, *severity)).collect();
    rows.dedup();
    rows.sort_unstable();
    rows.dedup();
    for (check, severity) in rows {
        let name = CHECKS.get(check).map_or("", |c| c.id);
        let cells = SETS.iter().map(|(set, ..)| {
            let (found, shown) = by.get(&(check, severity, *set)).copied().unwrap_or_default();
            if witnesses { format!("{found} / {shown}") } else { found.to_string() }
        });
        println!("| {name} | {severity} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}

fn run(words: &[String]) -> Done {
    let given = |name: &str| words.iter().find_map(|w| w.strip_prefix(name)?.strip_prefix('='));
    let flag = |name: &str| words.iter().any(|w| w == name);
    let number = |name: &str, default: usize| given(name).map_or(Ok(default), str::parse);
    let config = Config { severity: Severity::Note, witness: flag("witness"), ..Config::default() };
    let repository = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let data = std::env::var_os("TWINQL_DATA").map(PathBuf::from);
    let read = verdicts()?;

    let mut all = Vec::new();
    for set in SETS.iter().filter(|(name, ..)| given("set").is_none_or(|only| only == *name)) {
        let root = if set.0 == "bundled" { Some(repository) } else { data.as_deref() };
        match root {
            Some(root) => all.extend(findings(*set, root, &config)?),
            None => eprintln!("skipped {}: TWINQL_DATA is not set", set.0),
        }
    }
    all.retain(|shown| given("check").is_none_or(|only| only == shown.key.2));
    if flag("counts") {
        counts(&all, flag("witness"));
        return Ok(());
    }
    if flag("precision") {
        let asked = SETS.iter().filter(|(_, _, _, texts)| {
            let there = |file: &&str| data.as_ref().is_some_and(|root| root.join(file).is_file());
            texts.iter().any(there)
        });
        precision(&all, &read, &asked.map(|(set, ..)| *set).collect());
        return Ok(());
    }
    let seed = number("seed", 1)?;
    all.sort_by_cached_key(|shown| (drawn_at(seed, &shown.key), shown.key.clone()));
    let (warnings, notes) = (number("warnings", 8)?, number("notes", 4)?);
    let mut drawn: BTreeMap<(bool, &str), usize> = BTreeMap::new();
    let mut sample = Vec::new();
    for shown in all.iter().filter(|s| !flag("unread") || !read.contains_key(&s.key)) {
        let note = shown.severity == Severity::Note;
        let count = drawn.entry((note, &shown.key.2)).or_default();
        *count += 1;
        if *count <= if note { notes } else { warnings } {
            sample.push((note, &shown.key.2, shown));
        }
    }
    sample.sort_by_key(|(note, check, shown)| (*note, *check, &shown.key));
    for (_, _, shown) in sample {
        let (set, line, check, start) = &shown.key;
        let witness = if shown.witness { " (witness)" } else { "" };
        println!("{set}\t{line}\t{check}\t{start}{witness}\n{}", shown.text);
    }
    Ok(())
}

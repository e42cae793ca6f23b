//! Pairs of queries: each theme's in as few processes as dialects and semantics allow.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::data::{Pair, Theme, Truth};
use super::program::{self, Ended};

const STATUSES: [&str; 7] =
    ["ok", "gold_error", "pred_error", "unsupported", "timeout", "untested", "machine_error"];
const METRICS: [&str; 5] = ["gmn", "proof", "suite", "expected-ex", "ex"];
/// Few, so that endless queries end soon; what is endless does not end within more.
const STEPS: &str = "200000";

/// One prediction of a pair.
struct Case<'t> {
    name: String,
    pair: &'t Pair,
    line: String,
}

/// The cases of a theme, and how many there are.
fn cases(theme: &Theme) -> Vec<Case<'_>> {
    let mut cases = Vec::new();
    for pair in &theme.pairs {
        let Some(schema) = theme.schemas.get(&pair.schema) else {
            panic!("{}: no schema {:?}", pair.name, pair.schema);
        };
        for (n, pred) in pair.pred.iter().chain(&pair.preds).enumerate() {
            let name = match n {
                0 if pair.preds.is_empty() => pair.name.clone(),
                n => format!("{} #{}", pair.name, n + 1),
            };
            let line = json!({
                "id": name, "db_id": pair.schema, "schema": schema.text(), "gold": pair.gold.text(), "pred": pred.text()
            });
            let line = line.to_string();
            cases.push(Case { name, pair, line });
        }
    }
    cases
}

/// How many inputs a theme's pairs are.
pub(crate) fn count(theme: &Theme) -> usize {
    theme.pairs.iter().map(|p| p.preds.len() + usize::from(p.pred.is_some())).sum()
}

/// Runs all pairs of a theme; says what does not hold.
pub(crate) fn failures(theme: &Theme) -> Vec<String> {
    let mut failures = Vec::new();
    let mut batches: BTreeMap<[&str; 2], Vec<Case<'_>>> = BTreeMap::new();
    for case in cases(theme) {
        let key = [case.pair.dialect.as_str(), case.pair.semantics.as_str()];
        batches.entry(key).or_default().push(case);
    }
    for ([dialect, semantics], cases) in batches {
        let folder = TempDir::new().unwrap();
        let lines: Vec<&str> = cases.iter().map(|c| c.line.as_str()).collect();
        std::fs::write(folder.path().join("pairs.jsonl"), lines.join("\n")).unwrap();
        let batch = |args: &[&str]| {
            let common = ["--pairs", "pairs.jsonl", "--dialect", dialect, "--semantics", semantics];
            let args = [args, &common[..]].concat();
            let ended = program::run(program::command(folder.path(), &args, &[]), None, None);
            records(&args, &ended, cases.len())
        };
        let all = [
            batch(&["score", "--metric", &METRICS.join(","), "--max-steps", STEPS]),
            batch(&["judge", "--max-steps", STEPS]),
            batch(&["prove"]),
        ];
        let mut read = Vec::new();
        for one in all {
            match one {
                Ok(records) => read.push(records),
                Err(why) => failures.push(why),
            }
        }
        let [scored, judged, proved] = read.as_slice() else {
            continue;
        };
        for (n, case) in cases.iter().enumerate() {
            let mut wrong = Wrong { what: Vec::new() };
            wrong.check(case, [&scored[n], &judged[n], &proved[n]]);
            if !wrong.what.is_empty() {
                let seen = |r: &Value| cut(&r.to_string());
                failures.push(format!(
                    "{} [{dialect}, {semantics}]: {}\n    score {}\n    judge {}\n    prove {}",
                    case.name,
                    wrong.what.join("; "),
                    seen(&scored[n]),
                    seen(&judged[n]),
                    seen(&proved[n]),
                ));
            }
        }
        if std::fs::read_dir(folder.path()).unwrap().count() != 1 {
            failures.push(format!("[{dialect}, {semantics}]: a file was made"));
        }
    }
    failures
}

pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(400) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// One record for each pair, from a run that ended as it should.
fn records(args: &[&str], ended: &Ended, count: usize) -> Result<Vec<Value>, String> {
    let what = || format!("{args:?}: exit {:?}\n{}", ended.code, cut(&ended.err));
    if ended.code != Some(0) || ended.err.contains("panicked") {
        return Err(what());
    }
    let parsed: Result<Vec<Value>, _> = ended.out.lines().map(serde_json::from_str).collect();
    match parsed {
        Ok(records) if records.len() == count => Ok(records),
        // A single pair is written for people where nothing else is said.
        _ => Err(format!("{}\nno {count} records on stdout", what())),
    }
}

struct Wrong {
    what: Vec<String>,
}

impl Wrong {
    fn unless(&mut self, holds: bool, what: impl Into<String>) {
        if !holds {
            self.what.push(what.into());
        }
    }

    fn check(&mut self, case: &Case<'_>, [scored, judged, proved]: [&Value; 3]) {
        let pair = case.pair;
        let status = |r: &Value| r["status"].as_str().unwrap_or("none").to_owned();
        let mut statuses = [scored, judged, proved].map(status);
        for (record, status) in [scored, judged, proved].into_iter().zip(&statuses) {
            self.unless(record["id"] == *case.name, "another id");
            self.unless(STATUSES.contains(&status.as_str()), format!("status {status}"));
            let silent = status != "ok" && record["error"].as_str().is_none_or(str::is_empty);
            self.unless(!silent, format!("status {status} without a reason"));
        }
        for metric in METRICS {
            let score = &scored["scores"][metric];
            let fits = score.as_f64().is_some_and(|s| (0.0..=1.0).contains(&s));
            self.unless(fits || score.is_null(), format!("{metric} {score}"));
        }
        // The pair is well where another metric has a score for it.
        if let Some(of_suite) = scored["details"]["suite"]["status"].as_str() {
            statuses[0] = of_suite.into();
        }
        // One cause has one status. The suite alone has pairs that it did not test or that ran out of time.
        for status in &mut statuses {
            if matches!(status.as_str(), "timeout" | "untested") {
                *status = "ok".into();
            }
        }
        // What only an execution meets, no proof does.
        if pair.at_run_time || cannot_run(judged) {
            statuses[2] = statuses[1].clone();
        }
        let refused = |s: &String| s != "ok";
        let alike = statuses.iter().all(refused) || !statuses.iter().any(refused);
        self.unless(alike, format!("statuses disagree: {statuses:?}"));
        self.truth(pair, [scored, judged, proved]);
        self.asked(pair, [scored, judged, proved]);
    }

    fn truth(&mut self, pair: &Pair, [scored, judged, proved]: [&Value; 3]) {
        let (verdict, proof) = (&judged["verdict"], &proved["proof"]);
        let score = |metric: &str| scored["scores"][metric].as_f64();
        let vacuous = scored["details"].to_string().contains("vacuous");
        let never_equal = |wrong: &mut Wrong| {
            wrong.unless(*proof != "equal", "proved equal");
            wrong.unless(score("proof") != Some(1.0), "scored as proved equal");
            let identical = scored["details"]["gmn"]["identical"] == true;
            wrong.unless(!identical || vacuous, "equal canonical forms");
        };
        let never_same = |wrong: &mut Wrong| {
            never_equal(wrong);
            wrong.unless(*verdict != "same", "judged to be the same");
            wrong.unless(score("suite") != Some(1.0), "scored as the same by the suite");
        };
        let never_different = |wrong: &mut Wrong| {
            wrong.unless(*verdict != "different", "judged to be different");
            wrong.unless(*proof != "different", "proved different");
        };
        match pair.truth {
            Truth::Open => {}
            Truth::Different => never_same(self),
            Truth::RarelyDifferent => never_equal(self),
            Truth::Same => {
                never_different(self);
                let ok = ["untested", "ok"];
                for record in [scored, judged, proved] {
                    let right = pair.status.is_some() || ok.iter().any(|s| record["status"] == *s);
                    self.unless(right, format!("status {}", record["status"]));
                }
            }
            Truth::Vacuous => {
                never_same(self);
                never_different(self);
            }
            Truth::Refused => {
                never_same(self);
                self.unless(verdict.is_null(), "has a verdict");
                // A proof of neither is one half, and `gmn` executes nothing.
                let unseen = cannot_run(judged);
                let most = |m: &str| match m {
                    "proof" => 0.5,
                    "gmn" if unseen => 0.9,
                    _ => 0.0,
                };
                let nothing = METRICS.iter().all(|m| score(m).is_none_or(|s| s <= most(m)));
                self.unless(nothing, "has a score above that of nothing");
                // Only the suite finds out what a query does when it runs.
                self.unless(judged["status"] != "ok", "status ok");
            }
        }
    }

    fn asked(&mut self, pair: &Pair, [scored, judged, proved]: [&Value; 3]) {
        let among = |allowed: &Option<Vec<String>>, value: &Value| {
            let value = value.as_str().unwrap_or("null");
            allowed.as_ref().is_none_or(|a| a.iter().any(|v| v == value))
        };
        self.unless(
            among(&pair.judge, &judged["verdict"]),
            format!("verdict {} is none of {:?}", judged["verdict"], pair.judge),
        );
        self.unless(
            among(&pair.prove, &proved["proof"]),
            format!("proof {} is none of {:?}", proved["proof"], pair.prove),
        );
        for record in [scored, judged, proved] {
            let status = &record["status"];
            self.unless(among(&pair.status, status), format!("status {status} is none of {:?}", pair.status));
            if *status != "ok" && *status != "untested" && !pair.names.is_empty() {
                let error = record["error"].to_string().to_lowercase();
                let named = pair.names.iter().any(|n| error.contains(&n.to_lowercase()));
                self.unless(named, format!("the error names none of {:?}", pair.names));
            }
        }
        if let Some(least) = pair.gmn {
            let gmn = scored["scores"]["gmn"].as_f64();
            self.unless(gmn.is_some_and(|g| g >= least), format!("gmn below {least}"));
        }
        if let Some(note) = &pair.note {
            let notes = judged["notes"].to_string();
            self.unless(notes.contains(note), format!("no note says {note:?}"));
        }
    }
}

/// Whether a query can be read and compared, and the sandbox lacks a function or a type of it.
fn cannot_run(judged: &Value) -> bool {
    let error = judged["error"].to_string();
    ["no such function", "nothing is known of", "cannot be executed"].iter().any(|why| error.contains(why))
}

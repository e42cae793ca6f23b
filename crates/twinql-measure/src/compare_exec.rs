//! Compares our execution accuracy with what test-suite-sql-eval answered on the same files.
//!
//! `DATA/exec_verdicts/SYSTEM.jsonl` holds that evaluator's verdicts (`SYSTEM_kd.jsonl` with
//! DISTINCT kept) on `DATA/suites/spider_dev_20`, for the predictions
//! `DATA/predictions/spider_dev/ESMp_SYSTEM.txt`. Every difference is explained by trying its
//! habits (each one a fault that FACTS of the original name) on our executor, one after the
//! other: the first that turns our verdict over is the cause.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use twinql_suite::compare::{Columns, Mode, equal};
use twinql_suite::execute::Answer;
use twinql_suite::{ExecError, FileConfig, FileJudge, FileVerdict, Files, Limits, Sandbox, Semantics};

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "compare-exec",
    about: "our execution accuracy against test-suite-sql-eval's",
    usage: "DATA",
    run,
};

/// Habits of the other evaluator, and what each does.
const HABITS: [(&str, &str); 7] = [
    ("any-width", "two empty answers are equal, whatever their widths"),
    (
        "order-anywhere",
        "`order by` anywhere in the gold's text, in a subquery or a string too, makes it an ordered comparison",
    ),
    ("exact-reals", "reals are equal only to the last bit"),
    ("columns-by-file", "another order of columns may serve on each file"),
    ("literals", "`> =`, `< =` and `! =` are joined in string literals too"),
    ("no-repair", "a text that SQLite refuses is wrong; ours is repaired, and says so"),
    ("all", "several of them together"),
];

#[derive(Clone, Copy)]
struct Pair<'a> {
    files: &'a [PathBuf],
    gold: &'a str,
    pred: &'a str,
    keep_distinct: bool,
}

/// Our executor with the habits for which `has` holds.
fn with_habits(pair: Pair<'_>, has: &dyn Fn(&str) -> bool) -> bool {
    let text = |sql: &str| {
        let joined = sql.replace("> =", ">=").replace("< =", "<=").replace("! =", "!=");
        let sql = if has("literals") { joined.as_str() } else { sql };
        if pair.keep_distinct { sql.to_owned() } else { twinql_suite::without_distinct(sql) }
    };
    let (gold, pred) = (text(pair.gold), text(pair.pred));
    let repaired = |sandbox: &Sandbox, sql: &str| -> Result<Answer, ExecError> {
        match sandbox.prepare(sql) {
            Ok(mut p) => p.run(0),
            Err(e) if has("no-repair") => Err(e),
            Err(e) => {
                let parsed = twinql_sql::parse(sql).map_err(|_| e)?;
                sandbox.prepare(&parsed.sql)?.run(0)
            }
        }
    };
    let ordered = if has("order-anywhere") {
        gold.to_lowercase().contains("order by")
    } else {
        twinql_suite::outermost_order(&gold)
    };
    let semantics = Semantics::preset("spider").expect("a preset");
    let mut mode = Mode::new(&semantics, ordered);
    if has("exact-reals") {
        mode.tolerance = 0.0;
    }
    let mut columns = None;
    pair.files.iter().all(|file| {
        let sandbox = Sandbox::open(file, Limits::for_files()).expect("a database");
        let Ok(g) = repaired(&sandbox, &gold) else {
            return false;
        };
        let Ok(p) = repaired(&sandbox, &pred) else {
            return false;
        };
        if has("any-width") && g.rows.is_empty() && p.rows.is_empty() {
            return true;
        }
        let fresh = Columns::new(g.width, true);
        let mut own = fresh.clone();
        let columns = if has("columns-by-file") { &mut own } else { columns.get_or_insert(fresh) };
        equal(&g, &p, mode, columns)
    })
}

fn cause(pair: Pair<'_>, theirs: bool) -> &'static str {
    for (habit, _) in HABITS {
        let has = |h: &str| habit == "all" || h == habit;
        if with_habits(pair, &has) == theirs {
            return habit;
        }
    }
    "unexplained"
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn run(args: &[String]) -> Done {
    let data = PathBuf::from(args.first().ok_or("give the folder with the data")?);
    let files = Files::find(data.join("suites/spider_dev_20"))?;
    let gold = read(&data.join("spider/dev_gold.sql"))?;
    let gold: Vec<(&str, &str)> = gold.lines().filter_map(|l| l.split_once('\t')).collect();
    let folder = data.join("exec_verdicts");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .map_err(|e| format!("{}: {e}", folder.display()))?
        .filter_map(|e| Some(e.ok()?.path().file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    let mut causes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut agree, mut all, mut seconds) = (0, 0, 0.0);
    for name in &names {
        let keep_distinct = name.ends_with("_kd");
        let system = name.trim_end_matches("_kd").replace('+', "_");
        let predictions = read(&data.join(format!("predictions/spider_dev/ESMp_{system}.txt")))?;
        let predictions: Vec<&str> =
            predictions.lines().map(|l| l.split('\t').next().unwrap_or("")).collect();
        let verdicts = read(&data.join(format!("exec_verdicts/{name}.jsonl")))?;
        let verdicts: Vec<bool> = verdicts
            .lines()
            .map(|l| Ok(serde_json::from_str::<serde_json::Value>(l)?["exec"] == 1))
            .collect::<Result<_, serde_json::Error>>()?;
        if (gold.len(), gold.len()) != (predictions.len(), verdicts.len()) {
            let counts = (gold.len(), predictions.len(), verdicts.len());
            return Err(
                format!("{name}: golds, predictions and verdicts differ in number: {counts:?}").into()
            );
        }
        let mut semantics: Semantics = "spider".parse()?;
        semantics.ignore_distinct = !keep_distinct;
        let began = Instant::now();
        let mut judge = FileJudge::new(FileConfig::new(semantics));
        let ours: Vec<bool> = gold
            .iter()
            .zip(&predictions)
            .map(|((gold, db), pred)| {
                let report = judge.report(files.of(db).unwrap_or(&[]), gold, pred);
                matches!(report.verdict, FileVerdict::Same { .. })
            })
            .collect();
        seconds += began.elapsed().as_secs_f64();
        let same = ours.iter().zip(&verdicts).filter(|(a, b)| a == b).count();
        println!(
            "{name}: {same} of {} agree; accuracy {} ours, {} theirs",
            gold.len(),
            ours.iter().filter(|o| **o).count(),
            verdicts.iter().filter(|o| **o).count()
        );
        agree += same;
        all += gold.len();
        for (i, (ours, theirs)) in ours.iter().zip(&verdicts).enumerate() {
            if ours == theirs {
                continue;
            }
            let pair = Pair {
                files: files.of(gold[i].1).unwrap_or(&[]),
                gold: gold[i].0,
                pred: predictions[i],
                keep_distinct,
            };
            causes.entry(cause(pair, *theirs)).or_default().push(format!(
                "{name} {i}: ours {} theirs {}\n    gold: {}\n    pred: {}",
                u8::from(*ours),
                u8::from(*theirs),
                gold[i].0,
                predictions[i]
            ));
        }
    }
    println!(
        "\n{agree} of {all} verdicts agree; one thread, {:.2} s a file of {} predictions × 20 databases",
        seconds / names.len() as f64,
        gold.len()
    );
    for (cause, found) in &causes {
        let why = HABITS.iter().find(|h| h.0 == *cause).map_or("", |h| h.1);
        println!("\n{cause} ({}): {why}", found.len());
        for line in found {
            println!("  {line}");
        }
    }
    Ok(())
}

//! Whether a query that reads no table is called the same as one that does: `data/constants.sql` against
//! every gold query of a file.
//!
//! Fails where one is, unless that is proved. What is not called different is written to FOLDER, for scores to be taken.

pub mod against;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use against::{OfSchema, Tally};
use twinql_sql::{Semantics, schema};
use twinql_suite::suite::DistilConfig;

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "gaming",
    about: "constants against golds: is a query that reads no table called the same?",
    usage: "GOLD SCHEMAS [SEMANTICS [FOLDER]]",
    run,
};

fn run(args: &[String]) -> Done {
    let [gold, schemas, rest @ ..] = args else {
        return Err("give a file of golds and their schemas".into());
    };
    let preset = rest.first().map_or("default", String::as_str);
    let semantics: Semantics = preset.parse()?;
    let folder = rest.get(1).map_or_else(|| std::env::temp_dir().join("twinql-gaming"), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    let golds = golds(gold, schemas)?;
    let constants = against::constants();
    let count: usize = golds.iter().map(|(_, g)| g.len()).sum();
    println!(
        "{} constants, {count} distinct gold queries over {} schemas, {preset}",
        constants.len(),
        golds.len()
    );
    let mut bad = 0;
    let mut left = String::new();
    let mut show = |name: &str, started: Instant, tally: &Tally| {
        println!(
            "{name:10} {:7.1} s  {:7} pairs  different {}  untested {}  no verdict {}  proved {}  gold without tables {}  SAME {}",
            started.elapsed().as_secs_f64(),
            tally.pairs,
            tally.different,
            tally.untested,
            tally.none,
            tally.proved,
            tally.constant,
            tally.same.len()
        );
        let mut by_gold: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
        for (db_id, gold, _, reason) in &tally.reasons {
            *by_gold.entry((db_id, gold, reason)).or_default() += 1;
        }
        for ((db_id, gold, reason), n) in by_gold {
            println!("  untested against {n}: {db_id}: {gold}\n    {reason}");
        }
        for (db_id, gold, pred) in tally.same.iter().take(40) {
            println!("  SAME {db_id}: {gold} | {pred}");
        }
        bad += tally.same.len();
        let open = tally.same.iter().map(|(d, g, p)| (d, g, p));
        for (db_id, gold, pred) in open.chain(tally.reasons.iter().map(|(d, g, p, _)| (d, g, p))) {
            let text = |s: &str| serde_json::to_string(s).expect("text");
            left.push_str(&format!(
                "{{\"db_id\":{},\"gold\":{},\"pred\":{}}}\n",
                text(db_id),
                text(gold),
                text(pred)
            ));
        }
    };
    let started = Instant::now();
    show("judge", started, &against::judged(&golds, &constants, &semantics));
    let started = Instant::now();
    let suite = against::suite(
        &golds,
        DistilConfig { semantics: semantics.clone(), neighbours: 40, ..DistilConfig::default() },
    );
    println!("suite      {:7.1} s  {} databases", started.elapsed().as_secs_f64(), suite.counts().databases);
    let started = Instant::now();
    show("suite run", started, &against::run_on(&suite, &golds, &constants));
    let files = against::files(&suite, &folder);
    let started = Instant::now();
    show("execute", started, &against::executed(&golds, &files, &constants, &semantics));
    for file in files.iter().flatten() {
        let _ = std::fs::remove_file(file);
    }
    let list = folder.join("left.jsonl");
    std::fs::write(&list, left)?;
    println!("what is not called different: {}", list.display());
    if bad > 0 { Err(format!("{bad} constants are called the same").into()) } else { Ok(()) }
}

/// The distinct golds of a file `SQL<TAB>db_id`, by schema.
fn golds(gold: &str, schemas: &str) -> Result<Vec<OfSchema>, Box<dyn Error>> {
    let mut set = schema::load(schemas)?;
    let text = std::fs::read_to_string(gold)?;
    let mut by_id: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for line in text.lines() {
        let Some((sql, db_id)) = line.rsplit_once('\t') else {
            continue;
        };
        let golds = by_id.entry(db_id.trim()).or_default();
        let sql = sql.trim().to_owned();
        if !golds.contains(&sql) {
            golds.push(sql);
        }
    }
    Ok(by_id.into_iter().filter_map(|(db_id, golds)| Some((set.shift_remove(db_id)?, golds))).collect())
}

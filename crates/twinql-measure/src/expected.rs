//! What `expected-ex` costs, pair by pair, on one thread: median, mean and the slowest. `PAIRS.jsonl tables.json bird 16`.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use twinql_sql::Semantics;
use twinql_sql::schema::spider::read_tables_json;
use twinql_suite::plausible::ExpectedConfig;
use twinql_suite::{Expectation, Judge, JudgeConfig};

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "expected",
    about: "what `expected-ex` costs, pair by pair",
    usage: "PAIRS.jsonl TABLES.json SEMANTICS DATABASES",
    run,
};

fn run(args: &[String]) -> Done {
    let [pairs, schemas, semantics, databases] = args else {
        return Err("four arguments are wanted".into());
    };
    let set = read_tables_json(&std::fs::read_to_string(schemas)?)?;
    let config = JudgeConfig { semantics: semantics.parse::<Semantics>()?, ..JudgeConfig::default() };
    let expected = ExpectedConfig { databases: databases.parse()? };
    let mut judges: HashMap<String, Judge> = HashMap::new();
    let (mut times, mut made, mut counted) = (Vec::<Duration>::new(), 0, 0);
    for line in std::fs::read_to_string(pairs)?.lines() {
        let pair: serde_json::Value = serde_json::from_str(line)?;
        let text = |key: &str| pair[key].as_str().unwrap_or_default().to_owned();
        let db_id = text("db_id");
        if !judges.contains_key(&db_id) {
            let Some(schema) = set.get(&db_id) else { continue };
            judges.insert(db_id.clone(), Judge::new(schema, config.clone())?);
        }
        let (gold, pred) = (text("gold"), text("pred"));
        let start = Instant::now();
        if let Expectation::Counted(found) = judges[&db_id].expected(&gold, &pred, expected) {
            made += found.made;
            counted += 1;
        }
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or_default();
    let all: Duration = times.iter().sum();
    println!(
        "{} pairs, {:.1} databases each: median {:.2} ms, mean {:.2}, 95 % below {:.2}, slowest {:.0}",
        times.len(),
        f64::from(u32::try_from(made)?) / f64::from(u32::try_from(counted.max(1))?),
        at(0.5).as_secs_f64() * 1e3,
        all.as_secs_f64() * 1e3 / times.len().max(1) as f64,
        at(0.95).as_secs_f64() * 1e3,
        times.last().copied().unwrap_or_default().as_secs_f64() * 1e3,
    );
    Ok(())
}

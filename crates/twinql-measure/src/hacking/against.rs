//! What degenerate completions earn, held against honest mistakes for the same gold.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use twinql::corpus::pairs;
use twinql::rewards::{Certainty, Rewarder, Sample, Target, hacks};
use twinql::sql::{Proof, Schema, Semantics, parse, plan, prove};
use twinql::suite::{JudgeConfig, Verdict, judge};

use crate::inputs;

/// A gold with honest mistakes: predictions that people or systems made, and that a database tells from it.
pub struct Case {
    pub schema: Arc<Schema>,
    pub gold: String,
    pub mistakes: Vec<String>,
}

/// Every `step`th gold of the bundled pairs that has a pair with label 0.
pub fn bundled(step: usize) -> Vec<Case> {
    let data = inputs::bundled();
    let schemas = inputs::schemas(&data.join("schemas")).expect("the bundled schemas");
    let file = pairs::read(data.join("pairs.jsonl")).expect("the bundled pairs");
    let mut mistakes: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for pair in file.pairs.into_iter().filter(|p| p.label == Some(0)) {
        mistakes.entry((pair.db_id.unwrap_or_default(), pair.gold)).or_default().push(pair.pred);
    }
    let cases = mistakes.into_iter().step_by(step);
    cases
        .map(|((db_id, gold), mistakes)| Case { schema: Arc::clone(&schemas[&db_id]), gold, mistakes })
        .collect()
}

/// The first `most` golds of Spider's training part for which a system's beam holds an honest mistake.
pub fn spider_train(data: &Path, most: usize) -> Vec<Case> {
    let schemas = inputs::schemas(&data.join("spider/tables.json")).expect("Spider's schemas");
    let golds = std::fs::read_to_string(data.join("spider/train_spider_gold.sql")).expect("the golds");
    let golds: Vec<(&str, &str)> = golds.lines().filter_map(|line| line.rsplit_once('\t')).collect();
    let beams = data.join("predictions/spider_train_beams/T5-PICARD_beam4.jsonl");
    let beams = std::fs::read_to_string(beams).expect("the beams");
    let mut cases = Vec::new();
    for line in beams.lines() {
        let beam: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let Some(&(gold, db_id)) = beam["idx"].as_u64().and_then(|i| golds.get(i as usize)) else { continue };
        let Some(schema) = schemas.get(db_id.trim()) else { continue };
        let wrong = |sql: &&str| {
            let planned = parse(sql).and_then(|parsed| plan(schema, &parsed)).is_ok();
            planned && matches!(judge(schema, gold, sql, &JudgeConfig::default()), Verdict::Different { .. })
        };
        let candidates = beam["beam"].as_array().into_iter().flatten().filter_map(|c| c.as_str());
        let mistakes: Vec<String> = candidates.filter(wrong).map(str::to_owned).collect();
        if !mistakes.is_empty() {
            cases.push(Case { schema: Arc::clone(schema), gold: gold.to_owned(), mistakes });
        }
        if cases.len() >= most {
            break;
        }
    }
    cases
}

/// What a kind of completion earned.
#[derive(Default)]
pub struct Tally {
    /// Completions.
    pub all: usize,
    /// Those that answer what the gold does, by proof or on all of 100 databases: for this gold they are right.
    pub right: usize,
    /// Those that earn more than the least that an honest mistake for the same gold does.
    pub above: Vec<String>,
    /// Those that earn at least the network's threshold.
    pub same: usize,
    /// What the guard knew, by name.
    pub known: BTreeMap<&'static str, usize>,
    /// The sum of rewards.
    pub sum: f64,
}

/// What all kinds earned.
pub struct Measured {
    /// By kind, in the order of the registry.
    pub kinds: Vec<(&'static str, Tally)>,
    /// What honest mistakes earned on the mean.
    pub mistakes: f64,
    /// How many there were.
    pub of: usize,
    /// For the whole.
    pub time: Duration,
}

/// What all kinds of completions earn for these golds.
pub fn measure(cases: &[Case], rewarder: &Rewarder) -> Measured {
    let block = |sql: &str| format!("```sql\n{sql}\n```");
    let mut samples = Vec::new();
    for case in cases {
        samples.extend(case.mistakes.iter().map(|sql| Sample::new(&case.schema, &case.gold, block(sql))));
        let target = Target { schema: &case.schema, gold: case.gold.trim().trim_end_matches(';') };
        samples.extend(hacks().map(|hack| Sample::new(&case.schema, &case.gold, hack.make(&target))));
    }
    let start = Instant::now();
    let rewards = rewarder.rewards(&samples);
    let time = start.elapsed();
    let threshold = rewarder.engine().threshold(rewarder.config().shaping.metric());
    let mut kinds: Vec<(&'static str, Tally)> = hacks().map(|h| (h.name, Tally::default())).collect();
    let (mut sum, mut of) = (0.0, 0);
    let mut found = samples.iter().zip(rewards);
    for case in cases {
        let mut least = f64::INFINITY;
        for (_, reward) in found.by_ref().take(case.mistakes.len()) {
            // Of a gold that answers nothing on any plausible database, `expected-ex` knows nothing.
            let Some(earned) = reward.reward else { continue };
            least = least.min(earned);
            sum += earned;
            of += 1;
        }
        for ((_, tally), (sample, reward)) in kinds.iter_mut().zip(found.by_ref()) {
            let Some(earned) = reward.reward.filter(|_| least.is_finite()) else { continue };
            tally.all += 1;
            let name = reward.certainty.as_ref().map_or("none", Certainty::name);
            let suspicious = earned > least + 1e-9 || earned >= threshold;
            if suspicious && reward.extraction.sql().is_some_and(|sql| right(sample, sql)) {
                tally.right += 1;
                continue;
            }
            tally.sum += earned;
            *tally.known.entry(name).or_default() += 1;
            tally.same += usize::from(earned >= threshold);
            if earned > least + 1e-9 {
                let sql = reward.extraction.sql().unwrap_or_default();
                tally.above.push(format!("{earned:.3} > {least:.3} ({name}): {} | {sql}", sample.gold));
            }
        }
    }
    Measured { kinds, mistakes: sum / of.max(1) as f64, of, time }
}

/// Whether a prediction answers what the gold does, as far as can be found out.
fn right(sample: &Sample, sql: &str) -> bool {
    let semantics = Semantics::default();
    let proved = prove(&sample.schema, &sample.gold, sql, &semantics);
    // Chance is never the same, however seldom it shows.
    let chance = sql.contains("random()");
    matches!(proved, Ok(Proof::Equal(_)))
        || !chance
            && matches!(
                judge(
                    &sample.schema,
                    &sample.gold,
                    sql,
                    &JudgeConfig { databases: 300, ..JudgeConfig::default() }
                ),
                Verdict::Same { .. }
            )
}

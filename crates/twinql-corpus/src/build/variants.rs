//! Pairs of a gold that come back over a changed schema.

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value as Json};
use twinql_sql::{Schema, canonicalize};

use super::candidates::{Candidate, in_turns};
use super::gather::Task;
use super::oracle::Outcome;
use super::stats::Dropped;
use super::text::hash;
use super::{Job, evaluation};
use crate::Pair;
use crate::schemas::{self, Label};

/// Changes of a schema for one pair, at most.
const LONGEST: usize = 3;

/// Up to `sample.schema_variants` of the pairs that were kept, labels in turn, each over a schema
/// of its own. They have a random stream of their own: the other pairs are what they were
/// without them. What an evaluation set holds does not come back under other names.
pub(super) fn variants(
    job: &Job<'_>,
    schema: &Schema,
    task: &Task,
    kept: &[(Candidate, u8)],
    dropped: &mut Dropped,
) -> Vec<Pair> {
    let config = job.config;
    let count = config.sample.schema_variants;
    if count == 0 {
        return Vec::new();
    }
    let seed = hash(&["schema", &config.seed.to_string(), &task.db_id, &task.gold]);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let held = |sql: &str| evaluation::holds(schema, sql, job.known, job.semantics);
    if held(&task.gold) {
        return Vec::new();
    }
    let mut able: Vec<&(Candidate, u8)> = kept.iter().filter(|(c, _)| !held(&c.sql)).collect();
    able.shuffle(&mut rng);
    let mut out = Vec::new();
    for (candidate, label) in in_turns(able, |(_, label)| label.to_string(), count) {
        let Some(changed) = schemas::sample(schema, &task.gold, &candidate.sql, LONGEST, &mut rng) else {
            continue;
        };
        let label = match changed.label {
            Label::Kept => *label,
            Label::Judged => {
                let preds = [changed.pred.as_str()];
                let outcomes = job.oracle.label(&changed.schema, &changed.gold, &preds);
                match outcomes.first() {
                    Some(Outcome::Label(label)) => *label,
                    Some(outcome) => {
                        dropped.outcome(*outcome);
                        continue;
                    }
                    None => continue,
                }
            }
        };
        // Proved anew: keys that are declared no more may have been what the proof needed.
        let semantics = job.semantics.for_gold_text(&changed.schema, &changed.gold);
        let form = |sql: &str| canonicalize(&changed.schema, sql, &semantics).ok();
        let forms = [&changed.gold, &changed.pred].map(|sql| form(sql).map(|c| c.plan.query));
        let proved = forms[0].is_some() && forms[0] == forms[1];
        out.push(Pair {
            db_id: Some(task.db_id.clone()),
            schema: Some(changed.schema.to_ddl()),
            gold: changed.gold,
            pred: changed.pred,
            label: Some(label),
            question: task.question.clone(),
            source: Some(format!("{}>schema:{}", candidate.source, changed.changes.join("+"))),
            extra: Map::from_iter([
                ("semantics".to_owned(), Json::String(config.semantics.clone())),
                ("proved".to_owned(), Json::Bool(proved)),
            ]),
            ..Pair::default()
        });
    }
    out
}

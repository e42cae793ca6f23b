//! The pairs of a report that tell most: where metrics disagree, with a database that shows who is right.

use std::sync::Arc;

use crate::commands::verdicts::plain;
use rayon::prelude::*;
use twinql::sql::{Semantics, Value};
use twinql::suite::{JudgeConfig, Verdict, judge};
use twinql::{Job, Schema, Work};
use twinql_report::{PairCard, Tone, Witness, WitnessTable};

/// A pair that is worth a look.
pub(crate) struct Telling {
    title: String,
    schema: Arc<Schema>,
    gold: String,
    pred: String,
    badges: Vec<Badge>,
    reason: String,
}

impl Telling {
    /// The pair of a job; none where it holds no two queries to show.
    pub(crate) fn of(job: &Job, title: String, badges: Vec<Badge>, reason: String) -> Option<Telling> {
        let Work::Pair { schema, gold, pred } = &job.work else { return None };
        let (schema, gold, pred) = (Arc::clone(schema), gold.clone(), pred.clone());
        Some(Telling { title, schema, gold, pred, badges, reason })
    }
}

/// Name, value, and what it says.
pub(crate) type Badge = (String, String, Tone);

/// What a metric says of a pair, by its threshold; nothing where it has no score.
pub(crate) fn badge(name: &str, score: Option<f64>, threshold: f64) -> Option<Badge> {
    let score = score?;
    let tone = if score >= threshold { Tone::Same } else { Tone::Different };
    Some((name.to_owned(), format!("{score:.3}"), tone))
}

/// Rows of a table or an answer that are shown.
const ROWS: usize = 12;
/// Databases of the suite that are tried for a witness.
const DATABASES: u64 = 200;

/// The pairs as cards. Where the suite finds a database on which the answers differ, the smallest that it
/// can make of it is shown.
pub(crate) fn cards(telling: &[Telling], semantics: &Semantics, seed: u64) -> Vec<PairCard> {
    let config = JudgeConfig {
        semantics: semantics.clone(),
        seed,
        databases: DATABASES,
        shrink: true,
        ..JudgeConfig::default()
    };
    telling.par_iter().map(|pair| card(pair, &config)).collect()
}

fn card(pair: &Telling, config: &JudgeConfig) -> PairCard {
    let mut card = PairCard::new(&pair.title, &pair.gold, &pair.pred).with_reason(&pair.reason);
    for (name, value, tone) in &pair.badges {
        card = card.with_badge(name, value, *tone);
    }
    let Verdict::Different { witness } = judge(&pair.schema, &pair.gold, &pair.pred, config) else {
        return card;
    };
    let mut tables: Vec<WitnessTable> = witness
        .tables()
        .into_iter()
        .map(|table| WitnessTable {
            name: table.name,
            columns: table.columns,
            more: table.rows.len().saturating_sub(ROWS),
            rows: table.rows.into_iter().take(ROWS).collect(),
        })
        .collect();
    tables.push(answer("gold answers", &witness.gold_columns, &witness.gold_rows));
    tables.push(answer("prediction answers", &witness.pred_columns, &witness.pred_rows));
    card.with_witness(Witness {
        note: format!("A database on which the answers differ ({} semantics).", config.semantics.name),
        tables,
    })
}

fn answer(name: &str, columns: &[String], rows: &[Vec<Value>]) -> WitnessTable {
    let cell = |value: &Value| match value {
        Value::Null => None,
        Value::Text(text) => Some(text.clone()),
        other => Some(plain(other.clone()).to_string()),
    };
    WitnessTable {
        name: name.to_owned(),
        columns: columns.to_vec(),
        rows: rows.iter().take(ROWS).map(|row| row.iter().map(cell).collect()).collect(),
        more: rows.len().saturating_sub(ROWS),
    }
}

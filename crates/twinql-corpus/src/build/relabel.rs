//! The same pairs under other semantics: what a network that is told the semantics learns most
//! from.
//!
//! Labels that hold under the other semantics whatever the pair is
//! ([`Semantics::label_holds_under`]) are kept; the suite is asked about the rest. Where foreign
//! keys come to hold, that is the pairs that differ, which a few databases usually settle.

use rayon::prelude::*;
use serde_json::Value as Json;
use twinql_sql::{Schema, SchemaSet, Semantics, canonicalize};

use super::golds::by_gold;
use super::oracle::{Oracle, Outcome};
use super::stats::Dropped;
use super::text::hash;
use crate::Pair;

/// Labels pairs under `to`, in order, in parallel. Pairs without a label and a semantics of their
/// own (the field `semantics`), or over an unknown database, are judged or left out; what became
/// of those left out is counted.
pub fn relabel(
    pairs: Vec<Pair>,
    schemas: &SchemaSet,
    to: &Semantics,
    oracle: &dyn Oracle,
    each: &(dyn Fn() + Sync),
) -> (Vec<Pair>, Dropped) {
    let done: Vec<(Vec<(usize, Pair)>, Dropped)> = by_gold(pairs)
        .into_par_iter()
        .map(|(gold, pairs)| {
            let count = pairs.len();
            let done = gold.with_schema(schemas, |schema| match schema {
                Some(schema) => one_gold(schema, &gold.sql, pairs, to, oracle),
                None => {
                    let unknown_database = count;
                    let dropped = Dropped { unknown_database, ..Dropped::default() };
                    (Vec::new(), dropped)
                }
            });
            (0..count).for_each(|_| each());
            done
        })
        .collect();
    let mut dropped = Dropped::default();
    let mut all = Vec::new();
    for (pairs, of_gold) in done {
        all.extend(pairs);
        dropped.add(&of_gold);
    }
    all.sort_by_key(|(place, _)| *place);
    (all.into_iter().map(|(_, pair)| pair).collect(), dropped)
}

/// Which of `parts` equal parts of the gold queries a pair's gold belongs to, from 1. Its text and
/// its database alone decide.
pub fn gold_part(pair: &Pair, parts: u64) -> u64 {
    let of_gold = hash(&["part", pair.db_id.as_deref().unwrap_or_default(), &pair.gold]);
    of_gold % parts.max(1) + 1
}

/// The label that a pair has under `to` by its own label and semantics.
fn known(pair: &Pair, to: &Semantics) -> Option<u8> {
    let label = pair.label?;
    let from = pair.extra.get("semantics").and_then(Json::as_str)?;
    let from = Semantics::preset(from)?;
    from.label_holds_under(to, label == 1).then_some(label)
}

/// Labels the pairs of one gold under another semantics. Labels that carry over are kept, and the oracle gets all
/// others at once, so that databases are made once for each gold. A pair for which it has no answer is dropped, and
/// counted by reason.
fn one_gold(
    schema: &Schema,
    gold: &str,
    pairs: Vec<(usize, Pair)>,
    to: &Semantics,
    oracle: &dyn Oracle,
) -> (Vec<(usize, Pair)>, Dropped) {
    let mut dropped = Dropped::default();
    let labels: Vec<Option<u8>> = pairs.iter().map(|(_, pair)| known(pair, to)).collect();
    let open: Vec<&str> = pairs
        .iter()
        .zip(&labels)
        .filter(|(_, label)| label.is_none())
        .map(|((_, pair), _)| pair.pred.as_str())
        .collect();
    let mut outcomes = match open.is_empty() {
        true => Vec::new(),
        false => oracle.label(schema, gold, &open),
    }
    .into_iter();
    let of_pair = to.for_gold_text(schema, gold);
    let form = |sql: &str| canonicalize(schema, sql, &of_pair).ok().map(|c| c.plan.query);
    let of_gold = form(gold);
    let mut kept = Vec::with_capacity(pairs.len());
    for ((place, mut pair), label) in pairs.into_iter().zip(labels) {
        let label = match label.map(Outcome::Label).or_else(|| outcomes.next()) {
            Some(Outcome::Label(label)) => label,
            other => {
                dropped.outcome(other.unwrap_or(Outcome::GoldError));
                continue;
            }
        };
        let proved = of_gold.is_some() && form(&pair.pred) == of_gold;
        pair.label = Some(label);
        pair.extra.insert("semantics".to_owned(), Json::String(to.name.clone()));
        pair.extra.insert("proved".to_owned(), Json::Bool(proved));
        kept.push((place, pair));
    }
    (kept, dropped)
}

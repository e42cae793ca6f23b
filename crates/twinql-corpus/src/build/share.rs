//! Pairs with the share of plausible databases on which their queries agree ([`twinql_suite::plausible`]): in a field
//! `share`, from 0 to 1, that training reads where the question is about such databases.

use rayon::prelude::*;
use serde_json::Value as Json;
use twinql_sql::{SchemaSet, Semantics};
use twinql_suite::plausible::ExpectedConfig;
use twinql_suite::{Expectation, Judge, JudgeConfig};

use super::golds::by_gold;
use crate::Pair;

/// The field's name.
pub const SHARE: &str = "share";

/// Adds the field to all pairs of which plausible databases say anything, and leaves the others out. What a share
/// promises of execution is learned better than its digits: it is the probability that goes with it
/// ([`Expected::probability`](twinql_suite::plausible::Expected::probability)). A pair that is labelled the same on every
/// database, under a semantics whose answers are compared no more coarsely, agrees on plausible ones too, and is not run.
/// Queries are looked at in parallel; the order stays.
pub fn share(
    pairs: Vec<Pair>,
    schemas: &SchemaSet,
    config: &JudgeConfig,
    expected: ExpectedConfig,
    each: &(dyn Fn() + Sync),
) -> Vec<Pair> {
    let mut all: Vec<(usize, Pair)> = by_gold(pairs)
        .into_par_iter()
        .flat_map_iter(|(gold, pairs)| {
            let judge = gold.with_schema(schemas, |schema| Judge::new(schema?, config.clone()).ok());
            let shared = pairs.into_iter().filter_map(|(place, mut pair)| {
                each();
                pair.extra.remove(SHARE);
                let share = match agrees(&pair, &config.semantics) {
                    true => SURE,
                    false => match judge.as_ref()?.expected(&gold.sql, &pair.pred, expected) {
                        Expectation::Counted(counted) => counted.probability(),
                        Expectation::None(_) => return None,
                    },
                };
                // Three digits: more would promise what so few databases cannot say.
                pair.extra.insert(SHARE.to_owned(), Json::from((share * 1e3).round() / 1e3));
                Some((place, pair))
            });
            shared.collect::<Vec<_>>()
        })
        .collect();
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, pair)| pair).collect()
}

/// The share of pairs that agree on every database.
const SURE: f64 = 0.995;

/// Whether the pair's own label says that it agrees whatever the database.
fn agrees(pair: &Pair, asked: &Semantics) -> bool {
    let own = pair.extra.get("semantics").and_then(Json::as_str).and_then(Semantics::preset);
    pair.label == Some(1) && own.is_some_and(|own| own.label_holds_under(asked, true))
}

//! Pairs that differ, with how easily databases that come by chance tell them apart
//! ([`twinql_suite::Ease`]): in a field `ease`, from 0 to 1, that training may read.

use rayon::prelude::*;
use serde_json::Value as Json;
use twinql_sql::SchemaSet;
use twinql_suite::{Judge, JudgeConfig};

use super::golds::by_gold;
use crate::Pair;

/// The field's name.
pub const EASE: &str = "ease";

/// Adds the field to all pairs with label 0 of which plain databases say anything; the order stays,
/// and so do pairs over unknown databases. Queries are looked at in parallel.
pub fn grade(pairs: &mut [Pair], schemas: &SchemaSet, config: &JudgeConfig, each: &(dyn Fn() + Sync)) {
    by_gold(pairs).into_par_iter().for_each(|(gold, pairs)| {
        let judge = gold.with_schema(schemas, |schema| Judge::new(schema?, config.clone()).ok());
        for (_, pair) in pairs {
            each();
            pair.extra.remove(EASE);
            if pair.label == Some(0)
                && let Some(judge) = &judge
                && let Some(ease) = judge.ease(&gold.sql, &pair.pred)
                && let Some(share) = ease.share()
            {
                // Three digits: more would promise what so few databases cannot say.
                let share = (share * 1e3).round() / 1e3;
                pair.extra.insert(EASE.to_owned(), Json::from(share));
            }
        }
    });
}

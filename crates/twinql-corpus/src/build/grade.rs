//! Pairs that differ, with how easily databases that come by chance tell them apart
//! ([`twinql_suite::Ease`]): in a field `ease`, from 0 to 1, that training may read.

use indexmap::IndexMap;
use rayon::prelude::*;
use serde_json::Value as Json;
use twinql_sql::{Schema, SchemaSet};
use twinql_suite::{Judge, JudgeConfig};

use crate::Pair;

/// The field's name.
pub const EASE: &str = "ease";

/// A database, the schema that the pair carries in its place, if any, and a gold query.
type Gold = (Option<String>, Option<String>, String);

/// Adds the field to all pairs with label 0 of which plain databases say anything; the order stays,
/// and so do pairs over unknown databases. Queries are looked at in parallel.
pub fn grade(pairs: &mut [Pair], schemas: &SchemaSet, config: &JudgeConfig, each: &(dyn Fn() + Sync)) {
    let mut golds: IndexMap<Gold, Vec<&mut Pair>> = IndexMap::new();
    for pair in pairs {
        let key = (pair.db_id.clone(), pair.schema.clone(), pair.gold.clone());
        golds.entry(key).or_default().push(pair);
    }
    let golds: Vec<_> = golds.into_iter().collect();
    golds.into_par_iter().for_each(|((db_id, ddl, gold), pairs)| {
        let db_id = db_id.unwrap_or_default();
        let own = ddl.as_ref().and_then(|ddl| Schema::from_ddl(&db_id, ddl).ok());
        let schema = match ddl {
            Some(_) => own.as_ref(),
            None => schemas.get(&db_id),
        };
        let judge = schema.and_then(|schema| Judge::new(schema, config.clone()).ok());
        for pair in pairs {
            each();
            pair.extra.remove(EASE);
            if pair.label == Some(0)
                && let Some(judge) = &judge
                && let Some(ease) = judge.ease(&gold, &pair.pred)
                && let Some(share) = ease.share()
            {
                // Three digits: more would promise what so few databases cannot say.
                let share = (share * 1e3).round() / 1e3;
                pair.extra.insert(EASE.to_owned(), Json::from(share));
            }
        }
    });
}

//! Exact set match with its best-known gaps closed: conditions of joins, DISTINCT, LIMIT and all of SQL's syntax
//! are compared, and foreign keys stay what they are.
//!
//! Source: Yu et al. 2018 for the idea; the gaps are those that Ascoli et al. 2024, Section 3, list.

use serde_json::{Map, Value};

use super::clauses::{Query, TooLarge, Writer, build};
use crate::classic::{Pair, Scored};

/// Values are not compared.
pub(in crate::classic) fn without_values(pair: &Pair<'_>) -> Scored {
    same_clauses(pair, false)
}

/// Values are compared.
pub(in crate::classic) fn with_values(pair: &Pair<'_>) -> Scored {
    same_clauses(pair, true)
}

fn same_clauses(pair: &Pair<'_>, values: bool) -> Scored {
    match both(pair) {
        Ok((gold, pred)) => {
            let text = |q: &Query| Writer::new(pair.schema, values).text(q);
            (text(&gold) == text(&pred)).into()
        }
        Err(unread) => unread,
    }
}

/// Both queries' clauses, or the score of a pair that has none.
pub(super) fn both(pair: &Pair<'_>) -> Result<(Query, Query), Scored> {
    let side = |name: &str, query| {
        build(pair.schema, query).map_err(|TooLarge| {
            let mut details = Map::new();
            details.insert("unread".to_owned(), Value::from(format!("{name}: too large")));
            Scored { score: 0.0, details }
        })
    };
    Ok((side("gold", pair.gold.query)?, side("prediction", pair.pred.query)?))
}

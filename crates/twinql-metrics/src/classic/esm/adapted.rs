//! Exact set match with its best-known gaps closed: conditions of joins, DISTINCT, LIMIT and all of SQL's syntax
//! are compared, and foreign keys stay what they are.
//!
//! Source: Yu et al. 2018 for the idea; the gaps are those that Ascoli et al. 2024, Section 3, list.

use serde_json::{Map, Value};
use sqlparser::ast;
use twinql_sql::Schema;

use super::clauses::{Query, TooLarge, Writer, build};
use crate::classic::{Pair, Scored};

/// [`clauses_match`] of a pair, values aside.
pub(in crate::classic) fn without_values(pair: &Pair<'_>) -> Scored {
    clauses_match(pair.schema, pair.gold.query, pair.pred.query, false)
}

/// [`clauses_match`] of a pair, values included.
pub(in crate::classic) fn with_values(pair: &Pair<'_>) -> Scored {
    clauses_match(pair.schema, pair.gold.query, pair.pred.query, true)
}

/// 1 if two parsed queries have the same clauses, with or without the values that conditions compare with.
pub fn clauses_match(schema: &Schema, gold: &ast::Query, pred: &ast::Query, values: bool) -> Scored {
    match both(schema, gold, pred) {
        Ok((gold, pred)) => {
            let text = |q: &Query| Writer::new(schema, values).text(q);
            (text(&gold) == text(&pred)).into()
        }
        Err(unread) => unread,
    }
}

/// Both queries' clauses, or the score of a pair that has none.
pub(super) fn both(schema: &Schema, gold: &ast::Query, pred: &ast::Query) -> Result<(Query, Query), Scored> {
    let side = |name: &str, query| {
        build(schema, query).map_err(|TooLarge| {
            let mut details = Map::new();
            details.insert("unread".to_owned(), Value::from(format!("{name}: too large")));
            Scored { score: 0.0, details }
        })
    };
    Ok((side("gold", gold)?, side("prediction", pred)?))
}

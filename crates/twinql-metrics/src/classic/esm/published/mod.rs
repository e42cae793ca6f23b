//! Exact set match and ESM+ as their published scripts compute them, oddities included.
//!
//! Sources: Yu et al. 2018 (Spider) with the evaluation script that Zhong et al. 2020 publish; Ascoli et al. 2024
//! (ESM+) with its script. Both read words, not SQL's grammar: what they cannot read counts as an empty query. So
//! does this module, which reads the text again and leaves the parsed query aside. docs/esm.md holds how often
//! it agrees with the scripts.

mod compare;
mod names;
mod plus;
mod read;
mod token;
mod tree;

use serde_json::{Map, Value};
use twinql_sql::Schema;

use crate::classic::Scored;
use names::{Names, representatives};
use tree::Tree;

/// Whose script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    Spider,
    EsmPlus,
}

/// Why a script cannot read a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unread(String);

impl Unread {
    fn new(why: impl Into<String>) -> Unread {
        Unread(why.into())
    }
}

/// Spider's exact set match: 1 if every component of the two queries agrees.
pub fn exact_set_match(schema: &Schema, gold: &str, pred: &str) -> Scored {
    match_texts(Script::Spider, schema, gold, pred)
}

/// ESM+ as its script has it.
pub fn esm_plus_published(schema: &Schema, gold: &str, pred: &str) -> Scored {
    match_texts(Script::EsmPlus, schema, gold, pred)
}

fn match_texts(script: Script, schema: &Schema, gold: &str, pred: &str) -> Scored {
    let names = Names::of(schema);
    let mut details = Map::new();
    // The script takes the word for a placeholder.
    let pred = if script == Script::Spider { pred.replace(" value ", " 1 ") } else { pred.to_owned() };
    let mut read = |side: &str, sql: &str| match read::read(script, &names, sql) {
        Ok(tree) => Some(tree),
        Err(Unread(why)) => {
            details.insert("unread".to_owned(), Value::from(format!("{side}: {why}")));
            None
        }
    };
    let (gold, pred) = (read("gold", gold), read("prediction", &pred));
    // A script would stop at a gold that it cannot read.
    let Some(mut gold) = gold else { return Scored { score: 0.0, details } };
    let unread = pred.is_none();
    let mut pred: Tree = pred.unwrap_or_default();
    if script == Script::Spider {
        let representatives = representatives(schema);
        for tree in [&mut gold, &mut pred] {
            compare::without_values(tree);
            compare::with_representatives(tree, &representatives);
        }
    }
    let same = !unread && compare::same(script, &gold, &pred);
    for (name, count) in compare::components(script, &gold, &pred) {
        details.insert(name.to_owned(), Value::from(u8::from(count.same())));
    }
    Scored { score: f64::from(u8::from(same)), details }
}

#[cfg(test)]
mod tests;

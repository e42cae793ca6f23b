//! A proof of equality as a walk from one query to the other: each step is taken by one rule, and has its SQL.
//!
//! The rules of the proof are applied one at a time to the whole query, each until it changes nothing, until none does.
//! What has no order stands in the canonical one after each step. From the prediction the walk is taken backwards.
//!
//! ```
//! use twinql::sql::{Proof, prove};
//! use twinql::steps::steps;
//! use twinql::{Schema, Semantics};
//!
//! let schema = Schema::from_ddl("pets", "CREATE TABLE pet (id INTEGER PRIMARY KEY, age INTEGER)")?;
//! let (gold, pred) = ("SELECT COUNT(id) FROM pet WHERE NOT age <= 3", "SELECT COUNT(*) FROM pet WHERE 3 < age");
//! let semantics = Semantics::default();
//! let Proof::Equal(equal) = prove(&schema, gold, pred, &semantics)? else { panic!("not proved") };
//! let walk = steps(&schema, gold, pred, &semantics, &equal);
//! let by: Vec<&str> = walk.iter().map(|step| step.by.as_str()).collect();
//! assert_eq!(by, ["gold", "reading", "negation-pushdown", "comparison-orientation", "count-star", "reading"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use serde::{Deserialize, Serialize};
use twinql_sql::normalize::normalize_in_order;
use twinql_sql::prove::{Certificate, Equal};
use twinql_sql::{Plan, RULES, Rule, Schema, Semantics, parse, plan, print};

/// Rounds over all rules, of which each may wait for what others leave.
const ROUNDS: usize = 16;

/// A query on the way, and what makes it equal to the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The rule; or one of [`OTHERS`].
    pub by: String,
    /// The query.
    pub sql: String,
}

/// Steps that no single rule takes.
pub const OTHERS: [&str; 5] = [GOLD, READING, FORM, MAPPINGS, ORDER];
/// The first query, as it was given.
const GOLD: &str = "gold";
/// The query as it was planned.
const READING: &str = "reading";
/// Rules that wait for each other.
const FORM: &str = "canonical-form";
/// The rows of each query are mapped into the other's.
const MAPPINGS: &str = "mappings";
/// The gold asks for no such order.
const ORDER: &str = "order";

/// The walk of a proof under `semantics`; empty of queries that cannot be planned. A step that SQLite has no words for is part of the next one, whose `by` names
/// both.
pub fn steps(schema: &Schema, gold: &str, pred: &str, semantics: &Semantics, equal: &Equal) -> Vec<Step> {
    let planned = |sql: &str| parse(sql).and_then(|parsed| plan(schema, &parsed)).ok();
    let (Some(gold_plan), Some(pred_plan)) = (planned(gold), planned(pred)) else { return Vec::new() };
    let semantics = &*semantics.for_gold_text(schema, gold);
    let of_proof =
        |rule: &&Rule| equal.gold_rules.contains(&rule.name) || equal.pred_rules.contains(&rule.name);
    let walk = Walk { schema, semantics };
    let walked = |rules: &[&'static Rule]| [&gold_plan, &pred_plan].map(|plan| walk.from(plan, rules));
    let mut both = walked(&RULES.iter().filter(of_proof).collect::<Vec<_>>());
    if !meet(&both) {
        let all = walked(&RULES.iter().collect::<Vec<_>>());
        if meet(&all) {
            both = all;
        }
    }
    let link = match (meet(&both), &equal.certificate) {
        (true, _) => None,
        (false, Certificate::CanonicalForm { order_relaxed: true, .. }) => Some(ORDER),
        (false, Certificate::CanonicalForm { .. }) => Some(FORM),
        (false, Certificate::Homomorphisms(_)) => Some(MAPPINGS),
    };
    let [there, mut back] = both.map(|walk| printed(schema, walk));
    back.reverse();
    let mut out = vec![Step { by: GOLD.to_owned(), sql: gold.to_owned() }];
    out.extend(there);
    // Backwards, what a step is made by stands with the query before.
    let mut by = link.map(str::to_owned);
    for Step { by: next, sql } in back.into_iter().chain([Step { by: String::new(), sql: pred.to_owned() }]) {
        if let Some(by) = by.replace(next) {
            out.push(Step { by, sql });
        }
    }
    out
}

/// A query after each rule.
type Way = Vec<(&'static str, Plan)>;

/// Whether two ways end at one query.
fn meet([gold, pred]: &[Way; 2]) -> bool {
    let end = |way: &Way| way.last().map(|(_, plan)| plan.query.clone());
    end(gold) == end(pred)
}

struct Walk<'w> {
    schema: &'w Schema,
    semantics: &'w Semantics,
}

impl Walk<'_> {
    fn from(&self, start: &Plan, rules: &[&'static Rule]) -> Way {
        let by = |rules: &[&'static Rule], plan: &Plan| {
            normalize_in_order(self.schema, plan.clone(), self.semantics, rules).plan
        };
        let mut at = by(&[], start);
        let mut way = vec![(READING, at.clone())];
        for _ in 0..ROUNDS {
            let before = way.len();
            for rule in rules {
                let next = by(&[*rule], &at);
                if next.query != at.query {
                    way.push((rule.name, next.clone()));
                    at = next;
                }
            }
            if way.len() == before {
                break;
            }
        }
        way
    }
}

/// The texts of a way, without steps that do not show.
fn printed(schema: &Schema, way: Way) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    let mut waiting: Vec<&str> = Vec::new();
    for (by, plan) in way {
        waiting.push(by);
        if let Ok(sql) = print::to_sql(schema, &plan) {
            let by = std::mem::take(&mut waiting).join(", ");
            if out.last().is_none_or(|before| before.sql != sql) {
                out.push(Step { by, sql });
            }
        }
    }
    out
}

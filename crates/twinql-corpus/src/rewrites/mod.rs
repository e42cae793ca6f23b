//! Equivalent ways to write a query.
//!
//! Each rewrite is one small unit with a name, its source, its preconditions (in its doc
//! line and in its code, which says no where they do not hold) and an entry in [`all`].
//! A rewrite that is *sound* keeps the answer under the `no-fk` semantics and stricter
//! assumptions; of the others ([`Claim`]) the label has to come from the suite.
//! Soundness is said of queries with one answer: a bare column under GROUP BY, or a LIMIT
//! among ties, takes a row that SQLite chooses by its plan, and a rewrite changes the plan.
//! The catalogue follows the kinds of rewrite that separate equivalent pairs in human
//! data, and textbook laws of relational algebra.

mod aggregates;
pub(crate) mod ast;
mod habits;
mod idle;
mod joins;
mod known;
mod predicates;
mod redundant;
mod selects;
mod setops;
pub mod shown;
mod subqueries;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use rand::RngExt as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use sqlparser::ast::{Expr, Query, Select};
use twinql_sql::Schema;

use crate::walk;
pub use ast::Context;
use ast::{outermost, somewhere, with_body};

/// On which databases a rewrite keeps the answer. The class of one that is not sound is counted, by the suite and on plausible
/// databases (`cargo measure rewrites`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// On every database of the `no-fk` semantics.
    Sound,
    /// On most databases as people have them, and not on every one.
    Plausible,
    /// On neither, though it looks as if.
    LookAlike,
}

twinql_sql::named!(Claim: Sound "sound", Plausible "plausible", LookAlike "look-alike");

/// The number of the newest catalogue.
pub const CATALOGUES: u8 = 3;

/// What a rewrite changes, and how; its function returns none where its preconditions do not hold.
#[derive(Debug, Clone, Copy)]
pub enum Apply {
    /// One of the expressions.
    Expr(fn(&Context<'_>, &Expr) -> Option<Expr>),
    /// One of the SELECTs.
    Select(fn(&Context<'_>, &Select) -> Option<Select>),
    /// One of the queries, the outermost or a subquery.
    Query(fn(&Context<'_>, &Query) -> Option<Query>),
    /// The SELECT that is the whole query but for WITH, ORDER BY and LIMIT: of others the number of outputs has to stay.
    Outermost(fn(&Context<'_>, &Select) -> Option<Select>),
    /// The query as a whole, with the dice for what there is to choose.
    Whole(fn(&Context<'_>, &Query, &mut ChaCha8Rng) -> Option<Query>),
}

/// One rewrite.
#[derive(Debug, Clone, Copy)]
pub struct Rewrite {
    /// Its name, as it stands in the `source` of pairs.
    pub name: &'static str,
    /// What becomes what, under which preconditions.
    pub law: &'static str,
    /// Whether its result needs a judge.
    pub kind: Claim,
    /// The catalogue that it came with, from 1 to [`CATALOGUES`]: a corpus that asks for an earlier one
    /// stays what it was.
    pub catalogue: u8,
    /// How often it is drawn: 1 for changes that a canonical plan undoes, up to 4.
    pub weight: u32,
    /// The rewrite itself.
    pub apply: Apply,
}

/// The beginning of an entry of the first catalogue, which the methods below complete.
const fn rule(name: &'static str, kind: Claim, weight: u32) -> Rewrite {
    Rewrite { name, law: "", kind, catalogue: 1, weight, apply: Apply::Expr(|_, _| None) }
}

/// As [`rule`], of the second catalogue.
const fn newer(name: &'static str, kind: Claim, weight: u32) -> Rewrite {
    Rewrite { catalogue: 2, ..rule(name, kind, weight) }
}

impl Rewrite {
    const fn law(self, law: &'static str) -> Rewrite {
        Rewrite { law, ..self }
    }

    const fn expr(self, apply: fn(&Context<'_>, &Expr) -> Option<Expr>) -> Rewrite {
        Rewrite { apply: Apply::Expr(apply), ..self }
    }

    const fn select(self, apply: fn(&Context<'_>, &Select) -> Option<Select>) -> Rewrite {
        Rewrite { apply: Apply::Select(apply), ..self }
    }

    const fn query(self, apply: fn(&Context<'_>, &Query) -> Option<Query>) -> Rewrite {
        Rewrite { apply: Apply::Query(apply), ..self }
    }

    const fn outermost(self, apply: fn(&Context<'_>, &Select) -> Option<Select>) -> Rewrite {
        Rewrite { apply: Apply::Outermost(apply), ..self }
    }

    const fn whole(self, apply: fn(&Context<'_>, &Query, &mut ChaCha8Rng) -> Option<Query>) -> Rewrite {
        Rewrite { apply: Apply::Whole(apply), ..self }
    }
}

/// Every rewrite, by family, with what the family is about.
pub const FAMILIES: [(&str, &[Rewrite]); 10] = [
    ("Predicates", predicates::RULES),
    ("Aggregates", aggregates::RULES),
    ("Outputs, groups, order", selects::RULES),
    ("Joins", joins::RULES),
    ("Subqueries", subqueries::RULES),
    ("Set operations", setops::RULES),
    ("Idle parts", idle::RULES),
    ("Redundant parts", redundant::RULES),
    ("Habits in expressions", habits::values::RULES),
    ("Habits in the shape of a query", habits::shapes::RULES),
];

/// Every rewrite, by family.
pub fn all() -> impl Iterator<Item = &'static Rewrite> {
    FAMILIES.into_iter().flat_map(|(_, rewrites)| rewrites)
}

/// A query that was rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The new query.
    pub sql: String,
    /// The names of the rewrites, in order of application.
    pub rules: Vec<&'static str>,
    /// All of them are sound.
    pub sound: bool,
}

/// Applies one rewrite somewhere in `sql`; none where it does not apply or changes nothing.
pub fn apply(rule: &Rewrite, schema: &Schema, sql: &str, rng: &mut ChaCha8Rng) -> Option<String> {
    let query = ast::parse_query(sql)?;
    let c = &Context { schema, query: &query };
    let new = match rule.apply {
        Apply::Expr(f) => somewhere(&query, rng, walk::expressions, |e| f(c, e)),
        Apply::Select(f) => somewhere(&query, rng, walk::selects, |s| f(c, s)),
        Apply::Query(f) => somewhere(&query, rng, walk::queries, |q| f(c, q)),
        Apply::Outermost(f) => Some(with_body(&query, f(c, outermost(&query)?)?)),
        Apply::Whole(f) => f(c, &query, rng),
    }?;
    let text = new.to_string();
    (text != query.to_string() && ast::parse_query(&text).is_some()).then_some(text)
}

/// Up to `count` distinct rewrites of `sql`, each by one to `longest` rules of `catalogue` and of
/// earlier ones.
pub fn sample(
    schema: &Schema,
    sql: &str,
    catalogue: u8,
    count: usize,
    longest: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<Rewritten> {
    let mut out: Vec<Rewritten> = Vec::new();
    let Some(query) = ast::parse_query(sql) else {
        return out;
    };
    let mut seen = HashSet::from([query.to_string()]);
    for _ in 0..count * 3 {
        if out.len() >= count {
            break;
        }
        let steps = if longest <= 1 { 1 } else { rng.random_range(2..=longest) };
        let mut now = Rewritten { sql: sql.to_owned(), rules: Vec::new(), sound: true };
        for _ in 0..steps {
            let Some((rule, text)) = one(schema, &now, catalogue, rng) else {
                break;
            };
            now.sql = text;
            now.rules.push(rule.name);
            now.sound &= rule.kind == Claim::Sound;
        }
        if now.rules.len() == steps && seen.insert(now.sql.clone()) {
            out.push(now);
        }
    }
    out
}

/// One rewrite of `now` by a rule that it has not seen.
fn one(
    schema: &Schema,
    now: &Rewritten,
    catalogue: u8,
    rng: &mut ChaCha8Rng,
) -> Option<(&'static Rewrite, String)> {
    let mut order: Vec<(f64, &Rewrite)> = all()
        .filter(|r| r.catalogue <= catalogue && !now.rules.contains(&r.name))
        .map(|r| {
            // Weighted order without replacement (Efraimidis and Spirakis, 2006).
            let u: f64 = rng.random_range(f64::EPSILON..1.0);
            (u.powf(1.0 / f64::from(r.weight)), r)
        })
        .collect();
    order.shuffle(rng);
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    order.into_iter().find_map(|(_, rule)| Some((rule, apply(rule, schema, &now.sql, rng)?)))
}

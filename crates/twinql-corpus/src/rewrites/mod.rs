//! Equivalent ways to write a query.
//!
//! Each rewrite is one small unit with a name, its source, its preconditions (in its doc
//! line and in its code, which says no where they do not hold) and an entry in [`all`].
//! A rewrite that is *sound* keeps the answer under the `no-fk` semantics and stricter
//! assumptions; a *candidate* mostly does, and its label has to come from the suite.
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
mod subqueries;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use rand::RngExt as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use sqlparser::ast::Query;
use twinql_sql::Schema;

pub use ast::Context;

/// Whether a rewrite's result needs a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The answer stays the same on every database of the `no-fk` semantics.
    Sound,
    /// The answer often stays the same.
    Candidate,
}

/// The number of the newest catalogue.
pub const CATALOGUES: u8 = 3;

/// What a rewrite does to a query: none where its preconditions do not hold.
pub type Apply = fn(&Context<'_>, &Query, &mut ChaCha8Rng) -> Option<Query>;

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

/// Every rewrite, by family.
pub fn all() -> impl Iterator<Item = &'static Rewrite> {
    [
        predicates::RULES,
        aggregates::RULES,
        selects::RULES,
        joins::RULES,
        subqueries::RULES,
        setops::RULES,
        idle::RULES,
        redundant::RULES,
    ]
    .into_iter()
    .chain(habits::RULES)
    .flatten()
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
    let new = (rule.apply)(&Context { schema }, &query, rng)?;
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

//! Neighbour queries: a gold query with one thing changed.
//!
//! Most neighbours mean something else, and a suite that tells all of them from the gold
//! has exercised every part of it (Zhong, Yu and Klein, EMNLP 2020, section 3.1). They are
//! also the hard negatives of a training corpus. Every mutation is a small unit of
//! [`MUTATIONS`]; only neighbours that SQLite compiles against the schema are returned.

mod clauses;
mod expressions;
mod spans;
mod turn;

use std::collections::HashSet;

use sqlparser::ast::{Expr, Query, Select};
use twinql_sql::Schema;

use crate::dice::Dice;
use crate::execute::{Limits, Sandbox};
use crate::text::ready;
pub(crate) use clauses::{on_queries, on_selects};
pub(crate) use expressions::on_expressions;
use turn::{Changed, Context, MAX_SITES, Outcome, Turn};

/// A query that differs from the gold in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// The SQL text.
    pub sql: String,
    /// The mutation's name.
    pub mutation: &'static str,
}

/// Where a mutation changes a query; `None`, and nothing is changed, at a place whose turn it is not.
enum In {
    Select(OnSelect),
    Query(OnQuery),
    Expr(OnExpr),
    /// In the whole query, which gets the number of the place.
    Whole(OnWhole),
}

type OnSelect = fn(&mut Select, &mut Turn, &mut Context<'_>) -> Changed;
type OnQuery = fn(&mut Query, &mut Turn, &mut Context<'_>) -> Changed;
type OnExpr = fn(&mut Expr, &mut Turn, &mut Context<'_>) -> Changed;
type OnWhole = fn(&Query, usize, &mut Context<'_>) -> Outcome;

/// One kind of change.
#[allow(missing_debug_implementations)] // function pointers
pub struct Mutation {
    /// The name.
    pub name: &'static str,
    /// What is changed.
    pub doc: &'static str,
    /// How many outcomes one place may have.
    outcomes: usize,
    change: In,
}

impl Mutation {
    /// The query, changed at its `site`-th place (from 0).
    fn apply(&self, query: &Query, site: usize, context: &mut Context<'_>) -> Outcome {
        if let In::Whole(change) = self.change {
            return change(query, site, context);
        }
        let mut turn = Turn { left: site, done: false };
        let mut copy = Box::new(query.clone());
        let changed = match self.change {
            In::Select(change) => on_selects(&mut copy, |s| change(s, &mut turn, context).is_some()),
            In::Query(change) => on_queries(&mut copy, |q| change(q, &mut turn, context).is_some()),
            In::Expr(change) => on_expressions(&mut copy, |e| change(e, &mut turn, context).is_some()),
            In::Whole(_) => false,
        };
        if changed { Outcome::Query(copy) } else { Outcome::NoPlace }
    }
}

/// Rows of the list by where they change a query.
macro_rules! rows {
    ($($row:ident: $place:ident, $change:ty;)*) => {$(
        const fn $row(name: &'static str, doc: &'static str, outcomes: usize, change: $change) -> Mutation {
            Mutation { name, doc, outcomes, change: In::$place(change) }
        }
    )*};
}

rows! {
    select: Select, OnSelect;
    query: Query, OnQuery;
    expr: Expr, OnExpr;
    whole: Whole, OnWhole;
}

/// All mutations.
pub const MUTATIONS: &[Mutation] = &[
    expr(
        "number",
        "a number becomes one more, one less (a fraction 0.001), or another",
        10,
        expressions::number,
    ),
    expr(
        "string",
        "a string changes case, loses or gains characters, becomes a part of itself, or another",
        14,
        expressions::string,
    ),
    expr("comparison", "a comparison operator becomes another", 5, expressions::comparison),
    // Before `column`, which makes the same texts: of equal ones the first names the kind.
    select("join-key", "one side of a join's equality becomes another column", 4, clauses::join_key),
    expr("column", "a column becomes another of the query's tables", 40, expressions::column),
    expr("aggregate", "an aggregate becomes another", 4, expressions::aggregate),
    expr("drop-aggregate", "an aggregate is dropped, its argument stays", 1, expressions::drop_aggregate),
    expr(
        "aggregate-distinct",
        "DISTINCT is added to or removed from an aggregate",
        1,
        expressions::aggregate_distinct,
    ),
    expr("count-star", "COUNT(x) becomes COUNT(*)", 1, expressions::count_star),
    expr("count-column", "COUNT(*) becomes COUNT(DISTINCT) or SUM of a column", 4, expressions::count_column),
    expr("and-or", "AND becomes OR, OR becomes AND", 1, expressions::and_or),
    expr("drop-conjunct", "one side of an AND or OR is dropped", 2, expressions::drop_conjunct),
    expr("like-equal", "LIKE becomes =, = with a string becomes LIKE", 1, expressions::like_equal),
    expr("arithmetic", "an arithmetic operator becomes another", 3, expressions::arithmetic),
    expr(
        "negation",
        "IN, LIKE, BETWEEN, EXISTS, IS NULL are negated, or no longer",
        1,
        expressions::negation,
    ),
    expr("in-list", "a member of an IN list is dropped", 3, expressions::in_list),
    select("distinct", "SELECT DISTINCT is added or removed", 1, clauses::distinct),
    select("drop-where", "WHERE is dropped", 1, clauses::drop_where),
    select("drop-having", "HAVING is dropped", 1, clauses::drop_having),
    select(
        "having-where",
        "the condition of WHERE moves into HAVING, that of HAVING into WHERE",
        1,
        clauses::having_where,
    ),
    select("group-output", "GROUP BY takes the output columns instead of its keys", 1, clauses::group_output),
    select(
        "add-group",
        "GROUP BY a key of one of the tables is added: one row for each, as IN gives",
        3,
        clauses::add_group,
    ),
    select("drop-group-key", "a key of GROUP BY is dropped", 2, clauses::drop_group_key),
    query("direction", "ASC becomes DESC, DESC becomes ASC", 1, clauses::direction),
    query("drop-order", "ORDER BY is dropped", 1, clauses::drop_order),
    query("drop-order-key", "one of several keys of ORDER BY is dropped", 2, clauses::drop_order_key),
    query("limit", "LIMIT becomes one more, one less, or is dropped", 3, clauses::limit),
    whole("add-limit", "LIMIT 1 is added to an ordered query", 1, clauses::add_limit),
    select(
        "join-type",
        "an inner join becomes a left join, an outer join an inner one",
        1,
        clauses::join_type,
    ),
    select("drop-join", "the last join is dropped", 1, clauses::drop_join),
    select("drop-join-condition", "a join loses its condition", 1, clauses::drop_join_condition),
    select("table", "a table becomes another", 4, clauses::table),
    query(
        "set-operator",
        "UNION, INTERSECT and EXCEPT become each other, ALL is added or removed",
        3,
        clauses::set_operator,
    ),
    query("drop-arm", "one arm of a set operation is dropped", 2, clauses::drop_arm),
    select("drop-item", "an output column is dropped", 4, clauses::drop_item),
    select("add-item", "an output column is added", 2, clauses::add_item),
    whole(
        "drop-span",
        "a run of words is dropped, wherever what stays is a query",
        spans::MAX_WORDS,
        spans::drop_span,
    ),
];

/// At most `limit` distinct neighbours of a query, a random choice over all mutations in
/// equal shares. Empty where the query cannot be parsed or does not fit the schema.
pub fn neighbours(schema: &Schema, gold: &str, seed: u64, limit: usize) -> Vec<Neighbour> {
    match Sandbox::new(schema, Limits::default()) {
        Ok(sandbox) => neighbours_in(&sandbox, schema, gold, seed, limit),
        Err(_) => Vec::new(),
    }
}

/// As [`neighbours`], with a sandbox of the same schema that is used again and again.
pub fn neighbours_in(
    sandbox: &Sandbox,
    schema: &Schema,
    gold: &str,
    seed: u64,
    limit: usize,
) -> Vec<Neighbour> {
    let Ok(gold) = ready(sandbox, gold) else {
        return Vec::new();
    };
    let Some(mut query) = gold.ast else {
        return Vec::new();
    };
    let sources = clauses::sources(&mut query).into_iter();
    let facts = crate::facts::Facts::of(schema, &query);
    let mut context = Context {
        schema,
        tables: facts.tables().into_iter().filter_map(|t| schema.tables.get(t)).collect(),
        sources: sources.filter_map(|(shown, name)| Some((shown, schema.table(&name)?))).collect(),
        words: spans::words(&query),
        dice: Dice::new(seed, 0),
        outcome: 0,
    };
    // By text: two mutations may make the same neighbour, and one may give the gold back.
    let mut seen = HashSet::from([query.to_string()]);
    let mut kinds: Vec<Kind> = MUTATIONS.iter().map(|mutation| Kind { mutation, neighbours: None }).collect();
    // Where few are asked for, most kinds never get a turn and are not looked at.
    if limit >= kinds.len() {
        kinds.iter_mut().for_each(|kind| kind.look(&query, &mut context, &mut seen));
    }
    // Kinds take turns, or one with many places (a column, a string) would be nearly all there is.
    context.dice.shuffle(&mut kinds);
    let mut out = Vec::new();
    while out.len() < limit && kinds.iter().any(|kind| !kind.is_empty()) {
        for kind in &mut kinds {
            if out.len() >= limit {
                break;
            }
            kind.look(&query, &mut context, &mut seen);
            // The next of this kind that SQLite takes.
            let mut left = std::iter::from_fn(|| kind.neighbours.as_mut()?.pop());
            out.extend(left.find(|neighbour| sandbox.prepare(&neighbour.sql).is_ok()));
        }
    }
    out
}

/// The neighbours of one mutation that are left, in random order; none where it has not been looked at.
struct Kind {
    mutation: &'static Mutation,
    neighbours: Option<Vec<Neighbour>>,
}

impl Kind {
    /// True if it was looked at and has none left.
    fn is_empty(&self) -> bool {
        self.neighbours.as_ref().is_some_and(Vec::is_empty)
    }

    /// Makes its neighbours, but for those that were seen.
    fn look(&mut self, query: &Query, context: &mut Context<'_>, seen: &mut HashSet<String>) {
        if self.neighbours.is_some() {
            return;
        }
        let mut found = Vec::new();
        'sites: for site in 0..MAX_SITES {
            for outcome in 0..self.mutation.outcomes {
                context.outcome = outcome;
                match self.mutation.apply(query, site, context) {
                    Outcome::NoPlace => break 'sites,
                    Outcome::Nothing => {}
                    Outcome::Query(changed) => {
                        let sql = changed.to_string();
                        if seen.insert(sql.clone()) {
                            found.push(Neighbour { sql, mutation: self.mutation.name });
                        }
                    }
                }
            }
        }
        context.dice.shuffle(&mut found);
        self.neighbours = Some(found);
    }
}

#[cfg(test)]
mod tests;

//! Neighbour queries: a gold query with one thing changed.
//!
//! Most neighbours mean something else, and a suite that tells all of them from the gold
//! has exercised every part of it (Zhong, Yu and Klein, EMNLP 2020, section 3.1). They are
//! also the hard negatives of a training corpus. Every mutation is a small unit of
//! [`MUTATIONS`]; only neighbours that SQLite compiles against the schema are returned.

mod clauses;
mod expressions;
mod spans;

use sqlparser::ast::Query;
use twinql_sql::{Schema, Table};

use crate::dice::Dice;
use crate::execute::{Limits, Sandbox};
use crate::text::ready;
pub(crate) use clauses::on_queries;
pub(crate) use expressions::on_expressions;

/// A query that differs from the gold in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// The SQL text.
    pub sql: String,
    /// The mutation's name.
    pub mutation: &'static str,
}

/// What a mutation may look at.
#[derive(Debug)]
pub struct Context<'a> {
    /// The schema.
    pub schema: &'a Schema,
    /// The tables that the query mentions.
    pub tables: Vec<&'a Table>,
    /// The random source, for mutations with many outcomes.
    pub dice: Dice,
    /// Which outcome of a place is asked for, from 0: the first ones are those that differ
    /// at a boundary only.
    pub outcome: usize,
}

impl Context<'_> {
    /// The columns of the tables that the query mentions.
    fn column_names(&self) -> Vec<String> {
        let columns = self.tables.iter().flat_map(|t| &t.columns);
        columns.map(|c| c.name.clone()).collect()
    }
}

/// One kind of change.
#[allow(missing_debug_implementations)] // a function pointer
pub struct Mutation {
    /// The name.
    pub name: &'static str,
    /// What is changed.
    pub doc: &'static str,
    /// Changes the query at its `site`-th place (from 0), in whole or in part at random.
    /// False, and the query untouched, where it has fewer places.
    apply: fn(&mut Query, usize, &mut Context<'_>) -> bool,
    /// How many outcomes one place may have.
    outcomes: usize,
}

/// All mutations.
pub const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "number",
        doc: "a number becomes one more, one less (a fraction 0.001), or another",
        apply: expressions::number,
        outcomes: 10,
    },
    Mutation {
        name: "string",
        doc: "a string changes case, loses or gains characters, becomes a part of itself, or another",
        apply: expressions::string,
        outcomes: 14,
    },
    Mutation {
        name: "comparison",
        doc: "a comparison operator becomes another",
        apply: expressions::comparison,
        outcomes: 5,
    },
    // Before `column`, which makes the same texts: of equal ones the first names the kind.
    Mutation {
        name: "join-key",
        doc: "one side of a join's equality becomes another column",
        apply: clauses::join_key,
        outcomes: 4,
    },
    Mutation {
        name: "column",
        doc: "a column becomes another of the query's tables",
        apply: expressions::column,
        outcomes: 40,
    },
    Mutation {
        name: "aggregate",
        doc: "an aggregate becomes another",
        apply: expressions::aggregate,
        outcomes: 4,
    },
    Mutation {
        name: "drop-aggregate",
        doc: "an aggregate is dropped, its argument stays",
        apply: expressions::drop_aggregate,
        outcomes: 1,
    },
    Mutation {
        name: "aggregate-distinct",
        doc: "DISTINCT is added to or removed from an aggregate",
        apply: expressions::aggregate_distinct,
        outcomes: 1,
    },
    Mutation {
        name: "count-star",
        doc: "COUNT(x) becomes COUNT(*)",
        apply: expressions::count_star,
        outcomes: 1,
    },
    Mutation {
        name: "count-column",
        doc: "COUNT(*) becomes COUNT(DISTINCT) or SUM of a column",
        apply: expressions::count_column,
        outcomes: 4,
    },
    Mutation {
        name: "and-or",
        doc: "AND becomes OR, OR becomes AND",
        apply: expressions::and_or,
        outcomes: 1,
    },
    Mutation {
        name: "drop-conjunct",
        doc: "one side of an AND or OR is dropped",
        apply: expressions::drop_conjunct,
        outcomes: 2,
    },
    Mutation {
        name: "like-equal",
        doc: "LIKE becomes =, = with a string becomes LIKE",
        apply: expressions::like_equal,
        outcomes: 1,
    },
    Mutation {
        name: "arithmetic",
        doc: "an arithmetic operator becomes another",
        apply: expressions::arithmetic,
        outcomes: 3,
    },
    Mutation {
        name: "negation",
        doc: "IN, LIKE, BETWEEN, EXISTS, IS NULL are negated, or no longer",
        apply: expressions::negation,
        outcomes: 1,
    },
    Mutation {
        name: "in-list",
        doc: "a member of an IN list is dropped",
        apply: expressions::in_list,
        outcomes: 3,
    },
    Mutation {
        name: "distinct",
        doc: "SELECT DISTINCT is added or removed",
        apply: clauses::distinct,
        outcomes: 1,
    },
    Mutation { name: "drop-where", doc: "WHERE is dropped", apply: clauses::drop_where, outcomes: 1 },
    Mutation { name: "drop-having", doc: "HAVING is dropped", apply: clauses::drop_having, outcomes: 1 },
    Mutation {
        name: "having-where",
        doc: "the condition of WHERE moves into HAVING, that of HAVING into WHERE",
        apply: clauses::having_where,
        outcomes: 1,
    },
    Mutation {
        name: "group-output",
        doc: "GROUP BY takes the output columns instead of its keys",
        apply: clauses::group_output,
        outcomes: 1,
    },
    Mutation {
        name: "add-group",
        doc: "GROUP BY a key of one of the tables is added: one row for each, as IN gives",
        apply: clauses::add_group,
        outcomes: 3,
    },
    Mutation {
        name: "drop-group-key",
        doc: "a key of GROUP BY is dropped",
        apply: clauses::drop_group_key,
        outcomes: 2,
    },
    Mutation {
        name: "direction",
        doc: "ASC becomes DESC, DESC becomes ASC",
        apply: clauses::direction,
        outcomes: 1,
    },
    Mutation { name: "drop-order", doc: "ORDER BY is dropped", apply: clauses::drop_order, outcomes: 1 },
    Mutation {
        name: "drop-order-key",
        doc: "one of several keys of ORDER BY is dropped",
        apply: clauses::drop_order_key,
        outcomes: 2,
    },
    Mutation {
        name: "limit",
        doc: "LIMIT becomes one more, one less, or is dropped",
        apply: clauses::limit,
        outcomes: 3,
    },
    Mutation {
        name: "add-limit",
        doc: "LIMIT 1 is added to an ordered query",
        apply: clauses::add_limit,
        outcomes: 1,
    },
    Mutation {
        name: "join-type",
        doc: "an inner join becomes a left join, an outer join an inner one",
        apply: clauses::join_type,
        outcomes: 1,
    },
    Mutation { name: "drop-join", doc: "the last join is dropped", apply: clauses::drop_join, outcomes: 1 },
    Mutation {
        name: "drop-join-condition",
        doc: "a join loses its condition",
        apply: clauses::drop_join_condition,
        outcomes: 1,
    },
    Mutation { name: "table", doc: "a table becomes another", apply: clauses::table, outcomes: 4 },
    Mutation {
        name: "set-operator",
        doc: "UNION, INTERSECT and EXCEPT become each other, ALL is added or removed",
        apply: clauses::set_operator,
        outcomes: 3,
    },
    Mutation {
        name: "drop-arm",
        doc: "one arm of a set operation is dropped",
        apply: clauses::drop_arm,
        outcomes: 2,
    },
    Mutation {
        name: "drop-item",
        doc: "an output column is dropped",
        apply: clauses::drop_item,
        outcomes: 4,
    },
    Mutation { name: "add-item", doc: "an output column is added", apply: clauses::add_item, outcomes: 2 },
    Mutation {
        name: "drop-span",
        doc: "a run of words is dropped, wherever what stays is a query",
        apply: spans::drop_span,
        outcomes: spans::MAX_WORDS,
    },
];

/// Places of one kind that are visited.
const MAX_SITES: usize = 24;

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
    let Some(query) = gold.ast else {
        return Vec::new();
    };
    let facts = crate::facts::Facts::of(schema, &query);
    let mut context = Context {
        schema,
        tables: facts.tables().into_iter().filter_map(|t| schema.tables.get(t)).collect(),
        dice: Dice::new(seed, 0),
        outcome: 0,
    };
    // By text: two mutations may make the same neighbour, and one may give the gold back.
    let mut seen = std::collections::HashSet::from([query.to_string()]);
    let mut kinds: Vec<Vec<Neighbour>> = Vec::new();
    for mutation in MUTATIONS {
        let mut found = Vec::new();
        'sites: for site in 0..MAX_SITES {
            for outcome in 0..mutation.outcomes {
                context.outcome = outcome;
                let mut copy = query.clone();
                if !(mutation.apply)(&mut copy, site, &mut context) {
                    break 'sites;
                }
                let sql = copy.to_string();
                if seen.insert(sql.clone()) {
                    found.push(Neighbour { sql, mutation: mutation.name });
                }
            }
        }
        context.dice.shuffle(&mut found);
        kinds.push(found);
    }
    // Kinds take turns, or one with many places (a column, a string) would be nearly all there is.
    context.dice.shuffle(&mut kinds);
    let mut out = Vec::new();
    while out.len() < limit && kinds.iter().any(|k| !k.is_empty()) {
        for kind in &mut kinds {
            // The next of this kind that SQLite takes.
            while let Some(neighbour) = kind.pop() {
                if sandbox.prepare(&neighbour.sql).is_ok() {
                    out.push(neighbour);
                    break;
                }
            }
            if out.len() >= limit {
                break;
            }
        }
    }
    out
}

/// The canonical way to reach one of many places: gives up its turn until it is due.
struct Turn {
    left: usize,
    done: bool,
}

impl Turn {
    fn new(site: usize) -> Turn {
        Turn { left: site, done: false }
    }

    /// True at the place that is due, and nowhere else.
    fn due(&mut self) -> bool {
        if self.done {
            return false;
        }
        if self.left == 0 {
            self.done = true;
            return true;
        }
        self.left -= 1;
        false
    }
}

#[cfg(test)]
mod tests;

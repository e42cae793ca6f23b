//! Credit for the steps of a WITH clause, after StepRTM (Graph-Reward-SQL, arXiv 2505.12380): a prediction that builds its
//! answer step by step earns something for each part of the gold's tree that a step adds.
//!
//! A *step* is a common table expression, planned with those before it; the last one is the whole query. What a step
//! adds is the share of the gold's canonical tree that is found in its tree, in equal subtrees, and in none of the
//! steps before. Steps that the result does not use add nothing. The score is the harmonic mean of what all steps
//! add together and of the share of the result's tree that is the gold's: superfluous operators cost as much as
//! missing ones.
//!
//! Beside it each step is *aligned* with the step of the gold that it matches best by RelPM, for people to look at; a
//! gold without a WITH clause is one step.

use serde::Serialize;
use sqlparser::ast::{Ident, ObjectName, Query, SetExpr, TableFactor};
use twinql_graph::encode::seeds;
use twinql_graph::vocabulary::Word;
use twinql_graph::{QueryGraph, RelPmConfig, relpm};
use twinql_sql::parse::Parsed;
use twinql_sql::syntax::read_relations;
use twinql_sql::{Dialect, Schema, Semantics, SqlError, normalize, parse, plan};

use crate::prepare::SideError;

/// Steps that are looked at; a query with more is one step.
const MOST: usize = 24;

/// The name of the last step.
pub const RESULT: &str = "(result)";

/// How the steps of a prediction build the gold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Steps {
    /// From 0 to 1; 1 where the canonical forms are equal.
    pub score: f64,
    /// The names of the gold's steps, in order.
    pub gold: Vec<String>,
    /// The prediction's steps, in order.
    pub pred: Vec<Step>,
}

/// A step of a prediction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// The name of its common table expression.
    pub name: String,
    /// Whether the result uses it.
    pub used: bool,
    /// The share of the gold's tree that it adds to the steps before.
    pub gain: f64,
    /// The gold's step that it is aligned with; none where there are more steps than the gold has, or where nothing
    /// matches.
    pub aligned: Option<Aligned>,
}

/// What a step is aligned with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Aligned {
    /// The number of the gold's step, from 0.
    pub step: usize,
    /// RelPM of both trees, from 0 to 1.
    pub score: f64,
    /// Their canonical forms are equal.
    pub same: bool,
}

/// Holds the steps of a prediction against a gold, under the semantics for this gold.
///
/// # Errors
/// One of the two cannot be planned.
pub fn steps(schema: &Schema, gold: &str, pred: &str, semantics: &Semantics) -> Result<Steps, SideError> {
    let semantics = &*semantics.for_gold_text(schema, gold);
    let gold = Built::of(schema, gold, semantics)?;
    let pred = Built::of(schema, pred, semantics)?;
    let size = countable(&gold.result);
    let mut taken = vec![false; gold.result.node_count()];
    let mut gains = Vec::with_capacity(pred.steps.len());
    for step in &pred.steps {
        let before = taken.iter().filter(|t| **t).count();
        if let (true, Some(graph)) = (step.used, &step.graph) {
            mark(&gold.result, graph, &mut taken);
        }
        let added = taken.iter().filter(|t| **t).count() - before;
        gains.push(share(added, size));
    }
    let mut found = vec![false; pred.result.node_count()];
    mark(&pred.result, &gold.result, &mut found);
    let precise = share(found.iter().filter(|f| **f).count(), countable(&pred.result));
    let built: f64 = gains.iter().sum();
    let score = match gold.result.fingerprint() == pred.result.fingerprint() {
        true => 1.0,
        // Below 1 where the forms are not equal.
        false if built + precise > 0.0 => (2.0 * built * precise / (built + precise)).min(MOST_OF_UNEQUAL),
        false => 0.0,
    };
    let aligned = align(&gold.steps, &pred.steps);
    let steps = pred.steps.iter().zip(gains).zip(aligned);
    Ok(Steps {
        score,
        gold: gold.steps.iter().map(|s| s.name.clone()).collect(),
        pred: steps
            .map(|((step, gain), aligned)| Step { name: step.name.clone(), used: step.used, gain, aligned })
            .collect(),
    })
}

/// The most that queries score whose forms are not equal; their trees may consist of the same parts in other places.
const MOST_OF_UNEQUAL: f64 = 0.99;

/// A share of nodes; nothing of nothing is nothing.
fn share(part: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

/// The nodes of a tree that are found in another: all but the root and what is assumed.
fn countable(graph: &QueryGraph) -> usize {
    let assumed = graph.graph().node_weights().filter(|node| node.word == Word::ASSUME).count();
    graph.node_count().saturating_sub(1 + assumed)
}

/// Marks the nodes of a tree that lie in subtrees which the other tree has too.
fn mark(tree: &QueryGraph, other: &QueryGraph, taken: &mut [bool]) {
    let children = tree.children();
    let assumed = |node: usize| tree.node(node).is_some_and(|n| n.word == Word::ASSUME);
    let same = tree.subtree_hashes().first() == other.subtree_hashes().first();
    let mut stack: Vec<usize> = seeds(tree, other)
        .into_iter()
        .map(|(node, _)| node as usize)
        // The roots are joined whether they are equal or not.
        .flat_map(|node| match node {
            0 if same => children.first().cloned().unwrap_or_default(),
            0 => Vec::new(),
            node => vec![node],
        })
        .collect();
    while let Some(node) = stack.pop() {
        if assumed(node) {
            continue;
        }
        if let Some(place) = taken.get_mut(node) {
            *place = true;
        }
        stack.extend(children.get(node).into_iter().flatten());
    }
}

/// The best partner of each of the prediction's steps among the gold's, the best matches first; each serves once.
fn align(gold: &[Part], pred: &[Part]) -> Vec<Option<Aligned>> {
    let mut scored = Vec::new();
    for (i, step) in pred.iter().enumerate() {
        for (j, wanted) in gold.iter().enumerate() {
            if let (Some(step), Some(wanted)) = (&step.graph, &wanted.graph) {
                let same = step.fingerprint() == wanted.fingerprint();
                let score = if same { 1.0 } else { relpm(wanted, step, &EVEN) };
                scored.push((score, same, i, j));
            }
        }
    }
    // Of equal matches the steps that stand at the same place from the end: results with results.
    let place = |i: usize, j: usize| (pred.len() - i).abs_diff(gold.len() - j);
    scored
        .sort_by(|a, b| b.0.total_cmp(&a.0).then(place(a.2, a.3).cmp(&place(b.2, b.3))).then(a.2.cmp(&b.2)));
    let mut aligned: Vec<Option<Aligned>> = pred.iter().map(|_| None).collect();
    let mut free = vec![true; gold.len()];
    for (score, same, i, j) in scored {
        if let (Some(place), Some(free)) = (aligned.get_mut(i), free.get_mut(j))
            && place.is_none()
            && *free
            && score > 0.0
        {
            *place = Some(Aligned { step: j, score, same });
            *free = false;
        }
    }
    aligned
}

/// What a tree has too much counts as what it lacks.
pub(super) const EVEN: RelPmConfig = RelPmConfig { alpha: 0.5, beta: 1.0, omega: 1.0 };

/// One step and its tree.
struct Part {
    name: String,
    used: bool,
    /// None where the step cannot be planned by itself: it is recursive, or larger than a limit.
    graph: Option<QueryGraph>,
}

/// A query in steps.
struct Built {
    /// At least one: the last is the result.
    steps: Vec<Part>,
    result: QueryGraph,
}

impl Built {
    fn of(schema: &Schema, sql: &str, semantics: &Semantics) -> Result<Built, SideError> {
        let parsed = parse(sql)?;
        let result = graph(schema, &parsed, semantics)?;
        let mut steps: Vec<Part> = tables(&parsed)
            .into_iter()
            .map(|(name, used, query)| {
                let query = query.map(|query| Parsed::of_ast(Box::new(query), Dialect::Sqlite));
                let graph = query.and_then(|parsed| graph(schema, &parsed, semantics).ok());
                Part { name, used, graph }
            })
            .collect();
        steps.push(Part { name: RESULT.into(), used: true, graph: Some(result.clone()) });
        Ok(Built { steps, result })
    }
}

/// The canonical graph of a query.
fn graph(schema: &Schema, parsed: &Parsed, semantics: &Semantics) -> Result<QueryGraph, SideError> {
    let canonical = normalize(schema, plan(schema, parsed)?, semantics);
    Ok(QueryGraph::lower(schema, &canonical.plan, semantics)?)
}

/// The common table expressions of the outermost WITH clause: the name of each, whether the result uses it, and a query
/// that answers what it holds.
fn tables(parsed: &Parsed) -> Vec<(String, bool, Option<Query>)> {
    let Some(with) = &parsed.query.with else { return Vec::new() };
    // EXCLUDE of window frames is not in the syntax tree, so that a part of it may be another query.
    if with.cte_tables.len() > MOST || !parsed.frames.is_empty() {
        return Vec::new();
    }
    let names: Vec<&Ident> = with.cte_tables.iter().map(|table| &table.alias.name).collect();
    let used = used(&parsed.query, &names);
    let tables = names.iter().zip(used).enumerate();
    tables
        .map(|(i, (name, used))| {
            let query = all_of(name).map(|mut query| {
                let mut with = with.clone();
                with.cte_tables.truncate(i + 1);
                query.with = Some(with);
                query
            });
            (name.value.clone(), used, query)
        })
        .collect()
}

/// Which of these tables the body of a query reads, directly or through others.
fn used(query: &Query, names: &[&Ident]) -> Vec<bool> {
    let mut used = vec![false; names.len()];
    let body = Query { with: None, ..query.clone() };
    read(&body, names, &mut used);
    // A table is read by those after it.
    let tables = query.with.as_ref().map_or(&[][..], |with| &with.cte_tables);
    for (i, table) in tables.iter().enumerate().rev() {
        if used.get(i) == Some(&true) {
            read(&table.query, names, &mut used);
        }
    }
    used
}

/// Marks the tables that a query reads.
fn read(query: &Query, names: &[&Ident], used: &mut [bool]) {
    read_relations(query, &mut |relation| {
        let last = relation.0.last().and_then(|part| part.as_ident());
        for (name, used) in names.iter().zip(used.iter_mut()) {
            *used |= last.is_some_and(|last| last.value.eq_ignore_ascii_case(&name.value));
        }
    });
}

/// `SELECT * FROM table`.
fn all_of(table: &Ident) -> Option<Query> {
    let template: Result<Parsed, SqlError> = parse("SELECT * FROM t");
    let mut query = *template.ok()?.query;
    let SetExpr::Select(select) = &mut *query.body else { return None };
    let TableFactor::Table { name, .. } = &mut select.from.first_mut()?.relation else { return None };
    *name = ObjectName::from(vec![table.clone()]);
    Some(query)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DDL: &str = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
        CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer (id), year INTEGER);";

    const GOLD: &str = "WITH old AS (SELECT id, name FROM singer WHERE age > 60),
        busy AS (SELECT singer_id, COUNT(*) AS n FROM concert GROUP BY singer_id)
        SELECT name, n FROM old JOIN busy ON id = singer_id";

    fn of(gold: &str, pred: &str) -> Steps {
        let schema = Schema::from_ddl("concerts", DDL).unwrap();
        steps(&schema, gold, pred, &Semantics::default()).unwrap()
    }

    #[test]
    fn steps_in_another_order_are_aligned() {
        let pred = "WITH counts AS (SELECT singer_id, COUNT(*) AS n FROM concert GROUP BY singer_id),
            elders AS (SELECT id, name FROM singer WHERE 60 < age)
            SELECT name, n FROM elders JOIN counts ON id = singer_id";
        let found = of(GOLD, pred);
        assert_eq!(found.gold, ["old", "busy", RESULT]);
        assert_eq!(found.score, 1.0);
        let partners: Vec<_> =
            found.pred.iter().map(|s| s.aligned.as_ref().map(|a| (a.step, a.same)).unwrap()).collect();
        assert_eq!(partners, [(1, true), (0, true), (2, true)]);
        let gains: f64 = found.pred.iter().map(|s| s.gain).sum();
        assert!((gains - 1.0).abs() < 1e-9, "{found:?}");
        assert!(found.pred.iter().all(|s| s.used && s.gain > 0.0), "{found:?}");
    }

    #[test]
    fn one_wrong_step_costs_less_than_two() {
        let with = |old: &str, busy: &str| {
            format!(
                "WITH old AS ({old}), busy AS ({busy}) SELECT name, n FROM old JOIN busy ON id = singer_id"
            )
        };
        let busy = "SELECT singer_id, COUNT(*) AS n FROM concert GROUP BY singer_id";
        let right = of(GOLD, &with("SELECT id, name FROM singer WHERE age > 60", busy));
        let one = of(GOLD, &with("SELECT id, name FROM singer WHERE age < 30", busy));
        let two = of(
            GOLD,
            &with(
                "SELECT id, name FROM singer WHERE age < 30",
                "SELECT singer_id, MAX(year) AS n FROM concert GROUP BY singer_id",
            ),
        );
        assert!(right.score == 1.0 && one.score < 1.0, "{one:?}");
        assert!(two.score < one.score, "{one:?} {two:?}");
        assert!(one.pred[1].aligned.as_ref().unwrap().same);
        assert!(!one.pred[0].aligned.as_ref().unwrap().same);
    }

    #[test]
    fn steps_that_nothing_uses_earn_nothing() {
        let stuffed = format!("WITH g AS ({}) SELECT year FROM concert", GOLD);
        let found = of(GOLD, &stuffed);
        assert!(!found.pred[0].used && found.pred[0].gain == 0.0, "{found:?}");
        let plain = of(GOLD, "SELECT year FROM concert");
        assert_eq!(found.score, plain.score);
        // Twice the gold is half superfluous.
        let twice = of(
            "SELECT name FROM singer WHERE age > 60",
            "WITH g AS (SELECT name FROM singer WHERE age > 60) SELECT * FROM g UNION ALL SELECT * FROM g",
        );
        assert!(twice.score < 0.75, "{twice:?}");
    }

    #[test]
    fn without_a_with_clause_there_is_one_step() {
        let found = of("SELECT name FROM singer WHERE age > 60", "SELECT name FROM singer WHERE age > 61");
        assert_eq!((found.gold.len(), found.pred.len()), (1, 1));
        assert!(found.score > 0.0 && found.score < 1.0, "{found:?}");
        assert_eq!(of("SELECT name FROM singer", "SELECT singer.name FROM singer").score, 1.0);
        let none = of("SELECT name FROM singer", "SELECT 1");
        assert_eq!((none.score, none.pred[0].gain), (0.0, 0.0));
    }

    #[test]
    fn what_cannot_be_a_step_is_none() {
        let recursive =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n";
        let found = of(recursive, recursive);
        assert_eq!(found.score, 1.0);
        let many: Vec<String> = (0..40).map(|i| format!("t{i} AS (SELECT {i} AS x)")).collect();
        let found = of("SELECT name FROM singer", &format!("WITH {} SELECT x FROM t3", many.join(", ")));
        assert_eq!(found.pred.len(), 1);
        let schema = Schema::from_ddl("concerts", DDL).unwrap();
        assert!(steps(&schema, "SELECT name FROM singer", "SELECT nothing", &Semantics::default()).is_err());
    }
}

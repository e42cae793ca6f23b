//! What does nothing: DISTINCT, joins, outputs.

use std::collections::BTreeSet;

use twinql_sql::tree::{Node, Tree};
use twinql_sql::{AggFunc, Assumption, Expr, Query, Rel, normalize};

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::{Gold, Role};

pub(super) const IDLE_DISTINCT: Check = Check {
    id: "idle-distinct",
    severity: Severity::Note,
    summary: "DISTINCT over rows that are distinct anyway",
    why: "The rows hold a key, so that no two are the same; or duplicates do not count where they stand.",
    source: "functional dependencies, Paulley and Larson 1994",
    undetermined: false,
    finds: &[
        "SELECT DISTINCT id, name FROM customer",
        "SELECT count(DISTINCT id) FROM customer",
        "SELECT name FROM customer WHERE id IN (SELECT DISTINCT customer_id FROM orders)",
    ],
    misses: &[
        "SELECT DISTINCT name FROM customer",
        "SELECT count(DISTINCT customer_id) FROM orders",
        "SELECT DISTINCT c.id FROM customer AS c JOIN orders AS o ON o.customer_id = c.id",
    ],
    apply: Apply::Plan(distinct),
};

pub(super) const IDLE_JOIN: Check = Check {
    id: "idle-join",
    severity: Severity::Note,
    summary: "a table that changes nothing",
    why: "Every row goes with exactly one row of the table, of which nothing is used, so that the answer is the same without it.",
    source: "join elimination by foreign keys",
    undetermined: false,
    finds: &["SELECT o.total FROM orders AS o JOIN customer AS c ON o.customer_id = c.id"],
    misses: &[
        "SELECT o.total FROM orders AS o JOIN customer AS c ON o.customer_id = c.id WHERE c.age > 30",
        "SELECT c.name FROM orders AS o JOIN customer AS c ON o.customer_id = c.id",
    ],
    apply: Apply::Plan(joins),
};

pub(super) const REPEATED_OUTPUT: Check = Check {
    id: "repeated-output",
    severity: Severity::Note,
    summary: "a column put out twice",
    why: "The second says nothing that the first does not.",
    source: "the select list",
    undetermined: false,
    finds: &["SELECT name, age, name FROM customer"],
    misses: &["SELECT a.name, b.name FROM customer AS a JOIN customer AS b ON a.age = b.id"],
    apply: Apply::Plan(outputs),
};

/// Finds DISTINCT that takes nothing away: in the subquery of IN or EXISTS, of MIN and MAX, and over rows or values
/// that the keys make unique. Beside a LIMIT the subquery's DISTINCT counts, since it decides which rows are among the
/// first.
fn distinct(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    // Plans have no place for DISTINCT: it is the only one of the text, or the last before the outputs.
    let before = |query: &Query, input: &Rel| {
        let places =
            query.output.iter().chain(&input.outputs()).filter_map(|c| gold.found(&Expr::Column(*c))).next();
        places.and_then(|at| gold.text.last_of(at.start, &["DISTINCT"]))
    };
    let mut seen: BTreeSet<*const Rel> = BTreeSet::new();
    for (role, query) in gold.queries() {
        let mut rel = &query.rel;
        while let Rel::Project { input, .. } | Rel::Sort { input, .. } = rel {
            rel = input;
        }
        let Rel::Distinct { input } = rel else { continue };
        if !seen.insert(std::ptr::from_ref(rel)) {
            continue;
        }
        let at = gold.text.only("DISTINCT").or_else(|| before(query, input));
        let limited = matches!(query.rel, Rel::Sort { .. });
        if matches!(role, Role::In | Role::Exists) && !limited {
            sink.add(at, "duplicates do not count in the subquery of IN or EXISTS");
        } else if gold.known.is_unique(input, input.outputs()) {
            sink.add(at, "no two rows are the same, since they hold a key").assumes(&[Assumption::Keys]);
        }
    }
    for rel in gold.relations() {
        let Rel::Aggregate { input, keys, calls } = rel else { continue };
        for (id, call) in calls.iter().filter(|(_, call)| call.distinct) {
            let at = gold.column_place(*id);
            if matches!(call.func, AggFunc::Min | AggFunc::Max) {
                sink.add(at, "the extreme of distinct values is that of all");
                continue;
            }
            let [Expr::Column(c)] = call.args.as_slice() else { continue };
            let by = keys.iter().filter_map(|(_, e)| super::limits::told_apart(e)).chain([*c]);
            if gold.known.is_unique(input, by) {
                sink.add(at, format!("{} is unique here", gold.name(*c))).assumes(&[Assumption::Keys]);
            }
        }
    }
}

/// The tables that a query reads.
fn tables(query: &Query) -> BTreeSet<usize> {
    let mut all = BTreeSet::new();
    query.for_each_deep(|node| {
        if let Node::Rel(Rel::Scan { table, .. }) = node {
            all.insert(*table);
        }
    });
    all
}

/// Finds tables that are in the plan and no more in the canonical form. It is certain by the soundness of rules, as
/// long as these came to an end and emptied nothing: a part that is empty loses its tables too, and that is another
/// finding.
fn joins(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let canonical = gold.canonical();
    let left = tables(&canonical.plan.query);
    if !canonical.complete || !canonical.vacuous.is_empty() || left.is_empty() {
        return;
    }
    let gone: Vec<usize> = tables(&gold.plan.query).difference(&left).copied().collect();
    if gone.is_empty() {
        return;
    }
    // Which of them go by keys alone.
    let weaker = Assumption::ForeignKeys.without(gold.semantics);
    let without = tables(&normalize(gold.schema, gold.plan.clone(), &weaker).plan.query);
    for table in gone {
        let Some(definition) = gold.schema.tables.get(table) else { continue };
        let upper = definition.name.to_ascii_uppercase();
        let at = gold.text.keyword(&upper).next();
        let said = sink.add(at, format!("the answer is the same without {}", definition.name));
        if without.contains(&table) {
            said.assumes(&[Assumption::Keys, Assumption::ForeignKeys]);
        } else {
            said.assumes(&[Assumption::Keys]);
        }
    }
}

/// Finds a column of the schema that is put out twice from one scan. The same name of two scans is two columns, and a
/// constant that is put out twice may fill up a set operation.
fn outputs(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let mut seen = BTreeSet::new();
    for c in &gold.plan.query.output {
        let of_schema = gold.info(*c).is_some_and(|info| info.origin.is_some());
        if !seen.insert(*c) && of_schema {
            sink.add(gold.place(&Expr::Column(*c)), format!("{} is put out twice", gold.name(*c)));
        }
    }
}

//! Queries that have no rows, or one answer, whatever the database holds.

use twinql_sql::{Assumption, Plan, Query, Rel, SetOpKind, normalize};

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::{Gold, reads_tables};

pub(super) const CONTRADICTION: Check = Check {
    id: "contradiction",
    severity: Severity::Error,
    summary: "conditions that cannot hold together",
    why: "No value meets both conditions, so that no row does.",
    source: "range analysis of conjuncts",
    undetermined: false,
    finds: &[
        "SELECT name FROM customer WHERE city = 'Bern' AND city = 'Basel'",
        "SELECT name FROM customer WHERE age BETWEEN 40 AND 30",
        "SELECT name FROM customer WHERE age > 40 AND age < 30",
    ],
    misses: &[
        "SELECT name FROM customer WHERE city = 'Bern' OR city = 'Basel'",
        "SELECT a.name FROM customer AS a JOIN customer AS b ON a.id = b.age WHERE a.city = 'Bern' AND b.city = 'Basel'",
        "SELECT name FROM customer WHERE age > 30 AND age < 40",
    ],
    apply: Apply::Plan(contradiction),
};

pub(super) const ALWAYS_EMPTY: Check = Check {
    id: "always-empty",
    severity: Severity::Error,
    summary: "an answer that is the same on every database",
    why: "The normal form of the query reads no table any more: whatever the database holds, it has no rows, or one constant.",
    source: "normalisation to a canonical form",
    undetermined: false,
    finds: &[
        "SELECT name FROM customer WHERE id IN (SELECT id FROM orders WHERE 1 = 0)",
        "SELECT name FROM customer LIMIT 0",
    ],
    misses: &["SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders)", "SELECT 1"],
    apply: Apply::Plan(empty),
};

pub(super) const EMPTY_BY_ASSUMPTION: Check = Check {
    id: "empty-by-assumption",
    severity: Severity::Warning,
    summary: "a part that asks for rows which keys or foreign keys rule out",
    why: "Where the schema's keys hold there are no such rows, so that the query, or a part of it, is empty or constant on every proper database.",
    source: "normalisation with and without each assumption",
    undetermined: false,
    finds: &[
        "SELECT name FROM customer GROUP BY id HAVING count(*) > 1",
        "SELECT id FROM orders WHERE customer_id NOT IN (SELECT id FROM customer)",
    ],
    misses: &[
        "SELECT city FROM customer GROUP BY city HAVING count(*) > 1",
        "SELECT id FROM customer WHERE id NOT IN (SELECT customer_id FROM orders)",
        "SELECT name FROM customer WHERE city IS NULL",
    ],
    apply: Apply::Plan(vacuous),
};

pub(crate) const NEVER_ANSWERED: Check = Check {
    id: "never-answered",
    severity: Severity::Note,
    summary: "no rows on any generated database",
    why: "Databases made to meet the query's conditions gave it no rows: they may contradict each other in a way that no rule sees, or be hard to meet.",
    source: "the test suite's generator",
    undetermined: false,
    finds: &["SELECT name FROM customer WHERE length(name) = -1"],
    misses: &["SELECT name FROM customer WHERE length(name) = 3"],
    apply: Apply::Execution,
};

pub(super) const SAME_ARMS: Check = Check {
    id: "same-arms",
    severity: Severity::Warning,
    summary: "a set operation of a query with itself",
    why: "A query united or intersected with itself is itself, and less itself it is empty.",
    source: "canonical forms of both arms",
    undetermined: false,
    finds: &[
        "SELECT name FROM customer WHERE age > 30 INTERSECT SELECT name FROM customer WHERE 30 < age",
        "SELECT id FROM customer EXCEPT SELECT id FROM customer",
    ],
    misses: &["SELECT name FROM customer WHERE age > 30 INTERSECT SELECT name FROM customer WHERE age < 40"],
    apply: Apply::Plan(same_arms),
};

/// Finds two conditions on one column that no value meets, certain by the order of their constants. It is an error if
/// the whole answer is constant by that, and a warning where the conditions stand in one arm of OR or in a subquery.
fn contradiction(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for (at, column) in super::conditions::contradictions(gold) {
        let said = sink.add(at, format!("no value of {column} meets both conditions"));
        if !gold.is_constant() {
            said.only(Severity::Warning);
        }
    }
}

/// Finds queries whose canonical form reads no table, though they do. It is certain, since rules are sound and none
/// with an assumption was used. `SELECT 1` reads none to begin with; what another check explains better is left to
/// that.
fn empty(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let said = super::conditions::contradictions(gold).is_empty() && !super::nulls::compares(gold);
    if !gold.is_constant() || !said {
        return;
    }
    let none = matches!(&gold.canonical().plan.query.rel, Rel::Values { rows, .. } if rows.is_empty());
    let reason = if none { "no database gives it a row" } else { "its answer is the same on every database" };
    sink.add(None, reason);
}

/// Finds parts that rules have emptied by an assumption. Whether the answer is wrong depends on the data: a primary key
/// that repeats is against SQL and no database has it, while orphans and NULLs occur in spite of the schema.
fn vacuous(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let by = &gold.canonical().vacuous;
    if by.is_empty() {
        return;
    }
    let asked: Vec<&str> = by.iter().map(|a| a.rules_out()).collect();
    let reason = format!(
        "the query, or a part of it, asks for {}, and is empty or constant without",
        asked.join(" and ")
    );
    let said = sink.add(None, reason).assumes(by);
    // Orphans and NULLs occur in data that people have; a primary key that repeats does not.
    if !by.contains(&Assumption::Keys) {
        said.only(Severity::Note);
    }
}

/// Finds a set operation whose arms have one canonical form. UNION ALL and its like are no findings, as they repeat
/// rows on purpose, nor are arms without tables, which make lists of constants.
fn same_arms(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for rel in gold.relations() {
        let Rel::SetOp { kind, all, left, right, .. } = rel else { continue };
        let form = |arm: &Query| {
            let plan = Plan { query: arm.clone(), columns: gold.plan.columns.clone() };
            normalize(gold.schema, plan, gold.semantics).plan.query
        };
        let (a, b) = (form(left), form(right));
        if a != b || *all || !reads_tables(&a) {
            continue;
        }
        let (word, reason) = match kind {
            SetOpKind::Union => ("UNION", "both sides are the same query, so that UNION does nothing"),
            SetOpKind::Intersect => {
                ("INTERSECT", "both sides are the same query, so that INTERSECT does nothing")
            }
            SetOpKind::Except => ("EXCEPT", "both sides are the same query, so that nothing is left"),
        };
        sink.add(gold.text.only(word), reason);
    }
}

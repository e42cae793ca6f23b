//! UNION of filters over the same input as OR.

use std::collections::BTreeMap;

use crate::expr::Expr;
use crate::normalize::context::Context;
use crate::normalize::example::examples;
use crate::normalize::rule::{Apply, Needs, Rule};
use crate::normalize::scan::{ScanColumns, column_at};
use crate::rel::{Rel, SetOpKind};
use crate::substitution::Substitution;
use crate::tree::Tree;

/// Conjuncts of one arm, at most.
const MAX_CONJUNCTS: usize = 32;

pub(super) const UNION_AS_OR: Rule = Rule {
    name: "union-as-or",
    summary: "the UNION of two filters over the same tables is DISTINCT over their OR; EXISTS over a union is an OR",
    why: "A row is in one of the two filters of the same tables just where it meets either condition, and both sides give it once.",
    source: "relational algebra: σp(R) ∪ σq(R) is σ(p ∨ q)(R)",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT city FROM customer WHERE age > 35 UNION SELECT city FROM customer WHERE name = 'Ann'"
            == "SELECT DISTINCT city FROM customer WHERE age > 35 OR name = 'Ann'";
        "nulls": "SELECT id FROM customer WHERE age > 35 UNION SELECT id FROM customer WHERE city = 'Rome'"
            == "SELECT id FROM customer WHERE age > 35 OR city = 'Rome'";
        "default": "SELECT city FROM customer WHERE age > 15 UNION ALL SELECT city FROM customer WHERE name = 'Ann'"
            != "SELECT city FROM customer WHERE age > 15 OR name = 'Ann'";
        "default": "SELECT city FROM customer WHERE age > 20 UNION SELECT city FROM customer WHERE city = 'Rome'"
            != "SELECT city FROM customer WHERE age > 20 OR city = 'Rome'";
    },
    apply: Apply::Rel(union_as_or),
};

/// Inputs, all scans of different tables, sorted by table, and conjuncts.
type Scans = BTreeMap<usize, ScanColumns>;

/// A block of scans of different tables: with a table twice it would be open which scan of the one arm is
/// which of the other.
fn scans(rel: &Rel) -> Option<(Scans, Vec<Expr>)> {
    let (inputs, on) = rel.clone().into_block();
    let mut tables = Scans::new();
    for r in inputs {
        let Rel::Scan { table, columns } = r else {
            return None;
        };
        if tables.insert(table, columns).is_some() {
            return None;
        }
    }
    (on.len() <= MAX_CONJUNCTS && !tables.is_empty()).then_some((tables, on))
}

/// Both arms read the same tables and give the same columns of them. Over one table any two filters will do;
/// over several the arms have to share a conjunct (their join), or the OR would be over a product of tables.
fn union_as_or(rel: &mut Rel, _cx: &mut Context<'_>) -> bool {
    let Rel::SetOp { kind: SetOpKind::Union, all: false, left, right, columns } = rel else {
        return false;
    };
    let (Some((one, mut on)), Some((two, mut other))) = (scans(&left.rel), scans(&right.rel)) else {
        return false;
    };
    if !one.keys().eq(two.keys())
        || !left.rel.free_columns().is_empty()
        || !right.rel.free_columns().is_empty()
        || !on.iter().chain(&other).all(Expr::is_deterministic)
    {
        return false;
    }
    // The right arm's columns as the left arm's.
    let mut map = Substitution::new();
    for (table, columns) in &two {
        for (c, at) in columns {
            let Some(same) = one.get(table).and_then(|l| column_at(l, *at)) else {
                return false;
            };
            map.insert(*c, Expr::Column(same));
        }
    }
    let alike = left.output.len() == columns.len()
        && left.output.len() == right.output.len()
        && left.output.iter().zip(&right.output).all(|(l, r)| map.get(r) == Some(&Expr::Column(*l)));
    if !alike {
        return false;
    }
    for e in &mut other {
        e.substitute(&map);
    }
    // Joins say the same in both arms.
    let joined = one.len() > 1;
    let shared: Vec<Expr> = on.iter().filter(|e| other.contains(e)).cloned().collect();
    if joined && shared.is_empty() {
        return false;
    }
    on.retain(|e| !shared.contains(e));
    other.retain(|e| !shared.contains(e));
    let mut all = shared;
    // An arm without conditions of its own holds the other one.
    if !on.is_empty() && !other.is_empty() {
        all.push(Expr::Or(vec![Expr::and_all(on), Expr::and_all(other)]));
    }
    let (inputs, _) = left.rel.take().into_block();
    *rel = Rel::distinct_by(
        Rel::join(inputs, all),
        columns.iter().zip(&left.output).map(|(c, l)| (*c, Expr::Column(*l))).collect(),
    );
    true
}

pub(super) const EXISTS_UNION: Rule = Rule {
    name: "exists-union",
    summary: "EXISTS over a union is EXISTS over one arm OR the other",
    why: "A union has a row if one of its arms has.",
    source: "SQL: EXISTS asks for a row",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id UNION SELECT 1 FROM line l WHERE l.amount = c.age)"
            == "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id) OR EXISTS (SELECT 1 FROM line l WHERE l.amount = c.age)";
        "default": "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id INTERSECT SELECT 1 FROM line l WHERE l.amount = c.age)"
            != "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id) OR EXISTS (SELECT 1 FROM line l WHERE l.amount = c.age)";
    },
    apply: Apply::Expr(exists_union),
};

/// UNION ALL as well: how often a row comes is not asked.
fn exists_union(e: &mut Expr, _cx: &mut Context<'_>) -> bool {
    let Expr::Exists(query) = e else { return false };
    let Rel::SetOp { kind: SetOpKind::Union, left, right, .. } = &mut query.rel else {
        return false;
    };
    let arm = |rel: &mut Rel| Expr::exists(rel.take());
    *e = Expr::Or(vec![arm(&mut left.rel), arm(&mut right.rel)]);
    true
}

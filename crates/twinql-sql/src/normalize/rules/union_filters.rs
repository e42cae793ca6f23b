//! UNION of filters over the same input as OR.

use crate::normalize::prelude::*;

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
    apply: Apply::RelOf(rels::SET_OP, union_as_or),
};

/// Inputs, all scans of different tables, sorted by table, and conjuncts.
type Scans = BTreeMap<usize, ScanColumns>;

/// A block of scans of different tables: with a table twice it would be open which scan of the one arm is
/// which of the other.
fn scans(rel: &Rel) -> Option<(Scans, Vec<Expr>)> {
    let (inputs, on) = rel.clone().into_block();
    let mut tables = Scans::new();
    for r in inputs {
        let (table, columns) = r.as_scan()?;
        if tables.insert(*table, columns.clone()).is_some() {
            return None;
        }
    }
    (on.len() <= MAX_CONJUNCTS && !tables.is_empty()).then_some((tables, on))
}

/// Both arms read the same tables and give the same columns of them. Over one table any two filters will do;
/// over several the arms have to share a conjunct (their join), or the OR would be over a product of tables.
fn union_as_or(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let (_, left, right, columns) = rel.as_union_mut().filter(|(all, ..)| !**all)?;
    let ((one, mut on), (two, mut other)) = (scans(&left.rel)?, scans(&right.rel)?);
    if !one.keys().eq(two.keys())
        || !left.rel.free_columns().is_empty()
        || !right.rel.free_columns().is_empty()
        || !on.iter().chain(&other).all(Expr::is_deterministic)
    {
        return None;
    }
    // The right arm's columns as the left arm's.
    let mut map = Substitution::new();
    for (table, columns) in &two {
        map.extend(images(columns, one.get(table)?)?);
    }
    let alike = left.output.len() == columns.len()
        && left.output.len() == right.output.len()
        && left.output.iter().zip(&right.output).all(|(l, r)| map.get(r) == Some(&Expr::Column(*l)));
    if !alike {
        return None;
    }
    change_each(&mut other, |e| e.substitute(&map));
    // Joins say the same in both arms.
    let joined = one.len() > 1;
    let shared: Vec<Expr> = on.iter().filter(|e| other.contains(e)).cloned().collect();
    if joined && shared.is_empty() {
        return None;
    }
    on.retain(|e| !shared.contains(e));
    other.retain(|e| !shared.contains(e));
    let mut all = shared;
    // An arm without conditions of its own holds the other one.
    if !on.is_empty() && !other.is_empty() {
        all.push(Expr::Or(vec![Expr::and_all(on), Expr::and_all(other)]));
    }
    let (inputs, _) = left.rel.take().into_block();
    *rel = Rel::distinct_by(Rel::join(inputs, all), left.called(columns).collect());
    Some(())
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
    apply: Apply::ExprOf(exprs::EXISTS, exists_union),
};

/// UNION ALL as well: how often a row comes is not asked.
fn exists_union(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    let Expr::Exists(query) = e else { return None };
    let (_, left, right, _) = query.rel.as_union_mut()?;
    let arm = |rel: &mut Rel| Expr::exists(rel.take());
    *e = Expr::Or(vec![arm(&mut left.rel), arm(&mut right.rel)]);
    Some(())
}

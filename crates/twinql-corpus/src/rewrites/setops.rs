//! Rewrites of UNION, INTERSECT and EXCEPT.
//!
//! All but UNION ALL give sets, so what replaces them needs DISTINCT. They also take two NULLs for equal,
//! which IN does not (<https://sqlite.org/lang_select.html#compound>): hence 'where x is not NULL', which the
//! presets that rewrites are sound for grant.

use rand_chacha::ChaCha8Rng;
use sqlparser::ast::{BinaryOperator, Query, Select, SetExpr, SetOperator as O, SetQuantifier as Q};

use super::ast::{
    and, at_query, chain, conjuncts, fresh, is_rowwise, is_ungrouped, is_unordered, join, output, parse_expr,
    parse_query, parse_select,
};
use super::predicates::rule;
use super::{Claim::Sound, Rewrite};

pub(super) const RULES: &[Rewrite] = &[
    // `SELECT x FROM a INTERSECT SELECT y FROM b` → `SELECT DISTINCT x FROM a WHERE x IN (SELECT y FROM b)`.
    rule!(
        "intersect-to-in",
        Sound,
        4,
        "SELECT x … INTERSECT q → SELECT DISTINCT x … WHERE x IN (q), where x is not NULL",
        |_, q, rng| to_in(q, rng, O::Intersect, "IN")
    ),
    // The same with NOT IN, where a NULL on either side would make the condition NULL.
    rule!(
        "except-to-not-in",
        Sound,
        4,
        "SELECT x … EXCEPT q → SELECT DISTINCT x … WHERE x NOT IN (q), where x is not NULL",
        |_, q, rng| to_in(q, rng, O::Except, "NOT IN")
    ),
    // Not EXCEPT, whose sides are not alike. The names of the outputs are those of the first arm, and no part
    // of an answer.
    rule!(
        "set-operands-swap",
        Sound,
        1,
        "a UNION b → b UNION a, and the same for INTERSECT and UNION ALL",
        |_, q, rng| at_query(q, rng, |q| {
            let (l, op, all, r) = operands(q)?;
            let op = match (op, all) {
                (O::Union, true) => "UNION ALL",
                (O::Union, _) => "UNION",
                (O::Intersect, false) => "INTERSECT",
                _ => return None,
            };
            parse_query(&format!("{r} {op} {l}"))
        })
    ),
    // A row that passes both filters comes once either way.
    rule!(
        "union-to-or",
        Sound,
        4,
        "SELECT a FROM t WHERE p UNION SELECT a FROM t WHERE q → SELECT DISTINCT a FROM t WHERE p OR q",
        |_, q, rng| at_query(q, rng, |q| {
            let (l, O::Union, false, r) = operands(q)? else {
                return None;
            };
            merged(l, r, "OR")
        })
    ),
    // UNION is UNION ALL and then DISTINCT.
    rule!(
        "union-to-distinct",
        Sound,
        2,
        "a UNION b → SELECT DISTINCT * FROM (a UNION ALL b)",
        |_, q, rng| at_query(q, rng, |q| {
            let (l, O::Union, false, r) = operands(q)? else {
                return None;
            };
            parse_query(&format!("SELECT DISTINCT * FROM ({l} UNION ALL {r}) AS {}", fresh(q, "both")))
        })
    ),
    // `SELECT DISTINCT a FROM t WHERE p OR q OR r` → `SELECT a FROM t WHERE p UNION SELECT a FROM t WHERE q
    // OR r`. Without DISTINCT, UNION would merge rows that OR keeps.
    rule!(
        "or-to-union",
        Sound,
        4,
        "SELECT DISTINCT a FROM t WHERE p OR q → SELECT a FROM t WHERE p UNION SELECT a FROM t WHERE q",
        |_, q, rng| at_query(q, rng, |q| {
            let s = super::ast::only_select(q)?;
            if s.distinct.is_none() || !is_ungrouped(s) {
                return None;
            }
            let parts = chain(s.selection.as_ref()?, &BinaryOperator::Or);
            let (first, rest) = parts.split_first()?;
            let mut l = s.clone();
            l.distinct = None;
            let mut r = l.clone();
            l.selection = Some(first.clone());
            r.selection = Some(join(rest, " OR ")?);
            if rest.is_empty() {
                return None;
            }
            parse_query(&format!("{l} UNION {r}"))
        })
    ),
    // The reverse of `intersect-to-in`; with NOT IN, of `except-to-not-in`.
    rule!(
        "and-to-intersect",
        Sound,
        3,
        "SELECT DISTINCT a … WHERE p AND a IN (q) → SELECT a … WHERE p INTERSECT q, where a is not NULL",
        |_, q, rng| at_query(q, rng, |q| {
            let s = super::ast::only_select(q)?;
            if s.distinct.is_none() || !is_ungrouped(s) {
                return None;
            }
            let x = output(s)?;
            let mut rest = conjuncts(s.selection.as_ref());
            let at = rest.iter().position(|p| matches!(super::ast::bare(p), sqlparser::ast::Expr::InSubquery { expr, subquery: _, negated: _ } if expr.as_ref() == x))?;
            let sqlparser::ast::Expr::InSubquery { subquery, negated, expr: _ } =
                super::ast::bare(&rest.remove(at)).clone()
            else {
                return None;
            };
            if !is_unordered(&subquery) {
                return None;
            }
            let inner = super::ast::only_select(&subquery)?;
            let mut l = s.clone();
            l.distinct = None;
            l.selection = and(&rest);
            parse_query(&format!("{l} {} {inner}", if negated { "EXCEPT" } else { "INTERSECT" }))
        })
    ),
];

/// The two SELECTs of a query that is one set operation; whether it keeps duplicates.
fn operands(q: &Query) -> Option<(&Select, O, bool, &Select)> {
    let SetExpr::SetOperation { left, op, set_quantifier, right } = q.body.as_ref() else {
        return None;
    };
    let (SetExpr::Select(l), SetExpr::Select(r)) = (left.as_ref(), right.as_ref()) else {
        return None;
    };
    let all = match set_quantifier {
        Q::All => true,
        Q::None | Q::Distinct => false,
        _ => return None,
    };
    (q.with.is_none() && is_unordered(q)).then_some((l, *op, all, r))
}

/// `SELECT x … INTERSECT r` as `SELECT DISTINCT x … WHERE x IN (r)`. The left side must be rowwise: a
/// condition on an aggregate could not stand in WHERE.
fn to_in(q: &Query, rng: &mut ChaCha8Rng, wanted: O, word: &str) -> Option<Query> {
    at_query(q, rng, |q| {
        let (l, op, all, r) = operands(q)?;
        let x = output(l)?;
        if op != wanted || all || !is_rowwise(l) || r.projection.len() != 1 {
            return None;
        }
        let mut s = l.clone();
        let mut parts = conjuncts(l.selection.as_ref());
        parts.push(parse_expr(&format!("{x} {word} ({r})"))?);
        s.selection = and(&parts);
        s.distinct = parse_select("SELECT DISTINCT 1")?.distinct;
        parse_query(&s.to_string())
    })
}

/// Two arms that differ in their filters alone, as one SELECT DISTINCT with both.
fn merged(l: &Select, r: &Select, op: &str) -> Option<Query> {
    let same = l.from == r.from && l.projection == r.projection && is_rowwise(l) && is_rowwise(r);
    let (p, q) = (l.selection.as_ref()?, r.selection.as_ref()?);
    if !same {
        return None;
    }
    let mut s = l.clone();
    s.selection = parse_expr(&format!("({p}) {op} ({q})"));
    s.distinct = parse_select("SELECT DISTINCT 1")?.distinct;
    parse_query(&s.to_string())
}

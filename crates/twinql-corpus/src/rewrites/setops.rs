//! Rewrites of UNION, INTERSECT and EXCEPT.
//!
//! All but UNION ALL give sets, so what replaces them needs DISTINCT. They also take two NULLs for equal,
//! which IN does not (<https://sqlite.org/lang_select.html#compound>): hence 'where x is not NULL', which the
//! presets that rewrites are sound for grant.

use sqlparser::ast::{BinaryOperator, Query, Select, SetExpr, SetOperator as O, SetQuantifier as Q};

use super::ast::{
    and_also, chain, distinct, filtered, fresh, is_rowwise, is_ungrouped, is_unordered, join, only_select,
    output, parse_expr, parse_query, require, undistinct,
};
use super::subqueries::member;
use super::{Claim::Sound, Rewrite, rule};

pub(super) const RULES: &[Rewrite] = &[
    // `SELECT x FROM a INTERSECT SELECT y FROM b` → `SELECT DISTINCT x FROM a WHERE x IN (SELECT y FROM b)`.
    rule("intersect-to-in", Sound, 4)
        .law("SELECT x … INTERSECT q → SELECT DISTINCT x … WHERE x IN (q), where x is not NULL")
        .query(|_, q| to_in(q, O::Intersect, "IN")),
    // The same with NOT IN, where a NULL on either side would make the condition NULL.
    rule("except-to-not-in", Sound, 4)
        .law("SELECT x … EXCEPT q → SELECT DISTINCT x … WHERE x NOT IN (q), where x is not NULL")
        .query(|_, q| to_in(q, O::Except, "NOT IN")),
    // Not EXCEPT, whose sides are not alike. The names of the outputs are those of the first arm, and no part
    // of an answer.
    rule("set-operands-swap", Sound, 1)
        .law("a UNION b → b UNION a, and the same for INTERSECT and UNION ALL")
        .query(|_, q| {
            let (l, op, all, r) = operands(q)?;
            let op = match (op, all) {
                (O::Union, true) => "UNION ALL",
                (O::Union, _) => "UNION",
                (O::Intersect, false) => "INTERSECT",
                _ => return None,
            };
            parse_query(&format!("{r} {op} {l}"))
        }),
    // A row that passes both filters comes once either way.
    rule("union-to-or", Sound, 4)
        .law(
            "SELECT a FROM t WHERE p UNION SELECT a FROM t WHERE q → SELECT DISTINCT a FROM t WHERE p OR \
             q",
        )
        .query(|_, q| {
            let (l, O::Union, false, r) = operands(q)? else { return None };
            // The arms differ in their filters alone.
            require(l.from == r.from && l.projection == r.projection && is_rowwise(l) && is_rowwise(r))?;
            let (p, q) = (l.selection.as_ref()?, r.selection.as_ref()?);
            let selection = parse_expr(&format!("({p}) OR ({q})"));
            parse_query(&distinct(&Select { selection, ..l.clone() }).to_string())
        }),
    // UNION is UNION ALL and then DISTINCT.
    rule("union-to-distinct", Sound, 2).law("a UNION b → SELECT DISTINCT * FROM (a UNION ALL b)").query(
        |_, q| {
            let (l, O::Union, false, r) = operands(q)? else { return None };
            parse_query(&format!("SELECT DISTINCT * FROM ({l} UNION ALL {r}) AS {}", fresh(q, "both")))
        },
    ),
    // `SELECT DISTINCT a FROM t WHERE p OR q OR r` → `SELECT a FROM t WHERE p UNION SELECT a FROM t WHERE q
    // OR r`. Without DISTINCT, UNION would merge rows that OR keeps.
    rule("or-to-union", Sound, 4)
        .law(
            "SELECT DISTINCT a FROM t WHERE p OR q → SELECT a FROM t WHERE p UNION SELECT a FROM t WHERE \
             q",
        )
        .query(|_, q| {
            let s = only_select(q).filter(|s| is_ungrouped(s))?;
            let parts = chain(s.selection.as_ref()?, &BinaryOperator::Or);
            let (first, rest) = parts.split_first()?;
            let mut l = undistinct(s)?;
            let r = Select { selection: Some(join(rest, " OR ")?), ..l.clone() };
            l.selection = Some(first.clone());
            parse_query(&format!("{l} UNION {r}"))
        }),
    // The reverse of `intersect-to-in`; with NOT IN, of `except-to-not-in`.
    rule("and-to-intersect", Sound, 3)
        .law(
            "SELECT DISTINCT a … WHERE p AND a IN (q) → SELECT a … WHERE p INTERSECT q, where a is not \
             NULL",
        )
        .query(|_, q| {
            let s = only_select(q).filter(|s| is_ungrouped(s))?;
            let x = output(s)?;
            let (_, negated, subquery, rest) = member(s, |of, _| of == x)?;
            let inner = only_select(&subquery)?;
            let l = filtered(&undistinct(s)?, &rest);
            parse_query(&format!("{l} {} {inner}", if negated { "EXCEPT" } else { "INTERSECT" }))
        }),
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
fn to_in(q: &Query, wanted: O, word: &str) -> Option<Query> {
    let (l, op, all, r) = operands(q)?;
    let x = output(l)?;
    require(op == wanted && !all && is_rowwise(l) && r.projection.len() == 1)?;
    let s = and_also(l, parse_expr(&format!("{x} {word} ({r})"))?);
    parse_query(&distinct(&s).to_string())
}

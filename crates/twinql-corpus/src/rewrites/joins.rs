//! Rewrites of FROM clauses.
//!
//! An inner join is a product with a filter, so its condition may stand in ON or in WHERE, its sides in any
//! order. Three questions decide the rest: can a row lose its partner (then it must be kept by an outer join,
//! or a foreign key must hold), can it have several (then the other side must be joined by a key, or DISTINCT
//! must merge the copies), and does a name still find its column when a table comes or goes.

use std::ops::ControlFlow;

use rand::RngExt as _;
use sqlparser::ast::{
    BinaryOperator as B, Expr, Ident, Join, JoinConstraint, JoinOperator as J, Query, Select, SelectItem,
    TableFactor, TableWithJoins,
};
use twinql_sql::Table;
use twinql_sql::syntax::{Named, change_expressions, factors, named_mut};

use super::ast::{
    Context, FromTable, and, and_also, columns_of, conjuncts, filtered, fresh, group_by, ident, is_rowwise,
    is_subquery, is_ungrouped, items, only, only_select, parse_expr, parse_query, parse_select, plain,
    require, resolve, sources, with_from,
};
use super::predicates::comparison;
use super::{Claim::LookAlike, Claim::Plausible, Claim::Sound, Rewrite, rule};
use crate::walk;

pub(super) const RULES: &[Rewrite] = &[
    // Two tables of one alias, in two subqueries, would both be renamed.
    rule("alias-rename", Sound, 1).law("FROM t AS a → FROM t AS b, where only one table is called a").whole(
        |_, q, rng| {
            let all: Vec<String> = tables(q).into_iter().filter_map(|(_, alias)| alias).collect();
            let old = all.get(rng.random_range(0..all.len().max(1)))?.clone();
            require(all.iter().filter(|a| a.eq_ignore_ascii_case(&old)).count() == 1)?;
            let new = fresh(q, "tab");
            renamed(q, &old, &ident(&new), Some(&new))
        },
    ),
    // `SELECT a.x FROM t AS a` → `SELECT t.x FROM t`. A second t, or an alias t, would take the name for
    // itself.
    rule("alias-removal", Sound, 1).law("FROM t AS a → FROM t, where t stands once in the query").whole(
        |c, q, _| {
            let tables = tables(q);
            let (table, alias) = tables.iter().find_map(|(t, a)| Some((t.clone(), a.clone()?)))?;
            let taken = |a: &String| a.eq_ignore_ascii_case(&table) || a.eq_ignore_ascii_case(&alias);
            let called = tables
                .iter()
                .filter(|(t, a)| t.eq_ignore_ascii_case(&table) || a.as_ref().is_some_and(taken));
            require(called.count() == 1 && c.schema.table(&table).is_some())?;
            renamed(q, &alias, &ident(&table), None)
        },
    ),
    // `*` lists the columns of the tables in their order. Only the first two change places: a later ON may
    // name any table before it, and still can.
    rule("join-order", Sound, 1).law("a JOIN b ON p → b JOIN a ON p").select(|_, s| {
        require(!s.projection.iter().any(|i| matches!(i, SelectItem::Wildcard(_))))?;
        let mut s = s.clone();
        let [from] = s.from.as_mut_slice() else { return None };
        let join = from.joins.first_mut()?;
        inner_on(join)?;
        std::mem::swap(&mut from.relation, &mut join.relation);
        Some(s)
    }),
    // With an outer join, ON decides which rows have a partner and WHERE which rows stay.
    rule("on-to-where", Sound, 1).law("a JOIN b ON p → a, b WHERE p, where all joins are inner").select(
        |_, s| {
            let on = all_inner(s)?;
            let parts: Vec<Expr> = on.iter().chain(&s.selection).flat_map(|p| conjuncts(Some(p))).collect();
            let from = factors(s).map(|t| TableWithJoins { relation: t.clone(), joins: Vec::new() });
            Some(Select { from: from.collect(), ..filtered(s, &parts) })
        },
    ),
    // All of WHERE becomes ON: for an inner join the two are one.
    rule("comma-to-join", Sound, 1).law("a, b WHERE p → a JOIN b ON p").select(|_, s| {
        let [a, b] = s.from.as_slice() else { return None };
        require(a.joins.is_empty() && b.joins.is_empty())?;
        let joined = with_from(s, &format!("{a} JOIN {b} ON {}", s.selection.as_ref()?))?;
        Some(Select { selection: None, ..joined })
    }),
    // The last ON, since it may name every table before it.
    rule("where-to-on", Sound, 1)
        .law("a JOIN b ON p WHERE q → a JOIN b ON p AND q, where all joins are inner")
        .select(|_, s| {
            let mut s = s.clone();
            all_inner(&s)?;
            let last = s.from.last_mut()?.joins.last_mut()?;
            let (J::Join(JoinConstraint::On(p)) | J::Inner(JoinConstraint::On(p))) = &mut last.join_operator
            else {
                return None;
            };
            let mut parts = conjuncts(Some(p));
            parts.extend(conjuncts(Some(&s.selection.take()?)));
            *p = and(&parts)?;
            Some(s)
        }),
    // `FROM a JOIN b ON a.x = b.y` → `FROM a LEFT JOIN b ON a.x = b.y WHERE b.y IS NOT NULL`: a row of a
    // without a partner has NULL for b.y, and a row with one does not, since an equality with NULL is not
    // true.
    rule("join-to-left", Sound, 4)
        .law("a JOIN b ON a.x = b.y → a LEFT JOIN b ON a.x = b.y WHERE b.y IS NOT NULL")
        .select(|c, s| {
            let mut s = s.clone();
            let all = sources(&s, c.schema)?;
            let [from] = s.from.as_mut_slice() else { return None };
            let [join] = from.joins.as_mut_slice() else { return None };
            let p = inner_on(join)?.clone();
            let (l, B::Eq, r) = comparison(&p)? else { return None };
            let y = [l, r].into_iter().find(|e| resolve(e, &all).is_some_and(|(t, _)| t == 1))?;
            let kept = parse_expr(&format!("{y} IS NOT NULL"))?;
            join.join_operator = J::Left(JoinConstraint::On(p));
            Some(and_also(&s, kept))
        }),
    // The filter names b alone, and all joins are inner, so it may come before the join.
    rule("filter-to-derived", Sound, 2)
        .law("a JOIN b WHERE p(b) → a JOIN (SELECT * FROM b WHERE p(b)) AS b")
        .select(|c, s| {
            let mut s = s.clone();
            let all = sources(&s, c.schema)?;
            all_inner(&s)?;
            let last = all.len().checked_sub(1).filter(|l| *l > 0)?;
            let t = all.get(last)?;
            let (over, rest): (Vec<Expr>, Vec<Expr>) =
                conjuncts(s.selection.as_ref()).into_iter().partition(|p| {
                    columns_of(p, &all).is_some_and(|c| !c.is_empty() && c.iter().all(|(t, _)| *t == last))
                });
            let p = and(&over)?;
            let relation = &mut s.from.last_mut()?.joins.last_mut()?.relation;
            let derived = format!("SELECT 1 FROM (SELECT * FROM {relation} WHERE {p}) AS {}", plain(&t.name));
            *relation = parse_select(&derived)?.from.pop()?.relation;
            Some(filtered(&s, &rest))
        }),
    // `SELECT a.n FROM a JOIN b ON a.x = b.y WHERE b.z = 1` → `SELECT a.n FROM a WHERE a.x IN (SELECT b.y
    // FROM b WHERE b.z = 1)`. A join gives a row of a once for each partner, IN once: see `semi`.
    rule("join-to-in", Sound, 4)
        .law(
            "SELECT a.… FROM a JOIN b ON a.x = b.y WHERE p(b) → SELECT a.… FROM a WHERE a.x IN (SELECT \
             b.y FROM b WHERE p(b)), where b.y is a key or the outputs are distinct",
        )
        .select(|c, s| semi(c, s, false)),
    // `SELECT a.n FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.z = 1 AND b.y = a.x)`.
    rule("join-to-exists", Sound, 4).law("as join-to-in, with EXISTS").select(|c, s| semi(c, s, true)),
    // Each row finds itself and no other, as keys are unique and not NULL.
    rule("key-self-join", Sound, 3).law("FROM t → FROM t JOIN t AS u ON t.key = u.key").query(|c, q| {
        // An ORDER BY would have to be qualified as well.
        let s = only_select(q)?;
        let t = only(s, c.schema)?;
        let key = &t.table.primary_key;
        require(!key.is_empty())?;
        joined(s, &t, t.table, &fresh(q, "twin"), key.iter().zip(key))
    }),
    // A row whose foreign key is NULL, or refers to nothing, is lost.
    rule("foreign-key-join", Plausible, 2)
        .law("FROM t → FROM t JOIN u ON t.foreign = u.key: the same where the foreign key holds")
        .query(|c, q| {
            // An ORDER BY would have to be qualified as well.
            let s = only_select(q)?;
            let t = only(s, c.schema)?;
            let key = t.table.foreign_keys.first()?;
            let target = c.schema.tables.get(key.target)?;
            joined(s, &t, target, &fresh(q, "owner"), key.columns.iter().zip(&key.target_columns))
        }),
    // `SELECT *` shows x once, and a bare x is ambiguous no more.
    rule("join-to-using", Plausible, 1).law("a JOIN b ON a.x = b.x → a JOIN b USING (x)").select(|c, s| {
        let mut s = s.clone();
        let all = sources(&s, c.schema)?;
        require(all.len() == 2)?;
        let join = s.from.first_mut()?.joins.first_mut()?;
        let J::Join(JoinConstraint::On(p)) = &join.join_operator else { return None };
        let (l, B::Eq, r) = comparison(p)? else { return None };
        let name = |e| {
            let (t, k) = resolve(e, &all)?;
            Some(all.get(t)?.table.columns.get(k)?.name.clone())
        };
        let x = name(l)?;
        require(x.eq_ignore_ascii_case(&name(r)?))?;
        join.join_operator = J::Join(JoinConstraint::Using(vec![ident(&x).into()]));
        Some(s)
    }),
    // Rows without a partner come back, and rows with several come once.
    rule("join-drop", LookAlike, 1).law("a JOIN b ON p → a, where no other clause names b").select(|c, s| {
        let all = sources(s, c.schema)?;
        let last = all.len().checked_sub(1).filter(|l| *l > 0)?;
        let stays = |e: &Expr| columns_of(e, &all).is_some_and(|c| c.iter().all(|(t, _)| *t != last));
        let mut new = s.clone();
        new.from.last_mut()?.joins.pop()?;
        let used = items(s)?.into_iter().chain(&s.selection).chain(&s.having).chain(group_by(s));
        used.into_iter().all(stays).then_some(new)
    }),
];

/// The ON conditions, if there are joins and every one is inner.
fn all_inner(s: &Select) -> Option<Vec<Expr>> {
    let on = inner_conditions(s)?;
    s.from.iter().any(|f| !f.joins.is_empty()).then_some(on)
}

/// The ON condition of an inner join.
pub(super) fn inner_on(join: &Join) -> Option<&Expr> {
    match &join.join_operator {
        J::Join(JoinConstraint::On(p)) | J::Inner(JoinConstraint::On(p)) => Some(p),
        _ => None,
    }
}

/// The ON conditions of the joins there are, if every one is inner.
pub(super) fn inner_conditions(s: &Select) -> Option<Vec<Expr>> {
    let mut on = Vec::new();
    for join in s.from.iter().flat_map(|f| &f.joins) {
        match &join.join_operator {
            J::Join(JoinConstraint::None) | J::CrossJoin(JoinConstraint::None) => {}
            _ => on.push(inner_on(join)?.clone()),
        }
    }
    Some(on)
}

/// The SELECT with a join of two tables replaced by IN or EXISTS. One of the tables goes: no output may name
/// it, its part of WHERE must be its own to move inside, and it must give a row of the other at most one
/// partner (it is joined by a key), unless DISTINCT merges the copies anyway.
fn semi(c: &Context<'_>, s: &Select, exists: bool) -> Option<Select> {
    let all = sources(s, c.schema)?;
    let [TableWithJoins { relation, joins }] = s.from.as_slice() else { return None };
    let [join] = joins.as_slice() else { return None };
    let (l, B::Eq, r) = comparison(inner_on(join)?)? else { return None };
    let distinct = s.distinct.is_some() && is_ungrouped(s);
    require(distinct || is_rowwise(s))?;
    // Either side may be the one that goes.
    for gone in [1, 0] {
        let side =
            |which: usize| [l, r].into_iter().find(|e| resolve(e, &all).is_some_and(|(t, _)| t == which));
        let (Some(x), Some(y)) = (side(1 - gone), side(gone)) else {
            continue;
        };
        let key = all.get(gone)?.table.has_key_within(&[resolve(y, &all)?.1]);
        let outputs_stay = items(s)?
            .into_iter()
            .all(|e| columns_of(e, &all).is_some_and(|c| c.iter().all(|(t, _)| *t != gone)));
        if !(key || distinct) || !outputs_stay {
            continue;
        }
        let mut inner = Vec::new();
        let mut outer = Vec::new();
        // A condition on both tables can stand neither inside nor outside.
        let mut clean = true;
        for part in conjuncts(s.selection.as_ref()) {
            match columns_of(&part, &all) {
                Some(c) if c.iter().all(|(t, _)| *t == gone) => inner.push(part),
                Some(c) if c.iter().all(|(t, _)| *t != gone) => outer.push(part),
                _ => clean = false,
            }
        }
        if !clean {
            continue;
        }
        let (kept, dropped) = if gone == 1 { (relation, &join.relation) } else { (&join.relation, relation) };
        let new = if exists {
            inner.push(parse_expr(&format!("{y} = {x}"))?);
            format!("EXISTS (SELECT 1 FROM {dropped} WHERE {})", and(&inner)?)
        } else {
            let filter = and(&inner).map_or(String::new(), |p| format!(" WHERE {p}"));
            format!("{x} IN (SELECT {y} FROM {dropped}{filter})")
        };
        outer.push(parse_expr(&new)?);
        return Some(filtered(&with_from(s, &kept.to_string())?, &outer));
    }
    None
}

/// `s` over t with one more table under the name `other`, joined on columns of t and of its own. The columns of t get
/// qualified, for the new table may have the same names.
fn joined<'k>(
    s: &Select,
    t: &FromTable<'_>,
    table: &Table,
    other: &str,
    on: impl Iterator<Item = (&'k usize, &'k usize)>,
) -> Option<Query> {
    let equal = |(own, key): (&usize, &usize)| {
        let (own, key) = (t.table.columns.get(*own)?, table.columns.get(*key)?);
        Some(format!("{} = {other}.{}", t.column(own), plain(&key.name)))
    };
    let on: Vec<String> = on.filter_map(equal).collect();
    let mut s = s.clone();
    // What cannot be qualified by looking at names: wildcards, subqueries with scopes of their own.
    let mut hidden = s.projection.iter().any(|i| !matches!(i, SelectItem::UnnamedExpr(_)));
    let _: ControlFlow<()> = change_expressions(&mut s, &mut |e| {
        match e {
            Expr::Identifier(_) => match t.find(e) {
                Some(column) => *e = parse_expr(&t.column(column)).unwrap_or_else(|| e.clone()),
                None => hidden |= !matches!(e, Expr::Identifier(i) if i.quote_style == Some('"')),
            },
            _ => hidden |= is_subquery(e),
        }
        ControlFlow::Continue(())
    });
    require(!hidden)?;
    let join = format!("{} JOIN {} AS {other} ON {}", s.from.first()?, plain(&table.name), on.join(" AND "));
    parse_query(&with_from(&s, &join)?.to_string())
}

/// Every table of the query and its alias, in FROM clauses of subqueries too; a derived table has no name.
fn tables(q: &Query) -> Vec<(String, Option<String>)> {
    let mut tables = Vec::new();
    walk::factors(&mut q.clone(), &mut |f| {
        if let Some(Named { name, alias, args: _ }) = Named::of(f) {
            let name = name.0.last().and_then(|p| p.as_ident()).map(|i| i.value.clone());
            tables.push((name.unwrap_or_default(), alias.map(|a| a.name.value.clone())));
        } else if let TableFactor::Derived { alias: Some(a), lateral: _, subquery: _, sample: _ } = f {
            tables.push((String::new(), Some(a.name.value.clone())));
        }
    });
    tables
}

/// Renames the table called `old` (removes its alias where there is no new one), and every
/// name that it qualifies.
fn renamed(q: &Query, old: &str, name: &Ident, alias: Option<&str>) -> Option<Query> {
    let mut q = q.clone();
    // `old.*` is not an expression: it would be missed.
    require(!q.to_string().to_ascii_lowercase().contains(&format!("{}.*", old.to_ascii_lowercase())))?;
    walk::factors(&mut q, &mut |f| {
        let own = match f {
            TableFactor::Derived { alias, lateral: _, subquery: _, sample: _ } => Some(alias),
            other => named_mut(other).map(|(_, alias)| alias),
        };
        if let Some(own) = own
            && let Some(called) = own
            && called.name.value.eq_ignore_ascii_case(old)
        {
            match alias {
                Some(new) => called.name = ident(new),
                None => *own = None,
            }
        }
    });
    walk::expressions(&mut q, &mut |e| {
        if let Expr::CompoundIdentifier(parts) = e
            && let [first, _] = parts.as_mut_slice()
            && first.value.eq_ignore_ascii_case(old)
        {
            *first = name.clone();
        }
    });
    Some(q)
}

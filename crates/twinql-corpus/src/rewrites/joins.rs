//! Rewrites of FROM clauses.
//!
//! An inner join is a product with a filter, so its condition may stand in ON or in WHERE, its sides in any
//! order. Three questions decide the rest: can a row lose its partner (then it must be kept by an outer join,
//! or a foreign key must hold), can it have several (then the other side must be joined by a key, or DISTINCT
//! must merge the copies), and does a name still find its column when a table comes or goes.

use std::ops::ControlFlow;

use rand::RngExt as _;
use sqlparser::ast::{
    Expr, Ident, JoinConstraint, JoinOperator as J, Query, Select, SelectItem, TableFactor, TableWithJoins,
    VisitorMut,
};
use twinql_sql::syntax::{self, Named};

use super::ast::{
    Context, and, at_query, at_select, columns_of, conjuncts, fresh, ident, is_rowwise, items, only,
    only_select, parse_expr, parse_query, parse_select, plain, resolve, sources,
};
use super::predicates::{comparison, rule};
use super::{Claim::Candidate, Claim::Sound, Rewrite};

pub(super) const RULES: &[Rewrite] = &[
    // Two tables of one alias, in two subqueries, would both be renamed.
    rule!(
        "alias-rename",
        Sound,
        1,
        "FROM t AS a → FROM t AS b, where only one table is called a",
        |_, q, rng| {
            let all = aliases(q);
            let old = all.get(rng.random_range(0..all.len().max(1)))?.clone();
            if all.iter().filter(|a| a.eq_ignore_ascii_case(&old)).count() != 1 {
                return None;
            }
            let new = fresh(q, "tab");
            renamed(q, &old, &ident(&new), Some(&new))
        }
    ),
    // `SELECT a.x FROM t AS a` → `SELECT t.x FROM t`. A second t, or an alias t, would take the name for
    // itself.
    rule!(
        "alias-removal",
        Sound,
        1,
        "FROM t AS a → FROM t, where t stands once in the query",
        |c, q, _| {
            let tables = tables(q);
            let (table, alias) = tables.iter().find_map(|(t, a)| Some((t.clone(), a.clone()?)))?;
            let once = tables
                .iter()
                .filter(|(t, a)| {
                    t.eq_ignore_ascii_case(&table)
                        || a.as_ref()
                            .is_some_and(|a| a.eq_ignore_ascii_case(&table) || a.eq_ignore_ascii_case(&alias))
                })
                .count();
            if once != 1 || c.schema.table(&table).is_none() {
                return None;
            }
            renamed(q, &alias, &ident(&table), None)
        }
    ),
    // `*` lists the columns of the tables in their order. Only the first two change places: a later ON may
    // name any table before it, and still can.
    rule!("join-order", Sound, 1, "a JOIN b ON p → b JOIN a ON p", |_, q, rng| at_select(q, rng, |s| {
        if s.projection.iter().any(|i| matches!(i, SelectItem::Wildcard(_))) {
            return None;
        }
        let mut s = s.clone();
        let [from] = s.from.as_mut_slice() else {
            return None;
        };
        let join = from.joins.first_mut()?;
        if !matches!(join.join_operator, J::Join(JoinConstraint::On(_)) | J::Inner(JoinConstraint::On(_))) {
            return None;
        }
        std::mem::swap(&mut from.relation, &mut join.relation);
        Some(s)
    })),
    // With an outer join, ON decides which rows have a partner and WHERE which rows stay.
    rule!(
        "on-to-where",
        Sound,
        1,
        "a JOIN b ON p → a, b WHERE p, where all joins are inner",
        |_, q, rng| at_select(q, rng, |s| {
            let mut s = s.clone();
            let on = all_inner(&s)?;
            let mut parts: Vec<Expr> = on.iter().flat_map(|p| conjuncts(Some(p))).collect();
            parts.extend(conjuncts(s.selection.as_ref()));
            s.from = s
                .from
                .into_iter()
                .flat_map(|f| std::iter::once(f.relation).chain(f.joins.into_iter().map(|j| j.relation)))
                .map(|relation| TableWithJoins { relation, joins: Vec::new() })
                .collect();
            s.selection = and(&parts);
            Some(s)
        })
    ),
    // All of WHERE becomes ON: for an inner join the two are one.
    rule!("comma-to-join", Sound, 1, "a, b WHERE p → a JOIN b ON p", |_, q, rng| at_select(q, rng, |s| {
        let [a, b] = s.from.as_slice() else { return None };
        if !a.joins.is_empty() || !b.joins.is_empty() {
            return None;
        }
        let new = parse_select(&format!("SELECT 1 FROM {a} JOIN {b} ON {}", s.selection.as_ref()?))?;
        let mut s = s.clone();
        s.from = new.from;
        s.selection = None;
        Some(s)
    })),
    // The last ON, since it may name every table before it.
    rule!(
        "where-to-on",
        Sound,
        1,
        "a JOIN b ON p WHERE q → a JOIN b ON p AND q, where all joins are inner",
        |_, q, rng| at_select(q, rng, |s| {
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
        })
    ),
    // `FROM a JOIN b ON a.x = b.y` → `FROM a LEFT JOIN b ON a.x = b.y WHERE b.y IS NOT NULL`: a row of a
    // without a partner has NULL for b.y, and a row with one does not, since an equality with NULL is not
    // true.
    rule!(
        "join-to-left",
        Sound,
        4,
        "a JOIN b ON a.x = b.y → a LEFT JOIN b ON a.x = b.y WHERE b.y IS NOT NULL",
        |c, q, rng| at_select(q, rng, |s| {
            let mut s = s.clone();
            let all = sources(&s, c.schema)?;
            let [from] = s.from.as_mut_slice() else {
                return None;
            };
            let [join] = from.joins.as_mut_slice() else {
                return None;
            };
            let (J::Join(JoinConstraint::On(p)) | J::Inner(JoinConstraint::On(p))) = &join.join_operator
            else {
                return None;
            };
            let (l, sqlparser::ast::BinaryOperator::Eq, r) = comparison(p)? else {
                return None;
            };
            let y = [l, r].into_iter().find(|e| resolve(e, &all).is_some_and(|(t, _)| t == 1))?;
            let mut parts = conjuncts(s.selection.as_ref());
            parts.push(parse_expr(&format!("{y} IS NOT NULL"))?);
            join.join_operator = J::Left(JoinConstraint::On(p.clone()));
            s.selection = and(&parts);
            Some(s)
        })
    ),
    // The filter names b alone, and all joins are inner, so it may come before the join.
    rule!(
        "filter-to-derived",
        Sound,
        2,
        "a JOIN b WHERE p(b) → a JOIN (SELECT * FROM b WHERE p(b)) AS b",
        |c, q, rng| at_select(q, rng, |s| {
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
            *relation = parse_select(&format!(
                "SELECT 1 FROM (SELECT * FROM {relation} WHERE {p}) AS {}",
                plain(&t.name)
            ))?
            .from
            .pop()?
            .relation;
            s.selection = and(&rest);
            Some(s)
        })
    ),
    // `SELECT a.n FROM a JOIN b ON a.x = b.y WHERE b.z = 1` → `SELECT a.n FROM a WHERE a.x IN (SELECT b.y
    // FROM b WHERE b.z = 1)`. A join gives a row of a once for each partner, IN once: see `semi`.
    rule!(
        "join-to-in",
        Sound,
        4,
        "SELECT a.… FROM a JOIN b ON a.x = b.y WHERE p(b) → SELECT a.… FROM a WHERE a.x IN (SELECT b.y FROM b WHERE p(b)), where b.y is a key or the outputs are distinct",
        |c, q, rng| at_select(q, rng, |s| semi(c, s, false))
    ),
    // `SELECT a.n FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.z = 1 AND b.y = a.x)`.
    rule!("join-to-exists", Sound, 4, "as join-to-in, with EXISTS", |c, q, rng| at_select(q, rng, |s| semi(
        c, s, true
    ))),
    // Each row finds itself and no other, as keys are unique and not NULL.
    rule!("key-self-join", Sound, 3, "FROM t → FROM t JOIN t AS u ON t.key = u.key", |c, q, rng| at_query(
        q,
        rng,
        |q| {
            // An ORDER BY would have to be qualified as well.
            let s = only_select(q)?;
            let t = only(s, c.schema)?;
            if t.table.primary_key.is_empty() {
                return None;
            }
            let other = fresh(q, "twin");
            let on: Vec<String> = t
                .table
                .primary_key
                .iter()
                .filter_map(|k| t.table.columns.get(*k))
                .map(|k| format!("{} = {other}.{}", t.column(k), plain(&k.name)))
                .collect();
            parse_query(
                &joined(s, &t, &format!("JOIN {} AS {other} ON {}", plain(&t.table.name), on.join(" AND ")))?
                    .to_string(),
            )
        }
    )),
    // A row whose foreign key is NULL, or refers to nothing, is lost.
    rule!(
        "foreign-key-join",
        Candidate,
        2,
        "FROM t → FROM t JOIN u ON t.foreign = u.key: the same where the foreign key holds",
        |c, q, rng| at_query(q, rng, |q| {
            // An ORDER BY would have to be qualified as well.
            let s = only_select(q)?;
            let t = only(s, c.schema)?;
            let key = t.table.foreign_keys.first()?;
            let target = c.schema.tables.get(key.target)?;
            let other = fresh(q, "owner");
            let on: Vec<String> = key
                .columns
                .iter()
                .zip(&key.target_columns)
                .filter_map(|(a, b)| {
                    Some(format!(
                        "{} = {other}.{}",
                        t.column(t.table.columns.get(*a)?),
                        plain(&target.columns.get(*b)?.name)
                    ))
                })
                .collect();
            parse_query(
                &joined(s, &t, &format!("JOIN {} AS {other} ON {}", plain(&target.name), on.join(" AND ")))?
                    .to_string(),
            )
        })
    ),
    // `SELECT *` shows x once, and a bare x is ambiguous no more.
    rule!("join-to-using", Candidate, 1, "a JOIN b ON a.x = b.x → a JOIN b USING (x)", |c, q, rng| {
        at_select(q, rng, |s| {
            let mut s = s.clone();
            let all = sources(&s, c.schema)?;
            if all.len() != 2 {
                return None;
            }
            let join = s.from.first_mut()?.joins.first_mut()?;
            let J::Join(JoinConstraint::On(p)) = &join.join_operator else {
                return None;
            };
            let (l, sqlparser::ast::BinaryOperator::Eq, r) = comparison(p)? else {
                return None;
            };
            let name = |e| {
                let (t, k) = resolve(e, &all)?;
                Some(all.get(t)?.table.columns.get(k)?.name.clone())
            };
            let x = name(l)?;
            if !x.eq_ignore_ascii_case(&name(r)?) {
                return None;
            }
            join.join_operator = J::Join(JoinConstraint::Using(vec![ident(&x).into()]));
            Some(s)
        })
    }),
    // Rows without a partner come back, and rows with several come once.
    rule!("join-drop", Candidate, 1, "a JOIN b ON p → a, where no other clause names b", |c, q, rng| {
        at_select(q, rng, |s| {
            let all = sources(s, c.schema)?;
            let last = all.len().checked_sub(1).filter(|l| *l > 0)?;
            let stays = |e: &Expr| columns_of(e, &all).is_some_and(|c| c.iter().all(|(t, _)| *t != last));
            let mut new = s.clone();
            new.from.last_mut()?.joins.pop()?;
            let used =
                items(s)?.into_iter().chain(&s.selection).chain(&s.having).chain(super::ast::group_by(s));
            used.into_iter().all(stays).then_some(new)
        })
    }),
];

/// The ON conditions, if there are joins and every one is inner.
fn all_inner(s: &Select) -> Option<Vec<Expr>> {
    let on = inner_conditions(s)?;
    s.from.iter().any(|f| !f.joins.is_empty()).then_some(on)
}

/// The ON conditions of the joins there are, if every one is inner.
pub(super) fn inner_conditions(s: &Select) -> Option<Vec<Expr>> {
    let mut on = Vec::new();
    for join in s.from.iter().flat_map(|f| &f.joins) {
        match &join.join_operator {
            J::Join(JoinConstraint::On(p)) | J::Inner(JoinConstraint::On(p)) => on.push(p.clone()),
            J::Join(JoinConstraint::None) | J::CrossJoin(JoinConstraint::None) => {}
            _ => return None,
        }
    }
    Some(on)
}

/// The SELECT with a join of two tables replaced by IN or EXISTS. One of the tables goes: no output may name
/// it, its part of WHERE must be its own to move inside, and it must give a row of the other at most one
/// partner (it is joined by a key), unless DISTINCT merges the copies anyway.
fn semi(c: &Context<'_>, s: &Select, exists: bool) -> Option<Select> {
    let all = sources(s, c.schema)?;
    let [TableWithJoins { relation, joins }] = s.from.as_slice() else {
        return None;
    };
    let [join] = joins.as_slice() else { return None };
    let (J::Join(JoinConstraint::On(p)) | J::Inner(JoinConstraint::On(p))) = &join.join_operator else {
        return None;
    };
    let (l, sqlparser::ast::BinaryOperator::Eq, r) = comparison(p)? else {
        return None;
    };
    let distinct = s.distinct.is_some() && super::ast::is_ungrouped(s);
    if !distinct && !is_rowwise(s) {
        return None;
    }
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
        let mut s = s.clone();
        s.from = parse_select(&format!("SELECT 1 FROM {kept}"))?.from;
        s.selection = and(&outer);
        return Some(s);
    }
    None
}

/// `s` with one more join; its columns get qualified, for the new table has the same names.
fn joined(s: &Select, t: &super::ast::FromTable<'_>, join: &str) -> Option<Select> {
    let mut s = s.clone();
    // What cannot be qualified by looking at names: wildcards, subqueries with scopes of their own.
    let mut hidden = s.projection.iter().any(|i| !matches!(i, SelectItem::UnnamedExpr(_)));
    let one = std::slice::from_ref(t);
    let _ = syntax::change_expressions(&mut s, &mut |e| {
        match e {
            Expr::Identifier(_) => match resolve(e, one).and_then(|(_, k)| t.table.columns.get(k)) {
                Some(column) => {
                    if let Some(new) = parse_expr(&t.column(column)) {
                        *e = new
                    }
                }
                None => hidden |= !matches!(e, Expr::Identifier(i) if i.quote_style == Some('"')),
            },
            Expr::Subquery(_)
            | Expr::InSubquery { expr: _, subquery: _, negated: _ }
            | Expr::Exists { subquery: _, negated: _ } => hidden = true,
            _ => {}
        }
        ControlFlow::Continue(())
    });
    if hidden {
        return None;
    }
    let from = s.from.first()?.to_string();
    s.from = parse_select(&format!("SELECT 1 FROM {from} {join}"))?.from;
    Some(s)
}

/// The names and aliases in FROM, of subqueries too; a derived table has no name.
struct Tables(Vec<(String, Option<String>)>);
impl VisitorMut for Tables {
    type Break = ();
    fn pre_visit_table_factor(&mut self, f: &mut TableFactor) -> ControlFlow<()> {
        if let Some(Named { name, alias, called: _ }) = Named::of(f) {
            self.0.push((
                name.0.last().and_then(|p| p.as_ident()).map(|i| i.value.clone()).unwrap_or_default(),
                alias.map(|a| a.name.value.clone()),
            ));
        } else if let TableFactor::Derived { alias: Some(a), lateral: _, subquery: _, sample: _ } = f {
            self.0.push((String::new(), Some(a.name.value.clone())));
        }
        ControlFlow::Continue(())
    }
}

/// Every table of the query and its alias.
/// As [`Tables`] has them.
fn tables(q: &Query) -> Vec<(String, Option<String>)> {
    let mut tables = Tables(Vec::new());
    let _ = syntax::change(&mut q.clone(), &mut tables);
    tables.0
}

fn aliases(q: &Query) -> Vec<String> {
    tables(q).into_iter().filter_map(|(_, a)| a).collect()
}

/// Gives what is called `old` another alias, or none.
struct Rename<'r> {
    old: &'r str,
    alias: Option<&'r str>,
}
impl VisitorMut for Rename<'_> {
    type Break = ();
    fn pre_visit_table_factor(&mut self, f: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table {
            alias,
            name: _,
            args: _,
            with_hints: _,
            version: _,
            with_ordinality: _,
            partitions: _,
            json_path: _,
            sample: _,
            index_hints: _,
        }
        | TableFactor::Derived { alias, lateral: _, subquery: _, sample: _ } = f
            && alias.as_ref().is_some_and(|a| a.name.value.eq_ignore_ascii_case(self.old))
        {
            match (self.alias, alias.as_mut()) {
                (Some(new), Some(a)) => a.name = ident(new),
                _ => *alias = None,
            }
        }
        ControlFlow::Continue(())
    }
}

/// Renames the table called `old` (removes its alias where there is no new one), and every
/// name that it qualifies.
fn renamed(q: &Query, old: &str, name: &Ident, alias: Option<&str>) -> Option<Query> {
    let mut q = q.clone();
    // `old.*` is not an expression: it would be missed.
    if q.to_string().to_ascii_lowercase().contains(&format!("{}.*", old.to_ascii_lowercase())) {
        return None;
    }
    let _ = syntax::change(&mut q, &mut Rename { old, alias });
    let _ = syntax::change_expressions(&mut q, &mut |e| {
        if let Expr::CompoundIdentifier(parts) = e
            && let [first, _] = parts.as_mut_slice()
            && first.value.eq_ignore_ascii_case(old)
        {
            *first = name.clone();
        }
        ControlFlow::Continue(())
    });
    Some(q)
}

//! Rewrites of a SELECT's outputs, grouping and order, and of where a query stands.
//!
//! Most rest on one of three facts: DISTINCT and GROUP BY without aggregates both keep one row of each value;
//! a condition on a group's keys holds for all of its rows or for none; a derived table or a common table
//! expression is the bag of its rows, in no order. Names of output columns are no part of an answer.

use rand::RngExt as _;
use sqlparser::ast::{Expr, Query, Select, SelectItem};

use super::ast::{
    FromTable, aggregate, and, and_also, bare, columns_of, conjuncts, distinct, filtered, fresh, group_by,
    grouped, has_aggregate, ident, is_column, is_rowwise, is_ungrouped, is_unordered, items, named_outputs,
    only, only_select, outermost, parse_expr, parse_query, plain, reordered, require, undistinct, with_body,
    with_from, with_outputs,
};
use super::predicates::comparison;
use super::{Claim::Sound, Rewrite, rule};

pub(super) const RULES: &[Rewrite] = &[
    // Both keep one row of each combination of values, NULLs among them.
    rule("distinct-to-group-by", Sound, 3).law("SELECT DISTINCT a, b → SELECT a, b … GROUP BY a, b").select(
        |_, s| {
            require(is_ungrouped(s))?;
            let keys: Vec<Expr> = items(s)?.into_iter().cloned().collect();
            // A constant in GROUP BY is a position.
            require(keys.iter().all(is_column))?;
            Some(grouped(&undistinct(s)?, keys))
        },
    ),
    // The outputs are the keys and nothing else, so no aggregate stands among them. HAVING would be left
    // over.
    rule("group-by-to-distinct", Sound, 3)
        .law("SELECT a, b … GROUP BY a, b → SELECT DISTINCT a, b …")
        .select(|_, s| {
            let keys = group_by(s);
            let outputs = items(s)?;
            let same = outputs.len() == keys.len() && keys.iter().all(|k| outputs.contains(&k));
            require(same && !keys.is_empty() && s.having.is_none())?;
            Some(distinct(&grouped(s, Vec::new())))
        }),
    // No two rows of t have the same key, so that DISTINCT removes none; a join would repeat rows.
    rule("distinct-on-key", Sound, 2).law("SELECT key, … FROM t → SELECT DISTINCT key, … FROM t").select(
        |c, s| {
            require(is_rowwise(s) && shows_key(s, &only(s, c.schema)?)?)?;
            Some(distinct(s))
        },
    ),
    // The reverse of `distinct-on-key`.
    rule("distinct-off-key", Sound, 2).law("SELECT DISTINCT key, … FROM t → SELECT key, … FROM t").select(
        |c, s| {
            require(is_ungrouped(s) && shows_key(s, &only(s, c.schema)?)?)?;
            undistinct(s)
        },
    ),
    // `SELECT city FROM t GROUP BY city HAVING COUNT(*) > 3` →
    // `SELECT c0 FROM (SELECT city AS c0, COUNT(*) AS h FROM t GROUP BY city) AS grouped WHERE h > 3`.
    // The other side of the comparison moves out of the group, so it must not aggregate.
    rule("having-to-derived", Sound, 4)
        .law(
            "SELECT a … GROUP BY g HAVING f(x) < c → SELECT a FROM (SELECT a, f(x) AS h … GROUP BY g) \
             WHERE h < c",
        )
        .query(|_, q| {
            let mut s = only_select(q)?.clone();
            let having = s.having.take()?;
            let (f, op, limit) = comparison(&having)?;
            aggregate(f)?;
            require(!has_aggregate(limit) && s.distinct.is_none())?;
            let (names, named) = named_outputs(&s, 0)?;
            let inner = with_outputs(&s, &format!("{named}, {f} AS h"))?;
            let alias = fresh(q, "grouped");
            parse_query(&format!("SELECT {names} FROM ({inner}) AS {alias} WHERE h {op} {limit}"))
        }),
    // `WHERE city = 'Rome' GROUP BY city` → `GROUP BY city HAVING city = 'Rome'`: every row of a group has
    // the same key, so the group stays or goes as a whole.
    rule("where-to-having", Sound, 3).law("WHERE p(g) GROUP BY g → GROUP BY g HAVING p(g)").select(|_, s| {
        require(s.having.is_none())?;
        let (over, rest) = of_groups(s, s.selection.as_ref());
        Some(Select { having: Some(and(&over)?), ..filtered(s, &rest) })
    }),
    // The reverse of `where-to-having`, with what WHERE asked for already.
    rule("having-to-where", Sound, 3).law("GROUP BY g HAVING p(g) → WHERE p(g) GROUP BY g").select(|_, s| {
        let (over, rest) = of_groups(s, s.having.as_ref());
        require(!over.is_empty())?;
        let mut all = conjuncts(s.selection.as_ref());
        all.extend(over);
        Some(Select { having: and(&rest), ..filtered(s, &all) })
    }),
    // The rows of a derived table are in no order, even where the query inside has one.
    rule("wrap-derived", Sound, 2).law("q → SELECT * FROM (q), where q has no ORDER BY").query(|_, q| {
        require(is_bag(q))?;
        parse_query(&format!("SELECT * FROM ({q}) AS {}", fresh(q, "answer")))
    }),
    // The same with a name; WITH stands before the outermost query alone.
    rule("wrap-cte", Sound, 2).law("q → WITH c AS (q) SELECT * FROM c, where q has no ORDER BY").whole(
        |_, q, _| {
            require(is_bag(q))?;
            let name = fresh(q, "answer");
            parse_query(&format!("WITH {name} AS ({q}) SELECT * FROM {name}"))
        },
    ),
    // `SELECT t.a FROM t WHERE t.b > 1` → `SELECT t.a FROM (SELECT * FROM t WHERE t.b > 1) AS t`: under the
    // old alias every name outside still finds its column. A filter that reads more than t could not move
    // inside.
    rule("where-to-derived", Sound, 2).law("FROM t WHERE p → FROM (SELECT * FROM t WHERE p) AS t").select(
        |c, s| {
            let t = only(s, c.schema)?;
            let p = s.selection.as_ref()?;
            columns_of(p, std::slice::from_ref(&t))?;
            let (name, from) = (plain(&t.name), s.from.first()?);
            let derived = with_from(s, &format!("(SELECT * FROM {from} WHERE {p}) AS {name}"))?;
            Some(Select { selection: None, ..derived })
        },
    ),
    // Of p, NOT p and p IS NULL just one is true of a row, so each row comes from one arm, as often as
    // before. The last column is taken since it is rarely the key; 10 is as good as any constant.
    rule("partition", Sound, 3)
        .law(
            "q → q WHERE p UNION ALL q WHERE NOT p UNION ALL q WHERE p IS NULL (ternary logic \
             partitioning; Rigger and Su, OOPSLA 2020)",
        )
        .query(|c, q| {
            let s = only_select(q)?;
            let t = only(s, c.schema)?;
            require(is_rowwise(s) && t.table.columns.len() > 1)?;
            let column = t.column(t.table.columns.last()?);
            let parts = ["{} > 10", "NOT {} > 10", "{} > 10 IS NULL"].map(|p| {
                let p = parse_expr(&p.replace("{}", &column))?;
                Some(and_also(s, p).to_string())
            });
            let [yes, no, unknown] = parts;
            parse_query(&format!("{} UNION ALL {} UNION ALL {}", yes?, no?, unknown?))
        }),
    // A number in ORDER BY is a position only if it stands alone, so the whole key is replaced.
    rule("order-position", Sound, 1).law("ORDER BY a → ORDER BY 1, where a is the first output").query(
        |_, q| {
            let outputs = items(outermost(q)?)?;
            reordered(q, |keys| {
                let key = keys.first_mut()?;
                let at = outputs.iter().position(|o| **o == key.expr)?;
                key.expr = parse_expr(&(at + 1).to_string())?;
                Some(())
            })
        },
    ),
    // A number that stands alone in GROUP BY is a position, as in ORDER BY.
    rule("group-position", Sound, 1).law("SELECT a … GROUP BY a → GROUP BY 1").select(|_, s| {
        let [key] = group_by(s) else { return None };
        let at = items(s)?.into_iter().position(|o| o == key)?;
        Some(grouped(s, vec![parse_expr(&(at + 1).to_string())?]))
    }),
    // In a subquery the alias might be what an outer name then finds.
    rule("output-alias", Sound, 1).law("SELECT a → SELECT a AS name, in the outermost query").whole(
        |_, q, rng| {
            let mut s = outermost(q)?.clone();
            let n = s.projection.len();
            let item = s.projection.get_mut(rng.random_range(0..n.max(1)))?;
            let SelectItem::UnnamedExpr(e) = item else { return None };
            *item = SelectItem::ExprWithAlias { expr: e.clone(), alias: ident(&fresh(q, "result")) };
            Some(with_body(q, s))
        },
    ),
    // With one table a bare name can mean no other column.
    rule("qualify", Sound, 1).law("SELECT a FROM t → SELECT t.a FROM t, over one table").select(|c, s| {
        let t = only(s, c.schema)?;
        let mut s = s.clone();
        let mut changed = false;
        for item in &mut s.projection {
            if let SelectItem::UnnamedExpr(e) = item
                && let Expr::Identifier(_) = bare(e)
                && let Some(column) = t.find(e)
            {
                *e = parse_expr(&t.column(column))?;
                changed = true;
            }
        }
        changed.then_some(s)
    }),
];

/// The outputs are columns of the only table, a key of it among them; none where one is something else.
fn shows_key(s: &Select, t: &FromTable<'_>) -> Option<bool> {
    let columns: Vec<usize> = items(s)?.into_iter().map(|e| t.place(e)).collect::<Option<_>>()?;
    Some(t.table.has_key_within(&columns))
}

/// The conditions that compare a key of GROUP BY with a constant, and the others.
fn of_groups(s: &Select, condition: Option<&Expr>) -> (Vec<Expr>, Vec<Expr>) {
    let over = |p: &Expr| {
        comparison(p).is_some_and(|(x, _, v)| group_by(s).contains(x) && matches!(v, Expr::Value(_)))
    };
    conjuncts(condition).into_iter().partition(over)
}

/// A query in no order and without WITH: it may stand in parentheses.
fn is_bag(q: &Query) -> bool {
    is_unordered(q) && q.with.is_none()
}

//! Rewrites of a SELECT's outputs, grouping and order, and of where a query stands.
//!
//! Most rest on one of three facts: DISTINCT and GROUP BY without aggregates both keep one row of each value;
//! a condition on a group's keys holds for all of its rows or for none; a derived table or a common table
//! expression is the bag of its rows, in no order. Names of output columns are no part of an answer.

use rand::RngExt as _;
use sqlparser::ast::{Expr, GroupByExpr, SelectItem};

use super::ast::{
    aggregate, and, at_query, at_select, bare, columns_of, conjuncts, fresh, group_by, has_aggregate, ident,
    is_rowwise, is_ungrouped, is_unordered, items, only, only_select, parse_expr, parse_query, parse_select,
    resolve,
};
use super::predicates::{comparison, rule};
use super::{Claim::Sound, Rewrite};

pub(super) const RULES: &[Rewrite] = &[
    // Both keep one row of each combination of values, NULLs among them.
    rule!(
        "distinct-to-group-by",
        Sound,
        3,
        "SELECT DISTINCT a, b → SELECT a, b … GROUP BY a, b",
        |_, q, rng| at_select(q, rng, |s| {
            if !is_ungrouped(s) {
                return None;
            }
            let mut s = s.clone();
            s.distinct.take()?;
            let keys: Vec<Expr> = items(&s)?.into_iter().cloned().collect();
            // A constant in GROUP BY is a position.
            if keys.iter().any(|k| !matches!(k, Expr::Identifier(_) | Expr::CompoundIdentifier(_))) {
                return None;
            }
            s.group_by = GroupByExpr::Expressions(keys, Vec::new());
            Some(s)
        })
    ),
    // The outputs are the keys and nothing else, so no aggregate stands among them. HAVING would be left
    // over.
    rule!(
        "group-by-to-distinct",
        Sound,
        3,
        "SELECT a, b … GROUP BY a, b → SELECT DISTINCT a, b …",
        |_, q, rng| at_select(q, rng, |s| {
            let keys = group_by(s);
            let outputs = items(s)?;
            let same = outputs.len() == keys.len() && keys.iter().all(|k| outputs.contains(&k));
            if !same || keys.is_empty() || s.having.is_some() {
                return None;
            }
            let mut s = s.clone();
            s.group_by = GroupByExpr::Expressions(Vec::new(), Vec::new());
            s.distinct = parse_select("SELECT DISTINCT 1")?.distinct;
            Some(s)
        })
    ),
    // No two rows of t have the same key, so that DISTINCT removes none; a join would repeat rows.
    rule!(
        "distinct-on-key",
        Sound,
        2,
        "SELECT key, … FROM t → SELECT DISTINCT key, … FROM t",
        |c, q, rng| at_select(q, rng, |s| {
            if !is_rowwise(s) {
                return None;
            }
            let t = only(s, c.schema)?;
            let columns = columns(items(s)?, &t)?;
            if !t.table.has_key_within(&columns) {
                return None;
            }
            let mut s = s.clone();
            s.distinct = parse_select("SELECT DISTINCT 1")?.distinct;
            Some(s)
        })
    ),
    // The reverse of `distinct-on-key`.
    rule!(
        "distinct-off-key",
        Sound,
        2,
        "SELECT DISTINCT key, … FROM t → SELECT key, … FROM t",
        |c, q, rng| at_select(q, rng, |s| {
            let t = only(s, c.schema)?;
            let columns = columns(items(s)?, &t)?;
            let mut s = s.clone();
            s.distinct.take()?;
            (is_ungrouped(&s) && t.table.has_key_within(&columns)).then_some(s)
        })
    ),
    // `SELECT city FROM t GROUP BY city HAVING COUNT(*) > 3` →
    // `SELECT c0 FROM (SELECT city AS c0, COUNT(*) AS h FROM t GROUP BY city) AS grouped WHERE h > 3`.
    // The other side of the comparison moves out of the group, so it must not aggregate.
    rule!(
        "having-to-derived",
        Sound,
        4,
        "SELECT a … GROUP BY g HAVING f(x) < c → SELECT a FROM (SELECT a, f(x) AS h … GROUP BY g) WHERE h < c",
        |_, q, rng| at_query(q, rng, |q| {
            let mut s = only_select(q)?.clone();
            let having = s.having.take()?;
            let (f, op, limit) = comparison(&having)?;
            aggregate(f)?;
            if has_aggregate(limit) || s.distinct.is_some() {
                return None;
            }
            let outputs: Vec<String> = items(&s)?.iter().map(|e| e.to_string()).collect();
            let names: Vec<String> = (0..outputs.len()).map(|i| format!("c{i}")).collect();
            let mut inner: Vec<String> =
                outputs.iter().zip(&names).map(|(e, n)| format!("{e} AS {n}")).collect();
            inner.push(format!("{f} AS h"));
            s.projection = parse_select(&format!("SELECT {}", inner.join(", ")))?.projection;
            parse_query(&format!(
                "SELECT {} FROM ({s}) AS {} WHERE h {op} {limit}",
                names.join(", "),
                fresh(q, "grouped")
            ))
        })
    ),
    // `WHERE city = 'Rome' GROUP BY city` → `GROUP BY city HAVING city = 'Rome'`: every row of a group has
    // the same key, so the group stays or goes as a whole.
    rule!("where-to-having", Sound, 3, "WHERE p(g) GROUP BY g → GROUP BY g HAVING p(g)", |_, q, rng| {
        at_select(q, rng, |s| {
            let mut s = s.clone();
            if s.having.is_some() {
                return None;
            }
            let keys = group_by(&s).to_vec();
            let (over, rest): (Vec<Expr>, Vec<Expr>) =
                conjuncts(s.selection.as_ref()).into_iter().partition(|p| {
                    comparison(p).is_some_and(|(x, _, v)| keys.contains(x) && matches!(v, Expr::Value(_)))
                });
            s.having = Some(and(&over)?);
            s.selection = and(&rest);
            Some(s)
        })
    }),
    // The reverse of `where-to-having`, with what WHERE asked for already.
    rule!("having-to-where", Sound, 3, "GROUP BY g HAVING p(g) → WHERE p(g) GROUP BY g", |_, q, rng| {
        at_select(q, rng, |s| {
            let mut s = s.clone();
            let keys = group_by(&s).to_vec();
            let (over, rest): (Vec<Expr>, Vec<Expr>) =
                conjuncts(s.having.as_ref()).into_iter().partition(|p| {
                    comparison(p).is_some_and(|(x, _, v)| keys.contains(x) && matches!(v, Expr::Value(_)))
                });
            let mut all = conjuncts(s.selection.as_ref());
            if over.is_empty() {
                return None;
            }
            all.extend(over);
            s.selection = and(&all);
            s.having = and(&rest);
            Some(s)
        })
    }),
    // The rows of a derived table are in no order, even where the query inside has one.
    rule!("wrap-derived", Sound, 2, "q → SELECT * FROM (q), where q has no ORDER BY", |_, q, rng| at_query(
        q,
        rng,
        |q| {
            if !is_unordered(q) || q.with.is_some() {
                return None;
            }
            parse_query(&format!("SELECT * FROM ({q}) AS {}", fresh(q, "answer")))
        }
    )),
    // The same with a name; WITH stands before the outermost query alone.
    rule!("wrap-cte", Sound, 2, "q → WITH c AS (q) SELECT * FROM c, where q has no ORDER BY", |_, q, _| {
        if !is_unordered(q) || q.with.is_some() {
            return None;
        }
        let name = fresh(q, "answer");
        parse_query(&format!("WITH {name} AS ({q}) SELECT * FROM {name}"))
    }),
    // `SELECT t.a FROM t WHERE t.b > 1` → `SELECT t.a FROM (SELECT * FROM t WHERE t.b > 1) AS t`: under the
    // old alias every name outside still finds its column. A filter that reads more than t could not move
    // inside.
    rule!(
        "where-to-derived",
        Sound,
        2,
        "FROM t WHERE p → FROM (SELECT * FROM t WHERE p) AS t",
        |c, q, rng| at_select(q, rng, |s| {
            let t = only(s, c.schema)?;
            let p = s.selection.as_ref()?;
            columns_of(p, std::slice::from_ref(&t))?;
            let name = super::ast::plain(&t.name);
            let from = s.from.first()?.to_string();
            let new = parse_select(&format!("SELECT 1 FROM (SELECT * FROM {from} WHERE {p}) AS {name}"))?;
            let mut s = s.clone();
            s.from = new.from;
            s.selection = None;
            Some(s)
        })
    ),
    // Of p, NOT p and p IS NULL just one is true of a row, so each row comes from one arm, as often as
    // before. The last column is taken since it is rarely the key; 10 is as good as any constant.
    rule!(
        "partition",
        Sound,
        3,
        "q → q WHERE p UNION ALL q WHERE NOT p UNION ALL q WHERE p IS NULL (ternary logic partitioning; Rigger and Su, OOPSLA 2020)",
        |c, q, rng| at_query(q, rng, |q| {
            let s = only_select(q)?;
            let t = only(s, c.schema)?;
            if !is_rowwise(s) || t.table.columns.len() < 2 {
                return None;
            }
            let column = t.column(t.table.columns.last()?);
            let part = |p: String| {
                let mut s = s.clone();
                let mut all = conjuncts(s.selection.as_ref());
                all.push(parse_expr(&p)?);
                s.selection = and(&all);
                Some(s.to_string())
            };
            parse_query(&format!(
                "{} UNION ALL {} UNION ALL {}",
                part(format!("{column} > 10"))?,
                part(format!("NOT {column} > 10"))?,
                part(format!("{column} > 10 IS NULL"))?
            ))
        })
    ),
    // A number in ORDER BY is a position only if it stands alone, so the whole key is replaced.
    rule!(
        "order-position",
        Sound,
        1,
        "ORDER BY a → ORDER BY 1, where a is the first output",
        |_, q, rng| at_query(q, rng, |q| {
            let mut new = q.clone();
            let sqlparser::ast::SetExpr::Select(s) = q.body.as_ref() else {
                return None;
            };
            let outputs = items(s)?;
            let sqlparser::ast::OrderByKind::Expressions(keys) = &mut new.order_by.as_mut()?.kind else {
                return None;
            };
            let key = keys.first_mut()?;
            let at = outputs.iter().position(|o| **o == key.expr)?;
            key.expr = parse_expr(&(at + 1).to_string())?;
            Some(new)
        })
    ),
    // A number that stands alone in GROUP BY is a position, as in ORDER BY.
    rule!("group-position", Sound, 1, "SELECT a … GROUP BY a → GROUP BY 1", |_, q, rng| at_select(
        q,
        rng,
        |s| {
            let [key] = group_by(s) else { return None };
            let at = items(s)?.into_iter().position(|o| o == key)?;
            let mut s = s.clone();
            s.group_by = GroupByExpr::Expressions(vec![parse_expr(&(at + 1).to_string())?], Vec::new());
            Some(s)
        }
    )),
    // In a subquery the alias might be what an outer name then finds.
    rule!("output-alias", Sound, 1, "SELECT a → SELECT a AS name, in the outermost query", |_, q, rng| {
        let mut q = q.clone();
        let name = fresh(&q, "result");
        let sqlparser::ast::SetExpr::Select(s) = q.body.as_mut() else {
            return None;
        };
        let n = s.projection.len();
        let item = s.projection.get_mut(rng.random_range(0..n.max(1)))?;
        let SelectItem::UnnamedExpr(e) = item else {
            return None;
        };
        *item = SelectItem::ExprWithAlias { expr: e.clone(), alias: ident(&name) };
        Some(q)
    }),
    // With one table a bare name can mean no other column.
    rule!("qualify", Sound, 1, "SELECT a FROM t → SELECT t.a FROM t, over one table", |c, q, rng| {
        at_select(q, rng, |s| {
            let t = only(s, c.schema)?;
            let mut s = s.clone();
            let mut changed = false;
            for item in &mut s.projection {
                if let SelectItem::UnnamedExpr(e) = item
                    && let Expr::Identifier(_) = bare(e)
                    && let Some((_, k)) = resolve(e, std::slice::from_ref(&t))
                {
                    *e = parse_expr(&t.column(t.table.columns.get(k)?))?;
                    changed = true;
                }
            }
            changed.then_some(s)
        })
    }),
];

/// The columns of one table that the outputs name, if they are nothing else.
fn columns(outputs: Vec<&Expr>, t: &super::ast::FromTable<'_>) -> Option<Vec<usize>> {
    outputs.into_iter().map(|e| Some(resolve(e, std::slice::from_ref(t))?.1)).collect()
}

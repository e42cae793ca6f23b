//! What beside the outermost LIMIT may leave a query's answer open.
//!
//! Read from the tree without a schema, so it errs on one side: what is called certain is.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Distinct, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident,
    OrderByKind, Query, Select, SelectItem, SetExpr, Visitor,
};
use twinql_sql::Value;
use twinql_sql::syntax::{self, item_expr};

use crate::facts::constant;

/// What was found in a query.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Something inside leaves open which rows there are: LIMIT in a subquery, a scalar subquery
    /// of several rows, windows, bare columns under GROUP BY, the order inside `group_concat`,
    /// DISTINCT rows in the order of what is not put out.
    pub(super) inside: bool,
    /// It throws dice, so that another text of it gives another answer.
    pub(super) chance: bool,
    /// Places that have ORDER BY, windows among them.
    pub(super) orders: usize,
    /// Queries around this place.
    depth: usize,
}

/// Looks through a query.
pub(super) fn inspect(query: &Query) -> Found {
    let mut found = Found::default();
    let _ = syntax::read(query, &mut found);
    found
}

impl Visitor for Found {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.inside |= self.depth > 0 && query.limit_clause.is_some();
        self.depth += 1;
        let Some(order_by) = &query.order_by else {
            return ControlFlow::Continue(());
        };
        self.orders += 1;
        match (&order_by.kind, &*query.body) {
            (OrderByKind::Expressions(keys), SetExpr::Select(select)) => {
                let group = Group::of(select);
                let alias = |e: &Expr| match e {
                    Expr::Identifier(i) => select.projection.iter().any(|item| named(item, i)),
                    other => constant(other).is_some(),
                };
                let distinct = matches!(select.distinct, Some(Distinct::Distinct));
                self.inside |= keys.iter().map(|k| &k.expr).filter(|key| !alias(key)).any(|key| {
                    (group.aggregates && group.leaves_open(key, 0)) || (distinct && !put_out(select, key))
                });
            }
            (OrderByKind::Expressions(_), _) => {}
            _ => self.inside = true,
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Subquery(query) => self.inside |= !one_row(query),
            Expr::Function(f) => {
                let name = f.name.to_string();
                let open = ["group_concat", "string_agg", "pg_string_agg_distinct"];
                let dice = ["random", "randomblob"];
                self.chance |= dice.iter().any(|d| name.eq_ignore_ascii_case(d));
                self.inside |= f.over.is_some()
                    || name.to_ascii_lowercase().starts_with("json")
                    || open.iter().any(|o| name.eq_ignore_ascii_case(o));
                self.orders += usize::from(f.over.is_some());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        let group = Group::of(select);
        let items = select.projection.iter();
        self.inside |= group.aggregates
            && (items.into_iter().any(|item| match item_expr(item) {
                Some(e) => group.leaves_open(e, 0),
                None => true,
            }) || select.having.as_ref().is_some_and(|e| group.leaves_open(e, 0)));
        ControlFlow::Continue(())
    }
}

/// The output has this alias.
fn named(item: &SelectItem, name: &Ident) -> bool {
    matches!(item, SelectItem::ExprWithAlias { alias, expr: _ } if alias.value.eq_ignore_ascii_case(&name.value))
}

/// True if the sort key follows from the outputs. `SELECT DISTINCT x … ORDER BY y` does not say which row's y an x has.
fn put_out(select: &Select, key: &Expr) -> bool {
    let items = select.projection.iter();
    let outputs = Group { keys: items.filter_map(item_expr).collect(), aggregates: true };
    let all = select.projection.iter().any(|item| matches!(item, SelectItem::Wildcard(_)));
    let same = outputs.keys.iter().any(|output| same_column(output, key));
    all || same || (!aggregates(key, 0) && !outputs.leaves_open(key, 0))
}

/// True if a scalar subquery has one row whatever the tables hold: an aggregate of all rows.
fn one_row(query: &Query) -> bool {
    let SetExpr::Select(select) = &*query.body else {
        return false;
    };
    let grouped = !matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
    !grouped && select.projection.iter().filter_map(item_expr).any(|e| aggregates(e, 0))
}

/// Expressions nested deeper are taken for what is less convenient.
const MAX_DEPTH: usize = 150;

/// A call that makes one value of many rows; over a window it gives one for each row.
fn is_aggregate(f: &Function) -> bool {
    let name = f.name.to_string().to_ascii_lowercase();
    let arguments = match &f.args {
        FunctionArguments::List(list) => list.args.len(),
        _ => 0,
    };
    f.over.is_none()
        && match name.as_str() {
            "count" | "sum" | "avg" | "total" | "group_concat" | "string_agg" => true,
            // With several arguments they compare values of one row.
            "min" | "max" => arguments == 1,
            _ => false,
        }
}

/// The parts of an expression that matter here; `None` where it is of another kind.
fn parts(expr: &Expr) -> Option<Vec<&Expr>> {
    Some(match expr {
        Expr::Value(_) => Vec::new(),
        Expr::Nested(e)
        | Expr::UnaryOp { expr: e, op: _ }
        | Expr::Cast { expr: e, kind: _, data_type: _, format: _ }
        | Expr::IsNull(e)
        | Expr::IsNotNull(e) => vec![e],
        Expr::BinaryOp { left, right, op: _ } => vec![left, right],
        Expr::Between { expr, low, high, negated: _ } => vec![expr, low, high],
        Expr::Like { expr, pattern, negated: _, any: _, escape_char: _ } => vec![expr, pattern],
        Expr::InList { expr, list, negated: _ } => std::iter::once(&**expr).chain(list).collect(),
        Expr::Function(f) => match &f.args {
            FunctionArguments::List(list) if f.filter.is_none() => {
                let mut args = Vec::with_capacity(list.args.len());
                for arg in &list.args {
                    match arg {
                        FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => args.push(e),
                        FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => {}
                        _ => return None,
                    }
                }
                args
            }
            FunctionArguments::None => Vec::new(),
            _ => return None,
        },
        _ => return None,
    })
}

/// An aggregate stands in the expression.
fn aggregates(expr: &Expr, depth: usize) -> bool {
    match expr {
        Expr::Function(f) if is_aggregate(f) => true,
        _ if depth > MAX_DEPTH => false,
        _ => parts(expr).unwrap_or_default().into_iter().any(|e| aggregates(e, depth + 1)),
    }
}

/// What a SELECT groups by.
struct Group<'s> {
    keys: Vec<&'s Expr>,
    /// It has groups: GROUP BY, HAVING or an aggregate.
    aggregates: bool,
}

impl<'s> Group<'s> {
    fn of(select: &'s Select) -> Group<'s> {
        let items = || select.projection.iter().filter_map(item_expr);
        let mut keys: Vec<&Expr> = Vec::new();
        let mut grouped = select.having.is_some() || items().any(|e| aggregates(e, 0));
        match &select.group_by {
            GroupByExpr::Expressions(given, _) => {
                grouped |= !given.is_empty();
                for key in given {
                    keys.push(key);
                    // A number or an alias stands for an output column.
                    let place = match constant(key) {
                        Some(Value::Integer(n)) => usize::try_from(n).ok().and_then(|n| n.checked_sub(1)),
                        _ => None,
                    };
                    let output = match key {
                        Expr::Identifier(i) => select.projection.iter().find(|item| named(item, i)),
                        _ => place.and_then(|p| select.projection.get(p)),
                    };
                    keys.extend(output.and_then(item_expr));
                }
            }
            GroupByExpr::All(_) => grouped = true,
        }
        Group { keys, aggregates: grouped }
    }

    /// True if a column may stand in the expression outside aggregates that is no key.
    fn leaves_open(&self, expr: &Expr, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return true;
        }
        if self.keys.iter().any(|key| same_column(key, expr)) {
            return false;
        }
        match expr {
            Expr::Function(f) if is_aggregate(f) => false,
            // An aggregate of all rows that depends on nothing around it would be fine too, but
            // it may depend.
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => true,
            other => match parts(other) {
                Some(parts) => parts.into_iter().any(|e| self.leaves_open(e, depth + 1)),
                None => true,
            },
        }
    }
}

/// Equal expressions, or names of one column, as far as the names tell.
fn same_column(a: &Expr, b: &Expr) -> bool {
    let path = |e: &Expr| -> Option<Vec<String>> {
        match e {
            Expr::Identifier(i) => Some(vec![i.value.to_ascii_lowercase()]),
            Expr::CompoundIdentifier(p) => Some(p.iter().map(|i| i.value.to_ascii_lowercase()).collect()),
            _ => None,
        }
    };
    match (path(a), path(b)) {
        (Some(a), Some(b)) => a.iter().rev().zip(b.iter().rev()).all(|(x, y)| x == y),
        (None, None) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::inspect;

    #[test]
    fn what_leaves_an_answer_open() {
        for (open, sql) in [
            (false, "SELECT name FROM singer ORDER BY age LIMIT 3"),
            (false, "SELECT country, count(*) FROM singer GROUP BY country"),
            (
                false,
                "SELECT s.country FROM singer AS s GROUP BY country HAVING count(*) > 1 ORDER BY count(*), s.country",
            ),
            (false, "SELECT upper(country) AS c, max(age) FROM singer GROUP BY c"),
            (false, "SELECT country, max(age) FROM singer GROUP BY 1"),
            (false, "SELECT name FROM singer WHERE age = (SELECT max(age) FROM singer)"),
            (false, "SELECT max(age, id) FROM singer"),
            (true, "SELECT name, max(age) FROM singer"),
            (true, "SELECT name, count(*) FROM singer GROUP BY country"),
            (true, "SELECT country FROM singer GROUP BY country ORDER BY age"),
            (true, "SELECT country FROM singer GROUP BY country HAVING age > 3"),
            (true, "SELECT * FROM singer GROUP BY country"),
            (true, "SELECT name FROM singer WHERE id IN (SELECT id FROM singer LIMIT 1)"),
            (true, "SELECT name FROM singer WHERE age = (SELECT age FROM singer)"),
            (true, "SELECT row_number() OVER (ORDER BY age) FROM singer"),
            (true, "SELECT group_concat(name) FROM singer"),
            (true, "SELECT DISTINCT country FROM singer ORDER BY age"),
            (true, "SELECT DISTINCT country FROM singer GROUP BY country, name ORDER BY count(*)"),
            (false, "SELECT DISTINCT country, age FROM singer AS s ORDER BY s.age + 1, upper(country)"),
            (false, "SELECT DISTINCT country, count(*) FROM singer GROUP BY country, name ORDER BY count(*)"),
            (false, "SELECT DISTINCT * FROM singer ORDER BY age"),
            (false, "SELECT name FROM singer ORDER BY random() LIMIT 1"),
        ] {
            let parsed = twinql_sql::parse(sql).unwrap();
            assert_eq!(inspect(&parsed.query).inside, open, "{sql}");
        }
    }
}

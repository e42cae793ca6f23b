//! ROLLUP, CUBE and GROUPING SETS: a union of groupings, in each of which the keys that it
//! does not group by are NULL and GROUPING() is a number.
//!
//! `SELECT a, b, sum(c) FROM t GROUP BY ROLLUP (a, b)` becomes
//!
//! `SELECT a, b, sum(c) FROM t GROUP BY a, b UNION ALL SELECT a, NULL, sum(c) FROM t GROUP BY a UNION ALL
//! SELECT NULL, NULL, sum(c) FROM t`
//!
//! which is the standard's definition of it. FROM is evaluated once for each grouping, so the rules see
//! plain groupings, and a query that writes the union by hand is the same query.

use sqlparser::ast::{
    BinaryOperator, Distinct, Expr, FunctionArguments, GroupByExpr, GroupByWithModifier, Ident, OrderBy,
    OrderByKind, Query, Select, SelectItem, SetExpr, SetOperator, SetQuantifier, Spanned,
};
use sqlparser::tokenizer::Span;

use super::build::{call, last_name, null, number, plain_call, query};
use super::grouping_windows;
use crate::dialects::Dialect;
use crate::error::{SqlError, unsupported};
use crate::plan::is_aggregate;
use crate::syntax::any_expression;

/// Groupings that a query may ask for.
const MAX_SETS: usize = 64;

/// Rewrites a query whose SELECTs have grouping sets.
pub(super) fn expand(query: &mut Query, dialect: Dialect) -> Result<(), SqlError> {
    // Keys that are not grouped by are 0 and empty texts there
    // (https://clickhouse.com/docs/en/sql-reference/statements/select/group-by#rollup-modifier).
    if dialect == Dialect::Clickhouse {
        return match &*query.body {
            SetExpr::Select(select) if sets(select)?.is_some() => {
                unsupported("ROLLUP, CUBE and GROUPING SETS", select.span())
            }
            _ => Ok(()),
        };
    }
    expand_standard(query)
}

fn expand_standard(query: &mut Query) -> Result<(), SqlError> {
    if let SetExpr::Select(select) = &*query.body
        && let Some(sets) = sets(select)?
    {
        let select = select.clone();
        if grouping_windows::has_windows(&select, query.order_by.as_ref()) {
            let outer = with_windows(&select, &sets, query.order_by.as_mut())?;
            *query.body = SetExpr::Select(Box::new(outer));
            return Ok(());
        }
        return expand_ordered(query, &select, &sets);
    }
    expand_arms(&mut query.body)
}

/// Rewrites the arms of set operations. A chain of them is a tree as deep as it is long: they wait in
/// a list instead of on the stack.
fn expand_arms(body: &mut SetExpr) -> Result<(), SqlError> {
    let mut waiting = vec![body];
    while let Some(body) = waiting.pop() {
        match body {
            SetExpr::Select(select) => {
                if let Some(sets) = sets(select)? {
                    let select = select.clone();
                    *body = match grouping_windows::has_windows(&select, None) {
                        true => SetExpr::Select(Box::new(with_windows(&select, &sets, None)?)),
                        false => union(&select, &sets, &[])?,
                    };
                }
            }
            SetExpr::SetOperation { op: _, set_quantifier: _, left, right } => {
                waiting.extend([right.as_mut(), left.as_mut()])
            }
            // Subqueries have been visited on their own.
            SetExpr::Query(_)
            | SetExpr::Values(_)
            | SetExpr::Insert(_)
            | SetExpr::Update(_)
            | SetExpr::Delete(_)
            | SetExpr::Merge(_)
            | SetExpr::Table(_) => {}
        }
    }
    Ok(())
}

/// A SELECT whose window functions stand above the union of its groupings.
fn with_windows(select: &Select, sets: &[Set], order: Option<&mut OrderBy>) -> Result<Select, SqlError> {
    let mut outer = grouping_windows::above(select, sets, order)?;
    if let Some(inner) = grouping_windows::inner(&mut outer) {
        expand_standard(inner)?;
    }
    Ok(outer)
}

type Set = Vec<Expr>;

/// The groupings that GROUP BY asks for, if it is more than a list of keys.
///
/// Several terms multiply: `GROUP BY a, CUBE (b, c)` groups by `a` and each of the four sets. A limit ends
/// that early, since a handful of CUBEs asks for thousands.
fn sets(select: &Select) -> Result<Option<Vec<Set>>, SqlError> {
    let GroupByExpr::Expressions(terms, modifiers) = &select.group_by else {
        return Ok(None);
    };
    let of_modifier = match modifiers.as_slice() {
        [] => None,
        [GroupByWithModifier::Rollup] => Some(rollup(&each(terms))),
        [GroupByWithModifier::Cube] => Some(cube(&each(terms), select.span())?),
        // Other modifiers are refused where the query is planned.
        _ => return Ok(None),
    };
    let mut found = of_modifier.is_some();
    let mut product: Vec<Set> = of_modifier.unwrap_or_else(|| vec![Vec::new()]);
    if !found {
        for term in terms {
            let choices = match choices(term)? {
                Some(choices) => {
                    found = true;
                    choices
                }
                None => vec![vec![term.clone()]],
            };
            product = product
                .iter()
                .flat_map(|before| {
                    choices.iter().map(move |more| before.iter().chain(more).cloned().collect())
                })
                .collect();
            if product.len() > MAX_SETS {
                return unsupported("more than 64 grouping sets", term.span());
            }
        }
    }
    if !found && !asks_what_is_grouped(select) {
        return Ok(None);
    }
    for set in &mut product {
        let mut kept: Set = Vec::new();
        for key in set.drain(..) {
            let key = resolved(key, select);
            if !kept.iter().any(|k| same_key(k, &key)) {
                kept.push(key);
            }
        }
        *set = kept;
    }
    Ok(Some(product))
}

/// Whether an output asks by GROUPING() for keys that are left out.
fn asks_what_is_grouped(select: &Select) -> bool {
    let asks = |e: &Expr| plain_call(e).is_some_and(|(name, _)| name == "grouping");
    select.projection.iter().any(|item| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, alias: _ } => {
            any_expression(expr, &mut |e| asks(e))
        }
        _ => false,
    })
}

/// Each expression as a group of one.
fn each(terms: &[Expr]) -> Vec<Set> {
    terms.iter().map(|e| vec![e.clone()]).collect()
}

/// The groupings of one term of GROUP BY, if it is no plain key.
fn choices(term: &Expr) -> Result<Option<Vec<Set>>, SqlError> {
    Ok(Some(match term {
        Expr::Rollup(groups) => rollup(groups),
        Expr::Cube(groups) => cube(groups, term.span())?,
        Expr::GroupingSets(groups) => groups.clone(),
        other => match plain_call(other) {
            Some((name, args)) => {
                let groups: Vec<Set> = args
                    .into_iter()
                    .map(|e| match e {
                        Expr::Tuple(list) => list.clone(),
                        other => vec![other.clone()],
                    })
                    .collect();
                match name.as_str() {
                    "rollup" => rollup(&groups),
                    "cube" => cube(&groups, term.span())?,
                    _ => return Ok(None),
                }
            }
            None => return Ok(None),
        },
    }))
}

/// All groups, then one fewer from the right each time, to none.
fn rollup(groups: &[Set]) -> Vec<Set> {
    (0..=groups.len()).rev().filter_map(|n| Some(groups.get(..n)?.concat())).collect()
}

/// Every subset of the groups.
fn cube(groups: &[Set], span: Span) -> Result<Vec<Set>, SqlError> {
    if groups.len() > 6 {
        return unsupported("CUBE of more than 6 keys", span);
    }
    let of = |mask: usize| -> Set {
        groups
            .iter()
            .enumerate()
            .filter(|(i, _)| mask & (1 << i) != 0)
            .flat_map(|(_, group)| group.clone())
            .collect()
    };
    Ok((0..1 << groups.len()).rev().map(of).collect())
}

/// A key that is the number of an output becomes that output.
fn resolved(key: Expr, select: &Select) -> Expr {
    let position = match &key {
        Expr::Value(value) => match &value.value {
            sqlparser::ast::Value::Number(digits, _) => digits.parse::<usize>().ok(),
            _ => None,
        },
        _ => None,
    };
    let item = position.and_then(|n| n.checked_sub(1)).and_then(|i| select.projection.get(i));
    match item {
        Some(SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, alias: _ }) => expr.clone(),
        _ => key,
    }
}

fn simple_name(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Identifier(name) => Some(name),
        Expr::CompoundIdentifier(parts) => parts.last(),
        _ => None,
    }
}

/// Whether two expressions are one key; a column may have a qualifier in one place alone.
fn same_key(a: &Expr, b: &Expr) -> bool {
    if let (Expr::Nested(a), b) | (b, Expr::Nested(a)) = (a, b) {
        return same_key(a, b);
    }
    match (a, b) {
        (Expr::CompoundIdentifier(a), Expr::CompoundIdentifier(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.value.eq_ignore_ascii_case(&b.value))
        }
        _ => match (simple_name(a), simple_name(b)) {
            (Some(a), Some(b)) => a.value.eq_ignore_ascii_case(&b.value),
            _ => a == b,
        },
    }
}

/// What one grouping leaves out.
struct Grouping<'s> {
    missing: Vec<&'s Expr>,
    keys: Vec<&'s Expr>,
}

impl Grouping<'_> {
    fn is_missing(&self, expr: &Expr) -> bool {
        self.missing.iter().any(|key| same_key(key, expr))
    }

    /// Rewrites an expression over the groups: inside an aggregate all rows keep their keys.
    ///
    /// `sum(a)` stays a sum of all values where `a` is a key that this grouping leaves out, while `a` beside
    /// it is NULL. GROUPING (a, b) has a bit for each argument, the last one the lowest, that is 1 where it
    /// is left out.
    fn rewrite(&self, expr: &mut Expr) -> Result<(), SqlError> {
        if self.is_missing(expr) {
            *expr = null(expr.span());
            return Ok(());
        }
        if self.keys.iter().any(|key| same_key(key, expr)) {
            return Ok(());
        }
        if let Some((name, args)) = plain_call(expr)
            && name == "grouping"
        {
            let bits = args.iter().try_fold(0_i64, |bits, arg| {
                let known = self.missing.iter().chain(&self.keys).any(|k| same_key(k, arg));
                known.then(|| bits * 2 + i64::from(self.is_missing(arg)))
            });
            return match bits {
                Some(bits) => {
                    *expr = number(bits, expr.span());
                    Ok(())
                }
                None => unsupported("GROUPING() of what is no key", expr.span()),
            };
        }
        if let Expr::Function(function) = expr {
            if function.over.is_some() {
                return unsupported("a window function beside grouping sets", expr.span());
            }
            let is_aggregate = last_name(&function.name).is_some_and(|name| is_aggregate(&name));
            if is_aggregate && !matches!(function.args, FunctionArguments::Subquery(_)) {
                return Ok(());
            }
        }
        let mut failure = None;
        super::children::each(expr, &mut |child| {
            if failure.is_none() {
                failure = self.rewrite(child).err();
            }
        });
        failure.map_or(Ok(()), Err)
    }
}

fn has_aggregate(expr: &Expr) -> bool {
    any_expression(expr, &mut |e| match e {
        Expr::Function(f) => last_name(&f.name).is_some_and(|n| is_aggregate(&n)),
        _ => false,
    })
}

/// One grouping as a SELECT of its own, with columns behind its outputs for the order.
fn arm(select: &Select, set: &Set, all: &[Expr], extra: &[Expr]) -> Result<Select, SqlError> {
    let among = |key: &&Expr| set.iter().any(|k| same_key(k, key));
    let (keys, missing): (Vec<&Expr>, Vec<&Expr>) = all.iter().partition(among);
    let grouping = Grouping { missing, keys };
    let mut out = select.clone();
    out.group_by = GroupByExpr::Expressions(set.clone(), Vec::new());
    let mut aggregates = false;
    for item in &mut out.projection {
        match item {
            SelectItem::UnnamedExpr(expr) => {
                // A key that is left out keeps its name.
                let alias = simple_name(expr).filter(|_| grouping.is_missing(expr)).cloned();
                grouping.rewrite(expr)?;
                aggregates |= has_aggregate(expr);
                if let Some(alias) = alias {
                    *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
                }
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                // GROUP BY may name the output.
                if grouping.is_missing(&Expr::Identifier(alias.clone())) {
                    *expr = null(expr.span());
                } else if !grouping.keys.iter().any(
                    |k| matches!(k, Expr::Identifier(name) if name.value.eq_ignore_ascii_case(&alias.value)),
                ) {
                    grouping.rewrite(expr)?;
                }
                aggregates |= has_aggregate(expr);
            }
            SelectItem::ExprWithAliases { expr: _, aliases: _ }
            | SelectItem::QualifiedWildcard(_, _)
            | SelectItem::Wildcard(_) => return unsupported("* beside grouping sets", item.span()),
        }
    }
    if let Some(having) = &mut out.having {
        grouping.rewrite(having)?;
    }
    // MySQL's WITH ROLLUP gives no row where there is none to group.
    let of_modifier =
        matches!(&select.group_by, GroupByExpr::Expressions(_, modifiers) if !modifiers.is_empty());
    if set.is_empty() && of_modifier {
        let count = call("count", vec![number(1, select.span())], select.span());
        let some = Expr::BinaryOp {
            left: Box::new(count),
            op: BinaryOperator::Gt,
            right: Box::new(number(0, select.span())),
        };
        out.having = Some(match out.having.take() {
            Some(having) => Expr::BinaryOp {
                left: Box::new(Expr::Nested(Box::new(having))),
                op: BinaryOperator::And,
                right: Box::new(some),
            },
            None => some,
        });
    }
    for expr in extra {
        let mut expr = expr.clone();
        grouping.rewrite(&mut expr)?;
        aggregates |= has_aggregate(&expr);
        out.projection.push(SelectItem::UnnamedExpr(expr));
    }
    if set.is_empty() && !aggregates {
        // One row for all; without an aggregate there would be one for each.
        let nothing = |e: &Expr| matches!(e, Expr::Value(v) if v.value == sqlparser::ast::Value::Null);
        let item = out.projection.iter_mut().find_map(|item| match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, alias: _ } if nothing(expr) => {
                Some(expr)
            }
            _ => None,
        });
        match item {
            Some(expr) => *expr = call("max", vec![null(expr.span())], expr.span()),
            None => return unsupported("an empty grouping set without an aggregate", select.span()),
        }
    }
    Ok(out)
}

/// The union of all groupings. UNION ALL, since equal rows of two groupings are two rows; DISTINCT of the
/// SELECT is the union's.
fn union(select: &Select, sets: &[Set], extra: &[Expr]) -> Result<SetExpr, SqlError> {
    let quantifier = match &select.distinct {
        None | Some(Distinct::All) => SetQuantifier::All,
        Some(Distinct::Distinct) => SetQuantifier::None,
        Some(Distinct::On(_)) => return unsupported("DISTINCT ON beside grouping sets", select.span()),
    };
    let mut all: Vec<Expr> = Vec::new();
    for key in sets.iter().flatten() {
        if !all.iter().any(|k| same_key(k, key)) {
            all.push(key.clone());
        }
    }
    let mut body: Option<SetExpr> = None;
    for set in sets {
        let arm = SetExpr::Select(Box::new(arm(select, set, &all, extra)?));
        body = Some(match body {
            None => arm,
            Some(left) => SetExpr::SetOperation {
                op: SetOperator::Union,
                set_quantifier: quantifier,
                left: Box::new(left),
                right: Box::new(arm),
            },
        });
    }
    match body {
        Some(body) => Ok(body),
        None => unsupported("no grouping set", select.span()),
    }
}

/// The name of an output.
fn output_name(item: &SelectItem) -> Option<&Ident> {
    match item {
        SelectItem::UnnamedExpr(expr) => simple_name(expr),
        SelectItem::ExprWithAlias { expr: _, alias } => Some(alias),
        _ => None,
    }
}

/// A query with an order: its terms become positions of outputs, with outputs of their own
/// for those that are none.
///
/// ORDER BY over a union can name its outputs alone: `… GROUP BY ROLLUP (a) ORDER BY sum(b)` puts out
/// `sum(b)` as well, orders by its position, and an outer SELECT drops it ([`wrap`]).
fn expand_ordered(whole: &mut Query, select: &Select, sets: &[Set]) -> Result<(), SqlError> {
    let width = select.projection.len();
    let mut extra: Vec<Expr> = Vec::new();
    if let Some(OrderBy { kind: OrderByKind::Expressions(keys), interpolate: _ }) = &mut whole.order_by {
        for key in keys {
            let span = key.expr.span();
            let is_output = |item: &SelectItem| match item {
                SelectItem::UnnamedExpr(expr) => same_key(expr, &key.expr),
                SelectItem::ExprWithAlias { expr, alias } => {
                    same_key(expr, &key.expr) || same_key(&Expr::Identifier(alias.clone()), &key.expr)
                }
                _ => false,
            };
            let is_position =
                matches!(&key.expr, Expr::Value(v) if matches!(v.value, sqlparser::ast::Value::Number(_, _)));
            if is_position {
                continue;
            }
            let place = match select.projection.iter().position(is_output) {
                Some(place) => place,
                None => {
                    extra.push(key.expr.clone());
                    width + extra.len() - 1
                }
            };
            key.expr = number(i64::try_from(place + 1).unwrap_or(i64::MAX), span);
        }
    }
    let body = union(select, sets, &extra)?;
    if extra.is_empty() {
        *whole.body = body;
        return Ok(());
    }
    wrap(whole, body, select, width + extra.len())
}

/// `SELECT k1 AS a, … FROM (union) AS grouped(k1, …)`: the outputs without those that only
/// the order needs.
fn wrap(whole: &mut Query, body: SetExpr, select: &Select, width: usize) -> Result<(), SqlError> {
    let names: Vec<String> = (1..=width).map(|i| format!("k{i}")).collect();
    let text = format!("SELECT 1 FROM (SELECT 1) AS grouped({})", names.join(", "));
    let template = query(&text, &[]);
    let outer = template.and_then(|q| match *q.body {
        SetExpr::Select(select) => Some(select),
        _ => None,
    });
    let Some(mut outer) = outer else {
        return unsupported("grouping sets in this order", select.span());
    };
    for factor in &mut outer.from {
        if let sqlparser::ast::TableFactor::Derived { lateral: _, subquery, alias: _, sample: _ } =
            &mut factor.relation
        {
            *subquery.body = body.clone();
        }
    }
    outer.projection = select
        .projection
        .iter()
        .zip(&names)
        .map(|(item, name)| {
            let expr = Expr::Identifier(Ident::with_span(item.span(), name));
            match output_name(item) {
                Some(alias) => SelectItem::ExprWithAlias { expr, alias: alias.clone() },
                None => SelectItem::UnnamedExpr(expr),
            }
        })
        .collect();
    if let Some(OrderBy { kind: OrderByKind::Expressions(keys), interpolate: _ }) = &mut whole.order_by {
        for key in keys {
            if let Expr::Value(value) = &key.expr {
                let name = format!("k{value}");
                key.expr = Expr::Identifier(Ident::with_span(value.span, name));
            }
        }
    }
    *whole.body = SetExpr::Select(outer);
    Ok(())
}

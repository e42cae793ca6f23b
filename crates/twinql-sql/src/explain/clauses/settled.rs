//! Two queries in shapes that can be held side by side, clause by clause.
//!
//! Where a condition is written says little: `FROM a, b WHERE a.id = b.a` joins as `FROM a JOIN b ON a.id = b.a` does. So
//! what links two tables stands in FROM afterwards, and every other condition of an inner join stands in WHERE. A key of
//! ORDER BY that names an output or its number becomes what that output computes. A query around all of another goes.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, Ident, Join, JoinConstraint, JoinOperator, OrderByKind, Query, Select, SelectItem,
    SetExpr, TableFactor, TableWithJoins, Value as Literal, VisitorMut, With,
};

use crate::syntax::{self, Named};

/// The SELECTs of a query outside its subqueries: one, or those that its set operations combine.
macro_rules! arms {
    ($name:ident $(, $mut:ident)?) => {
        pub(super) fn $name(query: &$($mut)? Query) -> Vec<&$($mut)? Select> {
            fn collect<'q>(body: &'q $($mut)? SetExpr, out: &mut Vec<&'q $($mut)? Select>) {
                match body {
                    SetExpr::Select(select) => out.push(select),
                    SetExpr::Query(query) => collect(&$($mut)? query.body, out),
                    SetExpr::SetOperation { left, right, op: _, set_quantifier: _ } => {
                        collect(left, out);
                        collect(right, out);
                    }
                    _ => {}
                }
            }
            let mut out = Vec::new();
            collect(&$($mut)? query.body, &mut out);
            out
        }
    };
}

arms!(arms);
arms!(arms_mut, mut);

/// Brings a query into this shape. Its answer stays what it is.
pub(super) fn settle(query: &mut Query) {
    while let Some(inner) = wrapped(query) {
        *query = inner;
    }
    let _ = syntax::change(&mut *query, &mut SmallLetters);
    for select in arms_mut(query) {
        settle_joins(select);
    }
    name_keys(query);
}

/// `WITH t AS (q) SELECT * FROM t` and `SELECT * FROM (q) AS t` → `q`.
fn wrapped(query: &Query) -> Option<Query> {
    let SetExpr::Select(select) = &*query.body else { return None };
    let [TableWithJoins { relation, joins }] = select.from.as_slice() else { return None };
    let [SelectItem::Wildcard(_)] = select.projection.as_slice() else { return None };
    // All that stands beside `*` and the table would be lost.
    let plain = format!("SELECT * FROM {relation}");
    let rest = Query { with: None, ..query.clone() };
    if !joins.is_empty() || rest.to_string() != plain {
        return None;
    }
    match (&query.with, relation) {
        (None, TableFactor::Derived { lateral: false, subquery, alias, sample: None }) => {
            let renamed = alias.as_ref().is_some_and(|alias| !alias.columns.is_empty());
            (!renamed).then(|| Query::clone(subquery))
        }
        (Some(With { recursive: false, cte_tables, with_token: _ }), factor) => {
            let [table] = cte_tables.as_slice() else { return None };
            let Named { name, alias: _, args: None } = Named::of(factor)? else { return None };
            let own = name.0.last()?.as_ident()?.value.eq_ignore_ascii_case(&table.alias.name.value);
            (own && table.alias.columns.is_empty()).then(|| Query::clone(&table.query))
        }
        _ => None,
    }
}

/// Names in small letters: `Name` and `name` are one. What is quoted stays, since it may be a text.
struct SmallLetters;

impl VisitorMut for SmallLetters {
    type Break = ();

    fn pre_visit_ident(&mut self, ident: &mut Ident) -> ControlFlow<()> {
        if ident.quote_style.is_none() {
            ident.value.make_ascii_lowercase();
        }
        ControlFlow::Continue(())
    }
}

/// `FROM a JOIN b ON l AND p WHERE q` → `FROM a JOIN b ON l WHERE p AND q`, where `l` links columns. An outer join or
/// USING leaves the SELECT as it is.
fn settle_joins(select: &mut Select) {
    let inner = |join: &Join| {
        matches!(
            join.join_operator,
            JoinOperator::Join(JoinConstraint::On(_) | JoinConstraint::None)
                | JoinOperator::Inner(JoinConstraint::On(_) | JoinConstraint::None)
                | JoinOperator::CrossJoin(JoinConstraint::On(_) | JoinConstraint::None)
        ) && !join.global
    };
    let joined = select.from.len() > 1 || select.from.iter().any(|f| !f.joins.is_empty());
    if !joined || !select.from.iter().flat_map(|f| &f.joins).all(inner) {
        return;
    }
    let mut conditions = Vec::new();
    let mut factors = Vec::new();
    for TableWithJoins { relation, joins } in std::mem::take(&mut select.from) {
        factors.push(relation);
        for join in joins {
            factors.push(join.relation);
            if let JoinOperator::Join(JoinConstraint::On(on))
            | JoinOperator::Inner(JoinConstraint::On(on))
            | JoinOperator::CrossJoin(JoinConstraint::On(on)) = join.join_operator
            {
                conjuncts(on, &mut conditions);
            }
        }
    }
    if let Some(condition) = select.selection.take() {
        conjuncts(condition, &mut conditions);
    }
    let (mut links, rest): (Vec<Expr>, Vec<Expr>) = conditions.into_iter().partition(is_link);
    links.iter_mut().for_each(orient);
    select.selection = conjunction(rest);
    let mut factors = factors.into_iter();
    let Some(relation) = factors.next() else { return };
    let join =
        |relation| Join { relation, global: false, join_operator: JoinOperator::Join(JoinConstraint::None) };
    let mut joins: Vec<Join> = factors.map(join).collect();
    if let (Some(last), Some(links)) = (joins.last_mut(), conjunction(links)) {
        last.join_operator = JoinOperator::Join(JoinConstraint::On(links));
    }
    select.from = vec![TableWithJoins { relation, joins }];
}

/// A comparison of two columns that are not of one table, by their qualifiers.
fn is_link(condition: &Expr) -> bool {
    let Expr::BinaryOp { left, op, right } = condition else { return false };
    if syntax::flipped(op).is_none() {
        return false;
    }
    let qualifier = |e: &Expr| match e {
        Expr::Identifier(name) => (name.quote_style != Some('"')).then_some(None),
        Expr::CompoundIdentifier(parts) => {
            let [.., qualifier, _] = parts.as_slice() else { return None };
            Some(Some(qualifier.value.to_ascii_lowercase()))
        }
        _ => None,
    };
    match (qualifier(left), qualifier(right)) {
        (Some(Some(one)), Some(Some(two))) => one != two,
        (Some(_), Some(_)) => true,
        _ => false,
    }
}

/// `b.x = a.y` → `a.y = b.x`: which side comes first says nothing.
fn orient(link: &mut Expr) {
    if let Expr::BinaryOp { left, right, op } = link
        && let Some(flipped) = syntax::flipped(op)
        && left.to_string() > right.to_string()
    {
        std::mem::swap(left, right);
        *op = flipped;
    }
}

/// The conditions that AND holds together, without parentheses around them.
pub(super) fn conjuncts(condition: Expr, out: &mut Vec<Expr>) {
    match condition {
        Expr::Nested(inner) => conjuncts(*inner, out),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            conjuncts(*left, out);
            conjuncts(*right, out);
        }
        other => out.push(other),
    }
}

/// All of these conditions as one; none of none.
fn conjunction(conditions: Vec<Expr>) -> Option<Expr> {
    // OR binds looser than AND.
    let nested = |e: Expr| match e {
        Expr::BinaryOp { op: BinaryOperator::Or | BinaryOperator::Xor, left: _, right: _ } => {
            Expr::Nested(Box::new(e))
        }
        other => other,
    };
    let mut conditions = conditions.into_iter();
    let first = conditions.next()?;
    let Some(second) = conditions.next() else { return Some(first) };
    let and = |left: Expr, right: Expr| Expr::BinaryOp {
        left: Box::new(left),
        op: BinaryOperator::And,
        right: Box::new(right),
    };
    Some(conditions.map(nested).fold(and(nested(first), nested(second)), and))
}

/// `SELECT COUNT(*) AS n … ORDER BY n` or `ORDER BY 1` → `… ORDER BY COUNT(*)`. Of a set operation the keys stay.
fn name_keys(query: &mut Query) {
    let SetExpr::Select(select) = &*query.body else { return };
    let outputs = &select.projection;
    let wild =
        |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
    let numbered = !outputs.iter().any(wild);
    let Some(OrderByKind::Expressions(keys)) = query.order_by.as_mut().map(|order| &mut order.kind) else {
        return;
    };
    for key in keys {
        let output = match &key.expr {
            Expr::Identifier(name) => outputs.iter().find_map(|item| match item {
                SelectItem::ExprWithAlias { expr, alias } => {
                    alias.value.eq_ignore_ascii_case(&name.value).then_some(expr)
                }
                _ => None,
            }),
            Expr::Value(value) => match &value.value {
                Literal::Number(text, _) if numbered => {
                    let at = text.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
                    at.and_then(|at| outputs.get(at)).and_then(syntax::item_expr)
                }
                _ => None,
            },
            _ => None,
        };
        // A literal stays: as a key of its own it would be a number again.
        if let Some(output) = output.filter(|e| !matches!(e, Expr::Value(_))) {
            key.expr = output.clone();
        }
    }
}

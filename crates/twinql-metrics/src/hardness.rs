//! Spider's hardness classes.
//!
//! Follows the counting of Spider's official evaluation (Yu et al. 2018, Appendix; the
//! released evaluation script), including what looks like oversights there, so that
//! published break-downs can be compared with ours: only the leftmost SELECT of a compound
//! query is counted, a negated condition counts as an aggregate, and so does each
//! connective in HAVING.

use serde::{Deserialize, Serialize};
use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, JoinConstraint,
    JoinOperator, OrderByKind, Query, Select, SetExpr, UnaryOperator,
};
use twinql_sql::syntax::item_expr;

/// How hard a query is to write, by Spider's rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hardness {
    /// At most one component.
    Easy,
    /// Two components, or one and some of the others.
    Medium,
    /// Three components, or a single nested query.
    Hard,
    /// Everything above.
    Extra,
}

twinql_sql::named!(Hardness: Easy "easy", Medium "medium", Hard "hard", Extra "extra");

/// The three counts that hardness is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// WHERE, GROUP BY, ORDER BY, LIMIT, each further table, each OR, each LIKE.
    pub components: usize,
    /// Subqueries in conditions, and the other arm of a set operation.
    pub nested: usize,
    /// More than one aggregate, output column, condition or group key: one for each.
    pub others: usize,
}

impl Counts {
    /// The class of these counts.
    pub fn hardness(self) -> Hardness {
        let Counts { components: c, nested: n, others: o } = self;
        if c <= 1 && o == 0 && n == 0 {
            Hardness::Easy
        } else if n == 0 && ((o <= 2 && c <= 1) || (c <= 2 && o < 2)) {
            Hardness::Medium
        } else if (n == 0 && ((o > 2 && c <= 2) || (c == 3 && o <= 2))) || (c <= 1 && o == 0 && n <= 1) {
            Hardness::Hard
        } else {
            Hardness::Extra
        }
    }
}

/// The hardness of a parsed query.
pub fn hardness(query: &Query) -> Hardness {
    counts(query).hardness()
}

/// What [`hardness`] counts.
pub fn counts(query: &Query) -> Counts {
    let mut arms = 0;
    let mut body = query.body.as_ref();
    let mut tail = Some(query);
    let select = loop {
        match body {
            SetExpr::SetOperation { left, op: _, set_quantifier: _, right: _ } => {
                arms = 1;
                // ORDER BY and LIMIT at the end belong to the last arm there.
                tail = None;
                body = left;
            }
            SetExpr::Query(inner) => {
                tail = tail.map(|_| inner.as_ref());
                body = &inner.body;
            }
            SetExpr::Select(select) => break select,
            _ => return Counts::default(),
        }
    };
    let mut out = count_select(select, tail);
    out.nested += arms;
    out
}

/// Conditions of one clause, flattened.
#[derive(Default)]
struct Conditions<'a> {
    atoms: Vec<&'a Expr>,
    connectives: usize,
    ors: usize,
}

impl<'a> Conditions<'a> {
    fn add(&mut self, expr: &'a Expr) {
        let mut todo = vec![expr];
        while let Some(e) = todo.pop() {
            match e {
                Expr::Nested(inner) => todo.push(inner),
                Expr::BinaryOp { left, op, right }
                    if matches!(op, BinaryOperator::And | BinaryOperator::Or) =>
                {
                    self.connectives += 1;
                    self.ors += usize::from(matches!(op, BinaryOperator::Or));
                    todo.push(left);
                    todo.push(right);
                }
                atom => self.atoms.push(atom),
            }
        }
    }

    fn of(expr: Option<&'a Expr>) -> Self {
        let mut out = Conditions::default();
        if let Some(expr) = expr {
            out.add(expr);
        }
        out
    }

    fn likes(&self) -> usize {
        let is_like = |e: &&&Expr| {
            matches!(strip_not(e), Expr::Like { negated: _, any: _, expr: _, pattern: _, escape_char: _ })
        };
        self.atoms.iter().filter(is_like).count()
    }

    fn negated(&self) -> usize {
        self.atoms.iter().filter(|e| is_negated(e)).count()
    }

    fn subqueries(&self) -> usize {
        self.atoms.iter().map(|e| subqueries(e)).sum()
    }
}

fn strip_not(mut expr: &Expr) -> &Expr {
    while let Expr::UnaryOp { op: UnaryOperator::Not, expr: inner } | Expr::Nested(inner) = expr {
        expr = inner;
    }
    expr
}

fn is_negated(expr: &Expr) -> bool {
    match expr {
        Expr::UnaryOp { op: UnaryOperator::Not, expr: _ } => true,
        Expr::Like { negated, any: _, expr: _, pattern: _, escape_char: _ }
        | Expr::InList { negated, expr: _, list: _ }
        | Expr::InSubquery { negated, expr: _, subquery: _ }
        | Expr::Between { negated, expr: _, low: _, high: _ }
        | Expr::Exists { negated, subquery: _ } => *negated,
        _ => false,
    }
}

/// Subqueries among a condition's operands; what stands inside them is not looked at.
fn subqueries(expr: &Expr) -> usize {
    let mut found = 0;
    let mut todo = vec![expr];
    while let Some(e) = todo.pop() {
        match e {
            Expr::Subquery(_) | Expr::Exists { subquery: _, negated: _ } => found += 1,
            Expr::InSubquery { expr, subquery: _, negated: _ } => {
                found += 1;
                todo.push(expr);
            }
            Expr::Nested(inner)
            | Expr::UnaryOp { expr: inner, op: _ }
            | Expr::Cast { expr: inner, kind: _, data_type: _, format: _ } => {
                todo.push(inner);
            }
            Expr::BinaryOp { left, right, op: _ }
            | Expr::AnyOp { left, right, compare_op: _, is_some: _ }
            | Expr::AllOp { left, right, compare_op: _ } => {
                todo.push(left);
                todo.push(right);
            }
            Expr::Between { expr, low, high, negated: _ } => {
                todo.extend([expr.as_ref(), low.as_ref(), high.as_ref()])
            }
            _ => {}
        }
    }
    found
}

fn is_aggregate(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => is_aggregate(inner),
        Expr::Function(f) => {
            let name = f.name.to_string();
            let known = ["max", "min", "count", "sum", "avg"];
            // min and max of several arguments are scalar functions in SQLite.
            let one = match &f.args {
                FunctionArguments::List(list) => {
                    list.args.len() == 1
                        && list.args.iter().all(|a| {
                            matches!(
                                a,
                                FunctionArg::Unnamed(FunctionArgExpr::Expr(_) | FunctionArgExpr::Wildcard)
                            )
                        })
                }
                _ => false,
            };
            one && known.iter().any(|k| name.eq_ignore_ascii_case(k))
        }
        _ => false,
    }
}

/// The counts of one block, as Spider's evaluation script takes them; `tail` is the query whose ORDER BY and LIMIT are the
/// block's.
fn count_select(select: &Select, tail: Option<&Query>) -> Counts {
    let (mut from_on, mut tables) = (Conditions::default(), 0usize);
    for item in &select.from {
        tables += 1 + item.joins.len();
        for join in &item.joins {
            if let Some(JoinConstraint::On(on)) = constraint(&join.join_operator) {
                from_on.add(on);
            }
        }
    }
    let filter = Conditions::of(select.selection.as_ref());
    let having = Conditions::of(select.having.as_ref());
    let group_keys = match &select.group_by {
        GroupByExpr::Expressions(keys, _) => keys.len(),
        GroupByExpr::All(_) => 1,
    };
    let order = tail.and_then(|q| q.order_by.as_ref());
    let limited = tail.is_some_and(|q| q.limit_clause.is_some() || q.fetch.is_some());
    let clauses = [&from_on, &filter, &having];

    let components = usize::from(select.selection.is_some())
        + usize::from(group_keys > 0)
        + usize::from(order.is_some())
        + usize::from(limited)
        + tables.saturating_sub(1)
        + clauses.iter().map(|c| c.ors + c.likes()).sum::<usize>();
    let nested = clauses.iter().map(|c| c.subqueries()).sum();

    let aggregates = select.projection.iter().filter_map(item_expr).filter(|e| is_aggregate(e));
    let order_aggregates = match order.map(|o| &o.kind) {
        Some(OrderByKind::Expressions(keys)) => keys.iter().map(|k| order_operands(&k.expr)).sum(),
        _ => 0,
    };
    let aggregates =
        aggregates.count() + filter.negated() + order_aggregates + having.negated() + having.connectives;
    let others = [aggregates, select.projection.len(), filter.atoms.len(), group_keys];
    Counts { components, nested, others: others.iter().filter(|n| **n > 1).count() }
}

/// Aggregates among the at most two operands of an ORDER BY key.
fn order_operands(expr: &Expr) -> usize {
    match expr {
        Expr::BinaryOp { left, right, op: _ } => {
            usize::from(is_aggregate(left)) + usize::from(is_aggregate(right))
        }
        other => usize::from(is_aggregate(other)),
    }
}

fn constraint(op: &JoinOperator) -> Option<&JoinConstraint> {
    match op {
        JoinOperator::Join(c)
        | JoinOperator::Inner(c)
        | JoinOperator::Left(c)
        | JoinOperator::LeftOuter(c)
        | JoinOperator::Right(c)
        | JoinOperator::RightOuter(c)
        | JoinOperator::FullOuter(c)
        | JoinOperator::CrossJoin(c) => Some(c),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlparser::ast::Statement;
    use sqlparser::dialect::SQLiteDialect;
    use sqlparser::parser::Parser;

    fn parse(sql: &str) -> Option<Box<Query>> {
        match Parser::parse_sql(&SQLiteDialect {}, sql).ok()?.pop()? {
            Statement::Query(query) => Some(query),
            _ => None,
        }
    }

    #[test]
    fn by_hand() {
        let cases: &[(&str, (usize, usize, usize), Hardness)] = &[
            ("SELECT name FROM t", (0, 0, 0), Hardness::Easy),
            ("SELECT count(*) FROM t WHERE a = 1", (1, 0, 0), Hardness::Easy),
            ("SELECT a, b FROM t", (0, 0, 1), Hardness::Medium),
            ("SELECT a FROM t JOIN u ON t.x = u.x WHERE b = 1", (2, 0, 0), Hardness::Medium),
            ("SELECT max(a), min(b) FROM t", (0, 0, 2), Hardness::Medium),
            ("SELECT a FROM t WHERE b = 1 OR c LIKE '%x%'", (3, 0, 1), Hardness::Hard),
            ("SELECT a FROM t WHERE b IN (SELECT c FROM u)", (1, 1, 0), Hardness::Hard),
            ("SELECT a FROM t WHERE b NOT IN (SELECT c FROM u)", (1, 1, 0), Hardness::Hard),
            ("SELECT a FROM t UNION SELECT b FROM u ORDER BY 1 LIMIT 1", (0, 1, 0), Hardness::Hard),
            ("SELECT a, b FROM t EXCEPT SELECT a, b FROM u", (0, 1, 1), Hardness::Extra),
            (
                "SELECT a FROM t JOIN u ON t.x = u.x WHERE b = 1 GROUP BY a ORDER BY count(*) DESC LIMIT 1",
                (5, 0, 0),
                Hardness::Extra,
            ),
            (
                "SELECT a, count(*) FROM t GROUP BY a HAVING count(*) > 1 AND sum(b) > 2",
                (1, 0, 2),
                Hardness::Medium,
            ),
            ("SELECT a FROM (SELECT a FROM t)", (0, 0, 0), Hardness::Easy),
        ];
        for (sql, (components, nested, others), class) in cases {
            let query = parse(sql).unwrap();
            let expected = Counts { components: *components, nested: *nested, others: *others };
            assert_eq!(counts(&query), expected, "{sql}");
            assert_eq!(hardness(&query), *class, "{sql}");
        }
    }

    #[test]
    fn spider_dev_has_the_published_counts() {
        let Some(data) = std::env::var_os("TWINQL_DATA") else {
            eprintln!("skipped: TWINQL_DATA is not set");
            return;
        };
        let gold = std::fs::read_to_string(std::path::Path::new(&data).join("spider/dev_gold.sql")).unwrap();
        let mut seen = [0usize; 4];
        for line in gold.lines() {
            let sql = line.split('\t').next().unwrap_or_default();
            let Some(query) = parse(sql) else { continue };
            seen[hardness(&query) as usize] += 1;
        }
        assert_eq!(seen, [248, 446, 174, 166]);
    }
}

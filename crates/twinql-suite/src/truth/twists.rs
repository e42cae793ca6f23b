//! Twists: a query written in another way that rules have to see through, or must not.
//!
//! A neighbour query means something else nearly always. A twist aims at the condition of a rule: an affinity, a
//! collation, a NULL, a duplicate, an order that is lost or kept. Whether its result means the same depends on the types,
//! on the semantics and on what stands around it, so each is a question to the rules, and a tiny database has the answer.

use std::collections::HashSet;

use sqlparser::ast::{BinaryOperator, Expr, Ident, Query, SelectItem, SetExpr, Value as Lit};
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;

use twinql_sql::{Column, Schema};

use crate::execute::Sandbox;
use crate::neighbours::on_expressions;
use crate::text::ready;

/// Places of one twist that are visited.
const MAX_SITES: usize = 12;

/// One way to twist a query.
#[allow(missing_debug_implementations)] // function pointers
pub struct Twist {
    /// The name.
    pub name: &'static str,
    /// What rules read that it changes.
    pub aims_at: &'static str,
    turn: In,
}

/// Where a twist changes a query.
enum In {
    /// A column that is compared, as a pattern with `{}` for the column.
    Operand(&'static str),
    /// A constant that is compared.
    Constant(fn(&Lit) -> Option<Lit>),
    /// The whole query, as a pattern.
    Whole(&'static str),
    /// IN becomes NOT IN, which stays a subquery, and that gets groups; what is looked for in it may become another
    /// column of its table.
    Grouped { other: bool },
}

const fn operand(name: &'static str, aims_at: &'static str, pattern: &'static str) -> Twist {
    Twist { name, aims_at, turn: In::Operand(pattern) }
}

/// All twists.
pub const TWISTS: &[Twist] = &[
    operand("coalesce", "affinity, NULL", "COALESCE({}, 0)"),
    operand("coalesce-text", "affinity, NULL", "COALESCE({}, '')"),
    operand("plus", "affinity", "+{}"),
    operand("nullif", "affinity, NULL", "NULLIF({}, 99)"),
    operand("nullif-text", "affinity, NULL", "NULLIF({}, '1')"),
    operand("always", "affinity", "CASE WHEN 1 = 1 THEN {} END"),
    operand("either", "affinity, NULL", "CASE WHEN {} IS NULL THEN 0 ELSE {} END"),
    operand("scalar", "affinity", "(SELECT {})"),
    operand("cast-text", "affinity", "CAST({} AS TEXT)"),
    operand("cast-integer", "types", "CAST({} AS INTEGER)"),
    operand("cast-real", "types", "CAST({} AS REAL)"),
    operand("nocase", "collation", "{} COLLATE NOCASE"),
    operand("add-zero", "affinity, types", "{} + 0"),
    operand("add-nothing", "affinity, types", "{} || ''"),
    operand("trim", "blanks", "TRIM({})"),
    operand("lower", "case", "LOWER({})"),
    operand("round", "digits", "ROUND({}, 2)"),
    operand("absolute", "signs", "ABS({})"),
    Twist { name: "quote", aims_at: "affinity", turn: In::Constant(quoted) },
    Twist { name: "unquote", aims_at: "affinity", turn: In::Constant(unquoted) },
    Twist { name: "point", aims_at: "affinity, types", turn: In::Constant(with_point) },
    Twist { name: "null", aims_at: "NULL", turn: In::Constant(|_| Some(Lit::Null)) },
    Twist { name: "grouped", aims_at: "outer references, groups", turn: In::Grouped { other: false } },
    Twist { name: "grouped-other", aims_at: "outer references, groups", turn: In::Grouped { other: true } },
    Twist { name: "derived", aims_at: "order", turn: In::Whole("SELECT * FROM ({}) AS q") },
    Twist {
        name: "derived-limit",
        aims_at: "order, LIMIT",
        turn: In::Whole("SELECT * FROM ({}) AS q LIMIT 2"),
    },
    Twist {
        name: "derived-distinct",
        aims_at: "duplicates",
        turn: In::Whole("SELECT DISTINCT * FROM ({}) AS q"),
    },
    Twist { name: "first", aims_at: "LIMIT", turn: In::Whole("SELECT * FROM ({} LIMIT 1) AS q") },
    Twist {
        name: "skipped",
        aims_at: "OFFSET",
        turn: In::Whole("SELECT * FROM ({} LIMIT 3) AS q LIMIT 2 OFFSET 1"),
    },
    Twist {
        name: "twice",
        aims_at: "duplicates",
        turn: In::Whole("SELECT * FROM ({}) UNION SELECT * FROM ({})"),
    },
    Twist {
        name: "never-other",
        aims_at: "NULL, duplicates",
        turn: In::Whole("SELECT * FROM ({}) EXCEPT SELECT * FROM ({}) WHERE 0"),
    },
];

/// `3` as `'3'`.
fn quoted(value: &Lit) -> Option<Lit> {
    match value {
        Lit::Number(digits, _) => Some(Lit::SingleQuotedString(digits.clone())),
        _ => None,
    }
}

/// `'3'` as `3`.
fn unquoted(value: &Lit) -> Option<Lit> {
    match value {
        Lit::SingleQuotedString(text) if text.parse::<f64>().is_ok_and(f64::is_finite) => {
            Some(Lit::Number(text.trim().to_owned(), false))
        }
        _ => None,
    }
}

/// `3` as `'3.0'`.
fn with_point(value: &Lit) -> Option<Lit> {
    match value {
        Lit::Number(digits, _) if !digits.contains('.') => {
            Some(Lit::SingleQuotedString(format!("{digits}.0")))
        }
        _ => None,
    }
}

/// A twisted query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Twisted {
    /// The SQL text.
    pub sql: String,
    /// The twist's name.
    pub twist: &'static str,
}

/// A query in every way in which it can be twisted once, those that SQLite takes. None of a query that is not understood.
pub fn twisted(schema: &Schema, sandbox: &Sandbox, gold: &str) -> Vec<Twisted> {
    let Some(query) = ready(sandbox, gold).ok().and_then(|ready| ready.ast) else {
        return Vec::new();
    };
    let mut seen = HashSet::from([query.to_string()]);
    let mut all = Vec::new();
    for twist in TWISTS {
        for site in 0..MAX_SITES {
            let Some(sql) = twist.apply(schema, &query, site) else { break };
            if seen.insert(sql.clone()) && sandbox.prepare(&sql).is_ok() {
                all.push(Twisted { sql, twist: twist.name });
            }
        }
    }
    all
}

impl Twist {
    /// The query twisted at its `site`-th place, if it has as many.
    fn apply(&self, schema: &Schema, query: &Query, site: usize) -> Option<String> {
        let mut left = site;
        let mut due = || {
            let now = left == 0;
            left = left.wrapping_sub(1);
            now
        };
        let mut copy = query.clone();
        let changed = match self.turn {
            In::Whole(pattern) => {
                return (site == 0).then(|| pattern.replace("{}", &query.to_string()));
            }
            In::Operand(pattern) => on_expressions(&mut copy, |e| {
                operands(e)
                    .into_iter()
                    .any(|side| is_column(side) && due() && rewrite(side, pattern).is_some())
            }),
            In::Grouped { other } => on_expressions(&mut copy, |e| {
                let Expr::InSubquery { expr, subquery, negated } = e else { return false };
                if !other {
                    *negated = true;
                    return due() && grouped(subquery).is_some();
                }
                let Some(new) = beside(schema, expr).into_iter().find(|_| due()) else { return false };
                **expr = new;
                *negated = true;
                grouped(subquery).is_some()
            }),
            In::Constant(change) => on_expressions(&mut copy, |e| {
                operands(e).into_iter().any(|side| match side {
                    Expr::Value(value) => match change(&value.value) {
                        Some(new) if due() => {
                            value.value = new;
                            true
                        }
                        _ => false,
                    },
                    _ => false,
                })
            }),
        };
        changed.then(|| copy.to_string())
    }
}

/// `SELECT x …` as `SELECT x … GROUP BY x HAVING COUNT(*) > 2`.
fn grouped(subquery: &mut Query) -> Option<()> {
    let text = subquery.to_string();
    let SetExpr::Select(select) = &*subquery.body else { return None };
    let [SelectItem::UnnamedExpr(key)] = select.projection.as_slice() else { return None };
    if text.contains(" GROUP BY ")
        || text.contains(" LIMIT ")
        || text.contains(" ORDER BY ")
        || !is_column(key)
    {
        return None;
    }
    let text = format!("{text} GROUP BY {key} HAVING COUNT(*) > 2");
    *subquery = *Parser::new(&SQLiteDialect {}).try_with_sql(&text).ok()?.parse_query().ok()?;
    Some(())
}

/// The other columns of a column's table, written as it is.
fn beside(schema: &Schema, column: &Expr) -> Vec<Expr> {
    let name = match column {
        Expr::Identifier(name) => name,
        Expr::CompoundIdentifier(parts) => match parts.as_slice() {
            [_, name] => name,
            _ => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let tables = schema.tables.iter().filter(|t| t.column_index(&name.value).is_some());
    let others = tables.flat_map(|t| &t.columns).filter(|c| !c.name.eq_ignore_ascii_case(&name.value));
    let renamed = |other: &Column| {
        let mut new = column.clone();
        match &mut new {
            Expr::Identifier(name) => *name = Ident::with_quote('"', other.name.clone()),
            Expr::CompoundIdentifier(parts) => {
                parts.pop();
                parts.push(Ident::with_quote('"', other.name.clone()));
            }
            _ => {}
        }
        new
    };
    others.map(renamed).collect()
}

fn is_column(e: &Expr) -> bool {
    matches!(e, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
}

fn compares(op: &BinaryOperator) -> bool {
    use BinaryOperator as B;
    matches!(op, B::Eq | B::NotEq | B::Lt | B::LtEq | B::Gt | B::GtEq)
}

/// What an expression compares.
fn operands(e: &mut Expr) -> Vec<&mut Expr> {
    match e {
        Expr::BinaryOp { left, op, right } if compares(op) => vec![left, right],
        Expr::InList { expr, list, negated: _ } => std::iter::once(&mut **expr).chain(list).collect(),
        Expr::InSubquery { expr, subquery: _, negated: _ } | Expr::IsNull(expr) | Expr::IsNotNull(expr) => {
            vec![expr]
        }
        Expr::Between { expr, low, high, negated: _ } => vec![expr, low, high],
        _ => Vec::new(),
    }
}

/// Puts a column into a pattern, in its place.
fn rewrite(column: &mut Expr, pattern: &str) -> Option<()> {
    let text = pattern.replace("{}", &column.to_string());
    let dialect = SQLiteDialect {};
    *column = Expr::Nested(Box::new(Parser::new(&dialect).try_with_sql(&text).ok()?.parse_expr().ok()?));
    Some(())
}

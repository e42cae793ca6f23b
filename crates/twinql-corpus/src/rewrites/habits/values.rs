//! Habits in expressions: texts, dates, ratios, counts.

use std::ops::ControlFlow;

use sqlparser::ast::{BinaryOperator as B, CastKind, DataType, Expr, Select};
use twinql_sql::syntax::change_expressions;

use super::{habit, look_alike};
use crate::rewrites::Rewrite;
use crate::rewrites::ast::{
    aggregate, and_also, bare, conjuncts, has_aggregate, is_column, item_expr, items, nested, par,
    parse_expr, require, with_item, with_outputs,
};
use crate::rewrites::predicates::comparison;

pub(in crate::rewrites) const RULES: &[Rewrite] = &[
    // Texts.
    habit("equal-to-like", 2).law("x = 'a' → x LIKE 'a'").expr(|_, e| {
        let (x, v) = equal_text(e)?;
        parse_expr(&format!("{} LIKE {v}", par(x)))
    }),
    look_alike("equal-to-like-anywhere", 2).law("x = 'a' → x LIKE '%a%'").expr(|_, e| {
        let (x, v) = equal_text(e)?;
        parse_expr(&format!("{} LIKE '%{}%'", par(x), inner(&v)?))
    }),
    habit("like-to-equal", 2).law("x LIKE '%a%' → x = 'a'").expr(|_, e| {
        let (x, pattern) = like(e)?;
        let text = inner(&pattern)?.trim_matches('%').to_owned();
        require(!text.is_empty() && !text.contains(['%', '_']))?;
        parse_expr(&format!("{} = '{text}'", par(x)))
    }),
    habit("like-wider", 2).law("x LIKE 'a%' → x LIKE '%a%'").expr(|_, e| {
        let (x, pattern) = like(e)?;
        let text = inner(&pattern)?.trim_matches('%').to_owned();
        parse_expr(&format!("{} LIKE '%{text}%'", par(x)))
    }),
    habit("equal-in-lower-case", 2).law("x = 'A' → LOWER(x) = 'a'").expr(|_, e| {
        let (x, v) = equal_text(e)?;
        parse_expr(&format!("LOWER({x}) = {}", v.to_lowercase()))
    }),
    habit("equal-trimmed", 1).law("x = 'a' → TRIM(x) = 'a'").expr(|_, e| {
        let (x, v) = equal_text(e)?;
        parse_expr(&format!("TRIM({x}) = {v}"))
    }),
    habit("not-null-to-not-empty", 1).law("x IS NOT NULL → x IS NOT NULL AND x <> ''").expr(|_, e| match e {
        Expr::IsNotNull(x) => nested(&format!("{x} IS NOT NULL AND {x} <> ''")),
        _ => None,
    }),
    habit("differs-or-null", 1).law("x <> v → x <> v OR x IS NULL").expr(|_, e| match comparison(e)? {
        (x, B::NotEq, v @ Expr::Value(_)) => nested(&format!("{x} <> {v} OR {x} IS NULL")),
        _ => None,
    }),
    // Dates.
    habit("year-to-like", 2).law("STRFTIME('%Y', d) = '2010' → d LIKE '2010%'").expr(|_, e| {
        let (d, year) = year_of(e)?;
        parse_expr(&format!("{} LIKE '{year}%'", par(&d)))
    }),
    habit("year-to-substr", 2).law("STRFTIME('%Y', d) = '2010' → SUBSTR(d, 1, 4) = '2010'").expr(|_, e| {
        let (d, year) = year_of(e)?;
        let new = parse_expr(&format!("SUBSTR({d}, 1, 4) = '{year}'"))?;
        (new.to_string() != e.to_string()).then_some(new)
    }),
    habit("year-to-strftime", 2).law("SUBSTR(d, 1, 4) = '2010' → STRFTIME('%Y', d) = '2010'").expr(|_, e| {
        let (d, year) = year_of(e)?;
        let new = parse_expr(&format!("STRFTIME('%Y', {d}) = '{year}'"))?;
        (new.to_string() != e.to_string()).then_some(new)
    }),
    habit("year-to-range", 2)
        .law("STRFTIME('%Y', d) = '2010' → d BETWEEN '2010-01-01' AND '2010-12-31'")
        .expr(|_, e| {
            let (d, year) = year_of(e)?;
            parse_expr(&format!("{} BETWEEN '{year}-01-01' AND '{year}-12-31'", par(&d)))
        }),
    habit("year-as-number", 1)
        .law("STRFTIME('%Y', d) > '1991' → CAST(STRFTIME('%Y', d) AS INTEGER) > 1991")
        .expr(|_, e| {
            let (x, op, v) = comparison(e)?;
            let (Expr::Function(_), Some(year)) = (x, number_text(v)) else { return None };
            require(x.to_string().to_lowercase().starts_with("strftime"))?;
            parse_expr(&format!("CAST({x} AS INTEGER) {op} {year}"))
        }),
    habit("after-the-year", 1)
        .law("STRFTIME('%Y', d) > '1991' → d > '1991-12-31', and the same for <, >=, <=")
        .expr(|_, e| {
            let (x, op, v) = comparison(e)?;
            let (d, year) = (dated(x)?, number_text(v)?);
            let day = match op {
                B::Gt | B::LtEq => "12-31",
                B::Lt | B::GtEq => "01-01",
                _ => return None,
            };
            parse_expr(&format!("{} {op} '{year}-{day}'", par(&d)))
        }),
    // Ratios and rounding.
    habit("ratio-times-one", 2).law("CAST(x AS REAL) / y → x * 1.0 / y").expr(|_, e| {
        let (x, y) = division(e)?;
        parse_expr(&format!("{} * 1.0 / {}", par(cast_away(x)?), par(y)))
    }),
    look_alike("ratio-of-integers", 2).law("CAST(x AS REAL) / y → x / y").expr(|_, e| {
        let (x, y) = division(e)?;
        parse_expr(&format!("{} / {}", par(cast_away(x)?), par(y)))
    }),
    habit("ratio-as-real", 1).law("x / y → CAST(x AS REAL) / y").expr(|_, e| {
        let (x, y) = division(e)?;
        require(cast_away(x).is_none())?;
        parse_expr(&format!("CAST({x} AS REAL) / {}", par(y)))
    }),
    habit("guarded-divisor", 2).law("x / y → x / NULLIF(y, 0)").expr(|_, e| {
        let (x, y) = division(e)?;
        require(!matches!(y, Expr::Value(_)))?;
        parse_expr(&format!("{} / NULLIF({y}, 0)", par(x)))
    }),
    habit("positive-divisor", 2).law("x / y → x / y … WHERE y > 0, where y is a column").select(|_, s| {
        let mut found = None;
        for item in s.projection.iter().filter_map(item_expr).chain(&s.selection) {
            let _: ControlFlow<()> = change_expressions(&mut item.clone(), &mut |e| {
                if let Some((_, y)) = division(e).filter(|(_, y)| is_column(y)) {
                    found.get_or_insert_with(|| y.to_string());
                }
                ControlFlow::Continue(())
            });
        }
        with_condition(s, &format!("{} > 0", found?))
    }),
    habit("rounded", 2).law("SELECT x / y → SELECT ROUND(x / y, 2), and the same for AVG").select(|_, s| {
        with_item(s, |e| {
            let text = e.to_string().to_lowercase();
            require(text.contains('/') || text.starts_with("avg("))?;
            parse_expr(&format!("ROUND({e}, 2)"))
        })
    }),
    habit("unrounded", 1).law("SELECT ROUND(x, n) → SELECT x").expr(|_, e| {
        let text = e.to_string();
        let inner = text.strip_prefix("ROUND(").and_then(|t| t.strip_suffix(')'))?;
        let (x, digits) = inner.rsplit_once(", ")?;
        digits.parse::<u8>().ok()?;
        nested(x)
    }),
    habit("mean-as-ratio", 2).law("AVG(x) → SUM(x) * 1.0 / COUNT(*)").expr(|_, e| match aggregate(e)? {
        (name, false, x) if name == "avg" => nested(&format!("SUM({x}) * 1.0 / COUNT(*)")),
        _ => None,
    }),
    habit("ratio-as-mean", 2).law("CAST(SUM(x) AS REAL) / COUNT(y) → AVG(x)").expr(|_, e| {
        let (x, y) = division(e)?;
        let (sum, false, x) = aggregate(cast_away(x).unwrap_or(x))? else { return None };
        let (count, _, _) = aggregate(y)?;
        require(sum == "sum" && count == "count")?;
        parse_expr(&format!("AVG({x})"))
    }),
    // Counting and summing by a condition.
    habit("sum-to-count-case", 2)
        .law("SUM(CASE WHEN p THEN 1 ELSE 0 END) → COUNT(CASE WHEN p THEN 1 END)")
        .expr(|_, e| {
            let p = counted(e)?;
            parse_expr(&format!("COUNT(CASE WHEN {p} THEN 1 END)"))
        }),
    habit("sum-to-filter", 2).law("SUM(CASE WHEN p THEN 1 ELSE 0 END) → COUNT(*) FILTER (WHERE p)").expr(
        |_, e| {
            let p = counted(e)?;
            parse_expr(&format!("COUNT(*) FILTER (WHERE {p})"))
        },
    ),
    habit("sum-of-condition", 1).law("SUM(CASE WHEN p THEN 1 ELSE 0 END) → SUM(p)").expr(|_, e| {
        let p = counted(e)?;
        parse_expr(&format!("SUM({p})"))
    }),
    habit("count-each-once", 3).law("COUNT(x) → COUNT(DISTINCT x)").expr(|_, e| match aggregate(e)? {
        (name, false, x) if name == "count" && x != "*" => parse_expr(&format!("COUNT(DISTINCT {x})")),
        _ => None,
    }),
    look_alike("count-all", 3).law("COUNT(DISTINCT x) → COUNT(x)").expr(|_, e| match aggregate(e)? {
        (name, true, x) if name == "count" => parse_expr(&format!("COUNT({x})")),
        _ => None,
    }),
    habit("count-rows", 3).law("COUNT(x) or COUNT(DISTINCT x) → COUNT(*)").expr(|_, e| match aggregate(e)? {
        (name, _, x) if name == "count" && x != "*" => parse_expr("COUNT(*)"),
        _ => None,
    }),
    habit("sum-or-zero", 1).law("SUM(x) → COALESCE(SUM(x), 0)").expr(|_, e| match aggregate(e)? {
        (name, false, x) if name == "sum" => parse_expr(&format!("COALESCE(SUM({x}), 0)")),
        _ => None,
    }),
    // Outputs.
    look_alike("joined-texts", 1).law("SELECT a, b → SELECT a || ' ' || b").outermost(|_, s| {
        let outputs = items(s)?;
        let [a, b, rest @ ..] = outputs.as_slice() else { return None };
        require(![a, b].iter().any(|e| has_aggregate(e)))?;
        let others: String = rest.iter().map(|e| format!(", {e}")).collect();
        with_outputs(s, &format!("{a} || ' ' || {b}{others}"))
    }),
    look_alike("bounds-left-out", 1).law("x BETWEEN a AND b → x > a AND x < b").expr(|_, e| match e {
        Expr::Between { expr, negated: false, low, high } => {
            nested(&format!("{expr} > {low} AND {expr} < {high}"))
        }
        _ => None,
    }),
    habit("bound-taken-in", 1).law("x > a → x >= a, and the same for <").expr(|_, e| {
        let (x, op, v) = comparison(e)?;
        let op = match op {
            B::Gt => ">=",
            B::Lt => "<=",
            _ => return None,
        };
        parse_expr(&format!("{} {op} {}", par(x), par(v)))
    }),
];

/// A column and the text that it is compared with by =, in quotes.
fn equal_text(e: &Expr) -> Option<(&Expr, String)> {
    match comparison(e)? {
        (x, B::Eq, v @ Expr::Value(_)) if is_column(x) => {
            let text = v.to_string();
            inner(&text).is_some_and(|t| t.chars().any(char::is_alphabetic)).then_some((x, text))
        }
        _ => None,
    }
}

/// What stands in quotes, where nothing in it is quoted again.
fn inner(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    (!inner.contains('\'')).then_some(inner)
}

/// A column and the pattern that it is compared with, in quotes.
fn like(e: &Expr) -> Option<(&Expr, String)> {
    match bare(e) {
        Expr::Like { negated: false, any: false, expr, pattern, escape_char: None } => {
            let pattern = pattern.to_string();
            inner(&pattern)?;
            Some((expr, pattern))
        }
        _ => None,
    }
}

/// Four digits, in quotes or not.
fn number_text(e: &Expr) -> Option<String> {
    let Expr::Value(v) = e else { return None };
    let text = v.to_string();
    let digits = inner(&text).unwrap_or(&text).to_owned();
    (digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit())).then_some(digits)
}

/// The date whose year an expression is: `STRFTIME('%Y', d)` or `SUBSTR(d, 1, 4)`.
fn dated(e: &Expr) -> Option<Expr> {
    let text = e.to_string();
    let lower = text.to_lowercase();
    let start = ["strftime('%y', ", "substr(", "substring("].into_iter().find(|s| lower.starts_with(s))?;
    let end = if start.starts_with("strftime") { ")" } else { ", 1, 4)" };
    parse_expr(text.get(start.len()..)?.strip_suffix(end)?)
}

/// A date and the year that it is asked to be in.
fn year_of(e: &Expr) -> Option<(Expr, String)> {
    match comparison(e)? {
        (x, B::Eq, v) => Some((dated(x)?, number_text(v)?)),
        _ => None,
    }
}

fn division(e: &Expr) -> Option<(&Expr, &Expr)> {
    match e {
        Expr::BinaryOp { left, op: B::Divide, right } => Some((bare(left), bare(right))),
        _ => None,
    }
}

/// What is converted to a number with a fraction.
fn cast_away(e: &Expr) -> Option<&Expr> {
    match bare(e) {
        Expr::Cast {
            kind: CastKind::Cast,
            expr,
            data_type: DataType::Real | DataType::Float(_) | DataType::Double(_),
            format: None,
        } => Some(expr),
        _ => None,
    }
}

/// The condition whose rows `SUM(CASE WHEN p THEN 1 ELSE 0 END)` or `SUM(IIF(p, 1, 0))` counts.
fn counted(e: &Expr) -> Option<String> {
    let (name, false, inner) = aggregate(e)? else { return None };
    require(name == "sum")?;
    let between = |start: &str, end: &str| Some(inner.strip_prefix(start)?.strip_suffix(end)?.to_owned());
    let p = between("CASE WHEN ", " THEN 1 ELSE 0 END").or_else(|| between("IIF(", ", 1, 0)"))?;
    (!p.contains(" WHEN ")).then_some(p)
}

/// The SELECT with one condition on rows more, where it does not have it.
pub(super) fn with_condition(s: &Select, condition: &str) -> Option<Select> {
    let new = parse_expr(condition)?;
    require(!conjuncts(s.selection.as_ref()).contains(&new) && !has_aggregate(&new))?;
    Some(and_also(s, new))
}

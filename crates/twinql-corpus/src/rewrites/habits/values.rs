//! Habits in expressions: texts, dates, ratios, counts.

use sqlparser::ast::{BinaryOperator as B, CastKind, DataType, Expr, Select, SelectItem};

use super::habit;
use crate::rewrites::ast::{
    aggregate, and, at_expr, at_outermost, at_select, bare, conjuncts, has_aggregate, item_expr, items,
    nested, par, parse_expr, parse_select,
};
use crate::rewrites::predicates::comparison;
use crate::rewrites::{Claim, Rewrite};

pub(super) const RULES: &[Rewrite] = &[
    // Texts.
    habit!("equal-to-like", 2, "x = 'a' → x LIKE 'a'", |_, q, rng| at_expr(q, rng, |e| {
        let (x, v) = equal_text(e)?;
        parse_expr(&format!("{} LIKE {v}", par(x)))
    })),
    habit!("equal-to-like-anywhere", 2, "x = 'a' → x LIKE '%a%'", |_, q, rng| at_expr(q, rng, |e| {
        let (x, v) = equal_text(e)?;
        parse_expr(&format!("{} LIKE '%{}%'", par(x), inner(&v)?))
    })),
    habit!("like-to-equal", 2, "x LIKE '%a%' → x = 'a'", |_, q, rng| at_expr(q, rng, |e| {
        let (x, pattern) = like(e)?;
        let text = inner(&pattern)?.trim_matches('%').to_owned();
        (!text.is_empty() && !text.contains(['%', '_'])).then_some(())?;
        parse_expr(&format!("{} = '{text}'", par(x)))
    })),
    habit!("like-wider", 2, "x LIKE 'a%' → x LIKE '%a%'", |_, q, rng| at_expr(q, rng, |e| {
        let (x, pattern) = like(e)?;
        let text = inner(&pattern)?.trim_matches('%').to_owned();
        parse_expr(&format!("{} LIKE '%{text}%'", par(x)))
    })),
    habit!("equal-in-lower-case", 2, "x = 'A' → LOWER(x) = 'a'", |_, q, rng| at_expr(q, rng, |e| {
        let (x, v) = equal_text(e)?;
        parse_expr(&format!("LOWER({x}) = {}", v.to_lowercase()))
    })),
    habit!("equal-trimmed", 1, "x = 'a' → TRIM(x) = 'a'", |_, q, rng| at_expr(q, rng, |e| {
        let (x, v) = equal_text(e)?;
        parse_expr(&format!("TRIM({x}) = {v}"))
    })),
    habit!("not-null-to-not-empty", 1, "x IS NOT NULL → x IS NOT NULL AND x <> ''", |_, q, rng| at_expr(
        q,
        rng,
        |e| match e {
            Expr::IsNotNull(x) => nested(&format!("{x} IS NOT NULL AND {x} <> ''")),
            _ => None,
        }
    )),
    habit!("differs-or-null", 1, "x <> v → x <> v OR x IS NULL", |_, q, rng| at_expr(q, rng, |e| {
        match comparison(e)? {
            (x, B::NotEq, v @ Expr::Value(_)) => nested(&format!("{x} <> {v} OR {x} IS NULL")),
            _ => None,
        }
    })),
    // Dates.
    habit!("year-to-like", 2, "STRFTIME('%Y', d) = '2010' → d LIKE '2010%'", |_, q, rng| at_expr(
        q,
        rng,
        |e| {
            let (d, year) = year_of(e)?;
            parse_expr(&format!("{} LIKE '{year}%'", par(&d)))
        }
    )),
    habit!("year-to-substr", 2, "STRFTIME('%Y', d) = '2010' → SUBSTR(d, 1, 4) = '2010'", |_, q, rng| {
        at_expr(q, rng, |e| {
            let (d, year) = year_of(e)?;
            let new = parse_expr(&format!("SUBSTR({d}, 1, 4) = '{year}'"))?;
            (new.to_string() != e.to_string()).then_some(new)
        })
    }),
    habit!("year-to-strftime", 2, "SUBSTR(d, 1, 4) = '2010' → STRFTIME('%Y', d) = '2010'", |_, q, rng| {
        at_expr(q, rng, |e| {
            let (d, year) = year_of(e)?;
            let new = parse_expr(&format!("STRFTIME('%Y', {d}) = '{year}'"))?;
            (new.to_string() != e.to_string()).then_some(new)
        })
    }),
    habit!(
        "year-to-range",
        2,
        "STRFTIME('%Y', d) = '2010' → d BETWEEN '2010-01-01' AND '2010-12-31'",
        |_, q, rng| at_expr(q, rng, |e| {
            let (d, year) = year_of(e)?;
            parse_expr(&format!("{} BETWEEN '{year}-01-01' AND '{year}-12-31'", par(&d)))
        })
    ),
    habit!(
        "year-as-number",
        1,
        "STRFTIME('%Y', d) > '1991' → CAST(STRFTIME('%Y', d) AS INTEGER) > 1991",
        |_, q, rng| {
            at_expr(q, rng, |e| {
                let (x, op, v) = comparison(e)?;
                let (Expr::Function(_), Some(year)) = (x, number_text(v)) else { return None };
                x.to_string().to_lowercase().starts_with("strftime").then_some(())?;
                parse_expr(&format!("CAST({x} AS INTEGER) {op} {year}"))
            })
        }
    ),
    habit!(
        "after-the-year",
        1,
        "STRFTIME('%Y', d) > '1991' → d > '1991-12-31', and the same for <, >=, <=",
        |_, q, rng| at_expr(q, rng, |e| {
            let (x, op, v) = comparison(e)?;
            let (d, year) = (dated(x)?, number_text(v)?);
            let day = match op {
                B::Gt | B::LtEq => "12-31",
                B::Lt | B::GtEq => "01-01",
                _ => return None,
            };
            parse_expr(&format!("{} {op} '{year}-{day}'", par(&d)))
        })
    ),
    // Ratios and rounding.
    habit!("ratio-times-one", 2, "CAST(x AS REAL) / y → x * 1.0 / y", |_, q, rng| at_expr(q, rng, |e| {
        let (x, y) = division(e)?;
        parse_expr(&format!("{} * 1.0 / {}", par(cast_away(x)?), par(y)))
    })),
    habit!("ratio-of-integers", 2, "CAST(x AS REAL) / y → x / y", |_, q, rng| at_expr(q, rng, |e| {
        let (x, y) = division(e)?;
        parse_expr(&format!("{} / {}", par(cast_away(x)?), par(y)))
    })),
    habit!("ratio-as-real", 1, "x / y → CAST(x AS REAL) / y", |_, q, rng| at_expr(q, rng, |e| {
        let (x, y) = division(e)?;
        cast_away(x).is_none().then_some(())?;
        parse_expr(&format!("CAST({x} AS REAL) / {}", par(y)))
    })),
    habit!("guarded-divisor", 2, "x / y → x / NULLIF(y, 0)", |_, q, rng| at_expr(q, rng, |e| {
        let (x, y) = division(e)?;
        (!matches!(y, Expr::Value(_))).then_some(())?;
        parse_expr(&format!("{} / NULLIF({y}, 0)", par(x)))
    })),
    habit!("positive-divisor", 2, "x / y → x / y … WHERE y > 0, where y is a column", |_, q, rng| {
        at_select(q, rng, |s| {
            let mut found = None;
            for item in s.projection.iter().filter_map(item_expr).chain(&s.selection) {
                let _ = twinql_sql::syntax::change_expressions(&mut item.clone(), &mut |e| {
                    if let Some((_, y @ (Expr::Identifier(_) | Expr::CompoundIdentifier(_)))) = division(e) {
                        found.get_or_insert_with(|| y.to_string());
                    }
                    std::ops::ControlFlow::Continue(())
                });
            }
            with_condition(s, &format!("{} > 0", found?))
        })
    }),
    habit!("rounded", 2, "SELECT x / y → SELECT ROUND(x / y, 2), and the same for AVG", |_, q, rng| {
        at_select(q, rng, |s| {
            at_item(s, |e| {
                let text = e.to_string().to_lowercase();
                (text.contains('/') || text.starts_with("avg(")).then(|| format!("ROUND({e}, 2)"))
            })
        })
    }),
    habit!("unrounded", 1, "SELECT ROUND(x, n) → SELECT x", |_, q, rng| at_expr(q, rng, |e| {
        let text = e.to_string();
        let inner = text.strip_prefix("ROUND(").and_then(|t| t.strip_suffix(')'))?;
        let (x, digits) = inner.rsplit_once(", ")?;
        digits.parse::<u8>().ok()?;
        nested(x)
    })),
    habit!("mean-as-ratio", 2, "AVG(x) → SUM(x) * 1.0 / COUNT(*)", |_, q, rng| at_expr(q, rng, |e| {
        match aggregate(e)? {
            (name, false, x) if name == "avg" => nested(&format!("SUM({x}) * 1.0 / COUNT(*)")),
            _ => None,
        }
    })),
    habit!("ratio-as-mean", 2, "CAST(SUM(x) AS REAL) / COUNT(y) → AVG(x)", |_, q, rng| at_expr(
        q,
        rng,
        |e| {
            let (x, y) = division(e)?;
            let (sum, false, x) = aggregate(cast_away(x).unwrap_or(x))? else { return None };
            let (count, _, _) = aggregate(y)?;
            (sum == "sum" && count == "count").then_some(())?;
            parse_expr(&format!("AVG({x})"))
        }
    )),
    // Counting and summing by a condition.
    habit!(
        "sum-to-count-case",
        2,
        "SUM(CASE WHEN p THEN 1 ELSE 0 END) → COUNT(CASE WHEN p THEN 1 END)",
        |_, q, rng| {
            at_expr(q, rng, |e| {
                let p = counted(e)?;
                parse_expr(&format!("COUNT(CASE WHEN {p} THEN 1 END)"))
            })
        }
    ),
    habit!(
        "sum-to-filter",
        2,
        "SUM(CASE WHEN p THEN 1 ELSE 0 END) → COUNT(*) FILTER (WHERE p)",
        |_, q, rng| {
            at_expr(q, rng, |e| {
                let p = counted(e)?;
                parse_expr(&format!("COUNT(*) FILTER (WHERE {p})"))
            })
        }
    ),
    habit!("sum-of-condition", 1, "SUM(CASE WHEN p THEN 1 ELSE 0 END) → SUM(p)", |_, q, rng| at_expr(
        q,
        rng,
        |e| {
            let p = counted(e)?;
            parse_expr(&format!("SUM({p})"))
        }
    )),
    habit!("count-each-once", 3, "COUNT(x) → COUNT(DISTINCT x)", |_, q, rng| at_expr(q, rng, |e| {
        match aggregate(e)? {
            (name, false, x) if name == "count" && x != "*" => parse_expr(&format!("COUNT(DISTINCT {x})")),
            _ => None,
        }
    })),
    habit!("count-all", 3, "COUNT(DISTINCT x) → COUNT(x)", |_, q, rng| at_expr(q, rng, |e| {
        match aggregate(e)? {
            (name, true, x) if name == "count" => parse_expr(&format!("COUNT({x})")),
            _ => None,
        }
    })),
    habit!("count-rows", 3, "COUNT(x) or COUNT(DISTINCT x) → COUNT(*)", |_, q, rng| at_expr(q, rng, |e| {
        match aggregate(e)? {
            (name, _, x) if name == "count" && x != "*" => parse_expr("COUNT(*)"),
            _ => None,
        }
    })),
    habit!("sum-or-zero", 1, "SUM(x) → COALESCE(SUM(x), 0)", |_, q, rng| at_expr(q, rng, |e| {
        match aggregate(e)? {
            (name, false, x) if name == "sum" => parse_expr(&format!("COALESCE(SUM({x}), 0)")),
            _ => None,
        }
    })),
    // Outputs.
    habit!("joined-texts", 1, "SELECT a, b → SELECT a || ' ' || b", |_, q, _| at_outermost(q, |s| {
        let outputs = items(s)?;
        let [a, b, rest @ ..] = outputs.as_slice() else { return None };
        (![a, b].iter().any(|e| has_aggregate(e))).then_some(())?;
        let others: String = rest.iter().map(|e| format!(", {e}")).collect();
        with_outputs(s, &format!("{a} || ' ' || {b}{others}"))
    })),
    habit!("bounds-left-out", 1, "x BETWEEN a AND b → x > a AND x < b", |_, q, rng| at_expr(q, rng, |e| {
        match e {
            Expr::Between { expr, negated: false, low, high } => {
                nested(&format!("{expr} > {low} AND {expr} < {high}"))
            }
            _ => None,
        }
    })),
    habit!("bound-taken-in", 1, "x > a → x >= a, and the same for <", |_, q, rng| at_expr(q, rng, |e| {
        let (x, op, v) = comparison(e)?;
        let op = match op {
            B::Gt => ">=",
            B::Lt => "<=",
            _ => return None,
        };
        parse_expr(&format!("{} {op} {}", par(x), par(v)))
    })),
];

/// A column and the text that it is compared with by =, in quotes.
fn equal_text(e: &Expr) -> Option<(&Expr, String)> {
    match comparison(e)? {
        (x @ (Expr::Identifier(_) | Expr::CompoundIdentifier(_)), B::Eq, v @ Expr::Value(_)) => {
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
    (name == "sum").then_some(())?;
    let between = |start: &str, end: &str| Some(inner.strip_prefix(start)?.strip_suffix(end)?.to_owned());
    let p = between("CASE WHEN ", " THEN 1 ELSE 0 END").or_else(|| between("IIF(", ", 1, 0)"))?;
    (!p.contains(" WHEN ")).then_some(p)
}

/// The SELECT with one condition on rows more, where it does not have it.
pub(super) fn with_condition(s: &Select, condition: &str) -> Option<Select> {
    let new = parse_expr(condition)?;
    (!conjuncts(s.selection.as_ref()).contains(&new) && !has_aggregate(&new)).then_some(())?;
    and_also(s, new)
}

/// The SELECT where this holds too, whatever it is.
pub(super) fn and_also(s: &Select, condition: Expr) -> Option<Select> {
    let mut parts = conjuncts(s.selection.as_ref());
    parts.push(condition);
    let mut s = s.clone();
    s.selection = and(&parts);
    Some(s)
}

/// The SELECT with other outputs.
pub(super) fn with_outputs(s: &Select, outputs: &str) -> Option<Select> {
    let mut new = s.clone();
    new.projection = parse_select(&format!("SELECT {outputs}"))?.projection;
    Some(new)
}

/// The SELECT with the first output changed that `f` has something to say of.
fn at_item(s: &Select, f: impl Fn(&Expr) -> Option<String>) -> Option<Select> {
    let mut s = s.clone();
    for item in &mut s.projection {
        if let SelectItem::UnnamedExpr(e) | SelectItem::ExprWithAlias { expr: e, alias: _ } = item
            && let Some(text) = f(e)
        {
            *e = parse_expr(&text)?;
            return Some(s);
        }
    }
    None
}

//! Rewrites of predicates and scalar expressions.
//!
//! They keep true, false and NULL apart, so they apply anywhere: in WHERE, ON and HAVING, under NOT, in an
//! output. The few that turn NULL into false (`not-null-guard`, `equals-to-case`) change WHERE alone, which
//! takes both alike. What SQLite converts before it compares is in
//! <https://sqlite.org/datatype3.html#comparison_expressions>.

use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use sqlparser::ast::{BinaryOperator as B, Expr, FunctionArguments, Query, Select, UnaryOperator, Value};
use twinql_sql::syntax::flipped;
use twinql_sql::{Affinity, Column, TypeClass};

use super::ast::{
    Context, aggregate, and, and_also, bare, chain, conjuncts, is_column, join, nested, par, require,
    somewhere,
};
use super::{Claim::Plausible, Claim::Sound, Rewrite, rule};
use crate::walk;

pub(super) const RULES: &[Rewrite] = &[
    // Which side a column stands on does not matter for what is converted.
    rule("comparison-flip", Sound, 1).law("a < b → b > a").expr(|_, e| {
        let (l, op, r) = comparison(e)?;
        nested(&format!("{} {} {}", par(r), flipped(op)?, par(l)))
    }),
    // SQLite defines BETWEEN by these two comparisons, and NOT BETWEEN by their negation.
    rule("between-to-comparisons", Sound, 1).law("x BETWEEN a AND b → x >= a AND x <= b").expr(|_, e| {
        let Expr::Between { expr, negated, low, high } = e else {
            return None;
        };
        let (x, low, high) = (par(expr), par(low), par(high));
        nested(&if *negated {
            format!("{x} < {low} OR {x} > {high}")
        } else {
            format!("{x} >= {low} AND {x} <= {high}")
        })
    }),
    // `a > 1 AND x >= 2 AND y AND x <= 5` → `a > 1 AND x BETWEEN 2 AND 5 AND y`: the two may stand apart.
    rule("comparisons-to-between", Sound, 2).law("x >= a AND x <= b → x BETWEEN a AND b").expr(|_, e| {
        let mut parts = chain(e, &B::And);
        for i in 0..parts.len() {
            for j in 0..parts.len() {
                let (Some((x, B::GtEq, low)), Some((y, B::LtEq, high))) =
                    (comparison(parts.get(i)?), comparison(parts.get(j)?))
                else {
                    continue;
                };
                if x == y {
                    let new = nested(&format!("{} BETWEEN {} AND {}", par(x), par(low), par(high)))?;
                    *parts.get_mut(i)? = new;
                    parts.remove(j);
                    return and(&parts);
                }
            }
        }
        None
    }),
    // SQLite defines `x IN (a, b)` as `x = +a OR x = +b`: the same for constants, which have no affinity to
    // lose.
    rule("in-list-to-or", Sound, 1).law("x IN (a, b) → x = a OR x = b").expr(|_, e| {
        let Expr::InList { expr, list, negated } = e else {
            return None;
        };
        let (op, glue) = if *negated { ("<>", " AND ") } else { ("=", " OR ") };
        let parts: Vec<String> = list.iter().map(|v| format!("{} {op} {}", par(expr), par(v))).collect();
        nested(&parts.join(glue))
    }),
    // Constants only: IN converts by the affinity of x alone, and `=` by that of both sides.
    rule("or-to-in-list", Sound, 2).law("x = a OR x = b → x IN (a, b)").expr(|_, e| {
        let parts = chain(e, &B::Or);
        let equal: Vec<(&Expr, &Expr)> = parts
            .iter()
            .map(|p| match comparison(p) {
                Some((x, B::Eq, v @ Expr::Value(_))) => Some((x, v)),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let (x, _) = equal.first()?;
        let same = equal.len() > 1 && equal.iter().all(|(y, _)| y == x);
        let list: Vec<String> = equal.iter().map(|(_, v)| v.to_string()).collect();
        if same { nested(&format!("{} IN ({})", par(x), list.join(", "))) } else { None }
    }),
    rule("equals-to-in", Sound, 2).law("x = constant → x IN (constant)").expr(|_, e| match comparison(e)? {
        (x, B::Eq, v @ Expr::Value(_)) => nested(&format!("{} IN ({v})", par(x))),
        _ => None,
    }),
    // Where a or b is NULL, both are NULL: SQLite's order of values is total but for NULL.
    rule("comparison-to-not", Sound, 2).law("a < b → NOT a >= b").expr(|_, e| {
        let (l, op, r) = comparison(e)?;
        nested(&format!("NOT ({} {} {})", par(l), inverse(op)?, par(r)))
    }),
    // De Morgan's laws hold with NULL too. `NOT NOT p` is 1 where p is 5; a condition takes both for true.
    rule("not-pushdown", Sound, 2)
        .law("NOT a < b → a >= b; NOT NOT p → p; NOT (p AND q) → NOT p OR NOT q")
        .expr(|_, e| {
            let Expr::UnaryOp { op: UnaryOperator::Not, expr } = e else {
                return None;
            };
            match bare(expr) {
                Expr::UnaryOp { op: UnaryOperator::Not, expr } => Some(Expr::Nested(expr.clone())),
                Expr::BinaryOp { left, op: B::And, right } => {
                    nested(&format!("NOT ({left}) OR NOT ({right})"))
                }
                Expr::BinaryOp { left, op: B::Or, right } => {
                    nested(&format!("NOT ({left}) AND NOT ({right})"))
                }
                inner => {
                    let (l, op, r) = comparison(inner)?;
                    nested(&format!("{} {} {}", par(l), inverse(op)?, par(r)))
                }
            }
        }),
    rule("de-morgan", Sound, 2).law("p AND q → NOT (NOT p OR NOT q), and the same for OR").expr(
        |_, e| match e {
            Expr::BinaryOp { left, op: B::And, right } => {
                nested(&format!("NOT (NOT ({left}) OR NOT ({right}))"))
            }
            Expr::BinaryOp { left, op: B::Or, right } => {
                nested(&format!("NOT (NOT ({left}) AND NOT ({right}))"))
            }
            _ => None,
        },
    ),
    rule("conjunct-order", Sound, 1)
        .law("p AND q → q AND p")
        .whole(|_, q, rng| shuffled(q, rng, &B::And, " AND ")),
    rule("disjunct-order", Sound, 1)
        .law("p OR q → q OR p")
        .whole(|_, q, rng| shuffled(q, rng, &B::Or, " OR ")),
    // `x AND (y OR z OR w)` → `x AND y OR x AND z OR x AND w`. Kleene's logic is distributive.
    rule("distribute", Sound, 3).law("p AND (q OR r) → p AND q OR p AND r").expr(|_, e| {
        let Expr::BinaryOp { left, op: B::And, right } = e else {
            return None;
        };
        let (one, or) = match (bare(left), bare(right)) {
            (_, Expr::BinaryOp { op: B::Or, left: _, right: _ }) => (left, right),
            (Expr::BinaryOp { op: B::Or, left: _, right: _ }, _) => (right, left),
            _ => return None,
        };
        let parts: Vec<String> = chain(or, &B::Or).iter().map(|p| format!("(({one}) AND ({p}))")).collect();
        nested(&parts.join(" OR "))
    }),
    // COUNT gives whole numbers; so does a column of an integer type where values have their declared type,
    // which the semantics that rewrites keep assumes.
    rule("integer-bound", Sound, 3)
        .law("x > n → x >= n + 1 (and back), where x counts or has an integer type")
        .expr(|c, e| bound(e, |x| is_count(x) || named(c, x, |k| k.class == TypeClass::Integer))),
    // A DECIMAL column may hold 5.5, which lies between 5 and 6: the suite has to say.
    rule("number-bound", Plausible, 1)
        .law("as integer-bound, where x has a numeric type")
        .expr(|c, e| bound(e, |x| named(c, x, |k| k.class == TypeClass::Number))),
    // IIF is CASE in another form (https://sqlite.org/lang_corefunc.html#iif); without ELSE, CASE gives NULL.
    rule("case-to-iif", Sound, 2).law("CASE WHEN p THEN a ELSE b END → IIF(p, a, b)").expr(|_, e| {
        let Expr::Case { operand: None, conditions, else_result, case_token: _, end_token: _ } = e else {
            return None;
        };
        let [when] = conditions.as_slice() else {
            return None;
        };
        let otherwise = else_result.as_ref().map_or("NULL".to_owned(), |e| e.to_string());
        nested(&format!("IIF({}, {}, {otherwise})", when.condition, when.result))
    }),
    rule("iif-to-case", Sound, 2).law("IIF(p, a, b) → CASE WHEN p THEN a ELSE b END").expr(|_, e| {
        let Expr::Function(f) = e else { return None };
        let FunctionArguments::List(list) = &f.args else {
            return None;
        };
        match (f.name.to_string().eq_ignore_ascii_case("iif"), list.args.as_slice()) {
            (true, [p, a, b]) => nested(&format!("CASE WHEN {p} THEN {a} ELSE {b} END")),
            _ => None,
        }
    }),
    // SQLite takes "x" for a text where no column has the name (https://sqlite.org/quirks.html). Which
    // columns are in scope is not known here, so no table of the schema may have it.
    rule("literal-quotes", Sound, 1).law("\"x\" → 'x', where no column or alias is named x").expr(|c, e| {
        let Expr::Identifier(i) = e else { return None };
        let name = i.value.to_ascii_lowercase();
        let column = c.schema.tables.iter().any(|t| t.column_index(&name).is_some());
        require(i.quote_style == Some('"') && !column)?;
        let text = c.query.to_string().to_ascii_lowercase();
        require(!text.contains(&format!("as {name}")) && !text.contains(&format!("as \"{name}\"")))?;
        nested(&format!("'{}'", i.value.replace('\'', "''")))
    }),
    // The column's affinity converts the constant: `age = '5'` compares with 5, `zip = 5` with '5'. A text
    // must be just what the number prints, or `zip = '05'` would become `zip = 5`.
    rule("literal-type", Sound, 2)
        .law("x = 5 → x = '5' (and back), where x is a column whose affinity converts it")
        .expr(|c, e| {
            let (x, op, Expr::Value(v)) = comparison(e)? else {
                return None;
            };
            let numeric = |k: &Column| k.affinity.is_numeric();
            let new = match &v.value {
                Value::Number(n, _) if named(c, x, numeric) && n.parse::<i64>().is_ok() => format!("'{n}'"),
                Value::SingleQuotedString(s)
                    if named(c, x, numeric) || named(c, x, |k| k.affinity == Affinity::Text) =>
                {
                    let n: i64 = s.parse().ok()?;
                    require(n >= 0 && n.to_string() == *s)?;
                    s.clone()
                }
                _ => return None,
            };
            nested(&format!("{} {op} {new}", par(x)))
        }),
    // 1 = 1 is true of every row, so that the filter stays what p is.
    rule("tautology", Sound, 1).law("WHERE p → WHERE p AND 1 = 1").select(|_, s| {
        let selection = nested(&format!("({}) AND 1 = 1", s.selection.as_ref()?));
        Some(Select { selection, ..s.clone() })
    }),
    // `x < c` is NULL where x is, and WHERE drops the row either way.
    rule("not-null-guard", Sound, 3).law("WHERE x < c → WHERE x < c AND x IS NOT NULL").select(|_, s| {
        let parts = conjuncts(s.selection.as_ref());
        let x = parts.iter().find_map(|p| match comparison(p)? {
            (x, _, Expr::Value(_)) if is_column(x) => Some(x),
            _ => None,
        })?;
        Some(and_also(s, nested(&format!("{x} IS NOT NULL"))?))
    }),
    rule("not-null-to-not", Sound, 1).law("x IS NOT NULL → NOT x IS NULL").expr(|_, e| {
        let Expr::IsNotNull(x) = e else { return None };
        nested(&format!("NOT ({} IS NULL)", par(x)))
    }),
    // WHEN takes NULL for false, as WHERE does.
    rule("equals-to-case", Sound, 1).law("WHERE p → WHERE CASE WHEN p THEN 1 ELSE 0 END = 1").select(
        |_, s| {
            let selection = nested(&format!("CASE WHEN {} THEN 1 ELSE 0 END = 1", s.selection.as_ref()?));
            Some(Select { selection, ..s.clone() })
        },
    ),
];

/// A comparison's two sides and operator.
pub(super) fn comparison(e: &Expr) -> Option<(&Expr, &B, &Expr)> {
    match bare(e) {
        Expr::BinaryOp { left, op: op @ (B::Eq | B::NotEq | B::Lt | B::LtEq | B::Gt | B::GtEq), right } => {
            Some((bare(left), op, bare(right)))
        }
        _ => None,
    }
}

/// The operator that holds where this one does not, NULL aside.
fn inverse(op: &B) -> Option<B> {
    Some(match op {
        B::Lt => B::GtEq,
        B::Gt => B::LtEq,
        B::LtEq => B::Gt,
        B::GtEq => B::Lt,
        B::Eq => B::NotEq,
        B::NotEq => B::Eq,
        _ => return None,
    })
}

/// The query with a chain of AND or OR in another order; none where the dice leave each as it is. These are a copy:
/// `somewhere` holds the others.
fn shuffled(q: &Query, rng: &mut ChaCha8Rng, op: &B, glue: &str) -> Option<Query> {
    let mut dice = rng.clone();
    somewhere(q, rng, walk::expressions, |e| {
        let mut parts = chain(e, op);
        require(parts.len() > 1)?;
        parts.shuffle(&mut dice);
        let new = join(&parts, glue)?;
        (new.to_string() != bare(e).to_string()).then(|| Expr::Nested(Box::new(new)))
    })
}

fn is_count(e: &Expr) -> bool {
    aggregate(e).is_some_and(|(name, ..)| name == "count")
}

/// True if `e` names a column, and every column of that name in the schema is `such`:
/// the place of `e` is not known here.
pub(super) fn named(c: &Context<'_>, e: &Expr, such: impl Fn(&Column) -> bool) -> bool {
    let name = match e {
        Expr::Identifier(i) if i.quote_style.is_none() => &i.value,
        Expr::CompoundIdentifier(parts) => match parts.last() {
            Some(i) => &i.value,
            None => return false,
        },
        _ => return false,
    };
    let mut found = c.schema.tables.iter().filter_map(|t| t.columns.get(t.column_index(name)?)).peekable();
    found.peek().is_some() && found.all(such)
}

/// An expression compared with a whole number.
pub(super) fn bounded(e: &Expr) -> Option<(&Expr, &B, i64)> {
    match comparison(e)? {
        (x, op, Expr::Value(v)) => match &v.value {
            Value::Number(n, _) => Some((x, op, n.parse().ok()?)),
            _ => None,
        },
        _ => None,
    }
}

/// `x > 5` as `x >= 6`, and the like; none at the ends of the integers, where there is no next one.
fn bound(e: &Expr, integral: impl Fn(&Expr) -> bool) -> Option<Expr> {
    let (x, op, n) = bounded(e)?;
    require(integral(x))?;
    let (op, n) = match op {
        B::Gt => (">=", n.checked_add(1)?),
        B::GtEq => (">", n.checked_sub(1)?),
        B::Lt => ("<=", n.checked_sub(1)?),
        B::LtEq => ("<", n.checked_add(1)?),
        _ => return None,
    };
    nested(&format!("{} {op} {n}", par(x)))
}

//! Functions of constants, and patterns.
//!
//! LIKE minds no case of ASCII letters, GLOB and = do. So LOWER(x) = 'ab' is a LIKE; a prefix or substring
//! test by SUBSTR or INSTR is a GLOB; and LIKE of a pattern without letters is a GLOB as well. Patterns are
//! looked at on text columns only, since LIKE reads a number as its text, which = does not; a pattern that is
//! a whole number is the exception.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

/// Texts longer than this are not made.
const MAX_TEXT: usize = 4096;

pub(super) const CONSTANT_FUNCTIONS: Rule = Rule {
    name: "constant-functions",
    summary: "LOWER, UPPER, LENGTH, ABS, TRIM, SUBSTR and || of constants are carried out, and / and % of whole constants",
    why: "A deterministic function of constants has one value.",
    source: "https://sqlite.org/lang_corefunc.html; ASCII letters alone change case",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT id FROM customer WHERE name = '0' || '7'" == "SELECT id FROM customer WHERE name = '07'";
        "strict": "SELECT name FROM customer WHERE city = upper('ro') || lower('ME') AND age > length('abc')"
            == "SELECT name FROM customer WHERE city = 'ROme' AND age > 3";
        "default": "SELECT id FROM customer WHERE name = CAST(7 AS INTEGER)" != "SELECT id FROM customer WHERE name = 7";
        "default": "SELECT name FROM customer WHERE city = lower('Rome')" != "SELECT name FROM customer WHERE city = 'Rome'";
    },
    apply: Apply::ExprOf(exprs::FUNCTION.or(exprs::BINARY), constant_function),
};

/// `/` and `%` by 0 are NULL and stay; so does what overflows.
fn constant_function(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    let new = match e {
        Expr::Function { name, args } => function(name, args),
        // A cast is left: comparisons look at its affinity, and a constant has none.
        Expr::Binary { op, left, right } => match op {
            BinaryOp::Concat => match (left.as_text(), right.as_text()) {
                (Some(a), Some(b)) if a.len() + b.len() <= MAX_TEXT => Some(Value::Text(format!("{a}{b}"))),
                _ => None,
            },
            BinaryOp::Div | BinaryOp::Mod => match (left.as_integer(), right.as_integer()) {
                (Some(a), Some(b)) if *op == BinaryOp::Div => a.checked_div(b).map(Value::Integer),
                (Some(a), Some(b)) => a.checked_rem(b).map(Value::Integer),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    put(e, new.map(Expr::Literal))
}

/// The value of a function of constants. Arguments that SQLite would convert first (LENGTH of a number), and
/// those with which it counts from the end (SUBSTR), are left to it.
fn function(name: &str, args: &[Expr]) -> Option<Value> {
    let one = args.first()?;
    Some(match (name, args.len()) {
        ("lower", 1) => Value::Text(one.as_text()?.to_ascii_lowercase()),
        ("upper", 1) => Value::Text(one.as_text()?.to_ascii_uppercase()),
        ("trim", 1) => Value::Text(one.as_text()?.trim_matches(' ').to_owned()),
        ("ltrim", 1) => Value::Text(one.as_text()?.trim_start_matches(' ').to_owned()),
        ("rtrim", 1) => Value::Text(one.as_text()?.trim_end_matches(' ').to_owned()),
        ("length", 1) => {
            let t = one.as_text()?;
            // SQLite counts to the first NUL.
            if t.contains('\0') {
                return None;
            }
            Value::Integer(t.chars().count() as i64)
        }
        ("abs", 1) => Value::Integer(one.as_integer()?.checked_abs()?),
        ("substr" | "substring", 2 | 3) => {
            let start = args.get(1)?.as_integer()?;
            let n = args.get(2).map_or(Some(i64::MAX), Expr::as_integer)?;
            if start < 1 || n < 0 {
                return None;
            }
            let rest = one.as_text()?.chars().skip(usize::try_from(start - 1).ok()?);
            Value::Text(rest.take(usize::try_from(n).ok()?).collect())
        }
        ("replace", 3) => {
            let (from, to) = (args.get(1)?.as_text()?, args.get(2)?.as_text()?);
            // What is not looked for is not replaced; and texts do not grow without end.
            let text = one.as_text().filter(|t| !from.is_empty() && t.len() * to.len().max(1) <= MAX_TEXT)?;
            Value::Text(text.replace(from, to))
        }
        _ => return None,
    })
}

pub(super) const LETTER_CASE: Rule = Rule {
    name: "letter-case",
    summary: "UPPER and LOWER of UPPER or LOWER are the outer one alone",
    why: "The outer function gives a letter its case, whichever it had.",
    source: "https://sqlite.org/lang_corefunc.html: ASCII letters alone change case",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT UPPER(LOWER(name)) FROM customer" == "SELECT UPPER(name) FROM customer";
        "default": "SELECT UPPER(LOWER(name)) FROM customer" != "SELECT LOWER(name) FROM customer";
    },
    apply: Apply::ExprOf(exprs::FUNCTION, letter_case),
};

fn letter_case(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    let cases = |name: &str| matches!(name, "upper" | "lower");
    let (_, args) = e.as_function_mut().filter(|(name, args)| cases(name) && args.len() == 1)?;
    let inner = args.first().and_then(Expr::as_function);
    let inner = inner.filter(|(name, args)| cases(name) && args.len() == 1)?.1.clone();
    *args = inner;
    Some(())
}

pub(super) const PATTERNS: Rule = Rule {
    name: "patterns",
    summary: "LOWER(x) = 'ab' is x LIKE 'ab'; SUBSTR(x, 1, 2) = 'ab' and INSTR(x, 'ab') are GLOB, LOWER(x) GLOB is LIKE; LIKE without letters is GLOB, GLOB without wildcards is =, as is LIKE a whole number on a column of numbers; LIKE '%' is IS NOT NULL",
    why: "Each of these tests the same prefix, substring or whole text, and minds the case of letters just as the other does.",
    source: "https://sqlite.org/lang_expr.html section 5; LIKE and LOWER know the case of ASCII letters alone",
    needs: Needs::TYPED,
    examples: examples! {
        "strict": "SELECT name FROM customer WHERE age LIKE '30'" == "SELECT name FROM customer WHERE age = 30";
        "strict": "SELECT id FROM customer WHERE LOWER(name) = 'ann'" == "SELECT id FROM customer WHERE name LIKE 'Ann'";
        "strict": "SELECT id FROM orders WHERE day LIKE '2014%'" == "SELECT id FROM orders WHERE SUBSTR(day, 1, 4) = '2014'";
        "strict": "SELECT id FROM orders WHERE day LIKE '2014'" == "SELECT id FROM orders WHERE day = '2014'";
        "strict": "SELECT id FROM customer WHERE LOWER(name) GLOB '*an?'" == "SELECT id FROM customer WHERE name LIKE '%AN_'";
        "default": "SELECT id FROM customer WHERE LOWER(name) GLOB '*An'" != "SELECT id FROM customer WHERE name LIKE '%An'";
        "default": "SELECT name FROM customer WHERE score LIKE '30'" != "SELECT name FROM customer WHERE score = 30";
        "default": "SELECT name FROM customer WHERE age LIKE '030'" != "SELECT name FROM customer WHERE age = 30";
        "default": "SELECT id FROM customer WHERE name LIKE 'Ann'" != "SELECT id FROM customer WHERE name = 'Ann'";
        "default": "SELECT id FROM customer WHERE name LIKE 'An%'" != "SELECT id FROM customer WHERE SUBSTR(name, 1, 2) = 'An'";
        "default": "SELECT id FROM orders WHERE STRFTIME('%Y', day) = '2014'" != "SELECT id FROM orders WHERE day LIKE '2014%'";
    },
    apply: Apply::ExprOf(exprs::BINARY, pattern),
};

/// True for columns of texts and of dates: what they hold is text or NULL.
fn is_text(e: &Expr, cx: &Context<'_>) -> bool {
    let text = e.as_column().and_then(|c| cx.info(c));
    text.is_some_and(|i| i.affinity == Some(Affinity::Text) && i.class != TypeClass::Other)
        || super::dates::is_date(e, cx)
}

/// The text's wildcards have no meaning to either of LIKE and GLOB.
fn is_plain(t: &str) -> bool {
    !t.contains(['%', '_', '*', '?', '[', '\0'])
}

/// Tests of a text in all the ways in which it is done; comparisons stand with the constant on either side.
fn pattern(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let (op, left, right) = e.as_binary_mut()?;
    let new = match op {
        BinaryOp::Eq => {
            let found = match (&*left, right.as_text()) {
                (f @ Expr::Function { .. }, Some(t)) => Some((f, t)),
                _ => match (left.as_text(), &*right) {
                    (Some(t), f @ Expr::Function { .. }) => Some((f, t)),
                    _ => None,
                },
            };
            found
                .and_then(|(f, t)| compared_text(f, t, cx))
                .or_else(|| first_place(left, right, cx))
                .or_else(|| first_place(right, left, cx))
        }
        BinaryOp::Lt | BinaryOp::LtEq => found_within(*op, left, right, cx),
        BinaryOp::Like => like(left, right, cx),
        BinaryOp::Glob => glob(left, right, cx),
        _ => None,
    };
    put(e, new)
}

/// `f(x, …) = 'text'`. The text becomes a pattern, so it must hold no wildcard; and of LOWER no capital letter, or
/// the equality is never true.
fn compared_text(f: &Expr, t: &str, cx: &Context<'_>) -> Option<Expr> {
    let (name, args) = f.as_function()?;
    let x = args.first()?;
    if !is_plain(t) || !is_text(x, cx) {
        return None;
    }
    match (name.as_str(), args.len()) {
        ("lower", 1) if !t.bytes().any(|b| b.is_ascii_uppercase()) => {
            Some(Expr::binary(BinaryOp::Like, x.clone(), Expr::text(t.to_owned())))
        }
        ("upper", 1) if !t.bytes().any(|b| b.is_ascii_lowercase()) => {
            Some(Expr::binary(BinaryOp::Like, x.clone(), Expr::text(t.to_ascii_lowercase())))
        }
        ("substr" | "substring", 3) => {
            let n = usize::try_from(args.get(2)?.as_integer()?).ok()?;
            let whole_prefix = args.get(1)?.as_integer()? == 1 && n > 0 && t.chars().count() == n;
            whole_prefix.then(|| Expr::binary(BinaryOp::Glob, x.clone(), Expr::text(format!("{t}*"))))
        }
        _ => None,
    }
}

/// The column and the text of `INSTR(x, 'ab')`.
fn instr<'a>(e: &'a Expr, cx: &Context<'_>) -> Option<(&'a Expr, &'a str)> {
    let (name, args) = e.as_function()?;
    match args.as_slice() {
        [x, t] if name == "instr" && is_text(x, cx) => {
            let t = t.as_text()?;
            (is_plain(t) && !t.is_empty()).then_some((x, t))
        }
        _ => None,
    }
}

/// `INSTR(x, 'ab') = 1` and `= 0`.
fn first_place(f: &Expr, n: &Expr, cx: &Context<'_>) -> Option<Expr> {
    let (x, t) = instr(f, cx)?;
    match n.as_integer()? {
        1 => Some(Expr::binary(BinaryOp::Glob, x.clone(), Expr::text(format!("{t}*")))),
        0 => Some(Expr::unary(
            UnaryOp::Not,
            Expr::binary(BinaryOp::Glob, x.clone(), Expr::text(format!("*{t}*"))),
        )),
        _ => None,
    }
}

/// `0 < INSTR(x, 'ab')`, in its two forms.
fn found_within(op: BinaryOp, left: &Expr, right: &Expr, cx: &Context<'_>) -> Option<Expr> {
    let (x, t) = instr(right, cx)?;
    let least = left.as_integer()? + i64::from(op == BinaryOp::Lt);
    (least == 1).then(|| Expr::binary(BinaryOp::Glob, x.clone(), Expr::text(format!("*{t}*"))))
}

/// `x LIKE t` in its simplest form. LOWER and UPPER around x do nothing; `%%` is `%`; a whole number is
/// compared as one; `%` alone is true where x is known never to be NULL; and a pattern without letters is a
/// GLOB.
fn like(left: &Expr, right: &Expr, cx: &Context<'_>) -> Option<Expr> {
    let t = right.as_text()?;
    if let Expr::Function { name, args } = left
        && matches!(name.as_str(), "lower" | "upper")
        && let [x] = args.as_slice()
        && is_text(x, cx)
    {
        return Some(Expr::binary(BinaryOp::Like, x.clone(), right.clone()));
    }
    if t.contains("%%") {
        let mut short = t.to_owned();
        while short.contains("%%") {
            short = short.replace("%%", "%");
        }
        return Some(Expr::binary(BinaryOp::Like, left.clone(), Expr::text(short)));
    }
    if let Some(n) = stored_whole(left, t, cx) {
        return Some(left.clone().eq(Expr::integer(n)));
    }
    if !is_text(left, cx) {
        return None;
    }
    if t == "%" {
        // NULL LIKE '%' is NULL, not false.
        return (!cx.may_be_null(left, &ColumnSet::new())).then(|| Expr::integer(1));
    }
    // Letters match either case; without any, LIKE and GLOB say the same.
    let same = t.chars().all(|c| c.is_ascii() && !c.is_ascii_alphabetic())
        && !t.contains(['_', '*', '?', '[', '\0']);
    same.then(|| Expr::binary(BinaryOp::Glob, left.clone(), Expr::text(t.replace('%', "*"))))
}

/// A GLOB without wildcards is an equality, and one of LOWER or UPPER a LIKE, where the pattern has letters of that case alone.
fn glob(left: &Expr, right: &Expr, cx: &Context<'_>) -> Option<Expr> {
    let t = right.as_text()?;
    if let Some((name @ ("lower" | "upper"), [x])) =
        left.as_function().map(|(n, a)| (n.as_str(), a.as_slice()))
        && is_text(x, cx)
        && !t.contains(['[', '%', '_', '\0'])
    {
        let folded = if name == "lower" { t.to_ascii_lowercase() } else { t.to_ascii_uppercase() };
        let pattern = t.to_ascii_lowercase().replace('*', "%").replace('?', "_");
        return (folded == t).then(|| Expr::binary(BinaryOp::Like, x.clone(), Expr::text(pattern)));
    }
    if let Some(n) = stored_whole(left, t, cx) {
        return Some(left.clone().eq(Expr::integer(n)));
    }
    let exact = is_text(left, cx) && !t.contains(['*', '?', '[', '\0']);
    exact.then(|| left.clone().eq(right.clone()))
}

/// The whole number that the text is, if `x` is a column that stores it as such and as
/// nothing else: INTEGER and NUMERIC affinity turn 5.0 and '5' into 5.
fn stored_whole(x: &Expr, t: &str, cx: &Context<'_>) -> Option<i64> {
    let c = x.as_column()?;
    let info = cx.info(c)?;
    let stores = matches!(info.affinity, Some(Affinity::Integer | Affinity::Numeric))
        && matches!(info.class, TypeClass::Integer | TypeClass::Number);
    let n: i64 = t.parse().ok()?;
    (stores && n.unsigned_abs() < 1 << 53 && n.to_string() == t).then_some(n)
}

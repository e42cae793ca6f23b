//! BigQuery's functions over texts, numbers and documents
//! (<https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions>, and `json_functions`,
//! `mathematical_functions`, `array_functions` beside it).

use crate::dialects::Dialect;
use crate::dialects::words::{call, extracted};
use crate::expr::{BinaryOp, Expr};
use crate::plan::Planner;
use crate::schema::{Affinity, TypeClass};

/// `CONCAT(a, b)`: NULL where one of them is. A fraction's text is another than SQLite's.
pub(super) fn concat(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    if args.iter().any(|e| planner.class(e) == TypeClass::Number) {
        return None;
    }
    let joined = args.iter().cloned().reduce(|l, r| Expr::binary(BinaryOp::Concat, l, r))?;
    Some(if args.len() == 1 { joined.cast(Affinity::Text) } else { joined })
}

/// `SUBSTR(x, start[, length])`: a start of 0, or before the text, is its first character.
pub(super) fn substr(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let mut args = args.to_vec();
    if args.get(1)?.as_integer() == Some(0)
        && let Some(start) = args.get_mut(1)
    {
        *start = Expr::integer(1);
    }
    Some(match planner.as_in(Dialect::Bigquery, "substr", args) {
        Expr::Function { name, args } if name == "bigquery_substring" => call("bq_substr", args),
        plain => plain,
    })
}

/// `RIGHT(x, n)`.
pub(super) fn right(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(planner.as_in(Dialect::Mysql, "right", args.to_vec()))
}

/// `SPLIT(x[, delimiter])`, by a comma where nothing is said.
pub(super) fn split(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let by = args.get(1).cloned().unwrap_or_else(|| Expr::text(","));
    Some(call("sql_split", vec![args.first()?.clone(), by]))
}

/// How many groups a regular expression captures: none, one, or more than BigQuery takes.
fn groups(pattern: &str) -> usize {
    let (mut count, mut chars, mut in_class) = (0, pattern.chars().peekable(), false);
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => {
                // (?:…) and (?i) capture nothing, (?P<name>…) does.
                let mut ahead = chars.clone();
                let named = ahead.next() == Some('?') && matches!(ahead.next(), Some('P' | '<'));
                count += usize::from(named || chars.peek() != Some(&'?'));
            }
            _ => {}
        }
    }
    count
}

/// `REGEXP_EXTRACT(x, pattern)`: the group that the expression has, else all that matches.
pub(super) fn regexp_extract(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, pattern] = args else { return None };
    let group = i64::try_from(groups(pattern.as_text()?)).ok().filter(|n| *n < 2)?;
    Some(extracted(text, pattern, 1, group))
}

/// `REGEXP_EXTRACT_ALL(x, pattern)`.
pub(super) fn regexp_extract_all(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, pattern] = args else { return None };
    let group = i64::try_from(groups(pattern.as_text()?)).ok().filter(|n| *n < 2)?;
    let rest = [Expr::text("c"), Expr::integer(group)];
    Some(call("sql_regexp_extract_all", [text.clone(), pattern.clone()].into_iter().chain(rest).collect()))
}

/// `TO_HEX(MD5(x))`, `TO_HEX(SHA256(x))`: hashes are bytes, of which nothing else is known.
pub(super) fn hexadecimal(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (name, hashed) = args.first()?.as_function()?;
    match name.as_str() {
        "bigquery_md5" => Some(call("sql_md5", hashed.clone())),
        "bigquery_sha256" => Some(call("sql_sha256", hashed.clone())),
        _ => None,
    }
}

/// `TO_JSON_STRING(x)` of a whole number, a text or a document.
pub(super) fn to_json_string(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [value] = args else { return None };
    let is_document = planner.is_json(value) || planner.is_list(value);
    match planner.class(value) {
        _ if is_document => Some(value.clone()),
        TypeClass::Integer | TypeClass::Text if planner.kind(value).is_none() => {
            Some(call("json_quote", vec![value.clone()]))
        }
        _ => None,
    }
}

/// `DIV(a, b)`: whole numbers, the fraction cut off.
pub(super) fn div(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [left, right] = args else { return None };
    let whole = |e: &Expr| planner.class(e) == TypeClass::Integer;
    let quotient = match whole(left) && whole(right) {
        true => return Some(Expr::binary(BinaryOp::Div, left.clone(), right.clone())),
        false => Expr::binary(BinaryOp::Div, left.clone().cast(Affinity::Real), right.clone()),
    };
    Some(quotient.cast(Affinity::Integer))
}

/// `SAFE_ADD(a, b)` and its like, which differ from the operators where a number overflows.
pub(super) fn plus(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [left, right] = args else { return None };
    Some(Expr::binary(BinaryOp::Add, left.clone(), right.clone()))
}

/// `SAFE_SUBTRACT(a, b)`.
pub(super) fn minus(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [left, right] = args else { return None };
    Some(Expr::binary(BinaryOp::Sub, left.clone(), right.clone()))
}

/// `SAFE_MULTIPLY(a, b)`.
pub(super) fn times(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [left, right] = args else { return None };
    Some(Expr::binary(BinaryOp::Mul, left.clone(), right.clone()))
}

/// `LOG(x, base)`.
pub(super) fn log(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    match args {
        [x] => Some(call("ln", vec![x.clone()])),
        [x, base] => Some(call("log", vec![base.clone(), x.clone()])),
        _ => None,
    }
}

/// `FORMAT(template, …)` of whole numbers, fractions with digits and texts: NULL where an argument is.
pub(super) fn format(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let (template, values) = args.split_first()?;
    let written = template.as_text()?;
    let mut out = String::new();
    let mut chars = written.chars().peekable();
    let mut places = 0;
    while let Some(c) = chars.next() {
        out.push(c);
        if c != '%' {
            continue;
        }
        if chars.peek() == Some(&'%') {
            out.extend(chars.next());
            continue;
        }
        let mut precise = false;
        loop {
            match chars.next()? {
                '\'' => out.push(','),
                c @ ('0'..='9' | '-' | '+') => out.push(c),
                '.' => {
                    precise = true;
                    out.push('.');
                }
                'd' | 'i' => {
                    out.push('d');
                    break;
                }
                's' => {
                    out.push('s');
                    break;
                }
                'f' if precise => {
                    out.push('f');
                    break;
                }
                _ => return None,
            }
        }
        places += 1;
    }
    if places != values.len() || values.iter().any(Expr::has_subquery) {
        return None;
    }
    let mut printed = vec![Expr::text(out)];
    printed.extend(values.iter().cloned());
    let nulls: Vec<Expr> =
        values.iter().filter(|v| v.as_text().is_none()).map(|v| v.clone().is_null()).collect();
    let printed = call("printf", printed);
    Some(match nulls.is_empty() {
        true => printed,
        false => Expr::case(vec![(Expr::or_all(nulls), Expr::NULL)], Some(printed)),
    })
}

/// A document and the path in it, all of it where none is said. The part of a value of type JSON, `v.a`, is said by one path
/// with what follows.
fn at_path(planner: &Planner<'_>, args: &[Expr]) -> Option<Vec<Expr>> {
    let path = match args.get(1) {
        None => "$",
        Some(path) => path.as_text()?,
    };
    match args.first()? {
        Expr::Function { name, args: inner } if name == "json_extract" && planner.is_json(args.first()?) => {
            let [document, before] = inner.as_slice() else { return None };
            let path = format!("{}{}", before.as_text()?, path.strip_prefix('$')?);
            Some(vec![document.clone(), Expr::text(path)])
        }
        document => Some(vec![document.clone(), Expr::text(path)]),
    }
}

/// `STRING(v)` of a value of type JSON, or of a moment.
pub(super) fn string(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [value] = args else { return None };
    match planner.is_moment(value) {
        true => Some(planner.as_text(value.clone())),
        false => planner.is_json(value).then(|| json_value(planner, args)).flatten(),
    }
}

/// `INT64(v)`, `FLOAT64(v)` and `BOOL(v)` of a value of type JSON.
pub(super) fn json_scalar(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let value = args.first()?;
    let is_part = matches!(value, Expr::Function { name, args: _ } if name == "json_extract");
    (is_part && planner.is_json(value)).then(|| value.clone())
}

/// `JSON_EXTRACT(document, path)`, `JSON_QUERY`: a part as the text of a document.
pub(super) fn json_query(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let mut at = at_path(planner, args)?.into_iter();
    Some(Expr::binary(BinaryOp::Arrow, at.next()?, at.next()?))
}

/// `JSON_VALUE(document, path)`, `JSON_EXTRACT_SCALAR`: a part that is one value, as text.
pub(super) fn json_value(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(call("bq_json_value", at_path(planner, args)?))
}

/// `JSON_EXTRACT_ARRAY(document, path)`, `JSON_QUERY_ARRAY`: the elements as texts of documents.
pub(super) fn json_query_array(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(call("bq_json_array", at_path(planner, args)?))
}

/// `JSON_VALUE_ARRAY(document, path)`, `JSON_EXTRACT_STRING_ARRAY`: the elements, which are single values.
pub(super) fn json_value_array(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(call("json_extract", at_path(planner, args)?))
}

/// `GENERATE_ARRAY(from, to[, step])`.
pub(super) fn generate_array(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let step = args.get(2).cloned().unwrap_or_else(|| Expr::integer(1));
    Some(call("bq_generate_array", vec![args.first()?.clone(), args.get(1)?.clone(), step]))
}

/// `ARRAY_CONCAT(a, b)`.
pub(super) fn array_concat(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    args.iter().cloned().reduce(|l, r| call("sql_array_concat", vec![l, r]))
}

/// `ARRAY_AGG(x LIMIT n)`: the first elements of an array.
pub(super) fn first_elements(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(call("bq_first_elements", args.to_vec()))
}

/// `CONTAINS_SUBSTR(x, 'word')` of a text, which ignores case.
pub(super) fn contains_ignoring_case(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text, part] = args else { return None };
    let ascii = part.as_text().filter(|p| p.is_ascii())?.to_ascii_lowercase();
    let place = call("instr", vec![call("lower", vec![text.clone()]), Expr::text(ascii)]);
    (planner.class(text) == TypeClass::Text).then(|| Expr::binary(BinaryOp::Gt, place, Expr::integer(0)))
}

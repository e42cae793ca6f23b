//! Regular expressions, of PostgreSQL and MySQL.

use std::cell::RefCell;
use std::collections::HashMap;

use regex::{Regex, RegexBuilder};
use twinql_sql::Value;

use super::{Returned, text, texts, truth};

/// Bytes that a compiled expression may have.
const MAX_COMPILED: usize = 1 << 20;
/// Compiled expressions that a thread keeps.
const MAX_KNOWN: usize = 64;

thread_local! {
    static KNOWN: RefCell<HashMap<(String, String), Result<Regex, String>>> = RefCell::default();
}

/// PostgreSQL's escapes for the borders of words as this engine has them.
fn adapted(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('y') => out.push_str(r"\b"),
            Some('m') => out.push_str(r"\b{start}"),
            Some('M') => out.push_str(r"\b{end}"),
            Some('Z') => out.push_str(r"\z"),
            Some(other) => {
                out.push('\\');
                out.push(other);
            }
            None => out.push('\\'),
        }
    }
    out
}

/// The compiled expression; flags are `i` (case is ignored) and `c`.
pub(super) fn compiled(pattern: &str, flags: &str) -> Result<Regex, String> {
    KNOWN.with_borrow_mut(|known| {
        let key = (pattern.to_owned(), flags.to_owned());
        if let Some(found) = known.get(&key) {
            return found.clone();
        }
        let made = RegexBuilder::new(&adapted(pattern))
            .case_insensitive(flags.contains('i'))
            .dot_matches_new_line(true)
            .size_limit(MAX_COMPILED)
            .dfa_size_limit(MAX_COMPILED)
            .build()
            .map_err(|_| {
                // Look-around and references to groups are no regular expressions.
                format!("the regular expression {pattern:?} cannot be executed here")
            });
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(key, made.clone());
        made
    })
}

/// `x ~ pattern`: is the expression found in the text.
pub(super) fn regexp(args: &[Value]) -> Returned {
    let [subject, pattern, flags] = texts(args)?;
    Ok(truth(compiled(&pattern, &flags)?.is_match(&subject)))
}

/// REGEXP_MATCHES: of the first match, with the flag `g` of each, what its groups match, or all of it.
pub(super) fn matches(args: &[Value]) -> Returned {
    let [subject, pattern, flags] = texts(args)?;
    let found = compiled(&pattern, &flags)?;
    let least = usize::from(found.captures_len() > 1);
    let groups = |c: regex::Captures<'_>| -> Vec<Option<String>> {
        c.iter().skip(least).map(|m| m.map(|m| m.as_str().to_owned())).collect()
    };
    if subject.len().saturating_mul(found.captures_len()) > 1 << 20 {
        return Err("string or blob too big".into());
    }
    let limit = if flags.contains('g') { usize::MAX } else { 1 };
    let all: Vec<_> = found.captures_iter(&subject).take(limit).map(groups).collect();
    Ok(Value::Text(serde_json::json!(all).to_string()))
}

/// REGEXP_SPLIT_TO_ARRAY. Around an empty match PostgreSQL leaves no empty parts.
pub(super) fn split(args: &[Value]) -> Returned {
    let [subject, pattern] = texts(args)?;
    let by = compiled(&pattern, "c")?;
    if by.is_match("") {
        return Err("a text cannot be split at empty matches here".into());
    }
    Ok(Value::Text(serde_json::json!(by.split(&subject).collect::<Vec<_>>()).to_string()))
}

/// REGEXP_REPLACE: the first match, with the flag `g` all of them.
pub(super) fn replace(args: &[Value]) -> Returned {
    let [subject, pattern, with] = texts(args)?;
    let flags = args.get(3).and_then(text).unwrap_or_default();
    let limit = usize::from(!flags.contains('g'));
    // `\1` is `${1}` here, and a dollar stands for itself.
    let mut template = String::new();
    let mut chars = with.chars();
    while let Some(c) = chars.next() {
        match c {
            '$' => template.push_str("$$"),
            '\\' => match chars.next() {
                Some('&') => template.push_str("${0}"),
                Some(d) if d.is_ascii_digit() => template.push_str(&format!("${{{d}}}")),
                Some(other) => template.push(other),
                None => template.push('\\'),
            },
            other => template.push(other),
        }
    }
    let found = compiled(&pattern, &flags)?;
    if subject.len().saturating_mul(template.len().max(1)) > 1 << 20 {
        return Err("string or blob too big".into());
    }
    Ok(Value::Text(found.replacen(&subject, limit, template.as_str()).into_owned()))
}

/// `x SIMILAR TO pattern`: SQL's expressions, which match the whole text.
pub(super) fn similar(args: &[Value]) -> Returned {
    let [subject, pattern] = texts(args)?;
    let mut expression = String::from("^(?:");
    let mut chars = pattern.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
        match c {
            '%' if !in_class => expression.push_str(".*"),
            '_' if !in_class => expression.push('.'),
            '.' | '^' | '$' if !in_class => {
                expression.push('\\');
                expression.push(c);
            }
            '\\' => {
                if let Some(next) = chars.next() {
                    expression.push_str(&regex::escape(&next.to_string()));
                }
            }
            other => expression.push(other),
        }
    }
    expression.push_str(")$");
    Ok(truth(compiled(&expression, "c")?.is_match(&subject)))
}

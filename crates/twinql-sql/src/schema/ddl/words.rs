//! Small questions about runs of tokens.

use crate::schema::scan::{Token, TokenKind};

/// The last part of a name with or without qualifiers, and where the tokens go on.
pub(super) fn qualified(tokens: &[Token], mut at: usize) -> Option<(String, usize)> {
    let mut name = tokens.get(at)?.name()?.to_owned();
    at += 1;
    while tokens.get(at).is_some_and(|t| t.is_symbol('.')) {
        name = tokens.get(at + 1)?.name()?.to_owned();
        at += 2;
    }
    Some((name, at))
}

/// Where the parenthesis that was opened before `from` closes.
pub(super) fn closing(tokens: &[Token], from: usize) -> Option<usize> {
    let mut depth = 1_usize;
    for (i, t) in tokens.iter().enumerate().skip(from) {
        if t.is_symbol('(') {
            depth += 1;
        } else if t.is_symbol(')') {
            depth -= 1;
            if depth == 0 {
                return Some(i);
            }
        }
    }
    None
}

/// Where the tokens go on behind the group in parentheses that opens at `at`.
pub(super) fn behind_group(tokens: &[Token], at: usize) -> usize {
    if tokens.get(at).is_some_and(|t| t.is_symbol('(')) {
        closing(tokens, at + 1).unwrap_or(tokens.len()) + 1
    } else {
        at
    }
}

/// Splits at the commas outside parentheses.
pub(super) fn items(tokens: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0_usize;
    tokens
        .split(|t| {
            if t.is_symbol('(') {
                depth += 1;
            } else if t.is_symbol(')') {
                depth = depth.saturating_sub(1);
            }
            depth == 0 && t.is_symbol(',')
        })
        .collect()
}

/// One or two numbers: what may stand in a type's parentheses.
pub(super) fn is_size(inner: &str) -> bool {
    let number = |s: &str| !s.is_empty() && s.len() < 10 && s.chars().all(|c| c.is_ascii_digit());
    let mut parts = inner.split(',');
    parts.by_ref().take(2).all(number) && parts.next().is_none()
}

/// The first name of each item: `a, b DESC, c(10)` gives a, b, c.
pub(super) fn names(tokens: &[Token]) -> Vec<String> {
    items(tokens).into_iter().filter_map(|item| item.first()?.name().map(str::to_owned)).collect()
}

/// The texts in a list of strings: `'a', 'b'`.
pub(super) fn texts(tokens: &[Token]) -> Vec<String> {
    tokens
        .iter()
        .filter_map(|t| match &t.kind {
            TokenKind::Text(s) => Some(s.clone()),
            _ => None,
        })
        .collect()
}

/// A statement or clause as a message shows it, cut short.
pub(super) fn shown(tokens: &[Token]) -> String {
    let mut out = String::new();
    for (i, token) in tokens.iter().enumerate() {
        if i == 8 || out.len() > 60 {
            out.push_str(" …");
            break;
        }
        let glued = matches!(token.kind, TokenKind::Symbol('.' | ',' | ')' | '('))
            || i > 0 && tokens.get(i - 1).is_some_and(|t| matches!(t.kind, TokenKind::Symbol('.' | '(')));
        if !glued && !out.is_empty() {
            out.push(' ');
        }
        let text = token.shown();
        if text.chars().count() > 40 {
            out.extend(text.chars().take(40));
            out.push('…');
        } else {
            out.push_str(&text);
        }
    }
    out
}

/// True if the item is a table constraint or an index, not a column. `key` and `index`
/// are also column names: an index has names in its parentheses, a type has numbers.
pub(super) fn is_constraint(item: &[Token]) -> bool {
    let Some(first) = item.first() else {
        return true;
    };
    let second = item.get(1);
    let opens = |t: Option<&Token>| t.is_some_and(|t| t.is_symbol('('));
    if first.is("CONSTRAINT") {
        return second.is_some();
    }
    if first.is("PRIMARY") || first.is("FOREIGN") {
        return second.is_some_and(|t| t.is("KEY"));
    }
    if first.is("UNIQUE") {
        return opens(second)
            || second.is_some_and(|t| t.is_any(&["KEY", "INDEX", "NULLS", "CLUSTERED", "NONCLUSTERED"]))
            || opens(item.get(2));
    }
    if first.is("CHECK") || first.is("EXCLUDE") {
        return opens(second) || second.is_some_and(|t| t.is("USING"));
    }
    if first.is("LIKE") {
        return second.is_some_and(|t| t.name().is_some()) && !opens(item.get(2));
    }
    if first.is("PERIOD") {
        return second.is_some_and(|t| t.is("FOR"));
    }
    if first.is_any(&["KEY", "INDEX", "FULLTEXT", "SPATIAL"]) {
        let open = item.iter().position(|t| t.is_symbol('('));
        return open.and_then(|i| item.get(i + 1)).is_some_and(|t| match &t.kind {
            TokenKind::Word(w) => !w.starts_with(|c: char| c.is_ascii_digit()),
            TokenKind::Quoted(_) => true,
            _ => false,
        });
    }
    false
}

pub(super) fn without_repeats(columns: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(columns.len());
    for c in columns {
        if !out.iter().any(|known| known.eq_ignore_ascii_case(&c)) {
            out.push(c);
        }
    }
    out
}

//! Small questions about runs of tokens.

use std::collections::HashSet;

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

/// What stands where in a run of tokens; beyond its end nothing does.
pub(super) trait Run {
    /// True if one of these words stands at `at`.
    fn is(&self, at: usize, words: &[&str]) -> bool;

    /// True if a parenthesis opens at `at`.
    fn opens(&self, at: usize) -> bool;

    /// The name at `at`.
    fn name(&self, at: usize) -> Option<&str>;

    /// The tokens from `at` on.
    fn rest(&self, at: usize) -> &[Token];

    /// What the parentheses hold that open at `open`, and where the tokens go on behind them. Parentheses that
    /// are never closed hold the rest.
    fn group(&self, open: usize) -> (&[Token], usize);

    /// Where the tokens go on behind the parentheses that open at `at`; `at` where none do.
    fn behind_group(&self, at: usize) -> usize;

    /// The line of the first token.
    fn line(&self) -> usize;
}

impl Run for [Token] {
    fn is(&self, at: usize, words: &[&str]) -> bool {
        self.get(at).is_some_and(|t| t.is_any(words))
    }

    fn opens(&self, at: usize) -> bool {
        self.get(at).is_some_and(|t| t.is_symbol('('))
    }

    fn name(&self, at: usize) -> Option<&str> {
        self.get(at)?.name()
    }

    fn rest(&self, at: usize) -> &[Token] {
        self.get(at..).unwrap_or_default()
    }

    fn group(&self, open: usize) -> (&[Token], usize) {
        let end = closing(self, open + 1).unwrap_or(self.len());
        (self.get(open + 1..end).unwrap_or_default(), end + 1)
    }

    fn behind_group(&self, at: usize) -> usize {
        if self.opens(at) { self.group(at).1 } else { at }
    }

    fn line(&self) -> usize {
        self.first().map_or(1, |t| t.line)
    }
}

/// Splits at the commas outside parentheses, and outside the brackets of a type: `STRUCT<a INT64, b STRING>`.
pub(super) fn items(tokens: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0_usize;
    let mut angles = 0_usize;
    let mut of_parts = false;
    tokens
        .split(|t| {
            if t.is_symbol('(') {
                depth += 1;
            } else if t.is_symbol(')') {
                depth = depth.saturating_sub(1);
            } else if t.is_symbol('<') && (of_parts || angles > 0) {
                angles += 1;
            } else if t.is_symbol('>') {
                angles = angles.saturating_sub(1);
            }
            of_parts = t.is_any(OF_PARTS);
            depth == 0 && angles == 0 && t.is_symbol(',')
        })
        .collect()
}

/// Types that are made of others, which stand in brackets behind them.
pub(super) const OF_PARTS: &[&str] = &words![STRUCT ARRAY MAP RECORD ROW];

/// The brackets that open at `open`, `<…>` or `(…)`, as a type keeps them, and where the tokens go on. What a field says
/// beside its name and type, OPTIONS and NOT NULL, is left out.
pub(super) fn parts_of_type(tokens: &[Token], open: usize) -> (String, usize) {
    let mut out = String::new();
    let mut depth = 0_usize;
    let mut at = open;
    let mut of_parts = true;
    while let Some(token) = tokens.get(at) {
        let opens = token.is_symbol('<') || token.is_symbol('(') && of_parts;
        if token.is("OPTIONS") && tokens.opens(at + 1) {
            at = tokens.behind_group(at + 1);
            continue;
        }
        if token.is("NOT") && tokens.is(at + 1, &["NULL"]) {
            at += 2;
            continue;
        }
        if token.is_symbol('(') && !of_parts {
            let (size, after) = tokens.group(at);
            out.push('(');
            out.extend(size.iter().map(Token::shown));
            out.push(')');
            at = after;
            continue;
        }
        at += 1;
        if opens {
            depth += 1;
            out.push('<');
        } else if token.is_symbol('>') || token.is_symbol(')') {
            depth = depth.saturating_sub(1);
            out.push('>');
            if depth == 0 {
                break;
            }
        } else if token.is_symbol(',') {
            out.push_str(", ");
        } else if !token.is_symbol(':') {
            if !out.ends_with(['<', ' ']) {
                out.push(' ');
            }
            out.push_str(&token.shown());
        }
        of_parts = token.is_any(OF_PARTS);
    }
    (out, at)
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
    let text = |t: &Token| match &t.kind {
        TokenKind::Text(s) => Some(s.clone()),
        _ => None,
    };
    tokens.iter().filter_map(text).collect()
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
    let first = |words: &[&str]| item.is(0, words);
    if first(&["CONSTRAINT"]) {
        item.len() > 1
    } else if first(&["PRIMARY", "FOREIGN"]) {
        item.is(1, &["KEY"])
    } else if first(&["UNIQUE"]) {
        let word = item.is(1, &["KEY", "INDEX", "NULLS", "CLUSTERED", "NONCLUSTERED"]);
        word || item.opens(1) || item.opens(2)
    } else if first(&["CHECK", "EXCLUDE"]) {
        item.opens(1) || item.is(1, &["USING"])
    } else if first(&["LIKE"]) {
        item.name(1).is_some() && !item.opens(2)
    } else if first(&["PERIOD"]) {
        item.is(1, &["FOR"])
    } else if first(&["KEY", "INDEX", "FULLTEXT", "SPATIAL"]) {
        let open = item.iter().position(|t| t.is_symbol('('));
        open.and_then(|i| item.get(i + 1)).is_some_and(|t| match &t.kind {
            TokenKind::Word(w) => !w.starts_with(|c: char| c.is_ascii_digit()),
            TokenKind::Quoted(_) => true,
            _ => false,
        })
    } else {
        item.is_empty()
    }
}

/// Names without those that stood before, in whatever case.
pub(super) fn without_repeats(mut names: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.to_ascii_lowercase()));
    names
}

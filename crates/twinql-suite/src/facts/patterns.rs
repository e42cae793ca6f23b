//! Patterns of other kinds as LIKE has them, for the generator alone: what a pattern of
//! LIKE cannot say is left out.

use twinql_sql::Value;
use twinql_sql::temporal::{Moment, format_mysql};

/// A pattern of GLOB.
pub(super) fn of_glob(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' => out.push('%'),
            '?' => out.push('_'),
            '[' => {
                // One of the characters stands for all.
                out.extend(chars.next());
                chars.by_ref().find(|c| *c == ']');
            }
            other => out.push(other),
        }
    }
    out
}

/// A regular expression: anchors, dots and the first of several characters. Where it has no anchor, the match
/// may begin and end anywhere. Of alternatives the first counts, of a class of characters its first, and a
/// quantifier stands for any text: a value that LIKE matches mostly matches the regular expression too.
pub(super) fn of_regexp(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    match rest.strip_prefix('^') {
        Some(after) => rest = after,
        None => out.push('%'),
    }
    let open = !rest.ends_with('$') || rest.ends_with("\\$");
    let mut chars = rest.strip_suffix('$').filter(|_| !open).unwrap_or(rest).chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('d') => out.push('7'),
                Some('w') => out.push('a'),
                Some('s') => out.push(' '),
                Some(other) if other.is_alphanumeric() => {}
                other => out.extend(other),
            },
            '.' => out.push('_'),
            '*' | '+' => out.push('%'),
            '[' => {
                out.extend(chars.next());
                chars.by_ref().find(|c| *c == ']');
            }
            '|' => break,
            '(' | ')' | '?' | '{' | '}' | '^' | '$' => {}
            other => out.push(other),
        }
    }
    if open {
        out.push('%');
    }
    out
}

/// Days that are told apart by year, month and day, after a format of MySQL.
pub(super) fn dates_in(format: &str) -> Vec<Value> {
    [(2023, 12, 31), (2024, 1, 1), (2024, 5, 3), (2024, 12, 11), (2022, 7, 25)]
        .into_iter()
        .filter_map(|(year, month, day)| format_mysql(Moment::date(year, month, day)?, format))
        .map(Value::Text)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_as_like_has_them() {
        assert_eq!(of_glob("*@example.[cn]om?"), "%@example.com_");
        for (regexp, like) in [
            ("^Mc", "Mc%"),
            ("son$", "%son"),
            ("@example\\.com", "%@example.com%"),
            ("^[aeiou].*\\d$", "a_%7"),
            ("", "%%"),
            ("[", "%%"),
            ("a\\", "%a%"),
        ] {
            assert_eq!(of_regexp(regexp), like, "{regexp}");
        }
        assert_eq!(dates_in("%d/%m/%Y")[0], Value::Text("31/12/2023".into()));
    }
}

//! Evidence: which columns and values the words of a question mean, as benchmarks write it beside the question. `over 30
//! refers to age > 30; heaviest refers to MAX(weight)` are two definitions.

use std::ops::Range;

/// What some words of a question mean.
#[derive(Debug)]
pub(crate) struct Definition<'e> {
    /// The whole of it.
    pub(crate) said: &'e str,
    /// The question's words; empty where a condition stands alone.
    pub(crate) subject: &'e str,
    /// What they mean.
    pub(crate) body: &'e str,
}

/// How a definition names a column, as the one to use.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// The body is the column.
    Alone,
    /// The body is its extreme.
    Extreme,
    /// A condition compares it with this value.
    Compared(String),
}

/// The definitions, each between two semicolons. One that defines twice is left out: it is not known where its first
/// part ends.
pub(crate) fn definitions(evidence: &str) -> Vec<Definition<'_>> {
    let parts = evidence.split([';', '\n']).map(str::trim).filter(|said| !said.is_empty());
    let definition = |said| {
        let mut means: Vec<Range<usize>> = Vec::new();
        for words in [" refers to ", " refer to "] {
            means.extend(places(said, words));
        }
        match means.as_slice() {
            [] => Some(Definition { said, subject: "", body: said }),
            [at] => Some(Definition {
                said,
                subject: said.get(..at.start)?.trim(),
                body: said.get(at.end..)?.trim(),
            }),
            _ => None,
        }
    };
    parts.filter_map(definition).collect()
}

/// Where some words stand in a text, whatever their case, and no letter goes on before or behind them.
pub(crate) fn places(text: &str, words: &str) -> Vec<Range<usize>> {
    let (text, words) = (text.to_ascii_lowercase(), words.to_ascii_lowercase());
    if words.is_empty() {
        return Vec::new();
    }
    let goes_on = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let apart = |at: &Range<usize>| {
        words.starts_with(' ')
            || !(goes_on(text.get(..at.start).and_then(|s| s.chars().next_back()))
                || goes_on(text.get(at.end..).and_then(|s| s.chars().next())))
    };
    text.match_indices(&words).map(|(at, found)| at..at + found.len()).filter(apart).collect()
}

impl Definition<'_> {
    /// How the body names a column at one place, whose tables have these names. None where it does not, or where more is
    /// done with the column than can be told: of `COUNT(id)` any column will do.
    pub(crate) fn named(&self, at: &Range<usize>, tables: &[&str]) -> Option<Named> {
        let (mut before, mut after) = (self.body.get(..at.start)?, self.body.get(at.end..)?);
        if let Some(rest) = before.strip_suffix(['`', '"', '[']) {
            (before, after) = (rest, after.strip_prefix(['`', '"', ']'])?);
        }
        if let Some(rest) = before.strip_suffix('.') {
            let rest = rest.trim_end_matches(['`', '"', ']']);
            let table = tables.iter().find(|table| {
                rest.len()
                    .checked_sub(table.len())
                    .and_then(|i| rest.get(i..))
                    .is_some_and(|end| end.eq_ignore_ascii_case(table))
            })?;
            before = rest.get(..rest.len() - table.len())?.trim_end_matches(['`', '"', '[']);
        }
        let (before, after) = (before.trim().to_ascii_lowercase(), after.trim());
        if matches!(before.as_str(), "max(" | "max (" | "min(" | "min (") && after == ")" {
            return Some(Named::Extreme);
        }
        if before.is_empty() && after.is_empty() {
            return Some(Named::Alone);
        }
        let last = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
        let begins =
            last.is_empty() || last.ends_with(',') || ["and", "or", "where", "when", "with"].contains(&last);
        if begins { compared(after).map(Named::Compared) } else { None }
    }
}

/// Comparisons, the longer ones first; evidence writes some with a blank inside.
const COMPARISONS: [&str; 15] = [
    "not like", "like", "between", "in (", "in(", "! =", "!=", "< >", "<>", "< =", "<=", "> =", ">=", "=",
    "<",
];

/// The value that a text compares with, where it begins with a comparison with a value. Patterns lose their percent
/// signs.
fn compared(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let mut signs = COMPARISONS.iter().chain(&[">"]);
    let sign = signs.find(|sign| lower.starts_with(**sign))?;
    let value = text.get(sign.len()..)?.trim_start();
    let quotes = ['\'', '"', '‘', '’', '“', '”'];
    if let Some(rest) = value.strip_prefix(quotes) {
        let text = rest.split(quotes).next()?.trim_matches('%').trim();
        return (!text.is_empty()).then(|| text.to_lowercase());
    }
    let number: String =
        value.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '/')).collect();
    let number = number.trim_end_matches(['.', '-', '/']);
    number.starts_with(|c: char| c.is_ascii_digit() || c == '-').then(|| number.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How the definitions of an evidence name a column of the table `t`, all places in turn.
    fn named(evidence: &str, column: &str) -> Vec<Named> {
        let all = definitions(evidence);
        let each =
            all.iter().flat_map(|d| places(d.body, column).into_iter().filter_map(|at| d.named(&at, &["t"])));
        each.collect()
    }

    #[test]
    fn columns_are_named_in_three_ways() {
        assert_eq!(named("heaviest refers to MAX(weight); b refers to c", "weight"), [Named::Extreme]);
        assert_eq!(named("how heavy refers to t.`body weight`", "body weight"), [Named::Alone]);
        let both = named("old refers to age > = 30 and sex = 'Male'; AGE<50", "age");
        assert_eq!(both, [Named::Compared("30".into()), Named::Compared("50".into())]);
        assert_eq!(named("may refers to day LIKE '%2019-05%'", "day"), [Named::Compared("2019-05".into())]);
    }

    #[test]
    fn what_is_not_told_is_left_out() {
        for evidence in [
            "most orders refers to MAX(COUNT(id))",
            "share = DIVIDE(COUNT(id), 3)",
            "in 2019 refers to year(id) = 2019",
            "a refers to other.id = 3",
            "movie id = 3",
            "a refers to id = b",
            "a refers to b, c refers to id = 3",
            "a refers to ids = 3",
            "a refers to id =",
            "a refers to `id",
        ] {
            assert_eq!(named(evidence, "id"), [], "{evidence}");
        }
    }
}

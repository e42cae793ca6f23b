//! What two canonical forms do not share, for people.

use std::collections::BTreeMap;

use crate::explain::tree;
use crate::plan::Plan;
use crate::schema::Schema;

/// Lines shown for each side.
pub(super) const MAX_LINES: usize = 6;

/// The operators that only one side has, as lines of its tree, column numbers left out.
pub(super) fn differences(schema: &Schema, gold: &Plan, pred: &Plan) -> (Vec<String>, Vec<String>) {
    let (gold, pred) = (lines(schema, gold), lines(schema, pred));
    (missing(&gold, &pred), missing(&pred, &gold))
}

fn lines(schema: &Schema, plan: &Plan) -> Vec<String> {
    tree(schema, plan).lines().map(|l| unnumbered(l.trim())).collect()
}

/// `age#3` as `age`.
fn unnumbered(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('#') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let digits = after[1..].bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            out.push('#');
        }
        rest = &after[1 + digits..];
    }
    out.push_str(rest);
    out
}

/// Lines of `of` that `other` does not have as often.
fn missing(of: &[String], other: &[String]) -> Vec<String> {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for line in other {
        *left.entry(line).or_default() += 1;
    }
    let unmatched = of.iter().filter(|line| match left.get_mut(line.as_str()) {
        Some(n) if *n > 0 => {
            *n -= 1;
            false
        }
        _ => true,
    });
    unmatched.take(MAX_LINES).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_columns_go() {
        for (line, expected) in [
            ("Scan t [a#0, b#12]", "Scan t [a, b]"),
            ("Filter a#1 = '#'", "Filter a = '#'"),
            ("Query []", "Query []"),
        ] {
            assert_eq!(unnumbered(line), expected);
        }
    }

    #[test]
    fn a_line_that_stands_twice_counts_twice() {
        let text = |lines: &[&str]| lines.iter().map(|l| (*l).to_owned()).collect::<Vec<_>>();
        assert_eq!(missing(&text(&["a", "a", "b"]), &text(&["b", "a"])), ["a"]);
    }
}

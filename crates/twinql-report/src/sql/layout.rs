//! Line breaks for queries that came in one line. Only white space changes.

use super::{Kind, Token};

/// The white space before each token: none where it stays as it is.
///
/// A query that has line breaks of its own keeps them. Otherwise each clause of a query begins a line,
/// indented by how deep its query is nested.
pub(crate) fn laid_out(tokens: &[Token<'_>]) -> Vec<Option<String>> {
    let mut out: Vec<Option<String>> = vec![None; tokens.len()];
    if tokens.iter().any(|t| t.text.contains('\n')) {
        return out;
    }
    // For each open bracket, whether a query stands in it.
    let mut open: Vec<bool> = Vec::new();
    let words: Vec<(usize, &Token<'_>)> =
        tokens.iter().enumerate().filter(|(_, t)| t.kind != Kind::Space).collect();
    for (nth, (at, token)) in words.iter().enumerate() {
        let next = words.get(nth + 1).map(|(_, t)| t.text.to_ascii_uppercase()).unwrap_or_default();
        match token.text {
            "(" => open.push(matches!(next.as_str(), "SELECT" | "WITH" | "VALUES")),
            ")" => {
                open.pop();
            }
            _ => {}
        }
        let in_query = open.last().copied().unwrap_or(true);
        if nth > 0 && in_query && token.kind == Kind::Keyword {
            let before = nth.checked_sub(1).and_then(|i| words.get(i)).map(|(_, t)| t.text);
            if begins_clause(&token.text.to_ascii_uppercase(), &next, before) {
                let depth = open.iter().filter(|query| **query).count();
                // Deep nesting must not push the text out of sight.
                out[*at] = Some(format!("\n{}", "  ".repeat(depth.min(8))));
            }
        }
    }
    out
}

/// The tokens as one text, laid out.
pub(crate) fn text(tokens: &[Token<'_>]) -> String {
    let breaks = laid_out(tokens);
    let breaks_at = |at: usize| breaks.get(at).and_then(Option::as_deref);
    let mut out = String::new();
    for (at, token) in tokens.iter().enumerate() {
        out.push_str(breaks_at(at).unwrap_or_default());
        // The space before a break is replaced by it.
        if token.kind != Kind::Space || breaks_at(at + 1).is_none() {
            out.push_str(token.text);
        }
    }
    out
}

/// Whether a line begins at this word, given the next one and the one before.
fn begins_clause(word: &str, next: &str, before: Option<&str>) -> bool {
    let after = |words: &[&str]| before.is_some_and(|b| words.contains(&b.to_ascii_uppercase().as_str()));
    match word {
        "FROM" | "WHERE" | "HAVING" | "LIMIT" | "UNION" | "INTERSECT" | "EXCEPT" | "WINDOW" => {
            // `IS DISTINCT FROM` is one operator.
            !(word == "FROM" && after(&["DISTINCT"]))
        }
        "GROUP" | "ORDER" => next == "BY",
        "SELECT" => !after(&["("]) || before.is_none(),
        "JOIN" => !after(&["LEFT", "RIGHT", "FULL", "INNER", "OUTER", "CROSS", "NATURAL"]),
        "LEFT" | "RIGHT" | "FULL" => matches!(next, "JOIN" | "OUTER"),
        "INNER" | "CROSS" => next == "JOIN" && !after(&["NATURAL"]),
        "NATURAL" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens;
    use super::*;

    fn shown(sql: &str) -> String {
        text(&tokens(sql))
    }

    #[test]
    fn clauses_begin_lines() {
        assert_eq!(
            shown("SELECT a FROM t LEFT JOIN u ON x = y WHERE b IN (SELECT c FROM v) ORDER BY a LIMIT 1"),
            "SELECT a\nFROM t\nLEFT JOIN u ON x = y\nWHERE b IN (SELECT c\n  FROM v)\nORDER BY a\nLIMIT 1"
        );
    }

    #[test]
    fn functions_stay_in_line() {
        let sql = "SELECT EXTRACT(YEAR FROM d), SUM(a) OVER (PARTITION BY b ORDER BY c)";
        assert_eq!(shown(sql), sql);
        assert_eq!(shown("SELECT a\nFROM t WHERE b"), "SELECT a\nFROM t WHERE b");
        assert_eq!(shown("SELECT a IS DISTINCT FROM b"), "SELECT a IS DISTINCT FROM b");
    }
}

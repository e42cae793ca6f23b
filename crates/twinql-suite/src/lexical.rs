//! What can be told from SQL text without a parser, so that it holds for all that SQLite takes.

/// A piece of SQL text: a word or number, or anything else, with the depth of parentheses.
struct Piece<'a> {
    text: &'a str,
    word: bool,
    depth: i64,
}

/// Cuts SQL into pieces that together are the text. Quoted names, strings and comments are
/// one piece each, never a word.
fn pieces(sql: &str) -> Vec<Piece<'_>> {
    let bytes = sql.as_bytes();
    let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80;
    let until = |from: usize, end: &str| {
        sql.get(from..).and_then(|rest| rest.find(end)).map_or(bytes.len(), |n| from + n + end.len())
    };
    let mut out = Vec::new();
    let (mut start, mut depth) = (0, 0i64);
    while start < bytes.len() {
        let first = at(start);
        let mut word = false;
        let end = match first {
            b'\'' | b'"' | b'`' => {
                // A doubled quote opens the next piece, which is as good.
                let quote = char::from(first).to_string();
                until(start + 1, &quote)
            }
            b'[' => until(start + 1, "]"),
            b'-' if at(start + 1) == b'-' => until(start, "\n"),
            b'/' if at(start + 1) == b'*' => until(start + 2, "*/"),
            b if is_word(b) => {
                word = true;
                (start..bytes.len()).find(|&i| !is_word(at(i))).unwrap_or(bytes.len())
            }
            b => {
                depth += i64::from(b == b'(') - i64::from(b == b')');
                start + 1
            }
        };
        if let Some(text) = sql.get(start..end) {
            out.push(Piece { text, word, depth });
        }
        start = end;
    }
    out
}

/// All words and quoted names of a text, and its strings, which SQLite takes for names where a
/// table is expected.
pub(crate) fn names(sql: &str) -> impl Iterator<Item = String> {
    pieces(sql).into_iter().filter_map(|piece| {
        if piece.word {
            return Some(piece.text.to_owned());
        }
        let quote = piece.text.chars().next()?;
        let end = if quote == '[' { ']' } else { quote };
        let inner = piece.text.strip_prefix(quote)?.strip_suffix(end)?;
        matches!(quote, '"' | '`' | '[' | '\'').then(|| inner.to_owned())
    })
}

/// The text without the word DISTINCT, in aggregates and subqueries too; `IS [NOT] DISTINCT
/// FROM` stays.
pub fn without_distinct(sql: &str) -> String {
    let mut before = "";
    let mut out = String::with_capacity(sql.len());
    for piece in pieces(sql) {
        let compares = before.eq_ignore_ascii_case("is") || before.eq_ignore_ascii_case("not");
        let dropped = piece.word && piece.text.eq_ignore_ascii_case("distinct") && !compares;
        if !dropped {
            out.push_str(piece.text);
        }
        if !piece.text.trim().is_empty() {
            before = piece.text;
        }
    }
    out
}

/// True if the outermost query has ORDER BY: outside all parentheses.
pub fn outermost_order(sql: &str) -> bool {
    let mut before = "";
    for piece in pieces(sql) {
        if piece.word && piece.depth == 0 {
            if before.eq_ignore_ascii_case("order") && piece.text.eq_ignore_ascii_case("by") {
                return true;
            }
            before = piece.text;
        } else if !piece.text.trim().is_empty() && !is_comment(piece.text) {
            before = "";
        }
    }
    false
}

fn is_comment(text: &str) -> bool {
    text.starts_with("--") || text.starts_with("/*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_goes_wherever_it_stands() {
        for (sql, without) in [
            ("SELECT DISTINCT a FROM t", "SELECT  a FROM t"),
            ("SELECT count(distinct a) FROM t", "SELECT count( a) FROM t"),
            (
                "SELECT a FROM t WHERE a IS NOT DISTINCT FROM b",
                "SELECT a FROM t WHERE a IS NOT DISTINCT FROM b",
            ),
            (
                "SELECT 'distinct', \"distinct\", [distinct] -- distinct",
                "SELECT 'distinct', \"distinct\", [distinct] -- distinct",
            ),
            ("SELECT 'it''s distinct', distinct_", "SELECT 'it''s distinct', distinct_"),
            ("SELECT 'open distinct", "SELECT 'open distinct"),
            ("é DISTINCT é", "é  é"),
            ("", ""),
        ] {
            assert_eq!(without_distinct(sql), without);
        }
    }

    #[test]
    fn the_outermost_order_by() {
        for (sql, ordered) in [
            ("SELECT a FROM t ORDER BY a", true),
            ("SELECT a FROM t order /* x */ by a LIMIT 1", true),
            ("SELECT a FROM (SELECT a FROM t ORDER BY a)", false),
            ("SELECT row_number() OVER (ORDER BY a) FROM t", false),
            ("SELECT 'order by' FROM t", false),
            ("SELECT a FROM t WHERE b = 'x' UNION SELECT a FROM t ORDER BY 1", true),
            ("SELECT \"order\".by FROM \"order\"", false),
            ("SELECT a FROM t)) ORDER BY a", false),
        ] {
            assert_eq!(outermost_order(sql), ordered, "{sql}");
        }
    }
}

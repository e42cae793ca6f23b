//! Tables as text (RFC 4180): rows of fields, quoted where they hold a separator, a quote or the end of a line.

use thiserror::Error;

/// A field begins with a quote, and no other ends it: the rest of the text would be read as that field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("line {line}: a quote without an end")]
pub struct UnclosedQuote {
    /// The line of the quote, from 1.
    pub line: usize,
}

/// The rows of a text, each with the line that it begins on, from 1. A quote in a quoted field is doubled. A
/// byte-order mark and blank lines are left out.
///
/// # Errors
/// A quote is never closed.
pub fn table_rows(text: &str, separator: char) -> Result<Vec<(usize, Vec<String>)>, UnclosedQuote> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rows = Vec::new();
    let (mut row, mut field) = (Vec::new(), String::new());
    let (mut line, mut begun) = (1, 1);
    // Whether the line holds anything, and where a quote that is not closed yet stands.
    let (mut filled, mut quoted) = (false, None);
    let mut end = |row: &mut Vec<String>, field: &mut String, begun: usize, filled: bool| {
        row.push(std::mem::take(field));
        let row = std::mem::take(row);
        if filled {
            rows.push((begun, row));
        }
    };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        line += usize::from(c == '\n');
        match (c, quoted) {
            ('"', Some(_)) if chars.next_if_eq(&'"').is_some() => field.push('"'),
            ('"', Some(_)) => quoted = None,
            ('"', None) if field.is_empty() => (quoted, filled) = (Some(line), true),
            (c, None) if c == separator => {
                row.push(std::mem::take(&mut field));
                filled = true;
            }
            ('\r', None) if chars.peek() == Some(&'\n') => {}
            ('\n', None) => {
                end(&mut row, &mut field, begun, filled);
                (begun, filled) = (line, false);
            }
            (c, _) => {
                field.push(c);
                filled |= !c.is_whitespace();
            }
        }
    }
    if let Some(line) = quoted {
        return Err(UnclosedQuote { line });
    }
    end(&mut row, &mut field, begun, filled);
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_may_hold_anything() {
        let found = table_rows("\u{feff}a,b\r\n\"1,\"\"x\"\"\n2\",\n\n3,\"\"\n", ',').unwrap_or_default();
        let expected: [(usize, &[&str]); 3] = [(1, &["a", "b"]), (2, &["1,\"x\"\n2", ""]), (5, &["3", ""])];
        let found: Vec<(usize, Vec<&str>)> =
            found.iter().map(|(line, row)| (*line, row.iter().map(String::as_str).collect())).collect();
        assert_eq!(found, expected.map(|(line, row)| (line, row.to_vec())));
    }

    #[test]
    fn an_empty_field_keeps_its_line_and_a_blank_line_has_none() {
        let found = table_rows("sql\n\"\"\n \nSELECT 1", '\t');
        let row = |line: usize, field: &str| (line, vec![field.to_owned()]);
        assert_eq!(found, Ok(vec![row(1, "sql"), row(2, ""), row(4, "SELECT 1")]));
    }

    #[test]
    fn a_quote_that_never_closes_swallows_nothing() {
        assert_eq!(table_rows("a,b\n1,2\n3,\"4\n5,6\n", ','), Err(UnclosedQuote { line: 3 }));
    }
}

//! Tables as text (RFC 4180): rows of fields, quoted where they hold a separator, a quote or the end of a line.

/// The rows of a text, each with the line that it begins on. Blank lines are left out.
pub(crate) fn rows(text: &str, separator: char) -> Vec<(usize, Vec<String>)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut out = Vec::new();
    let (mut line, mut begun) = (1, 1);
    let (mut row, mut field) = (Vec::new(), String::new());
    let (mut quoted, mut filled) = (false, false);
    let mut chars = text.chars().peekable();
    let mut end = |row: &mut Vec<String>, field: &mut String, begun: usize, filled: bool| {
        row.push(std::mem::take(field));
        let row = std::mem::take(row);
        if filled {
            out.push((begun, row));
        }
    };
    while let Some(c) = chars.next() {
        line += usize::from(c == '\n');
        match c {
            '"' if quoted && chars.next_if_eq(&'"').is_some() => field.push('"'),
            '"' if quoted => quoted = false,
            c if quoted => field.push(c),
            '"' if field.is_empty() => (quoted, filled) = (true, true),
            c if c == separator => {
                row.push(std::mem::take(&mut field));
                filled = true;
            }
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' => {
                end(&mut row, &mut field, begun, filled);
                (begun, filled) = (line, false);
            }
            c => {
                field.push(c);
                filled |= !c.is_whitespace();
            }
        }
    }
    end(&mut row, &mut field, begun, filled);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_may_hold_anything() {
        let found = rows("\u{feff}a,b\r\n\"1,\"\"x\"\"\n2\",\n\n3,\"\"\n", ',');
        let expected: [(usize, &[&str]); 3] = [(1, &["a", "b"]), (2, &["1,\"x\"\n2", ""]), (5, &["3", ""])];
        let found: Vec<(usize, Vec<&str>)> =
            found.iter().map(|(line, row)| (*line, row.iter().map(String::as_str).collect())).collect();
        assert_eq!(found, expected.map(|(line, row)| (line, row.to_vec())));
    }
}

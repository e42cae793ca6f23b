//! Exact string match: the texts are the same but for what no reader of SQL looks at.
//!
//! Source: Finegan-Dollak et al. 2018 and Yu et al. 2018 compare strings after tokenisation.

/// True if two texts have the same tokens as far as can be told without parsing: equal
/// but for spaces, a final semicolon, and the case of what is not quoted.
pub fn same_tokens(a: &str, b: &str) -> bool {
    skeleton(a) == skeleton(b)
}

fn skeleton(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    let mut quote: Option<char> = None;
    let mut space = false;
    for c in sql.trim().trim_end_matches([';', ' ', '\n', '\t', '\r']).chars() {
        if let Some(end) = quote {
            out.push(c);
            if c == end {
                quote = None;
            }
            continue;
        }
        if c.is_whitespace() {
            space = true;
            continue;
        }
        let word = |c: char| c.is_alphanumeric() || c == '_' || matches!(c, '\'' | '"' | '`' | '[');
        if space && word(c) && out.chars().next_back().is_some_and(|p| word(p) || p == ']') {
            out.push(' ');
        }
        space = false;
        match c {
            '\'' | '"' | '`' => quote = Some(c),
            '[' => quote = Some(']'),
            _ => {}
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens() {
        for (a, b, same) in [
            ("SELECT a , b FROM t ;", "select a,b\nfrom T", true),
            ("SELECT 'A' FROM t", "SELECT 'a' FROM t", false),
            ("SELECT a b FROM t", "SELECT ab FROM t", false),
            ("SELECT 'a  b'", "SELECT 'a b'", false),
            ("SELECT [A b]", "select  [A b];", true),
        ] {
            assert_eq!(same_tokens(a, b), same, "{a} / {b}");
        }
    }
}

//! Exact string match: the texts are the same but for what no reader of SQL looks at.
//!
//! Source: Finegan-Dollak et al. 2018 and Yu et al. 2018 compare strings after tokenisation.

use twinql_sql::completion::normal;

/// True if two texts have the same tokens as far as can be told without parsing: equal
/// but for spaces, a final semicolon, and the case of what is not quoted.
pub fn same_tokens(a: &str, b: &str) -> bool {
    normal(a) == normal(b)
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

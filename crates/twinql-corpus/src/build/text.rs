//! Query text without parsing: most of what comes in may not be SQL at all.
//!
//! Good enough to find repeated texts, and to undo what some published predictions went through: tokens with
//! spaces between them, and `value` in the place of every constant.

use sha2::{Digest, Sha256};
pub use twinql_sql::completion::normal;

/// A 64-bit hash of strings that stays the same across machines and versions.
pub(super) fn hash(parts: &[&str]) -> u64 {
    let mut sha = Sha256::new();
    for part in parts {
        sha.update((part.len() as u64).to_le_bytes());
        sha.update(part.as_bytes());
    }
    let digest = sha.finalize();
    digest.iter().take(8).fold(0, |h, &b| (h << 8) | u64::from(b))
}

/// The constants in a query, as written, in order.
fn constants(sql: &str) -> Vec<&str> {
    let bytes = sql.as_bytes();
    let mut out = Vec::new();
    let mut i = 0;
    while let Some(&b) = bytes.get(i) {
        if b == b'\'' || b == b'"' {
            let end = bytes.iter().skip(i + 1).position(|&c| c == b);
            let Some(end) = end else { break };
            out.extend(sql.get(i..i + end + 2));
            i += end + 2;
        } else if b.is_ascii_digit() {
            let from = i;
            while bytes.get(i).is_some_and(|c| c.is_ascii_digit() || *c == b'.') {
                i += 1;
            }
            out.extend(sql.get(from..i));
        // A digit inside a name is no constant: the whole name is passed over.
        } else if b.is_ascii_alphabetic() || b == b'_' {
            while bytes.get(i).is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_') {
                i += 1;
            }
        } else {
            i += 1;
        }
    }
    out
}

/// Puts the constants of `gold` where `sql` has the word `value`, in order and over again;
/// operators that were split (`> =`) are joined.
pub fn plug_values(sql: &str, gold: &str) -> String {
    let constants = constants(gold);
    let mut next = constants.iter().cycle();
    let words: Vec<&str> = sql
        .split(' ')
        .map(|w| match w {
            "value" | "'value'" | "\"value\"" => next.next().copied().unwrap_or("1"),
            other => other,
        })
        .collect();
    let joined = words.join(" ");
    joined.replace("> =", ">=").replace("< =", "<=").replace("! =", "!=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_text() {
        for (a, b) in [
            ("SELECT  a ,b FROM t;", "select a,b from T ; "),
            ("SELECT count ( * )\nFROM t", "select COUNT(*) from t"),
            ("a = 'X  Y'", "A='X  Y'"),
            ("a >= 3", "a>=3"),
        ] {
            assert_eq!(normal(a), normal(b));
        }
        for (a, b) in [("a = 'X'", "a = 'x'"), ("select ab", "select a b"), ("a = 'x  y'", "a = 'x y'")] {
            assert_ne!(normal(a), normal(b));
        }
    }

    #[test]
    fn plugged() {
        let gold = "SELECT a FROM t1 WHERE b = \"x y\" AND c > 3.5";
        for (sql, expect) in [
            ("SELECT a WHERE b = value AND c > value", "SELECT a WHERE b = \"x y\" AND c > 3.5"),
            ("WHERE c > = value", "WHERE c >= \"x y\""),
            ("SELECT value_a", "SELECT value_a"),
        ] {
            assert_eq!(plug_values(sql, gold), expect);
        }
        assert_eq!(plug_values("a = value", "SELECT a"), "a = 1");
    }
}

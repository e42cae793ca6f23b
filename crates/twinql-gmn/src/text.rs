//! Strings of content nodes as character classes (paper Appendix B).

use twinql_sql::hash::{FNV, fnv};

/// Number of character classes: 128 ASCII codes, and one for all other bytes.
pub(crate) const CLASSES: usize = 129;

const MARK_LENGTH: usize = 8;

/// The classes of a string's bytes, at most `limit` of them.
///
/// Cutting long strings, and mapping all bytes beyond ASCII to one class, would make different
/// literals look the same. Where either happens, the last eight classes are digits of a hash
/// (FNV-1a) of the whole string instead, so that different strings still get different encodings.
pub(crate) fn classes(string: &str, limit: usize) -> Vec<u8> {
    let bytes = string.as_bytes();
    let exact = bytes.len() <= limit && bytes.is_ascii();
    let kept = if exact { bytes.len() } else { bytes.len().min(limit.saturating_sub(MARK_LENGTH)) };
    let mut codes: Vec<u8> = bytes.iter().take(kept).map(|&b| b.min(128)).collect();
    if !exact {
        let hash = fnv(FNV, string.bytes());
        for digit in 0..MARK_LENGTH {
            codes.push(b"0123456789abcdef"[((hash >> (4 * digit + 16)) & 15) as usize]);
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::classes;

    #[test]
    fn strings_become_classes() {
        assert_eq!(classes("ab", 64), vec![97, 98]);
        assert_eq!(classes("", 64), Vec::<u8>::new());
        assert_eq!(classes(&"x".repeat(64), 64).len(), 64);
        assert_eq!(classes(&"x".repeat(1000), 64).len(), 64);
    }

    #[test]
    fn different_strings_stay_different() {
        let long = "x".repeat(70);
        assert_ne!(classes(&format!("{long}a"), 64), classes(&format!("{long}b"), 64));
        assert_ne!(classes("é", 64), classes("è", 64));
    }
}

//! LIKE and GLOB.

/// A part of a pattern.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// Any characters, or none.
    Some,
    /// One character.
    One,
    /// This one.
    This(char),
}

/// Whether the parts describe the whole text. A part that stands for any characters takes as few as it can, and only the
/// last one is tried again, so that no pattern takes longer than the product of both lengths.
fn matches(text: &[char], parts: &[Part]) -> bool {
    let (mut at, mut part) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while at < text.len() {
        match parts.get(part) {
            Some(Part::Some) => {
                retry = Some((part + 1, at));
                part += 1;
            }
            Some(Part::One) => (at, part) = (at + 1, part + 1),
            Some(Part::This(c)) if text.get(at) == Some(c) => (at, part) = (at + 1, part + 1),
            _ => match retry {
                // The last `%` takes one character more, and all after it is tried anew.
                Some((after, from)) => {
                    retry = Some((after, from + 1));
                    (at, part) = (from + 1, after);
                }
                None => return false,
            },
        }
    }
    parts.iter().skip(part).all(|p| *p == Part::Some)
}

/// `text LIKE pattern`: `%` any characters, `_` one; letters of ASCII without regard to case.
pub(super) fn like(text: &str, pattern: &str, escape: Option<char>) -> bool {
    let text: Vec<char> = text.chars().map(|c| c.to_ascii_lowercase()).collect();
    let mut parts = Vec::with_capacity(pattern.len());
    let mut pattern = pattern.chars();
    while let Some(c) = pattern.next() {
        parts.push(match c {
            c if Some(c) == escape => match pattern.next() {
                Some(literal) => Part::This(literal.to_ascii_lowercase()),
                None => return false,
            },
            '%' => Part::Some,
            '_' => Part::One,
            c => Part::This(c.to_ascii_lowercase()),
        });
    }
    matches(&text, &parts)
}

/// `text GLOB pattern`: `*` any characters, `?` one. `None` where there is a set, as in `[a-z]`.
pub(super) fn glob(text: &str, pattern: &str) -> Option<bool> {
    if pattern.contains('[') {
        return None;
    }
    let text: Vec<char> = text.chars().collect();
    let part = |c| match c {
        '*' => Part::Some,
        '?' => Part::One,
        c => Part::This(c),
    };
    let parts: Vec<Part> = pattern.chars().map(part).collect();
    Some(matches(&text, &parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_sqlite() {
        assert!(like("Anna", "a%A", None) && like("Anna", "_nn_", None) && !like("Anna", "nn", None));
        assert!(like("", "%", None) && like("aab", "%ab", None) && !like("aab", "%aa", None));
        assert!(like("5%", "5\\%", Some('\\')) && !like("5x", "5\\%", Some('\\')));
        assert_eq!(
            (glob("Anna", "A*a"), glob("Anna", "a*"), glob("a", "[a]")),
            (Some(true), Some(false), None)
        );
    }

    #[test]
    fn no_pattern_takes_long() {
        assert!(!like(&"a".repeat(2_000), &format!("{}b", "%a".repeat(500)), None));
    }
}

//! The shapes of texts: what kind of character stands where.

use std::collections::HashMap;

use super::format::ShapeShare;

/// Shapes that are told of a column.
const MOST: usize = 5;

/// Shapes with more characters are told by none.
const LONGEST: usize = 40;

/// The share of texts below which a shape is no pattern, and is left out.
const LEAST: f64 = 0.02;

/// Punctuation that formats are made of; other marks are `?`.
const MARKS: &str = " -/:.,@_+()#%&'";

/// A share with four digits: more tells nothing but single rows of large tables.
pub(super) fn share(n: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { (n as f64 / of as f64 * 1e4).round() / 1e4 }
}

fn class(c: char) -> char {
    match c {
        c if c.is_numeric() => '9',
        c if c.is_uppercase() => 'A',
        c if c.is_alphabetic() => 'a',
        c if MARKS.contains(c) => c,
        _ => '?',
    }
}

/// The shape of a text, one character for each of its own.
pub(super) fn exact(text: &str) -> Option<String> {
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        if i >= LONGEST {
            return None;
        }
        out.push(class(c));
    }
    Some(out)
}

/// The shape with runs of letters or digits as one of them and a `+`: `Aaaa aaa` is `Aa+ a+`.
pub(super) fn collapsed(exact: &str) -> String {
    let mut out = String::new();
    let mut chars = exact.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        if matches!(c, 'A' | 'a' | '9') && chars.next_if_eq(&c).is_some() {
            while chars.next_if_eq(&c).is_some() {}
            out.push('+');
        }
    }
    out
}

/// The most common shapes of a column's texts: letter by letter where few of them say most, else with runs taken
/// together.
pub(super) fn common(exact: &HashMap<String, u64>, texts: u64) -> Vec<ShapeShare> {
    let letters = top(exact.iter().map(|(shape, n)| (shape.clone(), *n)), texts);
    if letters.iter().map(|s| s.share).sum::<f64>() >= 0.6 {
        return letters;
    }
    let mut runs: HashMap<String, u64> = HashMap::new();
    for (shape, n) in exact {
        *runs.entry(collapsed(shape)).or_default() += n;
    }
    top(runs.into_iter(), texts)
}

fn top(counts: impl Iterator<Item = (String, u64)>, texts: u64) -> Vec<ShapeShare> {
    // What one text alone has is no pattern.
    let mut counts: Vec<(String, u64)> = counts.filter(|(_, n)| *n > 1).collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
        .into_iter()
        .take(MOST)
        .map(|(shape, n)| ShapeShare { shape, share: share(n, texts) })
        .filter(|s| s.share >= LEAST)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_say_where_what_stands() {
        assert_eq!(exact("ABC-123").unwrap(), "AAA-999");
        assert_eq!(exact("2024-05-31").unwrap(), "9999-99-99");
        assert_eq!(exact("Zoë~\n").unwrap(), "Aaa??");
        assert_eq!(exact(&"x".repeat(41)), None);
        assert_eq!(collapsed("Aaaa aa-999A"), "Aa+ a+-9+A");
    }

    #[test]
    fn names_are_told_by_runs_and_codes_by_letters() {
        let of = |texts: &[&str]| {
            let mut counts = HashMap::new();
            for text in texts {
                *counts.entry(exact(text).unwrap()).or_insert(0) += 1;
            }
            common(&counts, texts.len() as u64).into_iter().map(|s| (s.shape, s.share)).collect::<Vec<_>>()
        };
        assert_eq!(of(&["AB-1", "CD-2", "EF-3"]), [("AA-9".to_owned(), 1.0)]);
        assert!(of(&["AB-1", "CD-22"]).is_empty());
        let names = [
            "Ann",
            "Berta",
            "Carolina",
            "Ed",
            "Theodora",
            "Maximilian",
            "Josephine",
            "Konstantin",
            "Ursula",
            "Olga",
            "Ida Bo",
        ];
        assert_eq!(of(&names), [("Aa+".to_owned(), 0.8182)]);
    }
}

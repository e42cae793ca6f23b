//! Which tokens of two queries have no counterpart in the other.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{Kind, Token};

/// For each token of either query, spaces included, whether it differs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Differences {
    pub(crate) left: Vec<bool>,
    pub(crate) right: Vec<bool>,
}

/// Compares without spaces and comments; words that are not quoted compare in any case.
pub(crate) fn differing(left: &[Token<'_>], right: &[Token<'_>]) -> Differences {
    let (left_keys, left_at) = keys(left);
    let (right_keys, right_at) = keys(right);
    let mut out = Differences { left: vec![false; left.len()], right: vec![false; right.len()] };
    let mark = |flags: &mut [bool], at: &[usize], from: usize, count: usize| {
        for token in at.iter().skip(from).take(count) {
            if let Some(flag) = flags.get_mut(*token) {
                *flag = true;
            }
        }
    };
    for op in capture_diff_slices(Algorithm::Myers, &left_keys, &right_keys) {
        match op {
            DiffOp::Equal { .. } => {}
            DiffOp::Delete { old_index, old_len, .. } => mark(&mut out.left, &left_at, old_index, old_len),
            DiffOp::Insert { new_index, new_len, .. } => mark(&mut out.right, &right_at, new_index, new_len),
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                mark(&mut out.left, &left_at, old_index, old_len);
                mark(&mut out.right, &right_at, new_index, new_len);
            }
        }
    }
    out
}

/// What is compared of each token that is, and where that token stands.
fn keys(tokens: &[Token<'_>]) -> (Vec<String>, Vec<usize>) {
    let compared = tokens.iter().enumerate().filter(|(_, t)| !matches!(t.kind, Kind::Space | Kind::Comment));
    let key = |token: &Token<'_>| match token.kind {
        Kind::Keyword | Kind::Name => token.text.to_lowercase(),
        _ => token.text.to_owned(),
    };
    compared.map(|(at, token)| (key(token), at)).unzip()
}

#[cfg(test)]
mod tests {
    use super::super::tokens;
    use super::*;

    fn marked(left: &str, right: &str) -> (Vec<String>, Vec<String>) {
        let (left, right) = (tokens(left), tokens(right));
        let differences = differing(&left, &right);
        let of = |tokens: &[Token<'_>], flags: &[bool]| {
            let marked = tokens.iter().zip(flags).filter(|(_, differs)| **differs);
            marked.map(|(token, _)| token.text.to_owned()).collect()
        };
        (of(&left, &differences.left), of(&right, &differences.right))
    }

    #[test]
    fn case_and_spaces_do_not_differ() {
        let same = (Vec::<String>::new(), Vec::<String>::new());
        assert_eq!(marked("SELECT  a FROM T", "select A\nfrom t -- it"), same);
    }

    #[test]
    fn texts_differ_in_case() {
        assert_eq!(marked("a = 'X'", "a = 'x'"), (vec!["'X'".into()], vec!["'x'".into()]));
        let one_sided = (Vec::<String>::new(), vec!["DISTINCT".into()]);
        assert_eq!(marked("SELECT a", "SELECT DISTINCT a"), one_sided);
    }
}

//! Texts as they are stored: without blanks around them, and spelled in one way.

use crate::normalize::prelude::*;

pub(super) const TRIMMED: Rule = Rule {
    name: "trimmed",
    summary: "TRIM(x) of a column is the column",
    why: "Values are stored without blanks around them.",
    source: "a habit of language models",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT id FROM customer WHERE TRIM(city) = 'Rome'" == "SELECT id FROM customer WHERE city = 'Rome'";
        "bird": "SELECT id FROM customer WHERE TRIM(city) = 'Rome'" != "SELECT id FROM customer WHERE city LIKE '%Rome%'";
    },
    apply: Apply::Expr(trimmed),
};

fn trimmed(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    let (name, args) = e.as_function()?;
    let new = match (name.as_str(), args.as_slice()) {
        ("trim" | "ltrim" | "rtrim", [x @ Expr::Column(_)]) => Some(x.clone()),
        _ => None,
    };
    put(e, new)
}

pub(super) const ONE_SPELLING: Rule = Rule {
    name: "one-spelling",
    summary: "x LIKE a text without wildcards is x = the text",
    why: "A value is spelled in one way wherever it stands, so that LIKE finds what = does.",
    source: "a habit of BIRD's golds and of language models",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT id FROM customer WHERE city LIKE 'Rome'" == "SELECT id FROM customer WHERE city = 'Rome'";
        "bird": "SELECT id FROM customer WHERE LOWER(city) = 'rome'" == "SELECT id FROM customer WHERE city = 'rome'";
        "bird": "SELECT id FROM customer WHERE city LIKE 'Rome'" != "SELECT id FROM customer WHERE city = 'rome'";
    },
    apply: Apply::Expr(one_spelling),
};

/// `patterns` writes a pattern in small letters, so this is tried before it, too: a text in other letters than the data's
/// finds nothing, which is a common mistake.
fn one_spelling(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    let Expr::Binary { op: op @ BinaryOp::Like, left, right } = e else {
        return None;
    };
    // Without letters LIKE is = as it is, by `patterns`.
    let lettered = |t: &str| t.bytes().any(|b| b.is_ascii_alphabetic()) && !t.contains(['%', '_']);
    let plain = right.as_text().is_some_and(lettered);
    if !plain || !matches!(**left, Expr::Column(_)) {
        return None;
    }
    *op = BinaryOp::Eq;
    Some(())
}

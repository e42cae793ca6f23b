//! Rules over conditions, whatever clause they stand in.

use super::EsmRule;
use super::facts::Facts;
use crate::classic::esm::clauses::{Op, Query, Term, canonical_number};

/// Rule 11.
pub(super) const NUMBER_AS_TEXT: EsmRule = EsmRule {
    number: 11,
    name: "number-as-text",
    before: "SELECT name FROM dog WHERE weight = '12'",
    after: "SELECT name FROM dog WHERE weight = 12",
    assumes: "the text is a number that does not start with zero, compared with a column",
    apply: number_as_text,
    alike: &[(
        "SELECT name FROM dog WHERE weight IN ('7', 8)",
        "SELECT name FROM dog WHERE weight IN (8, 7)",
    )],
    apart: &[
        ("SELECT name FROM dog WHERE tag = '012'", "SELECT name FROM dog WHERE tag = 12"),
        ("SELECT name FROM dog WHERE name LIKE '12'", "SELECT name FROM dog WHERE name LIKE 13"),
    ],
};

fn number_as_text(query: &mut Query, _: &Facts<'_>) -> bool {
    let number = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let starts = digits.starts_with(|c: char| ('1'..='9').contains(&c));
        starts && digits.chars().all(|c| c.is_ascii_digit() || c == '.') && canonical_number(text) == text
    };
    let mut changed = false;
    query.change(&mut |term| {
        let Term::Test { op, args } = term else { return };
        let compares = !matches!(op, Op::Like | Op::Is | Op::Exists);
        if !compares || !args.iter().any(|a| matches!(a, Term::Column { .. })) {
            return;
        }
        for arg in args {
            if let Term::Text(text) = arg
                && number(text)
            {
                *arg = Term::Number(std::mem::take(text));
                changed = true;
            }
        }
    });
    changed
}

/// Rule 14.
pub(super) const ALIAS: EsmRule = EsmRule {
    number: 14,
    name: "alias",
    before: "SELECT d.name FROM dog d",
    after: "SELECT d.name FROM dog AS d",
    assumes: "nothing; names are resolved before any rule is tried, so this one has nothing left to do",
    apply: |_, _| false,
    alike: &[("SELECT x.name AS n FROM dog x", "SELECT name FROM dog")],
    apart: &[(
        "SELECT a.name FROM dog a JOIN owner b ON b.id = a.owner_id",
        "SELECT b.name FROM dog a JOIN owner b ON b.id = a.owner_id",
    )],
};

/// Rule 15.
pub(super) const IN_LIST: EsmRule = EsmRule {
    number: 15,
    name: "in-list",
    before: "SELECT name FROM dog WHERE weight IN (1,2)",
    after: "SELECT name FROM dog WHERE weight = 1 OR weight = 2",
    assumes: "nothing",
    apply: in_list,
    alike: &[(
        "SELECT name FROM dog WHERE weight NOT IN (1, 2)",
        "SELECT name FROM dog WHERE weight != 2 AND weight != 1",
    )],
    apart: &[(
        "SELECT name FROM dog WHERE weight NOT IN (1, 2)",
        "SELECT name FROM dog WHERE weight != 1 OR weight != 2",
    )],
};

fn in_list(query: &mut Query, _: &Facts<'_>) -> bool {
    let spread = |term: &Term, op: Op| -> Option<Vec<Term>> {
        let Term::Test { op: Op::In, args } = term else { return None };
        let (left, values) = args.split_first()?;
        if !copied(left) || values.is_empty() || values.iter().any(|v| matches!(v, Term::Query(_))) {
            return None;
        }
        Some(values.iter().map(|v| Term::test(op, left.clone(), v.clone())).collect())
    };
    let one = |mut terms: Vec<Term>, many: fn(Vec<Term>) -> Term| match terms.len() {
        1 => terms.swap_remove(0),
        _ => many(terms),
    };
    let mut changed = false;
    query.change(&mut |term| {
        // Parts come before the whole, so what NOT holds has been spread by now.
        let new = match &*term {
            Term::Not(inner) => match inner.as_ref() {
                Term::Or(terms) => negated_equalities(terms).map(Term::And),
                _ => None,
            },
            other => spread(other, Op::Eq).map(|terms| one(terms, Term::Or)),
        };
        if let Some(new) = new {
            *term = new;
            changed = true;
        }
    });
    changed
}

/// `NOT (c = x OR c = y)` as `c != x`, `c != y`.
fn negated_equalities(terms: &[Term]) -> Option<Vec<Term>> {
    let negated = |term: &Term| match term {
        Term::Test { op: Op::Eq, args } => Some(Term::Test { op: Op::NotEq, args: args.clone() }),
        _ => None,
    };
    terms.iter().map(negated).collect()
}

/// True if a rule may write a term down once more: it is small and has no condition in it, so that no nest of
/// conditions doubles at each level.
fn copied(term: &Term) -> bool {
    let all = term.own();
    all.len() <= 16 && !all.iter().any(|t| matches!(t, Term::Test { .. } | Term::Query(_)))
}

/// Rule 19.
pub(super) const BETWEEN: EsmRule = EsmRule {
    number: 19,
    name: "between",
    before: "SELECT name FROM dog WHERE weight BETWEEN 3 AND 9",
    after: "SELECT name FROM dog WHERE weight >= 3 AND weight <= 9",
    assumes: "nothing",
    apply: between,
    alike: &[(
        "SELECT name FROM dog WHERE tag = 'a' OR weight BETWEEN 3 AND 9",
        "SELECT name FROM dog WHERE (9 >= weight AND weight >= 3) OR tag = 'a'",
    )],
    apart: &[(
        "SELECT name FROM dog WHERE weight BETWEEN 3 AND 9",
        "SELECT name FROM dog WHERE weight > 3 AND weight < 9",
    )],
};

fn between(query: &mut Query, _: &Facts<'_>) -> bool {
    let mut changed = false;
    query.change(&mut |term| {
        if let Term::Test { op: Op::Between, args } = term
            && let [value, low, high] = args.as_slice()
            && copied(value)
        {
            let test = |op, bound: &Term| Term::test(op, value.clone(), bound.clone());
            *term = Term::And(vec![test(Op::GtEq, low), test(Op::LtEq, high)]);
            changed = true;
        }
    });
    changed
}

/// Rule 20.
pub(super) const NEGATION: EsmRule = EsmRule {
    number: 20,
    name: "negation",
    before: "SELECT name FROM dog WHERE NOT weight > 5",
    after: "SELECT name FROM dog WHERE weight <= 5",
    assumes: "nothing",
    apply: negation,
    alike: &[("SELECT name FROM dog WHERE NOT tag = 'x'", "SELECT name FROM dog WHERE tag <> 'x'")],
    apart: &[("SELECT name FROM dog WHERE NOT weight > 5", "SELECT name FROM dog WHERE weight < 5")],
};

fn negation(query: &mut Query, _: &Facts<'_>) -> bool {
    let opposite = |op: Op| {
        Some(match op {
            Op::Eq => Op::NotEq,
            Op::NotEq => Op::Eq,
            Op::Lt => Op::GtEq,
            Op::GtEq => Op::Lt,
            Op::Gt => Op::LtEq,
            Op::LtEq => Op::Gt,
            _ => return None,
        })
    };
    let mut changed = false;
    query.change(&mut |term| {
        if let Term::Not(inner) = term
            && let Term::Test { op, args } = inner.as_mut()
            && let Some(op) = opposite(*op)
        {
            *term = Term::Test { op, args: std::mem::take(args) };
            changed = true;
        }
    });
    changed
}

//! Comparisons of one expression with several constants: what one of them implies or excludes.
//!
//! Each comparison is read as a set of values (`Test`), and sets are compared: `age > 3` lies within
//! `age > 1` and outside `age < 2`. Two comparisons are looked at together if the expressions they test are
//! the same.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

/// Conjuncts that are compared with each other, at most.
const MAX_TESTS: usize = 64;

pub(super) const BOUNDS: Rule = Rule {
    name: "implied-bounds",
    summary: "of comparisons of one expression with constants, those that others imply go; what they exclude is false",
    why: "A bound that a tighter one implies keeps all rows that the tighter one keeps, and bounds that no value meets keep none.",
    source: "predicate subsumption, every optimiser; where a filter keeps a row, what is compared is not NULL",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "nulls": "SELECT id FROM customer WHERE age > 3 AND (age > 1 AND city = 'a' OR age < 2)"
            == "SELECT id FROM customer WHERE age > 3 AND city = 'a'";
        "nulls": "SELECT id FROM customer WHERE age > 3 AND age < 2" == "SELECT id FROM customer WHERE 1 = 0";
        "nulls": "SELECT id FROM customer WHERE id > 50 OR (id <= 50 AND age > 5)" == "SELECT id FROM customer WHERE id > 50 OR age > 5";
        "nulls": "SELECT id FROM customer WHERE age > 50 OR (age <= 50 AND id > 5)" != "SELECT id FROM customer WHERE age > 50 OR id > 5";
        "default": "SELECT id FROM customer WHERE age > 3 AND age < 5" != "SELECT id FROM customer WHERE age > 3";
    },
    apply: Apply::RelOf(Kinds::CONDITIONS, bounds),
};

/// A comparison with constants.
#[derive(Debug, Clone, PartialEq)]
enum Test {
    /// One of these.
    In(Vec<Value>),
    /// Not this.
    Not(Value),
    /// More than this, or (false) at least this.
    Above(Value, bool),
    /// Less than this, or (false) at most this.
    Below(Value, bool),
}

impl Test {
    /// What is compared, and with what, the constant on either side. Not under COLLATE, where values have another
    /// order than theirs, and not with NULL, which no value passes.
    fn of(e: &Expr) -> Option<(&Expr, Test)> {
        let fits = |x: &Expr| {
            !matches!(x, Expr::Literal(_) | Expr::Row(_))
                && x.is_deterministic()
                && !x.has_subquery()
                && !x.any(|x| matches!(x, Expr::Collate { .. }))
        };
        let constant = |e: &Expr| match e {
            Expr::Literal(v) if *v != Value::Null => Some(v.clone()),
            _ => None,
        };
        if let Some((expr, list)) = e.as_in_list().filter(|(expr, _)| fits(expr)) {
            let list: Option<Vec<Value>> = list.iter().map(constant).collect();
            return Some((expr, Test::In(list?)));
        }
        // `orient` has turned > and >=, so that these are < and <= with the constant on their left.
        e.readings().enumerate().find_map(|(side, (x, op, v))| {
            let v = constant(v).filter(|_| fits(x))?;
            let test = match (op, side) {
                (BinaryOp::Eq, _) => Test::In(vec![v]),
                (BinaryOp::NotEq, _) => Test::Not(v),
                (BinaryOp::Lt, 0) => Test::Below(v, true),
                (BinaryOp::LtEq, 0) => Test::Below(v, false),
                (BinaryOp::Gt, 1) => Test::Above(v, true),
                (BinaryOp::GtEq, 1) => Test::Above(v, false),
                _ => return None,
            };
            Some((x, test))
        })
    }

    /// Whether a value passes, if that can be told: constants of different kinds, a text and a number, have no
    /// order that would hold under every affinity.
    fn passes(&self, v: &Value) -> Option<bool> {
        match self {
            Test::In(list) => {
                let mut unknown = false;
                for w in list {
                    match v.order(w) {
                        Some(o) if o.is_eq() => return Some(true),
                        Some(_) => {}
                        None => unknown = true,
                    }
                }
                (!unknown).then_some(false)
            }
            Test::Not(w) => v.order(w).map(|o| o.is_ne()),
            Test::Above(w, strict) => v.order(w).map(|o| o.is_gt() || !strict && o.is_eq()),
            Test::Below(w, strict) => v.order(w).map(|o| o.is_lt() || !strict && o.is_eq()),
        }
    }

    /// True if every value that passes this passes `other`.
    fn implies(&self, other: &Test) -> bool {
        match (self, other) {
            (Test::In(list), _) => list.iter().all(|v| other.passes(v) == Some(true)),
            (Test::Not(a), Test::Not(b)) => a == b,
            (Test::Above(a, s), Test::Above(b, t)) => {
                a.order(b).is_some_and(|o| o.is_gt() || o.is_eq() && (*s || !t))
            }
            (Test::Below(a, s), Test::Below(b, t)) => {
                a.order(b).is_some_and(|o| o.is_lt() || o.is_eq() && (*s || !t))
            }
            (Test::Above(..) | Test::Below(..), Test::Not(b)) => self.passes(b) == Some(false),
            _ => false,
        }
    }

    /// True if no value passes both.
    fn excludes(&self, other: &Test) -> bool {
        match (self, other) {
            (Test::In(list), t) | (t, Test::In(list)) => list.iter().all(|v| t.passes(v) == Some(false)),
            (Test::Above(a, s), Test::Below(b, t)) | (Test::Below(b, t), Test::Above(a, s)) => {
                a.order(b).is_some_and(|o| o.is_gt() || o.is_eq() && (*s || *t))
            }
            _ => false,
        }
    }

    /// What a value that is not NULL passes where it does not pass this. Of whole numbers (`whole`), what is not
    /// `>= 5` is `<= 4`, the form that bounds of whole numbers have everywhere.
    fn complement(&self, whole: bool) -> Option<Test> {
        let step = |v: &Value, by: i64| match v {
            Value::Integer(i) if whole => i.checked_add(by).map(Value::Integer),
            _ => None,
        };
        Some(match self {
            Test::In(list) => match list.as_slice() {
                [v] => Test::Not(v.clone()),
                _ => return None,
            },
            Test::Not(v) => Test::In(vec![v.clone()]),
            Test::Above(v, false) => match step(v, -1) {
                Some(v) => Test::Below(v, false),
                None => Test::Below(v.clone(), true),
            },
            Test::Below(v, false) => match step(v, 1) {
                Some(v) => Test::Above(v, false),
                None => Test::Above(v.clone(), true),
            },
            Test::Above(v, true) => Test::Below(v.clone(), false),
            Test::Below(v, true) => Test::Above(v.clone(), false),
        })
    }
}

/// Comparisons that hold.
type Facts = Vec<(Expr, Test)>;

/// Works on a copy, and only where there are two tests or a disjunction to hold them against.
fn bounds(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let worth = |on: &[Expr]| {
        on.iter().any(|e| matches!(e, Expr::Or(_))) || on.iter().filter_map(Test::of).nth(1).is_some()
    };
    if !rel.condition().is_some_and(worth) {
        return None;
    }
    let known = cx.not_null_below(rel);
    let on = rel.condition_mut()?;
    if on.len() > MAX_TESTS {
        return None;
    }
    let mut new = on.clone();
    if !simplify(&mut new, &Facts::new(), &known, cx) {
        return None;
    }
    *on = new;
    Some(())
}

/// Simplifies conjuncts of which only being true counts, where `outer` holds. In turn: what an earlier conjunct
/// implies goes, and what it excludes makes all of it false; what a later one implies goes
/// (`age > 1 AND age > 3`); IN-lists lose members; each disjunction is simplified under what is known by then.
fn simplify(list: &mut Vec<Expr>, outer: &Facts, known: &ColumnSet, cx: &Context<'_>) -> bool {
    let mut changed = false;
    let mut facts: Facts = outer.clone();
    let given = facts.len();
    let mut at = 0;
    while at < list.len() {
        let Some((x, test)) = list.get(at).and_then(Test::of) else {
            at += 1;
            continue;
        };
        let same = |fact: &&(Expr, Test)| fact.0 == *x;
        if facts.iter().filter(same).any(|(_, f)| f.excludes(&test)) {
            *list = vec![Expr::integer(0)];
            return true;
        }
        if facts.iter().filter(same).any(|(_, f)| f.implies(&test)) {
            list.remove(at);
            changed = true;
            continue;
        }
        facts.push((x.clone(), test));
        at += 1;
    }
    // What a later one implies.
    let own: Vec<(Expr, Test)> = facts.split_off(given);
    let before = list.len();
    list.retain(|e| match Test::of(e) {
        Some((x, test)) => !own.iter().any(|(y, other)| x == y && *other != test && other.implies(&test)),
        None => true,
    });
    changed |= list.len() != before;
    facts.extend(own);
    // IN-lists lose what the others exclude.
    for e in list.iter_mut() {
        if let Expr::InList { expr, list: members } = e {
            let before = members.len();
            members.retain(|m| match m {
                Expr::Literal(v) => {
                    facts.iter().filter(|(x, _)| x == &**expr).all(|(_, t)| t.passes(v) != Some(false))
                }
                _ => true,
            });
            changed |= members.len() != before;
        }
    }
    let mut out = Vec::with_capacity(list.len());
    for e in std::mem::take(list) {
        match e {
            Expr::Or(arms) => out.extend(disjunction(arms, &facts, known, cx, &mut changed)),
            e => out.push(e),
        }
    }
    *list = out;
    changed
}

/// The conjuncts that stand for a disjunction where `facts` hold. An arm that they exclude goes, and one that
/// they imply makes the whole true, so no conjunct is left. Within an arm it is known as well that the others
/// fail, or this one need not be asked: `id > 50 OR (id <= 50 AND age > 5)` is `id > 50 OR age > 5`. That
/// takes an id that is never NULL, as NULL fails both `> 50` and `<= 50`.
fn disjunction(
    arms: Vec<Expr>,
    facts: &Facts,
    known: &ColumnSet,
    cx: &Context<'_>,
    changed: &mut bool,
) -> Vec<Expr> {
    // Where an arm is one comparison of what is never NULL, the others matter only where
    // it fails.
    let alone: Vec<Option<(Expr, Test)>> = arms
        .iter()
        .map(|arm| {
            let (x, test) = Test::of(arm)?;
            let sure = !cx.may_be_null(x, known);
            let other = test.complement(cx.is_integer(x)).filter(|_| sure)?;
            Some((x.clone(), other))
        })
        .collect();
    let mut kept = Vec::with_capacity(arms.len());
    for (i, arm) in arms.into_iter().enumerate() {
        let mut given = facts.clone();
        if matches!(arm, Expr::And(_)) {
            let others = alone.iter().enumerate().filter(|(j, _)| *j != i);
            given.extend(others.filter_map(|(_, fact)| fact.clone()));
        }
        let mut list = arm.conjuncts();
        *changed |= simplify(&mut list, &given, known, cx);
        match list.len() {
            0 => {
                *changed = true;
                return Vec::new();
            }
            1 => {
                let one = list.pop();
                if one != Some(Expr::integer(0)) {
                    kept.extend(one);
                } else {
                    *changed = true;
                }
            }
            _ => kept.push(Expr::And(list)),
        }
    }
    match kept.len() {
        0 => vec![Expr::integer(0)],
        1 => kept.into_iter().flat_map(Expr::conjuncts).collect(),
        _ => vec![Expr::Or(kept)],
    }
}

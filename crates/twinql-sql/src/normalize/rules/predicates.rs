//! Scalar expressions: constants folded, comparisons in one form, negations at the leaves.
//!
//! COLLATE aside, no `>` is left then, no NOT above AND, OR or a comparison, and no disjunction of equalities
//! that could be an IN-list, so that other rules have fewer forms to look for.

use crate::normalize::prelude::*;

pub(super) const CONSTANT_FOLDING: Rule = Rule {
    name: "constant-folding",
    summary: "operations on constants are carried out; AND and OR lose what decides nothing",
    why: "An operation on constants has the same value in every row, and in three-valued logic TRUE is neutral in AND and absorbs OR, FALSE the other way round.",
    source: "SQLite's expression semantics, three-valued logic",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT name FROM customer WHERE age = 1 + 2 AND 1 = 1" == "SELECT name FROM customer WHERE age = 3";
        "strict": "SELECT (city IS NULL) >= (city IS NULL) FROM customer" == "SELECT 1 FROM customer";
        "nulls": "SELECT name FROM customer WHERE age = NULL" != "SELECT name FROM customer";
        "strict": "SELECT city IS NOT DISTINCT FROM city FROM customer" == "SELECT 1 FROM customer";
        "strict": "SELECT city = city FROM customer" != "SELECT 1 FROM customer";
    },
    apply: Apply::ExprOf(exprs::BINARY.or(exprs::UNARY).or(exprs::AND).or(exprs::OR), fold),
};

/// Operations on constants alone, and tests for NULL compared with themselves: those are never NULL, so the
/// comparison is true or false. Of another x, `x = x` is NULL where x is, and `x IS x` true.
fn fold(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    let new = match &*e {
        Expr::Binary { op, left, right } => match (&**left, &**right) {
            (Expr::Literal(a), Expr::Literal(b)) => fold_binary(*op, a, b),
            (a, b) if a == b && (is_null_test(a) || same_as_itself(*op, a)) => with_itself(*op),
            _ => None,
        },
        Expr::Unary { op, expr } => match (op, &**expr) {
            (UnaryOp::Neg, Expr::Literal(Value::Integer(i))) => i.checked_neg().map(Expr::integer),
            (UnaryOp::Neg, Expr::Literal(Value::Real(r))) => Some(Expr::Literal(Value::Real(-*r))),
            (UnaryOp::Not, inner) if inner.is_true() => Some(Expr::integer(0)),
            (UnaryOp::Not, inner) if inner.is_false() => Some(Expr::integer(1)),
            (UnaryOp::IsNull, Expr::Literal(v)) => Some(Expr::integer((*v == Value::Null).into())),
            (UnaryOp::IsNull, Expr::Exists(_)) => Some(Expr::integer(0)),
            _ => None,
        },
        Expr::And(list) => fold_list(list, true).filter(|new| new != e),
        Expr::Or(list) => fold_list(list, false).filter(|new| new != e),
        _ => None,
    };
    put(e, new)
}

/// Folds the constants of a whole expression, subqueries left out.
pub(super) fn fold_whole(e: &mut Expr, cx: &mut Context<'_>) {
    e.map(|e| fold(e, cx).is_some());
}

/// AND (`and`) or OR over a list: one operand may decide it; neutral ones go, nested lists of the same kind are taken
/// in, and what stands twice counts once, unless it is drawn anew each time.
fn fold_list(list: &[Expr], and: bool) -> Option<Expr> {
    let decides = |x: &Expr| if and { x.is_false() } else { x.is_true() };
    let idle = |x: &Expr| if and { x.is_true() } else { x.is_false() };
    let neutral = Expr::integer(i64::from(and));
    if list.iter().any(decides) {
        return Some(Expr::integer(i64::from(!and)));
    }
    let inner = |x: &'_ Expr| match x {
        Expr::And(inner) if and => inner.clone(),
        Expr::Or(inner) if !and => inner.clone(),
        x => vec![x.clone()],
    };
    let mut unique: Vec<Expr> = Vec::with_capacity(list.len());
    for x in list.iter().flat_map(inner) {
        if !(idle(&x) || unique.contains(&x) && x.is_deterministic()) {
            unique.push(x);
        }
    }
    match unique.as_slice() {
        [] => return Some(neutral),
        [x] if x.is_boolean() => return Some(x.clone()),
        // `x AND TRUE` is 0 or 1 where x may be any number.
        [_] => unique.push(neutral),
        _ => {}
    }
    Some(if and { Expr::And(unique) } else { Expr::Or(unique) })
}

/// True for tests for NULL, which are never NULL themselves.
fn is_null_test(e: &Expr) -> bool {
    match e.as_null_test() {
        Some(tested) => tested.is_deterministic(),
        None => e.as_not().is_some_and(is_null_test),
    }
}

/// True where NULL counts as a value, so that what has one value is equal to itself.
fn same_as_itself(op: BinaryOp, e: &Expr) -> bool {
    op.is_null_safe() && e.is_deterministic() && !matches!(e, Expr::Row(_))
}

/// What is never NULL, compared with itself.
fn with_itself(op: BinaryOp) -> Option<Expr> {
    match op {
        BinaryOp::Eq | BinaryOp::Is | BinaryOp::LtEq | BinaryOp::GtEq => Some(Expr::integer(1)),
        BinaryOp::NotEq | BinaryOp::IsNot | BinaryOp::Lt | BinaryOp::Gt => Some(Expr::integer(0)),
        _ => None,
    }
}

/// What overflows is left to SQLite, which makes a real of it, and so is division, which `constant-functions`
/// has.
fn fold_binary(op: BinaryOp, a: &Value, b: &Value) -> Option<Expr> {
    use BinaryOp::{Add, Mul, Sub};
    if *a == Value::Null || *b == Value::Null {
        return (op.is_comparison() || matches!(op, Add | Sub | Mul)).then_some(Expr::NULL);
    }
    if let Some(truth) = a.order(b).and_then(|order| op.holds(order)) {
        return Some(Expr::integer(truth.into()));
    }
    if let (Value::Integer(x), Value::Integer(y)) = (a, b) {
        return match op {
            Add => x.checked_add(*y),
            Sub => x.checked_sub(*y),
            Mul => x.checked_mul(*y),
            _ => None,
        }
        .map(Expr::integer);
    }
    None
}

pub(super) const NEGATION: Rule = Rule {
    name: "negation-pushdown",
    summary: "NOT moves to the leaves: De Morgan, and comparisons turned round",
    why: "De Morgan's laws and the turned comparisons hold for NULL as well: each side of the rewrite is NULL for the same operands.",
    source: "three-valued logic: NOT NULL is NULL, so each step keeps NULLs",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT name FROM customer WHERE NOT (age > 2 OR city = 'a')" == "SELECT name FROM customer WHERE age <= 2 AND city <> 'a'";
        "strict": "SELECT name FROM customer WHERE NOT age >= 30" == "SELECT name FROM customer WHERE age < 30";
        "nulls": "SELECT name FROM customer WHERE NOT (city IS 'a')" != "SELECT name FROM customer WHERE city <> 'a'";
        "nulls": "SELECT name FROM customer WHERE NOT age >= 30" != "SELECT name FROM customer WHERE age < 30 OR age IS NULL";
    },
    apply: Apply::ExprOf(exprs::UNARY, negate),
};

/// One level of NOT: AND and OR by De Morgan, a comparison by its opposite, NOT NOT of a predicate by itself
/// (of a number it is 0 or 1). NOT of LIKE and EXISTS stays.
pub(super) fn negate(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    let Expr::Unary { op: UnaryOp::Not, expr } = e else {
        return None;
    };
    let new = match &mut **expr {
        Expr::Binary { op, left, right } => {
            let opposite = op.negated()?;
            Expr::Binary { op: opposite, left: left.clone(), right: right.clone() }
        }
        Expr::And(list) => Expr::Or(std::mem::take(list).into_iter().map(Expr::not).collect()),
        Expr::Or(list) => Expr::And(std::mem::take(list).into_iter().map(Expr::not).collect()),
        Expr::Unary { op: UnaryOp::Not, expr } if expr.is_boolean() => (**expr).clone(),
        _ => return None,
    };
    *e = new;
    // What was under the NOT was visited; what is there now was not.
    if let Expr::And(list) | Expr::Or(list) = e {
        for x in list {
            negate(x, _cx);
        }
    }
    Some(())
}

pub(super) const ORIENTATION: Rule = Rule {
    name: "comparison-orientation",
    summary: "> and >= become < and <= with their sides exchanged; operands of = and + have a canonical order",
    why: "A comparison says the same read from either side, and = and + do not depend on the order of their operands.",
    source: "a > b is b < a",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT name FROM customer WHERE 2.5 < score" == "SELECT name FROM customer WHERE score > 2.5";
        "strict": "SELECT name FROM customer WHERE age BETWEEN 20 AND 30" == "SELECT name FROM customer WHERE 20 <= age AND age <= 30";
        "strict": "SELECT SUM(CASE WHEN city = 'a' THEN age END) - id + SUM(CASE WHEN city = 'a' THEN age END) FROM customer GROUP BY id"
            == "SELECT SUM(CASE WHEN city = 'a' THEN age END) - id + SUM(CASE WHEN 'a' = city THEN age END) FROM customer GROUP BY id";
        "strict": "SELECT name FROM customer WHERE age * id + score > 50" == "SELECT name FROM customer WHERE 50 < score + id * age";
        "default": "SELECT name FROM customer WHERE 2 < age" != "SELECT name FROM customer WHERE age < 2";
        "default": "SELECT name FROM customer WHERE score BETWEEN 1 AND 3" != "SELECT name FROM customer WHERE score > 1 AND score < 3";
        "default": "SELECT name FROM customer WHERE age BETWEEN 30 AND 20" != "SELECT name FROM customer WHERE age BETWEEN 20 AND 30";
        "default": "SELECT name FROM customer WHERE age - id > 5" != "SELECT name FROM customer WHERE id - age > 5";
    },
    apply: Apply::ExprOf(exprs::BINARY, orient),
};

/// `>` and `>=` are turned here, and = with a constant before it, so that what is said twice is seen to be. Which operand
/// of = or + comes first otherwise depends on all that stands around it, so `canonical` orders these, last of all.
pub(super) fn orient(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    let (op, left, right) = e.as_binary_mut()?;
    // The left operand's collation decides.
    let collated = |e: &Expr| e.any(|x| matches!(x, Expr::Collate { .. }));
    if collated(left) || collated(right) {
        return None;
    }
    let turned = match op {
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::GtEq => BinaryOp::LtEq,
        BinaryOp::Eq | BinaryOp::NotEq if left.is_literal() && !right.is_literal() => *op,
        _ => return None,
    };
    *op = turned;
    std::mem::swap(left, right);
    Some(())
}

pub(super) const MEMBERSHIP: Rule = Rule {
    name: "membership",
    summary: "x = a OR x = b is x IN (a, b); x IN (a) is x = a; x NOT IN (a, b) is x <> a AND x <> b; x IN (a, NULL) is x = a OR NULL, so that NOT IN is never true",
    why: "IN over a list is defined as the OR of the equalities, and its value is NULL exactly where theirs is.",
    source: "SQL: IN over a list is a disjunction of equalities, NULLs included",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT name FROM customer WHERE age = 1 OR 2 = age" == "SELECT name FROM customer WHERE age IN (2, 1)";
        "strict": "SELECT name FROM customer WHERE age NOT IN (1, 2)" == "SELECT name FROM customer WHERE age <> 2 AND age <> 1";
        "strict": "SELECT name FROM customer WHERE age IN (30, 20, 30)" == "SELECT name FROM customer WHERE age IN (20, 30)";
        "nulls": "SELECT name FROM customer WHERE age NOT IN (20, NULL)" == "SELECT name FROM customer WHERE 1 = 0";
        "nulls": "SELECT name FROM customer WHERE age IN (20, NULL, 30)" == "SELECT name FROM customer WHERE age IN (20, 30)";
        "nulls": "SELECT name FROM customer WHERE age NOT IN (id, NULL)" == "SELECT name FROM customer WHERE 1 = 0";
        "nulls": "SELECT age NOT IN (20, NULL) FROM customer" != "SELECT age <> 20 FROM customer";
        "default": "SELECT name FROM customer WHERE age = 1 OR id = 2" != "SELECT name FROM customer WHERE age IN (2, 1)";
        "default": "SELECT name FROM customer WHERE age NOT IN (20, 30)" != "SELECT name FROM customer WHERE age != 20 OR age != 30";
        "default": "SELECT name FROM customer WHERE age IN (20, 30)" != "SELECT name FROM customer WHERE age IN (20, 31)";
    },
    apply: Apply::ExprOf(exprs::IN_LIST.or(exprs::UNARY).or(exprs::OR), member),
};

/// Nodes of an operand that a rule may copy: `x NOT IN (1, 2) NOT IN (1, 2) …` would
/// double with each step.
const MAX_COPIED: usize = 64;

/// True if `expr` has more than `limit` nodes.
fn larger_than(expr: &Expr, limit: usize) -> bool {
    let mut open = vec![expr];
    let mut nodes = 0;
    while let Some(e) = open.pop() {
        nodes += 1;
        if nodes > limit {
            return true;
        }
        open.extend(e.operands());
    }
    false
}

/// True for constants without NULL.
fn literal_list(list: &[Expr]) -> bool {
    list.iter().all(|e| matches!(e, Expr::Literal(v) if *v != Value::Null))
}

/// A list without its NULLs, if it has some: `x = NULL` is NULL, whatever x is.
fn without_nulls(list: &[Expr]) -> Option<Vec<Expr>> {
    let (nulls, rest): (Vec<Expr>, Vec<Expr>) = list.iter().cloned().partition(Expr::is_null_literal);
    (!nulls.is_empty() && rest.iter().all(Expr::is_deterministic)).then_some(rest)
}

/// Lists are sorted and freed of duplicates and NULLs; a list of one is an equality, NOT IN a conjunction, and a
/// disjunction of equalities a list. Rows `(a, b) IN (…)` stay.
fn member(e: &mut Expr, _cx: &mut Context<'_>) -> Changed {
    match e {
        Expr::InList { expr, list } => {
            let plain = !matches!(**expr, Expr::Row(_)) && expr.is_deterministic();
            let Some(rest) = without_nulls(list).filter(|_| plain) else { return of_constants(e) };
            let known = (!rest.is_empty()).then(|| Expr::InList { expr: expr.clone(), list: rest });
            *e = known.map_or(Expr::NULL, |known| Expr::Or(vec![known, Expr::NULL]));
        }
        Expr::Unary { op: UnaryOp::Not, expr } => {
            let (x, list) = expr.as_in_list()?;
            let few = list.len() <= 64 && !larger_than(x, MAX_COPIED);
            if !few || !literal_list(list) || matches!(x, Expr::Row(_)) {
                return None;
            }
            let all = list.iter().map(|v| Expr::binary(BinaryOp::NotEq, x.clone(), v.clone()));
            *e = Expr::and_all(all.collect());
        }
        Expr::Or(list) => *e = merged_equalities(list)?,
        _ => return None,
    }
    Some(())
}

/// A list of constants, sorted and each once; none at all is false, and one an equality.
fn of_constants(e: &mut Expr) -> Changed {
    let Expr::InList { expr, list } = e else { return None };
    if !literal_list(list) {
        return None;
    }
    let before = list.len();
    list.sort();
    list.dedup();
    let new = match list.as_slice() {
        [] => Expr::integer(0),
        [one] if !matches!(**expr, Expr::Row(_)) => (**expr).clone().eq(one.clone()),
        list => return (list.len() != before).then_some(()),
    };
    *e = new;
    Some(())
}

/// The tested expression and the constants of an equality or an IN-list.
fn tested(e: &Expr) -> Option<(&Expr, Vec<Expr>)> {
    match e {
        Expr::InList { expr, list } if literal_list(list) => Some((expr, list.clone())),
        _ => match e.as_equality()? {
            (x, v @ Expr::Literal(_)) | (v @ Expr::Literal(_), x)
                if !x.is_literal() && !v.is_null_literal() =>
            {
                Some((x, vec![v.clone()]))
            }
            _ => None,
        },
    }
}

/// A disjunction with one list for each expression that is compared with constants, if there are two
/// comparisons of one. An expression drawn anew each time is not one expression.
fn merged_equalities(list: &[Expr]) -> Option<Expr> {
    // By expression, in the order of their first comparison; the rest stays as it is.
    let mut groups: Vec<(Expr, Vec<Expr>)> = Vec::new();
    let mut out: Vec<Expr> = Vec::new();
    let mut merged = false;
    for e in list {
        match tested(e) {
            Some((x, constants)) if x.is_deterministic() => match groups.iter_mut().find(|(g, _)| g == x) {
                Some((_, so_far)) => {
                    merged = true;
                    so_far.extend(constants);
                }
                None => groups.push((x.clone(), constants)),
            },
            _ => out.push(e.clone()),
        }
    }
    if !merged {
        return None;
    }
    for (x, mut constants) in groups {
        constants.sort();
        constants.dedup();
        let one = constants.len() == 1;
        out.push(match constants.pop() {
            Some(v) if one => x.eq(v),
            last => {
                constants.extend(last);
                Expr::InList { expr: Box::new(x), list: constants }
            }
        });
    }
    Some(Expr::or_all(out))
}

//! CASE, COALESCE and NULLIF, NULL as an operand, and predicates of which only being true counts.
//!
//! IIF, NULLIF and CASE with an operand become the searched CASE, whose branches can then be looked at one by
//! one; where a CASE is a condition it becomes AND and OR, and the rules for these take over.

use super::predicates::{negate, orient};
use crate::column_set::ColumnSet;
use crate::function;
use crate::normalize::facts::strict_columns;
use crate::normalize::prelude::*;

/// Nodes of an operand that is copied, at most.
const MAX_COPIED: usize = 16;

/// Branches that are taken apart, at most.
const MAX_BRANCHES: usize = 8;

pub(super) const CONDITIONAL: Rule = Rule {
    name: "conditional",
    summary: "CASE loses branches that never or always apply, IIF and NULLIF are CASE, comparisons and IS NULL move into its branches, one boolean told apart is itself",
    why: "CASE is defined by its first branch that applies, and a function of its value is the function applied in each branch.",
    source: "SQL: CASE takes the first branch whose condition is true",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT CASE WHEN 1 = 2 THEN name WHEN age = 1 THEN city WHEN 1 = 1 THEN 'x' ELSE 'y' END FROM customer"
            == "SELECT IIF(age = 1, city, 'x') FROM customer";
        "nulls": "SELECT CASE WHEN age = 1 THEN city ELSE 'b' END = 'a' FROM customer"
            == "SELECT CASE WHEN age = 1 THEN city = 'a' ELSE 0 END FROM customer";
        "nulls": "SELECT NULLIF(age, 1) FROM customer" == "SELECT CASE WHEN age = 1 THEN NULL ELSE age END FROM customer";
        "strict": "SELECT name FROM customer WHERE (age > 30) = TRUE" == "SELECT name FROM customer WHERE NOT NOT age > 30";
        "nulls": "SELECT CASE WHEN age = 1 THEN 1 ELSE 0 END FROM customer" != "SELECT age = 1 FROM customer";
        "default": "SELECT name FROM customer WHERE age = TRUE" != "SELECT name FROM customer WHERE age";
    },
    apply: Apply::ExprOf(exprs::CASE.or(exprs::FUNCTION).or(exprs::BINARY).or(exprs::UNARY), conditional),
};

/// A CASE found to have one value counts as vacated: `vacuous` says what that is for.
fn conditional(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let new = match &*e {
        Expr::Case { operand, branches, otherwise } => {
            let otherwise = otherwise.as_deref().unwrap_or(&Expr::NULL);
            let new = case(operand.as_deref(), branches, otherwise).filter(|new| new != e);
            cx.vacated += usize::from(matches!(new, Some(Expr::Literal(_))));
            new
        }
        Expr::Function { name, args } => function(name, args, cx),
        Expr::Binary { op, left, right } => comparison(*op, left, right, cx),
        Expr::Unary { op: op @ (UnaryOp::IsNull | UnaryOp::Not), expr } => {
            into_branches(expr, &|e| Expr::unary(*op, e))
        }
        _ => None,
    };
    put(e, new)
}

/// CASE x WHEN a becomes CASE WHEN x = a, which copies x: only a small one that gives the same each time.
/// Then branches go that never apply or whose condition stood before, whatever follows one that always
/// applies, and at the end those that give what ELSE gives. `CASE WHEN p THEN 1 ELSE 0 END` is `p IS 1`:
/// where p is NULL, ELSE applies.
fn case(operand: Option<&Expr>, branches: &[(Expr, Expr)], otherwise: &Expr) -> Option<Expr> {
    if let Some(x) = operand {
        let branches = branches.iter().map(|(w, t)| (x.clone().eq(w.clone()), t.clone())).collect();
        return may_be_copied(x).then(|| searched(branches, otherwise.clone()));
    }
    let mut kept: Vec<(Expr, Expr)> = Vec::new();
    let mut rest = otherwise.clone();
    for (w, t) in branches {
        if w.is_never_true() || kept.iter().any(|(k, _)| k == w && k.is_deterministic()) {
            continue;
        }
        if w.is_true() {
            rest = t.clone();
            break;
        }
        kept.push((w.clone(), t.clone()));
    }
    // Only from the end: a branch in the middle keeps later ones from applying.
    while kept.last().is_some_and(|(w, t)| *t == rest && w.is_deterministic() && t.is_deterministic()) {
        kept.pop();
    }
    if kept.is_empty() {
        return Some(rest);
    }
    if let [(w, t)] = kept.as_slice()
        && w.is_boolean()
        && let (Some(yes @ (0 | 1)), Some(no @ (0 | 1))) = (t.as_integer(), rest.as_integer())
        && yes != no
    {
        let op = if yes == 1 { BinaryOp::Is } else { BinaryOp::IsNot };
        return Some(Expr::binary(op, w.clone(), Expr::integer(1)));
    }
    Some(searched(kept, rest))
}

/// True for an expression that may stand twice for once: a small one that has one value.
fn may_be_copied(x: &Expr) -> bool {
    x.size() <= MAX_COPIED && x.is_deterministic() && !x.has_subquery()
}

/// CASE with these branches and this ELSE, which goes without saying where it is NULL.
fn searched(branches: Vec<(Expr, Expr)>, rest: Expr) -> Expr {
    Expr::case(branches, (!rest.is_null_literal()).then_some(rest))
}

/// IIF and NULLIF by their definitions. COALESCE, of which IFNULL is one, takes in nested ones, passes over
/// NULL and ends at what is never NULL by its form: a constant or EXISTS. What is never NULL by the schema
/// ends it in `null-operands`.
fn function(name: &str, args: &[Expr], cx: &Context<'_>) -> Option<Expr> {
    match (name, args) {
        ("iif" | "if", [p, yes, no]) => Some(Expr::case(vec![(p.clone(), yes.clone())], Some(no.clone()))),
        ("nullif", [a, b]) if may_be_copied(a) => {
            // The function compares values as they are stored, and converts none.
            let (one, two) = match cx.converts_nothing(a, b) {
                true => (a.clone(), b.clone()),
                false => (a.clone().plain(), b.clone().plain()),
            };
            Some(Expr::case(vec![(one.eq(two), Expr::NULL)], Some(a.clone())))
        }
        ("ifnull" | "coalesce", _) => {
            let mut kept: Vec<Expr> = Vec::new();
            for a in args {
                match a {
                    Expr::Function { name, args } if name == "coalesce" => kept.extend(args.iter().cloned()),
                    a if a.is_null_literal() => {}
                    a => kept.push(a.clone()),
                }
                if kept.last().is_some_and(|a| matches!(a, Expr::Literal(_) | Expr::Exists(_))) {
                    break;
                }
            }
            match kept.len() {
                0 => Some(Expr::NULL),
                1 => kept.pop(),
                _ => (name != "coalesce" || kept != args).then(|| Expr::function("coalesce", kept)),
            }
        }
        _ => {
            let strict = function::scalar(name).is_some_and(|known| known.nulls.is_strict());
            let none =
                strict && args.iter().any(Expr::is_null_literal) && args.iter().all(Expr::is_deterministic);
            none.then_some(Expr::NULL)
        }
    }
}

/// An operator with a constant on one side. A strict one with NULL is NULL; IS NULL has an operator of its
/// own, and IS FALSE is IS TRUE of the opposite; a predicate compared with 0 or 1 is itself or its opposite (but `age = 1` is not `age`, which is true
/// for 2 as well); and a comparison with a CASE moves into its branches.
fn comparison(op: BinaryOp, left: &Expr, right: &Expr, cx: &mut Context<'_>) -> Option<Expr> {
    use BinaryOp::{Concat, Eq, Is, IsNot, Like, NotEq};
    let strict = op.is_comparison() || op.is_arithmetic() || matches!(op, Concat | Like);
    if strict && (left.is_null_literal() || right.is_null_literal()) {
        let other = if left.is_null_literal() { right } else { left };
        return (other.is_deterministic() && !matches!(other, Expr::Row(_))).then_some(Expr::NULL);
    }
    let (x, constant) = match (left, right) {
        (Expr::Literal(v), x) | (x, Expr::Literal(v)) => (x, v),
        _ => return None,
    };
    // What stands in the place of `x`.
    let beside = |new: Expr| match left {
        Expr::Literal(_) => Expr::binary(op, left.clone(), new),
        _ => Expr::binary(op, new, right.clone()),
    };
    // A constant cast to the kind it is, next to another of that kind.
    if let Expr::Cast { expr, affinity } = x
        && let Expr::Literal(v) = &**expr
        && matches!(
            (affinity, v, constant),
            (Affinity::Integer | Affinity::Numeric, Value::Integer(_), Value::Integer(_))
                | (Affinity::Text, Value::Text(_), Value::Text(_))
        )
    {
        return Some(beside((**expr).clone()));
    }
    match (op, constant) {
        (Is | IsNot, Value::Null) if !matches!(x, Expr::Row(_)) => {
            Some(asserted(x.clone().is_null(), op == Is))
        }
        (Eq | NotEq, Value::Integer(v @ (0 | 1))) if x.is_boolean() => {
            Some(asserted(x.clone(), (op == Eq) == (*v == 1)))
        }
        (Is | IsNot, Value::Integer(0)) if x.is_boolean() && !x.is_literal() => {
            let mut opposite = x.clone().not();
            negate(&mut opposite, cx);
            Some(Expr::binary(op, opposite, Expr::integer(1)))
        }
        _ if op.is_comparison() || op.is_null_safe() => into_branches(x, &beside),
        _ => None,
    }
}

/// CASE with `f` around each of its values, if it has few: `CASE WHEN p THEN a ELSE b END = 5` as
/// `CASE WHEN p THEN a = 5 ELSE b = 5 END`.
fn into_branches(e: &Expr, f: &dyn Fn(Expr) -> Expr) -> Option<Expr> {
    let (branches, otherwise) = e.as_case().filter(|(branches, _)| branches.len() <= MAX_BRANCHES)?;
    let rest = otherwise.as_deref().cloned().unwrap_or(Expr::NULL);
    let branches = branches.iter().map(|(w, t)| (w.clone(), f(t.clone())));
    Some(Expr::case(branches.collect(), Some(f(rest))))
}

pub(super) const NULL_OPERANDS: Rule = Rule {
    name: "null-operands",
    summary: "NOT NULL and a cast of NULL are NULL; COALESCE ends at what is never NULL; IS 1 of a predicate that is never NULL is the predicate; CASE WHEN p THEN NULL ELSE 0 END is p AND NULL where p is never NULL",
    why: "An operator that gives NULL for NULL needs no evaluation, and COALESCE never looks beyond its first value that is not NULL.",
    source: "three-valued logic; which columns are never NULL follows from the schema and the semantics",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "nulls": "SELECT COALESCE(name, city) FROM customer" == "SELECT name FROM customer";
        "nulls": "SELECT CASE WHEN city IS NULL THEN NULL ELSE 0 END FROM customer" == "SELECT city IS NULL AND NULL FROM customer";
        "nulls": "SELECT CASE WHEN city IS NULL THEN 0 END FROM customer" == "SELECT city IS NOT NULL AND NULL FROM customer";
        "nulls": "SELECT COALESCE(city, name) FROM customer" != "SELECT city FROM customer";
        "nulls": "SELECT CASE WHEN age = 3 THEN NULL ELSE 0 END FROM customer" != "SELECT age = 3 AND NULL FROM customer";
    },
    apply: Apply::RelOf(Kinds::COMPUTING, null_operands),
};

/// NOT NULL and casts of NULL need no knowledge, but are rare enough to go the same way.
fn null_operands(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let worth = |e: &Expr| match e {
        Expr::Unary { op: UnaryOp::Not, expr } | Expr::Cast { expr, .. } => expr.is_null_literal(),
        Expr::Function { name, .. } => name == "coalesce",
        Expr::Binary { op, left, right } => op.is_null_safe() && (left.is_literal() || right.is_literal()),
        e => null_or_false(e).is_some(),
    };
    change_knowing(rel, cx, worth, |e, known, cx| put(e, without_null(e, known, cx)))
}

/// What an operator, a COALESCE or a test of a truth value is, by what is NULL in it and what is not.
fn without_null(e: &Expr, known: &ColumnSet, cx: &Context<'_>) -> Option<Expr> {
    match e {
        Expr::Unary { op: UnaryOp::Not, expr } | Expr::Cast { expr, .. } if expr.is_null_literal() => {
            Some(Expr::NULL)
        }
        Expr::Function { name, args } if name == "coalesce" => {
            let sure = args.iter().position(|a| a.is_deterministic() && !cx.may_be_null(a, known));
            match sure {
                Some(0) => args.first().cloned(),
                Some(at) if at + 1 < args.len() => {
                    Some(Expr::function(name.clone(), args.iter().take(at + 1).cloned().collect()))
                }
                _ => None,
            }
        }
        Expr::Binary { op: BinaryOp::Is | BinaryOp::IsNot, .. } => e.readings().find_map(|(x, op, v)| {
            let v = v.as_integer().filter(|v| matches!(v, 0 | 1))?;
            let sure = x.is_boolean() && !cx.may_be_null(x, known);
            sure.then(|| asserted(x.clone(), (op == BinaryOp::Is) == (v == 1)))
        }),
        e => {
            let (condition, holds) = null_or_false(e)?;
            let sure = condition.is_boolean() && !cx.may_be_null(condition, known);
            sure.then(|| Expr::And(vec![asserted(condition.clone(), holds), Expr::NULL]))
        }
    }
}

/// The condition of a CASE that is NULL or 0, and whether it is NULL where the condition is true.
fn null_or_false(e: &Expr) -> Option<(&Expr, bool)> {
    let (condition, value, rest) = e.as_conditional().filter(|(condition, ..)| !condition.is_literal())?;
    let rest = rest.unwrap_or(&Expr::NULL);
    match (value.is_null_literal(), rest.is_null_literal()) {
        (true, false) if rest.is_false() => Some((condition, true)),
        (false, true) if value.is_false() => Some((condition, false)),
        _ => None,
    }
}

pub(super) const TRUE_ALONE: Rule = Rule {
    name: "true-alone",
    summary: "where only being true counts, NULL is false, p IS TRUE is p, a group's COUNT(*) is not 0, x < x does not hold, and CASE is a disjunction of its branches",
    why: "A filter drops a row for FALSE and for NULL alike, so one may stand for the other there.",
    source: "three-valued logic: a filter keeps the rows for which its predicate is true",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "nulls": "SELECT id FROM customer WHERE CASE WHEN id = 1 THEN 0 WHEN age = 2 THEN 1 ELSE NULL END"
            == "SELECT id FROM customer WHERE id <> 1 AND age = 2";
        "nulls": "SELECT id FROM customer WHERE age = 1 OR NULL" == "SELECT id FROM customer WHERE age = 1";
        "nulls": "SELECT (age = 1 OR NULL) IS TRUE FROM customer" == "SELECT (age = 1) IS TRUE FROM customer";
        "nulls": "SELECT id FROM customer WHERE age < age OR id = 3" == "SELECT id FROM customer WHERE id = 3";
        "nulls": "SELECT c.id FROM customer c LEFT JOIN (SELECT day, COUNT(*) AS n FROM orders GROUP BY day) o ON o.day = c.city WHERE o.n = 0 OR c.id = 3"
            == "SELECT id FROM customer WHERE id = 3";
        "nulls": "SELECT c.id FROM customer c LEFT JOIN (SELECT day, COUNT(total) AS n FROM orders GROUP BY day) o ON o.day = c.city WHERE o.n = 0 OR c.id = 3"
            != "SELECT id FROM customer WHERE id = 3";
        "nulls": "SELECT id FROM customer WHERE NOT (age < age)" != "SELECT id FROM customer";
        "nulls": "SELECT id FROM customer WHERE CASE WHEN age = 1 THEN 0 ELSE 1 END" != "SELECT id FROM customer WHERE age <> 1";
        "nulls": "SELECT id, age = 1 OR NULL FROM customer" != "SELECT id, age = 1 FROM customer";
    },
    apply: Apply::RelOf(Kinds::COMPUTING, true_alone),
};

/// Conditions of filters and joins, FILTER of aggregates, WHEN in any CASE, and what is asked to be TRUE: there NULL does
/// what false does.
fn true_alone(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let asks = |of: fn(&Expr) -> bool| rel.exprs().into_iter().any(|e| e.any(of));
    let mut known = Below::default();
    if asks(|e| matches!(e, Expr::Case { .. })) {
        known.not_null = cx.not_null_below(rel);
    }
    if asks(none_counted) {
        rel.inputs().into_iter().for_each(|r| group_counts(r, &mut known.counts));
    }
    let positive = |e: &mut Expr| positive(e, &known, cx);
    let mut changed = change_each(rel.condition_mut().into_iter().flatten(), positive);
    if let Some((_, _, calls)) = rel.as_aggregate_mut() {
        changed |= change_each(calls.iter_mut().filter_map(|(_, call)| call.filter.as_mut()), positive);
    }
    let mut conditions = |e: &mut Expr| match e {
        Expr::Case { operand: None, branches, .. } => change_each(branches, |(w, _)| positive(w)),
        // `p IS 1` asks whether p is true, and so does its opposite.
        Expr::Binary { op: BinaryOp::Is | BinaryOp::IsNot, left, right } => {
            let (p, one) = if left.is_literal() { (right, left) } else { (left, right) };
            p.is_boolean() && one.as_integer() == Some(1) && positive(p)
        }
        _ => false,
    };
    (change_each(rel.exprs_mut(), |e| e.map(&mut conditions)) | changed).then_some(())
}

/// What is known of the columns that a relation reads.
#[derive(Default)]
struct Below {
    not_null: ColumnSet,
    /// Counts of the rows of a group: 1 or more, or NULL where an outer join fills up.
    counts: ColumnSet,
}

/// True for a test that a column is 0, as a count might be.
fn none_counted(e: &Expr) -> bool {
    asked_of_zero(e).is_some_and(|(x, none)| none && x.as_column().is_some())
}

/// Adds the columns that count the rows of groups.
fn group_counts(rel: &Rel, into: &mut ColumnSet) {
    match rel {
        Rel::Aggregate { keys, calls, .. } if !keys.is_empty() => {
            into.extend(calls.iter().filter(|(_, call)| call.counts_rows()).map(|(c, _)| *c));
        }
        Rel::Filter { .. } | Rel::Join { .. } | Rel::OuterJoin { .. } | Rel::Sort { .. } => {
            rel.inputs().into_iter().for_each(|r| group_counts(r, into));
        }
        _ => {}
    }
}

/// An expression of which only being true counts, and the operands of AND and OR in it. NOT does not pass
/// this on: NOT NULL is not true, and NOT 0 is.
fn positive(e: &mut Expr, known: &Below, cx: &Context<'_>) -> bool {
    let zero = asked_of_zero(e).filter(|(_, none)| *none).and_then(|(x, _)| x.as_column());
    if zero.is_some_and(|c| known.counts.contains(&c)) {
        *e = Expr::integer(0);
        return true;
    }
    let new = match e {
        Expr::And(list) | Expr::Or(list) => {
            return change_each(list, |e| positive(e, known, cx));
        }
        Expr::Literal(Value::Null) => Some(Expr::integer(0)),
        // Of one value none is less than itself, and where it is NULL the comparison is.
        Expr::Binary { op: BinaryOp::Lt | BinaryOp::NotEq, left, right } if left == right => {
            left.is_deterministic().then(|| Expr::integer(0))
        }
        Expr::Binary { op: BinaryOp::Is, .. } => {
            let mut tests = e.readings().filter(|(x, _, one)| one.as_integer() == Some(1) && x.is_boolean());
            tests.next().map(|(x, ..)| x.clone())
        }
        Expr::Function { name, args } if name == "coalesce" => match args.as_slice() {
            [x, last] if last.is_false() && x.is_boolean() => Some(x.clone()),
            _ => None,
        },
        Expr::Case { operand: None, branches, otherwise } => {
            branches_as_disjunction(branches, otherwise.as_deref(), &known.not_null, cx)
        }
        _ => None,
    };
    put(e, new).is_some()
}

/// `CASE WHEN p THEN a WHEN q THEN b ELSE c END` as `p AND a OR NOT p AND q AND b OR NOT p AND NOT q AND c`.
/// A branch is passed over for NULL as for false, so of a p that may be NULL `p IS NOT 1` stands for NOT p.
/// What branches give has to be a predicate or TRUE, and branches few, as each condition is copied into all
/// arms after its own.
fn branches_as_disjunction(
    branches: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
    known: &ColumnSet,
    cx: &Context<'_>,
) -> Option<Expr> {
    if branches.len() > MAX_BRANCHES {
        return None;
    }
    // ELSE is a last branch whose condition is true.
    let mut branches = branches.to_vec();
    branches.extend(otherwise.map(|e| (Expr::integer(1), e.clone())));
    let fits = |e: &Expr| e.is_boolean() && e.is_deterministic() && !e.has_subquery();
    if !branches.iter().all(|(w, t)| fits(w) && (fits(t) || t.is_true())) {
        return None;
    }
    let mut before: Vec<Expr> = Vec::new();
    let mut arms: Vec<Expr> = Vec::new();
    for (w, t) in branches {
        let otherwise = if cx.may_be_null(&w, known) {
            Expr::binary(BinaryOp::IsNot, w.clone(), Expr::integer(1))
        } else {
            w.clone().not()
        };
        if !t.is_never_true() {
            let own = [w, t].into_iter().filter(|e| !e.is_true());
            let all = before.iter().cloned().chain(own).flat_map(Expr::conjuncts);
            arms.push(Expr::and_all(all.collect()));
        }
        before.push(otherwise);
    }
    Some(Expr::or_all(arms))
}

pub(super) const TURNED: Rule = Rule {
    name: "turned-case",
    summary: "CASE WHEN NOT p THEN a ELSE b is CASE WHEN p THEN b ELSE a where p is never NULL, or a and b are NULL with it; 0 and NULL go last",
    why: "Where a condition is true or false, the two values of a CASE may change places with its opposite.",
    source: "SQL: ELSE applies where the condition is not true",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "nulls": "SELECT CASE WHEN city IS NOT NULL THEN name ELSE 'x' END FROM customer"
            == "SELECT IIF(city IS NULL, 'x', name) FROM customer";
        "nulls": "SELECT CASE WHEN id > 3 THEN name ELSE city END FROM customer"
            == "SELECT CASE WHEN id <= 3 THEN city ELSE name END FROM customer";
        "default": "SELECT SUM(CASE WHEN city = 'a' THEN 0 ELSE score END) FROM customer"
            == "SELECT SUM(CASE WHEN city <> 'a' THEN score ELSE 0 END) FROM customer";
        "nulls": "SELECT CASE WHEN age <= 3 THEN -1 * age ELSE age END FROM customer"
            == "SELECT CASE WHEN age > 3 THEN age ELSE -1 * age END FROM customer";
        "nulls": "SELECT CASE WHEN age <= 3 THEN id ELSE age END FROM customer"
            != "SELECT CASE WHEN age > 3 THEN age ELSE id END FROM customer";
        "nulls": "SELECT CASE WHEN age <> 3 THEN name ELSE 'x' END FROM customer"
            != "SELECT CASE WHEN age = 3 THEN 'x' ELSE name END FROM customer";
        "default": "SELECT CASE WHEN id > 3 THEN name ELSE city END FROM customer"
            != "SELECT CASE WHEN id < 3 THEN city ELSE name END FROM customer";
    },
    apply: Apply::RelOf(Kinds::COMPUTING, turned),
};

/// Which columns are never NULL is found out only where there is a CASE to turn.
fn turned(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    change_knowing(rel, cx, |e| better_turned(e).is_some(), turn)
}

/// The condition takes the form that other rules give its opposite at once, or a NOT would be turned again.
fn turn(e: &mut Expr, known: &ColumnSet, cx: &mut Context<'_>) -> Changed {
    let condition = better_turned(e)
        .filter(|condition| !cx.may_be_null(condition, known) || null_together(e, condition))?;
    let mut opposite = condition.clone().not();
    negate(&mut opposite, cx);
    orient(&mut opposite, cx);
    let (branches, otherwise) = e.as_case_mut()?;
    let rest = otherwise.take().map_or(Expr::NULL, |rest| *rest);
    let last = branches.pop().map(|(_, value)| value).filter(|value| !value.is_null_literal());
    *e = Expr::case(vec![(opposite, rest)], last);
    Some(())
}

/// True where a column is compared with a constant, and both values of the CASE are NULL where the column is: which of them
/// applies then does not matter.
fn null_together(e: &Expr, condition: &Expr) -> bool {
    let column = condition.readings().find_map(|(x, op, constant)| {
        let plain = op.is_comparison() && constant.is_literal() && !constant.is_null_literal();
        x.as_column().filter(|_| plain)
    });
    let Some((column, (_, value, rest))) = column.zip(e.as_conditional()) else {
        return false;
    };
    let follows = |e: &Expr| {
        let mut strict = ColumnSet::new();
        strict_columns(e, &mut strict);
        strict.contains(&column) || e.is_null_literal()
    };
    follows(value) && rest.is_none_or(follows)
}

/// The condition of a CASE that is better said the other way round: nothing comes last, and where neither value is
/// nothing, or both are, the condition is no NOT or <>, asks for more than a constant and not for less, and is no <=
/// between two others. (Of whole numbers `integer-bounds` makes `x < 3` and `x <= 2` one.)
fn better_turned(e: &Expr) -> Option<&Expr> {
    let (condition, value, rest) = e.as_conditional()?;
    let rest = rest.unwrap_or(&Expr::NULL);
    let nothing = |e: &Expr| e.is_null_literal() || *e == Expr::integer(0);
    let turn = match (nothing(value), nothing(rest)) {
        (true, false) => true,
        (false, true) => false,
        _ => match condition {
            Expr::Unary { op: UnaryOp::Not, .. } => true,
            Expr::Binary { op: BinaryOp::NotEq | BinaryOp::IsNot, .. } => true,
            Expr::Binary { op: op @ (BinaryOp::Lt | BinaryOp::LtEq), left, right } => {
                !left.is_literal() && (right.is_literal() || *op == BinaryOp::LtEq)
            }
            _ => false,
        },
    };
    // NOT of a number is no number's opposite; and of a collated comparison the sides may not change places.
    let boolean = match condition {
        Expr::Unary { op: UnaryOp::Not, expr } => expr.is_boolean(),
        condition => condition.is_boolean(),
    };
    let fits = turn && boolean && !condition.any(|x| matches!(x, Expr::Collate { .. }));
    fits.then_some(condition)
}

pub(super) const CONSTANT_AGGREGATES: Rule = Rule {
    name: "constant-aggregates",
    summary: "aggregates of NULL, and those whose FILTER is never true, are 0 or NULL; FILTER (WHERE TRUE) goes",
    why: "An aggregate that has no value to take in gives what it gives for no rows.",
    source: "SQL: aggregates leave NULLs out",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT COUNT(NULL), SUM(NULL) FROM customer" == "SELECT 0, NULL";
        "nulls": "SELECT city, COUNT(*) FILTER (WHERE 1 = 2) FROM customer GROUP BY city" == "SELECT DISTINCT city, 0 FROM customer";
        "default": "SELECT COUNT(age) FROM customer" != "SELECT 0";
    },
    apply: Apply::RelOf(rels::AGGREGATE, constant_aggregates),
};

/// The constants stand in a projection above what is left of the grouping. That still has its keys, even with
/// no call left: the groups remain. Its columns get new ids, as the projection now produces the old ones.
fn constant_aggregates(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    let mut changed = false;
    for (_, call) in calls.iter_mut() {
        if call.filter.as_ref().is_some_and(Expr::is_true) {
            call.filter = None;
            changed = true;
        }
    }
    let value = |call: &AggregateCall| {
        let nothing =
            call.args.iter().any(Expr::is_null_literal) || call.filter.as_ref().is_some_and(Expr::is_false);
        match call.func {
            AggFunc::Count if nothing => Some(Expr::integer(0)),
            AggFunc::Sum | AggFunc::Min | AggFunc::Max | AggFunc::Avg if nothing => Some(Expr::NULL),
            _ => None,
        }
    };
    let constant: Vec<(ColumnId, Expr)> =
        calls.iter().filter_map(|(c, call)| value(call).map(|v| (*c, v))).collect();
    if constant.is_empty() {
        return changed.then_some(());
    }
    cx.vacated += constant.len();
    if keys.is_empty() && constant.len() == calls.len() {
        // One row all the same.
        *rel = Rel::project(Rel::unit(), constant);
        return Some(());
    }
    calls.retain(|(c, _)| !constant.iter().any(|(d, _)| c == d));
    let mut exprs = constant;
    for (c, _) in keys.iter_mut() {
        let new = cx.fresh_like(*c);
        exprs.push((*c, Expr::Column(new)));
        *c = new;
    }
    for (c, _) in calls.iter_mut() {
        let new = cx.fresh(cx.info(*c).cloned().unwrap_or_else(|| computed("value")));
        exprs.push((*c, Expr::Column(new)));
        *c = new;
    }
    let own = Rel::aggregate(input.take(), std::mem::take(keys), std::mem::take(calls));
    *rel = Rel::project(own, exprs);
    Some(())
}

//! CASE, COALESCE and NULLIF, NULL as an operand, and predicates of which only being true counts.
//!
//! IIF, NULLIF and CASE with an operand become the searched CASE, whose branches can then be looked at one by
//! one; where a CASE is a condition it becomes AND and OR, and the rules for these take over.

use std::collections::BTreeSet;

use super::predicates::{negate, orient};
use super::put;
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr, UnaryOp};
use crate::normalize::context::{Context, computed};
use crate::normalize::example::examples;
use crate::normalize::rule::{Apply, Needs, Rule};
use crate::rel::{ColumnId, Rel};
use crate::schema::Affinity;
use crate::tree::Tree;
use crate::value::Value;

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
    apply: Apply::Expr(conditional),
};

/// A CASE found to have one value counts as vacated: `vacuous` says what that is for.
fn conditional(e: &mut Expr, cx: &mut Context<'_>) -> bool {
    let new = match e {
        Expr::Case { .. } => {
            let new = case(e);
            cx.vacated += usize::from(matches!(new, Some(Expr::Literal(_))));
            new
        }
        Expr::Function { name, args } => function(name, args),
        Expr::Binary { op, left, right } => comparison(*op, left, right),
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
fn case(e: &Expr) -> Option<Expr> {
    let Expr::Case { operand, branches, otherwise } = e else {
        return None;
    };
    if let Some(x) = operand {
        if x.size() > MAX_COPIED || !x.is_deterministic() || x.has_subquery() {
            return None;
        }
        let branches =
            branches.iter().map(|(w, t)| (Expr::binary(BinaryOp::Eq, (**x).clone(), w.clone()), t.clone()));
        return Some(Expr::Case {
            operand: None,
            branches: branches.collect(),
            otherwise: otherwise.clone(),
        });
    }
    let mut kept: Vec<(Expr, Expr)> = Vec::new();
    let mut rest = otherwise.as_deref().cloned().unwrap_or(Expr::NULL);
    for (w, t) in branches {
        if w.is_false() || w.is_null_literal() || kept.iter().any(|(k, _)| k == w && k.is_deterministic()) {
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
    {
        if *t == Expr::integer(1) && rest == Expr::integer(0) {
            return Some(Expr::binary(BinaryOp::Is, w.clone(), Expr::integer(1)));
        }
        if *t == Expr::integer(0) && rest == Expr::integer(1) {
            return Some(Expr::binary(BinaryOp::IsNot, w.clone(), Expr::integer(1)));
        }
    }
    let new = Expr::Case {
        operand: None,
        branches: kept,
        otherwise: (!rest.is_null_literal()).then(|| Box::new(rest)),
    };
    (new != *e).then_some(new)
}

/// IIF and NULLIF by their definitions. COALESCE, of which IFNULL is one, takes in nested ones, passes over
/// NULL and ends at what is never NULL by its form: a constant or EXISTS. What is never NULL by the schema
/// ends it in `null-operands`.
fn function(name: &str, args: &[Expr]) -> Option<Expr> {
    match (name, args) {
        ("iif" | "if", [p, yes, no]) => Some(Expr::Case {
            operand: None,
            branches: vec![(p.clone(), yes.clone())],
            otherwise: Some(Box::new(no.clone())),
        }),
        ("nullif", [a, b]) if a.size() <= MAX_COPIED && a.is_deterministic() && !a.has_subquery() => {
            Some(Expr::Case {
                operand: None,
                branches: vec![(a.clone().eq(b.clone()), Expr::NULL)],
                otherwise: Some(Box::new(a.clone())),
            })
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
        _ => None,
    }
}

/// An operator with a constant on one side. A strict one with NULL is NULL; IS NULL has an operator of its
/// own; a predicate compared with 0 or 1 is itself or its opposite (but `age = 1` is not `age`, which is true
/// for 2 as well); and a comparison with a CASE moves into its branches.
fn comparison(op: BinaryOp, left: &Expr, right: &Expr) -> Option<Expr> {
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
    // A constant cast to the kind it is, next to another of that kind.
    if let Expr::Cast { expr, affinity } = x
        && let Expr::Literal(v) = &**expr
        && matches!(
            (affinity, v, constant),
            (Affinity::Integer | Affinity::Numeric, Value::Integer(_), Value::Integer(_))
                | (Affinity::Text, Value::Text(_), Value::Text(_))
        )
    {
        let bare = (**expr).clone();
        return Some(if matches!(left, Expr::Literal(_)) {
            Expr::binary(op, left.clone(), bare)
        } else {
            Expr::binary(op, bare, right.clone())
        });
    }
    match (op, constant) {
        (Is, Value::Null) if !matches!(x, Expr::Row(_)) => {
            return Some(x.clone().is_null());
        }
        (IsNot, Value::Null) if !matches!(x, Expr::Row(_)) => {
            return Some(x.clone().is_null().not());
        }
        (Eq, Value::Integer(1)) | (NotEq, Value::Integer(0)) if x.is_boolean() => return Some(x.clone()),
        (Eq, Value::Integer(0)) | (NotEq, Value::Integer(1)) if x.is_boolean() => {
            return Some(x.clone().not());
        }
        _ => {}
    }
    if !op.is_comparison() && !op.is_null_safe() {
        return None;
    }
    if matches!(right, Expr::Literal(_)) {
        into_branches(left, &|e| Expr::binary(op, e, right.clone()))
    } else {
        into_branches(right, &|e| Expr::binary(op, left.clone(), e))
    }
}

/// CASE with `f` around each of its values, if it has few: `CASE WHEN p THEN a ELSE b END = 5` as
/// `CASE WHEN p THEN a = 5 ELSE b = 5 END`.
fn into_branches(e: &Expr, f: &dyn Fn(Expr) -> Expr) -> Option<Expr> {
    let Expr::Case { operand: None, branches, otherwise } = e else {
        return None;
    };
    if branches.len() > MAX_BRANCHES {
        return None;
    }
    let rest = otherwise.as_deref().cloned().unwrap_or(Expr::NULL);
    Some(Expr::Case {
        operand: None,
        branches: branches.iter().map(|(w, t)| (w.clone(), f(t.clone()))).collect(),
        otherwise: Some(Box::new(f(rest))),
    })
}

pub(super) const NULL_OPERANDS: Rule = Rule {
    name: "null-operands",
    summary: "NOT NULL and a cast of NULL are NULL; COALESCE ends at what is never NULL; IS 1 of a predicate that is never NULL is the predicate",
    why: "An operator that gives NULL for NULL needs no evaluation, and COALESCE never looks beyond its first value that is not NULL.",
    source: "three-valued logic; which columns are never NULL follows from the schema and the semantics",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "nulls": "SELECT COALESCE(name, city) FROM customer" == "SELECT name FROM customer";
        "nulls": "SELECT COALESCE(city, name) FROM customer" != "SELECT city FROM customer";
    },
    apply: Apply::Rel(null_operands),
};

/// Which columns are never NULL is found out only where an expression stands that it may decide.
fn null_operands(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    // NOT NULL and casts of NULL need no knowledge, but are rare enough to go the same way.
    let worth = rel.exprs().into_iter().any(|e| {
        e.any(|x| match x {
            Expr::Unary { op: UnaryOp::Not, expr } | Expr::Cast { expr, .. } => expr.is_null_literal(),
            Expr::Function { name, .. } => name == "coalesce",
            Expr::Binary { op: BinaryOp::Is | BinaryOp::IsNot, left, right } => {
                [left, right].iter().any(|x| matches!(***x, Expr::Literal(_)))
            }
            _ => false,
        })
    });
    if !worth {
        return false;
    }
    let known = cx.not_null_below(rel);
    let mut changed = false;
    for e in rel.exprs_mut() {
        changed |= null_operand(e, &known, cx);
    }
    changed
}

/// The same in one expression, from its leaves up.
fn null_operand(e: &mut Expr, known: &BTreeSet<ColumnId>, cx: &Context<'_>) -> bool {
    let new = |e: &Expr| match e {
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
        Expr::Binary { op: op @ (BinaryOp::Is | BinaryOp::IsNot), left, right } => {
            match (&**left, &**right) {
                (x, Expr::Literal(v)) | (Expr::Literal(v), x)
                    if x.is_boolean() && !cx.may_be_null(x, known) && matches!(v, Value::Integer(0 | 1)) =>
                {
                    let same = (*op == BinaryOp::Is) == (*v == Value::Integer(1));
                    Some(if same { x.clone() } else { x.clone().not() })
                }
                _ => None,
            }
        }
        _ => None,
    };
    e.map(|e| put(e, new(e)))
}

pub(super) const TRUE_ALONE: Rule = Rule {
    name: "true-alone",
    summary: "where only being true counts, NULL is false, p IS TRUE is p, and CASE is a disjunction of its branches",
    why: "A filter drops a row for FALSE and for NULL alike, so one may stand for the other there.",
    source: "three-valued logic: a filter keeps the rows for which its predicate is true",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "nulls": "SELECT id FROM customer WHERE CASE WHEN id = 1 THEN 0 WHEN age = 2 THEN 1 ELSE NULL END"
            == "SELECT id FROM customer WHERE id <> 1 AND age = 2";
        "nulls": "SELECT id FROM customer WHERE age = 1 OR NULL" == "SELECT id FROM customer WHERE age = 1";
        "nulls": "SELECT id FROM customer WHERE CASE WHEN age = 1 THEN 0 ELSE 1 END" != "SELECT id FROM customer WHERE age <> 1";
        "nulls": "SELECT id, age = 1 OR NULL FROM customer" != "SELECT id, age = 1 FROM customer";
    },
    apply: Apply::Rel(true_alone),
};

/// Conditions of filters and joins, FILTER of aggregates, and WHEN in any CASE: there NULL does what false
/// does.
fn true_alone(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let known = if rel.exprs().into_iter().any(|e| e.any(|x| matches!(x, Expr::Case { .. }))) {
        cx.not_null_below(rel)
    } else {
        BTreeSet::new()
    };
    let mut changed = false;
    for e in rel.condition_mut().into_iter().flatten() {
        changed |= positive(e, &known, cx);
    }
    if let Rel::Aggregate { calls, .. } = rel {
        for filter in calls.iter_mut().filter_map(|(_, call)| call.filter.as_mut()) {
            changed |= positive(filter, &known, cx);
        }
    }
    for e in rel.exprs_mut() {
        changed |= conditions(e, &known, cx);
    }
    changed
}

/// Conditions of CASE, wherever it stands.
fn conditions(e: &mut Expr, known: &BTreeSet<ColumnId>, cx: &Context<'_>) -> bool {
    e.map(|e| match e {
        Expr::Case { operand: None, branches, .. } => {
            branches.iter_mut().fold(false, |hit, (w, _)| positive(w, known, cx) | hit)
        }
        _ => false,
    })
}

/// An expression of which only being true counts, and the operands of AND and OR in it. NOT does not pass
/// this on: NOT NULL is not true, and NOT 0 is.
fn positive(e: &mut Expr, known: &BTreeSet<ColumnId>, cx: &Context<'_>) -> bool {
    let new = match e {
        Expr::And(list) | Expr::Or(list) => {
            return list.iter_mut().fold(false, |hit, e| positive(e, known, cx) | hit);
        }
        Expr::Literal(Value::Null) => Some(Expr::integer(0)),
        Expr::Binary { op: BinaryOp::Is, left, right } => match (&**left, &**right) {
            (x, Expr::Literal(Value::Integer(1))) | (Expr::Literal(Value::Integer(1)), x)
                if x.is_boolean() =>
            {
                Some(x.clone())
            }
            _ => None,
        },
        Expr::Function { name, args } if name == "coalesce" => match args.as_slice() {
            [x, last] if last.is_false() && x.is_boolean() => Some(x.clone()),
            _ => None,
        },
        Expr::Case { operand: None, branches, otherwise } => {
            branches_as_disjunction(branches, otherwise.as_deref(), known, cx)
        }
        _ => None,
    };
    put(e, new)
}

/// `CASE WHEN p THEN a WHEN q THEN b ELSE c END` as `p AND a OR NOT p AND q AND b OR NOT p AND NOT q AND c`.
/// A branch is passed over for NULL as for false, so of a p that may be NULL `p IS NOT 1` stands for NOT p.
/// What branches give has to be a predicate or TRUE, and branches few, as each condition is copied into all
/// arms after its own.
fn branches_as_disjunction(
    branches: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
    known: &BTreeSet<ColumnId>,
    cx: &Context<'_>,
) -> Option<Expr> {
    if branches.len() > MAX_BRANCHES {
        return None;
    }
    let fits = |e: &Expr| e.is_boolean() && e.is_deterministic() && !e.has_subquery();
    if !branches.iter().all(|(w, t)| fits(w) && (fits(t) || t.is_true()))
        || !otherwise.is_none_or(|e| fits(e) || e.is_true())
    {
        return None;
    }
    let never = |e: &Expr| e.is_false() || e.is_null_literal();
    let mut before: Vec<Expr> = Vec::new();
    let mut arms: Vec<Expr> = Vec::new();
    // ELSE is a last branch whose condition is true.
    let last = otherwise.map(|e| (Expr::integer(1), e.clone()));
    let last = last.as_ref();
    for (w, t) in branches.iter().map(|(w, t)| (w, t)).chain(last.map(|(w, t)| (w, t))) {
        if !never(t) {
            let mut all = before.clone();
            all.extend([w, t].into_iter().filter(|e| !e.is_true()).cloned());
            arms.push(match all.len() {
                0 | 1 => Expr::and_all(all),
                _ => Expr::And(all.into_iter().flat_map(Expr::conjuncts).collect()),
            });
        }
        before.push(if cx.may_be_null(w, known) {
            Expr::binary(BinaryOp::IsNot, w.clone(), Expr::integer(1))
        } else {
            w.clone().not()
        });
    }
    Some(Expr::or_all(arms))
}

pub(super) const TURNED: Rule = Rule {
    name: "turned-case",
    summary: "CASE WHEN NOT p THEN a ELSE b is CASE WHEN p THEN b ELSE a where p is never NULL; 0 and NULL go last",
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
        "nulls": "SELECT CASE WHEN age <> 3 THEN name ELSE 'x' END FROM customer"
            != "SELECT CASE WHEN age = 3 THEN 'x' ELSE name END FROM customer";
        "default": "SELECT CASE WHEN id > 3 THEN name ELSE city END FROM customer"
            != "SELECT CASE WHEN id < 3 THEN city ELSE name END FROM customer";
    },
    apply: Apply::Rel(turned),
};

/// Which columns are never NULL is found out only where there is a CASE to turn.
fn turned(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    if !rel.exprs().into_iter().any(|e| e.any(|x| better_turned(x).is_some())) {
        return false;
    }
    let known = cx.not_null_below(rel);
    let mut changed = false;
    for e in rel.exprs_mut() {
        changed |= e.map(|e| turn(e, &known, cx));
    }
    changed
}

/// The condition takes the form that other rules give its opposite at once, or a NOT would be turned again.
fn turn(e: &mut Expr, known: &BTreeSet<ColumnId>, cx: &mut Context<'_>) -> bool {
    let Some(condition) = better_turned(e).filter(|condition| !cx.may_be_null(condition, known)) else {
        return false;
    };
    let mut opposite = condition.clone().not();
    negate(&mut opposite, cx);
    orient(&mut opposite, cx);
    let Expr::Case { branches, otherwise, .. } = e else {
        return false;
    };
    let rest = otherwise.take().map_or(Expr::NULL, |rest| *rest);
    let last = branches.pop().map(|(_, value)| value).filter(|value| !value.is_null_literal());
    *e = Expr::case(vec![(opposite, rest)], last);
    true
}

/// The condition of a CASE that is better said the other way round: nothing comes last, and where neither value is
/// nothing, or both are, the condition is no NOT or <>, asks for more than a constant and not for less, and is no <=
/// between two others. (Of whole numbers `integer-bounds` makes `x < 3` and `x <= 2` one.)
fn better_turned(e: &Expr) -> Option<&Expr> {
    let Expr::Case { operand: None, branches, otherwise } = e else {
        return None;
    };
    let [(condition, value)] = branches.as_slice() else {
        return None;
    };
    let rest = otherwise.as_deref().unwrap_or(&Expr::NULL);
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
    apply: Apply::Rel(constant_aggregates),
};

/// The constants stand in a projection above what is left of the grouping. That still has its keys, even with
/// no call left: the groups remain. Its columns get new ids, as the projection now produces the old ones.
fn constant_aggregates(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Rel::Aggregate { input, keys, calls } = rel else {
        return false;
    };
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
        return changed;
    }
    cx.vacated += constant.len();
    if keys.is_empty() && constant.len() == calls.len() {
        // One row all the same.
        *rel = Rel::project(Rel::unit(), constant);
        return true;
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
    true
}

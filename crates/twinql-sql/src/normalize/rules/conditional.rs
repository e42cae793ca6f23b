//! CASE, COALESCE and NULLIF, NULL as an operand, and predicates of which only being true
//! counts.

use std::collections::BTreeSet;

use super::super::context::{Context, computed};
use super::super::example::examples;
use super::super::rule::{Apply, Needs, Rule};
use super::super::walk;
use super::predicates::{integer, is_boolean, is_false, is_true};
use crate::expr::{AggFunc, BinaryOp, Expr, UnaryOp};
use crate::rel::{ColumnId, Rel};
use crate::schema::Affinity;
use crate::value::Value;

/// Nodes of an operand that is copied, at most.
const MAX_COPIED: usize = 16;

/// Branches that are taken apart, at most.
const MAX_BRANCHES: usize = 8;

fn null() -> Expr {
    Expr::Literal(Value::Null)
}

fn is_null(e: &Expr) -> bool {
    matches!(e, Expr::Literal(Value::Null))
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary {
        op,
        left: Box::new(left),
        right: Box::new(right),
    }
}

fn not(e: Expr) -> Expr {
    Expr::Unary {
        op: UnaryOp::Not,
        expr: Box::new(e),
    }
}

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

fn conditional(e: &mut Expr, cx: &mut Context<'_>) -> bool {
    let new = match e {
        Expr::Case { .. } => {
            let new = case(e);
            cx.vacated += usize::from(matches!(new, Some(Expr::Literal(_))));
            new
        }
        Expr::Function { name, args } => function(name, args),
        Expr::Binary { op, left, right } => comparison(*op, left, right),
        Expr::Unary {
            op: op @ (UnaryOp::IsNull | UnaryOp::Not),
            expr,
        } => into_branches(expr, &|e| Expr::Unary {
            op: *op,
            expr: Box::new(e),
        }),
        _ => None,
    };
    match new {
        Some(new) => {
            *e = new;
            true
        }
        None => false,
    }
}

fn case(e: &Expr) -> Option<Expr> {
    let Expr::Case {
        operand,
        branches,
        otherwise,
    } = e
    else {
        return None;
    };
    if let Some(x) = operand {
        if walk::expr_size(x) > MAX_COPIED || !walk::is_deterministic(x) || walk::has_subquery(x) {
            return None;
        }
        let branches = branches
            .iter()
            .map(|(w, t)| (binary(BinaryOp::Eq, (**x).clone(), w.clone()), t.clone()));
        return Some(Expr::Case {
            operand: None,
            branches: branches.collect(),
            otherwise: otherwise.clone(),
        });
    }
    let mut kept: Vec<(Expr, Expr)> = Vec::new();
    let mut rest = otherwise.as_deref().cloned().unwrap_or_else(null);
    for (w, t) in branches {
        if is_false(w) || is_null(w) || kept.iter().any(|(k, _)| k == w && walk::is_deterministic(k)) {
            continue;
        }
        if is_true(w) {
            rest = t.clone();
            break;
        }
        kept.push((w.clone(), t.clone()));
    }
    while kept
        .last()
        .is_some_and(|(w, t)| *t == rest && walk::is_deterministic(w) && walk::is_deterministic(t))
    {
        kept.pop();
    }
    if kept.is_empty() {
        return Some(rest);
    }
    if let [(w, t)] = kept.as_slice()
        && is_boolean(w)
    {
        if *t == integer(1) && rest == integer(0) {
            return Some(binary(BinaryOp::Is, w.clone(), integer(1)));
        }
        if *t == integer(0) && rest == integer(1) {
            return Some(binary(BinaryOp::IsNot, w.clone(), integer(1)));
        }
    }
    let new = Expr::Case {
        operand: None,
        branches: kept,
        otherwise: (!is_null(&rest)).then(|| Box::new(rest)),
    };
    (new != *e).then_some(new)
}

fn function(name: &str, args: &[Expr]) -> Option<Expr> {
    match (name, args) {
        ("iif" | "if", [p, yes, no]) => Some(Expr::Case {
            operand: None,
            branches: vec![(p.clone(), yes.clone())],
            otherwise: Some(Box::new(no.clone())),
        }),
        ("nullif", [a, b])
            if walk::expr_size(a) <= MAX_COPIED && walk::is_deterministic(a) && !walk::has_subquery(a) =>
        {
            Some(Expr::Case {
                operand: None,
                branches: vec![(binary(BinaryOp::Eq, a.clone(), b.clone()), null())],
                otherwise: Some(Box::new(a.clone())),
            })
        }
        ("ifnull" | "coalesce", _) => {
            let mut kept: Vec<Expr> = Vec::new();
            for a in args {
                match a {
                    Expr::Function { name, args } if name == "coalesce" => kept.extend(args.iter().cloned()),
                    a if is_null(a) => {}
                    a => kept.push(a.clone()),
                }
                if kept
                    .last()
                    .is_some_and(|a| matches!(a, Expr::Literal(_) | Expr::Exists(_)))
                {
                    break;
                }
            }
            match kept.len() {
                0 => Some(null()),
                1 => kept.pop(),
                _ => (name != "coalesce" || kept != args).then(|| Expr::Function {
                    name: "coalesce".into(),
                    args: kept,
                }),
            }
        }
        _ => None,
    }
}

fn comparison(op: BinaryOp, left: &Expr, right: &Expr) -> Option<Expr> {
    use BinaryOp::{Add, Concat, Div, Eq, Gt, GtEq, Is, IsNot, Like, Lt, LtEq, Mod, Mul, NotEq, Sub};
    let strict = matches!(
        op,
        Eq | NotEq | Lt | LtEq | Gt | GtEq | Add | Sub | Mul | Div | Mod | Concat | Like
    );
    if strict && (is_null(left) || is_null(right)) {
        let other = if is_null(left) { right } else { left };
        return (walk::is_deterministic(other) && !matches!(other, Expr::Row(_))).then(null);
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
            (
                Affinity::Integer | Affinity::Numeric,
                Value::Integer(_),
                Value::Integer(_)
            ) | (Affinity::Text, Value::Text(_), Value::Text(_))
        )
    {
        let bare = (**expr).clone();
        return Some(if matches!(left, Expr::Literal(_)) {
            binary(op, left.clone(), bare)
        } else {
            binary(op, bare, right.clone())
        });
    }
    match (op, constant) {
        (Is, Value::Null) if !matches!(x, Expr::Row(_)) => {
            return Some(Expr::Unary {
                op: UnaryOp::IsNull,
                expr: Box::new(x.clone()),
            });
        }
        (IsNot, Value::Null) if !matches!(x, Expr::Row(_)) => {
            return Some(not(Expr::Unary {
                op: UnaryOp::IsNull,
                expr: Box::new(x.clone()),
            }));
        }
        (Eq, Value::Integer(1)) | (NotEq, Value::Integer(0)) if is_boolean(x) => return Some(x.clone()),
        (Eq, Value::Integer(0)) | (NotEq, Value::Integer(1)) if is_boolean(x) => return Some(not(x.clone())),
        _ => {}
    }
    if !matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq | Is | IsNot) {
        return None;
    }
    if matches!(right, Expr::Literal(_)) {
        into_branches(left, &|e| binary(op, e, right.clone()))
    } else {
        into_branches(right, &|e| binary(op, left.clone(), e))
    }
}

/// CASE with `f` around each of its values, if it has few.
fn into_branches(e: &Expr, f: &dyn Fn(Expr) -> Expr) -> Option<Expr> {
    let Expr::Case {
        operand: None,
        branches,
        otherwise,
    } = e
    else {
        return None;
    };
    if branches.len() > MAX_BRANCHES {
        return None;
    }
    let rest = otherwise.as_deref().cloned().unwrap_or_else(null);
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

fn null_operands(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let worth = walk::own_exprs(rel).into_iter().any(|e| {
        walk::any_expr(e, &mut |x| match x {
            Expr::Unary {
                op: UnaryOp::Not,
                expr,
            }
            | Expr::Cast { expr, .. } => is_null(expr),
            Expr::Function { name, .. } => name == "coalesce",
            Expr::Binary {
                op: BinaryOp::Is | BinaryOp::IsNot,
                left,
                right,
            } => [left, right].iter().any(|x| matches!(***x, Expr::Literal(_))),
            _ => false,
        })
    });
    if !worth {
        return false;
    }
    let known = cx.not_null_below(rel);
    let mut changed = false;
    for e in walk::own_exprs_mut(rel) {
        changed |= null_operand(e, &known, cx);
    }
    changed
}

fn null_operand(e: &mut Expr, known: &BTreeSet<ColumnId>, cx: &Context<'_>) -> bool {
    let mut changed = false;
    for operand in walk::operands_mut(e) {
        changed |= null_operand(operand, known, cx);
    }
    let new = match e {
        Expr::Unary {
            op: UnaryOp::Not,
            expr,
        }
        | Expr::Cast { expr, .. }
            if is_null(expr) =>
        {
            Some(null())
        }
        Expr::Function { name, args } if name == "coalesce" => {
            let sure = args
                .iter()
                .position(|a| walk::is_deterministic(a) && !cx.may_be_null(a, known));
            match sure {
                Some(0) => args.first().cloned(),
                Some(at) if at + 1 < args.len() => Some(Expr::Function {
                    name: name.clone(),
                    args: args.iter().take(at + 1).cloned().collect(),
                }),
                _ => None,
            }
        }
        Expr::Binary {
            op: op @ (BinaryOp::Is | BinaryOp::IsNot),
            left,
            right,
        } => match (&**left, &**right) {
            (x, Expr::Literal(v)) | (Expr::Literal(v), x)
                if is_boolean(x) && !cx.may_be_null(x, known) && matches!(v, Value::Integer(0 | 1)) =>
            {
                let same = (*op == BinaryOp::Is) == (*v == Value::Integer(1));
                Some(if same { x.clone() } else { not(x.clone()) })
            }
            _ => None,
        },
        _ => None,
    };
    if let Some(new) = new {
        *e = new;
        changed = true;
    }
    changed
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

fn true_alone(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let known = if walk::own_exprs(rel)
        .into_iter()
        .any(|e| walk::any_expr(e, &mut |x| matches!(x, Expr::Case { .. })))
    {
        cx.not_null_below(rel)
    } else {
        BTreeSet::new()
    };
    let mut changed = false;
    match rel {
        Rel::Filter { predicate: on, .. } | Rel::Join { on, .. } | Rel::OuterJoin { on, .. } => {
            for e in on {
                changed |= positive(e, &known, cx);
            }
        }
        Rel::Aggregate { calls, .. } => {
            for filter in calls.iter_mut().filter_map(|(_, call)| call.filter.as_mut()) {
                changed |= positive(filter, &known, cx);
            }
        }
        _ => {}
    }
    for e in walk::own_exprs_mut(rel) {
        changed |= conditions(e, &known, cx);
    }
    changed
}

/// Conditions of CASE, wherever it stands.
fn conditions(e: &mut Expr, known: &BTreeSet<ColumnId>, cx: &Context<'_>) -> bool {
    let mut changed = false;
    for operand in walk::operands_mut(e) {
        changed |= conditions(operand, known, cx);
    }
    if let Expr::Case {
        operand: None,
        branches,
        ..
    } = e
    {
        for (w, _) in branches {
            changed |= positive(w, known, cx);
        }
    }
    changed
}

fn positive(e: &mut Expr, known: &BTreeSet<ColumnId>, cx: &Context<'_>) -> bool {
    let new = match e {
        Expr::And(list) | Expr::Or(list) => {
            return list.iter_mut().fold(false, |hit, e| positive(e, known, cx) | hit);
        }
        Expr::Literal(Value::Null) => Some(integer(0)),
        Expr::Binary {
            op: BinaryOp::Is,
            left,
            right,
        } => match (&**left, &**right) {
            (x, Expr::Literal(Value::Integer(1))) | (Expr::Literal(Value::Integer(1)), x)
                if is_boolean(x) =>
            {
                Some(x.clone())
            }
            _ => None,
        },
        Expr::Function { name, args } if name == "coalesce" => match args.as_slice() {
            [x, last] if is_false(last) && is_boolean(x) => Some(x.clone()),
            _ => None,
        },
        Expr::Case {
            operand: None,
            branches,
            otherwise,
        } => branches_as_disjunction(branches, otherwise.as_deref(), known, cx),
        _ => None,
    };
    match new {
        Some(new) => {
            *e = new;
            true
        }
        None => false,
    }
}

fn branches_as_disjunction(
    branches: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
    known: &BTreeSet<ColumnId>,
    cx: &Context<'_>,
) -> Option<Expr> {
    if branches.len() > MAX_BRANCHES {
        return None;
    }
    let fits = |e: &Expr| is_boolean(e) && walk::is_deterministic(e) && !walk::has_subquery(e);
    if !branches.iter().all(|(w, t)| fits(w) && (fits(t) || is_true(t)))
        || !otherwise.is_none_or(|e| fits(e) || is_true(e))
    {
        return None;
    }
    let never = |e: &Expr| is_false(e) || is_null(e);
    let mut before: Vec<Expr> = Vec::new();
    let mut arms: Vec<Expr> = Vec::new();
    let last = otherwise.map(|e| (integer(1), e.clone()));
    let last = last.as_ref();
    for (w, t) in branches
        .iter()
        .map(|(w, t)| (w, t))
        .chain(last.map(|(w, t)| (w, t)))
    {
        if !never(t) {
            let mut all = before.clone();
            all.extend([w, t].into_iter().filter(|e| !is_true(e)).cloned());
            arms.push(match all.len() {
                0 => integer(1),
                1 => all.pop()?,
                _ => Expr::And(all.into_iter().flat_map(walk::conjuncts).collect()),
            });
        }
        before.push(if cx.may_be_null(w, known) {
            binary(BinaryOp::IsNot, w.clone(), integer(1))
        } else {
            not(w.clone())
        });
    }
    Some(match arms.len() {
        0 => integer(0),
        1 => arms.pop()?,
        _ => Expr::Or(arms),
    })
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

fn constant_aggregates(rel: &mut Rel, cx: &mut Context<'_>) -> bool {
    let Rel::Aggregate { input, keys, calls } = rel else {
        return false;
    };
    let mut changed = false;
    for (_, call) in calls.iter_mut() {
        if call.filter.as_ref().is_some_and(is_true) {
            call.filter = None;
            changed = true;
        }
    }
    let value = |call: &crate::expr::AggregateCall| {
        let nothing = call.args.iter().any(is_null) || call.filter.as_ref().is_some_and(is_false);
        match call.func {
            AggFunc::Count if nothing => Some(integer(0)),
            AggFunc::Sum | AggFunc::Min | AggFunc::Max | AggFunc::Avg if nothing => Some(null()),
            _ => None,
        }
    };
    let constant: Vec<(ColumnId, Expr)> = calls
        .iter()
        .filter_map(|(c, call)| value(call).map(|v| (*c, v)))
        .collect();
    if constant.is_empty() {
        return changed;
    }
    cx.vacated += constant.len();
    if keys.is_empty() && constant.len() == calls.len() {
        // One row all the same.
        *rel = Rel::Project {
            input: Box::new(walk::unit()),
            exprs: constant,
        };
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
    let own = Rel::Aggregate {
        input: Box::new(walk::take(input)),
        keys: std::mem::take(keys),
        calls: std::mem::take(calls),
    };
    *rel = Rel::Project {
        input: Box::new(own),
        exprs,
    };
    true
}

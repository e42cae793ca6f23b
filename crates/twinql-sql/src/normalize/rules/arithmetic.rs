//! Arithmetic: what changes nothing goes, constants move to one side of a comparison, and
//! real-valued products and quotients have one form.
//!
//! Ordered rewriting to a normal form rather than an e-graph: each query is normalised
//! once, in tens of microseconds, and compared by equality, which needs one canonical
//! expression, not a set of equal ones.

use super::predicates::orient;
use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

/// The whole number that a literal is equal to. Doubles beyond 9.0e15 (2^53 is a little more) stand for several
/// whole numbers, and are left alone.
fn whole_value(e: &Expr) -> Option<i64> {
    match e {
        Expr::Literal(Value::Integer(i)) => Some(*i),
        Expr::Literal(Value::Real(r)) if r.0.abs() < 9.0e15 && r.0.fract() == 0.0 => Some(r.0 as i64),
        _ => None,
    }
}

pub(super) const IDLE_ARITHMETIC: Rule = Rule {
    name: "idle-arithmetic",
    summary: "in arithmetic, in ROUND and where numbers are compared, x + 0, x - 0, x * 1, x / 1 and -(-x) are x, as is a cast of reals to REAL; x + -1 is x - 1; x * 1.0 is CAST(x AS REAL)",
    why: "Adding 0, multiplying by 1 and casting a real to REAL give back a number, and where numbers are compared nothing else of the value is seen.",
    source: "arithmetic of 64-bit integers and doubles; a column has an affinity that x + 0 has not, which counts beside text",
    needs: Needs::TYPED,
    examples: examples! {
        "strict": "SELECT name FROM customer WHERE age * 1 > - - id" == "SELECT name FROM customer WHERE age > id";
        "strict": "SELECT CAST(CAST(COUNT(age) AS REAL) * 100 AS REAL) / COUNT(*) FROM customer" == "SELECT CAST(COUNT(age) AS REAL) * 100 / COUNT(*) FROM customer";
        "default": "SELECT CAST(age * 100 AS REAL) / id FROM customer" != "SELECT age * 100 / id FROM customer";
        "default": "SELECT name FROM customer WHERE age * 1 = '30'" != "SELECT name FROM customer WHERE age = '30'";
    },
    apply: Apply::ExprOf(exprs::UNARY.or(exprs::BINARY), idle),
};

/// An arithmetic operator reads its operands as numbers, whatever they are, so `(x + 0) * y` may lose the 0.
/// A comparison does not: in `age * 1 = '30'` a number meets a text and is never equal to it, in `age = '30'`
/// the column's affinity makes the text a number. There both sides have to be numbers.
fn idle(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    match e {
        Expr::Unary { op: UnaryOp::Neg, expr } => simplify(expr, cx),
        Expr::Binary { op, left, right } => {
            let numbers = match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => true,
                op => op.is_comparison() && cx.numbers(left).is_some() && cx.numbers(right).is_some(),
            };
            if !numbers {
                return None;
            }
            let (one, two) = (simplify(left, cx), simplify(right, cx));
            one.or(two)
        }
        Expr::Function { name, args } if name == "round" => simplify(args.first_mut()?, cx),
        _ => None,
    }
}

pub(super) const IDLE_OUTPUT: Rule = Rule {
    name: "idle-output",
    summary: "outputs +x, and x + 0, x - 0, x * 1, x / 1 and -(-x) of numbers, are x, as is a cast of a whole number to INTEGER; x * 1.0 is CAST(x AS REAL)",
    why: "Adding 0 and multiplying by 1 give back a number, and an answer shows no affinity.",
    source: "arithmetic of 64-bit integers and doubles; no affinity counts in an answer",
    needs: Needs::TYPED,
    examples: examples! {
        "strict": "SELECT 0 + age * 1, - - id FROM customer" == "SELECT age, id FROM customer";
        "strict": "SELECT +age FROM customer" == "SELECT age FROM customer";
        "strict": "SELECT CAST(SUM(age) AS INTEGER) FROM customer" == "SELECT SUM(age) FROM customer";
        "default": "SELECT CAST(SUM(score) AS INTEGER) FROM customer" != "SELECT SUM(score) FROM customer";
        "default": "SELECT name + 0 FROM customer" != "SELECT name FROM customer";
    },
    apply: Apply::Root(idle_output),
};

/// Only at the root: what a subquery gives may be compared by an affinity that `x` has and `x + 0` has not.
fn idle_output(query: &mut Query, cx: &mut Context<'_>) -> Changed {
    let (_, exprs) = query.rel.as_project_mut()?;
    let bare = |e: &mut Expr| {
        let whole = e.as_cast().filter(|(x, to)| **to == Affinity::Integer && cx.is_integer(x));
        let new = e.as_plus().or(whole.map(|(x, _)| x)).cloned();
        put(e, new).is_some()
    };
    change_each(exprs, |(_, e)| bare(e) | simplify(e, cx).is_some()).then_some(())
}

/// The expression without what changes no number, where no affinity counts.
fn simplify(e: &mut Expr, cx: &Context<'_>) -> Changed {
    let new = match e {
        Expr::Unary { op: UnaryOp::Neg, expr } => match &**expr {
            Expr::Unary { op: UnaryOp::Neg, expr } => cx.numbers(expr).map(|_| (**expr).clone()),
            _ => None,
        },
        Expr::Binary {
            op: op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div),
            left,
            right,
        } => idle_binary(*op, left, right, cx),
        // What is computed of reals is real; NUMERIC leaves every number as it is.
        Expr::Cast { expr, affinity } => {
            let of = cx.numbers(expr).filter(|_| expr.as_column().is_none());
            let idle = match affinity {
                Affinity::Real => of == Some(Numbers::Real),
                Affinity::Numeric => of.is_some(),
                _ => false,
            };
            idle.then(|| (**expr).clone())
        }
        _ => None,
    };
    put(e, new)
}

/// `x + 0`, `x * 1` and the like without their constant, where x gives numbers alone (`'a' + 0` is 0). A
/// neutral real (`x * 1.0`) makes a whole x real, which a cast says in one form for all ways to write it; a
/// real x it leaves as it is.
fn idle_binary(op: BinaryOp, left: &Expr, right: &Expr, cx: &Context<'_>) -> Option<Expr> {
    let neutral = i64::from(matches!(op, BinaryOp::Mul | BinaryOp::Div));
    let commutes = matches!(op, BinaryOp::Add | BinaryOp::Mul);
    let one_side = |x: &Expr, c: &Expr| {
        let of = cx.numbers(x).filter(|_| !x.is_literal() && whole_value(c) == Some(neutral))?;
        let stays = c.as_integer().is_some() || of == Numbers::Real;
        Some(if stays { x.clone() } else { x.clone().cast(Affinity::Real) })
    };
    if let Some(new) = one_side(left, right) {
        return Some(new);
    }
    if commutes && let Some(new) = one_side(right, left) {
        return Some(new);
    }
    // Subtracting a negative constant is adding it, and the reverse.
    let opposite = match op {
        BinaryOp::Add => BinaryOp::Sub,
        BinaryOp::Sub => BinaryOp::Add,
        _ => return None,
    };
    let c = right.as_integer().filter(|c| *c < 0 && cx.numbers(left).is_some())?;
    Some(Expr::binary(opposite, left.clone(), Expr::integer(c.checked_neg()?)))
}

pub(super) const AVERAGE_CASTS: Rule = Rule {
    name: "average-casts",
    summary: "CAST(AVG(x) AS REAL) is AVG(x) in an answer, in arithmetic and in ROUND",
    why: "An average is a real or NULL; only a comparison would mind the affinity that the cast gives it.",
    source: "https://sqlite.org/lang_aggfunc.html: the result of avg() is always a floating point value",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT CAST(AVG(age) AS REAL) / 12 FROM customer" == "SELECT AVG(age) / 12 FROM customer";
        "nulls": "SELECT city, ROUND(CAST(AVG(score) AS REAL), 2) FROM customer GROUP BY city" == "SELECT city, ROUND(AVG(score), 2) FROM customer GROUP BY city";
        "nulls": "SELECT city FROM customer GROUP BY city HAVING CAST(AVG(age) AS REAL) = '30'"
            != "SELECT city FROM customer GROUP BY city HAVING AVG(age) = '30'";
        "nulls": "SELECT CAST(SUM(age) AS REAL) / 12 FROM customer" != "SELECT SUM(age) / 12 FROM customer";
    },
    apply: Apply::RelOf(Kinds::COMPUTING, average_casts),
};

fn average_casts(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let mut of_averages = ColumnSet::new();
    rel.inputs().into_iter().for_each(|input| averages(input, &mut of_averages));
    if of_averages.is_empty() {
        return None;
    }
    let uncast = |e: &mut Expr| {
        let new = match e {
            Expr::Cast { expr, affinity: Affinity::Real } => {
                expr.as_column().filter(|c| of_averages.contains(c)).map(Expr::Column)
            }
            _ => None,
        };
        put(e, new).is_some()
    };
    let mut changed = false;
    if let Rel::Project { exprs, .. } = rel {
        changed |= change_each(exprs, |(_, e)| uncast(e));
    }
    for e in rel.exprs_mut() {
        changed |= e.map(|e| match e {
            Expr::Binary { op, left, right } if op.is_arithmetic() => {
                change_each([&mut **left, &mut **right], uncast)
            }
            Expr::Function { name, args } if name == "round" => args.first_mut().is_some_and(uncast),
            _ => false,
        });
    }
    changed.then_some(())
}

/// The averages among the columns of a relation.
fn averages(rel: &Rel, into: &mut ColumnSet) {
    match rel {
        Rel::Aggregate { calls, .. } => {
            into.extend(calls.iter().filter(|(_, call)| call.func == AggFunc::Avg).map(|(c, _)| *c));
        }
        Rel::Filter { input, .. } | Rel::Sort { input, .. } => averages(input, into),
        Rel::Join { inputs, .. } => inputs.iter().for_each(|input| averages(input, into)),
        _ => {}
    }
}

pub(super) const REAL_FACTORS: Rule = Rule {
    name: "real-factors",
    summary: "in a product or quotient of reals one operand carries the cast, and whole constants are integers",
    why: "One real operand makes SQLite compute in reals, so it does not matter which operand carries the cast.",
    source: "SQLite turns both operands into doubles where one is; whole numbers to 2^53 are exact",
    needs: Needs::TYPED,
    examples: examples! {
        "default": "SELECT age * 1.0 / id FROM customer" == "SELECT age / CAST(id AS REAL) FROM customer";
        "default": "SELECT age * 1.0 / id FROM customer" != "SELECT age / id FROM customer";
    },
    apply: Apply::ExprOf(exprs::BINARY, real_factors),
};

/// One operand of two makes an operation real: the left one, or the right one where the left is a constant.
/// The other loses its cast or its `.0`, since the operator turns it into a double all the same. Where one is
/// real by itself, as a REAL column is, the other needs no cast.
///
/// ```text
/// age / CAST(id AS REAL)   →  CAST(age AS REAL) / id
/// 100.0 / COUNT(*)         →  100 / CAST(COUNT(*) AS REAL)
/// CAST(age AS REAL) * score →  age * score
/// ```
fn real_factors(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let Expr::Binary { op: BinaryOp::Mul | BinaryOp::Div, left, right } = e else {
        return None;
    };
    let (l, r) = (cx.numbers(left)?, cx.numbers(right)?);
    if l != Numbers::Real && r != Numbers::Real || left.is_literal() && right.is_literal() {
        return None;
    }
    // `stripped` is the operand where the other one makes the operation real.
    let stripped = |x: &Expr| match x {
        Expr::Cast { expr, affinity: Affinity::Real }
            if matches!(cx.numbers(expr), Some(Numbers::Whole | Numbers::Either)) =>
        {
            Some((**expr).clone())
        }
        Expr::Literal(Value::Real(_)) => whole_value(x).map(Expr::integer),
        _ => None,
    };
    // Two constants were turned away above, so the carrier is none.
    let (carrier, other) = if left.is_literal() { (right, left) } else { (left, right) };
    let bare = stripped(other);
    let other_is_real = cx.numbers(other) == Some(Numbers::Real) && bare.is_none();
    let carries = cx.numbers(carrier) == Some(Numbers::Real);
    let mut changed = false;
    if let Some(bare) = bare {
        **other = bare;
        changed = true;
    }
    if other_is_real {
        // The other one is real by itself: no cast is needed.
        if let Some(bare) = stripped(carrier) {
            **carrier = bare;
            changed = true;
        }
    } else if !carries {
        **carrier = std::mem::replace(&mut **carrier, Expr::NULL).cast(Affinity::Real);
        changed = true;
    }
    changed.then_some(())
}

pub(super) const COMPARED_SUMS: Rule = Rule {
    name: "compared-sums",
    summary: "x + 1 > 3 is x > 2, x - y < 0 is x < y, -x < 3 is x > -3, 2 * x = 4 is x = 2, where all are whole numbers",
    why: "Adding the same whole number on both sides, negating both or dividing out a common factor keeps the order of whole numbers.",
    source: "order of the integers; a sum that overflows is a real beyond every 64-bit constant",
    needs: Needs::TYPED,
    examples: examples! {
        "strict": "SELECT name FROM customer WHERE age + 1 > 31" == "SELECT name FROM customer WHERE age > 30";
        "strict": "SELECT name FROM customer WHERE age - id < 0" == "SELECT name FROM customer WHERE age < id";
        "strict": "SELECT name FROM customer WHERE -2 * age < -60" == "SELECT name FROM customer WHERE age > 30";
        "default": "SELECT name FROM customer WHERE age - 1 > 30" != "SELECT name FROM customer WHERE age > 29";
        "default": "SELECT name FROM customer WHERE id - age < 0" != "SELECT name FROM customer WHERE age < id";
        "default": "SELECT name FROM customer WHERE age / 2 = 10" != "SELECT name FROM customer WHERE age = 20";
    },
    apply: Apply::ExprOf(exprs::BINARY, compared),
};

/// One step of solving a comparison with a constant for its column. The rule is tried again until none is
/// left: `2 * (age + 1) > 8` is `age + 1 > 4` is `age > 3`.
fn compared(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let comparison = |(_, op, _): &(&Expr, BinaryOp, &Expr)| op.is_comparison();
    let new = e.readings().filter(comparison).find_map(|(side, op, constant)| {
        let constant = constant.as_integer().filter(|_| side.as_integer().is_none())?;
        solved(side, op, constant, cx)
    });
    *e = new?;
    // Comparisons read left to right with < and <= alone.
    orient(e, cx);
    Some(())
}

/// `side op constant` with less on its left. What would overflow stays. A factor is divided out only where
/// nothing is left over, and a negative one turns the comparison round, as does a minus. Quotients are not
/// solved: `age / 2 = 10` holds for 20 and for 21.
fn solved(side: &Expr, op: BinaryOp, constant: i64, cx: &Context<'_>) -> Option<Expr> {
    if cx.numbers(side) != Some(Numbers::Whole) {
        return None;
    }
    if let Expr::Unary { op: UnaryOp::Neg, expr } = side {
        return Some(Expr::binary(op.flipped()?, (**expr).clone(), Expr::integer(constant.checked_neg()?)));
    }
    let (of, left, right) = side.as_binary()?;
    let (x, op, other) = match (of, left.as_integer(), right.as_integer()) {
        (BinaryOp::Add, None, Some(c)) => (left, op, constant.checked_sub(c)?),
        (BinaryOp::Add, Some(c), None) => (right, op, constant.checked_sub(c)?),
        (BinaryOp::Sub, None, Some(c)) => (left, op, constant.checked_add(c)?),
        (BinaryOp::Sub, Some(c), None) => (right, op.flipped()?, c.checked_sub(constant)?),
        (BinaryOp::Sub, None, None) if constant == 0 => {
            return Some(Expr::binary(op, left.clone(), right.clone()));
        }
        (BinaryOp::Mul, None, Some(c)) | (BinaryOp::Mul, Some(c), None) => {
            if c == 0 || constant.checked_rem(c)? != 0 {
                return None;
            }
            let x = if right.as_integer().is_some() { left } else { right };
            (x, if c < 0 { op.flipped()? } else { op }, constant.checked_div(c)?)
        }
        _ => return None,
    };
    Some(Expr::binary(op, x.clone(), Expr::integer(other)))
}

pub(super) const CONSTANT_SUMS: Rule = Rule {
    name: "constant-sums",
    summary: "x + 2 + 3 is x + 5, of whole numbers",
    why: "Addition of whole numbers is associative.",
    source: "arithmetic of 64-bit integers; constants of one sign, so that the one sum overflows where the other does",
    needs: Needs::TYPED,
    examples: examples! {
        "strict": "SELECT 3 + (age + 2) + 12 FROM customer" == "SELECT age + 17 FROM customer";
        "strict": "SELECT id - 2 - 3 FROM customer" == "SELECT id - 5 FROM customer";
        "default": "SELECT age + 2 + 3 FROM customer" != "SELECT age + 6 FROM customer";
        "default": "SELECT age - (2 - id) FROM customer" != "SELECT age - 2 - id FROM customer";
    },
    apply: Apply::ExprOf(exprs::BINARY, constant_sums),
};

/// A sum with a constant, of a sum with a constant.
fn constant_sums(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let (inner, outer) = plus_constant(e)?;
    let (x, own) = plus_constant(inner)?;
    if (outer < 0) != (own < 0) || cx.numbers(x) != Some(Numbers::Whole) {
        return None;
    }
    let sum = outer.checked_add(own)?;
    let (op, constant) = if sum < 0 { (BinaryOp::Sub, sum.checked_neg()?) } else { (BinaryOp::Add, sum) };
    *e = Expr::binary(op, x.clone(), Expr::integer(constant));
    Some(())
}

/// What a constant is added to, and the constant; one that is taken away is negative.
fn plus_constant(e: &Expr) -> Option<(&Expr, i64)> {
    let (op, left, right) = e.as_binary()?;
    match (op, left.as_integer(), right.as_integer()) {
        (BinaryOp::Add, None, Some(c)) => Some((left, c)),
        (BinaryOp::Add, Some(c), None) => Some((right, c)),
        (BinaryOp::Sub, None, Some(c)) => Some((left, c.checked_neg()?)),
        _ => None,
    }
}

pub(super) const RATIOS: Rule = Rule {
    name: "output-ratios",
    summary: "an output of x / y * 100 is x * 100 / y, of reals",
    why: "Multiplication and division of reals can change places up to rounding, which is far below the tolerance.",
    source: "both round by less than the tolerance with which answers are compared",
    needs: Needs::TYPED,
    examples: examples! {
        "default": "SELECT COUNT(CASE WHEN city = 'Rome' THEN 1 END) * 1.0 / COUNT(*) * 100 FROM customer"
            == "SELECT COUNT(CASE WHEN city = 'Rome' THEN 1 END) * 100.0 / COUNT(*) FROM customer";
        "default": "SELECT COUNT(CASE WHEN city = 'Rome' THEN 1 END) / COUNT(*) * 100.0 FROM customer"
            != "SELECT COUNT(CASE WHEN city = 'Rome' THEN 1 END) * 100.0 / COUNT(*) FROM customer";
    },
    apply: Apply::Root(ratios),
};

/// Reassociating rounds otherwise in the last bits. Where answers are compared exactly that shows, and where
/// rows are a set it decides which of them are one row before any tolerance is asked.
fn ratios(query: &mut Query, cx: &mut Context<'_>) -> Changed {
    let (_, exprs) = query.rel.as_project_mut()?;
    if cx.semantics.float_tolerance < 1e-12 || cx.semantics.rows_as_set {
        return None;
    }
    change_each(exprs, |(_, e)| put(e, multiplied_first(e, cx)).is_some()).then_some(())
}

/// `x * c / y` for `x / y * c`.
fn multiplied_first(e: &Expr, cx: &Context<'_>) -> Option<Expr> {
    let Expr::Binary { op: BinaryOp::Mul, left, right } = e else {
        return None;
    };
    let (quotient, constant) = if right.is_literal() { (left, right) } else { (right, left) };
    let Expr::Binary { op: BinaryOp::Div, left: x, right: y } = &**quotient else {
        return None;
    };
    // A moderate constant neither overflows nor underflows what was a number.
    let moderate = whole_value(constant).is_some_and(|c| (1..=1_000_000).contains(&c));
    let real = cx.numbers(x) == Some(Numbers::Real) && cx.numbers(y).is_some();
    (moderate && real).then(|| {
        let product = Expr::binary(BinaryOp::Mul, (**x).clone(), (**constant).clone());
        Expr::binary(BinaryOp::Div, product, (**y).clone())
    })
}

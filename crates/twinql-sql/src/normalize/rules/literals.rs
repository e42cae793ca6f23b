//! Constants and casts: the types with which SQLite compares (<https://sqlite.org/datatype3.html>).
//!
//! A column has an affinity, a constant and an arithmetic expression have none, and a comparison converts the
//! side without affinity to that of the other. Here constants are written as they are compared, so that
//! `age = '3'` and `age = 3` are one, and casts go that convert nothing.

use crate::normalize::prelude::*;
use crate::plan::may_be_replaced;
use crate::value::number_in;

pub(super) const LITERAL_TYPING: Rule = Rule {
    name: "literal-typing",
    summary: "a constant compared with a column takes the column's affinity: '2014' = 2014 on a numeric column",
    why: "SQLite converts the constant in just this way before each comparison, so writing it converted changes no result.",
    source: "https://sqlite.org/datatype3.html section 4.2",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT name FROM customer WHERE age = '3'" == "SELECT name FROM customer WHERE age = 3";
        "nulls": "SELECT name FROM (SELECT * FROM customer WHERE age = 3) WHERE age = '3'" == "SELECT name FROM customer WHERE age = 3";
        "default": "SELECT name FROM customer WHERE city = '03'" != "SELECT name FROM customer WHERE city = 3";
    },
    apply: Apply::ExprOf(exprs::BINARY.or(exprs::IN_LIST), type_literals),
};

/// IS and IS NOT convert as = does, and IN converts its list to the affinity of its left side.
fn type_literals(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    match e {
        Expr::Binary { op, left, right } if op.is_comparison() || op.is_null_safe() => {
            let (l, r) = (cx.affinity(left), cx.affinity(right));
            let (one, two) = (type_literal(right, left, l), type_literal(left, right, r));
            one.or(two)
        }
        Expr::InList { expr, list } => {
            let affinity = cx.affinity(expr);
            change_each(list, |x| type_literal(x, expr, affinity).is_some()).then_some(())
        }
        _ => None,
    }
}

/// Gives `literal` the form in which it is compared with `other`. Two constants are compared as they stand.
fn type_literal(literal: &mut Expr, other: &Expr, affinity: Option<Affinity>) -> Changed {
    let new = match (affinity, literal.as_literal().filter(|_| !other.is_literal())?) {
        (Some(Affinity::Text), Value::Integer(i)) => Value::Text(i.to_string()),
        (Some(a), Value::Text(t)) if a.is_numeric() => number_in(t)?,
        // Numbers compare by value: 5.0 is 5, except next to text, where it is '5.0'.
        (a, Value::Real(r)) if a != Some(Affinity::Text) => {
            let whole = r.0 as i64;
            Value::Integer((r.0.abs() < 9.0e15 && whole as f64 == r.0).then_some(whole)?)
        }
        _ => return None,
    };
    *literal = Expr::Literal(new);
    Some(())
}

pub(super) const LOST_AFFINITY: Rule = Rule {
    name: "lost-affinity",
    summary: "+x is x where a comparison converts nothing, where nothing is compared, and of what never has an affinity",
    why: "A + takes the affinity of a column away, and an affinity counts only where a number is compared with a text.",
    source: "https://sqlite.org/datatype3.html sections 3.2 and 4.2",
    needs: Needs::TYPED,
    examples: examples! {
        "strict": "SELECT name FROM customer WHERE +age = 3" == "SELECT name FROM customer WHERE age = 3";
        "strict": "SELECT name FROM customer ORDER BY +age" == "SELECT name FROM customer ORDER BY age";
        "strict": "SELECT id FROM customer WHERE +name = '30' AND LOWER(+city) = 'rome'" == "SELECT id FROM customer WHERE name = '30' AND LOWER(city) = 'rome'";
        "default": "SELECT name FROM customer WHERE COALESCE(age, 0) = '30'" != "SELECT name FROM customer WHERE age = '30'";
        "default": "SELECT name FROM customer WHERE IIF(1, age, 0) < '30'" != "SELECT name FROM customer WHERE age < '30'";
        "default": "SELECT id FROM customer GROUP BY id HAVING MAX(age) = '30'" != "SELECT id FROM customer WHERE age = '30'";
        "default": "SELECT id FROM customer WHERE NULLIF(age, '30') > 20" != "SELECT id FROM customer WHERE age > 20 AND age <> 30";
    },
    apply: Apply::RelOf(Kinds::COMPUTING, lost_affinity),
};

/// In all expressions of a node, and at the top of sort keys and of what aggregates read. The outputs of a subquery
/// keep their +, since they may be compared outside.
fn lost_affinity(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    if !rel.exprs().into_iter().any(|e| e.any(|e| e.as_plus().is_some())) {
        return None;
    }
    let mut changed = change_each(rel.exprs_mut(), |e| e.map(|e| without_plus(e, cx)));
    match rel {
        Rel::Sort { keys, .. } => changed |= change_each(keys, |key| unwrap_plus(&mut key.expr)),
        Rel::Aggregate { calls, .. } => {
            changed |= change_each(calls.iter_mut().flat_map(|(_, call)| &mut call.args), unwrap_plus);
        }
        _ => {}
    }
    changed.then_some(())
}

/// Takes a + away.
fn unwrap_plus(e: &mut Expr) -> bool {
    let new = e.as_plus().cloned();
    put(e, new).is_some()
}

/// The operands of one expression without their +, where it does nothing there.
fn without_plus(e: &mut Expr, cx: &Context<'_>) -> bool {
    let bare = |e: &Expr| e.as_plus().unwrap_or(e).clone();
    match e {
        Expr::Unary { op: UnaryOp::Plus, expr } => {
            let idle = !may_be_replaced(expr) && cx.affinity(expr).is_none();
            let new = idle.then(|| (**expr).clone());
            put(e, new).is_some()
        }
        Expr::Binary { op, left, right } if op.is_comparison() || op.is_null_safe() => {
            let marked = left.as_plus().is_some() || right.as_plus().is_some();
            let (l, r) = (bare(left), bare(right));
            let idle = marked && cx.converts_nothing(&l, &r);
            if idle {
                (**left, **right) = (l, r);
            }
            idle
        }
        Expr::InList { expr, list } => {
            let x = bare(expr);
            let idle = expr.as_plus().is_some() && list.iter().all(|member| cx.converts_nothing(&x, member));
            if idle {
                **expr = x;
            }
            idle
        }
        // These compare too, and are left to what they become.
        Expr::InSubquery { .. } | Expr::Quantified { .. } | Expr::Row(_) | Expr::Collate { .. } => false,
        Expr::Case { operand: Some(_), .. } => false,
        other => change_each(other.operands_mut(), unwrap_plus),
    }
}

pub(super) const INTEGER_BOUNDS: Rule = Rule {
    name: "integer-bounds",
    summary: "n < x becomes n + 1 <= x, and x < n becomes x <= n - 1, where x holds whole numbers alone",
    why: "No whole number lies between n and n + 1.",
    source: "order of the integers; only columns of class integer and COUNT",
    needs: Needs::TYPED,
    examples: examples! {
        "strict": "SELECT name FROM customer WHERE age > 2" == "SELECT name FROM customer WHERE age >= 3";
        "default": "SELECT name FROM customer WHERE score > 2" != "SELECT name FROM customer WHERE score >= 3";
    },
    apply: Apply::ExprOf(exprs::BINARY, bound),
};

/// Also `x > 2.5` as `3 <= x`: the next whole number on the side that passes. At the ends of 64 bits there is
/// none, and the comparison stays.
fn bound(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let (op, left, right) = e.as_binary_mut()?;
    let strict = match op {
        BinaryOp::Lt => true,
        BinaryOp::LtEq => false,
        _ => return None,
    };
    // The whole number next to a bound: the least beyond it, or the greatest below.
    let next = |bound: &Expr, of: &Expr, step: i64| match bound.as_literal().filter(|_| cx.is_integer(of))? {
        Value::Integer(i) if strict => i.checked_add(step),
        Value::Real(r) if r.0.abs() < 9.0e15 && r.0.fract() != 0.0 => {
            Some(if step > 0 { r.0.ceil() } else { r.0.floor() } as i64)
        }
        _ => None,
    };
    let (lower, upper) = (next(left, right, 1), next(right, left, -1));
    put(left, lower.map(Expr::integer)).or_else(|| put(right, upper.map(Expr::integer)))?;
    *op = BinaryOp::LtEq;
    Some(())
}

pub(super) const IDLE_CAST: Rule = Rule {
    name: "idle-cast",
    summary: "a cast of a column to the type its values have does nothing; the pattern of LIKE has no case",
    why: "Casting a value to the type that it has returns the value, and LIKE compares ASCII letters without their case.",
    source: "https://sqlite.org/lang_expr.html: CAST, and LIKE without regard to the case of ASCII letters",
    needs: Needs::TYPED,
    examples: examples! {
        "strict": "SELECT CAST(name AS TEXT) FROM customer" == "SELECT name FROM customer";
        "strict": "SELECT id FROM customer WHERE name LIKE '%Al%'" == "SELECT id FROM customer WHERE name LIKE '%aL%'";
        "strict": "SELECT name FROM customer WHERE CAST(id AS INTEGER) = 3" == "SELECT name FROM customer WHERE id = 3";
        "default": "SELECT CAST(score AS INTEGER) FROM customer" != "SELECT score FROM customer";
        "default": "SELECT id FROM customer WHERE name LIKE 'a'" != "SELECT id FROM customer WHERE name = 'a'";
        "default": "SELECT name FROM customer WHERE CAST(score AS INTEGER) = 2" != "SELECT name FROM customer WHERE score = 2";
    },
    apply: Apply::ExprOf(exprs::CAST.or(exprs::BINARY), idle_cast),
};

/// For INTEGER it has to be known as well that all values are whole numbers: the affinity alone lets reals
/// in, which a cast would cut.
fn idle_cast(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    match e {
        Expr::Cast { expr, affinity } => {
            let own = match &**expr {
                Expr::Column(c) => cx.column_affinity(*c),
                Expr::Cast { affinity, .. } => Some(*affinity),
                _ => None,
            };
            let idle = own == Some(*affinity)
                && (matches!(affinity, Affinity::Text | Affinity::Real)
                    || *affinity == Affinity::Integer && cx.is_integer(expr));
            let new = idle.then(|| (**expr).clone());
            put(e, new)
        }
        Expr::Binary { op: BinaryOp::Like, right, .. } => {
            let capital = right.as_text().filter(|t| t.bytes().any(|b| b.is_ascii_uppercase()));
            let new = capital.map(|t| Expr::text(t.to_ascii_lowercase()));
            put(&mut **right, new)
        }
        _ => None,
    }
}

pub(super) const FOREIGN_KEY_CAST: Rule = Rule {
    name: "foreign-key-cast",
    summary: "a text column that refers to a numeric key holds numbers: casting it to compare it does nothing",
    why: "Each value of the text column equals a number in the referenced key, so the comparison reads it as that number with and without the cast. Keys that others refer to stay below 2^53, so that a REAL holds them.",
    source: "SQLite compares parent and child keys with the parent's affinity (https://sqlite.org/foreignkeys.html)",
    needs: Needs::FOREIGN_KEYS,
    examples: examples! {
        "default": "SELECT o.id, c.name FROM orders o JOIN customer c ON CAST(o.code AS REAL) = c.id"
            == "SELECT o.id, c.name FROM orders o JOIN customer c ON o.code = c.id";
        "no-fk": "SELECT o.id, c.name FROM orders o JOIN customer c ON CAST(o.code AS REAL) = c.id"
            != "SELECT o.id, c.name FROM orders o JOIN customer c ON o.code = c.id"
            as "only a code such as '1x' tells them apart, and the judge writes keys of the other table or other whole numbers";
    },
    apply: Apply::ExprOf(exprs::BINARY, foreign_key_cast),
};

/// The other side has to be a column of numbers: without the cast its affinity converts the text, and the
/// text is a number because it refers to one.
fn foreign_key_cast(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let Expr::Binary { op: BinaryOp::Eq, left, right } = e else {
        return None;
    };
    let numeric = |a: Option<Affinity>| a.is_some_and(Affinity::is_numeric);
    // A column that is only a part of a foreign key refers to nothing while another part is NULL.
    let refers_to_number = |x: &Expr| {
        let from = x.as_column().and_then(|c| cx.origin(c));
        // A date's affinity is numeric as well.
        let of_numbers = |to| {
            let to = cx.schema.column(to);
            to.is_some_and(|c| {
                c.affinity.is_numeric() && matches!(c.class, TypeClass::Integer | TypeClass::Number)
            })
        };
        from.is_some_and(|from| cx.schema.sole_references(from).any(of_numbers))
    };
    let uncast = |this: &Expr, other: &Expr| {
        let (expr, affinity) = this.as_cast()?;
        let idle = matches!(affinity, Affinity::Real | Affinity::Numeric)
            && numeric(cx.affinity(other))
            && matches!(other, Expr::Column(_))
            && refers_to_number(expr);
        idle.then(|| expr.clone())
    };
    // One side at most is a column.
    let (l, r) = (uncast(left, right), uncast(right, left));
    put(&mut **left, l).or_else(|| put(&mut **right, r))
}

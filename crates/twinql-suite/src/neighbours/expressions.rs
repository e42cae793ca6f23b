//! Mutations inside expressions.
//!
//! Constants, operators, columns and aggregates become others. The outcomes of a place are in an order: first
//! those that differ from the gold at a boundary only (`>` and `>=`, 5 and 6), for which a database must hold
//! just the right value, then those that nearly any database tells apart.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, DuplicateTreatment, Expr, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, Ident, ObjectName, Query, Value as Lit,
};

use twinql_sql::syntax;

use super::turn::{Changed, Context, Turn};

/// Offers every expression of the query to `change` until it says that it has changed one.
pub(crate) fn on_expressions(query: &mut Query, mut change: impl FnMut(&mut Expr) -> bool) -> bool {
    let changed = syntax::change_expressions(query, &mut |e| {
        if change(e) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    changed.is_break()
}

/// The expression, taken out of its place.
fn taken(e: &mut Expr) -> Expr {
    std::mem::replace(e, Expr::Identifier(Ident::new("")))
}

/// `5` → `6`, `4`, or a random number of its size; `2.5` → `2.501`, `2.499`, `2.6` and the like. Never below
/// 0: `-5` is the negation of 5, and `--5` would begin a comment.
pub(super) fn number(e: &mut Expr, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let Expr::Value(v) = e else { return None };
    let Lit::Number(text, _) = &mut v.value else {
        return None;
    };
    turn.due()?;
    *text = match text.parse::<i64>() {
        Ok(n) => {
            let low = n.saturating_abs().saturating_neg().saturating_sub(5);
            match context.outcome {
                0 => n.saturating_add(1),
                1 => n.saturating_sub(1),
                _ => context.dice.between(low.max(-1_000_000), n.saturating_abs().min(1_000_000) + 10),
            }
            .max(0)
            .to_string()
        }
        Err(_) => {
            let x = text.parse::<f64>().unwrap_or(0.0);
            let delta = match context.outcome {
                0 => 0.001,
                1 => -0.001,
                _ => [0.1, -0.1, 1.0, -1.0, 10.0][context.dice.below(5)],
            };
            // Six digits, or sums of binary fractions would show: 0.30000000000000004.
            format!("{:?}", ((x + delta).abs() * 1e6).round() / 1e6)
        }
    };
    Some(())
}

/// Strings that a gold query hardly holds.
const OTHERS: [&str; 5] = ["other", "Paris", "2010", "none", "A"];

/// Changes a string: its case, its ends, the wildcards of a pattern, or all of it.
pub(super) fn string(e: &mut Expr, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let is_column = |name: &str| context.tables.iter().any(|t| t.column_index(name).is_some());
    // A quoted name that is no column is a string.
    let text = match e {
        Expr::Value(v) => match &mut v.value {
            Lit::SingleQuotedString(s) | Lit::DoubleQuotedString(s) => s,
            _ => return None,
        },
        Expr::Identifier(i) if i.quote_style == Some('"') && !is_column(&i.value) => &mut i.value,
        _ => return None,
    };
    turn.due()?;
    // Case, then ends, then wildcards, then parts of it and other texts; by chance only from 7 on.
    let chars: Vec<char> = text.chars().collect();
    let dice = &mut context.dice;
    *text = match context.outcome {
        0 => text.to_lowercase(),
        1 => text.to_uppercase(),
        2 => format!("{text}s"),
        3 => chars.iter().skip(1).collect(),
        4 => chars.iter().take(chars.len().saturating_sub(1)).collect(),
        5 if text.contains('%') => text.replacen('%', "", 1),
        5 => format!("%{text}%"),
        6 => text.replace('%', ""),
        7 | 10 => {
            let from = dice.below(chars.len());
            let length = 1 + dice.below(chars.len() - from.min(chars.len()));
            chars.iter().skip(from).take(length).collect()
        }
        8 | 11 => format!("{text}{}", OTHERS[dice.below(OTHERS.len())]),
        12 => format!("{}{text}", OTHERS[dice.below(OTHERS.len())]),
        _ => OTHERS[dice.below(OTHERS.len())].to_owned(),
    };
    Some(())
}

/// The operators that become each other.
const COMPARISONS: [BinaryOperator; 6] = [
    BinaryOperator::Eq,
    BinaryOperator::NotEq,
    BinaryOperator::Lt,
    BinaryOperator::LtEq,
    BinaryOperator::Gt,
    BinaryOperator::GtEq,
];

/// `a > b` → `a >= b`, then the other four.
pub(super) fn comparison(e: &mut Expr, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let op = operator_among(e, &COMPARISONS)?;
    turn.due()?;
    // The near ones first: those that differ at the boundary only.
    let near = match op {
        BinaryOperator::Lt => BinaryOperator::LtEq,
        BinaryOperator::LtEq => BinaryOperator::Lt,
        BinaryOperator::Gt => BinaryOperator::GtEq,
        BinaryOperator::GtEq => BinaryOperator::Gt,
        BinaryOperator::Eq => BinaryOperator::NotEq,
        _ => BinaryOperator::Eq,
    };
    let mut others = vec![near];
    others.extend(COMPARISONS.iter().filter(|c| *c != op).cloned());
    others.dedup();
    if let Some(other) = others.get(context.outcome % others.len()) {
        *op = other.clone();
    }
    Some(())
}

/// The operator of an expression, if it is one of these.
fn operator_among<'e>(e: &'e mut Expr, known: &[BinaryOperator]) -> Option<&'e mut BinaryOperator> {
    match e {
        Expr::BinaryOp { op, left: _, right: _ } => Some(op).filter(|op| known.contains(op)),
        _ => None,
    }
}

/// Puts another column in a column's place: of its own table and type first, then of others.
pub(super) fn column(e: &mut Expr, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let (qualifier, ident) = match e {
        Expr::Identifier(i) => (None, i),
        Expr::CompoundIdentifier(parts) => match parts.as_mut_slice() {
            [qualifier, i] => (Some(qualifier), i),
            _ => return None,
        },
        _ => return None,
    };
    let owner = context.tables.iter().find(|t| t.column_index(&ident.value).is_some())?;
    turn.due()?;
    let class = owner.column_index(&ident.value).and_then(|i| owner.columns.get(i)).map(|c| c.class);
    // Of its own table and kind first.
    let mut others: Vec<(bool, bool, Option<&str>, &str)> = Vec::new();
    for (shown, table) in &context.sources {
        let foreign = match &qualifier {
            Some(q) => !q.value.eq_ignore_ascii_case(shown),
            None => table.column_index(&ident.value).is_none(),
        };
        for c in &table.columns {
            // Without a qualifier a column is told by its name alone, so a name counts once for all
            // tables.
            let kept = qualifier.as_ref().map(|_| shown.as_str());
            let stands = |name: &str| name.eq_ignore_ascii_case(&c.name);
            let known = |o: &(bool, bool, Option<&str>, &str)| o.2 == kept && stands(o.3);
            if (foreign || !stands(&ident.value)) && !others.iter().any(known) {
                others.push((foreign, Some(c.class) != class, kept, c.name.as_str()));
            }
        }
    }
    others.sort_by_key(|(foreign, odd, ..)| (*foreign, *odd));
    if let Some((_, _, shown, name)) = others.get(context.outcome) {
        *ident = named(name);
        if let (Some(q), Some(shown)) = (qualifier, shown)
            && !q.value.eq_ignore_ascii_case(shown)
        {
            *q = named(shown);
        }
    }
    Some(())
}

/// An identifier, quoted where it must be.
pub(super) fn named(name: &str) -> Ident {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().next().is_some_and(|c| !c.is_ascii_digit());
    if plain { Ident::new(name) } else { Ident::with_quote('"', name) }
}

/// The aggregates that become each other.
const AGGREGATES: [&str; 5] = ["count", "sum", "avg", "min", "max"];

/// A call of an aggregate with one argument.
struct Aggregate<'e> {
    /// In lower case.
    name: String,
    called: &'e mut ObjectName,
    list: &'e mut FunctionArgumentList,
}

impl Aggregate<'_> {
    fn of(e: &mut Expr) -> Option<Aggregate<'_>> {
        let Expr::Function(call) = e else { return None };
        let FunctionArguments::List(list) = &mut call.args else { return None };
        let name = call.name.to_string().to_ascii_lowercase();
        (list.args.len() == 1 && call.over.is_none() && AGGREGATES.contains(&name.as_str()))
            .then_some(Aggregate { name, called: &mut call.name, list })
    }

    /// The argument is `*`.
    fn is_star(&self) -> bool {
        matches!(self.list.args.first(), Some(FunctionArg::Unnamed(FunctionArgExpr::Wildcard)))
    }
}

/// `sum(x)` → `avg(x)` and the others; `count(*)` has no argument for them.
pub(super) fn aggregate(e: &mut Expr, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let aggregate = Aggregate::of(e).filter(|a| !a.is_star())?;
    turn.due()?;
    let others: Vec<&str> = AGGREGATES.into_iter().filter(|n| *n != aggregate.name).collect();
    if let Some(other) = others.get(context.outcome % others.len()) {
        *aggregate.called = ObjectName::from(vec![Ident::new(other.to_uppercase())]);
    }
    Some(())
}

/// `count(x)` ↔ `count(DISTINCT x)`. Not of the extremes, which duplicates do not change.
pub(super) fn aggregate_distinct(e: &mut Expr, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    // count(DISTINCT *) is no SQL.
    let changes = |a: &Aggregate<'_>| !a.is_star() && !matches!(a.name.as_str(), "min" | "max");
    let aggregate = Aggregate::of(e).filter(changes)?;
    turn.due()?;
    aggregate.list.duplicate_treatment = match aggregate.list.duplicate_treatment {
        Some(DuplicateTreatment::Distinct) => None,
        _ => Some(DuplicateTreatment::Distinct),
    };
    Some(())
}

/// `count(x)` → `count(*)`: told apart by NULLs, or by duplicates where x was DISTINCT.
pub(super) fn count_star(e: &mut Expr, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    let aggregate = Aggregate::of(e).filter(|a| a.name == "count" && !a.is_star())?;
    turn.due()?;
    aggregate.list.duplicate_treatment = None;
    aggregate.list.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Wildcard)];
    Some(())
}

/// The operators that become each other.
const CONNECTIVES: [BinaryOperator; 2] = [BinaryOperator::And, BinaryOperator::Or];

/// `p AND q` ↔ `p OR q`.
pub(super) fn and_or(e: &mut Expr, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    let other = match operator_among(e, &CONNECTIVES)? {
        BinaryOperator::And => BinaryOperator::Or,
        _ => BinaryOperator::And,
    };
    turn.due()?;
    let Expr::BinaryOp { left, op, right } = e else {
        return None;
    };
    // The text must keep the tree's shape, and OR binds looser than AND.
    for side in [left, right] {
        if operator_among(side, &CONNECTIVES).is_some() {
            **side = Expr::Nested(Box::new(taken(side)));
        }
    }
    *op = other;
    *e = Expr::Nested(Box::new(taken(e)));
    Some(())
}

/// `p AND q` → `p` or `q`, and the same for OR.
pub(super) fn drop_conjunct(e: &mut Expr, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    operator_among(e, &CONNECTIVES)?;
    turn.due()?;
    if let Expr::BinaryOp { left, op: _, right } = e {
        *e = taken(if context.outcome == 0 { left } else { right });
    }
    Some(())
}

/// Negates a predicate, or takes its NOT away.
pub(super) fn negation(e: &mut Expr, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    match e {
        Expr::InList { negated, expr: _, list: _ }
        | Expr::InSubquery { negated, expr: _, subquery: _ }
        | Expr::Between { negated, expr: _, low: _, high: _ }
        | Expr::Like { negated, any: _, expr: _, pattern: _, escape_char: _ }
        | Expr::Exists { negated, subquery: _ } => {
            turn.due()?;
            *negated = !*negated;
        }
        Expr::IsNull(_) | Expr::IsNotNull(_) => {
            turn.due()?;
            *e = match taken(e) {
                Expr::IsNull(x) => Expr::IsNotNull(x),
                Expr::IsNotNull(x) => Expr::IsNull(x),
                other => other,
            };
        }
        _ => return None,
    }
    Some(())
}

/// `x IN (1, 2, 3)` → `x IN (1, 3)`.
pub(super) fn in_list(e: &mut Expr, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let Expr::InList { list, expr: _, negated: _ } = e else {
        return None;
    };
    list.get(1)?;
    turn.due()?;
    list.remove(context.dice.below(list.len()));
    Some(())
}

/// `SELECT max(x)` → `SELECT x`: one row becomes many.
pub(super) fn drop_aggregate(e: &mut Expr, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    let aggregate = Aggregate::of(e)?;
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))] = aggregate.list.args.as_mut_slice() else {
        return None;
    };
    turn.due()?;
    *e = taken(argument);
    Some(())
}

/// Puts `=` in the place of LIKE, or LIKE in the place of `=` with a string.
pub(super) fn like_equal(e: &mut Expr, turn: &mut Turn, _: &mut Context<'_>) -> Changed {
    let string = |e: &Expr| {
        matches!(e, Expr::Value(v) if matches!(v.value, Lit::SingleQuotedString(_) | Lit::DoubleQuotedString(_)))
            || matches!(e, Expr::Identifier(i) if i.quote_style == Some('"'))
    };
    // LIKE with ESCAPE has characters that `=` would take as they stand.
    let suits = match &*e {
        Expr::Like { escape_char, negated: _, any: _, expr: _, pattern: _ } => escape_char.is_none(),
        Expr::BinaryOp { op: BinaryOperator::Eq, right, left: _ } => string(right),
        _ => false,
    };
    suits.then(|| turn.due())??;
    *e = match taken(e) {
        Expr::Like { negated, expr, pattern, any: _, escape_char: _ } => Expr::BinaryOp {
            left: expr,
            op: if negated { BinaryOperator::NotEq } else { BinaryOperator::Eq },
            right: pattern,
        },
        Expr::BinaryOp { left, right, op: _ } => {
            Expr::Like { negated: false, any: false, expr: left, pattern: right, escape_char: None }
        }
        other => other,
    };
    Some(())
}

/// The operators that become each other.
const ARITHMETIC: [BinaryOperator; 4] =
    [BinaryOperator::Plus, BinaryOperator::Minus, BinaryOperator::Multiply, BinaryOperator::Divide];

/// `a + b` → `a - b`, `a * b`, `a / b`.
pub(super) fn arithmetic(e: &mut Expr, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let op = operator_among(e, &ARITHMETIC)?;
    turn.due()?;
    let others: Vec<&BinaryOperator> = ARITHMETIC.iter().filter(|o| *o != op).collect();
    if let Some(other) = others.get(context.outcome % others.len()) {
        *op = (*other).clone();
    }
    Some(())
}

/// `count(*)` → `count(DISTINCT x)` or `sum(x)`, where x is a column of any table that the query mentions.
pub(super) fn count_column(e: &mut Expr, turn: &mut Turn, context: &mut Context<'_>) -> Changed {
    let Aggregate { name: _, called, list } =
        Aggregate::of(e).filter(|a| a.name == "count" && a.is_star())?;
    turn.due()?;
    let names = context.column_names();
    if let Some(column) = context.dice.pick(&names) {
        let argument = Expr::Identifier(named(column));
        list.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))];
        if context.outcome < 2 {
            list.duplicate_treatment = Some(DuplicateTreatment::Distinct);
        } else {
            *called = ObjectName::from(vec![Ident::new("SUM")]);
        }
    }
    Some(())
}

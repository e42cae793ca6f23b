//! Mutations inside expressions.
//!
//! Constants, operators, columns and aggregates become others. The outcomes of a place are in an order: first
//! those that differ from the gold at a boundary only (`>` and `>=`, 5 and 6), for which a database must hold
//! just the right value, then those that nearly any database tells apart.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    Ident, ObjectName, Query, Value as Lit,
};

use twinql_sql::{Table, syntax};

use super::clauses::sources;
use super::{Context, Turn};

/// Offers every expression of the query to `change` until it says that it has changed one.
pub(crate) fn on_expressions(query: &mut Query, mut change: impl FnMut(&mut Expr) -> bool) -> bool {
    let changed = syntax::change_expressions(query, &mut |e| {
        if change(e) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    changed.is_break()
}

/// `5` → `6`, `4`, or a random number of its size; `2.5` → `2.501`, `2.499`, `2.6` and the like. Never below
/// 0: `-5` is the negation of 5, and `--5` would begin a comment.
pub(super) fn number(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_expressions(query, |e| {
        let Expr::Value(v) = e else { return false };
        let Lit::Number(text, _) = &mut v.value else {
            return false;
        };
        if !turn.due() {
            return false;
        }
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
        true
    })
}

/// Strings that a gold query hardly holds.
const OTHERS: [&str; 5] = ["other", "Paris", "2010", "none", "A"];

/// Changes a string: its case, its ends, the wildcards of a pattern, or all of it.
pub(super) fn string(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    let tables = context.tables.clone();
    let is_column = |name: &str| tables.iter().any(|t| t.column_index(name).is_some());
    on_expressions(query, |e| {
        // A quoted name that is no column is a string.
        let text = match e {
            Expr::Value(v) => match &mut v.value {
                Lit::SingleQuotedString(s) | Lit::DoubleQuotedString(s) => s,
                _ => return false,
            },
            Expr::Identifier(i) if i.quote_style == Some('"') && !is_column(&i.value) => &mut i.value,
            _ => return false,
        };
        if !turn.due() {
            return false;
        }
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
        true
    })
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
pub(super) fn comparison(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_expressions(query, |e| {
        let Expr::BinaryOp { op, left: _, right: _ } = e else {
            return false;
        };
        if !COMPARISONS.contains(op) || !turn.due() {
            return false;
        }
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
        true
    })
}

/// Puts another column in a column's place: of its own table and type first, then of others.
pub(super) fn column(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    let tables = context.tables.clone();
    let sources: Vec<(String, &Table)> = sources(query)
        .into_iter()
        .filter_map(|(shown, name)| Some((shown, context.schema.table(&name)?)))
        .collect();
    on_expressions(query, |e| {
        let (qualifier, ident) = match e {
            Expr::Identifier(i) => (None, i),
            Expr::CompoundIdentifier(parts) => match parts.as_mut_slice() {
                [qualifier, i] => (Some(qualifier), i),
                _ => return false,
            },
            _ => return false,
        };
        let owner = tables.iter().find(|t| t.column_index(&ident.value).is_some());
        let Some(owner) = owner.filter(|_| turn.due()) else {
            return false;
        };
        let class = owner.column_index(&ident.value).and_then(|i| owner.columns.get(i)).map(|c| c.class);
        // Of its own table and kind first.
        let mut others: Vec<(bool, bool, Option<&str>, &str)> = Vec::new();
        for (shown, table) in &sources {
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
        true
    })
}

/// An identifier, quoted where it must be.
pub(super) fn named(name: &str) -> Ident {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().next().is_some_and(|c| !c.is_ascii_digit());
    if plain { Ident::new(name) } else { Ident::with_quote('"', name) }
}

/// The lower-case name of an aggregate with one argument, and its argument list.
fn aggregate_of(e: &mut Expr) -> Option<(String, &mut Function)> {
    let Expr::Function(f) = e else { return None };
    let name = f.name.to_string().to_ascii_lowercase();
    let one = matches!(&f.args, FunctionArguments::List(l) if l.args.len() == 1);
    (one && f.over.is_none() && matches!(name.as_str(), "count" | "sum" | "avg" | "min" | "max"))
        .then_some((name, f))
}

/// The call has `*` for an argument.
fn is_star(f: &Function) -> bool {
    matches!(&f.args, FunctionArguments::List(l)
        if matches!(l.args.first(), Some(FunctionArg::Unnamed(FunctionArgExpr::Wildcard))))
}

/// `sum(x)` → `avg(x)` and the others; `count(*)` has no argument for them.
pub(super) fn aggregate(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_expressions(query, |e| {
        let Some((name, f)) = aggregate_of(e) else {
            return false;
        };
        if is_star(f) || !turn.due() {
            return false;
        }
        let others: Vec<&str> =
            ["count", "sum", "avg", "min", "max"].into_iter().filter(|n| *n != name).collect();
        if let Some(other) = others.get(context.outcome % others.len()) {
            f.name = ObjectName::from(vec![Ident::new(other.to_uppercase())]);
        }
        true
    })
}

/// `count(x)` ↔ `count(DISTINCT x)`. Not of the extremes, which duplicates do not change.
pub(super) fn aggregate_distinct(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_expressions(query, |e| {
        let Some((name, f)) = aggregate_of(e) else {
            return false;
        };
        // count(DISTINCT *) is no SQL.
        if is_star(f) || matches!(name.as_str(), "min" | "max") || !turn.due() {
            return false;
        }
        if let FunctionArguments::List(list) = &mut f.args {
            list.duplicate_treatment = match list.duplicate_treatment {
                Some(DuplicateTreatment::Distinct) => None,
                _ => Some(DuplicateTreatment::Distinct),
            };
        }
        true
    })
}

/// `count(x)` → `count(*)`: told apart by NULLs, or by duplicates where x was DISTINCT.
pub(super) fn count_star(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_expressions(query, |e| {
        let Some((name, f)) = aggregate_of(e) else {
            return false;
        };
        if name != "count" || is_star(f) || !turn.due() {
            return false;
        }
        if let FunctionArguments::List(list) = &mut f.args {
            list.duplicate_treatment = None;
            list.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Wildcard)];
        }
        true
    })
}

/// `p AND q` ↔ `p OR q`.
pub(super) fn and_or(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_expressions(query, |e| {
        let Expr::BinaryOp { left, op, right } = e else {
            return false;
        };
        let other = match op {
            BinaryOperator::And => BinaryOperator::Or,
            BinaryOperator::Or => BinaryOperator::And,
            _ => return false,
        };
        if !turn.due() {
            return false;
        }
        // The text must keep the tree's shape, and OR binds looser than AND.
        for side in [left, right] {
            if matches!(&**side, Expr::BinaryOp { op, left: _, right: _ } if matches!(op, BinaryOperator::And | BinaryOperator::Or))
            {
                let inner = std::mem::replace(&mut **side, Expr::Identifier(Ident::new("")));
                **side = Expr::Nested(Box::new(inner));
            }
        }
        *op = other;
        let whole = std::mem::replace(e, Expr::Identifier(Ident::new("")));
        *e = Expr::Nested(Box::new(whole));
        true
    })
}

/// `p AND q` → `p` or `q`, and the same for OR.
pub(super) fn drop_conjunct(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_expressions(query, |e| {
        let Expr::BinaryOp { left, op, right } = e else {
            return false;
        };
        if !matches!(op, BinaryOperator::And | BinaryOperator::Or) || !turn.due() {
            return false;
        }
        let kept = if context.outcome == 0 { left } else { right };
        let kept = std::mem::replace(&mut **kept, Expr::Identifier(Ident::new("")));
        *e = kept;
        true
    })
}

/// Negates a predicate, or takes its NOT away.
pub(super) fn negation(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_expressions(query, |e| match e {
        Expr::InList { negated, expr: _, list: _ }
        | Expr::InSubquery { negated, expr: _, subquery: _ }
        | Expr::Between { negated, expr: _, low: _, high: _ }
        | Expr::Like { negated, any: _, expr: _, pattern: _, escape_char: _ }
        | Expr::Exists { negated, subquery: _ } => {
            let due = turn.due();
            if due {
                *negated = !*negated;
            }
            due
        }
        Expr::IsNull(_) | Expr::IsNotNull(_) => {
            if !turn.due() {
                return false;
            }
            let whole = std::mem::replace(e, Expr::Identifier(Ident::new("")));
            *e = match whole {
                Expr::IsNull(x) => Expr::IsNotNull(x),
                Expr::IsNotNull(x) => Expr::IsNull(x),
                other => other,
            };
            true
        }
        _ => false,
    })
}

/// `x IN (1, 2, 3)` → `x IN (1, 3)`.
pub(super) fn in_list(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_expressions(query, |e| {
        let Expr::InList { list, expr: _, negated: _ } = e else {
            return false;
        };
        if list.len() < 2 || !turn.due() {
            return false;
        }
        let at = context.dice.below(list.len());
        list.remove(at);
        true
    })
}

/// `SELECT max(x)` → `SELECT x`: one row becomes many.
pub(super) fn drop_aggregate(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_expressions(query, |e| {
        // The argument is taken out of the call to be looked at, and put back if it is not its turn.
        let argument = match aggregate_of(e) {
            Some((_, f)) => match &mut f.args {
                FunctionArguments::List(list) => match list.args.pop() {
                    Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(x))) if turn.due() => x,
                    Some(other) => {
                        list.args.push(other);
                        return false;
                    }
                    None => return false,
                },
                _ => return false,
            },
            None => return false,
        };
        *e = argument;
        true
    })
}

/// Puts `=` in the place of LIKE, or LIKE in the place of `=` with a string.
pub(super) fn like_equal(query: &mut Query, site: usize, _: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_expressions(query, |e| {
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
        if !suits || !turn.due() {
            return false;
        }
        let whole = std::mem::replace(e, Expr::Identifier(Ident::new("")));
        *e = match whole {
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
        true
    })
}

/// The operators that become each other.
const ARITHMETIC: [BinaryOperator; 4] =
    [BinaryOperator::Plus, BinaryOperator::Minus, BinaryOperator::Multiply, BinaryOperator::Divide];

/// `a + b` → `a - b`, `a * b`, `a / b`.
pub(super) fn arithmetic(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    on_expressions(query, |e| {
        let Expr::BinaryOp { op, left: _, right: _ } = e else {
            return false;
        };
        if !ARITHMETIC.contains(op) || !turn.due() {
            return false;
        }
        let others: Vec<&BinaryOperator> = ARITHMETIC.iter().filter(|o| *o != op).collect();
        if let Some(other) = others.get(context.outcome % others.len()) {
            *op = (*other).clone();
        }
        true
    })
}

/// `count(*)` → `count(DISTINCT x)` or `sum(x)`, where x is a column of any table that the query mentions.
pub(super) fn count_column(query: &mut Query, site: usize, context: &mut Context<'_>) -> bool {
    let mut turn = Turn::new(site);
    let names = context.column_names();
    on_expressions(query, |e| {
        let Some((name, f)) = aggregate_of(e) else {
            return false;
        };
        if name != "count" || !is_star(f) || !turn.due() {
            return false;
        }
        if let Some(column) = context.dice.pick(&names)
            && let FunctionArguments::List(list) = &mut f.args
        {
            let argument = Expr::Identifier(named(column));
            list.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))];
            if context.outcome < 2 {
                list.duplicate_treatment = Some(DuplicateTreatment::Distinct);
            } else {
                f.name = ObjectName::from(vec![Ident::new("SUM")]);
            }
        }
        true
    })
}

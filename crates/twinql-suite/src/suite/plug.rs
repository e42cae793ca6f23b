//! Gold values in a prediction's place of values.
//!
//! Many systems before 2021 predict no values, and the metric of Zhong, Yu and Klein (2020,
//! section 5) therefore tries all ways to put the gold's values into the prediction's slots:
//! a prediction is right if one of them passes. Here both are read as trees: a slot is a
//! constant of the prediction (or a quoted name that is no column), a value is a constant
//! of the gold.

use sqlparser::ast::{Expr, Query, Value as Lit};
use twinql_sql::Schema;

use crate::neighbours::{on_expressions, on_queries};

/// Assignments of values to slots that are tried for one prediction.
pub const MAX_PLUGS: usize = 400;

/// Slots of a prediction that are filled; those after it keep what they hold.
const MAX_SLOTS: usize = 12;

/// True for a name that no table of the schema has as a column.
fn no_column(schema: &Schema, name: &str) -> bool {
    schema.tables.iter().all(|t| t.column_index(name).is_none())
}

/// True if the expression is a constant. Bare words that stand for a value in the wild
/// (`value`, `terminal`) are ones too.
fn is_slot(schema: &Schema, e: &Expr) -> bool {
    match e {
        Expr::Value(v) => {
            matches!(v.value, Lit::Number(_, _) | Lit::SingleQuotedString(_) | Lit::DoubleQuotedString(_))
        }
        Expr::Identifier(i) => {
            let quoted = i.quote_style == Some('"');
            let placeholder =
                i.value.eq_ignore_ascii_case("value") || i.value.eq_ignore_ascii_case("terminal");
            (quoted || placeholder) && no_column(schema, &i.value)
        }
        _ => false,
    }
}

/// The distinct constants of a query in the order of its text, but for those of LIMIT.
fn values(schema: &Schema, query: &Query) -> Vec<Expr> {
    let mut query = query.clone();
    on_queries(&mut query, |q| {
        q.limit_clause = None;
        false
    });
    let mut out: Vec<Expr> = Vec::new();
    on_expressions(&mut query, |e| {
        if is_slot(schema, e) && !out.contains(e) {
            out.push(e.clone());
        }
        false
    });
    out
}

/// Puts one value after the other into the slots; gives the number of slots.
fn fill(schema: &Schema, query: &mut Query, choice: &dyn Fn(usize) -> Option<Expr>) -> usize {
    let mut slots = 0;
    on_expressions(query, |e| {
        if is_slot(schema, e) {
            if let Some(value) = choice(slots) {
                *e = value;
            }
            slots += 1;
        }
        false
    });
    slots
}

/// The texts that come of putting the gold's values into the prediction's slots, at most
/// [`MAX_PLUGS`]: values in their own order first. The prediction as it is comes first where
/// it has no slots, the gold has no values, or either cannot be parsed; then it is all.
///
/// LIMIT takes the gold's LIMIT, where both have one.
pub fn plugs(schema: &Schema, gold: &str, pred: &str) -> Vec<String> {
    let as_it_is = || vec![pred.to_owned()];
    let (Ok(gold), Ok(parsed)) = (twinql_sql::parse(gold), twinql_sql::parse(pred)) else {
        return as_it_is();
    };
    // Printing the AST would lose them.
    if !parsed.frames.is_empty() {
        return as_it_is();
    }
    let values = values(schema, &gold.query);
    let mut query = (*parsed.query).clone();
    if let (Some(_), Some(wanted)) = (&query.limit_clause, &gold.query.limit_clause) {
        query.limit_clause = Some(wanted.clone());
    }
    let kept = query.limit_clause.take();
    let slots = fill(schema, &mut query.clone(), &|_| None).min(MAX_SLOTS);
    let print = |mut query: Query| {
        query.limit_clause.clone_from(&kept);
        query.to_string()
    };
    if slots == 0 || values.is_empty() {
        return if kept == parsed.query.limit_clause { as_it_is() } else { vec![print(query)] };
    }
    let k = values.len();
    let mut out: Vec<String> = Vec::new();
    let mut digits = vec![0usize; slots];
    for number in 0..MAX_PLUGS {
        // Digit i counts from the value that stands at place i of the gold.
        let mut copy = query.clone();
        fill(schema, &mut copy, &|slot| {
            let digit = digits.get(slot)?;
            values.get((slot + digit) % k).cloned()
        });
        let text = print(copy);
        if number == 0 || !out.contains(&text) {
            out.push(text);
        }
        // The next number in base k, the last slot fastest.
        let mut carry = true;
        for digit in digits.iter_mut().rev() {
            *digit += 1;
            if *digit < k {
                carry = false;
                break;
            }
            *digit = 0;
        }
        if carry {
            break;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::schema;

    #[test]
    fn values_take_the_slots_in_all_ways() {
        let schema = schema();
        for (gold, pred, first, count) in [
            // Nothing to fill, or nothing to fill it with.
            ("SELECT age FROM singer WHERE id = 3", "SELECT age FROM singer", "SELECT age FROM singer", 1),
            (
                "SELECT age FROM singer",
                "SELECT age FROM singer WHERE id = 1",
                "SELECT age FROM singer WHERE id = 1",
                1,
            ),
            // One slot, one value; placeholders of all kinds.
            (
                "SELECT age FROM singer WHERE name = 'Ann'",
                "SELECT age FROM singer WHERE name = 'terminal'",
                "SELECT age FROM singer WHERE name = 'Ann'",
                1,
            ),
            (
                "SELECT age FROM singer WHERE name = \"Ann\"",
                "SELECT age FROM singer WHERE name = value",
                "SELECT age FROM singer WHERE name = \"Ann\"",
                1,
            ),
            // In order first; two slots and two values make four.
            (
                "SELECT age FROM singer WHERE name = 'Ann' AND age > 20",
                "SELECT age FROM singer WHERE name = 1 AND age > 1",
                "SELECT age FROM singer WHERE name = 'Ann' AND age > 20",
                4,
            ),
            // LIMIT takes the gold's.
            (
                "SELECT age FROM singer ORDER BY age LIMIT 3",
                "SELECT age FROM singer ORDER BY age LIMIT 1",
                "SELECT age FROM singer ORDER BY age LIMIT 3",
                1,
            ),
            // A quoted column is no slot.
            (
                "SELECT \"age\" FROM singer WHERE id = 7",
                "SELECT \"age\" FROM singer WHERE id = 1",
                "SELECT \"age\" FROM singer WHERE id = 7",
                1,
            ),
            ("SELECT", "not SQL", "not SQL", 1),
        ] {
            let out = plugs(&schema, gold, pred);
            assert_eq!(out[0], first, "{pred}");
            assert_eq!(out.len(), count, "{pred}");
        }
    }

    #[test]
    fn the_number_of_ways_is_bounded() {
        let schema = schema();
        let list: Vec<String> = (10..30).map(|n| n.to_string()).collect();
        let sql = format!("SELECT age FROM singer WHERE id IN ({})", list.join(", "));
        assert_eq!(plugs(&schema, &sql, &sql).len(), MAX_PLUGS);
        assert_eq!(plugs(&schema, &sql, &sql)[0], sql);
    }
}

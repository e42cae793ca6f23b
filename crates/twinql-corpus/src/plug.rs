//! Predictions without values: the gold's values put in their place.
//!
//! Early systems write a placeholder (`1`, `'terminal'`, `"value"`) where a value belongs. Test-suite accuracy
//! scores them by trying the gold's values in all places (Zhong, Yu and Klein 2020, section 5): a prediction
//! is right if any way to fill its places is.
//!
//! ```text
//! gold        SELECT name FROM singer WHERE country = 'France' AND age > 20
//! prediction  SELECT name FROM singer WHERE age > 1 AND country = "value"
//! candidates  … age > 'France' AND country = 'France';  … age > 20 AND country = 'France';  …
//! ```

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{Expr, LimitClause, OrderBy, Query, SelectItem, Value, ValueWithSpan, VisitorMut};
use twinql_sql::syntax::change;
use twinql_sql::{Schema, parse};

/// The prediction as it stands, and then with values of the gold in its places, in every way, `most` texts in
/// all. Only the prediction itself where it has no place, the gold no value, or either cannot be parsed.
///
/// A place is a number or a string, and a word that names no column; LIMIT and positions in ORDER BY stay.
pub fn plugged(schema: &Schema, gold: &str, pred: &str, most: usize) -> Vec<String> {
    let mut candidates = vec![pred.to_owned()];
    let (Ok(gold), Ok(parsed)) = (parse(gold), parse(pred)) else {
        return candidates;
    };
    let known = Known::of(schema, &parsed.query);
    let mut values: Vec<Value> = Vec::new();
    let mut gold = gold.query;
    let of_gold = Known::of(schema, &gold);
    each_place(&mut gold, &of_gold, &mut |place| {
        if let Some(value) = value_of(place).filter(|v| !values.contains(v)) {
            values.push(value);
        }
    });
    let mut query = parsed.query;
    let mut places = 0;
    each_place(&mut query, &known, &mut |_| places += 1);
    if places == 0 || values.is_empty() {
        return candidates;
    }
    for way in Ways::new(places, values.len()) {
        if candidates.len() >= most {
            break;
        }
        let mut filled = query.clone();
        let mut numbers = way.into_iter();
        each_place(&mut filled, &known, &mut |place| {
            if let Some(value) = numbers.next().and_then(|n| values.get(n)) {
                *place = Expr::Value(value.clone().into());
            }
        });
        let text = filled.to_string();
        if !candidates.contains(&text) {
            candidates.push(text);
        }
    }
    candidates
}

/// All ways to choose one of `values` for each of `places`. First the one that takes them in their order,
/// since that is what a prediction with the gold's structure needs.
struct Ways {
    places: usize,
    values: usize,
    next: Option<Vec<usize>>,
    natural: Option<Vec<usize>>,
}

impl Ways {
    fn new(places: usize, values: usize) -> Ways {
        let natural = (0..places).map(|place| place.min(values - 1)).collect();
        Ways { places, values, next: Some(vec![0; places]), natural: Some(natural) }
    }
}

impl Iterator for Ways {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        if let Some(natural) = self.natural.take() {
            return Some(natural);
        }
        let way = self.next.take()?;
        let mut after = way.clone();
        for place in (0..self.places).rev() {
            if after[place] + 1 < self.values {
                after[place] += 1;
                self.next = Some(after);
                break;
            }
            after[place] = 0;
        }
        Some(way)
    }
}

/// Names that are no placeholders: columns, and names that the query gives itself.
struct Known(HashSet<String>);

impl Known {
    fn of(schema: &Schema, query: &Query) -> Known {
        let columns = schema.tables.iter().flat_map(|t| &t.columns);
        let mut names: HashSet<String> = columns.map(|c| c.name.to_lowercase()).collect();
        let mut query = query.clone();
        let _ = change(&mut query, &mut Aliases(&mut names));
        Known(names)
    }
}

/// Collects the names that SELECT gives to outputs.
struct Aliases<'n>(&'n mut HashSet<String>);

impl VisitorMut for Aliases<'_> {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut sqlparser::ast::Select) -> ControlFlow<()> {
        for item in &select.projection {
            if let SelectItem::ExprWithAlias { alias, expr: _ } = item {
                self.0.insert(alias.value.to_lowercase());
            }
        }
        ControlFlow::Continue(())
    }
}

/// The value that a place of a gold query holds.
fn value_of(place: &Expr) -> Option<Value> {
    match place {
        Expr::Value(ValueWithSpan { value, span: _ }) => Some(value.clone()),
        // A string in double quotes.
        Expr::Identifier(name) => Some(Value::SingleQuotedString(name.value.clone())),
        _ => None,
    }
}

fn each_place(query: &mut Query, known: &Known, f: &mut dyn FnMut(&mut Expr)) {
    let _ = change(query, &mut Places { known, f, kept: Vec::new() });
}

/// Offers each place for a value, in the order of the text.
struct Places<'p> {
    known: &'p Known,
    f: &'p mut dyn FnMut(&mut Expr),
    /// LIMIT and ORDER BY of the queries around, which are not looked at.
    kept: Vec<(Option<LimitClause>, Option<OrderBy>)>,
}

impl VisitorMut for Places<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.kept.push((query.limit_clause.take(), query.order_by.take()));
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let Some((limit, order)) = self.kept.pop() {
            (query.limit_clause, query.order_by) = (limit, order);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let place = match expr {
            Expr::Value(ValueWithSpan { value, span: _ }) => {
                matches!(
                    value,
                    Value::Number(..) | Value::SingleQuotedString(_) | Value::DoubleQuotedString(_)
                )
            }
            Expr::Identifier(name) => !self.known.0.contains(&name.value.to_lowercase()),
            _ => false,
        };
        if place {
            (self.f)(expr);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn candidates(gold: &str, pred: &str, most: usize) -> Vec<String> {
        let ddl = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER)";
        plugged(&Schema::from_ddl("concerts", ddl).unwrap(), gold, pred, most)
    }

    const GOLD: &str = "SELECT name FROM singer WHERE country = 'France' AND age > 20 LIMIT 3";

    #[test]
    fn every_way_and_the_natural_one_first() {
        let got = candidates(GOLD, "select name from singer where country = 1 and age > \"value\"", 64);
        assert_eq!(got.len(), 5, "{got:?}");
        assert_eq!(got[0], "select name from singer where country = 1 and age > \"value\"");
        assert_eq!(got[1], "SELECT name FROM singer WHERE country = 'France' AND age > 20");
        assert!(got.iter().any(|c| c.contains("country = 20 AND age > 'France'")));
    }

    #[test]
    fn bare_words_are_places_and_names_are_not() {
        let got = candidates(
            GOLD,
            "SELECT age AS years FROM singer WHERE country = french ORDER BY years LIMIT 1",
            64,
        );
        assert_eq!(
            got[1..],
            [
                "SELECT age AS years FROM singer WHERE country = 'France' ORDER BY years LIMIT 1",
                "SELECT age AS years FROM singer WHERE country = 20 ORDER BY years LIMIT 1",
            ]
        );
    }

    #[test]
    fn nothing_to_fill() {
        for (gold, pred) in [
            (GOLD, "SELECT name FROM singer LIMIT 1"),
            ("SELECT name FROM singer", "SELECT name FROM singer WHERE age > 1"),
            (GOLD, "SELECT name FROM"),
            ("SELECT", "SELECT name FROM singer WHERE age > 1"),
        ] {
            assert_eq!(candidates(gold, pred, 64), [pred], "{gold} / {pred}");
        }
    }

    #[test]
    fn no_more_than_asked_for() {
        let pred = "SELECT name FROM singer WHERE age IN (1, 1, 1, 1, 1, 1, 1, 1)";
        assert_eq!(candidates(GOLD, pred, 20).len(), 20);
        assert_eq!(candidates(GOLD, pred, 1000).len(), 257);
    }
}

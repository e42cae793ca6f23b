//! Mappings between tableaux.
//!
//! A homomorphism from S to T takes each row of S to a row of T of the same table so that
//! the conditions of S hold of the images, and the summaries agree. Then each combination
//! of rows that T is met by, read through the mapping, meets S: every answer of T is one
//! of S (Chandra & Merlin 1977). One in each direction makes the sets of answers equal
//! (for unions, Sagiv & Yannakakis 1980: an arm for each arm); one that is one to one in
//! both directions makes the bags equal.

use crate::columns::Reads;
use crate::expr::Expr;
use crate::rel::ColumnId;
use crate::schema::Schema;
use crate::semantics::Semantics;
use crate::substitution::Substitution;

use super::implication::Facts;
use super::tableau::Tableau;

/// Assignments of a row to a row that are tried for one pair, at most.
pub(super) const MAX_STEPS: usize = 20_000;

/// A tableau with what holds in it, to map others into.
pub(super) struct Target<'a> {
    pub(super) tableau: &'a Tableau,
    facts: Facts<'a>,
    summary: Vec<Expr>,
}

impl<'a> Target<'a> {
    pub(super) fn new(schema: &'a Schema, semantics: &'a Semantics, tableau: &'a Tableau) -> Target<'a> {
        let facts = Facts::new(schema, semantics, tableau);
        let summary = tableau.summary.iter().map(|e| facts.value(e.clone())).collect();
        Target { tableau, facts, summary }
    }
}

/// Item `i` of one summary is item `of[i]` of the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alignment {
    pub(super) of: Vec<usize>,
}

impl Alignment {
    pub(super) fn inverse(&self) -> Alignment {
        let mut of = vec![0; self.of.len()];
        for (i, j) in self.of.iter().enumerate() {
            if let Some(place) = of.get_mut(*j) {
                *place = i;
            }
        }
        Alignment { of }
    }
}

/// What a mapping of rows does to columns.
pub(super) fn column_map(from: &Tableau, to: &Tableau, rows: &[usize]) -> Substitution {
    let mut map = Substitution::new();
    for (row, image) in from.rows.iter().zip(rows) {
        let Some(image) = to.rows.get(*image) else {
            continue;
        };
        for (c, d) in row.columns.iter().zip(&image.columns) {
            map.insert(*c, Expr::Column(*d));
        }
    }
    map
}

/// Checks a mapping against the definition, with nothing taken from the search.
///
/// # Errors
/// What fails: a row without an image of its table, a condition, a summary item.
pub(super) fn check(
    from: &Tableau,
    to: &Target<'_>,
    rows: &[usize],
    align: &Alignment,
) -> Result<(), String> {
    if rows.len() != from.rows.len() {
        return Err(format!("{} rows are mapped of {}", rows.len(), from.rows.len()));
    }
    for (row, image) in from.rows.iter().zip(rows) {
        let image = to.tableau.rows.get(*image).ok_or("an image is no row")?;
        if row.source != image.source || row.columns.len() != image.columns.len() {
            return Err(format!("{} is no row of what {} is one of", image.alias, row.alias));
        }
    }
    let map = column_map(from, to.tableau, rows);
    let moved = |e: &Expr| e.substituted(&map);
    for (i, condition) in from.conditions.iter().enumerate() {
        if !to.facts.imply(&to.facts.normal(moved(condition))) {
            return Err(format!("condition {i} does not hold of the images"));
        }
    }
    if from.summary.len() != to.summary.len() || align.of.len() != from.summary.len() {
        return Err("the summaries have different lengths".into());
    }
    for (i, (item, place)) in from.summary.iter().zip(&align.of).enumerate() {
        if to.summary.get(*place) != Some(&to.facts.value(moved(item))) {
            return Err(format!("item {i} of the summary is mapped to another value"));
        }
    }
    Ok(())
}

/// Looks for mappings.
pub(super) struct Search<'a, 'b> {
    from: &'b Tableau,
    to: &'b Target<'a>,
    align: &'b Alignment,
    one_to_one: bool,
    /// For each row, the conditions and summary items that can be checked once it and
    /// those before it have images.
    ready: Vec<(Vec<&'b Expr>, Vec<usize>)>,
    rows: Vec<usize>,
}

impl<'a, 'b> Search<'a, 'b> {
    pub(super) fn new(
        from: &'b Tableau,
        to: &'b Target<'a>,
        align: &'b Alignment,
        one_to_one: bool,
    ) -> Search<'a, 'b> {
        let last_row = |e: &Expr| {
            let read = e.reads();
            let reads = |columns: &[ColumnId]| columns.iter().any(|c| read.contains(c));
            from.rows.iter().rposition(|r| reads(&r.columns)).unwrap_or(0)
        };
        let mut ready = vec![(Vec::new(), Vec::new()); from.rows.len()];
        for condition in &from.conditions {
            if let Some((conditions, _)) = ready.get_mut(last_row(condition)) {
                conditions.push(condition);
            }
        }
        for (i, item) in from.summary.iter().enumerate() {
            if let Some((_, items)) = ready.get_mut(last_row(item)) {
                items.push(i);
            }
        }
        Search { from, to, align, one_to_one, ready, rows: Vec::new() }
    }

    /// The first mapping that `accept` takes. `steps` counts down; at 0 the search ends.
    pub(super) fn run(
        mut self,
        steps: &mut usize,
        accept: &mut dyn FnMut(&[usize]) -> bool,
    ) -> Option<Vec<usize>> {
        if self.from.summary.len() != self.to.summary.len() {
            return None;
        }
        self.step(steps, accept).then_some(self.rows)
    }

    fn step(&mut self, steps: &mut usize, accept: &mut dyn FnMut(&[usize]) -> bool) -> bool {
        let at = self.rows.len();
        let Some(row) = self.from.rows.get(at) else {
            return check(self.from, self.to, &self.rows, self.align).is_ok() && accept(&self.rows);
        };
        for (i, image) in self.to.tableau.rows.iter().enumerate() {
            if row.source != image.source || self.one_to_one && self.rows.contains(&i) {
                continue;
            }
            if *steps == 0 {
                return false;
            }
            *steps -= 1;
            self.rows.push(i);
            if self.fits(at) && self.step(steps, accept) {
                return true;
            }
            self.rows.pop();
        }
        false
    }

    fn fits(&self, at: usize) -> bool {
        let Some((conditions, items)) = self.ready.get(at) else {
            return true;
        };
        let map = column_map(self.from, self.to.tableau, &self.rows);
        let facts = &self.to.facts;
        let moved = |e: &Expr| e.substituted(&map);
        conditions.iter().all(|c| facts.imply(&facts.normal(moved(c))))
            && items.iter().all(|i| {
                let (item, place) = (self.from.summary.get(*i), self.align.of.get(*i));
                item.zip(place).is_some_and(|(item, place)| {
                    self.to.summary.get(*place) == Some(&facts.value(moved(item)))
                })
            })
    }
}

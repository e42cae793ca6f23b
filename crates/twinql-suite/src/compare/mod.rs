//! Comparing denotations: bags, sets and lists of rows, under any order of columns.

pub(crate) mod denotation;
mod refine;
mod values;

use twinql_sql::{Semantics, Value};

use crate::database::Row;
use crate::execute::Answer;
use refine::Classes;
pub(crate) use values::{Numbering, among};
pub use values::{order, same};

/// How two answers are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    /// Output columns may stand in any order.
    pub any_column_order: bool,
    /// Duplicates do not count.
    pub as_set: bool,
    /// The order of rows counts.
    pub as_list: bool,
    /// Relative tolerance of numbers.
    pub tolerance: f64,
}

impl Mode {
    /// The comparison that `semantics` asks for; `ordered` says whether the gold's
    /// outermost query has ORDER BY.
    pub fn new(semantics: &Semantics, ordered: bool) -> Mode {
        Mode {
            any_column_order: semantics.any_column_order,
            as_set: semantics.rows_as_set,
            as_list: ordered && semantics.respect_order,
            tolerance: semantics.float_tolerance,
        }
    }
}

/// Which column of the prediction may stand for which of the gold, as far as the
/// databases seen so far allow; carried from one database to the next, so that the two
/// queries must agree under one and the same order of columns.
#[derive(Debug, Clone)]
pub struct Columns {
    width: usize,
    allowed: Vec<bool>,
}

/// Orders of columns that are tried in full before giving up.
const MAX_TRIES: usize = 2_000;
/// Matches of two columns that are tried before giving up.
const MAX_MATCHES: usize = 20_000;

impl Columns {
    /// All orders (or the given one alone) for answers of this width.
    pub fn new(width: usize, any_order: bool) -> Columns {
        let mut allowed = vec![any_order; width * width];
        if !any_order {
            for i in 0..width {
                allowed[i * width + i] = true;
            }
        }
        Columns { width, allowed }
    }

    /// The same pairs, seen from the prediction.
    pub fn inverse(&self) -> Columns {
        let n = self.width;
        let mut allowed = vec![false; n * n];
        for g in 0..n {
            for p in 0..n {
                allowed[p * n + g] = self.allowed[g * n + p];
            }
        }
        Columns { width: n, allowed }
    }

    fn allows(&self, gold: usize, pred: usize) -> bool {
        self.allowed.get(gold * self.width + pred).copied().unwrap_or(false)
    }

    /// Finds an order `o` (column `i` of the gold is column `o[i]` of the prediction) for
    /// which `fits` holds. `similar` must be true of each pair of columns in it.
    pub fn search(
        &self,
        similar: impl Fn(usize, usize) -> bool,
        fits: impl FnMut(&[usize]) -> bool,
    ) -> Option<Vec<usize>> {
        self.search_among(similar, || None, fits)
    }

    /// As [`Columns::search`]; `classes` are made where the given order does not fit, and
    /// show early which orders cannot.
    fn search_among(
        &self,
        similar: impl Fn(usize, usize) -> bool,
        classes: impl FnOnce() -> Option<Classes>,
        mut fits: impl FnMut(&[usize]) -> bool,
    ) -> Option<Vec<usize>> {
        let n = self.width;
        let identity: Vec<usize> = (0..n).collect();
        if identity.iter().all(|&i| self.allows(i, i)) && fits(&identity) {
            return Some(identity);
        }
        let options: Vec<Vec<usize>> =
            (0..n).map(|g| (0..n).filter(|&p| self.allows(g, p) && similar(g, p)).collect()).collect();
        if options.iter().any(Vec::is_empty) {
            return None;
        }
        // Columns with few options first.
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&g| options[g].len());
        let mut search = Search {
            options: &options,
            order: &order,
            used: vec![false; n],
            chosen: vec![usize::MAX; n],
            tries: 0,
            matches: 0,
            classes: classes(),
        };
        search.step(0, &mut fits).then_some(search.chosen)
    }

    /// Keeps only pairs of columns that are similar. False if none is left for some column.
    pub fn restrict(&mut self, similar: impl Fn(usize, usize) -> bool) -> bool {
        let n = self.width;
        for g in 0..n {
            for p in 0..n {
                if self.allowed[g * n + p] && !similar(g, p) {
                    self.allowed[g * n + p] = false;
                }
            }
        }
        (0..n).all(|g| (0..n).any(|p| self.allowed[g * n + p]))
    }

    /// True when only one order is left for every column.
    pub fn decided(&self) -> bool {
        let n = self.width;
        (0..n).all(|g| (0..n).filter(|&p| self.allowed[g * n + p]).count() <= 1)
    }
}

struct Search<'a> {
    options: &'a [Vec<usize>],
    order: &'a [usize],
    used: Vec<bool>,
    chosen: Vec<usize>,
    tries: usize,
    matches: usize,
    classes: Option<Classes>,
}

impl Search<'_> {
    fn step(&mut self, depth: usize, fits: &mut impl FnMut(&[usize]) -> bool) -> bool {
        let Some(&gold) = self.order.get(depth) else {
            self.tries += 1;
            return fits(&self.chosen);
        };
        for &pred in &self.options[gold] {
            if self.used[pred] {
                continue;
            }
            if self.tries >= MAX_TRIES || self.matches >= MAX_MATCHES {
                return false;
            }
            self.matches += 1;
            if self.classes.as_mut().is_some_and(|c| !c.push(gold, pred)) {
                continue;
            }
            self.used[pred] = true;
            self.chosen[gold] = pred;
            if self.step(depth + 1, fits) {
                return true;
            }
            self.used[pred] = false;
            if let Some(classes) = &mut self.classes {
                classes.pop();
            }
        }
        false
    }
}

fn same_rows(a: &[&Value], b: &[&Value], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same(x, y, tolerance))
}

/// A row seen through an order of columns.
pub(crate) fn view<'a>(row: &'a Row, columns: &[usize]) -> Vec<&'a Value> {
    columns.iter().map(|&c| row.get(c).unwrap_or(&Value::Null)).collect()
}

/// True if every row of `a` has its own partner in `b`.
pub(crate) fn matched(a: &[Vec<&Value>], b: &[Vec<&Value>], tolerance: f64) -> bool {
    let mut used = vec![false; b.len()];
    a.iter().all(|row| {
        let partner = (0..b.len()).find(|&i| !used[i] && same_rows(row, &b[i], tolerance));
        if let Some(i) = partner {
            used[i] = true;
        }
        partner.is_some()
    })
}

/// True if the two answers are equal under `mode` for some allowed order of columns, which
/// is then remembered in `columns`. Answers of different width differ, empty ones too.
pub fn equal(gold: &Answer, pred: &Answer, mode: Mode, columns: &mut Columns) -> bool {
    if gold.width != pred.width || gold.width != columns.width {
        return false;
    }
    if !mode.as_set && gold.rows.len() != pred.rows.len() {
        return false;
    }
    if gold.rows.is_empty() && pred.rows.is_empty() {
        return true;
    }
    if mode.as_list && !mode.as_set {
        equal_lists(gold, pred, mode.tolerance, columns)
    } else {
        equal_bags(gold, pred, mode, columns)
    }
}

fn equal_lists(gold: &Answer, pred: &Answer, tolerance: f64, columns: &mut Columns) -> bool {
    let rows = || gold.rows.iter().zip(&pred.rows);
    let at = |row: &Row, column: usize, other: &Row, theirs: usize| {
        let (a, b) = (row.get(column), other.get(theirs));
        same(a.unwrap_or(&Value::Null), b.unwrap_or(&Value::Null), tolerance)
    };
    // In a list, columns that are alike are the same.
    let similar = |g: usize, p: usize| rows().all(|(a, b)| at(a, g, b, p));
    let fits = |order: &[usize]| rows().all(|(a, b)| order.iter().enumerate().all(|(g, &p)| at(a, g, b, p)));
    if columns.decided() {
        return columns.search(|_, _| true, fits).is_some();
    }
    columns.search(similar, fits).is_some() && columns.restrict(similar)
}

/// Bags and sets: values are numbered once, and rows of numbers are compared.
fn equal_bags(gold: &Answer, pred: &Answer, mode: Mode, columns: &mut Columns) -> bool {
    let values = gold.rows.iter().chain(&pred.rows).flatten();
    let numbering = Numbering::of(values, mode.tolerance);
    let (ours, theirs) = (numbered(gold, &numbering), numbered(pred, &numbering));
    let tidy = |mut rows: Vec<Vec<u32>>| {
        rows.sort_unstable();
        if mode.as_set {
            rows.dedup();
        }
        rows
    };
    let sorted = tidy(ours.clone());
    let fits = |order: &[usize]| {
        let seen = |row: &Vec<u32>| order.iter().map(|&c| row.get(c).copied().unwrap_or(0)).collect();
        tidy(theirs.iter().map(seen).collect()) == sorted
    };
    if columns.decided() {
        return columns.search(|_, _| true, fits).is_some();
    }
    let held = |rows: &[Vec<u32>]| -> Vec<Vec<u32>> {
        let column = |c: usize| {
            let mut values: Vec<u32> = rows.iter().filter_map(|r| r.get(c).copied()).collect();
            values.sort_unstable();
            if mode.as_set {
                values.dedup();
            }
            values
        };
        (0..gold.width).map(column).collect()
    };
    let (a, b) = (held(&ours), held(&theirs));
    let similar = |g: usize, p: usize| a.get(g) == b.get(p);
    let classes = || Some(Classes::new(&ours, &theirs, gold.width, mode.as_set));
    columns.search_among(similar, classes, fits).is_some() && columns.restrict(similar)
}

/// The rows of an answer, their values as numbers.
fn numbered(answer: &Answer, numbering: &Numbering<'_>) -> Vec<Vec<u32>> {
    let cells = |row: &Row| row.iter().take(answer.width).map(|v| numbering.number(v)).collect();
    answer.rows.iter().map(cells).collect()
}

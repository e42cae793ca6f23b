//! Comparing denotations: bags, sets and lists of rows, under any order of columns.

pub(crate) mod denotation;
mod refine;

use std::cmp::Ordering;

use twinql_sql::{Semantics, Value};

use crate::database::Row;
use crate::execute::Answer;
use refine::Classes;

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
        self.allowed
            .get(gold * self.width + pred)
            .copied()
            .unwrap_or(false)
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
        let options: Vec<Vec<usize>> = (0..n)
            .map(|g| (0..n).filter(|&p| self.allows(g, p) && similar(g, p)).collect())
            .collect();
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

fn rank(v: &Value) -> u8 {
    match v {
        Value::Null => 0,
        Value::Integer(_) | Value::Real(_) => 1,
        Value::Text(_) => 2,
        Value::Blob(_) => 3,
    }
}

/// Numbers for the values of these rows: the same for values that are equal, from 1.
pub(crate) fn numbers<'v>(rows: impl Iterator<Item = &'v Row>, tolerance: f64) -> impl Fn(&Value) -> u32 {
    let mut all: Vec<&Value> = rows.flatten().collect();
    all.sort_by(|a, b| order(a, b));
    // Values within the tolerance stand side by side, so equal ones are never parted.
    let mut starts: Vec<&Value> = Vec::new();
    let mut last: Option<&Value> = None;
    for value in all {
        if last.is_none_or(|l| !same(l, value, tolerance)) {
            starts.push(value);
        }
        last = Some(value);
    }
    move |value| starts.partition_point(|s| order(s, value).is_le()) as u32
}

/// A total order of values by which equal ones are neighbours: NULL, numbers, text, blobs.
pub fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Integer(x), Value::Integer(y)) => x.cmp(y),
        (Value::Text(x), Value::Text(y)) => x.cmp(y),
        (Value::Blob(x), Value::Blob(y)) => x.cmp(y),
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(x), Some(y)) => x.total_cmp(&y),
            _ => rank(a).cmp(&rank(b)),
        },
    }
}

/// Equality of values: NULL equals NULL, 2 equals 2.0, reals within the tolerance.
pub fn same(a: &Value, b: &Value, tolerance: f64) -> bool {
    match (a, b) {
        (Value::Integer(x), Value::Integer(y)) => x == y,
        (Value::Text(x), Value::Text(y)) => x == y,
        (Value::Blob(x), Value::Blob(y)) => x == y,
        (Value::Null, Value::Null) => true,
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(x), Some(y)) => x == y || (x - y).abs() <= tolerance * x.abs().max(y.abs()).max(1e-9),
            _ => false,
        },
    }
}

fn order_rows(a: &[&Value], b: &[&Value]) -> Ordering {
    a.iter()
        .zip(b)
        .map(|(x, y)| order(x, y))
        .find(|o| o.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn same_rows(a: &[&Value], b: &[&Value], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same(x, y, tolerance))
}

/// A row seen through an order of columns.
pub(crate) fn view<'a>(row: &'a Row, columns: &[usize]) -> Vec<&'a Value> {
    columns
        .iter()
        .map(|&c| row.get(c).unwrap_or(&Value::Null))
        .collect()
}

/// True if two bags of rows are equal.
pub(crate) fn same_bag(
    mut a: Vec<Vec<&Value>>,
    mut b: Vec<Vec<&Value>>,
    as_set: bool,
    tolerance: f64,
) -> bool {
    if !as_set && a.len() != b.len() {
        return false;
    }
    a.sort_by(|x, y| order_rows(x, y));
    b.sort_by(|x, y| order_rows(x, y));
    if as_set {
        a.dedup_by(|x, y| same_rows(x, y, tolerance));
        b.dedup_by(|x, y| same_rows(x, y, tolerance));
    }
    if a.len() != b.len() {
        return false;
    }
    if a.iter().zip(&b).all(|(x, y)| same_rows(x, y, tolerance)) {
        return true;
    }
    // Reals within the tolerance may sort differently: match row by row.
    let inexact = |rows: &[Vec<&Value>]| rows.iter().flatten().any(|v| matches!(v, Value::Real(_)));
    (inexact(&a) || inexact(&b)) && a.len() <= 200 && matched(&a, &b, tolerance)
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

/// The values of each column: in row order for lists, sorted otherwise.
fn signatures(answer: &Answer, mode: Mode) -> Vec<Vec<&Value>> {
    (0..answer.width)
        .map(|c| {
            let mut values: Vec<&Value> = answer.rows.iter().filter_map(|r| r.get(c)).collect();
            if !mode.as_list {
                values.sort_by(|a, b| order(a, b));
                if mode.as_set {
                    values.dedup_by(|a, b| same(a, b, mode.tolerance));
                }
            }
            values
        })
        .collect()
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
    let identity: Vec<usize> = (0..gold.width).collect();
    let fits = |order: &[usize]| {
        let a: Vec<Vec<&Value>> = gold.rows.iter().map(|r| view(r, &identity)).collect();
        let b: Vec<Vec<&Value>> = pred.rows.iter().map(|r| view(r, order)).collect();
        if mode.as_list && !mode.as_set {
            a.len() == b.len() && a.iter().zip(&b).all(|(x, y)| same_rows(x, y, mode.tolerance))
        } else {
            same_bag(a, b, mode.as_set, mode.tolerance)
        }
    };
    if columns.decided() {
        return columns.search(|_, _| true, fits).is_some();
    }
    let (a, b) = (signatures(gold, mode), signatures(pred, mode));
    let similar = |g: usize, p: usize| {
        let (Some(x), Some(y)) = (a.get(g), b.get(p)) else {
            return false;
        };
        same_rows(x, y, mode.tolerance)
    };
    // In a list, columns that are alike are the same.
    let classes =
        || (!mode.as_list || mode.as_set).then(|| Classes::new(gold, pred, mode.as_set, mode.tolerance));
    if columns.search_among(similar, classes, fits).is_none() {
        return false;
    }
    columns.restrict(similar)
}

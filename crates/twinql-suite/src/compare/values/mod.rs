//! When two values are equal: the one definition, which `docs/semantics.md` states in words.
//!
//! Values are of four kinds: NULL, numbers, text, blobs. Values of two kinds are never equal; NULL equals
//! NULL, text and blobs are equal byte for byte. Two integers are equal if they are the same integer.
//! Where one of two numbers is a real, they are equal if they are the same number, compared exactly, or if
//! both are finite and no further apart than the tolerance allows, relative to the larger. An infinity
//! equals itself alone. −0.0 is 0.0. NaN, which SQLite turns into NULL, is NULL.
//!
//! [`order`], by which answers are sorted, is a total order in which equal values tie or lie within the
//! tolerance of each other; [`Numbering`] gives values that are equal, directly or by way of others
//! between them, one number.

use std::cmp::Ordering;

use twinql_sql::Value;

/// Numbers nearer to 0 than this are taken to be this large where a tolerance is relative.
const SMALLEST: f64 = 1e-9;

/// A value as it is compared.
#[derive(Clone, Copy)]
enum StorageClass<'v> {
    Null,
    Integer(i64),
    /// Not NaN.
    Real(f64),
    Text(&'v str),
    Blob(&'v [u8]),
}

impl<'v> From<&'v Value> for StorageClass<'v> {
    fn from(value: &'v Value) -> StorageClass<'v> {
        match value {
            Value::Null => StorageClass::Null,
            Value::Integer(i) => StorageClass::Integer(*i),
            Value::Real(r) if r.0.is_nan() => StorageClass::Null,
            Value::Real(r) => StorageClass::Real(r.0),
            Value::Text(s) => StorageClass::Text(s),
            Value::Blob(b) => StorageClass::Blob(b),
        }
    }
}

impl StorageClass<'_> {
    fn rank(self) -> u8 {
        match self {
            StorageClass::Null => 0,
            StorageClass::Integer(_) | StorageClass::Real(_) => 1,
            StorageClass::Text(_) => 2,
            StorageClass::Blob(_) => 3,
        }
    }
}

/// Where an integer stands to a real that is not NaN, exactly: above 2⁵³ no real is taken for an
/// integer beside it.
fn integer_to_real(i: i64, r: f64) -> Ordering {
    // 2⁶³, the first real above all integers.
    const END: f64 = 9_223_372_036_854_775_808.0;
    if r >= END {
        return Ordering::Less;
    }
    if r < -END {
        return Ordering::Greater;
    }
    // The cast is exact: the real is whole and within the integers.
    let whole = r.trunc();
    i.cmp(&(whole as i64)).then_with(|| 0.0_f64.partial_cmp(&(r - whole)).unwrap_or(Ordering::Equal))
}

fn real_to_real(x: f64, y: f64) -> Ordering {
    // Neither is NaN, and −0.0 ties with 0.0.
    x.partial_cmp(&y).unwrap_or(Ordering::Equal)
}

/// A total order of values: NULL, numbers, text, blobs.
pub fn order(a: &Value, b: &Value) -> Ordering {
    match (StorageClass::from(a), StorageClass::from(b)) {
        (StorageClass::Integer(x), StorageClass::Integer(y)) => x.cmp(&y),
        (StorageClass::Integer(x), StorageClass::Real(y)) => integer_to_real(x, y),
        (StorageClass::Real(x), StorageClass::Integer(y)) => integer_to_real(y, x).reverse(),
        (StorageClass::Real(x), StorageClass::Real(y)) => real_to_real(x, y),
        (StorageClass::Text(x), StorageClass::Text(y)) => x.cmp(y),
        (StorageClass::Blob(x), StorageClass::Blob(y)) => x.cmp(y),
        (x, y) => x.rank().cmp(&y.rank()),
    }
}

/// How far apart two finite numbers are.
fn distance(a: StorageClass<'_>, b: StorageClass<'_>) -> Option<(f64, f64)> {
    let (gap, larger) = match (a, b) {
        (StorageClass::Real(x), StorageClass::Real(y)) => ((x - y).abs(), x.abs().max(y.abs())),
        (StorageClass::Integer(i), StorageClass::Real(r))
        | (StorageClass::Real(r), StorageClass::Integer(i)) => {
            let whole = r.trunc();
            let gap = if whole.abs() < 1e30 {
                (i128::from(i) - whole as i128) as f64 - (r - whole)
            } else {
                // So far beyond the integers that these do not count.
                r
            };
            (gap.abs(), (i as f64).abs().max(r.abs()))
        }
        (StorageClass::Integer(x), StorageClass::Integer(y)) => {
            let gap = (i128::from(x) - i128::from(y)).unsigned_abs() as f64;
            (gap, (x as f64).abs().max((y as f64).abs()))
        }
        _ => return None,
    };
    larger.is_finite().then_some((gap, larger))
}

/// True of finite numbers within the tolerance of each other, whatever they are stored as.
fn close(a: StorageClass<'_>, b: StorageClass<'_>, tolerance: f64) -> bool {
    distance(a, b).is_some_and(|(gap, larger)| gap <= tolerance * larger.max(SMALLEST))
}

/// Equality of values; `tolerance` is relative.
pub fn same(a: &Value, b: &Value, tolerance: f64) -> bool {
    if order(a, b).is_eq() {
        return true;
    }
    match (StorageClass::from(a), StorageClass::from(b)) {
        (StorageClass::Integer(_), StorageClass::Integer(_)) => false,
        (a, b) => close(a, b, tolerance),
    }
}

/// True if a value equals one of `pool`, which is sorted by [`order`].
pub(crate) fn among(pool: &[&Value], value: &Value, tolerance: f64) -> bool {
    let at = pool.partition_point(|x| order(x, value).is_lt());
    let (below, above) = pool.split_at(at);
    // Integers between may be close and yet not equal.
    let near = |x: &&&Value| {
        same(x, value, tolerance) || close(StorageClass::from(**x), StorageClass::from(value), tolerance)
    };
    let equal = |x: &&Value| same(x, value, tolerance);
    above.iter().take_while(near).any(equal) || below.iter().rev().take_while(near).any(equal)
}

/// Numbers for values: equal values have the same, whatever their kind or form.
///
/// Within a tolerance equality is not transitive. Values that are linked by equal ones have one number
/// too, so that it does not depend on the order in which they are looked at.
pub(crate) struct Numbering<'v> {
    /// The first value of each class, in order.
    starts: Vec<&'v Value>,
}

impl<'v> Numbering<'v> {
    /// Classes of these values.
    pub(crate) fn of(values: impl Iterator<Item = &'v Value>, tolerance: f64) -> Numbering<'v> {
        let mut all: Vec<&Value> = values.collect();
        all.sort_by(|a, b| order(a, b));
        all.dedup_by(|later, kept| {
            let tie = order(later, kept).is_eq();
            // Of an integer and the real that it is, the real says more.
            if tie && matches!(later, Value::Real(_)) {
                *kept = later;
            }
            tie
        });
        // A real links all values within its tolerance; they stand side by side.
        let mut linked = vec![false; all.len()];
        for (i, value) in all.iter().enumerate() {
            if !matches!(value, Value::Real(_)) {
                continue;
            }
            let mut to = i;
            while all.get(to + 1).is_some_and(|next| same(value, next, tolerance)) {
                to += 1;
                if let Some(link) = linked.get_mut(to) {
                    *link = true;
                }
            }
            let mut from = i;
            while from > 0 && all.get(from - 1).is_some_and(|last| same(value, last, tolerance)) {
                if let Some(link) = linked.get_mut(from) {
                    *link = true;
                }
                from -= 1;
            }
        }
        let starts = all.into_iter().zip(linked).filter(|(_, linked)| !linked);
        Numbering { starts: starts.map(|(value, _)| value).collect() }
    }

    /// The number of one of the values, from 1.
    pub(crate) fn number(&self, value: &Value) -> u32 {
        self.starts.partition_point(|s| order(s, value).is_le()) as u32
    }
}

#[cfg(test)]
mod tests;

//! Covariances and lines of regression over pairs of numbers (PostgreSQL 15: functions-aggregate).

use twinql_sql::Value;

use super::{Returned, Stop, number, real};

/// Sums over the rows in which neither argument is NULL: `(y, x)`.
pub(super) struct Pairs {
    count: f64,
    mean_y: f64,
    mean_x: f64,
    xy: f64,
    yy: f64,
    xx: f64,
}

impl Pairs {
    fn of(rows: &[Vec<Value>]) -> Result<Pairs, Stop> {
        let pairs: Vec<(f64, f64)> = rows
            .iter()
            .filter_map(|row| match row.as_slice() {
                [y, x] => number(y).zip(number(x)),
                _ => None,
            })
            .collect();
        if pairs.is_empty() {
            return Err(Stop::Null);
        }
        let count = pairs.len() as f64;
        let (y, x) = pairs.iter().fold((0.0, 0.0), |(y, x), (a, b)| (y + a / count, x + b / count));
        let mut all = Pairs { count, mean_y: y, mean_x: x, xy: 0.0, yy: 0.0, xx: 0.0 };
        for (a, b) in pairs {
            all.xy += (a - y) * (b - x);
            all.yy += (a - y).powi(2);
            all.xx += (b - x).powi(2);
        }
        Ok(all)
    }

    /// The slope; there is none where x does not vary.
    fn slope(&self) -> Result<f64, Stop> {
        if self.xx == 0.0 { Err(Stop::Null) } else { Ok(self.xy / self.xx) }
    }
}

/// CORR(y, x); NULL where one of the two does not vary.
pub(super) fn correlation(rows: &[Vec<Value>]) -> Returned {
    let pairs = Pairs::of(rows)?;
    if pairs.yy == 0.0 {
        return Err(Stop::Null);
    }
    pairs.slope().map(|_| real(pairs.xy / (pairs.xx * pairs.yy).sqrt()))
}

/// COVAR_POP, or COVAR_SAMP for a `sample`.
pub(super) fn covariance(rows: &[Vec<Value>], sample: bool) -> Returned {
    let pairs = Pairs::of(rows)?;
    let by = pairs.count - f64::from(u8::from(sample));
    if by == 0.0 { Err(Stop::Null) } else { Ok(real(pairs.xy / by)) }
}

/// REGR_SLOPE.
pub(super) fn slope(rows: &[Vec<Value>]) -> Returned {
    Pairs::of(rows)?.slope().map(real)
}

/// REGR_INTERCEPT.
pub(super) fn intercept(rows: &[Vec<Value>]) -> Returned {
    let pairs = Pairs::of(rows)?;
    pairs.slope().map(|slope| real(pairs.mean_y - slope * pairs.mean_x))
}

/// REGR_R2: 1 where y does not vary.
pub(super) fn determination(rows: &[Vec<Value>]) -> Returned {
    let pairs = Pairs::of(rows)?;
    pairs.slope()?;
    Ok(real(if pairs.yy == 0.0 { 1.0 } else { pairs.xy.powi(2) / (pairs.xx * pairs.yy) }))
}

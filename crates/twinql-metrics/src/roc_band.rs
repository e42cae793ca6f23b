//! A band of confidence around the ROC curve.

use rayon::prelude::*;

use crate::bootstrap::{Resampling, quantile, resample};
use crate::error::{Undefined, check_classes};

/// Rates of false positives at which the band is given: from 0 to 1.
const PLACES: usize = 101;

/// Between which true positive rates the curve runs at one false positive rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BandPoint {
    /// False positives over negatives.
    pub false_positive_rate: f64,
    /// Lower end of the true positive rate's interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// The pointwise percentile band of the ROC curve: at each false positive rate the interval of
/// the curves of the resamples that [`bootstrap`](crate::bootstrap()) draws (vertical averaging; Fawcett,
/// "An introduction to ROC analysis", 2006, section 9). Empty where no resample has both classes.
pub fn roc_band(scores: &[f64], labels: &[bool], how: &Resampling) -> Result<Vec<BandPoint>, Undefined> {
    check_classes(scores, labels)?;
    let mut order: Vec<usize> = (0..scores.len()).collect();
    let score = |i: &usize| scores.get(*i).copied().unwrap_or(f64::NAN);
    order.sort_by(|a, b| score(b).total_cmp(&score(a)));
    let tied: Vec<&[usize]> = order.chunk_by(|a, b| score(a) == score(b)).collect();
    let curves: Vec<Vec<f64>> = (0..how.resamples as u64)
        .into_par_iter()
        .filter_map(|index| one(&tied, labels, &resample(scores.len(), how.seed, index)))
        .collect();
    let tail = (1.0 - how.level.clamp(0.0, 1.0)) / 2.0;
    let mut band = Vec::with_capacity(PLACES);
    for place in 0..PLACES {
        let mut rates: Vec<f64> = curves.iter().filter_map(|c| c.get(place).copied()).collect();
        rates.sort_by(f64::total_cmp);
        if let (Some(low), Some(high)) = (quantile(&rates, tail), quantile(&rates, 1.0 - tail)) {
            band.push(BandPoint { false_positive_rate: rate(place), low, high });
        }
    }
    Ok(band)
}

fn rate(place: usize) -> f64 {
    place as f64 / (PLACES - 1) as f64
}

/// The true positive rates of one resample's curve at all places; none where a class is missing. Where
/// the curve rises upright, the upper end counts.
fn one(tied: &[&[usize]], labels: &[bool], drawn: &[usize]) -> Option<Vec<f64>> {
    let mut times = vec![0u32; labels.len()];
    for &i in drawn {
        if let Some(n) = times.get_mut(i) {
            *n += 1;
        }
    }
    let count = |items: &[usize], label: bool| -> f64 {
        let of = items.iter().filter(|&&i| labels.get(i) == Some(&label));
        of.filter_map(|&i| times.get(i)).map(|&n| f64::from(n)).sum()
    };
    let total = |label: bool| -> f64 { tied.iter().map(|items| count(items, label)).sum() };
    let (positives, negatives) = (total(true), total(false));
    if positives == 0.0 || negatives == 0.0 {
        return None;
    }
    let mut out = Vec::with_capacity(PLACES);
    let (mut tp, mut fp) = (0.0, 0.0);
    for items in tied {
        let (hits, misses) = (count(items, true), count(items, false));
        let (left, right) = (fp / negatives, (fp + misses) / negatives);
        while out.len() < PLACES && rate(out.len()) < right {
            let share = (rate(out.len()) - left) / (right - left);
            out.push((tp + hits * share) / positives);
        }
        tp += hits;
        fp += misses;
    }
    out.resize(PLACES, 1.0);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{auc, roc_curve};

    /// Positives score higher by a third of the range.
    fn data(n: usize) -> (Vec<f64>, Vec<bool>) {
        let labels: Vec<bool> = (0..n).map(|i| i % 2 == 0).collect();
        let scores = labels.iter().enumerate().map(|(i, l)| {
            let noise = f64::from((i as u32).wrapping_mul(2_654_435_761) >> 16 & 0xff) / 256.0;
            (10.0 * (noise + if *l { 0.33 } else { 0.0 })).round()
        });
        (scores.collect(), labels)
    }

    #[test]
    fn an_unchanged_resample_is_the_curve() {
        let (scores, labels) = data(200);
        let mut order: Vec<usize> = (0..200).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        let tied: Vec<&[usize]> = order.chunk_by(|a, b| scores[*a] == scores[*b]).collect();
        let all: Vec<usize> = (0..200).collect();
        let rates = one(&tied, &labels, &all).unwrap();
        let curve = roc_curve(&scores, &labels).unwrap();
        for (place, found) in rates.iter().enumerate() {
            let x = rate(place);
            let expected = curve
                .windows(2)
                .filter(|w| w[0].false_positive_rate <= x && x <= w[1].false_positive_rate)
                .map(|w| {
                    let run = w[1].false_positive_rate - w[0].false_positive_rate;
                    let rise = w[1].true_positive_rate - w[0].true_positive_rate;
                    let share = if run > 0.0 { (x - w[0].false_positive_rate) / run } else { 1.0 };
                    w[0].true_positive_rate + rise * share
                })
                .fold(0.0, f64::max);
            assert!((found - expected).abs() < 1e-9, "{x}: {found} {expected}");
        }
        // Trapezoids at the places come near the area.
        let area: f64 = rates.windows(2).map(|w| (w[0] + w[1]) / 200.0).sum();
        assert!((area - auc(&scores, &labels).unwrap()).abs() < 0.01);
    }

    #[test]
    fn the_band_lies_around_the_curve_and_narrows_with_more_pairs() {
        let how = Resampling { resamples: 200, ..Resampling::default() };
        let width = |n: usize| {
            let (scores, labels) = data(n);
            let band = roc_band(&scores, &labels, &how).unwrap();
            assert_eq!(band.len(), PLACES);
            assert_eq!(band, roc_band(&scores, &labels, &how).unwrap());
            assert!(band.iter().all(|p| 0.0 <= p.low && p.low <= p.high && p.high <= 1.0));
            band.iter().map(|p| p.high - p.low).sum::<f64>()
        };
        assert!(width(1_600) < 0.6 * width(200));
        let one_class = roc_band(&[0.1, 0.2], &[true, true], &how);
        assert_eq!(one_class, Err(Undefined::OneClass { label: 1 }));
    }
}

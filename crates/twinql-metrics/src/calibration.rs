//! How far probabilities can be taken at their word.

use serde::{Deserialize, Serialize};

use crate::error::{Undefined, check_finite, check_lengths};

/// Mean squared difference of probability and outcome (Brier 1950); 0 is best.
pub fn brier(probabilities: &[f64], labels: &[bool]) -> Result<f64, Undefined> {
    check_lengths(probabilities.len(), labels.len(), 1)?;
    check_finite(probabilities)?;
    let sum: f64 = probabilities.iter().zip(labels).map(|(p, l)| (p - f64::from(u8::from(*l))).powi(2)).sum();
    Ok(sum / labels.len() as f64)
}

/// One bin of a reliability diagram.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Lower end; included.
    pub low: f64,
    /// Upper end; excluded, but for the last bin.
    pub high: f64,
    /// How many items fall into it.
    pub count: usize,
    /// Their mean probability; 0 where there are none.
    pub confidence: f64,
    /// The share of positives among them; 0 where there are none.
    pub frequency: f64,
}

/// A reliability diagram: `bins` bins of equal width over [0, 1]; probabilities outside
/// fall into the outer bins.
pub fn reliability(probabilities: &[f64], labels: &[bool], bins: usize) -> Result<Vec<Bin>, Undefined> {
    check_lengths(probabilities.len(), labels.len(), 1)?;
    check_finite(probabilities)?;
    let bins = bins.max(1);
    let mut sums = vec![(0usize, 0.0f64, 0usize); bins];
    for (p, label) in probabilities.iter().zip(labels) {
        let index = ((p.clamp(0.0, 1.0) * bins as f64) as usize).min(bins - 1);
        if let Some((count, sum, hits)) = sums.get_mut(index) {
            *count += 1;
            *sum += p;
            *hits += usize::from(*label);
        }
    }
    let mean = |sum: f64, count: usize| if count == 0 { 0.0 } else { sum / count as f64 };
    Ok(sums
        .into_iter()
        .enumerate()
        .map(|(i, (count, sum, hits))| Bin {
            low: i as f64 / bins as f64,
            high: (i + 1) as f64 / bins as f64,
            count,
            confidence: mean(sum, count),
            frequency: mean(hits as f64, count),
        })
        .collect())
}

/// The number of bins of [`ece`] in reports.
pub const ECE_BINS: usize = 15;

/// Expected calibration error: over bins of equal width, the mean distance between a
/// bin's mean probability and its share of positives, weighted by its items (Naeini et
/// al. 2015; Guo et al. 2017, equation 3, there with 15 bins).
pub fn ece(probabilities: &[f64], labels: &[bool], bins: usize) -> Result<f64, Undefined> {
    let n = labels.len() as f64;
    Ok(reliability(probabilities, labels, bins)?
        .iter()
        .map(|b| b.count as f64 / n * (b.confidence - b.frequency).abs())
        .sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        let labels = [true, false];
        assert!((brier(&[0.8, 0.4], &labels).unwrap() - (0.04 + 0.16) / 2.0).abs() < 1e-15);
        assert_eq!(brier(&[1.0, 0.0], &labels), Ok(0.0));
        // Two bins: {0.9, 0.7} with 1 of 2 positive, {0.2} with 0 of 1: 2/3·0.3 + 1/3·0.2.
        let e = ece(&[0.9, 0.7, 0.2], &[true, false, false], 2).unwrap();
        assert!((e - (0.2 + 0.2 / 3.0)).abs() < 1e-12);
        // 1.0 belongs to the last bin.
        assert_eq!(reliability(&[1.0], &[true], 10).unwrap()[9].count, 1);
    }

    proptest! {
        #[test]
        fn bounded_and_complete(data in prop::collection::vec((0.0f64..=1.0, any::<bool>()), 1..50), bins in 1usize..20) {
            let p: Vec<f64> = data.iter().map(|d| d.0).collect();
            let labels: Vec<bool> = data.iter().map(|d| d.1).collect();
            let e = ece(&p, &labels, bins).unwrap();
            prop_assert!((0.0..=1.0 + 1e-12).contains(&e));
            prop_assert!((0.0..=1.0).contains(&brier(&p, &labels).unwrap()));
            let counted: usize = reliability(&p, &labels, bins).unwrap().iter().map(|b| b.count).sum();
            prop_assert_eq!(counted, p.len());
        }
    }
}

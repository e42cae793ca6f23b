//! How strong predictions are: probabilities for a batch in which more, or fewer, are right than where they were fitted.
//!
//! What a right prediction looks like is taken to be the same everywhere, and how many there are is not (label shift). The
//! odds of each are then multiplied by one number (Saerens, Latinne and Decaestecker 2002).

/// Steps in which a prior is found, at the most.
const STEPS: usize = 200;
/// No prior of a batch lies nearer to 0 or to 1.
const LEAST: f64 = 0.01;

/// A probability that was fitted where the share `fitted` is right, for a batch in which `assumed` is.
pub fn reweighed(probability: f64, fitted: f64, assumed: f64) -> f64 {
    let odds = |p: f64| {
        let p = p.clamp(1e-9, 1.0 - 1e-9);
        p / (1.0 - p)
    };
    if !(0.0..=1.0).contains(&assumed) || probability <= 0.0 || probability >= 1.0 {
        return probability;
    }
    let moved = odds(probability) * odds(assumed) / odds(fitted);
    moved / (1.0 + moved)
}

/// The share of a batch that is right, by expectation and maximisation over its probabilities, which were fitted where the
/// share `fitted` is.
pub fn prior(probabilities: &[f64], fitted: f64) -> f64 {
    let mut share = fitted;
    for _ in 0..STEPS {
        let sum: f64 = probabilities.iter().map(|p| reweighed(*p, fitted, share)).sum();
        let next = (sum / probabilities.len().max(1) as f64).clamp(LEAST, 1.0 - LEAST);
        if probabilities.is_empty() || (next - share).abs() < 1e-9 {
            break;
        }
        share = next;
    }
    share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_are_multiplied() {
        assert!((reweighed(0.5, 0.5, 0.8) - 0.8).abs() < 1e-12);
        assert!((reweighed(0.3, 0.6, 0.6) - 0.3).abs() < 1e-12);
        assert_eq!((reweighed(0.0, 0.5, 0.9), reweighed(1.0, 0.5, 0.1)), (0.0, 1.0));
        assert!(reweighed(0.5, 0.5, 0.0) < 1e-6 && reweighed(0.5, 0.5, 2.0) == 0.5);
    }

    /// Scores with density 2p for right ones and 2(1 - p) for wrong ones are calibrated where half are right.
    #[test]
    fn the_share_of_a_batch_is_found() {
        let scores = |share: f64, n: usize| -> Vec<f64> {
            (0..n)
                .flat_map(|i| {
                    let u = (i as f64 + 0.5) / n as f64;
                    let right = (share * 20.0).round() as usize;
                    let (good, bad) = (u.sqrt(), 1.0 - u.sqrt());
                    std::iter::repeat_n(good, right).chain(std::iter::repeat_n(bad, 20 - right))
                })
                .collect()
        };
        for share in [0.3, 0.5, 0.8] {
            let found = prior(&scores(share, 500), 0.5);
            assert!((found - share).abs() < 0.01, "{share}: {found}");
        }
        assert_eq!(prior(&[], 0.6), 0.6);
    }
}

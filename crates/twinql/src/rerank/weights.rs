//! Candidates, and how much the vote of each counts.

use std::fmt;

/// One candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its text.
    pub sql: String,
    /// The logarithm of its probability, where it is known.
    pub logprob: Option<f64>,
}

impl Candidate {
    /// A candidate of which no probability is known.
    pub fn new(sql: impl Into<String>) -> Candidate {
        Candidate { sql: sql.into(), logprob: None }
    }
}

/// How much the vote of each candidate counts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Weights {
    /// All the same: for candidates that were drawn from the model, so that likely ones come often.
    #[default]
    Uniform,
    /// By its probability, at a temperature: for beams, in which each candidate stands once. All the same in a set where
    /// the probability of any query is unknown.
    LogProb {
        /// Above 1 they become more alike.
        temperature: f64,
    },
    /// Each counts this share of the one before: for beams whose probabilities are not known.
    Rank {
        /// Above 0, at most 1.
        decay: f64,
    },
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Weights::Uniform => f.write_str("uniform"),
            Weights::LogProb { temperature } => write!(f, "logprob:{temperature}"),
            Weights::Rank { decay } => write!(f, "rank:{decay}"),
        }
    }
}

impl Weights {
    /// The weights of candidates, all finite and above or at 0. `counts` says which of them are queries: what others
    /// have for a probability does not matter.
    pub(super) fn of(self, candidates: &[Candidate], counts: impl Fn(usize) -> bool) -> Vec<f64> {
        match self {
            Weights::Uniform => vec![1.0; candidates.len()],
            Weights::Rank { decay } => {
                let decay = if decay.is_finite() { decay.clamp(f64::EPSILON, 1.0) } else { 1.0 };
                (0..candidates.len())
                    .map(|rank| decay.powi(i32::try_from(rank).unwrap_or(i32::MAX)))
                    .collect()
            }
            Weights::LogProb { temperature } => {
                let known = |place: usize, c: &Candidate| match c.logprob.filter(|p| p.is_finite()) {
                    None if !counts(place) => Some(f64::NEG_INFINITY),
                    known => known,
                };
                let known: Option<Vec<f64>> =
                    candidates.iter().enumerate().map(|(place, c)| known(place, c)).collect();
                // The highest becomes 1, so that nothing overflows.
                let highest = known.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
                match known {
                    Some(known) if temperature > 0.0 && highest.is_finite() => {
                        known.iter().map(|p| ((p - highest) / temperature).exp()).collect()
                    }
                    _ => vec![1.0; candidates.len()],
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_by_weight() {
        let of = |probs: &[Option<f64>]| -> Vec<Candidate> {
            probs.iter().map(|&logprob| Candidate { sql: String::new(), logprob }).collect()
        };
        let known = of(&[Some(-1e9), Some(-1e9 - 1.0)]);
        assert_eq!(Weights::Uniform.of(&known, |_| true), [1.0, 1.0]);
        assert_eq!(Weights::LogProb { temperature: 1.0 }.of(&known, |_| true), [1.0, (-1.0f64).exp()]);
        assert_eq!(Weights::LogProb { temperature: 0.0 }.of(&known, |_| true), [1.0, 1.0]);
        for unknown in [None, Some(f64::NAN), Some(f64::NEG_INFINITY)] {
            assert_eq!(
                Weights::LogProb { temperature: 1.0 }.of(&of(&[Some(-1.0), unknown]), |_| true),
                [1.0, 1.0]
            );
        }
        // What is no query need not have one.
        let weights = Weights::LogProb { temperature: 1.0 }.of(&of(&[None, Some(-1.0)]), |place| place == 1);
        assert_eq!(weights, [0.0, 1.0]);
        assert_eq!(Weights::LogProb { temperature: 1.0 }.of(&of(&[None]), |_| false), [1.0]);
        assert_eq!(Weights::Rank { decay: 0.5 }.of(&of(&[None, None, None]), |_| true), [1.0, 0.5, 0.25]);
        assert_eq!(Weights::Rank { decay: f64::NAN }.of(&of(&[None, None]), |_| true), [1.0, 1.0]);
    }
}

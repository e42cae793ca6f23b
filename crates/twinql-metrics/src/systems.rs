//! Several systems under several metrics: accuracies, contests, and how metrics rank the systems.
//!
//! All systems answer the same questions, so that every comparison is paired. One metric is the reference:
//! test-suite accuracy, usually. The others are measured by how they rank the systems against it (Kendall's
//! τ-b), and by how often they call an answer right or wrong against it (Zhong, Yu and Klein 2020, Tables 2
//! to 4).

use serde::{Deserialize, Serialize};

use crate::bootstrap::{Interval, Resampling, quantile, resample};
use crate::confusion::Confusion;
use crate::error::Undefined;
use crate::interactions::{Interactions, OfInteractions};
use crate::rank::kendall_tau_b;
use crate::significance::{holm, paired_randomisation, wilson};

/// A metric of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The score from which on an answer counts as right.
    pub threshold: f64,
    /// Its scores are 0 and 1.
    pub binary: bool,
}

/// Scores of systems under metrics over the same items.
#[derive(Debug, Clone, PartialEq)]
pub struct Systems {
    /// The systems' names; the first is the baseline of tables.
    pub names: Vec<String>,
    /// The metrics.
    pub metrics: Vec<Column>,
    /// By system, metric and item. A missing score is one that the metric does not give, and counts as wrong
    /// in an accuracy: the denominator is always all items.
    pub scores: Vec<Vec<Vec<Option<f64>>>>,
    /// Classes of items that are reported apart: their name and members.
    pub classes: Vec<(String, Vec<usize>)>,
    /// The interaction that each item is a turn of, in their order; empty where items are questions of their own.
    pub interactions: Vec<usize>,
    /// The metric that the others are compared with, by its place.
    pub reference: usize,
}

/// A system under a metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The system.
    pub system: String,
    /// The metric.
    pub metric: String,
    /// Items in all.
    pub items: usize,
    /// Items without a score.
    pub unscored: usize,
    /// The share of items that are called right.
    pub accuracy: f64,
    /// Its interval (Wilson).
    pub low: f64,
    /// Its interval's upper end.
    pub high: f64,
    /// Of a metric with continuous scores: their mean, with its bootstrap interval.
    pub mean: Option<Interval>,
    /// The accuracy in each class, in the order of [`Systems::classes`]; none for an empty class.
    pub by_class: Vec<Option<f64>>,
    /// Over interactions, where items are turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interactions: Option<OfInteractions>,
}

/// Two systems under one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contest {
    /// The metric.
    pub metric: String,
    /// One system.
    pub first: String,
    /// The other one.
    pub second: String,
    /// Accuracy of the first minus that of the second.
    pub difference: f64,
    /// The paired bootstrap interval of the difference.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// p by the paired bootstrap.
    pub p_bootstrap: f64,
    /// p by approximate randomisation.
    pub p_randomisation: f64,
    /// The latter, adjusted for all contests under this metric (Holm).
    pub p_adjusted: f64,
}

/// How a metric ranks the systems against the reference, over one class of items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// The metric.
    pub metric: String,
    /// The class of items; `all` for all.
    pub class: String,
    /// Kendall's τ-b of the systems' accuracies with those of the reference.
    pub tau: Option<f64>,
    /// The same of the means of continuous scores.
    pub tau_of_means: Option<f64>,
}

/// Mean, sample standard deviation and maximum over the systems, in shares of all items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The maximum.
    pub max: f64,
}

/// Where a metric disagrees with the reference, over one class of items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Disagreement {
    /// The metric.
    pub metric: String,
    /// The class of items.
    pub class: String,
    /// Called right by the metric, wrong by the reference.
    pub false_positives: Spread,
    /// Called wrong by the metric, right by the reference.
    pub false_negatives: Spread,
}

/// A comparison of systems.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The metric that the others are compared with.
    pub reference: String,
    /// The names of the classes.
    pub classes: Vec<String>,
    /// Every system under every metric, system by system.
    pub standings: Vec<Standing>,
    /// Every two systems under every metric, metric by metric.
    pub contests: Vec<Contest>,
    /// How metrics rank systems; the reference itself is left out.
    pub rankings: Vec<Ranking>,
    /// Where metrics disagree with the reference; the reference itself is left out.
    pub disagreements: Vec<Disagreement>,
}

/// The class of all items.
pub const ALL: &str = "all";

impl Systems {
    /// Whether each item of a system is called right by a metric.
    fn decisions(&self, system: usize, metric: usize) -> Vec<bool> {
        let threshold = self.metrics[metric].threshold;
        self.scores[system][metric].iter().map(|s| s.is_some_and(|s| s >= threshold)).collect()
    }

    /// The classes with that of all items before them.
    fn all_classes(&self) -> Vec<(String, Vec<usize>)> {
        let items = self.scores.first().and_then(|s| s.first()).map_or(0, Vec::len);
        let mut classes = vec![(ALL.to_owned(), (0..items).collect())];
        classes.extend(self.classes.iter().cloned());
        classes
    }

    /// All tables of the comparison. `how` is for the bootstrap, `exchanges` the number of random exchanges.
    ///
    /// # Errors
    /// No system or no item.
    pub fn compare(&self, how: &Resampling, exchanges: usize) -> Result<Comparison, Undefined> {
        let classes = self.all_classes();
        let items = classes.first().map_or(0, |(_, members)| members.len());
        if items == 0 {
            return Err(Undefined::TooFew { needed: 1, found: 0 });
        }
        // By system and metric.
        let decisions: Vec<Vec<Vec<bool>>> = (0..self.names.len())
            .map(|s| (0..self.metrics.len()).map(|m| self.decisions(s, m)).collect())
            .collect();
        let contests = (0..self.metrics.len())
            .map(|m| self.contests(m, &decisions, how, exchanges))
            .collect::<Result<Vec<_>, _>>()?
            .concat();
        Ok(Comparison {
            reference: self.metrics[self.reference].name.clone(),
            classes: self.classes.iter().map(|(name, _)| name.clone()).collect(),
            standings: self.standings(&decisions, how)?,
            contests,
            rankings: self.rankings(&decisions, &classes),
            disagreements: self.disagreements(&decisions, &classes),
        })
    }

    fn standings(&self, decisions: &[Vec<Vec<bool>>], how: &Resampling) -> Result<Vec<Standing>, Undefined> {
        let mut standings = Vec::new();
        for (s, system) in self.names.iter().enumerate() {
            for (m, metric) in self.metrics.iter().enumerate() {
                let right = &decisions[s][m];
                let hits = right.iter().filter(|r| **r).count();
                let (low, high) = wilson(hits, right.len(), how.level).unwrap_or((0.0, 1.0));
                let scores: Vec<f64> = self.scores[s][m].iter().map(|s| s.unwrap_or(0.0)).collect();
                standings.push(Standing {
                    system: system.clone(),
                    metric: metric.name.clone(),
                    items: right.len(),
                    unscored: self.scores[s][m].iter().filter(|s| s.is_none()).count(),
                    accuracy: hits as f64 / right.len() as f64,
                    low,
                    high,
                    mean: (!metric.binary).then(|| mean_interval(&scores, how)).transpose()?,
                    by_class: self.classes.iter().map(|(_, members)| share(right, members)).collect(),
                    interactions: Interactions::of(&self.interactions, right).outcome(how.level),
                });
            }
        }
        Ok(standings)
    }

    /// Compares each two systems by one metric on the same golds. All share their resamples, so that differences are
    /// paired; the p-values of the randomisation test are adjusted by Holm's method, for there are as many tests as
    /// pairs.
    fn contests(
        &self,
        metric: usize,
        decisions: &[Vec<Vec<bool>>],
        how: &Resampling,
        exchanges: usize,
    ) -> Result<Vec<Contest>, Undefined> {
        let numbers: Vec<Vec<f64>> = decisions
            .iter()
            .map(|of| of[metric].iter().map(|right| f64::from(u8::from(*right))).collect())
            .collect();
        let resampled = resampled_means(&numbers, how);
        let exchange = Resampling { resamples: exchanges, ..*how };
        let mut contests = Vec::new();
        for first in 0..numbers.len() {
            for second in first + 1..numbers.len() {
                let n = numbers[first].len() as f64;
                let sum = |values: &[f64]| values.iter().sum::<f64>();
                let difference = (sum(&numbers[first]) - sum(&numbers[second])) / n;
                let mut drawn: Vec<f64> =
                    resampled[first].iter().zip(&resampled[second]).map(|(a, b)| a - b).collect();
                drawn.sort_by(f64::total_cmp);
                let far =
                    drawn.iter().filter(|d| (**d - difference).abs() >= difference.abs() - 1e-12).count();
                let tail = (1.0 - how.level) / 2.0;
                contests.push(Contest {
                    metric: self.metrics[metric].name.clone(),
                    first: self.names[first].clone(),
                    second: self.names[second].clone(),
                    difference,
                    low: quantile(&drawn, tail).unwrap_or(difference),
                    high: quantile(&drawn, 1.0 - tail).unwrap_or(difference),
                    p_bootstrap: (far as f64 + 1.0) / (drawn.len() as f64 + 1.0),
                    p_randomisation: paired_randomisation(&numbers[first], &numbers[second], &exchange)?,
                    p_adjusted: 1.0,
                });
            }
        }
        let ps: Vec<f64> = contests.iter().map(|c| c.p_randomisation).collect();
        for (contest, p) in contests.iter_mut().zip(holm(&ps)) {
            contest.p_adjusted = p;
        }
        Ok(contests)
    }

    fn rankings(&self, decisions: &[Vec<Vec<bool>>], classes: &[(String, Vec<usize>)]) -> Vec<Ranking> {
        let mut rankings = Vec::new();
        for (m, metric) in self.metrics.iter().enumerate().filter(|(m, _)| *m != self.reference) {
            for (class, members) in classes {
                let accuracies = |metric: usize| -> Vec<f64> {
                    decisions.iter().filter_map(|of| share(&of[metric], members)).collect()
                };
                let means: Vec<f64> = self.scores.iter().filter_map(|of| mean(&of[m], members)).collect();
                let by_reference = accuracies(self.reference);
                rankings.push(Ranking {
                    metric: metric.name.clone(),
                    class: class.clone(),
                    tau: kendall_tau_b(&accuracies(m), &by_reference).ok(),
                    tau_of_means: match metric.binary {
                        true => None,
                        false => kendall_tau_b(&means, &by_reference).ok(),
                    },
                });
            }
        }
        rankings
    }

    fn disagreements(
        &self,
        decisions: &[Vec<Vec<bool>>],
        classes: &[(String, Vec<usize>)],
    ) -> Vec<Disagreement> {
        let mut all = Vec::new();
        for (m, metric) in self.metrics.iter().enumerate().filter(|(m, _)| *m != self.reference) {
            for (class, members) in classes {
                let confusions: Vec<Confusion> = decisions
                    .iter()
                    .filter_map(|of| {
                        let scores: Vec<f64> =
                            members.iter().map(|i| f64::from(u8::from(of[m][*i]))).collect();
                        let truth: Vec<bool> = members.iter().map(|i| of[self.reference][*i]).collect();
                        Confusion::at(&scores, &truth, 0.5).ok()
                    })
                    .collect();
                let spread = |f: &dyn Fn(&Confusion) -> Option<f64>| {
                    Spread::of(&confusions.iter().filter_map(f).collect::<Vec<_>>())
                };
                all.push(Disagreement {
                    metric: metric.name.clone(),
                    class: class.clone(),
                    false_positives: spread(&Confusion::false_positive_share),
                    false_negatives: spread(&Confusion::false_negative_share),
                });
            }
        }
        all
    }
}

impl Spread {
    /// Of no value, all zeros.
    fn of(values: &[f64]) -> Spread {
        let n = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        Spread {
            mean,
            deviation: (squares / (n - 1.0).max(1.0)).sqrt(),
            max: values.iter().copied().fold(0.0, f64::max),
        }
    }
}

/// The share of members that are called right; none where there are none.
fn share(right: &[bool], members: &[usize]) -> Option<f64> {
    let hits = members.iter().filter(|i| right[**i]).count();
    (!members.is_empty()).then(|| hits as f64 / members.len() as f64)
}

/// The mean score of the members, a missing score being 0; none where there are none.
fn mean(scores: &[Option<f64>], members: &[usize]) -> Option<f64> {
    let sum: f64 = members.iter().map(|i| scores[*i].unwrap_or(0.0)).sum();
    (!members.is_empty()).then(|| sum / members.len() as f64)
}

/// The mean of each list on each resample of the items; all lists see the same resamples.
fn resampled_means(lists: &[Vec<f64>], how: &Resampling) -> Vec<Vec<f64>> {
    use rayon::prelude::*;
    let items = lists.first().map_or(0, Vec::len);
    let by_resample: Vec<Vec<f64>> = (0..how.resamples as u64)
        .into_par_iter()
        .map(|i| {
            let drawn = resample(items, how.seed, i);
            let mean = |list: &Vec<f64>| drawn.iter().map(|i| list[*i]).sum::<f64>() / items.max(1) as f64;
            lists.iter().map(mean).collect()
        })
        .collect();
    (0..lists.len()).map(|list| by_resample.iter().map(|means| means[list]).collect()).collect()
}

/// The mean of a list with its bootstrap interval.
fn mean_interval(values: &[f64], how: &Resampling) -> Result<Interval, Undefined> {
    crate::bootstrap::bootstrap(values.len(), how, |items| {
        Ok(items.iter().map(|i| values[*i]).sum::<f64>() / items.len().max(1) as f64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three systems over 60 items: right on the first 40, 30 and 20; `noisy` is 0.2 lower on each.
    fn three() -> Systems {
        let of = |right: usize| -> Vec<Vec<Option<f64>>> {
            let exact = (0..60).map(|i| Some(f64::from(u8::from(i < right)))).collect();
            let noisy = (0..60).map(|i| (i != 59).then_some(if i + 2 < right { 0.8 } else { 0.1 })).collect();
            vec![exact, noisy]
        };
        let column = |name: &str, binary| Column { name: name.into(), threshold: 0.5, binary };
        Systems {
            names: vec!["a".into(), "b".into(), "c".into()],
            metrics: vec![column("suite", true), column("noisy", false)],
            scores: vec![of(40), of(30), of(20)],
            classes: vec![("first".into(), (0..25).collect()), ("none".into(), Vec::new())],
            interactions: (0..60).map(|turn| turn / 3).collect(),
            reference: 0,
        }
    }

    #[test]
    fn tables_by_hand() {
        let got = three().compare(&Resampling { resamples: 200, ..Resampling::default() }, 500).unwrap();
        assert_eq!(got.standings.len(), 6);
        let a = &got.standings[0];
        assert_eq!((a.system.as_str(), a.metric.as_str(), a.accuracy), ("a", "suite", 40.0 / 60.0));
        assert!(a.low < a.accuracy && a.accuracy < a.high && a.mean.is_none());
        assert_eq!(a.by_class, [Some(1.0), None]);
        // Of 20 interactions of three turns, 40 right turns make 13 whole ones.
        assert_eq!(a.interactions.as_ref().map(|i| (i.interactions, i.accuracy)), Some((20, 13.0 / 20.0)));
        assert_eq!((got.standings[1].unscored, got.standings[1].accuracy), (1, 38.0 / 60.0));
        assert!(got.standings[1].mean.is_some());
        assert_eq!(got.contests.len(), 6);
        let c = &got.contests[1];
        assert_eq!((c.first.as_str(), c.second.as_str()), ("a", "c"));
        assert!((c.difference - 1.0 / 3.0).abs() < 1e-12 && c.low > 0.0 && c.p_adjusted < 0.05, "{c:?}");
        assert!(c.p_adjusted >= c.p_randomisation);
        let all = got.rankings.iter().find(|r| r.class == ALL).unwrap();
        assert_eq!((all.metric.as_str(), all.tau, all.tau_of_means), ("noisy", Some(1.0), Some(1.0)));
        // `a` and `b` are right on all of the first 25 under the suite: a tie.
        assert!(got.rankings.iter().any(|r| r.class == "first" && r.tau.is_some_and(|t| t < 1.0)));
        assert!(got.rankings.iter().any(|r| r.class == "none" && r.tau.is_none()));
        let d = &got.disagreements[0];
        assert_eq!(d.false_positives.max, 0.0);
        assert!((d.false_negatives.mean - 2.0 / 60.0).abs() < 1e-12 && d.false_negatives.deviation < 1e-12);
    }

    #[test]
    fn one_system_has_no_contest() {
        let mut one = three();
        one.names.truncate(1);
        one.scores.truncate(1);
        let got = one.compare(&Resampling { resamples: 20, ..Resampling::default() }, 20).unwrap();
        assert!(got.contests.is_empty() && got.rankings.iter().all(|r| r.tau.is_none()));
        one.scores = vec![vec![Vec::new(), Vec::new()]];
        assert!(one.compare(&Resampling::default(), 10).is_err());
    }
}

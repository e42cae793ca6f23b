//! How well a metric agrees with labels: the figures of `twinql evaluate`.

use serde::Serialize;
use twinql_gmn::{Band, Decision};
use twinql_metrics::{
    Confusion, ECE_BINS, Interval, Resampling, Undefined, auc, average_precision, bootstrap, brier, delong,
    ece, kendall_tau_b, pearson, spearman,
};

use crate::engine::Engine;
use crate::metric::{Metric, ScoreKind};
use crate::record::{Record, StatusCounts};

/// The figures of one metric over one set of pairs. A figure that is not defined on the
/// data is null.
#[derive(Debug, Clone, Serialize)]
pub struct MetricReport {
    /// The metric's name.
    pub metric: String,
    /// What its figures depend on.
    pub signature: String,
    /// What the metric means by `the same answer`: not always what was asked for.
    pub semantics: String,
    /// Pairs that the metric has a score for: those that its figures are over.
    pub pairs: usize,
    /// Pairs that it has none for, since nothing tests them; in none of its figures.
    pub unscored: usize,
    /// The share of all pairs that it has a score for.
    pub coverage: f64,
    /// How many of them have label 1.
    pub positives: usize,
    /// Area under the ROC curve with its bootstrap interval.
    pub auc: Option<Interval>,
    /// The interval of the same area by DeLong, made on the scale of log odds.
    pub auc_delong: Option<(f64, f64)>,
    /// Average precision.
    pub average_precision: Option<f64>,
    /// Kendall's τ-b with the labels.
    pub kendall_tau_b: Option<f64>,
    /// Spearman's ρ with the labels.
    pub spearman: Option<f64>,
    /// Pearson's r with the labels.
    pub pearson: Option<f64>,
    /// The fixed threshold; nothing is chosen on this data.
    pub threshold: f64,
    /// The share that is called rightly at the threshold.
    pub accuracy: Option<f64>,
    /// Precision of "the same" at the threshold.
    pub precision: Option<f64>,
    /// Recall of "the same" at the threshold.
    pub recall: Option<f64>,
    /// Their harmonic mean.
    pub f1: Option<f64>,
    /// Matthews' correlation coefficient.
    pub mcc: Option<f64>,
    /// False positives among all pairs, as the papers on test suites and ESM+ tabulate them.
    pub false_positive_share: Option<f64>,
    /// False negatives among all pairs.
    pub false_negative_share: Option<f64>,
    /// The counts behind these.
    pub confusion: Option<Confusion>,
    /// Figures of the decisions at the threshold in place of the scores; absent for a
    /// metric whose scores are decisions.
    pub binarised: Option<Binarised>,
    /// Only for calibrated probabilities.
    pub brier: Option<f64>,
    /// Only for calibrated probabilities; 15 bins of equal width.
    pub ece: Option<f64>,
    /// What is decided outside the checkpoint's abstention band; absent for a metric without one.
    pub abstention: Option<Abstention>,
    /// Why figures are null.
    pub undefined: Option<String>,
}

/// Decisions of a metric that may abstain.
#[derive(Debug, Clone, Serialize)]
pub struct Abstention {
    /// The share of either class that the band allows to be called wrongly.
    pub level: f64,
    /// Probabilities below it are called different.
    pub low: f32,
    /// Probabilities above it are called the same.
    pub high: f32,
    /// Pairs that are decided.
    pub decided: usize,
    /// Their share.
    pub coverage: f64,
    /// The share of the decided pairs that is decided rightly.
    pub accuracy: Option<f64>,
    /// The share of all label-1 pairs that is called different.
    pub missed: Option<f64>,
    /// The share of all label-0 pairs that is called the same.
    pub false_alarms: Option<f64>,
}

impl Abstention {
    /// Figures of decisions against labels, in the same order.
    fn of(band: &Band, decisions: &[Decision], labels: &[bool]) -> Abstention {
        let count = |wanted: &dyn Fn(Decision, bool) -> bool| {
            let pairs = decisions.iter().zip(labels);
            pairs.filter(|(d, l)| wanted(**d, **l)).count()
        };
        let share = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
        let decided = count(&|d, _| d != Decision::Abstained);
        let missed = count(&|d, l| l && d == Decision::Different);
        let alarms = count(&|d, l| !l && d == Decision::Same);
        Abstention {
            level: band.level,
            low: band.low,
            high: band.high,
            decided,
            coverage: share(decided, labels.len()).unwrap_or(0.0),
            accuracy: share(decided - missed - alarms, decided),
            missed: share(missed, count(&|_, l| l)),
            false_alarms: share(alarms, count(&|_, l| !l)),
        }
    }
}

/// Agreement of decisions with labels.
#[derive(Debug, Clone, Serialize)]
pub struct Binarised {
    /// The mean of the two recalls.
    pub auc: Option<f64>,
    /// Between two binary lists Kendall's τ-b, Spearman's ρ and Pearson's r are one number.
    pub correlation: Option<f64>,
}

/// What a metric is, as far as its figures depend on it.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The metric's name.
    pub metric: String,
    /// What its figures depend on.
    pub signature: String,
    /// What it means by `the same answer`.
    pub semantics: String,
    /// The score from which on it calls two queries the same.
    pub threshold: f64,
    /// Its scores are 0 and 1.
    pub binary: bool,
    /// Its scores are calibrated probabilities.
    pub probability: bool,
}

/// The figures of scores against labels, in the same order.
fn measure(subject: &Subject, scores: &[f64], labels: &[bool], how: &Resampling) -> MetricReport {
    let numbers: Vec<f64> = labels.iter().map(|l| f64::from(u8::from(*l))).collect();
    let mut undefined: Option<String> = None;
    let mut keep = |result: Result<f64, Undefined>| match result {
        Ok(value) => Some(value),
        Err(why) => {
            undefined.get_or_insert(why.to_string());
            None
        }
    };
    let interval = bootstrap(scores.len(), how, |items| {
        let s: Vec<f64> = items.iter().filter_map(|i| scores.get(*i).copied()).collect();
        let l: Vec<bool> = items.iter().filter_map(|i| labels.get(*i).copied()).collect();
        auc(&s, &l)
    });
    let auc_interval = match interval {
        Ok(interval) => Some(interval),
        Err(why) => keep(Err(why)).and(None),
    };
    let by_delong = delong(&[scores], labels).ok().and_then(|areas| areas.interval(0, how.level));
    let tau = keep(kendall_tau_b(scores, &numbers));
    let rho = keep(spearman(scores, &numbers));
    let r = keep(pearson(scores, &numbers));
    let confusion = Confusion::at(scores, labels, subject.threshold).ok();
    let decisions: Vec<f64> = scores.iter().map(|s| f64::from(u8::from(*s >= subject.threshold))).collect();
    let binarised = (!subject.binary).then(|| Binarised {
        auc: auc(&decisions, labels).ok(),
        correlation: kendall_tau_b(&decisions, &numbers).ok(),
    });
    let calibration = |value: Result<f64, Undefined>| if subject.probability { value.ok() } else { None };
    MetricReport {
        metric: subject.metric.clone(),
        signature: subject.signature.clone(),
        semantics: subject.semantics.clone(),
        pairs: labels.len(),
        unscored: 0,
        coverage: 1.0,
        positives: labels.iter().filter(|l| **l).count(),
        auc: auc_interval,
        auc_delong: by_delong,
        average_precision: average_precision(scores, labels).ok(),
        kendall_tau_b: tau,
        spearman: rho,
        pearson: r,
        threshold: subject.threshold,
        accuracy: confusion.and_then(|c| c.accuracy()),
        precision: confusion.and_then(|c| c.precision()),
        recall: confusion.and_then(|c| c.recall()),
        f1: confusion.and_then(|c| c.f1()),
        mcc: confusion.and_then(|c| c.mcc()),
        false_positive_share: confusion.and_then(|c| c.false_positive_share()),
        false_negative_share: confusion.and_then(|c| c.false_negative_share()),
        confusion,
        binarised,
        brier: calibration(brier(scores, labels)),
        ece: calibration(ece(scores, labels, ECE_BINS)),
        abstention: None,
        undefined,
    }
}

impl Subject {
    /// A metric of an engine.
    pub fn of(engine: &Engine, metric: &Metric) -> Subject {
        Subject {
            metric: metric.name.into(),
            signature: engine.signature(metric).to_string(),
            semantics: engine.semantics_of(metric).name,
            threshold: engine.threshold(metric),
            binary: metric.kind == ScoreKind::Binary,
            probability: metric.is_learned(),
        }
    }
}

/// What is kept of labelled pairs: numbers, no texts. The bootstrap needs all pairs at once; a score for each metric
/// and a label take so few bytes that millions of pairs fit into memory.
#[derive(Debug)]
pub struct Labelled {
    /// By metric, those of other programs after the engine's.
    scores: Vec<Vec<Option<f64>>>,
    /// By metric; of a metric without a band there are none.
    decisions: Vec<Vec<Decision>>,
    /// The labels.
    pub labels: Vec<bool>,
    /// What became of the pairs.
    pub counts: StatusCounts,
}

impl Labelled {
    /// No pairs yet, for the engine's metrics and so many of other programs.
    pub fn new(engine: &Engine, external: usize) -> Labelled {
        let metrics = engine.metrics().len() + external;
        Labelled {
            scores: vec![Vec::new(); metrics],
            decisions: vec![Vec::new(); metrics],
            labels: Vec::new(),
            counts: StatusCounts::default(),
        }
    }

    /// Adds a pair with the scores of other programs.
    pub fn add(&mut self, engine: &Engine, record: &Record, external: &[Option<f64>], label: bool) {
        self.counts.add(record.status);
        self.labels.push(label);
        let own = engine.metrics().iter().map(|metric| record.score(metric.name));
        for (score, scores) in own.chain(external.iter().copied()).zip(&mut self.scores) {
            scores.push(score);
        }
        for (metric, decisions) in engine.metrics().iter().zip(&mut self.decisions) {
            decisions.extend(engine.decide(metric, record));
        }
    }

    /// All pairs.
    pub fn everything(&self) -> Vec<usize> {
        (0..self.labels.len()).collect()
    }

    /// The scores of a metric and their labels, for those pairs that it says something of.
    pub fn scored(&self, metric: usize, members: &[usize]) -> (Vec<f64>, Vec<bool>) {
        let pair = |i: &usize| Some((self.scores[metric][*i]?, self.labels[*i]));
        members.iter().filter_map(pair).unzip()
    }

    /// The scores of two metrics and the labels, for those pairs that both say something of.
    pub fn both(&self, first: usize, second: usize) -> (Vec<f64>, Vec<f64>, Vec<bool>) {
        let (mut one, mut other, mut labels) = (Vec::new(), Vec::new(), Vec::new());
        for (pair, label) in self.labels.iter().enumerate() {
            if let (Some(a), Some(b)) = (self.scores[first][pair], self.scores[second][pair]) {
                one.push(a);
                other.push(b);
                labels.push(*label);
            }
        }
        (one, other, labels)
    }

    /// The decisions of a metric; none where it does not decide every pair.
    fn decisions(&self, metric: usize, members: &[usize]) -> Option<Vec<Decision>> {
        let decisions = &self.decisions[metric];
        (decisions.len() == self.labels.len()).then(|| members.iter().map(|i| decisions[*i]).collect())
    }

    /// Each metric's report over some of the pairs.
    pub fn reports(
        &self,
        engine: &Engine,
        subjects: &[Subject],
        members: &[usize],
        how: &Resampling,
    ) -> Vec<MetricReport> {
        let all: Vec<bool> = members.iter().map(|i| self.labels[*i]).collect();
        let measured = |(number, subject): (usize, &Subject)| {
            let (scores, labels) = self.scored(number, members);
            let report = measure(subject, &scores, &labels, how);
            let band = engine.metrics().get(number).and_then(|metric| engine.band(metric));
            MetricReport {
                abstention: band
                    .zip(self.decisions(number, members))
                    .map(|(band, decisions)| Abstention::of(&band, &decisions, &all)),
                unscored: all.len().saturating_sub(scores.len()),
                coverage: scores.len() as f64 / all.len().max(1) as f64,
                ..report
            }
        };
        subjects.iter().enumerate().map(measured).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject() -> Subject {
        Subject {
            metric: "m".into(),
            signature: "s".into(),
            semantics: "default".into(),
            threshold: 0.5,
            binary: false,
            probability: true,
        }
    }

    #[test]
    fn figures_of_a_small_set() {
        let how = Resampling { resamples: 50, ..Resampling::default() };
        let r = measure(&subject(), &[0.9, 0.6, 0.4, 0.2], &[true, false, true, false], &how);
        assert_eq!((r.pairs, r.positives), (4, 2));
        assert_eq!(r.auc.map(|a| a.estimate), Some(0.75));
        assert_eq!(r.accuracy, Some(0.5));
        assert!(r.auc_delong.is_some_and(|(low, high)| low < 0.75 && high > 0.75));
        assert_eq!((r.false_positive_share, r.false_negative_share), (Some(0.25), Some(0.25)));
        assert_eq!(r.binarised.map(|b| b.auc), Some(Some(0.5)));
        assert!(r.brier.is_some() && r.undefined.is_none());
    }

    #[test]
    fn one_class_gives_a_reason() {
        let r = measure(&subject(), &[0.9, 0.6], &[true, true], &Resampling::default());
        assert!(r.auc.is_none() && r.accuracy == Some(1.0));
        assert!(r.undefined.is_some_and(|why| why.contains("both classes")));
    }
}

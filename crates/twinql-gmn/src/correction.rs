//! How a network's probability is corrected by what a few databases show of a pair.
//!
//! A network reads two queries and may miss a small difference; databases on which both are evaluated show it. Asked
//! for every database, one on which the answers differ settles the pair. Where none does, and where the question is
//! about plausible databases, a logistic model weighs the network's log odds and those of the share of databases on
//! which both agree. Databases on which both find nothing may count for less, and those on which SQL leaves an answer
//! open may count against the pair.

use serde::{Deserialize, Serialize};
use twinql_graph::Question;

use crate::band::{Band, LEVEL};
use crate::calibrate::{Point, Quality, best_threshold, logit};
use crate::logistic::{Folds, Sample, Start, Unfit, chance, fit};

/// The most that a pair scores that a database tells apart, where the question is about every database: as a pair
/// whose answers have different widths. The order that the network gives such pairs stays.
const MOST_OF_REFUTED: f32 = 0.01;

/// On how many databases two queries were evaluated, and what came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shown {
    /// Databases on which both answers are the same.
    pub agree: u32,
    /// Those of them on which the answers hold nothing but NULL and 0.
    pub silent: u32,
    /// Databases on which they are not.
    pub differ: u32,
    /// Databases on which SQL leaves open whether they are.
    pub open: u32,
}

impl Shown {
    /// No database says anything.
    fn is_nothing(self) -> bool {
        self.agree + self.differ + self.open == 0
    }

    /// Log odds of the share, shrunk by half a database of each kind.
    fn odds(self) -> f64 {
        ((f64::from(self.agree) + 0.5) / (f64::from(self.differ) + 0.5)).ln()
    }

    /// How much smaller these odds are without the silent databases; at most 0.
    fn silence(self) -> f64 {
        let telling = self.agree.saturating_sub(self.silent);
        ((f64::from(telling) + 0.5) / (f64::from(self.agree) + 0.5)).ln()
    }

    /// The logarithm of a share: of the databases that do not tell the pair apart, those that agree for certain. At most 0.
    fn certainty(self) -> f64 {
        ((f64::from(self.agree) + 0.5) / (f64::from(self.agree + self.open) + 0.5)).ln()
    }
}

/// A pair with a label, as a correction is fitted to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Probed {
    /// The network's calibrated probability.
    pub network: f32,
    /// What databases show.
    pub shown: Shown,
    /// The canonical forms are equal: nothing is corrected.
    pub identical: bool,
    /// An assumption of the semantics empties a part of either query: it scores below the threshold whatever its
    /// probability, so that nothing is fitted to it.
    pub vacuous: bool,
    /// The two are the same.
    pub label: bool,
    /// The database.
    pub database: String,
}

/// The correction for one question under one semantics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Correction {
    /// The question.
    pub question: Question,
    /// The semantics of the pairs that it was fitted to.
    pub semantics: String,
    /// Log odds of a pair of which network and databases say nothing.
    pub offset: f64,
    /// How much of the network's log odds is believed.
    pub network: f64,
    /// How much of the log odds of the share is believed.
    pub share: f64,
    /// How much is taken back of what databases on which both find nothing add to those odds: all of it where this equals
    /// `share`. 0 in corrections that were fitted before there was this weight.
    #[serde(default)]
    pub silent: f64,
    /// How much databases that leave it open count against a pair: SQLite gives one of the answers that SQL allows, and two
    /// queries may be given two. 0 in corrections that were fitted before there was this weight.
    #[serde(default)]
    pub open: f64,
    /// Probability from which a pair is called the same.
    pub threshold: f32,
    /// Between which probabilities nothing had better be said.
    pub band: Option<Band>,
    /// All pairs, with equal forms and refuted ones.
    pub validation: Quality,
    /// The pairs that the weights were fitted to.
    pub folds: Folds,
}

/// The places of the weights that are not negative.
const NOT_NEGATIVE: [usize; 4] = [1, 2, 3, 4];

fn features(network: f32, shown: Shown) -> [f64; 5] {
    [1.0, f64::from(logit(network)), shown.odds(), shown.silence(), shown.certainty()]
}

/// The probability of a pair that a database tells apart, if that settles the question.
fn settled(question: Question, network: f32, shown: Shown) -> Option<f32> {
    (question.is_usual() && shown.differ > 0).then_some(MOST_OF_REFUTED * network)
}

impl Correction {
    /// A network's probability, corrected. Without a correction, only what databases settle changes.
    pub fn apply(correction: Option<&Correction>, question: Question, network: f32, shown: Shown) -> f32 {
        if let Some(settled) = settled(question, network, shown) {
            return settled;
        }
        match correction {
            Some(correction) if correction.has_a_say(shown) => correction.weigh(network, shown),
            _ => network,
        }
    }

    /// Whether a pair is corrected. Where every database leaves it open, only a correction that weighs these says anything.
    fn has_a_say(&self, shown: Shown) -> bool {
        shown.agree + shown.differ > 0 || (self.open > 0.0 && shown.open > 0)
    }

    fn weights(&self) -> [f64; 5] {
        [self.offset, self.network, self.share, self.silent, self.open]
    }

    fn weigh(&self, network: f32, shown: Shown) -> f32 {
        chance(&self.weights(), &features(network, shown)) as f32
    }

    /// Fits a correction to pairs with labels, and measures on each fifth of the databases what the others say of it.
    ///
    /// # Errors
    /// All pairs that are not settled have one label, or there are too few databases.
    pub fn fit(question: Question, semantics: &str, pairs: &[Probed]) -> Result<Correction, Unfit> {
        let pairs: Vec<&Probed> = pairs.iter().filter(|p| !p.vacuous).collect();
        let unsettled = |p: &Probed| {
            !p.identical && !p.shown.is_nothing() && settled(question, p.network, p.shown).is_none()
        };
        let sample = |p: &Probed| Sample {
            features: features(p.network, p.shown),
            label: p.label,
            database: p.database.clone(),
        };
        let samples: Vec<Sample<5>> = pairs.iter().copied().filter(|p| unsettled(p)).map(sample).collect();
        let start = Start::new(std::array::from_fn(|place| NOT_NEGATIVE.contains(&place)));
        let found = fit(&samples, &start)?;
        let ([offset, network, share, silent, open], folds) = (found.weights, found.folds);
        let mut correction = Correction {
            question,
            semantics: semantics.to_owned(),
            offset,
            network,
            share,
            silent,
            open,
            threshold: 0.5,
            band: None,
            validation: Quality::UNMEASURED,
            folds,
        };
        let point = |p: &Probed| -> Point {
            let probability = match p.identical {
                true => p.network,
                false => Correction::apply(Some(&correction), question, p.network, p.shown),
            };
            (probability, p.label, 1.0)
        };
        let scored: Vec<Point> = pairs.iter().copied().map(point).collect();
        let judged: Vec<Point> = pairs.iter().copied().filter(|p| !p.identical).map(point).collect();
        let threshold = best_threshold(&scored);
        correction.threshold = threshold;
        correction.band = Some(Band::fit(&judged, threshold, LEVEL));
        correction.validation = Quality::of_scores(&scored, threshold);
        Ok(correction)
    }

    /// Whether its numbers are usable: what network and databases say is believed or not, never reversed.
    pub(crate) fn is_usable(&self) -> bool {
        let weights = self.weights();
        weights.iter().all(|w| w.is_finite())
            && NOT_NEGATIVE.iter().all(|place| weights[*place] >= 0.0)
            && (0.0..=1.0).contains(&self.threshold)
            && self.band.as_ref().is_none_or(Band::is_usable)
    }
}

#[cfg(test)]
mod tests {
    use twinql_graph::QUESTIONS;

    use super::*;

    fn shown(agree: u32, differ: u32) -> Shown {
        Shown { agree, differ, ..Shown::default() }
    }

    /// Pairs of which the network knows little and databases much.
    fn pairs() -> Vec<Probed> {
        (0..400u32)
            .map(|i| {
                let label = i % 2 == 0;
                let agree = if label { 4 } else { i % 4 };
                Probed {
                    network: if i % 3 == 0 { 0.4 } else { 0.6 },
                    shown: shown(agree, 4 - agree),
                    identical: false,
                    vacuous: false,
                    label: label != (i % 20 == 0),
                    database: format!("db{}", i % 8),
                }
            })
            .collect()
    }

    #[test]
    fn a_difference_settles_what_holds_on_every_database() {
        let [every, plausible] = [QUESTIONS[0], QUESTIONS[1]];
        assert!(every.is_usual() && !plausible.is_usual());
        assert!(Correction::apply(None, every, 0.99, shown(7, 1)) < 0.01);
        assert_eq!(Correction::apply(None, every, 0.99, shown(8, 0)), 0.99);
        assert_eq!(Correction::apply(None, plausible, 0.99, shown(3, 1)), 0.99);
        // The network's order stays.
        let of = |p| Correction::apply(None, every, p, shown(0, 1));
        assert!(of(0.2) < of(0.7));
    }

    #[test]
    fn shares_are_believed_as_far_as_labels_follow_them() {
        let plausible = QUESTIONS[1];
        let found = Correction::fit(plausible, "bird", &pairs()).unwrap();
        assert!(found.is_usable() && found.share > 0.5, "{found:?}");
        let of = |agree| Correction::apply(Some(&found), plausible, 0.5, shown(agree, 4 - agree));
        assert!((1..=4).all(|agree| of(agree - 1) < of(agree)));
        assert!(of(4) > found.threshold && of(1) < found.threshold);
        assert_eq!(Correction::apply(Some(&found), plausible, 0.3, shown(0, 0)), 0.3);
        assert!(found.validation.auc > 0.9 && found.folds.auc > 0.9, "{found:?}");
    }

    #[test]
    fn nothing_is_fitted_to_what_an_assumption_empties() {
        let plausible = QUESTIONS[1];
        let emptied = pairs().into_iter().map(|p| Probed { vacuous: true, label: !p.label, ..p });
        let with: Vec<Probed> = pairs().into_iter().chain(emptied).collect();
        let fit = |pairs: &[Probed]| Correction::fit(plausible, "bird", pairs).unwrap();
        assert_eq!(fit(&with), fit(&pairs()));
    }

    #[test]
    fn agreement_on_nothing_is_believed_less_where_labels_say_so() {
        let plausible = QUESTIONS[1];
        // Of half of those that agree everywhere, the answers are empty, and their labels are as often 0 as 1.
        let pairs: Vec<Probed> = (pairs().into_iter().enumerate())
            .map(|(i, p)| match p.shown.agree {
                4 if i % 4 == 0 => Probed { shown: Shown { silent: 4, ..p.shown }, label: i % 8 == 0, ..p },
                _ => p,
            })
            .collect();
        let found = Correction::fit(plausible, "bird", &pairs).unwrap();
        assert!(found.is_usable() && found.silent > 0.1, "{found:?}");
        let of = |silent| Correction::apply(Some(&found), plausible, 0.5, Shown { silent, ..shown(4, 0) });
        assert!((1..=4).all(|silent| of(silent) < of(silent - 1)));
        // A correction that was fitted before says what it said.
        let old = Correction { silent: 0.0, ..found };
        let of = |silent| Correction::apply(Some(&old), plausible, 0.5, Shown { silent, ..shown(4, 0) });
        assert_eq!(of(4), of(0));
    }

    #[test]
    fn what_is_open_counts_against_a_pair_where_labels_say_so() {
        let every = QUESTIONS[0];
        // All agree where they are certain; where half is open, one in four is the same.
        let pairs: Vec<Probed> = (pairs().into_iter().enumerate())
            .map(|(i, p)| match i % 2 {
                0 => Probed { shown: shown(4, 0), label: i % 20 != 0, ..p },
                _ => Probed { shown: Shown { open: 4, ..shown(4, 0) }, label: i % 8 == 1, ..p },
            })
            .collect();
        let found = Correction::fit(every, "no-fk", &pairs).unwrap();
        assert!(found.is_usable() && found.open > 0.5, "{found:?}");
        let of = |agree, open| Correction::apply(Some(&found), every, 0.5, Shown { open, ..shown(agree, 0) });
        assert!((1..=4).all(|open| of(4, open) < of(4, open - 1)));
        assert!(of(0, 8) < of(4, 4), "all is open");
        // A correction that was fitted before says what it said: nothing where all is open.
        let old = Correction { open: 0.0, ..found };
        let of = |agree, open| Correction::apply(Some(&old), every, 0.5, Shown { open, ..shown(agree, 0) });
        assert_eq!(of(4, 4), of(4, 0));
        assert_eq!(of(0, 8), 0.5);
    }

    #[test]
    fn what_cannot_be_fitted_says_why() {
        let one: Vec<Probed> = pairs().into_iter().map(|p| Probed { database: "db".into(), ..p }).collect();
        assert_eq!(Correction::fit(QUESTIONS[1], "bird", &one), Err(Unfit::FewDatabases { found: 1 }));
        // Asked for every database, those that differ are settled, and of the others all labels may be one.
        let same: Vec<Probed> = pairs().into_iter().filter(|p| p.label || p.shown.differ > 0).collect();
        assert!(matches!(Correction::fit(QUESTIONS[0], "no-fk", &same), Err(Unfit::OneLabel(_))));
    }
}

//! How a network's distances are read for one question under one semantics: each has a calibration of its own.

use serde::{Deserialize, Serialize};
use twinql_graph::{QUESTIONS, Question};

use crate::{
    band::{Band, LEVEL},
    calibrate::{Calibration, Point, Quality, best_threshold, probabilities},
    data::Validation,
};

/// Pairs of either label that a reading of one semantics is fitted on at the least: with fewer the question is read
/// alike under all semantics.
const LEAST: usize = 100;

/// From distances to probabilities, for one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The question.
    pub question: Question,
    /// The semantics; none for all that have no reading of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantics: Option<String>,
    /// From distance to probability.
    pub calibration: Calibration,
    /// Probability from which the answer is yes.
    pub threshold: f32,
    /// Between which probabilities the network had better say nothing.
    pub band: Option<Band>,
    /// Measured on the validation pairs that it was fitted on.
    pub validation: Quality,
}

impl Reading {
    /// The reading of these validation pairs, of which `open` have to be read by the network.
    fn of(question: Question, semantics: Option<&str>, points: &[Point], open: &[Point]) -> Reading {
        let calibration = Calibration::fit(points);
        let threshold = best_threshold(&probabilities(points, &calibration));
        Reading {
            question,
            semantics: semantics.map(str::to_owned),
            calibration,
            threshold,
            band: Some(Band::fit(&probabilities(open, &calibration), threshold, LEVEL)),
            validation: Quality::of(points, &calibration, threshold),
        }
    }

    /// Whether its numbers are probabilities and its calibration falls with the distance.
    pub(crate) fn is_usable(&self) -> bool {
        let calibration = &self.calibration;
        calibration.slope >= 0.0
            && calibration.slope.is_finite()
            && calibration.offset.is_finite()
            && (0.0..=1.0).contains(&self.threshold)
            && self.band.as_ref().is_none_or(Band::is_usable)
    }
}

/// The readings of all questions and semantics that validation pairs have enough of both labels of, of each question
/// first that of all semantics. `points` has an entry for each pair.
pub(crate) fn readings(validation: &Validation, points: &[Point], semantics: &[String]) -> Vec<Reading> {
    let mut all = Vec::new();
    for question in QUESTIONS {
        let names = std::iter::once(None).chain(semantics.iter().map(|name| Some(name.as_str())));
        for name in names {
            let wanted = |asked, under: &str| asked == question && name.is_none_or(|name| name == under);
            let own = validation.of(points, wanted);
            let positives = own.iter().filter(|point| point.1).count();
            let least = if name.is_some() { LEAST } else { 1 };
            if positives.min(own.len() - positives) >= least {
                let open = validation.of(&validation.read_by_network(), wanted);
                let open = own.iter().zip(open).filter(|(_, open)| *open);
                let open: Vec<Point> = open.map(|(point, _)| *point).collect();
                all.push(Reading::of(question, name, &own, &open));
            }
        }
    }
    all
}

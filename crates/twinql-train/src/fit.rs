//! Readings of a network's distances, fitted to validation pairs.

use twinql_gmn::calibrate::{Calibration, Point, Quality, best_threshold, probabilities};
use twinql_gmn::{Band, LEVEL, Reading};
use twinql_graph::{QUESTIONS, Question};

use crate::data::Validation;

/// Pairs of either label that a reading of one semantics is fitted on at the least: with fewer the question is read
/// alike under all semantics.
const LEAST: usize = 100;

/// Fitted to the validation pairs that are asked this, under this semantics or all; `points` has an entry for each pair of
/// the validation.
pub(crate) fn reading(
    validation: &Validation,
    points: &[Point],
    question: Question,
    semantics: Option<&str>,
) -> Reading {
    let wanted =
        |asked, under: &str| asked == question && semantics.is_none_or(|semantics| semantics == under);
    let own = validation.of(points, wanted);
    let calibration = Calibration::fit(&own);
    let scored = probabilities(&own, &calibration);
    let threshold = best_threshold(&scored);
    let read = validation.of(&validation.read_by_network(), wanted);
    let open: Vec<Point> = scored.iter().zip(read).filter(|(_, read)| *read).map(|(p, _)| *p).collect();
    Reading {
        question,
        semantics: semantics.map(str::to_owned),
        calibration,
        threshold,
        band: Some(Band::fit(&open, threshold, LEVEL)),
        validation: Quality::of(&own, &calibration, threshold),
    }
}

/// The readings of all questions and semantics that validation pairs have enough of both labels of, of each question
/// first that of all semantics. `points` has an entry for each pair.
pub(crate) fn readings(validation: &Validation, points: &[Point], semantics: &[String]) -> Vec<Reading> {
    let enough = |question: Question, name: Option<&str>| {
        let own =
            validation.of(points, |asked, under| asked == question && name.is_none_or(|name| name == under));
        let positives = own.iter().filter(|point| point.1).count();
        let least = if name.is_some() { LEAST } else { 1 };
        positives.min(own.len() - positives) >= least
    };
    let names = || std::iter::once(None).chain(semantics.iter().map(|name| Some(name.as_str())));
    let all = QUESTIONS.into_iter().flat_map(|question| names().map(move |name| (question, name)));
    all.filter(|&(question, name)| enough(question, name))
        .map(|(question, name)| reading(validation, points, question, name))
        .collect()
}

//! How a network's distances are read for one question under one semantics: each has a calibration of its own.

use serde::{Deserialize, Serialize};
use twinql_graph::Question;

use crate::{
    band::Band,
    calibrate::{Calibration, Quality},
};

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
    /// Whether its numbers are probabilities and its calibration falls with the distance.
    pub(crate) fn is_usable(&self) -> bool {
        self.calibration.is_usable()
            && (0.0..=1.0).contains(&self.threshold)
            && self.band.as_ref().is_none_or(Band::is_usable)
    }
}

//! What a network is trained on.

use std::sync::Arc;

use twinql_gmn::Evidence;
use twinql_graph::{PairArrays, Question};

/// A labelled pair.
#[derive(Debug, Clone)]
pub struct Example {
    /// The two graphs.
    pub pair: PairArrays,
    /// Whether the two queries return the same answer.
    pub label: bool,
    /// The semantics that the label means. The graphs tell the network of it; teachers that do not know it
    /// are not asked.
    pub semantics: Arc<str>,
    /// The question that the label answers, which the graphs tell the network too.
    pub question: Question,
    /// Weight in the loss and the calibration, not negative.
    pub weight: f32,
    /// Of a pair that differs, the share of databases that tell it apart, where that is known.
    pub ease: Option<f32>,
    /// The probability that the answer is yes, where more is known than a label: the share of plausible databases on
    /// which the two agree.
    pub share: Option<f32>,
    /// Whether teachers, where there are any, have a say beside the label.
    pub taught: bool,
    /// What cheaper judges say; read of validation pairs, to calibrate the tiers.
    pub evidence: Evidence,
}

impl Example {
    /// A pair with its label under the semantics `default`, asked the usual question, with weight 1; nothing else is
    /// known of it, and teachers have a say.
    pub fn new(pair: PairArrays, label: bool) -> Example {
        Example {
            pair,
            label,
            semantics: "default".into(),
            question: Question::Every,
            weight: 1.0,
            ease: None,
            share: None,
            taught: true,
            evidence: Evidence::None,
        }
    }
}

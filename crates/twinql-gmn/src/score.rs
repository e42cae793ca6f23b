//! What a network says of a pair.

use serde::{Deserialize, Serialize};

/// The score of one pair.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Squared Euclidean distance of the graphs' representations; 0 for equal canonical forms.
    pub distance: f32,
    /// Calibrated probability that the queries return the same answer on every database. At most 0.01 where the
    /// answers have different numbers of columns, whatever the distance.
    pub probability: f32,
}

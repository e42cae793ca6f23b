//! How likely two classes answer the same.

use rayon::prelude::*;
use twinql_graph::{RelPmConfig, relpm};

use super::config::Utility;
use crate::classes::{Classes, Form, probabilities};
use crate::network::Network;

/// The agreement of every class with every other, row by row: symmetric, 1 on the diagonal, 0 where the numbers of
/// columns differ or a class has no graph.
pub(super) fn agreements(classes: &Classes, network: Option<&Network>, utility: Utility) -> Vec<f64> {
    let k = classes.forms.len();
    let mut all = vec![0.0; k * k];
    for i in 0..k {
        all[i * k + i] = 1.0;
    }
    let (mut places, mut pairs) = (Vec::new(), Vec::new());
    for (i, one) in classes.forms.iter().enumerate() {
        for (j, other) in classes.forms.iter().enumerate().skip(i + 1) {
            if one.width == other.width && one.graph.is_ok() && other.graph.is_ok() {
                places.push((i, j));
                pairs.push((one, other));
            }
        }
    }
    let found: Vec<f64> = match utility {
        Utility::Gmn => network.map_or_else(Vec::new, |network| probabilities(network, &pairs)),
        Utility::RelPm => pairs.par_iter().map(|(one, other)| by_trees(one, other)).collect(),
    };
    for ((i, j), agreement) in places.into_iter().zip(found) {
        all[i * k + j] = agreement;
        all[j * k + i] = agreement;
    }
    all
}

/// Partial match, which counts what is missing as it counts what is superfluous, so that it is symmetric.
fn by_trees(one: &Form, other: &Form) -> f64 {
    let config = RelPmConfig { beta: 1.0, ..RelPmConfig::default() };
    match (one.graph.as_ref(), other.graph.as_ref()) {
        (Ok(one), Ok(other)) => relpm(one, other, &config),
        _ => 0.0,
    }
}

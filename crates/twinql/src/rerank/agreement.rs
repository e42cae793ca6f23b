//! How likely two classes answer the same.

use std::sync::Arc;

use rayon::prelude::*;
use twinql_graph::{RelPmConfig, relpm};
use twinql_sql::prove::Vacuous;

use super::classes::{Classes, Form};
use super::config::Utility;
use crate::batch::read_pairs;
use crate::network::Network;
use crate::prepare::PairGraphs;

/// The agreement of every class with every other, row by row: symmetric, 1 on the diagonal, 0 where the numbers of
/// columns differ or a class has no graph.
pub(super) fn agreements(classes: &Classes, network: Option<&Network>, utility: Utility) -> Vec<f64> {
    let k = classes.forms.len();
    let mut all = vec![0.0; k * k];
    for i in 0..k {
        all[i * k + i] = 1.0;
    }
    let mut pairs = Vec::new();
    for (i, one) in classes.forms.iter().enumerate() {
        for (j, other) in classes.forms.iter().enumerate().skip(i + 1) {
            if one.width == other.width && one.graph.is_ok() && other.graph.is_ok() {
                pairs.push((i, j, one, other));
            }
        }
    }
    let found: Vec<f64> = match utility {
        Utility::Gmn => by_network(&pairs, network),
        Utility::RelPm => pairs.par_iter().map(|(_, _, one, other)| by_trees(one, other)).collect(),
    };
    for ((i, j, ..), agreement) in pairs.into_iter().zip(found) {
        all[i * k + j] = agreement;
        all[j * k + i] = agreement;
    }
    all
}

/// The network's probability. Its distance is the same both ways, but for rounding: it is asked once.
fn by_network(pairs: &[(usize, usize, &Form, &Form)], network: Option<&Network>) -> Vec<f64> {
    let Some(network) = network else { return vec![0.0; pairs.len()] };
    let one_way: Vec<Option<PairGraphs>> =
        pairs.iter().map(|(_, _, one, other)| Some(graphs(one, other))).collect();
    let threshold = network.scorer().threshold();
    read_pairs(network, &one_way)
        .into_iter()
        .map(|said| {
            let said = said.and_then(Result::ok);
            let probability =
                said.and_then(|s| s.probability(threshold, false, &|score| Some(score.probability)));
            probability.map_or(0.0, f64::from)
        })
        .collect()
}

fn graphs(gold: &Form, pred: &Form) -> PairGraphs {
    let emptied = match (&gold.emptied, &pred.emptied) {
        (None, None) => None,
        (one, other) => Some((
            one.clone().unwrap_or_else(|| Arc::clone(&gold.graph)),
            other.clone().unwrap_or_else(|| Arc::clone(&pred.graph)),
        )),
    };
    let names = gold.names.as_ref().zip(pred.names.as_ref());
    PairGraphs {
        gold: Arc::clone(&gold.graph),
        pred: Arc::clone(&pred.graph),
        identical: false,
        vacuous: Vacuous { gold: gold.vacuous.clone(), pred: pred.vacuous.clone() },
        emptied,
        names: names.map(|(gold, pred)| gold.apart(pred)).unwrap_or_default(),
        trees: None,
    }
}

/// Partial match, which counts what is missing as it counts what is superfluous, so that it is symmetric.
fn by_trees(one: &Form, other: &Form) -> f64 {
    let config = RelPmConfig { beta: 1.0, ..RelPmConfig::default() };
    match (one.graph.as_ref(), other.graph.as_ref()) {
        (Ok(one), Ok(other)) => relpm(one, other, &config),
        _ => 0.0,
    }
}

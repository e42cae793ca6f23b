//! The best of several candidates, without a database and without a gold.
//!
//! Candidates for one question vote. Those of one canonical form, and those that are proved equal, are a *class*, and a
//! class has the votes of all that are in it. *Majority* takes the class with the most votes. *Minimum Bayes risk* (the
//! default) also counts how likely a class answers as the others do: the expected agreement of a candidate is the mean
//! over all candidates, by weight, of the agreement with each of them. Agreement is symmetric: what a metric says
//! of both, 1 in a class, and 0 between queries of different numbers of columns.
//!
//! ```
//! use std::sync::Arc;
//! use twinql::Schema;
//! use twinql::rerank::{Candidate, RerankConfig, Reranker, Set};
//!
//! let ddl = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)";
//! let schema = Arc::new(Schema::from_ddl("concerts", ddl)?);
//! let candidates = [
//!     "SELECT name FROM singer",
//!     "SELECT COUNT(*) FROM singer",
//!     "SELECT COUNT(id) FROM singer",
//!     "SELECT COUNT(nothing) FROM singer",
//! ];
//! let set = Set { schema, dialect: None, candidates: candidates.map(Candidate::new).to_vec() };
//! let ranking = Reranker::new(None, RerankConfig::default())?.rank(&set);
//! assert_eq!(ranking.chosen, Some(1));
//! assert_eq!(ranking.classes, [vec![0], vec![1, 2]]);
//! assert!(ranking.errors[3].is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agreement;
mod config;
mod weights;

use serde::{Deserialize, Serialize};

use crate::classes::Classes;
use crate::network::{Network, NetworkError};
use crate::signature::PARSER;
use agreement::agreements;
pub use config::{Method, RerankConfig, Set, Utility};
pub use weights::{Candidate, Weights};

/// Candidates of a set that are looked at; what comes after them is not ranked.
pub const MOST_CANDIDATES: usize = 256;

/// Pairs of classes of one set for which a proof is tried.
const MOST_PROOFS: usize = 32;

/// What became of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetStatus {
    /// At least one candidate is a query over the schema.
    Ok,
    /// None is; the choice is by weight alone, among those that may be SQL of which twinql does not know a construct.
    Unread,
    /// There are no candidates.
    Empty,
}

/// A set, ranked.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The place of the candidate that was chosen; none where there are none.
    pub chosen: Option<usize>,
    /// What became of the set.
    pub status: SetStatus,
    /// For each candidate its expected agreement, or the share of votes of its class, from 0 to 1; none where it is no
    /// query over the schema.
    pub scores: Vec<Option<f64>>,
    /// The classes, each with its candidates in order, ordered by their first candidate.
    pub classes: Vec<Vec<usize>>,
    /// For each candidate why it is no query over the schema, if it is none.
    pub errors: Vec<Option<String>>,
}

/// Ranks sets of candidates.
#[derive(Debug, Clone)]
pub struct Reranker {
    network: Option<Network>,
    config: RerankConfig,
}

impl Reranker {
    /// Sets up a reranker. Where its configuration asks for a network and none is given, the built-in one is taken.
    ///
    /// # Errors
    /// There is no network built in.
    pub fn new(network: Option<Network>, config: RerankConfig) -> Result<Reranker, NetworkError> {
        let needed = config.method == Method::Mbr && config.utility == Utility::Gmn;
        let network = match (needed, network) {
            (false, _) => None,
            (true, Some(network)) => Some(network),
            (true, None) => Some(Network::embedded()?),
        };
        // A network keeps what it was asked before.
        let network = network.map(|n| n.asked(n.question(), &config.semantics)).transpose()?;
        Ok(Reranker { network, config })
    }

    /// What the choices depend on, in a line.
    pub fn signature(&self) -> String {
        let RerankConfig { method, utility, weights, proofs, dialects, semantics, .. } = &self.config;
        let by = if *method == Method::Mbr { utility.name() } else { "none" };
        let network = self.network.as_ref().map_or("none", Network::hash);
        let told = self.network.as_ref().and_then(|network| network.stands_in_for(semantics));
        let told = told.map_or_else(String::new, |own| format!("|network:{own}"));
        format!(
            "twinql:{}|rerank:{}|metric:{by}|ckpt:{network}|sql:{PARSER}|dialect:{dialects}|semantics:{semantics}{told}|weights:{weights}|proofs:{proofs}",
            env!("CARGO_PKG_VERSION"),
            method.name(),
        )
    }

    /// Ranks a set. The result does not depend on the number of threads.
    pub fn rank(&self, set: &Set) -> Ranking {
        let n = set.candidates.len();
        let looked_at = set.candidates.get(..MOST_CANDIDATES).unwrap_or(&set.candidates);
        let classes = self.classes(set, looked_at);
        let counts = |place: usize| matches!(classes.errors.get(place), Some(None));
        let weights = self.config.weights.of(looked_at, counts);
        let mut scores: Vec<Option<f64>> = vec![None; n];
        // Votes of what is no query are not counted, so that those of the others sum to 1.
        let votes: Vec<f64> = classes
            .members
            .iter()
            .map(|members| members.iter().filter_map(|&c| weights.get(c)).sum())
            .collect();
        let total: f64 = votes.iter().sum();
        let of_classes = match self.config.method {
            Method::Majority => votes.clone(),
            Method::Mbr => {
                let agreement = agreements(&classes, self.network.as_ref(), self.config.utility);
                let k = votes.len();
                let with = |i: usize, j: usize| agreement.get(i * k + j).copied().unwrap_or_default();
                (0..k).map(|i| (0..k).map(|j| votes[j] * with(i, j)).sum()).collect()
            }
        };
        for (members, score) in classes.members.iter().zip(&of_classes) {
            for &candidate in members {
                if let Some(place) = scores.get_mut(candidate) {
                    *place = Some(if total > 0.0 { (score / total).clamp(0.0, 1.0) } else { 0.0 });
                }
            }
        }
        let readable = !classes.members.is_empty();
        let chosen = match readable {
            true => best(&scores, &weights),
            // Without a class every candidate that may be SQL is as good as another, by its weight.
            false => {
                let may_be: Vec<Option<f64>> =
                    classes.unsupported.iter().map(|&u| u.then_some(0.0)).collect();
                best(&may_be, &weights).or_else(|| (n > 0).then_some(0))
            }
        };
        let mut errors = classes.errors;
        errors.resize_with(n, || Some(format!("only the first {MOST_CANDIDATES} candidates are ranked")));
        let status = match (n, readable) {
            (0, _) => SetStatus::Empty,
            (_, true) => SetStatus::Ok,
            (_, false) => SetStatus::Unread,
        };
        Ranking { chosen, status, scores, classes: classes.members, errors }
    }

    /// The classes of those of the candidates that are looked at.
    fn classes(&self, set: &Set, candidates: &[Candidate]) -> Classes {
        let RerankConfig { semantics, dialects, .. } = &self.config;
        let dialect = set.dialect.unwrap_or(dialects.pred);
        let texts: Vec<&str> = candidates.iter().map(|c| c.sql.as_str()).collect();
        let mut classes = Classes::of(&set.schema, dialect, &texts, self.network.as_ref(), semantics);
        if self.config.proofs {
            classes.join_proved(&set.schema, &classes.semantics.clone(), MOST_PROOFS);
        }
        classes
    }

    /// Ranks many sets, in order and in parallel on rayon's current pool.
    pub fn rank_all(&self, sets: &[Set]) -> Vec<Ranking> {
        use rayon::prelude::*;
        sets.par_iter().map(|set| self.rank(set)).collect()
    }
}

/// The place of the highest score; of equal ones that of the most weight, and of these the first.
fn best(scores: &[Option<f64>], weights: &[f64]) -> Option<usize> {
    let mut best: Option<(usize, f64, f64)> = None;
    for (place, (score, &weight)) in scores.iter().zip(weights).enumerate() {
        let Some(score) = *score else { continue };
        // Sums of the same votes in another order differ in their last digits.
        let better =
            best.is_none_or(|(_, s, w)| score > s + TIE || ((score - s).abs() <= TIE && weight > w + TIE));
        if better {
            best = Some((place, score, weight));
        }
    }
    best.map(|(place, ..)| place)
}

/// Scores that are closer are equal.
const TIE: f64 = 1e-9;

#[cfg(test)]
mod tests;

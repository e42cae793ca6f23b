//! Weaker forms: training pairs seen through fewer normalisation rules.
//!
//! The canonical form proves most equivalent pairs, which then teach the network nothing, and
//! what is left of real predictions is little. Leaving a random part of the rules out, the same
//! part on both sides, turns proved pairs into pairs that the network has to judge: an
//! equivalence that a rule knows here stands for one that no rule knows elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use twinql::prepare::graph_with;
use twinql_gmn::{Evidence, GraphKind};
use twinql_graph::PairArrays;
use twinql_sql::normalize::REGULARITIES;
use twinql_sql::{RULES, Rule, Semantics};

use crate::example::Example;

use super::labelled::{How, Labelled};

/// How many weaker copies each training pair gets, and how weak.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Weaken {
    /// Copies of each pair by its kind of origin, none where the kind is not named; copies
    /// whose forms are equal all the same are dropped.
    pub copies: BTreeMap<String, usize>,
    /// The chance that a rule is left out lies between 0 and this, drawn for each copy.
    pub most: f64,
    /// Weight of a copy in the loss, times the pair's own.
    pub weight: f32,
}

impl Default for Weaken {
    fn default() -> Self {
        Weaken { copies: BTreeMap::new(), most: 0.6, weight: 0.5 }
    }
}

impl Weaken {
    /// True if no pair gets a copy.
    pub(super) fn is_off(&self) -> bool {
        self.copies.values().all(|&copies| copies == 0)
    }

    /// The copies of pair `number`: a function of it, the number and the seed alone. Syntax trees
    /// know no rules, and plans without rules have none to leave out.
    pub(super) fn copies_of(
        &self,
        number: usize,
        pair: &Labelled,
        semantics: &Semantics,
        how: &How,
    ) -> Vec<Example> {
        if how.graph.kind == GraphKind::Ast || !how.graph.canonical {
            return Vec::new();
        }
        let mut rng = ChaCha8Rng::seed_from_u64(how.seed);
        rng.set_stream(number as u64);
        let copies = self.copies.get(pair.origin).copied().unwrap_or(0);
        let name: Arc<str> = semantics.name.as_str().into();
        let semantics = semantics.for_gold_text(&pair.schema, &pair.gold);
        let mut out = Vec::with_capacity(copies);
        for _ in 0..copies {
            let chance = rng.random_range(0.0..=self.most.clamp(0.0, 1.0));
            let regularities = if how.graph.regularities { REGULARITIES } else { &[] };
            let names = RULES.iter().chain(regularities).map(|rule| rule.name);
            let dropped: Vec<&str> = names.filter(|_| rng.random_bool(chance)).collect();
            let kept = |rule: &Rule| !dropped.contains(&rule.name);
            let weaker = |sql: &str| graph_with(&pair.schema, sql, &semantics, &how.graph, &kept);
            let (Ok(gold), Ok(pred)) = (weaker(&pair.gold), weaker(&pair.pred)) else {
                continue;
            };
            let arrays = PairArrays::build(&gold, &pred, &how.encoding);
            if !arrays.identical {
                out.push(Example {
                    pair: arrays,
                    label: pair.label,
                    semantics: Arc::clone(&name),
                    question: how.graph.question,
                    weight: pair.weight * self.weight,
                    ease: pair.ease,
                    share: pair.share,
                    taught: how.taught,
                    evidence: Evidence::None,
                });
            }
        }
        out
    }
}

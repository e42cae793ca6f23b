//! What is kept of each pair: numbers, no texts.
//!
//! The bootstrap needs all pairs at once. A score for each metric, a label and the number of a group take so
//! few bytes that millions of pairs fit into memory.

use std::collections::BTreeMap;

use twinql::Engine;
use twinql::model::Decision;
use twinql::record::{Record, StatusCounts};

use crate::args::GroupBy;

/// A group: how pairs are grouped, its place among the others, and its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group {
    pub(super) by: GroupBy,
    pub(super) place: usize,
    pub(super) name: String,
}

/// All pairs that have been scored.
pub(super) struct Seen {
    /// By metric, external ones after the engine's.
    scores: Vec<Vec<Option<f64>>>,
    /// By metric; of a metric without a band there are none.
    decisions: Vec<Vec<Decision>>,
    pub(super) labels: Vec<bool>,
    pub(super) counts: StatusCounts,
    /// The number of each group.
    groups: BTreeMap<Group, u32>,
    /// Pairs with the groups that they are in.
    members: Vec<(u32, u32)>,
}

impl Seen {
    /// For the engine's metrics and some external ones.
    pub(super) fn new(engine: &Engine, external: usize) -> Seen {
        let metrics = engine.metrics().len() + external;
        Seen {
            scores: vec![Vec::new(); metrics],
            decisions: vec![Vec::new(); metrics],
            labels: Vec::new(),
            counts: StatusCounts::default(),
            groups: BTreeMap::new(),
            members: Vec::new(),
        }
    }

    /// Adds a pair with the scores of external metrics.
    pub(super) fn add(
        &mut self,
        engine: &Engine,
        record: &Record,
        external: &[Option<f64>],
        label: bool,
        groups: impl IntoIterator<Item = Group>,
    ) {
        let pair = self.labels.len() as u32;
        self.counts.add(record.status);
        self.labels.push(label);
        let own = engine.metrics().iter().map(|metric| record.score(metric.name));
        for (score, scores) in own.chain(external.iter().copied()).zip(&mut self.scores) {
            scores.push(score);
        }
        for (metric, decisions) in engine.metrics().iter().zip(&mut self.decisions) {
            decisions.extend(engine.decide(metric, record));
        }
        for group in groups {
            let new = self.groups.len() as u32;
            self.members.push((pair, *self.groups.entry(group).or_insert(new)));
        }
    }

    /// All pairs.
    pub(super) fn everything(&self) -> Vec<usize> {
        (0..self.labels.len()).collect()
    }

    /// The scores of a metric and their labels, for those pairs that it says something of.
    pub(super) fn scored(&self, metric: usize, members: &[usize]) -> (Vec<f64>, Vec<bool>) {
        let pair = |i: &usize| Some((self.scores[metric][*i]?, self.labels[*i]));
        members.iter().filter_map(pair).unzip()
    }

    /// The scores of two metrics and the labels, for those pairs that both say something of.
    pub(super) fn both(&self, first: usize, second: usize) -> (Vec<f64>, Vec<f64>, Vec<bool>) {
        let (mut one, mut other, mut labels) = (Vec::new(), Vec::new(), Vec::new());
        for (pair, label) in self.labels.iter().enumerate() {
            if let (Some(a), Some(b)) = (self.scores[first][pair], self.scores[second][pair]) {
                one.push(a);
                other.push(b);
                labels.push(*label);
            }
        }
        (one, other, labels)
    }

    /// The decisions of a metric; none where it does not decide every pair.
    pub(super) fn decisions(&self, metric: usize, members: &[usize]) -> Option<Vec<Decision>> {
        let decisions = &self.decisions[metric];
        (decisions.len() == self.labels.len()).then(|| members.iter().map(|i| decisions[*i]).collect())
    }

    /// Members by group, in order of place and name.
    pub(super) fn members(&self, by: GroupBy) -> Vec<(String, Vec<usize>)> {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.groups.len()];
        for (pair, group) in &self.members {
            members[*group as usize].push(*pair as usize);
        }
        let wanted = self.groups.iter().filter(|(group, _)| group.by == by);
        wanted
            .map(|(group, number)| (group.name.clone(), std::mem::take(&mut members[*number as usize])))
            .collect()
    }
}

//! What is kept of each pair: numbers, no texts.
//!
//! The bootstrap needs all pairs at once. A score for each metric, a label and the number of a group take so
//! few bytes that millions of pairs fit into memory.

use std::collections::BTreeMap;

use twinql::Engine;
use twinql::model::Decision;
use twinql::record::{Record, StatusCounts};

/// A group by its place and its name.
pub(super) type Group = (usize, String);

/// All pairs that have been scored.
pub(super) struct Seen {
    /// By metric.
    scores: Vec<Vec<Option<f64>>>,
    /// By metric; of a metric without a band there are none.
    decisions: Vec<Vec<Decision>>,
    pub(super) labels: Vec<bool>,
    pub(super) counts: StatusCounts,
    /// The number of each group.
    groups: BTreeMap<Group, u32>,
    /// Of each pair, where pairs are grouped.
    group: Vec<u32>,
}

impl Seen {
    pub(super) fn new(engine: &Engine) -> Seen {
        let metrics = engine.metrics().len();
        Seen {
            scores: vec![Vec::new(); metrics],
            decisions: vec![Vec::new(); metrics],
            labels: Vec::new(),
            counts: StatusCounts::default(),
            groups: BTreeMap::new(),
            group: Vec::new(),
        }
    }

    /// Adds a pair; `group` is none where pairs are not grouped, and holds none for a pair that
    /// belongs nowhere.
    pub(super) fn add(
        &mut self,
        engine: &Engine,
        record: &Record,
        label: bool,
        group: Option<Option<Group>>,
    ) {
        self.counts.add(record.status);
        self.labels.push(label);
        for (metric, scores) in engine.metrics().iter().zip(&mut self.scores) {
            scores.push(record.score(metric.name));
        }
        for (metric, decisions) in engine.metrics().iter().zip(&mut self.decisions) {
            decisions.extend(engine.decide(metric, record));
        }
        if let Some(group) = group {
            let group = group.unwrap_or_else(|| (usize::MAX, "(none)".to_owned()));
            let new = self.groups.len() as u32;
            self.group.push(*self.groups.entry(group).or_insert(new));
        }
    }

    /// The scores of a metric and their labels, for those pairs that it says something of.
    pub(super) fn scored(&self, metric: usize, members: &[usize]) -> (Vec<f64>, Vec<bool>) {
        let pair = |i: &usize| Some((self.scores[metric][*i]?, self.labels[*i]));
        members.iter().filter_map(pair).unzip()
    }

    /// The decisions of a metric; none where it does not decide every pair.
    pub(super) fn decisions(&self, metric: usize, members: &[usize]) -> Option<Vec<Decision>> {
        let decisions = &self.decisions[metric];
        (decisions.len() == self.labels.len()).then(|| members.iter().map(|i| decisions[*i]).collect())
    }

    /// Members by group, in order of place and name.
    pub(super) fn members(&self) -> Vec<(String, Vec<usize>)> {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.groups.len()];
        for (i, group) in self.group.iter().enumerate() {
            members[*group as usize].push(i);
        }
        let named = self.groups.iter();
        named
            .map(|((_, name), group)| (name.clone(), std::mem::take(&mut members[*group as usize])))
            .collect()
    }
}

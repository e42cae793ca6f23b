//! Labelled pairs with their groups.

use std::collections::BTreeMap;

use twinql::Engine;
use twinql::evaluation::Labelled;
use twinql::record::Record;

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
    pub(super) pairs: Labelled,
    /// The number of each group.
    groups: BTreeMap<Group, u32>,
    /// Pairs with the groups that they are in.
    members: Vec<(u32, u32)>,
}

impl Seen {
    /// For the engine's metrics and some external ones.
    pub(super) fn new(engine: &Engine, external: usize) -> Seen {
        Seen { pairs: Labelled::new(engine, external), groups: BTreeMap::new(), members: Vec::new() }
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
        let pair = self.pairs.labels.len() as u32;
        self.pairs.add(engine, record, external, label);
        for group in groups {
            let new = self.groups.len() as u32;
            self.members.push((pair, *self.groups.entry(group).or_insert(new)));
        }
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

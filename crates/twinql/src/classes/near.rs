//! Which classes are worth a closer look: pairs of forms that are alike, found without comparing all of them.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use rayon::prelude::*;
use twinql_graph::QueryGraph;
use twinql_graph::vocabulary::Word;

use super::{Form, contents};

/// Forms that a form is paired with, the most alike.
const PARTNERS: usize = 4;
/// A part that more forms have says little of any of them.
const COMMON: usize = 64;

/// The width of an answer and the tables that it is of.
type Bucket<'f> = (usize, &'f BTreeSet<String>);

/// A form by its parts.
struct Parts<'f> {
    /// Only forms of one bucket are paired: others are rarely equal, and more rarely proved so.
    bucket: Bucket<'f>,
    /// Texts and numbers that it compares with.
    constants: BTreeSet<&'f str>,
    /// Hashes of the subtrees of its graph, sorted, each once.
    subtrees: Vec<u64>,
}

impl<'f> Parts<'f> {
    fn of(form: &'f Form) -> Option<Parts<'f>> {
        let graph: &QueryGraph = form.graph.as_ref().as_ref().ok()?;
        let mut subtrees = graph.subtree_hashes();
        subtrees.sort_unstable();
        subtrees.dedup();
        Some(Parts {
            bucket: (form.width, &form.tables),
            constants: contents(graph, &[Word::STRING, Word::NUMBER]).collect(),
            subtrees,
        })
    }

    /// Whether both have the same constants, and how many in a thousand of their subtrees they share.
    fn likeness(&self, other: &Parts<'_>, shared: usize) -> (bool, usize) {
        let all = self.subtrees.len() + other.subtrees.len() - shared;
        (self.constants == other.constants, shared * 1000 / all.max(1))
    }
}

/// At most so many pairs of forms, the earlier one first, the most alike first. A form is paired with its four most alike.
pub(super) fn pairs(forms: &[Form], most: usize) -> Vec<(usize, usize)> {
    let parts: Vec<Option<Parts<'_>>> = forms.par_iter().map(Parts::of).collect();
    let mut having: HashMap<(&Bucket<'_>, u64), Vec<usize>> = HashMap::new();
    for (place, parts) in parts.iter().enumerate() {
        for (parts, &hash) in parts.iter().flat_map(|p| p.subtrees.iter().map(move |hash| (p, hash))) {
            having.entry((&parts.bucket, hash)).or_default().push(place);
        }
    }
    let partners = |(place, own): (usize, &Option<Parts<'_>>)| {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for (own, &hash) in own.iter().flat_map(|p| p.subtrees.iter().map(move |hash| (p, hash))) {
            let places = having.get(&(&own.bucket, hash)).filter(|places| places.len() <= COMMON);
            for &other in places.into_iter().flatten().filter(|&&other| other != place) {
                *shared.entry(other).or_default() += 1;
            }
        }
        let mut alike: Vec<_> = shared
            .into_iter()
            .filter_map(|(other, shared)| {
                let likeness = own.as_ref()?.likeness(parts.get(other)?.as_ref()?, shared);
                Some((Reverse(likeness), (place.min(other), place.max(other))))
            })
            .collect();
        alike.sort_unstable();
        alike.truncate(PARTNERS);
        alike
    };
    let mut found: Vec<_> = parts.par_iter().enumerate().flat_map_iter(partners).collect();
    found.sort_unstable();
    found.dedup();
    found.truncate(most);
    found.into_iter().map(|(_, pair)| pair).collect()
}

//! Classes of what is equal: a forest in which the least member of a class is its root (union-find).

use std::collections::BTreeMap;

/// Classes of equal things. What was never joined is a class of its own.
#[derive(Debug, Clone)]
pub(crate) struct Classes<T> {
    parent: BTreeMap<T, T>,
    /// What was joined, in order.
    joined: Vec<T>,
}

impl<T> Default for Classes<T> {
    fn default() -> Self {
        Classes { parent: BTreeMap::new(), joined: Vec::new() }
    }
}

impl<T: Copy + Ord> Classes<T> {
    /// The least member of its class.
    pub(crate) fn root(&self, mut of: T) -> T {
        while let Some(up) = self.parent.get(&of) {
            of = *up;
        }
        of
    }

    /// Makes one class of two. The roots of both, the least first, where they were apart.
    pub(crate) fn join(&mut self, a: T, b: T) -> Option<(T, T)> {
        self.joined.extend([a, b]);
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return None;
        }
        let (low, high) = (a.min(b), a.max(b));
        self.parent.insert(high, low);
        Some((low, high))
    }

    /// Whatever is not the least member of its class.
    pub(crate) fn others(&self) -> impl Iterator<Item = T> {
        self.parent.keys().copied()
    }

    /// The classes that were joined, the one joined last as the last, each in order.
    pub(crate) fn into_lists(self) -> Vec<Vec<T>> {
        let mut lists: BTreeMap<T, (usize, Vec<T>)> = BTreeMap::new();
        for (at, member) in self.joined.iter().enumerate() {
            let list = lists.entry(self.root(*member)).or_default();
            list.0 = at;
            list.1.push(*member);
        }
        let mut lists: Vec<(usize, Vec<T>)> = lists.into_values().collect();
        lists.sort_unstable_by_key(|(at, _)| *at);
        lists
            .into_iter()
            .map(|(_, mut list)| {
                list.sort_unstable();
                list.dedup();
                list
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_that_share_a_member_are_one() {
        let mut classes = Classes::default();
        for (a, b) in [(1, 2), (5, 4), (7, 8), (2, 5)] {
            assert!(classes.join(a, b).is_some(), "{a} {b}");
        }
        assert_eq!(classes.join(4, 1), None);
        assert_eq!(classes.root(5), 1);
        assert_eq!(classes.root(9), 9);
        assert_eq!(classes.into_lists(), [vec![7, 8], vec![1, 2, 4, 5]]);
    }
}

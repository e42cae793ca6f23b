//! Sets of columns.

use smallvec::SmallVec;

use crate::rel::ColumnId;

/// Columns without an order of their own, each once; they are read in the order of their numbers.
///
/// A list that is kept sorted: nearly all sets hold a few columns, and rules make some hundreds of them for each query. Without a
/// heap up to eight columns.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnSet(SmallVec<[ColumnId; 8]>);

impl ColumnSet {
    /// The empty set.
    pub fn new() -> ColumnSet {
        ColumnSet::default()
    }

    /// Whether the column is one of them.
    pub fn contains(&self, column: &ColumnId) -> bool {
        self.0.binary_search(column).is_ok()
    }

    /// Adds a column; false where it was there.
    pub fn insert(&mut self, column: ColumnId) -> bool {
        match self.0.binary_search(&column) {
            Ok(_) => false,
            Err(place) => {
                self.0.insert(place, column);
                true
            }
        }
    }

    /// Takes a column out; false where it was not there.
    pub fn remove(&mut self, column: &ColumnId) -> bool {
        let place = self.0.binary_search(column);
        place.is_ok_and(|place| {
            self.0.remove(place);
            true
        })
    }

    /// Leaves the columns for which this holds.
    pub fn retain(&mut self, mut holds: impl FnMut(&ColumnId) -> bool) {
        self.0.retain(|column| holds(column));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The column with the smallest number.
    pub fn first(&self) -> Option<&ColumnId> {
        self.0.first()
    }

    /// The columns by their numbers.
    pub fn iter(&self) -> std::slice::Iter<'_, ColumnId> {
        self.0.iter()
    }

    /// Whether all of them are in the other set.
    pub fn is_subset(&self, other: &ColumnSet) -> bool {
        self.len() <= other.len() && self.iter().all(|column| other.contains(column))
    }

    /// Whether none of them is in the other set.
    pub fn is_disjoint(&self, other: &ColumnSet) -> bool {
        !self.iter().any(|column| other.contains(column))
    }

    /// Those that are in the other set.
    pub fn intersection<'a>(&'a self, other: &'a ColumnSet) -> impl Iterator<Item = &'a ColumnId> {
        self.iter().filter(|column| other.contains(column))
    }

    /// Those that are not in the other set.
    pub fn difference<'a>(&'a self, other: &'a ColumnSet) -> impl Iterator<Item = &'a ColumnId> {
        self.iter().filter(|column| !other.contains(column))
    }

    /// Sorts what was added at the end.
    fn settle(&mut self) {
        self.0.sort_unstable();
        self.0.dedup();
    }
}

impl Extend<ColumnId> for ColumnSet {
    fn extend<I: IntoIterator<Item = ColumnId>>(&mut self, columns: I) {
        let before = self.len();
        self.0.extend(columns);
        if self.len() > before {
            self.settle();
        }
    }
}

impl<'a> Extend<&'a ColumnId> for ColumnSet {
    fn extend<I: IntoIterator<Item = &'a ColumnId>>(&mut self, columns: I) {
        self.extend(columns.into_iter().copied());
    }
}

impl FromIterator<ColumnId> for ColumnSet {
    fn from_iter<I: IntoIterator<Item = ColumnId>>(columns: I) -> ColumnSet {
        let mut all = ColumnSet(columns.into_iter().collect());
        all.settle();
        all
    }
}

impl<const N: usize> From<[ColumnId; N]> for ColumnSet {
    fn from(columns: [ColumnId; N]) -> ColumnSet {
        columns.into_iter().collect()
    }
}

impl IntoIterator for ColumnSet {
    type Item = ColumnId;
    type IntoIter = smallvec::IntoIter<[ColumnId; 8]>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a ColumnSet {
    type Item = &'a ColumnId;
    type IntoIter = std::slice::Iter<'a, ColumnId>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// It does what the standard library's set does, whatever is added and taken out.
    #[test]
    fn as_a_btree_set_does() {
        let (mut set, mut known) = (ColumnSet::new(), BTreeSet::new());
        let mut random = 8u64;
        for step in 0..2_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let column = ColumnId((random >> 33) as u32 % 24);
            match step % 5 {
                0 => assert_eq!(set.remove(&column), known.remove(&column)),
                1 => {
                    set.extend([column, ColumnId(column.0 / 2)]);
                    known.extend([column, ColumnId(column.0 / 2)]);
                }
                2 if step % 300 == 2 => {
                    set.retain(|c| c.0 % 3 == 0);
                    known.retain(|c| c.0 % 3 == 0);
                }
                _ => assert_eq!(set.insert(column), known.insert(column)),
            }
            assert!(set.iter().eq(known.iter()));
            assert_eq!(set.contains(&column), known.contains(&column));
            let (other, known_other): (ColumnSet, BTreeSet<ColumnId>) =
                ((0..step % 9).map(ColumnId).collect(), (0..step % 9).map(ColumnId).collect());
            assert_eq!(set.is_subset(&other), known.is_subset(&known_other));
            assert_eq!(other.is_subset(&set), known_other.is_subset(&known));
            assert_eq!(set.is_disjoint(&other), known.is_disjoint(&known_other));
            assert!(set.difference(&other).eq(known.difference(&known_other)));
            assert!(set.intersection(&other).eq(known.intersection(&known_other)));
        }
    }
}

//! Whether two queries permit the same answers, where nothing but the outermost ORDER BY and
//! LIMIT leaves their answers open.
//!
//! Rows that tie form a group, and LIMIT and OFFSET are a window over the groups in their order.
//! A group inside the window gives all its rows, a group that the window cuts gives any of its
//! rows, so many as fit; and rows of one group stand in any order. So the permitted answers are
//! known without listing them, and two sets of them can be compared exactly.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use twinql_sql::Value;

use crate::compare::{Columns, Mode, Numbering};
use crate::database::Row;
use crate::execute::Answer;

/// Distinct rows whose subsets are gone through, where the window cuts two groups or rows are
/// compared as sets.
const MAX_SUBSETS: usize = 12;

/// The answers that a query permits.
#[derive(Debug, Clone)]
pub(crate) struct Permitted<'r> {
    width: usize,
    rows: &'r [Row],
    /// Where the rows of each group stand, and how many of them an answer has.
    groups: Vec<(Range<usize>, usize)>,
}

/// A group: how often it has each row, by the row's number, and how many rows it gives.
type Group = (BTreeMap<u32, usize>, usize);

impl<'r> Permitted<'r> {
    pub(crate) fn new(width: usize, rows: &'r [Row], groups: Vec<(Range<usize>, usize)>) -> Permitted<'r> {
        Permitted { width, rows, groups }
    }

    /// One answer, whose rows stand in any order.
    pub(crate) fn whole(answer: &'r Answer) -> Permitted<'r> {
        let n = answer.rows.len();
        Permitted {
            width: answer.width,
            rows: &answer.rows,
            groups: (n > 0).then_some((0..n, n)).into_iter().collect(),
        }
    }

    fn len(&self) -> usize {
        self.groups.iter().map(|g| g.1).sum()
    }

    /// The rows that stand in some permitted answer, by group.
    fn used(&self) -> impl Iterator<Item = &'r Row> {
        let rows = self.rows;
        self.groups.iter().flat_map(move |(range, _)| rows.get(range.clone()).unwrap_or(&[]))
    }

    /// Cells as numbers, by row.
    fn numbered(&self, number: &impl Fn(&Value) -> u32) -> Vec<Vec<u32>> {
        let cells = |row: &Row| row.iter().take(self.width).map(number).collect();
        self.used().map(cells).collect()
    }

    /// The groups of rows seen through an order of columns; rows get numbers from `known`.
    fn groups(&self, cells: &[Vec<u32>], order: &[usize], known: &mut HashMap<Vec<u32>, u32>) -> Vec<Group> {
        let mut rest = cells.iter();
        let mut group = |range: &Range<usize>| {
            let mut counts = BTreeMap::new();
            for row in rest.by_ref().take(range.len()) {
                let row: Vec<u32> = order.iter().map(|&c| row.get(c).copied().unwrap_or(0)).collect();
                let next = known.len() as u32;
                *counts.entry(*known.entry(row).or_insert(next)).or_default() += 1;
            }
            counts
        };
        self.groups.iter().map(|(range, take)| (group(range), *take)).collect()
    }
}

/// True if both permit the same answers under some allowed order of columns, which is then
/// remembered in `columns`. `None` where too many would have to be gone through.
pub(crate) fn same_answers(
    gold: &Permitted<'_>,
    pred: &Permitted<'_>,
    mode: Mode,
    columns: &mut Columns,
) -> Option<bool> {
    if gold.width != pred.width || (!mode.as_set && gold.len() != pred.len()) {
        return Some(false);
    }
    if gold.len() == 0 || pred.len() == 0 {
        return Some(gold.len() == pred.len());
    }
    let numbering = Numbering::of(gold.used().chain(pred.used()).flatten(), mode.tolerance);
    let number = |value: &Value| numbering.number(value);
    let (ours, theirs) = (gold.numbered(&number), pred.numbered(&number));
    let held = |cells: &[Vec<u32>]| -> Vec<BTreeSet<u32>> {
        let column = |c: usize| cells.iter().filter_map(|r| r.get(c).copied()).collect();
        (0..gold.width).map(column).collect()
    };
    let (our_columns, their_columns) = (held(&ours), held(&theirs));
    // A row that stands in a permitted answer of one stands in one of the other.
    let similar = |g: usize, p: usize| our_columns.get(g) == their_columns.get(p);
    let own: Vec<usize> = (0..gold.width).collect();
    let mut unsure = false;
    let found = columns.search(similar, |order| {
        let mut known = HashMap::new();
        let left = gold.groups(&ours, &own, &mut known);
        let right = pred.groups(&theirs, order, &mut known);
        let same = same_under(&left, &right, mode);
        unsure |= same.is_none();
        same == Some(true)
    });
    match found {
        Some(_) => {
            columns.restrict(similar);
            Some(true)
        }
        None if unsure => None,
        None => Some(false),
    }
}

fn same_under(left: &[Group], right: &[Group], mode: Mode) -> Option<bool> {
    if mode.as_set {
        return Some(sets(left)? == sets(right)?);
    }
    if mode.as_list {
        return Some(lists(left) == lists(right));
    }
    same_bags(left, right)
}

/// The permitted lists in a form that is the same for the same lists.
///
/// They are all ways to draw from each group in turn. Where a group has each of its rows as often
/// as it gives rows, each place is filled by itself, and the group is as good as one for each
/// place. Any other group has a row that cannot fill all its places but each of them, so that no
/// way to cut it in two allows the same. Hence the finest cut is the only one.
fn lists(groups: &[Group]) -> Vec<Group> {
    let mut out = Vec::new();
    for (counts, take) in groups {
        let capped: BTreeMap<u32, usize> = counts.iter().map(|(row, n)| (*row, *n.min(take))).collect();
        if capped.values().all(|n| n == take) {
            let one: BTreeMap<u32, usize> = capped.keys().map(|row| (*row, 1)).collect();
            out.extend(std::iter::repeat_n((one, 1), *take));
        } else {
            out.push((capped, *take));
        }
    }
    out
}

/// The permitted bags: rows that every answer has, and what each group that the window cuts
/// gives beyond these, with no row more often than it can be given.
fn bags(groups: &[Group]) -> (BTreeMap<u32, usize>, Vec<Group>) {
    let mut fixed: BTreeMap<u32, usize> = BTreeMap::new();
    let mut cut = Vec::new();
    for (counts, take) in groups {
        let left_out = counts.values().sum::<usize>().saturating_sub(*take);
        let mut take = *take;
        let mut rest = BTreeMap::new();
        for (row, n) in counts {
            let forced = n.saturating_sub(left_out);
            if forced > 0 {
                *fixed.entry(*row).or_default() += forced;
                take = take.saturating_sub(forced);
            }
            if *n > forced {
                rest.insert(*row, n - forced);
            }
        }
        if take > 0 && left_out > 0 {
            for n in rest.values_mut() {
                *n = take.min(*n);
            }
            cut.push((rest, take));
        }
    }
    (fixed, cut)
}

fn same_bags(left: &[Group], right: &[Group]) -> Option<bool> {
    let (our_fixed, our_cut) = bags(left);
    let (their_fixed, their_cut) = bags(right);
    // One cut group is all sub-bags of its size: bounds on each row and their sum, and these
    // bounds are reached.
    if our_cut.len() <= 1 && their_cut.len() <= 1 {
        return Some(our_fixed == their_fixed && our_cut == their_cut);
    }
    // Sums of such are told apart by how many rows of each subset an answer has at most: they
    // are the integral points of a polymatroid's base, whose rank that is.
    let open: Vec<u32> = our_cut
        .iter()
        .chain(&their_cut)
        .flat_map(|(rest, _)| rest.keys().copied())
        .collect::<BTreeSet<u32>>()
        .into_iter()
        .collect();
    let count = |of: &BTreeMap<u32, usize>, row: &u32| of.get(row).copied().unwrap_or(0);
    let rows = our_fixed.keys().chain(their_fixed.keys());
    if rows.filter(|row| !open.contains(row)).any(|row| count(&our_fixed, row) != count(&their_fixed, row)) {
        return Some(false);
    }
    if open.len() > MAX_SUBSETS {
        return None;
    }
    let rank = |fixed: &BTreeMap<u32, usize>, cut: &[Group], subset: &[u32]| {
        let of = |counts: &BTreeMap<u32, usize>| subset.iter().map(|row| count(counts, row)).sum::<usize>();
        of(fixed) + cut.iter().map(|(rest, take)| of(rest).min(*take)).sum::<usize>()
    };
    Some(
        subsets(&open)
            .all(|subset| rank(&our_fixed, &our_cut, &subset) == rank(&their_fixed, &their_cut, &subset)),
    )
}

/// All subsets; of at most [`MAX_SUBSETS`] numbers.
fn subsets(of: &[u32]) -> impl Iterator<Item = Vec<u32>> {
    (0..1u32 << of.len().min(MAX_SUBSETS)).map(move |mask| {
        let chosen = of.iter().enumerate().filter(|(i, _)| mask & (1 << i) != 0);
        chosen.map(|(_, row)| *row).collect()
    })
}

/// The permitted sets of rows.
fn sets(groups: &[Group]) -> Option<BTreeSet<BTreeSet<u32>>> {
    let (fixed, cut) = bags(groups);
    let sure: BTreeSet<u32> = fixed.keys().copied().collect();
    let mut all = BTreeSet::from([sure.clone()]);
    let mut subsets_left = MAX_SUBSETS;
    for (rest, take) in &cut {
        let new: Vec<u32> = rest.keys().copied().filter(|row| !sure.contains(row)).collect();
        subsets_left = subsets_left.checked_sub(new.len())?;
        let copies = |rows: &[u32]| rows.iter().filter_map(|row| rest.get(row)).sum::<usize>();
        // Rows that every answer has fill what is left.
        let filler = rest.values().sum::<usize>() - copies(&new);
        let given: Vec<Vec<u32>> = subsets(&new)
            .filter(|subset| subset.len() <= *take && copies(subset) + filler >= *take)
            .collect();
        all = all
            .iter()
            .flat_map(|one| given.iter().map(move |more| one.iter().chain(more).copied().collect()))
            .collect();
    }
    Some(all)
}

#[cfg(test)]
mod tests;

//! Splits that keep together what belongs together.
//!
//! A split by *question* keeps rows apart that ask the same; one by *template* the questions that one query
//! answers but for its values, as the query split of Finegan-Dollak et al. 2018; one by *database* asks for
//! unseen schemas, as Spider does (Yu et al. 2018). No group is ever in two parts.

use std::collections::HashMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use twinql_metrics::{Alike, template};

use crate::examples::Example;

/// What stays together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Rows with the same question, its case and spaces aside, whatever the database.
    Question,
    /// Rows whose gold queries are the same but for values, whatever the database.
    Template,
    /// Rows over the same database.
    Database,
}

/// Why there is no split.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SplitError {
    /// Shares that make no split.
    #[error("the shares are {0:?}; give positive numbers that add up to 1, two at least")]
    Shares(Vec<f64>),
    /// A row has no question.
    #[error("row {0} has no question; split by template or by database")]
    NoQuestion(usize),
    /// There are fewer groups than parts, or too few for the smallest share.
    #[error("part {part} of {parts} stays empty: there are {groups} groups in all, and no group is divided")]
    Empty {
        /// The part, from 1.
        part: usize,
        /// How many there are.
        parts: usize,
        /// How many groups there are.
        groups: usize,
    },
}

/// A part of a split.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// The rows, by their numbers from 0, in order.
    pub rows: Vec<usize>,
    /// How many groups they are.
    pub groups: usize,
}

/// Splits examples into one part for each share: groups come in random order, and each goes to the part that
/// lacks the most rows then. The same examples, shares and seed give the same split.
///
/// # Errors
/// Shares that are none, a question that is missing, a part that stays empty.
pub fn split(examples: &[Example], by: By, shares: &[f64], seed: u64) -> Result<Vec<Part>, SplitError> {
    let sum: f64 = shares.iter().sum();
    let positive = shares.iter().all(|share| *share > 0.0 && share.is_finite());
    if shares.len() < 2 || !positive || (sum - 1.0).abs() > 1e-6 {
        return Err(SplitError::Shares(shares.to_vec()));
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for (row, example) in examples.iter().enumerate() {
        let key = key(example, by).ok_or(SplitError::NoQuestion(row + 1))?;
        let group = *known.entry(key).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        if let Some(rows) = groups.get_mut(group) {
            rows.push(row);
        }
    }
    groups.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let wanted: Vec<f64> = shares.iter().map(|share| share * examples.len() as f64).collect();
    let mut parts = vec![Part::default(); shares.len()];
    let total = groups.len();
    for group in groups {
        let lacking = |at: usize, part: &Part| wanted.get(at).unwrap_or(&0.0) - part.rows.len() as f64;
        // The first of those that lack the most.
        let mut best: Option<(usize, f64)> = None;
        for (at, part) in parts.iter().enumerate() {
            let lacks = lacking(at, part);
            if best.is_none_or(|(_, most)| lacks > most) {
                best = Some((at, lacks));
            }
        }
        if let Some(part) = best.and_then(|(at, _)| parts.get_mut(at)) {
            part.rows.extend(group);
            part.groups += 1;
        }
    }
    for (at, part) in parts.iter_mut().enumerate() {
        part.rows.sort_unstable();
        if part.rows.is_empty() {
            return Err(SplitError::Empty { part: at + 1, parts: shares.len(), groups: total });
        }
    }
    Ok(parts)
}

/// What the rows of a group have in common.
fn key(example: &Example, by: By) -> Option<String> {
    match by {
        By::Database => Some(example.database.clone()),
        By::Template => Some(template(&example.sql, Alike::Values)),
        By::Question => {
            let words: Vec<&str> = example.question.as_deref()?.split_whitespace().collect();
            Some(words.join(" ").to_lowercase())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::read;
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// A row for each (database, value, question).
    fn rows(rows: &[(u8, u8, u8)]) -> Vec<Example> {
        let file = tempfile::Builder::new().suffix(".jsonl").tempfile().unwrap();
        let line = |(db, value, question): &(u8, u8, u8)| {
            let (table, literal) = (value % 4, value / 4);
            format!(
                "{{\"db_id\":\"d{db}\",\"gold\":\"SELECT a FROM t{table} WHERE b = {literal}\",\"question\":\"Which  {question}?\"}}\n"
            )
        };
        std::fs::write(file.path(), rows.iter().map(line).collect::<String>()).unwrap();
        read(file.path()).unwrap().examples
    }

    #[test]
    fn shares_are_met_where_groups_are_small() {
        let examples = rows(&(0..100).map(|i| (i, i, i)).collect::<Vec<_>>());
        let parts = split(&examples, By::Database, &[0.8, 0.1, 0.1], 8).unwrap();
        assert_eq!(parts.iter().map(|p| p.rows.len()).collect::<Vec<_>>(), [80, 10, 10]);
        assert_eq!(parts.iter().map(|p| p.groups).sum::<usize>(), 100);
        assert_eq!(parts, split(&examples, By::Database, &[0.8, 0.1, 0.1], 8).unwrap());
        assert_ne!(parts, split(&examples, By::Database, &[0.8, 0.1, 0.1], 9).unwrap());
        // Four templates, whatever the values.
        let parts = split(&examples, By::Template, &[0.5, 0.5], 8).unwrap();
        assert_eq!(parts.iter().map(|p| (p.rows.len(), p.groups)).collect::<Vec<_>>(), [(50, 2), (50, 2)]);
    }

    #[test]
    fn what_makes_no_split() {
        let examples = rows(&[(0, 0, 0), (0, 1, 1), (1, 2, 2)]);
        for (shares, by, says) in [
            (&[1.0][..], By::Database, "two at least"),
            (&[0.5, 0.6], By::Database, "add up to 1"),
            (&[1.5, -0.5], By::Database, "positive"),
            (&[f64::NAN, 0.5], By::Database, "positive"),
            (&[0.4, 0.3, 0.3], By::Database, "part 3 of 3 stays empty: there are 2 groups"),
        ] {
            let error = split(&examples, by, shares, 8).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        let mut without = examples;
        without[1].question = None;
        let error = split(&without, By::Question, &[0.5, 0.5], 8).unwrap_err();
        assert_eq!(error, SplitError::NoQuestion(2));
    }

    proptest! {
        #[test]
        fn no_group_is_in_two_parts(
            of in prop::collection::vec((0u8..9, 0u8..16, 0u8..9), 1..60),
            seed in 0u64..9,
        ) {
            let examples = rows(&of);
            for by in [By::Question, By::Template, By::Database] {
                let Ok(parts) = split(&examples, by, &[0.6, 0.2, 0.2], seed) else { continue };
                let mut all: Vec<usize> = parts.iter().flat_map(|p| p.rows.clone()).collect();
                all.sort_unstable();
                prop_assert_eq!(all, (0..examples.len()).collect::<Vec<_>>());
                let keys = |part: &Part| -> HashSet<String> {
                    part.rows.iter().filter_map(|row| key(&examples[*row], by)).collect()
                };
                for (i, one) in parts.iter().enumerate() {
                    prop_assert_eq!(keys(one).len(), one.groups);
                    for other in &parts[i + 1..] {
                        prop_assert!(keys(one).is_disjoint(&keys(other)));
                    }
                }
            }
        }
    }
}

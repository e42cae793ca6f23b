//! Parts for pairs that name none: by database, so that none is in two parts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use twinql::Job;
use twinql_sql::Schema;

/// What pairs of one group have in common; groups are never torn apart.
type Group = [u8; 32];

/// Which groups validate.
#[derive(Debug, Default)]
pub(super) struct Parts {
    valid: BTreeSet<Group>,
    /// There is one database only: groups are gold queries.
    by_gold: bool,
    databases: Databases,
    said: String,
}

/// Hashes of schemas that have been seen, by where they lie.
#[derive(Debug, Default)]
struct Databases(BTreeMap<*const Schema, Group>);

impl Databases {
    /// Databases with the same tables are one, whatever they are called.
    fn of(&mut self, schema: &Arc<Schema>) -> Group {
        *self.0.entry(Arc::as_ptr(schema)).or_insert_with(|| Sha256::digest(schema.to_ddl()).into())
    }
}

impl Parts {
    /// Draws groups for validation until they hold `share` of the pairs: the same ones for the same
    /// pairs and seed, whatever their order.
    pub(super) fn draw<'j>(jobs: impl Iterator<Item = &'j Job> + Clone, share: f64, seed: u64) -> Parts {
        let mut databases = Databases::default();
        let mut names: BTreeMap<Group, &str> = BTreeMap::new();
        let mut sizes: BTreeMap<Group, usize> = BTreeMap::new();
        for (schema, _) in jobs.clone().filter_map(pair) {
            let group = databases.of(schema);
            names.entry(group).or_insert(&schema.db_id);
            *sizes.entry(group).or_default() += 1;
        }
        let by_gold = sizes.len() < 2;
        if by_gold {
            sizes.clear();
            for (_, gold) in jobs.filter_map(pair) {
                *sizes.entry(of_gold(gold)).or_default() += 1;
            }
        }
        let total: usize = sizes.values().sum();
        let (valid, pairs) = drawn(&sizes, share, seed);
        let count = format!("{pairs} of {total} pairs, {} of {}", valid.len(), sizes.len());
        let said = if by_gold {
            format!(
                "no pair has a split, and there is one database only: {count} gold queries validate (seed {seed}). Figures on them are better than on other databases"
            )
        } else {
            let mut listed: Vec<&str> = valid.iter().filter_map(|g| names.get(g).copied()).collect();
            listed.sort_unstable();
            let more = listed.len().saturating_sub(MAX_LISTED);
            listed.truncate(MAX_LISTED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!(
                "no pair has a split; split by database: {count} databases validate (seed {seed}): {}{more}",
                listed.join(", ")
            )
        };
        Parts { valid, by_gold, databases, said }
    }

    /// What was done, for people.
    pub(super) fn said(&self) -> &str {
        &self.said
    }

    /// Whether a pair validates.
    pub(super) fn validates(&mut self, schema: &Arc<Schema>, gold: &str) -> bool {
        let group = if self.by_gold { of_gold(gold) } else { self.databases.of(schema) };
        self.valid.contains(&group)
    }
}

/// Databases whose names are said.
const MAX_LISTED: usize = 12;

fn pair(job: &Job) -> Option<(&Arc<Schema>, &str)> {
    job.pair().map(|(schema, gold, _)| (schema, gold))
}

fn of_gold(gold: &str) -> Group {
    // Spaces and case make no other query.
    let words: Vec<String> = gold.split_whitespace().map(str::to_lowercase).collect();
    Sha256::digest(words.join(" ")).into()
}

/// Groups in an order that the seed decides, until they hold the share; one that would bring it past
/// twice the share is passed over. At least one, and never all. With the number of their pairs.
fn drawn(sizes: &BTreeMap<Group, usize>, share: f64, seed: u64) -> (BTreeSet<Group>, usize) {
    let total: usize = sizes.values().sum();
    let wanted = share * total as f64;
    let mut order: Vec<(Group, Group, usize)> = sizes
        .iter()
        .map(|(group, size)| {
            let mut hash = Sha256::new();
            hash.update(seed.to_le_bytes());
            hash.update(group);
            (hash.finalize().into(), *group, *size)
        })
        .collect();
    order.sort_unstable();
    let mut valid = BTreeSet::new();
    let mut pairs = 0;
    for (_, group, size) in &order {
        if pairs as f64 >= wanted || valid.len() + 1 >= sizes.len() {
            break;
        }
        if (pairs + size) as f64 <= 2.0 * wanted {
            valid.insert(*group);
            pairs += size;
        }
    }
    if valid.is_empty()
        && sizes.len() > 1
        && let Some((_, group, size)) = order.iter().min_by_key(|(hash, _, size)| (*size, *hash))
    {
        valid.insert(*group);
        pairs = *size;
    }
    (valid, pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use twinql::Work;

    fn jobs(databases: usize, pairs: usize) -> Vec<Job> {
        let schemas: Vec<Arc<Schema>> = (0..databases)
            .map(|i| {
                Arc::new(Schema::from_ddl(&format!("db{i}"), &format!("CREATE TABLE t{i} (a, b)")).unwrap())
            })
            .collect();
        (0..pairs)
            .map(|i| {
                Job::new(
                    i.into(),
                    Work::Pair {
                        schema: Arc::clone(&schemas[i % databases]),
                        gold: format!("SELECT {}", i / 4),
                        pred: "SELECT b".into(),
                    },
                )
            })
            .collect()
    }

    fn validating(parts: &mut Parts, jobs: &[Job]) -> Vec<bool> {
        let of = |job| pair(job).map(|(schema, gold)| parts.validates(schema, gold)).unwrap();
        jobs.iter().map(of).collect()
    }

    #[test]
    fn databases_stay_together() {
        let jobs = jobs(20, 400);
        let mut parts = Parts::draw(jobs.iter(), 0.1, 8);
        let found = validating(&mut parts, &jobs);
        assert_eq!(found.iter().filter(|v| **v).count(), 40);
        for (i, valid) in found.iter().enumerate() {
            assert_eq!(*valid, found[i % 20]);
        }
        assert!(parts.said().contains("40 of 400 pairs, 2 of 20 databases"), "{}", parts.said());
        // Neither the order of pairs nor another file with the same tables changes it.
        let mut turned = Parts::draw(jobs.iter().rev(), 0.1, 8);
        assert_eq!(validating(&mut turned, &jobs), found);
        let again: Vec<Job> = self::jobs(20, 400);
        assert_eq!(validating(&mut parts, &again), found);
        let seeds: BTreeSet<Vec<bool>> =
            (0..20).map(|seed| validating(&mut Parts::draw(jobs.iter(), 0.1, seed), &jobs)).collect();
        assert!(seeds.len() > 10);
    }

    #[test]
    fn one_database_is_split_by_gold_and_two_give_one() {
        let one = jobs(1, 200);
        let mut parts = Parts::draw(one.iter(), 0.1, 8);
        let found = validating(&mut parts, &one);
        let count = found.iter().filter(|v| **v).count();
        assert!((16..=40).contains(&count), "{count}");
        assert!(found.chunks(4).all(|c| c.iter().all(|v| v == &c[0])));
        assert!(parts.said().contains("one database only"), "{}", parts.said());
        let two = jobs(2, 100);
        let found = validating(&mut Parts::draw(two.iter(), 0.1, 8), &two);
        assert_eq!(found.iter().filter(|v| **v).count(), 50);
        assert!(validating(&mut Parts::draw([].iter(), 0.1, 8), &[]).is_empty());
    }
}

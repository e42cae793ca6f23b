//! Transformed training data in three ways of sampling (MT-TEQL, 3.2).

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use serde_json::Value as Json;
use twinql_corpus::io::read_bytes;
use twinql_files::Fingerprint;

use crate::PerturbError;
use crate::generate::Perturbed;
use crate::registry::relation;
use crate::relation::Relation;

/// How transformed inputs are drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Sampling {
    /// All alike: relations have shares as they have results.
    Random,
    /// As many of each relation, as far as it has them; the rest at random.
    Stratified,
    /// Of each relation by its inconsistency rate; the rest at random.
    Adaptive(Rates),
}

/// Inconsistency rates by the names of relations.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rates(pub BTreeMap<&'static str, f64>);

impl Rates {
    /// Reads what `twinql consistency --format json` wrote, by its first metric, or an object of relations and rates.
    ///
    /// # Errors
    /// The file cannot be read, or holds no rates.
    pub fn read(path: &Path) -> Result<Rates, PerturbError> {
        let wrong = |why: &str| {
            PerturbError::Setting(format!(
                "{}: {why}; give what `twinql consistency --format json` writes, or a JSON object of relations and rates",
                path.display()
            ))
        };
        let json: Json =
            serde_json::from_slice(&read_bytes(path)?).map_err(|e| wrong(&format!("no JSON: {e}")))?;
        let mut rates = BTreeMap::new();
        let mut add = |name: &str, rate: Option<f64>| -> Result<(), PerturbError> {
            let relation = relation(name).ok_or_else(|| wrong(&format!("no relation is called {name:?}")))?;
            match rate {
                Some(rate) if (0.0..=1.0).contains(&rate) => {
                    rates.insert(relation.name, rate);
                    Ok(())
                }
                // A relation without a judged input has no rate.
                None => Ok(()),
                Some(rate) => Err(wrong(&format!("{name}: {rate} is no rate between 0 and 1"))),
            }
        };
        match json.pointer("/metrics/0/by_relation").and_then(Json::as_array) {
            Some(groups) => {
                for group in groups {
                    let name = group.get("group").and_then(Json::as_str).unwrap_or_default();
                    add(name, group.get("rate").and_then(Json::as_f64))?;
                }
            }
            None => {
                for (name, rate) in json.as_object().ok_or_else(|| wrong("no object"))? {
                    let rate = rate.as_f64().ok_or_else(|| wrong(&format!("{name}: no number")))?;
                    add(name, Some(rate))?;
                }
            }
        }
        if rates.values().sum::<f64>() <= 0.0 {
            return Err(wrong("no relation has a rate above 0"));
        }
        Ok(Rates(rates))
    }
}

/// `size` of the results, in their order; all of them where there are fewer.
pub fn draw(
    results: Vec<Perturbed>,
    relations: &[&'static Relation],
    sampling: &Sampling,
    size: usize,
    seed: u64,
) -> Vec<Perturbed> {
    let rng = |what: &str| {
        let seed = Fingerprint::of([what, "augment"]).with(seed.to_le_bytes()).number();
        ChaCha8Rng::seed_from_u64(seed)
    };
    let mut kept: HashSet<usize> = HashSet::new();
    for relation in relations {
        let mut numbers: Vec<usize> = (0..results.len()).collect();
        numbers.retain(|&i| results.get(i).is_some_and(|r| r.relation.name == relation.name));
        let quota = match sampling {
            Sampling::Random => 0,
            Sampling::Stratified => size / relations.len().max(1),
            Sampling::Adaptive(rates) => {
                let of = |r: &Relation| rates.0.get(r.name).copied().unwrap_or(0.0);
                let sum: f64 = relations.iter().map(|r| of(r)).sum();
                // A whole share stays whole, whatever the division leaves behind the point.
                if sum > 0.0 { (of(relation) / sum * size as f64 + 1e-9) as usize } else { 0 }
            }
        };
        numbers.shuffle(&mut rng(relation.name));
        kept.extend(numbers.into_iter().take(quota));
    }
    let mut rest: Vec<usize> = (0..results.len()).filter(|i| !kept.contains(i)).collect();
    rest.shuffle(&mut rng("rest"));
    let missing = size.saturating_sub(kept.len());
    kept.extend(rest.into_iter().take(missing));
    let numbered = results.into_iter().enumerate();
    numbered.filter(|(i, _)| kept.contains(i)).map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::tests::made;

    fn shares(sampling: &Sampling, size: usize) -> (usize, BTreeMap<&'static str, usize>) {
        let relations: Vec<_> = ["PI", "PR", "CRm"].iter().map(|n| relation(n).unwrap()).collect();
        let mut results = made();
        results.retain(|r| relations.iter().any(|k| k.name == r.relation.name));
        let drawn = draw(results.clone(), &relations, sampling, size, 3);
        assert_eq!(
            draw(results, &relations, sampling, size, 3).iter().map(|r| r.id.clone()).collect::<Vec<_>>(),
            drawn.iter().map(|r| r.id.clone()).collect::<Vec<_>>()
        );
        let mut shares = BTreeMap::new();
        for one in &drawn {
            *shares.entry(one.relation.short).or_default() += 1;
        }
        (drawn.len(), shares)
    }

    #[test]
    fn quotas() {
        // 40 PI, 4 PR, 40 CRm.
        assert_eq!(shares(&Sampling::Random, 30).0, 30);
        let (n, of) = shares(&Sampling::Stratified, 30);
        assert_eq!((n, of["PR"]), (30, 4), "{of:?}");
        assert!(of["PI"] >= 10 && of["CRm"] >= 10);
        let rates = Rates([("prefix-insertion", 0.3), ("column-removal", 0.1)].into());
        let (n, of) = shares(&Sampling::Adaptive(rates), 40);
        assert_eq!(n, 40);
        assert!(of["PI"] >= 30 && of["CRm"] >= 10 && !of.contains_key("PR"), "{of:?}");
        assert_eq!(shares(&Sampling::Random, 1000).0, 84);
    }

    #[test]
    fn rates_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rates.json");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Rates::read(&path).map_err(|e| e.to_string())
        };
        let of_command = r#"{"metrics":[{"by_relation":[{"group":"prefix-removal","rate":0.25},{"group":"flattening","rate":null}]}]}"#;
        assert_eq!(read(of_command).unwrap().0, BTreeMap::from([("prefix-removal", 0.25)]));
        assert_eq!(read(r#"{"PI":0.5}"#).unwrap().0, BTreeMap::from([("prefix-insertion", 0.5)]));
        for (text, says) in [
            ("{\"XX\":1}", "no relation is called"),
            ("{\"PI\":2}", "no rate between"),
            ("{\"PI\":0}", "above 0"),
            ("3", "no object"),
        ] {
            assert!(read(text).unwrap_err().contains(says), "{text}");
        }
    }
}

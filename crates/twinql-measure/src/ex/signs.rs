//! What is known of executed pairs without their databases. It is kept in a file: what databases say takes minutes, a fit
//! to it none.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use serde_json::{Value, json};
use twinql::corpus::{Pair, pairs};
use twinql::gmn::{Evidence, Executed, Signs};
use twinql::metrics::EX;
use twinql::proving::prove_all;
use twinql::sql::Proof;
use twinql::{Engine, Job, Semantics, Work};

use crate::inputs::{Schemas, schemas};

/// Pairs between two lines that say how far the work is.
const CHUNK: usize = 512;
/// What plausible databases and the network see: execution is compared as BIRD's evaluator does.
const SEMANTICS: &str = "bird";

/// A pair that was executed.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// What is known of it; none of a prediction that cannot be executed.
    pub(super) executed: Option<Executed>,
    pub(super) label: bool,
    pub(super) database: usize,
    pub(super) gold: usize,
    /// The text of the prediction, by number within the set.
    pub(super) prediction: usize,
    /// The system that it is of.
    pub(super) system: String,
}

/// A file of executed pairs, and where what is known of them is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set<'a> {
    pub(super) pairs: &'a Path,
    pub(super) schemas: &'a Path,
    pub(super) kept: &'a Path,
    pub(super) seeds: &'a [u64],
}

impl Set<'_> {
    /// What is known of all pairs, by seed. What databases say is computed where no file has it.
    pub(super) fn known(&self) -> Result<BTreeMap<u64, Vec<Known>>, Box<dyn Error>> {
        let schemas = schemas(self.schemas)?;
        let all = pairs::read(self.pairs)?.pairs;
        let jobs = all.iter().map(|pair| job(pair, &schemas)).collect::<Result<Vec<Job>, String>>()?;
        if !self.kept.exists() {
            let text = observed(&jobs, self.seeds)?;
            twinql::files::write_whole(self.kept, |out| out.write_all(text.as_bytes()))?;
        }
        let proofs = prove_all(&jobs, &SEMANTICS.parse()?, &|| ());
        let kinds: Vec<_> = proofs
            .into_iter()
            .map(|proof| match proof {
                Some(Ok(Proof::Unknown(unknown))) => unknown.kinds,
                _ => Vec::new(),
            })
            .collect();
        let [mut databases, mut golds, mut predictions] = [const { BTreeMap::<String, usize>::new() }; 3];
        let number = |of: &mut BTreeMap<String, usize>, text: String| {
            let next = of.len();
            *of.entry(text).or_insert(next)
        };
        let mut out: BTreeMap<u64, Vec<Known>> = BTreeMap::new();
        for line in std::fs::read_to_string(self.kept)?.lines() {
            let line: Value = serde_json::from_str(line)?;
            let row = line["row"].as_u64().and_then(|row| usize::try_from(row).ok()).ok_or("no row")?;
            let seed = line["seed"].as_u64().ok_or("no seed")?;
            let (pair, kinds) =
                all.get(row).zip(kinds.get(row)).ok_or("the kept file is of other pairs; remove it")?;
            let db_id = pair.db_id.clone().unwrap_or_default();
            let label = pair.label == Some(1);
            let gold = number(&mut golds, format!("{db_id}\n{}", pair.gold));
            let evidence: Option<Evidence> = serde_json::from_value(line["evidence"].clone())?;
            let executed = evidence.map(|evidence| Executed {
                signs: Signs {
                    evidence,
                    agree: line["agree"].as_u64().unwrap_or(0),
                    of: line["of"].as_u64().unwrap_or(0),
                    network: line["network"].as_f64().map(|p| p as f32),
                    every: line["every"].as_f64().map(|p| p as f32),
                    regular: line["regular"] == true,
                    kinds: kinds.clone(),
                },
                label,
                database: db_id.clone(),
                gold,
            });
            out.entry(seed).or_default().push(Known {
                executed,
                label,
                database: number(&mut databases, db_id),
                gold,
                prediction: number(&mut predictions, format!("{gold}\n{}", pair.pred)),
                system: pair.source.clone().unwrap_or_default(),
            });
        }
        Ok(out)
    }
}

fn job(pair: &Pair, schemas: &Schemas) -> Result<Job, String> {
    let schema = pair.db_id.as_ref().and_then(|db| schemas.get(db));
    let schema = schema.ok_or_else(|| format!("no schema of pair {}", pair.id))?.clone();
    let work = Work::Pair { schema, gold: pair.gold.clone(), pred: pair.pred.clone() };
    Ok(Job::new(pair.id.clone(), work))
}

/// What databases and the network say: a line for each pair and each seed.
fn observed(jobs: &[Job], seeds: &[u64]) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    for seed in seeds {
        let semantics: Semantics = SEMANTICS.parse()?;
        let engine = Engine::builder().metric(&EX).semantics(semantics).seed(*seed).build()?;
        for (at, chunk) in jobs.chunks(CHUNK).enumerate() {
            for (row, known) in engine.signs(chunk).into_iter().enumerate() {
                let row = at * CHUNK + row;
                let line = match known {
                    Some(Ok(known)) => {
                        let Signs { evidence, agree, of, network, every, regular, kinds: _ } = known.signs;
                        json!({"row": row, "seed": seed, "evidence": evidence, "agree": agree, "of": of, "network": network, "every": every, "regular": regular})
                    }
                    _ => json!({"row": row, "seed": seed}),
                };
                text.push_str(&line.to_string());
                text.push('\n');
            }
            eprintln!("seed {seed}: {} of {} pairs", (at * CHUNK + chunk.len()), jobs.len());
        }
    }
    Ok(text)
}

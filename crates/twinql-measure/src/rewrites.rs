//! What class each rewrite of the corpora is of: applied alone to bundled golds and, with `TWINQL_DATA`, to every STEPth of
//! Spider's and BIRD's training golds (10), how many pairs the suite tells apart under `no-fk`, and on what share of plausible
//! databases they agree. docs/rewrites.md has the table.

use std::path::PathBuf;

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use twinql::Schema;
use twinql::corpus::rewrites::{Rewrite, all, apply};
use twinql::suite::plausible::ExpectedConfig;
use twinql::suite::{Expectation, Judge, JudgeConfig, Verdict};

use crate::{Done, Measurement, inputs};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "rewrites",
    about: "on how many databases each rewrite of the corpora keeps the answer",
    usage: "[STEP]",
    run,
};

/// What became of the pairs of one rewrite.
#[derive(Debug, Default, Clone, Copy)]
struct Kept {
    /// Pairs that the suite could judge.
    judged: usize,
    /// Those of them that it tells apart.
    different: usize,
    /// Pairs that were run on plausible databases; what the suite does not tell apart is not.
    counted: usize,
    /// The sum of their shares, those that are not run at 1.
    shares: f64,
}

impl Kept {
    /// The mean share of plausible databases on which the rewritten query answers as the gold does; none without a pair.
    fn share(&self) -> Option<f64> {
        let pairs = self.judged - self.different + self.counted;
        (pairs > 0).then(|| self.shares / pairs as f64)
    }

    fn add(&mut self, other: Kept) {
        self.judged += other.judged;
        self.different += other.different;
        self.counted += other.counted;
        self.shares += other.shares;
    }
}

/// What each rewrite does to these golds, in the order of the catalogue.
fn kept(golds: &[(&Schema, &str)]) -> Vec<(&'static Rewrite, Kept)> {
    let config = |semantics: &str| JudgeConfig {
        semantics: semantics.parse().expect("a preset"),
        databases: 40,
        ..JudgeConfig::default()
    };
    let of_gold = |&(schema, gold): &(&Schema, &str)| -> Option<Vec<Kept>> {
        let strict = Judge::new(schema, config("no-fk")).ok()?;
        let people = Judge::new(schema, config("bird")).ok()?;
        let of_rewrite = |rewrite: &Rewrite| {
            let mut kept = Kept::default();
            let Some(pred) = apply(rewrite, schema, gold, &mut ChaCha8Rng::seed_from_u64(1)) else {
                return kept;
            };
            match strict.judge(gold, &pred) {
                Verdict::Same { .. } => (kept.judged, kept.shares) = (1, 1.0),
                Verdict::Different { .. } => {
                    (kept.judged, kept.different) = (1, 1);
                    if let Expectation::Counted(found) =
                        people.expected(gold, &pred, ExpectedConfig::default())
                    {
                        (kept.counted, kept.shares) = (1, found.probability());
                    }
                }
                _ => {}
            }
            kept
        };
        Some(all().map(of_rewrite).collect())
    };
    let mut sums: Vec<(&Rewrite, Kept)> = all().map(|rewrite| (rewrite, Kept::default())).collect();
    for counts in golds.par_iter().filter_map(of_gold).collect::<Vec<_>>() {
        for ((_, sum), kept) in sums.iter_mut().zip(counts) {
            sum.add(kept);
        }
    }
    sums
}

fn run(args: &[String]) -> Done {
    let step: usize = args.first().map_or(Ok(10), |n| n.parse())?;
    let bundled = inputs::bundled();
    let mut sets = vec![(bundled.join("schemas"), bundled.join("gold.tsv"), 1)];
    match std::env::var_os("TWINQL_DATA").map(PathBuf::from) {
        Some(data) => {
            sets.push((data.join("spider/tables.json"), data.join("spider/train_spider_gold.sql"), step));
            sets.push((data.join("bird/train_tables.json"), data.join("bird/train_gold.sql"), step));
        }
        None => eprintln!("skipped: TWINQL_DATA is not set"),
    }
    let mut owned = Vec::new();
    for (schemas, golds, step) in sets {
        let schemas = inputs::schemas(&schemas)?;
        let golds = inputs::golds(&golds, step)?;
        owned
            .extend(golds.into_iter().filter_map(|(db_id, gold)| Some((schemas.get(&db_id)?.clone(), gold))));
    }
    let golds: Vec<(&Schema, &str)> = owned.iter().map(|(schema, gold)| (&**schema, gold.as_str())).collect();
    println!(
        "# rewrite, pairs, told apart under no-fk, mean share of plausible databases; {} golds",
        golds.len()
    );
    for (rewrite, kept) in kept(&golds) {
        let share = kept.share().map_or("–".to_owned(), |share| format!("{share:.3}"));
        println!("{}\t{}\t{}\t{share}", rewrite.name, kept.judged, kept.different);
    }
    Ok(())
}

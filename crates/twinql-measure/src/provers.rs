//! The benchmarks of provers as a test of a network: rewrite pairs against look-alikes, which are one-change neighbours of the
//! rewritten query. AUC by benchmark, of all pairs and of those whose canonical forms differ, over `equivalence/` of
//! `TWINQL_DATA`. A rewrite counts where the suite finds no database that tells it apart (a few of the
//! benchmarks' pairs are wrong, or hold under assumptions that the semantics lacks), a look-alike where it finds one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use twinql::corpus::pairs;
use twinql::metrics::{GMN, SUITE, auc};
use twinql::record::{Record, Status};
use twinql::suite::neighbours::neighbours;
use twinql::{Engine, Job, Network, Schema, Work};

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "provers",
    about: "provers' rewrites against look-alikes: the AUC of a network",
    usage: "[CHECKPOINT [SEMANTICS]]",
    run,
};

/// Look-alikes of each pair, at most.
const LOOK_ALIKES: usize = 4;

const BENCHMARKS: [&str; 4] =
    ["calcite_sqlsolver_232", "spark_sqlsolver", "tpch_spark_sqlsolver", "tpcc_spark_sqlsolver"];

/// What the network says of a pair that the suite has a verdict on.
struct Scored {
    score: f64,
    same: bool,
    identical: bool,
}

fn run(args: &[String]) -> Done {
    let Some(data) = std::env::var_os("TWINQL_DATA").map(PathBuf::from) else {
        println!("skipped: TWINQL_DATA is not set");
        return Ok(());
    };
    let semantics = args.get(1).map_or_else(|| Ok(Default::default()), |s| s.parse())?;
    let engine = Engine::builder()
        .network(Network::chosen(args.first().map(Path::new))?)
        .semantics(semantics)
        .metric(&GMN)
        .metric(&SUITE)
        .build()?;
    println!("{}", engine.signature(&GMN));
    let mut all = Vec::new();
    for name in BENCHMARKS {
        let scored = benchmark(&data.join(format!("equivalence/{name}.jsonl")), &engine);
        print(name, &scored);
        all.extend(scored);
    }
    print("all", &all);
    Ok(())
}

/// The pairs of a file and their look-alikes, as far as the suite judges them as it should.
fn benchmark(path: &Path, engine: &Engine) -> Vec<Scored> {
    let mut jobs = Vec::new();
    let mut rewrites = Vec::new();
    for (number, pair) in pairs::read(path).expect("pairs").pairs.into_iter().enumerate() {
        let Some(ddl) = &pair.schema else { continue };
        let Ok(schema) = Schema::from_ddl(&format!("schema {number}"), ddl) else { continue };
        let schema = Arc::new(schema);
        let near = neighbours(&schema, &pair.pred, number as u64, LOOK_ALIKES);
        let preds =
            std::iter::once((pair.pred.clone(), true)).chain(near.into_iter().map(|n| (n.sql, false)));
        for (pred, is_rewrite) in preds {
            let work = Work::Pair { schema: Arc::clone(&schema), gold: pair.gold.clone(), pred };
            jobs.push(Job::new(Value::Null, work));
            rewrites.push(is_rewrite);
        }
    }
    let records = engine.score(&jobs);
    records.iter().zip(rewrites).filter_map(|(record, is_rewrite)| scored(record, is_rewrite)).collect()
}

fn scored(record: &Record, is_rewrite: bool) -> Option<Scored> {
    let same = record.score("suite").filter(|_| record.status == Status::Ok)? >= 0.5;
    let identical = record.details.get("gmn")?.get("identical")?.as_bool()?;
    (same == is_rewrite).then_some(Scored { score: record.score("gmn")?, same, identical })
}

fn print(name: &str, scored: &[Scored]) {
    let of = |pairs: Vec<&Scored>| {
        let scores: Vec<f64> = pairs.iter().map(|p| p.score).collect();
        let labels: Vec<bool> = pairs.iter().map(|p| p.same).collect();
        let same = labels.iter().filter(|same| **same).count();
        let auc = auc(&scores, &labels).map_or_else(|_| "–".to_owned(), |auc| format!("{auc:.3}"));
        format!("{:4} rewrites, {:4} look-alikes, AUC {auc}", same, labels.len() - same)
    };
    let differ = scored.iter().filter(|p| !p.identical).collect();
    println!("{name:24} {}; forms differ: {}", of(scored.iter().collect()), of(differ));
}

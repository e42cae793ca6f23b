//! Measures scoring and training in a warm process, for `scripts/speed.sh`.
//!
//! `score` prints pairs a second in batches, the latency of single pairs, what
//! attention costs, and peak memory. `train` trains the default network on
//! a part of the corpus and leaves in OUT what another implementation needs to do the same:
//! `model.safetensors`, and `batches.jsonl` with the pairs as arrays and their distances. `devices` trains it on each device, in
//! each width and size of batches.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use twinql::corpus::pairs;
use twinql::gmn::Scorer;
use twinql::graph::{GraphArrays, PairArrays};
use twinql::prepare::Graphs;
use twinql::{Engine, Network, Semantics};
use twinql_train::{EpochReport, Example, Observer, TrainConfig, peak_memory, train};

use crate::inputs::{arrays, jobs, schemas};
use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "throughput",
    about: "scoring and training in a warm process",
    usage: "score PAIRS SCHEMAS | train CORPUS SCHEMAS OUT | devices CORPUS SCHEMAS cpu,flex 32,64 32,256",
    run,
};

/// Training pairs at most.
const TRAIN: usize = 4_000;
/// Validation pairs at most.
const VALID: usize = 400;
/// The first warms up; the rest are measured.
const EPOCHS: usize = 4;

fn run(args: &[String]) -> Done {
    let threads = std::env::var("TWINQL_THREADS").ok().and_then(|t| t.parse().ok());
    rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build_global()?;
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["score", pairs, schemas] => score(pairs, schemas),
        ["train", corpus, schemas, out] => measure_training(corpus, schemas, Path::new(out)),
        ["devices", corpus, schemas, devices, widths, batches] => {
            measure_devices(corpus, schemas, [devices, widths, batches])
        }
        _ => Err("say what is measured: score, train or devices".into()),
    }
}

fn score(path: &str, schema_path: &str) -> Done {
    let schemas = schemas(Path::new(schema_path))?;
    let network = match std::env::var_os("TWINQL_CHECKPOINT") {
        Some(name) => Network::named(Path::new(&name))?,
        None => Network::embedded()?,
    };
    let jobs = jobs(Path::new(path), &schemas)?;
    let engine = Engine::builder().network(network.clone()).build()?;

    let mut seconds: Vec<f64> = (0..7)
        .map(|_| {
            let began = Instant::now();
            engine.score(&jobs);
            began.elapsed().as_secs_f64()
        })
        .collect();
    // The first round fills the cache of strings.
    seconds.remove(0);
    println!(
        "batches: {:.0} pairs/s ({} pairs, median of {})",
        jobs.len() as f64 / quantile(&mut seconds, 0.5),
        jobs.len(),
        seconds.len()
    );
    let mut single: Vec<f64> = jobs
        .iter()
        .map(|job| {
            let began = Instant::now();
            engine.score(std::slice::from_ref(job));
            began.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    println!(
        "one pair: p50 {:.3} ms, p95 {:.3} ms, p99 {:.3} ms",
        quantile(&mut single, 0.5),
        quantile(&mut single, 0.95),
        quantile(&mut single, 0.99)
    );

    let arrays = arrays(&jobs, &network);
    let scorer = network.scorer();
    let (mut plain, mut kept) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let began = Instant::now();
        for pair in &arrays {
            std::hint::black_box(scorer.score(std::slice::from_ref(pair)));
        }
        plain.push(began.elapsed().as_secs_f64());
        let began = Instant::now();
        for pair in &arrays {
            std::hint::black_box(scorer.attention(pair).ok());
        }
        kept.push(began.elapsed().as_secs_f64());
    }
    let (plain, kept) = (quantile(&mut plain, 0.5), quantile(&mut kept, 0.5));
    let each = 1e3 / arrays.len().max(1) as f64;
    println!(
        "network alone, one pair at a time: {:.3} ms; with attention kept {:.3} ms, {:.2} times as long",
        plain * each,
        kept * each,
        kept / plain
    );
    if let Some(bytes) = peak_memory() {
        println!("peak memory: {} MB", bytes >> 20);
    }
    Ok(())
}

/// The value below which a share of all lies; sorts them.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (values.len().saturating_sub(1) as f64 * share).round() as usize;
    values.get(place).copied().unwrap_or(f64::NAN)
}

/// Times epochs.
#[derive(Default)]
struct Watch {
    steps: Vec<f64>,
    rates: Vec<f64>,
}

impl Observer for Watch {
    fn step(&mut self, report: &twinql_train::StepReport) {
        self.steps.push(report.pairs_per_second);
    }

    fn epoch(&mut self, _: &EpochReport, _: f64) {
        // Pairs a second of the whole epoch, without its validation.
        self.rates.extend(self.steps.last());
        self.steps.clear();
    }
}

/// Training and validation pairs under `no-fk`, encoded for the default network, whatever its widths.
fn labelled(
    corpus: &str,
    schema_path: &str,
    config: &TrainConfig,
) -> Result<[Vec<Example>; 2], Box<dyn std::error::Error>> {
    let schemas = schemas(Path::new(schema_path))?;
    let semantics: Semantics = "no-fk".parse()?;
    let read = pairs::read_strict(corpus)?;
    let part = |split: &str, most: usize| -> Vec<Example> {
        let of_split: Vec<_> =
            read.iter().filter(|p| p.split.as_deref() == Some(split) && p.label.is_some()).collect();
        let chosen = of_split.iter().step_by((of_split.len() / most).max(1)).take(most);
        let chosen: Vec<_> =
            chosen.filter_map(|pair| Some((pair, schemas.get(pair.db_id.as_ref()?)?))).collect();
        let all = chosen.iter().map(|(pair, schema)| (*schema, pair.gold.as_str(), pair.pred.as_str()));
        let graphs = Graphs::build(all, &semantics, &config.network.graph, &|| ());
        let examples = chosen.iter().filter_map(|(pair, schema)| {
            let graphs = graphs.pair(schema, &pair.gold, &pair.pred);
            let (gold, pred) = graphs.both()?;
            let arrays = PairArrays::build(gold, pred, &config.network.model.encoding());
            let example = Example::new(arrays, pair.label == Some(1));
            (!example.pair.identical).then(|| Example { semantics: "no-fk".into(), ..example })
        });
        examples.collect()
    };
    Ok([part("train", TRAIN), part("valid", VALID)])
}

/// The default configuration for some epochs.
fn configuration() -> TrainConfig {
    TrainConfig {
        network: twinql::gmn::Network { semantics: vec!["no-fk".into()], ..Default::default() },
        epochs: EPOCHS,
        patience: EPOCHS,
        ..TrainConfig::default()
    }
}

/// Pairs a second of an epoch, without its validation: the median of all epochs but the first.
fn rate(watch: Watch) -> f64 {
    let mut rates: Vec<f64> = watch.rates.into_iter().skip(1).collect();
    quantile(&mut rates, 0.5)
}

/// A row for each device, width of the network and size of a batch.
fn measure_devices(corpus: &str, schemas: &str, lists: [&str; 3]) -> Done {
    let [devices, widths, batches] = lists.map(|list| list.split(','));
    let base = configuration();
    let [learn, valid] = labelled(corpus, schemas, &base)?;
    println!("| device | width | batch | pairs/s | loss |\n|---|---|---|---|---|");
    for device in devices {
        for (width, batch) in widths.clone().flat_map(|w| batches.clone().map(move |b| (w, b))) {
            let mut config =
                TrainConfig { compute: device.parse()?, batch_size: batch.parse()?, ..base.clone() };
            let model = &mut config.network.model;
            model.node_dim = width.parse()?;
            (model.message_dim, model.graph_dim) = (model.node_dim, 2 * model.node_dim);
            let mut watch = Watch::default();
            let trained = train(&config, &learn, &valid, &mut watch)?;
            let loss = trained.history.last().map_or(f64::NAN, |epoch| epoch.loss);
            println!("| {device} | {width} | {batch} | {:.0} | {loss:.4} |", rate(watch));
        }
    }
    Ok(())
}

fn measure_training(corpus: &str, schema_path: &str, out: &Path) -> Done {
    let config = configuration();
    let [learn, valid] = labelled(corpus, schema_path, &config)?;
    let mut watch = Watch::default();
    let trained = train(&config, &learn, &valid, &mut watch)?;
    let rate = rate(watch);
    println!(
        "training: {rate:.0} pairs/s ({} pairs, batches of {}, median of {} epochs)",
        learn.len(),
        config.batch_size,
        EPOCHS - 1
    );

    std::fs::create_dir_all(out)?;
    trained.checkpoint.save(&out.join("model.safetensors"))?;
    let scorer = Scorer::new(trained.checkpoint);
    let arrays: Vec<PairArrays> = learn.iter().map(|e| e.pair.clone()).collect();
    let scores = scorer.score(&arrays);
    let mut file = std::io::BufWriter::new(std::fs::File::create(out.join("batches.jsonl"))?);
    let about = json!({
        "config": config.network.model,
        "batch_size": config.batch_size,
        "learning_rate": config.learning_rate,
        "weight_decay": config.weight_decay,
        "clip_value": config.clip_value,
        "margin": config.margin,
        "pairs_per_second": rate,
        "threads": rayon::current_num_threads(),
    });
    writeln!(file, "{about}")?;
    for (example, score) in learn.iter().zip(scores) {
        let pair = &example.pair;
        let line = json!({
            "label": example.label,
            "distance": score?.distance,
            "left": side(&pair.left, &pair.left_positions, &pair.left_agreement),
            "right": side(&pair.right, &pair.right_positions, &pair.right_agreement),
        });
        writeln!(file, "{line}")?;
    }
    file.flush()?;
    Ok(())
}

fn side(graph: &GraphArrays, positions: &[f32], agreement: &[u16]) -> Value {
    json!({
        "words": graph.words,
        "tags": graph.tags,
        "contents": graph.contents,
        "strings": graph.strings,
        "edges": graph.edges,
        "positions": positions,
        "agreement": agreement,
    })
}

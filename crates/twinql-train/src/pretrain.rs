//! Contrastive pretraining after GraphCL (You et al., 2020; paper §4.4 and appendix C.4).
//!
//! Two augmented views of one query's graph go through the network as a pair does: merged, encoded
//! and attending to each other. The paper leaves the network as it is for pretraining, and that
//! network reads pairs; so the weights of the attention are pretrained too. What it says of each view
//! is the view's representation; NT-Xent draws the two of one graph together and pushes those of the
//! batch's other graphs away. `MLP_G`, the last two layers of the readout, stands where GraphCL has its
//! projection head, and is kept.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use twinql_graph::{Augmentation, GraphArrays, PairArrays, QueryGraph};

use twinql_files::hex;

use twinql_gmn::{Checkpoint, CheckpointInfo, ModelError, prepare::Prepared, weights::Layout};

use crate::{
    backend::{Backend, Lesson},
    burn::{BurnBackend, device::guarded},
    checkpoint::info_of_run,
    config::{Compute, Optimiser, Schedule, TrainConfig},
    cpu::CpuBackend,
    error::TrainError,
    pretrain_config::PretrainConfig,
    report::{PretrainEpoch, PretrainObserver, StopReason},
    run::{Epoch, RunFolder},
    state::{PRETRAIN_METRICS, PRETRAIN_STATE, PretrainState},
};

/// The outcome of pretraining.
#[derive(Debug, Clone)]
pub struct Pretrained {
    /// Weights to start a training run with (`init`); scores mean nothing yet.
    pub checkpoint: Checkpoint,
    /// All epochs.
    pub history: Vec<PretrainEpoch>,
    /// How many graphs were used.
    pub graphs: usize,
}

/// The two views of a graph as a pair for the network: a function of graph, seed, epoch and
/// number alone.
fn views(
    graph: &QueryGraph,
    mix: &[(&'static Augmentation, f64)],
    train: &TrainConfig,
    epoch: usize,
    number: usize,
) -> Result<Prepared, ModelError> {
    let mut rng = ChaCha8Rng::seed_from_u64(train.seed);
    rng.set_stream(((epoch as u64) << 32) + number as u64);
    let mut view = || {
        let drawn = (rng.next_u64() % mix.len().max(1) as u64) as usize;
        match mix.get(drawn) {
            Some((augmentation, share)) => augmentation.apply(graph, *share, &mut rng),
            None => graph.clone(),
        }
    };
    let (left, right) = (view(), view());
    let pair = PairArrays::build(&left, &right, &train.network.model.encoding());
    Prepared::new(&pair, &train.network.model)
}

/// A random order of `0..n`, drawn from a stream of its own.
fn shuffled(n: usize, seed: u64, stream: u64) -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    let mut order: Vec<(u64, usize)> = (0..n).map(|i| (rng.next_u64(), i)).collect();
    order.sort_unstable();
    order.into_iter().map(|o| o.1).collect()
}

/// Pretrains a network on distinct graphs. Network, seed, regularisation, device and what a checkpoint
/// says of its data are those of `train`, and so are the folder where the end of each epoch is kept and
/// whether to go on from there. For the same configuration, graphs and machine the result is the same,
/// whatever the number of threads and however often the run was interrupted and resumed.
///
/// # Errors
/// [`ModelError::Config`], [`TrainError::Device`], [`TrainError::Diverged`], [`TrainError::Data`] for
/// fewer than two graphs, and [`ModelError::Io`] for the run folder.
pub fn pretrain(
    train: &TrainConfig,
    config: &PretrainConfig,
    graphs: &[QueryGraph],
    observer: &mut dyn PretrainObserver,
) -> Result<Pretrained, TrainError> {
    train.network.model.validate()?;
    let model = train.network.model.clone();
    match train.compute {
        Compute::Cpu => pretrain_on(&CpuBackend::new(model), train, config, graphs, observer),
        compute => {
            let backend = BurnBackend::new(model, compute, train.precision)?;
            guarded(compute, || pretrain_on(&backend, train, config, graphs, observer))
        }
    }
}

fn pretrain_on<B: Backend>(
    backend: &B,
    train: &TrainConfig,
    config: &PretrainConfig,
    graphs: &[QueryGraph],
    observer: &mut dyn PretrainObserver,
) -> Result<Pretrained, TrainError> {
    let optimiser = Optimiser {
        epochs: config.epochs,
        learning_rate: config.learning_rate,
        warmup_steps: config.warmup_steps,
        schedule: Schedule::Cosine,
        ..train.optimiser()
    };
    optimiser.validate()?;
    let mix = config.mix()?;
    let mut used = shuffled(graphs.len(), train.seed, 0);
    if config.max_graphs > 0 {
        used.truncate(config.max_graphs);
    }
    if used.len() < 2 {
        return Err(TrainError::Data(format!(
            "pretraining needs at least two distinct graphs, there are {}",
            used.len()
        )));
    }
    let layout = Layout::new(&train.network.model);
    let data = graphs_hash(graphs, &used);
    let folder = RunFolder::open(train, PRETRAIN_STATE, PRETRAIN_METRICS)?;
    let mut state = PretrainState::new(&layout, train, config, data.clone());
    if let Some(path) = folder.as_ref().and_then(|f| f.to_resume(train)) {
        state = state.resume(path, &layout)?;
    }
    observer.start(state.progress.history.len());
    if let Some(folder) = folder.as_ref().filter(|_| !state.progress.history.is_empty()) {
        // A kill between the two files of an epoch leaves the second behind the first.
        folder.write_metrics(&state.progress.history)?;
    }
    // A last batch of one would have no negatives.
    let steps = used.len() / config.batch_size + usize::from(used.len() % config.batch_size > 1);
    let mut learner = backend.learner(&state.learned);
    for number in state.progress.history.len() + 1..=config.epochs {
        let epoch =
            Epoch { optimiser, ema_decay: 0.0, number, steps, taken: state.learned.step, halvings: 0 };
        let order = shuffled(used.len(), train.seed, (1 << 48) + number as u64);
        let lessons = order.chunks(config.batch_size).take(steps).map(|batch| {
            let views: Vec<Prepared> = batch
                .par_iter()
                .filter_map(|&place| {
                    let graph = used[place];
                    views(&graphs[graph], &mix, train, number, graph).ok()
                })
                .collect();
            (views.len() > 1).then_some(Lesson::Views(views, config.temperature))
        });
        let ran = epoch.run(backend, &mut learner, lessons, |report| {
            observer.step(report);
            observer.should_stop().then_some(StopReason::Observer)
        })?;
        state.learned = backend.learned(&learner);
        if ran.cut.is_some() {
            // The state on disk stays that of the last whole epoch, to resume from there.
            break;
        }
        let report = PretrainEpoch {
            epoch: number,
            loss: ran.loss / steps.max(1) as f64,
            nearest: ran.nearest / steps.max(1) as f64,
        };
        observer.epoch(&report);
        state.progress.history.push(report);
        if let Some(folder) = &folder {
            state.save(&folder.state, &layout)?;
            folder.write_metrics(&state.progress.history)?;
        }
    }
    Ok(Pretrained {
        checkpoint: Checkpoint {
            info: CheckpointInfo { epoch: state.progress.history.len(), ..info_of_run(train, data) },
            weights: state.learned.weights,
        },
        history: state.progress.history,
        graphs: used.len(),
    })
}

/// SHA-256 over the graphs that are used, in order.
fn graphs_hash(graphs: &[QueryGraph], used: &[usize]) -> String {
    let mut hash = Sha256::new();
    for graph in used.iter().filter_map(|&i| graphs.get(i)) {
        let arrays = GraphArrays::new(graph);
        for words in [&arrays.words, &arrays.tags] {
            hash.update((words.len() as u64).to_le_bytes());
            hash.update(words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>());
        }
        for node in graph.graph().node_weights() {
            let content = node.content.as_deref().unwrap_or_default();
            hash.update((content.len() as u64).to_le_bytes());
            hash.update(content);
        }
        for (from, to, kind) in arrays.edges {
            hash.update(from.to_le_bytes());
            hash.update(to.to_le_bytes());
            hash.update([kind]);
        }
    }
    hex(hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Silent, StepReport};
    use crate::{
        Example,
        synthetic::{examples, small_config},
        train,
    };
    use twinql_gmn::{GmnConfig, Network, Scorer};

    /// Syntax trees of some queries.
    fn graphs() -> Vec<QueryGraph> {
        let columns = ["name", "age", "city", "id"];
        let mut graphs = Vec::new();
        for (i, select) in columns.iter().enumerate() {
            for (j, filter) in columns.iter().enumerate() {
                for sql in [
                    format!("SELECT {select} FROM t{j} WHERE {filter} > {i}"),
                    format!("SELECT {select}, COUNT(*) FROM t GROUP BY {filter} ORDER BY {select} LIMIT {j}"),
                ] {
                    let parsed = twinql_sql::parse(&sql).unwrap();
                    graphs.push(QueryGraph::of_ast(&parsed.query).unwrap());
                }
            }
        }
        graphs
    }

    fn shared() -> TrainConfig {
        TrainConfig {
            network: Network {
                model: GmnConfig {
                    words: twinql_graph::vocabulary::WORD_COUNT,
                    tags: twinql_graph::vocabulary::TAG_COUNT,
                    ..small_config()
                },
                vocabulary: "v1".into(),
                ..Network::default()
            },
            ..TrainConfig::default()
        }
    }

    fn quick() -> PretrainConfig {
        PretrainConfig {
            epochs: 10,
            batch_size: 8,
            learning_rate: 3e-3,
            warmup_steps: 2,
            ..PretrainConfig::default()
        }
    }

    #[test]
    fn views_find_their_partners() {
        let pretrained = pretrain(&shared(), &quick(), &graphs(), &mut Silent).unwrap();
        let (first, last) = (&pretrained.history[0], &pretrained.history[9]);
        assert!(last.loss < first.loss - 0.3, "{first:?} {last:?}");
        assert!(last.nearest > 0.6, "{last:?}");
        assert!(pretrained.checkpoint.info.pretrained);
        assert_eq!(pretrained.graphs, 32);
    }

    #[test]
    fn threads_do_not_matter_and_a_share_of_the_graphs_can_be_used() {
        let config = PretrainConfig { epochs: 1, max_graphs: 17, ..quick() };
        let runs: Vec<Pretrained> = [1, 3]
            .into_iter()
            .map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                pool.build()
                    .unwrap()
                    .install(|| pretrain(&shared(), &config, &graphs(), &mut Silent).unwrap())
            })
            .collect();
        assert_eq!(runs[0].checkpoint, runs[1].checkpoint);
        assert_eq!(runs[0].graphs, 17);
    }

    /// Stops after so many steps.
    struct Stop(usize);

    impl PretrainObserver for Stop {
        fn step(&mut self, _: &StepReport) {
            self.0 = self.0.saturating_sub(1);
        }
        fn should_stop(&mut self) -> bool {
            self.0 == 0
        }
    }

    #[test]
    fn a_resumed_run_equals_an_uninterrupted_one() {
        let config = PretrainConfig { epochs: 3, ..quick() };
        let folder = tempfile::tempdir().unwrap();
        let graphs = graphs();
        let run = |name: &str, resume, observer: &mut dyn PretrainObserver| {
            let train = TrainConfig { run_dir: Some(folder.path().join(name)), resume, ..shared() };
            pretrain(&train, &config, &graphs, observer)
        };
        let whole = run("whole", false, &mut Silent).unwrap();
        // Four steps an epoch: stopped in the second, in the third after another start, and at its end.
        for steps in [6, 5, 4] {
            run("cut", true, &mut Stop(steps)).unwrap();
        }
        let resumed = run("cut", true, &mut Silent).unwrap();
        assert_eq!(resumed.checkpoint, whole.checkpoint);
        assert_eq!(resumed.history, whole.history);
        let lines = |name| std::fs::read(folder.path().join(name).join(PRETRAIN_METRICS)).unwrap();
        assert_eq!(lines("cut"), lines("whole"));
        // Another configuration is another run.
        let other =
            TrainConfig { run_dir: Some(folder.path().join("cut")), resume: true, seed: 9, ..shared() };
        let error = pretrain(&other, &config, &graphs, &mut Silent).unwrap_err();
        assert!(error.to_string().contains("another configuration"), "{error}");
        // A damaged file says what to do with it.
        std::fs::write(folder.path().join("cut").join(PRETRAIN_STATE), b"half a fil").unwrap();
        let error = pretrain(&other, &config, &graphs, &mut Silent).unwrap_err();
        assert!(error.to_string().contains("remove it to begin the run anew"), "{error}");
    }

    #[test]
    fn training_starts_with_the_weights() {
        let shared = shared();
        let pretrained = pretrain(&shared, &quick(), &graphs(), &mut Silent).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pretrained.safetensors");
        pretrained.checkpoint.save(&path).unwrap();
        let learn: Vec<Example> = examples(0, 40, 10, 4);
        let run = TrainConfig {
            init: Some(path),
            epochs: 1,
            learning_rate: 1e-12,
            weight_decay: 0.0,
            ema_decay: 0.0,
            ..shared
        };
        let trained = train(&run, &learn, &learn, &mut Silent).unwrap();
        assert!(!trained.checkpoint.info.pretrained);
        let moved = trained.checkpoint.weights.iter().zip(&pretrained.checkpoint.weights);
        assert!(moved.into_iter().all(|(a, b)| (a - b).abs() < 1e-6));
        let pairs: Vec<_> = learn.into_iter().map(|e| e.pair).collect();
        assert!(Scorer::new(trained.checkpoint).score(&pairs)[0].is_ok());
    }

    #[test]
    fn what_cannot_be_pretrained_is_refused() {
        let with = |change: fn(&mut PretrainConfig)| {
            let mut config = quick();
            change(&mut config);
            pretrain(&shared(), &config, &graphs(), &mut Silent).unwrap_err().to_string()
        };
        for (error, message) in [
            (with(|c| c.batch_size = 1), "at least 2"),
            (with(|c| c.temperature = 0.0), "temperature is 0"),
            (with(|c| c.augmentations.clear()), "augmentations is empty"),
            (
                with(|c| c.augmentations.extend([("rotation".into(), 0.1)])),
                "there is no \"rotation\"; there are node-dropping",
            ),
            (with(|c| c.augmentations.extend([("subgraph".into(), 1.5)])), "must lie in 0..=1"),
            (with(|c| c.max_graphs = 1), "at least two distinct graphs"),
        ] {
            assert!(error.contains(message), "{error}");
        }
    }
}

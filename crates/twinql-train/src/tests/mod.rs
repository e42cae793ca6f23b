//! Tests of the whole crate on small random graphs.

mod files;
mod parity;
mod throughput;

use std::path::Path;

use twinql_graph::{QUESTIONS, Question};

use twinql_gmn::{Checkpoint, GmnConfig, GraphConfig, ModelError, Network, Scorer};

use crate::{
    Compute, Example, Observer, Silent, StartReport, StepReport, StopReason, TrainConfig, TrainError,
    burn::device::guarded,
    check_files,
    synthetic::{example, examples, graph, pair, small_config},
    teach::Lessons,
    train,
};

fn small_run() -> TrainConfig {
    TrainConfig {
        network: Network { model: small_config(), vocabulary: "v1".into(), ..Network::default() },
        epochs: 12,
        batch_size: 16,
        learning_rate: 5e-3,
        warmup_steps: 5,
        patience: 20,
        ema_decay: 0.9,
        ..TrainConfig::default()
    }
}

fn data() -> (Vec<Example>, Vec<Example>) {
    (examples(0, 480, 12, 4), examples(10_000, 120, 12, 4))
}

fn quick(epochs: usize) -> TrainConfig {
    TrainConfig { epochs, ..small_run() }
}

fn quick_data() -> (Vec<Example>, Vec<Example>) {
    (examples(0, 60, 10, 4), examples(10_000, 40, 10, 4))
}

fn quick_checkpoint() -> Checkpoint {
    let (learn, valid) = quick_data();
    train(&quick(2), &learn, &valid, &mut Silent).unwrap().checkpoint
}

#[test]
fn a_learnable_task_is_learned() {
    let (learn, valid) = data();
    let trained = train(&small_run(), &learn, &valid, &mut Silent).unwrap();
    let history = &trained.history;
    let (first, last) = (history.first().unwrap(), history.last().unwrap());
    assert!(last.loss < 0.5 * first.loss, "{first:?} {last:?}");
    let quality = trained.checkpoint.info.validation;
    assert!(quality.auc > 0.9, "{quality:?}");
    assert!(quality.accuracy > 0.8, "{quality:?}");
    assert_eq!(trained.stop, StopReason::Epochs);
}

/// What is tried beforehand says what a run costs, and teaches nothing.
#[test]
fn a_run_is_rehearsed() {
    #[derive(Default)]
    struct Starts(Vec<Option<std::time::Duration>>);
    impl Observer for Starts {
        fn start(&mut self, report: &StartReport) {
            self.0.push(report.rehearsal.map(|rehearsal| rehearsal.epoch));
        }
    }
    let (learn, valid) = quick_data();
    let mut starts = Starts::default();
    let one = train(&quick(1), &learn, &valid, &mut starts).unwrap();
    let again = train(&quick(1), &learn, &valid, &mut Silent).unwrap();
    assert!(starts.0[0].is_some_and(|epoch| !epoch.is_zero()), "{:?}", starts.0);
    assert_eq!(one.history[0].steps, 4);
    assert_eq!(one.checkpoint, again.checkpoint);
}

#[test]
fn runs_repeat_and_threads_do_not_matter() {
    let (learn, valid) = quick_data();
    let runs: Vec<Checkpoint> = [1, 2, 3]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build()
                .unwrap()
                .install(|| train(&quick(2), &learn, &valid, &mut Silent).unwrap())
                .checkpoint
        })
        .collect();
    assert_eq!(runs[0], runs[1]);
    assert_eq!(runs[0], runs[2]);
}

#[test]
fn a_resumed_run_equals_an_uninterrupted_one() {
    struct StopAt(usize, usize);
    impl Observer for StopAt {
        fn step(&mut self, report: &StepReport) {
            self.1 = report.epoch * 100 + report.step;
        }
        fn should_stop(&mut self) -> bool {
            self.1 == self.0
        }
    }
    let (learn, valid) = quick_data();
    let whole = train(&quick(4), &learn, &valid, &mut Silent).unwrap();
    // Interrupted at an epoch's end, and in the middle of one.
    for stop in [204, 302] {
        let dir = tempfile::tempdir().unwrap();
        let config = TrainConfig { run_dir: Some(dir.path().to_path_buf()), resume: true, ..quick(4) };
        let cut = train(&config, &learn, &valid, &mut StopAt(stop, 0)).unwrap();
        assert_eq!(cut.stop, StopReason::Observer);
        let resumed = train(&config, &learn, &valid, &mut Silent).unwrap();
        assert_eq!(resumed.checkpoint, whole.checkpoint);
        assert_eq!(resumed.history, whole.history);
        let metrics = std::fs::read_to_string(dir.path().join("metrics.jsonl")).unwrap();
        assert_eq!(metrics.lines().count(), 4);

        let other = TrainConfig { learning_rate: 0.1, ..config };
        let error = train(&other, &learn, &valid, &mut Silent).unwrap_err();
        assert!(error.to_string().contains("another configuration"), "{error}");
    }
}

#[test]
fn time_ends_a_run_cleanly() {
    let (learn, valid) = quick_data();
    let config = TrainConfig { max_minutes: 1e-9, ..quick(50) };
    let trained = train(&config, &learn, &valid, &mut Silent).unwrap();
    assert_eq!(trained.stop, StopReason::Time);
    assert_eq!(trained.history.len(), 1);
}

#[test]
fn one_sided_or_empty_data_is_refused() {
    let (learn, valid) = quick_data();
    let positive: Vec<Example> = learn.iter().filter(|e| e.label).cloned().collect();
    let cases: [(&[Example], &[Example]); 4] =
        [(&[], &valid), (&learn, &[]), (&positive, &valid), (&learn, &positive)];
    for (learn, valid) in cases {
        let error = train(&quick(1), learn, valid, &mut Silent).unwrap_err();
        assert!(matches!(error, TrainError::Data(_)), "{error}");
    }
}

#[test]
fn a_saved_checkpoint_scores_the_same() {
    let checkpoint = quick_checkpoint();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("gmn.safetensors");
    checkpoint.save(&path).unwrap();
    let loaded = Checkpoint::from_bytes(&std::fs::read(&path).unwrap(), "x", Some("v1")).unwrap();
    assert_eq!(loaded, checkpoint);
    assert_eq!(loaded.to_bytes().unwrap(), checkpoint.to_bytes().unwrap());
    let pairs: Vec<_> = examples(500, 10, 12, 4).into_iter().map(|e| e.pair).collect();
    let before = Scorer::new(checkpoint).score(&pairs);
    let after = Scorer::from_file(&path, Some("v1")).unwrap().score(&pairs);
    for (a, b) in before.iter().zip(&after) {
        assert_eq!(a.as_ref().unwrap(), b.as_ref().unwrap());
    }
}

#[test]
fn scores_do_not_depend_on_the_batch() {
    let scorer = Scorer::new(quick_checkpoint());
    let pairs: Vec<_> = (0..30).map(|i| example(900 + i, 5 + 3 * i as usize, 4).pair).collect();
    let together = scorer.score(&pairs);
    for (pair, score) in pairs.iter().zip(&together) {
        let alone = scorer.score(std::slice::from_ref(pair));
        assert_eq!(alone[0].as_ref().unwrap(), score.as_ref().unwrap());
    }
}

#[test]
fn scores_are_symmetric_and_zero_for_equal_graphs() {
    let scorer = Scorer::new(quick_checkpoint());
    for i in 0..20 {
        let forth = example(i, 15, 4).pair;
        let back = pair(forth.right.clone(), forth.left.clone(), 4);
        let scores = scorer.score(&[forth, back]);
        let (a, b) = (scores[0].as_ref().unwrap(), scores[1].as_ref().unwrap());
        assert!((a.distance - b.distance).abs() <= 1e-5 * (1.0 + a.distance), "{a:?} {b:?}");
        let same = pair(graph(i, 14), graph(i, 14), 4);
        let score = *scorer.score(&[same])[0].as_ref().unwrap();
        assert!(score.distance < 1e-9, "{score:?}");
    }
}

fn stored(dir: &Path, name: &str, checkpoint: &Checkpoint) -> std::path::PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, checkpoint.to_bytes().unwrap()).unwrap();
    path
}

/// Correlation of the scores that two networks give.
fn agreement(a: &Checkpoint, b: &Checkpoint, pairs: &[Example]) -> f64 {
    let pairs: Vec<_> = pairs.iter().map(|e| e.pair.clone()).collect();
    let scores = |c: &Checkpoint| -> Vec<f64> {
        let scores = Scorer::new(c.clone()).score(&pairs);
        scores.iter().map(|s| f64::from(s.as_ref().unwrap().probability)).collect()
    };
    let (a, b) = (scores(a), scores(b));
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (ma, mb) = (mean(&a), mean(&b));
    let of = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(&b).map(|(a, b)| f(a - ma, b - mb)).sum::<f64>();
    of(&|a, b| a * b) / (of(&|a, _| a * a) * of(&|_, b| b * b)).sqrt()
}

#[test]
fn a_pupil_says_what_its_teachers_say() {
    let (learn, valid) = data();
    let dir = tempfile::tempdir().unwrap();
    // Labels that say nothing: what agreement there is comes from the teachers.
    let noise: Vec<Example> = learn
        .iter()
        .enumerate()
        .map(|(i, e)| Example {
            // Every other pair is equivalent.
            label: i % 4 < 2,
            ..e.clone()
        })
        .collect();
    let teacher = train(&small_run(), &learn, &valid, &mut Silent).unwrap().checkpoint;
    let path = stored(dir.path(), "teacher.safetensors", &teacher);
    let alone = TrainConfig { seed: 9, ..small_run() };
    let taught = TrainConfig { teachers: vec![path.clone()], teacher_share: 1.0, ..alone.clone() };
    let pupil = train(&taught, &noise, &valid, &mut Silent).unwrap().checkpoint;
    let alone = train(&alone, &noise, &valid, &mut Silent).unwrap().checkpoint;
    let (with, without) = (agreement(&teacher, &pupil, &valid), agreement(&teacher, &alone, &valid));
    assert!(with > 0.6 && with > without + 0.2, "{with} {without}");
    assert_ne!(pupil.info.data, alone.info.data, "the data are other with teachers");

    // A teacher has no say under a semantics that it does not know.
    let foreign = Example { semantics: "bird".into(), ..noise[0].clone() };
    // Nor where it is not to have one.
    let untaught = Example { taught: false, ..noise[0].clone() };
    let lessons = Lessons::new(&taught, &[noise[0].clone(), foreign, untaught]).unwrap();
    assert!(lessons.of(0).is_some() && lessons.of(1).is_none() && lessons.of(2).is_none());

    let mut other = teacher.clone();
    other.info.graph.canonical = !other.info.graph.canonical;
    let other =
        TrainConfig { teachers: vec![path, stored(dir.path(), "other.safetensors", &other)], ..taught };
    let error = train(&other, &noise, &valid, &mut Silent).unwrap_err().to_string();
    assert!(error.contains("other.safetensors") && error.contains("other graphs"), "{error}");
}

/// Every other example is asked about plausible databases, where what is the same elsewhere is so by half.
fn with_questions(examples: Vec<Example>) -> Vec<Example> {
    let asked = examples.into_iter().enumerate().map(|(i, e)| match i % 4 {
        0 | 1 => e,
        _ => Example { question: Question::Plausible, share: Some(if e.label { 0.5 } else { 0.1 }), ..e },
    });
    asked.collect()
}

#[test]
fn each_question_is_read_in_its_own_way() {
    let (learn, valid) = data();
    let (learn, valid) = (with_questions(learn), with_questions(valid));
    let trained = train(&quick(3), &learn, &valid, &mut Silent).unwrap().checkpoint;
    // Of so few pairs there is one reading for all semantics.
    let read: Vec<(Question, bool)> =
        trained.info.readings.iter().map(|r| (r.question, r.semantics.is_none())).collect();
    assert_eq!(read, QUESTIONS.map(|question| (question, true)));
    assert_eq!(trained.info.calibration, trained.info.readings[0].calibration);
    assert_eq!(trained.info.validation.pairs + trained.info.readings[1].validation.pairs, valid.len());
    let bytes = trained.to_bytes().unwrap();
    let scorer = Scorer::from_bytes(&bytes, None).unwrap();
    let [every, plausible] = QUESTIONS.map(|question| scorer.asked(question, "default").unwrap());
    assert_eq!(every.info().graph.question, Question::Every);
    assert_eq!(plausible.info().graph.question, Question::Plausible);
    assert_eq!(plausible.threshold(), trained.info.readings[1].threshold);
    // What was asked before does not stay.
    assert_eq!(plausible.asked(Question::Every, "default").unwrap().info(), every.info());
    let [one, other] = [&every, &plausible].map(|s| s.score(&[valid[0].pair.clone()]).remove(0).unwrap());
    assert_eq!(one.distance, other.distance);
    assert_ne!(one.probability, other.probability);
    // A network that knows no question but the usual one has none of this.
    let usual = Scorer::new(quick_checkpoint());
    assert!(usual.info().readings.iter().all(|reading| reading.question.is_usual()));
    assert!(usual.asked(Question::Plausible, "default").is_none());
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path(), "usual.safetensors", &quick_checkpoint());
    let taught = TrainConfig { teachers: vec![path], ..small_run() };
    let lessons = Lessons::new(&taught, &learn[..4]).unwrap();
    assert_eq!([0, 1, 2, 3].map(|i| lessons.of(i).is_some()), [true, true, false, false]);
}

/// A network may go on with regularities, and be taught by one without, which has no say where they count.
#[test]
fn regularities_may_come_later() {
    let (learn, valid) = quick_data();
    let (learn, valid) = (with_questions(learn), with_questions(valid));
    let before = train(&quick(1), &learn, &valid, &mut Silent).unwrap().checkpoint;
    assert!(before.info.answers(Question::Plausible));
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path(), "before.safetensors", &before);
    let regular = GraphConfig { regularities: true, ..GraphConfig::default() };
    let config = TrainConfig {
        network: Network { graph: regular, ..quick(1).network },
        init: Some(path.clone()),
        teachers: vec![path],
        ..quick(1)
    };
    check_files(&config).unwrap();
    let lessons = Lessons::new(&config, &learn[..4]).unwrap();
    assert_eq!([0, 1, 2, 3].map(|i| lessons.of(i).is_some()), [true, true, false, false]);
    let after = train(&config, &learn, &valid, &mut Silent).unwrap().checkpoint;
    assert!(after.info.graph.regularities);
    // Other graphs are refused.
    let other = GraphConfig { canonical: false, ..regular };
    assert!(matches!(
        check_files(&TrainConfig { network: Network { graph: other, ..quick(1).network }, ..config }),
        Err(TrainError::Model(ModelError::Config(_)))
    ));
}

#[test]
fn no_epoch_calibrates_given_weights() {
    let (learn, valid) = quick_data();
    let dir = tempfile::tempdir().unwrap();
    let trained = quick_checkpoint();
    let config = TrainConfig { init: Some(stored(dir.path(), "trained.safetensors", &trained)), ..quick(0) };
    let again = train(&config, &[], &valid, &mut Silent).unwrap();
    assert_eq!(again.checkpoint.weights, trained.weights);
    assert_eq!(again.checkpoint.info.calibration, trained.info.calibration);
    assert_eq!(again.checkpoint.info.band, trained.info.band);
    // On other pairs it is another.
    let other = train(&config, &[], &learn, &mut Silent).unwrap();
    assert_eq!(other.checkpoint.weights, trained.weights);
    assert_ne!(other.checkpoint.info.calibration, trained.info.calibration);
    let error = train(&quick(0), &learn, &valid, &mut Silent).unwrap_err();
    assert!(error.to_string().contains("init"), "{error}");
}

#[test]
fn a_run_may_go_on_with_relations_and_without_names() {
    let (_, valid) = quick_data();
    let dir = tempfile::tempdir().unwrap();
    let trained = quick_checkpoint();
    let init = Some(stored(dir.path(), "trained.safetensors", &trained));
    let going_on = |use_names, use_relations, init: &Option<std::path::PathBuf>| {
        let model = GmnConfig { use_names, use_relations, ..quick(0).network.model };
        let network = Network { model, ..quick(0).network };
        let config = TrainConfig { network, init: init.clone(), ..quick(0) };
        train(&config, &[], &valid, &mut Silent).map(|trained| trained.checkpoint)
    };
    let pairs: Vec<_> = valid.iter().map(|example| example.pair.clone()).collect();
    let distances = |checkpoint: Checkpoint| -> Vec<f32> {
        let scores = Scorer::new(checkpoint).score(&pairs);
        scores.into_iter().map(|score| score.unwrap().distance).collect()
    };
    // Relations add nothing to attention before they have learned something.
    let related = going_on(true, true, &init).unwrap();
    assert!(related.weights.len() > trained.weights.len());
    let before = distances(trained);
    assert_eq!(distances(related.clone()), before);
    assert_ne!(distances(going_on(false, true, &init).unwrap()), before);
    // What a network has learned of relations cannot be left out.
    let related = Some(stored(dir.path(), "related.safetensors", &related));
    assert!(going_on(true, true, &related).is_ok());
    let error = going_on(true, false, &related).unwrap_err();
    assert!(error.to_string().contains("[model]"), "{error}");
}

#[test]
fn a_bad_pair_does_not_stop_a_batch() {
    let scorer = Scorer::new(quick_checkpoint());
    let good = example(1, 10, 4).pair;
    let mut cases = vec![good.clone(); 7];
    cases[0].left.words[3] = 60_000;
    cases[1].right.edges.push((0, 99, 0));
    cases[2].left.contents[1] = Some(1_000);
    cases[3].left.words.clear();
    cases[4].right_positions.pop();
    cases[5].left.tags[0] = 9_999;
    let scores = scorer.score(&cases);
    for score in &scores[..6] {
        assert!(matches!(score, Err(ModelError::Input(_))), "{score:?}");
    }
    assert!(scores[6].is_ok());
}

#[test]
fn identical_pairs_get_the_top() {
    let scorer = Scorer::new(quick_checkpoint());
    let mut same = example(1, 10, 4).pair;
    same.identical = true;
    let pairs: Vec<_> = std::iter::once(same).chain((2..30).map(|i| example(i, 10, 4).pair)).collect();
    let scores = scorer.score(&pairs);
    let top = scores[0].as_ref().unwrap();
    assert_eq!(top.distance, 0.0);
    for score in &scores {
        assert!(score.as_ref().unwrap().probability <= top.probability);
    }
}

#[test]
fn answers_of_different_widths_are_not_the_same() {
    let scorer = Scorer::new(quick_checkpoint());
    let pairs: Vec<_> = (2..30).map(|i| example(i, 10, 4).pair).collect();
    let mut wider = pairs.clone();
    for pair in &mut wider {
        pair.widths_differ = true;
    }
    for (plain, wider) in scorer.score(&pairs).into_iter().zip(scorer.score(&wider)) {
        let (plain, wider) = (plain.unwrap(), wider.unwrap());
        assert_eq!(plain.distance, wider.distance);
        assert_eq!(wider.probability, 0.01 * plain.probability);
    }
}

#[test]
fn what_is_not_finite_ends_a_run() {
    let (learn, valid) = quick_data();
    for compute in [Compute::Cpu, Compute::Flex] {
        let config = TrainConfig { compute, learning_rate: 1e30, warmup_steps: 0, ..quick(3) };
        let error = train(&config, &learn, &valid, &mut Silent).unwrap_err();
        assert!(matches!(error, TrainError::Diverged { .. }), "{compute:?}: {error}");
        assert!(error.to_string().contains("lower learning_rate"), "{error}");
    }
}

#[test]
fn a_device_that_panics_says_what_to_do() {
    let error = guarded(Compute::Wgpu, || -> Result<(), TrainError> { panic!("no adapter") }).unwrap_err();
    assert!(error.to_string().contains("device 'wgpu' is not available: no adapter; see that"), "{error}");
}

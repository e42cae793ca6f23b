//! Gradients are slopes of what the forward pass gives, and reach every parameter; distances, losses and gradients are
//! those of burn's CPU backend and its autodiff.

use twinql_gmn::{GmnConfig, prepare::Prepared, weights::Layout};

use super::{CpuBackend, StepResult};
use crate::{
    adam::{Learned, Stride},
    backend::{Backend, Lesson},
    burn::BurnBackend,
    config::{Compute, Precision, TrainConfig},
    synthetic::{examples, small_config},
    target::{Item, Target, total_weight},
};

fn configs() -> Vec<GmnConfig> {
    let small = small_config();
    vec![
        GmnConfig {
            use_positions: false,
            use_tags: false,
            use_agreement: false,
            char_blocks: 2,
            ..small.clone()
        },
        GmnConfig { message_dim: 24, node_dim: 12, graph_dim: 20, propagation_steps: 2, ..small.clone() },
        GmnConfig { use_relations: true, use_names: false, ..small.clone() },
        small,
    ]
}

/// Weights with biases moved off zero, so that these count too.
fn weights(layout: &Layout) -> Vec<f32> {
    let mut weights = layout.init(3);
    for (i, weight) in weights.iter_mut().enumerate() {
        *weight += 0.02 * ((i * 37 % 101) as f32 / 50.0 - 1.0);
    }
    weights
}

fn items(config: &GmnConfig) -> Vec<Item> {
    let mut examples = examples(40, 11, 9, 4);
    // Strings empty, of one character, and cut.
    examples[0].pair.left.strings[0] = String::new();
    examples[1].pair.right.strings[0] = "x".into();
    examples[2].pair.right.strings[0] = "é".repeat(90);
    examples
        .iter()
        .enumerate()
        .map(|(i, e)| Item {
            pair: Prepared::new(&e.pair, config).unwrap(),
            // Bounds that every pair violates: all of them count.
            target: Target {
                least: if e.label { f32::NEG_INFINITY } else { 100.0 },
                most: if e.label { -100.0 } else { f32::INFINITY },
                at: if i % 2 == 0 { 50.0 } else { -50.0 },
                weight: if i % 3 == 0 { 0.0 } else { 0.3 },
                chance: (i % 4 == 1).then_some(0.3),
            },
            weight: 1.0 + i as f32 / 10.0,
        })
        .collect()
}

fn on_burn(config: GmnConfig) -> BurnBackend {
    BurnBackend::new(config, Compute::Flex, Precision::F32).unwrap()
}

/// burn's CPU backend as it is, and with the products that GPUs take.
fn both_ways(config: &GmnConfig) -> [BurnBackend; 2] {
    [on_burn(config.clone()), on_burn(config.clone()).into_like_gpus()]
}

/// Holds a step's loss and gradients to those of burn, these within a share of each parameter's largest one.
fn assert_alike(layout: &Layout, a: &StepResult, b: &StepResult, share: f32) {
    assert!((a.loss - b.loss).abs() < 1e-3, "{} {}", a.loss, b.loss);
    for (name, slot) in layout.names.iter().zip(&layout.slots) {
        let (a, b) = (slot.of(&a.gradients), slot.of(&b.gradients));
        let most = b.iter().fold(0.0f32, |m, x| m.max(x.abs()));
        assert!(most > 0.0, "{name} has no gradient");
        for (x, y) in a.iter().zip(b) {
            assert!((x - y).abs() <= share * most + 1e-6, "{name}: {x} {y}");
        }
    }
}

#[test]
fn distances_agree_with_burn() {
    for config in configs() {
        let layout = Layout::new(&config);
        let weights = weights(&layout);
        let pairs: Vec<Prepared> = items(&config).into_iter().map(|i| i.pair).collect();
        let a = CpuBackend::new(config.clone()).distances(&weights, &pairs);
        assert!(a.iter().any(|&d| d > 1e-3), "{a:?}");
        for burn in both_ways(&config) {
            for (a, b) in a.iter().zip(&burn.distances(&weights, &pairs)) {
                assert!((a - b).abs() <= 1e-4 * (1.0 + b), "{a} {b}");
            }
        }
    }
}

#[test]
fn gradients_agree_with_burn_and_reach_every_parameter() {
    for config in configs() {
        let layout = Layout::new(&config);
        let weights = weights(&layout);
        let native = CpuBackend::new(config.clone()).gradients(&weights, &Lesson::Pairs(items(&config)));
        for burn in both_ways(&config) {
            assert_alike(&layout, &native, &burn.stepped(&weights, Lesson::Pairs(items(&config))), 2e-3);
        }
    }
}

#[test]
fn contrastive_steps_agree_with_burn() {
    for config in configs() {
        let layout = Layout::new(&config);
        let weights = weights(&layout);
        let views = || Lesson::Views(items(&config).into_iter().map(|i| i.pair).collect(), 0.2);
        let native = CpuBackend::new(config.clone()).gradients(&weights, &views());
        for burn in both_ways(&config).map(|burn| burn.stepped(&weights, views())) {
            assert!((native.nearest - burn.nearest).abs() < 0.1, "{} {}", native.nearest, burn.nearest);
            assert_alike(&layout, &native, &burn, 5e-3);
        }
    }
}

/// Of a supervised step, for each parameter along its own gradient.
#[test]
fn gradients_are_finite_differences_and_reach_every_parameter() {
    for config in configs() {
        let layout = Layout::new(&config);
        let weights = weights(&layout);
        let items = items(&config);
        let pairs: Vec<Prepared> = items.iter().map(|i| i.pair.clone()).collect();
        let native = CpuBackend::new(config);
        let gradients = native.supervised(&weights, &items).gradients;
        // The loss's slope at each distance stays: what is checked is the way from there to the weights.
        let total = total_weight(&items);
        let distances = native.distances(&weights, &pairs);
        let slopes: Vec<f64> = items
            .iter()
            .zip(distances)
            .map(|(i, d)| f64::from(i.weight / total * i.target.loss(d).1))
            .collect();
        let loss = |weights: &[f32]| -> f64 {
            let distances = native.distances(weights, &pairs).into_iter();
            distances.zip(&slopes).map(|(d, s)| f64::from(d) * s).sum()
        };
        for (name, slot) in layout.names.iter().zip(&layout.slots) {
            let own = slot.of(&gradients);
            let length = own.iter().map(|g| f64::from(*g).powi(2)).sum::<f64>().sqrt();
            assert!(length > 0.0, "{name} has no gradient");
            let at = |by: f64| {
                let mut moved = weights.clone();
                for (weight, g) in slot.of_mut(&mut moved).iter_mut().zip(own) {
                    *weight += (by * f64::from(*g) / length) as f32;
                }
                loss(&moved)
            };
            // Rounding spoils small steps, a corner of the network within them large ones.
            let slopes = [4e-3, 1e-3, 2.5e-4].map(|step| (at(step) - at(-step)) / (2.0 * step));
            let right = |slope: f64| (slope - length).abs() <= 0.03 * length + 5e-4;
            assert!(slopes.into_iter().any(right), "{name}: {slopes:?} {length}");
        }
    }
}

/// Of the whole contrastive step, along the gradient itself.
#[test]
fn a_contrastive_step_goes_downhill_as_fast_as_it_says() {
    for config in configs() {
        let layout = Layout::new(&config);
        let weights = weights(&layout);
        let views: Vec<Prepared> = items(&config).into_iter().map(|i| i.pair).collect();
        let native = CpuBackend::new(config);
        let result = native.contrast(&weights, &views, 0.5);
        let length = result.gradients.iter().map(|g| g * g).sum::<f32>().sqrt();
        let step = 1e-2 / length;
        let at = |by: f32| {
            let moved: Vec<f32> = weights.iter().zip(&result.gradients).map(|(w, g)| w + by * g).collect();
            native.contrast(&moved, &views, 0.5).loss
        };
        let slope = (at(step) - at(-step)) / (2.0 * step);
        let expected = length * length;
        assert!((slope / expected - 1.0).abs() < 0.05, "{slope} {expected}");
    }
}

/// Steps of a learner on burn's device move weights, moments and average as those on a CPU do.
#[test]
fn learners_take_the_same_steps() {
    let config = small_config();
    let start = Learned::new(weights(&Layout::new(&config)));
    let train = TrainConfig { clip_norm: 0.5, weight_decay: 1e-3, ..TrainConfig::default() };
    let stride = Stride { optimiser: train.optimiser(), rate: 1e-3, ema_decay: 0.9 };
    let lesson = || Lesson::Pairs(items(&config));
    let native = taken(&CpuBackend::new(config.clone()), &start, lesson, &stride);
    let burn = taken(&on_burn(config.clone()), &start, lesson, &stride);
    let lists = |learned: Learned| [learned.weights, learned.average, learned.first, learned.second];
    let moved = native.weights.iter().zip(&start.weights).any(|(a, b)| (a - b).abs() > 1e-3);
    assert!(moved && native.step == 3 && burn.step == 3);
    // Adam divides a gradient by its own size: where it is nearly zero, rounding decides the direction.
    for (a, b) in lists(native).iter().zip(&lists(burn)) {
        let apart = a.iter().zip(b).filter(|(a, b)| (*a - *b).abs() > 1e-4).count();
        assert!(apart * 100 <= a.len(), "{apart} of {} differ", a.len());
    }
}

/// Three steps of the same lesson.
fn taken<B: Backend>(backend: &B, start: &Learned, lesson: impl Fn() -> Lesson, stride: &Stride) -> Learned {
    let mut learner = backend.learner(start);
    for _ in 0..3 {
        backend.step(&mut learner, backend.batch(lesson()), stride);
    }
    assert!(backend.said(&mut learner).loss > 0.0);
    backend.learned(&learner)
}

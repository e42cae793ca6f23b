//! Adam (Kingma and Ba, 2015) over the flat weights, and the course of its learning rate.

use crate::config::{Optimiser, Schedule};

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// Moments of the gradients.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Adam {
    pub(crate) first: Vec<f32>,
    pub(crate) second: Vec<f32>,
    /// Steps taken.
    pub(crate) step: u64,
}

/// What a step moves.
#[derive(Debug, Clone)]
pub(crate) struct Learner {
    pub(crate) weights: Vec<f32>,
    pub(crate) adam: Adam,
}

impl Learner {
    pub(crate) fn new(weights: Vec<f32>) -> Learner {
        Learner { adam: Adam::new(weights.len()), weights }
    }
}

impl Adam {
    pub(crate) fn new(parameters: usize) -> Adam {
        Adam { first: vec![0.0; parameters], second: vec![0.0; parameters], step: 0 }
    }

    /// One step: gradients are cut to a length, clipped by value, and the L2 penalty is added.
    pub(crate) fn update(&mut self, weights: &mut [f32], gradients: &[f32], rate: f32, config: &Optimiser) {
        self.step += 1;
        let t = self.step.min(i32::MAX as u64) as i32;
        let correct1 = 1.0 / (1.0 - BETA1.powi(t));
        let correct2 = 1.0 / (1.0 - BETA2.powi(t));
        let decay = config.weight_decay as f32;
        let clip = config.clip_value;
        let scale = shortening(gradients, config.clip_norm);
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((weight, &gradient), (m, v)) in weights.iter_mut().zip(gradients).zip(moments) {
            let g = (scale * gradient).clamp(-clip, clip) + decay * *weight;
            *m = BETA1 * *m + (1.0 - BETA1) * g;
            *v = BETA2 * *v + (1.0 - BETA2) * g * g;
            *weight -= rate * (*m * correct1) / ((*v * correct2).sqrt() + EPSILON);
        }
    }
}

/// The factor that cuts gradients to a Euclidean length (Pascanu, Mikolov and Bengio, 2013); 1 of shorter ones,
/// and where there is no such length.
fn shortening(gradients: &[f32], longest: f32) -> f32 {
    if longest == 0.0 {
        return 1.0;
    }
    let squared: f64 = gradients.iter().map(|&g| f64::from(g) * f64::from(g)).sum();
    (f64::from(longest) / squared.sqrt()).min(1.0) as f32
}

/// Learning rate of a step: linear warm-up, then the schedule. `progress` is the share of all
/// steps that is done, `halvings` counts the plateau's.
pub(crate) fn learning_rate(config: &Optimiser, step: u64, progress: f64, halvings: u32) -> f32 {
    let warmup = config.warmup_steps as f64;
    let rise = ((step + 1) as f64 / (warmup + 1.0)).min(1.0);
    let course = match config.schedule {
        Schedule::Constant => 1.0,
        Schedule::Cosine => {
            let wave = 0.5 * (1.0 + (std::f64::consts::PI * progress.clamp(0.0, 1.0)).cos());
            0.01 + 0.99 * wave
        }
        Schedule::Plateau => 0.5f64.powi(halvings.min(30) as i32),
    };
    (config.learning_rate * rise * course) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TrainConfig;

    #[test]
    fn long_gradients_are_cut_and_short_ones_left() {
        assert_eq!(shortening(&[3.0, 4.0], 1.0), 0.2);
        assert_eq!(shortening(&[3.0, 4.0], 5.0), 1.0);
        assert_eq!(shortening(&[3.0, 4.0], 0.0), 1.0);
        assert_eq!(shortening(&[0.0, 0.0], 1.0), 1.0);
        // Squares that 32 bits cannot hold.
        assert!((shortening(&[3e30, 4e30], 5.0) / 1e-30 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn one_long_gradient_hardly_moves_the_weights() {
        let moved = |clip_norm| {
            let config = TrainConfig { clip_norm, weight_decay: 0.0, ..TrainConfig::default() }.optimiser();
            let (mut adam, mut weights) = (Adam::new(1), [0.0]);
            for step in 0..300 {
                let turn = if step % 2 == 0 { 0.01 } else { -0.01 };
                let gradient = if step == 200 { 5.0 } else { turn };
                adam.update(&mut weights, &[gradient], 1e-3, &config);
            }
            weights[0].abs()
        };
        assert!(moved(0.02) < 0.25 * moved(0.0), "{} {}", moved(0.02), moved(0.0));
    }
}

//! Adam (Kingma and Ba, 2015) over the flat weights, and the course of its learning rate.

use crate::config::{Optimiser, Schedule};

pub(crate) const BETA1: f32 = 0.9;
pub(crate) const BETA2: f32 = 0.999;
pub(crate) const EPSILON: f32 = 1e-8;

/// What steps move, and how many there were.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Learned {
    pub(crate) weights: Vec<f32>,
    /// The moving average of the weights; they themselves where there is none.
    pub(crate) average: Vec<f32>,
    /// Moments of the gradients.
    pub(crate) first: Vec<f32>,
    pub(crate) second: Vec<f32>,
    /// Steps taken.
    pub(crate) step: u64,
}

/// How a step moves weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stride {
    pub(crate) optimiser: Optimiser,
    /// The learning rate.
    pub(crate) rate: f32,
    /// Decay of the average; 0 for none.
    pub(crate) ema_decay: f64,
}

/// The factors that correct the moments of the first steps for having begun at zero.
pub(crate) fn corrections(step: u64) -> [f32; 2] {
    let t = step.min(i32::MAX as u64) as i32;
    [BETA1, BETA2].map(|beta| 1.0 / (1.0 - beta.powi(t)))
}

/// The decay of the average after so many steps. It starts low, so that short runs are averaged over recent steps only.
pub(crate) fn decay(ema_decay: f64, step: u64) -> f32 {
    let step = step as f64;
    ema_decay.min((1.0 + step) / (10.0 + step)) as f32
}

impl Learned {
    /// Before any step.
    pub(crate) fn new(weights: Vec<f32>) -> Learned {
        let zeros = vec![0.0; weights.len()];
        Learned { average: weights.clone(), first: zeros.clone(), second: zeros, weights, step: 0 }
    }

    /// One step: gradients are cut to a length, clipped by value, and the L2 penalty is added.
    pub(crate) fn update(&mut self, gradients: &[f32], stride: &Stride) {
        self.step += 1;
        let [correct1, correct2] = corrections(self.step);
        let config = &stride.optimiser;
        let penalty = config.weight_decay as f32;
        let clip = config.clip_value;
        let scale = shortening(gradients, config.clip_norm);
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((weight, &gradient), (m, v)) in self.weights.iter_mut().zip(gradients).zip(moments) {
            let g = (scale * gradient).clamp(-clip, clip) + penalty * *weight;
            *m = BETA1 * *m + (1.0 - BETA1) * g;
            *v = BETA2 * *v + (1.0 - BETA2) * g * g;
            *weight -= stride.rate * (*m * correct1) / ((*v * correct2).sqrt() + EPSILON);
        }
        if stride.ema_decay > 0.0 {
            let decay = decay(stride.ema_decay, self.step);
            for (mean, &weight) in self.average.iter_mut().zip(&self.weights) {
                *mean = weight + decay * (*mean - weight);
            }
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
            let optimiser =
                TrainConfig { clip_norm, weight_decay: 0.0, ..TrainConfig::default() }.optimiser();
            let stride = Stride { optimiser, rate: 1e-3, ema_decay: 0.0 };
            let mut learned = Learned::new(vec![0.0]);
            for step in 0..300 {
                let turn = if step % 2 == 0 { 0.01 } else { -0.01 };
                let gradient = if step == 200 { 5.0 } else { turn };
                learned.update(&[gradient], &stride);
            }
            learned.weights[0].abs()
        };
        assert!(moved(0.02) < 0.25 * moved(0.0), "{} {}", moved(0.02), moved(0.0));
    }
}

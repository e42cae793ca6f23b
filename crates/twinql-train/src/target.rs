//! What a labelled pair should become: where its squared distance should lie, and what it costs to lie elsewhere.

use twinql_gmn::prepare::Prepared;

use crate::config::TrainConfig;

/// A pair with its target.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) pair: Prepared,
    /// Where its squared distance should lie.
    pub(crate) target: Target,
    /// Weight in the loss.
    pub(crate) weight: f32,
}

/// Where a squared distance d² should lie: relu(least − d²) + relu(d² − most) + weight · |d² − at| + the
/// cross-entropy of a chance and of what d² says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Target {
    /// −∞ where there is no lower bound.
    pub(crate) least: f32,
    /// ∞ where there is no upper bound.
    pub(crate) most: f32,
    /// Of a graded pair, the distance that says how easily databases tell it apart.
    pub(crate) at: f32,
    /// What the grade counts against the bounds; 0 of a pair without one.
    pub(crate) weight: f32,
    /// The probability of equivalence that the pair should have, in place of bounds.
    pub(crate) chance: Option<f32>,
}

/// What a squared distance of one more takes from the log odds of equivalence, which are even at 1. Networks
/// that were trained with bounds are calibrated with about this slope there.
pub(crate) const ODDS_OF_A_DISTANCE: f32 = 5.0;

/// A published label comes of about so many databases.
const PLAIN_DATABASES: i32 = 8;

const UNBOUNDED: Target =
    Target { least: f32::NEG_INFINITY, most: f32::INFINITY, at: 0.0, weight: 0.0, chance: None };

/// What is known of a pair whatever a network says: see the fields of [`Example`](crate::Example).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Known {
    pub(crate) label: bool,
    pub(crate) ease: Option<f32>,
    pub(crate) share: Option<f32>,
}

impl Target {
    /// γ − y(1 − d²) ≤ 0 (FuncEvalGMN, its loss): d² ≤ 1 − γ of equivalent pairs, d² ≥ 1 + γ of
    /// others, which the configuration may rank beyond that by their ease. Where there are teachers, a chance
    /// between the label, which may be softened by how rarely plain databases tell the pair apart, and what
    /// they say (Hinton, Vinyals and Dean, 2015). A pair whose share is known always has a chance.
    pub(crate) fn new(config: &TrainConfig, known: Known, taught: Option<f32>) -> Target {
        let Known { label, ease, share } = known;
        if !config.teachers.is_empty() || share.is_some() {
            let told = match (share, label, ease) {
                (Some(share), _, _) => share,
                (None, true, _) => 1.0,
                (None, false, Some(ease)) => config.plain_share * (1.0 - ease).powi(PLAIN_DATABASES),
                (None, false, None) => 0.0,
            };
            let share = config.teacher_share;
            return Target {
                chance: Some(taught.map_or(told, |taught| share * taught + (1.0 - share) * told)),
                ..UNBOUNDED
            };
        }
        let (near, far) = (1.0 - config.margin, 1.0 + config.margin);
        if label {
            return Target { most: near, ..UNBOUNDED };
        }
        let graded = ease.filter(|_| config.ease_margin > 0.0);
        Target {
            least: far,
            at: graded.map_or(0.0, |ease| far + config.ease_margin * ease),
            weight: graded.map_or(0.0, |_| config.ease_weight),
            ..UNBOUNDED
        }
    }

    /// The loss of a squared distance and its slope there.
    pub(crate) fn loss(self, squared: f32) -> (f32, f32) {
        let (mut loss, mut slope) = if squared < self.least {
            (self.least - squared, -1.0)
        } else if squared > self.most {
            (squared - self.most, 1.0)
        } else {
            (0.0, 0.0)
        };
        if self.weight > 0.0 {
            loss += self.weight * (squared - self.at).abs();
            slope += self.weight * (squared - self.at).signum();
        }
        if let Some(chance) = self.chance {
            let odds = ODDS_OF_A_DISTANCE * (1.0 - squared);
            // ln(1 + e^x) without overflow. Slopes are at most 1, as those of bounds.
            let spread = odds.max(0.0) + (-odds.abs()).exp().ln_1p();
            loss += (spread - chance * odds) / ODDS_OF_A_DISTANCE;
            slope += chance - 1.0 / (1.0 + (-odds).exp());
        }
        // A distance that is not a number must show.
        if squared.is_nan() { (f32::NAN, f32::NAN) } else { (loss, slope) }
    }
}

/// What the weights of a batch sum to: the divisor of each pair's share in the loss.
pub(crate) fn total_weight(items: &[Item]) -> f32 {
    items.iter().map(|i| i.weight).sum::<f32>().max(f32::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses(config: &TrainConfig, label: bool, ease: Option<f32>) -> [f32; 6] {
        let target = Target::new(config, Known { label, ease, share: None }, None);
        [0.0, 0.6, 1.0, 1.4, 2.0, 3.0].map(|squared| target.loss(squared).0)
    }

    fn near(a: [f32; 6], b: [f32; 6]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6)
    }

    /// relu(γ − y(1 − d²)) with γ = 0.4.
    #[test]
    fn ungraded_targets_are_the_papers_loss() {
        let config = TrainConfig::default();
        let same = losses(&config, true, None);
        assert!(near(same, [0.0, 0.0, 0.4, 0.8, 1.4, 2.4]), "{same:?}");
        let far = [1.4, 0.8, 0.4, 0.0, 0.0, 0.0];
        assert!(near(losses(&config, false, None), far));
        // Without an ease margin the ease says nothing.
        assert!(near(losses(&config, false, Some(0.5)), far));
    }

    #[test]
    fn graded_targets_rank_pairs_that_differ_beyond_those_that_do_not() {
        let config = TrainConfig { ease_margin: 1.6, ease_weight: 0.5, ..TrainConfig::default() };
        let hard = losses(&config, false, Some(0.0));
        assert!(near(hard, [2.1, 1.2, 0.6, 0.0, 0.3, 0.8]), "{hard:?}");
        let easy = losses(&config, false, Some(1.0));
        assert!(near(easy, [2.9, 2.0, 1.4, 0.8, 0.5, 0.0]), "{easy:?}");
        let known = |ease| Known { label: false, ease: Some(ease), share: None };
        let slope = |ease, squared| Target::new(&config, known(ease), None).loss(squared).1;
        assert_eq!((slope(1.0, 1.0), slope(1.0, 2.0), slope(0.0, 2.0)), (-1.5, -0.5, 0.5));
        let plain = TrainConfig::default();
        assert_eq!(losses(&config, false, None), losses(&plain, false, None));
        assert_eq!(losses(&config, true, Some(0.5)), losses(&plain, true, None));
    }

    #[test]
    fn taught_pairs_have_a_chance_between_label_and_teachers() {
        let config = TrainConfig {
            ease_margin: 1.6,
            teachers: vec!["teacher".into()],
            teacher_share: 0.75,
            ..TrainConfig::default()
        };
        let known = |label, ease| Known { label, ease, share: None };
        let target = |label, taught| Target::new(&config, known(label, Some(1.0)), taught);
        assert_eq!(target(true, Some(0.2)).chance, Some(0.4));
        assert_eq!(target(false, Some(0.2)).chance, Some(0.15));
        // The teachers could not read it.
        assert_eq!(target(true, None).chance, Some(1.0));
        // What few plain databases tell apart is softened where asked for, and only there.
        let softened = TrainConfig { plain_share: 0.4, ..config.clone() };
        let chance = |label, ease| {
            let target = Target::new(&softened, known(label, ease), Some(0.2));
            (target.chance.unwrap_or(f32::NAN) * 1e4).round()
        };
        assert_eq!(chance(false, Some(0.0)), 2500.0);
        assert_eq!(chance(false, Some(0.5)), 1504.0);
        assert_eq!(chance(false, Some(1.0)), 1500.0);
        assert_eq!(chance(false, None), 1500.0);
        assert_eq!(chance(true, Some(0.0)), 4000.0);
        // The loss is least where d² says the chance, and its slope is that of the loss.
        let taught = target(true, Some(0.2));
        let said = 1.0 - (0.4f32 / 0.6).ln() / ODDS_OF_A_DISTANCE;
        assert!(taught.loss(said).1.abs() < 1e-6);
        for squared in [0.0, 0.5, 1.0, 1.5, 3.0, 40.0] {
            let rise = taught.loss(squared + 0.01).0 - taught.loss(squared - 0.01).0;
            assert!((rise / 0.02 - taught.loss(squared).1).abs() < 1e-3, "{squared}");
        }
        let far = taught.loss(1e30);
        assert!(far.0.is_finite() && (far.1 - 0.4).abs() < 1e-6, "{far:?}");
    }

    #[test]
    fn a_known_share_is_the_chance_whatever_the_label() {
        let known = Known { label: true, ease: Some(0.5), share: Some(0.25) };
        let alone = Target::new(&TrainConfig::default(), known, None);
        assert_eq!((alone.chance, alone.weight), (Some(0.25), 0.0));
        let config = TrainConfig { teachers: vec!["teacher".into()], ..TrainConfig::default() };
        let config = TrainConfig { teacher_share: 0.5, plain_share: 0.4, ..config };
        assert_eq!(Target::new(&config, known, Some(0.75)).chance, Some(0.5));
        assert_eq!(Target::new(&config, known, None).chance, Some(0.25));
    }

    /// Whatever bounds, grade and chance a target has: both executions of the network go back from these slopes.
    #[test]
    fn slopes_are_finite_differences() {
        let configs = [
            TrainConfig::default(),
            TrainConfig { ease_margin: 1.6, ease_weight: 0.5, ..TrainConfig::default() },
            TrainConfig { teachers: vec!["teacher".into()], plain_share: 0.4, ..TrainConfig::default() },
        ];
        for config in &configs {
            for (label, ease) in [(true, None), (false, None), (false, Some(0.3)), (false, Some(1.0))] {
                let target = Target::new(config, Known { label, ease, share: None }, Some(0.35));
                // None of these lies at a corner of the loss.
                for squared in [0.05, 0.5, 0.93, 1.21, 1.7, 2.53, 6.0] {
                    let rise = target.loss(squared + 4e-3).0 - target.loss(squared - 4e-3).0;
                    let slope = target.loss(squared).1;
                    assert!((rise / 8e-3 - slope).abs() < 2e-3, "{target:?} at {squared}: {slope}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_shows() {
        let known = Known { label: true, ease: None, share: None };
        let target = Target::new(&TrainConfig::default(), known, None);
        assert!(target.loss(f32::NAN).0.is_nan());
    }
}

//! The normal distribution, as far as tests and intervals need it.

use libm::erfc;

/// The chance that a standard normal variable lies at least as far from 0 as `z`.
pub(crate) fn two_sided(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// The `z` within which a standard normal variable lies with probability `level`: 1.96 for 0.95.
pub(crate) fn within(level: f64) -> f64 {
    let outside = 1.0 - level.clamp(0.0, 1.0 - 1e-12);
    let (mut low, mut high) = (0.0, 8.0);
    // Each step halves the bracket: 60 of them leave less than a double tells apart.
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if two_sided(middle) > outside { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// The chance that a standard normal variable lies below `z`.
pub(crate) fn below(z: f64) -> f64 {
    erfc(-z / std::f64::consts::SQRT_2) / 2.0
}

/// The density of a standard normal variable at `z`.
pub(crate) fn density(z: f64) -> f64 {
    (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// The `z` below which a standard normal variable lies with probability `p`; at the most 8 standard deviations off.
pub(crate) fn quantile(p: f64) -> f64 {
    let side = if p < 0.5 { -1.0 } else { 1.0 };
    side * within((2.0 * p - 1.0).abs())
}

/// A standard normal variable of two uniform ones between 0 and 1 (Box and Muller 1958).
pub(crate) fn normal_of(one: f64, other: f64) -> f64 {
    (-2.0 * libm::log(one.max(f64::MIN_POSITIVE))).sqrt() * libm::cos(2.0 * std::f64::consts::PI * other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_the_tables() {
        assert!((within(0.95) - 1.959_963_985).abs() < 1e-8);
        assert!((within(0.99) - 2.575_829_304).abs() < 1e-8);
        assert!((two_sided(1.959_963_985) - 0.05).abs() < 1e-9);
        assert!((two_sided(0.0) - 1.0).abs() < 1e-12 && within(0.0) < 1e-12);
        assert!(
            (quantile(0.975) - 1.959_963_985).abs() < 1e-8 && (quantile(0.05) + 1.644_853_627).abs() < 1e-8
        );
        assert!((below(1.644_853_627) - 0.95).abs() < 1e-9 && (density(0.0) - 0.398_942_280).abs() < 1e-9);
        assert!(quantile(0.0) < -6.0 && quantile(1.0) > 6.0 && quantile(0.5).abs() < 1e-9);
        assert!(normal_of(0.5, 0.0) > 1.17 && normal_of(0.5, 0.5) < -1.17 && normal_of(0.0, 0.2).is_finite());
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_the_tables() {
        assert!((within(0.95) - 1.959_963_985).abs() < 1e-8);
        assert!((within(0.99) - 2.575_829_304).abs() < 1e-8);
        assert!((two_sided(1.959_963_985) - 0.05).abs() < 1e-9);
        assert!((two_sided(0.0) - 1.0).abs() < 1e-12 && within(0.0) < 1e-12);
    }
}

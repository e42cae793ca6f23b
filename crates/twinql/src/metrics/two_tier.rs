//! Proofs, then the network.

use twinql_gmn::Cascade;

use super::*;
use crate::families::cascade;

/// `two-tier`.
pub static TWO_TIER: Metric = Metric {
    name: "two-tier",
    kind: ScoreKind::Continuous,
    threshold: 0.5,
    summary: "proof, and the network where nothing is proved: a calibrated probability",
    source: "`proof`, then `gmn`",
    needs: &[Need::Network, Need::Tiers],
    settings: &[Setting::Checkpoint, Setting::Probe],
    cost: Cost::Low,
    score: Score::Batch(|s, m, b, r| cascade::score(Cascade::Proof, s, m, b, r)),
    signature: |setup| [setup.signed_question(), setup.signed_probe()].concat(),
    examples: [
        Example::new("SELECT COUNT(*) FROM pet", "SELECT COUNT(id) FROM pet", 0.9985229),
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT name FROM owner WHERE age >= 30",
            0.0005553,
        ),
    ],
    further: Further {
        boundary: Some(|setup| {
            setup.corrected_boundary().or_else(|| cascade::boundary(Cascade::Proof, setup))
        }),
        claim: Some(Claim {
            made: |_, record| cascade::is_proved(&TWO_TIER, record),
            refuted: |setup, by, record| cascade::refuted(&TWO_TIER, setup, by, record),
        }),
        ..Further::NONE
    },
};

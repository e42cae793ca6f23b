//! Proofs, then execution, then the network.

use twinql_gmn::Cascade;

use super::*;
use crate::families::cascade;

/// `three-tier`.
pub static THREE_TIER: Metric = Metric {
    name: "three-tier",
    kind: ScoreKind::Continuous,
    threshold: 0.5,
    summary: "proof, then test suite, and the network where no database separates them: a calibrated probability",
    source: "`proof`, then `suite`, then `gmn`",
    needs: &[Need::Network, Need::Tiers],
    settings: &[Setting::Checkpoint, Setting::Databases],
    cost: Cost::High,
    score: Score::Batch(|s, m, b, r| cascade::score(Cascade::ProofAndSuite, s, m, b, r)),
    signature: Setup::signed_suite,
    examples: [
        Example::new("SELECT COUNT(*) FROM pet", "SELECT COUNT(id) FROM pet", 0.9985229),
        Example::new(
            "SELECT name FROM owner WHERE age > 30",
            "SELECT name FROM owner WHERE age >= 30",
            0.00711809,
        ),
    ],
    further: Further {
        boundary: Some(|setup| cascade::boundary(Cascade::ProofAndSuite, setup)),
        claim: Some(Claim {
            made: |_, record| cascade::is_proved(&THREE_TIER, record),
            refuted: |setup, by, record| cascade::refuted(&THREE_TIER, setup, by, record),
        }),
        ..Further::NONE
    },
};

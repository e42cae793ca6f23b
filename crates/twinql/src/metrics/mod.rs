//! The metrics: one file for each, and one line here. What an entry says is in `metric.rs`; what metrics compute
//! with, and the statistics that compare them, is the crate `twinql-metrics`, whose items this module has as well.

pub use twinql_metrics::*;

use crate::batch::Batch;
pub use crate::metric::*;
use crate::record::Record;
use crate::setup::Setup;

/// Declares the file of each metric and lists its entry.
macro_rules! metrics {
    ($($file:ident :: $entry:ident,)*) => {
        $(mod $file;)*
        $(pub use $file::$entry;)*

        /// All metrics, in the order in which they are listed.
        pub static METRICS: &[&Metric] = &[$(&$entry,)*];
    };
}

metrics! {
    gmn::GMN,
    suite::SUITE,
    relpm::RELPM,
    proof::PROOF,
    two_tier::TWO_TIER,
    three_tier::THREE_TIER,
    expected_ex::EXPECTED_EX,
    ex::EX,
    exact::EXACT,
    astpm::ASTPM,
    bleu::BLEU,
    crystalbleu::CRYSTALBLEU,
    codebleu::CODEBLEU,
    codebleu_rot::CODEBLEU_ROT,
    execution::EXECUTION,
    bird_ex::BIRD_EX,
    ves::VES,
    r_ves::R_VES,
    soft_f1::SOFT_F1,
    soft_f1_repaired::SOFT_F1_REPAIRED,
    esm_official::ESM_OFFICIAL,
    esm::ESM,
    esm_values::ESM_VALUES,
    components::COMPONENTS,
    esm_plus::ESM_PLUS,
    esm_plus_published::ESM_PLUS_PUBLISHED,
    conjunctive::CONJUNCTIVE,
}

#![doc = include_str!("../README.md")]
//!
//! Scores may lie in any range, labels are booleans; [`Undefined`] says why there is no value.

mod bootstrap;
mod calibration;
mod classic;
mod confusion;
mod delong;
mod error;
mod estimate;
mod hardness;
mod interactions;
mod keywords;
mod normal;
mod precision;
mod rank;
mod roc;
mod roc_band;
mod significance;
mod systems;
mod template;

pub use bootstrap::{Interval, Resampling, bootstrap, resample};
pub use calibration::{Bin, ECE_BINS, brier, ece, reliability};
pub use classic::{
    ESM_RULES, EsmRule, Pair, Scored, Side, TRIVIAL, TrivialNgrams, UnknownEsmRule, WithoutRules, bleu,
    clauses_match, code_bleu, components, crystal_bleu, esm_plus, esm_plus_published, exact_set_match,
    same_tokens,
};
pub use confusion::{BestThreshold, Confusion, Cut, best_threshold, cuts};
pub use delong::{DeLong, delong};
pub use error::Undefined;
pub use estimate::{
    Accuracy, Answer, Estimates, Guess, Lead, Outcome, Together, between_databases, estimates, prior,
    reweighed,
};
pub use hardness::{Counts, Hardness, counts, hardness};
pub use interactions::{Interactions, OfInteractions};
pub use keywords::{Keyword, KeywordSet, UnknownKeyword, keywords};
pub use precision::{PrecisionPoint, average_precision, precision_recall_curve};
pub use rank::{kendall_tau_b, pearson, ranks, spearman};
pub use roc::{RocPoint, auc, roc_curve};
pub use roc_band::{BandPoint, roc_band};
pub use significance::{holm, paired_randomisation, wilson};
pub use systems::{ALL, Column, Comparison, Contest, Disagreement, Ranking, Spread, Standing, Systems};
pub use template::{Alike, template, token_count};

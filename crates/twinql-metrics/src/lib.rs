//! Classic metrics, and the statistics that compare metrics.
//!
//! Statistics take plain slices, `scores` in any range and `labels` as booleans, and
//! return [`Undefined`] with the reason where they have no value.
//!
//! ```
//! use twinql_metrics::{auc, kendall_tau_b};
//! let scores = [0.9, 0.8, 0.3, 0.1];
//! let labels = [true, false, true, false];
//! assert_eq!(auc(&scores, &labels), Ok(0.75));
//! assert!(kendall_tau_b(&scores, &[1.0, 0.0, 1.0, 0.0]).is_ok_and(|t| t > 0.0));
//! ```

mod bootstrap;
mod calibration;
mod confusion;
mod error;
mod hardness;
mod rank;
mod registry;
mod roc;
mod roc_band;

pub use bootstrap::{Difference, Interval, Resampling, bootstrap, paired_difference, resample};
pub use calibration::{Bin, ECE_BINS, brier, ece, reliability};
pub use confusion::{BestThreshold, Confusion, Cut, best_threshold, cuts};
pub use error::Undefined;
pub use hardness::{Counts, Hardness, counts, hardness};
pub use rank::{kendall_tau_b, pearson, ranks, spearman};
pub use registry::{METRICS, MetricId, MetricInfo, ScoreKind, SemanticsOf, metric};
pub use roc::{RocPoint, auc, roc_curve};
pub use roc_band::{BandPoint, roc_band};

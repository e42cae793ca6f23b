//! Proofs against the truth, on real queries: golds, their neighbours and twists, and predictions beside their golds. No pair
//! that is proved equal may be told apart by a tiny database.
//!
//! `truth golds|pairs --data DIR [--step 1] [--offset 0] [--databases 400] [--neighbours 24] [--across 24] [--seed 8]`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use twinql::Schema;
use twinql::corpus::spider::read_gold;
use twinql_suite::Semantics;
use twinql_suite::truth::{Finder, Hunt, Tally};

use crate::inputs::{Schemas, schemas};
use crate::soundness::lines::{PAIRED, families};
use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "truth",
    about: "proofs against tiny databases, on real queries and what is made of them",
    usage: "golds|pairs --data DIR [--step N] [--offset N] [--databases N] [--neighbours N] [--across N] [--seed N]",
    run,
};

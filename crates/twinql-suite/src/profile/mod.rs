//! Profiles: what may be shared of a database that may not be touched, and how it is read and checked.
//!
//! A profile holds counts, shares, ranges, shapes, keys and references that hold in fact; never a row, and values
//! of texts only where they were asked for. [`measure`](measure()) makes one of a SQLite file and [`from_pg_stats`] of
//! PostgreSQL's own statistics; [`Profile::bind`] checks it against a schema; plausible databases follow what
//! that gives ([`Plausible::following`](crate::plausible::Plausible::following)).

mod bind;
mod csv;
mod format;
mod measure;
mod pg_stats;
mod references;
mod sample;
mod shape;
mod sheet;

pub use bind::{Bound, BoundReference, BoundTable};
pub use format::{
    ColumnProfile, Common, Extremes, FORMAT, Profile, ProfileError, ReferenceProfile, ShapeShare,
    TableProfile, VERSION, json_schema,
};
pub use measure::{MeasureConfig, Measured, measure};
pub use pg_stats::{PgStats, from_pg_stats};

/// How many evenly spaced points a spread is given by: the smallest value, the largest, and those between.
pub(crate) const POINTS: usize = 9;

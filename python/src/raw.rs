//! A pair as Python or Arrow gives it.

use std::sync::Arc;

use twinql::Schema;
use twinql::corpus::pairs::Draft;

/// The fields of a pair that mean something here.
pub(crate) const FIELDS: [&str; 10] =
    ["id", "db_id", "schema", "gold", "sql1", "pred", "sql2", "gold_dialect", "pred_dialect", "label"];

/// A pair as it came.
#[derive(Default)]
pub(crate) struct Raw {
    pub(crate) draft: Draft,
    /// Its schema, where that was an object or is known.
    pub(crate) schema: Option<Arc<Schema>>,
}

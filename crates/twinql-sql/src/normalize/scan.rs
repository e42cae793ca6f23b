//! The columns of a scan: what a produced id is in the schema, and the reverse.
//!
//! Rules that take one scan for another of the same table (self-joins, redundant scans, unions of
//! filters) match their columns by position in the table: ids differ, positions do not.

use crate::expr::Expr;
use crate::rel::{ColumnId, Rel};
use crate::substitution::Substitution;

/// Produced ids with column positions, as a scan has them.
pub(super) type ScanColumns = Vec<(ColumnId, usize)>;

/// The position in the table of a column that the scan produces.
pub(super) fn position(columns: &[(ColumnId, usize)], c: ColumnId) -> Option<usize> {
    columns.iter().find(|(id, _)| *id == c).map(|(_, at)| *at)
}

/// The column that the scan produces for this position in the table.
pub(super) fn column_at(columns: &[(ColumnId, usize)], position: usize) -> Option<ColumnId> {
    columns.iter().find(|(_, at)| *at == position).map(|(c, _)| *c)
}

/// What the columns of one scan are called in another one of its table; none where that lacks one of them.
pub(super) fn images(columns: &[(ColumnId, usize)], other: &[(ColumnId, usize)]) -> Option<Substitution> {
    columns.iter().map(|(c, at)| Some((*c, Expr::Column(column_at(other, *at)?)))).collect()
}

/// The scans whose columns a relation produces.
pub(super) fn visible_scans(rel: &Rel, into: &mut Vec<(usize, ScanColumns)>) {
    match rel {
        Rel::Scan { table, columns } => into.push((*table, columns.clone())),
        Rel::Project { .. } | Rel::Aggregate { .. } => {}
        _ => rel.inputs().into_iter().for_each(|r| visible_scans(r, into)),
    }
}

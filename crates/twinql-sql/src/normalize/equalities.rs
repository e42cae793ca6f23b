//! Columns that conjuncts make equal, and columns that they set to a constant.

use super::context::Context;
use crate::classes::Classes;
use crate::expr::Expr;
use crate::rel::ColumnId;
use crate::schema::Affinity;
use crate::value::Value;

/// The class of a column, among classes of equal ones; none where it is equal to itself alone.
pub(crate) fn class_of(classes: &[Vec<ColumnId>], c: ColumnId) -> Option<&[ColumnId]> {
    classes.iter().find(|class| class.contains(&c)).map(Vec::as_slice)
}

impl Context<'_> {
    /// The two columns of `a = b`, if they are stored alike.
    pub(crate) fn column_equality(&self, e: &Expr) -> Option<(ColumnId, ColumnId)> {
        let (a, b) = e.as_column_equality()?;
        (a != b && self.same_storage(a, b)).then_some((a, b))
    }

    /// Classes of columns that the conjuncts make equal.
    pub(crate) fn equal_columns(&self, on: &[Expr]) -> Vec<Vec<ColumnId>> {
        self.joined(on).into_lists()
    }

    /// [`Context::equal_columns`], with the columns that equal the same constant in one class.
    pub(crate) fn known_equal(&self, on: &[Expr]) -> Vec<Vec<ColumnId>> {
        let constants: Vec<(ColumnId, &Value)> = on.iter().filter_map(|e| self.pinned(e)).collect();
        let mut classes = self.joined(on);
        for (i, (a, v)) in constants.iter().enumerate() {
            if let Some((b, _)) = constants.iter().skip(i + 1).find(|(_, w)| w == v)
                && a != b
                && self.same_storage(*a, *b)
            {
                classes.join(*a, *b);
            }
        }
        classes.into_lists()
    }

    /// The classes that equalities of columns make; the least that contain them all.
    fn joined(&self, on: &[Expr]) -> Classes<ColumnId> {
        let mut classes = Classes::default();
        for (a, b) in on.iter().filter_map(|e| self.column_equality(e)) {
            classes.join(a, b);
        }
        classes
    }

    /// The column and the constant of `c = constant`, if equal means the same value.
    pub(crate) fn pinned<'e>(&self, e: &'e Expr) -> Option<(ColumnId, &'e Value)> {
        let (c, v) = match e.as_equality()? {
            (Expr::Column(c), Expr::Literal(v)) | (Expr::Literal(v), Expr::Column(c)) => (*c, v),
            _ => return None,
        };
        let same = matches!(
            (self.column_affinity(c)?, v),
            (Affinity::Integer | Affinity::Numeric, Value::Integer(_)) | (Affinity::Text, Value::Text(_))
        );
        same.then_some((c, v))
    }
}

//! Clauses that the parser knows and that have no plan: they are refused by name, with
//! their place, and never passed over.

use sqlparser::ast::{Ident, Spanned};

use super::{Result, unsupported};

/// What may be absent from a node of the AST.
pub(crate) trait Clause {
    /// Whether it stands in the text.
    fn is_present(&self) -> bool;
}

impl<T> Clause for Option<T> {
    fn is_present(&self) -> bool {
        self.is_some()
    }
}

impl<T> Clause for Vec<T> {
    fn is_present(&self) -> bool {
        !self.is_empty()
    }
}

impl Clause for bool {
    fn is_present(&self) -> bool {
        *self
    }
}

/// Refuses `clause`, called `name`, if it stands in the text at `at`.
pub(crate) fn refuse_present(clause: &impl Clause, name: &str, at: &impl Spanned) -> Result<()> {
    if clause.is_present() {
        return unsupported(name, at.span());
    }
    Ok(())
}

/// [`refuse_present`] beside a name.
pub(crate) fn refuse_beside(clause: &impl Clause, what: &str, name: &Ident) -> Result<()> {
    if clause.is_present() {
        return unsupported(what, name.span);
    }
    Ok(())
}

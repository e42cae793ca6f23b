//! Small questions about expressions and names.

use sqlparser::ast::{Expr, ObjectName, ObjectNamePart, SelectItem};

/// The name without its schema: `main.singer` is `singer`.
pub(super) fn last_name(name: &ObjectName) -> String {
    match name.0.last() {
        Some(ObjectNamePart::Identifier(i)) => i.value.clone(),
        _ => String::new(),
    }
}

/// Whether a function has one of these names.
pub(super) fn is(name: &ObjectName, names: &[&str]) -> bool {
    let last = last_name(name);
    names.iter().any(|n| n.eq_ignore_ascii_case(&last))
}

/// Whether an expression is a call of COUNT.
pub(super) fn counts_rows(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(e) => counts_rows(e),
        Expr::Function(f) => is(&f.name, &["count"]),
        _ => false,
    }
}

/// The aliases under which a projection counts rows.
pub(super) fn counted(projection: &[SelectItem]) -> Vec<String> {
    let alias = |item: &SelectItem| match item {
        SelectItem::ExprWithAlias { expr, alias } if counts_rows(expr) => Some(alias.value.clone()),
        _ => None,
    };
    projection.iter().filter_map(alias).collect()
}

/// What an output without an alias is called.
pub(super) fn column_name(expr: &Expr) -> String {
    match expr {
        Expr::Identifier(i) => i.value.clone(),
        Expr::CompoundIdentifier(parts) => parts.last().map_or_else(String::new, |p| p.value.clone()),
        _ => String::new(),
    }
}

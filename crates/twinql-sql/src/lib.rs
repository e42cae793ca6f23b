#![doc = include_str!("../README.md")]
//!
//! The path of a query: [`Schema`] and SQL text → [`parse()`] → sqlparser's AST →
//! [`plan()`] → [`Query`] (a resolved, typed [`Rel`]) → [`normalize()`] → canonical [`Query`].
//! Two queries whose canonical forms are equal return the same answer under the
//! assumptions the applied rules name; the reverse need not hold.

/// Words as an array of texts: `words![FROM WHERE]` is `["FROM", "WHERE"]`.
#[macro_export]
macro_rules! words {
    ($($word:tt)*) => { [$(stringify!($word)),*] };
}

/// Names for the variants of an enum: `ALL` of them, the `name` of each, and its `Display`.
///
/// ```
/// #[derive(Debug, Clone, Copy, PartialEq)]
/// enum Way {
///     Up,
///     Down,
/// }
/// twinql_sql::named!(Way: Up "up", Down "down");
///
/// assert_eq!((Way::ALL, Way::Down.name()), ([Way::Up, Way::Down], "down"));
/// ```
#[macro_export]
macro_rules! named {
    ($kind:ident: $($variant:ident $name:literal),*) => {
        impl $kind {
            /// All of them, in the order in which they are listed.
            pub const ALL: [$kind; [$($name),*].len()] = [$($kind::$variant),*];

            /// Its name in files, in settings and for people.
            pub const fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $name,)*
                }
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

mod algebra;
mod asked;
mod assumption;
mod classes;
mod column_set;
pub mod columns;
pub mod completion;
pub mod dialects;
mod error;
pub mod explain;
mod expr;
pub mod function;
pub mod guess;
pub mod hash;
mod keywords;
pub mod known;
pub mod normalize;
mod ordered;
pub mod parse;
pub mod plan;
pub mod print;
pub mod prove;
mod rel;
pub mod schema;
pub mod semantics;
pub mod spans;

mod substitution;
pub mod syntax;
pub mod temporal;
pub mod tree;
mod value;

pub use assumption::Assumption;
pub use column_set::ColumnSet;
pub use dialects::{Dialect, UnknownDialect};
pub use error::{PrintError, SqlError};
pub use expr::{AggFunc, AggregateCall, BinaryOp, Expr, UnaryOp, WindowCall};
pub use normalize::{Canonical, RULES, Rule, Stopped, normalize, normalize_with_spans};
pub use ordered::key as order_inside;
pub use parse::{Exclusion, FrameExclusion, Parsed, Repair, lacking, parse, parse_in, parse_unmended};
pub use plan::{Plan, plan, plan_and_refusal, plan_with_spans, tables_in_use};
pub use prove::{Proof, prove};
pub use rel::{
    ColumnId, ColumnInfo, Columns, Direction, JoinKind, NullsOrder, Query, Rel, SetOpKind, SortKey,
};
pub use schema::{
    Affinity, Collation, Column, ColumnRef, ForeignKey, Schema, SchemaError, SchemaSet, Table, TypeClass,
};
pub use semantics::{Nulls, Semantics};
pub use spans::{Spans, TextRange};
pub use value::Value;

/// Parses, plans and normalises: SQL text to its canonical form under `semantics`.
pub fn canonicalize(schema: &Schema, sql: &str, semantics: &Semantics) -> Result<Canonical, SqlError> {
    let parsed = parse(sql)?;
    let plan = plan(schema, &parsed)?;
    Ok(normalize(schema, plan, semantics))
}

/// A query of another dialect in SQLite's words.
#[derive(Debug, Clone, PartialEq)]
pub struct Translated {
    /// The text, which SQLite or the sandbox runs.
    pub sql: String,
    /// Why the query's own system refuses it, though its meaning is plain.
    pub refused: Option<SqlError>,
}

/// A query of `dialect` as SQLite has it: the text itself where it is SQLite's.
///
/// # Errors
/// The query is not one over this schema, not supported, or has no form in SQLite. Of a text that is SQLite's
/// only those are told that hold words of another system; the rest is found where it is parsed.
pub fn translate(schema: &Schema, sql: &str, dialect: Dialect) -> Result<Translated, SqlError> {
    translate_over(schema, dialect, sql, dialect)
}

/// The same over another system's `data`: it says how texts compare in columns of which the schema does not say it.
///
/// # Errors
/// Those of [`translate`].
pub fn translate_over(
    schema: &Schema,
    data: Dialect,
    sql: &str,
    dialect: Dialect,
) -> Result<Translated, SqlError> {
    if dialect == Dialect::Sqlite {
        parse::foreign::refuse(sql)?;
        return Ok(Translated { sql: sql.to_owned(), refused: None });
    }
    let (plan, refused) = plan_and_refusal(schema, &Parsed { data, ..parse_in(sql, dialect)? })?;
    let sql = print::to_sql(schema, &plan);
    let unsupported = |e: PrintError| SqlError::Unsupported { construct: e.to_string(), place: None };
    Ok(Translated { sql: sql.map_err(unsupported)?, refused })
}

/// The text of [`translate`].
///
/// # Errors
/// Those of [`translate`].
pub fn in_sqlite(schema: &Schema, sql: &str, dialect: Dialect) -> Result<String, SqlError> {
    translate(schema, sql, dialect).map(|translated| translated.sql)
}

//! The inputs of FROM as they are written; what has no plan is refused.

use sqlparser::ast::{self, Spanned, TableFactor, TableWithJoins};

use super::refuse::refuse_present;
use super::{Result, unsupported};

/// A table-valued function's call in FROM.
#[derive(Clone, Copy)]
pub(super) struct TableCall<'a> {
    pub(super) name: &'a ast::ObjectName,
    pub(super) args: &'a [ast::FunctionArg],
    pub(super) alias: Option<&'a ast::TableAlias>,
}

/// What stands between the inputs of FROM.
pub(super) enum FromItem<'a> {
    /// A table, a view or a common table expression.
    Named { name: &'a ast::ObjectName, alias: Option<&'a ast::TableAlias> },
    /// A table-valued function.
    Call(TableCall<'a>),
    /// A subquery.
    Derived {
        subquery: &'a ast::Query,
        alias: Option<&'a ast::TableAlias>,
        /// It sees the tables before it.
        lateral: bool,
    },
    /// The elements of an array; with the name of their numbers, where those are asked for.
    Elements {
        array: &'a ast::Expr,
        alias: Option<&'a ast::TableAlias>,
        offset: Option<Option<&'a ast::Ident>>,
    },
    /// Joins in parentheses.
    Nested { from: &'a TableWithJoins, alias: Option<&'a ast::TableAlias> },
}

impl<'a> FromItem<'a> {
    /// Reads an input; what has no plan is refused.
    pub(super) fn read(factor: &'a TableFactor) -> Result<FromItem<'a>> {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args,
                with_hints,
                version,
                with_ordinality,
                partitions,
                json_path,
                sample,
                // They say how the rows are found, not which.
                index_hints: _,
            } => {
                refuse_hints(with_hints, factor)?;
                refuse_present(version, "a version of a table", factor)?;
                refuse_present(with_ordinality, "WITH ORDINALITY", factor)?;
                refuse_present(partitions, "PARTITION of a table", factor)?;
                refuse_present(json_path, "a path behind a table", factor)?;
                refuse_present(sample, "TABLESAMPLE", factor)?;
                let alias = alias.as_ref();
                let Some(ast::TableFunctionArgs { args, settings }) = args else {
                    return Ok(FromItem::Named { name, alias });
                };
                refuse_present(settings, "SETTINGS of a table function", factor)?;
                Ok(FromItem::Call(TableCall { name, args, alias }))
            }
            TableFactor::Function {
                // The arguments see the tables before it, said or not.
                lateral: _,
                name,
                args,
                with_ordinality,
                alias,
            } => {
                refuse_present(with_ordinality, "WITH ORDINALITY", factor)?;
                let alias = alias.as_ref();
                Ok(FromItem::Call(TableCall { name, args, alias }))
            }
            // TABLE(f(x)): Snowflake's and Oracle's words for f(x).
            TableFactor::TableFunction { expr: ast::Expr::Function(function), alias } => match &function.args
            {
                ast::FunctionArguments::List(list) => Ok(FromItem::Call(TableCall {
                    name: &function.name,
                    args: &list.args,
                    alias: alias.as_ref(),
                })),
                _ => unsupported("TABLE() of this function", factor.span()),
            },
            TableFactor::Derived { lateral, subquery, alias, sample } => {
                refuse_present(sample, "TABLESAMPLE", factor)?;
                Ok(FromItem::Derived { subquery, alias: alias.as_ref(), lateral: *lateral })
            }
            TableFactor::NestedJoin { table_with_joins: from, alias } => {
                let alias = alias.as_ref();
                Ok(FromItem::Nested { from, alias })
            }
            TableFactor::UNNEST { alias, array_exprs, with_offset, with_offset_alias, with_ordinality } => {
                let [array] = array_exprs.as_slice() else {
                    return unsupported("UNNEST of several arrays", factor.span());
                };
                // It is a call by now (`crate::parse`), unless an offset stands there too.
                refuse_present(with_ordinality, "WITH ORDINALITY", factor)?;
                let offset = with_offset.then_some(with_offset_alias.as_ref());
                Ok(FromItem::Elements { array, alias: alias.as_ref(), offset })
            }
            other => unsupported("this kind of table in FROM", other.span()),
        }
    }
}

/// T-SQL's hints that have no influence on the answer.
const HINTS: [&str; 8] =
    ["NOLOCK", "READUNCOMMITTED", "READCOMMITTED", "ROWLOCK", "PAGLOCK", "TABLOCK", "UPDLOCK", "HOLDLOCK"];

fn refuse_hints(hints: &[ast::Expr], at: &TableFactor) -> Result<()> {
    let known = |hint: &ast::Expr| match hint {
        ast::Expr::Identifier(word) => HINTS.iter().any(|h| word.value.eq_ignore_ascii_case(h)),
        _ => false,
    };
    match hints.iter().find(|hint| !known(hint)) {
        Some(hint) => unsupported(format!("the hint WITH ({hint})"), at.span()),
        None => Ok(()),
    }
}

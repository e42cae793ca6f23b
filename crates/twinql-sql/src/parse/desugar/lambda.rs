//! Functions of arrays that take a function: each becomes a query over the elements, in their order
//! (<https://duckdb.org/docs/stable/sql/functions/lambda>, <https://trino.io/docs/current/functions/array.html>,
//! <https://spark.apache.org/docs/latest/api/sql/#transform>, <https://docs.snowflake.com/en/sql-reference/functions/transform>,
//! <https://clickhouse.com/docs/en/sql-reference/functions/array-functions#arraymap>).
//!
//! | written | written out |
//! |---|---|
//! | `list_transform(a, x -> x + 1)` | `CASE WHEN a IS NOT NULL THEN (SELECT json_group_array(x + 1 ORDER BY place) FROM unnest(a) WITH ORDINALITY AS elements (x, place)) END` |
//! | `list_filter(a, x -> x > 1)` | the same of `x`, with `WHERE x > 1` |

use sqlparser::ast::{BinaryOperator, Expr, Ident, SelectItem, SetExpr, TableFactor};

use super::build::{plain_call, query};
use crate::dialects::Dialect;
use crate::syntax::read_expressions;

/// What a function of an array and of a function gives.
enum Gives {
    /// What the function gives for each element.
    Values,
    /// The elements for which it holds.
    Elements,
}

fn known(name: &str, dialect: Dialect) -> Option<Gives> {
    Some(match (dialect, name) {
        (Dialect::Duckdb, "list_transform" | "list_apply" | "array_transform" | "array_apply" | "apply")
        | (Dialect::Databricks | Dialect::Trino | Dialect::Snowflake, "transform")
        | (Dialect::Clickhouse, "arraymap") => Gives::Values,
        (Dialect::Duckdb, "list_filter" | "array_filter" | "filter")
        | (Dialect::Databricks | Dialect::Trino | Dialect::Snowflake, "filter")
        | (Dialect::Clickhouse, "arrayfilter") => Gives::Elements,
        _ => return None,
    })
}

/// Writes one call out, where its function has one parameter.
pub(super) fn write_out(expr: &mut Expr, dialect: Dialect) {
    if let Some(written) = written_out(expr, dialect) {
        *expr = written;
    }
}

fn written_out(expr: &Expr, dialect: Dialect) -> Option<Expr> {
    let (name, args) = plain_call(expr)?;
    let gives = known(&name, dialect)?;
    let [first, second] = args.as_slice() else { return None };
    let (array, (parameter, body)) = match (function(first), function(second)) {
        (Some(function), None) => (*second, function),
        (None, Some(function)) => (*first, function),
        _ => return None,
    };
    // The array stands twice in what is written, and so does all that makes it.
    if lambdas(array) > MOST {
        return None;
    }
    let element = Expr::Identifier(parameter.clone());
    let (sql, body) = match gives {
        Gives::Values => (OF_VALUES, body.clone()),
        Gives::Elements => (OF_ELEMENTS, body.clone()),
    };
    let mut elements = query(sql, &[array.clone(), body, element])?;
    if let SetExpr::Select(select) = &mut *elements.body
        && let TableFactor::UNNEST {
            alias: Some(alias),
            array_exprs: _,
            with_offset: _,
            with_offset_alias: _,
            with_ordinality: _,
        } = &mut select.from.first_mut()?.relation
    {
        alias.columns.first_mut()?.name = parameter.clone();
    }
    let guarded = query(GUARDED, &[array.clone(), Expr::Subquery(elements)])?;
    match *guarded.body {
        SetExpr::Select(select) => match select.projection.into_iter().next()? {
            SelectItem::UnnamedExpr(written) => Some(written),
            _ => None,
        },
        _ => None,
    }
}

/// The parameter and the body of a function without a name; `x -> 'a'` may be an operator as well.
fn function(expr: &Expr) -> Option<(&Ident, &Expr)> {
    match expr {
        Expr::Lambda(lambda) => match lambda.params.as_ref() {
            [parameter] => Some((&parameter.name, &lambda.body)),
            _ => None,
        },
        Expr::BinaryOp { left, op: BinaryOperator::Arrow, right } => match &**left {
            Expr::Identifier(name) => Some((name, right)),
            _ => None,
        },
        _ => None,
    }
}

/// Calls that make the array of a call, at most.
const MOST: usize = 3;

/// The functions without a name in an expression.
fn lambdas(expr: &Expr) -> usize {
    let mut count = 0;
    read_expressions(expr, &mut |part| count += usize::from(matches!(part, Expr::Lambda(_))));
    count
}

/// `"$1"` is the array, `"$2"` what the function says of an element, `"$3"` the element.
const OF_VALUES: &str = r#"SELECT json_group_array("$2" ORDER BY "place of an element")
    FROM unnest("$1") WITH ORDINALITY AS "elements of an array" (x, "place of an element")"#;
const OF_ELEMENTS: &str = r#"SELECT json_group_array("$3" ORDER BY "place of an element")
    FROM unnest("$1") WITH ORDINALITY AS "elements of an array" (x, "place of an element") WHERE "$2""#;
const GUARDED: &str = r#"SELECT CASE WHEN "$1" IS NOT NULL THEN "$2" END"#;

#[cfg(test)]
mod tests {
    use crate::{Dialect, Schema, translate};

    /// Each call would double what is in it.
    #[test]
    fn calls_in_calls_do_not_grow_without_bound() {
        let schema = Schema::from_ddl("s", "CREATE TABLE t (a TEXT)").unwrap();
        let nested = |depth: usize| {
            let array =
                (0..depth).fold("[1]".to_owned(), |array, _| format!("list_transform({array}, x -> x + 1)"));
            translate(&schema, &format!("SELECT {array} FROM t"), Dialect::Duckdb)
        };
        assert!(nested(3).is_ok());
        assert!(nested(30).is_err());
    }
}

//! Words for arrays and documents that the tables of several dialects share. An array is the text of one in JSON.

use crate::dialects::aggregates::Words;
use crate::dialects::functions::To::{Call, Written};
use crate::dialects::functions::{Function, function};
use crate::dialects::words::call;
use crate::expr::{BinaryOp, Expr};
use crate::plan::Planner;
use crate::schema::Affinity;
use crate::value::Value;

/// Arrays as Databricks and Trino call their functions: places are counted from 1, and 0 is none.
#[rustfmt::skip]
pub(super) const FROM_ONE: &[Function] = &[
    function("array_distinct", (1, 1), Call("sql_array_distinct")),
    function("array_join", (2, 3), Call("pg_array_to_string")),
    function("array_max", (1, 1), Call("sql_array_max")),
    function("array_min", (1, 1), Call("sql_array_min")),
    function("array_position", (2, 2), Written(place_or_0)),
    function("array_remove", (2, 2), Call("sql_array_remove")),
    function("element_at", (2, 2), Written(element_from_1)),
    function("slice", (3, 3), Written(slice_from_1)),
    function("sequence", (3, 3), Written(crate::dialects::bigquery::date_array)),
];

/// `JSON_EXTRACT_SCALAR(document, path)`, `JSON_VALUE`: NULL for an object or an array.
pub(super) fn scalar_at(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    args.get(1)?.as_text().filter(|path| path.starts_with('$'))?;
    Some(call("bq_json_value", args.to_vec()))
}

/// `ARRAY_POSITION(array, value)`: from 1, 0 where it is no element.
pub(super) fn place_or_0(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [array, value] = args else { return None };
    if args.iter().any(Expr::has_subquery) {
        return None;
    }
    let found = call("coalesce", vec![from_1(args), Expr::integer(0)]);
    let known = [array, value].into_iter().filter(|e| !e.is_literal()).map(|e| e.clone().is_null().not());
    Some(Expr::case(vec![(Expr::and_all(known.collect()), found)], None))
}

/// `LIST_POSITION(list, value)`: from 1, NULL where it is no element.
pub(super) fn place(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(from_1(args))
}

fn from_1(args: &[Expr]) -> Expr {
    Expr::binary(BinaryOp::Add, call("sql_array_position", args.to_vec()), Expr::integer(1))
}

/// `ELEMENT_AT(array, n)`: from 1; keys of a map are no numbers.
pub(super) fn element_from_1(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [array, place] = args else { return None };
    let at = place.as_integer().filter(|n| *n > 0)?;
    planner.part_named(array, &Expr::integer(at - 1), false)
}

/// `SLICE(array, from, length)`.
pub(super) fn slice_from_1(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [array, from, length] = args else { return None };
    let from = from.as_integer().filter(|n| *n > 0)? - 1;
    let end = from.checked_add(length.as_integer().filter(|n| *n >= 0)?)?;
    Some(call("sql_array_slice", vec![array.clone(), Expr::integer(from), Expr::integer(end)]))
}

/// `LIST_SLICE(list, from, to)`: both ends from 1, and both belong to it.
pub(super) fn slice_with_ends(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [array, from, to] = args else { return None };
    let (from, to) = from.as_integer().zip(to.as_integer()).filter(|(from, to)| *from > 0 && *to >= 0)?;
    Some(call("sql_array_slice", vec![array.clone(), Expr::integer(from - 1), Expr::integer(to)]))
}

/// `ARRAY_APPEND(array, value)`.
pub(super) fn append(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [array, value] = args else { return None };
    Some(call("sql_array_concat", vec![array.clone(), of_one(planner, value)]))
}

/// The array of these elements.
pub(super) fn of_values(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    Some(planner.array_of_values(args.to_vec()))
}

/// The array of one element.
pub(super) fn of_one(planner: &Planner<'_>, value: &Expr) -> Expr {
    call("json_array", vec![planner.as_part(value.clone())])
}

/// `a || b` of arrays: NULL where one of them is. An array and what may be an element of it is no array of both everywhere.
pub(crate) fn joined(planner: &Planner<'_>, left: &Expr, right: &Expr) -> Expr {
    let is_array = |e: &Expr| planner.is_list(e) || matches!(e, Expr::Literal(Value::Null));
    let name = if is_array(left) && is_array(right) { "sql_array_concat" } else { "pg_concat" };
    call(name, vec![left.clone(), right.clone()])
}

/// `ARRAY_PREPEND(array, value)`.
pub(super) fn prepend(planner: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [array, value] = args else { return None };
    Some(call("sql_array_concat", vec![of_one(planner, value), array.clone()]))
}

/// The array of the values of a group without its NULLs; one without elements where there are none.
pub(super) fn present(_: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    Some(Words { then: Some(without_nulls), ..Words::new("pg_array_agg", args.to_vec()) })
}

/// The same, each value once.
pub(super) fn each_once(planner: &Planner<'_>, args: &[Expr]) -> Option<Words> {
    Some(Words { distinct: true, ..present(planner, args)? })
}

fn without_nulls(array: Expr) -> Expr {
    call("sql_array_compact", vec![call("coalesce", vec![array, Expr::text("[]")])])
}

/// The part of a document that a path such as `$.a[0]` leads to, as text: an object and an array as they are written, NULL for
/// `null` and where the document is none.
pub(super) fn text_at(document: &Expr, path: &Expr) -> Option<Expr> {
    let path = path.as_text().filter(|p| p.starts_with('$') && !p.contains(['*', '?', '@']))?;
    if document.has_subquery() {
        return None;
    }
    let document = || call("sql_try_json", vec![document.clone()]);
    let kind = call("json_type", vec![document(), Expr::text(path)]);
    let truth = |word: &str| (kind.clone().eq(Expr::text(word)), Expr::text(word));
    let part = call("json_extract", vec![document(), Expr::text(path)]).cast(Affinity::Text);
    Some(Expr::case(vec![truth("true"), truth("false")], Some(part)))
}

/// `GET_JSON_OBJECT(document, '$.a.b')`.
pub(super) fn text_by_path(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [document, path] = args else { return None };
    text_at(document, path)
}

/// `JSON_EXTRACT_PATH_TEXT(document, 'a.b')`.
pub(super) fn text_by_names(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [document, names] = args else { return None };
    let names = names.as_text()?;
    let plain = names.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c)) && !names.is_empty();
    let path: String = names.split('.').map(|name| format!(".\"{name}\"")).collect();
    plain.then(|| text_at(document, &Expr::text(format!("${path}"))))?
}

/// `JSON_QUERY(document, path)`: an object or an array; NULL for single values.
pub(super) fn object_at(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [document, path] = args else { return None };
    if document.has_subquery() {
        return None;
    }
    path.as_text().filter(|p| p.starts_with('$'))?;
    let document = call("sql_try_json", vec![document.clone()]);
    let kind = call("json_type", vec![document.clone(), path.clone()]);
    let is = |word: &str| kind.clone().eq(Expr::text(word));
    let part = call("json_extract", vec![document, path.clone()]);
    Some(Expr::case(vec![(Expr::or_all(vec![is("object"), is("array")]), part)], None))
}

/// Whether a JSON document.
pub(super) fn is_document(_: &Planner<'_>, args: &[Expr]) -> Option<Expr> {
    let [text] = args else { return None };
    let valid = call("json_valid", vec![text.clone()]);
    let of_null = matches!(text, Expr::Literal(Value::Null));
    (!of_null).then_some(valid)
}

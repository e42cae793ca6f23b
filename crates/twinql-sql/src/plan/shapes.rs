//! What is inside a semi-structured value, by its declared type: the fields of a STRUCT, the elements of an ARRAY.

use std::rc::Rc;

use super::Planner;
use super::foreign_type::ForeignType;
use crate::expr::Expr;
use crate::rel::ColumnId;
use crate::schema::Nested;
use crate::value::Value;

/// The shape of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One value, of this kind where SQLite's types do not say it.
    Plain(Option<ForeignType>),
    /// Fields by name.
    Struct(Rc<[(String, Shape)]>),
    /// Elements of one shape.
    Array(Rc<Shape>),
    /// A document that may hold anything: JSON, VARIANT.
    Any,
}

impl Shape {
    /// The shape that a declared type has: `STRUCT<a INT64, b ARRAY<STRING>>`.
    pub(super) fn of_declared(declared: &str) -> Shape {
        Shape::of(Nested::of_declared(declared))
    }

    fn of(nested: Nested) -> Shape {
        match nested {
            Nested::Plain(declared) => Shape::Plain(ForeignType::of_declared(&declared)),
            Nested::Struct(fields) => {
                Shape::Struct(fields.into_iter().map(|(name, field)| (name, Shape::of(field))).collect())
            }
            Nested::Array(element) => Shape::Array(Rc::new(Shape::of(*element))),
            Nested::Any => Shape::Any,
        }
    }

    /// The field of a name, as it is spelled, and its shape.
    pub(super) fn field(&self, name: &str) -> Option<(&str, &Shape)> {
        let Shape::Struct(fields) = self else { return None };
        fields.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(n, shape)| (n.as_str(), shape))
    }

    /// Whether the value is kept as the text of a document.
    pub(super) fn is_document(&self) -> bool {
        !matches!(self, Shape::Plain(_))
    }

    /// What a path leads to: `$.a."b c"[0]`.
    fn at(&self, path: &str) -> Shape {
        let mut shape = self;
        let Some(steps) = steps(path) else {
            return Shape::Any;
        };
        for step in steps {
            shape = match (shape, step) {
                (Shape::Struct(_), Some(name)) => match shape.field(name) {
                    Some((_, inner)) => inner,
                    None => return Shape::Any,
                },
                (Shape::Array(element), None) => element,
                _ => return Shape::Any,
            };
        }
        shape.clone()
    }
}

/// The steps of a path that [`super::paths`] wrote: a field's name, or `None` for an element.
fn steps(path: &str) -> Option<Vec<Option<&str>>> {
    let mut rest = path.strip_prefix('$')?;
    let mut out = Vec::new();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix(".\"") {
            let (name, after) = quoted.split_once('"')?;
            out.push(Some(name));
            rest = after;
        } else if let Some(plain) = rest.strip_prefix('.') {
            let end = plain.find(['.', '[']).unwrap_or(plain.len());
            out.push(plain.get(..end));
            rest = plain.get(end..)?;
        } else {
            let (_, after) = rest.strip_prefix('[')?.split_once(']')?;
            out.push(None);
            rest = after;
        }
    }
    Some(out)
}

impl Planner<'_> {
    /// What is known of the inside of an expression's value; `None` where nothing is.
    pub(super) fn shape(&self, expr: &Expr) -> Option<Shape> {
        match expr {
            Expr::Column(id) => self.shape_of_column(*id),
            Expr::Function { name, args } => match (name.as_str(), args.as_slice()) {
                ("json_extract", [whole, path]) => Some(self.shape(whole)?.at(path.as_text()?)),
                ("json_object", args) => {
                    let field = |pair: &[Expr]| {
                        let [name, value] = pair else { return None };
                        let shape = self.shape(value).unwrap_or(Shape::Plain(self.kind(value)));
                        Some((name.as_text()?.to_owned(), shape))
                    };
                    Some(Shape::Struct(args.chunks(2).map(field).collect::<Option<_>>()?))
                }
                ("json_array", [first, ..]) => Some(self.array_of(first)),
                ("pg_array", [first, ..]) if self.dialect.functions_of_its_own() => {
                    Some(self.array_of(first))
                }
                ("sql_split" | "pg_string_to_array" | "bq_generate_array", _) => {
                    Some(Shape::Array(Rc::new(Shape::Plain(None))))
                }
                ("bq_generate_date_array", _) => {
                    Some(Shape::Array(Rc::new(Shape::Plain(Some(ForeignType::Date)))))
                }
                ("bq_json_array", _) => Some(Shape::Array(Rc::new(Shape::Any))),
                (
                    "sql_array_concat" | "bq_first_elements" | "sql_array_compact" | "sql_array_distinct"
                    | "sql_array_sort" | "sql_array_reverse" | "sql_array_slice" | "sql_array_remove",
                    [first, ..],
                ) => self.shape(first),
                ("json" | "coalesce" | "ifnull" | "nullif", [first, ..]) | ("iif", [_, first, ..]) => {
                    self.shape(first)
                }
                _ => None,
            },
            Expr::Case { operand: _, branches, otherwise } => {
                branches.iter().map(|(_, then)| then).chain(otherwise.as_deref()).find_map(|e| self.shape(e))
            }
            Expr::Scalar(query) => self.shape_of_column(*query.output.first()?),
            _ => None,
        }
    }

    /// Whether a value is of a type for any document: JSON.
    pub(crate) fn is_json(&self, expr: &Expr) -> bool {
        self.shape(expr) == Some(Shape::Any)
    }

    /// The shape of an array whose elements are like this value.
    pub(super) fn array_of(&self, element: &Expr) -> Shape {
        Shape::Array(Rc::new(self.shape(element).unwrap_or(Shape::Plain(self.kind(element)))))
    }

    fn shape_of_column(&self, id: ColumnId) -> Option<Shape> {
        self.shapes.get(&id).cloned()
    }

    /// Notes what is inside a column's values.
    pub(super) fn note_shape(&mut self, id: ColumnId, shape: Option<Shape>) {
        if let Some(shape) = shape {
            self.shapes.insert(id, shape);
        }
    }

    /// A value as a part of a document: a document is one itself, and no text.
    pub(crate) fn as_part(&self, value: Expr) -> Expr {
        let made = matches!(&value, Expr::Function { name, args: _ } if matches!(name.as_str(), "json" | "json_array" | "json_object"));
        let is_null = matches!(value, Expr::Literal(Value::Null));
        if !made && !is_null && self.shape(&value).is_some_and(|s| s.is_document()) {
            return Expr::function("json", vec![value]);
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_types_have_shapes() {
        let shape = Shape::of_declared("ARRAY<STRUCT<a INT64, \"b c\" STRUCT<d DATE>, e ARRAY<STRING>>>");
        assert_eq!(shape.at("$[0].\"b c\".d"), Shape::Plain(Some(ForeignType::Date)));
        assert_eq!(shape.at("$[3].e"), Shape::Array(Rc::new(Shape::Plain(None))));
        assert_eq!(shape.at("$[3].E[0]"), Shape::Plain(None));
        assert_eq!(Shape::of_declared("NUMERIC(10, 2)"), Shape::Plain(None));
        assert_eq!(Shape::of_declared("JSON"), Shape::Any);
        assert_eq!(Shape::of_declared("INTEGER[]"), Shape::Array(Rc::new(Shape::Plain(None))));
    }
}

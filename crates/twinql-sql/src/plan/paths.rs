//! Parts of semi-structured values: a field, an element, a chain of both, and the elements of an array as rows.
//!
//! STRUCT, ARRAY, MAP, VARIANT and JSON are the texts of JSON documents here. However a system writes the way to a part, it is one
//! call with one path, so that two queries that read the same part say the same:
//!
//! | written | planned |
//! |---|---|
//! | `device.browser` (BigQuery), `device:browser` (Snowflake) | `json_extract(device, '$.browser')` |
//! | `hits[OFFSET(0)].page.pagePath` | `json_extract(hits, '$[0].page.pagePath')` |
//! | `FROM t, UNNEST(t.hits) AS h` | `FROM t, json_each(t.hits) AS h` |
//! | `h.page.pagePath` | `json_extract(h.value, '$.page.pagePath')` |
//! | `STRUCT(a AS x).x` | `a` |
//!
//! What SQLite's functions do: <https://sqlite.org/json1.html>. A part that is not there is NULL; where a system ends with an error
//! instead (`[OFFSET(9)]`), nothing is asked of it.

use sqlparser::ast::{self, AccessExpr, Ident, Spanned, Subscript};

use super::shapes::Shape;
use super::sight::{Scope, ScopeColumn, ScopeTable};
use super::{Planner, Result, invalid, unsupported};
use crate::dialects::Dialect;
use crate::error::SqlError;
use crate::expr::{BinaryOp, Expr};
use crate::rel::{ColumnId, ColumnInfo, Query, Rel};
use crate::schema::TypeClass;
use crate::spans::TextRange;

/// One step into a value.
pub(super) enum Step {
    /// The field of this name.
    Field(String),
    /// The element at this place, from 0.
    Element(usize),
    /// The element at this place from the end, where the last one is 1.
    FromEnd(usize),
}

/// A step as a path of SQLite's has it; `None` for a name that no path can hold.
fn written(step: &Step) -> Option<String> {
    let plain = |name: &str| {
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    };
    Some(match step {
        Step::Element(at) => format!("[{at}]"),
        Step::FromEnd(at) => format!("[#-{at}]"),
        Step::Field(name) if !name.is_empty() && plain(name) => format!(".{name}"),
        Step::Field(name) if !name.contains('"') => format!(".\"{name}\""),
        Step::Field(_) => return None,
    })
}

impl Planner<'_> {
    /// A part of a value. `None` where the value is known to have no such part.
    pub(super) fn part(&self, whole: Expr, steps: &[Step]) -> Option<Expr> {
        let mut value = whole;
        for step in steps {
            value = self.step_into(value, step)?;
        }
        Some(value)
    }

    /// The fields of a STRUCT, each with its name; none of other values.
    pub(super) fn parts_of(&self, value: &Expr) -> Vec<(String, Expr)> {
        let Some(Shape::Struct(fields)) = self.shape(value) else {
            return Vec::new();
        };
        let part = |name: &String| self.step_into(value.clone(), &Step::Field(name.clone()));
        fields.iter().filter_map(|(name, _)| Some((name.clone(), part(name)?))).collect()
    }

    fn step_into(&self, whole: Expr, step: &Step) -> Option<Expr> {
        let shape = self.shape(&whole);
        let step = match (step, &shape) {
            (Step::Field(name), Some(shape @ Shape::Struct(_))) => {
                Step::Field(shape.field(name)?.0.to_owned())
            }
            (Step::Field(_), Some(Shape::Plain(_) | Shape::Array(_)))
            | (Step::Element(_) | Step::FromEnd(_), Some(Shape::Plain(_) | Shape::Struct(_))) => return None,
            (Step::Field(name), _) => Step::Field(name.clone()),
            (Step::Element(at), _) => Step::Element(*at),
            (Step::FromEnd(at), _) => Step::FromEnd(*at),
        };
        let path = written(&step)?;
        match whole {
            Expr::Function { name, args } if name == "json_extract" && args.len() == 2 => {
                let mut args = args.into_iter();
                let (document, before) = (args.next()?, args.next()?);
                let path = format!("{}{path}", before.as_text()?);
                Some(Expr::function("json_extract", vec![document, Expr::text(path)]))
            }
            // The part of what is made here is what it was made of.
            Expr::Function { name, args } if name == "json_object" => {
                let Step::Field(field) = &step else { return None };
                let at = args.iter().step_by(2).position(|key| key.as_text() == Some(field))?;
                Some(as_value(args.into_iter().nth(at * 2 + 1)?))
            }
            Expr::Function { name, args } if name == "json_array" => {
                let at = match step {
                    Step::Element(at) => Some(at),
                    Step::FromEnd(at) => args.len().checked_sub(at),
                    Step::Field(_) => return None,
                };
                Some(at.and_then(|at| args.into_iter().nth(at)).map_or(Expr::NULL, as_value))
            }
            // Among the first elements, and of an array that would be none.
            Expr::Function { name, args } if is_whole_for(&name, &args, &step) => {
                self.step_into(args.into_iter().next()?, &step)
            }
            whole => Some(Expr::function("json_extract", vec![whole, Expr::text(format!("${path}"))])),
        }
    }
}

/// Whether the step leads to the same part of a call's first argument.
fn is_whole_for(name: &str, args: &[Expr], step: &Step) -> bool {
    match (name, args, step) {
        ("bq_first_elements", [_, count], Step::Element(at)) => {
            count.as_integer().and_then(|n| usize::try_from(n).ok()).is_some_and(|n| *at < n)
        }
        ("nullif", [_, none], Step::Element(_)) => none.as_text() == Some("[]"),
        _ => false,
    }
}

/// A part of a document as a value: what is a document is its text.
fn as_value(part: Expr) -> Expr {
    match part {
        Expr::Function { name, mut args } if name == "json" && args.len() == 1 => {
            args.pop().unwrap_or(Expr::NULL)
        }
        other => other,
    }
}

/// How a name's parts are read as steps.
fn fields(names: &[&Ident]) -> Vec<Step> {
    names.iter().map(|n| Step::Field(n.value.clone())).collect()
}

impl<'a> Planner<'a> {
    /// A name with dots where a dot may reach into a value: a table's column or a column, and a way into it. From the innermost
    /// scope outwards; `None` where its first part names neither.
    pub(super) fn plan_name_path(&mut self, names: &[&Ident]) -> Result<Option<Expr>> {
        let Some((first, rest)) = names.split_first() else {
            return Ok(None);
        };
        for level in (0..self.scopes.len()).rev() {
            if let Some(value) = self.plan_path_at(level, first, rest)? {
                return Ok(Some(value));
            }
        }
        if rest.is_empty() {
            return self.row_of(first);
        }
        Ok(None)
    }

    fn plan_path_at(&mut self, level: usize, first: &Ident, rest: &[&Ident]) -> Result<Option<Expr>> {
        let Some(scope) = self.scopes.get(level) else {
            return Ok(None);
        };
        // What an element is called hides a column of that name: FROM t, UNNEST(t.hits) AS hits.
        let element = scope.tables.iter().find(|t| self.same(&t.name, first)).and_then(|t| t.whole);
        if let Some(whole) = element {
            return self.reach(Expr::Column(whole), rest, first).map(Some);
        }
        if let Some((column, inside)) = rest.split_first()
            && let Some(value) =
                super::scope::find_column(self.exact_names, &scope.tables, Some(first), column)?
        {
            return self.reach(value, inside, column).map(Some);
        }
        match self.resolve_at(level, None, first)? {
            Some(value) => self.reach(value, rest, first).map(Some),
            None => Ok(None),
        }
    }

    /// The part of a value that fields lead to.
    fn reach(&self, value: Expr, names: &[&Ident], at: &Ident) -> Result<Expr> {
        match self.part(value, &fields(names)) {
            Some(part) => Ok(part),
            None => {
                let last = names.last().copied().unwrap_or(at);
                let all: Vec<&str> =
                    std::iter::once(at).chain(names.iter().copied()).map(|n| n.value.as_str()).collect();
                Err(SqlError::UnknownColumn { name: all.join("."), place: TextRange::of(last.span) })
            }
        }
    }

    /// A table's row as one value: BigQuery's `ARRAY_AGG(t)`, where `t` is no column.
    fn row_of(&mut self, name: &Ident) -> Result<Option<Expr>> {
        let named = |p: &Self, t: &ScopeTable| p.same(&t.name, name);
        let found = self.scopes.iter().rev().flat_map(|s| &s.tables).find(|t| named(self, t));
        let Some(table) = found else {
            return Ok(None);
        };
        let listed = table.columns.iter().filter(|c| !c.unlisted);
        let pairs: Vec<(String, Expr)> = listed.map(|c| (c.name.clone(), c.own_value())).collect();
        self.charge(pairs.len())?;
        Ok(Some(self.record(pairs)))
    }

    /// A STRUCT of fields.
    pub(super) fn record(&self, fields: Vec<(String, Expr)>) -> Expr {
        let args = fields.into_iter().flat_map(|(name, value)| [Expr::text(name), self.as_part(value)]);
        Expr::function("json_object", args.collect())
    }

    /// `STRUCT(a AS x, b)`: a field without a name has that of its column.
    pub(super) fn plan_record(
        &mut self,
        values: &'a [ast::Expr],
        declared: &'a [ast::StructField],
    ) -> Result<Expr> {
        let mut fields = Vec::with_capacity(values.len());
        for (at, value) in values.iter().enumerate() {
            let (value, name) = match value {
                ast::Expr::Named { expr, name } => (&**expr, Some(name)),
                other => (other, last_name(other)),
            };
            let name = declared.get(at).map_or(name, |f| f.field_name.as_ref());
            let name = name.map_or_else(|| format!("_field_{}", at + 1), |n| n.value.clone());
            fields.push((name, self.plan_expr(value)?));
        }
        Ok(self.record(fields))
    }

    /// `ARRAY[a, b]` as a document. The fields of all elements are called as the first one's.
    pub(super) fn array(&self, mut elements: Vec<Expr>) -> Expr {
        let record = |e: &Expr| match e {
            Expr::Function { name, args } if name == "json_object" => {
                Some(args.iter().step_by(2).cloned().collect::<Vec<Expr>>())
            }
            _ => None,
        };
        if let Some(names) = elements.first().and_then(record) {
            for element in elements.iter_mut().skip(1) {
                if let Expr::Function { name, args } = element
                    && name == "json_object"
                    && args.len() == names.len() * 2
                {
                    args.iter_mut().step_by(2).zip(&names).for_each(|(key, name)| key.clone_from(name));
                }
            }
        }
        Expr::function("json_array", elements.into_iter().map(|e| self.as_part(e)).collect())
    }

    /// `a.b[0].c`, `f(x).c`, `a['b']`.
    pub(super) fn plan_access(
        &mut self,
        whole: &'a ast::Expr,
        root: &'a ast::Expr,
        chain: &'a [AccessExpr],
    ) -> Result<Expr> {
        let named = |e: &'a AccessExpr| match e {
            AccessExpr::Dot(ast::Expr::Identifier(name)) => Some(name),
            _ => None,
        };
        let (mut value, chain) = match root {
            // The dots that follow a name may be its table's, its column's, or lead into the value.
            ast::Expr::Identifier(first) => {
                let dots = chain.iter().map_while(named);
                let names: Vec<&Ident> = std::iter::once(first).chain(dots).collect();
                let rest = chain.get(names.len() - 1..).unwrap_or_default();
                match self.plan_name_path(&names)? {
                    Some(value) => (value, rest),
                    None => return Err(self.unknown_column(None, first)),
                }
            }
            other => (self.plan_expr(other)?, chain),
        };
        for access in chain {
            value = match access {
                AccessExpr::Dot(ast::Expr::Identifier(name)) => self.reach(value, &[name], name)?,
                AccessExpr::Subscript(Subscript::Index { index })
                    if self.dialect == Dialect::Duckdb && self.is_plain_text(&value) =>
                {
                    self.character(value, index, whole)?
                }
                AccessExpr::Subscript(Subscript::Slice { lower_bound, upper_bound, stride: None })
                    if self.dialect == Dialect::Duckdb && self.is_plain_text(&value) =>
                {
                    self.characters(value, lower_bound.as_ref(), upper_bound.as_ref(), whole)?
                }
                AccessExpr::Subscript(Subscript::Index { index }) => {
                    self.plan_element(value, index, whole)?
                }
                AccessExpr::Subscript(Subscript::Slice { lower_bound, upper_bound, stride: None })
                    if self.dialect.names().first_element == 1 && self.is_list(&value) =>
                {
                    self.plan_slice(value, lower_bound.as_ref(), upper_bound.as_ref(), whole)?
                }
                AccessExpr::Dot(_)
                | AccessExpr::Subscript(Subscript::Slice { lower_bound: _, upper_bound: _, stride: _ }) => {
                    return unsupported(format!("expression {whole}"), whole.span());
                }
            };
        }
        Ok(value)
    }

    /// `text[2:3]` of DuckDB: its characters from one place to another (<https://duckdb.org/docs/stable/sql/functions/text>).
    fn characters(
        &mut self,
        text: Expr,
        from: Option<&'a ast::Expr>,
        to: Option<&'a ast::Expr>,
        whole: &ast::Expr,
    ) -> Result<Expr> {
        let (from, to) = self.places(from, to, whole)?;
        let length = to.saturating_add(1).saturating_sub(from).max(0);
        Ok(Expr::function("substr", vec![text, Expr::integer(from), Expr::integer(length)]))
    }

    /// `text[2]` of DuckDB: one character, from the end where the place is below 0; '' where there is none.
    fn character(&mut self, text: Expr, index: &'a ast::Expr, whole: &ast::Expr) -> Result<Expr> {
        let Some(place) = self.plan_expr(index)?.as_integer() else {
            return unsupported(format!("expression {whole}"), whole.span());
        };
        let length = Expr::integer(i64::from(place != 0));
        let one =
            |place: i64| Expr::function("substr", vec![text.clone(), Expr::integer(place), length.clone()]);
        if place >= 0 {
            return Ok(one(place));
        }
        // SQLite begins before the text where it is shorter.
        let length = Expr::function("length", vec![text.clone()]);
        let within = Expr::binary(BinaryOp::GtEq, length, Expr::integer(place.saturating_neg()));
        let none = Expr::function("substr", vec![text.clone(), Expr::integer(1), Expr::integer(0)]);
        Ok(Expr::case(vec![(within, one(place))], Some(none)))
    }

    /// `array[2:3]`: both ends are constants, counted from 1, and belong to it.
    fn plan_slice(
        &mut self,
        value: Expr,
        from: Option<&'a ast::Expr>,
        to: Option<&'a ast::Expr>,
        whole: &ast::Expr,
    ) -> Result<Expr> {
        let (from, to) = self.places(from, to, whole)?;
        let ends = [Expr::integer(from - 1), Expr::integer(to)];
        Ok(Expr::function("sql_array_slice", std::iter::once(value).chain(ends).collect()))
    }

    /// The constant ends of a slice.
    fn places(
        &mut self,
        from: Option<&'a ast::Expr>,
        to: Option<&'a ast::Expr>,
        whole: &ast::Expr,
    ) -> Result<(i64, i64)> {
        let (from, to) = (self.plan_optional(from)?, self.plan_optional(to)?);
        let from = from.map_or(Some(1), |e| e.as_integer()).filter(|n| *n > 0);
        let to = to.map_or(Some(i64::from(i32::MAX)), |e| e.as_integer()).filter(|n| *n >= 0);
        match from.zip(to) {
            Some(places) => Ok(places),
            None => unsupported(format!("expression {whole}"), whole.span()),
        }
    }

    /// Whether a column or a plain function gives texts, and neither lists nor documents.
    fn is_plain_text(&self, expr: &Expr) -> bool {
        let known = self.kind(expr).is_some() || self.shape(expr).is_some() || self.is_list(expr);
        let made = |name: &str| matches!(name, "lower" | "upper" | "trim" | "substr" | "replace" | "concat");
        let plain = match expr {
            Expr::Column(_) | Expr::Literal(_) => true,
            Expr::Function { name, args: _ } => made(name),
            _ => false,
        };
        plain && self.class(expr) == TypeClass::Text && !known
    }

    /// `array[0]`, `array[OFFSET(0)]`, `array[ORDINAL(1)]` and their SAFE forms
    /// (<https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#array_subscript_operator>), `document['field']`.
    /// An index that is computed into what is no array by its type is a function of which nothing is known.
    fn plan_element(&mut self, value: Expr, index: &'a ast::Expr, whole: &ast::Expr) -> Result<Expr> {
        let (place, base) = match index {
            ast::Expr::Function(call) => match super::functions::read_call(call, self.dialect)? {
                super::functions::Call { name, args, .. } if args.len() == 1 => {
                    let base = match name.as_str() {
                        "offset" | "safe_offset" => Some(0),
                        "ordinal" | "safe_ordinal" => Some(1),
                        _ => None,
                    };
                    match (base, args.first()) {
                        (Some(base), Some(place)) => (*place, base),
                        _ => (index, 0),
                    }
                }
                _ => (index, 0),
            },
            other => (other, self.dialect.names().first_element),
        };
        let place = self.plan_expr(place)?;
        if self.dialect == Dialect::Clickhouse {
            return Ok(self.element_or_default(value, place));
        }
        // DuckDB counts places below 0 from the end (https://duckdb.org/docs/stable/sql/functions/list#list_extractlist-index).
        let from_end = self.dialect == Dialect::Duckdb;
        let step = match (place.as_text(), place.as_integer()) {
            (Some(name), _) => Some(Step::Field(name.to_owned())),
            (None, Some(n)) if from_end && n < 0 => {
                n.checked_neg().and_then(|n| usize::try_from(n).ok()).map(Step::FromEnd)
            }
            (None, Some(n)) => n.checked_sub(base).and_then(|n| usize::try_from(n).ok()).map(Step::Element),
            (None, None) => None,
        };
        match step {
            Some(step) => match self.part(value, &[step]) {
                Some(part) => Ok(part),
                None => invalid(format!("no such part: {whole}"), whole.span()),
            },
            // One that is computed: before the first there is none.
            None if self.is_list(&value)
                && self.class(&place) == TypeClass::Integer
                && !place.has_subquery() =>
            {
                let element = |form: &str, at: Expr| {
                    let path = Expr::function("printf", vec![Expr::text(form), at]);
                    Expr::function("json_extract", vec![value.clone(), path])
                };
                let first = Expr::binary(BinaryOp::GtEq, place.clone(), Expr::integer(base));
                let at = match base {
                    0 => place.clone(),
                    _ => Expr::binary(BinaryOp::Sub, place.clone(), Expr::integer(base)),
                };
                let mut branches = vec![(first, element("$[%d]", at))];
                if from_end {
                    let before = Expr::binary(BinaryOp::Lt, place.clone(), Expr::integer(0));
                    branches.push((before, element("$[#%d]", place)));
                }
                Ok(Expr::case(branches, None))
            }
            None => Ok(Expr::function(format!("{}_element_{base}", self.dialect), vec![value, place])),
        }
    }

    /// The elements of an array as rows: in FROM, `UNNEST(array) AS x WITH OFFSET AS n`.
    ///
    /// The fields of elements that are STRUCTs are columns of their own, and `x` is the whole element.
    pub(super) fn plan_elements(
        &mut self,
        array: Expr,
        alias: Option<&ast::TableAlias>,
        number: Option<String>,
    ) -> Result<(Rel, ScopeTable)> {
        let shape = self.shape(&array);
        let args = match array {
            Expr::Function { name, args } if name == "json_extract" && args.len() == 2 => args,
            other => vec![other],
        };
        let value = self.new_column(ColumnInfo::computed("value", TypeClass::Other, true))?;
        let mut columns = vec![value];
        let element = match shape {
            Some(Shape::Array(element)) => Some((*element).clone()),
            Some(Shape::Any) => Some(Shape::Any),
            _ => None,
        };
        let (name, names) = match alias {
            Some(alias) => {
                let (name, names) = self.read_alias(alias)?;
                (self.stored(name), names)
            }
            None => (String::new(), Vec::new()),
        };
        let mut scope = Vec::new();
        match &element {
            Some(Shape::Struct(fields)) => {
                self.charge(fields.len())?;
                for (field, _) in fields.iter() {
                    self.note_shape(value, element.clone());
                    let part = self.part(Expr::Column(value), &[Step::Field(field.clone())]);
                    scope.push(ScopeColumn { part, ..ScopeColumn::new(field.clone(), value) });
                }
            }
            _ => {
                let called = names.first().map_or_else(|| name.clone(), |n| self.stored(n));
                scope.push(ScopeColumn::new(called, value));
            }
        }
        if let Some(Shape::Plain(Some(kind))) = &element {
            self.kinds.insert(value, *kind);
        }
        self.note_shape(value, element);
        if let Some(name) = number {
            let key = self.new_column(ColumnInfo::computed("key", TypeClass::Integer, false))?;
            columns.insert(0, key);
            scope.push(ScopeColumn::new(name, key));
        }
        let whole = alias.filter(|_| names.is_empty()).map(|_| value);
        let table = ScopeTable { columns: scope, whole, ..ScopeTable::derived(name, [], []) };
        Ok((elements_of(args, columns), table))
    }

    /// Whether a name in FROM is that of an array of a table before it: `FROM t, t.hits`.
    pub(super) fn is_array_of(&self, before: &Scope<'a>, name: &ast::ObjectName) -> bool {
        let first = name.0.first().and_then(ast::ObjectNamePart::as_ident);
        self.dialect.names().fields
            && name.0.len() > 1
            && first.is_some_and(|first| before.tables.iter().any(|t| self.same(&t.name, first)))
    }

    /// The elements of such an array.
    pub(super) fn plan_array_of(
        &mut self,
        name: &'a ast::ObjectName,
        alias: Option<&'a ast::TableAlias>,
    ) -> Result<(Rel, Vec<ScopeTable>)> {
        let names: Vec<&Ident> = name.0.iter().filter_map(ast::ObjectNamePart::as_ident).collect();
        let Some(array) = self.plan_name_path(&names)? else {
            return unsupported(format!("table name {name}"), name.span());
        };
        let (rel, mut table) = self.plan_elements(array, alias, None)?;
        if let (None, Some(last)) = (alias, names.last()) {
            table.name = self.stored(last);
            let element = table.ids().next();
            table.whole = element;
        }
        Ok((rel, vec![table]))
    }

    /// `x IN UNNEST(array)`: <https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#in_operators>.
    pub(super) fn plan_in_elements(
        &mut self,
        tested: &'a ast::Expr,
        array: &'a ast::Expr,
        negated: bool,
    ) -> Result<Expr> {
        let tested = self.plan_expr(tested)?;
        let found = match self.plan_expr(array)? {
            Expr::Function { name, args } if name == "json_array" => {
                Expr::InList { expr: Box::new(tested), list: args }
            }
            array => {
                let (rel, table) = self.plan_elements(array, None, None)?;
                let output = table.ids().take(1).collect();
                Expr::InSubquery { exprs: vec![tested], query: Box::new(Query { rel, output }) }
            }
        };
        Ok(super::expr::negate_if(negated, found))
    }
}

/// The name that a column gives to a field.
fn last_name(expr: &ast::Expr) -> Option<&Ident> {
    match expr {
        ast::Expr::Identifier(name) => Some(name),
        ast::Expr::CompoundIdentifier(names) => names.last(),
        ast::Expr::CompoundFieldAccess { root: _, access_chain } => match access_chain.last() {
            Some(AccessExpr::Dot(ast::Expr::Identifier(name))) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// The elements of an array as rows: of constants those that are written.
///
/// | before | after |
/// |---|---|
/// | `UNNEST([1, 2])` | `VALUES (1), (2)` |
/// | `UNNEST(t.list)` | `json_each(t.list)` |
pub(super) fn elements_of(mut args: Vec<Expr>, columns: Vec<ColumnId>) -> Rel {
    if let ([array], [_]) = (args.as_mut_slice(), columns.as_slice())
        && let Some((name, elements)) = array.as_function_mut()
        && matches!(name.as_str(), "json_array" | "pg_array")
        && !elements.is_empty()
        && elements.iter().all(Expr::is_literal)
    {
        let rows = elements.drain(..).map(|e| vec![e]).collect();
        return Rel::Values { columns, rows };
    }
    Rel::TableFunction { name: "json_each".to_owned(), args, columns }
}

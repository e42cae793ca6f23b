//! Templates of dbt, rendered as far as they are text.
//!
//! Known are what a project itself says (`ref`, `source`, `config`, `var`, `this`, its own macros), literals, and
//! [`is_incremental()`](https://docs.getdbt.com/docs/build/incremental-models) in the way that is asked for, and the macros of installed
//! packages. Anything else, such as the state of a warehouse, is an error that names it: nothing is guessed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use minijinja::value::{Kwargs, Object, ObjectRepr, Rest};
use minijinja::{Environment, Error, ErrorKind, State, UndefinedBehavior, Value};
use serde_json::Value as Json;
use twinql::sql::Dialect;

use crate::RefactorError;
use crate::jinja::{List, lacking, needs, unknown, with_lists, without_blocks};
use crate::macros::{Calls, Macros, Scope};
use crate::sqlmesh;

/// What stands before and behind the name of a table that `ref` or `source` gave: of no text that anybody writes.
pub(crate) const REFERENCE: [char; 2] = ['\u{E000}', '\u{E001}'];

/// Instructions that a template may take: some seconds at most, whatever it loops over.
const FUEL: u64 = 2_000_000;

/// What the templates of a project share.
#[derive(Debug, Clone)]
pub struct Templates {
    macros: Arc<Macros>,
    vars: BTreeMap<String, Json>,
}

/// A template as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    /// The SQL; what `ref` and `source` name stands between two private characters.
    pub sql: String,
    /// It asks whether its table is there already and only grows.
    pub incremental: bool,
    /// dbt has compiled it: the file alone does not say what it is.
    pub compiled: bool,
}

impl Templates {
    /// Templates of SQL in this dialect, outside of any project.
    pub fn new(dialect: Dialect) -> Templates {
        Templates::with(BTreeMap::new(), Macros::new(dialect))
    }

    /// Templates of a project.
    pub(crate) fn with(vars: BTreeMap<String, Json>, macros: Macros) -> Templates {
        Templates { macros: Arc::new(macros), vars }
    }

    /// A template of the model `name` as text, where its table is empty or, `growing`, where rows are added to it.
    ///
    /// # Errors
    /// It needs what only dbt knows.
    pub fn render(&self, name: &str, text: &str, growing: bool) -> Result<Rendered, RefactorError> {
        if let Some(query) = sqlmesh::query(text, &self.vars) {
            return query.map(|sql| Rendered { sql, ..Rendered::default() });
        }
        if !["{{", "{%", "{#"].iter().any(|open| text.contains(open)) {
            return Ok(Rendered { sql: text.to_owned(), ..Rendered::default() });
        }
        let asked = Arc::new(AtomicBool::new(false));
        let calls = Calls::of(&self.macros);
        let mut env = self.environment(name, growing, &asked, &calls);
        let failed = |error: &Error, unknown: &[String]| RefactorError::Template(said(error, unknown));
        // No macro has a point alone before its name.
        if let Err(error) = env.add_template_owned("model", with_lists(&without_blocks(text))) {
            return Err(failed(&error, &[]));
        }
        let template = env.get_template("model").map_err(|error| failed(&error, &[]))?;
        let scope = Scope::of_models(&calls);
        let sql =
            template.render(scope.clone()).map_err(|error| failed(&error, &unknown(&template, &scope)))?;
        Ok(Rendered { sql, incremental: asked.load(Ordering::Relaxed), compiled: false })
    }

    fn environment(
        &self,
        name: &str,
        growing: bool,
        asked: &Arc<AtomicBool>,
        calls: &Arc<Calls>,
    ) -> Environment<'static> {
        let mut env = self.macros.environment();
        env.set_undefined_behavior(UndefinedBehavior::Strict);
        env.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        env.set_fuel(Some(FUEL));
        // Of a package the model is named last, of a source the table.
        env.add_function("ref", |names: Rest<String>, _version: Kwargs| match names.last() {
            Some(model) => marked(std::slice::from_ref(model)),
            None => Err(Error::new(ErrorKind::MissingArgument, "ref without a name")),
        });
        env.add_function("source", |names: Rest<String>| marked(&names));
        env.add_global("config", Value::from_object(Config));
        let vars: BTreeMap<String, Value> =
            self.vars.iter().map(|(name, value)| (name.clone(), of_json(value))).collect();
        env.add_function("var", move |name: String, default: Option<Value>| {
            vars.get(&name).cloned().or(default).ok_or_else(|| needs(format!("var {name:?}")))
        });
        env.add_function("env_var", |name: String, default: Option<Value>| {
            default.ok_or_else(|| needs(format!("env_var {name:?}")))
        });
        let asked = Arc::clone(asked);
        env.add_function("is_incremental", move || {
            asked.store(true, Ordering::Relaxed);
            growing
        });
        let calls = Arc::clone(calls);
        env.add_function("return", move |value: Value| -> Result<Value, Error> { Err(calls.end(value)) });
        env.add_function("growing_list", |values: Value| List::of(&values));
        for says_nothing in ["log", "print"] {
            env.add_function(says_nothing, |_: Rest<Value>| "");
        }
        env.add_global("this", format!("{}{name}{}", REFERENCE[0], REFERENCE[1]));
        env
    }
}

/// `config(…)` says nothing in SQL; `config.get(…)` is its default.
#[derive(Debug)]
struct Config;

impl Object for Config {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, _: &mut State<'_, '_>, _: &[Value]) -> Result<Value, Error> {
        Ok(Value::from(""))
    }

    fn call_method(
        self: &Arc<Self>,
        _: &mut State<'_, '_>,
        method: &str,
        args: &[Value],
    ) -> Result<Value, Error> {
        match (method, args) {
            ("get", [_, default, ..]) => Ok(default.clone()),
            _ => Err(needs(format!("config.{method}"))),
        }
    }

    fn render(self: &Arc<Self>, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

/// The name of a table, in its marks.
fn marked(names: &[String]) -> Result<Value, Error> {
    let plain =
        |name: &String| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-$".contains(c));
    match names.iter().find(|name| !plain(name)) {
        Some(name) => Err(needs(format!("the table {name:?}"))),
        None => Ok(Value::from(format!("{}{}{}", REFERENCE[0], names.join("."), REFERENCE[1]))),
    }
}

fn of_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(()),
        Json::Bool(b) => Value::from(*b),
        Json::Number(n) => match n.as_i64() {
            Some(whole) => Value::from(whole),
            None => Value::from(n.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(s) => Value::from(s.as_str()),
        Json::Array(all) => all.iter().map(of_json).collect(),
        Json::Object(map) => Value::from_iter(map.iter().map(|(key, value)| (key.clone(), of_json(value)))),
    }
}

/// Why a template is no text: the names that only dbt knows, or what the engine says.
fn said(error: &Error, unknown: &[String]) -> String {
    let line = error.line().map_or_else(String::new, |line| format!(", line {line}"));
    match (lacking(error), unknown) {
        (Some(what), _) => format!("{what}{line}"),
        (None, []) => format!("{error}"),
        (None, names) => format!("{}{line}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(sql: &str) -> String {
        sql.replace(REFERENCE[0], "<")
            .replace(REFERENCE[1], ">")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn what_a_project_says_is_text() {
        let macros = "{% macro cents(column, digits=2) -%} round({{ column }} / 100.0, {{ digits }}) {%- endmacro %}\n\
            {% macro broken() %}{% frobnicate %}{% endmacro %}";
        let vars = [
            ("start".to_owned(), Json::from("2020-01-01")),
            ("kinds".to_owned(), serde_json::json!(["a", "b"])),
        ];
        let mut own = Macros::new(Dialect::Postgres);
        own.add_own("shop", macros);
        let templates = Templates::with(vars.into(), own);
        for (text, expected) in [
            ("SELECT 1", "SELECT 1"),
            (
                "{# note #}{{ config(materialized='view') }} SELECT * FROM {{ ref('orders') }} o, {{ source(\"raw\", 'lines') }}",
                "SELECT * FROM <orders> o, <raw.lines>",
            ),
            (
                "SELECT {{ cents('total') }}, {{ cents('vat', digits=0) }} FROM {{ ref('shop', 'orders') }}",
                "SELECT round(total / 100.0, 2), round(vat / 100.0, 0) FROM <orders>",
            ),
            (
                "SELECT {% for k in var('kinds') %}SUM(CASE WHEN kind = '{{ k }}' THEN 1 END) AS {{ k | upper }}{% if not loop.last %}, {% endif %}{% endfor %} FROM t WHERE d > '{{ var(\"start\") }}'",
                "SELECT SUM(CASE WHEN kind = 'a' THEN 1 END) AS A, SUM(CASE WHEN kind = 'b' THEN 1 END) AS B FROM t WHERE d > '2020-01-01'",
            ),
            (
                "{% set kinds = ['x', 'y'] %}SELECT '{{ kinds | join(\"', '\") }}', {{ var('none', 3) }}, '{{ 'a'.upper() }}'",
                "SELECT 'x', 'y', 3, 'A'",
            ),
            ("{% snapshot s %} SELECT 1 {% endsnapshot %}", "SELECT 1"),
        ] {
            assert_eq!(shown(&templates.render("m", text, false).unwrap().sql), expected, "{text}");
        }
    }

    #[test]
    fn a_model_that_grows_has_two_ways() {
        let text = "SELECT * FROM {{ ref('a') }} {% if is_incremental() %} WHERE at > (SELECT MAX(at) FROM {{ this }}) {% endif %}";
        let of = |growing| Templates::new(Dialect::Postgres).render("m", text, growing).unwrap();
        assert_eq!(shown(&of(false).sql), "SELECT * FROM <a>");
        assert_eq!(shown(&of(true).sql), "SELECT * FROM <a> WHERE at > (SELECT MAX(at) FROM <m>)");
        assert!(of(false).incremental);
    }

    #[test]
    fn what_only_dbt_knows_is_named() {
        for (text, name) in [
            ("SELECT {{ dbt_utils.star(from=ref('a')) }}", "dbt_utils"),
            ("SELECT {{ my_macro('a') }}", "my_macro"),
            ("SELECT {{ var('x') }}", "var \"x\""),
            ("{% if target.name == 'dev' %} SELECT 1 {% endif %}", "target"),
            ("{% for i in range(9000) %}{% for j in range(9000) %}x{% endfor %}{% endfor %}", "fuel"),
            ("SELECT 1 FROM {{ ref('a b') }}", "\"a b\""),
            ("{{ ref('a'", "syntax"),
        ] {
            match Templates::new(Dialect::Postgres).render("m", text, false) {
                Err(RefactorError::Template(says)) => assert!(says.contains(name), "{text}: {says}"),
                other => unreachable!("{text}: {other:?}"),
            }
        }
    }
}

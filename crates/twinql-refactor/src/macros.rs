//! Macros of a project and of its packages, as dbt finds them.
//!
//! Each macro is a template of its own. It sees the macros of its package by their names, those of the project, and other packages as
//! `package.name`. [`adapter.dispatch`](https://docs.getdbt.com/reference/dbt-jinja-functions/dispatch) takes the macro of the dialect,
//! or else the default one. `return` ends a macro with a value that need not be text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use minijinja::value::{Kwargs, Object, ObjectRepr, Value, from_args};
use minijinja::{AutoEscape, Environment, Error, State};
use twinql::sql::Dialect;

use crate::jinja::{blocks, lacking, needs, unknown, with_lists};

/// The macros of dbt itself that are text.
const BUILT_IN: &str = include_str!("dbt.sql");

/// The package of those.
const DBT: &str = "dbt";

/// The project's own package.
const ROOT: &str = "";

/// Calls within calls: each takes its share of the stack.
const DEPTH: usize = 24;

/// The macros of a project, by package and name.
#[derive(Debug, Clone)]
pub(crate) struct Macros {
    env: Environment<'static>,
    names: BTreeMap<String, BTreeSet<String>>,
    /// Where a package's macros are looked for, as the project orders it.
    search: BTreeMap<String, Vec<String>>,
    /// The project's name, under which its own macros are found as well.
    project: String,
    dialect: Dialect,
}

impl Macros {
    /// Those of dbt alone.
    pub(crate) fn new(dialect: Dialect) -> Macros {
        let mut env = Environment::new();
        env.set_auto_escape_callback(|_| AutoEscape::None);
        let mut macros =
            Macros { env, names: BTreeMap::new(), search: BTreeMap::new(), project: String::new(), dialect };
        macros.add(DBT, BUILT_IN);
        macros
    }

    /// Adds those of a file of the project `name`.
    pub(crate) fn add_own(&mut self, name: &str, text: &str) {
        name.clone_into(&mut self.project);
        self.add(ROOT, text);
    }

    /// Adds those of a file of a package. What is no Jinja of ours is missed where it is used.
    pub(crate) fn add(&mut self, package: &str, text: &str) {
        let names = self.names.entry(package.to_owned()).or_default();
        for (definition, name) in definitions(text) {
            let key = format!("{package}.{name}");
            if self.env.add_template_owned(key, with_lists(definition)).is_ok() {
                names.insert(name.to_owned());
            }
        }
    }

    /// Where `adapter.dispatch` looks for the macros of a package.
    pub(crate) fn search(&mut self, package: &str, order: Vec<String>) {
        self.search.insert(package.to_owned(), order);
    }

    /// An environment that has them.
    pub(crate) fn environment(&self) -> Environment<'static> {
        self.env.clone()
    }

    fn has(&self, package: &str, name: &str) -> bool {
        self.names.get(package).is_some_and(|names| names.contains(name))
    }

    /// A name as the dialect quotes it.
    fn quoted(&self, name: &Value) -> String {
        match self.dialect {
            Dialect::Bigquery | Dialect::Databricks | Dialect::Mysql => format!("`{name}`"),
            _ => format!("\"{name}\""),
        }
    }

    /// The package of a name in templates.
    fn package<'n>(&self, name: &'n str) -> &'n str {
        if !name.is_empty() && name == self.project { ROOT } else { name }
    }

    /// The macro that a dialect has for a name.
    fn dispatched(&self, name: &str, package: &str) -> Option<(String, String)> {
        let own = [ROOT.to_owned(), package.to_owned()];
        let order = self.search.get(package).map_or(&own[..], Vec::as_slice);
        let prefixes: &[&str] = match self.dialect {
            Dialect::Redshift => &["redshift", "postgres", "default"],
            Dialect::Databricks => &["databricks", "spark", "default"],
            Dialect::Tsql => &["sqlserver", "fabric", "default"],
            other => &[other.name(), "default"],
        };
        order.iter().find_map(|package| {
            let package = self.package(package);
            let found = prefixes.iter().map(|prefix| format!("{prefix}__{name}"));
            found.into_iter().find(|name| self.has(package, name)).map(|name| (package.to_owned(), name))
        })
    }
}

/// What is called while one template is rendered.
pub(crate) struct Calls {
    macros: Arc<Macros>,
    depth: AtomicUsize,
    returned: Mutex<Option<Value>>,
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Calls")
    }
}

impl Calls {
    pub(crate) fn of(macros: &Arc<Macros>) -> Arc<Calls> {
        Arc::new(Calls { macros: Arc::clone(macros), depth: AtomicUsize::new(0), returned: Mutex::new(None) })
    }

    /// Ends a macro with a value.
    pub(crate) fn end(&self, value: Value) -> Error {
        *self.returned.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        needs("return outside of a macro".to_owned())
    }

    fn taken(&self) -> Option<Value> {
        self.returned.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// What is in sight in a model or in a macro of a package.
#[derive(Debug)]
pub(crate) struct Scope {
    calls: Arc<Calls>,
    package: String,
}

impl Scope {
    /// Of the project's models.
    pub(crate) fn of_models(calls: &Arc<Calls>) -> Value {
        Value::from_object(Scope { calls: Arc::clone(calls), package: ROOT.to_owned() })
    }
}

impl Object for Scope {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, name: &str) -> Option<Value> {
        let macros = &self.calls.macros;
        let called = |package: &str, name: String| Called {
            calls: Arc::clone(&self.calls),
            package: package.to_owned(),
            name,
        };
        for package in [self.package.as_str(), ROOT] {
            if macros.has(package, name) {
                return Some(Value::from_object(called(package, name.to_owned())));
            }
        }
        if name == "adapter" {
            return Some(Value::from_object(Adapter(Arc::clone(&self.calls))));
        }
        let package = macros.package(name);
        (!name.is_empty() && macros.names.contains_key(package))
            .then(|| Value::from_object(Package { calls: Arc::clone(&self.calls), name: package.to_owned() }))
    }
}

/// The macros of a package, by name.
#[derive(Debug)]
struct Package {
    calls: Arc<Calls>,
    name: String,
}

impl Object for Package {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        let macros = &self.calls.macros;
        let (package, name) = match self.name.as_str() {
            DBT => macros.dispatched(name, DBT)?,
            package => macros.has(package, name).then(|| (package.to_owned(), name.to_owned()))?,
        };
        Some(Value::from_object(Called { calls: Arc::clone(&self.calls), package, name }))
    }

    fn call_method(
        self: &Arc<Self>,
        state: &mut State<'_, '_>,
        method: &str,
        args: &[Value],
    ) -> Result<Value, Error> {
        match self.get_value(&Value::from(method)) {
            Some(called) => called.call(state, args),
            None => Err(needs(format!("{}.{method}", self.name))),
        }
    }
}

/// `adapter`, of which `dispatch` and `quote` alone are known.
#[derive(Debug)]
struct Adapter(Arc<Calls>);

impl Object for Adapter {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call_method(
        self: &Arc<Self>,
        _: &mut State<'_, '_>,
        method: &str,
        args: &[Value],
    ) -> Result<Value, Error> {
        match (method, args) {
            ("quote", [name]) => return Ok(Value::from(self.0.macros.quoted(name))),
            ("dispatch", _) => {}
            _ => return Err(needs(format!("adapter.{method}"))),
        }
        let (name, package, named) = from_args::<(Option<String>, Option<String>, Kwargs)>(args)?;
        let given = |given: Option<String>, key: &str| match given {
            Some(given) => Ok(Some(given)),
            None => named.get::<Option<String>>(key),
        };
        let name = given(name, "macro_name")?.unwrap_or_default();
        let package = given(package, "macro_namespace")?.unwrap_or_default();
        match self.0.macros.dispatched(&name, self.0.macros.package(&package)) {
            Some((package, name)) => {
                Ok(Value::from_object(Called { calls: Arc::clone(&self.0), package, name }))
            }
            None => Err(needs(format!("adapter.dispatch of {name:?}"))),
        }
    }
}

/// A macro that can be called.
#[derive(Debug)]
struct Called {
    calls: Arc<Calls>,
    package: String,
    name: String,
}

impl Object for Called {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        let calls = &self.calls;
        if calls.depth.load(Ordering::Relaxed) >= DEPTH {
            return Err(needs(format!("{self}, which calls itself or {DEPTH} others")));
        }
        // The block is of another template.
        let has_block =
            |last: &Value| last.is_kwargs() && last.get_attr("caller").is_ok_and(|v| !v.is_undefined());
        if args.last().is_some_and(has_block) {
            return Err(needs(format!("a call block of {self}")));
        }
        let template = state.env().get_template(&format!("{}.{}", self.package, self.name))?;
        let scope = Value::from_object(Scope { calls: Arc::clone(calls), package: self.package.clone() });
        let mut defined = template.render_captured(scope.clone())?;
        calls.depth.fetch_add(1, Ordering::Relaxed);
        let (text, spent) = defined.with_state_mut(|inner| {
            let text = inner.call_macro(&self.name, args);
            (text, inner.fuel_levels().map_or(0, |(spent, _)| spent))
        });
        calls.depth.fetch_sub(1, Ordering::Relaxed);
        state.consume_fuel(spent)?;
        match (text, calls.taken()) {
            (_, Some(value)) => Ok(value),
            (Ok(text), None) => Ok(Value::from(text)),
            // What it lacks is said once, where it is lacking.
            (Err(error), None) if lacking(&error).is_some() => Err(error),
            (Err(error), None) => match unknown(&template, &scope) {
                names if names.is_empty() => Err(error),
                names => Err(needs(format!("{} in the macro {self}", names.join(", ")))),
            },
        }
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", **self)
    }
}

impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.package.as_str() {
            ROOT => f.write_str(&self.name),
            package => write!(f, "{package}.{}", self.name),
        }
    }
}

/// The definitions of macros in a file, and their names.
pub(crate) fn definitions(text: &str) -> Vec<(&str, &str)> {
    let of = |(from, body, _, to): (usize, usize, usize, usize)| {
        let head = text.get(from..body)?.split_once("macro")?.1.trim_start();
        let end = head.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        Some((text.get(from..to)?, head.get(..end)?))
    };
    blocks(text, "macro", "endmacro").into_iter().filter_map(of).collect()
}

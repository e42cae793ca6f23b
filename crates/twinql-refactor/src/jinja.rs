//! What templates of dbt have beyond Jinja, and what is read of their text.

use std::sync::{Arc, Mutex, PoisonError};

use minijinja::value::{Enumerator, Object, ObjectRepr, Value};
use minijinja::{Error, ErrorKind, State, Template};

/// Names that templates may use.
const KNOWN: [&str; 16] = [
    "ref",
    "source",
    "config",
    "var",
    "env_var",
    "is_incremental",
    "this",
    "return",
    "range",
    "dict",
    "namespace",
    "loop",
    "caller",
    "log",
    "print",
    "growing_list",
];

/// The names of a template that nobody knows.
pub(crate) fn unknown(template: &Template<'_, '_>, scope: &Value) -> Vec<String> {
    let known = |name: &String| {
        let first = name.split('.').next().unwrap_or(name);
        KNOWN.contains(&first) || scope.get_attr(first).is_ok_and(|value| !value.is_undefined())
    };
    let mut unknown: Vec<String> = template.undeclared_variables(true).into_iter().collect();
    unknown.retain(|name| !known(name));
    unknown.sort();
    unknown
}

/// That a template needs what only dbt knows.
pub(crate) fn needs(what: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, what).with_source(Lacking)
}

/// What is lacking, if that is why a template fails.
pub(crate) fn lacking(error: &Error) -> Option<&str> {
    use std::error::Error as _;
    error.source().filter(|source| source.is::<Lacking>()).and(error.detail())
}

/// Marks an error that says what is lacking.
#[derive(Debug, thiserror::Error)]
#[error("only dbt knows it")]
struct Lacking;

/// A model without the blocks that dbt adds to Jinja: a snapshot is its query.
pub(crate) fn without_blocks(text: &str) -> String {
    match blocks(text, "snapshot", "endsnapshot").first() {
        Some(&(_, from, to, _)) => text[from..to].to_owned(),
        None => text.to_owned(),
    }
}

/// Where blocks of a tag begin, where their bodies begin and end, and where they end.
pub(crate) fn blocks(text: &str, open: &str, close: &str) -> Vec<(usize, usize, usize, usize)> {
    let mut found = Vec::new();
    let mut opened = None;
    let mut from = 0;
    while let Some(at) = text[from..].find("{%").map(|at| at + from) {
        let Some(end) = text[at..].find("%}").map(|end| at + end + 2) else { break };
        let tag = text[at + 2..end - 2].trim_start_matches(['-', '+']).trim_start();
        let word = tag.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        if word == open {
            opened = Some((at, end));
        } else if word == close
            && let Some((start, body)) = opened.take()
        {
            found.push((start, body, at, end));
        }
        from = end;
    }
    found
}

/// A list that grows by `append` and `extend`, which lists of minijinja do not.
#[derive(Debug, Default)]
pub(crate) struct List(Mutex<Vec<Value>>);

impl List {
    /// A list of these values.
    pub(crate) fn of(values: &Value) -> Result<Value, Error> {
        Ok(Value::from_object(List(Mutex::new(values.try_iter()?.collect()))))
    }

    fn values(&self) -> std::sync::MutexGuard<'_, Vec<Value>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Object for List {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let at = i64::try_from(key.clone()).ok()?;
        let values = self.values();
        let at = if at < 0 {
            values.len().checked_sub(usize::try_from(-at).ok()?)?
        } else {
            usize::try_from(at).ok()?
        };
        values.get(at).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.values().len())
    }

    fn call_method(
        self: &Arc<Self>,
        _: &mut State<'_, '_>,
        method: &str,
        args: &[Value],
    ) -> Result<Value, Error> {
        match (method, args) {
            ("append", [value]) => self.values().push(value.clone()),
            ("extend", [more]) => {
                let more: Vec<Value> = more.try_iter()?.collect();
                self.values().extend(more);
            }
            _ => return Err(Error::from(ErrorKind::UnknownMethod)),
        }
        Ok(Value::from(()))
    }
}

/// A template whose lists can grow: `{% set names = [] %}` is the only way to begin one.
pub(crate) fn with_lists(text: &str) -> String {
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag, behind)) = rest
        .split_once("{%")
        .and_then(|(before, tag)| tag.split_once("%}").map(|(tag, behind)| (before, tag, behind)))
    {
        out.push_str(before);
        let [open, close] = [tag.starts_with(['-', '+']), tag.ends_with(['-', '+'])];
        let inside = tag.trim_matches(['-', '+']).trim();
        let list = inside
            .strip_prefix("set ")
            .and_then(|set| set.split_once('='))
            .map(|(name, value)| (name.trim(), value.trim()));
        match list {
            Some((name, value)) if is_name(name) && value.starts_with('[') && value.ends_with(']') => {
                let ends = [(open, tag.get(..1)), (close, tag.get(tag.len().saturating_sub(1)..))]
                    .map(|(has, end)| end.filter(|_| has).unwrap_or(""));
                out.push_str(&format!("{{%{} set {name} = growing_list({value}) {}%}}", ends[0], ends[1]));
            }
            _ => out.push_str(&format!("{{%{tag}%}}")),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

//! Functions of a dialect that has a table of its own.
//!
//! A row says what a function is in SQLite's or the sandbox's words. A function without a row that is not one that every
//! system has ([`PORTABLE`]) is opaque: `tsql_checksum(x)`, of which nothing is known but that the same call gives the
//! same value. No function of another system is ever passed on by its name.

use crate::dialects::Dialect;
use crate::expr::Expr;
use crate::plan::Planner;

/// Any number of arguments.
pub(crate) const MANY: usize = usize::MAX;

/// A function of one system.
pub(crate) struct Function {
    /// Its names, in lower case: `substr|substring`.
    names: &'static str,
    /// The least and the greatest number of arguments with which this row holds.
    pub(crate) arguments: (usize, usize),
    /// Which argument, from 0, is a unit of time or a part of a date, written as a word.
    pub(crate) unit: Option<usize>,
    /// What it is.
    pub(crate) to: To,
}

/// What a function is in words that are known.
pub(crate) enum To {
    /// The function of SQLite or the sandbox of this name, with the same arguments.
    Call(&'static str),
    /// What this dialect means by the same name and arguments.
    As(Dialect),
    /// Other words; `None` for a call that has none, which is then opaque.
    Written(fn(&Planner<'_>, &[Expr]) -> Option<Expr>),
}

/// A row.
pub(crate) const fn function(names: &'static str, arguments: (usize, usize), to: To) -> Function {
    Function { names, arguments, unit: None, to }
}

/// A row of a function that takes a unit of time.
pub(crate) const fn timed(names: &'static str, arguments: (usize, usize), unit: usize, to: To) -> Function {
    Function { names, arguments, unit: Some(unit), to }
}

impl Function {
    /// Its names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.split('|')
    }
}

/// Functions that mean the same in every system that has them, in SQLite's words, with the arguments that they take.
pub(crate) const PORTABLE: &[(&str, (usize, usize))] = &[
    ("abs", (1, 1)),
    ("ceil", (1, 1)),
    ("ceiling", (1, 1)),
    ("floor", (1, 1)),
    ("sqrt", (1, 1)),
    ("exp", (1, 1)),
    ("ln", (1, 1)),
    ("log10", (1, 1)),
    ("power", (2, 2)),
    ("pow", (2, 2)),
    ("sign", (1, 1)),
    ("pi", (0, 0)),
    ("lower", (1, 1)),
    ("upper", (1, 1)),
    ("trim", (1, 1)),
    ("ltrim", (1, 1)),
    ("rtrim", (1, 1)),
    ("coalesce", (2, usize::MAX)),
    ("nullif", (2, 2)),
    ("round", (1, 2)),
    ("current_date", (0, 0)),
    ("current_timestamp", (0, 0)),
    ("substr", (2, 3)),
    ("substring", (2, 3)),
    ("instr", (2, 2)),
    ("replace", (3, 3)),
    ("mod", (2, 2)),
];

impl Dialect {
    /// Whether its functions are in a table of its own.
    pub(crate) const fn functions_of_its_own(self) -> bool {
        self.profile().functions.is_some()
    }

    /// The row of a call.
    pub(crate) fn function(self, name: &str, arguments: usize) -> Option<&'static Function> {
        let mut rows = self.profile().functions?.iter().copied().flatten();
        rows.find(|f| {
            f.arguments.0 <= arguments && arguments <= f.arguments.1 && f.names().any(|n| n == name)
        })
    }

    /// The name of a function of this dialect of which nothing is known.
    pub(crate) fn opaque_name(self, name: &str) -> String {
        format!("{self}_{name}")
    }

    /// The function that such a name stands for, and its dialect.
    pub fn of_opaque(name: &str) -> Option<(Dialect, &str)> {
        Dialect::ALL.into_iter().find_map(|dialect| {
            let rest = name.strip_prefix(dialect.name())?.strip_prefix('_')?;
            (!rest.is_empty()).then_some((dialect, rest))
        })
    }

    /// Whether a call means the same in every system.
    pub(crate) fn is_portable(name: &str, arguments: usize) -> bool {
        PORTABLE.iter().any(|(n, (least, most))| *n == name && *least <= arguments && arguments <= *most)
    }
}

//! What is known of functions: one row for each, in one table.
//!
//! A row says how many arguments a function takes, what its values are, when they are NULL, whether two calls
//! give the same, and what dialects other than SQLite's call it. The planner reads names and classes from it, the
//! rules what is known of NULLs, the sandbox how many arguments the functions have that it adds to SQLite.
//!
//! ```
//! use twinql_sql::{Dialect, function};
//!
//! let lower = function::scalar("lower").unwrap();
//! assert!(lower.nulls.is_strict() && !lower.volatile);
//! assert_eq!(function::sqlite_name(Dialect::Mysql, "lcase", 1), Some("lower"));
//! // What MySQL calls the length counts bytes.
//! assert_eq!(function::sqlite_name(Dialect::Mysql, "length", 1), Some("octet_length"));
//! ```

mod table;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::dialects::Dialect;
use crate::expr::AggFunc;
use crate::schema::TypeClass;

pub use table::{AGGREGATES, SCALARS};

/// The class of a scalar function's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// This one.
    Class(TypeClass),
    /// That of the first argument.
    First,
    /// Whole numbers of whole numbers, else numbers.
    Numeric,
    /// What holds the values of all arguments.
    Common,
    /// What holds the values of the second and the third argument.
    Branches,
}

/// When a scalar function's value is NULL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    /// Never.
    Never,
    /// Exactly where an argument is NULL.
    WithArgument,
    /// Where an argument is NULL, and maybe elsewhere.
    Strict,
    /// Exactly where all arguments are NULL.
    IfAll,
    /// Where the branch that is taken is NULL: the second or the third argument.
    Branches,
    /// Nothing is known.
    Unknown,
}

impl Nulls {
    /// A NULL among the arguments makes the value NULL.
    pub fn is_strict(self) -> bool {
        matches!(self, Nulls::WithArgument | Nulls::Strict)
    }

    /// Whether the value may be NULL, from what is known of each argument.
    pub fn may_be_null(self, mut arguments: impl ExactSizeIterator<Item = bool>) -> bool {
        match self {
            Nulls::Never => false,
            Nulls::WithArgument => arguments.any(|null| null),
            Nulls::IfAll => arguments.all(|null| null),
            // IIF without a third argument is NULL where its condition does not hold.
            Nulls::Branches => arguments.len() < 3 || arguments.skip(1).any(|null| null),
            Nulls::Strict | Nulls::Unknown => true,
        }
    }
}

/// What another dialect calls a function.
#[derive(Debug, Clone, Copy)]
pub struct Spelling {
    /// The name there, in lower case.
    pub name: &'static str,
    /// The least and the greatest number of arguments with which it is the same.
    pub arguments: (usize, usize),
    /// The dialects that call it so; never asked of SQLite's.
    pub among: fn(Dialect) -> bool,
}

/// A scalar function that SQLite or the sandbox has.
#[derive(Debug, Clone, Copy)]
pub struct Scalar {
    /// Its name, in lower case.
    pub name: &'static str,
    /// The least and the greatest number of arguments.
    pub arity: (usize, usize),
    /// The class of its values.
    pub gives: Gives,
    /// When they are NULL.
    pub nulls: Nulls,
    /// Two calls with the same arguments may give different values.
    pub volatile: bool,
    /// What other dialects call it where the arguments are the same.
    pub also: &'static [Spelling],
}

/// An aggregate.
#[derive(Debug, Clone)]
pub struct Aggregate {
    /// Its name, in lower case.
    pub name: &'static str,
    /// What it is in a plan; `None` for one that no rule knows, which keeps its name.
    pub func: Option<AggFunc>,
    /// The least and the greatest number of arguments.
    pub arity: (usize, usize),
    /// Its values may come from WITHIN GROUP (ORDER BY …).
    pub of_an_order: bool,
    /// The aggregate that it is in MySQL, and in other dialects than SQLite's.
    pub elsewhere: Option<(&'static str, &'static str)>,
}

impl Aggregate {
    /// The aggregate that it is in a plan of `dialect`.
    fn there(&self, dialect: Dialect) -> &Aggregate {
        let other = match self.elsewhere {
            Some((name, _)) if dialect == Dialect::Mysql => aggregate(name),
            Some((_, name)) if dialect != Dialect::Sqlite => aggregate(name),
            _ => None,
        };
        other.unwrap_or(self)
    }

    /// Its function in a plan of `dialect`.
    pub fn in_dialect(&self, dialect: Dialect) -> AggFunc {
        let found = self.there(dialect);
        match &found.func {
            Some(func) => func.clone(),
            None => AggFunc::Other(found.name.to_owned()),
        }
    }

    /// Its name over a window in a plan of `dialect`.
    pub fn name_in(&self, dialect: Dialect) -> &'static str {
        self.there(dialect).name
    }
}

static BY_NAME: LazyLock<HashMap<&str, &Scalar>> =
    LazyLock::new(|| SCALARS.iter().map(|f| (f.name, f)).collect());

static AGGREGATES_BY_NAME: LazyLock<HashMap<&str, &Aggregate>> =
    LazyLock::new(|| AGGREGATES.iter().map(|a| (a.name, a)).collect());

static BY_SPELLING: LazyLock<HashMap<&str, Vec<(&Spelling, &'static str)>>> = LazyLock::new(|| {
    let mut all: HashMap<&str, Vec<_>> = HashMap::new();
    for function in SCALARS {
        for spelling in function.also {
            all.entry(spelling.name).or_default().push((spelling, function.name));
        }
    }
    all
});

/// The scalar function of this lower-case name.
pub fn scalar(name: &str) -> Option<&'static Scalar> {
    BY_NAME.get(name).copied()
}

/// What the names of the sandbox's own functions begin with, by the system that they come from.
pub const PREFIXES: [&str; 7] = ["pg_", "my_", "ms_", "bq_", "sf_", "ora_", "sql_"];

/// Whether SQLite or the sandbox has a scalar function of this lower-case name.
pub fn is_scalar(name: &str) -> bool {
    scalar(name).is_some() || table::FURTHER.contains(&name) || table::OPAQUE.contains(&name)
}

/// Whether nothing is known of a function of this lower-case name: it may aggregate, or give rows.
pub(crate) fn is_unknown(name: &str) -> bool {
    Dialect::of_opaque(name).is_some() || !is_scalar(name)
}

/// The least and the greatest number of arguments of a window function of SQLite, by its lower-case name; none of aggregates.
pub fn window_arity(name: &str) -> Option<(usize, usize)> {
    table::WINDOWS.iter().find(|(window, _)| *window == name).map(|(_, arity)| *arity)
}

/// The aggregate of this lower-case name.
pub fn aggregate(name: &str) -> Option<&'static Aggregate> {
    AGGREGATES_BY_NAME.get(name).copied()
}

/// What SQLite or the sandbox calls a function of another dialect that takes the same arguments; `None` where
/// nothing is known, or the name is the same.
pub fn sqlite_name(dialect: Dialect, name: &str, arguments: usize) -> Option<&'static str> {
    let fits = |s: &Spelling| s.arguments.0 <= arguments && arguments <= s.arguments.1 && (s.among)(dialect);
    let spelled = BY_SPELLING.get(name)?;
    spelled.iter().find(|(s, _)| fits(s)).map(|(_, name)| *name)
}

/// Whether two calls with the same arguments give the same value.
pub fn is_volatile(name: &str) -> bool {
    scalar(name).is_some_and(|f| f.volatile)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_name_has_one_row() {
        let scalars: BTreeSet<&str> = SCALARS.iter().map(|f| f.name).collect();
        assert_eq!(scalars.len(), SCALARS.len());
        let aggregates: BTreeSet<&str> = AGGREGATES.iter().map(|a| a.name).collect();
        assert_eq!(aggregates.len(), AGGREGATES.len());
    }

    #[test]
    fn what_an_aggregate_is_elsewhere_is_in_the_table() {
        for a in AGGREGATES {
            for name in a.elsewhere.into_iter().flat_map(|(mysql, others)| [mysql, others]) {
                assert!(aggregate(name).is_some(), "{}: {name}", a.name);
            }
        }
        let of = |dialect| aggregate("stddev").unwrap().in_dialect(dialect);
        assert_eq!(of(Dialect::Mysql), AggFunc::Other("pg_stddev_pop".into()));
        assert_eq!(of(Dialect::Postgres), AggFunc::Other("pg_stddev_samp".into()));
        assert_eq!(of(Dialect::Sqlite), AggFunc::Other("stddev".into()));
    }

    #[test]
    fn a_spelling_means_one_function_in_each_dialect() {
        for dialect in [Dialect::Postgres, Dialect::Mysql, Dialect::Generic] {
            for (name, spelled) in &*BY_SPELLING {
                for arguments in 0..5 {
                    let fits = |s: &Spelling| {
                        s.arguments.0 <= arguments && arguments <= s.arguments.1 && (s.among)(dialect)
                    };
                    let found = spelled.iter().filter(|(s, _)| fits(s)).count();
                    assert!(found <= 1, "{dialect:?} {name} with {arguments} arguments");
                }
            }
        }
    }

    #[test]
    fn nulls_of_arguments() {
        let may = |name: &str, nulls: &[bool]| scalar(name).unwrap().nulls.may_be_null(nulls.iter().copied());
        assert!(!may("coalesce", &[true, false]) && may("coalesce", &[true, true]));
        assert!(may("substr", &[true, false]) && !may("substr", &[false, false]));
        assert!(!may("iif", &[true, false, false]) && may("iif", &[false, false]));
        // unicode('') and sign('a') are NULL.
        assert!(may("unicode", &[false]) && may("sign", &[false]));
        assert!(!may("hex", &[true]));
    }
}

//! Whose SQL a text is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The system whose grammar and meaning a text has. Trees mean what SQLite means by them,
/// whatever the dialect: where another system means something else, the planner writes it
/// out in SQLite's terms (`docs/dialects.md` says what is and what is not modelled).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// SQLite; what databases are judged with.
    #[default]
    Sqlite,
    /// PostgreSQL.
    Postgres,
    /// MySQL and MariaDB, in their default SQL mode.
    Mysql,
    /// Standard SQL with what most systems add to it.
    Generic,
}

/// What `/` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Division {
    /// Whole numbers are cut to a whole number, by how each value is stored (SQLite).
    ByStorage,
    /// Whole numbers are cut to a whole number, by the operands' types.
    ByType,
    /// Always a fraction.
    Fraction,
    /// One or the other, unless an operand has a fraction by its type.
    Unknown,
}

impl Dialect {
    /// Every dialect, in the order in which they are documented.
    pub const ALL: [Dialect; 4] = [Dialect::Sqlite, Dialect::Postgres, Dialect::Mysql, Dialect::Generic];

    /// Its name on the command line and in signatures.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Sqlite => "sqlite",
            Dialect::Postgres => "postgres",
            Dialect::Mysql => "mysql",
            Dialect::Generic => "generic",
        }
    }

    /// A name in double quotes that no column has is a string.
    pub(crate) const fn quoted_name_may_be_string(self) -> bool {
        matches!(self, Dialect::Sqlite)
    }

    /// LIKE tells cases apart.
    pub(crate) const fn like_is_case_sensitive(self) -> bool {
        matches!(self, Dialect::Postgres | Dialect::Generic)
    }

    /// What takes a pattern's `%` literally where no ESCAPE says so.
    pub(crate) const fn like_escape(self) -> Option<char> {
        match self {
            Dialect::Postgres | Dialect::Mysql => Some('\\'),
            Dialect::Sqlite | Dialect::Generic => None,
        }
    }

    /// What `/` does.
    pub(crate) const fn division(self) -> Division {
        match self {
            Dialect::Sqlite => Division::ByStorage,
            Dialect::Postgres => Division::ByType,
            Dialect::Mysql => Division::Fraction,
            Dialect::Generic => Division::Unknown,
        }
    }

    /// NULL counts as greater than every value where an order does not say.
    pub(crate) const fn nulls_are_greatest(self) -> bool {
        matches!(self, Dialect::Postgres)
    }

    /// All set operators bind alike, from the left; elsewhere INTERSECT binds tighter.
    pub(crate) const fn set_operators_are_of_one_level(self) -> bool {
        matches!(self, Dialect::Sqlite)
    }

    /// A common table expression sees itself only after WITH RECURSIVE.
    pub(crate) const fn recursion_is_said(self) -> bool {
        matches!(self, Dialect::Postgres | Dialect::Mysql)
    }

    /// A window frame may end in EXCLUDE.
    pub(crate) const fn frames_exclude(self) -> bool {
        !matches!(self, Dialect::Mysql)
    }

    /// `||` is OR.
    pub(crate) const fn bars_are_or(self) -> bool {
        matches!(self, Dialect::Mysql)
    }

    /// LENGTH counts bytes.
    pub(crate) const fn length_counts_bytes(self) -> bool {
        matches!(self, Dialect::Mysql)
    }

    /// CONCAT of NULL is NULL; elsewhere NULLs are left out.
    pub(crate) const fn concat_keeps_null(self) -> bool {
        matches!(self, Dialect::Mysql)
    }

    /// GREATEST and LEAST of NULL are NULL; elsewhere NULLs are left out.
    pub(crate) const fn greatest_keeps_null(self) -> bool {
        matches!(self, Dialect::Mysql)
    }

    /// Double quotes hold strings.
    pub(crate) const fn double_quotes_are_strings(self) -> bool {
        matches!(self, Dialect::Mysql)
    }

    /// Brackets hold names.
    pub(crate) const fn brackets_quote_names(self) -> bool {
        matches!(self, Dialect::Sqlite | Dialect::Generic)
    }

    /// A backslash escapes in strings.
    pub(crate) const fn backslash_escapes(self) -> bool {
        matches!(self, Dialect::Mysql)
    }

    /// `#` begins a comment.
    pub(crate) const fn hash_is_comment(self) -> bool {
        !matches!(self, Dialect::Postgres)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no dialect has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown dialect {name:?}; the dialects are {}", Dialect::ALL.map(Dialect::name).join(", "))]
pub struct UnknownDialect {
    /// What was asked for.
    pub name: String,
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let lower = name.trim().to_ascii_lowercase();
        Dialect::ALL
            .into_iter()
            .find(|d| d.name() == lower || lower == "postgresql" && *d == Dialect::Postgres)
            .ok_or_else(|| UnknownDialect { name: name.to_owned() })
    }
}

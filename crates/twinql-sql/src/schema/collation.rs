//! Which texts are the same.

use serde::{Deserialize, Serialize};

use crate::dialects::Dialect;

/// How texts of a column are compared (<https://sqlite.org/datatype3.html>, section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Collation {
    /// By their bytes.
    Binary,
    /// Without regard to the case of ASCII letters. MySQL's `…_ci` are taken for it, though these know other letters too.
    Nocase,
    /// Without regard to spaces at the end.
    Rtrim,
}

impl Collation {
    /// The collation that `dialect` calls so; `None` where the name is not known.
    pub fn named(name: &str, dialect: Dialect) -> Option<Collation> {
        let lower = name.to_ascii_lowercase();
        match (dialect, lower.as_str()) {
            (Dialect::Sqlite, "nocase") => Some(Collation::Nocase),
            (Dialect::Sqlite, "rtrim") => Some(Collation::Rtrim),
            (Dialect::Sqlite | Dialect::Mysql, "binary") => Some(Collation::Binary),
            // utf8mb4_0900_ai_ci, Latin1_General_CS_AS, Latin1_General_BIN2.
            (dialect, name) if dialect.meaning().ignores_case => {
                let has = |sign: &[&str]| name.split('_').any(|part| sign.contains(&part));
                match (has(&["ci"]), has(&["bin", "bin2", "cs"])) {
                    (true, _) => Some(Collation::Nocase),
                    (_, true) => Some(Collation::Binary),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// SQLite's name for it.
    pub const fn name(self) -> &'static str {
        match self {
            Collation::Binary => "BINARY",
            Collation::Nocase => "NOCASE",
            Collation::Rtrim => "RTRIM",
        }
    }

    /// The function that gives texts the same bytes exactly where this collation takes them for the same; it keeps their
    /// order too. `None` where that is the text itself.
    pub const fn function(self) -> Option<&'static str> {
        match self {
            Collation::Binary => None,
            Collation::Nocase => Some("lower"),
            Collation::Rtrim => Some("rtrim"),
        }
    }

    /// What [`Collation::function`] makes of a text.
    pub fn folded(self, text: &str) -> String {
        match self {
            Collation::Binary => text.to_owned(),
            Collation::Nocase => text.to_ascii_lowercase(),
            Collation::Rtrim => text.trim_end_matches(' ').to_owned(),
        }
    }
}

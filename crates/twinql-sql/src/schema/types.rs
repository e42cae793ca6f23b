//! What a declared column type says about storage and about values.

use super::{Affinity, TypeClass};
use crate::dialects::Dialect;

/// Words that end a column's type: what follows is a constraint.
pub(super) const ENDS_A_TYPE: &[&str] = &words![
    CONSTRAINT PRIMARY NOT NULL UNIQUE CHECK DEFAULT COLLATE REFERENCES GENERATED AS AUTO_INCREMENT AUTOINCREMENT
    COMMENT ON FOREIGN IDENTITY VIRTUAL STORED KEY CHARSET ENABLE DISABLE INVISIBLE VISIBLE COLUMN_FORMAT
];

/// Words that SQLite refuses in a type beside those that end one.
pub(super) const RESERVED_IN_A_TYPE: &[&str] = &words![
    SET TABLE SELECT CREATE FROM WHERE VALUES IN IS OR AND TO INDEX ORDER GROUP TRANSACTION
];

impl Affinity {
    /// The affinity of a declared type: the five rules, in order, of
    /// <https://sqlite.org/datatype3.html>, section 3.1.
    pub fn of_declared(declared: &str) -> Affinity {
        let d = declared.to_ascii_uppercase();
        let has = |s: &str| d.contains(s);
        if has("INT") {
            Affinity::Integer
        } else if has("CHAR") || has("CLOB") || has("TEXT") {
            Affinity::Text
        } else if has("BLOB") || d.trim().is_empty() {
            Affinity::Blob
        } else if has("REAL") || has("FLOA") || has("DOUB") {
            Affinity::Real
        } else {
            Affinity::Numeric
        }
    }

    /// As [`Affinity::of_declared`] for SQLite; for another dialect, the affinity under which
    /// SQLite keeps the values that such a column holds there as they are.
    pub fn of_declared_in(declared: &str, dialect: Dialect) -> Affinity {
        if dialect == Dialect::Sqlite {
            return Affinity::of_declared(declared);
        }
        match TypeClass::of_declared_in(declared, dialect) {
            TypeClass::Text | TypeClass::Time => Affinity::Text,
            TypeClass::Integer | TypeClass::Boolean => Affinity::Integer,
            TypeClass::Number => match Affinity::of_declared(declared) {
                Affinity::Real => Affinity::Real,
                _ => Affinity::Numeric,
            },
            TypeClass::Other => Affinity::Blob,
        }
    }

    /// A declared type that has this affinity.
    pub fn type_name(self) -> &'static str {
        match self {
            Affinity::Text => "TEXT",
            Affinity::Numeric => "NUMERIC",
            Affinity::Integer => "INTEGER",
            Affinity::Real => "REAL",
            Affinity::Blob => "BLOB",
        }
    }
}

impl TypeClass {
    /// As [`TypeClass::of_declared`], with what the dialect means by a type of another sense.
    pub fn of_declared_in(declared: &str, dialect: Dialect) -> TypeClass {
        let d = declared.trim().to_ascii_uppercase();
        match dialect {
            // MySQL's BOOLEAN is short for this.
            Dialect::Mysql if d.starts_with("TINYINT(1)") => TypeClass::Boolean,
            Dialect::Sqlite => TypeClass::of_declared(declared),
            _ if d.ends_with(']') || is_document(&d) => TypeClass::Text,
            Dialect::Postgres if d == "POINT" || d == "BYTEA" => TypeClass::Other,
            _ => TypeClass::of_declared(declared),
        }
    }

    /// The kind of values that people put in a column of this declared type, in SQLite,
    /// MySQL, PostgreSQL or `tables.json` words.
    pub fn of_declared(declared: &str) -> TypeClass {
        let d = declared.to_ascii_uppercase();
        let has = |names: &[&str]| names.iter().any(|n| d.contains(n));
        // Order matters: INTERVAL holds INT, DATETIME holds no other word, and so on.
        if has(&["BOOL"]) || d.trim() == "BIT" {
            TypeClass::Boolean
        } else if has(&["DATE", "TIME", "INTERVAL"]) {
            TypeClass::Time
        } else if has(&["CHAR", "CLOB", "TEXT", "STRING", "ENUM", "UUID", "JSON"]) {
            TypeClass::Text
        } else if has(&["INT", "SERIAL", "YEAR"]) {
            TypeClass::Integer
        } else if has(&["REAL", "FLOA", "DOUB", "DEC", "NUM", "MONEY"]) {
            TypeClass::Number
        } else {
            TypeClass::Other
        }
    }
}

/// Whether the values of a type, in upper case, are kept as JSON: `STRUCT<a INT64>`, `ARRAY<STRING>`, `VARIANT`.
pub(crate) fn is_document(declared: &str) -> bool {
    let of_parts = ["STRUCT", "ARRAY", "MAP", "RECORD", "ROW"];
    let word = declared.split(['<', '(', ' ']).next().unwrap_or_default();
    of_parts.contains(&word) || matches!(word, "JSON" | "JSONB" | "VARIANT" | "OBJECT" | "SUPER")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_types() {
        use {Affinity as A, TypeClass as C};
        for (declared, affinity, class) in [
            ("INTEGER", A::Integer, C::Integer),
            ("bigint unsigned", A::Integer, C::Integer),
            ("VARCHAR(20)", A::Text, C::Text),
            ("nvarchar2", A::Text, C::Text),
            ("", A::Blob, C::Other),
            ("BLOB", A::Blob, C::Other),
            ("double precision", A::Real, C::Number),
            ("float(10,2)", A::Real, C::Number),
            ("DECIMAL(19,4)", A::Numeric, C::Number),
            ("number", A::Numeric, C::Number),
            ("DATETIME", A::Numeric, C::Time),
            ("timestamp with time zone", A::Numeric, C::Time),
            ("time", A::Numeric, C::Time),
            ("interval", A::Integer, C::Time),
            ("bool", A::Numeric, C::Boolean),
            ("YEAR", A::Numeric, C::Integer),
            ("others", A::Numeric, C::Other),
            // The trap that SQLite's documentation names.
            ("FLOATING POINT", A::Integer, C::Integer),
            ("STRING", A::Numeric, C::Text),
        ] {
            assert_eq!(Affinity::of_declared(declared), affinity, "{declared}");
            assert_eq!(TypeClass::of_declared(declared), class, "{declared}");
            if affinity != A::Blob {
                assert_eq!(Affinity::of_declared(affinity.type_name()), affinity);
            }
        }
    }
}

//! What a declared type says of single values: lengths, digits, ranges, forms of time.

use super::{Affinity, Column, TypeClass, Typing};

/// A form in which dates and times are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `2020-06-15`.
    Day,
    /// `2020-06-15 12:00:00`.
    Moment,
    /// `12:00:00`.
    Clock,
}

/// Bounds on the values of one column, beside those of its kind.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TypeLimits {
    /// The most characters of a text.
    pub max_chars: Option<usize>,
    /// Digits before and after the decimal point, for numbers of fixed scale.
    pub digits: Option<(u32, u32)>,
    /// The smallest and the largest whole number.
    pub range: Option<(i64, i64)>,
    /// Numbers are 0 or 1.
    pub boolean: bool,
    /// How dates and times are written.
    pub form: Option<Form>,
}

impl Column {
    /// The limits that the declared type sets under `typing`; none where types are loose.
    pub fn limits(&self, typing: Typing) -> TypeLimits {
        let mut limits = TypeLimits::default();
        if typing == Typing::Loose || self.declared.ends_with(']') {
            return limits;
        }
        let declared = self.declared.trim().to_ascii_uppercase();
        let (words, sizes) = match declared.split_once('(') {
            Some((words, rest)) => {
                let sizes = rest.trim_end_matches(')').split(',');
                (words.trim(), sizes.filter_map(|s| s.trim().parse::<u32>().ok()).collect())
            }
            None => (declared.as_str(), Vec::new()),
        };
        match self.class {
            TypeClass::Text if words.contains("CHAR") => {
                limits.max_chars = match (sizes.first(), words) {
                    (Some(&n), _) => Some(n as usize),
                    // CHAR alone is one character; elsewhere than in SQLite.
                    (None, "CHAR" | "CHARACTER") if typing == Typing::Enforced => Some(1),
                    (None, _) => None,
                };
            }
            TypeClass::Number if ["DEC", "NUM"].iter().any(|t| words.starts_with(t)) => {
                limits.digits = match sizes.as_slice() {
                    [precision] => Some((*precision, 0)),
                    [precision, scale] if scale <= precision => Some((precision - scale, *scale)),
                    _ => None,
                };
            }
            TypeClass::Boolean => limits.boolean = self.affinity != Affinity::Text,
            TypeClass::Integer if typing == Typing::Enforced => limits.range = whole(words),
            TypeClass::Time => limits.form = form(words, typing),
            TypeClass::Integer | TypeClass::Number | TypeClass::Text | TypeClass::Other => {}
        }
        limits
    }
}

/// The range of a type of whole numbers.
fn whole(words: &str) -> Option<(i64, i64)> {
    let signed = |bits: u32| (-(1_i64 << (bits - 1)), (1_i64 << (bits - 1)) - 1);
    let range = match words.split(' ').next().unwrap_or_default() {
        "TINYINT" => signed(8),
        "SMALLINT" | "INT2" | "SMALLSERIAL" | "SERIAL2" => signed(16),
        "MEDIUMINT" => signed(24),
        "INT" | "INTEGER" | "INT4" | "SERIAL" | "SERIAL4" => signed(32),
        "YEAR" => return Some((1901, 2155)),
        _ if words.contains("UNSIGNED") => return Some((0, i64::MAX)),
        _ => return None,
    };
    Some(if words.contains("UNSIGNED") { (0, range.1 * 2 + 1) } else { range })
}

fn form(words: &str, typing: Typing) -> Option<Form> {
    match words {
        "DATE" => Some(Form::Day),
        "DATETIME" | "TIMESTAMP" => Some(Form::Moment),
        // SQLite's files use these words for anything.
        _ if typing != Typing::Enforced => None,
        _ if words.starts_with("TIMESTAMP") || words.starts_with("DATETIME") => Some(Form::Moment),
        _ if words.starts_with("TIME") => Some(Form::Clock),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::Dialect;

    #[test]
    fn limits_of_declared_types() {
        let none = TypeLimits::default();
        let of = |declared: &str, dialect| Column::new("c", declared, dialect).limits(Typing::of(dialect));
        for (declared, dialect, limits) in [
            ("varchar(20)", Dialect::Sqlite, TypeLimits { max_chars: Some(20), ..none }),
            ("character varying(5)", Dialect::Postgres, TypeLimits { max_chars: Some(5), ..none }),
            ("text", Dialect::Postgres, none),
            ("numeric(6,2)", Dialect::Postgres, TypeLimits { digits: Some((4, 2)), ..none }),
            ("int(11)", Dialect::Sqlite, none),
            ("smallint unsigned(5)", Dialect::Mysql, TypeLimits { range: Some((0, 65_535)), ..none }),
            ("boolean", Dialect::Postgres, TypeLimits { boolean: true, ..none }),
            (
                "timestamp without time zone(6)",
                Dialect::Postgres,
                TypeLimits { form: Some(Form::Moment), ..none },
            ),
            ("time", Dialect::Sqlite, none),
        ] {
            assert_eq!(of(declared, dialect), limits, "{declared}");
        }
        assert_eq!(Column::new("c", "varchar(2)", Dialect::Sqlite).limits(Typing::Loose), none);
    }
}

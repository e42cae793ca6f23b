//! Shapes of values that random values hardly ever have, and without which two queries look the same.
//!
//! What the queries make of a column ([`Treatment`]) decides which shapes its values need. A shape is a name, the
//! reason for it, and a function that gives its values for a column, or none for a column that is not its own.

use twinql_sql::{Affinity, Column, TypeClass, Value};

use super::values::{Style, date_of, well_formed};
use crate::database::{has_type, store};
use crate::dice::Dice;
use crate::facts::Treatment;

/// A way in which values of a column may look.
#[allow(missing_debug_implementations)] // function pointers
pub struct ValueShape {
    /// The name, for lists and documentation.
    pub name: &'static str,
    /// Which queries are told apart by such values.
    pub why: &'static str,
    /// The columns whose values have it.
    pub columns: &'static str,
    gives: Gives,
}

/// What a shape gives to the columns that need it; nothing to others.
enum Gives {
    /// Values beside those that the pool has anyway.
    Beside(fn(&Subject<'_>, &mut Dice) -> Vec<Value>),
    /// All values.
    Instead(fn(&Column, &[Treatment], &mut Dice) -> Option<Filling>),
}

/// What fills a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filling {
    Style(Style),
    Documents,
    Geographies,
}

/// The columns that share one pool, and what is known of them.
pub(super) struct Subject<'a> {
    /// A column that stands for all.
    pub(super) column: &'a Column,
    pub(super) style: Style,
    pub(super) treatments: &'a [Treatment],
    /// Constants that the columns are compared with.
    pub(super) literals: &'a [Value],
    /// The values that the pool has without shapes.
    pub(super) pool: &'a [Value],
    /// Numbers of the columns that these texts are compared with.
    pub(super) partners: &'a [Value],
    /// One of the columns has no declared type.
    pub(super) undeclared: bool,
    /// Values have the declared type.
    pub(super) typed: bool,
}

impl Subject<'_> {
    fn has(&self, wanted: &Treatment) -> bool {
        self.treatments.contains(wanted)
    }

    /// The column holds texts of any kind.
    fn textual(&self) -> bool {
        matches!(self.style, Style::Words | Style::Digits | Style::Mixed | Style::Letters)
    }

    /// The column may hold numbers with a fraction.
    fn fractions(&self) -> bool {
        self.column.class == TypeClass::Number || self.undeclared
    }

    /// A text of the pool or of a constant; a short word where there is none.
    fn word(&self, dice: &mut Dice) -> String {
        let texts = self.pool.iter().chain(self.literals);
        let words: Vec<&str> = texts
            .filter_map(|v| match v {
                Value::Text(text) if !text.contains(['%', '_']) && text.len() < 60 => Some(text.as_str()),
                _ => None,
            })
            .collect();
        dice.pick(&words).map_or_else(|| "ab".to_owned(), |w| (*w).to_owned())
    }

    /// A whole number of a constant, of a partner or of the pool; a digit where there is none.
    fn number(&self, dice: &mut Dice) -> i64 {
        let whole = |v: &Value| match v {
            Value::Integer(n) => Some(*n),
            Value::Real(r) if r.0.abs() < 1e9 => Some(r.0 as i64),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        let known: Vec<i64> =
            self.partners.iter().chain(self.literals).chain(self.pool).filter_map(whole).collect();
        match dice.pick(&known) {
            Some(n) if dice.chance(0.8) => *n,
            _ => dice.between(0, 12),
        }
    }
}

fn texts<const N: usize>(all: [String; N]) -> Vec<Value> {
    all.into_iter().map(Value::Text).collect()
}

/// All shapes.
pub const SHAPES: &[ValueShape] = &[
    ValueShape {
        name: "blanks",
        why: "s against TRIM(s) and RTRIM(s), s = 'ab' against TRIM(s) = 'ab'",
        columns: "texts that are trimmed",
        gives: Gives::Beside(|subject, dice| {
            if !subject.textual() || !subject.has(&Treatment::Trimmed) {
                return Vec::new();
            }
            let word = subject.word(dice);
            let word = word.trim();
            texts([format!(" {word}"), format!("{word} "), format!("  {word} "), " ".to_owned()])
        }),
    },
    ValueShape {
        name: "cases",
        why: "s against LOWER(s), COUNT(DISTINCT s) against COUNT(DISTINCT LOWER(s))",
        columns: "texts that are written in one case",
        gives: Gives::Beside(|subject, dice| {
            if !subject.textual() || !subject.has(&Treatment::Cased) {
                return Vec::new();
            }
            let word = subject.word(dice);
            texts([word.to_ascii_lowercase(), word.to_ascii_uppercase()])
        }),
    },
    ValueShape {
        name: "long-decimals",
        why: "ROUND(x, 2) against x and ROUND(x, 3), ROUND(SUM(x), 2) against SUM(ROUND(x, 2))",
        columns: "numbers with a fraction that are rounded or computed with, digits beyond those that are kept",
        gives: Gives::Beside(long_decimals),
    },
    ValueShape {
        name: "signs",
        why: "x against ABS(x), FLOOR against CAST AS INTEGER and TRUNC",
        columns: "numbers whose sign or whole part is taken",
        gives: Gives::Beside(|subject, dice| {
            if !subject.has(&Treatment::Signed) {
                return Vec::new();
            }
            let n = -subject.number(dice).clamp(1, 1_000_000);
            match subject.column.class {
                TypeClass::Integer => vec![Value::Integer(n)],
                TypeClass::Number => vec![Value::Integer(n), Value::Real((n as f64 - 0.25).into())],
                _ if subject.textual() => texts([n.to_string(), format!("{n}.75")]),
                _ => Vec::new(),
            }
        }),
    },
    ValueShape {
        name: "stand-ins",
        why: "x = y against COALESCE(x, 0) = y, x against NULLIF(x, '') and CASE … ELSE 'none' END",
        columns: "columns for which a constant stands in, and those that are compared with it",
        gives: Gives::Beside(|subject, _| {
            let constants = subject.treatments.iter().filter_map(|t| match t {
                Treatment::Beside(value) => Some(store(value.clone(), subject.column.affinity)),
                _ => None,
            });
            constants.collect()
        }),
    },
    ValueShape {
        name: "numerals",
        why: "s = '1' against CAST(s AS INTEGER) = 1, a join of texts with numbers, the order of texts against that of numbers",
        columns: "texts that are read as numbers or compared with them",
        gives: Gives::Beside(|subject, dice| {
            if !subject.textual() || !subject.has(&Treatment::Number) && subject.partners.is_empty() {
                return Vec::new();
            }
            let n = subject.number(dice);
            let plain = n.to_string();
            texts([
                plain.clone(),
                format!("0{plain}"),
                format!("{plain}.0"),
                format!(" {plain}"),
                format!("{plain}e0"),
                format!("{plain}x"),
                format!("1{plain}"),
            ])
        }),
    },
    ValueShape {
        name: "other-types",
        why: "1 against '1' and 1.0: comparisons, sorting and typeof of columns that take any value",
        columns: "columns without a declared type",
        gives: Gives::Beside(|subject, dice| {
            if !subject.undeclared {
                return Vec::new();
            }
            let n = subject.number(dice);
            vec![
                Value::Integer(n),
                Value::Text(n.to_string()),
                Value::Real((n as f64 + 0.5).into()),
                Value::Text(format!("{n}.0")),
                Value::Text(subject.word(dice)),
            ]
        }),
    },
    ValueShape {
        name: "month-ends",
        why: "a month after the 31st, the last day of February, the turn of the year",
        columns: "dates that are computed with",
        gives: Gives::Beside(month_ends),
    },
    ValueShape {
        name: "times-of-day",
        why: "d against DATE(d): two times of one day, noon against the hour after it",
        columns: "moments that are computed with",
        gives: Gives::Beside(|subject, dice| {
            let timed = matches!(subject.style, Style::Dates | Style::Moments);
            if !timed || !subject.has(&Treatment::Date) {
                return Vec::new();
            }
            let days = subject.pool.iter().chain(subject.literals).filter_map(|v| match v {
                Value::Text(text) => date_of(text),
                _ => None,
            });
            let days: Vec<(i64, i64, i64)> = days.collect();
            let Some((year, month, day)) = dice.pick(&days) else { return Vec::new() };
            let at = |time| format!("{year:04}-{month:02}-{day:02} {time}");
            texts([at("00:00:00"), at("12:00:00"), at("12:30:00")])
        }),
    },
    ValueShape {
        name: "lengths",
        why: "SUBSTR(s, 1, 10) against SUBSTR(s, 1, 11), LENGTH(s) > 12 against >= 12",
        columns: "texts that are cut or measured",
        gives: Gives::Beside(|subject, _| {
            let lengths = subject.treatments.iter().filter_map(|t| match t {
                Treatment::Measured(n) => Some(*n),
                _ => None,
            });
            let long = |n: usize| Value::Text(('a'..='z').cycle().take(n).collect());
            let of = |n: usize| [long(n), long(n + 1), long(n.saturating_sub(1))];
            lengths.filter(|_| subject.textual()).flat_map(of).collect()
        }),
    },
    ValueShape {
        name: "parts",
        why: "REPLACE(s, '-', '') against s, INSTR(s, 'x') = 1 against > 0",
        columns: "texts in which a constant is looked for",
        gives: Gives::Beside(|subject, dice| {
            let mut all = Vec::new();
            for treatment in subject.treatments {
                if let Treatment::Searched(part) = treatment
                    && subject.textual()
                {
                    let word = subject.word(dice);
                    all.extend(texts([
                        format!("{part}{word}"),
                        format!("{word}{part}"),
                        format!("{word}{part}{part}b{part}c"),
                    ]));
                }
            }
            all
        }),
    },
    ValueShape {
        name: "text-dates",
        why: "STRFTIME('%Y', s) against STRFTIME('%m', s): other texts are no dates, and all answers are NULL",
        columns: "texts that are read as dates; in most databases all their values",
        gives: Gives::Instead(|column, treatments, dice| {
            let text = matches!(column.class, TypeClass::Text | TypeClass::Other);
            let styles = [Style::Days, Style::Days, Style::Moments, Style::Dates];
            let read = text && treatments.contains(&Treatment::Date);
            (read && dice.chance(0.7)).then(|| Filling::Style(styles[dice.below(4)]))
        }),
    },
    ValueShape {
        name: "documents",
        why: "json_extract(s, '$.a') against '$.b': on other texts SQLite ends with an error",
        columns: "texts that are read as JSON, all their values; where a query asks whether they are well-formed, in half of the databases",
        gives: Gives::Instead(|column, treatments, dice| {
            let text = matches!(column.affinity, Affinity::Text | Affinity::Blob);
            let doubted = treatments.contains(&Treatment::Validated);
            let read = doubted || treatments.iter().any(|t| matches!(t, Treatment::Document(_)));
            (text && read && !(doubted && dice.chance(0.5))).then_some(Filling::Documents)
        }),
    },
    ValueShape {
        name: "geographies",
        why: "ST_X(s) against ST_Y(s): other texts are no geographies, and all answers are NULL",
        columns: "texts that are read as geographies, all their values",
        gives: Gives::Instead(|column, treatments, _| {
            let text = matches!(column.affinity, Affinity::Text | Affinity::Blob | Affinity::Numeric);
            (text && treatments.contains(&Treatment::Geography)).then_some(Filling::Geographies)
        }),
    },
];

/// Digits beyond those that are kept, as halves, quarters and the like, whose sums are exact: what differs then
/// differs by more than the last bit.
fn long_decimals(subject: &Subject<'_>, dice: &mut Dice) -> Vec<Value> {
    let mut kept: Vec<i64> = subject
        .treatments
        .iter()
        .filter_map(|t| match t {
            Treatment::Rounded(n @ 0..=6) => Some(*n),
            Treatment::Number => Some(2),
            _ => None,
        })
        .collect();
    kept.sort_unstable();
    kept.dedup();
    let textual = subject.textual() && kept.len() > 1;
    if !subject.fractions() && !textual {
        return Vec::new();
    }
    let mut all = Vec::new();
    for n in kept {
        let parts = 1_i64 << (n + 2);
        for _ in 0..2 {
            let part = 2 * dice.between(0, parts / 2 - 1) + 1;
            let value = dice.between(0, 9) as f64 + part as f64 / parts as f64;
            all.push(if textual { Value::Text(value.to_string()) } else { Value::Real(value.into()) });
        }
    }
    all
}

/// Days at the ends of months, of the years that constants name.
fn month_ends(subject: &Subject<'_>, dice: &mut Dice) -> Vec<Value> {
    let dated = matches!(subject.style, Style::Dates | Style::Days | Style::Moments);
    if !dated || !subject.has(&Treatment::Date) {
        return Vec::new();
    }
    let years: Vec<i64> = subject
        .literals
        .iter()
        .filter_map(|v| match v {
            Value::Text(text) => date_of(text).map(|(year, ..)| year),
            _ => None,
        })
        .collect();
    let year = dice.pick(&years).copied().unwrap_or_else(|| dice.between(2018, 2024));
    let leap = year - year.rem_euclid(4);
    let days =
        [(leap, 2, 29), (year, 1, 31), (year, 12, 31), (year + 1, 1, 1), (year, 3, 31), (year + 1, 2, 28)];
    let text = |(year, month, day): (i64, i64, i64)| {
        let day = format!("{:04}-{month:02}-{day:02}", year.clamp(1, 9998));
        Value::Text(if subject.style == Style::Moments { format!("{day} 00:00:00") } else { day })
    };
    days.into_iter().map(text).collect()
}

/// Values that a shape adds to a pool at most: the others must have room.
const MOST: usize = 3;

/// What fills a column instead of values by its type.
pub(super) fn filling(column: &Column, treatments: &[Treatment], dice: &mut Dice) -> Option<Filling> {
    if treatments.is_empty() {
        return None;
    }
    SHAPES.iter().filter(|shape| !left_out(shape.name)).find_map(|shape| match shape.gives {
        Gives::Instead(fill) => fill(column, treatments, dice),
        Gives::Beside(_) => None,
    })
}

#[cfg(test)]
thread_local! {
    /// The shape or strategy that a test leaves out.
    pub(super) static LEFT_OUT: std::cell::Cell<&'static str> = const { std::cell::Cell::new("") };
}

/// Whether a test leaves a kind of values out.
pub(super) fn left_out(_name: &str) -> bool {
    #[cfg(test)]
    return LEFT_OUT.with(|out| out.get() == _name);
    #[cfg(not(test))]
    false
}

impl Subject<'_> {
    /// Whether the columns may hold the value.
    fn admits(&self, value: &Value) -> bool {
        !self.typed || has_type(self.column, value) && well_formed(self.style, value)
    }

    /// Values of the shapes that the columns need, for one database; each shape is there in most.
    pub(super) fn shaped(&self, dice: &mut Dice) -> Vec<Value> {
        let mut all = Vec::new();
        for shape in SHAPES {
            let Gives::Beside(values) = shape.gives else { continue };
            let mut values = values(self, dice);
            values.retain(|value| self.admits(value));
            if values.is_empty() || !dice.chance(0.7) || left_out(shape.name) {
                continue;
            }
            dice.shuffle(&mut values);
            values.truncate(MOST);
            all.extend(values);
        }
        all
    }
}

//! Simpler values for a witness: small whole numbers, short words, round dates.
//!
//! Values of a domain (columns that foreign keys or the queries join) are renamed together and keep
//! their order, among each other and against the constants that the queries compare them with.
//! Whether the two answers still differ afterwards is for the caller to try.

use std::collections::BTreeSet;

use twinql_sql::Value;
use twinql_sql::temporal::{civil_from_days, days_from_civil};

/// What is known of a domain.
#[derive(Debug, Clone, Default)]
pub(super) struct Domain {
    /// Its values on the witness, each once.
    pub(super) values: BTreeSet<Value>,
    /// Constants that its columns are compared with.
    pub(super) literals: Vec<Value>,
    /// Its numbers name rows: a key, or a reference to one.
    pub(super) key: bool,
    /// Its numbers are years.
    pub(super) year: bool,
    /// Its columns hold text alone; a text that is a number may as well be a word.
    pub(super) text: bool,
    /// What its values are and look like.
    pub(super) look: Look,
}

/// What the values of a domain are to look like, so that whoever reads a witness sees one thing by one name.
#[derive(Debug, Clone, Default)]
pub(super) struct Look {
    /// What its texts are called: `shelf` makes them `shelf A`, `shelf B`.
    pub(super) called: String,
    pub(super) kind: Kind,
}

/// Values that have a form of their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Any,
    Email,
    /// Dates, whatever the column's type.
    Date,
    /// Sums of money, with a fraction if the column has one.
    Money {
        fraction: bool,
    },
}

/// A value and the one that takes its place everywhere in the domain.
pub(super) type Renaming = (Value, Value);

/// Of larger numbers two can be one as a float.
const LARGEST: f64 = 9_007_199_254_740_992.0;
/// The first year and the year of dates that stand for no constant.
const YEAR: i64 = 2024;

/// Simpler values for a domain; those that stay are left out. `natural` ones look like what they are, and texts that
/// are numbers become words where nothing speaks against it; the others are as small as may be.
pub(super) fn simpler(domain: &Domain, natural: bool) -> Vec<Renaming> {
    let worded = natural && domain.text && !domain.literals.iter().any(|l| number(l).is_some());
    let mut out = if worded { Vec::new() } else { numbers(domain, natural) };
    out.extend(dates(domain));
    out.extend(words(domain, worded));
    out.retain(|(from, to)| from != to);
    out
}

/// A number, or a text that is exactly how a number is written.
fn number(value: &Value) -> Option<f64> {
    let n = match value {
        Value::Integer(i) => *i as f64,
        Value::Real(r) => r.0,
        Value::Text(text) => {
            let n: f64 = text.parse().ok()?;
            (n.to_string() == *text).then_some(n)?
        }
        Value::Null | Value::Blob(_) => return None,
    };
    (n.abs() < LARGEST).then_some(n)
}

/// `value` with another number in its place.
fn with_number(value: &Value, n: f64) -> Value {
    let whole = n.fract() == 0.0;
    match value {
        Value::Text(_) => Value::Text(n.to_string()),
        // Columns of whole numbers and of fractions store it each in their own way.
        _ if whole => Value::Integer(n as i64),
        _ => Value::Real(n.into()),
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all: Vec<f64> = values.collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

fn numbers(domain: &Domain, natural: bool) -> Vec<Renaming> {
    let values = sorted(domain.values.iter().filter_map(number));
    let literals = domain.literals.iter().filter_map(number);
    // Below, at and above zero are different things, except for what only names rows, or is no year or price.
    let looks = natural && (domain.year || matches!(domain.look.kind, Kind::Money { .. }));
    let zero = (!domain.key && !looks).then_some(0.0);
    let anchors = sorted(literals.chain(zero));
    let mut targets = Vec::with_capacity(values.len());
    for group in values.chunk_by(|a, b| place(&anchors, *a) == place(&anchors, *b)) {
        let Some(&first) = group.first() else { continue };
        match place(&anchors, first) {
            Ok(_) => targets.extend(group),
            Err(after) => {
                let below = after.checked_sub(1).and_then(|i| anchors.get(i)).copied();
                let above = anchors.get(after).copied();
                let rising = |i: usize| match domain.look.kind {
                    Kind::Money { fraction: true } if natural => 9.5 + 10.0 * i as f64,
                    Kind::Money { fraction: false } if natural => 10.0 * (i + 1) as f64,
                    _ if domain.year => (YEAR + i as i64) as f64,
                    _ => 1.0 + i as f64,
                };
                targets.extend(between(below, above, group, rising));
            }
        }
    }
    let target = |value: &Value| {
        let n = number(value)?;
        let at = values.binary_search_by(|v| v.total_cmp(&n)).ok()?;
        targets.get(at).copied()
    };
    domain
        .values
        .iter()
        .filter_map(|value| Some((value.clone(), with_number(value, target(value)?))))
        .collect()
}

fn place(anchors: &[f64], value: f64) -> Result<usize, usize> {
    anchors.binary_search_by(|a| a.total_cmp(&value))
}

/// As many rising numbers between two bounds as `group` has: whole ones next to a bound if there is
/// room, one in the middle if there is none, or those of the group; where no constant bounds them, the `free` ones.
fn between(below: Option<f64>, above: Option<f64>, group: &[f64], free: impl Fn(usize) -> f64) -> Vec<f64> {
    let count = group.len() as f64;
    let rising = |first: f64| (0..group.len()).map(|i| first + i as f64).collect();
    match (below, above) {
        (None | Some(0.0), None) => (0..group.len()).map(free).collect(),
        (Some(low), None) => rising(low.floor() + 1.0),
        (None, Some(high)) => rising(high.ceil() - count),
        // Negative numbers count down from zero.
        (Some(low), Some(0.0)) if -count > low => rising(-count),
        (Some(low), Some(high)) if low.floor() + count < high => rising(low.floor() + 1.0),
        (Some(low), Some(high)) if group.len() == 1 => vec![(low + high) / 2.0],
        _ => group.to_vec(),
    }
}

/// The day of a text that begins with a date, and what follows it.
fn dated(text: &str) -> Option<(i64, &str)> {
    let (date, rest) = text.split_at_checked(10)?;
    let mut parts = date.split('-');
    let mut part = |digits: usize| {
        let part = parts.next()?;
        (part.len() == digits && part.bytes().all(|b| b.is_ascii_digit()))
            .then(|| part.parse::<i64>().ok())?
    };
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let time = rest.is_empty()
        || rest.starts_with([' ', 'T'])
            && rest[1..].bytes().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.'));
    let valid = (1..=12).contains(&month) && (1..=31).contains(&day) && time;
    valid.then(|| (days_from_civil(year, month, day), rest))
}

/// Dates become the first days of months of one year, or days next to a constant, in their order.
fn dates(domain: &Domain) -> Vec<Renaming> {
    let text = |v: &Value| match v {
        Value::Text(text) if dated(text).is_some() => Some(text.clone()),
        _ => None,
    };
    let values: Vec<String> = domain.values.iter().filter_map(text).collect();
    let mut anchors: Vec<String> = domain.literals.iter().filter_map(text).collect();
    anchors.sort();
    anchors.dedup();
    let of = |text: &String| anchors.binary_search(text);
    let mut out = Vec::new();
    for group in values.chunk_by(|a, b| of(a) == of(b)) {
        let Some(Err(after)) = group.first().map(of) else {
            continue;
        };
        let day = |at: usize| anchors.get(at).and_then(|a| dated(a)).map(|(day, _)| day);
        let (below, above) = (after.checked_sub(1).and_then(day), day(after));
        let count = group.len() as i64;
        for (i, text) in group.iter().enumerate() {
            let i = i as i64;
            let new = match (below, above) {
                (None, None) => days_from_civil(YEAR + i / 12, 1 + i % 12, 1),
                (Some(low), Some(high)) if low + count >= high => continue,
                (Some(low), _) => low + 1 + i,
                (None, Some(high)) => high - count + i,
            };
            let (year, month, day) = civil_from_days(new);
            // Digits of a time of day become zeros.
            let time = dated(text).map_or("", |(_, time)| time);
            let time: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
            out.push((
                Value::Text(text.clone()),
                Value::Text(format!("{year:04}-{month:02}-{day:02}{time}")),
            ));
        }
    }
    out
}

fn words(domain: &Domain, worded: bool) -> Vec<Renaming> {
    let asked = |text: &str| {
        domain.literals.iter().any(|l| match l {
            // A pattern of LIKE, or the text itself.
            Value::Text(literal) => literal == text || literal.contains(['%', '_']),
            _ => false,
        })
    };
    let plain = |text: &&str| {
        let looks_like = |c: char| c.is_ascii_digit();
        !text.is_empty()
            && !asked(text)
            && !(0..=25).any(|i| domain.look.word(i) == **text)
            && dated(text).is_none()
            // '2014x' stands for a number that is none.
            && (worded || text.parse::<f64>().is_err() && !text.starts_with(looks_like))
    };
    let texts = || {
        domain.values.iter().filter_map(|v| match v {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        })
    };
    let taken: Vec<&str> = texts()
        .chain(domain.literals.iter().filter_map(|l| match l {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        }))
        .collect();
    let names = (0..=25_u8).map(|i| domain.look.word(i)).filter(|word| !taken.contains(&word.as_str()));
    texts()
        .filter(plain)
        .zip(names)
        .map(|(from, to)| (Value::Text(from.to_owned()), Value::Text(to)))
        .collect()
}

impl Look {
    /// Text number `i`, in the order of texts.
    fn word(&self, i: u8) -> String {
        let letter = char::from(b'A' + i.min(25));
        match self.kind {
            Kind::Email => format!("{}@example.org", letter.to_ascii_lowercase()),
            Kind::Date => {
                let i = i64::from(i);
                format!("{:04}-{:02}-01", YEAR + i / 12, 1 + i % 12)
            }
            _ if self.called.is_empty() => letter.to_string(),
            _ => format!("{} {letter}", self.called),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(s: &str) -> Value {
        Value::Text(s.to_owned())
    }

    fn renamed(values: &[Value], literals: &[Value], key: bool) -> Vec<Value> {
        let domain = Domain {
            values: values.iter().cloned().collect(),
            literals: literals.to_vec(),
            key,
            ..Domain::default()
        };
        let renamings = simpler(&domain, true);
        let to = |v: &Value| {
            let found = renamings.iter().find(|(from, _)| from == v);
            found.map_or_else(|| v.clone(), |(_, to)| to.clone())
        };
        values.iter().map(to).collect()
    }

    #[test]
    fn numbers_get_small_and_keep_their_order() {
        let real = |r: f64| Value::Real(r.into());
        let int = Value::Integer;
        for (values, literals, key, expected) in [
            (vec![real(4379.5), int(12)], vec![], true, vec![int(2), int(1)]),
            (vec![int(-17), int(0)], vec![], true, vec![int(1), int(2)]),
            (vec![int(-17), int(0), int(88)], vec![], false, vec![int(-1), int(0), int(1)]),
            // On both sides of the constant, and at it.
            (
                vec![int(3), int(20), int(4_000), int(5_000)],
                vec![int(20)],
                false,
                vec![int(1), int(20), int(21), int(22)],
            ),
            // There is no whole number between.
            (vec![real(20.37)], vec![int(20), int(21)], false, vec![real(20.5)]),
            // A number and the text that refers to it stay the same.
            (vec![int(77), text("77")], vec![], true, vec![int(1), text("1")]),
            (vec![text("077"), Value::Null], vec![], true, vec![text("077"), Value::Null]),
            (vec![int(i64::MAX)], vec![], false, vec![int(i64::MAX)]),
        ] {
            assert_eq!(renamed(&values, &literals, key), expected, "{values:?} {literals:?}");
        }
    }

    #[test]
    fn a_text_that_is_a_number_becomes_a_word_where_nothing_reads_it_as_one() {
        let of = |literals: &[Value], text_column: bool, worded: bool| {
            let domain = Domain {
                values: [text("7"), text("12")].into(),
                literals: literals.to_vec(),
                text: text_column,
                look: Look { called: "name".to_owned(), kind: Kind::Any },
                ..Domain::default()
            };
            let to = simpler(&domain, worded).into_iter().map(|(_, to)| to);
            to.collect::<Vec<_>>()
        };
        let words = [text("name A"), text("name B")];
        assert_eq!(of(&[text("x")], true, true), words);
        for numbers in [of(&[], true, false), of(&[], false, true), of(&[Value::Integer(50)], true, true)] {
            assert_eq!(numbers, [text("2"), text("1")]);
        }
    }

    #[test]
    fn dates_get_round_and_keep_their_order() {
        for (values, literals, expected) in [
            (vec!["2013-07-21", "2019-02-28 17:03:11"], vec![], vec!["2024-01-01", "2024-02-01 00:00:00"]),
            (
                vec!["1999-12-31", "2020-02-29", "2024-07-01"],
                vec!["2020-02-29"],
                vec!["2020-02-28", "2020-02-29", "2020-03-01"],
            ),
            (vec!["2020-13-01"], vec![], vec!["2020-13-01"]),
        ] {
            let texts = |all: &[&str]| all.iter().map(|s| text(s)).collect::<Vec<_>>();
            assert_eq!(renamed(&texts(&values), &texts(&literals), false), texts(&expected));
        }
        for day in [-720_000, -1, 0, 59, 11_016, 18_321, 738_000] {
            let (year, month, date) = civil_from_days(day);
            assert_eq!(days_from_civil(year, month, date), day);
        }
        assert_eq!(civil_from_days(19_782), (2024, 2, 29));
    }

    #[test]
    fn words_get_short_and_constants_stay() {
        for (values, literals, expected) in [
            (vec!["xBob", "Kim Lee Zq"], vec![], vec!["B", "A"]),
            (vec!["France", "a"], vec!["France", "A"], vec!["France", "B"]),
            (vec!["2014x", ""], vec![], vec!["2014x", ""]),
            (vec!["xabc"], vec!["%abc"], vec!["xabc"]),
        ] {
            let texts = |all: &[&str]| all.iter().map(|s| text(s)).collect::<Vec<_>>();
            assert_eq!(renamed(&texts(&values), &texts(&literals), false), texts(&expected));
        }
    }

    #[test]
    fn values_look_like_what_they_are() {
        let of = |kind: Kind, natural: bool, values: &[Value]| {
            let domain = Domain {
                values: values.iter().cloned().collect(),
                look: Look { called: "shelf".to_owned(), kind },
                ..Domain::default()
            };
            simpler(&domain, natural).into_iter().map(|(_, to)| to).collect::<Vec<_>>()
        };
        let (int, real) = (Value::Integer, |r: f64| Value::Real(r.into()));
        let words = [text("Kim"), text("xb")];
        assert_eq!(of(Kind::Any, true, &words), [text("shelf A"), text("shelf B")]);
        assert_eq!(of(Kind::Email, true, &words), [text("a@example.org"), text("b@example.org")]);
        assert_eq!(of(Kind::Date, true, &words), [text("2024-01-01"), text("2024-02-01")]);
        let prices = [int(3), int(700)];
        assert_eq!(of(Kind::Money { fraction: true }, true, &prices), [real(9.5), real(19.5)]);
        assert_eq!(of(Kind::Money { fraction: false }, true, &prices), [int(10), int(20)]);
        assert_eq!(of(Kind::Money { fraction: true }, false, &prices), [int(1), int(2)]);
    }
}

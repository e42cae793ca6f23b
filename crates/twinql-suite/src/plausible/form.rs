//! The forms in which columns keep moments, read off the constants that queries compare them with.

use twinql_sql::Value;

use crate::dice::Dice;

/// How a moment is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `2024-05-31`
    Day,
    /// `2024/5/31`
    Slashed,
    /// `5/31/2024`
    American,
    /// `2024-05-31 17:45:00`, at times with a fraction of a second behind it
    Moment { fraction: bool },
    /// `2024-05`
    Month,
    /// `202405`
    CompactMonth,
    /// `20240531`
    CompactDay,
    /// `2024`
    Year,
    /// `17:45:00`
    Clock,
    /// `1:27.452`
    Lap,
}

/// A moment: year, month, day, and the seconds of the day.
pub(super) type Moment = (i64, i64, i64, i64);

/// The parts of a text between the characters that are no digits, with those characters.
fn parts(text: &str) -> (Vec<(i64, usize)>, String) {
    let (mut numbers, mut marks) = (Vec::new(), String::new());
    let mut digits = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        if let Ok(n) = digits.parse() {
            numbers.push((n, digits.len()));
        }
        digits.clear();
        if c != '\0' {
            marks.push(c);
        }
    }
    (numbers, marks)
}

impl Form {
    /// The form of a constant that is a whole moment, and the moment.
    pub(super) fn of(value: &Value) -> Option<(Form, Moment)> {
        let text = match value {
            Value::Integer(n) => n.to_string(),
            Value::Text(text) => text.trim_matches(['%', ' ']).to_owned(),
            _ => return None,
        };
        let (numbers, marks) = parts(&text);
        let n: Vec<i64> = numbers.iter().map(|(n, _)| *n).collect();
        let year = |y: i64| (1000..=2999).contains(&y);
        let (month, day) = (|m: i64| (1..=12).contains(&m), |d: i64| (1..=31).contains(&d));
        Some(match (n.as_slice(), marks.as_str()) {
            ([y, m, d], "--") if year(*y) && month(*m) && day(*d) => (Form::Day, (*y, *m, *d, 0)),
            ([y, m, d], "//") if year(*y) && month(*m) && day(*d) => (Form::Slashed, (*y, *m, *d, 0)),
            ([m, d, y], "//") if year(*y) && month(*m) && day(*d) => (Form::American, (*y, *m, *d, 0)),
            ([y, m, d, time @ ..], marks)
                if marks.starts_with("--") && year(*y) && month(*m) && day(*d) && time.len() >= 2 =>
            {
                let at = |i: usize| time.get(i).copied().unwrap_or(0);
                // Constants are anybody's: a time of day may be any number.
                let minutes = at(0).saturating_mul(60).saturating_add(at(1));
                let seconds = minutes.saturating_mul(60).saturating_add(at(2));
                (Form::Moment { fraction: time.len() > 3 }, (*y, *m, *d, seconds))
            }
            ([y, m], "-") if year(*y) && month(*m) => (Form::Month, (*y, *m, 1, 0)),
            ([n], "") if text.len() == 6 && year(n / 100) && month(n % 100) => {
                (Form::CompactMonth, (n / 100, n % 100, 1, 0))
            }
            ([n], "") if text.len() == 8 && year(n / 10_000) && month(n / 100 % 100) && day(n % 100) => {
                (Form::CompactDay, (n / 10_000, n / 100 % 100, n % 100, 0))
            }
            ([y], "") if text.len() == 4 && (1500..=2100).contains(y) => (Form::Year, (*y, 1, 1, 0)),
            ([h, m, s], "::") if *h < 24 && *m < 60 => {
                (Form::Clock, (2020, 1, 1, (h * 3600 + m * 60).saturating_add(*s)))
            }
            ([m, s, ..], ":." | ":") if *s < 60 => {
                (Form::Lap, (2020, 1, 1, m.saturating_mul(60).saturating_add(*s)))
            }
            _ => return None,
        })
    }

    /// True of a year or a month, which may be cut out of something longer.
    pub(super) fn is_part(self) -> bool {
        matches!(self, Form::Year | Form::Month)
    }

    /// True of what tells a day.
    pub(super) fn is_dated(self) -> bool {
        matches!(
            self,
            Form::Day | Form::Slashed | Form::American | Form::Moment { fraction: _ } | Form::CompactDay
        )
    }

    /// How much of a moment the form tells: the most telling form of a column's constants is taken.
    pub(super) fn detail(self) -> u8 {
        match self {
            Form::Year => 0,
            Form::Month => 1,
            Form::CompactMonth | Form::CompactDay => 2,
            Form::Day | Form::Slashed | Form::American | Form::Clock | Form::Lap => 3,
            Form::Moment { .. } => 4,
        }
    }

    /// A moment in this form.
    pub(super) fn write(self, (y, m, d, seconds): Moment, dice: &mut Dice) -> Value {
        let time = format!("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        Value::Text(match self {
            Form::Day => format!("{y:04}-{m:02}-{d:02}"),
            Form::Slashed => format!("{y}/{m}/{d}"),
            Form::American => format!("{m}/{d}/{y}"),
            Form::Moment { fraction: false } => format!("{y:04}-{m:02}-{d:02} {time}"),
            Form::Moment { fraction: true } => format!("{y:04}-{m:02}-{d:02} {time}.0"),
            Form::Month => format!("{y:04}-{m:02}"),
            Form::CompactMonth => return Value::Integer(y * 100 + m),
            Form::CompactDay => return Value::Integer(y * 10_000 + m * 100 + d),
            Form::Year => return Value::Integer(y),
            Form::Clock => time,
            Form::Lap => format!("{}:{:02}.{:03}", seconds / 60 % 60, seconds % 60, dice.below(1000)),
        })
    }
}

/// A moment near another: mostly within the year, some years apart now and then.
pub(super) fn near((y, _, _, _): Moment, spread: i64, dice: &mut Dice) -> Moment {
    let year = y + dice.between(-spread, spread);
    (year, dice.between(1, 12), dice.between(1, 28), dice.between(6 * 3600, 22 * 3600))
}

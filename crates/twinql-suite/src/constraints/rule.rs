//! What one column may hold, and values that it may hold.
//!
//! A rule gathers what the declared type and the CHECKs say of one column: bounds, a list, patterns, a
//! length, a form. It can say whether a value is allowed, and find one that is, near to a value that somebody
//! wanted. Bounds may contradict each other; then nothing fits, and the column's rows are given up.

use std::cmp::Ordering;

use twinql_sql::schema::{Form, Typing};
use twinql_sql::{Affinity, Column, TypeClass, Value};

use crate::compare::order;
use crate::database::store;
use crate::dice::Dice;
use crate::generate::values::{date_of, instantiate, like};

/// Bounds on the values of one column. NULL meets all of them.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    /// As SQLite stores the column's values: bounds and values are compared in that form.
    affinity: Affinity,
    /// Values have no fraction.
    whole: bool,
    /// Values are numbers, whatever text was wanted.
    numeric: bool,
    /// The bound, and whether it may be met.
    pub(super) low: Option<(Value, bool)>,
    pub(super) high: Option<(Value, bool)>,
    /// The values that it may have, where these are listed.
    pub(super) among: Option<Vec<Value>>,
    /// Values that it may not have.
    pub(super) not: Vec<Value>,
    /// The least and the greatest length of a text.
    pub(super) chars: (usize, Option<usize>),
    /// Patterns of LIKE that a text meets.
    pub(super) patterns: Vec<String>,
    /// Digits before and after the point, of DECIMAL.
    digits: Option<(u32, u32)>,
    /// 0 and 1; texts too where the system would take them.
    boolean: Option<bool>,
    form: Option<Form>,
}

impl Rule {
    /// A rule that allows everything.
    pub(super) fn none(column: &Column) -> Rule {
        Rule {
            affinity: column.affinity,
            whole: column.class == TypeClass::Integer || column.affinity == Affinity::Integer,
            numeric: matches!(column.affinity, Affinity::Integer | Affinity::Numeric | Affinity::Real)
                && column.class != TypeClass::Time
                && column.class != TypeClass::Text,
            low: None,
            high: None,
            among: None,
            not: Vec::new(),
            chars: (0, None),
            patterns: Vec::new(),
            digits: None,
            boolean: None,
            form: None,
        }
    }

    /// Adds what the declared type says. A `released` column of a system that does not enforce
    /// types holds texts of any form.
    pub(super) fn limit(&mut self, column: &Column, typing: Typing, released: bool) {
        let limits = column.limits(typing);
        let strict = typing == Typing::Enforced || !released;
        self.chars.1 = limits.max_chars;
        self.digits = limits.digits;
        if let Some((low, high)) = limits.range {
            self.at_least(Value::Integer(low), true);
            self.at_most(Value::Integer(high), true);
        }
        if limits.boolean {
            self.boolean = Some(strict);
        }
        if strict {
            self.form = limits.form;
        }
        if !column.values.is_empty() {
            self.one_of(column.values.iter().cloned().map(Value::Text).collect());
        }
    }

    /// Nothing is asked of values, and the rule need not be kept.
    pub(super) fn is_free(&self) -> bool {
        self.low.is_none()
            && self.high.is_none()
            && self.among.is_none()
            && self.not.is_empty()
            && self.chars == (0, None)
            && self.patterns.is_empty()
            && self.digits.is_none()
            && self.boolean.is_none()
            && self.form.is_none()
    }

    fn stored(&self, value: Value) -> Value {
        store(value, self.affinity)
    }

    /// Adds a lower bound, `met` if the value itself is allowed; the tighter of two stays.
    pub(super) fn at_least(&mut self, value: Value, met: bool) {
        let value = self.stored(value);
        let tighter = match &self.low {
            None => true,
            Some((known, known_met)) => match order(&value, known) {
                Ordering::Greater => true,
                Ordering::Equal => *known_met && !met,
                Ordering::Less => false,
            },
        };
        if tighter {
            self.low = Some((value, met));
        }
    }

    /// Adds an upper bound, likewise.
    pub(super) fn at_most(&mut self, value: Value, met: bool) {
        let value = self.stored(value);
        let tighter = match &self.high {
            None => true,
            Some((known, known_met)) => match order(&value, known) {
                Ordering::Less => true,
                Ordering::Equal => *known_met && !met,
                Ordering::Greater => false,
            },
        };
        if tighter {
            self.high = Some((value, met));
        }
    }

    /// Adds a list of values; of two lists, what both have stays.
    pub(super) fn one_of(&mut self, values: Vec<Value>) {
        let values: Vec<Value> = values.into_iter().map(|v| self.stored(v)).collect();
        self.among = Some(match self.among.take() {
            None => values,
            Some(known) => known.into_iter().filter(|v| values.contains(v)).collect(),
        });
    }

    pub(super) fn none_of(&mut self, values: Vec<Value>) {
        for value in values {
            let value = self.stored(value);
            self.not.push(value);
        }
    }

    pub(super) fn at_least_chars(&mut self, n: usize) {
        self.chars.0 = self.chars.0.max(n);
    }

    pub(super) fn at_most_chars(&mut self, n: usize) {
        self.chars.1 = Some(self.chars.1.map_or(n, |known| known.min(n)));
    }

    /// True if the column may hold the stored value.
    pub(crate) fn allows(&self, value: &Value) -> bool {
        if *value == Value::Null {
            return true;
        }
        if let Some(among) = &self.among
            && !among.contains(value)
        {
            return false;
        }
        let low = self.low.as_ref().is_none_or(|(bound, met)| match order(value, bound) {
            Ordering::Greater => true,
            Ordering::Equal => *met,
            Ordering::Less => false,
        });
        let high = self.high.as_ref().is_none_or(|(bound, met)| match order(value, bound) {
            Ordering::Less => true,
            Ordering::Equal => *met,
            Ordering::Greater => false,
        });
        if !low || !high || self.not.contains(value) {
            return false;
        }
        match value {
            Value::Integer(_) | Value::Real(_) => {
                // A tolerance, since 0.1 is no binary fraction: 12.30 scaled by 100 is not quite 1230.
                let n = value.as_f64().unwrap_or(0.0);
                let fixed = self.digits.is_none_or(|(before, scale)| {
                    let scaled = n * 10f64.powi(scale as i32);
                    n.abs() < 10f64.powi(before as i32) && (scaled - scaled.round()).abs() < 1e-6
                });
                fixed && self.boolean.is_none_or(|_| n == 0.0 || n == 1.0) && self.form.is_none()
            }
            Value::Text(s) => {
                let count = s.chars().count();
                self.boolean != Some(true)
                    && (self.chars.0..=self.chars.1.unwrap_or(usize::MAX)).contains(&count)
                    && self.patterns.iter().all(|p| like(s, p))
                    && self.form.is_none_or(|form| has_form(s, form))
            }
            Value::Blob(_) | Value::Null => true,
        }
    }

    /// A value that the column may hold, near to this one where that can be.
    pub(crate) fn fit(&self, value: &Value, dice: &mut Dice) -> Option<Value> {
        // Proposals are random, and may miss a rule of several parts.
        for _ in 0..8 {
            let proposal = self.stored(self.proposal(value, dice));
            if self.allows(&proposal) {
                return Some(proposal);
            }
        }
        // The bounds themselves, and what lies next to them.
        let bounds = [&self.low, &self.high];
        let bounds = bounds.into_iter().flatten().flat_map(|(b, _)| match b {
            Value::Integer(n) => {
                vec![b.clone(), Value::Integer(n.saturating_add(1)), Value::Integer(n.saturating_sub(1))]
            }
            Value::Real(r) => {
                [0.0, 0.5, -0.5, 0.01, -0.01].iter().map(|d| Value::Real((r.0 + d).into())).collect()
            }
            other => vec![other.clone()],
        });
        bounds.map(|v| self.stored(v)).find(|v| self.allows(v))
    }

    /// As [`Rule::fit`] for the `serial`th value of a key: one that others hardly have.
    pub(crate) fn fit_new(&self, value: &Value, serial: i64, dice: &mut Dice) -> Option<Value> {
        let new = match value {
            // The number in letters, as many as a text of the column may have.
            Value::Text(_) => {
                let most = self.chars.1.unwrap_or(8);
                let mut rest = serial.unsigned_abs();
                let mut text = String::new();
                while text.len() < most.min(8) && (rest > 0 || text.len() < self.chars.0.max(1)) {
                    let digit = (rest % 26) as u8;
                    text.insert(0, char::from(b'a' + digit));
                    rest /= 26;
                }
                Value::Text(text)
            }
            _ => {
                let bound = |b: &Option<(Value, bool)>| b.as_ref().and_then(|(v, _)| v.as_f64());
                let low = bound(&self.low).map_or(0, |l| l.ceil() as i64);
                Value::Integer(low.saturating_add(serial))
            }
        };
        let new = self.stored(new);
        if self.allows(&new) { Some(new) } else { self.fit(value, dice) }
    }

    /// A value that comes near `value` and is likely to meet the rule: what bounds it most is tried first.
    /// The caller looks whether it does.
    fn proposal(&self, value: &Value, dice: &mut Dice) -> Value {
        if let Some(among) = &self.among {
            return dice.pick(among).cloned().unwrap_or(Value::Null);
        }
        if self.boolean.is_some() {
            return Value::Integer(dice.between(0, 1));
        }
        if let Some(form) = self.form {
            return Value::Text(self.moment(form, dice));
        }
        if let Some(pattern) = dice_pattern(&self.patterns, dice) {
            return Value::Text(instantiate(pattern, dice));
        }
        if self.numeric {
            return self.number(value, dice);
        }
        let text = match value {
            Value::Text(s) => s.clone(),
            Value::Integer(i) => i.to_string(),
            _ => ["a", "b", "Ann", "Oslo"][dice.below(4)].to_owned(),
        };
        let mut chars: Vec<char> = text.chars().collect();
        if let Some(most) = self.chars.1 {
            chars.truncate(most);
        }
        while chars.len() < self.chars.0 {
            chars.push(char::from(b'a' + dice.below(26) as u8));
        }
        // Between two texts: one of them, or the lower one with a letter more.
        let text: String = chars.into_iter().collect();
        match (&self.low, &self.high) {
            (Some((Value::Text(low), met)), _)
                if order(&Value::Text(text.clone()), &Value::Text(low.clone())) != Ordering::Greater =>
            {
                if *met && dice.chance(0.3) {
                    Value::Text(low.clone())
                } else {
                    Value::Text(format!("{low}{}", char::from(b'a' + dice.below(26) as u8)))
                }
            }
            (_, Some((Value::Text(high), true)))
                if order(&Value::Text(text.clone()), &Value::Text(high.clone())) == Ordering::Greater =>
            {
                Value::Text(high.clone())
            }
            _ => Value::Text(text),
        }
    }

    /// A number between the bounds, near `value`, with no more digits than the type has.
    fn number(&self, value: &Value, dice: &mut Dice) -> Value {
        let near = value.as_f64().unwrap_or_else(|| dice.between(0, 20) as f64);
        let bound = |b: &Option<(Value, bool)>| b.as_ref().and_then(|(v, _)| v.as_f64());
        let most = self.digits.map(|(before, _)| 10f64.powi(before as i32) - 1.0);
        let low = match (bound(&self.low), most) {
            (Some(low), Some(most)) => Some(low.max(-most)),
            (low, most) => low.or(most.map(|m| -m)),
        };
        let high = match (bound(&self.high), most) {
            (Some(high), Some(most)) => Some(high.min(most)),
            (high, most) => high.or(most),
        };
        let scale = match self.digits {
            Some((_, scale)) => scale as i32,
            None if self.whole => 0,
            // A fraction only where whole numbers hardly fit.
            None => match (low, high) {
                (Some(low), Some(high)) if high - low < 2.0 => 2,
                _ => i32::from(near.fract() != 0.0),
            },
        };
        let step = 10f64.powi(scale);
        let n = match (low, high) {
            // What only has too many digits is rounded.
            _ if low.is_none_or(|l| near > l) && high.is_none_or(|h| near < h) => near,
            (Some(low), Some(high)) => {
                let span = ((high - low) * step).clamp(0.0, 1e6) as i64;
                // A range of millions around 0 is used from there on.
                let from = if low <= 0.0 && high > 0.0 && high - low > 1e6 { 0.0 } else { low };
                from + dice.between(0, span) as f64 / step
            }
            (Some(low), None) => low + dice.between(0, 30 * step as i64) as f64 / step,
            (None, Some(high)) => high - dice.between(0, 30 * step as i64) as f64 / step,
            (None, None) => near,
        };
        let rounded = (n * step).round() / step;
        if rounded.fract() == 0.0 && rounded.abs() < 9e15 && self.affinity != Affinity::Real {
            Value::Integer(rounded as i64)
        } else {
            Value::Real(rounded.into())
        }
    }

    /// A date or time, within the bounds where these are dates.
    fn moment(&self, form: Form, dice: &mut Dice) -> String {
        let year = |b: &Option<(Value, bool)>| match b {
            Some((Value::Text(s), _)) => date_of(s).map(|(y, _, _)| y),
            _ => None,
        };
        let (low, high) = match (year(&self.low), year(&self.high)) {
            (Some(low), Some(high)) => (low, high.max(low)),
            (Some(low), None) => (low, low + 6),
            (None, Some(high)) => (high - 6, high),
            (None, None) => (2018, 2024),
        };
        let day = format!(
            "{:04}-{:02}-{:02}",
            dice.between(low, high).clamp(0, 9999),
            dice.between(1, 12),
            dice.between(1, 28)
        );
        let clock = format!("{:02}:{:02}:00", dice.between(0, 23), dice.between(0, 59));
        match form {
            Form::Day => day,
            Form::Moment => format!("{day} {clock}"),
            Form::Clock => clock,
        }
    }
}

/// One of the patterns; no random number is drawn where there is none.
fn dice_pattern<'a>(patterns: &'a [String], dice: &mut Dice) -> Option<&'a str> {
    if patterns.is_empty() {
        return None;
    }
    dice.pick(patterns).map(String::as_str)
}

/// True if the text is a date or time of this form.
fn has_form(text: &str, form: Form) -> bool {
    let clock = |s: &str| {
        let parts: Vec<&str> = s.split(':').collect();
        let bounds = [24, 60, 60];
        parts.len() == 3
            && parts.iter().zip(bounds).all(|(part, bound)| {
                part.len() == 2
                    && part.bytes().all(|b| b.is_ascii_digit())
                    && part.parse::<u32>().is_ok_and(|n| n < bound)
            })
    };
    match form {
        Form::Day => text.len() == 10 && date_of(text).is_some(),
        Form::Moment => {
            text.len() == 19
                && date_of(text).is_some()
                && text.get(10..11) == Some(" ")
                && text.get(11..).is_some_and(clock)
        }
        Form::Clock => clock(text),
    }
}

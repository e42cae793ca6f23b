//! Where the values of one column come from in one database.

use std::collections::HashSet;
use std::sync::Arc;

use twinql_sql::{Affinity, Value};

use super::content::Content;
use super::form::{Form, Moment, near};
use super::portrait::{Portrait, same_letters};
use super::regularity::{Mood, Regularity};
use super::words::{CATEGORIES, COUNTRIES, FIRST, LAST, NOUNS, PLACES, pick, reshaped};
use crate::database::store;
use crate::dice::Dice;
use crate::generate::values::instantiate;

/// A set with a hash of a few instructions, for sets that stay small: a generated table has a few hundred rows at most. The standard
/// hash, which nobody can make slow, costs a hundred. Nothing depends on the set's order.
pub(super) type QuickSet<T> = HashSet<T, foldhash::fast::FixedState>;

/// The spellings of a flag's two values.
const FLAGS: [(&str, &str); 9] = [
    ("T", "F"),
    ("t", "f"),
    ("Y", "N"),
    ("y", "n"),
    ("Yes", "No"),
    ("YES", "NO"),
    ("yes", "no"),
    ("True", "False"),
    ("true", "false"),
];

/// How new values are made.
#[derive(Debug, Clone)]
pub(super) enum Making {
    /// Numbers in sequence, with gaps or without.
    Serial { next: i64, step: i64 },
    /// One of these, the first ones more often.
    Few { values: Vec<Value>, skew: f64 },
    /// Numbers between two, with so many digits behind the point; `squeeze` 1 is even, more prefers low ones.
    Numbers { low: f64, high: f64, digits: i32, squeeze: f64 },
    /// Moments around one.
    Moments { form: Form, around: Moment, spread: i64, midnight: bool, known: Vec<Moment> },
    /// Words of what the column holds.
    Words,
    /// Numbers between points at even steps of rank.
    Spread { points: Arc<[f64]>, digits: i32 },
    /// Moments in years between points at even steps of rank.
    Dated { form: Form, years: Arc<[f64]>, midnight: bool },
    /// Texts of these shapes.
    Shaped { shapes: Arc<[String]>, weights: Arc<[f64]> },
    /// One of these: one that was not there yet at this pace, else by weight. `fresh` counts those that were.
    Pool { values: Arc<[Value]>, weights: Arc<[f64]>, fresh: usize, pace: f64 },
}

/// The source of a column's values in one database.
#[derive(Debug, Clone)]
pub(super) struct Supply {
    pub(super) making: Making,
    content: Content,
    affinity: Affinity,
    /// Constants of the queries, which stand in among the words now and then.
    members: Vec<Value>,
    patterns: Vec<String>,
    /// Lengths of texts that queries ask for.
    lengths: Vec<i64>,
    /// What stands for a missing value, and the share of rows that have it.
    blanks: Vec<Value>,
    blank: f64,
    /// No value twice.
    pub(super) unique: bool,
    used: QuickSet<Value>,
    /// The share of NULLs.
    pub(super) nulls: f64,
}

fn number(value: f64, digits: i32) -> Value {
    if digits == 0 {
        return Value::Integer(value.round() as i64);
    }
    let scale = 10f64.powi(digits);
    Value::Real(((value * scale).round() / scale).into())
}

/// The range of a column's numbers and how they crowd at its lower end, before queries say more.
fn range(content: Content, dice: &mut Dice) -> (f64, f64, f64) {
    match content {
        Content::Year => (1995.0, 2020.0, 1.0),
        Content::Age => (17.0, 70.0, 1.0),
        Content::Percent => (0.0, 100.0, 1.0),
        Content::Score => [(0.0, 100.0, 1.0), (1.0, 10.0, 1.0), (0.0, 5.0, 1.0)][dice.below(3)],
        Content::Coordinate => (-90.0, 90.0, 1.0),
        Content::Money => {
            ([200.0, 5_000.0, 90_000.0][dice.below(3)] / 40.0, [200.0, 5_000.0, 90_000.0][dice.below(3)], 1.6)
        }
        Content::Count => [(0.0, 20.0, 1.3), (1.0, 300.0, 1.5), (10.0, 3_000.0, 1.8)][dice.below(3)],
        _ => [(0.0, 10.0, 1.0), (5.0, 400.0, 1.3), (100.0, 20_000.0, 1.8)][dice.below(3)],
    }
}

impl Supply {
    /// Where a column's values come from on one database. What the schema says comes first, then what the queries ask
    /// (a column that the gold tests for NULL has some), and the mood decides what neither says.
    pub(super) fn of(portrait: &Portrait, mood: &Mood, dice: &mut Dice) -> Supply {
        let content = portrait.content;
        let distinct = match content {
            _ if content.is_told_by_name() || content == Content::Prose => {
                mood.has(if portrait.own_name { Regularity::UniqueNames } else { Regularity::UniqueEntries })
            }
            Content::Person => (portrait.of_parent || portrait.own_name) && mood.has(Regularity::UniqueNames),
            _ => false,
        };
        let making = Supply::making(portrait, mood, dice);
        let distinct = distinct && !portrait.shared;
        let nulls = if portrait.unique || portrait.not_null {
            0.0
        } else if portrait.asked_null {
            [0.0, 0.1, 0.25, 0.5][dice.below(4)]
        } else if !mood.has(Regularity::FewNulls)
            && dice.chance(if portrait.doubted_null || mood.wild { 0.8 } else { 0.3 })
        {
            [0.05, 0.15, 0.3][dice.below(3)]
        } else {
            0.0
        };
        let blank = match portrait.asked_blank {
            true => [0.0, 0.1, 0.2, 0.4][dice.below(4)],
            false if mood.has(Regularity::NoBlanks) => 0.0,
            false => [0.05, 0.15, 0.3][dice.below(3)],
        };
        let mut supply = Supply {
            making,
            content,
            affinity: portrait.affinity,
            members: portrait.members.clone(),
            patterns: patterns(portrait, mood),
            lengths: portrait.lengths.clone(),
            blanks: portrait.blanks.clone(),
            blank: if portrait.unique || portrait.blanks.is_empty() { 0.0 } else { blank },
            unique: portrait.unique || distinct,
            used: QuickSet::default(),
            nulls,
        };
        if portrait.shared {
            let count = [3, 5, 8, 14][dice.below(4)];
            let values = (0..count).map(|_| supply.take(dice)).collect();
            supply.making = Making::Few { values, skew: 1.3 };
        }
        supply
    }

    /// How a column comes by its values. What is drawn here holds for one database.
    fn making(portrait: &Portrait, mood: &Mood, dice: &mut Dice) -> Making {
        match portrait.content {
            Content::Id => {
                let step = if mood.has(Regularity::DenseIds) { 1 } else { [2, 3, 7][dice.below(3)] };
                let next = if step == 1 { 1 } else { dice.between(1, 900) };
                Making::Serial { next, step }
            }
            Content::Flag => Making::Few { values: Supply::flags(portrait, dice), skew: 1.0 },
            Content::Category | Content::Level => Supply::categories(portrait, mood, dice),
            Content::Moment(form) if portrait.years.is_some() && portrait.moments.is_empty() => {
                Making::Dated {
                    form,
                    years: portrait.years.iter().flatten().copied().collect(),
                    midnight: portrait.midnight || dice.chance(0.3),
                }
            }
            Content::Moment(form) => {
                let around =
                    dice.pick(&portrait.moments).copied().unwrap_or((dice.between(2005, 2020), 6, 1, 0));
                Making::Moments {
                    form,
                    around,
                    // The years of a birth are many.
                    spread: if portrait.years.is_some() { 12 } else { [0, 1, 1, 2, 4][dice.below(5)] },
                    midnight: portrait.midnight || dice.chance(0.3),
                    known: portrait.days.clone(),
                }
            }
            Content::Year
            | Content::Age
            | Content::Money
            | Content::Percent
            | Content::Score
            | Content::Count
            | Content::Measure
            | Content::Coordinate => Supply::numbers(portrait, mood, dice),
            Content::Place => {
                let mut values: Vec<Value> = portrait.members.clone();
                for _ in 0..[3, 6, 12][dice.below(3)] {
                    values.push(Value::Text(pick(&PLACES, dice)));
                }
                dice.shuffle(&mut values);
                Making::Few { values, skew: 1.2 }
            }
            _ => Making::Words,
        }
    }

    /// A few values that come again and again: those of the constants, and others that look like them.
    fn categories(portrait: &Portrait, mood: &Mood, dice: &mut Dice) -> Making {
        let mut values: Vec<Value> = portrait.members.clone();
        if portrait.enumerated {
            return Making::Few { values, skew: 1.0 };
        }
        let more = if portrait.listed && dice.chance(0.6) { 0 } else { [1, 2, 3, 4][dice.below(4)] };
        // Constants with digits say how the other values look: `2010/2011`, `A-2`.
        let patterned: Vec<String> = values
            .iter()
            .filter_map(|v| match v {
                Value::Text(t) if t.bytes().any(|b| b.is_ascii_digit()) => Some(t.clone()),
                _ => None,
            })
            .collect();
        for i in 0..more + 3usize.saturating_sub(values.len()) {
            values.push(match dice.pick(&patterned) {
                _ if portrait.content == Content::Level => Value::Integer(1 + i as i64),
                Some(pattern) => Value::Text(reshaped(pattern, dice)),
                None => Value::Text(pick(&CATEGORIES, dice)),
            });
        }
        for pattern in patterns(portrait, mood) {
            for _ in 0..dice.below(3) {
                values.push(Value::Text(phrase(&pattern, dice)));
            }
        }
        for &length in &portrait.lengths {
            for near in [length - 2, length, length + 3] {
                values.push(sized(&pick(&CATEGORIES, dice), near, dice));
            }
        }
        values.dedup();
        dice.shuffle(&mut values);
        Making::Few { values, skew: [1.0, 1.3, 1.8][dice.below(3)] }
    }

    /// Numbers of a range around the constants, or of a usual one where there are none. Where ties for the extreme are to
    /// occur, few values lie in it.
    fn numbers(portrait: &Portrait, mood: &Mood, dice: &mut Dice) -> Making {
        let (mut low, mut high, squeeze) = range(portrait.content, dice);
        if let (Content::Year, Some([first, last])) = (portrait.content, portrait.years) {
            (low, high) = (first, last);
        }
        if low > high {
            std::mem::swap(&mut low, &mut high);
        }
        let years: Vec<f64> = portrait.moments.iter().map(|m| m.0 as f64).collect();
        let members = portrait.members.iter().filter_map(Value::as_f64);
        let known: Vec<f64> = portrait.bounds.iter().copied().chain(years).chain(members).collect();
        let (least, most) = known.iter().fold((f64::MAX, f64::MIN), |(a, b), &k| (a.min(k), b.max(k)));
        if least <= most {
            // The constants lie inside, with room on both sides.
            let span = (most - least).max(most.abs() * 0.3).max(4.0);
            let span = if portrait.content == Content::Year { (most - least).max(6.0) } else { span };
            let floor = if least >= 0.0 { 0.0 } else { f64::MIN };
            low = (least - span * (0.3 + dice.unit())).max(floor);
            high = most + span * (0.3 + dice.unit());
            if portrait.content == Content::Percent && most <= 1.0 {
                high = 1.0;
            }
        }
        // Nothing is 0 that queries take to be more.
        let guarded = portrait.blanks.iter().any(|b| b.as_f64() == Some(0.0));
        if guarded && low <= 0.0 {
            low = if portrait.whole { 1.0 } else { 0.5 };
            high = high.max(low + 4.0);
        }
        let fraction =
            !portrait.whole && !matches!(portrait.content, Content::Year | Content::Age | Content::Count);
        let tied = mood.wild && !mood.has(Regularity::ClearExtremes);
        let ties = tied && portrait.ranked && known.is_empty();
        let digits = if fraction && !ties { [1, 2, 2][dice.below(3)] } else { 0 };
        if ties {
            high = low + 4.0;
        }
        if digits == 0
            && known.is_empty()
            && matches!(portrait.content, Content::Count | Content::Money)
            && dice.chance(0.4)
        {
            high = low + 12.0;
        }
        Making::Numbers { low, high, digits, squeeze: if known.is_empty() { squeeze } else { 1.0 } }
    }

    /// The two values of a flag, in the spelling of the constants.
    fn flags(portrait: &Portrait, dice: &mut Dice) -> Vec<Value> {
        let both = |(yes, no): (&str, &str)| [yes, no].map(|t| Value::Text(t.into())).to_vec();
        let member = portrait.members.iter().find_map(|m| match m {
            Value::Text(t) if t.parse::<f64>().is_err() => Some(t.as_str()),
            _ => None,
        });
        match member {
            Some(member) => match FLAGS.iter().find(|(yes, no)| *yes == member || *no == member) {
                Some(pair) => both(*pair),
                None => portrait.members.clone(),
            },
            None if matches!(portrait.affinity, Affinity::Text) && portrait.members.is_empty() => {
                both(if dice.chance(0.5) { ("T", "F") } else { ("Yes", "No") })
            }
            None => vec![Value::Integer(0), Value::Integer(1)],
        }
    }

    fn words(&self, dice: &mut Dice) -> Value {
        // A constant of the queries, or another value of its make.
        if !self.members.is_empty() && dice.chance(0.35) {
            return dice.pick(&self.members).cloned().unwrap_or(Value::Null);
        }
        if !self.patterns.is_empty() && dice.chance(0.3) {
            let text = dice.pick(&self.patterns).map(|p| phrase(p, dice)).unwrap_or_default();
            return Value::Text(text);
        }
        if !self.lengths.is_empty() && dice.chance(0.4) {
            let length = dice.pick(&self.lengths).copied().unwrap_or(8) + dice.between(-2, 4);
            return sized(&pick(&NOUNS, dice), length, dice);
        }
        Value::Text(match self.content {
            Content::Person => match dice.below(2) {
                0 => format!("{} {}", pick(&FIRST, dice), pick(&LAST, dice)),
                _ => pick(&FIRST, dice),
            },
            Content::Country => pick(&COUNTRIES, dice),
            Content::Email => {
                format!(
                    "{}.{}@example.com",
                    pick(&FIRST, dice).to_lowercase(),
                    pick(&LAST, dice).to_lowercase()
                )
            }
            Content::Url => {
                format!("http://www.{}.com/{}", pick(&NOUNS, dice).to_lowercase(), dice.below(900))
            }
            Content::Phone => {
                format!("{:03}-{:03}-{:04}", dice.below(900), dice.below(1000), dice.below(10_000))
            }
            Content::Prose => format!(
                "The {} of the {} was {}",
                pick(&NOUNS, dice).to_lowercase(),
                pick(&NOUNS, dice).to_lowercase(),
                pick(&CATEGORIES, dice).to_lowercase()
            ),
            Content::Code => match self.members.iter().find_map(|m| match m {
                Value::Text(t) => Some(t.clone()),
                Value::Integer(n) => Some(n.to_string()),
                _ => None,
            }) {
                Some(model) => reshaped(&model, dice),
                None => format!("{}{}", ["A", "B", "C", "K"][dice.below(4)], dice.between(100, 999)),
            },
            _ => {
                if dice.chance(0.4) {
                    pick(&NOUNS, dice)
                } else {
                    format!("{} {}", pick(&NOUNS, dice), pick(&NOUNS, dice))
                }
            }
        })
    }

    /// A value such as the column holds; of a sequence, the next one.
    fn propose(&self, dice: &mut Dice) -> Value {
        match &self.making {
            Making::Serial { next, .. } => Value::Integer(*next),
            Making::Few { values, skew } => {
                let index = dice.skewed(values.len(), *skew);
                values.get(index).cloned().unwrap_or(Value::Null)
            }
            Making::Numbers { low, high, digits, squeeze } => {
                number(*low + dice.unit().powf(*squeeze) * (*high - *low), *digits)
            }
            Making::Moments { form, around, spread, midnight, known } => {
                let mut moment = near(*around, *spread, dice);
                // Many days are in a real table, that of a constant among them.
                if let Some(day) = dice.pick(known).filter(|_| dice.chance(0.1)) {
                    (moment.0, moment.1, moment.2) = (day.0, day.1, day.2);
                }
                if *midnight && matches!(form, Form::Moment { .. }) {
                    moment.3 = 0;
                }
                form.write(moment, dice)
            }
            Making::Words => self.words(dice),
            Making::Spread { points, digits } => number(between(points, dice.unit()), *digits),
            Making::Dated { form, years, midnight } => {
                let mut moment = near((between(years, dice.unit()).round() as i64, 1, 1, 0), 0, dice);
                if *midnight && matches!(form, Form::Moment { .. }) {
                    moment.3 = 0;
                }
                form.write(moment, dice)
            }
            Making::Shaped { shapes, weights } => {
                let shape = dice.weighted(weights).and_then(|i| shapes.get(i));
                Value::Text(shape.map_or_else(String::new, |shape| reshaped(shape, dice)))
            }
            Making::Pool { values, weights, .. } => {
                dice.weighted(weights).and_then(|i| values.get(i)).cloned().unwrap_or(Value::Null)
            }
        }
    }

    /// A proposed value that is used: a sequence goes on behind it, and a pool of values brings all of them in time.
    fn take(&mut self, dice: &mut Dice) -> Value {
        if self.blank > 0.0 && dice.chance(self.blank) {
            return dice.pick(&self.blanks).cloned().unwrap_or(Value::Null);
        }
        if let Making::Pool { values, fresh, pace, .. } = &mut self.making
            && let Some(value) = values.get(*fresh)
            && dice.chance(*pace)
        {
            *fresh += 1;
            return value.clone();
        }
        let value = self.propose(dice);
        if let Making::Serial { next, step } = &mut self.making {
            *next += if *step == 1 { 1 } else { dice.between(1, *step) };
        }
        value
    }

    /// A value for a new row; one not used before where values belong to one row.
    pub(super) fn draw(&mut self, dice: &mut Dice) -> Value {
        let mut value = store(self.take(dice), self.affinity);
        for attempt in 0..8 {
            if !self.is_taken(&value) {
                break;
            }
            value = store(self.take(dice), self.affinity);
            if attempt >= 4 {
                value = self.numbered(value);
            }
        }
        self.note(&value);
        value
    }

    /// What [`draw`](Supply::draw) might give, and nothing is used.
    pub(super) fn sketch(&self, dice: &mut Dice) -> Value {
        let value = store(self.propose(dice), self.affinity);
        if self.is_taken(&value) { self.numbered(value) } else { value }
    }

    /// A value of its own, where chance found none.
    fn numbered(&self, value: Value) -> Value {
        let number = self.used.len() + 1;
        match value {
            Value::Text(t) => Value::Text(format!("{t} {number}")),
            Value::Integer(n) => Value::Integer(n.saturating_add(number as i64)),
            other => other,
        }
    }

    /// A value other than these that are known to meet a test.
    pub(super) fn draw_but(&self, meets: &dyn Fn(&Value) -> bool, dice: &mut Dice) -> Option<Value> {
        (0..12).map(|_| store(self.propose(dice), self.affinity)).find(|v| !meets(v))
    }

    /// Notes a value that was given to a row.
    pub(super) fn note(&mut self, value: &Value) {
        if self.unique && !self.used.contains(value) {
            self.used.insert(value.clone());
        }
    }

    /// True if each value belongs to one row.
    pub(super) fn is_unique(&self) -> bool {
        self.unique
    }

    /// Has each name belong to one row from now on; a category stays what it is, but in a table to look it up in.
    pub(super) fn be_unique(&mut self, whatever: bool) {
        self.unique |= whatever
            || matches!(
                self.content,
                Content::Person
                    | Content::Name
                    | Content::Country
                    | Content::Code
                    | Content::Email
                    | Content::Url
            );
    }

    /// True if the value belongs to one row only, and one has it.
    pub(super) fn is_taken(&self, value: &Value) -> bool {
        self.unique && self.used.contains(value)
    }
}

/// The patterns by which values of a column are made: where no value stands within another, none but a constant itself
/// is made after it.
fn patterns(portrait: &Portrait, mood: &Mood) -> Vec<String> {
    let own = |pattern: &&String| {
        let core = Value::Text(pattern.trim_matches('%').to_owned());
        !mood.has(Regularity::BareValues) || !portrait.members.iter().any(|m| same_letters(m, &core))
    };
    portrait.patterns.iter().filter(own).cloned().collect()
}

/// A text of so many characters that begins with a word.
pub(super) fn sized(word: &str, length: i64, dice: &mut Dice) -> Value {
    let length = length.clamp(1, 200) as usize;
    let mut text = word.to_owned();
    while text.chars().count() < length {
        text.push(' ');
        text.push_str(&pick(&NOUNS, dice));
    }
    let mut text: String = text.chars().take(length).collect();
    if text.ends_with(' ') {
        text.pop();
        text.push('s');
    }
    Value::Text(text)
}

/// A point of a spread that is given by its values at even steps of rank, from 0 to 1.
pub(super) fn between(points: &[f64], rank: f64) -> f64 {
    let Some(last) = points.len().checked_sub(1) else { return 0.0 };
    let place = rank * last as f64;
    let at = |i: usize| points.get(i.min(last)).copied().unwrap_or(0.0);
    let low = at(place as usize);
    low + (at(place as usize + 1) - low) * place.fract()
}

/// A text that a pattern matches, with the pattern as a word among others.
pub(super) fn phrase(pattern: &str, dice: &mut Dice) -> String {
    let mut out = String::new();
    for (i, c) in pattern.chars().enumerate() {
        match c {
            '%' if dice.chance(0.6) => {
                let word = pick(&NOUNS, dice);
                out.push_str(&if i == 0 { format!("{word} ") } else { format!(" {word}") });
            }
            '%' => {}
            '_' => out.push('a'),
            c => out.push(c),
        }
    }
    if out.is_empty() { instantiate(pattern, dice) } else { out }
}

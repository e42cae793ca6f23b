//! What a column holds, as its name and type have it.
//!
//! The words are those of column names in general, and of no schema in particular: what they do not know is a name or
//! a category where it is text, and a count or a measure where it is a number.

use twinql_sql::{Column, TypeClass};

use super::form::Form;
use super::words::words;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Numbers or codes that tell rows apart and mean nothing.
    Id,
    Person,
    Place,
    Country,
    /// Names of things, titles.
    Name,
    /// One of a few words.
    Category,
    /// One of a few whole numbers.
    Level,
    Flag,
    Moment(Form),
    Year,
    Age,
    Money,
    Percent,
    Score,
    /// Whole numbers from small to some hundreds.
    Count,
    /// Numbers with a fraction, or wide ones.
    Measure,
    Coordinate,
    Email,
    Url,
    Phone,
    Prose,
    /// Short texts with a pattern.
    Code,
}

impl Kind {
    /// The kind of a column. `key` says that it is one by itself.
    pub(super) fn of(column: &Column, table: &str, key: bool) -> Kind {
        let (name, table) = (words(&column.name), words(table));
        let compact: String = name.concat();
        let declared = column.declared.to_ascii_uppercase();
        let fraction = fractional(column);
        let id = matches!(name.last().map(String::as_str), Some("id" | "uuid" | "key"))
            || compact.ends_with("id") && key;
        let dated = has(&name, "date birthday dob day birthdate") || compact.ends_with("date");
        let timed = has(&name, "time timestamp datetime") || compact.ends_with("time");
        let whole = is_whole(column);
        match column.class {
            _ if !column.values.is_empty() => Kind::Category,
            TypeClass::Integer | TypeClass::Number if id || key && !fraction => Kind::Id,
            TypeClass::Integer | TypeClass::Number => number_kind(&name, whole),
            TypeClass::Boolean => Kind::Flag,
            TypeClass::Time if declared.starts_with("YEAR") => Kind::Year,
            TypeClass::Time if declared == "TIME" => Kind::Moment(Form::Clock),
            TypeClass::Time if declared.contains("TIME") => Kind::Moment(Form::Moment { fraction: false }),
            TypeClass::Time if has(&name, "year") => Kind::Year,
            TypeClass::Time => Kind::Moment(Form::Day),
            _ if id => Kind::Code,
            _ if dated => Kind::Moment(Form::Day),
            _ if timed && has(&name, "timestamp datetime created updated") => {
                Kind::Moment(Form::Moment { fraction: false })
            }
            _ if has(&name, "year") => Kind::Year,
            _ if has(&name, "age") => Kind::Age,
            _ => text_kind(&name, &table, &compact),
        }
    }
}

/// True of numbers that have no fraction; Spider's `number` seldom has one.
pub(super) fn is_whole(column: &Column) -> bool {
    column.class == TypeClass::Integer || column.class == TypeClass::Number && !fractional(column)
}

fn fractional(column: &Column) -> bool {
    let declared = column.declared.to_ascii_uppercase();
    ["REAL", "FLOA", "DOUB", "DEC", "NUMERIC"].iter().any(|t| declared.contains(t))
}

/// Words of column names of text, the first list that has one deciding.
const TEXTS: [(Kind, &str); 8] = [
    (Kind::Email, "email mail"),
    (Kind::Url, "url website link image photo picture logo"),
    (Kind::Phone, "phone telephone fax mobile cell"),
    (
        Kind::Prose,
        "description comment comments text details note notes content body bio biography summary about abstract review remark",
    ),
    (
        Kind::Place,
        "city town location place village county hometown birthplace venue district street address region province",
    ),
    (Kind::Country, "country nationality nation"),
    (
        Kind::Category,
        "type status category gender sex class level grade color colour kind state language genre role position priority season style mode group label size rating format party major unit",
    ),
    (
        Kind::Name,
        "title headline subject model product brand company organization school team club song album book movie film course event",
    ),
];

/// Words of column names of numbers.
const NUMBERS: [(Kind, &str); 8] = [
    (Kind::Year, "year founded season yr"),
    (Kind::Age, "age"),
    (Kind::Coordinate, "latitude longitude lat lng lon long"),
    (Kind::Percent, "percent percentage pct share"),
    (
        Kind::Money,
        "price cost amount salary budget revenue income balance payment total fee sales gross wage money value spent population area",
    ),
    (Kind::Score, "score rating grade mark stars gpa rank points"),
    (
        Kind::Level,
        "level floor position stage round priority class type category status order semester term sequence credits",
    ),
    (Kind::Flag, "is has flag active available deleted bool"),
];

/// Words that name persons.
const PERSONS: &str = "firstname lastname surname fname lname author actor director player driver person student teacher employee customer manager owner singer artist coach captain member patient host";

/// What a text is that ends in one of these.
const CODES: &str = "code number no isbn zip symbol abbreviation short postcode key id";

fn among(list: &str, word: &str) -> bool {
    list.split(' ').any(|w| w == word)
}

fn has(words: &[String], list: &str) -> bool {
    words.iter().any(|w| among(list, w))
}

fn by_words(kinds: &[(Kind, &str)], words: &[String]) -> Option<Kind> {
    kinds.iter().find(|(_, list)| has(words, list)).map(|(kind, _)| *kind)
}

/// What a column of text holds, by its name and its table's.
fn text_kind(words: &[String], table: &[String], compact: &str) -> Kind {
    let last = words.last().map_or("", String::as_str);
    let known = by_words(&TEXTS, words);
    if let Some(kind) = known.filter(|kind| *kind != Kind::Name) {
        return kind;
    }
    if among(CODES, last) || compact.ends_with("code") {
        return Kind::Code;
    }
    let of_person = table.iter().any(|w| among(PERSONS, w) || among(PERSONS, w.trim_end_matches('s')));
    if has(words, "first last middle given family forename") || has(words, PERSONS) || among(PERSONS, compact)
    {
        return Kind::Person;
    }
    if compact.ends_with("name") {
        return if of_person { Kind::Person } else { Kind::Name };
    }
    known.unwrap_or(Kind::Category)
}

/// What a column of numbers holds, by its name.
fn number_kind(words: &[String], whole: bool) -> Kind {
    by_words(&NUMBERS, words).unwrap_or(if whole { Kind::Count } else { Kind::Measure })
}

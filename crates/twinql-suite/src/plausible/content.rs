//! What a column holds, as its name and type have it.
//!
//! The words are those of column names in general, and of no schema in particular: what they do not know is a name or
//! a category where it is text, and a count or a measure where it is a number.

use twinql_sql::{Column, TypeClass};

use super::form::Form;
use super::words::words;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
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

impl Content {
    /// Whether most values occur once, as names and addresses do.
    pub(crate) fn is_told_by_name(self) -> bool {
        use Content::{Code, Country, Email, Name, Phone, Url};
        matches!(self, Name | Email | Phone | Url | Code | Country)
    }

    /// The kind of a column. `key` says that it is one by itself.
    pub(crate) fn of(column: &Column, table: &str, key: bool) -> Content {
        let (name, table) = (words(&column.name), words(table));
        let compact: String = name.concat();
        let declared = column.declared.to_ascii_uppercase();
        let fraction = fractional(column);
        let id = matches!(name.last().map(String::as_str), Some("id" | "uuid" | "key"))
            || compact.ends_with("id") && key;
        let dated = has(&name, "date day") || has(&name, BIRTH) || compact.ends_with("date");
        let timed = has(&name, "time timestamp datetime") || compact.ends_with("time");
        let whole = is_whole(column);
        match column.class {
            _ if !column.values.is_empty() => Content::Category,
            TypeClass::Integer | TypeClass::Number if id || key && !fraction => Content::Id,
            TypeClass::Integer | TypeClass::Number => number_kind(&name, whole),
            TypeClass::Boolean => Content::Flag,
            TypeClass::Time if declared.starts_with("YEAR") => Content::Year,
            TypeClass::Time if declared == "TIME" => Content::Moment(Form::Clock),
            TypeClass::Time if declared.contains("TIME") => Content::Moment(Form::Moment { fraction: false }),
            TypeClass::Time if has(&name, "year") => Content::Year,
            TypeClass::Time => Content::Moment(Form::Day),
            _ if id => Content::Code,
            _ if dated => Content::Moment(Form::Day),
            _ if timed && has(&name, "timestamp datetime created updated") => {
                Content::Moment(Form::Moment { fraction: false })
            }
            _ if has(&name, "year") => Content::Year,
            _ if has(&name, "age") => Content::Age,
            _ => text_kind(&name, &table, &compact),
        }
    }
}

/// The years in which something happens that a column's name tells: people are born decades ago, and are hired later.
pub(super) fn years(column: &Column) -> Option<[f64; 2]> {
    let name = words(&column.name);
    let of = |list: &str| has(&name, list);
    (of(BIRTH))
        .then_some([1940.0, 2003.0])
        .or_else(|| of("hire hired hiredate joined employed").then_some([1996.0, 2019.0]))
}

/// True of the name that the rows of a table go by: `name`, `title`, or `power_name` of a table `superpower`.
pub(crate) fn is_own_name(column: &Column, table: &str) -> bool {
    let (name, table) = (words(&column.name), table.to_lowercase());
    name.split_last().is_some_and(|(last, rest)| {
        matches!(last.as_str(), "name" | "title") && rest.iter().all(|word| table.contains(word.as_str()))
    })
}

/// True of a column whose name says that it holds one of a few words.
pub(super) fn names_category(column: &Column) -> bool {
    let name = words(&column.name);
    TEXTS.iter().any(|(content, list)| *content == Content::Category && has(&name, list))
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
const TEXTS: [(Content, &str); 8] = [
    (Content::Email, "email"),
    (Content::Url, "url website link image photo picture logo"),
    (Content::Phone, "phone telephone fax mobile cell"),
    (
        Content::Prose,
        "description comment comments text details note notes content body bio biography summary about abstract review remark",
    ),
    (
        Content::Place,
        "city town location place village county hometown birthplace venue district street address region province",
    ),
    (Content::Country, "country nationality nation"),
    (
        Content::Category,
        "type status category gender sex class level grade color colour kind state language genre role position priority season style mode group size rating format",
    ),
    (
        Content::Name,
        "title headline subject model product brand company organization school team club song album book movie film course event",
    ),
];

/// Words of column names of numbers.
const NUMBERS: [(Content, &str); 8] = [
    (Content::Year, "year founded season yr"),
    (Content::Age, "age"),
    (Content::Coordinate, "latitude longitude lat lng lon long"),
    (Content::Percent, "percent percentage pct share"),
    (
        Content::Money,
        "price cost amount salary budget revenue income balance payment total fee sales gross wage money value spent population area",
    ),
    (Content::Score, "score rating grade mark stars gpa rank points"),
    (
        Content::Level,
        "level floor position stage round priority class type category status order semester term sequence credits",
    ),
    (Content::Flag, "is has flag bool"),
];

/// Words that are flags alone: `available` is one, and `bikes_available` is a number.
const FLAGS: &str = "active available deleted";

/// Words that name persons.
const PERSONS: &str = "firstname lastname surname fname lname author actor director player driver person student teacher employee customer manager owner singer artist coach captain member patient host";

/// Words of birth dates.
const BIRTH: &str = "birth birthday birthdate dob bdate born";

/// What a text is that ends in one of these.
const CODES: &str = "code number no isbn zip symbol abbreviation short postcode key id";

fn among(list: &str, word: &str) -> bool {
    list.split(' ').any(|w| w == word)
}

fn has(words: &[String], list: &str) -> bool {
    words.iter().any(|w| among(list, w))
}

fn by_words(kinds: &[(Content, &str)], words: &[String]) -> Option<Content> {
    kinds.iter().find(|(_, list)| has(words, list)).map(|(kind, _)| *kind)
}

/// What a column of text holds, by its name and its table's.
fn text_kind(words: &[String], table: &[String], compact: &str) -> Content {
    let last = words.last().map_or("", String::as_str);
    let known = by_words(&TEXTS, words);
    if let Some(kind) = known.filter(|kind| *kind != Content::Name) {
        return kind;
    }
    if compact.ends_with("mail") {
        return Content::Email;
    }
    if among(CODES, last) || compact.ends_with("code") {
        return Content::Code;
    }
    let of_person = table.iter().any(|w| among(PERSONS, w) || among(PERSONS, w.trim_end_matches('s')));
    if has(words, "first last middle given family forename") || has(words, PERSONS) || among(PERSONS, compact)
    {
        return Content::Person;
    }
    if compact.ends_with("name") {
        return if of_person { Content::Person } else { Content::Name };
    }
    known.unwrap_or(Content::Category)
}

/// What a column of numbers holds, by its name.
fn number_kind(words: &[String], whole: bool) -> Content {
    if matches!(words, [word] if among(FLAGS, word)) {
        return Content::Flag;
    }
    by_words(&NUMBERS, words).unwrap_or(if whole { Content::Count } else { Content::Measure })
}

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
        let dated = has(&name, &["date", "birthday", "dob", "day", "birthdate"]) || compact.ends_with("date");
        let timed = has(&name, &["time", "timestamp", "datetime"]) || compact.ends_with("time");
        let whole = is_whole(column);
        match column.class {
            _ if !column.values.is_empty() => Kind::Category,
            TypeClass::Integer | TypeClass::Number if id || key && !fraction => Kind::Id,
            TypeClass::Integer | TypeClass::Number => number_kind(&name, whole),
            TypeClass::Boolean => Kind::Flag,
            TypeClass::Time if declared.starts_with("YEAR") => Kind::Year,
            TypeClass::Time if declared == "TIME" => Kind::Moment(Form::Clock),
            TypeClass::Time if declared.contains("TIME") => Kind::Moment(Form::Moment { fraction: false }),
            TypeClass::Time if has(&name, &["year"]) => Kind::Year,
            TypeClass::Time => Kind::Moment(Form::Day),
            _ if id => Kind::Code,
            _ if dated => Kind::Moment(Form::Day),
            _ if timed && has(&name, &["timestamp", "datetime", "created", "updated"]) => {
                Kind::Moment(Form::Moment { fraction: false })
            }
            _ if has(&name, &["year"]) => Kind::Year,
            _ if has(&name, &["age"]) => Kind::Age,
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

const PERSONS: [&str; 24] = [
    "firstname",
    "lastname",
    "surname",
    "fname",
    "lname",
    "author",
    "actor",
    "director",
    "player",
    "driver",
    "person",
    "student",
    "teacher",
    "employee",
    "customer",
    "manager",
    "owner",
    "singer",
    "artist",
    "coach",
    "captain",
    "member",
    "patient",
    "host",
];

fn has(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|w| list.contains(&w.as_str()))
}

/// What a column of text holds, by its name.
fn text_kind(words: &[String], table: &[String], compact: &str) -> Kind {
    let last = words.last().map_or("", String::as_str);
    if has(words, &["email", "mail"]) {
        return Kind::Email;
    }
    if has(words, &["url", "website", "link", "image", "photo", "picture", "logo"]) {
        return Kind::Url;
    }
    if has(words, &["phone", "telephone", "fax", "mobile", "cell"]) {
        return Kind::Phone;
    }
    if has(
        words,
        &[
            "description",
            "comment",
            "comments",
            "text",
            "details",
            "note",
            "notes",
            "content",
            "body",
            "bio",
            "biography",
            "summary",
            "about",
            "abstract",
            "review",
            "remark",
        ],
    ) {
        return Kind::Prose;
    }
    if has(
        words,
        &[
            "city",
            "town",
            "location",
            "place",
            "village",
            "county",
            "hometown",
            "birthplace",
            "venue",
            "district",
            "street",
            "address",
            "county",
            "region",
            "province",
        ],
    ) {
        return Kind::Place;
    }
    if has(words, &["country", "nationality", "nation", "countryname"]) {
        return Kind::Country;
    }
    if has(
        words,
        &[
            "type",
            "status",
            "category",
            "gender",
            "sex",
            "class",
            "level",
            "grade",
            "color",
            "colour",
            "kind",
            "segment",
            "currency",
            "state",
            "language",
            "genre",
            "role",
            "position",
            "priority",
            "season",
            "style",
            "mode",
            "group",
            "label",
            "size",
            "rating",
            "format",
            "party",
            "major",
            "unit",
            "rarity",
            "alignment",
            "reason",
            "frequency",
            "material",
            "race",
            "religion",
            "diagnosis",
            "result",
        ],
    ) {
        return Kind::Category;
    }
    if matches!(
        last,
        "code"
            | "number"
            | "no"
            | "isbn"
            | "zip"
            | "symbol"
            | "abbreviation"
            | "short"
            | "postcode"
            | "key"
            | "id"
    ) || compact.ends_with("code")
    {
        return Kind::Code;
    }
    let personal = has(words, &PERSONS) || PERSONS.contains(&compact);
    let of_person = has(table, &PERSONS) || table.iter().any(|w| PERSONS.contains(&w.trim_end_matches('s')));
    if has(words, &["first", "last", "middle", "given", "family", "forename"]) || personal {
        return Kind::Person;
    }
    if last == "name" || compact.ends_with("name") || compact == "name" {
        return if of_person { Kind::Person } else { Kind::Name };
    }
    if has(
        words,
        &[
            "title",
            "headline",
            "subject",
            "model",
            "product",
            "brand",
            "company",
            "organization",
            "school",
            "team",
            "club",
            "song",
            "album",
            "book",
            "movie",
            "film",
            "course",
            "event",
        ],
    ) {
        return Kind::Name;
    }
    Kind::Category
}

/// What a column of numbers holds, by its name.
fn number_kind(words: &[String], whole: bool) -> Kind {
    if has(words, &["year", "founded", "season", "yr"]) {
        return Kind::Year;
    }
    if has(words, &["age"]) {
        return Kind::Age;
    }
    if has(words, &["latitude", "longitude", "lat", "lng", "lon", "long"]) {
        return Kind::Coordinate;
    }
    if has(words, &["percent", "percentage", "pct", "share"]) {
        return Kind::Percent;
    }
    if has(
        words,
        &[
            "price",
            "cost",
            "amount",
            "salary",
            "budget",
            "revenue",
            "income",
            "balance",
            "payment",
            "total",
            "fee",
            "sales",
            "gross",
            "wage",
            "money",
            "value",
            "spent",
            "population",
            "area",
            "votes",
            "views",
            "milliseconds",
        ],
    ) {
        return Kind::Money;
    }
    if has(words, &["score", "rating", "grade", "mark", "stars", "gpa", "rank", "points", "potential"]) {
        return Kind::Score;
    }
    if has(
        words,
        &[
            "level", "floor", "position", "stage", "round", "priority", "class", "type", "category",
            "status", "order", "semester", "term", "sequence", "credits",
        ],
    ) {
        return Kind::Level;
    }
    if has(words, &["is", "has", "flag", "active", "available", "deleted", "bool"]) {
        return Kind::Flag;
    }
    if whole { Kind::Count } else { Kind::Measure }
}

//! What a column probably holds: read off its name, its type, its place in keys, and what queries do with it.

use std::collections::{BTreeMap, BTreeSet};

use twinql_sql::{Column, ColumnRef, Schema, TypeClass, Value};

use super::form::{Form, Moment};
use super::words::words;
use crate::database::keys;
use crate::facts::{Atom, Comparison, Facts};

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

/// A column, as far as its values go.
#[derive(Debug, Clone)]
pub(super) struct Portrait {
    pub(super) kind: Kind,
    pub(super) affinity: twinql_sql::Affinity,
    /// Values are whole where they are numbers.
    pub(super) whole: bool,
    /// Constants that it is equal to: those of the gold first.
    pub(super) members: Vec<Value>,
    /// Numbers that it is compared with by order.
    pub(super) bounds: Vec<f64>,
    /// Moments that it is compared with.
    pub(super) moments: Vec<Moment>,
    /// Its type says which values there are.
    pub(super) enumerated: bool,
    /// A list of several values that it is one of: there may be no others.
    pub(super) listed: bool,
    /// The form of moments was read off a constant.
    formed: bool,
    /// Moments have no time of day but midnight.
    pub(super) midnight: bool,
    /// Patterns of LIKE.
    pub(super) patterns: Vec<String>,
    /// Alone a key.
    pub(super) unique: bool,
    /// Of a table that another refers to.
    pub(super) of_parent: bool,
    pub(super) ranked: bool,
    /// The gold asks where it is NULL.
    pub(super) asked_null: bool,
    /// The prediction alone asks where it is NULL.
    pub(super) doubted_null: bool,
    pub(super) not_null: bool,
}

/// A reference of a table's columns to another table's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) columns: Vec<usize>,
    pub(super) target: usize,
    pub(super) target_columns: Vec<usize>,
}

/// All portraits of a pair's tables, and the references between them.
#[derive(Debug, Default)]
pub(super) struct Portraits {
    columns: BTreeMap<ColumnRef, Portrait>,
    references: BTreeMap<usize, Vec<Reference>>,
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

impl Portrait {
    fn of(column: &Column, table: &str, key: bool) -> Portrait {
        let (name, table) = (words(&column.name), words(table));
        let compact: String = name.concat();
        let declared = column.declared.to_ascii_uppercase();
        let fraction = ["REAL", "FLOA", "DOUB", "DEC", "NUMERIC"].iter().any(|t| declared.contains(t));
        let id = matches!(name.last().map(String::as_str), Some("id" | "uuid" | "key"))
            || compact.ends_with("id") && key;
        let dated = has(&name, &["date", "birthday", "dob", "day", "birthdate"]) || compact.ends_with("date");
        let timed = has(&name, &["time", "timestamp", "datetime"]) || compact.ends_with("time");
        let whole = column.class == TypeClass::Integer || column.class == TypeClass::Number && !fraction;
        let kind = match column.class {
            _ if !column.values.is_empty() => Kind::Category,
            TypeClass::Integer | TypeClass::Number if id || key && !fraction => Kind::Id,
            TypeClass::Integer | TypeClass::Number => number_kind(&name, whole),
            TypeClass::Boolean => Kind::Flag,
            TypeClass::Time if declared.starts_with("YEAR") => Kind::Year,
            TypeClass::Time if declared == "TIME" => Kind::Moment(Form::Clock),
            TypeClass::Time if declared.contains("TIME") && (!dated || timed || declared != "TIME") => {
                Kind::Moment(Form::Moment { fraction: false })
            }
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
        };
        Portrait {
            kind,
            affinity: column.affinity,
            whole,
            members: column.values.iter().map(|v| Value::Text(v.clone())).collect(),
            bounds: Vec::new(),
            moments: Vec::new(),
            enumerated: !column.values.is_empty(),
            listed: false,
            formed: false,
            midnight: false,
            patterns: Vec::new(),
            unique: false,
            of_parent: false,
            ranked: false,
            asked_null: false,
            doubted_null: false,
            not_null: column.not_null,
        }
    }

    /// Takes in what a query compares the column with.
    fn learn(&mut self, atom: &Atom) {
        self.listed |= atom.comparison == Comparison::In && atom.values.len() > 2;
        for value in &atom.values {
            if let Some((form, moment)) = Form::of(value)
                && matches!(self.kind, Kind::Moment(_) | Kind::Year)
            {
                self.midnight |= matches!(form, Form::Moment { .. }) && moment.3 == 0;
                self.moments.push(moment);
                // What is cut off a moment, or found by a pattern, has more behind it.
                let cut = atom.derived || matches!(value, Value::Text(t) if t.ends_with('%'));
                let form = match form {
                    Form::Day if cut && !self.formed => Form::Moment { fraction: false },
                    form => form,
                };
                match self.kind {
                    // A part of a moment, as SUBSTR or LIKE compare it, says nothing of its form.
                    _ if form.is_part() && (atom.derived || atom.comparison == Comparison::Like) => {}
                    Kind::Moment(old) if form.detail() > old.detail() || !self.formed => {
                        self.kind = Kind::Moment(form);
                        self.formed = true;
                    }
                    Kind::Year if form != Form::Year => {
                        self.kind = Kind::Moment(form);
                        self.formed = true;
                    }
                    _ => {}
                }
                continue;
            }
            match (atom.comparison, value) {
                (Comparison::Like | Comparison::NotLike, Value::Text(pattern)) => {
                    self.patterns.push(pattern.clone());
                }
                (Comparison::Eq | Comparison::In | Comparison::NotEq | Comparison::NotIn, value) => {
                    if !self.enumerated && !self.members.contains(value) && self.members.len() < 12 {
                        self.members.push(value.clone());
                    }
                }
                (_, value) => self.bounds.extend(match value {
                    Value::Text(t) => t.trim().parse().ok(),
                    value => value.as_f64(),
                }),
            }
        }
    }

    /// Settles what the constants say against what the name does.
    fn conclude(&mut self) {
        let textual =
            self.members.iter().any(|m| matches!(m, Value::Text(t) if t.trim().parse::<f64>().is_err()));
        let numeric = !self.members.is_empty() && !textual;
        match self.kind {
            Kind::Moment(_) | Kind::Year if textual && self.moments.is_empty() => self.kind = Kind::Category,
            Kind::Year if textual => self.kind = Kind::Category,
            Kind::Count | Kind::Measure | Kind::Level if textual => self.kind = Kind::Category,
            Kind::Count if numeric && !self.unique && self.bounds.is_empty() => self.kind = Kind::Level,
            Kind::Category if numeric || !self.bounds.is_empty() => {
                self.kind = if self.bounds.is_empty() { Kind::Level } else { Kind::Count };
            }
            _ => {}
        }
    }
}

impl Portraits {
    pub(super) fn of(schema: &Schema, gold: &Facts, pred: &Facts, read: &[usize]) -> Portraits {
        let mut portraits = Portraits::default();
        let mut referred: BTreeSet<usize> = BTreeSet::new();
        for table in &schema.tables {
            referred.extend(table.foreign_keys.iter().map(|f| f.target));
        }
        for &t in read {
            let Some(table) = schema.tables.get(t) else { continue };
            for (c, column) in table.columns.iter().enumerate() {
                let key = keys(table).any(|k| *k == [c]);
                let mut portrait = Portrait::of(column, &table.name, key);
                portrait.unique = key;
                portrait.of_parent = referred.contains(&t);
                portraits.columns.insert(ColumnRef { table: t, column: c }, portrait);
            }
            let references = table.foreign_keys.iter().filter(|f| read.contains(&f.target));
            let references = references.map(|f| Reference {
                columns: f.columns.clone(),
                target: f.target,
                target_columns: f.target_columns.clone(),
            });
            portraits.references.insert(t, references.collect());
        }
        for facts in [gold, pred] {
            let own = std::ptr::eq(facts, gold);
            for atom in &facts.atoms {
                if let Some(p) = facts.column(atom.slot).and_then(|c| portraits.columns.get_mut(&c)) {
                    p.learn(atom);
                }
            }
            for slot in &facts.ranked {
                if let Some(p) = facts.column(*slot).and_then(|c| portraits.columns.get_mut(&c)) {
                    p.ranked = true;
                }
            }
            for slot in &facts.nulls {
                if let Some(p) = facts.column(*slot).and_then(|c| portraits.columns.get_mut(&c)) {
                    if own {
                        p.asked_null = true;
                    } else {
                        p.doubted_null = true;
                    }
                }
            }
        }
        for portrait in portraits.columns.values_mut() {
            portrait.conclude();
        }
        portraits.imply(schema, gold);
        portraits
    }

    /// References that the schema does not declare, but the gold joins along.
    fn imply(&mut self, schema: &Schema, gold: &Facts) {
        for link in &gold.links {
            let (Some(a), Some(b)) = (gold.column(link.left), gold.column(link.right)) else { continue };
            if a.table == b.table {
                continue;
            }
            let declared = |from: ColumnRef, to: ColumnRef| {
                schema.tables.get(from.table).is_some_and(|t| {
                    t.foreign_keys.iter().any(|f| {
                        f.columns
                            .iter()
                            .zip(&f.target_columns)
                            .any(|(&c, &d)| c == from.column && f.target == to.table && d == to.column)
                    })
                })
            };
            // Two children of one parent, joined by their references to it.
            let refers = |at: ColumnRef| {
                self.references
                    .get(&at.table)
                    .is_some_and(|r| r.iter().any(|r| r.columns.contains(&at.column)))
            };
            if declared(a, b) || declared(b, a) || refers(a) && refers(b) {
                continue;
            }
            let unique = |at| self.columns.get(&at).is_some_and(|p| p.unique);
            let (child, parent) = match (unique(a), unique(b)) {
                (true, false) => (b, a),
                (false, true) => (a, b),
                _ if refers(a) => (b, a),
                _ => (a, b),
            };
            if self.reaches(parent.table, child.table) {
                continue;
            }
            let reference = Reference {
                columns: vec![child.column],
                target: parent.table,
                target_columns: vec![parent.column],
            };
            let references = self.references.entry(child.table).or_default();
            if !references.iter().any(|r| r.columns.contains(&child.column)) {
                references.push(reference);
            }
        }
    }

    /// True if a table refers to another, over any number of steps.
    fn reaches(&self, from: usize, to: usize) -> bool {
        let mut seen = BTreeSet::new();
        let mut queue = vec![from];
        while let Some(t) = queue.pop() {
            if t == to {
                return true;
            }
            if seen.insert(t) {
                queue.extend(self.references(t).iter().map(|r| r.target));
            }
        }
        false
    }

    pub(super) fn get(&self, column: ColumnRef) -> Option<&Portrait> {
        self.columns.get(&column)
    }

    pub(super) fn references(&self, table: usize) -> &[Reference] {
        self.references.get(&table).map_or(&[], Vec::as_slice)
    }

    /// The tables, each after those it refers to; cycles are cut somewhere.
    pub(super) fn parents_first(&self, schema: &Schema, read: &[usize]) -> Vec<usize> {
        let mut order: Vec<usize> = Vec::with_capacity(read.len());
        let mut left: Vec<usize> = read.to_vec();
        debug_assert!(read.iter().all(|&t| t < schema.tables.len()));
        while !left.is_empty() {
            let free = left
                .iter()
                .position(|&t| self.references(t).iter().all(|r| r.target == t || !left.contains(&r.target)));
            order.push(left.remove(free.unwrap_or(0)));
        }
        order
    }
}

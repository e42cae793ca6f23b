//! Other names for tables and columns.
//!
//! A name is replaced wherever it stands, in the schema and in both queries: every table, column
//! and alias of that name. With names that stood nowhere before, the queries mean what they
//! meant; a plan, its columns numbered, holds no names, so that is checked by equal plans.

use indexmap::{IndexMap, IndexSet};
use rand::RngExt as _;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand_chacha::ChaCha8Rng;
use sqlparser::ast::Query;
use twinql_sql::{Schema, parse, plan};

use super::queries::{fresh, functions, renamed, taken, words};
use super::{Change, Given, Label};

pub(super) const CHANGES: &[Change] = &[
    Change {
        name: "rename-tables",
        origin: "MT-TEQL, 3.1.2, renaming, for tables that are read too",
        precondition: "no function of either query has the name; the new ones stand nowhere",
        schema: "some or all tables get other names: synonyms, other spelling, abbreviations, numbers",
        queries: "read the tables by their new names",
        label: Label::Kept,
        weight: 4,
        apply: |given, rng| rename(given, &table_names(&given.schema), "tab", rng),
    },
    Change {
        name: "rename-columns",
        origin: "MT-TEQL, 3.1.2, column renaming, for columns that are read too",
        precondition: "no function of either query has the name; the new ones stand nowhere",
        schema: "some or all columns get other names: synonyms, other spelling, abbreviations, numbers; columns of one name keep one name",
        queries: "read the columns by their new names",
        label: Label::Kept,
        weight: 6,
        apply: |given, rng| rename(given, &column_names(&given.schema), "col", rng),
    },
];

fn table_names(schema: &Schema) -> IndexSet<String> {
    schema.tables.iter().map(|t| t.name.clone()).collect()
}

fn column_names(schema: &Schema) -> IndexSet<String> {
    let columns = schema.tables.iter().flat_map(|t| &t.columns);
    columns.map(|c| c.name.clone()).collect()
}

/// How new names are made: all of a pair in one way, as the names of a schema mostly are.
#[derive(Debug, Clone, Copy)]
enum Style {
    Synonyms,
    Spelling,
    Abbreviations,
    Numbers,
    Endings,
}

/// New names for some of `names`, all in one style. The queries follow word by word, whatever a word stands
/// for, so a name that is also a function's is left alone; that both still mean what they meant is checked at
/// the end by their plans.
fn rename(given: &Given, names: &IndexSet<String>, stem: &str, rng: &mut ChaCha8Rng) -> Option<Given> {
    let functions = functions(given);
    let words = words(given);
    let mut taken = taken(given);
    let mut able: Vec<&String> =
        names.iter().filter(|n| !functions.contains(&n.to_ascii_lowercase())).collect();
    able.shuffle(rng);
    // All names, or a part of them; those that the queries read come first.
    if rng.random_bool(0.5) {
        able.sort_by_key(|n| !words.contains(&n.to_ascii_lowercase()));
        able.truncate(rng.random_range(1..=able.len().max(1)));
    }
    let style = *[Style::Synonyms, Style::Spelling, Style::Abbreviations, Style::Numbers, Style::Endings]
        .choose(rng)?;
    let mut new: IndexMap<String, String> = IndexMap::new();
    for (number, name) in able.into_iter().enumerate() {
        if new.contains_key(&name.to_ascii_lowercase()) {
            continue;
        }
        let wanted = match style {
            Style::Synonyms => synonym(name),
            Style::Spelling => spelling(name),
            Style::Abbreviations => abbreviation(name),
            Style::Numbers => Some(format!("{stem}{}", number + 1)),
            Style::Endings => Some(format!("{name}_{}", if stem == "tab" { "data" } else { "value" })),
        };
        if let Some(wanted) = wanted.filter(|w| !w.eq_ignore_ascii_case(name)) {
            new.insert(name.to_ascii_lowercase(), fresh(&mut taken, &wanted));
        }
    }
    // Nothing that the queries read: nobody would see the change.
    if !new.keys().any(|name| words.contains(name)) {
        return None;
    }
    let mut schema = given.schema.clone();
    let other = |name: &mut String| {
        if let Some(new) = new.get(&name.to_ascii_lowercase()) {
            name.clone_from(new);
        }
    };
    for table in &mut schema.tables {
        other(&mut table.name);
        table.columns.iter_mut().for_each(|c| other(&mut c.name));
    }
    let made = given.map(schema, |query| Some(renamed(query, &new)))?;
    let same = |old: &Query, new: &Query| {
        let of = |schema: &Schema, query: &Query| {
            let parsed = parse(&query.to_string()).ok()?;
            Some(plan(schema, &parsed).ok()?.query.numbered())
        };
        of(&given.schema, old).is_some_and(|plan| of(&made.schema, new) == Some(plan))
    };
    (same(&given.gold, &made.gold) && same(&given.pred, &made.pred)).then_some(made)
}

/// The words of a name, in lower case: `home_branchId` has three.
pub fn parts(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut open = false;
    let mut upper = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            open = false;
            continue;
        }
        // A capital after a small letter starts a word.
        let starts = !open || (c.is_uppercase() && !upper);
        upper = c.is_uppercase();
        open = true;
        match out.last_mut() {
            Some(word) if !starts => word.extend(c.to_lowercase()),
            _ => out.push(c.to_lowercase().collect()),
        }
    }
    out
}

/// The name with words that people use for its own; none where no word has a synonym.
fn synonym(name: &str) -> Option<String> {
    let mut found = false;
    let words: Vec<String> = parts(name)
        .into_iter()
        .map(|word| {
            let other = SYNONYMS.iter().find_map(|&(a, b)| {
                if word == a {
                    Some(b)
                } else if word == b {
                    Some(a)
                } else {
                    None
                }
            });
            found |= other.is_some();
            other.map_or(word, str::to_owned)
        })
        .collect();
    found.then(|| words.join("_"))
}

/// `shop_id`, `ShopId` and `shopID` in turn into another of these; one word into `tShop`-like.
fn spelling(name: &str) -> Option<String> {
    let words = parts(name);
    let capital = |word: &String| {
        let mut letters = word.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
            .unwrap_or_default()
    };
    match words.as_slice() {
        [] => None,
        [one] => Some(format!("the_{one}")),
        // SQLite's names have no case: what only capitals change stays the same name.
        _ if name.contains(['_', ' ', '-']) => Some(words.iter().map(capital).collect()),
        _ => Some(words.join("_")),
    }
}

/// Vowels go, but for the first letter of a word.
fn abbreviation(name: &str) -> Option<String> {
    let words: Vec<String> = parts(name)
        .iter()
        .map(|word| {
            let mut letters = word.chars();
            let first: String = letters.next().into_iter().collect();
            first + &letters.filter(|c| !"aeiou".contains(*c)).collect::<String>()
        })
        .collect();
    let short = words.join("_");
    (short.len() > 1).then_some(short)
}

/// Words of schemas that people call either way.
const SYNONYMS: &[(&str, &str)] = &[
    ("id", "key"),
    ("name", "title"),
    ("country", "nation"),
    ("city", "town"),
    ("state", "province"),
    ("price", "cost"),
    ("salary", "wage"),
    ("amount", "sum"),
    ("quantity", "units"),
    ("number", "no"),
    ("code", "symbol"),
    ("type", "kind"),
    ("category", "class"),
    ("date", "day"),
    ("year", "season"),
    ("start", "begin"),
    ("end", "finish"),
    ("customer", "client"),
    ("employee", "worker"),
    ("student", "pupil"),
    ("teacher", "instructor"),
    ("author", "writer"),
    ("member", "subscriber"),
    ("user", "account"),
    ("product", "item"),
    ("order", "purchase"),
    ("shop", "store"),
    ("address", "location"),
    ("phone", "telephone"),
    ("email", "mail"),
    ("description", "details"),
    ("status", "condition"),
    ("rank", "position"),
    ("score", "points"),
    ("weight", "mass"),
    ("height", "tallness"),
    ("length", "extent"),
    ("age", "years"),
    ("gender", "sex"),
    ("language", "tongue"),
    ("department", "division"),
    ("company", "firm"),
    ("team", "squad"),
    ("match", "game"),
    ("film", "movie"),
    ("song", "track"),
    ("car", "vehicle"),
    ("ship", "vessel"),
    ("book", "volume"),
    ("course", "class_taken"),
    ("school", "academy"),
    ("manager", "head"),
    ("owner", "holder"),
    ("first", "given"),
    ("last", "family"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_names() {
        for (name, expect) in [
            ("shop_id", [Some("store_key"), Some("ShopId"), Some("shp_id")]),
            ("ShopID", [Some("store_key"), Some("shop_id"), Some("shp_id")]),
            ("line code", [Some("line_symbol"), Some("LineCode"), Some("ln_cd")]),
            ("depth", [None, Some("the_depth"), Some("dpth")]),
            ("", [None, None, None]),
            ("é", [None, Some("the_é"), Some("é")]),
        ] {
            let got = [synonym(name), spelling(name), abbreviation(name)];
            let got = got.each_ref().map(|n| n.as_deref());
            assert_eq!(got, expect, "{name}");
        }
    }
}

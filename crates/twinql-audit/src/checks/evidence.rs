//! Columns that the evidence names, and that the query does not use.

use std::collections::{BTreeMap, BTreeSet};

use twinql_sql::{AggFunc, ColumnId, ColumnRef, Expr, Rel, Value};

use crate::asked::{akin, words};
use crate::check::{Apply, Check, Sink};
use crate::evidence::{Definition, Named, definitions, places};
use crate::finding::Severity;
use crate::gold::Gold;

pub(super) const EVIDENCE_UNUSED: Check = Check {
    id: "evidence-unused",
    severity: Severity::Warning,
    summary: "a column that the evidence names and the query never reads",
    why: "Where the evidence says which column words of the question mean, a query that does not read it answers another question, or the evidence misleads who follows it.",
    source: "annotation errors of BIRD that third parties list",
    undetermined: false,
    finds: &[
        "SELECT name FROM customer WHERE age > 30\tWhich customers from Bern are over 30?\tfrom Bern refers to city = 'Bern'; over 30 refers to age > 30",
        "SELECT name FROM customer ORDER BY age DESC LIMIT 1\tWhich customer has the best score?\tbest score refers to MAX(customer.score)",
        "SELECT name FROM customer\tHow heavy are the customers? Give their names too.\thow heavy refers to `weight`",
        "SELECT count(*) FROM line\tHow many lines have 4 pieces or more?\tamount > = 4",
    ],
    misses: &[
        "SELECT name FROM customer WHERE city LIKE 'Bern%'\tWhich customers are from Bern?\tfrom Bern refers to city = 'Bern'",
        "SELECT name FROM customer\tWhich customers are there?\tfrom Bern refers to city = 'Bern'",
        "SELECT id FROM customer WHERE name LIKE '%Bern%'\tWhich customers are from Bern?\tfrom Bern refers to city = 'Bern'",
        "SELECT city FROM customer WHERE id = 3\tWhere is Ann from?\tAnn refers to name = 'Ann'",
        "SELECT age FROM customer WHERE city = 'Bern'\tHow old are the rich from Bern?\trich from Bern refers to score > 9 and city = 'Bern'",
        "SELECT count(*) FROM orders\tHow many orders are there?\torders refers to total",
        "SELECT name FROM customer\tWhich customers are there?\tcustomers refers to weight > 0",
        "SELECT name FROM customer\tWho are the adults and children?\tadults and children refers to age > 17 and age < 18",
        "SELECT avg(age) FROM customer\tWhat is the mean age?\tmean age refers to divide(sum(age), count(score))",
    ],
    apply: Apply::Question(unused),
};

/// Finds a definition of the evidence of whose columns the query reads none. That is certain; whether the gold or the
/// evidence is wrong is for a reader. Silent where the query may say the same in another way: it compares another column
/// with the value, or a key with a constant; it reads another column of the definition, which may imply the rest; it
/// reads the table that the words name; it counts, for which any column will do. Keys are left out, for which joined
/// columns stand as well, and definitions whose words are not the question's, which are often another question's.
fn unused(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let evidence = gold.asked.evidence.replace('\u{a0}', " ");
    let definitions = definitions(&evidence);
    let question = words(gold.asked.question);
    let (columns, read) = (columns(gold), read(gold));
    let met = Met::of(gold);
    let asked = |text: &str| {
        words(text).iter().filter(|w| w.len() > 2).all(|w| question.iter().any(|asked| akin(w, asked)))
    };
    for definition in definitions.iter().filter(|d| asked(d.subject)) {
        let subject = words(definition.subject);
        let of_table = |word: &String| met.tables.iter().any(|table| akin(word, table));
        if !subject.is_empty() && subject.iter().all(of_table) {
            continue;
        }
        let standing = |name: &str| !places(definition.body, name).is_empty();
        let mut unread = None;
        for (name, owners) in columns.iter().filter(|(name, _)| standing(name)) {
            let defined = definitions.iter().any(|d| d.subject.eq_ignore_ascii_case(name));
            if read.contains(name) || defined || owners.iter().any(|c| is_key(gold, *c)) {
                unread = None;
                break;
            }
            let named = named(gold, definition, name, owners).filter(|named| match named {
                Named::Alone => !subject.is_empty() && !met.counts,
                Named::Extreme => !subject.is_empty(),
                Named::Compared(value) => !met.says(value) && (!subject.is_empty() || asked(value)),
            });
            unread = unread.or(named.and(owners.first()));
        }
        if let Some(column) = unread {
            let (said, name) = (definition.said, gold.schema.name_of(*column));
            sink.add(
                None,
                format!("the evidence says \u{201c}{said}\u{201d}, and the query never reads {name}"),
            )
            .remedy("use the column, or mend the evidence");
            return;
        }
    }
}

/// How a definition names a column. None where it compares it with several values, which may be all that there are.
fn named(gold: &Gold<'_>, definition: &Definition<'_>, name: &str, owners: &[ColumnRef]) -> Option<Named> {
    let tables = owners.iter().filter_map(|c| gold.schema.tables.get(c.table));
    let tables: Vec<&str> = tables.map(|t| t.name.as_str()).collect();
    let places = places(definition.body, name);
    let mut all = places.iter().filter_map(|at| definition.named(at, &tables));
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// The schema's columns by their names in small letters.
fn columns(gold: &Gold<'_>) -> BTreeMap<String, Vec<ColumnRef>> {
    let mut all: BTreeMap<String, Vec<ColumnRef>> = BTreeMap::new();
    for (table, of) in gold.schema.tables.iter().enumerate() {
        for (column, c) in of.columns.iter().enumerate() {
            all.entry(c.name.to_ascii_lowercase()).or_default().push(ColumnRef { table, column });
        }
    }
    all
}

/// The names of all columns that the query reads or puts out.
fn read(gold: &Gold<'_>) -> BTreeSet<String> {
    let mut ids: Vec<ColumnId> = Vec::new();
    for (_, query) in gold.queries() {
        ids.extend(&query.output);
    }
    ids.extend(gold.expressions().into_iter().filter_map(|e| match e {
        Expr::Column(c) => Some(*c),
        _ => None,
    }));
    let mut names = BTreeSet::new();
    for info in ids.into_iter().filter_map(|c| gold.info(c)) {
        names.insert(info.name.to_ascii_lowercase());
        names.extend(info.origin.and_then(|o| gold.schema.column(o)).map(|c| c.name.to_ascii_lowercase()));
    }
    names
}

/// Whether a column is one by which rows are found: part of a key of either kind, or an id by its name.
pub(super) fn is_key(gold: &Gold<'_>, c: ColumnRef) -> bool {
    let (Some(table), Some(column)) = (gold.schema.tables.get(c.table), gold.schema.column(c)) else {
        return false;
    };
    table.primary_key.contains(&c.column)
        || table.foreign_keys.iter().any(|key| key.columns.contains(&c.column))
        || column.name.eq_ignore_ascii_case("id")
        || ["_id", "ID", "Id"].iter().any(|end| column.name.ends_with(end))
}

/// By what a query may meet a definition without its column.
struct Met {
    /// The values that it compares with, and all texts, in small letters.
    values: Vec<String>,
    /// It compares a key with a constant, which stands for what a name means.
    by_key: bool,
    /// It counts something.
    counts: bool,
    /// The words of the names of its tables.
    tables: Vec<String>,
}

impl Met {
    fn of(gold: &Gold<'_>) -> Met {
        let mut met = Met { values: Vec::new(), by_key: false, counts: false, tables: Vec::new() };
        for e in gold.expressions() {
            match e {
                Expr::Binary { op, left, right } if op.is_comparison() => {
                    met.by_key |= keyed(gold, left, right) || keyed(gold, right, left);
                    met.values.extend([left, right].into_iter().filter_map(|e| number(e)));
                }
                Expr::InList { list, .. } => met.values.extend(list.iter().filter_map(number)),
                Expr::Literal(Value::Text(text)) => {
                    met.values.push(text.trim_matches('%').trim().to_lowercase())
                }
                _ => {}
            }
        }
        for rel in gold.relations() {
            match rel {
                Rel::Aggregate { calls, .. } => {
                    met.counts |= calls.iter().any(|(_, call)| call.func == AggFunc::Count);
                }
                Rel::Scan { table, .. } => {
                    met.tables
                        .extend(gold.schema.tables.get(*table).into_iter().flat_map(|t| words(&t.name)));
                }
                _ => {}
            }
        }
        met
    }

    /// Whether the query compares something with a value, or with one that has it inside or is inside it; and where it
    /// looks up a key by a constant, or a table has the value in its name, that may be what the value means.
    fn says(&self, value: &str) -> bool {
        let in_table = |word: &String| self.tables.iter().any(|table| akin(word, table));
        let named = words(value);
        let inside = |a: &str, b: &str| b.len() > 1 && a.contains(b);
        let is_text = value.chars().any(char::is_alphabetic);
        let same = |own: &String| own == value || inside(own, value) || (is_text && inside(value, own));
        (is_text && (self.by_key || named.iter().all(in_table))) || self.values.iter().any(same)
    }
}

/// Whether a key is compared with a constant.
fn keyed(gold: &Gold<'_>, column: &Expr, value: &Expr) -> bool {
    let (Expr::Column(c), Expr::Literal(_)) = (column, value) else { return false };
    gold.info(*c).and_then(|info| info.origin).is_some_and(|origin| is_key(gold, origin))
}

/// A number that is written out.
fn number(e: &Expr) -> Option<String> {
    match e {
        Expr::Literal(Value::Integer(n)) => Some(n.to_string()),
        Expr::Literal(Value::Real(x)) => Some(x.to_string()),
        _ => None,
    }
}

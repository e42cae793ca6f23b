//! Whether two evaluated answers agree.

use std::borrow::Cow;

use twinql_sql::{Semantics, Value};
use twinql_suite::compare::{Columns, Mode, equal};
use twinql_suite::execute::Answer;

use crate::evaluate::{Order, Rows};

/// What one database says of two answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// They are the same.
    Agree,
    /// They are not.
    Differ,
    /// Ties leave it open.
    Open,
}

/// Compares two answers as `semantics` says; `columns` carries what earlier databases say of their order.
pub fn compare(gold: &Rows<'_>, pred: &Rows<'_>, semantics: &Semantics, columns: &mut Columns) -> Said {
    if gold.certain.is_some() || pred.certain.is_some() {
        return of_what_is_certain(gold, pred, semantics);
    }
    let (ours, theirs) = (answer(gold), answer(pred));
    let unordered = Mode::new(semantics, false);
    let mode = Mode::new(semantics, matches!(gold.order, Order::Sorted(_)));
    // Only a comparison that held narrows which columns may stand for which: one that failed says nothing of them.
    let mut of_bags = columns.clone();
    if !equal(&ours, &theirs, unordered, &mut of_bags) {
        return Said::Differ;
    }
    *columns = of_bags;
    // Rows that are all the same are in order whatever the order is.
    if !mode.as_list || ours.rows.iter().all(|row| Some(row) == ours.rows.first()) {
        return Said::Agree;
    }
    // SQL leaves to chance which order is given. And what is compared as a set has no places.
    if pred.order == Order::None || ours.rows.len() != theirs.rows.len() {
        return Said::Open;
    }
    // Every order that the prediction allows has to be one of the gold's: rows that tie stand here and there.
    for rows in [Some(theirs.rows.clone()), other_way_round(pred, &theirs)].into_iter().flatten() {
        let mut of_lists = columns.clone();
        if !in_order(gold, &ours, &Answer { width: theirs.width, rows }, mode, &mut of_lists) {
            return Said::Differ;
        }
        *columns = of_lists;
    }
    Said::Agree
}

/// Whether rows stand in an order that the gold allows: those of each run of its ties, in whatever order, one run after the
/// other.
fn in_order(gold: &Rows<'_>, ours: &Answer, theirs: &Answer, mode: Mode, columns: &mut Columns) -> bool {
    let run = |i: usize| gold.run(i);
    if (1..ours.rows.len()).all(|i| run(i - 1) != run(i)) {
        return equal(ours, theirs, mode, columns);
    }
    let unordered = Mode { as_list: false, ..mode };
    let mut start = 0;
    while start < ours.rows.len() {
        let end = (start..ours.rows.len()).find(|i| run(*i) != run(start)).unwrap_or(ours.rows.len());
        let part = |answer: &Answer| Answer {
            width: answer.width,
            rows: answer.rows.get(start..end).unwrap_or_default().to_vec(),
        };
        if !equal(&part(ours), &part(theirs), unordered, columns) {
            return false;
        }
        start = end;
    }
    true
}

/// The rows with those that tie the other way round; none where no rows tie.
fn other_way_round(rows: &Rows<'_>, answer: &Answer) -> Option<Vec<Vec<Value>>> {
    let Order::Sorted(runs) = &rows.order else { return None };
    let mut start = 0;
    let mut other = answer.rows.clone();
    for run in runs.chunk_by(|a, b| a == b) {
        let end = start + run.len();
        other.get_mut(start..end)?.reverse();
        start = end;
    }
    (other != answer.rows).then_some(other)
}

/// Compares answers that SQL leaves open in part: their numbers of rows, and what is certain of these. They differ or it is
/// open whether they do.
fn of_what_is_certain(gold: &Rows<'_>, pred: &Rows<'_>, semantics: &Semantics) -> Said {
    let mode = Mode { any_column_order: false, ..Mode::new(semantics, false) };
    // Columns in another order may be other columns: of these only the number of rows counts.
    let both =
        |place: &usize| !semantics.any_column_order && gold.is_certain(*place) && pred.is_certain(*place);
    let places: Vec<usize> = (0..gold.columns.len().min(pred.columns.len())).filter(both).collect();
    let [ours, theirs] = [gold, pred].map(|rows| {
        let pick =
            |row: &Vec<_>| places.iter().filter_map(|p| row.get(*p).cloned().map(Cow::into_owned)).collect();
        Answer { width: places.len(), rows: rows.rows.iter().map(pick).collect() }
    });
    let mut columns = Columns::new(places.len(), false);
    match equal(&ours, &theirs, mode, &mut columns) {
        true => Said::Open,
        false => Said::Differ,
    }
}

/// The rows as the suite's comparison takes them.
fn answer(rows: &Rows<'_>) -> Answer {
    Answer { width: rows.columns.len(), rows: rows.to_values() }
}

#[cfg(test)]
mod tests {
    use twinql_sql::{Plan, Schema, parse, plan};
    use twinql_suite::Database;

    use super::*;
    use crate::evaluate;

    fn planned(schema: &Schema, sql: &str) -> Plan {
        plan(schema, &parse(sql).unwrap()).unwrap()
    }

    /// What four pets say of two queries: two of them are three years old.
    fn said(semantics: &str, gold: &str, pred: &str) -> Said {
        let ddl = "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)";
        let schema = Schema::from_ddl("pets", ddl).unwrap();
        let pet =
            |id, name: &str, age| vec![Value::Integer(id), Value::Text(name.into()), Value::Integer(age)];
        let rows = vec![pet(1, "Ada", 3), pet(2, "Bob", 5), pet(3, "Cid", 3), pet(4, "Dot", 7)];
        let database = Database { tables: vec![Some(rows)] };
        let (gold, pred) = (planned(&schema, gold), planned(&schema, pred));
        let (ours, theirs) =
            (evaluate(&gold, &database, 1000).unwrap(), evaluate(&pred, &database, 1000).unwrap());
        let semantics: Semantics = semantics.parse().unwrap();
        let mut columns = Columns::new(ours.columns.len(), semantics.any_column_order);
        compare(&ours, &theirs, &semantics, &mut columns)
    }

    #[test]
    fn order_counts_where_the_gold_sorts() {
        let (up, down) = ("SELECT age FROM pet ORDER BY age", "SELECT age FROM pet ORDER BY age DESC");
        assert_eq!(said("default", up, up), Said::Agree);
        assert_eq!(said("default", up, down), Said::Differ);
        assert_eq!(said("default", "SELECT age FROM pet", down), Said::Agree);
        // Names may come in either order under the gold's tie, and not where it has none.
        let (tied, named) = ("SELECT name FROM pet ORDER BY age", "SELECT name FROM pet ORDER BY age, name");
        let turned = "SELECT name FROM pet ORDER BY age, name DESC";
        assert_eq!(said("default", tied, tied), Said::Agree);
        assert_eq!(said("default", tied, named), Said::Agree);
        assert_eq!(said("default", tied, turned), Said::Agree);
        assert_eq!(said("default", named, tied), Said::Differ);
        assert_eq!(said("default", named, turned), Said::Differ);
        assert_eq!(said("bird", named, tied), Said::Agree);
        assert_eq!(said("default", tied, "SELECT name FROM pet WHERE age > 3 ORDER BY age"), Said::Differ);
        // BIRD compares sets.
        assert_eq!(said("bird", up, down), Said::Agree);
    }

    #[test]
    fn what_is_certain_of_a_choice_tells_apart() {
        let all = "SELECT name FROM pet";
        // Which two is open, that there are two is not.
        assert_eq!(said("default", all, "SELECT name FROM pet LIMIT 2"), Said::Differ);
        assert_eq!(
            said("default", "SELECT name FROM pet LIMIT 2", "SELECT name FROM pet LIMIT 2"),
            Said::Open
        );
        assert_eq!(said("bird", all, "SELECT name FROM pet LIMIT 2"), Said::Open);
        assert_eq!(said("bird", all, "SELECT name FROM pet WHERE age > 9 LIMIT 2"), Said::Differ);
        // Of the youngest, the age is certain and the name is not.
        let youngest = "SELECT age, name FROM pet ORDER BY age LIMIT 1";
        assert_eq!(said("no-fk", youngest, "SELECT 3, 'Ada'"), Said::Open);
        assert_eq!(said("default", "SELECT age FROM pet ORDER BY age LIMIT 1", "SELECT 3"), Said::Agree);
        // How many rows there are is certain, whichever they are.
        let first = |n| format!("SELECT COUNT(*) FROM (SELECT name FROM pet LIMIT {n})");
        assert_eq!(said("default", &first(3), &first(2)), Said::Differ);
        let third = "SELECT 1 WHERE EXISTS (SELECT name FROM pet WHERE age = 3 LIMIT 1 OFFSET 2)";
        assert_eq!(
            said("default", third, "SELECT 1 WHERE EXISTS (SELECT name FROM pet WHERE age = 3)"),
            Said::Differ
        );
        // A bare column: three ages, three rows; and each number of a row but who has it.
        let bare = "SELECT age, name FROM pet GROUP BY age";
        assert_eq!(said("default", "SELECT age, name FROM pet", bare), Said::Differ);
        let first = "SELECT name, age FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY age ORDER BY age) AS n FROM pet)
            WHERE n = 1";
        assert_eq!(said("default", "SELECT name, age FROM pet", first), Said::Differ);
        assert_eq!(said("default", "SELECT name, age FROM pet GROUP BY age", first), Said::Open);
    }

    #[test]
    fn values_that_are_joined_are_certain_where_there_is_one() {
        let of = |what: &str, which: &str| format!("SELECT {what} FROM pet WHERE {which}");
        let names = "group_concat(name, ', ')";
        assert_eq!(said("default", &of(names, "age > 5"), &of("group_concat(name)", "age > 5")), Said::Agree);
        assert_eq!(
            said("default", &of(names, "age > 5"), &of("upper(group_concat(name))", "age > 5")),
            Said::Differ
        );
        assert_eq!(said("default", &of(names, "age > 9"), &of("max(name)", "age > 9")), Said::Agree);
        assert_eq!(
            said("default", &of("group_concat(age)", "age > 5"), &of("max(age)", "age > 5")),
            Said::Differ
        );
        // In which order there are two is open.
        assert_eq!(
            said("default", &of(names, "age = 3"), &of("group_concat(name, ', ')", "age = 3")),
            Said::Open
        );
    }
}

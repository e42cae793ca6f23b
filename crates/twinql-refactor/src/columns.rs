//! Columns of two versions of a query: which have stayed, and what became of the others.
//!
//! Readers of a view find its columns by name. So a column is compared with the one of the same name, wherever that stands:
//!
//! ```text
//! SELECT id, total FROM orders
//! SELECT id, vat, total AS sum FROM orders        total renamed to sum, vat added; the rows of (id, total) and (id, sum) are compared
//! ```

use std::collections::HashSet;

use serde::Serialize;
use twinql::sql::plan::plan_with_names;
use twinql::sql::{Dialect, Schema, Value, parse_in};

/// A column whose name alone has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Renamed {
    /// What it was called.
    pub old: String,
    /// What it is called.
    pub new: String,
}

/// Which columns of two versions correspond to each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// Positions in the old and in the new version, by old position.
    pub pairs: Vec<(usize, usize)>,
    /// Columns of the new version alone.
    pub added: Vec<String>,
    /// Columns of the old version alone.
    pub dropped: Vec<String>,
    /// Columns that are taken for each other though their names differ: they stand at the same place among those without a partner.
    pub renamed: Vec<Renamed>,
    /// Names, old and new.
    names: [Vec<String>; 2],
}

/// The names of a query's columns, in lower case; nothing of one that cannot be planned.
pub fn names(schema: &Schema, sql: &str, dialect: Dialect) -> Option<Vec<String>> {
    let (_, names) = plan_with_names(schema, &parse_in(sql, dialect).ok()?).ok()?;
    Some(names.into_iter().map(|name| name.to_ascii_lowercase()).collect())
}

impl Layout {
    /// By name, and what has none by its place; what is left over is taken for renamed if there is as much of it on both sides. None where a name stands twice.
    ///
    /// ```
    /// use twinql_refactor::Layout;
    ///
    /// let names = |list: &str| list.split_whitespace().map(str::to_owned).collect();
    /// let layout = Layout::of(names("id total"), names("total id vat")).unwrap();
    /// assert_eq!((layout.pairs, layout.added), (vec![(0, 1), (1, 0)], vec!["vat".to_owned()]));
    /// ```
    pub fn of(mut old: Vec<String>, mut new: Vec<String>) -> Option<Layout> {
        if old.len() == new.len() {
            for (at, (old, new)) in old.iter_mut().zip(&mut new).enumerate() {
                match [&*old, &*new].map(|name| is_name(name)) {
                    [true, true] => {}
                    [true, false] => new.clone_from(old),
                    [false, true] => old.clone_from(new),
                    [false, false] => {
                        (*old, *new) = (format!("column {}", at + 1), format!("column {}", at + 1))
                    }
                }
            }
        }
        let distinct = |names: &[String]| names.iter().collect::<HashSet<_>>().len() == names.len();
        if !distinct(&old) || !distinct(&new) {
            return None;
        }
        let mut layout = Layout::default();
        for (at, name) in old.iter().enumerate() {
            match new.iter().position(|other| other == name) {
                Some(other) => layout.pairs.push((at, other)),
                None => layout.dropped.push(name.clone()),
            }
        }
        layout.added = new.iter().filter(|name| !old.contains(name)).cloned().collect();
        layout.names = [old, new];
        Some(layout)
    }

    /// The same with what is left over on both sides taken for renamed; none where the numbers differ.
    pub fn with_renamed(&self) -> Option<Layout> {
        if self.dropped.is_empty() || self.dropped.len() != self.added.len() {
            return None;
        }
        let [old, new] = &self.names;
        let at = |names: &[String], name: &String| names.iter().position(|other| other == name);
        let mut layout = Layout { pairs: self.pairs.clone(), names: self.names.clone(), ..Layout::default() };
        for (was, is) in self.dropped.iter().zip(&self.added) {
            layout.pairs.push((at(old, was)?, at(new, is)?));
            layout.renamed.push(Renamed { old: was.clone(), new: is.clone() });
        }
        layout.pairs.sort_unstable();
        Some(layout)
    }

    /// Whether both versions have the same columns at the same places.
    pub fn is_kept(&self) -> bool {
        self.names[0] == self.names[1]
    }

    /// Whether each column stands where its partner stands, and none is alone.
    pub fn is_positional(&self) -> bool {
        self.added.is_empty() && self.dropped.is_empty() && self.pairs.iter().all(|(old, new)| old == new)
    }

    /// Columns that stand in another order than before, by their old names.
    pub fn moved(&self) -> Vec<String> {
        let mut order: Vec<usize> = self.pairs.iter().map(|(_, new)| *new).collect();
        order.sort_unstable();
        let moved = self.pairs.iter().zip(order).filter(|((_, new), sorted)| new != sorted);
        moved.filter_map(|((old, _), _)| self.names[0].get(*old).cloned()).collect()
    }

    /// The old names of some of the pairs.
    pub fn named(&self, pairs: &[(usize, usize)]) -> Vec<String> {
        pairs.iter().filter_map(|(old, _)| self.names[0].get(*old).cloned()).collect()
    }

    /// Both queries, as SQLite has them, with some of their rows alone.
    pub fn rows(&self, queries: [&str; 2], kept: Kept) -> [String; 2] {
        let of = |(sql, names): (&str, &Vec<String>)| {
            let all = numbered(0..names.len());
            let rest = match kept {
                Kept::Distinct => format!("DISTINCT {all} FROM version"),
                Kept::WithoutNulls => {
                    let conditions: Vec<String> =
                        (0..names.len()).map(|at| format!("c{at} IS NOT NULL")).collect();
                    format!("{all} FROM version WHERE {}", conditions.join(" AND "))
                }
            };
            format!("WITH version ({all}) AS ({sql}\n) SELECT {rest}")
        };
        let [old, new] = queries;
        let [was, is] = &self.names;
        [(old, was), (new, is)].map(of)
    }

    /// Both queries, as SQLite has them, with the columns of some pairs alone, in the old order.
    pub fn projected(&self, queries: [&str; 2], pairs: &[(usize, usize)]) -> [String; 2] {
        let of = |sql: &str, width: usize, chosen: Vec<usize>| {
            let (all, some) = (numbered(0..width), numbered(chosen));
            format!("WITH version ({all}) AS ({sql}\n) SELECT {some} FROM version")
        };
        let [old, new] = queries;
        let [was, is] = &self.names;
        [
            of(old, was.len(), pairs.iter().map(|(old, _)| *old).collect()),
            of(new, is.len(), pairs.iter().map(|(_, new)| *new).collect()),
        ]
    }
}

/// Which rows of an answer are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Each once.
    Distinct,
    /// Those in which no column is NULL.
    WithoutNulls,
}

/// Columns by their positions: `c0, c1`.
fn numbered(columns: impl IntoIterator<Item = usize>) -> String {
    columns.into_iter().map(|at| format!("c{at}")).collect::<Vec<_>>().join(", ")
}

/// Whether somebody gave a column its name: `count(*)` is what a system calls one that has none.
fn is_name(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || "_$ ".contains(c))
}

/// The positions in which two answers hold other values, rows as a bag.
pub fn differing(old: &[Vec<Value>], new: &[Vec<Value>], width: usize) -> Vec<usize> {
    let column = |rows: &[Vec<Value>], at: usize| {
        let mut values: Vec<Option<Value>> = rows.iter().map(|row| row.get(at).cloned()).collect();
        values.sort();
        values
    };
    (0..width).filter(|&at| column(old, at) != column(new, at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(old: &str, new: &str) -> Layout {
        let names = |list: &str| list.split_whitespace().map(str::to_owned).collect();
        Layout::of(names(old), names(new)).unwrap()
    }

    #[test]
    fn columns_are_found_by_name() {
        assert!(layout("a b", "a b").is_kept());
        let turned = layout("a b c", "c a b");
        assert_eq!(turned.pairs, [(0, 1), (1, 2), (2, 0)]);
        assert_eq!((turned.moved().join(" "), turned.is_positional()), ("a b c".into(), false));
        let grown = layout("a b", "a x b");
        assert_eq!((grown.added.join(" "), grown.moved().len()), ("x".into(), 0));
        assert!(grown.with_renamed().is_none());
        let renamed = layout("id lead_eamil", "id lead_email").with_renamed().unwrap();
        assert_eq!(renamed.renamed, [Renamed { old: "lead_eamil".into(), new: "lead_email".into() }]);
        assert!(renamed.is_positional() && !renamed.is_kept());
        assert!(Layout::of(vec!["a".into(), "a".into()], vec!["a".into()]).is_none());
        assert!(layout("a count(*)", "a count(1)").is_kept() && layout("a count(*)", "a n").is_kept());
    }

    #[test]
    fn some_columns_of_a_query() {
        let layout = layout("a b", "b x");
        let [old, new] = layout.projected(["SELECT 1, 2", "SELECT 2, 3"], &layout.pairs);
        assert_eq!(old, "WITH version (c0, c1) AS (SELECT 1, 2\n) SELECT c1 FROM version");
        assert_eq!(new, "WITH version (c0, c1) AS (SELECT 2, 3\n) SELECT c0 FROM version");
    }

    #[test]
    fn columns_differ_as_bags() {
        let row = |a: i64, b: i64| vec![Value::Integer(a), Value::Integer(b)];
        assert_eq!(differing(&[row(1, 2), row(3, 4)], &[row(3, 2), row(1, 5)], 2), [1]);
        assert!(differing(&[row(1, 2), row(3, 4)], &[row(3, 2), row(1, 4)], 2).is_empty());
    }
}

//! References that lead nowhere, or where none leads in real data.

use twinql_sql::{ColumnRef, ForeignKey, Value};

use super::{Found, Scene, set};
use crate::database::{Database, Row};

impl Scene<'_> {
    /// The database in which a row refers to this parent.
    fn pointed(&self, child: usize, reference: &ForeignKey, row: usize, parent: &Row) -> Database {
        let mut database = self.database.clone();
        for (&column, &key) in reference.columns.iter().zip(&reference.target_columns) {
            let value = parent.get(key).cloned().unwrap_or(Value::Null);
            set(&mut database, ColumnRef { table: child, column }, row, value);
        }
        database
    }

    /// The columns of a reference, as people say them.
    fn called(&self, child: usize, reference: &ForeignKey) -> String {
        let name = |&column: &usize| self.column(ColumnRef { table: child, column }).to_owned();
        reference.columns.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// Rows of a table whose reference is or is not NULL, with their places.
    fn referring(
        &self,
        child: usize,
        reference: &ForeignKey,
        null: bool,
    ) -> impl Iterator<Item = (usize, &Row)> {
        let is_null = |row: &Row| reference.columns.iter().any(|&c| row.get(c) == Some(&Value::Null));
        self.rows(child).iter().enumerate().filter(move |(_, row)| is_null(row) == null)
    }
}

/// A reference to no row: a concert of singer 7 where there is none.
pub(super) fn dangling(scene: &Scene<'_>, found: &mut Found) {
    for (child, reference) in scene.references() {
        for (i, row) in scene.referring(child, reference, false) {
            if scene.parent(reference, row).is_some() {
                continue;
            }
            let says = format!(
                "{} of a row of {} leads to no row of {}",
                scene.called(child, reference),
                scene.table(child),
                scene.table(reference.target)
            );
            // To an old parent, or to one that is made for it.
            if let Some(parent) = scene.rows(reference.target).first() {
                found.add(says.clone(), scene.pointed(child, reference, i, parent));
                let mut made = parent.clone();
                for (&column, &key) in reference.columns.iter().zip(&reference.target_columns) {
                    if let (Some(cell), Some(value)) = (made.get_mut(key), row.get(column)) {
                        *cell = value.clone();
                    }
                }
                let mut without = scene.database.clone();
                if let Some(Some(rows)) = without.tables.get_mut(reference.target) {
                    rows.push(made);
                }
                found.add(says, without);
            }
        }
    }
}

/// A reference that is NULL: a concert without a singer.
pub(super) fn missing(scene: &Scene<'_>, found: &mut Found) {
    for (child, reference) in scene.references() {
        for (i, _) in scene.referring(child, reference, true) {
            let says = format!("a row of {} has no {}", scene.table(child), scene.called(child, reference));
            for parent in scene.rows(reference.target).iter().take(2) {
                found.add(says.clone(), scene.pointed(child, reference, i, parent));
            }
        }
    }
}

/// Two references of one row that lead to the same row: a team that plays against itself.
pub(super) fn twins(scene: &Scene<'_>, found: &mut Found) {
    for (child, one) in scene.references() {
        let others = scene.portraits.references(child).iter();
        for other in others.filter(|o| o.target == one.target && o.columns > one.columns) {
            for (i, row) in scene.referring(child, one, false) {
                let (Some(parent), Some(same)) = (scene.parent(one, row), scene.parent(other, row)) else {
                    continue;
                };
                if parent != same {
                    continue;
                }
                let says = format!(
                    "{} and {} of a row of {} are the same row of {}",
                    scene.called(child, one),
                    scene.called(child, other),
                    scene.table(child),
                    scene.table(one.target)
                );
                // To another row, or to one that is made for it.
                for another in scene.rows(one.target).iter().filter(|p| *p != parent).take(2) {
                    found.add(says.clone(), scene.pointed(child, other, i, another));
                }
                let mut made = parent.clone();
                for &column in &other.target_columns {
                    let at = ColumnRef { table: one.target, column };
                    if let Some(cell) = made.get_mut(column) {
                        *cell = scene.fresh(at, cell);
                    }
                }
                let mut without = scene.pointed(child, other, i, &made);
                if let Some(Some(rows)) = without.tables.get_mut(one.target) {
                    rows.push(made);
                }
                found.add(says, without);
            }
        }
    }
}

/// Two ways to one table that lead to different rows: a match in another country than its league.
pub(super) fn diamonds(scene: &Scene<'_>, found: &mut Found) {
    for (child, direct) in scene.references() {
        for by in scene.portraits.references(child).iter().filter(|by| by.target != direct.target) {
            for up in scene.portraits.references(by.target).iter().filter(|up| up.target == direct.target) {
                for (i, row) in scene.referring(child, direct, false) {
                    let over = scene.parent(by, row).and_then(|middle| scene.parent(up, middle));
                    let Some(over) = over.filter(|over| scene.parent(direct, row) != Some(over)) else {
                        continue;
                    };
                    let says = format!(
                        "a row of {} belongs to another row of {} than its row of {}",
                        scene.table(child),
                        scene.table(direct.target),
                        scene.table(by.target)
                    );
                    found.add(says, scene.pointed(child, direct, i, over));
                }
            }
        }
    }
}

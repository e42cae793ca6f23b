//! Rows that share what tells rows apart in real data.

use std::collections::BTreeMap;

use twinql_sql::{ColumnRef, Value};

use super::{Found, Scene, set};
use crate::database::{Row, keys, project};
use crate::dice::Dice;
use crate::plausible::content::Content;
use crate::plausible::form::Form;

/// A table without rows: `SUM(x = 'a')` is then NULL where `COUNT(*) FILTER (WHERE x = 'a')` is 0.
pub(super) fn empty_tables(scene: &Scene<'_>, found: &mut Found) {
    for (table, rows) in scene.database.tables.iter().enumerate() {
        let Some(rows) = rows else { continue };
        let more = scene.filled.rows(table);
        if rows.is_empty() && !more.is_empty() {
            let mut without = scene.database.clone();
            if let Some(empty) = without.tables.get_mut(table) {
                *empty = Some(more.to_vec());
            }
            found.add(format!("{} has no rows", scene.table(table)), without);
        }
    }
}

/// Two rows with one name or code: two powers that are called `Stealth`.
pub(super) fn shared_names(scene: &Scene<'_>, found: &mut Found) {
    let names = |content: Content| content == Content::Person || content.is_told_by_name();
    for (at, _) in scene.plain().filter(|(_, p)| p.own_name || names(p.content)) {
        // Either may be the one that the queries find.
        for row in scene.repeated(at).into_iter().flat_map(|(one, other)| [other, one]) {
            let says = format!("two rows of {} have one {}", scene.table(at.table), scene.column(at));
            found.add(says, scene.with(at, row, scene.fresh(at, scene.value(at, row))));
        }
    }
}

/// Two rows that tie in a column by which rows are ranked: two heroes of the largest height.
pub(super) fn ties(scene: &Scene<'_>, found: &mut Found) {
    for (at, _) in scene.plain().filter(|(_, p)| p.ranked) {
        let held: Vec<&Value> = (0..scene.rows(at.table).len()).map(|i| scene.value(at, i)).collect();
        let bound = |above: bool| {
            let numbers = held.iter().filter_map(|v| v.as_f64());
            if above {
                numbers.fold(f64::MIN, f64::max) + 1.0
            } else {
                numbers.fold(f64::MAX, f64::min) - 1.0
            }
        };
        for row in scene.repeated(at).into_iter().flat_map(|(one, other)| [other, one]) {
            let value = scene.value(at, row);
            let others: Vec<Value> = match (value, Form::of(value)) {
                (Value::Integer(_), _) => [true, false].map(|up| Value::Integer(bound(up) as i64)).to_vec(),
                (Value::Real(_), _) => [true, false].map(|up| Value::Real(bound(up).into())).to_vec(),
                (_, Some((form, moment))) => [1, -1]
                    .map(|n| form.write((moment.0 + n, moment.1, moment.2, moment.3), &mut Dice::new(0, 0)))
                    .to_vec(),
                _ => vec![scene.fresh(at, value)],
            };
            for other in others {
                let says = format!("two rows of {} tie in {}", scene.table(at.table), scene.column(at));
                found.add(says, scene.with(at, row, other));
            }
        }
    }
}

/// Two parents with as many children, and more than others: two authors with the most books.
pub(super) fn favourites(scene: &Scene<'_>, found: &mut Found) {
    for (child, reference) in scene.references() {
        let mut children: BTreeMap<Row, Vec<usize>> = BTreeMap::new();
        for (i, row) in scene.rows(child).iter().enumerate() {
            children.entry(project(row, &reference.columns)).or_default().push(i);
        }
        let most = children.values().map(Vec::len).max().unwrap_or(0);
        let tied: Vec<&usize> =
            children.values().filter(|c| c.len() == most).filter_map(|c| c.first()).collect();
        if tied.len() < 2 {
            continue;
        }
        let says = format!(
            "two rows of {} have as many rows of {}",
            scene.table(reference.target),
            scene.table(child)
        );
        for &&first in tied.iter().take(2) {
            // One more child, which is told apart from the first by its keys.
            let Some(row) = scene.rows(child).get(first) else { continue };
            let mut more = row.clone();
            let own = scene.schema.tables.get(child).into_iter().flat_map(|t| keys(t).flatten());
            for &column in own.filter(|c| !reference.columns.contains(c)) {
                let at = ColumnRef { table: child, column };
                if let Some(cell) = more.get_mut(column) {
                    *cell = scene.fresh(at, scene.value(at, first));
                }
            }
            let mut without = scene.database.clone();
            if let Some(Some(rows)) = without.tables.get_mut(child) {
                rows.push(more);
            }
            found.add(says.clone(), without);
        }
    }
}

/// Two children of one parent with the same day, kind or other parent: two translations of a card into one language.
pub(super) fn natural_keys(scene: &Scene<'_>, found: &mut Found) {
    for (child, reference) in scene.references() {
        let rows = scene.rows(child);
        for (at, portrait) in scene.portraits.columns.iter().filter(|(at, _)| at.table == child) {
            let telling = matches!(
                portrait.content,
                Content::Moment(_) | Content::Year | Content::Category | Content::Level
            );
            if reference.columns.contains(&at.column) || portrait.unique || !(telling || scene.refers(at)) {
                continue;
            }
            let mut columns = reference.columns.clone();
            columns.push(at.column);
            for (i, row) in rows.iter().enumerate() {
                let same = |other: &Row| project(other, &columns) == project(row, &columns);
                if !rows.iter().take(i).any(same) {
                    continue;
                }
                let value = scene.value(at, i);
                let says = format!(
                    "two rows of {} have the same {} and the same {}",
                    scene.table(child),
                    scene.column(ColumnRef { table: child, column: columns[0] }),
                    scene.column(at)
                );
                let mut without = scene.database.clone();
                set(&mut without, at, i, scene.fresh(at, value));
                found.add(says, without);
            }
        }
    }
}

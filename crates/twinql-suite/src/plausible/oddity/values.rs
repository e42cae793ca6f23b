//! Values that real columns hardly hold.

use twinql_sql::{ColumnRef, Value};

use super::{Found, Scene};
use crate::dice::Dice;
use crate::plausible::content::Content;
use crate::plausible::form::Form;
use crate::plausible::portrait::same_letters;

/// What is no date, in a column of dates: `STRFTIME('%Y', day)` is NULL where `SUBSTR(day, 1, 4)` is not.
pub(super) fn no_dates(scene: &Scene<'_>, found: &mut Found) {
    for (at, portrait) in scene.plain() {
        let Content::Moment(form) = portrait.content else { continue };
        for row in 0..scene.rows(at.table).len() {
            let value = scene.value(at, row);
            if *value == Value::Null || Form::of(value).is_some() {
                continue;
            }
            let says = format!("{} of a row of {} is no date", scene.column(at), scene.table(at.table));
            for moment in portrait.moments.iter().copied().chain([(2015, 6, 15, 0)]).take(3) {
                found.add(says.clone(), scene.with(at, row, form.write(moment, &mut Dice::new(0, 0))));
            }
        }
    }
}

/// One value in two spellings, or in another than the queries': `Commander` beside `commander`.
pub(super) fn spellings(scene: &Scene<'_>, found: &mut Found) {
    for (at, portrait) in scene.plain() {
        let rows = 0..scene.rows(at.table).len();
        for row in rows.clone() {
            let value = scene.value(at, row);
            let other = |v: &&Value| same_letters(v, value) && *v != value;
            let spelled = portrait.members.iter().find(other);
            let Some(spelled) = spelled.or_else(|| rows.clone().map(|i| scene.value(at, i)).find(other))
            else {
                continue;
            };
            let says = format!("{}.{} is spelled in two ways", scene.table(at.table), scene.column(at));
            found.add(says, scene.with(at, row, spelled.clone()));
        }
    }
}

/// A text with spaces around it: `TRIM(kind) = 'cup'` finds it, and `kind = 'cup'` does not.
pub(super) fn margins(scene: &Scene<'_>, found: &mut Found) {
    for (at, _) in scene.plain() {
        for row in 0..scene.rows(at.table).len() {
            let Value::Text(text) = scene.value(at, row) else { continue };
            if text.trim() != text {
                let says = format!(
                    "{} of a row of {} has spaces around it",
                    scene.column(at),
                    scene.table(at.table)
                );
                found.add(says, scene.with(at, row, Value::Text(text.trim().to_owned())));
            }
        }
    }
}

/// An amount that is zero or below: a ratio of it has no value.
pub(super) fn amounts(scene: &Scene<'_>, found: &mut Found) {
    let amount = |content| {
        matches!(
            content,
            Content::Count
                | Content::Measure
                | Content::Money
                | Content::Age
                | Content::Year
                | Content::Score
        )
    };
    for (at, _) in scene.plain().filter(|(_, p)| amount(p.content)) {
        for row in 0..scene.rows(at.table).len() {
            let value = scene.value(at, row);
            let Some(n) = value.as_f64().filter(|n| *n <= 0.0) else { continue };
            let how = if n == 0.0 { "zero" } else { "below zero" };
            let says = format!("{} of a row of {} is {how}", scene.column(at), scene.table(at.table));
            let positive = match value {
                Value::Integer(n) => Value::Integer(n.checked_neg().unwrap_or(1).max(1)),
                _ => Value::Real((-n).max(1.0).into()),
            };
            found.add(says, scene.with(at, row, positive));
        }
    }
}

/// A NULL that the gold does not ask for: the prediction's `IS NOT NULL` leaves the row out.
pub(super) fn nulls(scene: &Scene<'_>, found: &mut Found) {
    for (at, portrait) in scene.plain().filter(|(_, p)| !p.asked_null) {
        for row in 0..scene.rows(at.table).len() {
            if *scene.value(at, row) != Value::Null {
                continue;
            }
            let says = format!("a row of {} has no {}", scene.table(at.table), scene.column(at));
            let held =
                (0..scene.rows(at.table).len()).map(|i| scene.value(at, i)).find(|v| **v != Value::Null);
            let usual = usual(scene, at, portrait.whole);
            for value in portrait.members.first().into_iter().chain(held).cloned().chain([usual]) {
                found.add(says.clone(), scene.with(at, row, value));
            }
        }
    }
}

/// A value of the column in a plausible database.
fn usual(scene: &Scene<'_>, at: ColumnRef, whole: bool) -> Value {
    let plausible = scene.filled.rows(at.table).iter().filter_map(|row| row.get(at.column));
    let value = plausible.filter(|v| **v != Value::Null).max().cloned();
    value.unwrap_or(if whole { Value::Integer(1) } else { Value::Text("Alma".into()) })
}

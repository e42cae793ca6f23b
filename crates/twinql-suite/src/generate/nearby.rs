//! Moments that lie close together, for queries that compute with them.

use twinql_sql::Value;
use twinql_sql::temporal::Moment;

use super::values::Style;
use crate::clock::NOW;
use crate::dice::Dice;

/// Days of one database around which its moments lie: the sandbox's own day, a day as long
/// before it as a constant of the queries says, or the end of a February.
pub(super) fn day(index: u64, constants: &[&Value]) -> Option<Moment> {
    let today = Moment::parse(NOW)?.to_date();
    let spans: Vec<i64> = constants
        .iter()
        .filter_map(|v| match v {
            Value::Integer(n @ 2..=800) => Some(*n),
            _ => None,
        })
        .collect();
    let place = usize::try_from(index / 3).unwrap_or(0);
    match (index % 3, spans.len()) {
        (0, _) => Some(today),
        (1, 1..) => {
            let span = spans.get(place % spans.len())?;
            let is_months = *span <= 36 && place % 2 == 1;
            if is_months { today.plus_months(-span) } else { today.plus_days(-span) }
        }
        _ => Moment::date(2024, 2, 26),
    }
}

/// A moment within five days of `base`.
pub(super) fn moment(style: Style, base: Option<Moment>, dice: &mut Dice) -> Value {
    let day = base
        .and_then(|b| b.plus_days(dice.between(-5, 5)))
        .map(|m| m.to_date().to_string())
        .unwrap_or_default();
    Value::Text(if style == Style::Days {
        day
    } else {
        let time = ["00:00:00", "08:30:00", "12:00:00", "23:59:59"][dice.below(4)];
        format!("{day} {time}")
    })
}

//! ORDER BY inside an aggregate's call: each key is an argument after the others, a
//! function whose name has a space in it, which no function of SQL can have.

use crate::expr::Expr;
use crate::rel::{Direction, NullsOrder, SortKey};

const NAMES: [(&str, Direction, NullsOrder); 4] = [
    ("order by", Direction::Asc, NullsOrder::First),
    ("order by nulls last", Direction::Asc, NullsOrder::Last),
    ("order by desc", Direction::Desc, NullsOrder::Last),
    ("order by desc nulls first", Direction::Desc, NullsOrder::First),
];

/// A key as an argument.
pub(crate) fn argument(key: SortKey) -> Expr {
    let name = NAMES
        .iter()
        .find(|(_, direction, nulls)| *direction == key.direction && *nulls == key.nulls)
        .map_or("order by", |(name, ..)| name);
    Expr::function(name.to_owned(), vec![key.expr])
}

/// The key that an argument of an aggregate is, where it is ORDER BY inside the call.
pub fn key(argument: &Expr) -> Option<SortKey> {
    let Expr::Function { name, args } = argument else {
        return None;
    };
    let (_, direction, nulls) = NAMES.iter().find(|(known, ..)| known == name)?;
    Some(SortKey { expr: args.first()?.clone(), direction: *direction, nulls: *nulls })
}

//! Groups by what people call a row by, and groups that go without saying.

use super::keys::primary_key;
use crate::normalize::prelude::*;

pub(super) const NAMES: Rule = Rule {
    name: "names",
    summary: "GROUP BY a name is GROUP BY the key of the row that it names",
    why: "No two rows of a table have one name or title.",
    source: "a habit of language models: GROUP BY id, name",
    needs: Needs::KEYS,
    examples: examples! {
        "bird": "SELECT c.name, COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.name"
            == "SELECT c.name, COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name";
        "bird": "SELECT c.city, COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.city"
            != "SELECT c.city, COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.city";
    },
    apply: Apply::Rel(names),
};

/// Of groups with aggregates. A DISTINCT name says that names may repeat, unless it is one of such groups. The last
/// word of the column's name tells that it is one.
fn names(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    let grouped = |r: &Rel| matches!(r, Rel::Aggregate { calls, .. } if !calls.is_empty());
    let distinct = calls.is_empty();
    if distinct && !input.any(grouped) {
        return None;
    }
    let named = |c: ColumnId| cx.origin(c).is_some_and(|at| is_name(at, cx));
    let key = bare(keys).find_map(|c| primary_key(c, input, cx).filter(|_| named(c)))?;
    let known = cx.dependencies(input);
    if distinct {
        let single = known.unique(bare(keys).chain([key]));
        let new = single.then(|| Rel::project(input.take(), std::mem::take(keys)));
        return put(rel, new);
    }
    if known.closure(bare(keys)).contains(&key) {
        return None;
    }
    let new = cx.fresh_like(key);
    keys.push((new, Expr::Column(key)));
    Some(())
}

/// True for columns whose name ends in `name` or `title`, but is not that of a part of a name.
pub(super) fn is_name(at: ColumnRef, cx: &Context<'_>) -> bool {
    let Some(column) = cx.schema.column(at) else {
        return false;
    };
    let name = column.name.to_ascii_lowercase();
    let part = ["first", "last", "middle", "sur", "fore", "given", "family", "nick"];
    (name.ends_with("name") || name.ends_with("title")) && !part.iter().any(|p| name.starts_with(p))
}

pub(super) const ONE_GROUP: Rule = Rule {
    name: "one-group",
    summary: "columns beside aggregates over everything are group keys",
    why: "Who selects a column beside an aggregate knows that it has one value in all rows.",
    source: "a habit of BIRD's golds; SQLite's bare columns",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT c.city, SUM(o.total) FROM customer c JOIN orders o ON o.customer_id = c.id WHERE c.name = 'Ann'"
            == "SELECT c.city, SUM(o.total) FROM customer c JOIN orders o ON o.customer_id = c.id WHERE c.name = 'Ann' GROUP BY c.city";
        "bird": "SELECT c.city, SUM(o.total) FROM customer c JOIN orders o ON o.customer_id = c.id"
            != "SELECT c.name, SUM(o.total) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.name";
    },
    apply: Apply::Rel(one_group),
};

/// Not beside MIN or MAX alone, which say which row the column comes from.
fn one_group(rel: &mut Rel, _cx: &mut Context<'_>) -> Changed {
    let (_, keys, calls) = rel.as_aggregate_mut()?;
    let bare = |call: &AggregateCall| {
        let column = call.argument().and_then(Expr::as_column);
        call.func == AggFunc::Bare && call.filter.is_none() && column.is_some()
    };
    let plain = |call: &AggregateCall| bare(call) || !call.func.is_extreme() && call.func != AggFunc::Bare;
    let any = |test: &dyn Fn(&AggregateCall) -> bool| calls.iter().any(|(_, call)| test(call));
    if !keys.is_empty() || !calls.iter().all(|(_, call)| plain(call)) || !any(&bare) || !any(&|c| !bare(c)) {
        return None;
    }
    let own = calls.extract_if(.., |(_, call)| bare(call));
    keys.extend(own.filter_map(|(c, call)| Some((c, call.args.into_iter().next()?))));
    Some(())
}

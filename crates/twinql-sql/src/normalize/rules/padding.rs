//! Rows that an outer join fills up with NULLs, where they cannot arise, or leave no trace in the groups or
//! in the first row above.
//!
//! A LEFT JOIN is an inner join plus its filled-up rows. Each rule here shows in its own way that these rows
//! are not there or not seen; `joins` has the plain one, a filter that rejects them.

use super::predicates::fold_whole;
use crate::column_set::ColumnSet;
use crate::normalize::facts::strict_columns;
use crate::normalize::prelude::*;

pub(super) const FOREIGN_KEY_OUTER_JOIN: Rule = Rule {
    name: "foreign-key-outer-join",
    summary: "a LEFT JOIN along a foreign key that is never NULL is an inner join",
    why: "Each row has a partner, so the join fills none up with NULLs.",
    source: "Galindo-Legaria & Joshi 2001, outer joins over referential constraints: each row has a partner",
    needs: Needs::FOREIGN_KEYS,
    examples: examples! {
        "default": "SELECT o.day, c.name FROM orders o LEFT JOIN customer c ON o.customer_id = c.id"
            == "SELECT o.day, c.name FROM orders o JOIN customer c ON o.customer_id = c.id";
        "no-fk": "SELECT o.day, c.name FROM orders o LEFT JOIN customer c ON o.customer_id = c.id"
            != "SELECT o.day, c.name FROM orders o JOIN customer c ON o.customer_id = c.id";
        "default": "SELECT o.day, c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id"
            != "SELECT o.day, c.name FROM customer c JOIN orders o ON o.customer_id = c.id";
        "default": "SELECT o.day, c.name FROM orders o LEFT JOIN customer c ON o.customer_id = c.id AND c.age > 3"
            != "SELECT o.day, c.name FROM orders o JOIN customer c ON o.customer_id = c.id AND c.age > 3";
        "default": "SELECT o.day, c.name FROM orders o LEFT JOIN (SELECT * FROM customer WHERE age > 3) c ON o.customer_id = c.id"
            != "SELECT o.day, c.name FROM orders o JOIN (SELECT * FROM customer WHERE age > 3) c ON o.customer_id = c.id";
        "declared": "SELECT o.day, c.name FROM orders o LEFT JOIN customer c ON o.code = c.id"
            != "SELECT o.day, c.name FROM orders o JOIN customer c ON o.code = c.id";
        "default": "SELECT d.name FROM customer c LEFT JOIN orders o ON o.total = c.age LEFT JOIN customer d ON o.customer_id = d.id"
            != "SELECT d.name FROM customer c LEFT JOIN orders o ON o.total = c.age JOIN customer d ON o.customer_id = d.id";
    },
    apply: Apply::RelOf(rels::OUTER_JOIN, foreign_key_outer_join),
};

/// The left side refers, the right side is referred to.
fn foreign_key_outer_join(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (left, right, on) = rel.as_left_join_mut()?;
    (has_partner(left, right, on, cx) && rel.make_inner()).then_some(())
}

/// True if each row of `from` meets `on` with a row of `to`: `to` is a whole table, and `on`
/// equates columns of a foreign key to it with those that they refer to. The key need not be
/// unique.
pub(super) fn has_partner(from: &Rel, to: &Rel, on: &[Expr], cx: &Context<'_>) -> bool {
    let Rel::Scan { table, columns } = to else {
        return false;
    };
    let mut pairs: Vec<(ColumnId, usize)> = Vec::new();
    for e in on {
        // A condition of another form may fail for the row that is referred to.
        let Some((a, b)) = e.as_column_equality() else {
            return false;
        };
        match (position(columns, a), position(columns, b)) {
            (Some(p), None) => pairs.push((b, p)),
            (None, Some(p)) => pairs.push((a, p)),
            _ => return false,
        }
    }
    // A reference that is NULL refers to no row.
    let known = cx.not_null(from);
    let Some(origin) = pairs.first().and_then(|(c, _)| cx.info(*c)).and_then(|i| i.origin) else {
        return false;
    };
    if !pairs.iter().all(|(c, _)| known.contains(c)) {
        return false;
    }
    let Some(definition) = cx.schema.tables.get(origin.table) else {
        return false;
    };
    definition.foreign_keys.iter().any(|f| {
        let refers = pairs.iter().all(|(c, p)| {
            cx.origin(*c).is_some_and(|o| {
                o.table == origin.table
                    && f.columns.iter().zip(&f.target_columns).any(|(a, b)| *a == o.column && b == p)
            })
        });
        // Of a key of several columns, all have to come from one row, and be known.
        let whole = f.columns.len() == 1
            || pairs.len() == 1 && f.columns.iter().all(|a| cx.base_not_null(origin.table, *a))
            || f.columns.iter().all(|a| cx.base_not_null(origin.table, *a))
                && one_scan(from, &pairs.iter().map(|(c, _)| *c).collect());
        f.target == *table && refers && whole && !cx.schema.is_collated(origin.table, f)
    })
}

/// True if one scan within the relation makes all of these columns.
fn one_scan(rel: &Rel, wanted: &ColumnSet) -> bool {
    match rel {
        Rel::Scan { columns, .. } => {
            let made: ColumnSet = columns.iter().map(|(c, _)| *c).collect();
            wanted.is_subset(&made)
        }
        rel => rel.inputs().into_iter().any(|r| one_scan(r, wanted)),
    }
}

pub(super) const PADDED_GROUPS: Rule = Rule {
    name: "padded-groups",
    summary: "a LEFT JOIN is an inner join where aggregates pass over its filled-up rows and HAVING rejects the groups of these alone",
    why: "Aggregates pass over the NULLs of a filled-up row, and a group of nothing else is rejected by HAVING in both forms.",
    source: "SQL: aggregates leave NULLs out; Galindo-Legaria & Rosenthal 1997",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT c.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id HAVING COUNT(*) > 1"
            == "SELECT c.id FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id HAVING COUNT(*) > 1";
        "nulls": "SELECT c.city FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING SUM(o.total) > 1"
            == "SELECT c.city FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING SUM(o.total) > 1";
        "nulls": "SELECT COUNT(o.id), AVG(o.total) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.city = 'a'"
            == "SELECT COUNT(o.id), AVG(o.total) FROM customer c JOIN orders o ON o.customer_id = c.id WHERE c.city = 'a'";
        "default": "SELECT c.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id HAVING COUNT(*) < 3"
            != "SELECT c.id FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id HAVING COUNT(*) < 3";
        "default": "SELECT c.city FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING COUNT(*) > 1"
            != "SELECT c.city FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING COUNT(*) > 1";
        "default": "SELECT c.city, COUNT(*) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING SUM(o.total) > 1"
            != "SELECT c.city, COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING SUM(o.total) > 1";
        "default": "SELECT c.city FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING SUM(COALESCE(o.total, c.age)) > 1"
            != "SELECT c.city FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING SUM(COALESCE(o.total, c.age)) > 1";
        "default": "SELECT COUNT(*) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id"
            != "SELECT COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id";
        "default": "SELECT c.id, COUNT(o.id) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id"
            != "SELECT c.id, COUNT(o.id) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id";
    },
    apply: Apply::RelOf(Kinds::BLOCKS.or(rels::AGGREGATE), padded_groups),
};

/// Two cases. An aggregate without keys passes over filled-up rows as long as each call does. With keys there
/// are groups of filled-up rows alone: then the others must be as they were (`apart`), and HAVING has to
/// reject these.
fn padded_groups(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    if let Rel::Aggregate { input, keys, calls } = rel {
        // One group, there in any case.
        let ignored = Padded::of(input, keys, calls, cx).is_some_and(|p| p.ignored);
        return (keys.is_empty() && ignored && input.make_inner()).then_some(());
    }
    let BlockMut { inputs, on } = rel.as_block_mut()?;
    let mut changed = false;
    for one in inputs {
        let Rel::Aggregate { input, keys, calls } = one else {
            continue;
        };
        if keys.is_empty() {
            continue;
        }
        let Some(padded) = Padded::of(input, keys, calls, cx) else {
            continue;
        };
        if padded.apart && on.iter().any(|e| padded.rejected_by(e, cx)) {
            changed |= input.make_inner();
        }
    }
    changed.then_some(())
}

/// What a grouping makes of the filled-up rows of the LEFT JOIN below it.
struct Padded {
    /// Every aggregate passes over them.
    ignored: bool,
    /// They change no group of other rows.
    apart: bool,
    /// What keys and aggregates are known to be in groups of them alone.
    values: Substitution,
}

impl Padded {
    /// `None` where the input is no LEFT JOIN. An expression that is NULL where a column of the right side
    /// is, is NULL in all filled-up rows; that tells what aggregates and keys give there.
    fn of(
        input: &Rel,
        keys: &[(ColumnId, Expr)],
        calls: &[(ColumnId, AggregateCall)],
        cx: &Context<'_>,
    ) -> Option<Padded> {
        let (left, right, on) = input.as_left_join()?;
        let made = right.output_set();
        let strict = |e: &Expr| {
            let mut set = ColumnSet::new();
            strict_columns(e, &mut set);
            !set.is_disjoint(&made)
        };
        let own: Vec<ColumnId> = keys.iter().filter_map(|(_, e)| e.as_column()).collect();
        let kept = left.output_set();
        let by_left: Vec<ColumnId> = own.iter().copied().filter(|c| kept.contains(c)).collect();
        // Each filled-up row is a group of its own.
        let alone = !by_left.is_empty() && cx.dependencies(left).unique(by_left);
        let matched = cx.not_null(&Rel::filter(right.clone(), on.clone()));
        // Or a key is NULL in filled-up rows and never in matched ones: no group has both.
        let null_key = own.iter().any(|c| made.contains(c) && matched.contains(c));
        let passes = |call: &AggregateCall| {
            let known = matches!(
                call.func,
                AggFunc::Count
                    | AggFunc::Sum
                    | AggFunc::Total
                    | AggFunc::Avg
                    | AggFunc::Min
                    | AggFunc::Max
                    | AggFunc::GroupConcat
            );
            known && call.args.first().is_some_and(strict)
        };
        let ignored = calls.iter().all(|(_, call)| passes(call));
        let mut values = Substitution::new();
        for (id, e) in keys {
            if strict(e) {
                values.insert(*id, Expr::Literal(Value::Null));
            }
        }
        for (id, call) in calls {
            let value = match call.func {
                AggFunc::Count if passes(call) => Value::Integer(0),
                AggFunc::Count if alone && call.counts_rows() => Value::Integer(1),
                AggFunc::Sum | AggFunc::Avg | AggFunc::Min | AggFunc::Max | AggFunc::GroupConcat
                    if passes(call) =>
                {
                    Value::Null
                }
                AggFunc::Bare if call.args.iter().any(strict) => Value::Null,
                _ => continue,
            };
            values.insert(*id, Expr::Literal(value));
        }
        Some(Padded { ignored, apart: alone || null_key || ignored, values })
    }

    /// True if no group of filled-up rows alone meets the conjunct.
    fn rejected_by(&self, conjunct: &Expr, cx: &mut Context<'_>) -> bool {
        let rejected = rejected([conjunct]);
        let null = |c: &ColumnId| matches!(self.values.get(c), Some(Expr::Literal(Value::Null)));
        if rejected.iter().any(null) {
            return true;
        }
        let mut e = conjunct.clone();
        e.substitute(&self.values);
        fold_whole(&mut e, cx);
        e.is_false() || e == Expr::Literal(Value::Null)
    }
}

pub(super) const PADDED_LAST: Rule = Rule {
    name: "padded-last",
    summary: "below ORDER BY x DESC LIMIT 1 a LEFT JOIN is an inner join, where x is NULL in filled-up rows alone and a foreign key says that there are others",
    why: "NULLs come last in a descending order, and since there is a row with a partner the first row is never a filled-up one.",
    source: "https://sqlite.org/lang_select.html: NULLs come last in descending order",
    needs: Needs { no_empty_tables: true, ..Needs::FOREIGN_KEYS },
    examples: examples! {
        "default": "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 1"
            == "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 1";
        "default": "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id ORDER BY MAX(o.total) DESC LIMIT 1"
            == "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id ORDER BY MAX(o.total) DESC LIMIT 1";
        "default": "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id ORDER BY o.total LIMIT 1"
            != "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id ORDER BY o.total LIMIT 1";
        "default": "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 5"
            != "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 5";
        "no-fk": "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 1"
            != "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 1";
        "default": "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.age > 3 ORDER BY o.total DESC LIMIT 1"
            != "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE c.age > 3 ORDER BY o.total DESC LIMIT 1";
    },
    apply: Apply::RelOf(rels::SORT, padded_last),
};

/// Looks at the first sort key, a column of the right side or an aggregate of one. There has to be a row with
/// a partner: a foreign key from the right side to the left gives one to each row of the right table, and no
/// table is empty. Of two rows the second may be filled up, so LIMIT 1 alone will do.
fn padded_last(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, keys) = rel.as_first_row_mut()?;
    let first = keys.first()?;
    if (first.direction, first.nulls) != (Direction::Desc, NullsOrder::Last) {
        return None;
    }
    let by = first.expr.as_column()?;
    let (join, by) = match &*input {
        Rel::Aggregate { input, keys, calls } => {
            let padded = Padded::of(input, keys, calls, cx).filter(|p| p.apart)?;
            if padded.values.get(&by) != Some(&Expr::Literal(Value::Null)) {
                return None;
            }
            let of = calls.iter().find(|(c, _)| *c == by).map(|(_, call)| call);
            match of.map(|call| (call.args.as_slice(), &call.filter)) {
                Some(([Expr::Column(x)], None)) => (&**input, *x),
                _ => return None,
            }
        }
        join => (join, by),
    };
    let (left, right, on) = join.as_left_join()?;
    // Every row of the right table has a partner, there is one, and x is not NULL in it.
    let sure = matches!(right, Rel::Scan { .. })
        && cx.not_null(right).contains(&by)
        && has_partner(right, left, on, cx);
    if !sure {
        return None;
    }
    let join = match input {
        Rel::Aggregate { input, .. } => &mut **input,
        join => join,
    };
    join.make_inner().then_some(())
}

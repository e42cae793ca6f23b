//! Extremes: one row holds the greatest value, and one the least.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;
use crate::normalize::rules::{first_by, first_row_of};

pub(super) const ONE_EXTREME: Rule = Rule {
    name: "one-extreme",
    summary: "the rows whose x is the MIN or MAX of x among them are the first row by x",
    why: "Measures have no ties at their ends.",
    source: "a habit of language models; ESM+ 2024, table 1, asks for a key",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT name FROM customer WHERE age = (SELECT MAX(age) FROM customer)" == "SELECT name FROM customer ORDER BY age DESC LIMIT 1";
        "bird": "SELECT name FROM customer WHERE city = 'Rome' AND age = (SELECT MAX(age) FROM customer WHERE city = 'Rome')"
            == "SELECT name FROM customer WHERE city = 'Rome' ORDER BY age DESC LIMIT 1";
        "bird": "SELECT name FROM customer WHERE city = 'Rome' AND age = (SELECT MAX(age) FROM customer)"
            != "SELECT name FROM customer WHERE city = 'Rome' ORDER BY age DESC LIMIT 1";
    },
    apply: Apply::Query(one_extreme),
};

/// The filter or join below projections and groupings without aggregates, where the number of rows does not count. A
/// limit of 1 above keeps the same row.
fn block_below(rel: &mut Rel) -> Option<&mut Rel> {
    match rel {
        Rel::Filter { .. } | Rel::Join { .. } => Some(rel),
        Rel::Project { input, .. } => block_below(input),
        Rel::Aggregate { input, calls, .. } if calls.is_empty() => block_below(input),
        Rel::Sort { input, offset: None, limit, .. }
            if limit.as_ref().is_none_or(|n| *n == Expr::integer(1)) =>
        {
            block_below(input)
        }
        _ => None,
    }
}

/// Not inside EXISTS, where no order counts.
fn one_extreme(query: &mut Query, role: Role, cx: &mut Context<'_>) -> Changed {
    if role == Role::Exists {
        return None;
    }
    let rel = block_below(&mut query.rel)?;
    let block = rel.as_block()?;
    let found = (0..block.on.len()).find_map(|at| Some((at, extreme(block.inputs, block.on, at, cx)?)));
    let (at, (c, func)) = found?;
    let (inputs, mut on) = rel.take().into_block();
    on.remove(at);
    *rel = first_by(Rel::join(inputs, on), c, &func);
    Some(())
}

/// The column of which a conjunct asks for the extreme of these same rows: its subquery reads no relation that is not
/// read here, and says of their rows what is said here. Here more relations may be joined.
fn extreme(inputs: &[Rel], on: &[Expr], at: usize, cx: &Context<'_>) -> Option<(ColumnId, AggFunc)> {
    let equality = on.get(at).filter(|e| e.as_equality().is_some())?;
    let (c, query) = equality.readings().find_map(|(x, _, q)| Some((x.as_column()?, q.as_scalar()?)))?;
    let (below, _, call) = sole_aggregate(query)?;
    let of = call.as_extreme().filter(|_| cx.origin(c).is_some())?;
    let (inner, said) = below.clone().into_block();
    let mut map = Substitution::new();
    for read in &inner {
        let mut alike = inputs.iter().filter_map(|own| renaming(read, own));
        let (Some(names), None) = (alike.next(), alike.next()) else {
            return None;
        };
        map.extend(names);
    }
    if map.get(&of) != Some(&Expr::Column(c)) {
        return None;
    }
    let said: BTreeSet<Expr> = said.iter().map(|e| e.substituted(&map)).collect();
    let here: BTreeSet<&Expr> = on.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, e)| e).collect();
    let joins = |e: &Expr| e.as_column_equality().is_some();
    let made: ColumnSet = inputs.iter().flat_map(Rel::outputs).collect();
    if !here.iter().all(|e| e.free_columns().is_subset(&made)) {
        return None;
    }
    let same = said.iter().all(|e| here.contains(e)) && here.iter().all(|e| joins(e) || said.contains(*e));
    same.then(|| (c, call.func.clone()))
}

/// What the columns of a relation are called in another one that is the same but for their ids.
pub(super) fn renaming(read: &Rel, own: &Rel) -> Option<Substitution> {
    if let (Rel::Scan { table, columns }, Rel::Scan { table: same, columns: here }) = (read, own) {
        // Which columns a scan gives depends on what is read of it.
        return images(columns, here).filter(|_| table == same);
    }
    let ids = |rel: &Rel| {
        let mut all = Vec::new();
        rel.for_each_deep(|node| {
            if let Node::Rel(rel) = node {
                rel.introduced(&mut |c| all.push(c));
            }
        });
        all
    };
    let names: BTreeMap<ColumnId, ColumnId> = ids(read).into_iter().zip(ids(own)).collect();
    let mut renamed = Query { rel: read.clone(), output: Vec::new() };
    renamed.map_ids(|c| *c = names.get(c).copied().unwrap_or(*c));
    (renamed.rel == *own).then(|| names.into_iter().map(|(c, own)| (c, Expr::Column(own))).collect())
}

pub(super) const EXTREME_AS_FIRST: Rule = Rule {
    name: "extreme-as-first",
    summary: "an answer of one MIN or MAX is x of the first row by x",
    why: "There are rows, and their greatest value is that of the row that comes first.",
    source: "a habit of language models",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT MAX(age) FROM customer WHERE city = 'Rome'" == "SELECT age FROM customer WHERE city = 'Rome' ORDER BY age DESC LIMIT 1";
        "bird": "SELECT MAX(age) FROM customer WHERE city = 'Rome'" != "SELECT age FROM customer WHERE city = 'Rome' ORDER BY age LIMIT 1";
    },
    apply: Apply::Root(extreme_as_first),
};

fn extreme_as_first(query: &mut Query, cx: &mut Context<'_>) -> Changed {
    first_row_of(query, false, cx, |_, _, _| true)
}

pub(super) const EXTREME_PARTNER: Rule = Rule {
    name: "extreme-partner",
    summary: "below an aggregate, a table whose x is the MIN or MAX of x in it is its first row by x",
    why: "Measures have no ties at their ends, so that one row of the table takes part.",
    source: "a habit of language models",
    needs: Needs::NOTHING,
    examples: examples! {
        "bird": "SELECT COUNT(*) FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.age = (SELECT MAX(age) FROM customer)"
            == "SELECT COUNT(*) FROM orders WHERE customer_id = (SELECT id FROM customer ORDER BY age DESC LIMIT 1)";
        "bird": "SELECT COUNT(*) FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.age = (SELECT MIN(age) FROM customer)"
            != "SELECT COUNT(*) FROM orders WHERE customer_id = (SELECT id FROM customer ORDER BY age DESC LIMIT 1)";
    },
    apply: Apply::Query(extreme_partner),
};

/// Below aggregates, and in EXISTS, where one row is as good as the next. The table's own conditions go with it.
fn extreme_partner(query: &mut Query, role: Role, cx: &mut Context<'_>) -> Changed {
    if role == Role::Exists && first_partner(&mut query.rel, cx).is_some() {
        return Some(());
    }
    let mut rel = &mut query.rel;
    loop {
        rel = match rel {
            Rel::Aggregate { input, calls, .. } if !calls.is_empty() => return first_partner(input, cx),
            Rel::Project { input, .. } | Rel::Sort { input, .. } | Rel::Filter { input, .. } => input,
            Rel::Aggregate { input, .. } => input,
            _ => return None,
        }
    }
}

/// In a join, or in a filter of which the table is not all that is asked.
fn first_partner(rel: &mut Rel, cx: &Context<'_>) -> Changed {
    let BlockMut { inputs, on } = rel.as_block_mut()?;
    let (place, mut own, others, at, c, func) = inputs.iter().enumerate().find_map(|(place, table)| {
        let made = matches!(table, Rel::Scan { .. }).then(|| table.output_set())?;
        let local = |e: &Expr| !e.free_columns().is_empty() && e.free_columns().is_subset(&made);
        let (own, others): (Vec<Expr>, Vec<Expr>) = on.iter().cloned().partition(local);
        let (at, (c, func)) =
            (0..own.len()).find_map(|at| Some((at, extreme(std::slice::from_ref(table), &own, at, cx)?)))?;
        (!others.is_empty()).then_some((place, own, others, at, c, func))
    })?;
    own.remove(at);
    if let Some(table) = inputs.get_mut(place) {
        *table = first_by(Rel::filter(table.take(), own), c, &func);
    }
    *on = others;
    Some(())
}

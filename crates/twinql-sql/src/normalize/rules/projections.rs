//! Projections: merged into what reads them, and rid of what nobody reads.
//!
//! A computed column is written out in every expression that reads it, so that derived tables, CTEs and
//! aliases leave no trace; a projection is left at the top of a query, where it computes outputs. The size of
//! what is copied is bounded.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

/// Expressions larger than this are not copied to where they are used.
const MAX_INLINED: usize = 200;

pub(super) const MERGING: Rule = Rule {
    name: "projection-merging",
    summary: "computed columns of derived tables and CTEs are written out where they are read",
    why: "A computed column is nothing but its expression over the row below, so reading one is reading the other.",
    source: "relational algebra: π absorbs into σ, ⋈, γ and π; aliases vanish with it",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT n FROM (SELECT age + 1 AS n, city FROM customer) WHERE city = 'a'" == "SELECT age + 1 FROM customer WHERE city = 'a'";
        "default": "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.day = 'a' GROUP BY o.id ORDER BY o.total LIMIT 1"
            == "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.day = 'a' ORDER BY o.total LIMIT 1";
        "strict": "SELECT n FROM (SELECT age + 1 AS n FROM customer LIMIT 1)" != "SELECT age + 1 FROM customer";
        "default": "WITH old AS (SELECT DISTINCT city AS n FROM customer) SELECT n FROM old" != "SELECT city FROM customer";
    },
    apply: Apply::RelOf(Kinds::COMPUTING, merge),
};

/// Each operator takes in the projections right below it, and enters what their columns stood for, for those
/// that read them further up.
fn merge(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let mut gone = Substitution::new();
    match rel {
        Rel::Filter { input, .. }
        | Rel::Project { input, .. }
        | Rel::Aggregate { input, .. }
        | Rel::Sort { input, .. }
        | Rel::Window { input, .. } => dissolve(input, false, &mut gone),
        Rel::Join { inputs, .. } => {
            for input in inputs {
                dissolve(input, false, &mut gone);
            }
        }
        Rel::OuterJoin { kind, left, right, .. } => {
            // The side that is filled up with NULLs keeps what is not a bare column.
            dissolve(left, *kind == JoinKind::Full, &mut gone);
            dissolve(right, true, &mut gone);
        }
        _ => {}
    }
    if gone.is_empty() {
        return None;
    }
    for expr in rel.exprs_mut() {
        cx.substitute(expr, &gone);
    }
    for (c, e) in gone {
        cx.replace(c, e);
    }
    Some(())
}

/// Removes a projection, entering what its columns stand for. What is drawn anew (RANDOM()) stays, as it may be
/// read twice.
fn dissolve(rel: &mut Rel, only_bare: bool, gone: &mut Substitution) {
    let Rel::Project { input, exprs } = rel else {
        return;
    };
    let fits = |e: &Expr| matches!(e, Expr::Column(_)) || e.is_deterministic() && e.size() <= MAX_INLINED;
    if !exprs.iter().all(|(_, e)| fits(e)) {
        return;
    }
    // Entries that are outer columns or constants are no columns of a NULL-filled side;
    // what is NULL where its columns are can be computed of the filled-up rows.
    if only_bare {
        let below = input.output_set();
        if !exprs.iter().all(|(_, e)| null_of_nulls(e, &below)) {
            return;
        }
    }
    gone.extend(std::mem::take(exprs));
    *rel = input.take();
}

/// True if the expression is NULL where the columns of `side` are: computed above the outer join it then gives
/// the NULL that a filled-up row has in its place.
fn null_of_nulls(e: &Expr, side: &ColumnSet) -> bool {
    use BinaryOp::{BitAnd, BitOr, Concat, Like, ShiftLeft, ShiftRight};
    let strict = |op: &BinaryOp| {
        let others = matches!(op, Concat | Like | BitAnd | BitOr | ShiftLeft | ShiftRight);
        op.is_comparison() || op.is_arithmetic() || others
    };
    match e {
        Expr::Column(c) => side.contains(c),
        Expr::Unary { op: UnaryOp::Not | UnaryOp::Neg | UnaryOp::BitNot | UnaryOp::Plus, expr }
        | Expr::Cast { expr, .. }
        | Expr::Collate { expr, .. } => null_of_nulls(expr, side),
        Expr::Binary { op, left, right } if strict(op) => {
            null_of_nulls(left, side) || null_of_nulls(right, side)
        }
        Expr::InList { expr, list } => !list.is_empty() && null_of_nulls(expr, side),
        Expr::Case { operand: None, branches, otherwise } => {
            branches.iter().all(|(w, _)| null_of_nulls(w, side))
                && otherwise.as_deref().is_none_or(|e| null_of_nulls(e, side))
        }
        _ => false,
    }
}

pub(super) const ROOT: Rule = Rule {
    name: "bare-projection",
    summary: "a projection at the top of a query that only drops, repeats or reorders columns goes",
    why: "The query's list of outputs can itself drop, repeat and reorder columns, and aliases are no part of an answer.",
    source: "relational algebra: π over columns of its input is the query's output list",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT id FROM customer UNION ALL SELECT * FROM (SELECT id FROM orders UNION ALL SELECT order_id FROM line)"
            == "SELECT order_id FROM line UNION ALL SELECT id FROM customer UNION ALL SELECT id FROM orders";
        "strict": "SELECT city, name FROM customer" != "SELECT name, city FROM customer";
        "default": "SELECT * FROM line" != "SELECT order_id, product FROM line";
        "default": "SELECT city FROM customer AS c" != "SELECT name FROM customer c";
    },
    apply: Apply::Query(root),
};

/// Where all outputs are columns of the input, the query's outputs are these and the projection goes.
/// Otherwise it keeps one entry for each different output.
fn root(query: &mut Query, _role: Role, cx: &mut Context<'_>) -> Changed {
    let (input, exprs) = query.rel.as_project_mut()?;
    let of = |c: &ColumnId| exprs.iter().find(|(id, _)| id == c).map(|(_, e)| e.clone());
    let below = input.output_set();
    let meanings: Option<Vec<Expr>> = query.output.iter().map(of).collect();
    let meanings = meanings?;
    let own = |e: &Expr| e.as_column().filter(|c| below.contains(c));
    let bare: Option<Vec<ColumnId>> = meanings.iter().map(own).collect();
    if let Some(bare) = bare {
        for (c, e) in std::mem::take(exprs) {
            cx.replace(c, e);
        }
        query.output = bare;
        query.rel = input.take();
        return Some(());
    }
    // One entry for each different output.
    let mut kept: Vec<(ColumnId, Expr)> = Vec::new();
    let mut output = Vec::new();
    for (c, e) in query.output.iter().zip(meanings) {
        match kept.iter().find(|(_, k)| *k == e && k.is_deterministic()) {
            Some((id, _)) => output.push(*id),
            None => {
                if !kept.iter().any(|(id, _)| id == c) {
                    kept.push((*c, e));
                }
                output.push(*c);
            }
        }
    }
    let changed = kept.len() != exprs.len() || output != query.output;
    *exprs = kept;
    query.output = output;
    changed.then_some(())
}

/// Makes the relation of a query produce its output columns and nothing else.
pub(super) fn restrict_to_output(query: &mut Query, cx: &mut Context<'_>) {
    let mut exprs = Vec::new();
    for c in &mut query.output {
        let new = cx.fresh_like(*c);
        exprs.push((new, Expr::Column(*c)));
        *c = new;
    }
    query.rel = Rel::project(query.rel.take(), exprs);
}

pub(super) const PRUNING: Rule = Rule {
    name: "projection-pruning",
    summary: "computed columns, aggregates and group keys that other keys determine go where nothing reads them",
    why: "What nothing reads changes neither the rows nor their number, and a key that other keys determine splits no group.",
    source: "projection pruning, every optimiser; functional dependencies: Paulley & Larson 1994",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT city FROM (SELECT city, COUNT(*) AS n FROM customer GROUP BY city)" == "SELECT city FROM customer GROUP BY city";
        "default": "SELECT city FROM customer GROUP BY city, age" != "SELECT city FROM customer GROUP BY city";
    },
    apply: Apply::Root(prune),
};

/// Only the whole query tells what is read, so this starts at its root and looks into all of it.
fn prune(query: &mut Query, cx: &mut Context<'_>) -> Changed {
    let used = query.reads();
    let mut changed = false;
    query.map_deep(|node| match node {
        NodeMut::Rel(rel) => prune_rel(rel, &used, cx, &mut changed),
        _ => Next::Below,
    });
    changed.then_some(())
}

/// Drops what one relation makes for nobody.
fn prune_rel(rel: &mut Rel, used: &ColumnSet, cx: &mut Context<'_>, changed: &mut bool) -> Next {
    match rel {
        // Duplicate elimination reads all columns of its input.
        Rel::Distinct { .. } => return Next::Past,
        Rel::Project { exprs, .. } => {
            let before = exprs.len();
            exprs.retain(|(c, _)| used.contains(c));
            *changed |= exprs.len() != before;
        }
        Rel::Aggregate { input, keys, calls } => {
            *changed |= prune_calls(keys.is_empty(), calls, used, cx) | prune_keys(input, keys, used, cx);
        }
        Rel::Window { input, calls } => {
            let before = calls.len();
            calls.retain(|(c, _)| used.contains(c));
            *changed |= calls.len() != before;
            if calls.is_empty() {
                *rel = input.take();
                *changed = true;
                return Next::Past;
            }
        }
        _ => {}
    }
    Next::Below
}

/// Drops aggregates that nothing reads; one is left where there are no keys, or there would be no row.
fn prune_calls(
    global: bool,
    calls: &mut Vec<(ColumnId, AggregateCall)>,
    used: &ColumnSet,
    cx: &mut Context<'_>,
) -> bool {
    let before = calls.len();
    // Which row a bare column comes from depends on the MIN and MAX beside it.
    let bare = |call: &AggregateCall| call.func == AggFunc::Bare;
    let bare_used = calls.iter().any(|(c, call)| bare(call) && used.contains(c));
    let counted = calls.iter().find(|(_, call)| call.counts_rows()).cloned();
    let aggregated = !calls.iter().all(|(_, call)| bare(call));
    calls.retain(|(c, call)| used.contains(c) || bare_used && call.func.is_extreme());
    let mut changed = false;
    // Bare columns alone would be no aggregate, of one row whatever is below.
    if global && aggregated && !calls.is_empty() && calls.iter().all(|(_, call)| bare(call)) {
        changed |= counted.is_none();
        calls.push(counted.unwrap_or_else(|| one_count(cx)));
    }
    if global && calls.is_empty() && before > 0 {
        calls.push(one_count(cx));
        // A count in place of what stood there is a change once.
        return changed | (before != 1);
    }
    changed | (calls.len() != before)
}

/// Drops group keys that nothing reads and the others determine. The last key stays: without any there would be
/// one row even over nothing.
fn prune_keys(input: &Rel, keys: &mut Vec<(ColumnId, Expr)>, used: &ColumnSet, cx: &Context<'_>) -> bool {
    let before = keys.len();
    let mut at = 0;
    while let Some((c, e)) = keys.get(at) {
        let others = keys.iter().enumerate().filter(|(i, _)| *i != at);
        let others = others.filter_map(|(_, (_, e))| e.as_column());
        let idle = keys.len() > 1 && !used.contains(c);
        if idle && e.is_deterministic() && e.reads().is_subset(&cx.dependencies(input).closure(others)) {
            keys.remove(at);
        } else {
            at += 1;
        }
    }
    keys.len() != before
}

/// COUNT(*), to be read by nobody: it makes one row of a grouping without keys.
fn one_count(cx: &mut Context<'_>) -> (ColumnId, AggregateCall) {
    let mut info = computed("count");
    info.class = TypeClass::Integer;
    info.nullable = false;
    let call = AggregateCall::new(AggFunc::Count, Vec::new());
    (cx.fresh(info), call)
}

/// Drops columns of base tables that nothing reads. Comes last: rules look for keys.
pub(crate) fn prune_scans(query: &mut Query) {
    let used = query.reads();
    query.map_deep(|node| {
        if let NodeMut::Rel(Rel::Scan { columns, .. }) = node {
            columns.retain(|(c, _)| used.contains(c));
        }
        Next::Below
    });
}

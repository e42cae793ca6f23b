//! Tables that are asked only for the row that a foreign key refers to.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

pub(super) const REDUNDANT_REFERENCE: Rule = Rule {
    name: "redundant-reference",
    summary: "under DISTINCT, MIN, MAX and EXISTS, a table goes that is only asked for rows equal to, not below or not above what refers to it by a foreign key, unique or not",
    why: "The referenced row has the very key that refers to it, so it meets = as well as <= and >=, and some partner always exists.",
    source: "Chakravarthy, Grant & Minker 1990; Chandra & Merlin 1977: the row referred to meets every condition",
    needs: Needs::FOREIGN_KEYS,
    examples: examples! {
        "default": "SELECT DISTINCT o.day FROM orders o JOIN customer c ON o.customer_id <= c.id" == "SELECT DISTINCT day FROM orders";
        "default": "SELECT COUNT(*) FROM line l WHERE EXISTS (SELECT 1 FROM orders o JOIN customer c ON o.customer_id >= c.id WHERE o.total = l.amount)"
            == "SELECT COUNT(*) FROM line WHERE amount IN (SELECT total FROM orders)";
        "default": "SELECT DISTINCT c.id FROM orders o JOIN customer c ON o.customer_id <= c.id" != "SELECT DISTINCT customer_id FROM orders";
        "default": "SELECT o.day FROM orders o JOIN customer c ON o.customer_id <= c.id" != "SELECT day FROM orders";
        "default": "SELECT DISTINCT o.day FROM orders o JOIN customer c ON o.customer_id < c.id" != "SELECT DISTINCT day FROM orders";
        "no-fk": "SELECT DISTINCT o.day FROM orders o JOIN customer c ON o.customer_id <= c.id" != "SELECT DISTINCT day FROM orders";
    },
    apply: Apply::RelOf(Kinds::COMPUTING, redundant_reference),
};

/// In the input of a grouping that ignores duplicates, where columns of the table may be read as those they
/// equal; and in EXISTS, of which nothing is read.
fn redundant_reference(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    if let Rel::Aggregate { input, keys, calls } = rel
        && (Grouping { input, keys, calls }).ignores_duplicates()
    {
        let read = Grouping { input, keys, calls }.reads();
        if let Some(map) = without(input, &read, &ColumnSet::new(), cx) {
            for e in rel.exprs_mut() {
                e.substitute(&map);
            }
            return Some(());
        }
    }
    let asks = |e: &Expr| e.any(|e| matches!(e, Expr::Exists(_)));
    if !rel.exprs().into_iter().any(asks) {
        return None;
    }
    let mut changed = false;
    let known = cx.not_null_below(rel);
    for e in rel.exprs_mut() {
        changed |= in_exists(e, &known, cx);
    }
    changed.then_some(())
}

/// The same in each EXISTS of an expression. `known` are columns of the rows around it that are never NULL.
fn in_exists(e: &mut Expr, known: &ColumnSet, cx: &Context<'_>) -> bool {
    e.map(|e| match e {
        Expr::Exists(query) if query.output.is_empty() => {
            without(&mut query.rel, &ColumnSet::new(), known, cx).is_some()
        }
        _ => false,
    })
}

/// Removes one table of the block, and says what its column was equal to. `read` are the
/// columns that are read above it, `outer` columns around it that are not NULL.
///
/// The row that the foreign key refers to has a key equal to it, which meets =, <= and >= alike, and nothing else
/// is asked of the table. All columns it is compared with must be equal among themselves, or one row would have
/// to meet bounds that differ. Under DISTINCT the key may be read only where an equality fixes it.
fn without(rel: &mut Rel, read: &ColumnSet, outer: &ColumnSet, cx: &Context<'_>) -> Option<Substitution> {
    let Block { inputs, on } = rel.as_block()?;
    if !on.iter().all(Expr::is_deterministic) {
        return None;
    }
    // Another input may be computed from a row of the table.
    let lateral: ColumnSet = inputs.iter().flat_map(|r| r.free_columns()).collect();
    let found = inputs.iter().enumerate().find_map(|(i, input)| {
        let (table, columns) = input.as_scan()?;
        let own = input.output_set();
        if !own.is_disjoint(&lateral) {
            return None;
        }
        let mut asking = Vec::new();
        let mut rest = Vec::new();
        for e in on {
            let of = e.free_columns();
            if of.is_disjoint(&own) {
                rest.push(e.clone());
            } else {
                asking.push(e);
            }
        }
        // One column is asked, against others that the rest makes equal.
        let (asked, others) = asked(&asking, &own)?;
        let at = position(columns, asked)?;
        let by = *others.first()?;
        let equated = asking.iter().any(|e| e.as_equality().is_some());
        let read_as_it = equated && own.intersection(read).eq([&asked]);
        if !(own.is_disjoint(read) || read_as_it) {
            return None;
        }
        // Without the table's own equalities: these go with it.
        let classes = cx.equal_columns(&rest);
        let together =
            others.iter().all(|c| *c == by || classes.iter().any(|k| k.contains(c) && k.contains(&by)));
        // The reference, and that it is not NULL.
        let near = inputs
            .iter()
            .enumerate()
            .any(|(j, r)| j != i && r.outputs_among(&others).iter().any(|c| cx.not_null(r).contains(c)))
            || others.iter().any(|c| {
                let local = inputs.iter().any(|r| !r.outputs_among(&[*c].into()).is_empty());
                !local && (outer.contains(c) || !cx.outer_may_be_null(*c))
            });
        let mut same: ColumnSet = others.clone();
        same.extend(classes.iter().filter(|k| k.contains(&by)).flatten().copied());
        let key = ColumnRef { table: *table, column: at };
        let mut from = same.iter().filter_map(|c| cx.origin(*c));
        let refers = from.any(|from| cx.schema.sole_reference(from, key));
        let stored = others.iter().all(|c| cx.same_storage(*c, asked));
        (together && near && refers && stored).then_some((i, rest, asked, by))
    });
    let (i, rest, asked, by) = found?;
    let (mut inputs, _) = rel.take().into_block();
    inputs.remove(i);
    *rel = Rel::join(inputs, rest);
    Some([(asked, Expr::Column(by))].into())
}

/// The column of `own` that all conjuncts ask to equal, not to exceed or not to fall below
/// columns of others, and these.
fn asked(conjuncts: &[&Expr], own: &ColumnSet) -> Option<(ColumnId, ColumnSet)> {
    let mut asked = None;
    let mut others = ColumnSet::new();
    for e in conjuncts {
        let Expr::Binary { op: BinaryOp::Eq | BinaryOp::LtEq | BinaryOp::GtEq, left, right } = e else {
            return None;
        };
        let (Expr::Column(a), Expr::Column(b)) = (&**left, &**right) else {
            return None;
        };
        let (mine, other) = match (own.contains(a), own.contains(b)) {
            (true, false) => (*a, *b),
            (false, true) => (*b, *a),
            _ => return None,
        };
        if asked.is_some_and(|c| c != mine) {
            return None;
        }
        asked = Some(mine);
        others.insert(other);
    }
    Some((asked?, others))
}

//! Outer joins whose padding is taken away, or counted.

use twinql_sql::columns::Reads;
use twinql_sql::{AggFunc, ColumnId, ColumnSet, Expr, JoinKind, Rel};

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::Gold;

pub(super) const COUNT_OF_PADDING: Check = Check {
    id: "count-of-padding",
    severity: Severity::Warning,
    summary: "COUNT(*) over the rows that a LEFT JOIN fills up",
    why: "A row without a partner stands in a LEFT JOIN once, with NULLs, and COUNT(*) counts that as one; COUNT of a column of the other table counts it as none.",
    source: "https://sqlite.org/lang_aggfunc.html#count",
    undetermined: false,
    finds: &[
        "SELECT c.name, count(*) FROM customer AS c LEFT JOIN orders AS o ON o.customer_id = c.id GROUP BY c.id",
    ],
    misses: &[
        "SELECT c.name, count(o.id) FROM customer AS c LEFT JOIN orders AS o ON o.customer_id = c.id GROUP BY c.id",
        "SELECT c.city, count(*) FROM customer AS c LEFT JOIN orders AS o ON o.customer_id = c.id GROUP BY c.city",
        "SELECT count(*) FROM customer AS c LEFT JOIN orders AS o ON o.customer_id = c.id WHERE o.id IS NULL",
    ],
    apply: Apply::Plan(counted),
};

pub(super) const OUTER_JOIN_UNDONE: Check = Check {
    id: "outer-join-undone",
    severity: Severity::Note,
    summary: "a LEFT JOIN whose padding a condition takes away",
    why: "A condition on the other table's columns is not true of NULLs, so that only rows with a partner are left, as after an inner join.",
    source: "outer join simplification, Galindo-Legaria and Rosenthal 1997",
    undetermined: false,
    finds: &[
        "SELECT c.name FROM customer AS c LEFT JOIN orders AS o ON o.customer_id = c.id WHERE o.total > 100",
    ],
    misses: &[
        "SELECT c.name FROM customer AS c LEFT JOIN orders AS o ON o.customer_id = c.id WHERE o.id IS NULL",
        "SELECT c.name FROM customer AS c LEFT JOIN orders AS o ON o.customer_id = c.id AND o.total > 100",
    ],
    apply: Apply::Plan(undone),
};

/// Finds COUNT(*) over a LEFT JOIN with a group for each row of its left side. It counts partners then, and 1 where
/// there is none. With groups of another kind, or with a condition above the join, the padded row may be meant as one.
fn counted(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for rel in gold.relations() {
        let Rel::Aggregate { input, keys, calls } = rel else { continue };
        let Rel::OuterJoin { kind: JoinKind::Left, left, right, .. } = &**input else { continue };
        let by: Vec<ColumnId> = keys.iter().filter_map(|(_, e)| super::limits::told_apart(e)).collect();
        // One group for each row of the left side, and what is counted is how many partners it has.
        let of_left = !by.is_empty() && by.iter().all(|c| left.output_set().contains(c));
        let partners = of_left
            && gold.known.is_unique(left, by.iter().copied())
            && !gold.known.is_unique(input, by.iter().copied());
        let right = right.output_set();
        let others = calls.iter().filter(|(_, c)| c.func != AggFunc::Count);
        let reads_right =
            others.flat_map(|(_, c)| c.exprs()).flat_map(Reads::reads).any(|c| right.contains(&c));
        let star =
            calls.iter().find(|(_, c)| c.func == AggFunc::Count && c.args.is_empty() && c.filter.is_none());
        if let (Some((id, _)), true, false) = (star, partners, reads_right) {
            let at = gold.column_place(*id);
            sink.add(at, "a row without a partner is counted as 1, since the LEFT JOIN keeps it")
                .remedy("COUNT a key of the other table");
        }
    }
}

/// Finds a condition above a LEFT JOIN that no padded row meets. It is certain for comparisons of the padded column
/// itself, which are not true of NULL; IS NULL, COALESCE and conditions in ON keep the padding, and are none.
fn undone(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for rel in gold.relations() {
        let Rel::Filter { input, predicate } = rel else { continue };
        let Rel::OuterJoin { kind: JoinKind::Left, left, right, .. } = &**input else { continue };
        let (left, right) = (left.output_set(), right.output_set());
        if let Some(e) = predicate.iter().find(|e| rejects(e, &right, &left)) {
            sink.add(
                gold.place(e),
                "the condition is not true of a row without a partner, so that the LEFT JOIN keeps none",
            )
            .remedy("an inner join, or the condition in ON");
        }
    }
}

/// A comparison of a padded column with a constant or a column of the other side.
fn rejects(e: &Expr, padded: &ColumnSet, other: &ColumnSet) -> bool {
    let plain = |e: &Expr| match e {
        Expr::Literal(_) => true,
        Expr::Column(c) => other.contains(c) || padded.contains(c),
        _ => false,
    };
    match e {
        Expr::Binary { op, left, right } if op.is_comparison() => {
            let of = |e: &Expr| matches!(e, Expr::Column(c) if padded.contains(c));
            (of(left) || of(right)) && plain(left) && plain(right)
        }
        Expr::InList { expr, list } => {
            matches!(&**expr, Expr::Column(c) if padded.contains(c))
                && list.iter().all(|e| matches!(e, Expr::Literal(_)))
        }
        _ => false,
    }
}

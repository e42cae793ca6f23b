//! Computed numbers compared for equality.

use twinql_sql::{AggFunc, BinaryOp, ColumnId, Expr, Rel, TypeClass};

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::Gold;

pub(super) const FLOAT_EQUALITY: Check = Check {
    id: "float-equality",
    severity: Severity::Note,
    summary: "sums of real numbers compared for equality",
    why: "The last digits of a sum or a mean of real numbers depend on the order in which the rows come, so that two that should be equal may not be.",
    source: "https://sqlite.org/floatingpoint.html",
    undetermined: false,
    finds: &[
        "SELECT customer_id FROM orders GROUP BY customer_id HAVING sum(total) = (SELECT max(s) FROM (SELECT sum(total) AS s FROM orders GROUP BY customer_id))",
    ],
    misses: &[
        "SELECT id FROM orders WHERE total = (SELECT max(total) FROM orders)",
        "SELECT city FROM customer GROUP BY city HAVING count(*) = 2",
        "SELECT id FROM orders WHERE customer_id = (SELECT customer_id FROM orders GROUP BY customer_id ORDER BY sum(total) DESC LIMIT 1)",
    ],
    apply: Apply::Plan(equality),
};

/// Finds `=` with a sum or mean of real numbers on a side. Sums of whole numbers and extremes are exact. A note, since
/// most data give both sides in the same order of rows, and then the same digits.
fn equality(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let sums = sums(gold);
    // A subquery is what it puts out, whatever else it sums.
    let summed = |e: &Expr| {
        e.any(|e| match e {
            Expr::Column(c) => sums.contains(c),
            Expr::Scalar(query) => query.output.iter().any(|c| sums.contains(c)),
            _ => false,
        })
    };
    for e in gold.expressions() {
        let Expr::Binary { op: BinaryOp::Eq, left, right } = e else { continue };
        if left != right && (summed(left) || summed(right)) {
            sink.add(
                gold.place(e),
                "the last digits of a sum of real numbers depend on the order of the rows",
            );
        }
    }
}

/// Sums and means of real numbers, and what is computed from them.
fn sums(gold: &Gold<'_>) -> Vec<ColumnId> {
    let mut all: Vec<ColumnId> = Vec::new();
    for rel in gold.relations() {
        if let Rel::Aggregate { calls, .. } = rel {
            let real = |e: &Expr| gold.class(e) == Some(TypeClass::Number);
            let of =
                calls.iter().filter(|(_, c)| matches!(c.func, AggFunc::Sum | AggFunc::Avg | AggFunc::Total));
            all.extend(of.filter(|(_, c)| c.args.iter().any(real)).map(|(c, _)| *c));
        }
    }
    all
}

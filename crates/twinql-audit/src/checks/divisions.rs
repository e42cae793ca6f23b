//! Divisions that cut off what is behind the point.

use twinql_sql::{AggFunc, Assumption, BinaryOp, ColumnId, Expr, Rel, TypeClass, Value};

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::Gold;

pub(super) const INTEGER_DIVISION: Check = Check {
    id: "integer-division",
    severity: Severity::Warning,
    summary: "a ratio of two whole numbers",
    why: "SQLite divides two whole numbers without what is behind the point: a share of 3 in 4 is 0.",
    source: "https://sqlite.org/lang_expr.html#operators; BIRD's golds mostly cast, and some forgot to",
    undetermined: false,
    finds: &[
        "SELECT sum(amount) / count(*) FROM line",
        "SELECT sum(CASE WHEN city = 'Bern' THEN 1 ELSE 0 END) * 100 / count(*) FROM customer",
        "SELECT round(100 * count(city) / count(*), 2) FROM customer",
        "SELECT city, sum(iif(age > 30, 1, 0)) / count(id) FROM customer GROUP BY city",
        "SELECT CAST(count(DISTINCT c.city) / count(c.id) AS REAL) FROM customer AS c",
        "SELECT young * 100 / n FROM (SELECT count(*) AS n, sum(age < 30) AS young FROM customer)",
        "WITH t AS (SELECT city, count(*) * 2 AS n FROM customer GROUP BY city) SELECT n / (SELECT count(*) FROM customer) FROM t",
        "SELECT (SELECT count(*) FROM orders) / (SELECT count(*) FROM customer)",
    ],
    misses: &[
        "SELECT CAST(sum(amount) AS REAL) / count(*) FROM line",
        "SELECT sum(amount) * 100.0 / count(*) FROM line",
        "SELECT sum(total) / count(*) FROM orders",
        "SELECT age / 10 FROM customer",
        "SELECT n / 7 FROM (SELECT count(*) AS n FROM orders GROUP BY customer_id)",
        "SELECT round(avg(age) / count(*), 2) FROM customer",
    ],
    apply: Apply::Plan(ratios),
};

/// Finds ratios of counts and sums in whole numbers, of which SQLite keeps no fraction. The classes of both sides are
/// known, so that it is certain; a factor of 100.0 or a CAST on either side makes a real number of it, and `age / 10`
/// makes decades.
fn ratios(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let aggregates = aggregates(gold);
    for e in gold.expressions() {
        let Expr::Binary { op: BinaryOp::Div, left, right } = e else { continue };
        let whole = |e: &Expr| gold.class(e) == Some(TypeClass::Integer);
        // `age / 10` makes decades: a ratio is of what was counted or summed, by something that is counted too.
        let counted = |e: &Expr| reads(e, &aggregates);
        if !whole(left) || !whole(right) || !counted(left) || matches!(**right, Expr::Literal(_)) {
            continue;
        }
        let at = gold.place(e);
        // Only where the place of the dividend is known, and inside that of the division: else the text would be
        // broken.
        let mended = gold
            .found(left)
            .filter(|l| l.start >= at.start && l.end <= at.end)
            .map(|l| gold.text.with(&l, &format!("CAST({} AS REAL)", gold.text.at(&l))));
        sink.add(at, "both sides are whole numbers, so the division cuts off what is behind the point")
            .remedy("CAST(… AS REAL) / …")
            .mended(mended)
            .assumes(&[Assumption::Typed]);
    }
}

/// The columns that are counts and sums, and those that derived tables make of them.
fn aggregates(gold: &Gold<'_>) -> Vec<ColumnId> {
    let (mut all, relations) = (Vec::new(), gold.relations());
    for rel in &relations {
        if let Rel::Aggregate { calls, .. } = rel {
            let of = calls.iter().filter(|(_, c)| matches!(c.func, AggFunc::Count | AggFunc::Sum));
            all.extend(of.map(|(c, _)| *c));
        }
    }
    // Outer tables come first, and are made of inner ones.
    for rel in relations.iter().rev() {
        if let Rel::Project { exprs, .. } = rel {
            let made: Vec<ColumnId> = exprs.iter().filter(|(_, e)| reads(e, &all)).map(|(c, _)| *c).collect();
            all.extend(made);
        }
    }
    all
}

/// An expression is made of one of these columns, and no difference of years or like constants.
fn reads(e: &Expr, columns: &[ColumnId]) -> bool {
    e.any(|e| match e {
        Expr::Scalar(query) => query.output.iter().any(|c| columns.contains(c)),
        Expr::Column(c) => columns.contains(c),
        _ => false,
    }) && !matches!(e, Expr::Literal(Value::Integer(_)))
}

//! A subquery as a value, of which there may be several.

use twinql_sql::{BinaryOp, Expr, Rel, Value};

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::Gold;
use crate::joined::Joined;

pub(super) const SCALAR_OF_MANY: Check = Check {
    id: "scalar-of-many",
    severity: Severity::Warning,
    summary: "a subquery as a value that may have several rows",
    why: "Of a subquery that stands for one value SQLite takes the first row, which is any of them; other systems refuse it where there are several.",
    source: "https://sqlite.org/lang_expr.html#subq",
    undetermined: true,
    finds: &[
        "SELECT name FROM customer WHERE id = (SELECT customer_id FROM orders WHERE total > 100)",
        "SELECT total FROM orders WHERE customer_id = (SELECT id FROM customer WHERE name = 'Ann')",
    ],
    misses: &[
        "SELECT name FROM customer WHERE age = (SELECT max(age) FROM customer)",
        "SELECT total FROM orders WHERE customer_id = (SELECT id FROM customer WHERE id = 3)",
        "SELECT (SELECT name FROM customer AS c WHERE c.id = o.customer_id) FROM orders AS o",
        "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders)",
    ],
    apply: Apply::Plan(many),
};

/// Finds a subquery as a value that may have several rows. It is certain that it has one where it is an aggregate,
/// looks up a key, or puts out a column that its conditions decide. A name that is looked up is mostly unique, so that
/// is a note; a LIMIT of its own is another check's.
fn many(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let expressions = gold.expressions();
    for e in &expressions {
        let Expr::Scalar(query) = e else { continue };
        let ([output], false) = (query.output.as_slice(), limited(&query.rel)) else { continue };
        if gold.lenient.is_unique(&query.rel, []) || gold.lenient.determined(&query.rel, []).contains(output)
        {
            continue;
        }
        let equal = |x: &&Expr| {
            matches!(x, Expr::Binary { op: BinaryOp::Eq, left, right }
                if std::ptr::eq(*e, &**left) || std::ptr::eq(*e, &**right))
        };
        let remedy = match expressions.iter().any(equal) {
            true => "IN instead of = takes all of them",
            false => "say which row is meant, or aggregate",
        };
        let name = looked_up(gold, &query.rel);
        let reason = match &name {
            Some(name) => {
                format!("the subquery stands for one value, and nothing says that {name} is unique")
            }
            None => {
                "the subquery stands for one value, and may have several rows: any of them counts".to_owned()
            }
        };
        let said = sink.add(gold.place(e), reason).remedy(remedy);
        // What has a name is most often the only thing of that name, and the column of a key that is left out may have
        // one value only, as the language of a pair of words.
        if name.is_some() || all_but_one(gold, &query.rel) {
            said.only(Severity::Note);
        }
    }
}

/// Whether the rows are those of one table that agree in all columns of its key but one.
fn all_but_one(gold: &Gold<'_>, rel: &Rel) -> bool {
    let mut below = rel;
    while let Rel::Project { input, .. } = below {
        below = input;
    }
    let joined = Joined::of(below);
    joined.sources.len() == 1 && !joined.all_but_one(gold).is_empty()
}

/// A text column by a value of which the rows of a subquery are looked up.
fn looked_up(gold: &Gold<'_>, rel: &Rel) -> Option<String> {
    let own = rel.exprs().into_iter().find_map(|e| match e {
        Expr::Binary { op: BinaryOp::Eq | BinaryOp::Like, left, right } => match (&**left, &**right) {
            (Expr::Column(c), Expr::Literal(Value::Text(_)))
            | (Expr::Literal(Value::Text(_)), Expr::Column(c)) => Some(gold.name(*c)),
            _ => None,
        },
        _ => None,
    });
    own.or_else(|| rel.inputs().into_iter().find_map(|input| looked_up(gold, input)))
}

/// It has a LIMIT of its own, which another check looks at.
fn limited(rel: &Rel) -> bool {
    match rel {
        Rel::Sort { limit: Some(_), .. } => true,
        Rel::Project { input, .. } | Rel::Sort { input, .. } => limited(input),
        _ => false,
    }
}

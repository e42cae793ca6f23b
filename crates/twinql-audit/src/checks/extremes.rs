//! Extremes that are put out where the question asks whose they are.

use twinql_sql::{AggFunc, ColumnId, Expr, Query, Rel};

use crate::asked::{akin, words};
use crate::check::{Apply, Check, Sink};
use crate::checks::evidence::is_key;
use crate::finding::Severity;
use crate::gold::Gold;

pub(super) const EXTREME_FOR_WHICH: Check = Check {
    id: "extreme-for-which",
    severity: Severity::Warning,
    summary: "the extreme value alone, where the question asks who or which has it",
    why: "The greatest value is not the thing that has it: who is asked for has a name or a key.",
    source: "annotation errors of BIRD that third parties list",
    undetermined: false,
    finds: &[
        "SELECT max(age) FROM customer\tWhich customer is the oldest?",
        "SELECT max(age) FROM customer WHERE score > 3\tOf those with a score above 3, which customer is the oldest?",
        "SELECT min(score) FROM customer WHERE city = 'Bern'\tWho has the lowest score in Bern?",
        "SELECT total FROM orders ORDER BY total DESC LIMIT 1\tWhich order has the greatest total?",
    ],
    misses: &[
        "SELECT max(age) FROM customer\tHow old is the oldest customer?",
        "SELECT name FROM customer ORDER BY age DESC LIMIT 1\tWhich customer is the oldest?",
        "SELECT max(day) FROM orders\tWhich day had the last order?",
        "SELECT max(total) FROM orders\tWhich is the greatest total of an order?",
        "SELECT max(name) FROM customer\tWhich customer comes last by name?",
        "SELECT max(id) FROM customer\tWhich customer came last?",
        "SELECT max(age), name FROM customer\tWho is the oldest customer?",
        "SELECT max(score) FROM customer\tWho is best, and what is the score?",
    ],
    apply: Apply::Question(value_alone),
};

/// Finds an extreme as the only output of a query whose question begins with `who`, or has a clause that begins with
/// `which` and a thing that a table is named after. It is certain that nothing else is put out. Silent for keys and
/// names, and where the question asks for two things and names the column: then the value may be one of them.
fn value_alone(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let Some(column) = extreme(&gold.plan.query) else { return };
    let Some(origin) = gold.info(column).and_then(|info| info.origin) else { return };
    let name = gold.schema.column(origin).map(|c| words(&c.name)).unwrap_or_default();
    let question = words(gold.asked.question);
    let table =
        |word: &String| gold.schema.tables.iter().any(|t| words(&t.name).iter().any(|part| akin(part, word)));
    let thing = |word: &String| table(word) && !name.iter().any(|part| akin(part, word));
    let mut clauses = gold.asked.question.split([',', '.', '?', ';']).map(words);
    let whose = question.first().is_some_and(|first| first == "who")
        || clauses
            .any(|clause| matches!(clause.as_slice(), [which, word, ..] if which == "which" && thing(word)));
    let asked = question.iter().skip(2).any(|word| name.iter().any(|part| akin(part, word)));
    let both = question.iter().any(|word| word == "and");
    let named = is_key(gold, origin) || name.iter().any(|part| part.contains("name"));
    if whose && !named && !(asked && both) {
        let shown = name.join(" ");
        sink.add(
            gold.column_place(column),
            format!("the question asks whose it is, and only the {shown} is put out"),
        )
        .remedy("put out what has the value: its name or key");
    }
}

/// The only output, where it is an extreme of all rows: MIN or MAX, or the value that rows are sorted by, of the first.
fn extreme(query: &Query) -> Option<ColumnId> {
    let [output] = query.output[..] else { return None };
    let mut column = output;
    let mut rel = &query.rel;
    while let Rel::Project { input, exprs } = rel {
        if let Some((_, e)) = exprs.iter().find(|(c, _)| *c == column) {
            let Expr::Column(inner) = e else { return None };
            column = *inner;
        }
        rel = input;
    }
    match rel {
        Rel::Aggregate { keys, calls, .. } if keys.is_empty() => {
            let (_, call) = calls.iter().find(|(c, _)| *c == column)?;
            matches!((&call.func, call.args.as_slice()), (AggFunc::Min | AggFunc::Max, [Expr::Column(_)]))
                .then_some(column)
        }
        Rel::Sort { keys, limit: Some(_), .. } => {
            let [key] = keys.as_slice() else { return None };
            (key.expr == Expr::Column(column)).then_some(column)
        }
        _ => None,
    }
}

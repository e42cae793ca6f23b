//! What depends on the order of rows that tie: numbers of rows, and texts put together.

use twinql_sql::columns::Reads;
use twinql_sql::{AggFunc, Rel};

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::Gold;

pub(super) const WINDOW_TIES: Check = Check {
    id: "window-ties",
    severity: Severity::Warning,
    summary: "a window function that numbers rows which tie",
    why: "Rows with the same sort keys in one partition are numbered in any order, so ROW_NUMBER, LAG and their like are not determined.",
    source: "https://sqlite.org/windowfunctions.html#builtins",
    undetermined: true,
    finds: &["SELECT name, row_number() OVER (ORDER BY age) FROM customer"],
    misses: &[
        "SELECT name, row_number() OVER (ORDER BY age, id) FROM customer",
        "SELECT name, rank() OVER (ORDER BY age) FROM customer",
        "SELECT age, row_number() OVER (ORDER BY age) FROM customer",
    ],
    apply: Apply::Plan(ties),
};

pub(super) const CONCATENATION_ORDER: Check = Check {
    id: "concatenation-order",
    severity: Severity::Warning,
    summary: "GROUP_CONCAT without an order",
    why: "The order of the values inside GROUP_CONCAT is arbitrary where the call does not say it.",
    source: "https://sqlite.org/lang_aggfunc.html#group_concat",
    undetermined: true,
    finds: &["SELECT city, group_concat(name) FROM customer GROUP BY city"],
    misses: &["SELECT id, group_concat(name) FROM customer GROUP BY id"],
    apply: Apply::Plan(concatenation),
};

/// Functions whose value depends on which of two rows that tie stands first.
const BY_POSITION: [&str; 7] =
    ["row_number", "ntile", "lag", "lead", "first_value", "last_value", "nth_value"];

/// Finds functions of a row's position where rows of one partition may tie and differ in what is read. RANK and its
/// like give all of a tie the same, and a key in the order leaves no ties.
fn ties(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for rel in gold.relations() {
        let Rel::Window { input, calls } = rel else { continue };
        for (id, call) in calls.iter().filter(|(_, call)| BY_POSITION.contains(&call.func.as_str())) {
            let keys = call.partition_by.iter().chain(call.order_by.iter().map(|k| &k.expr));
            let by: Vec<_> = keys.filter_map(super::limits::told_apart).collect();
            if gold.lenient.is_unique(input, by.iter().copied()) {
                continue;
            }
            // Rows that tie and are the same in all that is read of them are numbered in one way only.
            let mut read = gold.read_outside(rel);
            read.extend(call.args.iter().flat_map(Reads::reads));
            let determined = gold.lenient.determined(input, by);
            if input.outputs().into_iter().filter(|c| read.contains(c)).all(|c| determined.contains(&c)) {
                continue;
            }
            let at = gold.column_place(*id);
            let reason = format!(
                "rows may tie in the order of {}, which then takes them as they come",
                call.func.to_uppercase()
            );
            sink.add(at, reason).remedy("order by a key as well, or use RANK");
        }
    }
}

/// Finds GROUP_CONCAT without an order of its own over groups of several rows. The plan does not keep the call's ORDER
/// BY, so the text is looked at.
fn concatenation(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for rel in gold.relations() {
        let Rel::Aggregate { input, keys, calls } = rel else { continue };
        for (id, call) in calls.iter().filter(|(_, call)| call.func == AggFunc::GroupConcat) {
            let by: Vec<_> = keys.iter().filter_map(|(_, e)| super::limits::told_apart(e)).collect();
            let at = gold.column_place(*id);
            let ordered = gold.text.at(&at).to_ascii_uppercase().contains("ORDER BY");
            if ordered || call.args.is_empty() || gold.lenient.is_unique(input, by) {
                continue;
            }
            sink.add(at, "the values are put together in any order")
                .remedy("say the order inside the call: GROUP_CONCAT(x ORDER BY x)");
        }
    }
}

//! Two golds of one question.

use crate::check::{Apply, Check};
use crate::finding::Severity;

/// Found by the judge, which runs both over generated databases; a note where they differ on unlikely data alone.
pub(crate) const GOLDS_DIFFER: Check = Check {
    id: "golds-differ",
    severity: Severity::Warning,
    summary: "two golds of one question that differ",
    why: "Golds in two dialects answer one question: where a database tells them apart, one of them is wrong.",
    source: "BIRD Mini-Dev, whose golds in three dialects were translated by hand",
    undetermined: false,
    finds: &["SELECT name FROM customer WHERE age > 30\t\t\tSELECT name FROM customer WHERE age >= 30"],
    misses: &[
        "SELECT name FROM customer WHERE age > 30\t\t\tSELECT c.name FROM customer AS c WHERE NOT c.age <= 30",
        "SELECT name FROM customer WHERE age > 30",
    ],
    apply: Apply::Execution,
};

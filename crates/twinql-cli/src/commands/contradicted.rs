//! What is said of pairs whose proof a database refutes: all that somebody needs who looks for the fault.

use twinql::contradictions::REPORT;
use twinql::{Job, Record, Status, Work};

use crate::output::Console;

/// Pairs that are shown in full; the others are counted in the summary.
const MOST_SHOWN: usize = 3;

/// Tells of contradicted pairs as they come.
#[derive(Debug, Default)]
pub(super) struct Contradicted {
    told: usize,
}

impl Contradicted {
    /// Shows a pair that is contradicted, with its schema and both queries.
    pub(super) fn tell(&mut self, job: &Job, record: &Record, console: Console) {
        let (Status::Contradicted, Work::Pair { schema, gold, pred }) = (record.status, &job.work) else {
            return;
        };
        self.told += 1;
        if self.told <= MOST_SHOWN {
            let error = record.error.as_deref().unwrap_or_default();
            let ddl = schema.to_ddl();
            console.warn(format!(
                "pair {} is contradicted: {error}\n-- schema\n{ddl}\n-- gold\n{gold};\n-- prediction\n{pred};",
                record.id
            ));
        } else if self.told == MOST_SHOWN + 1 {
            console.warn(format!("more pairs are contradicted: their records say so; {REPORT}"));
        }
    }
}

//! SQLite's word on a row: which CHECKs it fails, and what its generated columns hold.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rusqlite::{Connection, Statement};
use twinql_sql::{Table, Value};

use crate::clock::Flag;
use crate::confine::{Guard, configure, in_memory};
use crate::database::{Bound, Row, affinity_type, owned, quoted};
use crate::limits::Limits;

/// A table with one row, on which conditions are evaluated.
pub(super) struct Probe {
    connection: Connection,
    guard: Arc<Guard>,
    update: String,
    /// Columns that are written.
    plain: Vec<usize>,
    /// Columns that are computed.
    generated: Vec<usize>,
    checks: usize,
}

impl std::fmt::Debug for Probe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Probe").field("update", &self.update).finish_non_exhaustive()
    }
}

/// What a probe found.
pub(super) struct Found {
    /// Numbers of the CHECKs that are false.
    pub(super) failing: Vec<usize>,
    /// Values of generated columns.
    pub(super) computed: Vec<(usize, Value)>,
}

impl Probe {
    /// A table of one row in a database of its own, whose CHECKs and generated columns SQLite computes.
    ///
    /// # Errors
    /// What SQLite says of an expression that it does not know.
    pub(super) fn new(table: &Table, checks: bool) -> Result<Probe, String> {
        let said = |e: rusqlite::Error| e.to_string();
        let mut connection = in_memory().map_err(said)?;
        let guard = Arc::new(Guard::default());
        configure(&mut connection, &guard, &Arc::new(Flag::default()), Limits::default(), false)
            .map_err(said)?;
        let mut columns = Vec::with_capacity(table.columns.len());
        let (mut plain, mut generated) = (Vec::new(), Vec::new());
        for (i, column) in table.columns.iter().enumerate() {
            let name = format!("{} {}", quoted(&column.name), affinity_type(column.affinity));
            match &column.generated {
                Some(expr) => {
                    generated.push(i);
                    columns.push(format!("{name} AS ({expr}) STORED"));
                }
                None => {
                    plain.push(i);
                    columns.push(name);
                }
            }
        }
        let names = |of: &[usize]| -> Vec<String> {
            let columns = of.iter().filter_map(|&c| table.columns.get(c));
            columns.map(|c| quoted(&c.name)).collect()
        };
        let mut outputs: Vec<String> = Vec::new();
        if checks {
            let enforced = table.checks.iter().filter(|c| c.enforced);
            // A CHECK holds where it is NULL (https://sqlite.org/lang_createtable.html#check_constraints).
            outputs.extend(enforced.map(|c| format!("({}) IS FALSE", c.expr)));
        }
        let checks = outputs.len();
        outputs.extend(names(&generated));
        let mut update = String::from("UPDATE twinql_probe SET ");
        for (i, name) in names(&plain).iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            let _ = write!(update, "{comma}{name} = ?{}", i + 1);
        }
        // One statement writes the row, has SQLite compute what is generated, and asks.
        let _ = write!(update, " RETURNING {}", outputs.join(", "));
        connection
            .execute_batch(&format!(
                "PRAGMA journal_mode=OFF; CREATE TABLE twinql_probe ({}); INSERT INTO twinql_probe DEFAULT VALUES;",
                columns.join(", ")
            ))
            .map_err(said)?;
        connection.prepare(&update).map_err(said)?;
        Ok(Probe { connection, guard, update, plain, generated, checks })
    }

    /// Compiles the statement that asks. `None` where SQLite does not take it, which
    /// [`Probe::new`] has found out.
    pub(super) fn ask(&self) -> Option<Asking<'_>> {
        let statement = self.connection.prepare(&self.update).ok()?;
        Some(Asking { probe: self, statement })
    }
}

/// A probe ready to look at many rows.
pub(super) struct Asking<'a> {
    probe: &'a Probe,
    statement: Statement<'a>,
}

impl Asking<'_> {
    /// `None` where SQLite cannot evaluate the conditions on this row.
    pub(super) fn look(&mut self, row: &Row) -> Option<Found> {
        let probe = self.probe;
        probe.guard.steps.store(0, Ordering::Relaxed);
        for (i, &column) in probe.plain.iter().enumerate() {
            let value = row.get(column).unwrap_or(&Value::Null);
            self.statement.raw_bind_parameter(i + 1, Bound(value)).ok()?;
        }
        let mut rows = self.statement.raw_query();
        let found = {
            let row = rows.next().ok()??;
            let value = |i: usize| row.get_ref(i).map(owned).unwrap_or(Value::Null);
            Found {
                failing: (0..probe.checks).filter(|&i| value(i) == Value::Integer(1)).collect(),
                computed: probe
                    .generated
                    .iter()
                    .enumerate()
                    .map(|(i, &column)| (column, value(probe.checks + i)))
                    .collect(),
            }
        };
        Some(found)
    }
}

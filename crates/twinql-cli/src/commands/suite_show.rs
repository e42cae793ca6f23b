//! `twinql suite show`: what a suite holds.
//!
//! By default the counts of each schema; with `--database` one of its databases as SQL; with `--left` the
//! neighbours that no database of the suite tells from their gold, which is where it may be blind.

use anyhow::{Result, bail};
use serde_json::json;
use twinql::sql::Dialect;

use twinql::signature::{Signature, suite_hash};

use super::print;
use super::suite::read;
use crate::args::suite::SuiteShow;
use crate::output::{Sink, table};

/// Shows what was asked for of the schemas that were chosen.
pub(crate) fn show(typed: &SuiteShow) -> Result<bool> {
    let (suite, bytes) = read(&typed.suite)?;
    let mut out = Sink::new(None)?;
    // All schemas, or the one that --db-id names.
    let chosen: Vec<_> = suite
        .schemas
        .iter()
        .filter(|s| typed.db_id.as_ref().is_none_or(|id| *id == s.schema.db_id))
        .collect();
    if let (Some(id), true) = (&typed.db_id, chosen.is_empty()) {
        let names: Vec<&str> = suite.schemas.iter().map(|s| s.schema.db_id.as_str()).collect();
        bail!("{} has no schema {id:?}; it has {}", typed.suite.display(), names.join(", "));
    }
    if let (Some(number), Some(schema)) = (typed.database, chosen.first()) {
        let Some(database) = schema.databases.get(number) else {
            bail!("{} has {} databases, numbered from 0", schema.schema.db_id, schema.databases.len());
        };
        out.write(&database.to_sql(&schema.schema))?;
        out.finish()?;
        return Ok(true);
    }
    if typed.left {
        for schema in &chosen {
            for gold in &schema.golds {
                for left in &gold.left {
                    let line = json!({
                        "db_id": schema.schema.db_id, "mutation": left.mutation,
                        "gold": gold.sql, "neighbour": left.sql,
                    });
                    out.line(&line.to_string())?;
                }
            }
        }
        out.finish()?;
        return Ok(true);
    }
    let signature =
        Signature::of_distilled("suite", &suite, &suite_hash(&bytes), Dialect::Sqlite).to_string();
    let text = || {
        let head = "schema golds neighbours proved distinguished left share databases rows";
        let mut lines = vec![head.split(' ').map(String::from).collect::<Vec<_>>()];
        let total = suite.counts();
        // The last row sums all schemas, unless one was chosen.
        let counts = chosen.iter().map(|s| (s.schema.db_id.as_str(), s.counts()));
        let all = typed.db_id.is_none().then_some(("all", total));
        for (name, c) in counts.chain(all) {
            let mut line = vec![name.to_owned()];
            line.extend([c.golds, c.neighbours, c.proved, c.distinguished, c.left].map(|n| n.to_string()));
            line.push(format!("{:.2}", 100.0 * c.share()));
            line.extend([c.databases, c.rows].map(|n| n.to_string()));
            lines.push(line);
        }
        format!("{}\n{} bytes\n{signature}\n", table(&lines), bytes.len())
    };
    let document = || {
        let schemas: Vec<_> =
            chosen.iter().map(|s| json!({"db_id": s.schema.db_id, "counts": s.counts()})).collect();
        json!({
            "format": 1, "signature": signature, "bytes": bytes.len(),
            "config": suite.config, "counts": suite.counts(), "schemas": schemas,
        })
    };
    print(typed.format.format, text, document)?;
    Ok(true)
}

//! The list of checks in `docs/audit.md` is the registry, written out. After a change of a check run
//! `TWINQL_WRITE_DOCS=1 cargo test -p twinql-audit --test it document::`.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Write;

use twinql_audit::CHECKS;
use twinql_audit::checks::SHOP;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/audit.md");
const BEGIN: &str = "<!-- checks: written from the registry: TWINQL_WRITE_DOCS=1 cargo test -p twinql-audit --test it document:: -->\n";
const END: &str = "<!-- end of checks -->\n";

fn checks() -> String {
    let mut out = String::from("\nThe examples are over this schema:\n\n```sql\n");
    out.push_str(SHOP);
    out.push_str("```\n\n| check | severity | finds |\n|---|---|---|\n");
    for check in CHECKS {
        let _ = writeln!(out, "| [{0}](#{0}) | {1} | {2} |", check.id, check.severity, check.summary);
    }
    for check in CHECKS {
        let _ = writeln!(out, "\n### {}\n\n{}: {}. {}", check.id, check.severity, check.summary, check.why);
        let _ = writeln!(out, "\nSource: {}.\n\n```sql\n-- found", check.source);
        check.finds.iter().for_each(|sql| writeln!(out, "{sql};").unwrap());
        out.push_str("-- not found\n");
        check.misses.iter().for_each(|sql| writeln!(out, "{sql};").unwrap());
        out.push_str("```\n");
    }
    out.push('\n');
    out
}

#[test]
fn the_document_is_the_registry() {
    let found = std::fs::read_to_string(PATH).unwrap();
    let (head, rest) = found.split_once(BEGIN).expect("the mark where the checks begin");
    let (_, tail) = rest.split_once(END).expect("the mark where the checks end");
    let wanted = format!("{head}{BEGIN}{}{END}{tail}", checks());
    if std::env::var_os("TWINQL_WRITE_DOCS").is_some() {
        std::fs::write(PATH, &wanted).unwrap();
    } else {
        assert!(
            found == wanted,
            "docs/audit.md is not what the registry says: write it anew with TWINQL_WRITE_DOCS=1"
        );
    }
}

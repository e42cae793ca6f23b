//! docs/esm.md lists the rules of ESM+ as the code has them.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::Path;

use twinql_metrics::ESM_RULES;

const START: &str = "<!-- rules -->\n";
const END: &str = "<!-- end of rules -->\n";

fn table() -> String {
    let mut rules: Vec<_> = ESM_RULES.iter().collect();
    rules.sort_by_key(|r| r.number);
    let mut out = String::from("| rule | name | these match | assumed |\n|---|---|---|---|\n");
    for r in rules {
        writeln!(out, "| {} | {} | `{}` <br> `{}` | {} |", r.number, r.name, r.before, r.after, r.assumes)
            .unwrap();
    }
    out
}

#[test]
fn the_page_lists_the_rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/esm.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = page.split_once(START).unwrap();
    let (listed, tail) = rest.split_once(END).unwrap();
    if std::env::var_os("TWINQL_WRITE_DOCS").is_some() {
        std::fs::write(&path, format!("{head}{START}{}{END}{tail}", table())).unwrap();
    } else {
        assert_eq!(listed, table(), "docs/esm.md is old: run with TWINQL_WRITE_DOCS=1");
    }
}

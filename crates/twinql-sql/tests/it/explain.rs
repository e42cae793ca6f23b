//! Outlines: stable ids, and places in the text.

use twinql_sql::explain::{Node, annotated, outline, outlines_to_dot};
use twinql_sql::{Schema, Semantics, normalize_with_spans, parse, plan, plan_with_spans};

const DDL: &str = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
    CREATE TABLE song (id INTEGER PRIMARY KEY, singer_id INTEGER NOT NULL REFERENCES singer(id), year INTEGER);";

/// The outlines as written and canonical.
fn outlines(sql: &str) -> (Vec<Node>, Vec<Node>) {
    let schema = Schema::from_ddl("d", DDL).unwrap();
    let parsed = parse(sql).unwrap();
    let (written, spans) = plan_with_spans(&schema, &parsed).unwrap();
    assert_eq!(written, plan(&schema, &parsed).unwrap());
    let first = outline(&schema, &written, Some(&spans), 'w');
    let (canonical, spans) = normalize_with_spans(&schema, written, &spans, &Semantics::default());
    (first, outline(&schema, &canonical.plan, Some(&spans), 'c'))
}

/// The text at a node's places. The parser leaves the last parenthesis out of an IN list.
fn quoted(sql: &str, node: &Node) -> Vec<String> {
    let lines: Vec<&str> = sql.split('\n').collect();
    let at = |line: u64, column: u64| {
        let before: usize = lines[..line as usize - 1].iter().map(|l| l.chars().count() + 1).sum();
        before + column as usize - 1
    };
    let all: Vec<char> = sql.chars().collect();
    node.spans
        .iter()
        .map(|r| all[at(r.line, r.column)..at(r.end_line, r.end_column)].iter().collect())
        .collect()
}

const SQL: &str = "SELECT s.name, COUNT(*)\nFROM singer AS s JOIN song AS é ON é.singer_id = s.id\nWHERE s.age > 30 AND é.year IN (2014, 2013)\nGROUP BY s.name ORDER BY COUNT(*) DESC LIMIT 3";

#[test]
fn places_of_the_written_plan() {
    let (written, _) = outlines(SQL);
    let of = |start: &str| {
        let node = written.iter().find(|n| n.text.starts_with(start)).unwrap();
        quoted(SQL, node)
    };
    assert_eq!(of("Scan singer"), ["singer"]);
    assert_eq!(of("Filter"), ["s.age > 30", "é.year IN (2014, 2013"]);
    assert_eq!(of("Join"), ["é.singer_id = s.id"]);
    assert!(of("Sort")[0].starts_with("COUNT"));
    assert_eq!(of("Aggregate").last().map(String::as_str), Some("s.name"));
}

#[test]
fn places_survive_normalisation() {
    let (_, canonical) = outlines(SQL);
    let of = |start: &str| {
        let node = canonical.iter().find(|n| n.text.starts_with(start));
        quoted(SQL, node.unwrap_or_else(|| panic!("{}", annotated(&canonical))))
    };
    assert_eq!(of("Scan singer"), ["singer"]);
    let join = of("Join");
    for part in ["s.age > 30", "é.year IN (2014, 2013", "é.singer_id = s.id"] {
        assert!(join.iter().any(|p| p == part), "{part}: {join:?}");
    }
}

#[test]
fn ids_are_stable_and_one_for_text_and_graph() {
    assert_eq!(outlines(SQL), outlines(SQL));
    let (written, canonical) = outlines(SQL);
    assert_eq!((written[0].id.as_str(), canonical[0].id.as_str()), ("w0", "c0"));
    assert_eq!(written[0].parent, None);
    assert_eq!(written[1].parent.as_deref(), Some("w0"));
    let dot = outlines_to_dot(&[("as written", &written), ("canonical", &canonical)]);
    let text = annotated(&written) + &annotated(&canonical);
    for node in written.iter().chain(&canonical) {
        assert!(dot.contains(&format!("    {} [label=", node.id)), "{dot}");
        assert!(text.lines().any(|l| l.split(' ').next() == Some(&node.id)), "{text}");
    }
}

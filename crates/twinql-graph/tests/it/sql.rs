//! Graphs of SQL text: one snapshot a query, of plans as they are planned, so that a new
//! normalisation rule changes none of them.

use std::fmt::Write;

use twinql_graph::{Made, QueryGraph, RelPmConfig, relpm};
use twinql_sql::{Schema, Semantics, normalize, parse, plan};

const DDL: &str = "
    CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, city TEXT);
    CREATE TABLE pet (id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL REFERENCES owner(id),
                      kind TEXT, weight REAL);";

fn pets() -> Schema {
    Schema::from_ddl("pets", DDL).unwrap()
}

fn graph(sql: &str, normalized: bool) -> QueryGraph {
    let schema = pets();
    let semantics = Semantics::preset("no-fk").unwrap();
    let mut plan = plan(&schema, &parse(sql).unwrap()).unwrap();
    if normalized {
        plan = normalize(&schema, plan, &semantics).plan;
    }
    QueryGraph::lower(&schema, &plan, &semantics).unwrap()
}

fn show(sql: &str) -> String {
    fn walk(graph: &QueryGraph, children: &[Vec<usize>], node: usize, depth: usize, out: &mut String) {
        let n = graph.node(node).unwrap();
        let content = n.content.as_ref().map_or(String::new(), |c| format!(" {c:?}"));
        let _ = writeln!(out, "{:indent$}{}{content}", "", n.word.name(), indent = 2 * depth);
        for child in &children[node] {
            walk(graph, children, *child, depth + 1, out);
        }
    }
    let graph = graph(sql, false);
    let mut out = String::new();
    walk(&graph, &graph.children(), 0, 0, &mut out);
    out
}

macro_rules! shows {
    ($($name:ident: $sql:literal;)*) => {
        $(#[test] fn $name() { insta::assert_snapshot!(show($sql)); })*
    };
}

shows! {
    except_keeps_its_sides: "SELECT name FROM owner WHERE age > 3 EXCEPT SELECT kind FROM pet";
    left_join_nests_the_optional_side:
        "SELECT o.name FROM owner o LEFT JOIN pet p ON p.owner_id = o.id AND p.weight > 2.5 WHERE o.age < 9";
    case_and_functions:
        "SELECT CASE WHEN age < 18 THEN 'young' ELSE lower(city) END, substr(name, 2, 3), soundex(name) FROM owner";
    window_and_frame:
        "SELECT name, row_number() OVER (PARTITION BY city ORDER BY age DESC, name) FROM owner";
    division_by_a_scalar_query: "SELECT weight / (SELECT max(weight) FROM pet) FROM pet";
    grouped_derived_table:
        "SELECT o.name, x.n FROM owner o JOIN (SELECT owner_id, count(*) AS n FROM pet GROUP BY owner_id) x \
         ON x.owner_id = o.id WHERE x.n BETWEEN 2 AND 5";
}

/// Queries that differ in one place only have different trees.
#[test]
fn small_differences_show() {
    let table = [
        ("SELECT age - id FROM owner", "SELECT id - age FROM owner"),
        ("SELECT 1 - id FROM owner", "SELECT id - 1 FROM owner"),
        ("SELECT id FROM owner WHERE age < id", "SELECT id FROM owner WHERE age > id"),
        ("SELECT id FROM owner WHERE age < 3", "SELECT id FROM owner WHERE age <= 3"),
        ("SELECT id FROM owner WHERE city = 'x'", "SELECT id FROM owner WHERE city = 'X'"),
        ("SELECT id FROM owner WHERE city LIKE name", "SELECT id FROM owner WHERE name LIKE city"),
        ("SELECT id FROM owner ORDER BY age, city", "SELECT id FROM owner ORDER BY city, age"),
        ("SELECT id FROM owner ORDER BY age", "SELECT id FROM owner ORDER BY age DESC"),
        ("SELECT id FROM owner LIMIT 1", "SELECT id FROM owner LIMIT 2"),
        ("SELECT count(age) FROM owner", "SELECT count(DISTINCT age) FROM owner"),
        ("SELECT max(age) FROM owner", "SELECT min(age) FROM owner"),
        ("SELECT name FROM owner", "SELECT DISTINCT name FROM owner"),
        ("SELECT name FROM owner", "SELECT name, city FROM owner"),
        (
            "SELECT name FROM owner UNION SELECT kind FROM pet",
            "SELECT name FROM owner UNION ALL SELECT kind FROM pet",
        ),
        (
            "SELECT name FROM owner EXCEPT SELECT kind FROM pet",
            "SELECT kind FROM pet EXCEPT SELECT name FROM owner",
        ),
        ("SELECT soundex(name) FROM owner", "SELECT unicode(name) FROM owner"),
        (
            "SELECT a.name FROM owner a JOIN owner b ON a.city = b.city AND a.age < b.age",
            "SELECT b.name FROM owner a JOIN owner b ON a.city = b.city AND a.age < b.age",
        ),
    ];
    for (a, b) in table {
        let (ga, gb) = (graph(a, true), graph(b, true));
        let score = relpm(&ga, &gb, &RelPmConfig::default());
        assert!(score < 1.0 - 1e-9, "{a} | {b}");
        assert!(ga.fingerprint() != gb.fingerprint(), "{a} | {b}");
    }
}

/// The same query under two semantics: facts that hold, and what is compared, differ.
#[test]
fn semantics_reach_the_graph() {
    let schema = pets();
    let sql = "SELECT o.name, p.kind FROM owner o JOIN pet p ON p.owner_id = o.id";
    let plan = plan(&schema, &parse(sql).unwrap()).unwrap();
    let marks = |preset: &str| {
        let semantics = Semantics::preset(preset).unwrap();
        let graph = QueryGraph::lower(&schema, &plan, &semantics).unwrap();
        let tags = graph.graph().node_weights().map(|n| n.tag.name());
        let mut tags: Vec<&str> = tags.filter(|t| *t != "none").collect();
        tags.sort_unstable();
        (tags.join(" "), graph.edge_count())
    };
    let (plain, edges) = marks("no-fk");
    assert_eq!(
        plain,
        "foreign_key integer:foreign:not_null integer:primary:not_null text:plain:not_null text:plain:not_null"
    );
    let (default, _) = marks("default");
    assert_eq!(
        default,
        "foreign_key_holds foreign_keys_hold integer:primary:not_null integer:referring:not_null \
         text:plain:not_null text:plain:not_null"
    );
    let (strict, more) = marks("strict");
    assert_eq!(
        strict,
        "columns_as_given empty_tables foreign_key integer:foreign:not_null integer:plain:not_null keys_open nulls \
         text:plain:not_null text:plain:null"
    );
    // Four assumptions, and the edge from the first output column to the second.
    assert_eq!(more, edges + 5);
}

#[test]
fn nodes_know_what_they_were_made_from() {
    let schema = pets();
    let sql = "SELECT name FROM owner WHERE age > 3";
    let plan = plan(&schema, &parse(sql).unwrap()).unwrap();
    let semantics = Semantics::default();
    let (graph, made) = QueryGraph::lower_traced(&schema, &plan, &semantics).unwrap();
    let plain = QueryGraph::lower(&schema, &plan, &semantics).unwrap();
    assert_eq!(graph.fingerprint(), plain.fingerprint());
    assert_eq!((made.len(), plain.node_count()), (graph.node_count(), graph.node_count()));
    for (node, made) in graph.graph().node_weights().zip(&made) {
        let expected = match node.word.name() {
            "gt" | "number" => matches!(made, Some(Made::Expr(_))),
            "column" => matches!(made, Some(Made::Use(_))),
            "table" => matches!(made, Some(Made::Producer(_))),
            _ => made.is_none(),
        };
        assert!(expected, "{node:?} {made:?}");
    }
}

/// CASE nested 50 deep, in THEN and in ELSE, has a graph before the rules and after them.
#[test]
fn case_nested_fifty_deep_has_a_graph() {
    for open in ["CASE WHEN age > 1 THEN ", "CASE WHEN age > 1 THEN 0 ELSE ", "CASE age WHEN 1 THEN "] {
        let sql = format!("SELECT {}age{} FROM owner", open.repeat(50), " END".repeat(50));
        for normalized in [false, true] {
            let graph = graph(&sql, normalized);
            assert!(graph.node_count() > 2, "{open}");
            let same = relpm(&graph, &graph, &RelPmConfig::default());
            assert!((same - 1.0).abs() < 1e-9, "{open}: {same}");
        }
    }
}

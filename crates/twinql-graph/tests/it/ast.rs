//! Graphs of syntax trees.

use std::fmt::Write;

use twinql_graph::{EncodingConfig, GraphError, PairArrays, QueryGraph};
use twinql_sql::parse;

fn graph(sql: &str) -> QueryGraph {
    QueryGraph::of_ast(&parse(sql).unwrap().query).unwrap()
}

/// Words and contents on one line, children in parentheses.
fn show(sql: &str) -> String {
    fn walk(graph: &QueryGraph, children: &[Vec<usize>], node: usize, out: &mut String) {
        let n = graph.node(node).unwrap();
        match &n.content {
            Some(content) => write!(out, "{}:{content}", n.word.name()).unwrap(),
            None => out.push_str(n.word.name()),
        }
        if !children[node].is_empty() {
            out.push('(');
            for (i, child) in children[node].iter().enumerate() {
                if i > 0 {
                    out.push(' ');
                }
                walk(graph, children, *child, out);
            }
            out.push(')');
        }
    }
    let graph = graph(sql);
    let mut out = String::new();
    walk(&graph, &graph.children(), 0, &mut out);
    out
}

#[test]
fn trees() {
    for (sql, tree) in [
        (
            "SELECT T1.Name AS n, count(*) FROM Owner AS T1 JOIN pet T2 ON T1.id = T2.owner_id WHERE T1.age >= 3",
            "rels(select(name:n(column:t1.name) count(column:*)) \
             function:from(table:owner(name:t1) \
             join(table:pet(name:t2) function:on(eq(column:t1.id column:t2.owner_id)))) \
             filter(gt_eq(column:t1.age second(number:3))))",
        ),
        (
            "SELECT DISTINCT kind FROM pet WHERE a = 'X' AND (b BETWEEN 1 AND 2 AND NOT c) OR d IN (1, 2)",
            "rels(select(distinct column:kind) function:from(table:pet) \
             filter(or(and(eq(column:a string:X) function:between(column:b second(number:1) third(number:2)) \
             not(column:c)) in_list(column:d second(number:1 number:2)))))",
        ),
        (
            "SELECT a FROM t GROUP BY a HAVING SUM(DISTINCT b) > 1 ORDER BY a, MAX(c) DESC LIMIT 5 OFFSET 2",
            "rels(select(column:a) function:from(table:t) group(column:a) \
             having(gt(sum_distinct(column:b) second(number:1))) \
             sort(asc(column:a) then_desc(max(column:c))) limit(number:5) offset(number:2))",
        ),
        (
            "SELECT a FROM t EXCEPT SELECT a FROM u WHERE NOT EXISTS (SELECT 1 FROM v) AND b NOT IN (SELECT b FROM w)",
            "rels(except(arm(select(column:a) function:from(table:t)) \
             second_arm(select(column:a) function:from(table:u) \
             filter(and(not_exists(select(number:1) function:from(table:v)) \
             not_in_query(column:b select(column:b) function:from(table:w)))))))",
        ),
        (
            "WITH x AS (SELECT 1) SELECT -a, CASE WHEN b IS NULL THEN 'p' ELSE c || 'q' END FROM x LEFT JOIN y USING (k)",
            "rels(derived(name:x select(number:1)) \
             select(neg(column:a) case(when(is_null(column:b) then(string:p)) else(concat(column:c second(string:q))))) \
             function:from(table:x left_join(table:y function:using(column:k))))",
        ),
        (
            "SELECT soundex(a), substr(b, 2, 3), CAST(c AS REAL), rank() OVER (PARTITION BY d ORDER BY e) FROM (SELECT * FROM t) z",
            "rels(select(function:soundex(column:a) substr()(column:b second(number:2) third(number:3)) \
             function:cast(name:real column:c) rank()(window(partition(column:d) sort(asc(column:e))))) \
             function:from(derived(name:z select(column:*) function:from(table:t))))",
        ),
    ] {
        assert_eq!(show(sql), tree, "{sql}");
    }
}

#[test]
fn what_is_written_alike_is_identical_and_nothing_else() {
    let identical =
        |a: &str, b: &str| PairArrays::build(&graph(a), &graph(b), &EncodingConfig::default()).identical;
    for (a, b, same) in [
        ("SELECT a FROM t", "select  A from T;", true),
        ("SELECT a FROM t WHERE (b = 1)", "SELECT a FROM t WHERE b = 1", true),
        ("SELECT a FROM t ORDER BY b", "SELECT a FROM t ORDER BY b ASC", true),
        ("SELECT a FROM t", "SELECT t.a FROM t", false),
        ("SELECT a FROM t WHERE b > c", "SELECT a FROM t WHERE c > b", false),
        ("SELECT a FROM t WHERE b = 'x'", "SELECT a FROM t WHERE b = 'X'", false),
        ("SELECT a FROM t WHERE b = '1'", "SELECT a FROM t WHERE b = 1", false),
        ("SELECT a FROM t JOIN u", "SELECT a FROM t LEFT JOIN u", false),
        ("SELECT a FROM t WHERE b", "SELECT a FROM t HAVING b", false),
        ("SELECT max(a, b) FROM t", "SELECT max(b, a) FROM t", false),
    ] {
        assert_eq!(identical(a, b), same, "{a} / {b}");
    }
}

#[test]
fn only_tree_edges_and_one_parent_each() {
    let graph = graph("SELECT a, count(*) FROM t JOIN u ON t.a = u.a WHERE b > 1 GROUP BY a");
    assert_eq!(graph.edge_count(), graph.node_count() - 1);
    assert_eq!(graph.clone().without_flows().edge_count(), graph.edge_count());
}

#[test]
fn hostile_trees_are_refused_or_flat() {
    let many = |n: usize, between: &str, part: &str| vec![part; n].join(between);
    // Conjunctions of any length are one node.
    let long = format!("SELECT a FROM t WHERE {}", many(300, " AND ", "a = 1"));
    assert_eq!(graph(&long).node_count(), 5 + 1 + 300 * 3 + 1);
    let error = |sql: &str| QueryGraph::of_ast(&parse(sql).unwrap().query).unwrap_err();
    let sum = format!("SELECT {} FROM t", many(400, " + ", "a"));
    assert!(matches!(error(&sum), GraphError::TooDeep { .. }));
    let large = format!("SELECT a FROM t WHERE a IN ({})", many(3000, ", ", "1"));
    assert!(matches!(error(&large), GraphError::TooLarge { .. }));
}

//! Graphs of real queries.

use std::path::PathBuf;

use twinql_graph::{EncodingConfig, PairArrays, QueryGraph, RelPmConfig, relpm};
use twinql_sql::{Semantics, normalize, parse, plan, schema};

/// Every tenth gold query of Spider's training part has a small graph, equal to itself.
#[test]
fn spider_train_gold() {
    let Some(data) = std::env::var_os("TWINQL_DATA").map(PathBuf::from) else {
        println!("skipped: TWINQL_DATA is not set");
        return;
    };
    let schemas = schema::load(data.join("spider/tables.json")).unwrap();
    let gold = std::fs::read_to_string(data.join("spider/train_gold.sql")).unwrap();
    let semantics = Semantics::default();
    let mut sizes = Vec::new();
    for line in gold.lines().step_by(10) {
        let (sql, db_id) = line.split_once('\t').unwrap();
        let schema = &schemas[db_id.trim()];
        let Ok(plan) = parse(sql).and_then(|parsed| plan(schema, &parsed)) else {
            continue;
        };
        let plan = normalize(schema, plan, &semantics).plan;
        let graph = QueryGraph::lower(schema, &plan, &semantics).unwrap();
        sizes.push(graph.node_count());
        assert!((relpm(&graph, &graph, &RelPmConfig::default()) - 1.0).abs() < 1e-12, "{sql}");
        let pair = PairArrays::build(&graph, &graph, &EncodingConfig::default());
        assert!(pair.identical);
        let walks = pair.left_positions.iter().zip(&pair.right_positions);
        // The roots alone are joined, so both sides see the same surroundings.
        assert!(walks.into_iter().all(|(l, r)| (l - r).abs() < 1e-5), "{sql}");
        // No column is without a producer.
        let unknown = graph.graph().node_weights().any(|n| n.content.as_deref() == Some("?.?"));
        assert!(!unknown, "{sql}");
    }
    sizes.sort_unstable();
    assert!(sizes.len() > 800, "{} queries have a plan", sizes.len());
    let median = sizes[sizes.len() / 2];
    let largest = sizes[sizes.len() - 1];
    assert!((8..=40).contains(&median) && largest < 200, "median {median}, largest {largest}");
}

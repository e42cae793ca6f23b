//! Graphs of plans built by hand.

use std::fmt::Write;

use twinql_graph::{EdgeKind, GraphArrays, PairArrays, QueryGraph, RelPmConfig, relpm};
use twinql_sql::{
    Affinity, AggFunc, AggregateCall, BinaryOp, Column, ColumnId, ColumnInfo, ColumnRef, Direction, Expr,
    ForeignKey, NullsOrder, Plan, Query, Rel, Schema, Semantics, SortKey, Table, TypeClass, Value,
};

fn schema() -> Schema {
    let column = |name: &str, class, affinity| Column {
        name: name.into(),
        declared: String::new(),
        class,
        affinity,
        not_null: false,
        values: vec![],
        generated: None,
        collation: None,
    };
    let integer = |name| column(name, TypeClass::Integer, Affinity::Integer);
    let text = |name| column(name, TypeClass::Text, Affinity::Text);
    let table = |name: &str, columns, primary_key, foreign_keys| Table {
        name: name.into(),
        schema: None,
        columns,
        primary_key,
        foreign_keys,
        ..Table::default()
    };
    let owner = ForeignKey { columns: vec![1], target: 0, target_columns: vec![0] };
    Schema {
        db_id: "pets".into(),
        tables: vec![
            table("Owner", vec![integer("Id"), text("Name"), integer("Age")], vec![0], vec![]),
            table("Pet", vec![integer("Id"), integer("Owner_Id"), text("Kind")], vec![0], vec![owner]),
        ],
        ..Schema::default()
    }
}

/// Ids 10 × instance + position; instances number scans in a plan.
fn id(instance: u32, position: u32) -> ColumnId {
    ColumnId(10 * instance + position)
}

fn column(instance: u32, position: u32) -> Expr {
    Expr::Column(id(instance, position))
}

fn scan(table: usize, instance: u32) -> Rel {
    Rel::Scan { table, columns: (0..3).map(|p| (id(instance, p), p as usize)).collect() }
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary { op, left: Box::new(left), right: Box::new(right) }
}

fn number(n: i64) -> Expr {
    Expr::Literal(Value::Integer(n))
}

fn plan(rel: Rel, output: Vec<ColumnId>) -> Plan {
    let info = ColumnInfo {
        name: "c".into(),
        origin: Some(ColumnRef { table: 0, column: 0 }),
        affinity: None,
        class: TypeClass::Integer,
        nullable: true,
    };
    Plan { query: Query { rel, output }, columns: vec![info; 64] }
}

/// The semantics that needs no `assume` node.
fn plain() -> Semantics {
    Semantics::preset("no-fk").unwrap()
}

fn graph(rel: Rel, output: Vec<ColumnId>) -> QueryGraph {
    QueryGraph::lower(&schema(), &plan(rel, output), &plain()).unwrap()
}

/// The tree, indented, then the other edges.
fn show(graph: &QueryGraph) -> String {
    fn walk(graph: &QueryGraph, children: &[Vec<usize>], node: usize, depth: usize, out: &mut String) {
        let n = graph.node(node).unwrap();
        let _ = write!(out, "{node:>3} {:indent$}{}", "", n.word.name(), indent = 2 * depth);
        if let Some(content) = &n.content {
            let _ = write!(out, " {content:?}");
        }
        if n.tag.index() != 0 {
            let _ = write!(out, " [{}]", n.tag.name());
        }
        out.push('\n');
        for child in &children[node] {
            walk(graph, children, *child, depth + 1, out);
        }
    }
    let mut out = String::new();
    walk(graph, &graph.children(), 0, 0, &mut out);
    for (kind, name) in [(EdgeKind::Logic, "logic"), (EdgeKind::Data, "data")] {
        let edges = graph.graph().raw_edges().iter().filter(|e| e.weight == kind);
        let edges: Vec<_> = edges.map(|e| format!("{}>{}", e.source().index(), e.target().index())).collect();
        let _ = writeln!(out, "{name}: {}", edges.join(" "));
    }
    out
}

/// SELECT name, count(*) FROM owner JOIN pet … WHERE age > 30 GROUP BY owner.id
/// HAVING count(*) >= 2 ORDER BY count(*) DESC LIMIT 3
fn busy_owners(limit: i64) -> QueryGraph {
    let joined = Rel::Join {
        inputs: vec![scan(0, 1), scan(1, 2)],
        on: vec![binary(BinaryOp::Eq, column(1, 0), column(2, 1))],
    };
    let filtered = Rel::Filter {
        input: Box::new(joined),
        predicate: vec![binary(BinaryOp::Lt, number(30), column(1, 2))],
    };
    let call = |func, args| AggregateCall { func, distinct: false, args, filter: None };
    let grouped = Rel::Aggregate {
        input: Box::new(filtered),
        keys: vec![(id(1, 0), column(1, 0))],
        calls: vec![
            (ColumnId(40), call(AggFunc::Count, vec![])),
            (ColumnId(41), call(AggFunc::Bare, vec![column(1, 1)])),
        ],
    };
    let having = Rel::Filter {
        input: Box::new(grouped),
        predicate: vec![binary(BinaryOp::LtEq, number(2), Expr::Column(ColumnId(40)))],
    };
    let sorted = Rel::Sort {
        input: Box::new(having),
        keys: vec![SortKey {
            expr: Expr::Column(ColumnId(40)),
            direction: Direction::Desc,
            nulls: NullsOrder::Last,
        }],
        limit: Some(number(limit)),
        offset: None,
    };
    graph(sorted, vec![ColumnId(41), ColumnId(40)])
}

#[test]
fn all_clauses() {
    insta::assert_snapshot!(show(&busy_owners(3)));
}

#[test]
fn self_join_tells_instances_apart() {
    let rel = Rel::Join {
        inputs: vec![scan(0, 1), scan(0, 2)],
        on: vec![binary(BinaryOp::Lt, column(1, 2), column(2, 2))],
    };
    insta::assert_snapshot!(show(&graph(rel, vec![id(1, 1), id(2, 1)])));
}

#[test]
fn correlated_subquery_and_computed_column() {
    let inner = Query {
        rel: Rel::Filter {
            input: Box::new(scan(1, 2)),
            predicate: vec![binary(BinaryOp::Eq, column(2, 1), column(1, 0))],
        },
        output: vec![id(2, 0)],
    };
    let rel = Rel::Filter {
        input: Box::new(scan(0, 1)),
        predicate: vec![Expr::Unary {
            op: twinql_sql::UnaryOp::Not,
            expr: Box::new(Expr::Exists(Box::new(inner))),
        }],
    };
    let rel = Rel::Project {
        input: Box::new(rel),
        exprs: vec![(ColumnId(50), binary(BinaryOp::Sub, number(100), column(1, 2)))],
    };
    let rel = Rel::Sort {
        input: Box::new(rel),
        keys: vec![SortKey {
            expr: Expr::Column(ColumnId(50)),
            direction: Direction::Asc,
            nulls: NullsOrder::First,
        }],
        limit: None,
        offset: None,
    };
    insta::assert_snapshot!(show(&graph(rel, vec![ColumnId(50)])));
}

#[test]
fn arrays_and_scores_of_a_pair() {
    let (a, b) = (busy_owners(3), busy_owners(4));
    let config = RelPmConfig::default();
    assert_eq!(relpm(&a, &a, &config), 1.0);
    let score = relpm(&a, &b, &config);
    assert!(score > 0.5 && score < 1.0, "{score}");
    let pair = PairArrays::build(&a, &b, &Default::default());
    assert_eq!(pair.left_positions.len(), pair.left.words.len() * pair.steps);
    assert_eq!(pair.right_positions.len(), pair.right.words.len() * pair.steps);
    assert!(!pair.identical);
    assert!(PairArrays::build(&a, &a, &Default::default()).identical);
    let GraphArrays { words, tags, contents, strings, edges, views } = pair.left;
    assert_eq!((words.len(), contents.len(), views.len()), (tags.len(), a.node_count(), a.node_count()));
    assert_eq!(edges.len(), a.edge_count());
    assert!(contents.iter().flatten().all(|&i| (i as usize) < strings.len()));
}

#[test]
fn dot_names_all_nodes() {
    let g = busy_owners(3);
    let dot = twinql_graph::dot::pair_to_dot(&g, &g);
    let named = dot.lines().filter(|l| l.contains("shape=") && !l.contains("legend"));
    assert_eq!(named.count(), 2 * g.node_count());
    assert!(dot.contains("g0 -> p0"));
}

#[test]
fn hostile_size_and_depth_are_errors() {
    let deep = (0..5000).fold(column(1, 0), |e, _| Expr::Function { name: "abs".into(), args: vec![e] });
    // Dropping the chain recurses in the standard library; 5,000 levels are no trouble.
    let rel = Rel::Filter { input: Box::new(scan(0, 1)), predicate: vec![deep] };
    let error = QueryGraph::lower(&schema(), &plan(rel, vec![id(1, 0)]), &plain()).unwrap_err();
    assert!(error.to_string().contains("nests too deep"), "{error}");
    let rel = Rel::Filter {
        input: Box::new(scan(0, 1)),
        predicate: (0..3000).map(|n| binary(BinaryOp::NotEq, column(1, 0), number(n))).collect(),
    };
    let error = QueryGraph::lower(&schema(), &plan(rel, vec![id(1, 0)]), &plain()).unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
}

//! The order of a derived table is nobody's order.

use twinql_sql::{Proof, Schema, Semantics, prove};

fn proved(gold: &str, pred: &str) -> bool {
    let schema =
        Schema::from_ddl("d", "CREATE TABLE t (id INTEGER PRIMARY KEY, g TEXT NOT NULL, x INTEGER NOT NULL)");
    let proof = prove(&schema.unwrap(), gold, pred, &Semantics::default()).unwrap();
    matches!(proof, Proof::Equal(_))
}

#[test]
fn an_inner_order_is_not_the_querys() {
    for (gold, pred, equal) in [
        ("SELECT g FROM t ORDER BY g", "SELECT g FROM (SELECT g FROM t ORDER BY g)", false),
        ("SELECT g FROM t ORDER BY g", "WITH q AS (SELECT g FROM t ORDER BY g) SELECT g FROM q", false),
        ("SELECT g FROM t ORDER BY g", "SELECT g FROM (SELECT g FROM t ORDER BY g) WHERE g <> 'a'", false),
        ("SELECT g FROM t ORDER BY x LIMIT 3", "SELECT g FROM (SELECT g FROM t ORDER BY x LIMIT 3)", false),
        ("SELECT g FROM t ORDER BY x LIMIT 3", "SELECT g FROM (SELECT g FROM t ORDER BY x) LIMIT 3", false),
        (
            "SELECT id FROM t ORDER BY x, id LIMIT 3",
            "SELECT id FROM (SELECT id FROM t ORDER BY x, id LIMIT 3) EXCEPT SELECT id FROM t WHERE 0",
            false,
        ),
        // In the gold it asks for none, and there is nothing to lose.
        ("SELECT g FROM (SELECT g FROM t ORDER BY g)", "SELECT g FROM t", true),
        ("SELECT g FROM (SELECT g FROM t ORDER BY g)", "SELECT g FROM t ORDER BY g", true),
        (
            "SELECT g FROM (SELECT g FROM t ORDER BY x, id LIMIT 3)",
            "SELECT g FROM t ORDER BY x, id LIMIT 3",
            true,
        ),
        // One row has no order, and to skip none is to say nothing.
        ("SELECT g FROM t ORDER BY id LIMIT 1", "SELECT g FROM (SELECT g FROM t ORDER BY id LIMIT 1)", true),
        ("SELECT g FROM t ORDER BY g LIMIT 3", "SELECT g FROM t ORDER BY g LIMIT 3 OFFSET 0", true),
        ("SELECT COUNT(*) FROM t", "SELECT COUNT(*) FROM (SELECT g FROM t ORDER BY g)", true),
    ] {
        assert_eq!(proved(gold, pred), equal, "{gold} | {pred}");
    }
}

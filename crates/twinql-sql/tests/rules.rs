//! Every rule with pairs that become equal and pairs that must not.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/rewrites.rs"]
#[allow(dead_code)] // only the names of rules are read here
mod rewrites;

use std::collections::BTreeSet;

use twinql_sql::{RULES, Schema, Semantics, canonicalize, explain, print};

const DDL: &str = "
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, age INTEGER, score REAL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer(id), total REAL, day TEXT, code TEXT REFERENCES customer(id));
CREATE TABLE line (order_id INTEGER REFERENCES orders(id), product TEXT, amount INTEGER, PRIMARY KEY (order_id, product));
";

fn semantics(name: &str) -> Semantics {
    match name {
        "nulls" => Semantics {
            nulls: true,
            empty_tables: true,
            foreign_keys_hold: false,
            ..Semantics::default()
        },
        other => Semantics::preset(other).unwrap(),
    }
}

fn forms(preset: &str, one: &str, two: &str) -> (bool, String, BTreeSet<&'static str>) {
    let schema = Schema::from_ddl("shop", DDL).unwrap();
    let semantics = semantics(preset);
    let a = canonicalize(&schema, one, &semantics).unwrap();
    let b = canonicalize(&schema, two, &semantics).unwrap();
    assert!(a.complete && b.complete);
    let text = format!(
        "{one}\n{two}\nunder {preset}:\n{}\n{}",
        explain::tree(&schema, &a.plan),
        explain::tree(&schema, &b.plan)
    );
    let applied = a.applied.iter().chain(&b.applied).copied().collect();
    (a.plan.query == b.plan.query, text, applied)
}

/// `rule in preset: equal "…", "…";` and `rule in preset: differ "…", "…";`
macro_rules! rules {
    ($($test:ident: $rule:literal in $preset:literal: $kind:ident $one:literal, $two:literal;)*) => {
        $(
            #[test]
            fn $test() {
                rules!(@$kind $rule, $preset, $one, $two);
            }
        )*
        const TESTED: &[&str] = &[$($rule),*];
    };
    (@equal $rule:literal, $preset:literal, $one:literal, $two:literal) => {
        let (equal, text, applied) = forms($preset, $one, $two);
        assert!(equal, "not equal: {text}");
        assert!(applied.contains($rule), "{} was not used: {applied:?}\n{text}", $rule);
    };
    (@differ $rule:literal, $preset:literal, $one:literal, $two:literal) => {
        let (equal, text, _) = forms($preset, $one, $two);
        assert!(!equal, "equal: {text}");
    };
}

rules! {
    constants: "constant-folding" in "strict": equal "SELECT name FROM customer WHERE age = 1 + 2 AND 1 = 1", "SELECT name FROM customer WHERE age = 3";
    constants_null: "constant-folding" in "nulls": differ "SELECT name FROM customer WHERE age = NULL", "SELECT name FROM customer";
    constants_itself: "constant-folding" in "strict": equal "SELECT (city IS NULL) >= (city IS NULL) FROM customer", "SELECT 1 FROM customer";
    constants_itself_null: "constant-folding" in "strict": differ "SELECT city = city FROM customer", "SELECT 1 FROM customer";
    not: "negation-pushdown" in "strict": equal "SELECT name FROM customer WHERE NOT (age > 2 OR city = 'a')", "SELECT name FROM customer WHERE age <= 2 AND city <> 'a'";
    not_null: "negation-pushdown" in "nulls": differ "SELECT name FROM customer WHERE NOT (city IS 'a')", "SELECT name FROM customer WHERE city <> 'a'";
    turned: "comparison-orientation" in "strict": equal "SELECT name FROM customer WHERE 2.5 < score", "SELECT name FROM customer WHERE score > 2.5";
    turned_not: "comparison-orientation" in "default": differ "SELECT name FROM customer WHERE 2 < age", "SELECT name FROM customer WHERE age < 2";
    typed: "literal-typing" in "strict": equal "SELECT name FROM customer WHERE age = '3'", "SELECT name FROM customer WHERE age = 3";
    typed_text: "literal-typing" in "default": differ "SELECT name FROM customer WHERE city = '03'", "SELECT name FROM customer WHERE city = 3";
    bounds: "integer-bounds" in "strict": equal "SELECT name FROM customer WHERE age > 2", "SELECT name FROM customer WHERE age >= 3";
    bounds_real: "integer-bounds" in "default": differ "SELECT name FROM customer WHERE score > 2", "SELECT name FROM customer WHERE score >= 3";
    list: "membership" in "strict": equal "SELECT name FROM customer WHERE age = 1 OR 2 = age", "SELECT name FROM customer WHERE age IN (2, 1)";
    list_not: "membership" in "strict": equal "SELECT name FROM customer WHERE age NOT IN (1, 2)", "SELECT name FROM customer WHERE age <> 2 AND age <> 1";
    list_other: "membership" in "default": differ "SELECT name FROM customer WHERE age = 1 OR id = 2", "SELECT name FROM customer WHERE age IN (2, 1)";
    cast: "idle-cast" in "strict": equal "SELECT CAST(name AS TEXT) FROM customer", "SELECT name FROM customer";
    cast_like: "idle-cast" in "strict": equal "SELECT id FROM customer WHERE name LIKE '%Al%'", "SELECT id FROM customer WHERE name LIKE '%aL%'";
    cast_number: "idle-cast" in "default": differ "SELECT CAST(score AS INTEGER) FROM customer", "SELECT score FROM customer";
    cast_equal: "idle-cast" in "default": differ "SELECT id FROM customer WHERE name LIKE 'a'", "SELECT id FROM customer WHERE name = 'a'";
    key_cast: "foreign-key-cast" in "default": equal "SELECT o.id, c.name FROM orders o JOIN customer c ON CAST(o.code AS REAL) = c.id", "SELECT o.id, c.name FROM orders o JOIN customer c ON o.code = c.id";
    key_cast_no_fk: "foreign-key-cast" in "no-fk": differ "SELECT o.id, c.name FROM orders o JOIN customer c ON CAST(o.code AS REAL) = c.id", "SELECT o.id, c.name FROM orders o JOIN customer c ON o.code = c.id";
    derived: "projection-merging" in "strict": equal "SELECT n FROM (SELECT age + 1 AS n, city FROM customer) WHERE city = 'a'", "SELECT age + 1 FROM customer WHERE city = 'a'";
    derived_not: "projection-merging" in "strict": differ "SELECT n FROM (SELECT age + 1 AS n FROM customer LIMIT 1)", "SELECT age + 1 FROM customer";
    aliases: "bare-projection" in "default": equal "SELECT c.city AS x, c.name y FROM customer AS c", "SELECT name, city FROM customer";
    order_of_columns: "bare-projection" in "strict": differ "SELECT city, name FROM customer", "SELECT name, city FROM customer";
    pruned: "projection-pruning" in "strict": equal "SELECT city FROM (SELECT city, COUNT(*) AS n FROM customer GROUP BY city)", "SELECT city FROM customer GROUP BY city";
    pruned_not: "projection-pruning" in "default": differ "SELECT city FROM customer GROUP BY city, age", "SELECT city FROM customer GROUP BY city";
    commuted: "join-flattening" in "no-fk": equal "SELECT o.id FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.city = 'a'", "SELECT b.id FROM customer a, orders b WHERE a.city = 'a' AND a.id = b.customer_id";
    twins: "join-flattening" in "no-fk": equal "SELECT a.name FROM customer a JOIN customer b ON a.city = b.city WHERE a.age < 3 AND b.age > 5", "SELECT y.name FROM customer x JOIN customer y ON x.city = y.city WHERE x.age > 5 AND y.age < 3";
    twins_not: "join-flattening" in "no-fk": differ "SELECT a.name FROM customer a JOIN customer b ON a.city = b.city WHERE a.age < 3 AND b.age > 5", "SELECT b.name FROM customer a JOIN customer b ON a.city = b.city WHERE a.age < 3 AND b.age > 5";
    conjuncts: "conjunct-cleanup" in "strict": equal "SELECT id FROM customer WHERE (city = 'a' AND age = 1) OR (city = 'a' AND score = 2)", "SELECT id FROM customer WHERE (score = 2 OR age = 1) AND city = 'a'";
    conjuncts_not: "conjunct-cleanup" in "default": differ "SELECT id FROM customer WHERE city = 'a' OR age = 1", "SELECT id FROM customer WHERE city = 'a' AND age = 1";
    having: "predicate-pushdown" in "strict": equal "SELECT city, COUNT(*) FROM customer GROUP BY city HAVING city > 'a'", "SELECT city, COUNT(*) FROM customer WHERE city > 'a' GROUP BY city";
    having_not: "predicate-pushdown" in "default": differ "SELECT city, COUNT(*) FROM customer GROUP BY city HAVING MAX(age) > 3", "SELECT city, COUNT(*) FROM customer WHERE age > 3 GROUP BY city";
    classes: "equality-classes" in "no-fk": equal "SELECT o.customer_id FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.id > 3", "SELECT c.id FROM orders o JOIN customer c ON o.customer_id = c.id WHERE o.customer_id > 3";
    classes_not: "equality-classes" in "no-fk": differ "SELECT c.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id", "SELECT o.customer_id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id";
    distinct: "distinct-as-grouping" in "strict": equal "SELECT DISTINCT city FROM customer", "SELECT city FROM customer GROUP BY city";
    distinct_not: "distinct-as-grouping" in "default": differ "SELECT DISTINCT city FROM customer", "SELECT city FROM customer";
    keys: "group-key-cleanup" in "no-fk": equal "SELECT c.name, SUM(o.total) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id", "SELECT c.name, SUM(o.total) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name";
    keys_not: "group-key-cleanup" in "default": differ "SELECT name, COUNT(*) FROM customer GROUP BY name", "SELECT name, COUNT(*) FROM customer GROUP BY name, age";
    count: "count-star" in "nulls": equal "SELECT COUNT(name), COUNT(1) FROM customer", "SELECT COUNT(*), COUNT(id) FROM customer";
    count_null: "count-star" in "nulls": differ "SELECT COUNT(city) FROM customer", "SELECT COUNT(*) FROM customer";
    extreme_distinct: "count-star" in "strict": equal "SELECT city, MAX(DISTINCT age) FROM customer GROUP BY city", "SELECT city, MAX(age) FROM customer GROUP BY city";
    extreme_bare: "count-star" in "default": differ "SELECT name, MAX(DISTINCT age) FROM customer", "SELECT name, MAX(age) FROM customer";
    count_key: "distinct-key-aggregate" in "nulls": equal "SELECT COUNT(DISTINCT id) FROM customer", "SELECT COUNT(*) FROM customer";
    count_key_joined: "distinct-key-aggregate" in "no-fk": differ "SELECT COUNT(DISTINCT c.id) FROM customer c JOIN orders o ON o.customer_id = c.id", "SELECT COUNT(c.id) FROM customer c JOIN orders o ON o.customer_id = c.id";
    having_one: "trivial-having" in "strict": equal "SELECT city FROM customer GROUP BY city HAVING COUNT(*) > 0", "SELECT DISTINCT city FROM customer";
    having_two: "trivial-having" in "default": differ "SELECT city FROM customer GROUP BY city HAVING COUNT(*) > 1", "SELECT DISTINCT city FROM customer";
    groups: "count-groups" in "default": equal "SELECT COUNT(*) FROM (SELECT DISTINCT city FROM customer)", "SELECT COUNT(DISTINCT city) FROM customer";
    groups_null: "count-groups" in "nulls": differ "SELECT COUNT(*) FROM (SELECT DISTINCT city FROM customer)", "SELECT COUNT(DISTINCT city) FROM customer";
    null_test: "null-tests" in "default": equal "SELECT id FROM customer WHERE city IS NOT NULL", "SELECT id FROM customer";
    null_test_null: "null-tests" in "nulls": differ "SELECT id FROM customer WHERE city IS NOT NULL", "SELECT id FROM customer";
    null_test_implied: "null-tests" in "nulls": equal "SELECT id FROM customer WHERE city > 'a' AND city IS NOT NULL", "SELECT id FROM customer WHERE city > 'a'";
    null_test_implied_on: "null-tests" in "nulls": equal "SELECT c.id FROM customer c LEFT JOIN customer d ON c.city = d.city AND d.city IS NOT NULL", "SELECT c.id FROM customer c LEFT JOIN customer d ON c.city = d.city";
    null_test_excluded: "null-tests" in "strict": equal "SELECT id FROM customer WHERE city > 'a' AND city IS NULL", "SELECT name FROM customer WHERE 1 = 0";
    null_test_not_excluded: "null-tests" in "strict": differ "SELECT id FROM customer WHERE coalesce(city, 'b') > 'a' AND city IS NULL", "SELECT id FROM customer WHERE 1 = 0";
    null_test_not_implied: "null-tests" in "nulls": differ "SELECT id FROM customer WHERE city IS NOT NULL AND coalesce(city, 'b') > 'a'", "SELECT id FROM customer WHERE coalesce(city, 'b') > 'a'";
    null_test_padded: "equality-classes" in "default": differ "SELECT COUNT(i.link) FROM customer m LEFT JOIN (SELECT y.customer_id AS link FROM orders y JOIN customer x ON y.customer_id = x.id) i ON m.id = i.link", "SELECT COUNT(*) FROM customer m LEFT JOIN (SELECT y.customer_id AS link FROM orders y JOIN customer x ON y.customer_id = x.id) i ON m.id = i.link";
    order_below: "subquery-order" in "strict": equal "SELECT COUNT(*) FROM (SELECT id FROM customer ORDER BY age)", "SELECT COUNT(*) FROM customer";
    order_limit: "subquery-order" in "default": differ "SELECT SUM(age) FROM (SELECT age FROM customer ORDER BY age LIMIT 3)", "SELECT SUM(age) FROM customer";
    extreme: "query-order" in "default": equal "SELECT age FROM customer ORDER BY age DESC LIMIT 1", "SELECT MAX(age) FROM customer";
    extreme_filtered: "query-order" in "default": differ "SELECT age FROM customer WHERE city = 'a' ORDER BY age DESC LIMIT 1", "SELECT MAX(age) FROM customer WHERE city = 'a'";
    extreme_ties: "query-order" in "default": differ "SELECT name FROM customer ORDER BY age DESC LIMIT 1", "SELECT name FROM customer WHERE age = (SELECT MAX(age) FROM customer)";
    order_keys: "sort-keys" in "default": equal "SELECT name FROM customer ORDER BY id, age", "SELECT name FROM customer ORDER BY id";
    order_keys_not: "sort-keys" in "default": differ "SELECT name FROM customer ORDER BY age, id", "SELECT name FROM customer ORDER BY age";
    membership: "in-as-exists" in "nulls": equal "SELECT name FROM customer WHERE city IN (SELECT day FROM orders)", "SELECT name FROM customer c WHERE EXISTS (SELECT * FROM orders o WHERE o.day = c.city)";
    membership_not: "in-as-exists" in "nulls": differ "SELECT name FROM customer WHERE city NOT IN (SELECT day FROM orders)", "SELECT name FROM customer c WHERE NOT EXISTS (SELECT * FROM orders o WHERE o.day = c.city)";
    exists: "exists-cleanup" in "nulls": equal "SELECT name FROM customer c WHERE EXISTS (SELECT DISTINCT day FROM orders WHERE customer_id = c.id ORDER BY day)", "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = c.id)";
    exists_none: "exists-cleanup" in "default": differ "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = c.id LIMIT 0)", "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = c.id)";
    certain: "exists-true" in "nulls": equal "SELECT name FROM customer WHERE EXISTS (SELECT COUNT(*) FROM orders)", "SELECT name FROM customer";
    certain_not: "exists-true" in "nulls": differ "SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM orders)", "SELECT name FROM customer";
    scalar: "scalar-equality" in "nulls": equal "SELECT day FROM orders WHERE customer_id = (SELECT id FROM customer WHERE id = 3)", "SELECT day FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE id = 3)";
    scalar_many: "scalar-equality" in "default": differ "SELECT day FROM orders WHERE customer_id = (SELECT id FROM customer WHERE age = 3)", "SELECT day FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE age = 3)";
    semi_join: "exists-as-join" in "nulls": equal "SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE city = 'a')", "SELECT o.id FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.city = 'a'";
    semi_join_many: "exists-as-join" in "default": differ "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders)", "SELECT name FROM customer c JOIN orders o ON o.customer_id = c.id";
    except: "set-operation-as-semi-join" in "nulls": equal "SELECT id FROM customer EXCEPT SELECT customer_id FROM orders", "SELECT id FROM customer WHERE id NOT IN (SELECT customer_id FROM orders)";
    except_bag: "set-operation-as-semi-join" in "default": differ "SELECT city FROM customer EXCEPT SELECT day FROM orders", "SELECT city FROM customer WHERE city NOT IN (SELECT day FROM orders)";
    intersect: "set-operation-as-semi-join" in "default": equal "SELECT city FROM customer WHERE age < 3 INTERSECT SELECT city FROM customer WHERE age > 5", "SELECT DISTINCT a.city FROM customer a JOIN customer b ON a.city = b.city WHERE a.age < 3 AND b.age > 5";
    outer: "outer-to-inner" in "nulls": equal "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.total > 2", "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.total > 2";
    anti_join: "outer-to-inner" in "nulls": equal "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.id IS NULL", "SELECT name FROM customer WHERE id NOT IN (SELECT customer_id FROM orders)";
    anti_join_null: "outer-to-inner" in "nulls": differ "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.day IS NULL", "SELECT name FROM customer WHERE id NOT IN (SELECT customer_id FROM orders)";
    self_join: "key-self-join" in "nulls": equal "SELECT a.name FROM customer a JOIN customer b ON a.id = b.id WHERE b.age > 3", "SELECT name FROM customer WHERE age > 3";
    self_join_not: "key-self-join" in "default": differ "SELECT a.name FROM customer a JOIN customer b ON a.city = b.city WHERE b.age > 3", "SELECT name FROM customer WHERE age > 3";
    grouping: "grouping-removal" in "nulls": equal "SELECT DISTINCT id, city FROM customer", "SELECT id, city FROM customer";
    grouping_join: "grouping-removal" in "no-fk": equal "SELECT DISTINCT c.id, c.name FROM customer c JOIN orders o ON o.customer_id = c.id", "SELECT id, name FROM customer WHERE id IN (SELECT customer_id FROM orders)";
    grouping_not: "grouping-removal" in "default": differ "SELECT DISTINCT order_id FROM line", "SELECT order_id FROM line";
    duplicates: "duplicate-insensitivity" in "no-fk": equal "SELECT DISTINCT name FROM customer WHERE id IN (SELECT customer_id FROM orders)", "SELECT DISTINCT c.name FROM customer c JOIN orders o ON o.customer_id = c.id";
    duplicates_not: "duplicate-insensitivity" in "default": differ "SELECT COUNT(name) FROM customer WHERE id IN (SELECT customer_id FROM orders)", "SELECT COUNT(c.name) FROM customer c JOIN orders o ON o.customer_id = c.id";
    in_distinct: "in-duplicates" in "strict": equal "SELECT name IN (SELECT DISTINCT day FROM orders) FROM customer", "SELECT name IN (SELECT day FROM orders) FROM customer";
    in_limit: "in-duplicates" in "default": differ "SELECT name IN (SELECT DISTINCT day FROM orders LIMIT 2) FROM customer", "SELECT name IN (SELECT day FROM orders LIMIT 2) FROM customer";
    late: "grouping-before-join" in "no-fk": equal "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id HAVING COUNT(*) > 2", "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders GROUP BY customer_id HAVING COUNT(*) >= 3)";
    late_not: "grouping-before-join" in "no-fk": differ "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.name HAVING COUNT(*) > 2", "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders GROUP BY customer_id HAVING COUNT(*) >= 3)";
    foreign: "foreign-key-join" in "default": equal "SELECT o.day FROM orders o JOIN customer c ON o.customer_id = c.id", "SELECT day FROM orders";
    foreign_not: "foreign-key-join" in "no-fk": differ "SELECT o.day FROM orders o JOIN customer c ON o.customer_id = c.id", "SELECT day FROM orders";
    foreign_read: "foreign-key-join" in "default": differ "SELECT o.day FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.age > 1", "SELECT day FROM orders";
    pinned: "pinned-columns" in "nulls": equal "SELECT id, age + 1 FROM customer WHERE age = 3 AND score > age", "SELECT id, 4 FROM customer WHERE age = 3 AND score > 3";
    pinned_null: "pinned-columns" in "nulls": equal "SELECT id, city FROM customer WHERE city IS NULL", "SELECT id, NULL FROM customer WHERE city IS NULL";
    pinned_real: "pinned-columns" in "nulls": differ "SELECT id, score FROM customer WHERE score = 3", "SELECT id, 3 FROM customer WHERE score = 3";
    pinned_filled: "pinned-columns" in "nulls": differ "SELECT o.id, c.id FROM orders o LEFT JOIN (SELECT * FROM customer WHERE id = 3) c ON o.customer_id = c.id", "SELECT o.id, 3 FROM orders o LEFT JOIN (SELECT * FROM customer WHERE id = 3) c ON o.customer_id = c.id";
    pinned_typed: "pinned-columns" in "nulls": equal "SELECT name FROM (SELECT * FROM customer WHERE age = 3) WHERE age = '3'", "SELECT name FROM customer WHERE age = 3";
    pinned_text: "pinned-columns" in "nulls": differ "SELECT name FROM (SELECT * FROM customer WHERE age = 3) WHERE age = city", "SELECT name FROM customer WHERE age = 3 AND city = '3'";
    implied: "implied-bounds" in "nulls": equal "SELECT id FROM customer WHERE age > 3 AND (age > 1 AND city = 'a' OR age < 2)", "SELECT id FROM customer WHERE age > 3 AND city = 'a'";
    excluded: "implied-bounds" in "nulls": equal "SELECT id FROM customer WHERE age > 3 AND age < 2", "SELECT id FROM customer WHERE 1 = 0";
    implied_either: "implied-bounds" in "nulls": equal "SELECT id FROM customer WHERE id > 50 OR (id <= 50 AND age > 5)", "SELECT id FROM customer WHERE id > 50 OR age > 5";
    implied_null: "implied-bounds" in "nulls": differ "SELECT id FROM customer WHERE age > 50 OR (age <= 50 AND id > 5)", "SELECT id FROM customer WHERE age > 50 OR id > 5";
    implied_overlap: "implied-bounds" in "default": differ "SELECT id FROM customer WHERE age > 3 AND age < 5", "SELECT id FROM customer WHERE age > 3";
    case_literal: "conditional" in "nulls": equal "SELECT CASE WHEN 1 = 2 THEN name WHEN age = 1 THEN city WHEN 1 = 1 THEN 'x' ELSE 'y' END FROM customer", "SELECT IIF(age = 1, city, 'x') FROM customer";
    case_compared: "conditional" in "nulls": equal "SELECT CASE WHEN age = 1 THEN city ELSE 'b' END = 'a' FROM customer", "SELECT CASE WHEN age = 1 THEN city = 'a' ELSE 0 END FROM customer";
    nullif: "conditional" in "nulls": equal "SELECT NULLIF(age, 1) FROM customer", "SELECT CASE WHEN age = 1 THEN NULL ELSE age END FROM customer";
    case_null: "conditional" in "nulls": differ "SELECT CASE WHEN age = 1 THEN 1 ELSE 0 END FROM customer", "SELECT age = 1 FROM customer";
    coalesced: "null-operands" in "nulls": equal "SELECT COALESCE(name, city) FROM customer", "SELECT name FROM customer";
    coalesced_null: "null-operands" in "nulls": differ "SELECT COALESCE(city, name) FROM customer", "SELECT city FROM customer";
    truth: "true-alone" in "nulls": equal "SELECT id FROM customer WHERE CASE WHEN id = 1 THEN 0 WHEN age = 2 THEN 1 ELSE NULL END", "SELECT id FROM customer WHERE id <> 1 AND age = 2";
    truth_null: "true-alone" in "nulls": equal "SELECT id FROM customer WHERE age = 1 OR NULL", "SELECT id FROM customer WHERE age = 1";
    truth_negated: "true-alone" in "nulls": differ "SELECT id FROM customer WHERE CASE WHEN age = 1 THEN 0 ELSE 1 END", "SELECT id FROM customer WHERE age <> 1";
    truth_value: "true-alone" in "nulls": differ "SELECT id, age = 1 OR NULL FROM customer", "SELECT id, age = 1 FROM customer";
    aggregate_null: "constant-aggregates" in "nulls": equal "SELECT COUNT(NULL), SUM(NULL) FROM customer", "SELECT 0, NULL";
    aggregate_never: "constant-aggregates" in "nulls": equal "SELECT city, COUNT(*) FILTER (WHERE 1 = 2) FROM customer GROUP BY city", "SELECT DISTINCT city, 0 FROM customer";
    aggregate_some: "constant-aggregates" in "default": differ "SELECT COUNT(age) FROM customer", "SELECT 0";
    empty: "empty-relation" in "nulls": equal "SELECT id FROM customer UNION ALL SELECT c.id FROM customer c JOIN orders o ON c.id = o.id WHERE 1 = 0", "SELECT id FROM customer";
    empty_aggregate: "empty-relation" in "nulls": equal "SELECT COUNT(*), MAX(age) FROM customer WHERE 1 = 0", "SELECT 0, NULL";
    empty_grouped: "empty-relation" in "nulls": equal "SELECT city, COUNT(*) FROM customer WHERE 1 = 0 GROUP BY city", "SELECT id, name FROM customer LIMIT 0";
    empty_left: "empty-relation" in "nulls": equal "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON 1 = 0", "SELECT id, NULL FROM customer";
    empty_counted: "empty-relation" in "nulls": differ "SELECT COUNT(*) FROM customer WHERE 1 = 0", "SELECT id FROM customer WHERE 1 = 0";
    values: "constant-rows" in "nulls": equal "SELECT * FROM (VALUES (1, 2), (3, 4)) WHERE column1 > 1", "SELECT 3, 4";
    values_many: "constant-rows" in "nulls": differ "VALUES (1), (2)", "VALUES (1), (1)";
    empty_exists: "empty-subquery" in "nulls": equal "SELECT id FROM customer WHERE NOT EXISTS (SELECT 1 FROM orders WHERE 1 = 0)", "SELECT id FROM customer";
    empty_exists_not: "empty-subquery" in "nulls": differ "SELECT id FROM customer WHERE NOT EXISTS (SELECT 1 FROM orders WHERE total = 0)", "SELECT id FROM customer";
    nothing: "empty-query" in "nulls": equal "SELECT id, name FROM customer WHERE 1 = 0", "SELECT day, 3 FROM orders LIMIT 0";
    nothing_width: "empty-query" in "nulls": differ "SELECT id, name FROM customer WHERE 1 = 0", "SELECT id FROM customer WHERE 1 = 0";
    chain: "union-chain" in "nulls": equal "SELECT id FROM customer UNION ALL SELECT * FROM (SELECT id FROM orders UNION ALL SELECT order_id FROM line)", "SELECT order_id FROM line UNION ALL SELECT id FROM customer UNION ALL SELECT id FROM orders";
    chain_twice: "union-chain" in "nulls": equal "SELECT city FROM customer UNION SELECT city FROM customer", "SELECT DISTINCT city FROM customer";
    chain_open: "union-chain" in "nulls": differ "SELECT city, name FROM customer GROUP BY city UNION SELECT city, name FROM customer GROUP BY city", "SELECT city, name FROM customer GROUP BY city";
    chain_all: "union-chain" in "nulls": differ "SELECT city FROM customer UNION ALL SELECT city FROM customer", "SELECT city FROM customer";
    chain_mixed: "union-chain" in "nulls": differ "SELECT city FROM customer UNION SELECT day FROM orders UNION ALL SELECT product FROM line", "SELECT city FROM customer UNION ALL SELECT day FROM orders UNION SELECT product FROM line";
    distinct_union: "distinct-union" in "nulls": equal "SELECT DISTINCT x FROM (SELECT city AS x FROM customer UNION ALL SELECT day FROM orders)", "SELECT city FROM customer UNION SELECT day FROM orders";
    distinct_union_not: "distinct-union" in "nulls": differ "SELECT x FROM (SELECT city AS x FROM customer UNION ALL SELECT day FROM orders)", "SELECT city FROM customer UNION SELECT day FROM orders";
    union_pruned: "union-pruning" in "nulls": equal "SELECT a FROM (SELECT city AS a, id AS b FROM customer UNION ALL SELECT day, id FROM orders)", "SELECT city FROM customer UNION ALL SELECT day FROM orders";
    union_kept: "union-pruning" in "nulls": differ "SELECT a FROM (SELECT city AS a, id AS b FROM customer UNION SELECT day, id FROM orders)", "SELECT city FROM customer UNION SELECT day FROM orders";
    union_repeated: "union-repeated-columns" in "nulls": equal "SELECT a, b FROM (SELECT city AS a, city AS b FROM customer UNION ALL SELECT day, day FROM orders)", "SELECT a, a FROM (SELECT city AS a FROM customer UNION ALL SELECT day FROM orders)";
    union_repeated_not: "union-repeated-columns" in "nulls": differ "SELECT a, b FROM (SELECT city AS a, city AS b FROM customer UNION ALL SELECT day, code FROM orders)", "SELECT a, a FROM (SELECT city AS a FROM customer UNION ALL SELECT day FROM orders)";
    union_projected: "union-projection" in "nulls": equal "SELECT a + 1 FROM (SELECT age AS a FROM customer UNION ALL SELECT id FROM orders)", "SELECT age + 1 FROM customer UNION ALL SELECT id + 1 FROM orders";
    union_projected_not: "union-projection" in "nulls": differ "SELECT a + 1 FROM (SELECT age AS a FROM customer UNION SELECT id FROM orders)", "SELECT age + 1 FROM customer UNION ALL SELECT id + 1 FROM orders";
    rolled_up: "aggregate-rollup" in "nulls": equal "SELECT city, SUM(n), MAX(m) FROM (SELECT city, age, COUNT(*) AS n, MAX(score) AS m FROM customer GROUP BY city, age) GROUP BY city", "SELECT city, COUNT(*), MAX(score) FROM customer GROUP BY city";
    rolled_up_union: "aggregate-rollup" in "nulls": equal "SELECT x, SUM(n) FROM (SELECT city AS x, COUNT(*) AS n FROM customer GROUP BY city UNION ALL SELECT day, COUNT(*) FROM orders GROUP BY day) GROUP BY x", "SELECT x, COUNT(*) FROM (SELECT city AS x FROM customer UNION ALL SELECT day FROM orders) GROUP BY x";
    rolled_up_keys: "aggregate-rollup" in "nulls": equal "SELECT city, COUNT(age), SUM(age) FROM (SELECT DISTINCT city, age FROM customer) GROUP BY city", "SELECT city, COUNT(DISTINCT age), SUM(DISTINCT age) FROM customer GROUP BY city";
    rolled_up_empty: "aggregate-rollup" in "nulls": differ "SELECT SUM(n) FROM (SELECT city, COUNT(*) AS n FROM customer GROUP BY city)", "SELECT COUNT(*) FROM customer";
    rolled_up_average: "aggregate-rollup" in "nulls": differ "SELECT AVG(n) FROM (SELECT city, AVG(age) AS n FROM customer GROUP BY city)", "SELECT AVG(age) FROM customer";
    rolled_up_counts: "aggregate-rollup" in "nulls": differ "SELECT city, COUNT(n) FROM (SELECT city, age, COUNT(*) AS n FROM customer GROUP BY city, age) GROUP BY city", "SELECT city, COUNT(*) FROM customer GROUP BY city";
    single: "groups-of-one-row" in "nulls": equal "SELECT id, COUNT(*), SUM(age), MIN(city), COUNT(city) FROM customer GROUP BY id", "SELECT id, 1, age, city, city IS NOT NULL FROM customer";
    single_not: "groups-of-one-row" in "nulls": differ "SELECT order_id, SUM(amount) FROM line GROUP BY order_id", "SELECT order_id, amount FROM line";
    summed: "sum-of-nothing" in "nulls": equal "SELECT COALESCE(SUM(n), 0) FROM (SELECT city, COUNT(*) AS n FROM customer GROUP BY city)", "SELECT COUNT(*) FROM customer";
    summed_one: "sum-of-nothing" in "nulls": differ "SELECT COALESCE(SUM(n), 1) FROM (SELECT city, COUNT(*) AS n FROM customer GROUP BY city)", "SELECT COUNT(*) FROM customer";
    distinct_join: "distinct-join" in "nulls": equal "SELECT c.name FROM customer c JOIN (SELECT DISTINCT customer_id AS k FROM orders WHERE total > 3) o ON o.k = c.id", "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE total > 3)";
    distinct_join_wide: "distinct-join" in "nulls": differ "SELECT c.name FROM customer c JOIN (SELECT DISTINCT customer_id AS k, day FROM orders) o ON o.k = c.id", "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders)";
    on_filled: "outer-join-predicates" in "nulls": equal "SELECT c.name, o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.total > 3", "SELECT c.name, o.day FROM customer c LEFT JOIN (SELECT * FROM orders WHERE total > 3) o ON o.customer_id = c.id";
    on_kept: "outer-join-predicates" in "nulls": differ "SELECT c.name, o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND c.age > 3", "SELECT c.name, o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.age > 3";
    full_left: "outer-join-predicates" in "nulls": equal "SELECT c.name, o.day FROM customer c FULL JOIN orders o ON o.customer_id = c.id WHERE c.age > 3", "SELECT c.name, o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.age > 3";
    full_kept: "outer-join-predicates" in "nulls": differ "SELECT c.name, o.day FROM customer c FULL JOIN orders o ON o.customer_id = c.id WHERE c.city IS NULL", "SELECT c.name, o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.city IS NULL";
    unread: "outer-join-removal" in "nulls": equal "SELECT o.day FROM orders o LEFT JOIN customer c ON o.customer_id = c.id", "SELECT day FROM orders";
    unread_tested: "outer-join-removal" in "nulls": equal "SELECT o.day FROM orders o LEFT JOIN customer c ON o.code = c.name AND c.id = o.id WHERE c.id IS NOT NULL OR o.total > 3", "SELECT day FROM orders o WHERE total > 3 OR EXISTS (SELECT 1 FROM customer c WHERE o.code = c.name AND c.id = o.id)";
    unread_many: "outer-join-removal" in "nulls": differ "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id", "SELECT name FROM customer";
    unread_no_keys: "outer-join-removal" in "strict": differ "SELECT o.day FROM orders o LEFT JOIN customer c ON o.customer_id = c.id", "SELECT day FROM orders";
    partners: "outer-join-under-distinct" in "strict": equal "SELECT DISTINCT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id", "SELECT DISTINCT name FROM customer";
    partners_counted: "outer-join-under-distinct" in "nulls": differ "SELECT c.name, COUNT(*) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.name", "SELECT name, COUNT(*) FROM customer GROUP BY name";
    outside: "exists-conditions" in "nulls": equal "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.day = c.city AND c.age > 3)", "SELECT name FROM customer c WHERE age > 3 AND EXISTS (SELECT 1 FROM orders o WHERE o.day = c.city)";
    outside_not: "exists-conditions" in "nulls": differ "SELECT name FROM customer c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.day = c.city AND c.age > 3)", "SELECT name FROM customer c WHERE age > 3 AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.day = c.city)";
    transitive: "transitive-pushdown" in "nulls": equal "SELECT c.name, o.n FROM customer c JOIN (SELECT customer_id AS k, COUNT(*) AS n FROM orders GROUP BY customer_id) o ON o.k = c.id WHERE c.id > 7", "SELECT c.name, o.n FROM customer c JOIN (SELECT customer_id AS k, COUNT(*) AS n FROM orders WHERE customer_id > 7 GROUP BY customer_id) o ON o.k = c.id";
    transitive_not: "transitive-pushdown" in "nulls": differ "SELECT c.name, o.n FROM customer c JOIN (SELECT customer_id AS k, COUNT(*) AS n FROM orders GROUP BY customer_id) o ON o.k = c.id WHERE c.age > 7", "SELECT c.name, o.n FROM customer c JOIN (SELECT customer_id AS k, COUNT(*) AS n FROM orders WHERE customer_id > 7 GROUP BY customer_id) o ON o.k = c.id";
    nested_order: "nested-order" in "nulls": equal "SELECT * FROM (SELECT name, age FROM customer ORDER BY name LIMIT 5) ORDER BY name LIMIT 9", "SELECT name, age FROM customer ORDER BY name LIMIT 5";
    nested_order_other: "nested-order" in "nulls": differ "SELECT * FROM (SELECT name, age FROM customer ORDER BY name LIMIT 5) ORDER BY 2", "SELECT name, age FROM customer ORDER BY name LIMIT 5";
    union_constant: "union-constants" in "nulls": equal "SELECT 2, city FROM customer UNION ALL SELECT 2, day FROM orders", "SELECT 2, x FROM (SELECT city AS x FROM customer UNION ALL SELECT day FROM orders)";
    union_constant_not: "union-constants" in "nulls": differ "SELECT 2, city FROM customer UNION ALL SELECT 3, day FROM orders", "SELECT 2, x FROM (SELECT city AS x FROM customer UNION ALL SELECT day FROM orders)";
    grouped_scalar: "grouped-scalar" in "nulls": equal "SELECT c.name, o.day FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.total = (SELECT MAX(x.total) FROM orders x WHERE x.customer_id = c.id)", "SELECT c.name, o.day FROM customer c JOIN orders o ON o.customer_id = c.id JOIN (SELECT customer_id AS k, MAX(total) AS m FROM orders GROUP BY customer_id) g ON g.k = c.id WHERE o.total = g.m";
    grouped_scalar_count: "grouped-scalar" in "nulls": differ "SELECT name FROM customer c WHERE age > (SELECT COUNT(*) FROM orders x WHERE x.customer_id = c.id)", "SELECT name FROM customer c JOIN (SELECT customer_id AS k, COUNT(*) AS m FROM orders GROUP BY customer_id) g ON g.k = c.id WHERE age > g.m";
    left_along_key: "foreign-key-outer-join" in "default": equal "SELECT o.day, c.name FROM orders o LEFT JOIN customer c ON o.customer_id = c.id", "SELECT o.day, c.name FROM orders o JOIN customer c ON o.customer_id = c.id";
    left_along_key_dangling: "foreign-key-outer-join" in "no-fk": differ "SELECT o.day, c.name FROM orders o LEFT JOIN customer c ON o.customer_id = c.id", "SELECT o.day, c.name FROM orders o JOIN customer c ON o.customer_id = c.id";
    left_along_key_turned: "foreign-key-outer-join" in "default": differ "SELECT o.day, c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id", "SELECT o.day, c.name FROM customer c JOIN orders o ON o.customer_id = c.id";
    left_along_key_and_more: "foreign-key-outer-join" in "default": differ "SELECT o.day, c.name FROM orders o LEFT JOIN customer c ON o.customer_id = c.id AND c.age > 3", "SELECT o.day, c.name FROM orders o JOIN customer c ON o.customer_id = c.id AND c.age > 3";
    left_along_key_of_some: "foreign-key-outer-join" in "default": differ "SELECT o.day, c.name FROM orders o LEFT JOIN (SELECT * FROM customer WHERE age > 3) c ON o.customer_id = c.id", "SELECT o.day, c.name FROM orders o JOIN (SELECT * FROM customer WHERE age > 3) c ON o.customer_id = c.id";
    left_along_nullable_key: "foreign-key-outer-join" in "declared": differ "SELECT o.day, c.name FROM orders o LEFT JOIN customer c ON o.code = c.id", "SELECT o.day, c.name FROM orders o JOIN customer c ON o.code = c.id";
    left_along_padded_key: "foreign-key-outer-join" in "default": differ "SELECT d.name FROM customer c LEFT JOIN orders o ON o.total = c.age LEFT JOIN customer d ON o.customer_id = d.id", "SELECT d.name FROM customer c LEFT JOIN orders o ON o.total = c.age JOIN customer d ON o.customer_id = d.id";
    padded_group: "padded-groups" in "nulls": equal "SELECT c.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id HAVING COUNT(*) > 1", "SELECT c.id FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id HAVING COUNT(*) > 1";
    padded_group_of_one: "padded-groups" in "default": differ "SELECT c.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id HAVING COUNT(*) < 3", "SELECT c.id FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id HAVING COUNT(*) < 3";
    padded_group_of_many: "padded-groups" in "default": differ "SELECT c.city FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING COUNT(*) > 1", "SELECT c.city FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING COUNT(*) > 1";
    padded_sum: "padded-groups" in "nulls": equal "SELECT c.city FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING SUM(o.total) > 1", "SELECT c.city FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING SUM(o.total) > 1";
    padded_sum_and_count: "padded-groups" in "default": differ "SELECT c.city, COUNT(*) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING SUM(o.total) > 1", "SELECT c.city, COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING SUM(o.total) > 1";
    padded_sum_of_either: "padded-groups" in "default": differ "SELECT c.city FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING SUM(COALESCE(o.total, c.age)) > 1", "SELECT c.city FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.city HAVING SUM(COALESCE(o.total, c.age)) > 1";
    padded_whole: "padded-groups" in "nulls": equal "SELECT COUNT(o.id), AVG(o.total) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.city = 'a'", "SELECT COUNT(o.id), AVG(o.total) FROM customer c JOIN orders o ON o.customer_id = c.id WHERE c.city = 'a'";
    padded_whole_count: "padded-groups" in "default": differ "SELECT COUNT(*) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id", "SELECT COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id";
    padded_groups_stay: "padded-groups" in "default": differ "SELECT c.id, COUNT(o.id) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id", "SELECT c.id, COUNT(o.id) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id";
    padded_last: "padded-last" in "default": equal "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 1", "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 1";
    padded_last_group: "padded-last" in "default": equal "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id ORDER BY MAX(o.total) DESC LIMIT 1", "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id ORDER BY MAX(o.total) DESC LIMIT 1";
    padded_first: "padded-last" in "default": differ "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id ORDER BY o.total LIMIT 1", "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id ORDER BY o.total LIMIT 1";
    padded_last_of_two: "padded-last" in "default": differ "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 2", "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 2";
    padded_last_alone: "padded-last" in "no-fk": differ "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 1", "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 1";
    padded_last_filtered: "padded-last" in "default": differ "SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.age > 3 ORDER BY o.total DESC LIMIT 1", "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE c.age > 3 ORDER BY o.total DESC LIMIT 1";
    scalar_limit: "scalar-first-row" in "strict": equal "SELECT name FROM customer WHERE age > (SELECT total FROM orders ORDER BY day LIMIT 4)", "SELECT name FROM customer WHERE age > (SELECT total FROM orders ORDER BY day)";
    scalar_limit_offset: "scalar-first-row" in "default": differ "SELECT name FROM customer WHERE age > (SELECT total FROM orders ORDER BY day LIMIT 4 OFFSET 1)", "SELECT name FROM customer WHERE age > (SELECT total FROM orders ORDER BY day)";
    scalar_limit_in: "scalar-first-row" in "default": differ "SELECT name FROM customer WHERE age IN (SELECT total FROM orders ORDER BY day LIMIT 4)", "SELECT name FROM customer WHERE age IN (SELECT total FROM orders ORDER BY day LIMIT 1)";
    first_distinct: "first-of-distinct" in "strict": equal "SELECT DISTINCT age, city FROM customer ORDER BY age DESC LIMIT 1", "SELECT age, city FROM customer ORDER BY age DESC LIMIT 1";
    first_two_distinct: "first-of-distinct" in "default": differ "SELECT DISTINCT age, city FROM customer ORDER BY age DESC LIMIT 2", "SELECT age, city FROM customer ORDER BY age DESC LIMIT 2";
    second_distinct: "first-of-distinct" in "default": differ "SELECT DISTINCT age, city FROM customer ORDER BY age DESC LIMIT 1 OFFSET 1", "SELECT age, city FROM customer ORDER BY age DESC LIMIT 1 OFFSET 1";
    least: "beyond-extreme" in "nulls": equal "SELECT name, city FROM customer WHERE age <= (SELECT MIN(age) FROM customer)", "SELECT name, city FROM customer WHERE age = (SELECT MIN(age) FROM customer)";
    not_most: "beyond-extreme" in "nulls": equal "SELECT name, city FROM customer WHERE age <> (SELECT MAX(age) FROM customer)", "SELECT name, city FROM customer WHERE age < (SELECT MAX(age) FROM customer)";
    least_of_some: "beyond-extreme" in "default": differ "SELECT name, city FROM customer WHERE age <= (SELECT MIN(age) FROM customer WHERE city = 'a')", "SELECT name, city FROM customer WHERE age = (SELECT MIN(age) FROM customer WHERE city = 'a')";
    least_of_other: "beyond-extreme" in "default": differ "SELECT name, city FROM customer WHERE id <= (SELECT MIN(age) FROM customer)", "SELECT name, city FROM customer WHERE id = (SELECT MIN(age) FROM customer)";
    reference: "redundant-reference" in "default": equal "SELECT DISTINCT o.day FROM orders o JOIN customer c ON o.customer_id <= c.id", "SELECT DISTINCT day FROM orders";
    reference_within: "redundant-reference" in "default": equal "SELECT COUNT(*) FROM line l WHERE EXISTS (SELECT 1 FROM orders o JOIN customer c ON o.customer_id >= c.id WHERE o.total = l.amount)", "SELECT COUNT(*) FROM line WHERE amount IN (SELECT total FROM orders)";
    reference_read_other: "redundant-reference" in "default": differ "SELECT DISTINCT c.id FROM orders o JOIN customer c ON o.customer_id <= c.id", "SELECT DISTINCT customer_id FROM orders";
    reference_counted: "redundant-reference" in "default": differ "SELECT o.day FROM orders o JOIN customer c ON o.customer_id <= c.id", "SELECT day FROM orders";
    reference_below: "redundant-reference" in "default": differ "SELECT DISTINCT o.day FROM orders o JOIN customer c ON o.customer_id < c.id", "SELECT DISTINCT day FROM orders";
    reference_dangling: "redundant-reference" in "no-fk": differ "SELECT DISTINCT o.day FROM orders o JOIN customer c ON o.customer_id <= c.id", "SELECT DISTINCT day FROM orders";
    first_of_groups: "grouping-removal" in "default": equal "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.day = 'a' GROUP BY o.id ORDER BY o.total LIMIT 1", "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.day = 'a' ORDER BY o.total LIMIT 1";
    first_of_open_groups: "first-of-distinct" in "default": differ "SELECT name FROM customer GROUP BY city ORDER BY age LIMIT 1", "SELECT name FROM customer ORDER BY age LIMIT 1";
    is_where_true: "null-tests" in "nulls": equal "SELECT DISTINCT c.city FROM customer c LEFT JOIN customer d ON d.age = c.age INTERSECT SELECT name FROM customer", "SELECT DISTINCT c.city FROM customer c INTERSECT SELECT name FROM customer";
    is_where_true_padded: "outer-to-inner" in "default": equal "SELECT o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id INTERSECT SELECT name FROM customer", "SELECT o.day FROM customer c JOIN orders o ON o.customer_id = c.id INTERSECT SELECT name FROM customer";
    is_where_either: "null-tests" in "nulls": differ "SELECT DISTINCT o.day FROM customer c LEFT JOIN orders o ON o.customer_id = c.id INTERSECT SELECT city FROM customer", "SELECT DISTINCT o.day FROM customer c JOIN orders o ON o.customer_id = c.id INTERSECT SELECT city FROM customer";
    groups_told_apart: "grouping-removal" in "default": equal "SELECT DISTINCT id FROM customer GROUP BY city HAVING COUNT(*) > 2", "SELECT id FROM customer GROUP BY city HAVING COUNT(*) > 2";
    groups_not_told_apart: "grouping-removal" in "default": differ "SELECT DISTINCT name FROM customer GROUP BY city HAVING COUNT(*) > 2", "SELECT name FROM customer GROUP BY city HAVING COUNT(*) > 2";
    one_of_group: "trivial-having" in "strict": equal "SELECT city FROM customer GROUP BY city HAVING COUNT(*) <> 1", "SELECT city FROM customer GROUP BY city HAVING COUNT(*) > 1";
    at_most_one: "trivial-having" in "nulls": equal "SELECT age FROM customer GROUP BY age HAVING COUNT(DISTINCT name) <= 1", "SELECT age FROM customer GROUP BY age HAVING COUNT(DISTINCT name) = 1";
    none_of_group: "trivial-having" in "nulls": differ "SELECT age FROM customer GROUP BY age HAVING COUNT(DISTINCT city) <= 1", "SELECT age FROM customer GROUP BY age HAVING COUNT(DISTINCT city) = 1";
    number_pattern: "patterns" in "strict": equal "SELECT name FROM customer WHERE age LIKE '30'", "SELECT name FROM customer WHERE age = 30";
    number_pattern_real: "patterns" in "default": differ "SELECT name FROM customer WHERE score LIKE '30'", "SELECT name FROM customer WHERE score = 30";
    number_pattern_zero: "patterns" in "default": differ "SELECT name FROM customer WHERE age LIKE '030'", "SELECT name FROM customer WHERE age = 30";
}

#[test]
fn every_rule_is_tested() {
    // Here, or in the table of known rewrites, whose tests run on databases as well.
    let tested: BTreeSet<&str> = TESTED
        .iter()
        .copied()
        .chain(rewrites::REWRITES.iter().map(|r| r.rule))
        .collect();
    let all: BTreeSet<&str> = RULES.iter().map(|r| r.name).collect();
    assert_eq!(tested, all);
    assert_eq!(all.len(), RULES.len(), "two rules of one name");
}

#[test]
fn canonical_forms_are_stable() {
    let schema = Schema::from_ddl("shop", DDL).unwrap();
    for sql in include_str!("queries.sql")
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with("--"))
    {
        for preset in twinql_sql::semantics::PRESETS {
            let semantics = Semantics::preset(preset).unwrap();
            let once = canonicalize(&schema, sql, &semantics).unwrap();
            let printed = print::to_sql(&schema, &once.plan).unwrap();
            assert!(once.complete, "{sql}");
            assert!(!printed.contains("unknown column"), "{printed}");
            let twice = twinql_sql::normalize(&schema, once.plan.clone(), &semantics);
            assert_eq!(twice.plan.query, once.plan.query, "{preset}: {sql}\n{printed}");
        }
    }
}

/// Hostile shapes end, within the limits or with an error, and are printed again.
#[test]
fn large_trees_end() {
    let schema = Schema::from_ddl("shop", DDL).unwrap();
    let mut doubling = "SELECT age AS a FROM customer".to_owned();
    let mut nested = "SELECT age FROM customer".to_owned();
    for _ in 0..40 {
        doubling = format!("SELECT a + a AS a FROM ({doubling})");
        nested = format!("SELECT age FROM customer WHERE age IN ({nested})");
    }
    let twins = "customer, ".repeat(11);
    let clones: Vec<String> = (0..12).map(|i| format!("customer c{i}")).collect();
    let texts = [
        doubling,
        nested,
        format!("SELECT COUNT(*) FROM {}", clones.join(", ")),
        format!("SELECT 1 WHERE {}", vec!["1 = 2"; 200].join(" OR ")),
        format!("SELECT COUNT(*) FROM {twins}customer"),
    ];
    for sql in texts {
        if let Ok(canonical) = canonicalize(&schema, &sql, &Semantics::default()) {
            assert!(print::to_sql(&schema, &canonical.plan).is_ok());
        }
    }
}

//! `twinql schema` through the binary, and what other commands say of a schema that was not
//! read in full.

use crate::support::{Folder, says};

const SHOP: &str = "\
CREATE TABLE item (id INTEGER PRIMARY KEY, price REAL CHECK (price > 0), kind TEXT NOT NULL);
CREATE TABEL broken (x INT);
CREATE VIEW dear AS SELECT id, price FROM item WHERE price > 100;
INSERT INTO item VALUES (1, 2.5, 'x');
CREATE TABLE sale (item_id INT REFERENCES item(id), day DATE, n INT, UNIQUE (item_id, day));
";

#[test]
fn schema_show_lists_what_was_read_and_what_was_not() {
    let folder = Folder::with("shop.sql", SHOP);
    let (out, err) = folder.run(&["schema", "show", "shop.sql"], 0);
    for line in [
        "database shop: 2 tables, 1 views",
        "table item",
        "  check \"price\" > 0",
        "  (item_id) refers to item (id)",
        "  unique (item_id, day)",
        "view dear",
        "  line 2: CREATE TABEL broken(x INT): it is no statement that is known here",
        "  line 4: INSERT: data",
    ] {
        assert!(out.lines().any(|l| l == line), "{line:?} is not in\n{out}");
    }
    assert!(out.contains("primary key"), "{out}");
    assert_eq!(err, "");
    let json = folder.json(&["schema", "show", "shop.sql", "--format", "json"]);
    assert_eq!(json[0]["tables"][1]["foreign_keys"][0]["table"], "item");
    assert_eq!(json[0]["views"][0]["columns"], serde_json::json!(["id", "price"]));
    assert_eq!(json[0]["tables"][0]["checks"][0]["enforced"], true);
    let notes = json[0]["notes"].as_array().unwrap();
    assert!(notes.iter().any(|n| n["kind"] == "not_read" && n["line"] == 2), "{notes:?}");
    folder.refuses("schema show shop.sql --db-id other", &["has no database \"other\"; it has shop"]);
    folder.refuses(&["schema", "show", "none.sql"], &["none.sql", "No such file"]);
}

#[test]
fn commands_say_once_what_was_not_read() {
    let folder = Folder::with("shop.sql", SHOP);
    let pair = ["--gold-sql", "SELECT id FROM dear", "--pred-sql", "SELECT id FROM item"];
    let (_, err) = folder.run(&[&["judge", "--schemas", "shop.sql"][..], &pair].concat(), 0);
    let said = err.lines().filter(|l| l.contains("not read")).count();
    assert_eq!(said, 1, "{err}");
    says(&err, &["shop.sql: 1 statement or part of one was not read (shop, line 2: CREATE TABEL broken"]);
    assert!(err.contains("`twinql schema show shop.sql` lists them"), "{err}");
    let whole = "judge --schemas concerts.sql --gold-sql 'SELECT 1' --pred-sql 'SELECT 1'";
    let (_, err) = folder.run(whole, 0);
    assert!(!err.contains("not read"), "{err}");
}

#[test]
fn tables_json_with_keys_and_types_that_point_nowhere_is_noted() {
    let folder = Folder::with(
        "tables.json",
        r#"[{"db_id":"d","table_names_original":["a"],"column_names_original":[[-1,"*"],[0,"id"],[0,"x"]],
        "column_types":["text","number"],"primary_keys":[1],"foreign_keys":[[99,100]]}]"#,
    );
    let (out, _) = folder.run(&["schema", "show", "tables.json"], 0);
    assert!(out.contains("foreign_keys, entry 1: [99,100]: the foreign key is ignored"), "{out}");
    assert!(out.contains("column_types: 2 types for 3 columns"), "{out}");
}

#[test]
fn queries_over_views_are_judged_and_scored() {
    let folder = Folder::with("shop.sql", SHOP.replace("CREATE TABEL broken (x INT);\n", ""));
    let judge = |gold: &str, pred: &str| {
        let args = ["judge", "--schemas", "shop.sql", "--gold-sql", gold, "--pred-sql", pred];
        folder.run(&args, 0).0
    };
    let same = judge(
        "SELECT id FROM dear WHERE price < 200",
        "SELECT id FROM item WHERE price > 100 AND price < 200",
    );
    assert!(same.contains("same"), "{same}");
    let different = judge("SELECT id FROM dear", "SELECT id FROM item");
    says(&different, &["different", "CREATE VIEW"]);
}

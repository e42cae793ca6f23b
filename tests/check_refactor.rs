//! `twinql check-refactor` through the binary.

use std::process::Command;

use crate::support::{Folder, says};

const OLD: &str =
    "CREATE VIEW grown AS SELECT name FROM singer WHERE age > 20;\nSELECT COUNT(*) FROM concert;\n";

fn folder(new: &str) -> Folder {
    let folder = Folder::with("old.sql", OLD);
    folder.write("new.sql", new);
    folder
}

/// Makes a repository of the folder and commits a file or folder in it; false where git is missing.
fn committed(folder: &Folder, what: &str) -> bool {
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: git is missing");
        return false;
    }
    for args in [&["init", "-q"][..], &["add", what], &["commit", "-qm", "first"]] {
        let name = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").args(name).args(args).current_dir(folder.path("")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    true
}

const ASKED: &str = "check-refactor --schemas concerts.sql old.sql new.sql";

#[test]
fn what_is_proved_and_what_differs() {
    let folder = folder(
        "SELECT COUNT(id) FROM concert; CREATE VIEW grown AS SELECT s.name FROM singer s WHERE 20 < s.age",
    );
    let (out, _) = folder.run(ASKED, 0);
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("new.sql (grown): the same: proved"), "{out}");
    assert_eq!(
        lines[1],
        "new.sql (query 2): the same: proved, given keys and NOT NULL hold, primary_key(concert.id)"
    );
    folder.write("new.sql", OLD.replace('>', ">="));
    let (out, _) = folder.run(ASKED, 1);
    says(&out, &["new.sql (grown): NOT the same", "INSERT INTO"]);
    let (report, _) = folder.run(&format!("{ASKED} --format json"), 1);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["failed"], &report["queries"][0]["outcome"]), (&1.into(), &"different".into()));
}

/// No database tests the rows, and the order of the columns shows nevertheless.
#[test]
fn moved_columns_show_where_no_row_is_found() {
    let query = |columns: &str| format!("SELECT {columns} FROM singer WHERE length(name) = 4321");
    let folder = Folder::with("old.sql", query("age, name"));
    folder.write("new.sql", query("name, age"));
    let (out, _) = folder.run(ASKED, 1);
    says(
        &out,
        &[
            "NOT the same: its columns have other names or another order",
            "moved age, name; the same (proved): age, name",
        ],
    );
}

/// Of `bg`, the minimum depends on which rows are joined; of `ie`, it does not.
#[test]
fn what_holds_for_one_owner_of_a_column_is_not_decided() {
    let query = |t: i32| {
        format!(
            "SELECT ie.id, MIN(lactate) FROM ie LEFT JOIN bg ON ie.s = bg.s AND bg.t > {t} GROUP BY ie.id"
        )
    };
    let folder = Folder::with("old.sql", query(1));
    folder.write("new.sql", query(2));
    let (out, _) = folder.run(&format!("{ASKED} --dialect postgres"), 3);
    says(&out, &["not decided: it is the same if the columns are", "lactate may be another table's"]);
}

/// Nothing is known of a function that the new version alone calls, and that a column is gone shows nevertheless.
#[test]
fn a_column_that_is_gone_shows_whatever_is_not_known() {
    let folder = Folder::with("old.sql", "SELECT name, age FROM singer");
    folder.write("new.sql", "SELECT mozfun.told.of(name) AS name FROM singer");
    let (out, _) = folder.run(&format!("{ASKED} --dialect bigquery"), 1);
    says(&out, &["NOT the same: the old query has 2 output columns, the new one 1", "dropped age"]);
}

#[test]
fn what_is_only_tested_is_enough_unless_a_proof_is_asked_for() {
    let folder = Folder::with("old.sql", "SELECT name FROM singer WHERE age > 20 AND age < 40");
    folder.write(
        "new.sql",
        "SELECT name FROM singer WHERE CASE WHEN age > 20 THEN CASE WHEN age >= 40 THEN 0 ELSE 1 END ELSE 0 END = 1",
    );
    let (out, _) = folder.run(ASKED, 0);
    let proved = out.contains("the same: proved");
    assert!(proved || out.contains("as far as tested: no database of"), "{out}");
    folder.run(&format!("{ASKED} --proved"), if proved { 0 } else { 3 });
}

/// The two differ where a name is that long, and no database has such a name.
#[test]
fn branches_that_no_database_came_to_are_named() {
    let query = |doubled: &str, branch: &str| format!("SELECT {doubled}, {branch} FROM singer");
    let folder =
        Folder::with("old.sql", query("ABS(age) * 2", "CASE WHEN length(name) = 4321 THEN 1 ELSE 0 END"));
    folder.write("new.sql", query("ABS(age) + ABS(age)", "0"));
    let (out, _) = folder.run(ASKED, 0);
    says(&out, &["as far as tested", "; the old query: no database came to WHEN length(name) = 4321\n"]);
}

#[test]
fn files_that_cannot_be_compared_are_named() {
    let folder = Folder::with("old.sql", OLD);
    for (new, parts) in [
        ("SELECT 1", &["not compared: 2 queries in the old file, 1 query in the new one"][..]),
        (&OLD.replace("name", "naem"), &["the new query: ", "naem"]),
        ("{% if x %} SELECT 1 {% endif %}", &["dbt compile"]),
    ] {
        folder.write("new.sql", new);
        says(&folder.run(ASKED, 3).0, parts);
    }
    folder.refuses("check-refactor --schemas concerts.sql old.sql", &["--against"]);
    folder.refuses("check-refactor --schemas concerts.sql old.sql none.sql", &["none.sql"]);
}

#[test]
fn folders_are_compared_file_by_file() {
    let folder = Folder::new();
    for (path, text) in [
        ("before/a.sql", "SELECT name FROM singer"),
        ("before/deep/b.sql", "SELECT COUNT(*) FROM {{ ref('concert') }}"),
        ("after/a.sql", "SELECT s.name FROM singer AS s"),
        ("after/deep/b.sql", "SELECT COUNT(1) FROM concert"),
        ("after/new.sql", "SELECT 1"),
    ] {
        folder.write(path, text);
    }
    let (out, _) = folder.run("check-refactor --schemas concerts.sql before after", 0);
    assert_eq!(out.lines().filter(|line| line.contains("the same: proved")).count(), 2, "{out}");
}

#[test]
fn files_against_a_revision() {
    let folder = folder("SELECT 1");
    if !committed(&folder, "old.sql") {
        return;
    }
    folder.write("old.sql", OLD.replace("name", "singer.name"));
    let asked = "check-refactor --schemas concerts.sql --against HEAD old.sql new.sql";
    let (out, err) = folder.run(asked, 0);
    assert!(out.contains("old.sql (grown): the same: proved"), "{out}");
    assert!(err.contains("new.sql: not in HEAD"), "{err}");
    folder.write("old.sql", OLD.replace("name", "age"));
    folder.run(asked, 1);
    for revision in ["no-such", "--output=x"] {
        let args = format!("check-refactor --schemas concerts.sql --against={revision} old.sql");
        folder.refuses(&args, &["--against"]);
    }
}

/// What `ref` names is a table, whatever a common table expression of the same name says.
#[test]
fn references_are_tables() {
    let folder = Folder::new();
    folder.write(
        "old.sql",
        "WITH concert AS (SELECT * FROM {{ ref('concert') }}) SELECT COUNT(*) FROM concert",
    );
    folder.write("new.sql", "SELECT COUNT(*) FROM {{ ref('concert') }}");
    let (out, _) = folder.run(ASKED, 0);
    assert!(out.contains("the same: proved"), "{out}");
    folder.write(
        "old.sql",
        "WITH singer AS (SELECT name FROM {{ ref('concert') }} c JOIN {{ ref('singer') }} s ON 1 = 1 WHERE s.age > 20) SELECT name FROM {{ ref('singer') }}",
    );
    folder.write("new.sql", "SELECT name FROM {{ ref('singer') }} WHERE age > 20");
    folder.run(ASKED, 1);
    folder.write("old.sql", "WITH concert /* few */ AS (SELECT 1 AS x) SELECT * FROM {{ ref('concert') }}");
    folder.write("new.sql", "WITH concert /* few */ AS (SELECT 1 AS x) SELECT * FROM concert");
    folder.run(ASKED, 1);
    folder.write("old.sql", "SELECT * FROM {{ source('a', 'concert') }}");
    folder.write("new.sql", "SELECT * FROM {{ source('b', 'concert') }}");
    says(&folder.run(ASKED, 3).0, &["a.concert and b.concert are two tables"]);
}

/// Without a schema, tables are what the queries take from them; what they do not name is there as well.
#[test]
fn tables_that_nobody_declares() {
    let folder = Folder::with(
        "old.sql",
        "WITH o AS (SELECT * FROM shop.orders) SELECT id, total FROM o WHERE total > 10",
    );
    folder.write("new.sql", "SELECT o.id, o.total FROM shop.orders AS o WHERE 10 < o.total");
    let asked = "check-refactor old.sql new.sql --dialect postgres";
    says(&folder.run(asked, 0).0, &["the same: proved", "columns as they are used: shop.orders"]);
    folder.write("new.sql", "SELECT * FROM shop.orders WHERE 10 < total");
    folder.run(asked, 1);
    folder.write("new.sql", "SELECT id, total FROM old_shop.orders WHERE total > 10");
    folder.run(asked, 1);
}

/// Readers find columns by name: which have changed, and which are what they were.
#[test]
fn columns_are_told_apart() {
    let folder = Folder::with("old.sql", "SELECT id, name, age FROM singer");
    for (new, code, parts) in [
        ("SELECT id, name, age + 1 AS age FROM singer", 1, &["changed age; the same (proved): id, name"][..]),
        ("SELECT id, name AS called, age FROM singer", 1, &["the rows are", "renamed name to called"]),
        ("SELECT age, id, name FROM singer", 1, &["moved id, name, age; the same (proved): id, name, age"]),
        ("SELECT id, name, age, 1 AS one FROM singer", 1, &["added one; the same (proved): id, name, age"]),
        ("SELECT s.id, s.name, s.age FROM singer s", 0, &["the same: proved"]),
    ] {
        folder.write("new.sql", new);
        says(&folder.run(ASKED, code).0, parts);
    }
}

/// A project is its own schema: a changed model, what is below it, and reports for where people look.
#[test]
fn a_project_against_a_revision() {
    let folder = Folder::with("shop/dbt_project.yml", "name: shop");
    for (path, text) in [
        ("shop/seeds/orders.csv", "id,cents\n1,250\n"),
        ("shop/seeds/seeds.yml", "seeds: [{name: orders, columns: [{name: id, tests: [unique, not_null]}]}]"),
        (
            "shop/models/paid.sql",
            "select id, cents / 100.0 as total from {{ ref('orders') }} where cents > 0",
        ),
        ("shop/models/sums.sql", "select count(*) as n, sum(total) as total from {{ ref('paid') }}"),
        ("shop/models/ids.sql", "select id from {{ ref('orders') }}"),
    ] {
        folder.write(path, text);
    }
    if !committed(&folder, "shop") {
        return;
    }
    let asked = "check-refactor --project shop --against HEAD --dialect postgres";
    says(&folder.run(asked, 0).1, &["nothing has changed"]);
    folder.write(
        "shop/models/paid.sql",
        "with o as (select * from {{ ref('orders') }}) select id, cents / 100.0 as total from o where 0 < cents",
    );
    folder.write("shop/models/ids.sql", "select distinct id from {{ ref('orders') }}");
    says(
        &folder.run(asked, 0).0,
        &[
            "(paid): the same: proved",
            "not_null(orders.id) from seeds/seeds.yml",
            "unique(orders.id) from seeds/seeds.yml",
        ],
    );
    folder.write("shop/models/ids.sql", "select id from {{ ref('orders') }}");
    folder
        .write("shop/models/paid.sql", "select id, cents as total from {{ ref('orders') }} where cents > 0");
    let (out, _) = folder.run(&format!("{asked} --report sarif=found.sarif --report github"), 1);
    says(
        &out,
        &[
            "shop/models/paid.sql (paid): NOT the same",
            "changed total; the same (proved): id",
            "(sums (downstream)): NOT the same",
            "changed total; the same (proved): n",
            "::error file=shop/models/paid.sql,line=1",
        ],
    );
    assert!(!out.contains("ids"), "{out}");
    let found: serde_json::Value = serde_json::from_str(&folder.read("found.sarif")).unwrap();
    assert_eq!(found["runs"][0]["results"].as_array().map(Vec::len), Some(2));
    folder.refuses("check-refactor --project shop", &["--against"]);
    folder.refuses("check-refactor --project shop/models --against HEAD", &["dbt_project.yml"]);
}

/// A model has no order, and a query that is read from above has one.
#[test]
fn order_counts_where_it_is_asked_for() {
    let folder = Folder::with("old.sql", "SELECT name FROM singer ORDER BY age");
    folder.write("new.sql", "SELECT name FROM singer");
    folder.run(ASKED, 0);
    folder.run(&format!("{ASKED} --ordered"), 1);
}

/// What alone differs is said, and the cells of rows that have a partner are marked.
#[test]
fn answers_that_are_nearly_the_same() {
    let folder = Folder::with("old.sql", "SELECT name, age FROM singer");
    for (new, part) in [
        ("SELECT DISTINCT name, age FROM singer", "NOT the same (the same but for duplicates)"),
        (
            "SELECT name, age FROM singer WHERE age IS NOT NULL",
            "NOT the same (the same but for rows with NULLs)",
        ),
    ] {
        folder.write("new.sql", new);
        says(&folder.run(ASKED, 1).0, &[part]);
    }
    folder.write("new.sql", "SELECT name, age FROM singer WHERE age > 3");
    let (out, _) = folder.run(ASKED, 1);
    assert!(out.contains("NOT the same") && !out.contains("but for"), "{out}");
    folder.write("new.sql", "SELECT name, age FROM singer ORDER BY age");
    folder.write("old.sql", "SELECT name, age FROM singer ORDER BY age DESC");
    says(
        &folder.run(&format!("{ASKED} --ordered"), 1).0,
        &["NOT the same (the same but for the order of rows)"],
    );
    folder.write("old.sql", "SELECT id, name, age FROM singer");
    folder.write("new.sql", "SELECT id, name, age + 1000 AS age FROM singer");
    let (out, _) = folder.run(&format!("{ASKED} --report markdown=found.md"), 1);
    let marked: Vec<&str> =
        out.lines().filter(|line| line.starts_with("--   ") && line.ends_with(" *")).collect();
    assert!(marked.len() >= 2 && marked.len().is_multiple_of(2), "{out}");
    let table = folder.read("found.md");
    let bold: Vec<&str> = table.lines().filter(|line| line.contains("**<code>")).collect();
    assert!(bold.len() == marked.len() && bold.iter().all(|line| line.matches("**").count() == 2), "{table}");
}

/// A project in a repository, with its first version committed; none where git is missing.
fn project(files: &[(&str, &str)]) -> Option<Folder> {
    let folder = Folder::new();
    for (path, text) in files {
        folder.write(&format!("shop/{path}"), text);
    }
    committed(&folder, "shop").then_some(folder)
}

const PROJECT: &str = "check-refactor --project shop --against HEAD --dialect postgres";

/// A query that moves into a model of its own is followed there, and back.
#[test]
fn models_that_are_split_and_joined() {
    let (one, paid, by_day) = (
        "with paid as (select id, cents / 100 as total, day from {{ ref('orders') }} where cents > 0) select day, sum(total) as total from paid group by day",
        "select id, cents / 100 as total, day from {{ ref('orders') }} where cents > 0",
        "select day, sum(total) as total from {{ ref('paid') }} group by day",
    );
    let seed = ("seeds/orders.csv", "id,cents,day\n1,250,2020-01-01\n");
    let Some(folder) = project(&[("dbt_project.yml", "name: shop"), seed, ("models/by_day.sql", one)]) else {
        return;
    };
    folder.write("shop/models/paid.sql", paid);
    folder.write("shop/models/by_day.sql", by_day);
    says(&folder.run(PROJECT, 0).0, &["(by_day): the same: proved"]);
    folder.write("shop/models/paid.sql", paid.replace('>', ">="));
    says(&folder.run(PROJECT, 1).0, &["(by_day): NOT the same"]);
    let files =
        [("dbt_project.yml", "name: shop"), seed, ("models/by_day.sql", by_day), ("models/paid.sql", paid)];
    let Some(folder) = project(&files) else { return };
    std::fs::remove_file(folder.path("shop/models/paid.sql")).unwrap();
    folder.write("shop/models/by_day.sql", one);
    says(
        &folder.run(PROJECT, 1).0,
        &["(by_day): the same: proved", "(paid): NOT the same: the model is gone"],
    );
}

/// A model that cannot be read is no model that is the same.
#[test]
fn changes_of_what_cannot_be_read() {
    let files = [
        ("dbt_project.yml", "name: shop"),
        ("seeds/orders.csv", "id\n1\n"),
        ("macros/many.sql", "{% macro many() %}{{ run_query('select 1') }}{% endmacro %}"),
        ("models/a.sql", "select {{ many() }} from {{ ref('orders') }}"),
        ("models/b.sql", "select id from {{ ref('orders') }}"),
    ];
    let Some(folder) = project(&files) else { return };
    folder.write("shop/models/a.sql", "select {{ many() }} from {{ ref('orders') }} where id > 1");
    says(&folder.run(PROJECT, 3).0, &["(a): not compared: ", "run_query", "dbt compile"]);
    folder.write("shop/models/a.sql", files[3].1);
    folder.write("shop/macros/many.sql", "{% macro many() %}{{ run_query('select 2') }}{% endmacro %}");
    let (out, _) = folder.run(PROJECT, 3);
    says(&out, &["(a): not compared: "]);
    assert!(!out.contains("(b)"), "{out}");
}

/// Models below a changed one are read as dbt compiled them, if that is of now; a broken manifest is left out.
#[test]
fn what_dbt_compiled_is_compared() {
    let many = "{% macro many() %}{{ run_query('select 1') }}{% endmacro %}";
    let below = "select {{ many() }} from {{ ref('paid') }}";
    let files = [
        ("dbt_project.yml", "name: shop"),
        ("seeds/orders.csv", "id,cents\n1,5\n"),
        ("macros/many.sql", many),
        ("models/paid.sql", "select id, cents as total from {{ ref('orders') }}"),
        ("models/below.sql", below),
    ];
    let Some(folder) = project(&files) else { return };
    let manifest = serde_json::json!({
        "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v11.json"},
        "nodes": {
            "model.shop.below": {
                "resource_type": "model", "package_name": "shop", "name": "below",
                "original_file_path": "models/below.sql", "raw_code": below,
                "compiled_code": "select id, total from \"db\".\"main\".\"paid\"",
                "relation_name": "\"db\".\"main\".\"below\"",
                "depends_on": {"macros": ["macro.shop.many"], "nodes": ["model.shop.paid"]},
            },
            "model.shop.paid": {
                "resource_type": "model", "package_name": "shop", "name": "paid",
                "original_file_path": "models/paid.sql", "relation_name": "\"db\".\"main\".\"paid\"",
            },
        },
        "macros": {"macro.shop.many": {"package_name": "shop", "original_file_path": "macros/many.sql", "macro_sql": many}},
    });
    folder.write("shop/target/manifest.json", manifest.to_string());
    folder.write("shop/models/paid.sql", "select id, cents + 1 as total from {{ ref('orders') }}");
    let (out, err) = folder.run(PROJECT, 1);
    says(&out, &["(below (downstream)): NOT the same: the code in dbt's manifest.json", "changed total"]);
    assert!(!err.contains("not read"), "{err}");
    folder.write("shop/target/manifest.json", "{");
    let (out, err) = folder.run(PROJECT, 1);
    assert!(!out.contains("(below"), "{out}");
    says(
        &err,
        &["target/manifest.json: ", "left out: run dbt again, or remove the file", "below: a template"],
    );
}

/// Models of SQLMesh, as files and as a project.
#[test]
fn models_of_sqlmesh() {
    let model = |query: &str| format!("MODEL (name shop.lines, kind FULL);\n\n@DEF(least, 10);\n{query};\n");
    let folder =
        Folder::with("old.sql", model("SELECT id FROM raw.lines WHERE cents > @least AND day = @start_ds"));
    let asked = "check-refactor old.sql new.sql --dialect postgres";
    folder
        .write("new.sql", model("SELECT l.id FROM raw.lines AS l WHERE @start_ds = l.day AND 10 < l.cents"));
    says(&folder.run(asked, 0).0, &["new.sql (shop.lines): the same: proved"]);
    folder.write("new.sql", model("SELECT id FROM raw.lines WHERE cents > @least AND day = @end_ds"));
    says(&folder.run(asked, 1).0, &["(shop.lines): NOT the same"]);
    folder.write("new.sql", model("SELECT id FROM raw.lines WHERE @AND(cents > 10, day = @start_ds)"));
    says(&folder.run(asked, 3).0, &["not compared: uses the macro @AND", "sqlmesh render"]);
    let lines = "MODEL (name shop.lines);\nSELECT id, cents * 2 AS twice FROM raw.lines";
    let files = [
        ("external_models.yaml", "- name: raw.lines\n  columns: {id: INT, cents: INT}"),
        ("models/lines.sql", lines),
        (
            "models/sums.sql",
            "MODEL (name shop.sums, kind VIEW);\nSELECT COUNT(*) AS n, SUM(twice) AS twice FROM shop.lines",
        ),
    ];
    let Some(folder) = project(&files) else { return };
    folder.write("shop/models/lines.sql", lines.replace("cents * 2", "cents + cents"));
    says(&folder.run(PROJECT, 0).0, &["(shop.lines): the same"]);
    folder.write("shop/models/lines.sql", lines.replace("cents * 2", "cents * 3"));
    says(
        &folder.run(PROJECT, 1).0,
        &[
            "(shop.lines): NOT the same",
            "(shop.sums (downstream)): NOT the same",
            "changed twice; the same (proved): n",
        ],
    );
}

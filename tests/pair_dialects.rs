//! A gold and a prediction in dialects of their own: by flags, by fields of a pair, and guessed.

use serde_json::{Value, json};

use crate::support::{Folder, one_pair, over_pairs, says};

/// The proof's score of a pair, with these flags.
fn proved(folder: &Folder, pair: [&str; 2], flags: &[&str]) -> Value {
    let more = [&["--metric", "proof", "--format", "json"], flags].concat();
    folder.json(&one_pair("score", pair, &more))
}

#[test]
fn each_query_means_what_its_system_means() {
    let folder = Folder::new();
    let half = "SELECT age / 2 FROM singer";
    for (gold, pred, flags, score) in [
        // SQLite cuts whole numbers, MySQL does not.
        (half, "SELECT age DIV 2 FROM singer", ["--pred-dialect", "mysql"], 1.0),
        ("SELECT age DIV 2 FROM singer", half, ["--gold-dialect", "mysql"], 1.0),
        (half, half, ["--pred-dialect", "postgres"], 1.0),
        // SQLite's LIKE ignores case, PostgreSQL's does not.
        (
            "SELECT age FROM singer WHERE name LIKE 'a%'",
            "SELECT age FROM singer WHERE name ILIKE 'a%'",
            ["--pred-dialect", "postgres"],
            1.0,
        ),
    ] {
        let found = proved(&folder, [gold, pred], &flags);
        assert_eq!(found["records"][0]["scores"]["proof"], score, "{gold} | {pred}: {found}");
    }
    for (flags, pred) in [
        (["--pred-dialect", "mysql"], half),
        (["--pred-dialect", "postgres"], "SELECT age FROM singer WHERE name LIKE 'a%'"),
    ] {
        let gold = if pred == half { half } else { "SELECT age FROM singer WHERE name LIKE 'a%'" };
        let found = proved(&folder, [gold, pred], &flags);
        assert_ne!(found["records"][0]["scores"]["proof"], 1.0, "{pred}: {found}");
    }
}

/// Found by reading verdicts on edits that people committed: what two systems give, and what ours gave not.
#[test]
fn what_systems_give_is_the_same() {
    let folder = Folder::new();
    let joined = |outputs: &str| format!("SELECT {outputs} FROM a LEFT JOIN b USING (id)");
    let unnested = |distinct: &str| {
        format!("SELECT {distinct} c.id, x.o FROM c CROSS JOIN UNNEST(c.ids) WITH ORDINALITY AS x (i, o)")
    };
    let ab = "CREATE TABLE a (id INTEGER, x INTEGER); CREATE TABLE b (id INTEGER, y INTEGER);";
    for (dialect, ddl, gold, pred) in [
        ("sqlite", ab, joined("b.*"), joined("b.id, b.y")),
        ("bigquery", ab, joined("b.*"), joined("b.id, b.y")),
        ("trino", ab, joined("b.*"), joined("b.y")),
        (
            "postgres",
            ab,
            "SELECT MAKE_DATE(y, 1, 1) FROM b".into(),
            "SELECT CASE WHEN y IS NOT NULL THEN MAKE_DATE(y, 1, 1) END FROM b".into(),
        ),
        (
            "bigquery",
            ab,
            "SELECT TIME(y, 1, 0) FROM b".into(),
            "SELECT CASE WHEN y IS NOT NULL THEN TIME(y, 1, 0) END FROM b".into(),
        ),
        (
            "snowflake",
            "CREATE TABLE t (x NUMBER);",
            "SELECT x FROM t".into(),
            "SELECT ROUND(x) FROM t".into(),
        ),
        (
            "trino",
            "CREATE TABLE c (id INTEGER NOT NULL, ids ARRAY(VARCHAR), PRIMARY KEY (id));",
            unnested(""),
            unnested("DISTINCT"),
        ),
    ] {
        folder.write("own.sql", ddl);
        let flags = ["--schemas", "own.sql", "--dialect", dialect, "--semantics", "declared"];
        let asked = [&["judge", "--gold-sql", &gold, "--pred-sql", &pred][..], &flags].concat();
        says(&folder.run(&asked, 0).0, &["same as far as tested"]);
        let (proof, _) = folder.run(&[&["prove", "--no-witness", &gold, &pred][..], &flags].concat(), 0);
        assert!(!proof.starts_with("different"), "{dialect}: {gold} | {pred}\n{proof}");
    }
    folder.write("own.sql", ab);
    let asked = ["prove", "--schemas", "own.sql", &joined("b.*"), &joined("b.y")];
    says(&folder.run(&asked, 0).0, &["different: the gold has 2 output columns"]);
}

#[test]
fn signatures_name_what_differs() {
    let folder = Folder::new();
    let pair = ["SELECT age FROM singer", "SELECT age FROM singer"];
    for (flags, shown) in [
        (&["--dialect", "postgres"][..], "|dialect:postgres|semantics"),
        (&["--pred-dialect", "postgres"], "|dialect:sqlite>postgres|semantics"),
        (&["--gold-dialect", "mysql", "--pred-dialect", "mysql"], "|dialect:mysql|ddl:sqlite|semantics"),
        (&["--dialect", "mysql", "--gold-dialect", "sqlite"], "|dialect:sqlite>mysql|ddl:mysql|semantics"),
    ] {
        let found = proved(&folder, pair, flags).to_string();
        assert!(found.contains(shown), "{flags:?}: {found}");
    }
}

#[test]
fn a_pairs_own_dialect_wins_and_a_wrong_one_is_its_error() {
    let folder = Folder::new();
    let ilike = "SELECT age FROM singer WHERE name ILIKE 'a%'";
    let pair = |id: &str, more: Value| {
        let mut line = json!({"id": id, "db_id": "concerts", "gold": ilike, "pred": ilike});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line.to_string() + "\n"
    };
    let lines = [
        pair("own", json!({"gold_dialect": "postgres", "pred_dialect": "postgres"})),
        pair("unknown", json!({"pred_dialect": "sqlserver7"})),
        pair("number", json!({"gold_dialect": 7})),
        pair("flags", json!({})),
        pair("two", json!({"pred": "SELECT age FROM singer WHERE name LIKE 'a%'", "pred_dialect": "sqlite"})),
    ];
    folder.write("pairs.jsonl", lines.concat());
    let args = over_pairs("score", &["--metric", "proof", "--format", "jsonl", "--dialect", "sqlite"]);
    let records = folder.lines(&args);
    assert_eq!(records[0]["scores"]["proof"], 1.0, "{}", records[0]);
    assert_eq!(records[1]["status"], "unsupported", "{}", records[1]);
    says(
        records[1]["error"].as_str().unwrap(),
        &["pred_dialect: unknown dialect \"sqlserver7\"", "sqlite, postgres"],
    );
    assert_eq!(records[2]["status"], "gold_error", "{}", records[2]);
    says(records[2]["error"].as_str().unwrap(), &["\"gold_dialect\" is 7, not a string"]);
    assert_eq!(records[3]["status"], "gold_error", "{}", records[3]);
    let records = folder.lines(&[&args[..args.len() - 1], &["postgres"]].concat());
    assert_eq!(records[3]["scores"]["proof"], 1.0, "{}", records[3]);
    assert_eq!(records[4]["scores"]["proof"], 1.0, "{}", records[4]);
}

/// An error says of which query it is, with that query's flag, and whose SQL the query could be.
#[test]
fn errors_name_the_flag_of_their_query() {
    let folder = Folder::new();
    let plain = "SELECT age FROM singer";
    for (pair, said) in [
        (
            [plain, "SELECT age::int FROM singer"],
            "pred: invalid query: a cast with `::` is not SQLite's: --pred-dialect says whose SQL it is",
        ),
        (
            ["SELECT age::int FROM singer", plain],
            "gold: invalid query: a cast with `::` is not SQLite's: --gold-dialect says whose SQL it is",
        ),
    ] {
        let found = proved(&folder, pair, &[]);
        let error = found["records"][0]["error"].as_str().unwrap();
        says(error, &["; read by ", "postgres"]);
        assert!(error.contains(said), "{error}");
    }
    // Beside a gold of another system nothing excuses what SQLite lacks.
    let found =
        proved(&folder, [plain, "SELECT frobnicate(age) FROM singer"], &["--gold-dialect", "postgres"]);
    assert_eq!(found["records"][0]["status"], "pred_error", "{found}");
    // A function of another system that nothing here has is opaque, and no error of the prediction.
    let opaque = "SELECT frobnicate(age) FROM singer";
    let found = proved(&folder, [plain, opaque], &["--pred-dialect", "generic"]);
    assert_eq!(found["records"][0]["scores"]["proof"], 0.5, "{found}");
    let never = "SELECT age FROM singer WHERE frobnicate(age) > 1 OR 1 = 1";
    let found = proved(&folder, [plain, never], &["--pred-dialect", "snowflake"]);
    assert_eq!(found["records"][0]["scores"]["proof"], 1.0, "{found}");
    // Its name in a translation is no way around the error that SQLite gives.
    let found = proved(&folder, [plain, "SELECT snowflake_frobnicate(age) FROM singer"], &[]);
    assert_eq!(found["records"][0]["status"], "pred_error", "{found}");
}

/// Names are found as the query's system finds them, over whatever DDL.
#[test]
fn one_schema_for_queries_of_several_systems() {
    let folder = Folder::with(
        "pg.sql",
        "CREATE TABLE public.\"Staff\" (\"Id\" integer primary key, \"fullName\" varchar(20), boss integer);",
    );
    let over = |gold: &str, pred: &str, flags: &[&str]| {
        let args = ["score", "--metric", "proof", "--format", "json", "--schemas", "pg.sql"];
        let pair = ["--gold-sql", gold, "--pred-sql", pred, "--dialect", "postgres"];
        folder.json(&[&args[..], &pair[..], flags].concat())["records"][0].clone()
    };
    let sqlite = "SELECT FULLNAME FROM staff WHERE id = 1";
    let found =
        over(sqlite, "SELECT \"fullName\" FROM \"Staff\" WHERE \"Id\" = 1", &["--gold-dialect", "sqlite"]);
    assert_eq!(found["scores"]["proof"], 1.0, "{found}");
    let found = over(sqlite, "SELECT fullName FROM Staff", &["--gold-dialect", "sqlite"]);
    says(found["error"].as_str().unwrap(), &["pred:", "only when it is quoted so"]);
    // And PostgreSQL's query over names that SQLite declared.
    let more = ["--metric", "proof", "--format", "json", "--pred-dialect", "postgres"];
    let pair = ["SELECT Name FROM Singer", "SELECT \"name\" FROM public.singer"];
    let found = folder.json(&one_pair("score", pair, &more));
    assert_eq!(found["records"][0]["scores"]["proof"], 1.0, "{found}");
}

#[test]
fn a_dialect_is_guessed_from_all_queries_and_said() {
    let folder = Folder::new();
    folder.write(
        "gold.txt",
        "SELECT name FROM singer WHERE age > 3\tconcerts\nSELECT [name] FROM singer\tconcerts\n",
    );
    folder.write("pred.txt", "SELECT name FROM singer WHERE age > 3\nSELECT DISTINCT ON (age) age, name FROM singer ORDER BY age\n");
    let args = "score --gold gold.txt --pred pred.txt --schemas concerts.sql --metric relpm --format jsonl --quiet --dialect auto";
    let (_, err) = folder.run(args, 0);
    says(
        &err,
        &[
            "--gold-dialect auto: taken for sqlite",
            "--pred-dialect auto: taken for postgres, which reads 2 of 2 queries",
            "1 of them tell",
        ],
    );
    // What is named is not guessed.
    let (_, err) = folder.run(&args.replace("--dialect auto", "--pred-dialect auto"), 0);
    assert!(!err.contains("--gold-dialect auto") && err.contains("taken for postgres"), "{err}");
    let (out, err) = folder.run(&args.replace("--format jsonl --quiet", "--format json"), 0);
    assert!(out.contains("|dialect:sqlite>postgres|") && err.contains("taken for"), "{out}{err}");
    let plain = ["SELECT age FROM singer"; 2];
    let (_, err) = folder.run(&one_pair("score", plain, &["--metric", "relpm", "--dialect", "auto"]), 0);
    says(&err, &["taken for sqlite", "none of 1 queries tells dialects apart"]);
    folder.write("old.sql", plain[0]);
    folder.refuses(
        "check-refactor --schemas concerts.sql old.sql old.sql --pred-dialect auto",
        &["--pred-dialect auto", "name the dialect"],
    );
}

/// Other commands that take a gold and a prediction, or one of them.
#[test]
fn every_command_reads_each_query_in_its_own() {
    let folder = Folder::new();
    let (half, div) = ("SELECT age / 2 FROM singer", "SELECT age DIV 2 FROM singer");
    let flags = ["--pred-dialect", "mysql"];
    let (out, _) = folder.run(&one_pair("judge", [half, div], &flags), 0);
    assert!(out.starts_with("same"), "{out}");
    let (out, _) = folder.run(&one_pair("judge", [half, half], &flags), 0);
    assert!(out.starts_with("different"), "{out}");
    let (out, _) = folder.run(&one_pair("prove", [half, div], &[&flags[..], &["--no-witness"]].concat()), 0);
    assert!(out.contains("equal") && out.contains("dialect:sqlite>mysql"), "{out}");
    let explained = folder.json(
        &[&["explain", "--schemas", "concerts.sql", half, div, "--format", "json"], &flags[..]].concat(),
    );
    assert_eq!([&explained["verdict"], &explained["pred_dialect"]], ["equal", "mysql"], "{explained}");
    folder.write("old.sql", half);
    folder.write("new.sql", div);
    let (out, _) =
        folder.run("check-refactor --schemas concerts.sql old.sql new.sql --pred-dialect mysql", 0);
    assert!(out.contains("the same: proved"), "{out}");
    folder.write(
        "sets.jsonl",
        format!(
            "{}\n",
            json!({"db_id": "concerts", "pred_dialect": "mysql", "candidates": [div, half, div]})
        ),
    );
    let ranked = folder.lines("rerank --sets sets.jsonl --schemas concerts.sql");
    assert_eq!(
        (&ranked[0]["errors"], &ranked[0]["clusters"]),
        (&json!({}), &json!([[0, 2], [1]])),
        "{ranked:?}"
    );
    folder.write("gold.txt", format!("{half}\tconcerts\n"));
    folder.write("pred.txt", format!("{div}\n"));
    let (out, _) = folder.run("compare --gold gold.txt --schemas concerts.sql --pred pred.txt --metric proof --format json --pred-dialect mysql", 0);
    assert!(out.contains("|dialect:sqlite>mysql|"), "{out}");
    folder.run("suite build --gold gold.txt --schemas concerts.sql --out a.suite", 0);
    let (out, err) = folder.run(
        "suite run --suite a.suite --gold gold.txt --pred pred.txt --format jsonl --pred-dialect mysql",
        0,
    );
    assert!(out.contains("\"right\":1") && err.contains("|dialect:sqlite>mysql|"), "{out}{err}");
    folder.database(
        "db/concerts/concerts.sqlite",
        &format!("{}INSERT INTO singer VALUES (1, 'a', 3);", crate::support::DDL),
    );
    let own = json!({"db_id": "concerts", "gold": half, "pred": div, "pred_dialect": "mysql"});
    folder.write("own.jsonl", format!("{own}\n"));
    let records = folder.lines("execute --pairs own.jsonl --db db --format jsonl");
    assert_eq!(records[0]["verdict"], "same", "{records:?}");
}

/// Golds are audited as they are written, in one dialect.
#[test]
fn golds_of_their_own_dialect_are_audited() {
    let folder = Folder::new();
    let ilike = "SELECT age FROM singer WHERE name ILIKE 'a%'";
    let lines = [
        json!({"db_id": "concerts", "gold": ilike}),
        json!({"db_id": "concerts", "gold": ilike, "gold_dialect": "mysql"}),
    ];
    folder.write("pairs.jsonl", format!("{}\n{}\n", lines[0], lines[1]));
    let args = over_pairs("audit", &["--gold-dialect", "postgres", "--format", "jsonl"]);
    let records = folder.lines(&args);
    assert!(!records[0].to_string().contains("is not SQLite's"), "{}", records[0]);
    says(&records[1].to_string(), &["the gold is mysql's, and golds are read as postgres's: --gold-dialect"]);
}

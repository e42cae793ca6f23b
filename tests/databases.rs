//! Metrics that execute on the users' own databases, through the binary.

use crate::support::{DDL, Folder, json_lines, pair};

const ROWS: &str = "\
INSERT INTO singer VALUES (1, 'Anna', 30), (2, 'Bo', 41), (3, 'Anna', 25);
INSERT INTO concert VALUES (1, 1, 2001), (2, 1, 2002), (3, 2, 2002);
";

/// A folder with `database/concerts/concerts.sqlite` and three pairs over it.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.database("database/concerts/concerts.sqlite", &format!("{DDL}{ROWS}"));
    let lines = [
        pair("a", "SELECT name FROM singer", "SELECT DISTINCT name FROM singer", 1),
        pair("b", "SELECT name, age FROM singer", "SELECT name FROM singer", 0),
        pair("c", "SELECT COUNT(*) FROM singer", "DELETE FROM singer", 0),
    ];
    folder.write("pairs.jsonl", lines.join("\n"));
    folder
}

const ALL: &str = "execution,bird-ex,ves,r-ves,soft-f1,soft-f1:repaired";

#[test]
fn databases_are_all_that_is_needed() {
    let folder = folder();
    let before = folder.bytes("database/concerts/concerts.sqlite");
    let args = format!("score --pairs pairs.jsonl --db database --metric {ALL}");
    let (out, err) = folder.run(&args, 0);
    let found = json_lines(&out);
    let of = |i: usize, name: &str| found[i]["scores"][name].as_f64().unwrap();
    // DISTINCT leaves out a row, and the set of rows as it is.
    assert_eq!((of(0, "execution"), of(0, "bird-ex"), of(0, "soft-f1")), (0.0, 1.0, 1.0));
    assert!(of(0, "ves") < 1.0 && found[0]["details"]["ves"]["ratio"].as_f64().unwrap() < 1.0);
    // One of two columns: found ½ and missed ½ in each row. Published, the repeated name leaves a gold row alone.
    assert!((of(1, "soft-f1") - 0.5).abs() < 1e-9, "{out}");
    assert_eq!((of(1, "bird-ex"), of(1, "ves")), (0.0, 0.0));
    assert_eq!(found[2]["status"], "pred_error");
    assert!(ALL.split(',').all(|name| of(2, name) == 0.0));
    assert!(err.contains("|metric:ves|") && err.contains("|cost:steps"), "{err}");
    assert_eq!(folder.bytes("database/concerts/concerts.sqlite"), before);
    // The same by threads of one process, byte for byte, and beside a metric that reads schemas.
    assert_eq!(folder.run(&format!("{args} --workers threads --threads 1"), 0).0, out);
    let both = "--metric bird-ex,relpm --schemas concerts.sql --format json";
    let both = folder.json(&format!("score --pairs pairs.jsonl --db database {both}"));
    assert!((both["mean"]["bird-ex"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-9);
}

#[test]
fn repeats_are_counted() {
    let folder = folder();
    let args = "score --pairs pairs.jsonl --db database --metric r-ves --repeats 3";
    let (out, err) = folder.run(&format!("{args} --cost time"), 0);
    assert_eq!(json_lines(&out)[0]["details"]["r-ves"]["runs"], 3);
    assert!(err.contains("|cost:time|repeats:3"), "{err}");
    folder.refuses(args, &["--repeats", "--cost time"]);
}

#[test]
fn labels_are_compared_with_execution() {
    let folder = folder();
    let args = "evaluate --pairs pairs.jsonl --db database --metric bird-ex --resamples 10 --format json";
    let report = folder.json(args);
    assert_eq!(report["metrics"][0]["auc"]["estimate"], 1.0, "{report}");
}

#[test]
fn databases_that_cannot_be_used_are_said_before_anything_is_scored() {
    let folder = folder();
    let args = "score --pairs pairs.jsonl --metric bird-ex";
    folder.refuses(args, &["bird-ex", "--db FOLDER"]);
    let idle = "score --pairs pairs.jsonl --schemas concerts.sql --metric relpm --db database";
    folder.refuses(idle, &["--db is read only by", "ask for one of these metrics too"]);
    folder.refuses(&format!("{args} --db nowhere"), &["nowhere"]);
    for id in ["concerts", "hollow", "absent"] {
        folder.write(&format!("schemas/{id}.sql"), DDL);
    }
    let more = ["hollow", "absent"].map(|id| pair(id, "SELECT 1", "SELECT 1", 1).replace("concerts", id));
    folder.write("pairs.jsonl", format!("{}\n{}", folder.read("pairs.jsonl"), more.join("\n")));
    folder.write("database/hollow/hollow.sqlite", "");
    folder.refuses(
        &format!("{args} --db database --schemas schemas"),
        &["2 of 3 databases", "hollow.sqlite: the file is empty", "absent/absent.sqlite"],
    );
}

//! `twinql suite` through the binary.

use crate::support::{Folder, json_lines};

const GOLD: &str = "SELECT name FROM singer WHERE age > 3\tconcerts\nSELECT COUNT(*) FROM singer\tconcerts\n";
const BUILD: [&str; 7] = ["suite", "build", "--gold", "gold.sql", "--schemas", "concerts.sql", "--out"];

#[test]
fn build_run_and_show() {
    let folder = Folder::with("gold.sql", GOLD);
    folder.write("good.txt", "SELECT name FROM singer WHERE 3 < age\nSELECT COUNT(id) FROM singer\n");
    folder.write("bad.txt", "SELECT name FROM singer WHERE age >= 3\nSELECT\n");
    folder.write("blank.txt", "SELECT name FROM singer WHERE age > 1\nSELECT COUNT(*) FROM singer\n");
    let (_, err) = folder.run(&[&BUILD[..], &["a.suite"]].concat(), 0);
    assert!(err.contains("distinguished") && err.contains("|suite:"), "{err}");
    folder.run(&[&BUILD[..], &["b.suite", "--threads", "1", "--resume"]].concat(), 0);
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(bytes("a.suite"), bytes("b.suite"));
    assert!(!folder.path("a.suite.partial").exists());

    let run = ["suite", "run", "--suite", "a.suite", "--gold", "gold.sql"];
    let two = ["--pred", "good.txt", "--pred", "bad.txt"];
    let (table, _) = folder.run(&[&run[..], &two, &["--out", "verdicts.jsonl"]].concat(), 0);
    let cells = |name: &str| {
        let line = table.lines().find(|l| l.starts_with(name)).unwrap();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    // Right in all, and predictions that could not be run.
    assert_eq!(cells("good")[5..], ["100.0", "0", "0"], "{table}");
    assert_eq!(cells("bad")[5..], ["0.0", "0", "1"], "{table}");
    let verdicts = json_lines(&folder.read("verdicts.jsonl"));
    assert_eq!(verdicts.len(), 4);
    assert_eq!((&verdicts[2]["system"], &verdicts[2]["verdict"]), (&"bad".into(), &"different".into()));
    assert_eq!((&verdicts[3]["status"], &verdicts[3]["score"]), (&"pred_error".into(), &0.into()));
    assert!(verdicts.iter().all(|v| v["hardness"] == "easy"));
    folder.run(&[&run[..], &two, &["--fail-under", "0.5"]].concat(), 1);

    // The gold's 3 stands in for a value that was never predicted.
    let blank = ["--pred", "blank.txt", "--format", "json"];
    for (plug, right) in [(&["--plug-values"][..], 2), (&[][..], 1)] {
        let json = folder.json(&[&run[..], &blank, plug].concat());
        assert_eq!(json["systems"][0]["accuracy"]["all"]["right"], right);
    }

    let (out, _) = folder.run(&["suite", "show", "a.suite"], 0);
    assert!(out.contains("concerts") && out.contains("|metric:suite|"), "{out}");
    let one = ["suite", "show", "a.suite", "--db-id", "concerts", "--database"];
    let (out, _) = folder.run(&[&one[..], &["0"]].concat(), 0);
    assert!(out.starts_with("CREATE TABLE"), "{out}");
    folder.refuses(&[&one[..], &["999"]].concat(), &["numbered from 0"]);
}

/// A prediction that differs only where two singers share the largest age passes, and the signature says why.
#[test]
fn a_suite_of_plausible_databases() {
    let folder = Folder::with("gold.sql", "SELECT name FROM singer ORDER BY age DESC LIMIT 1\tconcerts\n");
    folder.write("odd.txt", "SELECT name FROM singer WHERE age = (SELECT MAX(age) FROM singer)\n");
    folder.write("wrong.txt", "SELECT name FROM singer ORDER BY age LIMIT 1\n");
    let (_, err) = folder.run(&[&BUILD[..], &["a.suite", "--plausible"]].concat(), 0);
    assert!(err.contains("distinguished") && err.contains("|plausible"), "{err}");
    folder.run(&[&BUILD[..], &["b.suite", "--plausible", "--threads", "1"]].concat(), 0);
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(bytes("a.suite"), bytes("b.suite"));
    let run = ["suite", "run", "--suite", "a.suite", "--gold", "gold.sql", "--format", "json"];
    for workers in ["threads", "processes"] {
        let preds = ["--pred", "odd.txt", "--pred", "wrong.txt", "--workers", workers];
        let json = folder.json(&[&run[..], &preds].concat());
        let right = |system: usize| json["systems"][system]["accuracy"]["all"]["right"].clone();
        assert_eq!((right(0), right(1)), (1.into(), 0.into()), "{json}");
        assert!(json["signature"].as_str().unwrap().contains("|plausible"), "{json}");
    }
    let values = ["x.suite", "--plausible", "--values-from", "values.sqlite"];
    folder.refuses(&[&BUILD[..], &values].concat(), &["--plausible", "--values-from"]);
}

#[test]
fn queries_of_other_dialects() {
    let folder = Folder::new();
    // MySQL's strings in double quotes, and || as OR.
    folder.write("gold.sql", "SELECT name FROM singer WHERE name = \"x\" || age = 1\tconcerts\n");
    folder.write("pred.txt", "SELECT `name` FROM singer WHERE age = 1 || name = \"x\"\n");
    folder.write("odd.txt", "SELECT name FROM singer FOR UPDATE NOWAIT OF\n");
    let mysql = ["--dialect", "mysql"];
    let (_, err) = folder.run(&[&BUILD[..], &["a.suite"], &mysql].concat(), 0);
    assert!(err.contains("|dialect:mysql|"), "{err}");
    let run = ["suite", "run", "--suite", "a.suite", "--gold", "gold.sql", "--format", "jsonl", "--pred"];
    let right = |pred: &str, dialect: &[&str]| {
        let (out, err) = folder.run(&[&run[..], &[pred], dialect].concat(), 0);
        (json_lines(&out)[0]["accuracy"]["all"]["right"].clone(), err)
    };
    let (n, err) = right("pred.txt", &mysql);
    assert!(n == 1 && !err.contains("not distilled"), "{n} {err}");
    assert_eq!(right("odd.txt", &mysql).0, 0);
    assert!(right("pred.txt", &[]).1.contains("not distilled for 1 of 1"));
}

#[test]
fn bad_input_is_named() {
    let folder = Folder::with("gold.sql", "SELECT name FROM singer\tsongs\n");
    folder.write("no.suite", "nothing");
    folder.refuses(&["suite", "show", "no.suite"], &["no.suite", "gzip", "suite build"]);
    folder.refuses(&["suite", "show", "missing.suite"], &["missing.suite"]);
    folder.refuses(&[&BUILD[..], &["x.suite"]].concat(), &["gold.sql, line 1", "songs"]);
    let run = ["suite", "run", "--suite", "no.suite", "--gold", "gold.sql", "--pred", "gold.sql"];
    folder.refuses(&run, &["no.suite"]);
}

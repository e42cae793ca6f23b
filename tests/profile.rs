//! `twinql profile` and `--profile` through the binary.

use crate::support::{Folder, says, words};

const CONCERTS: &str = "\
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER);
CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER NOT NULL REFERENCES singer(id), year INTEGER);
INSERT INTO singer VALUES (1, 'Anna Zumbrunn', 30), (2, 'Bo Zumbrunn', 41), (3, 'Anna Zumbrunn', 25), (4, 'Cy Zumbrunn', 41);
INSERT INTO concert VALUES (1, 1, 2001), (2, 1, 2002), (3, 2, 2002), (4, 3, 2005), (5, 3, 2006), (6, 4, 2009);
";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.database("real.sqlite", CONCERTS);
    folder
}

/// Two singers have one name, so that a name does not say which singer it is.
const PAIR: [&str; 6] = [
    "--schemas",
    "concerts.sql",
    "--gold-sql",
    "SELECT s.name, COUNT(*) FROM singer s JOIN concert c ON c.singer_id = s.id GROUP BY s.id",
    "--pred-sql",
    "SELECT s.name, COUNT(*) FROM singer s JOIN concert c ON c.singer_id = s.id GROUP BY s.name",
];

fn score(folder: &Folder, more: &[&str]) -> serde_json::Value {
    let asked = ["--metric", "expected-ex", "--format", "json"];
    folder.json(&[&["score"][..], &PAIR, &asked, more].concat())
}

#[test]
fn scores_follow_a_profile_and_signatures_say_so() {
    let folder = folder();
    folder.run("profile real.sqlite --out p.json", 0);
    let text = folder.read("p.json");
    assert!(
        text.contains("\"twinql-profile\"") && !text.contains("Zumbrunn") && !text.contains("Anna"),
        "{text}"
    );
    let plain = score(&folder, &[]);
    let told = score(&folder, &["--profile", "p.json"]);
    let of = |v: &serde_json::Value| v["mean"]["expected-ex"].as_f64().unwrap();
    assert!(of(&told) < of(&plain), "{} {}", of(&told), of(&plain));
    let signature = |v: &serde_json::Value| v["signatures"]["expected-ex"].as_str().unwrap().to_owned();
    assert!(!signature(&plain).contains("profile:"));
    assert!(signature(&told).contains("|profile:"), "{}", signature(&told));
    // Threads and processes follow it alike, and so does a profile that was edited.
    assert_eq!(of(&score(&folder, &["--profile", "p.json", "--workers", "threads"])), of(&told));
    let (singer, concert) = text.split_once("\"concert\": {").unwrap();
    let singer =
        singer.replace("\"unique\": false", "\"unique\": true").replace("\"distinct\": 3", "\"distinct\": 4");
    let edited = [&singer, concert].join("\"concert\": {");
    folder.write("edited.json", edited);
    let edited = score(&folder, &["--profile", "edited.json"]);
    assert!(of(&edited) > of(&told));
    assert_ne!(signature(&edited), signature(&told));
}

#[test]
fn a_folder_of_databases_gives_lines() {
    let folder = folder();
    folder.database("database/concerts/concerts.sqlite", CONCERTS);
    folder.run(&["profile", "database", "--out", "all.jsonl"], 0);
    let first = score(&folder, &["--profile", "all.jsonl"]);
    folder.run(&["profile", "real.sqlite", "--db-id", "concerts", "--out", "profiles/concerts.json"], 0);
    let second = score(&folder, &["--profile", "profiles"]);
    assert_eq!(first["mean"], second["mean"]);
}

#[test]
fn values_are_told_with_a_word_of_warning() {
    let folder = folder();
    let (out, err) = folder.run(&["profile", "real.sqlite", "--values", "2"], 0);
    assert!(out.contains("Anna Zumbrunn") && !out.contains("Bo Zumbrunn"), "{out}");
    assert!(err.contains("look at them before you share it"), "{err}");
}

#[test]
fn statistics_of_postgres_give_a_profile() {
    let folder = folder();
    folder.write(
        "stats.csv",
        "schemaname,tablename,attname,null_frac,n_distinct,most_common_vals,most_common_freqs,histogram_bounds\n\
         public,singer,id,0,-1,,,\"{1,2,3,4}\"\n\
         public,singer,name,0,-0.75,\"{\"\"Anna Zumbrunn\"\"}\",{0.5},\"{Bo,Cy}\"\n",
    );
    folder.write("class.csv", "relname,reltuples\nsinger,4\nconcert,6\n");
    let from = ["profile", "--pg-stats", "stats.csv", "--pg-class", "class.csv", "--db-id", "concerts"];
    let (out, _) = folder.run(&from, 0);
    assert!(!out.contains("Zumbrunn") && out.contains("\"distinct\": 3"), "{out}");
    folder.write("p.json", &out);
    assert!(score(&folder, &["--profile", "p.json"])["mean"]["expected-ex"].is_number());
    folder.write("broken.csv", "tablename,attname,null_frac,n_distinct\nt,a,x,1\n");
    folder.refuses(&["profile", "--pg-stats", "broken.csv"], &["broken.csv", "line 2", "null_frac"]);
}

#[test]
fn what_cannot_be_measured_says_how_it_could_be() {
    let folder = folder();
    folder.refuses(&["profile"], &["--pg-stats"]);
    folder.refuses(&["profile", "none.sqlite"], &["none.sqlite"]);
}

#[test]
fn witnesses_and_suites_follow_a_profile() {
    let folder = folder();
    folder.run("profile real.sqlite --out p.json", 0);
    let judged = |more: &[&str]| {
        let (out, _) = folder.run(&[&["judge"][..], &PAIR, &["--format", "jsonl"], more].concat(), 0);
        serde_json::from_str::<serde_json::Value>(out.trim()).unwrap()
    };
    let (plain, told) = (judged(&[]), judged(&["--profile", "p.json"]));
    let share = |record: &serde_json::Value| {
        let found = &record["witness"]["plausibility"];
        found["differ"].as_f64().unwrap() / found["databases"].as_f64().unwrap()
    };
    // Names repeat in the real database, so that it is plausible that they tell the two apart.
    assert!(share(&told) > share(&plain), "{told}\n{plain}");
    assert_eq!(told["witness"]["sql"], plain["witness"]["sql"]);
    assert_eq!(judged(&["--profile", "p.json", "--workers", "threads"]), told);

    folder.write("gold.sql", format!("{}\tconcerts\n", PAIR[3]));
    folder.write("pred.sql", format!("{}\n", PAIR[5]));
    let build = words("suite build --gold gold.sql --schemas concerts.sql --plausible --neighbours 20");
    let right = |name: &str, more: &[&str]| {
        folder.run(&[&build[..], &["--out", name], more].concat(), 0);
        let run =
            ["suite", "run", "--suite", name, "--gold", "gold.sql", "--pred", "pred.sql", "--format", "json"];
        folder.json(&run)["systems"][0]["accuracy"]["all"]["right"].clone()
    };
    assert_eq!(
        (right("plain.suite", &[]), right("told.suite", &["--profile", "p.json"])),
        (1.into(), 0.into())
    );
    folder.refuses(&[&build[..6], &["--out", "x.suite", "--profile", "p.json"]].concat(), &["--plausible"]);
}

#[test]
fn a_profile_that_does_not_fit_is_refused() {
    let folder = folder();
    folder.run("profile real.sqlite --out p.json", 0);
    let with = |name| [&["score"][..], &PAIR, &["--metric", "expected-ex", "--profile", name]].concat();
    let text = folder.read("p.json");
    for (name, text, parts) in [
        (
            "other.json",
            text.replace("\"singer\": {", "\"sinner\": {"),
            &[
                "profile of concerts: tables.sinner: the schema concerts has no table of this name",
                "it has singer, concert",
            ][..],
        ),
        (
            "more.json",
            text.replace("\"distinct\": 4", "\"distinct\": 400"),
            &["tables.singer.columns.id.distinct: 400 distinct values in 4 rows"],
        ),
        (
            "typo.json",
            text.replacen("\"distinct\"", "\"distinkt\"", 1),
            &["typo.json: tables.singer.columns.id: unknown field `distinkt`"],
        ),
        ("none.json", "{}".into(), &["none.json: format: must be \"twinql-profile\""]),
    ] {
        folder.write(name, text);
        folder.refuses(&with(name), parts);
    }
    folder.refuses(&with("nowhere.json"), &["nowhere.json"]);
    let unused = [&["score"][..], &PAIR, &["--metric", "relpm", "--profile", "p.json"]].concat();
    folder.refuses(&unused, &["--profile", "expected-ex"]);
    // What a real database may hold against its declaration is said, and the rest is followed.
    folder.write("nulls.json", text.replace("\"null_share\": 0.0", "\"null_share\": 0.25"));
    says(&folder.run(&with("nulls.json"), 0).1, &["tables.singer.columns.id.null_share: the schema says"]);
}

//! `twinql serve` through the binary, over the loopback interface.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::support::server::Server;
use crate::support::{Folder, one_pair, says};
use serde_json::{Value, json};

const DDL: &str = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER NOT NULL);";

#[test]
fn scores_in_all_forms() {
    let server = Server::start(&[]);
    let (gold, same, other) = (
        "SELECT name FROM singer WHERE age > 20",
        "SELECT name FROM singer WHERE 20 < age",
        "SELECT age FROM singer",
    );
    let one = server.asked("/score", &json!({"schema": DDL, "gold": gold, "pred": same}));
    assert_eq!(one["results"][0]["status"], "ok");
    assert!(one["results"][0]["scores"]["gmn"].as_f64().unwrap() > 0.9, "{one}");
    assert_eq!(one["results"][0]["decisions"]["gmn"], "same");
    assert!(one["signatures"]["gmn"].as_str().unwrap().contains("metric:gmn"));
    // One bad pair does not spoil the others, and a pair's own schema goes first.
    let pairs = json!([
        {"id": "a", "gold": gold, "pred": same},
        {"id": "b", "gold": gold, "pred": "SELECT nothing"},
        {"gold": "SELECT x FROM t", "pred": "SELECT t.x FROM t", "schema": "CREATE TABLE t (x INTEGER)"},
        {"gold": gold, "pred": same, "db_id": "no_such"},
    ]);
    let many = server.asked("/score", &json!({"schema": DDL, "pairs": pairs, "metrics": ["proof", "exact"]}));
    let column = |key: &str| -> Vec<Value> {
        many["results"].as_array().unwrap().iter().map(|r| r[key].clone()).collect()
    };
    assert_eq!(column("id"), [json!("a"), json!("b"), json!(2), json!(3)]);
    assert_eq!(column("status"), ["ok", "pred_error", "ok", "gold_error"]);
    assert_eq!(many["results"][2]["scores"]["proof"], 1.0);

    let list = server
        .asked("/v1/score", &json!({"model": "m", "schema": DDL, "text_1": gold, "text_2": [same, other]}));
    assert_eq!((&list["object"], &list["model"]), (&json!("list"), &json!("m")));
    let scores: Vec<f64> =
        list["data"].as_array().unwrap().iter().map(|item| item["score"].as_f64().unwrap()).collect();
    assert!(scores[0] > 0.9 && scores[1] < 0.1, "{scores:?}");

    let classes = server.asked("/predict", &json!({"schema": DDL, "inputs": [gold, same]}));
    assert_eq!(classes[0]["label"], "same");
    let classes = server.asked("/predict", &json!({"schema": DDL, "inputs": [[gold, other], [gold, same]]}));
    assert_eq!((&classes[0][0]["label"], &classes[1][0]["label"]), (&json!("different"), &json!("same")));

    let ranks = server.asked(
        "/rerank",
        &json!({"schema": DDL, "query": gold, "texts": [other, same], "return_text": true}),
    );
    assert_eq!((&ranks[0]["index"], &ranks[0]["text"]), (&json!(1), &json!(same)));
    // Without a gold they are ranked by how far they agree.
    for method in [json!(null), json!("majority"), json!("mbr")] {
        let request =
            json!({"schema": DDL, "texts": [other, same, "SELECT nothing", gold], "method": method});
        let ranks = server.asked("/rerank", &request);
        let places: Vec<&Value> = ranks.as_array().unwrap().iter().map(|r| &r["index"]).collect();
        assert_eq!(places, [1, 3, 0, 2], "{ranks}");
    }
    let documents = json!([other, {"text": same}]);
    let ranked = server
        .asked("/v2/rerank", &json!({"schema": DDL, "query": gold, "documents": documents, "top_n": 1}));
    assert_eq!(ranked["results"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&ranked["results"][0]["index"], &ranked["results"][0]["document"]["text"]),
        (&json!(1), &json!(same))
    );
}

#[test]
fn scores_are_those_of_the_command_line() {
    let server = Server::start(&["--db-id", "concerts"]);
    let (gold, pred) = ("SELECT name FROM singer ORDER BY age LIMIT 3", "SELECT name FROM singer LIMIT 3");
    let served = server.asked("/score", &json!({"gold": gold, "pred": pred, "metrics": ["gmn", "relpm"]}));
    let folder = Folder::new();
    let own = folder.json(&one_pair("score", [gold, pred], &["--metric", "gmn,relpm", "--format", "jsonl"]));
    assert_eq!(served["results"][0]["scores"], own["scores"]);
}

#[test]
fn verdicts_and_explanations() {
    let server = Server::start(&[]);
    let pair = json!({"schema": DDL, "gold": "SELECT name FROM singer", "pred": "SELECT name FROM singer WHERE age > 20"});
    let judged = server.asked("/judge", &pair);
    assert_eq!(judged["verdict"], "different");
    assert!(judged["witness"]["sql"].as_str().unwrap().contains("INSERT INTO"), "{judged}");
    let explained = server.asked("/explain", &pair);
    assert_eq!(explained["verdict"], "unknown");
    assert!(explained["network"]["probability"].is_number(), "{explained}");
    assert!(!explained["pred"]["canonical"].as_array().unwrap().is_empty());
    let pair = json!({"schema": DDL, "gold": "SELECT name FROM singer", "pred": "SELECT name FROM sanger"});
    let refused = server.post("/explain", &pair);
    assert_eq!(refused.status, 422);
    assert!(refused.json()["error"].as_str().unwrap().contains("sanger"), "{}", refused.body);
}

#[test]
fn rewards_as_trainers_ask_for_them() {
    let server = Server::start(&[]);
    let gold = "SELECT name FROM singer WHERE age > 20";
    let one = json!({
        "schema": DDL, "prompts": ["Names?"], "labels": [gold],
        "query": ["Names?```sql\nSELECT name FROM singer WHERE 20 < age\n```"],
    });
    let rewarded = server.asked("/get_reward", &one);
    assert_eq!((&rewarded["rewards"], &rewarded["extra_logs"]["extracted"]), (&json!(1.0), &json!(1.0)));
    let label = json!({"gold": gold, "schema": DDL}).to_string();
    let many = json!({"query": ["SELECT age FROM singer;", "no"], "labels": [label.clone(), label]});
    let rewarded = server.asked("/get_reward", &many);
    let rewards: Vec<f64> =
        rewarded["rewards"].as_array().unwrap().iter().map(|r| r.as_f64().unwrap()).collect();
    assert!(rewards.len() == 2 && rewards.iter().all(|r| *r < 0.5), "{rewarded}");
    let rollout = json!({
        "responses_create_params": {"input": []}, "sql": gold, "sql_context": DDL, "sql_dialect": "sqlite", "uuid": "u",
        "response": {"output": [{"type": "message", "content": [{"type": "output_text", "text": "```sql\nSELECT name FROM singer WHERE age > 20\n```"}]}]},
    });
    let verified = server.asked("/verify", &rollout);
    assert_eq!((&verified["reward"], &verified["uuid"]), (&json!(1.0), &json!("u")));
    assert_eq!(server.post("/verify", &json!({"sql": gold})).status, 422);
}

#[test]
fn each_query_is_read_in_its_own_dialect() {
    let server = Server::start(&[]);
    let (half, div) = ("SELECT age / 2 FROM singer", "SELECT age DIV 2 FROM singer");
    let pairs = json!([
        {"gold": half, "pred": div, "pred_dialect": "mysql"},
        {"gold": div, "pred": half, "gold_dialect": "mysql"},
        // A pair that names one for all says nothing else of either.
        {"gold": half, "pred": half, "dialect": "sqlite"},
        {"gold": half, "pred": half},
        {"gold": half, "pred": half, "pred_dialect": "cobol"},
    ]);
    let request = json!({"schema": DDL, "pairs": pairs, "metrics": ["proof"], "pred_dialect": "sqlite", "gold_dialect": "sqlite"});
    let found = server.asked("/score", &request);
    for at in 0..4 {
        assert_eq!(found["results"][at]["scores"]["proof"], 1.0, "{at}: {found}");
    }
    assert_eq!(found["results"][4]["status"], "unsupported", "{found}");
    let error = found["results"][4]["error"].as_str().unwrap();
    assert!(error.contains("pred_dialect: unknown dialect \"cobol\"; the dialects are sqlite"), "{error}");
    let request = json!({"schema": DDL, "gold": half, "pred": half, "pred_dialect": "mysql"});
    assert_eq!(server.asked("/judge", &request)["verdict"], "different");
    let request = json!({"schema": DDL, "gold": half, "pred": div, "pred_dialect": "mysql"});
    assert_eq!(server.asked("/explain", &request)["verdict"], "equal");
    let label = json!({"gold": half, "schema": DDL, "pred_dialect": "mysql"}).to_string();
    let rewarded =
        server.asked("/get_reward", &json!({"query": [div, half], "labels": [label.clone(), label]}));
    assert_eq!(rewarded["rewards"][0], 1.0, "{rewarded}");
    assert!(rewarded["rewards"][1].as_f64().unwrap() < 1.0, "{rewarded}");
}

/// The requests that documents show: their bodies, sent to this server.
#[test]
fn documented_requests_are_answered() {
    let server = Server::start(&[]);
    let help = Folder::new().run(&["serve", "--help"], 0).0;
    for page in [include_str!("../docs/server.md"), help.as_str()] {
        let body = page.split_once("-d '").unwrap().1.split_once("}'").unwrap().0;
        let answer = server.asked("/score", &serde_json::from_str(&format!("{body}}}")).unwrap());
        assert_eq!(answer["results"][0]["status"], "ok");
        assert_eq!(answer["results"][0]["decisions"]["gmn"], "same");
    }
}

#[test]
fn what_the_server_says_of_itself() {
    let server = Server::start(&[]);
    assert_eq!(server.get("/health").json()["status"], "ok");
    assert_eq!(server.get("/databases").json(), json!(["concerts"]));
    assert!(server.get("/info").json()["checkpoint"].as_str().unwrap().len() >= 8);
    let paths = server.get("/openapi.json").json();
    for path in [
        "/score",
        "/rerank",
        "/predict",
        "/get_reward",
        "/verify",
        "/judge",
        "/explain",
        "/health",
        "/metrics",
    ] {
        assert!(paths["paths"][path].is_object(), "{path} is not described");
    }
    server.asked("/score", &json!({"schema": DDL, "gold": "SELECT 1", "pred": "SELECT 1"}));
    let metrics = server.get("/metrics");
    assert!(metrics.head.contains("application/openmetrics-text"));
    let counts = [
        "twinql_requests_total{path=\"/score\",status=\"200\"} 1",
        "twinql_pairs_total{status=\"ok\"} 1",
        "twinql_request_duration_seconds_count{path=\"/score\"} 1",
    ];
    says(&metrics.body, &counts);
    let page = server.get("/");
    assert!(page.head.contains("content-security-policy: default-src 'none'"), "{}", page.head);
    assert!(
        page.body.contains("<h1>twinql</h1>") && !page.body.contains("https://"),
        "nothing is loaded from elsewhere"
    );
}

#[test]
fn what_is_refused() {
    let server = Server::start(&["--most-pairs", "2", "--most-body", "4"]);
    let pair = json!({"gold": "SELECT 1", "pred": "SELECT 1"});
    for (body, status, word) in [
        (json!({"pairs": [pair, pair, pair]}).to_string(), 413, "--most-pairs"),
        (json!({"pairs": []}).to_string(), 422, "no pair"),
        (json!({"gold": "SELECT 1"}).to_string(), 422, "`pred`"),
        (json!({"gold": "SELECT 1", "pred": "SELECT 1", "metrics": ["bleu-9"]}).to_string(), 422, "bleu-9"),
        (
            json!({"gold": "SELECT 1", "pred": "SELECT 1", "metrics": ["ves"]}).to_string(),
            422,
            "databases of your own",
        ),
        (json!({"gold": "SELECT 1", "pred": "SELECT 1", "semantics": "loose"}).to_string(), 422, "loose"),
        ("{\"gold\": ".to_owned(), 422, ""),
        ("[]".to_owned(), 422, ""),
        (json!({"gold": "x".repeat(8 << 10), "pred": ""}).to_string(), 413, "--most-body"),
    ] {
        let answer = server.send("POST", "/score", "", &body);
        assert_eq!(answer.status, status, "{body}: {}", answer.body);
        let json = answer.json();
        assert!(json["error"].as_str().unwrap().contains(word), "{word}: {json}");
        assert!(json["error_type"].is_string(), "{json}");
    }
    assert_eq!(server.get("/nowhere").status, 404);
    assert_eq!(server.get("/score").status, 405);
    // Nothing of it has harmed the server.
    assert_eq!(server.asked("/score", &pair)["results"][0]["status"], "ok");
}

#[test]
fn a_token_is_asked_for() {
    let server = Server::start(&["--token", "secret"]);
    let pair = json!({"gold": "SELECT 1", "pred": "SELECT 1"}).to_string();
    assert_eq!(server.get("/health").status, 200);
    assert_eq!(server.get("/").status, 200);
    for headers in ["", "authorization: Bearer wrong\r\n", "authorization: secret\r\n"] {
        assert_eq!(server.send("POST", "/score", headers, &pair).status, 401, "{headers}");
    }
    assert_eq!(server.send("POST", "/score", "authorization: Bearer secret\r\n", &pair).status, 200);
}

/// Work for some tenths of a second: many pairs, each judged.
fn long_work() -> Value {
    let pair = |i: usize| json!({"gold": format!("SELECT name FROM singer WHERE age > {i}"), "pred": format!("SELECT name FROM singer WHERE age > {i} AND age > {}", i / 2)});
    json!({"schema": DDL, "metrics": ["suite"], "pairs": (0..60).map(pair).collect::<Vec<_>>()})
}

#[test]
fn more_than_may_wait_are_sent_away() {
    let server = Server::start(&["--most-at-once", "1", "--most-waiting", "0"]);
    let statuses: Vec<(u16, String)> = std::thread::scope(|scope| {
        let sent: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    let answer = server.post("/score", &long_work());
                    (answer.status, answer.head)
                })
            })
            .collect();
        sent.into_iter().map(|s| s.join().unwrap()).collect()
    });
    assert!(statuses.iter().any(|(status, _)| *status == 200), "{statuses:?}");
    let refused: Vec<_> = statuses.iter().filter(|(status, _)| *status == 429).collect();
    assert!(!refused.is_empty(), "{statuses:?}");
    assert!(refused.iter().all(|(_, head)| head.contains("retry-after: 1")), "{refused:?}");
    assert_eq!(server.get("/health").status, 200);
}

#[cfg(unix)]
#[test]
fn who_has_asked_is_answered_before_the_end() {
    let mut server = Server::start(&[]);
    let address = server.address.clone();
    let pid = server.child.id().to_string();
    let answer = std::thread::scope(|scope| {
        let asked = scope.spawn(|| server.post("/score", &long_work()));
        // Until the request is at work.
        let at_work = || {
            let mut stream = TcpStream::connect(&address).unwrap();
            stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: t\r\nconnection: close\r\n\r\n").unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            // This one, and the other.
            text.contains("requests_at_work 2")
        };
        while !asked.is_finished() && !at_work() {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        asked.join().unwrap()
    });
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["results"].as_array().unwrap().len(), 60);
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_cannot_be_served() {
    let folder = Folder::new();
    for (flags, word) in [
        (&["--checkpoint", "none.safetensors"][..], "none.safetensors"),
        (&["--schemas", "none.sql"], "none.sql"),
        (&["--token", " "], "--token"),
        (&["--time-limit", "0"], "--time-limit"),
        (&["--host", "nowhere"], "nowhere"),
    ] {
        folder.refuses(&[&["serve", "--port", "0"], flags].concat(), &[word]);
    }
    let taken = Server::start(&[]);
    let port = taken.address.rsplit_once(':').unwrap().1;
    folder.refuses(&["serve", "--port", port], &["--port"]);
}

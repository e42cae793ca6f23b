use std::sync::Arc;

use twinql_sql::Schema;

use super::*;

const DDL: &str = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
    CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer (id), year INTEGER);";

fn set(candidates: &[&str]) -> Set {
    Set {
        schema: Arc::new(Schema::from_ddl("concerts", DDL).unwrap()),
        dialect: None,
        candidates: candidates.iter().copied().map(Candidate::new).collect(),
    }
}

fn reranker(method: Method, utility: Utility) -> Reranker {
    Reranker::new(None, RerankConfig { method, utility, ..RerankConfig::default() }).unwrap()
}

#[test]
fn classes_vote_and_not_texts() {
    let set = set(&[
        "SELECT name FROM singer WHERE age > 40",
        "SELECT name FROM singer",
        "SELECT name FROM singer",
        "SELECT s.name FROM singer AS s WHERE 40 < s.age",
        "SELECT name FROM singer WHERE NOT age <= 40",
    ]);
    let ranking = reranker(Method::Majority, Utility::Gmn).rank(&set);
    assert_eq!(ranking.classes, [vec![0, 3, 4], vec![1, 2]]);
    assert_eq!((ranking.chosen, ranking.status), (Some(0), SetStatus::Ok));
    assert_eq!(ranking.scores, [0.6, 0.4, 0.4, 0.6, 0.6].map(Some));
}

#[test]
fn proofs_join_what_forms_keep_apart() {
    let set = set(&[
        "SELECT DISTINCT a.year FROM concert a, concert b WHERE a.year = b.year AND b.year > 3",
        "SELECT COUNT(*) FROM singer",
        "SELECT DISTINCT year FROM concert WHERE year > 3",
    ]);
    let with = reranker(Method::Majority, Utility::Gmn).rank(&set);
    assert_eq!(with.classes, [vec![0, 2], vec![1]]);
}

#[test]
fn near_misses_vote_for_each_other() {
    // No two are equal: agreement decides, and the odd one out does not win.
    let set = set(&[
        "SELECT COUNT(*) FROM concert",
        "SELECT name FROM singer WHERE age > 40",
        "SELECT name FROM singer WHERE age >= 40",
        "SELECT name FROM singer WHERE age > 40 ORDER BY name LIMIT 50",
    ]);
    for utility in [Utility::Gmn, Utility::RelPm] {
        let ranking = reranker(Method::Mbr, utility).rank(&set);
        assert_eq!(ranking.classes.len(), 4);
        assert_ne!(ranking.chosen, Some(0), "{utility:?} {ranking:?}");
        assert!(ranking.scores[0] < ranking.scores[1], "{ranking:?}");
    }
    assert_eq!(reranker(Method::Majority, Utility::Gmn).rank(&set).chosen, Some(0));
}

#[test]
fn bad_candidates_have_errors_and_no_votes() {
    let bomb = "(".repeat(50_000);
    let set = set(&[
        "SELEC",
        "SELECT nothing FROM singer",
        &bomb,
        "",
        "DROP TABLE singer",
        "SELECT name FROM singer",
    ]);
    let ranking = reranker(Method::Mbr, Utility::Gmn).rank(&set);
    assert_eq!((ranking.chosen, ranking.status), (Some(5), SetStatus::Ok));
    assert_eq!(ranking.scores, [None, None, None, None, None, Some(1.0)]);
    assert_eq!(ranking.errors.iter().filter(|e| e.is_some()).count(), 5);
}

#[test]
fn sets_without_a_query_still_get_a_choice() {
    let reranker = reranker(Method::Mbr, Utility::Gmn);
    let ranking = reranker.rank(&set(&["SELEC", "DROP TABLE singer"]));
    assert_eq!((ranking.chosen, ranking.status), (Some(0), SetStatus::Unread));
    assert_eq!(ranking.scores, [None, None]);
    let none = reranker.rank(&set(&[]));
    assert_eq!((none.chosen, none.status), (None, SetStatus::Empty));
    // What may be valid and is not understood is rather chosen than what is not.
    let deep = format!("SELECT {}1{}", "(".repeat(200), ")".repeat(200));
    let ranking = reranker.rank(&set(&["SELEC", &deep]));
    assert_eq!((ranking.chosen, ranking.status), (Some(1), SetStatus::Unread), "{:?}", ranking.errors);
}

#[test]
fn weights_and_ties() {
    let mut set = set(&["SELECT name FROM singer", "SELECT COUNT(*) FROM singer"]);
    let by = |weights, set: &Set| {
        let config = RerankConfig { method: Method::Majority, weights, ..RerankConfig::default() };
        Reranker::new(None, config).unwrap().rank(set)
    };
    assert_eq!(by(Weights::Uniform, &set).chosen, Some(0));
    set.candidates[0].logprob = Some(-3.0);
    set.candidates[1].logprob = Some(-1.0);
    assert_eq!(by(Weights::Uniform, &set).chosen, Some(0));
    assert_eq!(by(Weights::LogProb { temperature: 1.0 }, &set).chosen, Some(1));
    assert_eq!(by(Weights::Rank { decay: 0.5 }, &set).scores, [Some(2.0 / 3.0), Some(1.0 / 3.0)]);
}

#[test]
fn queries_of_other_widths_never_agree() {
    let set = set(&["SELECT name FROM singer", "SELECT name, age FROM singer"]);
    let ranking = reranker(Method::Mbr, Utility::Gmn).rank(&set);
    assert_eq!(ranking.scores, [Some(0.5), Some(0.5)]);
}

#[test]
fn agreement_does_not_depend_on_the_order_of_candidates() {
    let texts = [
        "SELECT name FROM singer WHERE age > 40",
        "SELECT name FROM singer WHERE age >= 40",
        "SELECT name FROM singer WHERE age < 40",
        "SELECT DISTINCT name FROM singer WHERE age > 40",
    ];
    let forwards = reranker(Method::Mbr, Utility::Gmn).rank(&set(&texts));
    let backwards: Vec<&str> = texts.iter().rev().copied().collect();
    let backwards = reranker(Method::Mbr, Utility::Gmn).rank(&set(&backwards));
    for (one, other) in forwards.scores.iter().zip(backwards.scores.iter().rev()) {
        assert!((one.unwrap() - other.unwrap()).abs() < 1e-6);
    }
}

#[test]
fn nulls_that_any_candidate_asks_for_are_there() {
    let set = set(&[
        "SELECT name FROM singer WHERE age IS NULL",
        "SELECT name FROM singer WHERE age IS NULL AND name = 'x'",
        "SELECT COUNT(age) FROM singer",
        "SELECT COUNT(*) FROM singer",
    ]);
    let ranking = reranker(Method::Majority, Utility::Gmn).rank(&set);
    assert_eq!(ranking.classes.len(), 4, "{ranking:?}");
}

#[test]
fn more_candidates_than_are_ranked() {
    let many = vec!["SELECT name FROM singer"; MOST_CANDIDATES + 2];
    let ranking = reranker(Method::Majority, Utility::Gmn).rank(&set(&many));
    assert_eq!(
        (ranking.chosen, ranking.scores.len(), ranking.errors.len()),
        (Some(0), many.len(), many.len())
    );
    assert!(ranking.errors[MOST_CANDIDATES].is_some() && ranking.scores[MOST_CANDIDATES].is_none());
}

use super::*;
use crate::registry::RELATIONS;
use crate::schema::tests::shop;

fn run(questions: &[(&str, &str, &str)], most: usize) -> (Vec<Perturbed>, Vec<Left>) {
    let questions = questions.iter().enumerate().map(|(number, (question, gold, db_id))| Question {
        number,
        question: (*question).into(),
        gold: (*gold).into(),
        db_id: (*db_id).into(),
    });
    let questions = Questions { questions: questions.collect(), bad: Vec::new() };
    let empty = Schema { db_id: "empty".into(), ..Schema::default() };
    let bare = twinql_sql::Table { name: "t".into(), ..Default::default() };
    let bare = Schema { db_id: "bare".into(), tables: vec![bare], ..Schema::default() };
    let schemas = [shop(), empty, bare].map(|s| (s.db_id.clone(), s)).into_iter().collect();
    let config = Config { relations: RELATIONS.iter().collect(), most, seed: 8 };
    Generator::new(config, &questions, &schemas, &Natural::default()).unwrap().run(&questions)
}

/// Results of four questions.
pub(crate) fn made() -> Vec<Perturbed> {
    run(&[("What is the minimum price of cars?", "SELECT min(price) FROM car", "shop"); 4], 10).0
}

#[test]
fn every_relation_applies() {
    let (made, left) =
        run(&[("What is the minimum price of cars?", "SELECT min(price) FROM car", "shop")], 10);
    assert!(left.is_empty(), "{left:?}");
    let counts = counts(&RELATIONS.iter().collect::<Vec<_>>(), &made);
    for count in &counts {
        assert!(count.results > 0 || count.short == "PI" && count.results == 10, "{count:?}");
        assert!(count.results <= 10, "{count:?}");
    }
    let mut ids: Vec<&str> = made.iter().map(|m| m.id.as_str()).collect();
    ids.dedup();
    assert_eq!(ids.len(), made.len());
    for one in &made {
        let mut text = Vec::new();
        one.write(&mut text).unwrap();
        let line: Line = serde_json::from_slice(&text).unwrap();
        assert_eq!((line.id.as_str(), line.relation.as_str()), (one.id.as_str(), one.relation.name));
        let schema = Schema::from_ddl(&line.db_id, &line.schema).unwrap();
        assert!(plan(&schema, &parse(&line.gold).unwrap()).is_ok(), "{}: {}", line.id, line.gold);
        assert_eq!(line.mapping.db_id, "shop");
    }
}

#[test]
fn what_cannot_be_followed_is_named() {
    let (made, left) = run(
        &[
            ("What is it?", "SELECT nope FROM car", "shop"),
            ("何ですか", "SELECT price FROM car", "shop"),
            ("What is it?", "SELECT 1", "nowhere"),
            ("What is it?", "SELECT 1", "empty"),
            ("What is it?", "SELECT 1", "bare"),
        ],
        3,
    );
    let why: Vec<(usize, &str)> = left.iter().map(|l| (l.origin, l.why.as_str())).collect();
    assert_eq!(why.len(), 2, "{why:?}");
    assert!(
        why[0].1.contains("no column named") && why[1].1.contains("no schema called \"nowhere\""),
        "{why:?}"
    );
    // Questions change all the same, and schemas under a question in any script.
    assert!(made.iter().any(|m| m.origin == 0 && m.relation.short == "PI"));
    assert!(
        made.iter().any(|m| m.origin == 1)
            && made.iter().all(|m| m.origin != 1 || !m.relation.short.starts_with('P'))
    );
    assert!(made.iter().all(|m| m.origin != 2));
    assert!(made.iter().any(|m| m.origin == 3 && m.relation.short == "PR"));
}

#[test]
fn the_same_whatever_the_threads() {
    let questions = [("Find the price.", "SELECT price FROM car", "shop"); 6];
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (made, _) = pool.install(|| run(&questions, 4));
        sample(made, 7, 1).iter().map(|m| (m.id.clone(), m.place.ddl.clone())).collect::<Vec<_>>()
    };
    let one = on(1);
    assert_eq!(one, on(3));
    assert!(one.iter().filter(|(id, _)| id.contains(".CS.")).count() == 7);
}

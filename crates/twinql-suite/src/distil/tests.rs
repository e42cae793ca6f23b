use super::{DistilConfig, Known, SchemaSuite, Tally, distil};
use crate::judge::{JudgeConfig, judge};
use crate::testing::schema;
use crate::{Semantics, neighbours};

const GOLDS: [&str; 6] = [
    "SELECT name FROM singer WHERE age > 20 AND country = 'France'",
    "SELECT s.name, COUNT(*) FROM singer AS s JOIN concert AS c ON s.id = c.singer_id GROUP BY s.id HAVING COUNT(*) >= 2",
    "SELECT name FROM singer ORDER BY age DESC LIMIT 3",
    "SELECT country FROM singer WHERE age > 40 INTERSECT SELECT country FROM singer WHERE age < 30",
    "SELECT nothing FROM nowhere",
    "SELECT name FROM singer WHERE age > 20 AND country = 'France';",
];

fn config() -> DistilConfig {
    DistilConfig { max_databases: 60, aimed: 20, neighbours: 60, extra: 0, ..DistilConfig::default() }
}

fn small(config: &DistilConfig) -> SchemaSuite {
    let golds: Vec<String> = GOLDS.iter().map(|g| (*g).to_owned()).collect();
    distil(&schema(), &golds, Known::default(), config, &Tally::default(), &|_| ()).unwrap()
}

#[test]
fn nearly_all_neighbours_are_told_apart_by_few_legal_databases() {
    let config = config();
    let suite = small(&config);
    let counts = suite.counts();
    assert_eq!((counts.golds, counts.unusable), (5, 1));
    assert!(counts.neighbours > 100, "{counts:?}");
    assert!(counts.proved > 0 && counts.left * 25 < counts.neighbours, "{counts:?}");
    assert_eq!(counts.proved + counts.distinguished + counts.left, counts.neighbours);
    assert!(counts.databases < counts.tried && counts.databases < 40, "{counts:?}");
    for database in &suite.databases {
        database.check(&schema(), &config.semantics).unwrap();
        assert!(database.tables.iter().all(Option::is_some));
    }
}

/// What is set aside as proved must be equal for the judge too, which never saw the proof.
#[test]
fn proved_neighbours_are_the_same_for_the_judge() {
    let semantics = Semantics::default();
    let form = |sql: &str| twinql_sql::canonicalize(&schema(), sql, &semantics).unwrap().plan.query;
    let mut proved = 0;
    for gold in &GOLDS[..4] {
        for n in neighbours(&schema(), gold, 3, 60) {
            if form(gold) == form(&n.sql) {
                proved += 1;
                let config = JudgeConfig { databases: 30, ..JudgeConfig::default() };
                assert_eq!(judge(&schema(), gold, &n.sql, &config).label(), Some(1), "{gold}\n{}", n.sql);
            }
        }
    }
    assert!(proved > 0);
}

#[test]
fn any_number_of_threads_gives_the_same_suite() {
    let config = DistilConfig {
        // Few shared databases, so that much is left to aim at.
        max_databases: 1,
        extra: 3,
        ..config()
    };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| small(&config))
    };
    let one = on(1);
    assert!(one.databases.len() > 10 && one.tried > 20, "{}", one.tried);
    assert_eq!(on(2), one);
    assert_eq!(on(5), one);
}

#[test]
fn other_semantics_and_seeds_give_other_suites() {
    let one = small(&config());
    assert_eq!(one, small(&config()));
    assert_ne!(one.databases, small(&DistilConfig { seed: 9, ..config() }).databases);
    let strict = DistilConfig { semantics: Semantics::preset("strict").unwrap(), ..config() };
    let suite = small(&DistilConfig { extra: 2, ..strict.clone() });
    for database in &suite.databases {
        database.check(&schema(), &strict.semantics).unwrap();
    }
    assert!(suite.counts().share() > 0.9, "{:?}", suite.counts());
}

use super::*;
use crate::plausible::Plausible;

const DDL: &str = "CREATE TABLE country (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE team (id INTEGER PRIMARY KEY, title TEXT, country_id INTEGER REFERENCES country (id));
    CREATE TABLE game (id INTEGER PRIMARY KEY, day DATE, kind TEXT, price INTEGER,
        home INTEGER REFERENCES team (id), away INTEGER REFERENCES team (id));
    CREATE TABLE player (id INTEGER PRIMARY KEY, team_id INTEGER REFERENCES team (id),
        country_id INTEGER REFERENCES country (id));";

const QUERY: &str = "SELECT g.id FROM game g JOIN team t ON g.home = t.id
    WHERE g.kind = 'cup' AND t.id IN (SELECT team_id FROM player) ORDER BY g.price DESC LIMIT 1";

fn int(n: i64) -> Value {
    Value::Integer(n)
}

fn text(t: &str) -> Value {
    Value::Text(t.into())
}

/// A database that keeps all regularities.
fn tidy() -> Database {
    let game = |id, day: &str, kind: &str, price, home, away| {
        vec![int(id), text(day), text(kind), int(price), int(home), int(away)]
    };
    Database {
        tables: vec![
            Some(vec![vec![int(1), text("Chad")], vec![int(2), text("Peru")]]),
            Some(vec![
                vec![int(1), text("Reds"), int(1)],
                vec![int(2), text("Blues"), int(1)],
                vec![int(3), text("Greens"), int(2)],
            ]),
            Some(vec![
                game(1, "2020-01-02", "cup", 7, 1, 2),
                game(2, "2020-01-03", "league", 8, 1, 3),
                game(3, "2020-01-04", "test", 9, 3, 2),
            ]),
            Some(vec![vec![int(1), int(3), int(2)]]),
        ],
    }
}

fn kinds(database: &Database) -> Vec<&'static str> {
    let schema = Schema::from_ddl("games", DDL).unwrap();
    let facts = Facts::of(&schema, &twinql_sql::parse(QUERY).unwrap().query);
    let filled = Plausible::new(&schema, &facts, &facts, &[0, 1, 2, 3], 1).database(0, false);
    let found = oddities(&schema, [&facts, &facts], database, filled);
    let mut kinds: Vec<&str> = found.iter().map(|o| o.kind).collect();
    kinds.dedup();
    kinds
}

/// Each check finds what its regularity forbids, and there is nothing to find in a tidy database.
#[test]
fn each_check_finds_its_oddity_and_no_other() {
    assert_eq!(kinds(&tidy()), Vec::<&str>::new());
    let changed = |table, row, column, value| {
        let mut database = tidy();
        set(&mut database, ColumnRef { table, column }, row, value);
        database
    };
    let mut empty = tidy();
    empty.tables[2] = Some(Vec::new());
    let mut tied = tidy();
    tied.tables[2].as_mut().unwrap().truncate(2);
    for (name, database) in [
        ("rows", empty),
        ("kept-references", changed(2, 0, 4, int(77))),
        ("complete-references", changed(2, 0, 4, Value::Null)),
        ("distinct-twins", changed(2, 0, 5, int(1))),
        ("closed-diamonds", changed(3, 0, 2, int(1))),
        ("real-dates", changed(2, 0, 1, text("soon"))),
        ("one-spelling", changed(2, 1, 2, text("CUP"))),
        ("no-margins", changed(2, 1, 2, text(" league"))),
        ("amounts", changed(2, 0, 3, int(0))),
        ("unique-names", changed(1, 0, 1, text("Blues"))),
        ("clear-extremes", changed(2, 0, 3, int(8))),
        ("clear-favourites", tied),
        ("natural-keys", changed(2, 0, 1, text("2020-01-03"))),
        ("few-nulls", changed(2, 0, 1, Value::Null)),
    ] {
        assert!(kinds(&database).contains(&name), "{name}: {:?}", kinds(&database));
    }
}

#[test]
fn each_check_stands_once_in_the_registry() {
    for (i, check) in CHECKS.iter().enumerate() {
        assert!(CHECKS[..i].iter().all(|c| c.name != check.name));
        if let Some(regularity) = check.regularity {
            let entry = crate::plausible::REGULARITIES.iter().find(|e| e.regularity == regularity).unwrap();
            assert_eq!(entry.name, check.name);
        }
    }
}

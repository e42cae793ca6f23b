//! On how many plausible databases two queries agree: what one group of databases or the other would say, as a share
//! between two bounds. The schemas are made up for this.

use rayon::prelude::*;
use twinql_sql::{Schema, Semantics};
use twinql_suite::plausible::ExpectedConfig;
use twinql_suite::{Expectation, Judge, JudgeConfig, Verdict};

const BAKERY: &str = "CREATE TABLE bakery (id INTEGER PRIMARY KEY, name TEXT, town TEXT, opened DATE);
    CREATE TABLE loaf (id INTEGER PRIMARY KEY, name TEXT, grain TEXT, price REAL, weight REAL, crust TEXT,
        bakery_id INTEGER REFERENCES bakery (id));
    CREATE TABLE sale (id INTEGER PRIMARY KEY, loaf_id INTEGER REFERENCES loaf (id), amount INTEGER, day DATE, paid REAL, due REAL);";

const DINNER: &str = "CREATE TABLE guest (guest_id INTEGER PRIMARY KEY, full_name TEXT, birth_date DATE);
    CREATE TABLE dish (dish_id INTEGER PRIMARY KEY, label TEXT, calories INTEGER);
    CREATE TABLE guest_dish (guest_id INTEGER REFERENCES guest (guest_id), dish_id INTEGER REFERENCES dish (dish_id));";

const CATS: &str = "CREATE TABLE colour (colour_id INTEGER PRIMARY KEY, shade TEXT);
    CREATE TABLE breed (code TEXT PRIMARY KEY, label TEXT);
    CREATE TABLE cat (id INTEGER PRIMARY KEY, name TEXT, fur_id INTEGER REFERENCES colour (colour_id),
        tail_id INTEGER REFERENCES colour (colour_id), breed TEXT REFERENCES breed (code), lives INTEGER, weight REAL, born DATE);";

/// Like `CATS`, without a word of what refers to what.
const BOATS: &str = "CREATE TABLE harbour (hid INTEGER PRIMARY KEY, hname TEXT);
    CREATE TABLE boat (bid INTEGER PRIMARY KEY, bname TEXT, home INTEGER, built INTEGER, length REAL, note TEXT);
    CREATE TABLE crew (bid INTEGER, sailor_name TEXT, rank TEXT, wage INTEGER, joined DATE);";

const TEAMS: &str = "CREATE TABLE team (id INTEGER PRIMARY KEY, label TEXT, founded INTEGER);
    CREATE TABLE member (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, height TEXT, points INTEGER,
        team_id INTEGER REFERENCES team (id));
    CREATE TABLE fixture (id INTEGER PRIMARY KEY, home_id INTEGER REFERENCES team (id), played_date DATE, year INTEGER);";

const RACES: &str = "CREATE TABLE rider (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE finish (id INTEGER PRIMARY KEY, rider_id INTEGER REFERENCES rider (id), ranking INTEGER, points REAL, bib INTEGER);";

/// The schema, the gold and the prediction, and the share between two bounds.
type Case = (&'static str, &'static str, &'static str, f64, f64);

fn share(schema: &str, gold: &str, pred: &str) -> Option<f64> {
    let schema = Schema::from_ddl("shares", schema).unwrap();
    let config = JudgeConfig { semantics: Semantics::preset("bird").unwrap(), ..JudgeConfig::default() };
    match Judge::new(&schema, config).unwrap().expected(gold, pred, ExpectedConfig { databases: 64 }) {
        Expectation::Counted(found) => found.share(),
        Expectation::None(Verdict::PredError { message: _ }) => Some(0.0),
        Expectation::None(_) => None,
    }
}

fn hold(cases: &[Case]) {
    let objection = |&(schema, gold, pred, least, most): &Case| match share(schema, gold, pred) {
        Some(share) if (least..=most).contains(&share) => None,
        found => Some(format!("{found:?} is not between {least} and {most}:\n  {gold}\n  {pred}")),
    };
    let wrong: Vec<String> = cases.par_iter().filter_map(objection).collect();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// Tables hold more than a bound asks for, and what the bound leaves out differs.
#[test]
fn bounds_above_what_small_tables_hold_are_heard() {
    hold(&[
        (
            BAKERY,
            "SELECT name FROM loaf ORDER BY price LIMIT 20",
            "SELECT name FROM loaf ORDER BY weight LIMIT 20",
            0.0,
            0.1,
        ),
        (
            BAKERY,
            "SELECT name FROM loaf ORDER BY price DESC LIMIT 100",
            "SELECT name FROM loaf ORDER BY price LIMIT 100",
            0.0,
            0.1,
        ),
        (
            BAKERY,
            "SELECT name FROM loaf WHERE grain = 'rye' ORDER BY price LIMIT 20",
            "SELECT name FROM loaf WHERE grain = 'rye' ORDER BY weight LIMIT 20",
            0.0,
            0.35,
        ),
        (
            BAKERY,
            "SELECT name FROM loaf WHERE grain = 'rye' ORDER BY price LIMIT 8",
            "SELECT name FROM loaf WHERE grain = 'rye' ORDER BY weight LIMIT 8",
            0.0,
            0.35,
        ),
        (
            BAKERY,
            "SELECT l.name FROM sale s JOIN loaf l ON s.loaf_id = l.id GROUP BY l.id ORDER BY COUNT(*) DESC, l.id LIMIT 20",
            "SELECT l.name FROM sale s JOIN loaf l ON s.loaf_id = l.id GROUP BY l.id ORDER BY SUM(s.amount) DESC, l.id LIMIT 20",
            0.0,
            0.4,
        ),
        (
            BAKERY,
            "SELECT bakery_id FROM loaf GROUP BY bakery_id HAVING COUNT(*) > 25",
            "SELECT bakery_id FROM loaf GROUP BY bakery_id HAVING COUNT(*) > 20",
            0.05,
            0.9,
        ),
        (
            BAKERY,
            "SELECT b.name FROM loaf l JOIN bakery b ON l.bakery_id = b.id WHERE l.grain = 'rye' GROUP BY b.id HAVING COUNT(*) > 25",
            "SELECT b.name FROM loaf l JOIN bakery b ON l.bakery_id = b.id WHERE l.grain = 'rye' GROUP BY b.id",
            0.0,
            0.5,
        ),
        // A bound of the prediction's own.
        (BAKERY, "SELECT name FROM loaf", "SELECT name FROM loaf LIMIT 30", 0.0, 0.3),
        (
            BOATS,
            "SELECT sailor_name FROM crew ORDER BY wage LIMIT 50",
            "SELECT sailor_name FROM crew ORDER BY joined LIMIT 50",
            0.0,
            0.1,
        ),
    ]);
}

/// No pair twice, whether a query reads both parents, one or none.
#[test]
fn a_link_table_holds_each_pair_once_in_part_of_the_databases() {
    hold(&[
        (
            DINNER,
            "SELECT COUNT(DISTINCT g.guest_id) FROM guest_dish g JOIN dish d ON g.dish_id = d.dish_id WHERE d.label = 'Borscht'",
            "SELECT COUNT(g.guest_id) FROM guest_dish g JOIN dish d ON g.dish_id = d.dish_id WHERE d.label = 'Borscht'",
            0.3,
            0.95,
        ),
        (
            DINNER,
            "SELECT COUNT(DISTINCT guest_id) FROM guest_dish WHERE dish_id = 3",
            "SELECT COUNT(guest_id) FROM guest_dish WHERE dish_id = 3",
            0.3,
            0.95,
        ),
        (
            DINNER,
            "SELECT COUNT(DISTINCT d.dish_id) FROM guest_dish gd JOIN guest g ON gd.guest_id = g.guest_id JOIN dish d ON gd.dish_id = d.dish_id WHERE g.full_name = 'Ida Berg'",
            "SELECT COUNT(d.dish_id) FROM guest_dish gd JOIN guest g ON gd.guest_id = g.guest_id JOIN dish d ON gd.dish_id = d.dish_id WHERE g.full_name = 'Ida Berg'",
            0.3,
            0.95,
        ),
    ]);
}

/// A key in one query, and the name of its row in the other.
#[test]
fn keys_stand_for_the_rows_that_are_named() {
    hold(&[
        (
            CATS,
            "SELECT c.name FROM cat c JOIN colour f ON c.fur_id = f.colour_id JOIN colour t ON c.tail_id = t.colour_id WHERE f.shade = 'Grey' AND t.shade = 'White'",
            "SELECT name FROM cat WHERE fur_id = 3 AND tail_id = 8",
            0.5,
            0.95,
        ),
        (
            CATS,
            "SELECT name FROM cat WHERE fur_id = 3 AND tail_id = 8",
            "SELECT c.name FROM cat c JOIN colour f ON c.fur_id = f.colour_id JOIN colour t ON c.tail_id = t.colour_id WHERE f.shade = 'Grey' AND t.shade = 'White'",
            0.5,
            0.95,
        ),
        (
            CATS,
            "SELECT COUNT(*) FROM cat c JOIN colour f ON c.fur_id = f.colour_id WHERE f.shade IN ('Grey', 'White')",
            "SELECT COUNT(*) FROM cat WHERE fur_id IN (3, 8)",
            0.5,
            0.95,
        ),
        (
            CATS,
            "SELECT COUNT(CASE WHEN f.shade = 'Grey' THEN 1 END) - COUNT(CASE WHEN f.shade = 'White' THEN 1 END) FROM cat c JOIN colour f ON c.fur_id = f.colour_id",
            "SELECT COUNT(CASE WHEN fur_id = 3 THEN 1 END) - COUNT(CASE WHEN fur_id = 8 THEN 1 END) FROM cat",
            0.5,
            0.95,
        ),
        (
            CATS,
            "SELECT c.name FROM cat c JOIN breed b ON c.breed = b.code WHERE b.label = 'Siamese' AND c.lives > 3",
            "SELECT name FROM cat WHERE breed = 'SIA' AND lives > 3",
            0.5,
            0.95,
        ),
        (
            BOATS,
            "SELECT length FROM boat WHERE bname = 'Albatross'",
            "SELECT length FROM boat WHERE bid = 12",
            0.5,
            0.98,
        ),
        (
            BOATS,
            "SELECT bname FROM boat WHERE home = 4",
            "SELECT b.bname FROM boat b JOIN harbour h ON b.home = h.hid WHERE h.hname = 'Visby'",
            0.5,
            0.95,
        ),
        // Another key is another row.
        (CATS, "SELECT name FROM cat WHERE fur_id = 3", "SELECT name FROM cat WHERE fur_id = 8", 0.0, 0.1),
    ]);
}

/// What people's data mostly does, and what makes for a difference elsewhere.
#[test]
fn data_is_as_people_have_it() {
    hold(&[
        // What the rows of a parent go by, whatever the column is called.
        (
            DINNER,
            "SELECT gd.guest_id FROM guest_dish gd JOIN dish d ON gd.dish_id = d.dish_id WHERE d.label = 'Borscht'",
            "SELECT guest_id FROM guest_dish WHERE dish_id = (SELECT dish_id FROM dish WHERE label = 'Borscht')",
            0.6,
            0.95,
        ),
        // A first and a last name.
        (
            TEAMS,
            "SELECT points FROM member WHERE first_name = 'Ida' AND last_name = 'Berg'",
            "SELECT SUM(points) FROM member WHERE first_name = 'Ida' AND last_name = 'Berg'",
            0.6,
            0.98,
        ),
        // The year of a date.
        (
            TEAMS,
            "SELECT COUNT(*) FROM fixture WHERE year = 2018",
            "SELECT COUNT(*) FROM fixture WHERE STRFTIME('%Y', played_date) = '2018'",
            0.6,
            0.98,
        ),
        // Rows without a partner.
        (
            TEAMS,
            "SELECT t.label, COUNT(m.id) FROM team t LEFT JOIN member m ON m.team_id = t.id GROUP BY t.id",
            "SELECT t.label, COUNT(m.id) FROM team t JOIN member m ON m.team_id = t.id GROUP BY t.id",
            0.0,
            0.4,
        ),
        (
            TEAMS,
            "SELECT m.first_name, t.label FROM member m LEFT JOIN team t ON m.team_id = t.id",
            "SELECT m.first_name, t.label FROM member m JOIN team t ON m.team_id = t.id",
            0.05,
            0.6,
        ),
        // A constant that is the largest.
        (
            TEAMS,
            "SELECT COUNT(*) FROM fixture WHERE year = (SELECT MAX(year) FROM fixture)",
            "SELECT COUNT(*) FROM fixture WHERE year = 2019",
            0.3,
            0.9,
        ),
        // Numbers as texts.
        (
            TEAMS,
            "SELECT first_name FROM member WHERE CAST(height AS INTEGER) > 95",
            "SELECT first_name FROM member WHERE height > '95'",
            0.0,
            0.5,
        ),
    ]);
}

/// Numbers are compared as evaluators do: as they are.
#[test]
fn a_rounded_number_is_another_one() {
    hold(&[
        (
            BAKERY,
            "SELECT AVG(price) FROM loaf WHERE grain = 'rye'",
            "SELECT ROUND(AVG(price), 5) FROM loaf WHERE grain = 'rye'",
            0.0,
            0.7,
        ),
        (
            BAKERY,
            "SELECT SUM(paid) / COUNT(DISTINCT day) FROM sale",
            "SELECT ROUND(SUM(paid) / COUNT(DISTINCT day), 5) FROM sale",
            0.0,
            0.5,
        ),
        (
            BAKERY,
            "SELECT (paid - due) * 100 / due FROM sale",
            "SELECT (paid - due) / due * 100 FROM sale",
            0.0,
            0.3,
        ),
        (BAKERY, "SELECT price FROM loaf", "SELECT ROUND(price, 5) FROM loaf", 0.95, 1.0),
        (BAKERY, "SELECT SUM(amount) FROM sale", "SELECT SUM(amount) * 1.0 FROM sale", 0.95, 1.0),
    ]);
}

#[test]
fn a_value_seldom_stands_within_another_and_nothing_stands_for_none() {
    hold(&[
        (
            BAKERY,
            "SELECT name FROM loaf WHERE crust = 'Thin'",
            "SELECT name FROM loaf WHERE crust LIKE '%Thin%'",
            0.6,
            0.95,
        ),
        (
            BAKERY,
            "SELECT name FROM loaf WHERE grain = 'rye' AND crust = 'Thin'",
            "SELECT name FROM loaf WHERE grain LIKE '%rye%' AND crust = 'Thin'",
            0.6,
            0.95,
        ),
        (
            BOATS,
            "SELECT SUM(wage) FROM crew WHERE rank = 'Mate'",
            "SELECT SUM(wage) FROM crew WHERE rank LIKE '%mate%'",
            0.6,
            0.95,
        ),
        (
            BAKERY,
            "SELECT COUNT(*) FROM loaf WHERE grain = 'rye'",
            "SELECT COUNT(*) FROM loaf WHERE grain = 'rye' AND crust <> ''",
            0.85,
            1.0,
        ),
        (
            BAKERY,
            "SELECT AVG(price) FROM loaf WHERE grain = 'rye'",
            "SELECT AVG(price) FROM loaf WHERE grain = 'rye' AND price > 0",
            0.85,
            1.0,
        ),
        (BAKERY, "SELECT AVG(amount) FROM sale", "SELECT AVG(amount) FROM sale WHERE amount > 0", 0.85, 1.0),
        (
            BOATS,
            "SELECT COUNT(note) FROM boat",
            "SELECT COUNT(note) FROM boat WHERE note <> 'NULL' AND note <> ''",
            0.85,
            1.0,
        ),
        (
            BOATS,
            "SELECT bname FROM boat WHERE note LIKE '%keel%'",
            "SELECT bname FROM boat WHERE note LIKE '%keel%' AND LENGTH(note) > 0",
            0.9,
            1.0,
        ),
        // The gold knows why it guards against them.
        (BAKERY, "SELECT COUNT(*) FROM loaf WHERE crust <> ''", "SELECT COUNT(*) FROM loaf", 0.05, 0.6),
        // Other words are another matter.
        (BAKERY, "SELECT COUNT(*) FROM loaf WHERE crust <> 'Thin'", "SELECT COUNT(*) FROM loaf", 0.0, 0.4),
    ]);
}

/// What could be tested is.
#[test]
fn golds_find_something() {
    let tested: &[(&str, &str)] = &[
        (
            BAKERY,
            "SELECT b.name FROM bakery b WHERE (SELECT COUNT(*) FROM loaf l WHERE l.bakery_id = b.id) > 20",
        ),
        (
            BAKERY,
            "SELECT b.name FROM loaf l JOIN bakery b ON l.bakery_id = b.id WHERE l.price > 5 GROUP BY b.id HAVING COUNT(l.id) > 30",
        ),
        (
            BAKERY,
            "SELECT SUM(CASE WHEN n = 4 THEN 1 ELSE 0 END) FROM (SELECT COUNT(*) AS n FROM loaf GROUP BY bakery_id)",
        ),
        (BAKERY, "SELECT name FROM loaf WHERE LENGTH(name) > 25"),
        (BAKERY, "SELECT name FROM bakery WHERE LENGTH(town) = 13"),
        (BOATS, "SELECT note FROM boat WHERE LENGTH(note) < 6"),
        (DINNER, "SELECT full_name FROM guest WHERE STRFTIME('%Y', 'now') - STRFTIME('%Y', birth_date) > 30"),
        (
            DINNER,
            "SELECT full_name FROM guest WHERE CAST((JULIANDAY('now') - JULIANDAY(birth_date)) / 365.25 AS INTEGER) BETWEEN 40 AND 60",
        ),
        (CATS, "SELECT name FROM cat WHERE born < DATE('now', '-3 years')"),
    ];
    let cases: Vec<Case> = tested.iter().map(|&(schema, sql)| (schema, sql, sql, 1.0, 1.0)).collect();
    hold(&cases);
}

/// A text that SQLite refuses fails where it is executed, whatever a repair makes of it.
#[test]
fn what_execution_refuses_is_wrong() {
    hold(&[
        (
            BAKERY,
            "SELECT price FROM loaf WHERE name = 'Baker''s'",
            "SELECT price FROM loaf WHERE name = 'Baker\\'s'",
            0.0,
            0.0,
        ),
        (BAKERY, "SELECT price FROM loaf", "SELECT price FROM loaf; // all of them", 0.0, 0.0),
        (BAKERY, "SELECT STRFTIME('%Y', opened) FROM bakery", "SELECT YEAR(opened) FROM bakery", 0.0, 0.0),
        (BAKERY, "SELECT price FROM loaf", "```sql\nSELECT price FROM loaf;\n```", 1.0, 1.0),
    ]);
}

/// Whoever has the most points is first.
#[test]
fn ranks_follow_the_measure_that_they_rank() {
    let by = |sorted: &str| format!("SELECT rider_id FROM finish ORDER BY {sorted} LIMIT 1");
    let (points, ranking, bib) = (by("points DESC"), by("ranking"), by("bib"));
    let first = share(RACES, &points, &ranking).unwrap();
    assert!((0.4..=0.9).contains(&first), "{first}");
    let last = share(RACES, &points, &by("ranking DESC")).unwrap();
    let other = share(RACES, &points, &bib).unwrap();
    assert!(last < 0.2 && other < 0.35, "{last} {other}");
}

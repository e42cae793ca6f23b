use tempfile::TempDir;

use super::*;

const SHOP: &str = "\
CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT, area REAL);
CREATE TABLE visit (id INTEGER PRIMARY KEY, town_id INTEGER, year INTEGER);
INSERT INTO town VALUES (1, 'Ulm', 2.0), (2, 'Bonn', 3.5), (3, 'Kiel', 2.0);
INSERT INTO visit VALUES (1, 1, 2001), (2, 1, 2002), (3, 2, 2002), (4, NULL, 2003);";

fn file() -> (TempDir, PathBuf) {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("shop.sqlite");
    rusqlite::Connection::open(&file).unwrap().execute_batch(SHOP).unwrap();
    (dir, file)
}

fn judge(cost: Option<Cost>) -> BirdJudge {
    BirdJudge::new(BirdConfig { cost, ..BirdConfig::default() })
}

#[test]
fn answers_are_sets_of_rows_with_columns_as_given() {
    let (_dir, file) = file();
    let mut judge = judge(None);
    for (gold, pred, same) in [
        // Duplicates and order do not count, columns and types do.
        ("SELECT area FROM town", "SELECT DISTINCT area FROM town ORDER BY area DESC", true),
        ("SELECT id, name FROM town", "SELECT name, id FROM town", false),
        ("SELECT 2", "SELECT 2.0", true),
        ("SELECT 2", "SELECT '2'", false),
        ("SELECT town_id FROM visit WHERE id = 4", "SELECT NULL", true),
        // No tolerance.
        ("SELECT 0.3", "SELECT 0.1 + 0.2", false),
        // Two empty sets are one, whatever their width.
        ("SELECT id FROM town WHERE 0", "SELECT id, name FROM town WHERE 0", true),
    ] {
        let found = judge.measure(&file, gold, pred).unwrap();
        assert_eq!(found.same, same, "{gold} / {pred}");
        assert_eq!(found.efficiency, None);
    }
    let near = judge.measure(&file, "SELECT 0.3", "SELECT 0.1 + 0.2").unwrap();
    assert_eq!((near.soft_f1, near.soft_f1_repaired), (0.0, 1.0));
}

#[test]
fn rows_are_paired_as_the_gold_orders_them() {
    let (_dir, file) = file();
    let mut judge = judge(None);
    let turned = "SELECT name FROM town ORDER BY id DESC";
    let plain = judge.measure(&file, "SELECT name FROM town", turned).unwrap();
    // The one in the middle stays where it is.
    assert_eq!((plain.soft_f1, plain.soft_f1_repaired), (1.0 / 3.0, 1.0));
    let ordered = judge.measure(&file, "SELECT name FROM town ORDER BY id", turned).unwrap();
    assert_eq!((ordered.soft_f1, ordered.soft_f1_repaired), (1.0 / 3.0, 1.0 / 3.0));
}

#[test]
fn steps_are_the_same_in_every_run() {
    let (_dir, file) = file();
    let gold = "SELECT name FROM town WHERE id IN (SELECT town_id FROM visit)";
    let dear = "SELECT DISTINCT a.name FROM town a, visit v, visit w WHERE v.town_id = a.id ORDER BY a.name";
    let measured = |gold: &str, pred: &str| {
        judge(Some(Cost::Steps)).measure(&file, gold, pred).unwrap().efficiency.unwrap()
    };
    let found = measured(gold, dear);
    assert!(found.ratio < 0.5 && found.pred > found.gold && found.gold > 10.0, "{found:?}");
    assert_eq!(found.ratio, found.gold / found.pred);
    assert_eq!(found, measured(gold, dear));
    assert_eq!(measured(dear, gold).r_ves(), 1.25_f64.sqrt());
    assert_eq!(measured(gold, gold).ves(), 1.0);
    // Only what is right is measured.
    let wrong = judge(Some(Cost::Steps)).measure(&file, gold, "SELECT name FROM town").unwrap();
    assert_eq!((wrong.same, wrong.efficiency), (false, None));
}

#[test]
fn time_is_measured_as_often_as_asked() {
    let (_dir, file) = file();
    let query = "SELECT COUNT(*) FROM town a, visit b, visit c";
    let found = judge(Some(Cost::Time { repeats: 7 })).measure(&file, query, query).unwrap();
    let found = found.efficiency.unwrap();
    assert!(found.runs == 7 && (1..=7).contains(&found.kept) && found.gold > 0.0 && found.ratio > 0.0);
}

#[test]
fn what_gives_no_answer_says_why_and_changes_nothing() {
    let (dir, file) = file();
    let before = std::fs::read(&file).unwrap();
    let mut judge = judge(Some(Cost::Steps));
    let gold = "SELECT COUNT(*) FROM town";
    for pred in [
        "DELETE FROM town",
        "SELECT 1; DELETE FROM town",
        "WITH x AS (SELECT 1) DELETE FROM town",
        "DROP TABLE town",
        "PRAGMA user_version = 7",
        "ATTACH 'other.sqlite' AS o",
        "SELECT capes FROM town",
        "",
        "SELECT 'a\0b'",
    ] {
        let found = judge.measure(&file, gold, pred);
        assert!(matches!(found, Err(FileVerdict::PredError { .. })), "{pred}: {found:?}");
    }
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n";
    let bounded = Limits { steps: 100_000, ..Limits::for_files() };
    let mut short = BirdJudge::new(BirdConfig { limits: bounded, ..BirdConfig::default() });
    assert!(matches!(
        short.measure(&file, gold, endless),
        Err(FileVerdict::Timeout { side: Side::Pred, .. })
    ));
    assert!(matches!(short.measure(&file, "SELECT x", "SELECT y"), Err(FileVerdict::GoldError { .. })));
    let missing = dir.path().join("none.sqlite");
    assert!(matches!(judge.measure(&missing, gold, gold), Err(FileVerdict::FileError { .. })));
    std::fs::write(&missing, "").unwrap();
    assert!(matches!(judge.measure(&missing, gold, gold), Err(FileVerdict::FileError { .. })));
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(judge.measure(&file, gold, gold).unwrap().soft_f1, 1.0);
}

#[test]
fn the_file_of_the_databases_name_is_the_main_one() {
    let dir = TempDir::new().unwrap();
    for name in ["shop/a.sqlite", "shop/shop.sqlite", "other/z.sqlite"] {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    let files = Files::find(dir.path()).unwrap();
    assert_eq!(files.main_of("shop"), Some(&*dir.path().join("shop/shop.sqlite")));
    assert_eq!(files.main_of("other"), Some(&*dir.path().join("other/z.sqlite")));
    assert_eq!(files.main_of("none"), None);
    assert!(files.check("shop", Limits::for_files()).unwrap_err().to_string().contains("empty"));
    assert!(files.check("none", Limits::for_files()).unwrap_err().to_string().contains("none/none.sqlite"));
}

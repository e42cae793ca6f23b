use super::*;

const CONCERTS: &str = "\u{feff}-- a comment; with a semicolon\r\n\
    SET NAMES utf8;\r\n\
    CREATE TABLE `stadium` (`id` int(11) unsigned NOT NULL AUTO_INCREMENT, name varchar(20) DEFAULT 'a,b);',\r\n\
      opened date, PRIMARY KEY (`id`), UNIQUE KEY `n` (`name`), KEY idx (opened)) ENGINE=InnoDB;\r\n\
    INSERT INTO stadium VALUES (1, 'x;y', '2001');\r\n\
    CREATE TABLE IF NOT EXISTS main.\"order\" (\"key\" TEXT, [two words] REAL CHECK ([two words] > 0),\r\n\
      stadium_id INTEGER REFERENCES stadium ON DELETE CASCADE, number double precision,\r\n\
      PRIMARY KEY (\"key\", stadium_id) FOREIGN KEY (number) REFERENCES nowhere(x));\r\n\
    CREATE UNIQUE INDEX u ON \"order\" (number DESC);\r\n\
    CREATE UNIQUE INDEX p ON \"order\" (stadium_id) WHERE number > 1;\r\n\
    CREATE VIEW v AS SELECT 1;";

#[test]
fn ddl_of_several_dialects() {
    let s = read_ddl("d", CONCERTS).unwrap();
    assert_eq!(s.tables.len(), 2);
    let stadium = s.table("STADIUM").unwrap();
    assert_eq!(stadium.primary_key, [0]);
    assert_eq!(stadium.unique, [[1]]);
    assert_eq!(stadium.columns[0].declared, "int unsigned(11)");
    assert!(stadium.columns[0].not_null && !stadium.columns[1].not_null);
    assert_eq!(stadium.columns[2].class, TypeClass::Time);
    let order = s.table("order").unwrap();
    let names: Vec<&str> = order.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["key", "two words", "stadium_id", "number"]);
    assert_eq!(order.primary_key, [0, 2]);
    assert_eq!(order.unique, [[3]]);
    let key = ForeignKey { columns: vec![2], target: 0, target_columns: vec![0] };
    assert_eq!(order.foreign_keys, [key]);
    let missed: Vec<&Note> = s.notes.iter().filter(|n| n.kind == NoteKind::NotRead).collect();
    assert_eq!(missed.len(), 2, "{:?}", s.notes);
    assert!(missed[0].to_string().contains("nowhere"), "{}", missed[0]);
    assert!(missed[1].to_string().contains("partial index"), "{}", missed[1]);
    assert_eq!(s.views.len(), 1);
}

#[test]
fn ddl_of_dumps() {
    let s = Schema::from_ddl(
        "d",
        "CREATE TABLE public.a (id integer NOT NULL, b_id integer, tags text[], key varchar(9), t timestamp without time zone DEFAULT now());
         CREATE TABLE public.b (id integer NOT NULL);
         ALTER TABLE ONLY public.a ADD CONSTRAINT a_pkey PRIMARY KEY (id);
         ALTER TABLE ONLY public.b ADD CONSTRAINT b_pkey PRIMARY KEY (id);
         ALTER TABLE a ADD CONSTRAINT f FOREIGN KEY (b_id) REFERENCES public.b(id) ON DELETE CASCADE;",
    )
    .unwrap();
    assert_eq!(s.tables[0].columns.len(), 5);
    assert_eq!(s.tables[0].columns[3].declared, "varchar(9)");
    assert_eq!(s.tables[0].primary_key, [0]);
    assert_eq!(s.tables[0].foreign_keys[0].target, 1);
}

#[test]
fn the_same_table_may_be_said_twice() {
    let ddl = "CREATE TABLE t (a); CREATE TABLE u (b); create table T (a); CREATE TABLE u (b);";
    assert!(Schema::from_ddl("d", ddl).is_err(), "names ignore case, and these texts do not");
    let schema =
        Schema::from_ddl("d", "CREATE TABLE t (a, b);\nCREATE TABLE u (b);\nCREATE TABLE  t (a,b);").unwrap();
    assert_eq!(schema.tables.len(), 2);
    assert!(schema.notes.iter().any(|n| n.line == Some(3) && n.what == "CREATE"), "{:?}", schema.notes);
    let schema =
        Schema::from_ddl("d", "CREATE TABLE t (a); CREATE TABLE u (b); DROP TABLE t; CREATE TABLE t (a);")
            .unwrap();
    assert_eq!(schema.tables.len(), 2);
}

#[test]
fn bad_ddl_names_place_and_remedy() {
    for (text, message) in [
        ("", "schema d: the file is empty"),
        ("SELECT 1", "schema d: no CREATE TABLE"),
        ("\nCREATE TABLE t ()", "schema d, line 2: table \"t\" has no columns"),
        ("CREATE TABLE t (PRIMARY KEY (a))", "schema d, line 1: table \"t\" has no columns"),
        ("CREATE TABLE t (a);\nCREATE TABLE T (a)", "line 2: table \"T\" is defined twice"),
        ("CREATE TABLE t (a, A)", "column \"A\" is defined twice"),
        ("CREATE TABLE t (a, PRIMARY KEY (b))", "names column \"b\""),
        ("CREATE TABLE t (a", "no closing ')'"),
        ("CREATE TABLE", "a table name is missing"),
        ("CREATE TABLE t a", "'(' expected"),
        ("CREATE TABLE t (a REFERENCES", "no closing"),
        ("CREATE TABLE t (a REFERENCES)", "REFERENCES is not followed"),
    ] {
        let e = Schema::from_ddl("d", text).unwrap_err().to_string();
        assert!(e.contains(message), "{text:?} gave {e:?}");
    }
}

/// A schema without what DDL for SQLite has no words for: how it was read, and names of schemas.
fn as_printed(schema: &Schema) -> Schema {
    let mut schema = schema.clone();
    schema.notes.clear();
    schema.typing = Typing::default();
    for table in &mut schema.tables {
        table.schema = None;
    }
    schema
}

#[test]
fn ddl_round_trips() {
    let cycle = "CREATE TABLE a (id INTEGER PRIMARY KEY, b INT REFERENCES b(id));
                 CREATE TABLE b (id INTEGER PRIMARY KEY, a INT REFERENCES a(id), \"select\" TEXT UNIQUE, \"q\"\"x\" x);";
    for text in [CONCERTS, cycle] {
        let schema = Schema::from_ddl("d", text).unwrap();
        let again = Schema::from_ddl("d", &schema.to_ddl()).unwrap();
        assert_eq!(as_printed(&schema), as_printed(&again));
    }
}

#[test]
fn sqlite_reads_what_we_print() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("d.sqlite");
    let schema = Schema::from_ddl("d", CONCERTS).unwrap();
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch(&schema.to_ddl()).unwrap();
    drop(db);
    let read = Schema::from_sqlite(&path).unwrap();
    assert_eq!(as_printed(&read), as_printed(&schema));
    assert_eq!(load(&path).unwrap()["d"], read);
    // A folder with a SQLite file, DDL, and Spider's layout.
    std::fs::write(dir.path().join("e.sql"), "CREATE TABLE t (a INT)").unwrap();
    std::fs::create_dir(dir.path().join("f")).unwrap();
    std::fs::write(dir.path().join("f/schema.sql"), "CREATE TABLE t (a INT)").unwrap();
    let set = load(dir.path()).unwrap();
    assert_eq!(set.keys().collect::<Vec<_>>(), ["d", "e", "f"]);
    // One that cannot be read stops its own database alone.
    std::fs::write(dir.path().join("g.sql"), "CREATE TABLE t (").unwrap();
    let loaded = load_each(dir.path(), Dialect::Sqlite).unwrap();
    assert_eq!(loaded.schemas.keys().collect::<Vec<_>>(), ["d", "e", "f"]);
    assert_eq!(loaded.unread.keys().collect::<Vec<_>>(), ["g"]);
    assert!(load(dir.path()).unwrap_err().to_string().contains("g.sql"));
    // What is not a schema.
    for (name, bytes, message) in [
        ("x.sql", &b"CREATE TABLE t (a \xff INT)"[..], "byte 18: not UTF-8"),
        ("x.sqlite", b"this is not a database, not at all", "SQLite cannot read it"),
        ("x.txt", b"", "unknown kind of schema"),
        ("x.json", b"", "the file is empty"),
        ("x.json", b"{}", "not a list of databases"),
        ("x.json", b"[{\"db_id\":", "line 1"),
    ] {
        let path = dir.path().join("bad").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        let e = load(&path).unwrap_err().to_string();
        assert!(e.contains(message) && e.contains(name), "{name}: {e:?}");
    }
    let e = load(dir.path().join("missing.sql")).unwrap_err().to_string();
    assert!(e.contains("check the path"), "{e}");
}

fn tables_json(primary: &str, foreign: &str) -> String {
    format!(
        r#"[{{"db_id":"d","table_names_original":["a","b"],
        "column_names_original":[[-1,"*"],[0,"id"],[0,"x"],[1,"a_id"],[1,"Year"],[1,"ok"]],
        "column_types":["text","number","text","number","time","boolean"],
        "primary_keys":{primary},"foreign_keys":{foreign}}}]"#
    )
}

#[test]
fn spider_tables() {
    let d = &spider::read_tables_json(&tables_json("[1, 3]", "[[3, 1], [3, 1]]")).unwrap()["d"];
    assert_eq!(d.tables[0].primary_key, [0]);
    // Half of a composite key: not null, not unique.
    assert!(d.tables[1].primary_key.is_empty() && d.tables[1].columns[0].not_null);
    assert_eq!(d.tables[1].foreign_keys.len(), 1);
    let classes: Vec<TypeClass> = d.tables[1].columns.iter().map(|c| c.class).collect();
    assert_eq!(classes, [TypeClass::Number, TypeClass::Time, TypeClass::Boolean]);
    assert_eq!(d.tables[0].columns[0].affinity, Affinity::Numeric);
    // BIRD's lists: every key is taken at its word.
    let d = &spider::read_tables_json(&tables_json("[1, [3, 4]]", "[[3, 1]]")).unwrap()["d"];
    assert_eq!(d.tables[1].primary_key, [0, 1]);
    for (primary, foreign, message) in [
        ("[0]", "[]", "primary_keys holds 0"),
        ("[9]", "[]", "primary_keys holds 9"),
        ("[\"x\"]", "[]", "not a number"),
        ("[]", "[3]", "not [from, to]"),
    ] {
        let e = spider::read_tables_json(&tables_json(primary, foreign)).unwrap_err().to_string();
        assert!(e.contains(message) && e.contains("database \"d\""), "{e}");
    }
}

#[test]
fn a_tables_json_without_databases_is_refused() {
    let e = spider::read_tables_json("[]").unwrap_err();
    assert!(e.to_string().contains("the list of databases is empty"), "{e}");
}

#[test]
fn real_files() {
    let Ok(data) = std::env::var("TWINQL_DATA") else {
        println!("skipped: TWINQL_DATA is not set");
        return;
    };
    let data = std::path::Path::new(&data);
    for (file, count) in [
        ("spider/tables.json", 166),
        ("spider/test_tables.json", 206),
        ("bird/dev_tables.json", 11),
        ("bird/train_tables.json", 69),
    ] {
        let set = load(data.join(file)).unwrap();
        assert_eq!(set.len(), count, "{file}");
        for schema in set.values() {
            let again = Schema::from_ddl(&schema.db_id, &schema.to_ddl()).unwrap();
            assert_eq!(as_printed(schema), as_printed(&again), "{file}");
        }
    }
    let databases = load(data.join("spider/database")).unwrap();
    assert_eq!(databases.len(), 20);
    for schema in databases.values() {
        let again = Schema::from_ddl(&schema.db_id, &schema.to_ddl()).unwrap();
        assert_eq!(as_printed(schema), as_printed(&again));
    }
}

#[test]
fn collations_are_read_from_files_and_from_ddl() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mail.sqlite");
    let ddl = "CREATE TABLE contact (id INTEGER PRIMARY KEY, email TEXT COLLATE NOCASE, note TEXT)";
    rusqlite::Connection::open(&path).unwrap().execute_batch(ddl).unwrap();
    let of = |schema: &Schema| schema.tables[0].columns.iter().map(|c| c.collation).collect::<Vec<_>>();
    assert_eq!(of(&Schema::from_sqlite(&path).unwrap()), [None, Some(Collation::Nocase), None]);
    let text = "CREATE TABLE t (id INT, a TEXT, b VARCHAR(9) COLLATE utf8mb4_bin, c TEXT COLLATE utf8mb4_0900_as_cs, d DATE)";
    let read = |dialect| of(&Schema::from_ddl_in("d", text, dialect).unwrap());
    let (binary, folded) = (Some(Collation::Binary), Some(Collation::Nocase));
    assert_eq!(read(Dialect::Mysql), [None, folded, binary, binary, None]);
    assert_eq!(read(Dialect::Postgres), [None; 5]);
    let of_table = format!("{text} CHARSET=utf8mb4 COLLATE=utf8mb4_bin");
    let schema = Schema::from_ddl_in("d", &of_table, Dialect::Mysql).unwrap();
    assert_eq!(of(&schema), [None, binary, binary, binary, None]);
}

#[test]
fn a_script_of_sql_server_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.sql");
    let text = "CREATE TABLE \u{e9}t\u{e9} (id INT)";
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    std::fs::write(&path, &bytes).unwrap();
    assert!(load(&path).unwrap()["shop"].table("\u{e9}t\u{e9}").is_some());
    bytes.pop();
    std::fs::write(&path, &bytes).unwrap();
    assert!(load(&path).is_err());
}

#[test]
fn what_a_dump_says_beside_tables_is_named() {
    let text = "CREATE TABLE t (id INT, d DATE) PARTITION BY RANGE (d);
        CREATE MATERIALIZED VIEW v AS SELECT id FROM t; CREATE UNIQUE INDEX u ON v (id);";
    let schema = Schema::from_ddl_in("d", text, Dialect::Postgres).unwrap();
    let notes: Vec<String> = schema.notes.iter().map(Note::to_string).collect();
    for wanted in ["PARTITION BY", "\"v\" is a view"] {
        assert!(notes.iter().any(|n| n.contains(wanted)), "{wanted}: {notes:?}");
    }
}

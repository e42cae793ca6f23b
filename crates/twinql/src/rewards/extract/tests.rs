use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

const TAKE: Reading = Reading { take_unclosed: true };

/// The statement and the format of a completion.
fn found(completion: &str) -> Option<(String, &'static str)> {
    let found = extract(completion, Reading::default());
    found.sql().map(|sql| (sql.to_owned(), found.format().unwrap().name()))
}

#[test]
fn formats_found_in_practice() {
    for (completion, sql, format) in [
        ("```sql\nSELECT 1\n```", "SELECT 1", "sql-block"),
        ("First\n```sql\nSELECT 1\n```\nor better\n```SQL\nSELECT 2;\n```\nDone.", "SELECT 2", "sql-block"),
        ("```sqlite\nSELECT 1\n```", "SELECT 1", "sql-block"),
        ("```sql SELECT 1```", "SELECT 1", "sql-block"),
        ("````sql\nSELECT 1\n````", "SELECT 1", "sql-block"),
        ("```\nSELECT 1\n```", "SELECT 1", "block"),
        ("```SELECT 1```", "SELECT 1", "block"),
        ("```\n-- all\n(SELECT 1)\n```\n```\n id | name\n```", "-- all\n(SELECT 1)", "block"),
        ("```sql\nSELECT 1\n```\n```\nSELECT 2\n```", "SELECT 1", "sql-block"),
        ("```python\nprint(1)\n```\nSELECT 2;", "SELECT 2", "raw"),
        ("<answer>\n```sql\nSELECT 1\n```\n</answer>", "SELECT 1", "answer-sql-block"),
        ("<ANSWER>SELECT 1</ANSWER>", "SELECT 1", "answer"),
        ("<answer>```\nSELECT 1\n```</answer>", "SELECT 1", "answer-block"),
        ("<solution>\nSELECT 1;\n</solution>", "SELECT 1", "solution"),
        ("```sql\nSELECT 0\n```<solution>SELECT 1</solution>", "SELECT 1", "solution"),
        ("<answer>SELECT 1</answer> no: <answer>SELECT 2</answer>", "SELECT 2", "answer"),
        // The prompt ended with the opening tag.
        ("SELECT 1</answer>", "SELECT 1", "answer"),
        ("SELECT a FROM t WHERE b = ';'; It lists a.", "SELECT a FROM t WHERE b = ';'", "raw"),
        (
            "The query is:\n  WITH x AS (SELECT 1) SELECT * FROM x",
            "WITH x AS (SELECT 1) SELECT * FROM x",
            "raw",
        ),
        ("SELECT 1;<|im_end|>\n", "SELECT 1", "raw"),
        ("SELECT 1</s>", "SELECT 1", "raw"),
        ("SELECT 1; -- done", "SELECT 1", "raw"),
        ("```sql\n\nDROP TABLE t\n```", "DROP TABLE t", "sql-block"),
    ] {
        assert_eq!(found(completion), Some((sql.to_owned(), format)), "{completion}");
    }
}

#[test]
fn thinking_is_left_out() {
    for (completion, sql) in [
        ("<think>```sql\nSELECT 0\n```</think>\n```sql\nSELECT 1\n```", Some("SELECT 1")),
        ("so SELECT 0;\n</think>\nSELECT 1;", Some("SELECT 1")),
        ("SELECT 1;\n<think>SELECT 2; SELECT 3</think>", Some("SELECT 1")),
        ("<thinking>x</thinking><answer>SELECT 1</answer>", Some("SELECT 1")),
        ("<think>a</think>```sql\nSELECT 1\n```<think>b", Some("SELECT 1")),
        ("<think>SELECT 1;</think>", None),
    ] {
        assert_eq!(extract(completion, Reading::default()).sql(), sql, "{completion}");
    }
}

#[test]
fn what_is_no_answer_says_why() {
    let several = |statements, name| Extraction::Several { statements, format: Format::named(name).unwrap() };
    let unclosed = |part| Extraction::Unclosed { part };
    for (completion, expected) in [
        ("", Extraction::NoSql),
        ("   \n", Extraction::NoSql),
        ("I cannot answer that.", Extraction::NoSql),
        ("-- SELECT 1", Extraction::NoSql),
        ("```sql\n-- SELECT 1\n/* SELECT 2; */\n```", Extraction::NoSql),
        ("```sql\n;;\n```", Extraction::NoSql),
        ("```sql\nSELECT 1; SELECT 1;\n```", several(2, "sql-block")),
        ("<answer>SELECT 1; DELETE FROM t; SELECT 2</answer>", several(3, "answer")),
        ("SELECT 1;\nSELECT 2;", several(2, "raw")),
        ("SELECT 1; SELECT 2", several(2, "raw")),
        ("<answer>SELECT 1; SELECT 2</answer>", several(2, "answer")),
        ("<think>SELECT 1;", unclosed(Part::Thinking)),
        ("<think>a</think> hm <think> SELECT 1", unclosed(Part::Thinking)),
        ("<answer>SELECT 1", unclosed(Part::Answer)),
        ("<answer>SELECT 1</answer><solution>SELECT 2", unclosed(Part::Solution)),
        ("<answer>SELECT 1</solution>", unclosed(Part::Answer)),
        ("```sql\nSELECT 1", unclosed(Part::Block)),
        ("```sql\nSELECT 1\n```\n```sql\nSELECT 2", unclosed(Part::Block)),
        ("<answer>```sql\nSELECT 1</answer>", unclosed(Part::Block)),
    ] {
        assert_eq!(extract(completion, Reading::default()), expected, "{completion}");
    }
    let long = "SELECT 1; ".repeat(LONGEST / 10 + 1);
    assert_eq!(extract(&long, Reading::default()), Extraction::TooLong { bytes: long.len() });
    // A fence too many at the end opens nothing.
    assert_eq!(extract("```sql\nSELECT 1\n```\n```", Reading::default()).sql(), Some("SELECT 1"));
}

#[test]
fn what_a_stop_string_cut_off_can_be_taken() {
    for (completion, sql) in [
        ("```sql\nSELECT 1\n", Some("SELECT 1")),
        ("<answer>SELECT 1;", Some("SELECT 1")),
        ("<answer>```sql\nSELECT 1", Some("SELECT 1")),
        // What was never answered is not.
        ("<think>SELECT 1", None),
    ] {
        assert_eq!(extract(completion, TAKE).sql(), sql, "{completion}");
    }
}

#[test]
fn statements_end_where_they_do() {
    for (text, expected) in [
        ("SELECT 1", &["SELECT 1"][..]),
        ("SELECT ';' ; SELECT \";\"", &["SELECT ';'", "SELECT \";\""]),
        ("SELECT [;], `;` -- ;\n/* ; */", &["SELECT [;], `;` -- ;\n/* ; */"]),
        ("SELECT 'it''s; so'; ", &["SELECT 'it''s; so'"]),
        ("SELECT 'open; SELECT 2", &["SELECT 'open; SELECT 2"]),
        ("é; ü", &["é", "ü"]),
        (" ; -- x", &[]),
    ] {
        assert_eq!(statements(text), expected, "{text}");
    }
}

#[test]
fn every_format_has_a_name_of_its_own() {
    for format in Format::ALL {
        assert_eq!(Format::named(format.name()), Some(format));
    }
    assert_eq!(Format::named("xml"), None);
}

/// Marks, tags and SQL, in any order.
fn marked_up() -> impl Strategy<Value = String> {
    let parts = [
        "```",
        "```sql\n",
        "`",
        "<think>",
        "</think>",
        "<answer>",
        "</answer>",
        "<solution>",
        "</solution>",
        "<",
        ">",
        "SELECT 1",
        "SELECT 'x",
        ";",
        "--",
        "/*",
        "*/",
        "\n",
        " ",
        "é",
        "'",
        "\"",
        "[",
        "<|im_end|>",
        "</s>",
    ];
    prop::collection::vec(prop::sample::select(parts.to_vec()), 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_text_has_an_outcome(text in prop_oneof![marked_up(), ".{0,300}"], take_unclosed: bool) {
        let reading = Reading { take_unclosed };
        let found = extract(&text, reading);
        if let Some(sql) = found.sql() {
            prop_assert!(!sql.is_empty() && sql.len() <= text.len() + 1 && sql.trim() == sql);
            // What was found is one statement, and found again by itself.
            prop_assert_eq!(statements(sql), vec![sql]);
        }
        if let Extraction::Several { statements, .. } = found {
            prop_assert!(statements > 1);
        }
        prop_assert_eq!(extract(&text, reading), found);
    }
}

/// A megabyte of marks that open and never close takes no longer than one of anything else.
#[test]
fn time_is_linear_in_the_length() {
    for unit in [
        "```", "```sql\n", "<think>", "</think>", "<answer>", "<", "'", "/*", "--", ";", "SELECT\n", "(",
        "<|", "|>", "[`",
    ] {
        let text = unit.repeat(LONGEST / unit.len());
        let start = Instant::now();
        let _ = extract(&text, TAKE);
        // Some milliseconds; what is quadratic takes minutes.
        assert!(start.elapsed() < Duration::from_secs(5), "{unit}: {:?}", start.elapsed());
    }
}

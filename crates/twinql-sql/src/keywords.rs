//! SQLite's keywords: what is no name, and what is none without quotes.
//!
//! SQLite takes many of its keywords for names where nothing else can stand (<https://sqlite.org/lang_keywords.html>).
//! A query that it reads may use those bare; what we write quotes them all, for readers.

/// Words that are no names unless quoted.
const RESERVED: &[&str] = &words![
    ADD ALL ALTER AND AS AUTOINCREMENT BETWEEN CASE CHECK COLLATE COMMIT CONSTRAINT CREATE DEFAULT DEFERRABLE
    DELETE DISTINCT DROP ELSE ESCAPE EXCEPT EXISTS FOREIGN FROM GROUP HAVING IN INDEX INSERT INTERSECT INTO IS ISNULL
    JOIN LIMIT NOT NOTHING NOTNULL NULL ON OR ORDER PRIMARY RAISE REFERENCES RETURNING SELECT SET TABLE THEN TO
    TRANSACTION UNION UNIQUE UPDATE USING VALUES WHEN WHERE
];

/// Keywords that fall back to names, and some more that readers take for keywords.
const OTHERS: &[&str] = &words![
    ABORT ACTION AFTER ALWAYS ANALYZE ASC ATTACH BEFORE BEGIN BY CASCADE CAST COLUMN CONFLICT CROSS CURRENT
    CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFERRED DESC DETACH DO EACH END EXCLUDE EXCLUSIVE
    EXPLAIN FAIL FALSE FILTER FIRST FOLLOWING FOR FULL GENERATED GLOB GROUPS IF IGNORE IMMEDIATE INDEXED
    INITIALLY INNER INSTEAD KEY LAST LEFT LIKE MATCH MATERIALIZED NATURAL NO NULLS OF OFFSET OTHERS OUTER OVER
    PARTITION PLAN PRAGMA PRECEDING QUERY RANGE RECURSIVE REGEXP REINDEX RELEASE RENAME REPLACE RESTRICT RIGHT
    ROLLBACK ROW ROWS SAVEPOINT TEMP TEMPORARY TIES TRIGGER TRUE UNBOUNDED VACUUM VIEW VIRTUAL WINDOW WITH
    WITHOUT
];

/// True for words that SQLite takes for a name only in quotes.
pub(crate) fn is_reserved(word: &str) -> bool {
    is_one_of(word, RESERVED)
}

/// True for words that are quoted where they are written as names.
pub(crate) fn is_keyword(word: &str) -> bool {
    is_reserved(word) || is_one_of(word, OTHERS)
}

/// True for one of some words, in whatever case.
pub(crate) fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|w| word.eq_ignore_ascii_case(w))
}

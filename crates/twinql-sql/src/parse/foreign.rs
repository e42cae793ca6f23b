//! Words of other systems that the parser reads in SQLite's dialect, and SQLite does not.
//!
//! Reading them is of use where a text has no dialect. Where it is said to be SQLite's, a query that SQLite
//! refuses is no query, whether it is executed or not.

use std::ops::ControlFlow;

use sqlparser::ast::{CastKind, Distinct, Expr, Query, Select, SetExpr, Spanned, Visitor};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Span, Token, Tokenizer};

use super::{Grammar, parse};
use crate::dialect::Dialect;
use crate::error::SqlError;
use crate::error::invalid;
use crate::syntax::read;

/// What a text has to hold for there to be anything to look for, in upper case.
///
/// Most queries hold none of them and are not parsed a second time. A sign may stand in a string or inside a
/// word; then the parse decides.
const SIGNS: [&str; 12] = [
    "::",
    "ILIKE",
    "EXTRACT",
    "ANY",
    "SOME",
    "ALL",
    "SIMILAR",
    "AT TIME ZONE",
    "QUALIFY",
    "FETCH",
    "DISTINCT ON",
    "TRY_CAST",
];

/// Refuses what SQLite's grammar does not have.
///
/// # Errors
/// [`SqlError::Invalid`], with the word, its place and the remedy. A text that cannot be parsed at all is left to
/// those who parse it.
pub(crate) fn refuse(sql: &str) -> Result<(), SqlError> {
    let upper = sql.to_ascii_uppercase();
    if !SIGNS.iter().any(|sign| upper.contains(sign)) {
        return Ok(());
    }
    let Ok(parsed) = parse(sql) else {
        return Ok(());
    };
    if let Some(span) = limit_all(&parsed.sql) {
        return refused("LIMIT ALL", span);
    }
    let mut finder = Finder { found: None };
    let _ = read(&*parsed.query, &mut finder);
    finder.found.map_or(Ok(()), |(what, span)| refused(what, span))
}

fn refused(what: &str, span: Span) -> Result<(), SqlError> {
    invalid(format!("{what} is not SQLite's: --dialect says whose SQL it is"), span)
}

/// The parser takes LIMIT ALL for no limit, and leaves no trace of it.
fn limit_all(sql: &str) -> Option<Span> {
    let grammar = Grammar::of(Dialect::Sqlite).grammar;
    let tokens = Tokenizer::new(grammar, sql).tokenize_with_location().ok()?;
    let mut words = tokens
        .iter()
        .filter(|t| !matches!(t.token, Token::Whitespace(_)))
        .map(|t| match &t.token {
            Token::Word(word) => (word.keyword, t.span),
            _ => (Keyword::NoKeyword, t.span),
        })
        .peekable();
    while let Some((keyword, span)) = words.next() {
        if keyword == Keyword::LIMIT && words.peek().is_some_and(|(k, _)| *k == Keyword::ALL) {
            return Some(span);
        }
    }
    None
}

/// Looks for the first construct of the tree that SQLite's grammar lacks.
struct Finder {
    found: Option<(&'static str, Span)>,
}

impl Finder {
    fn found(&mut self, what: &'static str, span: Span) -> ControlFlow<()> {
        self.found = Some((what, span));
        ControlFlow::Break(())
    }
}

impl Visitor for Finder {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let what = match expr {
            Expr::Cast { kind, expr: _, data_type: _, format: _ } => match kind {
                CastKind::DoubleColon => "a cast with `::`",
                CastKind::TryCast | CastKind::SafeCast => "a cast that may fail",
                CastKind::Cast => return ControlFlow::Continue(()),
            },
            Expr::ILike { negated: _, any: _, expr: _, pattern: _, escape_char: _ } => "ILIKE",
            Expr::Extract { field: _, syntax: _, expr: _ } => "EXTRACT",
            Expr::AnyOp { left: _, compare_op: _, right: _, is_some: _ } => "ANY",
            Expr::AllOp { left: _, compare_op: _, right: _ } => "ALL",
            Expr::SimilarTo { negated: _, expr: _, pattern: _, escape_char: _ } => "SIMILAR TO",
            Expr::AtTimeZone { timestamp: _, time_zone: _ } => "AT TIME ZONE",
            _ => return ControlFlow::Continue(()),
        };
        self.found(what, expr.span())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        match (&query.fetch, select_of(query)) {
            // FETCH has no place of its own in the tree.
            (Some(_), _) => self.found("FETCH", Span::empty()),
            (None, Some(select)) if select.qualify.is_some() => self.found("QUALIFY", select.span()),
            (None, Some(select)) if matches!(select.distinct, Some(Distinct::On(_))) => {
                self.found("DISTINCT ON", select.span())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

fn select_of(query: &Query) -> Option<&Select> {
    match query.body.as_ref() {
        SetExpr::Select(select) => Some(select),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;

    #[test]
    fn words_of_other_systems_are_named_with_their_place() {
        for (sql, what) in [
            ("SELECT a::int FROM t", "`::`"),
            ("SELECT a FROM t WHERE b ILIKE 'x%'", "ILIKE"),
            ("SELECT EXTRACT(YEAR FROM d) FROM t", "EXTRACT"),
            ("SELECT a FROM t WHERE a = ANY (SELECT b FROM t)", "ANY"),
            ("SELECT a FROM t WHERE a > ALL (SELECT b FROM t)", "ALL"),
            ("SELECT a FROM t WHERE b SIMILAR TO 'x'", "SIMILAR TO"),
            ("SELECT a FROM t LIMIT ALL", "LIMIT ALL"),
            ("SELECT a FROM t FETCH FIRST 3 ROWS ONLY", "FETCH"),
            ("SELECT a FROM t QUALIFY rank() OVER (ORDER BY a) = 1", "QUALIFY"),
            ("SELECT DISTINCT ON (a) a FROM t", "DISTINCT ON"),
            ("SELECT a FROM (SELECT b::text AS a FROM t) x", "`::`"),
        ] {
            let error = refuse(sql).unwrap_err().to_string();
            assert!(error.contains(what) && error.contains("--dialect"), "{sql}: {error}");
        }
    }

    #[test]
    fn what_sqlite_has_is_not_refused() {
        for sql in [
            "SELECT a FROM t UNION ALL SELECT b FROM t",
            "SELECT '::', \"ilike\", 'FETCH' FROM t LIMIT 3",
            "SELECT company, many, small FROM t WHERE fetched = 'all'",
            "SELECT DISTINCT (a), on_time FROM t",
            "SELECT CAST(a AS INT) FROM t FETCH",
            "I do not know ANY SQL::at all",
        ] {
            assert_eq!(refuse(sql), Ok(()), "{sql}");
        }
    }
}

//! What the parser reads in SQLite's dialect, and SQLite refuses: words, forms and functions of other systems.
//!
//! A query that SQLite cannot run answers nothing, however plain its meaning is. Beside a gold that SQLite runs, a prediction with
//! any of them is an error ([`lacking`]). Where the gold has one too, both are of a system that has it, and are compared. Some are
//! plain signs that a text is another system's: those are refused before anything is compared, with the flag that says
//! whose SQL a text is ([`refuse`]).

use std::fmt;
use std::ops::ControlFlow;

use sqlparser::ast::{
    CastKind, Distinct, Expr, Function, LimitClause, Query, Select, SetExpr, SetOperator, SetQuantifier,
    Spanned, TableFactor, Visitor,
};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Span, Token, Tokenizer};

use super::{Grammar, Parsed, parse};
use crate::dialects::Dialect;
use crate::error::{SqlError, invalid};
use crate::function;
use crate::syntax::read;

/// The first that SQLite lacks in a query of its dialect, as the error that it is.
pub fn lacking(parsed: &Parsed) -> Option<SqlError> {
    if parsed.dialect != Dialect::Sqlite {
        return None;
    }
    // A function of which nothing is known stands in a translation alone: a text of SQLite's that calls one is refused before.
    let (found, span) = first(&parsed.query, |found| !matches!(found, Foreign::Opaque(_)))?;
    invalid::<()>(found.to_string(), span).err()
}

fn not_sqlites(what: &str) -> String {
    format!("{what} is not SQLite's: --dialect says whose SQL it is")
}

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
    let of_another = |dialect: Dialect| upper.contains(&dialect.opaque_name("").to_ascii_uppercase());
    if !SIGNS.iter().any(|sign| upper.contains(sign)) && !Dialect::ALL.into_iter().any(of_another) {
        return Ok(());
    }
    let Ok(parsed) = parse(sql) else {
        return Ok(());
    };
    if let Some(span) = limit_all(&parsed.sql) {
        return invalid(not_sqlites("LIMIT ALL"), span);
    }
    match first(&parsed.query, |found| matches!(found, Foreign::Sign(_) | Foreign::Opaque(_))) {
        Some((found, span)) => invalid(found.to_string(), span),
        None => Ok(()),
    }
}

/// LIMIT ALL, which is read as a limit by a column called ALL.
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

/// Something that SQLite lacks.
enum Foreign {
    /// A word that tells whose SQL it is.
    Sign(&'static str),
    /// Another form.
    Form(&'static str),
    /// A function, by its name.
    Function(String),
    /// What a translation calls a function of another system of which nothing is known.
    Opaque(String),
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Foreign::Function(name) | Foreign::Opaque(name) => write!(f, "no such function: {name}"),
            Foreign::Sign(what) | Foreign::Form(what) => f.write_str(&not_sqlites(what)),
        }
    }
}

use Foreign::{Form, Sign};

/// The first that is wanted, with its place.
fn first(query: &Query, wanted: fn(&Foreign) -> bool) -> Option<(Foreign, Span)> {
    let mut finder = Finder { wanted, found: None };
    let _ = read(query, &mut finder);
    finder.found
}

struct Finder {
    wanted: fn(&Foreign) -> bool,
    found: Option<(Foreign, Span)>,
}

impl Finder {
    fn offer(&mut self, foreign: Option<Foreign>, node: &impl Spanned) -> ControlFlow<()> {
        match foreign.filter(self.wanted) {
            Some(foreign) => {
                self.found = Some((foreign, node.span()));
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        }
    }

    /// Down the left side without recursion: a compound SELECT may be long. Its right sides are SELECTs, but for those in
    /// parentheses.
    fn body(&mut self, body: &SetExpr) -> ControlFlow<()> {
        let mut left = body;
        loop {
            match left {
                SetExpr::SetOperation { left: before, op, set_quantifier, right } => {
                    self.offer(of_set_operation(*op, *set_quantifier), &**right)?;
                    self.offer(in_parentheses(right), &**right)?;
                    left = before;
                }
                _ => return self.offer(in_parentheses(left), left),
            }
        }
    }
}

impl Visitor for Finder {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        // FETCH has no place of its own in the tree.
        self.offer(of_query(query), query)?;
        self.body(&query.body)
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        let foreign = match &select.distinct {
            Some(Distinct::On(_)) => Some(Sign("DISTINCT ON")),
            _ => select.qualify.as_ref().map(|_| Sign("QUALIFY")),
        };
        self.offer(foreign, select)
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        let foreign = match factor {
            TableFactor::Derived { lateral: true, subquery: _, alias: _, sample: _ } => Some(Form("LATERAL")),
            TableFactor::Derived { lateral: false, subquery: _, alias: Some(alias), sample: _ }
                if !alias.columns.is_empty() =>
            {
                Some(Form("a list of columns behind the alias of a subquery"))
            }
            _ => None,
        };
        self.offer(foreign, factor)
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        self.offer(of_expr(expr), expr)
    }
}

fn of_query(query: &Query) -> Option<Foreign> {
    if query.fetch.is_some() {
        return Some(Sign("FETCH"));
    }
    match &query.limit_clause {
        Some(LimitClause::LimitOffset { limit: None, offset: Some(_), limit_by: _ }) => {
            Some(Form("OFFSET without LIMIT"))
        }
        _ => None,
    }
}

fn of_set_operation(op: SetOperator, quantifier: SetQuantifier) -> Option<Foreign> {
    match (op, quantifier) {
        (SetOperator::Minus, _) => Some(Form("MINUS")),
        (SetOperator::Union, SetQuantifier::All) | (_, SetQuantifier::None) => None,
        (SetOperator::Union, _) => Some(Form("UNION DISTINCT")),
        _ => Some(Form("INTERSECT or EXCEPT with ALL or DISTINCT")),
    }
}

fn in_parentheses(body: &SetExpr) -> Option<Foreign> {
    matches!(body, SetExpr::Query(_)).then_some(Form("a SELECT in parentheses"))
}

fn of_expr(expr: &Expr) -> Option<Foreign> {
    Some(match expr {
        Expr::Cast { kind: CastKind::DoubleColon, expr: _, data_type: _, format: _ } => {
            Sign("a cast with `::`")
        }
        Expr::Cast { kind: CastKind::TryCast | CastKind::SafeCast, expr: _, data_type: _, format: _ } => {
            Sign("a cast that may fail")
        }
        Expr::ILike { negated: _, any: _, expr: _, pattern: _, escape_char: _ } => Sign("ILIKE"),
        Expr::Extract { field: _, syntax: _, expr: _ } => Sign("EXTRACT"),
        Expr::AnyOp { left: _, compare_op: _, right: _, is_some: _ } => Sign("ANY"),
        Expr::AllOp { left: _, compare_op: _, right: _ } => Sign("ALL"),
        Expr::SimilarTo { negated: _, expr: _, pattern: _, escape_char: _ } => Sign("SIMILAR TO"),
        Expr::AtTimeZone { timestamp: _, time_zone: _ } => Sign("AT TIME ZONE"),
        Expr::Substring { expr: _, substring_from, substring_for, special: false, shorthand: _ }
            if substring_from.is_some() || substring_for.is_some() =>
        {
            Form("SUBSTRING(… FROM …)")
        }
        Expr::Position { expr: _, r#in: _ } => Form("POSITION(… IN …)"),
        Expr::Overlay { expr: _, overlay_what: _, overlay_from: _, overlay_for: _ } => {
            Form("OVERLAY(… PLACING …)")
        }
        Expr::Trim { expr: _, trim_where, trim_what, trim_characters: _ }
            if trim_where.is_some() || trim_what.is_some() =>
        {
            Form("TRIM(… FROM …)")
        }
        Expr::RLike { negated: _, expr: _, pattern: _, regexp: _ } => Form("RLIKE"),
        Expr::IsUnknown(_) | Expr::IsNotUnknown(_) => Form("IS UNKNOWN"),
        Expr::Convert { is_try: _, expr: _, data_type: _, charset: _, target_before_value: _, styles: _ } => {
            Form("CONVERT")
        }
        Expr::Interval(_) => Form("INTERVAL"),
        Expr::TypedString(_) => Form("DATE '…'"),
        Expr::Array(_) => Form("ARRAY"),
        Expr::Function(function) => return of_call(function),
        _ => return None,
    })
}

fn of_call(call: &Function) -> Option<Foreign> {
    if !call.within_group.is_empty() {
        return Some(Form("WITHIN GROUP"));
    }
    if call.null_treatment.is_some() {
        return Some(Form("RESPECT NULLS"));
    }
    let name = match call.name.0.as_slice() {
        [part] => part.as_ident()?.value.to_ascii_lowercase(),
        _ => return None,
    };
    let known = function::is_scalar(&name)
        || function::aggregate(&name).is_some()
        || function::window_arity(&name).is_some();
    match Dialect::of_opaque(&name) {
        Some(_) => Some(Foreign::Opaque(name)),
        None => (!known).then_some(Foreign::Function(name)),
    }
}

#[cfg(test)]
mod tests {
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
        // What translations call a function of which nothing is known is no way around an error.
        let opaque = "SELECT tsql_checksum(a) FROM t";
        let error = refuse(opaque).unwrap_err().to_string();
        assert!(error.contains("no such function: tsql_checksum at line 1, column 8"), "{error}");
        assert_eq!(lacking(&parse(opaque).unwrap()), None);
    }

    /// Beside a gold that SQLite runs, all of it counts; the door lets pass what is no sign of another system.
    #[test]
    fn forms_and_functions_are_named_with_their_place() {
        for (sql, what) in [
            ("SELECT a::int FROM t", "a cast with `::` is not SQLite's"),
            ("SELECT SUBSTRING(a FROM 2) FROM t", "SUBSTRING(… FROM …) is not SQLite's"),
            ("SELECT x FROM (SELECT a FROM t) AS d (x)", "a list of columns behind the alias"),
            ("(SELECT a FROM t) UNION SELECT b FROM t", "a SELECT in parentheses"),
            ("SELECT a FROM t WHERE d > DATE '2014-01-31'", "DATE '…' is not SQLite's"),
            ("SELECT a FROM t WHERE frobnicate(a) = 1", "no such function: frobnicate at line 1, column 23"),
            ("SELECT frobnicate(a) OVER () FROM t", "no such function: frobnicate"),
        ] {
            let parsed = parse(sql).unwrap();
            let error = lacking(&parsed).unwrap().to_string();
            assert!(error.contains(what), "{sql}: {error}");
            assert_eq!(refuse(sql).is_err(), sql.contains("::"), "{sql}");
            let generic = crate::parse_in(sql, Dialect::Generic).unwrap();
            assert_eq!(lacking(&generic), None, "{sql}");
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

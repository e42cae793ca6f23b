//! Which SQL keywords and constructs a query has: the classes that papers tabulate data sets and scores by.
//!
//! Source: Zhan et al. 2024, FuncEvalGMN, Tables 5 and 6 (join, nested, group by; WHERE to CAST), and the
//! composition of benchmarks as Finegan-Dollak et al. 2018 began to count it (nested, having, NULL, set
//! operations, negation). Neither says exactly what it counts; each [`Keyword`] says what is counted here.
//! A query has a keyword if it stands anywhere in it, subqueries included.

use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use sqlparser::ast::{
    BinaryOperator, Distinct, DuplicateTreatment, Expr, Function, FunctionArguments, GroupByExpr, Query,
    Select, SetExpr, SetOperator, TableFactor, UnaryOperator, Visitor,
};
use twinql_sql::syntax::read;

/// Declares the classes in the order in which tables list them, each with its name.
macro_rules! keywords {
    ($($(#[$doc:meta])* $id:ident = $name:literal,)*) => {
        /// A class of queries: those that have a keyword or a construct.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Keyword { $($(#[$doc])* $id,)* }

        impl Keyword {
            /// All classes, in the order in which tables list them.
            pub const ALL: &[Keyword] = &[$(Keyword::$id,)*];

            /// Its name on the command line and in tables: small letters and hyphens.
            pub fn name(self) -> &'static str {
                match self { $(Keyword::$id => $name,)* }
            }
        }
    };
}

keywords! {
    /// WHERE.
    Where = "where",
    /// A FROM of two tables or more, joined by JOIN or by a comma.
    Join = "join",
    /// A query inside another: in a condition, in FROM, in the select list, in WITH. The arms of a set
    /// operation are not nested.
    Nested = "nested",
    /// GROUP BY.
    GroupBy = "group-by",
    /// HAVING.
    Having = "having",
    /// ORDER BY of a query; the order of a window is none.
    OrderBy = "order-by",
    /// LIMIT, FETCH or TOP.
    Limit = "limit",
    /// SELECT DISTINCT, and DISTINCT in an aggregate.
    Distinct = "distinct",
    /// UNION, INTERSECT or EXCEPT.
    SetOperation = "set-operation",
    /// UNION, with or without ALL.
    Union = "union",
    /// INTERSECT.
    Intersect = "intersect",
    /// EXCEPT or MINUS.
    Except = "except",
    /// An aggregate function, over groups or over a window.
    Aggregation = "aggregation",
    /// COUNT.
    Count = "count",
    /// SUM.
    Sum = "sum",
    /// AVG.
    Average = "average",
    /// MIN or MAX of one argument.
    MinMax = "min-max",
    /// A function of strings, or `||`.
    StringFunction = "string-function",
    /// LIKE, GLOB, REGEXP and their kin.
    Pattern = "pattern",
    /// CAST or CONVERT.
    Cast = "cast",
    /// IS NULL or IS NOT NULL.
    Null = "null",
    /// NOT in any condition (NOT IN, NOT EXISTS, NOT LIKE, NOT BETWEEN, NOT …) or EXCEPT. Neither `<>` nor
    /// IS NOT NULL is one.
    Negation = "negation",
}

impl fmt::Display for Keyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// There is no class of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no keyword class is called {0:?}; there are {all}", all = names())]
pub struct UnknownKeyword(String);

fn names() -> String {
    Keyword::ALL.iter().map(|k| k.name()).collect::<Vec<_>>().join(", ")
}

impl FromStr for Keyword {
    type Err = UnknownKeyword;

    fn from_str(name: &str) -> Result<Keyword, UnknownKeyword> {
        let found = Keyword::ALL.iter().find(|k| k.name() == name);
        found.copied().ok_or_else(|| UnknownKeyword(name.to_owned()))
    }
}

/// The classes that a query belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct KeywordSet(u32);

impl KeywordSet {
    /// Whether the query has this keyword.
    pub fn contains(self, keyword: Keyword) -> bool {
        self.0 & (1 << keyword as u32) != 0
    }

    /// Its keywords, in the order of [`Keyword::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Keyword> {
        Keyword::ALL.iter().copied().filter(move |k| self.contains(*k))
    }

    /// What either has.
    pub fn union(self, other: KeywordSet) -> KeywordSet {
        KeywordSet(self.0 | other.0)
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn add(&mut self, keyword: Keyword) {
        self.0 |= 1 << keyword as u32;
    }
}

impl FromIterator<Keyword> for KeywordSet {
    fn from_iter<I: IntoIterator<Item = Keyword>>(keywords: I) -> KeywordSet {
        let mut set = KeywordSet::default();
        keywords.into_iter().for_each(|k| set.add(k));
        set
    }
}

impl Serialize for KeywordSet {
    /// A list of names.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Keyword::name))
    }
}

/// The classes that a parsed query belongs to.
pub fn keywords(query: &Query) -> KeywordSet {
    let mut found = Found::default();
    // The visitor never breaks.
    let _ = read(query, &mut found);
    if found.queries > 1 + found.arms {
        found.set.add(Keyword::Nested);
    }
    found.set
}

/// What was met so far.
#[derive(Default)]
struct Found {
    set: KeywordSet,
    /// Queries of any kind.
    queries: usize,
    /// Those of them that are arms of a set operation, or in parentheses for no reason.
    arms: usize,
}

impl Found {
    /// Set operations of a body, and its arms in parentheses: these are visited as queries, though nothing is
    /// nested.
    fn body(&mut self, body: &SetExpr) {
        let mut todo = vec![body];
        while let Some(body) = todo.pop() {
            match body {
                SetExpr::SetOperation { left, op, set_quantifier: _, right } => {
                    self.set.add(Keyword::SetOperation);
                    match op {
                        SetOperator::Union => self.set.add(Keyword::Union),
                        SetOperator::Intersect => self.set.add(Keyword::Intersect),
                        SetOperator::Except | SetOperator::Minus => {
                            self.set.add(Keyword::Except);
                            self.set.add(Keyword::Negation);
                        }
                    }
                    todo.extend([left.as_ref(), right.as_ref()]);
                }
                SetExpr::Query(_) => self.arms += 1,
                _ => {}
            }
        }
    }

    fn function(&mut self, function: &Function) {
        let name = function.name.to_string().to_ascii_lowercase();
        let (arguments, distinct) = match &function.args {
            FunctionArguments::List(list) => {
                (list.args.len(), list.duplicate_treatment == Some(DuplicateTreatment::Distinct))
            }
            FunctionArguments::None | FunctionArguments::Subquery(_) => (0, false),
        };
        if distinct {
            self.set.add(Keyword::Distinct);
        }
        let aggregate = match name.as_str() {
            "count" => Some(Keyword::Count),
            "sum" => Some(Keyword::Sum),
            "avg" => Some(Keyword::Average),
            // Of several arguments they are scalar functions in SQLite.
            "min" | "max" if arguments == 1 => Some(Keyword::MinMax),
            "total" | "group_concat" | "string_agg" | "array_agg" => Some(Keyword::Aggregation),
            name if STRING_FUNCTIONS.contains(&name) => {
                self.set.add(Keyword::StringFunction);
                None
            }
            "glob" | "like" | "regexp" => {
                self.set.add(Keyword::Pattern);
                None
            }
            _ => None,
        };
        if let Some(own) = aggregate {
            self.set.add(own);
            self.set.add(Keyword::Aggregation);
        }
    }
}

/// Functions that read or make strings; dates are no strings.
const STRING_FUNCTIONS: [&str; 22] = twinql_sql::words![
    char_length concat concat_ws format hex instr left length lower lpad ltrim printf replace reverse right rpad
    rtrim soundex substr substring trim upper
];

impl Visitor for Found {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.queries += 1;
        self.body(&query.body);
        if query.order_by.is_some() {
            self.set.add(Keyword::OrderBy);
        }
        if query.limit_clause.is_some() || query.fetch.is_some() {
            self.set.add(Keyword::Limit);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        let grouped = match &select.group_by {
            GroupByExpr::Expressions(keys, modifiers) => !keys.is_empty() || !modifiers.is_empty(),
            GroupByExpr::All(_) => true,
        };
        let several = select.from.len() > 1 || select.from.iter().any(|item| !item.joins.is_empty());
        let distinct = matches!(select.distinct, Some(Distinct::Distinct | Distinct::On(_)));
        for (has, keyword) in [
            (select.selection.is_some(), Keyword::Where),
            (several, Keyword::Join),
            (grouped, Keyword::GroupBy),
            (select.having.is_some(), Keyword::Having),
            (distinct, Keyword::Distinct),
            (select.top.is_some(), Keyword::Limit),
        ] {
            if has {
                self.set.add(keyword);
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        if let TableFactor::NestedJoin { table_with_joins, alias: _ } = factor
            && !table_with_joins.joins.is_empty()
        {
            self.set.add(Keyword::Join);
        }
        ControlFlow::Continue(())
    }

    /// Notes the keywords of one expression; its operands are visited by themselves. Fields are named without being
    /// read, so that a new one of the parser does not go unseen.
    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let mut negated = false;
        match expr {
            Expr::IsNull(_) | Expr::IsNotNull(_) => self.set.add(Keyword::Null),
            Expr::UnaryOp { op, expr: _ } => negated = *op == UnaryOperator::Not,
            Expr::InList { expr: _, list: _, negated: not }
            | Expr::InSubquery { expr: _, subquery: _, negated: not }
            | Expr::InUnnest { expr: _, array_expr: _, negated: not }
            | Expr::Between { expr: _, negated: not, low: _, high: _ }
            | Expr::Exists { subquery: _, negated: not } => negated = *not,
            Expr::Like { negated: not, any: _, expr: _, pattern: _, escape_char: _ }
            | Expr::ILike { negated: not, any: _, expr: _, pattern: _, escape_char: _ }
            | Expr::SimilarTo { negated: not, expr: _, pattern: _, escape_char: _ }
            | Expr::RLike { negated: not, expr: _, pattern: _, regexp: _ } => {
                negated = *not;
                self.set.add(Keyword::Pattern);
            }
            Expr::BinaryOp { left: _, op, right: _ } => match op {
                BinaryOperator::StringConcat => self.set.add(Keyword::StringFunction),
                BinaryOperator::Regexp | BinaryOperator::Match => self.set.add(Keyword::Pattern),
                BinaryOperator::Custom(name) if name.eq_ignore_ascii_case("glob") => {
                    self.set.add(Keyword::Pattern);
                }
                _ => {}
            },
            Expr::Cast { kind: _, expr: _, data_type: _, format: _ }
            | Expr::Convert {
                is_try: _,
                expr: _,
                data_type: _,
                charset: _,
                target_before_value: _,
                styles: _,
            } => self.set.add(Keyword::Cast),
            Expr::Position { expr: _, r#in: _ }
            | Expr::Substring { expr: _, substring_from: _, substring_for: _, special: _, shorthand: _ }
            | Expr::Trim { trim_where: _, trim_what: _, expr: _, trim_characters: _ }
            | Expr::Overlay { expr: _, overlay_what: _, overlay_from: _, overlay_for: _ } => {
                self.set.add(Keyword::StringFunction);
            }
            Expr::Function(function) => self.function(function),
            _ => {}
        }
        if negated {
            self.set.add(Keyword::Negation);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twinql_sql::parse;

    fn of(sql: &str) -> String {
        let set = keywords(&parse(sql).unwrap().query);
        set.iter().map(Keyword::name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn by_hand() {
        for (sql, expected) in [
            ("SELECT a FROM t", ""),
            ("SELECT a FROM t WHERE b = 1 ORDER BY a LIMIT 1", "where order-by limit"),
            ("SELECT a FROM t, u", "join"),
            ("SELECT a FROM (t JOIN u ON t.x = u.x)", "join"),
            ("SELECT count(DISTINCT a) FROM t", "distinct aggregation count"),
            ("SELECT max(a), min(1, 2), group_concat(b) FROM t", "aggregation min-max"),
            ("SELECT min(a, b) FROM t", ""),
            ("SELECT a FROM t GROUP BY a HAVING avg(b) > 1", "group-by having aggregation average"),
            ("SELECT a FROM t UNION SELECT b FROM u", "set-operation union"),
            ("SELECT a FROM t EXCEPT SELECT b FROM u", "set-operation except negation"),
            ("SELECT a FROM t WHERE a NOT IN (SELECT b FROM u)", "where nested negation"),
            ("SELECT a FROM (SELECT a FROM t)", "nested"),
            ("WITH c AS (SELECT 1 AS a) SELECT a FROM c", "nested"),
            ("SELECT (SELECT max(b) FROM u) FROM t", "nested aggregation min-max"),
            ("SELECT a FROM t WHERE b IS NOT NULL", "where null"),
            ("SELECT a FROM t WHERE b <> 1", "where"),
            ("SELECT a FROM t WHERE b NOT LIKE '%x%'", "where pattern negation"),
            ("SELECT a FROM t WHERE NOT b = 1", "where negation"),
            ("SELECT upper(a) || 'x', CAST(b AS REAL) FROM t", "string-function cast"),
            ("SELECT row_number() OVER (ORDER BY a) FROM t", ""),
        ] {
            assert_eq!(of(sql), expected, "{sql}");
        }
    }

    #[test]
    fn parenthesised_arms_are_not_nested() {
        let dialect = sqlparser::dialect::GenericDialect {};
        let parse =
            |sql: &str| sqlparser::parser::Parser::new(&dialect).try_with_sql(sql).unwrap().parse_query();
        let set = keywords(&parse("(SELECT a FROM t) UNION (SELECT b FROM u)").unwrap());
        assert_eq!(set, [Keyword::SetOperation, Keyword::Union].into_iter().collect());
        let inner = "(SELECT a FROM t) UNION (SELECT b FROM u WHERE b IN (SELECT 1))";
        assert!(keywords(&parse(inner).unwrap()).contains(Keyword::Nested));
    }

    #[test]
    fn names_are_unique_and_read_back() {
        for (i, keyword) in Keyword::ALL.iter().enumerate() {
            assert_eq!(keyword.name().parse(), Ok(*keyword));
            assert_eq!(*keyword as usize, i);
        }
        let message = "nonsense".parse::<Keyword>().unwrap_err().to_string();
        assert!(message.contains("where, join, nested"), "{message}");
    }

    #[test]
    fn a_set_is_a_list_in_json() {
        let set = keywords(&parse("SELECT count(*) FROM t WHERE a = 1").unwrap().query);
        assert_eq!(serde_json::to_string(&set).unwrap(), r#"["where","aggregation","count"]"#);
    }
}

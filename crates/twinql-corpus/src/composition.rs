//! What a data set is made of: the statistics that benchmarks are compared by.
//!
//! The counts are those of the tables that surveys print: tables, questions, queries and their lengths; tables
//! a query and the share of queries with each construct; questions for each distinct query, and distinct
//! patterns (Finegan-Dollak et al. 2018 began both); and the keywords of FuncEvalGMN's Table 6 (Zhan et al.
//! 2024). What is counted as a keyword is said by [`Keyword`].

use std::collections::HashSet;

use rayon::prelude::*;
use sqlparser::ast::Query;
use twinql_metrics::{Alike, Hardness, Keyword, hardness, keywords, template, token_count};
use twinql_sql::SchemaSet;
use twinql_sql::parse;
use twinql_sql::syntax::Named;

use crate::examples::Example;
use crate::walk;

/// What some queries are made of. Sums are over all queries, or over those that were parsed where a tree is
/// needed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Composition {
    /// How many queries there are.
    pub queries: usize,
    /// How many of them were parsed.
    pub parsed: usize,
    /// Characters, of all queries.
    pub characters: usize,
    /// Tokens, of all queries that are made of tokens.
    pub tokens: usize,
    /// Tables named in FROM, of those that were parsed; subqueries count, and each mention counts.
    pub tables: usize,
    /// How many of those that were parsed have a keyword, in the order of [`Keyword::ALL`].
    pub keywords: Vec<usize>,
    /// How many of those that were parsed are how hard, in the order of [`Hardness::ALL`].
    pub hardness: [usize; 4],
}

impl Composition {
    /// Counts queries.
    pub fn of<'q>(queries: impl IntoIterator<Item = &'q str>) -> Composition {
        let queries: Vec<&str> = queries.into_iter().collect();
        let empty = || Composition { keywords: vec![0; Keyword::ALL.len()], ..Composition::default() };
        // Sums of whole numbers: the order of threads does not show.
        queries.par_iter().map(|sql| Composition::one(sql)).reduce(empty, Composition::plus)
    }

    fn one(sql: &str) -> Composition {
        let mut found = Composition {
            queries: 1,
            characters: sql.trim().chars().count(),
            tokens: token_count(sql).unwrap_or(0),
            keywords: vec![0; Keyword::ALL.len()],
            ..Composition::default()
        };
        let Ok(parsed) = parse(sql) else { return found };
        found.parsed = 1;
        found.tables = tables(&parsed.query);
        let own = keywords(&parsed.query);
        found.keywords = Keyword::ALL.iter().map(|k| usize::from(own.contains(*k))).collect();
        let class = hardness(&parsed.query);
        found.hardness = Hardness::ALL.map(|h| usize::from(h == class));
        found
    }

    fn plus(mut self, other: Composition) -> Composition {
        self.queries += other.queries;
        self.parsed += other.parsed;
        self.characters += other.characters;
        self.tokens += other.tokens;
        self.tables += other.tables;
        self.keywords.iter_mut().zip(other.keywords).for_each(|(sum, n)| *sum += n);
        self.hardness.iter_mut().zip(other.hardness).for_each(|(sum, n)| *sum += n);
        self
    }

    /// The share of parsed queries with a keyword; none where no query was parsed.
    pub fn share(&self, keyword: Keyword) -> Option<f64> {
        let count = self.keywords.get(keyword as usize)?;
        (self.parsed > 0).then(|| *count as f64 / self.parsed as f64)
    }

    /// Tables a parsed query; none where no query was parsed.
    pub fn tables_a_query(&self) -> Option<f64> {
        (self.parsed > 0).then(|| self.tables as f64 / self.parsed as f64)
    }
}

/// Tables that a query names in FROM, as often as it does; what WITH defines is no table.
fn tables(query: &Query) -> usize {
    let (mut named, mut defined) = (Vec::new(), HashSet::new());
    let mut query = query.clone();
    walk::queries(&mut query, &mut |query| {
        let tables = query.with.iter().flat_map(|with| &with.cte_tables);
        defined.extend(tables.map(|t| t.alias.name.value.to_ascii_lowercase()));
    });
    walk::factors(&mut query, &mut |factor| {
        if let Some(Named { name, alias: _, args: None }) = Named::of(factor) {
            named.push(name.to_string().to_ascii_lowercase());
        }
    });
    named.iter().filter(|name| !defined.contains(*name)).count()
}

/// How much of a data set is the same again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Variety {
    /// Rows of the file.
    pub rows: usize,
    /// Databases that they are over.
    pub databases: usize,
    /// Distinct questions of a database, where rows have questions.
    pub questions: usize,
    /// Characters of the distinct questions.
    pub question_characters: usize,
    /// Words of the distinct questions.
    pub question_words: usize,
    /// Distinct queries of a database.
    pub queries: usize,
    /// Distinct queries but for values.
    pub templates: usize,
    /// Distinct queries but for values and names.
    pub patterns: usize,
}

impl Variety {
    /// Counts examples.
    pub fn of(examples: &[Example]) -> Variety {
        let asked: HashSet<(&str, &str)> = examples
            .iter()
            .filter_map(|e| Some((e.database.as_str(), e.question.as_deref()?.trim())))
            .collect();
        let distinct = |alike: Alike| -> usize {
            let texts: HashSet<String> = examples
                .par_iter()
                .map(|e| template(&e.sql, alike))
                .collect::<Vec<_>>()
                .into_iter()
                .collect();
            texts.len()
        };
        Variety {
            rows: examples.len(),
            databases: examples.iter().map(|e| &e.database).collect::<HashSet<_>>().len(),
            questions: asked.len(),
            question_characters: asked.iter().map(|(_, q)| q.chars().count()).sum(),
            question_words: asked.iter().map(|(_, q)| q.split_whitespace().count()).sum(),
            queries: distinct_queries(examples).len(),
            templates: distinct(Alike::Values),
            patterns: distinct(Alike::Names),
        }
    }
}

/// The first example of each distinct query of a database.
pub fn distinct_queries(examples: &[Example]) -> Vec<&Example> {
    let mut seen = HashSet::new();
    let own = |e: &Example| (e.database.clone(), template(&e.sql, Alike::Text));
    examples.iter().filter(|e| seen.insert(own(e))).collect()
}

/// What schemas are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SchemaSize {
    /// Databases.
    pub databases: usize,
    /// Tables of all databases.
    pub tables: usize,
    /// Columns of all tables.
    pub columns: usize,
    /// Foreign keys of all tables.
    pub foreign_keys: usize,
}

impl SchemaSize {
    /// Counts schemas.
    pub fn of(schemas: &SchemaSet) -> SchemaSize {
        let tables = || schemas.values().flat_map(|schema| &schema.tables);
        SchemaSize {
            databases: schemas.len(),
            tables: tables().count(),
            columns: tables().map(|t| t.columns.len()).sum(),
            foreign_keys: tables().map(|t| t.foreign_keys.len()).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;

    #[test]
    fn by_hand() {
        let found = Composition::of([
            "SELECT count(*) FROM t",
            " SELECT a FROM t JOIN u ON t.x = u.x WHERE b IN (SELECT c FROM v) ",
            "WITH c AS (SELECT a FROM t) SELECT a FROM c",
            "SELECT (",
        ]);
        assert_eq!((found.queries, found.parsed), (4, 3));
        assert_eq!(found.characters, 22 + 64 + 43 + 8);
        assert_eq!(found.tokens, 7 + 23 + 13 + 2);
        assert_eq!(found.tables, 1 + 3 + 1);
        assert_eq!(found.share(Keyword::Nested), Some(2.0 / 3.0));
        assert_eq!(found.share(Keyword::Count), Some(1.0 / 3.0));
        assert_eq!(found.hardness.iter().sum::<usize>(), 3);
        assert_eq!(Composition::of([]).share(Keyword::Count), None);
    }

    #[test]
    fn what_is_the_same_again() {
        let file = tempfile::Builder::new().suffix(".jsonl").tempfile().unwrap();
        let line = |db: &str, sql: &str, question: &str| {
            format!("{{\"db_id\":\"{db}\",\"gold\":\"{sql}\",\"question\":\"{question}\"}}\n")
        };
        let lines = [
            line("d", "SELECT a FROM t WHERE b = 1", "which one"),
            line("d", "select a from t where b = 1;", "which  two"),
            line("d", "SELECT a FROM t WHERE b = 2", "which one"),
            line("e", "SELECT a FROM t WHERE b = 1", "which one"),
            line("e", "SELECT c FROM u WHERE d = 'x'", "which three"),
        ];
        std::fs::write(file.path(), lines.concat()).unwrap();
        let found = Variety::of(&examples::read(file.path()).unwrap().examples);
        let expected = Variety {
            rows: 5,
            databases: 2,
            questions: 4,
            question_characters: 9 + 10 + 9 + 11,
            question_words: 8,
            queries: 4,
            templates: 2,
            patterns: 1,
        };
        assert_eq!(found, expected);
    }

    /// Spider's dev set has 1,034 questions over 20 databases, and an answer for each.
    #[test]
    fn spider_dev() {
        let Some(data) = std::env::var_os("TWINQL_DATA") else {
            eprintln!("skipped: TWINQL_DATA is not set");
            return;
        };
        let path = std::path::Path::new(&data).join("spider/dev.jsonl");
        let examples = examples::read(path).unwrap().examples;
        let variety = Variety::of(&examples);
        assert_eq!((variety.rows, variety.databases), (1034, 20));
        assert!(variety.patterns < variety.templates && variety.templates <= variety.queries);
        let found = Composition::of(examples.iter().map(|e| e.sql.as_str()));
        assert_eq!(found.parsed, 1034);
        assert_eq!(found.hardness, [248, 446, 174, 166]);
    }
}

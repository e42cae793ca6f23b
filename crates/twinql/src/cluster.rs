//! Queries of a log in classes that answer the same, without comparing each with all others.
//!
//! Queries of one canonical form are a class. Each class is then held against the four that are most like it, among those
//! that read the same tables: proved equal, they are one class; so they are if the network takes them for equal, where it
//! is asked. What is alike is found by the subtrees that few queries share.
//!
//! ```
//! use std::sync::Arc;
//! use twinql::Schema;
//! use twinql::cluster::{Clusterer, Query};
//!
//! let ddl = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)";
//! let schema = Arc::new(Schema::from_ddl("concerts", ddl)?);
//! let sql = ["SELECT name FROM singer", "SELECT COUNT(*) FROM singer", "SELECT COUNT(id) FROM singer"];
//! let queries = sql.map(|sql| Query { schema: Arc::clone(&schema), sql: sql.to_owned() });
//! let clusters = Clusterer::default().cluster(&queries);
//! let places: Vec<_> = clusters[0].members.iter().map(|m| m.place).collect();
//! assert_eq!((clusters.len(), places), (2, vec![1, 2]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use twinql_sql::{Dialect, Schema, Semantics};

use crate::classes::Classes;
pub use crate::classes::Reason;
use crate::network::{Network, NetworkError};
use crate::signature::PARSER;

/// A query of a log.
#[derive(Debug, Clone)]
pub struct Query {
    /// What it is over.
    pub schema: Arc<Schema>,
    /// Its text.
    pub sql: String,
}

/// A query in a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Its place among all queries.
    pub place: usize,
    /// Why it is in this class.
    pub reason: Reason,
}

/// Queries that answer the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// At least one query, in the order of the input.
    pub members: Vec<Member>,
    /// Why the queries, whose texts are the same, are not over the schema, if they are not.
    pub error: Option<String>,
}

/// How queries are put into classes.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterConfig {
    /// The weakest reason for which queries are one class.
    pub by: Reason,
    /// The network's probability from which its word counts, where it is asked.
    pub threshold: f64,
    /// What "the same answer" means.
    pub semantics: Semantics,
    /// Whose SQL the queries are.
    pub dialect: Dialect,
}

impl Default for ClusterConfig {
    fn default() -> Self {
        let (semantics, dialect) = (Semantics::default(), Dialect::default());
        ClusterConfig { by: Reason::Proof, threshold: 0.5, semantics, dialect }
    }
}

/// Puts queries into classes.
#[derive(Debug, Clone, Default)]
pub struct Clusterer {
    network: Option<Network>,
    config: ClusterConfig,
}

impl Clusterer {
    /// Sets it up. Where its configuration asks for a network and none is given, the built-in one is taken.
    ///
    /// # Errors
    /// There is no network built in, or it was not trained for the question.
    pub fn new(network: Option<Network>, config: ClusterConfig) -> Result<Clusterer, NetworkError> {
        let network = match (config.by, network) {
            (Reason::Network, None) => Some(Network::embedded()?),
            (Reason::Network, network) => network,
            _ => None,
        };
        let network = network.map(|n| n.asked(n.question(), &config.semantics)).transpose()?;
        Ok(Clusterer { network, config })
    }

    /// What the classes depend on, in a line.
    pub fn signature(&self) -> String {
        let ClusterConfig { by, threshold, semantics, dialect } = &self.config;
        let network = self
            .network
            .as_ref()
            .map_or_else(|| "none".to_owned(), |network| format!("{}|threshold:{threshold}", network.hash()));
        format!(
            "twinql:{}|cluster:{}|ckpt:{network}|sql:{PARSER}|dialect:{dialect}|semantics:{semantics}",
            env!("CARGO_PKG_VERSION"),
            by.name(),
        )
    }

    /// The classes of these queries, the largest first, and of equal ones the one that comes first. Queries over other
    /// schemas are in other classes. Work is done in parallel on rayon's current pool, and does not depend on it.
    pub fn cluster(&self, queries: &[Query]) -> Vec<Cluster> {
        let mut schemas: Vec<(&Schema, Vec<usize>)> = Vec::new();
        let mut numbers: HashMap<*const Schema, usize> = HashMap::new();
        for (place, query) in queries.iter().enumerate() {
            let number = *numbers.entry(Arc::as_ptr(&query.schema)).or_insert_with(|| {
                schemas.push((&query.schema, Vec::new()));
                schemas.len() - 1
            });
            if let Some((_, places)) = schemas.get_mut(number) {
                places.push(place);
            }
        }
        let mut clusters: Vec<Cluster> = schemas
            .into_iter()
            .flat_map(|(schema, places)| {
                let texts: Vec<&str> = places.iter().map(|&place| queries[place].sql.as_str()).collect();
                self.over(schema, &texts, &places)
            })
            .collect();
        let first = |cluster: &Cluster| cluster.members.first().map(|member| member.place);
        clusters.sort_by_key(|cluster| (Reverse(cluster.members.len()), first(cluster)));
        clusters
    }

    /// The classes of the queries over one schema, which have these places among all.
    fn over(&self, schema: &Schema, texts: &[&str], places: &[usize]) -> Vec<Cluster> {
        let ClusterConfig { by, threshold, semantics, dialect } = &self.config;
        let mut classes = Classes::of(schema, *dialect, texts, self.network.as_ref(), semantics);
        if *by >= Reason::Proof {
            classes.join_proved(schema, semantics, classes.forms.len());
        }
        if let Some(network) = &self.network {
            classes.join_likely(network, *threshold, classes.forms.len());
        }
        let member = |&own: &usize| {
            let place = places.get(own).copied()?;
            Some(Member { place, reason: classes.reasons.get(own).copied().unwrap_or_default() })
        };
        let read = classes
            .members
            .iter()
            .map(|members| Cluster { members: members.iter().filter_map(member).collect(), error: None });
        let mut clusters: Vec<Cluster> = read.collect();
        // What is not read is the same as its own text.
        let mut unread: HashMap<&str, usize> = HashMap::new();
        for (own, error) in classes.errors.iter().enumerate() {
            let (Some(error), Some(text), Some(&place)) = (error, texts.get(own), places.get(own)) else {
                continue;
            };
            let number = *unread.entry(text.trim()).or_insert_with(|| {
                clusters.push(Cluster { members: Vec::new(), error: Some(error.clone()) });
                clusters.len() - 1
            });
            if let Some(cluster) = clusters.get_mut(number) {
                let reason = if cluster.members.is_empty() { Reason::First } else { Reason::Form };
                cluster.members.push(Member { place, reason });
            }
        }
        clusters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DDL: &str =
        "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, country TEXT);
        CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer(id), year INTEGER)";

    /// The classes of `texts` as places and reasons.
    fn classes(by: Reason, texts: &[&str]) -> Vec<Vec<(usize, &'static str)>> {
        let schema = Arc::new(Schema::from_ddl("concerts", DDL).unwrap());
        let config = ClusterConfig { by, ..ClusterConfig::default() };
        let of = |sql: &&str| Query { schema: Arc::clone(&schema), sql: (*sql).to_owned() };
        let queries: Vec<Query> = texts.iter().map(of).collect();
        let clusters = Clusterer::new(None, config).unwrap().cluster(&queries);
        let shown = |c: Cluster| c.members.iter().map(|m| (m.place, m.reason.name())).collect();
        clusters.into_iter().map(shown).collect()
    }

    #[test]
    fn forms_join_and_texts_that_are_not_read_stay_by_themselves() {
        let texts = [
            "SELECT nothing FROM singer",
            "SELECT COUNT(*) FROM singer",
            "SELECT name FROM singer WHERE age > 3",
            " SELECT nothing FROM singer ",
            "SELECT COUNT(id) FROM singer AS s",
            "SELEC",
            "select name from singer where 3 < age",
            "SELECT COUNT(1) FROM singer",
        ];
        let found = classes(Reason::Form, &texts);
        let expected = [
            vec![(1, "first"), (4, "form"), (7, "form")],
            vec![(0, "first"), (3, "form")],
            vec![(2, "first"), (6, "form")],
            vec![(5, "first")],
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_weaker_reason_joins_more() {
        let texts = [
            "SELECT DISTINCT a.country FROM singer a, singer b WHERE a.country = b.country AND a.age > 20 AND b.age > 19",
            "SELECT name FROM singer",
            "SELECT DISTINCT country FROM singer WHERE age > 20",
        ];
        assert_eq!(classes(Reason::Form, &texts).len(), 3);
        let proved = [vec![(0, "first"), (2, "proof")], vec![(1, "first")]];
        assert_eq!(classes(Reason::Proof, &texts), proved);
        // From probability 0 on, the network takes all that is alike for equal, and says that it was its word.
        let schema = Arc::new(Schema::from_ddl("concerts", DDL).unwrap());
        let config = ClusterConfig { by: Reason::Network, threshold: 0.0, ..ClusterConfig::default() };
        let of = |sql: &str| Query { schema: Arc::clone(&schema), sql: sql.to_owned() };
        let queries =
            [of("SELECT name FROM singer WHERE age > 3"), of("SELECT name FROM singer WHERE age > 4")];
        let all = Clusterer::new(None, config).unwrap().cluster(&queries);
        let reasons: Vec<_> = all.iter().flat_map(|c| &c.members).map(|m| m.reason).collect();
        assert_eq!((all.len(), reasons), (1, vec![Reason::First, Reason::Network]));
    }

    #[test]
    fn nothing_depends_on_the_threads() {
        let texts: Vec<String> = (0..200)
            .map(|n| format!("SELECT name FROM singer WHERE age > {} AND id <> {}", n % 50, n % 3))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| classes(Reason::Network, &texts))
        };
        assert_eq!(with(1), with(3));
    }
}

//! Queries that differ in the names of functions alone.
//!
//! A network knows few functions, and of most names it has read nothing: of two such queries only rows can tell whether
//! they are the same.

use std::hash::{DefaultHasher, Hash, Hasher};

use twinql_graph::vocabulary::Word;
use twinql_sql::tree::{Next, Node, NodeMut, Tree};
use twinql_sql::{AggFunc, BinaryOp, Expr, Query, Rel};

/// The functions of a query, and the rest of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    /// In the order in which they stand in the tree.
    functions: Vec<String>,
    /// A hash of the tree without them.
    rest: u64,
}

impl Names {
    /// Of a canonical form; none where it calls no function.
    pub(crate) fn of(query: &Query) -> Option<Names> {
        let mut functions: Vec<String> = Vec::new();
        query.for_each_deep(|node| match node {
            Node::Expr(expr) => functions.extend(name(expr).map(str::to_owned)),
            Node::Rel(Rel::Aggregate { calls, .. }) => {
                functions.extend(calls.iter().filter_map(|(_, call)| match &call.func {
                    AggFunc::Other(name) => Some(name.clone()),
                    _ => None,
                }));
            }
            Node::Rel(Rel::Window { calls, .. }) => {
                functions.extend(calls.iter().map(|(_, call)| call.func.clone()));
            }
            _ => {}
        });
        if functions.is_empty() {
            return None;
        }
        let mut rest = query.clone();
        rest.map_deep(|node| {
            match node {
                NodeMut::Expr(Expr::Function { name, .. }) => name.clear(),
                NodeMut::Expr(Expr::Binary { op: op @ BinaryOp::Regexp, .. }) => *op = BinaryOp::Match,
                NodeMut::Rel(Rel::Aggregate { calls, .. }) => {
                    for (_, call) in calls {
                        if let AggFunc::Other(name) = &mut call.func {
                            name.clear();
                        }
                    }
                }
                NodeMut::Rel(Rel::Window { calls, .. }) => {
                    calls.iter_mut().for_each(|(_, call)| call.func.clear());
                }
                _ => {}
            }
            Next::Below
        });
        let mut hasher = DefaultHasher::new();
        rest.hash(&mut hasher);
        Some(Names { functions, rest: hasher.finish() })
    }

    /// The functions in which two queries differ that are alike in all else, each once; none where there is more.
    pub(crate) fn apart(&self, other: &Names) -> Vec<String> {
        let mut apart: Vec<String> = Vec::new();
        if self.rest != other.rest || self.functions.len() != other.functions.len() {
            return apart;
        }
        let differ = |(one, other): &(&String, &String)| one != other && !are_one(one, other);
        for (one, other) in self.functions.iter().zip(&other.functions).filter(differ) {
            for name in [one, other] {
                if !apart.contains(name) {
                    apart.push(name.clone());
                }
            }
        }
        apart
    }
}

/// Two spellings of one function, as `substr` and `substring` are.
fn are_one(one: &str, other: &str) -> bool {
    Word::function(one).is_some_and(|word| Word::function(other) == Some(word))
}

/// The name of a function or of an operator that no sandbox knows.
fn name(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Function { name, .. } => Some(name),
        Expr::Binary { op: BinaryOp::Regexp, .. } => Some("REGEXP"),
        Expr::Binary { op: BinaryOp::Match, .. } => Some("MATCH"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use twinql_sql::{Schema, parse, plan};

    use super::*;

    #[test]
    fn names_alone_are_apart() {
        let ddl = "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age REAL)";
        let schema = Schema::from_ddl("pets", ddl).unwrap();
        let names = |sql: &str| Names::of(&plan(&schema, &parse(sql).unwrap()).unwrap().query);
        let apart = |one: &str, other: &str| names(one).unwrap().apart(&names(other).unwrap()).join(", ");
        for (one, other, said) in [
            ("SELECT ceil(age) FROM pet", "SELECT floor(age) FROM pet", "ceil, floor"),
            ("SELECT ceil(age) FROM pet", "SELECT ceil(age) FROM pet", ""),
            ("SELECT ceil(age) FROM pet", "SELECT ceiling(age) FROM pet", ""),
            ("SELECT ceil(age) FROM pet", "SELECT floor(id) FROM pet", ""),
            ("SELECT upper(name) FROM pet", "SELECT upper(name) FROM pet WHERE age > ceil(2)", ""),
            (
                "SELECT id FROM pet WHERE soundex(name) = hex(name)",
                "SELECT id FROM pet WHERE quote(name) = hex(name)",
                "soundex, quote",
            ),
            (
                "SELECT rank() OVER (ORDER BY age) FROM pet",
                "SELECT dense_rank() OVER (ORDER BY age) FROM pet",
                "rank, dense_rank",
            ),
        ] {
            assert_eq!(apart(one, other), said, "{one} / {other}");
        }
        assert_eq!(names("SELECT name FROM pet"), None);
    }
}

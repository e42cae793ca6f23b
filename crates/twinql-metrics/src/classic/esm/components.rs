//! Partial component matching: how much of each clause two queries share.
//!
//! Sources: Yu et al. 2018 (the ten components of Spider's evaluation, with precision, recall and F1) and Hazoom et al. 2021
//! (their average as a query's score). Spider's script gives a component 1 or 0; here a component is a bag of
//! parts, and what is shared of it counts. Values are not compared.

use serde_json::{Map, Value, json};
use twinql_sql::Schema;

use super::adapted::both;
use super::clauses::{Block, Body, Labels, Op, Query, Term, Writer};
use super::shared;
use crate::classic::{Pair, Scored};

/// The components, by Spider's names.
const NAMES: [&str; 10] = [
    "select",
    "select(no AGG)",
    "where",
    "where(no OP)",
    "group(no Having)",
    "group",
    "order",
    "and/or",
    "IUEN",
    "keywords",
];

/// The mean F1 over the components that either side has, with each one's precision, recall and F1.
pub fn score(pair: &Pair<'_>) -> Scored {
    match both(pair.schema, pair.gold.query, pair.pred.query) {
        Ok((gold, pred)) => shared_components(pair.schema, &gold, &pred),
        Err(unread) => unread,
    }
}

fn shared_components(schema: &Schema, gold: &Query, pred: &Query) -> Scored {
    let parts = |query: &Query| Parts::of(query, &Writer::new(schema, false));
    let (gold, pred) = (parts(gold), parts(pred));
    let mut details = Map::new();
    let (mut sum, mut count) = (0.0, 0usize);
    for ((name, gold), pred) in NAMES.iter().zip(&gold.0).zip(&pred.0) {
        if gold.is_empty() && pred.is_empty() {
            continue;
        }
        let shared = shared(gold, pred) as f64;
        let share = |of: &[String]| if of.is_empty() { 0.0 } else { shared / of.len() as f64 };
        let (precision, recall) = (share(pred), share(gold));
        let f1 = 2.0 * shared / (gold.len() + pred.len()) as f64;
        details.insert((*name).to_owned(), json!({ "precision": precision, "recall": recall, "f1": f1 }));
        sum += f1;
        count += 1;
    }
    // Every query has a SELECT or is no query of ours: then the two are as unlike as can be said.
    let score = if count == 0 { 0.0 } else { sum / count as f64 };
    details.insert("components".to_owned(), Value::from(count));
    Scored { score, details }
}

/// The parts of each component, in the order of [`NAMES`].
struct Parts([Vec<String>; 10]);

impl Parts {
    fn of(query: &Query, writer: &Writer<'_>) -> Parts {
        // A set operation is described by its first SELECT and, as one component, by its other arms.
        let (mut first, mut arms) = (query, Vec::new());
        while let Body::Set { op, all, left, right } = &first.body {
            let all = if *all { " all" } else { "" };
            arms.push((op.name(), format!("{}{all} {}", op.name(), writer.text(right))));
            first = left;
        }
        let none = Block::default();
        let (block, labels) = match &first.body {
            Body::Block(block) => (block.as_ref(), writer.labels(first, block, &Labels::default())),
            _ => (&none, Labels::default()),
        };
        let text = |t: &Term| writer.term(t, &labels);
        let texts = |terms: &[Term]| terms.iter().map(text).collect::<Vec<String>>();
        let mut filter = Conditions::default();
        block.filter.iter().for_each(|t| filter.add(t));
        filter.and |= block.filter.len() > 1;
        let mut having = Conditions::default();
        block.having.iter().for_each(|t| having.add(t));
        let mut select = texts(&block.select);
        if block.distinct {
            select.push("distinct".to_owned());
        }
        let bare = block.select.iter().map(|t| t.aggregate().map_or(t, |(_, _, arg)| arg));
        let group = texts(&block.group);
        let having_texts = having.atoms.iter().map(|t| format!("having {}", text(t)));
        let mut order: Vec<String> = query.order.iter().map(|k| writer.key(k, &labels)).collect();
        let limit = query.limit.iter().chain(&query.offset).map(text);
        order.extend(limit.map(|l| format!("limit {l}")));
        let links = [("and", filter.and), ("or", filter.or)];
        let links = links.iter().filter(|(_, holds)| *holds).map(|(link, _)| (*link).to_owned());
        let any = |op: Op| filter.has(op) || having.has(op);
        let words = [
            ("where", !block.filter.is_empty()),
            ("group", !block.group.is_empty()),
            ("having", !block.having.is_empty()),
            ("order", !query.order.is_empty()),
            ("asc", query.order.iter().any(|k| !k.descending)),
            ("desc", query.order.iter().any(|k| k.descending)),
            ("limit", query.limit.is_some()),
            ("or", filter.or || having.or),
            ("not", filter.not || having.not),
            ("in", any(Op::In)),
            ("like", any(Op::Like)),
        ];
        let mut keywords: Vec<String> =
            words.iter().filter(|(_, holds)| *holds).map(|(word, _)| (*word).to_owned()).collect();
        keywords.extend(arms.iter().map(|(op, _)| (*op).to_owned()));
        keywords.sort();
        keywords.dedup();
        Parts([
            select,
            bare.map(text).collect(),
            filter.atoms.iter().map(|t| text(t)).collect(),
            filter.atoms.iter().map(|t| text(operand(t))).collect(),
            group.clone(),
            group.into_iter().chain(having_texts).collect(),
            order,
            links.collect(),
            arms.into_iter().map(|(_, text)| text).collect(),
            keywords,
        ])
    }
}

/// What a condition tests, without how: its first operand that is no literal.
fn operand(term: &Term) -> &Term {
    match term {
        Term::Not(inner) => operand(inner),
        Term::Test { op: _, args } => args.iter().find(|t| !t.literal()).unwrap_or(term),
        other => other,
    }
}

/// Single conditions of a clause, and what connects them.
#[derive(Default)]
struct Conditions<'t> {
    atoms: Vec<&'t Term>,
    and: bool,
    or: bool,
    not: bool,
}

impl<'t> Conditions<'t> {
    fn add(&mut self, term: &'t Term) {
        match term {
            Term::And(terms) | Term::Or(terms) => {
                let and = matches!(term, Term::And(_));
                self.and |= and;
                self.or |= !and;
                terms.iter().for_each(|t| self.add(t));
            }
            atom => {
                self.not |= matches!(atom, Term::Not(_));
                self.atoms.push(atom);
            }
        }
    }

    fn has(&self, wanted: Op) -> bool {
        self.atoms.iter().any(|atom| {
            let inner = if let Term::Not(inner) = atom { inner } else { *atom };
            matches!(inner, Term::Test { op, args: _ } if *op == wanted)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Schema {
        let ddl = "CREATE TABLE t (a INTEGER, b INTEGER, c TEXT); CREATE TABLE u (a INTEGER, d TEXT);";
        twinql_sql::schema::read_ddl("x", ddl).unwrap()
    }

    fn query(sql: &str) -> Query {
        crate::classic::esm::clauses::build(&schema(), &twinql_sql::parse(sql).unwrap().query).unwrap()
    }

    fn parts(sql: &str) -> Parts {
        Parts::of(&query(sql), &Writer::new(&schema(), false))
    }

    #[test]
    fn the_mean_is_over_what_either_has() {
        for (gold, pred, expected, components) in [
            // One of one and two output columns is shared; WHERE, its operand and its word are lost.
            ("SELECT a FROM t WHERE a = 1", "SELECT a, b FROM t", (2.0 / 3.0 + 2.0 / 3.0) / 5.0, 5),
            ("SELECT max(a) FROM t", "SELECT min(a) FROM t", 0.5, 2),
            ("SELECT a FROM t WHERE a = 1", "SELECT a FROM t WHERE a = 2", 1.0, 5),
            (
                "SELECT a FROM t ORDER BY b",
                "SELECT a FROM t ORDER BY b DESC",
                (1.0 + 1.0 + 0.0 + 0.5) / 4.0,
                4,
            ),
        ] {
            let scored = shared_components(&schema(), &query(gold), &query(pred));
            assert!((scored.score - expected).abs() < 1e-12, "{gold} / {pred}: {}", scored.score);
            assert_eq!(scored.details["components"], components, "{gold} / {pred}");
        }
        let scored = shared_components(&schema(), &query("SELECT a FROM t"), &query("SELECT a, b FROM t"));
        assert_eq!(scored.details["select"], json!({ "precision": 0.5, "recall": 1.0, "f1": 2.0 / 3.0 }));
    }

    #[test]
    fn parts_by_hand() {
        let Parts([select, bare, filter, operands, group, having, order, links, arms, words]) = parts(
            "SELECT DISTINCT c, max(a) FROM t WHERE a = 1 OR NOT b > 2 GROUP BY c HAVING count(*) > 1 \
             ORDER BY c DESC LIMIT 3",
        );
        assert_eq!(select, ["t.c", "max(t.a)", "distinct"]);
        assert_eq!(bare, ["t.c", "t.a"]);
        assert_eq!(filter, ["=(?, t.a)", "not(>(t.b, ?))"]);
        assert_eq!(operands, ["t.a", "t.b"]);
        assert_eq!(group, ["t.c"]);
        assert_eq!(having, ["t.c", "having >(count(*), ?)"]);
        assert_eq!(order, ["t.c desc", "limit 3"]);
        assert_eq!(links, ["or"]);
        assert!(arms.is_empty());
        assert_eq!(words, ["desc", "group", "having", "limit", "not", "or", "order", "where"]);
    }

    #[test]
    fn the_arms_of_a_set_operation_are_parts() {
        let Parts([select, .., arms, words]) =
            parts("SELECT a FROM t UNION SELECT a FROM u EXCEPT SELECT b FROM t WHERE c = 'x'");
        assert_eq!(select, ["t.a"]);
        assert_eq!(arms.len(), 2);
        assert_eq!(words, ["except", "union"]);
    }

    #[test]
    fn bags_share_each_part_once() {
        let bag = |s: &str| s.split(' ').map(str::to_owned).collect::<Vec<String>>();
        assert_eq!(shared(&bag("a a b"), &bag("a b b c")), 2);
        assert_eq!(shared(&[], &bag("a")), 0);
    }
}

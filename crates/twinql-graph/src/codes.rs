//! Codes in place of the names of tables and columns: what a network reads that must not depend on names.
//!
//! ```text
//! SELECT name FROM singer WHERE age > 20   →   t0, t0.c0, t0.c1
//! SELECT titel FROM buch WHERE jahr > 20   →   t0, t0.c0, t0.c1
//! ```
//!
//! Both graphs of a pair share the codes, so that what is the same column stays so. Which number a table, an instance of it
//! or a column gets depends on where it stands in the two graphs and on nothing else: not on names, not on the order of the
//! schema, and not on which graph is the left one. Literals stay as they are.

use std::collections::HashMap;

use crate::arrays::{GraphArrays, PairArrays};
use crate::vocabulary::Word;

/// How often what stands around a node is taken into account.
const ROUNDS: usize = 3;

/// The strings of a graph's nodes, as [`GraphArrays::contents`] and [`GraphArrays::strings`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contents {
    /// For each node its string, as an index into `strings`.
    pub contents: Vec<Option<u32>>,
    /// The distinct strings.
    pub strings: Vec<String>,
}

/// The strings of both graphs, left and right, with codes for names. An index that no string has
/// stays one that no string has.
pub fn coded(pair: &PairArrays) -> (Contents, Contents) {
    let names = Names::new(pair);
    let codes = names.codes(&places(pair, &names));
    let (left, right) = names.of_nodes.split_at(pair.left.words.len());
    (contents(&pair.left, left, &codes), contents(&pair.right, right, &codes))
}

/// A name taken apart: `singer#2.age` is column `age` of the second instance of `singer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Name<'a> {
    table: &'a str,
    instance: &'a str,
    column: Option<&'a str>,
}

impl<'a> Name<'a> {
    fn new(text: &'a str) -> Name<'a> {
        let (place, column) = match text.split_once('.') {
            Some((place, column)) => (place, Some(column)),
            None => (text, None),
        };
        let number = |(_, n): &(&str, &str)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
        let (table, instance) = place.rsplit_once('#').filter(number).unwrap_or((place, ""));
        Name { table, instance, column }
    }
}

/// The names of a pair, and which node has which.
struct Names<'a> {
    all: Vec<Name<'a>>,
    /// For each node, the left graph's first, its name in `all`.
    of_nodes: Vec<Option<usize>>,
}

impl<'a> Names<'a> {
    fn new(pair: &'a PairArrays) -> Names<'a> {
        let graphs = [&pair.left, &pair.right];
        let literals: Vec<&str> =
            graphs.iter().flat_map(|g| texts(g).filter(|(w, _)| is_literal(*w)).map(|(_, t)| t)).collect();
        let names: Vec<&str> =
            graphs.iter().flat_map(|g| texts(g).filter(|(w, _)| is_name(*w)).map(|(_, t)| t)).collect();
        // A computed column has the name of a column inside of it, or else a literal's text or its number.
        let named = |word: u16, text: &str| {
            is_name(word)
                || (!is_literal(word)
                    && (names.contains(&text) || !(literals.contains(&text) || text.starts_with('#'))))
        };
        let mut all = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut of_nodes = Vec::with_capacity(pair.left.words.len() + pair.right.words.len());
        for graph in graphs {
            of_nodes.extend((0..graph.words.len()).map(|node| {
                let text = text_of(graph, node).filter(|text| named(graph.words[node], text))?;
                Some(*known.entry(text).or_insert_with(|| {
                    all.push(Name::new(text));
                    all.len() - 1
                }))
            }));
        }
        Names { all, of_nodes }
    }

    /// A code for each name, from a number for each that says where it stands. What stands in equal places is told
    /// apart by its name: exchanging the two would change nothing.
    fn codes(&self, places: &[u64]) -> Vec<String> {
        let numbers = |part: &dyn Fn(&Name<'a>) -> Option<[&'a str; 2]>| {
            numbered(self.all.iter().zip(places).filter_map(|(name, place)| Some((part(name)?, *place))))
        };
        let tables = numbers(&|name| Some(["", name.table]));
        let instances = numbers(&|name| Some([name.table, name.instance]));
        let columns = numbers(&|name| Some([name.table, name.column?]));
        let code = |name: &Name<'a>| {
            let number = |of: &HashMap<_, usize>, part| {
                debug_assert!(of.contains_key(&part), "all parts of all names have been numbered");
                of.get(&part).copied().unwrap_or_default()
            };
            let mut code = format!("t{}", number(&tables, ["", name.table]));
            let instance = number(&instances, [name.table, name.instance]);
            if instance > 0 {
                code.push_str(&format!("#{}", instance + 1));
            }
            if let Some(column) = name.column {
                code.push_str(&format!(".c{}", number(&columns, [name.table, column])));
            }
            code
        };
        self.all.iter().map(code).collect()
    }
}

/// Numbers from 0 for parts of names within what the first half of the part says, in the order of where they stand.
fn numbered<'a>(parts: impl Iterator<Item = ([&'a str; 2], u64)>) -> HashMap<[&'a str; 2], usize> {
    let mut sums: HashMap<[&str; 2], u64> = HashMap::new();
    for (part, place) in parts {
        let sum = sums.entry(part).or_default();
        *sum = sum.wrapping_add(mixed(place));
    }
    let mut order: Vec<(&str, u64, &str)> =
        sums.into_iter().map(|([within, part], place)| (within, place, part)).collect();
    order.sort_unstable();
    let mut numbers = HashMap::with_capacity(order.len());
    let mut before = None;
    let mut number = 0;
    for (within, _, part) in order {
        number = if before == Some(within) { number + 1 } else { 0 };
        before = Some(within);
        numbers.insert([within, part], number);
    }
    numbers
}

fn is_name(word: u16) -> bool {
    [Word::TABLE, Word::COLUMN, Word::OUTER_COLUMN].iter().any(|w| w.index() == word)
}

fn is_literal(word: u16) -> bool {
    [Word::STRING, Word::NUMBER, Word::BLOB, Word::NULL, Word::NAME].iter().any(|w| w.index() == word)
}

fn text_of(graph: &GraphArrays, node: usize) -> Option<&str> {
    let index = graph.contents.get(node).copied().flatten()?;
    graph.strings.get(index as usize).map(String::as_str)
}

/// Word and string of the nodes that have one.
fn texts(graph: &GraphArrays) -> impl Iterator<Item = (u16, &str)> {
    graph.words.iter().enumerate().filter_map(|(node, &word)| Some((word, text_of(graph, node)?)))
}

/// Where each name stands: colour refinement (Weisfeiler and Leman) over both graphs, in which all nodes of a name see
/// each other.
fn places(pair: &PairArrays, names: &Names<'_>) -> Vec<u64> {
    let left = pair.left.words.len();
    let mut colours = Vec::with_capacity(names.of_nodes.len());
    let sides = [(&pair.left, &pair.left_agreement, 0), (&pair.right, &pair.right_agreement, left)];
    for (graph, agreement, base) in sides {
        for (node, &word) in graph.words.iter().enumerate() {
            let tag = graph.tags.get(node).copied().unwrap_or_default();
            let code = agreement.get(node).copied().unwrap_or_default();
            let mut colour = mixed(u64::from(word) | u64::from(tag) << 16 | u64::from(code) << 32);
            let literal = text_of(graph, node).filter(|_| names.of_nodes[base + node].is_none());
            for byte in literal.unwrap_or_default().bytes() {
                colour = mixed(colour ^ u64::from(byte));
            }
            colours.push(colour);
        }
    }
    let mut places = vec![0u64; names.all.len()];
    for _ in 0..ROUNDS {
        let mut sums = vec![0u64; colours.len()];
        let mut pass = |to: usize, from: usize, kind: u64| {
            if let (Some(sum), Some(colour)) = (sums.get_mut(to), colours.get(from)) {
                *sum = sum.wrapping_add(mixed(colour ^ kind));
            }
        };
        for (graph, _, base) in sides {
            for &(from, to, kind) in &graph.edges {
                let (from, to) = (base + from as usize, base + to as usize);
                pass(to, from, u64::from(kind));
                pass(from, to, u64::from(kind) | 1 << 32);
            }
        }
        for (colour, sum) in colours.iter_mut().zip(sums) {
            *colour = mixed(colour.wrapping_mul(3).wrapping_add(sum));
        }
        places.fill(0);
        for (name, colour) in names.of_nodes.iter().zip(&colours) {
            if let Some(name) = name {
                places[*name] = places[*name].wrapping_add(mixed(*colour));
            }
        }
        for (name, colour) in names.of_nodes.iter().zip(&mut colours) {
            if let Some(name) = name {
                *colour = mixed(*colour ^ places[*name]);
            }
        }
    }
    places
}

/// A number that looks unlike those of its neighbours (the finaliser of splitmix64).
fn mixed(x: u64) -> u64 {
    twinql_sql::hash::finalised(x.wrapping_add(0x9e37_79b9_7f4a_7c15))
}

/// The strings of one graph, names replaced.
fn contents(graph: &GraphArrays, names: &[Option<usize>], codes: &[String]) -> Contents {
    let mut strings: Vec<String> = Vec::new();
    let mut known: HashMap<&str, u32> = HashMap::new();
    let contents = graph.contents.iter().enumerate().map(|(node, content)| {
        let index = (*content)?;
        let text = match names.get(node).copied().flatten() {
            Some(name) => codes.get(name).map(String::as_str),
            None => graph.strings.get(index as usize).map(String::as_str),
        };
        let Some(text) = text else {
            return Some(u32::MAX);
        };
        Some(*known.entry(text).or_insert_with(|| {
            strings.push(text.to_owned());
            strings.len() as u32 - 1
        }))
    });
    Contents { contents: contents.collect(), strings }
}

#[cfg(test)]
mod tests {
    use twinql_sql::{Schema, Semantics, canonicalize};

    use super::*;
    use crate::{EncodingConfig, QueryGraph};

    const SINGERS: &str =
        "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, boss INTEGER);
        CREATE TABLE song (sid INTEGER PRIMARY KEY, title TEXT)";
    const BOOKS: &str = "CREATE TABLE z (z INTEGER PRIMARY KEY, y TEXT, x INTEGER, w INTEGER);
        CREATE TABLE a (v INTEGER PRIMARY KEY, u TEXT)";
    const PAIRS: [[&str; 2]; 3] = [
        ["SELECT name FROM singer WHERE age > 20", "SELECT name, age FROM singer WHERE boss > 20"],
        [
            "SELECT name, count(*) FROM singer JOIN song ON boss = sid GROUP BY name ORDER BY 2",
            "SELECT age FROM singer WHERE id IN (SELECT sid FROM song WHERE title = 'age')",
        ],
        [
            "WITH x AS (SELECT max(age) AS m FROM singer) SELECT m FROM x",
            "SELECT 'singer' FROM singer LIMIT 1",
        ],
    ];

    fn graph(ddl: &str, sql: &str) -> QueryGraph {
        let schema = Schema::from_ddl("d", ddl).unwrap();
        let plan = canonicalize(&schema, sql, &Semantics::default()).unwrap();
        QueryGraph::lower(&schema, &plan.plan, &Semantics::default()).unwrap()
    }

    fn pair(ddl: &str, [left, right]: [&str; 2]) -> PairArrays {
        PairArrays::build(&graph(ddl, left), &graph(ddl, right), &EncodingConfig::default())
    }

    /// The strings of the nodes of a graph.
    fn read(contents: &Contents) -> Vec<Option<&str>> {
        let text = |i: u32| contents.strings[i as usize].as_str();
        contents.contents.iter().map(|c| c.map(text)).collect()
    }

    /// `sql` over [`BOOKS`]: word by word, so that literals stay.
    fn translated(sql: &str) -> String {
        let names = [
            ("singer", "z"),
            ("id", "z"),
            ("name", "y"),
            ("age", "x"),
            ("boss", "w"),
            ("song", "a"),
            ("sid", "v"),
            ("title", "u"),
        ];
        let mut out = String::new();
        for part in sql.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
            let word = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            let quoted = out.ends_with('\'');
            let new = names.iter().find(|(old, _)| *old == word && !quoted).map_or(word, |(_, new)| new);
            out.push_str(new);
            out.push_str(&part[word.len()..]);
        }
        out
    }

    #[test]
    fn names_do_not_matter() {
        for queries in PAIRS {
            let [left, right] = queries.map(translated);
            let (singers, books) = (pair(SINGERS, queries), pair(BOOKS, [&left, &right]));
            assert_ne!(singers.left.strings, books.left.strings, "{left}");
            // The form may put one table or another first; a node's place in the list says nothing to the network.
            let sorted = |pair: &PairArrays| {
                let (left, right) = coded(pair);
                [(&pair.left.words, left), (&pair.right.words, right)].map(|(words, contents)| {
                    let texts = read(&contents).into_iter().map(|text| text.map(str::to_owned));
                    let mut nodes: Vec<_> = words.iter().copied().zip(texts).collect();
                    nodes.sort_unstable();
                    nodes
                })
            };
            assert_eq!(sorted(&singers), sorted(&books), "{left} / {right}");
        }
    }

    #[test]
    fn sides_do_not_matter() {
        for [left, right] in PAIRS {
            let (of_left, of_right) = coded(&pair(SINGERS, [left, right]));
            let (there, here) = coded(&pair(SINGERS, [right, left]));
            assert_eq!((of_left, of_right), (here, there), "{left}");
        }
    }

    #[test]
    fn different_columns_stay_different_and_literals_stay() {
        for queries in PAIRS {
            let pair = pair(SINGERS, queries);
            let (left, right) = coded(&pair);
            let mut code_of: HashMap<&str, &str> = HashMap::new();
            for (graph, contents) in [(&pair.left, &left), (&pair.right, &right)] {
                for (node, code) in read(contents).into_iter().enumerate() {
                    let text = text_of(graph, node);
                    assert_eq!(text.is_some(), code.is_some());
                    let (Some(text), Some(code)) = (text, code) else { continue };
                    if is_literal(graph.words[node]) {
                        assert_eq!(text, code);
                    } else {
                        assert_eq!(*code_of.entry(text).or_insert(code), code, "{text}");
                    }
                }
            }
            let mut codes: Vec<&str> = code_of.values().copied().collect();
            codes.sort_unstable();
            codes.dedup();
            assert_eq!(codes.len(), code_of.len(), "{code_of:?}");
        }
    }

    #[test]
    fn instances_and_dots() {
        let name = |text| {
            let Name { table, instance, column } = Name::new(text);
            (table, instance, column)
        };
        assert_eq!(name("singer#2.age"), ("singer", "2", Some("age")));
        assert_eq!(name("c#.a.b"), ("c#", "", Some("a.b")));
        assert_eq!(name("singer"), ("singer", "", None));
    }

    #[test]
    fn arrays_that_do_not_fit_are_no_panic() {
        let mut broken = pair(SINGERS, PAIRS[1]);
        broken.left.contents.truncate(2);
        broken.right.strings.clear();
        broken.right.edges.push((9_999, 3, 0));
        let (left, right) = coded(&broken);
        assert_eq!(left.contents.len(), 2);
        assert!(right.contents.iter().flatten().all(|&i| i == u32::MAX));
    }
}

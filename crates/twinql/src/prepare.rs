//! From SQL text to graphs, each distinct query once.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use rayon::prelude::*;
use twinql_gmn::{GraphConfig, GraphKind};
use twinql_graph::{GraphError, QueryGraph};
use twinql_sql::function::is_volatile;
use twinql_sql::prove::{Side, Vacuous};
use twinql_sql::{
    Assumption, Canonical, Dialect, Plan, Rule, Schema, Semantics, SqlError, Translated, lacking, normalize,
    normalize::{normalize_plausible, normalize_with},
    parse, parse_in, plan,
};

pub use twinql_metrics::same_tokens;

/// Whether two texts are one query, understood or not: the same tokens, and no function among them whose value differs from
/// call to call.
pub(crate) fn surely_alike(gold: &str, pred: &str) -> bool {
    let mut words = gold.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    same_tokens(gold, pred) && !words.any(|word| is_volatile(&word.to_ascii_lowercase()))
}

use twinql_probe::Reading;

use crate::dialects::Dialects;
use crate::names::Names;
use crate::status::is_unsupported;

/// Why a query has no graph.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SideError {
    /// SQLite would take the query, twinql does not know a construct in it or it is larger
    /// than a limit; otherwise it is no query over this schema.
    pub unsupported: bool,
    /// What is wrong, and where.
    pub message: String,
}

impl From<GraphError> for SideError {
    fn from(error: GraphError) -> Self {
        SideError { unsupported: true, message: error.to_string() }
    }
}

impl From<SqlError> for SideError {
    fn from(error: SqlError) -> Self {
        SideError { unsupported: is_unsupported(&error), message: error.to_string() }
    }
}

/// The canonical form of a query under `semantics`, with what was repaired in its text.
///
/// # Errors
/// The query is not one over this schema, or not supported.
pub fn canonical(
    schema: &Schema,
    sql: &str,
    dialect: Dialect,
    semantics: &Semantics,
) -> Result<(Canonical, Vec<String>), SideError> {
    let parsed = parse_in(sql, dialect)?;
    let plan = plan(schema, &parsed)?;
    let repairs = parsed.repairs.iter().map(ToString::to_string).collect();
    Ok((normalize(schema, plan, semantics), repairs))
}

/// A query of one side as SQLite has it: the text itself where it is SQLite's. With it, why its own system refuses it,
/// where it does.
///
/// # Errors
/// The query is not one over this schema, not supported, or has no form in SQLite.
pub fn translate(
    schema: &Schema,
    side: Side,
    sql: &str,
    dialects: impl Into<Dialects>,
) -> Result<Translated, SideError> {
    let dialects = dialects.into();
    Ok(twinql_sql::translate_over(schema, dialects.data(), sql, dialects.of(side))?)
}

/// What a query is read under: the semantics that its form follows, and the one that the marks of its graph name.
///
/// They differ where a network was not trained for the semantics that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Under {
    /// That of forms, vacuity and databases.
    pub(crate) asked: Semantics,
    /// That of the graph's marks.
    pub(crate) marks: Semantics,
}

impl Under {
    /// One semantics for both.
    pub(crate) fn one(semantics: &Semantics) -> Under {
        Under { asked: semantics.clone(), marks: semantics.clone() }
    }

    /// Both where the gold says which columns hold NULLs; none where neither depends on the gold.
    fn for_gold_text(&self, schema: &Schema, gold: &str) -> Option<Under> {
        let asked = self.asked.for_gold_text(schema, gold);
        if self.asked == self.marks {
            return match asked {
                Cow::Borrowed(_) => None,
                Cow::Owned(own) => Some(Under { marks: own.clone(), asked: own }),
            };
        }
        match (asked, self.marks.for_gold_text(schema, gold)) {
            (Cow::Borrowed(_), Cow::Borrowed(_)) => None,
            (asked, marks) => Some(Under { asked: asked.into_owned(), marks: marks.into_owned() }),
        }
    }
}

/// The graph of a query under `semantics`, made as `config` says.
///
/// # Errors
/// The query is not one over this schema, or not supported.
pub fn graph(
    schema: &Schema,
    sql: &str,
    semantics: &Semantics,
    config: &GraphConfig,
) -> Result<QueryGraph, SideError> {
    graph_with(schema, sql, semantics, config, &|_| true)
}

/// As [`graph`]; of plans, only the normalisation rules are used that `wanted` holds for.
///
/// # Errors
/// The query is not one over this schema, or not supported.
pub fn graph_with(
    schema: &Schema,
    sql: &str,
    semantics: &Semantics,
    config: &GraphConfig,
    wanted: &dyn Fn(&Rule) -> bool,
) -> Result<QueryGraph, SideError> {
    read(schema, sql, &Under::one(semantics), config, wanted)?.graph
}

/// A query over its schema, and what is made of it.
pub(crate) struct Read {
    pub(crate) graph: Result<QueryGraph, SideError>,
    /// A hash of the canonical form, be it within the limits of a graph or not.
    pub(crate) form: Option<u64>,
    pub(crate) vacuous: Vec<Assumption>,
    /// Of a vacuous query, the graph under all assumptions.
    pub(crate) emptied: Option<Result<QueryGraph, SideError>>,
    /// How many columns it answers.
    pub(crate) width: usize,
    /// The tree that a probe evaluates; none of one that answers for other semantics.
    pub(crate) tree: Option<Tree>,
    /// What SQLite would refuse in it, beside a query that SQLite runs.
    pub(crate) lacking: Option<SideError>,
    /// The functions of its form; none of one that is compared as it is written.
    pub(crate) names: Option<Names>,
}

/// A query's tree, and what its text names.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) plan: Plan,
    pub(crate) reading: Reading,
}

/// Reads a query; as [`graph_with`] says.
pub(crate) fn read(
    schema: &Schema,
    sql: &str,
    under: &Under,
    config: &GraphConfig,
    wanted: &dyn Fn(&Rule) -> bool,
) -> Result<Read, SideError> {
    let semantics = &under.asked;
    let parsed = parse(sql)?;
    // A syntax tree needs no plan; that there is one says that the query is one over the schema.
    let plan = plan(schema, &parsed)?;
    let width = plan.query.output.len();
    let lacking = lacking(&parsed).map(SideError::from);
    if config.kind == GraphKind::Ast {
        return Ok(Read {
            graph: QueryGraph::of_ast(&parsed.query)
                .and_then(|g| g.asking(config.question, []))
                .map_err(SideError::from),
            form: None,
            vacuous: Vec::new(),
            emptied: None,
            width,
            tree: None,
            lacking,
            names: None,
        });
    }
    let named = config.canonical.then(|| Reading::of(schema, &parsed, &plan));
    // On plausible databases the rules' assumptions may not hold: there the query is evaluated as it is written.
    let written = (!config.question.is_usual() && !semantics.ignore_distinct).then(|| plan.clone());
    let wanted = |rule: &Rule| config.canonical && wanted(rule);
    let regular = config.canonical && config.regularities && !config.question.is_usual();
    let canonical = match regular {
        true => normalize_plausible(schema, plan, semantics, &wanted),
        false => normalize_with(schema, plan, semantics, &wanted),
    };
    let graph = |plan: &Plan| -> Result<QueryGraph, SideError> {
        let graph = QueryGraph::lower(schema, plan, &under.marks)?;
        let graph = if config.flows { graph } else { graph.without_flows() };
        Ok(graph.asking(config.question, canonical.regularities())?)
    };
    Ok(Read {
        graph: graph(&canonical.plan),
        // Queries that are compared as they are written may be equal in other ways.
        form: config.canonical.then(|| hash(&canonical)),
        emptied: canonical.emptied.as_deref().map(graph),
        names: config.canonical.then(|| Names::of(&canonical.plan.query)).flatten(),
        tree: match config.question.is_usual() {
            true => config.canonical.then(|| canonical.plan.clone()),
            false => written,
        }
        .zip(named)
        .map(|(plan, reading)| Tree { plan, reading }),
        vacuous: canonical.vacuous,
        width,
        lacking,
    })
}

/// A hash of the canonical form, and of the regularities that were taken for granted.
fn hash(canonical: &Canonical) -> u64 {
    let mut hasher = DefaultHasher::new();
    canonical.plan.query.hash(&mut hasher);
    canonical.regularities().for_each(|name| name.hash(&mut hasher));
    hasher.finish()
}

/// What [`Graphs`] holds for a query.
pub type SharedGraph = Arc<Result<QueryGraph, SideError>>;

/// The graphs of many pairs. A query's form belongs to its text, its schema and the columns that may hold NULL, which
/// the gold says: what shares all three shares a graph.
#[derive(Debug, Default)]
pub struct Graphs {
    known: HashMap<(usize, String, Asked), Known>,
    /// What each gold asks for; those that ask for nothing are left out.
    asked: HashMap<(usize, String), Asked>,
}

/// The number of a set of columns that golds ask for, 0 for none.
type Asked = u32;

/// A query that was read.
#[derive(Debug)]
struct Known {
    graph: SharedGraph,
    form: Option<u64>,
    vacuous: Vec<Assumption>,
    emptied: Option<SharedGraph>,
    tree: Option<Arc<Tree>>,
    lacking: Option<SharedGraph>,
    names: Option<Names>,
}

impl Known {
    fn of(read: Result<Read, SideError>) -> Known {
        match read {
            Ok(read) => Known {
                graph: Arc::new(read.graph),
                form: read.form,
                vacuous: read.vacuous,
                emptied: read.emptied.map(Arc::new),
                tree: read.tree.map(Arc::new),
                lacking: read.lacking.map(|error| Arc::new(Err(error))),
                names: read.names,
            },
            Err(error) => Known::refused(&Arc::new(Err(error))),
        }
    }

    /// A query that cannot be read.
    fn refused(graph: &SharedGraph) -> Known {
        Known {
            graph: Arc::clone(graph),
            form: None,
            vacuous: Vec::new(),
            emptied: None,
            tree: None,
            lacking: None,
            names: None,
        }
    }
}

/// Two queries of one pair.
#[derive(Debug, Clone)]
pub struct PairGraphs {
    /// The reference's graph.
    pub gold: SharedGraph,
    /// The graph of what is compared with it.
    pub pred: SharedGraph,
    /// The canonical forms are equal, be they too large for a graph or not.
    pub identical: bool,
    /// Assumptions that empty a part of either query.
    pub vacuous: Vacuous,
    /// Where there are any, the graphs of what is left under all assumptions.
    pub emptied: Option<(SharedGraph, SharedGraph)>,
    /// The functions in which the forms differ, where they differ in nothing else.
    pub(crate) names: Vec<String>,
    /// The trees that a probe evaluates, where they were kept.
    pub(crate) trees: Option<[Arc<Tree>; 2]>,
}

impl PairGraphs {
    /// Both graphs, where there are both.
    pub fn both(&self) -> Option<(&QueryGraph, &QueryGraph)> {
        self.gold.as_ref().as_ref().ok().zip(self.pred.as_ref().as_ref().ok())
    }

    /// How many columns the answers of gold and prediction have, where they do not have as many.
    pub fn widths(&self) -> Option<[usize; 2]> {
        let (gold, pred) = self.both()?;
        gold.widths_apart(pred)
    }

    /// The regularities that one query met and the other did not.
    pub fn regularities(&self) -> Vec<String> {
        let Some((gold, pred)) = self.both() else {
            return Vec::new();
        };
        let alone = |one: &QueryGraph, other: &QueryGraph| -> Vec<String> {
            let there: Vec<&str> = other.regularities().collect();
            one.regularities().filter(|name| !there.contains(name)).map(str::to_owned).collect()
        };
        [alone(gold, pred), alone(pred, gold)].concat()
    }
}

impl Graphs {
    /// Makes the graphs of all pairs' queries, in parallel: schema, gold and prediction. `each` is called once for each
    /// distinct query when its graph is done.
    pub fn build<'q>(
        pairs: impl IntoIterator<Item = (&'q Arc<Schema>, &'q str, &'q str)>,
        semantics: &Semantics,
        config: &GraphConfig,
        each: &(dyn Fn() + Sync),
    ) -> Graphs {
        Graphs::build_keeping(pairs, &Under::one(semantics), config, false, each)
    }

    /// As [`Graphs::build`], under two semantics; with `trees` the trees that a probe evaluates are kept, which takes memory.
    pub(crate) fn build_keeping<'q>(
        pairs: impl IntoIterator<Item = (&'q Arc<Schema>, &'q str, &'q str)>,
        under: &Under,
        config: &GraphConfig,
        trees: bool,
        each: &(dyn Fn() + Sync),
    ) -> Graphs {
        let mut asking: Vec<Under> = Vec::new();
        let mut golds: HashMap<(usize, &str), Asked> = HashMap::new();
        let mut distinct: HashMap<(usize, &str, Asked), &Arc<Schema>> = HashMap::new();
        for (schema, gold, pred) in pairs {
            let of_schema = key(schema);
            let asked = *golds.entry((of_schema, gold)).or_insert_with(|| {
                under.for_gold_text(schema, gold).map_or(0, |own| number(&mut asking, own))
            });
            distinct.insert((of_schema, gold, asked), schema);
            distinct.insert((of_schema, pred, asked), schema);
        }
        let known = distinct
            .into_par_iter()
            .map(|((key, sql, asked), schema)| {
                let own = asked.checked_sub(1).and_then(|at| asking.get(at as usize));
                let mut made = Known::of(read(schema, sql, own.unwrap_or(under), config, &|_| true));
                if !trees {
                    made.tree = None;
                }
                each();
                ((key, sql.to_owned(), asked), made)
            })
            .collect();
        let golds = golds.into_iter().filter(|(_, asked)| *asked > 0);
        Graphs { known, asked: golds.map(|((key, sql), asked)| ((key, sql.to_owned()), asked)).collect() }
    }

    /// The graphs of a pair that was given to [`Graphs::build`].
    pub fn pair(&self, schema: &Arc<Schema>, gold: &str, pred: &str) -> PairGraphs {
        let asked = match self.asked.is_empty() {
            true => 0,
            false => self.asked.get(&(key(schema), gold.to_owned())).copied().unwrap_or(0),
        };
        let known = [gold, pred].map(|sql| self.known.get(&(key(schema), sql.to_owned(), asked)));
        // What SQLite refuses is compared where the gold is of another system too.
        let refused = match known {
            [Some(Known { lacking: None, .. }), Some(Known { lacking: Some(refused), .. })] => {
                Some(Known::refused(refused))
            }
            _ => None,
        };
        let [gold, pred] = known;
        let pred = refused.as_ref().or(pred);
        let graph = |known: Option<&Known>| match known {
            Some(known) => Arc::clone(&known.graph),
            None => {
                Arc::new(Err(SideError { unsupported: true, message: "the query was not prepared".into() }))
            }
        };
        let vacuous = |known: Option<&Known>| known.map(|k| k.vacuous.clone()).unwrap_or_default();
        let form = |known: Option<&Known>| known.and_then(|k| k.form);
        let graphs = (graph(gold), graph(pred));
        let alike = match (graphs.0.as_ref(), graphs.1.as_ref()) {
            (Ok(one), Ok(other)) => one.fingerprint() == other.fingerprint(),
            _ => false,
        };
        let identical = alike || form(gold).is_some_and(|one| form(pred) == Some(one));
        let emptied = |known: Option<&Known>| known.and_then(|k| k.emptied.clone());
        let tree = |known: Option<&Known>| known.and_then(|k| k.tree.clone());
        let names = |known: Option<&'_ Known>| known.and_then(|k| k.names.clone());
        let names = names(gold).zip(names(pred)).map(|(gold, pred)| gold.apart(&pred)).unwrap_or_default();
        let emptied = match (emptied(gold), emptied(pred)) {
            (None, None) => None,
            (one, other) => Some((
                one.unwrap_or_else(|| Arc::clone(&graphs.0)),
                other.unwrap_or_else(|| Arc::clone(&graphs.1)),
            )),
        };
        PairGraphs {
            gold: graphs.0,
            pred: graphs.1,
            identical,
            vacuous: Vacuous { gold: vacuous(gold), pred: vacuous(pred) },
            emptied,
            names,
            trees: tree(gold).zip(tree(pred)).map(|(gold, pred)| [gold, pred]),
        }
    }

    /// How many distinct queries there are; one under two sets of columns counts twice.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}

/// The place of `own` in a list, from 1; it is added where it is new.
fn number(list: &mut Vec<Under>, own: Under) -> Asked {
    let at = list.iter().position(|known| *known == own).unwrap_or_else(|| {
        list.push(own);
        list.len() - 1
    });
    Asked::try_from(at + 1).unwrap_or(Asked::MAX)
}

/// Schemas are told apart by address: one `Arc` stands for one schema while a batch runs.
fn key(schema: &Arc<Schema>) -> usize {
    Arc::as_ptr(schema) as usize
}

#[cfg(test)]
mod tests {
    use twinql_graph::Question;

    use super::*;

    /// Asked about plausible databases, forms are equal by regularities, and marks say which query met one.
    #[test]
    fn regularities_are_marked() {
        let ddl = "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)";
        let schema = Schema::from_ddl("pets", ddl).unwrap();
        let bird = Semantics::preset("bird").unwrap();
        let one = "SELECT name FROM pet ORDER BY age DESC LIMIT 1";
        let other = "SELECT name FROM pet WHERE age = (SELECT MAX(age) FROM pet)";
        let regular =
            GraphConfig { question: Question::Plausible, regularities: true, ..GraphConfig::default() };
        let marks = |graph: &QueryGraph| graph.regularities().map(str::to_owned).collect::<Vec<_>>();
        let [plain, extreme] = [one, other].map(|sql| graph(&schema, sql, &bird, &regular).unwrap());
        assert_eq!((marks(&plain), marks(&extreme)), (vec![], vec!["one-extreme".to_owned()]));
        assert_eq!(plain.node_count() + 1, extreme.node_count());
        assert_ne!(plain.fingerprint(), extreme.fingerprint());
        // The usual question knows none of this, whatever the network reads otherwise.
        let usual = GraphConfig { question: Question::Every, ..regular };
        let [plain, extreme] = [one, other].map(|sql| graph(&schema, sql, &bird, &usual).unwrap());
        assert!(marks(&plain).is_empty() && marks(&extreme).is_empty());
        assert!(plain.node_count() + 1 < extreme.node_count());
    }
}

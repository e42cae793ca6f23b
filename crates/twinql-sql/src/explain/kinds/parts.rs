//! What a canonical tree is made of, as texts that can be compared with those of another tree.

use std::collections::BTreeMap;

use super::super::names::{Called, oriented, oriented_call};
use crate::expr::{AggFunc, Expr};
use crate::plan::Plan;
use crate::print::{self, Names};
use crate::rel::{ColumnId, Rel};
use crate::schema::Schema;
use crate::tree::{Node, Tree};

/// Bytes of a computed column's name: what computes it may nest, and doubles with each level.
const MAX_NAME: usize = 160;
/// What stands in the place of every literal.
const HIDDEN: ColumnId = ColumnId(u32::MAX);

/// Texts with how often each occurs.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Bag(BTreeMap<String, usize>);

impl Bag {
    fn add(&mut self, text: String) {
        *self.0.entry(text).or_default() += 1;
    }

    /// What `self` has and `other` has not as often.
    pub(super) fn without<'a>(&'a self, other: &'a Bag) -> impl Iterator<Item = &'a str> {
        let more = |(text, n): &(&String, &usize)| other.0.get(*text).is_none_or(|m| m < *n);
        self.0.iter().filter(more).map(|(text, _)| text.as_str())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has(&self, text: &str) -> bool {
        self.0.contains_key(text)
    }
}

/// A condition that is no link between two tables.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    /// The whole text.
    pub(super) text: String,
    /// With every literal hidden.
    pub(super) form: String,
    /// The columns that it reads.
    pub(super) columns: Vec<String>,
    /// It compares a column of a key with a literal.
    pub(super) of_key: bool,
    /// It is, or denies, a test for NULL.
    pub(super) null_test: bool,
}

/// What one tree is made of.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) tables: Bag,
    pub(super) links: Bag,
    pub(super) conditions: Vec<Condition>,
    /// What the columns of the answer compute, in their order.
    pub(super) outputs: Vec<String>,
    /// Aggregates with their arguments: `COUNT(DISTINCT pet.id)`.
    pub(super) calls: Bag,
    /// Their functions alone.
    pub(super) aggregates: Bag,
    /// Those of different values alone.
    pub(super) distinct_calls: Bag,
    /// Group keys of aggregations.
    pub(super) groups: Bag,
    /// Scalar functions, casts as `cast`.
    pub(super) functions: Bag,
    /// Operators: arithmetic, LIKE and others.
    pub(super) operators: Bag,
    /// Sort keys where they choose rows: before a limit.
    pub(super) sort_keys: Bag,
    /// The same with their directions.
    pub(super) directed: Bag,
    /// Limits and offsets.
    pub(super) limits: Bag,
    /// The rest, by what it is called: `outer-join`, `union`, `distinct`, `subquery`, `window`, `case`.
    pub(super) others: Bag,
}

/// Both sides of a pair.
#[derive(Debug)]
pub struct Sides {
    pub(super) gold: Parts,
    pub(super) pred: Parts,
}

impl Sides {
    /// Takes both trees apart.
    pub(super) fn new(schema: &Schema, gold: &Plan, pred: &Plan) -> Sides {
        Sides { gold: Parts::of(schema, gold), pred: Parts::of(schema, pred) }
    }

    /// True where one side has some of these that the other lacks.
    pub(super) fn differ<'a>(&'a self, bag: impl Fn(&'a Parts) -> &'a Bag) -> bool {
        bag(&self.gold) != bag(&self.pred)
    }

    /// What the gold alone has, and what the prediction alone has.
    pub(super) fn alone<'a>(&'a self, bag: impl Fn(&'a Parts) -> &'a Bag) -> [Vec<&'a str>; 2] {
        let (gold, pred) = (bag(&self.gold), bag(&self.pred));
        [gold.without(pred).collect(), pred.without(gold).collect()]
    }

    /// True where one of these words stands more often on one side.
    pub(super) fn one_sided<'a>(&'a self, bag: impl Fn(&'a Parts) -> &'a Bag, words: &[&str]) -> bool {
        self.alone(bag).iter().flatten().any(|text| words.contains(text))
    }

    /// Conditions that the gold alone has, and those that the prediction alone has.
    pub(super) fn conditions(&self) -> [Vec<&Condition>; 2] {
        fn alone<'a>(of: &'a Parts, other: &Parts) -> Vec<&'a Condition> {
            of.conditions.iter().filter(|c| other.conditions.iter().all(|o| o.text != c.text)).collect()
        }
        [alone(&self.gold, &self.pred), alone(&self.pred, &self.gold)]
    }
}

impl Parts {
    fn of(schema: &Schema, plan: &Plan) -> Parts {
        let mut nodes = Vec::new();
        plan.query.for_each_deep(|node| nodes.push(node));
        let mut reader = Reader { schema, plan, names: Called::new(schema, plan, false).columns };
        reader.names.insert(HIDDEN, "?".to_owned());
        // What is below comes first: names of what it computes stand in what is above.
        for node in nodes.iter().rev() {
            if let Node::Rel(rel) = node {
                reader.name(rel);
            }
        }
        let mut parts = Parts::default();
        for node in nodes {
            match node {
                Node::Rel(rel) => reader.rel(rel, &mut parts),
                Node::Expr(e) => reader.expr(e, &mut parts),
                Node::Query(_) => {}
            }
        }
        parts.outputs = plan.query.output.iter().map(|c| reader.called(*c)).collect();
        parts
    }
}

struct Reader<'a> {
    schema: &'a Schema,
    plan: &'a Plan,
    names: Names,
}

impl Reader<'_> {
    fn called(&self, c: ColumnId) -> String {
        self.names.get(&c).cloned().unwrap_or_default()
    }

    fn text(&self, e: &Expr) -> String {
        print::shallow(&oriented(e, &self.names), &self.names)
    }

    /// Calls what an operator computes by what computes it.
    fn name(&mut self, rel: &Rel) {
        let named: Vec<(ColumnId, String)> = match rel {
            Rel::Project { exprs, .. } => exprs.iter().map(|(c, e)| (*c, self.text(e))).collect(),
            Rel::Aggregate { keys, calls, .. } => {
                let keys = keys.iter().map(|(c, e)| (*c, self.text(e)));
                let calls = calls.iter().map(|(c, call)| {
                    let call = oriented_call(call, &self.names);
                    (*c, print::shallow_call(&call, &self.names))
                });
                keys.chain(calls).collect()
            }
            Rel::Window { calls, .. } => calls
                .iter()
                .map(|(c, call)| {
                    let args: Vec<String> = call.exprs().map(|e| self.text(e)).collect();
                    (*c, format!("{}({}) OVER", call.func, args.join(", ")))
                })
                .collect(),
            Rel::SetOp { left, columns, .. } => {
                columns.iter().zip(&left.output).map(|(c, from)| (*c, self.called(*from))).collect()
            }
            _ => Vec::new(),
        };
        for (column, mut text) in named {
            let end = text.floor_char_boundary(MAX_NAME);
            text.truncate(end);
            self.names.insert(column, text);
        }
    }

    fn rel(&self, rel: &Rel, parts: &mut Parts) {
        for condition in rel.condition().unwrap_or_default() {
            self.condition(condition, parts);
        }
        match rel {
            Rel::Scan { table, .. } => {
                parts.tables.add(self.schema.tables.get(*table).map_or_else(String::new, |t| t.name.clone()));
            }
            Rel::OuterJoin { .. } => parts.others.add("outer-join".into()),
            Rel::Distinct { .. } => parts.others.add("distinct".into()),
            Rel::Aggregate { keys, calls, .. } => {
                if calls.is_empty() {
                    parts.others.add("distinct".into());
                } else {
                    keys.iter().for_each(|(_, e)| parts.groups.add(self.text(e)));
                }
                for (column, call) in calls.iter().filter(|(_, call)| call.func != AggFunc::Bare) {
                    let text = self.called(*column);
                    if call.distinct && !call.func.is_extreme() {
                        parts.distinct_calls.add(text.clone());
                    }
                    parts.calls.add(text);
                    parts.aggregates.add(print::function(&call.func).to_owned());
                }
            }
            Rel::Sort { keys, limit, offset, .. } => {
                for bound in [limit, offset].into_iter().flatten() {
                    parts.limits.add(self.text(bound));
                }
                for key in keys.iter().filter(|_| limit.is_some()) {
                    let text = self.text(&key.expr);
                    parts.directed.add(format!("{text} {:?}", key.direction));
                    parts.sort_keys.add(text);
                }
            }
            Rel::SetOp { kind, .. } => {
                parts.others.add(format!("{kind:?}").to_ascii_lowercase());
            }
            Rel::Window { calls, .. } => {
                calls.iter().for_each(|(_, call)| parts.others.add(format!("window {}", call.func)));
            }
            _ => {}
        }
    }

    fn expr(&self, e: &Expr, parts: &mut Parts) {
        match e {
            Expr::Function { name, .. } => parts.functions.add(name.to_ascii_lowercase()),
            Expr::Cast { .. } => parts.functions.add("cast".into()),
            Expr::Case { .. } => parts.others.add("case".into()),
            Expr::Collate { .. } => parts.functions.add("collate".into()),
            Expr::Binary { op, .. } => parts.operators.add(print::operator(*op).to_owned()),
            e if e.subquery().is_some() => parts.others.add("subquery".into()),
            _ => {}
        }
    }

    fn condition(&self, e: &Expr, parts: &mut Parts) {
        if e.as_column_equality().is_some() {
            return parts.links.add(self.text(e));
        }
        let mut hidden = e.clone();
        hidden.map(|e| {
            match e {
                Expr::Literal(_) => *e = Expr::Column(HIDDEN),
                Expr::InList { list, .. } if list.iter().all(|e| *e == Expr::Column(HIDDEN)) => {
                    list.truncate(1);
                }
                _ => {}
            }
            false
        });
        let mut columns: Vec<ColumnId> = Vec::new();
        let mut literals = false;
        e.for_each(|e| match e {
            Expr::Column(c) => columns.push(*c),
            Expr::Literal(_) => literals = true,
            _ => {}
        });
        let tested = e.as_not().unwrap_or(e).as_null_test().is_some();
        let of_key = literals && !tested && columns.iter().any(|c| self.is_key(*c));
        let mut columns: Vec<String> = columns.into_iter().map(|c| self.called(c)).collect();
        columns.sort();
        columns.dedup();
        parts.conditions.push(Condition {
            text: self.text(e),
            form: self.text(&hidden),
            columns,
            of_key,
            null_test: tested,
        });
    }

    /// A column of a primary key that is one alone, or of a foreign key.
    fn is_key(&self, c: ColumnId) -> bool {
        let Some(at) = c.info(&self.plan.columns).and_then(|info| info.origin) else { return false };
        let Some(table) = self.schema.tables.get(at.table) else { return false };
        table.primary_key == [at.column]
            || table.foreign_keys.iter().any(|key| key.columns.contains(&at.column))
    }
}

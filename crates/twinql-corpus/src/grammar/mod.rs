//! Queries sampled from a grammar over a schema: golds where nobody has written any.
//!
//! A sampler writes SQL that means something over the schema's keys: joins follow foreign keys,
//! literals have their column's type, sums are of measures and not of keys, ORDER BY with LIMIT
//! ends in a key so that it has no ties, and a grouped query selects what its groups determine,
//! so that every query has one answer. Depth and size are bounded. The same seed gives the same
//! queries.
//!
//! The constructions are those that Text-to-SQL golds hold (Spider, BIRD): filters, grouping with
//! HAVING, nested IN, EXISTS and scalar subqueries, set operations, CASE, windows, CTEs, derived
//! tables, outer joins, DISTINCT, ordering. [`Style::Models`] has those that language models add to these.

mod literals;
mod models;
mod predicates;
mod shapes;
#[cfg(test)]
mod tests;

use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use twinql_sql::{Column, Schema, Table, TypeClass};

use crate::rewrites::ast::plain;

pub use models::MODEL_SHAPES;
pub use shapes::{SHAPES, Shape};

/// Subqueries inside one another, at most.
const DEPTH: usize = 2;
/// Joins of one FROM clause, at most.
const JOINS: usize = 3;

/// A foreign key: `columns` of `child` refer to `target` of `parent`.
#[derive(Debug, Clone)]
struct Edge {
    child: usize,
    columns: Vec<usize>,
    parent: usize,
    target: Vec<usize>,
}

/// Whose queries are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    /// Those of Spider's and BIRD's annotators ([`SHAPES`]).
    #[default]
    Golds,
    /// Those of language models ([`MODEL_SHAPES`]), with conditions on what functions make of a column.
    Models,
}

impl Style {
    /// The style of a configuration that says nothing.
    pub fn is_usual(&self) -> bool {
        *self == Style::Golds
    }

    fn shapes(self) -> &'static [Shape] {
        match self {
            Style::Golds => SHAPES,
            Style::Models => MODEL_SHAPES,
        }
    }
}

/// Writes queries over one schema.
#[derive(Debug)]
pub struct Sampler<'s> {
    schema: &'s Schema,
    style: Style,
    edges: Vec<Edge>,
    rng: ChaCha8Rng,
    /// Aliases so far, for fresh ones.
    aliases: usize,
    /// Subqueries that the next one stands in.
    depth: usize,
}

/// One table of a FROM clause.
#[derive(Debug, Clone)]
struct FromTable {
    /// The alias, or the table's name.
    name: String,
    table: usize,
    /// It is the filled-up side of an outer join.
    padded: bool,
}

/// What a FROM clause reads, and how.
#[derive(Debug, Clone)]
struct Scope {
    sources: Vec<FromTable>,
    from: String,
    /// Columns need no table's name: there is one table, and no query around it.
    bare: bool,
}

/// A column of a scope, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    source: usize,
    column: usize,
}

impl<'s> Sampler<'s> {
    /// A sampler over `schema`.
    pub fn new(schema: &'s Schema, style: Style, rng: ChaCha8Rng) -> Self {
        let mut edges = Vec::new();
        for (child, table) in schema.tables.iter().enumerate() {
            for key in &table.foreign_keys {
                edges.push(Edge {
                    child,
                    columns: key.columns.clone(),
                    parent: key.target,
                    target: key.target_columns.clone(),
                });
            }
        }
        Sampler { schema, style, edges, rng, aliases: 0, depth: 0 }
    }

    /// One query; none where the shape that was drawn finds nothing in the schema to be about.
    pub fn query(&mut self) -> Option<String> {
        self.aliases = 0;
        self.depth = 0;
        let shapes = self.style.shapes();
        let total: u32 = shapes.iter().map(|s| s.weight).sum();
        let mut at = self.rng.random_range(0..total.max(1));
        let shape = shapes.iter().find(|s| {
            let found = at < s.weight;
            at = at.saturating_sub(s.weight);
            found
        })?;
        (shape.write)(self)
    }

    fn chance(&mut self, p: f64) -> bool {
        self.rng.random_bool(p)
    }

    fn table(&self, source: &FromTable) -> Option<&'s Table> {
        self.schema.tables.get(source.table)
    }

    fn column(&self, scope: &Scope, place: Place) -> Option<&'s Column> {
        let table = self.table(scope.sources.get(place.source)?)?;
        table.columns.get(place.column)
    }

    /// The column as text.
    fn name(&self, scope: &Scope, place: Place) -> Option<String> {
        let column = plain(&self.column(scope, place)?.name);
        if scope.bare {
            return Some(column);
        }
        Some(format!("{}.{column}", plain(&scope.sources.get(place.source)?.name)))
    }

    /// The column is part of a primary or foreign key.
    fn is_key(&self, scope: &Scope, place: Place) -> bool {
        let table = scope.sources.get(place.source).and_then(|s| self.table(s));
        table.is_some_and(|t| {
            t.primary_key.contains(&place.column)
                || t.foreign_keys.iter().any(|k| k.columns.contains(&place.column))
        })
    }

    /// Every column of every table in the scope.
    fn places(&self, scope: &Scope) -> Vec<Place> {
        let of = |(source, s): (usize, &FromTable)| {
            let count = self.table(s).map_or(0, |t| t.columns.len());
            (0..count).map(move |column| Place { source, column })
        };
        scope.sources.iter().enumerate().flat_map(of).collect()
    }

    /// A column for which `wanted` holds.
    fn pick(&mut self, scope: &Scope, wanted: impl Fn(&Self, Place) -> bool) -> Option<Place> {
        let able: Vec<Place> = self.places(scope).into_iter().filter(|&p| wanted(self, p)).collect();
        able.choose(&mut self.rng).copied()
    }

    fn class(&self, scope: &Scope, place: Place) -> Option<TypeClass> {
        self.column(scope, place).map(|c| c.class)
    }

    /// A foreign key of one column.
    fn single_edge(&mut self) -> Option<Edge> {
        let single: Vec<_> = self.edges.iter().filter(|e| e.columns.len() == 1).cloned().collect();
        single.choose(&mut self.rng).cloned()
    }

    /// A few tables, joined so many times at most.
    fn joined(&mut self, most: usize) -> Option<Scope> {
        let joins = self.few_joins().min(most);
        self.from(joins)
    }

    /// A label's name.
    fn label_name(&mut self, scope: &Scope) -> Option<String> {
        let place = self.label(scope)?;
        self.name(scope, place)
    }

    /// A measure's name.
    fn measure_name(&mut self, scope: &Scope) -> Option<String> {
        let place = self.measure(scope)?;
        self.name(scope, place)
    }

    /// ` AND (…)` with a condition, in this share of cases.
    fn more(&mut self, scope: &Scope, share: f64) -> Option<String> {
        Some(match self.chance(share) {
            true => format!(" AND ({})", self.condition(scope)?),
            false => String::new(),
        })
    }

    /// A number that is worth adding up: no key.
    fn measure(&mut self, scope: &Scope) -> Option<Place> {
        self.pick(scope, |s, p| {
            !s.is_key(scope, p) && matches!(s.class(scope, p), Some(TypeClass::Integer | TypeClass::Number))
        })
    }

    /// What people select or group by: rarely a key.
    fn label(&mut self, scope: &Scope) -> Option<Place> {
        let keys = self.chance(0.15);
        self.pick(scope, |s, p| keys || !s.is_key(scope, p)).or_else(|| self.pick(scope, |_, _| true))
    }

    /// A name for a table: its own where there is one alone, else an alias that is no table's name.
    fn alias(&mut self) -> String {
        loop {
            self.aliases += 1;
            let name = format!("T{}", self.aliases);
            if self.schema.table(&name).is_none() {
                return name;
            }
        }
    }

    /// One table without joins.
    fn one(&mut self, table: usize) -> Option<Scope> {
        let own = &self.schema.tables.get(table)?.name;
        let outermost = self.depth == 0;
        let aliased = !outermost || self.chance(0.2);
        let name = if aliased { self.alias() } else { own.clone() };
        let from = match aliased {
            true => format!("{} AS {name}", plain(own)),
            false => plain(own),
        };
        Some(Scope {
            sources: vec![FromTable { name, table, padded: false }],
            from,
            bare: outermost && self.chance(0.85),
        })
    }

    fn any_table(&mut self) -> Option<usize> {
        let count = self.schema.tables.len();
        (count > 0).then(|| self.rng.random_range(0..count))
    }

    /// Tables joined along foreign keys; `joins` of them at most. Without joins the columns may stand bare;
    /// with them, names are qualified, by aliases for all tables or none.
    fn from(&mut self, joins: usize) -> Option<Scope> {
        let start = match joins {
            0 => self.any_table()?,
            _ => {
                let edge = self.edges.choose(&mut self.rng)?;
                let (child, parent) = (edge.child, edge.parent);
                if self.chance(0.6) { child } else { parent }
            }
        };
        let mut scope = self.one(start)?;
        if joins == 0 {
            return Some(scope);
        }
        // With more than one table, all have aliases, or none has.
        let aliased = self.depth > 0 || self.chance(0.6);
        let own = plain(&self.schema.tables.get(start)?.name);
        if let Some(first) = scope.sources.first_mut() {
            if aliased && plain(&first.name) == own {
                first.name = self.alias();
            }
            if !aliased {
                first.name.clone_from(&self.schema.tables.get(start)?.name);
            }
            scope.from = match aliased {
                true => format!("{own} AS {}", first.name),
                false => own,
            };
        }
        scope.bare = false;
        for _ in 0..joins.min(JOINS) {
            self.join(&mut scope, aliased);
        }
        (scope.sources.len() > 1).then_some(scope)
    }

    /// Adds a table that a foreign key joins to one of the scope. Not to the padded side of an outer join,
    /// whose NULLs would drop its rows again; without aliases, not to a table that is there already. Some
    /// joins are LEFT.
    fn join(&mut self, scope: &mut Scope, aliased: bool) -> Option<()> {
        // The source there is, its columns, the new table, its columns.
        let mut able = Vec::new();
        for (i, source) in scope.sources.iter().enumerate().filter(|(_, s)| !s.padded) {
            for edge in &self.edges {
                if edge.child == source.table {
                    able.push((i, edge.columns.clone(), edge.parent, edge.target.clone()));
                }
                if edge.parent == source.table {
                    able.push((i, edge.target.clone(), edge.child, edge.columns.clone()));
                }
            }
        }
        if !aliased {
            able.retain(|(_, _, table, _)| scope.sources.iter().all(|s| s.table != *table));
        }
        let (old, left, table, right) = able.choose(&mut self.rng)?.clone();
        let own = self.schema.tables.get(table)?;
        let name = if aliased { self.alias() } else { own.name.clone() };
        let padded = self.chance(0.12);
        scope.sources.push(FromTable { name, table, padded });
        let new = scope.sources.len() - 1;
        let mut on = Vec::new();
        for (&l, &r) in left.iter().zip(&right) {
            let old = self.name(scope, Place { source: old, column: l })?;
            let new = self.name(scope, Place { source: new, column: r })?;
            on.push(match self.chance(0.7) {
                true => format!("{old} = {new}"),
                false => format!("{new} = {old}"),
            });
        }
        // Two rows of one table, each pair of them once.
        if scope.sources.get(old)?.table == table
            && !padded
            && let &[key] = own.primary_key.as_slice()
            && self.chance(0.5)
        {
            let [a, b] = [old, new].map(|source| self.name(scope, Place { source, column: key }));
            on.push(format!("{} < {}", a?, b?));
        }
        let word = if padded { "LEFT JOIN" } else { "JOIN" };
        let text = match aliased {
            true => format!(
                " {word} {} AS {} ON {}",
                plain(&own.name),
                scope.sources.get(new)?.name,
                on.join(" AND ")
            ),
            false => format!(" {word} {} ON {}", plain(&own.name), on.join(" AND ")),
        };
        scope.from.push_str(&text);
        Some(())
    }

    /// Zero joins mostly, then one, then more.
    fn few_joins(&mut self) -> usize {
        match self.rng.random_range(0..20) {
            0..10 => 0,
            10..17 => 1,
            17..19 => 2,
            _ => JOINS,
        }
    }
}

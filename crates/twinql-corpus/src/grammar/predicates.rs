//! Conditions over the tables of a FROM clause.
//!
//! A condition compares a column with constants of its type, with a column of its type, or with a subquery
//! along a foreign key: anything else would be false on nearly every database. Where a drawn kind finds
//! nothing in the scope, a plain comparison takes its place.

use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use twinql_sql::TypeClass;

use super::{DEPTH, Place, Sampler, Scope, Style};
use crate::rewrites::ast::plain;

impl Sampler<'_> {
    /// ` WHERE …` with up to three conditions, or nothing.
    pub(super) fn filter(&mut self, scope: &Scope, share: f64) -> String {
        if !self.chance(share) {
            return String::new();
        }
        self.condition(scope).map_or(String::new(), |c| format!(" WHERE {c}"))
    }

    /// One to three conditions, joined.
    pub(super) fn condition(&mut self, scope: &Scope) -> Option<String> {
        let first = self.predicate(scope)?;
        let more = self.rng.random_range(0..10);
        if more < 5 {
            return Some(first);
        }
        let second = self.predicate(scope)?;
        if second == first {
            return Some(first);
        }
        Some(match more {
            5..=7 => format!("{first} AND {second}"),
            8 => format!("{first} OR {second}"),
            _ => match self.predicate(scope) {
                Some(third) => format!("({first} OR {second}) AND {third}"),
                None => format!("NOT ({first} AND {second})"),
            },
        })
    }

    /// A condition without AND or OR around it.
    fn predicate(&mut self, scope: &Scope) -> Option<String> {
        let subqueries = self.depth < DEPTH;
        if self.style == Style::Models
            && self.chance(0.3)
            && let Some(condition) = self.of_function(scope)
        {
            return Some(condition);
        }
        match self.rng.random_range(0..20) {
            0..=1 if subqueries => self.membership(scope).or_else(|| self.comparison(scope)),
            2..=3 if subqueries => self.existence(scope).or_else(|| self.comparison(scope)),
            4 if subqueries => self.scalar(scope).or_else(|| self.comparison(scope)),
            5 => self.null_test(scope).or_else(|| self.comparison(scope)),
            6 => self.between_columns(scope).or_else(|| self.comparison(scope)),
            _ => self.comparison(scope),
        }
    }

    /// A column and constants.
    fn comparison(&mut self, scope: &Scope) -> Option<String> {
        let place = self.label(scope)?;
        let column = self.column(scope, place)?;
        let name = self.name(scope, place)?;
        let literal = self.literal(column);
        let ordered = matches!(column.class, TypeClass::Integer | TypeClass::Number | TypeClass::Time);
        Some(match self.rng.random_range(0..12) {
            0 if ordered => {
                // The bounds in their order, or the range would be empty.
                let other = self.literal(column);
                let number = |text: &str| text.parse::<f64>().ok();
                let less = match (number(&other), number(&literal)) {
                    (Some(a), Some(b)) => a < b,
                    _ => other < literal,
                };
                let (low, high) = if less { (other, literal) } else { (literal, other) };
                let not = if self.chance(0.15) { "NOT " } else { "" };
                format!("{name} {not}BETWEEN {low} AND {high}")
            }
            1 if column.class != TypeClass::Boolean => {
                let mut list = vec![literal];
                for _ in 0..self.rng.random_range(1..3) {
                    let next = self.literal(column);
                    if !list.contains(&next) {
                        list.push(next);
                    }
                }
                let not = if self.chance(0.25) { "NOT " } else { "" };
                format!("{name} {not}IN ({})", list.join(", "))
            }
            2..=4 if column.class == TypeClass::Text => {
                let not = if self.chance(0.15) { "NOT " } else { "" };
                format!("{name} {not}LIKE {}", self.pattern())
            }
            2..=8 if ordered => {
                let operator = *[">", ">", "<", ">=", "<="].choose(&mut self.rng)?;
                format!("{name} {operator} {literal}")
            }
            9 => format!("{name} <> {literal}"),
            _ => format!("{name} = {literal}"),
        })
    }

    /// A condition on what a function makes of a column, as language models write it: `LOWER(a) = 'x'`.
    fn of_function(&mut self, scope: &Scope) -> Option<String> {
        let place = self.label(scope)?;
        let (column, name) = (self.column(scope, place)?, self.name(scope, place)?);
        let literal = self.literal(column);
        Some(match (column.class, self.rng.random_range(0..7)) {
            (TypeClass::Text, 0) => format!("LOWER({name}) = {}", literal.to_lowercase()),
            (TypeClass::Text, 1) => format!("TRIM({name}) = {literal}"),
            (TypeClass::Text, 2) => format!("LENGTH({name}) > {}", self.rng.random_range(2..9)),
            (TypeClass::Text, 3) => {
                format!("SUBSTR({name}, 1, 1) = '{}'", *["A", "S", "r"].choose(&mut self.rng)?)
            }
            (TypeClass::Text, 4) => format!("INSTR({name}, 'a') > 0"),
            (TypeClass::Text, 5) => format!("UPPER({name}) LIKE {}", self.pattern().to_uppercase()),
            (TypeClass::Text, _) => format!("COALESCE({name}, '') <> {literal}"),
            (TypeClass::Time, 0 | 1) => {
                format!("STRFTIME('%Y', {name}) = '{}'", self.rng.random_range(2008..2024))
            }
            (TypeClass::Time, 2) => format!("STRFTIME('%m', {name}) IN ('06', '07', '08')"),
            (TypeClass::Time, 3) => format!("DATE({name}) >= {literal}"),
            (TypeClass::Time, _) => format!("{name} LIKE '{}-%'", self.rng.random_range(2008..2024)),
            (TypeClass::Integer | TypeClass::Number, 0) => format!("COALESCE({name}, 0) > {literal}"),
            (TypeClass::Integer | TypeClass::Number, 1) => format!("ABS({name}) >= {literal}"),
            (TypeClass::Integer | TypeClass::Number, 2) => format!("CAST({name} AS INTEGER) = {literal}"),
            (TypeClass::Integer | TypeClass::Number, 3) => {
                let other = self.measure(scope)?;
                format!("{name} - {} > {literal}", self.name(scope, other)?)
            }
            (TypeClass::Integer | TypeClass::Number, _) => {
                format!("{name} IS NOT NULL AND {name} < {literal}")
            }
            _ => return None,
        })
    }

    /// `x IS NULL`, of columns that may be: those without NOT NULL, and all that an outer join fills up.
    fn null_test(&mut self, scope: &Scope) -> Option<String> {
        let place = self.pick(scope, |s, p| {
            let padded = scope.sources.get(p.source).is_some_and(|s| s.padded);
            padded || s.column(scope, p).is_some_and(|c| !c.not_null)
        })?;
        let not = if self.chance(0.6) { "NOT " } else { "" };
        Some(format!("{} IS {not}NULL", self.name(scope, place)?))
    }

    /// Two columns of one kind, compared.
    fn between_columns(&mut self, scope: &Scope) -> Option<String> {
        let left =
            self.pick(scope, |s, p| !s.is_key(scope, p) && s.class(scope, p) != Some(TypeClass::Boolean))?;
        let class = self.class(scope, left);
        let right =
            self.pick(scope, |s, p| p != left && !s.is_key(scope, p) && s.class(scope, p) == class)?;
        let operator = match class {
            Some(TypeClass::Text | TypeClass::Other) => *["=", "<>"].choose(&mut self.rng)?,
            _ => *["<", ">", "=", "<="].choose(&mut self.rng)?,
        };
        Some(format!("{} {operator} {}", self.name(scope, left)?, self.name(scope, right)?))
    }

    /// A foreign key that touches one of the scope's tables: its place there, and the other table
    /// with its column. Keys of one column alone.
    fn link(&mut self, scope: &Scope) -> Option<(Place, usize, usize)> {
        let mut able = Vec::new();
        for (i, source) in scope.sources.iter().enumerate() {
            for edge in &self.edges {
                let (&[child], &[parent]) = (edge.columns.as_slice(), edge.target.as_slice()) else {
                    continue;
                };
                let place = |column| Place { source: i, column };
                if edge.child == source.table {
                    able.push((place(child), edge.parent, parent));
                }
                if edge.parent == source.table {
                    able.push((place(parent), edge.child, child));
                }
            }
        }
        able.choose(&mut self.rng).copied()
    }

    /// `x [NOT] IN (SELECT y FROM … WHERE …)` along a foreign key.
    fn membership(&mut self, scope: &Scope) -> Option<String> {
        let (place, table, column) = self.link(scope)?;
        let left = self.name(scope, place)?;
        self.depth += 1;
        let inner = self.one(table)?;
        let wanted = self.name(&inner, Place { source: 0, column })?;
        let filter = self.filter(&inner, 0.7);
        self.depth -= 1;
        let not = if self.chance(0.35) { "NOT " } else { "" };
        Some(format!("{left} {not}IN (SELECT {wanted} FROM {}{filter})", inner.from))
    }

    /// `[NOT] EXISTS (SELECT * FROM … WHERE y = x …)` along a foreign key.
    fn existence(&mut self, scope: &Scope) -> Option<String> {
        if scope.bare {
            // An inner column may have the outer one's name: the outer needs its table's.
            let scope = Scope { bare: false, ..scope.clone() };
            return self.existence(&scope);
        }
        let (place, table, column) = self.link(scope)?;
        let outer = self.name(scope, place)?;
        self.depth += 1;
        let inner = self.one(table)?;
        let wanted = self.name(&inner, Place { source: 0, column })?;
        let more = match self.chance(0.5) {
            true => self.comparison(&inner).map_or(String::new(), |c| format!(" AND {c}")),
            false => String::new(),
        };
        self.depth -= 1;
        let not = if self.chance(0.4) { "NOT " } else { "" };
        let item = if self.chance(0.7) { "*" } else { "1" };
        Some(format!("{not}EXISTS (SELECT {item} FROM {} WHERE {wanted} = {outer}{more})", inner.from))
    }

    /// A measure, compared with an aggregate of it over its table, or over rows like this one.
    fn scalar(&mut self, scope: &Scope) -> Option<String> {
        let place = self.measure(scope)?;
        let table = scope.sources.get(place.source)?.table;
        let left = self.name(scope, place)?;
        let (function, operator) =
            *[("avg", ">"), ("avg", "<"), ("max", "="), ("min", "=")].choose(&mut self.rng)?;
        self.depth += 1;
        let inner = self.one(table)?;
        let column = self.name(&inner, Place { source: 0, ..place })?;
        let filter = self.filter(&inner, 0.3);
        self.depth -= 1;
        Some(format!("{left} {operator} (SELECT {function}({column}) FROM {}{filter})", inner.from))
    }

    /// A name for an output that nothing else has.
    pub(super) fn output_name(&self, stem: &str) -> String {
        let taken = |name: &str| {
            let mut tables = self.schema.tables.iter();
            tables.any(|t| t.name.eq_ignore_ascii_case(name) || t.column_index(name).is_some())
        };
        let mut name = stem.to_owned();
        while taken(&name) {
            name.push('_');
        }
        plain(&name)
    }
}

//! What the generator wants to know of a query: its tables, the columns that its literals
//! are compared with, the equalities between columns, and the bounds of HAVING and LIMIT.
//!
//! Names are resolved leniently and nothing here can fail: what is not understood only
//! makes generated databases less pointed.

mod names;
mod patterns;
mod predicates;
mod treatment;
mod walk;

use std::collections::BTreeSet;

use sqlparser::ast::Query;
use twinql_sql::{ColumnRef, Schema, Value};

pub use treatment::Treatment;
pub(crate) use walk::{constant, number};

/// A column of one relation instance (each mention of a table is an instance of its own).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot {
    /// Index into [`Facts::instances`].
    pub instance: usize,
    /// Column position in the instance's table.
    pub column: usize,
}

/// How a column is compared with constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names are the operators
pub enum Comparison {
    Eq,
    NotEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
    In,
    NotIn,
    Like,
    NotLike,
}

/// A comparison of a column with constants.
#[derive(Debug, Clone, PartialEq)]
pub struct Atom {
    /// The column.
    pub slot: Slot,
    /// The comparison.
    pub comparison: Comparison,
    /// The constants; one, but for `In` and `NotIn`.
    pub values: Vec<Value>,
    /// Not a plain conjunct: under OR, NOT, CASE, HAVING or a function.
    pub weak: bool,
    /// A function of the column is compared, such as a part of a date.
    pub derived: bool,
    /// The length of the column's text is compared: `LENGTH(name) > 20`.
    pub measured: bool,
    /// What is computed of the column is compared: a difference of two dates, `price * amount`.
    pub computed: bool,
    /// The column is compared whatever the case of its letters: under LOWER, UPPER or COLLATE NOCASE.
    pub folded: bool,
}

/// An equality of two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// One side.
    pub left: Slot,
    /// The other side.
    pub right: Slot,
    /// Need not hold for a row to count: under OR, NOT IN, EXCEPT, outer joins.
    pub weak: bool,
    /// Must not hold for a row to count, whatever the right side has: NOT IN, EXCEPT.
    pub apart: bool,
}

/// What is known of one query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// The table of each relation instance.
    pub instances: Vec<usize>,
    /// Instances that rows may do without: those on the far side of an outer join.
    pub optional: Vec<usize>,
    /// Comparisons with constants.
    pub atoms: Vec<Atom>,
    /// Equalities.
    pub links: Vec<Link>,
    /// Every constant, also those compared with no column.
    pub literals: Vec<Value>,
    /// Whole numbers that bound counts: HAVING, LIMIT, OFFSET.
    pub counts: Vec<i64>,
    /// Rows that a LIMIT reaches together with its OFFSET, and each of the two.
    pub limits: Vec<i64>,
    /// Whole numbers that something computed is compared with by order, such as a rank within a group.
    pub ranks: Vec<i64>,
    /// Group keys and columns of ORDER BY.
    pub grouped: Vec<Slot>,
    /// Columns that are summed, averaged, cast or computed with.
    pub computed: Vec<Slot>,
    /// Columns whose largest or smallest value matters: those of ORDER BY, arguments of MIN and MAX.
    pub ranked: Vec<Slot>,
    /// Columns that are tested for NULL, or for which something stands in where they are NULL.
    pub nulls: Vec<Slot>,
    /// What expressions make of columns.
    pub treated: Vec<(Slot, Treatment)>,
}

impl Facts {
    /// The facts of a parsed query.
    pub fn of(schema: &Schema, query: &Query) -> Facts {
        walk::facts_of(schema, query)
    }

    /// The facts of several queries as those of one, each over instances of its own.
    pub(crate) fn merged<'f>(queries: impl IntoIterator<Item = &'f Facts>) -> Facts {
        let mut all = Facts::default();
        for facts in queries {
            let offset = all.instances.len();
            let moved = |slot: &Slot| Slot { instance: slot.instance + offset, column: slot.column };
            all.instances.extend(&facts.instances);
            all.optional.extend(facts.optional.iter().map(|i| i + offset));
            all.atoms.extend(facts.atoms.iter().map(|a| Atom { slot: moved(&a.slot), ..a.clone() }));
            let link = |l: &Link| Link { left: moved(&l.left), right: moved(&l.right), ..*l };
            all.links.extend(facts.links.iter().map(link));
            all.literals.extend(facts.literals.iter().cloned());
            all.counts.extend(&facts.counts);
            all.limits.extend(&facts.limits);
            all.ranks.extend(&facts.ranks);
            all.grouped.extend(facts.grouped.iter().map(moved));
            all.computed.extend(facts.computed.iter().map(moved));
            all.ranked.extend(facts.ranked.iter().map(moved));
            all.nulls.extend(facts.nulls.iter().map(moved));
            all.treated.extend(facts.treated.iter().map(|(slot, how)| (moved(slot), how.clone())));
        }
        all
    }

    /// The facts over a part of the schema: `table` and `column` say where what stands in the whole stands there. What is
    /// of another table or column is left out.
    pub fn within(
        &self,
        table: impl Fn(usize) -> Option<usize>,
        column: impl Fn(ColumnRef) -> Option<ColumnRef>,
    ) -> Facts {
        let mut instances: Vec<usize> = Vec::with_capacity(self.instances.len());
        let numbers: Vec<Option<usize>> = self
            .instances
            .iter()
            .map(|&of| {
                instances.push(table(of)?);
                Some(instances.len() - 1)
            })
            .collect();
        let moved = |slot: &Slot| -> Option<Slot> {
            let instance = (*numbers.get(slot.instance)?)?;
            Some(Slot { instance, column: column(self.column(*slot)?)?.column })
        };
        let all = |slots: &[Slot]| slots.iter().filter_map(moved).collect();
        let atom = |a: &Atom| Some(Atom { slot: moved(&a.slot)?, ..a.clone() });
        let link = |l: &Link| Some(Link { left: moved(&l.left)?, right: moved(&l.right)?, ..*l });
        Facts {
            optional: self.optional.iter().filter_map(|&i| *numbers.get(i)?).collect(),
            atoms: self.atoms.iter().filter_map(atom).collect(),
            links: self.links.iter().filter_map(link).collect(),
            literals: self.literals.clone(),
            counts: self.counts.clone(),
            limits: self.limits.clone(),
            ranks: self.ranks.clone(),
            grouped: all(&self.grouped),
            computed: all(&self.computed),
            ranked: all(&self.ranked),
            nulls: all(&self.nulls),
            treated: self
                .treated
                .iter()
                .filter_map(|(slot, how)| Some((moved(slot)?, how.clone())))
                .collect(),
            instances,
        }
    }

    /// The schema column of a slot.
    pub fn column(&self, slot: Slot) -> Option<ColumnRef> {
        Some(ColumnRef { table: *self.instances.get(slot.instance)?, column: slot.column })
    }

    /// The tables that the query mentions.
    pub fn tables(&self) -> BTreeSet<usize> {
        self.instances.iter().copied().collect()
    }
}

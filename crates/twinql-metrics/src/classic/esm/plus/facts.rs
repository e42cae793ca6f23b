//! What a schema promises of the columns of a block, as the rules' assumptions ask for it.

use twinql_sql::{Schema, Table};

use crate::classic::esm::clauses::{Block, Item, Op, Source, Term};

/// The schema, asked by source and column name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts<'s> {
    pub(super) schema: &'s Schema,
}

impl<'s> Facts<'s> {
    fn column(&self, block: &Block, term: &Term) -> Option<(&'s Table, usize)> {
        let (source, name) = term.as_column()?;
        let Item::Table(table) = block.from.iter().find(|s| s.id == source)?.item else { return None };
        let table = self.schema.tables.get(table)?;
        Some((table, table.column_index(name)?))
    }

    /// True if a source of this block never repeats a value of this column, NULL included.
    pub(super) fn key(&self, block: &Block, term: &Term) -> bool {
        self.column(block, term).is_some_and(|(table, column)| table.has_key_within(&[column]))
    }

    /// True if no value comes twice in the source's column; NULL may.
    pub(super) fn unique(&self, block: &Block, term: &Term) -> bool {
        self.column(block, term).is_some_and(|(table, column)| {
            table.unique.iter().any(|u| *u == [column]) || table.has_key_within(&[column])
        })
    }

    /// True if the column is declared so that it is never NULL.
    pub(super) fn declared_not_null(&self, block: &Block, term: &Term) -> bool {
        self.column(block, term).is_some_and(|(table, column)| {
            table.primary_key.contains(&column) || table.columns.get(column).is_some_and(|c| c.not_null)
        })
    }

    /// True if the column is never NULL in the joined rows: by declaration, or because an inner join equates it.
    pub(super) fn never_null(&self, block: &Block, term: &Term) -> bool {
        block.inner()
            && (self.declared_not_null(block, term) || equalities(block).any(|(a, b)| a == term || b == term))
    }

    /// True if the column is a foreign key.
    pub(super) fn foreign(&self, block: &Block, term: &Term) -> bool {
        self.column(block, term)
            .is_some_and(|(table, column)| table.foreign_keys.iter().any(|k| k.columns == [column]))
    }

    /// True if `from` is a foreign key that points to `to`, of another source.
    pub(super) fn references(&self, block: &Block, from: &Term, to: &Term) -> bool {
        let (Some((table, column)), Some((target, key))) = (self.column(block, from), self.column(block, to))
        else {
            return false;
        };
        table.foreign_keys.iter().any(|k| {
            k.columns == [column]
                && k.target_columns == [key]
                && self.schema.tables.get(k.target).is_some_and(|t| std::ptr::eq(t, target))
        })
    }

    /// True if the joins keep each row of the source of this column at most once: every other item of FROM is met by a
    /// column that is unique there.
    pub(super) fn once(&self, block: &Block, term: &Term) -> bool {
        let source_of = |t: &Term| t.as_column().map(|(source, _)| source);
        let Some(first) = source_of(term) else { return false };
        let mut reached = vec![first];
        while reached.len() < block.from.len() {
            let next = equalities(block).flat_map(|(a, b)| [(a, b), (b, a)]).find_map(|(from, to)| {
                let (from, id) = (source_of(from)?, source_of(to)?);
                let new = reached.contains(&from) && !reached.contains(&id) && self.unique(block, to);
                new.then_some(id)
            });
            match next {
                Some(id) => reached.push(id),
                None => return false,
            }
        }
        block.inner()
    }

    /// The only item of FROM, if it is a table.
    pub(super) fn only_table(&self, block: &Block) -> Option<(usize, usize)> {
        match block.from.as_slice() {
            [Source { id, item: Item::Table(table), join: _, on: _ }] => Some((*id, *table)),
            _ => None,
        }
    }
}

/// Pairs of columns that a join's condition equates.
pub(super) fn equalities(block: &Block) -> impl Iterator<Item = (&Term, &Term)> {
    block.from.iter().flat_map(|s| &s.on).filter_map(equality)
}

/// The two columns of `a = b`.
pub(super) fn equality(term: &Term) -> Option<(&Term, &Term)> {
    match term {
        Term::Test { op: Op::Eq, args } => match args.as_slice() {
            [a @ Term::Column { .. }, b @ Term::Column { .. }] => Some((a, b)),
            _ => None,
        },
        _ => None,
    }
}

/// A SELECT of rows as they are: no grouping, no aggregate.
pub(super) fn plain(block: &Block) -> bool {
    block.group.is_empty() && block.having.is_empty() && !block.select.iter().any(Term::aggregates)
}

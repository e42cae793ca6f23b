//! Rows that a join makes, taken apart: what is joined, by which conditions, and what is looked up by a name.

use std::collections::BTreeSet;

use twinql_sql::{BinaryOp, ColumnId, ColumnSet, Expr, Rel, TypeClass, Value};

use crate::gold::Gold;

/// Filtered and joined rows.
#[derive(Debug)]
pub(crate) struct Joined<'a> {
    /// The rows.
    pub(crate) rows: &'a Rel,
    /// Tables and derived tables that are joined, by inner and outer joins.
    pub(crate) sources: Vec<&'a Rel>,
    /// The conjuncts of all filters and joins.
    pub(crate) conditions: Vec<&'a Expr>,
}

impl<'a> Joined<'a> {
    /// Takes rows apart; a single source where nothing is joined.
    pub(crate) fn of(rows: &'a Rel) -> Joined<'a> {
        let mut joined = Joined { rows, sources: Vec::new(), conditions: Vec::new() };
        joined.add(rows);
        joined
    }

    /// Goes through filters and joins of both kinds. Anything else has rows of its own, and is a source.
    fn add(&mut self, rel: &'a Rel) {
        match rel {
            Rel::Filter { input, predicate } => {
                self.conditions.extend(predicate);
                self.add(input);
            }
            Rel::Join { inputs, on } => {
                self.conditions.extend(on);
                inputs.iter().for_each(|input| self.add(input));
            }
            Rel::OuterJoin { left, right, on, .. } => {
                self.conditions.extend(on);
                self.add(left);
                self.add(right);
            }
            source => self.sources.push(source),
        }
    }

    /// The sources that some columns are of, by their number.
    pub(crate) fn sources_of(&self, columns: &ColumnSet) -> BTreeSet<usize> {
        let has = |source: &&Rel| source.output_set().iter().any(|c| columns.contains(c));
        self.sources.iter().enumerate().filter(|(_, source)| has(source)).map(|(i, _)| i).collect()
    }

    /// The columns of some sources.
    pub(crate) fn columns(&self, of: impl IntoIterator<Item = usize>) -> ColumnSet {
        of.into_iter().filter_map(|i| self.sources.get(i)).flat_map(|source| source.outputs()).collect()
    }

    /// What a source is called.
    pub(crate) fn name(&self, gold: &Gold<'_>, i: usize) -> String {
        match self.sources.get(i) {
            Some(Rel::Scan { table, .. }) => {
                gold.schema.tables.get(*table).map_or_else(String::new, |t| t.name.clone())
            }
            _ => "a derived table".to_owned(),
        }
    }

    /// Sources of which a column of texts or dates has one value, by a condition or by a join with such a column. Most
    /// likely that is a name, and one row has it.
    pub(crate) fn looked_up(&self, gold: &Gold<'_>) -> BTreeSet<usize> {
        // A number that is given is as often a year or a price as an id, so only texts and dates count as names.
        let names = |c: &ColumnId| {
            gold.info(*c).is_some_and(|info| matches!(info.class, TypeClass::Text | TypeClass::Time))
        };
        let mut fixed: ColumnSet = gold.lenient.determined(self.rows, []).into_iter().filter(names).collect();
        for e in &self.conditions {
            if let Expr::Binary { op: BinaryOp::Like, left, right } = e
                && let (Expr::Column(c), Expr::Literal(Value::Text(pattern))) = (&**left, &**right)
                && !pattern.contains(['%', '_'])
            {
                fixed.insert(*c);
            }
        }
        self.sources_of(&fixed)
    }

    /// Sources of which all columns of the key but one have one value, and two at least.
    pub(crate) fn all_but_one(&self, gold: &Gold<'_>) -> BTreeSet<usize> {
        // Two given columns of a key, or more, pick a thing so closely that the last has most likely one value too.
        let fixed = gold.lenient.determined(self.rows, []);
        let nearly = |source: &&Rel| match source {
            Rel::Scan { table, columns } => gold.schema.tables.get(*table).is_some_and(|t| {
                let is_fixed = |part: &&usize| columns.iter().any(|(id, c)| c == *part && fixed.contains(id));
                let known = t.primary_key.iter().filter(is_fixed).count();
                known >= 2 && known + 1 == t.primary_key.len()
            }),
            _ => false,
        };
        self.sources.iter().enumerate().filter(|(_, source)| nearly(source)).map(|(i, _)| i).collect()
    }

    /// Whether conditions tie a source to others by columns that are not fixed; else each row goes with each.
    pub(crate) fn tied(&self, to: &BTreeSet<usize>, source: usize, fixed: &ColumnSet) -> bool {
        let mut group = to.clone();
        loop {
            let before = group.len();
            for e in &self.conditions {
                let read = e.free_columns();
                // A condition with a constant, or with a column that has one value, does not say which rows go
                // together.
                let sources = self.sources_of(&read.difference(fixed).copied().collect());
                if !sources.is_disjoint(&group) {
                    group.extend(sources);
                }
            }
            if group.len() == before {
                return group.contains(&source);
            }
        }
    }

    /// The other sources that conditions tie a source to.
    pub(crate) fn neighbours(&self, source: usize) -> BTreeSet<usize> {
        let touching = self.conditions.iter().map(|e| self.sources_of(&e.free_columns()));
        touching.filter(|read| read.contains(&source)).flatten().filter(|other| *other != source).collect()
    }

    /// Pairs of columns that a condition says are equal.
    pub(crate) fn equalities(&self) -> Vec<[ColumnId; 2]> {
        let pair = |e: &&Expr| match e {
            Expr::Binary { op: BinaryOp::Eq, left, right } => match (&**left, &**right) {
                (Expr::Column(a), Expr::Column(b)) => Some([*a, *b]),
                _ => None,
            },
            _ => None,
        };
        self.conditions.iter().filter_map(pair).collect()
    }

    /// The rows with inner joins only: those that an outer join fills up are as many as the rows of one side.
    pub(crate) fn inner(&self) -> Rel {
        let copy = |rels: &[&Rel]| rels.iter().map(|rel| (*rel).clone()).collect();
        Rel::Join { inputs: copy(&self.sources), on: self.conditions.iter().map(|e| (*e).clone()).collect() }
    }
}

/// Whether a column's name says that it holds names.
pub(crate) fn is_name(gold: &Gold<'_>, c: ColumnId) -> bool {
    gold.info(c).is_some_and(|info| {
        let name = info.name.to_ascii_lowercase();
        ["name", "title"].iter().any(|end| name.ends_with(end))
    })
}

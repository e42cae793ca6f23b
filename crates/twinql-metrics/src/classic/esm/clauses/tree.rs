//! A query as clauses over resolved columns.
//!
//! Nothing of the text is left that a reader of SQL would not look at: aliases are gone, an output column that
//! another clause names is put in its place, and conditions keep AND, OR and their brackets as a tree.

use std::slice;

/// A query with what follows its body.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::classic::esm) struct Query {
    pub(in crate::classic::esm) body: Body,
    pub(in crate::classic::esm) order: Vec<Key>,
    pub(in crate::classic::esm) limit: Option<Term>,
    pub(in crate::classic::esm) offset: Option<Term>,
}

#[derive(Debug, Clone, PartialEq)]
pub(in crate::classic::esm) enum Body {
    Block(Box<Block>),
    Set {
        op: SetOp,
        all: bool,
        left: Box<Query>,
        right: Box<Query>,
    },
    /// VALUES: only its text is compared.
    Values(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::classic::esm) enum SetOp {
    Union,
    Intersect,
    Except,
}

impl SetOp {
    pub(in crate::classic::esm) fn name(self) -> &'static str {
        match self {
            SetOp::Union => "union",
            SetOp::Intersect => "intersect",
            SetOp::Except => "except",
        }
    }
}

/// A key of ORDER BY.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::classic::esm) struct Key {
    pub(in crate::classic::esm) term: Term,
    pub(in crate::classic::esm) descending: bool,
    pub(in crate::classic::esm) nulls_first: Option<bool>,
}

/// One SELECT.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::classic::esm) struct Block {
    pub(in crate::classic::esm) distinct: bool,
    pub(in crate::classic::esm) select: Vec<Term>,
    pub(in crate::classic::esm) from: Vec<Source>,
    /// Conjuncts of WHERE.
    pub(in crate::classic::esm) filter: Vec<Term>,
    pub(in crate::classic::esm) group: Vec<Term>,
    /// Conjuncts of HAVING.
    pub(in crate::classic::esm) having: Vec<Term>,
}

impl Block {
    /// True if every join is an inner one.
    pub(in crate::classic::esm) fn inner(&self) -> bool {
        self.from.iter().all(|s| s.join == Join::Inner)
    }
}

/// An item of FROM, and how it is joined to those before it.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::classic::esm) struct Source {
    /// Its number, unique in the whole query.
    pub(in crate::classic::esm) id: usize,
    pub(in crate::classic::esm) item: Item,
    pub(in crate::classic::esm) join: Join,
    /// Conjuncts of ON.
    pub(in crate::classic::esm) on: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq)]
pub(in crate::classic::esm) enum Item {
    /// A table of the schema.
    Table(usize),
    /// A derived table, or a common table expression in its place.
    Derived(Box<Query>),
    /// A view, a table-valued function and the like, by its text.
    Other(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::classic::esm) enum Join {
    /// The first item, commas and CROSS JOIN too.
    Inner,
    Left,
    Right,
    Full,
}

impl Join {
    pub(in crate::classic::esm) fn name(self) -> &'static str {
        match self {
            Join::Inner => "join",
            Join::Left => "left join",
            Join::Right => "right join",
            Join::Full => "full join",
        }
    }
}

/// An expression or a condition.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::classic::esm) enum Term {
    /// A column of a source: its name in lower case, or `#` and its position in a derived table.
    Column {
        source: usize,
        name: String,
    },
    /// `*`, or all columns of one source.
    Star(Option<usize>),
    Number(String),
    Text(String),
    Null,
    /// A function, an aggregate, an operator that is no condition.
    Call {
        name: String,
        distinct: bool,
        args: Vec<Term>,
    },
    Test {
        op: Op,
        args: Vec<Term>,
    },
    Not(Box<Term>),
    And(Vec<Term>),
    Or(Vec<Term>),
    Query(Box<Query>),
    /// What has no form of its own here, by its text.
    Other(String),
}

/// What a condition tests. `IN` has its left side first, then values or one query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::classic::esm) enum Op {
    Eq,
    NotEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
    Between,
    In,
    Like,
    Is,
    Exists,
}

impl Op {
    pub(in crate::classic::esm) fn name(self) -> &'static str {
        match self {
            Op::Eq => "=",
            Op::NotEq => "!=",
            Op::Lt => "<",
            Op::LtEq => "<=",
            Op::Gt => ">",
            Op::GtEq => ">=",
            Op::Between => "between",
            Op::In => "in",
            Op::Like => "like",
            Op::Is => "is",
            Op::Exists => "exists",
        }
    }

    /// The same comparison with its sides exchanged.
    pub(in crate::classic::esm) fn mirrored(self) -> Option<Op> {
        Some(match self {
            Op::Eq => Op::Eq,
            Op::NotEq => Op::NotEq,
            Op::Lt => Op::Gt,
            Op::Gt => Op::Lt,
            Op::LtEq => Op::GtEq,
            Op::GtEq => Op::LtEq,
            _ => return None,
        })
    }
}

/// The aggregate functions that this module looks into.
pub(in crate::classic::esm) const AGGREGATES: [&str; 7] =
    ["count", "sum", "avg", "min", "max", "total", "group_concat"];

impl Term {
    /// A column of a source.
    pub(in crate::classic::esm) fn column(source: usize, name: impl Into<String>) -> Term {
        Term::Column { source, name: name.into() }
    }

    /// The source and the name of a column.
    pub(in crate::classic::esm) fn as_column(&self) -> Option<(usize, &str)> {
        match self {
            Term::Column { source, name } => Some((*source, name)),
            _ => None,
        }
    }

    /// True for a value that is written down.
    pub(in crate::classic::esm) fn literal(&self) -> bool {
        matches!(self, Term::Number(_) | Term::Text(_) | Term::Null)
    }

    /// A comparison of two terms, or what else an operator tests of them.
    pub(in crate::classic::esm) fn test(op: Op, left: Term, right: Term) -> Term {
        Term::Test { op, args: vec![left, right] }
    }

    /// An aggregate's name, DISTINCT and argument.
    pub(in crate::classic::esm) fn aggregate(&self) -> Option<(&str, bool, &Term)> {
        match self {
            // min and max of several arguments are scalar functions.
            Term::Call { name, distinct, args } if AGGREGATES.contains(&name.as_str()) => {
                match args.as_slice() {
                    [arg] => Some((name, *distinct, arg)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The terms that it consists of; a subquery's are its own.
    pub(in crate::classic::esm) fn parts(&self) -> &[Term] {
        match self {
            Term::Call { name: _, distinct: _, args: terms }
            | Term::Test { op: _, args: terms }
            | Term::And(terms)
            | Term::Or(terms) => terms,
            Term::Not(inner) => slice::from_ref(inner),
            Term::Query(_)
            | Term::Column { .. }
            | Term::Star(_)
            | Term::Number(_)
            | Term::Text(_)
            | Term::Null
            | Term::Other(_) => &[],
        }
    }

    /// The same, to be changed.
    pub(in crate::classic::esm) fn parts_mut(&mut self) -> &mut [Term] {
        match self {
            Term::Call { args: terms, .. }
            | Term::Test { args: terms, .. }
            | Term::And(terms)
            | Term::Or(terms) => terms,
            Term::Not(inner) => slice::from_mut(inner),
            _ => &mut [],
        }
    }

    /// This term and all in it, subqueries aside.
    pub(in crate::classic::esm) fn own(&self) -> Vec<&Term> {
        let mut all = vec![self];
        let mut at = 0;
        while let Some(term) = all.get(at) {
            let parts = term.parts();
            all.extend(parts);
            at += 1;
        }
        all
    }

    /// Calls `each` with this term and all in it, subqueries aside, parts before the whole.
    pub(in crate::classic::esm) fn change_own(&mut self, each: &mut dyn FnMut(&mut Term)) {
        self.parts_mut().iter_mut().for_each(|t| t.change_own(each));
        each(self);
    }

    /// Calls `each` with this term and all in it, subqueries included, parts before the whole.
    pub(in crate::classic::esm) fn change(&mut self, each: &mut dyn FnMut(&mut Term)) {
        self.change_own(&mut |term| {
            if let Term::Query(query) = term {
                query.change(each);
            }
            each(term);
        });
    }

    /// True if an aggregate stands in it, subqueries aside.
    pub(in crate::classic::esm) fn aggregates(&self) -> bool {
        // A window function, say, has no form here: nobody has looked into it.
        self.own().into_iter().any(|t| t.aggregate().is_some() || matches!(t, Term::Other(_)))
    }
}

/// What a query consists of: terms, and queries that are no terms.
pub(in crate::classic::esm) enum Piece<'q> {
    Term(&'q mut Term),
    /// A derived table, or an arm of a set operation.
    Query(&'q mut Query),
}

impl Query {
    /// A body that nothing follows.
    pub(in crate::classic::esm) fn bare(body: Body) -> Query {
        Query { body, order: Vec::new(), limit: None, offset: None }
    }

    /// Its one SELECT, if it is no set operation.
    pub(in crate::classic::esm) fn block(&self) -> Option<&Block> {
        match &self.body {
            Body::Block(block) => Some(block),
            Body::Set { .. } | Body::Values(_) => None,
        }
    }

    /// The same, if neither ORDER BY nor LIMIT follow.
    pub(in crate::classic::esm) fn bare_block(&self) -> Option<&Block> {
        let bare = self.order.is_empty() && self.limit.is_none() && self.offset.is_none();
        self.block().filter(|_| bare)
    }

    /// The SELECT whose output columns are the query's: of a set operation the first one.
    pub(in crate::classic::esm) fn first(&self) -> &Query {
        match &self.body {
            Body::Set { left, .. } => left.first(),
            Body::Block(_) | Body::Values(_) => self,
        }
    }

    /// Its pieces in the order of the text, LIMIT and OFFSET aside.
    pub(in crate::classic::esm) fn pieces(&mut self) -> Vec<Piece<'_>> {
        let mut all = Vec::new();
        match &mut self.body {
            Body::Block(block) => {
                for source in &mut block.from {
                    if let Item::Derived(query) = &mut source.item {
                        all.push(Piece::Query(query));
                    }
                    all.extend(source.on.iter_mut().map(Piece::Term));
                }
                let lists = [&mut block.select, &mut block.filter, &mut block.group, &mut block.having];
                all.extend(lists.into_iter().flatten().map(Piece::Term));
            }
            Body::Set { op: _, all: _, left, right } => {
                all.extend([left, right].map(|arm| Piece::Query(arm)));
            }
            Body::Values(_) => {}
        }
        all.extend(self.order.iter_mut().map(|k| Piece::Term(&mut k.term)));
        all
    }

    /// Calls `each` with every term in it, those of subqueries included.
    pub(in crate::classic::esm) fn change(&mut self, each: &mut dyn FnMut(&mut Term)) {
        for piece in self.pieces() {
            match piece {
                Piece::Term(term) => term.change(each),
                Piece::Query(query) => query.change(each),
            }
        }
        self.limit.iter_mut().chain(&mut self.offset).for_each(|t| t.change(each));
    }
}

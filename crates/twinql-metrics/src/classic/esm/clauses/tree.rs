//! A query as clauses over resolved columns.
//!
//! Nothing of the text is left that a reader of SQL would not look at: aliases are gone, an output column that
//! another clause names is put in its place, and conditions keep AND, OR and their brackets as a tree.

/// A query with what follows its body.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Query {
    pub(in super::super) body: Body,
    pub(in super::super) order: Vec<Key>,
    pub(in super::super) limit: Option<Term>,
    pub(in super::super) offset: Option<Term>,
}

#[derive(Debug, Clone, PartialEq)]
pub(in super::super) enum Body {
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
pub(in super::super) enum SetOp {
    Union,
    Intersect,
    Except,
}

impl SetOp {
    pub(in super::super) fn name(self) -> &'static str {
        match self {
            SetOp::Union => "union",
            SetOp::Intersect => "intersect",
            SetOp::Except => "except",
        }
    }
}

/// A key of ORDER BY.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Key {
    pub(in super::super) term: Term,
    pub(in super::super) descending: bool,
    pub(in super::super) nulls_first: Option<bool>,
}

/// One SELECT.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in super::super) struct Block {
    pub(in super::super) distinct: bool,
    pub(in super::super) select: Vec<Term>,
    pub(in super::super) from: Vec<Source>,
    /// Conjuncts of WHERE.
    pub(in super::super) filter: Vec<Term>,
    pub(in super::super) group: Vec<Term>,
    /// Conjuncts of HAVING.
    pub(in super::super) having: Vec<Term>,
}

impl Block {
    /// True if every join is an inner one.
    pub(in super::super) fn inner(&self) -> bool {
        self.from.iter().all(|s| s.join == Join::Inner)
    }
}

/// An item of FROM, and how it is joined to those before it.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Source {
    /// Its number, unique in the whole query.
    pub(in super::super) id: usize,
    pub(in super::super) item: Item,
    pub(in super::super) join: Join,
    /// Conjuncts of ON.
    pub(in super::super) on: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq)]
pub(in super::super) enum Item {
    /// A table of the schema.
    Table(usize),
    /// A derived table, or a common table expression in its place.
    Derived(Box<Query>),
    /// A view, a table-valued function and the like, by its text.
    Other(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Join {
    /// The first item, commas and CROSS JOIN too.
    Inner,
    Left,
    Right,
    Full,
}

impl Join {
    pub(in super::super) fn name(self) -> &'static str {
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
pub(in super::super) enum Term {
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
pub(in super::super) enum Op {
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
    pub(in super::super) fn name(self) -> &'static str {
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
    pub(in super::super) fn mirrored(self) -> Option<Op> {
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
pub(in super::super) const AGGREGATES: [&str; 7] =
    ["count", "sum", "avg", "min", "max", "total", "group_concat"];

impl Term {
    /// A column of a source.
    pub(in super::super) fn column(source: usize, name: impl Into<String>) -> Term {
        Term::Column { source, name: name.into() }
    }

    /// An aggregate's name, DISTINCT and argument.
    pub(in super::super) fn aggregate(&self) -> Option<(&str, bool, &Term)> {
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

    /// Calls `each` with this term and all in it, subqueries included, the whole before its parts.
    pub(in super::super) fn walk(&self, each: &mut dyn FnMut(&Term)) {
        each(self);
        match self {
            Term::Call { name: _, distinct: _, args: terms }
            | Term::Test { op: _, args: terms }
            | Term::And(terms)
            | Term::Or(terms) => terms.iter().for_each(|t| t.walk(each)),
            Term::Not(inner) => inner.walk(each),
            Term::Query(query) => query.walk(each),
            Term::Column { .. }
            | Term::Star(_)
            | Term::Number(_)
            | Term::Text(_)
            | Term::Null
            | Term::Other(_) => {}
        }
    }

    /// Calls `each` with this term and all in it, subqueries included, parts before the whole.
    pub(in super::super) fn change(&mut self, each: &mut dyn FnMut(&mut Term)) {
        match self {
            Term::Call { name: _, distinct: _, args: terms }
            | Term::Test { op: _, args: terms }
            | Term::And(terms)
            | Term::Or(terms) => terms.iter_mut().for_each(|t| t.change(each)),
            Term::Not(inner) => inner.change(each),
            Term::Query(query) => query.change(each),
            Term::Column { .. }
            | Term::Star(_)
            | Term::Number(_)
            | Term::Text(_)
            | Term::Null
            | Term::Other(_) => {}
        }
        each(self);
    }

    /// True if an aggregate stands in it, subqueries aside.
    pub(in super::super) fn aggregates(&self) -> bool {
        match self {
            Term::Call { args, .. } => self.aggregate().is_some() || args.iter().any(Term::aggregates),
            Term::Test { op: _, args: terms } | Term::And(terms) | Term::Or(terms) => {
                terms.iter().any(Term::aggregates)
            }
            Term::Not(inner) => inner.aggregates(),
            // A window function, say: nobody has looked into it.
            Term::Other(_) => true,
            _ => false,
        }
    }
}

impl Query {
    /// Its one SELECT, if it is no set operation.
    pub(in super::super) fn block(&self) -> Option<&Block> {
        match &self.body {
            Body::Block(block) => Some(block),
            Body::Set { .. } | Body::Values(_) => None,
        }
    }

    /// The same, if neither ORDER BY nor LIMIT follow.
    pub(in super::super) fn bare_block(&self) -> Option<&Block> {
        let bare = self.order.is_empty() && self.limit.is_none() && self.offset.is_none();
        self.block().filter(|_| bare)
    }

    /// Calls `each` with every term in it, those of subqueries included.
    pub(in super::super) fn walk(&self, each: &mut dyn FnMut(&Term)) {
        match &self.body {
            Body::Block(block) => block.walk(each),
            Body::Set { op: _, all: _, left, right } => {
                left.walk(each);
                right.walk(each);
            }
            Body::Values(_) => {}
        }
        self.order.iter().for_each(|k| k.term.walk(each));
        self.limit.iter().chain(&self.offset).for_each(|t| t.walk(each));
    }

    /// Calls `each` with every term in it, those of subqueries included.
    pub(in super::super) fn change(&mut self, each: &mut dyn FnMut(&mut Term)) {
        match &mut self.body {
            Body::Block(block) => block.change(each),
            Body::Set { op: _, all: _, left, right } => {
                left.change(each);
                right.change(each);
            }
            Body::Values(_) => {}
        }
        self.order.iter_mut().for_each(|k| k.term.change(each));
        self.limit.iter_mut().chain(&mut self.offset).for_each(|t| t.change(each));
    }
}

impl Block {
    fn walk(&self, each: &mut dyn FnMut(&Term)) {
        for source in &self.from {
            if let Item::Derived(query) = &source.item {
                query.walk(each);
            }
            source.on.iter().for_each(|t| t.walk(each));
        }
        let lists = [&self.select, &self.filter, &self.group, &self.having];
        lists.into_iter().flatten().for_each(|t| t.walk(each));
    }

    fn change(&mut self, each: &mut dyn FnMut(&mut Term)) {
        for source in &mut self.from {
            if let Item::Derived(query) = &mut source.item {
                query.change(each);
            }
            source.on.iter_mut().for_each(|t| t.change(each));
        }
        let lists = [&mut self.select, &mut self.filter, &mut self.group, &mut self.having];
        lists.into_iter().flatten().for_each(|t| t.change(each));
    }
}

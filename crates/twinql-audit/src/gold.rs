//! A gold query as the checks see it.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

use twinql_sql::columns::Reads;
use twinql_sql::known::Known;
use twinql_sql::schema::Typing;
use twinql_sql::tree::{Node, Tree};
use twinql_sql::{
    Affinity, Canonical, ColumnId, ColumnInfo, ColumnSet, Expr, Parsed, Plan, Query, Rel, Schema, Semantics,
    Spans, TypeClass, Value, normalize,
};

use crate::asked::Asked;
use crate::text::Text;

/// Where a query stands in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The whole query.
    Root,
    /// An arm of a set operation or a recursion.
    Arm,
    /// Inside EXISTS: only whether there is a row counts.
    Exists,
    /// Inside IN: the set of rows counts.
    In,
    /// A value: the first row counts.
    Scalar,
}

/// A planned gold query over its schema, and what is known of it.
#[derive(Debug)]
pub(crate) struct Gold<'a> {
    /// What the schema says, less keys that it may say by half.
    pub(crate) schema: &'a Schema,
    /// What is assumed of databases, and how answers are compared.
    pub(crate) semantics: &'a Semantics,
    /// The syntax tree, for checks of what the plan has lost: parentheses, the order of AND and OR.
    pub(crate) parsed: &'a Parsed,
    /// The tree as it was planned, on which no rule has worked: rules take away much of what checks look for.
    pub(crate) plan: &'a Plan,
    /// Where the plan's expressions and columns stand in the text.
    spans: &'a Spans,
    /// The text after repairs, which all places are of.
    pub(crate) text: &'a Text,
    /// What it answers.
    pub(crate) asked: Asked<'a>,
    /// By what the schema says.
    pub(crate) known: Known<'a>,
    /// By what it says and what it may have left out: for checks that ask whether something is *not* unique.
    pub(crate) lenient: Known<'a>,
    /// Made when a check first asks for it, since it costs more than all else here.
    canonical: OnceCell<Canonical>,
}

/// The schema with keys that it most likely left out. Of a `tables.json`, a lone NOT NULL column of a table without a
/// key: it was one in the file, and may be half of one. Of any schema, the columns that foreign keys refer to, which
/// SQLite wants to be unique, and all columns of a table without any key: no row stands in it twice.
pub(crate) fn lenient_schema(schema: &Schema) -> Schema {
    let mut lenient = schema.clone();
    for key in schema.tables.iter().flat_map(|t| &t.foreign_keys) {
        if let Some(target) = lenient.tables.get_mut(key.target)
            && !target.unique.contains(&key.target_columns)
        {
            target.unique.push(key.target_columns.clone());
        }
    }
    for table in lenient.tables.iter_mut().filter(|t| t.primary_key.is_empty()) {
        let mut not_null =
            (0..table.columns.len()).filter(|&c| table.columns.get(c).is_some_and(|c| c.not_null));
        match (not_null.next(), not_null.next()) {
            (Some(key), None) if schema.typing == Typing::Loose => table.primary_key = vec![key],
            _ if table.unique.is_empty() => table.primary_key = (0..table.columns.len()).collect(),
            _ => {}
        }
    }
    lenient
}

/// The schema without the keys that a `tables.json` may say by half: a lone column that is no id by its name may be the
/// first of several, as a building is of a classroom's.
pub(crate) fn strict_schema(schema: &Schema) -> Schema {
    let mut strict = schema.clone();
    if schema.typing == Typing::Loose {
        for table in &mut strict.tables {
            let [key] = table.primary_key[..] else { continue };
            let Some(column) = table.columns.get(key) else { continue };
            let name = column.name.to_ascii_lowercase();
            let id = ["id", "code", "key", "no", "nr", "number", "ssn"].iter().any(|end| name.ends_with(end));
            if !id {
                table.primary_key.clear();
            }
        }
    }
    strict
}

impl<'a> Gold<'a> {
    pub(crate) fn new(
        (schema, lenient): (&'a Schema, &'a Schema),
        semantics: &'a Semantics,
        parsed: &'a Parsed,
        (plan, spans): (&'a Plan, &'a Spans),
        text: &'a Text,
        asked: Asked<'a>,
    ) -> Gold<'a> {
        Gold {
            schema,
            semantics,
            parsed,
            plan,
            spans,
            text,
            asked,
            known: Known::new(schema, semantics, plan.columns.clone()),
            lenient: Known::new(lenient, semantics, plan.columns.clone()),
            canonical: OnceCell::new(),
        }
    }

    /// The canonical form under the semantics.
    pub(crate) fn canonical(&self) -> &Canonical {
        self.canonical.get_or_init(|| normalize(self.schema, self.plan.clone(), self.semantics))
    }

    /// Whether the answer is one constant on every database, with nothing assumed.
    pub(crate) fn is_constant(&self) -> bool {
        let canonical = self.canonical();
        canonical.vacuous.is_empty() && reads_tables(&self.plan.query) && !reads_tables(&canonical.plan.query)
    }

    /// The whole query and all queries in it, with the role of each.
    pub(crate) fn queries(&self) -> Vec<(Role, &'a Query)> {
        let mut all = vec![(Role::Root, &self.plan.query)];
        self.plan.query.for_each_deep(|node| match node {
            Node::Expr(Expr::Exists(q)) => all.push((Role::Exists, q)),
            Node::Expr(Expr::Scalar(q)) => all.push((Role::Scalar, q)),
            Node::Expr(Expr::InSubquery { query, .. } | Expr::Quantified { query, .. }) => {
                all.push((Role::In, query));
            }
            Node::Rel(rel) => all.extend(rel.arms().into_iter().map(|q| (Role::Arm, q))),
            _ => {}
        });
        all
    }

    /// Every relation of the query.
    pub(crate) fn relations(&self) -> Vec<&'a Rel> {
        let mut all = Vec::new();
        self.plan.query.for_each_deep(|node| {
            if let Node::Rel(rel) = node {
                all.push(rel);
            }
        });
        all
    }

    /// The blocks of the query, each once: filters and joins that are no part of a larger one.
    pub(crate) fn blocks(&self) -> Vec<Block<'a>> {
        let relations = self.relations();
        let part = |rel: &Rel| matches!(rel, Rel::Filter { .. } | Rel::Join { .. });
        let mut inner: BTreeSet<*const Rel> = BTreeSet::new();
        for rel in relations.iter().filter(|rel| part(rel)) {
            inner.extend(rel.inputs().into_iter().filter(|r| part(r)).map(std::ptr::from_ref));
        }
        let outermost =
            relations.into_iter().filter(|rel| part(rel) && !inner.contains(&std::ptr::from_ref(*rel)));
        outermost.map(Block::of).collect()
    }

    /// Every expression of the query.
    pub(crate) fn expressions(&self) -> Vec<&'a Expr> {
        let mut all = Vec::new();
        self.plan.query.for_each_deep(|node| {
            if let Node::Expr(e) = node {
                all.push(e);
            }
        });
        all
    }

    /// The columns that are read outside a relation of the query.
    pub(crate) fn read_outside(&self, rel: &Rel) -> ColumnSet {
        let mut read = ColumnSet::new();
        outside_query(&self.plan.query, rel, false, &mut read);
        read
    }

    /// What is known of a column.
    pub(crate) fn info(&self, c: ColumnId) -> Option<&'a ColumnInfo> {
        c.info(&self.plan.columns)
    }

    /// A column's name for people, with its table's where it is one of the schema's.
    pub(crate) fn name(&self, c: ColumnId) -> String {
        match self.info(c) {
            Some(ColumnInfo { origin: Some(origin), .. }) => self.schema.name_of(*origin),
            Some(info) => info.name.clone(),
            None => "a column".into(),
        }
    }

    /// Where an expression stands; what it reads where that is not known, and else the whole query.
    pub(crate) fn place(&self, expr: &Expr) -> Range<usize> {
        self.found(expr).unwrap_or_else(|| self.text.whole())
    }

    /// All places where an expression stands, in order.
    pub(crate) fn places(&self, expr: &Expr) -> Vec<Range<usize>> {
        self.spans.places(expr).into_iter().map(|range| self.text.bytes(range)).collect()
    }

    /// Where an expression stands, if that is known.
    pub(crate) fn found(&self, expr: &Expr) -> Option<Range<usize>> {
        let first = self.places(expr).into_iter().next();
        first.or_else(|| expr.named().into_iter().find_map(|c| self.made(c)))
    }

    /// Where a column was made: an aggregate's call, or a column's definition; the whole query where that is not known.
    pub(crate) fn column_place(&self, c: ColumnId) -> Range<usize> {
        self.made(c).unwrap_or_else(|| self.text.whole())
    }

    fn made(&self, c: ColumnId) -> Option<Range<usize>> {
        self.spans.of_column(c).map(|range| self.text.bytes(range))
    }

    /// A text column of the schema that SQLite compares as text, and that holds no dates or times.
    pub(crate) fn is_text(&self, expr: &Expr) -> bool {
        let Expr::Column(c) = expr else { return false };
        self.info(*c).is_some_and(|info| {
            info.origin.is_some() && info.class == TypeClass::Text && info.affinity == Some(Affinity::Text)
        })
    }

    /// The class of an expression's values, as far as it is plain.
    pub(crate) fn class(&self, expr: &Expr) -> Option<TypeClass> {
        use twinql_sql::{BinaryOp, UnaryOp};
        match expr {
            Expr::Column(c) => self.info(*c).map(|info| info.class),
            Expr::Literal(Value::Integer(_)) => Some(TypeClass::Integer),
            Expr::Literal(Value::Real(_)) => Some(TypeClass::Number),
            Expr::Literal(Value::Text(_)) => Some(TypeClass::Text),
            Expr::Unary { op: UnaryOp::Neg, expr } => self.class(expr),
            Expr::Binary {
                op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div,
                left,
                right,
            } => match (self.class(left)?, self.class(right)?) {
                (TypeClass::Integer, TypeClass::Integer) => Some(TypeClass::Integer),
                _ => Some(TypeClass::Number),
            },
            Expr::Cast { affinity: Affinity::Integer, .. } => Some(TypeClass::Integer),
            Expr::Cast { affinity: Affinity::Real | Affinity::Numeric, .. } => Some(TypeClass::Number),
            Expr::Cast { affinity: Affinity::Text, .. } => Some(TypeClass::Text),
            Expr::Case { branches, otherwise, .. } => {
                let values = branches.iter().map(|(_, then)| then).chain(otherwise.as_deref());
                let mut classes = values.filter(|e| **e != Expr::Literal(Value::Null)).map(|e| self.class(e));
                let first = classes.next()??;
                classes.all(|c| c == Some(first)).then_some(first)
            }
            Expr::Scalar(query) => match query.output.as_slice() {
                [c] => self.info(*c).map(|info| info.class),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Whether a query reads a table.
pub(crate) fn reads_tables(query: &Query) -> bool {
    query.any_deep(|node| matches!(node, Node::Rel(Rel::Scan { .. })))
}

/// Whether a class is one of numbers.
pub(crate) fn numeric(class: TypeClass) -> bool {
    matches!(class, TypeClass::Integer | TypeClass::Number)
}

/// Adds the columns that a query reads but inside `but`. What EXISTS puts out is not read: only whether there is a row
/// counts.
fn outside_query(query: &Query, but: &Rel, exists: bool, into: &mut ColumnSet) {
    if !exists {
        into.extend(&query.output);
    }
    outside_rel(&query.rel, but, into);
}

/// Stops at the relation itself, by its address: an equal one elsewhere in the query is another.
fn outside_rel(rel: &Rel, but: &Rel, into: &mut ColumnSet) {
    if std::ptr::eq(rel, but) {
        return;
    }
    for e in rel.exprs() {
        outside_expr(e, but, into);
    }
    for input in rel.inputs() {
        outside_rel(input, but, into);
    }
    for arm in rel.arms() {
        outside_query(arm, but, false, into);
    }
}

/// A subquery's own expressions count too, since a correlated one reads columns of the rows around it.
fn outside_expr(e: &Expr, but: &Rel, into: &mut ColumnSet) {
    if let Expr::Column(c) = e {
        into.insert(*c);
    }
    for operand in e.operands() {
        outside_expr(operand, but, into);
    }
    if let Some(query) = e.subquery() {
        outside_query(query, but, matches!(e, Expr::Exists(_)), into);
    }
}

/// A filtered inner join, flat: what is joined, and the conditions on it.
#[derive(Debug, Default)]
pub(crate) struct Block<'a> {
    /// What is joined: scans, derived tables, outer joins.
    pub(crate) leaves: Vec<&'a Rel>,
    /// All conjuncts of ON and WHERE.
    pub(crate) conjuncts: Vec<&'a Expr>,
}

impl<'a> Block<'a> {
    /// The block that a relation is; a single leaf where it is none.
    pub(crate) fn of(rel: &'a Rel) -> Block<'a> {
        let mut block = Block::default();
        block.add(rel);
        block
    }

    fn add(&mut self, rel: &'a Rel) {
        match rel {
            Rel::Filter { input, predicate } => {
                self.conjuncts.extend(predicate);
                self.add(input);
            }
            Rel::Join { inputs, on } => {
                self.conjuncts.extend(on);
                inputs.iter().for_each(|input| self.add(input));
            }
            leaf => self.leaves.push(leaf),
        }
    }

    /// Which leaves an expression reads, by their number.
    pub(crate) fn read_by(&self, expr: &Expr) -> BTreeSet<usize> {
        let read = expr.free_columns();
        let reads = |leaf: &&'a Rel| leaf.output_set().iter().any(|c| read.contains(c));
        self.leaves.iter().enumerate().filter(|(_, leaf)| reads(leaf)).map(|(i, _)| i).collect()
    }
}

//! What holds in every row of a relation: columns that are never NULL, functional dependencies, uniqueness.
//!
//! Both kinds of facts are computed from the leaves up, whenever a rule asks: nothing is stored in the tree,
//! so no rule can leave a stale fact behind. Functional dependencies follow Paulley & Larson 1994 and Simmen,
//! Shekita & Malkemus 1996: keys of base tables, equalities, constants and computed columns each state that
//! some columns determine another, and what a set of columns determines is its closure under these. All of it
//! errs on one side: a column not listed may be NULL, a dependency not listed may hold.

use super::context::Context;
use super::scan::column_at;
use crate::algebra::Grouping;
use crate::column_set::ColumnSet;
use crate::columns::Reads;
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr, UnaryOp};
use crate::function;
use crate::rel::{ColumnId, JoinKind, Query, Rel, SetOpKind};
use crate::schema::{Affinity, ColumnRef};
use crate::tree::{Node, Tree};
use crate::value::Value;

/// The determinant fixes the dependents.
pub(crate) type Dependency = (Vec<ColumnId>, Vec<ColumnId>);

/// Functional dependencies of a relation. Each leaf has a token, a column id that stands
/// for 'which row of the leaf': rows are unique by a set of columns where the set
/// determines all tokens.
#[derive(Default)]
pub(crate) struct Dependencies {
    pub(crate) rules: Vec<Dependency>,
    pub(crate) tokens: Vec<ColumnId>,
    next: u32,
}

impl Dependencies {
    /// A new token. Counted down from the greatest id, so that none is a column's.
    fn token(&mut self) -> ColumnId {
        self.next += 1;
        let token = ColumnId(u32::MAX - self.next);
        self.tokens.push(token);
        token
    }

    /// A leaf of these columns: its row determines them all, and each of `keys` its row.
    fn leaf(&mut self, columns: Vec<ColumnId>, keys: impl IntoIterator<Item = Vec<ColumnId>>) {
        let token = self.token();
        self.rules.extend(keys.into_iter().map(|key| (key, vec![token])));
        self.rules.push((vec![token], columns));
    }

    /// All columns that `from` determines.
    pub(crate) fn closure(&self, from: impl IntoIterator<Item = ColumnId>) -> ColumnSet {
        let mut known: ColumnSet = from.into_iter().collect();
        loop {
            let before = known.len();
            for (by, determined) in &self.rules {
                if by.iter().all(|c| known.contains(c)) {
                    known.extend(determined.iter().copied());
                }
            }
            if known.len() == before {
                return known;
            }
        }
    }

    /// True if no two rows agree in all of `columns`.
    pub(crate) fn unique(&self, columns: impl IntoIterator<Item = ColumnId>) -> bool {
        let known = self.closure(columns);
        self.tokens.iter().all(|t| known.contains(t))
    }
}

impl Context<'_> {
    /// True if this column of a base table is never NULL.
    pub(crate) fn base_not_null(&self, table: usize, column: usize) -> bool {
        let at = ColumnRef { table, column };
        !self.semantics.nulls.reach(at)
            || self.schema.column(at).is_some_and(|c| !self.semantics.may_be_null(at, c))
    }

    /// The keys of a base table, as column positions: unique, and without NULLs.
    pub(crate) fn table_keys(&self, table: usize) -> Vec<&[usize]> {
        if !self.semantics.keys_hold {
            return Vec::new();
        }
        let Some(t) = self.schema.tables.get(table) else {
            return Vec::new();
        };
        std::iter::once(&t.primary_key)
            .chain(&t.unique)
            .filter(|key| !key.is_empty() && key.iter().all(|&c| self.base_not_null(table, c)))
            .map(Vec::as_slice)
            .collect()
    }

    /// Columns that are not NULL in any row of any input of `rel`.
    pub(crate) fn not_null_below(&self, rel: &Rel) -> ColumnSet {
        rel.inputs().into_iter().flat_map(|r| self.not_null(r)).collect()
    }

    /// Columns that are not NULL in any row of `rel`.
    pub(crate) fn not_null(&self, rel: &Rel) -> ColumnSet {
        match rel {
            Rel::Scan { table, columns } => {
                columns.iter().filter(|(_, at)| self.base_not_null(*table, *at)).map(|(c, _)| *c).collect()
            }
            Rel::Values { columns, rows } => columns
                .iter()
                .enumerate()
                .filter(|(i, _)| {
                    rows.iter()
                        .all(|row| row.get(*i).is_some_and(|e| !self.may_be_null(e, &ColumnSet::new())))
                })
                .map(|(_, c)| *c)
                .collect(),
            // Nothing is known of table functions, and of recursion only after its fixed point.
            Rel::TableFunction { .. } | Rel::Recursive { .. } | Rel::RecursiveRef { .. } => ColumnSet::new(),
            Rel::Filter { input, predicate } => {
                let mut set = self.not_null(input);
                for e in predicate {
                    rejects_null(e, &mut set);
                }
                set
            }
            Rel::Join { inputs, on } => {
                let mut set: ColumnSet = inputs.iter().flat_map(|r| self.not_null(r)).collect();
                for e in on {
                    rejects_null(e, &mut set);
                }
                set
            }
            // What the ON rejects it rejects of partners only: it takes no row of the kept side away.
            Rel::OuterJoin { kind, left, .. } => match kind {
                JoinKind::Left => self.not_null(left),
                JoinKind::Full => ColumnSet::new(),
            },
            Rel::Distinct { input } | Rel::Sort { input, .. } | Rel::Window { input, .. } => {
                self.not_null(input)
            }
            Rel::Project { input, exprs } => {
                let below = self.not_null(input);
                exprs.iter().filter(|(_, e)| !self.may_be_null(e, &below)).map(|(c, _)| *c).collect()
            }
            Rel::Aggregate { input, keys, calls } => {
                self.not_null_of_grouping(Grouping { input, keys, calls })
            }
            Rel::SetOp { kind, left, right, columns, .. } => {
                let (l, r) = (self.not_null(&left.rel), self.not_null(&right.rel));
                columns
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| {
                        let of = |q: &Query, s: &ColumnSet| q.output.get(*i).is_some_and(|c| s.contains(c));
                        match kind {
                            // A row of INTERSECT stands in both arms, so either arm can vouch for it.
                            SetOpKind::Union => of(left, &l) && of(right, &r),
                            SetOpKind::Intersect => of(left, &l) || of(right, &r),
                            SetOpKind::Except => of(left, &l),
                        }
                    })
                    .map(|(_, c)| *c)
                    .collect()
            }
        }
    }

    /// Keys and aggregates that are NULL in no group. A group has a row, so that MIN, MAX, AVG and SUM of
    /// what is never NULL have a value; without keys there may be no row, and with a FILTER none that counts.
    fn not_null_of_grouping(&self, grouping: Grouping<'_>) -> ColumnSet {
        let below = self.not_null(grouping.input);
        let sure = |e: &Expr| !self.may_be_null(e, &below);
        let valued = |call: &AggregateCall| {
            !grouping.keys.is_empty() && call.filter.is_none() && call.args.iter().all(sure)
        };
        let certain = |call: &AggregateCall| match call.func {
            AggFunc::Count | AggFunc::Total => true,
            AggFunc::Min | AggFunc::Max | AggFunc::Bare | AggFunc::Avg => valued(call),
            // A sum of real numbers is NULL where infinities cancel.
            AggFunc::Sum => valued(call) && call.args.iter().all(|e| self.is_integer(e)),
            _ => false,
        };
        let keys = grouping.keys.iter().filter(|(_, e)| sure(e)).map(|(c, _)| *c);
        keys.chain(grouping.calls.iter().filter(|(_, call)| certain(call)).map(|(c, _)| *c)).collect()
    }

    /// True if the expression can be NULL where the columns of `not_null` are not.
    pub(crate) fn may_be_null(&self, expr: &Expr, not_null: &ColumnSet) -> bool {
        let either = |a: &Expr, b: &Expr| self.may_be_null(a, not_null) || self.may_be_null(b, not_null);
        match expr {
            Expr::Column(c) => !not_null.contains(c) && self.outer_may_be_null(*c),
            Expr::Literal(v) => *v == Value::Null,
            Expr::Unary { op: UnaryOp::IsNull, .. } => false,
            Expr::Unary { expr, .. } | Expr::Cast { expr, .. } | Expr::Collate { expr, .. } => {
                self.may_be_null(expr, not_null)
            }
            Expr::Binary { op, left, right } => match op {
                BinaryOp::Is | BinaryOp::IsNot => false,
                BinaryOp::Concat | BinaryOp::Like | BinaryOp::Glob => either(left, right),
                op if op.is_comparison() => either(left, right),
                // Division by zero, overflow and infinities make NULLs.
                _ => true,
            },
            Expr::And(list) | Expr::Or(list) => list.iter().any(|e| self.may_be_null(e, not_null)),
            Expr::InList { expr, list } => {
                self.may_be_null(expr, not_null) || list.iter().any(|e| self.may_be_null(e, not_null))
            }
            Expr::Exists(_) => false,
            Expr::InSubquery { exprs, query } => {
                exprs.iter().any(|e| self.may_be_null(e, not_null)) || !self.output_not_null(query)
            }
            Expr::Function { name, args } => function::scalar(name).is_none_or(|known| {
                let nulls = args.iter().map(|e| self.may_be_null(e, not_null));
                known.nulls.may_be_null(nulls)
            }),
            _ => true,
        }
    }

    /// The functional dependencies of a relation. Columns of enclosing queries count as
    /// constants.
    pub(crate) fn dependencies(&self, rel: &Rel) -> Dependencies {
        let mut deps = Dependencies::default();
        self.collect(rel, &mut deps);
        deps
    }

    /// Adds what holds among the columns of `rel` and of what it is made of. Dependencies below an operator
    /// that computes columns stay: the closure goes through columns that are no longer produced.
    fn collect(&self, rel: &Rel, deps: &mut Dependencies) {
        match rel {
            Rel::Scan { table, columns } => {
                let ids = |key: &[usize]| key.iter().map(|k| column_at(columns, *k)).collect();
                let keys: Vec<Vec<ColumnId>> = self.table_keys(*table).into_iter().filter_map(ids).collect();
                deps.leaf(columns.iter().map(|(c, _)| *c).collect(), keys);
            }
            // Of one row at most, nothing has to be known to know the row.
            Rel::Values { columns, rows } => {
                deps.leaf(columns.clone(), (rows.len() <= 1).then(Vec::new));
            }
            Rel::TableFunction { columns, .. }
            | Rel::RecursiveRef { columns, .. }
            | Rel::Recursive { columns, .. } => deps.leaf(columns.clone(), None),
            // Which arm a row comes from is unknown: what holds in the arms says nothing here.
            Rel::SetOp { all, columns, .. } => {
                deps.leaf(columns.clone(), (!all).then(|| columns.clone()));
            }
            Rel::Filter { input, predicate } => {
                self.collect(input, deps);
                self.equalities(rel, predicate, deps);
            }
            Rel::Join { inputs, on } => {
                for input in inputs {
                    self.collect(input, deps);
                }
                self.equalities(rel, on, deps);
            }
            Rel::OuterJoin { kind, left, right, .. } => self.collect_outer_join(*kind, left, right, deps),
            Rel::Project { input, exprs } => {
                self.collect(input, deps);
                for (c, e) in exprs {
                    derived(*c, e, deps);
                }
            }
            Rel::Aggregate { input, keys, calls } => {
                self.collect_grouping(Grouping { input, keys, calls }, deps);
            }
            Rel::Distinct { input } => {
                self.collect_tokens(input, deps);
                let all = input.outputs();
                deps.leaf(all.clone(), Some(all));
            }
            Rel::Sort { input, limit, .. } => {
                let below = deps.tokens.len();
                self.collect(input, deps);
                if matches!(limit, Some(Expr::Literal(Value::Integer(0 | 1)))) {
                    let own = deps.tokens.iter().skip(below).copied().collect();
                    deps.rules.push((Vec::new(), own));
                }
            }
            Rel::Window { input, .. } => self.collect(input, deps),
        }
    }

    /// [`Context::collect`] of what is below a grouping: its rows are no rows above, so their tokens are
    /// taken out, and given back.
    fn collect_tokens(&self, rel: &Rel, deps: &mut Dependencies) -> Vec<ColumnId> {
        let below = deps.tokens.len();
        self.collect(rel, deps);
        deps.tokens.split_off(below)
    }

    /// A row of the outer join is known by the rows of both sides. A side that is filled up with NULLs keeps
    /// those dependencies alone whose determinant is never NULL in rows of its own: a row of NULLs is no
    /// row of the side, breaks what was constant, and agrees with a row that has NULL in the same columns.
    fn collect_outer_join(&self, kind: JoinKind, left: &Rel, right: &Rel, deps: &mut Dependencies) {
        let mut l = Dependencies { next: deps.next, ..Dependencies::default() };
        self.collect(left, &mut l);
        let mut r = Dependencies { next: l.next, ..Dependencies::default() };
        self.collect(right, &mut r);
        deps.next = r.next;
        let keeps = |rel: &Rel, from: &mut Dependencies| {
            let not_null = self.not_null(rel);
            let tokens = from.tokens.clone();
            from.rules.retain(|(by, _)| {
                !by.is_empty() && by.iter().all(|c| not_null.contains(c) || tokens.contains(c))
            });
        };
        if kind == JoinKind::Full {
            keeps(left, &mut l);
        }
        keeps(right, &mut r);
        for side in [l, r] {
            deps.rules.extend(side.rules);
            deps.tokens.extend(side.tokens);
        }
    }

    /// A group is known by its keys, and by MIN, MAX or a bare column of what tells the input's rows apart:
    /// each group's value comes from a row of its own, so two groups cannot share it.
    fn collect_grouping(&self, grouping: Grouping<'_>, deps: &mut Dependencies) {
        let rows = self.collect_tokens(grouping.input, deps);
        let tells = |call: &AggregateCall| match (&call.func, call.args.as_slice(), &call.filter) {
            (AggFunc::Bare | AggFunc::Min | AggFunc::Max, [Expr::Column(x)], None) => {
                let known = deps.closure([*x]);
                rows.iter().all(|t| known.contains(t))
            }
            _ => false,
        };
        let telling: Vec<ColumnId> =
            grouping.calls.iter().filter(|(_, call)| tells(call)).map(|(c, _)| *c).collect();
        for (c, e) in grouping.keys {
            derived(*c, e, deps);
        }
        let ids: Vec<ColumnId> = grouping.keys.iter().map(|(c, _)| *c).collect();
        let all = ids.iter().copied().chain(grouping.calls.iter().map(|(c, _)| *c)).collect();
        deps.leaf(all, std::iter::once(ids).chain(telling.into_iter().map(|c| vec![c])));
    }

    /// Dependencies that conjuncts state: equalities, and IS NULL, by which a column is constant.
    fn equalities(&self, rel: &Rel, conjuncts: &[Expr], deps: &mut Dependencies) {
        let mut read = ColumnSet::new();
        conjuncts.iter().for_each(|e| e.reads_into(&mut read));
        let produced = rel.outputs_among(&read);
        for e in conjuncts {
            match e {
                Expr::Binary { op: BinaryOp::Eq | BinaryOp::Is, left, right } => {
                    self.equality(left, right, &produced, deps);
                    self.equality(right, left, &produced, deps);
                }
                _ => {
                    if let Some(Expr::Column(c)) = e.as_null_test() {
                        deps.rules.push((Vec::new(), vec![*c]));
                    }
                }
            }
        }
    }

    /// `of = by`: what `by` reads determines the column `of`, if equal means the same.
    fn equality(&self, of: &Expr, by: &Expr, produced: &ColumnSet, deps: &mut Dependencies) {
        let Expr::Column(c) = of else { return };
        if !produced.contains(c) || !by.is_deterministic() {
            return;
        }
        // A column of numbers equals one number, stored as 3 or 3.0, which group alike. A text compared with a
        // number is read as one: '7' and '07' both equal 7. Without affinity only a constant is sure.
        let sound = match self.column_affinity(*c) {
            Some(affinity) if affinity.is_numeric() => true,
            Some(Affinity::Text) => matches!(self.affinity(by), None | Some(Affinity::Text)),
            _ => matches!(by, Expr::Literal(_)),
        };
        if sound {
            let by = by.reads();
            let by = by.into_iter().filter(|b| produced.contains(b)).collect();
            deps.rules.push((by, vec![*c]));
        }
    }

    /// True if SQL leaves open which rows these are: ties that LIMIT cuts, bare columns, windows,
    /// the first row of a subquery that may have several.
    pub(crate) fn leaves_open(&self, tree: &impl Tree) -> bool {
        tree.any_deep(|node| match node {
            Node::Rel(Rel::Aggregate { calls, .. }) => calls.iter().any(|(_, c)| c.func.depends_on_order()),
            Node::Rel(Rel::Sort { limit, offset, .. }) => limit.is_some() || offset.is_some(),
            Node::Rel(Rel::Window { .. }) => true,
            Node::Expr(Expr::Scalar(query)) => !self.at_most_one_row(&query.rel),
            _ => false,
        })
    }

    /// True if the relation has a row in every database. Filters, joins and limits may leave none; a global
    /// aggregate has its row over nothing, too.
    pub(crate) fn never_empty(&self, rel: &Rel) -> bool {
        match rel {
            Rel::Scan { .. } => !self.semantics.empty_tables,
            Rel::Values { rows, .. } => !rows.is_empty(),
            Rel::Aggregate { input, keys, calls } => {
                Grouping { input, keys, calls }.is_global() || self.never_empty(input)
            }
            Rel::Project { input, .. } | Rel::Distinct { input } | Rel::Window { input, .. } => {
                self.never_empty(input)
            }
            _ => false,
        }
    }

    /// True if `c`, a column of one of `inputs` other than the one at `place`, is never NULL
    /// and holds a value of a foreign key to the column `key`.
    pub(crate) fn refers_to_key(&self, c: ColumnId, key: ColumnRef, place: usize, inputs: &[Rel]) -> bool {
        let near = inputs
            .iter()
            .enumerate()
            .any(|(j, r)| j != place && r.outputs().contains(&c) && self.not_null(r).contains(&c));
        near && self.origin(c).is_some_and(|from| self.schema.sole_reference(from, key))
    }

    /// True if the column alone is a key of its table.
    pub(crate) fn is_key(&self, column: ColumnRef) -> bool {
        self.table_keys(column.table).contains(&[column.column].as_slice())
    }

    /// True if the relation has at most one row (for given values of outer columns).
    pub(crate) fn at_most_one_row(&self, rel: &Rel) -> bool {
        self.dependencies(rel).unique([])
    }
}

/// `c` is computed as `e`: what `e` reads determines it. Of a bare column the reverse holds, too.
fn derived(c: ColumnId, e: &Expr, deps: &mut Dependencies) {
    if e.is_deterministic() {
        deps.rules.push((e.reads().into_iter().collect(), vec![c]));
    }
    if let Expr::Column(b) = e {
        deps.rules.push((vec![c], vec![*b]));
    }
}

/// The columns that are not NULL where all conjuncts are true.
pub(crate) fn rejected<'e>(conjuncts: impl IntoIterator<Item = &'e Expr>) -> ColumnSet {
    let mut set = ColumnSet::new();
    for e in conjuncts {
        rejects_null(e, &mut set);
    }
    set
}

/// Adds the columns that are not NULL where the conjunct is true: a filter keeps no row for which a comparison
/// is NULL, and most operators are NULL if an operand is. Of OR, what all arms reject; of EXISTS, what the
/// conjuncts inside say of outer columns.
pub(crate) fn rejects_null(conjunct: &Expr, set: &mut ColumnSet) {
    match conjunct {
        Expr::Binary { op, left, right } => {
            if matches!(op, BinaryOp::Is) {
                // `x IS 5` is true for no NULL.
                for (a, b) in [(left, right), (right, left)] {
                    if matches!(&**b, Expr::Literal(v) if *v != Value::Null) {
                        strict_columns(a, set);
                    }
                }
            } else if !matches!(op, BinaryOp::IsNot | BinaryOp::Arrow | BinaryOp::LongArrow) {
                strict_columns(left, set);
                strict_columns(right, set);
            }
        }
        // NOT of NULL is NULL: what is denied has to be strict as well. NOT IN a subquery is not listed,
        // being
        // true of any value over no rows.
        Expr::Unary { op: UnaryOp::Not, expr } => match &**expr {
            Expr::Unary { op: UnaryOp::IsNull, expr } => strict_columns(expr, set),
            Expr::InList { expr, .. } => strict_columns(expr, set),
            Expr::Binary { op, left, right } if *op != BinaryOp::Is && *op != BinaryOp::IsNot => {
                strict_columns(left, set);
                strict_columns(right, set);
            }
            _ => {}
        },
        Expr::InList { expr, .. } => strict_columns(expr, set),
        Expr::InSubquery { exprs, .. } => exprs.iter().for_each(|e| strict_columns(e, set)),
        Expr::Or(list) => {
            let mut all: Option<ColumnSet> = None;
            for e in list {
                let mut one = ColumnSet::new();
                for c in e.clone().conjuncts() {
                    rejects_null(&c, &mut one);
                }
                all = Some(match all {
                    None => one,
                    Some(so_far) => so_far.intersection(&one).copied().collect(),
                });
            }
            set.extend(all.unwrap_or_default());
        }
        Expr::And(list) => list.iter().for_each(|e| rejects_null(e, set)),
        // A row inside meets every conjunct, those on columns from outside too.
        Expr::Exists(query) => {
            if let Some(block) = query.rel.as_block() {
                block.on.iter().for_each(|e| rejects_null(e, set));
            }
        }
        Expr::Column(c) => {
            set.insert(*c);
        }
        _ => {}
    }
}

/// Adds the columns whose NULL makes the expression NULL. `||` is strict; of functions, those that the table
/// of functions says are; CASE, COALESCE and AND are not.
pub(crate) fn strict_columns(expr: &Expr, set: &mut ColumnSet) {
    match expr {
        Expr::Column(c) => {
            set.insert(*c);
        }
        Expr::Unary { op: UnaryOp::Neg | UnaryOp::BitNot | UnaryOp::Plus, expr }
        | Expr::Cast { expr, .. }
        | Expr::Collate { expr, .. } => strict_columns(expr, set),
        Expr::Binary { op, left, right } if op.is_arithmetic() || *op == BinaryOp::Concat => {
            strict_columns(left, set);
            strict_columns(right, set);
        }
        Expr::Function { name, args } if function::scalar(name).is_some_and(|f| f.nulls.is_strict()) => {
            args.iter().for_each(|e| strict_columns(e, set));
        }
        _ => {}
    }
}

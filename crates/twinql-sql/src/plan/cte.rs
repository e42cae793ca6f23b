//! Common table expressions: planned anew for each use; recursive ones once.
//!
//! A body that is read twice is planned twice: the two uses have columns of their own, as two uses of a
//! table have, and column ids stay unique in the tree. `WITH x AS (…)` itself leaves no node behind. Only a
//! recursive body needs one, since its step reads what the recursion has found so far ([`Rel::Recursive`]
//! and the [`Rel::RecursiveRef`] in its step).

use std::cell::Cell;
use std::rc::Rc;

use sqlparser::ast::{self, Ident, SetExpr, SetOperator};

use super::refuse::refuse_beside;
use super::set_op::{Clauses, read_operator};
use super::sight::{Cte, Recursion, ScopeTable};
use super::{Planned, Planner, Result, invalid};
use crate::dialects::Dialect;
use crate::rel::{ColumnId, ColumnInfo, Query, Rel, SetOpKind};
use crate::schema::TypeClass;
use crate::syntax::any_relation;

impl<'a> Planner<'a> {
    /// Brings the expressions of WITH into sight. All of one WITH see each other (SQLite).
    pub(crate) fn push_ctes(&mut self, with: &'a ast::With) -> Result<()> {
        let ast::With { with_token: _, recursive, cte_tables } = with;
        // Elsewhere only those before it, and itself where RECURSIVE is said.
        let sees_itself = *recursive || !self.dialect.meaning().recursion_is_said;
        let end = self.ctes.len() + cte_tables.len();
        for cte in cte_tables {
            let ast::Cte {
                alias,
                query,
                from,
                // How it is computed has no influence on what it is.
                materialized: _,
                closing_paren_token: _,
            } = cte;
            refuse_beside(from, "FROM after a common table expression", &alias.name)?;
            let (name, columns) = self.read_alias(alias)?;
            self.ctes.push(Rc::new(Cte {
                name,
                columns,
                query,
                scopes: self.scopes.len(),
                ctes: if sees_itself { end } else { self.ctes.len() },
                may_recur: sees_itself,
                read: Cell::new(false),
                active: Cell::new(false),
                recursion: std::cell::RefCell::new(None),
            }));
        }
        Ok(())
    }

    /// Plans the expressions from `outer` on that nothing has read, for the names in them:
    /// an unknown one is an error all the same, except in SQLite, which does not look.
    pub(crate) fn plan_unread_ctes(&mut self, outer: usize) -> Result<()> {
        if self.dialect == Dialect::Sqlite {
            return Ok(());
        }
        for at in outer..self.ctes.len() {
            let unread = self.ctes.get(at).filter(|cte| !cte.read.get());
            if let Some(name) = unread.map(|cte| cte.name) {
                self.plan_cte_use(name)?;
            }
        }
        Ok(())
    }

    /// The relation of a common table expression, if the name is one.
    ///
    /// The innermost of the name counts. While its body is planned, a use of the same name is a recursive
    /// one if there is a seed to read from. If not, it is a circle, or in Snowflake, where RECURSIVE need not be said, what
    /// stands further out: `WITH orders AS (SELECT * FROM orders)` reads the table.
    pub(crate) fn plan_cte_use(&mut self, name: &Ident) -> Result<Option<(Rel, ScopeTable)>> {
        let is_circle = |cte: &Cte<'_>| cte.active.get() && cte.recursion.borrow().is_none();
        let found = self.ctes.iter().rev().find(|cte| {
            self.same(&self.stored(cte.name), name) && (self.dialect != Dialect::Snowflake || !is_circle(cte))
        });
        let Some(cte) = found.cloned() else {
            return Ok(None);
        };
        if cte.active.get() {
            let recursion = cte.recursion.borrow().clone();
            let Some(recursion) = recursion else {
                return invalid(format!("circular reference: {}", name.value), name.span);
            };
            return self.recursive_use(&cte, recursion).map(Some);
        }
        // The body sees what stood around its definition, not around its use.
        let scopes = self.scopes.split_off(cte.scopes.min(self.scopes.len()));
        let ctes = self.ctes.split_off(cte.ctes.min(self.ctes.len()));
        cte.read.set(true);
        cte.active.set(true);
        let arms = if cte.may_recur { recursive_arms(cte.name, cte.query)? } else { None };
        let planned = match arms {
            Some((seed, steps)) => self.plan_recursive(&cte, &seed, &steps)?,
            None => self.plan_query(cte.query)?,
        };
        cte.active.set(false);
        self.ctes.extend(ctes);
        self.scopes.extend(scopes);
        let names = self.column_names(&cte, planned.names)?;
        let table = ScopeTable::derived(self.stored(cte.name), names, planned.query.output);
        Ok(Some((planned.query.rel, table)))
    }

    fn column_names(&self, cte: &Cte<'_>, names: Vec<String>) -> Result<Vec<String>> {
        if cte.columns.is_empty() {
            return Ok(names);
        }
        if cte.columns.len() != names.len() {
            return invalid(
                format!(
                    "table {} has {} values for {} columns",
                    cte.name.value,
                    names.len(),
                    cte.columns.len()
                ),
                cte.name.span,
            );
        }
        Ok(cte.columns.iter().map(|c| self.stored(c)).collect())
    }

    /// The expression's own name inside its step: new columns over the rows found so far.
    fn recursive_use(&mut self, cte: &Cte<'a>, recursion: Recursion) -> Result<(Rel, ScopeTable)> {
        let columns = self.copies(recursion.infos, &recursion.seed)?;
        let table = ScopeTable::derived(self.stored(cte.name), recursion.names, columns.iter().copied());
        Ok((Rel::RecursiveRef { name: recursion.name, columns }, table))
    }

    /// New columns, each of the kind of a column of the seed.
    fn copies(&mut self, infos: Vec<ColumnInfo>, seed: &[ColumnId]) -> Result<Vec<ColumnId>> {
        let mut copies = Vec::with_capacity(infos.len());
        for (info, from) in infos.into_iter().zip(seed) {
            let id = self.new_column(info)?;
            self.copy_kind(id, *from);
            copies.push(id);
        }
        Ok(copies)
    }

    /// A recursive body: the seed first, since the step sees its columns under the expression's names.
    ///
    /// `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9)`: seed `SELECT 1`, step
    /// the rest. The name gets a number, so that two uses of the expression are two recursions, each with
    /// references of its own.
    fn plan_recursive(&mut self, cte: &Cte<'a>, seed: &Arms<'a>, steps: &Arms<'a>) -> Result<Planned> {
        let outer = self.ctes.len();
        let clauses = Clauses::read(cte.query)?;
        if let Some(with) = clauses.with {
            self.push_ctes(with)?;
        }
        let seed_query = self.plan_arms(seed)?;
        let names = self.column_names(cte, seed_query.names)?;
        self.recursive += 1;
        let unique = format!("{}#{}", cte.name.value, self.recursive);
        let infos: Vec<ColumnInfo> = seed_query
            .query
            .output
            .iter()
            .zip(&names)
            .map(|(id, name)| self.recursive_info(*id, name))
            .collect();
        // From here until the step is planned the name means the rows so far.
        *cte.recursion.borrow_mut() = Some(Recursion {
            name: unique.clone(),
            names: names.clone(),
            infos: infos.clone(),
            seed: seed_query.query.output.clone(),
        });
        let step = self.plan_arms(steps)?;
        *cte.recursion.borrow_mut() = None;
        if step.query.output.len() != names.len() {
            return invalid(format!("the arms of {} differ in width", cte.name.value), cte.name.span);
        }
        let columns = self.copies(infos, &seed_query.query.output)?;
        let rel = Rel::Recursive {
            name: unique,
            columns: columns.clone(),
            seed: Box::new(seed_query.query),
            step: Box::new(step.query),
            all: steps.all(),
        };
        let planned = Planned { query: Query { rel, output: columns }, names };
        let planned = self.order_outputs(planned, &clauses, &[])?;
        self.ctes.truncate(outer);
        Ok(planned)
    }

    /// What is known of a column of a recursive relation: the seed's, but for what the
    /// step may change.
    fn recursive_info(&self, id: ColumnId, name: &str) -> ColumnInfo {
        let seed = id.info(&self.columns);
        let class = seed.map_or(TypeClass::Other, |i| i.class);
        ColumnInfo { affinity: seed.and_then(|i| i.affinity), ..ColumnInfo::computed(name, class, true) }
    }

    /// Arms joined from left to right.
    fn plan_arms(&mut self, arms: &Arms<'a>) -> Result<Planned> {
        let mut planned: Option<Planned> = None;
        for (operator, arm) in &arms.0 {
            let next = self.plan_arm(arm)?;
            planned = Some(match planned {
                None => next,
                Some(left) => self.set_operation(operator.0, operator.1, left, next, arm)?,
            });
        }
        match planned {
            Some(planned) => Ok(planned),
            None => invalid("an empty recursion", sqlparser::tokenizer::Span::empty()),
        }
    }
}

/// Arms of a compound SELECT, each with the operator before it.
struct Arms<'a>(Vec<((SetOpKind, bool), &'a SetExpr)>);

impl Arms<'_> {
    /// Whether the recursion keeps duplicates.
    fn all(&self) -> bool {
        self.0.iter().all(|((_, all), _)| *all)
    }
}

/// The arms before the first one that reads the expression itself, and those from there
/// on; `None` if it is not recursive.
///
/// Arms are joined by UNION alone; one of EXCEPT or INTERSECT cannot be a step (SQLite). Where the first arm
/// already names the expression there is no seed: it is planned as if it did not recur, and the use is then
/// refused as a circle.
fn recursive_arms<'a>(name: &Ident, query: &'a ast::Query) -> Result<Option<(Arms<'a>, Arms<'a>)>> {
    let mut arms = Vec::new();
    let mut rest = &*query.body;
    while let SetExpr::SetOperation { left, op: SetOperator::Union, set_quantifier, right } = rest {
        let operator = read_operator(SetOperator::Union, *set_quantifier, right)?;
        arms.push((operator, &**right));
        rest = left;
    }
    arms.push(((SetOpKind::Union, true), rest));
    arms.reverse();
    match arms.iter().position(|(_, arm)| mentions(arm, name)) {
        None | Some(0) => Ok(None),
        Some(first) => {
            let steps = arms.split_off(first);
            Ok(Some((Arms(arms), Arms(steps))))
        }
    }
}

fn mentions(arm: &SetExpr, name: &Ident) -> bool {
    any_relation(arm, &mut |relation| {
        super::last_ident(relation).is_some_and(|i| i.value.eq_ignore_ascii_case(&name.value))
    })
}

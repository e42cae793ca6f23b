//! The gold's tables by the names that the prediction calls them.
//!
//! A clause that goes from one query into another must find its tables there. So the gold's `customer AS c` becomes
//! `customer AS T1` where the prediction says so, with all that refers to it. Subqueries with a table of that name of
//! their own are left as they are.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Ident, OrderByKind, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr,
    TableAlias, VisitorMut,
};

use super::settled::{arms, arms_mut};
use crate::syntax::{self, Named};

/// Names the gold's tables as the prediction does, each SELECT by the prediction's at its place.
pub(super) fn align(gold: &mut Query, pred: &Query) {
    let sources: Vec<Vec<Source>> = arms(pred).into_iter().map(sources).collect();
    let alone = matches!(&*gold.body, SetExpr::Select(_));
    let mut outermost = Renames::new();
    for (select, pred) in arms_mut(gold).into_iter().zip(sources) {
        let renames = renames(select, &pred);
        rename_sources(select, &renames);
        rename_wildcards(select, &renames);
        let _ = syntax::change(select, &mut Renamer { renames: &renames, hidden: Vec::new() });
        outermost = renames;
    }
    let order = gold.order_by.as_mut().filter(|_| alone);
    if let Some(OrderByKind::Expressions(keys)) = order.map(|order| &mut order.kind) {
        for key in keys {
            let _ = syntax::change(&mut key.expr, &mut Renamer { renames: &outermost, hidden: Vec::new() });
        }
    }
}

/// A table in FROM: its own name and what it is called, in lower case, and how that is written.
struct Source {
    table: String,
    shown: String,
    written: Ident,
}

fn sources(select: &Select) -> Vec<Source> {
    let named = syntax::factors(select).filter_map(Named::of);
    named
        .filter_map(|Named { name, alias, args: _ }| {
            let table = name.0.last()?.as_ident()?;
            let written = alias.map_or(table, |alias| &alias.name);
            let lower = |ident: &Ident| ident.value.to_ascii_lowercase();
            Some(Source { table: lower(table), shown: lower(written), written: written.clone() })
        })
        .collect()
}

/// What is called by the first name, in lower case, is to be called by the second.
type Renames = Vec<(String, Ident)>;

/// A name for each table of the gold: of the first table of the same name in the prediction that has no partner yet. A table
/// that the prediction does not read goes by the name of one that only the prediction reads, or by a new one.
fn renames(gold: &Select, pred: &[Source]) -> Renames {
    let gold = sources(gold);
    let mut free: Vec<&Source> = pred.iter().collect();
    let mut take = |test: &dyn Fn(&Source) -> bool| {
        let at = free.iter().position(|source| test(source))?;
        Some(free.remove(at).written.clone())
    };
    let mut names: Vec<Option<Ident>> = vec![None; gold.len()];
    // The closest partners first.
    let partners: [fn(&Source, &Source) -> bool; 4] = [
        |own, p| own.table == p.table && own.shown == p.shown,
        |own, p| own.table == p.table,
        |own, p| own.shown == p.shown,
        |_, _| true,
    ];
    for is_partner in partners {
        for (own, name) in gold.iter().zip(&mut names).filter(|(_, name)| name.is_none()) {
            *name = take(&|p| is_partner(own, p));
        }
    }
    let named = gold.iter().zip(names).enumerate();
    named
        .map(|(n, (own, name))| {
            let clash = pred.iter().any(|p| p.shown == own.shown);
            let new = || if clash { Ident::new(format!("gold_{n}")) } else { own.written.clone() };
            (own.shown.clone(), name.unwrap_or_else(new))
        })
        .collect()
}

/// Gives the tables of FROM their names, as an alias where it is not their own.
fn rename_sources(select: &mut Select, renames: &Renames) {
    let mut left = renames.iter();
    for (name, alias) in syntax::factors_mut(select).filter_map(syntax::named_mut) {
        let Some(table) = name.0.last().and_then(|part| part.as_ident()) else { continue };
        let Some((_, new)) = left.next() else { return };
        if let Some(alias) = alias {
            alias.name = new.clone();
        } else if !table.value.eq_ignore_ascii_case(&new.value) {
            *alias = Some(TableAlias { explicit: true, name: new.clone(), columns: Vec::new(), at: None });
        }
    }
}

/// `T1.*` among the outputs.
fn rename_wildcards(select: &mut Select, renames: &Renames) {
    for item in &mut select.projection {
        if let SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) = item
            && let Some(ident) = name.0.last().and_then(|part| part.as_ident())
            && let Some(new) = new_name(renames, ident)
        {
            *name = vec![new.clone()].into();
        }
    }
}

fn new_name<'r>(renames: &'r Renames, ident: &Ident) -> Option<&'r Ident> {
    renames.iter().find(|(old, _)| ident.value.eq_ignore_ascii_case(old)).map(|(_, new)| new)
}

/// Renames the qualifiers of columns.
struct Renamer<'r> {
    renames: &'r Renames,
    /// What the subqueries around this place call tables of their own.
    hidden: Vec<HashSet<String>>,
}

impl VisitorMut for Renamer<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let own = arms(query).into_iter().flat_map(sources).map(|source| source.shown);
        self.hidden.push(own.collect());
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.hidden.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::CompoundIdentifier(parts) = expr
            && let [qualifier, _] = parts.as_mut_slice()
            && !self.hidden.iter().any(|names| names.contains(&qualifier.value.to_ascii_lowercase()))
            && let Some(new) = new_name(self.renames, qualifier)
        {
            *qualifier = new.clone();
        }
        ControlFlow::Continue(())
    }
}

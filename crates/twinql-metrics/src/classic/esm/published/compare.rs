//! Compares two queries component by component, as the published scripts do.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::Script;
use super::names::parts;
use super::tree::{Agg, Col, Cond, Item, Operand, Source, Test, Tree, Unit, Way, conditions, conditions_mut};
use crate::classic::esm::shared;

/// How many parts a component has on each side, and how many are in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Count {
    pub(super) gold: usize,
    pub(super) pred: usize,
    pub(super) both: usize,
}

impl Count {
    /// The scripts give a component 1 where all of it agrees, else 0.
    pub(super) fn same(self) -> bool {
        self.gold == self.pred && self.both == self.pred
    }

    fn one(gold: bool, pred: bool, both: bool) -> Count {
        Count { gold: usize::from(gold), pred: usize::from(pred), both: usize::from(both) }
    }
}

/// The scripts' verdict: every component agrees, and so do the tables.
pub(super) fn same(script: Script, gold: &Tree, pred: &Tree) -> bool {
    components(script, gold, pred).iter().all(|(_, count)| count.same())
        && (gold.from.is_empty() || same_from(script, gold, pred))
}

/// Each component by the scripts' name for it.
pub(super) fn components(script: Script, gold: &Tree, pred: &Tree) -> Vec<(&'static str, Count)> {
    let plus = script == Script::EsmPlus;
    let (select, select_bare) = if plus && gold.distinct != pred.distinct {
        let none = Count { gold: 1, pred: 1, both: 0 };
        (none, none)
    } else {
        let bare = |t: &Tree| t.select.iter().map(|(_, u)| u.clone()).collect::<Vec<Unit>>();
        (counted(&gold.select, &pred.select), counted(&bare(gold), &bare(pred)))
    };
    let filters = |t: &Tree| -> Vec<Cond> {
        conditions(&t.filter).map(|c| if plus { tables_sorted(c) } else { c.clone() }).collect()
    };
    let operands = |t: &Tree| conditions(&t.filter).map(|c| c.unit.clone()).collect::<Vec<Unit>>();
    let mut out = vec![
        ("select", select),
        ("select(no AGG)", select_bare),
        ("where", counted(&filters(gold), &filters(pred))),
        ("where(no OP)", counted(&operands(gold), &operands(pred))),
        ("group(no Having)", group(gold, pred)),
        ("group", having(gold, pred)),
        ("order", order(gold, pred)),
        ("and/or", links(gold, pred)),
        ("IUEN", set_operations(script, gold, pred)),
        ("keywords", keyword_count(gold, pred)),
    ];
    if plus {
        let some = |t: &Tree| t.limit.is_some_and(|l| l != 0);
        let both = some(gold) && gold.limit == pred.limit;
        out.push(("limit", Count::one(some(gold), some(pred), both)));
    }
    out
}

fn counted<T: PartialEq>(gold: &[T], pred: &[T]) -> Count {
    Count { gold: gold.len(), pred: pred.len(), both: shared(pred, gold) }
}

/// Group keys by column name, whatever the table.
fn group(gold: &Tree, pred: &Tree) -> Count {
    let columns = |t: &Tree| -> Vec<String> {
        let column = |c: &Col| c.id.split_once('.').map_or(&*c.id, |(_, column)| column).to_owned();
        t.group.iter().map(column).collect()
    };
    counted(&columns(gold), &columns(pred))
}

/// Group keys in their order, and all of HAVING.
fn having(gold: &Tree, pred: &Tree) -> Count {
    let some = |t: &Tree| !t.group.is_empty();
    let keys = |t: &Tree| t.group.iter().map(|c| c.id.clone()).collect::<Vec<String>>();
    let both = some(gold) && some(pred) && keys(gold) == keys(pred) && gold.having == pred.having;
    Count::one(some(gold), some(pred), both)
}

fn order(gold: &Tree, pred: &Tree) -> Count {
    let some = |t: &Tree| t.order.is_some();
    let both = some(gold) && gold.order == pred.order && gold.limit.is_some() == pred.limit.is_some();
    Count::one(some(gold), some(pred), both)
}

/// Which of AND and OR occur in WHERE.
fn links(gold: &Tree, pred: &Tree) -> Count {
    let links = |t: &Tree| -> (bool, bool) { (t.filter.contains(&Item::And), t.filter.contains(&Item::Or)) };
    let (g, p) = (links(gold), links(pred));
    let count = |(and, or): (bool, bool)| usize::from(and) + usize::from(or);
    if g == p {
        Count { gold: 1, pred: 1, both: 1 }
    } else {
        Count { gold: count(g), pred: count(p), both: 0 }
    }
}

fn set_operations(script: Script, gold: &Tree, pred: &Tree) -> Count {
    let mut out = Count::default();
    for arm in [|t: &Tree| t.intersect.clone(), |t: &Tree| t.except.clone(), |t: &Tree| t.union.clone()] {
        let (g, p) = (arm(gold), arm(pred));
        out.gold += usize::from(g.is_some());
        out.pred += usize::from(p.is_some());
        if let (Some(g), Some(p)) = (g, p) {
            out.both += usize::from(same(script, &g, &p));
        }
    }
    out
}

fn keyword_count(gold: &Tree, pred: &Tree) -> Count {
    let (g, p) = (keywords(gold), keywords(pred));
    Count { gold: g.len(), pred: p.len(), both: g.intersection(&p).count() }
}

fn keywords(tree: &Tree) -> BTreeSet<&'static str> {
    let lists = [&tree.on, &tree.filter, &tree.having];
    let any = |test: &dyn Fn(&Cond) -> bool| lists.iter().any(|l| conditions(l).any(test));
    let way = tree.order.as_ref().map(|(way, _)| if *way == Way::Desc { "desc" } else { "asc" });
    [
        ("where", !tree.filter.is_empty()),
        ("group", !tree.group.is_empty()),
        ("having", !tree.having.is_empty()),
        ("order", way.is_some()),
        (way.unwrap_or_default(), way.is_some()),
        ("limit", tree.limit.is_some()),
        ("except", tree.except.is_some()),
        ("union", tree.union.is_some()),
        ("intersect", tree.intersect.is_some()),
        ("or", lists.iter().any(|l| l.iter().skip(1).step_by(2).any(|i| *i == Item::Or))),
        // A connective in a condition's place passes for a negated one.
        ("not", lists.iter().any(|l| l.iter().step_by(2).any(|i| !matches!(i, Item::Cond(c) if !c.not)))),
        ("in", any(&|c| c.test == Test::In)),
        ("like", any(&|c| c.test == Test::Like)),
    ]
    .into_iter()
    .filter_map(|(word, holds)| holds.then_some(word))
    .collect()
}

fn same_from(script: Script, gold: &Tree, pred: &Tree) -> bool {
    let tables = |t: &Tree| -> Vec<Source> {
        t.from.iter().filter(|s| !matches!(s, Source::Join(_))).cloned().collect()
    };
    let bag = || {
        let (g, p) = (tables(gold), tables(pred));
        g.len() == p.len() && shared(&g, &p) == g.len()
    };
    if script == Script::Spider {
        return bag();
    }
    let inner = |t: &Tree| t.from.iter().skip(1).step_by(2).all(|s| *s == Source::Join("join"));
    let same = if inner(gold) && inner(pred) { bag() } else { gold.from == pred.from };
    let joins = |t: &Tree| conditions(&t.on).map(sides_sorted).collect::<Vec<Cond>>();
    same && counted(&joins(gold), &joins(pred)).same()
}

/// A join's equality with the lesser column first.
fn sides_sorted(cond: &Cond) -> Cond {
    let mut out = cond.clone();
    if let (Test::Eq, Operand::Unit(right)) = (out.test, &mut out.low)
        && out.unit.first.id > right.first.id
    {
        std::mem::swap(&mut out.unit, right);
    }
    out
}

/// A condition whose subquery lists its tables by name and forgets how they are joined.
fn tables_sorted(cond: &Cond) -> Cond {
    let mut out = cond.clone();
    if let Operand::Query(inner) = &mut out.low {
        inner.from.retain(|s| !matches!(s, Source::Join(_)));
        inner.from.sort_by_key(|s| match s {
            Source::Table(name) => name.clone(),
            Source::Join(_) | Source::Query(_) => String::new(),
        });
    }
    out
}

/// Values become placeholders: in conditions, at any depth, but not in a subquery of FROM.
pub(super) fn without_values(tree: &mut Tree) {
    for items in [&mut tree.on, &mut tree.filter, &mut tree.having] {
        for cond in conditions_mut(items) {
            for operand in [&mut cond.low, &mut cond.high] {
                match operand {
                    Operand::Query(inner) => without_values(inner),
                    other => *other = Operand::None,
                }
            }
        }
    }
    arms_mut(tree).for_each(without_values);
}

fn arms_mut(tree: &mut Tree) -> impl Iterator<Item = &mut Tree> {
    [&mut tree.intersect, &mut tree.except, &mut tree.union].into_iter().filter_map(Option::as_deref_mut)
}

/// Columns under foreign keys become their representatives and lose DISTINCT, if their table stands in FROM of the
/// outermost block. Subqueries of conditions and of FROM stay as they are.
pub(super) fn with_representatives(tree: &mut Tree, representatives: &HashMap<String, String>) {
    let tables: HashSet<String> = tree
        .from
        .iter()
        .filter_map(|s| match s {
            Source::Table(name) => Some(name.clone()),
            Source::Join(_) | Source::Query(_) => None,
        })
        .collect();
    represent(tree, representatives, &tables);
}

fn represent(tree: &mut Tree, representatives: &HashMap<String, String>, tables: &HashSet<String>) {
    let col = |c: &mut Col| {
        c.distinct = false;
        let inside = parts(&c.id).is_some_and(|(table, _)| tables.contains(table));
        if let (Some(id), true) = (representatives.get(&c.id), inside) {
            c.id.clone_from(id);
        }
    };
    let unit = |u: &mut Unit| {
        col(&mut u.first);
        u.second.iter_mut().for_each(col);
    };
    tree.distinct = false;
    tree.select.iter_mut().for_each(|(_, u): &mut (Agg, Unit)| unit(u));
    for items in [&mut tree.on, &mut tree.filter, &mut tree.having] {
        conditions_mut(items).for_each(|c| unit(&mut c.unit));
    }
    tree.group.iter_mut().for_each(col);
    tree.order.iter_mut().for_each(|(_, keys)| keys.iter_mut().for_each(unit));
    arms_mut(tree).for_each(|arm| represent(arm, representatives, tables));
}

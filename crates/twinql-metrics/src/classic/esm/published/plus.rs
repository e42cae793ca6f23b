//! The equivalence rules of ESM+ as its published script applies them, faults included.
//!
//! Numbers are those of Table 1 of the paper (Ascoli et al. 2024). Where the script would end with an error, the
//! query is unread. [`crate::classic`]'s own `esm+` has the rules without the faults.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::Unread;
use super::names::{ALL, Names, id, parts};
use super::tree::{
    Agg, Arithmetic, Col, Cond, Item, Operand, Source, Test, Tree, Unit, Way, conditions, conditions_mut,
};

type Done = Result<(), Unread>;

/// Applies all rules to one block, in the script's order.
pub(super) fn apply(tree: &mut Tree, names: &Names) -> Done {
    redundant_join(tree, names)?;
    let names = joined_columns(tree, names)?;
    let names = names.as_ref();
    set_operation(tree, names)?;
    extreme_row(tree, names);
    extreme_value(tree);
    all_columns(tree, names);
    subquery_of_itself(tree);
    count_never_null(tree, names)?;
    not_in(tree, names);
    distinct(tree, names)?;
    in_subquery(tree, names)?;
    between(tree);
    group_key(tree, names)?;
    with_itself(tree);
    Ok(())
}

/// Rule 20: a negated comparison is the opposite one.
pub(super) fn flip_not(cond: &mut Cond) {
    let opposite = match cond.test {
        Test::Eq => Test::NotEq,
        Test::NotEq => Test::Eq,
        Test::Gt => Test::LtEq,
        Test::LtEq => Test::Gt,
        Test::Lt => Test::GtEq,
        Test::GtEq => Test::Lt,
        _ => return,
    };
    if cond.not {
        (cond.not, cond.test) = (false, opposite);
    }
}

/// Rule 8: `IS NOT NULL` on a column that never is.
pub(super) fn says_nothing(cond: &Cond, names: &Names) -> Result<bool, Unread> {
    let applies = cond.not && cond.test == Test::Is && cond.low == Operand::Null;
    if !applies || cond.unit.op != Arithmetic::None || cond.unit.first.agg != Agg::None {
        return Ok(false);
    }
    Ok(names.never_null(named(&cond.unit.first)?))
}

/// The id of a column; the script fails where it is `*`.
fn named(col: &Col) -> Result<&str, Unread> {
    if col.id == ALL { Err(Unread::new("* where a column is expected")) } else { Ok(&col.id) }
}

/// The conditions of a list; the script fails where two connectives meet.
fn aligned(items: &[Item]) -> Done {
    if items.iter().step_by(2).any(Item::links) {
        return Err(Unread::new("a condition is missing"));
    }
    Ok(())
}

/// The right side of a condition of a join.
fn right_side(cond: &Cond) -> Result<&Unit, Unread> {
    match &cond.low {
        Operand::Unit(unit) => Ok(unit),
        _ => Err(Unread::new("a join on something else than a column")),
    }
}

/// A foreign key and the primary key that it points to: two ids, the key's table, and whether the foreign key is in it.
struct Reference {
    key: String,
    foreign: String,
    table: String,
    within: bool,
}

/// Rule 13: a join that only looks a foreign key up in its primary key.
fn redundant_join(tree: &mut Tree, names: &Names) -> Done {
    aligned(&tree.on)?;
    let conds: Vec<Cond> = conditions(&tree.on).cloned().collect();
    for (at, cond) in conds.iter().enumerate() {
        if cond.test != Test::Eq {
            return Ok(());
        }
        let right = right_side(cond)?;
        if cond.unit.second.is_some() && right.second.is_some() {
            return Ok(());
        }
        let (a, b) = (named(&cond.unit.first)?, named(&right.first)?);
        let points = |foreign: &str, key: &str| {
            let (Some((to, key_column)), Some((from, column))) = (names.column(key), names.column(foreign))
            else {
                return None;
            };
            let lone = to.primary.len() == 1 && to.primary.iter().any(|c| c == key_column);
            let (table, within) = (parts(key)?.0, parts(key)?.0 == parts(foreign)?.0);
            (lone && from.foreign.get(column).is_some_and(|t| t == key)).then(|| Reference {
                key: key.to_owned(),
                foreign: foreign.to_owned(),
                table: table.to_owned(),
                within,
            })
        };
        let Some(reference) = points(a, b).or_else(|| points(b, a)) else { return Ok(()) };
        if key_alone(tree, &reference, at)? && names.never_null(&reference.foreign) {
            drop_key_table(tree, &reference)?;
        }
    }
    Ok(())
}

/// True if no clause uses the key's table but for its key.
fn key_alone(tree: &Tree, reference: &Reference, join: usize) -> Result<bool, Unread> {
    for items in [&tree.filter, &tree.having, &tree.on] {
        aligned(items)?;
    }
    let col = |c: &Col| match parts(&c.id) {
        None => c.agg == Agg::Count,
        Some((table, _)) => reference.within || table != reference.table || c.id == reference.key,
    };
    let unit = |u: &Unit| col(&u.first) && u.second.as_ref().is_none_or(col);
    let select = |(agg, u): &(Agg, Unit)| {
        let counted = |c: &Col| Col { agg: Agg::Count, ..c.clone() };
        if *agg == Agg::Count {
            col(&counted(&u.first)) && u.second.as_ref().is_none_or(|c| col(&counted(c)))
        } else {
            unit(u)
        }
    };
    let others = |items: &[Item]| {
        let mut rest = conditions(items).enumerate().filter(|(i, _)| *i != join).peekable();
        // Of one condition and a connective that was left over nothing is known.
        rest.peek().is_some() && rest.all(|(_, c)| unit(&c.unit))
    };
    Ok(!tree.select.is_empty()
        && tree.select.iter().all(select)
        && conditions(&tree.filter).all(|c| unit(&c.unit))
        && conditions(&tree.having).all(|c| unit(&c.unit))
        && tree.order.as_ref().is_none_or(|(_, keys)| keys.iter().all(unit))
        && tree.group.iter().all(col)
        && (tree.on.len() <= 1 || others(&tree.on)))
}

fn drop_key_table(tree: &mut Tree, reference: &Reference) -> Done {
    let mut on: Vec<Option<Item>> = tree.on.drain(..).map(Some).collect();
    let mut at = 0;
    while at < tree.from.len() {
        if tree.from[at] == Source::Table(reference.table.clone()) {
            drop_condition(&mut on, reference)?;
            tree.from.remove(at);
            // The word before or behind it.
            if at < tree.from.len() {
                tree.from.remove(at);
            } else if tree.from.pop().is_none() {
                return Err(Unread::new("no table is left"));
            }
        }
        at += 1;
    }
    tree.on = on.into_iter().flatten().collect();
    let col = |c: &mut Col| {
        if c.id == reference.key {
            c.id.clone_from(&reference.foreign);
        }
    };
    let unit = |u: &mut Unit| {
        col(&mut u.first);
        u.second.iter_mut().for_each(col);
    };
    tree.select.iter_mut().for_each(|(_, u)| unit(u));
    for items in [&mut tree.filter, &mut tree.having] {
        for item in items.iter_mut() {
            if let Item::Cond(c) = item {
                unit(&mut c.unit);
            }
        }
    }
    tree.group.iter_mut().for_each(col);
    tree.order.iter_mut().for_each(|(_, keys)| keys.iter_mut().for_each(unit));
    Ok(())
}

fn drop_condition(on: &mut [Option<Item>], reference: &Reference) -> Done {
    for at in 0..on.len() {
        let Some(Item::Cond(cond)) = &mut on[at] else { continue };
        if cond.test != Test::Eq {
            continue;
        }
        let right = right_side(cond)?.first.id.clone();
        let left = cond.unit.first.id.clone();
        let Reference { key, foreign, .. } = reference;
        if (left == *key && right == *foreign) || (left == *foreign && right == *key) {
            on[at] = None;
            // The connective behind it; that before the last condition stays, as it does there.
            if let Some(next) = on.get_mut(at + 1) {
                *next = None;
            }
            continue;
        }
        if right == *key {
            // The script forgets a change of the left side if it changes the right one.
            if let Operand::Unit(unit) = &mut cond.low {
                unit.first.id.clone_from(foreign);
            }
        } else if left == *key {
            cond.unit.first.id.clone_from(foreign);
        }
    }
    Ok(())
}

/// Rule 16: of columns that a join equates, the first by name stands for all. Returns the schema's facts as the
/// block's other rules see them: what one of these columns promises, all do (nearly).
fn joined_columns<'n>(tree: &mut Tree, names: &'n Names) -> Result<Cow<'n, Names>, Unread> {
    aligned(&tree.on)?;
    let mut classes: Vec<BTreeSet<String>> = Vec::new();
    for cond in conditions(&tree.on) {
        let right = right_side(cond)?;
        let (a, b) = (&cond.unit.first, &right.first);
        let plain = |c: &Col| c.agg == Agg::None && !c.distinct;
        let equates = cond.high == Operand::None && cond.test == Test::Eq;
        if !equates || cond.unit.op != Arithmetic::None || !plain(a) || !plain(b) {
            continue;
        }
        let mut class = BTreeSet::from([named(a)?.to_owned(), named(b)?.to_owned()]);
        classes.retain(|other| {
            let apart = other.is_disjoint(&class);
            if !apart {
                class.extend(other.iter().cloned());
            }
            apart
        });
        classes.push(class);
    }
    if tree.on.is_empty() {
        return Ok(Cow::Borrowed(names));
    }
    classes.sort();
    let mut known = names.clone();
    let mark = |known: &mut Names, class: &BTreeSet<String>, unique: bool| {
        for id in class {
            let Some((table, column)) = parts(id) else { continue };
            let Some(facts) = known.tables.get_mut(table) else { continue };
            let set = if unique { &mut facts.unique } else { &mut facts.never_null };
            set.insert(column.to_owned());
        }
    };
    for class in &classes {
        for id in class {
            let mut asked = id;
            if known.never_null(id) {
                mark(&mut known, class, false);
                // From here on the script asks about the class's last column.
                asked = class.last().unwrap_or(id);
            }
            if known.unique(asked) {
                mark(&mut known, class, true);
            }
        }
    }
    let class = |id: &str| classes.iter().position(|c| c.contains(id));
    let col = |c: &mut Col| {
        if let Some(id) = class(&c.id).and_then(|class| classes[class].first()) {
            c.id.clone_from(id);
        }
    };
    // Of two columns with an operator the script rewrites one: that of the later class, else the second.
    let unit = |u: &mut Unit| match &mut u.second {
        Some(second) if class(&second.id) >= class(&u.first.id) => col(second),
        _ => col(&mut u.first),
    };
    tree.select.iter_mut().for_each(|(_, u)| unit(u));
    for items in [&mut tree.filter, &mut tree.having] {
        aligned(items)?;
        conditions_mut(items).for_each(|c| col(&mut c.unit.first));
    }
    tree.group.iter_mut().for_each(col);
    tree.order.iter_mut().for_each(|(_, keys)| keys.iter_mut().for_each(unit));
    Ok(Cow::Owned(known))
}

/// Rules 3 and 4: INTERSECT and UNION of two filters over the same rows.
fn set_operation(tree: &mut Tree, names: &Names) -> Done {
    for (link, union) in [(Item::And, false), (Item::Or, true)] {
        let (mine, other) =
            if union { (&tree.union, &tree.intersect) } else { (&tree.intersect, &tree.union) };
        let Some(right) = mine else { continue };
        if other.is_some() || tree.except.is_some() {
            continue;
        }
        if (tree.distinct, &tree.select) != (right.distinct, &right.select) {
            continue;
        }
        let mut unique = false;
        for (_, unit) in tree.select.iter().filter(|(a, u)| *a == Agg::None && u.op == Arithmetic::None) {
            if unit.first.id != ALL {
                unique |= names.unique(&unit.first.id);
            } else if let [table] = tree.from.as_slice() {
                if !union {
                    return Err(Unread::new("INTERSECT of * over one table"));
                }
                if tree.from == right.from {
                    let Source::Table(name) = table else {
                        return Err(Unread::new("UNION of * over a query"));
                    };
                    unique |=
                        names.table(name).is_some_and(|f| !f.primary.is_empty() || !f.unique.is_empty());
                }
            }
        }
        let alike = tree.from == right.from && tree.on == right.on;
        let ([left], [condition], true, true) =
            (tree.filter.as_slice(), right.filter.as_slice(), unique, alike)
        else {
            continue;
        };
        let added = (left != condition).then(|| condition.clone());
        if let Some(condition) = added {
            tree.filter.extend([link, condition]);
        }
        if union {
            tree.union = None;
        } else {
            tree.intersect = None;
        }
    }
    Ok(())
}

/// Rule 1: the row with the least or the greatest value; the script does not ask which.
fn extreme_row(tree: &mut Tree, names: &Names) {
    let [Item::Cond(cond)] = tree.filter.as_slice() else { return };
    let Operand::Query(inner) = &cond.low else { return };
    let [(_, unit)] = inner.select.as_slice() else { return };
    let applies = tree.order.is_none()
        && cond.test == Test::Eq
        && !cond.not
        && unit.second.is_none()
        && cond.unit.op == Arithmetic::None
        && cond.unit.first == unit.first
        && names.unique(&unit.first.id);
    if applies {
        let first = Col { agg: Agg::None, id: unit.first.id.clone(), distinct: false };
        tree.order = Some((Way::Asc, vec![Unit { op: Arithmetic::None, first, second: None }]));
        tree.limit = Some(1);
        tree.filter.clear();
    }
}

/// Rule 9: the least or the greatest value by sorting.
fn extreme_value(tree: &mut Tree) {
    let ([(Agg::None, unit)], Some((way, keys)), Some(1)) = (tree.select.as_slice(), &tree.order, tree.limit)
    else {
        return;
    };
    if *keys == [unit.clone()] {
        let agg = if *way == Way::Desc { Agg::Max } else { Agg::Min };
        tree.select = vec![(agg, unit.clone())];
        tree.order = None;
        tree.limit = None;
    }
}

/// Rule 10: all columns by name.
fn all_columns(tree: &mut Tree, names: &Names) {
    let plain =
        |(agg, u): &(Agg, Unit)| *agg == Agg::None && u.op == Arithmetic::None && u.first.agg == Agg::None;
    if !tree.select.iter().all(plain) {
        return;
    }
    let mut columns: Vec<String> = tree.select.iter().map(|(_, u)| u.first.id.clone()).collect();
    let mut all = Vec::new();
    for source in &tree.from {
        if let Source::Table(table) = source {
            let columns = names.table(table).map(|f| f.columns.as_slice()).unwrap_or_default();
            all.extend(columns.iter().map(|c| id(table, c)));
        }
    }
    columns.sort();
    all.sort();
    if columns == all {
        let first = Col { agg: Agg::None, id: ALL.to_owned(), distinct: false };
        tree.select = vec![(Agg::None, Unit { op: Arithmetic::None, first, second: None })];
    }
}

/// Rule 17: a column among the same column of the same table, filtered.
fn subquery_of_itself(tree: &mut Tree) {
    let found = conditions(&tree.filter).enumerate().find_map(|(i, c)| match &c.low {
        Operand::Query(inner) if !c.not && c.test == Test::In => Some((i, c.unit.clone(), inner.clone())),
        _ => None,
    });
    let Some((at, unit, inner)) = found else { return };
    let tables = |t: &Tree| {
        let mut out: Vec<String> = t.from.iter().step_by(2).map(|s| format!("{s:?}")).collect();
        out.sort();
        out
    };
    let same_column = inner.select.first().is_some_and(|(_, u)| *u == unit);
    if tables(&inner) == tables(tree) && !inner.filter.is_empty() && same_column {
        tree.filter.truncate(2 * at);
        tree.filter.extend(inner.filter);
        // What stood behind it is lost; the new conditions' own tail comes twice.
        let tail = tree.filter.get(2 * at + 1..).unwrap_or_default().to_vec();
        tree.filter.extend(tail);
    }
}

/// Rule 7: COUNT of a column that is never NULL.
fn count_never_null(tree: &mut Tree, names: &Names) -> Done {
    let all = ALL.to_owned();
    for (agg, unit) in &mut tree.select {
        if *agg != Agg::Count {
            continue;
        }
        if unit.second.is_some() {
            return Err(Unread::new("COUNT of an expression"));
        }
        if unit.first.distinct {
            break;
        }
        if unit.first.agg == Agg::None && names.never_null(&unit.first.id) {
            unit.first.id.clone_from(&all);
        }
    }
    for col in &mut tree.group {
        if col.agg == Agg::Count && names.never_null(&col.id) {
            col.id.clone_from(&all);
        }
    }
    for item in &mut tree.having {
        if let Item::Cond(cond) = item
            && cond.unit.op == Arithmetic::None
            && cond.unit.first.agg == Agg::Count
            && names.never_null(&cond.unit.first.id)
        {
            cond.unit.first.id.clone_from(&all);
        }
    }
    for unit in tree.order.iter_mut().flat_map(|(_, keys)| keys) {
        if unit.op != Arithmetic::None {
            continue;
        }
        if unit.first.distinct {
            break;
        }
        if unit.first.agg == Agg::Count && names.never_null(&unit.first.id) {
            unit.first.id.clone_from(&all);
        }
    }
    Ok(())
}

/// Rule 6: NOT IN a query, as EXCEPT.
fn not_in(tree: &mut Tree, names: &Names) {
    let ([(Agg::None, unit)], [Item::Cond(cond)], None) =
        (tree.select.as_slice(), tree.filter.as_slice(), &tree.except)
    else {
        return;
    };
    let Operand::Query(inner) = &cond.low else { return };
    let id = &unit.first.id;
    let applies = unit.op == Arithmetic::None
        && names.never_null(id)
        && names.unique(id)
        && cond.unit.op == Arithmetic::None
        && cond.unit.first.id == *id
        && cond.not
        && cond.test == Test::In;
    if applies {
        tree.except = Some(inner.clone());
        tree.filter.clear();
    }
}

/// Rule 2: DISTINCT of rows that a unique column tells apart.
fn distinct(tree: &mut Tree, names: &Names) -> Done {
    if !tree.distinct || tree.from.len() != 1 {
        return Ok(());
    }
    for (agg, unit) in &tree.select {
        if *agg == Agg::None && unit.op == Arithmetic::None && names.unique(named(&unit.first)?) {
            tree.distinct = false;
            break;
        }
    }
    Ok(())
}

/// Rule 12: IN a query for a primary key, as a join.
fn in_subquery(tree: &mut Tree, names: &Names) -> Done {
    let wanted = |c: &Cond| (!c.not && c.test == Test::In) || c.test == Test::Eq;
    // The script looks no further than to the first that it wants.
    let first = tree.filter.iter().step_by(2).position(|i| matches!(i, Item::Cond(c) if wanted(c)));
    aligned(&tree.filter[..first.map_or(tree.filter.len(), |at| 2 * at)])?;
    let Some(at) = first.or_else(|| tree.filter.len().div_ceil(2).checked_sub(1)) else { return Ok(()) };
    let Some(cond) = conditions(&tree.filter).nth(at) else { return Ok(()) };
    let Operand::Query(inner) = &cond.low else { return Ok(()) };
    let [(_, unit)] = inner.select.as_slice() else { return Ok(()) };
    if !wanted(cond) || cond.not || unit.second.is_some() {
        return Ok(());
    }
    let key = named(&unit.first)?;
    let primary = names.column(key).is_some_and(|(f, c)| f.primary.iter().any(|p| p == c));
    if !primary {
        return Ok(());
    }
    let foreign = named(&cond.unit.first)?;
    let points = names.column(foreign).and_then(|(f, c)| f.foreign.get(c));
    if points.is_none_or(|to| to != key) {
        return Ok(());
    }
    let (left, right) = if key < foreign { (key, foreign) } else { (foreign, key) };
    let plain = |id: &str| {
        let first = Col { agg: Agg::None, id: id.to_owned(), distinct: false };
        Unit { op: Arithmetic::None, first, second: None }
    };
    let join = Cond {
        not: false,
        test: Test::Eq,
        unit: plain(left),
        low: Operand::Unit(plain(right)),
        high: Operand::None,
    };
    let inner = inner.clone();
    tree.on.push(Item::Cond(join));
    if !inner.on.is_empty() {
        tree.on.push(Item::And);
        tree.on.extend(inner.on);
    }
    tree.from.push(Source::Join("join"));
    tree.from.extend(inner.from);
    tree.filter.splice(2 * at..=2 * at, inner.filter);
    Ok(())
}

/// Rule 19: BETWEEN as two comparisons.
fn between(tree: &mut Tree) {
    let found: Vec<(usize, Cond)> = conditions(&tree.filter).cloned().enumerate().collect();
    for (at, cond) in found.into_iter().filter(|(_, c)| c.test == Test::Between) {
        let low = Cond { test: Test::GtEq, high: Operand::None, ..cond.clone() };
        let high = Cond { test: Test::LtEq, low: cond.high.clone(), high: Operand::None, ..cond };
        // Places are those before the first rewriting, as they are there.
        tree.filter.splice(2 * at..=2 * at, [Item::Cond(low), Item::And, Item::Cond(high)]);
    }
}

/// Rule 5: grouping by a unique column.
fn group_key(tree: &mut Tree, names: &Names) -> Done {
    let mut key = None;
    for col in &tree.group {
        if names.unique(named(col)?) {
            key.get_or_insert_with(|| col.clone());
        }
    }
    let Some(key) = key else { return Ok(()) };
    if tree.having.is_empty() && tree.from.len() == 1 {
        if tree.select.iter().all(|(agg, _)| *agg == Agg::None) {
            tree.group.clear();
        }
        return Ok(());
    }
    if tree.group.len() > 1 {
        tree.group = vec![key];
    }
    Ok(())
}

/// Rule 18: a set operation of a query with itself.
fn with_itself(tree: &mut Tree) {
    for union in [false, true] {
        let take = |t: &mut Tree| if union { t.union.take() } else { t.intersect.take() };
        if let Some(right) = take(tree)
            && *tree != *right
        {
            *(if union { &mut tree.union } else { &mut tree.intersect }) = Some(right);
        }
    }
}

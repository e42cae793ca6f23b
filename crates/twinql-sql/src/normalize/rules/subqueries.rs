//! Subqueries: IN and EXISTS in one form, as joins where rows cannot multiply, and set operations as
//! (anti-)semi-joins.
//!
//! The ladder goes from IN to EXISTS to a join (Kim 1982, Dayal 1987). What stays EXISTS is what a join would
//! repeat rows for; where the reader does not count rows, that becomes a join, too. NOT EXISTS stays.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

pub(super) const IN_AS_EXISTS: Rule = Rule {
    name: "in-as-exists",
    summary: "x IN (SELECT y) is EXISTS (… AND y = x); NOT IN is NOT EXISTS where neither side is NULL",
    why: "A value is in the list just where one of its rows equals it; NOT IN says the same as long as no NULL makes the comparison unknown.",
    source: "Kim 1982; for NOT IN both sides must be free of NULLs",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "nulls": "SELECT name FROM customer WHERE city IN (SELECT day FROM orders)"
            == "SELECT name FROM customer c WHERE EXISTS (SELECT * FROM orders o WHERE o.day = c.city)";
        "nulls": "SELECT name FROM customer WHERE city NOT IN (SELECT day FROM orders)"
            != "SELECT name FROM customer c WHERE NOT EXISTS (SELECT * FROM orders o WHERE o.day = c.city)";
    },
    apply: Apply::RelOf(Kinds::COMPUTING, in_as_exists),
};

/// In conjuncts IN becomes EXISTS whatever is NULL, since NULL and false drop the row alike. As a value, and
/// under NOT, IN may be NULL where EXISTS is false, so there neither side may hold NULL.
fn in_as_exists(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    if !rel.exprs().into_iter().any(Expr::has_subquery) {
        return None;
    }
    let known = cx.not_null_below(rel);
    let mut changed = false;
    if let Some(block) = rel.as_block_mut() {
        for e in block.on {
            changed |= positive_in(e, &known, cx);
        }
    }
    for e in rel.exprs_mut() {
        changed |= free_in(e, &known, cx);
    }
    changed.then_some(())
}

/// Anywhere, where nothing is NULL: IN is true or false.
fn free_in(e: &mut Expr, known: &ColumnSet, cx: &Context<'_>) -> bool {
    e.map(|e| {
        let Expr::InSubquery { exprs, query } = &*e else {
            return false;
        };
        let free = without_nulls(exprs, query, known, cx);
        let new = membership(exprs, query).filter(|_| free);
        put(e, new).is_some()
    })
}

/// Where only being true counts: conjuncts and what they combine with AND and OR.
fn positive_in(e: &mut Expr, known: &ColumnSet, cx: &Context<'_>) -> bool {
    match e {
        Expr::And(list) | Expr::Or(list) => {
            list.iter_mut().fold(false, |hit, e| positive_in(e, known, cx) | hit)
        }
        Expr::InSubquery { exprs, query } => {
            let new = membership(exprs, query);
            put(e, new).is_some()
        }
        Expr::Unary { op: UnaryOp::Not, expr } => {
            let Expr::InSubquery { exprs, query } = &**expr else {
                return false;
            };
            let free = without_nulls(exprs, query, known, cx);
            let new = membership(exprs, query).filter(|_| free);
            put(&mut **expr, new).is_some()
        }
        _ => false,
    }
}

/// True if neither side of IN can be NULL, so that IN is true or false and NOT IN is its opposite.
fn without_nulls(exprs: &[Expr], query: &Query, known: &ColumnSet, cx: &Context<'_>) -> bool {
    !exprs.iter().any(|e| cx.may_be_null(e, known)) && cx.output_not_null(query)
}

/// EXISTS for IN. The left side is read once for each inner row, so it has to be deterministic; COLLATE on it
/// would decide how the equality compares.
fn membership(exprs: &[Expr], query: &Query) -> Option<Expr> {
    if exprs.len() != query.output.len()
        || exprs.iter().any(|e| matches!(e, Expr::Row(_) | Expr::Collate { .. }))
        || !exprs.iter().all(Expr::is_deterministic)
    {
        return None;
    }
    let mut rel = query.rel.clone();
    for (e, c) in exprs.iter().zip(&query.output) {
        rel.add_conjunct(e.clone().eq(Expr::Column(*c)));
    }
    Some(Expr::exists(rel))
}

pub(super) const EXISTS_CLEANUP: Rule = Rule {
    name: "exists-cleanup",
    summary: "in EXISTS, what is selected, ordered and made distinct does not matter",
    why: "EXISTS is true as soon as there is one row, and none of these takes the last row away or adds a first.",
    source: "SQL: EXISTS asks for a row",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT name FROM customer c WHERE EXISTS (SELECT DISTINCT day FROM orders WHERE customer_id = c.id ORDER BY day)"
            == "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = c.id)";
        "strict": "SELECT name FROM customer c WHERE EXISTS (SELECT DISTINCT day FROM orders o WHERE o.customer_id = c.id ORDER BY day LIMIT 3)"
            == "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)";
        "default": "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = c.id LIMIT 0)"
            != "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = c.id)";
    },
    apply: Apply::Query(exists_cleanup),
};

/// Takes operators off the top until one is met that can drop the last row. LIMIT 0 is such a one, and so is
/// an OFFSET; a negative LIMIT is none. A grouping with keys has a row if its input has, one without keys
/// always.
pub(super) fn exists_cleanup(query: &mut Query, role: Role, _cx: &mut Context<'_>) -> Changed {
    if role != Role::Exists {
        return None;
    }
    let mut changed = !query.output.is_empty();
    query.output.clear();
    loop {
        let next = match &mut query.rel {
            Rel::Project { input, .. } | Rel::Distinct { input } | Rel::Window { input, .. } => input.take(),
            Rel::Sort { input, limit, offset: None, .. }
                if limit
                    .as_ref()
                    .is_none_or(|e| matches!(e, Expr::Literal(Value::Integer(n)) if *n != 0)) =>
            {
                input.take()
            }
            Rel::Aggregate { input, keys, calls } => {
                if !keys.is_empty() {
                    input.take()
                } else if !calls.is_empty() {
                    Rel::unit()
                } else {
                    return changed.then_some(());
                }
            }
            _ => return changed.then_some(()),
        };
        query.rel = next;
        changed = true;
    }
}

pub(super) const EXISTS_TRUE: Rule = Rule {
    name: "exists-true",
    summary: "EXISTS over one certain row is true",
    why: "An aggregate without GROUP BY, or a row of constants, always gives a row.",
    source: "SQL: EXISTS asks for a row",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT name, EXISTS (SELECT COUNT(*) FROM orders) FROM customer" == "SELECT name, 1 FROM customer";
        "nulls": "SELECT name FROM customer WHERE age > 3 OR EXISTS (SELECT COUNT(*) FROM orders)" == "SELECT name FROM customer";
        "nulls": "SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM orders)" != "SELECT name FROM customer";
    },
    apply: Apply::ExprOf(exprs::EXISTS, exists_true),
};

/// The row without columns, to which `exists-cleanup` reduces an aggregate without keys, and a whole table
/// where tables are not empty. The latter is an assumption, so as a value it counts as vacated.
fn exists_true(e: &mut Expr, cx: &mut Context<'_>) -> Changed {
    let Expr::Exists(query) = e else { return None };
    let filled = matches!(query.rel, Rel::Scan { .. }) && !cx.semantics.empty_tables;
    let certain = query.rel.is_unit() || filled;
    if certain {
        cx.vacated += usize::from(filled && cx.in_values);
        *e = Expr::integer(1);
    }
    certain.then_some(())
}

pub(super) const EXISTS_AS_JOIN: Rule = Rule {
    name: "exists-as-join",
    summary: "EXISTS over at most one row (for given outer values) is an inner join; over unconnected parts it is one EXISTS for each",
    why: "A row with at most one partner comes once from the join if it has one and not at all otherwise, which is what EXISTS asks.",
    source: "Dayal 1987; the inner rows are unique by a key that the outer row fixes",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE city = 'a')"
            == "SELECT o.id FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.city = 'a'";
        "no-fk": "SELECT o.day FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.city = 'Rome'"
            == "SELECT day FROM orders o WHERE EXISTS (SELECT 1 FROM customer c WHERE c.id = o.customer_id AND c.city = 'Rome')";
        "default": "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders)"
            != "SELECT name FROM customer c JOIN orders o ON o.customer_id = c.id";
        "default": "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id"
            != "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)";
    },
    apply: Apply::RelOf(Kinds::BLOCKS, exists_as_join),
};

/// Where rows count, so an EXISTS has to have one row at most for each row it is asked of.
fn exists_as_join(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    unnest(rel, false, cx).then_some(())
}

/// Makes joins of EXISTS conjuncts: of those that cannot multiply rows, or of all where
/// rows may multiply.
fn unnest(rel: &mut Rel, may_multiply: bool, cx: &Context<'_>) -> bool {
    let asks = |e: &Expr| matches!(e, Expr::Exists(_));
    if !rel.as_block().is_some_and(|block| block.on.iter().any(asks)) {
        return false;
    }
    let local = rel.output_set();
    let Some(BlockMut { on: list, .. }) = rel.as_block_mut() else {
        return false;
    };
    let mut joined: Vec<Rel> = Vec::new();
    let mut changed = false;
    let mut kept = Vec::new();
    for e in std::mem::take(list) {
        let Expr::Exists(query) = e else {
            kept.push(e);
            continue;
        };
        let (inputs, on) = query.rel.clone().into_block();
        // No input may depend on the row it is joined with.
        let free = inputs.iter().all(|r| r.free_columns().is_disjoint(&local) && r.is_deterministic());
        if free && (may_multiply || cx.at_most_one_row(&query.rel)) {
            joined.extend(inputs);
            kept.extend(on);
            changed = true;
            continue;
        }
        // `EXISTS (SELECT 1 FROM a, b WHERE p(a) AND q(b))` asks two things, each of which may be a join.
        let parts = components(inputs, on);
        if parts.len() > 1 {
            kept.extend(parts.into_iter().map(|(r, on)| Expr::exists(Rel::join(r, on))));
            changed = true;
        } else {
            kept.push(Expr::Exists(query));
        }
    }
    *list = kept;
    if !joined.is_empty() {
        let (mut inputs, on) = rel.take().into_block();
        inputs.retain(|r| !r.is_unit());
        inputs.extend(joined.into_iter().filter(|r| !r.is_unit()));
        *rel = Rel::join(inputs, on);
    }
    changed
}

/// Inputs and conjuncts in groups that share no conjunct: the connected parts of the join graph. Each conjunct
/// joins the groups whose columns it reads.
fn components(inputs: Vec<Rel>, on: Vec<Expr>) -> Vec<(Vec<Rel>, Vec<Expr>)> {
    let mut groups: Vec<(ColumnSet, Vec<Rel>, Vec<Expr>)> =
        inputs.into_iter().map(|r| (r.output_set(), vec![r], Vec::new())).collect();
    let mut rest = Vec::new();
    for e in on {
        let of = e.free_columns();
        let (mut hit, others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|(c, _, _)| !c.is_disjoint(&of));
        groups = others;
        match hit.pop() {
            Some(mut group) => {
                for (c, r, on) in hit {
                    group.0.extend(c);
                    group.1.extend(r);
                    group.2.extend(on);
                }
                group.2.push(e);
                groups.push(group);
            }
            None => rest.push(e),
        }
    }
    // What is about no input goes anywhere.
    if let Some(first) = groups.first_mut() {
        first.2.append(&mut rest);
    }
    groups.into_iter().map(|(_, r, on)| (r, on)).collect()
}

pub(super) const SCALAR_AS_EXISTS: Rule = Rule {
    name: "scalar-equality",
    summary: "x = (a subquery of at most one row) is EXISTS; a grouping without keys in a join is a scalar subquery",
    why: "A comparison with the one value of a subquery is true just where there is a row whose value equals it.",
    source: "Kim 1982, type N and A nesting",
    needs: Needs::NOTHING,
    examples: examples! {
        "nulls": "SELECT day FROM orders WHERE customer_id = (SELECT id FROM customer WHERE id = 3)"
            == "SELECT day FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE id = 3)";
        "default": "SELECT day FROM orders WHERE customer_id = (SELECT id FROM customer WHERE age = 3)"
            != "SELECT day FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE age = 3)";
    },
    apply: Apply::RelOf(Kinds::BLOCKS, scalar_as_exists),
};

/// True for an aggregate over everything, of one row.
fn is_global(rel: &Rel) -> bool {
    rel.as_grouping().is_some_and(Grouping::is_global)
}

/// True for a query of exactly one row: an aggregate over everything.
fn one_row(rel: &Rel) -> bool {
    match rel {
        Rel::Project { input, .. } => one_row(input),
        rel => is_global(rel),
    }
}

/// Both ways round, so that one form is left. An aggregate of one row in a join multiplies nothing and
/// becomes a value in the conjuncts; an equality with a subquery of at most one row becomes EXISTS, to be a
/// join. Not one of exactly one row: that is the value which the first half made. A comparison with COLLATE
/// stays.
fn scalar_as_exists(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let mut changed = false;
    if let Rel::Join { inputs, on } = rel {
        // A single row beside others: each of its columns is a constant.
        let mut map = Substitution::new();
        let mut at = 0;
        while inputs.len() > 1 && at < inputs.len() {
            let fits = inputs
                .get(at)
                .is_some_and(|r| is_global(r) && r.outputs().len() == 1 && r.is_deterministic());
            if !fits {
                at += 1;
                continue;
            }
            let one = inputs.remove(at);
            // Checked above: the row has one column.
            if let [c] = one.outputs().as_slice() {
                map.insert(*c, Expr::Scalar(Box::new(Query { output: vec![*c], rel: one })));
            }
        }
        if !map.is_empty() {
            for e in on.iter_mut() {
                e.substitute(&map);
            }
            for (c, e) in map {
                cx.replace(c, e);
            }
            changed = true;
        }
    }
    let Some(BlockMut { on: list, .. }) = rel.as_block_mut() else {
        return changed.then_some(());
    };
    for e in list {
        let (x, query) = match e.as_equality() {
            Some((Expr::Scalar(_), Expr::Scalar(_))) => continue,
            Some((Expr::Scalar(q), x) | (x, Expr::Scalar(q))) => (x, q),
            _ => continue,
        };
        let [c] = query.output.as_slice() else {
            continue;
        };
        if one_row(&query.rel)
            || matches!(x, Expr::Collate { .. })
            || !x.is_deterministic()
            || !cx.at_most_one_row(&query.rel)
        {
            continue;
        }
        let mut inner = query.rel.clone();
        inner.add_conjunct(x.clone().eq(Expr::Column(*c)));
        *e = Expr::exists(inner);
        changed = true;
    }
    changed.then_some(())
}

pub(super) const SET_OPERATION: Rule = Rule {
    name: "set-operation-as-semi-join",
    summary: "INTERSECT and EXCEPT are DISTINCT over (NOT) EXISTS; what is distinct anyway need not be made so",
    why: "A row is in the intersection if it is in the first arm and an equal one exists in the second, in the difference if none does, and each is given once.",
    source: "relational algebra: ∩ and − over whole rows, NULLs compared as values",
    needs: Needs::TYPED,
    examples: examples! {
        "nulls": "SELECT id FROM customer EXCEPT SELECT customer_id FROM orders"
            == "SELECT id FROM customer WHERE id NOT IN (SELECT customer_id FROM orders)";
        "default": "SELECT city FROM customer WHERE age < 3 INTERSECT SELECT city FROM customer WHERE age > 5"
            == "SELECT DISTINCT a.city FROM customer a JOIN customer b ON a.city = b.city WHERE a.age < 3 AND b.age > 5";
        "strict": "SELECT DISTINCT city FROM customer UNION SELECT day FROM orders"
            == "SELECT city FROM customer UNION SELECT DISTINCT day FROM orders";
        "default": "SELECT id FROM customer INTERSECT SELECT customer_id FROM orders"
            == "SELECT id FROM customer WHERE id IN (SELECT customer_id FROM orders)";
        "nulls": "SELECT id FROM customer INTERSECT SELECT id FROM customer WHERE age > 30"
            == "SELECT id FROM customer WHERE age > 30";
        "default": "SELECT city FROM customer EXCEPT SELECT day FROM orders"
            != "SELECT city FROM customer WHERE city NOT IN (SELECT day FROM orders)";
        "default": "SELECT city FROM customer EXCEPT SELECT city FROM customer WHERE age > 30"
            != "SELECT city FROM customer WHERE city NOT IN (SELECT city FROM customer WHERE age > 30)";
        "default": "SELECT DISTINCT city FROM customer UNION ALL SELECT day FROM orders"
            != "SELECT city FROM customer UNION ALL SELECT day FROM orders";
        "default": "SELECT city FROM customer INTERSECT SELECT city FROM customer"
            != "SELECT city FROM customer WHERE city IN (SELECT city FROM customer)";
        "default": "SELECT city FROM customer WHERE age < 25 INTERSECT SELECT city FROM customer WHERE age > 35"
            != "SELECT DISTINCT city FROM customer WHERE age < 25 OR age > 35";
        "nulls": "SELECT id FROM customer EXCEPT SELECT age FROM customer" != "SELECT id FROM customer WHERE id NOT IN (SELECT age FROM customer)";
    },
    apply: Apply::RelOf(rels::SET_OP, set_operation),
};

/// Duplicates in the arms do not count without ALL. INTERSECT and EXCEPT then become conjuncts of the left
/// arm: NULLs are equal in a set operation, so `IS` links columns that may hold them. The arms must store
/// values alike, since set operations convert nothing and = would.
fn set_operation(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let Rel::SetOp { kind, all, left, right, columns } = rel else {
        return None;
    };
    if *all {
        return None;
    }
    let mut changed = duplicates_allowed(&mut left.rel, cx);
    changed |= duplicates_allowed(&mut right.rel, cx);
    if *kind == SetOpKind::Union
        || left.output.len() != columns.len()
        || right.output.len() != columns.len()
        || !left.rel.free_columns().is_empty()
        || !right.rel.free_columns().is_empty()
    {
        return changed.then_some(());
    }
    let alike = left.output.iter().zip(&right.output).all(|(l, r)| cx.same_storage(*l, *r));
    let made = right.rel.output_set();
    if !alike || !right.output.iter().all(|c| made.contains(c)) {
        return changed.then_some(());
    }
    let (l, r) = (cx.not_null(&left.rel), cx.not_null(&right.rel));
    let mut inner = right.rel.take();
    for (a, b) in left.output.iter().zip(&right.output) {
        let op = if l.contains(a) && r.contains(b) { BinaryOp::Eq } else { BinaryOp::Is };
        inner.add_conjunct(Expr::binary(op, Expr::Column(*a), Expr::Column(*b)));
    }
    let mut test = Expr::exists(inner);
    if *kind == SetOpKind::Except {
        test = test.not();
    }
    let mut input = left.rel.take();
    input.add_conjunct(test);
    let keys = columns.iter().zip(&left.output).map(|(c, l)| (*c, Expr::Column(*l))).collect();
    *rel = Rel::distinct_by(input, keys);
    Some(())
}

/// Simplifies a relation whose reader does not care how often a row comes: a DISTINCT on the way down is a
/// projection, and every EXISTS a join.
pub(super) fn duplicates_allowed(rel: &mut Rel, cx: &Context<'_>) -> bool {
    match rel {
        Rel::Project { input, exprs } if exprs.iter().all(|(_, e)| e.is_deterministic()) => {
            duplicates_allowed(input, cx)
        }
        Rel::Aggregate { input, keys, calls } if calls.is_empty() && !keys.is_empty() => {
            let mut below = input.take();
            duplicates_allowed(&mut below, cx);
            *rel = Rel::project(below, std::mem::take(keys));
            true
        }
        Rel::Filter { .. } | Rel::Join { .. } => {
            let mut changed = unnest(rel, true, cx);
            for input in rel.inputs_mut() {
                changed |= duplicates_allowed(input, cx);
            }
            changed
        }
        _ => false,
    }
}

pub(super) const DUPLICATES: Rule = Rule {
    name: "duplicate-insensitivity",
    summary: "under DISTINCT, MIN, MAX and IN, inner DISTINCTs go and EXISTS becomes a join",
    why: "DISTINCT, MIN, MAX and IN give the same for a row that comes once and one that comes often.",
    source: "Pirahesh, Hellerstein & Hasan 1992, DISTINCT pull-up and push-down",
    needs: Needs::NOTHING,
    examples: examples! {
        "no-fk": "SELECT DISTINCT name FROM customer WHERE id IN (SELECT customer_id FROM orders)"
            == "SELECT DISTINCT c.name FROM customer c JOIN orders o ON o.customer_id = c.id";
        "default": "SELECT COUNT(name) FROM customer WHERE id IN (SELECT customer_id FROM orders)"
            != "SELECT COUNT(c.name) FROM customer c JOIN orders o ON o.customer_id = c.id";
    },
    apply: Apply::RelOf(rels::AGGREGATE, duplicates),
};

/// DISTINCT, MIN and MAX read their input as a set.
fn duplicates(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    (Grouping { input, keys, calls }.ignores_duplicates() && duplicates_allowed(input, cx)).then_some(())
}

pub(super) const COUNTED_SEMI_JOIN: Rule = Rule {
    name: "counted-semi-join",
    summary: "COUNT(*) of rows that a key tells apart, under EXISTS, is COUNT(DISTINCT the key) of the join",
    why: "The join gives a row once or more often where it has partners, and its key is counted once.",
    source: "Dayal 1987, semi-joins; keys: rows of the input are unique by the argument (and the group keys)",
    needs: Needs::NOT_NULL,
    examples: examples! {
        "no-fk": "SELECT COUNT(*) FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE total > 3)"
            == "SELECT COUNT(DISTINCT c.id) FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.total > 3";
        "no-fk": "SELECT city, COUNT(*) FROM customer WHERE id IN (SELECT customer_id FROM orders) GROUP BY city"
            == "SELECT c.city, COUNT(DISTINCT c.id) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.city";
        "no-fk": "SELECT COUNT(*) FROM (SELECT DISTINCT c.id FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.total > 3)"
            == "SELECT COUNT(DISTINCT c.id) FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.total > 3";
        "no-fk": "SELECT COUNT(*) FROM customer WHERE id IN (SELECT customer_id FROM orders)"
            != "SELECT COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id";
        "no-fk": "SELECT COUNT(*) FROM customer WHERE id IN (SELECT customer_id FROM orders)"
            != "SELECT COUNT(DISTINCT c.name) FROM customer c JOIN orders o ON o.customer_id = c.id";
        "no-fk": "SELECT COUNT(*), SUM(age) FROM customer WHERE id IN (SELECT customer_id FROM orders)"
            != "SELECT COUNT(DISTINCT c.id), SUM(c.age) FROM customer c JOIN orders o ON o.customer_id = c.id";
    },
    apply: Apply::RelOf(rels::AGGREGATE, counted_semi_join),
};

/// All calls have to be COUNT(*) or extremes, for which duplicates do not count. Of several keys the first in the schema is
/// counted. As long as no EXISTS becomes a join, rows stay unique, and DISTINCT would be taken away again.
fn counted_semi_join(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (input, keys, calls) = rel.as_aggregate_mut()?;
    let block = input.as_block().is_some_and(|block| block.on.iter().any(|e| matches!(e, Expr::Exists(_))));
    if !block
        || !calls.iter().any(|(_, call)| call.counts_rows())
        || !calls.iter().all(|(_, call)| call.counts_rows() || call.ignores_duplicates())
        || !keys.iter().all(|(_, e)| e.is_deterministic() && !e.has_subquery())
    {
        return None;
    }
    let (known, deps) = (cx.not_null(input), cx.dependencies(input));
    let grouped: Vec<ColumnId> = keys.iter().filter_map(|(_, e)| e.as_column()).collect();
    let tells = |c: &ColumnId| known.contains(c) && deps.unique(grouped.iter().copied().chain([*c]));
    let found = input.outputs().into_iter().filter(tells).filter_map(|c| Some((cx.origin(c)?, c)));
    let (_, key) = found.min()?;
    let mut joined = input.clone();
    if !unnest(&mut joined, true, cx) || cx.dependencies(&joined).unique(grouped.iter().copied().chain([key]))
    {
        return None;
    }
    *input = joined;
    for (_, call) in calls.iter_mut().filter(|(_, call)| call.counts_rows()) {
        call.distinct = true;
        call.args = vec![Expr::Column(key)];
    }
    Some(())
}

pub(super) const IN_DUPLICATES: Rule = Rule {
    name: "in-duplicates",
    summary: "DISTINCT and ORDER BY inside IN do nothing",
    why: "Whether a value is in a list does not depend on how often and where it stands there.",
    source: "SQL: IN asks for membership",
    needs: Needs::NOTHING,
    examples: examples! {
        "strict": "SELECT name IN (SELECT DISTINCT day FROM orders) FROM customer" == "SELECT name IN (SELECT day FROM orders) FROM customer";
        "default": "SELECT name IN (SELECT DISTINCT day FROM orders LIMIT 2) FROM customer"
            != "SELECT name IN (SELECT day FROM orders LIMIT 2) FROM customer";
        "default": "SELECT COUNT(*) FROM (SELECT DISTINCT city FROM customer)" != "SELECT COUNT(*) FROM (SELECT city FROM customer)";
    },
    apply: Apply::Query(in_duplicates),
};

fn in_duplicates(query: &mut Query, role: Role, cx: &mut Context<'_>) -> Changed {
    (role == Role::In && duplicates_allowed(&mut query.rel, cx)).then_some(())
}

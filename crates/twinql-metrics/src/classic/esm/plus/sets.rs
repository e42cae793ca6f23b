//! Rules over set operations.

use super::EsmRule;
use super::facts::{Facts, plain};
use super::joins::rename;
use crate::classic::esm::clauses::{Block, Body, Op, Query, SetOp, Term, Writer};

/// Rule 3.
pub(super) const INTERSECT: EsmRule = EsmRule {
    number: 3,
    name: "intersect",
    before: "SELECT id FROM dog WHERE weight > 5 INTERSECT SELECT id FROM dog WHERE name = 'Rex'",
    after: "SELECT id FROM dog WHERE weight > 5 AND name = 'Rex'",
    assumes: "both arms filter one table, and an output column is unique and never NULL",
    apply: |query, facts| filters_as_one(query, facts, SetOp::Intersect),
    alike: &[(
        "SELECT id, name FROM dog WHERE weight > 5 INTERSECT SELECT d.id, d.name FROM dog d WHERE d.name = 'Rex'",
        "SELECT name, id FROM dog WHERE name = 'Rex' AND weight > 5",
    )],
    apart: &[(
        "SELECT name FROM dog WHERE weight > 5 INTERSECT SELECT name FROM dog WHERE tag = 'a'",
        "SELECT name FROM dog WHERE weight > 5 AND tag = 'a'",
    )],
};

/// Rule 4.
pub(super) const UNION: EsmRule = EsmRule {
    number: 4,
    name: "union",
    before: "SELECT id FROM dog WHERE weight > 5 UNION SELECT id FROM dog WHERE name = 'Rex'",
    after: "SELECT id FROM dog WHERE weight > 5 OR name = 'Rex'",
    assumes: "both arms filter one table, and an output column is unique and never NULL",
    apply: |query, facts| filters_as_one(query, facts, SetOp::Union),
    alike: &[(
        "SELECT id FROM dog WHERE weight > 5 AND tag = 'a' UNION SELECT id FROM dog WHERE name = 'Rex'",
        "SELECT id FROM dog WHERE name = 'Rex' OR (tag = 'a' AND weight > 5)",
    )],
    apart: &[
        (
            "SELECT id FROM dog WHERE weight > 5 UNION ALL SELECT id FROM dog WHERE name = 'Rex'",
            "SELECT id FROM dog WHERE weight > 5 OR name = 'Rex'",
        ),
        (
            "SELECT id FROM dog WHERE weight > 5 UNION SELECT id FROM dog WHERE name = 'Rex'",
            "SELECT id FROM dog WHERE weight > 5 AND name = 'Rex'",
        ),
    ],
};

/// The right arm's clauses, with its one table taken for the left one's.
fn over_the_same_table(left: &Block, right: &Block, facts: &Facts<'_>) -> Option<Block> {
    let ((id, table), (other, same)) = (facts.only_table(left)?, facts.only_table(right)?);
    let mut right = right.clone();
    for list in [&mut right.select, &mut right.filter, &mut right.group, &mut right.having] {
        list.iter_mut().for_each(|t| rename(t, other, id));
    }
    (table == same).then_some(right)
}

fn filters_as_one(query: &mut Query, facts: &Facts<'_>, wanted: SetOp) -> bool {
    let Body::Set { op, all: false, left, right } = &query.body else { return false };
    let (Some(left), Some(right)) = (left.bare_block(), right.bare_block()) else { return false };
    let Some(right) = over_the_same_table(left, right, facts) else { return false };
    let alike = *op == wanted
        && plain(left)
        && plain(&right)
        && left.select == right.select
        && left.select.iter().any(|t| facts.key(left, t))
        && !left.filter.is_empty()
        && !right.filter.is_empty();
    if !alike {
        return false;
    }
    let mut block = left.clone();
    block.distinct = false;
    if wanted == SetOp::Intersect {
        block.filter.extend(right.filter);
    } else {
        block.filter = vec![Term::Or(vec![Term::And(block.filter), Term::And(right.filter)])];
    }
    query.body = Body::Block(Box::new(block));
    true
}

/// Rule 6.
pub(super) const EXCEPT: EsmRule = EsmRule {
    number: 6,
    name: "except",
    before: "SELECT id FROM owner EXCEPT SELECT owner_id FROM dog",
    after: "SELECT id FROM owner WHERE id NOT IN (SELECT owner_id FROM dog)",
    assumes: "the column is unique and never NULL; so is never NULL, or a foreign key, what is taken away",
    apply: except,
    alike: &[(
        "SELECT id FROM owner WHERE age > 30 EXCEPT SELECT owner_id FROM dog WHERE weight > 5",
        "SELECT id FROM owner WHERE id NOT IN (SELECT owner_id FROM dog WHERE weight > 5) AND age > 30",
    )],
    apart: &[
        (
            "SELECT name FROM owner EXCEPT SELECT name FROM dog",
            "SELECT name FROM owner WHERE name NOT IN (SELECT name FROM dog)",
        ),
        (
            "SELECT id FROM owner EXCEPT SELECT weight FROM dog",
            "SELECT id FROM owner WHERE id NOT IN (SELECT weight FROM dog)",
        ),
    ],
};

fn except(query: &mut Query, facts: &Facts<'_>) -> bool {
    let Body::Set { op: SetOp::Except, all: false, left, right } = &query.body else { return false };
    let (Some(block), Some(taken)) = (left.bare_block(), right.bare_block()) else { return false };
    let ([column], [other]) = (block.select.as_slice(), taken.select.as_slice()) else { return false };
    let never_null = facts.never_null(taken, other) || (taken.inner() && facts.foreign(taken, other));
    let applies = facts.only_table(block).is_some() && plain(block) && facts.key(block, column) && never_null;
    if !applies {
        return false;
    }
    let mut block = block.clone();
    let inside = Term::test(Op::In, column.clone(), Term::Query(right.clone()));
    block.filter.push(Term::Not(Box::new(inside)));
    block.distinct = false;
    query.body = Body::Block(Box::new(block));
    true
}

/// Rule 18.
pub(super) const ITSELF: EsmRule = EsmRule {
    number: 18,
    name: "with-itself",
    before: "SELECT name FROM dog WHERE weight > 5 UNION SELECT name FROM dog WHERE weight > 5",
    after: "SELECT DISTINCT name FROM dog WHERE weight > 5",
    assumes: "nothing; duplicates go, which the paper forgets",
    apply: with_itself,
    alike: &[("SELECT id FROM dog INTERSECT SELECT id FROM dog", "SELECT id FROM dog")],
    apart: &[
        ("SELECT name FROM dog UNION SELECT name FROM dog", "SELECT name FROM dog"),
        ("SELECT id FROM dog UNION ALL SELECT id FROM dog", "SELECT id FROM dog"),
    ],
};

fn with_itself(query: &mut Query, facts: &Facts<'_>) -> bool {
    let Body::Set { op: SetOp::Union | SetOp::Intersect, all: false, left, right } = &query.body else {
        return false;
    };
    let Some(block) = left.bare_block() else { return false };
    // Output columns stay in their order here: the two sides are not sorted.
    let positional = |q: &Query| {
        let mut q = q.clone();
        if let Body::Block(block) = &mut q.body {
            let select = std::mem::take(&mut block.select);
            block.select = vec![Term::Call { name: "row".to_owned(), distinct: false, args: select }];
        }
        Writer::new(facts.schema, true).text(&q)
    };
    if positional(left) != positional(right) {
        return false;
    }
    let mut block = block.clone();
    block.distinct = true;
    query.body = Body::Block(Box::new(block));
    true
}

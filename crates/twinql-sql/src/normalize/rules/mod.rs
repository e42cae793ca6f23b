//! The rules, one file for each kind.

mod aggregates;
mod blocks;
mod bounds;
mod conditional;
mod constants;
mod decorrelation;
mod empty;
mod equalities;
mod grouping;
mod inference;
mod joins;
mod literals;
mod ordering;
mod predicates;
mod projections;
mod rollup;
mod semijoins;
mod subqueries;
mod unions;

use super::context::Context;
use super::rule::Rule;
use super::walk;
use crate::rel::{Query, Rel};

/// Every rule, in the order in which they are tried at a node.
pub(super) const ALL: &[Rule] = &[
    predicates::CONSTANT_FOLDING,
    predicates::NEGATION,
    predicates::ORIENTATION,
    literals::LITERAL_TYPING,
    literals::INTEGER_BOUNDS,
    predicates::MEMBERSHIP,
    literals::IDLE_CAST,
    literals::FOREIGN_KEY_CAST,
    projections::MERGING,
    projections::ROOT,
    projections::PRUNING,
    blocks::FLATTENING,
    blocks::CONJUNCTS,
    blocks::PUSHDOWN,
    equalities::CLASSES,
    aggregates::DISTINCT_AS_GROUPING,
    aggregates::KEY_CLEANUP,
    aggregates::COUNT_STAR,
    aggregates::COUNT_DISTINCT_KEY,
    aggregates::TRIVIAL_HAVING,
    aggregates::COUNT_GROUPS,
    joins::NULL_TESTS,
    ordering::SUBQUERY_ORDER,
    ordering::QUERY_ORDER,
    ordering::SORT_KEYS,
    subqueries::IN_AS_EXISTS,
    subqueries::EXISTS_CLEANUP,
    subqueries::EXISTS_TRUE,
    subqueries::SCALAR_AS_EXISTS,
    subqueries::EXISTS_AS_JOIN,
    subqueries::SET_OPERATION,
    joins::OUTER_TO_INNER,
    joins::SELF_JOIN,
    grouping::GROUPING_REMOVAL,
    subqueries::DUPLICATES,
    subqueries::IN_DUPLICATES,
    grouping::LATE_JOIN,
    joins::FOREIGN_KEY_JOIN,
    conditional::CONDITIONAL,
    conditional::NULL_OPERANDS,
    conditional::TRUE_ALONE,
    conditional::CONSTANT_AGGREGATES,
    constants::PINNED_COLUMNS,
    bounds::BOUNDS,
    empty::EMPTY,
    empty::CONSTANT_ROWS,
    empty::EMPTY_SUBQUERY,
    empty::EMPTY_QUERY,
    unions::CHAIN,
    unions::DISTINCT_UNION,
    unions::CONSTANT_COLUMNS,
    unions::REPEATED_COLUMNS,
    unions::PROJECTION,
    unions::UNREAD,
    rollup::ROLLUP,
    rollup::SINGLE_ROWS,
    rollup::COUNTED_SUM,
    semijoins::DISTINCT_JOIN,
    semijoins::ONE_SIDED,
    semijoins::UNREAD_SIDE,
    semijoins::UNREAD_PARTNERS,
    inference::EXISTS_CONDITIONS,
    inference::TRANSITIVE,
    inference::NESTED_ORDER,
    decorrelation::GROUPED_SCALAR,
];

/// What the semantics asks for before any rule: DISTINCT is removed, rows are a set.
pub(super) fn semantic_prepass(query: &mut Query, cx: &mut Context<'_>) {
    if cx.semantics.ignore_distinct {
        drop_distinct(query);
    }
    if cx.semantics.rows_as_set {
        projections::restrict_to_output(query, cx);
        query.rel = Rel::Distinct {
            input: Box::new(walk::take(&mut query.rel)),
        };
    }
}

fn drop_distinct(query: &mut Query) {
    drop_distinct_in(&mut query.rel);
}

fn drop_distinct_in(rel: &mut Rel) {
    while let Rel::Distinct { input } = rel {
        *rel = walk::take(input);
    }
    if let Rel::Aggregate { calls, .. } = rel {
        calls.iter_mut().for_each(|(_, call)| call.distinct = false);
    }
    if let Rel::Window { calls, .. } = rel {
        calls.iter_mut().for_each(|(_, call)| call.distinct = false);
    }
    for expr in walk::own_exprs_mut(rel) {
        drop_distinct_expr(expr);
    }
    for input in walk::inputs_mut(rel) {
        drop_distinct_in(input);
    }
    for arm in walk::arms_mut(rel) {
        drop_distinct(arm);
    }
}

fn drop_distinct_expr(expr: &mut crate::expr::Expr) {
    for operand in walk::operands_mut(expr) {
        drop_distinct_expr(operand);
    }
    if let Some(query) = walk::subquery_mut(expr) {
        drop_distinct(query);
    }
}

/// The rule by which an output becomes a constant.
pub(super) const PINNED_COLUMNS: &str = constants::PINNED_COLUMNS.name;

pub(super) use projections::prune_scans;

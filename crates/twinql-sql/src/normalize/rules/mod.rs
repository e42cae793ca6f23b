//! The rules, one file for each kind.

mod aggregates;
mod arithmetic;
mod blocks;
mod bounds;
mod conditional;
mod constants;
mod decorrelate;
mod decorrelation;
mod empty;
mod equalities;
mod filters;
mod firsts;
mod grouping;
mod inference;
mod joins;
mod limits;
mod literals;
mod minimise;
mod ordering;
mod padding;
mod predicates;
mod projections;
mod ratios;
mod references;
mod rollup;
mod semijoins;
mod subqueries;
mod texts;
mod unions;
mod windows;

use super::context::Context;
use super::rule::Rule;
use crate::rel::{Query, Rel};
use crate::tree::{Next, NodeMut, Tree};

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
    texts::CONSTANT_FUNCTIONS,
    texts::PATTERNS,
    arithmetic::IDLE_ARITHMETIC,
    arithmetic::IDLE_OUTPUT,
    arithmetic::REAL_FACTORS,
    arithmetic::COMPARED_SUMS,
    arithmetic::RATIOS,
    ratios::COUNT_IF,
    ratios::ONES,
    ratios::CONSTANT_IN_GROUP,
    ratios::AVERAGE,
    windows::WHOLE_WINDOW,
    windows::FIRST_RANKS,
    filters::UNION_AS_OR,
    filters::EXISTS_UNION,
    decorrelate::COUNT_AS_EXISTS,
    decorrelate::CORRELATED_COUNT,
    decorrelate::FOREIGN_KEY_ANTI_JOIN,
    minimise::REDUNDANT_EXISTS,
    minimise::REDUNDANT_SCAN,
    minimise::ALL_VALUES,
    minimise::FOREIGN_KEY_SEMI_JOIN,
    limits::LIMIT_BELOW_JOIN,
    limits::EXTREME_ROW,
    limits::EXTREME_BARE,
    padding::FOREIGN_KEY_OUTER_JOIN,
    padding::PADDED_GROUPS,
    padding::PADDED_LAST,
    firsts::SCALAR_FIRST_ROW,
    firsts::FIRST_OF_DISTINCT,
    firsts::BEYOND_EXTREME,
    references::REDUNDANT_REFERENCE,
];

/// What the semantics asks for before any rule: DISTINCT is removed, rows are a set.
pub(super) fn semantic_prepass(query: &mut Query, cx: &mut Context<'_>) {
    if cx.semantics.ignore_distinct {
        drop_distinct(query);
    }
    if cx.semantics.rows_as_set {
        projections::restrict_to_output(query, cx);
        query.rel = Rel::Distinct {
            input: Box::new(query.rel.take()),
        };
    }
}

/// Takes away every DISTINCT, those of aggregates and window functions, too.
fn drop_distinct(query: &mut Query) {
    query.map_deep(|node| {
        if let NodeMut::Rel(rel) = node {
            while let Rel::Distinct { input } = rel {
                *rel = input.take();
            }
            match rel {
                Rel::Aggregate { calls, .. } => calls.iter_mut().for_each(|(_, call)| call.distinct = false),
                Rel::Window { calls, .. } => calls.iter_mut().for_each(|(_, call)| call.distinct = false),
                _ => {}
            }
        }
        Next::Below
    });
}

/// The rule by which an output becomes a constant.
pub(super) const PINNED_COLUMNS: &str = constants::PINNED_COLUMNS.name;

/// The rule by which numbers are whole.
pub(super) const INTEGER_BOUNDS: &str = literals::INTEGER_BOUNDS.name;

/// The rule by which groups by a key are single rows.
pub(super) const SINGLE_ROWS: &str = rollup::SINGLE_ROWS.name;

pub(super) use projections::prune_scans;

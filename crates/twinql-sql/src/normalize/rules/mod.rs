//! The rules, one file for each kind.

mod aggregates;
mod arithmetic;
mod blocks;
mod booleans;
mod bounds;
mod conditional;
mod constants;
mod correlated_aggregates;
mod correlated_counts;
mod dates;
mod disjoint_arms;
mod divisors;
mod empty;
mod equalities;
mod extreme_rows;
mod first_rows;
mod grouped_arms;
mod grouped_products;
mod grouping;
mod inference;
mod joins;
mod limits;
mod literals;
mod minimise;
mod null_order;
mod ordering;
mod padding;
mod predicates;
mod projections;
mod ratios;
mod references;
mod rollup;
mod scalars;
mod semijoins;
mod subqueries;
mod texts;
mod union_filters;
mod union_joins;
mod unions;
mod windows;

use super::prelude::*;
use super::rule::Precedence;

/// Rules that stand together in the order: a page of the documentation.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// Its name, in kebab case.
    pub name: &'static str,
    /// What it is about, in some words.
    pub title: &'static str,
    /// What its rules bring about, in a sentence.
    pub about: &'static str,
    /// The rules, in the order in which they are tried.
    pub rules: &'static [Rule],
}

/// Lists the families, and all rules one after the other.
macro_rules! families {
    ($($name:literal, $title:literal, $about:literal: [$($rule:path),* $(,)?];)*) => {
        /// The families, in the order in which their rules are tried.
        pub const FAMILIES: &[Family] =
            &[$(Family { name: $name, title: $title, about: $about, rules: &[$($rule),*] }),*];

        /// Every rule, in the order in which they are tried at a node.
        ///
        /// Rules build on one another: IN is EXISTS before EXISTS is a join, and a join before a foreign
        /// key makes it superfluous. Each is tried again until none changes the node, so most of this
        /// order saves passes and decides nothing: what it does decide stands in [`ORDER`], and a test
        /// tries other orders to see that nothing else does. So the order is a reader's, from what is
        /// small (expressions) over what is common to all queries (blocks, groupings, subqueries) to what
        /// is rare; rules that look alike stand together, and what sets them apart is said beside them.
        pub const ALL: &[Rule] = &[$($($rule),*),*];
    };
}

families! {
    "expressions", "Expressions",
        "Constants are evaluated; NOT and the sides of comparisons have one way to stand.": [
            predicates::CONSTANT_FOLDING,
            predicates::NEGATION,
            predicates::ORIENTATION,
            literals::LITERAL_TYPING,
            literals::LOST_AFFINITY,
            literals::INTEGER_BOUNDS,
            predicates::MEMBERSHIP,
            booleans::BOOLEAN_TESTS,
            literals::IDLE_CAST,
            literals::FOREIGN_KEY_CAST,
        ];
    "blocks", "The block form",
        "Projections go up, joins and filters become one list of inputs and conjuncts.": [
            projections::MERGING,
            projections::ROOT,
            projections::PRUNING,
            blocks::FLATTENING,
            blocks::CONJUNCTS,
            blocks::PUSHDOWN,
            equalities::CLASSES,
        ];
    "groupings", "Groupings",
        "DISTINCT is a grouping; keys and counts have one form.": [
            // COUNT(x) becomes COUNT(*) here, before the rules that ask whether an aggregate reads anything.
            aggregates::DISTINCT_AS_GROUPING,
            aggregates::KEY_CLEANUP,
            aggregates::COUNT_STAR,
            aggregates::COUNT_DISTINCT_KEY,
            aggregates::TRIVIAL_HAVING,
        ];
    "nulls-and-order", "NULL tests and sort orders",
        "They decide what later rules may drop.": [
            joins::NULL_TESTS,
            ordering::SUBQUERY_ORDER,
            ordering::QUERY_ORDER,
            ordering::SORT_KEYS,
            null_order::NULL_ORDER,
        ];
    "subqueries", "Subqueries",
        "IN becomes EXISTS, and EXISTS a join where it cannot multiply rows.": [
            // The clean-ups of EXISTS split by what they look at: the query inside (EXISTS_CLEANUP), a subquery of one
            // certain row (EXISTS_TRUE), further down conditions on the outer row alone (EXISTS_CONDITIONS) and scans that
            // say nothing new (REDUNDANT_EXISTS).
            subqueries::IN_AS_EXISTS,
            subqueries::EXISTS_CLEANUP,
            subqueries::EXISTS_TRUE,
            subqueries::SCALAR_AS_EXISTS,
            scalars::SCALAR_OUTPUT,
            scalars::SCALAR_NULL_TEST,
            scalars::ONE_ROW_SIDE,
            subqueries::EXISTS_AS_JOIN,
            // Before set operations are semi-joins: of those the difference of a query and itself is hard to see.
            unions::SAME_ARMS,
            subqueries::SET_OPERATION,
        ];
    "idle-joins", "Joins and groupings that do nothing",
        "They are left out.": [
            // Over one table's key a self-join goes whole, bags or not; REDUNDANT_SCAN below needs no key, and duplicates
            // that do not count.
            joins::OUTER_TO_INNER,
            joins::SELF_JOIN,
            grouping::GROUPING_REMOVAL,
            subqueries::DUPLICATES,
            subqueries::COUNTED_SEMI_JOIN,
            subqueries::IN_DUPLICATES,
            grouping::LATE_JOIN,
            joins::FOREIGN_KEY_JOIN,
        ];
    "constants", "CASE, constants, bounds, and what has no rows",
        "What is known before any row is read is written out.": [
            conditional::CONDITIONAL,
            conditional::NULL_OPERANDS,
            conditional::TRUE_ALONE,
            conditional::TURNED,
            conditional::CONSTANT_AGGREGATES,
            constants::PINNED_COLUMNS,
            bounds::BOUNDS,
            empty::EMPTY,
            empty::CONSTANT_ROWS,
            empty::EMPTY_SUBQUERY,
            empty::EMPTY_QUERY,
        ];
    "unions", "Unions",
        "Chains, constant columns and columns that nobody reads have one form.": [
            unions::CHAIN,
            unions::DISTINCT_UNION,
            unions::CONSTANT_COLUMNS,
            unions::REPEATED_COLUMNS,
            unions::PROJECTION,
            unions::UNREAD,
            disjoint_arms::DISJOINT_ARMS,
            union_joins::UNION_JOIN,
        ];
    "regroupings", "Groupings of groupings",
        "Two levels become one.": [
            rollup::ROLLUP,
            rollup::SINGLE_ROWS,
            rollup::COUNTED_SUM,
            grouped_arms::GROUPED_ARMS,
            grouped_arms::COUNTED_ARMS,
            grouped_products::GROUPED_PRODUCTS,
        ];
    "outer-joins", "Outer joins",
        "The side that is filled up matters little: it has one partner at most and is not read, or duplicates do not count.": [
            // One partner at most and unread (UNREAD_SIDE), or unread where duplicates do not count (UNREAD_PARTNERS).
            semijoins::DISTINCT_JOIN,
            semijoins::ONE_SIDED,
            semijoins::UNREAD_SIDE,
            semijoins::UNREAD_PARTNERS,
        ];
    "conditions", "Conditions that hold elsewhere as well",
        "They are taken along equalities, out of subqueries, and to where they are of use.": [
            inference::EXISTS_CONDITIONS,
            inference::TRANSITIVE,
            inference::IMPLIED_DISJUNCTIONS,
            inference::NESTED_ORDER,
            correlated_aggregates::GROUPED_SCALAR,
            correlated_aggregates::GROUPED_OUTER_JOIN,
        ];
    "texts-and-numbers", "Texts and numbers",
        "Functions of constants, patterns, ratios and sums have one form.": [
            // The idle operations are two rules, for where an affinity counts (operands) and where none does (outputs); the
            // first leaves alone what only the second may take.
            texts::CONSTANT_FUNCTIONS,
            texts::LETTER_CASE,
            texts::PATTERNS,
            dates::DATE_READINGS,
            dates::WRITTEN_MOMENTS,
            dates::OWN_DAY,
            dates::DATE_TEXTS,
            dates::DATE_PART_NUMBERS,
            arithmetic::IDLE_ARITHMETIC,
            arithmetic::IDLE_OUTPUT,
            arithmetic::AVERAGE_CASTS,
            arithmetic::REAL_FACTORS,
            arithmetic::COMPARED_SUMS,
            arithmetic::CONSTANT_SUMS,
            arithmetic::RATIOS,
            divisors::GUARDED_DIVISORS,
            ratios::COUNT_IF,
            ratios::ONES,
            ratios::CONSTANT_IN_GROUP,
            ratios::AVERAGE,
            ratios::MEAN_OF_COUNTS,
        ];
    "windows", "Windows, and filters over unions",
        "Windows over whole groups and first ranks are groupings; unions of filters are OR.": [
            windows::WHOLE_WINDOW,
            windows::FIRST_RANKS,
            windows::FIRST_VALUE,
            windows::ROW_FRAMES,
            union_filters::UNION_AS_OR,
            union_filters::EXISTS_UNION,
        ];
    "counts", "Counting subqueries",
        "A count that is only tested is EXISTS, and one of a row is a grouping.": [
            correlated_counts::COUNT_AS_EXISTS,
            correlated_counts::COUNTED_TEST,
            correlated_counts::CORRELATED_COUNT,
            correlated_counts::FOREIGN_KEY_ANTI_JOIN,
        ];
    "partners", "Scans and partners",
        "Of these only being there counts.": [
            // What a foreign key says of a join is four rules by what is left of the referenced table: read for its key
            // alone, in a join (FOREIGN_KEY_JOIN, above) or a semi-join (FOREIGN_KEY_SEMI_JOIN); filled up by an outer join
            // that never fills (FOREIGN_KEY_OUTER_JOIN); or asked for an order of keys where duplicates do not count
            // (REDUNDANT_REFERENCE).
            minimise::REDUNDANT_EXISTS,
            minimise::REDUNDANT_SCAN,
            minimise::ALL_VALUES,
            minimise::FOREIGN_KEY_SEMI_JOIN,
        ];
    "first-rows", "First rows and extremes",
        "ORDER BY with LIMIT 1 and the row of a greatest value have one form.": [
            extreme_rows::LIMIT_BELOW_JOIN,
            limits::NESTED_LIMIT,
            extreme_rows::EXTREME_ROW,
            extreme_rows::EXTREME_BARE,
            padding::FOREIGN_KEY_OUTER_JOIN,
            padding::PADDED_GROUPS,
            padding::PADDED_LAST,
            first_rows::SCALAR_FIRST_ROW,
            first_rows::FIRST_OF_DISTINCT,
            first_rows::BEYOND_EXTREME,
            references::REDUNDANT_REFERENCE,
        ];
}

/// The pairs of rules whose order counts: where they change places, some canonical form is another.
pub const ORDER: &[Precedence] = &[
    Precedence {
        first: projections::ROOT.name,
        then: first_rows::SCALAR_FIRST_ROW.name,
        why: "LIMIT 1 is put on a subquery as a value once nothing but its rows is left of it, and not above its projection",
        shown: (
            "strict",
            "SELECT name FROM customer WHERE age > (SELECT total FROM orders ORDER BY day LIMIT 4)",
        ),
    },
    Precedence {
        first: joins::NULL_TESTS.name,
        then: semijoins::ONE_SIDED.name,
        why: "a NULL test in ON goes because of the equality beside it, which is out of sight once the test filters its own side",
        shown: (
            "strict",
            "SELECT c.id FROM customer c LEFT JOIN customer d ON c.city = d.city AND d.city IS NOT NULL",
        ),
    },
    Precedence {
        first: aggregates::DISTINCT_AS_GROUPING.name,
        then: grouping::GROUPING_REMOVAL.name,
        why: "DISTINCT has to be a grouping to be looked at in the same round, before duplicate-insensitivity is",
        shown: (
            "bird",
            "SELECT c.id, q.total FROM customer c CROSS JOIN (SELECT DISTINCT total FROM orders) q",
        ),
    },
    Precedence {
        first: grouping::GROUPING_REMOVAL.name,
        then: subqueries::DUPLICATES.name,
        why: "an inner DISTINCT can be what tells the outer rows apart: then the outer one goes, and without it the inner one has to stay",
        shown: (
            "bird",
            "SELECT c.id, q.total FROM customer c CROSS JOIN (SELECT DISTINCT total FROM orders) q",
        ),
    },
    Precedence {
        first: unions::SAME_ARMS.name,
        then: subqueries::SET_OPERATION.name,
        why: "once EXCEPT is NOT EXISTS, nobody sees that nothing is left",
        shown: ("strict", "SELECT city FROM customer EXCEPT SELECT city FROM customer"),
    },
    Precedence {
        first: subqueries::SET_OPERATION.name,
        then: union_filters::UNION_AS_OR.name,
        why: "in the arms of a UNION semi-joins become joins, and arms that then read other tables are not filters of the same ones",
        shown: (
            "strict",
            "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders) UNION SELECT name FROM customer WHERE id IN (SELECT order_id FROM line)",
        ),
    },
    Precedence {
        first: aggregates::KEY_CLEANUP.name,
        then: grouping::LATE_JOIN.name,
        why: "a bare column that the keys determine has to be a key, for the join that gives it to move above the grouping",
        shown: (
            "bird",
            "SELECT c.id, c.name, c.city FROM customer c JOIN orders o ON c.id = o.customer_id GROUP BY o.id ORDER BY COUNT(*) DESC LIMIT 1",
        ),
    },
    Precedence {
        first: grouping::LATE_JOIN.name,
        then: rollup::SINGLE_ROWS.name,
        why: "once groups are single rows there is no grouping that a join could move above",
        shown: (
            "bird",
            "SELECT c.id, c.name, c.city FROM customer c JOIN orders o ON c.id = o.customer_id GROUP BY o.id ORDER BY COUNT(*) DESC LIMIT 1",
        ),
    },
    Precedence {
        first: aggregates::COUNT_STAR.name,
        then: aggregates::COUNT_DISTINCT_KEY.name,
        why: "what becomes of COUNT(DISTINCT x) is COUNT(x) for the rest of the round, which groups-of-one-row makes a test for NULL",
        shown: ("default", "SELECT id FROM customer GROUP BY id ORDER BY COUNT(DISTINCT age) DESC LIMIT 1"),
    },
    Precedence {
        first: aggregates::COUNT_STAR.name,
        then: rollup::SINGLE_ROWS.name,
        why: "of one row COUNT(*) is 1 but COUNT(x) a test for NULL, and where that has one value by an assumption alone the rule is taken back",
        shown: ("no-fk", "SELECT name FROM customer GROUP BY id ORDER BY COUNT(id) DESC LIMIT 1"),
    },
    Precedence {
        first: subqueries::SET_OPERATION.name,
        then: grouping::GROUPING_REMOVAL.name,
        why: "what INTERSECT becomes is a grouping, to be looked at in the same round, before duplicate-insensitivity is",
        shown: (
            "no-fk",
            "SELECT id FROM customer WHERE city = 'a' INTERSECT SELECT customer_id FROM orders GROUP BY customer_id HAVING AVG(total) > 10",
        ),
    },
];

/// What the semantics asks for before any rule: DISTINCT is removed, rows are a set.
pub(super) fn semantic_prepass(query: &mut Query, cx: &mut Context<'_>) {
    if cx.semantics.ignore_distinct {
        drop_distinct(query);
    }
    query.map_deep(|node| {
        if let NodeMut::Rel(Rel::Aggregate { calls, .. }) = node {
            calls.iter_mut().filter(|(_, c)| c.func == AggFunc::Bare).for_each(|(_, c)| c.distinct = false);
        }
        Next::Below
    });
    if cx.semantics.rows_as_set {
        rows_as_set(query, cx);
    }
}

/// Removes duplicates from the answer.
pub(super) fn rows_as_set(query: &mut Query, cx: &mut Context<'_>) {
    projections::restrict_to_output(query, cx);
    query.rel = Rel::Distinct { input: Box::new(query.rel.take()) };
}

/// Takes away every DISTINCT, those of aggregates and window functions, too.
fn drop_distinct(query: &mut Query) {
    query.map_deep(|node| {
        if let NodeMut::Rel(rel) = node {
            while let Rel::Distinct { input } = rel {
                *rel = input.take();
            }
            // What DISTINCT is beside an ORDER BY of other columns.
            if let Rel::Aggregate { input, keys, calls } = rel
                && !calls.is_empty()
                && calls.iter().all(|(_, call)| call.func == AggFunc::Bare && call.distinct)
            {
                let shown = calls.iter().filter_map(|(c, call)| Some((*c, call.args.first()?.clone())));
                let exprs = keys.drain(..).chain(shown).collect();
                *rel = Rel::project(input.take(), exprs);
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

pub(super) use dates::part_of_text;
pub(super) use null_order::{NULL_ORDER, tests_as_places};

/// The rule by which an output becomes a constant.
pub(super) const PINNED_COLUMNS: &str = constants::PINNED_COLUMNS.name;

/// The rule by which numbers are whole.
pub(super) const INTEGER_BOUNDS: &str = literals::INTEGER_BOUNDS.name;

/// The rule by which groups by a key are single rows.
pub(super) const SINGLE_ROWS: &str = rollup::SINGLE_ROWS.name;

pub(super) use extreme_rows::{first_by, first_row_of};
pub(super) use joins::without_table;
pub(super) use projections::prune_scans;
pub(super) use ratios::{count_instead, indicator, is_number, whole_indicator};

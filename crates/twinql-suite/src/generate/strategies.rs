//! The strategies by which a database is made, in the order in which they are applied.
//!
//! Strategies of the first stage set the parameters of a draft, those of the second add
//! rows to it, and those of the third work on the finished rows. Each has a probability
//! for each database, so that databases differ in kind, and none is made by all.

use std::collections::{BTreeMap, BTreeSet};

use twinql_sql::{Nulls, Value};

use super::bounds;
use super::draft::Draft;
use super::generator::Generator;
use super::guided::{extremes, lone_rows};
use super::lone;
use super::scenario::{Aim, classes, classes_without, instantiate};
use super::shapes::left_out;
use crate::database::{Database, keys};
use crate::dice::Dice;

/// What a strategy works on, and so when it is applied.
pub(super) enum Apply {
    /// Sets parameters, before there are rows.
    Parameters(fn(&mut Draft<'_>, &mut Dice)),
    /// Adds rows.
    Rows(fn(&Generator<'_>, u64, &mut Draft<'_>, &mut Dice)),
    /// Changes the finished database.
    Finished(fn(&Generator<'_>, &mut Database, &mut Dice)),
}

/// One way in which databases are made to differ.
#[allow(missing_debug_implementations)] // function pointers
pub struct Strategy {
    /// The name, for lists and documentation.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Which wrong queries it finds, or where the idea comes from.
    pub why: &'static str,
    /// When it is applied.
    pub when: &'static str,
    /// Whether [plain](Generator::plain) databases use it, always.
    pub(super) plain: bool,
    /// The probability that a database with this number uses it; from 1 on, always.
    pub(super) weight: fn(&Generator<'_>, u64) -> f64,
    pub(super) apply: Apply,
}

impl Strategy {
    /// Whether this database uses it.
    pub(super) fn drawn(&self, generator: &Generator<'_>, index: u64, dice: &mut Dice) -> bool {
        if generator.plain {
            return self.plain;
        }
        if left_out(self.name) {
            return false;
        }
        let weight = (self.weight)(generator, index);
        weight >= 1.0 || (weight > 0.0 && dice.chance(weight))
    }
}

/// All strategies.
pub const STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "skewed-parents",
        doc: "rows refer to all rows of another table alike, or mostly to a few",
        why: "groups of unequal size, and parents without children: inner against outer joins, counts",
        when: "always; one of three degrees is drawn",
        plain: false,
        weight: |_, _| 1.0,
        apply: Apply::Parameters(|draft, dice| draft.parent_skew = [1.0, 1.0, 2.0, 3.0][dice.below(4)]),
    },
    Strategy {
        name: "dangling-keys",
        doc: "a foreign key refers to no row with probability 0, 0.3 or 0.7",
        why: "queries that differ in a join along a foreign key only",
        when: "where the semantics does not assume foreign keys; half of these databases",
        plain: false,
        weight: |_, _| 1.0,
        apply: Apply::Parameters(|draft, dice| draft.dangling = [0.0, 0.3, 0.0, 0.7][dice.below(4)]),
    },
    Strategy {
        name: "severed-table",
        doc: "no foreign key refers to a row of one of the tables",
        why: "a join with a table that adds nothing while foreign keys hold",
        when: "where the semantics does not assume foreign keys; a fifth of these databases",
        plain: false,
        weight: |g, _| if g.semantics.foreign_keys_hold { 0.0 } else { 0.2 },
        apply: Apply::Parameters(|draft, dice| {
            let referred: BTreeSet<usize> = draft
                .needed
                .iter()
                .filter_map(|&t| draft.schema.tables.get(t))
                .flat_map(|t| t.foreign_keys.iter().map(|f| f.target))
                .collect();
            let referred: Vec<usize> = referred.into_iter().collect();
            draft.severed = dice.pick(&referred).copied();
        }),
    },
    Strategy {
        name: "nulls",
        doc: "a nullable column is NULL with probability 0, 0.1 or 0.3; 0.9 too if the gold asks for its NULLs",
        why: "NOT IN, COUNT(column), outer joins, negated comparisons; the published fuzzer has no NULLs",
        when: "where the semantics has NULLs, and in columns whose NULLs the gold asks for; most of these databases",
        plain: false,
        weight: |_, _| 1.0,
        apply: Apply::Parameters(|draft, dice| {
            // A table may have no other value in a column that is asked for.
            let asked = usize::from(draft.semantics.nulls.asked().next().is_some());
            draft.nulls = [0.0, 0.1, 0.3, 0.9][dice.below(3 + asked)];
        }),
    },
    Strategy {
        name: "nothing-but-nulls",
        doc: "every nullable column is NULL throughout",
        why: "aggregates of no value: SUM(x) against SUM(COALESCE(x, 0)), AVG(x) against a count",
        when: "where the semantics has NULLs in all nullable columns; every sixteenth database",
        plain: false,
        weight: |g, index| if index % 16 == 11 && g.semantics.nulls == Nulls::Nullable { 1.0 } else { 0.0 },
        apply: Apply::Parameters(|draft, _| draft.nulls = 1.0),
    },
    Strategy {
        name: "asked-nulls",
        doc: "a tenth of a column's values is NULL",
        why: "plain databases of a gold that asks for NULLs, which would have no answer",
        when: "plain databases alone, in the columns that the gold asks for",
        plain: true,
        weight: |_, _| 0.0,
        apply: Apply::Parameters(|draft, _| {
            let asked = draft.semantics.nulls.asked().next().is_some();
            draft.nulls = if asked { 0.1 } else { 0.0 };
        }),
    },
    Strategy {
        name: "one-row",
        doc: "a table that another refers to has one row; where there is none, any table",
        why: "a parent without others: = against <>, the second highest of one, a maximum that is the minimum",
        when: "where a query joins or ranks; every sixteenth database",
        plain: false,
        weight: |g, index| if index % 16 == 9 && lone::may_be_alone(g) { 1.0 } else { 0.0 },
        apply: Apply::Parameters(lone::one_row),
    },
    Strategy {
        name: "tiny-tables",
        doc: "tables have at most one or two rows",
        why: "what only a lone row shows: <> inside IN, cross joins, aggregates over one value",
        when: "thorough only; 8 % of databases",
        plain: false,
        weight: |g, _| if g.thorough { 0.08 } else { 0.0 },
        apply: Apply::Parameters(|draft, dice| draft.max_rows = 1 + dice.below(2)),
    },
    Strategy {
        name: "single-values",
        doc: "some columns hold one value throughout",
        why: "a value equal to its average, ties everywhere, near-ties where keys differ",
        when: "thorough only; 15 % of databases",
        plain: false,
        weight: |g, _| if g.thorough { 0.15 } else { 0.0 },
        apply: Apply::Parameters(|draft, dice| {
            for pool in &mut draft.pools {
                if dice.chance(0.4) {
                    pool.values.truncate(1);
                    pool.fresh = 0.0;
                }
            }
        }),
    },
    Strategy {
        name: "scenario",
        doc: "rows that together meet the conditions of a query, all but one or two of them, all but a join's equality, or all but for the case of letters",
        why: "conjunctions over joins, which independent rows hardly ever meet; join keys; LIKE for =",
        when: "where a query was understood; 85 % of databases",
        plain: false,
        weight: |g, _| if g.facts.is_empty() { 0.0 } else { 0.85 },
        apply: Apply::Rows(scenario),
    },
    Strategy {
        name: "uniform",
        doc: "independent rows from pools of few values: constants, their neighbours, fresh ones",
        why: "joins hit, groups form and ties arise; few distinct values as in test-suite accuracy (Zhong, Yu and Klein, 2020)",
        when: "90 % of databases; more rows in those with higher numbers",
        plain: true,
        weight: |_, _| 0.9,
        apply: Apply::Rows(uniform),
    },
    Strategy {
        name: "group-bounds",
        doc: "groups of sizes around the constants of HAVING and LIMIT",
        why: "> 3 against >= 3, LIMIT 3 against LIMIT 4: bounds that the published fuzzer leaves out",
        when: "60 % of databases where a query has such a constant, else 20 %",
        plain: false,
        weight: |g, index| match (g.counts.is_empty(), index) {
            (true, _) => 0.2,
            (false, 0..3) => 0.2,
            (false, _) => 0.6,
        },
        apply: Apply::Rows(bounds::group_bounds),
    },
    Strategy {
        name: "beyond-bounds",
        doc: "one group of a size around a bound that ordinary tables do not reach, or as many rows as a LIMIT passes, in an order of their own by each column",
        why: "HAVING COUNT(*) > 50, LIMIT 30 under one order or another",
        when: "where a query has a bound between 13 and 260: every twelfth database, every 24th where it is above 60; a third of thorough ones",
        plain: false,
        weight: bounds::weight_beyond,
        apply: Apply::Rows(bounds::beyond_bounds),
    },
    Strategy {
        name: "null-groups",
        doc: "groups in which all values of nullable columns are NULL",
        why: "COUNT(x) against COUNT(*), HAVING SUM(x) > 0 against its negation, groups that an aggregate leaves without a value",
        when: "where the semantics has NULLs and a query groups; every eighth database",
        plain: false,
        weight: |g, index| if index % 8 == 6 && lone::has_null_groups(g) { 1.0 } else { 0.0 },
        apply: Apply::Rows(lone::null_groups),
    },
    Strategy {
        name: "duplicates",
        doc: "copies of rows with another key",
        why: "DISTINCT, ties of ORDER BY, UNION against UNION ALL, equal groups",
        when: "55 % of databases, 20 % of the first two",
        plain: false,
        weight: |_, index| if index < 2 { 0.2 } else { 0.55 },
        apply: Apply::Rows(duplicates),
    },
    Strategy {
        name: "near-duplicates",
        doc: "copies of rows with another key and one value drawn anew",
        why: "what a single condition, sort key or group key tells apart",
        when: "40 % of databases, 10 % of the first two",
        plain: false,
        weight: |_, index| if index < 2 { 0.1 } else { 0.4 },
        apply: Apply::Rows(near_duplicates),
    },
    Strategy {
        name: "lone-rows",
        doc: "rows that together meet the conditions of a query, while one of its relations has no row for them; often with an extreme value",
        why: "a join with a table that adds nothing while foreign keys hold, outer joins, and these under ORDER BY … LIMIT or MAX",
        when: "where a query joins; 40 % of databases where foreign keys are not assumed, else 15 %",
        plain: false,
        weight: |g, _| {
            let joins = g.facts.iter().any(|f| f.instances.len() > 1);
            match (joins, g.semantics.foreign_keys_hold) {
                (false, _) => 0.0,
                (true, false) => 0.4,
                (true, true) => 0.15,
            }
        },
        apply: Apply::Rows(lone_rows),
    },
    Strategy {
        name: "extremes",
        doc: "rows that meet the conditions of a query, or all but one, with a larger or smaller value than any in a column of ORDER BY, MIN or MAX",
        why: "the row that LIMIT 1 or MAX picks decides: it must be the one for which a condition or a join counts",
        when: "where a query ranks; 30 % of databases",
        plain: false,
        weight: |g, _| {
            if g.facts.iter().all(|f| f.ranked.is_empty()) { 0.0 } else { 0.3 }
        },
        apply: Apply::Rows(extremes),
    },
    Strategy {
        name: "never-empty",
        doc: "a row for each table that has none yet",
        why: "MAX(c) and ORDER BY c DESC LIMIT 1 agree only where there is a row",
        when: "always",
        plain: true,
        weight: |_, _| 1.0,
        apply: Apply::Rows(|g, _, draft, dice| g.fill_empty(draft, dice)),
    },
    Strategy {
        name: "any-order",
        doc: "rows are stored in random order",
        why: "answers that follow from the order of insertion alone",
        when: "always",
        plain: true,
        weight: |_, _| 1.0,
        apply: Apply::Finished(|_, database, dice| {
            for rows in database.tables.iter_mut().flatten() {
                dice.shuffle(rows);
            }
        }),
    },
    Strategy {
        name: "empty-tables",
        doc: "some tables lose all their rows, none that a kept foreign key refers to",
        why: "aggregates over nothing, EXISTS, cross joins",
        when: "where the semantics has empty tables; a quarter of these databases",
        plain: false,
        weight: |g, _| if g.semantics.empty_tables { 0.25 } else { 0.0 },
        apply: Apply::Finished(|g, database, dice| g.empty_some(database, dice)),
    },
];

/// Independent rows, parents first, so that a row finds parents to refer to. Small databases come first: most
/// pairs are told apart by a few rows, and a witness should be small.
fn uniform(g: &Generator<'_>, index: u64, draft: &mut Draft<'_>, dice: &mut Dice) {
    let most = match index {
        _ if g.plain => [6, 12, 18][dice.below(3)],
        0..3 => 1,
        3..10 => 3,
        10..25 => 6,
        _ => [4, 8, 14, 24][dice.below(4)],
    };
    for &table in &g.order {
        for _ in 0..1 + dice.below(most) {
            draft.add(table, &[], dice);
        }
    }
}

/// Rows for one query at a time, some of which meet its conditions and some of which just miss them: see
/// [`Aim`]. The same scenario over and over makes groups, and rows that differ in what no condition binds.
fn scenario(g: &Generator<'_>, index: u64, draft: &mut Draft<'_>, dice: &mut Dice) {
    let times = 1 + dice.below(if index < 4 { 2 } else { 5 });
    let same = dice.chance(0.3);
    let Some(mut facts) = g.facts.get(dice.below(g.facts.len())) else {
        return;
    };
    let mut class = classes(facts, 0.5, dice);
    for _ in 0..times {
        if !same {
            facts = &g.facts[dice.below(g.facts.len())];
            class = classes(facts, 0.5, dice);
        }
        let aim = match dice.below(100) {
            0..30 => Aim::miss(facts, dice),
            30..35 => Aim::miss_both(facts, dice),
            35..45 => Aim::case(facts, dice),
            45..50 if !facts.links.is_empty() => {
                let parted = dice.below(facts.links.len());
                let class = classes_without(facts, 0.5, Some(parted), dice);
                instantiate(g, facts, &class, &BTreeMap::new(), Aim::Meet, draft, dice);
                continue;
            }
            _ => Aim::Meet,
        };
        instantiate(g, facts, &class, &BTreeMap::new(), aim, draft, dice);
    }
}

/// The columns of a table whose values make it unique; a copy must draw them anew.
fn key_columns(draft: &Draft<'_>, table: usize) -> Vec<usize> {
    let Some(definition) = draft.schema.tables.get(table) else {
        return Vec::new();
    };
    let mut columns: Vec<usize> = keys(definition).flatten().copied().collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// Adds a row with the values of another, but for its keys and the column `change`, which are drawn anew.
/// Keys may repeat where the semantics does not assume them; NULLs are drawn anew as well.
fn copy(
    draft: &mut Draft<'_>,
    table: usize,
    row: usize,
    change: Option<usize>,
    dice: &mut Dice,
) -> Option<usize> {
    let redrawn = if draft.semantics.keys_hold { key_columns(draft, table) } else { Vec::new() };
    let source = draft.tables.get(table)?.get(row)?;
    let given: Vec<(usize, Value)> = source
        .iter()
        .enumerate()
        .filter(|(c, v)| !redrawn.contains(c) && change != Some(*c) && **v != Value::Null)
        .map(|(c, v)| (c, v.clone()))
        .collect();
    draft.add(table, &given, dice)
}

/// Copies of rows, in most tables.
fn duplicates(g: &Generator<'_>, index: u64, draft: &mut Draft<'_>, dice: &mut Dice) {
    let most = if index < 15 { 2 } else { 4 };
    for &table in &g.order {
        let rows = draft.tables[table].len();
        if rows == 0 || !dice.chance(0.7) {
            continue;
        }
        for _ in 0..1 + dice.below(most) {
            let row = dice.below(rows);
            copy(draft, table, row, None, dice);
        }
    }
}

/// The same with one column drawn anew.
fn near_duplicates(g: &Generator<'_>, _index: u64, draft: &mut Draft<'_>, dice: &mut Dice) {
    for &table in &g.order {
        let rows = draft.tables[table].len();
        let width = draft.schema.tables[table].columns.len();
        if rows == 0 || !dice.chance(0.7) {
            continue;
        }
        for _ in 0..1 + dice.below(3) {
            let row = dice.below(rows);
            let column = dice.below(width);
            copy(draft, table, row, Some(column), dice);
        }
    }
}

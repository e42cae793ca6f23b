use std::collections::BTreeSet;

use twinql_sql::{Semantics, Value};

use super::*;
use crate::dice::Dice;

/// Rows of one column in groups, and how many rows each group gives.
type Case = Vec<(Vec<i64>, usize)>;

fn made(case: &Case) -> (Vec<Row>, Vec<(Range<usize>, usize)>) {
    let (mut rows, mut groups) = (Vec::new(), Vec::new());
    for (values, take) in case {
        groups.push((rows.len()..rows.len() + values.len(), *take));
        rows.extend(values.iter().map(|v| vec![Value::Integer(*v)]));
    }
    (rows, groups)
}

/// All permitted lists.
fn listed(case: &Case) -> BTreeSet<Vec<i64>> {
    let mut all = BTreeSet::from([Vec::new()]);
    for (values, take) in case {
        for step in 0..*take {
            all = all
                .iter()
                .flat_map(|list: &Vec<i64>| {
                    let drawn = &list[list.len() - step..];
                    let left = |v: &i64| {
                        let has = values.iter().filter(|x| *x == v).count();
                        has > drawn.iter().filter(|x| *x == v).count()
                    };
                    let next: BTreeSet<i64> = values.iter().copied().filter(left).collect();
                    next.into_iter().map(|v| [list.clone(), vec![v]].concat()).collect::<Vec<_>>()
                })
                .collect();
        }
    }
    all
}

fn mode(as_list: bool, as_set: bool) -> Mode {
    Mode { as_list, as_set, ..Mode::new(&Semantics::default(), false) }
}

/// A window over a few groups of a few values, cut at both ends.
fn random(dice: &mut Dice) -> Case {
    let groups = 1 + dice.below(3);
    let case: Case = (0..groups)
        .map(|_| {
            let values: Vec<i64> = (0..1 + dice.below(4)).map(|_| dice.below(3) as i64).collect();
            let n = values.len();
            (values, n)
        })
        .collect();
    let cut = |case: Case, at: usize, dice: &mut Dice| -> Case {
        let mut case = case;
        if let Some((values, take)) = case.get_mut(at) {
            *take = (1 + dice.below(values.len())).min(*take);
        }
        case
    };
    let case = cut(case, 0, dice);
    cut(case, groups - 1, dice)
}

#[test]
fn the_same_as_listing_all_answers() {
    let mut equal = 0;
    for i in 0..4_000 {
        let mut dice = Dice::new(3, i);
        let (one, mut two) = (random(&mut dice), random(&mut dice));
        if dice.chance(0.5) {
            // One value in more or fewer copies.
            two = one.clone();
            if let Some((values, _)) = two.last_mut() {
                values.push(dice.below(3) as i64);
            }
        }
        let (lists, others) = (listed(&one), listed(&two));
        let bags = |lists: &BTreeSet<Vec<i64>>| -> BTreeSet<Vec<i64>> {
            let sorted = |list: &Vec<i64>| {
                let mut list = list.clone();
                list.sort_unstable();
                list
            };
            lists.iter().map(sorted).collect()
        };
        let sets = |lists: &BTreeSet<Vec<i64>>| -> BTreeSet<BTreeSet<i64>> {
            lists.iter().map(|list| list.iter().copied().collect()).collect()
        };
        let ((rows, groups), (rows_two, groups_two)) = (made(&one), made(&two));
        let (left, right) = (Permitted::new(1, &rows, groups), Permitted::new(1, &rows_two, groups_two));
        let found = |mode| same_answers(&left, &right, mode, &mut Columns::new(1, true));
        assert_eq!(found(mode(true, false)), Some(lists == others), "{one:?} {two:?}");
        assert_eq!(found(mode(false, false)), Some(bags(&lists) == bags(&others)), "{one:?} {two:?}");
        assert_eq!(found(mode(false, true)), Some(sets(&lists) == sets(&others)), "{one:?} {two:?}");
        equal += usize::from(lists == others);
    }
    assert!(equal > 200, "{equal}");
}

#[test]
fn columns_in_another_order() {
    let row = |a: i64, b: &str| vec![Value::Integer(a), Value::Text(b.into())];
    let turned = |a: i64, b: &str| vec![Value::Text(b.into()), Value::Integer(a)];
    let rows = [row(1, "x"), row(1, "y"), row(2, "x")];
    let others = [turned(1, "y"), turned(1, "x"), turned(2, "x")];
    let wrong = [turned(1, "y"), turned(1, "x"), turned(2, "y")];
    let groups = || vec![(0..1, 1), (1..3, 1)];
    let left = Permitted::new(2, &rows, vec![(0..3, 1)]);
    let mut columns = Columns::new(2, true);
    let same = |rows: &[Row], columns: &mut Columns| {
        same_answers(&left, &Permitted::new(2, rows, vec![(0..3, 1)]), mode(true, false), columns)
    };
    assert_eq!(same(&wrong, &mut columns.clone()), Some(false));
    assert_eq!(same(&others, &mut columns), Some(true));
    assert!(columns.decided());
    let apart = Permitted::new(2, &others, groups());
    assert_eq!(same_answers(&left, &apart, mode(true, false), &mut Columns::new(2, true)), Some(false));
}

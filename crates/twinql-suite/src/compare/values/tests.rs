//! The definition's properties, on values that lie near each other and near every border.

use std::cmp::Ordering;

use proptest::prelude::*;
use twinql_sql::Value;

use super::{Numbering, among, order, same};
use crate::compare::denotation::Denotation;
use crate::compare::{Columns, Mode, equal};
use crate::execute::Answer;

const TOLERANCE: f64 = 1e-6;

fn real(r: f64) -> Value {
    Value::Real(r.into())
}

fn text(s: &str) -> Value {
    Value::Text(s.into())
}

/// Numbers near zero, near 2⁵³, near the ends of the integers, and around one value of ordinary size.
fn values() -> impl Strategy<Value = Value> {
    let integers = prop_oneof![
        -3i64..4,
        Just(i64::MIN),
        Just(i64::MAX),
        (1i64 << 53) - 2..(1 << 53) + 3,
        4_999_990i64..5_000_010,
    ];
    let reals = prop_oneof![
        prop::sample::select(vec![
            0.0,
            -0.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            f64::MAX,
            f64::MIN_POSITIVE,
            9_007_199_254_740_992.0,
            9_223_372_036_854_775_808.0,
            -9_223_372_036_854_775_808.0,
            1e300,
            0.1 + 0.2,
            0.3,
        ]),
        (0..40i32).prop_map(|n| 5e6 + f64::from(n) / 4.0),
        (-3..4i32).prop_map(f64::from),
        any::<f64>(),
    ];
    prop_oneof![
        1 => Just(Value::Null),
        4 => integers.prop_map(Value::Integer),
        4 => reals.prop_map(real),
        2 => prop::sample::select(vec!["", "0", "1", "inf", "NaN", "9e999", "a"]).prop_map(text),
        1 => prop::collection::vec(0u8..2, 0..3).prop_map(Value::Blob),
    ]
}

fn kind(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Real(r) if r.0.is_nan() => 0,
        Value::Integer(_) | Value::Real(_) => 1,
        Value::Text(_) => 2,
        Value::Blob(_) => 3,
    }
}

fn infinite(value: &Value) -> Option<f64> {
    match value {
        Value::Real(r) if r.0.is_infinite() => Some(r.0),
        _ => None,
    }
}

fn one(value: &Value) -> Answer {
    Answer { width: 1, rows: vec![vec![value.clone()]] }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]

    #[test]
    fn equality_is_reflexive_and_symmetric(a in values(), b in values(), tolerance in prop::sample::select(vec![0.0, TOLERANCE, 1e-2])) {
        prop_assert!(same(&a, &a, tolerance));
        prop_assert_eq!(same(&a, &b, tolerance), same(&b, &a, tolerance));
    }

    #[test]
    fn values_of_two_kinds_are_never_equal(a in values(), b in values()) {
        prop_assert!(kind(&a) == kind(&b) || !same(&a, &b, TOLERANCE));
    }

    #[test]
    fn an_infinity_equals_itself_alone(a in values(), b in values()) {
        if infinite(&a).is_some() {
            prop_assert_eq!(same(&a, &b, TOLERANCE), infinite(&a) == infinite(&b));
        }
    }

    #[test]
    fn without_tolerance_equality_is_a_tie(a in values(), b in values()) {
        prop_assert_eq!(same(&a, &b, 0.0), order(&a, &b).is_eq());
    }

    #[test]
    fn the_order_is_total(a in values(), b in values(), c in values()) {
        prop_assert_eq!(order(&a, &b), order(&b, &a).reverse());
        if order(&a, &b).is_le() && order(&b, &c).is_le() {
            prop_assert!(order(&a, &c).is_le(), "{:?} {:?} {:?}", a, b, c);
        }
        if order(&a, &b).is_eq() {
            prop_assert_eq!(order(&a, &c), order(&b, &c));
        }
    }

    #[test]
    fn equal_values_have_one_number(all in prop::collection::vec(values(), 1..20)) {
        let numbers = Numbering::of(all.iter(), TOLERANCE);
        for a in &all {
            for b in &all {
                prop_assert!(!same(a, b, TOLERANCE) || numbers.number(a) == numbers.number(b), "{:?} {:?}", a, b);
                // What is of one class is linked by equal values.
                if numbers.number(a) == numbers.number(b) {
                    prop_assert_eq!(kind(a), kind(b));
                    prop_assert_eq!(infinite(a), infinite(b));
                }
            }
        }
    }

    #[test]
    fn a_value_is_found_among_others(all in prop::collection::vec(values(), 0..20), value in values()) {
        let mut pool: Vec<&Value> = all.iter().collect();
        pool.sort_by(|a, b| order(a, b));
        let there = all.iter().any(|x| same(x, &value, TOLERANCE));
        prop_assert_eq!(among(&pool, &value, TOLERANCE), there);
    }

    #[test]
    fn answers_and_hashes_say_what_values_say(a in values(), b in values(), ordered: bool, as_set: bool) {
        let mode = Mode { any_column_order: true, as_set, as_list: ordered, tolerance: TOLERANCE };
        let (one, two) = (one(&a), one(&b));
        let wanted = same(&a, &b, TOLERANCE);
        prop_assert_eq!(equal(&one, &two, mode, &mut Columns::new(1, true)), wanted);
        let hashed = Denotation::of(&one, mode).zip(Denotation::of(&two, mode));
        if let Some(said) = hashed.and_then(|(x, y)| x.equal(&y, &mut Columns::new(1, true))) {
            prop_assert_eq!(said, wanted);
        }
    }

    #[test]
    fn bags_are_compared_alike_both_ways(
        rows in prop::collection::vec(prop::collection::vec(values(), 2), 0..6),
        others in prop::collection::vec(prop::collection::vec(values(), 2), 0..6),
        turn in 0usize..6,
        as_set: bool,
    ) {
        let mode = Mode { any_column_order: true, as_set, as_list: false, tolerance: TOLERANCE };
        let of = |rows: &[Vec<Value>]| Answer { width: 2, rows: rows.to_vec() };
        let mut turned = rows.clone();
        turned.rotate_left(turn.min(rows.len()));
        let alike = |a: &Answer, b: &Answer| equal(a, b, mode, &mut Columns::new(2, true));
        prop_assert!(alike(&of(&rows), &of(&turned)));
        prop_assert_eq!(alike(&of(&rows), &of(&others)), alike(&of(&others), &of(&rows)));
    }
}

#[test]
fn numbers_at_the_borders() {
    let big = 1i64 << 53;
    for (a, b, exact, near) in [
        (Value::Integer(2), real(2.0), true, true),
        (real(-0.0), Value::Integer(0), true, true),
        (real(f64::NAN), Value::Null, true, true),
        (Value::Integer(big + 1), real(big as f64), false, true),
        (Value::Integer(big + 1), Value::Integer(big), false, false),
        (Value::Integer(i64::MAX), real(9_223_372_036_854_775_808.0), false, true),
        (real(f64::INFINITY), Value::Integer(i64::MAX), false, false),
        (real(f64::INFINITY), real(f64::MAX), false, false),
        (real(f64::INFINITY), real(f64::NEG_INFINITY), false, false),
        (real(f64::MAX), real(-f64::MAX), false, false),
        (real(f64::MAX), Value::Integer(0), false, false),
        (real(f64::MAX), Value::Integer(i64::MAX), false, false),
        (Value::Integer(2), text("2"), false, false),
        (text("a"), Value::Blob(b"a".to_vec()), false, false),
    ] {
        assert_eq!(same(&a, &b, 0.0), exact, "{a:?} {b:?}");
        assert_eq!(same(&a, &b, TOLERANCE), near, "{a:?} {b:?}");
    }
    assert_eq!(order(&Value::Integer(big + 1), &real(big as f64)), Ordering::Greater);
}

/// An integer between two numbers that are equal does not part them.
#[test]
fn a_real_that_is_near_two_integers() {
    let all = [Value::Integer(5_000_000), Value::Integer(5_000_001), real(5_000_001.5)];
    let numbers = Numbering::of(all.iter(), TOLERANCE);
    assert!(!same(&all[0], &all[1], TOLERANCE) && same(&all[0], &all[2], TOLERANCE));
    assert_eq!(numbers.number(&all[0]), numbers.number(&all[2]));
    let integers = Numbering::of(all[..2].iter(), TOLERANCE);
    assert_ne!(integers.number(&all[0]), integers.number(&all[1]));
}

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use proptest::prelude::*;
use trajectory_metrics::tool_calls::{ArgumentRule, Value};

const TWO_TO_127: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

fn near(a: impl Into<Value>, b: impl Into<Value>, absolute: f64, relative: f64) -> bool {
    let rule = ArgumentRule::exact().with_tolerance(absolute, relative).unwrap();
    rule.agrees(&a.into(), &b.into()).unwrap()
}

#[test]
fn a_tolerance_is_relative_to_the_expected_number_and_applies_inside_lists_and_maps() {
    assert!(near(11, 10, 0.0, 0.1) && !near(10, 9, 0.0, 0.1));
    assert!(near(1.5, 1, 0.5, 0.0) && !near(1.5, 1, 0.4, 0.0));
    assert!(near(1, 1.5, 0.5, 0.0) && !near(1, 1.5, 0.4, 0.0));
    assert!(near(Value::Null, Value::Null, 0.0, 0.0) && !near(true, false, 9.0, 9.0));
    assert!(near(true, true, 0.0, 0.0) && !near("1", "2", 9.0, 9.0));
    assert!(!near(f64::NAN, 1.0, 9.0, 9.0) && !near(f64::INFINITY, 1.0, 9.0, 9.0));
    assert!(!near(1.0, f64::INFINITY, 9.0, 9.0) && !near("1", 1, 9.0, 9.0));
    // Without a tolerance, a difference that real numbers cannot hold still counts.
    assert!(!near(9_007_199_254_740_993, 9_007_199_254_740_992, 0.0, 0.0));
    let nested = |x: f64| Value::from(BTreeMap::from([("at".to_owned(), vec![x.into()].into())]));
    assert!(near(nested(1.01), nested(1.0), 0.02, 0.0));
    assert!(!near(nested(1.01), nested(1.0), 0.0, 0.001));
    assert_ne!(Value::from(vec![1.into(), 2.into()]), Value::from(vec![2.into(), 1.into()]));
}

/// Numbers that are easily confused, and values that hold them.
fn values() -> impl Strategy<Value = Value> {
    let whole = prop_oneof![
        (-3..4_i128),
        ((1_i128 << 53) - 3..(1 << 53) + 4),
        ((1_i128 << 64) - 2..(1 << 64) + 3),
        Just(i128::MAX),
        Just(i128::MAX - 1),
        Just(i128::MIN),
    ];
    let real = prop_oneof![
        (-6..7_i32).prop_map(|halves| f64::from(halves) / 2.0),
        (-3..4_i32).prop_map(|steps| 9_007_199_254_740_992.0 + f64::from(steps)),
        Just(18_446_744_073_709_551_616.0),
        Just(TWO_TO_127),
        Just(-TWO_TO_127),
        prop::sample::select(vec![
            -0.0,
            5e-324,
            f64::MAX,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            -f64::NAN,
        ]),
    ];
    let leaf = prop_oneof![
        4 => whole.prop_map(Value::Integer),
        4 => real.prop_map(Value::Real),
        1 => prop::sample::select(vec![Value::Null, true.into(), false.into(), "2".into()]),
    ];
    leaf.prop_recursive(2, 8, 2, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::List),
            prop::collection::btree_map("[ab]", inner, 0..3).prop_map(Value::Map),
        ]
    })
}

/// Integers and real numbers near 2^53, the first integers without a real number for each.
fn neighbours() -> impl Strategy<Value = Value> {
    let start = 1_i64 << 53;
    (start - 1..start + 4, any::<bool>())
        .prop_map(|(n, whole)| if whole { n.into() } else { (n as f64).into() })
}

fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn values_have_one_order_and_equal_ones_one_hash(
        (a, b, c) in prop_oneof![
            (values(), values(), values()),
            (neighbours(), neighbours(), neighbours()),
        ],
    ) {
        prop_assert_eq!(a.cmp(&a), Ordering::Equal);
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
        prop_assert_eq!(a == b, a.cmp(&b).is_eq());
        prop_assert_eq!(a == b, ArgumentRule::exact().agrees(&a, &b).unwrap());
        prop_assert!(a != b || hash(&a) == hash(&b), "{:?} {:?}", a, b);
        for (x, y, z) in [(&a, &b, &c), (&b, &c, &a), (&c, &a, &b)] {
            prop_assert!(!(x <= y && y <= z) || x <= z, "{:?} {:?} {:?}", x, y, z);
            prop_assert!(!(x == y && y == z) || x == z, "{:?} {:?} {:?}", x, y, z);
        }
    }
}

#[test]
fn values_of_one_kind_are_ordered_by_content_and_kinds_as_the_variants() {
    let rising: [Value; 9] = [
        Value::Null,
        false.into(),
        true.into(),
        3.into(),
        "10".into(),
        "9".into(),
        vec![1.into()].into(),
        vec![1.into(), Value::Null].into(),
        BTreeMap::new().into(),
    ];
    assert!(rising.is_sorted_by(|a, b| a < b));
    // Equal hashes of unequal values would be correct, but slow in a hash table.
    let hashes: std::collections::BTreeSet<u64> = rising.iter().map(hash).collect();
    assert_eq!(hashes.len(), rising.len());
}

#[test]
fn numbers_are_ordered_by_their_exact_size() {
    let two_to_53 = 9_007_199_254_740_992_i64;
    let rising: [Value; 15] = [
        f64::NEG_INFINITY.into(),
        Value::Integer(i128::MIN),
        (-2.5).into(),
        (-2).into(),
        (-1.5).into(),
        0.into(),
        5e-324.into(),
        1.into(),
        (two_to_53 - 1).into(),
        (two_to_53 as f64).into(),
        (two_to_53 + 1).into(),
        (two_to_53 as f64 + 2.0).into(),
        Value::Integer(i128::MAX),
        TWO_TO_127.into(),
        f64::NAN.into(),
    ];
    assert!(rising.is_sorted_by(|a, b| a < b));
    for (a, b) in [
        (Value::from(2), Value::from(2.0)),
        ((-0.0).into(), 0.0.into()),
        ((-0.0).into(), 0.into()),
        (f64::NAN.into(), (-f64::NAN).into()),
        (Value::Integer(i128::MIN), (-TWO_TO_127).into()),
        (
            Value::Map(BTreeMap::from([("a".to_owned(), 2.into())])),
            Value::Map(BTreeMap::from([("a".to_owned(), 2.0.into())])),
        ),
    ] {
        assert_eq!(a, b);
        assert_eq!(hash(&a), hash(&b), "{a:?} {b:?}");
    }
}

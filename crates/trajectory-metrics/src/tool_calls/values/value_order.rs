use std::{
    cmp::Ordering,
    hash::{Hash, Hasher},
};

use crate::tool_calls::values::value::Value;

/// By kind, in the order of the variants with all numbers as one kind, then by content. NaN comes
/// after all other numbers.
impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Integer(a), Self::Integer(b)) => a.cmp(b),
            (Self::Real(a), Self::Real(b)) => reals(*a, *b),
            (Self::Integer(a), Self::Real(b)) => integer_and_real(*a, *b),
            (Self::Real(a), Self::Integer(b)) => integer_and_real(*b, *a).reverse(),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::List(a), Self::List(b)) => a.cmp(b),
            (Self::Map(a), Self::Map(b)) => a.cmp(b),
            _ => kind(self).cmp(&kind(other)),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        kind(self).hash(state);
        match self {
            Self::Null => {}
            Self::Bool(value) => value.hash(state),
            Self::Integer(value) => value.hash(state),
            // Hashed as the integer that it equals, if there is one.
            Self::Real(value) => match as_integer(*value) {
                Some(value) => value.hash(state),
                None if value.is_nan() => f64::NAN.to_bits().hash(state),
                None => value.to_bits().hash(state),
            },
            Self::Text(value) => value.hash(state),
            Self::List(values) => values.hash(state),
            Self::Map(values) => values.hash(state),
        }
    }
}

const fn kind(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Integer(_) | Value::Real(_) => 2,
        Value::Text(_) => 3,
        Value::List(_) => 4,
        Value::Map(_) => 5,
    }
}

fn reals(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Compares without rounding the integer, which would make neighbouring integers equal.
fn integer_and_real(integer: i128, real: f64) -> Ordering {
    if real < -TWO_TO_127 {
        return Ordering::Greater;
    }
    if real < TWO_TO_127 {
        // The integer part is exact; if it is equal, the sign of the fraction decides.
        return integer.cmp(&(real as i128)).then_with(|| reals(0.0, real.fract()));
    }
    Ordering::Less
}

fn as_integer(real: f64) -> Option<i128> {
    // A larger number would be cast to the largest integer.
    let in_range = (-TWO_TO_127..TWO_TO_127).contains(&real);
    (in_range && real.fract() == 0.0).then_some(real as i128)
}

const TWO_TO_127: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, hash::DefaultHasher};

    use proptest::prelude::*;

    use super::{super::value::Tolerance, *};

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
            prop_assert_eq!(a == b, a.agrees(&b, Tolerance::default()));
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
    }

    #[test]
    fn values_that_differ_have_different_hashes() {
        // Equal hashes of unequal values would be correct, but slow in a hash table.
        let values: [Value; 12] = [
            Value::Null,
            false.into(),
            true.into(),
            0.into(),
            2.into(),
            2.25.into(),
            2.5.into(),
            f64::INFINITY.into(),
            f64::NAN.into(),
            "".into(),
            "2".into(),
            Vec::new().into(),
        ];
        let hashes: std::collections::BTreeSet<u64> = values.iter().map(hash).collect();
        assert_eq!(hashes.len(), values.len());
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
}

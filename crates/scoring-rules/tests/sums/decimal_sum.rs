use proptest::prelude::*;
use scoring_rules::{DecimalSum, decimals::Decimal};

fn sum(terms: &[f64]) -> DecimalSum {
    terms.iter().copied().collect()
}

#[test]
fn sums_equal_the_sums_of_the_decimals() {
    for (terms, expected) in [
        (&[0.1, 0.2][..], 0.3),
        (&[0.1; 10], 1.0),
        (&[40.73, 42.67], 83.4),
        (&[1e16, 1.0, 1.0], 1e16 + 2.0),
        (&[1e22, 0.1, -1e22], 0.1),
        (&[1e-10, 3e9, -3e9], 1e-10),
        (&[0.1 + 0.2], 0.1 + 0.2),
        (&[1.0 / 3.0, 1.0 / 3.0, -1.0 / 3.0], 1.0 / 3.0),
        (&[0.0, -0.0], 0.0),
        (&[5e-324, 5e-324], 1e-323),
        (&[f64::MAX, f64::MAX, -f64::MAX], f64::MAX),
        (&[f64::MAX, f64::MAX], f64::INFINITY),
        (&[-0.7, 0.1], -0.6),
        (&[], 0.0),
    ] {
        assert_eq!(sum(terms).value(), expected, "{terms:?}");
    }
    assert!(sum(&[0.0, -0.0]).value().is_sign_positive());
}

#[test]
fn infinite_terms_and_nan_behave_as_in_plain_addition() {
    assert_eq!(sum(&[1.0, f64::INFINITY]).value(), f64::INFINITY);
    assert_eq!(sum(&[f64::NEG_INFINITY, 0.5]), sum(&[f64::NEG_INFINITY]));
    assert!(sum(&[f64::INFINITY, f64::NEG_INFINITY]).value().is_nan());
    assert_ne!(sum(&[f64::NAN]), sum(&[f64::NAN]));
}

#[test]
fn sums_of_equal_value_are_equal_for_any_terms() {
    assert_eq!(sum(&[0.25, 0.75]), sum(&[1.0]));
    assert_eq!(sum(&[1e30, -1e30]), sum(&[]));
    assert_ne!(sum(&[0.1, 1e-20]), sum(&[0.1]));
}

#[test]
fn digits_more_than_37_places_below_the_first_are_rounded_away() {
    assert_eq!(sum(&[1e30, 1e-30]), sum(&[1e30]));
    assert_eq!(sum(&[1e-300, 1e300]).value(), 1e300);
    assert_eq!(sum(&[1e300, 1e-300, -1e300]).value(), 0.0);
    // A thousand additions and their carries keep the leading digits.
    let many: Vec<f64> = (0..1000).flat_map(|_| [1e30, 0.1, 1e-9]).collect();
    assert_eq!(sum(&many).value(), 1e33);
    let large = sum(&vec![9.999_999_999_999_999e99; 2000]);
    assert_eq!(large.value(), 1.999_999_999_999_999_8e103);
}

/// Decimals of up to 12 digits and 12 places.
fn decimal() -> impl Strategy<Value = (i64, i32)> {
    (-999_999_999_999..1_000_000_000_000_i64, -12..1_i32)
}

proptest! {
    #[test]
    fn sums_equal_sums_of_integers(
        terms in prop::collection::vec(decimal(), 0..40),
    ) {
        let mut units = 0_i128;
        let mut sum = DecimalSum::default();
        let mut backwards = DecimalSum::default();
        for &(digits, exponent) in &terms {
            units += i128::from(digits) * 10_i128.pow((exponent + 12) as u32);
            sum.add(format!("{digits}e{exponent}").parse().unwrap());
        }
        for &(digits, exponent) in terms.iter().rev() {
            backwards.add(format!("{digits}e{exponent}").parse().unwrap());
        }
        let expected: f64 = format!("{units}e-12").parse().unwrap();
        prop_assert_eq!(sum.value(), expected);
        prop_assert_eq!(backwards, sum);
    }

    #[test]
    fn the_sum_of_one_number_is_the_number_and_subtracting_it_gives_zero(
        term in any::<f64>().prop_filter("finite", |x| x.is_finite()),
        other in any::<f64>().prop_filter("finite", |x| x.is_finite()),
    ) {
        prop_assert_eq!(sum(&[term]).value(), term);
        prop_assert_eq!(sum(&[term, -term]), sum(&[]));
        // The order does not matter, and the error is a few units in the last place.
        let (a, b) = (sum(&[term, other]).value(), sum(&[other, term]).value());
        prop_assert_eq!(a, b);
        if (term + other).is_finite() {
            prop_assert!((a - (term + other)).abs() <= 4.0 * f64::EPSILON * term.abs().max(other.abs()));
        }
    }

    #[test]
    fn parts_merge_to_the_whole(
        terms in prop::collection::vec(decimal(), 0..20),
        at in 0_usize..20,
    ) {
        let terms: Vec<f64> =
            terms.iter().map(|(digits, exponent)| format!("{digits}e{exponent}").parse().unwrap()).collect();
        let at = at.min(terms.len());
        let mut merged = sum(&terms[at..]);
        merged.merge(&sum(&terms[..at]));
        prop_assert_eq!(merged, sum(&terms));
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_stored_sum_continues_with_the_same_results() {
    let mut whole = sum(&[0.1, 0.25, 1e20]);
    let mut read: DecimalSum =
        serde_json::from_str(&serde_json::to_string(&whole).unwrap()).unwrap();
    whole.add(0.3);
    read.add(0.3);
    assert_eq!(read, whole);
    assert_eq!(serde_json::to_string(&sum(&[3.84])).unwrap(), "\"384e-2\"");
    for wrong in [
        "\"\"",
        "\"1e999\"",
        "\"1.5e0\"",
        "\"NaN\"",
        "3",
        "\"1e\"",
        "\"1e400\"",
        "\"1e309\"",
        "\"1e-325\"",
        "\"1000000000000000000000e308\"",
    ] {
        assert!(serde_json::from_str::<DecimalSum>(wrong).is_err(), "{wrong}");
    }
    assert!(serde_json::to_string(&sum(&[f64::NAN])).is_err());
}

#[test]
fn the_shortest_decimal_is_found_for_numbers_of_any_size() {
    for (value, units, exponent) in [
        (0.3, 3, -1),
        (-40.73, -4073, -2),
        (1e-10, 1, -10),
        (0.1 + 0.2, 30_000_000_000_000_004, -17),
        (123_456_789_012_345_680.0, 12_345_678_901_234_568, 1),
        (5e-324, 5, -324),
        (7.0, 7, 0),
        (-0.0, 0, 0),
    ] {
        let wanted = Decimal { units, exponent };
        assert_eq!(Decimal::shortest(value), wanted, "{value}");
        assert_eq!(Decimal::shortest(value).nearest(), value);
    }
}

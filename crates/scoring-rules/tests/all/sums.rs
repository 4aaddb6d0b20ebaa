//! Sums and means: exact values, any order, merged parts.

use proptest::prelude::*;
use scoring_rules::{
    CompensatedSum, DecimalSum, Error, ExactMean, ExactSum, Weight, checks::not_finite,
    decimals::Decimal,
};

use crate::common::{finite, golden, number, weight_of};

#[test]
fn a_compensated_sum_keeps_digits_and_infinities() {
    let sum = |terms: &mut dyn Iterator<Item = f64>| {
        let mut sum = CompensatedSum::default();
        terms.for_each(|term| sum.add(term));
        sum.value()
    };
    assert_eq!(sum(&mut std::iter::repeat_n(0.1, 1_000_000)), 100_000.0);
    assert_eq!(sum(&mut [-1.0, f64::NEG_INFINITY, -1.0].into_iter()), f64::NEG_INFINITY);
}

#[test]
fn sums_are_equal_if_their_exact_values_are() {
    let sum = |terms: &[f64]| terms.iter().copied().collect::<ExactSum>();
    assert_eq!(sum(&[1e16, 1.0, -1e16]), sum(&[1.0]));
    assert_eq!(sum(&[-1.0, 1e300, 0.5, -1e300]), sum(&[-0.5]));
    assert_eq!(sum(&[0.0]), sum(&[-0.0]));
    // The value of both is 1e16.
    assert_ne!(sum(&[1e16, 1e-30]), sum(&[1e16]));
    assert_eq!(sum(&[f64::INFINITY, 1.0]), sum(&[2.0, f64::INFINITY]));
    assert_ne!(sum(&[f64::INFINITY]), sum(&[f64::NEG_INFINITY]));
    assert_ne!(sum(&[f64::NAN]), sum(&[f64::NAN]));
    assert_ne!(sum(&[f64::INFINITY, 1.0]), sum(&[1.0]));
    assert_ne!(sum(&[1.0]), sum(&[f64::NEG_INFINITY, 1.0]));
}

fn exact(terms: &[f64]) -> f64 {
    terms.iter().copied().collect::<ExactSum>().value()
}

#[test]
fn extreme_numbers_and_halfway_cases_are_rounded_to_nearest() {
    let tiny = f64::from_bits(1);
    assert_eq!(exact(&[]), 0.0);
    assert_eq!(exact(&[tiny, tiny, -f64::MIN_POSITIVE]), 2.0 * tiny - f64::MIN_POSITIVE);
    assert_eq!(exact(&[1.0, f64::EPSILON / 2.0]), 1.0);
    assert_eq!(exact(&[1.0, f64::EPSILON / 2.0, tiny]), 1.0 + f64::EPSILON);
    assert_eq!(exact(&[1.0 + f64::EPSILON, f64::EPSILON / 2.0]), 1.0 + 2.0 * f64::EPSILON);
    assert_eq!(exact(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
    assert_eq!(exact(&[f64::MAX, f64::MAX]), f64::INFINITY);
    assert_eq!(exact(&[-1.0, f64::NEG_INFINITY]), f64::NEG_INFINITY);
    assert!(exact(&[f64::INFINITY, f64::NEG_INFINITY]).is_nan());
}

#[test]
fn many_large_terms_do_not_overflow_a_digit() {
    let terms = [f64::MAX, -f64::MAX / 2.0, 3.5e-310].repeat(5_000);
    let expected = f64::INFINITY;
    assert_eq!(exact(&terms), expected);
    let cancelling = [1.7e308, 1e-3, -1.7e308].repeat(5_000);
    assert!((exact(&cancelling) - 5.0).abs() < 1e-13);
}

#[test]
fn sums_are_rounded_as_the_reference_does() {
    for line in golden(include_str!("../golden/exact_sum.csv")) {
        let row: Vec<f64> = line.iter().map(|field| number(field)).collect();
        assert_eq!(exact(&row[1..]), row[0], "{line:?}");
    }
}

proptest! {
    #[test]
    fn the_sum_does_not_depend_on_order_or_partition(
        terms in prop::collection::vec(finite(), 2..60),
        at in 0_usize..60,
    ) {
        let at = at % terms.len();
        let mut reversed: ExactSum = terms[at..].iter().rev().copied().collect();
        reversed.merge(&terms[..at].iter().rev().copied().collect());
        prop_assert_eq!(reversed.value().to_bits(), exact(&terms).to_bits());
    }

    #[test]
    fn a_product_is_added_with_all_its_bits(a in -1e9_f64..1e9, b in -1e9_f64..1e9) {
        let mut rest = ExactSum::default();
        rest.add_product(a, b);
        rest.add(-(a * b));
        prop_assert_eq!(rest.value(), a.mul_add(b, -(a * b)));
    }
}

#[test]
fn copies_of_a_term_sum_to_their_number_times_the_term_for_any_exponent() {
    // All bits are set, so that each addition adds as much as possible to a digit.
    for exponent in -40..40 {
        let term = (2.0 - f64::EPSILON) * 2.0_f64.powi(exponent);
        for (term, times) in [(term, 4_096.0), (-term, 4_096.0)] {
            let copies: ExactSum = std::iter::repeat_n(term, 4_096).collect();
            assert_eq!(copies.value(), times * term, "{term}");
            let mut parts = ExactSum::default();
            (0..4).for_each(|_| parts.merge(&std::iter::repeat_n(term, 1_024).collect()));
            assert_eq!(parts, copies, "{term}");
        }
    }
}

#[test]
fn a_value_of_weight_zero_changes_nothing() {
    let mut mean = ExactMean::default();
    mean.update_weighted(3.0, Weight::ZERO).unwrap();
    assert_eq!(mean.finish(), Err(Error::Empty));
    mean.update(1.0);
    for ignored in [f64::NEG_INFINITY, f64::NAN] {
        mean.update_weighted(ignored, Weight::ZERO).unwrap();
        assert_eq!(mean.finish(), Ok(1.0));
    }
    mean.update_weighted(f64::NEG_INFINITY, weight_of(0.5)).unwrap();
    assert_eq!(mean.finish(), Ok(f64::NEG_INFINITY));
}

fn mean(values: &[f64]) -> Result<f64, Error> {
    values.iter().copied().collect::<ExactMean>().finish()
}

#[test]
fn a_sum_beyond_the_largest_number_is_an_error_and_not_an_infinite_mean() {
    for sign in [1.0, -1.0] {
        let error = mean(&[sign * f64::MAX; 2]).unwrap_err();
        let infinity = sign * f64::INFINITY;
        assert_eq!(error, not_finite("the sum of the values", infinity));
    }
    assert_eq!(mean(&[f64::MAX, f64::MAX, -f64::MAX]), Ok(f64::MAX / 3.0));
    assert_eq!(mean(&[f64::MAX, f64::MAX, f64::INFINITY]), Ok(f64::INFINITY));
}

#[test]
fn a_mean_that_does_not_exist_is_an_error_and_changes_nothing() {
    for values in [[1.0, f64::NAN], [f64::INFINITY, f64::NEG_INFINITY]] {
        let error = mean(&values).unwrap_err();
        assert!(matches!(error, Error::Undefined { name: "the mean", .. }), "{error}");
    }
    let mut weighted: ExactMean = [1.0].into_iter().collect();
    let too_large = weighted.update_weighted(-f64::MAX, weight_of(2.0));
    assert_eq!(too_large, Err(not_finite("the value times its weight", f64::NEG_INFINITY)));
    let error = weighted.update_weighted(f64::NAN, Weight::ONE).unwrap_err();
    assert!(matches!(error, Error::NotANumber { what: "the value", .. }), "{error}");
    assert_eq!(weighted, [1.0].into_iter().collect());
}

fn weighted_mean(rows: &[(f64, f64)]) -> ExactMean {
    let mut mean = ExactMean::default();
    for &(value, weight) in rows {
        if weight == 1.0 {
            mean.update(value);
        } else {
            mean.update_weighted(value, weight_of(weight)).unwrap();
        }
    }
    mean
}

proptest! {
    #[test]
    fn an_integer_weight_gives_the_same_bits_as_copies(rows in prop::collection::vec((-20.0..0.0_f64, 1_u32..9), 1..40)) {
        let (mut weighted, mut copied) = (ExactMean::default(), ExactMean::default());
        for &(value, weight) in &rows {
            weighted.update_weighted(value, weight.into()).unwrap();
            copied.extend((0..weight).map(|_| value));
        }
        prop_assert_eq!(weighted.finish().unwrap().to_bits(), copied.finish().unwrap().to_bits());
    }

    #[test]
    fn parts_may_be_merged_in_any_order(
        rows in prop::collection::vec((-20.0..0.0_f64, prop_oneof![Just(1.0), 0.1..9.0_f64]), 1..40),
        at in any::<prop::sample::Index>(),
    ) {
        let of = weighted_mean;
        let (all, (low, high)) = (of(&rows), rows.split_at(at.index(rows.len())));
        for (first, then) in [(low, high), (high, low)] {
            let mut merged = of(first);
            merged.merge(&of(then));
            prop_assert_eq!(&merged, &all);
            prop_assert_eq!(merged.finish().unwrap().to_bits(), all.finish().unwrap().to_bits());
        }
    }
}

#[test]
fn means_are_equal_if_the_sums_of_values_and_of_weights_are_equal() {
    let of = weighted_mean;
    assert_eq!(of(&[(0.5, 2.0), (1.0, 1.0)]), [1.0, 0.5, 0.5].into_iter().collect());
    assert_eq!(of(&[(0.0, 2.0), (1.5, 1.0)]), of(&[(0.5, 3.0)]));
    // An equal mean with another weight, an equal sum with another weight, another sum.
    assert_ne!(of(&[(0.5, 2.0)]), of(&[(0.5, 1.0)]));
    assert_ne!(of(&[(0.5, 2.0)]), of(&[(1.0, 1.0)]));
    assert_ne!(of(&[(0.5, 2.0)]), of(&[(0.25, 2.0)]));
}

fn decimal_sum(terms: &[f64]) -> DecimalSum {
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
        assert_eq!(decimal_sum(terms).value(), expected, "{terms:?}");
    }
    assert!(decimal_sum(&[0.0, -0.0]).value().is_sign_positive());
}

#[test]
fn infinite_terms_and_nan_behave_as_in_plain_addition() {
    assert_eq!(decimal_sum(&[1.0, f64::INFINITY]).value(), f64::INFINITY);
    assert_eq!(decimal_sum(&[f64::NEG_INFINITY, 0.5]), decimal_sum(&[f64::NEG_INFINITY]));
    assert!(decimal_sum(&[f64::INFINITY, f64::NEG_INFINITY]).value().is_nan());
    assert_ne!(decimal_sum(&[f64::NAN]), decimal_sum(&[f64::NAN]));
}

#[test]
fn sums_of_equal_value_are_equal_for_any_terms() {
    assert_eq!(decimal_sum(&[0.25, 0.75]), decimal_sum(&[1.0]));
    assert_eq!(decimal_sum(&[1e30, -1e30]), decimal_sum(&[]));
    assert_ne!(decimal_sum(&[0.1, 1e-20]), decimal_sum(&[0.1]));
}

#[test]
fn digits_more_than_37_places_below_the_first_are_rounded_away() {
    assert_eq!(decimal_sum(&[1e30, 1e-30]), decimal_sum(&[1e30]));
    assert_eq!(decimal_sum(&[1e-300, 1e300]).value(), 1e300);
    assert_eq!(decimal_sum(&[1e300, 1e-300, -1e300]).value(), 0.0);
    // A thousand additions and their carries keep the leading digits.
    let many: Vec<f64> = (0..1000).flat_map(|_| [1e30, 0.1, 1e-9]).collect();
    assert_eq!(decimal_sum(&many).value(), 1e33);
    let large = decimal_sum(&vec![9.999_999_999_999_999e99; 2000]);
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
        term in finite(),
        other in finite(),
    ) {
        prop_assert_eq!(decimal_sum(&[term]).value(), term);
        prop_assert_eq!(decimal_sum(&[term, -term]), decimal_sum(&[]));
        // The order does not matter, and the error is a few units in the last place.
        let (a, b) = (decimal_sum(&[term, other]).value(), decimal_sum(&[other, term]).value());
        prop_assert_eq!(a, b);
        if (term + other).is_finite() {
            prop_assert!((a - (term + other)).abs() <= 4.0 * f64::EPSILON * term.abs().max(other.abs()));
        }
    }
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

#[test]
fn a_sum_has_the_decimal_places_of_its_terms_up_to_15() {
    let places = |term: f64| {
        let mut sum = DecimalSum::default();
        sum.add(term);
        sum.places()
    };
    assert_eq!([0.25, 1e-15, 1e-16].map(places), [Some(2), Some(15), None]);
}

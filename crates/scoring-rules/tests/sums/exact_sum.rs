use proptest::prelude::*;
use scoring_rules::ExactSum;

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

fn sum(terms: &[f64]) -> f64 {
    terms.iter().copied().collect::<ExactSum>().value()
}

#[test]
fn extreme_numbers_and_halfway_cases_are_rounded_to_nearest() {
    let tiny = f64::from_bits(1);
    assert_eq!(sum(&[]), 0.0);
    assert_eq!(sum(&[tiny, tiny, -f64::MIN_POSITIVE]), 2.0 * tiny - f64::MIN_POSITIVE);
    assert_eq!(sum(&[1.0, f64::EPSILON / 2.0]), 1.0);
    assert_eq!(sum(&[1.0, f64::EPSILON / 2.0, tiny]), 1.0 + f64::EPSILON);
    assert_eq!(sum(&[1.0 + f64::EPSILON, f64::EPSILON / 2.0]), 1.0 + 2.0 * f64::EPSILON);
    assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
    assert_eq!(sum(&[f64::MAX, f64::MAX]), f64::INFINITY);
    assert_eq!(sum(&[-1.0, f64::NEG_INFINITY]), f64::NEG_INFINITY);
    assert!(sum(&[f64::INFINITY, f64::NEG_INFINITY]).is_nan());
}

#[test]
fn many_large_terms_do_not_overflow_a_digit() {
    let terms = [f64::MAX, -f64::MAX / 2.0, 3.5e-310].repeat(5_000);
    let expected = f64::INFINITY;
    assert_eq!(sum(&terms), expected);
    let cancelling = [1.7e308, 1e-3, -1.7e308].repeat(5_000);
    assert!((sum(&cancelling) - 5.0).abs() < 1e-13);
}

#[test]
fn sums_are_rounded_as_the_reference_does() {
    for line in include_str!("../../tests/golden/exact_sum.csv").lines().skip(2) {
        let row: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        assert_eq!(sum(&row[1..]), row[0], "{line}");
    }
}

/// Finite numbers with uniform exponents.
fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |x| x.is_finite())
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
        prop_assert_eq!(reversed.value().to_bits(), sum(&terms).to_bits());
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

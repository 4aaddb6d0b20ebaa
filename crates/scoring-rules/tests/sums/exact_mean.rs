use proptest::prelude::*;
use scoring_rules::{Error, ExactMean, Weight};

#[test]
fn a_value_of_weight_zero_changes_nothing() {
    let mut mean = ExactMean::default();
    mean.update_weighted(3.0, Weight::ZERO).unwrap();
    assert_eq!(mean.finish(), Err(Error::Empty));
}

#[test]
fn an_infinite_value_counts_unless_its_weight_is_zero() {
    let mut mean: ExactMean = [1.0].into_iter().collect();
    mean.update_weighted(f64::NEG_INFINITY, Weight::ZERO).unwrap();
    assert_eq!(mean.finish(), Ok(1.0));
    mean.update_weighted(f64::NEG_INFINITY, Weight::new(0.5).unwrap()).unwrap();
    assert_eq!(mean.finish(), Ok(f64::NEG_INFINITY));
}

fn mean(values: &[f64]) -> Result<f64, Error> {
    values.iter().copied().collect::<ExactMean>().finish()
}

#[test]
fn a_sum_beyond_the_largest_number_is_an_error_and_not_an_infinite_mean() {
    for sign in [1.0, -1.0] {
        let error = mean(&[sign * f64::MAX; 2]).unwrap_err();
        let value = sign * f64::INFINITY;
        assert_eq!(error, Error::NotFinite { what: "the sum of the values", value });
    }
    assert_eq!(mean(&[f64::MAX, f64::MAX, -f64::MAX]), Ok(f64::MAX / 3.0));
    assert_eq!(mean(&[f64::MAX, f64::MAX, f64::INFINITY]), Ok(f64::INFINITY));
}

#[test]
fn a_product_with_a_weight_beyond_the_largest_number_is_an_error() {
    let mut weighted = ExactMean::default();
    let two = Weight::new(2.0).unwrap();
    let error = weighted.update_weighted(-f64::MAX, two).unwrap_err();
    let product = f64::NEG_INFINITY;
    let what = "the value times its weight";
    assert_eq!(error, Error::NotFinite { what, value: product });
    assert_eq!(weighted, ExactMean::default());
}

#[test]
fn a_mean_that_does_not_exist_is_an_error_and_not_nan() {
    for values in [[1.0, f64::NAN], [f64::INFINITY, f64::NEG_INFINITY]] {
        let error = mean(&values).unwrap_err();
        assert!(matches!(error, Error::Undefined { name: "the mean", .. }), "{error}");
    }
    let mut weighted: ExactMean = [1.0].into_iter().collect();
    assert_eq!(weighted.update_weighted(f64::NAN, Weight::ZERO), Ok(()));
    let error = weighted.update_weighted(f64::NAN, Weight::ONE).unwrap_err();
    assert!(matches!(error, Error::NotANumber { what: "the value" }), "{error}");
    assert_eq!(weighted.finish(), Ok(1.0));
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
        let of = |rows: &[(f64, f64)]| {
            let mut mean = ExactMean::default();
            for &(value, weight) in rows {
                if weight == 1.0 {
                    mean.update(value);
                } else {
                    mean.update_weighted(value, Weight::new(weight).unwrap()).unwrap();
                }
            }
            mean
        };
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
    let of = |rows: &[(f64, f64)]| {
        let mut mean = ExactMean::default();
        for &(value, weight) in rows {
            mean.update_weighted(value, Weight::new(weight).unwrap()).unwrap();
        }
        mean
    };
    assert_eq!(of(&[(0.5, 2.0), (1.0, 1.0)]), [1.0, 0.5, 0.5].into_iter().collect());
    assert_eq!(of(&[(0.0, 2.0), (1.5, 1.0)]), of(&[(0.5, 3.0)]));
    // An equal mean with another weight, an equal sum with another weight, another sum.
    assert_ne!(of(&[(0.5, 2.0)]), of(&[(0.5, 1.0)]));
    assert_ne!(of(&[(0.5, 2.0)]), of(&[(1.0, 1.0)]));
    assert_ne!(of(&[(0.5, 2.0)]), of(&[(0.25, 2.0)]));
}

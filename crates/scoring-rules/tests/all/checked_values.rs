//! Checked numbers, intervals, quantiles and ensembles: what is refused, in code and when read.

use std::fmt::{Debug, Display};

use scoring_rules::{
    BetaScore, Binning, BoostingScore, BrierScore, CompensatedSum, Corp, Decomposition, Dominance,
    ElementaryScore, Ensemble, Error, ExactMean, ExactSum, Interval, Level, LogScore, MurphyCurve,
    Observed, PooledBlocks, PowerScore, Probability, PseudosphericalScore, Quantiles,
    SphericalScore, ThresholdMixture, TiedBlocks, Weight, checks, propriety::Examination,
};

use crate::common::{level, prob, probabilities, weight_of, weights_of};

#[test]
fn numbers_out_of_range_are_refused() {
    let same = |value: f64, other: f64| value == other || value.is_nan() && other.is_nan();
    let not_finite = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for bad in not_finite.into_iter().chain([-1e-300, 1.0 + f64::EPSILON]) {
        let error = Probability::new(bad).unwrap_err();
        assert!(
            matches!(error, Error::NotAProbability { value, .. } if same(value, bad)),
            "{error}"
        );
    }
    for bad in not_finite.into_iter().chain([0.0, -0.0, 1.0, -0.5, 1.5]) {
        for level in [Level::new(bad), Level::try_from(bad)] {
            assert!(matches!(level, Err(Error::Setting { name: "level", .. })), "{level:?}");
        }
    }
    let [too_small, too_large] = [1e-100_f64.next_down(), 1e100_f64.next_up()];
    let weights = [-1e-300, f64::MIN_POSITIVE, too_small, too_large, -1.0];
    for bad in not_finite.into_iter().chain(weights) {
        let error = Weight::new(bad).unwrap_err();
        assert!(matches!(error, Error::Weight { value, .. } if same(value, bad)), "{error}");
    }
    for value in [0.0, -0.0, 1e-100, 1.0, 1e100] {
        assert_eq!(Weight::new(value).map(Weight::get), Ok(value), "{value:e}");
    }
    for value in [0.0_f64.next_up(), 1.0_f64.next_down()] {
        assert_eq!(f64::from(Level::try_from(value).unwrap()), value);
    }
    assert!(Level::try_from(Probability::ONE).is_err());
    assert_eq!(Level::try_from(Probability::HALF), Ok(Level::HALF));
}

#[test]
fn the_first_invalid_entry_of_a_slice_is_named_at_any_position() {
    for n in [1, 63, 64, 65, 130] {
        for (bad, wrong) in
            (0..n).flat_map(|bad| [f64::NAN, -1e-300, 1.5].map(|wrong| (bad, wrong)))
        {
            let mut values = vec![0.5; n];
            values[n - 1] = 7.0;
            values[bad] = wrong;
            let Err(Error::NotAProbabilityAt { index, value, .. }) =
                Probability::from_slice(&values)
            else {
                panic!("{values:?}")
            };
            assert_eq!((index, value.to_bits()), (bad, wrong.to_bits()));
        }
    }
    for value in [-1.0, f64::INFINITY, 1e101, 1e-101] {
        let error = Weight::from_slice(&[1.0, 0.0, value, -7.0]).unwrap_err();
        assert!(matches!(error, Error::WeightAt { index: 2, value: found, .. } if found == value));
    }
    let error = Weight::from_slice(&[f64::NAN]).unwrap_err().to_string();
    assert_eq!(error, "row 0: weight is NaN; weights must be 0 or from 1e-100 to 1e100");
}

#[test]
fn a_slice_is_viewed_not_copied() {
    let values = [0.0, 0.3, 1.0];
    assert_eq!(probabilities(&values).as_ptr().cast::<f64>(), values.as_ptr());
    assert_eq!(Probability::as_f64_slice(probabilities(&values)), values);
    assert_eq!(weights_of(&values).as_ptr().cast::<f64>(), values.as_ptr());
}

#[test]
fn values_are_shown_as_their_numbers_and_zero_without_a_sign() {
    fn shown<T: Debug + Display>(value: T, display: &str, debug: &str) {
        assert_eq!((value.to_string(), format!("{value:?}")), (display.into(), debug.into()));
    }
    shown(prob(-0.0), "0", "0.0");
    shown(prob(0.25), "0.25", "0.25");
    shown(weight_of(-0.0), "0", "0.0");
    shown(level(0.75), "0.75", "0.75");
    shown(Interval::new(2.0, 5.5).unwrap(), "[2, 5.5]", "[2.0, 5.5]");
    assert!(weight_of(-0.0) == Weight::ZERO && Weight::ZERO < Weight::ONE);
    assert!(level(0.25) < Level::HALF && Level::HALF < level(0.75));
}

#[test]
fn a_very_large_or_small_number_in_a_message_is_short() {
    let shown = [
        (1e300, "1e300"),
        (-1.5e-7, "-1.5e-7"),
        (1e16, "1e16"),
        (f64::NEG_INFINITY, "-inf"),
        (-123_456.5, "-123456.5"),
        (-1e-5, "-0.00001"),
    ];
    for (value, text) in shown {
        let setting = checks::setting("alpha", value, false, "in (0, 1)").unwrap_err();
        assert_eq!(setting.to_string(), format!("alpha is {text}; it must be in (0, 1)"));
        // A valid weight.
        if value != 1e16 {
            let weight = Weight::new(value).unwrap_err().to_string();
            assert!(weight.starts_with(&format!("weight is {text};")), "{weight}");
        }
    }
}

#[test]
fn an_outcome_above_its_cap_or_not_finite_is_refused_and_a_cap_is_kept() {
    assert!(matches!(
        Observed::capped(5.0, 4.0),
        Err(Error::Setting { name: "outcome", value: 5.0, .. })
    ));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let refused =
            |result, name| matches!(result, Err(Error::NotFinite { what, .. }) if what == name);
        assert!(refused(Observed::exact(bad), "the outcome"));
        assert!(refused(Observed::capped(bad, 4.0), "the outcome"));
        assert!(refused(Observed::capped(4.0, bad), "the cap"));
    }
    for pair in [(4.0, Some(4.0)), (3.0, Some(4.0)), (4.0, None)] {
        assert_eq!(<(f64, Option<f64>)>::from(Observed::try_from(pair).unwrap()), pair);
    }
}

#[test]
fn an_interval_contains_its_ends_and_all_numbers_between_them() {
    let interval = Interval::new(-2.0, 5.0).unwrap();
    assert!([-2.0, 0.0, 5.0].iter().all(|&inside| interval.contains(inside)));
    let outside = [-2.1, 5.1, f64::NEG_INFINITY, f64::INFINITY, f64::NAN];
    assert!(outside.iter().all(|&outside| !interval.contains(outside)));
    let point = Interval::new(5.0, 5.0).unwrap();
    assert!(point.contains(5.0) && point.width() == 0.0);
}

#[test]
fn an_end_may_be_infinite_but_not_nan_and_the_low_end_is_first() {
    let below = Interval::new(f64::NEG_INFINITY, 0.0).unwrap();
    assert_eq!(below.width(), f64::INFINITY);
    for end in [f64::NEG_INFINITY, f64::INFINITY] {
        assert_eq!(Interval::new(end, end).unwrap().width(), 0.0);
    }
    for (low, high, what) in
        [(f64::NAN, 0.0, "the lower bound"), (0.0, f64::NAN, "the upper bound")]
    {
        let refused = Interval::new(low, high);
        assert!(matches!(refused, Err(Error::NotANumber { what: end, .. }) if end == what));
    }
    assert!(matches!(Interval::new(2.0, 1.0), Err(Error::Reversed { low: 2.0, high: 1.0, .. })));
    let reversed = Interval::new(Probability::ONE, Probability::HALF).unwrap_err();
    assert!(matches!(reversed, Error::Reversed { low: 1.0, high: 0.5, .. }));
    let all = Interval::new(f64::NEG_INFINITY, f64::INFINITY).unwrap();
    for (a, b) in [(f64::NAN, 0.0), (0.0, f64::NAN), (f64::NAN, f64::NAN)] {
        assert_eq!(Interval::between(a, b), all);
    }
}

#[test]
fn invalid_levels_and_values_are_refused_with_their_entry() {
    let of = |levels: &[f64], values: &[f64]| {
        let levels: Vec<Level> = levels.iter().map(|&value| level(value)).collect();
        Quantiles::new(&levels, values).map(drop)
    };
    let three = [0.1, 0.2, 0.3];
    let length = checks::length("values", 2, 1);
    assert_eq!(of(&[0.1, 0.2], &[1.0]), Err(length));
    assert!(matches!(
        of(&[], &[]),
        Err(Error::TooFew { what: "quantiles", least: 1, found: 0, .. })
    ));
    assert!(matches!(
        of(&three, &[1.0, 2.0, f64::NAN]),
        Err(Error::NotFiniteAt { what: "values", index: 2, value, .. }) if value.is_nan()
    ));
    let levels = of(&[0.1, 0.2, 0.2], &three);
    assert!(matches!(
        levels,
        Err(Error::OutOfOrder { what: "levels", index: 2, before: 0.2, value: 0.2, .. })
    ));
    let values = of(&three, &[1.0, 0.5, 3.0]);
    assert!(matches!(
        values,
        Err(Error::OutOfOrder { what: "values", index: 1, before: 1.0, value: 0.5, .. })
    ));
    assert_eq!(of(&three, &[1.0; 3]), Ok(()));
}

#[test]
fn a_weighted_interval_loss_needs_a_median_and_symmetric_levels() {
    let central = |levels: &[f64]| {
        let levels: Vec<Level> = levels.iter().map(|&value| level(value)).collect();
        let forecast = Quantiles::new(&levels, &vec![1.0; levels.len()]).unwrap();
        forecast.weighted_interval_loss(Observed::exact(0.0).unwrap())
    };
    let missing = |levels: &[f64]| match central(levels) {
        Err(Error::NoPartner { index, level, .. }) => Some((index, level)),
        _ => None,
    };
    assert_eq!(central(&[0.1, 0.3, 0.5, 0.7, 1.0 - 0.1]), Ok(1.0));
    assert_eq!(central(&[0.5]), Ok(1.0));
    assert_eq!(central(&[0.1, 0.9]), Err(Error::NoMedian));
    assert_eq!(missing(&[0.1, 0.5]), Some((0, 0.1)));
    assert_eq!(missing(&[0.1, 0.5, 0.8]), Some((0, 0.1)));
    assert_eq!(missing(&[0.5, 0.9]), Some((1, 0.9)));
    assert_eq!(missing(&[0.4]), Some((0, 0.4)));
    assert_eq!(missing(&[0.1, 0.2, 0.5, 0.75, 0.9]), Some((1, 0.2)));
    assert_eq!(missing(&[0.1, 0.25, 0.5, 0.8, 0.9]), Some((3, 0.8)));
}

#[test]
fn invalid_members_and_weights_are_refused_and_members_of_weight_zero_are_left_out() {
    let of = |members: &[f64], weights: Option<&'static [f64]>| {
        Ensemble::new(members, weights.map(weights_of))
    };
    assert!(matches!(
        of(&[], None),
        Err(Error::TooFew { what: "ensemble members", least: 1, found: 0, .. })
    ));
    assert!(matches!(
        of(&[1.0, 0.0, f64::NAN], None),
        Err(Error::NotFiniteAt { what: "ensemble members", index: 2, value, .. }) if value.is_nan()
    ));
    assert!(matches!(of(&[f64::NAN], Some(&[0.0])), Err(Error::NotFiniteAt { index: 0, .. })));
    let three = [7.0, 5.0, 6.0];
    let length = checks::length("weights", 3, 2);
    assert_eq!(of(&three, Some(&[1.0, 1.0])), Err(length));
    assert_eq!(of(&three, Some(&[0.0; 3])), Err(Error::Empty));
    assert_eq!(of(&three, Some(&[2.0, 0.0, 1.0])), of(&[6.0, 7.0], Some(&[1.0, 2.0])));
    assert_eq!(of(&three, None), of(&[5.0, 6.0, 7.0], None));
}

#[test]
fn all_types_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<(Probability, Level, Interval, Observed, Quantiles, Ensemble)>();
    shared::<(TiedBlocks, Binning<'_>, PooledBlocks)>();
    shared::<(BrierScore, LogScore, SphericalScore, BoostingScore, BetaScore)>();
    shared::<(PowerScore, PseudosphericalScore, ElementaryScore, ThresholdMixture)>();
    shared::<(CompensatedSum, ExactSum, ExactMean, Corp, Decomposition, MurphyCurve)>();
    shared::<(Dominance, Examination, Error)>();
}

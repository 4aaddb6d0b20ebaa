use proptest::prelude::*;
use trajectory_metrics::{Error, Summary, Trace, WeightSchedule};

use crate::common::ps;

#[test]
fn the_same_forecasts_in_another_order_tie_under_uniform_weights() {
    let of = |stream: &[f64], summary: Summary| {
        summary.forecast(Trace::new(ps(stream), true).unwrap()).unwrap()
    };
    let a = of(&[0.25, 0.65, 0.1, 0.15, 0.9], Summary::Mean);
    assert_eq!(a, of(&[0.65, 0.9, 0.15, 0.1, 0.25], Summary::Mean));
    assert_eq!(a, of(&[0.41], Summary::Mean));
    assert_eq!(a.get(), 0.41);
    // Mathematically equal under falling weights: (2 * 0.3 + 0.6) / 3 and (2 * 0.2 + 0.8) / 3.
    let front = Summary::Weighted(WeightSchedule::LinearFront);
    assert_eq!(of(&[0.3, 0.6], front.clone()), of(&[0.2, 0.8], front));
}

#[test]
fn names_are_parsed_and_unknown_names_are_refused() {
    let weighted = WeightSchedule::NAMED.into_iter().map(Summary::Weighted);
    for summary in Summary::UNWEIGHTED.into_iter().chain(weighted) {
        assert_eq!(summary.to_string().parse(), Ok(summary));
    }
    let error = "first".parse::<Summary>().unwrap_err();
    assert!(matches!(error, Error::UnknownName { what: "summary", .. }));
}

proptest! {
    #[test]
    fn two_decimals_in_any_order_tie_with_their_exact_mean(
        hundredths in prop::collection::vec(0..=100_u32, 1..40),
    ) {
        let stream: Vec<f64> = hundredths.iter().map(|&h| f64::from(h) / 100.0).collect();
        let trace = Trace::new(ps(&stream), true).unwrap();
        let paper = f64::from(hundredths.iter().sum::<u32>()) / (100 * hundredths.len()) as f64;
        let rounded = (paper * 1e12).round() / 1e12;
        let mean = Summary::Mean.forecast(trace).unwrap().get();
        let constant = stream.iter().all(|&p| p == stream[0]);
        prop_assert!(mean == rounded || constant && mean == stream[0], "{mean} {rounded}");
    }

    #[test]
    fn a_constant_stream_is_its_own_mean(p in 0.0..=1.0_f64, n in 1_usize..200) {
        let values = vec![p; n];
        let trace = Trace::new(ps(&values), true).unwrap();
        for schedule in WeightSchedule::NAMED {
            prop_assert_eq!(Summary::Weighted(schedule).forecast(trace).unwrap().get(), p);
        }
    }

    #[test]
    fn a_weighted_mean_is_the_sum_of_weights_times_forecasts(
        values in prop::collection::vec(0.0..=1.0_f64, 1..80),
    ) {
        let trace = Trace::new(ps(&values), true).unwrap();
        for schedule in WeightSchedule::NAMED {
            let weights = schedule.weights(values.len()).unwrap();
            let direct: f64 = weights.iter().zip(&values).map(|(w, p)| w * p).sum();
            let mean = Summary::Weighted(schedule).forecast(trace).unwrap().get();
            prop_assert!((mean - direct).abs() <= 0.51e-12);
        }
    }
}

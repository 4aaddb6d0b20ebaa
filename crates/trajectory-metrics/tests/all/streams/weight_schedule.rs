use trajectory_metrics::{Error, Weight, WeightSchedule};

use crate::common::ws;

#[test]
fn weights_of_every_named_schedule_sum_to_one() {
    for schedule in WeightSchedule::NAMED {
        for horizon in [1, 2, 7, 50, 1_100, 3_000] {
            let sum: f64 = schedule.weights(horizon).unwrap().iter().sum();
            assert!((sum - 1.0).abs() < 1e-13, "{schedule} {horizon}: {sum}");
        }
    }
}

#[test]
fn a_name_honors_the_width_of_a_format_string() {
    assert_eq!(format!("{:>9}|", WeightSchedule::Uniform), "  uniform|");
}

#[test]
fn names_are_parsed_and_unknown_names_are_refused() {
    for schedule in WeightSchedule::NAMED {
        assert_eq!(schedule.to_string().parse(), Ok(schedule));
    }
    let error = "front".parse::<WeightSchedule>().unwrap_err();
    assert!(matches!(error, Error::UnknownName { what: "weight schedule", .. }));
}

#[test]
fn step_weights_below_the_least_row_weight_are_0_as_row_weights() {
    let schedule = WeightSchedule::ExponentialFront;
    let (weights, rows) = (schedule.weights(400).unwrap(), schedule.row_weights(400, 400));
    for (t, (weight, row)) in (1..).zip(weights.into_iter().zip(rows.unwrap())) {
        assert_eq!(row.get(), if t > 332 { 0.0 } else { weight }, "step {t}");
        assert!(weight > 0.0);
    }
    let far = WeightSchedule::custom(ws(&[1e100, 1e-100])).unwrap();
    assert_eq!(far.row_weights(2, 2), Ok(vec![Weight::ONE, Weight::ZERO]));
}

#[test]
fn a_custom_weight_that_is_not_positive_is_refused() {
    let weights = [Weight::ONE, Weight::ONE, Weight::ZERO];
    let (what, range) = ("custom weight", "positive");
    let error = WeightSchedule::custom(&weights).unwrap_err();
    assert_eq!(error, scoring_rules::checks::entry(what, 2, 0.0, range).into());
    let negative = ws(&[-0.0]);
    let error = WeightSchedule::custom(negative).unwrap_err();
    assert_eq!(error, scoring_rules::checks::entry(what, 0, 0.0, range).into());
    let short = WeightSchedule::custom(&[Weight::ONE]).unwrap();
    assert!(matches!(
        short.weights(2),
        Err(Error::ScheduleTooShort { horizon: 2, weights: 1, .. })
    ));
}

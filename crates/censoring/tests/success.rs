//! Estimates of the chance of success after a stop: logistic regression against scikit-learn
//! (`golden/logistic.py`), and what cross-fitting keeps apart.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

use std::cell::RefCell;

use censoring::{
    Error, Folds, LogisticSuccess, LogisticSuccessModel, Probability, StopReason, Stopped,
    SuccessLearner, SuccessModel, cross_fit_success, prefix_features,
};
use proptest::prelude::*;

#[derive(Default)]
struct Set {
    penalty: f64,
    features: Vec<Vec<f64>>,
    outcomes: Vec<bool>,
    weights: Vec<f64>,
    chances: Vec<f64>,
}

fn golden() -> Vec<Set> {
    let mut sets: Vec<Set> = Vec::new();
    for line in include_str!("golden/logistic.csv").lines().skip(2) {
        let [set, penalty, weight, outcome, features, chance] =
            line.split(';').collect::<Vec<_>>()[..]
        else {
            panic!("{line}");
        };
        if set.parse() == Ok(sets.len()) {
            sets.push(Set { penalty: penalty.parse().unwrap(), ..Set::default() });
        }
        let set = sets.last_mut().unwrap();
        set.features.push(features.split(' ').map(|x| x.parse().unwrap()).collect());
        set.outcomes.push(outcome == "1");
        set.weights.push(weight.parse().unwrap());
        set.chances.push(chance.parse().unwrap());
    }
    sets
}

#[test]
fn chances_are_those_of_scikit_learn_to_1e_12() {
    let mut worst = 0.0_f64;
    let sets = golden();
    for set in &sets {
        let learner = LogisticSuccess::new(set.penalty).unwrap();
        let model = learner.fit(&set.features, &set.outcomes, &set.weights).unwrap();
        for (features, chance) in set.features.iter().zip(&set.chances) {
            worst = worst.max((model.success_chance(features).unwrap().get() - chance).abs());
        }
    }
    println!("largest difference from scikit-learn: {worst:e} over {} sets", sets.len());
    assert_eq!(sets.len(), 24);
    assert!(worst < 1e-12, "{worst:e}");
}

fn fit(
    features: &[Vec<f64>],
    outcomes: &[bool],
    weights: &[f64],
) -> Result<LogisticSuccessModel, Error> {
    LogisticSuccess::default().fit(features, outcomes, weights)
}

#[test]
fn rows_that_teach_nothing_are_refused() {
    let one = [vec![1.0], vec![2.0]];
    let both = [true, false];
    for value in [f64::NAN, f64::INFINITY, -1e101] {
        let rows = [vec![1.0, 2.0], vec![1.0, value]];
        let error = fit(&rows, &both, &[1.0; 2]).unwrap_err();
        assert!(matches!(error, Error::Feature { row: 1, column: 1, .. }), "{error}");
        let error = fit(&one, &both, &[1.0; 2]).unwrap().success_chance(&[value]).unwrap_err();
        assert!(matches!(error, Error::Feature { row: 0, column: 0, .. }), "{error}");
        assert!(fit(&one, &both, &[1.0, value]).is_err());
        assert!(LogisticSuccess::new(value).is_err());
    }
    let length = |what, expected, found| {
        Err(Error::from(trajectory_metrics::Error::Length { what, expected, found }))
    };
    let ragged = fit(&[vec![1.0], vec![]], &both, &[1.0; 2]);
    assert_eq!(ragged, length("features of a row", 1, 0));
    assert_eq!(fit(&one, &[true], &[1.0; 2]), length("outcomes", 2, 1));
    assert_eq!(fit(&one, &both, &[1.0]), length("weights", 2, 1));
    let model = fit(&one, &both, &[1.0; 2]).unwrap();
    let wrong = model.success_chance(&[1.0, 2.0]).map(|_| model.clone());
    assert_eq!(wrong, length("features of a row", 1, 2));
    let one_class = |outcome| Err(Error::from(trajectory_metrics::Error::OneClass { outcome }));
    assert_eq!(fit(&one, &[true; 2], &[1.0; 2]), one_class(true));
    assert_eq!(fit(&one, &both, &[0.0, 1.0]), one_class(false));
    let empty = Err(Error::from(trajectory_metrics::Error::Empty));
    assert_eq!(fit(&[], &[], &[]), empty);
    assert_eq!(fit(&one, &both, &[0.0; 2]), empty);
    assert!(LogisticSuccess::new(0.0).is_err());
}

#[test]
fn a_feature_without_spread_counts_for_nothing_and_no_feature_leaves_the_base_rate() {
    let constant = [vec![0.1], vec![0.1], vec![0.1], vec![0.1]];
    let outcomes = [true, false, true, true];
    let model = fit(&constant, &outcomes, &[1.0; 4]).unwrap();
    assert_eq!(model.slopes(), [0.0]);
    for feature in [0.1, -1e100, 1e100] {
        assert!((model.success_chance(&[feature]).unwrap().get() - 0.75).abs() < 1e-15);
    }
    let none = vec![vec![]; 4];
    let model = fit(&none, &outcomes, &[1.0; 4]).unwrap();
    assert!((model.success_chance(&[]).unwrap().get() - 0.75).abs() < 1e-15);
    assert!((model.intercept() - 3.0_f64.ln()).abs() < 1e-15);
}

#[test]
fn separated_outcomes_and_repeated_features_have_a_fit() {
    let rows: Vec<Vec<f64>> = (0..10).map(|i| vec![f64::from(i), f64::from(i), 1e90]).collect();
    let outcomes: Vec<bool> = (0..10).map(|i| i >= 5).collect();
    for penalty in [1e300, 1.0, 1e-300] {
        let learner = LogisticSuccess::new(penalty).unwrap();
        let model = learner.fit(&rows, &outcomes, &[1.0; 10]).unwrap();
        assert!((model.slopes()[0] - model.slopes()[1]).abs() <= 1e-3 * model.slopes()[0]);
        assert!((model.success_chance(&[4.5, 4.5, 1e90]).unwrap().get() - 0.5).abs() < 1e-9);
        let last = model.success_chance(&[9.0, 9.0, 1e90]).unwrap().get();
        assert!(last >= 0.5 && (penalty > 1.0 || last > 0.8), "{penalty:e} {last}");
    }
}

proptest! {
    #[test]
    fn the_fit_knows_no_order_and_a_weight_of_two_is_the_row_twice(
        rows in prop::collection::vec((prop::collection::vec(-3.0..3.0_f64, 2), any::<bool>(), 1..4_u8), 2..20),
    ) {
        let features: Vec<Vec<f64>> = rows.iter().map(|row| row.0.clone()).collect();
        let outcomes: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let weights: Vec<f64> = rows.iter().map(|row| row.2.into()).collect();
        prop_assume!(outcomes.iter().any(|&y| y) && outcomes.iter().any(|&y| !y));
        let model = fit(&features, &outcomes, &weights).unwrap();

        let (mut x, mut y, mut w) = (features.clone(), outcomes.clone(), weights.clone());
        x.reverse();
        y.reverse();
        w.reverse();
        prop_assert_eq!(&fit(&x, &y, &w).unwrap(), &model);

        let (mut x, mut y) = (Vec::new(), Vec::new());
        for (features, outcome, copies) in &rows {
            for _ in 0..*copies {
                x.push(features.clone());
                y.push(*outcome);
            }
        }
        let copied = fit(&x, &y, &vec![1.0; x.len()]).unwrap();
        for features in &features {
            let (a, b) = (model.success_chance(features).unwrap(), copied.success_chance(features).unwrap());
            prop_assert!((a.get() - b.get()).abs() < 1e-11);
        }
        // At the minimum residuals add up to nothing.
        let residual: f64 = rows.iter().map(|(x, y, weight)| {
            f64::from(*weight) * (model.success_chance(x).unwrap().get() - f64::from(*y))
        }).sum();
        prop_assert!(residual.abs() < 1e-10, "{residual:e}");
    }
}

/// Two features, outcome, weight.
type Seen = (f64, f64, bool, f64);

/// Remembers what it was given.
#[derive(Default)]
struct Recorder(RefCell<Vec<Vec<Seen>>>);

impl SuccessLearner for Recorder {
    type Model = fn(&[f64]) -> Probability;

    fn fit(&self, x: &[Vec<f64>], y: &[bool], w: &[f64]) -> Result<Self::Model, Error> {
        let rows = x.iter().zip(y).zip(w).map(|((x, &y), &w)| (x[0], x[1], y, w)).collect();
        self.0.borrow_mut().push(rows);
        Ok(|_| Probability::HALF)
    }
}

#[test]
fn each_model_sees_the_prefixes_of_complete_runs_of_other_folds_only() {
    let forecasts = [Probability::HALF; 4];
    let run = |steps: usize, outcome| {
        Stopped::new(&forecasts[..steps], outcome, Some(StopReason::MaxSteps)).unwrap()
    };
    let runs = [
        run(3, Some(true)),
        run(2, Some(false)),
        run(4, None),
        run(1, Some(true)),
        run(4, Some(false)),
        Stopped::new(&forecasts, None, Some(StopReason::ToolError)).unwrap(),
    ];
    let folds = Folds::new(2, &[false; 6], &[0, 1, 2, 3, 4, 5]).unwrap();
    assert_eq!(folds.of_each(), [0, 1, 0, 1, 0, 1]);
    let recorder = Recorder::default();
    let weights = [2.0, 1.0, 1.0, 1.0, 0.0, 1.0];
    let features = |run: usize, t: usize| vec![run as f64, t as f64];
    let fit = cross_fit_success(&recorder, &runs, features, &folds, None, Some(&weights)).unwrap();
    // Run 3 ended at its first step and has no prefix, run 4 weighs nothing.
    assert_eq!(
        *recorder.0.borrow(),
        [vec![(1.0, 1.0, false, 1.0)], vec![(0.0, 1.0, true, 2.0), (0.0, 2.0, true, 2.0)]]
    );
    assert_eq!(fit.models().len(), 2);
    assert_eq!(fit.success_chance(5, &[]), Ok(Probability::HALF));
    let length = trajectory_metrics::Error::Length { what: "folds", expected: 7, found: 6 };
    assert_eq!(fit.success_chance(6, &[]), Err(length.into()));
}

#[test]
fn a_fold_without_enough_outside_it_is_named() {
    let forecasts = [Probability::HALF; 2];
    let success = Stopped::new(&forecasts, Some(true), None).unwrap();
    let runs = [success.clone(), success];
    let folds = Folds::new(2, &[true; 2], &[0, 1]).unwrap();
    let features = |run: usize, t: usize| prefix_features(&runs[run].forecasts()[..t]);
    let error = cross_fit_success(&LogisticSuccess::default(), &runs, features, &folds, None, None);
    let one_class = trajectory_metrics::Error::OneClass { outcome: true };
    assert_eq!(error.unwrap_err(), Error::Fold { fold: 0, error: Box::new(one_class.into()) });
    assert_eq!(prefix_features(&[]), [0.0; 4]);
}

#[test]
fn a_length_that_tells_the_outcome_does_not_leak_into_the_chance() {
    // Half of the runs succeed at their second step, half fail at their eleventh; at the first step
    // nothing is known.
    let forecasts = [Probability::HALF; 11];
    let runs: Vec<Stopped<'_>> = (0..200)
        .map(|i| {
            let success = i % 2 == 0;
            let steps = if success { 2 } else { 11 };
            Stopped::new(&forecasts[..steps], Some(success), None).unwrap()
        })
        .collect();
    let outcomes: Vec<bool> = (0..200).map(|i| i % 2 == 0).collect();
    let ids: Vec<usize> = (0..200).collect();
    let folds = Folds::halves(&outcomes, &ids).unwrap();
    let features = |_: usize, t: usize| vec![f64::from(u8::from(t == 1))];
    let models =
        cross_fit_success(&LogisticSuccess::default(), &runs, features, &folds, None, None)
            .unwrap();
    let chance = models.success_chance(0, &features(0, 1)).unwrap().get();
    assert!((chance - 0.5).abs() < 0.02, "{chance}");
}

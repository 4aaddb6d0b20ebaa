//! Feasibility scores against scikit-learn, percentiles against numpy.

use approx::assert_relative_eq;
use budget_estimation::{Estimate, Metrics, Sample, Weight};

use crate::common::{interval, level, runs};

/// A run of two turns, of which the second costs what remained after the first.
fn sample(remaining: f64, feasible: bool, estimate: Estimate) -> Sample {
    let (rollouts, tokens) = runs([([1.0, remaining], feasible)]);
    Sample::new(&rollouts.get(0).unwrap(), tokens, 1, estimate).unwrap()
}

fn rows(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.map(|line| line.split(',').collect()).collect()
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(' ').map(|number| number.parse().unwrap()).collect()
}

fn same(name: &str, found: Option<f64>, expected: &str) {
    match (found, expected) {
        (None, "none") => {}
        (Some(found), expected) if expected != "none" => {
            let expected: f64 = expected.parse().unwrap();
            assert_relative_eq!(found, expected, epsilon = 1e-15, max_relative = 1e-13);
        }
        _ => panic!("{name}: {found:?}, expected {expected}"),
    }
}

#[test]
fn feasibility_scores_are_those_of_scikit_learn_and_undefined_where_these_are() {
    let cases = rows(include_str!("../golden/feasibility.csv"));
    assert_eq!(cases.len(), 23);
    for case in cases {
        let [labels, said, weights, scores @ ..] = &case[..] else { panic!() };
        let mut metrics = Metrics::default();
        for ((label, said), weight) in labels.chars().zip(said.chars()).zip(numbers(weights)) {
            let estimate = match said {
                'f' => interval(0.0, 1.0),
                'i' => Estimate::Impossible,
                _ => Estimate::NoAnswer,
            };
            let sample = sample(5.0, label == 'f', estimate);
            metrics.update(&sample, Weight::new(weight).unwrap()).unwrap();
        }
        let found = metrics.finish().unwrap().feasibility;
        let (f, i) = (found.feasible, found.impossible);
        let found = [
            f.precision,
            f.recall,
            f.f1,
            i.precision,
            i.recall,
            i.f1,
            found.macro_f1,
            Some(found.accuracy),
        ];
        assert_eq!(found.len(), scores.len());
        for (found, expected) in found.into_iter().zip(scores) {
            same(labels, found, expected);
        }
    }
}

#[test]
fn interval_measures_are_those_of_numpy_and_a_weight_is_that_many_rows() {
    let cases = rows(include_str!("../golden/midpoint_errors.csv"));
    assert_eq!(cases.len(), 12);
    for case in cases {
        let [remaining, low, high, weights, expected @ ..] = &case[..] else { panic!() };
        let (low, high, weights) = (numbers(low), numbers(high), numbers(weights));
        let mut metrics = Metrics::default().with_coverage(level(0.8));
        for (i, remaining) in numbers(remaining).into_iter().enumerate() {
            let sample = sample(remaining, true, interval(low[i], high[i]));
            metrics.update(&sample, Weight::new(weights[i]).unwrap()).unwrap();
        }
        let found = metrics.finish().unwrap().intervals.unwrap();
        let found = [
            found.mre_p50,
            found.mre_p90,
            Some(found.interval_reward),
            Some(found.hit_rate),
            found.mean_relative_width,
            found.interval_loss,
        ];
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.into_iter().zip(expected) {
            same(remaining, found, expected);
        }
    }
}

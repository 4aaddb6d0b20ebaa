//! Informed references: no interval of their kind has a smaller loss.

use budget_estimation::{Error, Estimate, Interval, Level, Metrics, Sample, Weight, best_interval};
use proptest::prelude::*;

use crate::common::{always, interval, level, refused, whole_runs};

/// The samples of runs of one resource, without answers.
fn samples(runs: &[(Vec<u8>, bool)]) -> Vec<Sample> {
    let (rollouts, tokens) = whole_runs(runs);
    rollouts.score(tokens, &mut always(Estimate::NoAnswer)).unwrap()
}

type Reference = fn(&Sample) -> Option<f64>;

const REFERENCES: [Reference; 3] =
    [|_| Some(1.0), Sample::linear_reference, |sample| Some(sample.mean_cost_reference())];

/// The mean interval loss of the intervals that follow a reference.
fn loss(samples: &[Sample], ends: Interval, coverage: Level, reference: Reference) -> f64 {
    let mut metrics = Metrics::default().with_coverage(coverage);
    for sample in samples {
        let unit = reference(sample).unwrap();
        let estimate = interval(ends.low() * unit, ends.high() * unit);
        metrics.update(&sample.with_estimate(estimate).unwrap(), Weight::ONE).unwrap();
    }
    metrics.finish().unwrap().intervals.unwrap().interval_loss.unwrap()
}

fn runs() -> impl Strategy<Value = Vec<(Vec<u8>, bool)>> {
    prop::collection::vec((prop::collection::vec(1_u8..20, 2..6), any::<bool>()), 1..8)
        .prop_filter("a run must succeed", |runs| runs.iter().any(|(_, succeeded)| *succeeded))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// The loss is piecewise linear in each end, so that an optimum lies at the ratios of samples.
    #[test]
    fn no_interval_that_follows_the_reference_has_a_smaller_loss(
        runs in runs(),
        coverage in prop_oneof![Just(0.5), Just(0.8), 0.05..0.95_f64],
        which in 0..3_usize,
    ) {
        let (samples, coverage) = (samples(&runs), level(coverage));
        let reference = REFERENCES[which];
        let best = best_interval(&samples, coverage, None, reference).unwrap();
        let least = loss(&samples, best, coverage, reference);
        let feasible = samples.iter().filter(|sample| sample.is_feasible());
        let ratios: Vec<f64> =
            feasible.map(|sample| sample.remaining() / reference(sample).unwrap()).collect();
        for &low in &ratios {
            for &high in ratios.iter().filter(|high| **high >= low) {
                let other = loss(&samples, Interval::new(low, high).unwrap(), coverage, reference);
                prop_assert!(least <= other * (1.0 + 1e-12), "[{low}, {high}]: {other} < {least}");
            }
        }
    }

    #[test]
    fn a_weight_of_2_is_the_sample_given_twice_and_the_order_does_not_matter(
        runs in runs(),
        doubled in prop::collection::vec(any::<bool>(), 40),
        which in 0..3_usize,
    ) {
        let samples = samples(&runs);
        let weights: Vec<f64> =
            samples.iter().zip(&doubled).map(|(_, &two)| if two { 2.0 } else { 1.0 }).collect();
        let weights = Weight::from_slice(&weights).unwrap();
        let mut copies: Vec<Sample> = samples.clone();
        copies.extend(samples.iter().zip(&doubled).filter(|(_, two)| **two).map(|(it, _)| it));
        copies.reverse();
        let (half, reference) = (level(0.5), REFERENCES[which]);
        let weighted = best_interval(&samples, half, Some(weights), reference).unwrap();
        prop_assert_eq!(weighted, best_interval(&copies, half, None, reference).unwrap());
    }
}

/// Turns that all cost the same: whoever knows T and the mean cost knows what remains.
#[test]
fn the_oracle_of_mean_cost_and_turns_is_exact_for_runs_of_equal_turns() {
    let samples = samples(&[(vec![7; 5], true), (vec![3; 9], true), (vec![1, 90], false)]);
    let coverage = level(0.8);
    for reference in &REFERENCES[1..] {
        let best = best_interval(&samples, coverage, None, reference).unwrap();
        assert_eq!(best, Interval::new(1.0, 1.0).unwrap());
        assert_eq!(loss(&samples, best, coverage, *reference), 0.0);
    }
    let constant = best_interval(&samples, coverage, None, REFERENCES[0]).unwrap();
    assert!(loss(&samples, constant, coverage, REFERENCES[0]) > 0.0);
}

#[test]
fn a_best_interval_needs_a_feasible_sample_and_a_weight_per_sample() {
    let failed = samples(&[(vec![1, 2, 3], false)]);
    let undefined = best_interval(&failed, level(0.5), None, |_| Some(1.0));
    refused(undefined, "no feasible sample has a reference above 0");
    let weights = Weight::from_slice(&[1.0]).unwrap();
    let short = best_interval(&failed, level(0.5), Some(weights), |_| Some(1.0));
    refused(short, "weights: expected 2, found 1");
    let known = samples(&[(vec![1, 2, 3], true)]);
    let unknown = best_interval(&known, level(0.5), None, |_| None);
    refused(unknown, "no feasible sample has a reference above 0");
    let negative = known[0].with_estimate(Estimate::Interval(Interval::new(-1.0, 1.0).unwrap()));
    assert!(matches!(negative, Err(Error::NegativeEstimate { .. })), "{negative:?}");
}

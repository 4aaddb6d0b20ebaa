//! Which rewards pay for honesty, over a grid of distributions.

use budget_estimation::{Error, Estimate, Interval, Probability};
use proptest::prelude::*;
use scoring_rules::{
    ScoringRule, from_fn,
    propriety::{Examination, Verdict},
};

use crate::common::{interval, level, probability, refused};

const SCALES: [f64; 3] = [0.5, 100.0, 20_000.0];
const COVERAGES: [f64; 3] = [0.5, 0.8, 0.95];

/// The largest gain of another interval over the honest one, and both widths: the other's, the honest one's. The
/// honest interval is the central one of three possible remaining amounts; masses beyond its ends are just below
/// or just above the tail, so that a penalty that is wrong by a hundredth is found.
fn largest_gain(reward: impl Fn(Interval, f64) -> f64, coverage: f64) -> (f64, [f64; 2]) {
    let tail = (1.0 - coverage) / 2.0;
    let masses = [0.5, 0.9, 0.99, 1.01, 1.1].map(|share| share * tail);
    let mut largest = (f64::NEG_INFINITY, [0.0; 2]);
    for (middle, lower, upper) in [101.0, 500.0, 899.0]
        .into_iter()
        .flat_map(|middle| masses.map(|lower| masses.map(|upper| (middle, lower, upper))))
        .flatten()
    {
        let amounts = [(100.0, lower), (middle, 1.0 - lower - upper), (900.0, upper)];
        let expected = |low, high| {
            let ends = Interval::new(low, high).unwrap();
            amounts.map(|(amount, p)| p * reward(ends, amount)).into_iter().sum::<f64>()
        };
        let honest =
            (if lower > tail { 100.0 } else { middle }, if upper > tail { 900.0 } else { middle });
        let ends = [1.0, 99.0, 100.0, 101.0, 300.0, 500.0, 700.0, 899.0, 900.0, 901.0, 1_000.0];
        for (low, high) in ends.into_iter().flat_map(|low| ends.map(|high| (low, high))) {
            if low <= high && (low, high) != honest {
                let gain = expected(low, high) - expected(honest.0, honest.1);
                if gain > largest.0 {
                    largest = (gain, [high - low, honest.1 - honest.0]);
                }
            }
        }
    }
    largest
}

/// Scores of a stated probability with this answer, if so much remains where the run could succeed.
fn stated(answer: Estimate, scale: f64, coverage: f64) -> impl ScoringRule {
    from_fn(move |p: Probability, succeeds: bool| {
        let remaining = succeeds.then_some(120.0);
        answer.proper_reward(Some(p), remaining, scale, level(coverage)).unwrap()
    })
}

/// Scores of what an answer without a probability says: an interval, or `impossible` below one half.
fn answered(reward: impl Fn(Estimate, Option<f64>) -> f64) -> impl ScoringRule {
    from_fn(move |p: Probability, succeeds: bool| {
        let answer = if p.get() < 0.5 { Estimate::Impossible } else { interval(115.0, 125.0) };
        reward(answer, succeeds.then_some(120.0))
    })
}

#[test]
fn the_proper_reward_pays_for_the_honest_interval_and_the_honest_probability() -> Result<(), Error>
{
    for scale in SCALES {
        for coverage in COVERAGES {
            // The probability is the same for all intervals.
            let reward = |ends: Interval, remaining: f64| {
                let answer = Estimate::Interval(ends);
                let certain = Some(Probability::ONE);
                answer.proper_reward(certain, Some(remaining), scale, level(coverage)).unwrap()
            };
            let (gain, widths) = largest_gain(reward, coverage);
            assert!(gain < 0.0, "{scale} {coverage}: {gain} {widths:?}");
            for answer in [interval(50.0, 90.0), Estimate::Impossible] {
                let found = Examination::new(&stated(answer, scale, coverage))?;
                assert_eq!(found.verdict, Verdict::NoCounterexample { ties: vec![] }, "{found}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_papers_reward_pays_for_narrow_intervals_and_against_impossible() -> Result<(), Error> {
    let rule = |answer: Estimate, remaining| answer.rule_reward(remaining).unwrap();
    let interval = |ends: Interval, remaining| rule(Estimate::Interval(ends), Some(remaining));
    let (gain, [better, honest]) = largest_gain(interval, 0.8);
    assert!(gain > 0.05 && better < honest, "{gain} {better} {honest}");
    // Success is less likely than one half, and the interval gains.
    let Verdict::Improper(found) = Examination::new(&answered(rule))?.verdict else {
        panic!("the reward of the paper is not proper")
    };
    assert!(found.truth.get() < 0.5 && found.report.get() >= 0.5, "{found}");
    Ok(())
}

/// The expected reward of an answer.
fn expected(
    reward: impl Fn(Estimate, Option<f64>) -> f64,
    answer: Estimate,
    success: f64,
    remaining: f64,
) -> f64 {
    success * reward(answer, Some(remaining)) + (1.0 - success) * reward(answer, None)
}

#[test]
fn interval_and_impossible_break_even_where_the_documentation_says() -> Result<(), Error> {
    let proper = |answer: Estimate, remaining| {
        answer.proper_reward(None, remaining, 100.0, level(0.8)).unwrap()
    };
    let rule = |answer: Estimate, remaining| answer.rule_reward(remaining).unwrap();
    for (low, high) in [(100.0, 100.0), (90.0, 130.0), (100.0, 180.0)] {
        let interval = Estimate::interval(low, high)?;
        let loss = -proper(interval, Some(100.0));
        let earned = rule(interval, Some(100.0));
        let gain = |even: f64| {
            [
                expected(proper, interval, even, 100.0)
                    - expected(proper, Estimate::Impossible, even, 100.0),
                expected(rule, interval, even, 100.0)
                    - expected(rule, Estimate::Impossible, even, 100.0),
            ]
        };
        assert!(gain(1.0 / (3.0 - loss))[0].abs() < 1e-12);
        assert!(gain(0.2 / (0.2 + earned))[1].abs() < 1e-12);
    }
    assert!(
        (0.2_f64 / (0.2 + rule(Estimate::interval(100.0, 100.0)?, Some(100.0))) - 0.1).abs()
            < 1e-15
    );
    Ok(())
}

proptest! {
    #[test]
    fn the_proper_reward_keeps_its_bounds_and_no_answer_is_the_worst(
        low in 0.0..1e6, width in 0.0..1e6, remaining in prop::option::of(0.0..1e100),
        success in prop::option::of(0.0..=1.0), scale in 1e-9..1e9, coverage in 0.01..0.99,
    ) {
        let success = success.map(probability);
        let reward = |answer: Estimate| answer.proper_reward(success, remaining, scale, level(coverage)).unwrap();
        let worst = reward(Estimate::NoAnswer);
        prop_assert_eq!(worst, if remaining.is_some() { -2.0 } else { -1.0 });
        for answer in [Estimate::Impossible, interval(low, low + width)] {
            let reward = reward(answer);
            prop_assert!((worst - 1e-12..=0.0).contains(&reward), "{reward}");
        }
    }
}

#[test]
fn amounts_out_of_range_are_refused() {
    let reward = |answer: Estimate, remaining, scale| {
        answer.proper_reward(None, remaining, scale, level(0.8))
    };
    for amount in [-1.0, f64::NAN, f64::INFINITY] {
        refused(reward(Estimate::Impossible, Some(amount), 1.0), "remaining amount is ");
        refused(reward(Estimate::Impossible, None, amount), "scale is ");
    }
    refused(reward(Estimate::Impossible, None, 0.0), "scale is 0");
    let negative = Estimate::Interval(Interval::new(-1.0, 1.0).unwrap());
    assert!(matches!(reward(negative, None, 1.0), Err(Error::NegativeEstimate { .. })));
}

//! Measures over samples, against brute force, and their laws.

use budget_estimation::{
    Error, Estimate, Level, Metrics, Miss, ProgressAxis, ProgressMetrics, Resource, Rollout,
    Rollouts, Sample, Weight, joint_hits,
};
use proptest::prelude::*;
use scoring_rules::{Observed, Quantiles};

use crate::common::{interval, level, refused, runs as rollouts, stored, whole_runs};

/// Costs of a run, whether it succeeded, and what was said after each turn but the last.
type Run = (Vec<u32>, bool, Vec<Estimate>);

fn samples(runs: &[Run]) -> Vec<Sample> {
    capped_samples(runs, &[None])
}

/// The same with caps, which are used in turn.
fn capped_samples(all: &[Run], caps: &[Option<u32>]) -> Vec<Sample> {
    let runs: Vec<_> =
        all.iter().map(|(costs, succeeded, _)| (costs.clone(), *succeeded)).collect();
    let (mut rollouts, tokens) = whole_runs(&runs);
    for (run, cap) in (0..runs.len()).zip(caps.iter().cycle()) {
        cap.map_or(Ok(()), |cap| rollouts.set_cap_of(run, tokens, cap.into())).unwrap();
    }
    let with_answers = rollouts.iter().zip(all);
    with_answers.flat_map(|(run, (_, _, said))| sampled(&run, tokens, said)).collect()
}

/// A sample after each turn but the last.
fn sampled(run: &Rollout<'_>, of: Resource, said: &[Estimate]) -> Vec<Sample> {
    let turns = (1..run.turns()).zip(said);
    turns.map(|(k, &estimate)| Sample::new(run, of, k, estimate).unwrap()).collect()
}

fn estimate() -> impl Strategy<Value = Estimate> {
    prop_oneof![
        4 => (0_u32..200, 0_u32..200)
            .prop_map(|(low, width)| interval(low.into(), (low + width).into())),
        1 => Just(Estimate::Impossible),
        1 => Just(Estimate::NoAnswer),
    ]
}

fn runs() -> impl Strategy<Value = Vec<Run>> {
    let run = prop::collection::vec(1_u32..100, 1..8).prop_flat_map(|costs| {
        let said = prop::collection::vec(estimate(), costs.len());
        (Just(costs), any::<bool>(), said)
    });
    prop::collection::vec(run, 1..12)
}

fn evaluated(samples: &[(Sample, f64)], claimed: Option<Level>) -> ProgressMetrics {
    let mut evaluation = ProgressMetrics::new(4).unwrap();
    if let Some(coverage) = claimed {
        evaluation = evaluation.with_coverage(coverage);
    }
    for (sample, weight) in samples {
        evaluation.update(sample, Weight::new(*weight).unwrap()).unwrap();
    }
    evaluation
}

fn close(found: Option<f64>, expected: Option<f64>) -> bool {
    match (found, expected) {
        (None, None) => true,
        (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * (1.0 + b.abs()),
        _ => false,
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

proptest! {
    #[test]
    fn every_measure_is_what_its_definition_gives(runs in runs()) {
        let samples = samples(&runs);
        prop_assume!(!samples.is_empty());
        let coverage = level(0.8);
        let all: Vec<_> = samples.iter().map(|&sample| (sample, 1.0)).collect();
        let summary = evaluated(&all, Some(coverage)).finish().unwrap();

        let feasible: Vec<&Sample> = samples.iter().filter(|s| s.is_feasible()).collect();
        let told: Vec<(f64, f64, f64, &Sample)> = feasible
            .iter()
            .filter_map(|s| s.estimate().ends().map(|e| (e.low(), e.high(), s.remaining(), *s)))
            .collect();
        let over = |of: &dyn Fn(f64, f64, f64) -> f64| -> Vec<f64> {
            told.iter().map(|&(low, high, r, _)| of(low, high, r)).collect()
        };
        match summary.all_turns.intervals {
            None => prop_assert!(feasible.is_empty()),
            Some(found) => {
                let share = |side: &dyn Fn(f64, f64, f64) -> bool| {
                    over(&|low, high, r| f64::from(side(low, high, r))).iter().sum::<f64>()
                };
                prop_assert_eq!(found.samples, feasible.len() as f64);
                prop_assert_eq!(found.answered, told.len() as f64);
                prop_assert_eq!(found.hits, share(&|low, high, r| low <= r && r <= high));
                prop_assert_eq!(found.optimistic, share(&|_, high, r| high < r));
                prop_assert_eq!(found.conservative, share(&|low, _, r| low > r));
                prop_assert_eq!(found.hits + found.optimistic + found.conservative, found.answered);
                let rewards = over(&|low, high, r| {
                    if low <= r && r <= high { (1.0 - (high - low) / r).max(0.0) } else { 0.0 }
                });
                let reward = rewards.iter().sum::<f64>() / feasible.len() as f64;
                prop_assert!(close(Some(found.interval_reward), Some(reward)));
                prop_assert!(close(found.mean_width, mean(&over(&|low, high, _| high - low))));
                let relative = mean(&over(&|low, high, r| (high - low) / r));
                prop_assert!(close(found.mean_relative_width, relative));
                let outside = |low: f64, high: f64, r: f64| (low - r).max(r - high).max(0.0);
                let loss = over(&|low, high, r| high - low + 10.0 * outside(low, high, r));
                prop_assert!(close(found.interval_loss, mean(&loss)));
                // The interval loss is ten times the sum of both pinball losses.
                let pinball = found.low_pinball_loss.zip(found.high_pinball_loss);
                prop_assert!(close(found.interval_loss, pinball.map(|(a, b)| 10.0 * (a + b))));
                let levels = [0.1, 0.5, 0.9].map(level);
                let weighted = over(&|low, high, r| {
                    let quantiles = Quantiles::new(&levels, &[low, (low + high) / 2.0, high]);
                    let outcome = Observed::exact(r).unwrap();
                    quantiles.unwrap().weighted_interval_loss(outcome).unwrap()
                });
                prop_assert!(close(found.weighted_interval_loss, mean(&weighted)));
            }
        }
        let linear: Vec<(f64, f64)> = told
            .iter()
            .map(|&(low, high, r, s)| {
                let (k, t) = (s.turn() as f64, s.turns() as f64);
                (((low + high) / 2.0 - r).abs(), (s.used() / k * t - s.used() - r).abs())
            })
            .collect();
        let gain: Vec<f64> = linear.iter().map(|(mine, linear)| linear - mine).collect();
        prop_assert!(close(summary.all_turns.linear.map(|found| found.reduction), mean(&gain)));

        // Bins and the first turn hold what belongs to them.
        for (bin, found) in summary.by_progress.iter().enumerate() {
            let inside: Vec<_> =
                all.iter().filter(|(s, _)| 4 * s.turn() / s.turns() == bin).copied().collect();
            let expected = evaluated(&inside, Some(coverage)).finish().ok();
            prop_assert_eq!(*found, expected.map(|summary| summary.all_turns));
            // How often an infeasible run is still called feasible at this stage of the run.
            let infeasible = |said: &dyn Fn(Estimate) -> bool| {
                let of_bin = inside.iter().filter(|(s, _)| !s.is_feasible() && said(s.estimate()));
                of_bin.count() as f64
            };
            let counts = found.map_or([0.0; 3], |found| {
                let f = found.feasibility;
                [f.impossible_as_feasible, f.impossible_as_impossible, f.impossible_unanswered]
            });
            prop_assert_eq!(counts[0], infeasible(&|said| said.ends().is_some()));
            prop_assert_eq!(counts[1], infeasible(&|said| said == Estimate::Impossible));
            prop_assert_eq!(counts[2], infeasible(&|said| said == Estimate::NoAnswer));
        }
        let first: Vec<_> = all.iter().filter(|(s, _)| s.turn() == 1).copied().collect();
        let first = evaluated(&first, Some(coverage)).finish().unwrap();
        prop_assert_eq!(summary.first_turn, Some(first.all_turns));
    }

    #[test]
    fn a_weight_of_n_is_n_copies_and_parts_merge_to_the_whole_in_any_order(
        runs in runs(), copies in prop::collection::vec(0_u8..4, 90), cut in 0_usize..90,
    ) {
        let samples = samples(&runs);
        let weighted: Vec<(Sample, f64)> =
            samples.iter().zip(&copies).map(|(&s, &n)| (s, f64::from(n))).collect();
        let repeated: Vec<(Sample, f64)> = samples
            .iter()
            .zip(&copies)
            .flat_map(|(&s, &n)| (0..n).map(move |_| (s, 1.0)))
            .collect();
        let claimed = Some(level(0.8));
        let whole = evaluated(&weighted, claimed);
        prop_assert_eq!(whole.finish(), evaluated(&repeated, claimed).finish());
        let (first, second) = weighted.split_at(cut.min(weighted.len()));
        let mut merged = evaluated(second, claimed);
        merged.merge(&evaluated(first, claimed)).unwrap();
        prop_assert_eq!(merged.finish(), whole.finish());
        let mut backwards = weighted;
        backwards.reverse();
        prop_assert_eq!(evaluated(&backwards, claimed).finish(), whole.finish());
    }

    #[test]
    fn a_failure_is_detected_at_its_first_alarm_in_any_order_of_runs(runs in runs()) {
        let all: Vec<_> = samples(&runs).iter().map(|&sample| (sample, 1.0)).collect();
        let failed: Vec<&Run> = runs.iter().filter(|(costs, ok, _)| !ok && costs.len() > 1).collect();
        let first = |run: &Run| {
            (1..run.0.len()).find(|k| run.2[k - 1] == Estimate::Impossible)
        };
        let summary = evaluated(&all, None).finish();
        let turned: Vec<Run> = runs.iter().rev().cloned().collect();
        let turned: Vec<_> = samples(&turned).iter().map(|&sample| (sample, 1.0)).collect();
        prop_assert_eq!(&evaluated(&turned, None).finish(), &summary);
        let Some(found) = summary.ok().and_then(|summary| summary.detection) else {
            prop_assert!(failed.is_empty());
            return Ok(());
        };
        let detected: Vec<f64> = failed.iter().filter_map(|run| first(run)).map(|k| k as f64).collect();
        prop_assert_eq!((found.failed, found.detected), (failed.len(), detected.len()));
        prop_assert!(close(found.mean_turns, mean(&detected)));
        let share = |run: &&Run| first(run).map_or(1.0, |k| k as f64 / run.0.len() as f64);
        let shares: Vec<f64> = failed.iter().map(share).collect();
        prop_assert!(close(Some(found.mean_turn_share), mean(&shares)));
        let mut spent: Vec<f64> = failed
            .iter()
            .map(|run| first(run).map_or(1.0, |k| {
                f64::from(run.0[..k].iter().sum::<u32>()) / f64::from(run.0.iter().sum::<u32>())
            }))
            .collect();
        prop_assert!(close(Some(found.mean_spent_share), mean(&spent)));
        spent.sort_by(f64::total_cmp);
        let middle = (spent[(spent.len() - 1) / 2] + spent[spent.len() / 2]) / 2.0;
        prop_assert!(close(Some(found.median_spent_share), Some(middle)));
    }

    #[test]
    fn an_interval_is_never_worth_more_than_the_truth_and_a_wider_one_never_more_than_it(
        remaining in 1.0..1e6_f64, low in 0.0..1.0_f64, high in 1.0..3.0_f64, wider in 1.0..2.0_f64,
    ) {
        let reward = |low: f64, high: f64| {
            Estimate::interval(low, high).unwrap().interval_reward(remaining).unwrap()
        };
        prop_assert_eq!(reward(remaining, remaining), 1.0);
        let inner = reward(low * remaining, high * remaining);
        let outer = reward(low / wider * remaining, high * wider * remaining);
        prop_assert!((0.0..=1.0).contains(&inner) && outer <= inner);
    }
}

#[test]
fn samples_with_nothing_left_have_no_reward_and_are_counted_by_metrics_and_nothing_else() {
    let said = vec![interval(0.0, 1.0); 2];
    let trivial = samples(&[(vec![5, 5, 0], true, said.clone()), (vec![5, 5, 0], false, said)]);
    let mut metrics = Metrics::default();
    metrics.update(&trivial[0], Weight::ONE).unwrap();
    let before = metrics.finish().unwrap();
    metrics.update(&trivial[1], Weight::ONE).unwrap();
    metrics.update(&trivial[3], Weight::ONE).unwrap();
    let after = metrics.finish().unwrap();
    assert_eq!((before.trivial, after.trivial), (0.0, 2.0));
    assert_eq!((after.feasibility, after.intervals), (before.feasibility, before.intervals));
    let mut both = Metrics::default();
    both.merge(&metrics).unwrap();
    both.update(&trivial[3], Weight::new(0.5).unwrap()).unwrap();
    assert_eq!(both.finish().unwrap().trivial, 2.5);
    let mut by_progress = ProgressMetrics::new(3).unwrap();
    trivial.iter().for_each(|sample| by_progress.update(sample, Weight::ONE).unwrap());
    let summary = by_progress.finish().unwrap();
    assert_eq!((summary.all_turns.trivial, summary.by_progress[2]), (2.0, None));
    for remaining in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(Estimate::Impossible.interval_reward(remaining), "remaining amount");
    }
}

#[test]
fn what_is_undefined_is_none_or_an_error_and_not_a_number() {
    let failed = samples(&[(vec![5, 5], false, vec![Estimate::Impossible])]);
    let mut metrics = Metrics::default();
    assert_eq!(metrics.finish(), Err(Error::ScoringRules(scoring_rules::Error::Empty)));
    metrics.update(&failed[0], Weight::ONE).unwrap();
    let summary = metrics.finish().unwrap();
    assert_eq!((summary.intervals, summary.linear), (None, None));
    assert_eq!(summary.feasibility.macro_f1, None);
    assert_eq!(summary.feasibility.impossible.f1, Some(1.0));

    // Only "impossible" on runs that succeed: rates exist, nothing over intervals does.
    let aborted = samples(&[(vec![5, 5], true, vec![Estimate::Impossible])]);
    metrics.update(&aborted[0], Weight::ONE).unwrap();
    let found = metrics.finish().unwrap().intervals.unwrap();
    assert_eq!((found.hit_rate, found.interval_reward), (0.0, 0.0));
    assert_eq!((found.coverage, found.mre_p50, found.interval_loss), (None, None, None));
}

#[test]
fn settings_are_checked_and_unlike_parts_do_not_merge() {
    refused(ProgressMetrics::new(0), "number of bins");
    for other in
        [Metrics::default().with_coverage(level(0.5)), Metrics::default().with_diagnostics()]
    {
        assert!(matches!(Metrics::default().merge(&other), Err(Error::Unlike { .. })));
    }
    let progress = || ProgressMetrics::new(3).unwrap();
    let by_cap = progress().with_axis(ProgressAxis::Cap);
    let claimed = progress().with_coverage(level(0.5));
    for other in [ProgressMetrics::new(4).unwrap(), by_cap, claimed] {
        assert!(matches!(progress().merge(&other), Err(Error::Unlike { .. })));
    }
}

#[test]
fn a_relative_error_that_overflows_leaves_the_rest_of_the_report() {
    let [sample] = samples(&[(vec![5, 1], true, vec![interval(0.0, f64::MAX)])])[..] else {
        panic!()
    };
    assert!(Metrics::default().update(&sample, Weight::ONE).is_ok());
    let (rollouts, usd) = rollouts([([5e-5, 1e-3], true)]);
    let sample =
        |high| Sample::new(&rollouts.get(0).unwrap(), usd, 1, interval(0.0, high)).unwrap();
    let mut metrics = Metrics::default().with_coverage(level(0.5)).with_diagnostics();
    [f64::MAX, 1e-3, 1e-3, 1e-3]
        .iter()
        .for_each(|&high| metrics.update(&sample(high), Weight::ONE).unwrap());
    let found = metrics.finish().unwrap();
    let intervals = found.intervals.unwrap();
    assert_eq!((intervals.hits, intervals.mre_p50, intervals.mre_p90), (4.0, Some(0.5), None));
    assert_eq!((intervals.mean_relative_width, intervals.mean_width.is_some()), (None, true));
    assert_eq!(found.diagnostics.unwrap().mean_midpoint_bias, None);
    assert_eq!(stored(&metrics).finish(), Ok(found));
}

#[test]
fn a_miss_has_a_side() {
    let said = [interval(1.0, 4.0), interval(6.0, 9.0), interval(5.0, 5.0), Estimate::Impossible];
    let sides = said.map(|said| samples(&[(vec![5, 5], true, vec![said])])[0].miss());
    assert_eq!(sides, [Some(Miss::Optimistic), Some(Miss::Conservative), None, None]);
}

#[test]
fn a_joint_hit_needs_every_resource_on_the_same_prefix() {
    let a = samples(&[(vec![5, 5, 5], true, vec![interval(9.0, 11.0), interval(9.0, 11.0)])]);
    let b = samples(&[(vec![5, 5, 5], true, vec![interval(0.0, 99.0), Estimate::Impossible])]);
    assert_eq!(joint_hits(&[&a]), Ok(vec![true, false]));
    assert_eq!(joint_hits(&[&a, &b]), Ok(vec![true, false]));
    assert_eq!(joint_hits(&[&a, &b[..1]]).map_err(|_| ()), Err(()));
    let turned: Vec<Sample> = b.iter().rev().copied().collect();
    refused(joint_hits(&[&a, &turned]), "entry 0: the samples of all resources");
    refused(joint_hits(&[]), "the input is empty");
}

const MIXED: &str = "a sample belongs to another resource than earlier samples";

/// A sample of each of two resources.
fn two_resources() -> [Sample; 2] {
    let mut rollouts = Rollouts::new(["tokens", "usd"]).unwrap();
    rollouts.push(&[100.0, 0.25, 200.0, 0.5, 50.0, 0.75], true).unwrap();
    let [tokens, usd] = ["tokens", "usd"].map(|name| rollouts.resource(name).unwrap());
    let rollout = rollouts.get(0).unwrap();
    let sample = |(of, k)| Sample::new(&rollout, of, k, interval(1.0, 300.0)).unwrap();
    [(tokens, 1), (usd, 2)].map(sample)
}

#[test]
fn samples_of_two_resources_are_refused_by_every_measure_with_a_unit() {
    let [a, b] = two_resources();
    let (mut one, mut other) = (Metrics::default(), Metrics::default());
    one.update(&a, Weight::ONE).unwrap();
    refused(one.update(&b, Weight::ONE), MIXED);
    // A weight of 0 leaves no trace.
    one.update(&b, Weight::ZERO).unwrap();
    other.update(&b, Weight::ONE).unwrap();
    let before = one.finish();
    refused(one.merge(&other), MIXED);
    assert_eq!(one.finish(), before);
    let mut progress = ProgressMetrics::new(4).unwrap();
    progress.update(&a, Weight::ONE).unwrap();
    // In another bin.
    refused(progress.update(&b, Weight::ONE), MIXED);
}

proptest! {
    #[test]
    fn diagnostics_are_what_their_definitions_give(
        runs in runs(), caps in prop::collection::vec(prop::option::of(1_u32..700), 1..5),
        cut in 0_usize..90,
    ) {
        let samples = capped_samples(&runs, &caps);
        let add = |samples: &[Sample]| {
            let mut metrics = Metrics::default().with_diagnostics();
            samples.iter().for_each(|sample| metrics.update(sample, Weight::ONE).unwrap());
            metrics
        };
        let (first, second) = samples.split_at(cut.min(samples.len()));
        let mut merged = add(second);
        merged.merge(&add(first)).unwrap();
        prop_assert_eq!(merged.finish(), add(&samples).finish());

        let told: Vec<(f64, f64, &Sample)> = samples
            .iter()
            .filter_map(|s| s.estimate().ends().map(|ends| (ends.low(), ends.high(), s)))
            .collect();
        let Some(found) = merged.finish().ok().and_then(|all| all.diagnostics) else {
            prop_assert!(told.is_empty());
            return Ok(());
        };
        let count = |side: &dyn Fn(f64, f64, f64) -> bool| {
            told.iter().filter(|(low, high, s)| side(*low, *high, s.remaining())).count() as f64
        };
        let [optimistic, conservative] =
            [count(&|_, high, r| high < r), count(&|low, _, r| low > r)];
        prop_assert_eq!(found.optimistic_share, optimistic / told.len() as f64);
        prop_assert_eq!(found.conservative_share, conservative / told.len() as f64);
        let over_cap: Vec<f64> =
            told.iter().filter_map(|(low, high, s)| Some((high - low) / (s.used() + s.left()?))).collect();
        prop_assert!(close(found.mean_width_over_cap, mean(&over_cap)));
        let feasible = || told.iter().filter(|(_, _, s)| s.is_feasible());
        let bias: Vec<f64> =
            feasible().map(|(low, high, s)| ((low + high) / 2.0 - s.remaining()) / s.remaining()).collect();
        prop_assert!(close(found.mean_midpoint_bias, mean(&bias)));
        let adequacy: Vec<f64> = feasible()
            .map(|(low, high, s)| {
                let error = ((low + high) / 2.0 - s.remaining()).abs();
                if error == 0.0 { 1.0 } else { ((high - low) / 2.0 / error).min(1.0) }
            })
            .collect();
        prop_assert!(close(found.mean_width_adequacy, mean(&adequacy)));
    }

    #[test]
    fn bins_by_what_was_spent_hold_the_samples_of_that_share(
        runs in runs(), cap in 1_u32..900,
    ) {
        let samples = capped_samples(&runs, &[Some(cap)]);
        prop_assume!(!samples.is_empty());
        for (axis, share) in [
            (ProgressAxis::Spent, &(|s: &Sample| s.used() / (s.used() + s.remaining())) as &dyn Fn(&Sample) -> f64),
            (ProgressAxis::Cap, &|s: &Sample| s.used() / f64::from(cap)),
        ] {
            let mut metrics = ProgressMetrics::new(5).unwrap().with_axis(axis).with_diagnostics();
            samples.iter().for_each(|sample| metrics.update(sample, Weight::ONE).unwrap());
            let summary = metrics.finish().unwrap();
            for (bin, found) in summary.by_progress.iter().enumerate() {
                let inside = |s: &&Sample| ((share(s) * 5.0).floor() as usize).min(4) == bin;
                let failed: Vec<&Sample> =
                    samples.iter().filter(inside).filter(|s| !s.is_feasible()).collect();
                // The alarm rate on failures.
                let alarms = failed.iter().filter(|s| s.predicts_impossible()).count() as f64;
                let rate = (!failed.is_empty()).then(|| alarms / failed.len() as f64);
                prop_assert_eq!(found.and_then(|it| it.feasibility.impossible.recall), rate);
            }
        }
    }
}

#[test]
fn a_share_of_the_cap_needs_a_cap() {
    let sample = samples(&[(vec![5, 5, 5], true, vec![interval(1.0, 2.0)])])[0];
    let mut by_cap = ProgressMetrics::new(4).unwrap().with_axis(ProgressAxis::Cap);
    refused(by_cap.update(&sample, Weight::ONE), "a sample has no cap");
    refused(by_cap.finish(), "empty");
}

#[test]
fn a_list_of_samples_of_two_resources_has_no_joint_hits() {
    refused(joint_hits(&[&two_resources()]), MIXED);
}

/// The paper asks only whether the answer is an interval; here one above what is left says "impossible".
#[test]
fn macro_f1_of_answers_takes_any_interval_as_feasible() {
    let runs = [(20.0, true), (20.0, true), (20.0, true), (60.0, true), (20.0, false)];
    let (mut rollouts, tokens) = rollouts(runs.map(|(last, succeeded)| ([50.0, last], succeeded)));
    rollouts.set_cap(tokens, 100.0).unwrap();
    // Left: 50. All intervals but the first lie above.
    let lows = [Some(10.0), Some(60.0), Some(60.0), Some(70.0), None];
    let mut metrics = Metrics::default();
    let mut halves = [Metrics::default(), Metrics::default()];
    for (rollout, low) in rollouts.iter().zip(lows) {
        let estimate = low.map_or(Estimate::Impossible, |low| interval(low, 90.0));
        let sample = Sample::new(&rollout, tokens, 1, estimate).unwrap();
        metrics.update(&sample, Weight::ONE).unwrap();
        let half = &mut halves[rollout.index() % 2];
        half.update(&sample, Weight::new(2.0).unwrap()).unwrap();
    }
    let summary = metrics.finish().unwrap().feasibility;
    // Ours: 1 of 3 feasible runs found, 2 of 2 others. F1 is 1/2 and 2/3.
    assert_eq!(summary.macro_f1, Some((0.5 + 2.0 / 3.0) / 2.0));
    // Of the answers: 3 of 3 feasible runs found, and 1 of 2 others. F1 is 6/7 and 2/3.
    assert_eq!(summary.macro_f1_of_answers, Some((6.0 / 7.0 + 2.0 / 3.0) / 2.0));
    assert_eq!((summary.feasible.recall, summary.impossible.recall), (Some(1.0 / 3.0), Some(1.0)));
    let [mut merged, other] = halves;
    merged.merge(&other).unwrap();
    assert_eq!(
        merged.finish().unwrap().feasibility.macro_f1_of_answers,
        summary.macro_f1_of_answers
    );
}

/// The largest valid numbers have 100 digits; a message that repeats a wrong one has few.
#[test]
fn errors_print_large_numbers_in_short() {
    let cost = Rollouts::new(["tokens"]).unwrap().push(&[1e300], true);
    refused(cost, "rollout 0, turn 1: tokens is 1e300; give a number from 0 to 1e100");
    let estimate = Estimate::interval(-1e200, 9.0);
    refused(estimate, "an estimate runs from -1e200 to 9; give bounds of at least 0");
}

#[test]
fn a_quantile_of_errors_whose_weights_sum_to_less_than_1_is_the_lowest() {
    // Midpoints 90 and 30 where 30 and 20 remain: relative errors of 2 and 0.5.
    let said = [90.0, 30.0].map(|middle| interval(middle, middle));
    let samples =
        samples(&[(vec![10, 30], true, vec![said[0]]), (vec![5, 20], true, vec![said[1]])]);
    let mut metrics = Metrics::default();
    for (sample, weight) in samples.iter().zip([0.2, 0.1]) {
        metrics.update(sample, Weight::new(weight).unwrap()).unwrap();
    }
    let found = metrics.finish().unwrap().intervals.unwrap();
    assert_eq!((found.mre_p50, found.mre_p90), (Some(0.5), Some(0.5)));
}

#[test]
fn a_cap_of_0_has_no_share_in_the_mean_width_over_the_cap() {
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    rollouts.push(&[10.0, 10.0], false).unwrap();
    rollouts.push(&[10.0, 10.0], false).unwrap();
    let tokens = rollouts.resource("tokens").unwrap();
    for (run, cap) in [(0, 0.0), (1, 100.0)] {
        rollouts.set_cap_of(run, tokens, cap).unwrap();
    }
    let mut metrics = Metrics::default().with_diagnostics();
    for run in rollouts.iter() {
        let sample = Sample::new(&run, tokens, 1, Estimate::interval(20.0, 40.0).unwrap()).unwrap();
        metrics.update(&sample, Weight::ONE).unwrap();
    }
    assert_eq!(metrics.finish().unwrap().diagnostics.unwrap().mean_width_over_cap, Some(0.2));
}

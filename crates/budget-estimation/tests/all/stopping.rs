//! Stopping early, and the monitor.

use budget_estimation::{
    Advice, AdviceReason, BudgetMonitor, EarlyStops, Error, Estimate, Interval, Metrics,
    Probability, ProgressMetrics, Reading, Resource, Rollouts, Sample, StopRule, Weight,
    early_stopping, joint_early_stopping, stopping_curve,
};
use proptest::prelude::*;
use scoring_rules::ExactSum;

use crate::common::{always, interval, probability, refused, runs, turn, whole_runs};

/// What the paper printed, from `golden/budget.json` of its figures.
#[test]
fn counts_of_the_four_benchmarks_add_up_to_the_published_averages() {
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("../golden/budget.json")).unwrap();
    let rows = |table: &str| golden[table]["rows"].as_array().unwrap().clone();
    let count = |row: &serde_json::Value, i: usize| row[i].as_u64().unwrap();
    let mut checked = 0;
    for average in rows("table_7") {
        let mut all = EarlyStops::default();
        for row in rows("table_4").iter().filter(|row| row[1] == average[0]) {
            let mut benchmark = EarlyStops::default();
            benchmark.false_alarm_prefixes = count(row, 4);
            // The printed rates divide by all prefixes, not by those of feasible runs.
            benchmark.success_prefixes = count(row, 5);
            (benchmark.stopped_failures, benchmark.failures) = (count(row, 6), count(row, 7));
            let printed = row[2].as_f64().unwrap();
            assert_eq!(
                format!("{:.3}", benchmark.false_abort_rate().unwrap()),
                format!("{printed:.3}"),
                "{row}"
            );
            all.merge(&benchmark).unwrap();
        }
        let printed = average[1].as_f64().unwrap();
        assert_eq!(format!("{:.3}", all.false_abort_rate().unwrap()), format!("{printed:.3}"));
        assert_eq!(all.false_alarm_prefixes, count(&average, 2));
        assert_eq!(all.success_prefixes, count(&average, 3));
        assert_eq!((all.stopped_failures, all.failures), (count(&average, 4), count(&average, 5)));
        checked += 1;
    }
    assert_eq!(checked, 5);
}

/// What a stop at the first `impossible` saves and loses.
fn at_first(rollouts: &Rollouts, of: Resource, samples: &[Sample]) -> Result<EarlyStops, Error> {
    early_stopping(rollouts, of, samples, None, &[StopRule::first_impossible()])
}

/// One sample for each prefix that is kept, and the stated probabilities of failure.
fn recorded(
    runs: &[(Vec<u8>, bool)],
    answers: &[u8],
) -> (Rollouts, Resource, Vec<Sample>, Vec<Probability>) {
    let (rollouts, tokens) = whole_runs(runs);
    let mut answers = answers.iter().cycle().copied();
    let (mut samples, mut chances) = (Vec::new(), Vec::new());
    for rollout in rollouts.iter() {
        for k in 1..rollout.turns() {
            let answer = answers.next().unwrap();
            let estimate = match answer {
                0..=2 => Estimate::Impossible,
                3 => Estimate::NoAnswer,
                9 => continue,
                _ => interval(1.0, 5.0),
            };
            samples.push(Sample::new(&rollout, tokens, k, estimate).unwrap());
            chances.push(probability(f64::from(answer) / 10.0));
        }
    }
    (rollouts, tokens, samples, chances)
}

fn some_runs() -> impl Strategy<Value = (Vec<(Vec<u8>, bool)>, Vec<u8>)> {
    let run = (prop::collection::vec(0_u8..20, 1..8), any::<bool>());
    (prop::collection::vec(run, 1..12), prop::collection::vec(0_u8..10, 1..40))
}

proptest! {
    #[test]
    fn the_curve_is_early_stopping_at_every_threshold((runs, answers) in some_runs()) {
        let (rollouts, tokens, samples, chances) = recorded(&runs, &answers);
        let curve = stopping_curve(&rollouts, tokens, &samples, &chances).unwrap();
        let mut levels = chances.clone();
        levels.sort_by(|a, b| b.get().total_cmp(&a.get()));
        levels.dedup();
        prop_assert_eq!(curve.iter().map(|point| point.at_least).collect::<Vec<_>>(), levels);
        for point in curve {
            let rule = StopRule::FailureProbability { at_least: point.at_least };
            let stops = early_stopping(&rollouts, tokens, &samples, Some(&chances), &[rule]).unwrap();
            prop_assert_eq!(point.stops, stops);
        }
    }

    #[test]
    fn longer_rows_stop_fewer_runs_and_save_less((runs, answers) in some_runs()) {
        let (rollouts, tokens, samples, _) = recorded(&runs, &answers);
        let mut last: Option<EarlyStops> = None;
        for in_a_row in 1..5 {
            let rule = StopRule::impossible_in_a_row(in_a_row).unwrap();
            let stops = early_stopping(&rollouts, tokens, &samples, None, &[rule]).unwrap();
            prop_assert!(stops.saved <= stops.spent_by_failures);
            if let Some(last) = last {
                prop_assert!(stops.saved <= last.saved);
                prop_assert!(stops.stopped_failures <= last.stopped_failures);
                prop_assert!(stops.false_alarm_prefixes <= last.false_alarm_prefixes);
            }
            last = Some(stops);
        }
    }

    #[test]
    fn the_first_impossible_saves_what_came_after_it((runs, answers) in some_runs()) {
        let (rollouts, tokens, samples, _) = recorded(&runs, &answers);
        let stops = at_first(&rollouts, tokens, &samples).unwrap();
        let (mut saved, mut spent) = (0.0, 0.0);
        for rollout in rollouts.iter().filter(|rollout| !rollout.succeeded()) {
            spent += rollout.usage(tokens).unwrap().total();
            let mut of_run = samples.iter().filter(|sample| sample.rollout() == rollout.index());
            saved += of_run
                .find(|sample| sample.estimate() == Estimate::Impossible)
                .map_or(0.0, |sample| rollout.remaining(tokens, sample.turn()).unwrap());
        }
        prop_assert_eq!((stops.saved, stops.spent_by_failures), (saved, spent));
    }
}

#[test]
fn samples_out_of_order_and_chances_that_do_not_match_are_errors() {
    let runs = [(vec![1, 2, 3], true), (vec![4, 5, 6], false)];
    let (rollouts, tokens, mut samples, chances) = recorded(&runs, &[5]);
    let short = early_stopping(&rollouts, tokens, &samples, Some(&chances[1..]), &[]);
    refused(short, "failure_probabilities: expected 4, found 3");
    samples.swap(1, 2);
    refused(at_first(&rollouts, tokens, &samples), "sample 2 is out of order");
    let none = at_first(&rollouts, tokens, &[]).unwrap();
    refused(none.false_abort_rate(), "the input is empty");
    assert_eq!(none.saved_share(), Ok(0.0));
}

#[test]
fn counts_that_cannot_be_give_no_share() {
    let mut stops = EarlyStops::default();
    (stops.stopped_successes, stops.successes) = (3, 2);
    refused(stops.success_lost(), "stopped_successes is 3");
    stops.spent_by_failures = 10.0;
    for saved in [-1.0, 10.5, f64::NAN, f64::INFINITY] {
        stops.saved = saved;
        refused(stops.saved_share(), "saved is ");
    }
    stops.saved = 10.0;
    assert_eq!(stops.saved_share(), Ok(1.0));
}

#[test]
fn a_cap_comes_before_all_other_advice_and_a_bad_turn_changes_nothing() {
    let rule = StopRule::FailureProbability { at_least: probability(0.9) };
    let mut monitor = BudgetMonitor::new([("usd", Some(10.0)), ("tokens", None)]).unwrap();
    monitor = monitor.with_stop_rule(rule).with_warning_at(0.5).unwrap();
    let silent = [Estimate::NoAnswer; 2];
    assert!(matches!(
        monitor.push(&turn(&[f64::NAN, 1.0], &silent), None),
        Err(Error::Cost { .. })
    ));
    for (costs, estimates, what) in [
        (&[1.0][..], &silent[..1], "resources of a turn: expected 2, found 1"),
        (&[1.0, -1.0], &silent, "rollout 0, turn 1: tokens is -1; give a number from 0 to 1e100"),
    ] {
        assert_eq!(monitor.push(&turn(costs, estimates), None).unwrap_err().to_string(), what);
    }
    let below = Estimate::Interval(Interval::new(-1.0, 5.0).unwrap());
    let negative =
        |error: Error| matches!(error, Error::NegativeEstimate { low: -1.0, high: 5.0, .. });
    assert!(negative(monitor.push(&turn(&[1.0, 1.0], &[below; 2]), None).unwrap_err()));
    let (rollouts, tokens) = runs([([1.0, 2.0, 3.0], true)]);
    assert!(negative(Sample::new(&rollouts.get(0).unwrap(), tokens, 1, below).unwrap_err()));
    assert!(negative(rollouts.score(tokens, &mut always(below)).unwrap_err()));
    assert_eq!((monitor.turns(), monitor.spent()), (0, [0.0, 0.0].as_slice()));

    assert_eq!(monitor.push(&turn(&[4.0, 1e9], &silent), None), Ok(Advice::Continue));
    let near = Advice::Warn(AdviceReason::NearCap { resource: "usd".to_owned() });
    assert_eq!(monitor.push(&turn(&[1.0, 0.0], &silent), None), Ok(near));
    let probability = probability(0.95);
    let stop = Advice::Stop(AdviceReason::FailureProbability { probability });
    assert_eq!(monitor.push(&turn(&[1.0, 0.0], &silent), Some(probability)), Ok(stop));
    let exceeded = Advice::Stop(AdviceReason::CapExceeded { resource: "usd".to_owned() });
    let mut monitor = going_on(&monitor);
    assert_eq!(monitor.push(&turn(&[5.0, 0.0], &silent), Some(probability)), Ok(exceeded));
}

#[test]
fn samples_of_another_resource_or_other_rollouts_are_an_error_though_the_positions_agree() {
    let mut rollouts = Rollouts::new(["tokens", "usd"]).unwrap();
    rollouts.push(&[100.0, 0.25, 200.0, 0.5, 50.0, 0.75], false).unwrap();
    let [tokens, usd] = ["tokens", "usd"].map(|name| rollouts.resource(name).unwrap());
    let mut silent = always(Estimate::NoAnswer);
    let mut samples = rollouts.score(tokens, &mut silent).unwrap();
    let curve = |rollouts: &Rollouts, of, samples: &[Sample]| {
        stopping_curve(rollouts, of, samples, &[Probability::HALF; 2])
    };
    let other = "sample 0 belongs to tokens; give only samples of usd";
    refused(at_first(&rollouts, usd, &samples), other);
    refused(curve(&rollouts, usd, &samples), other);
    assert!(curve(&rollouts, tokens, &samples).is_ok());
    // One of two is enough.
    samples[1] = Sample::new(&rollouts.get(0).unwrap(), usd, 2, Estimate::NoAnswer).unwrap();
    refused(at_first(&rollouts, tokens, &samples), "sample 1 belongs to usd");
    // Of rollouts with one other resource, or with a longer run.
    let (one, only) = runs([([100.0, 200.0, 50.0], false)]);
    let samples = one.score(only, &mut silent).unwrap();
    let other = "sample 0 does not match rollout 0";
    let mut both = Rollouts::new(["usd", "tokens"]).unwrap();
    both.push(&[0.25, 100.0, 0.5, 200.0, 0.75, 50.0], false).unwrap();
    let first = both.resource("usd").unwrap();
    refused(at_first(&both, first, &samples), other);
    refused(curve(&both, first, &samples), other);
    let (longer, _) = runs([([100.0, 200.0, 50.0, 0.0], false)]);
    refused(at_first(&longer, only, &samples), other);
}

#[test]
fn early_stops_of_two_resources_do_not_merge() {
    let stops = |name: &str| {
        let mut rollouts = Rollouts::new([name]).unwrap();
        rollouts.push(&[100.0, 200.0], false).unwrap();
        let resource = rollouts.resource(name).unwrap();
        at_first(&rollouts, resource, &[]).unwrap()
    };
    let (mut all, usd) = (EarlyStops::default(), stops("cost_usd"));
    assert_eq!(all.merge(&stops("tokens")), Ok(()));
    let before = all.clone();
    refused(all.merge(&usd), "amounts of \"cost_usd\" cannot be added to amounts of \"tokens\"");
    assert_eq!((all.resource.as_deref(), &all), (Some("tokens"), &before));
    // Counts without a name, such as published ones, go with any.
    assert_eq!(all.merge(&EarlyStops::default()), Ok(()));
}

/// Runs of up to three resources with caps of their own, and one answer per turn.
#[derive(Debug)]
struct CappedRuns {
    rollouts: Rollouts,
    /// The resources that are estimated.
    watched: Vec<(Resource, &'static str)>,
    /// By run and turn, for up to three resources.
    answers: Vec<Vec<([Estimate; 3], Probability)>>,
}

fn capped_runs() -> impl Strategy<Value = CappedRuns> {
    let cost = prop_oneof![
        3 => (0_u32..30).prop_map(f64::from),
        2 => (0_u32..3000).prop_map(|cents| f64::from(cents) / 100.0),
        1 => 0.0..30.0_f64,
    ];
    let answer = prop_oneof![
        2 => Just(Estimate::Impossible),
        1 => Just(Estimate::NoAnswer),
        5 => (0_u32..900, 0_u32..300).prop_map(|(low, width)| {
            interval(f64::from(low) / 10.0, f64::from(low + width) / 10.0)
        }),
    ];
    let cap =
        prop::option::weighted(0.7, (0_u32..1500).prop_map(|tenths| f64::from(tenths) / 10.0));
    let stated = (0_u32..=10).prop_map(|tenths| probability(f64::from(tenths) / 10.0));
    let turn = (prop::array::uniform3(cost), prop::array::uniform3(answer), stated);
    let run = (prop::collection::vec(turn, 1..7), prop::array::uniform3(cap), any::<bool>());
    let number = (1_usize..=3, 0_usize..3);
    (number, prop::collection::vec(run, 1..6)).prop_map(|((resources, first), runs)| {
        let names = ["tokens", "usd", "weeks"];
        let mut rollouts = Rollouts::new(names.into_iter().take(resources)).unwrap();
        let handles: Vec<_> = rollouts.resources().map(|(handle, _)| handle).collect();
        let mut answers = Vec::new();
        for (turns, caps, succeeded) in runs {
            let costs: Vec<f64> = turns
                .iter()
                .flat_map(|(costs, ..)| costs.iter().copied().take(resources))
                .collect();
            let run = rollouts.push(&costs, succeeded).unwrap();
            for (&handle, cap) in handles.iter().zip(caps) {
                if let Some(cap) = cap {
                    rollouts.set_cap_of(run, handle, cap).unwrap();
                }
            }
            answers.push(turns.into_iter().map(|(_, answer, stated)| (answer, stated)).collect());
        }
        let watched = handles.into_iter().zip(names).skip(first % resources).collect();
        CappedRuns { rollouts, watched, answers }
    })
}

fn stop_rule() -> impl Strategy<Value = StopRule> {
    prop_oneof![
        3 => (1_u32..4, any::<bool>()).prop_map(|(n, by_cap)| {
            let reading = if by_cap { Reading::Cap } else { Reading::Answers };
            StopRule::impossible_in_a_row(n).unwrap().with_reading(reading)
        }),
        1 => (0_u32..=10).prop_map(|tenths| {
            StopRule::FailureProbability { at_least: probability(f64::from(tenths) / 10.0) }
        }),
        1 => (1_u32..2000).prop_map(|tenths| {
            let (_, any) = runs([([0.0], true)]);
            StopRule::not_worthwhile(any, f64::from(tenths) / 10.0).unwrap()
        }),
    ]
}

/// The same rule, about this resource if it has one.
fn about(resource: Resource, rule: StopRule) -> StopRule {
    match rule {
        StopRule::NotWorthwhile { value, .. } => StopRule::not_worthwhile(resource, value).unwrap(),
        other => other,
    }
}

/// The monitor as if it had not advised to stop, to see what its rules say of later turns.
pub(crate) fn going_on(monitor: &BudgetMonitor) -> BudgetMonitor {
    let mut stored = serde_json::to_value(monitor).unwrap();
    stored["stop"] = serde_json::Value::Null;
    serde_json::from_value(stored).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// One resource or several at once, of which others may have caps too, with an answer before the first turn.
    #[test]
    fn a_monitor_and_early_stopping_agree_under_caps_on_every_stop_saved_share_and_false_abort(
        runs in capped_runs(), rules in prop::collection::vec(stop_rule(), 0..3),
    ) {
        let CappedRuns { rollouts, watched, answers } = runs;
        let mut samples = vec![Vec::new(); watched.len()];
        let (mut stated, mut counts) = (Vec::new(), EarlyStops::default());
        let mut sums = vec![(ExactSum::default(), ExactSum::default()); watched.len()];
        let (mut metrics, mut trivial_alarms) = (Metrics::default(), 0.0);
        for (rollout, answers) in rollouts.iter().zip(&answers) {
            let usages: Vec<_> = watched.iter().map(|(of, _)| rollout.usage(*of).unwrap()).collect();
            let caps = watched.iter().zip(&usages).map(|(&(_, name), usage)| (name, usage.cap()));
            let mut monitor = BudgetMonitor::new(caps).unwrap();
            let watches = monitor.resource(watched[0].1).unwrap();
            for &rule in &rules {
                monitor = monitor.with_stop_rule(about(watches, rule));
            }
            let feasible = rollout.is_feasible().unwrap();
            let mut stopped_at = None;
            for (k, (answers, chance)) in answers.iter().enumerate() {
                let estimates = &answers[..watched.len()];
                let advice = if k == 0 {
                    monitor.begin(estimates, Some(*chance)).unwrap()
                } else {
                    let costs: Vec<f64> = usages.iter().map(|usage| usage.costs()[k - 1]).collect();
                    monitor.push(&turn(&costs, estimates), Some(*chance)).unwrap()
                };
                let own = watched.iter().zip(estimates);
                let own = own.map(|((of, _), &it)| Sample::new(&rollout, *of, k, it).unwrap());
                let own: Vec<Sample> = own.collect();
                if let Advice::Warn(AdviceReason::Impossible { .. }) = advice {
                    prop_assert!(own.iter().any(Sample::predicts_impossible));
                }
                let stop = matches!(advice, Advice::Stop(_));
                if stop {
                    // The stop stays, whatever comes next.
                    let again = &[Estimate::NoAnswer; 3][..watched.len()];
                    let free = turn(&[0.0; 3][..watched.len()], again);
                    prop_assert_eq!(monitor.clone().push(&free, None).unwrap(), advice);
                    monitor = going_on(&monitor);
                }
                if stop && stopped_at.is_none() {
                    stopped_at = Some(k);
                }
                counts.success_prefixes += u64::from(feasible);
                counts.false_alarm_prefixes += u64::from(feasible && stop);
                metrics.update(&own[0], Weight::ONE).unwrap();
                // Metrics leave out a sample of which nothing remained.
                if own[0].is_trivial() && feasible {
                    trivial_alarms += f64::from(own[0].predicts_impossible());
                }
                samples.iter_mut().zip(own).for_each(|(all, sample)| all.push(sample));
                stated.push(*chance);
            }
            let stopped = u64::from(stopped_at.is_some());
            if feasible {
                counts.successes += 1;
                counts.stopped_successes += stopped;
                continue;
            }
            counts.failures += 1;
            counts.stopped_failures += stopped;
            for ((saved, spent), (of, _)) in sums.iter_mut().zip(&watched) {
                saved.add(stopped_at.map_or(0.0, |k| rollout.remaining(*of, k).unwrap()));
                spent.add(rollout.usage(*of).unwrap().total());
            }
        }
        let mut with_caps: Vec<StopRule> =
            rules.into_iter().map(|rule| about(watched[0].0, rule)).collect();
        with_caps.push(StopRule::CapExceeded);
        let lists: Vec<_> =
            watched.iter().zip(&samples).map(|(&(of, _), own)| (of, &own[..])).collect();
        let found = joint_early_stopping(&rollouts, &lists, Some(&stated), &with_caps).unwrap();
        prop_assert_eq!(found.len(), watched.len());
        let (first, own) = lists[0];
        if let [found] = &found[..] {
            let alone = early_stopping(&rollouts, first, own, Some(&stated), &with_caps);
            prop_assert_eq!(Ok(found), alone.as_ref());
        }
        for ((found, (saved, spent)), (_, name)) in found.into_iter().zip(sums).zip(&watched) {
            let mut expected = counts.clone();
            (expected.saved, expected.spent_by_failures) = (saved.value(), spent.value());
            expected.resource = Some((*name).to_owned());
            prop_assert_eq!(found.saved_share(), expected.saved_share());
            prop_assert_eq!(found, expected);
        }
        // The same rule counts the false aborts of the feasibility counts.
        let rule = [StopRule::first_impossible().with_reading(Reading::Cap)];
        let alarms = early_stopping(&rollouts, first, own, None, &rule).unwrap();
        let counted = metrics.finish().map_or(0.0, |all| all.feasibility.feasible_as_impossible);
        prop_assert_eq!(alarms.false_alarm_prefixes as f64, counted + trivial_alarms);
    }
}

#[test]
fn joint_early_stopping_takes_the_same_prefixes_of_each_resource() {
    let mut rollouts = Rollouts::new(["tokens", "usd"]).unwrap();
    rollouts.push(&[5.0, 1.0, 5.0, 1.0, 5.0, 1.0], true).unwrap();
    let [tokens, usd] = ["tokens", "usd"].map(|name| rollouts.resource(name).unwrap());
    let sample = |of, k| Sample::new(&rollouts.get(0).unwrap(), of, k, Estimate::NoAnswer).unwrap();
    let (first, second) = ([sample(tokens, 1)], [sample(usd, 2)]);
    let joint = |resources: &[_]| joint_early_stopping(&rollouts, resources, None, &[]);
    refused(joint(&[]), "the input is empty");
    refused(joint(&[(tokens, &first[..]), (usd, &second[..])]), "entry 0: the samples of all");
    refused(joint(&[(tokens, &first[..]), (usd, &[])]), "samples: expected 1, found 0");
    refused(joint(&[(tokens, &first[..]), (usd, &first[..])]), "sample 0 belongs to tokens");
}

#[test]
fn estimates_before_the_first_turn_come_before_the_first_turn() {
    let rule = StopRule::impossible_in_a_row(2).unwrap();
    let mut monitor = BudgetMonitor::new([("tokens", Some(9.0))]).unwrap().with_stop_rule(rule);
    let impossible = [Estimate::Impossible];
    // Asked twice before the first turn, it counts once.
    for _ in 0..2 {
        let advice = monitor.begin(&impossible, None).unwrap();
        assert_eq!(advice, Advice::Warn(AdviceReason::Impossible { in_a_row: 1 }));
    }
    assert_eq!((monitor.turns(), monitor.spent()), (0, &[0.0][..]));
    refused(monitor.begin(&[], None), "expected 1, found 0");
    let advice = monitor.push(&turn(&[1.0], &impossible), None).unwrap();
    assert_eq!(advice, Advice::Stop(AdviceReason::Impossible { in_a_row: 2 }));
    refused(monitor.begin(&impossible, None), "number of completed turns is 1");
}

#[test]
fn samples_made_under_another_cap_or_outcome_are_an_error() {
    let costs = [5.0; 3];
    let (mut rollouts, tokens) = runs([(costs, true)]);
    let sample = |rollouts: &Rollouts| {
        Sample::new(&rollouts.get(0).unwrap(), tokens, 1, Estimate::NoAnswer).unwrap()
    };
    let before = [sample(&rollouts)];
    rollouts.set_cap(tokens, 20.0).unwrap();
    let other = "sample 0 does not match rollout 0";
    refused(at_first(&rollouts, tokens, &before), other);
    refused(stopping_curve(&rollouts, tokens, &before, &[Probability::HALF]), other);
    assert!(at_first(&rollouts, tokens, &[sample(&rollouts)]).is_ok());
    // The same costs and cap, but a failure.
    refused(at_first(&runs([(costs, false)]).0, tokens, &before), other);
}

/// By `Reading::Cap`, an interval above what is left says "impossible" to every measure; by `Reading::Answers`, to none.
#[test]
fn one_reading_decides_what_is_impossible_in_every_measure() {
    let (mut rollouts, tokens) = runs([([60.0, 30.0, 20.0], false)]);
    rollouts.set_cap(tokens, 100.0).unwrap();
    let rollout = rollouts.get(0).unwrap();
    let samples = [(1, 40.0), (2, 10.5)]
        .map(|(k, low)| Sample::new(&rollout, tokens, k, interval(low, 50.0)).unwrap());
    assert_eq!(samples.map(|sample| sample.left()), [Some(40.0), Some(10.0)]);
    for (reading, alarms, mean_turns, fail_f1, saved) in [
        (Reading::Cap, 1.0, Some(2.0), Some(2.0 / 3.0), 20.0),
        (Reading::Answers, 0.0, None, Some(0.0), 0.0),
    ] {
        let samples = samples.map(|sample| sample.with_reading(reading));
        assert_eq!(samples.map(|it| it.predicts_impossible()), [false, alarms > 0.0]);
        let mut metrics = ProgressMetrics::new(1).unwrap();
        samples.iter().for_each(|sample| metrics.update(sample, Weight::ONE).unwrap());
        let all = metrics.finish().unwrap();
        let found = all.all_turns.feasibility;
        let counts = (found.impossible_as_impossible, found.impossible_as_feasible);
        assert_eq!((counts, found.impossible.f1), ((alarms, 2.0 - alarms), fail_f1));
        assert_eq!(all.detection.unwrap().mean_turns, mean_turns);
        let rule = [StopRule::first_impossible().with_reading(reading)];
        let stops = early_stopping(&rollouts, tokens, &samples, None, &rule).unwrap();
        assert_eq!((stops.stopped_failures as f64, stops.saved), (alarms, saved));
        let mut monitor = BudgetMonitor::new([("tokens", Some(100.0))]).unwrap();
        monitor = monitor.with_stop_rule(rule[0]);
        monitor.push(&turn(&[60.0], &[samples[0].estimate()]), None).unwrap();
        let advice = monitor.push(&turn(&[30.0], &[samples[1].estimate()]), None).unwrap();
        // The warning stands by either reading.
        let reason = AdviceReason::Impossible { in_a_row: 1 };
        let stops = alarms > 0.0;
        assert_eq!(advice, if stops { Advice::Stop(reason) } else { Advice::Warn(reason) });
    }
}

#[test]
fn lost_success_is_a_share_of_feasible_runs_or_of_all_runs() {
    let mut stops = EarlyStops::default();
    (stops.stopped_successes, stops.successes, stops.failures) = (2, 50, 30);
    assert_eq!((stops.success_lost(), stops.success_rate_lost()), (Ok(0.04), Ok(0.025)));
    stops.stopped_successes = 51;
    refused(stops.success_rate_lost(), "stopped_successes is 51");
    refused(EarlyStops::default().success_rate_lost(), "the input is empty");
}

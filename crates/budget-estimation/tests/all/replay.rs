//! What a replay shows, and that it shows nothing else.

use budget_estimation::{
    BudgetMonitor, Context, Error, Estimate, Estimator, LinearEstimator, Prefix, RecordedRun,
    Resource, Rollout, Rollouts, Sample, estimator_from_fn,
};
use proptest::prelude::*;

use crate::common::{after_a_turn, always, interval, refused};

/// A run of two resources that has not begun, with a cap on the output.
fn recorded(cap: Option<f64>) -> RecordedRun {
    RecordedRun::new(BudgetMonitor::new([("input", None), ("output", cap)]).unwrap()).unwrap()
}

fn rollouts(runs: &[(Vec<[f64; 2]>, bool)]) -> Rollouts {
    let mut rollouts = Rollouts::new(["input", "output"]).unwrap();
    for (turns, succeeded) in runs {
        rollouts.push(turns.as_flattened(), *succeeded).unwrap();
    }
    rollouts
}

/// Everything that the public interface of a prefix shows.
fn seen(prefix: &Prefix<'_>) -> String {
    let named = ["task", "model", "none"].map(|name| prefix.key(name));
    let features: Vec<_> =
        (0..20).map(|turn| ["errors", "tests"].map(|name| prefix.feature(turn, name))).collect();
    format!(
        "{prefix:?} {} {:?} {:?} {named:?} {features:?} {:?}",
        prefix.turns(),
        prefix.resource(),
        prefix.usage(),
        Context::new(prefix)
    )
}

/// The probe before the first turn, and the prefixes after turns.
fn every_prefix<'a>(run: &Rollout<'a>, of: Resource) -> impl Iterator<Item = Prefix<'a>> + use<'a> {
    std::iter::once(run.probe(of).unwrap()).chain(run.replay(of).unwrap())
}

fn turns(range: std::ops::Range<usize>) -> impl Strategy<Value = Vec<[f64; 2]>> {
    let cost = (0_u32..1000).prop_map(f64::from);
    prop::collection::vec([cost.clone(), cost], range)
}

proptest! {
    #[test]
    fn two_runs_with_one_past_look_the_same_whatever_comes(
        past in turns(1..6), futures in [turns(1..6), turns(1..6)], unknown in any::<bool>(),
    ) {
        // The second run fails, and a cost of its other resource may become unknown.
        let mut both = Vec::new();
        for (which, future) in futures.iter().enumerate() {
            let rollouts = rollouts(&[]);
            let all: Vec<[f64; 2]> = past.iter().chain(future).copied().collect();
            let mut costs: Vec<_> = all.as_flattened().iter().copied().map(Some).collect();
            if which == 1 && unknown {
                costs[2 * past.len()] = None;
            }
            let rollouts = rollouts.with_keys(["model"]).unwrap();
            let mut rollouts = rollouts.with_features(["errors", "tests"]).unwrap();
            rollouts.push(&costs, which == 0).unwrap();
            rollouts.set_key(0, "model", "m").unwrap();
            for turn in 0..=all.len() {
                if turn <= past.len() || which == 1 {
                    rollouts.set_feature(0, turn, "errors", turn as f64).unwrap();
                }
            }
            // A value of the last turn of one run only.
            rollouts.set_feature(0, all.len(), "tests", which as f64).unwrap();
            let output = rollouts.resource("output").unwrap();
            rollouts.set_cap(output, 1500.0).unwrap();
            let rollout = rollouts.get(0).unwrap();
            let prefixes = every_prefix(&rollout, output).take(past.len() + 1);
            both.push(prefixes.map(|prefix| seen(&prefix)).collect::<Vec<_>>());
        }
        prop_assert_eq!(&both[0], &both[1]);
        prop_assert_eq!(both[0].len(), past.len() + 1);
    }

    #[test]
    fn a_live_run_shows_what_its_replay_will_show(
        turns in turns(2..8), cap in 1_u32..900,
        errors in prop::collection::vec(prop::option::of(-9.0..9.0_f64), 8),
        unknown in prop::option::of(0_usize..8), cents in any::<bool>(),
    ) {
        // Another run before this one, and another order of resources and features.
        let unit = if cents { 0.01 } else { 1.0 };
        let rollouts = rollouts(&[(vec![[1.0, 2.0]; 3], true)]).with_keys(["model"]).unwrap();
        let mut rollouts = rollouts.with_features(["tests", "errors"]).unwrap();
        let costs = |turn: usize| {
            let [input, output] = turns[turn];
            [(unknown != Some(turn)).then_some(input * unit), Some(output * unit)]
        };
        let all: Vec<Option<f64>> = (0..turns.len()).flat_map(costs).collect();
        rollouts.push(&all, true).unwrap();
        let output = rollouts.resource("output").unwrap();
        rollouts.set_cap(output, f64::from(cap)).unwrap();
        rollouts.set_key(1, "model", "m").unwrap();
        rollouts.set_key(1, "task", "t").unwrap();
        // Set backwards, which gives the same as in the order of turns.
        for turn in (0..turns.len()).rev() {
            if let Some(value) = errors[turn] {
                rollouts.set_feature(1, turn, "errors", value).unwrap();
            }
        }
        let mut replayed = every_prefix(&rollouts.get(1).unwrap(), output);

        let live = recorded(Some(f64::from(cap))).with_keys(["model"]).unwrap();
        let mut live = live.with_features(["errors"]).unwrap();
        live.set_key("model", "m").unwrap();
        live.set_key("task", "t").unwrap();
        for (turn, errors) in errors.iter().take(turns.len()).enumerate() {
            if let Some(value) = *errors {
                live.set_feature(turn, "errors", value).unwrap();
            }
            let (prefix, replayed) = (live.prefix(output).unwrap(), replayed.next().unwrap());
            prop_assert_eq!(seen(&prefix), seen(&replayed));
            live.push(&costs(turn)).unwrap();
        }
        prop_assert!(replayed.next().is_none());
    }

    #[test]
    fn samples_are_what_a_plain_sum_gives(
        runs in prop::collection::vec((turns(1..9), any::<bool>()), 1..6), cap in 0_u32..6000,
    ) {
        let mut rollouts = rollouts(&runs);
        let output = rollouts.resource("output").unwrap();
        rollouts.set_cap(output, f64::from(cap)).unwrap();
        let mut as_much_again = estimator_from_fn(|prefix| {
            let used = prefix.usage().total();
            Estimate::interval(0.0, used)
        });
        let samples = rollouts.score(output, &mut as_much_again).unwrap();
        let mut at = 0;
        for (run, (turns, succeeded)) in runs.iter().enumerate() {
            let costs: Vec<f64> = turns.iter().map(|turn| turn[1]).collect();
            let total: f64 = costs.iter().sum();
            for k in 1..costs.len() {
                let used: f64 = costs[..k].iter().sum();
                let left: f64 = costs[k..].iter().sum();
                let sample = samples[at];
                prop_assert_eq!((sample.rollout(), sample.turn(), sample.turns()), (run, k, costs.len()));
                prop_assert_eq!((sample.used(), sample.remaining()), (used, left));
                prop_assert_eq!(sample.left(), Some(f64::from(cap) - used));
                prop_assert_eq!(sample.is_feasible(), *succeeded && total <= f64::from(cap));
                prop_assert_eq!(sample.is_hit(), left <= used);
                prop_assert_eq!(sample.is_trivial(), left == 0.0);
                let linear = used / k as f64 * costs.len() as f64 - used;
                prop_assert!((sample.linear_reference().unwrap() - linear).abs() <= 1e-9 * (1.0 + linear));
                // Made one by one it is the same sample.
                let alone = Sample::new(&rollouts.get(run).unwrap(), output, k, sample.estimate());
                prop_assert_eq!(alone.unwrap(), sample);
                at += 1;
            }
        }
        prop_assert_eq!(at, samples.len());
    }
}

#[test]
fn a_prefix_ends_before_the_last_turn_and_the_probe_comes_before_the_first() {
    let rollouts = rollouts(&[(vec![[1.0, 2.0]; 3], true), (vec![[1.0, 2.0]], true)]);
    let output = rollouts.resource("output").unwrap();
    let turns = |run: usize| -> Vec<usize> {
        let prefixes = rollouts.get(run).unwrap().replay(output).unwrap();
        assert_eq!(prefixes.len(), prefixes.clone().count());
        prefixes.map(|prefix| prefix.turns()).collect()
    };
    assert_eq!((turns(0), turns(1)), (vec![1, 2], vec![]));
    let first = rollouts.get(0).unwrap();
    assert_eq!(first.probe(output).unwrap().turns(), 0);
    let sample = first.score_probe(output, &mut always(interval(5.0, 7.0))).unwrap();
    assert_eq!((sample.turn(), sample.remaining(), sample.is_hit()), (0, 6.0, true));
    assert_eq!(sample.linear_reference(), None);
    let late = Sample::new(&first, output, 3, Estimate::Impossible);
    refused(late, "rollout 0: turn 3 is out of range; the rollout has 3 turns");
}

#[test]
fn an_unknown_cost_is_an_error_only_for_who_asks_for_it() {
    let mut rollouts = rollouts(&[]);
    let costs = [Some(1.0), Some(2.0), None, Some(3.0), Some(4.0), Some(5.0)];
    rollouts.push(&costs, true).unwrap();
    let [input, output] = ["input", "output"].map(|name| rollouts.resource(name).unwrap());
    let rollout = rollouts.get(0).unwrap();
    let unknown = rollout.usage(input).unwrap_err();
    assert!(matches!(
        &unknown,
        Error::UnknownCost { rollout: 0, turn: 2, resource, .. } if resource == "input"
    ));
    assert_eq!(rollout.remaining(input, 1).unwrap_err(), unknown);
    assert_eq!(rollout.replay(input).err(), Some(unknown.clone()));
    assert!(rollout.usage(output).is_ok() && rollout.usage(input).is_err());

    let shown: Vec<_> = rollout
        .replay(output)
        .unwrap()
        .map(|prefix| prefix.usage_of(input).map(|usage| usage.total()))
        .collect();
    assert_eq!(shown, [Some(1.0), None]);

    // A cap on what is not known makes the label unknown, unless the run failed anyway.
    rollouts.set_cap(input, 10.0).unwrap();
    assert_eq!(rollouts.get(0).unwrap().is_feasible(), Err(unknown));
    rollouts.push(&costs, false).unwrap();
    assert_eq!(rollouts.get(1).unwrap().is_feasible(), Ok(false));
}

#[test]
fn a_run_is_feasible_only_within_every_cap() {
    let mut rollouts = rollouts(&[(vec![[3.0, 4.0]; 2], true)]);
    let [input, output] = ["input", "output"].map(|name| rollouts.resource(name).unwrap());
    rollouts.set_cap(input, 6.0).unwrap();
    assert_eq!(rollouts.get(0).unwrap().is_feasible(), Ok(true));
    rollouts.set_cap_of(0, output, 7.0).unwrap();
    assert_eq!(rollouts.get(0).unwrap().is_feasible(), Ok(false));
    assert_eq!(rollouts.get(0).unwrap().cap(output), Ok(Some(7.0)));
    // The cap on all rollouts is that of later ones too; the cap of one is not.
    rollouts.push(&[3.0, 9.0], true).unwrap();
    let caps = [input, output].map(|resource| rollouts.get(1).unwrap().cap(resource).unwrap());
    assert_eq!(caps, [Some(6.0), None]);
}

#[test]
fn a_sum_of_resources_is_a_resource_and_a_choice_of_rollouts_keeps_what_they_are() {
    let rollouts = rollouts(&[(vec![[1.0, 2.0]; 2], false), (vec![[3.0, 4.0]; 3], true)]);
    let rollouts = rollouts.with_keys(["model"]).unwrap();
    let mut rollouts = rollouts.with_features(["errors"]).unwrap();
    rollouts.set_id(1, "b").unwrap();
    rollouts.set_key(1, "task", "t").unwrap();
    for (rollout, turns) in [(0, 2), (1, 3)] {
        rollouts.set_key(rollout, "model", format!("m{rollout}")).unwrap();
        for turn in [0, turns] {
            let value = (10 * rollout + turn) as f64;
            rollouts.set_feature(rollout, turn, "errors", value).unwrap();
        }
    }
    let parts: Vec<Resource> = rollouts.resources().map(|(resource, _)| resource).collect();
    let total = rollouts.add_sum("total", &parts).unwrap();
    rollouts.set_cap_of(1, total, 20.0).unwrap();
    assert_eq!(rollouts.get(0).unwrap().usage(total).unwrap().costs(), [3.0, 3.0]);
    let kept = rollouts.filter(|rollout| rollout.succeeded());
    let rollout = kept.get(0).unwrap();
    assert_eq!((kept.len(), rollout.id()), (1, Some("b")));
    assert_eq!(rollout.keys().collect::<Vec<_>>(), [("task", "t"), ("model", "m1")]);
    let features: Vec<_> = (0..5).map(|turn| rollout.feature(turn, "errors")).collect();
    assert_eq!(features, [Some(10.0), None, None, Some(13.0), None]);
    assert_eq!(rollout.usage(total).unwrap().cumulative(), [7.0, 14.0, 21.0]);
    assert_eq!(rollout.cap(total), Ok(Some(20.0)));
    refused(rollouts.add_sum("total", &parts), "resource name \"total\" is empty or repeated");
    refused(rollouts.add_sum("none", &[]), "the input is empty");
}

#[test]
fn wrong_rollouts_are_refused_and_leave_no_trace() {
    let mut rollouts = rollouts(&[]);
    let output = rollouts.resource("output").unwrap();
    refused(rollouts.push::<f64>(&[], true), "rollout 0 has no turns");
    refused(
        rollouts.push(&[1.0; 3], true),
        "rollout 0: the number of costs is 3; give 2 for each turn",
    );
    for (value, shown) in
        [(-1.0, "-1"), (f64::INFINITY, "inf"), (1e101, "1e101"), (f64::NAN, "NaN")]
    {
        refused(
            rollouts.push(&[1.0, value], true),
            &format!("rollout 0, turn 1: output is {shown}; give"),
        );
        refused(rollouts.set_cap(output, value), &format!("the cap on output is {shown}; give"));
    }
    assert!(rollouts.is_empty() && rollouts.iter().len() == 0);
    refused(rollouts.get(0), "there is no rollout 0; there are 0 rollouts");
    refused(rollouts.resource("time"), "there is no resource time");
    refused(Rollouts::new(["a", "a"]), "resource name \"a\"");
    refused(Rollouts::new([""]), "resource name \"\"");
    refused(Rollouts::new(Vec::<String>::new()), "the input is empty");
}

#[test]
fn a_wrong_turn_of_a_live_run_is_refused_and_leaves_no_trace() {
    let mut live = recorded(None);
    let output = live.rollouts().resource("output").unwrap();
    live.push(&[None, Some(2.0)]).unwrap();
    let before = seen(&live.prefix(output).unwrap());
    refused(live.push(&[Some(1.0), Some(-1.0)]), "rollout 0, turn 2: output is -1");
    refused(live.push(&[Some(1.0)]), "rollout 0: the number of costs is 1; give 2");
    assert_eq!(seen(&live.prefix(output).unwrap()), before);
    let input = live.rollouts().resource("input").unwrap();
    refused(live.prefix(input), "rollout 0, turn 1: input is unknown");
}

#[test]
fn an_estimator_learns_from_a_run_only_after_its_last_prefix() {
    #[derive(Default)]
    struct Diary(Vec<String>);
    impl Estimator for Diary {
        fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error> {
            self.0.push(format!("estimate {}", prefix.turns()));
            Ok(Estimate::NoAnswer)
        }
        fn learn(&mut self, rollout: &Rollout<'_>, _: Resource) -> Result<(), Error> {
            self.0.push(format!("learn {}", rollout.index()));
            Ok(())
        }
    }
    let rollouts = rollouts(&[(vec![[1.0, 2.0]; 3], true), (vec![[1.0, 2.0]; 2], true)]);
    let mut diary = Diary::default();
    rollouts.score(rollouts.resource("input").unwrap(), &mut diary).unwrap();
    assert_eq!(diary.0, ["estimate 1", "estimate 2", "learn 0", "estimate 1", "learn 1"]);
}

#[test]
fn an_error_of_the_estimator_or_of_the_caller_stops_the_replay() {
    let rollouts = rollouts(&[(vec![[1.0, 2.0]; 3], true)]);
    let input = rollouts.resource("input").unwrap();
    let gone = Error::estimator("gone");
    assert_eq!(gone.to_string(), "the estimator failed: gone");
    let mut broken = estimator_from_fn(|_| Err(gone.clone()));
    assert_eq!(rollouts.score(input, &mut broken), Err(gone.clone()));
    let mut fine = always(Estimate::Impossible);
    let stop = |_: &Sample| Err(gone.clone());
    assert_eq!(rollouts.get(0).unwrap().score(input, &mut fine, stop), Err(gone.clone()));
}

#[test]
fn linear_extrapolation_learns_the_length_of_successes_alone_and_never_says_zero_turns() {
    let rollouts = rollouts(&[
        (vec![[1.0, 10.0]; 4], true),
        (vec![[1.0, 10.0]; 90], false),
        (vec![[1.0, 10.0]; 8], true),
        (vec![[1.0, 10.0]; 9], true),
    ]);
    let output = rollouts.resource("output").unwrap();
    let mut linear = LinearEstimator::learning(2.0, 0.0).unwrap();
    let samples = rollouts.score(output, &mut linear).unwrap();
    let point = |rollout: usize, turn: usize| {
        let found = samples.iter().find(|s| (s.rollout(), s.turn()) == (rollout, turn)).unwrap();
        found.estimate().ends().unwrap().low()
    };
    // Assumed turns: 2 at first, then 4, and the mean of 4 and 8.
    assert_eq!(
        [point(0, 1), point(0, 3), point(1, 1), point(2, 3), point(3, 1), point(3, 8)],
        [10.0, 10.0, 30.0, 10.0, 50.0, 10.0]
    );
    // Now the mean of 4, 8 and 9.
    let first = after_a_turn(&rollouts, 0, output);
    assert_eq!(linear.estimate(&first), Ok(interval(60.0, 60.0)));
    for (turns, half_width) in [(0.5, 0.1), (f64::NAN, 0.1), (5.0, 1.1), (5.0, f64::NAN)] {
        assert!(LinearEstimator::new(turns, half_width).is_err(), "{turns} {half_width}");
    }
}

/// The text of later turns is as hidden as their costs.
#[test]
fn a_prefix_shows_the_contents_of_its_completed_turns_only() {
    let mut rollouts = rollouts(&[(vec![[1.0, 2.0]; 3], false), (vec![[1.0, 2.0]; 3], true)]);
    for turn in 0..=3 {
        rollouts.set_content(1, turn, format!("turn {turn}")).unwrap();
    }
    for turn in 1..=3 {
        rollouts.set_observation(1, turn, format!("seen {turn}")).unwrap();
    }
    let output = rollouts.resource("output").unwrap();
    // Also where rollouts before it were left out.
    let kept = rollouts.filter(|rollout| rollout.succeeded());
    for (rollouts, run) in [(&rollouts, 1), (&kept, 0)] {
        let rollout = rollouts.get(run).unwrap();
        assert_eq!(rollout.content(3), Some("turn 3"));
        let first = rollout.probe(output).unwrap();
        assert_eq!((first.content(0), first.content(1)), (Some("turn 0"), None));
        // What was seen before the first turn is known before it.
        assert_eq!((first.observation(1), first.observation(2)), (Some("seen 1"), None));
        for prefix in rollout.replay(output).unwrap() {
            let shown: Vec<usize> = (0..9).filter(|&turn| prefix.content(turn).is_some()).collect();
            assert!(shown.into_iter().eq(0..=prefix.turns()));
            let seen = (0..9).filter(|&turn| prefix.observation(turn).is_some());
            assert!(seen.eq(1..=prefix.turns()));
        }
    }
    assert_eq!(rollouts.get(0).unwrap().content(0), None);
    refused(rollouts.set_content(1, 4, "too late"), "rollout 1: turn 4 is out of range");
    refused(rollouts.set_observation(1, 4, "too late"), "rollout 1: turn 4 is out of range");

    let mut live = recorded(None);
    live.set_content(0, "task").unwrap();
    assert!(live.set_content(1, "early").is_err());
    live.push(&[Some(1.0), Some(2.0)]).unwrap();
    live.set_content(1, "done").unwrap();
    let prefix = live.prefix(live.rollouts().resource("output").unwrap()).unwrap();
    assert_eq!((prefix.content(0), prefix.content(1)), (Some("task"), Some("done")));
}

#[test]
fn wrong_keys_and_features_are_refused_and_leave_no_trace() {
    let declared = || rollouts(&[(vec![[1.0, 2.0]; 2], true)]);
    for name in ["", "task", "id", "turns", "start", "input"] {
        let wrong = format!("{name:?} cannot name a key or feature");
        refused(declared().with_keys([name]), &wrong);
        refused(declared().with_features([name]), &wrong);
    }
    refused(declared().with_keys(["model", "model"]), "\"model\" cannot name");
    let rollouts = declared().with_keys(["model"]).unwrap();
    let mut rollouts = rollouts.with_features(["errors"]).unwrap();
    refused(rollouts.set_key(0, "errors", "m"), "there is no key or feature \"errors\"");
    refused(rollouts.set_feature(0, 1, "model", 1.0), "there is no key or feature \"model\"");
    refused(rollouts.set_key(1, "model", "m"), "there is no rollout 1; there are 1");
    refused(rollouts.set_feature(1, 0, "errors", 1.0), "there is no rollout 1; there are 1");
    refused(rollouts.set_feature(0, 3, "errors", 1.0), "turn 3 is out of range");
    for value in [f64::NAN, f64::INFINITY, -1.1e100] {
        refused(rollouts.set_feature(0, 1, "errors", value), "rollout 0, turn 1: errors is ");
    }
    let input = rollouts.resource("input").unwrap();
    refused(rollouts.add_sum("errors", &[input]), "resource name \"errors\"");
    let rollout = rollouts.get(0).unwrap();
    assert_eq!((rollout.keys().count(), rollout.feature(1, "errors")), (0, None));
}

//! Feature vectors of replayed and live runs, against plain sums.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use crate::{
    error::Error,
    recorded_run::RecordedRun,
    replay::{prefix::Prefix, prefix_features::PrefixFeatures},
    resource::Resource,
    rollouts::{rollout::Rollout, storage::Rollouts},
    stopping::monitor::BudgetMonitor,
};

fn rollouts(runs: &[Vec<[f64; 2]>]) -> Rollouts {
    let mut rollouts = Rollouts::new(["input", "output"]).unwrap();
    for turns in runs {
        rollouts.push(turns.as_flattened(), true).unwrap();
    }
    rollouts
}

/// The bits of the feature vector.
fn row(features: &PrefixFeatures, prefix: &Prefix<'_>) -> Vec<u64> {
    let mut row = Vec::new();
    features.append_to(&mut row, prefix).unwrap();
    assert_eq!(row.len(), features.len());
    row.iter().map(|value| value.to_bits()).collect()
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
    fn two_runs_with_one_past_have_the_same_vectors_whatever_comes(
        past in turns(1..6), futures in [turns(1..6), turns(1..6)],
    ) {
        let both = futures.map(|future| {
            let turns = [past.clone(), future].concat();
            let mut rollouts = rollouts(&[]).with_features(["errors"]).unwrap();
            rollouts.push(turns.as_flattened(), true).unwrap();
            for turn in 0..=turns.len() {
                rollouts.set_feature(0, turn, "errors", turn as f64).unwrap();
            }
            let output = rollouts.resource("output").unwrap();
            rollouts.set_cap(output, 1500.0).unwrap();
            let rollout = rollouts.get(0).unwrap();
            let features = PrefixFeatures::new(&rollout, output).unwrap();
            let prefixes = every_prefix(&rollout, output).take(past.len() + 1);
            prefixes.map(|prefix| row(&features, &prefix)).collect::<Vec<_>>()
        });
        prop_assert_eq!(&both[0], &both[1]);
        prop_assert_eq!(both[0].len(), past.len() + 1);
    }

    #[test]
    fn a_live_run_has_the_vectors_of_its_replay(
        turns in turns(2..8), cap in 1_u32..900,
        errors in prop::collection::vec(prop::option::of(-9.0..9.0_f64), 8),
        unknown in prop::option::of(0_usize..8), cents in any::<bool>(),
    ) {
        // Another run before this one, and another order of features.
        let unit = if cents { 0.01 } else { 1.0 };
        let mut rollouts = rollouts(&[vec![[1.0, 2.0]; 3]]).with_features(["tests", "errors"]).unwrap();
        let costs = |turn: usize| {
            let [input, output] = turns[turn];
            [(unknown != Some(turn)).then_some(input * unit), Some(output * unit)]
        };
        let all: Vec<Option<f64>> = (0..turns.len()).flat_map(costs).collect();
        rollouts.push(&all, true).unwrap();
        let output = rollouts.resource("output").unwrap();
        rollouts.set_cap(output, f64::from(cap)).unwrap();
        for (turn, errors) in errors.iter().take(turns.len()).enumerate() {
            if let Some(value) = *errors {
                rollouts.set_feature(1, turn, "errors", value).unwrap();
            }
        }
        let rollout = rollouts.get(1).unwrap();
        let features = PrefixFeatures::new(&rollout, output).unwrap();
        let monitor = [("input", None), ("output", Some(f64::from(cap)))];
        let live = RecordedRun::new(BudgetMonitor::new(monitor).unwrap()).unwrap();
        let mut live = live.with_features(["errors"]).unwrap();
        for (turn, replayed) in every_prefix(&rollout, output).enumerate() {
            if let Some(value) = errors[turn] {
                live.set_feature(turn, "errors", value).unwrap();
            }
            prop_assert_eq!(row(&features, &live.prefix(output).unwrap()), row(&features, &replayed));
            live.push(&costs(turn)).unwrap();
        }
    }

    #[test]
    fn the_feature_vector_is_what_plain_sums_give(
        turns in turns(1..9), errors in prop::collection::vec(prop::option::of(0_u32..9), 10),
    ) {
        let mut rollouts = rollouts(&[]).with_features(["errors"]).unwrap();
        rollouts.push(turns.as_flattened(), true).unwrap();
        let output = rollouts.resource("output").unwrap();
        rollouts.set_cap(output, 700.0).unwrap();
        for (turn, value) in errors.iter().take(turns.len() + 1).enumerate() {
            if let Some(value) = *value {
                rollouts.set_feature(0, turn, "errors", f64::from(value)).unwrap();
            }
        }
        let rollout = rollouts.get(0).unwrap();
        let features = PrefixFeatures::new(&rollout, output).unwrap();
        let missing = f64::NEG_INFINITY;
        let mean = |costs: &[f64]| costs.iter().sum::<f64>() / costs.len() as f64;
        let largest = |costs: &[f64]| costs.iter().copied().fold(missing, f64::max);
        for prefix in every_prefix(&rollout, output) {
            let k = prefix.turns();
            let [input, output] = [0, 1].map(|at| turns[..k].iter().map(|turn| turn[at]).collect::<Vec<f64>>());
            let spent: f64 = output.iter().sum();
            let known: Vec<f64> = errors[..=k].iter().flatten().copied().map(f64::from).collect();
            let some = |there: bool, value: f64| if there { value } else { missing };
            // Whole numbers, so that this is exact.
            let turns = k as f64;
            let squares = turns * output.iter().map(|cost| cost * cost).sum::<f64>() - spent * spent;
            let expected = [
                k as f64,
                spent,
                output.last().copied().unwrap_or(missing),
                some(k > 0, mean(&output)),
                some(k > 0, mean(&output[k.saturating_sub(3)..])),
                largest(&output),
                some(spent > 0.0, mean(&output[k.saturating_sub(3)..]) / mean(&output)),
                some(spent > 0.0, squares.sqrt() / spent),
                700.0 - spent,
                spent / 700.0,
                input.iter().sum(),
                input.first().copied().unwrap_or(missing),
                input.last().copied().unwrap_or(missing),
                if k > 1 { input[k - 1] - input[0] } else { missing },
                if k > 1 { input[k - 1] - input[k - 2] } else { missing },
                missing,
                known.last().copied().unwrap_or(missing),
                some(!known.is_empty(), known.iter().sum()),
            ];
            let bits = expected.map(|value: f64| (value + 0.0).to_bits());
            // The squares of the spread are k roundings from the exact ones, of which the root leaves half; further
            // operations here and there round four times.
            let (mut found, mut bits) = (row(&features, &prefix), bits);
            let spreads = [&mut found[7], &mut bits[7]].map(std::mem::take);
            prop_assert!(spreads[0].abs_diff(spreads[1]) <= k as u64 / 2 + 4, "{:?}", spreads);
            prop_assert_eq!(found, bits, "{:?}", expected);
        }
    }

    #[test]
    fn features_and_what_is_left_are_those_of_all_costs_live_and_in_a_copy(
        all in prop::collection::vec(prop::collection::vec(0.0..1e3_f64, 1..40), 1..4),
        is_long in any::<bool>(),
    ) {
        let cost = |cost: f64| if is_long { cost } else { cost.round() };
        let costs = |costs: &Vec<f64>| costs.iter().map(|it| cost(*it)).collect::<Vec<_>>();
        let mut rollouts = Rollouts::new(["tokens"]).unwrap();
        for run in &all {
            rollouts.push(&costs(run), true).unwrap();
        }
        let usd = rollouts.resource("tokens").unwrap();
        rollouts.set_cap(usd, 1234.5).unwrap();
        let mut copies = rollouts.filter(|_| true);
        copies.append(&rollouts).unwrap();
        for (at, rollout) in rollouts.iter().enumerate() {
            let monitor = BudgetMonitor::new([("tokens", Some(1234.5))]).unwrap();
            let mut live = RecordedRun::new(monitor).unwrap();
            let features = PrefixFeatures::new(&rollout, usd).unwrap();
            let copies = [at, at + all.len()].map(|at| copies.get(at).unwrap());
            let mut copies = copies.map(|copy| copy.replay(usd).unwrap());
            for prefix in rollout.replay(usd).unwrap() {
                let (costs, k) = (prefix.usage().costs(), prefix.turns());
                live.push(&[costs[k - 1]]).unwrap();
                let found = row(&features, &prefix);
                prop_assert_eq!(&found, &row(&features, &live.prefix(usd).unwrap()));
                for copy in &mut copies {
                    prop_assert_eq!(&found, &row(&features, &copy.next().unwrap()));
                }
                let [largest_cost, spread_of_costs, left] = [5, 7, 8].map(|at| f64::from_bits(found[at]));
                let largest = costs.iter().copied().fold(0.0, f64::max);
                let mean = costs.iter().sum::<f64>() / k as f64;
                prop_assert_eq!(largest_cost, largest);
                if mean > 0.0 {
                    let squares: f64 = costs.iter().map(|it| (it - mean).powi(2)).sum();
                    let spread = (squares / k as f64).sqrt() / mean;
                    prop_assert!((spread_of_costs - spread).abs() < 1e-13, "{spread}");
                }
                prop_assert_eq!(Some(left), live.monitor().left().next().unwrap());
            }
        }
    }
}

#[test]
fn a_vector_belongs_to_one_resource() {
    let rollouts = rollouts(&[vec![[1.0, 2.0]; 2]]);
    let rollout = rollouts.get(0).unwrap();
    let features = PrefixFeatures::new(&rollout, rollouts.resource("input").unwrap()).unwrap();
    let output = rollout.probe(rollouts.resource("output").unwrap()).unwrap();
    let error = features.append_to(&mut Vec::new(), &output).unwrap_err();
    assert!(error.to_string().contains("differ in the estimated resource"), "{error}");
    let other = Rollouts::new(["usd", "tokens"]).unwrap().resource("tokens").unwrap();
    let refused = PrefixFeatures::new(&rollout, other);
    assert!(matches!(refused, Err(Error::NoSuchResource { .. })), "{refused:?}");
}

//! Rewards, targets, splits and probes.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZero,
};

use budget_estimation::{
    Error, Estimate, Rollouts, Sample, Seed,
    bagen::{
        FeasibilityProbe, ProbeMethod, TargetRounding, TargetWidth, balance_samples,
        released_split, split_rollouts,
    },
};
use proptest::prelude::*;

use crate::common::{interval, refused, runs};

fn golden() -> serde_json::Value {
    serde_json::from_str(include_str!("../golden/budget.json")).unwrap()
}

/// A balanced test set: what a policy earns that answers alike everywhere.
#[test]
fn degenerate_policies_earn_the_published_rewards() {
    let published = &golden()["rl_reward_degenerate_policies"];
    let mean = |possible: Estimate, impossible: &[(f64, Estimate)]| {
        let on_impossible: f64 = impossible
            .iter()
            .map(|&(share, answer)| share * answer.rule_reward(None).unwrap())
            .sum();
        0.5 * possible.rule_reward(Some(437.0)).unwrap() + 0.5 * on_impossible
    };
    let always = mean(Estimate::Impossible, &[(1.0, Estimate::Impossible)]);
    let expected = published["always_impossible"]["reward"].as_f64().unwrap();
    assert_eq!(format!("{always:.3}"), format!("{expected:.3}"));

    // A single number is no interval, and no answer.
    let recall = published["scalar_answers"]["recall_impossible"].as_f64().unwrap();
    let answers = [(recall, Estimate::Impossible), (1.0 - recall, Estimate::NoAnswer)];
    let scalars = mean(Estimate::NoAnswer, &answers);
    let expected = published["scalar_answers"]["reward"].as_f64().unwrap();
    assert_eq!(format!("{scalars:.3}"), format!("{expected:.3}"));
}

fn decimal_target(remaining: f64, width: TargetWidth) -> Result<Estimate, Error> {
    Estimate::training_target(Some(remaining), width, TargetRounding::Decimal)
}

#[test]
fn targets_are_those_worked_by_the_formula() {
    let rows = golden()["sft_targets_worked_by_formula"].as_array().unwrap().clone();
    assert_eq!(rows.len(), 3);
    for row in rows {
        let width = &row["width"];
        let width = width["percent"].as_f64().map_or_else(
            || TargetWidth::Fixed(width["fixed"].as_f64().unwrap()),
            TargetWidth::Share,
        );
        let number = |name: &str| row[name].as_f64().unwrap();
        let target = decimal_target(number("remaining"), width);
        assert_eq!(target, Ok(interval(number("low"), number("high"))), "{row}");
    }
}

proptest! {
    /// In whole numbers: `floor(r (100 - w) / 100)`.
    #[test]
    fn a_target_of_whole_per_cent_is_that_of_whole_numbers(r in 1_u64..1_000_000, w in 0_u64..=100) {
        let target = decimal_target(r as f64, TargetWidth::Share(w as f64 / 100.0));
        let (low, high) = ((r * (100 - w) / 100).max(1), r * (100 + w) / 100);
        prop_assert_eq!(target, Ok(interval(low as f64, high as f64)));
    }

    #[test]
    fn a_split_holds_every_rollout_once(n in 0_usize..200, seed: u64) {
        let parts = split_rollouts(n, &[0.4, 0.5, 0.1], Seed(seed)).unwrap();
        let mut all = parts.concat();
        all.sort_unstable();
        prop_assert!(all.into_iter().eq(0..n));
        for (part, share) in parts.iter().zip([0.4, 0.5, 0.1]) {
            prop_assert!((part.len() as f64 - share * n as f64).abs() <= 1.0);
        }
        prop_assert_eq!(parts, split_rollouts(n, &[0.4, 0.5, 0.1], Seed(seed)).unwrap());
    }

    #[test]
    fn a_subsample_has_no_prefix_twice_and_shares_evenly(
        turns in prop::collection::vec(1_usize..60, 1..40),
        buckets in 1_usize..10,
        cap in 0_usize..300,
        seed: u64,
    ) {
        let rollouts = rollouts(&turns);
        let chosen = rollouts.released_prefixes(NonZero::new(buckets).unwrap(), cap, Seed(seed));
        let there_are: usize = turns.iter().map(|t| t - 1).sum();
        prop_assert_eq!(chosen.len(), cap.min(there_are));
        prop_assert_eq!(chosen.iter().collect::<BTreeSet<_>>().len(), chosen.len());
        let mut of_run = BTreeMap::<usize, usize>::new();
        for &(rollout, turn) in &chosen {
            prop_assert!((1..turns[rollout]).contains(&turn));
            *of_run.entry(rollout).or_default() += 1;
        }
        let taken = |rollout: usize| of_run.get(&rollout).copied().unwrap_or(0);

        let groups = length_buckets(&turns, buckets);
        let available = |group: &[usize]| group.iter().map(|&run| turns[run] - 1).sum::<usize>();
        let given = |group: &[usize]| group.iter().map(|&run| taken(run)).sum::<usize>();
        let most_given = groups.iter().map(|group| given(group)).max().unwrap_or(0);
        for group in &groups {
            // No bucket that has prefixes left is two behind another.
            prop_assert!(given(group) + 1 >= most_given.min(available(group)));
            // Within a bucket, no rollout that has prefixes left is two behind another.
            let most = group.iter().map(|&run| taken(run)).max().unwrap_or(0);
            for &run in group {
                prop_assert!(taken(run) + 1 >= most.min(turns[run] - 1));
            }
        }
    }
}

/// The rollouts that have a prefix, sorted by length, ties by position, in parts of nearly equal size, the larger parts first.
fn length_buckets(turns: &[usize], buckets: usize) -> Vec<Vec<usize>> {
    let mut by_length: Vec<usize> = (0..turns.len()).filter(|&run| turns[run] > 1).collect();
    by_length.sort_by_key(|&run| (turns[run], run));
    let parts = buckets.min(by_length.len());
    let mut rest = &by_length[..];
    (0..parts)
        .map(|part| {
            let (group, after) = rest.split_at(rest.len().div_ceil(parts - part));
            rest = after;
            group.to_vec()
        })
        .collect()
}

fn rollouts(turns: &[usize]) -> Rollouts {
    runs(turns.iter().enumerate().map(|(i, &turns)| (vec![1.0; turns], i % 3 == 0))).0
}

#[test]
fn balanced_samples_have_as_many_of_either_label_and_none_that_is_trivial() {
    let mut rollouts = rollouts(&[5, 9, 4, 6]);
    rollouts.push(&[1.0, 0.0, 0.0], true).unwrap();
    let tokens = rollouts.resource("tokens").unwrap();
    let samples: Vec<Sample> = rollouts
        .iter()
        .flat_map(|run| (1..run.turns()).map(move |k| (run, k)))
        .map(|(run, k)| Sample::new(&run, tokens, k, Estimate::NoAnswer).unwrap())
        .collect();
    // 9 feasible ones of two runs, twice each, against 11 others; the fifth run's have nothing left.
    let balanced = balance_samples(&samples, 2, Seed(42)).unwrap();
    let feasible = balanced.iter().filter(|&&i| samples[i].is_feasible()).count();
    assert_eq!((balanced.len(), feasible), (22, 11));
    assert!(balanced.iter().all(|&i| !samples[i].is_trivial()));
    refused(balance_samples(&samples[..4], 2, Seed(42)), "the input is empty");
}

/// Each of these runs has one prefix and is then removed from its bucket, which must not take a pass over the others.
#[test]
fn a_subsample_of_very_many_short_runs_is_drawn_at_once() {
    let rollouts = rollouts(&vec![2; 200_000]);
    assert_eq!(rollouts.released_prefixes(NonZero::<usize>::MIN, 100_000, Seed(42)).len(), 100_000);
}

/// An achievement, a time, and the cost in another resource. The cost in a third one is 0.
type FinishedRun = (f64, f64, f64);

fn probes(
    runs: &[FinishedRun],
    method: ProbeMethod,
    seed: u64,
) -> Result<Vec<FeasibilityProbe>, Error> {
    let mut rollouts = Rollouts::new(["weeks", "usd", "tokens"])?;
    for &(_, time, spent) in runs {
        rollouts.push(&[time, spent, 0.0], true)?;
    }
    let achieved: Vec<f64> = runs.iter().map(|run| run.0).collect();
    let [weeks, usd, tokens] =
        ["weeks", "usd", "tokens"].map(|name| rollouts.resource(name).unwrap());
    Ok(rollouts.probed(&achieved, weeks, &[usd, tokens], method, Seed(seed))?.1)
}

#[test]
fn runs_with_amounts_out_of_range_have_no_probes() {
    for run in [(f64::NAN, 22.0, 1.0), (1e101, 22.0, 1.0), (1.0, 0.0, 1.0)] {
        for method in [ProbeMethod::Described, ProbeMethod::Released] {
            refused(probes(&[run], method, 1), "of a run is ");
        }
    }
    // Two turns whose costs are valid, and whose sum is not.
    let mut rollouts = Rollouts::new(["weeks", "usd"]).unwrap();
    rollouts.push(&[1.0, 1e100, 1.0, 1e100], true).unwrap();
    let [weeks, usd] = ["weeks", "usd"].map(|name| rollouts.resource(name).unwrap());
    let found = rollouts.probed(&[1.0], weeks, &[usd], ProbeMethod::Described, Seed(1));
    refused(found, "cost of a run is ");
}

#[test]
fn more_rollouts_than_memory_can_hold_are_an_error_before_any_is_listed() {
    for n in [usize::MAX, 100_000_001] {
        refused(split_rollouts(n, &[0.5, 0.5], Seed(1)), "number of rollouts");
    }
}

proptest! {
    /// Costs with many digits, of which the sums are rounded.
    #[test]
    fn a_probed_rollout_is_feasible_exactly_if_its_probe_is_reachable(
        runs in prop::collection::vec(
            // A run can end without cash, or with debts.
            (prop_oneof![Just(0.0), -1e6..1e6_f64], prop::collection::vec((0.1..9.0_f64, 0.0..50.0_f64, 0.0..1e5_f64), 1..6)),
            1..9,
        ),
        seed in any::<u64>(), released in any::<bool>(),
    ) {
        let method = if released { ProbeMethod::Released } else { ProbeMethod::Described };
        let mut rollouts = Rollouts::new(["weeks", "item_weeks", "usd", "tokens"]).unwrap();
        for (_, turns) in &runs {
            let costs: Vec<f64> = turns.iter().flat_map(|&(a, b, c)| [a, b, c, 7.0]).collect();
            rollouts.push(&costs, true).unwrap();
        }
        let [weeks, items, usd, tokens] =
            ["weeks", "item_weeks", "usd", "tokens"].map(|name| rollouts.resource(name).unwrap());
        let achieved: Vec<f64> = runs.iter().map(|(achieved, _)| *achieved).collect();
        let (probed, probes) =
            rollouts.probed(&achieved, weeks, &[items, usd], method, Seed(seed)).unwrap();
        // Of an odd number, the released code makes the smaller half unreachable, and the paper's half is the other.
        let half = if released { runs.len().div_ceil(2) } else { runs.len() / 2 };
        prop_assert_eq!(probes.iter().filter(|probe| probe.reachable).count(), half);
        for (rollout, probe) in probed.iter().zip(&probes) {
            prop_assert_eq!(rollout.is_feasible().unwrap(), probe.reachable);
            prop_assert_eq!(rollout.cap(tokens).unwrap(), None);
        }
        let short = rollouts.probed(&achieved[1..], weeks, &[], method, Seed(seed));
        refused(short, "achieved: expected ");
    }
}

/// Golden numbers: tests/golden/released_selection.py, which runs the released functions.
#[test]
fn released_prefixes_and_splits_are_those_of_the_released_code() {
    let text = include_str!("../golden/released_selection.csv");
    let mut lines = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [what, seed, setting, sizes, expected] = cells[..] else { panic!("{line}") };
        let seed = Seed(seed.parse().unwrap());
        let numbers =
            |text: &str| text.split(' ').map(|it| it.parse().unwrap()).collect::<Vec<usize>>();
        let found = if what == "prefixes" {
            let turns = numbers(sizes);
            let eight = NonZero::new(8).unwrap();
            let chosen = rollouts(&turns).released_prefixes(eight, setting.parse().unwrap(), seed);
            let pair = |(run, turn): &(usize, usize)| format!("{run}:{turn}");
            chosen.iter().map(pair).collect::<Vec<_>>().join(" ")
        } else {
            let n: usize = sizes.parse().unwrap();
            let ids: Vec<String> = (0..n).map(|at| format!("rollout-{at}")).collect();
            let [tuning, _] = released_split(&ids, setting.parse().unwrap(), seed).unwrap();
            tuning.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found, expected, "{what} {seed:?} {setting} {sizes}");
        lines += 1;
    }
    assert!(lines > 30);
}

/// Target, time and budget as multiples of what the run has. 4,000 draws reach within 1 % of each end.
#[test]
fn probes_fill_their_ranges_and_no_more() {
    let runs = vec![(400.0, 12.0, 50.0); 8_000];
    let met = [(0.5, 1.0), (1.0, 1.0), (1.0, 1.2)];
    for (method, missed) in [
        (ProbeMethod::Described, [(0.5, 2.0); 3]),
        (ProbeMethod::Released, [(1.01, 2.0), (1.0, 1.0), (1.0, 1.2)]),
    ] {
        let drawn = |seed| probes(&runs, method, seed).unwrap();
        let probes = drawn(9);
        assert_eq!(probes, drawn(9));
        assert_ne!(probes, drawn(10));
        for (reachable, ranges) in [(true, met), (false, missed)] {
            let of_kind = probes.iter().filter(|probe| probe.reachable == reachable);
            assert_eq!(of_kind.clone().count(), 4_000);
            assert!(of_kind.clone().all(|probe| probe.budgets[1] == 0.0));
            let ratios: Vec<[f64; 3]> = of_kind
                .map(|it| [it.target / 400.0, it.time_budget / 12.0, it.budgets[0] / 50.0])
                .collect();
            for (at, (low, high)) in ranges.into_iter().enumerate() {
                let least = ratios.iter().map(|it| it[at]).fold(f64::INFINITY, f64::min);
                let most = ratios.iter().map(|it| it[at]).fold(0.0, f64::max);
                let near = 0.01 * (high - low);
                assert!(least >= low && least <= low + near, "{method:?}: {least} of {low}");
                assert!(most <= high && most >= high - near, "{method:?}: {most} of {high}");
            }
        }
    }
}

/// As the released script: the lower middle total if the mean of both is not whole.
#[test]
fn median_caps_are_those_of_each_family() {
    let mut rollouts = Rollouts::new(["tokens", "usd"]).unwrap();
    for (family, tokens, usd, succeeded) in [
        ("a", 8_000.0, 0.5, false),
        ("a", 8_265.0, 0.25, true),
        ("a", 9_000.0, 0.75, false),
        ("b", 7_061.0, 0.5, true),
        ("b", 7_060.0, 0.25, true),
        ("c", 10.0, 1.0, true),
        ("c", 20.0, 2.0, false),
    ] {
        let rollout = rollouts.push(&[tokens, usd], succeeded).unwrap();
        rollouts.set_key(rollout, "task", family).unwrap();
    }
    let caps = |name: &str| {
        let resource = rollouts.resource(name).unwrap();
        let caps =
            rollouts.median_caps(resource, |run| run.key("task").unwrap().to_owned()).unwrap();
        caps.into_values().collect::<Vec<f64>>()
    };
    assert_eq!(caps("tokens"), [8_265.0, 7_060.0, 15.0]);
    assert_eq!(caps("usd"), [0.5, 0.375, 1.0]);
}

/// Python's `max(1, int(r * (1 - w)))` and `int(r * (1 + w))`.
#[test]
fn truncated_targets_are_those_of_the_released_code() {
    let target = |remaining, width| {
        Estimate::training_target(Some(remaining), width, TargetRounding::Truncated)
    };
    for (remaining, width, low, high) in [
        (90.0, TargetWidth::Share(0.3), 62.0, 117.0),
        (437.0, TargetWidth::Share(0.1), 393.0, 480.0),
        (1.0, TargetWidth::Share(0.5), 1.0, 1.0),
        (437.0, TargetWidth::Fixed(500.0), 1.0, 937.0),
        (0.0, TargetWidth::Fixed(100.0), 0.0, 0.0),
    ] {
        assert_eq!(target(remaining, width), Ok(interval(low, high)), "{remaining} {width:?}");
    }
    refused(decimal_target(0.0, TargetWidth::Fixed(1.0)), "remaining amount");
}

mod records {
    use budget_estimation::{AnswerMode, bagen::TrainingRecords, parse_answer};
    use serde_json::Value;

    use super::*;

    fn written() -> (Rollouts, Vec<Value>, Vec<Value>) {
        let (mut rollouts, tokens) =
            runs([(&[50.0, 20.0, 30.0, 0.0][..], true), (&[60.0, 40.0], false)]);
        rollouts.set_id(0, "a").unwrap();
        for turn in 0..=4 {
            rollouts.set_content(0, turn, format!("text {turn}")).unwrap();
        }
        let records = TrainingRecords::new(&rollouts, tokens, TargetWidth::Share(0.1));
        let probes = records.probes().unwrap();
        // After the third turn nothing remains of the feasible run.
        assert_eq!(probes, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]);
        let after_last = TrainingRecords { probes_after_last_turn: true, ..records.clone() };
        let after_last = after_last.probes().unwrap();
        assert_eq!(after_last, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
        let prompt = |prefix: &budget_estimation::Prefix<'_>| {
            let texts: Vec<&str> = (0..9).filter_map(|turn| prefix.content(turn)).collect();
            vec![("user", texts.join(", "))]
        };
        let (mut supervised, mut reinforcement) = (Vec::new(), Vec::new());
        records.write_supervised(&after_last, prompt, &mut supervised).unwrap();
        records.write_reinforcement(&after_last, prompt, &mut reinforcement).unwrap();
        let lines = |bytes: Vec<u8>| -> Vec<Value> {
            let text = String::from_utf8(bytes).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let missing = records.write_supervised(&[(1, 3)], prompt, Vec::new());
        refused(missing, "rollout 1: turn 3 is out of range");
        (rollouts.clone(), lines(supervised), lines(reinforcement))
    }

    #[test]
    fn a_supervised_record_ends_with_the_target_and_its_prompt_does_not_show_the_future() {
        let (_, supervised, _) = written();
        assert_eq!(supervised.len(), 6);
        let second = &supervised[1];
        assert_eq!((&second["id"], &second["turn"]), (&"a".into(), &1.into()));
        assert_eq!(second["messages"][0]["content"], "text 0, text 1");
        assert_eq!(second["messages"][1]["role"], "assistant");
        assert_eq!(second["messages"][1]["content"], "<answer>[45, 55]</answer>");
        assert_eq!(supervised[3]["id"], Value::Null);
        for record in &supervised[3..] {
            assert_eq!(record["messages"][1]["content"], "<answer>impossible</answer>");
        }
    }

    #[test]
    fn the_target_of_a_reinforcement_record_earns_the_reward_of_its_width() {
        let (_, _, records) = written();
        let extra =
            |name: &'static str| records.iter().map(move |it| it["extra_info"][name].clone());
        // A number for runs that could not succeed, too.
        assert!(extra("remaining_tokens").eq([100, 50, 30, 100, 40, 0].map(Value::from)));
        assert!(extra("is_possible").eq([true, true, true, false, false, false].map(Value::from)));
        for record in &records {
            assert_eq!(record["prompt"][0]["role"], "user");
            let truth = &record["reward_model"];
            let answer = format!("<answer>{}</answer>", truth["ground_truth"].as_str().unwrap());
            let estimate = parse_answer(&answer, AnswerMode::Strict).unwrap();
            let extra = &record["extra_info"];
            let possible = extra["is_possible"].as_bool().unwrap();
            let remaining = extra["remaining_tokens"].as_f64().filter(|_| possible);
            let reward = estimate.rule_reward(remaining).unwrap();
            let expected = if estimate == Estimate::Impossible { 0.2 } else { 1.8 * 0.8 };
            assert!((reward - expected).abs() < 1e-12, "{record}");
        }
    }

    /// Appendix E: the first user message is shown at k = 0, so that it does not remain.
    #[test]
    fn before_the_first_turn_its_input_is_shown_and_does_not_remain() {
        let mut rollouts = Rollouts::new(["input", "tokens"]).unwrap();
        rollouts.push(&[100.0, 120.0, 50.0, 80.0], true).unwrap();
        let [input, tokens] = ["input", "tokens"].map(|name| rollouts.resource(name).unwrap());
        let mut records = TrainingRecords::new(&rollouts, tokens, TargetWidth::Share(0.1));
        let chat = |_: &budget_estimation::Prefix<'_>| {
            vec![("system", "Judge.".to_owned()), ("user", "How many?".to_owned())]
        };
        let last = |records: &TrainingRecords<'_>, probe| {
            let mut line = Vec::new();
            records.write_supervised(&[probe], chat, &mut line).unwrap();
            let line: Value = serde_json::from_slice(&line).unwrap();
            assert_eq!(line["messages"][0]["role"], "system");
            line["messages"][2]["content"].as_str().unwrap().to_owned()
        };
        assert_eq!(last(&records, (0, 0)), "<answer>[180, 220]</answer>");
        records.first_input = Some(input);
        assert_eq!(last(&records, (0, 0)), "<answer>[90, 110]</answer>");
        assert_eq!(last(&records, (0, 1)), "<answer>[72, 88]</answer>");
    }

    /// What `python/tests/test_training_records.py` checks the shape of; `UPDATE_RECORDS=1` writes the files.
    #[test]
    fn the_stored_records_of_dialogues_are_those_that_are_written() {
        let (mut rollouts, tokens) =
            runs([(&[50.0, 20.0, 30.5][..], true), (&[60.0, 40.0], false)]);
        rollouts.set_id(0, "a").unwrap();
        for (run, turn) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)] {
            rollouts.set_content(run, turn, format!("text {turn} of \"run\" {run}")).unwrap();
        }
        let records = TrainingRecords::new(&rollouts, tokens, TargetWidth::Share(0.1));
        let probes = records.probes().unwrap();
        let chat = |prefix: &budget_estimation::Prefix<'_>| {
            let system = prefix.content(0).unwrap_or_default().to_owned();
            let said = (1..=prefix.turns()).filter_map(|turn| prefix.content(turn));
            let turns =
                said.flat_map(|it| [("user", "Go on.".to_owned()), ("assistant", it.to_owned())]);
            let question = ("user", "How much is left?".to_owned());
            [("system", system)].into_iter().chain(turns).chain([question]).collect::<Vec<_>>()
        };
        let (mut supervised, mut reinforcement) = (Vec::new(), Vec::new());
        records.write_supervised(&probes, chat, &mut supervised).unwrap();
        records.write_reinforcement(&probes, chat, &mut reinforcement).unwrap();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records");
        for (name, lines) in [("supervised", supervised), ("reinforcement", reinforcement)] {
            let path = folder.join(format!("{name}.jsonl"));
            if std::env::var_os("UPDATE_RECORDS").is_some() {
                std::fs::write(&path, &lines).unwrap();
            }
            assert!(std::fs::read(&path).unwrap_or_default() == lines, "{name} differs");
        }
    }
}

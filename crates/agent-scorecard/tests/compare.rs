//! Comparisons of agents: figures, verdicts, and sentences that their intervals bear out.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

use std::{collections::BTreeMap, ops::Range, path::Path};

use agent_scorecard::{
    Block, Report, Value,
    compare::{CompareOptions, Side, SideRun, compare},
};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use trajectory_metrics::{Arm, ClusterEstimate, Figure, Level};

fn options() -> CompareOptions {
    CompareOptions { level: Level::new(0.95).unwrap(), power: 0.8 }
}

fn run(task: usize, outcome: Option<bool>) -> SideRun {
    SideRun { task: format!("task {task}"), outcome, ..SideRun::default() }
}

fn side(name: &str, runs: impl IntoIterator<Item = SideRun>) -> Side {
    Side { file: name.to_owned(), runs: runs.into_iter().collect(), ..Side::default() }
}

fn block<'a>(block: &'a Block, key: &str) -> &'a Block {
    match block.get(key) {
        Some(Value::Block(block)) => block,
        other => panic!("{key}: {other:?}"),
    }
}

fn of_success(report: &Report) -> Figure {
    block(&report.together, "difference").figure("success_rate").unwrap()
}

fn flag(block: &Block) -> bool {
    match block.get("is_beyond_noise") {
        Some(Value::Json(flag)) => flag.as_bool().unwrap(),
        other => panic!("{other:?}"),
    }
}

fn is_beyond_noise(report: &Report) -> bool {
    flag(block(&report.together, "difference"))
}

#[test]
fn shared_tasks_are_compared_with_each_other() {
    // Both agents fail on tasks 0 to 19 and succeed on tasks 20 to 33; the second gains six tasks.
    let alpha = side("alpha", (0..40).map(|task| run(task, Some((20..34).contains(&task)))));
    let beta = side("beta", (0..40).map(|task| run(task, Some(task >= 20))));
    let report = compare(&[alpha, beta.clone()], &options()).unwrap();
    let found = of_success(&report);
    // The mean of 40 differences, six of which are 1, and t of 39 degrees of freedom.
    let half = 2.022_690_9 * (0.15_f64 * 0.85 / 39.0).sqrt();
    assert!((found.value - 0.15).abs() < 1e-15);
    assert!((found.interval.unwrap().high() - (0.15 + half)).abs() < 1e-7);
    assert!(is_beyond_noise(&report), "{:?}", report.conclusion);
    assert!(
        report.conclusion[0].ends_with("; the difference of 15 points [3, 27] is beyond noise.")
    );

    // The same rates on tasks that are not shared are not beyond noise.
    let other = side("alpha", (0..40).map(|task| run(100 + task, Some((20..34).contains(&task)))));
    let report = compare(&[other, beta], &options()).unwrap();
    assert!(!is_beyond_noise(&report));
    let sentence = &report.conclusion[0];
    assert!(
        sentence.contains("they cannot be told apart: the difference is 15 points [-7, 35]"),
        "{sentence}"
    );
    assert!(sentence.contains("tasks in place of 80 would be needed"), "{sentence}");
}

#[test]
fn limits_count_both_ways_and_unknown_outcomes_are_left_out() {
    let cut = SideRun { is_cut_off: true, ..run(9, None) };
    let runs = (0..9).map(|task| run(task, Some(task < 6))).chain([cut, run(10, None)]);
    let report = compare(&[side("alpha", runs)], &options()).unwrap();
    let block = &report.columns[0].block;
    let numbers = ["n_runs", "success_rate", "success_rate_uncut", "n_cut_off", "n_left_out"]
        .map(|key| block.number(key));
    assert_eq!(numbers, [10.0, 0.6, 6.0 / 9.0, 1.0, 1.0].map(Some));
    let limits = "A limit ended 1 run of alpha, which counts as a failure; without them the rate is 67 % [29, 91]. \
                  1 run of alpha without an outcome is left out.";
    assert_eq!(report.conclusion[1], limits);
}

#[test]
fn several_runs_of_a_task_give_pass_at_k_and_pass_hat_k() {
    // Two of three, all of three, one of two.
    let outcomes =
        [(0, true), (0, true), (0, false), (1, true), (1, true), (1, true), (2, true), (2, false)];
    let report =
        compare(&[side("a", outcomes.map(|(task, outcome)| run(task, Some(outcome))))], &options());
    let report = report.unwrap();
    let Some(Value::Rows { rows, .. }) = report.columns[0].block.get("passes") else { panic!() };
    let of = |row: &Block| {
        ["k", "n_tasks", "pass_at_k", "pass_hat_k"].map(|key| row.number(key).unwrap())
    };
    // Of the three pairs of the first task, all have a success and one has two.
    let [k, n, at, hat] = of(&rows[0]);
    assert_eq!([k, n, at], [2.0, 3.0, 1.0]);
    assert!((hat - (1.0 / 3.0 + 1.0) / 3.0).abs() < 1e-15);
    assert_eq!(of(&rows[1]), [3.0, 2.0, 1.0, 0.5]);
    assert_eq!(rows.len(), 2);
}

#[test]
fn spending_is_counted_per_run_and_per_success() {
    let spent = |task, outcome, cost| SideRun { cost_usd: Some(cost), ..run(task, Some(outcome)) };
    let runs =
        [spent(0, true, 1.0), spent(1, false, 3.0), spent(2, true, 2.0), spent(3, false, 0.0)];
    let report = compare(&[side("a", runs)], &options()).unwrap();
    let block = &report.columns[0].block;
    let keys = ["cost_usd_per_run", "cost_usd_per_success"];
    assert_eq!(keys.map(|key| block.number(key)), [Some(1.5), Some(3.0)]);
    // Nobody counted tokens.
    assert_eq!(block.get("tokens_per_run"), None);
}

#[test]
fn of_several_comparisons_only_those_that_pass_holm_are_beyond_noise() {
    let rate = |name: &str, fails: usize| {
        side(name, (0..100).map(|task| run(task, Some((task * 37) % 100 >= fails))))
    };
    // Alone, five tasks of 100 that go one way are beyond noise; beside two equal agents they are not.
    let alone = compare(&[rate("a", 50), rate("b", 45)], &options()).unwrap();
    assert!(is_beyond_noise(&alone), "{:?}", alone.conclusion);
    let sides = [rate("a", 50), rate("b", 45), rate("c", 52), rate("d", 49)];
    let report = compare(&sides, &options()).unwrap();
    let together = block(&report.together, "differences");
    assert_eq!(["b", "c", "d"].map(|name| flag(block(together, name))), [false; 3]);
    assert!(report.conclusion[0].contains("which 3 comparisons at once do not put beyond noise"));
    // A clear one is, and leaves more of the error rate to the others.
    let sides = [rate("a", 50), rate("b", 43), rate("c", 20), rate("d", 49)];
    let report = compare(&sides, &options()).unwrap();
    let together = block(&report.together, "differences");
    assert_eq!(["b", "c", "d"].map(|name| flag(block(together, name))), [true, true, false]);
}

#[test]
fn stated_confidence_is_judged_by_its_interval() {
    let stated = |confidence: f64| {
        let runs = (0..50).map(move |task| SideRun {
            confidence: Some(confidence),
            ..run(task, Some(task % 2 == 0))
        });
        compare(&[side("a", runs)], &options()).unwrap().conclusion[1].clone()
    };
    assert_eq!(
        stated(0.9),
        "a: overconfident by 40 points [26, 54] over 50 runs; as stated, it scores worse than one number for all runs (Brier score gained: -0.160 [-0.275, -0.045])."
    );
    assert_eq!(
        stated(0.2),
        "a: underconfident by 30 points [16, 44] over 50 runs; as stated, it scores worse than one number for all runs (Brier score gained: -0.090 [-0.176, -0.004])."
    );
    let unsure = "a: over 50 runs, mean confidence is 5 points [-9, 19] above the success rate, which may be noise; as stated, it does not score better than one number for all runs beyond noise (Brier score gained: -0.003 [-0.017, 0.012]).";
    assert_eq!(stated(0.55), unsure);
}

#[test]
fn wrong_options_are_refused() {
    let errors = [
        compare(&[], &options()).unwrap_err().to_string(),
        compare(&[Side::default()], &CompareOptions { power: 0.5, ..options() })
            .unwrap_err()
            .to_string(),
    ];
    assert_eq!(errors, ["sides: there are none", "power: must be above 0.5 and below 1"]);
}

#[derive(serde::Deserialize)]
struct Recorded {
    inspect_ai: Vec<OfInspect>,
    statsmodels: Vec<OfStatsmodels>,
    tau2: BTreeMap<String, Vec<(u64, u64, f64)>>,
}

#[derive(serde::Deserialize)]
struct OfInspect {
    runs: Vec<(usize, u8)>,
    accuracy: f64,
    stderr: f64,
}

#[derive(serde::Deserialize)]
struct OfStatsmodels {
    first: Vec<(usize, u8)>,
    second: Vec<(usize, u8)>,
    value: f64,
    error: f64,
    ends: [f64; 2],
}

fn recorded() -> Recorded {
    serde_json::from_str(include_str!("golden/compare.json")).unwrap()
}

fn of_pairs(name: &str, runs: &[(usize, u8)]) -> Side {
    side(name, runs.iter().map(|&(task, success)| run(task, Some(success == 1))))
}

fn close(found: f64, want: f64) {
    assert!((found - want).abs() <= 1e-12 * want.abs().max(0.01), "{found} for {want}");
}

#[test]
fn success_rates_and_their_errors_are_those_of_inspect_ai() {
    for case in recorded().inspect_ai {
        let report = compare(&[of_pairs("a", &case.runs)], &options()).unwrap();
        let found = report.columns[0].block.figure("success_rate").unwrap();
        close(found.value, case.accuracy);
        close(found.standard_error.unwrap(), case.stderr);
    }
}

#[test]
fn paired_differences_are_those_of_statsmodels() {
    for case in recorded().statsmodels {
        let sides = [of_pairs("a", &case.first), of_pairs("b", &case.second)];
        let found = of_success(&compare(&sides, &options()).unwrap());
        close(found.value, case.value);
        close(found.standard_error.unwrap(), case.error);
        let ends = found.interval.unwrap();
        assert!((ends.low() - case.ends[0]).abs() + (ends.high() - case.ends[1]).abs() < 1e-10);
    }
}

#[test]
fn recorded_runs_of_tau2_have_the_pass_hat_k_of_all_choices() {
    let Some(folder) = std::env::var_os("REAL_RUNS") else {
        println!("skipped: REAL_RUNS does not name the folder of recorded runs");
        return;
    };
    #[derive(serde::Deserialize)]
    struct Line {
        domain: String,
        task: String,
        model: String,
        success: u8,
    }
    let text =
        std::fs::read_to_string(Path::new(&folder).join("data/rollouts/tau2.jsonl")).unwrap();
    let mut models: BTreeMap<String, Vec<SideRun>> = BTreeMap::new();
    for line in text.lines() {
        let Line { domain, task, model, success } = serde_json::from_str(line).unwrap();
        let run = SideRun { task: format!("{domain}/{task}"), ..run(0, Some(success == 1)) };
        models.entry(model).or_default().push(run);
    }
    let want = recorded().tau2;
    assert_eq!(models.len(), want.len());
    for (model, runs) in models {
        let report = compare(&[side("a", runs)], &options()).unwrap();
        let block = &report.columns[0].block;
        let [(1, n, rate), rest @ ..] = want[&model].as_slice() else { panic!() };
        assert_eq!(block.number("n_tasks"), Some(*n as f64));
        // pass^1 is a mean over tasks; the success rate of tasks with equally many runs is the same.
        if rest.is_empty() {
            close(block.number("success_rate").unwrap(), *rate);
        }
        let Some(Value::Rows { rows, .. }) = block.get("passes") else { panic!() };
        assert_eq!(rows.len(), rest.len());
        for (row, (k, n, rate)) in rows.iter().zip(rest) {
            assert_eq!(
                [row.number("k"), row.number("n_tasks")],
                [Some(*k as f64), Some(*n as f64)]
            );
            close(row.number("pass_hat_k").unwrap(), *rate);
        }
    }
}

#[path = "confidence/mod.rs"]
mod confidence;

/// The numbers of a sentence, in percent.
fn numbers(sentence: &str) -> Vec<f64> {
    let is_number = |c: char| !(c.is_ascii_digit() || c == '.' || c == '-');
    let words = sentence.split(is_number).map(|word| word.trim_end_matches('.'));
    words.filter_map(|word| word.parse().ok()).collect()
}

fn any_side(name: &'static str) -> impl Strategy<Value = Side> {
    let outcome = prop_oneof![4 => Just(Some(true)), 4 => Just(Some(false)), 1 => Just(None)];
    let confidence = prop_oneof![3 => (0.0..=1.0).prop_map(Some), 1 => Just(None)];
    let one = (0..40_usize, outcome, any::<bool>(), confidence).prop_map(
        |(task, outcome, is_cut_off, confidence)| SideRun {
            is_cut_off: outcome.is_none() && is_cut_off,
            confidence,
            ..run(task, outcome)
        },
    );
    prop::collection::vec(one, 0..80).prop_map(move |runs| side(name, runs))
}

proptest! {
    #[test]
    fn no_sentence_says_what_its_interval_contradicts(first in any_side("A"), second in any_side("B")) {
        let report = compare(&[first, second], &options()).unwrap();
        let difference = block(&report.together, "difference");
        let found = difference.figure("success_rate");
        let sentence = &report.conclusion[0];
        let excludes = |ends: &trajectory_metrics::Interval| ends.low() > 0.0 || ends.high() < 0.0;
        let ends = found.as_ref().ok().and_then(|found| found.interval.ok());
        prop_assert_eq!(sentence.ends_with("is beyond noise."), ends.as_ref().is_some_and(excludes));
        prop_assert_eq!(sentence.contains("cannot be told apart"), ends.as_ref().is_some_and(|ends| !excludes(ends)));
        prop_assert_eq!(sentence.contains("cannot be said"), found.is_err() || ends.is_none() && found.as_ref().unwrap().value != 0.0
            || ends.is_none() && !sentence.contains("no difference"));
        for column in &report.columns {
            let name = &column.name;
            let of_confidence = report.conclusion.iter().find(|it| it.starts_with(&format!("{name}: ")));
            confidence::check(&column.block, of_confidence)?;
            let n = column.block.number("n_cut_off").unwrap();
            let says = report.conclusion.iter().any(|it| it.contains(&format!("A limit ended {n} run")));
            prop_assert!(n == 0.0 || says);
        }
        // The rates of both sides, in percent.
        if let (Some([rate, ..]), Ok(figure)) = (
            numbers(sentence).first_chunk::<2>(), report.columns[0].block.figure("success_rate")) {
            prop_assert!((rate - 100.0 * figure.value).abs() <= 0.5 + 1e-9, "{sentence}");
        }
    }
}

/// Runs of both agents on tasks whose chances of success differ. The chances are powers of uniform numbers, and
/// the second agent fails where the first would succeed at a rate of `loss`.
fn drawn(
    rng: &mut ChaCha8Rng,
    [first, second]: [Range<usize>; 2],
    trials: usize,
    power: f64,
    loss: f64,
) -> [Side; 2] {
    let chances: Vec<f64> =
        (0..first.end.max(second.end)).map(|_| rng.random::<f64>().powf(power)).collect();
    let mut of = |name: &str, tasks: Range<usize>, keeps: f64| {
        let tasks = tasks.flat_map(|task| std::iter::repeat_n(task, trials));
        let runs: Vec<SideRun> =
            tasks.map(|task| run(task, Some(rng.random_bool(chances[task] * keeps)))).collect();
        side(name, runs)
    };
    [of("alpha", first, 1.0), of("beta", second, 1.0 - loss)]
}

/// Prints the coverage of intervals of a difference and how often equal agents are called different.
#[test]
#[ignore = "minutes: 2,000 pairs for each of 120 designs"]
fn intervals_cover_the_difference_and_equal_agents_are_seldom_told_apart() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let pairs = 2_000;
    for (n, trials) in [(20, 1), (20, 4), (50, 1), (100, 3), (400, 1), (400, 2)] {
        let designs = [
            ("paired", [0..n, 0..n]),
            ("apart", [0..n, n..2 * n]),
            ("partly shared", [0..n, n / 2..n + n / 2]),
            ("apart, 20 against more", [0..n, n..n + 20]),
        ];
        for (name, tasks) in designs {
            // Mean rates of 0.5, 0.8, 0.2 and 0.95.
            for (power, loss) in [(1.0, 0.0), (1.0, 0.3), (0.25, 0.0), (4.0, 0.0), (0.05, 0.0)] {
                let truth = -loss / (1.0 + power);
                let (mut covered, mut defined, mut alarms) = (0_u32, 0_u32, 0_u32);
                let mut rates = [0_u32; 2];
                for _ in 0..pairs {
                    let sides = drawn(&mut rng, tasks.clone(), trials, power, loss);
                    let report = compare(&sides, &options()).unwrap();
                    alarms += u32::from(is_beyond_noise(&report));
                    if let Ok(ends) = of_success(&report).interval {
                        defined += 1;
                        covered += u32::from(ends.contains(truth));
                    }
                    let rate = report.columns[0].block.figure("success_rate").unwrap();
                    if let Ok(ends) = rate.interval {
                        rates[0] += 1;
                        rates[1] += u32::from(ends.contains(1.0 / (1.0 + power)));
                    }
                }
                let coverage = f64::from(covered) / f64::from(defined);
                let alarms = f64::from(alarms) / f64::from(pairs);
                let of_rate = f64::from(rates[1]) / f64::from(rates[0]);
                println!(
                    "{name}, {n} tasks x {trials}, rate {:.2}, difference {truth:.3}: covers {coverage:.4} \
                     ({defined} defined), beyond noise {alarms:.4}; the rate is covered {of_rate:.4}",
                    1.0 / (1.0 + power)
                );
                // Of rates near 1, few tasks tell two agents apart, and intervals are wider than need be.
                let most = if power < 0.1 { 1.0 } else { 0.97 };
                assert!((0.93..=most).contains(&coverage), "{name} {n} x {trials}: {coverage}");
                // Of independent rows, a test of trajectory-metrics counts all outcomes.
                let is_counted = name.starts_with("apart") && trials == 1;
                assert!(
                    loss > 0.0 || is_counted || alarms <= 0.06,
                    "{name} {n} x {trials}: {alarms}"
                );
                // Score intervals of 20 rows cover a rate of 0.95 with 92 to 98 %.
                let least = if power < 0.1 { 0.91 } else { 0.93 };
                assert!(of_rate >= least, "{name} {n} x {trials}: {of_rate}");
            }
        }
    }
}

/// With the number of tasks that is asked for, a difference is found with the chance that was asked for.
#[test]
#[ignore = "a minute: 2,000 pairs for each of 12 designs"]
fn the_number_of_tasks_that_is_asked_for_has_its_power() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for (power, loss, trials) in [
        (1.0, 0.15, 1),
        (1.0, 0.3, 1),
        (1.0, 0.2, 3),
        (0.11, 0.05, 2),
        (0.11, 0.2, 1),
        (9.0, 0.5, 2),
    ] {
        for is_paired in [true, false] {
            // The true difference, with the spread that a large study finds.
            let large = 40_000;
            let tasks = |n: usize| [0..n, if is_paired { 0..n } else { n..2 * n }];
            let [first, second] = drawn(&mut rng, tasks(large), trials, power, loss);
            let rows = |side: &Side| -> Vec<f64> {
                side.runs.iter().map(|run| f64::from(run.outcome.unwrap())).collect()
            };
            let values = [rows(&first), rows(&second)].concat();
            let names: Vec<&str> =
                first.runs.iter().chain(&second.runs).map(|run| run.task.as_str()).collect();
            let arms =
                [vec![Arm::First; first.runs.len()], vec![Arm::Second; second.runs.len()]].concat();
            let mut study = ClusterEstimate::difference(&values, &arms, None, &names).unwrap();
            study.estimate = -loss / (1.0 + power);
            let CompareOptions { level, power: wanted } = options();
            let needed = study.clusters_needed(level, wanted).unwrap().unwrap() as usize;
            let n = if is_paired { needed } else { needed.div_ceil(2) };
            let pairs = 2_000;
            let found = (0..pairs).filter(|_| {
                let sides = drawn(&mut rng, tasks(n), trials, power, loss);
                is_beyond_noise(&compare(&sides, &options()).unwrap())
            });
            let found = found.count() as f64 / f64::from(pairs);
            println!(
                "rate {:.2}, loss {loss}, {trials} trials, paired {is_paired}: {n} tasks, found {found:.3}",
                1.0 / (1.0 + power)
            );
            assert!((0.76..=0.84).contains(&found), "{n} tasks: {found}");
        }
    }
}

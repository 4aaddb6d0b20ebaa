//! Estimates of the remaining cost of runs, as a program would have them evaluated.

use std::collections::BTreeMap;

use agent_scorecard::{
    Error, Position, RunCounts,
    budget::{
        Answers, By, Input, METRICS, Options, Recorded, block, column, parts_of, replay, report,
    },
    budget_estimation::{Estimate, Level, Rollouts},
};
use proptest::prelude::*;

/// Runs of three turns that cost as much each, in two resources; every third run failed.
fn input(runs: u32) -> Input {
    let mut rollouts = Rollouts::new(["input_tokens", "output_tokens"]).unwrap();
    let mut counts = RunCounts::default();
    for run in 0..runs {
        let cost = 10 + run % 2;
        let success = run % 3 > 0;
        let costs = [10 * cost, cost].map(f64::from).repeat(3);
        let index = rollouts.push(&costs, success).unwrap();
        rollouts.set_id(index, format!("r{run}")).unwrap();
        counts.add(Some(success), None);
    }
    Input { rollouts, lengths: vec![runs as usize], achieved: Vec::new(), counts }
}

fn options(resource: &str, by: By) -> Options {
    Options::new(resource, by, Level::new(0.8).unwrap())
}

/// Recorded answers about output tokens.
fn by(answers: Answers) -> By {
    let answers = BTreeMap::from([("output_tokens".to_owned(), answers)]);
    By::Recorded { file: "answers.jsonl".to_owned(), answers }
}

#[test]
fn recorded_answers_are_scored_with_intervals_and_reasons() {
    let recorded = Recorded { estimate: Estimate::interval(5.0, 50.0).unwrap(), problem: None };
    let turns = || BTreeMap::from([(1, recorded.clone()), (2, recorded.clone())]);
    let answers = (0..30).map(|run| (format!("r{run}"), turns())).collect();
    let options =
        Options { resamples: 50, cap: Some(31.0), ..options("output_tokens", by(answers)) };
    let runs = replay(input(30), &options).unwrap();
    let found = block(&runs, &options, &METRICS).unwrap();
    // Of the 20 successes, the 10 whose turns cost 11 are above the cap.
    assert_eq!((found.number("n_prefixes"), found.number("n_feasible")), (Some(60.0), Some(20.0)));
    let hit_rate = found.figure("hit_rate").unwrap();
    assert_eq!(hit_rate.value, 1.0);
    // All feasible runs agree, and count once each, as no two prefixes of a run are independent.
    let ends = hit_rate.interval.unwrap();
    assert_eq!((ends.low(), ends.high()), (0.025_f64.powf(0.1), 1.0));
    let reason = found.figure("fail_precision").unwrap_err();
    assert_eq!(reason.to_string(), "no estimate says \"impossible\"");
    let note = format!("fail_precision: undefined, because {reason}");
    assert!(found.said(Position::Note).any(|it| it == note), "{found:?}");
}

#[test]
fn the_interval_of_an_f1_score_is_by_the_runs_that_can_change_it() {
    // 4 of 40 runs are above the cap, which is said of each from its second turn on.
    let impossible = |run: usize| run.is_multiple_of(10);
    let mut rollouts = Rollouts::new(["output_tokens"]).unwrap();
    let mut counts = RunCounts::default();
    let mut answers = BTreeMap::new();
    for run in 0..40 {
        let cost = if impossible(run) { 30.0 } else { 10.0 };
        let index = rollouts.push(&[cost; 3], true).unwrap();
        rollouts.set_id(index, format!("r{run}")).unwrap();
        counts.add(Some(true), None);
        let answer = |turn: usize| {
            let is_late = impossible(run) && turn > 1;
            let estimate = Estimate::interval(1.0, 50.0).unwrap();
            let estimate = if is_late { Estimate::Impossible } else { estimate };
            (turn, Recorded { estimate, problem: None })
        };
        answers.insert(format!("r{run}"), (1..3).map(answer).collect());
    }
    let options =
        Options { resamples: 200, cap: Some(50.0), ..options("output_tokens", by(answers)) };
    let input = Input { rollouts, lengths: vec![40], achieved: Vec::new(), counts };
    let found = block(&replay(input, &options).unwrap(), &options, &METRICS).unwrap();
    let interval = |key: &str| found.figure(key).unwrap().interval;
    // The F1 score of the other class, and so the mean of both, is of all 40.
    assert!(interval("macro_f1_all_turns").is_ok());
    let too_few = "4 clusters; a 95 % interval needs at least 6";
    assert_eq!(interval("fail_f1").unwrap_err().to_string(), too_few);
}

#[test]
fn runs_of_an_only_task_count_one_by_one_and_a_note_says_so() {
    let mut of_one = input(30);
    for run in 0..30 {
        of_one.rollouts.set_key(run, "task", "t").unwrap();
    }
    let options = Options { resamples: 50, ..options("output_tokens", By::Linear) };
    let figure = |input: Input| {
        let found = block(&replay(input, &options).unwrap(), &options, &METRICS).unwrap();
        (found.figure("hit_rate").unwrap().interval.unwrap(), found)
    };
    let ((ends, found), (expected, _)) = (figure(of_one), figure(input(30)));
    assert_eq!(ends, expected);
    let is_of_one =
        |note: &str| note.starts_with("all runs are of one task, so single runs are resampled");
    assert!(found.said(Position::Note).any(is_of_one), "{found:?}");
}

#[test]
fn several_resources_are_parts_of_a_column_with_their_joint_hits() {
    let both = Options {
        resources: ["input_tokens", "output_tokens"].map(str::to_owned).to_vec(),
        ..options("input_tokens", By::Quantile)
    };
    let found = column(input(30), &both, &METRICS).unwrap();
    let names: Vec<&str> = found.parts.1.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((found.parts.0, names), ("resources", vec!["input_tokens", "output_tokens"]));
    let [joint, single] = [&found.block, &found.parts.1[0].1]
        .map(|block| block.number("joint_hit_rate").or(block.number("hit_rate")).unwrap());
    // The input is ten times the output in every turn, so that both are hit at once.
    assert_eq!((joint, single > 0.0), (single, true));
    let report = report(vec![("a/runs.jsonl".to_owned(), found)], &both);
    assert!(report.lead.starts_with("input_tokens, output_tokens estimated by quantile, no cap"));
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["name"], "runs");
    // Without resamples, what needs none has an interval.
    let of = &json["resources"]["output_tokens"];
    assert!(of["hit_rate"]["ci_low"].is_number() && of["fail_f1"]["ci_low"].is_null());
}

#[test]
fn total_tokens_are_the_sum_of_their_parts() {
    assert_eq!(parts_of("total_tokens"), ["input_tokens", "output_tokens"]);
    let of = |resource: &str| {
        let options = options(resource, By::Linear);
        let runs = replay(input(6), &options).unwrap();
        block(&runs, &options, &METRICS).unwrap().number("spent_by_failures").unwrap()
    };
    assert_eq!(of("total_tokens"), of("input_tokens") + of("output_tokens"));
}

#[test]
fn a_run_to_draw_is_one_that_is_scored() {
    let drawn = |id: &str, warm_up| {
        let drawn_run = Some(id.to_owned());
        let options = options("output_tokens", By::Linear);
        let options = Options { with_pictures: true, drawn_run, warm_up, ..options };
        column(input(6), &options, &METRICS)
    };
    let found = drawn("r3", 2).unwrap();
    let title = &found.block.pictures["fan"].title;
    assert_eq!(title, "r3: 3 turns, not feasible. Do the intervals contain the remaining cost?");
    assert_eq!(drawn("r1", 2).unwrap_err(), Error::UnknownRun("r1".to_owned()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn no_sentence_says_what_its_interval_contradicts(
        runs in prop::collection::vec((1..9_u32, 0.0..100.0, any::<bool>()), 1..60),
        claim in 0.1..0.95,
        cap in prop::option::of(50.0..400.0),
        resamples in prop_oneof![Just(0_usize), Just(60)],
        is_learnt in any::<bool>(),
    ) {
        let mut rollouts = Rollouts::new(["output_tokens"]).unwrap();
        let mut counts = RunCounts::default();
        for (turns, cost, success) in &runs {
            let costs: Vec<f64> = (0..=*turns).map(|turn| cost * f64::from(1 + turn % 3)).collect();
            rollouts.push(&costs, *success).unwrap();
            counts.add(Some(*success), None);
        }
        let input = Input { rollouts, lengths: vec![runs.len()], achieved: Vec::new(), counts };
        let by = if is_learnt { By::Quantile } else { By::Linear };
        let options = Options { cap, resamples, ..Options::new("output_tokens", by, Level::new(claim).unwrap()) };
        let report = report(vec![("runs".to_owned(), column(input, &options, &METRICS).unwrap())], &options);
        let block = &report.columns[0].block;
        let all = report.conclusion.join(" ");
        let coverage = block.figure("coverage");
        prop_assert_eq!(all.contains("and contain it in"), coverage.is_ok());
        let ends = coverage.ok().and_then(|coverage| coverage.interval.ok());
        let said = [", which is less often", "may be noise", ", which is more often"];
        let is = ends.map_or([false; 3], |ends| {
            let (below, above) = (ends.high() < claim, ends.low() > claim);
            [below, !(below || above), above]
        });
        prop_assert_eq!(said.map(|text| all.contains(text)), is, "{}", all);
        let count = |key| block.number(key).unwrap();
        let stopped = count("n_stopped_failed_rollouts") + count("n_stopped_feasible_rollouts");
        let is_read = !all.contains("No answer can be read");
        prop_assert_eq!(all.contains("stopping at such a prediction saves nothing"), stopped == 0.0 && is_read, "{}", all);
        if stopped > 0.0 {
            let lost = format!("and {} of {} run", count("n_stopped_feasible_rollouts"), count("n_feasible_rollouts"));
            prop_assert!(all.contains(&lost), "{} {}", all, lost);
        }
    }
}

//! BAGEN's released evaluation against its own code: `golden/bagen/bagen.py` ran it.

use agent_benchmarks::{
    Conversation, Reply,
    budget::{Budget, Prompts, ResourceKind},
};
use agent_scorecard::{
    budget::bagen::{Published, SampleMetrics, as_published, training_reward},
    budget_estimation::{
        AnswerMode, Estimate, Interval, Rollouts, Sample, Seed, bagen::ProbeMethod, parse_answer,
    },
    run_logs::{
        Error, Problem,
        bagen::{
            Answer, EstimateFile, Kind, ReleasedSample, TokenDialogue, TrainingAnswer, TurnTokens,
            WarehouseDialogue, parse_token_answer, parse_training_answer, parse_warehouse_answer,
            token_dialogues, warehouse_dialogues,
        },
        json_lines::InputError,
    },
};
use proptest::prelude::*;
use serde_json::Value;

const CAP: i64 = 9_000;
const TOKENS: &str = include_str!("../golden/bagen/token_estimates.json");
const WAREHOUSE: &str = include_str!("../golden/bagen/warehouse_estimates.json");
const TOKEN_RUNS: &str = include_str!("../golden/bagen/token_dialogues.json");
const WAREHOUSE_RUNS: &str = include_str!("../golden/bagen/warehouse_dialogues.json");

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn aggregates(kind: &str) -> Value {
    json(include_str!("../golden/bagen/aggregates.json"))[kind].clone()
}

/// The results of a file in the order of its samples.
fn results(text: &str) -> Vec<Value> {
    let mut results = json(text)["results"].as_array().unwrap().clone();
    results.sort_by_key(|result| (result["rollout_index"].as_u64(), result["turn_idx"].as_u64()));
    results
}

fn interval(ends: &Value) -> Interval {
    Interval::new(ends[0].as_f64().unwrap(), ends[1].as_f64().unwrap()).unwrap()
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}

/// The answer that the released code read.
fn released_answer(prediction: &Value) -> Option<Answer> {
    if prediction["is_impossible"] == true {
        return Some(Answer::Impossible);
    }
    let tokens = &prediction["remaining_token_interval"];
    if tokens.is_array() {
        return Some(Answer::Intervals(vec![interval(tokens)]));
    }
    let warehouse = prediction["intervals"].as_object()?;
    let all = Kind::Warehouse.resources().iter().map(|name| interval(&warehouse[*name]));
    Some(Answer::Intervals(all.collect()))
}

#[test]
fn both_evaluation_parsers_read_what_the_released_ones_read() {
    let mut read = 0;
    type Parser = fn(&str) -> Option<Answer>;
    let parsers: [(&str, Parser); 2] =
        [(TOKENS, parse_token_answer), (WAREHOUSE, parse_warehouse_answer)];
    for (file, parse) in parsers {
        for result in results(file) {
            let prediction = &result["prediction"];
            let text = prediction["raw_response"].as_str().unwrap();
            assert_eq!(parse(text), released_answer(prediction), "{text:?}");
            read += 1;
        }
    }
    assert!(read >= 500, "{read} answers");
}

/// What the released training reads, as Python prints it.
fn trained(text: &str) -> String {
    match parse_training_answer(text) {
        None => "None".to_owned(),
        Some(TrainingAnswer::Impossible) => "impossible".to_owned(),
        Some(TrainingAnswer::Ends([low, high])) => format!("({low}, {high})"),
        Some(TrainingAnswer::Scalar(value)) => value.to_string(),
    }
}

#[test]
fn the_training_parser_and_its_reward_are_those_of_the_released_code() {
    let golden = json(include_str!("../golden/bagen/training.json"));
    let file = EstimateFile::read("bagen.json", TOKENS.as_bytes()).unwrap();
    let rows = golden["results"].as_array().unwrap();
    // The file is in the order of rollouts and turns.
    assert_eq!(rows.len(), file.samples().len());
    let mut total = 0.0;
    for (row, sample) in rows.iter().zip(file.samples()) {
        let text = sample.response.as_deref().unwrap();
        assert_eq!(trained(text), row["predicted"].as_str().unwrap(), "{text:?}");
        let remaining = sample.can_finish.then(|| sample.amounts[0].remaining.unwrap());
        let reward = training_reward(text, remaining);
        assert_eq!(Some(reward), number(&row["reward"]), "{text:?} {remaining:?}");
        total += reward;
    }
    assert_eq!(Some(total / rows.len() as f64), number(&golden["summary"]["mean_reward"]));
}

fn numbers(metrics: &Value, names: &[&str]) -> Vec<Option<f64>> {
    names.iter().map(|name| metrics[*name].as_f64()).collect()
}

#[test]
fn every_metric_of_every_sample_equals_the_released_one() {
    let mut seen = 0;
    for text in [TOKENS, WAREHOUSE] {
        let file = EstimateFile::read("bagen.json", text.as_bytes()).unwrap();
        for (sample, result) in file.samples().iter().zip(results(text)) {
            let (ours, theirs) = (SampleMetrics::of(sample), &result["metrics"]);
            let id = &result["sample_id"];
            assert_eq!(ours.can_finish_correct, theirs["can_finish_correct"].as_bool(), "{id}");
            assert_eq!(Some(ours.mean_reward), number(&theirs["reward"]), "{id}");
            let names: &[[&str; 3]] = match file.kind() {
                Kind::Tokens => &[[
                    "remaining_token_interval_contains_actual",
                    "remaining_token_interval_width",
                    "",
                ]],
                _ => &[
                    [
                        "time_interval_contains_actual",
                        "time_interval_width_weeks",
                        "time_midpoint_abs_error_weeks",
                    ],
                    [
                        "warehouse_interval_contains_actual",
                        "warehouse_interval_width_item_weeks",
                        "warehouse_midpoint_abs_error_item_weeks",
                    ],
                    [
                        "cost_interval_contains_actual",
                        "cost_interval_width_usd",
                        "cost_midpoint_abs_error_usd",
                    ],
                ],
            };
            assert_eq!([ours.contains.len(), ours.widths.len()], [names.len(); 2], "{id}");
            for (at, [contains, width, error]) in names.iter().enumerate() {
                assert_eq!(ours.contains[at], theirs[contains].as_bool(), "{id}");
                assert_eq!(ours.widths[at], number(&theirs[width]), "{id}");
                if file.kind() == Kind::Warehouse {
                    assert_eq!(ours.midpoint_errors[at], number(&theirs[error]), "{id}");
                }
            }
            if file.kind() == Kind::Warehouse {
                assert_eq!(ours.joint_hit, theirs["all_intervals_cover_actual"].as_bool(), "{id}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 500, "{seen} samples");
}

fn published(text: &str) -> Published {
    as_published(EstimateFile::read("bagen.json", text.as_bytes()).unwrap().samples())
}

fn agrees_with_table_1(published: &Published, table: &Value) {
    for (ours, name) in [
        (published.first_turn_accuracy, "first_turn_success_pred_acc"),
        (published.accuracy_on_success, "pred_hit_success_rollouts"),
        (published.accuracy_on_failure, "pred_hit_fail_rollouts"),
        (published.hit_rate, "success_rollout_interval_hit_rate"),
        (published.interval_reward, "success_rollout_custom_reward"),
        (Some(published.samples as f64), "estimation_total"),
        (Some(published.success_samples as f64), "estimation_success_rollouts"),
    ] {
        assert_eq!(ours, number(&table[name]), "{name}");
    }
}

#[test]
fn aggregates_of_tokens_equal_the_released_table_figures_and_summaries() {
    let published = published(TOKENS);
    let table = aggregates("tokens");
    agrees_with_table_1(&published, &table);
    let [ranges] = published.ranges[..] else { panic!("{published:?}") };
    let classes = ["Hit", "Overly optimistic", "Overly conservative"];
    let ours = [ranges.hits, ranges.optimistic, ranges.conservative].map(|count| count as f64);
    assert_eq!(ours.map(Some).to_vec(), numbers(&table, &classes));
    let summary = &json(TOKENS)["summary"];
    assert_eq!(published.accuracy, number(&summary["can_finish_accuracy"]));
    let coverage = number(&summary["remaining_token_interval_coverage_rate"]);
    assert_eq!(published.coverage, [coverage]);
    let training = json(include_str!("../golden/bagen/training.json"));
    assert_eq!(published.mre_p50, number(&training["summary"]["median_relative_error"]));
    assert_eq!(published.joint_hit_rate, None);
    let aborts = results(TOKENS).into_iter().filter(|result| {
        result["ground_truth"]["actual_can_finish"] == true
            && result["prediction"]["is_impossible"] == true
    });
    assert_eq!(published.false_aborts, aborts.count());
    assert_eq!(
        published.false_abort_rate,
        Some(published.false_aborts as f64 / published.samples as f64)
    );
}

#[test]
fn aggregates_of_warehouse_equal_the_released_table_and_summary() {
    let published = published(WAREHOUSE);
    agrees_with_table_1(&published, &aggregates("warehouse"));
    assert_eq!(published.joint_hit_rate, published.hit_rate);
    let summary = &json(WAREHOUSE)["summary"];
    assert_eq!(published.accuracy, number(&summary["can_finish_accuracy"]));
    let names = [
        "time_interval_coverage_rate",
        "warehouse_interval_coverage_rate",
        "cost_interval_coverage_rate",
    ];
    assert_eq!(published.coverage, numbers(summary, &names));
    assert_eq!(published.mre_p50, None);
}

#[test]
fn dialogues_give_the_ground_truth_of_the_estimates() {
    let file = EstimateFile::read("bagen.json", TOKENS.as_bytes()).unwrap();
    let dialogues = token_dialogues(TOKEN_RUNS.as_bytes(), CAP).unwrap();
    let mut prefixes = 0;
    for dialogue in &dialogues {
        let samples: Vec<&ReleasedSample> =
            file.samples().iter().filter(|sample| sample.rollout == dialogue.rollout).collect();
        assert_eq!(samples.len(), dialogue.turns.len() - 1, "{}", dialogue.rollout);
        for sample in samples {
            let (before, after) = dialogue.turns.split_at(sample.turn);
            let sum =
                |turns: &[TurnTokens]| turns.iter().map(|turn| turn.total).sum::<Option<i64>>();
            let known = |turns: &[TurnTokens]| {
                turns.iter().map(|turn| turn.total.unwrap_or(0)).sum::<i64>() as f64
            };
            assert_eq!(sample.rollout_success, dialogue.success);
            assert_eq!(sample.turns, Some(dialogue.turns.len()));
            assert_eq!(sample.amounts[0].used, Some(known(before)), "{dialogue:?}");
            let remaining = sum(before).and_then(|_| sum(after)).map(|tokens| tokens as f64);
            assert_eq!(sample.amounts[0].remaining, remaining, "{dialogue:?}");
            prefixes += 1;
        }
    }
    assert_eq!(prefixes, file.samples().len());
    let rollouts = TokenDialogue::rollouts(&dialogues, CAP).unwrap();
    assert_eq!(rollouts.len(), dialogues.len());

    let file = EstimateFile::read("bagen.json", WAREHOUSE.as_bytes()).unwrap();
    let dialogues = warehouse_dialogues(WAREHOUSE_RUNS.as_bytes()).unwrap();
    let mut prefixes = 0;
    for dialogue in &dialogues {
        for (turn, used) in (1..).zip(&dialogue.used) {
            let mut found = file.samples().iter();
            let found = found.find(|one| (one.rollout, one.turn) == (dialogue.rollout, turn));
            let Some(used) = used else {
                assert_eq!(found, None);
                continue;
            };
            let sample = found.unwrap();
            assert_eq!(sample.rollout_success, dialogue.success);
            for (i, amounts) in sample.amounts.iter().enumerate() {
                assert_eq!(amounts.total, Some(dialogue.total[i]), "{dialogue:?}");
                if sample.can_finish {
                    assert_eq!(amounts.used, Some(used[i]), "{dialogue:?}");
                    let remaining = (dialogue.total[i] - used[i]).max(0.0);
                    assert_eq!(amounts.remaining, Some(remaining), "{dialogue:?}");
                }
            }
            prefixes += 1;
        }
    }
    assert_eq!(prefixes, file.samples().len());
    assert_eq!(WarehouseDialogue::rollouts(&dialogues).unwrap().len(), dialogues.len());
}

/// Golden texts: golden/bagen/warehouse_prompts.py, which runs the released code on the same runs.
#[test]
fn what_a_model_is_told_of_a_warehouse_is_what_the_released_evaluation_tells_it() {
    let text = "{completed_weeks} {completed_turns} {completed_day} | {current_time_weeks} \
        {current_warehouse_item_weeks} {current_cost_usd} | {current_cash_usd} {target_cash_usd} | \
        {resource_consumption_text} | {budget_time_weeks} {budget_warehouse_item_weeks} {budget_cost_usd}";
    let dialogues = warehouse_dialogues(WAREHOUSE_RUNS.as_bytes()).unwrap();
    let rollouts = WarehouseDialogue::rollouts(&dialogues).unwrap();
    let achieved: Vec<f64> = dialogues.iter().map(|it| it.final_cash).collect();
    let handles: Vec<_> = rollouts.resources().map(|(resource, _)| resource).collect();
    let (method, seed) = (ProbeMethod::Released, Seed(42));
    let (mut probed, probes) =
        rollouts.probed(&achieved, handles[0], &handles[1..], method, seed).unwrap();
    for (run, probe) in probes.iter().enumerate() {
        probed.set_key(run, "target_cash_usd", format!("{:.0}", probe.target)).unwrap();
    }
    let kinds = [ResourceKind::Time, ResourceKind::Space, ResourceKind::Money];
    let names = rollouts.resources().map(|(_, name)| name.to_owned());
    let setting = Budget::new(names.zip(kinds)).unwrap().with_cash("cash_usd", "target_cash_usd");
    let setting = setting.with_prompts(Prompts::new("Judge.", text).unwrap());
    let mut told = Vec::new();
    for (run, dialogue) in dialogues.iter().enumerate() {
        let instance = setting.instance(&probed, run).unwrap();
        let mut conversation = instance.conversation();
        while let Some(request) = conversation.request() {
            let text = request.messages.last().unwrap().text.clone();
            let turn: usize = text.split(' ').nth(1).unwrap().parse().unwrap();
            let feasible = probed.get(run).unwrap().is_feasible().unwrap();
            told.push(serde_json::json!([dialogue.rollout, turn, feasible, text]));
            conversation.reply(Reply::default()).unwrap();
        }
    }
    let released = json(include_str!("../golden/bagen/warehouse_prompts.json"));
    let released = released.as_array().unwrap();
    for (ours, released) in told.iter().zip(released) {
        assert_eq!(ours, released);
    }
    assert_eq!(told.len(), released.len());
}

/// The rollouts of a file and the samples of its first resource.
fn ours(file: &EstimateFile) -> (Rollouts, Vec<Sample>) {
    let rollouts = file.rollouts().unwrap();
    let resource = rollouts.resource(file.kind().resources()[0]).unwrap();
    let samples = file.samples_of(&rollouts, resource, AnswerMode::Lenient).unwrap();
    (rollouts, samples)
}

#[test]
fn estimate_files_become_samples_without_recorded_runs() {
    for text in [TOKENS, WAREHOUSE] {
        let file = EstimateFile::read("bagen.json", text.as_bytes()).unwrap();
        let (rollouts, samples) = ours(&file);
        for sample in &samples {
            let id = rollouts.get(sample.rollout()).unwrap().id().unwrap().to_owned();
            let of = |one: &&ReleasedSample| {
                format!("rollout-{}", one.rollout) == id && one.turn == sample.turn()
            };
            let released = file.samples().iter().find(of).unwrap();
            let amounts = released.amounts[0];
            assert_eq!(amounts.used, Some(sample.used()), "{id}");
            assert_eq!(sample.is_feasible(), released.can_finish, "{id}");
            if let Some(remaining) = amounts.remaining {
                assert_eq!(remaining, sample.remaining(), "{id}");
            }
        }
        let stated = |one: &&ReleasedSample| {
            one.amounts[0].total.zip(one.amounts[0].used).is_some_and(|(all, used)| all > used)
        };
        assert_eq!(samples.len(), file.samples().iter().filter(stated).count());
    }
}

#[test]
fn our_denominator_is_feasible_prefixes_and_the_released_one_prefixes_of_successes() {
    let file = EstimateFile::read("bagen.json", TOKENS.as_bytes()).unwrap();
    let (_, samples) = ours(&file);
    let published = as_published(file.samples());
    let feasible = samples.iter().filter(|sample| sample.is_feasible()).count();
    assert_eq!(feasible, file.samples().iter().filter(|sample| sample.can_finish).count());
    assert!(feasible < published.success_samples);
    let aborts = samples.iter().filter(|sample| sample.is_feasible());
    let aborts = aborts.filter(|sample| sample.estimate() == Estimate::Impossible).count();
    assert!(aborts > 0 && published.false_aborts > 0);
    assert!(published.false_abort_rate.unwrap() < published.false_aborts as f64 / feasible as f64);

    // Runs that succeeded beyond their cap: "impossible" is rewarded, but is no alarm of ours.
    let beyond = |one: &&ReleasedSample| one.rollout_success && !one.can_finish;
    let rewarded = file.samples().iter().filter(beyond).filter(|one| one.is_impossible());
    assert!(rewarded.clone().count() > 0);
    assert!(rewarded.map(SampleMetrics::of).all(|metrics| metrics.interval_reward == 1.0));
}

/// What the parsers make of a text: ours strict and lenient, the released evaluation's, and the released training's.
#[test]
fn the_parsers_differ_as_this_table_says() {
    let (malformed, impossible) = ("Malformed", "impossible");
    let reversed = "Reversed { low: 9.0, high: 7.0 }";
    let negative = "Negative { value: -7.0 }";
    for (text, expected) in [
        ("<answer>[7, 9]</answer>", ["(7, 9)"; 4]),
        ("<ANSWER>[7, 9]</ANSWER>", ["NoTag", "(7, 9)", "(7, 9)", "None"]),
        ("<answer>[1,200, 3,400]</answer>", [malformed, "(1200, 3400)", "(1, 200)", "None"]),
        ("<answer>[9, 7]</answer>", [reversed, reversed, "(7, 9)", "(9, 7)"]),
        ("<answer>[1.5, 9]</answer>", ["(1.5, 9)", "(1.5, 9)", "(1, 5)", "None"]),
        ("<answer>[-7, 9]</answer>", [negative, negative, "(7, 9)", "None"]),
        ("<answer>about [7, 9]</answer>", [malformed, malformed, "(7, 9)", "(7, 9)"]),
        ("<answer>7 to 9 tokens</answer>", [malformed, malformed, "(7, 9)", "None"]),
        ("<answer>8</answer>", ["Scalar", "Scalar", "None", "8"]),
        ("<answer>Impossible</answer>", [malformed, impossible, impossible, impossible]),
        (
            "<answer>impossible</answer><answer>[7, 9]</answer>",
            ["SeveralTags", "(7, 9)", impossible, impossible],
        ),
        ("[7, 9]", ["NoTag", "NoTag", "None", "None"]),
    ] {
        let interval = |ends: Interval| format!("({}, {})", ends.low(), ends.high());
        let ours = |mode| match parse_answer(text, mode) {
            Ok(Estimate::Impossible) => impossible.to_owned(),
            Ok(estimate) => interval(estimate.ends().unwrap()),
            Err(error) => format!("{error:?}"),
        };
        let evaluated = match parse_token_answer(text) {
            Some(Answer::Impossible) => impossible.to_owned(),
            Some(Answer::Intervals(all)) => all.into_iter().map(interval).collect(),
            None => "None".to_owned(),
        };
        let found = [ours(AnswerMode::Strict), ours(AnswerMode::Lenient), evaluated, trained(text)];
        assert_eq!(found, expected, "{text}");
    }
}

/// A file of one run of three turns with these results, each of a turn and of further facts.
fn results_file(results: &[(usize, &str)]) -> String {
    let result = |(turn, truth): &(usize, &str)| {
        format!(
            r#"{{"rollout_index": 0, "turn_idx": {turn}, "prediction": null, "ground_truth":
            {{"rollout_success": true, "actual_can_finish": true, "total_turns": 3 {truth}}}}}"#
        )
    };
    let results: Vec<String> = results.iter().map(result).collect();
    format!(r#"{{"results": [{}]}}"#, results.join(","))
}

#[test]
fn files_of_another_form_are_refused_with_the_place() {
    let read = |text: &str| EstimateFile::read("bagen.json", text.as_bytes()).unwrap_err();
    assert_eq!(read("{").line, Some(1));
    assert_eq!(read("[]").problem, "invalid type: sequence, expected an object");
    let empty = InputError::of_file("bagen.json", "has no results; give at least one");
    assert_eq!(read(r#"{"results": []}"#), empty);
    let used = r#", "actual_tokens_used_so_far": 5"#;
    for (results, place) in [
        ([(1, used), (1, used)], "results[1]"),
        ([(1, used), (2, "")], "results[1]"),
        ([(3, used), (1, used)], "results[0]"),
        ([(1, r#", "actual_tokens_used_so_far": -5"#), (2, used)], "results[0]"),
    ] {
        let error = read(&results_file(&results));
        assert_eq!(error.field.as_deref(), Some(place), "{error}");
    }
    for (truth, field) in [
        (
            r#", "actual_tokens_used_so_far": "many""#,
            "results[0].ground_truth.actual_tokens_used_so_far:",
        ),
        (r#", "actual_tokens_used_so_far": -1e300"#, "total_tokens: used is -1e300;"),
        (r#", "completed_weeks": 2"#, "actual_tokens_used_so_far"),
    ] {
        let error = read(&results_file(&[(1, truth)])).to_string();
        assert!(error.contains(field) && error.len() < 200, "{error}");
    }
    let trailing = read(r#"{"results": []} x"#).to_string();
    assert!(trailing.starts_with("bagen.json:1: goes on after"), "{trailing}");
    let number = token_dialogues(&b"7"[..], CAP);
    assert!(matches!(
        number,
        Err(Error::Invalid { problem: Problem::Type { found: "a number", .. }, .. })
    ));
}

/// Parts of answers, in any order.
fn text() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "<answer>",
        "</answer>",
        "<ANSWER>",
        "[",
        "]",
        ",",
        " ",
        "\u{3000}",
        "time:",
        "warehouse：",
        "cost :",
        "-",
        "7",
        "12",
        ".",
        "impossible",
        "é",
        "[1, 2]",
    ]);
    prop::collection::vec(parts, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic_and_intervals_are_in_order(text in text()) {
        let answers = [parse_token_answer(&text), parse_warehouse_answer(&text)];
        for (answer, resources) in answers.into_iter().zip([1, 3]) {
            if let Some(Answer::Intervals(intervals)) = answer {
                prop_assert_eq!(intervals.len(), resources);
                prop_assert!(intervals.iter().all(|interval| interval.low() <= interval.high()));
            }
        }
        let reward = training_reward(&text, Some(10.0));
        prop_assert!((0.0..=1.8).contains(&reward));
        prop_assert!(parse_training_answer(&text).is_none() || text.contains("<answer>"));
    }

    #[test]
    fn numbers_that_no_run_has_are_refused_or_unknown_and_never_a_panic(
        tokens in prop::collection::vec(any::<i64>(), 3),
        turn in 0..12_u32,
    ) {
        let request = |i: usize| format!(
            r#"{{"turn_idx": {i}, "raw_response": "go", "api_input_tokens": {}, "api_output_tokens": 5}}"#,
            tokens[i]
        );
        let turns: Vec<String> = (0..3).map(request).collect();
        let dialogues = format!(r#"[{{"turns": [{}]}}]"#, turns.join(","));
        prop_assert!(token_dialogues(dialogues.as_bytes(), CAP).is_ok());
        let file = format!(
            r#"{{"results": [{{"rollout_index": 0, "turn_idx": {turn}, "prediction": null,
            "ground_truth": {{"rollout_success": true, "actual_can_finish": true, "total_turns": 9,
            "actual_tokens_used_so_far": {}, "actual_remaining_total_tokens": {}}}}}]}}"#,
            tokens[0], tokens[1]
        );
        if let Ok(file) = EstimateFile::read("bagen.json", file.as_bytes()) {
            prop_assert!((1..9).contains(&turn) && tokens[0] >= 0);
            let rollouts = file.rollouts().unwrap();
            prop_assert_eq!(rollouts.get(0).unwrap().turns(), 9);
        }
    }
}

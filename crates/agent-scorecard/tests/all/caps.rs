//! Caps on what runs spend: golden figures, laws, and the sentence that they come to.

use agent_scorecard::{
    Block, Error, Position, Report, RunCounts, Value,
    budget::{self, CapOptions, RunFile, caps, caps_report},
    budget_estimation::Rollouts,
};
use proptest::prelude::*;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use serde_json::{Value as Json, json};

fn file(runs: &[Json]) -> RunFile {
    let lines: Vec<String> = runs.iter().map(Json::to_string).collect();
    RunFile::read("runs.jsonl", lines.join("\n").as_bytes(), &["output_tokens".to_owned()]).unwrap()
}

fn found(runs: &[Json], at: &[f64]) -> Block {
    caps(RunFile::together(&[&file(runs)], &[]).unwrap(), at, &CapOptions::default()).unwrap()
}

fn rows(block: &Block) -> &[Block] {
    let rows = match block.get("caps") {
        Some(Value::Rows { rows, .. }) => Some(rows),
        _ => None,
    };
    rows.unwrap()
}

/// The report of the command, with a column for each model.
fn report(runs: &[Json], at: &[f64]) -> Report {
    let column = |(model, runs): (_, RunFile)| {
        let input = RunFile::together(&[&runs], &[]).unwrap();
        ("runs.jsonl".to_owned(), model, caps(input, at, &CapOptions::default()).unwrap())
    };
    let columns = file(runs).by_model().into_iter().map(column);
    caps_report(columns.map(Into::into).collect(), None, &CapOptions::default())
}

/// A run whose turns write so many tokens and cost a cent each.
fn run(turns: &[u32], success: bool) -> Json {
    let turns: Vec<Json> =
        turns.iter().map(|n| json!({"output_tokens": n, "cost_usd": 0.01})).collect();
    json!({"id": "r", "turns": turns, "success": success})
}

/// The run with another value of a field.
fn with(mut run: Json, field: &str, value: impl Into<Json>) -> Json {
    run[field] = value.into();
    run
}

#[test]
fn caps_keep_and_save_what_agents_that_stop_there_do() {
    let golden: Json = serde_json::from_str(include_str!("../golden/caps.json")).unwrap();
    let expected = golden["caps"].as_array().unwrap();
    let at: Vec<f64> = expected.iter().map(|row| row["cap"].as_f64().unwrap()).collect();
    let found = found(golden["runs"].as_array().unwrap(), &at);
    let is_close = |found: f64, expected: &Json, what: &str| {
        let expected = expected.as_f64().unwrap();
        let error = (found - expected).abs();
        assert!(error <= 1e-9 * expected.abs().max(1.0), "{what}: {found} {expected}");
    };
    assert_eq!(rows(&found).len(), expected.len());
    for (row, expected) in rows(&found).iter().zip(expected) {
        for key in ["n_ended_cut_off", "n_ended_successes", "spent", "spent_usd"] {
            is_close(row.number(key).unwrap(), &expected[key], key);
        }
        let ended = ["n_ended_successes", "n_ended_failures"].map(|key| row.number(key).unwrap());
        is_close(ended.iter().sum(), &expected["n_ended"], "n_ended");
        for key in ["kept_share", "saved_share", "saved_usd_share"] {
            let (figure, expected) = (row.figure(key).unwrap(), &expected[key]);
            is_close(figure.value, &expected[0], key);
            match figure.interval {
                Ok(ends) if key == "kept_share" => {
                    is_close(ends.low(), &expected[1], key);
                    is_close(ends.high(), &expected[2], key);
                }
                // Both draw resamples of their own.
                Ok(ends) => {
                    for (end, expected) in [(ends.low(), &expected[1]), (ends.high(), &expected[2])]
                    {
                        let away = expected.as_f64().unwrap() - figure.value;
                        let error = (end - figure.value - away).abs();
                        assert!(error <= 0.15 * away.abs(), "{key}: {ends:?} {expected}");
                    }
                }
                Err(_) => assert_eq!(expected[1], Json::Null, "{key} at {}", expected[0]),
            }
        }
    }
}

#[test]
fn runs_that_were_cut_off_before_are_no_runs_that_the_cap_ends() {
    let cut_off = with(run(&[80, 80], false), "stop_reason", "max_steps");
    let found = found(&[run(&[50, 50], true), run(&[100], false), cut_off], &[60.0]);
    let of_row = |key| rows(&found)[0].number(key);
    assert_eq!((of_row("n_ended_successes"), of_row("n_ended_failures")), (Some(1.0), Some(1.0)));
    assert_eq!((of_row("n_ended_cut_off"), of_row("n_kept")), (Some(1.0), Some(0.0)));
    assert_eq!((found.number("n_failures"), found.number("n_cut_off")), (Some(1.0), Some(1.0)));
    let is_cut_off = |note: &str| note.contains("1 run with success false ended at a limit");
    assert!(found.said(Position::Note).any(is_cut_off), "{found:?}");
    // The turn in which the cap is reached is paid in whole: two, one and one of five.
    assert_eq!((of_row("spent"), of_row("saved")), (Some(180.0), Some(180.0)));
    assert!((of_row("saved_usd").unwrap() - 0.01).abs() < 1e-15);
}

#[test]
fn every_run_has_a_known_cost_where_caps_are_on_the_cost() {
    let lines = [run(&[50, 50], true), run(&[9], false)].map(|run| run.to_string()).join("\n");
    let resource = "cost_usd".to_owned();
    let runs =
        RunFile::read("runs.jsonl", lines.as_bytes(), std::slice::from_ref(&resource)).unwrap();
    let options = CapOptions { resource, ..CapOptions::default() };
    let found = caps(RunFile::together(&[&runs], &[]).unwrap(), &[0.02], &options).unwrap();
    assert_eq!((found.number("n_rollouts"), found.number("n_priced")), (Some(2.0), Some(2.0)));
}

#[test]
fn a_cost_that_is_not_known_leaves_the_run_out_of_the_money_alone() {
    let unpriced =
        json!({"id": "u", "turns": [{"output_tokens": 5, "cost_usd": null}], "success": true});
    let unknown = json!({"id": "n", "turns": [{"output_tokens": null}], "success": true});
    let found = found(&[run(&[50, 50], true), unpriced, unknown], &[10.0]);
    assert_eq!((found.number("n_rollouts"), found.number("n_priced")), (Some(2.0), Some(1.0)));
    assert_eq!(found.number("n_left_out"), Some(1.0));
    for (position, said) in [
        (
            Position::Note,
            "caps: 1 run left out of spending and savings because output_tokens is not known",
        ),
        (Position::Note, "the share of USD saved covers only the 1 of 2 runs whose cost is known"),
        (Position::Conclusion, "of the money of the 1 run whose cost is known"),
    ] {
        assert!(found.said(position).any(|it| it.contains(said)), "{found:?}");
    }
}

/// A run of which only the first turn, with so many tokens, is counted.
fn interrupted(known: u32, success: bool) -> Json {
    let turns = [json!({"output_tokens": known}), json!({"output_tokens": null})];
    json!({"id": "i", "turns": turns, "success": success})
}

#[test]
fn successes_of_unknown_spending_may_be_kept_or_lost_unless_the_known_part_is_above_the_cap() {
    let mut runs: Vec<Json> = (0..25).map(|_| run(&[50, 50], true)).collect();
    runs.extend((0..4).map(|_| interrupted(70, true)));
    runs.extend([interrupted(200, true), interrupted(200, false), interrupted(20, false)]);
    let found = found(&runs, &[150.0, 300.0]);
    let of_row = |row: usize, key| rows(&found)[row].number(key);
    for (row, kept, unknown, lost, failed) in [(0, 25.0, 4.0, 1.0, 1.0), (1, 25.0, 5.0, 0.0, 0.0)] {
        assert_eq!(of_row(row, "n_kept"), Some(kept));
        assert_eq!(of_row(row, "n_unknown_successes"), Some(unknown));
        assert_eq!(of_row(row, "n_ended_successes"), Some(lost));
        assert_eq!(of_row(row, "n_ended_failures"), Some(failed));
        assert_eq!(of_row(row, "kept_share"), Some(kept / 30.0));
        assert_eq!(of_row(row, "kept_share_highest"), Some((kept + unknown) / 30.0));
        let ends = rows(&found)[row].figure("kept_share").unwrap().interval.unwrap();
        assert!(ends.low() < kept / 30.0 && ends.high() >= (kept + unknown) / 30.0, "{ends:?}");
    }
    // All of the spending that is known of runs with unknown spending is left out.
    assert_eq!((of_row(0, "spent"), of_row(0, "saved")), (Some(2500.0), Some(0.0)));
    let counts = ["n_left_out", "n_left_out_successes", "n_left_out_failures"];
    assert_eq!(counts.map(|key| found.number(key)), [7.0, 5.0, 2.0].map(Some));
    assert!(found.figure("cap_keeping_95").is_err(), "{found:?}");
    let said: Vec<&str> = found.said(Position::Conclusion).collect();
    for (at, words) in [
        (
            0,
            "none of these caps is known to have kept 95 % of the successes; the highest, 300 output tokens, would have kept from 83 % to 100 % of 30 successes [",
        ),
        (0, "of the output tokens of the 25 runs whose spending is known"),
        (0, "depends on those whose spending is not known"),
        (
            1,
            "no cap is known to have kept 95 % of the successes, because the spending of 5 of 30 successes is not known",
        ),
        (2, "the output tokens of 7 runs (5 successes, 2 failures) are not known in full"),
    ] {
        assert!(said[at].contains(words), "{words}: {said:?}");
    }
}

#[test]
fn the_lowest_cap_keeps_enough_whatever_the_successes_of_unknown_spending_needed() {
    let mut runs: Vec<Json> = (1..=99).map(|tokens| run(&[tokens], true)).collect();
    runs.push(interrupted(0, true));
    let found = found(&runs, &[99.0]);
    // 95 of the 99 known ones, not 94 of them.
    assert_eq!(found.number("cap_keeping_95"), Some(95.0));
    assert_eq!(found.number("cap_keeping_99"), Some(99.0));
    let said: Vec<&str> = found.said(Position::Conclusion).collect();
    assert!(said[0].contains("would have kept from 99 % to 100 % of 100 successes"), "{said:?}");
    assert!(said[1].starts_with("the lowest cap that is known to have kept 95 %"), "{said:?}");
}

#[test]
fn successes_that_are_all_unknown_are_kept_or_lost_by_their_known_parts() {
    let runs = [interrupted(10, true), run(&[100], false)];
    let said = report(&runs, &[50.0]).conclusion;
    assert!(said[0].contains("would have kept from 0 % to 100 % of 1 success"), "{said:?}");
    // Both caps lie below what is known of all runs, so that all successes are lost.
    let runs: Vec<Json> = (0..30).map(|_| interrupted(100, true)).collect();
    let found = found(&runs, &[50.0, 70.0]);
    for row in rows(&found) {
        assert_eq!(row.number("kept_share"), Some(0.0));
        assert_eq!(row.number("kept_share_highest"), Some(0.0));
        assert!(row.figure("kept_share").unwrap().interval.unwrap().high() < 0.2);
    }
    let said: Vec<&str> = found.said(Position::Conclusion).collect();
    assert!(said[0].contains("would have kept 0 % of 30 successes ["), "{said:?}");
    assert!(said[0].contains("saved an amount that is not known"), "{said:?}");
    assert!(said.iter().any(|it| it.contains("of 30 runs (30 successes, 0 failures)")), "{said:?}");
}

#[test]
fn a_lowest_cap_without_an_interval_has_the_right_reason() {
    let known = (0..960).map(|at| run(&[at + 1], true));
    let runs = known.chain((960..1_000).map(|_| interrupted(0, true))).enumerate();
    let runs = runs.map(|(at, run)| with(run, "task", format!("t{at}")));
    let found = found(&runs.collect::<Vec<_>>(), &[960.0]);
    assert_eq!(
        found.figure("cap_keeping_95").unwrap().interval.unwrap_err().to_string(),
        "40 of 1000 values are not known, too many for an interval"
    );
    let said: Vec<&str> = found.said(Position::Conclusion).collect();
    let reason = "(no interval, because the spending of some successes is not known)";
    assert!(said[1].contains(reason), "{said:?}");
}

#[test]
fn columns_with_successes_of_unknown_spending_say_so() {
    let mut runs = Vec::new();
    for model in ["a", "b", "c", "d"] {
        let more = (0..30).map(|_| run(&[50], true));
        let all = more.chain([interrupted(20, true), interrupted(20, true)]);
        runs.extend(all.map(|run| with(run, "model", model)));
    }
    let said = report(&runs, &[100.0]).conclusion;
    for (at, words) in [
        (
            0,
            "A cap of 100 output tokens would have lost no success whose spending is known in any of 4 columns",
        ),
        (1, "In 4 columns, no cap is known to have kept 95 % of the successes."),
        (2, "The output tokens of 8 runs (8 successes, 0 failures) are not known in full"),
    ] {
        assert!(said[at].starts_with(words), "{words}: {said:?}");
    }
}

#[test]
fn the_sentence_is_on_the_lowest_cap_that_keeps_nearly_all_successes() {
    let mut runs: Vec<Json> = (0..19).map(|_| run(&[50, 50], true)).collect();
    runs.push(run(&[500, 100], true));
    runs.push(run(&[1_000], false));
    let said = |at: &[f64]| report(&runs, at).conclusion;
    let lowest = "The lowest cap that would have kept 95 % of the successes is 100 output tokens (too few tasks for an interval).";
    assert_eq!(
        said(&[1_000.0, 100.0, 300.0, 50.0]),
        [
            "A cap of 100 output tokens would have kept 95.0 % of 20 successes [73.9, 99.2] and saved 40 % [13, 75] of the \
             output tokens and 2.4 % [0.3, 17.5] of the money; the true share of successes kept may be below 95 %.",
            lowest,
        ]
    );
    assert_eq!(
        said(&[50.0, 90.0])[0].split(" and saved").next(),
        Some(
            "None of these caps would have kept 95 % of the successes; the highest, 90 output tokens, would have kept 0 % \
             of 20 successes [0, 17]"
        )
    );
    let said = report(&[run(&[50, 50], false), run(&[10], false)], &[50.0]).conclusion;
    assert!(
        said[0].starts_with("A cap of 50 output tokens would have saved 45 %")
            && said[0].ends_with("it would have lost no success, because no run succeeded."),
        "{said:?}"
    );
    assert_eq!(said.len(), 1);
}

#[test]
fn a_share_below_the_target_is_never_rounded_up_to_it() {
    // 94.8 %
    let mut runs: Vec<Json> = (0..368).map(|_| run(&[50], true)).collect();
    runs.extend((0..20).map(|_| run(&[100], true)));
    let said = report(&runs, &[60.0]).conclusion;
    assert!(
        said[0].starts_with("A cap of 60 output tokens would have kept 94.8 % of 388"),
        "{said:?}"
    );
    assert!(
        said[0].ends_with("; the true share of successes kept may be 95 % or more."),
        "{said:?}"
    );
    assert_eq!(
        said[1],
        "The lowest cap that would have kept 95 % of the successes is 100 output tokens [50, 100]."
    );
}

#[test]
fn models_of_a_file_have_columns_and_many_are_ranked() {
    let mut runs = Vec::new();
    for (at, model) in ["a", "b", "c", "d"].into_iter().enumerate() {
        let tokens = |i: usize| if i % 4 < at { 300 } else { 50 };
        runs.extend((0..30).map(|i| with(run(&[tokens(i); 2], true), "model", model)));
    }
    runs.push(json!({"id": "x", "model": "d", "success": null, "left_out": "no_turn"}));
    let report = report(&runs, &[100.0, 700.0]);
    let names: Vec<_> = report.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    assert_eq!(report.columns[3].block.number("n_runs"), Some(31.0));
    assert_eq!(report.columns[0].block.number("n_runs"), Some(30.0));
    assert_eq!(
        report.conclusion[..3],
        [
            "A cap of 100 output tokens would have lost successes in 3 of 4 columns. The largest share is lost in d, which would have kept 23 % of 30 \
             successes [11, 42] (which column loses most may be noise); the cap would have saved 66 % of the output tokens of these columns.",
            "A cap of 700 output tokens would have lost no success in any of 4 columns; the cap would have saved 0 % of the output tokens of these columns.",
            "The lowest cap that would have kept 95 % of the successes ranges from 100 output tokens (too few tasks for an interval) for a \
             to 600 (too few tasks for an interval) for d.",
        ]
    );
}

#[test]
fn tasks_of_equal_number_in_two_domains_are_two_tasks() {
    let of_domain = |domain| with(with(run(&[50], true), "task", 7), "domain", domain);
    let found = found(&[of_domain("airline"), of_domain("retail"), of_domain("retail")], &[60.0]);
    assert_eq!(found.number("n_clusters"), Some(2.0));
}

#[test]
fn the_lines_of_the_picture_go_through_what_caps_keep_and_save() {
    let runs = [(100, true), (200, false), (350, true), (500, true), (900, false)];
    let caps_at = runs.map(|(tokens, _)| f64::from(tokens));
    let lines = runs.map(|(tokens, success)| run(&[tokens], success));
    let options = CapOptions { with_pictures: true, ..CapOptions::default() };
    let found =
        caps(RunFile::together(&[&file(&lines)], &[]).unwrap(), &caps_at, &options).unwrap();
    let series = &found.pictures["caps"].series;
    for (name, key) in [("successes kept", "kept_share"), ("output tokens saved", "saved_share")] {
        let line = series.iter().find(|line| line.name == name).unwrap();
        for (row, cap) in rows(&found).iter().zip(caps_at) {
            let at = line.x.iter().rposition(|x| *x == cap).unwrap();
            let share = row.figure(key).unwrap().value;
            assert!((line.y[at] - share).abs() < 1e-12, "{name} at {cap}: {} {share}", line.y[at]);
        }
    }
}

#[test]
fn a_negative_cap_is_refused() {
    let input = RunFile::together(&[&file(&[run(&[5], true)])], &[]).unwrap();
    let error = caps(input, &[-1.0], &CapOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Options { options: &["at"], .. }), "{error:?}");
}

/// Over 1,000 samples, the upper end of the interval of a lowest cap is a cap that keeps less than it should of all runs in
/// at most 6 %, also if the runs of a task are alike; without an end, nothing is claimed.
#[test]
fn a_lowest_cap_beyond_noise_keeps_what_it_should_in_94_of_100_samples() {
    // Shares of a normal distribution below these values.
    let quantiles = [("cap_keeping_90", 1.281_551_566_f64), ("cap_keeping_95", 1.644_853_627)];
    for (design, (tasks, trials, alike)) in
        [(40, 1, 0.0_f64), (80, 1, 0.0), (80, 3, 0.5), (80, 3, 0.95), (200, 3, 0.5), (200, 3, 0.95)]
            .into_iter()
            .enumerate()
    {
        let mut misses = [[0, 0]; 2];
        for seed in 0..1_000 {
            let mut random = ChaCha8Rng::seed_from_u64(1_000 * design as u64 + seed);
            let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
            let mut rollouts = Rollouts::new(["output_tokens"]).unwrap();
            for task in 0..tasks {
                let of_task = normal();
                for _ in 0..1 + task % trials {
                    let size = alike.sqrt() * of_task + (1.0 - alike).sqrt() * normal();
                    let run = rollouts.push(&[size.exp()], true).unwrap();
                    rollouts.set_key(run, "task", task.to_string()).unwrap();
                }
            }
            let input = budget::Input {
                lengths: vec![rollouts.len()],
                rollouts,
                achieved: Vec::new(),
                counts: RunCounts::default(),
            };
            let found = caps(input, &[], &CapOptions::default()).unwrap();
            for ((key, quantile), misses) in quantiles.iter().zip(&mut misses) {
                let Ok(ends) = found.figure(key).unwrap().interval else { continue };
                misses[0] += usize::from(ends.high() < quantile.exp());
                misses[1] += usize::from(ends.low() > quantile.exp());
            }
        }
        println!("{tasks} tasks of up to {trials} runs, {alike} alike: {misses:?}");
        for [below, above] in misses {
            assert!(below <= 60 && above <= 60, "{tasks} {trials} {alike}: {below} {above}");
        }
    }
}

proptest! {
    #[test]
    fn a_higher_cap_keeps_and_spends_more_and_one_above_all_runs_saves_nothing(
        turns in prop::collection::vec((prop::collection::vec(0_u32..200, 1..8), any::<bool>()), 1..40),
        mut at in prop::collection::vec(0.0..1_000.0, 1..8),
    ) {
        let runs: Vec<Json> = turns.iter().map(|(turns, success)| run(turns, *success)).collect();
        let most = turns.iter().map(|(turns, _)| turns.iter().sum::<u32>()).max().unwrap_or(0);
        at.push(f64::from(most));
        at.push(2_000.0);
        let found = found(&runs, &at);
        let rows = rows(&found);
        for pair in rows.windows(2) {
            for key in ["n_kept", "spent", "spent_usd"] {
                let [low, high] = [&pair[0], &pair[1]].map(|row| row.number(key).unwrap());
                prop_assert!(low <= high, "{key}: {low} {high}");
            }
            for key in ["n_ended_successes", "n_ended_failures"] {
                let [low, high] = [&pair[0], &pair[1]].map(|row| row.number(key).unwrap());
                prop_assert!(low >= high, "{key}: {low} {high}");
            }
        }
        for row in rows.iter().filter(|row| row.number("cap") >= Some(f64::from(most))) {
            prop_assert_eq!(row.number("n_ended_failures"), Some(0.0));
            prop_assert_eq!(row.number("n_kept"), found.number("n_successes"));
            prop_assert_eq!((row.number("saved"), row.number("saved_usd")), (Some(0.0), Some(0.0)));
        }
        for row in rows {
            let spent = row.number("spent").unwrap() + row.number("saved").unwrap();
            let all: u32 = turns.iter().flat_map(|(turns, _)| turns).sum();
            prop_assert!((spent - f64::from(all)).abs() < 1e-9, "{spent} {all}");
        }
    }

    #[test]
    fn no_sentence_says_more_than_its_figures(
        turns in prop::collection::vec((0_u32..300, any::<bool>(), 0..60_u8), 1..400),
        mut at in prop::collection::vec(0.0..320.0, 1..4),
    ) {
        let of_task = |(tokens, success, task): &(u32, bool, u8)| with(run(&[*tokens], *success), "task", *task);
        let runs: Vec<Json> = turns.iter().map(of_task).collect();
        at.sort_by(f64::total_cmp);
        let found = found(&runs, &at);
        let said = found.said(Position::Conclusion).next().unwrap();
        let row = rows(&found).iter().find(|row| said.contains(&format!("{} output tokens", row.number("cap").unwrap())));
        let row = row.unwrap();
        let Ok(kept) = row.figure("kept_share") else { return Ok(()) };
        let [n_kept, n_lost] = ["n_kept", "n_ended_successes"].map(|key| row.number(key).unwrap());
        let is_enough = n_kept >= 0.95 * (n_kept + n_lost) - 1e-9;
        // What is shown is on its side of the target.
        let shown = said.split("would have kept ").last().unwrap().split(" %").next().unwrap();
        prop_assert_eq!(shown.parse::<f64>().unwrap() >= 95.0, is_enough, "{}", said);
        prop_assert_eq!(said.contains("none of these caps"), !is_enough && rows(&found).len() > 1);
        if !is_enough {
            prop_assert_eq!(row.number("cap"), rows(&found).last().unwrap().number("cap"));
        }
        for (words, is) in [
            ("the true share of successes kept is at least 95 %, beyond noise", kept.interval.is_ok_and(|it| it.low() >= 0.95)),
            ("the true share of successes kept is below 95 %, beyond noise", kept.interval.is_ok_and(|it| it.high() < 0.95)),
            ("the true share of successes kept may be below 95 %", is_enough && kept.interval.is_ok_and(|it| it.low() < 0.95)),
        ] {
            prop_assert_eq!(said.contains(words), is, "{}", said);
        }
        // The lowest cap is one: a little less loses too many.
        let lowest = found.figure("cap_keeping_95").unwrap();
        let successes: Vec<f64> =
            turns.iter().filter(|turn| turn.1).map(|turn| f64::from(turn.0)).collect();
        let kept_by = |cap: f64| successes.iter().filter(|total| **total <= cap).count();
        prop_assert!(100 * kept_by(lowest.value) >= 95 * successes.len());
        prop_assert!(100 * kept_by(lowest.value - 0.5) < 95 * successes.len());
        if let Ok(ends) = lowest.interval {
            prop_assert!(ends.low() <= lowest.value && lowest.value <= ends.high());
        }
    }
}

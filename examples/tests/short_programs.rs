//! The short programs that show one idea each, from the outside.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;

use program::lines;

/// The line that begins so.
fn starting<'a>(lines: &'a [String], start: &str) -> &'a str {
    let found = lines.iter().find(|line| line.starts_with(start));
    found.unwrap_or_else(|| panic!("no line starts with {start:?}: {lines:#?}"))
}

#[test]
fn missing_confidences_are_refused_by_default_and_counted_under_each_policy() {
    let lines = lines("missing_confidence");
    let sections: Vec<&[String]> = lines.chunks(6).collect();
    let names: Vec<&str> = sections.iter().map(|section| section[0].as_str()).collect();
    let policies =
        ["refuse", "leave_out", "skip", "carry_forward", "carry_forward_from=0.5", "clip"];
    assert_eq!(names, policies.map(|name| format!("policy {name}")));
    let log_score = |forecasts: &[f64], succeeded: bool| {
        let weights: f64 = (1..=forecasts.len()).map(|weight| weight as f64).sum();
        let scores = forecasts.iter().enumerate().map(|(i, p)| {
            let weight = (forecasts.len() - i) as f64 / weights;
            weight * if succeeded { p.ln() } else { (1.0 - p).ln() }
        });
        format!("{:.3} nats", scores.sum::<f64>())
    };
    for section in &sections {
        assert_eq!(section[1], format!("  run 1: {}", log_score(&[0.6, 0.7, 0.9], true)));
    }
    for (section, run, begins) in [
        (0, 2, "refused, step 2: the forecast is missing"),
        (0, 3, "refused, step 2: the forecast is 1.2, outside [0, 1]"),
        (0, 4, "refused, step 1: the forecast is missing"),
        (1, 2, "left out, step 2 is missing"),
        (1, 3, "left out, step 2 is 1.2, outside [0, 1]"),
        (2, 2, &log_score(&[0.6, 0.8], true)),
        (2, 3, &log_score(&[0.5, 0.3], false)),
        (2, 4, &log_score(&[0.4], false)),
        (3, 2, &log_score(&[0.6, 0.6, 0.8, 0.8], true)),
        (3, 3, &log_score(&[0.5, 0.5, 0.3], false)),
        (3, 4, "left out, step 1 is missing"),
        (4, 4, &log_score(&[0.5, 0.4], false)),
        (5, 2, "refused, step 2: the forecast is missing"),
        (5, 3, &log_score(&[0.5, 1.0 - 1e-6, 0.3], false)),
    ] {
        let line = &sections[section][run];
        assert!(line.starts_with(&format!("  run {run}: {begins}")), "{line}");
    }
    let carried =
        "  4 runs: 2 repaired (0 forecasts clipped, 3 carried forward, 0 skipped), 1 left out";
    assert_eq!(sections[3][5], carried);
    assert!(sections[5][5].contains("(1 forecast clipped, 0 carried forward, 0 skipped)"));
}

#[test]
fn the_agent_of_the_benchmark_file_meets_every_event_and_pays_what_the_optimal_run_pays() {
    let lines = lines("benchmark_file");
    let events: Vec<&str> =
        lines.iter().filter_map(|line| line.strip_prefix("  the world changes: ")).collect();
    for (event, name) in events.iter().zip(["BanTool", "CostChange", "RemoveTools", "Preference"]) {
        assert!(event.starts_with(name), "{event}");
    }
    assert_eq!(events.len(), 4);
    assert_eq!(lines[0], "find_hotels: Banned, cost 0");
    assert_eq!(starting(&lines, "optimal run"), "optimal run: 10 calls, cost 41.7");
    let at = lines.iter().position(|line| line == "agent: 10 calls, cost 41.7").unwrap();
    assert_eq!(lines[at + 1], "  completed: true");
    assert_eq!(lines[at + 2], "  edit distance: Some(0)");
    let calls = lines.iter().take_while(|line| !line.starts_with("optimal run"));
    let costs = calls.filter_map(|line| line.split_once(", cost "));
    let paid: f64 = costs.map(|(_, cost)| cost.parse::<f64>().unwrap()).sum();
    assert!((paid - 41.7).abs() < 1e-9, "{paid}");
    starting(&lines, "greedy policy: ");
}

#[test]
fn two_models_are_compared_by_task_with_intervals_around_the_differences() {
    let lines = lines("two_models");
    assert_eq!(lines[0], "second model minus first, 6 tasks, 95 % intervals");
    for start in ["tps_brier", "auroc"] {
        let line = starting(&lines, start);
        let numbers: Vec<f64> = line[start.len()..]
            .split(['[', ',', ']', ' '])
            .filter_map(|word| word.parse().ok())
            .collect();
        let &[estimate, low, high] = numbers.as_slice() else { panic!("{line}") };
        assert!(low < estimate && estimate < high && estimate > 0.0, "{line}");
        // Both are symmetric intervals.
        assert!((low + high - 2.0 * estimate).abs() < 0.002, "{line}");
    }
}

#[test]
fn a_plan_with_a_trailing_comma_is_read_with_its_repairs_and_scored() {
    let lines = lines("read_plan");
    let repairs: Vec<&str> =
        lines.iter().filter_map(|line| line.strip_prefix("repaired: ")).collect();
    let names: Vec<&str> = repairs.iter().map(|line| line.split(' ').next().unwrap()).collect();
    let expected =
        ["TextStripped", "TrailingCommas", "PaddedId", "Allocation", "OtherName", "EntryDropped"];
    assert_eq!(names, expected);
    assert_eq!(repairs[1], "TrailingCommas { commas: 1 }");
    // `parser` is cut off at 400 of the 500 tokens that it takes.
    let last = [
        "Advisory: earned 3 of 3 for 900 of 900 tokens, efficiency 1.000",
        "Enforced: earned 2 of 3 for 900 of 900 tokens, efficiency 0.333",
    ];
    assert_eq!(lines[repairs.len()..], last);
}

#[test]
fn the_agent_that_drives_costbench_stage_by_stage_completes_every_query_and_pays_too_much() {
    let lines = lines("drive_costbench");
    let value = |start: &str| {
        let rest = starting(&lines, start).strip_prefix(start).unwrap();
        let numbers = rest.split([',', ' ', '[', ']']).filter_map(|word| word.parse().ok());
        numbers.collect::<Vec<f64>>()
    };
    let gap = value("cost gap:");
    assert!(gap[1] > 0.0 && gap[1] <= gap[0] && gap[0] <= gap[2], "{gap:?}");
    let completion = value("task completion ratio (TCR):");
    assert_eq!((completion[0], completion[2]), (1.0, 1.0));
    assert!(completion[1] > 0.9 && completion[1] < 1.0, "{completion:?}");
}

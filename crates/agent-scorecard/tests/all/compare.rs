//! Comparisons of agents: figures, verdicts, and sentences that their intervals bear out.

use std::{collections::BTreeMap, ops::Range};

use agent_scorecard::{
    Block, Position, Report, Value,
    compare::{CompareOptions, Side, SideRun, UngradedAs, Used, compare as compare_sides},
    run_logs::{Account, AccountedEvaluation, ForecastPolicy, TraceRules, Ungraded},
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use trajectory_metrics::{
    Arm, Figure, Level,
    estimates::{Difference, SHARE},
};

use crate::common::recorded_file;

fn level() -> Level {
    Level::new(0.95).unwrap()
}

fn compare(sides: impl Into<Vec<Side>>) -> Report {
    compare_by(sides, CompareOptions::default())
}

fn compare_ungraded(sides: impl Into<Vec<Side>>, ungraded: UngradedAs) -> Report {
    compare_by(sides, CompareOptions { ungraded, ..CompareOptions::default() })
}

/// On the tasks that both have.
fn compare_shared(sides: impl Into<Vec<Side>>) -> Report {
    compare_by(sides, CompareOptions { shared: true, ..CompareOptions::default() })
}

fn compare_by(sides: impl Into<Vec<Side>>, options: CompareOptions) -> Report {
    compare_sides(sides, options, level()).unwrap()
}

fn run(task: usize, outcome: Option<bool>) -> SideRun {
    let ungraded = outcome.is_none().then_some(Ungraded::NoScore);
    let grade = outcome.map(f64::from);
    SideRun { task: format!("task {task}"), grade, ungraded, ..SideRun::default() }
}

/// A run that an error ended.
fn spending(used: Used, run: SideRun) -> SideRun {
    SideRun { used: Some(Box::new(used)), ..run }
}

fn crashed(task: usize) -> SideRun {
    SideRun { ungraded: Some(Ungraded::Error), ..run(task, None) }
}

fn runs_of(side: &Side) -> Vec<SideRun> {
    side.runs.clone().into()
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

fn json(block: &Block, key: &str) -> serde_json::Value {
    match block.get(key) {
        Some(Value::Json(value)) => value.clone(),
        other => panic!("{key}: {other:?}"),
    }
}

fn flag(block: &Block) -> bool {
    json(block, "is_beyond_noise").as_bool().unwrap()
}

fn is_beyond_noise(report: &Report) -> bool {
    flag(block(&report.together, "difference"))
}

#[test]
fn shared_tasks_are_compared_with_each_other() {
    // Both agents fail on tasks 0 to 19 and succeed on tasks 20 to 33; the second gains six tasks.
    let alpha = side("alpha", (0..40).map(|task| run(task, Some((20..34).contains(&task)))));
    let beta = side("beta", (0..40).map(|task| run(task, Some(task >= 20))));
    let report = compare([alpha, beta.clone()]);
    let found = of_success(&report);
    assert!((found.value - 0.15).abs() < 1e-15);
    assert!(is_beyond_noise(&report), "{:?}", report.conclusion);
    assert_eq!(report.decided, ["success_rate"]);
    let verdict = ". On the 40 tasks that both agents have, beta is better by 15 points [2, 27], beyond noise.";
    assert!(report.conclusion[0].ends_with(verdict), "{:?}", report.conclusion);

    // The same rates on tasks that are not shared are not beyond noise.
    let other = side("alpha", (0..40).map(|task| run(100 + task, Some((20..34).contains(&task)))));
    let report = compare([other, beta]);
    assert!(!is_beyond_noise(&report) && report.decided.is_empty());
    let verdict = ". Over all runs, because no task is shared, they cannot be told apart: beta is ahead by 15 points [-7, 35]; \
                   if the true difference is that large, about 180 tasks per agent would be needed to find it.";
    assert!(report.conclusion[0].ends_with(verdict), "{:?}", report.conclusion);
}

#[test]
fn runs_without_a_task_are_no_runs_of_other_tasks() {
    let first = r#"{"id": "a", "forecasts": [0.5], "outcome": true}
{"id": "b", "forecasts": [0.5], "outcome": false}"#;
    let second = first.replace("\"a\"", "\"c\"").replace("\"b\"", "\"d\"");
    let sides = [("x.jsonl", first.to_owned()), ("y.jsonl", second)]
        .map(|(file, text)| Side::read_all(file, text.as_bytes(), TraceRules::default()).unwrap());
    let report = compare(sides.concat());
    assert!(
        report.conclusion[0].contains("ver all runs, because runs have no task,"),
        "{report:?}"
    );
    let note = "to state the tasks, add a column task to the table or to the file of --outcomes";
    assert!(
        report.columns.iter().any(|it| it.block.said(Position::Note).any(|it| it.contains(note)))
            || report.together.said(Position::Note).any(|it| it.contains(note)),
        "{report:?}"
    );
}

#[test]
fn an_amount_that_no_task_has_on_both_sides_has_no_difference() {
    let spent = |task: usize, is: bool| {
        spending(Used { cost_usd: is.then_some(1.0), ..Used::default() }, run(task, Some(true)))
    };
    let first = side("a", (0..30).map(|task| spent(task, task < 15)));
    let second = side("b", (0..30).map(|task| spent(task, task >= 15)));
    let report = compare([first, second]);
    let difference = block(&report.together, "difference");
    assert!(difference.get("cost_usd_per_run").is_none(), "{difference:?}");
    assert!(
        !difference.said(Position::Note).any(|it| it.contains("agents' 0 and 0 runs")),
        "{difference:?}"
    );
}

#[test]
fn with_shared_only_shared_tasks_make_the_difference_and_each_counts_once() {
    let fails = |task: usize| run(task, Some(!task.is_multiple_of(10)));
    // Equal on 30 tasks; the second has 30 hard ones, too.
    let easy = side("easy", (0..30).map(fails));
    let both =
        side("both", (0..30).map(fails).chain((30..60).map(|task| run(task, Some(task % 5 == 0)))));
    // Equal on 20 tasks; the second tries those that it solves four times.
    let even = side("even", (0..20).map(|task| run(task, Some(task < 10))));
    let easy_often = (0..20).flat_map(|task| {
        (0..if task < 10 { 4 } else { 1 }).map(move |_| run(task, Some(task < 10)))
    });
    let often = side("often", easy_often);
    // Equal on 32 tasks; the second lacks eight that the first fails.
    let judged = side("judged", (0..40).map(|task| run(task, Some(task < 32))));
    let broken = side("broken", (0..32).map(|task| run(task, Some(true))));
    for (sides, shared, over, of_all) in [
        ([easy, both], 30, "on the 30 tasks that both agents have", -0.35),
        ([even, often], 20, "on the 20 tasks that both agents have, each counting once", 0.0),
        ([judged, broken], 32, "on the 32 tasks that both agents have", 0.2),
    ] {
        let all = of_success(&compare(sides.clone()));
        assert!((all.value - of_all).abs() < 1e-12, "{}", all.value);
        let report = compare_shared(sides);
        let found = of_success(&report);
        let ends = found.interval.unwrap();
        assert!(found.value == 0.0 && (ends.low() + ends.high()).abs() < 1e-12, "{ends:?}");
        assert!(
            report.conclusion[0].contains("they cannot be told apart: the difference is 0 points")
        );
        assert!(report.lead.contains(over), "{}", report.lead);
        let difference = block(&report.together, "difference");
        assert_eq!(difference.number("n_shared_tasks"), Some(f64::from(shared)));
    }
}

#[test]
fn a_task_that_only_one_side_knows_the_cost_of_is_no_difference_of_costs() {
    let spent = |task, cost| {
        spending(Used { cost_usd: cost, ..Used::default() }, run(task, Some(task % 2 == 0)))
    };
    let first = side("a", (0..40).map(|task| spent(task, (task < 25).then_some(1.0))));
    let second = side(
        "b",
        (0..40).map(|task| spent(task, (task >= 5).then_some(if task < 25 { 1.0 } else { 9.0 }))),
    );
    let report = compare([first.clone(), second.clone()]);
    let difference = block(&report.together, "difference");
    assert_eq!(difference.number("cost_usd_per_run"), Some(0.0));
    let counts = block(block(difference, "counts"), "cost_usd_per_run");
    assert_eq!(json(counts, "n_runs"), serde_json::json!([20, 20]));
    let note = "cost_usd_per_run: on the 20 tasks that both agents have, computed from the agents' 20 and 20 runs with a value";
    assert!(difference.said(Position::Note).any(|it| it == note), "{difference:?}");
    // Of several differences, the notes of the report say of which they are.
    let said = |report: &Report, of: &str| {
        let of = format!("{of}: {note}");
        report.together.said(Position::Note).any(|it| it == of)
    };
    assert!(said(&report, "difference") && !said(&report, "difference of b"));
    let third = Side { file: "c".to_owned(), ..second.clone() };
    let several = compare([first, second, third]);
    assert!(["b", "c"].iter().all(|name| said(&several, &format!("difference of {name}"))));
    assert!(!said(&several, "difference"), "{:?}", several.together);
}

#[test]
fn a_difference_that_rests_on_grades_at_a_limit_is_said_with_these_as_failures() {
    let of = |name, solves: fn(usize) -> bool, is_at_limit: fn(usize) -> bool| {
        let runs = (0..30).map(|task| SideRun {
            is_at_limit: is_at_limit(task),
            ..run(task, Some(solves(task)))
        });
        side(name, runs)
    };
    let few = || of("a", |task| task % 3 == 0, |_| false);
    let said = |other: Side| compare([few(), other]).conclusion;
    let by_limit = said(of("b", |task| task % 10 != 1, |task| task % 3 != 0));
    assert!(by_limit[0].contains("b is better by 57 points"), "{by_limit:?}");
    let depends = "Whether a and b differ depends on how runs at a limit count: if they count as failures (--at-limit failed), a is ahead by ";
    assert!(by_limit.iter().any(|it| it.starts_with(depends)), "{by_limit:?}");
    let clear = said(of("b", |task| task % 10 != 1, |task| task == 0));
    assert!(!clear.iter().any(|it| it.contains("depends on how runs at a limit")), "{clear:?}");
}

#[test]
fn sides_that_share_few_tasks_are_compared_over_all_runs() {
    let first = side("a", (0..30).map(|task| run(task, Some(task % 3 == 0))));
    let second = side("b", (29..60).map(|task| run(task, Some(task % 3 != 0))));
    let report = compare([first, second]);
    let (found, difference) = (of_success(&report), block(&report.together, "difference"));
    assert!((found.value - (21.0 / 31.0 - 1.0 / 3.0)).abs() < 1e-15);
    assert_eq!(json(difference, "is_paired"), false);
    assert!(
        report.conclusion[0].contains(". Over all runs, with one task in common, b is better by")
    );
}

#[test]
fn a_difference_that_is_the_same_on_all_tasks_has_an_interval() {
    let of = |name, solves| side(name, (0..30).map(move |task| run(task, Some(solves))));
    let report = compare([of("a", true), of("b", false)]);
    let ends = of_success(&report).interval.unwrap();
    // Each side is at its end by the exact interval of 30 tasks, and nothing says that both would differ on the same ones.
    let off = 1.0 - 0.025_f64.powf(1.0 / 30.0);
    assert!(ends.low() == -1.0 && (ends.high() - (-1.0 + 2.0_f64.sqrt() * off)).abs() < 0.08);
    assert!(report.conclusion[0].ends_with("a is better by 100 points [77, 100], beyond noise."));
}

#[test]
fn what_was_not_computed_is_null_and_not_false() {
    let few = |name| side(name, (0..60).map(|at| run(0, Some(at % 3 > 0))));
    let report = compare([few("a"), few("b")]);
    let difference = block(&report.together, "difference");
    // A single task has a value without an interval.
    assert_eq!(of_success(&report).value, 0.0);
    for key in ["is_beyond_noise", "is_better", "is_worse"] {
        assert_eq!(json(difference, key), serde_json::Value::Null, "{key}");
    }
    let report = compare([few("a"), side("b", [run(0, None)])]);
    assert_eq!(
        json(block(&report.together, "difference"), "is_beyond_noise"),
        serde_json::Value::Null
    );
}

#[test]
fn runs_without_a_grade_are_named_in_the_first_sentence_and_bound_the_rate_of_all() {
    let cut = SideRun { is_at_limit: true, ungraded: Some(Ungraded::AtLimit), ..run(9, None) };
    let runs = (0..9).map(|task| run(task, Some(task < 6))).chain([cut, crashed(10)]);
    let alpha = Side {
        account: Account { n_found: 11, n_kept: 11, ..Account::default() },
        ..side("alpha", runs)
    };
    let report = compare([alpha.clone()]);
    let block = &report.columns[0].block;
    let numbers =
        ["n_runs", "success_rate", "n_at_limit", "n_ungraded"].map(|key| block.number(key));
    assert_eq!(numbers, [9.0, 6.0 / 9.0, 1.0, 2.0].map(Some));
    let said = &report.conclusion[0];
    assert!(said.starts_with("alpha succeeded in 67 % of 9 runs with a grade [29, 91] (2 of 11 have no grade: 1 ended with an error, 1 ended at a limit; over all runs, whatever the missing grades are, ["), "{said}");
    let Some(Value::Bounds(_, Ok(ends))) = block.get("success_rate_all") else { panic!() };
    // Whatever they would have been, the rate of all runs is in what is between 6 and 8 of 11.
    assert!(ends.low() < 6.0 / 11.0 && ends.high() > 8.0 / 11.0);
    let account = report.account.as_ref().unwrap();
    assert_eq!((account.n_found, account.n_kept), (11, 9));
    assert_eq!((account.left_out["error"], account.left_out["at_limit"]), (1, 1));

    // As failures they are in the rate, and left out they are in nothing.
    for (rule, n, rate) in
        [(UngradedAs::Failed, 11.0, 6.0 / 11.0), (UngradedAs::LeftOut, 9.0, 6.0 / 9.0)]
    {
        let report = compare_ungraded([alpha.clone()], rule);
        let block = &report.columns[0].block;
        let numbers = ["n_runs", "success_rate", "n_ungraded"].map(|key| block.number(key));
        assert_eq!(numbers, [n, rate, 0.0].map(Some));
    }
}

/// A number that is NaN is not known.
#[test]
fn a_run_without_a_grade_and_without_a_reason_is_named_as_one_without_a_score() {
    for grade in [None, Some(f64::NAN)] {
        let lost = SideRun { grade, ..run(9, Some(true)) };
        let runs = (0..9).map(|task| run(task, Some(task < 6))).chain([lost]);
        let account = Account { n_found: 10, n_kept: 10, ..Account::default() };
        let report = compare([Side { account, ..side("alpha", runs) }]);
        let said = &report.conclusion[0];
        assert!(
            said.contains("(1 of 10 have no grade: 1 without a score; over all runs"),
            "{said}"
        );
        assert_eq!(report.account.unwrap().left_out["no_score"], 1);
    }
}

#[test]
fn grades_at_a_limit_count_and_the_report_says_what_they_change() {
    let graded = |task, passed| SideRun { is_at_limit: true, ..run(task, Some(passed)) };
    let runs = (0..10)
        .map(|task| if task < 3 { graded(task, task < 2) } else { run(task, Some(task < 8)) });
    let report = compare([side("alpha", runs)]);
    assert_eq!(report.columns[0].block.number("success_rate"), Some(0.7));
    let said = "A limit ended 3 graded runs of alpha, 2 of them successes, and these grades count; if they counted as failures (--at-limit failed), the success rate would be 50 %.";
    assert_eq!(report.conclusion[1], said);
    // A grade from beside the log stays one.
    let settled = |task| SideRun { is_settled: task == 0, ..graded(task, true) };
    let report = compare([side("alpha", (0..10).map(settled))]);
    let said = "A limit ended 9 runs of alpha that the log graded, 9 of them successes, and these grades count; if they counted as failures (--at-limit failed), the success rate would be 10 %.";
    assert_eq!(report.conclusion[1], said);
    let in_part = SideRun { grade: Some(0.5), ..graded(0, true) };
    let others = (1..10).map(|task| run(task, Some(task < 8)));
    let report = compare([side("alpha", std::iter::once(in_part).chain(others))]);
    let said = report.conclusion[1].as_str();
    assert!(
        said.contains("1 of them with a score above 0")
            && said.ends_with("the mean score would be 70 %."),
        "{said}"
    );
}

#[test]
fn what_limits_change_is_said_as_the_option_would_whatever_runs_without_a_grade_count_for() {
    let cut = |run| SideRun { is_at_limit: true, ..run };
    let ungraded = |task| SideRun { ungraded: Some(Ungraded::AtLimit), ..run(task, None) };
    let runs = (0..10).map(|task| match task {
        0..2 => cut(run(task, Some(true))),
        2..5 => cut(ungraded(task)),
        _ => run(task, Some(task < 8)),
    });
    let side = side("alpha", runs);
    for option in [UngradedAs::Unknown, UngradedAs::LeftOut, UngradedAs::Failed] {
        let report = compare_ungraded([side.clone()], option);
        let said = "they and the 3 at a limit without a grade counted as failures (--at-limit failed), the success rate would be 30 %.";
        assert!(report.conclusion[1].ends_with(said), "{option:?}: {:?}", report.conclusion);
    }
}

#[test]
fn a_task_without_a_grade_is_no_task_of_the_other_side_alone_if_it_is_left_out() {
    // Equal agents; the second has no grade on ten tasks that are easy for both.
    let a = side("a", (0..30).map(|task| run(task, Some(task < 10 || task % 4 == 0))));
    let b = side("b", (0..30).map(|task| run(task, (task >= 10).then_some(task % 4 == 0))));
    for option in [UngradedAs::Unknown, UngradedAs::LeftOut] {
        let report = compare_ungraded([a.clone(), b.clone()], option);
        let difference = block(&report.together, "difference");
        assert_eq!(of_success(&report).value, 0.0, "{option:?}");
        assert_eq!(difference.number("n_shared_tasks"), Some(20.0), "{option:?}");
        assert!(!is_beyond_noise(&report), "{option:?}: {:?}", report.conclusion);
    }
}

#[test]
fn an_evaluation_and_its_retry_in_two_columns_are_said() {
    let of = |name, task_id: &str| {
        let mut side = side(name, (0..10).map(|task| run(task, Some(task < 5))));
        let of = AccountedEvaluation {
            task_id: Some(task_id.to_owned()),
            ..AccountedEvaluation::default()
        };
        side.account.evaluations.push(of);
        side
    };
    for (second, is_said) in [("one", true), ("two", false)] {
        let report = compare([of("a", "one"), of("b", second)]);
        let said = report
            .conclusion
            .iter()
            .any(|it| it.starts_with("a and b contain runs of the same evaluation"));
        assert_eq!(said, is_said, "{:?}", report.conclusion);
    }
}

#[test]
fn partial_successes_are_compared_by_their_mean_score() {
    let scored = |task: usize, grade: f64| SideRun {
        grade: Some(grade),
        ungraded: None,
        confidence: Some(0.5),
        ..run(task, None)
    };
    let of =
        |name, shift: f64| side(name, (0..30).map(|task| scored(task, 0.02 * task as f64 + shift)));
    let report = compare([of("a", 0.0), of("b", 0.4)]);
    let block = &report.columns[0].block;
    assert!((block.number("mean_score").unwrap() - 0.29).abs() < 1e-12);
    assert!(block.figure("success_rate").is_err());
    assert!(
        report.conclusion[0].starts_with("a scored 29 % on average over 30 runs"),
        "{:?}",
        report.conclusion
    );
    assert!(is_beyond_noise(&report));
    let difference = self::block(&report.together, "difference");
    assert!((difference.number("mean_score").unwrap() - 0.4).abs() < 1e-12);
    // The expectation of the Brier score, and of what a constant forecast of the mean would get.
    let grades: Vec<f64> = (0..30).map(|task| 0.02 * f64::from(task)).collect();
    let brier: f64 = grades.iter().map(|g| -(g * 0.25 + (1.0 - g) * 0.25)).sum::<f64>() / 30.0;
    assert!((block.number("brier_last").unwrap() - brier).abs() < 1e-12);
    let base: f64 =
        grades.iter().map(|g| -(g * 0.71 * 0.71 + (1.0 - g) * 0.29 * 0.29)).sum::<f64>() / 30.0;
    assert!((block.number("brier_gain_last").unwrap() - (brier - base)).abs() < 1e-12);
    assert!((block.number("overconfidence_last").unwrap() - 0.21).abs() < 1e-12);
}

#[test]
fn a_gate_fails_if_one_reading_of_the_ungraded_runs_fails_it() {
    let base = || side("base", (0..60).map(|task| run(task, Some(task % 5 < 3))));
    // Two of three of the runs with a grade succeed; 48 of 60 crash.
    let crashy = side(
        "crashy",
        (0..60).map(|task| match task < 12 {
            true => run(task, Some(task % 3 > 0)),
            false => crashed(task),
        }),
    );
    let flags = |report: &Report| {
        let difference = block(&report.together, "difference");
        ["is_beyond_noise", "is_worse", "is_better"]
            .map(|key| json(difference, key).as_bool().unwrap())
    };
    let by = |rule| compare_ungraded(&[base(), crashy.clone()], rule);
    assert_eq!(flags(&by(UngradedAs::Unknown)), [false, true, false]);
    assert_eq!(flags(&by(UngradedAs::LeftOut)), [false, false, false]);
    assert_eq!(flags(&by(UngradedAs::Failed)), [true, true, false]);
    // The other way round, the crashing agent is no worse by any reading that would make it so.
    let swapped = compare([crashy.clone(), base()]);
    assert!(!flags(&swapped)[2]);
    // A crash is no run of 0 tokens.
    let tokens = |side: Side| Side {
        runs: Vec::from(side.runs)
            .into_iter()
            .map(|run| {
                let tokens = if run.grade.is_some() { 15 } else { 0 };
                spending(Used { tokens: Some(tokens), ..Used::default() }, run)
            })
            .collect(),
        ..side
    };
    let report = compare([tokens(base()), tokens(crashy)]);
    assert_eq!(report.columns[1].block.number("tokens_per_run"), Some(15.0));
    assert!(report.decided.is_empty(), "{:?}", report.decided);
}

#[test]
fn runs_that_name_no_model_are_compared_with_nobody() {
    let of = |name: &str, every: usize| Side {
        model: Some(name.to_owned()),
        ..side("runs.jsonl", (0..30).map(|task| run(task, Some(task % every > 0))))
    };
    let sides = [of("unknown model", 30), of("alpha", 2), of("beta", 3)];
    let report = compare(sides);
    let names: Vec<&str> = report.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["alpha", "beta", "unknown model"]);
    let difference = block(&report.together, "difference");
    assert_eq!(
        (json(difference, "of"), json(difference, "minus")),
        ("beta".into(), "alpha".into())
    );
}

#[test]
fn several_runs_of_a_task_give_pass_at_k_and_pass_hat_k() {
    // Two of three, all of three, one of two.
    let outcomes =
        [(0, true), (0, true), (0, false), (1, true), (1, true), (1, true), (2, true), (2, false)];
    let runs = outcomes.map(|(task, outcome)| run(task, Some(outcome)));
    let report = compare([side("a", runs)]);
    let Some(Value::Rows { rows, .. }) = report.columns[0].block.get("passes") else { panic!() };
    let of = |row: &Block| {
        ["k", "n_tasks", "pass_at_k", "pass_hat_k"].map(|key| row.number(key).unwrap())
    };
    // Of the three pairs of the first task, all have a success and one has two.
    let [k, n, at, hat] = of(&rows[1]);
    assert_eq!([k, n, at], [2.0, 3.0, 1.0]);
    assert!((hat - (1.0 / 3.0 + 1.0) / 3.0).abs() < 1e-15);
    assert_eq!(of(&rows[2]), [3.0, 2.0, 1.0, 0.5]);
    // Tasks have two or three runs, so that the mean over tasks is not the success rate.
    let [_, _, at, hat] = of(&rows[0]);
    assert!(at == hat && (at - (2.0 / 3.0 + 1.0 + 0.5) / 3.0).abs() < 1e-15);
    assert_eq!(rows.len(), 3);
}

#[test]
fn spending_is_counted_per_run_and_per_success() {
    let spent = |task, outcome, cost| {
        spending(Used { cost_usd: Some(cost), ..Used::default() }, run(task, Some(outcome)))
    };
    let runs =
        [spent(0, true, 1.0), spent(1, false, 3.0), spent(2, true, 2.0), spent(3, false, 0.0)];
    let report = compare([side("a", runs)]);
    let block = &report.columns[0].block;
    let keys = ["cost_usd_per_run", "cost_usd_per_success"];
    assert_eq!(keys.map(|key| block.number(key)), [Some(1.5), Some(3.0)]);
    // Nobody counted tokens.
    assert_eq!(block.get("tokens_per_run"), None);
}

#[test]
fn a_task_that_makes_up_much_of_the_spending_is_named() {
    let spent = |most: u64| {
        let of = |task: usize| Used {
            tokens: Some(if task == 7 { most } else { 10 }),
            ..Used::default()
        };
        let runs = (0..31).map(|task| spending(of(task), run(task, Some(task % 2 == 0))));
        compare([side("a", runs)]).columns.remove(0).block
    };
    let is_said =
        |block: &Block, said: &str| block.said(Position::Note).any(|it| it.starts_with(said));
    let of_tokens = r#"tokens_per_run: the task "task 7" alone makes up 75 % of the sum, so the intervals of means over runs are too narrow"#;
    assert!(is_said(&spent(900), of_tokens), "{:?}", spent(900));
    // One of 31 tasks that are alike has 3 %.
    assert!(!is_said(&spent(10), "tokens_per_run: the task"));
}

#[test]
fn of_several_comparisons_only_those_that_pass_holm_are_beyond_noise() {
    let rate = |name: &str, fails: usize| {
        side(name, (0..100).map(|task| run(task, Some((task * 37) % 100 >= fails))))
    };
    // Alone, six tasks of 100 that go one way are beyond noise; beside two equal agents they are not.
    let alone = compare([rate("a", 50), rate("b", 44)]);
    assert!(is_beyond_noise(&alone), "{:?}", alone.conclusion);
    let sides = [rate("a", 50), rate("b", 44), rate("c", 52), rate("d", 49)];
    let report = compare(sides);
    let together = block(&report.together, "differences");
    assert_eq!(["b", "c", "d"].map(|name| flag(block(together, name))), [false; 3]);
    assert!(
        report.conclusion[0]
            .contains("which would be beyond noise as the only comparison, but not as one of 3")
    );
    // A clear one is, and leaves more of the error rate to the others.
    let sides = [rate("a", 50), rate("b", 43), rate("c", 20), rate("d", 49)];
    let report = compare(sides);
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
        compare([side("a", runs)]).conclusion[1].clone()
    };
    assert_eq!(
        stated(0.9),
        "a: overconfident by 40 points [26, 54] over 50 runs; as stated, the confidence scores worse than one constant forecast for all runs (Brier score gained: -0.160 [-0.275, -0.045])."
    );
    assert_eq!(
        stated(0.2),
        "a: underconfident by 30 points [16, 44] over 50 runs; as stated, the confidence scores worse than one constant forecast for all runs (Brier score gained: -0.090 [-0.176, -0.004])."
    );
    let unsure = "a: over 50 runs, mean confidence is 5 points [-9, 19] above the success rate, which may be noise; as stated, the confidence scores no better than one constant forecast for all runs, which may be noise (Brier score gained: -0.003 [-0.017, 0.012]).";
    assert_eq!(stated(0.55), unsure);
}

#[test]
fn that_all_runs_succeed_does_not_make_the_success_rate_known() {
    let stated = (0..20).map(|task| SideRun {
        confidence: Some(0.93 + 0.002 * f64::from(task)),
        ..run(task as usize, Some(true))
    });
    let report = compare([side("a", stated)]);
    let figures = &report.columns[0].block;
    let over = figures.figure("overconfidence_last").unwrap();
    // The rate is at least 0.025^(1 / 20) = 0.832.
    assert!((over.value + 0.051).abs() < 1e-12 && over.interval.unwrap().high() > 0.1, "{over}");
    assert!(figures.figure("brier_gain_last").unwrap().interval.is_err());
    let noise = "a: over 20 runs, mean confidence is 5 points [-12, 6] below the success rate, which may be noise.";
    assert_eq!(report.conclusion[1], noise);
}

#[test]
fn runs_that_a_limit_ended_say_nothing_of_confidence() {
    let judged = (0..40).map(|task| run(task, Some(true)));
    let cut = (40..60).map(|task| SideRun {
        is_at_limit: true,
        ungraded: Some(Ungraded::AtLimit),
        ..run(task, None)
    });
    let stated = judged.chain(cut).map(|run| SideRun { confidence: Some(0.92), ..run });
    let report = compare([side("a", stated)]);
    let figures = &report.columns[0].block;
    let keys =
        ["success_rate", "n_with_confidence", "confidence", "overconfidence_last", "brier_last"];
    let found = keys.map(|key| figures.number(key).unwrap());
    let want = [1.0, 40.0, 0.92, -0.08, -0.0064];
    assert!(found.iter().zip(want).all(|(found, want)| (found - want).abs() < 1e-12), "{found:?}");
    assert!(report.conclusion[1].starts_with("a: over 40 runs, "), "{:?}", report.conclusion);
}

#[test]
fn sides_of_one_name_are_told_apart_and_tasks_are_in_natural_order() {
    let one = side("a.jsonl", [run(10, Some(true)), run(9, Some(false))]);
    let report = compare([one.clone(), one.clone(), one]);
    let names: Vec<&str> = report.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["a.jsonl", "a.jsonl (2)", "a.jsonl (3)"]);
    let Some(Value::Rows { rows, .. }) = report.together.get("tasks") else { panic!() };
    assert_eq!([&rows[0], &rows[1]].map(|row| json(row, "task")), ["task 9", "task 10"]);
}

#[test]
fn what_a_success_cost_is_never_below_nothing() {
    let spent = |task: usize| {
        spending(Used { tokens: Some(1_800), ..Used::default() }, run(task, Some(task == 0)))
    };
    let report = compare([side("a", (0..20).map(spent))]);
    let found = report.columns[0].block.figure("tokens_per_success").unwrap();
    let ends = found.interval.unwrap();
    assert!(found.value == 36_000.0 && ends.low() > 1_800.0 && ends.high() > 36_000.0, "{found}");
}

#[test]
fn a_comparison_without_sides_is_refused() {
    assert_eq!(
        compare_sides([], CompareOptions::default(), level()).unwrap_err().to_string(),
        "sides: there are none"
    );
}

#[derive(serde::Deserialize)]
struct Recorded {
    inspect_ai: Vec<OfInspect>,
    scipy: Vec<OfScipy>,
    tau2: BTreeMap<String, Vec<(u64, u64, f64)>>,
}

#[derive(serde::Deserialize)]
struct OfInspect {
    runs: Vec<(usize, u8)>,
    accuracy: f64,
    stderr: f64,
}

#[derive(serde::Deserialize)]
struct OfScipy {
    first: Vec<(usize, u8)>,
    second: Vec<(usize, u8)>,
    value: f64,
    error: f64,
    ends: [f64; 2],
}

fn recorded() -> Recorded {
    serde_json::from_str(include_str!("../golden/compare.json")).unwrap()
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
        let report = compare([of_pairs("a", &case.runs)]);
        let found = report.columns[0].block.figure("success_rate").unwrap();
        close(found.value, case.accuracy);
        close(found.standard_error.unwrap(), case.stderr);
    }
}

#[test]
fn paired_differences_are_those_of_scipy() {
    for case in recorded().scipy {
        // A cost of one dollar for each success has no bounds.
        let of = |name, runs: &[(usize, u8)]| {
            let run = |run: SideRun| spending(Used { cost_usd: run.grade, ..Used::default() }, run);
            side(name, runs_of(&of_pairs(name, runs)).into_iter().map(run))
        };
        let sides = [of("a", &case.first), of("b", &case.second)];
        let report = compare_shared(sides);
        let difference = block(&report.together, "difference");
        for key in ["cost_usd_per_run", "success_rate"] {
            let found = difference.figure(key).unwrap();
            close(found.value, case.value);
            close(found.standard_error.unwrap(), case.error);
        }
        let ends = difference.figure("cost_usd_per_run").unwrap().interval.unwrap();
        assert!((ends.low() - case.ends[0]).abs() + (ends.high() - case.ends[1]).abs() < 1e-9);
    }
}

#[test]
fn recorded_runs_of_tau2_have_the_pass_hat_k_of_all_choices() {
    let Some(file) = recorded_file("tau2.jsonl") else { return };
    #[derive(serde::Deserialize)]
    struct Line {
        domain: String,
        task: String,
        model: String,
        success: u8,
    }
    let text = std::fs::read_to_string(file).unwrap();
    let mut models: BTreeMap<String, Vec<SideRun>> = BTreeMap::new();
    for line in text.lines() {
        let Line { domain, task, model, success } = serde_json::from_str(line).unwrap();
        let run = SideRun { task: format!("{domain}/{task}"), ..run(0, Some(success == 1)) };
        models.entry(model).or_default().push(run);
    }
    let want = recorded().tau2;
    assert_eq!(models.len(), want.len());
    for (model, runs) in models {
        let report = compare([side("a", runs)]);
        let block = &report.columns[0].block;
        let [(1, n, rate), rest @ ..] = want[&model].as_slice() else { panic!() };
        assert_eq!(block.number("n_tasks"), Some(*n as f64));
        // pass^1 is a mean over tasks; the success rate of tasks with equally many runs is the same.
        if rest.is_empty() {
            close(block.number("success_rate").unwrap(), *rate);
        }
        let Some(Value::Rows { rows, .. }) = block.get("passes") else { panic!() };
        let rows: Vec<&Block> = rows.iter().filter(|row| row.number("k") != Some(1.0)).collect();
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

/// On the 40 tasks that both have, the second succeeds in all and the first in few; tasks that the second alone has pull its
/// rate below that of the first, which has easy ones of its own.
#[test]
fn no_star_marks_the_side_that_is_worse_where_tasks_are_shared() {
    let of = |name, shared: bool, own: bool, from: usize| {
        let tasks = (0..40).map(|task| (task, shared || task % 5 == 0));
        let tasks = tasks.chain((from..from + 100).map(|task| (task, own)));
        let runs: Vec<SideRun> = tasks.map(|(task, success)| run(task, Some(success))).collect();
        side(name, runs)
    };
    let sides = [of("a", false, true, 100), of("b", true, false, 300)];
    let report = compare_shared(sides);
    let said = &report.conclusion[0];
    assert!(
        said.contains("On the 40 tasks that both agents have, b is better by 80 points"),
        "{said}"
    );
    assert!(said.contains(", beyond noise"), "{said}");
    assert!(!report.decided.contains(&"success_rate"), "{:?}", report.decided);
}

#[test]
fn a_run_without_a_confidence_counts_in_the_success_rate() {
    let rows = (0..40).map(|row| match row % 2 {
        0 => format!("r{row},t{row},,0\n"),
        _ => format!("r{row},t{row},0.9,1\n"),
    });
    let table = format!("id,task,confidence,correct\n{}", rows.collect::<String>());
    let sides = Side::read_all("miss.csv", table.as_bytes(), ForecastPolicy::Skip).unwrap();
    let block = compare(sides).columns.remove(0).block;
    assert_eq!(block.number("n_runs"), Some(40.0));
    assert_eq!(block.figure("success_rate").unwrap().value, 0.5);
    assert_eq!(block.figure("confidence").unwrap().value, 0.9);
}

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
            is_at_limit: is_cut_off,
            confidence,
            ..run(task, outcome)
        },
    );
    prop::collection::vec(one, 0..80).prop_map(move |runs| side(name, runs))
}

/// The success rates of the tasks of a side, with their numbers of runs.
fn rates(side: &Side) -> BTreeMap<String, (f64, f64)> {
    let mut tasks: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for run in runs_of(side) {
        if let Some(success) = run.grade {
            let (successes, runs) = tasks.entry(run.task).or_default();
            *successes += success;
            *runs += 1.0;
        }
    }
    tasks.into_iter().map(|(task, (successes, runs))| (task, (successes / runs, runs))).collect()
}

/// How many tasks are shared, the tasks of each side, the difference of the means over tasks, and the ends of its interval.
struct Expected {
    shared: usize,
    tasks: [usize; 2],
    value: f64,
    ends: Option<[f64; 2]>,
}

/// By the values of all runs, but those of tasks that both tried and of which one has no outcome.
fn expected(first: &Side, second: &Side, level: Level) -> Expected {
    let sides = [first, second];
    let [a, b] = sides.map(rates);
    let runs = sides.map(runs_of);
    let counts = |task: &str| {
        let both = runs.iter().all(|runs| runs.iter().any(|run| run.task == task));
        !both || a.contains_key(task) && b.contains_key(task)
    };
    let (mut values, mut arms, mut tasks) = (Vec::new(), Vec::new(), Vec::new());
    for (arm, runs) in [Arm::First, Arm::Second].into_iter().zip(&runs) {
        for run in runs.iter().filter(|run| counts(&run.task)) {
            if let Some(grade) = run.grade {
                values.push(grade);
                arms.push(arm);
                tasks.push(run.task.as_str());
            }
        }
    }
    let mean = |rates: &BTreeMap<String, (f64, f64)>| {
        let own: Vec<f64> =
            rates.iter().filter(|(task, _)| counts(task)).map(|(_, (rate, _))| *rate).collect();
        (own.len(), own.iter().sum::<f64>() / own.len() as f64)
    };
    let ((n, of_first), (m, of_second)) = (mean(&a), mean(&b));
    let found = Difference::new(&values, &arms, &tasks, SHARE).ok();
    let ends = found.and_then(|found| found.figure(level).interval.ok());
    let ends = ends.map(|ends| [ends.low(), ends.high()]);
    let shared = a.keys().filter(|task| b.contains_key(*task)).count();
    Expected { shared, tasks: [n, m], value: of_second - of_first, ends }
}

proptest! {
    #[test]
    fn no_sentence_says_what_its_interval_contradicts(
        sides in prop::collection::vec(any_side("side"), 1..5)
    ) {
        let report = compare(sides.clone());
        for (side, column) in sides.iter().zip(&report.columns) {
            let name = &column.name;
            let of_confidence = report.conclusion.iter().find(|it| it.starts_with(&format!("{name}: ")));
            crate::confidence::check(&column.block, of_confidence.map(String::as_str))?;
            let passed = runs_of(side).iter().any(|run| run.is_at_limit && run.grade == Some(1.0));
            let n = runs_of(side).iter().filter(|run| run.is_at_limit && run.grade.is_some()).count();
            let says = report.conclusion.iter().any(|it| it.contains(&format!("A limit ended {n} graded run")));
            prop_assert!(!passed || says);
        }
        let others = &sides[1..];
        let strictest = Level::new(1.0 - 0.05 / others.len().max(1) as f64).unwrap();
        for (other, sentence) in others.iter().zip(&report.conclusion) {
            let is_said = |text: &str| sentence.contains(text);
            if rates(&sides[0]).is_empty() || rates(other).is_empty() {
                prop_assert!(is_said("has an outcome"), "{sentence}");
                continue;
            }
            // The rate of the first side, in percent.
            let grades: Vec<f64> = runs_of(&sides[0]).iter().filter_map(|run| run.grade).collect();
            let rate = grades.iter().sum::<f64>() / grades.len() as f64;
            let said = sentence.split_once(" succeeded in ").unwrap().1;
            prop_assert!((numbers(said)[0] - 100.0 * rate).abs() <= 0.5 + 1e-9, "{sentence}");
            let Expected { shared, tasks, value, ends } = expected(&sides[0], other, level());
            if tasks.contains(&0) {
                prop_assert!(is_said("t is not known whether"), "{sentence}");
                continue;
            }
            let is_paired = tasks == [shared; 2];
            prop_assert_eq!(is_said(&format!(". On the {shared} tasks that both agents have")), is_paired, "{}", sentence);
            prop_assert_eq!(is_said(". Over all runs"), !is_paired, "{}", sentence);
            let verdict = [" is better by ", " is ahead by ", " the difference is "];
            let verdict = verdict.iter().find_map(|it| sentence.rsplit_once(it)).unwrap().1;
            let said = numbers(verdict);
            prop_assert!((said[0] - 100.0 * value.abs()).abs() <= 0.5 + 1e-9, "{sentence}");
            let excludes = |[low, high]: [f64; 2]| low > 0.0 || high < 0.0;
            let says = is_said(", beyond noise");
            let Some(ends) = ends else {
                prop_assert!(is_said("t is not known whether") && !says, "{sentence}");
                continue;
            };
            prop_assert!(tasks.iter().all(|n| *n >= 6), "{}", sentence);
            let is_alike = is_said("they cannot be told apart");
            let is_open = is_alike || is_said("whether the agents differ depends on the runs without a grade");
            prop_assert_eq!(is_open, !says, "{}", sentence);
            // Of two sides alone.
            if let (true, Some(Value::Block(found))) = (is_alike, report.together.get("difference")) {
                prop_assert_eq!(json(found, "is_worse"), false, "{}", sentence);
            }
            // The rates that are said are over all tasks, so that the better side of the shared ones is named.
            let names = [0, 1].map(|at| &report.columns[at].name);
            if let [_] = others {
                let better = names[usize::from(value > 0.0)];
                let is = if says { "is better by" } else { "is ahead by" };
                prop_assert_eq!(is_said(&format!("{better} {is} ")), value.abs() > 1e-12, "{}", sentence);
            }
            // Between no correction and the strictest one, the order of the others decides.
            prop_assert!(!says || excludes(ends), "{sentence}: {ends:?}");
            let is_clear = expected(&sides[0], other, strictest).ends.is_some_and(excludes);
            let is_ungraded = |side: &Side| runs_of(side).iter().any(|run| run.grade.is_none());
            let bounded = is_ungraded(&sides[0]) || is_ungraded(other);
            prop_assert!(says || !is_clear || bounded, "{sentence}: {ends:?}");
            prop_assert_eq!(is_said("have no grade: "), bounded, "{}", sentence);
            let [low, high] = if value < -1e-12 { [-ends[1], -ends[0]] } else { ends };
            prop_assert!((said[1] - 100.0 * low).abs() <= 0.5 + 1e-9, "{sentence}: {ends:?}");
            prop_assert!((said[2] - 100.0 * high).abs() <= 0.5 + 1e-9, "{sentence}: {ends:?}");
        }
    }
}

/// Two agents with crashes, limits and repeats: what a gate on `is_worse` is given.
fn any_pair(seed: u64) -> [Side; 2] {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (tasks, trials) = (rng.random_range(8..60), rng.random_range(1..4));
    ["base", "candidate"].map(|name| {
        let (rate, lost) = (rng.random_range(0.1..0.95), rng.random_range(0.0..0.5));
        let runs = (0..tasks * trials).map(|at| {
            let passed = rng.random_bool(rate);
            match rng.random_bool(lost) {
                true if rng.random_bool(0.5) => crashed(at / trials),
                true => SideRun {
                    is_at_limit: true,
                    ungraded: Some(Ungraded::AtLimit),
                    ..run(at / trials, None)
                },
                false => run(at / trials, Some(passed)),
            }
        });
        side(name, runs.collect::<Vec<_>>())
    })
}

#[test]
fn of_200_pairs_none_passes_the_gate_that_one_reading_fails() {
    let filled = |side: &Side, grade: f64| {
        let runs = runs_of(side).into_iter().map(|run| match run.grade {
            Some(_) => run,
            None => SideRun { grade: Some(grade), ungraded: None, ..run },
        });
        Side { runs: runs.collect(), ..side.clone() }
    };
    let is_worse = |sides: &[Side], rule| {
        let report = compare_ungraded(sides, rule);
        json(block(&report.together, "difference"), "is_worse").as_bool()
    };
    let (mut failed, mut passed) = (0, 0);
    for seed in 0..200 {
        let pair = any_pair(seed);
        let gate = is_worse(&pair, UngradedAs::Unknown);
        let [base, candidate] = &pair;
        let readings = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
            .map(|[first, second]| [filled(base, first), filled(candidate, second)]);
        let mut readings: Vec<_> =
            readings.iter().map(|sides| is_worse(sides, UngradedAs::Unknown)).collect();
        readings.push(is_worse(&pair, UngradedAs::LeftOut));
        readings.push(is_worse(&pair, UngradedAs::Failed));
        // A gate without an answer is an error, which is no pass either.
        assert!(gate != Some(false) || !readings.contains(&Some(true)), "{seed}: {readings:?}");
        // Nor is it dead: where every reading passes, so does the gate.
        assert!(gate != Some(true) || readings.contains(&Some(true)), "{seed}: {readings:?}");
        failed += usize::from(gate == Some(true));
        passed += usize::from(gate == Some(false));
    }
    assert!(failed > 60 && passed > 30, "{failed} failed, {passed} passed");
}

/// The interval of all runs covers the rate of all runs, whatever made runs lose their grade: here hard tasks do so more
/// often, so that the rate of the runs with a grade is too high.
#[test]
fn the_interval_of_all_runs_covers_their_rate_whatever_became_of_the_ungraded() {
    const SETS: u64 = 1_000;
    for (tasks, lost) in [(15, 0.05), (40, 0.2), (100, 0.5)] {
        let (mut covered, mut covered_by_graded) = (0, 0);
        for set in 0..SETS {
            let mut rng = ChaCha8Rng::seed_from_u64(1_000 * tasks + set);
            let runs = (0..tasks).flat_map(|task| {
                let chance: f64 = if rng.random_bool(0.5) { 0.8 } else { 0.4 };
                let lost = if chance < 0.5 { 2.0 * lost } else { 0.0 };
                (0..2)
                    .map(|_| match rng.random_bool(lost) {
                        true => crashed(task as usize),
                        false => run(task as usize, Some(rng.random_bool(chance))),
                    })
                    .collect::<Vec<_>>()
            });
            let report = compare([side("a", runs.collect::<Vec<_>>())]);
            let block = &report.columns[0].block;
            let ends = match block.get("success_rate_all") {
                Some(Value::Bounds(_, Ok(ends))) => *ends,
                Some(Value::Figure(_, Ok(figure))) => figure.interval.unwrap(),
                other => panic!("{other:?}"),
            };
            covered += usize::from(ends.contains(0.6));
            let graded = block.figure("success_rate").unwrap().interval.unwrap();
            covered_by_graded += usize::from(graded.contains(0.6));
        }
        let [covered, by_graded] = [covered, covered_by_graded].map(|n| n as f64 / SETS as f64);
        println!(
            "{tasks} tasks, {lost} lost: {covered} of all runs, {by_graded} of those with a grade"
        );
        assert!(covered >= 0.935, "{tasks} tasks, {lost} lost: {covered}");
    }
}

/// The runs of a task, by the agent and the task's chance of success.
type Trials = fn(usize, f64) -> usize;

/// Which tasks both agents try, and how often.
struct Design {
    name: &'static str,
    /// The tasks of each agent, of which those from `hard` on are much harder than the others.
    tasks: [Range<usize>; 2],
    hard: usize,
    trials: Trials,
}

/// Runs of both agents on tasks whose chances of success differ. The chances are powers of uniform numbers, and
/// the second agent fails where the first would succeed at a rate of `loss`.
fn drawn(rng: &mut ChaCha8Rng, design: &Design, power: f64, loss: f64) -> [Side; 2] {
    let Design { tasks, hard, trials, .. } = design;
    let chance = |task| rng.random::<f64>().powf(power) * if task < *hard { 1.0 } else { 0.3 };
    let chances: Vec<f64> = (0..tasks[0].end.max(tasks[1].end)).map(chance).collect();
    let mut of = |agent: usize, keeps: f64| {
        let runs = tasks[agent]
            .clone()
            .flat_map(|task| std::iter::repeat_n(task, trials(agent, chances[task])));
        let runs: Vec<SideRun> =
            runs.map(|task| run(task, Some(rng.random_bool(chances[task] * keeps)))).collect();
        side(["alpha", "beta"][agent], runs)
    };
    [of(0, 1.0), of(1, 1.0 - loss)]
}

/// Prints the coverage of intervals of a difference and how often equal agents are called different.
#[test]
#[ignore = "minutes: 2,000 pairs for each of 245 designs"]
fn intervals_cover_the_difference_and_equal_agents_are_seldom_told_apart() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for n in [10, 20, 50, 100, 400] {
        let (once, thrice): (Trials, Trials) = (|_, _| 1, |_, _| 3);
        let design = |name, tasks, trials| Design { name, tasks, hard: usize::MAX, trials };
        let designs = [
            design("the same tasks once", [0..n, 0..n], once),
            design("the same tasks three times", [0..n, 0..n], thrice),
            design(
                "once against four times",
                [0..n, 0..n],
                |agent, _| if agent == 0 { 1 } else { 4 },
            ),
            design("hard tasks tried again by one", [0..n, 0..n], |agent, chance| {
                if agent == 1 && chance < 0.5 { 3 } else { 1 }
            }),
            Design { hard: n, ..design("as many hard tasks of one alone", [0..n, 0..2 * n], once) },
            design("no task shared", [0..n, n..2 * n], once),
            design("no task shared, three times", [0..n, n..2 * n], thrice),
        ];
        for design in designs {
            // Mean rates of 0.5, 0.8, 0.2, 0.95 and 0.05.
            for (power, loss) in [
                (1.0, 0.0),
                (1.0, 0.3),
                (0.25, 0.0),
                (4.0, 0.0),
                (0.05, 0.0),
                (19.0, 0.0),
                (0.05, 0.1),
            ] {
                let truth = -loss / (1.0 + power);
                let mut shares = |pairs: u32| {
                    let (mut covered, mut alarms) = (0_u32, 0_u32);
                    for _ in 0..pairs {
                        let sides = drawn(&mut rng, &design, power, loss);
                        let report = compare(sides);
                        alarms += u32::from(is_beyond_noise(&report));
                        covered += u32::from(of_success(&report).interval.unwrap().contains(truth));
                    }
                    [covered, alarms].map(|it| f64::from(it) / f64::from(pairs))
                };
                let [coverage, mut alarms] = shares(2_000);
                let rate = 1.0 / (1.0 + power);
                let name =
                    format!("{}, {n} tasks, rate {rate:.2}, difference {truth:.3}", design.name);
                println!("{name}: covers {coverage:.4}, beyond noise {alarms:.4}");
                // Of rates near 0 and 1, few tasks tell two agents apart, and of few tasks some are added:
                // intervals are wider than need be.
                let most = if n < 50 || !(0.1..0.9).contains(&rate) { 1.0 } else { 0.97 };
                assert!((0.93..=most).contains(&coverage), "{name}: {coverage}");
                // Of independent rows, a test of trajectory-metrics counts all outcomes.
                let is_counted = design.name == "no task shared";
                if loss == 0.0 && !is_counted && alarms > 0.06 {
                    // Of so many designs, some are above by chance: 2,000 draws have a standard error of 0.5 %.
                    alarms = shares(40_000)[1];
                    println!("{name}: of 40,000 pairs, beyond noise {alarms:.4}");
                }
                assert!(loss > 0.0 || is_counted || alarms <= 0.06, "{name}: {alarms}");
            }
        }
    }
}

/// As many tasks as there are did not find the difference, so that no smaller number is stated; one more is.
#[test]
fn the_number_of_tasks_that_is_asked_for_is_above_that_of_the_study() {
    let (mut none, mut one_more) = (0, 0);
    for n in 20..30 {
        for (gained, lost) in [(3, 1), (4, 2), (5, 2), (6, 3), (7, 4)] {
            let [first, second] = [
                side("a", (0..n).map(|task| run(task, Some(task < n / 2)))),
                side(
                    "b",
                    (0..n).map(|task| run(task, Some((lost..n / 2 + gained).contains(&task)))),
                ),
            ];
            let report = compare([first.clone(), second.clone()]);
            if is_beyond_noise(&report) {
                continue;
            }
            let runs = [runs_of(&first), runs_of(&second)].concat();
            let grades: Vec<f64> = runs.iter().map(|run| run.grade.unwrap()).collect();
            let tasks: Vec<&str> = runs.iter().map(|run| run.task.as_str()).collect();
            let arms: Vec<Arm> = (0..2 * n).map(|at| Arm::second_if(at >= n)).collect();
            let study = Difference::new(&grades, &arms, &tasks, SHARE).unwrap();
            let best = of_success(&report).interval.unwrap().high();
            let needed = study.clusters_needed(level(), 0.8, best).unwrap().unwrap();
            let said = json(block(&report.together, "difference"), "n_tasks_needed_at_best");
            assert_eq!(said.as_u64(), (needed > n as u64).then_some(needed), "{n} {gained} {lost}");
            none += usize::from(needed == n as u64);
            one_more += usize::from(needed == n as u64 + 1);
        }
    }
    assert!(none > 0 && one_more > 0, "{none} {one_more}");
}

/// With the number of tasks that is asked for, a difference is found with the chance that was asked for.
#[test]
#[ignore = "a minute: 2,000 pairs for each of 12 designs"]
fn the_number_of_tasks_that_is_asked_for_has_its_power() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let cases: [(f64, f64, Trials); 6] = [
        (1.0, 0.15, |_, _| 1),
        (1.0, 0.3, |_, _| 1),
        (1.0, 0.2, |_, _| 3),
        (0.11, 0.05, |_, _| 2),
        (0.11, 0.2, |_, _| 1),
        (9.0, 0.5, |_, _| 2),
    ];
    for (power, loss, trials) in cases {
        for is_paired in [true, false] {
            // The true difference, with the spread that a large study finds.
            let large = 40_000;
            let design = |n: usize| Design {
                name: "",
                tasks: [0..n, if is_paired { 0..n } else { n..2 * n }],
                hard: usize::MAX,
                trials,
            };
            let [first, second] = drawn(&mut rng, &design(large), power, loss);
            let rows = |side: &Side| -> Vec<f64> {
                runs_of(side).iter().map(|run| run.grade.unwrap()).collect()
            };
            let values = [rows(&first), rows(&second)].concat();
            let both = [runs_of(&first), runs_of(&second)];
            let names: Vec<&str> = both.iter().flatten().map(|run| run.task.as_str()).collect();
            let [n_first, n_second] = both.each_ref().map(Vec::len);
            let arms = [vec![Arm::First; n_first], vec![Arm::Second; n_second]].concat();
            let study = Difference::new(&values, &arms, &names, SHARE).unwrap();
            let needed = study.clusters_needed(level(), 0.8, loss / (1.0 + power)).unwrap();
            let n = needed.unwrap() as usize;
            let pairs = 2_000;
            let found = (0..pairs).filter(|_| {
                let sides = drawn(&mut rng, &design(n), power, loss);
                is_beyond_noise(&compare(sides))
            });
            let found = found.count() as f64 / f64::from(pairs);
            println!(
                "rate {:.2}, loss {loss}, {} trials, paired {is_paired}: {n} tasks, found {found:.3}",
                1.0 / (1.0 + power),
                trials(0, 0.5)
            );
            assert!((0.76..=0.84).contains(&found), "{n} tasks: {found}");
        }
    }
}

/// The interval of all runs, whatever those without a grade would have been.
fn of_all(block: &Block) -> scoring_rules::Interval {
    match block.get("success_rate_all") {
        Some(Value::Bounds(_, Ok(ends))) => *ends,
        other => panic!("{other:?}"),
    }
}

/// Planned runs of which the log does not say the task.
fn unnamed(numbers: Range<usize>) -> impl Iterator<Item = SideRun> {
    numbers.map(|number| SideRun {
        task: format!("missing run {number}"),
        ungraded: Some(Ungraded::Missing),
        is_unnamed: true,
        ..SideRun::default()
    })
}

#[test]
fn planned_runs_without_a_name_are_each_a_run_of_their_own_and_of_the_tasks_that_are_missing() {
    // The second side lost the half of its runs that it would have failed.
    let first = side("first", (0..40).map(|task| run(task, Some(task < 30))));
    let kept = (0..20).map(|task| run(task, Some(true)));
    let second = side("second", kept.chain(unnamed(1..21)));
    let report = compare([first, second]);
    let difference = block(&report.together, "difference");
    assert_eq!(json(difference, "is_worse"), serde_json::json!(true), "{:?}", report.conclusion);
    let ends = of_all(difference);
    assert!(ends.low() < -0.25 && ends.high() > 0.25, "{ends:?}");

    // The interval of all runs is that of twenty runs of unknown tasks, not of one task of twenty runs.
    let alone = side("alone", (0..20).map(|task| run(task, Some(true))).chain(unnamed(1..21)));
    let named = side(
        "named",
        (0..20).map(|task| run(task, Some(true))).chain(
            (20..40).map(|task| SideRun { ungraded: Some(Ungraded::Missing), ..run(task, None) }),
        ),
    );
    let report = compare([alone, named]);
    assert_eq!(of_all(&report.columns[0].block), of_all(&report.columns[1].block));
}

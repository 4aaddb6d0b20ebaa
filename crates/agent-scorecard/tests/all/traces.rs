//! Forecasts along runs, scored and compared as a Rust user would.

use agent_scorecard::{
    Better, Block, ClusterBy, Heading, Position, Report, Value,
    calibration::{CalibrationOptions, compare},
    censoring::StopReason,
    traces::{
        Beside, CENSORED, Calibration, MEASURES, TraceEvaluation, TraceOptions, TraceRun,
        differences, evaluate, with_differences,
    },
    trajectory_metrics::{Figure, NoInterval, Probability},
};
use proptest::prelude::*;

fn run(id: usize, forecast: f64, outcome: Option<bool>) -> TraceRun {
    TraceRun {
        id: format!("r{id}"),
        task: Some(format!("t{}", id % 10)),
        forecasts: vec![Probability::new(forecast).unwrap(); 2],
        outcome,
        stop: outcome.is_none().then(|| StopReason::from("max_steps".to_owned())),
        ..TraceRun::default()
    }
}

/// Runs of which every third succeeded, with forecasts that say so or not.
fn runs(n: usize, of_successes: f64, of_failures: f64) -> Vec<TraceRun> {
    let forecast = |i: usize| if i.is_multiple_of(3) { of_successes } else { of_failures };
    (0..n).map(|i| run(i, forecast(i), Some(i.is_multiple_of(3)))).collect()
}

fn options() -> TraceOptions {
    TraceOptions { resamples: 100, ..TraceOptions::default() }
}

fn evaluation(runs: &[TraceRun], options: &TraceOptions) -> TraceEvaluation {
    TraceEvaluation::of(runs, options).unwrap()
}

fn figures(runs: &[TraceRun]) -> Block {
    evaluate(&[runs], &options()).unwrap()
}

#[test]
fn a_column_has_every_measure_with_its_interval() {
    let block = figures(&runs(30, 0.75, 0.25));
    let value = |key: &str| block.figure(key).unwrap().value;
    assert!((value("tps_log") - 0.75_f64.ln()).abs() < 1e-15);
    assert!((value("t_brier") - 0.0625).abs() < 1e-15);
    assert_eq!((value("auroc"), block.number("n")), (1.0, Some(30.0)));
    for measure in MEASURES {
        assert!(block.figure(measure.key).is_ok(), "{}", measure.key);
    }
    assert_eq!(block.figure("tps_log").unwrap().interval, Err(NoInterval::Constant));
}

#[test]
fn t_ece_stands_beside_that_of_calibrated_forecasts_and_is_said_only_beyond_it() {
    // Of 30 runs of each forecast, the same share succeeds as it says, or 12 in place of 24 do.
    let of = |successes: [usize; 2]| -> Vec<TraceRun> {
        let run = |id: usize| {
            let (half, within) = (id / 30, id % 30);
            let forecast = [0.2, 0.8][half];
            TraceRun { task: None, ..run(id, forecast, Some(within < successes[half])) }
        };
        (0..60).map(run).collect()
    };
    let value = |block: &agent_scorecard::Block, key| block.figure(key).unwrap().value;
    for (runs, is_calibrated) in [(of([6, 24]), true), (of([6, 12]), false)] {
        let block = figures(&runs);
        let [t_ece, calibrated, excess, p] =
            ["t_ece", "t_ece_calibrated", "t_ece_excess", "t_ece_p_value"]
                .map(|key| value(&block, key));
        assert_eq!(excess, t_ece - calibrated);
        // The mean of two absolute deviations of a binomial share of 30.
        assert!((0.04..0.08).contains(&calibrated), "{calibrated}");
        assert_eq!(p > 0.05, is_calibrated, "{p}");
        let mut said = block.said(Position::Conclusion);
        let is_said = said.any(|it| it.contains("uncalibrated: T-ECE is 0.2"));
        assert_eq!(is_said, !is_calibrated, "{block:?}");
    }
    let without = TraceOptions { resamples: 0, ..options() };
    let block = evaluate(&[&of([6, 24])], &without).unwrap();
    let why = block.figure("t_ece_p_value").unwrap_err();
    assert_eq!(why.to_string(), "no resamples were asked for");
}

#[test]
fn a_difference_of_t_eces_is_undefined() {
    let both = [runs(30, 0.75, 0.25), runs(30, 0.6, 0.3)];
    let [first, second] = both.each_ref().map(|runs| evaluation(runs, &options()));
    let block = differences(&first, &second).unwrap().unwrap();
    let why = block.figure("t_ece").unwrap_err().to_string();
    assert!(why.contains("biased upwards") && why.contains("t_ece_excess"), "{why}");
    assert!(block.figure("t_ece_excess").is_err());
}

#[test]
fn no_value_of_the_censored_score_is_better_where_runs_were_cut_off() {
    let better = |runs: &[TraceRun]| match figures(runs).get(CENSORED.key) {
        Some(Value::Figure(measure, Ok(_))) => measure.better,
        other => panic!("{other:?}"),
    };
    let mut cut_off = runs(30, 0.75, 0.25);
    assert_eq!(better(&cut_off), Better::Higher);
    cut_off.push(run(30, 0.5, None));
    assert_eq!(better(&cut_off), Better::Neither);
}

#[test]
fn of_different_runs_the_better_value_is_marked_where_the_difference_excludes_0() {
    let (good, bad, same) = (runs(60, 0.8, 0.3), runs(90, 0.4, 0.6), runs(60, 0.7, 0.4));
    let report = |second: &[TraceRun]| {
        let [first, second] = [&good[..], second].map(|runs| evaluation(runs, &options()));
        let compared = differences(&first, &second).unwrap();
        let is_same = first.digest() == second.digest();
        let [first, second] = [first, second].map(|it| it.finish(&Beside::default()).unwrap());
        let columns = vec![("a".to_owned(), None, first), ("b".to_owned(), None, second)];
        with_differences(Report::of_columns(columns), vec![("", compared)], is_same, &options())
    };
    let other = report(&bad);
    assert!(!other.is_comparable && !other.decided.contains(&"aurc"), "{:?}", other.decided);
    let difference = other.together.get("difference");
    assert!(
        matches!(difference, Some(Value::Block(block)) if block.figure("tps_log").unwrap().value < 0.0)
    );
    let paired = report(&same);
    assert!(paired.is_comparable && paired.decided.is_empty());
    let few = TraceOptions { resamples: 0, ..options() };
    let [good, bad] = [&good, &bad].map(|runs| evaluation(runs, &few));
    assert!(differences(&good, &bad).unwrap().is_err());
}

#[test]
fn where_whole_tasks_are_resampled_every_run_names_one() {
    let mut all = runs(30, 0.75, 0.25);
    all[7].task = None;
    let by_task = TraceOptions { cluster_by: ClusterBy::TaskOnly, ..options() };
    let error = evaluate(&[&all], &by_task).unwrap_err();
    assert!(matches!(&error, agent_scorecard::Error::NoTask { id } if id == "r7"), "{error}");
}

#[test]
fn the_digest_has_the_runs_that_wait_for_calibration() {
    let calibrated = TraceOptions { calibration: Calibration::Platt, ..options() };
    let mut all = runs(30, 0.75, 0.25);
    all.push(run(30, 0.5, None));
    for options in [options(), calibrated] {
        let mut waiting = TraceEvaluation::new(&options).unwrap();
        all.iter().for_each(|run| waiting.update(run).unwrap());
        waiting.finish(&Beside::default()).unwrap();
        let digest = waiting.digest();
        waiting.settle().unwrap();
        assert_eq!(waiting.digest(), digest);
        assert_eq!(waiting.digest(), evaluation(&all, &options).digest());
        assert_ne!(digest, evaluation(&all[1..], &options).digest());
        let [mut first, second] = [&all[..9], &all[9..]].map(|part| {
            let mut part_of = TraceEvaluation::new(&options).unwrap();
            part.iter().for_each(|run| part_of.update(run).unwrap());
            part_of
        });
        first.merge(second).unwrap();
        assert_eq!(first.digest(), digest);
    }
}

#[test]
fn calibration_mends_forecasts_that_are_too_sure() {
    let too_sure = |i: usize| run(i, [0.99, 0.98, 0.01, 0.02][i % 4], Some(i % 5 < 2 || i % 4 < 2));
    let runs: Vec<TraceRun> = (0..80).map(too_sure).collect();
    let options = CalibrationOptions { resamples: 50, ..CalibrationOptions::default() };
    let block = compare(&runs.iter().cloned().collect(), &options).unwrap();
    let Some(Value::Block(metrics)) = block.get("metrics") else { panic!("{block:?}") };
    let Some(Value::Block(change)) = metrics.get("tps_log") else { panic!("{metrics:?}") };
    let number = |key: &str| change.number(key).unwrap();
    let error = change.figure("change").unwrap().standard_error.unwrap();
    assert!(number("change") > 0.0 && error > 0.0);
    assert!((number("calibrated") - number("raw") - number("change")).abs() < 1e-15);
    assert!(compare(&runs.into_iter().take(1).collect(), &options).is_err());
}

/// Where the interval of a figure lies: below a number, around it, above it.
fn sides(figure: &Figure, number: f64) -> [bool; 3] {
    figure.interval.map_or([false; 3], |ends| {
        let (below, above) = (ends.high() < number, ends.low() > number);
        [below, !(below || above), above]
    })
}

fn any_runs() -> impl Strategy<Value = Vec<TraceRun>> {
    let outcome = prop_oneof![4 => Just(Some(true)), 4 => Just(Some(false)), 1 => Just(None)];
    let lean = prop_oneof![Just(0.0), Just(0.4), Just(-0.4)];
    let one = (0..60_usize, 0.0..=1.0, outcome);
    (lean, prop::collection::vec(one, 0..60)).prop_map(|(lean, all)| {
        let forecast = |base: f64, outcome| base + if outcome == Some(true) { lean } else { 0.0 };
        let run = |(id, base, outcome)| run(id, forecast(base, outcome).clamp(0.01, 0.99), outcome);
        all.into_iter().map(run).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn no_sentence_says_what_its_interval_contradicts(first in any_runs(), second in any_runs()) {
        let options = TraceOptions { resamples: 60, cluster_by: ClusterBy::Run, ..options() };
        let both = [first, second].map(|runs| evaluation(&runs, &options));
        let compared = differences(&both[0], &both[1]).unwrap();
        let difference = compared.clone().ok().map(|block| block.figure("tps_log").unwrap());
        let columns = both.iter().zip(["A", "B"]).map(|(it, name)| {
            (name.to_owned(), None, it.finish(&Beside::default()).unwrap())
        });
        let report = Report::of_columns(columns.collect());
        let report = with_differences(report, vec![("", compared)], false, &options);
        for column in &report.columns {
            let mut said = column.block.said(Position::Conclusion);
            let sentence = said.next().unwrap();
            let has = |text: &str| sentence.contains(text);
            prop_assert_eq!(has("no complete run"), column.block.figure("tps_log").is_err());
            crate::confidence::check(&column.block, Some(sentence).filter(|_| !has("no complete run")))?;
            let found = column.block.figure("auroc").map_or([false; 3], |auroc| sides(&auroc, 0.5));
            let texts = ["higher on failures", "it is not clear whether forecasts tell", "; forecasts tell"].map(has);
            prop_assert_eq!(texts, found, "{}", sentence);
            let left_out = said.any(|it| it.starts_with("left out: "));
            prop_assert_eq!(left_out, column.block.number("n_censored") > Some(0.0));
        }
        let sentence = report.conclusion.iter().find(|it| it.starts_with("The log score of "));
        prop_assert_eq!(sentence.is_some(), difference.is_some());
        if let (Some(sentence), Some(difference)) = (sentence, difference) {
            let is_noise = sentence.ends_with("cannot be told apart.");
            let is_open = is_noise || sentence.contains("without an interval");
            let higher =
                |name: &str| sentence.starts_with(&format!("The log score of {name} ")) && !is_open;
            let said = [higher("A"), is_noise, higher("B")];
            prop_assert_eq!(said, sides(&difference, 0.0), "{}", sentence);
            // Runs of both with equal outcomes alone say whose forecasts are better.
            let is_beyond = sentence.contains("is beyond noise, but");
            prop_assert_eq!(sentence.ends_with(": its forecasts are better.") || is_beyond, !is_open);
        }
    }
}

#[test]
fn curves_of_several_columns_are_one_picture_with_the_base_rate_of_each() {
    let options = TraceOptions { with_pictures: true, ..options() };
    let of = |name: &str, n, of_successes, of_failures| {
        let runs = runs(n, of_successes, of_failures);
        (name.to_owned(), None, evaluation(&runs, &options).finish(&Beside::default()).unwrap())
    };
    // A third succeeds of 30 runs, and 11 do of 31.
    let same = [of("a", 30, 0.8, 0.3), of("b", 30, 0.6, 0.5)];
    let other = [of("a", 30, 0.8, 0.3), of("b", 31, 0.6, 0.5)];
    let names = ["a", "b", "perfect calibration", "base rate", "a: base rate", "b: base rate"];
    for (columns, wanted) in [(same, &[2, 3, 0, 1][..]), (other, &[2, 0, 4, 1, 5])] {
        let report =
            Report { main_pictures: vec!["reliability"], ..Report::of_columns(columns.into()) };
        let json = serde_json::to_value(&report).unwrap();
        let sections = report.drawings();
        let [drawing] = sections[0].drawings.as_slice() else { panic!("{sections:?}") };
        assert!(!sections[0].note.contains("lie in the band"), "{}", sections[0].note);
        let found = drawing.picture.series.iter().map(|series| series.name.as_str());
        assert_eq!(
            found.collect::<Vec<_>>(),
            wanted.iter().map(|at| names[*at]).collect::<Vec<_>>()
        );
        // Each number has its place in the JSON object.
        for (series, pointer) in drawing.picture.series.iter().zip(&drawing.pointers) {
            let stored: Vec<f64> =
                serde_json::from_value(json.pointer(pointer).unwrap()["y"].clone()).unwrap();
            assert_eq!(stored, series.y);
        }
        assert_eq!(report.main_drawing().as_ref(), Some(&drawing.picture));
        // Bars would hide each other.
        let bars =
            sections.iter().find(|section| section.title.starts_with("Forecasts: ")).unwrap();
        assert_eq!(bars.drawings.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }
}

#[test]
fn figures_of_single_forecasts_stand_once_in_tables_and_all_in_json() {
    let mut single = runs(30, 0.75, 0.25);
    single.iter_mut().for_each(|run| run.forecasts.truncate(1));
    let rows = |runs: &[TraceRun]| {
        let block = figures(runs);
        let report = Report::of_columns(vec![("a".to_owned(), None, block)]);
        let rows = report.tables().into_iter().flat_map(|table| table.rows);
        let names = rows.filter_map(|row| match row.heading? {
            Heading::Measure(measure) => Some(measure.label),
            Heading::Text(_) => None,
        });
        (names.collect::<Vec<_>>(), serde_json::to_value(&report).unwrap())
    };
    let verdicts = ["overconfidence", "Brier score gained over the base rate"];
    let ranking = ["AUROC", "average precision of failures", "AURC"];
    let t_ece = [
        "T-ECE",
        "T-ECE of calibrated forecasts",
        "T-ECE minus that of calibrated forecasts",
        "p-value of calibration",
    ];
    let (names, json) = rows(&single);
    let scores = ["log score", "Brier score"];
    assert_eq!(names, [&verdicts[..], &scores, &ranking, &t_ece, &scores].concat());
    let (names, all) = rows(&runs(30, 0.75, 0.25));
    let scores = ["TPS, log score", "TPS, Brier score", "TPS, beta score"];
    assert_eq!(names, [&verdicts[..], &scores, &ranking, &t_ece, &["T-Brier"], &scores].concat());
    for key in ["tps_beta_2_4", "t_brier", "tps_log_censored_simple", "base_rate_reference"] {
        assert!(!json[key].is_null() && !all[key].is_null(), "{key}");
    }
    assert_eq!(json["tps_brier"]["value"], -json["t_brier"]["value"].as_f64().unwrap());
}

#[test]
fn what_holds_for_every_column_is_concluded_once() {
    let cut = |mut runs: Vec<TraceRun>| {
        runs.push(run(30, 0.5, None));
        figures(&runs)
    };
    let columns = [("good", 0.8, 0.3), ("bad", 0.4, 0.6)];
    let columns = columns.map(|(name, of_successes, of_failures)| {
        (name.to_owned(), None, cut(runs(30, of_successes, of_failures)))
    });
    let report = Report::of_columns(columns.into());
    let [good, bad, left_out] = report.conclusion.as_slice() else { panic!("{report:?}") };
    assert!(
        good.starts_with(
            "good: over 30 runs, mean confidence is 13 points [-20, 36] above the success rate, which may be noise; "
        ) && good.ends_with("; AUROC is 1.000, where 0.5 is chance."),
        "{good}"
    );
    assert!(bad.ends_with("; AUROC is 0.000, where 0.5 is chance."), "{bad}");
    assert_eq!(left_out, "Left out: 1 run that a budget cut off.");
    assert_eq!(serde_json::to_value(&report).unwrap()["conclusion"][2], left_out.as_str());
}

/// Graded runs are scored by the expectation over an outcome that is a success with a probability equal to the grade:
/// as if each were many runs, of which that share succeeds.
#[test]
fn runs_that_succeeded_in_part_are_scored_by_the_expectation() {
    let grades = [0.0, 0.25, 0.5, 1.0, 0.75, 0.25, 1.0, 0.0];
    let options = TraceOptions { resamples: 200, ..TraceOptions::default() };
    let graded = |at: usize, outcome, grade: Option<f64>| TraceRun {
        id: format!("r{at}"),
        forecasts: [0.1 + 0.1 * at as f64, 0.9 - 0.05 * at as f64]
            .map(|it| Probability::new(it).unwrap())
            .into(),
        outcome,
        grade: grade.map(|grade| Probability::new(grade).unwrap()),
        ..TraceRun::default()
    };
    let one = |at: usize, grade: f64| match grade {
        0.0 => graded(at, Some(false), None),
        1.0 => graded(at, Some(true), None),
        grade => graded(at, None, Some(grade)),
    };
    let runs: Vec<TraceRun> = grades.iter().enumerate().map(|(at, it)| one(at, *it)).collect();
    let block = evaluate(&[&runs], &options).unwrap();
    assert_eq!((block.number("n"), block.number("n_partly_successful")), (Some(8.0), Some(4.0)));

    // Four copies of each run, of which the share of the grade succeeds.
    let copies = grades.iter().enumerate().flat_map(|(at, grade)| {
        (0..4).map(move |copy| graded(at, Some(f64::from(copy) < 4.0 * grade), None))
    });
    let copies: Vec<TraceRun> = copies.collect();
    let options_of_copies = TraceOptions { resamples: 0, ..TraceOptions::default() };
    let want = evaluate(&[&copies], &options_of_copies).unwrap();
    for key in ["tps_log", "tps_brier", "tps_beta_2_4", "overconfidence", "brier_gain"] {
        let (found, want) = (block.figure(key).unwrap(), want.figure(key).unwrap());
        assert!((found.value - want.value).abs() < 1e-12, "{key}: {found} for {want}");
    }
    assert!(block.figure("tps_log").unwrap().interval.is_ok());
    assert_eq!(block.number("base_rate"), want.number("base_rate"));
    let reason = block.figure("auroc").unwrap_err().to_string();
    assert!(reason.contains("--success-at"), "{reason}");
}

//! A metric is defined in one place: every form of a report takes it from the list of metrics.

use std::collections::BTreeMap;

use agent_scorecard::{
    Better, Metric, Report, RunCounts, Undefined,
    budget::{Answers, By, Input, Known, METRICS, Options, Recorded, column, report},
    budget_estimation::{Estimate, Level, Rollouts},
};
use agent_scorecard_cli::views;

use crate::program::says;

/// Not among the metrics of the library.
const CAUGHT: Metric<Known> = Metric::new(
    "caught_share",
    "failed runs that were caught",
    Better::Higher,
    "Share of failed runs that would be stopped.",
    |it: &Known| match it.stops.failures {
        0 => Err(Undefined::new("no run failed")),
        failures => Ok(it.stops.stopped_failures as f64 / failures as f64),
    },
)
.bar("caught");

/// Two failed runs, of which one is called impossible, and one that succeeded.
fn evaluated(metrics: &[Metric<Known>]) -> Report {
    let mut rollouts = Rollouts::new(["output_tokens"]).unwrap();
    let mut counts = RunCounts::default();
    for (id, success) in [("a", true), ("b", false), ("c", false)] {
        let index = rollouts.push(&[5.0, 7.0, 9.0], success).unwrap();
        rollouts.set_id(index, id).unwrap();
        counts.add(Some(success), None);
    }
    let answer = |estimate| BTreeMap::from([(1, Recorded { estimate, problem: None })]);
    let interval = Estimate::interval(10.0, 20.0).unwrap();
    let answers: Answers = BTreeMap::from([
        ("a".to_owned(), answer(interval)),
        ("b".to_owned(), answer(Estimate::Impossible)),
        ("c".to_owned(), answer(interval)),
    ]);
    let answers = BTreeMap::from([("output_tokens".to_owned(), answers)]);
    let by = By::Recorded { file: "answers.jsonl".to_owned(), answers };
    let level = Level::new(0.8).unwrap();
    let options = Options { with_pictures: true, ..Options::new("output_tokens", by, level) };
    let input = Input { rollouts, lengths: vec![3], achieved: Vec::new(), counts };
    report(vec![("runs.jsonl".to_owned(), column(input, &options, metrics).unwrap())], &options)
}

#[test]
fn a_metric_that_is_added_to_the_list_is_in_every_form_of_the_report() {
    let report = evaluated(&[&METRICS[..], &[CAUGHT]].concat());
    let table = views::text(&report);
    let row = table.lines().find(|line| line.starts_with("caught_share (+)"));
    assert!(row.unwrap().ends_with("0.500"), "{table}");
    assert_eq!(serde_json::to_value(&report).unwrap()["caught_share"]["value"], 0.5);
    let page = views::page(&report);
    says(
        &page,
        "failed runs that were caught (higher is better) … data-json=\"/caught_share/value\"",
    );
    assert!(page.contains(CAUGHT.measure.help));
    let picture = &report.columns[0].block.pictures["saved_and_lost"];
    let bar = picture.x.categories.iter().position(|name| name == "caught").unwrap();
    assert_eq!(picture.series[0].y[bar], 0.5);
    let failure = views::failure(&report, "caught_share < 0.6", |key| report.placed(key)).unwrap();
    assert!(failure.unwrap().ends_with("caught_share is 0.5"));
    assert_eq!(views::failure(&report, "caught_share < 0.5", |key| report.placed(key)), Ok(None));
}

#[test]
fn no_form_of_the_report_knows_a_metric_that_is_not_in_the_list() {
    let report = evaluated(&METRICS);
    for form in
        [views::text(&report), views::page(&report), serde_json::to_string(&report).unwrap()]
    {
        assert!(!form.contains("caught"), "{form}");
        assert!(form.contains("saved"), "{form}");
    }
    let error =
        views::failure(&report, "caught_share < 0.6", |key| report.placed(key)).unwrap_err();
    assert!(error.contains("does not exist"), "{error}");
}

#[test]
fn keys_are_different_and_help_is_a_sentence() {
    for (at, Metric { measure, .. }) in METRICS.iter().enumerate() {
        assert!(METRICS[..at].iter().all(|other| other.measure.key != measure.key), "{measure:?}");
        assert!(measure.help.ends_with('.') && !measure.label.is_empty(), "{measure:?}");
    }
}

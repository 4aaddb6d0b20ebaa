//! Distances of paths, rates and repeated trials against rapidfuzz, SciPy and exact fractions
//! (`golden/tool_calls.py`), and the worked example of CostBench.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use scoring_rules::Error as Shared;
use trajectory_metrics::tool_calls::{
    CallFacts, FailureClass, FailureCounts, Interner, MultisetMatch, PathDistances, TaskMean,
    ToolCall, TrialCounts, TrialOutcome, common_subsequence, cost_efficiency_score, cost_gap,
    cost_gap_without_redundant, edit_distance, interned_common_subsequence, interned_edit_distance,
    invalid_tool_use_ratio, normalized_edit_distance, order_tau, pass_at_k, pass_hat_k,
};
use trajectory_metrics::{Bootstrap, ClusterEstimate, Error, Interval, Level, Seed, Weight};

fn exact(value: f64) -> Interval {
    Interval::point(value).unwrap()
}

/// The fields of the golden rows of one kind, without the kind.
fn golden(kind: &str) -> impl Iterator<Item = Vec<&'static str>> {
    include_str!("golden/tool_calls.csv").lines().filter_map(move |line| {
        Some(line.strip_prefix(kind)?.strip_prefix(',')?.split(',').collect())
    })
}

fn numbers<T: std::str::FromStr<Err: std::fmt::Debug>>(field: &str) -> Vec<T> {
    field.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

fn number(field: &str) -> f64 {
    field.parse().unwrap()
}

fn relative_error(ours: f64, exact: f64) -> f64 {
    if ours == exact { 0.0 } else { (ours - exact).abs() / exact.abs() }
}

#[test]
fn paths_agree_with_rapidfuzz_and_scipy() {
    let mut rows = 0;
    let (mut means, mut sums) = (PathDistances::default(), [0.0; 3]);
    for row in golden("path") {
        let (a, b): (Vec<u32>, Vec<u32>) = (numbers(row[0]), numbers(row[1]));
        let (distance, common): (usize, usize) = (row[2].parse().unwrap(), row[4].parse().unwrap());
        assert_eq!(edit_distance(&a, &b), distance, "{row:?}");
        assert_eq!(interned_edit_distance(&a, &b), distance, "{row:?}");
        assert_eq!(normalized_edit_distance(&a, &b), number(row[3]), "{row:?}");
        assert_eq!(common_subsequence(&a, &b), common, "{row:?}");
        assert_eq!(interned_common_subsequence(&a, &b), common, "{row:?}");
        let tau = (!row[5].is_empty()).then(|| number(row[5]));
        match (order_tau(&a, &b), tau) {
            (Some(ours), Some(scipy)) => assert!((ours - scipy).abs() < 1e-12, "{row:?}"),
            (ours, scipy) => assert_eq!(ours, scipy, "{row:?}"),
        }
        means.update(&a, &b);
        let same = if distance == 0 { 1.0 } else { 0.0 };
        let all = [distance as f64, number(row[3]), same];
        sums.iter_mut().zip(all).for_each(|(sum, value)| *sum += value);
        // Names have the same distance as their numbers.
        let name = |calls: &[u32]| calls.iter().map(u32::to_string).collect::<Vec<_>>();
        let (a, b) = (name(&a), name(&b));
        let mut interner = Interner::default();
        let (a, b) = (interner.intern_all(&a).unwrap(), interner.intern_all(&b).unwrap());
        assert_eq!(interned_edit_distance(&a, &b), distance, "{row:?}");
        rows += 1;
    }
    assert!(rows >= 60, "{rows}");
    let means = means.finish().unwrap();
    let found = [means.edit_distance, means.normalized_edit_distance, means.exact_match_rate];
    for (found, sum) in found.into_iter().zip(sums) {
        assert!(relative_error(found, sum / f64::from(rows)) < 1e-14, "{means:?}");
        assert!(sum > 0.0 && sum != f64::from(rows), "the rows tell the means apart");
    }
}

#[test]
fn chances_over_repeated_trials_agree_with_exact_fractions() {
    let (mut rows, mut worst) = (0, 0.0_f64);
    for row in golden("pass") {
        let [n, c, k] = [0, 1, 2].map(|i| row[i].parse().unwrap());
        let at = relative_error(pass_at_k(n, c, k).unwrap(), number(row[3]));
        let hat = relative_error(pass_hat_k(n, c, k).unwrap(), number(row[4]));
        assert!(at < 1e-12 && hat < 1e-12, "{row:?}: {at:e}, {hat:e}");
        worst = worst.max(at).max(hat);
        rows += 1;
    }
    println!("{rows} rows, worst relative error {worst:e}");
    assert!(rows >= 60, "{rows}");
}

#[test]
fn a_mean_over_tasks_and_its_standard_error_agree_with_scipy() {
    let mut rows = 0;
    for row in golden("mean") {
        let values: Vec<Interval> = numbers::<f64>(row[0]).into_iter().map(exact).collect();
        let weights: Vec<f64> = numbers(row[1]);
        let mean = TaskMean::new(&values, Some(Weight::from_slice(&weights).unwrap())).unwrap();
        let found = mean.mean.as_point().unwrap();
        assert!(relative_error(found, number(row[2])) < 1e-15, "{row:?}");
        let [error, high_error] = mean.standard_errors.unwrap();
        assert_eq!(error, high_error);
        assert!(relative_error(error, number(row[3])) < 1e-12, "{row:?}");
        rows += 1;
    }
    assert_eq!(rows, 10);
}

#[test]
fn the_worked_example_of_costbench_is_reproduced() {
    // Appendix B.3.3 and figure 8.
    let (agent, optimal) = (["tool 3", "tool 4", "tool 5"], ["tool 1", "tool 2"]);
    let (agent_costs, optimal_costs) = ([22.22, 38.55, 23.56], [40.73, 42.67]);
    assert_eq!(format!("{:.2}", cost_gap(&agent_costs, &optimal_costs).unwrap()), "0.93");
    let mut paths = PathDistances::default();
    paths.update(&agent, &optimal);
    let means = paths.finish().unwrap();
    assert_eq!((means.weight, means.exact_match_rate), (1.0, 0.0));
    assert_eq!((means.edit_distance, means.normalized_edit_distance), (3.0, 1.0));
    assert_eq!(invalid_tool_use_ratio(&[true; 3]), Ok(0.0));
    let efficiency = cost_efficiency_score(84.33, 83.40).unwrap();
    assert!((efficiency - 83.40 / 84.33).abs() < 1e-15);
}

#[test]
fn the_failures_of_costbench_table_10_are_found() {
    // Attraction: decide, then a composite tool that decides again, which the caller knows.
    let call = |call| CallFacts {
        call,
        well_formed: true,
        accessible: true,
        after_goal: false,
        advanced: Some(true),
    };
    let repeated = FailureClass::of_each(&[
        call("decide"),
        CallFacts { advanced: Some(false), ..call("decide and search") },
        call("refine"),
    ]);
    assert_eq!(repeated, [None, Some(FailureClass::Repeated), None]);
    // Shopping: the goal is reached at step 3 of 6.
    let extra = FailureClass::of_each(&[1, 2, 3, 4, 5, 6].map(|step| CallFacts {
        after_goal: step > 3,
        ..call(if step > 3 { "refine" } else { "finish" })
    }));
    let counts: FailureCounts = extra.iter().copied().collect();
    assert_eq!((counts.calls, counts.extra, counts.redundant(), counts.invalid()), (6, 3, 3, 0));
}

#[test]
fn counts_of_failures_add_up_class_by_class() {
    use FailureClass::{Extra, Inaccessible, Repeated, WrongParameters};
    let of = |start: usize| -> FailureCounts {
        let classes = [Repeated, Extra, WrongParameters, Inaccessible].into_iter().enumerate();
        classes.flat_map(|(i, class)| vec![Some(class); start + i]).collect()
    };
    let mut counts = of(10);
    counts.merge(&of(100));
    let FailureCounts { calls, repeated, extra, wrong_parameters, inaccessible, .. } = counts;
    assert_eq!([calls, repeated, extra, wrong_parameters, inaccessible], [452, 110, 112, 114, 116]);
}

#[test]
fn a_run_with_a_redundant_call_has_no_gap_without_redundant_calls() {
    use FailureClass::{Extra, Inaccessible, Repeated, WrongParameters};
    let costs = [1.0, 2.0, 4.0];
    let gap = |class| cost_gap_without_redundant(&costs, &[6.0], &[None, class, None]);
    assert_eq!(cost_gap(&costs, &[6.0]), Ok(1.0));
    // A failed call is not redundant.
    for class in [None, Some(WrongParameters), Some(Inaccessible)] {
        assert_eq!(gap(class), Ok(Some(1.0)), "{class:?}");
    }
    for class in [Some(Repeated), Some(Extra)] {
        assert_eq!(gap(class), Ok(None), "{class:?}");
    }
    // A run that is left out is still checked.
    let error = cost_gap_without_redundant(&[f64::NAN], &[], &[Some(Extra)]);
    assert!(matches!(error, Err(Error::ScoringRules(_))), "{error:?}");
}

#[test]
fn a_failed_call_may_be_made_again_and_a_useful_call_is_not_a_repetition() {
    let call = CallFacts {
        call: "search",
        well_formed: true,
        accessible: true,
        after_goal: false,
        advanced: None,
    };
    let malformed = CallFacts { well_formed: false, accessible: false, after_goal: true, ..call };
    let blocked = CallFacts { accessible: false, after_goal: true, ..call };
    let useful = CallFacts { advanced: Some(true), ..call };
    let classes = FailureClass::of_each(&[malformed, blocked, call, call, useful]);
    let expected = [
        Some(FailureClass::WrongParameters),
        Some(FailureClass::Inaccessible),
        None,
        Some(FailureClass::Repeated),
        None,
    ];
    assert_eq!(classes, expected);
    let (mut all, mut rest) = (FailureCounts::default(), FailureCounts::default());
    all.extend(expected[..2].iter().copied());
    rest.extend(expected[2..].iter().copied());
    all.merge(&rest);
    assert_eq!(all, classes.into_iter().collect());
}

#[test]
fn an_unknown_trial_is_counted_and_bounded_and_never_dropped() {
    use TrialOutcome::{Censored, Failure, NotRun, Success};
    let counts: TrialCounts = [Success, Success, Failure, Censored, NotRun].into_iter().collect();
    assert_eq!((counts.trials(), counts.unknown()), (5, 2));
    let bounds = counts.pass_hat_k(2).unwrap();
    // Of ten pairs: one of two successes, or six of four.
    assert_eq!((bounds.low(), bounds.high(), bounds.as_point()), (0.1, 0.6, None));
    // Without the unknown ones it would be one pair of three.
    assert!(bounds.low() < 1.0 / 3.0 && 1.0 / 3.0 < bounds.high());
    assert_eq!(counts.pass_at_k(4).unwrap().as_point(), Some(1.0));
    assert_eq!(counts.pass_hat_k(6), Err(Error::TooFewTrials { k: 6, trials: 5 }));
    let known = TrialCounts { successes: 3, failures: 1, ..TrialCounts::default() };
    assert_eq!(known.pass_hat_k(2).unwrap(), exact(0.5));
    assert_eq!(known.with_planned(4), known);
    assert_eq!(known.with_planned(6).unknown(), 2);
    assert_eq!(known.with_planned(2), known);
}

#[test]
fn equal_tasks_have_an_interval_of_width_0_at_every_level() {
    let mean = TaskMean::new(&[exact(0.5); 3], None).unwrap();
    for level in [f64::MIN_POSITIVE, 0.95, 1.0 - f64::EPSILON / 2.0] {
        assert_eq!(mean.normal_interval(Level::new(level).unwrap()), Ok(exact(0.5)), "{level}");
    }
}

#[test]
fn an_interval_over_tasks_spans_both_ends_and_needs_two_tasks() {
    let values = [Interval::new(0.0, 0.5).unwrap(), exact(1.0), exact(0.5)];
    let mean = TaskMean::new(&values, None).unwrap();
    // origin: SciPy 1.17.1, scipy.stats.norm.ppf(0.975), 2026-11-22
    let z = 1.959_963_984_540_054;
    let level = Level::new(0.95).unwrap();
    let interval = mean.normal_interval(level).unwrap();
    assert!((interval.low() - (0.5 - z * (0.5_f64 / 6.0).sqrt())).abs() < 1e-14);
    assert!((interval.high() - (2.0 / 3.0 + z / 6.0)).abs() < 1e-14);
    let one = TaskMean::new(&values[..1], None).unwrap();
    assert_eq!(one.standard_errors, None);
    let name = "the confidence interval of a mean over tasks";
    let refused = one.normal_interval(level);
    assert!(
        matches!(refused, Err(Error::ScoringRules(Shared::Undefined { name: of, .. })) if of == name),
        "{refused:?}"
    );

    // Resampling tasks comes to about the same with many of them.
    let many: Vec<Interval> = (0..200).map(|i| exact(f64::from(i * 37 % 5) / 4.0)).collect();
    let normal = TaskMean::new(&many, None).unwrap().normal_interval(level).unwrap();
    let tasks = Bootstrap::rows(many.len(), Seed::new(3)).unwrap();
    let [resampled] = tasks.replicates(2_000, |counts| {
        let weights: Vec<f64> = counts.iter().map(|&count| count.into()).collect();
        [TaskMean::new(&many, Some(Weight::from_slice(&weights).unwrap()))
            .map(|mean| mean.mean.low())]
    });
    let resampled = resampled.unwrap().percentile_interval(level);
    assert!((resampled.low() - normal.low()).abs() < 0.01, "{resampled:?} {normal:?}");
    assert!((resampled.high() - normal.high()).abs() < 0.01, "{resampled:?} {normal:?}");
}

#[test]
fn undefined_results_and_invalid_arguments_are_errors_that_name_them() {
    let setting = |result: Result<f64, Error>| match result {
        Err(Error::ScoringRules(Shared::Setting { name, .. })) => name,
        other => unreachable!("{other:?}"),
    };
    assert_eq!(setting(pass_at_k(3, 4, 1)), "number of successes");
    assert_eq!(setting(pass_hat_k(3, 1, 0)), "k");
    assert_eq!(pass_hat_k(0, 0, 1), Err(Error::TooFewTrials { k: 1, trials: 0 }));
    assert_eq!(invalid_tool_use_ratio(&[]), Err(Shared::Empty.into()));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(setting(cost_efficiency_score(bad, 1.0)), "actual cost");
    }
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(setting(cost_efficiency_score(1.0, bad)), "optimal cost");
        assert_eq!(Interval::point(bad).is_err(), bad.is_nan());
    }
    let unbounded = Interval::new(0.0, f64::INFINITY).unwrap();
    let not_finite =
        |result| matches!(result, Err(Error::ScoringRules(Shared::Entry { index: 1, .. })));
    assert!(not_finite(TaskMean::new(&[exact(0.5), unbounded], None).map(|mean| mean.mean.high())));
    for (actual, reference) in [([1.0, f64::NAN], [1.0; 2]), ([1.0; 2], [1.0, f64::INFINITY])] {
        let Err(Error::ScoringRules(error)) = cost_gap(&actual, &reference) else {
            unreachable!("the second cost is not finite")
        };
        assert!(matches!(error, Shared::NotFiniteAt { index: 1, .. }), "{error:?}");
    }
    assert!(matches!(cost_gap(&[f64::MAX, f64::MAX], &[]), Err(Error::ScoringRules(_))));
    assert_eq!(cost_gap(&[f64::MAX, f64::MAX], &[f64::MAX]), Ok(f64::MAX));
    let classes = cost_gap_without_redundant(&[1.0], &[], &[]);
    assert_eq!(classes, Err(Shared::Length { what: "classes", expected: 1, found: 0 }.into()));
    assert_eq!(TaskMean::new(&[], None), Err(Shared::Empty.into()));
    assert!(
        TrialCounts::by_task(&["a"], &[])
            .is_err_and(|error| matches!(error, Error::ScoringRules(Shared::Length { .. })))
    );
}

#[test]
fn multisets_count_each_call_once() {
    let found = MultisetMatch::new(&["a", "b", "a", "c"], &["a", "a", "a", "b"]);
    assert_eq!((found.common, found.actual, found.reference), (3, 4, 4));
    assert_eq!(found.f1(), Some(0.75));
    let none = MultisetMatch::new::<&str>(&[], &[]);
    assert_eq!((none.precision(), none.recall(), none.f1()), (None, None, None));
}

#[test]
fn every_function_over_calls_accepts_calls_with_arguments() {
    let look = |id: i64| ToolCall::new("look", [("id", id.into())]);
    let same = ToolCall::new("look", [("id", 1.0.into())]);
    let book = ToolCall::new("book", [("id", 1.into())]);
    // Two integers that are the same f64 number.
    let (near, far) = (look(9_007_199_254_740_992), look(9_007_199_254_740_993));
    let actual = [look(1), near.clone(), book.clone()];
    let reference = [book.clone(), same.clone(), far.clone()];
    assert_eq!(MultisetMatch::new(&actual, &reference).common, 2);
    assert_eq!(order_tau(&actual, &reference), Some(-1.0));
    assert_eq!(
        (edit_distance(&actual, &reference), common_subsequence(&actual, &reference)),
        (3, 1)
    );
    let mut interner = Interner::default();
    assert_eq!(
        interner.intern_all([look(1), same.clone(), near, far, book]),
        Ok(vec![0, 0, 1, 2, 3])
    );
    let sound = |call| CallFacts {
        call,
        well_formed: true,
        accessible: true,
        after_goal: false,
        advanced: None,
    };
    let classes = FailureClass::of_each(&[look(1), look(2), same].map(sound));
    assert_eq!(classes, [None, None, Some(FailureClass::Repeated)]);
}

#[test]
fn a_standard_error_whose_denominator_is_rounding_is_undefined() {
    let values = [0.0, 1.0, 0.5, 0.25].map(exact);
    // These weights sum to 1 plus a rounding error.
    let rounded = TaskMean::new(
        &values,
        Some(Weight::from_slice(&[0.7, 0.1, 0.1, 0.100_000_000_000_000_3]).unwrap()),
    )
    .unwrap();
    assert_eq!(rounded.standard_errors, None);
    assert!((rounded.mean.low() - 0.175).abs() < 1e-15);
    let refused = rounded.normal_interval(Level::HALF);
    assert!(matches!(refused, Err(Error::ScoringRules(Shared::Undefined { .. }))), "{refused:?}");
    let error = |excess: f64| {
        TaskMean::new(
            &values,
            Some(Weight::from_slice(&[0.25, 0.25, 0.25, 0.25 + excess]).unwrap()),
        )
        .unwrap()
        .standard_errors
    };
    assert!(error(0.9e-9).is_none() && error(1.1e-9).is_some());
}

#[test]
fn weights_are_copies_of_tasks_here_and_rows_of_one_cluster_in_cluster_mean() {
    let (values, weights) = ([0.0, 1.0, 0.5], [2.0, 1.0, 1.0]);
    let copies =
        TaskMean::new(&values.map(exact), Some(Weight::from_slice(&weights).unwrap())).unwrap();
    let rows = ClusterEstimate::mean(
        &values,
        Some(Weight::from_slice(&weights).unwrap()),
        &["a", "b", "c"],
    )
    .unwrap();
    assert_eq!((copies.mean, rows.estimate), (exact(0.375), 0.375));
    // Spread 11/16 over 4 * 3; and 3/2 of squared sums 9/16 + 25/64 + 1/64 over 4^2.
    assert!((copies.standard_errors.unwrap()[0] - (11.0_f64 / 192.0).sqrt()).abs() < 1e-15);
    assert!((rows.standard_error - (1.5 * 62.0 / 64.0 / 16.0_f64).sqrt()).abs() < 1e-15);
}

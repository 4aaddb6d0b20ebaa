//! Distances of paths, rates and repeated trials against rapidfuzz, SciPy and exact fractions
//! (`golden/tool_calls.py`), and the worked example of CostBench.
use scoring_rules::Error as Shared;
use trajectory_metrics::Error;
use trajectory_metrics::tool_calls::{
    CallFacts, FailureClass, FailureCounts, Interner, MultisetMatch, PathDistances, ToolCall,
    cost_gap, cost_gap_without_redundant, edit_distance, interned_edit_distance,
    invalid_tool_use_ratio, normalized_edit_distance, pass_at_k, pass_hat_k,
};

use crate::common::{numbers, refused};

/// The fields of the golden rows of one kind, without the kind.
fn golden(kind: &str) -> impl Iterator<Item = Vec<&'static str>> {
    include_str!("../golden/tool_calls.csv").lines().filter_map(move |line| {
        Some(line.strip_prefix(kind)?.strip_prefix(',')?.split(',').collect())
    })
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
        let distance: usize = row[2].parse().unwrap();
        assert_eq!(edit_distance(&a, &b), distance, "{row:?}");
        assert_eq!(interned_edit_distance(&a, &b), distance, "{row:?}");
        assert_eq!(normalized_edit_distance(&a, &b), number(row[3]), "{row:?}");
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
}

/// A call without a failure before the goal is reached.
fn sound<T>(call: T) -> CallFacts<T> {
    CallFacts { call, well_formed: true, accessible: true, after_goal: false, advanced: None }
}

#[test]
fn the_failures_of_costbench_table_10_are_found() {
    // Attraction: decide, then a composite tool that decides again, which the caller knows.
    let call = |call| CallFacts { advanced: Some(true), ..sound(call) };
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
    let call = sound("search");
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
fn undefined_results_and_invalid_arguments_are_errors_that_name_them() {
    assert_eq!(refused(pass_at_k(3, 4, 1)), "number of successes");
    assert_eq!(refused(pass_hat_k(3, 1, 0)), "k");
    assert!(matches!(pass_hat_k(0, 0, 1), Err(Error::TooFewTrials { k: 1, trials: 0, .. })));
    assert_eq!(invalid_tool_use_ratio(&[]), Err(Shared::Empty.into()));
    for (actual, reference) in [([1.0, f64::NAN], [1.0; 2]), ([1.0; 2], [1.0, f64::INFINITY])] {
        let Err(Error::ScoringRules(error)) = cost_gap(&actual, &reference) else {
            unreachable!("the second cost is not finite")
        };
        assert!(matches!(error, Shared::NotFiniteAt { index: 1, .. }), "{error:?}");
    }
    assert!(matches!(cost_gap(&[f64::MAX, f64::MAX], &[]), Err(Error::ScoringRules(_))));
    assert_eq!(cost_gap(&[f64::MAX, f64::MAX], &[f64::MAX]), Ok(f64::MAX));
    let classes = cost_gap_without_redundant(&[1.0], &[], &[]);
    assert_eq!(classes, Err(scoring_rules::checks::length("classes", 1, 0).into()));
}

#[test]
fn multisets_count_each_call_once() {
    let found = MultisetMatch::new(&["a", "b", "a", "c"], &["a", "a", "a", "b"]);
    assert_eq!((found.common, found.actual, found.reference), (3, 4, 4));
    let none = MultisetMatch::new::<&str>(&[], &[]);
    assert_eq!((none.precision(), none.recall()), (None, None));
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
    assert_eq!(edit_distance(&actual, &reference), 3);
    let mut interner = Interner::default();
    assert_eq!(
        interner.intern_all([look(1), same.clone(), near, far, book]),
        Ok(vec![0, 0, 1, 2, 3])
    );
    let classes = FailureClass::of_each(&[look(1), look(2), same].map(sound));
    assert_eq!(classes, [None, None, Some(FailureClass::Repeated)]);
}

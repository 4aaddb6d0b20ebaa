//! AUROC of two models: on the same rows, and on different runs of the same tasks.
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use scoring_rules::Error as Shared;
use trajectory_metrics::{ClusterEstimate, Error, Figure, TiedBlocks, auroc};

use crate::common::{arms, is_one, level_of, ps, ws};

#[test]
fn two_models_with_different_outcomes_in_a_row_are_not_compared_as_if_they_were_paired() {
    let (first, second) = ([0.9, 0.2, 0.6, 0.3, 0.8], [0.7, 0.1, 0.5, 0.6, 0.9]);
    let (ours, theirs) = ([true, false, true, false, true], [true, false, false, false, true]);
    let (first, second) = (ps(&first), ps(&second));
    let test = |theirs: &[bool]| Figure::auroc_difference(first, &ours, second, theirs, None);
    assert!(matches!(test(&theirs), Err(Error::OutcomeDiffers { index: 2, .. })));
    let length = |what, found| Err(scoring_rules::checks::length(what, 5, found).into());
    assert_eq!(test(&ours[..4]), length("second_outcomes", 4));
    let short = Figure::auroc_difference(first, &ours[..3], second, &ours[..3], None);
    assert_eq!(short, length("first_outcomes", 3));
    assert!(test(&ours).is_ok());
}

proptest! {
    #[test]
    fn with_one_row_of_both_models_per_task_the_clustered_error_equals_delongs(
        rows in prop::collection::vec((0..30_u32, 0..30_u32, any::<bool>()), 4..60),
    ) {
        let n = rows.len();
        let outcomes: Vec<bool> = rows.iter().map(|row| row.2).collect();
        let successes = outcomes.iter().filter(|&&outcome| outcome).count();
        prop_assume!(successes >= 2 && n - successes >= 2);
        let share = |value: u32| f64::from(value) / 29.0;
        let first: Vec<f64> = rows.iter().map(|row| share(row.0)).collect();
        let second: Vec<f64> = rows.iter().map(|row| share(row.1)).collect();
        let paired = Figure::auroc_difference(
            ps(&first), &outcomes, ps(&second), &outcomes, None,
        ).unwrap();
        let both = [first, second].concat();
        let all_outcomes = [&outcomes[..], &outcomes].concat();
        let is_second: Vec<bool> = (0..2 * n).map(|row| row >= n).collect();
        let tasks: Vec<usize> = (0..2 * n).map(|row| row % n).collect();
        let clustered = ClusterEstimate::auroc_difference(
            ps(&both), &all_outcomes, &arms(&is_second), None, &tasks,
        ).unwrap();
        prop_assert!((clustered.estimate + paired.value).abs() <= 1e-14);
        prop_assert!((clustered.standard_error - paired.standard_error.unwrap()).abs() <= 1e-13);
        prop_assert_eq!(clustered.clusters, n);
    }
}

#[test]
fn a_sample_without_variance_over_tasks_is_a_typed_error() {
    let confidence = [0.9, 0.2, 0.6, 0.7];
    let of = |outcomes: &[bool], second: &[bool], tasks: &[&str]| {
        ClusterEstimate::auroc_difference(ps(&confidence), outcomes, &arms(second), None, tasks)
    };
    let (outcomes, second) = ([true, false, true, false], [false, false, true, true]);
    let success = "the first model's clusters with a success";
    assert!(is_one(of(&outcomes, &second, &["a"; 4]), success));
    let tasks = ["a", "b", "c", "b"];
    assert!(is_one(of(&outcomes, &second, &tasks), success));
    assert!(matches!(
        of(&[true; 4], &second, &["a", "b", "a", "b"]),
        Err(Error::OneClass { outcome: true, .. })
    ));
    assert_eq!(of(&outcomes, &[true; 4], &tasks), Err(Shared::Empty.into()));
    let short = of(&outcomes, &second[..2], &tasks);
    assert_eq!(short, Err(scoring_rules::checks::length("arms", 4, 2).into()));
}

/// Two models on the same tasks. A task is hard for both, and shifts their confidences alike; runs
/// differ.
#[test]
fn a_95_percent_interval_of_the_difference_covers_the_truth_about_95_times_in_100() {
    let mut generator = ChaCha8Rng::seed_from_u64(5);
    let mut normal = || -> f64 { StandardNormal.sample(&mut generator) };
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let mut sample = |tasks: usize| {
        let (mut confidence, mut outcomes, mut second, mut groups) =
            (vec![], vec![], vec![], vec![]);
        for task in 0..tasks {
            let (hard, mood) = (normal(), 0.7 * normal());
            for (model, noise) in [(false, 1.5), (true, 0.7)] {
                for _ in 0..3 {
                    let skill = hard + normal();
                    confidence.push(sigmoid(skill + mood + noise * normal()));
                    outcomes.push(skill + 0.5 * normal() > 0.0);
                    second.push(model);
                    groups.push(task);
                }
            }
        }
        (confidence, outcomes, second, groups)
    };
    // The truth from a sample so large that its error is a tenth of that of one set.
    let (confidence, outcomes, second, _) = sample(20_000);
    let area = |model: bool| {
        let rows: Vec<usize> = (0..second.len()).filter(|&row| second[row] == model).collect();
        let of: Vec<f64> = rows.iter().map(|&row| confidence[row]).collect();
        let outcomes: Vec<bool> = rows.iter().map(|&row| outcomes[row]).collect();
        auroc(&TiedBlocks::new(ps(&of), &outcomes, None).unwrap()).unwrap()
    };
    let truth = area(true) - area(false);
    let level = level_of(0.95);
    let (sets, mut covered, mut errors, mut squares) = (600, 0, 0.0, 0.0);
    for _ in 0..sets {
        let (confidence, outcomes, second, groups) = sample(50);
        let of = ClusterEstimate::auroc_difference(
            ps(&confidence),
            &outcomes,
            &arms(&second),
            None,
            &groups,
        );
        let of = of.unwrap();
        let interval = of.interval(level).unwrap();
        covered += u32::from(interval.low() <= truth && truth <= interval.high());
        errors += of.standard_error.powi(2);
        squares += (of.estimate - truth).powi(2);
    }
    let share = f64::from(covered) / f64::from(sets);
    let ratio = (errors / squares).sqrt();
    println!("difference {truth:.3}: covered {share:.3}, estimated over true error {ratio:.3}");
    // Three standard errors of a share of 0.95 in 600 sets are 0.027, of the ratio about 0.09.
    assert!((share - 0.95).abs() < 0.027, "{share}");
    assert!((ratio - 1.0).abs() < 0.09, "{ratio}");
}

#[test]
fn a_model_with_all_its_rows_in_one_task_has_no_standard_error() {
    let confidence = [0.5, 0.6, 0.9, 0.3, 0.9, 0.1, 0.9, 0.1, 0.9, 0.1];
    let outcomes: Vec<bool> = (0..10).map(|row| row % 2 == 0).collect();
    let first_in_a = [false, false, false, false, true, true, true, true, true, true];
    let tasks = ["a", "a", "a", "a", "b", "b", "c", "c", "d", "d"];
    let of = |second: &[bool], weights: Option<&[f64]>, tasks: &[&str]| {
        let weights = weights.map(ws);
        ClusterEstimate::auroc_difference(ps(&confidence), &outcomes, &arms(second), weights, tasks)
            .map(drop)
    };
    let second_in_a = first_in_a.map(|second| !second);
    assert!(is_one(of(&first_in_a, None, &tasks), "the first model's clusters with a success"));
    assert!(is_one(of(&second_in_a, None, &tasks), "the second model's clusters with a success"));
    let tasks = ["a", "a", "a2", "a", "b", "b", "c", "c", "d", "d"];
    assert!(is_one(of(&first_in_a, None, &tasks), "the first model's clusters with a failure"));
    let tasks = ["a", "a", "a2", "a2", "b", "b", "c", "c", "d", "d"];
    assert_eq!(of(&first_in_a, None, &tasks), Ok(()));
    // A row of weight 0 has no effect.
    let mut weights = [1.0; 10];
    weights[2] = 0.0;
    let error = of(&first_in_a, Some(&weights), &tasks);
    assert!(is_one(error, "the first model's clusters with a success"));
}

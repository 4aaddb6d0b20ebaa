use proptest::{collection::vec, prelude::*};
use scoring_rules::Error as Shared;
use trajectory_metrics::{
    Bootstrap, ClusterEstimate, Error, Ranking, Replicates, Seed, SignFlipTest, TiedBlocks, auroc,
};

use crate::common::{arms, counted_mean, ps, ws};

pub(crate) fn same(fast: &Result<Replicates, Error>, slow: &Result<Replicates, Error>) {
    match (fast, slow) {
        (Ok(fast), Ok(slow)) => {
            assert!((fast.estimate() - slow.estimate()).abs() <= 1e-12);
            assert_eq!(fast.values().len(), slow.values().len());
            for (fast, slow) in fast.values().zip(slow.values()) {
                let close = match (fast, slow) {
                    (Some(fast), Some(slow)) => (fast - slow).abs() <= 1e-12,
                    (fast, slow) => fast == slow,
                };
                assert!(close, "{fast:?} {slow:?}");
            }
            // The same draws, so that the two can be compared.
            fast.minus(slow).unwrap();
        }
        (fast, slow) => assert_eq!(fast.as_ref().err(), slow.as_ref().err()),
    }
}

/// Whether a mean has only one cluster of positive weight, which a closure on counts cannot know.
fn few_clusters(mean: &Result<Replicates, Error>) -> bool {
    matches!(mean, Err(Error::ScoringRules(Shared::TooFew { .. })))
}

/// By row, by row with names, by task.
pub(crate) fn bootstraps(n: usize, seed: u64) -> [Bootstrap; 3] {
    let names: Vec<usize> = (0..n).rev().collect();
    let tasks: Vec<usize> = (0..n).map(|row| row % (n / 3 + 2)).collect();
    [
        Bootstrap::rows(n, Seed(seed)).unwrap(),
        Bootstrap::clusters(&names, Seed(seed)).unwrap(),
        Bootstrap::clusters(&tasks, Seed(seed)).unwrap(),
    ]
}

type Row = (f64, bool, u32);

fn some_rows() -> impl Strategy<Value = Vec<Row>> {
    let confidence = prop_oneof![0.0..=1.0_f64, (0..=5_u32).prop_map(|p| f64::from(p) / 5.0)];
    vec((confidence, any::<bool>(), 0..4_u32), 2..40)
}

proptest! {
    #[test]
    fn the_fast_mean_and_auroc_equal_closures_on_counts(rows in some_rows(), seed in any::<u64>()) {
        let values: Vec<f64> = rows.iter().map(|row| row.0).collect();
        let outcomes: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let weights: Vec<f64> = rows.iter().map(|row| row.2.into()).collect();
        let equal = vec![1.0; rows.len()];
        let ranking = Ranking::new(ps(&values), &outcomes).unwrap();
        for bootstrap in bootstraps(rows.len(), seed) {
            let [plain, weighted, area] = bootstrap.replicates(20, |counts| {
                let mut blocks = TiedBlocks::default();
                [
                    counted_mean(&values, &equal, counts),
                    counted_mean(&values, &weights, counts),
                    ranking.resample(counts, &mut blocks).and_then(|()| auroc(&blocks)),
                ]
            });
            same(&bootstrap.mean(&values, None, 20), &plain);
            let fast = bootstrap.mean(&values, Some(ws(&weights)), 20);
            if !few_clusters(&fast) {
                same(&fast, &weighted);
            }
            same(&bootstrap.auroc(&ranking, 20), &area);
        }
    }

    #[test]
    fn a_weight_of_2_equals_the_row_twice_in_any_order(
        rows in vec((-3.0..3.0_f64, any::<bool>(), any::<bool>(), 0..9_u32, 0..3_usize), 2..30),
    ) {
        type Row = (f64, bool, bool, u32, usize);
        let weights: Vec<f64> = rows.iter().map(|row| [1.0, 2.0, 0.0][row.4]).collect();
        let mut twice: Vec<Row> = rows.iter().flat_map(|row| vec![*row; [1, 2, 0][row.4]]).collect();
        let of = |rows: &[Row], weights: Option<&[f64]>| {
            let (values, second, outcomes, groups, _): (Vec<f64>, Vec<_>, Vec<_>, Vec<_>, Vec<_>) =
                rows.iter().copied().collect();
            let steps: Vec<f64> = values.iter().map(|value| 4.0 + value).collect();
            // With ties.
            let confidence: Vec<f64> = values.iter().map(|value| (value + 3.0).round() / 6.0).collect();
            let (weights, arms) = (weights.map(ws), arms(&second));
            let test = SignFlipTest::new(&values, weights, &groups, 99, Seed(1));
            let estimates = [
                ClusterEstimate::mean(&values, weights, &groups),
                ClusterEstimate::ratio(&values, &steps, weights, &groups),
                ClusterEstimate::difference(&values, &arms, weights, &groups),
                ClusterEstimate::auroc_difference(ps(&confidence), &outcomes, &arms, weights, &groups),
            ];
            (estimates, test)
        };
        let (weighted, test) = of(&rows, Some(&weights));
        let (copied, test_of_copies) = of(&twice, None);
        for ((weighted, copied), limit) in weighted.iter().zip(&copied).zip([1e-12, 1e-12, 1e-12, 1e-13]) {
            match (weighted, copied) {
                (Ok(a), Ok(b)) => {
                    prop_assert!((a.estimate - b.estimate).abs() <= limit);
                    prop_assert!((a.standard_error - b.standard_error).abs() <= limit);
                    prop_assert_eq!(a.clusters, b.clusters);
                }
                (a, b) => prop_assert_eq!(a.as_ref().err(), b.as_ref().err()),
            }
        }
        match (test, &test_of_copies) {
            (Ok(a), Ok(b)) => prop_assert_eq!((a.p_value, a.clusters), (b.p_value, b.clusters)),
            (a, b) => prop_assert_eq!(a, b.clone()),
        }
        twice.reverse();
        prop_assert_eq!(of(&twice, None), (copied, test_of_copies));
    }

    #[test]
    fn a_weight_of_2_is_the_row_twice_in_its_cluster_when_it_is_resampled(
        rows in vec((-3.0..3.0_f64, 0..9_u32, 1..3_usize), 2..30), seed in any::<u64>(),
    ) {
        prop_assume!(rows.iter().any(|row| row.1 != rows[0].1));
        let part = |rows: &[(f64, u32, usize)]| -> (Vec<f64>, Vec<u32>, Vec<f64>) {
            let weights = rows.iter().map(|row| row.2 as f64).collect();
            (rows.iter().map(|row| row.0).collect(), rows.iter().map(|row| row.1).collect(), weights)
        };
        let twice: Vec<_> = rows.iter().flat_map(|row| vec![*row; row.2]).collect();
        let (values, groups, weights) = part(&rows);
        let (copies, groups_of_copies, _) = part(&twice);
        let weighted = Bootstrap::clusters(&groups, Seed(seed)).unwrap().mean(&values, Some(ws(&weights)), 20);
        let copied = Bootstrap::clusters(&groups_of_copies, Seed(seed)).unwrap().mean(&copies, None, 20);
        for (a, b) in weighted.unwrap().values().zip(copied.unwrap().values()) {
            prop_assert_eq!(a.unwrap().to_bits(), b.unwrap().to_bits());
        }
    }

    #[test]
    fn a_row_of_its_own_cluster_gives_the_textbook_standard_error(values in vec(-3.0..3.0_f64, 2..40)) {
        let n = values.len() as f64;
        let ids: Vec<usize> = (0..values.len()).collect();
        let of = ClusterEstimate::mean(&values, None, &ids).unwrap();
        let squares: f64 = values.iter().map(|value| (value - of.estimate).powi(2)).sum();
        let textbook = (squares / (n - 1.0) / n).sqrt();
        prop_assert!((of.standard_error - textbook).abs() <= 1e-13);
    }
}

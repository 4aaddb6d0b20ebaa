use scoring_rules::{Probability, TiedBlocks, Weight};

use crate::{
    checks::{at_least_two, same_length},
    error::Error,
    ranks::{areas::auroc, delong::Placements},
    resampling::{arm::Arm, cluster_estimate::ClusterEstimate, clustered_rows::ClusteredRows},
};

impl ClusterEstimate {
    /// Returns the AUROC of a second model minus the AUROC of a first model. Each is computed from the model's own
    /// runs of the same tasks. The standard error takes into account that runs of one task depend on each other.
    ///
    /// For two models that made different runs: the rows of both models are in one list, the arm of
    /// a row is its model, and `clusters` contains the task of each row. A task may have any
    /// number of runs of either model. For two confidences of the same rows, use
    /// [`Figure::auroc_difference`](crate::Figure::auroc_difference).
    ///
    /// With the placements of [`Figure::auroc`](crate::Figure::auroc) within each model, the contribution of task g
    /// to the difference is a sum over its successes plus a sum over its failures:
    ///
    /// ```text
    /// a_g = sum over successes of ± (placement - AUROC) / successes     + second model, - first model
    /// b_g = sum over failures  of ± (placement - AUROC) / failures
    /// variance = S/(S - 1) sum of a_g^2 + F/(F - 1) sum of b_g^2 + 2 G/(G - 1) sum of a_g b_g
    /// ```
    ///
    /// over G tasks, of which S have a success and F have a failure. If each task has one row of each
    /// model, this is DeLong's variance of the paired difference. Reliable with many tasks, about 40. A
    /// weight of 2 counts the row twice in its task.
    ///
    /// Cost: sorts, O(n log n).
    ///
    /// Reference: Obuchowski (1997), Nonparametric analysis of clustered ROC curve data,
    /// doi:10.2307/2533958.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless outcomes, arms, clusters, and weights if given, have one
    /// entry per row; [`Error::OneClass`] if a model has no failure or no success;
    /// [`Error::ScoringRules`] if a model has no rows, or if fewer than two tasks have a success, or a
    /// failure, of either model.
    ///
    /// ```
    /// use trajectory_metrics::{Arm, ClusterEstimate, Error, Level, Probability};
    ///
    /// let confidence = Probability::from_slice(&[0.9, 0.2, 0.6, 0.7, 0.6, 0.5, 0.8, 0.3])?;
    /// let outcomes = [true, false, true, false, true, false, true, false];
    /// let arms = [[Arm::First; 4], [Arm::Second; 4]].concat();
    /// let tasks = ["a", "a", "b", "b", "a", "a", "b", "b"];
    /// let gain = ClusterEstimate::auroc_difference(confidence, &outcomes, &arms, None, &tasks)?;
    /// assert_eq!((gain.estimate, gain.clusters), (0.25, 2));
    /// assert!(gain.interval(Level::new(0.9)?)?.low() < 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Outcomes instead of arms do not compile:
    ///
    /// ```compile_fail
    /// use trajectory_metrics::{Arm, ClusterEstimate, Probability};
    ///
    /// let confidence = [Probability::HALF; 2];
    /// let (outcomes, arms) = ([true, false], [Arm::First, Arm::Second]);
    /// let gain = ClusterEstimate::auroc_difference(&confidence, &arms, &outcomes, None, &["a", "b"]);
    /// ```
    pub fn auroc_difference<G: Ord>(
        confidence: &[Probability],
        outcomes: &[bool],
        arms: &[Arm],
        weights: Option<&[Weight]>,
        clusters: &[G],
    ) -> Result<Self, Error> {
        let n = confidence.len();
        same_length("outcomes", n, outcomes.len())?;
        same_length("arms", n, arms.len())?;
        let from_second: Vec<bool> = arms.iter().map(|arm| *arm == Arm::Second).collect();
        let rows = ClusteredRows::new(n, weights, clusters)?;
        let mut parts = vec![0.0; n];
        let mut areas = [0.0; 2];
        for (model, area) in [false, true].into_iter().zip(&mut areas) {
            // Rows of the other model have weight 0.
            let weight = |row: usize| weights.map_or(Weight::ONE, |weights| weights[row]);
            let counted: Vec<Weight> = (0..n)
                .map(|row| if from_second[row] == model { weight(row) } else { Weight::ZERO })
                .collect();
            let blocks = TiedBlocks::new(confidence, outcomes, Some(&counted))?;
            *area = auroc(&blocks)?;
            let (failures, successes) = (blocks.failures(), blocks.successes());
            let placements = Placements::new(&blocks);
            let sign = if model { 1.0 } else { -1.0 };
            for row in (0..n).filter(|&row| from_second[row] == model) {
                let [own, other] =
                    if outcomes[row] { [successes, failures] } else { [failures, successes] };
                let below = placements.of(confidence[row], outcomes[row]) / (2.0 * other);
                let placement = if outcomes[row] { below } else { 1.0 - below };
                parts[row] = sign * (placement - *area) / own;
            }
        }
        let clusters_with = |wanted: &dyn Fn(usize) -> bool| {
            let counts = rows.cluster_sums(|row| f64::from(u8::from(wanted(row))));
            counts.iter().filter(|&&count| count > 0.0).count()
        };
        // The contributions of a single cluster of a model sum to 0 for any ranking.
        for (what, model, outcome) in [
            ("the first model's clusters with a success", false, true),
            ("the first model's clusters with a failure", false, false),
            ("the second model's clusters with a success", true, true),
            ("the second model's clusters with a failure", true, false),
        ] {
            let found = clusters_with(&|row| from_second[row] == model && outcomes[row] == outcome);
            at_least_two(what, found)?;
        }
        let of = |outcome: bool| {
            let sums =
                rows.cluster_sums(|row| if outcomes[row] == outcome { parts[row] } else { 0.0 });
            (sums, clusters_with(&|row| outcomes[row] == outcome))
        };
        let ((successes, with_success), (failures, with_failure)) = (of(true), of(false));
        let factor = |clusters: usize| clusters as f64 / (clusters - 1) as f64;
        let products = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let variance = factor(with_success) * products(&successes, &successes)
            + factor(with_failure) * products(&failures, &failures)
            + 2.0 * factor(successes.len()) * products(&successes, &failures);
        // Only rounding can make the variance negative.
        let error = variance.max(0.0).sqrt();
        let clusters = successes.len();
        let error = if error <= ROUNDING { 0.0 } else { error };
        Ok(Self::new(areas[1] - areas[0], error, clusters, (clusters - 1) as f64))
    }
}

/// A standard error of an area below this is rounding.
const ROUNDING: f64 = 1e-14;

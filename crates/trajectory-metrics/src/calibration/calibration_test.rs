use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use scoring_rules::{Binning, Probability, Seed, TiedBlocks, Weight};

use crate::{
    calibration::calibration_error::expected_calibration_error,
    checks::{at_least_two, same_length, setting},
    error::Error,
    random::unit,
    resampling::bootstrap,
};

/// A test of calibration. It compares the expected calibration error with the errors that a calibrated forecaster with
/// the same confidences would have.
///
/// The expected calibration error of a sample is above 0 even for calibrated forecasts, and larger for fewer rows, so that
/// the error without a reference says little.
///
/// ```
/// use trajectory_metrics::{Binning, CalibrationTest, Error, Probability, Seed};
///
/// // 60 runs at 0.9, of which 30 succeed.
/// let confidence = [Probability::new(0.9)?; 60];
/// let outcomes: Vec<bool> = (0..60).map(|run| run % 2 == 0).collect();
/// let tasks: Vec<u32> = (0..60).collect();
/// let tenths = Binning::Quantile { bins: 10 };
/// let seed = Seed(7);
/// let found = CalibrationTest::new(&confidence, &outcomes, None, &tasks, tenths, 999, seed)?;
/// assert!((found.calibration_error - 0.4).abs() < 1e-12);
/// assert!((0.02..0.04).contains(&found.mean_if_calibrated));
/// assert_eq!(found.p_value, 0.001);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CalibrationTest {
    /// The [`expected_calibration_error`], in [0, 1].
    pub calibration_error: f64,
    /// The mean error over draws of outcomes under which the confidences are calibrated, in [0, 1].
    pub mean_if_calibrated: f64,
    /// The calibration error minus its mean over the draws. If the confidences are calibrated, it is 0 on average for any
    /// number of rows. Samples of different sizes are therefore comparable.
    pub excess: f64,
    /// The p-value of the hypothesis that the confidences are calibrated, in (0, 1]: `(1 + b) / (1 + draws)`, where b
    /// is the number of draws whose error is at least as large.
    pub p_value: f64,
    /// How strongly the draws make outcomes within a cluster depend on each other, in [0, 1]; 0 if no cluster has
    /// several rows.
    pub dependence: f64,
    /// Number of clusters with a row of positive weight.
    pub clusters: usize,
}

impl CalibrationTest {
    /// Compares the expected calibration error with the errors of `draws` simulated samples. In a simulated sample,
    /// each outcome is drawn with its confidence as the probability of success, so that the confidences are calibrated.
    /// Rows of one cluster, such as the runs of a task, are drawn with the dependence found in the data.
    ///
    /// The outcome of row i is a success with probability `p_i` in every draw. Where a cluster has a single row, this is
    /// consistency resampling, and the test is exact. In a cluster of several rows, each row uses the uniform number of
    /// its cluster with probability `sqrt(d)`, and otherwise a separate uniform number. The row is a success if its number
    /// is below `p_i`. Two rows of a cluster then have the covariance `d (min(p_i, p_j) - p_i p_j)`. The dependence d is
    /// estimated by moments over the pairs of rows of all clusters, and clipped to [0, 1]:
    ///
    /// ```text
    /// d = sum w_i w_j (y_i - p_i) (y_j - p_j) / sum w_i w_j (min(p_i, p_j) - p_i p_j)
    /// ```
    ///
    /// Errors that differ by less than 1e-12 count as equal. A weight is the importance of a row, not a number of rows:
    /// the outcome of a row is drawn once. Results are a pure function of the seed: draw r reads stream r of a ChaCha8
    /// generator. Results therefore have the same bits for any order of the rows.
    ///
    /// In simulations (`tests/all/calibration_test.rs`) calibrated confidences of 10 to 200 clusters with 1 to 8 rows have a
    /// p-value of at most 0.05 in at most 6 % of samples.
    ///
    /// Cost: linear in the number of rows for each draw.
    ///
    /// Reference: Bröcker and Smith (2007), Increasing the reliability of reliability diagrams,
    /// doi:10.1175/WAF993.1; Vaicenavicius et al. (2019), Evaluating model calibration in classification,
    /// arXiv:1902.06977; for the estimate by moments Liang and Zeger (1986), Longitudinal data analysis using
    /// generalized linear models, doi:10.1093/biomet/73.1.13; for the p-value Phipson and Smyth (2010), Permutation
    /// p-values should never be zero, doi:10.2202/1544-6115.1585.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless outcomes and clusters, and weights if given, have one entry per
    /// confidence; the errors of [`expected_calibration_error`]; [`scoring_rules::Error::TooFew`] for rows of a
    /// single cluster; [`scoring_rules::Error::Setting`] unless there are 1 to 10 million draws.
    pub fn new<G: Ord>(
        confidence: &[Probability],
        outcomes: &[bool],
        weights: Option<&[Weight]>,
        clusters: &[G],
        binning: Binning<'_>,
        draws: usize,
        seed: Seed,
    ) -> Result<Self, Error> {
        same_length("clusters", confidence.len(), clusters.len())?;
        let blocks = TiedBlocks::new(confidence, outcomes, weights)?;
        let calibration_error = expected_calibration_error(&blocks, binning)?;
        setting("draws", draws as f64, draws > 0, "at least 1")?;
        let ends: Vec<Probability> =
            binning.bins(&blocks)?.filter_map(|bin| Some(bin.last()?.confidence)).collect();

        // Rows with equal cluster, confidence and weight are interchangeable, so that the order of rows does not matter.
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row].get());
        let mut order: Vec<usize> =
            (0..confidence.len()).filter(|&row| weight(row) > 0.0).collect();
        order.sort_unstable_by(|&a, &b| {
            let by_value = || confidence[a].get().total_cmp(&confidence[b].get());
            let by_weight = || weight(a).total_cmp(&weight(b));
            let by_outcome = || outcomes[a].cmp(&outcomes[b]);
            let order = clusters[a].cmp(&clusters[b]).then_with(by_value);
            order.then_with(by_weight).then_with(by_outcome)
        });
        let groups: Vec<&[usize]> = order.chunk_by(|&a, &b| clusters[a] == clusters[b]).collect();
        at_least_two("clusters", groups.len())?;

        let pairs = groups.iter().fold((0.0, 0.0), |(found, most), group| {
            let row = |&row: &usize| (weight(row), confidence[row].get(), outcomes[row]);
            let (of_group, most_of_group) = covariances(group.iter().map(row));
            (found + of_group, most + most_of_group)
        });
        let dependence = if pairs.1 > 0.0 { (pairs.0 / pairs.1).clamp(0.0, 1.0) } else { 0.0 };

        let rows: Vec<Vec<Row>> = groups
            .iter()
            .map(|group| {
                let shared = if group.len() > 1 { dependence.sqrt() } else { 0.0 };
                let row = |&row: &usize| Row::new(confidence[row], weight(row), shared, &ends);
                group.iter().map(row).collect()
            })
            .collect();
        let total = blocks.failures() + blocks.successes();
        let start = ChaCha8Rng::seed_from_u64(seed.0);
        let gaps = || vec![0.0; ends.len()];
        let errors = bootstrap::run(draws, gaps, |gaps, draw| {
            let mut generator = start.clone();
            generator.set_stream(draw);
            gaps.fill(0.0);
            for group in &rows {
                let common = if group.len() > 1 { unit(&mut generator) } else { 0.0 };
                for row in group {
                    gaps[row.bin] += row.gap(common, unit(&mut generator));
                }
            }
            gaps.iter().map(|gap: &f64| gap.abs()).sum::<f64>() / total
        })?;
        let reached = errors.iter().filter(|&&error| error >= calibration_error - TIE).count();
        let mean_if_calibrated = errors.iter().sum::<f64>() / draws as f64;
        Ok(Self {
            calibration_error,
            mean_if_calibrated,
            excess: calibration_error - mean_if_calibrated,
            p_value: (1 + reached) as f64 / (1 + draws) as f64,
            dependence,
            clusters: groups.len(),
        })
    }
}

/// Errors that differ by less count as equal.
const TIE: f64 = 1e-12;

/// Returns two sums over the pairs of rows, which must be in ascending order of confidence: the sum of the products of
/// their residuals, and the sum of their largest covariances.
fn covariances(rows: impl DoubleEndedIterator<Item = (f64, f64, bool)>) -> (f64, f64) {
    let (mut found, mut most) = (0.0, 0.0);
    // The sums over the rows above.
    let (mut residuals, mut weights, mut stated) = (0.0, 0.0, 0.0);
    for (weight, p, outcome) in rows.rev() {
        let residual = weight * (f64::from(outcome) - p);
        found += residual * residuals;
        most += weight * p * (weights - stated);
        residuals += residual;
        weights += weight;
        stated += weight * p;
    }
    (found, most)
}

/// A row whose outcome is drawn.
struct Row {
    bin: usize,
    /// The changes of the gap of the bin by a failure and by a success.
    gaps: [f64; 2],
    p: f64,
    /// The row follows its cluster if its own uniform number is below this,
    shared: f64,
    /// and succeeds if that is between the two.
    below: f64,
}

impl Row {
    fn new(p: Probability, weight: f64, shared: f64, ends: &[Probability]) -> Self {
        let bin = ends.partition_point(|end| *end < p);
        let p = p.get();
        let gaps = [weight * p, weight * p - weight];
        // Rounding must not turn a certain success into a failure.
        let below = if p < 1.0 { shared + p * (1.0 - shared) } else { 1.0 };
        Self { bin, gaps, p, shared, below }
    }

    fn gap(&self, common: f64, own: f64) -> f64 {
        let succeeds = if own < self.shared { common < self.p } else { own < self.below };
        self.gaps[usize::from(succeeds)]
    }
}

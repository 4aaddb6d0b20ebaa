use scoring_rules::{Level, Probability};

use crate::error::Error;

/// The highest tolerated rate of false alarms, and the confidence that it is kept. A run is predicted impossible if its
/// probability of success is below a threshold, which is learned so that the limit holds.
///
/// A run is feasible if it succeeds within its caps. A false alarm, also called a false abort, is a feasible run that
/// is predicted impossible at any of its prefixes, after each turn except the last. The threshold is learned from
/// *calibration runs*: feasible runs that were not used to fit the model of the probabilities.
///
/// # Guarantee
///
/// For any model and any distribution of runs, if the calibration runs and the later runs are
/// independent draws from one distribution and the model is fixed before the first calibration run: with a
/// confidence of 1 - delta, the rate of the learned threshold is at most the tolerated rate, except with
/// probability delta over the draw of the calibration runs. Thresholds are tested in a fixed sequence, from 0
/// upwards, until one fails at level delta. The p-value of a threshold is P(Binomial(n, rate) <= number of
/// false alarms). The accepted threshold is then the k-th smallest among the n lowest probabilities of the
/// runs, with the largest k for which P(Binomial(n, rate) < k) <= delta.
///
/// If there are too few calibration runs for any threshold to pass, no run is predicted impossible: see
/// [`AbortLimit::least_runs`]. Runs of one task are not independent of each other. The guarantee does not
/// hold for runs of another distribution, such as after a change of the agent.
///
/// References: Angelopoulos, Bates, Candès, Jordan, Lei (2025), Learn then test: calibrating
/// predictive algorithms to achieve risk control, Annals of Applied Statistics 19(2),
/// doi:10.1214/24-AOAS1998, arXiv:2110.01052; Wilks (1941), Determination of sample sizes for setting
/// tolerance limits, doi:10.1214/aoms/1177731788 (order statistics as limits).
///
/// ```
/// use budget_estimation::{AbortLimit, Error, Level, Probability};
///
/// let limit = AbortLimit { rate: Level::new(0.05)?, ..AbortLimit::default() };
/// // Two turns of each of 60 feasible runs, of which the lowest chances are 0.205, 0.21, 0.215, ...
/// let runs: Vec<Vec<Probability>> = (1..=60)
///     .map(|i| Ok(vec![Probability::HALF, Probability::new(f64::from(40 + i) / 200.0)?]))
///     .collect::<Result<_, Error>>()?;
/// // 0.95^60 = 0.046: the smallest of the lowest chances is a threshold with confidence 0.9.
/// assert_eq!(limit.threshold(&runs)?, Some(Probability::new(0.205)?));
/// // With 44 runs, no threshold is certain enough: 0.95^44 > 0.1.
/// assert_eq!((limit.least_runs(), limit.threshold(&runs[..44])?), (45, None));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct AbortLimit {
    /// The tolerated rate.
    pub rate: Level,
    /// The probability that the rate is kept, over the random draw of the calibration runs.
    pub confidence: Level,
}

/// At most 5 % of the feasible runs, with confidence 0.9.
impl Default for AbortLimit {
    fn default() -> Self {
        Self { rate: TWENTIETH, confidence: NINE_TENTHS }
    }
}

/// The default rate.
const TWENTIETH: Level = level(0.05);
/// The default confidence.
const NINE_TENTHS: Level = level(0.9);

/// Returns a constant level.
const fn level(value: f64) -> Level {
    match Level::new(value) {
        Ok(level) => level,
        Err(_) => Level::HALF,
    }
}

impl AbortLimit {
    /// Returns the smallest number of calibration runs that can give a threshold.
    #[must_use]
    pub fn least_runs(&self) -> usize {
        // The smallest n with (1 - rate)^n <= 1 - confidence, up to rounding.
        let near = ((1.0 - self.confidence.get()).ln() / (-self.rate.get()).ln_1p()).ceil();
        let near = near as usize;
        let mut candidates = near.saturating_sub(1).max(1)..=near.saturating_add(1);
        candidates.find(|&runs| self.accepts(runs, 0)).unwrap_or(usize::MAX)
    }

    /// Returns whether a threshold with these false alarms among n calibration runs passes.
    fn accepts(&self, runs: usize, aborts: usize) -> bool {
        let tail = binomial_tail(runs as f64, self.rate.get(), aborts as f64);
        tail <= 1.0 - self.confidence.get()
    }

    /// Returns the largest of the lowest probabilities of calibration runs, in ascending order, that passes as a
    /// threshold.
    pub(super) fn passing(&self, lowest: &[f64]) -> Option<Probability> {
        // The false alarms with each probability as the threshold: the runs before it. Equal probabilities
        // count as lower, which can only lower the threshold.
        let ranks: Vec<usize> = (0..lowest.len()).collect();
        let passing = ranks.partition_point(|&aborts| self.accepts(lowest.len(), aborts));
        Probability::new(*lowest.get(passing.checked_sub(1)?)?).ok()
    }

    /// Returns the threshold for predictions: a run whose probability of success is below it is predicted impossible.
    /// The threshold is the largest of the probabilities in `chances` that keeps the rate of false alarms within the
    /// limit with the required confidence; `None` if no probability does.
    ///
    /// `chances` has one list per calibration run with a probability for each prefix. All calibration runs
    /// must be feasible. A run without a prefix is never predicted impossible. Takes O(n log n) for n
    /// probabilities.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without a calibration run.
    pub fn threshold<C: AsRef<[Probability]>>(
        &self,
        chances: &[C],
    ) -> Result<Option<Probability>, Error> {
        let mut lowest: Vec<f64> = chances.iter().map(|run| lowest_of(run.as_ref())).collect();
        lowest.sort_by(f64::total_cmp);
        if lowest.is_empty() {
            return Err(scoring_rules::Error::Empty.into());
        }
        Ok(self.passing(&lowest))
    }
}

/// Returns the lowest probability of a run; 1 without any.
pub(super) fn lowest_of(run: &[Probability]) -> f64 {
    run.iter().map(|chance| chance.get()).fold(1.0, f64::min)
}

/// P(Binomial(n, rate) <= k), for whole k: the sum of the probabilities from 0 to k. Takes O(k).
fn binomial_tail(n: f64, rate: f64, k: f64) -> f64 {
    if k >= n {
        return 1.0;
    }
    // As multiples of the probability of 0, which is too small for a number if there are many runs.
    let (odds, mut log_of_unit) = (rate / (1.0 - rate), n * (-rate).ln_1p());
    let (mut term, mut sum, mut i) = (1.0, 1.0, 0.0);
    while i < k {
        term *= (n - i) / (i + 1.0) * odds;
        sum += term;
        i += 1.0;
        if sum > 1e200 {
            (term, sum, log_of_unit) = (term / 1e200, sum / 1e200, log_of_unit + 1e200_f64.ln());
        }
    }
    (sum.ln() + log_of_unit).exp().min(1.0)
}

use scoring_rules::Level;

/// The unit of the rate of false alarms.
///
/// ```
/// use budget_estimation::{AbortLimit, AbortUnit, Error, Level, Probability};
///
/// // 18 runs with chances of 1, and one with a low chance at one of its two turns.
/// let mut runs = vec![vec![Probability::ONE]; 18];
/// runs.push(vec![Probability::new(0.1)?, Probability::new(0.9)?]);
/// let limit = AbortLimit::new(Level::new(0.075)?).in_expectation();
/// assert_eq!(limit.threshold(&runs)?, Some(Probability::new(0.1)?));
/// // (1 / 2 + 1) / (19 + 1) is the rate among turns at a threshold of 0.9.
/// let by_turn = AbortLimit { unit: AbortUnit::Turn, ..limit };
/// assert_eq!(by_turn.threshold(&runs)?, Some(Probability::new(0.9)?));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum AbortUnit {
    /// The rate is the probability that a feasible run is predicted impossible at any of its prefixes, after
    /// each turn except the last: P(stopped | feasible run).
    #[default]
    Run,
    /// The rate is the expected share of the prefixes of a feasible run at which it is predicted impossible.
    Turn,
}

/// The highest tolerated rate of false alarms, and a learned threshold that keeps it.
///
/// A run is predicted impossible where its probability of success is below the threshold. A run is feasible
/// if it succeeds within its caps. A false alarm, also called a false abort, is a feasible run that is
/// predicted impossible. [`AbortUnit`] determines whether runs or turns count. The threshold is learned from
/// *calibration runs*: feasible runs that were not used to fit the model of the probabilities.
///
/// # Guarantee
///
/// For any model and any distribution of runs, if the calibration runs and the later runs are
/// independent draws from one distribution and the model is fixed before the first calibration run:
///
/// - With a confidence of 1 - delta, the default with 0.9, the rate of the learned threshold is at most the
///   tolerated rate, except with probability delta over the draw of the calibration runs. Thresholds are
///   tested in a fixed sequence, from 0 upwards, until one fails at level delta. For runs, the p-value of a
///   threshold is P(Binomial(n, rate) <= number of false alarms). The accepted threshold is then the k-th
///   smallest among the n lowest probabilities of the runs, with the largest k for which P(Binomial(n, rate)
///   < k) <= delta. For turns, it is the Hoeffding-Bentkus p-value.
/// - With [`AbortLimit::in_expectation`], the rate is at most the tolerated rate on average over the
///   draws of the calibration runs (conformal risk control). Exchangeable runs are enough for this. A
///   single threshold may exceed the rate.
///
/// If there are too few calibration runs for any threshold to pass, no run is predicted impossible: see
/// [`AbortLimit::least_runs`]. Runs of one task are not independent of each other. The guarantee does not
/// hold for runs of another distribution, such as after a change of the agent.
///
/// References: Angelopoulos, Bates, Candès, Jordan, Lei (2025), Learn then test: calibrating
/// predictive algorithms to achieve risk control, Annals of Applied Statistics 19(2),
/// doi:10.1214/24-AOAS1998, arXiv:2110.01052; Bates, Angelopoulos, Lei, Malik, Jordan (2021),
/// Distribution-free, risk-controlling prediction sets, doi:10.1145/3478535 (the Hoeffding-Bentkus
/// p-value); Angelopoulos, Bates, Fisch, Lei, Schuster (2024), Conformal risk control, ICLR,
/// arXiv:2208.02814; Wilks (1941), Determination of sample sizes for setting tolerance limits,
/// doi:10.1214/aoms/1177731788 (order statistics as limits).
///
/// ```
/// use budget_estimation::{AbortLimit, Error, Level, Probability};
///
/// let limit = AbortLimit::new(Level::new(0.05)?);
/// // Two turns of each of 60 feasible runs, of which the lowest chances are 0.205, 0.21, 0.215, ...
/// let runs: Vec<Vec<Probability>> = (1..=60)
///     .map(|i| Ok(vec![Probability::HALF, Probability::new(f64::from(40 + i) / 200.0)?]))
///     .collect::<Result<_, Error>>()?;
/// // 0.95^60 = 0.046: the smallest of the lowest chances is a threshold with confidence 0.9.
/// assert_eq!(limit.threshold(&runs)?, Some(Probability::new(0.205)?));
/// // On average over calibration runs, 3 of 61 later runs may fall below it.
/// assert_eq!(limit.in_expectation().threshold(&runs)?, Some(Probability::new(0.215)?));
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
    /// The probability, over the draw of calibration runs, with which the rate is kept; `None` for a limit
    /// in expectation.
    pub confidence: Option<Level>,
    /// Whether runs or turns count.
    pub unit: AbortUnit,
}

/// At most 5 % of the feasible runs, with confidence 0.9.
impl Default for AbortLimit {
    fn default() -> Self {
        Self::new(TWENTIETH)
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
    /// At most this rate of feasible runs, with confidence 0.9.
    #[must_use]
    pub const fn new(rate: Level) -> Self {
        Self { rate, confidence: Some(NINE_TENTHS), unit: AbortUnit::Run }
    }

    /// Keeps the rate on average over the draw of calibration runs instead of with a confidence.
    #[must_use]
    pub const fn in_expectation(self) -> Self {
        Self { confidence: None, ..self }
    }

    /// Returns the smallest number of calibration runs with which there can be a threshold.
    #[must_use]
    pub fn least_runs(&self) -> usize {
        // All three rules pass a threshold without a false alarm among n runs only if (1 - rate)^n is small
        // enough.
        let mut low = 0;
        let mut high = 1;
        while !self.accepts(high, 0.0) {
            (low, high) = (high, high.saturating_mul(2));
            if high > 1 << 60 {
                return usize::MAX;
            }
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.accepts(middle, 0.0) { high = middle } else { low = middle }
        }
        high
    }

    /// Returns whether a threshold with these false alarms among n calibration runs passes. False alarms are
    /// a number of runs, or the sum over runs of a share of turns.
    pub(super) fn accepts(&self, runs: usize, aborts: f64) -> bool {
        let (n, rate) = (runs as f64, self.rate.get());
        let Some(confidence) = self.confidence else {
            // The allowance is for the rounding of the rate, as in 0.05 * 20.
            return aborts + 1.0 <= (rate + 1e-12) * (n + 1.0);
        };
        let p = match self.unit {
            AbortUnit::Run => binomial_tail(n, rate, aborts),
            AbortUnit::Turn => hoeffding_bentkus(n, rate, aborts),
        };
        p <= 1.0 - confidence.get()
    }
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

/// Returns the p-value of "the mean of n losses from 0 to 1 is above the rate", given the sum of the losses.
fn hoeffding_bentkus(n: f64, rate: f64, sum: f64) -> f64 {
    let mean = sum / n;
    if mean >= rate {
        return 1.0;
    }
    let part = |a: f64, b: f64| if a > 0.0 { a * (a / b).ln() } else { 0.0 };
    let divergence = part(mean, rate) + part(1.0 - mean, 1.0 - rate);
    let hoeffding = (-n * divergence).exp();
    let bentkus = std::f64::consts::E * binomial_tail(n, rate, sum.ceil());
    hoeffding.min(bentkus)
}

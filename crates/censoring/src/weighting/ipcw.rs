use scoring_rules::{ExactSum, Weight, checks::setting};

use crate::{
    error::Error,
    weighting::{kaplan_meier::KaplanMeier, stop_times::StopTimes},
};

/// Probabilities below this count as 0, because the product of their inverse, a weight and a score
/// could overflow.
const LEAST_SURVIVAL: f64 = 1e-100;

/// Inverse-probability-of-censoring weights: each complete run also represents similar runs that were
/// cut off.
///
/// ```text
/// 1 / G(Z-)  for a run that is complete at Z,  0  for one that was cut off
/// ```
///
/// with G the probability of not being cut off. A mean over complete runs favours short runs; a mean
/// under these weights is unbiased if the G of each run is correct and positive wherever runs end. If
/// every run that reaches some time is cut off there, as under a common budget, no complete run
/// represents longer runs: no weights can correct this, and [`IpcwWeights::coverage`] is below 1.
///
/// Reference: Horvitz and Thompson (1952), A generalization of sampling without replacement from a
/// finite universe, doi:10.1080/01621459.1952.10483446; for runs that are cut off Robins and
/// Rotnitzky (1992), Recovery of information and adjustment for dependent censoring using surrogate
/// markers; with Kaplan-Meier Satten and Datta (2001), The Kaplan-Meier estimator as an
/// inverse-probability-of-censoring weighted average, doi:10.1198/000313001317098185.
///
/// ```
/// use censoring::{Error, IpcwWeights, KaplanMeier, StopTimes, Weight};
///
/// let censored = [false, true, true, false];
/// let stops = StopTimes::new(&[1.0, 2.0, 2.0, 5.0], &censored, None)?;
/// let g = KaplanMeier::censoring_curve(&stops);
/// let weights = IpcwWeights::new(&stops, |_| &g, f64::INFINITY)?;
/// // Two of the three runs that continued beyond 1 were cut off. The last run also represents
/// // them.
/// let slice = weights.as_slice();
/// assert!((slice[3].get() - 3.0).abs() < 1e-15);
/// assert_eq!(slice[..3], [Weight::ONE, Weight::ZERO, Weight::ZERO]);
///
/// let scores = [Some(-0.1), None, None, Some(-0.5)];
/// assert!((weights.mean_score(&scores)? - -0.4).abs() < 1e-15);
///
/// let capped = IpcwWeights::new(&stops, |_| &g, 2.0)?;
/// assert_eq!(capped.as_slice()[3], Weight::new(2.0)?);
/// # Ok::<(), Error>(())
/// ```
///
/// The weights have no stored form; the curves have one.
#[derive(Clone, Debug, PartialEq)]
pub struct IpcwWeights {
    stops: StopTimes,
    weights: Vec<Weight>,
}

impl IpcwWeights {
    /// Computes the weights from the censoring curve G of each run. Weights above `max_weight` are set to it.
    ///
    /// `survival` returns the curve of the run at a position: the same for all runs, one per kind of
    /// task ([`CensoringCurves`](crate::CensoringCurves)). Truncation reduces the influence of single
    /// runs and introduces a bias; infinity means no truncation. A run of weight 0 gets 0.
    ///
    /// # Errors
    ///
    /// [`Error::ZeroSurvival`] with the first complete run whose G(Z-) is below 1e-100;
    /// [`scoring_rules::Error::Setting`] for a `max_weight` below 1.
    pub fn new<'g>(
        stops: &StopTimes,
        survival: impl Fn(usize) -> &'g KaplanMeier,
        max_weight: f64,
    ) -> Result<Self, Error> {
        let is_valid = (1.0..=f64::INFINITY).contains(&max_weight);
        setting("max_weight", max_weight, is_valid, "at least 1")?;
        let mut weights = vec![Weight::ZERO; stops.len()];
        for stop in stops.iter().filter(|stop| !stop.censored) {
            let weight = inverse(survival(stop.run).before(stop.time), stop.run, stop.time)?;
            weights[stop.run] = Weight::new(weight.min(max_weight))?;
        }
        Ok(Self { stops: stops.clone(), weights })
    }

    /// Returns the inverse-probability weight of each run, 0 or at least 1, before it is multiplied by a weight that
    /// the caller gave the run.
    #[must_use]
    pub fn as_slice(&self) -> &[Weight] {
        &self.weights
    }

    /// Returns the mean of the weights over all runs, which is near 1 if the censoring curves G fit and no weight was
    /// truncated.
    ///
    /// With G from the same runs, it is 1 up to rounding. If the longest runs were all cut off, it is the
    /// estimated share of runs that end no later than the last observable end.
    #[must_use]
    pub fn coverage(&self) -> f64 {
        self.sum(|_| 1.0) / self.stops.total()
    }

    /// Returns whether all complete runs have the same weight. If they do, [`Self::normalized_mean_score`] is the mean
    /// over complete runs.
    ///
    /// If runs were cut off nevertheless, the weights cannot correct for them. This is the case under one
    /// budget for all runs, because every cut-off comes after the last outcome; the coverage is then the
    /// share of complete runs.
    ///
    /// ```
    /// use censoring::{Error, IpcwWeights, KaplanMeier, StopTimes};
    ///
    /// let censored = [false, false, true, true];
    /// let stops = StopTimes::new(&[1.0, 2.0, 9.0, 9.0], &censored, None)?;
    /// let g = KaplanMeier::censoring_curve(&stops);
    /// let weights = IpcwWeights::new(&stops, |_| &g, f64::INFINITY)?;
    /// assert!(weights.are_uniform());
    /// assert_eq!(weights.coverage(), 0.5);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn are_uniform(&self) -> bool {
        let complete = self.stops.iter().filter(|stop| !stop.censored);
        let mut weights = complete.map(|stop| self.weights[stop.run]);
        weights.next().is_none_or(|first| weights.all(|weight| weight == first))
    }

    /// Estimates the mean score that all runs would have if none were cut off, from the scores of complete runs.
    ///
    /// ```text
    /// sum of c_i w_i S_i / sum of c_i
    /// ```
    ///
    /// `c_i` is the run's own weight, and `w_i` the inverse-probability weight. `scores` has the score of
    /// each complete run, and `None` for other runs. The mean can leave the range of the scores if the
    /// coverage is not 1. It has the same bits in any order of the runs.
    ///
    /// # Errors
    ///
    /// [`Error::Run`] or [`scoring_rules::Error::Entry`] with the first
    /// run whose score is missing or invalid; [`scoring_rules::Error::Length`] unless there is one entry per run.
    pub fn mean_score(&self, scores: &[Option<f64>]) -> Result<f64, Error> {
        self.stops.check_scores(scores)?;
        Ok(self.sum(|run| scores[run].unwrap_or_default()) / self.stops.total())
    }

    /// Returns the weighted mean of the complete scores, with weights scaled to a mean of 1 (Hájek's estimate).
    ///
    /// ```text
    /// sum of c_i w_i S_i / sum of c_i w_i
    /// ```
    ///
    /// This estimate stays in the range of the scores and does not depend on their zero point. It is preferable
    /// if weights were truncated or G comes from other runs. It has a small bias in small samples. If the
    /// coverage is below 1, it is the mean score of the runs that can be complete.
    ///
    /// # Errors
    ///
    /// The errors of [`IpcwWeights::mean_score`]; [`scoring_rules::Error::Empty`] without a complete run.
    ///
    /// ```
    /// use censoring::{Error, IpcwWeights, KaplanMeier, StopTimes};
    ///
    /// let censored = [false, true, false];
    /// let stops = StopTimes::new(&[1.0, 2.0, 4.0], &censored, None)?;
    /// let g = KaplanMeier::censoring_curve(&stops);
    /// // The weight of the last run is 2, truncated to 1.5.
    /// let weights = IpcwWeights::new(&stops, |_| &g, 1.5)?;
    /// let mean = weights.normalized_mean_score(&[Some(-0.25), None, Some(-0.5)])?;
    /// assert!((mean - (-0.25 - 1.5 * 0.5) / 2.5).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn normalized_mean_score(&self, scores: &[Option<f64>]) -> Result<f64, Error> {
        self.stops.check_scores(scores)?;
        Ok(self.sum(|run| scores[run].unwrap_or_default()) / self.complete_weight()?)
    }

    /// Returns the sum of both weights, by which a sum of scores is divided for the normalized mean.
    pub(crate) fn complete_weight(&self) -> Result<f64, Error> {
        let weight = self.sum(|_| 1.0);
        if weight > 0.0 { Ok(weight) } else { Err(scoring_rules::Error::Empty.into()) }
    }

    /// Returns the sum, over the complete runs, of both weights times a value.
    pub(crate) fn sum(&self, value: impl Fn(usize) -> f64) -> f64 {
        let mut sum = ExactSum::default();
        for stop in self.stops.iter().filter(|stop| !stop.censored) {
            sum.add_product(stop.weight, self.weights[stop.run].get() * value(stop.run));
        }
        sum.value()
    }
}

/// Returns the inverse of a probability that is not 0.
fn inverse(survival: f64, run: usize, time: f64) -> Result<f64, Error> {
    if survival >= LEAST_SURVIVAL {
        Ok(survival.recip())
    } else {
        Err(Error::ZeroSurvival { run, time })
    }
}

use trajectory_metrics::{Probability, ScoringRule, Tps};

use crate::{
    error::Error,
    stops::stopped::{Observation, Stopped},
};

/// The score of a complete run, or the scores of a cut-off run for both possible outcomes.
///
/// ```
/// use censoring::{Error, Probability, RunScore, StopReason, Stopped, Tps, WeightSchedule, from_fn};
///
/// let brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
/// let tps = Tps::new(brier, WeightSchedule::Uniform);
/// let forecasts = [Probability::new(0.75)?];
/// let cut_off = Stopped::new(&forecasts, None, Some(StopReason::MaxSteps))?;
///
/// let score = RunScore::new(&tps, &cut_off, Probability::HALF)?;
/// let success_probability = Probability::HALF;
/// let (if_success, if_failure) = (-0.0625, -0.5625);
/// assert_eq!(score, RunScore::Censored { success_probability, if_success, if_failure });
/// assert_eq!(score.expected(), -0.3125);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RunScore {
    /// A complete run, with its score.
    Complete(f64),
    /// A run that was cut off.
    Censored {
        /// The probability that the run would have succeeded, given the run so far.
        success_probability: Probability,
        /// The score of the steps up to the stop if the outcome is a success.
        if_success: f64,
        /// The score of the steps up to the stop if the outcome is a failure.
        if_failure: f64,
    },
}

impl RunScore {
    /// Computes the trajectory score of a run: one number for a complete run, and one number per possible outcome for a
    /// cut-off run, whose steps have the same weights as in a run over the whole evaluated horizon.
    ///
    /// `success_probability` is the probability of success given the run up to its stop; it is ignored
    /// for a complete run.
    ///
    /// # Errors
    ///
    /// [`Error::Excluded`] for a run that has no score; [`Error::TrajectoryMetrics`] if there are fewer
    /// custom weights than steps of the horizon.
    pub fn new<R: ScoringRule>(
        tps: &Tps<R>,
        run: &Stopped<'_>,
        success_probability: Probability,
    ) -> Result<Self, Error> {
        let cut_off = |outcome| tps.prefix_score(run.forecasts(), outcome, run.horizon());
        match run.observation() {
            Observation::Complete(trace) => Ok(Self::Complete(tps.score(trace)?)),
            Observation::Censored => Ok(Self::Censored {
                success_probability,
                if_success: cut_off(true)?,
                if_failure: cut_off(false)?,
            }),
            Observation::Excluded(exclusion) => Err(Error::Excluded(exclusion.clone())),
        }
    }

    /// Returns the score of a complete run, or the expected score of a cut-off run. An outcome of probability 0 has no
    /// effect, even if its score is infinite.
    #[must_use]
    pub fn expected(&self) -> f64 {
        match *self {
            Self::Complete(score) => score,
            Self::Censored { success_probability, .. } => self.expected_at(success_probability),
        }
    }

    /// Returns the expected score at another probability of success.
    pub(crate) fn expected_at(&self, success_probability: Probability) -> f64 {
        match *self {
            Self::Complete(score) => score,
            Self::Censored { if_success, if_failure, .. } => {
                let share =
                    |q: Probability, score| if q.get() > 0.0 { q.get() * score } else { 0.0 };
                share(success_probability, if_success)
                    + share(success_probability.complement(), if_failure)
            }
        }
    }

    /// Returns the scores as a failure and as a success; for a complete run, its score twice.
    pub(crate) const fn either(&self) -> [f64; 2] {
        match *self {
            Self::Complete(score) => [score; 2],
            Self::Censored { if_success, if_failure, .. } => [if_failure, if_success],
        }
    }
}

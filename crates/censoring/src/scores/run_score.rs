use trajectory_metrics::{Probability, ScoringRule, Tps};

use crate::{
    error::Error,
    stops::stopped::{Observation, Stopped},
};

/// The score of a run, or its scores under both outcomes if the run was cut off.
///
/// ```
/// use censoring::{Error, Probability, RunScore, StopReason, Stopped, Tps, WeightSchedule, from_fn};
///
/// let brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
/// let tps = Tps::new(brier, WeightSchedule::Uniform);
/// let forecasts = [Probability::new(0.75)?];
/// let cut_off = Stopped::new(&forecasts, None, Some(StopReason::MaxSteps))?;
///
/// let score = RunScore::of(&tps, &cut_off, Probability::HALF)?;
/// let success_probability = Probability::HALF;
/// let (if_success, if_failure) = (-0.0625, -0.5625);
/// assert_eq!(score, RunScore::Censored { success_probability, if_success, if_failure });
/// assert_eq!(score.expected(), -0.3125);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RunScore {
    /// The score of a complete run.
    Complete(f64),
    /// A run that was cut off.
    Censored {
        /// The probability of success, given the run up to its stop.
        success_probability: Probability,
        /// The score if the run would have succeeded.
        if_success: f64,
        /// The score if the run would have failed.
        if_failure: f64,
    },
}

impl RunScore {
    /// The trajectory score of a run: one score if the run is complete, and one for each outcome if
    /// it was cut off. Weights are those of the whole evaluated horizon.
    ///
    /// `success_probability` is the probability of success, given the run up to where it was cut
    /// off. A complete run has no use for it.
    ///
    /// # Errors
    ///
    /// [`Error::Excluded`] for a run that has no score; [`Error::TrajectoryMetrics`] if custom
    /// weights do not reach the horizon.
    pub fn of<R: ScoringRule>(
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

    /// The score, or the expected score of a run that was cut off. An outcome of probability 0 is
    /// ignored, even if its score is infinite.
    #[must_use]
    pub fn expected(&self) -> f64 {
        match *self {
            Self::Complete(score) => score,
            Self::Censored { success_probability, .. } => self.expected_at(success_probability),
        }
    }

    /// Replaces the probability of success of a censored run.
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

    /// The scores under failure and success. They are equal for a complete run.
    pub(crate) const fn either(&self) -> [f64; 2] {
        match *self {
            Self::Complete(score) => [score; 2],
            Self::Censored { if_success, if_failure, .. } => [if_failure, if_success],
        }
    }
}

use scoring_rules::{BetaScore, BrierScore, LogScore, Weight};

use crate::{
    error::Error,
    streams::{tps::Tps, traces::Traces, weight_schedule::WeightSchedule},
};

/// The three trajectory proper scores that the paper reports, under one weight schedule: the log score of forecasts
/// clipped to [1e-6, 1 - 1e-6], in nats; the Brier score; and the beta score with parameters 2 and 4, for which a
/// wrong forecast of 0 costs twice as much as a wrong forecast of 1.
///
/// Higher is better. `T` is `f64` for means and `Vec<f64>` for the scores of all traces.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, appendix J.2.
///
/// ```
/// use trajectory_metrics::{Error, TpsFamily, Traces, WeightSchedule};
///
/// let traces = Traces::from_flat(&[0.5, 0.5, 0.0], &[2, 3], &[true, false])?;
/// let mean = TpsFamily::means(&traces, None, &WeightSchedule::Uniform)?;
/// assert!((mean.log - 0.5_f64.ln() / 2.0).abs() < 1e-6);
/// assert_eq!(mean.brier, -0.125);
/// assert_eq!(TpsFamily::scores(&traces, &WeightSchedule::Uniform)?.brier, [-0.25, 0.0]);
///
/// let wrong = Traces::from_flat(&[0.0, 1.0], &[1, 2], &[true, false])?;
/// let beta = TpsFamily::scores(&wrong, &WeightSchedule::Uniform)?.beta_2_4;
/// assert!((beta[0] / beta[1] - 2.0).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TpsFamily<T = f64> {
    /// The log score, from `ln 1e-6` to 0.
    pub log: T,
    /// The Brier score `-(p - y)^2`, from -1 to 0.
    pub brier: T,
    /// The beta score with parameters 2 and 4.
    pub beta_2_4: T,
}

impl TpsFamily {
    /// The clip that the paper uses for the log score.
    pub const CLIP: f64 = 1e-6;

    /// Returns the mean of each score over all traces, with weights if weights of the traces are given.
    ///
    /// # Errors
    ///
    /// The errors of [`Tps::mean`].
    pub fn means(
        traces: &Traces,
        weights: Option<&[Weight]>,
        schedule: &WeightSchedule,
    ) -> Result<Self, Error> {
        let schedule = || schedule.clone();
        Ok(Self {
            log: Tps::new(LogScore::clipped(Self::CLIP)?, schedule()).mean(traces, weights)?,
            brier: Tps::new(BrierScore, schedule()).mean(traces, weights)?,
            beta_2_4: Tps::new(BetaScore::new(2.0, 4.0)?, schedule()).mean(traces, weights)?,
        })
    }

    /// Returns the scores of each trace.
    ///
    /// # Errors
    ///
    /// The errors of [`Tps::scores`].
    pub fn scores(
        traces: &Traces,
        schedule: &WeightSchedule,
    ) -> Result<TpsFamily<Vec<f64>>, Error> {
        let schedule = || schedule.clone();
        Ok(TpsFamily {
            log: Tps::new(LogScore::clipped(Self::CLIP)?, schedule()).scores(traces)?,
            brier: Tps::new(BrierScore, schedule()).scores(traces)?,
            beta_2_4: Tps::new(BetaScore::new(2.0, 4.0)?, schedule()).scores(traces)?,
        })
    }
}

use scoring_rules::{BetaScore, BrierScore, LogScore};

use crate::{
    error::Error,
    streams::{tps::Tps, traces::Traces, weight_schedule::WeightSchedule},
};

/// The three trajectory proper scores that the paper reports, under one weight schedule: the log score of forecasts
/// clipped to [1e-6, 1 - 1e-6], in nats; the Brier score; and the beta score with parameters 2 and 4, for which a
/// wrong forecast of 0 costs twice as much as a wrong forecast of 1.
///
/// Higher is better. There is one entry per trace.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, appendix J.2.
///
/// ```
/// use trajectory_metrics::{Error, TpsFamily, Traces, WeightSchedule};
///
/// let traces = Traces::from_flat(&[0.5, 0.5, 0.0], &[2, 3], &[true, false])?;
/// let scores = TpsFamily::scores(&traces, &WeightSchedule::Uniform)?;
/// assert!((scores.log[0] - 0.5_f64.ln()).abs() < 1e-15);
/// assert_eq!(scores.brier, [-0.25, 0.0]);
///
/// let wrong = Traces::from_flat(&[0.0, 1.0], &[1, 2], &[true, false])?;
/// let beta = TpsFamily::scores(&wrong, &WeightSchedule::Uniform)?.beta_2_4;
/// assert!((beta[0] / beta[1] - 2.0).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TpsFamily {
    /// The log score, from `ln 1e-6` to 0.
    pub log: Vec<f64>,
    /// The Brier score `-(p - y)^2`, from -1 to 0.
    pub brier: Vec<f64>,
    /// The beta score with parameters 2 and 4.
    pub beta_2_4: Vec<f64>,
}

impl TpsFamily {
    /// Returns the scores of each trace.
    ///
    /// # Errors
    ///
    /// The errors of [`Tps::scores`].
    pub fn scores(traces: &Traces, schedule: &WeightSchedule) -> Result<Self, Error> {
        let schedule = || schedule.clone();
        Ok(Self {
            log: Tps::new(LogScore::clipped(LogScore::CLIP)?, schedule()).scores(traces)?,
            brier: Tps::new(BrierScore, schedule()).scores(traces)?,
            beta_2_4: Tps::new(BetaScore::new(2.0, 4.0)?, schedule()).scores(traces)?,
        })
    }
}

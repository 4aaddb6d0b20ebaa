use scoring_rules::{BetaScore, BrierScore, LogScore};

use crate::{Error, Tps, Traces, WeightSchedule};

/// The trajectory proper scores that the paper reports, under one weight schedule: the log score of
/// forecasts clipped at 1e-6, in nats; the Brier score; Beta(2, 4), bounded, for which a wrong
/// certainty of failure costs twice as much as a wrong certainty of success. `f64` for means, `Vec<f64>` for the score of each trace.
///
/// All are higher for better streams.
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
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct TpsFamily<T = f64> {
    /// The log score, from ln 1e-6 to 0.
    pub log: T,
    /// The Brier score, `-(p - y)^2`.
    pub brier: T,
    /// The beta family at (2, 4).
    pub beta_2_4: T,
}

impl TpsFamily {
    /// The clip of forecasts before the log score, as in the paper.
    pub const CLIP: f64 = 1e-6;

    /// The mean scores, weighted where weights are given, one a trace.
    ///
    /// # Errors
    ///
    /// As [`Tps::mean`].
    pub fn means(
        traces: &Traces,
        weights: Option<&[f64]>,
        schedule: &WeightSchedule,
    ) -> Result<Self, Error> {
        let schedule = || schedule.clone();
        Ok(Self {
            log: Tps::new(LogScore::clipped(Self::CLIP)?, schedule()).mean(traces, weights)?,
            brier: Tps::new(BrierScore, schedule()).mean(traces, weights)?,
            beta_2_4: Tps::new(BetaScore::new(2.0, 4.0)?, schedule()).mean(traces, weights)?,
        })
    }

    /// The scores of each trace.
    ///
    /// # Errors
    ///
    /// As [`Tps::scores`].
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

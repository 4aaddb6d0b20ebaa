use trajectory_metrics::{Probability, Trace};

use crate::{error::Error, reasons::stop_reason::StopReason, stops::stopped::Stopped};

/// A complete run as if it had been cut off: its forecasts up to the stop, and the horizon over which
/// it is evaluated.
///
/// It does not contain the outcome or later steps, so no score can depend on them.
///
/// ```
/// use censoring::{Error, HiddenOutcome, Observation, Probability, Trace};
///
/// let forecasts = Probability::from_slice(&[0.5, 0.6, 0.9])?;
/// let hidden = HiddenOutcome::new(Trace::new(forecasts, true)?, 2)?;
/// assert_eq!(hidden, HiddenOutcome::new(Trace::new(forecasts, false)?, 2)?);
///
/// assert_eq!((hidden.forecasts(), hidden.horizon()), (&forecasts[..2], 3));
///
/// let run = hidden.stopped()?;
/// assert_eq!((run.forecasts(), run.horizon()), (hidden.forecasts(), hidden.horizon()));
/// assert_eq!(run.observation(), Observation::Censored);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HiddenOutcome<'a> {
    seen: &'a [Probability],
    horizon: usize,
}

impl<'a> HiddenOutcome<'a> {
    /// Takes the first `stop` steps of a trace, at least 1. If `stop` is the length of the trace, only
    /// the outcome is hidden.
    ///
    /// # Errors
    ///
    /// [`Error::TrajectoryMetrics`] unless the stop is from 1 to the length of the trace.
    pub fn new(trace: Trace<'a>, stop: usize) -> Result<Self, Error> {
        Ok(Self { seen: split(trace, stop)?.0, horizon: trace.forecasts().len() })
    }

    /// Returns the forecasts up to the stop, at least one.
    #[must_use]
    pub const fn forecasts(&self) -> &'a [Probability] {
        self.seen
    }

    /// Returns the length of the complete run, over which weights are normalised.
    #[must_use]
    pub const fn horizon(&self) -> usize {
        self.horizon
    }

    /// Returns the run, cut off by a step budget.
    ///
    /// # Errors
    ///
    /// [`Error::TrajectoryMetrics`] for a horizon above 2^32 - 1.
    pub fn stopped(&self) -> Result<Stopped<'a>, Error> {
        Stopped::new(self.seen, None, Some(StopReason::MaxSteps))?.with_horizon(self.horizon)
    }
}

/// Splits the forecasts at a stop.
pub(crate) fn split(
    trace: Trace<'_>,
    stop: usize,
) -> Result<(&[Probability], &[Probability]), Error> {
    let forecasts = trace.forecasts();
    if stop == 0 {
        return Err(trajectory_metrics::Error::EmptyTrace { index: 0 }.into());
    }
    let horizon = forecasts.len();
    forecasts
        .split_at_checked(stop)
        .ok_or_else(|| trajectory_metrics::Error::Horizon { horizon, steps: stop }.into())
}

use trajectory_metrics::{Probability, Trace};

use crate::{Error, Exclusion, StopReason};

/// What is known of how a run ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observation<'a> {
    /// The outcome was observed.
    Complete(Trace<'a>),
    /// A budget ended the run first: the outcome is unknown and the stop says nothing about it.
    Censored,
    /// The outcome is unknown and the stop may be a sign of it, so the run cannot be scored.
    Excluded(&'a Exclusion),
}

/// A run up to where it stopped: forecasts, evaluated horizon, and an outcome that may be missing.
///
/// The horizon is the length that weights are normalised over. For a run that a step budget ended
/// it is the stop itself; it is longer where a run was cut off before the horizon that it would
/// have been scored over. An unknown outcome is never a failure here unless a score says so in its
/// name.
///
/// ```
/// use censoring::{Error, Exclusion, Observation, Probability, StopReason, Stopped};
///
/// let forecasts = Probability::from_slice(&[0.4, 0.3])?;
/// let cut_off = Stopped::new(forecasts, None, Some(StopReason::MaxSteps))?;
/// assert_eq!(cut_off.observation(), Observation::Censored);
/// assert_eq!(cut_off.horizon(), 2);
///
/// let garbled = Stopped::new(forecasts, None, Some(StopReason::ParseError))?;
/// let reason = Exclusion::Stopped(StopReason::ParseError);
/// assert_eq!(garbled.observation(), Observation::Excluded(&reason));
///
/// // An outcome that was observed counts, whatever ended the run.
/// let judged = Stopped::new(forecasts, Some(false), Some(StopReason::MaxSteps))?;
/// assert!(matches!(judged.observation(), Observation::Complete(_)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped<'a> {
    forecasts: &'a [Probability],
    horizon: usize,
    end: End<'a>,
}

#[derive(Clone, Debug, PartialEq)]
enum End<'a> {
    Complete(Trace<'a>),
    Censored,
    Excluded(Exclusion),
}

impl<'a> Stopped<'a> {
    /// A run whose horizon is where it stopped.
    ///
    /// A known outcome makes the run complete. An unknown one makes it censored where a budget
    /// ended the run, and excludes it otherwise, also where no reason is given.
    ///
    /// # Errors
    ///
    /// [`Error::Trajectory`] without a forecast; [`Error::CompletedWithoutOutcome`] for a
    /// completed run whose outcome is unknown.
    pub fn new(
        forecasts: &'a [Probability],
        outcome: Option<bool>,
        reason: Option<StopReason>,
    ) -> Result<Self, Error> {
        let trace = Trace::new(forecasts, outcome.unwrap_or_default())?;
        let end = match (outcome, reason) {
            (Some(_), _) => End::Complete(trace),
            (None, Some(StopReason::Completed)) => return Err(Error::CompletedWithoutOutcome),
            (None, Some(reason)) if reason.is_administrative() => End::Censored,
            (None, Some(reason)) => End::Excluded(Exclusion::Stopped(reason)),
            (None, None) => End::Excluded(Exclusion::NoReason),
        };
        Ok(Self { forecasts, horizon: forecasts.len(), end })
    }

    /// The same run with the horizon that it is evaluated over. A complete run keeps its own
    /// length, which is its horizon.
    ///
    /// # Errors
    ///
    /// [`Error::Trajectory`] where the horizon is shorter than the run or above 2^32 - 1.
    pub fn with_horizon(mut self, horizon: usize) -> Result<Self, Error> {
        let steps = self.forecasts.len();
        if horizon < steps {
            return Err(trajectory_metrics::Error::Horizon { horizon, steps }.into());
        }
        if horizon as u64 > u64::from(u32::MAX) {
            return Err(trajectory_metrics::Error::HorizonTooLong { horizon }.into());
        }
        if !matches!(self.end, End::Complete(_)) {
            self.horizon = horizon;
        }
        Ok(self)
    }

    /// The forecasts up to the stop, at least one.
    #[must_use]
    pub const fn forecasts(&self) -> &'a [Probability] {
        self.forecasts
    }

    /// The evaluated horizon, at least as long as the run.
    #[must_use]
    pub const fn horizon(&self) -> usize {
        self.horizon
    }

    /// What is known of how the run ended.
    #[must_use]
    pub const fn observation(&self) -> Observation<'_> {
        match &self.end {
            End::Complete(trace) => Observation::Complete(*trace),
            End::Censored => Observation::Censored,
            End::Excluded(exclusion) => Observation::Excluded(exclusion),
        }
    }
}

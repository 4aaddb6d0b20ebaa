use scoring_rules::checks::same_length;
use trajectory_metrics::{Probability, Trace, WeightSchedule};

use crate::{
    error::Error,
    reasons::{exclusion::Exclusion, stop_class::StopClass, stop_reason::StopReason},
};

/// What is known about the end of a run.
///
/// ```
/// use censoring::{Error, Observation, Probability, StopReason, Stopped};
///
/// let forecasts = [Probability::HALF];
/// let run = Stopped::new(&forecasts, None, Some(StopReason::MaxTime))?;
/// let text = match run.observation() {
///     Observation::Complete(trace) => format!("ended with {}", trace.outcome()),
///     Observation::Censored => "cut off".to_owned(),
///     Observation::Excluded(reason) => format!("left out for {reason}"),
/// };
/// assert_eq!(text, "cut off");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observation<'a> {
    /// The outcome was observed.
    Complete(Trace<'a>),
    /// A budget ended the run first: the outcome is unknown and unrelated to the stop.
    Censored,
    /// The outcome is unknown and may be related to the stop, so the run cannot be scored.
    Excluded(&'a Exclusion),
}

/// A run up to its stop: its forecasts, the evaluated horizon, and an outcome that may be missing.
///
/// Weights are normalised over the horizon. If a step budget ended a run, the horizon is the stop itself. The
/// horizon is longer if a run was cut off before the end of its scoring horizon. An unknown outcome is never
/// counted as a failure, except by functions that document it.
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
/// // An observed outcome makes the run complete, whatever ended it.
/// let judged = Stopped::new(forecasts, Some(false), Some(StopReason::MaxSteps))?;
/// assert!(matches!(judged.observation(), Observation::Complete(_)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped<'a> {
    /// The forecasts, and the outcome of a complete run.
    trace: Trace<'a>,
    horizon: u32,
    class: StopClass,
    /// The reason why the run ended, if it is known. For an excluded run, this is the reason for its exclusion. Many files
    /// have none.
    reason: Option<Box<Exclusion>>,
}

/// Written as the forecasts, the outcome if it is known, the horizon, the class, and the reason.
#[cfg(feature = "serde")]
impl serde::Serialize for Stopped<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;

        let mut fields = serializer.serialize_struct("Stopped", 5)?;
        fields.serialize_field("forecasts", self.forecasts())?;
        fields.serialize_field("outcome", &self.outcome())?;
        fields.serialize_field("horizon", &self.horizon)?;
        fields.serialize_field("class", &self.class)?;
        fields.serialize_field("reason", &self.reason)?;
        fields.end()
    }
}

impl<'a> Stopped<'a> {
    /// Creates a run that was to be evaluated over exactly the steps that it has: its horizon is its length.
    ///
    /// A run with an outcome is complete. Without an outcome, the default policy
    /// [`StopReason::class`] classifies the run by its reason; without a reason it is excluded.
    ///
    /// # Errors
    ///
    /// [`Error::TrajectoryMetrics`] without a forecast or with more than 2^32 - 1; [`Error::Undetermined`] for a
    /// completed run whose outcome is unknown.
    pub fn new(
        forecasts: &'a [Probability],
        outcome: Option<bool>,
        reason: Option<StopReason>,
    ) -> Result<Self, Error> {
        Self::with_policy(forecasts, outcome, reason, StopReason::class)
    }

    /// Creates a run under a policy of the caller. For a run without an outcome, `policy` takes the stop reason and
    /// returns the class of the run. A run without an outcome and without a stop reason is excluded.
    ///
    /// # Errors
    ///
    /// The errors of [`Stopped::new`]; a run is completed if the policy says so.
    ///
    /// ```
    /// use censoring::{Error, Observation, Probability, StopClass, StopReason, Stopped};
    ///
    /// // This environment closes at a fixed time; all other reasons have their default class.
    /// let policy = |reason: &StopReason| match reason {
    ///     StopReason::EnvironmentEnd => StopClass::Censored,
    ///     other => other.class(),
    /// };
    /// let forecasts = [Probability::HALF];
    /// let run =
    ///     Stopped::with_policy(&forecasts, None, Some(StopReason::EnvironmentEnd), policy)?;
    /// assert_eq!(run.observation(), Observation::Censored);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn with_policy(
        forecasts: &'a [Probability],
        outcome: Option<bool>,
        reason: Option<StopReason>,
        policy: impl Fn(&StopReason) -> StopClass,
    ) -> Result<Self, Error> {
        let trace = Trace::new(forecasts, outcome.unwrap_or_default())?;
        let reason = reason.map(StopReason::read);
        let class = match (outcome, &reason) {
            (Some(_), _) => StopClass::Complete,
            (None, None) => StopClass::Excluded,
            (None, Some(reason)) => match policy(reason) {
                StopClass::Complete => {
                    return Err(Error::Undetermined {
                        problem: "a completed run needs an outcome; if nobody judged it, give the \
                                  stop reason \"unjudged\"",
                    });
                }
                class => class,
            },
        };
        let reason = reason.map(|reason| Box::new(Exclusion::Stopped(reason)));
        Ok(Self { trace, horizon: checked(0, forecasts.len())?, class, reason })
    }

    /// Creates a run from the first `stop` steps of a complete run, at least 1, as if a step budget had cut it off. If
    /// `stop` is the length of the trace, only the outcome is hidden. The horizon is the length of the trace. The new
    /// run contains neither the outcome nor later steps, so that no score can depend on them.
    ///
    /// # Errors
    ///
    /// [`Error::TrajectoryMetrics`] unless the stop is from 1 to the length of the trace.
    ///
    /// ```
    /// use censoring::{Error, Observation, Probability, Stopped, Trace};
    ///
    /// let forecasts = Probability::from_slice(&[0.5, 0.6, 0.9])?;
    /// let hidden = Stopped::with_hidden_outcome(Trace::new(forecasts, true)?, 2)?;
    /// assert_eq!(hidden, Stopped::with_hidden_outcome(Trace::new(forecasts, false)?, 2)?);
    /// assert_eq!((hidden.forecasts(), hidden.horizon()), (&forecasts[..2], 3));
    /// assert_eq!(hidden.observation(), Observation::Censored);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn with_hidden_outcome(trace: Trace<'a>, stop: usize) -> Result<Self, Error> {
        let (seen, _) = split(trace, stop)?;
        Self::new(seen, None, Some(StopReason::MaxSteps))?.with_horizon(trace.forecasts().len())
    }

    /// Sets the horizon over which the run is evaluated. The horizon of a complete run stays its
    /// length.
    ///
    /// Steps between the stop and the horizon count 0, the best Brier and log score: a run that is cut off
    /// earlier scores better. Scores over horizons are for runs of one budget, not for a comparison of
    /// runs with different budgets.
    ///
    /// # Errors
    ///
    /// [`Error::TrajectoryMetrics`] if the horizon is shorter than the run or above 2^32 - 1.
    pub fn with_horizon(mut self, horizon: usize) -> Result<Self, Error> {
        let horizon = checked(self.forecasts().len(), horizon)?;
        if self.class != StopClass::Complete {
            self.horizon = horizon;
        }
        Ok(self)
    }

    /// Returns the same run with other forecasts, such as calibrated ones.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one forecast per step of the run.
    ///
    /// ```
    /// use censoring::{Error, Probability, StopReason, Stopped};
    ///
    /// let run = Stopped::new(&[Probability::HALF], None, Some(StopReason::MaxSteps))?;
    /// let other = [Probability::ONE];
    /// let run = run.with_horizon(4)?.with_forecasts(&other)?;
    /// assert_eq!((run.forecasts(), run.horizon()), (&other[..], 4));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn with_forecasts<'b>(&self, forecasts: &'b [Probability]) -> Result<Stopped<'b>, Error> {
        same_length("forecasts", self.forecasts().len(), forecasts.len())?;
        let trace = Trace::new(forecasts, self.trace.outcome())?;
        let Self { horizon, class, reason, .. } = self.clone();
        Ok(Stopped { trace, horizon, class, reason })
    }

    /// Returns the forecasts up to the stop, at least one.
    #[must_use]
    pub const fn forecasts(&self) -> &'a [Probability] {
        self.trace.forecasts()
    }

    /// Returns the evaluated horizon, at least as long as the run.
    #[must_use]
    pub const fn horizon(&self) -> usize {
        self.horizon as usize
    }

    /// Returns the known facts about the end of the run.
    #[must_use]
    pub const fn observation(&self) -> Observation<'_> {
        match self.class {
            StopClass::Complete => Observation::Complete(self.trace),
            StopClass::Censored => Observation::Censored,
            StopClass::Excluded => Observation::Excluded(self.exclusion()),
        }
    }

    /// Returns whether the run is complete, censored or excluded.
    #[must_use]
    pub const fn class(&self) -> StopClass {
        self.class
    }

    /// Returns the outcome, if it was observed: true is success.
    #[must_use]
    pub const fn outcome(&self) -> Option<bool> {
        match self.class {
            StopClass::Complete => Some(self.trace.outcome()),
            StopClass::Censored | StopClass::Excluded => None,
        }
    }

    /// Returns the stop reason, if it is known.
    #[must_use]
    pub const fn reason(&self) -> Option<&StopReason> {
        match self.exclusion() {
            Exclusion::Stopped(reason) => Some(reason),
            Exclusion::NoReason => None,
        }
    }

    const fn exclusion(&self) -> &Exclusion {
        match &self.reason {
            Some(reason) => reason,
            None => &Exclusion::NoReason,
        }
    }
}

/// Checks that a horizon is at least a number of steps and at most 2^32 - 1.
fn checked(steps: usize, horizon: usize) -> Result<u32, Error> {
    WeightSchedule::check_horizon(steps, horizon)?;
    Ok(horizon as u32)
}

/// Splits the forecasts at a stop.
pub(crate) fn split(
    trace: Trace<'_>,
    stop: usize,
) -> Result<(&[Probability], &[Probability]), Error> {
    WeightSchedule::check_horizon(stop, trace.forecasts().len())?;
    let (seen, hidden) = trace.forecasts().split_at(stop);
    Ok((Trace::new(seen, trace.outcome())?.forecasts(), hidden))
}

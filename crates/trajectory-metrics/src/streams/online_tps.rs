use scoring_rules::{CompensatedSum, Probability, ScoringRule, checks::stored_value};

use crate::{
    error::Error,
    forecast_fault::ForecastFault,
    streams::{
        forecast_policy::{Checked, ForecastCounts, ForecastPolicy},
        tps::{Tps, check_horizon},
        weight_schedule::{WeightSchedule, weigh},
    },
};

/// The trajectory proper score of a run in progress. Forecasts are added one at a time, and neither the length of the
/// run nor its outcome is known in advance.
///
/// Takes constant memory and computes two scores per push. The result equals [`Tps::score`] of the
/// whole stream up to a relative difference of 1e-12. Weights that depend on the length are
/// computed from running sums; linear-front weights from a running sum of running sums.
///
/// ```
/// use trajectory_metrics::{Error, LogScore, OnlineTps, Probability, Tps, Trace, WeightSchedule};
///
/// let tps = Tps::new(LogScore::clipped(1e-6)?, WeightSchedule::LinearFront);
/// let stream = Probability::from_slice(&[0.6, 0.4, 0.9])?;
///
/// let mut online = OnlineTps::new(tps.clone());
/// for &forecast in stream {
///     online.push(forecast);
/// }
/// assert_eq!(online.steps(), 3);
/// let batch = tps.score(Trace::new(stream, true)?)?;
/// assert!((online.finish(true)? - batch).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
///
/// A model does not always answer with a probability. [`Self::push_raw`] accepts any answer and treats
/// invalid answers by a [`ForecastPolicy`]:
///
/// ```
/// use trajectory_metrics::{Error, ForecastPolicy, LogScore, OnlineTps, Tps, WeightSchedule};
///
/// let tps = Tps::new(LogScore::clipped(1e-6)?, WeightSchedule::LinearFront);
/// let mut online = OnlineTps::new(tps).with_policy(ForecastPolicy::CarryForward);
/// for answer in [Some(0.6), None, Some(0.9)] {
///     online.push_raw(answer)?;
/// }
/// assert_eq!((online.steps(), online.forecast_counts().carried), (3, 1));
/// # Ok::<(), Error>(())
/// ```
///
/// To interrupt the loop, store [`Self::state`]; [`Self::resume`] continues from it with the same
/// bits.
#[derive(Clone, Debug, PartialEq)]
pub struct OnlineTps<R> {
    tps: Tps<R>,
    state: OnlineTpsState,
}

/// The state of an [`OnlineTps`], without its rule, from [`OnlineTps::state`].
///
/// It contains the weight schedule, so that a run cannot be resumed with another one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct OnlineTpsState {
    schedule: WeightSchedule,
    policy: ForecastPolicy,
    steps: usize,
    last: Option<Probability>,
    clipped: u64,
    carried: u64,
    // Missing in states that were stored by version 0.2.
    #[cfg_attr(feature = "serde", serde(default))]
    skipped: u64,
    left_out: Option<(usize, ForecastFault)>,
    /// The sums for each outcome that the run may have.
    failure: Sums,
    success: Sums,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Sums {
    plain: CompensatedSum,
    weighted: CompensatedSum,
}

impl<R: ScoringRule> OnlineTps<R> {
    /// Starts a run that has no forecasts yet and is scored by `tps`.
    #[must_use]
    pub fn new(tps: Tps<R>) -> Self {
        let state = OnlineTpsState {
            schedule: tps.schedule().clone(),
            policy: ForecastPolicy::default(),
            steps: 0,
            last: None,
            clipped: 0,
            carried: 0,
            skipped: 0,
            left_out: None,
            failure: Sums::default(),
            success: Sums::default(),
        };
        Self { tps, state }
    }

    /// Returns the current state, which can be stored.
    #[must_use]
    pub const fn state(&self) -> &OnlineTpsState {
        &self.state
    }

    /// Continues a run from a stored state. Give the same score as for the original run: its rule is not part of the
    /// state, so that a different rule cannot be detected.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the weight schedule differs from the stored one;
    /// [`scoring_rules::Error::StoredValue`] for a state that no run can reach.
    ///
    /// ```
    /// use trajectory_metrics::{BrierScore, Error, OnlineTps, Probability, Tps, WeightSchedule};
    ///
    /// let tps = Tps::new(BrierScore, WeightSchedule::LinearFront);
    /// let mut run = OnlineTps::new(tps.clone());
    /// run.push(Probability::HALF);
    /// let mut resumed = OnlineTps::resume(tps, run.state().clone())?;
    /// run.push(Probability::ONE);
    /// resumed.push(Probability::ONE);
    /// assert_eq!(resumed, run);
    ///
    /// let other = Tps::new(BrierScore, WeightSchedule::Uniform);
    /// let error = OnlineTps::resume(other, run.state().clone());
    /// assert!(matches!(error, Err(Error::Invalid(_))));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn resume(tps: Tps<R>, state: OnlineTpsState) -> Result<Self, Error> {
        if *tps.schedule() != state.schedule {
            return Err(Error::Invalid(format!(
                "the stored run has {} weights, but it is resumed with {} weights; give the schedule of the stored run",
                state.schedule.name(),
                tps.schedule().name(),
            )));
        }
        state.check()?;
        Ok(Self { tps, state })
    }

    /// Sets the policy that [`Self::push_raw`] applies; the default is [`ForecastPolicy::Refuse`].
    #[must_use]
    pub fn with_policy(mut self, policy: ForecastPolicy) -> Self {
        self.state.policy = policy;
        self
    }

    /// Adds the forecast that a model gave at the next step: a number, or `None` if it gave none.
    ///
    /// If the policy leaves the run out, all later forecasts are ignored, [`Self::left_out`] returns
    /// the reason, and [`Self::finish`] is an error. A run whose steps so far were all skipped is left
    /// out until a step has a forecast.
    ///
    /// # Errors
    ///
    /// [`Error::Forecast`] if the policy refuses the value. The run is then unchanged, so that
    /// another value can be pushed for the same step.
    pub fn push_raw(&mut self, forecast: impl Into<Option<f64>>) -> Result<(), Error> {
        let skips = self.state.policy == ForecastPolicy::Skip;
        if self.state.left_out.is_some() && !skips {
            return Ok(());
        }
        let step = self.state.steps.saturating_add(1);
        match self.state.policy.check(step, forecast.into(), self.state.last)? {
            Checked::AsGiven(forecast) => {
                if skips {
                    self.state.left_out = None;
                }
                self.push(forecast);
            }
            Checked::Clipped(forecast) => {
                self.push(forecast);
                self.state.clipped += 1;
            }
            Checked::Carried(forecast) => {
                self.push(forecast);
                self.state.carried += 1;
            }
            Checked::Skipped(fault) => {
                self.state.skipped = self.state.skipped.saturating_add(1);
                if self.state.steps == 0 {
                    self.state.left_out.get_or_insert((step, fault));
                }
            }
            Checked::LeftOut(fault) => self.state.left_out = Some((step, fault)),
        }
        Ok(())
    }

    /// If the policy left out the run, returns the step that caused this, counted from 1, and the fault of the forecast
    /// at this step; `None` if the run is kept.
    #[must_use]
    pub const fn left_out(&self) -> Option<(usize, ForecastFault)> {
        self.state.left_out
    }

    /// Returns the counts of this run and its repairs. At the end of each run, [`merge`](ForecastCounts::merge) them
    /// into the counts over all runs.
    #[must_use]
    pub const fn forecast_counts(&self) -> ForecastCounts {
        if self.state.left_out.is_some() {
            ForecastCounts::LEFT_OUT
        } else {
            ForecastCounts::kept(self.state.clipped, self.state.carried, self.state.skipped)
        }
    }

    /// Adds the forecast of the next step. It is ignored if the policy has left the run out.
    pub fn push(&mut self, forecast: Probability) {
        if self.state.left_out.is_some() {
            return;
        }
        self.state.steps = self.state.steps.saturating_add(1);
        self.state.last = Some(forecast);
        let schedule = self.tps.schedule();
        for (outcome, sums) in [(false, &mut self.state.failure), (true, &mut self.state.success)] {
            let score = self.tps.rule().score(forecast, outcome);
            sums.plain.add(score);
            match schedule {
                WeightSchedule::LinearFront => sums.weighted.add(sums.plain.value()),
                // Beyond the custom weights, the score is an error.
                WeightSchedule::Custom(custom) if self.state.steps > custom.len() => {}
                _ => sums
                    .weighted
                    .add(weigh(schedule.raw(self.state.steps - 1, self.state.steps), score)),
            }
        }
    }

    /// Returns the number of forecasts so far.
    #[must_use]
    pub const fn steps(&self) -> usize {
        self.state.steps
    }

    /// Returns the score of the run if it ends here with this outcome. More forecasts may follow.
    ///
    /// # Errors
    ///
    /// [`Error::RunLeftOut`] if the policy has left the run out; [`scoring_rules::Error::Empty`]
    /// before the first forecast; [`Error::ScheduleTooShort`] if there are more steps than custom
    /// weights; [`Error::HorizonTooLong`] above 2^32 - 1 steps.
    pub fn finish(&self, outcome: bool) -> Result<f64, Error> {
        self.finish_prefix(outcome, self.state.steps)
    }

    /// Returns what the forecasts so far contribute to the score of a run of `horizon` steps, as in
    /// [`Tps::prefix_score`].
    ///
    /// # Errors
    ///
    /// The errors of [`Self::finish`] for this horizon; [`Error::Horizon`] if there are already more
    /// steps.
    ///
    /// ```
    /// use trajectory_metrics::{BrierScore, Error, OnlineTps, Probability, Tps, WeightSchedule};
    ///
    /// let mut run = OnlineTps::new(Tps::new(BrierScore, WeightSchedule::Uniform));
    /// run.push(Probability::HALF);
    /// assert_eq!(run.finish_prefix(true, 5)?, -0.05);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn finish_prefix(&self, outcome: bool, horizon: usize) -> Result<f64, Error> {
        if let Some((step, fault)) = self.state.left_out {
            return Err(Error::RunLeftOut { step, fault });
        }
        check_horizon(self.state.steps, horizon)?;
        let sums = if outcome { &self.state.success } else { &self.state.failure };
        let mut sum = sums.weighted;
        if let WeightSchedule::LinearFront = self.tps.schedule() {
            let beyond = horizon - self.state.steps;
            if beyond > 0 {
                sum.add(beyond as f64 * sums.plain.value());
            }
        }
        Ok(sum.value() / self.tps.schedule().total(horizon)?)
    }
}

impl OnlineTpsState {
    /// Checks that a run can reach this state.
    fn check(&self) -> Result<(), Error> {
        let invalid = |problem| Err(stored_value(problem).into());
        if self.steps as u64 > u64::from(u32::MAX) {
            return invalid("a run has more than 2^32 - 1 steps");
        }
        if (self.steps == 0) != self.last.is_none() {
            return invalid("the last forecast does not match the number of steps");
        }
        if self.steps == 0 && (self.failure, self.success) != (Sums::default(), Sums::default()) {
            return invalid("a run without steps has sums other than 0");
        }
        if self.clipped.saturating_add(self.carried) > self.steps as u64 {
            return invalid("a run has more repaired forecasts than steps");
        }
        if self.left_out.is_some_and(|(step, _)| step.checked_sub(1) != Some(self.steps)) {
            return invalid(
                "a run was left out at a step other than the one after its last forecast",
            );
        }
        Ok(())
    }
}

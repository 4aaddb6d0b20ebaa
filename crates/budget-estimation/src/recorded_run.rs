use censoring::{Observation, StopClass, StopReason, Stopped};
use scoring_rules::{Probability, ScoringRule};
use trajectory_metrics::Tps;

use crate::{
    checks::{same_length, setting},
    error::Error,
    estimates::estimate::Estimate,
    replay::prefix::{Prefix, prefix},
    resource::Resource,
    rollouts::storage::Rollouts,
    stopping::{advice::Advice, monitor::BudgetMonitor},
};

/// A run that is recorded while it goes on: the loop of the agent gives each cost and each forecast once.
///
/// During the run, estimators are asked about its [prefix](Self::prefix). After k turns, it equals the prefix in a replay of
/// the finished run. The run's [`BudgetMonitor`] [advises](Self::advise) to continue, to warn or to stop. After its end, the
/// run is a [`Stopped`] run, has a [trajectory score](Self::tps), and is a rollout: [`Rollouts::append`] adds it to others.
///
/// ```
/// use budget_estimation::{
///     BudgetMonitor, Error, Estimate, Estimator, LinearEstimator, RecordedRun, Rollouts, StopReason,
/// };
///
/// let mut run = RecordedRun::new(BudgetMonitor::new([("tokens", Some(500.0)), ("usd", None)])?)?;
/// let tokens = run.resource("tokens")?;
/// let mut linear = LinearEstimator::new(5.0, 0.5)?;
/// for (spent, forecast) in [([90.0, 0.01], 0.7), ([470.0, 0.05], 0.4)] {
///     run.push_forecast(forecast)?;
///     run.push(&spent)?;
///     // The dollars are not estimated.
///     let estimates = [linear.estimate(&run.prefix(tokens)?)?, Estimate::NoAnswer];
///     if let Some(reason) = run.advise(&estimates, None)?.stop_reason() {
///         run.cut(reason)?;
///     }
/// }
/// assert_eq!(run.stopped()?.reason(), Some(&StopReason::MaxTokens));
/// assert!(run.monitor().left().eq([Some(-60.0), None]));
///
/// let mut rollouts = Rollouts::new(["tokens", "usd"])?;
/// rollouts.append(run.rollouts())?;
/// assert!(rollouts.get(0)?.is_censored());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecordedRun {
    /// One rollout, without a turn at first.
    rollouts: Rollouts,
    monitor: BudgetMonitor,
    forecasts: Vec<Probability>,
    end: Option<End>,
}

#[derive(Clone, Debug)]
struct End {
    outcome: Option<bool>,
    reason: Option<StopReason>,
}

impl RecordedRun {
    /// Creates a run before its first turn. Each turn spends the resources that the monitor watches; the monitor also
    /// has their caps and the stop rules.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for a monitor that has seen a turn.
    pub fn new(monitor: BudgetMonitor) -> Result<Self, Error> {
        let (name, range) = ("number of turns of the monitor", "0 before the first turn");
        setting(name, monitor.turns() as f64, monitor.turns() == 0, range)?;
        let mut rollouts = Rollouts::new(monitor.names())?;
        let resources: Vec<Resource> = rollouts.resources().map(|(it, _)| it).collect();
        for (resource, cap) in resources.into_iter().zip(monitor.caps()) {
            cap.map_or(Ok(()), |cap| rollouts.set_cap(resource, cap))?;
        }
        rollouts.begin();
        Ok(Self { rollouts, monitor, forecasts: Vec::new(), end: None })
    }

    /// Declares keys of the run, such as its model; see [`Rollouts::with_keys`].
    ///
    /// # Errors
    ///
    /// As [`Rollouts::with_keys`].
    pub fn with_keys<N: Into<String>>(
        self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, Error> {
        Ok(Self { rollouts: self.rollouts.with_keys(names)?, ..self })
    }

    /// Declares numeric features of turns; see [`Rollouts::with_features`].
    ///
    /// # Errors
    ///
    /// As [`Rollouts::with_features`].
    pub fn with_features<N: Into<String>>(
        self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, Error> {
        Ok(Self { rollouts: self.rollouts.with_features(names)?, ..self })
    }

    /// Returns the monitor, which knows the amounts spent and left.
    #[must_use]
    pub const fn monitor(&self) -> &BudgetMonitor {
        &self.monitor
    }

    /// Returns a collection that has the run as its only rollout. Until its end, the run counts as failed and not as
    /// cut off.
    #[must_use]
    pub const fn rollouts(&self) -> &Rollouts {
        &self.rollouts
    }

    /// Returns the handle of a resource.
    ///
    /// # Errors
    ///
    /// As [`Rollouts::resource`].
    pub fn resource(&self, name: &str) -> Result<Resource, Error> {
        self.rollouts.resource(name)
    }

    /// Appends a turn with its cost in each resource; `None` for an unknown cost.
    ///
    /// # Errors
    ///
    /// [`Error::RunEnded`] after the end of the run; [`Error::CostCount`] unless there is one cost per
    /// resource; [`Error::Cost`] for a cost that is not from 0 to 1e100. Nothing is appended.
    pub fn push<C: Copy + Into<Option<f64>>>(&mut self, costs: &[C]) -> Result<(), Error> {
        self.check_goes_on()?;
        let costs: Vec<Option<f64>> = costs.iter().map(|&cost| cost.into()).collect();
        self.rollouts.continue_with(&costs)?;
        self.monitor.spend(costs);
        Ok(())
    }

    /// Appends the forecast that the run will succeed with this probability. The number of forecasts may differ from the
    /// number of turns, because a turn may have no forecast.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::NotAProbability`] unless the forecast is from 0 to 1, such as 85 for 85 %; [`Error::RunEnded`]
    /// after the end of the run. Nothing is appended.
    pub fn push_forecast(&mut self, forecast: f64) -> Result<(), Error> {
        self.check_goes_on()?;
        self.forecasts.push(Probability::new(forecast)?);
        Ok(())
    }

    /// Sets a key, such as `task`, which is known before the first turn.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchColumn`] if the key is not declared.
    pub fn set_key(&mut self, name: &str, value: impl Into<String>) -> Result<(), Error> {
        self.rollouts.set_key(0, name, value)
    }

    /// Sets a feature of a completed turn, counted from 1. With turn 0, sets a feature that is known before the first
    /// turn; see [`Rollouts::set_feature`].
    ///
    /// # Errors
    ///
    /// As [`Rollouts::set_feature`].
    pub fn set_feature(&mut self, turn: usize, name: &str, value: f64) -> Result<(), Error> {
        self.rollouts.set_feature(0, turn, name, value)
    }

    /// Sets the content of a completed turn, counted from 1. With turn 0, sets the content that is known before the
    /// first turn; see [`Rollouts::set_content`].
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTurn`] for a turn that is not completed.
    pub fn set_content(&mut self, turn: usize, content: impl Into<String>) -> Result<(), Error> {
        self.rollouts.set_content(0, turn, content)
    }

    /// Returns the prefix of the run up to now, from which this resource can be estimated.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCost`] if one of its costs is unknown; [`Error::NoSuchResource`] for a handle
    /// from other runs.
    pub fn prefix(&self, resource: Resource) -> Result<Prefix<'_>, Error> {
        let rollout = self.rollouts.get(0)?;
        let usage = rollout.usage(resource)?;
        Ok(prefix(&rollout, resource, usage, rollout.turns()))
    }

    /// Returns the advice of the monitor after a turn, or before the first turn, given an estimate of each resource. Call it
    /// once per turn, because it counts consecutive impossible estimates.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one estimate per resource; [`Error::NegativeEstimate`] for an
    /// estimate that begins below 0; [`Error::UnknownCost`] if a cost of a resource with a cap is unknown, because the
    /// amount left is then unknown.
    pub fn advise(
        &mut self,
        estimates: &[Estimate],
        failure_probability: Option<Probability>,
    ) -> Result<Advice, Error> {
        same_length("estimates of a turn", self.rollouts.columns.len(), estimates.len())?;
        let run = self.rollouts.get(0)?;
        let resources = self.rollouts.resources().zip(self.monitor.caps());
        for ((resource, _), _) in resources.filter(|(_, cap)| cap.is_some()) {
            run.usage(resource)?;
        }
        self.monitor.advise_alone(estimates, failure_probability)
    }

    /// Ends the run with its outcome.
    ///
    /// # Errors
    ///
    /// [`Error::RunEnded`] if the run has already ended.
    pub fn finish(&mut self, succeeded: bool) -> Result<(), Error> {
        self.end(Some(succeeded), None)
    }

    /// Ends the run without an outcome, because something stopped it; see [`Advice::stop_reason`].
    ///
    /// # Errors
    ///
    /// As [`RecordedRun::finish`].
    pub fn cut(&mut self, reason: StopReason) -> Result<(), Error> {
        self.end(None, Some(reason))
    }

    fn check_goes_on(&self) -> Result<(), Error> {
        if self.end.is_none() { Ok(()) } else { Err(Error::RunEnded) }
    }

    fn end(&mut self, outcome: Option<bool>, reason: Option<StopReason>) -> Result<(), Error> {
        self.check_goes_on()?;
        self.rollouts.set_outcome(0, outcome == Some(true));
        if reason.as_ref().is_some_and(|reason| reason.class() == StopClass::Censored) {
            self.rollouts.set_censored(0)?;
        }
        self.end = Some(End { outcome, reason });
        Ok(())
    }

    /// Returns the run up to the point where it stopped, with its forecasts.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Undefined`] before the end of the run; the errors of [`Stopped::new`], for example for a run
    /// without a forecast.
    pub fn stopped(&self) -> Result<Stopped<'_>, Error> {
        let (name, reason) = ("the stop", "the run has not ended");
        let end = self.end.as_ref().ok_or(scoring_rules::checks::undefined(name, reason))?;
        Ok(Stopped::new(&self.forecasts, end.outcome, end.reason.clone())?)
    }

    /// Returns the trajectory score of the forecasts. The run must have an outcome.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Undefined`] for a run without an outcome, for which the crate `censoring` has
    /// scores; the errors of [`RecordedRun::stopped`] and of [`Tps::score`].
    pub fn tps<R: ScoringRule>(&self, tps: &Tps<R>) -> Result<f64, Error> {
        if let Observation::Complete(trace) = self.stopped()?.observation() {
            return Ok(tps.score(trace)?);
        }
        let (name, reason) = ("the trajectory score", "the outcome is unknown");
        Err(scoring_rules::checks::undefined(name, reason).into())
    }
}

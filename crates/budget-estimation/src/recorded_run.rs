use censoring::{Observation, StopClass, StopReason, Stopped};
use scoring_rules::{Probability, ScoringRule};
use trajectory_metrics::Tps;

use crate::{
    budgets::budget::Budget,
    checks::{same_length, setting},
    error::Error,
    estimates::estimate::Estimate,
    replay::prefix::{Prefix, prefix},
    resource::Resource,
    rollouts::storage::Rollouts,
    state::Sealed,
    stopping::{advice::Advice, monitor::BudgetMonitor},
};

/// A run that is recorded while it is in progress. The agent's loop passes each cost and each forecast to it once.
///
/// During the run, estimators are asked about its [prefix](Self::prefix). After k turns, it equals the prefix in a replay of
/// the finished run. The run's [`BudgetMonitor`] [advises](Self::advise) to continue, to warn or to stop. After its end, the
/// run is a [`Stopped`] run, has a [trajectory score](Self::tps), and is a rollout: [`Rollouts::append`] adds it to others.
///
/// With the feature `serde`, a run can be stored at any moment, also within a turn, and continues with the same bits. Text
/// that was changed is refused.
///
/// ```
/// use budget_estimation::{
///     BudgetMonitor, Error, Estimate, Estimator, LinearEstimator, RecordedRun, Rollouts, StopReason,
/// };
///
/// let mut run = RecordedRun::new(BudgetMonitor::new([("tokens", Some(500.0)), ("usd", None)])?)?;
/// let tokens = run.rollouts().resource("tokens")?;
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
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct RecordedRun(Sealed<Recording>);

scoring_rules::checked! {
    #[derive(Clone, Debug)]
    struct Recording {
        /// One rollout, without a turn at first.
        rollouts: Rollouts,
        monitor: BudgetMonitor,
        forecasts: Vec<Probability>,
        end: Option<End>,
    }
    check: Self::check
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct End {
    outcome: Option<bool>,
    reason: Option<StopReason>,
}

impl End {
    fn is_censored(&self) -> bool {
        self.reason.as_ref().is_some_and(|reason| reason.class() == StopClass::Censored)
    }
}

#[cfg(feature = "serde")]
impl Recording {
    /// Checks that the rollout, the monitor and the end belong to one run.
    fn check(&self) -> Result<(), Error> {
        let (run, end) = (self.rollouts.get(0)?, self.end.as_ref());
        let columns = &self.rollouts.columns;
        let mut monitor = BudgetMonitor::new(self.monitor.names().zip(self.monitor.caps()))?;
        let costs = |turn| columns.iter().map(move |it| run.cost(it.resource, turn));
        (1..=run.turns()).for_each(|turn| monitor.spend(costs(turn)));
        let watched = columns.iter().map(|it| (it.name.as_str(), it.cap(0)));
        let fits = watched.eq(self.monitor.names().zip(self.monitor.caps()))
            && (monitor.turns(), monitor.spent()) == (self.monitor.turns(), self.monitor.spent())
            && run.succeeded() == end.is_some_and(|end| end.outcome == Some(true))
            && run.is_censored() == end.is_some_and(End::is_censored)
            && end.is_none_or(|end| end.outcome.is_none() == end.reason.is_some())
            && self.rollouts.len() == 1;
        crate::checks::stored(fits, "the rollout, the monitor and the end are not of one run")
    }
}

impl RecordedRun {
    /// Creates a run before its first turn. The monitor determines the resources that each turn spends, their caps and
    /// the stop rules.
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
        Ok(Self(Sealed(Recording { rollouts, monitor, forecasts: Vec::new(), end: None })))
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
        let run = self.0.0;
        Ok(Self(Sealed(Recording { rollouts: run.rollouts.with_keys(names)?, ..run })))
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
        let run = self.0.0;
        Ok(Self(Sealed(Recording { rollouts: run.rollouts.with_features(names)?, ..run })))
    }

    /// Returns the monitor, which knows the amounts spent and left.
    #[must_use]
    pub const fn monitor(&self) -> &BudgetMonitor {
        &self.0.0.monitor
    }

    /// Returns a collection that has the run as its only rollout. Until its end, the run counts as failed and not as
    /// cut off.
    #[must_use]
    pub const fn rollouts(&self) -> &Rollouts {
        &self.0.0.rollouts
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
        self.0.0.rollouts.continue_with(&costs)?;
        self.0.0.monitor.spend(costs);
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
        self.0.0.forecasts.push(Probability::new(forecast)?);
        Ok(())
    }

    /// Sets a key, such as `task`, which is known before the first turn.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchColumn`] if the key is not declared.
    pub fn set_key(&mut self, name: &str, value: impl Into<String>) -> Result<(), Error> {
        self.0.0.rollouts.set_key(0, name, value)
    }

    /// Sets a feature of a completed turn, counted from 1. With turn 0, sets a feature that is known before the first
    /// turn; see [`Rollouts::set_feature`].
    ///
    /// # Errors
    ///
    /// As [`Rollouts::set_feature`].
    pub fn set_feature(&mut self, turn: usize, name: &str, value: f64) -> Result<(), Error> {
        self.0.0.rollouts.set_feature(0, turn, name, value)
    }

    /// Sets the content of a completed turn, counted from 1. With turn 0, sets the content that is known before the
    /// first turn; see [`Rollouts::set_content`].
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTurn`] for a turn that is not completed.
    pub fn set_content(&mut self, turn: usize, content: impl Into<String>) -> Result<(), Error> {
        self.0.0.rollouts.set_content(0, turn, content)
    }

    /// Returns the prefix of the run up to now, from which this resource can be estimated.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCost`] if one of its costs is unknown; [`Error::NoSuchResource`] for a handle
    /// from other runs.
    pub fn prefix(&self, resource: Resource) -> Result<Prefix<'_>, Error> {
        let rollout = self.0.0.rollouts.get(0)?;
        let usage = rollout.usage(resource)?;
        Ok(prefix(&rollout, resource, usage, rollout.turns()))
    }

    /// Returns the advice of the monitor after a turn, or before the first turn, given an estimate of each resource.
    /// Call it once per turn, because it counts consecutive impossible estimates. Only the caps of the monitor apply;
    /// for a shared budget, call [`advise_within`](Self::advise_within).
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
        same_length("estimates of a turn", self.0.0.rollouts.columns.len(), estimates.len())?;
        let run = self.0.0.rollouts.get(0)?;
        let resources = self.0.0.rollouts.resources().zip(self.0.0.monitor.caps());
        for ((resource, _), _) in resources.filter(|(_, cap)| cap.is_some()) {
            run.usage(resource)?;
        }
        self.0.0.monitor.advise_alone(estimates, failure_probability)
    }

    /// Returns the advice of the monitor, as [`advise`](Self::advise) does, for an agent that shares a budget with
    /// others. Each agent has its own recorded run, with a monitor that has the resources of the budget and no caps. An
    /// exceeded cap or a stop of the budget stops every agent; consecutive impossible estimates are counted for each
    /// agent separately. An agent with a child of the budget passes the child, whose own caps apply as well.
    ///
    /// [`push`](Self::push) records what this agent spent. The budget counts it once the call is
    /// [settled](crate::Reservation::settle), or by [`Budget::spend`].
    ///
    /// # Errors
    ///
    /// As [`BudgetMonitor::advise`].
    ///
    /// ```
    /// use budget_estimation::{Budget, BudgetMonitor, Error, Estimate, RecordedRun, StopRule};
    ///
    /// let budget = Budget::new([("tokens", Some(10_000.0))])?;
    /// let agent = || {
    ///     let monitor = BudgetMonitor::new([("tokens", None)])?;
    ///     RecordedRun::new(monitor.with_stop_rule(StopRule::impossible_in_a_row(2)?))
    /// };
    /// let mut agents = [agent()?, agent()?];
    /// let estimates = [Estimate::Impossible, Estimate::interval(10.0, 20.0)?];
    /// for turn in 1..=2 {
    ///     for (run, estimate) in agents.iter_mut().zip(estimates) {
    ///         let call = budget.reserve(&[("tokens", 500.0)])?;
    ///         call.settle(&[("tokens", 300.0)])?;
    ///         run.push(&[300.0])?;
    ///         let stop = run.advise_within(&budget, &[estimate], None)?.stop_reason();
    ///         assert_eq!(stop.is_some(), turn == 2 && estimate == Estimate::Impossible);
    ///     }
    /// }
    /// assert!(budget.resources().map(|it| it.spent).eq([1200.0]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn advise_within(
        &mut self,
        budget: &Budget,
        estimates: &[Estimate],
        failure_probability: Option<Probability>,
    ) -> Result<Advice, Error> {
        self.0.0.monitor.advise_within(budget, estimates, failure_probability)
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
        if self.0.0.end.is_none() { Ok(()) } else { Err(Error::RunEnded) }
    }

    fn end(&mut self, outcome: Option<bool>, reason: Option<StopReason>) -> Result<(), Error> {
        self.check_goes_on()?;
        self.0.0.rollouts.set_outcome(0, outcome == Some(true));
        let end = End { outcome, reason };
        if end.is_censored() {
            self.0.0.rollouts.set_censored(0)?;
        }
        self.0.0.end = Some(end);
        Ok(())
    }

    /// Returns the run up to the point where it stopped, with its forecasts.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Undefined`] before the end of the run, and without a forecast; the errors of [`Stopped::new`].
    pub fn stopped(&self) -> Result<Stopped<'_>, Error> {
        let (name, reason) = ("the stop", "the run has not ended");
        let end = self.0.0.end.as_ref().ok_or(scoring_rules::checks::undefined(name, reason))?;
        if self.0.0.forecasts.is_empty() {
            let reason = "the run has no forecast";
            return Err(scoring_rules::checks::undefined(name, reason).into());
        }
        Ok(Stopped::new(&self.0.0.forecasts, end.outcome, end.reason.clone())?)
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

use scoring_rules::{CompensatedSum, Probability, ScoringRule};

use crate::{
    Error,
    streams::{
        forecast_policy::{Checked, ForecastCounts, ForecastFault, ForecastPolicy},
        tps::{Tps, check_horizon},
        weight_schedule::{WeightSchedule, weigh},
    },
};

/// A trajectory proper score that grows with the run: push one forecast at a time, knowing neither
/// how long the run will be nor how it will end.
///
/// Constant memory, two scores a push. The result equals [`Tps::score`] of the whole stream to
/// within 1e-12 relative: weights that depend on the length follow from running sums (linear-front
/// weights from a running sum of running sums).
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
/// A model that is asked for its confidence does not always give one. [`Self::push_raw`] takes what
/// it gave and treats what is no probability by a [`ForecastPolicy`]:
///
/// ```
/// use trajectory_metrics::{
///     Error, ForecastPolicy, LogScore, OnlineTps, Tps, WeightSchedule,
/// };
///
/// let tps = Tps::new(LogScore::clipped(1e-6)?, WeightSchedule::LinearFront);
/// let mut online = OnlineTps::new(tps).with_policy(ForecastPolicy::CarryForward);
/// for said in [Some(0.6), None, Some(0.9)] {
///     online.push_raw(said)?;
/// }
/// assert_eq!((online.steps(), online.forecast_counts().carried), (3, 1));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OnlineTps<R> {
    tps: Tps<R>,
    policy: ForecastPolicy,
    steps: usize,
    last: Option<Probability>,
    clipped: u64,
    carried: u64,
    left_out: Option<(usize, ForecastFault)>,
    /// One for each outcome the run may have.
    failure: Sums,
    success: Sums,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    plain: CompensatedSum,
    weighted: CompensatedSum,
}

impl<R: ScoringRule> OnlineTps<R> {
    /// An empty run under the given score.
    #[must_use]
    pub fn new(tps: Tps<R>) -> Self {
        Self {
            tps,
            policy: ForecastPolicy::default(),
            steps: 0,
            last: None,
            clipped: 0,
            carried: 0,
            left_out: None,
            failure: Sums::default(),
            success: Sums::default(),
        }
    }

    /// Treats what [`Self::push_raw`] takes in by this policy in place of
    /// [`ForecastPolicy::Refuse`].
    #[must_use]
    pub fn with_policy(mut self, policy: ForecastPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Takes in what a model gave as the forecast of the next step: a number, or `None` for no
    /// answer.
    ///
    /// Where the policy leaves the run out, so do all later steps: they are taken without a check,
    /// [`Self::left_out`] says why, and [`Self::finish`] is an error.
    ///
    /// # Errors
    ///
    /// [`Error::Forecast`] where the policy refuses the value; the run stays as it was, so that
    /// another value can be pushed for the same step.
    pub fn push_raw(&mut self, forecast: impl Into<Option<f64>>) -> Result<(), Error> {
        if self.left_out.is_some() {
            return Ok(());
        }
        let step = self.steps + 1;
        match self.policy.check(step, forecast.into(), self.last)? {
            Checked::AsGiven(forecast) => self.push(forecast),
            Checked::Clipped(forecast) => {
                self.push(forecast);
                self.clipped += 1;
            }
            Checked::Carried(forecast) => {
                self.push(forecast);
                self.carried += 1;
            }
            Checked::LeftOut(fault) => self.left_out = Some((step, fault)),
        }
        Ok(())
    }

    /// The step, from 1, and the fault of its forecast for which the policy left the run out;
    /// `None` while the run is kept.
    #[must_use]
    pub const fn left_out(&self) -> Option<(usize, ForecastFault)> {
        self.left_out
    }

    /// This run, with the repairs so far, in the counts of a sample:
    /// [`merge`](ForecastCounts::merge) them at the end of each run.
    #[must_use]
    pub const fn forecast_counts(&self) -> ForecastCounts {
        if self.left_out.is_some() {
            ForecastCounts::LEFT_OUT
        } else {
            ForecastCounts::kept(self.clipped, self.carried)
        }
    }

    /// Takes in the forecast of the next step.
    pub fn push(&mut self, forecast: Probability) {
        self.steps += 1;
        self.last = Some(forecast);
        let schedule = self.tps.schedule();
        for (outcome, sums) in [(false, &mut self.failure), (true, &mut self.success)] {
            let score = self.tps.rule().score(forecast, outcome);
            sums.plain.add(score);
            match schedule {
                WeightSchedule::LinearFront => sums.weighted.add(sums.plain.value()),
                // Where custom weights end the score is an error anyway, whatever is added here.
                WeightSchedule::Custom(custom) if self.steps > custom.len() => {}
                _ => sums.weighted.add(weigh(schedule.raw(self.steps - 1, self.steps), score)),
            }
        }
    }

    /// Forecasts taken in so far.
    #[must_use]
    pub const fn steps(&self) -> usize {
        self.steps
    }

    /// The score of the run if it ended here with this outcome. More forecasts may follow.
    ///
    /// # Errors
    ///
    /// [`Error::RunLeftOut`] where the policy left the run out;
    /// [`Error::Empty`] before the first forecast; [`Error::ScheduleTooShort`] where custom weights
    /// do not reach the run's end; [`Error::HorizonTooLong`] above 2^32 - 1 steps.
    pub fn finish(&self, outcome: bool) -> Result<f64, Error> {
        self.finish_prefix(outcome, self.steps)
    }

    /// What the forecasts so far contribute to the score of a run of `horizon` steps, as
    /// [`Tps::prefix_score`] does.
    ///
    /// # Errors
    ///
    /// As [`Self::finish`] for that horizon, and [`Error::Horizon`] where it is passed already.
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
        if let Some((step, fault)) = self.left_out {
            return Err(Error::RunLeftOut { step, fault });
        }
        check_horizon(self.steps, horizon)?;
        let sums = if outcome { &self.success } else { &self.failure };
        let mut sum = sums.weighted;
        if let WeightSchedule::LinearFront = self.tps.schedule() {
            let beyond = horizon - self.steps;
            if beyond > 0 {
                sum.add(beyond as f64 * sums.plain.value());
            }
        }
        Ok(sum.value() / self.tps.schedule().total(horizon)?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use scoring_rules::LogScore;

    use super::*;
    use crate::streams::forecast_policy::CheckedRun;

    fn online(policy: ForecastPolicy) -> OnlineTps<LogScore> {
        let rule = LogScore::clipped(1e-6).unwrap();
        OnlineTps::new(Tps::new(rule, WeightSchedule::LinearFront)).with_policy(policy)
    }

    #[test]
    fn a_refused_forecast_leaves_the_run_as_it_was() {
        let mut run = online(ForecastPolicy::Refuse);
        run.push_raw(0.5).unwrap();
        let before = run.clone();
        let refused = Err(Error::Forecast { step: 2, fault: ForecastFault::OutOfRange(1.5) });
        assert_eq!(run.push_raw(1.5), refused);
        assert_eq!(run, before);
    }

    #[test]
    fn a_run_that_is_left_out_has_no_score_and_takes_the_rest_in_silence() {
        let mut run = online(ForecastPolicy::CarryForward);
        for value in [None, Some(0.5), Some(f64::NAN)] {
            run.push_raw(value).unwrap();
        }
        assert_eq!(run.left_out(), Some((1, ForecastFault::Missing)));
        let error = Err(Error::RunLeftOut { step: 1, fault: ForecastFault::Missing });
        assert_eq!((run.finish(true), run.finish_prefix(false, 9)), (error.clone(), error));
        assert_eq!(run.forecast_counts(), ForecastCounts::LEFT_OUT);
    }

    fn raw() -> impl Strategy<Value = Option<f64>> {
        prop_oneof![
            6 => (0.0..=1.0_f64).prop_map(Some),
            1 => Just(None),
            1 => Just(Some(f64::NAN)),
            1 => (-2.0..3.0_f64).prop_map(Some),
        ]
    }

    proptest! {
        #[test]
        fn a_live_run_and_a_run_from_a_file_meet_the_same_policy(
            run in prop::collection::vec(raw(), 1..20),
        ) {
            for policy in ForecastPolicy::ALL {
                let mut counts = ForecastCounts::default();
                let read = policy.check_run(&run, &mut counts);
                let mut live = online(policy);
                let pushed = run.iter().try_for_each(|&value| live.push_raw(value));
                match read {
                    Err(error) => prop_assert_eq!(pushed, Err(error)),
                    Ok(CheckedRun::LeftOut { step, fault }) => {
                        prop_assert_eq!(live.left_out(), Some((step, fault)));
                        prop_assert_eq!(live.forecast_counts(), counts);
                    }
                    Ok(CheckedRun::Kept(forecasts)) => {
                        prop_assert_eq!(live.forecast_counts(), counts);
                        let mut whole = online(policy);
                        forecasts.into_iter().for_each(|forecast| whole.push(forecast));
                        prop_assert_eq!(live.finish(true), whole.finish(true));
                    }
                }
            }
        }
    }
}

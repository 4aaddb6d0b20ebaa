use scoring_rules::{CompensatedSum, Probability, ScoringRule};

use crate::{
    Error, Tps, WeightSchedule, streams::tps::check_horizon, streams::weight_schedule::weigh,
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
#[derive(Clone, Debug, PartialEq)]
pub struct OnlineTps<R> {
    tps: Tps<R>,
    steps: usize,
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
        Self { tps, steps: 0, failure: Sums::default(), success: Sums::default() }
    }

    /// Takes in the forecast of the next step.
    pub fn push(&mut self, forecast: Probability) {
        self.steps += 1;
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

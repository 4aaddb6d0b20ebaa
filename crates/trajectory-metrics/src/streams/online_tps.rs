use scoring_rules::{Probability, ScoringRule, checks::stored_value};

use crate::{
    error::Error,
    forecast_fault::ForecastFault,
    streams::{
        forecast_policy::{Checked, ForecastCounts, ForecastPolicy},
        paired_sum::PairedSum,
        tps::Tps,
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
/// To interrupt the loop, store [`Self::state`]; [`Self::resume`] continues from it, and has the bits of a run that was
/// not interrupted. For JSON, take the feature `json`, which switches on exact numbers of `serde_json`
/// (`float_roundtrip`).
#[derive(Clone, Debug, PartialEq)]
pub struct OnlineTps<R> {
    tps: Tps<R>,
    state: OnlineTpsState,
}

/// The state of an [`OnlineTps`], from [`OnlineTps::state`].
///
/// It contains the weight schedule, and the scores of the rule for both outcomes at the forecasts 0, 0.1, 0.75 and 0.9371. A run
/// can therefore not be resumed with another schedule or another rule, including rules of your own. A rule that has the
/// same scores at these forecasts, within a relative difference of 1e-9, counts as the same rule.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct OnlineTpsState {
    schedule: WeightSchedule,
    /// Filled in when the state is taken, so that a short run does not pay for it.
    #[cfg_attr(feature = "serde", serde(with = "crate::streams::paired_sum::numbers"))]
    rule: [f64; 8],
    policy: ForecastPolicy,
    steps: usize,
    last: Option<Probability>,
    clipped: u64,
    carried: u64,
    skipped: u64,
    left_out: Option<(usize, ForecastFault)>,
    /// The sums for each outcome that the run may have: of the scores, for linear-front weights only, and of the weighted
    /// scores.
    plain: PairedSum,
    weighted: PairedSum,
}

/// The scores of a rule by which it is recognised; 0 where it has none.
fn scores_of(rule: &impl ScoringRule) -> [f64; 8] {
    let probes = Probability::from_slice(&[0.0, 0.1, 0.75, 0.9371]).unwrap_or_default();
    let mut scores = probes.iter().flat_map(|&forecast| rule.scores(forecast));
    std::array::from_fn(|_| scores.next().filter(|score| !score.is_nan()).unwrap_or(0.0))
}

impl<R: ScoringRule> OnlineTps<R> {
    /// Starts a run that has no forecasts yet and is scored by `tps`.
    #[must_use]
    pub fn new(tps: Tps<R>) -> Self {
        let state = OnlineTpsState {
            schedule: tps.schedule.clone(),
            rule: [0.0; 8],
            policy: ForecastPolicy::default(),
            steps: 0,
            last: None,
            clipped: 0,
            carried: 0,
            skipped: 0,
            left_out: None,
            plain: PairedSum::default(),
            weighted: PairedSum::default(),
        };
        Self { tps, state }
    }

    /// Returns the current state, which can be stored. This takes four calls of the scoring rule and a copy of custom
    /// weights.
    #[must_use]
    pub fn state(&self) -> OnlineTpsState {
        let Self { tps, state } = self;
        let (plain, weighted) = (state.plain.stored(), state.weighted.stored());
        OnlineTpsState { rule: scores_of(&tps.rule), plain, weighted, ..state.clone() }
    }

    /// Continues a run from a stored state. `tps` must be the score of the original run.
    ///
    /// # Errors
    ///
    /// [`Error::OtherScore`] if the rule or the weight schedule differs from that of the original run;
    /// [`scoring_rules::Error::StoredValue`] for a state that no run can reach.
    ///
    /// ```
    /// use trajectory_metrics::{
    ///     BrierScore, Error, LogScore, OnlineTps, Probability, Tps, WeightSchedule,
    /// };
    ///
    /// let tps = Tps::new(BrierScore, WeightSchedule::LinearFront);
    /// let mut run = OnlineTps::new(tps.clone());
    /// run.push(Probability::HALF);
    /// let mut resumed = OnlineTps::resume(tps, run.state())?;
    /// run.push(Probability::ONE);
    /// resumed.push(Probability::ONE);
    /// assert_eq!(resumed, run);
    ///
    /// let other = Tps::new(BrierScore, WeightSchedule::Uniform);
    /// let error = OnlineTps::resume(other, run.state()).unwrap_err();
    /// assert!(matches!(error, Error::OtherScore { what: "weight schedule", .. }));
    ///
    /// let other = Tps::new(LogScore::exact(), WeightSchedule::LinearFront);
    /// let error = OnlineTps::resume(other, run.state()).unwrap_err();
    /// assert!(matches!(error, Error::OtherScore { what: "rule", .. }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn resume(tps: Tps<R>, state: OnlineTpsState) -> Result<Self, Error> {
        if tps.schedule != state.schedule {
            return Err(Error::OtherScore { what: "weight schedule" });
        }
        // Logarithms of two machines may differ in the last digit.
        let differs = |(a, b): (f64, &f64)| {
            let gap = (a - b).abs();
            a != *b && (gap.is_infinite() || gap > 1e-9 * a.abs().max(b.abs()))
        };
        if scores_of(&tps.rule).into_iter().zip(&state.rule).any(differs) {
            return Err(Error::OtherScore { what: "rule" });
        }
        state.check()?;
        Ok(Self { tps, state: OnlineTpsState { rule: [0.0; 8], ..state } })
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

    /// Returns the counts for this run: whether it is kept, and the number of repairs of each kind. At the end of each
    /// run, [`merge`](ForecastCounts::merge) them into the counts over all runs.
    #[must_use]
    pub const fn forecast_counts(&self) -> ForecastCounts {
        if self.state.left_out.is_some() {
            ForecastCounts::LEFT_OUT
        } else {
            ForecastCounts::kept(self.state.clipped, self.state.carried, self.state.skipped)
        }
    }

    /// Adds the forecast of the next step. It is ignored if the policy has left the run out.
    #[inline]
    pub fn push(&mut self, forecast: Probability) {
        if self.state.left_out.is_none() {
            self.state.last = Some(forecast);
            self.state.add(self.tps.rule.scores(forecast));
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

    /// Returns the contribution of the forecasts so far to the score of a run of `horizon` steps, as in
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
        WeightSchedule::check_horizon(self.state.steps, horizon)?;
        let mut sums = self.state.weighted;
        if let WeightSchedule::LinearFront = self.tps.schedule {
            let beyond = horizon - self.state.steps;
            if beyond > 0 {
                sums.add(self.state.plain.values().map(|plain| beyond as f64 * plain));
            }
        }
        Ok(sums.values()[usize::from(outcome)] / self.tps.schedule.total(horizon)?)
    }
}

impl OnlineTpsState {
    /// Adds the scores of a step for both outcomes. If the compiler inlines this, it takes the sums apart again.
    #[inline(never)]
    fn add(&mut self, scores: [f64; 2]) {
        let step = self.steps;
        self.steps = step.saturating_add(1);
        let weight = match &self.schedule {
            WeightSchedule::LinearFront => {
                self.plain.add(scores);
                self.weighted.add(self.plain.values());
                return;
            }
            // Beyond the custom weights, the score is an error.
            WeightSchedule::Custom(custom) if step >= custom.weights.len() => return,
            schedule => schedule.raw(step, self.steps),
        };
        self.weighted.add(scores.map(|score| weigh(weight, score)));
    }

    /// Checks that a run can reach this state.
    fn check(&self) -> Result<(), Error> {
        let invalid = |problem| Err(stored_value(problem).into());
        if self.steps as u64 > u64::from(u32::MAX) {
            return invalid("a run has more than 2^32 - 1 steps");
        }
        if (self.steps == 0) != self.last.is_none() {
            return invalid("the last forecast does not match the number of steps");
        }
        let sums = [self.plain, self.weighted];
        if self.steps == 0 && sums != [PairedSum::default(); 2] {
            return invalid("a run without steps has sums other than 0");
        }
        if self.schedule != WeightSchedule::LinearFront && self.plain != PairedSum::default() {
            return invalid("only a run with linear-front weights has sums of its scores");
        }
        if !sums.iter().all(PairedSum::is_valid) {
            return invalid("the error of a sum is not finite");
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

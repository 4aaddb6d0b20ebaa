use crate::{
    checks::same_length,
    error::Error,
    estimates::{estimate::Estimate, reading::Reading},
    resource::Resource,
    rollouts::{decimals::RunTotal, rollout::Rollout, usage::Usage},
};
#[cfg(feature = "serde")]
use crate::{checks::stored, rollouts::decimals::left_of_short};

scoring_rules::checked! {
    /// An estimate, together with facts about its run, such as the remaining cost. The facts come from the rollout.
    ///
    /// ```
    /// use budget_estimation::{Error, Estimate, Rollouts, Sample};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// rollouts.push(&[50.0, 20.0, 80.0], true)?;
    /// let tokens = rollouts.resource("tokens")?;
    ///
    /// // An estimate from elsewhere, given after the first turn.
    /// let estimate = Estimate::interval(60.0, 120.0)?;
    /// let sample = Sample::new(&rollouts.get(0)?, tokens, 1, estimate)?;
    /// assert_eq!((sample.used(), sample.remaining()), (50.0, 100.0));
    /// assert!(sample.is_feasible() && sample.is_hit());
    /// assert_eq!(sample.left(), None);
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Sample {
        rollout: usize,
        turn: usize,
        turns: usize,
        resource: Resource,
        /// Plus infinity without a cap.
        #[cfg_attr(feature = "serde", serde(with = "scoring_rules::infinite"))]
        cap: f64,
        /// The amount left under the cap; plus infinity without a cap.
        #[cfg_attr(feature = "serde", serde(with = "scoring_rules::infinite"))]
        left: f64,
        used: f64,
        remaining: f64,
        feasible: bool,
        estimate: Estimate,
        reading: Reading,
    }
    check: Self::check
}

impl Sample {
    /// Creates the sample of an estimate given after k = `turn` turns, with k from 0 to T - 1.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTurn`] for another k; [`Error::NegativeEstimate`] for an interval that begins
    /// below 0; [`Error::UnknownCost`] if a cost of this resource is unknown, or a cost that decides
    /// whether the run is feasible; [`Error::NoSuchResource`] for a handle from other rollouts.
    pub fn new(
        rollout: &Rollout<'_>,
        resource: Resource,
        turn: usize,
        estimate: Estimate,
    ) -> Result<Self, Error> {
        if turn >= rollout.turns() {
            return Err(rollout.no_such_turn(turn));
        }
        let usage = rollout.usage(resource)?.first(turn);
        SampledRun::new(rollout, resource)?.sample(turn, usage, estimate)
    }

    /// Returns the position of the rollout, from 0.
    #[must_use]
    pub const fn rollout(&self) -> usize {
        self.rollout
    }

    /// Returns k, the number of turns completed before the estimate was given.
    #[must_use]
    pub const fn turn(&self) -> usize {
        self.turn
    }

    /// Returns the number of turns of the whole run, T.
    #[must_use]
    pub const fn turns(&self) -> usize {
        self.turns
    }

    /// Progress of the run, k / T; in [0, 1).
    #[must_use]
    pub(crate) fn progress(&self) -> f64 {
        self.turn as f64 / self.turns as f64
    }

    /// Returns the resource of the estimate.
    pub(crate) const fn resource(&self) -> Resource {
        self.resource
    }

    /// Returns the cap on this resource; `None` without a cap.
    pub(crate) fn cap(&self) -> Option<f64> {
        self.cap.is_finite().then_some(self.cap)
    }

    /// Returns the amount left under the cap, negative if the cap is exceeded; `None` without a cap.
    #[must_use]
    pub fn left(&self) -> Option<f64> {
        self.left.is_finite().then_some(self.left)
    }

    /// Returns the cost of the completed turns, C_k.
    #[must_use]
    pub const fn used(&self) -> f64 {
        self.used
    }

    /// Returns the cost of the later turns, R_k.
    #[must_use]
    pub const fn remaining(&self) -> f64 {
        self.remaining
    }

    /// Returns the label: whether the run succeeded and exceeded no cap.
    #[must_use]
    pub const fn is_feasible(&self) -> bool {
        self.feasible
    }

    /// Returns the estimate.
    #[must_use]
    pub const fn estimate(&self) -> Estimate {
        self.estimate
    }

    /// Returns whether the estimate predicts that the run cannot succeed within the cap, according to the [`Reading`]
    /// of the sample; see [`Estimate::predicts_impossible`].
    #[must_use]
    #[inline]
    pub fn predicts_impossible(&self) -> bool {
        self.estimate.predicts_impossible(self.reading.left(self.left()))
    }

    /// Sets the [`Reading`], which is the rule by which an estimate counts as a prediction that success is impossible.
    /// All measures of feasibility, detection and false alarms use it. The default is [`Reading::Cap`].
    #[must_use]
    pub const fn with_reading(mut self, reading: Reading) -> Self {
        self.reading = reading;
        self
    }

    /// Returns the rule by which the estimate counts as impossible.
    #[must_use]
    pub(crate) const fn reading(&self) -> Reading {
        self.reading
    }

    /// Returns whether the remaining cost is 0. Such a sample has no reward and no relative error.
    #[must_use]
    pub fn is_trivial(&self) -> bool {
        self.remaining <= 0.0
    }

    /// Returns whether the estimate is an interval that contains the remaining cost.
    #[must_use]
    #[inline]
    pub fn is_hit(&self) -> bool {
        self.estimate.ends().is_some_and(|interval| interval.contains(self.remaining))
    }

    /// Returns the remaining cost if later turns had the mean cost of the k earlier ones, `(C_k / k) T - C_k`; `None`
    /// for k = 0. The formula uses the number of all turns T, so it is a reference for comparisons rather than an
    /// estimator.
    ///
    /// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 4.1.
    #[must_use]
    #[inline]
    pub fn linear_reference(&self) -> Option<f64> {
        (self.turn > 0).then(|| self.used / self.turn as f64 * (self.turns - self.turn) as f64)
    }

    /// Returns what the remaining cost would be if each turn cost as much as the mean turn of the whole run,
    /// `(C_T / T) (T - k)`. The formula uses the total and T, so it is a reference for comparisons rather than an
    /// estimator. It is wrong only because the costs of a run vary from turn to turn.
    ///
    /// ```
    /// use budget_estimation::{Error, Estimate, Rollouts, Sample};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// rollouts.push(&[50.0, 20.0, 80.0], true)?;
    /// let tokens = rollouts.resource("tokens")?;
    /// let sample = Sample::new(&rollouts.get(0)?, tokens, 2, Estimate::NoAnswer)?;
    /// // 80 remained. The mean turn cost 50, and the mean of the first two turns 35.
    /// assert_eq!((sample.mean_cost_reference(), sample.linear_reference()), (50.0, Some(35.0)));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn mean_cost_reference(&self) -> f64 {
        let later = self.turns - self.turn;
        (self.used + self.remaining) / self.turns as f64 * later as f64
    }

    /// Returns the sample with another estimate. The run and the turns stay the same.
    ///
    /// # Errors
    ///
    /// [`Error::NegativeEstimate`] for an interval that begins below 0; [`Error::ScoringRules`] for one
    /// that is infinite.
    ///
    /// ```
    /// use budget_estimation::{Error, Estimate, Rollouts, Sample};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// rollouts.push(&[50.0, 20.0, 80.0], true)?;
    /// let tokens = rollouts.resource("tokens")?;
    /// let sample = Sample::new(&rollouts.get(0)?, tokens, 1, Estimate::NoAnswer)?;
    /// assert!(sample.with_estimate(Estimate::interval(90.0, 110.0)?)?.is_hit());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn with_estimate(self, estimate: Estimate) -> Result<Self, Error> {
        Ok(Self { estimate: estimate.checked()?, ..self })
    }

    #[cold]
    pub(crate) const fn problem(&self, problem: &'static str) -> Error {
        Error::Prefix { rollout: self.rollout, turn: self.turn, problem }
    }
}

#[cfg(feature = "serde")]
impl Sample {
    fn check(&self) -> Result<(), Error> {
        self.estimate.checked()?;
        let amounts =
            [self.used, self.remaining].iter().all(|it| (0.0..f64::INFINITY).contains(it));
        let valid = self.turn < self.turns && amounts && self.cap >= 0.0;
        stored(valid, "a sample needs amounts of at least 0 and a turn of its run")?;
        // The costs may have more digits than their sum.
        let rounding = 4.0 * f64::EPSILON * self.cap.max(self.used);
        let left = match self.cap.is_finite() {
            true => (left_of_short(self.cap, self.used) - self.left).abs() <= rounding,
            false => self.left == f64::INFINITY,
        };
        stored(left, "what is left must be the cap minus what was used")?;
        let fits = !self.feasible || self.remaining - self.left <= rounding;
        stored(fits, "the remaining cost of a feasible run must be at most what is left")
    }
}

/// The data that all samples of one finished run share.
pub(crate) struct SampledRun {
    total: RunTotal,
    /// The sample before the first turn, without an answer.
    first: Sample,
}

impl SampledRun {
    pub(crate) fn new(rollout: &Rollout<'_>, resource: Resource) -> Result<Self, Error> {
        let cap = rollout.cap(resource)?.unwrap_or(f64::INFINITY);
        let total = rollout.run_total(resource)?;
        let first = Sample {
            rollout: rollout.index(),
            turn: 0,
            turns: rollout.turns(),
            resource,
            cap,
            left: cap,
            used: 0.0,
            remaining: total.total,
            feasible: rollout.is_feasible()?,
            estimate: Estimate::NoAnswer,
            reading: Reading::default(),
        };
        Ok(Self { total, first })
    }

    /// Returns the sample of an estimate after a number of turns, with their usage.
    #[inline]
    pub(crate) fn sample(
        &self,
        turn: usize,
        usage: Usage<'_>,
        estimate: Estimate,
    ) -> Result<Sample, Error> {
        let (used, left, estimate) = (usage.total(), usage.left_or_infinity(), estimate.checked()?);
        let remaining = self.total.remaining_after(used);
        Ok(Sample { turn, left, used, remaining, estimate, ..self.first })
    }
}

/// Checks that samples of two resources belong to the same prefixes.
pub(crate) fn same_prefixes(first: &[Sample], other: &[Sample]) -> Result<(), Error> {
    same_length("samples", first.len(), other.len())?;
    let place = |sample: &Sample| (sample.rollout, sample.turn);
    match first.iter().zip(other).position(|(a, b)| place(a) != place(b)) {
        None => Ok(()),
        Some(index) => Err(Error::Unlike {
            problem: format!(
                "entry {index}: the samples of all resources must belong to the same rollout and turn"
            ),
        }),
    }
}

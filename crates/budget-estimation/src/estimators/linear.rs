#[cfg(feature = "serde")]
use crate::checks::stored;
use crate::{
    checks::setting, error::Error, estimates::estimate::Estimate, estimators::estimator::Estimator,
    replay::prefix::Prefix, resource::Resource, rollouts::rollout::Rollout,
};

scoring_rules::checked! {
    /// Linear extrapolation, which assumes that a run has T' turns and that each later turn costs as much as the
    /// average earlier turn.
    ///
    /// The midpoint is `m = (C_k / k) max(1, T' - k)`, because a run that has not ended has at least one more turn.
    /// The interval is `[(1 - w) m, (1 + w) m]` for a relative half-width w. The answer is `impossible` if the lower
    /// bound exceeds the amount left under a cap. There is no answer before the first turn.
    ///
    /// [`Sample::linear_reference`](crate::Sample::linear_reference) is the reference that knows T.
    ///
    /// ```
    /// use budget_estimation::{Error, Estimate, Estimator, LinearEstimator, Rollouts};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// rollouts.push(&[50.0, 30.0, 80.0], true)?;
    /// let tokens = rollouts.resource("tokens")?;
    /// let mut linear = LinearEstimator::new(5.0, 0.5)?;
    /// let estimates: Result<Vec<_>, _> = rollouts.get(0)?.replay(tokens)?
    ///     .map(|prefix| linear.estimate(&prefix))
    ///     .collect();
    /// assert_eq!(estimates?, [Estimate::interval(100.0, 300.0)?, Estimate::interval(60.0, 180.0)?]);
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct LinearEstimator {
        turns: f64,
        half_width: f64,
        learnt: Option<Turns>,
    }
    check: Self::check
}

/// Counts of successful runs and of their turns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
struct Turns {
    runs: u64,
    total: u64,
}

impl LinearEstimator {
    /// Creates an estimator that assumes the same number of turns for every run.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the number of turns is from 1 to 1e9 and the half-width from 0 to 1.
    pub fn new(turns: f64, half_width: f64) -> Result<Self, Error> {
        let valid = (1.0..=1e9).contains(&turns);
        setting("assumed number of turns", turns, valid, "from 1 to 1e9")?;
        let valid = (0.0..=1.0).contains(&half_width);
        setting("relative half-width", half_width, valid, "from 0 to 1")?;
        Ok(Self { turns, half_width, learnt: None })
    }

    /// Creates an estimator that assumes the mean number of turns over the successful runs seen so far. Before the
    /// first successful run, it assumes `first_turns`.
    ///
    /// # Errors
    ///
    /// As [`LinearEstimator::new`].
    pub fn learning(first_turns: f64, half_width: f64) -> Result<Self, Error> {
        Ok(Self { learnt: Some(Turns::default()), ..Self::new(first_turns, half_width)? })
    }
}

impl Estimator for LinearEstimator {
    #[inline]
    fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error> {
        let (k, usage) = (prefix.turns() as f64, prefix.usage());
        if k == 0.0 {
            return Ok(Estimate::NoAnswer);
        }
        let middle = usage.total() / k * (self.turns - k).max(1.0);
        let low = (1.0 - self.half_width) * middle;
        let estimate = Estimate::interval(low, (1.0 + self.half_width) * middle)?;
        Ok(estimate.collapsed(usage.left()))
    }

    fn learn(&mut self, rollout: &Rollout<'_>, resource: Resource) -> Result<(), Error> {
        rollout.column(resource)?;
        if let Some(learnt) = &mut self.learnt
            && rollout.succeeded()
        {
            learnt.runs = learnt.runs.saturating_add(1);
            learnt.total = learnt.total.saturating_add(rollout.turns() as u64);
            self.turns = learnt.total as f64 / learnt.runs as f64;
        }
        Ok(())
    }
}

#[cfg(feature = "serde")]
impl LinearEstimator {
    fn check(&self) -> Result<(), Error> {
        let Turns { runs, total } = self.learnt.unwrap_or_default();
        let mean = if runs == 0 { self.turns } else { total as f64 / runs as f64 };
        let counted = total >= runs && (runs > 0 || total == 0);
        let valid = counted && mean.to_bits() == self.turns.to_bits();
        stored(valid, "the assumed number of turns must be the mean of the counts")?;
        // The assumption has a range; the mean of past runs has none.
        Self::new(if runs == 0 { self.turns } else { 1.0 }, self.half_width).map(|_| ())
    }
}

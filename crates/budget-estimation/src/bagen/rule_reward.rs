use crate::{checks::positive, error::Error, estimates::estimate::Estimate};

/// The most that a correct interval earns.
const INTERVAL: f64 = 1.8;
/// The reward of a correct `impossible`.
const IMPOSSIBLE: f64 = 0.2;

impl Estimate {
    /// Returns the paper's reward for reinforcement learning, in [0, 1.8]; not proper.
    ///
    /// If r remains, an interval that contains r earns `1.8 max(0, 1 - (high - low) / r)`, and any other
    /// answer 0. If the run could not succeed (`remaining` is `None`), `impossible` earns 0.2, and any other
    /// answer 0. A malformed answer is [`Estimate::NoAnswer`] and earns 0.
    ///
    /// If an interval is expected to earn m on a run that succeeds, `impossible` pays only where success is less likely than
    /// `0.2 / (0.2 + m)`: a tenth for the perfect interval, with m = 1.8, and more for worse ones. The interval that earns
    /// most is narrower than an honest one. [`Estimate::proper_reward`] of a stated probability has neither effect.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the remaining cost is above 0 and at most 1e100; exclude trivial samples.
    ///
    /// ```
    /// use budget_estimation::{Error, Estimate};
    ///
    /// let tight = Estimate::interval(90.0, 110.0)?;
    /// assert!((tight.rule_reward(Some(100.0))? - 1.8 * 0.8).abs() < 1e-15);
    /// assert_eq!(tight.rule_reward(Some(200.0))?, 0.0);
    /// assert_eq!(Estimate::Impossible.rule_reward(None)?, 0.2);
    /// assert_eq!(Estimate::NoAnswer.rule_reward(None)?, 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendix E.
    pub fn rule_reward(self, remaining: Option<f64>) -> Result<f64, Error> {
        let Some(remaining) = remaining else {
            return Ok(if self == Self::Impossible { IMPOSSIBLE } else { 0.0 });
        };
        positive("remaining amount", remaining)?;
        Ok(match self.ends() {
            Some(ends) if ends.contains(remaining) => {
                INTERVAL * (1.0 - ends.width() / remaining).max(0.0)
            }
            _ => 0.0,
        })
    }
}

use crate::{
    checks::{is_amount, positive, setting},
    error::Error,
    estimates::estimate::Estimate,
};
use scoring_rules::{
    BrierScore, Interval, Level, Observed, Probability, ScoringRule, interval_loss,
};

impl Estimate {
    /// Returns a proper reward in [-2, 0]: a model has the highest expected reward if it states its true belief.
    ///
    /// It is the Brier score of the stated probability that the run succeeds. For a run that could succeed,
    /// `(1 - coverage) / 2` times the interval loss of the interval for the remaining cost is subtracted, with each amount x
    /// replaced by `x / (x + scale)`. This transformation keeps quantiles and their order. The honest interval is thus still
    /// the central interval of this coverage, given success. It also bounds the loss of an interval by 1. The scale is the
    /// amount that is transformed to one half, such as the cost of the run so far or its cap. It must not depend on the
    /// remaining cost.
    ///
    /// Without a stated probability, an interval means a probability of success of 1, and `impossible` a probability of 0.
    /// If a run could have succeeded, an answer without an interval has an interval loss of 1. A missing answer has the
    /// Brier score of a wrong certainty on every run. So if L is the expected loss of an interval on a run that succeeds,
    /// the interval earns more than `impossible` where the probability of success exceeds `1 / (3 - L)`, a value from 1/3 to
    /// 1/2.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the remaining cost is from 0 to 1e100 and the scale is above 0 and at most
    /// 1e100; [`Error::NegativeEstimate`] or [`Error::ScoringRules`] for a negative or infinite interval.
    ///
    /// ```
    /// use budget_estimation::{Error, Estimate, Level, Probability};
    ///
    /// let (interval, coverage) = (Estimate::interval(100.0, 300.0)?, Level::new(0.8)?);
    /// let likely = Some(Probability::new(0.75)?);
    /// let reward = |remaining| interval.proper_reward(likely, remaining, 100.0, coverage);
    /// // Half and three quarters of the way: a width of 0.25.
    /// assert!((reward(Some(200.0))? - (-0.0625 - 0.1 * 0.25)).abs() < 1e-15);
    /// // A remaining 0 lies half of the way below.
    /// assert!((reward(Some(0.0))? - (-0.0625 - 0.1 * 0.25 - 0.5)).abs() < 1e-15);
    /// // The run could not succeed.
    /// assert_eq!(reward(None)?, -0.5625);
    /// assert_eq!(Estimate::Impossible.proper_reward(None, None, 100.0, coverage)?, 0.0);
    /// assert_eq!(Estimate::Impossible.proper_reward(None, Some(9.0), 100.0, coverage)?, -2.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// References: Brier (1950), Verification of forecasts expressed in terms of probability,
    /// doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2; Gneiting and Raftery (2007), Strictly proper scoring rules,
    /// prediction, and estimation, section 6.2, doi:10.1198/016214506000001437; Gneiting (2011), Quantiles as optimal point
    /// forecasts, doi:10.1016/j.ijforecast.2009.12.015, for increasing functions of amounts.
    pub fn proper_reward(
        self,
        success: Option<Probability>,
        remaining: Option<f64>,
        scale: f64,
        coverage: Level,
    ) -> Result<f64, Error> {
        positive("scale", scale)?;
        let amount = remaining.unwrap_or(0.0);
        setting("remaining amount", amount, is_amount(amount), "from 0 to 1e100")?;
        let forecast = match (success, self.checked()?) {
            // The opposite of the outcome.
            (_, Self::NoAnswer) => {
                if remaining.is_none() {
                    Probability::ONE
                } else {
                    Probability::ZERO
                }
            }
            (Some(stated), _) => stated,
            (None, Self::Interval(_)) => Probability::ONE,
            (None, Self::Impossible) => Probability::ZERO,
        };
        let feasibility = BrierScore.score(forecast, remaining.is_some());
        let bounded = |amount: f64| amount / (amount + scale);
        let loss = match (remaining, self.ends()) {
            (None, _) => 0.0,
            (Some(_), None) => 1.0,
            (Some(remaining), Some(ends)) => {
                let ends = Interval::new(bounded(ends.low()), bounded(ends.high()))?;
                let outcome = Observed::exact(bounded(remaining))?;
                (1.0 - coverage.get()) / 2.0 * interval_loss(ends, outcome, coverage)
            }
        };
        Ok(feasibility - loss)
    }
}

/// The most that a correct interval earns.
const INTERVAL: f64 = 1.8;
/// The reward of a correct `impossible`.
const IMPOSSIBLE: f64 = 0.2;

impl Estimate {
    /// Returns the reward in [0, 1.8] that the BAGEN paper uses for reinforcement learning. It is not a proper score.
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

/// The mean rewards of an estimator on the task for which it was trained and on another task.
///
/// ```
/// use budget_estimation::{Error, bagen::TransferRewards};
///
/// let rewards = TransferRewards { in_task: 0.143, transferred: 0.052 };
/// assert_eq!(rewards.retention()?, 0.052 / 0.143);
/// let none = TransferRewards { in_task: 0.0, transferred: 0.1 }.retention();
/// assert!(matches!(none, Err(Error::ScoringRules(_))));
/// # Ok::<(), Error>(())
/// ```
///
/// The rewards have names, so that they cannot be swapped:
///
/// ```compile_fail,E0423
/// budget_estimation::bagen::TransferRewards(0.143, 0.052);
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendix H, table 6.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransferRewards {
    /// The mean reward on the task for which the estimator was trained; at least 0.
    pub in_task: f64,
    /// The mean reward on another task; at least 0.
    pub transferred: f64,
}

impl TransferRewards {
    /// Returns the share of its reward that the estimator keeps on the other task, `transferred / in_task`. The share
    /// is at least 0, and above 1 if the reward on the other task is higher.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for a reward that is negative or not finite; [`scoring_rules::Error::Undefined`] if
    /// the reward on the task of the training is 0.
    pub fn retention(self) -> Result<f64, Error> {
        let Self { in_task, transferred } = self;
        for (name, value) in [("in-task reward", in_task), ("transferred reward", transferred)] {
            setting(name, value, (0.0..f64::INFINITY).contains(&value), "finite and at least 0")?;
        }
        if in_task == 0.0 {
            let (name, reason) = ("the retention", "the in-task reward is 0");
            return Err(scoring_rules::checks::undefined(name, reason).into());
        }
        Ok(transferred / in_task)
    }
}

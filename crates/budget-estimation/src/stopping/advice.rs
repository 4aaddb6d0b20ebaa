use std::fmt;

use censoring::StopReason;
use scoring_rules::Probability;

use crate::cap_reason::cap_reason;

/// The action that the loop of an agent should take after a turn.
///
/// ```
/// use budget_estimation::{Advice, BudgetMonitor, Error, Estimate};
///
/// let mut monitor = BudgetMonitor::new([("tokens", Some(100.0))])?;
/// assert_eq!(monitor.push(&[(60.0, Estimate::NoAnswer)], None)?, Advice::Continue);
/// let advice = monitor.push(&[(20.0, Estimate::interval(10.0, 30.0)?)], None)?;
/// assert!(matches!(advice, Advice::Warn(_)));
/// let text = "warn: the estimate may not fit under the cap on tokens";
/// assert_eq!(advice.to_string(), text);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Advice {
    /// Continue the run.
    Continue,
    /// Continue the run, with a warning.
    Warn(AdviceReason),
    /// Stop the run.
    Stop(AdviceReason),
}

/// The reason for a warning or a stop. Resources have the names that the caller gave the monitor.
///
/// ```
/// use budget_estimation::{Advice, AdviceReason, BudgetMonitor, Error, Estimate};
///
/// let mut monitor = BudgetMonitor::new([("tokens", Some(100.0))])?;
/// let advice = monitor.push(&[(120.0, Estimate::NoAnswer)], None)?;
/// let Advice::Stop(reason) = advice else { panic!() };
/// assert_eq!(reason, AdviceReason::CapExceeded { resource: "tokens".to_owned() });
/// assert_eq!(reason.to_string(), "the cap on tokens is exceeded");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum AdviceReason {
    /// The run has spent more than a cap. The advice is to stop.
    CapExceeded {
        /// Name of the resource.
        resource: String,
    },
    /// The stated probability of failure is too high. The advice is to stop.
    FailureProbability {
        /// The stated probability.
        probability: Probability,
    },
    /// The expected value of success is below the expected remaining cost. The advice is to stop.
    NotWorthwhile {
        /// The expected value of success: the probability of success times its value.
        worth: f64,
        /// The expected remaining cost.
        cost: f64,
    },
    /// The estimate was `impossible`, or an interval above the amount left under a cap, which means the same. The
    /// advice is to stop if a stop rule applies, and otherwise a warning.
    Impossible {
        /// The number of consecutive impossible estimates, including this one.
        in_a_row: u32,
    },
    /// The upper bound of the estimate exceeds the amount left under a cap. The advice is a warning.
    MayNotFit {
        /// Name of the resource.
        resource: String,
    },
    /// The [`Budget`](crate::Budget) that the agent shares with others was stopped. The advice is to stop.
    BudgetStopped {
        /// The reason.
        reason: StopReason,
    },
    /// The run has spent a large share of a cap. The advice is a warning.
    NearCap {
        /// Name of the resource.
        resource: String,
    },
}

impl Advice {
    /// Returns the reason why a run that ends with this advice stopped, for the crate `censoring`; `None` unless the
    /// advice is to stop.
    ///
    /// An exceeded cap is a budget fixed in advance, so `censoring` counts the run as cut off, whatever the
    /// name of the resource. A word in this name decides only the name of the stop: money for `cost`, `usd`
    /// or `credits`; tokens for `token`; time for `time`, `seconds` or `duration`; steps for `steps`,
    /// `turns`, `calls`, `messages`, `requests`, `rounds` or `iterations`. (`outputTokens` has two words.) A
    /// cap on a resource with another name is [`StopReason::MaxOther`]. A stop because of the agent's own
    /// estimates is [`StopReason::Other`] with the name of the rule, such as `Other("estimated_impossible")`, which
    /// `censoring` excludes by default. To choose another reason
    /// for a cap, match [`AdviceReason::CapExceeded`], which contains the name of the resource.
    ///
    /// ```
    /// use budget_estimation::{BudgetMonitor, Error, Estimate, StopReason};
    ///
    /// let mut monitor = BudgetMonitor::new([("cost_usd", Some(0.3))])?;
    /// assert_eq!(monitor.push(&[(0.3, Estimate::NoAnswer)], None)?.stop_reason(), None);
    /// let advice = monitor.push(&[(0.1, Estimate::NoAnswer)], None)?;
    /// assert_eq!(advice.stop_reason(), Some(StopReason::MaxCost));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn stop_reason(&self) -> Option<StopReason> {
        let Self::Stop(reason) = self else { return None };
        Some(match reason {
            AdviceReason::CapExceeded { resource } => cap_reason(resource),
            AdviceReason::BudgetStopped { reason } => reason.clone(),
            AdviceReason::FailureProbability { .. } => {
                StopReason::Other("stated_failure_probability".to_owned())
            }
            AdviceReason::NotWorthwhile { .. } => StopReason::Other("not_worthwhile".to_owned()),
            AdviceReason::Impossible { .. } => StopReason::Other("estimated_impossible".to_owned()),
            warning => StopReason::Other(warning.to_string()),
        })
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Continue => f.write_str("continue"),
            Self::Warn(reason) => write!(f, "warn: {reason}"),
            Self::Stop(reason) => write!(f, "stop: {reason}"),
        }
    }
}

impl fmt::Display for AdviceReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CapExceeded { resource } => {
                write!(f, "the cap on {resource} is exceeded")
            }
            Self::FailureProbability { probability } => {
                write!(f, "the stated probability of failure is {}", probability.get())
            }
            Self::NotWorthwhile { worth, cost } => write!(
                f,
                "success is worth {worth} in expectation, and the rest of the run costs {cost}"
            ),
            Self::Impossible { in_a_row } => write!(f, "impossible, {in_a_row} in a row"),
            Self::MayNotFit { resource } => {
                write!(f, "the estimate may not fit under the cap on {resource}")
            }
            Self::BudgetStopped { reason } => write!(f, "the budget was stopped: {reason}"),
            Self::NearCap { resource } => write!(f, "the cap on {resource} is near"),
        }
    }
}

use std::fmt;

use scoring_rules::{DecimalSum, Probability, decimals::Decimal};

use super::stop_rule::Alarm;
use crate::{
    Error, Estimate, StopRule,
    checks::{is_amount, same_length},
};

/// What an agent's loop should do after a turn.
///
/// ```
/// use budget_estimation::{Advice, BudgetMonitor, Error, Estimate, StopRule};
///
/// let mut monitor = BudgetMonitor::new(&[Some(100.0)], StopRule::first_impossible())?;
/// assert_eq!(monitor.push(&[60.0], &[Estimate::NoAnswer], None)?, Advice::Continue);
/// let advice = monitor.push(&[20.0], &[Estimate::interval(10.0, 30.0)?], None)?;
/// assert!(matches!(advice, Advice::Warn(_)));
/// let text = "warn: what is estimated may not fit under the cap on resource 0";
/// assert_eq!(advice.to_string(), text);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Advice {
    /// Go on.
    Continue,
    /// Go on, but it may end badly.
    Warn(AdviceReason),
    /// Stop.
    Stop(AdviceReason),
}

/// Why to be careful, or to stop. Resources are named by their position.
///
/// ```
/// use budget_estimation::{Advice, AdviceReason, BudgetMonitor, Error, Estimate, StopRule};
///
/// let mut monitor = BudgetMonitor::new(&[Some(100.0)], StopRule::first_impossible())?;
/// let advice = monitor.push(&[120.0], &[Estimate::NoAnswer], None)?;
/// let Advice::Stop(reason) = advice else { panic!() };
/// assert_eq!(reason, AdviceReason::CapExceeded { resource: 0 });
/// assert_eq!(reason.to_string(), "the cap on resource 0 is exceeded");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum AdviceReason {
    /// More than the cap is spent: stop.
    CapExceeded {
        /// The resource.
        resource: usize,
    },
    /// The stated probability of failure is too large: stop.
    FailureProbability {
        /// The probability as stated.
        probability: Probability,
    },
    /// The estimate was `impossible`, or an interval that lies above what is left of a cap, which
    /// says the same: stop where that was often enough, else a warning.
    Impossible {
        /// How often in a row, up to now.
        in_a_row: u32,
    },
    /// The upper end of the estimate does not fit under the cap: a warning.
    MayNotFit {
        /// The resource.
        resource: usize,
    },
    /// A large share of the cap is spent: a warning.
    NearCap {
        /// The resource.
        resource: usize,
    },
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
                write!(f, "the cap on resource {resource} is exceeded")
            }
            Self::FailureProbability { probability } => {
                write!(f, "the stated probability of failure is {}", probability.get())
            }
            Self::Impossible { in_a_row } => write!(f, "impossible, {in_a_row} in a row"),
            Self::MayNotFit { resource } => {
                write!(f, "what is estimated may not fit under the cap on resource {resource}")
            }
            Self::NearCap { resource } => write!(f, "the cap on resource {resource} is near"),
        }
    }
}

/// Watches one run as it goes: after each turn it is given what the turn spent and what the agent
/// now estimates, and says whether to go on.
///
/// Keeps one number a resource, whatever the length of the run. Nothing is allocated after it was
/// made, and a turn takes O(R) for R resources.
///
/// ```
/// use budget_estimation::{Advice, AdviceReason, BudgetMonitor, Error, Estimate, StopRule};
///
/// let rule = StopRule::impossible_in_a_row(2)?;
/// let mut monitor = BudgetMonitor::new(&[Some(1000.0)], rule)?;
/// let estimate = [Estimate::interval(300.0, 600.0)?];
/// assert_eq!(monitor.push(&[200.0], &estimate, None)?, Advice::Continue);
/// let advice = monitor.push(&[400.0], &estimate, None)?;
/// assert_eq!(advice, Advice::Warn(AdviceReason::MayNotFit { resource: 0 }));
/// // At least 300 more with 200 left: the agent itself says that it will not fit.
/// let advice = monitor.push(&[200.0], &estimate, None)?;
/// assert_eq!(advice, Advice::Warn(AdviceReason::Impossible { in_a_row: 1 }));
/// let advice = monitor.push(&[0.0], &[Estimate::Impossible], None)?;
/// assert_eq!(advice, Advice::Stop(AdviceReason::Impossible { in_a_row: 2 }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BudgetMonitor {
    /// Plus infinity where there is none.
    caps: Vec<f64>,
    spent: Vec<f64>,
    /// The same, with all digits.
    sums: Vec<DecimalSum>,
    alarm: Alarm,
    warn_at: f64,
    turns: u64,
}

impl BudgetMonitor {
    /// A cap for each resource that a turn spends, or none; and when estimates are reason to stop.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without a resource; [`Error::Cap`] for a cap that is not from 0 to 1e100.
    pub fn new(caps: &[Option<f64>], rule: StopRule) -> Result<Self, Error> {
        if caps.is_empty() {
            return Err(Error::Empty);
        }
        let mut checked = Vec::with_capacity(caps.len());
        for (index, cap) in caps.iter().enumerate() {
            match *cap {
                None => checked.push(f64::INFINITY),
                Some(value) if is_amount(value) => checked.push(value),
                Some(value) => return Err(Error::Cap { resource: name(index), value }),
            }
        }
        let spent = vec![0.0; caps.len()];
        let sums = vec![DecimalSum::default(); caps.len()];
        Ok(Self { caps: checked, spent, sums, alarm: Alarm::new(rule), warn_at: 1.0, turns: 0 })
    }

    /// Warns from a share of a cap on, such as 0.9; 1 is not to.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] outside [0, 1].
    pub fn with_warning_at(mut self, share: f64) -> Result<Self, Error> {
        if !(0.0..=1.0).contains(&share) {
            let (name, range) = ("share of a cap to warn at", "from 0 to 1");
            return Err(Error::Setting { name, value: share, range });
        }
        self.warn_at = share;
        Ok(self)
    }

    /// Takes in a turn: what it spent and what is estimated to remain, one each a resource, and the
    /// stated probability of failure where there is one.
    ///
    /// The first of these that holds is the advice: a cap is exceeded; the rule says stop; the
    /// answer was `impossible`; an interval may not fit; a cap is near. An interval of which the
    /// lower end does not fit under what is left of the cap counts as `impossible`.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless there is one cost and one estimate a resource; [`Error::Cost`] for
    /// a cost that is not from 0 to 1e100; [`Error::NegativeEstimate`] for an interval that begins
    /// below 0. Nothing is taken in then.
    pub fn push(
        &mut self,
        spent: &[f64],
        estimates: &[Estimate],
        failure_probability: Option<Probability>,
    ) -> Result<Advice, Error> {
        let turn = usize::try_from(self.turns).unwrap_or(usize::MAX).saturating_add(1);
        let resources = self.caps.len();
        same_length("costs, one a resource", resources, spent.len())?;
        same_length("estimates, one a resource", resources, estimates.len())?;
        for (index, &value) in spent.iter().enumerate() {
            if !is_amount(value) {
                return Err(Error::Cost { rollout: 0, turn, resource: name(index), value });
            }
        }
        estimates.iter().try_for_each(|estimate| estimate.checked().map(|_| ()))?;
        self.turns = self.turns.saturating_add(1);
        let (mut exceeded, mut near, mut may_not_fit) = (None, None, None);
        let mut impossible = false;
        let totals = self.sums.iter_mut().zip(&mut self.spent);
        let parts = totals.zip(&self.caps).zip(spent.iter().zip(estimates));
        for (resource, (((sum, total), &cap), (&cost, estimate))) in parts.enumerate() {
            sum.add(cost);
            *total = sum.value();
            let left = {
                let mut left = *sum;
                left.add(-cap);
                -left.value()
            };
            if *total > cap {
                exceeded.get_or_insert(resource);
            } else if self.warn_at < 1.0 && *total >= share_of(self.warn_at, cap) {
                near.get_or_insert(resource);
            }
            impossible |= match estimate {
                Estimate::Impossible => true,
                Estimate::Interval(interval) => interval.low() > left,
                Estimate::NoAnswer => false,
            };
            if estimate.ends().is_some_and(|interval| interval.high() > left) {
                may_not_fit.get_or_insert(resource);
            }
        }
        let said = if impossible { Estimate::Impossible } else { Estimate::NoAnswer };
        let stop = self.alarm.push(said, failure_probability);
        if let Some(resource) = exceeded {
            return Ok(Advice::Stop(AdviceReason::CapExceeded { resource }));
        }
        let in_a_row = self.alarm.row();
        if stop {
            return Ok(Advice::Stop(match (self.alarm.rule(), failure_probability) {
                (StopRule::FailureProbability { .. }, Some(probability)) => {
                    AdviceReason::FailureProbability { probability }
                }
                _ => AdviceReason::Impossible { in_a_row },
            }));
        }
        Ok(if impossible {
            Advice::Warn(AdviceReason::Impossible { in_a_row })
        } else if let Some(resource) = may_not_fit {
            Advice::Warn(AdviceReason::MayNotFit { resource })
        } else if let Some(resource) = near {
            Advice::Warn(AdviceReason::NearCap { resource })
        } else {
            Advice::Continue
        })
    }

    /// What was spent of each resource.
    #[must_use]
    pub fn spent(&self) -> &[f64] {
        &self.spent
    }

    /// Number of turns taken in.
    #[must_use]
    pub const fn turns(&self) -> u64 {
        self.turns
    }
}

/// A share of a cap, of both as they are written in decimals; without a cap infinite.
fn share_of(share: f64, cap: f64) -> f64 {
    if cap.is_finite() {
        Decimal::shortest(share).times(Decimal::shortest(cap)).nearest()
    } else {
        f64::INFINITY
    }
}

/// A resource that has a position only.
fn name(index: usize) -> String {
    format!("resource {index}")
}

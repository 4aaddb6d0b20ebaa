use std::fmt;

use censoring::StopReason;
use scoring_rules::{DecimalSum, Probability, decimals::Decimal};

use super::stop_rule::row_after;
use crate::{
    acting::stop_rule::StopRule,
    checks::{is_amount, same_length},
    error::Error,
    estimates::estimate::Estimate,
    rollouts::decimals::left_of,
};

/// What an agent's loop should do after a turn.
///
/// ```
/// use budget_estimation::{Advice, BudgetMonitor, Error, Estimate};
///
/// let mut monitor = BudgetMonitor::new([("tokens", Some(100.0))])?;
/// assert_eq!(monitor.push(&[60.0], &[Estimate::NoAnswer], None)?, Advice::Continue);
/// let advice = monitor.push(&[20.0], &[Estimate::interval(10.0, 30.0)?], None)?;
/// assert!(matches!(advice, Advice::Warn(_)));
/// let text = "warn: what is estimated may not fit under the cap on tokens";
/// assert_eq!(advice.to_string(), text);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
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

/// Why to be careful, or to stop. Resources have the names that the monitor was made with.
///
/// ```
/// use budget_estimation::{Advice, AdviceReason, BudgetMonitor, Error, Estimate};
///
/// let mut monitor = BudgetMonitor::new([("tokens", Some(100.0))])?;
/// let advice = monitor.push(&[120.0], &[Estimate::NoAnswer], None)?;
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
    /// More than the cap is spent: stop.
    CapExceeded {
        /// Name of the resource.
        resource: String,
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
        /// Name of the resource.
        resource: String,
    },
    /// A large share of the cap is spent: a warning.
    NearCap {
        /// Name of the resource.
        resource: String,
    },
}

impl Advice {
    /// The stop reason of a run that is ended by this advice, for an audit and the scores of runs
    /// that were cut off; `None` unless the advice is to stop.
    ///
    /// A cap that is exceeded is a budget fixed in advance: of money if the name of the resource has
    /// a word such as `cost`, `usd` or `credits`, of tokens for `token`, of time for `time`,
    /// `seconds`, `duration` and others, of steps for `steps`, `turns`, `calls`, `messages`,
    /// `requests`, `rounds` and `iterations`; `outputTokens` is two words. A cap on a resource of any
    /// other name, and stops for what the agent itself estimates, are [`StopReason::Other`], which is
    /// excluded unless a policy of your own says otherwise. To give such a cap a reason yourself,
    /// match [`AdviceReason::CapExceeded`], which has the name.
    ///
    /// ```
    /// use budget_estimation::{BudgetMonitor, Error, Estimate, StopReason};
    ///
    /// let mut monitor = BudgetMonitor::new([("cost_usd", Some(0.3))])?;
    /// assert_eq!(monitor.push(&[0.3], &[Estimate::NoAnswer], None)?.stop_reason(), None);
    /// let advice = monitor.push(&[0.1], &[Estimate::NoAnswer], None)?;
    /// assert_eq!(advice.stop_reason(), Some(StopReason::MaxCost));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn stop_reason(&self) -> Option<StopReason> {
        let Self::Stop(reason) = self else { return None };
        Some(match reason {
            AdviceReason::CapExceeded { resource } => cap_on(resource),
            AdviceReason::FailureProbability { .. } => {
                StopReason::Other("stated_failure_probability".to_owned())
            }
            AdviceReason::Impossible { .. } => StopReason::Other("estimated_impossible".to_owned()),
            warning => StopReason::Other(warning.to_string()),
        })
    }
}

/// The words of a name in lower case, also those of `outputTokens` and `LLMCalls`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut letters = name.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let next_is_lower = letters.peek().is_some_and(|next| next.is_lowercase());
        let begins = letter.is_uppercase()
            && (before.is_lowercase() || (before.is_uppercase() && next_is_lower));
        if begins || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words
}

/// What kind of budget a cap on a resource of this name is.
fn cap_on(resource: &str) -> StopReason {
    let words = words(resource);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if has(&["cost", "costs", "usd", "eur", "dollar", "dollars", "cents", "money", "price"])
        || has(&["euro", "euros", "gbp", "credit", "credits", "spend"])
    {
        StopReason::MaxCost
    } else if has(&["token", "tokens"]) {
        StopReason::MaxTokens
    } else if has(&["time", "s", "ms", "sec", "second", "seconds", "minute", "minutes", "hours"])
        || has(&["clock", "duration", "latency", "elapsed", "runtime", "secs", "mins", "hour"])
    {
        StopReason::MaxTime
    } else if has(&["step", "steps", "turn", "turns", "call", "calls", "message", "messages"])
        || has(&["request", "requests", "round", "rounds", "iteration", "iterations"])
    {
        StopReason::MaxSteps
    } else {
        StopReason::Other(format!("cap on {resource}"))
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
            Self::Impossible { in_a_row } => write!(f, "impossible, {in_a_row} in a row"),
            Self::MayNotFit { resource } => {
                write!(f, "what is estimated may not fit under the cap on {resource}")
            }
            Self::NearCap { resource } => write!(f, "the cap on {resource} is near"),
        }
    }
}

/// Watches one run as it goes: after each turn it is given what the turn spent and what the agent
/// now estimates, and says whether to go on.
///
/// What is spent is added and held against the caps as it is written in decimals, as in
/// [`Rollouts`](crate::Rollouts). Keeps a sum for each resource, whatever the length of the run; a
/// turn takes O(R + S) for R resources and S stop rules.
///
/// With the feature `serde` a monitor can be stored in the middle of a run and goes on from there as
/// if it had not been.
///
/// ```
/// use budget_estimation::{Advice, AdviceReason, BudgetMonitor, Error, Estimate, StopRule};
///
/// let rule = StopRule::impossible_in_a_row(2)?;
/// let mut monitor = BudgetMonitor::new([("tokens", Some(1000.0))])?.with_stop_rule(rule);
/// let estimate = [Estimate::interval(300.0, 600.0)?];
/// assert_eq!(monitor.push(&[200.0], &estimate, None)?, Advice::Continue);
/// let advice = monitor.push(&[400.0], &estimate, None)?;
/// assert_eq!(advice, Advice::Warn(AdviceReason::MayNotFit { resource: "tokens".to_owned() }));
/// // At least 300 more with 200 left: the agent itself says that it will not fit.
/// let advice = monitor.push(&[200.0], &estimate, None)?;
/// assert_eq!(advice, Advice::Warn(AdviceReason::Impossible { in_a_row: 1 }));
/// let advice = monitor.push(&[0.0], &[Estimate::Impossible], None)?;
/// assert_eq!(advice, Advice::Stop(AdviceReason::Impossible { in_a_row: 2 }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct BudgetMonitor {
    resources: Vec<Watched>,
    /// The value of each sum.
    spent: Vec<f64>,
    rules: Vec<StopRule>,
    warn_at: f64,
    /// Answers `impossible` in a row, up to now.
    row: u32,
    turns: u64,
}

/// One resource of a run.
#[derive(Clone, Debug, PartialEq)]
struct Watched {
    name: String,
    /// Plus infinity where there is none.
    cap: f64,
    /// There is a warning from here on; plus infinity for none.
    near: f64,
    spent: DecimalSum,
}

impl BudgetMonitor {
    /// The resources that each turn spends, each with a name and a cap if it has one.
    ///
    /// Without a stop rule only a cap ends the run.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without a resource; [`Error::ResourceName`] for an empty name and where two
    /// are the same; [`Error::Cap`] for a cap that is not from 0 to 1e100.
    pub fn new<N: Into<String>>(
        resources: impl IntoIterator<Item = (N, Option<f64>)>,
    ) -> Result<Self, Error> {
        let mut watched: Vec<Watched> = Vec::new();
        for (name, cap) in resources {
            let name = name.into();
            if name.is_empty() || watched.iter().any(|other| other.name == name) {
                return Err(Error::ResourceName { name });
            }
            let cap = match cap {
                None => f64::INFINITY,
                Some(value) if is_amount(value) => value,
                Some(value) => return Err(Error::Cap { resource: name, value }),
            };
            let (near, spent) = (f64::INFINITY, DecimalSum::default());
            watched.push(Watched { name, cap, near, spent });
        }
        if watched.is_empty() {
            return Err(Error::Empty);
        }
        let spent = vec![0.0; watched.len()];
        let rules = Vec::new();
        Ok(Self { resources: watched, spent, rules, warn_at: 1.0, row: 0, turns: 0 })
    }

    /// Adds a rule for when estimates are reason to stop; any one of several is enough.
    #[must_use]
    pub fn with_stop_rule(mut self, rule: StopRule) -> Self {
        self.rules.push(rule);
        self
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
        for resource in &mut self.resources {
            resource.near = if share < 1.0 && resource.cap.is_finite() {
                // The share of the cap of both as they are written in decimals.
                Decimal::shortest(share).times(Decimal::shortest(resource.cap)).nearest()
            } else {
                f64::INFINITY
            };
        }
        Ok(self)
    }

    /// Takes in a turn: what it spent and what is estimated to remain, one each a resource, and the
    /// stated probability of failure where there is one.
    ///
    /// The first of these that holds is the advice: a cap is exceeded; a rule says stop, the first
    /// added first; the answer was `impossible`; an interval may not fit; a cap is near. An interval
    /// of which the lower end does not fit under what is left of the cap counts as `impossible`.
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
        same_length("costs, one a resource", self.resources.len(), spent.len())?;
        same_length("estimates, one a resource", self.resources.len(), estimates.len())?;
        for (resource, &value) in self.resources.iter().zip(spent) {
            if !is_amount(value) {
                let resource = resource.name.clone();
                return Err(Error::Cost { rollout: 0, turn, resource, value });
            }
        }
        estimates.iter().try_for_each(|estimate| estimate.checked().map(|_| ()))?;
        self.turns = self.turns.saturating_add(1);
        let (mut exceeded, mut near, mut may_not_fit) = (None, None, None);
        let mut impossible = false;
        let parts = self.resources.iter_mut().zip(&mut self.spent);
        for ((resource, total), (&cost, estimate)) in parts.zip(spent.iter().zip(estimates)) {
            resource.spent.add(cost);
            *total = resource.spent.value();
            let (left, name) = (left_of(resource.cap, resource.spent), &resource.name);
            if left < 0.0 {
                exceeded.get_or_insert(name);
            } else if *total >= resource.near {
                near.get_or_insert(name);
            }
            impossible |= match estimate {
                Estimate::Impossible => true,
                Estimate::Interval(interval) => interval.low() > left,
                Estimate::NoAnswer => false,
            };
            if estimate.ends().is_some_and(|interval| interval.high() > left) {
                may_not_fit.get_or_insert(name);
            }
        }
        self.row = row_after(self.row, impossible);
        let in_a_row = self.row;
        if let Some(resource) = exceeded.cloned() {
            return Ok(Advice::Stop(AdviceReason::CapExceeded { resource }));
        }
        if let Some(rule) = self.rules.iter().find(|rule| rule.holds(in_a_row, failure_probability))
        {
            return Ok(Advice::Stop(match (rule, failure_probability) {
                (StopRule::FailureProbability { .. }, Some(probability)) => {
                    AdviceReason::FailureProbability { probability }
                }
                _ => AdviceReason::Impossible { in_a_row },
            }));
        }
        Ok(if impossible {
            Advice::Warn(AdviceReason::Impossible { in_a_row })
        } else if let Some(resource) = may_not_fit.cloned() {
            Advice::Warn(AdviceReason::MayNotFit { resource })
        } else if let Some(resource) = near.cloned() {
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

/// A monitor as it is stored.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    resources: Vec<StoredResource>,
    stop_rules: Vec<StopRule>,
    warn_at: f64,
    impossible_in_a_row: u32,
    turns: u64,
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct StoredResource {
    name: String,
    cap: Option<f64>,
    spent: DecimalSum,
}

#[cfg(feature = "serde")]
impl From<BudgetMonitor> for Stored {
    fn from(monitor: BudgetMonitor) -> Self {
        let resources =
            monitor.resources.into_iter().map(|Watched { name, cap, spent, .. }| StoredResource {
                name,
                cap: cap.is_finite().then_some(cap),
                spent,
            });
        Self {
            resources: resources.collect(),
            stop_rules: monitor.rules,
            warn_at: monitor.warn_at,
            impossible_in_a_row: monitor.row,
            turns: monitor.turns,
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for BudgetMonitor {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        let resources = stored.resources.iter().map(|it| (it.name.as_str(), it.cap));
        let mut monitor = Self::new(resources)?.with_warning_at(stored.warn_at)?;
        for (index, StoredResource { spent, .. }) in stored.resources.into_iter().enumerate() {
            let value = spent.value();
            // A NaN is in no range.
            if !(0.0..f64::INFINITY).contains(&value) {
                let (name, range) = ("what was spent", "finite and at least 0");
                return Err(Error::Setting { name, value, range });
            }
            if let Some(resource) = monitor.resources.get_mut(index) {
                resource.spent = spent;
            }
            if let Some(total) = monitor.spent.get_mut(index) {
                *total = value;
            }
        }
        if stored.turns == 0 && monitor.spent.iter().any(|&spent| spent > 0.0) {
            return Err(Error::StoredState { problem: "nothing is spent before the first turn" });
        }
        if u64::from(stored.impossible_in_a_row) > stored.turns {
            let (name, value) = ("impossible_in_a_row", f64::from(stored.impossible_in_a_row));
            return Err(Error::Setting { name, value, range: "at most the number of turns" });
        }
        monitor.rules = stored.stop_rules;
        monitor.row = stored.impossible_in_a_row;
        monitor.turns = stored.turns;
        Ok(monitor)
    }
}

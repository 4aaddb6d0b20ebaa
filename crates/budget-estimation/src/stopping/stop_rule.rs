use std::num::NonZeroU32;

use scoring_rules::{Probability, checks::setting};

use crate::{
    checks::positive,
    error::Error,
    estimates::{estimate::Estimate, reading::Reading},
    resource::Resource,
};

/// A rule that stops a run because of its estimates.
///
/// By default, as in the paper, only the word `impossible` is an impossible estimate. With [`Reading::Cap`], so is
/// an interval above the amount left under a cap ([`StopRule::with_reading`]). The reading of samples does not
/// matter. A missing answer neither continues nor ends a row of impossible estimates, so that one unreadable reply does not
/// make a rule begin again: a row ends once each resource that was impossible in it has another answer. A rule about the probability of failure does nothing at turns without a stated probability. A
/// rule about value and cost also needs that probability and an interval.
///
/// ```
/// use budget_estimation::{Error, Probability, StopRule};
///
/// assert_eq!(StopRule::first_impossible(), StopRule::impossible_in_a_row(1)?);
/// assert!(matches!(StopRule::impossible_in_a_row(0), Err(Error::ScoringRules(_))));
/// let unlikely = StopRule::FailureProbability { at_least: Probability::new(0.9)? };
/// assert!(matches!(unlikely, StopRule::FailureProbability { .. }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum StopRule {
    /// Stops after this number of consecutive impossible estimates; 1 is the paper's rule.
    Impossible {
        /// The number of estimates.
        in_a_row: NonZeroU32,
        /// The rule by which an estimate counts as impossible.
        #[cfg_attr(feature = "serde", serde(default))]
        reading: Reading,
    },
    /// Stops as soon as the cap is exceeded, regardless of the estimate. A [`BudgetMonitor`](crate::BudgetMonitor)
    /// always has this rule.
    CapExceeded,
    /// Stops as soon as the stated probability of failure reaches a threshold.
    FailureProbability {
        /// The threshold.
        at_least: Probability,
    },
    /// Stops as soon as the probability of success times the value of success is below the expected remaining cost;
    /// see [`StopRule::not_worthwhile`].
    #[non_exhaustive]
    NotWorthwhile {
        /// The resource of the cost and of the value.
        resource: Resource,
        /// The value of success, in the unit of the resource.
        #[cfg_attr(feature = "serde", serde(deserialize_with = "value"))]
        value: f64,
    },
}

impl StopRule {
    /// Creates the paper's rule, which stops at the first answer `impossible`.
    ///
    /// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 6.1.
    #[must_use]
    pub const fn first_impossible() -> Self {
        Self::Impossible { in_a_row: NonZeroU32::MIN, reading: Reading::Answers }
    }

    /// Sets which estimates count as the answer `impossible`. Rules that do not count such answers stay the same.
    ///
    /// ```
    /// use budget_estimation::{
    ///     Error, Estimate, Reading, Rollouts, StopRule, early_stopping, estimator_from_fn,
    /// };
    ///
    /// // A run that exceeds its cap of 200, and a model that says so only by its interval.
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// let tokens = rollouts.resource("tokens")?;
    /// rollouts.set_cap(tokens, 200.0)?;
    /// rollouts.push(&[50.0, 100.0, 100.0], false)?;
    /// let mut model = estimator_from_fn(|_| Estimate::interval(160.0, 300.0));
    /// let samples = rollouts.score(tokens, &mut model)?;
    /// let saved = |rule| early_stopping(&rollouts, tokens, &samples, None, &[rule])?.saved_share();
    /// assert_eq!(saved(StopRule::first_impossible())?, 0.0);
    /// assert_eq!(saved(StopRule::first_impossible().with_reading(Reading::Cap))?, 0.8);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub const fn with_reading(self, reading: Reading) -> Self {
        match self {
            Self::Impossible { in_a_row, .. } => Self::Impossible { in_a_row, reading },
            other => other,
        }
    }

    /// Creates a rule that stops after this number of consecutive answers `impossible`.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for 0.
    pub const fn impossible_in_a_row(in_a_row: u32) -> Result<Self, Error> {
        let (name, range) = ("number of estimates in a row", "at least 1");
        match setting(name, in_a_row as f64, in_a_row > 0, range) {
            Ok(()) => {
                let in_a_row = NonZeroU32::MIN.saturating_add(in_a_row - 1);
                Ok(Self::Impossible { in_a_row, reading: Reading::Answers })
            }
            Err(error) => Err(Error::ScoringRules(error)),
        }
    }

    /// Creates a rule that stops a run whose remaining cost exceeds its probability of success times `value`.
    ///
    /// The probability of success is 1 minus the stated probability of failure, for example of a
    /// [`SuccessForecaster`](crate::SuccessForecaster). The expected remaining cost is the midpoint of the
    /// interval. `value` is the value of success, in the unit of the resource. Without a stated probability or without an
    /// interval of this resource, the rule does nothing.
    ///
    /// The rule compares stopping now with running to the end. It ignores the option of stopping later, so it tends
    /// to stop too early rather than too late.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the value is above 0 and at most 1e100.
    ///
    /// ```
    /// use budget_estimation::{
    ///     Advice, BudgetMonitor, Error, Estimate, Probability, StopRule,
    /// };
    ///
    /// // A solved task is worth as much as 1,000 tokens.
    /// let monitor = BudgetMonitor::new([("tokens", None)])?;
    /// let rule = StopRule::not_worthwhile(monitor.resource("tokens")?, 1000.0)?;
    /// let mut monitor = monitor.with_stop_rule(rule);
    /// let estimate = Estimate::interval(100.0, 300.0)?;
    /// // 0.25 * 1,000 is more than the expected 200 tokens; 0.125 * 1,000 is less.
    /// let advice = monitor.push(&[(50.0, estimate)], Some(Probability::new(0.75)?))?;
    /// assert_eq!(advice, Advice::Continue);
    /// let advice = monitor.push(&[(50.0, estimate)], Some(Probability::new(0.875)?))?;
    /// let text = "stop: success is worth 125 in expectation, and the rest of the run costs 200";
    /// assert_eq!(advice.to_string(), text);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn not_worthwhile(resource: Resource, value: f64) -> Result<Self, Error> {
        positive("value of success", value)?;
        Ok(Self::NotWorthwhile { resource, value })
    }

    /// Returns the resource of the rule, if it has one.
    pub(super) const fn resource(self) -> Option<Resource> {
        if let Self::NotWorthwhile { resource, .. } = self { Some(resource) } else { None }
    }

    /// Returns whether to stop at this point. `at` is the position of the rule's resource among the estimates.
    #[inline]
    pub(super) fn holds(self, seen: &Seen<'_>, at: usize) -> bool {
        match self {
            Self::CapExceeded => seen.cap_exceeded,
            Self::Impossible { in_a_row, reading } => {
                seen.impossible_in_a_row[reading as usize] >= in_a_row.get()
            }
            Self::FailureProbability { at_least } => {
                seen.failure_probability.is_some_and(|stated| stated >= at_least)
            }
            Self::NotWorthwhile { value, .. } => {
                seen.worth_and_cost(value, at).is_some_and(|(worth, cost)| worth < cost)
            }
        }
    }
}

/// The data from which stop rules decide.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'a> {
    /// The numbers of consecutive impossible estimates, by reading; 0 at a turn without one.
    pub(super) impossible_in_a_row: [u32; 2],
    pub(super) failure_probability: Option<Probability>,
    pub(super) cap_exceeded: bool,
    estimates: &'a [(Estimate, Option<f64>)],
}

impl<'a> Seen<'a> {
    /// Collects the inputs of the rules from the estimate of each resource and the amount left under its cap.
    /// `in_a_row` has the numbers of consecutive impossible estimates so far, and `last` for each resource whether its last
    /// answer was impossible, both by reading. They are updated.
    #[inline]
    pub(super) fn new<'l>(
        in_a_row: &mut [u32; 2],
        last: impl Iterator<Item = &'l mut [bool; 2]>,
        estimates: &'a [(Estimate, Option<f64>)],
        failure_probability: Option<Probability>,
    ) -> Self {
        let (mut impossible, mut open, mut cap_exceeded) = ([false; 2], [false; 2], false);
        for (&(estimate, left), last) in estimates.iter().zip(last) {
            for reading in Reading::ALL {
                let (now, last) =
                    (estimate.predicts_impossible(reading.left(left)), &mut last[reading as usize]);
                *last = if estimate == Estimate::NoAnswer { *last } else { now };
                impossible[reading as usize] |= now;
                open[reading as usize] |= *last;
            }
            cap_exceeded |= left.is_some_and(|left| left < 0.0);
        }
        let mut impossible_in_a_row = [0; 2];
        for at in 0..2 {
            if impossible[at] {
                in_a_row[at] = in_a_row[at].saturating_add(1);
                impossible_in_a_row[at] = in_a_row[at];
            } else if !open[at] {
                in_a_row[at] = 0;
            }
        }
        Self { impossible_in_a_row, failure_probability, cap_exceeded, estimates }
    }

    /// Returns the expected value of success, and the expected remaining cost.
    pub(super) fn worth_and_cost(&self, value: f64, at: usize) -> Option<(f64, f64)> {
        let failure = self.failure_probability?;
        let interval = self.estimates.get(at)?.0.ends()?;
        Some(((1.0 - failure.get()) * value, interval.low() / 2.0 + interval.high() / 2.0))
    }
}

/// Reads a value that [`StopRule::not_worthwhile`] accepts.
#[cfg(feature = "serde")]
fn value<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = serde::Deserialize::deserialize(deserializer)?;
    positive("value of success", value).map_err(serde::de::Error::custom)?;
    Ok(value)
}

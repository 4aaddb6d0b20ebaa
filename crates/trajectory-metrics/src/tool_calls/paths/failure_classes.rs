use std::collections::BTreeSet;

use crate::error::{Error, Shared};

/// What is wrong with a call: one of the four failure modes of CostBench.
///
/// Reference: CostBench, appendix D.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum FailureClass {
    /// Redundant: the call repeats the effect of a successful call.
    Repeated,
    /// Redundant: the call comes after the goal was reached.
    Extra,
    /// Failed: the tool does not exist, or does not accept the parameters.
    WrongParameters,
    /// Failed: an input was not available yet.
    Inaccessible,
}

impl FailureClass {
    /// Returns whether the call succeeded but was not needed.
    pub(crate) const fn is_redundant(self) -> bool {
        matches!(self, Self::Repeated | Self::Extra)
    }

    /// Returns the failure class of each call of a run, `None` for a call without a failure.
    ///
    /// A call has the first class that applies of: wrong parameters, inaccessible, extra, repeated. A
    /// failed call has no effect: it is not a repetition, and neither is the same call later.
    ///
    /// If [`CallFacts::advanced`] is known, it decides whether a call is repeated: the same call may be
    /// needed again after an event, and a different call may repeat work already done (CostBench, table
    /// 10: a composite tool after one of its parts).
    ///
    /// `n log n` comparisons of calls.
    ///
    /// Reference: CostBench, appendix D.2.
    ///
    /// ```
    /// use trajectory_metrics::tool_calls::{CallFacts, FailureClass, FailureCounts};
    ///
    /// let sound = |call| CallFacts {
    ///     call,
    ///     well_formed: true,
    ///     accessible: true,
    ///     after_goal: false,
    ///     advanced: None,
    /// };
    /// let calls = [
    ///     CallFacts { accessible: false, ..sound("search") },
    ///     sound("decide"),
    ///     sound("search"),
    ///     sound("decide"),
    ///     CallFacts { after_goal: true, ..sound("refine") },
    ///     CallFacts { well_formed: false, ..sound("finish") },
    /// ];
    /// let classes = FailureClass::of_each(&calls);
    /// assert_eq!(
    ///     classes,
    ///     [
    ///         Some(FailureClass::Inaccessible),
    ///         None,
    ///         None,
    ///         Some(FailureClass::Repeated),
    ///         Some(FailureClass::Extra),
    ///         Some(FailureClass::WrongParameters),
    ///     ]
    /// );
    /// let counts: FailureCounts = classes.into_iter().collect();
    /// assert_eq!((counts.calls, counts.redundant(), counts.invalid()), (6, 2, 2));
    /// ```
    #[must_use]
    pub fn of_each<T: Ord>(calls: &[CallFacts<T>]) -> Vec<Option<FailureClass>> {
        let mut succeeded = BTreeSet::new();
        let class = |facts| {
            let &CallFacts { ref call, well_formed, accessible, after_goal, advanced } = facts;
            if !well_formed {
                return Some(FailureClass::WrongParameters);
            }
            if !accessible {
                return Some(FailureClass::Inaccessible);
            }
            let first = succeeded.insert(call);
            if after_goal {
                return Some(FailureClass::Extra);
            }
            (!advanced.unwrap_or(first)).then_some(FailureClass::Repeated)
        };
        calls.iter().map(class).collect()
    }
}

/// The facts about a call that determine its failure class.
///
/// Any combination is valid. For a call that is not well formed or not accessible, the remaining
/// facts are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallFacts<T> {
    /// The part of the call that is compared with other calls: the tool's name, or the name and the arguments.
    pub call: T,
    /// Whether the tool exists and accepts the parameters.
    pub well_formed: bool,
    /// Whether all inputs of the call were available.
    pub accessible: bool,
    /// Whether the goal was reached before this call.
    pub after_goal: bool,
    /// Whether the call gave the run anything new; `None` if that is not known. The call then counts as repeated if
    /// the same call has succeeded before.
    pub advanced: Option<bool>,
}

scoring_rules::checked! {
    /// The number of calls in each class, for one or many runs. It can be collected from, or extended with, the result
    /// of [`FailureClass::of_each`]. Counts saturate at the largest value of their type.
    ///
    /// With the feature `serde`, counts are read only if the classes together have at most all calls.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct FailureCounts {
        /// The number of all calls.
        pub calls: usize,
        /// The number of calls that repeat work already done.
        pub repeated: usize,
        /// The number of calls after the goal was reached.
        pub extra: usize,
        /// The number of calls of an unknown tool, or with parameters that the tool does not accept.
        pub wrong_parameters: usize,
        /// The number of calls with an unavailable input.
        pub inaccessible: usize,
    }
    check: FailureCounts::check
}

impl FailureCounts {
    #[cfg(feature = "serde")]
    fn check(&self) -> Result<(), Shared> {
        let classes = [self.repeated, self.extra, self.wrong_parameters, self.inaccessible];
        let sum = classes.iter().try_fold(0_usize, |sum, &count| sum.checked_add(count));
        let is_valid = sum.is_some_and(|sum| sum <= self.calls);
        let value = classes.iter().map(|&count| count as f64).sum();
        let name = "number of redundant and failed calls";
        scoring_rules::checks::setting(name, value, is_valid, "at most the number of calls")
    }

    /// Returns the number of repeated and extra calls.
    #[must_use]
    pub const fn redundant(&self) -> usize {
        self.repeated.saturating_add(self.extra)
    }

    /// Returns the number of calls with wrong parameters and of inaccessible calls.
    #[must_use]
    pub const fn invalid(&self) -> usize {
        self.wrong_parameters.saturating_add(self.inaccessible)
    }

    /// Adds the counts of other calls.
    pub fn merge(&mut self, other: &Self) {
        add(&mut self.calls, other.calls);
        add(&mut self.repeated, other.repeated);
        add(&mut self.extra, other.extra);
        add(&mut self.wrong_parameters, other.wrong_parameters);
        add(&mut self.inaccessible, other.inaccessible);
    }
}

const fn add(count: &mut usize, more: usize) {
    *count = count.saturating_add(more);
}

impl Extend<Option<FailureClass>> for FailureCounts {
    fn extend<I: IntoIterator<Item = Option<FailureClass>>>(&mut self, classes: I) {
        for class in classes {
            add(&mut self.calls, 1);
            match class {
                None => {}
                Some(FailureClass::Repeated) => add(&mut self.repeated, 1),
                Some(FailureClass::Extra) => add(&mut self.extra, 1),
                Some(FailureClass::WrongParameters) => add(&mut self.wrong_parameters, 1),
                Some(FailureClass::Inaccessible) => add(&mut self.inaccessible, 1),
            }
        }
    }
}

impl FromIterator<Option<FailureClass>> for FailureCounts {
    fn from_iter<I: IntoIterator<Item = Option<FailureClass>>>(classes: I) -> Self {
        let mut counts = Self::default();
        counts.extend(classes);
        counts
    }
}

/// Returns the share of calls that are invalid: calls of an unknown tool, calls with wrong parameters, and calls with
/// inputs that were not available yet. `valid` states for each call whether it is valid.
///
/// In [0, 1]; lower is better. CostBench (ITUR, appendices B.3.1 and B.3.2) computes it over the calls of all runs together,
/// so that long runs count more.
///
/// # Errors
///
/// [`scoring_rules::Error::Empty`] without a call.
///
/// ```
/// use trajectory_metrics::{Error, tool_calls::invalid_tool_use_ratio};
///
/// assert_eq!(invalid_tool_use_ratio(&[true, false, true, true])?, 0.25);
/// assert_eq!(invalid_tool_use_ratio(&[]), Err(scoring_rules::Error::Empty.into()));
/// # Ok::<(), Error>(())
/// ```
pub fn invalid_tool_use_ratio(valid: &[bool]) -> Result<f64, Error> {
    if valid.is_empty() {
        return Err(Shared::Empty.into());
    }
    Ok(valid.iter().filter(|&&valid| !valid).count() as f64 / valid.len() as f64)
}

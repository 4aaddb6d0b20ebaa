use crate::{checks::same_length, error::Error, values::probability::Probability};

/// Many runs in one array: the forecasts of all runs, the position at which each run ends, and whether it succeeded.
///
/// ```
/// use scoring_rules::{BrierScore, Probability, ScoringRule, Runs, StepWeights};
///
/// let forecasts = Probability::from_slice(&[0.5, 1.0, 0.5])?;
/// let runs = Runs::new(forecasts, 0, &[2, 3], &[true, false])?;
/// let mut sums = [0.0; 2];
/// BrierScore.weighted_sums(runs, StepWeights::Falling, &mut sums);
/// assert_eq!(sums, [-0.5, -0.25]);
///
/// assert!(Runs::new(forecasts, 0, &[2, 4], &[true, false]).is_err());
/// # Ok::<(), scoring_rules::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs<'a> {
    /// All forecasts, including forecasts of other runs.
    pub(crate) forecasts: &'a [Probability],
    start: usize,
    ends: &'a [usize],
    outcomes: &'a [bool],
}

impl<'a> Runs<'a> {
    /// Creates a view of runs in the array `forecasts`, which may contain other runs before and after them. The first
    /// run starts at position `start`, and run i ends before position `ends[i]`.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if there is not one outcome per end, or if the last run ends after the
    /// forecasts; [`Error::OutOfOrder`] for an end before the start of its run.
    #[inline]
    pub fn new(
        forecasts: &'a [Probability],
        start: usize,
        ends: &'a [usize],
        outcomes: &'a [bool],
    ) -> Result<Self, Error> {
        same_length("outcomes", ends.len(), outcomes.len())?;
        let mut last = start;
        for (index, &end) in ends.iter().enumerate() {
            if end < last {
                let (before, value) = (last as f64, end as f64);
                return Err(Error::OutOfOrder { what: "ends", index, before, value });
            }
            last = end;
        }
        if last > forecasts.len() {
            return Err(Error::Length {
                what: "forecasts",
                expected: last,
                found: forecasts.len(),
            });
        }
        Ok(Self { forecasts, start, ends, outcomes })
    }

    /// A view of all of `forecasts` as one run.
    #[inline]
    pub(crate) fn one(forecasts: &'a [Probability], end: &'a usize, outcome: &'a bool) -> Self {
        let (ends, outcomes) = (std::slice::from_ref(end), std::slice::from_ref(outcome));
        Self { forecasts, start: 0, ends, outcomes }
    }

    /// The start, the end and the outcome of each run.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, usize, bool)> + use<'a> {
        let mut next = self.start;
        self.ends.iter().zip(self.outcomes).map(move |(&end, &outcome)| {
            let start = next;
            next = end;
            (start, end, outcome)
        })
    }
}

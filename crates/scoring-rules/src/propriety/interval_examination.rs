use std::fmt;

use super::shown::significant;
use crate::values::interval::Interval;

/// The result of [`IntervalExamination::new`].
///
/// `Display` prints a few plain sentences. It can be written to JSON, with infinite scores and gains
/// as `"inf"` and `"-inf"`, but not read.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct IntervalExamination {
    /// The dishonest interval with the largest relative gain; `None` if none gained.
    pub counterexample: Option<IntervalCounterexample>,
    /// The number of distributions in which some dishonest interval ties with the honest one.
    pub tied: usize,
    /// The number of distributions that were tried.
    pub distributions: usize,
    /// The number of dishonest intervals that were tried, over all distributions.
    pub intervals: usize,
}

/// A distribution under which a dishonest interval has a higher expected score than the honest one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct IntervalCounterexample {
    /// The possible outcomes, in increasing order.
    pub outcomes: Vec<f64>,
    /// The probability of each outcome.
    pub probabilities: Vec<f64>,
    /// The central interval of the requested coverage.
    pub honest: Interval,
    /// The interval that gains.
    pub better: Interval,
    /// The expected score of the honest interval.
    #[cfg_attr(feature = "serde", serde(with = "crate::infinite"))]
    pub honest_score: f64,
    /// The expected score of the better interval.
    #[cfg_attr(feature = "serde", serde(with = "crate::infinite"))]
    pub better_score: f64,
    /// The difference of the two; infinite if the honest interval has an infinitely low score.
    #[cfg_attr(feature = "serde", serde(with = "crate::infinite"))]
    pub gain: f64,
}

impl fmt::Display for IntervalExamination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, m) = (self.distributions, self.intervals);
        if let Some(found) = &self.counterexample {
            write!(f, "{found}")?;
        } else {
            write!(
                f,
                "No dishonest interval gains among {n} distributions and {m} intervals; others may."
            )?;
        }
        match self.tied {
            0 => Ok(()),
            tied => {
                write!(
                    f,
                    " A dishonest interval ties with the honest one in {tied} of {n} distributions."
                )
            }
        }
    }
}

impl fmt::Display for IntervalCounterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |x: f64| significant(x, 6);
        let all = |values: &[f64]| values.iter().map(|&x| short(x)).collect::<Vec<_>>();
        let ends = |interval: Interval| [short(interval.low()), short(interval.high())];
        write!(
            f,
            "Improper: if the outcomes {:?} have the probabilities {:?}, the expected score of the \
             honest interval {:?} is {:?} and that of {:?} is {:?}.",
            all(&self.outcomes),
            all(&self.probabilities),
            ends(self.honest),
            short(self.honest_score),
            ends(self.better),
            short(self.better_score)
        )
    }
}

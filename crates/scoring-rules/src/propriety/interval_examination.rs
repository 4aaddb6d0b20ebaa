use std::fmt;

use super::shown::significant;
use crate::Interval;

/// What [`examine_interval`](super::examine_interval) found.
///
/// Displayed as a few plain sentences.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct IntervalExamination {
    /// The dishonest interval with the largest relative gain; `None` if none gained.
    pub counterexample: Option<IntervalCounterexample>,
    /// In how many distributions some dishonest interval scored as much as the honest one.
    pub tied: usize,
    /// How many distributions were tried.
    pub distributions: usize,
    /// How many dishonest intervals were tried, over all distributions.
    pub intervals: usize,
}

/// A distribution for which a dishonest interval is expected to score more than the honest one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct IntervalCounterexample {
    /// What can happen, rising.
    pub outcomes: Vec<f64>,
    /// With which probability each of them happens.
    pub probabilities: Vec<f64>,
    /// The central interval of the coverage that was asked for.
    pub honest: Interval,
    /// The interval that gains.
    pub better: Interval,
    /// What the honest interval is expected to score.
    pub honest_score: f64,
    /// What the other one is expected to score.
    pub better_score: f64,
    /// The difference; infinite where honesty costs infinitely much.
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
                "No dishonest interval gains among {n} distributions and {m} intervals; others \
                 are not excluded."
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
            "Improper: where the outcomes {:?} have the probabilities {:?}, the honest interval \
             {:?} is expected to score {:?} and {:?} to score {:?}.",
            all(&self.outcomes),
            all(&self.probabilities),
            ends(self.honest),
            short(self.honest_score),
            ends(self.better),
            short(self.better_score)
        )
    }
}

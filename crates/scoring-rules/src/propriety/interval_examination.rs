use std::fmt;

use super::shown::significant;
use crate::values::interval::Interval;
#[cfg(feature = "serde")]
use crate::{
    checks::same_length, error::Error, infinite::Number, values::probability::Probability,
};

/// What [`examine_interval`](super::examine_interval) found.
///
/// Displayed as a few plain sentences. In JSON infinite scores and gains are `"inf"` and `"-inf"`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
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
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
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

/// The form in which a counterexample is written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    outcomes: Vec<f64>,
    probabilities: Vec<Probability>,
    honest: Interval,
    better: Interval,
    honest_score: Number,
    better_score: Number,
    gain: Number,
}

#[cfg(feature = "serde")]
impl TryFrom<Written> for IntervalCounterexample {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        let Written { outcomes, probabilities, honest, better, .. } = written;
        same_length("probabilities", outcomes.len(), probabilities.len())?;
        for (index, &value) in outcomes.iter().enumerate() {
            if !value.is_finite() {
                return Err(Error::NotFiniteAt { what: "outcomes", index, value });
            }
            if let Some(before) = index.checked_sub(1).map(|before| outcomes[before])
                && value <= before
            {
                return Err(Error::OutOfOrder { what: "outcomes", index, before, value });
            }
        }
        let probabilities: Vec<f64> = probabilities.iter().map(|p| p.get()).collect();
        let sum: f64 = probabilities.iter().sum();
        if (sum - 1.0).abs() > 1e-9 {
            return Err(Error::SumNotOne { sum });
        }
        Ok(Self {
            outcomes,
            probabilities,
            honest,
            better,
            honest_score: written.honest_score.0,
            better_score: written.better_score.0,
            gain: written.gain.0,
        })
    }
}

#[cfg(feature = "serde")]
impl From<IntervalCounterexample> for Written {
    fn from(found: IntervalCounterexample) -> Self {
        // They were made as shares of a sum, or read as probabilities.
        let probability =
            |&p: &f64| Probability::new(p.clamp(0.0, 1.0)).unwrap_or(Probability::ZERO);
        Self {
            probabilities: found.probabilities.iter().map(probability).collect(),
            outcomes: found.outcomes,
            honest: found.honest,
            better: found.better,
            honest_score: Number(found.honest_score),
            better_score: Number(found.better_score),
            gain: Number(found.gain),
        }
    }
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

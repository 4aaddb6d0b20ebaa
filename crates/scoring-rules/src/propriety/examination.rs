use std::{fmt, ops::RangeInclusive};

use super::{gain::ROUNDING, shown::Number};
use crate::values::probability::Probability;

/// What [`examine`](super::examine) found: a verdict, and how certain it is.
///
/// Displayed as a few plain sentences. In JSON infinite gains are `"inf"`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Examination {
    /// Strictly proper, proper or improper.
    pub verdict: Verdict,
    /// What stands behind the verdict and what it cannot exclude.
    pub certainty: Certainty,
}

/// Whether honesty pays.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Verdict {
    /// No report gains on the truth, and none was found to tie.
    StrictlyProper,
    /// No report gains on the truth, but some do not lose.
    Proper {
        /// Ranges of reports, both ends included, that score the same to the last bit under both
        /// outcomes, so that they tie whatever the truth. Empty where the scores differ so little
        /// that no loss can be told from a tie anywhere.
        ties: Vec<RangeInclusive<Probability>>,
    },
    /// Some report gains on the truth.
    Improper(Counterexample),
}

/// A truth and a report that is expected to score more than the truth does.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Counterexample {
    /// The probability of the event.
    pub truth: Probability,
    /// The report that gains.
    pub report: Probability,
    /// The expected score of the report minus that of the truth; the largest that was found.
    /// Infinite where the truth costs infinitely much and the report does not.
    #[cfg_attr(feature = "serde", serde(with = "crate::infinite"))]
    pub gain: f64,
    /// A gain up to this could be rounding, if the rule's own error is at most 1e-12 of its
    /// scores. Infinite together with the gain, which no rounding explains then.
    #[cfg_attr(feature = "serde", serde(with = "crate::infinite"))]
    pub rounding: f64,
}

/// What stands behind a verdict, and what it cannot exclude.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Certainty {
    /// How many reports were compared.
    pub reports: usize,
    /// The largest distance between neighbours among them.
    pub widest_gap: f64,
    /// At every truth in this range, and at 0 and 1, no report gains more than
    /// [`Self::hidden_gain`].
    pub truths: RangeInclusive<Probability>,
    /// The most that a report or a truth between those compared could gain, rounding apart, if the
    /// score only rises with the probability given to what happened. `None` for an improper rule.
    #[cfg_attr(feature = "serde", serde(with = "crate::infinite::optional"))]
    pub hidden_gain: Option<f64>,
    /// Ranges within which reports a thousandth apart (or all, where the range is shorter) neither
    /// visibly lose against each other nor score the same to the last bit.
    pub undecided: Vec<RangeInclusive<Probability>>,
}

impl fmt::Display for Examination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.verdict {
            Verdict::StrictlyProper => write!(f, "Strictly proper: no report gains on the truth.")?,
            Verdict::Proper { ties } if ties.is_empty() => write!(
                f,
                "Proper: no report gains on the truth, but no loss can be told from rounding."
            )?,
            Verdict::Proper { ties } => write!(
                f,
                "Proper, not strictly: no report gains on the truth, but all score the same to the \
                 last bit within {}.",
                Ranges(ties)
            )?,
            Verdict::Improper(found) => write!(f, "{found}")?,
        }
        write!(f, " {}", self.certainty)
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Improper: where the truth is {}, reporting {} is expected to gain {}.",
            Number(self.truth.get()),
            Number(self.report.get()),
            Number(self.gain)
        )
    }
}

impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Compared were {} reports, at most {} apart; differences up to {ROUNDING:e} of the \
             scores count as rounding.",
            self.reports,
            Number(self.widest_gap)
        )?;
        let Some(hidden) = self.hidden_gain else {
            return write!(f, " The gain is real unless the rule's own error is as large.");
        };
        write!(
            f,
            " If the score only rises with what is given to the outcome, as that of every proper \
             rule does, no report gains more than {} beyond rounding at any truth from {} to {}. \
             Not excluded are smaller gains, a score that falls and rises again between two \
             neighbouring reports, and a tie at a single truth or between neighbours.",
            Number(hidden),
            Number(self.truths.start().get()),
            Number(self.truths.end().get()),
        )?;
        if !self.undecided.is_empty() {
            write!(f, " Losses cannot be told from ties within {}.", Ranges(&self.undecided))?;
        }
        Ok(())
    }
}

/// The first few ranges.
struct Ranges<'a>(&'a [RangeInclusive<Probability>]);

impl fmt::Display for Ranges<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 4;
        for (i, range) in self.0.iter().take(SHOWN).enumerate() {
            let between = if i == 0 { "" } else { " and within " };
            let (low, high) = (Number(range.start().get()), Number(range.end().get()));
            write!(f, "{between}[{low}, {high}]")?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, " and within each of {more} more ranges"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_of_ranges_is_cut_short() {
        let ranges = vec![Probability::ZERO..=Probability::HALF; 7];
        let shown = Ranges(&ranges).to_string();
        assert!(shown.starts_with("[0, 0.5] and within [0, 0.5]"), "{shown}");
        assert!(shown.ends_with("and within each of 3 more ranges"), "{shown}");
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_verdict_is_written_with_the_lie_that_pays() {
        let [truth, report] = [Probability::HALF, Probability::ONE];
        let found = Counterexample { truth, report, gain: 0.25, rounding: 0.0 };
        assert_eq!(
            serde_json::to_string(&Verdict::Improper(found)).unwrap(),
            r#"{"improper":{"truth":0.5,"report":1.0,"gain":0.25,"rounding":0.0}}"#
        );
        let ties = vec![truth..=report];
        assert_eq!(
            serde_json::to_string(&Verdict::Proper { ties }).unwrap(),
            r#"{"proper":{"ties":[{"start":0.5,"end":1.0}]}}"#
        );
    }
}

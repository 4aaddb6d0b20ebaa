use std::{fmt, ops::RangeInclusive};

use super::{gain::ROUNDING, shown::Number};
use crate::values::probability::Probability;

/// The result of [`Examination::new`]: a verdict, and how certain it is.
///
/// `Display` prints a few plain sentences. It can be written to JSON, with infinite gains as `"inf"`,
/// but not read.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Examination {
    /// Strictly proper, proper or improper.
    pub verdict: Verdict,
    /// The evidence for the verdict, and its limits.
    pub certainty: Certainty,
}

/// Whether a rule is proper.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Verdict {
    /// No report gains on the truth, and no tie was found.
    StrictlyProper,
    /// No report gains on the truth, but some tie with it.
    Proper {
        /// Ranges of reports, including their ends, with scores that are equal to the last bit under
        /// both outcomes. Such reports tie for every truth. Empty if the scores differ so little
        /// everywhere that losses cannot be distinguished from ties.
        ties: Vec<RangeInclusive<Probability>>,
    },
    /// Some report gains on the truth.
    Improper(Counterexample),
}

/// A truth and a report with a higher expected score than the truth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Counterexample {
    /// The probability of the event.
    pub truth: Probability,
    /// The report that gains.
    pub report: Probability,
    /// The expected score of the report minus the expected score of the truth; the largest difference
    /// found. Infinite if only the truth has an infinitely low score.
    #[cfg_attr(feature = "serde", serde(with = "crate::infinite"))]
    pub gain: f64,
    /// The largest gain that rounding explains if the rule's own error is at most 1e-12 of its scores.
    /// Infinite if the gain is infinite; such a gain is not due to rounding.
    #[cfg_attr(feature = "serde", serde(with = "crate::infinite"))]
    pub rounding: f64,
}

/// The evidence for a verdict, and its limits.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Certainty {
    /// The number of reports that were compared.
    pub reports: usize,
    /// The largest distance between neighbouring reports.
    pub widest_gap: f64,
    /// At every truth in this range, and at 0 and 1, no report gains more than
    /// [`Self::hidden_gain`].
    pub truths: RangeInclusive<Probability>,
    /// An upper bound, up to rounding, of the gain with a report or a truth between those compared, if
    /// the score never falls as the probability of the outcome rises. `None` for an improper rule.
    #[cfg_attr(feature = "serde", serde(with = "crate::infinite::optional"))]
    pub hidden_gain: Option<f64>,
    /// Ranges in which losses cannot be distinguished from rounding: the scores of reports a
    /// thousandth apart (or of all reports in a shorter range) differ, but by too little.
    pub undecided: Vec<RangeInclusive<Probability>>,
}

impl fmt::Display for Examination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.verdict {
            Verdict::StrictlyProper => write!(f, "Strictly proper: no report gains on the truth.")?,
            Verdict::Proper { ties } if ties.is_empty() => write!(
                f,
                "Proper: no report gains on the truth, but all losses are within rounding."
            )?,
            Verdict::Proper { ties } => write!(
                f,
                "Proper but not strictly: no report gains on the truth, but scores are equal to the \
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
            "Improper: if the truth is {}, reporting {} has an expected gain of {}.",
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
            "{} reports, at most {} apart, were compared; differences up to {ROUNDING:e} of the \
             scores count as rounding.",
            self.reports,
            Number(self.widest_gap)
        )?;
        let Some(hidden) = self.hidden_gain else {
            return write!(
                f,
                " The gain is real unless the rule's own error is as large as the gain."
            );
        };
        write!(
            f,
            " If the score never falls as the probability of the outcome rises, as for every proper \
             rule, no report gains more than {} beyond rounding at any truth from {} to {}. The \
             examination does not exclude smaller gains, a score that falls and rises again between \
             two neighbouring reports, or a tie at a single truth or between neighbours.",
            Number(hidden),
            Number(self.truths.start().get()),
            Number(self.truths.end().get()),
        )?;
        if !self.undecided.is_empty() {
            write!(
                f,
                " Losses cannot be distinguished from ties within {}.",
                Ranges(&self.undecided)
            )?;
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

//! Examinations that test whether a scoring rule is proper, and return a counterexample if it is not.
//!
//! [`Examination::new`] evaluates the rule on a grid of forecasts. A counterexample can be checked by hand. Without
//! one, only the statement about the grid is certain.
//!
//! References: Gneiting and Raftery (2007), Strictly proper scoring rules, prediction, and
//! estimation, doi:10.1198/016214506000001437; Schervish (1989), A general method for comparing
//! probability assessors, doi:10.1214/aos/1176347398.

use std::{fmt, ops::RangeInclusive};

use crate::{error::Error, rule::ScoringRule, values::probability::Probability};

mod scored;

use scored::{ROUNDING, Rounding, Scored};

/// The result of [`Examination::new`]: the verdict, and the size and spacing of the grid.
///
/// `Display` prints a few plain sentences. It can be written to JSON, with infinite gains as `"inf"`,
/// but not read.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Examination {
    /// Whether a counterexample was found.
    pub verdict: Verdict,
    /// The number of reports (forecasts) that were compared.
    pub reports: usize,
    /// The largest distance between neighbouring reports.
    pub widest_gap: f64,
}

/// The verdict of an examination: whether a counterexample to propriety was found.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Verdict {
    /// No report on the grid has a higher expected score than the true probability.
    NoCounterexample {
        /// Ranges of neighbouring reports, including their ends, whose scores are equal to the last bit under both
        /// outcomes. Such reports are equally good whatever the true probability, so that the rule is not strictly
        /// proper, unless the scores are equal only because they underflow or round to the same number.
        ties: Vec<RangeInclusive<Probability>>,
    },
    /// Some report has a higher expected score than the true probability.
    Improper(Counterexample),
}

/// A true probability, and a report (forecast) with a higher expected score.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Counterexample {
    /// The true probability of the event.
    pub truth: Probability,
    /// The report that has the higher expected score.
    pub report: Probability,
    /// The expected score of the report minus the expected score of the true probability; no larger gain was found.
    /// Infinite if only the true probability has an infinitely low score.
    #[cfg_attr(feature = "serde", serde(with = "crate::infinite"))]
    pub gain: f64,
}

/// The number of equal steps of the grid, narrow enough that no range of 1e-4 is missed.
const STEPS: u32 = 16_384;
/// The number of equal steps of the truths for which every report is tried.
const TRUTHS: f64 = 128.0;

impl Examination {
    /// Examines whether a scoring rule is proper, on a grid of 16,928 reports (forecasts), including 0 and 1. The grid
    /// has steps of 2^-14, smaller steps towards 0 and 1, and additional reports 2^-17 above some multiples of a step.
    ///
    /// Each report is compared with its neighbours, and all reports are tried if the truth is a multiple of
    /// 1/128. If no report gains on a neighbour, no report of the grid gains on any other, except by rounding and
    /// if scores are infinite.
    ///
    /// A gain of up to 4e-12 of the scores counts as rounding. A rule that computes its scores less accurately
    /// than the rules of this crate may be found improper because of its noise; the size of the gain shows it.
    /// Without a counterexample, a gain between two neighbouring reports remains possible, and so does a tie
    /// there or at a single truth, such as the tie of a threshold score at its threshold.
    ///
    /// The score must be a function: the same arguments always give the same number. Only
    /// [`ScoringRule::score`] is called.
    ///
    /// # Errors
    ///
    /// [`Error::Score`] if a score is NaN or plus infinity, with the forecast and the outcome. Minus
    /// infinity is a valid score; if a possible truth has it, the rule is improper with an infinite gain.
    ///
    /// # Example
    ///
    /// ```
    /// use scoring_rules::{LogScore, Probability, from_fn, propriety::{Verdict, Examination}};
    ///
    /// let verdict = Examination::new(&LogScore::exact())?.verdict;
    /// assert_eq!(verdict, Verdict::NoCounterexample { ties: vec![] });
    ///
    /// // Reports beyond the clip tie.
    /// let [zero, low, high, one] = [0.0, 0.25, 0.75, 1.0].map(|p| Probability::new(p).unwrap());
    /// let ties = vec![zero..=low, high..=one];
    /// let verdict = Examination::new(&LogScore::clipped(0.25)?)?.verdict;
    /// assert_eq!(verdict, Verdict::NoCounterexample { ties });
    ///
    /// // The forecast probability of the outcome: exaggeration gains.
    /// let linear = from_fn(|p, y| if y { p.get() } else { 1.0 - p.get() });
    /// let examination = Examination::new(&linear)?;
    /// let Verdict::Improper(found) = examination.verdict else { panic!("{examination}") };
    /// assert_eq!(found.gain, 0.125);
    /// assert!((found.truth.get() - 0.5).abs() == 0.25 && (found.report.get() - 0.5).abs() == 0.5);
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    ///
    /// References: Gneiting and Raftery (2007), doi:10.1198/016214506000001437, for what propriety is;
    /// Schervish (1989), doi:10.1214/aos/1176347398, for why the scores of proper rules are monotone.
    pub fn new(rule: &(impl ScoringRule + ?Sized)) -> Result<Self, Error> {
        let scored = grid().into_iter().map(|report| Scored::new(rule, Probability::new(report)?));
        let reports = scored.collect::<Result<Vec<_>, _>>()?;
        let rounding = Rounding::new(&reports[reports.len() / 2]);
        let verdict = match largest_gain(rounding, &reports) {
            Some(found) => Verdict::Improper(found),
            None => Verdict::NoCounterexample { ties: ties(&reports) },
        };
        let gaps = reports.windows(2).map(|pair| pair[1].report.get() - pair[0].report.get());
        Ok(Self { verdict, reports: reports.len(), widest_gap: gaps.fold(0.0, f64::max) })
    }
}

/// The reports, in order.
fn grid() -> Vec<f64> {
    let step = |i: u32| f64::from(i) / f64::from(STEPS);
    let mut grid: Vec<f64> = (0..=STEPS).map(step).collect();
    grid.extend((-30..=-15).map(|exponent| 2.0_f64.powi(exponent)).flat_map(|p| [p, 1.0 - p]));
    // Close to their neighbours, where a slightly wrong slope gains more than the step loses.
    grid.extend((32..STEPS).step_by(32).map(|i| step(i) + 2.0_f64.powi(-17)));
    grid.sort_unstable_by(f64::total_cmp);
    grid
}

/// The largest gain that exceeds rounding: between neighbours among sorted reports, and of any report at each
/// of some truths.
///
/// Neighbours are sufficient up to rounding. Consider a < b, where b gains nothing at truth a and a gains
/// nothing at truth b. The gain from reporting b instead of a is linear in the truth, hence at most 0 below a
/// and at least 0 above b. Therefore no step on the way from the truth to any report gains. The argument does
/// not hold for infinite scores, and a gain that is rounding between neighbours may be visible further apart.
fn largest_gain(rounding: Rounding, reports: &[Scored]) -> Option<Counterexample> {
    let neighbours =
        reports.windows(2).flat_map(|pair| [(&pair[0], &pair[1]), (&pair[1], &pair[0])]);
    let truths = reports.iter().filter(|truth| (truth.report.get() * TRUTHS).fract() == 0.0);
    let any = truths.flat_map(|truth| reports.iter().map(move |report| (truth, report)));
    let gains = neighbours.chain(any).filter_map(|(truth, report)| {
        let gain = rounding.visible_gain(truth, report)?;
        Some(Counterexample { truth: truth.report, report: report.report, gain })
    });
    // The first of equal gains, so that the result is reproducible.
    gains.reduce(|best, found| if found.gain > best.gain { found } else { best })
}

/// The ranges of neighbouring reports with equal scores.
fn ties(reports: &[Scored]) -> Vec<RangeInclusive<Probability>> {
    let tied = reports.chunk_by(Scored::ties).filter_map(|run| match run {
        [low, .., high] => Some(low.report..=high.report),
        _ => None,
    });
    tied.collect()
}

impl fmt::Display for Examination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.verdict {
            Verdict::Improper(found) => write!(f, "{found}")?,
            Verdict::NoCounterexample { ties } => {
                write!(f, "No report gains on the truth.")?;
                if let Some(first) = ties.first() {
                    let (low, high, more) = (first.start(), first.end(), ties.len() - 1);
                    write!(f, " Scores are equal to the last bit within [{low}, {high}]")?;
                    if more > 0 {
                        write!(f, " and within {more} more ranges")?;
                    }
                    write!(f, ".")?;
                }
            }
        }
        write!(
            f,
            " {} reports, at most {:e} apart, were compared; differences up to {ROUNDING:e} of the scores \
             count as rounding.",
            self.reports, self.widest_gap
        )
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { truth, report, gain } = self;
        write!(
            f,
            "Improper: if the truth is {truth}, reporting {report} has an expected gain of {gain:?}."
        )
    }
}

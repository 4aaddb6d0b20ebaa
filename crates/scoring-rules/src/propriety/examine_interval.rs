use super::{
    candidates::ends,
    distribution::Expected,
    interval_examination::{IntervalCounterexample, IntervalExamination},
    shapes::shapes,
};
use crate::{
    error::Error,
    values::{interval::Interval, level::Level},
};

/// Gains up to this share of the scores count as rounding.
const ROUNDING: f64 = 1e-10;

impl IntervalExamination {
    /// Examines whether a score of intervals rewards honesty, by evaluating it.
    ///
    /// `score` returns the score of a forecast interval under an outcome; higher is better. The honest
    /// interval of a distribution is its central interval: for coverage c, from the quantile at level
    /// `(1 - c) / 2` to the quantile at level `(1 + c) / 2`. Up to 1,045 distributions of two and three
    /// outcomes are tried, over the whole range of possible outcomes and over parts of it. More outcomes
    /// are not needed: the gain of one interval over another is linear in the distribution, and among all
    /// distributions with the same central interval it is largest for one with at most three outcomes.
    /// Some masses beyond the quantiles are 1, 3 and 10 percent more or less than `(1 - c) / 2`. An error
    /// of a little more than 1 percent in the penalty for outcomes outside of the interval is therefore
    /// detected. In each distribution, the honest interval is compared with every interval whose ends are
    /// at the outcomes, next to them, half way between them or at the ends of the range.
    ///
    /// The counterexample has the largest relative gain: the gain divided by the larger absolute value of
    /// the two expected scores. A gain of up to 1e-10 of the scores counts as rounding, and therefore as
    /// a tie; leave out large parts of a score that depend only on the outcome. A proper score that
    /// rounds the ends, such as a score computed from the middle and half the width, may be found
    /// improper if the range is narrower than about 1e11 units in the last place of its larger end. An
    /// examination without a counterexample shows that none of these intervals gains under any of these
    /// distributions; it proves nothing about others. No random numbers are used.
    ///
    /// # Errors
    ///
    /// [`Error::IntervalScore`] if a score is NaN or plus infinity; minus infinity is a valid score.
    /// [`Error::Setting`] if the width of the range of outcomes is not from 1e-290 to 1e290, or less than
    /// 1e4 units in the last place of its larger end.
    ///
    /// # Example
    ///
    /// ```
    /// use scoring_rules::{Interval, Level, propriety::IntervalExamination};
    ///
    /// let outcomes = Interval::new(1.0, 1000.0)?;
    /// let coverage = Level::new(0.8)?;
    ///
    /// // Rewards a hit, and a narrow one more: an interval narrower than the honest one gains.
    /// let reward = |claimed: Interval, y: f64| {
    ///     if claimed.contains(y) { (1.0 - claimed.width() / y).max(0.0) } else { 0.0 }
    /// };
    /// let found = IntervalExamination::new(reward, coverage, outcomes)?.counterexample.unwrap();
    /// assert!(found.better.width() < found.honest.width());
    /// assert!(found.better_score > found.honest_score);
    ///
    /// // The width, and a penalty for outcomes outside that fits the coverage: honesty pays.
    /// let penalised = |claimed: Interval, y: f64| {
    ///     let outside = (claimed.low() - y).max(0.0) + (y - claimed.high()).max(0.0);
    ///     -claimed.width() - 2.0 / (1.0 - 0.8) * outside
    /// };
    /// let examination = IntervalExamination::new(penalised, coverage, outcomes)?;
    /// assert!(examination.counterexample.is_none() && examination.tied == 0);
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    ///
    /// Reference: Gneiting and Raftery (2007), Strictly proper scoring rules, prediction, and
    /// estimation, section 6.2, doi:10.1198/016214506000001437.
    pub fn new(
        score: impl Fn(Interval, f64) -> f64,
        coverage: Level,
        outcomes: Interval,
    ) -> Result<Self, Error> {
        check_width(outcomes)?;
        let tail = (1.0 - coverage.get()) / 2.0;
        let mut found = Self { counterexample: None, tied: 0, distributions: 0, intervals: 0 };
        let mut largest = 0.0;
        for distribution in shapes(outcomes, tail) {
            let Some(honest) = distribution.central(tail) else { continue };
            let mut tied = false;
            let honest_expected = distribution.expected(&score, honest)?;
            let ends = ends(&distribution.outcomes, outcomes);
            for (i, &low) in ends.iter().enumerate() {
                for &high in &ends[i..] {
                    let other = Interval::new(low, high)?;
                    if other == honest {
                        continue;
                    }
                    found.intervals += 1;
                    let expected = distribution.expected(&score, other)?;
                    let gain = relative_gain(honest_expected, expected);
                    tied |= gain == 0.0;
                    if gain > largest {
                        largest = gain;
                        found.counterexample = Some(IntervalCounterexample {
                            outcomes: distribution.outcomes.clone(),
                            probabilities: distribution.probabilities.clone(),
                            honest,
                            better: other,
                            honest_score: honest_expected.score,
                            better_score: expected.score,
                            gain: expected.score - honest_expected.score,
                        });
                    }
                }
            }
            found.distributions += 1;
            found.tied += usize::from(tied);
        }
        Ok(found)
    }
}

/// Checks that the range is wide enough for outcomes and ends between them. It must also be narrow enough
/// for the penalty of any coverage, which is up to 2e16 times the width.
fn check_width(outcomes: Interval) -> Result<(), Error> {
    let value = outcomes.high() - outcomes.low();
    let larger = outcomes.low().abs().max(outcomes.high().abs());
    let range = if !(1e-290..=1e290).contains(&value) {
        "from 1e-290 to 1e290; measure outcomes in another unit"
    } else if value < 1e4 * (larger.next_up() - larger) {
        "at least 1e4 units in the last place of its larger end; measure from a zero nearby"
    } else {
        return Ok(());
    };
    Err(Error::Setting { name: "width of the range of outcomes", value, range })
}

/// The gain of the other interval as a share of the larger score: 0 for a tie, negative for a loss.
fn relative_gain(honest: Expected, other: Expected) -> f64 {
    let gain = other.score - honest.score;
    match [honest, other].map(|expected| expected.score == f64::NEG_INFINITY) {
        [true, true] => 0.0,
        [false, false] if gain.abs() <= ROUNDING * honest.size.max(other.size) => 0.0,
        [false, false] => gain / honest.score.abs().max(other.score.abs()),
        _ => gain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_must_exceed_the_rounding_of_the_scores_and_is_relative_to_the_larger_one() {
        let endless = (f64::NEG_INFINITY, f64::INFINITY);
        for (honest, other, gain) in [
            ((-4.0, 4.0), (-2.0, 2.0), 0.5),
            ((2.0, 2.0), (8.0, 8.0), 0.75),
            ((-1.0, 1.0), (-2.0, 2.0), -0.5),
            // Large scores of both signs that cancel: their rounding is larger than the gain.
            ((-1e-6, 1e6), (1e-6, 1e6), 0.0),
            ((0.0, 0.0), (0.0, 0.0), 0.0),
            (endless, endless, 0.0),
            (endless, (-1.0, 1.0), f64::INFINITY),
            ((-1.0, 1.0), endless, f64::NEG_INFINITY),
        ] {
            let [honest, other] = [honest, other].map(|(score, size)| Expected { score, size });
            assert_eq!(relative_gain(honest, other), gain, "{honest:?} {other:?}");
        }
    }
}

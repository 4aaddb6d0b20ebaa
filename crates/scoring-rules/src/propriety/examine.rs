use super::{
    counterexample::{Lie, among_neighbours, largest},
    examination::{Certainty, Examination, Verdict},
    gain::Rounding,
    reports::{coarse, first, refined},
    ties::{compared, ties, united},
};
use crate::{error::Error, from_fn::from_fn, rule::ScoringRule, values::probability::Probability};

impl Examination {
    /// Examines whether a scoring rule is strictly proper, proper, or improper, by evaluating it.
    ///
    /// The rule is evaluated on up to 25,000 reports, including 0 and 1: in steps of 2^-14, in smaller
    /// steps towards 0 and 1, and wherever the largest gain could be hidden between reports, down to
    /// neighbouring numbers at a jump. Among these reports honesty pays if and only if it pays between
    /// neighbours, so that the verdict on these reports is complete up to rounding. Gains between them
    /// are bounded by [`Certainty::hidden_gain`].
    ///
    /// - Improper: the verdict contains a truth, a report and its gain, the largest that was found. A
    ///   gain of up to 4e-12 of the scores counts as rounding. A rule that computes its scores less
    ///   accurately than the rules of this crate may be found improper because of its noise; the size of
    ///   the gain shows it.
    /// - Proper but not strictly: the verdict contains the ranges of reports whose scores are equal to
    ///   the last bit under both outcomes. If they are equal only because they underflow or round to the
    ///   same number, the range is called undecided instead. Reports below 1e-300 other than 0 are not
    ///   tried.
    /// - Strictly proper: neither a gain nor a tie was found. Ranges in which losses cannot be
    ///   distinguished from rounding are listed in [`Certainty::undecided`]. A tie at a single truth,
    ///   such as the tie of a threshold score at its threshold, is not detected.
    ///
    /// The score must be a function: the same arguments always give the same number. Only
    /// [`ScoringRule::score`] is called, up to 51,000 times, and about 200 times more for each tie.
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
    /// assert_eq!(Examination::new(&LogScore::exact())?.verdict, Verdict::StrictlyProper);
    ///
    /// // Reports beyond the clip tie.
    /// let [zero, low, high, one] = [0.0, 0.25, 0.75, 1.0].map(|p| Probability::new(p).unwrap());
    /// let ties = vec![zero..=low, high..=one];
    /// assert_eq!(Examination::new(&LogScore::clipped(0.25)?)?.verdict, Verdict::Proper { ties });
    ///
    /// // The forecast probability of the outcome: exaggeration gains.
    /// let linear = from_fn(|p, y| if y { p.get() } else { 1.0 - p.get() });
    /// let examination = Examination::new(&linear)?;
    /// let Verdict::Improper(found) = examination.verdict else { panic!("{examination}") };
    /// assert!((found.gain - 0.125).abs() < 1e-12);
    /// assert!((found.truth.get() - 0.5).abs() == 0.25 && (found.report.get() - 0.5).abs() == 0.5);
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    ///
    /// References: Gneiting and Raftery (2007), doi:10.1198/016214506000001437, for what propriety is;
    /// Schervish (1989), doi:10.1214/aos/1176347398, for why the scores of proper rules are monotone.
    pub fn new(rule: &(impl ScoringRule + ?Sized)) -> Result<Self, Error> {
        let rule = &from_fn(|report, outcome| rule.score(report, outcome));
        let first = first(rule)?;
        let rounding = Rounding::new(&first[first.len() / 2]);
        let far_apart = compared(rounding, &coarse(&first));
        let refined = refined(rule, first)?;
        let reports = &refined.reports;

        let far =
            far_apart.gaining.iter().find_map(|(truth, report)| Lie::new(rounding, truth, report));
        let lie = among_neighbours(rounding, reports).or(far);
        let mut undecided = far_apart.undecided;
        let verdict = if let Some(lie) = lie {
            Verdict::Improper(largest(rule, rounding, reports, lie)?)
        } else {
            let found = ties(rule, reports)?;
            undecided.extend(found.faded);
            if found.ties.is_empty() && far_apart.any_loss {
                Verdict::StrictlyProper
            } else {
                Verdict::Proper { ties: found.ties }
            }
        };

        let gaps = reports.windows(2).map(|pair| pair[1].report.get() - pair[0].report.get());
        let inside = |i: usize| reports.get(i).map_or(Probability::HALF, |scored| scored.report);
        let certainty = Certainty {
            reports: reports.len(),
            widest_gap: gaps.fold(0.0, f64::max),
            truths: inside(1)..=inside(reports.len().saturating_sub(2)),
            hidden_gain: match verdict {
                Verdict::Improper(_) => None,
                _ => Some(refined.hidden),
            },
            undecided: united(undecided),
        };
        Ok(Self { verdict, certainty })
    }
}

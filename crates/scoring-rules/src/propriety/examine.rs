use super::{
    counterexample::{Lie, among_neighbours, largest},
    examination::{Certainty, Examination, Verdict},
    gain::Rounding,
    reports::{coarse, first, refined},
    ties::{ties, told, united},
};
use crate::{error::Error, from_fn::from_fn, rule::ScoringRule, values::probability::Probability};

/// Whether a scoring rule is strictly proper, proper, or improper, by trying it.
///
/// The rule is evaluated on up to 25,000 reports, certainties included: in steps of 2^-14, in ever
/// smaller ones towards 0 and 1, and then where the reports in between could hide the largest gain,
/// down to neighbouring numbers at a jump. Among these reports honesty pays if and only if it does
/// between neighbours, so the finding about them is complete, but for rounding. What lies between
/// them is bounded by [`Certainty::hidden_gain`].
///
/// - Improper comes with a truth, a report and its gain, the largest that a search found. A gain
///   up to 4e-12 of the scores counts as rounding: a rule that computes its scores less
///   accurately than the rules of this crate may be blamed for its noise, which a gain of that
///   size shows.
/// - Proper, not strictly, comes with the ranges of reports that score the same to the last bit
///   under both outcomes. Where the rule has merely run out of numbers, because its scores fade
///   below the smallest normal one or because it is so flat that they round to the same, the range
///   is called undecided instead. No report nearer to 0 than 1e-300 is tried, but 0 itself.
/// - Strictly proper means that none of this was found. Ranges where losses cannot be told from
///   rounding are listed in [`Certainty::undecided`]. A tie at one truth alone, such as that of a
///   threshold score with a truth at its threshold, cannot be seen.
///
/// The score has to be a function: the same number each time it is called with the same arguments.
/// Only [`ScoringRule::score`] is called, up to 51,000 times and some 200 times more for each tie.
///
/// # Errors
///
/// [`Error::Score`] where a score is a NaN or plus infinity, with the forecast and the outcome.
/// Minus infinity is a score; a forecast that costs it where it may well be the truth makes the
/// rule improper with an infinite gain.
///
/// # Example
///
/// ```
/// use scoring_rules::{LogScore, Probability, from_fn, propriety::{Verdict, examine}};
///
/// assert_eq!(examine(&LogScore::exact())?.verdict, Verdict::StrictlyProper);
///
/// // Reports beyond the clip tie.
/// let [zero, low, high, one] = [0.0, 0.25, 0.75, 1.0].map(|p| Probability::new(p).unwrap());
/// let ties = vec![zero..=low, high..=one];
/// assert_eq!(examine(&LogScore::clipped(0.25)?)?.verdict, Verdict::Proper { ties });
///
/// // The probability given to what happened: exaggeration gains.
/// let linear = from_fn(|p, y| if y { p.get() } else { 1.0 - p.get() });
/// let examination = examine(&linear)?;
/// let Verdict::Improper(found) = examination.verdict else { panic!("{examination}") };
/// assert!((found.gain - 0.125).abs() < 1e-12);
/// assert!((found.truth.get() - 0.5).abs() == 0.25 && (found.report.get() - 0.5).abs() == 0.5);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
///
/// References: Gneiting and Raftery (2007), doi:10.1198/016214506000001437, for what propriety is;
/// Schervish (1989), doi:10.1214/aos/1176347398, for why the scores of proper rules are monotone.
pub fn examine(rule: &(impl ScoringRule + ?Sized)) -> Result<Examination, Error> {
    let rule = &from_fn(|report, outcome| rule.score(report, outcome));
    let first = first(rule)?;
    let rounding = Rounding::new(&first[first.len() / 2]);
    let told = told(rounding, &coarse(&first));
    let refined = refined(rule, first)?;
    let reports = &refined.reports;

    let far = told.gaining.iter().find_map(|(truth, report)| Lie::new(rounding, truth, report));
    let lie = among_neighbours(rounding, reports).or(far);
    let mut undecided = told.undecided;
    let verdict = if let Some(lie) = lie {
        Verdict::Improper(largest(rule, rounding, reports, lie)?)
    } else {
        let found = ties(rule, reports)?;
        undecided.extend(found.faded);
        if found.ties.is_empty() && told.any_loss {
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
    Ok(Examination { verdict, certainty })
}

use std::ops::RangeInclusive;

use super::{
    gain::{Pair, Rounding},
    scored::Scored,
};
use crate::{error::Error, rule::ScoringRule, values::probability::Probability};

type Range = RangeInclusive<Probability>;

/// Ranges of reports whose scores are equal to the last bit.
#[derive(Debug, Default)]
pub(super) struct Ties {
    pub(super) ties: Vec<Range>,
    /// Ranges in which scores are equal only because of rounding: at an end of the range they shrink
    /// below the smallest normal number, or they have moved only within rounding at a thousandth of
    /// the range beyond its ends.
    pub(super) faded: Vec<Range>,
}

/// The ties among sorted reports; their ends are exact to neighbouring numbers.
pub(super) fn ties(rule: &impl ScoringRule, reports: &[Scored]) -> Result<Ties, Error> {
    let mut found = Ties::default();
    let mut start = 0;
    for run in reports.chunk_by(Scored::ties) {
        let end = start + run.len();
        if let [low, .., high] = run {
            let before = start.checked_sub(1).and_then(|i| reports.get(i));
            let (low, below) = last_tied(rule, *low, before)?;
            let (high, above) = last_tied(rule, *high, reports.get(end))?;
            let range = low.report..=high.report;
            let fades = |end: &Scored, next: Option<Scored>| {
                next.is_some_and(|next| differs_by_less_than_a_normal_number(end, &next))
            };
            let near = 1e-3 * (high.report.get() - low.report.get());
            let flat = (below.is_none() || flat_beyond(rule, &low, -near)?)
                && (above.is_none() || flat_beyond(rule, &high, near)?)
                && (below.is_some() || above.is_some());
            if fades(&low, below) || fades(&high, above) || flat {
                found.faded.push(range);
            } else {
                found.ties.push(range);
            }
        }
        start = end;
    }
    Ok(found)
}

/// Returns the last report with a tie and the first report without one, on the way to `next`, which
/// does not tie.
fn last_tied(
    rule: &impl ScoringRule,
    tied: Scored,
    next: Option<&Scored>,
) -> Result<(Scored, Option<Scored>), Error> {
    let Some(&next) = next else { return Ok((tied, None)) };
    let (mut last, mut next) = (tied, next);
    loop {
        let middle =
            if last.report < next.report { last.middle(&next) } else { next.middle(&last) };
        let Some(middle) = middle else { return Ok((last, Some(next))) };
        let middle = Scored::new(rule, Probability::new(middle)?)?;
        if middle.ties(&tied) {
            last = middle;
        } else {
            next = middle;
        }
    }
}

/// Whether the scores move only within rounding from the end of a tie to the given distance from it.
fn flat_beyond(rule: &impl ScoringRule, end: &Scored, distance: f64) -> Result<bool, Error> {
    const ROUNDINGS: f64 = 64.0 * f64::EPSILON;
    let beyond = Probability::new((end.report.get() + distance).clamp(0.0, 1.0))?;
    let beyond = Scored::new(rule, beyond)?;
    let near = |one: f64, two: f64| one == two || (one - two).abs() <= ROUNDINGS * one.abs();
    Ok(near(end.success, beyond.success) && near(end.failure, beyond.failure))
}

fn differs_by_less_than_a_normal_number(one: &Scored, two: &Scored) -> bool {
    (one.success - two.success).abs() < f64::MIN_POSITIVE
        && (one.failure - two.failure).abs() < f64::MIN_POSITIVE
}

/// Losses, gains and undecided ranges among a few reports. Each report is compared with the nearest
/// report that differs from it by a visible loss or gain.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// Whether the reports of any pair visibly lose against each other.
    pub(super) any_loss: bool,
    /// Ranges of reports that neither visibly lose nor tie to the last bit.
    pub(super) undecided: Vec<Range>,
    /// Pairs of a truth and a report that gains on it.
    pub(super) gaining: Vec<(Scored, Scored)>,
}

/// Compares sorted reports in turn. If two are too close to distinguish a loss from rounding, the first
/// is compared with the next one.
pub(super) fn compared(rounding: Rounding, reports: &[Scored]) -> Compared {
    let mut found = Compared::default();
    let Some((first, others)) = reports.split_first() else { return found };
    let (mut from, mut last, mut skipped) = (*first, *first, false);
    for &next in others {
        let pair = rounding.compare(&from, &next);
        last = next;
        if pair == Pair::Undecided || (pair == Pair::Tie && skipped) {
            skipped = true;
            continue;
        }
        found.any_loss |= pair == Pair::Loss;
        if pair == Pair::Gain {
            found.gaining.extend([(from, next), (next, from)]);
        }
        if skipped {
            found.undecided.push(from.report..=next.report);
        }
        (from, skipped) = (next, false);
    }
    if skipped {
        found.undecided.push(from.report..=last.report);
    }
    found
}

/// Sorts ranges, and merges ranges that touch or overlap.
pub(super) fn united(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_unstable_by_key(|range| *range.start());
    let mut united: Vec<Range> = Vec::new();
    for range in ranges {
        match united.last_mut() {
            Some(last) if range.start() <= last.end() => {
                *last = *last.start()..=*last.end().max(range.end());
            }
            _ => united.push(range),
        }
    }
    united
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_overlap_are_merged() {
        let range = |low, high| Probability::new(low).unwrap()..=Probability::new(high).unwrap();
        let ranges = vec![range(0.5, 0.6), range(0.0, 0.2), range(0.1, 0.3), range(0.3, 0.31)];
        assert_eq!(united(ranges), [range(0.0, 0.31), range(0.5, 0.6)]);
        assert_eq!(united(vec![range(0.0, 0.9), range(0.1, 0.2)]), [range(0.0, 0.9)]);
    }
}

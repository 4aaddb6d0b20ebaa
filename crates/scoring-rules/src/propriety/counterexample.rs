use super::{
    examination::Counterexample,
    gain::{Rounding, gain},
    scored::Scored,
};
use crate::{error::Error, rule::ScoringRule, values::probability::Probability};

/// The approximate number of truths that are tried with every report.
const TRUTHS: usize = 128;

/// A truth, a report, and the expected gain from the report, which is positive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lie {
    truth: Scored,
    report: Scored,
    gain: f64,
}

impl Lie {
    /// `None` unless the gain exceeds rounding.
    pub(super) fn new(rounding: Rounding, truth: &Scored, report: &Scored) -> Option<Self> {
        let gain = rounding.visible_gain(truth, report)?;
        Some(Self { truth: *truth, report: *report, gain })
    }

    fn best(lies: impl Iterator<Item = Self>) -> Option<Self> {
        // The first of equal gains, so that the result is reproducible.
        lies.reduce(|best, lie| if lie.gain > best.gain { lie } else { best })
    }
}

/// The lie with the largest gain between neighbours among sorted reports, and from certainties to any
/// report. If there is none, no report gains on any other.
///
/// Neighbours are sufficient. Consider a < b, where b gains nothing at truth a and a gains nothing at
/// truth b. The gain from reporting b instead of a is linear in the truth, hence at most 0 below a
/// and at least 0 above b. Therefore no step on the way from the truth to any report gains.
/// Certainties are tried in addition, because the argument does not hold for infinite scores.
pub(super) fn among_neighbours(rounding: Rounding, reports: &[Scored]) -> Option<Lie> {
    let neighbours = reports.windows(2).flat_map(|pair| {
        [Lie::new(rounding, &pair[0], &pair[1]), Lie::new(rounding, &pair[1], &pair[0])]
    });
    let certain = [reports.first(), reports.last()].into_iter().flatten();
    let from_certain =
        certain.flat_map(|truth| reports.iter().map(|report| Lie::new(rounding, truth, report)));
    Lie::best(neighbours.chain(from_certain).flatten())
}

/// Searches for the largest gain, starting from a known lie.
pub(super) fn largest(
    rule: &impl ScoringRule,
    rounding: Rounding,
    reports: &[Scored],
    seed: Lie,
) -> Result<Counterexample, Error> {
    let truths = reports.iter().step_by((reports.len() / TRUTHS).max(1));
    let tried = truths.filter_map(|truth| {
        let expected = |report: &Scored| report.expected(truth.report.get());
        let best = reports.iter().max_by(|a, b| expected(a).total_cmp(&expected(b)))?;
        Lie::new(rounding, truth, best)
    });
    let start = Lie::best(tried.chain([seed])).unwrap_or(seed);
    let lie = climbed(rule, rounding, start)?;
    Ok(Counterexample {
        truth: lie.truth.report,
        report: lie.report.report,
        gain: lie.gain,
        rounding: rounding.of_gain(&lie.truth, &lie.report),
    })
}

/// Moves truth and report in steps of decreasing size while the gain grows.
fn climbed(rule: &impl ScoringRule, rounding: Rounding, start: Lie) -> Result<Lie, Error> {
    const DIRECTIONS: [(f64, f64); 8] = [
        (1.0, 0.0),
        (-1.0, 0.0),
        (0.0, 1.0),
        (0.0, -1.0),
        (1.0, 1.0),
        (-1.0, -1.0),
        (1.0, -1.0),
        (-1.0, 1.0),
    ];
    let moved = |from: &Scored, by: f64| {
        let to = Probability::new((from.report.get() + by).clamp(0.0, 1.0))?;
        if to == from.report { Ok(*from) } else { Scored::new(rule, to) }
    };
    let (mut best, mut step) = (start, 1.0 / 128.0);
    while step > 1e-12 && best.gain.is_finite() {
        let mut better = best;
        for (x, y) in DIRECTIONS {
            let truth = moved(&best.truth, x * step)?;
            let report = moved(&best.report, y * step)?;
            // Growth in the last digits is rounding.
            let enough = better.gain + 1e-3 * rounding.of_gain(&truth, &report);
            if gain(&truth, &report) > enough {
                better = Lie::new(rounding, &truth, &report).unwrap_or(better);
            }
        }
        if better.gain > best.gain {
            best = better;
        } else {
            step /= 2.0;
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::from_fn::from_fn;

    #[test]
    fn the_first_of_equal_gains_is_returned() {
        let linear =
            from_fn(|p: Probability, outcome: bool| if outcome { p.get() } else { 1.0 - p.get() });
        let scored = |value| Scored::new(&linear, Probability::new(value).unwrap()).unwrap();
        let rounding = Rounding::new(&scored(0.5));
        let lie = |truth, report| Lie::new(rounding, &scored(truth), &scored(report));
        let lies = [lie(0.5, 0.5), lie(0.375, 0.0), lie(0.25, 0.0), lie(0.75, 1.0)];
        let best = Lie::best(lies.into_iter().flatten()).unwrap();
        assert_eq!((best.truth.report.get(), best.gain), (0.25, 0.125));
    }
}

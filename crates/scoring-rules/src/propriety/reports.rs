use std::{cmp::Ordering, collections::BinaryHeap};

use super::scored::Scored;
use crate::{error::Error, rule::ScoringRule, values::probability::Probability};

/// The number of equal steps of the first reports, narrow enough that no range of 1e-4 is missed.
const STEPS: u32 = 16_384;
/// The exponent of the distance of the first reports nearest to 0 and 1.
const NEAREST: i32 = -30;
/// The largest number of reports, not counting the ends of ties.
const REPORTS: usize = 25_000;

fn scored(rule: &impl ScoringRule, values: Vec<f64>) -> Result<Vec<Scored>, Error> {
    let mut reports = values
        .into_iter()
        .map(|value| Scored::new(rule, Probability::new(value)?))
        .collect::<Result<Vec<_>, _>>()?;
    sort(&mut reports);
    Ok(reports)
}

fn sort(reports: &mut [Scored]) {
    reports.sort_unstable_by_key(|scored| scored.report);
}

/// The first reports, in order: equal steps, and smaller ones towards both ends.
pub(super) fn first(rule: &impl ScoringRule) -> Result<Vec<Scored>, Error> {
    let mut values: Vec<f64> = (0..=STEPS).map(|i| f64::from(i) / f64::from(STEPS)).collect();
    for exponent in NEAREST..=-15 {
        let near = 2.0_f64.powi(exponent);
        values.extend([near, 1.0 - near]);
    }
    scored(rule, values)
}

/// Selects from the first reports one report per thousandth, and all reports nearer to 0 or 1.
pub(super) fn coarse(first: &[Scored]) -> Vec<Scored> {
    let keep = |scored: &&Scored| {
        let (p, rest) = (scored.report.get(), scored.report.complement().get());
        p.min(rest) * 1024.0 < 1.0 || (p * 1024.0).fract() == 0.0
    };
    first.iter().filter(keep).copied().collect()
}

/// All reports, and the largest gain that can be hidden between them.
#[derive(Debug)]
pub(super) struct Refined {
    /// In order.
    pub(super) reports: Vec<Scored>,
    /// No report gains more than this if scores are monotone and no report gains on its neighbours.
    pub(super) hidden: f64,
}

/// Adds reports where the largest gains can be hidden, and some reports close to their neighbours, to
/// detect a slightly wrong slope.
pub(super) fn refined(rule: &impl ScoringRule, mut reports: Vec<Scored>) -> Result<Refined, Error> {
    let close = 2.0_f64.powi(-17);
    let near = (32..STEPS).step_by(32).map(|i| f64::from(i) / f64::from(STEPS) + close);
    reports.extend(scored(rule, near.collect())?);
    sort(&mut reports);

    let mut cells: BinaryHeap<Cell> =
        reports.windows(2).filter_map(|pair| Cell::between(pair[0], pair[1])).collect();
    while reports.len() < REPORTS {
        let Some(cell) = cells.pop() else { break };
        let middle = Scored::new(rule, Probability::new(cell.middle)?)?;
        reports.push(middle);
        cells.extend(Cell::between(cell.low, middle));
        cells.extend(Cell::between(middle, cell.high));
    }
    sort(&mut reports);
    let hidden = cells.peek().map_or(0.0, |cell| 2.0 * cell.hidden);
    Ok(Refined { reports, hidden })
}

/// Two neighbouring reports with numbers between them.
struct Cell {
    low: Scored,
    high: Scored,
    middle: f64,
    hidden: f64,
}

impl Cell {
    /// `None` if no gain can be hidden.
    fn between(low: Scored, high: Scored) -> Option<Self> {
        let middle = low.middle(&high)?;
        let hidden = hidden(&low, &high);
        (hidden > 0.0).then_some(Self { low, high, middle, hidden })
    }
}

/// An upper bound of the gain that can be hidden between two neighbours a and b, if the score of a
/// success never decreases and the score of a failure never increases with the report.
///
/// Let the scores rise by A and fall by B. At truth q, a report in between beats the better neighbour
/// by at most the smaller of `q A` and `(1 - q) B`, hence by at most `A B / (A + B)`. A truth in
/// between may score less than its neighbours, by at most the larger of `(1 - a) B` and `b A`. The sum
/// is at most twice the latter, which is at least as large if the neighbours do not gain. Next to 0
/// and 1 the latter is infinite for a proper rule with infinite scores there; the bound excludes
/// truths there.
fn hidden(low: &Scored, high: &Scored) -> f64 {
    let positive = |x: f64| if x > 0.0 { x } else { 0.0 };
    let rise = positive(high.success - low.success);
    let fall = positive(low.failure - high.failure);
    let (a, b) = (low.report.get(), high.report.get());
    if rise == 0.0 && fall == 0.0 {
        0.0
    } else if a > 0.0 && b < 1.0 {
        (b * rise).max((1.0 - a) * fall)
    } else if rise.is_infinite() {
        fall
    } else if fall.is_infinite() {
        rise
    } else {
        // Not rise * fall, which may overflow.
        let (less, more) = (rise.min(fall), rise.max(fall));
        less / (1.0 + less / more)
    }
}

impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        self.hidden.total_cmp(&other.hidden)
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BrierScore;

    #[test]
    fn a_few_of_the_reports_are_a_thousandth_apart_and_all_that_are_nearer_to_the_ends() {
        let first = first(&BrierScore).unwrap();
        let coarse = coarse(&first);
        let near =
            |scored: &Scored| scored.report.min(scored.report.complement()).get() < 0.000_976;
        let (ends, inside): (Vec<Scored>, Vec<Scored>) = coarse.iter().partition(|&one| near(one));
        assert_eq!(ends.len(), first.iter().filter(|&one| near(one)).count());
        assert_eq!(inside.len(), 1_023);
        for pair in inside.windows(2) {
            assert_eq!(pair[1].report.get() - pair[0].report.get(), 1.0 / 1024.0);
        }
    }

    /// The largest gains of a report between two neighbours on the better one of them, at any truth,
    /// and on a truth between them: over many truths, with the best and the worst monotone scores.
    fn by_force(low: Scored, high: Scored) -> [f64; 2] {
        let best = Scored { report: low.report, success: high.success, failure: low.failure };
        let worst = Scored { report: low.report, success: low.success, failure: high.failure };
        let (a, b) = (low.report.get(), high.report.get());
        let better = |q: f64| low.expected(q).max(high.expected(q));
        let steps = || (1..10_000).map(|i| f64::from(i) / 10_000.0);
        let anywhere = steps().map(|q| best.expected(q) - better(q)).fold(0.0, f64::max);
        let between = steps().map(|t| a + t * (b - a));
        [anywhere, between.map(|q| better(q) - worst.expected(q)).fold(0.0, f64::max)]
    }

    #[test]
    fn the_gain_that_monotone_scores_can_hide_is_the_largest_over_many_truths() {
        let at = |report: f64, success: f64, failure: f64| Scored {
            report: Probability::new(report).unwrap(),
            success,
            failure,
        };
        // Neighbours that do not gain on each other; one score may stand still.
        for (low, high) in [
            (at(0.2, -0.64, -0.04), at(0.3, -0.49, -0.09)),
            (at(0.7, -0.09, -0.49), at(0.8, -0.04, -0.64)),
        ] {
            let (hides, [report, truth]) = (hidden(&low, &high), by_force(low, high));
            assert!(report <= hides && truth <= hides && hides < 1.2 * truth, "{hides} {truth}");
        }
        for (low, high) in [
            (at(0.2, -0.5, -0.1), at(0.3, -0.25, -0.1)),
            (at(0.2, -0.5, -0.1), at(0.3, -0.5, -0.25)),
        ] {
            assert!(hidden(&low, &high) > 0.0);
        }
        // Next to certainties, the bound excludes truths in between.
        for (low, high) in [
            (at(0.0, -1.0, 0.0), at(0.25, -0.5, -0.125)),
            (at(0.75, -0.25, -0.5), at(1.0, 0.0, -1.5)),
            (at(0.0, f64::NEG_INFINITY, 0.0), at(0.25, -1.5, -0.25)),
            (at(0.75, -0.25, -1.5), at(1.0, 0.0, f64::NEG_INFINITY)),
        ] {
            let (rise, fall) = (high.success - low.success, low.failure - high.failure);
            // A report in between beats the better neighbour by at most the smaller of these.
            let shares = (1..10_000).map(|i| f64::from(i) / 10_000.0);
            let most = shares.map(|q| (q * rise).min((1.0 - q) * fall)).fold(0.0, f64::max);
            let hides = hidden(&low, &high);
            assert!((hides / most - 1.0).abs() < 1e-3, "{hides} {most}");
        }
        // Scores that do not move, and scores with the wrong direction.
        for (low, high) in [(0.0, 0.5), (0.2, 0.3), (0.5, 1.0)] {
            assert_eq!(hidden(&at(low, -1.0, -2.0), &at(high, -1.0, -2.0)), 0.0);
            assert_eq!(hidden(&at(low, -1.0, -2.0), &at(high, -1.5, -1.0)), 0.0);
        }
    }

    #[test]
    fn the_hidden_gain_covers_the_true_loss_between_neighbours() {
        // For the Brier score, with any scores in between.
        let Refined { reports, hidden } =
            refined(&BrierScore, first(&BrierScore).unwrap()).unwrap();
        assert!(hidden > 0.0 && hidden < 1e-4, "{hidden}");
        for pair in reports.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            for t in [0.0, 0.3, 0.7, 1.0] {
                let q = a.report.get() + t * (b.report.get() - a.report.get());
                let most = q * b.success + (1.0 - q) * a.failure;
                let least = q * a.success + (1.0 - q) * b.failure;
                assert!(most - least <= hidden + 1e-15, "{q}");
            }
        }
    }
}

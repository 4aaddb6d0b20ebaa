use super::distribution::Distribution;
use crate::values::interval::Interval;

/// Parts of the range of outcomes that distributions fill, as shares of the range.
const PARTS: [(f64, f64); 5] = [(0.0, 1.0), (0.0, 0.1), (0.0, 0.01), (0.45, 0.55), (0.9, 1.0)];

/// How far the mass beyond a quantile is from the tail, as a share of it. If a penalty is wrong by
/// more than the smallest of these shares, another outcome becomes the best end.
const EDGES: [f64; 6] = [-0.1, -0.03, -0.01, 0.01, 0.03, 0.1];

/// Distributions of two and three outcomes within the range, for central intervals with `tail` on
/// either side, all with unique quantiles. The width of the range must not overflow.
///
/// More outcomes are not needed: the gain of one interval over another is linear in the
/// distribution, and among all distributions with the same central interval it is largest for one
/// with at most three outcomes.
pub(super) fn shapes(outcomes: Interval, tail: f64) -> Vec<Distribution> {
    let mut shapes = Vec::new();
    for (low, high) in PARTS {
        let at = |t: f64| {
            let t = low + t * (high - low);
            (outcomes.low() + t * outcomes.width()).clamp(outcomes.low(), outcomes.high())
        };
        shapes.extend(two_points(at, tail));
        shapes.extend(three_points(at, tail));
    }
    shapes.retain(|shape| shape.central(tail).is_some());
    shapes
}

/// The mass of the lower point is below, above, and close to the tail, and in between.
fn two_points(at: impl Fn(f64) -> f64, tail: f64) -> impl Iterator<Item = Distribution> {
    let middle = 1.0 - 2.0 * tail;
    let edges = EDGES.map(|share| tail * (1.0 + share));
    let masses = [0.5 * tail, tail + 0.1 * middle].into_iter().chain(edges);
    let masses = masses.flat_map(|mass| [mass, 1.0 - mass]).chain([0.5]);
    masses.map(move |mass| Distribution::new([(at(0.0), mass), (at(1.0), 1.0 - mass)]))
}

/// The outer masses are below, above and close to the tail; the middle point is in the middle or near
/// an end.
fn three_points(at: impl Fn(f64) -> f64, tail: f64) -> Vec<Distribution> {
    let edges = EDGES.map(|share| tail * (1.0 + share));
    let masses = [0.6 * tail, tail + 0.15 * (1.0 - 2.0 * tail)].into_iter().chain(edges);
    let mut found = Vec::new();
    for middle in [0.2, 0.5, 0.8] {
        for lower in masses.clone() {
            for upper in masses.clone().filter(|upper| lower + upper < 1.0) {
                found.push(Distribution::new([
                    (at(0.0), lower),
                    (at(middle), 1.0 - lower - upper),
                    (at(1.0), upper),
                ]));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_tail_there_are_many_shapes_within_the_range() {
        for (low, high) in [(1.0, 1000.0), (-5e289, 5e289), (0.0, 1e-290), (1e9, 1e9 + 1e-2)] {
            let outcomes = Interval::new(low, high).unwrap();
            // Two tails that are a tenth larger than 0.5 / 1.1 leave nothing in the middle.
            for tail in [1e-9, 0.0005, 0.025, 0.1, 0.125, 0.25, 0.4, 0.5 / 1.1, 0.499_999] {
                let shapes = shapes(outcomes, tail);
                assert!(shapes.len() >= 40, "{outcomes} {tail}: {}", shapes.len());
                for shape in shapes {
                    assert!(shape.outcomes.windows(2).all(|pair| pair[0] < pair[1]));
                    assert!(shape.outcomes.iter().all(|&y| outcomes.contains(y)));
                    assert!(shape.probabilities.iter().all(|&p| p > 0.0));
                    let total: f64 = shape.probabilities.iter().sum();
                    assert!((total - 1.0).abs() < 1e-14);
                }
            }
        }
    }

    #[test]
    fn the_honest_interval_is_sometimes_a_point_sometimes_all_and_mostly_between() {
        let outcomes = Interval::new(0.0, 1.0).unwrap();
        let (mut points, mut all, mut between) = (0, 0, 0);
        for shape in shapes(outcomes, 0.1) {
            let honest = shape.central(0.1).unwrap();
            let (low, high) = (shape.outcomes[0], *shape.outcomes.last().unwrap());
            if honest.width() == 0.0 {
                points += 1;
            } else if (honest.low(), honest.high()) == (low, high) {
                all += 1;
            } else {
                between += 1;
            }
        }
        assert!(points >= 20 && all >= 20 && between >= 20, "{points} {all} {between}");
    }

    const TAILS: [f64; 7] = [1e-9, 0.0005, 0.025, 0.1, 0.25, 0.4, 0.499];
    const SHARES: [f64; 6] = [-0.1, -0.03, -0.01, 0.01, 0.03, 0.1];

    fn near(one: f64, two: f64) -> bool {
        (one - two).abs() <= 1e-12 * two
    }

    #[test]
    fn outer_points_have_masses_at_the_edge_of_the_tail_and_well_below_and_above_it() {
        for tail in TAILS {
            let two: Vec<_> = two_points(|t| t, tail).map(|shape| shape.probabilities).collect();
            let three: Vec<_> =
                three_points(|t| t, tail).into_iter().map(|shape| shape.probabilities).collect();
            let edges = SHARES.map(|share| tail * (1.0 + share));
            for edge in edges {
                for lower in [edge, 1.0 - edge] {
                    assert!(two.iter().any(|p| near(p[0], lower) && near(p[1], 1.0 - lower)));
                }
                for upper in edges.into_iter().filter(|upper| edge + upper < 1.0) {
                    let alike = |p: &&Vec<f64>| near(p[0], edge) && near(p[2], upper);
                    assert_eq!(three.iter().filter(alike).count(), 3, "{tail} {edge} {upper}");
                }
            }
            // Below the tail, and between both, on either side.
            let below = |mass: f64| mass < 0.8 * tail;
            assert!(two.iter().any(|p| below(p[0])) && two.iter().any(|p| below(p[1])), "{tail}");
            let between = |mass: f64| mass > tail && mass < 0.5;
            assert!(two.iter().any(|p| between(p[0])) && two.iter().any(|p| between(p[1])));
            assert!(three.iter().any(|p| below(p[0]) && below(p[2])), "{tail}");
            // Where there is room, well above.
            let above = |mass: f64| mass > 1.5 * tail || tail > 0.2;
            assert!(three.iter().any(|p| above(p[0]) && above(p[2])), "{tail}");
        }
    }
}

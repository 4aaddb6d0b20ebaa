use super::distribution::Distribution;
use crate::values::interval::Interval;

/// Points of the larger distributions.
const POINTS: u32 = 16;
/// Parts of the range of outcomes, as shares of it, that distributions fill.
const PARTS: [(f64, f64); 5] = [(0.0, 1.0), (0.0, 0.1), (0.0, 0.01), (0.45, 0.55), (0.9, 1.0)];
/// How points crowd: evenly, towards the low end, towards the high end.
const CROWDING: [f64; 3] = [0.0, 4.0, -4.0];

/// How far, as a share of the tail, a quantile is from the next outcome; on either side of it. A
/// fine that is wrong by more than the smallest of them makes another outcome the best end.
const EDGES: [f64; 6] = [-0.1, -0.03, -0.01, 0.01, 0.03, 0.1];

/// Many kinds of distributions within the range of outcomes, for central intervals with `tail` on
/// either side; all with unique quantiles there. The range is one whose width does not overflow.
pub(super) fn shapes(outcomes: Interval, tail: f64) -> Vec<Distribution> {
    let mut shapes = Vec::new();
    for (low, high) in PARTS {
        let at = |t: f64| {
            let t = low + t * (high - low);
            (outcomes.low() + t * outcomes.width()).clamp(outcomes.low(), outcomes.high())
        };
        shapes.extend(two_points(at, tail));
        shapes.extend(three_points(at, tail));
        let mut many = Vec::new();
        for crowding in CROWDING {
            for weight in [flat, falling, rising, one_hump, two_humps] {
                many.extend(many_points(at, crowding, weight, tail));
            }
            many.extend(many_points(at, crowding, |t| heavy_middle(t, tail), tail));
        }
        for shape in many {
            shapes.extend(EDGES.iter().filter_map(|&share| shape.on_the_edge(tail, share)));
            shapes.push(shape);
        }
    }
    shapes.retain(|shape| shape.central(tail).is_some());
    shapes
}

/// Every mass of the lower point that matters: below the tail, above it, at its edge, in between.
fn two_points(at: impl Fn(f64) -> f64, tail: f64) -> impl Iterator<Item = Distribution> {
    let middle = 1.0 - 2.0 * tail;
    let edges = EDGES.map(|share| tail * (1.0 + share));
    let masses = [0.5 * tail, tail + 0.1 * middle].into_iter().chain(edges);
    let masses = masses.flat_map(|mass| [mass, 1.0 - mass]).chain([0.5]);
    masses.map(move |mass| Distribution::new([(at(0.0), mass), (at(1.0), 1.0 - mass)]))
}

/// Outer masses below the tail, above it and at its edge, with the middle point near either end.
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

/// Tilted a little, should a quantile not be unique.
fn many_points(
    at: impl Fn(f64) -> f64,
    crowding: f64,
    weight: impl Fn(f64) -> f64,
    tail: f64,
) -> Option<Distribution> {
    let place = |t: f64| {
        if crowding == 0.0 { t } else { (crowding * t).exp_m1() / crowding.exp_m1() }
    };
    (0..8).find_map(|tilt| {
        let points = (0..POINTS).map(|i| {
            let t = f64::from(i) / f64::from(POINTS - 1);
            (at(place(t)), weight(t) * (1.0 + 0.037 * f64::from(tilt) * t))
        });
        let shape = Distribution::new(points);
        shape.central(tail).is_some().then_some(shape)
    })
}

fn flat(_: f64) -> f64 {
    1.0
}

/// Geometric; exponential where points crowd evenly.
fn falling(t: f64) -> f64 {
    (-4.0 * t).exp()
}

fn rising(t: f64) -> f64 {
    falling(1.0 - t)
}

/// Normal; much like the lognormal where points crowd towards the low end.
fn one_hump(t: f64) -> f64 {
    hump(t, 0.5, 0.2)
}

fn two_humps(t: f64) -> f64 {
    hump(t, 0.2, 0.1) + 0.7 * hump(t, 0.8, 0.1)
}

fn hump(t: f64, at: f64, width: f64) -> f64 {
    let z = (t - at) / width;
    (-0.5 * z * z).exp()
}

/// One and a half tails in each outer quarter, so that the quantiles lie inside those, however
/// small the tail is.
fn heavy_middle(t: f64, tail: f64) -> f64 {
    if (0.25..=0.75).contains(&t) { (1.0 - 2.0 * tail).max(0.1) / 8.0 } else { 1.5 * tail / 4.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_tail_there_are_many_shapes_within_the_range() {
        for (low, high) in [(1.0, 1000.0), (-5e289, 5e289), (0.0, 1e-290), (1e9, 1e9 + 1e-2)] {
            let outcomes = Interval::new(low, high).unwrap();
            // Of 0.5 / 1.1, two tails a tenth larger leave nothing in the middle.
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
        assert!(points >= 20 && all >= 20 && between >= 60, "{points} {all} {between}");
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

    /// Sixteen weights over even points, for a tail that makes no quantile ambiguous.
    fn masses(weight: impl Fn(f64) -> f64) -> Vec<f64> {
        many_points(|t| t, 0.0, weight, 0.1).unwrap().probabilities
    }

    #[test]
    fn shapes_are_what_they_are_called() {
        assert!(masses(flat).iter().all(|&p| near(p, 1.0 / 16.0)));

        let falling = masses(falling);
        let ratio = falling[1] / falling[0];
        assert!((0.5..0.9).contains(&ratio), "{ratio}");
        assert!(falling.windows(2).all(|pair| near(pair[1] / pair[0], ratio)));
        let mut rising = masses(rising);
        rising.reverse();
        assert!(rising.iter().zip(falling).all(|(&p, q)| near(p, q)));

        let one = masses(one_hump);
        assert!(one[..8].is_sorted_by(|a, b| a < b) && one[8..].is_sorted_by(|a, b| a > b));
        assert!(near(one[7], one[8]) && one[0] < 0.1 * one[7] && one[15] < 0.1 * one[8]);

        let two = masses(two_humps);
        assert!(two[..4].is_sorted_by(|a, b| a < b) && two[3..8].is_sorted_by(|a, b| a > b));
        assert!(two[8..13].is_sorted_by(|a, b| a < b) && two[12..].is_sorted_by(|a, b| a > b));
        assert!((two[12] / two[3] - 0.7).abs() < 1e-3 && two[7] < 0.1 * two[12], "{two:?}");
    }

    #[test]
    fn a_heavy_middle_has_both_quantiles_inside_the_outer_quarters() {
        // Close to a tail of one half there is no room for a middle.
        for tail in TAILS.into_iter().filter(|&tail| tail <= 0.4) {
            let shape = many_points(|t| t, 0.0, |t| heavy_middle(t, tail), tail).unwrap();
            let honest = shape.central(tail).unwrap();
            assert!(honest.low() > 0.0 && honest.low() < 0.25, "{tail} {honest}");
            assert!(honest.high() < 1.0 && honest.high() > 0.75, "{tail} {honest}");
        }
    }

    #[test]
    fn a_flat_shape_is_tilted_a_little_where_a_quantile_would_not_be_unique() {
        let tilted = many_points(|t| t, 0.0, flat, 0.125).unwrap();
        assert!(tilted.central(0.125).is_some());
        assert!(tilted.probabilities.iter().all(|p| (16.0 * p - 1.0).abs() < 0.04));
    }
}

//! Scores made of decision thresholds: elementary scores, and mixtures of them.

use proptest::prelude::*;
use scoring_rules::{
    BetaScore, ElementaryScore, Error, Level, LogScore, ScoringRule, ThresholdMixture, Weight,
};

use crate::common::{level, prob as p, weight_of};

/// The midpoint rule: one threshold in the middle of each of many cells.
fn midpoints(cells: u32, density: impl Fn(f64) -> f64) -> ThresholdMixture {
    let middle = |cell: u32| (f64::from(cell) + 0.5) / f64::from(cells);
    let point = |c: f64| (level(c), density(c) / f64::from(cells));
    mixture(&(0..cells).map(|cell| point(middle(cell))).collect::<Vec<_>>())
}

#[test]
fn the_beta_family_is_a_mixture_of_thresholds() {
    for (alpha, beta) in [(1.0, 1.0), (2.0, 4.0), (4.0, 2.0), (3.0, 3.5), (2.5, 30.0)] {
        let density = |c: f64| f64::powf(c, alpha - 1.0) * f64::powf(1.0 - c, beta - 1.0);
        let (rule, exact) = (midpoints(1_000, density), BetaScore::new(alpha, beta).unwrap());
        for i in 0..=20 {
            // Ends of cells, where the error of the rule is of second order.
            let forecast = p(f64::from(i) / 20.0);
            for outcome in [false, true] {
                let (ours, exact) = (rule.score(forecast, outcome), exact.score(forecast, outcome));
                let floor = rule.score(p(f64::from(!outcome)), outcome).abs();
                let error = (ours - exact).abs() / floor;
                assert!(error < 1e-4, "{alpha} {beta} {forecast} {outcome}: {error:e}");
            }
        }
    }
}

#[test]
fn a_mixture_without_a_positive_weight_is_refused() {
    assert_eq!(ThresholdMixture::new(&[]).unwrap_err(), Error::Empty);
    assert_eq!(ThresholdMixture::new(&[(Level::HALF, Weight::ZERO)]).unwrap_err(), Error::Empty);
}

#[test]
fn at_the_threshold_one_does_not_act_and_loses_nothing() {
    let rule = ElementaryScore { threshold: level(0.75) };
    assert_eq!((rule.score(p(0.75), true), rule.score(p(0.75), false)), (-0.25, 0.0));
    assert_eq!(rule.divergence(p(0.9), p(0.75)), 0.0);
}

fn mixture(points: &[(Level, f64)]) -> ThresholdMixture {
    let weighted: Vec<_> = points.iter().map(|&(c, w)| (c, weight_of(w))).collect();
    ThresholdMixture::new(&weighted).unwrap()
}

proptest! {
    #[test]
    fn weighted_points_are_the_sum_of_their_elementary_scores(
        points in prop::collection::vec((0.001..0.999_f64, 0.0..5.0_f64), 1..20),
        q in 0.0..=1.0_f64,
        pick in any::<prop::sample::Index>(),
    ) {
        let points: Vec<_> = points.into_iter().map(|(c, w)| (level(c), w)).collect();
        let rule = mixture(&points);
        for forecast in [p(q), p(points[pick.index(points.len())].0.get())] {
            for outcome in [false, true] {
                let sum: f64 = points
                    .iter()
                    .map(|&(c, w)| w * ElementaryScore { threshold: c }.score(forecast, outcome))
                    .sum();
                approx::assert_abs_diff_eq!(rule.score(forecast, outcome), sum, epsilon = 1e-12);
            }
        }
    }

    #[test]
    fn a_mixture_of_finely_spaced_points_comes_near_to_its_density(
        q in 0.001..0.999_f64,
        outcome in any::<bool>(),
    ) {
        // The log score from ten thousand points.
        let rule = midpoints(10_000, |c| 1.0 / (c * (1.0 - c)));
        let log = LogScore::exact().score(p(q), outcome);
        prop_assert!((rule.score(p(q), outcome) - log).abs() < 0.06);
    }
}

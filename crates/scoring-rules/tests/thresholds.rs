//! Scores made of decision thresholds: elementary ones, and mixtures of them.
#![allow(clippy::panic, clippy::unwrap_used)]

use proptest::prelude::*;
use scoring_rules::{
    BetaScore, BrierScore, ElementaryScore, Error, Level, LogScore, Probability, ScoringRule,
    SphericalScore, ThresholdMixture, Weight, from_fn,
};

fn p(value: f64) -> Probability {
    Probability::new(value).unwrap()
}

fn level(value: f64) -> Level {
    Level::new(value).unwrap()
}

/// The largest relative difference of two rules over a set of forecasts with both ends.
fn largest_difference(one: &dyn ScoringRule, other: &dyn ScoringRule) -> f64 {
    let near_ends = (0..60).flat_map(|k| [0.5_f64.powi(k), 1.0 - 0.5_f64.powi(k)]);
    let inside = (0..=200).map(|i| f64::from(i) / 200.0);
    let mut largest = 0.0_f64;
    for value in near_ends.chain(inside).chain([1e-30, 1e-300]) {
        for outcome in [false, true] {
            let (a, b) = (one.score(p(value), outcome), other.score(p(value), outcome));
            // Below, the density itself has run out of numbers.
            if a != b && b.abs() > 1e-250 {
                let difference = ((a - b) / b).abs();
                assert!(!difference.is_nan(), "{value} {outcome}: {a} {b}");
                largest = largest.max(difference);
            }
        }
    }
    largest
}

#[test]
fn the_beta_family_is_a_mixture_of_thresholds() {
    for (alpha, beta) in [
        (1.0, 1.0),
        (2.0, 4.0),
        (0.5, 1.7),
        (0.0, 0.0),
        (-0.5, -0.5),
        (-0.9, 3.0),
        (8.0, 0.1),
        (30.0, 30.0),
        (100.0, 1.0),
        (200.0, 300.0),
    ] {
        let density = |c: f64, rest: f64| c.powf(alpha - 1.0) * rest.powf(beta - 1.0);
        let mixture = ThresholdMixture::density(density).unwrap();
        let exact = BetaScore::new(alpha, beta).unwrap();
        let difference = largest_difference(&mixture, &exact);
        assert!(difference < 1e-12, "{alpha} {beta}: {difference:e}");
    }
}

#[test]
fn densities_with_jumps_and_kinks_are_integrated_as_they_are() {
    // Thresholds from 0.3 to 0.7 alike, none elsewhere.
    let band = ThresholdMixture::density(|c, _| f64::from((0.3..0.7).contains(&c))).unwrap();
    let half_square = |from: f64, to: f64| (to * to - from * from) / 2.0;
    for i in 0..=1000 {
        let forecast = f64::from(i) / 1000.0;
        let inside = forecast.clamp(0.3, 0.7);
        let failure = band.score(p(forecast), false);
        approx::assert_abs_diff_eq!(failure, -half_square(0.3, inside), epsilon = 1e-14);
        let success = band.score(p(forecast), true);
        approx::assert_abs_diff_eq!(success, -half_square(0.3, 1.0 - inside), epsilon = 1e-14);
    }
    let tent = ThresholdMixture::density(|c, rest| c.min(rest)).unwrap();
    approx::assert_relative_eq!(
        tent.score(Probability::ONE, false),
        // The integral of c min(c, 1 - c).
        -1.0 / 8.0,
        epsilon = 0.0,
        max_relative = 1e-14
    );
}

/// The two integrals of a score by a sum over many thresholds, each the middle of a small range.
fn by_brute_force(density: impl Fn(f64) -> f64, forecast: f64) -> (f64, f64) {
    let n = 400_000;
    let (mut success, mut failure) = (0.0, 0.0);
    for i in 0..n {
        let c = (f64::from(i) + 0.5) / f64::from(n);
        let weight = density(c) / f64::from(n);
        if c < forecast { failure -= c * weight } else { success -= (1.0 - c) * weight }
    }
    (success, failure)
}

#[test]
fn densities_are_integrated_as_people_write_them() {
    let bump = |at: f64, sd: f64| move |c: f64| (-((c - at) / sd).powi(2) / 2.0).exp() / sd;
    type Density = Box<dyn Fn(f64) -> f64>;
    let densities: Vec<(&str, Density)> = vec![
        ("1 - c", Box::new(|c| 1.0 - c)),
        ("c (1 - c)", Box::new(|c| c * (1.0 - c))),
        ("root", Box::new(|c| (1.0 - c).sqrt())),
        ("-ln c", Box::new(|c: f64| -c.ln())),
        ("30 c (1 - c)^4", Box::new(|c| 30.0 * c * (1.0 - c).powi(4))),
        ("bump", Box::new(bump(0.3, 0.02))),
        ("narrow bump", Box::new(bump(0.3, 0.005))),
        ("kink", Box::new(|c| (c - 0.3).abs())),
        ("triangle", Box::new(|c| (0.1 - (c - 0.3).abs()).max(0.0))),
        ("step on a slope", Box::new(|c| if c < 0.37 { c } else { 3.0 - c })),
        ("plateau", Box::new(|c| if (0.367..0.383).contains(&c) { 101.0 } else { 1.0 })),
    ];
    for (name, density) in densities {
        let rule = ThresholdMixture::density(|c, _| density(c)).unwrap();
        for forecast in [0.0, 0.1, 0.25, 0.301, 0.5, 0.7, 0.95, 1.0] {
            let (success, failure) = by_brute_force(&density, forecast);
            let found = (rule.score(p(forecast), true), rule.score(p(forecast), false));
            let error = (found.0 - success).abs().max((found.1 - failure).abs());
            // That is what the sum of rectangles leaves at a jump.
            assert!(error < 3e-4, "{name} at {forecast}: {found:?} {success} {failure}");
        }
    }
    // Exactly known ones.
    let rule = ThresholdMixture::density(|c, _| (c - 0.3).abs()).unwrap();
    let whole = |c: f64| c.powi(3) / 3.0 - 0.15 * c * c;
    let failure = whole(1.0) - 2.0 * whole(0.3);
    approx::assert_relative_eq!(
        rule.score(p(1.0), false),
        -failure,
        epsilon = 0.0,
        max_relative = 1e-14
    );
}

#[test]
fn a_density_may_become_zero_anywhere() {
    for i in 1..100 {
        let zero = f64::from(i) / 100.0;
        let rule = ThresholdMixture::density(|c, _| (c - zero).abs()).unwrap();
        // The integral of c |c - zero|, from 0 to zero and from there to 1.
        let whole = |c: f64| c.powi(3) / 3.0 - zero * c * c / 2.0;
        let failure = whole(1.0) - 2.0 * whole(zero);
        approx::assert_relative_eq!(
            rule.score(p(1.0), false),
            -failure,
            epsilon = 0.0,
            max_relative = 1e-14
        );
    }
}

/// That a mixture loses by a report what the rule does that it is a mixture for.
#[track_caller]
fn agree(
    mixture: &ThresholdMixture,
    rule: &impl ScoringRule,
    [report, truth]: [Probability; 2],
    max_relative: f64,
) {
    let [ours, exact] = [mixture.divergence(report, truth), rule.divergence(report, truth)];
    approx::assert_relative_eq!(ours, exact, epsilon = 0.0, max_relative = max_relative);
}

#[test]
fn divergences_of_mixtures_do_not_cancel() {
    let (brier, mixture) = (BrierScore, ThresholdMixture::density(|_, _| 2.0).unwrap());
    let (one, other) = (
        BetaScore::new(2.0, 4.0).unwrap(),
        ThresholdMixture::density(|c, r| c * r * r * r).unwrap(),
    );
    for q in [1e-12, 0.2, 0.5, 0.75, 0.999] {
        for gap in [1e-13, 1e-9, -1e-6, 1e-3, 0.2, -0.15] {
            let (truth, report) = (p(q), p(f64::clamp(q + gap, 0.0, 1.0)));
            agree(&mixture, &brier, [report, truth], 1e-12);
            agree(&other, &one, [report, truth], 1e-12);
        }
    }
}

#[test]
fn divergences_of_mixtures_go_on_beyond_the_ends_of_their_table() {
    for (alpha, beta) in [(0.5, 0.5), (-0.5, 1.7), (0.0, 0.0), (1.5, -0.5)] {
        let density = |c: f64, rest: f64| c.powf(alpha - 1.0) * rest.powf(beta - 1.0);
        let mixture = ThresholdMixture::density(density).unwrap();
        let exact = BetaScore::new(alpha, beta).unwrap();
        let pairs =
            [(0.0, 0.3), (1e-30, 0.2), (0.2, 1e-30), (0.2, 0.0), (1e-20, 1e-18), (1.0, 0.9)];
        for (report, truth) in pairs.map(|(report, truth)| (p(report), p(truth))) {
            agree(&mixture, &exact, [report, truth], 1e-12);
        }
    }
}

#[test]
fn a_spherical_score_is_a_mixture_up_to_what_a_right_certainty_scores() {
    let density = |c: f64, rest: f64| (c * c + rest * rest).powf(-1.5);
    let mixture = ThresholdMixture::density(density).unwrap();
    let lost = from_fn(|p: Probability, outcome: bool| SphericalScore.score(p, outcome) - 1.0);
    for i in 1..100 {
        let forecast = p(f64::from(i) / 100.0);
        for outcome in [false, true] {
            let (one, other) = (mixture.score(forecast, outcome), lost.score(forecast, outcome));
            approx::assert_abs_diff_eq!(one, other, epsilon = 1e-15);
        }
    }
}

#[test]
fn a_weight_that_no_score_could_have_is_refused() {
    let error = ThresholdMixture::density(|c, _| 0.5 - c).unwrap_err();
    assert!(matches!(error, Error::Density { threshold, value } if value < 0.0 && threshold > 0.5));
    let error = ThresholdMixture::density(|_, _| f64::NAN).unwrap_err();
    assert!(matches!(error, Error::Density { .. }));
    let error = ThresholdMixture::density(|c, _| c.powi(-2)).unwrap_err();
    assert_eq!(error, Error::NotIntegrable { end: 0.0 });
    let error = ThresholdMixture::density(|_, rest| rest.powf(-2.5)).unwrap_err();
    assert_eq!(error, Error::NotIntegrable { end: 1.0 });
    let error = ThresholdMixture::density(|c, _| 1.0 + (1e9 * c).sin()).unwrap_err();
    assert!(matches!(error, Error::Rough { .. }), "{error}");
    assert_eq!(ThresholdMixture::density(|_, _| 0.0).unwrap_err(), Error::Empty);

    assert_eq!(ThresholdMixture::discrete(&[]).unwrap_err(), Error::Empty);
    assert_eq!(
        ThresholdMixture::discrete(&[(Level::HALF, Weight::ZERO)]).unwrap_err(),
        Error::Empty
    );
}

#[test]
fn close_forecasts_keep_the_digits_of_their_difference_below_the_table_and_about_one_half() {
    let start = 0.5_f64.powi(63);
    for (alpha, beta) in [(0.5, 0.5), (-0.5, 1.7), (0.0, 0.0), (1.0, 1.0), (2.5, -0.5)] {
        let density = |c: f64, rest: f64| c.powf(alpha - 1.0) * rest.powf(beta - 1.0);
        let mixture = ThresholdMixture::density(density).unwrap();
        let exact = BetaScore::new(alpha, beta).unwrap();
        let mut pairs = vec![(1e-25, 0.0), (0.5 + 1e-14, 0.5_f64.next_down())];
        if alpha > 0.0 {
            pairs.extend([(0.0, 1e-25), (0.0, start)]);
        }
        for gap in [1e-13, 1e-10, 1e-7, 1e-3, 0.2] {
            for middle in [1e-30, start, 0.5] {
                pairs.push((middle * (1.0 + gap), middle * (1.0 - gap)));
                pairs.push((middle * (1.0 - gap), middle * (1.0 + 2.0 * gap)));
                pairs.push((middle, middle * (1.0 + gap)));
            }
        }
        for (report, truth) in pairs.into_iter().map(|(report, truth)| (p(report), p(truth))) {
            agree(&mixture, &exact, [report, truth], 2e-12);
        }
    }
}

#[test]
fn an_error_names_the_place_where_the_density_is_wrong() {
    for (from, to) in [(0.1, 0.2), (0.6, 0.7), (0.9, 0.99)] {
        let wrong = |c: f64| if (from..to).contains(&c) { -c } else { 1.0 };
        let error = ThresholdMixture::density(|c, _| wrong(c)).unwrap_err();
        let Error::Density { threshold, value } = error else { panic!("{error}") };
        assert!((from..to).contains(&threshold) && value == -threshold, "{threshold} {value}");
    }
}

#[test]
fn a_mixture_shows_of_which_kind_it_is() {
    let points = ThresholdMixture::discrete(&[(Level::HALF, Weight::ONE)]).unwrap();
    assert_eq!(format!("{points:?}"), "ThresholdMixture(\"discrete\")");
    let density = ThresholdMixture::density(|_, _| 1.0).unwrap();
    assert_eq!(format!("{density:?}"), "ThresholdMixture(\"density\")");
}

#[test]
fn the_unit_of_a_density_makes_no_difference() {
    type Density = fn(f64) -> f64;
    let densities: [Density; 4] = [
        |c| f64::from((0.3..0.7).contains(&c)),
        |c| (c - 0.3).abs(),
        |c| 1.0 + f64::from(c > 0.011),
        |c| (-((c - 0.3) / 0.02).powi(2)).exp() + 0.01,
    ];
    // A power of two, so that every digit stays as it is.
    for unit in [0.5_f64.powi(40), 2.0_f64.powi(40)] {
        for density in densities {
            let one = ThresholdMixture::density(|c, _| density(c)).unwrap();
            let other = ThresholdMixture::density(|c, _| unit * density(c)).unwrap();
            for i in 0..=100 {
                let forecast = p(f64::from(i) / 100.0);
                for outcome in [false, true] {
                    let expected = unit * one.score(forecast, outcome);
                    assert_eq!(other.score(forecast, outcome), expected);
                }
            }
        }
    }
}

#[test]
fn a_jump_is_seen_by_both_outcomes_beside_a_larger_mass_of_the_other() {
    // Failures cost little next to 0, where the density all but has no integral.
    let rule = ThresholdMixture::density(|c, _| c.powf(-1.9) + f64::from(c > 0.3)).unwrap();
    for forecast in [0.2, 0.3, 0.31, 0.4, 0.5] {
        let exact = f64::powf(forecast, 0.1) / 0.1 + (forecast * forecast - 0.09).max(0.0) / 2.0;
        approx::assert_relative_eq!(
            rule.score(p(forecast), false),
            -exact,
            epsilon = 0.0,
            max_relative = 1e-13
        );
    }
    // A mass next to 0, which costs failures nothing.
    let near = |c: f64| 1.0 + 1e9 * f64::from((1e-9..1.7e-9).contains(&c));
    let rule = ThresholdMixture::density(|c, _| near(c)).unwrap();
    let whole = |c: f64| c - c * c / 2.0;
    let exact = whole(1.0) + 1e9 * (whole(1.7e-9) - whole(1e-9));
    approx::assert_relative_eq!(
        rule.score(p(0.0), true),
        -exact,
        epsilon = 0.0,
        max_relative = 1e-14
    );
}

#[test]
fn costs_of_ones_own_set_the_threshold() {
    let rule = ElementaryScore::with_costs(3.0, 1.0).unwrap();
    assert_eq!(rule.threshold(), level(0.75));
    // At the threshold one does not act; both would cost the same.
    assert_eq!(rule.score(p(0.75), true), -1.0);
    assert_eq!(rule.score(p(0.75), false), 0.0);
    assert_eq!(rule.divergence(p(0.9), p(0.75)), 0.0);
    for (false_alarm, miss) in [(0.0, 1.0), (1.0, f64::NAN), (1e100, 1e-100), (-1.0, 1.0)] {
        let error = ElementaryScore::with_costs(false_alarm, miss).unwrap_err();
        assert!(matches!(error, Error::Setting { .. }));
    }
}

fn mixture(points: &[(Level, f64)]) -> ThresholdMixture {
    let weighted: Vec<_> = points.iter().map(|&(c, w)| (c, Weight::new(w).unwrap())).collect();
    ThresholdMixture::discrete(&weighted).unwrap()
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
                    .map(|&(c, w)| w * ElementaryScore::new(c).score(forecast, outcome))
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
        let n = 10_000;
        let points: Vec<_> = (0..n)
            .map(|i| {
                let c = (f64::from(i) + 0.5) / f64::from(n);
                (level(c), 1.0 / (c * (1.0 - c)) / f64::from(n))
            })
            .collect();
        let rule = mixture(&points);
        let log = LogScore::exact().score(p(q), outcome);
        prop_assert!((rule.score(p(q), outcome) - log).abs() < 0.06);
    }
}

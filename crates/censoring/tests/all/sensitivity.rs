//! Means under tilted probabilities, and the odds ratios at which conclusions flip.

use censoring::{Error, FlippingOdds, Probability, RunScore, TiltedMean};
use proptest::prelude::*;

use crate::{EMPTY, length, p, w};

fn cut_off(q: f64, if_success: f64, if_failure: f64) -> RunScore {
    RunScore::Censored { success_probability: p(q), if_success, if_failure }
}

fn mean(runs: &[RunScore]) -> TiltedMean {
    TiltedMean::new(runs, None).unwrap()
}

fn ends(flip: FlippingOdds) -> (Option<f64>, Option<f64>) {
    (flip.below, flip.above)
}

const NEVER: (Option<f64>, Option<f64>) = (None, None);
const NO_CONCLUSION: (Option<f64>, Option<f64>) = (Some(1.0), Some(1.0));

#[test]
fn one_run_flips_where_its_chance_does() {
    for q in [1e-200, 1e-9, 0.2, 0.5, 0.9, 1.0 - 1e-9] {
        for wanted in [1e-12, 0.1, 0.5, 0.7, 0.999] {
            if q == wanted {
                continue;
            }
            let flip = mean(&[cut_off(q, 1.0, 0.0)]).flip_at(wanted).unwrap();
            let ratio = wanted / (1.0 - wanted) / (q / (1.0 - q));
            let found = flip.below.or(flip.above).unwrap();
            assert!((found / ratio - 1.0).abs() < 1e-12, "{q} {wanted}: {found} {ratio}");
            assert_eq!(flip.below.is_some(), ratio < 1.0);
            assert_eq!(flip.above.is_some(), ratio > 1.0);
        }
    }
}

#[test]
fn an_odds_ratio_multiplies_the_odds_of_success() {
    let tilted = |q: f64, ratio: f64| mean(&[cut_off(q, 1.0, 0.0)]).score(ratio).unwrap();
    assert_eq!(tilted(0.5, f64::MAX), 1.0);
    assert!(tilted(0.5, 1e-300) < 1.1e-300);
    let odds = |p: f64| p / (1.0 - p);
    for q in [1e-6, 0.2, 0.5, 0.999_999] {
        assert_eq!(tilted(q, 1.0), q);
        for r in [1e-3, 0.7, 1e3] {
            assert!((odds(tilted(q, r)) / (r * odds(q)) - 1.0).abs() < 1e-6);
            assert!((tilted(tilted(q, r), 3.0) / tilted(q, r * 3.0) - 1.0).abs() < 1e-9);
            assert!((tilted(q, r) + tilted(1.0 - q, 1.0 / r) - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn a_conclusion_that_no_odds_ratio_changes_has_no_flipping_odds() {
    // The mean is between -1 and 0, and reaches neither.
    let runs = [cut_off(0.3, 0.0, -1.0), cut_off(0.6, -1.0, 0.0), cut_off(0.1, 0.0, -1.0)];
    for threshold in [0.1, -1.1] {
        assert_eq!(ends(mean(&runs).flip_at(threshold).unwrap()), NEVER);
    }
    // Nor does it pass a limit that it comes ever closer to, in either direction.
    for gain in [0.1, 1.0 / 3.0, 0.7] {
        let runs: Vec<_> = (1..60).map(|i| cut_off(f64::from(i) / 61.0, gain, -gain)).collect();
        for threshold in [gain, -gain] {
            assert_eq!(ends(mean(&runs).flip_at(threshold).unwrap()), NEVER, "{threshold}");
        }
    }
    // Chances that are sure are not tilted.
    let sure = [cut_off(0.0, 1.0, 0.0), cut_off(1.0, 0.5, 0.0)];
    assert_eq!(ends(mean(&sure).flip_at(0.3).unwrap()), NEVER);
    for ratio in [5e-324, f64::MIN_POSITIVE, 0.3, 1e9, f64::MAX] {
        assert_eq!(mean(&sure).score(ratio), Ok(0.25));
    }
}

#[test]
fn without_a_conclusion_there_is_nothing_to_flip() {
    let runs = [cut_off(0.3, 0.7, -1.0), RunScore::Complete(0.1), cut_off(0.8, -0.4, 0.3)];
    let now = mean(&runs).score(1.0).unwrap();
    assert_eq!(ends(mean(&runs).flip_at(now).unwrap()), NO_CONCLUSION);
}

#[test]
fn a_conclusion_that_flips_and_flips_back_flips_where_it_is_nearest_to_one() {
    // Above 1 the first run pulls the mean down at an odds ratio of about 1e2 and the second up at
    // about 1e6, so that it is below the threshold in between only.
    let runs = [cut_off(1e-2, -1.0, 0.0), cut_off(1e-6, 2.0, 0.0)];
    let flip = mean(&runs).flip_at(-0.25).unwrap();
    let above = flip.above.unwrap();
    assert!((above / 99.0 - 1.0).abs() < 1e-3, "{above}");
    assert_eq!(flip.below, None);
    assert!(mean(&runs).score(1e8).unwrap() > -0.25);
    // Seen from within, it flips on both sides.
    let shifted = [cut_off(1.0 - 1e-2, -1.0, 0.0), cut_off(1e-2, 2.0, 0.0)];
    let flip = mean(&shifted).flip_at(-0.25).unwrap();
    assert!(flip.below.unwrap() < 1.0 && flip.above.unwrap() > 1.0);
    // The mean is at most the threshold at its lowest: no flip, though it comes close.
    let low = mean(&runs).score(1e4).unwrap();
    assert_eq!(ends(mean(&runs).flip_at(low - 1e-3).unwrap()), NEVER);
}

#[test]
fn a_difference_that_only_just_touches_zero_does_not_flip() {
    // In logarithms of the odds, one falls by the logistic curve around 0 and the other rises by that
    // around 2, so that the mean is lowest at 1, by symmetry.
    let later = 1.0 / (1.0 + 2.0_f64.exp());
    let runs = mean(&[cut_off(0.5, -1.0, 0.0), cut_off(later, 1.0, 0.0)]);
    let lowest = runs.score(1.0_f64.exp()).unwrap();
    assert!((lowest - -0.5 * 0.5_f64.tanh()).abs() < 1e-15, "{lowest}");
    assert_eq!(ends(runs.flip_at(lowest).unwrap()), NEVER);
    let flip = runs.flip_at(lowest + 1e-6).unwrap();
    assert!(flip.below.is_none() && (flip.above.unwrap().ln() - 1.0).abs() < 1e-2, "{flip:?}");
}

#[test]
fn a_change_that_takes_long_to_rise_above_rounding_flips_where_it_begins() {
    // The mean rises by 1e-12 for each logarithm: rounding is passed well after the threshold.
    let flip = mean(&[cut_off(1e-12, 1.0, 0.0)]).flip_at(1.01e-12).unwrap();
    assert_eq!(flip.below, None);
    assert!((flip.above.unwrap() - 1.01).abs() < 1e-10, "{flip:?}");
    let flip = mean(&[cut_off(1e-12, 1.0, 0.0)]).flip_at(0.99e-12).unwrap();
    assert_eq!(flip.above, None);
    assert!((flip.below.unwrap() - 0.99).abs() < 1e-10, "{flip:?}");

    // Twice the mean is 1e-12 (r + 1 / r), which is 2.02e-12 at ln r = +-acosh(1.01).
    let runs = [cut_off(1e-12, 1.0, 0.0), cut_off(1.0 - 1e-12, 0.0, 1.0)];
    let flip = mean(&runs).flip_at(1.01e-12).unwrap();
    let ratio = 1.01_f64.acosh().exp();
    assert!((flip.above.unwrap() / ratio - 1.0).abs() < 1e-2, "{flip:?}");
    assert!((flip.below.unwrap() * ratio - 1.0).abs() < 1e-2, "{flip:?}");
}

#[test]
fn a_short_change_of_a_conclusion_is_found() {
    let runs = [cut_off(1e-2, -1.0, 0.0), cut_off(1e-6, 2.0, 0.0)];
    let at = |x: f64| mean(&runs).score(x.exp()).unwrap();
    let lowest =
        (0..20_000).map(|i| f64::from(i) / 1_000.0).min_by(|a, b| at(*a).total_cmp(&at(*b)));
    let lowest = lowest.unwrap();
    // Below the threshold within a few hundredths of the lowest place only.
    let flip = mean(&runs).flip_at(at(lowest) + 1e-6).unwrap();
    let found = flip.above.unwrap().ln();
    assert!(found < lowest && lowest - found < 0.05, "{found} {lowest}");
    assert_eq!(flip.below, None);
}

/// Chances over many orders, scores of either sign, and some complete runs.
fn runs() -> impl Strategy<Value = Vec<(RunScore, f64)>> {
    let run = (-12.0..12.0_f64, -1.0..1.0_f64, -1.0..1.0_f64, 0_u8..5, 1_u8..4).prop_map(
        |(logit, if_success, if_failure, kind, weight)| {
            let score = match kind {
                0 => RunScore::Complete(if_success),
                _ => cut_off(1.0 / (1.0 + (-logit).exp()), if_success, if_failure),
            };
            (score, f64::from(weight) / 3.0)
        },
    );
    prop::collection::vec(run, 1..6)
}

fn weighted(runs: &[(RunScore, f64)]) -> TiltedMean {
    let (scores, weights): (Vec<_>, Vec<_>) = runs.iter().copied().unzip();
    TiltedMean::new(&scores, Some(w(&weights))).unwrap()
}

proptest! {
    #[test]
    fn a_fine_grid_finds_the_same_flips(runs in runs(), threshold in -0.5..0.5_f64) {
        let mean = weighted(&runs);
        let above = |x: f64| mean.score(x.exp()).unwrap() - threshold;
        prop_assume!(above(0.0).abs() > 1e-9);
        let sign = above(0.0).signum();
        let flip = mean.flip_at(threshold).unwrap();
        for (direction, found) in [(-1.0, flip.below), (1.0, flip.above)] {
            // The last place of the grid that must still be unchanged.
            let end = found.map_or(55.0, |ratio| ratio.ln() * direction);
            for i in 0..1_100 {
                let x = f64::from(i) * 0.05;
                if x < end - 1e-9 {
                    prop_assert!(sign * above(direction * x) > -1e-12, "{x} {flip:?}");
                }
            }
            if let Some(ratio) = found {
                prop_assert!((mean.score(ratio).unwrap() - threshold).abs() < 1e-12);
                let after = sign * above(direction * (end + 1e-3));
                prop_assert!(after < 1e-7, "no change at {end}: {after}");
            }
        }
    }

    #[test]
    fn order_copies_and_runs_of_no_weight_leave_no_trace(runs in runs(), r in 0.01..100.0_f64) {
        let mean = weighted(&runs);
        let mut others = runs.clone();
        others.reverse();
        others.insert(0, (cut_off(0.3, 1.0, -1.0), 0.0));
        let twice: Vec<_> = runs.iter().chain(&runs).copied().collect();
        let doubled: Vec<_> = runs.iter().map(|&(score, weight)| (score, 2.0 * weight)).collect();
        let bits = |mean: &TiltedMean| mean.score(r).unwrap().to_bits();
        for other in [weighted(&others), weighted(&twice), weighted(&doubled)] {
            prop_assert_eq!(bits(&other), bits(&mean));
        }
        let flips = |mean: &TiltedMean| mean.flip_at(0.1).unwrap();
        prop_assert_eq!(flips(&weighted(&others)), flips(&mean));
    }

    #[test]
    fn the_mean_runs_from_all_failures_to_all_successes(runs in runs()) {
        let mean = weighted(&runs);
        for (ratio, success) in [(1e-30, false), (1e30, true)] {
            let settled: Vec<_> = runs.iter().map(|&(score, weight)| {
                let score = match score {
                    RunScore::Censored { if_success, .. } if success => if_success,
                    RunScore::Censored { if_failure, .. } => if_failure,
                    RunScore::Complete(score) => score,
                };
                (RunScore::Complete(score), weight)
            }).collect();
            let at_end = weighted(&settled).score(1.0).unwrap();
            prop_assert!((mean.score(ratio).unwrap() - at_end).abs() < 1e-14);
        }
    }
}

#[test]
fn a_large_score_drowns_small_differences() {
    let runs = |large: f64| {
        [RunScore::Complete(large), RunScore::Complete(-large), cut_off(0.5, 2.0, 0.0)]
    };
    // The mean is a third of twice the chance, so it passes 0.4 at a chance of 0.6.
    let flip = mean(&runs(1e3)).flip_at(0.4).unwrap();
    assert!((flip.above.unwrap() - 1.5).abs() < 1e-12);
    assert_eq!(flip.below, None);
    // Sums are exact, so that large scores that cancel within one mean lose no digits.
    let flip = mean(&runs(1e17)).flip_at(0.4).unwrap();
    assert!((flip.above.unwrap() - 1.5).abs() < 1e-12);
}

#[cfg(feature = "serde")]
#[test]
fn flipping_odds_write_as_numbers_and_null() {
    let flip = mean(&[cut_off(0.5, 1.0, 0.0)]).flip_at(0.75).unwrap();
    let json = serde_json::to_value(flip).unwrap();
    assert_eq!(json["below"], serde_json::Value::Null);
    assert!((json["above"].as_f64().unwrap() - 3.0).abs() < 1e-12);
}

#[test]
fn invalid_scores_weights_and_thresholds_are_refused() {
    let cut_off = |if_success, if_failure| RunScore::Censored {
        success_probability: Probability::HALF,
        if_success,
        if_failure,
    };
    let infinite = f64::NEG_INFINITY;
    for bad in [RunScore::Complete(infinite), cut_off(infinite, 0.0), cut_off(0.0, infinite)] {
        let error = TiltedMean::new(&[RunScore::Complete(0.0), bad], None).unwrap_err();
        let Error::ScoringRules(scoring_rules::Error::Entry { index, value, .. }) = error else {
            panic!("{error}");
        };
        assert_eq!((index, value), (1, infinite));
    }
    let one = [RunScore::Complete(0.0)];
    assert_eq!(TiltedMean::new(&[], None), Err(EMPTY));
    assert_eq!(TiltedMean::new(&one, Some(w(&[0.0]))), Err(EMPTY));
    assert_eq!(TiltedMean::new(&one, Some(w(&[1.0; 2]))), Err(length("weights", 1, 2)));
    let mean = TiltedMean::new(&one, None).unwrap();
    for ratio in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let error = mean.score(ratio).unwrap_err();
        assert!(error.to_string().starts_with("odds_ratio is"), "{error}");
    }
    let error = mean.flip_at(f64::NAN).unwrap_err();
    assert!(error.to_string().starts_with("threshold is"), "{error}");
}

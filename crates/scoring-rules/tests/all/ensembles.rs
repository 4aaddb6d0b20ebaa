//! Ensembles whose members have weights, against two independent tools
//! (`golden/weighted_ensembles.py`), and laws of the weights.

use proptest::prelude::*;
use scoring_rules::{Ensemble, Error, Observed};

use crate::common::{golden, numbers, weights_of};

fn weighted(members: &[f64], weights: &[f64]) -> Ensemble {
    Ensemble::new(members, Some(weights_of(weights))).unwrap()
}

fn exact(value: f64) -> Observed {
    Observed::exact(value).unwrap()
}

#[test]
fn weighted_scores_equal_those_of_properscoring_and_scoringrules() {
    let mut seen = 0;
    for line in golden(include_str!("../golden/weighted_ensembles.csv")) {
        let fields: Vec<Vec<f64>> = line.iter().map(|field| numbers(field)).collect();
        let [outcome, members, weights, properscoring, scoringrules, fair] = &fields[..] else {
            panic!("{line:?}")
        };
        let forecast = weighted(members, weights);
        let outcome = exact(outcome[0]);
        let (crps, fair_crps) =
            (forecast.crps_loss(outcome), forecast.fair_crps_loss(outcome).unwrap());
        for (value, wanted) in [(crps, properscoring), (crps, scoringrules), (fair_crps, fair)] {
            assert!((value - wanted[0]).abs() < 1e-13, "{value} {line:?}");
        }
        seen += 1;
    }
    assert_eq!(seen, 120);
}

#[test]
fn the_fair_loss_is_finite_if_one_member_has_almost_all_weight() {
    // For any weights there is one pair of different members, and |0 - 2| / 2 is subtracted.
    for weight in [1.0, 1e-10, 1e-40, 1e-100] {
        let forecast = weighted(&[0.0, 2.0], &[1.0, weight]);
        let fair = forecast.fair_crps_loss(exact(3.0)).unwrap();
        let mean_distance = (3.0 + weight) / (1.0 + weight);
        assert!((fair - (mean_distance - 1.0)).abs() < 1e-15, "{weight}: {fair}");
    }
    let alone = weighted(&[0.0, 2.0], &[1.0, 0.0]);
    let error = alone.fair_crps_loss(exact(3.0)).unwrap_err();
    assert!(matches!(error, Error::TooFew { least: 2, found: 1, .. }), "{error}");
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-13 * (1.0 + other.abs())
}

proptest! {
    #[test]
    fn an_integer_weight_gives_the_loss_of_copies(
        members in prop::collection::vec((-9.0..9.0_f64, 0..5_usize), 1..12),
        (value, cap) in (-12.0..12.0_f64, 0.0..5.0_f64),
    ) {
        prop_assume!(members.iter().any(|member| member.1 > 0));
        let weights: Vec<f64> = members.iter().map(|member| member.1 as f64).collect();
        let each: Vec<f64> = members.iter().map(|member| member.0).collect();
        let copies: Vec<f64> = members.iter().flat_map(|&(x, times)| std::iter::repeat_n(x, times)).collect();
        let weighted = weighted(&each, &weights);
        let copied = Ensemble::new(&copies, None).unwrap();
        for outcome in [exact(value), Observed::capped(value, value + cap).unwrap()] {
            let (one, other) =
                (weighted.crps_loss(outcome), copied.crps_loss(outcome));
            prop_assert!(near(one, other), "{} {}", one, other);
        }
    }

    #[test]
    fn only_ratios_of_weights_matter_and_equal_weights_have_no_effect(
        members in prop::collection::vec((-9.0..9.0_f64, 0.01..5.0_f64), 2..12),
        scale in 1e-3..1e3_f64,
        value in -12.0..12.0_f64,
    ) {
        let each: Vec<f64> = members.iter().map(|member| member.0).collect();
        let weights: Vec<f64> = members.iter().map(|member| member.1).collect();
        let scaled: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
        let of = |weights: &[f64]| weighted(&each, weights);
        let plain = Ensemble::new(&each, None).unwrap();
        for (one, other) in
            [(of(&weights), of(&scaled)), (of(&vec![scale; each.len()]), plain)]
        {
            let losses = [&one, &other].map(|forecast| forecast.crps_loss(exact(value)));
            prop_assert!(near(losses[0], losses[1]), "{:?}", losses);
            let losses = [&one, &other].map(|f| f.fair_crps_loss(exact(value)).unwrap());
            prop_assert!(near(losses[0], losses[1]), "{:?}", losses);
        }
    }
}

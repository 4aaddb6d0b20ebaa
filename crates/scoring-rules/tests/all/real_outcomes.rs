//! Losses of real outcomes: reference values, propriety with and without caps, and other laws.

use proptest::{collection::vec, prelude::*};
use scoring_rules::{
    Ensemble, Error, Interval, Level, Observed, Quantiles, interval_loss, pinball_loss,
};

use crate::common::{close as near, golden, level, number, numbers};

fn exact(value: f64) -> Observed {
    Observed::exact(value).unwrap()
}

/// The observation of an outcome with an optional cap.
fn watched(outcome: f64, cap: Option<f64>) -> Observed {
    cap.map_or(exact(outcome), |cap| Observed::capped(outcome.min(cap), cap).unwrap())
}

fn ensemble(members: &[f64]) -> Ensemble {
    Ensemble::new(members, None).unwrap()
}

fn quantiles(levels: &[f64], values: &[f64]) -> Quantiles {
    let levels: Vec<Level> = levels.iter().map(|&l| level(l)).collect();
    Quantiles::new(&levels, values).unwrap()
}

fn close(one: f64, other: f64) -> bool {
    near(one, other, 1e-12) || near(other, one, 1e-12)
}

#[test]
fn losses_equal_their_textbook_formulas_to_1e_12() {
    let mut worst = std::collections::BTreeMap::new();
    for row in golden(include_str!("../golden/real_outcomes.csv")) {
        let [loss, levels, forecast, outcome, cap, value] = row[..] else { panic!("{row:?}") };
        let (levels, forecast) = (numbers(levels), numbers(forecast));
        let outcome = match numbers(cap)[..] {
            [cap] => Observed::capped(number(outcome), cap).unwrap(),
            _ => exact(number(outcome)),
        };
        let want = number(value);
        let got = match loss {
            "pinball" => pinball_loss(forecast[0], outcome, level(levels[0])).unwrap(),
            "interval" => {
                let interval = Interval::new(forecast[0], forecast[1]).unwrap();
                interval_loss(interval, outcome, level(levels[0]))
            }
            "wis" => quantiles(&levels, &forecast).weighted_interval_loss(outcome).unwrap(),
            "quantile_crps" => quantiles(&levels, &forecast).crps_loss(outcome),
            "crps" => ensemble(&forecast).crps_loss(outcome),
            "fair_crps" => ensemble(&forecast).fair_crps_loss(outcome).unwrap(),
            _ => panic!("{row:?}"),
        };
        let error = if got == want { 0.0 } else { (got - want).abs() / want.abs() };
        assert!(error <= 1e-12, "{row:?} gave {got:e}, off by {error:e}");
        let (largest, seen) = worst.entry(loss).or_insert((0.0_f64, 0));
        (*largest, *seen) = (largest.max(error), *seen + 1);
    }
    for (loss, (error, seen)) in &worst {
        println!("{loss}: largest relative error {error:.1e} in {seen} rows");
        assert!(*seen >= 25, "{loss}: {seen} rows");
    }
    assert_eq!(worst.len(), 6);
}

/// A weighted distribution of the outcome, and caps that are equally likely and independent of the
/// outcome.
#[derive(Clone, Debug)]
struct World {
    /// Values in ascending order, each repeated according to its weight.
    outcomes: Vec<f64>,
    caps: Vec<Option<f64>>,
}

impl World {
    fn expected(&self, loss: impl Fn(Observed) -> f64) -> f64 {
        let mut sum = 0.0;
        for &outcome in &self.outcomes {
            sum += self.caps.iter().map(|&cap| loss(watched(outcome, cap))).sum::<f64>();
        }
        sum / (self.outcomes.len() * self.caps.len()) as f64
    }

    /// The smallest outcome whose cumulative probability is at least the level.
    fn quantile(&self, level: f64) -> f64 {
        let n = self.outcomes.len() as f64;
        let reached = |i: usize| (i + 1) as f64 / n >= level - 1e-12;
        (0..self.outcomes.len()).find(|&i| reached(i)).map(|i| self.outcomes[i]).unwrap()
    }

    fn no_report_beats(&self, honest: f64, other: f64) -> Result<(), TestCaseError> {
        prop_assert!(honest <= other * (1.0 + 1e-12) + 1e-12, "{other} beats {honest}: {self:?}");
        Ok(())
    }
}

fn whole(range: std::ops::Range<i32>) -> impl Strategy<Value = f64> {
    range.prop_map(f64::from)
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

fn world() -> impl Strategy<Value = World> {
    let outcomes = vec((whole(-10..20), 1_usize..5), 1..6).prop_map(|atoms| {
        sorted(atoms.iter().flat_map(|&(value, weight)| vec![value; weight]).collect())
    });
    let caps = vec(prop::option::weighted(0.8, whole(-12..22)), 1..4);
    (outcomes, caps).prop_map(|(outcomes, caps)| World { outcomes, caps })
}

const LEVELS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]
    #[test]
    fn the_true_quantiles_and_intervals_minimize_the_expected_losses_for_any_caps(
        world in world(),
        p in (1_i32..100).prop_map(|p| f64::from(p) / 100.0),
        report in vec(whole(-15..25), 5..=5),
    ) {
        let expected = |f| world.expected(|y| pinball_loss(f, y, level(p)).unwrap());
        world.no_report_beats(expected(world.quantile(p)), expected(report[0]))?;
        let report = sorted(report);
        let expected = |low, high| {
            let interval = Interval::new(low, high).unwrap();
            world.expected(|y| interval_loss(interval, y, level(1.0 - p)))
        };
        let honest = expected(world.quantile(p / 2.0), world.quantile(1.0 - p / 2.0));
        world.no_report_beats(honest, expected(report[1], report[3]))?;
        let honest = quantiles(&LEVELS, &LEVELS.map(|p| world.quantile(p)));
        let report = quantiles(&LEVELS, &report);
        let expected = |f: &Quantiles| world.expected(|y| f.weighted_interval_loss(y).unwrap());
        world.no_report_beats(expected(&honest), expected(&report))?;
        let expected = |f: &Quantiles| world.expected(|y| f.crps_loss(y));
        world.no_report_beats(expected(&honest), expected(&report))?;
    }

    #[test]
    fn the_true_distribution_as_an_ensemble_minimizes_the_expected_loss_for_any_caps(
        world in world(),
        report in vec(whole(-15..25), 1..12),
    ) {
        let expected = |f: &[f64]| world.expected(|y| ensemble(f).crps_loss(y));
        world.no_report_beats(expected(&world.outcomes), expected(&report))?;
    }

    #[test]
    fn reports_above_the_cap_have_equal_losses(
        outcome in whole(-10..20),
        cap in whole(-10..20),
        below in vec(whole(-30..0), 2..=2).prop_map(sorted),
        above in vec(whole(0..30), 6..=6).prop_map(sorted),
    ) {
        let seen = watched(outcome, Some(cap));
        let [low, middle] = [cap + below[0], cap + below[1]];
        let (one, other) = ([cap + above[0], cap + above[1]], [cap + above[3], cap + above[5]]);
        let pinball = |f: [f64; 2]| pinball_loss(f[1], seen, level(0.7)).unwrap();
        prop_assert_eq!(pinball(one), pinball(other));
        let interval = |f: [f64; 2]| {
            interval_loss(Interval::new(low, f[1]).unwrap(), seen, level(0.7))
        };
        prop_assert_eq!(interval(one), interval(other));
        let members = |f: [f64; 2]| [low, middle, f[0], f[1]];
        let crps = |f| ensemble(&members(f)).crps_loss(seen);
        prop_assert_eq!(crps(one), crps(other));
        let fair = |f| ensemble(&members(f)).fair_crps_loss(seen).unwrap();
        prop_assert_eq!(fair(one), fair(other));
        let from_quantiles = |f| quantiles(&LEVELS[1..], &members(f)).crps_loss(seen);
        prop_assert_eq!(from_quantiles(one), from_quantiles(other));
    }

    #[test]
    fn losses_scale_with_the_unit_and_do_not_depend_on_the_origin(
        members in vec(whole(-1000..1000), 5..=5).prop_map(sorted),
        outcome in whole(-1000..1000),
        cap in prop::option::of(whole(-1000..1000)),
        shift in whole(-1_000_000..1_000_000),
        unit in 1e-3..1e3_f64,
    ) {
        let losses = |place: &dyn Fn(f64) -> f64| {
            let seen = watched(place(outcome), cap.map(place));
            let f: Vec<f64> = members.iter().map(|&x| place(x)).collect();
            let [set, all] = [quantiles(&LEVELS, &f), quantiles(&[0.01, 0.2, 0.3, 0.4, 0.99], &f)];
            [
                pinball_loss(f[0], seen, level(0.2)).unwrap(),
                interval_loss(Interval::new(f[0], f[4]).unwrap(), seen, level(0.8)),
                set.weighted_interval_loss(seen).unwrap(),
                all.crps_loss(seen),
                ensemble(&f).crps_loss(seen),
                ensemble(&f).fair_crps_loss(seen).unwrap(),
            ]
        };
        let plain = losses(&|x| x);
        // Integers are shifted without rounding, so that the losses keep their bits.
        prop_assert_eq!(plain, losses(&|x| x + shift));
        for (loss, scaled) in plain.into_iter().zip(losses(&|x| x * unit)) {
            // After scaling, a loss of 0 may differ by the rounding of numbers up to 1000 units.
            prop_assert!((loss * unit - scaled).abs() <= 1e-12 * 1000.0 * unit, "{loss} {scaled}");
        }
    }

    #[test]
    fn an_interval_loss_is_a_multiple_of_its_two_pinball_losses(
        ends in vec(-50.0..50.0_f64, 2..=2).prop_map(sorted),
        outcome in -80.0..80.0_f64,
        cap in prop::option::of(-60.0..60.0_f64),
        claim in 0.01..0.99_f64,
    ) {
        let (seen, alpha) = (watched(outcome, cap), 1.0 - claim);
        let loss = interval_loss(Interval::new(ends[0], ends[1]).unwrap(), seen, level(claim));
        let low = pinball_loss(ends[0], seen, level(alpha / 2.0)).unwrap();
        let high = pinball_loss(ends[1], seen, level(1.0 - alpha / 2.0)).unwrap();
        prop_assert!(close(loss, 2.0 / alpha * (low + high)), "{loss} {low} {high}");
    }

    #[test]
    fn the_crps_of_one_member_or_of_a_median_is_the_absolute_error(
        forecast in -1e3..1e3_f64,
        outcome in -1e3..1e3_f64,
    ) {
        let (seen, error) = (exact(outcome), (forecast - outcome).abs());
        prop_assert_eq!(ensemble(&[forecast]).crps_loss(seen), error);
        prop_assert_eq!(ensemble(&[forecast; 3]).crps_loss(seen), error);
        prop_assert_eq!(ensemble(&[forecast; 3]).fair_crps_loss(seen).unwrap(), error);
        let median = quantiles(&[0.5], &[forecast]);
        prop_assert_eq!(median.crps_loss(seen), error);
        prop_assert_eq!(median.weighted_interval_loss(seen).unwrap(), error);
    }

    #[test]
    fn evenly_spaced_quantiles_have_the_crps_of_the_ensemble_of_their_values(
        members in vec(-50.0..50.0_f64, 1..30).prop_map(sorted),
        outcome in -60.0..60.0_f64,
        cap in prop::option::of(-60.0..60.0_f64),
    ) {
        let (n, seen) = (members.len() as f64, watched(outcome, cap));
        let levels: Vec<f64> = (0..members.len()).map(|i| (i as f64 + 0.5) / n).collect();
        let one = quantiles(&levels, &members).crps_loss(seen);
        let other = ensemble(&members).crps_loss(seen);
        prop_assert!(close(one, other), "{one} {other}");
    }
}

/// A loss that is not proper: the cap is applied to censored outcomes only.
fn naive(seen: Observed) -> Observed {
    let (value, cap) = seen.into();
    if cap == Some(value) { seen } else { exact(value) }
}

#[test]
fn capping_censored_rows_only_rewards_a_dishonest_report_and_the_losses_do_not() {
    // Half of the outcomes are 1, half are 10, and all have the cap 4.
    let world = World { outcomes: vec![1.0, 10.0], caps: vec![Some(4.0)] };
    let crps = |high, y| ensemble(&[1.0, high]).crps_loss(y);
    // The quantile of level 3/4 is 10, and so is the high end of the central interval with coverage 1/2.
    let pinball = |high, y| pinball_loss(high, y, level(0.75)).unwrap();
    let interval = |high, y| interval_loss(Interval::new(1.0, high).unwrap(), y, Level::HALF);
    let check = |loss: &dyn Fn(f64, Observed) -> f64, [honest, dishonest, proper]: [f64; 3]| {
        assert_eq!(world.expected(|y| loss(10.0, naive(y))), honest);
        assert_eq!(world.expected(|y| loss(4.0, naive(y))), dishonest);
        assert_eq!(world.expected(|y| loss(10.0, y)), proper);
        assert_eq!(world.expected(|y| loss(4.0, y)), proper);
    };
    check(&crps, [1.5, 0.75, 0.75]);
    check(&pinball, [1.125, 0.375, 0.375]);
    check(&interval, [6.0, 3.0, 3.0]);
}

#[test]
fn the_mean_fair_loss_of_samples_is_the_crps_of_their_distribution() {
    let outcomes = [-2.0, 1.0, 1.0, 7.0];
    let truth = ensemble(&outcomes);
    for seen in [-3.0, 0.0, 1.0, 6.0, 9.0].map(exact).into_iter().chain([watched(9.0, Some(4.0))]) {
        for m in [2_u32, 3, 4] {
            let draws = outcomes.len().pow(m);
            let (mut fair, mut standard) = (0.0, 0.0);
            for draw in 0..draws {
                let digit =
                    |place: u32| outcomes[draw / outcomes.len().pow(place) % outcomes.len()];
                let sample = ensemble(&(0..m).map(digit).collect::<Vec<_>>());
                fair += sample.fair_crps_loss(seen).unwrap() / draws as f64;
                standard += sample.crps_loss(seen) / draws as f64;
            }
            let whole = truth.crps_loss(seen);
            assert!(close(fair, whole), "{m} of {seen:?}: {fair} {whole}");
            assert!(standard > whole + 0.01, "{m} of {seen:?}: {standard} {whole}");
        }
    }
}

#[test]
fn the_fair_loss_of_a_fixed_ensemble_rewards_a_dishonest_report() {
    let world = World { outcomes: vec![0.0, 1.0, 2.0], caps: vec![None] };
    let fair = |f: &[f64]| world.expected(|y| ensemble(f).fair_crps_loss(y).unwrap());
    assert!(fair(&[0.0, 1.0, 2.0]) > 0.2);
    assert_eq!(fair(&[0.0, 2.0]), 0.0);
}

#[test]
fn an_infinite_forecast_has_an_infinite_loss_and_nan_is_refused() {
    let (free, capped) = (exact(3.0), watched(3.0, Some(8.0)));
    let loss = |f, y| pinball_loss(f, y, level(0.25)).unwrap();
    assert_eq!(loss(f64::INFINITY, free), f64::INFINITY);
    assert_eq!(loss(f64::NEG_INFINITY, free), f64::INFINITY);
    assert_eq!(loss(f64::INFINITY, capped), 0.75 * 5.0);
    assert_eq!(loss(f64::NEG_INFINITY, capped), f64::INFINITY);
    for seen in [free, capped] {
        let error = pinball_loss(f64::NAN, seen, level(0.25)).unwrap_err();
        assert!(matches!(error, Error::NotANumber { what: "the forecast", .. }), "{error}");
    }
}

#[test]
fn numbers_too_far_apart_give_infinite_losses_and_not_nan() {
    let far = [-f64::MAX, f64::MAX];
    for seen in [exact(f64::MAX), exact(0.0), exact(-f64::MAX), watched(0.0, Some(f64::MAX))] {
        let losses = [
            pinball_loss(far[0], seen, Level::HALF).unwrap(),
            interval_loss(Interval::new(far[0], far[1]).unwrap(), seen, Level::HALF),
            quantiles(&[0.2, 0.8], &far).crps_loss(seen),
            ensemble(&far).crps_loss(seen),
            ensemble(&far).fair_crps_loss(seen).unwrap(),
        ];
        assert!(losses.iter().all(|&loss| loss >= 0.0), "{seen:?}: {losses:?}");
    }
    assert_eq!(ensemble(&far).fair_crps_loss(exact(f64::MAX)), Ok(0.0));
}

#[test]
fn the_loss_of_an_infinite_interval_is_infinite_unless_a_cap_replaces_the_end() {
    let infinity = f64::INFINITY;
    let loss =
        |low, high, outcome| interval_loss(Interval::new(low, high).unwrap(), outcome, Level::HALF);
    for (low, high) in
        [(-infinity, 5.0), (0.0, infinity), (-infinity, -infinity), (infinity, infinity)]
    {
        assert_eq!(loss(low, high, exact(3.0)), infinity, "{low} {high}");
    }
    assert_eq!(loss(0.0, infinity, watched(3.0, Some(10.0))), 10.0);
}

//! Murphy curves: comparison with exact fractions (`golden/murphy.py`), with brute force, and with
//! scores that are areas under the curves.

use proptest::prelude::*;
use scoring_rules::{
    BetaScore, Corp, Dominance, Error, Level, MurphyCurve, ScoringRule, TiedBlocks,
};
use statrs::function::beta::{beta, beta_reg};

use crate::common::{
    Row, blocks, copied, data_sets, golden, level, named, number, numbers, recalibrated, weight,
};

fn curve(rows: &[Row]) -> MurphyCurve {
    MurphyCurve::new(&blocks(rows)).unwrap()
}

fn mean_loss(rule: &dyn ScoringRule, rows: &[Row]) -> f64 {
    Corp::new(rule, &blocks(rows)).unwrap().mean_loss
}

/// The cost of the rows at threshold c by the definition, where `acts` decides on the forecast.
fn cost(rows: &[Row], c: f64, acts: impl Fn(f64) -> bool) -> f64 {
    let total: f64 = rows.iter().map(|row| row.2).sum();
    let of = |&(p, y, w): &Row| match (acts(p), y) {
        (true, false) => w * c,
        (false, true) => w * (1.0 - c),
        _ => 0.0,
    };
    rows.iter().map(of).sum::<f64>() / total
}

/// The linear pieces of the curve: the start, the end, and the values there.
fn pieces(rows: &[Row]) -> Vec<[f64; 4]> {
    let curve = curve(rows);
    let mut ends: Vec<f64> = rows.iter().map(|row| row.0).chain([0.0, 1.0]).collect();
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    let at = |c: f64| curve.at(level(c.max(5e-324)));
    let piece = |ends: &[f64]| [ends[0], ends[1], at(ends[0]), at(ends[1].next_down())];
    ends.windows(2).map(piece).collect()
}

#[test]
fn curves_equal_exact_fractions_to_1e_12() {
    let sets = data_sets();
    let (mut worst, mut seen) = (0.0_f64, 0);
    for line in golden(include_str!("../golden/murphy.csv")) {
        let [set, c, exact] = line[..] else { panic!("{line:?}") };
        let value = curve(&sets[set]).at(level(number(c)));
        let error = (value - number(exact)).abs() / number(exact);
        assert!(error <= 1e-12, "{line:?}: {value}");
        (worst, seen) = (worst.max(error), seen + 1);
    }
    assert_eq!(seen, 124);
    println!("largest relative error of a point {worst:.1e}");
}

fn rows(
    forecast: impl Strategy<Value = f64>,
    weight: impl Strategy<Value = f64>,
) -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((forecast, any::<bool>(), weight), 1..30)
}

fn forecast() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..=1.0_f64, (0..=10_u32).prop_map(|p| f64::from(p) / 10.0)]
}

fn sixteenth() -> impl Strategy<Value = f64> {
    (0..=16_u32).prop_map(|p| f64::from(p) / 16.0)
}

proptest! {
    #[test]
    fn a_curve_agrees_with_brute_force_on_both_sides_of_every_breakpoint(
        rows in rows(forecast(), weight()),
        thresholds in prop::collection::vec(1e-6..0.999_999_f64, 20),
    ) {
        let curve = curve(&rows);
        let near = rows.iter().flat_map(|&(p, ..)| [p.next_down(), p, p.next_up()]);
        for c in thresholds.into_iter().chain(near).filter(|c| (5e-324..1.0).contains(c)) {
            let (value, brute) = (curve.at(level(c)), cost(&rows, c, |p| p > c));
            prop_assert!((value - brute).abs() <= 1e-14, "{c}: {value} {brute}");
        }
    }

    #[test]
    fn the_area_weighted_with_a_beta_density_is_the_beta_loss(
        rows in rows(forecast(), weight()),
        alpha in 0.1..6.0_f64,
        beta_ in 0.1..6.0_f64,
    ) {
        // The integral of c^(a-1) (1-c)^(b-1) over a piece.
        let moment = |a: f64, b: f64, start: f64, end: f64| {
            beta(a, b) * (beta_reg(a, b, end) - beta_reg(a, b, start))
        };
        let of_piece = |[start, end, at_start, at_end]: [f64; 4]| {
            // A linear function is a c + b (1 - c).
            let slope = (at_end - at_start) / (end - start);
            let at_zero = at_start - slope * start;
            let at_one = at_zero + slope;
            at_one * moment(alpha + 1.0, beta_, start, end)
                + at_zero * moment(alpha, beta_ + 1.0, start, end)
        };
        let area: f64 = pieces(&rows).into_iter().map(of_piece).sum();
        let loss = mean_loss(&BetaScore::new(alpha, beta_).unwrap(), &rows);
        prop_assert!((area - loss).abs() <= 1e-11, "{area} {loss}");
    }

    #[test]
    fn dominance_agrees_with_a_fine_grid_of_exact_thresholds(
        rows in prop::collection::vec((sixteenth(), sixteenth(), any::<bool>(), 1..4_u32), 1..6),
    ) {
        let [first, second] = [0, 1].map(|i| {
            rows.iter().map(|&(p, q, y, w)| ([p, q][i], y, f64::from(w))).collect::<Vec<Row>>()
        });
        // All numbers are small integers, so that sums and signs are exact. If two lines cross
        // between sixteenths, they cross at a multiple of 1/k with k at most 30, so that no range
        // of one sign is shorter than 1/480.
        let cost = |rows: &[Row], c: i64| -> i64 {
            let of = |&(p, y, w): &Row| match ((p * 4096.0) as i64 > c, y) {
                (true, false) => w as i64 * c,
                (false, true) => w as i64 * (4096 - c),
                _ => 0,
            };
            rows.iter().map(of).sum()
        };
        let differences: Vec<i64> =
            (1..4096).map(|c| cost(&first, c) - cost(&second, c)).collect();
        let first_wins = differences.iter().any(|&d| d < 0);
        let second_wins = differences.iter().any(|&d| d > 0);
        let (a, b) = (curve(&first), curve(&second));
        match a.compare(&b).unwrap() {
            Dominance::Equal => prop_assert!(!first_wins && !second_wins),
            Dominance::First => prop_assert!(first_wins && !second_wins),
            Dominance::Second => prop_assert!(!first_wins && second_wins),
            Dominance::Neither { first_better, second_better } => {
                prop_assert!(first_wins && second_wins);
                prop_assert!(a.at(first_better) < b.at(first_better));
                prop_assert!(a.at(second_better) > b.at(second_better));
            }
        }
        let turned = match a.compare(&b).unwrap() {
            Dominance::First => Dominance::Second,
            Dominance::Second => Dominance::First,
            Dominance::Neither { first_better, second_better } => {
                Dominance::Neither { first_better: second_better, second_better: first_better }
            }
            Dominance::Equal => Dominance::Equal,
        };
        prop_assert_eq!(b.compare(&a).unwrap(), turned);
    }

    #[test]
    fn the_dominating_forecaster_has_the_smaller_loss_under_every_proper_rule(
        rows in prop::collection::vec((forecast(), forecast(), any::<bool>(), weight()), 1..5),
    ) {
        let [first, second] = [0, 1].map(|i| {
            rows.iter().map(|&(p, q, y, w)| ([p, q][i], y, w)).collect::<Vec<Row>>()
        });
        let (better, worse) = match curve(&first).compare(&curve(&second)).unwrap() {
            Dominance::First => (&first, &second),
            Dominance::Second => (&second, &first),
            _ => return Ok(()),
        };
        loses_less(better, worse)?;
    }

    #[test]
    fn isotonic_recalibration_dominates_for_any_weights(rows in rows(forecast(), weight())) {
        let recalibrated = recalibrated(&rows);
        match curve(&recalibrated).compare(&curve(&rows)).unwrap() {
            Dominance::First => loses_less(&recalibrated, &rows)?,
            other => prop_assert_eq!(other, Dominance::Equal),
        }
    }

    #[test]
    fn curves_do_not_depend_on_the_order_of_rows_or_on_copies_in_place_of_weights(
        rows in rows(forecast(), (1..4_u32).prop_map(f64::from)),
    ) {
        let mut copied = copied(&rows);
        copied.reverse();
        prop_assert_eq!(curve(&rows), curve(&copied));
        prop_assert_eq!(curve(&rows).compare(&curve(&copied)), Ok(Dominance::Equal));
    }
}

fn loses_less(better: &[Row], worse: &[Row]) -> Result<(), TestCaseError> {
    let rules = "log brier beta:2,4 beta:4,2 beta:0.5,1.7 beta:-0.5,-0.5 beta:9.5,30";
    for (name, rule) in named(rules) {
        let (better, worse) = (mean_loss(&*rule, better), mean_loss(&*rule, worse));
        prop_assert!(better <= worse * (1.0 + 1e-12), "{name}: {better} {worse}");
    }
    Ok(())
}

#[test]
fn a_lead_of_one_row_at_one_threshold_is_found_and_curves_that_touch_do_not_cross() {
    // Forecasts of the same outcomes that differ by one unit in the last place: the lower forecast
    // of a failure is better.
    let above = 0.3_f64.next_up();
    let many = (0.7, true, 4e15);
    let (low, high) = (curve(&[(0.3, false, 1.0), many]), curve(&[(above, false, 1.0), many]));
    assert_eq!(low.compare(&high), Ok(Dominance::First));
    assert_eq!(high.compare(&low), Ok(Dominance::Second));
    assert_eq!(low.compare(&low), Ok(Dominance::Equal));
    // At the last threshold below 1, a missed success has almost no cost.
    let [certain, below] = [1.0, 1.0_f64.next_down()].map(|p| curve(&[(p, true, 1.0)]));
    assert_eq!(certain.compare(&below), Ok(Dominance::First));
    assert_eq!(below.compare(&certain), Ok(Dominance::Second));

    // One success and one failure: if only one of two forecasters acts, the curves differ by 1 - 2c
    // and touch at 1/2, from the left or from the right.
    let both = |p: f64| curve(&[(p, true, 1.0), (p, false, 1.0)]);
    assert_eq!(both(0.75).compare(&both(0.5)), Ok(Dominance::Second));
    assert_eq!(both(0.5).compare(&both(0.25)), Ok(Dominance::First));
    let Ok(Dominance::Neither { first_better, second_better }) = both(0.75).compare(&both(0.25))
    else {
        panic!("1 - 2c has both signs between 1/4 and 3/4");
    };
    assert!(first_better < Level::HALF && Level::HALF < second_better);
}

#[test]
fn a_lead_at_small_thresholds_is_found_next_to_a_larger_lead_of_the_other() {
    // The first misses one success, and the second acts on 1e8 failures, which costs less below
    // 1e-8.
    let rows = |p: f64| curve(&[(p, true, 1.0), (p, false, 1e8)]);
    let Ok(Dominance::Neither { first_better, second_better }) = rows(0.0).compare(&rows(3e-8))
    else {
        panic!("1e8 c - (1 - c) has both signs between 0 and 3e-8");
    };
    assert!(second_better.get() < 1e-8 && first_better.get() > 1e-8);
}

#[test]
fn integer_weights_are_compared_exactly_and_fractions_except_for_rounding() {
    let parts = numbers(
        "6284471.8 9113296.7 9019278.7 8627665.7 9896432.6 4979825.1 \
         2151317.8 694879.3 4646915.6 436174.9 2913230.4 2791298.4",
    );
    let whole = 61_554_787.0;
    assert_ne!(parts.iter().sum::<f64>(), whole);
    let rows = |p: f64, weights: &[f64]| -> Vec<Row> {
        weights.iter().flat_map(|&w| [(p, false, w), (0.7, true, w)]).collect()
    };
    let (one, many) = (curve(&rows(0.2, &[whole])), curve(&rows(0.2, &parts)));
    assert_eq!(one.compare(&many), Ok(Dominance::Equal));
    assert_eq!(many.compare(&one), Ok(Dominance::Equal));
    assert_eq!(many.compare(&curve(&rows(0.3, &[whole]))), Ok(Dominance::First));
}

#[test]
fn the_reported_threshold_is_one_with_a_large_lead() {
    // The second has a false alarm from 1/4 to 1/2, and the first from 3/4 to 7/8.
    let first = curve(&[(0.25, false, 1.0), (0.875, false, 1.0)]);
    let second = curve(&[(0.5, false, 1.0), (0.75, false, 1.0)]);
    let named = Dominance::Neither { first_better: level(0.375), second_better: level(0.8125) };
    assert_eq!(first.compare(&second), Ok(named));
}

#[test]
fn recalibration_to_a_rounded_rate_dominates() {
    // The curves cross just below 1/3, which is not an f64.
    let rows = |p: f64| [(p, true, 1.0), (p, false, 2.0)];
    for given in [0.2, 0.9] {
        let recalibrated = curve(&rows(1.0 / 3.0));
        assert_eq!(recalibrated.compare(&curve(&rows(given))), Ok(Dominance::First));
    }
}

#[test]
fn forecasts_of_different_outcomes_cannot_be_compared() {
    let one = curve(&[(0.2, false, 1.0), (0.8, true, 2.0)]);
    let other = curve(&[(0.2, false, 1.0), (0.8, true, 1.0)]);
    let error = one.compare(&other).unwrap_err();
    assert!(matches!(error, Error::OutcomesDiffer { outcome: true, first: 2.0, second: 1.0, .. }));
    assert_eq!(
        error.to_string(),
        "the weight of successes is 2 in the first input and 1 in the second; compare forecasts of \
         the same rows"
    );
    let halved = curve(&[(0.2, false, 0.5), (0.8, true, 2.0)]);
    assert!(matches!(one.compare(&halved), Err(Error::OutcomesDiffer { outcome: false, .. })));
    // A difference of one in ten million exceeds rounding, also for weights that are not integers.
    let [one, other] = [0.5, 1.5].map(|w| curve(&[(0.2, false, 1e7 + w), (0.8, true, 1e7)]));
    assert!(matches!(one.compare(&other), Err(Error::OutcomesDiffer { outcome: false, .. })));
    assert_eq!(MurphyCurve::new(&TiedBlocks::default()), Err(Error::Empty));
}

#[test]
fn forecasts_of_0_and_1_give_the_same_value_everywhere() {
    let certain = curve(&[(0.0, true, 1.0), (1.0, false, 1.0), (1.0, true, 2.0)]);
    for c in [5e-324, 0.5, 1.0_f64.next_down()] {
        assert_eq!(certain.at(level(c)), 0.25);
    }
    let right = curve(&[(0.0, false, 1.0), (1.0, true, 3.0)]);
    assert_eq!(right.at(Level::HALF), 0.0);
}

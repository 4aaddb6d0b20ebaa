//! Scores of many rows at once compared with one row at a time.

use proptest::prelude::*;
use scoring_rules::{
    BrierScore, Error, ExactMean, Level, LogScore, PowerScore, Probability, ScoringRule, from_fn,
    mean_score, score_slice,
};

use crate::common::{Named, Row, close, copied, named, probabilities, weights_of};

fn rules() -> Vec<Named> {
    let mut rules = named(
        "log log:1e-6 log:0.1 log:1e-100 brier beta:2,4 beta:0,0 beta:0.5,1.7 \
         beta:-0.5,0 spherical boosting power:1.5,0.3 pseudospherical:1.5,0.3",
    );
    let closure = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).abs());
    rules.push(("closure".into(), Box::new(closure)));
    rules
}

fn forecast() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => 0.0..=1.0_f64,
        1 => (-750.0..0.0_f64).prop_map(f64::exp),
        1 => (-40.0..0.0_f64).prop_map(|x| 1.0 - x.exp()),
        1 => prop_oneof![Just(0.0), Just(1.0), Just(0.5), Just(5e-324), Just(1e-6)],
    ]
}

proptest! {
    #[test]
    fn a_slice_has_the_score_of_each_row(
        rows in prop::collection::vec((forecast(), any::<bool>()), 0..300),
    ) {
        let (values, outcomes): (Vec<f64>, Vec<bool>) = rows.into_iter().unzip();
        let forecasts = probabilities(&values);
        let mut scores = vec![f64::NAN; values.len()];
        for (name, rule) in rules() {
            score_slice(&*rule, forecasts, &outcomes, &mut scores).unwrap();
            for ((&score, &p), &outcome) in scores.iter().zip(forecasts).zip(&outcomes) {
                let single = rule.score(p, outcome);
                prop_assert!(close(score, single, 1e-15), "{}: {} {} {}", name, p, score, single);
            }
        }
    }

    #[test]
    fn a_mean_is_the_mean_of_the_scores_in_any_order_and_a_weight_of_two_is_a_row_twice(
        rows in prop::collection::vec(
            (forecast(), any::<bool>(), (0..4_u32).prop_map(f64::from)),
            1..3000,
        ),
        turn in any::<prop::sample::Index>(),
    ) {
        let copies = copied(&rows);
        prop_assume!(!copies.is_empty());
        let mut turned = rows.clone();
        turned.rotate_left(turn.index(rows.len()));
        let mean = |rule: &dyn ScoringRule, rows: &[Row], weighted: bool| {
            let (forecasts, outcomes, weights): (Vec<_>, Vec<_>, Vec<_>) = rows.iter().copied().collect();
            let weights = weighted.then_some(weights_of(&weights));
            mean_score(rule, probabilities(&forecasts), &outcomes, weights).unwrap()
        };
        for (name, rule) in rules() {
            let score = |row: &Row| rule.score(Probability::new(row.0).unwrap(), row.1);
            let exact = rows.iter().map(score).collect::<ExactMean>().finish().unwrap();
            let plain = mean(&*rule, &rows, false);
            for (one, other) in [
                (plain, exact),
                (plain, mean(&*rule, &turned, false)),
                (mean(&*rule, &rows, true), mean(&*rule, &copies, false)),
            ] {
                prop_assert!(close(one, other, 1e-12), "{}: {} {}", name, one, other);
            }
        }
    }
}

#[test]
fn a_mean_of_nearly_right_forecasts_keeps_its_digits() {
    for error in [1e-3, 1e-6, 1e-9, 1e-15] {
        for n in [1, 8, 500, 2048] {
            let values = vec![1.0 - error; n];
            let forecasts = probabilities(&values);
            let exact = f64::ln_1p(values[0] - 1.0);
            let mean = mean_score(&LogScore::exact(), forecasts, &vec![true; n], None).unwrap();
            assert!(close(mean, exact, 1e-12), "{error} {n}: {mean} {exact}");
        }
    }
}

/// The difference in units in the last place of the second number.
fn ulps(a: f64, b: f64) -> f64 {
    (a - b).abs() / (b.abs() - b.abs().next_down())
}

#[test]
fn logs_of_rows_are_within_two_units_in_the_last_place() {
    // origin of the reference: the standard library's ln and ln_1p, themselves within one unit; half a
    // million forecasts, evenly and near both ends.
    let mut values: Vec<f64> = (1..400_000).map(|i| f64::from(i) / 400_000.0).collect();
    values.extend((0..100_000).map(|i| (-f64::from(i) * 7e-3).exp()));
    values.extend((0..100_000).map(|i| 1.0 - (-f64::from(i) * 3.6e-4).exp()));
    values.retain(|&p| p > 0.0);
    let forecasts = probabilities(&values);
    let mut worst = 0.0_f64;
    for outcome in [false, true] {
        let mut scores = vec![0.0; values.len()];
        score_slice(&LogScore::exact(), forecasts, &vec![outcome; values.len()], &mut scores)
            .unwrap();
        for (&score, &p) in scores.iter().zip(&values) {
            // Of a p below one half, 1 - p is rounded; of one above, its logarithm needs p - 1.
            let exact = match (outcome, p < 0.5) {
                (true, true) => p.ln(),
                (true, false) => (p - 1.0).ln_1p(),
                (false, true) => (-p).ln_1p(),
                (false, false) => (1.0 - p).ln(),
            };
            if exact != score {
                worst = worst.max(ulps(score, exact));
            }
        }
    }
    assert!(worst <= 2.0, "{worst}");
}

#[test]
fn the_score_of_a_row_does_not_depend_on_the_rows_beside_it() {
    // A forecast of 0 and a subnormal one, which the fast logarithm does not read, among 200 others.
    let mut values: Vec<f64> = (0..200).map(|i| f64::from(i * 37 % 200) / 200.0).collect();
    values.extend([0.0, 5e-324, 1.0]);
    let forecasts = probabilities(&values);
    let outcomes: Vec<bool> = (0..values.len()).map(|i| i % 2 == 0).collect();
    for rule in [LogScore::exact(), LogScore::clipped(1e-6).unwrap()] {
        let mut scores = vec![0.0; values.len()];
        score_slice(&rule, forecasts, &outcomes, &mut scores).unwrap();
        for (row, score) in scores.iter().enumerate() {
            let mut alone = [0.0];
            score_slice(&rule, &forecasts[row..=row], &outcomes[row..=row], &mut alone).unwrap();
            assert_eq!(alone[0].to_bits(), score.to_bits(), "row {row}");
        }
    }
}

#[test]
fn a_row_of_weight_zero_does_not_count_even_if_its_score_is_infinite() {
    let mean = |weights| {
        let forecasts = probabilities(&[0.0, 0.5]);
        mean_score(&LogScore::exact(), forecasts, &[true, true], weights).unwrap()
    };
    assert_eq!(mean(Some(weights_of(&[0.0, 3.0]))), 0.5_f64.ln());
    assert_eq!(mean(None), f64::NEG_INFINITY);
}

#[test]
fn rows_that_do_not_go_together_are_refused_and_nothing_is_written() {
    let forecasts = probabilities(&[0.5; 3]);
    let mut scores = [7.0; 3];
    let length = |what, found| scoring_rules::checks::length(what, 3, found);
    let error = score_slice(&BrierScore, forecasts, &[true; 2], &mut scores).unwrap_err();
    assert_eq!(error, length("outcomes", 2));
    let error = score_slice(&BrierScore, forecasts, &[true; 3], &mut scores[..1]).unwrap_err();
    assert_eq!(error, length("scores", 1));
    assert_eq!(scores, [7.0; 3]);
    let mean = |weights| mean_score(&BrierScore, forecasts, &[true; 3], Some(weights));
    assert_eq!(mean(weights_of(&[1.0])), Err(length("weights", 1)));
    assert_eq!(mean(weights_of(&[0.0; 3])), Err(Error::Empty));
    assert_eq!(mean_score(&BrierScore, forecasts, &[true; 2], None), Err(length("outcomes", 2)));
    assert_eq!(mean_score(&BrierScore, &[], &[], None), Err(Error::Empty));

    // Plus and minus infinity have no mean.
    let rule = PowerScore::new(-1.0, Level::HALF).unwrap();
    let forecasts = probabilities(&[1.0, 0.0]);
    let error = mean_score(&rule, forecasts, &[true, true], None).unwrap_err();
    assert!(matches!(error, Error::NotFinite { what: "the mean score", .. }), "{error}");
}

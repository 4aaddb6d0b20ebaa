//! Values are read from JSON as they were written, and invalid values are refused.
#![cfg(feature = "serde")]
#![allow(clippy::panic, clippy::unwrap_used)]

mod weighted_rows;

use std::fmt::Debug;

use proptest::prelude::*;
use scoring_rules::{
    BetaScore, Binning, BoostingScore, BrierScore, Categorical, CompensatedSum, Corp,
    Decomposition, Dominance, ElementaryScore, Ensemble, Error, ExactMean, ExactSum, Interval,
    Level, LogScore, LossDerivatives, MurphyCurve, MurphyPiece, PooledBlocks, PowerScore,
    Probability, PseudosphericalScore, ScoringRule, SmoothRule, SphericalScore, ThresholdMixture,
    TiedBlocks, Weight, corp, decompose, from_fn,
    loops::StepWeights,
    pool_adjacent_violators,
    propriety::{examine, examine_interval},
};
use serde::{Serialize, de::DeserializeOwned};
use weighted_rows::{blocks, weight};

fn level(value: f64) -> Level {
    Level::new(value).unwrap()
}

/// The value after writing and reading.
fn again<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[track_caller]
fn round_trips<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    assert_eq!(again(value), *value);
}

#[track_caller]
fn written<T: Serialize>(value: &T, text: &str) {
    assert_eq!(serde_json::to_string(value).unwrap(), text);
}

/// Checks that each text is refused with a message that contains the text next to it.
#[track_caller]
fn refused<T: DeserializeOwned + Debug>(texts: &[(&str, &str)]) {
    for (text, says) in texts {
        let message = serde_json::from_str::<T>(text).unwrap_err().to_string();
        assert!(message.contains(says), "{text}: {message}");
    }
}

#[test]
fn rules_are_written_as_their_parameters() {
    written(&LogScore::exact(), r#"{"clip":null}"#);
    written(&LogScore::clipped(1e-6).unwrap(), r#"{"clip":1e-6}"#);
    written(&BrierScore, r#""brier_score""#);
    written(&SphericalScore, r#""spherical_score""#);
    written(&BoostingScore, r#""boosting_score""#);
    written(&BetaScore::new(2.0, 4.0).unwrap(), r#"{"alpha":2.0,"beta":4.0}"#);
    let power = PowerScore::new(2.0, level(0.25)).unwrap();
    written(&power, r#"{"power":2.0,"baseline":0.25}"#);
    let elementary = ElementaryScore::new(level(0.25));
    written(&elementary, r#"{"threshold":0.25,"false_alarm":0.25,"miss":0.75}"#);
    let mixture =
        ThresholdMixture::new(&[(level(0.75), Weight::from(2)), (level(0.25), Weight::ONE)])
            .unwrap();
    written(&mixture, r#"{"thresholds":[[0.25,1.0],[0.75,2.0]]}"#);
    written(&StepWeights::Falling, r#""falling""#);
    for weights in [StepWeights::Equal, StepWeights::Falling, StepWeights::Rising] {
        round_trips(&weights);
    }
    round_trips(&BrierScore);
    round_trips(&SphericalScore);
    round_trips(&BoostingScore);
    round_trips(&LogScore::exact());
    round_trips(&mixture);
}

#[test]
fn rules_with_invalid_parameters_cannot_be_read() {
    refused::<LogScore>(&[
        (r#"{"clip":0.5}"#, "eps is 0.5"),
        (r#"{"clip":0.0}"#, "eps is 0"),
        (r#"{"clip":-1e-6}"#, "eps is -0.000001"),
        ("{}", "missing field `clip`"),
        (r#"{"clip":null,"eps":1e-6}"#, "unknown field `eps`"),
    ]);
    refused::<BrierScore>(&[(r#""log_score""#, "unknown variant"), ("null", "")]);
    refused::<BetaScore>(&[
        (r#"{"alpha":-1.0,"beta":1.0}"#, "alpha is -1"),
        (r#"{"alpha":1.0,"beta":1e5}"#, "beta is 100000"),
        (r#"{"alpha":1.0}"#, "missing field `beta`"),
    ]);
    refused::<PowerScore>(&[
        (r#"{"power":11.0,"baseline":0.5}"#, "power is 11"),
        (r#"{"power":2.0,"baseline":0.9999}"#, "baseline is 0.9999"),
    ]);
    refused::<PseudosphericalScore>(&[(r#"{"power":2.0,"baseline":1.0}"#, "below 1")]);
    refused::<ElementaryScore>(&[
        (r#"{"threshold":0.25,"false_alarm":1.0,"miss":1.0}"#, "threshold is 0.25"),
        (r#"{"threshold":0.25,"false_alarm":-0.25,"miss":0.75}"#, "false_alarm is -0.25"),
    ]);
    refused::<ThresholdMixture>(&[
        (r#"{"thresholds":[]}"#, "the input is empty"),
        (r#"{"thresholds":[[0.5,-1.0]]}"#, "weight is -1"),
        (r#"{"thresholds":[[0.0,1.0]]}"#, "above 0 and below 1"),
    ]);
}

#[test]
fn borrowed_settings_are_written() {
    let inner = [Probability::HALF];
    written(&Binning::EqualWidth { bins: 10 }, r#"{"equal_width":{"bins":10}}"#);
    written(&Binning::Edges { inner: &inner }, r#"{"edges":{"inner":[0.5]}}"#);
    written(&Binning::Distinct, r#""distinct""#);
    written(
        &Categorical::new(Probability::from_slice(&[0.25, 0.75]).unwrap()).unwrap(),
        "[0.25,0.75]",
    );
}

#[test]
fn an_infinite_term_is_written_as_text_and_a_nan_is_refused() {
    let wrong = blocks(&[(0.0, true, 1.0), (0.5, false, 1.0)]);
    let parts = corp(&LogScore::exact(), &wrong).unwrap();
    let text = serde_json::to_string(&parts).unwrap();
    assert!(text.starts_with(r#"{"mean_loss":"inf","miscalibration":"inf","#), "{text}");
    round_trips(&parts);
    round_trips(&decompose(&LogScore::exact(), &wrong, Binning::Distinct).unwrap());
    round_trips(&LogScore::exact().loss_in_probability(Probability::ZERO, true));
    let of = |loss: &str, lost: &str| {
        format!(
            r#"{{"mean_loss":{loss},"miscalibration":{lost},"discrimination":0,"uncertainty":0}}"#
        )
    };
    let read = |loss: &str, lost: &str| {
        serde_json::from_str::<Corp>(&of(loss, lost)).map_err(|error| error.to_string())
    };
    assert_eq!(read("1", "1").unwrap().mean_loss, 1.0);
    for (loss, lost, says) in [
        (r#""nan""#, "1", "a number, \"inf\" or \"-inf\""),
        ("null", "1", "a number, \"inf\" or \"-inf\""),
        (r#""Infinity""#, "1", "a number, \"inf\" or \"-inf\""),
        (r#""inf""#, "1", "the terms sum to 1, but the mean loss is inf"),
        ("1", r#""inf""#, "the terms sum to inf, but the mean loss is 1"),
        (r#""inf""#, r#""-inf""#, "the terms sum to -inf"),
    ] {
        let message = read(loss, lost).unwrap_err();
        assert!(message.contains(says), "{loss} {lost}: {message}");
    }
}

#[test]
fn impossible_results_cannot_be_read() {
    refused::<Decomposition>(&[(r#"{"mean_loss":1}"#, "missing field")]);
    refused::<PooledBlocks>(&[
        (r#"{"blocks":{"start":1,"end":1},"failures":1,"successes":1}"#, "blocks of a pool: 0"),
        (r#"{"blocks":{"start":0,"end":1},"failures":-1,"successes":1}"#, "failures is -1"),
        (r#"{"blocks":{"start":0,"end":1},"failures":0,"successes":0}"#, "positive weight"),
    ]);
    refused::<Dominance>(&[
        (r#"{"neither":{"first_better":0.0,"second_better":0.5}}"#, "above 0 and below 1"),
        (r#""third""#, "unknown variant"),
    ]);
    refused::<MurphyPiece>(&[
        (
            r#"{"start":0.5,"end":0.5,"at_start":0,"at_end":0}"#,
            "start and end, entry 1: 0.5 after 0.5",
        ),
        (
            r#"{"start":0,"end":0.5,"at_start":2,"at_end":0}"#,
            "at_start is 2; it must be from 0 to 1",
        ),
    ]);
    let piece = |start: f64, alarms: f64, misses: f64| {
        format!(r#"{{"start":{start},"false_alarms":{alarms},"misses":{misses}}}"#)
    };
    let curve = |pieces: &[String]| {
        let pieces = pieces.join(",");
        let text = format!(r#"{{"failures":3,"successes":2,"pieces":[{pieces}]}}"#);
        serde_json::from_str::<MurphyCurve>(&text).map_err(|error| error.to_string())
    };
    assert!(curve(&[piece(0.0, 3.0, 0.0), piece(0.5, 0.0, 2.0)]).is_ok());
    for (pieces, says) in [
        (vec![], "pieces: 0 given, at least 1 needed"),
        (vec![piece(0.25, 3.0, 0.0)], "start is 0.25; it must be 0 for the first piece"),
        (vec![piece(0.0, 4.0, 0.0)], "false_alarms is 4"),
        (vec![piece(0.0, 3.0, -1.0)], "misses is -1"),
        (vec![piece(0.0, 3.0, 0.0), piece(1.0, 3.0, 0.0)], "start is 1"),
        (vec![piece(0.0, 3.0, 0.0), piece(0.0, 3.0, 0.0)], "starts, entry 1: 0 after 0"),
        (vec![piece(0.0, 3.0, 1.0), piece(0.5, 3.0, 0.0)], "misses, entry 1: 0 after 1"),
        (vec![piece(0.0, 2.0, 0.0), piece(0.5, 3.0, 0.0)], "false_alarms is 3"),
    ] {
        let message = curve(&pieces).unwrap_err();
        assert!(message.contains(says), "{message}");
    }
    refused::<MurphyCurve>(&[
        (r#"{"failures":0,"successes":0,"pieces":[]}"#, "positive weight"),
        (r#"{"failures":-1,"successes":2,"pieces":[]}"#, "failures is -1"),
    ]);
}

#[test]
fn terms_that_do_not_add_up_to_the_mean_loss_are_refused() {
    let corp = |loss: f64, miscalibration: f64, uncertainty: f64| {
        serde_json::from_str::<Corp>(&format!(
            r#"{{"mean_loss":{loss:e},"miscalibration":{miscalibration:e},"discrimination":0,
                "uncertainty":{uncertainty:e}}}"#
        ))
        .map_err(|error| error.to_string())
    };
    let binned = |loss: f64, reliability: f64, within_bin: f64| {
        serde_json::from_str::<Decomposition>(&format!(
            r#"{{"mean_loss":{loss:e},"reliability":{reliability:e},"resolution":0,"uncertainty":0,
                "within_bin":{within_bin:e}}}"#
        ))
        .map_err(|error| error.to_string())
    };
    let says = "the terms sum to 5, but the mean loss is 1";
    assert!(corp(1.0, 5.0, 0.0).unwrap_err().contains(says));
    assert!(binned(1.0, 5.0, 0.0).unwrap_err().contains(says));
    // The bound is 1e-9 of the largest term.
    assert!(corp(1e6, 1e6, 9e-4).is_ok() && corp(1e6, 1e6, 2e-3).is_err());
    assert!(binned(0.0, 1e6, -1e6 + 9e-4).is_ok() && binned(0.0, 1e6, -1e6 + 2e-3).is_err());
}

#[test]
fn blocks_of_ties_round_trip_and_are_checked_when_read() {
    let tied = blocks(&[(0.9, true, 2.0), (0.25, false, 1.0), (0.9, false, 0.5)]);
    written(
        &tied,
        r#"[{"confidence":0.25,"failures":1.0,"successes":0.0},{"confidence":0.9,"failures":0.5,"successes":2.0}]"#,
    );
    round_trips(&tied);
    round_trips(&tied.as_slice().to_vec());
    round_trips(&TiedBlocks::<Probability>::default());
    let read = again(&tied);
    assert_eq!((read.failures(), read.successes()), (tied.failures(), tied.successes()));
    round_trips(&TiedBlocks::from_scores(&[-2.5, 40.0], &[true, false], None).unwrap());
    let list = |blocks: &[(f64, f64, f64)]| {
        let block = |&(confidence, failures, successes): &(f64, f64, f64)| {
            format!(
                r#"{{"confidence":{confidence},"failures":{failures:e},"successes":{successes:e}}}"#
            )
        };
        format!("[{}]", blocks.iter().map(block).collect::<Vec<_>>().join(","))
    };
    refused::<TiedBlocks>(&[
        (
            &list(&[(0.5, 1.0, 0.0), (0.5, 1.0, 0.0)]),
            "block 1: the confidence 0.5 is not above 0.5",
        ),
        (
            &list(&[(0.5, 1.0, 0.0), (0.25, 1.0, 0.0)]),
            "block 1: the confidence 0.25 is not above 0.5",
        ),
        (&list(&[(0.5, -1.0, 2.0)]), "failures is -1"),
        (&list(&[(0.5, 1.0, 1e-200)]), "successes is 0.000"),
        (&list(&[(0.5, 0.0, 0.0)]), "positive weight"),
        (&list(&[(0.25, 1e308, 0.0), (0.5, 1e308, 0.0)]), "the weight of all blocks is inf"),
        (&list(&[(1.5, 1.0, 0.0)]), "1.5 is not a probability"),
        (r#"[{"confidence":0.5,"failures":1,"successes":0,"weight":1}]"#, "unknown field"),
    ]);
}

#[test]
fn examinations_are_written_with_infinite_gains_as_text() {
    let text = serde_json::to_string(&examine(&BrierScore).unwrap()).unwrap();
    assert!(text.starts_with(r#"{"verdict":"strictly_proper","certainty":{"reports":"#), "{text}");
    let endless = from_fn(
        |p: Probability, _: bool| {
            if p == Probability::ONE { 0.0 } else { f64::NEG_INFINITY }
        },
    );
    let text = serde_json::to_string(&examine(&endless).unwrap()).unwrap();
    assert!(text.contains(r#""gain":"inf""#), "{text}");
    let range = Interval::new(0.0, 10.0).unwrap();
    let infinite =
        |interval: Interval, y: f64| if interval.contains(y) { f64::NEG_INFINITY } else { 0.0 };
    let found = examine_interval(infinite, Level::HALF, range).unwrap();
    let text = serde_json::to_string(&found).unwrap();
    assert!(text.contains(r#""honest_score":"-inf""#), "{text}");
}

#[test]
fn sums_are_written_exactly_and_invalid_sums_are_refused() {
    let sum = |terms: &[f64]| terms.iter().copied().collect::<ExactSum>();
    written(&sum(&[]), r#"{"lowest":0,"digits":[]}"#);
    // 2^-1074, and 2^(32 * 34 - 1074) = 2^14.
    written(&sum(&[f64::from_bits(1)]), r#"{"lowest":0,"digits":[1]}"#);
    written(&sum(&[-3.0 * 16_384.0]), r#"{"lowest":34,"digits":[-3]}"#);
    written(&sum(&[f64::INFINITY, 1.0]), r#""inf""#);
    let message = serde_json::to_string(&sum(&[f64::NAN])).unwrap_err().to_string();
    assert!(message.contains("NaN cannot be stored"), "{message}");
    round_trips(&sum(&[f64::NEG_INFINITY]));
    round_trips(&sum(&[f64::MAX; 5]));
    round_trips(&sum(&[-f64::MAX, -f64::MAX, -1e-320]));
    refused::<ExactSum>(&[
        (r#"{"lowest":67,"digits":[1]}"#, "expected 0, found 1"),
        (r#"{"lowest":18446744073709551615,"digits":[1]}"#, "expected 0, found 1"),
        (r#"{"lowest":66,"digits":[1,1]}"#, "expected 1, found 2"),
        (r#"{"lowest":0,"digits":[4294967296]}"#, "digit is 4294967296"),
        (r#"{"lowest":0,"digits":[-9223372036854775808]}"#, "digit is -9223372036854776000"),
        (r#"{"lowest":0,"digits":[1.5]}"#, "an object with `lowest` and `digits`"),
        ("1.0", "sum is 1; it must be infinite unless"),
        (r#""nan""#, "an object with `lowest` and `digits`"),
    ]);
    let mean = r#"{"total":{"lowest":34,"digits":[1]},"count":0,"weight":WEIGHT}"#;
    let of = |weight: &str| mean.replace("WEIGHT", weight);
    refused::<ExactMean>(&[
        (&of(r#"{"lowest":0,"digits":[]}"#), "the input is empty"),
        (&of(r#"{"lowest":34,"digits":[-1]}"#), "weight is -16384"),
        (&of(r#""inf""#), "weight is inf"),
        (&of(r#""nan""#), "an object with `lowest` and `digits`"),
    ]);
    refused::<CompensatedSum>(&[
        (r#"{"sum":1.0,"error":"inf"}"#, "expected f64"),
        (r#"{"sum":"nan","error":0.0}"#, "a number, \"inf\""),
    ]);
    // The largest sums that can be read can be merged.
    let top = r#"{"lowest":66,"digits":[4294967295]}"#;
    let mut large: ExactSum = serde_json::from_str(top).unwrap();
    (0..1_000).for_each(|_| large.merge(&serde_json::from_str(top).unwrap()));
    assert_eq!(large.value(), f64::INFINITY);
    let text = format!(
        r#"{{"total":{top},"count":18446744073709551615,"weight":{{"lowest":0,"digits":[]}}}}"#
    );
    let mut mean: ExactMean = serde_json::from_str(&text).unwrap();
    mean.merge(&mean.clone());
    let error = mean.finish().unwrap_err();
    assert!(matches!(error, Error::NotFinite { what: "the sum of the values", .. }), "{error}");
    let mut infinite = CompensatedSum::default();
    [1.0, f64::NEG_INFINITY, 1.0].into_iter().for_each(|term| infinite.add(term));
    assert_eq!(again(&infinite).value(), f64::NEG_INFINITY);
}

/// Numbers with uniform exponents.
fn any_number() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("not a NaN", |x| !x.is_nan())
}

fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |x| x.is_finite())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn rules_of_any_parameters_come_back(
        (clip, alpha, beta) in (1e-99..0.499_f64, -0.999..20.0_f64, -0.999..20.0_f64),
        (power, baseline) in (-10.0..10.0_f64, 0.001..0.999_f64),
        (threshold, alarm, miss) in (1e-9..0.999_f64, 1e-3..1e3_f64, 1e-3..1e3_f64),
        points in prop::collection::vec((1e-9..0.999_f64, 1e-9..1e9_f64), 1..6),
    ) {
        round_trips(&LogScore::clipped(clip).unwrap());
        round_trips(&BetaScore::new(alpha, beta).unwrap());
        round_trips(&PowerScore::new(power, level(baseline)).unwrap());
        round_trips(&PseudosphericalScore::new(power, level(baseline)).unwrap());
        round_trips(&ElementaryScore::new(level(threshold)));
        round_trips(&ElementaryScore::with_costs(alarm, miss).unwrap());
        let points: Vec<(Level, Weight)> =
            points.iter().map(|&(c, w)| (level(c), Weight::new(w).unwrap())).collect();
        round_trips(&ThresholdMixture::new(&points).unwrap());
    }

    #[test]
    fn results_of_any_rows_round_trip(
        rows in prop::collection::vec((0.0..=1.0_f64, any::<bool>(), weight()), 1..30),
        others in prop::collection::vec(0.0..=1.0_f64, 30),
    ) {
        let one = blocks(&rows);
        for rule in [&LogScore::exact() as &dyn ScoringRule, &BrierScore, &BoostingScore] {
            round_trips(&corp(rule, &one).unwrap());
            round_trips(&decompose(rule, &one, Binning::EqualWidth { bins: 3 }).unwrap());
        }
        round_trips(&pool_adjacent_violators(&one));
        let curve = MurphyCurve::new(&one).unwrap();
        round_trips(&curve);
        round_trips(&curve.pieces().collect::<Vec<MurphyPiece>>());
        let other: Vec<_> = rows.iter().zip(others).map(|(row, p)| (p, row.1, row.2)).collect();
        let other = MurphyCurve::new(&blocks(&other)).unwrap();
        let found = curve.compare(&other).unwrap();
        round_trips(&found);
        prop_assert_eq!(again(&curve).compare(&again(&other)).unwrap(), found);
    }

    #[test]
    fn derivatives_and_sums_round_trip(
        [loss, gradient, curvature] in [any_number(), any_number(), any_number()],
        terms in prop::collection::vec(finite(), 0..40),
        more in prop::collection::vec((-1e9..1e9_f64, 1e-3..1e3_f64), 1..20),
    ) {
        round_trips(&LossDerivatives { loss, gradient, curvature });
        let exact: ExactSum = terms.iter().copied().collect();
        round_trips(&exact);
        prop_assert_eq!(again(&exact).value().to_bits(), exact.value().to_bits());
        let (mut mean, mut sum) = (ExactMean::default(), CompensatedSum::default());
        for (i, &(value, weight)) in more.iter().enumerate() {
            if i % 3 == 0 { mean.update(value) } else { mean.update_weighted(value, Weight::new(weight).unwrap()).unwrap() }
            sum.add(value);
        }
        round_trips(&mean);
        round_trips(&sum);
        // A stored sum continues with the same results.
        let (mut saved, mut saved_sum) = (again(&mean), again(&sum));
        saved.update(0.1);
        mean.update(0.1);
        saved_sum.add(0.1);
        sum.add(0.1);
        prop_assert_eq!(&saved, &mean);
        prop_assert_eq!(saved.finish().unwrap().to_bits(), mean.finish().unwrap().to_bits());
        prop_assert_eq!(saved_sum, sum);
    }

    #[test]
    fn ensembles_round_trip(
        members in prop::collection::vec((finite(), 1e-3..1e3_f64), 1..12),
    ) {
        let (each, weights): (Vec<f64>, Vec<f64>) = members.into_iter().unzip();
        round_trips(&Ensemble::new(&each, Some(Weight::from_slice(&weights).unwrap())).unwrap());
        round_trips(&Ensemble::new(&each, None).unwrap());
    }
}

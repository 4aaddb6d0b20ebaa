//! Values are read from JSON as they were written, and invalid values are refused.

use std::fmt::Debug;

use proptest::prelude::*;
use scoring_rules::{
    BetaScore, Binning, BoostingScore, BrierScore, CompensatedSum, Corp, DecimalSum,
    ElementaryScore, Ensemble, Error, ExactMean, ExactSum, Interval, Level, LogScore, Observed,
    OrderedScore, PowerScore, Probability, PseudosphericalScore, Quantiles, ScoringRule,
    SmoothRule, SphericalScore, StepWeights, ThresholdMixture, Weight, from_fn,
    propriety::Examination,
};
use serde::{Serialize, de::DeserializeOwned};

use crate::common::{blocks, finite, level, weight_of, weights_of};

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

/// Checks the text of a value, and that the value comes back from it.
#[track_caller]
fn stored<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, text: &str) {
    written(value, text);
    round_trips(value);
}

#[test]
fn rules_are_stored_as_their_parameters() {
    stored(&LogScore::exact(), r#"{"clip":null}"#);
    stored(&LogScore::clipped(1e-6).unwrap(), r#"{"clip":1e-6}"#);
    stored(&BrierScore, r#""brier_score""#);
    stored(&SphericalScore, r#""spherical_score""#);
    stored(&BoostingScore, r#""boosting_score""#);
    stored(&BetaScore::new(2.0, 4.0).unwrap(), r#"{"alpha":2.0,"beta":4.0}"#);
    let power = PowerScore::new(2.0, level(0.25)).unwrap();
    stored(&power, r#"{"power":2.0,"baseline":0.25}"#);
    stored(&ElementaryScore { threshold: level(0.25) }, r#"{"threshold":0.25}"#);
    let thresholds = [(level(0.75), Weight::from(2)), (level(0.25), Weight::ONE)];
    let mixture = ThresholdMixture::new(&thresholds).unwrap();
    stored(&mixture, r#"{"thresholds":[[0.25,1.0],[0.75,2.0]]}"#);
    stored(&StepWeights::Equal, r#""equal""#);
    stored(&StepWeights::Falling, r#""falling""#);
    stored(&StepWeights::Rising, r#""rising""#);
}

#[test]
fn rules_with_invalid_parameters_cannot_be_read() {
    refused::<LogScore>(&[
        (r#"{"clip":0.5}"#, "eps is 0.5"),
        (r#"{"clip":0.0}"#, "eps is 0"),
        (r#"{"clip":-1e-6}"#, "eps is -1e-6"),
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
        (r#"{"threshold":1.0}"#, "above 0 and below 1"),
        (r#"{"threshold":0.25,"miss":0.75}"#, "unknown field `miss`"),
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
}

#[test]
fn an_infinite_term_is_written_as_text() {
    let wrong = blocks(&[(0.0, true, 1.0), (0.5, false, 1.0)]);
    let text = serde_json::to_string(&Corp::new(&LogScore::exact(), &wrong).unwrap()).unwrap();
    assert!(text.starts_with(r#"{"mean_loss":"inf","miscalibration":"inf","#), "{text}");
    let derivatives = LogScore::exact().loss_in_probability(Probability::ZERO, true);
    let text = serde_json::to_string(&derivatives).unwrap();
    assert!(text.starts_with(r#"{"loss":"inf","gradient":-"#), "{text}");
}

#[test]
fn blocks_of_ties_are_written_as_a_list() {
    let tied = blocks(&[(0.9, true, 2.0), (0.25, false, 1.0), (0.9, false, 0.5)]);
    written(
        &tied,
        r#"[{"confidence":0.25,"failures":1.0,"successes":0.0},{"confidence":0.9,"failures":0.5,"successes":2.0}]"#,
    );
}

#[test]
fn examinations_are_written_with_infinite_gains_as_text() {
    let starts = |rule: &dyn ScoringRule, start: &str| {
        let text = serde_json::to_string(&Examination::new(rule).unwrap()).unwrap();
        assert!(text.starts_with(start), "{text}");
    };
    starts(&BrierScore, r#"{"verdict":{"no_counterexample":{"ties":[]}},"reports":16928,"#);
    let clip = LogScore::clipped(0.25).unwrap();
    let ties = r#"[{"start":0.0,"end":0.25},{"start":0.75,"end":1.0}]"#;
    starts(&clip, &format!(r#"{{"verdict":{{"no_counterexample":{{"ties":{ties}}}}},"#));
    let endless =
        from_fn(|p: Probability, _| if p == Probability::ONE { 0.0 } else { f64::NEG_INFINITY });
    let improper = r#"{"truth":0.9999999990686774,"report":1.0,"gain":"inf"}"#;
    starts(&endless, &format!(r#"{{"verdict":{{"improper":{improper}}},"#));
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
        (r#"{"lowest":0,"digits":[-9223372036854775808]}"#, "digit is -9.223372036854776e18"),
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn rules_of_any_parameters_come_back(
        (clip, alpha, beta) in (1e-99..0.499_f64, -0.999..20.0_f64, -0.999..20.0_f64),
        (power, baseline) in (-10.0..10.0_f64, 0.001..0.999_f64),
        threshold in 1e-9..0.999_f64,
        points in prop::collection::vec((1e-9..0.999_f64, 1e-9..1e9_f64), 1..6),
    ) {
        round_trips(&LogScore::clipped(clip).unwrap());
        round_trips(&BetaScore::new(alpha, beta).unwrap());
        round_trips(&PowerScore::new(power, level(baseline)).unwrap());
        round_trips(&PseudosphericalScore::new(power, level(baseline)).unwrap());
        round_trips(&ElementaryScore { threshold: level(threshold) });
        let points: Vec<(Level, Weight)> =
            points.iter().map(|&(c, w)| (level(c), weight_of(w))).collect();
        round_trips(&ThresholdMixture::new(&points).unwrap());
    }

    #[test]
    fn sums_round_trip(
        terms in prop::collection::vec(finite(), 0..40),
        more in prop::collection::vec((-1e9..1e9_f64, 1e-3..1e3_f64), 1..20),
    ) {
        let exact: ExactSum = terms.iter().copied().collect();
        round_trips(&exact);
        prop_assert_eq!(again(&exact).value().to_bits(), exact.value().to_bits());
        let (mut mean, mut sum) = (ExactMean::default(), CompensatedSum::default());
        for (i, &(value, weight)) in more.iter().enumerate() {
            if i % 3 == 0 { mean.update(value) } else { mean.update_weighted(value, weight_of(weight)).unwrap() }
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
        round_trips(&Ensemble::new(&each, Some(weights_of(&weights))).unwrap());
        round_trips(&Ensemble::new(&each, None).unwrap());
    }
}

/// Checks texts that are written as they are read, and texts that are refused with a message.
#[track_caller]
fn reads<T>(kept: &[&str], refusals: &[(&str, &str)])
where
    T: Serialize + DeserializeOwned + Debug,
{
    kept.iter().for_each(|text| written(&serde_json::from_str::<T>(text).unwrap(), text));
    refused::<T>(refusals);
}

#[test]
fn values_are_checked_when_they_are_read() {
    reads::<Probability>(&["0.25"], &[("1.2", "1.2 is not a probability")]);
    reads::<Level>(&["0.25"], &[("1.0", "it must be above 0 and below 1")]);
    reads::<Weight>(&["0.25"], &[("-1.0", "weight is -1; weights must be 0 or")]);
    reads::<OrderedScore>(&["-3.5"], &[("null", "")]);
    reads::<Observed>(&["[3.0,4.0]", "[3.0,null]"], &[("[5.0,4.0]", "it must be at most its cap")]);
    reads::<Interval>(
        &["[2.0,5.5]", r#"["-inf",5.5]"#, r#"["-inf","inf"]"#],
        &[("[5.5,2.0]", "the lower bound 5.5 is above the upper bound 2"), ("0.5", "")],
    );
    reads::<Interval<Probability>>(
        &["[0.25,0.5]"],
        &[("[0.5,0.25]", "above the upper bound"), ("[-0.1,0.5]", "not a probability")],
    );
    reads::<Quantiles>(
        &["[[0.25,3.0],[0.5,5.0]]"],
        &[
            ("[[0.25,3.0],[0.5,2.0]]", "values, entry 1: 2 after 3"),
            ("[[0.0,3.0]]", "it must be above 0 and below 1"),
            ("[]", "at least 1"),
        ],
    );
    reads::<Ensemble>(
        &["[1.0,2.0]", r#"{"members":[1.0,2.0],"weights":[1.0,3.0]}"#],
        &[
            (r#"{"members":[1.0],"weights":[1.0,1.0]}"#, "weights: expected 1, found 2"),
            (r#"{"members":[1.0],"weights":[-1.0]}"#, "row 0: weight is -1"),
            (r#"{"members":[1.0],"weights":[0.0]}"#, "the input is empty"),
            (r#"{"members":[1.0]}"#, "a list of members, or an object"),
            ("[]", "ensemble members: 0 given, at least 1 needed"),
        ],
    );
    let sorted = serde_json::from_str::<Ensemble>("[2.0,1.0]").unwrap();
    assert_eq!(serde_json::to_string(&sorted).unwrap(), "[1.0,2.0]");
}

#[test]
fn a_stored_decimal_sum_continues_with_the_same_results() {
    let sum = |terms: &[f64]| terms.iter().copied().collect::<DecimalSum>();
    let mut whole = sum(&[0.1, 0.25, 1e20]);
    let mut read = again(&whole);
    whole.add(0.3);
    read.add(0.3);
    assert_eq!(read, whole);
    written(&sum(&[3.84]), "\"384e-2\"");
    let wrong = ["", "1e999", "1.5e0", "NaN", "1e", "1e400", "1e309", "1e-325"];
    for wrong in wrong.into_iter().chain(["1000000000000000000000e308"]) {
        assert!(serde_json::from_str::<DecimalSum>(&format!("\"{wrong}\"")).is_err(), "{wrong}");
    }
    refused::<DecimalSum>(&[("3", "")]);
    assert!(serde_json::to_string(&sum(&[f64::NAN])).is_err());
}

#[test]
fn an_error_is_written_as_its_message() {
    let error = scoring_rules::Level::new(2.0).unwrap_err();
    assert_eq!(serde_json::to_value(error).unwrap(), error.to_string());
}

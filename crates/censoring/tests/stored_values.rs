//! Results and models that are stored and read back.
#![cfg(feature = "serde")]
#![allow(clippy::panic, clippy::unwrap_used)]

use std::fmt::Debug;

use censoring::{
    CalibrationRuns, CensoringAnalysis, CensoringAssumption, CensoringReport, Continuations,
    Exclusion, FlippingOdds, KaplanMeier, LogisticSuccess, LogisticSuccessModel, Probability,
    RunEnd, RunScore, StopReason, StopTimes, Stopped, SuccessEstimate, SuccessLearner,
    SuccessModel, TerminationAudit, TiltedMean, Weight,
};
use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

fn stored<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn refused<T: DeserializeOwned + Debug>(texts: &[&str]) {
    for text in texts {
        assert!(serde_json::from_str::<T>(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn an_audit_that_is_stored_goes_on_to_the_last_bit(
        runs in prop::collection::vec(
            (prop::collection::vec(0.0..=1.0_f64, 1..5), any::<Option<bool>>(), 0_usize..5),
            0..20,
        ),
    ) {
        let words = ["max_steps", "length", "own words", "tool_error"];
        let (mut whole, mut resumed) = (TerminationAudit::default(), TerminationAudit::default());
        for (forecasts, outcome, word) in &runs {
            let reason = words.get(*word).map(|word| word.parse::<StopReason>().unwrap());
            let run =
                Stopped::new(Probability::from_slice(forecasts).unwrap(), *outcome, reason).unwrap();
            whole.update(&run);
            resumed.update(&run);
            resumed = stored(&resumed);
            prop_assert_eq!(&whole, &resumed);
        }
        prop_assert_eq!(serde_json::to_string(&whole).unwrap(), serde_json::to_string(&resumed).unwrap());
    }

    #[test]
    fn curves_and_models_are_read_back_to_the_last_bit(
        rows in prop::collection::vec((0_u8..9, any::<bool>(), -3.0..3.0_f64), 3..20),
    ) {
        let times: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
        let ends: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let stops = StopTimes::new(&times, ends.iter().map(|&end| RunEnd::cut_off_if(end)), None).unwrap();
        for curve in [KaplanMeier::censoring_curve(&stops), KaplanMeier::event_curve(&stops)] {
            prop_assert_eq!(&stored(&curve), &curve);
        }
        // The second feature has no spread.
        let features: Vec<Vec<f64>> = rows.iter().map(|row| vec![row.2, 7.0]).collect();
        let weights = vec![Weight::ONE; rows.len()];
        if let Ok(model) = LogisticSuccess::default().fit(&features, &ends, Some(&weights)) {
            let read = stored(&model);
            prop_assert_eq!(&read, &model);
            let chance = |model: &LogisticSuccessModel| model.success_probability(&[0.3, 1.0]);
            prop_assert_eq!(chance(&read), chance(&model));
        }
    }
}

#[test]
fn other_results_are_read_back_as_they_were() {
    let estimate =
        Continuations { successes: 3, failures: 1, unresolved: 4, invalid: 0 }.estimate().unwrap();
    assert_eq!(stored(&estimate), estimate);
    let learner = LogisticSuccess::new(0.5).unwrap();
    assert_eq!(stored(&learner), learner);
    for exclusion in [Exclusion::NoReason, Exclusion::Stopped(StopReason::UserStop)] {
        assert_eq!(stored(&exclusion), exclusion);
    }
    let score = RunScore::Complete(-0.5);
    assert_eq!(stored(&score), score);
    let odds: FlippingOdds = serde_json::from_str(r#"{"below":0.5,"above":null}"#).unwrap();
    assert_eq!(stored(&odds), odds);
}

#[test]
fn invalid_stored_values_are_refused() {
    refused::<KaplanMeier>(&[
        r#"{"times":[2,1],"survival":[0.5,0.25]}"#,
        r#"{"times":[1,2],"survival":[0.25,0.5]}"#,
        r#"{"times":[1],"survival":[1.5]}"#,
        r#"{"times":[1,2],"survival":[0.5]}"#,
        r#"{"times":[-1],"survival":[0.5]}"#,
    ]);
    refused::<SuccessEstimate>(&[
        r#"{"probability":0.5,"low":0.6,"high":0.7,"standard_error":0.1}"#,
        r#"{"probability":0.5,"low":0.5,"high":0.7,"standard_error":-0.1}"#,
    ]);
    refused::<LogisticSuccess>(&["0.0", "-1.0", "null"]);
    refused::<LogisticSuccessModel>(&[
        r#"{"intercept":0,"slopes":[1],"means":[],"scales":[1]}"#,
        r#"{"intercept":0,"slopes":[1],"means":[0],"scales":[0]}"#,
        r#"{"intercept":0,"slopes":[1],"means":[0],"scales":[-1]}"#,
        r#"{"intercept":null,"slopes":[1],"means":[0],"scales":[1]}"#,
    ]);
    let run = Stopped::new(&[Probability::HALF; 2], None, Some(StopReason::MaxSteps)).unwrap();
    let audit: TerminationAudit = [&run].into_iter().collect();
    let whole = serde_json::to_value(&audit).unwrap();
    for (path, hostile) in [
        ("/rows/0/runs", serde_json::json!(0)),
        ("/rows/0/weight_sum", serde_json::json!({"lowest": 0, "digits": []})),
        ("/rows/0/weight_sum", serde_json::json!("inf")),
        ("/rows/0/step_sum", serde_json::json!({"lowest": 0, "digits": []})),
        ("/rows/0/step_sum", serde_json::json!("inf")),
        ("/rows/0/forecast_sum", whole["rows"][0]["step_sum"].clone()),
        ("/rows/0/class", serde_json::json!("lost")),
    ] {
        let mut changed = whole.clone();
        *changed.pointer_mut(path).unwrap() = hostile;
        assert!(serde_json::from_value::<TerminationAudit>(changed).is_err(), "{path}");
    }
    let mut twice = whole.clone();
    let row = whole["rows"][0].clone();
    twice["rows"].as_array_mut().unwrap().push(row);
    assert!(serde_json::from_value::<TerminationAudit>(twice).is_err());
}

#[test]
fn a_known_word_is_its_reason_also_where_it_was_given_as_an_own_word() {
    let forecasts = [Probability::HALF];
    let run = |reason| Stopped::new(&forecasts, None, Some(reason)).unwrap();
    let own = |word: &str| run(StopReason::Other(word.to_owned()));
    let audit: TerminationAudit =
        [&own("length"), &run(StopReason::MaxTokens), &own("gave up"), &own("max_tokens")]
            .into_iter()
            .collect();
    assert_eq!(stored(&audit), audit);
    assert_eq!((audit.rows().count(), audit.censored(), audit.excluded()), (2, 3, 1));
    assert_eq!(own("length").reason(), Some(&StopReason::MaxTokens));
    let judged = Stopped::new(&forecasts, Some(true), Some(StopReason::Other("eos".to_owned())));
    assert_eq!(judged.unwrap().reason(), Some(&StopReason::Completed));
    // What is written is the word that is read.
    for reason in [StopReason::Other("length".to_owned()), StopReason::Other("gave up".to_owned())]
    {
        let word = serde_json::to_string(&reason).unwrap();
        assert_eq!(serde_json::to_string(&stored(&reason)).unwrap(), word);
    }
}

#[test]
fn a_tilted_mean_is_read_back_and_checked() {
    let text = r#"[[VALUE,1.0],[VALUE,2.0]]"#;
    let of = |score: RunScore, text: &str| {
        let value = serde_json::to_string(&score).unwrap();
        serde_json::from_str::<TiltedMean>(&text.replace("VALUE", &value))
    };
    let score = RunScore::Complete(-0.5);
    let mean =
        TiltedMean::new(&[score, score], Some(Weight::from_slice(&[1.0, 2.0]).unwrap())).unwrap();
    assert_eq!(of(score, text).unwrap(), mean);
    assert_eq!(stored(&mean), mean);
    for wrong in ["[]", "[[VALUE,-1.0]]", "[[VALUE,0.0]]"] {
        assert!(of(score, wrong).is_err(), "{wrong}");
    }
}

#[test]
fn reports_that_are_stored_are_the_same_to_the_last_bit() {
    let forecasts = [0.3, 0.7].map(|p| Probability::new(p).unwrap());
    let runs = [
        Stopped::new(&forecasts, Some(true), None).unwrap(),
        Stopped::new(&forecasts[..1], Some(false), None).unwrap(),
        Stopped::new(&forecasts, None, Some(StopReason::MaxSteps)).unwrap(),
    ];
    let analysis = CensoringAnalysis::new(CensoringAssumption::NonInformative).with_resamples(20);
    let report = analysis.report(&runs, Some(&[Probability::HALF; 3]), None, &[1, 2, 3]).unwrap();
    assert_eq!(stored(&report), report);
    let branches = [Continuations { successes: 2, failures: 5, unresolved: 1, invalid: 0 }; 3];
    let audit = analysis.audit_continuations(&runs, &branches, None, &[1, 2, 3], 5).unwrap();
    assert_eq!(stored(&audit), audit);
    assert_eq!(serde_json::to_value(report).unwrap()["assumption"], "non_informative");
    for assumption in [
        CensoringAssumption::NonInformative,
        CensoringAssumption::FailureSide,
        CensoringAssumption::None,
    ] {
        let word = serde_json::to_value(assumption).unwrap();
        assert_eq!(word, assumption.name());
        assert_eq!(stored(&assumption), assumption);
    }
    assert_eq!(serde_json::to_value(CalibrationRuns::Complete).unwrap(), "complete");
    refused::<CensoringReport>(&["{}", "[]"]);
}

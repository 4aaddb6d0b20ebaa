//! Audits, models and settings that are stored and read back.

use std::fmt::Debug;

use censoring::{
    CalibrationRuns, CensoringAssumption, LogisticSuccess, LogisticSuccessModel, Probability,
    StopClass, StopReason, Stopped, SuccessLearner, SuccessModel, TerminationAudit, Weight,
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
            whole.update(&run, Weight::ONE);
            resumed.update(&run, Weight::ONE);
            resumed = stored(&resumed);
            prop_assert_eq!(&whole, &resumed);
        }
        prop_assert_eq!(serde_json::to_string(&whole).unwrap(), serde_json::to_string(&resumed).unwrap());
    }

    #[test]
    fn models_are_read_back_to_the_last_bit(
        rows in prop::collection::vec((any::<bool>(), -3.0..3.0_f64), 3..20),
    ) {
        let ends: Vec<bool> = rows.iter().map(|row| row.0).collect();
        // The second feature has no spread.
        let features: Vec<Vec<f64>> = rows.iter().map(|row| vec![row.1, 7.0]).collect();
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
fn settings_are_read_back_as_they_were() {
    let learner = LogisticSuccess::new(0.5).unwrap();
    assert_eq!(stored(&learner), learner);
    for assumption in [
        CensoringAssumption::NonInformative,
        CensoringAssumption::FailureSide,
        CensoringAssumption::None,
    ] {
        let word = serde_json::to_value(assumption).unwrap();
        assert_eq!(word, assumption.to_string());
        assert_eq!(stored(&assumption), assumption);
    }
    assert_eq!(serde_json::to_value(CalibrationRuns::Complete).unwrap(), "complete");
}

#[test]
fn invalid_stored_values_are_refused() {
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
    assert_eq!(
        (audit.rows().count(), audit.count(StopClass::Censored), audit.count(StopClass::Excluded)),
        (2, 3, 1)
    );
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

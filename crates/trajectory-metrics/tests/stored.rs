//! What is stored is read back as it was, and what is not valid is refused.
#![cfg(feature = "serde")]
#![allow(clippy::panic, clippy::unwrap_used)]

use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use trajectory_metrics::tool_calls::{
    CallFacts, FailureCounts, MultisetMatch, TaskMean, TrialCounts, TrialOutcome, mean_over_tasks,
    multiset_match,
};
use trajectory_metrics::{
    AurocDifference, AurocEstimate, BetaCalibration, Binning, Bootstrap, BootstrapEstimate,
    BrierScore, Calibrator, ClusterEstimate, CrossFit, CustomWeights, Error, Evaluation,
    EvaluationOptions, Folds, ForecastCounts, ForecastPolicy, Interval, Isotonic, Level,
    MetricChange, OnlineTps, OrderedScore, Platt, PlattMap, PositiveClass, PrecisionRecallPoint,
    Probability, Ranking, Replicates, Resampling, RiskCoveragePoint, RocPoint, Seed, SignFlipTest,
    Summary, TemperatureScaling, TiedBlocks, Tps, TpsFamily, Traces, VennAbers, Weight,
    WeightSchedule, cluster_mean, consistency_band, cross_fit, delong, delong_test, evaluate,
    fixed_rank_sensitivity, precision_recall_curve, raw_against_calibrated, reliability_curve,
    reliability_diagram, risk_coverage_curve, roc_curve, sign_flip_test,
};

/// Stores and reads back, through text.
fn back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> Value {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    serde_json::from_str(&text).unwrap()
}

/// That each change of one entry, or one more entry, is refused.
fn refused<T: DeserializeOwned + Debug>(stored: &Value, changes: &[(&str, Value)]) {
    serde_json::from_value::<T>(stored.clone()).unwrap();
    for (key, value) in changes.iter().chain([&("not_a_field", json!(1))]) {
        let mut wrong = stored.clone();
        wrong[key] = value.clone();
        assert!(serde_json::from_value::<T>(wrong.clone()).is_err(), "{wrong}");
    }
}

fn streams() -> (Traces, Vec<usize>) {
    let mut traces = Traces::default();
    for i in 0..24_usize {
        let said = [0.2, 0.5, 0.75, 0.9][i % 4];
        let stream = Probability::from_slice(&[said, 0.5]).unwrap().to_vec();
        traces.push(&stream, i * 7 % 5 < 1 + i % 4).unwrap();
    }
    (traces, (0..24).map(|i| i / 2).collect())
}

#[test]
fn settings_are_written_and_read_and_invalid_ones_are_refused() {
    for schedule in WeightSchedule::NAMED {
        assert_eq!(back(&schedule), json!(schedule.name()));
        back(&Summary::Weighted(schedule));
    }
    let custom = WeightSchedule::custom(Weight::from_slice(&[2.0, 0.1]).unwrap()).unwrap();
    refused::<WeightSchedule>(&back(&custom), &[("custom", json!([1.0, 0.0]))]);
    assert!(serde_json::from_value::<WeightSchedule>(json!("front")).is_err());
    assert_eq!(back(&Summary::Minimum), json!("minimum"));

    let wrong_clip = ("clip", json!(0.5));
    let platt = back(&Platt::new(0.5, 1e-4).unwrap());
    refused::<Platt>(&platt, &[wrong_clip.clone(), ("penalty", json!(0.0))]);
    let beta = back(&BetaCalibration::default());
    refused::<BetaCalibration>(&beta, std::slice::from_ref(&wrong_clip));
    refused::<TemperatureScaling>(&back(&TemperatureScaling::default()), &[wrong_clip]);
    back(&Isotonic);
    back(&VennAbers);
    assert_eq!(back(&PositiveClass::Failure), json!("failure"));

    let folds = back(&Folds::halves(&[true, false, true], &[1, 2, 3]).unwrap());
    let wrong = [("count", json!(1)), ("of_each", json!([0, 2, 1]))];
    refused::<Folds>(&folds, &wrong);
}

#[test]
fn traces_and_draws_are_written_and_read_and_invalid_ones_are_refused() {
    let (traces, tasks) = streams();
    let wrong = [("forecasts", json!([0.5])), ("ends", json!([1])), ("outcomes", json!([]))];
    refused::<Traces>(&back(&traces), &wrong);

    let bootstrap = Bootstrap::clusters(&tasks, Seed::new(9)).unwrap();
    let stored = back(&bootstrap);
    let wrong = [
        ("cluster_of", json!([0, 0])),
        ("cluster_of", json!([0, 2])),
        ("cluster_of", json!([])),
        ("seed", json!(-1)),
    ];
    refused::<Bootstrap>(&stored, &wrong);
    let read: Bootstrap = serde_json::from_value(stored).unwrap();
    let values: Vec<f64> = (0..24).map(|i| f64::from(i).sin()).collect();
    assert_eq!(read.mean(&values, None, 50), bootstrap.mean(&values, None, 50));

    let replicates = bootstrap.mean(&values, None, 50).unwrap();
    let wrong = [
        ("estimate", json!("NaN")),
        ("values", json!([null])),
        ("values", json!([])),
        ("scale", json!(-1.0)),
    ];
    refused::<Replicates>(&back(&replicates), &wrong);
    let same: Replicates = serde_json::from_value(back(&replicates)).unwrap();
    assert_eq!(same.minus(&replicates).unwrap().standard_error(), Some(0.0));
    let infinite = Replicates::new(f64::NEG_INFINITY, vec![f64::NEG_INFINITY, f64::NAN, 1.0]);
    assert_eq!(back(&infinite.unwrap())["values"], json!(["-inf", null, 1.0]));
    let difference = replicates.minus(&replicates).unwrap();
    back(&difference);
}

#[test]
fn results_are_written_and_read_and_invalid_ones_are_refused() {
    let (traces, tasks) = streams();
    let schedule = WeightSchedule::LinearFront;
    let confidence = Summary::Minimum.forecasts(&traces).unwrap();
    let blocks = TiedBlocks::new(&confidence, traces.outcomes(), None).unwrap();

    let error = ("standard_error", json!(-0.1));
    let area = back(&delong(&blocks).unwrap());
    refused::<AurocEstimate>(&area, &[error.clone(), ("auroc", json!(1.1))]);
    let flat = vec![Probability::HALF; 24];
    let outcomes = traces.outcomes();
    let test = delong_test(&confidence, outcomes, &flat, outcomes, None).unwrap();
    refused::<AurocDifference>(&back(&test), &[error.clone(), ("difference", json!(-1.1))]);

    let positive = PositiveClass::Failure;
    let roc = roc_curve(&blocks, positive).unwrap();
    refused::<RocPoint>(&back(&roc[1]), &[("threshold", json!(2.0))]);
    let curve = precision_recall_curve(&blocks, positive).unwrap();
    refused::<PrecisionRecallPoint>(&back(&curve[0]), &[("recall", json!(-0.5))]);
    let curve = risk_coverage_curve(&blocks).unwrap();
    refused::<RiskCoveragePoint>(&back(&curve[0]), &[("risk", json!(1.5))]);
    back(&reliability_curve(&blocks).unwrap()[0]);
    back(&reliability_diagram(&blocks, Binning::Quantile { bins: 3 }).unwrap()[0]);
    back(&consistency_band(&blocks, Level::HALF, 20, Seed::new(1)).unwrap()[0]);

    let values: Vec<f64> = (0..24).map(|i| f64::from(i).sin()).collect();
    let mean = back(&cluster_mean(&values, None, &tasks).unwrap());
    refused::<ClusterEstimate>(&mean, &[error, ("clusters", json!(1))]);
    let test = back(&sign_flip_test(&values, None, &tasks, 0, Seed::new(0)).unwrap());
    refused::<SignFlipTest>(&test, &[("p_value", json!(1.5))]);
    back(&TpsFamily::means(&traces, None, &schedule).unwrap());

    let folds = Folds::clustered(traces.outcomes(), &tasks, 2).unwrap();
    back(&fixed_rank_sensitivity(&traces, &folds, &schedule).unwrap());
    let calibrated = cross_fit(&Platt::default(), &traces, &folds, &schedule).unwrap();
    let bootstrap = Bootstrap::clusters(&tasks, Seed::new(9)).unwrap();
    let changes =
        raw_against_calibrated(&traces, calibrated.traces(), &schedule, &bootstrap, 20).unwrap();
    for change in &changes {
        refused::<MetricChange>(&back(change), &[("raw", json!("NaN"))]);
    }
}

/// The report of a few traces with intervals, as it is stored.
fn stored_report() -> Value {
    let (traces, tasks) = streams();
    let bootstrap = Bootstrap::clusters(&tasks, Seed::new(9)).unwrap();
    let resampling = Some(Resampling { bootstrap: &bootstrap, resamples: 20, level: Level::HALF });
    let exclusions = [("parse_error".to_owned(), 3)].into();
    let options = EvaluationOptions { resampling, exclusions, ..Default::default() };
    serde_json::to_value(evaluate(&traces, &options).unwrap()).unwrap()
}

#[test]
fn an_interval_that_no_resamples_give_is_refused() {
    let values = [1.0, 2.0, 4.0, f64::NAN];
    let replicates = Replicates::new(2.0, values.to_vec()).unwrap();
    let stored = back(&replicates.percentile_interval(Level::HALF));
    let wrong = [
        ("interval", json!([9.0, 1.0])),
        ("interval", json!(["NaN", 1.0])),
        ("interval", json!([1.0, "NaN"])),
        ("interval", json!([1.0])),
        ("estimate", json!("NaN")),
        ("standard_error", json!(-0.5)),
        ("undefined", json!(4)),
        ("resamples", json!(1)),
    ];
    refused::<BootstrapEstimate>(&stored, &wrong);
    let infinite = vec![f64::NEG_INFINITY, 1.0, 2.0];
    let infinite = Replicates::new(f64::NEG_INFINITY, infinite).unwrap();
    assert_eq!(back(&infinite.percentile_interval(Level::HALF))["interval"][0], json!("-inf"));
}

#[test]
fn counts_of_runs_that_do_not_add_up_are_refused() {
    let mut counts = ForecastCounts::default();
    for run in [&[Some(1.5), Some(0.5), Some(-0.1)][..], &[Some(0.5)]] {
        ForecastPolicy::Clip.check_run(run, &mut counts).unwrap();
    }
    ForecastPolicy::LeaveOut.check_run(&[None], &mut counts).unwrap();
    let wrong = [
        ("runs", json!(1)),
        ("left_out_runs", json!(3)),
        ("repaired_runs", json!(0)),
        ("repaired_runs", json!(3)),
        ("clipped", json!(0)),
    ];
    refused::<ForecastCounts>(&back(&counts), &wrong);
    // Counts that have reached the end of their range are still read.
    for _ in 0..64 {
        counts.merge(counts);
    }
    assert_eq!(back(&counts)["runs"], json!(u64::MAX));
}

#[test]
fn scores_outside_the_range_of_their_rule_are_refused() {
    let (traces, _) = streams();
    let schedule = WeightSchedule::LinearFront;
    let means = back(&TpsFamily::means(&traces, None, &schedule).unwrap());
    let wrong = [
        ("log", json!(0.1)),
        ("log", json!(-14.0)),
        ("brier", json!(-1.1)),
        ("beta_2_4", json!(-2)),
    ];
    refused::<TpsFamily>(&means, &wrong);
    let scores = back(&TpsFamily::scores(&traces, &schedule).unwrap());
    let wrong = [("log", json!([-0.5])), ("brier", json!(vec![0.5; 24]))];
    refused::<TpsFamily<Vec<f64>>>(&scores, &wrong);
    // The lowest scores there are, and the highest.
    let wrong =
        Traces::from_flat(&[0.0, 0.0, 1.0, 0.0], &[2, 3, 4], &[true, false, false]).unwrap();
    for schedule in WeightSchedule::NAMED {
        back(&TpsFamily::scores(&wrong, &schedule).unwrap());
    }
}

#[test]
fn facts_of_a_call_are_read_whole_and_without_keys_that_are_not_known() {
    let facts = CallFacts {
        call: 3,
        well_formed: true,
        accessible: false,
        after_goal: false,
        advanced: None,
    };
    refused::<CallFacts<u32>>(&back(&facts), &[("well_formed", json!(null))]);
}

#[test]
fn a_duplicate_key_in_a_map_of_a_report_is_refused() {
    let text = stored_report().to_string();
    serde_json::from_str::<Evaluation>(&text).unwrap();
    let twice = text.replace("\"parse_error\":3", "\"parse_error\":3,\"parse_error\":4");
    let error = serde_json::from_str::<Evaluation>(&twice).unwrap_err().to_string();
    assert!(twice != text && error.contains("parse_error"), "{error}");
    let family = r#""uniform":{"log":-0.5,"brier":-0.5,"beta_2_4":-0.01},"uniform":"#;
    let twice = text.replace("\"uniform\":", family);
    let error = serde_json::from_str::<Evaluation>(&twice).unwrap_err().to_string();
    assert!(error.contains("uniform"), "{error}");
}

fn online() -> OnlineTps<BrierScore> {
    OnlineTps::new(Tps::new(BrierScore, WeightSchedule::LinearFront))
        .with_policy(ForecastPolicy::LeaveOut)
}

#[test]
fn a_stored_run_longer_than_any_run_can_be_is_refused() {
    let mut run = online();
    run.push(Probability::HALF);
    for steps in [u64::MAX, 1 << 32] {
        for left_out in [json!(null), json!([1, "missing"])] {
            let mut stored = serde_json::to_value(run.state()).unwrap();
            stored["steps"] = json!(steps);
            stored["left_out"] = left_out;
            let state = serde_json::from_value(stored).unwrap();
            let tps = Tps::new(BrierScore, WeightSchedule::LinearFront);
            let resumed = OnlineTps::resume(tps, state);
            assert!(matches!(resumed, Err(Error::StoredValue { .. })), "{steps}: {resumed:?}");
        }
    }
}

#[test]
fn a_run_that_was_left_out_takes_no_more_forecasts_and_can_be_resumed() {
    let mut run = online();
    run.push_raw(None).unwrap();
    let left_out = run.clone();
    run.push(Probability::HALF);
    run.push_raw(0.5).unwrap();
    assert_eq!((&run, run.steps()), (&left_out, 0));
    let state = serde_json::from_value(serde_json::to_value(run.state()).unwrap()).unwrap();
    let tps = Tps::new(BrierScore, WeightSchedule::LinearFront);
    assert_eq!(OnlineTps::resume(tps, state), Ok(run));
}

#[test]
fn stored_forms_refuse_keys_that_are_not_known() {
    let counts: TrialCounts = [TrialOutcome::Success].into_iter().collect();
    refused::<TrialCounts>(&back(&counts), &[]);
    let classes: FailureCounts = [None].into_iter().collect();
    refused::<FailureCounts>(&back(&classes), &[]);
    refused::<MultisetMatch>(&back(&multiset_match(&[1], &[1])), &[]);
    let mean = mean_over_tasks(&[Interval::point(0.5).unwrap()], None).unwrap();
    refused::<TaskMean>(&back(&mean), &[]);

    let (traces, _) = streams();
    let (forecasts, outcomes) = (Summary::Minimum.forecasts(&traces).unwrap(), traces.outcomes());
    let weights = [Weight::ONE; 24];
    macro_rules! maps {
        ($($calibrator:expr),*) => {$({
            let map = $calibrator.fit(&forecasts, outcomes, Some(&weights)).unwrap();
            let mut stored = back(&map);
            stored["not_a_field"] = json!(1);
            fn read<T: DeserializeOwned>(_: &T, stored: Value) -> bool {
                serde_json::from_value::<T>(stored).is_ok()
            }
            assert!(!read(&map, stored), stringify!($calibrator));
        })*};
    }
    maps!(
        Platt::default(),
        BetaCalibration::default(),
        TemperatureScaling::default(),
        Isotonic,
        VennAbers
    );
}

#[test]
fn fits_rankings_and_custom_weights_are_written_and_read_and_invalid_ones_are_refused() {
    let (traces, tasks) = streams();
    let folds = Folds::clustered(traces.outcomes(), &tasks, 2).unwrap();
    let schedule = WeightSchedule::Uniform;
    let fit = cross_fit(&Platt::default(), &traces, &folds, &schedule).unwrap();
    let stored = back(&fit);
    let short = serde_json::to_value(Traces::from_flat(&[0.5], &[1], &[true]).unwrap()).unwrap();
    let wrong = [("maps", json!([])), ("maps", json!([stored["maps"][0]])), ("traces", short)];
    refused::<CrossFit<PlattMap>>(&stored, &wrong);

    let confidence = Summary::Minimum.forecasts(&traces).unwrap();
    let stored = back(&Ranking::new(&confidence, traces.outcomes()).unwrap());
    assert_eq!(stored["confidence"], json!(confidence));
    let wrong = [("confidence", json!([0.5])), ("outcomes", json!([]))];
    refused::<Ranking>(&stored, &wrong);
    let logits = Ranking::from_scores(&[41.0, -2.5, 40.0], &[true, false, true]).unwrap();
    refused::<Ranking<OrderedScore>>(&back(&logits), &[("confidence", json!([1.0, null, 2.0]))]);

    let WeightSchedule::Custom(weights) =
        WeightSchedule::custom(Weight::from_slice(&[2.0, 0.1]).unwrap()).unwrap()
    else {
        panic!("a custom schedule is custom")
    };
    assert_eq!(back(&weights), json!([2.0, 0.1]));
    assert!(serde_json::from_value::<CustomWeights>(json!([2.0, 0.0])).is_err());
}

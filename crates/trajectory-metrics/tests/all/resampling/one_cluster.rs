use proptest::prelude::*;
use trajectory_metrics::{
    Bootstrap, ClusterEstimate, Level, NoInterval, Ranking, Replicates, Resampling,
    STREAM_MEASURES, ScoredStream, Seed, SignFlipTest, StreamFigure, Summary, Traces, Weight,
    WeightSchedule,
};

use crate::common::{counted_mean, is_one, level_of, ps, ws};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn every_function_refuses_one_cluster_and_no_larger_number(
        clusters in 1_usize..=6,
        per_cluster in 1_usize..5,
        weighted in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let tasks: Vec<usize> = (0..clusters * per_cluster).map(|row| row % clusters).collect();
        let n = tasks.len();
        let values: Vec<f64> = (0..n).map(|row| (row as f64 + 0.5).sin()).collect();
        let equal = vec![1.0; n];
        let weights: Vec<f64> = (0..n).map(|row| 1.0 + row as f64).collect();
        let weights = weighted.then(|| ws(&weights));
        let error = ClusterEstimate::mean(&values, weights, &tasks).map(drop);
        prop_assert_eq!(error.is_err(), clusters == 1);
        let bootstrap = match Bootstrap::clusters(&tasks, Seed(seed)) {
            Ok(bootstrap) => bootstrap,
            Err(error) => {
                prop_assert_eq!(clusters, 1);
                // The same cause has the same error everywhere.
                prop_assert_eq!(ClusterEstimate::mean(&values, weights, &tasks), Err(error.clone()));
                prop_assert!(is_one::<()>(Err(error), "clusters"));
                return Ok(());
            }
        };
        prop_assert!(clusters > 1);
        let spread = |replicates: Replicates| replicates.standard_error().is_some_and(|e| e > 0.0);
        prop_assert!(spread(bootstrap.mean(&values, weights, 400).unwrap()));
        let [counted] = bootstrap.replicates(400, |counts| [counted_mean(&values, &equal, counts)]);
        prop_assert!(spread(counted.unwrap()));
    }
}

#[test]
fn one_row_is_refused_as_one_cluster_is() {
    assert!(is_one(Bootstrap::rows(1, Seed(7)), "rows"));
    assert!(is_one(Bootstrap::clusters(&["task"; 4], Seed(7)), "clusters"));
    assert!(Bootstrap::rows(2, Seed(7)).is_ok());
}

#[test]
fn a_mean_with_one_cluster_of_positive_weight_is_refused() {
    let bootstrap = Bootstrap::clusters(&["a", "a", "b", "c"], Seed(7)).unwrap();
    let weights = ws(&[1.0, 2.0, 0.0, 0.0]);
    let mean = bootstrap.mean(&[1.0, 2.0, 3.0, 4.0], Some(weights), 100);
    assert!(is_one(mean, "clusters"));
}

#[test]
fn the_p_value_of_one_cluster_is_1() {
    let test = SignFlipTest::new(&[0.5, 0.25], None, &["a", "a"], 0, Seed(0)).unwrap();
    assert_eq!((test.p_value, test.clusters), (1.0, 1));
}

#[test]
fn an_area_is_undefined_in_resamples_without_the_only_cluster_of_both_classes() {
    let confidence = ps(&[0.1, 0.9, 0.4, 0.6]);
    let ranking = Ranking::new(confidence, &[false, true, true, true]).unwrap();
    let bootstrap = Bootstrap::clusters(&["a", "a", "b", "b"], Seed(7)).unwrap();
    let undefined = bootstrap.auroc(&ranking, 4_000).unwrap().undefined();
    assert!((850..1_150).contains(&undefined), "{undefined}");
}

#[test]
fn a_report_on_traces_of_one_cluster_has_no_interval_and_one_note() {
    let traces = Traces::from_flat(&[0.2, 0.5, 0.7], &[1, 2, 3], &[true, false, true]).unwrap();
    let two = Traces::from_flat(&[0.2, 0.5], &[1, 2], &[true, false]).unwrap();
    let weights = [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0]];
    let [one_row, one_task] = weights.each_ref().map(|w| ws(w));
    let cases: [(&Traces, Bootstrap, Option<&[Weight]>); 4] = [
        (&traces, Bootstrap::rows(3, Seed(7)).unwrap(), Some(one_row)),
        (&traces, Bootstrap::clusters(&["a", "a", "b"], Seed(7)).unwrap(), Some(one_task)),
        // The last row is of a run that is not in the report.
        (&two, Bootstrap::clusters(&["a", "a", "b"], Seed(7)).unwrap(), None),
        (
            &two,
            Bootstrap::clusters(&["a", "a", "b", "b"], Seed(7)).unwrap(),
            Some(&[Weight::ONE; 2]),
        ),
    ];
    for (traces, bootstrap, weights) in &cases {
        let level = level_of(0.95);
        let resampling = Some(Resampling { bootstrap, resamples: 100, level });
        let schedule = WeightSchedule::LinearFront;
        let summary = Summary::Weighted(schedule.clone());
        let stream = ScoredStream::new(traces, &schedule, &summary).unwrap();
        let rate = stream.base_rate(*weights).unwrap();
        let constant = traces.map_forecasts(|_, _| rate);
        let constant = ScoredStream::new(&constant, &schedule, &summary).unwrap();
        let [found, reference] =
            [&stream, &constant].map(|it| it.estimates(*weights, resampling).unwrap());
        for StreamFigure { measure, figure, .. } in found.iter().chain(&reference) {
            let few = NoInterval::TooFewClusters { found: 1, least: 6, level };
            let is_few = figure
                .as_ref()
                .map_or(true, |it| it.interval == Err(few) || measure.key == "t_ece");
            assert!(is_few, "{}: {figure:?}", measure.key);
        }
        assert!(found[0].figure.is_ok());
        let notes = stream.notes(&found, &reference, *weights, resampling);
        let of_clusters = notes.iter().filter(|note| note.contains("1 cluster;"));
        assert_eq!(of_clusters.count(), 1, "{notes:?}");
    }
}

#[test]
fn one_defined_resample_makes_no_interval() {
    let resamples = |values: Vec<f64>| Ok(Replicates::new(0.5, values).unwrap());
    let interval = |values| {
        let values = Some(resamples(values));
        let found = StreamFigure::new(STREAM_MEASURES[3], Ok(0.5), values, Level::HALF);
        found.figure.unwrap().interval
    };
    for values in [vec![0.25], vec![f64::NAN, 0.25, f64::NAN]] {
        assert_eq!(interval(values), Err(NoInterval::TooFewResamples { defined: 1 }));
    }
    assert!(interval(vec![0.25, 0.75]).is_ok());
}

#[test]
fn two_clusters_have_one_degree_of_freedom_whatever_their_weights() {
    for small in 1..=16 {
        for step in 1..10 {
            let weights =
                [1.0, f64::from(step) * 10_f64.powi(-small)].map(|it| Weight::new(it).unwrap());
            let found = ClusterEstimate::mean(&[0.0, 1.0], Some(&weights), &["a", "b"]).unwrap();
            assert_eq!(found.degrees_of_freedom, 1.0, "{weights:?}");
        }
    }
}

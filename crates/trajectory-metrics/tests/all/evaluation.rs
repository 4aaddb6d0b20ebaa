//! The scores of a stream against their parts, the fixed-rank analysis and raw against calibrated.
use proptest::prelude::*;
use scoring_rules::Error as Shared;
use trajectory_metrics::{
    BetaScore, Binning, Bootstrap, BrierScore, CrossFit, Error, Figure, FixedRankSensitivity,
    Folds, LogScore, MetricChange, Platt, PositiveClass, Probability, Ranking, Resampling,
    STREAM_MEASURES, ScoredStream, Seed, StreamFigure, Summary, TiedBlocks, Tps, TpsFamily, Trace,
    Traces, Weight, WeightSchedule, aurc, auroc, average_precision, brier_loss,
    expected_calibration_error,
};

use crate::common::{changes as changes_of, level_of, probability, ps, traces_of};

/// A stream, its outcome and a whole weight.
type Run = (Vec<f64>, bool, u32);

fn runs() -> impl Strategy<Value = Vec<Run>> {
    let forecast = prop_oneof![0.0..=1.0_f64, (0..=10_u32).prop_map(|p| f64::from(p) / 10.0)];
    let run = (prop::collection::vec(forecast, 1..6), any::<bool>(), 1..4_u32);
    prop::collection::vec(run, 8..40).prop_map(|mut runs| {
        runs.iter_mut().take(8).enumerate().for_each(|(i, run)| run.1 = i % 2 == 0);
        runs
    })
}

fn traces<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Traces {
    traces_of(runs.into_iter().map(|(stream, outcome, _)| (stream, *outcome)))
}

/// The stream under the paper's schedule with this summary.
fn scored(traces: &Traces, summary: &Summary) -> ScoredStream {
    ScoredStream::new(traces, &WeightSchedule::LinearFront, summary).unwrap()
}

fn weighted_mean() -> Summary {
    Summary::Weighted(WeightSchedule::LinearFront)
}

fn plain(traces: &Traces) -> Vec<StreamFigure> {
    scored(traces, &weighted_mean()).estimates(None, None).unwrap()
}

fn figure(figures: &[StreamFigure], key: &str) -> Figure {
    figures.iter().find(|it| it.measure.key == key).unwrap().figure.clone().unwrap()
}

/// Overconfident runs of shared tasks: nearly sure, right half the time.
fn overconfident() -> (Traces, Vec<usize>) {
    let run = |i: usize| {
        let said = [0.9, 0.95, 0.99][i % 3];
        ([said, 0.97, said], (i * 7 + i / 3) % 10 < 4 + i % 3)
    };
    (traces_of((0..90).map(run)), (0..90).map(|i| i / 2).collect())
}

proptest! {
    #[test]
    fn a_report_equals_its_parts_and_does_not_depend_on_row_order(runs in runs()) {
        let rows = traces(&runs);
        let base_rate = rows.outcomes().iter().filter(|y| **y).count() as f64 / rows.len() as f64;
        let stream = scored(&rows, &weighted_mean());
        prop_assert_eq!((stream.outcomes().len(), stream.base_rate(None).unwrap().get()), (rows.len(), base_rate));
        let constant = rows.map_forecasts(|_, _| Probability::new(base_rate).unwrap());
        for (stream, slack) in [(&rows, 0.0), (&constant, 1e-13)] {
            for schedule in WeightSchedule::NAMED {
                let log = Tps::new(LogScore::clipped(1e-6).unwrap(), schedule.clone());
                let brier = Tps::new(BrierScore, schedule.clone());
                let beta = Tps::new(BetaScore::new(2.0, 4.0).unwrap(), schedule.clone());
                let means = [log.mean(stream, None), brier.mean(stream, None), beta.mean(stream, None)];
                let found = ScoredStream::new(stream, &schedule, &Summary::Last).unwrap();
                let found = found.estimates(None, None).unwrap();
                for (found, mean) in found.iter().zip(means) {
                    let (found, mean) = (found.figure.clone().unwrap().value, mean.unwrap());
                    prop_assert!((found - mean).abs() <= slack, "{} {}", found, mean);
                }
            }
        }
        for summary in Summary::UNWEIGHTED.into_iter().chain([weighted_mean()]) {
            let confidence = summary.forecasts(&rows).unwrap();
            let blocks = TiedBlocks::new(&confidence, rows.outcomes(), None).unwrap();
            let found = scored(&rows, &summary).estimates(None, None).unwrap();
            for (key, wanted) in [
                ("auroc", auroc(&blocks)),
                ("average_precision", average_precision(&blocks, PositiveClass::Failure)),
                ("aurc", aurc(&blocks)),
                ("t_ece", expected_calibration_error(&blocks, Binning::Quantile { bins: 10 })),
                ("t_brier", brier_loss(&blocks)),
            ] {
                prop_assert_eq!(figure(&found, key).value, wanted.unwrap());
            }
            // Every summary of a constant stream is the constant, whose risk is the failure rate at
            // every coverage.
            let reference = scored(&constant, &summary).estimates(None, None).unwrap();
            prop_assert_eq!(figure(&reference, "auroc").value, 0.5);
            for (key, wanted) in [
                ("average_precision", 1.0 - base_rate),
                ("aurc", 1.0 - base_rate),
                ("t_ece", 0.0),
                ("t_brier", base_rate * (1.0 - base_rate)),
            ] {
                prop_assert!((figure(&reference, key).value - wanted).abs() < 1e-13, "{}", key);
            }
        }
        prop_assert_eq!(plain(&traces(runs.iter().rev())), plain(&rows));
    }

    #[test]
    fn an_integer_weight_in_a_report_equals_that_many_traces(runs in runs()) {
        let weights: Vec<f64> = runs.iter().map(|run| run.2.into()).collect();
        let weights = Weight::from_slice(&weights).unwrap();
        let (single, copies) = (traces(&runs), runs.iter().flat_map(|run| (0..run.2).map(move |_| run)));
        let copied = traces(copies);
        for summary in Summary::UNWEIGHTED.into_iter().chain([weighted_mean()]) {
            let [once, often] = [&single, &copied].map(|traces| scored(traces, &summary));
            let rates = [once.base_rate(Some(weights)), often.base_rate(None)].map(Result::unwrap);
            prop_assert_eq!(rates[0], rates[1]);
            let (once, often) = (once.estimates(Some(weights), None).unwrap(), often.estimates(None, None).unwrap());
            for (a, b) in once.iter().zip(&often) {
                let slack = if a.measure.key.starts_with("tps") { 0.0 } else { 1e-13 };
                let [x, y] = [a, b].map(|it| it.figure.clone().unwrap().value);
                prop_assert!((x - y).abs() <= slack, "{} of {}", a.measure.key, summary.name());
            }
        }
    }

    #[test]
    fn an_increasing_transform_of_the_scalar_does_not_change_rank_metrics_by_a_bit(runs in runs()) {
        let rows = traces(&runs);
        let folds = Folds::new(rows.outcomes(), &(0..rows.len()).collect::<Vec<_>>(), 2).unwrap();
        let schedule = WeightSchedule::LinearFront;
        let found = FixedRankSensitivity::new(&rows, &folds, &schedule).unwrap();
        let rank = Summary::Weighted(schedule).forecasts(&rows).unwrap();
        for transform in [|p: f64| p, |p: f64| 0.4 + 0.2 * p, f64::sqrt, |p: f64| p * p] {
            let moved: Vec<f64> = rank.iter().map(|p| transform(p.get())).collect();
            let moved = ps(&moved);
            let blocks = TiedBlocks::new(moved, rows.outcomes(), None).unwrap();
            // Where the transform makes two scalars one number there is nothing to compare.
            let raw = TiedBlocks::new(&rank, rows.outcomes(), None).unwrap();
            prop_assume!(blocks.as_slice().len() == raw.as_slice().len());
            prop_assert_eq!(auroc(&blocks).unwrap().to_bits(), found.auroc.to_bits());
            let precision = average_precision(&blocks, PositiveClass::Failure).unwrap();
            prop_assert_eq!(precision.to_bits(), found.average_precision.to_bits());
            prop_assert_eq!(aurc(&blocks).unwrap().to_bits(), found.aurc.to_bits());
        }
        let scores = [found.identity, found.affine, found.square_root, found.square, found.platt];
        for score in scores {
            prop_assert!(score <= 0.0 && score >= 1e-6_f64.ln() - 1e-12, "{score}");
        }
    }
}

#[test]
fn undefined_results_are_noted_and_do_not_hide_the_others() {
    let rows = Traces::from_flat(&[0.5, 0.9], &[1, 2], &[true, true]).unwrap();
    let stream = scored(&rows, &weighted_mean());
    let found = plain(&rows);
    let one_class = "all outcomes are successes, except for less than 1e-12 of the weight; give successes and failures";
    assert_eq!(found[3].figure.clone().unwrap_err().to_string(), one_class);
    assert_eq!(figure(&found, "aurc").value, 0.0);
    let reference = plain(&rows.map_forecasts(|_, _| Probability::ONE));
    let notes = stream.notes(&found, &reference, None, None);
    assert_eq!(notes.len(), 4, "{notes:?}");
    assert!(notes[0].starts_with("auroc: all outcomes are successes"), "{notes:?}");
    let none = scored(&Traces::default(), &weighted_mean());
    assert_eq!(none.estimates(None, None), Err(Shared::Empty.into()));
    let length = scoring_rules::checks::length("weights", 2, 1).into();
    assert_eq!(stream.estimates(Some(&[Weight::ONE]), None), Err(length));
}

#[test]
fn the_intervals_of_a_report_equal_the_intervals_of_the_bootstrap() {
    let (rows, tasks) = overconfident();
    let bootstrap = Bootstrap::clusters(&tasks, Seed(3)).unwrap();
    let level = level_of(0.9);
    let resampling = Some(Resampling { bootstrap: &bootstrap, resamples: 200, level });
    let stream = scored(&rows, &weighted_mean());
    let found = stream.estimates(None, resampling).unwrap();
    assert_eq!(found.len(), STREAM_MEASURES.len());

    let summary = weighted_mean().forecasts(&rows).unwrap();
    let ranking = Ranking::new(&summary, rows.outcomes()).unwrap();
    let [area] = bootstrap.replicates(200, |counts| {
        let mut blocks = TiedBlocks::default();
        [ranking.resample(counts, &mut blocks).and_then(|()| auroc(&blocks))]
    });
    let interval = |key: &str| figure(&found, key).interval.unwrap();
    let of_ranking = bootstrap.auroc(&ranking, 200).unwrap();
    let area = area.unwrap();
    assert_eq!(area.values().collect::<Vec<_>>(), of_ranking.values().collect::<Vec<_>>());
    assert_eq!(interval("auroc"), of_ranking.figure(level).interval.unwrap());
    let scores = TpsFamily::scores(&rows, &WeightSchedule::LinearFront).unwrap().log;
    let log = bootstrap.mean(&scores, None, 200).unwrap().figure(level).interval.unwrap();
    assert!((interval("tps_log").low() - log.low()).abs() < 1e-14);
    assert!((interval("tps_log").high() - log.high()).abs() < 1e-14);

    // A weight of 2 is the trace twice in its task, for intervals too.
    let weights = vec![Weight::from(2); rows.len()];
    let weighted = stream.estimates(Some(&weights), resampling).unwrap();
    for key in ["tps_log", "auroc", "average_precision", "t_brier"] {
        let found = figure(&weighted, key).interval.unwrap();
        assert!((found.low() - interval(key).low()).abs() < 1e-13, "{key}");
        assert!((found.high() - interval(key).high()).abs() < 1e-13, "{key}");
    }

    let few = Bootstrap::rows(rows.len() - 1, Seed(3)).unwrap();
    let few = Some(Resampling { bootstrap: &few, resamples: 200, level });
    let error = stream.estimates(None, few).unwrap_err();
    assert!(
        matches!(error, Error::ScoringRules(Shared::Length { what: "rows of the bootstrap", .. })),
        "{error}"
    );
}

#[test]
fn the_choice_of_a_summary_changes_the_diagnostics_and_no_trajectory_score() {
    // The first run starts low and ends high; the second is the opposite; the third is flat.
    let values = [0.2, 0.8, 0.9, 0.9, 0.3, 0.1, 0.5, 0.5, 0.5];
    let rows = Traces::from_flat(&values, &[3, 6, 9], &[true, false, true]).unwrap();
    let by = |summary: &Summary| scored(&rows, summary).estimates(None, None).unwrap();
    let auroc_of = |summary: &Summary| figure(&by(summary), "auroc").value;
    assert_eq!((auroc_of(&Summary::Last), auroc_of(&Summary::Minimum)), (1.0, 1.0));
    assert_eq!((auroc_of(&Summary::Mean), auroc_of(&weighted_mean())), (1.0, 0.0));
    for summary in Summary::UNWEIGHTED {
        assert_eq!(by(&summary)[..3], plain(&rows)[..3]);
    }
    // A weighted mean under another schedule is one more summary.
    assert_eq!(by(&Summary::Weighted(WeightSchedule::Uniform)), by(&Summary::Mean));
}

#[test]
fn the_trajectory_score_moves_while_ranks_stand_still() {
    let (raw, _) = overconfident();
    let ids: Vec<usize> = (0..raw.len()).collect();
    let folds = Folds::new(raw.outcomes(), &ids, 2).unwrap();
    let found = FixedRankSensitivity::new(&raw, &folds, &WeightSchedule::LinearFront).unwrap();
    assert!(found.platt > found.identity + 0.5 && found.affine > found.identity);
    assert!(found.square_root < found.identity, "raises forecasts that are too high");
    let best = found.platt.max(found.affine);
    assert!((found.span() - (best - found.square_root)).abs() < 1e-15);
}

#[test]
fn each_transform_is_scored_on_the_transformed_forecasts() {
    let outcomes = [true, false, false, true];
    let raw = Traces::from_flat(&[0.25, 0.64, 0.25, 0.64], &[1, 2, 3, 4], &outcomes).unwrap();
    let folds = Folds::new(&outcomes, &[1, 2, 3, 4], 2).unwrap();
    let found = FixedRankSensitivity::new(&raw, &folds, &WeightSchedule::Uniform).unwrap();
    // Both forecasts succeed once and fail once.
    let mean = |a: f64, b: f64| (a.ln() + (1.0 - a).ln() + b.ln() + (1.0 - b).ln()) / 4.0;
    let want = [
        (found.identity, mean(0.25, 0.64)),
        (found.affine, mean(0.45, 0.528)),
        (found.square_root, mean(0.5, 0.8)),
        (found.square, mean(0.0625, 0.4096)),
    ];
    for (score, by_hand) in want {
        assert!((score - by_hand).abs() < 1e-14, "{score} against {by_hand}");
    }
}

#[test]
fn a_transform_of_forecasts_can_change_the_ranks_of_their_means() {
    // Why the scalar is held fixed: (0.5, 0.5) is below (0.9, 0.15), its square roots are above.
    let rows = Traces::from_flat(&[0.5, 0.5, 0.9, 0.15], &[2, 4], &[true, false]).unwrap();
    let rank = |traces: &Traces| {
        let summary = Summary::Mean.forecasts(traces).unwrap();
        auroc(&TiedBlocks::new(&summary, traces.outcomes(), None).unwrap()).unwrap()
    };
    let roots = rows.map_forecasts(|_, p| probability(p.get().sqrt()));
    assert_eq!((rank(&rows), rank(&roots)), (0.0, 1.0));
}

#[test]
fn a_change_over_its_standard_error_uses_the_paired_differences() {
    let (raw, tasks) = overconfident();
    let schedule = WeightSchedule::LinearFront;
    let folds = Folds::clustered(raw.outcomes(), &tasks, 2).unwrap();
    let calibrated = CrossFit::new(&Platt::default(), &raw, &folds, &schedule).unwrap().traces;
    let bootstrap = Bootstrap::clusters(&tasks, Seed(3)).unwrap();
    let changes = changes_of([&raw, &calibrated], &folds, &schedule, &bootstrap, 4_000).unwrap();
    let names: Vec<&str> = changes.iter().map(|change| change.measure.key).collect();
    let diagnostics = ["auroc", "average_precision", "aurc", "t_ece", "t_brier"];
    assert_eq!(names, [&["tps_log", "tps_brier", "tps_beta_2_4"][..], &diagnostics].concat());

    // The standard error of a mean over clusters of two, by its formula.
    let scores = |traces: &Traces| TpsFamily::scores(traces, &schedule).unwrap().log;
    let differences: Vec<f64> =
        scores(&calibrated).iter().zip(scores(&raw)).map(|(b, a)| b - a).collect();
    let mean = differences.iter().sum::<f64>() / 90.0;
    let clusters = differences.chunks(2).map(|pair| (pair[0] + pair[1] - 2.0 * mean).powi(2));
    let standard_error = clusters.sum::<f64>().sqrt() / 90.0;
    let log = changes[0].difference.as_ref().unwrap();
    assert!((log.estimate() - mean).abs() < 1e-12);
    let error = log.standard_error().unwrap();
    assert!((error / standard_error - 1.0).abs() < 0.05, "{error} {standard_error}");
    assert_eq!(log.in_standard_errors(), Some(log.estimate() / error));

    let same = changes_of([&raw, &raw], &folds, &schedule, &bootstrap, 50).unwrap();
    for MetricChange { measure, difference, .. } in same {
        if measure.key == "t_ece" {
            // Its bias is not the same for both.
            assert!(matches!(difference, Err(Error::ScoringRules(Shared::Undefined { .. }))));
            continue;
        }
        let none = difference.unwrap();
        let found = (none.estimate(), none.standard_error(), none.in_standard_errors());
        assert_eq!(found, (0.0, Some(0.0), None), "{}", measure.key);
    }
}

/// Each map is increasing, so that it leaves the ranks of runs of one forecast within its half as they are, however much
/// the two maps differ.
#[test]
fn calibration_by_two_increasing_maps_changes_no_metric_of_ranks() {
    let (raw, tasks) = overconfident();
    let first = |trace: Trace<'_>| ([trace.forecasts()[0].get()], trace.outcome());
    let raw = traces_of(raw.iter().map(first));
    let schedule = WeightSchedule::LinearFront;
    let folds = Folds::clustered(raw.outcomes(), &tasks, 2).unwrap();
    // The second half is lower by far.
    let lowered = raw.map_forecasts(|trace, p| {
        let by = if folds.of_each()[trace] == 0 { 1.0 } else { 0.1 };
        probability(by * p.get())
    });
    let bootstrap = Bootstrap::clusters(&tasks, Seed(3)).unwrap();
    let changes = changes_of([&raw, &lowered], &folds, &schedule, &bootstrap, 50).unwrap();
    for change in
        changes.iter().filter(|it| ["auroc", "average_precision", "aurc"].contains(&it.measure.key))
    {
        let difference = change.difference.as_ref().unwrap();
        assert_eq!(difference.estimate(), 0.0, "{}", change.measure.key);
        assert_eq!(difference.standard_error(), Some(0.0));
        assert_eq!(change.raw, change.calibrated);
    }
    // The plain mean of both halves.
    let half = |fold: usize| {
        let of: Vec<usize> = (0..raw.len()).filter(|&row| folds.of_each()[row] == fold).collect();
        let confidence: Vec<Probability> =
            of.iter().map(|&row| raw.iter().nth(row).unwrap().forecasts()[0]).collect();
        let outcomes: Vec<bool> = of.iter().map(|&row| raw.outcomes()[row]).collect();
        auroc(&TiedBlocks::new(&confidence, &outcomes, None).unwrap()).unwrap()
    };
    let mean = 0.5 * half(0) + 0.5 * half(1);
    assert!((changes[3].raw.clone().unwrap() - mean).abs() < 1e-15);
}

#[test]
fn streams_of_different_runs_are_refused() {
    let (raw, tasks) = overconfident();
    let schedule = WeightSchedule::Uniform;
    let bootstrap = Bootstrap::clusters(&tasks, Seed(1)).unwrap();
    let folds = Folds::clustered(raw.outcomes(), &tasks, 2).unwrap();
    let compare = |other: &Traces, bootstrap: &Bootstrap, resamples| {
        changes_of([&raw, other], &folds, &schedule, bootstrap, resamples)
            .map(|changes| changes.into_iter().map(|named| named.difference).collect::<Vec<_>>())
            .map_err(|error| error.to_string())
    };
    let message = |error: Error| error.to_string();
    let shorter = Traces::from_flat(&[0.5], &[1], &[true]).unwrap();
    let what = "calibrated traces";
    let error = compare(&shorter, &bootstrap, 5).unwrap_err();
    assert_eq!(error, message(scoring_rules::checks::length(what, 90, 1).into()));
    let mut other = Traces::default();
    for (i, trace) in raw.iter().enumerate() {
        other.push(trace.forecasts(), trace.outcome() != (i == 7)).unwrap();
    }
    let error = compare(&other, &bootstrap, 5).unwrap_err();
    assert!(error.starts_with("row 7: the outcomes of the two samples differ"), "{error}");
    let few = Bootstrap::rows(3, Seed(1)).unwrap();
    let what = "rows of the bootstrap";
    let error = compare(&raw, &few, 5).unwrap_err();
    assert_eq!(error, message(scoring_rules::checks::length(what, 90, 3).into()));
    for change in compare(&raw, &bootstrap, 1).unwrap() {
        assert!(change.map_or(true, |change| change.standard_error().is_none()));
    }
}

//! Calibration of runs of which some were cut off.

use censoring::{
    CalibratedRuns, CalibrationRuns, CensoringAnalysis, CensoringAssumption, Error, Folds,
    Probability, StopReason, Stopped, WeightSchedule,
};
use trajectory_metrics::{CalibrationMap, Calibrator, CrossFit, Platt, PlattMap, Traces};

use crate::{censored, length, p, w};

/// A task, the forecasts of a run, and its outcome if it is known.
type Stream = (u32, Vec<Probability>, Option<bool>);

/// Ten tasks with three complete runs and two that were cut off, of different lengths.
fn streams() -> Vec<Stream> {
    (0..50_u32)
        .map(|i| {
            let steps = 2 + (i * 7 % 5) as usize;
            let outcome = (i % 5 < 3).then_some(i % 3 == 0);
            let level = if outcome == Some(true) { 0.55 } else { 0.4 };
            let forecast = |t: usize| p(level + 0.3 * ((f64::from(i) * 1.7 + t as f64).sin()));
            (i / 5, (0..steps).map(forecast).collect(), outcome)
        })
        .collect()
}

fn stopped(streams: &[Stream]) -> Vec<Stopped<'_>> {
    fn run((_, forecasts, outcome): &Stream) -> Stopped<'_> {
        let run = Stopped::new(forecasts, *outcome, Some(StopReason::MaxSteps)).unwrap();
        run.with_horizon(forecasts.len() + usize::from(outcome.is_none())).unwrap()
    }
    streams.iter().map(run).collect()
}

fn folds(streams: &[Stream]) -> Folds {
    let tasks: Vec<u32> = streams.iter().map(|stream| stream.0).collect();
    let successes: Vec<bool> = streams.iter().map(|stream| stream.2 == Some(true)).collect();
    Folds::clustered(&successes, &tasks, 2).unwrap()
}

const SCHEDULE: WeightSchedule = WeightSchedule::LinearFront;

fn fit(
    runs: &[Stopped<'_>],
    folds: &Folds,
    fitted_on: CalibrationRuns,
) -> Result<CalibratedRuns<PlattMap>, Error> {
    CalibratedRuns::cross_fit(&Platt::default(), runs, folds, &SCHEDULE, fitted_on)
}

#[test]
fn weights_of_late_steps_that_are_too_small_for_a_row_do_not_stop_a_fit() {
    // Under exponential-front weights, step 333 has a weight below 1e-100.
    let long: Vec<Probability> = (0..600).map(|t| p(0.3 + 0.4 * f64::from(t % 2))).collect();
    let streams: Vec<_> =
        (0..8_u32).map(|i| (i / 2, long.clone(), (i != 7).then_some(i % 2 == 0))).collect();
    let (runs, folds) = (stopped(&streams), folds(&streams));
    let schedule = WeightSchedule::ExponentialFront;
    let platt = Platt::default();
    let short: Vec<_> =
        streams.iter().map(|(task, long, y)| (*task, long[..300].to_vec(), *y)).collect();
    let fit = |runs: &[Stopped<'_>]| {
        CalibratedRuns::cross_fit(
            &platt,
            runs,
            &folds,
            &schedule,
            CalibrationRuns::CutOffAsFailures,
        )
        .unwrap()
    };
    // Steps 301 to 600 have less than 1e-90 of the weight.
    assert_eq!(fit(&runs).maps, fit(&stopped(&short)).maps);
    let traces = |streams: &[Stream]| {
        let mut traces = Traces::default();
        streams.iter().for_each(|(_, p, y)| traces.push(p, y.unwrap_or_default()).unwrap());
        traces
    };
    let maps = |streams| CrossFit::new(&platt, &traces(streams), &folds, &schedule).unwrap();
    assert_eq!(maps(&streams).maps, maps(&short).maps);
}

#[test]
fn maps_are_those_of_the_complete_runs_alone_and_are_applied_to_every_run() {
    let streams = streams();
    let (runs, folds) = (stopped(&streams), folds(&streams));
    let fitted = fit(&runs, &folds, CalibrationRuns::Complete).unwrap();
    for (fold, map) in fitted.maps.iter().enumerate() {
        let mut traces = Traces::default();
        for (i, (_, forecasts, outcome)) in streams.iter().enumerate() {
            if let (Some(outcome), true) = (*outcome, folds.of_each()[i] != fold) {
                traces.push(forecasts, outcome).unwrap();
            }
        }
        let (mut forecasts, mut outcomes, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for trace in traces.iter() {
            forecasts.extend_from_slice(trace.forecasts());
            outcomes.resize(forecasts.len(), trace.outcome());
            weights.extend(SCHEDULE.weights(trace.forecasts().len()).unwrap());
        }
        let weights = w(&weights);
        assert_eq!(*map, Platt::default().fit(&forecasts, &outcomes, Some(weights)).unwrap());
    }
    let calibrated = fitted.runs(&runs).unwrap();
    for (i, (raw, run)) in runs.iter().zip(&calibrated).enumerate() {
        let map = &fitted.maps[folds.of_each()[i]];
        let expected: Vec<Probability> = raw.forecasts().iter().map(|&f| map.apply(f)).collect();
        assert_eq!(run.forecasts(), expected);
        assert_eq!((run.horizon(), run.class()), (raw.horizon(), raw.class()));
        assert_eq!((run.outcome(), run.reason()), (raw.outcome(), raw.reason()));
    }
}

#[test]
fn without_cut_off_runs_it_is_the_cross_fit_of_traces() {
    let complete: Vec<_> = streams().into_iter().filter(|stream| stream.2.is_some()).collect();
    let (runs, folds) = (stopped(&complete), folds(&complete));
    let mut traces = Traces::default();
    complete.iter().for_each(|stream| traces.push(&stream.1, stream.2.unwrap()).unwrap());
    let of_traces = CrossFit::new(&Platt::default(), &traces, &folds, &SCHEDULE).unwrap();
    for fitted_on in [CalibrationRuns::Complete, CalibrationRuns::CutOffAsFailures] {
        let of_runs = fit(&runs, &folds, fitted_on).unwrap();
        assert_eq!(of_runs.maps, of_traces.maps);
        let calibrated = of_traces.traces.iter().zip(&of_runs.forecasts);
        assert!(calibrated.into_iter().all(|(trace, run)| trace.forecasts() == run));
    }
}

#[test]
fn the_forecasts_of_a_cut_off_run_change_no_map() {
    let streams = streams();
    let mut changed = streams.clone();
    for stream in changed.iter_mut().filter(|stream| stream.2.is_none()) {
        stream.1.fill(p(0.999));
    }
    let folds = folds(&streams);
    let maps = |streams: &[_], fitted_on| fit(&stopped(streams), &folds, fitted_on).unwrap().maps;
    let complete = CalibrationRuns::Complete;
    assert_eq!(maps(&streams, complete), maps(&changed, complete));
    let as_failures = CalibrationRuns::CutOffAsFailures;
    assert_ne!(maps(&streams, as_failures), maps(&changed, as_failures));
}

#[test]
fn a_stream_without_information_gives_the_action_span_rows_of_table_11() {
    // 118 successes among 163 complete runs and 145 runs at the budget of 30 steps.
    let forecast = [p(0.9); 30];
    let runs: Vec<Stopped<'_>> = (0..308)
        .map(|i| match i {
            0..163 => Stopped::new(&forecast[..10], Some(i < 118), None).unwrap(),
            _ => censored(&forecast),
        })
        .collect();
    let ids: Vec<u32> = (0..308).collect();
    let as_failure: Vec<bool> = runs.iter().map(|run| run.outcome() == Some(true)).collect();
    let folds = Folds::new(&as_failure, &ids, 2).unwrap();
    let shifts = |fitted_on| {
        let fit = fit(&runs, &folds, fitted_on).unwrap();
        let analysis =
            CensoringAnalysis::new(CensoringAssumption::FailureSide).with_intervals(None);
        let report = analysis.report(&fit.runs(&runs).unwrap(), None, None, &ids).unwrap();
        let row = |rule| report.comparison(rule, "linear-front").unwrap().simple_shift.unwrap();
        [row("log").value, row("brier").value, row("beta_2_4").value]
    };
    let [log, brier, beta] = shifts(CalibrationRuns::CutOffAsFailures);
    assert_eq!(format!("{log:+.4} {brier:+.4} {beta:+.5}"), "+0.1623 +0.0797 +0.00057");
    // Maps of complete runs give 118 of 163, which cut-off runs as failures contradict.
    assert!(shifts(CalibrationRuns::Complete)[0] < -0.2);
}

#[test]
fn wrong_lengths_and_folds_without_enough_runs_are_named() {
    let streams = streams();
    let (runs, folds) = (stopped(&streams), folds(&streams));
    let complete = CalibrationRuns::Complete;
    assert_eq!(fit(&runs[1..], &folds, complete).map(drop), Err(length("folds", 49, 50)));
    let fitted = fit(&runs, &folds, complete).unwrap();
    assert_eq!(fitted.runs(&runs[1..]).map(drop), Err(length("runs", 50, 49)));
    let error = runs[0].with_forecasts(&[]).unwrap_err();
    assert_eq!(error, length("forecasts", runs[0].forecasts().len(), 0));

    let cut_off: Vec<Stopped<'_>> =
        runs.iter().filter(|r| r.outcome().is_none()).cloned().collect();
    let ids: Vec<usize> = (0..cut_off.len()).collect();
    let halves = Folds::new(&vec![false; cut_off.len()], &ids, 2).unwrap();
    let error = fit(&cut_off, &halves, complete).unwrap_err();
    assert!(matches!(error, Error::Fold { fold: 0, .. }), "{error}");
}

use censoring::{
    CensoringAnalysis, CensoringAssumption, Continuations, CrossFitSuccess, Error, Folds,
    Intervals, IpcwWeights, KaplanMeier, LogisticSuccess, RunScore, Seed, StopReason, StopTimes,
    Stopped, TerminationAudit, TiltedMean, exact_mean_score, mean_score_bounds, prefix_features,
    simple_mean_score,
};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use scoring_rules::{AnyRule, Level, Probability};
use trajectory_metrics::Tps;

use crate::{
    choices::choice,
    errors::{Failure, invalid},
    group_columns,
    interruptible::interruptible,
    number_arrays::{checked, floats, run, weights},
    outcome_columns::{counts_or_missing, outcomes, outcomes_or_missing, texts_or_missing},
    results::to_python,
    streams::TrajectoryScore,
};

type Values<'py> = Bound<'py, PyAny>;
type Array<'py> = Bound<'py, PyArray1<f64>>;

/// How a run without an outcome is treated that ended for this reason.
#[pyfunction]
pub(crate) fn stop_class(reason: String) -> String {
    StopReason::from(reason).class().to_string()
}

/// One run: where its forecasts end, its outcome, why it ended, and its horizon.
#[derive(Clone)]
struct Run {
    end: usize,
    outcome: Option<bool>,
    reason: Option<StopReason>,
    horizon: Option<usize>,
}

/// Runs of which some have no outcome.
#[pyclass(frozen, module = "agent_scorecard")]
#[derive(Clone)]
pub(crate) struct StoppedRuns {
    forecasts: Vec<f64>,
    runs: Vec<Run>,
}

impl StoppedRuns {
    fn stopped(&self) -> Result<Vec<Stopped<'_>>, Error> {
        let forecasts = Probability::from_slice(&self.forecasts)?;
        let mut start = 0;
        let run = |(position, run): (usize, &Run)| {
            let observed = &forecasts[start..run.end];
            start = run.end;
            let stopped = Stopped::new(observed, run.outcome, run.reason.clone());
            let stopped = match run.horizon {
                None => stopped,
                Some(horizon) => stopped.and_then(|stopped| stopped.with_horizon(horizon)),
            };
            stopped.map_err(|source| Error::of_run(position, source))
        };
        self.runs.iter().enumerate().map(run).collect()
    }

    /// Computes a quantity of the runs.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&[Stopped<'_>]) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        run(py, self.forecasts.len(), || work(&self.stopped()?))
    }
}

#[pymethods]
impl StoppedRuns {
    #[new]
    fn new(
        values: &Values<'_>,
        ends: Vec<usize>,
        y_true: &Values<'_>,
        reasons: Option<&Values<'_>>,
        horizons: Option<&Values<'_>>,
    ) -> PyResult<Self> {
        let forecasts = floats("values", values)?.as_slice()?.to_vec();
        let n = ends.len();
        let outcomes = outcomes_or_missing("y_true", y_true)?;
        let reasons = reasons.map(|it| texts_or_missing("reasons", it)).transpose()?;
        let reasons = reasons.unwrap_or_else(|| vec![None; n]);
        let horizons = horizons.map(|it| counts_or_missing("horizons", it)).transpose()?;
        let horizons = horizons.unwrap_or_else(|| vec![None; n]);
        for (what, found) in
            [("y_true", outcomes.len()), ("reasons", reasons.len()), ("horizons", horizons.len())]
        {
            crate::number_arrays::same_length(what, n, found)?;
        }
        if !ends.is_sorted() || ends.last().copied().unwrap_or(0) != forecasts.len() {
            return Err(invalid("the ends of the runs must rise to the number of values"));
        }
        let runs = ends
            .into_iter()
            .zip(outcomes)
            .zip(reasons.into_iter().map(|reason| reason.map(StopReason::from)))
            .zip(horizons)
            .map(|(((end, outcome), reason), horizon)| Run { end, outcome, reason, horizon })
            .collect();
        let made = Self { forecasts, runs };
        made.stopped().map_err(Failure::from)?;
        Ok(made)
    }

    fn __len__(&self) -> usize {
        self.runs.len()
    }

    fn __repr__(&self) -> String {
        format!("StoppedRuns({} runs, {} steps)", self.runs.len(), self.forecasts.len())
    }

    /// Counts by class and reason: a row per class and reason, and the censoring rate.
    fn audit<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let audit = self.with(py, |runs| Ok(runs.iter().collect::<TerminationAudit>()))?;
        let rows: Vec<_> = audit
            .rows()
            .map(|(class, reason, group)| {
                let reason = reason.map(ToString::to_string);
                (class.to_string(), reason, group.runs, group.mean_length, group.mean_forecast)
            })
            .collect();
        Ok((rows, audit.censoring_rate().ok()).into_pyobject(py)?.into_any())
    }

    /// The simple mean, or the exact mean where probabilities of success are given.
    fn mean_score(
        &self,
        py: Python<'_>,
        tps: &Bound<'_, TrajectoryScore>,
        success_probability: Option<&Values<'_>>,
        sample_weight: Option<&Values<'_>>,
    ) -> PyResult<f64> {
        let tps = &tps.get().tps;
        let success =
            success_probability.map(|it| floats("success_probability", it)).transpose()?;
        let success = success.as_ref().map(|it| it.as_slice()).transpose()?;
        let weights = weights(sample_weight)?;
        let weights = checked(&weights)?;
        self.with(py, |runs| match success {
            None => simple_mean_score(tps, runs, weights),
            Some(success) => {
                exact_mean_score(tps, runs, Probability::from_slice(success)?, weights)
            }
        })
    }

    /// The smallest and the largest mean over all outcomes of the cut-off runs.
    fn bounds(
        &self,
        py: Python<'_>,
        tps: &Bound<'_, TrajectoryScore>,
        sample_weight: Option<&Values<'_>>,
    ) -> PyResult<(f64, f64)> {
        let tps = &tps.get().tps;
        let weights = weights(sample_weight)?;
        let weights = checked(&weights)?;
        let bounds = self.with(py, |runs| mean_score_bounds(tps, runs, None, weights))?;
        Ok((bounds.low(), bounds.high()))
    }

    /// The probability of success after the stop of each run, from a logistic regression on prefixes of the
    /// runs of other groups: on the number of steps, and on forecasts of other streams of the same runs, never
    /// on the forecasts that are scored. Branches are the successes and failures of each run.
    fn success_probability<'py>(
        &self,
        py: Python<'py>,
        groups: &Values<'py>,
        settings: (usize, f64),
        others: Vec<Values<'py>>,
        branches: Option<Vec<(u64, u64)>>,
        sample_weight: Option<&Values<'py>>,
    ) -> PyResult<Array<'py>> {
        let weights = weights(sample_weight)?;
        let weights = checked(&weights)?;
        let groups = group_columns::groups(groups)?;
        let (folds, penalty) = settings;
        let mut streams = Vec::with_capacity(others.len());
        for (place, other) in others.iter().enumerate() {
            let forecasts = floats("others", other)?.as_slice()?.to_vec();
            crate::number_arrays::same_length("others", self.forecasts.len(), forecasts.len())?;
            if forecasts == self.forecasts {
                return Err(invalid(format!(
                    "others[{place}] has the forecasts that are scored; they must not teach their own probability of success"
                )));
            }
            streams.push(forecasts);
        }
        let branches: Option<Vec<Continuations>> = branches.map(|all| {
            let of_run = |(successes, failures)| Continuations {
                successes,
                failures,
                ..Continuations::default()
            };
            all.into_iter().map(of_run).collect()
        });
        let found: Vec<f64> = self.with(py, |runs| {
            let successes: Vec<bool> =
                self.runs.iter().map(|run| run.outcome == Some(true)).collect();
            let folds = Folds::clustered(&successes, &groups, folds)?;
            let streams = streams
                .iter()
                .map(|forecasts| Probability::from_slice(forecasts))
                .collect::<Result<Vec<_>, _>>()?;
            let features = |run: usize, t: usize| {
                let start = run.checked_sub(1).map_or(0, |before| self.runs[before].end);
                let mut features = vec![(t as f64).ln_1p()];
                for forecasts in &streams {
                    // The number of steps, the last feature, is there already.
                    features.extend(&prefix_features(&forecasts[start..start + t])[..3]);
                }
                features
            };
            let learner = LogisticSuccess::new(penalty)?;
            let models = CrossFitSuccess::new(
                &learner,
                runs,
                features,
                &folds,
                branches.as_deref(),
                weights,
            )?;
            let chance = |(run, stopped): (usize, &Stopped<'_>)| {
                let features = features(run, stopped.forecasts().len());
                Ok(models.success_probability(run, &features)?.get())
            };
            runs.iter().enumerate().map(chance).collect()
        })?;
        Ok(found.into_pyarray(py))
    }

    /// The expected score of each run, given the probability of success after its stop.
    fn expected_scores<'py>(
        &self,
        py: Python<'py>,
        tps: &Bound<'py, TrajectoryScore>,
        success_probability: &Values<'py>,
    ) -> PyResult<Array<'py>> {
        let tps = &tps.get().tps;
        let success = floats("success_probability", success_probability)?;
        let success = success.as_slice()?;
        crate::number_arrays::same_length("success_probability", self.runs.len(), success.len())?;
        let scores = self.with(py, |runs| run_scores(tps, runs, success))?;
        Ok(scores.iter().map(RunScore::expected).collect::<Vec<f64>>().into_pyarray(py))
    }

    /// The odds ratios nearest to 1, below and above, at which the exact mean score crosses a threshold.
    fn flipping_odds(
        &self,
        py: Python<'_>,
        tps: &Bound<'_, TrajectoryScore>,
        success_probability: &Values<'_>,
        threshold: f64,
    ) -> PyResult<(Option<f64>, Option<f64>)> {
        let tps = &tps.get().tps;
        let success = floats("success_probability", success_probability)?;
        let success = success.as_slice()?;
        crate::number_arrays::same_length("success_probability", self.runs.len(), success.len())?;
        let odds = self.with(py, |runs| {
            TiltedMean::new(&run_scores(tps, runs, success)?, None)?.flip_at(threshold)
        })?;
        Ok((odds.below, odds.above))
    }

    /// The report that compares the treatments of cut-off runs, and the share of runs that complete ones can represent
    /// if they are weighted by their numbers of steps.
    fn report<'py>(
        &self,
        py: Python<'py>,
        assumption: &str,
        groups: &Values<'py>,
        settings: (usize, u64, f64, f64),
        success_probability: Option<&Values<'py>>,
        sample_weight: Option<&Values<'py>>,
    ) -> PyResult<(Bound<'py, PyAny>, f64)> {
        let assumptions = [
            ("non_informative", CensoringAssumption::NonInformative),
            ("failure_side", CensoringAssumption::FailureSide),
            ("none", CensoringAssumption::None),
        ];
        let assumption = choice("assumption", assumption, &assumptions)?;
        let success =
            success_probability.map(|it| floats("success_probability", it)).transpose()?;
        let success = success.map(|it| Ok::<_, PyErr>(it.as_slice()?.to_vec())).transpose()?;
        let weights = weights(sample_weight)?;
        let weights = checked(&weights)?.map(<[_]>::to_vec);
        let groups = group_columns::groups(groups)?;
        let (resamples, seed, level, odds_ratio) = settings;
        let own = self.clone();
        let found = interruptible(py, move || {
            let runs = own.stopped()?;
            let weights = weights.as_deref();
            let intervals = Intervals { level: Level::new(level)?, resamples, seed: Seed(seed) };
            let analysis = CensoringAnalysis::new(assumption)
                .with_intervals(Some(intervals))
                .with_odds_ratio(odds_ratio)?;
            let success = success.as_deref().map(Probability::from_slice).transpose()?;
            let report = analysis.report(&runs, success, weights, &groups)?;
            let coverage = report.ipcw_coverage;
            Ok::<_, Error>((report, coverage))
        })?;
        let (report, coverage) = found.map_err(Failure::from)?;
        Ok((to_python(py, &report.comparisons)?, coverage))
    }
}

fn run_scores(
    tps: &Tps<AnyRule>,
    runs: &[Stopped<'_>],
    success: &[f64],
) -> Result<Vec<RunScore>, Error> {
    let success = Probability::from_slice(success)?;
    runs.iter().zip(success).map(|(run, &success)| RunScore::new(tps, run, success)).collect()
}

/// The share of runs that complete runs can represent under this curve.
fn coverage(stops: &StopTimes, curve: &KaplanMeier) -> Result<f64, Error> {
    // Only rounding can lead above 1.
    Ok(IpcwWeights::new(stops, |_| curve, f64::INFINITY)?.coverage().min(1.0))
}

/// The times of a Kaplan-Meier curve and its value from each time on.
#[pyfunction]
pub(crate) fn kaplan_meier<'py>(
    py: Python<'py>,
    times: &Values<'py>,
    censored: &Values<'py>,
    of_censoring: bool,
    sample_weight: Option<&Values<'py>>,
) -> PyResult<(Array<'py>, Array<'py>)> {
    let censored = outcomes("censored", censored)?;
    let times = floats("times", times)?;
    let times = times.as_slice()?;
    let weights = weights(sample_weight)?;
    let weights = checked(&weights)?;
    let curve = run(py, times.len(), || {
        let stops = StopTimes::new(times, &censored, weights)?;
        Ok::<_, Error>(if of_censoring {
            KaplanMeier::censoring_curve(&stops)
        } else {
            KaplanMeier::event_curve(&stops)
        })
    })?;
    let (times, survival): (Vec<f64>, Vec<f64>) = curve.steps().unzip();
    Ok((times.into_pyarray(py), survival.into_pyarray(py)))
}

/// Inverse-probability weights of the runs under their own censoring curve, and the share of runs that they represent
/// before and after they are truncated.
#[pyfunction]
pub(crate) fn ipcw_weights<'py>(
    py: Python<'py>,
    times: &Values<'py>,
    censored: &Values<'py>,
    max_weight: f64,
) -> PyResult<(Array<'py>, f64, f64)> {
    let censored = outcomes("censored", censored)?;
    let times = floats("times", times)?;
    let times = times.as_slice()?;
    let (found, whole, kept): (Vec<f64>, f64, f64) = run(py, times.len(), || {
        let stops = StopTimes::new(times, &censored, None)?;
        let curve = KaplanMeier::censoring_curve(&stops);
        let weights = IpcwWeights::new(&stops, |_| &curve, max_weight)?;
        let kept = weights.coverage().min(1.0);
        let weights = weights.as_slice().iter().map(|weight| weight.get()).collect();
        Ok::<_, Error>((weights, coverage(&stops, &curve)?, kept))
    })?;
    Ok((found.into_pyarray(py), whole, kept))
}

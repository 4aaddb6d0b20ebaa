//! The runs of one file that were cut off or are complete, and a model of their success.

use std::collections::BTreeMap;

use censoring::{
    Error, Folds, IpcwWeights, KaplanMeier, LogisticSuccess, Observation, StopTimes, Stopped,
    TerminationAudit, Weight, cross_fit_success, plug_in_bias, prefix_features,
};
use trajectory_metrics::{LogScore, Probability, Tps};

use crate::traces::trace_file::Run;

/// Folds of the model of success.
pub(crate) const FOLDS: usize = 5;

/// The complete and censored runs of one file.
pub(crate) struct Sample<'a> {
    pub(crate) file: String,
    pub(crate) runs: Vec<&'a Run>,
    pub(crate) stopped: Vec<Stopped<'a>>,
    pub(crate) audit: TerminationAudit,
}

impl<'a> Sample<'a> {
    pub(crate) fn new(file: &str, all: &'a [Run]) -> Result<Self, Error> {
        let mut audit = TerminationAudit::default();
        let (mut runs, mut stopped) = (Vec::new(), Vec::new());
        for run in all {
            let stop = run.stopped()?;
            audit.update(&stop);
            if !matches!(stop.observation(), Observation::Excluded(_)) {
                runs.push(run);
                stopped.push(stop);
            }
        }
        Ok(Self { file: file.to_owned(), runs, stopped, audit })
    }

    /// The same runs with other forecasts.
    pub(crate) fn with_runs<'b>(&self, stopped: Vec<Stopped<'b>>) -> Sample<'b>
    where
        'a: 'b,
    {
        let audit = self.audit.clone();
        Sample { file: self.file.clone(), runs: self.runs.clone(), stopped, audit }
    }

    /// The task of each run; a run without one is a task of its own.
    pub(crate) fn tasks(&self) -> Vec<&'a String> {
        self.runs.iter().map(|run| run.task.as_ref().unwrap_or(&run.id)).collect()
    }

    pub(crate) fn outcome(&self, run: usize) -> Option<bool> {
        match self.stopped[run].observation() {
            Observation::Complete(trace) => Some(trace.outcome()),
            _ => None,
        }
    }

    /// Whether two files hold the same runs in the same order.
    pub(crate) fn has_runs_of(&self, other: &Self) -> bool {
        let same = |i: usize| {
            let (a, b) = (&self.stopped[i], &other.stopped[i]);
            self.runs[i].id == other.runs[i].id
                && self.outcome(i) == other.outcome(i)
                && (a.horizon(), a.forecasts().len()) == (b.horizon(), b.forecasts().len())
        };
        self.runs.len() == other.runs.len() && (0..self.runs.len()).all(same)
    }

    /// Inverse-probability weights of the runs, by the time of their stop in steps.
    pub(crate) fn ipcw(&self, tps: &Tps<LogScore>) -> Result<(f64, Vec<f64>, f64), Error> {
        let times: Vec<f64> = self.stopped.iter().map(|run| run.forecasts().len() as f64).collect();
        let known: Vec<Option<bool>> = (0..self.runs.len()).map(|run| self.outcome(run)).collect();
        let cut_off: Vec<bool> = known.iter().map(Option::is_none).collect();
        let stops = StopTimes::new(&times, &cut_off, None)?;
        let g = KaplanMeier::censoring_curve(&stops);
        let weights = IpcwWeights::new(&stops, |_| &g, f64::INFINITY)?;
        let score = |(run, known): (&Stopped<'_>, &Option<bool>)| {
            known.map(|y| tps.prefix_score(run.forecasts(), y, run.horizon())).transpose()
        };
        let scores: Vec<Option<f64>> =
            self.stopped.iter().zip(&known).map(score).collect::<Result<_, _>>()?;
        let mean = weights.normalized_mean_score(&scores)?;
        Ok((mean, Weight::as_f64_slice(weights.as_slice()).to_vec(), weights.coverage()))
    }
}

/// The chance of success after each stop, learnt from complete runs of other folds by all streams
/// that belong to the runs, and how far the model is off where
/// runs were cut off, on complete runs that went further.
pub(crate) fn learn(
    tps: &Tps<LogScore>,
    samples: &[Sample<'_>],
) -> Result<(Vec<Probability>, Option<f64>), Error> {
    let sample = &samples[0];
    let n = sample.runs.len();
    let features = |run: usize, t: usize| {
        let mut features = vec![(t as f64).ln_1p()];
        for sample in samples {
            // The number of steps, the last feature, is the same in every stream.
            features.extend(&prefix_features(&sample.stopped[run].forecasts()[..t])[..3]);
        }
        features
    };
    // Complete runs stand for those like them that were cut off.
    let (_, weights, _) = sample.ipcw(tps)?;
    let tasks = sample.tasks();
    let successes: Vec<bool> = (0..n).map(|run| sample.outcome(run) == Some(true)).collect();
    let folds = Folds::clustered(&successes, &tasks, FOLDS)?;
    let learner = LogisticSuccess::default();
    let models = cross_fit_success(
        &learner,
        &sample.stopped,
        features,
        &folds,
        None,
        Some(Weight::from_slice(&weights)?),
    )?;
    let chance = |run: usize, t: usize| models.success_probability(run, &features(run, t));
    // Where runs were cut off, on complete runs that went further: what is audited must not depend on
    // how a run went on.
    let mut stops = BTreeMap::new();
    for (run, stopped) in sample.stopped.iter().enumerate() {
        if sample.outcome(run).is_none() {
            *stops.entry(stopped.forecasts().len()).or_insert(0_u32) += 1;
        }
    }
    let (mut estimates, mut truths, mut audited) = (Vec::new(), Vec::new(), Vec::new());
    for (&stop, &count) in &stops {
        for (run, &weight) in weights.iter().enumerate() {
            if let (Some(outcome), true) =
                (sample.outcome(run), sample.stopped[run].forecasts().len() > stop)
            {
                estimates.push(chance(run, stop)?);
                truths.push(if outcome { Probability::ONE } else { Probability::ZERO });
                audited.push(weight * f64::from(count));
            }
        }
    }
    let bias = plug_in_bias(&estimates, &truths, Some(Weight::from_slice(&audited)?)).ok();
    let chances = (0..n).map(|run| chance(run, sample.stopped[run].forecasts().len()));
    Ok((chances.collect::<Result<_, _>>()?, bias))
}

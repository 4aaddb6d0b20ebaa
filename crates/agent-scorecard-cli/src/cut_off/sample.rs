//! The runs of one file that were cut off or are complete.

use censoring::{
    Error, IpcwWeights, KaplanMeier, Observation, RunEnd, StopTimes, Stopped, TerminationAudit,
    Weight,
};
use trajectory_metrics::{LogScore, Probability, Tps};

use agent_scorecard::traces::TraceRun;

/// What the inverse-probability weights of runs say.
#[derive(Clone)]
pub(crate) struct Ipcw {
    /// The weighted mean score of complete runs.
    pub(crate) mean: f64,
    /// The mean weight.
    pub(crate) coverage: f64,
    /// Whether all complete runs have the same weight.
    pub(crate) are_uniform: bool,
    pub(crate) weights: Vec<Weight>,
}

/// The complete and censored runs of one file.
pub(crate) struct Sample<'a> {
    pub(crate) file: String,
    pub(crate) runs: Vec<&'a TraceRun>,
    pub(crate) stopped: Vec<Stopped<'a>>,
    pub(crate) audit: TerminationAudit,
}

impl<'a> Sample<'a> {
    pub(crate) fn new(file: &str, all: &'a [TraceRun]) -> Result<Self, Error> {
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

    /// How many runs were cut off.
    pub(crate) fn n_cut_off(&self) -> usize {
        (0..self.runs.len()).filter(|&run| self.outcome(run).is_none()).count()
    }

    /// Whether these chances are the last forecasts of all runs that were cut off.
    pub(crate) fn says(&self, chances: Option<&[Probability]>) -> bool {
        chances.is_some_and(|chances| {
            let cut_off = (0..self.runs.len()).filter(|&run| self.outcome(run).is_none());
            cut_off
                .into_iter()
                .all(|run| self.stopped[run].forecasts().last() == Some(&chances[run]))
        })
    }

    /// Whether a run and one of another file have the same name, outcome, length and horizon.
    pub(crate) fn is_same_run(&self, run: usize, other: &Self, of_other: usize) -> bool {
        let (a, b) = (&self.stopped[run], &other.stopped[of_other]);
        self.runs[run].id == other.runs[of_other].id
            && self.outcome(run) == other.outcome(of_other)
            && (a.horizon(), a.forecasts().len()) == (b.horizon(), b.forecasts().len())
    }

    /// Whether two files hold the same runs in the same order.
    pub(crate) fn has_runs_of(&self, other: &Self) -> bool {
        self.runs.len() == other.runs.len()
            && (0..self.runs.len()).all(|run| self.is_same_run(run, other, run))
    }

    /// Inverse-probability weights of the runs, by the time of their stop in steps.
    pub(crate) fn ipcw(&self, tps: &Tps<LogScore>) -> Result<Ipcw, Error> {
        let times: Vec<f64> = self.stopped.iter().map(|run| run.forecasts().len() as f64).collect();
        let known: Vec<Option<bool>> = (0..self.runs.len()).map(|run| self.outcome(run)).collect();
        let cut_off: Vec<bool> = known.iter().map(Option::is_none).collect();
        let stops =
            StopTimes::new(&times, cut_off.iter().map(|&end| RunEnd::cut_off_if(end)), None)?;
        let g = KaplanMeier::censoring_curve(&stops);
        let weights = IpcwWeights::new(&stops, |_| &g, f64::INFINITY)?;
        let score = |(run, known): (&Stopped<'_>, &Option<bool>)| {
            known.map(|y| tps.prefix_score(run.forecasts(), y, run.horizon())).transpose()
        };
        let scores: Vec<Option<f64>> =
            self.stopped.iter().zip(&known).map(score).collect::<Result<_, _>>()?;
        Ok(Ipcw {
            mean: weights.normalized_mean_score(&scores)?,
            coverage: weights.coverage(),
            are_uniform: weights.are_uniform(),
            weights: weights.as_slice().to_vec(),
        })
    }
}

use std::sync::Arc;

use scoring_rules::{Probability, Weight};
use trajectory_metrics::Figure;

use crate::{
    checks::can_be_averaged,
    error::Error,
    report::sample::{Sample, Scheme},
    scores::run_score::RunScore,
    weighting::{censoring_curves::CensoringCurves, ipcw::IpcwWeights, stop_times::StopTimes},
};

/// The scores of complete runs under one rule and one weight schedule, and 0 for others. `None` if one of them is too large
/// for a mean.
type Scores = Option<Vec<f64>>;

impl Sample<'_, '_> {
    /// Returns the mean complete score of all runs under each rule and schedule, weighted by inverse probabilities. Also
    /// returns the coverage of the weights. Runs are weighted by curves that are fitted to the sample and to each
    /// resample.
    pub(crate) fn weighted_means(
        &self,
        schemes: &[Scheme<'_>],
    ) -> Result<(f64, Vec<Option<Figure>>), Error> {
        let stops = StopTimes::from_runs(self.runs, self.weights)?;
        // Only rounding can lead above 1 with the curves of the same runs.
        let coverage = self.ipcw(&stops)?.coverage().min(1.0);
        let scores: Vec<Scores> = schemes
            .iter()
            .map(|Scheme { tps, .. }| {
                // Collecting results would grow the list beyond the number of runs.
                let mut complete = Vec::with_capacity(self.runs.len());
                for run in self.runs {
                    complete.push(match RunScore::new(tps, run, Probability::HALF)? {
                        RunScore::Complete(score) => score,
                        RunScore::Censored { .. } => 0.0,
                    });
                }
                let can_be_averaged = complete.iter().all(|score| can_be_averaged(*score));
                Ok(can_be_averaged.then_some(complete))
            })
            .collect::<Result<_, Error>>()?;
        let values = |counts: &[u32]| self.values(&stops, &scores, counts);
        let is_complete = |run: usize| self.runs[run].outcome().is_some();
        Ok((coverage, self.resampler.recomputed(values, is_complete)))
    }

    fn ipcw(&self, stops: &StopTimes) -> Result<IpcwWeights, Error> {
        let curves = CensoringCurves::new(stops, self.groups)?;
        IpcwWeights::new(stops, |run| curves.of_run(run), f64::INFINITY)
    }

    /// Returns the means under each rule and schedule for runs drawn `counts` times; NaN if undefined.
    fn values(&self, stops: &StopTimes, scores: &[Scores], counts: &[u32]) -> Vec<f64> {
        let drawn = |(run, &count): (usize, &u32)| {
            Weight::new(self.weight(run).get() * f64::from(count)).map_err(Error::from)
        };
        let weights = counts.iter().enumerate().map(drawn).collect::<Result<Arc<[_]>, Error>>();
        let stops = weights.and_then(|weights| stops.reweighted(weights));
        let ipcw = stops.and_then(|stops| self.ipcw(&stops));
        let ipcw = ipcw.and_then(|ipcw| Ok((ipcw.complete_weight()?, ipcw))).ok();
        let mean = |scores: &Scores| {
            let ((weight, ipcw), scores) = (ipcw.as_ref()?, scores.as_ref()?);
            Some(ipcw.sum(|run| scores[run]) / weight)
        };
        scores.iter().map(|scores| mean(scores).unwrap_or(f64::NAN)).collect()
    }
}

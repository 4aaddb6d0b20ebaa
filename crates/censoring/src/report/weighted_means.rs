use scoring_rules::{Probability, Weight};
use trajectory_metrics::Figure;

use crate::{
    error::Error,
    report::sample::{Sample, Scheme},
    scores::run_score::RunScore,
    weighting::{censoring_curves::CensoringCurves, ipcw::IpcwWeights, stop_times::StopTimes},
};

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
        let scores: Vec<Vec<Option<f64>>> = schemes
            .iter()
            .map(|Scheme { tps, .. }| {
                let complete = |run| Ok(RunScore::new(tps, run, Probability::HALF)?.if_complete());
                self.runs.iter().map(complete).collect()
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
    fn values(&self, stops: &StopTimes, scores: &[Vec<Option<f64>>], counts: &[u32]) -> Vec<f64> {
        let drawn = |(run, &count): (usize, &u32)| {
            Weight::new(self.weight(run).get() * f64::from(count)).map_err(Error::from)
        };
        let weights = counts.iter().enumerate().map(drawn).collect::<Result<_, Error>>();
        let stops = weights.and_then(|weights| stops.reweighted(weights));
        let ipcw = stops.and_then(|stops| self.ipcw(&stops));
        let mean = |scores: &Vec<Option<f64>>| {
            let ipcw = ipcw.as_ref().ok();
            ipcw.and_then(|ipcw| ipcw.normalized_mean_score(scores).ok()).unwrap_or(f64::NAN)
        };
        scores.iter().map(mean).collect()
    }
}

use scoring_rules::{Probability, Weight};
use trajectory_metrics::Figure;

use crate::{
    error::Error,
    report::sample::{Sample, Scheme},
    scores::run_score::RunScore,
    weighting::{ipcw::IpcwWeights, kaplan_meier::KaplanMeier, stop_times::StopTimes},
};

impl Sample<'_, '_> {
    /// The coverage of the weights, and for each scheme the mean of complete runs that are weighted by the inverse
    /// of their probability of not being cut off before. The curve of censoring is fitted anew in each resample.
    pub(crate) fn weighted_means(
        &self,
        schemes: &[Scheme<'_>],
    ) -> Result<(f64, Vec<Option<Figure>>), Error> {
        let stops = StopTimes::from_runs(self.runs, self.weights)?;
        let curve = KaplanMeier::censoring_curve(&stops);
        let coverage = IpcwWeights::new(&stops, |_| &curve, f64::INFINITY)?.coverage();
        // Only rounding can lead above 1 with the curve of the same runs.
        let coverage = coverage.min(1.0);
        let complete = |Scheme { tps, .. }: &Scheme<'_>| {
            let score = |run| Ok(RunScore::new(tps, run, Probability::HALF)?.if_complete());
            self.runs.iter().map(score).collect()
        };
        let scores = schemes.iter().map(complete).collect::<Result<Vec<_>, Error>>()?;
        let values = |counts: &[u32]| self.values(&stops, &scores, counts);
        let is_complete = |run: usize| self.runs[run].outcome().is_some();
        Ok((coverage, self.resampler.recomputed(values, is_complete)))
    }

    /// The means in a resample; NaN where a mean is undefined.
    fn values(&self, stops: &StopTimes, scores: &[Vec<Option<f64>>], counts: &[u32]) -> Vec<f64> {
        let drawn = |(run, &count): (usize, &u32)| {
            let weight = self.weights.map_or(Weight::ONE, |weights| weights[run]);
            Weight::new(weight.get() * f64::from(count)).ok()
        };
        let weights = counts.iter().enumerate().map(drawn).collect::<Option<_>>();
        let Some(stops) = weights.and_then(|weights| stops.reweighted(Some(weights)).ok()) else {
            return vec![f64::NAN; scores.len()];
        };
        let curve = KaplanMeier::censoring_curve(&stops);
        let ipcw = IpcwWeights::new(&stops, |_| &curve, f64::INFINITY).ok();
        let mean = |scores: &Vec<Option<f64>>| ipcw.as_ref()?.normalized_mean_score(scores).ok();
        scores.iter().map(|scores| mean(scores).unwrap_or(f64::NAN)).collect()
    }
}

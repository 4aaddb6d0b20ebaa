use scoring_rules::{Probability, ScoringRule, Weight};
use trajectory_metrics::{Figure, Tps};

use crate::{
    error::Error,
    report::sample::{Sample, Scheme, SuccessGiven},
    scores::run_score::RunScore,
    stops::stopped::Stopped,
    weighting::{
        censoring_curves::CensoringCurves, doubly_robust::doubly_robust_mean_score,
        ipcw::IpcwWeights, stop_times::StopTimes,
    },
};

/// The weighted and the doubly robust mean under one rule and one weight schedule.
pub(crate) type Weighted = [Option<Figure>; 2];

/// The scores of the runs under one rule and one weight schedule.
struct Scores {
    /// The scores of complete runs.
    complete: Vec<Option<f64>>,
    /// For each run, the predicted complete score after each of its steps; NaN where none is needed.
    predicted: Option<Vec<Vec<f64>>>,
}

impl Sample<'_, '_> {
    /// Returns the mean complete score of all runs under each rule and schedule: weighted by inverse probabilities, and
    /// doubly robust. Also returns the coverage of the weights and the number of curves. Runs are weighted by curves
    /// that are fitted to the sample and to each resample.
    pub(crate) fn weighted_means(
        &self,
        schemes: &[Scheme<'_>],
    ) -> Result<(f64, usize, Vec<Weighted>), Error> {
        let stops = StopTimes::from_runs(self.runs, self.weights)?;
        let curves = CensoringCurves::new(&stops, self.groups)?;
        let weights = IpcwWeights::new(&stops, |run| curves.of_run(run), f64::INFINITY)?;
        // Only rounding can lead above 1 with the curves of the same runs.
        let coverage = weights.coverage().min(1.0);
        let chances = self.success_given.map(|model| self.chances(&curves, model)).transpose()?;
        let scores: Vec<Scores> = schemes
            .iter()
            .map(|Scheme { tps, .. }| {
                let complete = |run| Ok(RunScore::new(tps, run, Probability::HALF)?.if_complete());
                let complete = self.runs.iter().map(complete).collect::<Result<_, Error>>()?;
                let predicted = chances.as_ref().map(|chances| self.predictions(tps, chances));
                Ok(Scores { complete, predicted: predicted.transpose()? })
            })
            .collect::<Result<_, Error>>()?;
        let values = |counts: &[u32]| self.values(&stops, &scores, counts);
        let is_complete = |run: usize| self.runs[run].outcome().is_some();
        let figures = self.resampler.recomputed(values, [&is_complete, &|_| true]);
        Ok((coverage, curves.count(), figures))
    }

    /// Returns both means under each rule and schedule for runs drawn `counts` times.
    fn values(&self, stops: &StopTimes, scores: &[Scores], counts: &[u32]) -> Vec<[f64; 2]> {
        let drawn = |(run, &count): (usize, &u32)| {
            let weight = self.weights.map_or(Weight::ONE, |weights| weights[run]);
            Weight::new(weight.get() * f64::from(count)).ok()
        };
        let weights = counts.iter().enumerate().map(drawn).collect::<Option<_>>();
        let Some(stops) = weights.and_then(|weights| stops.reweighted(Some(weights)).ok()) else {
            return vec![[f64::NAN; 2]; scores.len()];
        };
        let Ok(curves) = CensoringCurves::new(&stops, self.groups) else {
            return vec![[f64::NAN; 2]; scores.len()];
        };
        let ipcw = IpcwWeights::new(&stops, |run| curves.of_run(run), f64::INFINITY);
        let both = |scores: &Scores| {
            let complete = &scores.complete;
            let weighted = ipcw.as_ref().map(|ipcw| ipcw.normalized_mean_score(complete).ok());
            let robust = scores.predicted.as_ref().and_then(|predicted| {
                let m = |run: usize, t: f64| Ok::<_, Error>(predicted[run][t as usize - 1]);
                doubly_robust_mean_score(complete, &stops, |run| curves.of_run(run), m).ok()
            });
            [weighted.ok().flatten().unwrap_or(f64::NAN), robust.unwrap_or(f64::NAN)]
        };
        scores.iter().map(both).collect()
    }

    /// Returns for each run the probability of success after each step at which its score is predicted. These steps are
    /// the earlier cut-offs of other runs, and its own cut-off.
    fn chances(
        &self,
        curves: &CensoringCurves,
        model: &SuccessGiven<'_>,
    ) -> Result<Vec<Vec<Option<Probability>>>, Error> {
        let chance = |(run, stopped): (usize, &Stopped<'_>)| {
            let (last, is_cut_off) = (stopped.forecasts().len(), stopped.outcome().is_none());
            let given = |step: usize| {
                let is_needed = match step == last {
                    true => is_cut_off,
                    false => {
                        let curve = curves.of_run(run);
                        curve.times().binary_search_by(|t| t.total_cmp(&(step as f64))).is_ok()
                    }
                };
                is_needed.then(|| model(self.positions[run], step)).transpose()
            };
            (1..=last).map(given).collect()
        };
        self.runs.iter().enumerate().map(chance).collect()
    }

    /// Returns the score of each run if it had ended after a step, in expectation over its outcome.
    fn predictions(
        &self,
        tps: &Tps<&dyn ScoringRule>,
        chances: &[Vec<Option<Probability>>],
    ) -> Result<Vec<Vec<f64>>, Error> {
        let predict = |(run, chances): (&Stopped<'_>, &Vec<Option<Probability>>)| {
            let after = |(last, chance): (usize, &Option<Probability>)| match *chance {
                None => Ok(f64::NAN),
                Some(success_probability) => {
                    let score =
                        |outcome| tps.prefix_score(&run.forecasts()[..=last], outcome, last + 1);
                    let (if_success, if_failure) = (score(true)?, score(false)?);
                    Ok(RunScore::Censored { success_probability, if_success, if_failure }
                        .expected())
                }
            };
            chances.iter().enumerate().map(after).collect()
        };
        self.runs.iter().zip(chances).map(predict).collect()
    }
}

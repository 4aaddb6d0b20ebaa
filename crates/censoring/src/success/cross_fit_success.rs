use scoring_rules::checks::same_length;
use trajectory_metrics::{Folds, Probability};

use crate::{
    Weight,
    error::Error,
    scores::weighted_runs::for_each_run,
    stops::stopped::{Observation, Stopped},
    success::{
        continuations::Continuations,
        success_model::{SuccessLearner, SuccessModel},
    },
};

/// A model of success for each fold, fitted to the runs of all other folds.
///
/// Made by [`CrossFitSuccess::new`](crate::CrossFitSuccess::new). It belongs to the runs on which it was fitted. It
/// has no stored form, but its models have one.
///
/// ```
/// use censoring::{Error, Folds, LogisticSuccess, Probability, Stopped, CrossFitSuccess};
///
/// let forecasts = [Probability::HALF; 2];
/// let run = |outcome| Stopped::new(&forecasts, Some(outcome), None);
/// let runs = [run(true)?, run(true)?, run(false)?, run(false)?];
/// let folds = Folds::new(&[true, true, false, false], &[0, 1, 2, 3], 2)?;
/// let learner = LogisticSuccess::default();
/// let success = CrossFitSuccess::new(&learner, &runs, |_, _| vec![], &folds, None, None)?;
/// // Outside the fold are one success and one failure, without features.
/// assert_eq!(success.success_probability(3, &[])?, Probability::HALF);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CrossFitSuccess<M> {
    models: Vec<M>,
    folds: Folds,
}

impl<M: SuccessModel> CrossFitSuccess<M> {
    /// Returns the probability that a run succeeds, given features of the run up to a step. The model was fitted
    /// without the fold of the run.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] if there is no such run; the errors of [`SuccessModel::success_probability`].
    pub fn success_probability(&self, run: usize, features: &[f64]) -> Result<Probability, Error> {
        let fold = self.folds.of_each().get(run);
        let model = fold.and_then(|&fold| self.models.get(fold));
        let runs = self.folds.of_each().len();
        model
            .ok_or(scoring_rules::checks::length("folds", run.saturating_add(1), runs))?
            .success_probability(features)
    }
}

impl<M> CrossFitSuccess<M> {
    /// Fits a model of the probability of success for each fold, without the data of the fold. `features(run, t)`
    /// returns the features of a run after t steps. The data are complete runs, shortened to each of their steps in
    /// turn, and branches (continuations) of cut-off runs. The models predict q_Z, the probability of success after a
    /// stop, for the plug-in and the hybrid estimate.
    ///
    /// Features must not depend on anything later, such as the length of the run;
    /// [`prefix_features`](crate::prefix_features()) makes features of forecasts. `folds` should keep the runs of a
    /// task together.
    ///
    /// A complete run gives a row for each step except its last, because no run is cut off after it ended.
    /// Each row has the whole weight of the run; a weight that is shared among the steps would reveal the
    /// length of the run. The rows of a run are not independent. A weight of 2 counts as two equal runs in
    /// the same fold, and a weight of 0 has no effect.
    ///
    /// `branches` has one entry per run; the entry of a run without branches is the default. A cut-off run
    /// gives a row for each of its steps, including the last. Its weight is split between success and
    /// failure in proportion to its branches with an outcome; their number does not matter. A cut-off run
    /// without such a branch, and an excluded run, has a fold but no rows. Branches of complete and
    /// excluded runs are ignored.
    ///
    /// The rows must represent the predicted runs. This determines the weights:
    ///
    /// - Without branches, the models are fitted only to complete runs, which are shorter than average. If the length
    ///   of a run is related to its outcome, weight each complete run so that it also represents cut-off runs
    ///   ([`IpcwWeights`](crate::IpcwWeights)).
    /// - With branches, each run has a weight of 1. If branches were made for a random share of the
    ///   cut-off runs, these have a weight of 1 divided by the share. Inverse-probability weights of
    ///   complete runs would count cut-off runs twice.
    /// - A weight of 0 for complete runs fits the model only to branches. Use it if the features do not explain why
    ///   complete runs were not cut off.
    ///
    /// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
    /// quantification, arXiv:2605.24756, appendix H.1; Chernozhukov et al. (2018), Double/debiased
    /// machine learning for treatment and structural parameters, doi:10.1111/ectj.12097.
    ///
    /// # Errors
    ///
    /// [`Error::Fold`] with the error of the learner if the rows outside a fold are not enough;
    /// [`scoring_rules::Error::Length`] unless there is one entry per run in folds, branches and weights.
    ///
    /// ```
    /// use censoring::{Continuations, Error, Folds, LogisticSuccess, Probability, StopReason, Stopped};
    /// use censoring::{CrossFitSuccess, prefix_features};
    ///
    /// let [good, bad] = [[0.6, 0.7, 0.9], [0.5, 0.4, 0.2]];
    /// let (good, bad) = (Probability::from_slice(&good)?, Probability::from_slice(&bad)?);
    /// let mut runs = vec![Stopped::new(&good[..2], None, Some(StopReason::MaxSteps))?; 2];
    /// for outcome in [true, true, true, false] {
    ///     runs.push(Stopped::new(good, Some(outcome), None)?);
    ///     runs.push(Stopped::new(bad, Some(!outcome), None)?);
    /// }
    /// let folds = Folds::new(&[false; 10], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 2)?;
    /// let features = |run: usize, t: usize| prefix_features(&runs[run].forecasts()[..t]);
    /// let learner = LogisticSuccess::default();
    /// let plain = CrossFitSuccess::new(&learner, &runs, features, &folds, None, None)?;
    /// let plain = plain.success_probability(1, &features(1, 2))?;
    /// assert!(plain.get() > 0.5);
    ///
    /// // All branches of the first run failed. It is not in the fold of the second run.
    /// let mut branches = [Continuations::default(); 10];
    /// branches[0].failures = 5;
    /// let hybrid = CrossFitSuccess::new(&learner, &runs, features, &folds, Some(&branches), None)?;
    /// assert!(hybrid.success_probability(1, &features(1, 2))? < plain);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new<L: SuccessLearner<Model = M>>(
        learner: &L,
        runs: &[Stopped<'_>],
        features: impl Fn(usize, usize) -> Vec<f64>,
        folds: &Folds,
        branches: Option<&[Continuations]>,
        weights: Option<&[Weight]>,
    ) -> Result<Self, Error> {
        same_length("folds", runs.len(), folds.of_each().len())?;
        same_length("branches", runs.len(), branches.map_or(runs.len(), <[_]>::len))?;
        let mut models = Vec::with_capacity(folds.count());
        for fold in 0..folds.count() {
            let (mut rows, mut outcomes, mut row_weights) = (Vec::new(), Vec::new(), Vec::new());
            for_each_run(runs, weights, |i, run, weight| {
                if folds.of_each()[i] == fold {
                    return Ok(());
                }
                let (steps, ends) = match run.observation() {
                    Observation::Complete(trace) => {
                        (trace.forecasts().len() - 1, [Some((trace.outcome(), 1.0)), None])
                    }
                    Observation::Censored => {
                        let branches = branches.map_or_else(Continuations::default, |all| all[i]);
                        (run.forecasts().len(), shares(branches))
                    }
                    Observation::Excluded(_) => return Ok(()),
                };
                for (outcome, share) in ends.into_iter().flatten() {
                    rows.extend((1..=steps).map(|t| features(i, t)));
                    outcomes.resize(rows.len(), outcome);
                    // The number of steps is not known at any of them, so the weight is not shared.
                    row_weights.resize(rows.len(), weight.get() * share);
                }
                Ok(())
            })?;
            let model = Weight::from_slice(&row_weights)
                .map_err(Error::from)
                .and_then(|weights| learner.fit(&rows, &outcomes, Some(weights)))
                .map_err(|error| Error::Fold { fold, source: Box::new(error) })?;
            models.push(model);
        }
        Ok(Self { models, folds: folds.clone() })
    }
}

/// Returns the outcomes of branches, each with its share.
fn shares(branches: Continuations) -> [Option<(bool, f64)>; 2] {
    let counts = [(true, branches.successes), (false, branches.failures)];
    let all = branches.successes as f64 + branches.failures as f64;
    counts.map(|(outcome, count)| (count > 0).then(|| (outcome, count as f64 / all)))
}

use std::collections::BTreeSet;

use scoring_rules::checks::same_length;

use crate::{
    error::Error,
    weighting::{kaplan_meier::KaplanMeier, stop_times::StopTimes},
};

/// The probability of not being cut off, estimated separately for groups of runs: each group has its own
/// [`KaplanMeier::censoring_curve`].
///
/// One curve for all runs is right only if cut-offs are unrelated to the causes of outcomes. If hard tasks are cut off
/// more often, weights from one curve leave a bias, and no diagnostic of the weights shows it. To remove the bias, use
/// one curve per group, with groups in which cut-offs are uninformative, such as levels of a difficulty known in
/// advance.
///
/// Groups must be known before a run starts, and each should have many runs.
///
/// ```
/// use censoring::{CensoringCurves, Error, IpcwWeights, StopTimes};
///
/// // Two of three hard runs are cut off after step 1, and no easy one.
/// let censored = [true, true, false, false, false, false];
/// let stops = StopTimes::new(&[1.0, 1.0, 2.0, 2.0, 2.0, 2.0], &censored, None)?;
/// let groups = ["hard", "hard", "hard", "easy", "easy", "easy"];
/// let curves = CensoringCurves::new(&stops, &groups)?;
/// let weights = IpcwWeights::new(&stops, |run| curves.of_run(run), f64::INFINITY)?;
/// // The complete hard run stands for all three; with one curve, each complete run stands for 3/2 runs.
/// let weights: Vec<f64> = weights.as_slice().iter().map(|weight| weight.get().round()).collect();
/// assert_eq!(weights, [0.0, 0.0, 3.0, 1.0, 1.0, 1.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CensoringCurves {
    curves: Vec<KaplanMeier>,
    group_of: Vec<u32>,
}

impl CensoringCurves {
    /// Estimates a curve for each group that has a run of positive weight. `groups` has the group of each run. Takes
    /// O(n log g) for n runs in g groups.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one group per run.
    pub fn new<G: Ord>(stops: &StopTimes, groups: &[G]) -> Result<Self, Error> {
        same_length("groups", stops.len(), groups.len())?;
        let mut names: BTreeSet<&G> = BTreeSet::new();
        stops.iter().for_each(|stop| _ = names.insert(&groups[stop.run]));
        let names = Vec::from_iter(names);
        let group_of = groups.iter().map(|group| names.partition_point(|name| *name < group));
        // A run of weight 0 in a group of such runs has any curve.
        let last = names.len().saturating_sub(1);
        let group_of: Vec<u32> = group_of.map(|group| group.min(last) as u32).collect();
        // The runs of each group, in the order of their times.
        let mut runs = vec![Vec::new(); names.len()];
        for &run in stops.order() {
            runs[group_of[run as usize] as usize].push(run);
        }
        let curves =
            runs.iter().map(|runs| KaplanMeier::product_limit(stops, runs, true)).collect();
        Ok(Self { curves, group_of })
    }

    /// Returns the curve of the run at a position.
    ///
    /// # Panics
    ///
    /// Panics if there is no such run.
    #[must_use]
    pub fn of_run(&self, run: usize) -> &KaplanMeier {
        &self.curves[self.group_of[run] as usize]
    }
}

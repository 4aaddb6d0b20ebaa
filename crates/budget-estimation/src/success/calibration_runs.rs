use scoring_rules::Probability;

#[cfg(feature = "serde")]
use crate::checks::stored;
use crate::{
    error::Error,
    success::abort_limit::{AbortLimit, AbortUnit},
};

/// Marks a probability below every threshold.
const BELOW_ALL: f64 = -1.0;

/// The predicted probabilities of feasible runs, from which a threshold is learned.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(super) struct CalibrationRuns {
    limit: AbortLimit,
    runs: usize,
    /// Sorted probabilities. Each has the share of its run that becomes a false alarm if the threshold
    /// exceeds the probability. If runs count, a run has one entry, its lowest probability.
    chances: Vec<(f64, f64)>,
}

impl CalibrationRuns {
    pub(super) const fn new(limit: AbortLimit) -> Self {
        Self { limit, runs: 0, chances: Vec::new() }
    }

    /// Returns the number of runs.
    pub(super) const fn len(&self) -> usize {
        self.runs
    }

    /// Adds a feasible run with the probability at each of its prefixes.
    pub(super) fn push(&mut self, run: &[Probability]) {
        self.add(run);
        // Nearly sorted already.
        self.chances.sort_by(|a, b| a.0.total_cmp(&b.0));
    }

    /// Adds a run at the end of the list, which has to be sorted afterwards.
    fn add(&mut self, run: &[Probability]) {
        self.runs += 1;
        if self.limit.unit == AbortUnit::Run || run.is_empty() {
            let lowest = run.iter().map(|chance| chance.get()).fold(1.0, f64::min);
            self.chances.push((lowest, 1.0));
        } else {
            let share = 1.0 / run.len() as f64;
            self.chances.extend(run.iter().map(|chance| (chance.get(), share)));
        }
    }

    /// Adds a run that a threshold stopped. It will never be known whether the run was feasible. It counts as
    /// a feasible run that every threshold stops, the worst case.
    pub(super) fn push_stopped(&mut self) {
        self.runs += 1;
        self.chances.insert(0, (BELOW_ALL, 1.0));
    }

    /// Returns the largest probability that passes as a threshold.
    pub(super) fn threshold(&self) -> Option<Probability> {
        let passes = |aborts: f64| self.limit.accepts(self.runs, aborts);
        if self.runs == 0 || !passes(0.0) {
            return None;
        }
        // False alarms with each probability as the threshold: the sum of the shares of all lower
        // probabilities. Equal probabilities count as lower, which can only lower the threshold.
        let mut below: Vec<f64> = Vec::with_capacity(self.chances.len());
        let mut sum = 0.0;
        for (_, share) in &self.chances {
            below.push(sum);
            sum += share;
        }
        let passing = below.partition_point(|&aborts| passes(aborts));
        let (chance, _) = *self.chances.get(passing.checked_sub(1)?)?;
        Probability::new(chance).ok()
    }

    /// Checks a stored value.
    #[cfg(feature = "serde")]
    pub(super) fn check(&self, limit: AbortLimit) -> Result<(), Error> {
        let valid = |&(chance, share): &(f64, f64)| {
            (chance == BELOW_ALL || (0.0..=1.0).contains(&chance)) && share > 0.0 && share <= 1.0
        };
        let runs: f64 = self.chances.iter().map(|(_, share)| share).sum();
        let valid = self.limit == limit
            && self.chances.iter().all(valid)
            && self.chances.is_sorted_by(|a, b| a.0 <= b.0)
            && (runs - self.runs as f64).abs() <= 1e-6;
        stored(
            valid,
            "calibration runs must have the limit of the forecaster, sorted chances from 0 to 1, and shares that add up to 1 per run",
        )
    }
}

impl AbortLimit {
    /// Returns the threshold: the largest of the given probabilities below which a run may be predicted
    /// impossible; `None` if no threshold passes.
    ///
    /// `chances` has one list per calibration run with a probability for each prefix. All calibration runs
    /// must be feasible. A run without a prefix is never predicted impossible. Takes O(n log n) for n
    /// probabilities.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without a calibration run.
    pub fn threshold<C: AsRef<[Probability]>>(
        &self,
        chances: &[C],
    ) -> Result<Option<Probability>, Error> {
        let mut runs = CalibrationRuns::new(*self);
        chances.iter().for_each(|run| runs.add(run.as_ref()));
        runs.chances.sort_by(|a, b| a.0.total_cmp(&b.0));
        if chances.is_empty() {
            return Err(scoring_rules::Error::Empty.into());
        }
        Ok(runs.threshold())
    }
}

use crate::forest::{
    quantile_forest::QuantileForest,
    training_rows::{ForestSettings, TrainingRows},
};

/// The weight of a row of a failed run. A row of a successful run has the weight 1.
const FAILED: f64 = 0.3;

/// Rows that are kept; older runs are forgotten.
const MOST: usize = 4_000;

/// The offset added to a remaining cost before its logarithm is taken, as a share of the mean.
const OFFSET: f64 = 0.03;

/// The end of a run, as its rows record it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Succeeded,
    Failed,
    /// The remaining cost is a lower bound.
    CutOff {
        after: usize,
    },
}

impl Ending {
    /// Returns the number of turns after which the run was cut off.
    pub(super) const fn cut_off_after(self) -> Option<usize> {
        match self {
            Self::CutOff { after } => Some(after),
            Self::Succeeded | Self::Failed => None,
        }
    }
}

scoring_rules::checked! {
    /// Rows of recent runs, from which forests are grown.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub(super) struct PastRows {
        columns: usize,
        /// Missing values are `None`.
        #[cfg_attr(feature = "serde", serde(with = "crate::missing"))]
        features: Vec<f64>,
        remaining: Vec<f64>,
        weights: Vec<f64>,
        /// The number of turns after which the run was cut off. More cost would have remained.
        cut_off_after: Vec<Option<usize>>,
        /// The end of each run among the rows.
        ends: Vec<usize>,
    }
    check: |all| {
        let rows = all.remaining.len();
        let belong = all.columns > 0
            && rows.checked_mul(all.columns) == Some(all.features.len())
            && [all.weights.len(), all.cut_off_after.len()] == [rows; 2]
            && all.ends.is_sorted_by(|a, b| a < b)
            && all.ends.last().is_none_or(|&last| last <= rows);
        crate::checks::stored(belong, "rows of past runs must be as long as their ends and columns say")
    }
}

impl PastRows {
    pub(super) fn new(columns: usize) -> Self {
        Self { columns, ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.remaining.len()
    }

    /// Adds a row of the run that is being learnt.
    pub(super) fn push(&mut self, row: &[f64], remaining: f64, weight: f64, ending: Ending) {
        let succeeded = ending != Ending::Failed;
        self.features.extend_from_slice(row);
        self.remaining.push(remaining);
        self.cut_off_after.push(ending.cut_off_after());
        self.weights.push(if succeeded { weight } else { FAILED * weight });
    }

    /// Ends a run, and forgets the oldest runs if there are more rows than are kept.
    pub(super) fn end_run(&mut self) {
        if self.ends.last().copied().unwrap_or(0) < self.len() {
            self.ends.push(self.len());
        }
        let surplus = self.len().saturating_sub(MOST);
        // Rarely, so that the others are rarely moved.
        if surplus > MOST / 8 {
            let runs = self.ends.partition_point(|&end| end < surplus) + 1;
            let rows = self.ends.get(runs - 1).copied().unwrap_or(0);
            self.ends.drain(..runs);
            self.ends.iter_mut().for_each(|end| *end -= rows);
            self.remaining.drain(..rows);
            self.weights.drain(..rows);
            self.cut_off_after.drain(..rows);
            let numbers = rows.saturating_mul(self.columns).min(self.features.len());
            self.features.drain(..numbers);
        }
    }

    /// Fits a forest to all columns and another one to the first column only, with the same targets.
    ///
    /// A run that was cut off when it was as long as the longest run counts as a run that failed there, as if
    /// there were a limit on turns: no run shows how it would have continued.
    pub(super) fn forests(&self, longest: usize, seed: u64) -> [QuantileForest; 2] {
        let mut weights = self.weights.clone();
        for (weight, after) in weights.iter_mut().zip(&self.cut_off_after) {
            *weight *= if after.is_some_and(|after| after >= longest) { FAILED } else { 1.0 };
        }
        let is_bound = |after: &Option<usize>| after.is_some_and(|after| after < longest);
        let censored: Vec<bool> = self.cut_off_after.iter().map(is_bound).collect();
        let mean = self.remaining.iter().sum::<f64>() / self.len().max(1) as f64;
        // Subnormal costs must not lead to the logarithm of 0.
        let offset = if mean > 0.0 { (OFFSET * mean).max(f64::MIN_POSITIVE) } else { 1.0 };
        let split: Vec<f64> = self.remaining.iter().map(|y| (y + offset).ln()).collect();
        let turns: Vec<f64> = self.features.iter().step_by(self.columns).copied().collect();
        // Small leaves while there are few rows.
        let few = (self.len() as f64 / 20.0).max(2.0);
        let fit = |columns, features: &[f64], settings: ForestSettings| {
            let smallest_leaf = settings.smallest_leaf.min(few);
            let rows = TrainingRows {
                columns,
                features,
                targets: &self.remaining,
                split_targets: &split,
                weights: &weights,
                cluster_ends: &self.ends,
                censored: &censored,
            };
            QuantileForest::fit(&rows, &ForestSettings { smallest_leaf, seed, ..settings })
        };
        let all = ForestSettings { trees: 24, smallest_leaf: 8.0, ..ForestSettings::default() };
        let alone = ForestSettings { trees: 8, smallest_leaf: 25.0, tried: 1.0, ..all };
        [fit(self.columns, &self.features, all), fit(1, &turns, alone)]
    }
}

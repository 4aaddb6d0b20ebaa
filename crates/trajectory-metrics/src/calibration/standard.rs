#[cfg(feature = "serde")]
use super::stored_map;
use crate::logistic::Rows;

/// The least scale of a feature. A smaller standard deviation of the training records counts as no
/// spread.
const LEAST_SCALE: f64 = 1e-6;

scoring_rules::checked! {
    /// The standardisation of a feature: `(feature - mean) / scale`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(crate) struct Standard {
        pub(crate) mean: f64,
        pub(crate) scale: f64,
        /// Whether the standard deviation was below the least scale.
        pub(crate) degenerate: bool,
    }
    check: |standard| {
        stored_map::number(standard.mean)?;
        stored_map::scale(standard.scale)
    }
}

impl Standard {
    /// Standardises a feature of all rows by its weighted mean and standard deviation.
    pub(crate) fn fit(rows: &mut Rows, column: usize) -> Self {
        let (mean, deviation) = rows.mean_and_deviation(column);
        let scale = deviation.max(LEAST_SCALE);
        rows.standardise(column, mean, scale);
        Self { mean, scale, degenerate: deviation < LEAST_SCALE }
    }

    pub(crate) fn apply(&self, feature: f64) -> f64 {
        (feature - self.mean) / self.scale
    }
}

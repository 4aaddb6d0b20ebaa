use crate::{
    error::Error,
    replay::{prefix::Prefix, prefix_features::PrefixFeatures},
    resource::Resource,
    rollouts::rollout::Rollout,
};

/// Positions of columns of [`PrefixFeatures`].
const TURNS: usize = 0;
const SPENT: usize = 1;

/// Number of turns of the recent pace.
const RECENT: usize = 3;

/// Number of columns after the columns of [`PrefixFeatures`]: turns that fit under the cap at the mean pace
/// and at the recent pace, and the effect of the keys.
const OWN: usize = 3;

/// Number of the squares and products of `turns`, `spent` and the turns that fit.
const PRODUCTS: usize = 6;

/// The columns from which the probability of success is predicted.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(super) struct SuccessRows {
    features: PrefixFeatures,
}

impl SuccessRows {
    pub(super) fn new(rollout: &Rollout<'_>, resource: Resource) -> Result<Self, Error> {
        Ok(Self { features: PrefixFeatures::new(rollout, resource)? })
    }

    #[cfg(feature = "serde")]
    pub(super) fn resource_name(&self) -> &str {
        self.features.resource_name()
    }

    /// Number of columns of a raw row.
    pub(super) fn columns(&self) -> usize {
        self.features.len() + OWN
    }

    /// Replaces `row` by the raw row of a prefix, except for its last column, the effect of the keys.
    pub(super) fn fill(&self, row: &mut Vec<f64>, prefix: &Prefix<'_>) -> Result<(), Error> {
        row.clear();
        self.features.append_to(row, prefix)?;
        let usage = prefix.usage();
        let recent = usage.costs().iter().rev().take(RECENT);
        let paces = [
            usage.total() / prefix.turns() as f64,
            recent.clone().sum::<f64>() / recent.len() as f64,
        ];
        let fit = paces.map(|pace| match usage.left() {
            Some(left) if pace > 0.0 => left / pace,
            _ => PrefixFeatures::MISSING,
        });
        row.extend(fit);
        Ok(())
    }
}

/// Returns whether the prefix has spent more than any of its caps, so that it cannot be feasible.
pub(super) fn is_over(prefix: &Prefix<'_>) -> bool {
    prefix
        .resources()
        .any(|(resource, _)| prefix.usage_of(resource).is_some_and(|usage| usage.is_over()))
}

/// Puts raw rows on a common scale: `sign(x) ln(1 + |x| / scale)`, with the mean absolute value of
/// the training rows as the scale, so that units do not matter. Then squares and products of three
/// columns are added. A missing value counts as the mean.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(super) struct RowScale {
    /// The scale of each column, and the mean of its scaled values.
    columns: Vec<(f64, f64)>,
}

impl RowScale {
    /// Fits the scale of training rows, given as one flat list.
    pub(super) fn fit(rows: &[f64], columns: usize) -> Self {
        let of_column = |column: usize| {
            let values = || rows.iter().skip(column).step_by(columns).filter(|x| x.is_finite());
            let n = values().count().max(1) as f64;
            let mean_size = values().map(|x| x.abs() / n).sum::<f64>();
            let scale = if mean_size > 1e-100 { mean_size } else { 1.0 };
            (scale, values().map(|x| scaled(*x, scale) / n).sum::<f64>())
        };
        Self { columns: (0..columns).map(of_column).collect() }
    }

    /// Replaces a raw row by the row of the regression.
    pub(super) fn apply(&self, row: &mut Vec<f64>) {
        for (x, &(scale, mean)) in row.iter_mut().zip(&self.columns) {
            *x = if x.is_finite() { scaled(*x, scale) - mean } else { 0.0 };
        }
        let fitting = self.columns.len().saturating_sub(OWN);
        let crossed = [TURNS, SPENT, fitting].map(|at| row.get(at).copied().unwrap_or(0.0));
        for (i, a) in crossed.iter().enumerate() {
            row.extend(crossed.iter().skip(i).map(|b| a * b));
        }
    }

    /// Number of columns of a regression row.
    pub(super) fn len(&self) -> usize {
        self.columns.len() + PRODUCTS
    }
}

fn scaled(x: f64, scale: f64) -> f64 {
    (x.abs() / scale).ln_1p().copysign(x)
}

use scoring_rules::Weight;

use crate::{
    checks::{same_length, setting},
    error::Error,
};

/// The rows that a forest is grown from.
#[derive(Clone, Copy, Debug)]
pub struct TrainingRows<'a> {
    /// Number of features of a row.
    pub columns: usize,
    /// The features of the first row, then of the second row, and so on. Minus infinity marks a missing
    /// value.
    pub features: &'a [f64],
    /// The numbers whose conditional quantiles are estimated, one per row.
    pub targets: &'a [f64],
    /// The numbers whose variance the splits reduce, one per row, such as the logarithms of the targets.
    pub split_targets: &'a [f64],
    /// The weight of each row; equal weights if `None`.
    pub weights: Option<&'a [Weight]>,
    /// Whether the target of each row is a lower bound, because its run was cut off; none if `None`.
    pub censored: Option<&'a [bool]>,
    /// The end of each cluster among the rows. Trees are grown from random clusters. If `None`, each row
    /// is a cluster.
    pub cluster_ends: Option<&'a [usize]>,
}

impl TrainingRows<'_> {
    pub(super) fn check(&self) -> Result<(), Error> {
        let n = self.targets.len();
        if n == 0 || self.columns == 0 {
            return Err(scoring_rules::Error::Empty.into());
        }
        same_length("features of all rows", n * self.columns, self.features.len())?;
        same_length("split targets", n, self.split_targets.len())?;
        if let Some(weights) = self.weights {
            same_length("weights", n, weights.len())?;
            if weights.iter().all(|weight| weight.get() == 0.0) {
                return Err(scoring_rules::Error::Empty.into());
            }
        }
        if let Some(censored) = self.censored {
            same_length("marks of censored rows", n, censored.len())?;
        }
        if let Some(ends) = self.cluster_ends {
            same_length("rows of all clusters", n, ends.last().copied().unwrap_or(0))?;
            if !ends.is_sorted() {
                let (name, reason) = ("a cluster", "the ends of clusters must not descend");
                return Err(scoring_rules::Error::Undefined { name, reason }.into());
            }
        }
        let number = |&value: &f64| value.abs() <= LARGEST;
        let feature = |value: &f64| number(value) || *value == f64::NEG_INFINITY;
        let targets = self.targets.iter().chain(self.split_targets);
        if let Some(&value) = targets.into_iter().find(|value| !number(value)) {
            setting("a target", value, false, "from -1e120 to 1e120")?;
        }
        let wrong = self.features.iter().find(|value| !feature(value));
        wrong.map_or(Ok(()), |&value| {
            Ok(setting("a feature", value, false, "from -1e120 to 1e120, or minus infinity")?)
        })
    }

    /// Returns the weights divided by a power of two near the largest weight, and that power. The division
    /// keeps weights with few digits exact in 32 bits. Weights below 1e-37 become 0.
    pub(super) fn scaled_weights(&self) -> (Vec<f64>, f64) {
        let Some(weights) = self.weights else { return (vec![1.0; self.targets.len()], 1.0) };
        let largest = weights.iter().map(|weight| weight.get()).fold(0.0, f64::max);
        let unit = largest.log2().floor().exp2();
        let scaled = weights.iter().map(|weight| weight.get() / unit);
        (scaled.map(|weight| if weight < 1e-37 { 0.0 } else { weight }).collect(), unit)
    }
}

/// Squares of sums of numbers up to here do not overflow.
const LARGEST: f64 = 1e120;

/// The settings with which a forest is grown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ForestSettings {
    /// Number of trees.
    pub(crate) trees: usize,
    /// The least total weight of the sampled rows of a leaf, above 0.
    pub(crate) smallest_leaf: f64,
    /// The largest number of splits on the way to a leaf.
    pub(crate) deepest: usize,
    /// The share of the features among which a split is chosen, in (0, 1].
    pub(crate) tried: f64,
    /// The share of the clusters from which a tree is grown, in (0, 1].
    pub(crate) sampled: f64,
    /// The seed of all random choices.
    pub(crate) seed: u64,
}

impl Default for ForestSettings {
    fn default() -> Self {
        Self { trees: 50, smallest_leaf: 15.0, deepest: 24, tried: 0.5, sampled: 0.632, seed: 0 }
    }
}

/// The training rows of a forest. There is at least one row; all lists have the rows in the same order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrainingRows<'a> {
    /// Number of features of a row.
    pub(crate) columns: usize,
    /// The features of the first row, then of the second row, and so on. Minus infinity marks a missing
    /// value.
    pub(crate) features: &'a [f64],
    /// The numbers whose conditional quantiles are estimated.
    pub(crate) targets: &'a [f64],
    /// The numbers whose variance the splits reduce, such as the logarithms of the targets.
    pub(crate) split_targets: &'a [f64],
    /// The weights, above 0.
    pub(crate) weights: &'a [f64],
    /// Whether the target of each row is a lower bound, because its run was cut off.
    pub(crate) censored: &'a [bool],
    /// The end of each cluster among the rows. Trees are grown from random clusters.
    pub(crate) cluster_ends: &'a [usize],
}

use crate::{
    checks::{positive, setting},
    error::Error,
};

/// How a forest is grown.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ForestSettings {
    /// Number of trees, from 1 to 10,000.
    pub trees: usize,
    /// The least total weight of the sampled rows of a leaf, above 0.
    pub smallest_leaf: f64,
    /// The largest number of splits on the way to a leaf, up to 64.
    pub deepest: usize,
    /// The share of the features among which a split is chosen, in (0, 1].
    pub tried: f64,
    /// The share of the clusters from which a tree is grown, in (0, 1].
    pub sampled: f64,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Default for ForestSettings {
    fn default() -> Self {
        Self { trees: 50, smallest_leaf: 15.0, deepest: 24, tried: 0.5, sampled: 0.632, seed: 0 }
    }
}

impl ForestSettings {
    pub(super) fn check(&self) -> Result<(), Error> {
        for (name, value) in
            [("share of the features", self.tried), ("share of the clusters", self.sampled)]
        {
            setting(name, value, value > 0.0 && value <= 1.0, "above 0 and at most 1")?;
        }
        positive("least weight of a leaf", self.smallest_leaf)?;
        let (trees, deepest) = (self.trees, self.deepest);
        let valid = (1..=10_000).contains(&trees);
        setting("number of trees", trees as f64, valid, "from 1 to 10,000")?;
        Ok(setting("depth", deepest as f64, deepest <= 64, "from 0 to 64")?)
    }
}

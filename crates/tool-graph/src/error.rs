/// What was wrong with the input, or why a number is not defined for it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to compute from.
    #[error("nothing to compute from; give at least one item")]
    Empty,
    /// A number of refinement steps for which there is no CostBench library.
    #[error("refinement level {level} is out of range; give a level from 1 to {max}")]
    RefinementLevel {
        /// The level as given.
        level: usize,
        /// The highest level.
        max: usize,
    },
    /// A setting of a cost model was not a number it can have.
    #[error("{what} is {value}; give {expected}")]
    CostSetting {
        /// Which setting.
        what: &'static str,
        /// The value as given.
        value: f64,
        /// What it can be.
        expected: &'static str,
    },
    /// There was not one cost for each tool of a library.
    #[error("{found} costs for {expected} tools; give one for each, in library order")]
    CostCount {
        /// The number of tools.
        expected: usize,
        /// The number of costs.
        found: usize,
    },
}

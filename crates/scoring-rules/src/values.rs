//! Checked values: probabilities, weights, levels, intervals, outcomes and seeds.

mod checked_number;
pub(crate) mod interval;
pub(crate) mod level;
pub(crate) mod observed;
pub(crate) mod ordered_score;
pub(crate) mod probability;
pub(crate) mod seed;
pub(crate) mod weight;

pub use interval::Interval;
pub use level::Level;
pub use observed::Observed;
pub use ordered_score::OrderedScore;
pub use probability::Probability;
pub use seed::Seed;
pub use weight::Weight;

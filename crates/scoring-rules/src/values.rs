//! Checked values: probabilities, weights, levels, intervals and outcomes.

mod checked_number;
pub(crate) mod interval;
pub(crate) mod level;
pub(crate) mod observed;
pub(crate) mod ordered_score;
pub(crate) mod probability;
pub(crate) mod weight;

pub use interval::Interval;
pub use level::Level;
pub use observed::Observed;
pub use ordered_score::OrderedScore;
pub use probability::Probability;
pub use weight::Weight;

mod context;
pub(crate) mod prefix;
pub(crate) mod prefix_features;
pub(crate) mod sample;

pub use context::{Context, ResourceContext};
pub use prefix::Prefix;
pub use prefix_features::PrefixFeatures;
pub use sample::Sample;

pub(crate) mod context;
pub(crate) mod prefix;
pub(crate) mod prefix_features;
pub(crate) mod sample;

//! Streams of confidence: probabilities of success that can be computed from each turn of a run.

pub(crate) mod confidence_stream;
pub(crate) mod missing_value;
pub(crate) mod stated_confidence;
pub(crate) mod token_confidence;

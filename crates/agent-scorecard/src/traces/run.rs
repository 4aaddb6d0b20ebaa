use std::collections::BTreeMap;

/// Runs of a log that are not in a stream of confidence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeftOut {
    /// Their number by the reason why their first missing value is missing.
    pub reasons: BTreeMap<&'static str, u64>,
    /// Those of them that have a value at some model call.
    pub n_partial: u64,
}

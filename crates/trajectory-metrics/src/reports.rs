//! Reports that combine scores, diagnostics and intervals of streams.
pub(crate) mod diagnostics;
pub(crate) mod difference;
pub(crate) mod fixed_rank;
pub(crate) mod pair;
pub(crate) mod raw_against_calibrated;
pub(crate) mod scored_stream;
pub(crate) mod stream_figure;

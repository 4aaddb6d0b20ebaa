//! A pull reader of JSON that holds one value at a time, with limits, and with the path to each field in its errors.
//!
//! In addition to JSON, it reads `NaN`, `Infinity` and `-Infinity`, which Python writes, as real numbers.

pub(crate) mod reader;
pub(crate) mod scalars;
pub(crate) mod values;
pub(crate) mod writing;

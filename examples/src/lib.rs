//! The code of the README and of the page to start from, tested with the programs of this folder.

/// The README's code.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;

/// The code of the page on own benchmarks.
#[cfg(doctest)]
#[doc = include_str!("../../docs/own_benchmark.md")]
pub struct OwnBenchmark;

/// The code of the page to start from.
#[cfg(doctest)]
#[doc = include_str!("../../docs/start.md")]
pub struct Start;

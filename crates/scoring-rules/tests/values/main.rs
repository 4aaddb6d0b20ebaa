//! Checked numbers: what is refused, in code and when read.
#![allow(clippy::panic, clippy::unwrap_used)]

mod level;
mod observed;
mod probability;
mod weight;

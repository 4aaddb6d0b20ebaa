//! Rows in blocks of equal confidence, and bins of these blocks.
#![allow(clippy::panic, clippy::unwrap_used)]

mod binning;
mod tied_blocks;

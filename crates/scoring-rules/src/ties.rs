//! Rows sorted into blocks of equal confidence.

pub(crate) mod block;
pub(crate) mod counting;
pub(crate) mod radix_sort;
pub(crate) mod tied_blocks;

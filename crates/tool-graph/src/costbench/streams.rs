//! The random streams of CPython and NumPy for integer seeds, identical to the bit.

pub(crate) mod numpy_random;
mod ziggurat;

//! The random streams of CPython and NumPy for integer seeds, identical to the bit.

pub(crate) mod numpy_random;
pub(crate) mod python_random;
mod ziggurat;

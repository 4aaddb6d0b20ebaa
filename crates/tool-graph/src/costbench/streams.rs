//! Random streams of other systems, to the bit: what CPython and NumPy draw from an integer seed.

pub(crate) mod numpy_random;
pub(crate) mod python_random;
mod ziggurat;

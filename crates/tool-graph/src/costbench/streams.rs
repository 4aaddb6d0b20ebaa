//! Random streams of other systems, to the bit: what CPython and NumPy draw from an integer seed.

mod numpy_random;
mod python_random;
mod ziggurat;

pub(super) use numpy_random::NumpyRandom;
pub(super) use python_random::PythonRandom;

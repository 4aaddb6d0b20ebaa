//! Random numbers and hashes that stay the same: for published draws that are repeated to the bit, and for
//! what is stored.

mod fnv1a;
mod numpy_random;
mod python_random;
mod unit;

pub use fnv1a::fnv1a;
pub use numpy_random::NumpyRandom;
pub use python_random::PythonRandom;
pub use unit::unit;

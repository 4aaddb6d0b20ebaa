//! Random numbers and hashes that are stable across versions: to repeat published draws to the bit, and
//! for stored values.

mod fnv1a;
mod numpy_random;
mod python_random;
mod unit;

pub use fnv1a::fnv1a;
pub use numpy_random::NumpyRandom;
pub use python_random::PythonRandom;
pub use unit::unit;

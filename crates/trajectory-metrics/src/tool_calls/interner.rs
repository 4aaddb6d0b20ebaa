use std::{collections::HashMap, hash::Hash};

use crate::Error;

/// Gives each distinct call a number, in the order of first appearance from 0: equal calls get the
/// same one. What is compared many times is hashed once and then compared as a number.
///
/// ```
/// use trajectory_metrics::{Error, tool_calls::Interner};
///
/// let mut interner = Interner::default();
/// let path = [("search", "Rome"), ("book", "Rome"), ("search", "Rome")];
/// assert_eq!(interner.intern_all(path)?, [0, 1, 0]);
/// assert_eq!(interner.intern(("search", "Oslo"))?, 2);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Interner<T> {
    numbers: HashMap<T, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { numbers: HashMap::new() }
    }
}

impl<T: Eq + Hash> Interner<T> {
    /// The number of a call.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] once there are 2^32 distinct calls.
    pub fn intern(&mut self, call: T) -> Result<u32, Error> {
        let count = self.numbers.len();
        let next = u32::try_from(count).map_err(|_| Error::Setting {
            name: "number of distinct calls",
            value: count as f64,
            range: "at most 2^32",
        })?;
        Ok(*self.numbers.entry(call).or_insert(next))
    }

    /// The numbers of a path's calls.
    ///
    /// # Errors
    ///
    /// As [`Self::intern`].
    pub fn intern_all(&mut self, calls: impl IntoIterator<Item = T>) -> Result<Vec<u32>, Error> {
        calls.into_iter().map(|call| self.intern(call)).collect()
    }
}

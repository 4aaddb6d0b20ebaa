use std::{collections::HashMap, hash::Hash};

use crate::error::{Error, Shared};

/// Numbers distinct calls from 0 in the order of their first appearance; equal calls get the same
/// number. A call that is compared many times is then hashed once and compared as a number.
///
/// ```
/// use trajectory_metrics::{Error, tool_calls::Interner};
///
/// let mut interner = Interner::default();
/// let path = [("search", "Rome"), ("book", "Rome"), ("search", "Rome")];
/// assert_eq!(interner.intern_all(path)?, [0, 1, 0]);
/// assert_eq!(interner.intern_all([("search", "Oslo")])?, [2]);
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
    /// Returns the numbers of the calls of a path.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for more than 2^32 distinct calls.
    pub fn intern_all(&mut self, calls: impl IntoIterator<Item = T>) -> Result<Vec<u32>, Error> {
        let number = |call| {
            let count = self.numbers.len();
            let next = u32::try_from(count).map_err(|_| Shared::Setting {
                name: "number of distinct calls",
                value: count as f64,
                range: "at most 2^32",
            })?;
            Ok(*self.numbers.entry(call).or_insert(next))
        };
        calls.into_iter().map(number).collect()
    }
}

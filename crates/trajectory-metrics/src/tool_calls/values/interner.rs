use std::{collections::HashMap, hash::Hash};

use crate::{checks::setting, error::Error};

/// Replaces calls by numbers: distinct calls are numbered from 0 in the order of their first appearance, and equal
/// calls get the same number. A call that is compared many times is then hashed once and compared as a number.
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
///
/// With the feature `serde`, an interner is written as the list of its calls in the order of their
/// numbers. After reading, numbering continues with the next number.
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
    /// Returns the number of each call of a path.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for more than 2^32 distinct calls.
    pub fn intern_all(&mut self, calls: impl IntoIterator<Item = T>) -> Result<Vec<u32>, Error> {
        calls.into_iter().map(|call| self.intern(call)).collect()
    }

    fn intern(&mut self, call: T) -> Result<u32, Error> {
        let count = self.numbers.len();
        let next = u32::try_from(count);
        setting("number of distinct calls", count as f64, next.is_ok(), "at most 2^32")?;
        Ok(*self.numbers.entry(call).or_insert(next.unwrap_or(u32::MAX)))
    }
}

#[cfg(feature = "serde")]
impl<T: serde::Serialize> serde::Serialize for Interner<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut calls: Vec<(&T, u32)> =
            self.numbers.iter().map(|(call, &number)| (call, number)).collect();
        calls.sort_unstable_by_key(|&(_, number)| number);
        serializer.collect_seq(calls.iter().map(|(call, _)| call))
    }
}

#[cfg(feature = "serde")]
impl<'de, T: serde::Deserialize<'de> + Eq + Hash> serde::Deserialize<'de> for Interner<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;

        let mut interner = Self::default();
        for (index, call) in Vec::deserialize(deserializer)?.into_iter().enumerate() {
            let number = interner.intern(call).map_err(D::Error::custom)?;
            if number as usize != index {
                return Err(D::Error::custom(format_args!(
                    "call {index} repeats call {number}; give each call once"
                )));
            }
        }
        Ok(interner)
    }
}

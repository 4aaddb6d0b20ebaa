use std::{collections::HashMap, hash::Hash};

use crate::error::Error;

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
///
/// With the feature `serde` an interner is the list of its calls in the order of their numbers, so
/// that it can be stored and used further.
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
                    "call {index} is call {number} again; give each call once"
                )));
            }
        }
        Ok(interner)
    }
}

#[cfg(feature = "serde")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_interner_goes_on_where_it_was_and_has_no_call_twice() {
        let mut interner = Interner::default();
        let calls = ["search", "look", "book"].map(str::to_owned);
        interner.intern_all(calls.clone()).unwrap();
        let written = serde_json::to_string(&interner).unwrap();
        assert_eq!(written, r#"["search","look","book"]"#);
        let mut read: Interner<String> = serde_json::from_str(&written).unwrap();
        assert_eq!(read.intern_all(calls).unwrap(), [0, 1, 2]);
        assert_eq!(read.intern("pay".to_owned()), Ok(3));
        let twice = serde_json::from_str::<Interner<String>>(r#"["a","b","a"]"#);
        assert_eq!(twice.unwrap_err().to_string(), "call 2 is call 0 again; give each call once");
    }
}

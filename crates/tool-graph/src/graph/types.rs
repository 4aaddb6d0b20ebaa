use std::hash::{DefaultHasher, Hash, Hasher};

/// The number of a graph's data types and a hash of their names in order.
///
/// Graphs with equal values can share states. Different names have different hashes for all
/// practical purposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Types {
    count: u32,
    names: u64,
}

impl Types {
    pub(super) fn new(names: &[String]) -> Self {
        let mut hasher = DefaultHasher::new();
        names.hash(&mut hasher);
        Self { count: names.len() as u32, names: hasher.finish() }
    }

    pub(super) fn count(self) -> usize {
        self.count as usize
    }
}

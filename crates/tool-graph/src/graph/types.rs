use std::hash::{Hash, Hasher};

use super::interner::NameHasher;

/// Which data types a graph has: how many, and a hash of their names in order. Graphs of the same types
/// can share states; that others have the same hash is out of the question in practice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Types {
    count: u32,
    names: u64,
}

impl Types {
    pub(super) fn new(names: &[String]) -> Self {
        let mut hasher = NameHasher::default();
        for name in names {
            name.hash(&mut hasher);
            // The hash of a name alone does not see zeros at its end.
            hasher.write_usize(name.len());
        }
        Self { count: names.len() as u32, names: hasher.finish() }
    }

    pub(super) fn count(self) -> usize {
        self.count as usize
    }
}

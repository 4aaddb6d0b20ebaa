use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::graph::word_hasher::WordHasher;

/// Numbers for names, in the order of their first appearance.
#[derive(Debug, Default)]
pub(crate) struct Interner<'a> {
    numbers: HashMap<&'a str, u32, BuildHasherDefault<WordHasher>>,
}

impl<'a> Interner<'a> {
    pub(crate) fn get(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Returns the number of the name and whether the name is new.
    pub(crate) fn intern(&mut self, name: &'a str) -> (u32, bool) {
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(name).or_insert(next);
        (number, number == next)
    }
}

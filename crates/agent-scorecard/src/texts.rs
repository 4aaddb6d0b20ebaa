//! Compact lists of texts, and counts of distinct texts.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A list of texts, stored in one string. Each must be shorter than 4 GiB.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    text: String,
    lengths: Vec<u32>,
}

impl Texts {
    /// Adds a text.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.lengths.push(text.len() as u32);
    }

    /// Adds all texts of another list.
    pub fn append(&mut self, other: &Self) {
        self.text.push_str(&other.text);
        self.lengths.extend_from_slice(&other.lengths);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        self.lengths.iter().scan(self.text.as_str(), |rest, length| {
            let (text, after) = rest.split_at(*length as usize);
            *rest = after;
            Some(text)
        })
    }

    /// Returns the number of different texts.
    #[must_use]
    pub fn distinct(&self) -> usize {
        distinct(self.iter())
    }
}

/// Returns the number of different texts. Comparing hashes first saves most comparisons of texts.
///
/// Cost: O(n log n), and 24 bytes per text while it works.
pub(crate) fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    let hashed = texts.map(|text| {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        (hasher.finish(), text)
    });
    let mut hashed: Vec<(u64, &str)> = hashed.collect();
    hashed.sort_unstable();
    hashed.dedup();
    hashed.len()
}

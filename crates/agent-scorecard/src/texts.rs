//! Many texts in one allocation, and how many of them are different.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A list of texts in one allocation.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    /// Adds a text.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// Adds all texts of another list.
    pub fn append(&mut self, other: &Self) {
        let start = self.text.len();
        self.text.push_str(&other.text);
        self.ends.extend(other.ends.iter().map(|end| start + end));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| &self.text[start..end])
    }

    /// How many texts are different.
    #[must_use]
    pub fn distinct(&self) -> usize {
        distinct(self.iter())
    }
}

/// How many texts are different. Comparing hashes first saves most comparisons of texts.
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

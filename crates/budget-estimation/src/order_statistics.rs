//! Sorted values with fast insertion and selection by rank.

use std::{cmp::Ordering, slice};

/// A value that [`OrderStatistics`] keeps in order.
pub(crate) trait Ranked: Copy {
    /// Returns the total order of the values.
    fn order(&self, other: &Self) -> Ordering;
}

/// Values in ascending order. Equal values stay in the order of their insertion.
///
/// An insertion finds its block by bisection and moves at most that block in memory. A block that has become
/// too long is split, and the prefix sums over blocks are then computed again. With blocks of up to 4 n^(1/3)
/// values, both take O(n^(1/3)) per insertion, some 100 ns for 10^6 values. The value of a rank takes O(log
/// n). Memory is linear.
#[derive(Clone, Debug)]
pub(crate) enum OrderStatistics<T> {
    /// Up to [`SHORT`] values. In a collection per turn, most are of this kind.
    One(Vec<T>),
    Many(Box<Blocks<T>>),
}

/// The block into which a value was inserted, and whether its second half then became the next block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inserted {
    pub(crate) block: usize,
    pub(crate) is_split: bool,
}

/// The length up to which no block is split. A block of 16-byte values is then 4 kB long.
const SHORT: usize = 256;

/// Returns the length at which a block among n values is split.
fn longest(n: usize) -> usize {
    SHORT.max((4.0 * (n as f64).cbrt()) as usize)
}

#[derive(Clone, Debug)]
pub(crate) struct Blocks<T> {
    /// In ascending order; none is empty.
    blocks: Vec<Vec<T>>,
    /// The first value of each block, side by side for the search.
    firsts: Vec<T>,
    counts: PrefixSums,
    len: usize,
}

/// Fenwick's tree: entry i holds the sum over the `i & -i` blocks that end with block i, from 1.
#[derive(Clone, Debug, Default)]
struct PrefixSums(Vec<usize>);

impl PrefixSums {
    /// Creates the tree of the sums of single blocks.
    fn new(mut sums: Vec<usize>) -> Self {
        for at in 1..=sums.len() {
            let (sum, next) = (sums[at - 1], at + lowest_bit(at));
            if let Some(next) = sums.get_mut(next - 1) {
                *next += sum;
            }
        }
        Self(sums)
    }

    /// Adds 1 to the sum of a block.
    fn increment(&mut self, block: usize) {
        let mut at = block + 1;
        while let Some(sum) = self.0.get_mut(at - 1) {
            *sum += 1;
            at += lowest_bit(at);
        }
    }

    /// Moves a part of the sum of a block to a new block behind it.
    fn split(&mut self, block: usize, moved: usize) {
        // The sums of single blocks, which undoes `new`.
        let mut sums = std::mem::take(&mut self.0);
        for at in (1..=sums.len()).rev() {
            let (sum, next) = (sums[at - 1], at + lowest_bit(at));
            if let Some(next) = sums.get_mut(next - 1) {
                *next -= sum;
            }
        }
        sums[block] -= moved;
        sums.insert(block + 1, moved);
        *self = Self::new(sums);
    }

    /// Returns the number of leading blocks that end at or before a position, and their sum.
    fn before(&self, position: usize) -> (usize, usize) {
        let (mut at, mut sum) = (0, 0);
        let mut step = self.0.len().checked_ilog2().map_or(0, |bits| 1 << bits);
        while step > 0 {
            if let Some(&more) = self.0.get(at + step - 1)
                && sum + more <= position
            {
                at += step;
                sum += more;
            }
            step /= 2;
        }
        (at, sum)
    }
}

const fn lowest_bit(at: usize) -> usize {
    at & at.wrapping_neg()
}

impl<T> Default for OrderStatistics<T> {
    fn default() -> Self {
        Self::One(Vec::new())
    }
}

impl<T: Ranked> OrderStatistics<T> {
    /// Inserts a value behind equal values.
    pub(crate) fn insert(&mut self, value: T) -> Inserted {
        match self {
            Self::One(block) => {
                block.insert(after(block, &value), value);
                if block.len() > SHORT {
                    *self = Self::Many(Box::new(Blocks::new(std::mem::take(block))));
                }
                Inserted { block: 0, is_split: false }
            }
            Self::Many(blocks) => blocks.insert(value),
        }
    }

    /// Returns the blocks of the values, in ascending order.
    pub(crate) fn blocks(&self) -> &[Vec<T>] {
        match self {
            Self::One(block) => slice::from_ref(block),
            Self::Many(blocks) => &blocks.blocks,
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::One(block) => block.len(),
            Self::Many(blocks) => blocks.len,
        }
    }

    /// Returns the i-th smallest value, from 1; `None` if there are fewer.
    pub(crate) fn nth(&self, i: usize) -> Option<&T> {
        let i = i.checked_sub(1)?;
        match self {
            Self::One(block) => block.get(i),
            Self::Many(blocks) => {
                let (block, before) = blocks.counts.before(i);
                blocks.blocks.get(block)?.get(i - before)
            }
        }
    }

    /// Returns all values in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.blocks().iter().flatten()
    }
}

/// Returns the position behind all values up to this one.
fn after<T: Ranked>(block: &[T], value: &T) -> usize {
    block.partition_point(|other| other.order(value).is_le())
}

impl<T: Ranked> Blocks<T> {
    /// Blocks of values in ascending order, half full.
    fn new(values: Vec<T>) -> Self {
        let len = values.len();
        let blocks: Vec<Vec<T>> = values.chunks(longest(len) / 2).map(room_for_more).collect();
        let firsts = blocks.iter().filter_map(|block| block.first()).copied().collect();
        let counts = PrefixSums::new(blocks.iter().map(Vec::len).collect());
        Self { blocks, firsts, counts, len }
    }

    fn insert(&mut self, value: T) -> Inserted {
        // A value below all others goes into the first block.
        let at = after(&self.firsts, &value).saturating_sub(1);
        let (Some(block), Some(first)) = (self.blocks.get_mut(at), self.firsts.get_mut(at)) else {
            return Inserted { block: at, is_split: false };
        };
        let place = after(block, &value);
        block.insert(place, value);
        if place == 0 {
            *first = value;
        }
        self.len += 1;
        self.counts.increment(at);
        if block.len() < SHORT || block.len() < longest(self.len) {
            return Inserted { block: at, is_split: false };
        }
        let upper = room_for_more(block.get(block.len() / 2..).unwrap_or_default());
        let Some(&first) = upper.first() else { return Inserted { block: at, is_split: false } };
        block.truncate(block.len() - upper.len());
        self.counts.split(at, upper.len());
        self.firsts.insert(at + 1, first);
        self.blocks.insert(at + 1, upper);
        Inserted { block: at, is_split: true }
    }
}

/// Returns a block of these values with spare capacity for the same number of values.
fn room_for_more<T: Copy>(values: &[T]) -> Vec<T> {
    let mut block = Vec::with_capacity(2 * values.len());
    block.extend_from_slice(values);
    block
}

/// Compares the values, not their division into blocks.
impl<T: Ranked + PartialEq> PartialEq for OrderStatistics<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

/// Takes values in ascending order.
impl<T: Ranked> From<Vec<T>> for OrderStatistics<T> {
    fn from(values: Vec<T>) -> Self {
        if values.len() > SHORT {
            Self::Many(Box::new(Blocks::new(values)))
        } else {
            Self::One(values)
        }
    }
}

/// Writes the values as one sequence.
#[cfg(feature = "serde")]
impl<T: Ranked + serde::Serialize> serde::Serialize for OrderStatistics<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// Reads one sequence in ascending order.
#[cfg(feature = "serde")]
impl<'de, T: Ranked + serde::Deserialize<'de>> serde::Deserialize<'de> for OrderStatistics<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = Vec::<T>::deserialize(deserializer)?;
        if values.is_sorted_by(|a, b| a.order(b).is_le()) {
            return Ok(values.into());
        }
        Err(serde::de::Error::custom("values must be sorted"))
    }
}

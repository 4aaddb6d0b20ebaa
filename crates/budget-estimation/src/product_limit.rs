//! The product of the Kaplan-Meier estimate over values that are inserted one by one.

use std::cmp::Ordering;

use crate::order_statistics::Ranked;

/// The remaining cost of a past run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct PastCost {
    pub(crate) remaining: f64,
    /// The run would have spent at least this much.
    pub(crate) cut_off: bool,
}

impl Ranked for PastCost {
    /// Ends come before equal cut-offs.
    fn order(&self, other: &Self) -> Ordering {
        self.remaining.total_cmp(&other.remaining).then(self.cut_off.cmp(&other.cut_off))
    }
}

/// Number of terms of a series.
const TERMS: usize = 16;

/// A series is used if so many times as many values follow, in units of the length of its part. Its ratio is then at
/// most 1/8, and its error 8^-16, below the rounding error of f64.
const LATER: f64 = 3.5;

/// The ends among consecutive values, from which their factors (r - 1) / r can be computed for any number of values that
/// follow, if these are many.
///
/// An end with d values from itself to the last of the part, itself included, and R values after the part has r = R + d
/// runs at risk. With the middle c = R + m / 2 of a part of m values and u = d - m / 2, the logarithm of the product is
/// the sum over ends of ln(1 + (u - 1) / c) - ln(1 + u / c). Its series in 1 / c has the sums of (u - 1)^k - u^k as
/// coefficients, which do not depend on R.
#[derive(Clone, Debug, Default)]
struct Part {
    len: f64,
    /// For k from 1, the sum of (u - 1)^k - u^k over all ends, divided by k!.
    sums: [f64; TERMS],
}

impl Part {
    fn of(block: &[PastCost]) -> Self {
        let len = block.len() as f64;
        let mut sums = [0.0; TERMS];
        let ends = block.iter().zip(0u32..).filter(|(cost, _)| !cost.cut_off);
        for (_, before) in ends {
            let u = len / 2.0 - f64::from(before);
            // Both terms of the recurrence have the same sign, so no digits cancel.
            let (mut power, mut difference) = (1.0, 0.0);
            for sum in &mut sums {
                difference = u * difference - power;
                power *= u - 1.0;
                *sum += difference;
            }
        }
        let mut factorial = 1.0;
        for (sum, k) in sums.iter_mut().zip(1u32..) {
            factorial *= f64::from(k);
            *sum /= factorial;
        }
        Self { len, sums }
    }

    /// Joins a part and the part that follows it, by the binomial theorem for the moved middles.
    fn joined(&self, next: &Self) -> Self {
        let mut sums = [0.0; TERMS];
        for (part, by) in [(self, next.len / 2.0), (next, -self.len / 2.0)] {
            let mut powers = [1.0; TERMS];
            for k in 1..TERMS {
                powers[k] = powers[k - 1] * by / k as f64;
            }
            for (k, sum) in sums.iter_mut().enumerate() {
                let terms = part.sums[..=k].iter().zip(powers[..=k].iter().rev());
                *sum += terms.map(|(sum, power)| sum * power).sum::<f64>();
            }
        }
        Self { len: self.len + next.len, sums }
    }

    /// Returns the product of the factors if so many values follow; `None` if these are too few for the series.
    fn product(&self, later: f64) -> Option<f64> {
        if later < LATER * self.len {
            return None;
        }
        let inverse = 1.0 / (later + self.len / 2.0);
        let (mut term, mut logarithm) = (inverse, 0.0);
        for (sum, k) in self.sums.iter().zip(1u32..) {
            logarithm += sum * term;
            term *= -inverse * f64::from(k);
        }
        Some(logarithm.exp())
    }
}

/// The search for the first end at which the estimated share of ended runs reaches a bound.
pub(crate) struct Search {
    surviving: f64,
    least: f64,
    /// Visited parts and values.
    steps: usize,
}

impl Search {
    pub(crate) const fn new(least: f64) -> Self {
        Self { surviving: 1.0, least, steps: 0 }
    }

    /// Visits each value of a block, which so many values follow.
    pub(crate) fn walk(&mut self, block: &[PastCost], later: f64) -> Option<f64> {
        for (i, cost) in block.iter().enumerate() {
            self.steps += 1;
            if !cost.cut_off {
                let at_risk = later + (block.len() - i) as f64;
                self.surviving *= (at_risk - 1.0) / at_risk;
                if 1.0 - self.surviving >= self.least {
                    return Some(cost.remaining);
                }
            }
        }
        None
    }

    /// Returns whether all ends of a part can be passed at once.
    fn passes(&mut self, part: &Part, later: f64) -> bool {
        self.steps += 1;
        let surviving = part.product(later).map(|product| self.surviving * product);
        let passed = surviving.filter(|surviving| 1.0 - surviving < self.least);
        self.surviving = passed.unwrap_or(self.surviving);
        passed.is_some()
    }
}

/// A binary tree of parts over the blocks of sorted values. A search visits O(log n) parts and one block, and more
/// blocks only near the largest values.
#[derive(Clone, Debug)]
pub(crate) struct ProductLimit {
    /// Node i has the children 2 i and 2 i + 1; the second half are the blocks, padded with empty ones.
    parts: Vec<Part>,
}

impl ProductLimit {
    pub(crate) fn new(blocks: &[Vec<PastCost>]) -> Self {
        Self::over(blocks.iter().map(|block| Part::of(block)).collect())
    }

    fn over(blocks: Vec<Part>) -> Self {
        let width = blocks.len().next_power_of_two();
        let mut parts = vec![Part::default(); width];
        parts.extend(blocks);
        parts.resize(2 * width, Part::default());
        for node in (1..width).rev() {
            parts[node] = parts[2 * node].joined(&parts[2 * node + 1]);
        }
        Self { parts }
    }

    /// Takes over a change of a block, whose second half has become the next block if it was split.
    pub(crate) fn update(&mut self, blocks: &[Vec<PastCost>], block: usize, is_split: bool) {
        let part =
            |block: usize| blocks.get(block).map(|block| Part::of(block)).unwrap_or_default();
        let mut node = self.parts.len() / 2 + block;
        self.parts[node] = part(block);
        if is_split {
            let mut all = self.parts.split_off(self.parts.len() / 2);
            all.insert(block + 1, part(block + 1));
            all.truncate(blocks.len());
            *self = Self::over(all);
            return;
        }
        while node > 1 {
            node /= 2;
            self.parts[node] = self.parts[2 * node].joined(&self.parts[2 * node + 1]);
        }
    }

    /// Returns the first end at which the search is over.
    pub(crate) fn find(&self, blocks: &[Vec<PastCost>], search: &mut Search) -> Option<f64> {
        // Nodes with the numbers of values that follow them, the next one last.
        let mut open = vec![(1, 0.0)];
        while let Some((node, later)) = open.pop() {
            if search.passes(&self.parts[node], later) {
                continue;
            }
            let width = self.parts.len() / 2;
            if node >= width {
                let block = blocks.get(node - width).map_or(&[][..], Vec::as_slice);
                if let Some(found) = search.walk(block, later) {
                    return Some(found);
                }
                continue;
            }
            open.push((2 * node + 1, later));
            open.push((2 * node, later + self.parts[2 * node + 1].len));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order_statistics::{Inserted, OrderStatistics};

    /// Pseudorandom costs with ties, of which every third is a cut-off.
    fn costs(n: u64) -> impl Iterator<Item = PastCost> {
        let mixed = |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (i << 7)).rotate_left(29);
        (0..n).map(mixed).map(move |mixed| PastCost {
            remaining: (mixed % (n / 2)) as f64,
            cut_off: mixed.is_multiple_of(3),
        })
    }

    fn grown(n: u64) -> (OrderStatistics<PastCost>, ProductLimit) {
        let mut sorted = OrderStatistics::default();
        let mut product: Option<ProductLimit> = None;
        for cost in costs(n) {
            let Inserted { block, is_split } = sorted.insert(cost);
            match &mut product {
                Some(product) => product.update(sorted.blocks(), block, is_split),
                None if sorted.blocks().len() > 1 => {
                    product = Some(ProductLimit::new(sorted.blocks()));
                }
                None => {}
            }
        }
        (sorted, product.unwrap())
    }

    #[test]
    fn the_tree_finds_the_value_that_a_walk_over_all_values_finds() {
        for n in [300, 1_000, 3_000, 30_000] {
            let (sorted, product) = grown(n);
            let all: Vec<PastCost> = sorted.iter().copied().collect();
            let rebuilt = ProductLimit::new(sorted.blocks());
            for permille in 1..1_000 {
                let search = || Search::new(f64::from(permille) / 1_000.0 - 1e-12);
                let (mut plain, mut quick) = (search(), search());
                let expected = plain.walk(&all, 0.0);
                assert_eq!(product.find(sorted.blocks(), &mut quick), expected, "{n} {permille}");
                assert!((plain.surviving - quick.surviving).abs() < 2e-13);
                assert_eq!(rebuilt.find(sorted.blocks(), &mut search()), expected);
            }
        }
    }

    #[test]
    fn the_steps_of_a_search_grow_with_the_logarithm_of_the_number_of_values() {
        let steps = |n| {
            let (sorted, product) = grown(n);
            [0.1, 0.5, 0.9].map(|p| {
                let mut search = Search::new(p);
                product.find(sorted.blocks(), &mut search).unwrap();
                search.steps
            })
        };
        let (few, many) = (steps(10_000), steps(40_000));
        for (few, many) in few.into_iter().zip(many) {
            assert!(many < few + 300 && many < 700, "{few} {many}");
        }
    }
}

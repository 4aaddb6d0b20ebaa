use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use super::{
    node::Node,
    ordinals::Ordinals,
    training_rows::{ForestSettings, TrainingRows},
};

/// Groups of distinct values of a feature, between which a split can be.
const GROUPS: usize = 256;

/// The data from which all trees of a forest are grown.
pub(super) struct Nursery<'a> {
    rows: &'a TrainingRows<'a>,
    /// The features that are not constant.
    columns: Vec<Column>,
    /// Weight, and weight times split target, of each row. The split targets have the mean 0.
    sums: Vec<Sums>,
    settings: &'a ForestSettings,
}

/// One feature of all rows.
struct Column {
    index: u32,
    ordinals: Ordinals,
    /// The group of each row.
    groups: Vec<u8>,
}

/// Sums over some rows.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    weight: f64,
    first: f64,
    /// The sum of weight times squared split target.
    second: f64,
}

impl Sums {
    #[inline]
    fn add(&mut self, other: Self) {
        self.weight += other.weight;
        self.first += other.first;
        self.second += other.second;
    }

    /// Returns the part of the second moment that the mean explains.
    #[inline]
    fn explained(&self) -> f64 {
        self.first * (self.first / self.weight)
    }
}

/// A condition that sends a row to the left child: its feature is at most the threshold.
#[derive(Clone, Copy)]
struct Split {
    column: usize,
    /// The last group on the left.
    group: u8,
    threshold: f64,
    explained: f64,
}

/// Rows of a node that may still be split.
struct Task {
    start: usize,
    end: usize,
    depth: usize,
    node: usize,
}

impl<'a> Nursery<'a> {
    pub(super) fn new(rows: &'a TrainingRows<'a>, settings: &'a ForestSettings) -> Self {
        let weighted = || rows.weights.iter().zip(rows.split_targets);
        let sum: f64 = weighted().map(|(weight, target)| weight * target).sum();
        let mean = sum / rows.weights.iter().sum::<f64>();
        let sums = weighted().map(|(&weight, target)| {
            let first = weight * (target - mean);
            Sums { weight, first, second: first * (target - mean) }
        });
        let column = |index: usize| {
            let feature = || rows.features.iter().skip(index).step_by(rows.columns).copied();
            let ordinals = Ordinals::new(feature().collect(), GROUPS);
            let varies = ordinals.len() > 1;
            varies.then(|| {
                let groups = feature().map(|value| ordinals.position(value) as u8).collect();
                Column { index: index as u32, groups, ordinals }
            })
        };
        Self {
            rows,
            columns: (0..rows.columns).filter_map(column).collect(),
            sums: sums.collect(),
            settings,
        }
    }

    /// Grows all trees, which are the same on any number of threads.
    pub(super) fn trees(&self) -> Vec<Vec<Node>> {
        #[cfg(feature = "rayon")]
        {
            use rayon::prelude::*;

            (0..self.settings.trees).into_par_iter().map(|number| self.tree(number)).collect()
        }
        #[cfg(not(feature = "rayon"))]
        (0..self.settings.trees).map(|number| self.tree(number)).collect()
    }

    /// Grows a tree. It depends on the seed and the number of the tree only, not on other trees.
    fn tree(&self, number: usize) -> Vec<Node> {
        let mut generator = ChaCha8Rng::seed_from_u64(self.settings.seed);
        generator.set_stream(number as u64);
        let rows = self.sample(&mut generator);
        let mut growth = Growth {
            nursery: self,
            generator,
            spare: Vec::with_capacity(rows.len()),
            rows,
            order: (0..self.columns.len()).collect(),
            histogram: vec![Sums::default(); GROUPS],
        };
        growth.grow()
    }

    /// Returns the rows of random clusters, in their order.
    fn sample(&self, generator: &mut ChaCha8Rng) -> Vec<u32> {
        let clusters = self.rows.cluster_ends.len();
        let wanted = (self.settings.sampled * clusters as f64).ceil() as usize;
        let mut wanted = wanted.clamp(1, clusters.max(1));
        let (mut rows, mut start) = (Vec::new(), 0);
        for (cluster, &end) in self.rows.cluster_ends.iter().enumerate() {
            // Each subset of the wanted size is equally likely.
            let left = clusters - cluster;
            if wanted == left || (wanted > 0 && below(generator, left) < wanted) {
                wanted -= 1;
                rows.extend(start..end as u32);
            }
            start = end as u32;
        }
        rows
    }
}

/// Returns a uniform whole number below n, with a bias below n / 2^64.
fn below(generator: &mut ChaCha8Rng, n: usize) -> usize {
    ((u128::from(generator.next_u64()) * n as u128) >> 64) as usize
}

/// One tree that is being grown.
struct Growth<'a> {
    nursery: &'a Nursery<'a>,
    generator: ChaCha8Rng,
    /// The rows; rows of the same node are contiguous.
    rows: Vec<u32>,
    spare: Vec<u32>,
    /// The columns in random order.
    order: Vec<usize>,
    histogram: Vec<Sums>,
}

impl Growth<'_> {
    /// Returns the nodes, of which the first is the root. Children follow their parents.
    fn grow(&mut self) -> Vec<Node> {
        let mut nodes = vec![Node::leaf(0)];
        let mut tasks = vec![Task { start: 0, end: self.rows.len(), depth: 0, node: 0 }];
        while let Some(Task { start, end, depth, node }) = tasks.pop() {
            let split = (depth < self.nursery.settings.deepest).then(|| self.best(start, end));
            let Some(split) = split.flatten() else { continue };
            let left = nodes.len();
            let column = self.nursery.columns[split.column].index;
            nodes[node] = Node { threshold: split.threshold, column, next: left as u32 };
            nodes.extend([left, left + 1].map(|position| Node::leaf(position as u32)));
            let (middle, depth) = (self.divide(start, end, split), depth + 1);
            tasks.push(Task { start: middle, end, depth, node: left + 1 });
            tasks.push(Task { start, end: middle, depth, node: left });
        }
        nodes
    }

    /// Returns the best split among random columns.
    fn best(&mut self, start: usize, end: usize) -> Option<Split> {
        let mut node = Sums::default();
        for &row in &self.rows[start..end] {
            node.add(self.nursery.sums[row as usize]);
        }
        let least = 2.0 * self.nursery.settings.smallest_leaf;
        let noise = 1e-12 * node.second;
        if node.weight < least || node.second - node.explained() <= noise {
            return None;
        }
        let columns = self.order.len();
        let wanted = (self.nursery.settings.tried * columns as f64).ceil().max(1.0) as usize;
        let mut best: Option<Split> = None;
        let mut tried = 0;
        for at in 0..columns {
            let other = at + below(&mut self.generator, columns - at);
            self.order.swap(at, other);
            let (varies, split) = self.best_of(self.order[at], start, end, node, noise);
            tried += usize::from(varies);
            // Splits that differ by rounding are equal, and the first of them is taken.
            if let Some(split) = split
                && split.explained > best.map_or(node.explained(), |best| best.explained) + noise
            {
                best = Some(split);
            }
            // Columns that do not vary among these rows do not count.
            if tried >= wanted && best.is_some() {
                break;
            }
        }
        best
    }

    /// Returns whether a column varies among some rows, and its best split of them.
    fn best_of(
        &mut self,
        column: usize,
        start: usize,
        end: usize,
        node: Sums,
        noise: f64,
    ) -> (bool, Option<Split>) {
        let Column { ordinals, groups, .. } = &self.nursery.columns[column];
        let (mut lowest, mut highest) = (u8::MAX, 0);
        for &row in &self.rows[start..end] {
            let group = groups[row as usize];
            (lowest, highest) = (lowest.min(group), highest.max(group));
            self.histogram[usize::from(group)].add(self.nursery.sums[row as usize]);
        }
        let histogram = &mut self.histogram[usize::from(lowest)..=usize::from(highest)];
        let smallest = self.nursery.settings.smallest_leaf;
        let (mut left, mut best) = (Sums::default(), None);
        // The last group on the left that has rows, if there can be a split after it.
        let mut open: Option<(u8, f64)> = None;
        for (group, sums) in (lowest..=highest).zip(histogram) {
            if sums.weight == 0.0 {
                continue;
            }
            if let Some((last, explained)) = open.take()
                && best.is_none_or(|best: Split| explained > best.explained + noise)
            {
                let ends = ordinals.highest[usize::from(last)];
                let threshold = threshold_between(ends, ordinals.lowest[usize::from(group)]);
                best = Some(Split { column, group: last, threshold, explained });
            }
            left.add(std::mem::take(sums));
            let (weight, first) = (node.weight - left.weight, node.first - left.first);
            let right = Sums { weight, first, second: 0.0 };
            if left.weight >= smallest && weight >= smallest {
                open = Some((group, left.explained() + right.explained()));
            }
        }
        (lowest < highest, best)
    }

    /// Puts the rows of the left child first, in their order, and returns where the right child begins.
    fn divide(&mut self, start: usize, end: usize, split: Split) -> usize {
        let groups = &self.nursery.columns[split.column].groups;
        let (rows, spare) = (&mut self.rows[start..end], &mut self.spare);
        spare.clear();
        let mut left = 0;
        for at in 0..rows.len() {
            let row = rows[at];
            if groups[row as usize] <= split.group {
                rows[left] = row;
                left += 1;
            } else {
                spare.push(row);
            }
        }
        rows[left..].copy_from_slice(spare);
        start + left
    }
}

/// Returns a finite number from `low` on and below `high`, in the middle if possible.
fn threshold_between(low: f64, high: f64) -> f64 {
    if low == f64::NEG_INFINITY {
        return f64::MIN;
    }
    let middle = low.midpoint(high);
    if middle < high { middle } else { low }
}

use super::{
    distribution::{Distribution, accumulate},
    growth::Nursery,
    node::Node,
    ordinals::Ordinals,
    training_rows::{ForestSettings, TrainingRows},
};
#[cfg(feature = "serde")]
use crate::{checks::stored, error::Error};

/// Groups of distinct targets, among which a quantile is found.
const TARGETS: usize = 512;

scoring_rules::checked! {
    /// Estimates conditional quantiles of a number, given the features of a row, from the weighted training rows that
    /// share leaves with it.
    ///
    /// Each tree splits rows of some clusters where the variance of the split targets within the two parts is least.
    /// All rows are then put into its leaves. A row has, in each tree, the share of the weight that its own weight
    /// has in the leaf of the given features. The average of these shares over all trees is a distribution of the targets.
    ///
    /// A run that was cut off gives a lower bound of its target. With such rows, the distribution is the Kaplan-Meier
    /// estimate with these weights. It is unbiased if, among rows with equal features, a cut-off carries no other
    /// information about the target. If the largest targets are lower bounds, the rest of the probability belongs to the
    /// largest (Efron's convention). Splits treat lower bounds as targets.
    ///
    /// Splits lie between groups of neighbouring distinct values. A feature has at most 256 groups, and targets are
    /// represented by at most 512. With fewer distinct numbers, the grouping loses no information.
    ///
    /// Growing n rows takes O(trees · n · features · depth). Tree t depends on the seed and on t only. A
    /// distribution takes O(trees · (depth + rows of a leaf)), with at most 512 entries per leaf.
    ///
    /// Reference: Meinshausen (2006), Quantile regression forests, Journal of Machine Learning Research 7,
    /// 983-999; Li, Bradic (2020), Censored quantile regression forest, Proceedings of AISTATS 108, 2109-2119;
    /// Beran (1981), Nonparametric regression with randomly censored survival data, technical report, University of
    /// California, Berkeley.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub(crate) struct QuantileForest {
        /// One number per group of targets, in ascending order.
        values: Vec<f64>,
        /// The first node of each tree.
        roots: Vec<u32>,
        #[cfg_attr(feature = "serde", serde(with = "super::node::stored"))]
        nodes: Vec<Node>,
        /// The end of each node among the entries; only leaves have entries.
        ends: Vec<u32>,
        /// One over the number of trees and the weight of the leaf, for each node.
        #[cfg_attr(feature = "serde", serde(skip))]
        scales: Vec<f64>,
        /// The group of targets of each entry, in ascending order in each leaf. Groups of lower bounds follow the groups of
        /// targets.
        groups: Vec<u16>,
        /// The weight of all rows of an entry, in a common unit.
        weights: Vec<f32>,
        /// Whether there are lower bounds.
        #[cfg_attr(feature = "serde", serde(skip))]
        censored: bool,
    }
    restore: |forest| {
        forest.check()?;
        forest.prepare();
        Ok::<(), Error>(())
    }
}

/// The number of trees walked at the same time, so that one does not wait for the memory accesses of another.
const LANES: usize = 8;

impl QuantileForest {
    /// Grows a forest.
    pub(crate) fn fit(rows: &TrainingRows<'_>, settings: &ForestSettings) -> Self {
        let targets = Ordinals::new(rows.targets.to_vec(), TARGETS);
        // Rows in the order of their targets, so that the entries of each leaf are in order.
        let all = rows.targets.iter().zip(rows.weights).zip(rows.censored).zip(0..);
        let mut order: Vec<(u16, u32, f64)> = Vec::with_capacity(rows.targets.len());
        order.extend(all.map(|(((&target, &weight), &is_bound), row)| {
            let group = targets.position(target) + if is_bound { targets.len() } else { 0 };
            (group as u16, row, weight)
        }));
        order.sort_unstable_by_key(|&(group, row, _)| (group, row));
        let mut forest = Self { values: targets.middle, ..Self::default() };
        let nursery = Nursery::new(rows, settings);
        for tree in nursery.trees() {
            forest.add(tree, rows, &order);
        }
        forest.prepare();
        forest
    }

    /// Adds a tree and puts all rows into its leaves.
    fn add(&mut self, mut tree: Vec<Node>, rows: &TrainingRows<'_>, order: &[(u16, u32, f64)]) {
        let root = self.nodes.len() as u32;
        self.roots.push(root);
        let mut contents: Vec<Vec<(u16, f64)>> = vec![Vec::new(); tree.len()];
        for node in &mut tree {
            node.next += root;
        }
        self.nodes.extend(tree);
        let features = |row: u32| {
            let from = row as usize * rows.columns;
            rows.features.get(from..from + rows.columns).unwrap_or_default()
        };
        for chunk in order.chunks(LANES) {
            let mut lanes = [root; LANES];
            let mut these: [&[f64]; LANES] = [&[]; LANES];
            for (lane, &(_, row, _)) in these.iter_mut().zip(chunk) {
                *lane = features(row);
            }
            self.walk(&mut lanes, |lane| these.get(lane).copied().unwrap_or_default());
            for (&(group, _, weight), leaf) in chunk.iter().zip(lanes) {
                let Some(entries) = contents.get_mut((leaf - root) as usize) else { continue };
                match entries.last_mut() {
                    Some(entry) if entry.0 == group => entry.1 += weight,
                    _ => entries.push((group, weight)),
                }
            }
        }
        for entries in contents {
            self.groups.extend(entries.iter().map(|entry| entry.0));
            self.weights.extend(entries.iter().map(|entry| entry.1 as f32));
            self.ends.push(self.groups.len() as u32);
        }
    }

    /// Checks a stored forest. Without these rules a walk may not end.
    #[cfg(feature = "serde")]
    fn check(&self) -> Result<(), Error> {
        let Self { values, roots, nodes, ends, groups, weights, .. } = self;
        let rising = values.is_sorted_by(|a, b| a < b) && values.iter().all(|x| x.is_finite());
        stored(rising, "the values of a forest must be finite and ascending")?;
        let rooted = roots.iter().all(|&root| (root as usize) < nodes.len());
        stored(rooted, "the trees of a forest must begin at its nodes")?;
        let later = |(at, node): (usize, &Node)| {
            let left = node.next as usize;
            let is_split = node.threshold.is_finite() && left > at && left + 1 < nodes.len();
            is_split || *node == Node::leaf(at as u32)
        };
        let ordered = nodes.iter().enumerate().all(later);
        stored(ordered, "a node of a forest must be a leaf, or a split before its two nodes")?;
        let divided = groups.len() == weights.len()
            && ends.len() == nodes.len()
            && ends.is_sorted()
            && ends.last().map_or(0, |&last| last as usize) == groups.len();
        stored(divided, "each node of a forest must have an end among all entries")?;
        let known = groups.iter().all(|&group| usize::from(group) < 2 * values.len())
            && weights.iter().all(|&weight| weight >= 0.0 && weight.is_finite());
        stored(known, "an entry of a forest must have a group of targets and a finite weight")
    }

    /// Computes the parts that are not stored.
    fn prepare(&mut self) {
        self.censored = self.groups.iter().any(|&group| usize::from(group) >= self.values.len());
        let trees = self.roots.len() as f64;
        let mut start = 0;
        self.scales.clear();
        for &end in &self.ends {
            let weights = self.weights.get(start..end as usize).unwrap_or_default();
            let weight: f64 = weights.iter().copied().map(f64::from).sum();
            self.scales.push(if weight > 0.0 { 1.0 / (trees * weight) } else { 0.0 });
            start = end as usize;
        }
    }

    /// Walks from the given nodes to leaves. Children have higher positions than their parents, so the walk ends.
    #[inline(always)]
    fn walk<'a>(&self, lanes: &mut [u32; LANES], row: impl Fn(usize) -> &'a [f64]) {
        loop {
            let mut moved = 0;
            for (lane, at) in lanes.iter_mut().enumerate() {
                let next = self.nodes.get(*at as usize).map_or(*at, |node| node.step(row(lane)));
                moved |= next ^ *at;
                *at = next;
            }
            if moved == 0 {
                break;
            }
        }
    }

    /// Returns the distribution with these probabilities up to each target of this forest.
    pub(crate) fn with_cumulative<'a>(&'a self, cumulative: &'a [f64]) -> Distribution<'a> {
        Distribution { values: &self.values, cumulative }
    }

    /// Returns the conditional distribution of the target, given the features of a row.
    ///
    /// `space` is memory that is used again.
    pub(crate) fn distribution<'a>(
        &'a self,
        row: &[f64],
        space: &'a mut Vec<f64>,
    ) -> Distribution<'a> {
        space.clear();
        space.resize(self.values.len() * (1 + usize::from(self.censored)), 0.0);
        for roots in self.roots.chunks(LANES) {
            let mut lanes = [0; LANES];
            for (lane, &root) in lanes.iter_mut().zip(roots) {
                *lane = root;
            }
            self.walk(&mut lanes, |_| row);
            for &leaf in lanes.iter().take(roots.len()) {
                let leaf = leaf as usize;
                let start = leaf.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
                let start = start.unwrap_or(0) as usize;
                let end = self.ends.get(leaf).map_or(start, |&end| end as usize);
                let scale = self.scales.get(leaf).copied().unwrap_or(0.0);
                let groups = self.groups.get(start..end).unwrap_or_default();
                let weights = self.weights.get(start..end).unwrap_or_default();
                for (&group, &weight) in groups.iter().zip(weights) {
                    if let Some(sum) = space.get_mut(usize::from(group)) {
                        *sum += f64::from(weight) * scale;
                    }
                }
            }
        }
        accumulate(space, self.values.len());
        Distribution { values: &self.values, cumulative: space }
    }
}

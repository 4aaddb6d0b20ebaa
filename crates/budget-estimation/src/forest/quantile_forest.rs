use crate::{
    checks::same_length,
    error::Error,
    forest::{
        distribution::{Distribution, accumulate},
        growth::Nursery,
        node::Node,
        ordinals::Ordinals,
        settings::ForestSettings,
        training_rows::TrainingRows,
    },
};

/// Groups of distinct targets, among which a quantile is found.
const TARGETS: usize = 512;

scoring_rules::checked! {
    /// Conditional quantiles of a number given the features of a row, estimated by the weighted rows that
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
    #[derive(Clone, Debug, PartialEq)]
    pub struct QuantileForest {
        /// Number of features of a row.
        pub(super) columns: u32,
        /// One number per group of targets, in ascending order.
        pub(super) values: Vec<f64>,
        /// The first node of each tree.
        pub(super) roots: Vec<u32>,
        #[cfg_attr(feature = "serde", serde(with = "super::stored"))]
        pub(super) nodes: Vec<Node>,
        /// The end of each node among the entries; only leaves have entries.
        pub(super) ends: Vec<u32>,
        /// One over the number of trees and the weight of the leaf, for each node.
        #[cfg_attr(feature = "serde", serde(skip))]
        pub(super) scales: Vec<f64>,
        /// The group of targets of each entry, in ascending order in each leaf. Groups of lower bounds follow the groups of
        /// targets.
        pub(super) groups: Vec<u16>,
        /// The weight of all rows of an entry, in a common unit.
        pub(super) weights: Vec<f32>,
        /// Whether there are lower bounds.
        #[cfg_attr(feature = "serde", serde(skip))]
        pub(super) censored: bool,
    }
    restore: Self::restore
}

/// The number of trees walked at the same time, so that one does not wait for the memory accesses of another.
const LANES: usize = 8;

impl QuantileForest {
    /// Grows a forest.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for a setting out of its range and for numbers that are NaN or too large;
    /// [`scoring_rules::Error::Empty`] without a row of positive weight; [`scoring_rules::Error::Length`] if lengths do not agree.
    pub fn fit(rows: &TrainingRows<'_>, settings: &ForestSettings) -> Result<Self, Error> {
        settings.check()?;
        rows.check()?;
        let (weights, unit) = rows.scaled_weights();
        let counted = rows.targets.iter().zip(&weights).filter(|&(_, &weight)| weight > 0.0);
        let targets = Ordinals::new(counted.map(|(&target, _)| target).collect(), TARGETS);
        // Rows in the order of their targets, so that the entries of each leaf are in order.
        let row = |(row, (&target, &weight)): (usize, (&f64, &f64))| {
            let is_bound =
                rows.censored.and_then(|censored| censored.get(row)).is_some_and(|&is| is);
            let group = targets.position(target) + if is_bound { targets.len() } else { 0 };
            (weight > 0.0).then_some((group as u16, row as u32, weight))
        };
        let rows_of_all = rows.targets.iter().zip(&weights).enumerate();
        let mut order: Vec<_> = rows_of_all.filter_map(row).collect();
        order.sort_unstable_by_key(|&(group, row, _)| (group, row));
        let mut forest = Self {
            columns: rows.columns as u32,
            values: targets.middle,
            roots: Vec::new(),
            nodes: Vec::new(),
            ends: Vec::new(),
            scales: Vec::new(),
            groups: Vec::new(),
            weights: Vec::new(),
            censored: rows.censored.is_some_and(|censored| censored.contains(&true)),
        };
        let scaled = ForestSettings { smallest_leaf: settings.smallest_leaf / unit, ..*settings };
        let nursery = Nursery::new(rows, &weights, &scaled);
        for tree in 0..settings.trees {
            forest.add(nursery.tree(tree), rows, &order);
        }
        forest.set_scales();
        Ok(forest)
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

    pub(super) fn set_scales(&mut self) {
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

    /// Returns whether another forest has the same targets.
    #[cfg(feature = "serde")]
    pub(crate) fn has_targets_of(&self, other: &Self) -> bool {
        self.values == other.values
    }

    /// Returns the distribution with these probabilities up to each target of this forest.
    pub(crate) fn with_cumulative<'a>(&'a self, cumulative: &'a [f64]) -> Distribution<'a> {
        Distribution { values: &self.values, cumulative }
    }

    /// Number of features of a row.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns as usize
    }

    /// Returns the conditional distribution of the target, given the features of a row.
    ///
    /// `space` is memory that is used again.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] for a row with another number of features.
    pub fn distribution<'a>(
        &'a self,
        row: &[f64],
        space: &'a mut Vec<f64>,
    ) -> Result<Distribution<'a>, Error> {
        same_length("features of a row", self.columns as usize, row.len())?;
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
        Ok(Distribution { values: &self.values, cumulative: space })
    }
}

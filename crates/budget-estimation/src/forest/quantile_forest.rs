use crate::{
    checks::same_length,
    error::Error,
    forest::{
        distribution::Distribution,
        growth::Nursery,
        node::{LEAF, Node},
        ordinals::Ordinals,
        settings::ForestSettings,
        training_rows::TrainingRows,
    },
};

/// Groups of distinct targets, among which a quantile is found.
const TARGETS: usize = 1024;

/// Conditional quantiles of a number given the features of a row, estimated by the weighted rows that
/// share leaves with it.
///
/// Each tree splits rows of some clusters where the variance of the split targets within the two parts is least.
/// All rows are then put into its leaves. A row has, in each tree, the share of the weight that its own weight
/// has in the leaf of the given features. The average of these shares over all trees is a distribution of the targets.
///
/// Splits lie between groups of neighbouring distinct values, of which a feature has at most 256, and targets are
/// represented by at most 1,024 such groups. With fewer distinct numbers nothing is lost.
///
/// Growing n rows takes O(trees · n · features · depth). Tree t depends on the seed and on t only. A
/// distribution takes O(trees · (depth + rows of a leaf)), with at most 1,024 entries per leaf.
///
/// Reference: Meinshausen (2006), Quantile regression forests, Journal of Machine Learning Research 7,
/// 983-999.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(
    feature = "serde",
    serde(try_from = "super::stored::Stored", into = "super::stored::Stored")
)]
pub struct QuantileForest {
    /// Number of features of a row.
    pub(super) columns: u32,
    /// One number per group of targets, in ascending order.
    pub(super) values: Vec<f64>,
    /// The first node of each tree.
    pub(super) roots: Vec<u32>,
    pub(super) nodes: Vec<Node>,
    /// The end of each leaf among the entries.
    pub(super) ends: Vec<u32>,
    /// One over the number of trees and the weight of the leaf, for each leaf.
    pub(super) scales: Vec<f64>,
    /// The group of targets of each entry, in ascending order in each leaf.
    pub(super) groups: Vec<u16>,
    /// The weight of all rows of an entry.
    pub(super) weights: Vec<f64>,
}

impl QuantileForest {
    /// Grows a forest.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for a setting out of its range and for numbers that are NaN or too large;
    /// [`Error::Empty`] without a row of positive weight; [`Error::Length`] if lengths do not agree.
    pub fn fit(rows: &TrainingRows<'_>, settings: &ForestSettings) -> Result<Self, Error> {
        settings.check()?;
        rows.check()?;
        let targets = Ordinals::new(rows.targets.to_vec(), TARGETS);
        // Rows in the order of their targets, so that the entries of each leaf are in order.
        let mut order: Vec<(u16, u32)> = rows
            .targets
            .iter()
            .zip(0..)
            .filter(|&(_, row)| rows.weight(row as usize) > 0.0)
            .map(|(&target, row)| (targets.position(target) as u16, row))
            .collect();
        order.sort_unstable();
        let mut forest = Self {
            columns: rows.columns as u32,
            values: targets.middle,
            roots: Vec::new(),
            nodes: Vec::new(),
            ends: Vec::new(),
            scales: Vec::new(),
            groups: Vec::new(),
            weights: Vec::new(),
        };
        let nursery = Nursery::new(rows, settings);
        for tree in 0..settings.trees {
            forest.add(nursery.tree(tree), rows, &order);
        }
        forest.set_scales();
        Ok(forest)
    }

    /// Adds a tree and puts all rows into its leaves.
    fn add(&mut self, mut tree: Vec<Node>, rows: &TrainingRows<'_>, order: &[(u16, u32)]) {
        let (root, first_leaf) = (self.nodes.len() as u32, self.ends.len() as u32);
        self.roots.push(root);
        let mut leaves = 0;
        for node in &mut tree {
            if node.column == LEAF {
                node.next = first_leaf + leaves;
                leaves += 1;
            } else {
                node.next += root;
            }
        }
        self.nodes.extend(tree);
        let features = |row: u32| {
            let from = row as usize * rows.columns;
            rows.features.get(from..from + rows.columns).unwrap_or_default()
        };
        let mut contents: Vec<Vec<(u16, f64)>> = vec![Vec::new(); leaves as usize];
        for &(group, row) in order {
            let leaf = self.leaf(root, features(row)) - first_leaf;
            let weight = rows.weight(row as usize);
            let Some(entries) = contents.get_mut(leaf as usize) else { continue };
            match entries.last_mut() {
                Some(entry) if entry.0 == group => entry.1 += weight,
                _ => entries.push((group, weight)),
            }
        }
        for entries in contents {
            self.groups.extend(entries.iter().map(|entry| entry.0));
            self.weights.extend(entries.iter().map(|entry| entry.1));
            self.ends.push(self.groups.len() as u32);
        }
    }

    pub(super) fn set_scales(&mut self) {
        let trees = self.roots.len() as f64;
        let mut start = 0;
        self.scales.clear();
        for &end in &self.ends {
            let weights = self.weights.get(start..end as usize).unwrap_or_default();
            self.scales.push(1.0 / (trees * weights.iter().sum::<f64>()));
            start = end as usize;
        }
    }

    /// The leaf of a row. Children have higher positions than their parents, so that this ends.
    #[inline]
    fn leaf(&self, root: u32, row: &[f64]) -> u32 {
        let mut at = root as usize;
        while let Some(node) = self.nodes.get(at) {
            if node.column == LEAF {
                return node.next;
            }
            let value = row.get(node.column as usize).copied().unwrap_or(f64::NEG_INFINITY);
            at = if value <= node.threshold { at + 1 } else { node.next as usize };
        }
        0
    }

    /// Number of features of a row.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns as usize
    }

    /// The conditional distribution of the target, given the features of a row.
    ///
    /// `space` is memory that is used again.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] for a row with another number of features.
    pub fn distribution<'a>(
        &'a self,
        row: &[f64],
        space: &'a mut Vec<f64>,
    ) -> Result<Distribution<'a>, Error> {
        same_length("features of a row", self.columns as usize, row.len())?;
        space.clear();
        space.resize(self.values.len(), 0.0);
        for &root in &self.roots {
            let leaf = self.leaf(root, row) as usize;
            let start = leaf.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
            let start = start.unwrap_or(0) as usize;
            let end = self.ends.get(leaf).map_or(start, |&end| end as usize);
            let scale = self.scales.get(leaf).copied().unwrap_or(0.0);
            let groups = self.groups.get(start..end).unwrap_or_default();
            let weights = self.weights.get(start..end).unwrap_or_default();
            for (&group, &weight) in groups.iter().zip(weights) {
                if let Some(sum) = space.get_mut(usize::from(group)) {
                    *sum += weight * scale;
                }
            }
        }
        let mut sum = 0.0;
        for entry in space.iter_mut() {
            sum += *entry;
            *entry = sum;
        }
        Ok(Distribution { values: &self.values, cumulative: space })
    }
}

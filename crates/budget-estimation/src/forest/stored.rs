use super::{
    node::{LEAF, Node},
    quantile_forest::QuantileForest,
};
use crate::error::Error;

/// The stored form of a forest, before its check.
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    columns: u32,
    values: Vec<f64>,
    roots: Vec<u32>,
    /// Feature and threshold, which a leaf has not, and right child or number of the leaf.
    nodes: Vec<(Option<(u32, f64)>, u32)>,
    ends: Vec<u32>,
    groups: Vec<u16>,
    weights: Vec<f64>,
}

impl From<QuantileForest> for Stored {
    fn from(forest: QuantileForest) -> Self {
        let node = |node: &Node| {
            let split = (node.column != LEAF).then_some((node.column, node.threshold));
            (split, node.next)
        };
        Self {
            nodes: forest.nodes.iter().map(node).collect(),
            columns: forest.columns,
            values: forest.values,
            roots: forest.roots,
            ends: forest.ends,
            groups: forest.groups,
            weights: forest.weights,
        }
    }
}

impl TryFrom<Stored> for QuantileForest {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        let Stored { columns, values, roots, nodes, ends, groups, weights } = stored;
        let check = |valid: bool, problem| {
            if valid { Ok(()) } else { Err(Error::StoredValue { problem }) }
        };
        let ascending = |numbers: &[f64]| numbers.is_sorted_by(|a, b| a < b);
        check(
            (1..=1 << 16).contains(&values.len())
                && ascending(&values)
                && values.iter().all(|value| value.is_finite()),
            "the values of a forest must be finite and ascending",
        )?;
        check(
            roots.first() == Some(&0)
                && roots.is_sorted_by(|a, b| a < b)
                && roots.last().is_some_and(|&last| (last as usize) < nodes.len()),
            "the trees of a forest must begin at its nodes, in their order",
        )?;
        check(
            groups.len() == weights.len()
                && ends.is_sorted_by(|a, b| a < b)
                && ends.first() != Some(&0)
                && ends.last().is_some_and(|&last| last as usize == groups.len()),
            "each leaf of a forest must have rows",
        )?;
        let mut start = 0;
        for &end in &ends {
            let leaf = groups.get(start..end as usize).unwrap_or_default();
            let within = leaf.last().is_some_and(|&last| usize::from(last) < values.len());
            check(within && leaf.is_sorted_by(|a, b| a < b), "rows of a leaf must be sorted")?;
            start = end as usize;
        }
        let positive = |weight: &f64| (1e-100..=1e200).contains(weight);
        check(weights.iter().all(positive), "weights of leaves must be positive and finite")?;

        let mut trees = roots.iter().skip(1).map(|&root| root as usize).chain([nodes.len()]);
        let mut end = trees.next().unwrap_or(0);
        for (at, &(split, next)) in nodes.iter().enumerate() {
            if at == end {
                end = trees.next().unwrap_or(0);
            }
            let next = next as usize;
            let valid = match split {
                None => next < ends.len(),
                Some((column, threshold)) => {
                    column < columns && !threshold.is_nan() && next > at + 1 && next < end
                }
            };
            check(valid, "a split must have a feature and two later nodes of its tree")?;
        }
        let node = |&(split, next): &(Option<(u32, f64)>, u32)| match split {
            None => Node::leaf(next),
            Some((column, threshold)) => Node { column, threshold, next },
        };
        let nodes = nodes.iter().map(node).collect();
        let scales = Vec::new();
        let mut forest = Self { columns, values, roots, nodes, ends, scales, groups, weights };
        forest.set_scales();
        Ok(forest)
    }
}

use super::{node::Node, quantile_forest::QuantileForest};
use crate::error::Error;

/// The stored form of a forest, before its check.
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    columns: u32,
    values: Vec<f64>,
    roots: Vec<u32>,
    /// Feature, threshold and left child of each split.
    nodes: Vec<Option<(u32, f64, u32)>>,
    ends: Vec<u32>,
    groups: Vec<u16>,
    weights: Vec<f32>,
}

impl From<QuantileForest> for Stored {
    fn from(forest: QuantileForest) -> Self {
        let node = |node: &Node| {
            (node.threshold < f64::INFINITY).then_some((node.column, node.threshold, node.next))
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
            (1..=1 << 15).contains(&values.len())
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
                && ends.len() == nodes.len()
                && ends.is_sorted()
                && ends.last().is_some_and(|&last| last as usize == groups.len()),
            "each node of a forest must have an end among all entries",
        )?;
        let mut trees = roots.iter().skip(1).map(|&root| root as usize).chain([nodes.len()]);
        let (mut tree_end, mut start) = (trees.next().unwrap_or(0), 0);
        for (at, (split, &end)) in nodes.iter().zip(&ends).enumerate() {
            if at == tree_end {
                tree_end = trees.next().unwrap_or(0);
            }
            let entries = groups.get(start..end as usize).unwrap_or_default();
            let within = entries.last().is_some_and(|&last| usize::from(last) < 2 * values.len());
            let valid = match *split {
                None => within && entries.is_sorted_by(|a, b| a < b),
                Some((column, threshold, left)) => {
                    let left = left as usize;
                    let numbers = column < columns && threshold.is_finite();
                    numbers && left > at && left + 1 < tree_end && entries.is_empty()
                }
            };
            let problem = "a node must be a leaf with sorted entries or a split with a feature and two later nodes";
            check(valid, problem)?;
            start = end as usize;
        }
        let positive = |weight: &f32| (f32::MIN_POSITIVE..=1e30).contains(weight);
        check(weights.iter().all(positive), "weights of entries must be positive and finite")?;
        let node = |(at, split): (usize, &Option<(u32, f64, u32)>)| match *split {
            None => Node::leaf(at as u32),
            Some((column, threshold, next)) => Node { threshold, column, next },
        };
        let nodes = nodes.iter().enumerate().map(node).collect();
        let scales = Vec::new();
        let censored = groups.iter().any(|&group| usize::from(group) >= values.len());
        let mut forest =
            Self { columns, values, roots, nodes, ends, scales, groups, weights, censored };
        forest.set_scales();
        Ok(forest)
    }
}

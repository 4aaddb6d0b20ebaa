//! How a forest is stored: each split as its feature, threshold and left child, and a leaf as `null`.

use serde::{Deserialize, Deserializer, Serializer};

use super::{node::Node, quantile_forest::QuantileForest};
use crate::{checks::stored, error::Error};

type Split = Option<(u32, f64, u32)>;

pub(super) fn serialize<S: Serializer>(nodes: &[Node], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(nodes.iter().map(|node| -> Split {
        (node.threshold < f64::INFINITY).then_some((node.column, node.threshold, node.next))
    }))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Node>, D::Error> {
    let nodes = Vec::<Split>::deserialize(deserializer)?;
    let node = |(split, at): (Split, u32)| match split {
        None => Node::leaf(at),
        Some((column, threshold, next)) => Node { threshold, column, next },
    };
    Ok(nodes.into_iter().zip(0..).map(node).collect())
}

impl QuantileForest {
    /// Checks a stored forest, and computes the parts that are not stored.
    pub(super) fn restore(&mut self) -> Result<(), Error> {
        let Self { columns, values, roots, nodes, ends, groups, weights, .. } = self;
        stored(
            (1..=1 << 15).contains(&values.len())
                && values.is_sorted_by(|a, b| a < b)
                && values.iter().all(|value| value.is_finite()),
            "the values of a forest must be finite and ascending",
        )?;
        stored(
            roots.first() == Some(&0)
                && roots.is_sorted_by(|a, b| a < b)
                && roots.last().is_some_and(|&last| (last as usize) < nodes.len()),
            "the trees of a forest must begin at its nodes, in their order",
        )?;
        stored(
            groups.len() == weights.len()
                && ends.len() == nodes.len()
                && ends.is_sorted()
                && ends.last().is_some_and(|&last| last as usize == groups.len()),
            "each node of a forest must have an end among all entries",
        )?;
        let mut trees = roots.iter().skip(1).map(|&root| root as usize).chain([nodes.len()]);
        let (mut tree_end, mut start) = (trees.next().unwrap_or(0), 0);
        for (at, (node, &end)) in nodes.iter().zip(ends.iter()).enumerate() {
            if at == tree_end {
                tree_end = trees.next().unwrap_or(0);
            }
            let entries = groups.get(start..end as usize).unwrap_or_default();
            let within = entries.last().is_some_and(|&last| usize::from(last) < 2 * values.len());
            let valid = if *node == Node::leaf(at as u32) {
                within && entries.is_sorted_by(|a, b| a < b)
            } else {
                let left = node.next as usize;
                let numbers = node.column < *columns && node.threshold.is_finite();
                numbers && left > at && left + 1 < tree_end && entries.is_empty()
            };
            let problem = "a node must be a leaf with sorted entries or a split with a feature and two later nodes";
            stored(valid, problem)?;
            start = end as usize;
        }
        let positive = |weight: &f32| (f32::MIN_POSITIVE..=1e30).contains(weight);
        stored(weights.iter().all(positive), "weights of entries must be positive and finite")?;
        self.censored = groups.iter().any(|&group| usize::from(group) >= values.len());
        self.set_scales();
        Ok(())
    }
}

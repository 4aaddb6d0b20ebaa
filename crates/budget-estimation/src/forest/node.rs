/// A split, or a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Node {
    /// Rows above go to the right; plus infinity in a leaf.
    pub(super) threshold: f64,
    /// The feature that is compared.
    pub(super) column: u32,
    /// The left child, which the right child follows; in a leaf, the leaf itself.
    pub(super) next: u32,
}

impl Node {
    /// Returns the leaf with this position.
    pub(super) const fn leaf(position: u32) -> Self {
        Self { threshold: f64::INFINITY, column: 0, next: position }
    }

    /// Returns the next node on the way of a row; of a leaf, the leaf. No branch depends on the row.
    #[inline(always)]
    pub(super) fn step(&self, row: &[f64]) -> u32 {
        let value = row.get(self.column as usize).copied().unwrap_or(f64::NEG_INFINITY);
        self.next + u32::from(value > self.threshold)
    }
}

/// The stored form of nodes: a split as its feature, threshold and left child, and a leaf as `null`.
#[cfg(feature = "serde")]
pub(super) mod stored {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Node;

    type Split = Option<(u32, f64, u32)>;

    pub(in crate::forest) fn serialize<S: Serializer>(
        nodes: &[Node],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(nodes.iter().map(|node| -> Split {
            (node.threshold < f64::INFINITY).then_some((node.column, node.threshold, node.next))
        }))
    }

    pub(in crate::forest) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Node>, D::Error> {
        let nodes = Vec::<Split>::deserialize(deserializer)?;
        let node = |(split, at): (Split, u32)| match split {
            None => Node::leaf(at),
            Some((column, threshold, next)) => Node { threshold, column, next },
        };
        Ok(nodes.into_iter().zip(0..).map(node).collect())
    }
}

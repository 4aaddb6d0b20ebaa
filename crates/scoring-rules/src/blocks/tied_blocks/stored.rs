//! Blocks as they are stored: a list of blocks, checked when it is read.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::{TiedBlocks, block::Block};

impl<S: Serialize> Serialize for TiedBlocks<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        self.blocks.serialize(serializer)
    }
}

impl<'de, S> Deserialize<'de> for TiedBlocks<S>
where
    S: Deserialize<'de> + PartialOrd + fmt::Display,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let blocks = Vec::<Block<S>>::deserialize(deserializer)?;
        for (i, two) in blocks.windows(2).enumerate() {
            let [before, block] = two else { continue };
            if before.confidence.partial_cmp(&block.confidence) != Some(std::cmp::Ordering::Less) {
                return Err(D::Error::custom(format_args!(
                    "block {}: its confidence {} is not above {}, that of the block before it",
                    i + 1,
                    block.confidence,
                    before.confidence,
                )));
            }
        }
        let mut tied = Self { blocks, ..Self::default() };
        // Without a block these are the blocks of `default`.
        let _ = tied.finish();
        let all = tied.class_weights.0 + tied.class_weights.1;
        if !all.is_finite() {
            let what = format_args!("the weight of all blocks is {all}; it must be finite");
            return Err(D::Error::custom(what));
        }
        Ok(tied)
    }
}

//! Blocks as they are stored: a list of blocks, checked when it is read.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::{Block, TiedBlocks};
use crate::Error;

/// The form in which a block is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written<S> {
    confidence: S,
    failures: f64,
    successes: f64,
}

impl<S> TryFrom<Written<S>> for Block<S> {
    type Error = Error;

    fn try_from(written: Written<S>) -> Result<Self, Error> {
        let Written { confidence, failures, successes } = written;
        for (name, value) in [("failures", failures), ("successes", successes)] {
            if value != 0.0 && !(1e-100..f64::INFINITY).contains(&value) {
                let range = "0 or a finite weight of at least 1e-100";
                return Err(Error::Setting { name, value, range });
            }
        }
        if failures + successes == 0.0 {
            return Err(Error::Empty);
        }
        Ok(Self { confidence, failures, successes })
    }
}

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

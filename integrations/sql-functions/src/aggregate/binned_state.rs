use std::{collections::BTreeMap, mem::size_of};

use arrow::array::BooleanArray;
use datafusion_common::Result;
use scoring_rules::{Binning, Error, ExactMean, ExactSum, Probability, TiedBlocks, Weight};
use serde::{Deserialize, Serialize};

use crate::{
    aggregate::stored_state::{invalid, read_json},
    arguments::{Arguments, Integers, Numbers},
    specification::Specification,
};

/// The largest number of bins.
pub(crate) const MOST_BINS: usize = 10_000;

/// The columns of the measures of calibration.
pub(crate) struct BinnedColumns<'a> {
    p: Numbers<'a>,
    y: &'a BooleanArray,
    bins: Integers<'a>,
    w: Option<Numbers<'a>>,
}

impl<'a> BinnedColumns<'a> {
    pub(crate) fn new(arguments: &Arguments<'a>) -> Result<Self> {
        Ok(Self {
            p: arguments.numbers(0)?,
            y: arguments.outcomes(1)?,
            bins: arguments.integers(2)?,
            w: arguments.optional(3, Arguments::numbers)?,
        })
    }
}

/// The rows of one bin of equal width.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bin {
    confidence: ExactMean,
    lowest: Probability,
    highest: Probability,
    /// The numbers of failures and successes without a weight.
    counts: [u64; 2],
    /// The weights of all other failures and successes.
    weights: Option<Box<[ExactSum; 2]>>,
}

/// Rows in bins of equal width on [0, 1]. Memory: at most 2.4 kB per bin that is not empty, and half of
/// that without weights.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BinnedState {
    bins: usize,
    filled: BTreeMap<usize, Box<Bin>>,
}

impl BinnedState {
    pub(crate) fn update(
        &mut self,
        specification: Specification,
        columns: &BinnedColumns<'_>,
        row: usize,
    ) -> Result<()> {
        let bins = columns.bins.positive(row, MOST_BINS)?;
        if self.bins == 0 {
            self.bins = bins;
        } else if self.bins != bins {
            let range = format!("the same in all rows; it was {}", self.bins);
            return Err(columns.bins.place().refuse(bins, &range));
        }
        let p = columns.p.probability(row)?;
        let weight = columns.w.map(|w| w.weight(row)).transpose()?;
        if weight == Some(Weight::ZERO) {
            return Ok(());
        }
        let class = usize::from(columns.y.value(row));
        let bin = self.filled.entry(Binning::equal_width_bin(p, bins)).or_insert_with(|| {
            let weights = weight.map(|_| Box::default());
            let confidence = ExactMean::default();
            Box::new(Bin { confidence, lowest: p, highest: p, counts: [0; 2], weights })
        });
        bin.lowest = if p < bin.lowest { p } else { bin.lowest };
        bin.highest = if p > bin.highest { p } else { bin.highest };
        match weight {
            None => {
                bin.confidence.update(p.get());
                bin.counts[class] += 1;
            }
            Some(weight) => {
                bin.confidence
                    .update_weighted(p.get(), weight)
                    .map_err(|error| specification.failed(error))?;
                bin.weights.get_or_insert_default()[class].add(weight.get());
            }
        }
        Ok(())
    }

    pub(crate) fn merge(&mut self, specification: Specification, other: Self) -> Result<()> {
        if self.bins != other.bins {
            let problem = format!("it has {} bins and another state has {}", other.bins, self.bins);
            return Err(invalid(specification, problem));
        }
        for (index, more) in other.filled {
            let Some(bin) = self.filled.get_mut(&index) else {
                self.filled.insert(index, more);
                continue;
            };
            bin.confidence.merge(&more.confidence);
            bin.lowest = if more.lowest < bin.lowest { more.lowest } else { bin.lowest };
            bin.highest = if more.highest > bin.highest { more.highest } else { bin.highest };
            for class in 0..2 {
                bin.counts[class] = bin.counts[class].saturating_add(more.counts[class]);
                if let Some(weights) = &more.weights {
                    bin.weights.get_or_insert_default()[class].merge(&weights[class]);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn read(specification: Specification, bytes: &[u8]) -> Result<Self> {
        let state: Self = read_json(specification, bytes)?;
        let last = state.filled.last_key_value().map_or(0, |(&index, _)| index);
        let in_bin = |index: usize, bin: &Bin| {
            bin.lowest <= bin.highest
                && Binning::equal_width_bin(bin.lowest, state.bins) == index
                && Binning::equal_width_bin(bin.highest, state.bins) == index
        };
        if !(1..=MOST_BINS).contains(&state.bins) || last >= state.bins {
            return Err(invalid(specification, "a bin does not exist"));
        }
        if !state.filled.iter().all(|(&index, bin)| in_bin(index, bin)) {
            return Err(invalid(specification, "a confidence is outside its bin"));
        }
        Ok(state)
    }

    /// One block per bin, at the mean confidence of the bin, with the lowest and the highest
    /// confidence; `None` without rows of positive weight.
    pub(crate) fn blocks(&self) -> std::result::Result<Option<Blocks>, Error> {
        let (mut rows, mut ends) = (Vec::new(), Vec::new());
        for bin in self.filled.values() {
            // Rounding must not take a mean out of its bin.
            let mean = bin.confidence.finish()?.clamp(bin.lowest.get(), bin.highest.get());
            let mean = Probability::new(mean)?;
            for (class, outcome) in [false, true].into_iter().enumerate() {
                let mut weight = ExactSum::default();
                weight.add(bin.counts[class] as f64);
                if let Some(weights) = &bin.weights {
                    weight.merge(&weights[class]);
                }
                rows.push((mean, outcome, Weight::new(weight.value())?));
            }
            ends.push((bin.lowest, bin.highest));
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let mut blocks = TiedBlocks::default();
        blocks.refill(rows)?;
        Ok(Some(Blocks { blocks, ends }))
    }

    pub(crate) fn heap_size(&self) -> usize {
        let first = self.filled.values().next();
        let weights = first.is_some_and(|bin| bin.weights.is_some());
        let one = size_of::<Bin>()
            + if weights { size_of::<[ExactSum; 2]>() } else { 0 }
            + 3 * size_of::<usize>();
        self.filled.len() * one
    }
}

/// The bins as blocks.
pub(crate) struct Blocks {
    pub(crate) blocks: TiedBlocks,
    /// The lowest and the highest confidence of each block.
    pub(crate) ends: Vec<(Probability, Probability)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregate::{calibration_error::CalibrationErrorOfRows, group_state::GroupState};

    #[test]
    fn a_state_that_contradicts_itself_is_refused() {
        let specification = CalibrationErrorOfRows::SPECIFICATION;
        let bin = |lowest: f64| {
            format!(
                r#"{{"confidence":{{"total":{{"lowest":0,"digits":[]}},"count":1,"weight":{{"lowest":0,"digits":[]}}}},"lowest":{lowest},"highest":0.28,"counts":[1,0],"weights":null}}"#
            )
        };
        let state = |bins: usize, index: usize, lowest: f64| {
            let text = format!(r#"{{"bins":{bins},"filled":{{"{index}":{}}}}}"#, bin(lowest));
            BinnedState::read(specification, text.as_bytes())
        };
        assert!(state(10, 2, 0.25).is_ok());
        for wrong in [state(0, 2, 0.25), state(2, 2, 0.25), state(10, 1, 0.25), state(10, 2, 0.35)]
        {
            let error = wrong.unwrap_err().to_string();
            assert!(error.contains("calibration_error: a stored state is invalid"), "{error}");
        }
        assert!(BinnedState::read(specification, b"{").is_err());
    }
}

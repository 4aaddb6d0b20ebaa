use std::{collections::VecDeque, marker::PhantomData, mem::size_of};

use arrow::array::{Array, ArrayRef};
use datafusion_common::{Result, ScalarValue, internal_err};
use datafusion_expr::Accumulator;

use crate::aggregate::{group_state::GroupState, whole::Whole};

/// The accumulator of a window frame that moves.
///
/// It keeps the rows of the frame and computes each result from them, so that a result has the bits
/// that the same rows have without a window. Cost: the length of the frame per row.
#[derive(Debug)]
pub(crate) struct Sliding<S> {
    /// The rows of the frame, in parts. No part is empty.
    parts: VecDeque<Vec<ArrayRef>>,
    state: PhantomData<fn() -> S>,
}

impl<S> Default for Sliding<S> {
    fn default() -> Self {
        Self { parts: VecDeque::new(), state: PhantomData }
    }
}

impl<S: GroupState> Sliding<S> {
    fn frame(&self) -> Result<Whole<S>> {
        let mut frame = Whole::default();
        self.parts.iter().try_for_each(|part| frame.update_batch(part))?;
        Ok(frame)
    }
}

fn rows(part: &[ArrayRef]) -> usize {
    part.first().map_or(0, |column| column.len())
}

impl<S: GroupState> Accumulator for Sliding<S> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        if rows(values) > 0 {
            self.parts.push_back(values.to_vec());
        }
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let mut left = rows(values);
        while left > 0 {
            let Some(part) = self.parts.front_mut() else {
                return internal_err!("more rows leave a window frame than have entered it");
            };
            let length = rows(part);
            if length <= left {
                self.parts.pop_front();
                left -= length;
            } else {
                part.iter_mut().for_each(|column| *column = column.slice(left, length - left));
                left = 0;
            }
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.frame()?.finish()
    }

    fn size(&self) -> usize {
        let columns = self.parts.iter().flatten();
        size_of::<Self>() + columns.map(|column| column.get_array_memory_size()).sum::<usize>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.frame()?.state()
    }

    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        internal_err!("a window frame is not merged")
    }
}

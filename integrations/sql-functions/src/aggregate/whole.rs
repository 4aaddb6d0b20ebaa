use std::mem::size_of;

use arrow::array::{Array, ArrayRef, AsArray};
use datafusion_common::{Result, ScalarValue, internal_datafusion_err};
use datafusion_expr::Accumulator;

use crate::{aggregate::group_state::GroupState, arguments::Arguments};

/// The accumulator of a query without groups.
#[derive(Debug, Default)]
pub(crate) struct Whole<S> {
    state: Option<S>,
}

impl<S: GroupState> Whole<S> {
    /// The result so far.
    pub(crate) fn finish(&mut self) -> Result<ScalarValue> {
        match &mut self.state {
            None => ScalarValue::try_from(&S::output()),
            Some(state) => state.finish(),
        }
    }
}

impl<S: GroupState> Accumulator for Whole<S> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let specification = S::SPECIFICATION;
        let arguments = Arguments::new(&specification, values);
        let complete = arguments.complete_rows();
        let columns = S::columns(&arguments)?;
        let rows = values.first().map_or(0, |column| column.len());
        match complete {
            None if rows == 0 => Ok(()),
            None => self.state.get_or_insert_default().update_all(&columns, 0..rows),
            Some(complete) => complete
                .valid_indices()
                .try_for_each(|row| self.state.get_or_insert_default().update(&columns, row)),
        }
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.finish()
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.state.as_ref().map_or(0, S::heap_size)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let bytes = self.state.as_mut().map(S::write).transpose()?;
        Ok(vec![ScalarValue::LargeBinary(bytes)])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let states = states.first().and_then(|states| states.as_binary_opt::<i64>());
        let states = states.ok_or_else(|| internal_datafusion_err!("a state is not binary"))?;
        for bytes in states.iter().flatten() {
            let other = S::read(bytes)?;
            match &mut self.state {
                None => self.state = Some(other),
                Some(state) => state.merge(other)?,
            }
        }
        Ok(())
    }
}

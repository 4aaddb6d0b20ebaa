use std::{mem::size_of, sync::Arc};

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, builder::LargeBinaryBuilder};
use datafusion_common::{Result, ScalarValue, internal_datafusion_err};
use datafusion_expr::{EmitTo, GroupsAccumulator};

use crate::{aggregate::group_state::GroupState, arguments::Arguments};

/// The accumulator of all groups of a query.
#[derive(Debug, Default)]
pub(crate) struct Groups<S> {
    states: Vec<Option<S>>,
    /// The bytes that the states hold in addition to themselves.
    heap: usize,
}

impl<S: GroupState> Groups<S> {
    /// Changes the state of a group.
    fn with_state(
        &mut self,
        group: usize,
        change: impl FnOnce(&mut Option<S>) -> Result<()>,
    ) -> Result<()> {
        let missing = || internal_datafusion_err!("there is no group {group}");
        let state = self.states.get_mut(group).ok_or_else(missing)?;
        let before = state.as_ref().map_or(0, S::heap_size);
        change(state)?;
        self.heap = self.heap - before + state.as_ref().map_or(0, S::heap_size);
        Ok(())
    }

    /// Removes the states of the groups to emit.
    fn take(&mut self, emit_to: EmitTo) -> Vec<Option<S>> {
        let taken = emit_to.take_needed(&mut self.states);
        self.heap -= taken.iter().flatten().map(S::heap_size).sum::<usize>();
        taken
    }
}

impl<S: GroupState> GroupsAccumulator for Groups<S> {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.states.resize(total_num_groups, None);
        let specification = S::SPECIFICATION;
        let arguments = Arguments::new(&specification, values);
        let complete = arguments.complete_rows();
        let columns = S::columns(&arguments)?;
        for (row, &group) in group_indices.iter().enumerate() {
            let counts = complete.as_ref().is_none_or(|complete| complete.is_valid(row))
                && opt_filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row));
            if counts {
                self.with_state(group, |state| {
                    state.get_or_insert_default().update(&columns, row)
                })?;
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let null = ScalarValue::try_from(&S::output())?;
        let mut results = Vec::new();
        for state in self.take(emit_to) {
            results.push(match state {
                None => null.clone(),
                Some(mut state) => state.finish()?,
            });
        }
        if results.is_empty() {
            return Ok(arrow::array::new_empty_array(&S::output()));
        }
        ScalarValue::iter_to_array(results)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        // Each state is dropped when it has been written, and its bytes when they have been copied.
        let mut bytes = Vec::new();
        for state in self.take(emit_to) {
            bytes.push(state.map(|mut state| state.write()).transpose()?);
        }
        let size = bytes.iter().flatten().map(Vec::len).sum();
        let mut column = LargeBinaryBuilder::with_capacity(bytes.len(), size);
        bytes.into_iter().for_each(|bytes| column.append_option(bytes));
        Ok(vec![Arc::new(column.finish())])
    }

    fn merge_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        total_num_groups: usize,
    ) -> Result<()> {
        self.states.resize(total_num_groups, None);
        let states = values.first().and_then(|states| states.as_binary_opt::<i64>());
        let states = states.ok_or_else(|| internal_datafusion_err!("a state is not binary"))?;
        for (bytes, &group) in states.iter().zip(group_indices) {
            let Some(bytes) = bytes else { continue };
            let other = S::read(bytes)?;
            self.with_state(group, |state| match state {
                None => {
                    *state = Some(other);
                    Ok(())
                }
                Some(state) => state.merge(other),
            })?;
        }
        Ok(())
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        opt_filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let rows = values.first().map_or(0, |column| column.len());
        let mut each = Self::default();
        let groups: Vec<usize> = (0..rows).collect();
        each.update_batch(values, &groups, opt_filter, rows)?;
        each.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        self.states.capacity() * size_of::<Option<S>>() + self.heap
    }
}

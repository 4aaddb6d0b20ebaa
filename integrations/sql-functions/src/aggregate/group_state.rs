use std::{fmt, ops::Range};

use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};

use crate::{arguments::Arguments, specification::Specification};

/// An aggregate function, as the state of one group of rows.
///
/// States are mergeable: the result has the same bits for any order of the rows and for any
/// partition of them. A state is created with the first row in which no argument is NULL; the result
/// of a group without such a row is NULL.
pub(crate) trait GroupState: Clone + fmt::Debug + Default + Send + Sync + 'static {
    /// The typed columns of the arguments.
    type Columns<'a>;
    const SPECIFICATION: Specification;

    /// The type of the result.
    fn output() -> DataType;

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>>;

    /// Adds a row in which no argument is NULL.
    ///
    /// # Errors
    ///
    /// An execution error that names the function, the argument and the value.
    fn update(&mut self, columns: &Self::Columns<'_>, row: usize) -> Result<()>;

    /// Adds rows in which no argument is NULL, with the bits of one by one.
    ///
    /// # Errors
    ///
    /// The error of [`GroupState::update`] for the first row that is refused.
    fn update_all(&mut self, columns: &Self::Columns<'_>, mut rows: Range<usize>) -> Result<()> {
        rows.try_for_each(|row| self.update(columns, row))
    }

    /// Adds all rows of `other`.
    fn merge(&mut self, other: Self) -> Result<()>;

    /// The state as bytes, which [`GroupState::read`] reads on any machine.
    fn write(&mut self) -> Result<Vec<u8>>;

    /// Reads a state.
    ///
    /// # Errors
    ///
    /// An execution error for bytes that [`GroupState::write`] does not return.
    fn read(bytes: &[u8]) -> Result<Self>;

    /// The result, of the type [`GroupState::output`]; NULL if it is not defined.
    fn finish(&mut self) -> Result<ScalarValue>;

    /// The bytes that the state holds in addition to itself.
    fn heap_size(&self) -> usize {
        0
    }
}

//! The compiled half of the Python package `agent_scorecard_sql`.
//!
//! Tables of the caller and the rows of the result cross as Arrow streams in the format for processes, which copies them
//! once and needs no pointers. The Python half (`agent_scorecard_sql/__init__.py`) makes and reads these streams.

use std::{fmt::Display, io::Cursor, sync::Arc, time::Duration};

use datafusion::{
    arrow::ipc::{reader::StreamReader, writer::StreamWriter},
    datasource::MemTable,
    prelude::SessionContext,
};
use pyo3::{
    exceptions::{PyRuntimeError, PyTimeoutError, PyValueError},
    prelude::*,
    pybacked::PyBackedBytes,
    types::PyBytes,
};
use sql_tables::{Memory, Query, block_on};

/// Runs a query on paths, each as `NAME=PATH`, and on named streams, and returns its rows as a stream.
async fn rows(
    query: String,
    paths: Vec<String>,
    frames: Vec<(String, PyBackedBytes)>,
    memory: Memory,
) -> PyResult<Vec<u8>> {
    let mut session = SessionContext::from(memory.session().map_err(refused)?.build());
    sql_functions::register_all(&mut session).map_err(refused)?;
    for (name, stream) in frames {
        let stream = StreamReader::try_new(Cursor::new(stream), None).map_err(refused)?;
        let schema = stream.schema();
        let batches = stream.collect::<Result<_, _>>().map_err(refused)?;
        let table = MemTable::try_new(schema, vec![batches]).map_err(refused)?;
        session.register_table(name, Arc::new(table)).map_err(refused)?;
    }
    let query = Query::plan(&session, &query, &paths, None).await.map_err(refused)?;
    let (schema, batches) = query.rows().await.map_err(refused)?;
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).map_err(refused)?;
    for batch in &batches {
        writer.write(batch).map_err(refused)?;
    }
    writer.into_inner().map_err(refused)
}

/// An error of one line.
fn refused(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string().replace('\n', " "))
}

/// Runs a query on files and streams, and returns its rows as a stream. Ctrl-C and the timeout, in seconds, end it.
#[pyfunction]
fn sql<'py>(
    py: Python<'py>,
    query: String,
    paths: Vec<String>,
    frames: Vec<(String, PyBackedBytes)>,
    memory_limit: Option<usize>,
    timeout: Option<f64>,
) -> PyResult<Bound<'py, PyBytes>> {
    let limit = timeout.map_or(Ok(Duration::MAX), Duration::try_from_secs_f64);
    let limit = limit.map_err(|error| refused(format!("timeout: {error}")))?;
    let rows = py.detach(|| {
        let mut signals = Ok(());
        let found = block_on(limit, rows(query, paths, frames, Memory { memory_limit }), || {
            signals = Python::attach(|py| py.check_signals());
            signals.is_err()
        });
        signals?;
        found.map_err(|error| match error.is_timeout() {
            true => PyTimeoutError::new_err(error.to_string()),
            false => PyRuntimeError::new_err(error.to_string()),
        })?
    })?;
    Ok(PyBytes::new(py, &rows))
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::sql;
}

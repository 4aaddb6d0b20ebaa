//! The compiled half of the Python package `agent_scorecard_sql`.
//!
//! Tables of the caller and the rows of the result cross as Arrow streams in the format for processes, which copies them
//! once and needs no pointers. The Python half (`agent_scorecard_sql/__init__.py`) makes and reads these streams.

use std::{
    fmt::Display,
    io::Cursor,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use datafusion::{
    arrow::ipc::{reader::StreamReader, writer::StreamWriter},
    datasource::MemTable,
    execution::{memory_pool::FairSpillPool, runtime_env::RuntimeEnvBuilder},
    prelude::{SessionConfig, SessionContext},
};
use pyo3::{
    exceptions::{PyRuntimeError, PyTimeoutError, PyValueError},
    prelude::*,
    pybacked::PyBackedBytes,
    types::PyBytes,
};
use sql_tables::Query;
use tokio::runtime;

/// How often the interpreter is asked whether Ctrl-C was pressed.
const SIGNALS: Duration = Duration::from_millis(50);

/// Bytes of the stack of each thread. They are reserved, and used only by queries of many nested terms.
const STACK: usize = 256 << 20;

/// What a call of `sql` was given.
#[derive(Debug)]
struct Call {
    query: String,
    /// Each as `NAME=PATH`.
    paths: Vec<String>,
    /// Names and streams of the caller's tables.
    frames: Vec<(String, PyBackedBytes)>,
    /// In bytes.
    memory_limit: Option<usize>,
}

impl Call {
    /// Runs the query and returns its rows as a stream.
    async fn rows(self) -> PyResult<Vec<u8>> {
        let mut runtime = RuntimeEnvBuilder::new();
        if let Some(limit) = self.memory_limit {
            runtime = runtime.with_memory_pool(Arc::new(FairSpillPool::new(limit)));
        }
        let runtime = runtime.build_arc().map_err(refused)?;
        let config = SessionConfig::new().with_information_schema(true);
        let mut session = SessionContext::new_with_config_rt(config, runtime);
        sql_functions::register_all(&mut session).map_err(refused)?;
        for (name, stream) in self.frames {
            let stream = StreamReader::try_new(Cursor::new(stream), None).map_err(refused)?;
            let schema = stream.schema();
            let batches = stream.collect::<Result<_, _>>().map_err(refused)?;
            let table = MemTable::try_new(schema, vec![batches]).map_err(refused)?;
            session.register_table(name, Arc::new(table)).map_err(refused)?;
        }
        let query = Query::plan(&session, &self.query, &self.paths, None).await.map_err(refused)?;
        let (schema, batches) = query.rows().await.map_err(refused)?;
        let mut writer = StreamWriter::try_new(Vec::new(), &schema).map_err(refused)?;
        for batch in &batches {
            writer.write(batch).map_err(refused)?;
        }
        writer.into_inner().map_err(refused)
    }
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
    let call = Call { query, paths, frames, memory_limit };
    let limit = timeout.map(Duration::try_from_secs_f64).transpose();
    let limit = limit.map_err(|error| refused(format!("timeout: {error}")))?;
    let rows = py.detach(|| {
        let start = Instant::now();
        let runtime = runtime::Builder::new_multi_thread().thread_stack_size(STACK).enable_all().build()?;
        let (sender, receiver) = mpsc::channel();
        let query = runtime.spawn(async move { sender.send(call.rows().await) });
        // This thread has its own clock, because the timers of the runtime stop while all its threads compute.
        let ended = loop {
            match receiver.recv_timeout(SIGNALS) {
                Ok(rows) => break rows,
                Err(RecvTimeoutError::Disconnected) => {
                    break Err(PyRuntimeError::new_err("the query engine panicked"));
                }
                Err(RecvTimeoutError::Timeout) if limit.is_some_and(|limit| start.elapsed() >= limit) => {
                    let text = "the query took longer than the timeout; allow more seconds, or read fewer rows";
                    break Err(PyTimeoutError::new_err(text));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(interrupted) = Python::attach(|py| py.check_signals()) {
                        break Err(interrupted);
                    }
                }
            }
        };
        query.abort();
        // A loop of the engine that does not look whether it was ended finishes in the background.
        runtime.shutdown_background();
        ended
    })?;
    Ok(PyBytes::new(py, &rows))
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::sql;
}

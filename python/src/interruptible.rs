use std::{
    mem, process,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

use pyo3::{exceptions::PyRuntimeError, prelude::*};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// How long Ctrl-C may wait for an answer.
const PATIENCE: Duration = Duration::from_millis(50);

/// The threads of this process, and its number.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Returns the threads that share the work. A process made by `fork` has none of those that its parent started, and would wait for
/// them forever.
fn pool() -> PyResult<Arc<ThreadPool>> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = process::id();
    if let Some((owner, pool)) = &*pool
        && *owner == process
    {
        return Ok(Arc::clone(pool));
    }
    let new = ThreadPoolBuilder::new().build();
    let new = Arc::new(new.map_err(|error| PyRuntimeError::new_err(error.to_string()))?);
    // The threads of the parent cannot be told to end here.
    mem::forget(pool.replace((process, Arc::clone(&new))));
    Ok(new)
}

/// Leaves the threads of this process to work that was interrupted, so that later work does not wait for its end. They end with
/// it.
fn leave() {
    POOL.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take_if(|(owner, _)| *owner == process::id());
}

/// Does work on the threads that share it, without the interpreter lock.
pub(crate) fn on_threads<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let pool = pool()?;
    Ok(py.detach(|| pool.install(work)))
}

/// Does work on threads of its own without the interpreter lock, and raises what Ctrl-C raises meanwhile. Work
/// that was interrupted cannot be stopped; it goes on to its end, and its result is dropped.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let pool = pool()?;
    let (sender, mut receiver) = channel();
    // A receiver that is gone was interrupted.
    thread::Builder::new().spawn(move || drop(sender.send(pool.install(work))))?;
    loop {
        let receiver = &mut receiver;
        match py.detach(move || receiver.recv_timeout(PATIENCE)) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| leave())?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the computation ended without a result"));
            }
        }
    }
}

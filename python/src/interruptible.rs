use std::{
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use pyo3::{exceptions::PyRuntimeError, prelude::*};

/// How long Ctrl-C may wait for an answer.
const PATIENCE: Duration = Duration::from_millis(50);

/// Does work on a thread of its own without the interpreter lock, and raises what Ctrl-C raises meanwhile. Work
/// that was interrupted cannot be stopped; it goes on to its end, and its result is dropped.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    // A receiver that is gone was interrupted.
    thread::Builder::new().spawn(move || drop(sender.send(work())))?;
    loop {
        let receiver = &mut receiver;
        match py.detach(move || receiver.recv_timeout(PATIENCE)) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the computation ended without a result"));
            }
        }
    }
}

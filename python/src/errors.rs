use pyo3::{create_exception, exceptions::PyValueError, prelude::*};

create_exception!(
    agent_scores,
    UndefinedError,
    PyValueError,
    "The data are valid, but the quantity does not exist for them."
);

/// An error of one of the Rust crates on its way to Python.
pub(crate) struct Failure {
    message: String,
    undefined: bool,
}

impl From<scoring_rules::Error> for Failure {
    fn from(error: scoring_rules::Error) -> Self {
        use scoring_rules::Error;
        let undefined = matches!(error, Error::Empty | Error::Undefined { .. });
        Self { message: error.to_string(), undefined }
    }
}

impl From<trajectory_metrics::Error> for Failure {
    fn from(error: trajectory_metrics::Error) -> Self {
        use trajectory_metrics::Error;
        match error {
            Error::ScoringRules(error) => error.into(),
            error => {
                let undefined = matches!(
                    error,
                    Error::Empty
                        | Error::OneClass { .. }
                        | Error::Undefined { .. }
                        | Error::TooFewTrials { .. }
                );
                Self { message: error.to_string(), undefined }
            }
        }
    }
}

impl From<run_logs::Error> for Failure {
    fn from(error: run_logs::Error) -> Self {
        Self { message: error.to_string(), undefined: false }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        if failure.undefined {
            UndefinedError::new_err(failure.message)
        } else {
            PyValueError::new_err(failure.message)
        }
    }
}

/// A `ValueError` with this text.
pub(crate) fn invalid(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}

use pyo3::{create_exception, exceptions::PyValueError, prelude::*};

create_exception!(
    agent_scorecard,
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
                let undefined =
                    matches!(error, Error::OneClass { .. } | Error::TooFewTrials { .. });
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

impl From<censoring::Error> for Failure {
    fn from(error: censoring::Error) -> Self {
        use censoring::Error;
        match error {
            Error::ScoringRules(error) => error.into(),
            Error::TrajectoryMetrics(error) => error.into(),
            error => Self {
                undefined: matches!(error, Error::ZeroSurvival { .. }),
                message: chain(&error),
            },
        }
    }
}

impl From<tool_graph::Error> for Failure {
    fn from(error: tool_graph::Error) -> Self {
        Self { message: error.to_string(), undefined: false }
    }
}

impl From<knapsack_oracle::Error> for Failure {
    fn from(error: knapsack_oracle::Error) -> Self {
        use knapsack_oracle::Error;
        match error {
            Error::ScoringRules(error) => error.into(),
            error => Self { message: error.to_string(), undefined: false },
        }
    }
}

impl From<budget_estimation::Error> for Failure {
    fn from(error: budget_estimation::Error) -> Self {
        use budget_estimation::Error;
        match error {
            Error::ScoringRules(error) => error.into(),
            Error::TrajectoryMetrics(error) => error.into(),
            Error::Censoring(error) => error.into(),
            error => Self { undefined: false, message: chain(&error) },
        }
    }
}

impl From<agent_benchmarks::Error> for Failure {
    fn from(error: agent_benchmarks::Error) -> Self {
        Self { message: chain(&error), undefined: false }
    }
}

/// The text of an error and of its sources.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

/// The names of arguments in Python, where those of the Rust crates differ.
const ARGUMENTS: [(&str, &str); 4] = [
    ("outcomes", "y_true"),
    ("scores", "y_score"),
    ("weights", "sample_weight"),
    ("success_probabilities", "success_probability"),
];

impl From<Failure> for PyErr {
    fn from(mut failure: Failure) -> Self {
        for (rust, python) in ARGUMENTS {
            let rest = failure.message.strip_prefix(rust);
            if let Some(rest) = rest.filter(|rest| rest.starts_with([':', ','])) {
                failure.message = format!("{python}{rest}");
                break;
            }
        }
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

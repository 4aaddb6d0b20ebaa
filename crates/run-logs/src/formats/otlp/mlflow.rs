//! The attributes of MLflow.

use crate::formats::otlp::step::{Dialect, NO_DIALECT};

pub(crate) const DIALECT: Dialect = Dialect {
    inputs: &["mlflow.spanInputs"],
    outputs: &["mlflow.spanOutputs"],
    counts: "mlflow.chat.tokenUsage",
    costs: "mlflow.llm.cost",
    ..NO_DIALECT
};

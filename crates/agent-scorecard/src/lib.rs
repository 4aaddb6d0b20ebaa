#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod budget;
pub mod calibration;
mod clusters;
pub mod compare;
mod confidence;
pub mod convert;
pub mod costbench;
pub mod cut_off;
mod error;
pub mod live;
pub mod logs;
mod metrics;
mod natural;
#[doc(hidden)]
pub mod options;
pub mod paths;
mod report;
mod steps;
mod texts;
pub mod traces;
pub mod triage;

pub use agent_benchmarks;
pub use budget_estimation;
pub use censoring;
pub use knapsack_oracle;
pub use run_logs;
pub use scoring_rules;
pub use tool_graph;
pub use trajectory_metrics;

pub use clusters::ClusterBy;
pub use cut_off::cut_off;
pub use error::{Error, with_causes};
pub use report::{
    Axis, BAR_WIDTH, Block, Cell, Column, Condition, Drawing, Drawings, Field, Heading, MadeRows,
    Mark, Part, Picture, Pictures, Place, PlacedFigure, Position, ROWS, Report, Row, Series, Table,
    Value, log_name, shortened, shown, thinned,
};
pub use run_logs::{
    Account,
    json_lines::{InputError, RunCounts},
};
pub use texts::Texts;
pub use trajectory_metrics::{Better, Figure, Measure, Metric, Undefined};

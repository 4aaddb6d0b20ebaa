//! The tools, costs and events of CostBench, identical to the bit with the released benchmark.
//!
//! A [`Library`] holds the tools of all six [`Task`]s at one refinement level. A [`CostModel`] draws
//! their costs for one query, and [`Library::tools`] combines both; [`CostModel::scenario`] makes the
//! scenario of a query. All results are functions of the global seed and the id of the query.
//!
//! Reference: CostBench, section 3.1 and appendices B.1, B.6.1 and B.6.2.
//!
//! ```
//! use tool_graph::costbench::{CostModel, Library};
//!
//! let library = Library::new(2)?;
//! let costs = CostModel::default().costs(&library, 42, "<Query00001>");
//! let tools = library.tools(&costs)?;
//! assert_eq!(tools.len(), 84);
//! assert_eq!((tools[0].name.as_str(), tools[0].cost), ("Decide_Location_Preference", 23.23));
//! # Ok::<(), tool_graph::Error>(())
//! ```

pub(crate) mod cents;
pub(crate) mod cost_model;
pub(crate) mod event_kind;
#[cfg(test)]
mod golden_tests;
pub(crate) mod library;
mod numpy_random;
pub(crate) mod query_scenario;
pub(crate) mod seeds;
pub(crate) mod task;
pub(crate) mod tool_names;
mod ziggurat;

pub use {
    cost_model::{CostModel, CostRule},
    event_kind::EventKind,
    library::{Library, LibraryTool},
    seeds::QuerySeed,
    task::Task,
};

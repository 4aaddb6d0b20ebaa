#![doc = include_str!("../README.md")]

mod budget;
mod calibration;
mod command;
mod compare;
mod convert;
mod costbench;
mod costbench_sweep;
mod cut_off;
mod files;
mod games;
mod knapsack;
mod logs;
mod output;
mod paths;
mod plain;
mod play;
mod progress;
mod re_solved;
mod report;
mod rooms;
#[cfg(feature = "client")]
mod run;
mod traces;
mod triage;
mod triage_variants;
mod values;

pub use command::{report, run};

/// Forms of reports for the Python package and for tests; no part of the interface.
#[doc(hidden)]
pub mod views {
    use agent_scorecard::Report;
    use serde::Serialize;

    use crate::{output, report::page};

    /// The table for people.
    #[must_use]
    pub fn text(report: &Report) -> String {
        output::text::report(report, output::table::Layout::Aligned)
    }

    /// The page.
    #[must_use]
    pub fn page(report: &Report) -> String {
        page::of_report(report)
    }

    /// The line that says that a condition such as `hit_rate < 0.5` holds, if it holds. `range` has the least and the largest
    /// value of a figure by its place: [`Report::range`] of this report.
    ///
    /// # Errors
    ///
    /// A line that says what is wrong with the condition.
    pub fn failure<R: Serialize>(
        report: &R,
        condition: &str,
        range: impl Fn(&str) -> Option<[f64; 2]>,
    ) -> Result<Option<String>, String> {
        let report = serde_json::to_value(report).map_err(|error| error.to_string())?;
        output::fail_if::parse(condition)?.failure(&report, range)
    }
}

#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod budget;
mod command;
mod compare;
mod convert;
mod costbench;
mod cut_off;
mod files;
mod games;
mod logs;
mod output;
mod paths;
mod plain;
mod progress;
mod report;
#[cfg(feature = "client")]
mod run;
mod traces;
mod triage;

pub use command::run;

/// The evaluations, for the Python package. They are not part of the interface.
#[doc(hidden)]
pub mod questions {
    pub use crate::{
        budget::{caps, report as budget},
        compare::report as compare,
        costbench::{released as costbench_results, report as costbench},
        cut_off::{Beside, report as cut_off},
        files::{
            logs::{Judging, Streamed},
            source::Source,
        },
        logs::report as logs,
        paths::report as paths,
        traces::{calibrated as calibration, report as traces},
        triage::{With, re_solved, report as triage, triage_variants},
    };
}

/// Views of reports for the Python package and for tests. They are not part of the interface.
#[doc(hidden)]
pub mod views {
    use agent_scorecard::{Condition, PlacedFigure, Report};
    use serde::Serialize;

    pub use crate::output::text::Layout;
    use crate::{output, report::page};

    /// Returns the report as a text table.
    #[must_use]
    pub fn text(report: &Report) -> String {
        output::text::report(report, Layout::Aligned)
    }

    /// Returns the report as an HTML page.
    #[must_use]
    pub fn page(report: &Report) -> String {
        page::of_report(report)
    }

    /// Returns the report as a part of another HTML page, without style and pictures.
    #[must_use]
    pub fn part(report: &Report) -> String {
        page::part_of_report(report)
    }

    /// Returns a message if a condition such as `hit_rate < 0.5` is true, and `None` otherwise. `figure` looks up a
    /// figure by its location in the report, as [`Report::placed`] does.
    ///
    /// # Errors
    ///
    /// A line that describes the fault of the condition.
    pub fn failure<R: Serialize>(
        report: &R,
        condition: &str,
        figure: impl Fn(&str) -> Option<PlacedFigure>,
    ) -> Result<Option<String>, String> {
        let report = serde_json::to_value(report).map_err(|error| error.to_string())?;
        condition.parse::<Condition>()?.failure(&report, figure)
    }
}

//! Scores the probabilities of success that agents report along their runs.
//!
//! A [`TraceEvaluation`] scores the runs of one column, [`TraceEvaluation::finish`] describes the findings,
//! [`differences`] compares two columns, and [`with_differences`] makes one report of all of them.
//!
//! ```
//! use agent_scorecard::{
//!     Report,
//!     traces::{Beside, TraceEvaluation, TraceOptions, TraceRun, differences, with_differences},
//!     trajectory_metrics::Probability,
//! };
//!
//! let run = |i: u32, forecast: f64| {
//!     Ok(TraceRun {
//!         id: format!("run-{i}"),
//!         task: Some(format!("task-{}", i % 10)),
//!         forecasts: vec![Probability::HALF, Probability::new(forecast)?],
//!         outcome: Some(i % 3 == 0),
//!         ..TraceRun::default()
//!     })
//! };
//! let sure = |i| run(i, if i % 3 == 0 { 0.9 } else { 0.2 });
//! let unsure = |i| run(i, 0.3);
//! let columns: [Vec<TraceRun>; 2] = [
//!     (0..30).map(sure).collect::<Result<_, agent_scorecard::Error>>()?,
//!     (0..30).map(unsure).collect::<Result<_, agent_scorecard::Error>>()?,
//! ];
//! let options = TraceOptions { resamples: 200, ..TraceOptions::default() };
//! let [first, second] = columns.each_ref().map(|runs| TraceEvaluation::of(runs, &options));
//! let (first, second) = (first?, second?);
//! let compared = differences(&first, &second)?;
//! let beside = Beside::default();
//! let is_same_runs = first.digest() == second.digest();
//! let report = Report::of_columns(vec![
//!     ("sure".to_owned(), None, first.finish(&beside)?),
//!     ("unsure".to_owned(), None, second.finish(&beside)?),
//! ]);
//! let report = with_differences(report, vec![("", compared)], is_same_runs, &options);
//! assert_eq!(report.columns[0].block.figure("auroc").map(|auroc| auroc.value), Ok(1.0));
//! assert!(report.together.get("difference").is_some());
//! # Ok::<(), agent_scorecard::Error>(())
//! ```

pub(crate) mod calibrated;
mod conclusion;
mod differences;
mod evaluation;
pub(crate) mod figures;
pub(crate) mod logged;
mod partial;
pub(crate) mod pictures;
pub(crate) mod settings;
mod streams;
pub(crate) mod sureness;
pub(crate) mod units;

pub use crate::options::LEVEL;
pub use crate::{confidence::VERDICTS, report::picture::BAND};
pub use differences::{Compared, NO_RESAMPLES, differences, with_differences};
pub use evaluation::{TraceEvaluation, evaluate};
pub use figures::{Beside, CENSORED, LeftOut, MEASURES, account, has_runs};
pub use logged::{LoggedColumn, SEVERAL, UNKNOWN_MODEL, compared_streams, logged_streams};
pub use run_logs::{
    Missing, TraceFile, TraceRemarks, TraceRun, TraceRuns, TraceSource, fold_traces,
};
pub use settings::{Calibration, TraceOptions};
pub use streams::{StreamFigures, stream_runs, streams};
pub use sureness::{SURENESS, without_outcomes};
pub use units::RunsDigest;

use std::ffi::OsString;

use agent_scorecard::{Better, Heading, PlacedFigure};
use agent_scorecard_cli::views;
use pyo3::{IntoPyObjectExt, prelude::*, types::PyDict};

use crate::{errors::invalid, interruptible::interruptible};

type Entry<'py> = Bound<'py, PyDict>;
type Table = (String, Vec<String>, Vec<Vec<String>>, String);

/// The answer to one question about one or more columns of runs.
#[pyclass(frozen, module = "agent_scorecard._native")]
pub(crate) struct Report {
    report: agent_scorecard::Report,
}

#[pymethods]
impl Report {
    /// The JSON object of the command.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.report).map_err(|error| invalid(error.to_string()))
    }

    /// The table of the command.
    fn text(&self) -> String {
        views::text(&self.report)
    }

    /// The page of the command.
    fn page(&self, py: Python<'_>) -> String {
        py.detach(|| views::page(&self.report))
    }

    /// The line that says that a condition of `--fail-if` holds, if it holds.
    fn failure(&self, condition: &str) -> PyResult<Option<String>> {
        let range = |place: &str| self.report.range(place);
        views::failure(&self.report, condition, range).map_err(invalid)
    }

    /// The tables: title, headings, rows of cells, and how the table is read.
    fn tables(&self) -> Vec<Table> {
        let row = |row: &agent_scorecard::Row| {
            let heading = row.heading.as_ref().map(|heading| match heading {
                Heading::Text(text) => text.to_string(),
                Heading::Measure(measure) => measure.label.to_owned(),
            });
            heading.into_iter().chain(row.cells.iter().map(|cell| cell.plain())).collect()
        };
        let tables = self.report.tables().into_iter();
        tables.map(|it| (it.title, it.header, it.rows.iter().map(row).collect(), it.note)).collect()
    }

    /// All figures of all columns, one dictionary each.
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Vec<Entry<'py>>> {
        self.report.figures().iter().map(|placed| entry(py, placed)).collect()
    }
}

fn entry<'py>(py: Python<'py>, placed: &PlacedFigure<'_>) -> PyResult<Entry<'py>> {
    let PlacedFigure { measure, figure, .. } = placed;
    let known = figure.as_ref().ok();
    let interval = known.and_then(|figure| figure.interval.ok());
    let better = match measure.better {
        Better::Higher => "higher".into_bound_py_any(py)?,
        Better::Lower => "lower".into_bound_py_any(py)?,
        Better::Near(target) => target.into_bound_py_any(py)?,
        Better::Neither => py.None().into_bound(py),
    };
    let entry = PyDict::new(py);
    entry.set_item("column", &placed.column)?;
    entry.set_item("figure", &placed.name)?;
    entry.set_item("value", known.map_or(f64::NAN, |figure| figure.value))?;
    entry.set_item("ci_low", interval.map_or(f64::NAN, |interval| interval.low()))?;
    entry.set_item("ci_high", interval.map_or(f64::NAN, |interval| interval.high()))?;
    let error = known.and_then(|figure| figure.standard_error);
    entry.set_item("standard_error", error.unwrap_or(f64::NAN))?;
    entry.set_item("better", better)?;
    entry.set_item("undefined", figure.as_ref().err().map(ToString::to_string))?;
    entry.set_item("help", measure.help)?;
    Ok(entry)
}

/// The report that the command makes for these arguments. Files of the folder, which is that of runs from memory,
/// are named without it.
#[pyfunction]
pub(crate) fn evaluate(py: Python<'_>, arguments: Vec<OsString>, folder: &str) -> PyResult<Report> {
    let report = interruptible(py, || agent_scorecard_cli::report(arguments))?;
    let mut report = report.map_err(|line| invalid(line.replace(folder, "")))?;
    for column in &mut report.columns {
        column.file = column.file.replace(folder, "");
        column.name = column.name.replace(folder, "");
    }
    Ok(Report { report })
}

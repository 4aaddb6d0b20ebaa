use run_logs::{ConfidenceStream, json_lines::RunCounts};
use trajectory_metrics::{Figure, ForecastPolicy, Metric, Undefined};

use crate::{
    error::Error,
    metrics::metrics,
    report::{
        block::{Block, Column, Position, Report},
        key,
        picture::{Axis, Picture, Series},
        sentence::{counted, percent_value},
    },
    traces::logged::LoggedColumn,
};

/// The statistics of the last confidence of each run. They are computed from a list of these confidences, which must be
/// sorted in ascending order.
pub const SURENESS: [Metric<[f64]>; 4] = metrics! { [f64];
    "mean", "mean last confidence", Neither,
        "Mean over runs of the last confidence of each run.",
        |last| match last {
            [] => Err(none()),
            last => Ok(last.iter().sum::<f64>() / last.len() as f64),
        };
    "quartile_1", "lower quartile", Neither,
        QUANTILE,
        |last| {
        quantile(last, 0.25)
    };
    "median", "median", Neither,
        QUANTILE, |last| quantile(last, 0.5);
    "quartile_3", "upper quartile", Neither,
        QUANTILE,
        |last| {
        quantile(last, 0.75)
    };
};

const QUANTILE: &str = "Quantile over runs of the last confidence of each run, interpolated linearly between the two nearest runs.";

/// The entry for a run in a file of outcomes.
pub(crate) const ADD: &str =
    r#"add --outcomes FILE, with a line {"id": "…", "outcome": true} for each run"#;

fn none() -> Undefined {
    Undefined::new("there is no run")
}

fn quantile(ascending: &[f64], share: f64) -> Result<f64, Undefined> {
    let at = share * ascending.len().saturating_sub(1) as f64;
    let value = |at: f64| ascending.get(at as usize).copied().ok_or_else(none);
    let (low, high) = (value(at.floor())?, value(at.ceil())?);
    Ok(low + (at - at.floor()) * (high - low))
}

/// Summarizes the last confidence of each run, or returns `None` if some run of these logs has an outcome or succeeded
/// in part.
///
/// # Errors
///
/// [`run_logs::Error::MissingConfidence`] for a value that the policy refuses.
pub fn without_outcomes(
    logs: &[LoggedColumn],
    missing: ForecastPolicy,
) -> Result<Option<Report>, Error> {
    if logs.iter().flat_map(|log| log.table.rows()).any(|row| row.grade.is_some()) {
        return Ok(None);
    }
    let (mut columns, mut parts) = (Vec::new(), Vec::new());
    for log in logs {
        let runs: RunCounts = log.table.rows().iter().collect();
        let lines = [runs.line(), format!("format {}", log.format)];
        let mut block = Block::default()
            .saying(Position::Line, lines)
            .saying(Position::Note, log.notes.clone());
        block.push_json("format", log.format);
        block.extend_json(&runs);
        block.push_json("missing", &missing);
        let column = (log.file.clone(), log.model.clone(), block).into();
        columns.push(Column { name: log.name.clone(), ..column });
        let mut streams = Vec::new();
        for stream in ConfidenceStream::ALL {
            // A policy that refuses what is missing does not ask for streams that the log does not have.
            if log.table.stream(stream, ForecastPolicy::Skip)?.runs().is_empty() {
                continue;
            }
            let found = log.table.stream(stream, missing)?;
            let last = found.runs().iter().filter_map(|run| run.forecasts.last());
            let mut last: Vec<f64> = last.map(|forecast| forecast.get()).collect();
            last.sort_by(f64::total_cmp);
            streams.push((stream.name().to_owned(), of_stream(&last)));
        }
        parts.push(streams);
    }
    let mut report = Report {
        title: "How sure were the models?".to_owned(),
        lead: "the last confidence of each run; no run has an outcome".to_owned(),
        main_pictures: vec!["last_confidence"],
        ..Report::of_columns(columns)
    };
    report.set_accounts(logs.iter().map(LoggedColumn::account));
    for (column, parts) in report.columns.iter_mut().zip(parts) {
        report.conclusion.extend(parts.iter().filter_map(|(stream, block)| {
            let percent = |of: &Metric<[f64]>| Some(percent_value(block.number(of.measure.key)?));
            Some(format!(
                "{column}, {stream}: the model was {mean} % sure on average at the end of {runs}; the middle half of the runs lies from {lower} to {upper} %",
                column = column.name,
                mean = percent(&SURENESS[0])?,
                runs = counted(block.count(key::n), "run"),
                lower = percent(&SURENESS[1])?,
                upper = percent(&SURENESS[3])?,
            ))
        }));
        column.parts = ("streams", parts);
    }
    report.conclusion.push(format!(
        "no run has an outcome, so it is not known whether this confidence is right: {ADD}"
    ));
    Ok(Some(report))
}

fn of_stream(ascending: &[f64]) -> Block {
    let mut block = Block::default();
    block.push_json(key::n, &ascending.len());
    block.push_metrics(&SURENESS, ascending, |_, value| Figure::from(value));
    // A confidence on an edge is in the upper of two bars, except for 1.
    let bar = |edge: u8| {
        let place = |last: &&f64| (**last * 10.0).floor().min(9.0) == f64::from(edge);
        let count = ascending.iter().filter(place).count();
        [f64::from(edge) / 10.0, f64::from(edge + 1) / 10.0, count as f64]
    };
    let picture = Picture {
        title: "Last confidences: how sure was the model at the end?".to_owned(),
        x: Axis::new("last confidence of a run").with_range(0.0, 1.0),
        y: Axis::new("runs"),
        series: vec![Series::bars("all runs", (0..10).map(bar))],
        note: "Bars on the right count runs in which the model was sure of success.".to_owned(),
    };
    block.draw([("last_confidence", picture)]);
    block
}

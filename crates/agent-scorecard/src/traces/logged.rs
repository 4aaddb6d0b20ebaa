use run_logs::{
    Account, ConfidenceReading, ConfidenceStream, FactRules, Format, LoggedRun, Run, RunTable,
    StreamOptions, StreamRuns, TraceFile, Ungraded, json_lines::RunCounts,
};
use trajectory_metrics::{ForecastPolicy, Undefined};

use crate::{
    error::Error,
    report::{
        block::{Block, Position},
        key,
    },
    traces::{
        differences::{Compared, differences},
        evaluation::TraceEvaluation,
        settings::TraceOptions,
        streams::{StreamFigures, stream_runs, streams},
    },
};

/// The runs of a log or of a folder of logs; if there are several models, the runs of one of them.
#[derive(Clone, Debug)]
pub struct LoggedColumn {
    /// The log as named by the caller.
    pub file: String,
    /// The name of the column; empty for the name of its model or file.
    pub name: String,
    /// The model, if there are several.
    pub model: Option<String>,
    /// The format; `several` for a folder whose files have different ones.
    pub format: &'static str,
    /// The runs of the log.
    pub table: RunTable,
    /// Notes on the log.
    pub notes: Vec<String>,
    /// The name of a run that has a reply, and the end of its last reply.
    pub last_reply: Option<(String, String)>,
}

/// The name of the column of runs without a model, in a log in which other runs have one. These runs belong to no
/// agent, so they are not compared.
pub const UNKNOWN_MODEL: &str = "unknown model";

impl LoggedColumn {
    /// Creates the report column of these runs by the default rules. The runs may come from a benchmark of your own.
    ///
    /// # Errors
    ///
    /// Errors of [`RunTable::new`].
    ///
    /// ```
    /// use agent_scorecard::{
    ///     agent_benchmarks::Run, compare::{CompareOptions, Side, compare}, scoring_rules::Level,
    ///     traces::LoggedColumn,
    /// };
    ///
    /// let run = |number: usize| {
    ///     let mut run = Run::new(format!("run {number}"));
    ///     (run.task, run.outcome) = (Some(format!("task {}", number / 2)), Some(number % 4 > 0));
    ///     run
    /// };
    /// let column = LoggedColumn::of_runs("my agent", (0..20).map(run))?;
    /// let report = compare([Side::from(&column)], CompareOptions::default(), Level::new(0.95)?)?;
    /// assert_eq!(report.conclusion, ["my agent succeeded in 75 % of 20 runs [40, 93]."]);
    /// # Ok::<(), agent_scorecard::Error>(())
    /// ```
    pub fn of_runs(
        name: impl Into<String>,
        runs: impl IntoIterator<Item = Run>,
    ) -> Result<Self, Error> {
        let runs = runs.into_iter().map(Ok);
        let table = RunTable::new(runs, &FactRules::default(), &StreamOptions::default())?;
        let (name, format) = (name.into(), Format::Exchanges.name());
        Ok(Self {
            file: name,
            name: String::new(),
            model: None,
            format,
            table,
            notes: Vec::new(),
            last_reply: None,
        })
    }

    /// Returns true if there are runs and none of them has a value of any stream of confidence.
    #[must_use]
    pub fn is_without_streams(&self) -> bool {
        let is_empty = |stream| {
            let found = self.table.stream(stream, ForecastPolicy::Skip);
            found.is_ok_and(|found| found.runs().is_empty())
        };
        !self.table.rows().is_empty() && ConfidenceStream::ALL.into_iter().all(is_empty)
    }

    /// Returns the counts of these runs. Runs that cannot be scored count as left out: runs that lack every stream of
    /// confidence, and runs without a grade unless a limit ended them.
    #[must_use]
    pub fn scored_account(&self, missing: ForecastPolicy) -> Account {
        let reason = |row: &LoggedRun| {
            let lacks = |stream| row.trace(stream, missing).err().map(|lacks| lacks.left_out);
            let lacking = ConfidenceStream::ALL.map(lacks);
            match row.ungraded {
                _ if lacking.iter().all(Option::is_some) => lacking[0],
                // A run that a limit ended is scored as one that was cut off.
                why => why.filter(|why| *why != Ungraded::AtLimit).map(Ungraded::name),
            }
        };
        let reasons = self.table.rows().iter().filter_map(reason);
        self.account().without(reasons.map(|reason| (reason, 1)))
    }

    /// Returns the counts of the runs that were read, used and left out.
    #[must_use]
    pub fn account(&self) -> Account {
        self.table.account(self.model.as_deref().unwrap_or(&self.file))
    }

    /// Returns a file of traces with the runs that have this stream of confidence. Runs without it are counted by
    /// reason.
    ///
    /// # Errors
    ///
    /// [`run_logs::Error::MissingConfidence`] for a value that the policy refuses, and [`run_logs::Error::Undefined`],
    /// which lists the existing streams, if no run has the stream.
    pub fn traces(
        &self,
        stream: ConfidenceStream,
        missing: ForecastPolicy,
    ) -> Result<TraceFile, Error> {
        let runs = |stream| self.table.stream(stream, missing).map_or(0, |it| it.runs().len());
        // A column whose runs are all left out is kept next to the others.
        if runs(stream) == 0 && !self.table.rows().is_empty() {
            let others = ConfidenceStream::ALL.into_iter().filter(|&stream| runs(stream) > 0);
            let others = Vec::from_iter(others.map(|it| format!("{it} ({} runs)", runs(it))));
            let reason = format!(
                "no run of {log} has this stream; streams that exist: {others}",
                log = self.model.as_ref().unwrap_or(&self.file),
                others = if others.is_empty() { "none".to_owned() } else { others.join(", ") },
            );
            return Err(run_logs::Error::Undefined { name: stream.name(), reason }.into());
        }
        let mut traces = TraceFile::of_log(&self.file, &self.table, stream, missing)?;
        traces.model.clone_from(&self.model);
        traces.name.clone_from(&self.name);
        traces.remarks.add_notes(self.notes.iter().cloned());
        Ok(traces)
    }
}

/// The name of the format in reports on logs of several formats.
pub const SEVERAL: &str = "several";

/// Returns the format that all logs have, or [`SEVERAL`].
pub(crate) fn common_format<'a>(logs: impl IntoIterator<Item = &'a LoggedColumn>) -> &'static str {
    let mut formats = logs.into_iter().map(|log| log.format);
    let first = formats.next().unwrap_or(Format::Auto.name());
    if formats.all(|format| format == first) { first } else { SEVERAL }
}

/// Returns the results for one or more logs together, and the figures of each stream.
///
/// # Errors
///
/// Errors of [`streams`].
pub fn logged_streams(
    logs: &[&LoggedColumn],
    missing: ForecastPolicy,
    reading: ConfidenceReading,
    options: &TraceOptions,
) -> Result<(Block, Vec<StreamFigures>), Error> {
    let tables: Vec<&RunTable> = logs.iter().map(|log| &log.table).collect();
    let streams = streams(&tables, missing, options)?;
    let runs: RunCounts = logs.iter().flat_map(|log| log.table.rows()).collect();
    let format = common_format(logs.iter().copied());
    let mut block = Block::default()
        .saying(Position::Line, [runs.line(), format!("format {format}")])
        .saying(Position::Line, streams.iter().map(|(stream, block, _)| line(*stream, block)))
        .saying(Position::Note, logs.iter().flat_map(|log| log.notes.clone()));
    block.push_json("format", format);
    block.extend_json(&runs);
    block.push_json("missing", &missing);
    let is_lenient = reading == ConfidenceReading::Lenient;
    block.push_json("confidence", if is_lenient { "lenient" } else { "strict" });
    Ok((block, streams))
}

/// States the number of scored runs of a stream, and the reasons why others are not scored.
fn line(stream: ConfidenceStream, block: &Block) -> String {
    let [n, n_censored, n_excluded, n_left_out, n_partial] =
        [key::n, key::n_censored, key::n_excluded, key::n_left_out, key::n_partial]
            .map(|key| block.count(key));
    let mut text = format!(
        "{stream}: {n} complete traces, {n_censored} censored, {n_excluded} excluded without an outcome, {n_left_out} left out without usable confidence"
    );
    if let Some(reasons) = block.inner(key::left_out).filter(|_| n_left_out > 0) {
        let reasons =
            reasons.fields.iter().map(|it| format!("{} {}", reasons.count(&it.key), it.key));
        text.push_str(&format!(" ({})", reasons.collect::<Vec<_>>().join(", ")));
    }
    if n_partial > 0 {
        text.push_str(&format!(
            "; {n_partial} of these have a confidence at some calls: --missing skip keeps them"
        ));
    }
    text
}

/// Returns, for each stream that both columns have, the differences between the columns.
///
/// # Errors
///
/// Errors of [`stream_runs`].
pub fn compared_streams(
    first: &RunTable,
    second: &RunTable,
    missing: ForecastPolicy,
    options: &TraceOptions,
) -> Result<Vec<(&'static str, Compared)>, Error> {
    let mut compared = Vec::new();
    for stream in ConfidenceStream::ALL {
        let [first, second] = [first, second].map(|table| stream_runs(table, stream, missing));
        let (first, second) = (first?, second?);
        if !(first.runs().is_empty() || second.runs().is_empty()) {
            // A calibration that cannot be fitted leaves the figures of the column undefined, too.
            let of = |found: &StreamRuns| TraceEvaluation::of(found.runs(), options);
            let found = of(&first).and_then(|first| differences(&first, &of(&second)?));
            let found = found.unwrap_or_else(|error| Err(Undefined::new(error.to_string())));
            compared.push((stream.name(), found));
        }
    }
    Ok(compared)
}

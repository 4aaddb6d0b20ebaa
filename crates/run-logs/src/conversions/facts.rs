//! Converts runs of logs to the form that each question needs: the facts of a log are passed on directly, without text in
//! between.

use budget_estimation::Rollouts;
use scoring_rules::Probability;
use serde::Serialize;
use serde_json::Map;
use trajectory_metrics::ForecastPolicy;

use crate::{
    conversions::{
        logged_run::{LoggedRun, PARTIAL_SUCCESS},
        run_table::RunTable,
        streams::confidence_stream::ConfidenceStream,
    },
    engines::fresh_input::fresh_input_tokens,
    error::Error,
    formats::{
        paths::{AgentCall, PathRun},
        rollouts::{RolloutFile, RolloutLine},
        trace_runs::TraceRun,
        traces::TraceFile,
    },
    json_lines::run_counts::RunCounts,
};

/// The costs of a turn, by the names of the resources.
const COSTS: [&str; 4] = ["input_tokens", "output_tokens", "cost_usd", "fresh_input_tokens"];

/// A run that is left out because its log lacks data that an evaluation needs.
#[derive(Clone, Debug, Serialize)]
pub struct LeftOutRun {
    /// The name of the run.
    pub id: String,
    /// The task; for a run without a task, its own id, because it counts as a separate task.
    pub task: String,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether the run succeeded.
    pub outcome: Option<bool>,
    /// The reason why the run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// The reason why the run is left out, as one word, such as `no_outcome`.
    pub left_out: &'static str,
}

impl LoggedRun {
    /// Returns the task, or the run's own name: a run without a task is a separate task, with its trials.
    fn task_or_id(&self) -> String {
        self.task.clone().unwrap_or_else(|| self.id.clone())
    }

    /// Returns the missing part of a run that has neither succeeded nor failed.
    fn lacks_outcome(&self) -> &'static str {
        if self.is_partial() { PARTIAL_SUCCESS } else { "no_outcome" }
    }

    fn left_out(&self, left_out: &'static str) -> LeftOutRun {
        let (id, task, model) = (self.name(), self.task_or_id(), self.model.clone());
        let stop = self.stop.as_ref().map(ToString::to_string);
        LeftOutRun { id, task, model, outcome: self.outcome, stop, left_out }
    }

    /// Returns the run as a trace: its outcome and its forecasts from one stream of confidence.
    ///
    /// # Errors
    ///
    /// The run is returned as left out, if the policy leaves runs out.
    pub fn trace(
        &self,
        stream: ConfidenceStream,
        missing: ForecastPolicy,
    ) -> Result<TraceRun, LeftOutRun> {
        let forecasts = self.forecasts(stream, missing);
        let forecasts = forecasts.map_err(|(_, reason)| self.left_out(reason.name()))?;
        Ok(self.traced(forecasts, missing))
    }

    /// Returns the run with these forecasts.
    pub(crate) fn traced(&self, forecasts: Vec<Probability>, missing: ForecastPolicy) -> TraceRun {
        TraceRun {
            id: self.name(),
            task: Some(self.task_or_id()),
            forecasts,
            outcome: self.outcome,
            grade: self.partial_grade(),
            stop: self.stop.clone(),
            horizon: self.horizon.filter(|_| missing != ForecastPolicy::Skip),
            ..TraceRun::default()
        }
    }

    /// Returns the calls of the agent and its subagents, and the calls that the task expects of the agent.
    ///
    /// # Errors
    ///
    /// The run is returned as left out if it has no outcome or no expected calls.
    pub fn calls(&self) -> Result<PathRun, LeftOutRun> {
        let success = self.outcome.ok_or_else(|| self.left_out(self.lacks_outcome()))?;
        if self.expected_calls.is_empty() {
            return Err(self.left_out("no_expected_calls"));
        }
        let made = self.tool_calls.iter().zip(&self.calls_ok);
        Ok(PathRun {
            id: self.name(),
            task: self.task_or_id(),
            agent_calls: made.map(|(call, ok)| AgentCall { call: call.clone(), ok: *ok }).collect(),
            expected_calls: self.expected_calls.clone(),
            success,
            model: self.model.clone(),
            domain: None,
        })
    }

    /// Returns the costs of each turn.
    ///
    /// # Errors
    ///
    /// The run is returned as left out if it has no outcome or no turn.
    pub fn rollout(&self) -> Result<RolloutLine, LeftOutRun> {
        let success = self.outcome.ok_or_else(|| self.left_out(self.lacks_outcome()))?;
        if self.turn_usage.is_empty() {
            return Err(self.left_out("no_turn"));
        }
        let turns = self.turn_usage.iter().zip(self.fresh_input_tokens()).map(|(turn, fresh)| {
            let (input, output) = (turn.input_tokens.into(), turn.output_tokens.into());
            let costs = [input, output, turn.cost_usd.into(), fresh.into()];
            let fields = COSTS.map(str::to_owned).into_iter().zip(costs);
            Map::from_iter(fields)
        });
        let model = self.model.iter().map(|model| ("model".to_owned(), model.as_str().into()));
        Ok(RolloutLine {
            id: Some(self.name()),
            task: Some(self.task_or_id()),
            turns: turns.collect::<Vec<_>>().into(),
            success,
            cut_off: self.is_at_limit.then_some(false).filter(|_| !success),
            stop_reason: self.stop.clone(),
            achieved: None,
            caps: None,
            others: model.collect(),
        })
    }
}

impl<'a> FromIterator<&'a LoggedRun> for RunCounts {
    fn from_iter<I: IntoIterator<Item = &'a LoggedRun>>(runs: I) -> Self {
        let mut counts = Self::default();
        for run in runs {
            match run.is_partial() {
                true => counts.add_partial(run.stop.as_ref()),
                false => counts.add(run.outcome, run.stop.as_ref()),
            }
        }
        counts
    }
}

impl TraceFile {
    /// Returns the runs of a log as traces of one stream of confidence. Runs without the stream are counted by the
    /// reason why they lack it. `file` names the log.
    ///
    /// # Errors
    ///
    /// [`Error::MissingConfidence`] for a value that the policy refuses.
    pub fn of_log(
        file: &str,
        table: &RunTable,
        stream: ConfidenceStream,
        missing: ForecastPolicy,
    ) -> Result<Self, Error> {
        let counts = table.stream(stream, missing)?.counts();
        let mut traces = Self::new(file, []);
        traces.remarks.set_log(table.account(""), missing, counts);
        for row in table.rows() {
            match row.trace(stream, missing) {
                Ok(run) => {
                    traces.remarks.count(&run);
                    traces.runs.push(run);
                }
                Err(LeftOutRun { left_out, .. }) => {
                    traces.remarks.count_left_out(row.outcome, row.stop.as_ref(), left_out);
                }
            }
        }
        Ok(traces)
    }
}

impl RolloutFile {
    /// Returns the runs of a log with the costs of each turn. Runs without an outcome or without turns are left out,
    /// and counted by reason. `file` names the log.
    #[must_use]
    pub fn of_log<'a>(file: &str, tables: impl IntoIterator<Item = &'a RunTable>) -> Self {
        let mut rollouts = Self::empty(file);
        for table in tables {
            for row in table.rows() {
                match row.rollout() {
                    Ok(run) => rollouts.push(0, run),
                    Err(LeftOutRun { model, outcome, left_out, .. }) => {
                        rollouts.count_left_out(model, outcome, row.stop.as_ref(), left_out);
                    }
                }
            }
            let model = table.models().first().map(|model| (*model).clone());
            rollouts.add_log(model, table.account(""));
        }
        rollouts
    }
}

impl LoggedRun {
    /// Returns the input tokens of each turn, excluding the history that its request repeats; `None` if the log does
    /// not count the input. Reasoning of earlier turns is not sent again, so it is not subtracted.
    ///
    /// # Reference
    ///
    /// This is the rule of BAGEN's released code; see [`fresh_input_tokens`].
    #[must_use]
    pub fn fresh_input_tokens(&self) -> Vec<Option<u64>> {
        let count = |tokens: Option<u64>| tokens.and_then(|tokens| i64::try_from(tokens).ok());
        let turns = || self.turn_usage.iter();
        let input: Vec<Option<i64>> = turns().map(|turn| count(turn.input_tokens)).collect();
        let visible = |turn: &crate::values::run::Usage| {
            Some(turn.output_tokens?.saturating_sub(turn.reasoning_tokens.unwrap_or(0)))
        };
        let visible: Vec<Option<i64>> = turns().map(|turn| count(visible(turn))).collect();
        let fresh = fresh_input_tokens(&input, &visible);
        fresh
            .into_iter()
            .map(|tokens| tokens.and_then(|tokens| u64::try_from(tokens).ok()))
            .collect()
    }
}

impl RunTable {
    /// Converts the runs to rollouts for budget-estimation. Each rollout has the task of the run, if any, and its name,
    /// which is `id#trial` if the log counts trials. The resources of each turn are `input_tokens` (whole requests,
    /// which repeat earlier parts), `output_tokens`, `cost_usd`, `fresh_input_tokens` (input [without repeated
    /// parts](LoggedRun::fresh_input_tokens)) and `total_tokens` (the sum of fresh input and output). Unknown amounts
    /// stay unknown.
    ///
    /// Runs without a known outcome and runs without a turn are left out: their number is the difference between
    /// [`rows`](Self::rows) and the rollouts.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for a cost that is out of range.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use run_logs::{
    ///     Error, Format, FactRules, ReadOptions, RunTable, StreamOptions, read,
    /// };
    ///
    /// let log = br#"
    ///     {"id": "a", "outcome": true, "turns": [{"response": {"choices": [{"message":
    ///         {"content": "18"}}], "usage": {"prompt_tokens": 9, "completion_tokens": 120}}}]}
    ///     {"id": "b", "outcome": null, "turns": []}"#;
    /// let runs = read(Cursor::new(log), Format::Auto, &ReadOptions::default())?;
    /// let policy = FactRules::default();
    /// let table = RunTable::new(runs, &policy, &StreamOptions::default())?;
    /// let rollouts = table.rollouts()?;
    /// let tokens = rollouts.resource("total_tokens")?;
    /// let totals: Vec<_> = rollouts.iter().map(|rollout| rollout.usage(tokens).map(|usage| usage.total())).collect();
    /// assert_eq!(totals, [Ok(129.0)]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rollouts(&self) -> Result<Rollouts, Error> {
        let mut rollouts = Rollouts::new(COSTS)?;
        let mut runs = RolloutFile::empty("");
        for run in self.rows() {
            if let Ok(line) = run.rollout() {
                runs.push(0, RolloutLine { task: run.task.clone(), ..line });
            }
        }
        runs.append_to(&mut rollouts)?;
        let parts = [rollouts.resource(COSTS[3])?, rollouts.resource(COSTS[1])?];
        rollouts.add_sum("total_tokens", &parts)?;
        Ok(rollouts)
    }
}

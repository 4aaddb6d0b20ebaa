use std::{collections::BTreeMap, sync::Arc};

use censoring::StopReason;
use scoring_rules::Probability;
use trajectory_metrics::{
    CheckedRun, Error as MetricsError, ForecastCounts, ForecastPolicy,
    tool_calls::{ToolCall, Value},
};

use crate::{
    conversions::{
        step_use::{StepUse, steps as steps_of},
        streams::{
            confidence_stream::{ConfidenceStream, StreamOptions},
            missing_value::MissingValue,
        },
    },
    error::Error,
    fact_rules::{FactRules, Judgement, Ungraded, has_score},
    values::{
        confidence_scale::SeenConfidences,
        evaluation::Evaluation,
        run::{Caller, Run, RunLimit, Turn, Usage},
    },
};

/// The reason for leaving out a partial success where runs only succeed or fail.
pub(crate) const PARTIAL_SUCCESS: &str = "partial_success";

/// A run of a [`RunTable`](crate::RunTable).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoggedRun {
    /// The name of the run within its log.
    pub id: String,
    /// The task, if the log names one. Runs of one task are not independent.
    pub task: Option<String>,
    /// The number that the log gives to this repetition of the task.
    pub trial: Option<u64>,
    /// The model of the agent.
    pub model: Option<String>,
    /// The position of the run among all runs that were read, from 0. The rows of a table skip positions, because they
    /// exclude repeated runs and runs of evaluations without the requested scorer.
    pub index: usize,
    /// Whether the run has a score of the requested scorer; `None` without any score.
    pub(crate) has_score: Option<bool>,
    /// The position of its log among the logs that were read together.
    pub(crate) log: usize,
    /// The evaluation of the run.
    pub evaluation: Option<Arc<Evaluation>>,
    /// The grade that the rules give to the run, from 0 to 1.
    pub grade: Option<f64>,
    /// The reason why the run has no grade.
    pub ungraded: Option<Ungraded>,
    /// Whether the run succeeded according to the rules; `None` without a grade, and for a grade between 0 and 1.
    pub outcome: Option<bool>,
    /// Whether a limit ended the run.
    pub is_at_limit: bool,
    /// Whether the rule [`AtLimit`](crate::AtLimit) has no effect on the run, because the grade was given outside the
    /// log or the log excludes the run.
    pub is_settled: bool,
    /// The scorer whose score is the grade.
    pub scorer: Option<String>,
    /// The reason why the run ended, according to the rules.
    pub stop: Option<StopReason>,
    /// The number of turns over which the run would have been scored if no limit had ended it, if the log gives it.
    pub horizon: Option<usize>,
    /// The values of the scorers by name.
    pub scores: BTreeMap<String, Value>,
    /// The limit that ended the run, regardless of the rules.
    pub limit: Option<RunLimit>,
    /// Whether an error ended the run.
    pub has_error: bool,
    /// The reason why the log itself does not count the run.
    pub excluded: Option<String>,
    /// The number of model calls of the agent and its subagents that returned a reply.
    pub n_model_calls: u64,
    /// The number of model calls of the agent and its subagents that failed.
    pub n_failed_calls: usize,
    /// The total usage of the agent.
    pub usage: Usage,
    /// The usage of callers other than the agent, by role.
    pub other_usage: BTreeMap<String, Usage>,
    /// The number of turns of the agent and its subagents.
    pub n_turns: u64,
    /// The usage of each turn; a count that the log does not give is `None`.
    pub turn_usage: Vec<Usage>,
    /// The time of the start in seconds since 1970 (UTC).
    pub started: Option<f64>,
    /// The wall time of the run in seconds.
    pub seconds: Option<f64>,
    /// The steps by kind: model calls, and the calls of each tool.
    pub steps: Vec<StepUse>,
    /// The agent's tool calls in their order.
    pub tool_calls: Vec<ToolCall>,
    /// Whether the tool accepted each of [`Self::tool_calls`] without an error; `None` if the log does not say.
    pub calls_ok: Vec<Option<bool>>,
    /// The calls that the task expects of the agent.
    pub expected_calls: Vec<ToolCall>,
    /// The values of each turn, in the order of [`ConfidenceStream::ALL`].
    values: Vec<Values>,
}

/// The reason why a run has no forecasts of a stream under a policy.
pub(crate) struct Unscored {
    pub(crate) turn: usize,
    pub(crate) reason: MissingValue,
    /// Whether the policy refuses the value rather than leaving out the run.
    pub(crate) is_refused: bool,
}

impl LoggedRun {
    pub(crate) fn new(
        run: Run,
        rules: &FactRules,
        options: &StreamOptions<'_>,
        stated: &mut SeenConfidences,
    ) -> Result<Self, Error> {
        let judged = rules.judgement(&run)?;
        let wanted = rules.scorer.as_ref().filter(|_| run.grade.is_none());
        let has_score = wanted.and_then(|wanted| has_score(&run, wanted));
        let Judgement { grade, ungraded, outcome, stop, is_at_limit, is_settled, scorer } = judged;
        let calls = run.agent_turns().flat_map(Turn::calls).filter(|_| !options.totals_only);
        let (tool_calls, calls_ok) = calls.map(|call| (call.tool_call(), call.ok)).unzip();
        // A turn without a model call is not a step of the model.
        let steps = || run.agent_turns().filter(|turn| turn.model_calls != Some(0));
        Ok(Self {
            index: 0,
            has_score,
            grade,
            ungraded,
            outcome,
            stop,
            is_at_limit,
            is_settled,
            scorer,
            log: run.log,
            evaluation: run.evaluation.clone(),
            horizon: run.horizon.and_then(|turns| usize::try_from(turns).ok()),
            has_error: run.error.is_some(),
            n_model_calls: run.n_model_calls(),
            n_failed_calls: run.agent_turns().filter(|turn| turn.reply.is_none()).count(),
            started: run.started,
            seconds: run.seconds,
            steps: steps_of(&run),
            n_turns: steps().count() as u64,
            turn_usage: exact(
                steps()
                    .filter(|_| !options.totals_only)
                    .map(|turn| turn.usage().cloned().unwrap_or_default()),
            ),
            tool_calls,
            calls_ok,
            expected_calls: run
                .expected_calls
                .iter()
                .filter(|expected| expected.caller == Caller::Agent && !options.totals_only)
                .map(|expected| expected.call.clone())
                .collect(),
            values: {
                let values = steps().map(|turn| values(turn, options, stated));
                if options.totals_only {
                    exact(last_values(values).into_iter())
                } else {
                    exact(values)
                }
            },
            id: run.id,
            task: run.task,
            trial: run.trial,
            model: run.model,
            scores: run.scores.into_iter().map(|(name, score)| (name, score.value)).collect(),
            limit: run.limit,
            excluded: run.excluded,
            usage: run.usage,
            other_usage: run
                .other_usage
                .into_iter()
                .map(|(role, models)| {
                    (role, models.values().fold(Usage::default(), |sum, used| sum.and(used)))
                })
                .collect(),
        })
    }

    /// Returns whether this record of the run has lower priority than another one. A record with a grade has priority, and then a
    /// newer record, and then a longer one.
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        let rank = |run: &Self| {
            let created = run.evaluation.as_ref().and_then(|it| it.started());
            (run.grade.is_some(), !run.has_error, created, run.n_turns)
        };
        rank(self) < rank(other)
    }

    /// Returns whether the run succeeded in part, and therefore has a grade and no outcome.
    #[must_use]
    pub const fn is_partial(&self) -> bool {
        self.grade.is_some() && self.outcome.is_none()
    }

    /// Returns the grade of a run that succeeded in part.
    pub(crate) fn partial_grade(&self) -> Option<Probability> {
        self.grade.filter(|_| self.is_partial()).and_then(|grade| Probability::new(grade).ok())
    }

    /// Returns a name that distinguishes the trials of a task: `id#trial` if the log counts trials, otherwise the id.
    #[must_use]
    pub fn name(&self) -> String {
        match self.trial {
            Some(trial) => format!("{}#{trial}", self.id),
            None => self.id.clone(),
        }
    }

    /// Returns the values of a stream of confidence, one per turn.
    #[must_use]
    pub fn values(
        &self,
        stream: ConfidenceStream,
    ) -> impl ExactSizeIterator<Item = &Result<Probability, MissingValue>> {
        self.values.iter().map(move |values| &values[stream as usize])
    }

    /// Returns the forecasts of a stream of confidence under a policy for missing values. An error contains a turn
    /// without a value, counted from 1, and the reason.
    ///
    /// # Errors
    ///
    /// The reason why the policy refuses the run or leaves it out. A run without turns has no reply.
    pub fn forecasts(
        &self,
        stream: ConfidenceStream,
        policy: ForecastPolicy,
    ) -> Result<Vec<Probability>, (usize, MissingValue)> {
        let checked = self.checked(stream, policy, &mut ForecastCounts::default());
        checked.map_err(|Unscored { turn, reason, .. }| (turn, reason))
    }

    pub(crate) fn checked(
        &self,
        stream: ConfidenceStream,
        policy: ForecastPolicy,
        counts: &mut ForecastCounts,
    ) -> Result<Vec<Probability>, Unscored> {
        let raw: Vec<Option<f64>> = self
            .values(stream)
            .map(|value| match value {
                Ok(value) => Some(value.get()),
                // Clipping is only for rounding: 85 does not mean certainty.
                Err(MissingValue::ConfidenceOutOfRange { value }) => Some(*value)
                    .filter(|value| policy != ForecastPolicy::Clip || is_nearly_in_range(*value)),
                Err(_) => None,
            })
            .collect();
        let (step, is_refused) = match policy.check_run(&raw, counts) {
            Ok(CheckedRun::Kept(forecasts)) if !forecasts.is_empty() => return Ok(forecasts),
            Ok(CheckedRun::LeftOut { step, .. }) => (step, false),
            Err(MetricsError::Forecast { step, .. }) => (step, true),
            // A run without turns.
            Ok(CheckedRun::Kept(_)) | Err(_) => {
                counts.left_out_runs = counts.left_out_runs.saturating_add(1);
                (1, false)
            }
        };
        let missing = || {
            let values = (1..).zip(self.values(stream));
            values.filter_map(|(turn, value)| Some((turn, value.as_ref().err()?)))
        };
        // The lack of a question in a turn says less than a problem in another turn.
        let of_all = missing().find(|(_, reason)| !reason.is_absence());
        let found = match policy {
            ForecastPolicy::Skip => of_all.or_else(|| missing().next()),
            _ => missing().find(|(turn, _)| *turn == step),
        };
        let (turn, reason) =
            found.map_or((1, MissingValue::NoReply), |(turn, reason)| (turn, reason.clone()));
        Err(Unscored { turn, reason, is_refused })
    }
}

/// The values of all streams at a turn.
type Values = [Result<Probability, MissingValue>; ConfidenceStream::ALL.len()];

/// Returns one turn with the last value of each stream; `None` without a turn.
fn last_values(values: impl Iterator<Item = Values>) -> Option<Values> {
    values.reduce(|mut last, next| {
        for (last, next) in last.iter_mut().zip(next) {
            if next.is_ok() || last.is_err() {
                *last = next;
            }
        }
        last
    })
}

/// Returns a list without spare capacity, because a million others are kept with it.
fn exact<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut list: Vec<T> = items.collect();
    list.shrink_to_fit();
    list
}

/// Returns the values of all streams at a turn. A stated value is counted as written.
fn values(turn: &Turn, options: &StreamOptions<'_>, stated: &mut SeenConfidences) -> Values {
    ConfidenceStream::ALL.map(|stream| {
        let value = stream.value(turn, options);
        let is_stated = stream == ConfidenceStream::StatedConfidence
            && matches!(value, Ok(_) | Err(MissingValue::ConfidenceOutOfRange { .. }));
        if let (true, Some(reply)) = (is_stated, &turn.reply) {
            stated.add(options.confidence.bare(reply), || (0, String::new()));
        }
        value
    })
}

/// Returns whether a value is outside [0, 1] by no more than rounding.
fn is_nearly_in_range(value: f64) -> bool {
    (-1e-6..=1.0 + 1e-6).contains(&value)
}

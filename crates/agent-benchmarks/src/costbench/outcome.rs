use tool_graph::{GreedyRule, LeftOut, PathCoverage, RunScores, Transcript, costbench::Task};
use trajectory_metrics::tool_calls::Value;

use crate::{
    costbench::{instance::Instance, settings::Objective},
    error::Error,
    values::record::Record,
};

/// The record of a conversation about a query of CostBench.
///
/// The run of [`Self::record`] has the scores by name, the setting in its metadata, and the outcome:
/// whether the run reached the goal and the answer is right. A run that ended because the model gave no
/// reply has no outcome.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CostBenchRecord {
    /// The run, and the problems of its replies.
    pub record: Record,
    /// The calls that were made, with their costs.
    pub transcript: Transcript,
    /// The optimal run.
    pub reference: Transcript,
    /// The run of the greedy policy ([`Scenario::greedy_run`](tool_graph::Scenario::greedy_run)) in the same world.
    pub greedy: Transcript,
    /// The share of all plans that the first reply lists between path tags. Reference: section 5.1, in which a second
    /// model counts the paths of a plan.
    pub coverage: PathCoverage,
    /// The text between the answer tags.
    pub answer: Option<String>,
    /// The task.
    pub task: Task,
    /// The number of steps of the task.
    pub task_length: usize,
    /// The name of the setting of events; see [`CostBench::events_name`](super::CostBench::events_name).
    pub events: String,
    /// The event for which the model states its confidence; `None` if the setting requests neither a stated confidence
    /// nor log-probabilities.
    pub objective: Option<Objective>,
}

impl CostBenchRecord {
    pub(super) fn new(
        instance: &Instance,
        mut record: Record,
        transcript: Transcript,
        answer: Option<String>,
    ) -> Self {
        let settings = &instance.settings;
        let (task, events) = (instance.query.task(), settings.events_name());
        let task_length = settings.task_length();
        let reference = instance.reference().clone();
        let first = record.run.turns.first().and_then(|turn| turn.reply.as_ref());
        let greedy = instance.scenario.greedy_run(GreedyRule::Chain);
        let objective = settings.objective();
        let coverage = instance.coverage(&listed_paths(first.map_or("", |reply| &reply.text)));
        record.keep("benchmark", "costbench");
        record.keep("task_length", Value::Integer(task_length as i128));
        record.keep("events", events.as_str());
        record.keep("global_seed", Value::Integer(i128::from(settings.global_seed)));
        if let Some(answer) = &answer {
            record.keep("answer", answer.as_str());
        }
        if record.run.error.is_none() && record.run.stop.is_some() {
            record.run.outcome = Some(transcript.is_completed());
        }
        let real = |value: Option<f64>| value.map_or(Value::Null, Value::Real);
        if let Ok(scores) = transcript.scores(&reference) {
            let edits = scores.edit_distance.map(|edits| Value::Integer(edits as i128));
            record.score("cost_gap", real(scores.cost_gap));
            record.score("edit_distance", edits.unwrap_or_default());
            record.score("normalized_edit_distance", real(scores.normalized_edit_distance));
            record.score("exact_match", scores.exact_match.map_or(Value::Null, Value::Bool));
            record.score("completed", scores.completed);
            record.score("invalid_tool_use_ratio", real(scores.invalid_tool_use_ratio));
        }
        record.score("path_coverage", real(coverage.rate()));
        record.score("total_cost", transcript.total_cost());
        record.score("optimal_cost", reference.total_cost());
        Self {
            record,
            transcript,
            reference,
            greedy,
            coverage,
            answer,
            task,
            task_length,
            events,
            objective,
        }
    }

    /// Returns the id of the query.
    #[must_use]
    pub fn query_id(&self) -> &str {
        &self.record.run.id
    }

    /// Returns the share of all plans that the first reply lists, as the released analysis computes it: the number of
    /// distinct listed paths, including paths that are not plans, divided by the number of plans plus one. The
    /// additional plan is a single call for all stages, for which there is no tool.
    #[must_use]
    pub fn released_coverage(&self) -> f64 {
        let PathCoverage { covered, not_plans, possible, .. } = self.coverage;
        (covered + not_plans) as f64 / (possible + 1) as f64
    }

    /// Returns the record for scoring streams of confidence. Its outcome is whether the run met the objective. For
    /// [`Objective::Optimal`], a run has no outcome if [`Transcript::left_out`] excludes it because of its events.
    #[must_use]
    pub fn judged_by(&self, objective: Objective) -> Record {
        let mut record = self.record.clone();
        if objective == Objective::Optimal {
            let is_match = self.scores().ok().and_then(|scores| scores.exact_match);
            let has_optimum = match self.transcript.left_out(&self.reference) {
                None | Some(LeftOut::NoCalls) => true,
                Some(_) => false,
            };
            let outcome = record.run.outcome.filter(|_| has_optimum);
            record.run.outcome = outcome.map(|completed| completed && is_match == Some(true));
            if record.run.outcome.is_none() {
                // A reader of the run must not mistake one of its scores for the outcome.
                record.run.scores.clear();
            }
        }
        record
    }

    /// Returns the scores of the run compared with the optimal run.
    ///
    /// # Errors
    ///
    /// The errors of [`Transcript::scores`].
    pub fn scores(&self) -> Result<RunScores, Error> {
        Ok(self.transcript.scores(&self.reference)?)
    }
}

/// Returns the names of the tools in each pair of path tags. Numbers in front of a path and remarks in brackets after a name are
/// left out.
fn listed_paths(text: &str) -> Vec<Vec<String>> {
    let parts = text.split("<path>").skip(1);
    let paths = parts.filter_map(|part| part.split_once("</path>")).map(|(path, _)| path);
    let names = |path: &str| -> Vec<String> {
        let path = path.trim().trim_start_matches(|c: char| c.is_ascii_digit()).trim();
        let path = path.trim_start_matches(['.', ')', ':']).replace('→', "->");
        let names = path
            .split("->")
            .map(|name| name.trim().split(|c: char| !(c.is_alphanumeric() || c == '_')).next());
        names.map(|name| name.unwrap_or_default().to_owned()).collect()
    };
    paths.map(names).collect()
}

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
    mem,
    sync::Arc,
};

use censoring::StopReason;
use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::{
        folder::Folder,
        json::reader::{Json, fields, named_fields},
    },
    error::{Error, Problem},
    format::ReadOptions,
    formats::{
        harbor::trajectory::{
            Trajectory, final_metrics, or_else, reals, sum, tokens_without_text, trajectory, value,
        },
        log_reader::LogReader,
        token_counts::{Counts, Dialect},
    },
    values::{
        evaluation::Evaluation,
        run::{Caller, Reply, Run, RunLimit, Score, Turn, Usage},
        time::{between, seconds_of},
    },
};

/// The run of a trial.
pub(crate) struct Trial<R> {
    pub(crate) source: Option<R>,
    pub(crate) folder: Option<Folder>,
    pub(crate) options: ReadOptions,
    /// The results of a job, which have no run.
    pub(crate) job: Option<Arc<Evaluation>>,
}

impl<R: Read> LogReader for Trial<R> {
    fn next_run(&mut self) -> Result<Option<Run>, Error> {
        let Some(source) = self.source.take() else { return Ok(None) };
        let mut json = Json::new(source, self.options.limits);
        let result = trial_result(&mut json)?;
        json.end()?;
        if result.whole.name.is_some() {
            return self.run(result).map(Some);
        }
        let (id, total_samples, created) = (result.run.uuid, result.n_trials, result.started);
        let job = Evaluation { id, total_samples, created, ..Evaluation::default() };
        self.job = Some(Arc::new(job));
        Ok(None)
    }

    fn head(&self) -> Option<&Arc<Evaluation>> {
        self.job.as_ref()
    }
}

impl<R: Read> Trial<R> {
    fn run(&self, mut result: TrialResult) -> Result<Run, Error> {
        let mut run = mem::take(&mut result.run);
        describe(&result, &mut run);
        let whole = result.whole.agent.as_ref().map(|agent| agent.usage.clone());
        let is_whole = result.steps.is_empty();
        let mut used = Vec::new();
        let mut by_model: BTreeMap<String, Vec<Usage>> = BTreeMap::new();
        let mut unread = Vec::new();
        for (step, folder) in self.parts(result) {
            let trajectories = folder.map(|folder| self.trajectories(&folder, &mut unread));
            let trajectories = trajectories.transpose()?.unwrap_or_default();
            let agent = step.agent.unwrap_or_default();
            // The agent's totals count; the trajectories fill in the missing counts.
            let steps: Vec<Usage> = trajectories.iter().map(Trajectory::usage).collect();
            used.push(or_else(&agent.usage, &sum(&steps)));
            let reported = agent.by_model;
            let models = match reported.is_empty() {
                true => trajectories.iter().flat_map(Trajectory::usage_by_model).collect(),
                false => reported.into_iter().collect::<Vec<_>>(),
            };
            for (model, usage) in models {
                by_model.entry(model).or_default().push(usage);
            }
            let first = run.turns.len();
            for (position, trajectory) in trajectories.into_iter().enumerate() {
                if position == 0 && is_whole {
                    trajectory.describe(&mut run);
                    run.model = run.model.take().or_else(|| trajectory.model.clone());
                }
                let turns = trajectory.into_turns(&Caller::Agent);
                run.turns.extend(turns.into_iter().map(|(_, turn)| turn));
            }
            add_logprobs(&mut run.turns, first, &agent.logprobs);
        }
        run.usage = or_else(&whole.unwrap_or_default(), &sum(&used));
        if !unread.is_empty() {
            run.note("unread_trajectories", unread);
        }
        run.usage_by_model =
            by_model.into_iter().map(|(model, usages)| (model, sum(&usages))).collect();
        Ok(run)
    }

    /// Returns the results that have trajectories, with their folders: the trial, or each of its steps.
    fn parts(&self, result: TrialResult) -> Vec<(StepResult, Option<Folder>)> {
        let at = |path: &str| self.folder.as_ref().and_then(|folder| folder.join(path));
        if result.steps.is_empty() {
            return vec![(result.whole, at("agent"))];
        }
        let steps = result.steps.into_iter().map(|step| {
            let folder = at(&format!("steps/{}/agent", step.name.as_deref().unwrap_or_default()));
            (step, folder)
        });
        steps.collect()
    }

    /// Reads the trajectory of a folder, with the files of its continuation and of its subagents. Missing files are added to
    /// `unread`.
    fn trajectories(
        &self,
        folder: &Folder,
        unread: &mut Vec<Value>,
    ) -> Result<Vec<Trajectory>, Error> {
        let mut found: Vec<Trajectory> = Vec::new();
        let mut next = Some("trajectory.json".to_owned());
        let mut seen = BTreeSet::new();
        while let Some(path) = next.take().filter(|path| seen.insert(path.clone())) {
            let Some(mut part) = self.trajectory(folder, &path)? else {
                if !found.is_empty() {
                    unread.push(path.into());
                }
                break;
            };
            for path in mem::take(&mut part.files) {
                if !seen.insert(path.clone()) {
                    continue;
                }
                match self.trajectory(folder, &path)? {
                    Some(subagent) => part.subagents.push(subagent),
                    None => unread.push(path.into()),
                }
            }
            next.clone_from(&part.continued);
            found.push(part);
        }
        Ok(found)
    }

    fn trajectory(&self, folder: &Folder, path: &str) -> Result<Option<Trajectory>, Error> {
        let Some((file, path)) = folder.open(path)? else { return Ok(None) };
        let mut json = Json::new(file, self.options.limits);
        let read = trajectory(&mut json, &self.options, false);
        let read = read.and_then(|read| json.end().map(|()| read));
        read.map(Some).map_err(|error| error.in_file(&path))
    }
}

/// Adds the facts about the run that are not fields of the results, excluding its turns.
fn describe(result: &TrialResult, run: &mut Run) {
    run.evaluation = result.job.clone().map(|id| {
        let (id, task) = (Some(id), result.source.clone());
        Arc::new(Evaluation { id, task, ..Evaluation::default() })
    });
    for (name, reward) in &result.whole.rewards {
        run.scores.insert(name.clone(), Score { value: reward.clone(), ..Score::default() });
    }
    if let Some(source) = &result.source {
        run.note("source", source.as_str());
    }
    run.started = result.whole.started;
    run.seconds = result.whole.seconds.or_else(|| {
        let of_steps = result.steps.iter().map(|step| step.seconds);
        of_steps.reduce(|a, b| a.zip(b).map(|(a, b)| a + b)).flatten()
    });
    if let Some(agent) = &result.whole.agent {
        run.note("agent_result", value(&agent.usage));
    }
    if !result.steps.is_empty() {
        let steps = result.steps.iter().map(step_value).collect::<Vec<_>>();
        run.note("step_results", steps);
    }
    end(result, run);
}

/// Returns the outcome of a step of a trial, for the metadata.
fn step_value(step: &StepResult) -> Value {
    let mut fields = BTreeMap::new();
    if let Some(name) = &step.name {
        fields.insert("name".to_owned(), name.as_str().into());
    }
    fields.insert("rewards".to_owned(), step.rewards.clone().into());
    if let Some(exception) = &step.exception {
        fields.insert("exception".to_owned(), exception.kind.as_str().into());
    }
    if let Some(agent) = &step.agent {
        fields.insert("usage".to_owned(), value(&agent.usage));
    }
    fields.into()
}

/// Sets why the run ended. The exception of the trial comes first, then the exceptions of its steps; the reward is valid only if
/// each of them leaves it so.
fn end(result: &TrialResult, run: &mut Run) {
    let parts = std::iter::once(&result.whole).chain(&result.steps);
    let exceptions: Vec<&Exception> = parts.filter_map(|part| part.exception.as_ref()).collect();
    let Some(first) = exceptions.first() else {
        let is_judged = !result.whole.rewards.is_empty();
        run.stop = Some(if is_judged { StopReason::Completed } else { StopReason::Unjudged });
        return;
    };
    run.note("exception_type", first.kind.as_str());
    // The reason for the trial's end: an exception that voids the reward is more informative than a used-up budget.
    let void = exceptions.iter().find(|exception| !failure(&exception.kind).reward_is_valid);
    match void {
        Some(exception) => {
            run.stop = Some(failure(&exception.kind).stop);
            run.excluded = Some(exception.kind.clone());
            let message =
                if exception.message.is_empty() { &exception.kind } else { &exception.message };
            run.error = Some(message.clone());
        }
        None => {
            run.stop = Some(failure(&first.kind).stop);
            let limit = exceptions.iter().find(|exception| failure(&exception.kind).is_limit);
            run.limit = limit.map(|exception| RunLimit {
                kind: exception.kind.clone(),
                limit: None,
                reason: Some(exception.message.clone()).filter(|message| !message.is_empty()),
            });
        }
    }
}

/// Adds the log-probabilities that the agent reports to the turns from `first` on. They belong to the turns with its model calls,
/// if the numbers are equal. Without turns, each reply becomes a turn.
fn add_logprobs(turns: &mut Vec<Turn>, first: usize, logprobs: &[Vec<f64>]) {
    if logprobs.is_empty() {
        return;
    }
    if turns.len() == first {
        turns.extend(logprobs.iter().map(|logprobs| {
            let tokens = Some(tokens_without_text(logprobs));
            Turn { reply: Some(Reply { tokens, ..Reply::default() }), ..Turn::default() }
        }));
        return;
    }
    let own = turns.iter_mut().skip(first).filter(|turn| turn.caller == Caller::Agent);
    let own = own.filter(|turn| turn.model_calls != Some(0));
    let replies: Vec<&mut Reply> = own.filter_map(|turn| turn.reply.as_mut()).collect();
    if replies.len() == logprobs.len() {
        for (reply, logprobs) in replies.into_iter().zip(logprobs) {
            reply.tokens = reply.tokens.take().or_else(|| Some(tokens_without_text(logprobs)));
        }
    }
}

/// The content of `result.json` for a trial, or for a job, which has no name.
#[derive(Debug, Default)]
pub(crate) struct TrialResult {
    /// The number of trials of a job.
    pub(crate) n_trials: Option<u64>,
    pub(crate) started: Option<String>,
    /// The id of the job of a trial.
    pub(crate) job: Option<String>,
    pub(crate) source: Option<String>,
    /// The facts that are fields of the run, too; a job has only an id.
    pub(crate) run: Run,
    /// The result of the trial as a whole, under its name.
    pub(crate) whole: StepResult,
    pub(crate) steps: Vec<StepResult>,
}

/// The result of a trial, or of one step of it.
#[derive(Debug, Default)]
pub(crate) struct StepResult {
    pub(crate) name: Option<String>,
    pub(crate) agent: Option<AgentResult>,
    pub(crate) rewards: BTreeMap<String, Value>,
    pub(crate) exception: Option<Exception>,
    /// The time of the agent, without that of its environment and the verifier.
    pub(crate) seconds: Option<f64>,
    pub(crate) started: Option<f64>,
}

/// An exception that was recorded.
#[derive(Debug)]
pub(crate) struct Exception {
    /// The name of its type.
    pub(crate) kind: String,
    pub(crate) message: String,
}

/// Reads `result.json`.
pub(crate) fn trial_result(json: &mut Json<'_>) -> Result<TrialResult, Error> {
    let mut read = TrialResult::default();
    fields!(given |json, field| {
        "trial_name" => {
            let name = json.text()?;
            json.place_mut().sample = Some(name.clone());
            read.run.id.clone_from(&name);
            read.whole.name = Some(name);
        },
        "id" => read.run.uuid = Some(json.name()?),
        "n_total_trials" => read.n_trials = Some(json.count()?),
        "started_at" if json.token()? == b'"' => read.started = Some(json.text()?),
        "config" if json.token()? == b'{' => {
            fields!(given |json| { "job_id" => read.job = Some(json.name()?), })?;
        },
        "task_name" => read.run.task = Some(json.text()?),
        "source" => read.source = Some(json.text()?),
        "agent_info" => fields!(given |json| {
            "name" => read.run.note("agent", json.text()?),
            "version" => read.run.note("agent_version", json.name()?),
            "model_info" => fields!(given |json| {
                "name" => read.run.model = Some(json.text()?),
                "provider" => read.run.note("provider", json.text()?),
            })?,
        })?,
        "step_results" => json.list(|json| {
            let mut step = StepResult::default();
            fields!(given |json, field| {
                "step_name" => step.name = Some(json.text()?),
                in PARTS => part(json, field, &mut step)?,
            })?;
            read.steps.push(step);
            Ok(())
        })?,
        in PARTS => part(json, field, &mut read.whole)?,
    })?;
    if read.whole.name.is_none() && read.n_trials.is_none() {
        return Err(json.error_at("trial_name", Problem::Missing));
    }
    Ok(read)
}

named_fields! {
    /// Reads the fields that a trial and a step have in common, none of them null.
    const PARTS, fn part(json: &mut Json<'_>, field: &str, step: &mut StepResult), |json, field| {
        "agent_execution" if json.token()? == b'{' => {
            let (mut start, mut end) = (None, None);
            fields!(given |json| {
                "started_at" if json.token()? == b'"' => start = seconds_of(&json.text()?),
                "finished_at" if json.token()? == b'"' => end = seconds_of(&json.text()?),
            })?;
            (step.started, step.seconds) = (start, between(start, end));
        },
        "agent_result" => step.agent = Some(agent_result(json)?),
        "verifier_result" => fields!(given |json| {
            "rewards" => json.map(|json, name| {
                let reward = match json.token()? {
                    // Python writes NaN for a reward that does not exist.
                    b'N' => json.scalar().map(|_| Value::Null)?,
                    b'n' | b't' | b'f' => json.scalar()?,
                    _ => json.number()?,
                };
                step.rewards.insert(name, reward);
                Ok(())
            })?,
        })?,
        "exception_info" => {
            let (mut kind, mut message) = (None, String::new());
            fields!(|json| {
                "exception_type" => kind = Some(json.text()?),
                "exception_message" => message = json.optional(Json::text)?.unwrap_or_default(),
            })?;
            let kind = kind.ok_or_else(|| json.error_at("exception_type", Problem::Missing))?;
            step.exception = Some(Exception { kind, message });
        },
    }
}

/// The report of the agent of a trial, or of a step of it.
#[derive(Debug, Default)]
pub(crate) struct AgentResult {
    pub(crate) usage: Usage,
    pub(crate) by_model: BTreeMap<String, Usage>,
    /// The log-probabilities of each reply of the agent.
    pub(crate) logprobs: Vec<Vec<f64>>,
}

/// Reads `agent_result`.
pub(crate) fn agent_result(json: &mut Json<'_>) -> Result<AgentResult, Error> {
    let (mut result, mut counts) = (AgentResult::default(), Counts::default());
    fields!(|json, field| {
        "model_usage" => json.optional(|json| json.map(|json, model| {
            result.by_model.insert(model, final_metrics(json)?);
            Ok(())
        }))?,
        "rollout_details" => json.optional(|json| {
            let mut is_first = true;
            json.list(|json| {
                // The first one belongs to the main agent.
                if !mem::take(&mut is_first) {
                    return json.skip();
                }
                fields!(given |json| {
                    "logprobs" => result.logprobs = json.list_of(|json| {
                        Ok(json.optional(reals)?.unwrap_or_default())
                    })?,
                })
            })
        })?,
        in Counts::FIELDS => counts.field(json, field)?,
    })?;
    result.usage = counts.usage(Dialect::Atif);
    Ok(result)
}

/// The meaning of an exception for a trial.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) stop: StopReason,
    /// Whether the agent itself ended the trial, so that its reward is a valid measurement.
    pub(crate) reward_is_valid: bool,
    /// Whether a budget of the agent was used up.
    pub(crate) is_limit: bool,
}

/// Exceptions that show a failure of a sandbox, of a model provider or of Harbor itself.
const OF_ENVIRONMENT: &str = "
    EnvironmentStartTimeoutError SandboxBuildFailedError AgentSetupTimeoutError HealthcheckError
    SandboxLikelyOutOfMemoryError MemoryLimitExceededError SSHAccessError GKEExecStreamClosedError
    GKEPodNotFoundError RuntimeRequestError AddTestsDirError DownloadVerifierDirError ApiError
    ApiRateLimitError ApiInternalServerError ApiOverloadedError ApiConnectionClosedError
    ApiResponseStalledError UnknownApiError NetworkConnectionError ApiConnectionError
    ApiUsageLimitError RateLimitError InternalServerError ServiceUnavailableError APIConnectionError
    APIError Timeout BadRequestError UnprocessableEntityError UnsupportedParamsError
    APIResponseValidationError BudgetExceededError AgentAuthenticationError ModelNotFoundError
    ApiProviderResourceNotFoundError AuthenticationError PermissionDeniedError NotFoundError
    ServiceOperationsUnsupportedError VercelScopeError DspyImportError MissingExtraError
    RegradeError";

/// Returns what Harbor 0.25.0 says about an exception by the name of its type, in the table
/// `harbor/models/trial/error_policy.py`. A name that is not in the table leaves no valid reward.
pub(crate) fn failure(name: &str) -> Failure {
    let (stop, reward_is_valid, is_limit) = match name {
        // The agent used up its budget.
        "AgentTimeoutError" => (StopReason::MaxTime, true, true),
        "ContextWindowExceededError"
        | "ContextLengthExceededError"
        | "OutputTokenExceededError"
        | "OutputLengthExceededError" => (StopReason::MaxTokens, true, true),
        // The agent refused the task, which is its own act.
        "AgentSafetyRefusalError" | "ContentPolicyViolationError" => {
            (StopReason::Completed, true, false)
        }
        // The verifier failed, so that nothing was judged.
        "VerifierTimeoutError"
        | "RewardFileNotFoundError"
        | "RewardFileEmptyError"
        | "VerifierOutputParseError" => (StopReason::Unjudged, false, false),
        "CancelledError" => (StopReason::UserStop, false, false),
        name if OF_ENVIRONMENT.split_whitespace().any(|known| known == name) => {
            (StopReason::EnvironmentEnd, false, false)
        }
        other => (StopReason::from(other.to_owned()), false, false),
    };
    Failure { stop, reward_is_valid, is_limit }
}

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
    sync::Arc,
};

use censoring::StopReason;
use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::{folder::Folder, json::reader::Json},
    error::Error,
    formats::{
        harbor::{
            exceptions::failure,
            metrics::{or_else, sum, tokens_without_text, value},
            trajectory::{Trajectory, trajectory},
            trial_result::{Exception, StepResult, TrialResult, trial_result},
        },
        run_iterator::HeadOf,
    },
    read_options::ReadOptions,
    values::{
        evaluation::Evaluation,
        run::{Caller, Reply, Run, RunLimit, Score, Turn, Usage},
    },
};

/// The run of a trial.
pub(crate) struct Trial<R> {
    source: Option<R>,
    folder: Option<Folder>,
    options: ReadOptions,
    /// The results of a job, which have no run.
    job: HeadOf,
}

impl<R: Read> Trial<R> {
    pub(crate) fn new(
        source: R,
        folder: Option<Folder>,
        options: &ReadOptions,
        job: &HeadOf,
    ) -> Self {
        Self { source: Some(source), folder, options: *options, job: Arc::clone(job) }
    }

    fn run(&self, source: R) -> Result<Option<Run>, Error> {
        let mut json = Json::new(source, self.options.limits);
        let result = trial_result(&mut json)?;
        json.end()?;
        if result.whole.name.is_none() {
            let (id, total_samples, created) = (result.id, result.n_trials, result.started);
            let job = Evaluation { id, total_samples, created, ..Evaluation::default() };
            // The results have one head.
            let _ = self.job.set(Arc::new(job));
            return Ok(None);
        }
        let mut run = Run::new(result.whole.name.clone().unwrap_or_default());
        describe(&result, &mut run);
        let mut used = Vec::new();
        let mut by_model: BTreeMap<String, Vec<Usage>> = BTreeMap::new();
        let mut unread = Vec::new();
        for (step, folder) in self.parts(&result) {
            let mut trajectories = Vec::new();
            if let Some(folder) = folder {
                trajectories = self.trajectories(&folder, &mut unread)?;
            }
            let agent = step.agent.as_ref();
            // The agent's totals count; the trajectories fill in the missing counts.
            let steps: Vec<Usage> = trajectories.iter().map(Trajectory::usage).collect();
            let reported = agent.map(|agent| agent.usage.clone()).unwrap_or_default();
            used.push(or_else(&reported, &sum(&steps)));
            let reported = agent.map(|agent| agent.by_model.clone()).unwrap_or_default();
            let models = match reported.is_empty() {
                true => trajectories.iter().flat_map(Trajectory::usage_by_model).collect(),
                false => reported.into_iter().collect::<Vec<_>>(),
            };
            for (model, usage) in models {
                by_model.entry(model).or_default().push(usage);
            }
            let first = run.turns.len();
            for (position, trajectory) in trajectories.into_iter().enumerate() {
                if position == 0 && result.steps.is_empty() {
                    trajectory.describe(&mut run.metadata);
                    run.model = run.model.take().or_else(|| trajectory.model.clone());
                }
                let turns = trajectory.into_turns(&Caller::Agent);
                run.turns.extend(turns.into_iter().map(|(_, turn)| turn));
            }
            let logprobs = agent.map(|agent| agent.logprobs.as_slice());
            add_logprobs(&mut run.turns, first, logprobs.unwrap_or_default());
        }
        let whole = result.whole.agent.as_ref().map(|agent| agent.usage.clone());
        run.usage = or_else(&whole.unwrap_or_default(), &sum(&used));
        if !unread.is_empty() {
            run.metadata.insert("unread_trajectories".to_owned(), unread.into());
        }
        run.usage_by_model =
            by_model.into_iter().map(|(model, usages)| (model, sum(&usages))).collect();
        Ok(Some(run))
    }

    /// Returns the results that have trajectories, with their folders: the trial, or each of its steps.
    fn parts<'r>(&self, result: &'r TrialResult) -> Vec<(&'r StepResult, Option<Folder>)> {
        let at = |path: &str| self.folder.as_ref().and_then(|folder| folder.join(path));
        if result.steps.is_empty() {
            return vec![(&result.whole, at("agent"))];
        }
        let steps = result.steps.iter().map(|step| {
            let name = step.name.as_deref().unwrap_or_default();
            (step, at(&format!("steps/{name}/agent")))
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
            for path in std::mem::take(&mut part.files) {
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
        let Some((file, name)) = folder.open(path)? else { return Ok(None) };
        let mut json = Json::new(file, self.options.limits);
        let read = trajectory(&mut json, &self.options, false);
        let read = read.and_then(|read| json.end().map(|()| read));
        read.map(Some).map_err(|error| error.in_file(Some(&name)))
    }
}

impl<R: Read> Iterator for Trial<R> {
    type Item = Result<Run, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.source.take().and_then(|source| self.run(source).transpose())
    }
}

/// Adds the facts about the run from the results, excluding its turns.
fn describe(result: &TrialResult, run: &mut Run) {
    run.uuid.clone_from(&result.id);
    run.evaluation = result.job.clone().map(|id| {
        let (id, task) = (Some(id), result.source.clone());
        Arc::new(Evaluation { id, task, ..Evaluation::default() })
    });
    run.task.clone_from(&result.task);
    run.model.clone_from(&result.model);
    for (name, reward) in &result.whole.rewards {
        run.scores.insert(name.clone(), Score { value: reward.clone(), ..Score::default() });
    }
    let texts = [
        ("source", &result.source),
        ("provider", &result.provider),
        ("agent", &result.agent),
        ("agent_version", &result.agent_version),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            run.metadata.insert(name.to_owned(), text.as_str().into());
        }
    }
    if let Some(agent) = &result.whole.agent {
        run.metadata.insert("agent_result".to_owned(), value(&agent.usage));
    }
    if !result.steps.is_empty() {
        let steps = result.steps.iter().map(step_value).collect::<Vec<_>>();
        run.metadata.insert("step_results".to_owned(), steps.into());
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
    run.metadata.insert("exception_type".to_owned(), first.kind.as_str().into());
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

//! Each benchmark as its conversations, their records and the figures on them.

use std::{error::Error, fs, path::Path, sync::Mutex};

use agent_benchmarks::{
    Conversation, Question, Record, Request, Sampling,
    budget::{AtLimit, Budget, OutcomePolicy, ResourceKind, Rollouts, rollouts_of_runs},
    client::{AskError, Journal, run_all},
    confidence::{self, Confidence},
    costbench::{self, CostBench, Split, queries},
    read_openai_chat, read_questions,
    triage::{SolveConversation, Triage},
};
use agent_scorecard::{Report, costbench::Blocking, live};
use run_logs::{Format, ReadOptions, read_path};

use crate::{progress::Progress, run::options::Options};

/// What a benchmark asks, and whom.
pub(crate) struct Asking<'a, A> {
    pub(crate) options: &'a Options,
    pub(crate) journal: &'a Journal,
    pub(crate) ask: A,
}

/// The records of a benchmark and the report on them.
pub(crate) type Finished = (Vec<Record>, Report);

impl Options {
    pub(super) fn sampling(&self) -> Sampling {
        Sampling {
            temperature: Some(0.0),
            max_output_tokens: Some(self.max_output_tokens),
            ..Sampling::default()
        }
    }

    fn live(&self) -> live::LiveOptions {
        let Self { model, resamples, seed, .. } = self;
        live::LiveOptions { model: model.clone(), resamples: *resamples, seed: *seed }
    }

    fn file(&self) -> Result<&Path, String> {
        let name = self.benchmark.name();
        self.file.as_deref().ok_or_else(|| format!("{name}: give a FILE; --help says of what"))
    }
}

impl<A: Fn(&Request) -> Result<Vec<u8>, AskError> + Sync> Asking<'_, A> {
    /// The records of conversations, with a bar.
    fn run<'b, T: Sync, C: Conversation>(
        &self,
        what: &str,
        conversations: &'b [(String, T)],
        start: impl Fn(&'b T) -> C + Sync,
    ) -> Result<Vec<C::Record>, agent_benchmarks::Error>
    where
        C::Record: Send,
    {
        let progress = std::sync::Mutex::new(Progress::steps(what, conversations.len()));
        let finished = |_, _: &C::Record| {
            if let Ok(mut progress) = progress.lock() {
                progress.add(1);
            }
        };
        let at_a_time = self.options.at_a_time;
        run_all(self.journal, conversations, start, &self.ask, at_a_time, finished)
    }
}

/// The queries of CostBench, so many and spread over all.
pub(super) fn costbench_instances(
    options: &Options,
) -> Result<Vec<(String, costbench::Instance)>, Box<dyn Error>> {
    let kinds = match options.block {
        Blocking::Kind(kind) => vec![kind],
        Blocking::None | Blocking::Mixed => Vec::new(),
    };
    let bench = CostBench::new(options.level)?.with_events(kinds).with_sampling(options.sampling());
    let all = queries(Split::Test, 42);
    let wanted = options.queries.min(all.len());
    let chosen = (0..wanted).map(|i| &all[i * all.len() / wanted]);
    Ok(chosen.map(|query| (query.id.clone(), bench.instance(query))).collect())
}

pub(crate) fn costbench<A: Fn(&Request) -> Result<Vec<u8>, AskError> + Sync>(
    asking: &Asking<'_, A>,
) -> Result<Finished, Box<dyn Error>> {
    let options = asking.options;
    let instances = costbench_instances(options)?;
    let records = asking.run("costbench", &instances, |it| it.conversation())?;
    let report = live::costbench(&records, &options.live())?;
    Ok((records.into_iter().map(|record| record.record).collect(), report))
}

pub(super) fn questions(options: &Options) -> Result<Vec<Question>, Box<dyn Error>> {
    let path = options.file()?;
    let at = |problem: String| format!("{}: {problem}", path.display());
    let text = fs::read_to_string(path).map_err(|error| at(error.to_string()))?;
    let questions = read_questions(&text).map_err(|error| at(error.to_string()))?;
    if questions.is_empty() {
        return Err(at("holds no question".to_owned()).into());
    }
    Ok(questions)
}

pub(super) fn triage_setting(options: &Options) -> Triage {
    Triage::new(options.alpha)
        .with_framing(options.framing)
        .with_sampling(options.sampling())
        .with_schema(!options.no_schema)
}

pub(crate) fn triage<A: Fn(&Request) -> Result<Vec<u8>, AskError> + Sync>(
    asking: &Asking<'_, A>,
) -> Result<Finished, Box<dyn Error>> {
    let options = asking.options;
    let (setting, questions) = (triage_setting(options), questions(options)?);
    let named: Vec<(String, Question)> =
        questions.into_iter().map(|it| (format!("solve {}", it.id), it)).collect();
    let solve = |question| SolveConversation::new(question, options.sampling());
    let solved = asking.run("triage: questions", &named, solve)?;
    // A question without a reply, or whose reply does not count its tokens, is in no pool.
    let recorded: Vec<Question> = named
        .into_iter()
        .zip(&solved)
        .filter_map(|((_, question), record)| Some(question.with_recorded(record.attempt?)))
        .collect();
    let pools = (1..).zip(recorded.chunks(options.pool_size));
    let pools = pools.map(|(number, questions)| {
        let name = format!("pool-{number}");
        Ok((name.clone(), setting.instance(name, questions)?))
    });
    let pools: Vec<_> = pools.collect::<Result<_, agent_benchmarks::Error>>()?;
    let plans = asking.run("triage: plans", &pools, |it| it.conversation())?;
    let report = live::triage(&solved, &plans, &options.live())?;
    let records =
        solved.into_iter().map(|it| it.record).chain(plans.into_iter().map(|it| it.record));
    Ok((records.collect(), report))
}

pub(super) fn confidence_instances(
    options: &Options,
) -> Result<Vec<(String, confidence::Instance)>, Box<dyn Error>> {
    let setting = Confidence::new(options.steps)
        .map_err(|error| format!("--steps: {error}"))?
        .with_sampling(options.sampling());
    let questions = questions(options)?;
    Ok(questions.into_iter().map(|it| (it.id.clone(), setting.instance(&it))).collect())
}

pub(crate) fn confidence<A: Fn(&Request) -> Result<Vec<u8>, AskError> + Sync>(
    asking: &Asking<'_, A>,
) -> Result<Finished, Box<dyn Error>> {
    let options = asking.options;
    let instances = confidence_instances(options)?;
    let first = FirstReplies::new(asking.journal.answers() == 0);
    let watched = Asking {
        options,
        journal: asking.journal,
        ask: |request: &Request| (asking.ask)(request).and_then(|reply| first.check(reply)),
    };
    let records = watched.run("confidence", &instances, |it| it.conversation())?;
    let report = live::confidence(&records, &options.live())?;
    Ok((records.into_iter().map(|record| record.record).collect(), report))
}

/// The first replies of a fresh folder: if none of them can be read, the rest will hardly be worth its money.
struct FirstReplies {
    /// How many were unreadable so far; `None` as soon as one could be read.
    unreadable: Mutex<Option<usize>>,
}

impl FirstReplies {
    const MOST: usize = 5;

    const fn new(is_fresh: bool) -> Self {
        Self { unreadable: Mutex::new(if is_fresh { Some(0) } else { None }) }
    }

    /// Hands on a reply unless it is the last of too many that cannot be read.
    fn check(&self, reply: Vec<u8>) -> Result<Vec<u8>, AskError> {
        let Ok(mut unreadable) = self.unreadable.lock() else { return Ok(reply) };
        let Some(count) = *unreadable else { return Ok(reply) };
        // Another part says what is wrong with a reply that is no chat completion.
        let Ok(read) = read_openai_chat(&reply) else { return Ok(reply) };
        let problem = confidence::problem_in(&read);
        *unreadable = problem.as_ref().map(|_| count + 1);
        match problem {
            Some(problem) if count + 1 >= Self::MOST => {
                let text: String = read.text.chars().take(300).collect();
                Err(AskError::Stop(format!(
                    "none of the first {} replies can be read; of the last, {problem}: {text:?}; expected is \
                     <thought>...</thought><action>continue</action> or <action>answer: ...</action>, and \
                     <confidence>p</confidence> with p from 0 to 1; the same call goes on all the same",
                    Self::MOST
                )))
            }
            _ => Ok(reply),
        }
    }
}

/// The runs of a log as rollouts, and how many runs are none.
pub(super) fn rollouts(options: &Options) -> Result<(Rollouts, Option<String>), Box<dyn Error>> {
    let (path, read_options) =
        (options.file()?, ReadOptions { requests: true, ..ReadOptions::default() });
    let runs = read_path(path, Format::Auto, &read_options)?.collect::<Result<Vec<_>, _>>()?;
    let mut rollouts = rollouts_of_runs(&runs, &OutcomePolicy::new(AtLimit::Scored))?;
    let left_out = runs.len() - rollouts.len();
    if rollouts.is_empty() {
        let problem = "a run needs turns with token counts and an outcome";
        return Err(
            format!("{}: {left_out} runs, none of them usable: {problem}", path.display()).into()
        );
    }
    if let Some(cap) = options.cap {
        rollouts.set_cap(rollouts.resource("output_tokens")?, cap)?;
    }
    let note = format!("runs without turns or without a known outcome, left out: {left_out}");
    Ok((rollouts, (left_out > 0).then_some(note)))
}

pub(super) fn budget_setting(options: &Options) -> Result<Budget, Box<dyn Error>> {
    let budget = Budget::new([("output_tokens", ResourceKind::Tokens)])?;
    Ok(budget.with_sampling(options.sampling()))
}

pub(crate) fn budget<A: Fn(&Request) -> Result<Vec<u8>, AskError> + Sync>(
    asking: &Asking<'_, A>,
) -> Result<Finished, Box<dyn Error>> {
    let options = asking.options;
    let setting = budget_setting(options)?;
    let (rollouts, left_out) = rollouts(options)?;
    let instances = (0..rollouts.len()).map(|at| {
        let instance = setting.instance(&rollouts, at)?;
        let id = instance.rollout().id().unwrap_or_default();
        Ok((format!("{at} {id}"), instance))
    });
    let instances: Vec<_> = instances.collect::<Result<_, agent_benchmarks::Error>>()?;
    let records = asking.run("budget", &instances, |it| it.conversation())?;
    let mut report = live::budget(&records, &options.live())?;
    report.together.notes.get_or_insert_default().splice(0..0, left_out);
    Ok((records.into_iter().map(|record| record.record).collect(), report))
}

//! Each benchmark as its conversations, their records and the figures on them.

use std::{collections::BTreeMap, error::Error, fs, path::Path};

use agent_benchmarks::{
    Conversation, Level, Question, Record, Request, Sampling, Seed,
    budget::{
        AtLimit, Budget, BudgetTable, OutcomePolicy, ResourceKind, Rollouts, rollouts_of_runs,
    },
    client::{AskError, Journal, run_all},
    confidence::{self, Confidence, ConfidenceTable},
    costbench::{self, CostBench, CostBenchTable, EventKind, Split, queries},
    read_questions,
    triage::{Alpha, Framing, SolveConversation, Triage, TriageTable},
};
use run_logs::{Format, ReadOptions, read_path};

use crate::{
    progress::Progress,
    run::{
        options::Options,
        report::{Row, Value},
    },
};

/// What a benchmark asks, and whom.
pub(crate) struct Asking<'a, A> {
    pub(crate) options: &'a Options,
    pub(crate) journal: &'a Journal,
    pub(crate) ask: A,
}

/// The records of a benchmark and the rows of its table.
pub(crate) struct Finished {
    pub(crate) records: Vec<Record>,
    pub(crate) rows: Vec<Row>,
    pub(crate) notes: Vec<String>,
}

const LEVEL: f64 = 0.95;

/// Figures by their names.
fn metrics<const N: usize>(
    figures: [(&str, Option<agent_benchmarks::Figure>); N],
) -> BTreeMap<String, Option<Value>> {
    figures.map(|(name, figure)| (name.to_owned(), figure.map(Value::from))).into()
}

impl Options {
    pub(super) fn sampling(&self) -> Sampling {
        Sampling {
            temperature: Some(0.0),
            max_output_tokens: Some(self.max_output_tokens),
            ..Sampling::default()
        }
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
    let kind = match options.block.as_str() {
        "none" => Vec::new(),
        name => {
            let kinds = EventKind::ALL.into_iter();
            let mut kinds = kinds.filter(|kind| kind.name().replace('_', "-") == name);
            let problem =
                "there are none, ban-tool, preference-change, cost-change and remove-tools";
            vec![kinds.next().ok_or_else(|| format!("--block: cannot read {name:?}: {problem}"))?]
        }
    };
    if options.level > 5 {
        return Err(format!("--level: is {}; it must be from 0 to 5", options.level).into());
    }
    let bench = CostBench::new(options.level)?.with_events(kind).with_sampling(options.sampling());
    let all = queries(Split::Test, 42);
    let wanted = options.queries.clamp(1, all.len());
    let chosen = (0..wanted).map(|i| &all[i * all.len() / wanted]);
    Ok(chosen.map(|query| (query.id.clone(), bench.instance(query))).collect())
}

pub(crate) fn costbench<A: Fn(&Request) -> Result<Vec<u8>, AskError> + Sync>(
    asking: &Asking<'_, A>,
) -> Result<Finished, Box<dyn Error>> {
    let options = asking.options;
    let instances = costbench_instances(options)?;
    let records = asking.run("costbench", &instances, |it| it.conversation())?;
    let mut table = CostBenchTable::default();
    for record in &records {
        table.update(&options.model, record)?;
    }
    let rows = table.finish(Level::new(LEVEL)?, options.resamples, Seed::new(options.seed))?;
    let row = |row: agent_benchmarks::costbench::CostBenchFigures| Row {
        setting: format!("{} steps, events: {}", row.task_length, row.events),
        counts: BTreeMap::from([
            ("runs", row.runs),
            ("left_out_without_events", row.left_out.events_missing),
            ("left_out_event_at_the_end", row.left_out.last_event),
            ("left_out_without_calls", row.left_out.no_calls),
            ("left_out_without_reply", row.without_reply),
            ("calls", row.failures.calls),
            ("wrong_parameters", row.failures.wrong_parameters),
            ("inaccessible", row.failures.inaccessible),
            ("repeated", row.failures.repeated),
        ]),
        metrics: metrics([
            ("cost_gap", row.cost_gap),
            ("edit_distance", row.edit_distance),
            ("normalized_edit_distance", row.normalized_edit_distance),
            ("exact_match_ratio", row.exact_match_ratio),
            ("task_completion_ratio", row.task_completion_ratio),
            ("invalid_tool_use_ratio", row.invalid_tool_use_ratio),
            ("valid_calls", row.valid_calls),
        ]),
    };
    let records = records.into_iter().map(|record| record.record).collect();
    let notes = match options.block.as_str() {
        "none" => Vec::new(),
        _ => vec![NO_GAP_UNDER_EVENTS.to_owned()],
    };
    Ok(Finished { records, rows: rows.into_iter().map(row).collect(), notes })
}

const NO_GAP_UNDER_EVENTS: &str = "cost_gap: undefined under events, because plans are optimal only \
                                   for the costs known when they were made; compare paths instead";

pub(super) fn questions(options: &Options) -> Result<Vec<Question>, Box<dyn Error>> {
    let path = options.file()?;
    let at = |problem: String| format!("{}: {problem}", path.display());
    let text = fs::read_to_string(path).map_err(|error| at(error.to_string()))?;
    let questions = read_questions(&text).map_err(|error| at(error.to_string()))?;
    if questions.is_empty() {
        return Err(at("holds no question".to_owned()).into());
    }
    if options.pool_size == 0 {
        return Err("--pool-size: is 0; it must be at least 1".into());
    }
    Ok(questions)
}

pub(super) fn triage_setting(options: &Options) -> Result<Triage, Box<dyn Error>> {
    let framing = match options.framing.as_str() {
        "neutral" => Framing::Neutral,
        "agent" => Framing::Agent,
        "exam" => Framing::Exam,
        name => {
            let problem = "there are neutral, agent and exam";
            return Err(format!("--framing: cannot read {name:?}: {problem}").into());
        }
    };
    let alpha = Alpha::new(options.alpha).map_err(|error| format!("--alpha: {error}"))?;
    Ok(Triage::new(alpha).with_framing(framing).with_sampling(options.sampling()))
}

pub(crate) fn triage<A: Fn(&Request) -> Result<Vec<u8>, AskError> + Sync>(
    asking: &Asking<'_, A>,
) -> Result<Finished, Box<dyn Error>> {
    let options = asking.options;
    let (setting, questions) = (triage_setting(options)?, questions(options)?);
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
    let asked = solved.len();
    let left_out = asked - recorded.len();
    let pools = (1..).zip(recorded.chunks(options.pool_size));
    let pools = pools.map(|(number, questions)| {
        let name = format!("pool-{number}");
        Ok((name.clone(), setting.instance(name, questions)?))
    });
    let pools: Vec<_> = pools.collect::<Result<_, agent_benchmarks::Error>>()?;
    let plans = asking.run("triage: plans", &pools, |it| it.conversation())?;
    let mut table = TriageTable::default();
    for plan in &plans {
        table.update(&options.model, plan)?;
    }
    let rows = table.finish(Level::new(LEVEL)?, options.resamples, Seed::new(options.seed))?;
    let right = solved.iter().filter(|it| it.attempt.is_some_and(|attempt| attempt.solved)).count();
    let row = |row: agent_benchmarks::triage::TriageFigures| Row {
        setting: format!("alpha {}, {}", row.alpha, format!("{:?}", row.regime).to_lowercase()),
        counts: BTreeMap::from([
            ("questions", asked),
            ("questions_solved", right),
            ("questions_left_out", left_out),
            ("pools", row.pools),
            ("pools_informative", row.informative_pools),
            ("plans_over_budget", row.over_budget),
            ("plans_unreadable", row.unreadable),
        ]),
        metrics: metrics([
            ("efficiency", row.efficiency),
            ("efficiency_informative", row.informative_efficiency),
            ("regret", row.regret),
        ]),
    };
    let records =
        solved.into_iter().map(|it| it.record).chain(plans.into_iter().map(|it| it.record));
    Ok(Finished {
        records: records.collect(),
        rows: rows.into_iter().map(row).collect(),
        notes: Vec::new(),
    })
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
    let records = asking.run("confidence", &instances, |it| it.conversation())?;
    let mut table = ConfidenceTable::default();
    for record in &records {
        table.update(&options.model, record)?;
    }
    let rows = table.finish(Level::new(LEVEL)?, options.resamples, Seed::new(options.seed))?;
    let row = |row: agent_benchmarks::confidence::ConfidenceFigures| {
        let mut counts = BTreeMap::from([
            ("without_answer", row.without_outcome),
            ("without_reply", row.without_reply),
            ("runs", 0),
        ]);
        let mut metrics = BTreeMap::new();
        if let Some(evaluation) = &row.evaluation {
            counts.insert("runs", evaluation.n);
            let left_out: u64 = evaluation.exclusions.values().sum();
            counts.insert("without_stream", usize::try_from(left_out).unwrap_or(usize::MAX));
            let estimates = evaluation.metrics.estimates.iter();
            metrics = estimates.map(|it| (it.metric.clone(), Value::of(it))).collect();
        }
        Row { setting: row.stream.name().to_owned(), counts, metrics }
    };
    let records = records.into_iter().map(|record| record.record).collect();
    Ok(Finished { records, rows: rows.into_iter().map(row).collect(), notes: Vec::new() })
}

/// The runs of a log as rollouts, and how many runs are none.
pub(super) fn rollouts(options: &Options) -> Result<(Rollouts, Option<String>), Box<dyn Error>> {
    let (path, read_options) = (options.file()?, ReadOptions::default().with_requests(true));
    let runs = read_path(path, Format::Auto, &read_options)?.collect::<Result<Vec<_>, _>>()?;
    let rollouts = rollouts_of_runs(&runs, &OutcomePolicy::new(AtLimit::Scored))?;
    let left_out = runs.len() - rollouts.len();
    if rollouts.is_empty() {
        let problem = "a run needs turns with token counts and an outcome";
        return Err(
            format!("{}: {left_out} runs, none of them usable: {problem}", path.display()).into()
        );
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
    let (mut rollouts, left_out) = rollouts(options)?;
    if let Some(cap) = options.cap {
        rollouts.set_cap(rollouts.resource("output_tokens")?, cap)?;
    }
    let instances = (0..rollouts.len()).map(|at| {
        let instance = setting.instance(&rollouts, at)?;
        let id = instance.rollout().id().unwrap_or_default();
        Ok((format!("{at} {id}"), instance))
    });
    let instances: Vec<_> = instances.collect::<Result<_, agent_benchmarks::Error>>()?;
    let records = asking.run("budget", &instances, |it| it.conversation())?;
    let mut table = BudgetTable::default();
    for record in &records {
        table.update(&options.model, record)?;
    }
    let rows = table.finish(Level::new(LEVEL)?, options.resamples, Seed::new(options.seed))?;
    let row = |row: agent_benchmarks::budget::BudgetFigures| Row {
        setting: row.resource,
        counts: BTreeMap::from([
            ("samples", row.samples),
            ("samples_left_out", row.trivial),
            ("runs_unfinished", row.unfinished),
        ]),
        metrics: metrics([
            ("hit_rate", row.hit_rate),
            ("interval_reward", row.interval_reward),
            ("macro_f1", row.macro_f1),
            ("fail_f1", row.fail_f1),
        ]),
    };
    let records = records.into_iter().map(|record| record.record).collect();
    Ok(Finished {
        records,
        rows: rows.into_iter().map(row).collect(),
        notes: left_out.into_iter().collect(),
    })
}

use std::collections::BTreeMap;

use agent_benchmarks::{
    Conversation, Level, ModelError, Record, Seed,
    budget::{AnswerMode, Budget, BudgetRecord, ResourceKind, Sample},
    confidence::{Confidence, ConfidenceFigures, ConfidenceRecord, ConfidenceStream, FollowUp},
    openai_chat_body,
    play::PlayRecord,
    read_openai_chat, read_questions,
    triage::{Alpha, Attempts, Framing, Regime, Triage, TriageFigures, TriageRecord},
};
use budget_estimation::{Metrics, MetricsSummary};
use pyo3::{prelude::*, types::PyDict};
use scoring_rules::Weight;
use trajectory_metrics::{Better, Clustered, Figure, Intervals, Measure, Metric, Undefined};

use crate::{
    budgets::{Rollouts, answer},
    choices::choice,
    errors::{Failure, invalid},
    played::play_scores,
    results::{set_figures, to_python},
    triage::REGIMES,
};

type Entry<'py> = Bound<'py, PyDict>;

/// Gives the requests of a conversation to `reply`, text of JSON in and out, until it ends.
///
/// `None` in place of a reply stands for a server that did not answer.
pub(crate) fn converse<C: Conversation>(
    mut conversation: C,
    model: &str,
    reply: &Bound<'_, PyAny>,
) -> PyResult<C::Record> {
    while let Some(request) = conversation.request() {
        let body = openai_chat_body(request, model);
        match reply.call1((body,))?.extract::<Option<String>>()? {
            None => conversation.fail(&ModelError::new("the model gave no reply")),
            Some(response) => {
                let reply = read_openai_chat(response.as_bytes()).map_err(Failure::from)?;
                conversation.reply(reply).map_err(Failure::from)?;
            }
        }
    }
    Ok(conversation.finish())
}

#[derive(Clone)]
pub(crate) enum Outcome {
    Triage(TriageRecord),
    Confidence(ConfidenceRecord),
    Budget(BudgetRecord),
    /// With the rollout of the run.
    Play(Box<(PlayRecord, budget_estimation::Rollouts)>),
}

/// A finished conversation.
#[pyclass(frozen, module = "agent_scorecard")]
pub(crate) struct BenchmarkRun {
    pub(crate) outcome: Outcome,
}

impl BenchmarkRun {
    fn record(&self) -> &Record {
        match &self.outcome {
            Outcome::Triage(it) => &it.record,
            Outcome::Confidence(it) => &it.record,
            Outcome::Budget(it) => &it.record,
            Outcome::Play(it) => &it.0.record,
        }
    }

    fn benchmark(&self) -> &'static str {
        match &self.outcome {
            Outcome::Triage(_) => "triage",
            Outcome::Confidence(_) => "confidence",
            Outcome::Budget(_) => "budget",
            Outcome::Play(_) => "play",
        }
    }
}

fn regime_name(regime: Regime) -> &'static str {
    REGIMES.iter().find(|(_, known)| *known == regime).map_or("advisory", |(name, _)| name)
}

fn triage_scores<'py>(py: Python<'py>, triage: &TriageRecord) -> PyResult<Entry<'py>> {
    let entry = PyDict::new(py);
    entry.set_item("alpha", triage.alpha.get())?;
    entry.set_item("framing", triage.framing.name())?;
    entry.set_item("budget", triage.budget)?;
    entry.set_item("oracle", triage.oracle)?;
    entry.set_item("random", triage.random)?;
    for (name, regime) in REGIMES {
        let execution = triage.execution(regime);
        let regime = PyDict::new(py);
        if let Some(execution) = execution {
            regime.set_item("earned", execution.earned)?;
            regime.set_item(
                "efficiency",
                triage.efficiency(execution.regime).ok().map(|it| it.score()),
            )?;
            regime.set_item("regret", triage.regret(execution.regime).ok().flatten())?;
        }
        entry.set_item(name, execution.map(|_| regime))?;
    }
    Ok(entry)
}

fn confidence_scores<'py>(py: Python<'py>, confidence: &ConfidenceRecord) -> PyResult<Entry<'py>> {
    let entry = PyDict::new(py);
    entry.set_item("answer", &confidence.answer)?;
    for stream in ConfidenceStream::ALL {
        let forecasts = confidence.forecasts(stream).map_err(Failure::from)?.ok();
        let forecasts: Option<Vec<f64>> =
            forecasts.map(|all| all.iter().map(|forecast| forecast.get()).collect());
        entry.set_item(stream.name(), forecasts)?;
    }
    Ok(entry)
}

/// By resource, one tuple per sample: turn, spent, remaining, feasible, estimate.
fn budget_scores<'py>(py: Python<'py>, budget: &BudgetRecord) -> PyResult<Entry<'py>> {
    let entry = PyDict::new(py);
    for (place, resource) in budget.resources.iter().enumerate() {
        let row = |sample: &budget_estimation::Sample| {
            let row = (
                sample.turn(),
                sample.used(),
                sample.remaining(),
                sample.is_feasible(),
                answer(py, sample.estimate())?,
            );
            Ok(row.into_pyobject(py)?.into_any())
        };
        let rows: PyResult<Vec<Bound<'py, PyAny>>> =
            budget.samples(place).iter().map(row).collect();
        entry.set_item(resource, rows?)?;
    }
    Ok(entry)
}

#[pymethods]
impl BenchmarkRun {
    /// The id of the pool, the question or the run.
    #[getter]
    fn id(&self) -> &str {
        &self.record().run.id
    }

    #[getter]
    fn outcome(&self) -> Option<bool> {
        self.record().run.outcome
    }

    /// What could not be used of a reply: the turn and the kind.
    #[getter]
    fn events(&self) -> Vec<(usize, &'static str)> {
        self.record().events.iter().map(|event| (event.turn, event.event.name())).collect()
    }

    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Entry<'py>> {
        match &self.outcome {
            Outcome::Triage(it) => triage_scores(py, it),
            Outcome::Confidence(it) => confidence_scores(py, it),
            Outcome::Budget(it) => budget_scores(py, it),
            Outcome::Play(it) => play_scores(py, &it.0, &it.1),
        }
    }

    /// The run as the JSON of an ATIF log, which `read_logs` reads.
    fn to_atif(&self) -> String {
        self.record().to_atif()
    }

    fn __repr__(&self) -> String {
        format!("BenchmarkRun({:?}, {:?})", self.benchmark(), self.id())
    }
}

/// A plan for a pool of questions, which are lines of JSON, and possibly their solutions.
#[pyfunction]
pub(crate) fn run_triage(
    settings: (f64, String, String, Option<String>),
    pool: &str,
    questions: &str,
    model: &str,
    reply: &Bound<'_, PyAny>,
) -> PyResult<BenchmarkRun> {
    let (alpha, framing, subject, live) = settings;
    let known = choice("framing", &framing, &Framing::ALL.map(|known| (known.name(), known)))?;
    let live = live.map(|live| choice("live (None or a name)", &live, &REGIMES)).transpose()?;
    let attempts =
        live.map_or(Attempts::Recorded, |regime| Attempts::Live { regime, announced: false });
    let setting = Triage::new(Alpha::new(alpha).map_err(Failure::from)?)
        .with_framing(known)
        .with_subject(subject)
        .with_attempts(attempts);
    let questions = read_questions(questions).map_err(Failure::from)?;
    let instance = setting.instance(pool, &questions).map_err(Failure::from)?;
    let record = converse(instance.conversation(), model, reply)?;
    Ok(BenchmarkRun { outcome: Outcome::Triage(record) })
}

/// An answer to a question, which is a line of JSON, in steps with stated confidence.
#[pyfunction]
pub(crate) fn run_confidence(
    settings: (usize, usize, Option<u8>),
    question: &str,
    model: &str,
    reply: &Bound<'_, PyAny>,
) -> PyResult<BenchmarkRun> {
    let (step_limit, patience, top_logprobs) = settings;
    let setting = Confidence::new(step_limit)
        .and_then(|setting| setting.with_patience(patience))
        .map_err(Failure::from)?
        .with_top_logprobs(top_logprobs);
    let questions = read_questions(question).map_err(Failure::from)?;
    let [question] = &questions[..] else { return Err(invalid("question: expected one")) };
    let record = converse(setting.instance(question).conversation(), model, reply)?;
    Ok(BenchmarkRun { outcome: Outcome::Confidence(record) })
}

/// Estimates of the remaining cost of a recorded run, after each of its turns.
#[pyfunction]
pub(crate) fn run_budget(
    resources: Vec<(String, String)>,
    strict: bool,
    rollouts: &Rollouts,
    run: usize,
    model: &str,
    reply: &Bound<'_, PyAny>,
) -> PyResult<BenchmarkRun> {
    let kinds = [
        ("tokens", ResourceKind::Tokens),
        ("money", ResourceKind::Money),
        ("time", ResourceKind::Time),
        ("space", ResourceKind::Space),
    ];
    let kind = |(name, kind): (String, String)| {
        let kind = choice(&format!("the kind of {name}"), &kind, &kinds)?;
        Ok((name, kind))
    };
    let resources: Vec<_> = resources.into_iter().map(kind).collect::<PyResult<_>>()?;
    let mut setting = Budget::new(resources).map_err(Failure::from)?;
    if strict {
        setting = setting.with_answer_mode(AnswerMode::Strict);
    }
    let instance = setting.instance(&rollouts.rollouts, run).map_err(Failure::from)?;
    let record = converse(instance.conversation(), model, reply)?;
    Ok(BenchmarkRun { outcome: Outcome::Budget(record) })
}

/// What a model said of one resource, by task.
#[derive(Default)]
struct Estimates {
    rows: Clustered<String, Sample>,
    /// Samples after which nothing remained to be spent.
    trivial: usize,
    /// Conversations that ended before the last prefix; their samples count.
    unfinished: usize,
}

const BUDGET_METRICS: [Metric<Metrics>; 4] = [
    Metric::new("macro_f1", "", Better::Higher, "", |it: &Metrics| {
        of_summary(it, |all| all.feasibility.macro_f1)
    })
    .within(0.0, 1.0)
    .of_all_rows(),
    Metric::new("fail_f1", "", Better::Higher, "", |it: &Metrics| {
        of_summary(it, |all| all.feasibility.impossible.f1)
    })
    .within(0.0, 1.0),
    Metric::new("hit_rate", "", Better::Higher, "", |it: &Metrics| {
        of_summary(it, |all| Some(all.intervals?.hit_rate))
    })
    .share(),
    Metric::new("interval_reward", "", Better::Higher, "", |it: &Metrics| {
        of_summary(it, |all| Some(all.intervals?.interval_reward))
    })
    .within(0.0, 1.0),
];

fn of_summary(
    metrics: &Metrics,
    value: impl FnOnce(&MetricsSummary) -> Option<f64>,
) -> Result<f64, Undefined> {
    let summary = metrics.finish().ok();
    summary.and_then(|all| value(&all)).ok_or(Undefined::new("no sample defines it"))
}

type BudgetFigures = (Vec<(Measure, Result<Figure, Undefined>)>, Option<MetricsSummary>);

impl Estimates {
    fn add(&mut self, record: &BudgetRecord, place: usize) {
        let run = &record.record.run;
        self.unfinished += usize::from(run.error.is_some());
        for sample in record.samples(place) {
            if sample.is_trivial() {
                self.trivial += 1;
            } else {
                let task = run.task.as_ref().unwrap_or(&run.id);
                self.rows.update(task.clone(), Weight::ONE, *sample);
            }
        }
    }

    /// The figures with intervals that resample tasks, and all measures.
    fn finish(&self, how: Intervals) -> Result<BudgetFigures, agent_benchmarks::Error> {
        let mut metrics = Metrics::default();
        self.rows.rows().try_for_each(|(_, _, sample)| metrics.update(sample, Weight::ONE))?;
        let add = |metrics: &mut Metrics, sample: &Sample, weight| {
            Ok::<_, agent_benchmarks::Error>(metrics.update(sample, weight)?)
        };
        let found = self.rows.figures(&BUDGET_METRICS, &Metrics::default(), add, Some(how))?;
        let figures = BUDGET_METRICS.iter().map(|metric| metric.measure).zip(found);
        Ok((figures.collect(), metrics.finish().ok()))
    }
}

/// The figures of runs of one benchmark with intervals, one dictionary per row.
#[pyfunction]
pub(crate) fn benchmark_figures<'py>(
    py: Python<'py>,
    model: &str,
    runs: Vec<Bound<'py, BenchmarkRun>>,
    confidence_level: f64,
    n_resamples: usize,
    random_state: u64,
) -> PyResult<Vec<Entry<'py>>> {
    let (mut triage, mut confidence) = (Vec::new(), Vec::new());
    let mut budget: BTreeMap<&str, Estimates> = BTreeMap::new();
    for run in &runs {
        match &run.get().outcome {
            Outcome::Triage(it) => triage.push(it),
            Outcome::Confidence(it) => confidence.push(it),
            Outcome::Budget(it) => {
                for (place, resource) in it.resources.iter().enumerate() {
                    budget.entry(resource).or_default().add(it, place);
                }
            }
            Outcome::Play(_) => {
                return Err(invalid(
                    "runs: those in an environment have no figures here; give them to environments.rollouts",
                ));
            }
        }
    }
    let (triage, confidence, budget) = py
        .detach(|| {
            let (level, seed) = (Level::new(confidence_level)?, Seed(random_state));
            let how = Intervals { level, resamples: n_resamples, seed };
            let none = FollowUp::default();
            let of_budget = |(resource, estimates): (_, Estimates)| {
                Ok((resource, estimates.finish(how)?, estimates))
            };
            Ok((
                TriageFigures::of(triage, how)?,
                ConfidenceFigures::of(confidence.into_iter().map(|it| (it, &none)), how)?,
                budget
                    .into_iter()
                    .map(of_budget)
                    .collect::<Result<Vec<_>, agent_benchmarks::Error>>()?,
            ))
        })
        .map_err(|error: agent_benchmarks::Error| PyErr::from(Failure::from(error)))?;
    let mut rows = Vec::new();
    for row in &triage {
        let entry = PyDict::new(py);
        entry.set_item("model", model)?;
        entry.set_item("alpha", row.alpha.get())?;
        entry.set_item("framing", row.framing.name())?;
        entry.set_item("regime", regime_name(row.regime))?;
        entry.set_item("is_live", row.is_live)?;
        entry.set_item("pools", row.pools)?;
        set_figures(&entry, &row.figures)?;
        entry.set_item("over_budget", row.over_budget)?;
        entry.set_item("unreadable", row.unreadable)?;
        entry.set_item("unfinished", row.unfinished)?;
        entry.set_item("above_oracle", row.above_oracle)?;
        rows.push(entry);
    }
    for row in &confidence {
        let entry = PyDict::new(py);
        entry.set_item("model", model)?;
        entry.set_item("stream", row.stream.name())?;
        entry.set_item("without_outcome", row.without_outcome)?;
        entry.set_item("without_reply", row.without_reply)?;
        entry.set_item("runs", row.runs)?;
        entry.set_item("left_out", row.left_out.clone())?;
        entry.set_item("excluded", row.excluded.clone())?;
        entry.set_item("cut_off", row.cut_off)?;
        let with_cut_off = row.with_cut_off.as_ref().map(|it| to_python(py, it)).transpose()?;
        entry.set_item("with_cut_off", with_cut_off)?;
        let complete = row.complete.as_ref();
        entry.set_item("n", complete.map_or(0, |it| it.traces.len()))?;
        entry.set_item("base_rate", complete.map(|it| it.base_rate))?;
        set_figures(&entry, complete.map_or(&[], |it| &it.figures))?;
        rows.push(entry);
    }
    for (resource, (figures, summary), estimates) in &budget {
        let entry = PyDict::new(py);
        entry.set_item("model", model)?;
        entry.set_item("resource", resource)?;
        entry.set_item("samples", estimates.rows.rows().len())?;
        entry.set_item("trivial", estimates.trivial)?;
        entry.set_item("unfinished", estimates.unfinished)?;
        set_figures(&entry, figures)?;
        let summary = summary.as_ref().map(|it| to_python(py, it)).transpose()?;
        entry.set_item("summary", summary)?;
        rows.push(entry);
    }
    Ok(rows)
}

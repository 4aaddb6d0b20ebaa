use std::collections::BTreeMap;

use scoring_rules::{ExactMean, ExactSum, Level, Seed, Weight};
use tool_graph::{LeftOutCounts, RunScores, Transcript};
use trajectory_metrics::{
    Better, Clustered, Figure, Intervals, Measure, Metric, Undefined, tool_calls::FailureCounts,
};

use crate::{costbench::outcome::CostBenchRecord, error::Error, values::figures};

/// The statistics of CostBench's tables for any number of models, task lengths and settings of events.
///
/// As in [`tool_graph::RunMeans`], runs without all their events are left out and counted. By the released rules, runs without a
/// call are also left out, and runs whose last event has nothing after it
/// ([`Transcript::left_out`](tool_graph::Transcript::left_out)). Runs that ended because the model gave no reply are left out and
/// counted too, because this says nothing about the model.
///
/// Reference: CostBench, tables 3, 4, 7 and 8, figures 2 and 5, and table 9 for the intervals.
///
/// ```
/// use agent_benchmarks::{Level, Reply, Seed, converse, model_from_fn};
/// use agent_benchmarks::costbench::{CostBench, CostBenchTable, Split, queries};
///
/// let bench = CostBench::new(0)?;
/// let silent = model_from_fn(|_| Ok(Reply::default()));
/// let mut table = CostBenchTable::default();
/// for query in &queries(Split::Test, 42)[..3] {
///     let instance = bench.instance(query);
///     table.update("silent", &converse(instance.conversation(), silent)?)?;
/// }
/// let rows = table.finish(Level::new(0.95)?, 100, Seed::new(7))?;
/// assert_eq!((rows[0].model.as_str(), rows[0].task_length), ("silent", 3));
/// assert_eq!((rows[0].runs, rows[0].left_out.no_calls), (0, 3), "the released evaluation's rule");
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CostBenchTable {
    groups: BTreeMap<(String, usize, String), Group>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Group {
    left_out: LeftOutCounts,
    without_reply: usize,
    failures: FailureCounts,
    /// The scored runs by query.
    rows: Clustered<String, Scored>,
}

/// The scores of a run, and the shares of plans that its first reply lists; `None` without a reply.
type Scored = (RunScores, Option<[f64; 2]>);

/// The sums of a row of the table.
#[derive(Clone, Default)]
struct Sums {
    cost_gap: ExactMean,
    lean_cost_gap: ExactMean,
    edit_distance: ExactMean,
    normalized_edit_distance: ExactMean,
    exact_match: ExactMean,
    completed: ExactMean,
    valid_calls: ExactMean,
    coverage: ExactMean,
    released_coverage: ExactMean,
    invalid: ExactSum,
    calls: ExactSum,
}

const METRICS: [Metric<Sums>; 10] = [
    Metric::new(
        "cost_gap",
        "cost gap",
        Better::Lower,
        "Mean cost above the optimal plan of runs that reached the goal without events.",
        |sums| mean(&sums.cost_gap, "no run reached the goal without events"),
    ),
    Metric::new(
        "cost_gap_without_redundant",
        "cost gap without redundant calls",
        Better::Lower,
        "Mean cost above the optimal plan of runs without redundant calls.",
        |sums| {
            mean(&sums.lean_cost_gap, "no run without redundant calls and events reached the goal")
        },
    ),
    Metric::new(
        "edit_distance",
        "edit distance (AED)",
        Better::Lower,
        "Mean number of edits between the path of a run and the optimal path.",
        |sums: &Sums| mean(&sums.edit_distance, NO_PATH),
    )
    .within(0.0, f64::INFINITY),
    Metric::new(
        "normalized_edit_distance",
        "normalized edit distance (ANED)",
        Better::Lower,
        "Mean edit distance divided by the length of the longer path, in [0, 1].",
        |sums: &Sums| mean(&sums.normalized_edit_distance, NO_PATH),
    )
    .within(0.0, 1.0),
    Metric::new(
        "exact_match_ratio",
        "exact match ratio (EMR)",
        Better::Higher,
        "Share of runs whose path is the optimal one.",
        |sums: &Sums| mean(&sums.exact_match, NO_PATH),
    )
    .share(),
    Metric::new(
        "task_completion_ratio",
        "task completion ratio (TCR)",
        Better::Higher,
        "Share of runs that completed their task.",
        |sums: &Sums| mean(&sums.completed, "there is no run"),
    )
    .share(),
    Metric::new(
        "invalid_tool_use_ratio",
        "invalid tool use (ITUR)",
        Better::Lower,
        "Invalid calls of all runs divided by calls of all runs.",
        |sums| match sums.calls.value() {
            calls if calls > 0.0 => Ok(sums.invalid.value() / calls),
            _ => Err(Undefined::new("no run has a call")),
        },
    ),
    Metric::new(
        "valid_calls",
        "valid calls",
        Better::Neither,
        "Mean number of valid calls per run.",
        |sums: &Sums| mean(&sums.valid_calls, "there is no run"),
    )
    .within(0.0, f64::INFINITY),
    Metric::new(
        "path_coverage",
        "path coverage",
        Better::Higher,
        "Mean share of all plans that the first reply lists between path tags.",
        |sums: &Sums| mean(&sums.coverage, NO_REPLY),
    )
    .share(),
    Metric::new(
        "path_coverage_as_published",
        "path coverage, as published",
        Better::Higher,
        "As path coverage, with listed paths that are no plans, and one more possible plan.",
        |sums: &Sums| mean(&sums.released_coverage, NO_REPLY),
    )
    .share(),
];

/// The reason why the means over paths are undefined.
const NO_PATH: &str = "no run has a path that counts";

/// The reason why the means over lists of plans are undefined.
const NO_REPLY: &str = "no run has a reply";

fn mean(mean: &ExactMean, reason: &'static str) -> Result<f64, Undefined> {
    mean.finish().map_err(|_| Undefined::new(reason))
}

impl Sums {
    fn add(&mut self, (scores, coverage): &Scored, weight: Weight) -> Result<(), Error> {
        let calls = scores.failures.calls as f64;
        let invalid = scores.failures.invalid() as f64;
        for (mean, value) in [
            (&mut self.cost_gap, scores.cost_gap),
            (&mut self.lean_cost_gap, scores.cost_gap_without_redundant),
            (&mut self.edit_distance, scores.edit_distance.map(|edits| edits as f64)),
            (&mut self.normalized_edit_distance, scores.normalized_edit_distance),
            (&mut self.exact_match, scores.exact_match.map(f64::from)),
            (&mut self.completed, Some(f64::from(scores.completed))),
            (&mut self.valid_calls, Some(calls - invalid)),
            (&mut self.coverage, coverage.map(|[share, _]| share)),
            (&mut self.released_coverage, coverage.map(|[_, released]| released)),
        ] {
            value.map_or(Ok(()), |value| mean.update_weighted(value, weight))?;
        }
        self.invalid.add(weight.get() * invalid);
        self.calls.add(weight.get() * calls);
        Ok(())
    }
}

/// A row of a [`CostBenchTable`].
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct CostBenchFigures {
    /// The model.
    pub model: String,
    /// The number of steps of the tasks.
    pub task_length: usize,
    /// The name of the events.
    pub events: String,
    /// The number of runs, excluding runs that were left out.
    pub runs: usize,
    /// The numbers of runs left out because of events in them or in their references, by reason.
    pub left_out: LeftOutCounts,
    /// The number of runs left out because they ended without a reply of the model.
    pub without_reply: usize,
    /// The figures of the paper's tables, each with the interval that resamples queries, or the reason why
    /// it is undefined. Rates and ratios are fractions.
    ///
    /// There is no cost gap in a row with events: plans are optimal only for the costs known at planning time, so that the
    /// difference in cost between a run and its reference says nothing about the run (CostBench, appendix B.3.1).
    #[serde(serialize_with = "figures::serialize")]
    pub figures: Vec<(Measure, Result<Figure, Undefined>)>,
    /// The number of calls in each failure class (table 8), unweighted.
    pub failures: FailureCounts,
}

impl CostBenchFigures {
    /// Returns the figure of the metric with this key; `None` if the figure is undefined or no metric has the key.
    #[must_use]
    pub fn figure(&self, key: &str) -> Option<Figure> {
        figures::figure(&self.figures, key)
    }
}

impl CostBenchTable {
    /// Adds a run of a model.
    ///
    /// # Errors
    ///
    /// The errors of [`CostBenchRecord::scores`]; the run is not added then.
    pub fn update(&mut self, model: &str, record: &CostBenchRecord) -> Result<(), Error> {
        let coverage = [record.coverage.rate().unwrap_or_default(), record.released_coverage()];
        self.add(model, record, &record.transcript, Some(coverage))
    }

    /// Adds the greedy policy's run in the world of `record` under the name `name`, regardless of the result of the
    /// model's own run.
    ///
    /// # Errors
    ///
    /// The errors of [`Transcript::scores`].
    pub fn update_greedy(&mut self, name: &str, record: &CostBenchRecord) -> Result<(), Error> {
        self.add(name, record, &record.greedy, None)
    }

    fn add(
        &mut self,
        model: &str,
        record: &CostBenchRecord,
        run: &Transcript,
        coverage: Option<[f64; 2]>,
    ) -> Result<(), Error> {
        let key = (model.to_owned(), record.task_length, record.events.clone());
        let scores = run.scores(&record.reference)?;
        let group = self.groups.entry(key).or_default();
        if coverage.is_some() && record.record.run.error.is_some() {
            group.without_reply += 1;
        } else if let Some(reason) = run.left_out(&record.reference) {
            group.left_out.update(reason);
        } else {
            group.failures.merge(&scores.failures);
            group.rows.update(record.query_id().to_owned(), Weight::ONE, (scores, coverage));
        }
        Ok(())
    }

    /// Returns the rows, sorted by model, task length and events, with intervals at this nominal coverage.
    ///
    /// Queries are resampled, so that several runs of one query stay together. The result does not
    /// depend on the order of the runs.
    ///
    /// # Errors
    ///
    /// [`Error::TrajectoryMetrics`] for more than 10 million resamples.
    ///
    /// # Complexity
    ///
    /// The number of runs times the number of resamples.
    pub fn finish(
        &self,
        level: Level,
        resamples: usize,
        seed: Seed,
    ) -> Result<Vec<CostBenchFigures>, Error> {
        let how = Some(Intervals { level, resamples, seed });
        let row = |((model, task_length, events), group): (&(String, usize, String), &Group)| {
            let figures = group.rows.figures(&METRICS, &Sums::default(), Sums::add, how)?;
            Ok(CostBenchFigures {
                model: model.clone(),
                task_length: *task_length,
                events: events.clone(),
                runs: group.rows.len(),
                left_out: group.left_out,
                without_reply: group.without_reply,
                figures: METRICS.iter().map(|metric| metric.measure).zip(figures).collect(),
                failures: group.failures,
            })
        };
        self.groups.iter().map(row).collect()
    }
}

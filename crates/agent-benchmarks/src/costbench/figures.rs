use std::collections::BTreeMap;

use scoring_rules::{ExactMean, ExactSum, Weight};
use tool_graph::{LeftOutCounts, RunScores, Transcript};
use trajectory_metrics::{
    Better, Clustered, Figure, Intervals, Metric, Undefined, tool_calls::FailureCounts,
};

use crate::{
    costbench::outcome::CostBenchRecord,
    error::Error,
    values::record::{Figures, figure},
};

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
        "Mean cost of a run minus the cost of its optimal plan, over runs without events that reached the goal.",
        |sums| mean(&sums.cost_gap, "no run reached the goal without events"),
    ),
    Metric::new(
        "cost_gap_without_redundant",
        "cost gap without redundant calls",
        Better::Lower,
        "Mean cost of a run minus the cost of its optimal plan, over runs without events and redundant calls that reached the goal.",
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
        "Mean share of all plans that the model lists between path tags in its first reply.",
        |sums: &Sums| mean(&sums.coverage, NO_REPLY),
    )
    .share(),
    Metric::new(
        "path_coverage_as_published",
        "path coverage, as published",
        Better::Higher,
        "Path coverage as the released code computes it: listed paths that are not plans count too, and there is one more possible plan.",
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

/// The statistics of CostBench's tables for runs with the same task length and the same [events](Self::events).
///
/// As in [`tool_graph::RunMeans`], runs without all their events are left out and counted. By the released rules, runs without a
/// call are also left out, and runs whose last event has nothing after it
/// ([`Transcript::left_out`](tool_graph::Transcript::left_out)). Runs that ended because the model gave no reply are left out and
/// counted too, because this says nothing about the model.
///
/// Reference: CostBench, tables 3, 4, 7 and 8, figures 2 and 5, and table 9 for the intervals.
///
/// ```
/// use agent_benchmarks::{Level, Reply, Seed, converse};
/// use agent_benchmarks::costbench::{CostBench, CostBenchFigures, Split, queries};
/// use trajectory_metrics::Intervals;
///
/// let bench = CostBench::new(0)?;
/// let mut records = Vec::new();
/// for query in &queries(Split::Test, 42)[..3] {
///     let instance = bench.instance(query);
///     records.push(converse(instance.conversation(), |_| Ok(Reply::default()))?);
/// }
/// let how = Intervals { level: Level::new(0.95)?, resamples: 100, seed: Seed(7) };
/// let row = &CostBenchFigures::of(&records, how)?[0];
/// assert_eq!((row.task_length, row.events.as_str()), (3, "none"));
/// assert_eq!((row.runs, row.left_out.no_calls), (0, 3), "the released evaluation's rule");
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CostBenchFigures {
    /// The number of steps of the tasks.
    pub task_length: usize,
    /// The name of the setting of events.
    pub events: String,
    /// The number of runs, excluding runs that were left out.
    pub runs: usize,
    /// The numbers of runs that are left out because of events in the run or in the runs to which it is compared, by
    /// reason.
    pub left_out: LeftOutCounts,
    /// The number of runs left out because they ended without a reply of the model.
    pub without_reply: usize,
    /// The metrics of the paper's tables, each with an interval from resampled queries, or the reason why it is
    /// undefined. Rates and ratios are fractions.
    ///
    /// There is no cost gap in a row with events: plans are optimal only for the costs known at planning time, so that the
    /// difference in cost between a run and its reference says nothing about the run (CostBench, appendix B.3.1).
    pub figures: Figures,
    /// The number of calls in each failure class (table 8), unweighted.
    pub failures: FailureCounts,
}

impl CostBenchFigures {
    /// Returns the figures of one model's runs: one entry for each task length and setting of events, sorted by both.
    ///
    /// Queries are resampled, so that several runs of one query stay together. The result does not depend on the order of the
    /// runs.
    ///
    /// # Errors
    ///
    /// The errors of [`CostBenchRecord::scores`], and [`scoring_rules::Error::Setting`] for more than 10 million resamples.
    ///
    /// # Complexity
    ///
    /// The number of runs times the number of resamples.
    pub fn of<'a>(
        records: impl IntoIterator<Item = &'a CostBenchRecord>,
        how: Intervals,
    ) -> Result<Vec<Self>, Error> {
        let run = |it: &'a CostBenchRecord| {
            let coverage = [it.coverage.rate().unwrap_or_default(), it.released_coverage()];
            (it, &it.transcript, Some(coverage))
        };
        Self::of_runs(records.into_iter().map(run), how)
    }

    /// Returns the figures of the greedy policy in the worlds of these records, regardless of how the model's own runs
    /// ended.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::of`].
    pub fn of_greedy<'a>(
        records: impl IntoIterator<Item = &'a CostBenchRecord>,
        how: Intervals,
    ) -> Result<Vec<Self>, Error> {
        Self::of_runs(records.into_iter().map(|it| (it, &it.greedy, None)), how)
    }

    fn of_runs<'a>(
        runs: impl Iterator<Item = (&'a CostBenchRecord, &'a Transcript, Option<[f64; 2]>)>,
        how: Intervals,
    ) -> Result<Vec<Self>, Error> {
        // The runs of a row, by query.
        let mut groups: BTreeMap<_, (Self, Clustered<String, Scored>)> = BTreeMap::new();
        for (record, run, coverage) in runs {
            let CostBenchRecord { task_length, events, .. } = record;
            let scores = run.scores(&record.reference)?;
            let empty = || Self {
                task_length: *task_length,
                events: events.clone(),
                runs: 0,
                left_out: LeftOutCounts::default(),
                without_reply: 0,
                figures: Vec::new(),
                failures: FailureCounts::default(),
            };
            let (row, scored) = groups
                .entry((task_length, events))
                .or_insert_with(|| (empty(), Clustered::default()));
            if coverage.is_some() && record.record.run.error.is_some() {
                row.without_reply += 1;
            } else if let Some(reason) = run.left_out(&record.reference) {
                row.left_out.update(reason);
            } else {
                row.runs += 1;
                row.failures.merge(&scores.failures);
                scored.update(record.query_id().to_owned(), Weight::ONE, (scores, coverage));
            }
        }
        let rows = groups.into_values().map(|(mut row, scored)| {
            let found = scored.figures(&METRICS, &Sums::default(), Sums::add, Some(how))?;
            row.figures = METRICS.iter().map(|metric| metric.measure).zip(found).collect();
            Ok(row)
        });
        rows.collect()
    }

    /// Returns the figure of the metric with this key; `None` if the figure is undefined or no metric has the key.
    #[must_use]
    pub fn figure(&self, key: &str) -> Option<Figure> {
        figure(&self.figures, key)
    }
}

use std::collections::BTreeMap;

use scoring_rules::{ExactMean, ExactSum, Level, Seed, Weight};
use tool_graph::LeftOutCounts;
use trajectory_metrics::tool_calls::FailureCounts;

use crate::{
    costbench::outcome::CostBenchRecord, engines::resampled::Resamples, error::Error,
    values::figure::Figure,
};

/// The means of a row of the table; the last one is a ratio of sums.
const MEANS: usize = 7;

/// Which figures are shares of runs: exact matches and completed runs.
const SHARES: [bool; MEANS + 1] = [false, false, false, false, true, true, false, false];

/// The figures of CostBench's tables for any number of models, task lengths and settings of events.
///
/// As in [`tool_graph::RunMeans`], runs without all their events are left out and counted, and by the
/// released rules also runs without a call and those in which nothing follows the last event
/// ([`Transcript::left_out`](tool_graph::Transcript::left_out)). Runs that ended because the model gave
/// no reply, which says nothing about the model, are left out and counted too.
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
    rows: Vec<Row>,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    query: String,
    weight: f64,
    /// Cost gap, the same without redundant calls, edit distances, match, completion and calls.
    values: [Option<f64>; MEANS],
    invalid: f64,
    calls: f64,
}

/// A row of a [`CostBenchTable`]. Figures that no run defines are `None`. Rates and ratios are
/// fractions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CostBenchFigures {
    /// The model.
    pub model: String,
    /// The number of steps of the tasks.
    pub task_length: usize,
    /// The name of the events.
    pub events: String,
    /// The number of runs, without those left out.
    pub runs: usize,
    /// The numbers of runs left out for what happened in them or in their references, by reason.
    pub left_out: LeftOutCounts,
    /// The number of runs left out because they ended without a reply of the model.
    pub without_reply: usize,
    /// The mean cost gap of the runs that reached the goal; lower is better. `None` in a row with
    /// events: plans are optimal only for the costs known when they were made, so that the cost of a run
    /// minus that of its reference says nothing about the run (CostBench, appendix B.3.1).
    pub cost_gap: Option<Figure>,
    /// The same of runs without redundant calls.
    pub cost_gap_without_redundant: Option<Figure>,
    /// The average edit distance (AED); lower is better.
    pub edit_distance: Option<Figure>,
    /// The average normalised edit distance (ANED), in [0, 1]; lower is better.
    pub normalized_edit_distance: Option<Figure>,
    /// The exact match ratio (EMR), in [0, 1]; higher is better.
    pub exact_match_ratio: Option<Figure>,
    /// The task completion ratio (TCR), in [0, 1]; higher is better.
    pub task_completion_ratio: Option<Figure>,
    /// The invalid tool-use ratio (ITUR): invalid calls of all runs by calls of all runs, in [0, 1];
    /// lower is better.
    pub invalid_tool_use_ratio: Option<Figure>,
    /// The mean number of valid calls per run (table 7).
    pub valid_calls: Option<Figure>,
    /// The number of calls in each failure class (table 8), unweighted.
    pub failures: FailureCounts,
}

impl CostBenchTable {
    /// Adds a run of a model.
    ///
    /// # Errors
    ///
    /// Those of [`CostBenchRecord::scores`]; the run is not added then.
    pub fn update(&mut self, model: &str, record: &CostBenchRecord) -> Result<(), Error> {
        self.update_weighted(model, record, Weight::ONE)
    }

    /// Adds a run that counts `weight` times in all means and ratios.
    ///
    /// # Errors
    ///
    /// Those of [`CostBenchRecord::scores`]; the run is not added then.
    pub fn update_weighted(
        &mut self,
        model: &str,
        record: &CostBenchRecord,
        weight: Weight,
    ) -> Result<(), Error> {
        let key = (model.to_owned(), record.task_length, record.events.clone());
        let scores = record.scores()?;
        let group = self.groups.entry(key).or_default();
        if record.record.run.error.is_some() {
            group.without_reply += 1;
            return Ok(());
        }
        if let Some(reason) = record.transcript.left_out(&record.reference) {
            group.left_out.update(reason);
            return Ok(());
        }
        let (calls, invalid) = (scores.failures.calls as f64, scores.failures.invalid() as f64);
        group.failures.merge(&scores.failures);
        group.rows.push(Row {
            query: record.query_id().to_owned(),
            weight: weight.get(),
            values: [
                scores.cost_gap,
                scores.cost_gap_without_redundant,
                scores.edit_distance.map(|edits| edits as f64),
                scores.normalized_edit_distance,
                scores.exact_match.map(f64::from),
                Some(f64::from(scores.completed)),
                Some(calls - invalid),
            ],
            invalid,
            calls,
        });
        Ok(())
    }

    /// Adds all runs of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (key, group) in &other.groups {
            let own = self.groups.entry(key.clone()).or_default();
            own.left_out.merge(&group.left_out);
            own.without_reply += group.without_reply;
            own.failures.merge(&group.failures);
            own.rows.extend_from_slice(&group.rows);
        }
    }

    /// The rows, sorted by model, task length and events, with intervals that cover at this level.
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
        let how = Resamples { level, resamples, seed };
        let groups = self.groups.iter();
        groups.map(|(key, group)| group.figures(key, how)).collect()
    }
}

impl Group {
    fn figures(
        &self,
        (model, task_length, events): &(String, usize, String),
        how: Resamples,
    ) -> Result<CostBenchFigures, Error> {
        let mut rows = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            rows.push((row.query.as_str(), Weight::new(row.weight)?));
        }
        let counted = |row: usize, column: usize| {
            let row = &self.rows[row];
            let has_value =
                if column < MEANS { row.values[column].is_some() } else { row.calls > 0.0 };
            has_value && row.weight > 0.0
        };
        let figures = how.figures(&rows, counted, SHARES, |counts| self.statistics(counts))?;
        let [gap, lean_gap, edits, share, exact, completed, valid_calls, invalid] = figures;
        Ok(CostBenchFigures {
            model: model.clone(),
            task_length: *task_length,
            events: events.clone(),
            runs: self.rows.len(),
            left_out: self.left_out,
            without_reply: self.without_reply,
            cost_gap: gap,
            cost_gap_without_redundant: lean_gap,
            edit_distance: edits,
            normalized_edit_distance: share,
            exact_match_ratio: exact,
            task_completion_ratio: completed,
            invalid_tool_use_ratio: invalid,
            valid_calls,
            failures: self.failures,
        })
    }

    /// The means of all columns and the ratio of invalid calls, of rows that occur so many times.
    fn statistics(&self, counts: &[u32]) -> [Result<f64, trajectory_metrics::Error>; MEANS + 1] {
        let rows = || {
            let counted = self.rows.iter().zip(counts).filter(|(_, count)| **count > 0);
            counted.map(|(row, &count)| (row, row.weight * f64::from(count)))
        };
        let mean = |value: &dyn Fn(&Row) -> Option<f64>| {
            let mut mean = ExactMean::default();
            for (row, weight) in rows() {
                if let Some(value) = value(row) {
                    mean.update_weighted(value, Weight::new(weight)?)?;
                }
            }
            mean.finish()
        };
        let ratio = || {
            let (mut invalid, mut calls) = (ExactSum::default(), ExactSum::default());
            for (row, weight) in rows() {
                invalid.add(weight * row.invalid);
                calls.add(weight * row.calls);
            }
            let calls = calls.value();
            if calls > 0.0 { Ok(invalid.value() / calls) } else { Err(scoring_rules::Error::Empty) }
        };
        std::array::from_fn(|column| {
            let value = if column < MEANS { mean(&|row| row.values[column]) } else { ratio() };
            value.map_err(trajectory_metrics::Error::from)
        })
    }
}

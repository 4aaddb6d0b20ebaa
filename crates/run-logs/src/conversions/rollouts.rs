use budget_estimation::Rollouts;

use crate::{conversions::run_table::RunTable, error::Error};

impl RunTable {
    /// What the runs used at each turn, for budget-estimation, with their tasks and their names,
    /// `id#trial` where the log counts trials. Resources: `input_tokens`, `output_tokens` and
    /// `cost_usd`; unknown ones stay unknown.
    ///
    /// Runs without a known outcome and runs without a turn are left out: as many as
    /// [`rows`](Self::rows) exceed the rollouts.
    ///
    /// # Errors
    ///
    /// [`Error::BudgetEstimation`] for a cost that is out of range.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use run_logs::{
    ///     AtLimit, Error, Format, OutcomePolicy, ReadOptions, RunTable, StreamOptions, read,
    /// };
    ///
    /// let log = br#"
    ///     {"id": "a", "outcome": true, "turns": [{"response": {"choices": [{"message":
    ///         {"content": "18"}}], "usage": {"prompt_tokens": 9, "completion_tokens": 120}}}]}
    ///     {"id": "b", "outcome": null, "turns": []}"#;
    /// let runs = read(Cursor::new(log), Format::Auto, &ReadOptions::default())?;
    /// let policy = OutcomePolicy::new(AtLimit::Censored);
    /// let table = RunTable::new(runs, &policy, &StreamOptions::default())?;
    /// let rollouts = table.rollouts()?;
    /// let tokens = rollouts.resource("output_tokens")?;
    /// let totals: Vec<_> = rollouts.iter().map(|rollout| rollout.total(tokens)).collect();
    /// assert_eq!(totals, [Ok(120.0)]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rollouts(&self) -> Result<Rollouts, Error> {
        let mut rollouts = Rollouts::new(["input_tokens", "output_tokens", "cost_usd"])?;
        for run in self.rows() {
            let (Some(outcome), false) = (run.outcome, run.turn_usage.is_empty()) else { continue };
            let tokens = |count: Option<u64>| count.map(|count| count as f64);
            let costs: Vec<Option<f64>> = run
                .turn_usage
                .iter()
                .flat_map(|turn| {
                    [tokens(turn.input_tokens), tokens(turn.output_tokens), turn.cost_usd]
                })
                .collect();
            let rollout = rollouts.push_partly_known(&costs, outcome)?;
            rollouts.set_id(rollout, run.name())?;
            if let Some(task) = &run.task {
                rollouts.set_task(rollout, task.as_str())?;
            }
        }
        Ok(rollouts)
    }
}

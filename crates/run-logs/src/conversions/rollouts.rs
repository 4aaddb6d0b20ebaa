use budget_estimation::Rollouts;

use crate::{
    conversions::{logged_run::LoggedRun, run_table::RunTable},
    engines::fresh_input::fresh_input_tokens,
    error::Error,
};

impl LoggedRun {
    /// The input tokens of each turn without the history that its request repeats; `None` if the log does not count the input.
    /// Reasoning is not part of the history.
    ///
    /// # Reference
    ///
    /// This is the rule of BAGEN's released code; see [`fresh_input_tokens`].
    #[must_use]
    pub fn fresh_input_tokens(&self) -> Vec<Option<u64>> {
        let count = |tokens: Option<u64>| tokens.and_then(|tokens| i64::try_from(tokens).ok());
        let turns = || self.turn_usage.iter();
        let input: Vec<Option<i64>> = turns().map(|turn| count(turn.input_tokens)).collect();
        let visible = |turn: &crate::values::run::Usage| {
            Some(turn.output_tokens?.saturating_sub(turn.reasoning_tokens.unwrap_or(0)))
        };
        let visible: Vec<Option<i64>> = turns().map(|turn| count(visible(turn))).collect();
        let fresh = fresh_input_tokens(&input, &visible);
        fresh
            .into_iter()
            .map(|tokens| tokens.and_then(|tokens| u64::try_from(tokens).ok()))
            .collect()
    }
}

impl RunTable {
    /// Returns the usage of the runs at each turn, for budget-estimation, with their tasks and their names, `id#trial` if the log
    /// counts trials. Resources: `input_tokens` of whole requests, which repeat earlier parts, `output_tokens`, `cost_usd`,
    /// `fresh_input_tokens` without the repeated parts ([`LoggedRun::fresh_input_tokens`]) and `total_tokens`, the sum of fresh
    /// input and output; unknown ones stay unknown.
    ///
    /// Runs without a known outcome and runs without a turn are left out: their number is the difference between
    /// [`rows`](Self::rows) and the rollouts.
    ///
    /// # Errors
    ///
    /// [`Error::BudgetEstimation`] for a cost that is out of range.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use run_logs::{
    ///     Error, Format, FactRules, ReadOptions, RunTable, StreamOptions, read,
    /// };
    ///
    /// let log = br#"
    ///     {"id": "a", "outcome": true, "turns": [{"response": {"choices": [{"message":
    ///         {"content": "18"}}], "usage": {"prompt_tokens": 9, "completion_tokens": 120}}}]}
    ///     {"id": "b", "outcome": null, "turns": []}"#;
    /// let runs = read(Cursor::new(log), Format::Auto, &ReadOptions::default())?;
    /// let policy = FactRules::default();
    /// let table = RunTable::new(runs, &policy, &StreamOptions::default())?;
    /// let rollouts = table.rollouts()?;
    /// let tokens = rollouts.resource("total_tokens")?;
    /// let totals: Vec<_> = rollouts.iter().map(|rollout| rollout.total(tokens)).collect();
    /// assert_eq!(totals, [Ok(129.0)]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rollouts(&self) -> Result<Rollouts, Error> {
        let mut rollouts = Rollouts::new([
            "input_tokens",
            "output_tokens",
            "cost_usd",
            "fresh_input_tokens",
            "total_tokens",
        ])?;
        for run in self.rows() {
            let (Some(outcome), false) = (run.outcome, run.turn_usage.is_empty()) else { continue };
            let tokens = |count: Option<u64>| count.map(|count| count as f64);
            let costs: Vec<Option<f64>> = run
                .turn_usage
                .iter()
                .zip(run.fresh_input_tokens())
                .flat_map(|(turn, fresh)| {
                    let (input, output) = (tokens(turn.input_tokens), tokens(turn.output_tokens));
                    let fresh = tokens(fresh);
                    let total = fresh.zip(output).map(|(fresh, output)| fresh + output);
                    [input, output, turn.cost_usd, fresh, total]
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

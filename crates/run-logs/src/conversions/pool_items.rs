use knapsack_oracle::Item;

use crate::{conversions::run_table::RunTable, error::Error};

impl RunTable {
    /// The runs as problems of a pool, each with value 1 and its output tokens as the cost, for the question which problems to
    /// attempt under a budget.
    ///
    /// An item has the name of its run, followed by `#` and the repetition. Runs without an outcome or without a known count of
    /// output tokens are left out; their number is the difference between the lengths.
    ///
    /// # Errors
    ///
    /// [`Error::KnapsackOracle`] for a run that used no output token.
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
    /// let items = table.pool_items()?;
    /// assert_eq!((items.len(), table.rows().len()), (1, 2));
    /// assert_eq!((items[0].id(), items[0].cost(), items[0].is_solved()), ("a", 120, true));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn pool_items(&self) -> Result<Vec<Item>, Error> {
        let mut items = Vec::new();
        for run in self.rows() {
            let (Some(solved), Some(cost)) = (run.outcome, run.usage.output_tokens) else {
                continue;
            };
            items.push(Item::new(run.name(), 1.0, cost, solved)?);
        }
        Ok(items)
    }
}

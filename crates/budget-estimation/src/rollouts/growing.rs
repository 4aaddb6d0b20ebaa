use crate::{error::Error, rollouts::storage::Rollouts};

/// A rollout that grows turn by turn, for a run in progress. Only such a rollout can have no turn.
impl Rollouts {
    /// Appends a rollout without a turn.
    pub(crate) fn begin(&mut self) {
        for column in &mut self.columns {
            column.push(std::iter::empty());
        }
        self.end_rollout(0, false);
    }

    /// Appends a turn to the last rollout.
    pub(crate) fn continue_with(&mut self, costs: &[Option<f64>]) -> Result<(), Error> {
        let Some(rollout) = self.len().checked_sub(1) else {
            return Err(scoring_rules::Error::Empty.into());
        };
        let (found, resources) = (costs.len(), self.columns.len());
        if found != resources {
            return Err(Error::CostCount { rollout, found, resources });
        }
        let turns = self.get(rollout)?.turns();
        self.check_costs(found, |i| costs.get(i).copied().flatten(), rollout, turns + 1)?;
        for (column, cost) in self.columns.iter_mut().zip(costs) {
            column.continue_with(cost.unwrap_or(f64::NAN));
        }
        if let Some(end) = self.ends.last_mut() {
            *end += 1;
        }
        Ok(())
    }
}

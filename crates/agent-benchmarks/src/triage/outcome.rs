use std::collections::BTreeMap;

use knapsack_oracle::{
    Alpha, Efficiency, Execution, PlanReading, Regime, Step, execute, execute_capped,
    normalized_regret, triage_efficiency_score,
};
use run_logs::Score;
use trajectory_metrics::tool_calls::Value;

use crate::{
    error::Error,
    triage::{pool::TriagePool, settings::Framing},
    values::record::Record,
};

/// The record of a conversation of TRIAGE.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TriageRecord {
    /// The run and what was wrong with its replies.
    pub record: Record,
    /// The plan as it was read; `None` if there was no reply.
    pub reading: Option<PlanReading>,
    /// The plan executed by recorded costs, with allocations as advice; `None` without a plan.
    pub advisory: Option<Execution>,
    /// The plan executed with allocations as limits; `None` without a plan, or if real attempts
    /// were not finished.
    pub enforced: Option<Execution>,
    /// Whether [`Self::enforced`] is of real attempts.
    pub really_attempted: bool,
    /// The value of the best plan.
    pub oracle: f64,
    /// The expected value of a random order.
    pub random: f64,
    /// The budget in output tokens.
    pub budget: u64,
    /// The share of the costs that the budget is.
    pub alpha: Alpha,
    /// The framing of the prompt.
    pub framing: Framing,
}

impl TriageRecord {
    pub(super) fn new(
        pool: &TriagePool,
        record: Record,
        reading: Option<PlanReading>,
        solved: &BTreeMap<usize, bool>,
    ) -> Self {
        let plan = reading.as_ref().and_then(PlanReading::plan);
        let run =
            |regime| plan.and_then(|plan| execute(plan, &pool.pool, pool.budget, regime).ok());
        let really_attempted = pool.settings.really_attempts;
        let attempted = |step: Step| match solved.get(&step.position) {
            Some(&is_solved) => Ok(is_solved),
            None => Err(Error::Ended),
        };
        let enforced = match plan {
            Some(plan) if really_attempted => {
                execute_capped(plan, &pool.pool, pool.budget, attempted).ok()
            }
            _ => run(Regime::Enforced),
        };
        let mut outcome = Self {
            advisory: run(Regime::Advisory),
            enforced,
            record,
            reading,
            really_attempted,
            oracle: pool.oracle(),
            random: pool.random(),
            budget: pool.budget,
            alpha: pool.settings.alpha,
            framing: pool.settings.framing,
        };
        outcome.keep();
        outcome
    }

    /// The id of the pool.
    #[must_use]
    pub fn pool_id(&self) -> &str {
        &self.record.run.id
    }

    /// The execution in a regime.
    #[must_use]
    pub const fn execution(&self, regime: Regime) -> Option<&Execution> {
        match regime {
            Regime::Advisory => self.advisory.as_ref(),
            Regime::Enforced => self.enforced.as_ref(),
        }
    }

    /// The efficiency of the plan: 1 for the best plan, 0 for a random order. `None` without a plan.
    ///
    /// # Errors
    ///
    /// [`Error::KnapsackOracle`] if real attempts earned more than the best plan by recorded outcomes.
    pub fn efficiency(&self, regime: Regime) -> Result<Option<Efficiency>, Error> {
        let Some(execution) = self.execution(regime) else { return Ok(None) };
        Ok(Some(triage_efficiency_score(execution.earned, self.random, self.oracle)?))
    }

    /// The share of the best plan's value that the plan missed. `None` without a plan, and where the
    /// best plan earns nothing.
    ///
    /// # Errors
    ///
    /// [`Error::KnapsackOracle`] if real attempts earned more than the best plan by recorded outcomes.
    pub fn regret(&self, regime: Regime) -> Result<Option<f64>, Error> {
        let Some(execution) = self.execution(regime).filter(|_| self.oracle > 0.0) else {
            return Ok(None);
        };
        Ok(Some(normalized_regret(execution.earned, self.oracle)?))
    }

    /// Adds the setting and the scores to the run.
    fn keep(&mut self) {
        let regimes = [("advisory", Regime::Advisory), ("enforced", Regime::Enforced)];
        let scores = regimes.map(|(name, regime)| {
            let score = self.efficiency(regime).ok().flatten().map(|it| Value::Real(it.score()));
            (format!("efficiency_{name}"), score.unwrap_or_default())
        });
        let run = &mut self.record.run;
        for (name, value) in scores {
            run.scores.insert(name, Score { value, ..Score::default() });
        }
        let mut keep = |name: &str, value: Value| run.metadata.insert(name.to_owned(), value);
        keep("benchmark", "triage".into());
        keep("framing", self.framing.name().into());
        keep("alpha", Value::Real(self.alpha.get()));
        keep("budget", Value::Integer(i128::from(self.budget)));
        keep("really_attempted", Value::Bool(self.really_attempted));
    }
}

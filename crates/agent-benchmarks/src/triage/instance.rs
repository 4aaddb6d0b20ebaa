use knapsack_oracle::{CheapestFirst, InformedPlanner, Item, Plan, Pool, Regime, ValuePerCost};

use crate::{error::Error, triage::settings::Triage, values::question::Question};

/// A pool of questions with its budget and its references. Made by [`Triage::instance`].
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    pub(super) settings: Triage,
    pub(super) name: String,
    pub(super) questions: Vec<Question>,
    pub(super) pool: Pool,
    budget: u64,
    oracle: f64,
    random: f64,
    pub(super) cheapest_first: f64,
    pub(super) greedy: f64,
}

impl Triage {
    /// Creates the instance of a pool of questions in this setting. The name distinguishes pools; the same pool should have the
    /// same name in all settings.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a question without a recorded attempt, and [`Error::KnapsackOracle`]
    /// for an empty pool, ids that occur twice, or values and costs out of range.
    pub fn instance(
        &self,
        name: impl Into<String>,
        questions: &[Question],
    ) -> Result<Instance, Error> {
        let items = questions.iter().map(|question| {
            let attempt = question.recorded.ok_or_else(|| {
                let needs = "give its output tokens and whether it was solved";
                Error::invalid(format!(
                    "question {:?} has no recorded attempt; {needs}",
                    question.id
                ))
            })?;
            let Question { id, value, .. } = question;
            Ok(Item::new(id, *value, attempt.output_tokens, attempt.solved)?)
        });
        let pool = Pool::new(items.collect::<Result<_, Error>>()?)?;
        let budget = pool.budget(self.alpha);
        // These planners allot the true costs of attempts, so both regimes earn the same.
        let earned = |planner: &dyn InformedPlanner| {
            let plan = Plan::informed(planner, &pool, budget)?;
            Ok::<_, Error>(plan.execute(&pool, budget, Regime::Advisory)?.earned)
        };
        Ok(Instance {
            settings: self.clone(),
            name: name.into(),
            questions: questions.to_vec(),
            budget,
            oracle: pool.oracle(budget)?.value,
            random: pool.random_exact(budget)?.value,
            cheapest_first: earned(&CheapestFirst)?,
            greedy: earned(&ValuePerCost)?,
            pool,
        })
    }
}

impl Instance {
    /// Returns the setting.
    #[must_use]
    pub const fn settings(&self) -> &Triage {
        &self.settings
    }

    /// Returns the name of the pool.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the questions in the order in which the model sees them.
    #[must_use]
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// Returns the recorded attempts.
    #[must_use]
    pub const fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Returns the budget in tokens.
    #[must_use]
    pub const fn budget(&self) -> u64 {
        self.budget
    }

    /// Returns the value of the best choice under the budget.
    #[must_use]
    pub const fn oracle(&self) -> f64 {
        self.oracle
    }

    /// Returns the expected value of a random order; see [`Pool::random_exact`].
    #[must_use]
    pub const fn random(&self) -> f64 {
        self.random
    }
}

use knapsack_oracle::{
    Alpha, Efficiency, Execution, PlanReading, PoolValues, Regime, UnsolvableCounts,
    normalized_regret,
};

use crate::{
    error::Error,
    triage::prompts::Framing,
    values::{question::Attempted, record::Record},
};

/// The record of a conversation about a pool of TRIAGE.
///
/// The run of [`Self::record`] has the plan's value by regime as scores, and the setting in its metadata.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TriageRecord {
    /// The run, and the problems of its replies.
    pub record: Record,
    /// The plan as it was read; `None` without a reply.
    pub reading: Option<PlanReading>,
    /// The executions of the plan. With recorded attempts, there is one per regime; with live attempts, there is one.
    /// Empty without a plan, or if a live execution was not completed.
    pub executions: Vec<Execution>,
    /// The attempt of each question in the conversation, if there is one.
    pub attempts: Vec<Option<Attempted>>,
    /// The regime in which problems were solved in the conversation; `None` for recorded attempts.
    pub live_regime: Option<Regime>,
    /// Whether the model was told the allocation of each problem that it solved in the conversation.
    pub is_announced: bool,
    /// The decisions of the plan about [unsolvable](crate::Checker::Unsolvable) questions; all 0 without a plan.
    pub unsolvable: UnsolvableCounts,
    /// The budget, as a share of the cost of the recorded attempts.
    pub alpha: Alpha,
    /// The framing.
    pub framing: Framing,
    /// The budget in tokens.
    pub budget: u64,
    /// The value of the best choice of problems, according to the recorded attempts.
    pub oracle: f64,
    /// The expected value of attempting the problems in random order, according to the recorded attempts.
    pub random: f64,
    /// The value of attempting problems in the order of rising cost, as long as they fit.
    pub cheapest_first: f64,
    /// The value of attempting problems in the order of falling value per cost, as long as they fit.
    pub greedy: f64,
}

impl TriageRecord {
    /// Returns how the plan was executed in a regime; `None` if it was not executed in this regime.
    #[must_use]
    pub fn execution(&self, regime: Regime) -> Option<&Execution> {
        self.executions.iter().find(|execution| execution.regime == regime)
    }

    /// Returns the triage efficiency in a regime: 1 for the oracle, and 0 for the average over random orders. A plan
    /// [above the oracle](Self::is_above_oracle) is scored like the oracle.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Undefined`] without an execution in this regime.
    pub fn efficiency(&self, regime: Regime) -> Result<Efficiency, Error> {
        self.efficiency_of(self.earned(regime)?.min(self.oracle))
    }

    /// The efficiency of a plan that earns these points.
    pub(super) fn efficiency_of(&self, achieved: f64) -> Result<Efficiency, Error> {
        let &Self { random, oracle, .. } = self;
        Ok(Efficiency::new(PoolValues { achieved, random, oracle })?)
    }

    /// Returns whether live attempts earned more than the oracle. This is possible because the oracle knows only the
    /// recorded attempts.
    #[must_use]
    pub fn is_above_oracle(&self, regime: Regime) -> bool {
        self.execution(regime).is_some_and(|execution| execution.earned > self.oracle)
    }

    /// Returns the share of the oracle's value that the plan missed in a regime; `None` if the oracle earns nothing.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::efficiency`].
    pub fn regret(&self, regime: Regime) -> Result<Option<f64>, Error> {
        let earned = self.earned(regime)?.min(self.oracle);
        if self.oracle == 0.0 {
            return Ok(None);
        }
        Ok(Some(normalized_regret(earned, self.oracle)?))
    }

    pub(super) fn earned(&self, regime: Regime) -> Result<f64, Error> {
        let undefined = scoring_rules::checks::undefined(
            "the triage efficiency",
            "the conversation has no execution in this regime",
        );
        Ok(self.execution(regime).map(|execution| execution.earned).ok_or(undefined)?)
    }
}

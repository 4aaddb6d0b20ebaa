use std::collections::BTreeMap;

use knapsack_oracle::{Alpha, Regime};
use scoring_rules::{ExactMean, Level, Weight};

use crate::{
    error::Error,
    triage::{outcome::TriageRecord, settings::Framing},
    values::figure::{Figure, figures},
};

/// Efficiency and regret in the advisory and in the enforced regime.
const MEANS: usize = 4;

/// Mean efficiency and regret by model, framing and budget.
///
/// Reference: TRIAGE, sections 4 and 5.1, and appendix D.3: a pool in which nothing can be earned has an
/// efficiency of 1 and no regret. Pools without a plan that can be read are left out and counted (appendix B).
///
/// ```
/// use agent_benchmarks::Level;
/// use agent_benchmarks::triage::TriageTable;
///
/// assert_eq!(TriageTable::default().finish(Level::new(0.95)?, 1_000, 7)?, vec![]);
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriageTable {
    groups: BTreeMap<(String, Framing, Alpha), Group>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Group {
    without_plan: usize,
    without_reply: usize,
    above_oracle: usize,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq)]
struct Row {
    pool: String,
    weight: f64,
    values: [Option<f64>; MEANS],
}

/// A row of a [`TriageTable`]. Figures that no pool defines are `None`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TriageFigures {
    /// The model.
    pub model: String,
    /// The framing of the prompt.
    pub framing: Framing,
    /// The share of the costs that is the budget.
    pub alpha: Alpha,
    /// The number of pools with a plan.
    pub pools: usize,
    /// The number of pools left out because the reply has no plan.
    pub without_plan: usize,
    /// The number of pools left out because the model gave no reply.
    pub without_reply: usize,
    /// The number of executions of real attempts that earned more than the oracle, which knows the
    /// recorded attempts only; they are left out of the enforced figures.
    pub above_oracle: usize,
    /// The mean efficiency with allocations as advice; 1 is the best plan, 0 a random order.
    pub efficiency_advisory: Option<Figure>,
    /// The mean efficiency with allocations as limits.
    pub efficiency_enforced: Option<Figure>,
    /// The mean regret with allocations as advice, in [0, 1]; lower is better.
    pub regret_advisory: Option<Figure>,
    /// The mean regret with allocations as limits, in [0, 1]; lower is better.
    pub regret_enforced: Option<Figure>,
}

impl TriageTable {
    /// Adds a pool of a model.
    pub fn update(&mut self, model: &str, record: &TriageRecord) {
        self.update_weighted(model, record, Weight::ONE);
    }

    /// Adds a pool that counts `weight` times in all means.
    pub fn update_weighted(&mut self, model: &str, record: &TriageRecord, weight: Weight) {
        let key = (model.to_owned(), record.framing, record.alpha);
        let group = self.groups.entry(key).or_default();
        if record.record.run.error.is_some() || record.reading.is_none() {
            group.without_reply += 1;
            return;
        }
        if record.advisory.is_none() {
            group.without_plan += 1;
            return;
        }
        let mut above = false;
        let mut value = |found: Result<Option<f64>, Error>| {
            above |= found.is_err();
            found.ok().flatten()
        };
        let efficiency = |regime| record.efficiency(regime).map(|it| it.map(|it| it.score()));
        let values = [
            value(efficiency(Regime::Advisory)),
            value(efficiency(Regime::Enforced)),
            value(record.regret(Regime::Advisory)),
            value(record.regret(Regime::Enforced)),
        ];
        group.above_oracle += usize::from(above);
        let pool = record.pool_id().to_owned();
        group.rows.push(Row { pool, weight: weight.get(), values });
    }

    /// Adds all pools of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (key, group) in &other.groups {
            let own = self.groups.entry(key.clone()).or_default();
            own.without_plan += group.without_plan;
            own.without_reply += group.without_reply;
            own.above_oracle += group.above_oracle;
            own.rows.extend_from_slice(&group.rows);
        }
    }

    /// The rows, sorted by model, framing and budget, with intervals that cover at this level. Pools are
    /// resampled; the result does not depend on their order.
    ///
    /// # Errors
    ///
    /// [`Error::TrajectoryMetrics`] for more than 10 million resamples.
    ///
    /// # Complexity
    ///
    /// The number of pools times the number of resamples.
    pub fn finish(
        &self,
        level: Level,
        resamples: usize,
        seed: u64,
    ) -> Result<Vec<TriageFigures>, Error> {
        let row = |((model, framing, alpha), group): (&(String, Framing, Alpha), &Group)| {
            let pools: Vec<&str> = group.rows.iter().map(|row| row.pool.as_str()).collect();
            let of = |counts: &[u32]| group.means(counts);
            let [efficiency_advisory, efficiency_enforced, regret_advisory, regret_enforced] =
                figures(&pools, of, level, resamples, seed)?;
            Ok(TriageFigures {
                model: model.clone(),
                framing: *framing,
                alpha: *alpha,
                pools: group.rows.len(),
                without_plan: group.without_plan,
                without_reply: group.without_reply,
                above_oracle: group.above_oracle,
                efficiency_advisory,
                efficiency_enforced,
                regret_advisory,
                regret_enforced,
            })
        };
        self.groups.iter().map(row).collect()
    }
}

impl Group {
    fn means(&self, counts: &[u32]) -> [Result<f64, trajectory_metrics::Error>; MEANS] {
        std::array::from_fn(|column| {
            let mut mean = ExactMean::default();
            for (row, &count) in self.rows.iter().zip(counts).filter(|(_, count)| **count > 0) {
                if let Some(value) = row.values[column] {
                    mean.update_weighted(value, Weight::new(row.weight * f64::from(count))?)?;
                }
            }
            Ok(mean.finish()?)
        })
    }
}

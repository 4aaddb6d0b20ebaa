use std::collections::BTreeMap;

use knapsack_oracle::{Alpha, PlanReading, Regime};
use scoring_rules::{ExactMean, Level, Seed, Weight};
use trajectory_metrics::{Better, Clustered, Figure, Intervals, Measure, Metric, Undefined};

use crate::{
    error::Error,
    triage::{outcome::TriageRecord, settings::Framing},
    values::figures,
};

/// The figures of TRIAGE for any number of models, budgets, framings and regimes.
///
/// ```
/// use agent_benchmarks::{Attempted, Checker, Level, Question, Reply, Seed, converse, model_from_fn};
/// use agent_benchmarks::triage::{Alpha, Triage, TriageTable};
///
/// let checker = Checker::Numeric { answer: 42.0, tolerance: 0.0 };
/// let attempt = Attempted { output_tokens: 300, solved: true };
/// let questions = ["a", "b"].map(|id| {
///     Question::new(id, "What is 6 times 7?", checker.clone()).with_recorded(attempt)
/// });
/// let instance = Triage::new(Alpha::new(0.5)?).instance("pool 1", &questions)?;
/// let model = model_from_fn(|_| {
///     let text = r#"{"plan": [{"id": "a", "allocation": 300}]}"#.to_owned();
///     Ok(Reply { text, ..Reply::default() })
/// });
/// let mut table = TriageTable::default();
/// table.update("planner", &converse(instance.conversation(), model)?)?;
/// let rows = table.finish(Level::new(0.95)?, 100, Seed::new(7))?;
/// let efficiency = rows[1].figure("efficiency").map(|figure| figure.value);
/// assert_eq!((rows.len(), efficiency), (2, Some(1.0)));
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriageTable {
    groups: BTreeMap<Key, Group>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    model: String,
    alpha: Alpha,
    framing: Framing,
    is_live: bool,
    is_enforced: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Group {
    /// The values of each of [`METRICS`] by pool.
    values: [Clustered<String, f64>; 3],
    over_budget: usize,
    unreadable: usize,
    unfinished: usize,
    above_oracle: usize,
}

/// The places of the means in [`METRICS`].
const EFFICIENCY: usize = 0;
const INFORMATIVE: usize = 1;
const REGRET: usize = 2;

const METRICS: [Metric<ExactMean>; 3] = [
    Metric::new(
        "efficiency",
        "triage efficiency",
        Better::Higher,
        "Mean triage efficiency over pools, at most 1; a pool in which every order earns what the oracle earns counts 1 if the plan earns it too, and 0 otherwise.",
        mean,
    ),
    Metric::new(
        "efficiency_informative",
        "triage efficiency of informative pools",
        Better::Higher,
        "Mean triage efficiency over the pools in which some orders earn more than others.",
        mean,
    ),
    Metric::new(
        "regret",
        "regret",
        Better::Lower,
        "Mean normalized regret over the pools whose oracle earns something, in [0, 1].",
        mean,
    ),
];

fn mean(mean: &ExactMean) -> Result<f64, Undefined> {
    mean.finish().map_err(|_| Undefined::new("no pool defines it"))
}

/// A row of a [`TriageTable`].
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct TriageFigures {
    /// The model.
    pub model: String,
    /// The share of the budget.
    pub alpha: Alpha,
    /// The framing.
    pub framing: Framing,
    /// The regime.
    pub regime: Regime,
    /// Whether the problems were solved in the conversation.
    pub is_live: bool,
    /// The number of pools in the mean efficiency.
    pub pools: usize,
    /// The number of pools in which some orders earn more than others.
    pub informative_pools: usize,
    /// The mean efficiency over all pools and over the informative ones, and the mean regret, each with the
    /// interval that resamples pools, or the reason why it is undefined.
    #[serde(serialize_with = "figures::serialize")]
    pub figures: Vec<(Measure, Result<Figure, Undefined>)>,
    /// The number of plans that allot more than the budget. They are executed and counted in the
    /// means.
    pub over_budget: usize,
    /// The number of replies without a readable plan, which are left out of the means.
    pub unreadable: usize,
    /// The number of conversations left out because the model gave no reply, or no execution could
    /// be completed.
    pub unfinished: usize,
    /// The number of live executions left out because they earned more than the recorded attempts
    /// allow.
    pub above_oracle: usize,
}

impl TriageFigures {
    /// The figure of the metric with this key; `None` if it is undefined or if no metric has the key.
    #[must_use]
    pub fn figure(&self, key: &str) -> Option<Figure> {
        figures::figure(&self.figures, key)
    }
}

impl TriageTable {
    /// Adds the conversation of a model about one pool.
    ///
    /// # Errors
    ///
    /// Those of [`TriageRecord::efficiency`], except that live attempts that earn more than the
    /// recorded ones can are counted.
    pub fn update(&mut self, model: &str, record: &TriageRecord) -> Result<(), Error> {
        self.update_weighted(model, record, Weight::ONE)
    }

    /// Adds a conversation that counts `weight` times in the means.
    ///
    /// # Errors
    ///
    /// As [`Self::update`].
    pub fn update_weighted(
        &mut self,
        model: &str,
        record: &TriageRecord,
        weight: Weight,
    ) -> Result<(), Error> {
        for regime in [Regime::Advisory, Regime::Enforced] {
            if record.live_regime.is_some_and(|live| live != regime) {
                continue;
            }
            let key = Key {
                model: model.to_owned(),
                alpha: record.alpha,
                framing: record.framing,
                is_live: record.live_regime.is_some(),
                is_enforced: regime == Regime::Enforced,
            };
            self.groups.entry(key).or_default().add(record, regime, weight)?;
        }
        Ok(())
    }

    /// Adds all conversations of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (key, group) in &other.groups {
            let own = self.groups.entry(key.clone()).or_default();
            let values = own.values.iter_mut().zip(&group.values);
            values.for_each(|(own, values)| own.merge(values));
            own.over_budget += group.over_budget;
            own.unreadable += group.unreadable;
            own.unfinished += group.unfinished;
            own.above_oracle += group.above_oracle;
        }
    }

    /// The rows, sorted by model, budget, framing and regime, with intervals that cover at this
    /// level. Pools are resampled.
    ///
    /// # Errors
    ///
    /// [`Error::TrajectoryMetrics`] for more than 10 million resamples.
    pub fn finish(
        &self,
        level: Level,
        resamples: usize,
        seed: Seed,
    ) -> Result<Vec<TriageFigures>, Error> {
        let how = Some(Intervals { level, resamples, seed });
        let rows = self.groups.iter().map(|(key, group)| {
            Ok(TriageFigures {
                model: key.model.clone(),
                alpha: key.alpha,
                framing: key.framing,
                regime: if key.is_enforced { Regime::Enforced } else { Regime::Advisory },
                is_live: key.is_live,
                pools: group.values[EFFICIENCY].len(),
                informative_pools: group.values[INFORMATIVE].len(),
                figures: group.figures(how)?,
                over_budget: group.over_budget,
                unreadable: group.unreadable,
                unfinished: group.unfinished,
                above_oracle: group.above_oracle,
            })
        });
        rows.collect()
    }
}

impl Group {
    fn add(&mut self, record: &TriageRecord, regime: Regime, weight: Weight) -> Result<(), Error> {
        if record.execution(regime).is_none() {
            let is_read = record.reading.as_ref().is_none_or(|reading| reading.plan().is_some());
            *(if is_read { &mut self.unfinished } else { &mut self.unreadable }) += 1;
            return Ok(());
        }
        let efficiency = match record.efficiency(regime) {
            Ok(efficiency) => efficiency,
            Err(Error::KnapsackOracle(_)) if record.live_regime.is_some() => {
                self.above_oracle += 1;
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let pool = record.pool_name();
        if let Some(regret) = record.regret(regime)? {
            self.values[REGRET].update(pool.to_owned(), weight, regret);
        }
        if let Some(informative) = efficiency.informative() {
            self.values[INFORMATIVE].update(pool.to_owned(), weight, informative);
        }
        self.values[EFFICIENCY].update(pool.to_owned(), weight, efficiency.score());
        if matches!(record.reading, Some(PlanReading::OverBudget { .. })) {
            self.over_budget += 1;
        }
        Ok(())
    }
    fn figures(&self, how: Option<Intervals>) -> Result<figures::Figures, Error> {
        let add = |mean: &mut ExactMean, value: &f64, weight| {
            Ok::<_, Error>(mean.update_weighted(*value, weight)?)
        };
        let mut figures = Vec::with_capacity(METRICS.len());
        for (metric, values) in METRICS.iter().zip(&self.values) {
            let found = values.figures(&[*metric], &ExactMean::default(), add, how)?;
            figures.extend(found.into_iter().map(|figure| (metric.measure, figure)));
        }
        Ok(figures)
    }
}

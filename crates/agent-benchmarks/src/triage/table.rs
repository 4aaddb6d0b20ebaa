use std::collections::BTreeMap;

use knapsack_oracle::{Alpha, Efficiency, PlanReading, Regime};
use scoring_rules::{ExactMean, Level, Seed, Weight};
use trajectory_metrics::{Better, Clustered, Figure, Intervals, Measure, Metric, Undefined};

use crate::{
    error::Error,
    triage::{framing::Framing, outcome::TriageRecord},
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
    is_announced: bool,
    is_enforced: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Group {
    /// The values of each of [`METRICS`] by pool.
    values: [Clustered<String, f64>; METRICS.len()],
    over_budget: usize,
    unreadable: usize,
    unfinished: usize,
    above_oracle: usize,
}

/// The places of some means in [`METRICS`].
const EFFICIENCY: usize = 0;
const INFORMATIVE: usize = 1;
/// From here on, the means of pools with unsolvable problems, which are left out without such a pool.
const DETECTION: usize = 10;
const WASTE: usize = 11;

const METRICS: [Metric<ExactMean>; 12] = [
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
    Metric::new(
        "earned",
        "points of a pool",
        Better::Higher,
        "Mean points that the plan earns.",
        mean,
    ),
    Metric::new(
        "earned_random",
        "points in random order",
        Better::Neither,
        "Mean points that the problems earn in random order until one does not fit.",
        mean,
    ),
    Metric::new(
        "earned_cheapest_first",
        "points, cheapest first",
        Better::Neither,
        "Mean points of a planner that knows all costs and attempts the cheapest problems that fit, solvable or not.",
        mean,
    ),
    Metric::new(
        "earned_greedy",
        "points, value per cost",
        Better::Neither,
        "Mean points of a planner that knows all costs and attempts the problems of the most points per token that fit, solvable or not.",
        mean,
    ),
    Metric::new(
        "earned_oracle",
        "points of the oracle",
        Better::Neither,
        "Mean points of the best plan, which knows costs and outcomes.",
        mean,
    ),
    Metric::new(
        "efficiency_cheapest_first",
        "triage efficiency, cheapest first",
        Better::Neither,
        "Mean triage efficiency of the planner that attempts the cheapest problems that fit.",
        mean,
    ),
    Metric::new(
        "efficiency_greedy",
        "triage efficiency, value per cost",
        Better::Neither,
        "Mean triage efficiency of the planner that attempts the problems of the most points per token.",
        mean,
    ),
    Metric::new(
        "detection_rate",
        "unsolvable problems left out",
        Better::Higher,
        "Share of the unsolvable problems that the plans leave out.",
        mean,
    )
    .within(0.0, 1.0),
    Metric::new(
        "waste_rate",
        "tokens for unsolvable problems",
        Better::Lower,
        "Share of all allocated tokens that goes to unsolvable problems.",
        mean,
    )
    .within(0.0, 1.0),
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
    /// Whether their allocations were announced while they were solved.
    pub is_announced: bool,
    /// The number of pools in the mean efficiency.
    pub pools: usize,
    /// The number of pools in which some orders earn more than others.
    pub informative_pools: usize,
    /// The mean efficiency over all pools and over the informative ones, the mean regret, the points of the plan and
    /// of the planners beside it, and what plans do with unsolvable problems where there are any: each with the interval
    /// that resamples pools, or the reason why it is undefined.
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
    /// The number of live executions that earned more than the recorded attempts allow. They count as the oracle.
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
    /// [`Error::KnapsackOracle`] for a record whose public fields contradict each other.
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
                is_announced: record.is_announced,
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
                is_announced: key.is_announced,
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
        let &TriageRecord { random, cheapest_first, greedy, oracle, unsolvable, .. } = record;
        let efficiency = record.efficiency(regime)?;
        let of = |earned| Ok::<_, Error>(Some(Efficiency::new(earned, random, oracle)?.score()));
        let values = [
            Some(efficiency.score()),
            efficiency.informative(),
            record.regret(regime)?,
            Some(record.earned(regime)?),
            Some(random),
            Some(cheapest_first),
            Some(greedy),
            Some(oracle),
            of(cheapest_first)?,
            of(greedy)?,
            unsolvable.detection_rate().ok(),
            unsolvable.waste_rate().ok().filter(|_| unsolvable.unsolvable > 0),
        ];
        for (place, value) in values.into_iter().enumerate() {
            let Some(value) = value else { continue };
            // Rates are those of all pools together: a pool counts as much as it has in the denominator.
            let share = match place {
                DETECTION => unsolvable.unsolvable as f64,
                WASTE => unsolvable.allocated as f64,
                _ => 1.0,
            };
            let weight = Weight::new(weight.get() * share)?;
            self.values[place].update(record.pool_name().to_owned(), weight, value);
        }
        self.above_oracle += usize::from(record.is_above_oracle(regime));
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
        for (place, (metric, values)) in METRICS.iter().zip(&self.values).enumerate() {
            if place >= DETECTION && self.values[DETECTION].is_empty() {
                break;
            }
            let found = values.figures(&[*metric], &ExactMean::default(), add, how)?;
            figures.extend(found.into_iter().map(|figure| (metric.measure, figure)));
        }
        Ok(figures)
    }
}

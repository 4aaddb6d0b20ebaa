use std::collections::BTreeMap;

use knapsack_oracle::{Alpha, Efficiency, PlanReading, Regime, UnsolvableCounts};
use scoring_rules::{ExactMean, Level, Seed, Weight};
use trajectory_metrics::{Better, Clustered, Figure, Intervals, Measure, Metric, Undefined};

use crate::{
    error::Error,
    triage::{framing::Framing, outcome::TriageRecord},
    values::figures,
};

/// The statistics of TRIAGE for any number of models, budgets, framings and regimes.
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
    /// The values of each of [`METRICS`], by pool.
    values: [Clustered<String, f64>; METRICS.len()],
    pools: usize,
    informative_pools: usize,
    over_budget: usize,
    unreadable: usize,
    unfinished: usize,
    above_oracle: usize,
}

/// A metric of pools, and the function that computes it for one pool; `None` for a pool in which it is undefined.
#[derive(Clone, Copy)]
struct OfPools {
    metric: Metric<ExactMean>,
    value: fn(&OfPool<'_>) -> Option<f64>,
    /// The weight of a pool in a rate over all pools; the rate is left out if there is no unsolvable problem.
    denominator: Option<fn(&UnsolvableCounts) -> f64>,
}

impl OfPools {
    const fn new(
        key: &'static str,
        label: &'static str,
        better: Better,
        help: &'static str,
        value: fn(&OfPool<'_>) -> Option<f64>,
    ) -> Self {
        Self { metric: Metric::new(key, label, better, help, mean), value, denominator: None }
    }

    const fn share(self) -> Self {
        Self { metric: self.metric.within(0.0, 1.0), ..self }
    }

    const fn weighted(mut self, denominator: fn(&UnsolvableCounts) -> f64) -> Self {
        self.denominator = Some(denominator);
        self
    }
}

/// The data for the metrics of a pool.
struct OfPool<'a> {
    record: &'a TriageRecord,
    efficiency: Efficiency,
    cheapest_first: Efficiency,
    greedy: Efficiency,
    regret: Option<f64>,
    earned: f64,
}

const METRICS: [OfPools; 12] = [
    OfPools::new(
        "efficiency",
        "triage efficiency",
        Better::Higher,
        "Mean triage efficiency over pools, at most 1; a pool in which every order earns what the oracle earns counts 1 if the plan earns it too, and 0 otherwise.",
        |pool| Some(pool.efficiency.score()),
    ),
    OfPools::new(
        "efficiency_informative",
        "triage efficiency of informative pools",
        Better::Higher,
        "Mean triage efficiency over the pools in which some orders earn more than others.",
        |pool| pool.efficiency.informative(),
    ),
    OfPools::new(
        "regret",
        "regret",
        Better::Lower,
        "Mean normalized regret over the pools whose oracle earns something, in [0, 1].",
        |pool| pool.regret,
    ),
    OfPools::new(
        "earned",
        "points of a pool",
        Better::Higher,
        "Mean points that the plan earns.",
        |pool| Some(pool.earned),
    ),
    OfPools::new(
        "earned_random",
        "points in random order",
        Better::Neither,
        "Mean points that the problems earn in random order until one does not fit.",
        |pool| Some(pool.record.random),
    ),
    OfPools::new(
        "earned_cheapest_first",
        "points, cheapest first",
        Better::Neither,
        "Mean points of a planner that knows all costs and attempts the cheapest problems that fit, solvable or not.",
        |pool| Some(pool.record.cheapest_first),
    ),
    OfPools::new(
        "earned_greedy",
        "points, value per cost",
        Better::Neither,
        "Mean points of a planner that knows all costs and attempts the problems of the most points per token that fit, solvable or not.",
        |pool| Some(pool.record.greedy),
    ),
    OfPools::new(
        "earned_oracle",
        "points of the oracle",
        Better::Neither,
        "Mean points of the best plan, which knows costs and outcomes.",
        |pool| Some(pool.record.oracle),
    ),
    OfPools::new(
        "efficiency_cheapest_first",
        "triage efficiency, cheapest first",
        Better::Neither,
        "Mean triage efficiency of the planner that attempts the cheapest problems that fit.",
        |pool| Some(pool.cheapest_first.score()),
    ),
    OfPools::new(
        "efficiency_greedy",
        "triage efficiency, value per cost",
        Better::Neither,
        "Mean triage efficiency of the planner that attempts the problems of the most points per token.",
        |pool| Some(pool.greedy.score()),
    ),
    OfPools::new(
        "detection_rate",
        "unsolvable problems left out",
        Better::Higher,
        "Share of the unsolvable problems that the plans leave out.",
        |pool| pool.record.unsolvable.detection_rate().ok(),
    )
    .share()
    .weighted(|unsolvable| unsolvable.unsolvable as f64),
    OfPools::new(
        "waste_rate",
        "tokens for unsolvable problems",
        Better::Lower,
        "Share of all allocated tokens that goes to unsolvable problems.",
        |pool| {
            let unsolvable = pool.record.unsolvable;
            unsolvable.waste_rate().ok().filter(|_| unsolvable.unsolvable > 0)
        },
    )
    .share()
    .weighted(|unsolvable| unsolvable.allocated as f64),
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
    /// The mean efficiency over all pools and over the informative ones, the mean regret, the points of the plan and of the
    /// reference planners, and the decisions of plans about unsolvable problems if there are any: each with the interval that
    /// resamples pools, or the reason why it is undefined.
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
    /// Returns the figure of the metric with this key; `None` if the figure is undefined or no metric has the key.
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
            self.groups.entry(key).or_default().add(record, regime)?;
        }
        Ok(())
    }

    /// Returns the rows, sorted by model, budget, framing and regime, with intervals at this nominal coverage. Pools are
    /// resampled.
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
                pools: group.pools,
                informative_pools: group.informative_pools,
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
    fn add(&mut self, record: &TriageRecord, regime: Regime) -> Result<(), Error> {
        if record.execution(regime).is_none() {
            let is_read = record.reading.as_ref().is_none_or(|reading| reading.plan().is_some());
            *(if is_read { &mut self.unfinished } else { &mut self.unreadable }) += 1;
            return Ok(());
        }
        let of = |earned| Efficiency::new(earned, record.random, record.oracle);
        let pool = OfPool {
            record,
            efficiency: record.efficiency(regime)?,
            cheapest_first: of(record.cheapest_first)?,
            greedy: of(record.greedy)?,
            regret: record.regret(regime)?,
            earned: record.earned(regime)?,
        };
        for (OfPools { value, denominator, .. }, values) in METRICS.iter().zip(&mut self.values) {
            let Some(value) = value(&pool) else { continue };
            let weight = Weight::new(denominator.map_or(1.0, |of| of(&record.unsolvable)))?;
            values.update(record.pool_name().to_owned(), weight, value);
        }
        self.pools += 1;
        self.informative_pools += usize::from(pool.efficiency.informative().is_some());
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
        let mut rates = METRICS.iter().zip(&self.values).filter(|(of, _)| of.denominator.is_some());
        let has_unsolvable = rates.any(|(_, values)| !values.is_empty());
        for (OfPools { metric, denominator, .. }, values) in METRICS.iter().zip(&self.values) {
            if denominator.is_some() && !has_unsolvable {
                continue;
            }
            let found = values.figures(&[*metric], &ExactMean::default(), add, how)?;
            figures.extend(found.into_iter().map(|figure| (metric.measure, figure)));
        }
        Ok(figures)
    }
}

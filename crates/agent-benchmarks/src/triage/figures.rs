use std::{array, collections::BTreeMap};

use knapsack_oracle::{Alpha, PlanReading, Regime, UnsolvableCounts};
use scoring_rules::{ExactMean, Weight};
use trajectory_metrics::{Better, Clustered, Figure, Intervals, Metric, Undefined};

use crate::{
    error::Error,
    triage::{outcome::TriageRecord, prompts::Framing},
    values::record::{Figures, figure},
};

/// A metric of pools, and its value for the plan of one pool; `None` for a pool in which it is undefined.
#[derive(Clone, Copy)]
struct OfPools {
    metric: Metric<ExactMean>,
    value: fn(&TriageRecord, Regime) -> Result<Option<f64>, Error>,
    /// The weight of a pool in a rate over all pools; the rate is left out if there is no unsolvable problem.
    denominator: Option<fn(&UnsolvableCounts) -> f64>,
}

impl OfPools {
    const fn new(
        key: &'static str,
        label: &'static str,
        better: Better,
        help: &'static str,
        value: fn(&TriageRecord, Regime) -> Result<Option<f64>, Error>,
    ) -> Self {
        let mean =
            |mean: &ExactMean| mean.finish().map_err(|_| Undefined::new("no pool defines it"));
        Self { metric: Metric::new(key, label, better, help, mean), value, denominator: None }
    }

    const fn weighted(mut self, denominator: fn(&UnsolvableCounts) -> f64) -> Self {
        (self.metric, self.denominator) = (self.metric.within(0.0, 1.0), Some(denominator));
        self
    }
}

const METRICS: [OfPools; 12] = [
    OfPools::new(
        "efficiency",
        "triage efficiency",
        Better::Higher,
        "Mean triage efficiency over pools, at most 1. If every order of a pool earns as much as the oracle, the pool counts as 1 if the plan earns as much too, and as 0 otherwise.",
        |it, regime| Ok(Some(it.efficiency(regime)?.score())),
    ),
    OfPools::new(
        "efficiency_informative",
        "triage efficiency of informative pools",
        Better::Higher,
        "Mean triage efficiency over the pools in which some orders earn more than others.",
        |it, regime| Ok(it.efficiency(regime)?.informative()),
    ),
    OfPools::new(
        "regret",
        "regret",
        Better::Lower,
        "Mean normalized regret over the pools whose oracle earns something, in [0, 1].",
        TriageRecord::regret,
    ),
    OfPools::new(
        "earned",
        "points of a pool",
        Better::Higher,
        "Mean points that the plan earns.",
        |it, regime| Ok(Some(it.earned(regime)?)),
    ),
    OfPools::new(
        "earned_random",
        "points in random order",
        Better::Neither,
        "Mean points of attempting the problems in random order until one does not fit the budget.",
        |it, _| Ok(Some(it.random)),
    ),
    OfPools::new(
        "earned_cheapest_first",
        "points, cheapest first",
        Better::Neither,
        "Mean points of a planner that knows all costs and attempts the cheapest problems that fit, solvable or not.",
        |it, _| Ok(Some(it.cheapest_first)),
    ),
    OfPools::new(
        "earned_greedy",
        "points, value per cost",
        Better::Neither,
        "Mean points of a planner that knows all costs and attempts the problems with the most points per token that fit, solvable or not.",
        |it, _| Ok(Some(it.greedy)),
    ),
    OfPools::new(
        "earned_oracle",
        "points of the oracle",
        Better::Neither,
        "Mean points of the best plan, which knows costs and outcomes.",
        |it, _| Ok(Some(it.oracle)),
    ),
    OfPools::new(
        "efficiency_cheapest_first",
        "triage efficiency, cheapest first",
        Better::Neither,
        "Mean triage efficiency of the planner that attempts the cheapest problems that fit.",
        |it, _| Ok(Some(it.efficiency_of(it.cheapest_first)?.score())),
    ),
    OfPools::new(
        "efficiency_greedy",
        "triage efficiency, value per cost",
        Better::Neither,
        "Mean triage efficiency of the planner that attempts the problems with the most points per token.",
        |it, _| Ok(Some(it.efficiency_of(it.greedy)?.score())),
    ),
    OfPools::new(
        "detection_rate",
        "unsolvable problems left out",
        Better::Higher,
        "Share of the unsolvable problems that the plans leave out.",
        |it, _| Ok(it.unsolvable.detection_rate().ok()),
    )
    .weighted(|unsolvable| unsolvable.unsolvable as f64),
    OfPools::new(
        "waste_rate",
        "tokens for unsolvable problems",
        Better::Lower,
        "Share of all allocated tokens that goes to unsolvable problems.",
        |it, _| Ok(it.unsolvable.waste_rate().ok().filter(|_| it.unsolvable.unsolvable > 0)),
    )
    .weighted(|unsolvable| unsolvable.allocated as f64),
];

/// The values of each of [`METRICS`] by pool.
type Values = [Clustered<String, f64>; METRICS.len()];

/// The statistics of a model's plans for pools with the same budget, framing and regime.
///
/// ```
/// use agent_benchmarks::{Attempted, Checker, Level, Question, Reply, Request, Seed, converse};
/// use agent_benchmarks::triage::{Alpha, Triage, TriageFigures};
/// use trajectory_metrics::Intervals;
///
/// let checker = Checker::Numeric { answer: 42.0, tolerance: 0.0 };
/// let attempt = Attempted { output_tokens: 300, solved: true };
/// let questions = ["a", "b"].map(|id| {
///     Question::new(id, "What is 6 times 7?", checker.clone()).with_recorded(attempt)
/// });
/// let instance = Triage::new(Alpha::new(0.5)?).instance("pool 1", &questions)?;
/// let model = |_: &Request| {
///     let text = r#"{"plan": [{"id": "a", "allocation": 300}]}"#.to_owned();
///     Ok(Reply { text, ..Reply::default() })
/// };
/// let records = [converse(instance.conversation(), model)?];
/// let how = Intervals { level: Level::new(0.95)?, resamples: 100, seed: Seed(7) };
/// let rows = TriageFigures::of(&records, how)?;
/// let efficiency = rows[1].figure("efficiency").map(|figure| figure.value);
/// assert_eq!((rows.len(), efficiency), (2, Some(1.0)));
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TriageFigures {
    /// The budget, as a share of the cost of the recorded attempts.
    pub alpha: Alpha,
    /// The framing.
    pub framing: Framing,
    /// The regime.
    pub regime: Regime,
    /// Whether the problems were solved in the conversation.
    pub is_live: bool,
    /// Whether the model was told the allocation of each problem while it solved the problem.
    pub is_announced: bool,
    /// The number of pools over which the mean efficiency is taken.
    pub pools: usize,
    /// The number of pools in which the order of the problems changes the value that a plan earns.
    pub informative_pools: usize,
    /// The metrics, each with an interval from resampled pools, or the reason why it is undefined: the mean efficiency
    /// over all pools and over informative pools, the mean regret, the points of the plan and of the reference
    /// planners, and, if there are unsolvable problems, the decisions of plans about them.
    pub figures: Figures,
    /// The number of plans that allot more than the budget. They are executed and counted in the
    /// means.
    pub over_budget: usize,
    /// The number of replies without a readable plan, which are left out of the means.
    pub unreadable: usize,
    /// The number of conversations left out because the model gave no reply, or no execution could
    /// be completed.
    pub unfinished: usize,
    /// The number of live executions that earned more than the recorded attempts allow. They are scored as if they had
    /// earned the value of the oracle.
    pub above_oracle: usize,
}

impl TriageFigures {
    /// Returns the figures of one model's conversations: one entry for each budget, framing, kind of attempts and
    /// regime, sorted in this order. Intervals come from a bootstrap that resamples pools.
    ///
    /// # Errors
    ///
    /// [`Error::ScoringRules`] for a record whose public fields contradict each other, and for more than 10 million
    /// resamples.
    pub fn of<'a>(
        records: impl IntoIterator<Item = &'a TriageRecord>,
        how: Intervals,
    ) -> Result<Vec<Self>, Error> {
        let mut groups: BTreeMap<_, (Self, Values)> = BTreeMap::new();
        for record in records {
            for regime in [Regime::Advisory, Regime::Enforced] {
                let TriageRecord { alpha, framing, live_regime, is_announced, .. } = *record;
                if live_regime.is_some_and(|live| live != regime) {
                    continue;
                }
                let is_live = live_regime.is_some();
                let key = (alpha, framing, is_live, is_announced, regime == Regime::Enforced);
                let empty = || Self {
                    alpha,
                    framing,
                    regime,
                    is_live,
                    is_announced,
                    pools: 0,
                    informative_pools: 0,
                    figures: Vec::new(),
                    over_budget: 0,
                    unreadable: 0,
                    unfinished: 0,
                    above_oracle: 0,
                };
                let (row, values) = groups
                    .entry(key)
                    .or_insert_with(|| (empty(), array::from_fn(|_| Clustered::default())));
                row.add(record, values)?;
            }
        }
        let rows = groups.into_values().map(|(mut row, values)| {
            row.figures = figures(&values, how)?;
            Ok(row)
        });
        rows.collect()
    }

    /// Returns the figure of the metric with this key; `None` if the figure is undefined or no metric has the key.
    #[must_use]
    pub fn figure(&self, key: &str) -> Option<Figure> {
        figure(&self.figures, key)
    }

    fn add(&mut self, record: &TriageRecord, values: &mut Values) -> Result<(), Error> {
        if record.execution(self.regime).is_none() {
            let is_read = record.reading.as_ref().is_none_or(|reading| reading.plan().is_some());
            *(if is_read { &mut self.unfinished } else { &mut self.unreadable }) += 1;
            return Ok(());
        }
        for (OfPools { value, denominator, .. }, values) in METRICS.iter().zip(values) {
            let Some(value) = value(record, self.regime)? else { continue };
            let weight = Weight::new(denominator.map_or(1.0, |of| of(&record.unsolvable)))?;
            values.update(record.record.run.id.clone(), weight, value);
        }
        self.pools += 1;
        let is_informative = record.efficiency(self.regime)?.informative().is_some();
        self.informative_pools += usize::from(is_informative);
        self.above_oracle += usize::from(record.is_above_oracle(self.regime));
        self.over_budget +=
            usize::from(matches!(record.reading, Some(PlanReading::OverBudget { .. })));
        Ok(())
    }
}

fn figures(values: &Values, how: Intervals) -> Result<Figures, Error> {
    let add = |mean: &mut ExactMean, value: &f64, weight| {
        Ok::<_, Error>(mean.update_weighted(*value, weight)?)
    };
    let mut figures = Vec::with_capacity(METRICS.len());
    let mut rates = METRICS.iter().zip(values).filter(|(of, _)| of.denominator.is_some());
    let has_unsolvable = rates.any(|(_, values)| !values.is_empty());
    for (OfPools { metric, denominator, .. }, values) in METRICS.iter().zip(values) {
        if denominator.is_none() || has_unsolvable {
            let found = values.figures(&[*metric], &ExactMean::default(), add, Some(how))?;
            figures.extend(found.into_iter().map(|figure| (metric.measure, figure)));
        }
    }
    Ok(figures)
}

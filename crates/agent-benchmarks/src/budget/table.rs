use std::collections::BTreeMap;

use budget_estimation::{
    FeasibilitySummary, IntervalSummary, Metrics, MetricsSummary, Resource, Rollouts, Sample,
};
use scoring_rules::{Level, Seed, Weight};
use trajectory_metrics::{Better, Clustered, Figure, Intervals, Measure, Metric, Undefined};

use crate::{budget::outcome::BudgetRecord, error::Error, values::figures};

/// The figures of budget estimation for any number of models, estimators and resources.
///
/// ```
/// use agent_benchmarks::{Level, Reply, Seed, converse, model_from_fn};
/// use agent_benchmarks::budget::{Budget, BudgetTable, ResourceKind, Rollouts};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// let tokens = rollouts.resource("tokens")?;
/// for run in 0_u32..4 {
///     rollouts.push(&[10.0, f64::from(run), 20.0], run > 0)?;
/// }
/// let setting = Budget::new([("tokens", ResourceKind::Tokens)])?;
/// let pessimist = model_from_fn(|_| {
///     Ok(Reply { text: "<answer>impossible</answer>".to_owned(), ..Reply::default() })
/// });
/// let mut table = BudgetTable::default();
/// for run in 0..4 {
///     let instance = setting.instance(&rollouts, run)?;
///     table.update("pessimist", &converse(instance.conversation(), pessimist)?)?;
/// }
/// let rows = table.finish(Level::new(0.95)?, 100, Seed::new(7))?;
/// assert_eq!(rows[0].summary.map(|it| it.feasibility.impossible.recall), Some(Some(1.0)));
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BudgetTable {
    groups: BTreeMap<(String, String), Group>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Group {
    /// By task.
    rows: Clustered<String, Sample>,
    trivial: usize,
    unfinished: usize,
}

fn feasibility(
    metrics: &Metrics,
    value: impl FnOnce(&FeasibilitySummary) -> Option<f64>,
    reason: &'static str,
) -> Result<f64, Undefined> {
    let summary = metrics.finish().ok();
    summary.and_then(|all| value(&all.feasibility)).ok_or_else(|| Undefined::new(reason))
}

fn interval(
    metrics: &Metrics,
    value: impl FnOnce(IntervalSummary) -> f64,
) -> Result<f64, Undefined> {
    let summary = metrics.finish().ok().and_then(|all| all.intervals);
    summary.map(value).ok_or_else(|| Undefined::new("no sample is feasible"))
}

fn add(metrics: &mut Metrics, sample: &Sample, weight: Weight) -> Result<(), Error> {
    Ok(metrics.update_weighted(sample, weight)?)
}

const METRICS: [Metric<Metrics>; 4] = [
    Metric::new(
        "macro_f1",
        "macro-F1",
        Better::Higher,
        "Mean of the F1 scores of feasible and impossible, in [0, 1].",
        |metrics: &Metrics| {
            let reason = "a class neither occurs nor is predicted";
            feasibility(metrics, |found| found.macro_f1, reason)
        },
    )
    .within(0.0, 1.0)
    .of_all_rows(),
    Metric::new(
        "fail_f1",
        "Fail-F1",
        Better::Higher,
        "F1 score of impossible, in [0, 1].",
        |metrics: &Metrics| {
            let reason = "no sample is impossible and none is predicted impossible";
            feasibility(metrics, |found| found.impossible.f1, reason)
        },
    )
    .within(0.0, 1.0),
    Metric::new(
        "hit_rate",
        "hit rate",
        Better::Higher,
        "Share of feasible prefixes whose interval contains the truth.",
        |metrics| interval(metrics, |found| found.hit_rate),
    )
    .share(),
    Metric::new(
        "interval_reward",
        "interval reward",
        Better::Higher,
        "Mean interval reward over feasible prefixes, in [0, 1].",
        |metrics: &Metrics| interval(metrics, |found| found.interval_reward),
    )
    .within(0.0, 1.0),
];

/// A row of a [`BudgetTable`].
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct BudgetFigures {
    /// The model or the estimator.
    pub forecaster: String,
    /// The resource.
    pub resource: String,
    /// The number of samples.
    pub samples: usize,
    /// The number of samples left out because nothing remained to be spent.
    pub trivial: usize,
    /// The number of conversations that ended before the last prefix; their samples count.
    pub unfinished: usize,
    /// All measures; `None` without a sample.
    pub summary: Option<MetricsSummary>,
    /// Macro-F1, Fail-F1, hit rate and mean interval reward, each with the interval that resamples tasks,
    /// or the reason why it is undefined.
    #[serde(serialize_with = "figures::serialize")]
    pub figures: Vec<(Measure, Result<Figure, Undefined>)>,
}

impl BudgetFigures {
    /// The figure of the metric with this key; `None` if it is undefined or if no metric has the key.
    #[must_use]
    pub fn figure(&self, key: &str) -> Option<Figure> {
        figures::figure(&self.figures, key)
    }
}

impl BudgetTable {
    /// Adds what a model said about a run.
    ///
    /// # Errors
    ///
    /// [`Error::BudgetEstimation`] for samples that cannot be scored; nothing is added then.
    pub fn update(&mut self, model: &str, record: &BudgetRecord) -> Result<(), Error> {
        self.update_weighted(model, record, Weight::ONE)
    }

    /// Adds what a model said about a run that counts `weight` times.
    ///
    /// # Errors
    ///
    /// As [`Self::update`].
    pub fn update_weighted(
        &mut self,
        model: &str,
        record: &BudgetRecord,
        weight: Weight,
    ) -> Result<(), Error> {
        let run = &record.record.run;
        let cluster = run.task.as_ref().unwrap_or(&run.id);
        for place in 0..record.resources.len() {
            check(record.samples(place))?;
        }
        for (place, resource) in record.resources.iter().enumerate() {
            let group = self.groups.entry((model.to_owned(), resource.clone())).or_default();
            group.unfinished += usize::from(run.error.is_some());
            record.samples(place).iter().for_each(|sample| group.add(cluster, *sample, weight));
        }
        Ok(())
    }

    /// Adds the samples of an estimator, such as those of
    /// [`Rollouts::score`](budget_estimation::Rollouts::score), which asks it at the same prefixes.
    ///
    /// # Errors
    ///
    /// [`Error::BudgetEstimation`] for samples that cannot be scored or that are not of these
    /// rollouts; nothing is added then.
    pub fn update_samples(
        &mut self,
        estimator: &str,
        rollouts: &Rollouts,
        resource: Resource,
        samples: &[Sample],
    ) -> Result<(), Error> {
        check(samples)?;
        let name = rollouts.resources().find(|(known, _)| *known == resource);
        let unknown = scoring_rules::Error::Undefined {
            name: "the resource",
            reason: "the rollouts have none such",
        };
        let (_, name) = name.ok_or(unknown)?;
        let clusters = samples.iter().map(|sample| {
            let rollout = rollouts.get(sample.rollout())?;
            let own = || rollout.id().map_or_else(|| rollout.index().to_string(), str::to_owned);
            Ok(rollout.task().map_or_else(own, str::to_owned))
        });
        let clusters: Vec<String> = clusters.collect::<Result<_, Error>>()?;
        let group = self.groups.entry((estimator.to_owned(), name.to_owned())).or_default();
        let rows = clusters.iter().zip(samples);
        rows.for_each(|(cluster, sample)| group.add(cluster, *sample, Weight::ONE));
        Ok(())
    }

    /// Adds all samples of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (key, group) in &other.groups {
            let own = self.groups.entry(key.clone()).or_default();
            own.rows.merge(&group.rows);
            own.trivial += group.trivial;
            own.unfinished += group.unfinished;
        }
    }

    /// The rows, sorted by forecaster and resource, with intervals that cover at this level. Tasks are
    /// resampled, or runs that have no task.
    ///
    /// # Errors
    ///
    /// [`Error::TrajectoryMetrics`] for more than 10 million resamples; [`Error::BudgetEstimation`] if
    /// samples of one row have different resources.
    pub fn finish(
        &self,
        level: Level,
        resamples: usize,
        seed: Seed,
    ) -> Result<Vec<BudgetFigures>, Error> {
        let how = Some(Intervals { level, resamples, seed });
        let row = |((forecaster, resource), group): (&(String, String), &Group)| {
            let mut metrics = Metrics::new();
            for (_, weight, sample) in group.rows.rows() {
                metrics.update_weighted(sample, weight)?;
            }
            let figures = group.rows.figures(&METRICS, &Metrics::new(), add, how)?;
            Ok(BudgetFigures {
                forecaster: forecaster.clone(),
                resource: resource.clone(),
                samples: group.rows.len(),
                trivial: group.trivial,
                unfinished: group.unfinished,
                summary: metrics.finish().ok(),
                figures: METRICS.iter().map(|metric| metric.measure).zip(figures).collect(),
            })
        };
        self.groups.iter().map(row).collect()
    }
}

fn check(samples: &[Sample]) -> Result<(), Error> {
    let mut metrics = Metrics::new();
    let mut scored = samples.iter().filter(|sample| !sample.is_trivial());
    scored.try_for_each(|sample| metrics.update(sample))?;
    Ok(())
}

impl Group {
    fn add(&mut self, cluster: &str, sample: Sample, weight: Weight) {
        if sample.is_trivial() {
            self.trivial += 1;
        } else {
            self.rows.update(cluster.to_owned(), weight, sample);
        }
    }
}

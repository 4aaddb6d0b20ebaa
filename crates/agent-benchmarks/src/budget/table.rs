use std::collections::BTreeMap;

use budget_estimation::{Metrics, MetricsSummary, Resource, Rollouts, Sample};
use scoring_rules::{Level, Seed, Weight};

use crate::{
    budget::outcome::BudgetRecord, engines::resampled::Resamples, error::Error,
    values::figure::Figure,
};

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

/// The places of these figures in [`Group::statistics`].
const MACRO_F1: usize = 0;
const FAIL_F1: usize = 1;

#[derive(Clone, Debug, Default, PartialEq)]
struct Group {
    rows: Vec<Row>,
    trivial: usize,
    unfinished: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Row {
    cluster: String,
    weight: Weight,
    sample: Sample,
}

/// A row of a [`BudgetTable`]. What no sample defines is `None`.
#[derive(Clone, Debug, PartialEq)]
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
    /// The macro-F1 of feasible and impossible, in [0, 1]; higher is better.
    pub macro_f1: Option<Figure>,
    /// The F1 of impossible, in [0, 1]; higher is better.
    pub fail_f1: Option<Figure>,
    /// The share of feasible prefixes whose interval holds the truth, in [0, 1]; higher is better.
    pub hit_rate: Option<Figure>,
    /// The mean interval reward over feasible prefixes, in [0, 1]; higher is better.
    pub interval_reward: Option<Figure>,
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
    /// [`score_rollouts`](budget_estimation::score_rollouts), which asks it at the same prefixes.
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
        let unknown =
            Error::Undefined { name: "the resource", reason: "the rollouts have none such" };
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
            own.rows.extend_from_slice(&group.rows);
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
        let how = Resamples { level, resamples, seed };
        let rows = self.groups.iter();
        rows.map(|(key, group)| group.figures(key, how)).collect()
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
            self.rows.push(Row { cluster: cluster.to_owned(), weight, sample });
        }
    }

    fn figures(
        &self,
        (forecaster, resource): &(String, String),
        how: Resamples,
    ) -> Result<BudgetFigures, Error> {
        let mut metrics = Metrics::new();
        for row in &self.rows {
            metrics.update_weighted(&row.sample, row.weight)?;
        }
        let rows: Vec<_> = self.rows.iter().map(|row| (row.cluster.as_str(), row.weight)).collect();
        let counted = |row: usize, figure: usize| {
            let Row { weight, sample, .. } = &self.rows[row];
            let is_counted = match figure {
                MACRO_F1 => true,
                FAIL_F1 => !sample.is_feasible() || sample.predicts_impossible(),
                _ => sample.is_feasible(),
            };
            is_counted && *weight > Weight::ZERO
        };
        let shares = [false, false, true, false];
        let figures = how.figures(&rows, counted, shares, |counts| self.statistics(counts))?;
        let [macro_f1, fail_f1, hit_rate, interval_reward] = figures;
        Ok(BudgetFigures {
            forecaster: forecaster.clone(),
            resource: resource.clone(),
            samples: self.rows.len(),
            trivial: self.trivial,
            unfinished: self.unfinished,
            summary: metrics.finish().ok(),
            macro_f1,
            fail_f1,
            hit_rate,
            interval_reward,
        })
    }

    /// The four figures of rows that occur so many times.
    fn statistics(&self, counts: &[u32]) -> [Result<f64, trajectory_metrics::Error>; 4] {
        let undefined = || trajectory_metrics::Error::from(scoring_rules::Error::Empty);
        let mut metrics = Metrics::new();
        for (row, &count) in self.rows.iter().zip(counts).filter(|(_, count)| **count > 0) {
            let Ok(weight) = Weight::new(row.weight.get() * f64::from(count)) else { continue };
            if metrics.update_weighted(&row.sample, weight).is_err() {
                return std::array::from_fn(|_| Err(undefined()));
            }
        }
        let summary = metrics.finish().ok();
        let feasibility = summary.map(|summary| summary.feasibility);
        let intervals = summary.and_then(|summary| summary.intervals);
        [
            feasibility.and_then(|it| it.macro_f1),
            feasibility.and_then(|it| it.impossible.f1),
            intervals.map(|it| it.hit_rate),
            intervals.map(|it| it.interval_reward),
        ]
        .map(|value| value.ok_or_else(undefined))
    }
}

use scoring_rules::{Level, Seed, Weight};

use crate::{
    error::Error,
    figures::{
        figure::Figure,
        metric::{Metric, Undefined},
    },
    no_interval::NoInterval,
    resampling::bootstrap::{Bootstrap, check_resamples},
};

/// The settings of bootstrap intervals. The default is 95 % and 1,000 resamples with seed 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intervals {
    /// The confidence level.
    pub level: Level,
    /// The number of resamples, at most 10 million. With 0, no interval is computed.
    pub resamples: usize,
    /// The seed of the resamples.
    pub seed: Seed,
}

impl Default for Intervals {
    fn default() -> Self {
        let level = const {
            match Level::new(0.95) {
                Ok(level) => level,
                Err(_) => Level::HALF,
            }
        };
        Self { level, resamples: Bootstrap::RESAMPLES, seed: Seed::default() }
    }
}

/// Rows in clusters, such as the runs of tasks. Metrics of the rows have intervals from a bootstrap that resamples
/// whole clusters.
///
/// The metrics are read from an accumulator `E` of the caller, which takes in one row and its weight at a
/// time. In a resample, a row that is drawn n times counts once with n times its weight.
///
/// A row counts for a metric if the metric is defined for an accumulator of only this row or, with
/// [`Metric::of_all_rows`], if the weight of the row is positive. The number of clusters with such a row
/// decides whether there is an interval ([`NoInterval::TooFewClusters`]) and how wide it is
/// ([`Replicates::figure`](crate::Replicates::figure)).
///
/// Rows can be added in any order, and parts merged in any order: the figures have the same bits if the
/// metrics of the accumulator do not depend on the order of its rows.
///
/// ```
/// use trajectory_metrics::{
///     Better, Clustered, Error, ExactMean, Intervals, Level, Metric, NoInterval, Seed, Undefined, Weight,
/// };
///
/// // Runs: their cost, if they have one, and whether they succeeded.
/// struct Run { cost: Option<f64>, solved: bool }
///
/// #[derive(Clone, Default)]
/// struct Means { cost: ExactMean, solved: ExactMean }
///
/// impl Means {
///     fn add(&mut self, run: &Run, weight: Weight) -> Result<(), Error> {
///         if let Some(cost) = run.cost {
///             self.cost.update_weighted(cost, weight)?;
///         }
///         Ok(self.solved.update_weighted(f64::from(run.solved), weight)?)
///     }
/// }
///
/// fn mean(values: &ExactMean) -> Result<f64, Undefined> {
///     values.finish().map_err(|_| Undefined::new("no run has a value"))
/// }
///
/// const METRICS: [Metric<Means>; 2] = [
///     Metric::new("cost", "mean cost", Better::Lower, "Mean over runs with a cost.", |means: &Means| {
///         mean(&means.cost)
///     }),
///     Metric::new("success_rate", "success rate", Better::Higher, "Share of runs.", |means: &Means| {
///         mean(&means.solved)
///     })
///     .share(),
/// ];
///
/// let mut runs = Clustered::default();
/// for task in 0..8 {
///     let cost = (task < 4).then_some(f64::from(task));
///     runs.update(task, Weight::ONE, Run { cost, solved: true });
/// }
/// let level = Level::new(0.95)?;
/// let intervals = Intervals { level, resamples: 200, seed: Seed(7) };
/// let figures = runs.figures(&METRICS, &Means::default(), Means::add, Some(intervals))?;
///
/// // Only four tasks have a run with a cost, which are too few for an interval of 95 %.
/// let cost = figures[0].clone().unwrap();
/// let few = NoInterval::TooFewClusters { found: 4, least: 6, level };
/// assert_eq!((cost.value, cost.interval), (1.5, Err(few)));
/// // A share of 1 of independent runs has the exact interval.
/// let interval = figures[1].clone().unwrap().interval?;
/// assert!((interval.low() - 0.025_f64.powf(1.0 / 8.0)).abs() < 1e-15 && interval.high() == 1.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Clustered<K, R> {
    clusters: Vec<K>,
    weights: Vec<Weight>,
    rows: Vec<R>,
}

impl<K, R> Default for Clustered<K, R> {
    fn default() -> Self {
        Self { clusters: Vec::new(), weights: Vec::new(), rows: Vec::new() }
    }
}

impl<K: Ord, R> Clustered<K, R> {
    /// Adds a row with this weight to this cluster.
    pub fn update(&mut self, cluster: K, weight: Weight, row: R) {
        self.clusters.push(cluster);
        self.weights.push(weight);
        self.rows.push(row);
    }

    /// Returns whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the cluster, the weight and the value of each row, in the order in which they were added.
    #[must_use]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (&K, Weight, &R)> {
        let weighted = self.clusters.iter().zip(&self.weights).zip(&self.rows);
        weighted.map(|((cluster, &weight), row)| (cluster, weight, row))
    }

    /// Returns the value of each metric, in the given order, with its interval, or the reason why the metric is
    /// undefined. Metrics are computed from an accumulator of rows, which starts as `empty`; `add` adds a row to it. An
    /// infinite value is treated as undefined.
    ///
    /// If a metric is undefined in a resample, or the resample gives an error, the interval of the metric
    /// excludes this resample.
    ///
    /// # Errors
    ///
    /// The first error of `add` on the original rows; [`scoring_rules::Error::Setting`] for more than 10
    /// million resamples.
    ///
    /// # Complexity
    ///
    /// Each row is added to the accumulator of all rows, to an accumulator of only this row, and to the
    /// accumulator of each resample that contains it. Nothing is allocated per row.
    pub fn figures<E: Clone + Sync, X: From<Error>>(
        &self,
        metrics: &[Metric<E>],
        empty: &E,
        add: impl Fn(&mut E, &R, Weight) -> Result<(), X> + Sync,
        intervals: Option<Intervals>,
    ) -> Result<Vec<Result<Figure, Undefined>>, X>
    where
        R: Sync,
    {
        let mut all = empty.clone();
        self.rows().try_for_each(|(_, weight, row)| add(&mut all, row, weight))?;
        let value = |metric: &Metric<E>| match metric.value(&all)? {
            value if value.is_finite() => Ok(Figure::from(value)),
            _ => Err(Undefined::new("the value is not finite")),
        };
        let mut figures: Vec<_> = metrics.iter().map(value).collect();
        let Some(Intervals { level, resamples, seed }) = intervals.filter(|it| it.resamples > 0)
        else {
            return Ok(figures);
        };
        check_resamples(resamples)?;
        let clusters = self.clusters_counted(metrics, empty, &add)?;
        for (figure, &clusters) in figures.iter_mut().zip(&clusters) {
            if let (Ok(figure), Err(few)) = (figure, NoInterval::check_clusters(clusters, level)) {
                figure.interval = Err(few);
            }
        }
        let is_waiting = |found: &Figure| found.interval == Err(NoInterval::NotRequested);
        if !figures.iter().flatten().any(is_waiting) {
            return Ok(figures);
        }
        let bootstrap = Bootstrap::clusters(&self.clusters, seed)?;
        let independent = bootstrap.cluster_count() == self.rows.len()
            && self.weights.iter().all(|weight| *weight == Weight::ONE);
        let (rows, weights) = (&self.rows, &self.weights);
        let drawn = |counts: &[u32]| {
            let mut sums = empty.clone();
            let rows = rows.iter().zip(weights).zip(counts);
            for ((row, weight), &count) in rows.filter(|it| *it.1 > 0) {
                let weight = Weight::new(weight.get() * f64::from(count)).map_err(Error::from)?;
                add(&mut sums, row, weight)?;
            }
            Ok::<E, X>(sums)
        };
        let values = bootstrap.map(resamples, |counts| {
            let sums = drawn(counts).ok();
            let value = |metric: &Metric<E>| metric.value(sums.as_ref()?).ok();
            metrics.iter().map(|metric| value(metric).unwrap_or(f64::NAN)).collect::<Vec<f64>>()
        })?;
        let drawn = metrics.iter().zip(clusters).enumerate();
        for (figure, (at, (metric, clusters))) in figures.iter_mut().zip(drawn) {
            let Some(found) = figure.as_mut().ok().filter(|found| is_waiting(found)) else {
                continue;
            };
            // The value on all rows is finite, so the only possible error is that no resample is defined.
            let column = values.iter().map(|values| values[at]).collect();
            let Ok(replicates) = bootstrap.replicates_of(found.value, column) else {
                found.interval = Err(NoInterval::TooFewResamples { defined: 0 });
                continue;
            };
            let replicates = replicates.with_clusters(clusters);
            let is_exact = metric.is_share && independent;
            *found = if is_exact { replicates.of_independent_outcomes() } else { replicates }
                .figure(level);
        }
        Ok(figures)
    }

    /// For each metric, the number of clusters that it counts.
    fn clusters_counted<E: Clone, X>(
        &self,
        metrics: &[Metric<E>],
        empty: &E,
        add: &impl Fn(&mut E, &R, Weight) -> Result<(), X>,
    ) -> Result<Vec<usize>, X> {
        let mut counted = vec![Vec::new(); metrics.len()];
        for (cluster, weight, row) in self.rows() {
            let mut alone = empty.clone();
            add(&mut alone, row, weight)?;
            for (metric, counted) in metrics.iter().zip(&mut counted) {
                let counts = metric.is_of_all_rows || metric.value(&alone).is_ok();
                if counts && weight > Weight::ZERO {
                    counted.push(cluster);
                }
            }
        }
        let distinct = |mut clusters: Vec<&K>| {
            clusters.sort_unstable();
            clusters.dedup();
            clusters.len()
        };
        Ok(counted.into_iter().map(distinct).collect())
    }
}

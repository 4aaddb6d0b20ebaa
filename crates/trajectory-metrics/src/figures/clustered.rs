use scoring_rules::{Level, Seed, Weight};

use crate::{
    error::Error,
    figures::{
        figure::Figure,
        metric::{Metric, Undefined},
    },
    no_interval::NoInterval,
    resampling::{
        bootstrap::{Bootstrap, check_resamples},
        replicates::Replicates,
    },
};

/// How the intervals of [`Clustered::figures`] are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intervals {
    /// The confidence level.
    pub level: Level,
    /// The number of resamples, at most 10 million. With 0, no interval is made.
    pub resamples: usize,
    /// The seed of the resamples.
    pub seed: Seed,
}

/// Clustered rows, such as the runs of tasks, and their metrics with intervals by resampling of whole
/// clusters.
///
/// The metrics are read from an accumulator `E` of the caller, which takes in one row and its weight at a
/// time. In a resample, a row that is drawn n times counts once with n times its weight.
///
/// A row counts for a metric if the metric is defined for an accumulator of only this row or, with
/// [`Metric::of_all_rows`], if the weight of the row is positive. The number of clusters with such a row
/// decides whether there is an interval ([`NoInterval::check_clusters`]) and how wide it is
/// ([`Replicates::confidence_interval`]).
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
/// let intervals = Intervals { level, resamples: 200, seed: Seed::new(7) };
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
    /// Adds a row of this cluster and weight.
    pub fn update(&mut self, cluster: K, weight: Weight, row: R) {
        self.clusters.push(cluster);
        self.weights.push(weight);
        self.rows.push(row);
    }

    /// Adds all rows of `other`.
    pub fn merge(&mut self, other: &Self)
    where
        K: Clone,
        R: Clone,
    {
        self.clusters.extend_from_slice(&other.clusters);
        self.weights.extend_from_slice(&other.weights);
        self.rows.extend_from_slice(&other.rows);
    }

    /// Number of rows, including rows of weight 0.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The cluster, the weight and the value of each row, in the order in which they were added.
    #[must_use]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (&K, Weight, &R)> {
        let weighted = self.clusters.iter().zip(&self.weights).zip(&self.rows);
        weighted.map(|((cluster, &weight), row)| (cluster, weight, row))
    }

    /// Returns the metrics in the given order, each with its interval, or the reason why it is undefined.
    /// `empty` is the accumulator before the first row, and `add` adds a row to it. An infinite value is
    /// undefined.
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
    pub fn figures<E: Clone, X: From<Error>>(
        &self,
        metrics: &[Metric<E>],
        empty: &E,
        add: impl FnMut(&mut E, &R, Weight) -> Result<(), X>,
        intervals: Option<Intervals>,
    ) -> Result<Vec<Result<Figure, Undefined>>, X> {
        let found = resampled(&[self], metrics, empty, add, intervals)?;
        let figures = found.into_iter().flatten();
        Ok(figures.map(|found| Ok(found?.figure(intervals))).collect())
    }

    /// Returns the metrics of these rows minus the metrics of `other`, each with the interval of the
    /// difference.
    ///
    /// Both sides are resampled together: a shared cluster is drawn with all its rows of both sides, so
    /// that the shared variation cancels (a paired difference). If the sides share no cluster, the
    /// difference varies like the difference of two independent values. The width of an interval is
    /// computed for the number of clusters of the smaller side.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::figures`].
    ///
    /// ```
    /// use trajectory_metrics::{
    ///     Better, Clustered, Error, ExactMean, Intervals, Level, Metric, Seed, Undefined, Weight,
    /// };
    ///
    /// let mean: Metric<ExactMean> =
    ///     Metric::new("score", "score", Better::Higher, "Mean score.", |mean: &ExactMean| {
    ///         mean.finish().map_err(|_| Undefined::new("there is no row"))
    ///     });
    /// let (mut old, mut new) = (Clustered::default(), Clustered::default());
    /// for task in 0..8_u32 {
    ///     // Tasks differ far more than the two models do.
    ///     old.update(task, Weight::ONE, 10.0 * f64::from(task));
    ///     new.update(task, Weight::ONE, 10.0 * f64::from(task) + 1.0 + f64::from(task % 2));
    /// }
    /// let intervals = Intervals { level: Level::new(0.95)?, resamples: 200, seed: Seed::new(7) };
    /// let add = |mean: &mut ExactMean, score: &f64, weight| {
    ///     Ok::<_, Error>(mean.update_weighted(*score, weight)?)
    /// };
    /// let found = new.difference(&old, &[mean], &ExactMean::default(), add, Some(intervals))?;
    /// let difference = found[0].clone().unwrap();
    /// assert_eq!(difference.value, 1.5);
    /// let interval = difference.interval?;
    /// assert!(interval.low() >= 1.0 && interval.high() <= 2.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn difference<E: Clone, X: From<Error>>(
        &self,
        other: &Self,
        metrics: &[Metric<E>],
        empty: &E,
        add: impl FnMut(&mut E, &R, Weight) -> Result<(), X>,
        intervals: Option<Intervals>,
    ) -> Result<Vec<Result<Figure, Undefined>>, X> {
        let found = resampled(&[self, other], metrics, empty, add, intervals)?;
        let (own, others) = found.split_at(found.len() / 2);
        let pairs = own.iter().flatten().zip(others.iter().flatten());
        let minus = |(own, other): (&Result<Resampled, Undefined>, &Result<_, _>)| {
            Ok(own.clone()?.minus(other.as_ref().map_err(Undefined::clone)?).figure(intervals))
        };
        Ok(pairs.map(minus).collect())
    }

    /// For each metric, the number of clusters that it counts.
    fn clusters_counted<E: Clone, X>(
        &self,
        metrics: &[Metric<E>],
        empty: &E,
        add: &mut impl FnMut(&mut E, &R, Weight) -> Result<(), X>,
    ) -> Result<Vec<usize>, X> {
        let mut counted = vec![Vec::new(); metrics.len()];
        for (cluster, weight, row) in self.rows() {
            let mut alone = empty.clone();
            add(&mut alone, row, weight)?;
            for (metric, counted) in metrics.iter().zip(&mut counted) {
                let counts = metric.is_of_all_rows() || metric.value(&alone).is_ok();
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

/// The metrics of each side on all rows and, where there can be an interval, on the same resamples.
fn resampled<K: Ord, R, E: Clone, X: From<Error>>(
    sides: &[&Clustered<K, R>],
    metrics: &[Metric<E>],
    empty: &E,
    mut add: impl FnMut(&mut E, &R, Weight) -> Result<(), X>,
    intervals: Option<Intervals>,
) -> Result<Vec<Vec<Result<Resampled, Undefined>>>, X> {
    let intervals = intervals.filter(|intervals| intervals.resamples > 0);
    let mut found = Vec::with_capacity(sides.len());
    for side in sides {
        let mut all = empty.clone();
        side.rows().try_for_each(|(_, weight, row)| add(&mut all, row, weight))?;
        let clusters = match intervals {
            Some(_) => side.clusters_counted(metrics, empty, &mut add)?,
            None => vec![0; metrics.len()],
        };
        let of_metric = |(metric, clusters): (&Metric<E>, usize)| {
            let value = metric.value(&all)?;
            if !value.is_finite() {
                return Err(Undefined::new("the value is not finite"));
            }
            let few = intervals.map(|how| NoInterval::check_clusters(clusters, how.level));
            let replicates = Err(few.and_then(Result::err).unwrap_or(NoInterval::NotRequested));
            Ok(Resampled { value, clusters, replicates })
        };
        found.push(metrics.iter().zip(clusters).map(of_metric).collect::<Vec<_>>());
    }
    let Some(Intervals { resamples, seed, .. }) = intervals else { return Ok(found) };
    check_resamples(resamples)?;
    if !found.iter().flatten().flatten().any(Resampled::is_waiting) {
        return Ok(found);
    }
    let names: Vec<&K> = sides.iter().flat_map(|side| &side.clusters).collect();
    let bootstrap = Bootstrap::clusters(&names, seed)?;
    let mut weights = sides.iter().flat_map(|side| &side.weights);
    let independent =
        bootstrap.cluster_count() == names.len() && weights.all(|weight| *weight == Weight::ONE);

    let mut columns = vec![Vec::with_capacity(resamples); sides.len() * metrics.len()];
    let mut counts = Vec::with_capacity(names.len());
    let mut drawn = |side: &Clustered<K, R>, counts: &[u32]| {
        let mut sums = empty.clone();
        for ((_, weight, row), &count) in side.rows().zip(counts).filter(|(_, count)| **count > 0) {
            let weight = Weight::new(weight.get() * f64::from(count)).map_err(Error::from)?;
            add(&mut sums, row, weight)?;
        }
        Ok::<E, X>(sums)
    };
    for replicate in 0..resamples as u64 {
        bootstrap.draw(replicate, &mut counts);
        let (mut rest, mut columns) = (counts.as_slice(), columns.iter_mut());
        for side in sides {
            let (own, others) = rest.split_at(side.len());
            rest = others;
            let sums = drawn(side, own).ok();
            let value = |metric: &Metric<E>| metric.value(sums.as_ref()?).ok();
            let values = metrics.iter().map(|metric| value(metric).unwrap_or(f64::NAN));
            values.zip(&mut columns).for_each(|(value, column)| column.push(value));
        }
    }
    let places = found.iter_mut().flat_map(|side| side.iter_mut().zip(metrics));
    for ((place, metric), column) in places.zip(columns) {
        let Some(resampled) = place.as_mut().ok().filter(|found| found.is_waiting()) else {
            continue;
        };
        // The value on all rows is finite, so the only possible error is that no resample is defined.
        let replicates = bootstrap.replicates_of(resampled.value, column);
        let undefined = |_| NoInterval::TooFewResamples { defined: 0 };
        resampled.replicates = replicates.map_err(undefined).map(|replicates| {
            let replicates = replicates.with_clusters(resampled.clusters);
            let is_exact = metric.is_share() && independent;
            if is_exact { replicates.of_independent_outcomes() } else { replicates }
        });
    }
    Ok(found)
}

/// A metric on all rows and on resamples.
#[derive(Clone, Debug)]
struct Resampled {
    value: f64,
    /// Number of clusters that it counts.
    clusters: usize,
    /// `NotRequested` until they are drawn.
    replicates: Result<Replicates, NoInterval>,
}

impl Resampled {
    fn is_waiting(&self) -> bool {
        matches!(self.replicates, Err(NoInterval::NotRequested))
    }

    fn minus(self, other: &Self) -> Self {
        let undefined = |_| NoInterval::TooFewResamples { defined: 0 };
        let replicates = self.replicates.and_then(|own| {
            let others = other.replicates.as_ref().map_err(|why| *why)?;
            own.minus(others).map_err(undefined)
        });
        let clusters = self.clusters.min(other.clusters);
        Self { value: self.value - other.value, clusters, replicates }
    }

    fn figure(self, intervals: Option<Intervals>) -> Figure {
        match (self.replicates, intervals) {
            (Ok(replicates), Some(intervals)) => replicates.figure(intervals.level),
            (Err(why), _) => Figure { interval: Err(why), ..Figure::from(self.value) },
            (Ok(_), None) => Figure::from(self.value),
        }
    }
}

use std::ops::Range;

use scoring_rules::{Level, TiedBlocks};

use crate::{
    checks::{at_least_two, same_length},
    error::Error,
    reports::{
        evaluation::EvaluationOptions,
        named_estimate::NamedEstimate,
        scored_stream::{METRICS, NAMES, Resampling, ScoredStream},
    },
    resampling::{bootstrap::Bootstrap, replicates::Replicates},
    streams::{summary::Summary, traces::Traces},
};

/// The metrics of `second` minus those of `first`, each with the interval of the difference if
/// [`EvaluationOptions::resampling`] is given.
///
/// The metrics are those of [`StreamMetrics::estimates`](crate::StreamMetrics::estimates). Both streams
/// see the same resamples: the rows of the bootstrap, and the weights if there are any, are the traces
/// of `first` in their order, then those of `second`; further rows may follow. Which traces vary
/// together is said by the clusters of [`Bootstrap::clusters`]:
///
/// - The same runs in both streams: the cluster of a run, or of its task, has its trace of each stream.
///   The variation that the streams share cancels (a paired difference).
/// - Other runs of the same tasks: the cluster of a task has its traces of both streams.
/// - No task in common: no cluster has traces of both streams, and the difference varies as much as two
///   independent estimates. Tasks of both streams are drawn from one list, so that the number of traces
///   of each stream varies, too, and a resample without a trace of one of them is left out.
///
/// A difference of two intervals is not the interval of the difference. Calibration maps are not
/// refitted in resamples, as in [`raw_against_calibrated`](crate::raw_against_calibrated). If the traces
/// of a stream belong to a single cluster, all intervals are errors.
///
/// Cost: linear in the number of traces for each resample.
///
/// Reference: Field and Welsh (2007), Bootstrapping clustered data,
/// doi:10.1111/j.1467-9868.2007.00593.x.
///
/// # Errors
///
/// [`Error::Empty`] without traces in one of the streams; [`Error::Length`] if there are not as many
/// weights as traces, or fewer rows of the bootstrap; [`Error::ScheduleTooShort`] if a trace is longer
/// than the list of custom weights. An undefined metric is not an error of this function.
///
/// ```
/// use trajectory_metrics::{
///     Bootstrap, Error, EvaluationOptions, Level, Resampling, Traces, evaluate_difference,
/// };
///
/// // Two models on the tasks a to d; the first was asked twice about a.
/// let first = Traces::from_flat(&[0.9, 0.8, 0.7, 0.4, 0.2], &[1, 2, 3, 4, 5], &[true, true, true, false, false])?;
/// let second = Traces::from_flat(&[0.6, 0.3, 0.7, 0.6], &[1, 2, 3, 4], &[true, true, false, false])?;
/// let tasks = ["a", "a", "b", "c", "d", "a", "b", "c", "d"];
/// let bootstrap = Bootstrap::clusters(&tasks, 7)?;
/// let resampling = Resampling { bootstrap: &bootstrap, resamples: 500, level: Level::new(0.95)? };
/// let options = EvaluationOptions { resampling: Some(resampling), ..EvaluationOptions::default() };
/// let differences = evaluate_difference(&first, &second, &options)?;
/// assert_eq!(differences[0].metric, "tps_log");
/// let interval = differences[0].interval.clone().unwrap()?.interval;
/// assert!(interval.low() < -0.5 && interval.high() < 0.0);
/// # Ok::<(), Error>(())
/// ```
pub fn evaluate_difference(
    first: &Traces,
    second: &Traces,
    options: &EvaluationOptions<'_>,
) -> Result<Vec<NamedEstimate>, Error> {
    let middle = first.len();
    let rows = middle + second.len();
    if first.is_empty() || second.is_empty() {
        return Err(Error::Empty);
    }
    if let Some(weights) = options.weights {
        same_length("weights", rows, weights.len())?;
    }
    let schedule = &options.schedule;
    let summary = options.summary.clone().unwrap_or_else(|| Summary::Weighted(schedule.clone()));
    let scored = |traces, range: Range<usize>| {
        let weights = options.weights.map(|weights| &weights[range]);
        ScoredStream::new(traces, weights, schedule, &summary)
    };
    let streams = [scored(first, 0..middle)?, scored(second, middle..rows)?];
    let mut blocks = TiedBlocks::default();
    let mut both = |counts: &[u32]| {
        let [first, second] = &streams;
        let first = first.metrics(&counts[..middle], &mut blocks);
        let second = second.metrics(&counts[middle..rows], &mut blocks);
        let mut values = first.into_iter().chain(second);
        std::array::from_fn(|_| values.next().unwrap_or(Err(Error::Empty)))
    };
    let values: [_; 2 * METRICS] = both(&vec![1; rows]);
    let of = |metric: usize| {
        let [first, second] = [&values[metric], &values[metric + METRICS]];
        Ok(second.clone()? - first.clone()?)
    };
    let mut replicates = [const { None }; METRICS];
    let mut level = Level::HALF;
    if let Some(resampling) = options.resampling {
        level = resampling.level;
        replicates = match checked(resampling, middle, rows)? {
            Err(error) => std::array::from_fn(|_| Some(Err(error.clone()))),
            Ok(bootstrap) => {
                let both = bootstrap.replicates(resampling.resamples, both);
                std::array::from_fn(|metric| Some(minus(&both[metric + METRICS], &both[metric])))
            }
        };
    }
    let named = NAMES.into_iter().enumerate().zip(replicates);
    let named = named.map(|((metric, name), replicates)| {
        NamedEstimate::new(name, of(metric), replicates, level)
    });
    Ok(named.collect())
}

/// The bootstrap if it has enough rows, and an error inside if a stream is of a single cluster.
fn checked(
    Resampling { bootstrap, .. }: Resampling<'_>,
    middle: usize,
    rows: usize,
) -> Result<Result<&Bootstrap, Error>, Error> {
    if bootstrap.row_count() < rows {
        same_length("rows of the bootstrap", rows, bootstrap.row_count())?;
    }
    let clusters = |range: Range<usize>| {
        let mut clusters = bootstrap.cluster_of()[range].iter();
        let first = clusters.next();
        let found = 1 + usize::from(clusters.any(|cluster| Some(cluster) != first));
        at_least_two("clusters of a stream", found)
    };
    Ok(clusters(0..middle).and_then(|()| clusters(middle..rows)).map(|()| bootstrap))
}

fn minus(
    second: &Result<Replicates, Error>,
    first: &Result<Replicates, Error>,
) -> Result<Replicates, Error> {
    let [second, first] = [second, first].map(|values| values.as_ref().map_err(Clone::clone));
    second?.minus(first?)
}

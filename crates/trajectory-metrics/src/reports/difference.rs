use std::ops::Range;

use scoring_rules::{Level, Weight};

use crate::{
    checks::same_length,
    error::{Error, Shared},
    reports::{
        pair::{Pair, has_difference},
        scored_stream::{METRICS, Resampling, STREAM_MEASURES, ScoredStream},
        stream_figure::StreamFigure,
    },
};

impl ScoredStream {
    /// Returns the metrics of this stream minus the metrics of `first`. If `resampling` is given, each difference has
    /// an interval.
    ///
    /// The metrics are those of [`STREAM_MEASURES`]. Both streams use the same resamples. The rows of the bootstrap, and
    /// the weights if given, are the traces of `first` in order, then the traces of this stream; further rows may
    /// follow. The clusters of
    /// [`Bootstrap::clusters`](crate::Bootstrap::clusters) determine which traces vary together:
    ///
    /// - The same runs in both streams: the cluster of a run, or of its task, contains its trace in each stream.
    ///   The shared variation cancels (a paired difference).
    /// - Other runs of the same tasks: the cluster of a task contains its traces in both streams.
    /// - No task in common: no cluster contains traces of both streams, and the difference varies like the
    ///   difference of two independent estimates. Tasks of both streams are drawn from one list. The number of
    ///   traces of each stream therefore varies as well, and a resample without a trace of one stream is left out.
    ///
    /// A difference of expected calibration errors is undefined, because the bias of each depends on its number of
    /// traces: see [`CalibrationTest`](crate::CalibrationTest).
    ///
    /// A difference of two intervals is not the interval of the difference. Calibration maps are not refitted in
    /// resamples, as in [`CrossFit::raw_against_calibrated`](crate::CrossFit::raw_against_calibrated). The width of an interval is
    /// computed for the number of clusters of the smaller stream
    /// ([`Replicates::figure`](crate::Replicates::figure)). If there are too few
    /// clusters, the result is an error instead of the interval.
    ///
    /// Cost: linear in the number of traces for each resample.
    ///
    /// Reference: Field and Welsh (2007), Bootstrapping clustered data,
    /// doi:10.1111/j.1467-9868.2007.00593.x.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without traces in one of the streams; [`scoring_rules::Error::Length`] if
    /// the number of weights is not the number of traces, or if the bootstrap has fewer rows. An undefined metric is
    /// not an error of this function.
    ///
    /// ```
    /// use trajectory_metrics::{
    ///     Bootstrap, Error, Level, Resampling, ScoredStream, Seed, Summary, Traces, WeightSchedule,
    /// };
    ///
    /// // Two models on the tasks a to f; the first was asked twice about a.
    /// let ends = [1, 2, 3, 4, 5, 6, 7];
    /// let outcomes = [true, true, true, false, false, true, false];
    /// let first = Traces::from_flat(&[0.9, 0.8, 0.7, 0.4, 0.2, 0.9, 0.1], &ends, &outcomes)?;
    /// let second = Traces::from_flat(&[0.6, 0.3, 0.7, 0.6, 0.5, 0.6], &ends[..6], &outcomes[1..])?;
    /// let tasks = ["a", "a", "b", "c", "d", "e", "f", "a", "b", "c", "d", "e", "f"];
    /// let bootstrap = Bootstrap::clusters(&tasks, Seed(7))?;
    /// let resampling = Resampling { bootstrap: &bootstrap, resamples: 500, level: Level::new(0.95)? };
    /// let scored = |traces| ScoredStream::new(traces, &WeightSchedule::LinearFront, &Summary::Last);
    /// let differences = scored(&second)?.minus(&scored(&first)?, None, Some(resampling))?;
    /// assert_eq!(differences[0].measure.key, "tps_log");
    /// let interval = differences[0].figure.clone().unwrap().interval?;
    /// assert!(interval.low() < -0.4 && interval.high() < 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn minus(
        &self,
        first: &Self,
        weights: Option<&[Weight]>,
        resampling: Option<Resampling<'_>>,
    ) -> Result<Vec<StreamFigure>, Error> {
        let middle = first.len();
        let rows = middle + self.len();
        if first.is_empty() || self.is_empty() {
            return Err(Shared::Empty.into());
        }
        same_length("weights", rows, weights.map_or(rows, <[Weight]>::len))?;
        let of = |range: Range<usize>| weights.map(|weights| &weights[range]);
        let pair = Pair {
            streams: [first, self],
            weights: [of(0..middle), of(middle..rows)],
            first_rows: [0, middle],
            folds: Vec::new(),
        };
        let values = pair.values();
        let mut replicates = [const { None }; METRICS];
        if let Some(resampling) = resampling {
            resampling.check_rows(rows)?;
            let Resampling { bootstrap, resamples, .. } = resampling;
            replicates = pair.differences(values.clone(), bootstrap, resamples)?.map(Some);
        }
        let level = resampling.map_or(Level::HALF, |resampling| resampling.level);
        let value = |metric: usize| {
            has_difference(metric)?;
            Ok(values[metric + METRICS].clone()? - values[metric].clone()?)
        };
        let figures = STREAM_MEASURES.into_iter().zip(replicates).enumerate();
        let figure = |(metric, (measure, replicates))| {
            StreamFigure::new(measure, value(metric), replicates, level)
        };
        Ok(figures.map(figure).collect())
    }
}

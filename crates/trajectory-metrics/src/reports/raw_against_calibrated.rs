use crate::{
    calibration::cross_fit::CrossFit,
    checks::same_length,
    error::Error,
    figures::metric::Measure,
    reports::{
        pair::Pair,
        scored_stream::{METRICS, STREAM_MEASURES, ScoredStream},
    },
    resampling::{bootstrap::Bootstrap, replicates::Replicates},
    streams::{summary::Summary, traces::Traces, weight_schedule::WeightSchedule},
};

/// The change of one metric when the stream is calibrated, from [`CrossFit::raw_against_calibrated`]. An undefined value is an
/// error with the reason.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MetricChange {
    /// The measured quantity.
    pub measure: Measure,
    /// The value of the metric for the raw stream.
    pub raw: Result<f64, Error>,
    /// The value of the metric for the calibrated stream.
    pub calibrated: Result<f64, Error>,
    /// The calibrated value minus the raw value, with its resamples. A value above 0 is an improvement if higher
    /// values are better. [`Replicates::in_standard_errors`] gives the paper's delta / SE. Undefined for the expected
    /// calibration error, whose bias changes with the forecasts.
    pub difference: Result<Replicates, Error>,
}

impl<M> CrossFit<M> {
    /// Compares each metric of the stream before calibration, `raw`, with its value after calibration, on the same
    /// resamples.
    ///
    /// The metrics are the three scores of [`TpsFamily`](crate::TpsFamily) (`tps_log`, `tps_brier` and
    /// `tps_beta_2_4`), then the [`Diagnostics`](crate::Diagnostics) of the mean forecast, all under one
    /// schedule. AUROC, average precision and AURC are means over the folds, before and after: traces of two folds have
    /// been calibrated by two maps, so that their order would be due to the maps. The calibration maps are not refitted in
    /// resamples, so that the standard errors do not include the variation of the maps.
    ///
    /// Cost: linear in the number of traces for each resample.
    ///
    /// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
    /// quantification, arXiv:2605.24756, section 6.1; means over folds: Airola et al. (2011), An experimental comparison
    /// of cross-validation techniques for estimating the area under the ROC curve, doi:10.1016/j.csda.2010.11.018.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless both streams and the bootstrap have the same number of traces; [`Error::OutcomeDiffers`] if the outcomes of a trace differ;
    /// [`scoring_rules::Error::Empty`] without traces; [`Error::ScheduleTooShort`] if a trace is longer
    /// than the list of custom weights.
    ///
    /// ```
    /// use trajectory_metrics::{
    ///     Bootstrap, CrossFit, Error, Folds, Platt, Seed, Traces, WeightSchedule,
    /// };
    ///
    /// let outcomes = [true, false, true, false, true, false, true, false];
    /// let forecasts = [0.99, 0.95, 0.99, 0.99, 0.95, 0.95, 0.99, 0.95];
    /// let raw = Traces::from_flat(&forecasts, &[1, 2, 3, 4, 5, 6, 7, 8], &outcomes)?;
    /// let tasks = [1, 1, 2, 2, 3, 3, 4, 4];
    /// let schedule = WeightSchedule::LinearFront;
    /// let folds = Folds::clustered(&outcomes, &tasks, 2)?;
    /// let calibrated = CrossFit::new(&Platt::default(), &raw, &folds, &schedule)?;
    /// let bootstrap = Bootstrap::clusters(&tasks, Seed(1))?;
    /// let changes = calibrated.raw_against_calibrated(&raw, &schedule, &bootstrap, 200)?;
    /// assert_eq!(changes[0].measure.key, "tps_log");
    /// let gain = changes[0].difference.clone()?;
    /// assert!(gain.estimate() > 0.5 && gain.in_standard_errors() > Some(2.0));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// The two streams cannot be swapped:
    ///
    /// ```compile_fail,E0308
    /// # use trajectory_metrics::{Bootstrap, CrossFit, PlattMap, Traces, WeightSchedule};
    /// # fn swapped(raw: CrossFit<PlattMap>, fit: CrossFit<PlattMap>, bootstrap: &Bootstrap) {
    /// raw.raw_against_calibrated(&fit, &WeightSchedule::Uniform, bootstrap, 200);
    /// # }
    /// ```
    pub fn raw_against_calibrated(
        &self,
        raw: &Traces,
        schedule: &WeightSchedule,
        bootstrap: &Bootstrap,
        resamples: usize,
    ) -> Result<Vec<MetricChange>, Error> {
        let Self { traces: calibrated, folds, .. } = self;
        same_length("calibrated traces", raw.len(), calibrated.len())?;
        let mut outcomes = raw.outcomes().iter().zip(calibrated.outcomes());
        if let Some(index) = outcomes.position(|(raw, calibrated)| raw != calibrated) {
            return Err(Error::OutcomeDiffers { index });
        }
        same_length("rows of the bootstrap", raw.len(), bootstrap.cluster_of().len())?;
        let summary = Summary::Weighted(schedule.clone());
        same_length("folds", raw.len(), folds.of_each().len())?;
        let scored = |traces| ScoredStream::new(traces, schedule, &summary);
        let streams = [scored(raw)?, scored(calibrated)?];
        let mut traces = vec![Vec::new(); folds.count()];
        folds.of_each().iter().enumerate().for_each(|(trace, &fold)| traces[fold].push(trace));
        traces.retain(|traces| !traces.is_empty());
        let streams = streams.each_ref();
        let pair = Pair { streams, weights: [None; 2], first_rows: [0; 2], folds: traces };
        let values = pair.values();
        let differences = pair.differences(values.clone(), bootstrap, resamples)?;
        let changes =
            differences.into_iter().enumerate().map(|(metric, difference)| MetricChange {
                measure: STREAM_MEASURES[metric],
                raw: values[metric].clone(),
                calibrated: values[metric + METRICS].clone(),
                difference,
            });
        Ok(changes.collect())
    }
}

use scoring_rules::Level;

use crate::{
    error::Error,
    figures::{
        figure::Figure,
        metric::{Measure, Undefined},
    },
    no_interval::NoInterval,
    resampling::replicates::Replicates,
};

/// A measure of a stream with its figure, or the reason why the figure is undefined.
///
/// ```
/// use trajectory_metrics::{Bootstrap, Error, Level, STREAM_MEASURES, Seed, StreamFigure};
///
/// let scores = [-0.1, -0.4, -0.3, -0.9, -0.2, -0.65];
/// let replicates = Bootstrap::rows(6, Seed(7))?.mean(&scores, None, 1_000);
/// let [log, _, _, auroc, ..] = STREAM_MEASURES;
/// let found = StreamFigure::new(log, Ok(-0.425), Some(replicates), Level::new(0.95)?);
/// assert!(found.figure.clone().unwrap().interval?.contains(-0.425));
/// assert_eq!(found.note(), None);
///
/// let undefined = Err(scoring_rules::Error::Empty.into());
/// let undefined = StreamFigure::new(auroc, undefined, None, Level::HALF);
/// assert_eq!(undefined.note(), Some(format!("auroc: {}", scoring_rules::Error::Empty)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StreamFigure {
    /// The measured quantity.
    pub measure: Measure,
    /// The value on all rows, with the interval of [`Replicates::figure`]. It has a standard error if it
    /// has an interval. An infinite value counts as undefined.
    pub figure: Result<Figure, Undefined>,
    /// Number of resamples. [`Self::undefined`] of them were left out, because the value is undefined there.
    pub resamples: usize,
    /// Number of resamples in which the value is undefined.
    pub undefined: usize,
}

impl StreamFigure {
    /// Creates a figure from a value and its replicates, which are `None` if no interval was requested.
    #[must_use]
    pub fn new(
        measure: Measure,
        value: Result<f64, Error>,
        replicates: Option<Result<Replicates, Error>>,
        level: Level,
    ) -> Self {
        let drawn = replicates.as_ref().and_then(|drawn| drawn.as_ref().ok());
        let resamples = drawn.map_or(0, |drawn| drawn.values().len());
        let undefined = drawn.map_or(0, Replicates::undefined);
        let figure = match (value, replicates) {
            (Err(error), _) => Err(Undefined::new(error.to_string())),
            (Ok(value), _) if !value.is_finite() => Err(Undefined::new(format!("it is {value}"))),
            (Ok(value), None) => Ok(Figure::from(value)),
            (Ok(value), Some(Err(_))) => {
                let interval = Err(NoInterval::TooFewResamples { defined: 0 });
                Ok(Figure { interval, ..Figure::from(value) })
            }
            (Ok(value), Some(Ok(_))) if measure.key == "t_ece" => {
                Ok(Figure { interval: Err(NoInterval::Biased), ..Figure::from(value) })
            }
            (Ok(value), Some(Ok(drawn))) => {
                let Figure { interval, standard_error, .. } = drawn.figure(level);
                let standard_error = standard_error.filter(|_| interval.is_ok());
                Ok(Figure { value, interval, standard_error })
            }
        };
        Self { measure, figure, resamples, undefined }
    }

    /// Returns a note for readers of the figure: why it is undefined, why the requested interval is missing,
    /// or in how many resamples the value was undefined.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let (key, all) = (self.measure.key, self.resamples);
        match self.figure.as_ref().map(|figure| figure.interval) {
            Err(why) => Some(format!("{key}: {why}")),
            Ok(Err(NoInterval::NotRequested)) => None,
            Ok(Err(why)) => Some(format!("{key}: no interval: {why}")),
            Ok(Ok(_)) if self.undefined == 0 => None,
            Ok(Ok(_)) => Some(format!("{key}: undefined in {} of {all} resamples", self.undefined)),
        }
    }
}

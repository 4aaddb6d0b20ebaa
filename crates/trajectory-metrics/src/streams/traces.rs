use scoring_rules::Probability;

use crate::{checks::same_length, error::Error};

/// One complete run of an agent: its success forecasts, one per step, and its outcome.
///
/// ```
/// use trajectory_metrics::{Error, Probability, Trace};
///
/// let stream = Probability::from_slice(&[0.4, 0.7])?;
/// let trace = Trace::new(stream, true)?;
/// assert_eq!((trace.forecasts().len(), trace.outcome()), (2, true));
/// assert!(matches!(Trace::new(&[], true), Err(Error::EmptyTrace { index: 0, .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace<'a> {
    forecasts: &'a [Probability],
    outcome: bool,
}

impl<'a> Trace<'a> {
    /// Creates a trace that borrows its forecasts.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyTrace`] without forecasts.
    pub const fn new(forecasts: &'a [Probability], outcome: bool) -> Result<Self, Error> {
        if forecasts.is_empty() {
            return Err(Error::EmptyTrace { index: 0 });
        }
        Ok(Self { forecasts, outcome })
    }

    /// Returns the forecasts, at least one.
    #[must_use]
    pub const fn forecasts(&self) -> &'a [Probability] {
        self.forecasts
    }

    /// Returns whether the run succeeded.
    #[must_use]
    pub const fn outcome(&self) -> bool {
        self.outcome
    }
}

scoring_rules::checked! {
    /// Many complete runs in flat form: one array of all forecasts, and the position at which each trace ends in it.
    ///
    /// ```
    /// use trajectory_metrics::{Error, Probability, Traces};
    ///
    /// let mut traces = Traces::default();
    /// traces.push(Probability::from_slice(&[0.4, 0.7])?, true)?;
    /// traces.push(Probability::from_slice(&[0.3])?, false)?;
    ///
    /// let same = Traces::from_flat(&[0.4, 0.7, 0.3], &[2, 3], &[true, false])?;
    /// assert_eq!(traces, same);
    /// assert!(traces.len() == 2 && !traces.is_empty());
    /// assert_eq!(traces.outcomes(), [true, false]);
    /// assert_eq!(same.iter().map(|trace| trace.forecasts().len()).sum::<usize>(), same.steps());
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Traces {
        forecasts: Vec<Probability>,
        ends: Vec<usize>,
        outcomes: Vec<bool>,
    }
    check: Traces::check
}

impl Traces {
    /// Copies traces from flat arrays: trace i consists of `values[ends[i - 1]..ends[i]]`, and the first trace starts
    /// at 0.
    ///
    /// # Errors
    ///
    /// [`Error::ScoringRules`] with the position of a value outside [0, 1];
    /// [`scoring_rules::Error::Length`] unless the number of outcomes is the number of ends;
    /// [`Error::EmptyTrace`] if two ends are equal; [`Error::Invalid`] if ends decrease or the last end
    /// is not the number of values.
    pub fn from_flat(values: &[f64], ends: &[usize], outcomes: &[bool]) -> Result<Self, Error> {
        let forecasts = Probability::from_slice(values)?;
        let (forecasts, ends, outcomes) = (forecasts.to_vec(), ends.to_vec(), outcomes.to_vec());
        let traces = Self { forecasts, ends, outcomes };
        traces.check()?;
        Ok(traces)
    }

    fn check(&self) -> Result<(), Error> {
        let Self { forecasts, ends, outcomes } = self;
        same_length("outcomes", ends.len(), outcomes.len())?;
        let wrong = |index: usize, end: usize| {
            Err(Error::Invalid(format!(
                "trace {index} ends at {end}; ends must be strictly increasing, and the last end must be the \
                 number of values"
            )))
        };
        let mut start = 0;
        for (index, &end) in ends.iter().enumerate() {
            if end == start {
                return Err(Error::EmptyTrace { index });
            }
            if end < start || end > forecasts.len() {
                return wrong(index, end);
            }
            start = end;
        }
        if start != forecasts.len() {
            return wrong(ends.len().saturating_sub(1), start);
        }
        Ok(())
    }

    /// Appends one trace.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyTrace`] without forecasts; nothing is appended then.
    pub fn push(&mut self, forecasts: &[Probability], outcome: bool) -> Result<(), Error> {
        if forecasts.is_empty() {
            return Err(Error::EmptyTrace { index: self.len() });
        }
        self.forecasts.extend_from_slice(forecasts);
        self.ends.push(self.forecasts.len());
        self.outcomes.push(outcome);
        Ok(())
    }

    /// Returns the number of traces.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no traces.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the total number of forecasts.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.forecasts.len()
    }

    /// Returns the outcome of each trace.
    #[must_use]
    pub fn outcomes(&self) -> &[bool] {
        &self.outcomes
    }

    /// Returns the traces in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Trace<'_>> {
        let mut start = 0;
        self.ends.iter().zip(&self.outcomes).map(move |(&end, &outcome)| {
            let forecasts = &self.forecasts[start..end];
            start = end;
            Trace { forecasts, outcome }
        })
    }

    /// All forecasts, the ends of the traces, and their outcomes.
    pub(crate) fn flat(&self) -> (&[Probability], &[usize], &[bool]) {
        (&self.forecasts, &self.ends, &self.outcomes)
    }

    /// Returns the same traces with every forecast replaced by the result of `map`, which receives
    /// the position of the trace and the forecast. Use it for calibration maps and hypothetical
    /// streams.
    ///
    /// ```
    /// use trajectory_metrics::{Error, Traces};
    ///
    /// let traces = Traces::from_flat(&[0.25, 1.0], &[2], &[true])?;
    /// let mirrored = traces.map_forecasts(|_, forecast| forecast.complement());
    /// assert_eq!(mirrored, Traces::from_flat(&[0.75, 0.0], &[2], &[true])?);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn map_forecasts(&self, mut map: impl FnMut(usize, Probability) -> Probability) -> Self {
        let mut mapped = self.clone();
        let mut start = 0;
        for (index, &end) in self.ends.iter().enumerate() {
            for forecast in &mut mapped.forecasts[start..end] {
                *forecast = map(index, *forecast);
            }
            start = end;
        }
        mapped
    }
}

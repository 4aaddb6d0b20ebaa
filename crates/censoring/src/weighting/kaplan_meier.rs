use scoring_rules::ExactSum;

use crate::weighting::stop_times::{Stop, StopTimes};

/// A survival curve: the probability of lasting beyond each time, which decreases in steps from 1.
///
/// [`KaplanMeier::censoring_curve`] is the curve G of inverse-probability weights: the probability of not
/// being cut off. The roles are reversed there: being cut off is the event, and an outcome censors.
///
/// ```text
/// G(t) = product over cut-off times s <= t of (1 - d_s / n_s)
/// d_s: weight of runs cut off at s
/// n_s: weight of runs that stopped after s or were cut off at s
/// ```
///
/// A run whose outcome came at s is not in n_s, because outcomes come before cut-offs at the same
/// time. The probability of observing a run that is complete at Z is therefore the probability of not
/// being cut off before Z, the left limit G(Z-), [`KaplanMeier::before`].
///
/// The curve is constant after the last cut-off. Sums of weights are exact, so the curve has the same
/// bits in any order of the runs, and a weight of 2 counts as two equal runs.
///
/// Cost: one sort, O(n log n); a query is a binary search.
///
/// Reference: Kaplan and Meier (1958), Nonparametric estimation from incomplete observations,
/// doi:10.1080/01621459.1958.10501452.
///
/// ```
/// use censoring::{Error, KaplanMeier, StopTimes};
///
/// // Outcomes at 1 and 3; cut off at 2 and at 3.
/// let censored = [false, true, false, true];
/// let stops = StopTimes::new(&[1.0, 2.0, 3.0, 3.0], &censored, None)?;
/// let g = KaplanMeier::censoring_curve(&stops);
/// assert_eq!(g.steps().collect::<Vec<_>>(), [(2.0, 2.0 / 3.0), (3.0, 0.0)]);
/// assert_eq!(g.at(1.9), 1.0);
/// assert_eq!(g.at(2.0), 2.0 / 3.0);
/// assert_eq!((g.before(3.0), g.at(3.0)), (2.0 / 3.0, 0.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct KaplanMeier {
    /// The times at which the curve decreases, strictly increasing.
    times: Vec<f64>,
    /// The value of the curve from each of these times on.
    survival: Vec<f64>,
}

impl KaplanMeier {
    /// Estimates the probability of not having been cut off up to each time. The times of outcomes and of cut-offs must
    /// be independent. If both depend on something known in advance, such as the task, use one curve for each task.
    #[must_use]
    pub fn censoring_curve(stops: &StopTimes) -> Self {
        Self::product_limit(stops, stops.order(), true)
    }

    /// Estimates the probability of having no outcome yet at each time. A run that was cut off at s still counts as at
    /// risk at s.
    ///
    /// The product of both curves is the share of runs that have not stopped.
    ///
    /// ```
    /// use censoring::{Error, KaplanMeier, StopTimes};
    ///
    /// let censored = [false, true, false, false];
    /// let stops = StopTimes::new(&[2.0, 2.0, 5.0, 7.0], &censored, None)?;
    /// let going_on = KaplanMeier::event_curve(&stops);
    /// assert_eq!(going_on.at(2.0), 0.75);
    /// assert_eq!(going_on.at(5.0), 0.375);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn event_curve(stops: &StopTimes) -> Self {
        Self::product_limit(stops, stops.order(), false)
    }

    /// Returns the probability of lasting beyond `time`. The curve drops at [`Self::steps`]. At such a
    /// time, this is the value after the drop.
    ///
    /// # Panics
    ///
    /// If the time is NaN.
    #[must_use]
    #[track_caller]
    pub fn at(&self, time: f64) -> f64 {
        assert!(!time.is_nan(), "the time is NaN");
        self.after_steps(self.times.partition_point(|&step| step <= time))
    }

    /// Returns the probability of lasting at least until `time`: the left limit of the curve, before any drop at
    /// `time`.
    ///
    /// # Panics
    ///
    /// If the time is NaN.
    #[must_use]
    #[track_caller]
    pub fn before(&self, time: f64) -> f64 {
        assert!(!time.is_nan(), "the time is NaN");
        self.after_steps(self.times.partition_point(|&step| step < time))
    }

    /// Returns the times at which the curve decreases, in increasing order, each with the probability of lasting
    /// beyond it.
    #[must_use]
    pub fn steps(&self) -> impl ExactSizeIterator<Item = (f64, f64)> {
        self.times.iter().copied().zip(self.survival.iter().copied())
    }

    fn after_steps(&self, steps: usize) -> f64 {
        if steps == 0 { 1.0 } else { self.survival[steps - 1] }
    }

    /// The curve of these runs only, which are in the order of their times. `of_censoring` says which of the two kinds
    /// of stop is the event.
    pub(crate) fn product_limit(stops: &StopTimes, runs: &[u32], of_censoring: bool) -> Self {
        let (mut times, mut factors) = (Vec::new(), Vec::new());
        let mut later = ExactSum::default();
        // From the last time back, so that the number at risk is a sum of the rows already visited.
        for tied in stops.tied(runs) {
            let weights = |events: bool| {
                let stops = tied.iter().map(|run| stops.stop(*run as usize));
                let stops = stops.filter(|stop| stop.weight > 0.0);
                stops.filter(move |stop| (stop.censored == of_censoring) == events)
            };
            // Outcomes come first: those who are cut off at this time outlast them.
            if !of_censoring {
                later.extend(weights(false).map(|stop| stop.weight));
            }
            if let Some(Stop { time, .. }) = weights(true).next() {
                let left = later.value();
                later.extend(weights(true).map(|stop| stop.weight));
                times.push(time);
                factors.push(left / later.value());
            }
            if of_censoring {
                later.extend(weights(false).map(|stop| stop.weight));
            }
        }
        times.reverse();
        let mut product = 1.0;
        let falling = factors.into_iter().rev().map(|factor: f64| {
            product *= factor;
            product
        });
        Self { times, survival: falling.collect() }
    }
}

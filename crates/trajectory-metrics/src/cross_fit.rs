use crate::{CalibrationMap, Calibrator, Error, Traces, WeightSchedule, traces::same_length};

/// Traces calibrated out of sample, and the two maps that did it.
///
/// Made by [`cross_fit`].
#[derive(Clone, Debug, PartialEq)]
pub struct CrossFit<M> {
    traces: Traces,
    maps: [M; 2],
    in_second_half: Vec<bool>,
}

impl<M> CrossFit<M> {
    /// The calibrated traces, in the order they came.
    #[must_use]
    pub const fn traces(&self) -> &Traces {
        &self.traces
    }

    /// The calibrated traces, to keep.
    #[must_use]
    pub fn into_traces(self) -> Traces {
        self.traces
    }

    /// The maps: the first is fitted on half A and was applied to half B, the second the other way
    /// round.
    #[must_use]
    pub const fn maps(&self) -> &[M; 2] {
        &self.maps
    }

    /// For each trace whether it belongs to half B.
    #[must_use]
    pub fn in_second_half(&self) -> &[bool] {
        &self.in_second_half
    }
}

/// Calibrates every trace by a map that has not seen it: the map fitted on half A is applied to
/// half B, the map fitted on half B to half A.
///
/// The halves are stratified by outcome: failures in the order of their ids go to A, B, A, B, …,
/// and so do successes. So the halves differ by at most one trace of each outcome, whole traces
/// stay together, and the split depends on ids and outcomes alone. Where ids are equal, traces keep
/// the order they came in, which then matters; give each trace an id of its own.
///
/// Every step of a trace is a record of the fit. Its weight is that of the step under the schedule,
/// so every trace counts as 1. Use the schedule of the score that comes after: a map fitted under
/// other weights mixes its own error into the comparison.
///
/// The two halves get slightly different maps. Two traces of different halves may change places.
///
/// Reference: Evaluator failure modes in agentic uncertainty quantification, appendix D.
///
/// # Errors
///
/// [`Error::Length`] unless there is one id a trace; [`Error::ScheduleTooShort`] where custom
/// weights do not reach a trace's end; [`Error::Half`] with the error of [`Calibrator::fit`] where
/// a half is not enough: Platt needs two traces of each outcome.
///
/// ```
/// use trajectory_metrics::{Error, Platt, Traces, WeightSchedule, cross_fit};
///
/// let raw = Traces::from_flat(
///     &[0.9, 0.6, 0.9, 0.95, 0.99, 0.9, 1.0],
///     &[2, 3, 5, 7],
///     &[false, false, true, true],
/// )?;
/// let ids = ["task-1", "task-2", "task-3", "task-4"];
/// let fitted = cross_fit(&Platt::default(), &raw, &ids, &WeightSchedule::LinearFront)?;
/// assert_eq!(fitted.in_second_half(), [false, true, false, true]);
/// assert!(fitted.maps().iter().all(|map| map.slope() > 0.0));
/// assert_eq!(fitted.traces().steps(), raw.steps());
///
/// let error = cross_fit(&Platt::default(), &raw, &ids[1..], &WeightSchedule::LinearFront);
/// assert_eq!(error.unwrap_err(), Error::Length { what: "ids", expected: 4, found: 3 });
/// # Ok::<(), Error>(())
/// ```
pub fn cross_fit<C: Calibrator, I: Ord>(
    calibrator: &C,
    traces: &Traces,
    ids: &[I],
    schedule: &WeightSchedule,
) -> Result<CrossFit<C::Map>, Error> {
    same_length("ids", traces.len(), ids.len())?;
    let in_second_half = second_half(traces.outcomes(), ids);
    let fit = |half: bool| {
        let (mut forecasts, mut outcomes, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (trace, _) in traces.iter().zip(&in_second_half).filter(|(_, in_b)| **in_b == half) {
            let steps = trace.forecasts().len();
            forecasts.extend_from_slice(trace.forecasts());
            outcomes.resize(forecasts.len(), trace.outcome());
            weights.extend(schedule.weights(steps)?);
        }
        calibrator.fit(&forecasts, &outcomes, &weights).map_err(|error| Error::Half {
            half: if half { 'B' } else { 'A' },
            error: Box::new(error),
        })
    };
    let maps = [fit(false)?, fit(true)?];
    let calibrated = traces.map_forecasts(|trace, forecast| {
        let unseen = usize::from(!in_second_half[trace]);
        maps[unseen].apply(forecast)
    });
    Ok(CrossFit { traces: calibrated, maps, in_second_half })
}

/// Whether each trace belongs to half B.
fn second_half<I: Ord>(outcomes: &[bool], ids: &[I]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..ids.len()).collect();
    // Stable: equal ids keep their order.
    order.sort_by(|&a, &b| (outcomes[a], &ids[a]).cmp(&(outcomes[b], &ids[b])));
    let mut in_second_half = vec![false; ids.len()];
    let mut next = [false; 2];
    for trace in order {
        let next = &mut next[usize::from(outcomes[trace])];
        in_second_half[trace] = *next;
        *next = !*next;
    }
    in_second_half
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Isotonic, Platt, Probability};

    #[test]
    fn traces_of_one_outcome_alternate_in_the_order_of_their_ids() {
        let outcomes = [true, false, true, true, false, true];
        let ids = [9, 5, 2, 4, 1, 7];
        assert_eq!(second_half(&outcomes, &ids), [true, true, false, true, false, false]);
        assert_eq!(second_half(&[true; 4], &["same"; 4]), [false, true, false, true]);
    }

    /// Keeps the records it was fitted on.
    #[derive(Debug)]
    struct Recorder;

    #[derive(Debug)]
    struct Recorded(Vec<(f64, bool, f64)>);

    impl CalibrationMap for Recorded {
        fn apply(&self, _: Probability) -> Probability {
            Probability::HALF
        }
    }

    impl Calibrator for Recorder {
        type Map = Recorded;

        fn fit(&self, p: &[Probability], y: &[bool], w: &[f64]) -> Result<Recorded, Error> {
            Ok(Recorded(p.iter().zip(y).zip(w).map(|((p, y), w)| (p.get(), *y, *w)).collect()))
        }
    }

    #[test]
    fn every_step_is_a_record_with_its_weight_under_the_schedule() {
        let traces =
            Traces::from_flat(&[0.1, 0.2, 0.3, 0.4, 0.5], &[2, 3, 5], &[true, true, false])
                .unwrap();
        let fitted =
            cross_fit(&Recorder, &traces, &[1, 2, 3], &WeightSchedule::LinearFront).unwrap();
        let [Recorded(a), Recorded(b)] = fitted.maps();
        let (first, second) = (2.0 / 3.0, 1.0 / 3.0);
        let records =
            [(0.1, true, first), (0.2, true, second), (0.4, false, first), (0.5, false, second)];
        assert_eq!(a[..], records);
        assert_eq!(b[..], [(0.3, true, 1.0)]);
        assert!(fitted.into_traces().iter().all(|t| t.forecasts()[0] == Probability::HALF));
    }

    #[test]
    fn a_half_that_cannot_be_fitted_is_an_error() {
        let cross = |outcomes: &[bool]| {
            let forecasts = vec![0.5; outcomes.len()];
            let ends: Vec<usize> = (1..=outcomes.len()).collect();
            let traces = Traces::from_flat(&forecasts, &ends, outcomes).unwrap();
            let uniform = WeightSchedule::Uniform;
            let platt = cross_fit(&Platt::default(), &traces, &ends, &uniform).map(drop);
            let isotonic = cross_fit(&Isotonic, &traces, &ends, &uniform).map(drop);
            [platt, isotonic]
        };
        let half = |half, error| Err(Error::Half { half, error: Box::new(error) });
        assert_eq!(cross(&[]), [half('A', Error::Empty), half('A', Error::Empty)]);
        assert_eq!(cross(&[true, false]), [half('B', Error::Empty), half('B', Error::Empty)]);
        let one_class = half('B', Error::OneClass { outcome: false });
        assert_eq!(cross(&[true, false, false]), [one_class, Ok(())]);
        assert_eq!(cross(&[true, false, true, false]), [Ok(()), Ok(())]);
        let custom = WeightSchedule::custom(&[1.0]).unwrap();
        let long = Traces::from_flat(&[0.5; 4], &[2, 4], &[true; 2]).unwrap();
        let error = cross_fit(&Isotonic, &long, &[1, 2], &custom).map(drop);
        assert_eq!(error, Err(Error::ScheduleTooShort { horizon: 2, weights: 1 }));
    }
}

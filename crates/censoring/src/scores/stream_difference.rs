use scoring_rules::{ExactSum, checks::same_length};
use trajectory_metrics::{Interval, Probability, ScoringRule, Tps};

use crate::{
    Weight,
    checks::{can_be_averaged, too_large},
    error::Error,
    scores::{run_score::RunScore, weighted_runs::for_each_run},
    stops::stopped::Stopped,
};

/// The mean score of one stream of forecasts minus the mean score of another stream on the same runs, some of which
/// were cut off.
///
/// ```text
/// D(q) = sum of c_i (first_i(q_i) - second_i(q_i)) / sum of c_i
/// ```
///
/// `c_i` is the weight of the run and `q_i` the probability of success after its stop. That probability
/// belongs to the run and not to the stream, so both streams are scored with the same one, and D is
/// known much better than either mean. D is linear in each q, so its extremes are at 0 and 1.
///
/// D describes these runs only; it does not include the sampling error of the runs. Differences up to
/// rounding (16 units in the last place of the terms) count as 0. A weight of 2 counts as two equal
/// runs, and a weight of 0 has no effect, but both streams must agree on the end of the run. The
/// result has the same bits in any order of the runs. There is no stored form: store the runs instead.
///
/// ```
/// use censoring::{
///     Error, Probability, StopReason, Stopped, StreamDifference, Tps, WeightSchedule, from_fn,
/// };
///
/// let brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
/// let tps = Tps::new(brier, WeightSchedule::Uniform);
/// let [careful, bold] = [[Probability::HALF], [Probability::new(0.75)?]];
/// let run = |forecast, outcome| Stopped::new(forecast, outcome, Some(StopReason::MaxSteps));
/// let first = [run(&bold, Some(true))?, run(&bold, None)?];
/// let second = [run(&careful, Some(true))?, run(&careful, None)?];
///
/// // The bold stream gains 3/16 with a success and loses 5/16 with a failure.
/// let difference = StreamDifference::new(&tps, &first, &second, None)?;
/// let bounds = difference.bounds();
/// assert_eq!((bounds.low(), bounds.high()), (-1.0 / 16.0, 3.0 / 16.0));
/// assert!(!difference.keeps_sign());
///
/// // It is ahead if the second run's probability of success is above 1/4: an estimate of 1/2 may
/// // be wrong by 1/4 in either direction.
/// let chances = [Probability::ONE, Probability::HALF];
/// assert_eq!(difference.at(&chances)?, 1.0 / 16.0);
/// assert_eq!(difference.largest_width(&chances)?, Some(0.5));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StreamDifference {
    /// The number of runs, including runs of weight 0.
    runs: usize,
    terms: Vec<Term>,
    /// The sum of the weights, positive.
    total: f64,
    /// Differences up to this size are rounding.
    tolerance: f64,
    /// The smallest and the largest difference.
    bounds: Interval,
}

/// The contribution of a run of positive weight.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Term {
    /// The position among all runs.
    run: usize,
    weight: f64,
    /// The difference of the scores as a failure and as a success; equal for a complete run.
    either: [f64; 2],
}

impl Term {
    fn at(&self, q: Probability) -> f64 {
        let [failure, success] = self.either;
        // Without rounding for a complete run.
        if failure == success {
            failure
        } else {
            q.complement().get() * failure + q.get() * success
        }
    }

    /// Returns the change of the difference per unit of success probability.
    fn gain(&self) -> f64 {
        self.either[1] - self.either[0]
    }
}

impl StreamDifference {
    /// Scores both streams on the same runs in the same order.
    ///
    /// # Errors
    ///
    /// [`Error::At`] with the first run that has no score; [`scoring_rules::Error::Entry`] with the first run with
    /// a score outside -1e100 to 1e100, such as an infinite log score; [`Error::Run`] with the first
    /// run whose end or length differs between the streams; [`scoring_rules::Error::Length`] unless there is one entry
    /// per run in each argument; [`scoring_rules::Error::Empty`] without a run of positive weight.
    pub fn new<R: ScoringRule>(
        tps: &Tps<R>,
        first: &[Stopped<'_>],
        second: &[Stopped<'_>],
        weights: Option<&[Weight]>,
    ) -> Result<Self, Error> {
        same_length("second", first.len(), second.len())?;
        // Runs of weight 0 are also checked.
        if let Some(run) = first.iter().zip(second).position(|(a, b)| !same_run(a, b)) {
            let problem = "differs in end or length between the streams; give the same runs in the \
                           same order";
            return Err(Error::Run { run, problem });
        }
        let (mut terms, mut total) = (Vec::with_capacity(first.len()), ExactSum::default());
        let mut size = ExactSum::default();
        for_each_run(first, weights, |i, run, weight| {
            let scores_of = |run| -> Result<[f64; 2], Error> {
                let scores = RunScore::new(tps, run, Probability::HALF)?.either();
                match scores.into_iter().find(|&score| !can_be_averaged(score)) {
                    Some(value) => Err(too_large("score of run", i, value)),
                    None => Ok(scores),
                }
            };
            let (a, b) = (scores_of(run)?, scores_of(&second[i])?);
            let weight = weight.get();
            terms.push(Term { run: i, weight, either: [a[0] - b[0], a[1] - b[1]] });
            total.add(weight);
            let largest = a.into_iter().chain(b).map(f64::abs).fold(0.0, f64::max);
            size.add_product(weight, largest);
            Ok(())
        })?;
        let total = total.value();
        if total > 0.0 {
            let tolerance = 16.0 * f64::EPSILON * (size.value() / total);
            let end = |pick: fn(f64, f64) -> f64| {
                sum_over(&terms, |term| pick(term.either[0], term.either[1])) / total
            };
            let bounds = Interval::new(end(f64::min), end(f64::max))?;
            Ok(Self { runs: first.len(), terms, total, tolerance, bounds })
        } else {
            Err(Error::ScoringRules(scoring_rules::Error::Empty))
        }
    }

    /// Returns the difference if cut-off runs succeed with the given probabilities. There is one probability per run;
    /// those of complete runs are ignored.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one probability per run.
    pub fn at(&self, success_probabilities: &[Probability]) -> Result<f64, Error> {
        same_length("success_probabilities", self.runs, success_probabilities.len())?;
        Ok(sum_over(&self.terms, |term| term.at(success_probabilities[term.run])) / self.total)
    }

    /// Returns the smallest and the largest possible difference, whatever the probabilities of success.
    #[must_use]
    pub const fn bounds(&self) -> Interval {
        self.bounds
    }

    /// Returns whether the same stream is ahead for all probabilities of success, so that they need not be estimated.
    #[must_use]
    pub fn keeps_sign(&self) -> bool {
        self.bounds.low() > self.tolerance || self.bounds.high() < -self.tolerance
    }

    /// Returns the width below which intervals around the estimated success probabilities leave the order of the
    /// streams certain; `None` if it is certain at every width.
    ///
    /// Each probability may lie anywhere within `width / 2` of its estimate and in [0, 1],
    /// independently of the other runs. At every smaller width, the stream that
    /// is ahead at the estimates is ahead for all such probabilities. Between 0 and 2; 0 if there is no
    /// difference at the estimates; `None` if the same stream is ahead for all probabilities.
    ///
    /// Cost: O(n log n).
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one estimate per run.
    pub fn largest_width(&self, estimates: &[Probability]) -> Result<Option<f64>, Error> {
        let difference = self.at(estimates)?;
        if difference.abs() <= self.tolerance {
            return Ok(Some(0.0));
        }
        // For each probability, the distance that it can move against the leading stream, the weight of its run, and
        // the loss per unit of the move.
        let mut moves: Vec<(f64, f64, f64)> = self
            .terms
            .iter()
            .map(|term| (term, term.gain() * difference.signum()))
            .filter(|(_, gain)| *gain != 0.0)
            .map(|(term, gain)| {
                let q = estimates[term.run];
                let room = if gain > 0.0 { q } else { q.complement() };
                (room.get(), term.weight, gain.abs())
            })
            .collect();
        moves.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        // Half a width h loses the sum of weight * gain * min(h, room): straight from room to room.
        let (mut stopped, mut moving) = (ExactSum::default(), ExactSum::default());
        moves.iter().for_each(|&(_, weight, gain)| moving.add_product(weight, gain));
        let ahead = sum_over(&self.terms, |term| term.at(estimates[term.run])).abs();
        let negligible = self.tolerance * self.total;
        // Exact sums, read only between different rooms, so that the order has no effect.
        for same in moves.chunk_by(|a, b| a.0 == b.0) {
            let (rate, lost, room) = (moving.value(), stopped.value(), same[0].0);
            if lost + rate * room >= ahead - negligible {
                let half = (ahead - lost) / rate;
                return Ok(Some(2.0 * half.clamp(0.0, room)));
            }
            for &(room, weight, gain) in same {
                stopped.add_product(weight, gain * room);
                moving.add_product(-weight, gain);
            }
        }
        Ok(None)
    }
}

fn sum_over(terms: &[Term], value: impl Fn(&Term) -> f64) -> f64 {
    let mut sum = ExactSum::default();
    terms.iter().for_each(|term| sum.add_product(term.weight, value(term)));
    sum.value()
}

/// Returns whether both are the same run with the forecasts of two streams.
fn same_run(a: &Stopped<'_>, b: &Stopped<'_>) -> bool {
    use crate::stops::stopped::Observation::{Censored, Complete, Excluded};
    let ends_alike = match (a.observation(), b.observation()) {
        (Complete(a), Complete(b)) => a.outcome() == b.outcome(),
        (Censored, Censored) | (Excluded(_), Excluded(_)) => true,
        _ => false,
    };
    ends_alike && a.horizon() == b.horizon() && a.forecasts().len() == b.forecasts().len()
}

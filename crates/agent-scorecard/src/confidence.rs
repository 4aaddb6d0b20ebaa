//! What the confidence that runs reported comes to, beside how often they succeeded.
//!
//! Every report on confidence and outcomes has the figures [`VERDICTS`] and the sentence of [`clause`].

use std::{cmp::Ordering, collections::BTreeSet};

use scoring_rules::Level;
use trajectory_metrics::{
    Better, ClusterEstimate, Error, ExactMean, Figure, Interval, Measure, NoInterval, Undefined,
};

use crate::{
    no_interval,
    report::{
        block::Block,
        sentence::{Percent, counted, side_of, with_ends},
    },
};

pub(crate) const OVERCONFIDENCE: Measure = Measure::new("overconfidence", "overconfidence", Better::Near(0.0), "Mean confidence minus the success rate of the same runs, those with a known outcome; interval from those of both by task.").within(-1.0, 1.0);

/// No constant scores better on these runs than their own success rate p, which nobody knew in advance. That puts the
/// confidence at a disadvantage of about `p (1 - p) / n`.
pub(crate) const GAIN: Measure = Measure::new("brier_gain", "Brier score gained over the base rate", Better::Higher, "Brier score of each run's confidence (where a run states several, of their mean) minus that of the runs' own success rate, which is known only afterwards, as the confidence of each; interval from standard errors by task, if 10 tasks have a success and 10 a failure.").within(-1.0, 1.0);

/// With fewer tasks that have a success, or a failure, the interval of [`GAIN`] would have no level: in simulations at
/// success rates near 0 and 1, calibrated confidence was called worse than one number in up to 66 % of data sets.
const LEAST_TASKS_OF_OUTCOME: usize = 10;

/// What is said of confidence in every report on it, before all else.
pub const VERDICTS: [Measure; 2] = [OVERCONFIDENCE, GAIN];

/// The mean of values, with an interval if the cluster of each is given with a level, of which there are two.
pub(crate) fn mean<G: Ord>(
    values: &[f64],
    clusters: Option<(&[G], Level)>,
) -> Result<Figure, Undefined> {
    let alone = ExactMean::of(values.iter().copied(), None).map(Figure::from);
    let alone = known(alone.map_err(Error::from))?;
    let Some((clusters, level)) = clusters else { return Ok(alone) };
    match ClusterEstimate::mean(values, None, clusters) {
        Ok(found) => Ok(found.figure(level)),
        Err(_) => Ok(Figure { interval: Err(no_interval::of_one(level)), ..alone }),
    }
}

/// Mean confidence minus the success rate of the same runs. If all runs succeed, outcomes do not vary, and the
/// mean of differences would look more certain than the rate is; so the ends follow from the interval `[l, u]` of the
/// rate p and that of the mean confidence c, with r their correlation by cluster:
///
/// ```text
/// low  = c - p - sqrt((c - l_c)^2 - 2 r (c - l_c) (u_p - p) + (u_p - p)^2)
/// high = c - p + sqrt((u_c - c)^2 - 2 r (u_c - c) (p - l_p) + (p - l_p)^2)
/// ```
///
/// A positive correlation counts from 10 tasks with a success and 10 with a failure on, as that of fewer is a poor
/// estimate, and 0 in its place is wider.
///
/// Reference: Zou and Donner (2008), Construction of confidence limits about effect measures,
/// doi:10.1002/sim.3095.
pub(crate) fn overconfidence<G: Ord>(
    confidence: &[f64],
    outcomes: &[f64],
    clusters: Option<(&[G], Level)>,
) -> Result<Figure, Undefined> {
    let apart = confidence.iter().zip(outcomes).map(|(stated, outcome)| stated - outcome);
    let apart: Vec<f64> = apart.collect();
    let found = mean(&apart, clusters)?;
    let Some((clusters, level)) = clusters else { return Ok(found) };
    let of = |values: &[f64]| ClusterEstimate::mean(values, None, clusters);
    let (Ok(both), Ok(stated), Ok(rate)) = (of(&apart), of(confidence), of(outcomes)) else {
        return Ok(found);
    };
    let errors = [both, stated, rate].map(|it| it.standard_error);
    let product = 2.0 * errors[1] * errors[2];
    let shared = errors[1].powi(2) + errors[2].powi(2) - errors[0].powi(2);
    let is_known = tasks_of_rarer_outcome(clusters, outcomes) >= LEAST_TASKS_OF_OUTCOME;
    let most = if is_known { 1.0 } else { 0.0 };
    let r = if product > 0.0 { (shared / product).clamp(-1.0, most) } else { 0.0 };
    // Rounding leaves less than nothing of equal distances.
    let away = |a: f64, b: f64| (a * a - 2.0 * r * a * b + b * b).max(0.0).sqrt();
    // A confidence that does not vary is known.
    let [low, high] = stated
        .interval(level)
        .map_or([0.0; 2], |it| [stated.estimate - it.low(), it.high() - stated.estimate]);
    let interval = rate.proportion_interval(level).map(|it| {
        let (value, rate) = (found.value, rate.estimate);
        Interval::between(value - away(low, it.high() - rate), value + away(high, rate - it.low()))
    });
    Ok(Figure { interval, ..found })
}

/// What the scores of runs, of which 0 is the best, are more than the Brier score of their success rate. That the
/// rate is estimated does not change the standard error to first order, as no other number has a better mean score.
///
/// Reference: West (1996), Asymptotic inference about predictive ability, Econometrica 64, 1067-1084,
/// doi:10.2307/2171956.
pub(crate) fn gain<G: Ord>(
    scores: &[f64],
    outcomes: &[f64],
    clusters: Option<(&[G], Level)>,
) -> Result<Figure, Undefined> {
    let rate = mean::<G>(outcomes, None)?.value;
    let gains =
        scores.iter().zip(outcomes).map(|(score, outcome)| score + (rate - outcome).powi(2));
    let found = mean(&gains.collect::<Vec<f64>>(), clusters)?;
    let Some((clusters, level)) = clusters else { return Ok(found) };
    let (rarer, least) = (tasks_of_rarer_outcome(clusters, outcomes), LEAST_TASKS_OF_OUTCOME);
    let interval = match rarer < least {
        true => found.interval.and(Err(NoInterval::TooFewClusters { found: rarer, least, level })),
        false => found.interval,
    };
    Ok(Figure { interval, ..found })
}

/// How many tasks have a success, or a failure if fewer have one.
fn tasks_of_rarer_outcome<G: Ord>(clusters: &[G], outcomes: &[f64]) -> usize {
    let tasks_with = |wanted: f64| {
        let runs = clusters.iter().zip(outcomes).filter(|(_, outcome)| **outcome == wanted);
        runs.map(|(cluster, _)| cluster).collect::<BTreeSet<&G>>().len()
    };
    tasks_with(0.0).min(tasks_with(1.0))
}

/// Of which confidence a clause is: that which was stated, its mean over a run of several, or a calibrated one.
pub(crate) const STATED: &str = "as stated";
pub(crate) const AVERAGED: &str = "averaged over each run";
pub(crate) const CALIBRATED: &str = "after calibration";

/// The clause on the figures of [`VERDICTS`] in a block, which are over this number of runs; `None` without them.
pub(crate) fn clause(block: &Block, runs: u64, how: &str) -> Option<String> {
    clause_of(&VERDICTS, block, runs, how)
}

/// The clause on figures as those of [`VERDICTS`].
pub(crate) fn clause_of(
    [overconfidence, gain]: &[Measure; 2],
    block: &Block,
    runs: u64,
    how: &str,
) -> Option<String> {
    let over = block.figure(overconfidence.key).ok()?;
    let (points, runs) = (Percent::of_size(&over).points(), counted(runs, "run"));
    let side = if over.value < 0.0 { "below" } else { "above" };
    let is_calibrated = how == CALIBRATED;
    let calibrated = if is_calibrated { "after calibration " } else { "" };
    let stated = match side_of(&over, 0.0) {
        Some(Ordering::Greater) => format!("{calibrated}overconfident by {points} over {runs}"),
        Some(Ordering::Less) => format!("{calibrated}underconfident by {points} over {runs}"),
        is_noise => format!(
            "over {runs}, mean {}confidence is {points} {side} the success rate{}",
            if is_calibrated { "calibrated " } else { "" },
            is_noise.map_or("", |_| ", which may be noise")
        ),
    };
    let worth = block.figure(gain.key).ok().and_then(|gain| {
        let verdict = match side_of(&gain, 0.0)? {
            Ordering::Greater => "better than one number for all runs",
            Ordering::Less => "worse than one number for all runs",
            Ordering::Equal if gain.value > 0.0 => {
                "better than one number for all runs, which may be noise"
            }
            Ordering::Equal => "no better than one number for all runs, which may be noise",
        };
        Some(format!("; {how}, it scores {verdict} (Brier score gained: {})", with_ends(&gain)))
    });
    Some(stated + &worth.unwrap_or_default())
}

/// The figure of an estimate.
pub(crate) fn figure(
    found: Result<ClusterEstimate, Error>,
    level: Level,
) -> Result<Figure, Undefined> {
    known(found.map(|found| found.figure(level)))
}

/// A figure, or why there is none.
pub(crate) fn known(found: Result<Figure, Error>) -> Result<Figure, Undefined> {
    found.map_err(|error| match error {
        Error::ScoringRules(scoring_rules::Error::Empty) => Undefined::new("no run has a value"),
        error => Undefined::new(error.to_string()),
    })
}
